/* SPDX-License-Identifier: MIT */
/*
 * test_sweep_random.c: tests random sweeps of one mover against another, at scales from 1e-300 to
 * 1e300.
 *
 * With PQT_TEST_SCALE=10, there are a million of them.
 */
#include "config.h"

#include <pqt/circle.h>
#include <pqt/segment.h>

#include "suite.h"
#include "sweep_support.h"

/* Returns the largest coordinate of a mover. Rounding errors are proportional to it. */
static double
size_of(const pqt_mover *m)
{
    double size = fmax(fmax(fabs(m->from.x), fabs(m->from.y)), fmax(fabs(m->to.x), fabs(m->to.y)));
    size = fmax(size, m->radius);
    size = fmax(size, fmax(fabs(m->box.min.x), fabs(m->box.min.y)));
    return fmax(size, fmax(fabs(m->box.max.x), fabs(m->box.max.y)));
}

static double
depth_of(const pqt_mover *a, pqt_vec position_a, const pqt_mover *b, pqt_vec position_b)
{
    pqt_circle circle_a = {position_a, a->radius}, circle_b = {position_b, b->radius};
    if (a->kind == PQT_MOVER_CIRCLE && b->kind == PQT_MOVER_CIRCLE)
        return pqt_contact_circles(circle_a, circle_b).depth;
    if (a->kind == PQT_MOVER_CIRCLE)
        return pqt_contact_circle_box(circle_a, pqt_mover_box_at(*b, position_b)).depth;
    if (b->kind == PQT_MOVER_CIRCLE)
        return pqt_contact_circle_box(circle_b, pqt_mover_box_at(*a, position_a)).depth;
    return pqt_contact_boxes(pqt_mover_box_at(*a, position_a), pqt_mover_box_at(*b, position_b))
        .depth;
}

/* Returns a length. It scales before squaring; otherwise squares overflow or underflow if long
   double has the exponent range of double, as it has under valgrind. */
static long double
length_of(long double x, long double y)
{
    long double most = fmaxl(fabsl(x), fabsl(y));
    return most == 0 ? 0 : most * sqrtl(x / most * (x / most) + y / most * (y / most));
}

/* Returns the gap between two boxes, or between a box and a circle (a point box and a radius). */
static long double
gap_of_boxes(pqt_box a, pqt_vec position_a, pqt_box b, pqt_vec position_b, long double radius)
{
    long double x = (long double)position_a.x - position_b.x,
                y = (long double)position_a.y - position_b.y;
    long double gap_x = fmaxl(b.min.x - (x + a.max.x), x + a.min.x - b.max.x);
    long double gap_y = fmaxl(b.min.y - (y + a.max.y), y + a.min.y - b.max.y);
    bool at_corner = radius > 0 && gap_x > 0 && gap_y > 0;
    return (at_corner ? length_of(gap_x, gap_y) : fmaxl(gap_x, gap_y)) - radius;
}

/* Returns the gap between two movers at given positions, computed without the library and without
   rounding the shapes. */
static long double
gap_between(const pqt_mover *a, pqt_vec position_a, const pqt_mover *b, pqt_vec position_b)
{
    const pqt_box point = {{0, 0}, {0, 0}};
    bool circle_a = a->kind == PQT_MOVER_CIRCLE, circle_b = b->kind == PQT_MOVER_CIRCLE;
    if (circle_a && circle_b)
        return length_of((long double)position_a.x - position_b.x,
                         (long double)position_a.y - position_b.y) -
               ((long double)a->radius + b->radius);
    return gap_of_boxes(circle_a ? point : a->box, position_a, circle_b ? point : b->box,
                        position_b,
                        circle_a   ? a->radius
                        : circle_b ? b->radius
                                   : 0);
}

static pqt_vec
position_at(const pqt_mover *m, double time)
{
    return pqt_segment_at((pqt_segment){m->from, m->to}, time);
}

/* Checks a stop. Positions on the path are rounded, so the movers may overlap by rounding
 * errors. */
static void
require_free_before(const pqt_mover *a, const pqt_mover *b, double time)
{
    enum { SAMPLES = 8 };
    double tolerance = fmax(size_of(a), size_of(b)) * 0x1p-46;
    for (int i = 0; i < SAMPLES; i++) {
        double t = time * i / SAMPLES;
        require(depth_of(a, position_at(a, t), b, position_at(b, t)) <= tolerance,
                "free on the way");
    }
}

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
both_move(const pqt_mover *a, const pqt_mover *b)
{
    return (a->from.x != a->to.x || a->from.y != a->to.y) &&
           (b->from.x != b->to.x || b->from.y != b->to.y);
}

/* Returns true if, on the axis that is not blocked, the boxes of two movers at a stop overlap, or
 * miss each other only by rounding errors. If both move, the position of each is rounded. */
static bool
faces_by_roundings(const pqt_mover *a, const pqt_mover *b, const pqt_sweep *s)
{
    pqt_box p = pqt_mover_box_at(*a, s->stop), q = pqt_mover_box_at(*b, s->stop_b);
    double x = fmin(p.max.x - q.min.x, q.max.x - p.min.x);
    double y = fmin(p.max.y - q.min.y, q.max.y - p.min.y);
    double tolerance = fmax(size_of(a), size_of(b)) * 0x1p-46;
    return fabs(s->blocked == PQT_BLOCKED_X ? y : x) <= tolerance || s->blocked == 3;
}

static void
require_stays(pqt_mover a, pqt_mover b, const pqt_sweep *s, pqt_vec to_a, pqt_vec to_b)
{
    a.from = s->stop;
    b.from = s->stop_b;
    a.to = to_a;
    b.to = to_b;
    pqt_sweep again = pqt_sweep_pair(a, b, NULL);
    if (again.status == PQT_SWEEP_NONE) /* the end exceeds the largest double */
        return;
    if (both_move(&a, &b) && again.status != PQT_SWEEP_HITS) {
        require(faces_by_roundings(&a, &b, s), "the mover passes only what it grazes");
        return;
    }
    require(again.status == PQT_SWEEP_HITS && again.time == 0, "it hits at the start");
    require(memcmp(&again.stop, &s->stop, sizeof again.stop) == 0, "the stop does not move");
    require(memcmp(&again.stop_b, &s->stop_b, sizeof again.stop_b) == 0,
            "the stop of the other does not move");
}

static pqt_vec
further(pqt_vec stop, const pqt_mover *m)
{
    return pqt_vec_add(stop, pqt_vec_subtract(m->to, m->from));
}

static void
check_hit(const pqt_mover *a, const pqt_mover *b, const pqt_sweep *s)
{
    require(s->time >= 0 && s->time <= 1, "the time");
    require(fabs(pqt_vec_length(s->normal) - 1) < 1e-14, "the normal's length");
    require(s->blocked >= 1 && s->blocked <= 3, "an axis is blocked");
    require_on_the_way(a, s->stop);
    require_on_the_way(b, s->stop_b);
    require(!pqt_mover_overlaps(*a, s->stop, *b, s->stop_b), "the stop is free");
    require_free_before(a, b, s->time);
    double tolerance = fmax(size_of(a), size_of(b)) * 0x1p-44;
    require(gap_between(a, s->stop, b, s->stop_b) <= tolerance,
            "the item that was hit is at the stop");
    require(gap_between(a, position_at(a, s->time), b, position_at(b, s->time)) <= tolerance,
            "and then");
    if (a->from.x == a->to.x && a->from.y == a->to.y && b->from.x == b->to.x &&
        b->from.y == b->to.y)
        require(false, "a sweep without motion hits");
    require_stays(*a, *b, s, further(s->stop, a), further(s->stop_b, b));
}

static void
check_overlap(const pqt_mover *a, const pqt_mover *b, const pqt_sweep *s)
{
    double tolerance = fmax(size_of(a), size_of(b)) * 0x1p-44;
    require(!pqt_mover_overlaps(*a, s->free_position, *b, b->from),
            "the position after the exit is free");
    require(s->exit >= 0, "the exit");
    if (s->exit <= 1) {
        double t = s->exit;
        require(depth_of(a, position_at(a, t), b, position_at(b, t)) <= tolerance,
                "free at the exit");
        require(depth_of(a, position_at(a, t / 2), b, position_at(b, t / 2)) >= -tolerance,
                "depth");
    }
}

static void
check_sweep(const pqt_mover *a, const pqt_mover *b)
{
    pqt_sweep s = pqt_sweep_pair(*a, *b, NULL);
    bool overlaps = pqt_mover_overlaps(*a, a->from, *b, b->from);
    require(s.status != PQT_SWEEP_NONE, "both are valid");
    require((s.status == PQT_SWEEP_OVERLAPS) == overlaps,
            "the overlap at the start agrees with the predicate");
    if (overlaps) {
        check_overlap(a, b, &s);
        return;
    }
    if (a->kind == PQT_MOVER_BOX && b->kind == PQT_MOVER_BOX && b->from.x == b->to.x &&
        b->from.y == b->to.y)
        require((s.status == PQT_SWEEP_HITS) == exactly_hits(a, pqt_mover_box_at(*b, b->from)),
                "hits as computed in integers");
    if (s.status == PQT_SWEEP_HITS) {
        check_hit(a, b, &s);
        return;
    }
    require(!pqt_mover_overlaps(*a, a->to, *b, b->to), "the end is free");
    require(memcmp(&s.stop, &a->to, sizeof s.stop) == 0, "the end is reached");
    require_free_before(a, b, 1);
}

/* The combinations of the kinds of two movers, and of flags for which of them move. */
static const struct {
    bool circle_a, circle_b, moves_a, moves_b;
} combinations[] = {
    {false, false, true, false}, {false, false, false, true}, {false, false, true, true},
    {true, true, true, false},   {true, true, true, true},    {true, false, true, false},
    {true, false, false, true},  {true, false, true, true},   {false, true, true, false},
    {false, true, true, true},
};

START_TEST(stops_are_free_and_stable)
{
    uint64_t seed = test_seed("stops_are_free_and_stable");
    size_t hits = 0, runs = test_scaled(10000);
    for (size_t i = 0; i < runs; i++) {
        dice d = {seed + i * 16 + (size_t)_i};
        const sweep_scale *scale = &sweep_scales[dice_below(&d, SWEEP_SCALES)];
        pqt_mover a = draw_mover(&d, scale, combinations[_i].circle_a, combinations[_i].moves_a);
        pqt_mover b = draw_mover(&d, scale, combinations[_i].circle_b, combinations[_i].moves_b);
        check_sweep(&a, &b);
        hits += pqt_sweep_pair(a, b, NULL).status == PQT_SWEEP_HITS;
    }
    fprintf(stderr, "# %zu of %zu hit\n", hits, runs);
    ck_assert(runs < 1000 || hits > runs / 20);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("sweep_random");
    TCase *pairs = add_tests(suite, "pairs");
    tcase_add_loop_test(pairs, stops_are_free_and_stable, 0,
                        (int)(sizeof combinations / sizeof *combinations));
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
