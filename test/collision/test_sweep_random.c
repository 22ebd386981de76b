/* SPDX-License-Identifier: MIT */
/*
 * test_sweep_random.c: tests random sweeps of one mover against another, for all pairs of shapes,
 * at scales from 1e-300 to 1e300, and along sides at angles down to 1e-12.
 *
 * Every result is compared with a model: status, time, stops, blocked axes, normal, exit and free
 * position, and the contact at the start. With PQT_TEST_SCALE=30, there are a million sweeps.
 * PQT_SHOW_SWEEPS in the environment prints them: the last two movers of a failed test are those of
 * the sweep that is wrong.
 */
#include "config.h"

#include <pqt/circle.h>
#include <pqt/convex.h>

#include "suite.h"
#include "sweep_model.h"
#include "sweep_support.h"

enum { BOX, CIRCLE, CONVEX, ROUNDED, SHAPES };

enum { FIRST_MOVES, SECOND_MOVES, BOTH_MOVE, MOTIONS };

enum { PAIRS = SHAPES * SHAPES * MOTIONS };

/* ---- Checks ---- */

static bool
is_between(double value, double from, double to)
{
    return value >= fmin(from, to) && value <= fmax(from, to);
}

static void
require_on_the_way(const pqt_mover *m, pqt_vec stop)
{
    require(is_between(stop.x, m->from.x, m->to.x) && is_between(stop.y, m->from.y, m->to.y),
            "the stop is between start and end");
}

static bool
moves(const pqt_mover *m)
{
    return m->from.x != m->to.x || m->from.y != m->to.y;
}

static long double
least_gap_of(const sweep_model *m)
{
    const long double time = sweep_model_time_of_least_gap(m);
    return sweep_model_place(m, sweep_model_offset_at(m, time)).gap;
}

/* Requires that a sweep from a stop in the same direction does not move. If both move, or if one is
 * a convex, it may pass what it overlaps by rounding errors. */
static void
require_stays(pqt_mover a, pqt_mover b, const pqt_sweep *s)
{
    a.to = pqt_vec_add(s->stop, pqt_vec_subtract(a.to, a.from));
    b.to = pqt_vec_add(s->stop_b, pqt_vec_subtract(b.to, b.from));
    a.from = s->stop;
    b.from = s->stop_b;
    if (!pqt_mover_is_valid(a) || !pqt_mover_is_valid(b))
        return; /* the end exceeds the largest double */
    const pqt_sweep again = pqt_sweep_pair(a, b, NULL);
    const bool may_pass = (moves(&a) && moves(&b)) || a.convex != NULL || b.convex != NULL;
    if (may_pass && again.status != PQT_SWEEP_HITS) {
        sweep_model m;
        sweep_model_set(&m, &a, &b);
        require(least_gap_of(&m) >= -4 * MODEL_ERROR, "the mover passes only what it grazes");
        return;
    }
    require(again.status == PQT_SWEEP_HITS && again.time == 0, "it hits at the start");
    require(memcmp(&again.stop, &s->stop, sizeof again.stop) == 0, "the stop does not move");
    require(memcmp(&again.stop_b, &s->stop_b, sizeof again.stop_b) == 0,
            "the stop of the other does not move");
}

static void
check_hit(const sweep_model *m, const pqt_sweep *s)
{
    require(s->time >= 0 && s->time <= 1, "the time");
    require(moves(m->a) || moves(m->b), "a sweep without motion hits");
    require(s->exit == 0, "the exit of a hit");
    require_on_the_way(m->a, s->stop);
    require_on_the_way(m->b, s->stop_b);
    require(!movers_overlap(*m->a, s->stop, *m->b, s->stop_b), "the stop is free");
    sweep_model_require_hit(m, s);
    require_stays(*m->a, *m->b, s);
}

/* Checks a sweep that reached its end. */
static void
check_end(const sweep_model *m, const pqt_sweep *s)
{
    require(!movers_overlap(*m->a, m->a->to, *m->b, m->b->to), "the end is free");
    require(s->time == 1 && memcmp(&s->stop, &m->a->to, sizeof s->stop) == 0 &&
                memcmp(&s->stop_b, &m->b->to, sizeof s->stop_b) == 0,
            "the end is reached");
    require(s->blocked == 0 && s->normal.x == 0 && s->normal.y == 0 && s->exit == 0,
            "what is free is not blocked");
    const long double gap = sweep_model_place(m, sweep_model_offset_at(m, 1)).gap;
    require(s->status == PQT_SWEEP_TOUCHES ? gap <= MODEL_ERROR : gap >= -MODEL_ERROR,
            "the status at the end");
}

/* With the option, the same sweep ends where it was going. */
static void
check_ignored_overlap(const sweep_model *m, const pqt_sweep *within)
{
    pqt_sweep_options options = PQT_SWEEP_DEFAULTS;
    options.ignore_overlap = true;
    const pqt_sweep s = pqt_sweep_pair(*m->a, *m->b, &options);
    if (s.status != PQT_SWEEP_OVERLAPS) {
        check_end(m, &s);
        require(within->exit <= 1 + 1e-9 ||
                    sweep_model_place(m, sweep_model_offset_at(m, 1)).gap >= -4 * MODEL_ERROR,
                "it leaves before the exit");
        return;
    }
    require(s.time == 1 && memcmp(&s.stop, &m->a->to, sizeof s.stop) == 0 &&
                memcmp(&s.stop_b, &m->b->to, sizeof s.stop_b) == 0,
            "the end is reached");
    require(s.exit == within->exit && memcmp(&s.normal, &within->normal, sizeof s.normal) == 0 &&
                memcmp(&s.free_position, &within->free_position, sizeof s.free_position) == 0,
            "the option changes only the stop");
    require(movers_overlap(*m->a, m->a->to, *m->b, m->b->to), "it overlaps at the end");
}

static void
check_overlap(const sweep_model *m, const pqt_sweep *s)
{
    require(s->time == 0 && memcmp(&s->stop, &m->a->from, sizeof s->stop) == 0 &&
                memcmp(&s->stop_b, &m->b->from, sizeof s->stop_b) == 0,
            "it stays at the start");
    require(!movers_overlap(*m->a, s->free_position, *m->b, m->b->from),
            "the free position is free");
    sweep_model_require_overlap(m, s);
    check_ignored_overlap(m, s);
}

/* Requires that the two shapes agree on the result, whichever is first. */
static void
check_turned(const pqt_mover *a, const pqt_mover *b, const pqt_sweep *s)
{
    const pqt_sweep t = pqt_sweep_pair(*b, *a, NULL);
    if (t.status != s->status)
        return; /* a graze, which is decided with other rounding errors; the model judges both */
    require(fabs(t.time - s->time) <= 0x1p-40 || s->status == PQT_SWEEP_HITS, "the time, turned");
    require(t.exit == s->exit || fabs(t.exit - s->exit) <= fabs(s->exit) * 0x1p-20,
            "the exit, turned");
}

static pqt_contact
contact_of(const pqt_mover *a, const pqt_mover *b)
{
    const pqt_box box_a = box_of_mover(*a, a->from), box_b = box_of_mover(*b, b->from);
    const pqt_circle circle_a = {a->from, a->radius}, circle_b = {b->from, b->radius};
    pqt_convex of_a, of_b;
    if (a->kind == PQT_MOVER_CONVEX)
        of_a = *a->convex;
    if (b->kind == PQT_MOVER_CONVEX)
        of_b = *b->convex;
    if (a->kind == PQT_MOVER_CONVEX && b->kind == PQT_MOVER_CONVEX)
        return pqt_contact_convexes(&of_a, &of_b);
    if (a->kind == PQT_MOVER_CONVEX)
        return b->kind == PQT_MOVER_BOX ? pqt_contact_convex_box(&of_a, box_b)
                                        : pqt_contact_convex_circle(&of_a, circle_b);
    if (a->kind == PQT_MOVER_CIRCLE)
        return b->kind == PQT_MOVER_BOX ? pqt_contact_circle_box(circle_a, box_b)
                                        : pqt_contact_circles(circle_a, circle_b);
    return pqt_contact_boxes(box_a, box_b);
}

/* Moves a convex to its position, because contacts know no positions. */
static pqt_mover
at_its_position(const pqt_mover *m, pqt_convex *moved)
{
    pqt_mover placed = *m;
    placed.to = placed.from;
    if (m->kind != PQT_MOVER_CONVEX)
        return placed;
    pqt_vec vertices[PQT_MAX_CONVEX_VERTICES];
    for (size_t i = 0; i < m->convex->count; i++)
        vertices[i] = pqt_vec_add(m->convex->vertices[i], m->from);
    if (!pqt_convex_from_points(vertices, m->convex->count, m->convex->radius, moved, NULL))
        *moved = *m->convex;
    placed.convex = moved;
    placed.from = placed.to = at(0, 0);
    return placed;
}

/* A contact has the same first shapes as the functions of contact.h. */
static void
check_contact(const pqt_mover *a, const pqt_mover *b)
{
    pqt_convex of_a, of_b;
    const pqt_mover placed_a = at_its_position(a, &of_a), placed_b = at_its_position(b, &of_b);
    if (a->kind == PQT_MOVER_BOX ? b->kind != PQT_MOVER_BOX
                                 : a->kind == PQT_MOVER_CIRCLE && b->kind == PQT_MOVER_CONVEX)
        return;
    sweep_model m;
    sweep_model_set(&m, &placed_a, &placed_b);
    const pqt_contact contact = contact_of(&placed_a, &placed_b);
    sweep_model_require_contact(&m, &contact);
}

/* Prints a mover. If a sweep is wrong, the last two that a test prints are its movers. */
static void
print_mover(const pqt_mover *m)
{
    fprintf(stderr, "# from %a %a to %a %a\n", m->from.x, m->from.y, m->to.x, m->to.y);
    if (m->kind == PQT_MOVER_BOX)
        fprintf(stderr, "#   box %a %a %a %a\n", m->box.min.x, m->box.min.y, m->box.max.x,
                m->box.max.y);
    if (m->kind == PQT_MOVER_CIRCLE)
        fprintf(stderr, "#   circle %a\n", m->radius);
    for (size_t i = 0; m->kind == PQT_MOVER_CONVEX && i < m->convex->count; i++)
        fprintf(stderr, "#   vertex %a %a (radius %a)\n", m->convex->vertices[i].x,
                m->convex->vertices[i].y, m->convex->radius);
}

static pqt_sweep_status
check_sweep(const pqt_mover *a, const pqt_mover *b)
{
    if (getenv("PQT_SHOW_SWEEPS") != NULL) {
        print_mover(a);
        print_mover(b);
    }
    const pqt_sweep s = pqt_sweep_pair(*a, *b, NULL);
    const bool overlaps = movers_overlap(*a, a->from, *b, b->from);
    sweep_model m;
    sweep_model_set(&m, a, b);
    const long double gap = sweep_model_place(&m, m.start).gap;
    require(s.status != PQT_SWEEP_NONE, "both are valid");
    require((s.status == PQT_SWEEP_OVERLAPS) == overlaps,
            "the overlap at the start agrees with the predicate");
    require(overlaps ? gap < MODEL_ERROR : gap > -MODEL_ERROR, "the predicate");
    check_contact(a, b);
    check_turned(a, b, &s);
    if (overlaps) {
        check_overlap(&m, &s);
        return s.status;
    }
    if (a->kind == PQT_MOVER_BOX && b->kind == PQT_MOVER_BOX && !moves(b))
        require((s.status == PQT_SWEEP_HITS) == exactly_hits(a, box_of_mover(*b, b->from)),
                "hits as computed in integers");
    if (s.status == PQT_SWEEP_HITS)
        check_hit(&m, &s);
    else {
        require(least_gap_of(&m) >= -4 * MODEL_ERROR, "a hit is missed");
        check_end(&m, &s);
    }
    return s.status;
}

/* ---- Movers ---- */

/* Two movers and their shapes. */
typedef struct sweep_pair {
    pqt_convex of_a, of_b;
    pqt_mover a, b;
    bool first_moves, second_moves;
} sweep_pair;

static void
draw_polygon(dice *d, const sweep_scale *scale, double radius, pqt_convex *made)
{
    const sweep_scale around = {0, scale->size};
    const size_t count = 2 + dice_below(d, PQT_MAX_CONVEX_VERTICES - 1);
    pqt_vec points[PQT_MAX_CONVEX_VERTICES];
    do {
        for (size_t i = 0; i < count; i++)
            points[i] = draw_position(d, &around, 1);
    } while (!pqt_convex_from_points(points, count, radius, made, NULL));
}

static pqt_mover
draw_shape_of(dice *d, const sweep_scale *scale, int shape, bool rests, pqt_convex *convex)
{
    pqt_mover m = draw_mover(d, scale, shape == CIRCLE, !rests);
    if (shape < CONVEX)
        return m;
    const sweep_scale around = {0, scale->size};
    const double radius = fabs(draw_number(d, &around, dice_chance(d, 50) ? 1 : 0.1));
    draw_polygon(d, scale, shape == ROUNDED ? radius : 0, convex);
    return pqt_mover_convex(convex, m.from, m.to);
}

/* Draws the shapes and motions with a number below PAIRS. */
static void
draw_pair(dice *d, const sweep_scale *scale, int number, sweep_pair *p)
{
    const int motion = number % MOTIONS, shape_b = number / MOTIONS % SHAPES;
    p->first_moves = motion != SECOND_MOVES;
    p->second_moves = motion != FIRST_MOVES;
    p->a = draw_shape_of(d, scale, number / MOTIONS / SHAPES, !p->first_moves, &p->of_a);
    p->b = draw_shape_of(d, scale, shape_b, !p->second_moves, &p->of_b);
}

START_TEST(results_agree_with_a_model)
{
    uint64_t seed = test_seed("results_agree_with_a_model");
    size_t seen[5] = {0}, runs = test_scaled_from(700, 70);
    for (size_t i = 0; i < runs; i++) {
        dice d = {seed + i * PAIRS + (size_t)_i};
        const sweep_scale *scale = &sweep_scales[dice_below(&d, SWEEP_SCALES)];
        sweep_pair p;
        draw_pair(&d, scale, _i, &p);
        seen[check_sweep(&p.a, &p.b)]++;
    }
    fprintf(stderr, "# %zu: %zu hit, %zu overlap\n", runs, seen[PQT_SWEEP_HITS],
            seen[PQT_SWEEP_OVERLAPS]);
    ck_assert(seen[PQT_SWEEP_HITS] > runs / 50 && seen[PQT_SWEEP_FREE] > runs / 10);
}
END_TEST

/* ---- Grazes ---- */

/* Replaces the motions, so that the first shape passes a point of the surface of the second one, at
 * an angle with it. */
static void
graze(dice *d, sweep_pair *p, double size, double angle)
{
    sweep_model m;
    sweep_model_set(&m, &p->a, &p->b);
    const double unit = ldexp(1, m.unit), radius = (double)m.radius * unit;
    pqt_vec corner = at((double)m.corners[0].x * unit, (double)m.corners[0].y * unit);
    const double turned = dice_real(d) * 6.28;
    pqt_vec outward = at(cos(turned), sin(turned));
    const size_t i = dice_below(d, m.count);
    if (m.count > 1) {
        const model_side *side = &m.sides[i];
        const long double part = dice_real(d) * (double)side->length;
        corner = at((double)(side->from.x + side->along.x * part) * unit,
                    (double)(side->from.y + side->along.y * part) * unit);
        outward = at((double)side->outward.x, (double)side->outward.y);
    }
    const pqt_vec surface = pqt_vec_add(corner, pqt_vec_scale(outward, radius));
    const double way = dice_chance(d, 50) ? 1 : -1;
    const pqt_vec along = at(-outward.y * way, outward.x * way);
    const pqt_vec motion = pqt_vec_add(pqt_vec_scale(along, size * cos(angle)),
                                       pqt_vec_scale(outward, -size * sin(angle)));
    const pqt_vec from = pqt_vec_subtract(surface, pqt_vec_scale(motion, dice_real(d)));
    const pqt_vec drift = p->second_moves ? pqt_vec_subtract(p->b.to, p->b.from) : at(0, 0);
    p->a.from = pqt_vec_add(p->b.from, from);
    if (!p->first_moves) {
        p->a.to = p->a.from;
        p->b.to = pqt_vec_subtract(p->b.from, motion);
        return;
    }
    p->a.to = pqt_vec_add(pqt_vec_add(p->a.from, motion), drift);
}

/* With a tilt of 1e-12, a motion of length 1 crosses the surface by 1e-12. */
START_TEST(grazes_agree_with_a_model)
{
    static const sweep_scale scales[] = {{0, 1}, {0, 0x1p-500}, {0, 0x1p500}, {40, 1}};
    uint64_t seed = test_seed("grazes_agree_with_a_model");
    size_t hits = 0, runs = test_scaled_from(20, 4);
    for (size_t i = 0; i < runs; i++)
        for (int exponent = 1; exponent <= 12; exponent++) {
            dice d = {seed + (i * PAIRS + (size_t)_i) * 16 + (size_t)exponent};
            const sweep_scale *scale = &scales[dice_below(&d, sizeof scales / sizeof *scales)];
            sweep_pair p;
            draw_pair(&d, scale, _i, &p);
            graze(&d, &p, scale->size * (1 + 4 * dice_real(&d)), pow(10, -exponent));
            hits += check_sweep(&p.a, &p.b) == PQT_SWEEP_HITS;
        }
    fprintf(stderr, "# %zu of %zu hit\n", hits, 12 * runs);
    ck_assert_uint_gt(hits, runs);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("sweep_random");
    TCase *pairs = add_tests(suite, "pairs");
    tcase_add_loop_test(pairs, results_agree_with_a_model, 0, PAIRS);
    tcase_add_loop_test(pairs, grazes_agree_with_a_model, 0, PAIRS);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
