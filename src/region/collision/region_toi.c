/* SPDX-License-Identifier: MIT */
/*
 * region_toi.c: computes the exact times at which a moving shape enters and leaves another one.
 *
 * The search is depth-first and descends first into the pair of nodes whose overlap begins first.
 * It skips a pair that overlaps no earlier than the best one so far, so it visits little more than
 * the path to the answer.
 */
#include "config.h"

#include "region/collision/region_toi.h"

#include <math.h>
#include <stddef.h>

#include <pqt/region_sweep.h>

#include "base/error_internal.h"
#include "base/option_structs.h"
#include "region/collision/tile_dda.h"

static int64_t
abs_subpixels(int64_t movement)
{
    return movement < 0 ? -movement : movement;
}

pqti_region_motion
pqti_region_motion_make(const pqti_shape_view *mover, const pqti_shape_view *other,
                        pqti_fixpos from, pqti_fixpos motion, pqt_query_stats *stats)
{
    const int64_t unit_x = motion.y != 0 ? abs_subpixels(motion.y) : 1;
    const int64_t unit_y = motion.x != 0 ? abs_subpixels(motion.x) : 1;
    PQT_INVARIANT(unit_x <= INT64_C(1) << 31 && unit_y <= INT64_C(1) << 31, "a time exceeds 2^62");
    return (pqti_region_motion){.mover = mover,
                                .other = other,
                                .from = from,
                                .motion = motion,
                                .unit_x = unit_x,
                                .unit_y = unit_y,
                                .end = unit_x * unit_y,
                                .stats = stats};
}

/* ---- Intervals of time ---- */

/* The open interval of times between in and out. It is empty if in >= out. */
typedef struct span {
    int64_t in, out;
} span;

static inline span
span_of_axis(int64_t from, int64_t along, int64_t unit, int64_t min, int64_t max)
{
    if (along > 0)
        return (span){(min - from) * unit, (max - from) * unit};
    if (along < 0)
        return (span){(from - max) * unit, (from - min) * unit};
    return min < from && from < max ? (span){INT64_MIN, INT64_MAX} : (span){0, 0};
}

/* Returns the interval of time in which two nodes overlap. */
static inline span
overlap_time_span(const pqti_region_motion *motion, const pqti_overlap_range *overlap_range)
{
    const span x = span_of_axis(motion->from.x, motion->motion.x, motion->unit_x,
                                overlap_range->min.x, overlap_range->max.x);
    const span y = span_of_axis(motion->from.y, motion->motion.y, motion->unit_y,
                                overlap_range->min.y, overlap_range->max.y);
    return (span){x.in > y.in ? x.in : y.in, x.out < y.out ? x.out : y.out};
}

/* ---- Entry ---- */

typedef struct approach {
    const pqti_region_motion *motion;
    int64_t since, best;
} approach;

/* Returns true if two nodes overlap after `since` and begin to overlap before `best`. Sets `*in` to
 * the time at which the overlap begins. */
static inline bool
may_overlap_in_time(const approach *a, const pqti_region_cursor *other,
                    const pqti_region_cursor *mover, int64_t *in)
{
    const pqti_overlap_range overlap_range = pqti_overlap_range_of(other, mover);
    const span s = overlap_time_span(a->motion, &overlap_range);
    *in = s.in;
    return s.in < s.out && s.out > a->since && s.in < a->best;
}

static void
keep_earlier_time(approach *a, int64_t in)
{
    a->best = in;
    if (a->motion->stats != NULL)
        a->motion->stats->boxes++;
}

/* Inserts the index `count` into order[], which holds indices of in[], after those whose times are
 * no later. */
static inline void
insert_by_time(int order[], const int64_t in[], int count)
{
    int k = count;
    for (; k > 0 && in[order[k - 1]] > in[count]; k--)
        order[k] = order[k - 1];
    order[k] = count;
}

static bool
is_tile_of_pixels(const pqti_shape_view *shape, const pqti_region_cursor *cursor)
{
    return cursor->coverage == PQTI_CURSOR_MIXED && cursor->level == PQTI_TILE_LEVEL &&
           shape->cell_level == 0;
}

static bool
are_whole_tiles(const pqti_region_motion *motion, const pqti_region_cursor *other,
                const pqti_region_cursor *mover)
{
    return is_tile_of_pixels(motion->other, other) && is_tile_of_pixels(motion->mover, mover);
}

static void
test_tiles(approach *a, const pqti_region_cursor *other, const pqti_region_cursor *mover,
           int64_t in)
{
    const int64_t time = pqti_tiles_first(a->motion, other, mover, in, a->since, a->best);
    pqti_stats_add_division(a->motion->stats, other);
    if (time < a->best)
        keep_earlier_time(a, time);
}

static void test_cell_pair(approach *a, const pqti_region_cursor *other,
                           const pqti_region_cursor *mover, int64_t in);

/* Divides one of two nodes and tests its quadrants against the other node, in the order of time. */
static void
test_quadrants(approach *a, const pqti_region_cursor *other, const pqti_region_cursor *mover)
{
    pqti_region_cursor child[4];
    int64_t times[4];
    int order[4], count = 0;
    const bool divides_other = pqti_divides_first(other, mover);
    pqti_stats_add_division(a->motion->stats, divides_other ? other : mover);
    for (int i = 0; i < 4; i++) {
        pqti_region_cursor *quadrant = &child[count];
        *quadrant = pqti_region_cursor_quadrant(divides_other ? other : mover, i);
        if (!may_overlap_in_time(a, divides_other ? quadrant : other,
                                 divides_other ? mover : quadrant, &times[count]) ||
            !pqti_region_cursor_fill(divides_other ? a->motion->other : a->motion->mover, quadrant,
                                     i))
            continue;
        insert_by_time(order, times, count);
        count++;
    }
    for (int i = 0; i < count && times[order[i]] < a->best; i++)
        test_cell_pair(a, divides_other ? &child[order[i]] : other,
                       divides_other ? mover : &child[order[i]], times[order[i]]);
}

/* Tests two nodes whose boxes begin to overlap at `in`, which is before the best time so far. */
static void
test_cell_pair(approach *a, const pqti_region_cursor *other, const pqti_region_cursor *mover,
               int64_t in)
{
    if (other->coverage == PQTI_CURSOR_FULL && mover->coverage == PQTI_CURSOR_FULL)
        keep_earlier_time(a, in);
    else if (are_whole_tiles(a->motion, other, mover))
        test_tiles(a, other, mover, in);
    else
        test_quadrants(a, other, mover);
}

int64_t
pqti_region_motion_first(const pqti_region_motion *motion, int64_t since)
{
    approach a = {motion, since, motion->end + 1};
    pqti_region_cursor others[4], movers[4];
    int64_t times[16];
    int order[16], from[16], count = 0;
    const int count_others = pqti_shape_view_roots(motion->other, others);
    const int count_movers = pqti_shape_view_roots(motion->mover, movers);
    for (int i = 0; i < count_others * count_movers; i++) {
        if (!may_overlap_in_time(&a, &others[i / count_movers], &movers[i % count_movers],
                                 &times[count]))
            continue;
        from[count] = i;
        insert_by_time(order, times, count);
        count++;
    }
    for (int i = 0; i < count && times[order[i]] < a.best; i++) {
        const int k = from[order[i]];
        test_cell_pair(&a, &others[k / count_movers], &movers[k % count_movers], times[order[i]]);
    }
    return a.best <= motion->end ? a.best : PQTI_TIME_NEVER;
}

/* ---- Positions ---- */

static int64_t
half_pos_on_axis(int64_t from, int64_t along, int64_t unit, int64_t time)
{
    const int64_t half_subpixels = 2 * (time / unit) + (time % unit != 0);
    return 2 * from + (along > 0 ? half_subpixels : along < 0 ? -half_subpixels : 0);
}

pqti_half_pos
pqti_region_motion_half_pos(const pqti_region_motion *motion, int64_t time)
{
    return (pqti_half_pos){
        half_pos_on_axis(motion->from.x, motion->motion.x, motion->unit_x, time),
        half_pos_on_axis(motion->from.y, motion->motion.y, motion->unit_y, time)};
}

static int64_t
stop_of_axis(int64_t from, int64_t along, int64_t unit, int64_t time)
{
    return from + (along > 0 ? time / unit : along < 0 ? -(time / unit) : 0);
}

pqti_fixpos
pqti_region_motion_stop(const pqti_region_motion *motion, int64_t time)
{
    return (pqti_fixpos){stop_of_axis(motion->from.x, motion->motion.x, motion->unit_x, time),
                         stop_of_axis(motion->from.y, motion->motion.y, motion->unit_y, time)};
}

/* ---- Exit ---- */

/* The lines of the lattice that the first walk and the longest walk cross. */
enum { FIRST_LINES = 128, MOST_LINES = 1 << 20 };

/* Returns the quadrant of the other shape that the mover leaves last. */
static int
last_quadrant_passed(const pqti_region_motion *motion)
{
    return (motion->motion.x > 0) + 2 * (motion->motion.y > 0);
}

/* Sets `part` to the pixels of the mover around one of its nodes. Returns false if a shape is no
 * region of pixels. */
static bool
read_part(const pqti_region_motion *motion, const pqti_region_cursor *of_mover,
          pqti_small_region *part)
{
    const pqt_pixel pixel = {(int32_t)pqti_floor_divide(of_mover->min.x, PQT_SUBPIXELS),
                             (int32_t)pqti_floor_divide(of_mover->min.y, PQT_SUBPIXELS)};
    return motion->mover->region != NULL && motion->mover->cell_level == 0 &&
           motion->other->cell_level == 0 &&
           pqti_small_region_around(part, motion->mover->region, pixel);
}

/* Advances to the end of the overlap of one pair of nodes, and walks from there until no pair
 * overlaps. If the mover is not small, a part of it walks, and the mover may overlap when that part
 * no longer does. Walks become longer while they lead farther than the pairs. */
int64_t
pqti_region_motion_exit(const pqti_region_motion *motion, const pqti_small_region *small)
{
    pqti_region_cursor hit[2];
    pqti_small_region part;
    int64_t time = 0;
    int lines = FIRST_LINES;
    if (motion->motion.x == 0 && motion->motion.y == 0)
        return PQTI_TIME_NEVER;
    while (pqti_shape_views_overlap(motion->other, motion->mover,
                                    pqti_region_motion_half_pos(motion, time),
                                    last_quadrant_passed(motion), hit)) {
        const pqti_overlap_range overlap_range = pqti_overlap_range_of(&hit[0], &hit[1]);
        const span s = overlap_time_span(motion, &overlap_range);
        const int64_t jump = s.out - time;
        PQT_INVARIANT(jump > 0, "the overlap of a pair has ended before");
        time = s.out;
        if (small == NULL && !read_part(motion, &hit[1], &part))
            continue;
        if (pqti_exit_walk(motion, small != NULL ? small : &part,
                           pqti_region_motion_half_pos(motion, time), lines, &time) &&
            small != NULL)
            return time;
        lines = time - s.out > jump && lines < MOST_LINES ? 2 * lines : FIRST_LINES;
    }
    return time;
}

PQTI_DEFINE_OPTIONS(pqti_region_sweep_options, pqt_region_sweep_options, stats,
                    PQT_REGION_SWEEP_DEFAULTS);

const pqt_region_sweep_options *
pqti_region_options(const char *function, const pqt_region_sweep_options *options,
                    pqt_region_sweep_options *converted)
{
    options = pqti_options_require(function, &pqti_region_sweep_options_layout, options, converted);
    PQT_ASSERT_IN(function, pqt_cells_are_valid(options->cells),
                  "the sides of the cells must be powers of two, and their kind a pqt_coarse_kind");
    return options;
}
