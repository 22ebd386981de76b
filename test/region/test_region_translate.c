/* SPDX-License-Identifier: MIT */
/*
 * test_region_translate.c: tests that results at the origin are also valid far away, up to the
 * limits of coordinates.
 *
 * test_region_model.c compares results at the origin with bitmaps. Here each command runs twice, at
 * the origin and far away on translated regions. The translated first result must equal the second
 * one. The translation is random, and often makes the regions just touch the limit.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include <pqt/memory.h>
#include <pqt/region.h>

#include "random.h"
#include "suite.h"

/* Pixels are within HALF of a position. Commands extend them by up to GROWTH. */
enum {
    HALF = 300,
    GROWTH = 16,
    FARTHEST = PQT_PIXEL_LIMIT - HALF - GROWTH,
    COMMANDS = 4000,
    KEPT = 12
};

/* A region, and its twin, which is translated by `place`. */
typedef struct pair {
    const pqt_region *here, *there;
    pqt_pixel place;
} pair;

typedef struct stage {
    dice d;
    pqt_memory *memory;
    pair pairs[KEPT];
    const char *doing;
} stage;

static void
require(const stage *s, bool right, const char *what)
{
    if (!right)
        ck_abort_msg("%s: %s", s->doing, what);
}

static int32_t
draw_far(dice *d)
{
    static const int32_t ends[] = {-FARTHEST, FARTHEST, -FARTHEST + 1, 0,
                                   1,         64,       1 << 19,       -(1 << 19)};
    if (dice_chance(d, 60))
        return ends[dice_below(d, sizeof ends / sizeof *ends)];
    return (int32_t)dice_below(d, 2 * FARTHEST + 1) - FARTHEST;
}

static const pair *
draw_pair(stage *s)
{
    return &s->pairs[dice_below(&s->d, KEPT)];
}

static int32_t
draw_coordinate(dice *d)
{
    return (int32_t)dice_below(d, 2 * HALF + 1) - HALF;
}

static pqt_pixel_box
draw_box(dice *d)
{
    const int32_t a = draw_coordinate(d), b = draw_coordinate(d);
    const int32_t e = draw_coordinate(d), f = draw_coordinate(d);
    return (pqt_pixel_box){{a < b ? a : b, e < f ? e : f}, {a < b ? b : a, e < f ? f : e}};
}

static pqt_pixel_box
box_there(pqt_pixel_box box, pqt_pixel place)
{
    return (pqt_pixel_box){{box.min.x + place.x, box.min.y + place.y},
                           {box.max.x + place.x, box.max.y + place.y}};
}

/* Draws whole multiples of 1/1024 pixel, which doubles represent exactly at any position. */
static double
draw_units(dice *d, double most)
{
    return floor((dice_real(d) - 0.5) * 2 * most * 1024) / 1024;
}

static pqt_paint
draw_paint(dice *d)
{
    const pqt_paint_op op = (pqt_paint_op)(PQT_PAINT_SET + dice_below(d, 3));
    const double radius = fabs(draw_units(d, dice_chance(d, 50) ? 4 : HALF / 2)),
                 most = HALF - radius;
    const pqt_vec from = {draw_units(d, most), draw_units(d, most)};
    const pqt_vec to = {draw_units(d, most), draw_units(d, most)};
    if (dice_chance(d, 25))
        return pqt_paint_box(op, draw_box(d));
    return pqt_paint_stroke(op, from, dice_chance(d, 40) ? from : to, radius);
}

static pqt_paint
paint_there(pqt_paint paint, pqt_pixel place)
{
    if (paint.shape == PQT_PAINT_BOX) {
        paint.box = box_there(paint.box, place);
        return paint;
    }
    paint.from = (pqt_vec){paint.from.x + place.x, paint.from.y + place.y};
    paint.to = (pqt_vec){paint.to.x + place.x, paint.to.y + place.y};
    return paint;
}

/* ---- Commands ---- */

typedef pair command(stage *s, pqt_error *error);

static pair
start_again(stage *s, pqt_error *error)
{
    const pqt_region *none = pqt_region_make(s->memory, error);
    return (pair){none, none, {draw_far(&s->d), draw_far(&s->d)}};
}

static pair
paint(stage *s, pqt_error *error)
{
    enum { MOST = 6 };
    pqt_paint here[MOST], there[MOST];
    const pair *p = draw_pair(s);
    const size_t count = dice_below(&s->d, MOST);
    for (size_t i = 0; i < count; i++) {
        here[i] = draw_paint(&s->d);
        there[i] = paint_there(here[i], p->place);
    }
    return (pair){pqt_region_paint_all(p->here, here, count, error),
                  pqt_region_paint_all(p->there, there, count, error), p->place};
}

static pair
join(stage *s, pqt_error *error)
{
    const pqt_region *(*const calls[])(const pqt_region *, const pqt_region *, pqt_pixel,
                                       pqt_error *) = {pqt_region_union, pqt_region_intersection,
                                                       pqt_region_difference, pqt_region_xor};
    const pair *a = draw_pair(s), *b = draw_pair(s);
    const size_t call = dice_below(&s->d, 4);
    const pqt_pixel_box box = pqt_region_bounds(b->here);
    pqt_pixel by = {draw_coordinate(&s->d), draw_coordinate(&s->d)};
    if (box.min.x + by.x < -HALF || box.min.y + by.y < -HALF || box.max.x + by.x > HALF ||
        box.max.y + by.y > HALF)
        by = (pqt_pixel){0, 0};
    const pqt_pixel far = {a->place.x - b->place.x + by.x, a->place.y - b->place.y + by.y};
    return (pair){calls[call](a->here, b->here, by, error),
                  calls[call](a->there, b->there, far, error), a->place};
}

static pair
crop(stage *s, pqt_error *error)
{
    const pair *p = draw_pair(s);
    const pqt_pixel_box box = draw_box(&s->d), there = box_there(box, p->place);
    if (dice_chance(&s->d, 50))
        return (pair){pqt_region_crop(p->here, box, error), pqt_region_crop(p->there, there, error),
                      p->place};
    return (pair){pqt_region_complement(p->here, box, error),
                  pqt_region_complement(p->there, there, error), p->place};
}

static pair
reshape(stage *s, pqt_error *error)
{
    const pair *p = draw_pair(s);
    const int32_t steps = (int32_t)dice_below(&s->d, GROWTH);
    const pqt_connectivity n = dice_chance(&s->d, 50) ? PQT_CONNECTIVITY_4 : PQT_CONNECTIVITY_8;
    const pqt_pixel_box small = {{-HALF + steps, -HALF + steps}, {HALF - steps, HALF - steps}};
    switch (dice_below(&s->d, 3)) {
    case 0:
        return (pair){pqt_region_erode(p->here, steps, n, error),
                      pqt_region_erode(p->there, steps, n, error), p->place};
    case 1:
        return (pair){pqt_region_outline(p->here, n, error), pqt_region_outline(p->there, n, error),
                      p->place};
    default:
        return (pair){
            pqt_region_dilate(pqt_region_crop(p->here, small, error), steps, n, error),
            pqt_region_dilate(pqt_region_crop(p->there, box_there(small, p->place), error), steps,
                              n, error),
            p->place};
    }
}

static pair
component(stage *s, pqt_error *error)
{
    const pair *p = draw_pair(s);
    const pqt_pixel at = {draw_coordinate(&s->d), draw_coordinate(&s->d)};
    const pqt_pixel far = {at.x + p->place.x, at.y + p->place.y};
    return (pair){pqt_region_component(p->here, at, PQT_CONNECTIVITY_4, error),
                  pqt_region_component(p->there, far, PQT_CONNECTIVITY_4, error), p->place};
}

/* Rotates about the origin, which rotates the place as well. */
static pair
turn(stage *s, pqt_error *error)
{
    const pair *p = draw_pair(s);
    const pqt_pixel at = p->place;
    if (dice_chance(&s->d, 50))
        return (pair){pqt_region_transform(p->here, PQT_ROTATE_90, error),
                      pqt_region_transform(p->there, PQT_ROTATE_90, error),
                      {-at.y, at.x}};
    return (pair){pqt_region_transform(p->here, PQT_FLIP_ANTIDIAGONAL, error),
                  pqt_region_transform(p->there, PQT_FLIP_ANTIDIAGONAL, error),
                  {-at.y, -at.x}};
}

static pair
move(stage *s, pqt_error *error)
{
    const pair *p = draw_pair(s);
    const pqt_pixel to = {draw_far(&s->d), draw_far(&s->d)};
    const pqt_pixel by = {to.x - p->place.x, to.y - p->place.y};
    return (pair){p->here, pqt_region_move(p->there, by, error), to};
}

/* ---- Queries ---- */

/* A hash of runs relative to a place. It depends on each run and on their order. */
typedef struct run_sum {
    pqt_pixel place;
    uint64_t sum;
} run_sum;

static bool
add_run(const pqt_pixel_run *run, void *context)
{
    run_sum *all = context;
    const int32_t numbers[3] = {run->y - all->place.y, run->min_x - all->place.x,
                                run->max_x - all->place.x};
    for (int i = 0; i < 3; i++)
        all->sum = (all->sum ^ (uint32_t)numbers[i]) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    return true;
}

static uint64_t
sum_runs(const pqt_region *region, pqt_pixel_box window, pqt_pixel place)
{
    run_sum all = {place, 0};
    pqt_region_visit_runs(region, window, add_run, &all);
    return all.sum;
}

static bool
is_moved(pqt_pixel_box here, pqt_pixel_box there, pqt_pixel place)
{
    const pqt_pixel_box must = box_there(here, place);
    return memcmp(&must, &there, sizeof must) == 0;
}

static void
compare(const stage *s, const pair *p, dice *d)
{
    pqt_error error = {0};
    const pqt_pixel_box window = draw_box(d), far = box_there(window, p->place);
    const pqt_region *back =
        pqt_region_move(p->there, (pqt_pixel){-p->place.x, -p->place.y}, &error);
    require(s, back != NULL, error.text);
    require(s, pqt_region_check(p->there, &error), error.text);
    require(s, pqt_region_equals(back, p->here), "other pixels");
    require(s, sum_runs(p->there, far, p->place) == sum_runs(p->here, window, (pqt_pixel){0, 0}),
            "other runs");
    require(s, pqt_region_count_in(p->there, far) == pqt_region_count_in(p->here, window),
            "count_in");
    require(s, pqt_region_any_in(p->there, far) == pqt_region_any_in(p->here, window), "any_in");
    if (pqt_region_count(p->here) > 0)
        require(s, is_moved(pqt_region_bounds(p->here), pqt_region_bounds(p->there), p->place),
                "bounds");
}

static const struct {
    const char *name;
    command *run;
} plays[] = {{"paint", paint},         {"paint", paint}, {"paint", paint}, {"join", join},
             {"join", join},           {"join", join},   {"crop", crop},   {"reshape", reshape},
             {"component", component}, {"turn", turn},   {"move", move},   {"start", start_again}};

START_TEST(results_far_from_the_origin_equal_those_at_the_origin)
{
    pqt_error error = {0};
    pqt_memory *arena = pqt_arena_make(0, &error);
    stage s = {.d = {test_seed("results_far_from_the_origin_equal_those_at_the_origin")},
               .memory = arena};
    for (int i = 0; i < KEPT; i++)
        s.pairs[i] = start_again(&s, &error);
    for (size_t i = 0; i < test_scaled(COMMANDS); i++) {
        const size_t play = dice_below(&s.d, sizeof plays / sizeof *plays);
        s.doing = plays[play].name;
        const pair next = plays[play].run(&s, &error);
        require(&s, next.here != NULL && next.there != NULL, error.text);
        compare(&s, &next, &s.d);
        s.pairs[dice_below(&s.d, KEPT)] = next;
    }
    s.doing = "end";
    for (int i = 0; i < KEPT; i++)
        compare(&s, &s.pairs[i], &s.d);
    pqt_arena_destroy(&arena);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region_far");
    TCase *tcase = tcase_create("far");
    tcase_add_test(tcase, results_far_from_the_origin_equal_those_at_the_origin);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
