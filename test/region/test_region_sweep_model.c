/* SPDX-License-Identifier: MIT */
/*
 * test_region_sweep_model.c: compares random sweeps of regions with a model, which computes the
 * times of all pairs of pixels as exact fractions.
 *
 * A pair overlaps while the offset is less than a pixel on both axes. For each axis, this is an
 * open interval of time. The model uses only this rule.
 */
#include "config.h"

#include <pqt/memory.h>
#include <pqt/region_sweep.h>

#include "random.h"
#include "region_pixel_lists.h"
#include "suite.h"

__extension__ typedef __int128 wide;

/* The fraction over / under, where under > 0, or under == 0 for infinity. */
typedef struct ratio {
    wide over, under;
} ratio;

static const ratio never = {1, 0}, always = {-1, 0};

static int
compare(ratio a, ratio b)
{
    if (a.under == 0 || b.under == 0) {
        const int of_a = a.under == 0 ? (int)a.over : 0, of_b = b.under == 0 ? (int)b.over : 0;
        return of_a - of_b;
    }
    const wide left = a.over * b.under, right = b.over * a.under;
    return (left > right) - (left < right);
}

/* The open interval of time in which two pixels overlap on one axis. */
typedef struct period {
    ratio in, out;
} period;

typedef struct play {
    const sketch *mover, *other;
    steps from, along;
    size_t round;
} play;

static void
require(const play *p, bool right, const char *what)
{
    if (!right)
        ck_abort_msg("round %zu: %s", p->round, what);
}

static period
period_of(int64_t from, int64_t along, int32_t mover, int32_t other)
{
    const int64_t near = ((int64_t)other - mover - 1) * STEPS - from, far = near + 2 * STEPS;
    if (along == 0)
        return near < 0 && 0 < far ? (period){always, never} : (period){never, always};
    if (along > 0)
        return (period){{near, along}, {far, along}};
    return (period){{-far, -along}, {-near, -along}};
}

typedef struct pair_times {
    period x, y;
    ratio in, out;
} pair_times;

static pair_times
times_of(const play *p, pqt_pixel mover, pqt_pixel other)
{
    pair_times t = {period_of(p->from.x, p->along.x, mover.x, other.x),
                    period_of(p->from.y, p->along.y, mover.y, other.y), never, always};
    t.in = compare(t.x.in, t.y.in) > 0 ? t.x.in : t.y.in;
    t.out = compare(t.x.out, t.y.out) < 0 ? t.x.out : t.y.out;
    return t;
}

/* The result of the model. */
typedef struct truth {
    bool overlaps;
    ratio exit; /* the time at which the mover leaves an overlap; infinite if nothing moves */
    /* the time of the first hit after the exit, or after 0; infinite if there is none */
    ratio hit;
    unsigned blocked;
    pqt_pixel_pair met;
} truth;

typedef bool each_fn(const pair_times *t, pqt_pixel mover, pqt_pixel other, void *context);

/* Visits all pairs of pixels from the top, ordered by the mover's pixel, then by the other
 * one's. */
static void
each_pair(const play *p, each_fn *each, void *context)
{
    for (size_t k = 0; k < p->mover->count; k++)
        for (size_t i = 0; i < p->other->count; i++) {
            const pair_times t = times_of(p, p->mover->pixels[k], p->other->pixels[i]);
            if (!each(&t, p->mover->pixels[k], p->other->pixels[i], context))
                return;
        }
}

typedef struct search {
    ratio at, found;
    bool any;
} search;

/* Finds the latest end among the intervals that contain a moment. */
static bool
find_last_exit(const pair_times *t, pqt_pixel mover, pqt_pixel other, void *context)
{
    (void)mover;
    (void)other;
    search *s = context;
    if (compare(t->in, s->at) < 0 && compare(s->at, t->out) < 0) {
        s->any = true;
        if (compare(t->out, s->found) > 0)
            s->found = t->out;
    }
    return true;
}

static bool
find_first_entry(const pair_times *t, pqt_pixel mover, pqt_pixel other, void *context)
{
    (void)mover;
    (void)other;
    search *s = context;
    if (compare(t->in, t->out) < 0 && compare(t->out, s->at) > 0 && compare(t->in, s->found) < 0)
        s->found = t->in;
    return true;
}

static ratio
exit_of(const play *p, bool *overlaps)
{
    const ratio zero = {0, 1};
    search s = {zero, zero, false};
    *overlaps = false;
    for (;;) {
        s.any = false;
        each_pair(p, find_last_exit, &s);
        if (!s.any || s.found.under == 0)
            break;
        *overlaps = true;
        s.at = s.found;
    }
    *overlaps = *overlaps || s.any;
    return s.found;
}

/* The faces through which pixels are entered at the time of a hit. */
typedef struct entry {
    ratio at;
    bool x, y, corner;
    unsigned blocked; /* 0 until it is found */
    bool any;
    pqt_pixel_pair met;
} entry;

static bool
find_faces(const pair_times *t, pqt_pixel mover, pqt_pixel other, void *context)
{
    entry *e = context;
    if (compare(t->in, e->at) != 0 || compare(t->in, t->out) >= 0)
        return true;
    const bool by_x = compare(t->x.in, e->at) == 0, by_y = compare(t->y.in, e->at) == 0;
    if (e->blocked == 0) {
        e->x = e->x || (by_x && !by_y);
        e->y = e->y || (by_y && !by_x);
        return true;
    }
    if ((by_x && !(e->blocked & PQT_BLOCKED_X)) || (by_y && !(e->blocked & PQT_BLOCKED_Y)))
        return true;
    e->met = (pqt_pixel_pair){mover, other};
    return false;
}

static truth
truth_of(const play *p, bool ignore)
{
    truth t = {.hit = never};
    t.exit = exit_of(p, &t.overlaps);
    if (t.overlaps && (!ignore || t.exit.under == 0))
        return t;
    search s = {t.overlaps ? t.exit : (ratio){0, 1}, never, false};
    each_pair(p, find_first_entry, &s);
    if (compare(s.found, (ratio){1, 1}) > 0)
        return t;
    t.hit = s.found;
    entry e = {.at = s.found};
    each_pair(p, find_faces, &e);
    e.blocked = (e.x ? PQT_BLOCKED_X : 0u) | (e.y ? PQT_BLOCKED_Y : 0u);
    t.blocked = e.blocked != 0 ? e.blocked : PQT_BLOCKED_X | PQT_BLOCKED_Y | PQT_BLOCKED_CORNER;
    e.blocked = t.blocked;
    each_pair(p, find_faces, &e);
    t.met = e.met;
    return t;
}

static bool
is_fraction(pqt_fraction f, ratio r)
{
    if (r.under == 0)
        return f.den == 0;
    return f.den > 0 && (wide)f.num * r.under == r.over * (wide)f.den;
}

/* Returns true if any pixels touch or overlap at the end. */
static bool
touches_at_end(const play *p)
{
    for (size_t i = 0; i < p->other->count; i++)
        for (size_t k = 0; k < p->mover->count; k++) {
            const pqt_pixel a = p->other->pixels[i], b = p->mover->pixels[k];
            int64_t x = p->from.x + p->along.x + ((int64_t)b.x - a.x) * STEPS;
            int64_t y = p->from.y + p->along.y + ((int64_t)b.y - a.y) * STEPS;
            if (x >= -STEPS && x <= STEPS && y >= -STEPS && y <= STEPS)
                return true;
        }
    return false;
}

/* Returns from + along * time, rounded toward `from`. */
static int64_t
position_at(int64_t from, int64_t along, ratio time)
{
    return from + (int64_t)(along * time.over / time.under);
}

static void
check_push(const play *p, pqt_vec out)
{
    static const steps ways[4] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    steps push = {0, 0};
    int64_t least = INT64_MAX;
    for (int i = 0; i < 4; i++) {
        play way = *p;
        bool overlaps;
        way.along = ways[i];
        const ratio exit = exit_of(&way, &overlaps);
        if (exit.over / exit.under < least) {
            least = (int64_t)(exit.over / exit.under);
            push = (steps){ways[i].x * least, ways[i].y * least};
        }
    }
    require(p, out.x == vec_of(push).x && out.y == vec_of(push).y, "the smallest push");
}

static void
check_sweep(const play *p, const pqt_region_sweep *s, bool ignore)
{
    const ratio end = {1, 1};
    const truth t = truth_of(p, ignore);
    require(p, (s->exit != 0) == t.overlaps, "whether it overlaps");
    if (t.overlaps) {
        require(p, is_fraction(s->exact_exit, t.exit), "exit");
        check_push(p, s->push_out);
    }
    if (t.overlaps && !ignore) {
        require(p, s->status == PQT_SWEEP_OVERLAPS, "a status of its own");
        return;
    }
    const ratio time = compare(t.hit, end) < 0 ? t.hit : end;
    const bool is_out = !t.overlaps || compare(t.exit, end) <= 0;
    require(p,
            s->status == (!is_out                   ? PQT_SWEEP_OVERLAPS
                          : compare(t.hit, end) < 0 ? PQT_SWEEP_HITS
                          : touches_at_end(p)       ? PQT_SWEEP_TOUCHES
                                                    : PQT_SWEEP_FREE),
            "status");
    require(p, is_fraction(s->exact_time, time), "time");
    require(p, s->time == (double)s->exact_time.num / (double)s->exact_time.den, "as a double");
    require(p, s->blocked == t.blocked, "blocked");
    if (t.blocked != 0)
        require(p,
                s->met.a.x == t.met.a.x && s->met.a.y == t.met.a.y && s->met.b.x == t.met.b.x &&
                    s->met.b.y == t.met.b.y,
                "the pair");
    const steps stop = {position_at(p->from.x, p->along.x, time),
                        position_at(p->from.y, p->along.y, time)};
    require(p,
            s->stop.x - s->stop_other.x == vec_of(stop).x &&
                s->stop.y - s->stop_other.y == vec_of(stop).y,
            "stop");
    require(p, sketches_overlap(p->other, p->mover, stop) == (s->status == PQT_SWEEP_OVERLAPS),
            "the stop overlaps just if that is the status");
}

static int64_t
draw_movement(dice *d)
{
    static const int64_t some[] = {0, 0, 1, -1, STEPS, -STEPS, 2 * STEPS, -7 * STEPS, 512};
    switch (dice_below(d, 4)) {
    case 0:
        return some[dice_below(d, sizeof some / sizeof *some)];
    case 1:
        return ((int64_t)dice_below(d, 41) - 20) * STEPS;
    case 2:
        return (int64_t)dice_below(d, 60 * STEPS) - 30 * STEPS;
    default:
        return (int64_t)dice_below(d, 2000 * STEPS) - 1000 * STEPS;
    }
}

/* Repeats the sweep with both regions moved by the same offset, and with the same motion added to
 * both. */
static pqt_region_sweep
sweep_both(dice *d, const play *p, const pqt_region_sweep_options *options)
{
    const steps at = {(int64_t)dice_below(d, 5000), (int64_t)dice_below(d, 5000)};
    const steps by =
        dice_chance(d, 50) ? (steps){0, 0} : (steps){draw_movement(d), draw_movement(d)};
    const pqt_region_mover other = {p->other->region, vec_of(at),
                                    vec_of((steps){at.x + by.x, at.y + by.y})};
    const pqt_region_mover mover = {p->mover->region,
                                    vec_of((steps){at.x + p->from.x, at.y + p->from.y}),
                                    vec_of((steps){at.x + p->from.x + by.x + p->along.x,
                                                   at.y + p->from.y + by.y + p->along.y})};
    return pqt_region_sweep_region(mover, other, options);
}

/* Checks that a second sweep in the same direction does not move from the stop of the first one. */
static void
check_again(const play *p, const pqt_region_sweep *first)
{
    if (first->status != PQT_SWEEP_HITS)
        return;
    const pqt_region_mover other = {p->other->region, {0, 0}, {0, 0}};
    const pqt_vec stop = {first->stop.x - first->stop_other.x, first->stop.y - first->stop_other.y};
    const pqt_vec to = vec_of((steps){p->from.x + p->along.x, p->from.y + p->along.y});
    const pqt_region_sweep again =
        pqt_region_sweep_region((pqt_region_mover){p->mover->region, stop, to}, other, NULL);
    require(p, again.status != PQT_SWEEP_OVERLAPS, "a stop overlaps");
    if (first->blocked & PQT_BLOCKED_X)
        require(p, again.stop.x == stop.x || (first->blocked & PQT_BLOCKED_CORNER) != 0,
                "it continues along x");
    if (first->blocked & PQT_BLOCKED_Y)
        require(p, again.stop.y == stop.y || (first->blocked & PQT_BLOCKED_CORNER) != 0,
                "it continues along y");
}

START_TEST(random_sweeps_agree_with_all_pairs_of_pixels)
{
    dice d = {test_seed("random_sweeps") + (uint64_t)_i};
    pqt_memory *arena = pqt_arena_make(0, NULL);
    pqt_memory *memory = _i == 0 ? pqt_collector() : arena;
    for (size_t round = 0; memory != NULL && round < test_scaled(2500); round++) {
        const sketch mover = sketch_draw(&d, memory), other = sketch_draw(&d, memory);
        for (int i = 0; i < 4; i++) {
            play p = {&mover,
                      &other,
                      draw_offset_near(&d, &other, &mover),
                      {draw_movement(&d), draw_movement(&d)},
                      round};
            pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
            if (dice_chance(&d, 60)) {
                p.from.x -= p.along.x / 2;
                p.from.y -= p.along.y / 2;
            }
            options.ignore_overlap = dice_chance(&d, 30);
            const pqt_region_sweep s = sweep_both(&d, &p, &options);
            require(&p, s.status != PQT_SWEEP_NONE, "it was refused");
            check_sweep(&p, &s, options.ignore_overlap);
            check_again(&p, &s);
        }
    }
    pqt_arena_destroy(&arena);
}
END_TEST

/* ---- Cells ---- */

START_TEST(sweeps_in_cells_equal_sweeps_of_regions_of_these_cells)
{
    static const int32_t sides[] = {1, 2, 4, 8};
    dice d = {test_seed("sweeps_in_cells")};
    pqt_memory *memory = pqt_arena_make(0, NULL);
    for (size_t round = 0; round < test_scaled(3000); round++) {
        const sketch mover = sketch_draw(&d, memory), other = sketch_draw(&d, memory);
        sketch cells_a, cells_b;
        pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
        options.cells = (pqt_cells){sides[dice_below(&d, 4)], sides[dice_below(&d, 4)],
                                    dice_chance(&d, 60) ? PQT_COARSE_OUTER : PQT_COARSE_INNER};
        if (!sketch_in_cells(&mover, options.cells.side_a, options.cells.kind, &cells_a) ||
            !sketch_in_cells(&other, options.cells.side_b, options.cells.kind, &cells_b))
            continue;
        const play p = {&cells_a,
                        &cells_b,
                        draw_offset_near(&d, &other, &mover),
                        {draw_movement(&d), draw_movement(&d)},
                        round};
        const steps to = {p.from.x + p.along.x, p.from.y + p.along.y};
        const pqt_region_mover way = {mover.region, vec_of(p.from), vec_of(to)};
        const pqt_region_sweep s = pqt_region_sweep_region(
            way, (pqt_region_mover){other.region, {0, 0}, {0, 0}}, &options);
        const truth t = truth_of(&p, false);
        require(&p, (s.status == PQT_SWEEP_OVERLAPS) == t.overlaps, "overlap of cells");
        if (!t.overlaps)
            require(&p,
                    is_fraction(s.exact_time,
                                compare(t.hit, (ratio){1, 1}) < 0 ? t.hit : (ratio){1, 1}) &&
                        s.blocked == t.blocked,
                    "cells");
    }
    pqt_arena_destroy(&memory);
}
END_TEST

/* ---- Boxes ---- */

/* The sweep of a box of whole pixels equals that of the region of its pixels. If the sides of the
 * box are fractions of a pixel, the model enlarges both regions until they are whole. */
START_TEST(a_box_sweeps_as_the_region_of_its_pixels_does)
{
    dice d = {test_seed("a_box_sweeps")};
    pqt_memory *memory = pqt_arena_make(0, NULL);
    for (size_t round = 0; round < test_scaled(3000); round++) {
        pqt_error error = {0};
        const sketch other = sketch_draw(&d, memory);
        const int32_t factor = 1 << dice_below(&d, 4);
        const pqt_pixel_box pixels = {
            {-(int32_t)dice_below(&d, 9), -(int32_t)dice_below(&d, 9)},
            {1 + (int32_t)dice_below(&d, 9), 1 + (int32_t)dice_below(&d, 9)}};
        const pqt_region *region = pqt_region_of_boxes(&pixels, 1, memory, &error);
        const pqt_region *large = pqt_region_scale(other.region, factor, factor, &error);
        const play p = {NULL, &other, {0, 0}, {draw_movement(&d), draw_movement(&d)}, round};
        require(&p, region != NULL && large != NULL, error.text);
        const sketch origin = {.pixels = {{0, 0}}, .count = 1};
        const steps from = draw_offset_near(&d, &other, &origin);
        const steps to = {from.x + p.along.x, from.y + p.along.y};
        const double f = factor;
        const pqt_mover box = pqt_mover_box(
            pqt_box_make(pixels.min.x / f, pixels.min.y / f, pixels.max.x / f, pixels.max.y / f),
            vec_of(from), vec_of(to));
        const pqt_region_mover way = {region, pqt_vec_scale(vec_of(from), f),
                                      pqt_vec_scale(vec_of(to), f)};
        const pqt_region_sweep s =
            pqt_region_sweep_mover(box, (pqt_region_mover){other.region, {0, 0}, {0, 0}}, NULL);
        const pqt_region_sweep r =
            pqt_region_sweep_region(way, (pqt_region_mover){large, {0, 0}, {0, 0}}, NULL);
        require(&p, s.status == r.status && s.time == r.time && s.blocked == r.blocked, "box");
        require(&p,
                s.exit == r.exit && s.push_out.x == r.push_out.x / f &&
                    s.push_out.y == r.push_out.y / f,
                "exit");
        if (factor == 1)
            require(&p, s.stop.x == r.stop.x && s.stop.y == r.stop.y, "stop");
        const pqt_box at = pqt_box_moved(box.box, s.stop);
        if (s.status != PQT_SWEEP_OVERLAPS)
            require(&p, !pqt_region_overlaps_box(other.region, at), "the stop overlaps");
        if (s.blocked != 0)
            require(&p, pqt_region_contains(other.region, s.met.b), "the pixel");
    }
    pqt_arena_destroy(&memory);
}
END_TEST

/* ---- Large regions ---- */

/* Draws boxes over several tiles, from single pixels to large boxes, with gaps between them. */
static const pqt_region *
draw_large(dice *d, pqt_memory *memory)
{
    pqt_error error = {0};
    pqt_pixel_box boxes[120];
    const size_t count = 1 + dice_below(d, 120);
    const uint64_t most = (uint64_t)1 << dice_below(d, 7);
    for (size_t i = 0; i < count; i++) {
        const int32_t x = (int32_t)dice_below(d, 260) - 130, y = (int32_t)dice_below(d, 260) - 130;
        boxes[i] = (pqt_pixel_box){
            {x, y}, {x + 1 + (int32_t)dice_below(d, most), y + 1 + (int32_t)dice_below(d, most)}};
    }
    const pqt_region *region = pqt_region_of_boxes(boxes, count, memory, &error);
    if (region == NULL)
        ck_abort_msg("%s", error.text);
    return region;
}

/* The first hit among sweeps of the runs of a region, each of which is swept separately as a
 * box. */
typedef struct runs {
    pqt_region_mover way, other;
    pqt_fraction first;
    bool overlaps;
} runs;

static bool
sweep_run(const pqt_pixel_run *run, void *context)
{
    runs *r = context;
    const pqt_box box = pqt_box_make(run->min_x, run->y, run->max_x, run->y + 1.0);
    const pqt_region_sweep s =
        pqt_region_sweep_mover(pqt_mover_box(box, r->way.from, r->way.to), r->other, NULL);
    if (s.status == PQT_SWEEP_OVERLAPS)
        r->overlaps = true;
    else if ((wide)s.exact_time.num * r->first.den < (wide)r->first.num * s.exact_time.den)
        r->first = s.exact_time;
    return !r->overlaps;
}

START_TEST(a_large_region_sweeps_as_its_runs_do)
{
    dice d = {test_seed("large_sweeps")};
    pqt_memory *memory = pqt_arena_make(0, NULL);
    const pqt_pixel_box everything = {{-PQT_PIXEL_LIMIT, -PQT_PIXEL_LIMIT},
                                      {PQT_PIXEL_LIMIT, PQT_PIXEL_LIMIT}};
    size_t hits = 0, rounds = test_scaled(300);
    for (size_t round = 0; round < rounds; round++) {
        const pqt_region *mover = draw_large(&d, memory), *other = draw_large(&d, memory);
        const steps along = {draw_movement(&d), draw_movement(&d)};
        steps from = {((int64_t)dice_below(&d, 601) - 300) * STEPS,
                      ((int64_t)dice_below(&d, 601) - 300) * STEPS};
        if (dice_chance(&d, 50))
            from = (steps){from.x + (int64_t)dice_below(&d, STEPS), from.y + 512};
        const play p = {NULL, NULL, from, along, round};
        const pqt_region_mover way = {mover, vec_of(from),
                                      vec_of((steps){from.x + along.x, from.y + along.y})};
        runs r = {way, {other, {0, 0}, {0, 0}}, {1, 1}, false};
        const pqt_region_sweep s = pqt_region_sweep_region(way, r.other, NULL);
        pqt_region_visit_runs(mover, everything, sweep_run, &r);
        require(&p, (s.status == PQT_SWEEP_OVERLAPS) == r.overlaps, "whether it overlaps");
        require(&p, r.overlaps == pqt_region_overlaps(other, mover, vec_of(from)), "as overlaps");
        if (r.overlaps)
            continue;
        require(&p, s.exact_time.num == r.first.num && s.exact_time.den == r.first.den, "time");
        require(&p, !pqt_region_overlaps(other, mover, s.stop), "the stop overlaps");
        hits += s.status == PQT_SWEEP_HITS;
    }
    ck_assert(rounds < 100 || hits > rounds / 10);
    pqt_arena_destroy(&memory);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region_sweep_model");
    TCase *tcase = tcase_create("model");
    tcase_add_loop_test(tcase, random_sweeps_agree_with_all_pairs_of_pixels, 0, 2);
    tcase_add_test(tcase, sweeps_in_cells_equal_sweeps_of_regions_of_these_cells);
    tcase_add_test(tcase, a_box_sweeps_as_the_region_of_its_pixels_does);
    tcase_add_test(tcase, a_large_region_sweeps_as_its_runs_do);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
