/* SPDX-License-Identifier: MIT */
/*
 * slab.h - when something that moves along a line comes to the quarters of a node, and leaves
 * them.
 *
 * Each axis is a slab: it is entered and left at a *time*. Times are counted in units of the line's
 * own, so that it moves at most one world unit in each; that keeps them in range for directions of
 * any length. What moves may be a point or a box, which enters with one side and leaves with the
 * other. The way to a quarter is known outward (child_dist.h); what rounding adds on the way from
 * there to the time is covered by PQTI_TIME_ERROR. T. L. Kay, J. T. Kajiya, "Ray tracing complex
 * scenes", 1986.
 *
 * All that only serves to pass over quarters, so it may only err on one side.
 */
#ifndef PQTI_SLAB_H
#define PQTI_SLAB_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/segment_internal.h"
#include "tree/query/child_dist.h"

/* Relative; of a time there are four roundings at most, of a fraction three. */
#define PQTI_TIME_ERROR 0x1p-48

/* Times are not told apart below it. */
#define PQTI_LEAST_TIME 0x1p-1030

/* Of the greatest time in the bounds. */
#define PQTI_MOST_EXPONENT 1000
#define PQTI_GREAT_TIME 0x1p990

/* How a line passes through one axis. */
typedef enum pqti_axis_motion {
    PQTI_RESTS, /* it does not move along it */
    PQTI_MOVES, /* by at most one world unit in a unit of time */
    PQTI_CREEPS /* so slowly that no time can be told */
} pqti_axis_motion;

typedef struct pqti_slabs {
    pqti_outlook outlook; /* in times, where the line moves */
    pqti_axis_motion x, y;
    double unit; /* of a whole segment, or of a ray's direction; infinite for the longest */
    double end;  /* when the line ends, rounded up */
} pqti_slabs;

static inline pqti_axis_motion
pqti_motion_of(double along, int heading)
{
    if (heading == 0)
        return PQTI_RESTS;
    return pqti_is_sharp(along, heading) ? PQTI_MOVES : PQTI_CREEPS;
}

/* The exponent of the greatest time that the columns of an axis can be away; 0, if none of these is
   too great. */
static inline int
pqti_time_exponent(const pqti_axis *axis, double from, double along, pqti_axis_motion moves)
{
    int of_size, of_along;
    double size =
        pqti_magnitude(axis->half_low) / 4 + axis->half_extent / 4 + pqti_magnitude(from) / 8;
    if (moves != PQTI_MOVES || size <= pqti_magnitude(along) * PQTI_GREAT_TIME)
        return 0;
    (void)frexp(size, &of_size);
    (void)frexp(along, &of_along);
    return of_size - of_along;
}

static inline pqti_outlook_axis
pqti_outlook_along(const pqti_axis *axis, double of_min, double of_max, double along,
                   pqti_axis_motion moves, int scale, bool inside)
{
    double time_of_half = moves != PQTI_MOVES ? 1
                          : scale == 0        ? 2 / along
                                              : ldexp(2 / along, scale);
    return pqti_outlook_axis_of(axis, of_min, of_max, time_of_half, inside);
}

/*
 * For a box that moves along a line, where it is at the line's beginning; `inside`: all that it
 * comes to lies within the bounds.
 */
static inline pqti_slabs
pqti_slabs_of(const pqti_space *space, const pqti_line *line, const pqt_box *at_start, bool inside)
{
    pqti_slabs s;
    double along_x = line->along.x, along_y = line->along.y;
    s.x = pqti_motion_of(along_x, line->heading_x);
    s.y = pqti_motion_of(along_y, line->heading_y);
    /* The power of 2 that times are multiplied by where they would overflow, else 0. */
    int x =
        pqti_time_exponent(&space->x, pqti_farther(at_start->min.x, at_start->max.x), along_x, s.x);
    int y =
        pqti_time_exponent(&space->y, pqti_farther(at_start->min.y, at_start->max.y), along_y, s.y);
    int greatest = x > y ? x : y;
    int scale = greatest > PQTI_MOST_EXPONENT ? PQTI_MOST_EXPONENT - greatest : 0;
    s.outlook.x = pqti_outlook_along(&space->x, at_start->max.x, at_start->min.x, along_x, s.x,
                                     scale, inside);
    s.outlook.y = pqti_outlook_along(&space->y, at_start->max.y, at_start->min.y, along_y, s.y,
                                     scale, inside);
    s.unit = pqti_greater(ldexp(1, line->exponent + scale), 0x1p-1074);
    s.end = line->endless ? INFINITY : s.unit * (1 + PQTI_TIME_ERROR) + PQTI_LEAST_TIME;
    return s;
}

/* The time of a fraction that is the worst wanted. A fraction of 0 is exact, and so are ties with
   it. */
static inline double
pqti_slabs_worst(const pqti_slabs *s, double fraction)
{
    double time = pqti_greater(fraction, PQTI_LEAST_FRACTION) * s->unit;
    return fraction > 0 ? pqti_greater(time, PQTI_LEAST_TIME) : 0;
}

/*
 * The time of a fraction up to which all was found. It is finite: a fraction may overflow where the
 * time does not, and a time where the fraction does not. An infinite one would pass over all
 * quarters that the line leaves in finite time, and those that are bounded by it.
 */
static inline double
pqti_slabs_last(const pqti_slabs *s, double fraction)
{
    bool is_exact =
        fraction >= PQTI_LEAST_FRACTION && s->unit >= PQTI_LEAST_TIME && s->unit <= DBL_MAX;
    double time = pqti_lesser(fraction, DBL_MAX) * s->unit;
    return is_exact ? pqti_lesser(time, DBL_MAX) : 0;
}

/* When a line is between the begin and the end of two quarters on one axis. */
typedef struct pqti_stay {
    pqti_pair from, until;
} pqti_stay;

static inline pqti_stay
pqti_stay_on_axis(pqti_axis_motion moves, pqti_pair begin, pqti_pair end)
{
    const pqti_pair always = {0, 0}, for_ever = {INFINITY, INFINITY}, never = {-1, -1};
    if (moves == PQTI_MOVES)
        return (pqti_stay){begin, end};
    if (moves == PQTI_CREEPS)
        return (pqti_stay){always, for_ever};
    return (pqti_stay){always, pqti_pair_choose((begin > 0) | (end < 0), never, for_ever)};
}

/* Bounds of the times of entry to two quarters; and when the line will have left them. */
static inline pqti_pair
pqti_slabs_pair(const pqti_slabs *s, const pqti_ways *ways, int i, pqti_pair *until)
{
    pqti_stay x = pqti_stay_on_axis(s->x, ways->begin_x[i], ways->end_x[i]);
    pqti_stay y = pqti_stay_on_axis(s->y, ways->begin_y[i], ways->end_y[i]);
    pqti_pair from = pqti_pair_positive(pqti_pair_greater(x.from, y.from)) * (1 - PQTI_TIME_ERROR);
    pqti_pair end = {s->end, s->end}, most = {DBL_MAX, DBL_MAX}, none = {INFINITY, INFINITY};
    *until = pqti_pair_lesser(end, pqti_pair_lesser(x.until, y.until) * (1 + PQTI_TIME_ERROR));
    return pqti_pair_choose(from > *until, none, pqti_pair_lesser(most, from));
}

/*
 * Sets for each quarter of a node a time before which nothing in it is met; INFINITY if it is not
 * met, or left before `last`, where that is not below 0.
 */
static inline void
pqti_slabs_bound(const pqti_slabs *s, const pqti_inner *node, bool strays, double last,
                 double bounds[PQTI_QUARTERS])
{
    pqti_ways ways;
    pqti_ways_to(&s->outlook, node, strays, &ways);
    for (int i = 0; i < 2; i++) {
        pqti_pair until, none = {INFINITY, INFINITY};
        pqti_pair from = pqti_slabs_pair(s, &ways, i, &until);
        if (last >= 0)
            from = pqti_pair_choose(until < last, none, from);
        pqti_pair_store(bounds + 2 * i, from);
    }
}

#endif
