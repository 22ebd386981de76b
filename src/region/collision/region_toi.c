/* SPDX-License-Identifier: MIT */
/*
 * region_toi.c - when a figure on its way comes into another, and when it is out of it.
 *
 * Depth first, the pair that is met first before the others. A pair that is met no sooner than the
 * best so far is passed over, so little more than the way down to the answer is walked.
 */
#include "config.h"

#include "region/collision/region_toi.h"

#include <math.h>
#include <stddef.h>

#include <pqt/region_sweep.h>

#include "base/error_internal.h"
#include "region/collision/tile_dda.h"

static int64_t
size_of(int64_t movement)
{
    return movement < 0 ? -movement : movement;
}

pqti_way
pqti_way_make(const pqti_figure *mover, const pqti_figure *other, pqti_fixpos from,
              pqti_fixpos along, pqt_tally *tally)
{
    const int64_t unit_x = along.y != 0 ? size_of(along.y) : 1;
    const int64_t unit_y = along.x != 0 ? size_of(along.x) : 1;
    return (pqti_way){.mover = mover,
                      .other = other,
                      .from = from,
                      .along = along,
                      .unit_x = unit_x,
                      .unit_y = unit_y,
                      .end = unit_x * unit_y,
                      .tally = tally};
}

/* ---- spans of time ---- */

/* Strictly between in and out; none if in >= out. */
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

/* When two parts overlap. */
static inline span
span_of(const pqti_way *way, const pqti_reach *reach)
{
    const span x = span_of_axis(way->from.x, way->along.x, way->unit_x, reach->min.x, reach->max.x);
    const span y = span_of_axis(way->from.y, way->along.y, way->unit_y, reach->min.y, reach->max.y);
    return (span){x.in > y.in ? x.in : y.in, x.out < y.out ? x.out : y.out};
}

/* ---- coming in ---- */

typedef struct approach {
    const pqti_way *way;
    int64_t since, best;
} approach;

/* False if two parts meet too late, are over, or never meet; `in` is set to when they do. */
static inline bool
may_meet(const approach *a, const pqti_shape_cell *other, const pqti_shape_cell *mover, int64_t *in)
{
    const pqti_reach reach = pqti_overlap_range_of(other, mover);
    const span s = span_of(a->way, &reach);
    *in = s.in;
    return s.in < s.out && s.out > a->since && s.in < a->best;
}

static void
take(approach *a, int64_t in)
{
    a->best = in;
    if (a->way->tally != NULL)
        a->way->tally->boxes++;
}

/* Puts one more behind those that come no later; order[] are numbers of in[]. */
static inline void
insert_by_time(int order[], const int64_t in[], int count)
{
    int k = count;
    for (; k > 0 && in[order[k - 1]] > in[count]; k--)
        order[k] = order[k - 1];
    order[k] = count;
}

static bool
is_tile_of_pixels(const pqti_figure *figure, const pqti_shape_cell *part)
{
    return part->filling == PQTI_PART_MIXED && part->level == PQTI_TILE_LEVEL &&
           figure->cell_level == 0;
}

static bool
are_tiles(const pqti_way *way, const pqti_shape_cell *other, const pqti_shape_cell *mover)
{
    return is_tile_of_pixels(way->other, other) && is_tile_of_pixels(way->mover, mover);
}

static void
look_into_tiles(approach *a, const pqti_shape_cell *other, const pqti_shape_cell *mover, int64_t in)
{
    const int64_t time = pqti_tiles_first(a->way, other, mover, in, a->since, a->best);
    pqti_tally_division(a->way->tally, other);
    if (time < a->best)
        take(a, time);
}

static void look_into(approach *a, const pqti_shape_cell *other, const pqti_shape_cell *mover,
                      int64_t in);

/* Divides one of two parts, and looks into its quarters as they meet the other, the first first. */
static void
look_into_quarters(approach *a, const pqti_shape_cell *other, const pqti_shape_cell *mover)
{
    pqti_shape_cell child[4];
    int64_t times[4];
    int order[4], count = 0;
    const bool divides_other = pqti_divides_first(other, mover);
    pqti_tally_division(a->way->tally, divides_other ? other : mover);
    for (int i = 0; i < 4; i++) {
        pqti_shape_cell *quarter = &child[count];
        *quarter = pqti_part_quarter(divides_other ? other : mover, i);
        if (!may_meet(a, divides_other ? quarter : other, divides_other ? mover : quarter,
                      &times[count]) ||
            !pqti_part_fill(divides_other ? a->way->other : a->way->mover, quarter, i))
            continue;
        insert_by_time(order, times, count);
        count++;
    }
    for (int i = 0; i < count && times[order[i]] < a->best; i++)
        look_into(a, divides_other ? &child[order[i]] : other,
                  divides_other ? mover : &child[order[i]], times[order[i]]);
}

/* Two parts that meet at `in`, before the best so far. */
static void
look_into(approach *a, const pqti_shape_cell *other, const pqti_shape_cell *mover, int64_t in)
{
    if (other->filling == PQTI_PART_FULL && mover->filling == PQTI_PART_FULL)
        take(a, in);
    else if (are_tiles(a->way, other, mover))
        look_into_tiles(a, other, mover, in);
    else
        look_into_quarters(a, other, mover);
}

int64_t
pqti_way_first(const pqti_way *way, int64_t since)
{
    approach a = {way, since, way->end + 1};
    pqti_shape_cell others[4], movers[4];
    int64_t times[16];
    int order[16], from[16], count = 0;
    const int count_others = pqti_figure_parts(way->other, others);
    const int count_movers = pqti_figure_parts(way->mover, movers);
    for (int i = 0; i < count_others * count_movers; i++) {
        if (!may_meet(&a, &others[i / count_movers], &movers[i % count_movers], &times[count]))
            continue;
        from[count] = i;
        insert_by_time(order, times, count);
        count++;
    }
    for (int i = 0; i < count && times[order[i]] < a.best; i++) {
        const int k = from[order[i]];
        look_into(&a, &others[k / count_movers], &movers[k % count_movers], times[order[i]]);
    }
    return a.best <= way->end ? a.best : PQTI_NO_TIME;
}

/* ---- places ---- */

static int64_t
spot_of_axis(int64_t from, int64_t along, int64_t unit, int64_t time)
{
    const int64_t half_steps = 2 * (time / unit) + (time % unit != 0);
    return 2 * from + (along > 0 ? half_steps : along < 0 ? -half_steps : 0);
}

pqti_spot
pqti_way_spot(const pqti_way *way, int64_t time)
{
    return (pqti_spot){spot_of_axis(way->from.x, way->along.x, way->unit_x, time),
                       spot_of_axis(way->from.y, way->along.y, way->unit_y, time)};
}

static int64_t
stop_of_axis(int64_t from, int64_t along, int64_t unit, int64_t time)
{
    return from + (along > 0 ? time / unit : along < 0 ? -(time / unit) : 0);
}

pqti_fixpos
pqti_way_stop(const pqti_way *way, int64_t time)
{
    return (pqti_fixpos){stop_of_axis(way->from.x, way->along.x, way->unit_x, time),
                         stop_of_axis(way->from.y, way->along.y, way->unit_y, time)};
}

/* ---- coming out ---- */

/* The quarter of the other that the mover passes last. */
static int
last_quarter(const pqti_way *way)
{
    return (way->along.x > 0) + 2 * (way->along.y > 0);
}

/* From one pair that overlaps to the end of its time, until there is none. */
int64_t
pqti_way_exit(const pqti_way *way)
{
    pqti_shape_cell met[2];
    int64_t time = 0;
    if (way->along.x == 0 && way->along.y == 0)
        return PQTI_NO_TIME;
    while (pqti_figures_overlap(way->other, way->mover, pqti_way_spot(way, time), last_quarter(way),
                                met)) {
        const pqti_reach reach = pqti_overlap_range_of(&met[0], &met[1]);
        const span s = span_of(way, &reach);
        PQT_INVARIANT(s.out > time, "a pair that overlaps ends later");
        time = s.out;
    }
    return time;
}

const pqt_region_sweep_options *
pqti_region_options(const char *function, const pqt_region_sweep_options *options)
{
    static const pqt_region_sweep_options defaults = PQT_REGION_SWEEP_DEFAULTS;
    if (options == NULL)
        return &defaults;
    PQT_ASSERT_IN(function, options->size == sizeof *options,
                  "options must start from PQT_REGION_SWEEP_DEFAULTS");
    PQT_ASSERT_IN(function, pqt_cells_are_valid(options->cells),
                  "the sides of cells must be powers of two");
    return options;
}
