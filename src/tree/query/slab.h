/* SPDX-License-Identifier: MIT */
/*
 * slab.h: computes the times at which a line enters and leaves the quadrants of a node.
 *
 * This is the slab method (T. L. Kay, J. T. Kajiya, "Ray tracing complex scenes", 1986). Each axis
 * is a slab, which the line enters and leaves at a *time*. For each line, the unit of time is
 * chosen so that the moving object covers at most one world unit per unit of time. So times stay in
 * range whatever the length of the direction. The moving object may be a point or a box, which
 * enters a slab with one side and leaves it with the other. The distance to a quadrant is rounded
 * outward (child_dist.h). PQTI_TIME_ERROR covers the rounding error of the conversion from that
 * distance to a time.
 *
 * The times serve only to skip quadrants, so they may err on the safe side.
 */
#ifndef PQTI_SLAB_H
#define PQTI_SLAB_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/segment_internal.h"
#include "tree/query/child_dist.h"

/*
 * The relative error of a time, which is rounded at most four times, and of a fraction, which is
 * rounded three times.
 */
#define PQTI_TIME_ERROR 0x1p-48

/* Times below this are treated as equal. */
#define PQTI_MIN_TIME 0x1p-1030

/* Limits for the greatest time at which a line is within the bounds. */
#define PQTI_MAX_EXPONENT 1000
#define PQTI_GREAT_TIME 0x1p990

/* Says how an object that moves along a line moves on one axis. */
typedef enum pqti_slab_motion {
    PQTI_SLAB_ZERO,    /* it does not move */
    PQTI_SLAB_OK,      /* it moves by at most one world unit per unit of time */
    PQTI_SLAB_DENORMAL /* it moves so slowly that a time cannot be computed */
} pqti_slab_motion;

typedef struct pqti_slabs {
    pqti_query_frame frame; /* on each axis on which the line moves, the unit is time */
    pqti_slab_motion x, y;
    /* the duration of the segment or of the ray's direction; infinite for the longest ones */
    double unit;
    double end; /* the time at which the line ends, rounded up */
} pqti_slabs;

static inline pqti_slab_motion
pqti_slab_motion_of(double along, int sign)
{
    if (sign == 0)
        return PQTI_SLAB_ZERO;
    return pqti_dir_is_normal(along, sign) ? PQTI_SLAB_OK : PQTI_SLAB_DENORMAL;
}

/* Returns the exponent of the greatest time at which the line reaches a column of an axis.
   Returns 0 if that time is small enough to need no scaling. */
static inline int
pqti_time_exponent(const pqti_axis *axis, double from, double along, pqti_slab_motion moves)
{
    int of_size, of_along;
    double size = pqti_fabs(axis->half_low) / 4 + axis->half_extent / 4 + pqti_fabs(from) / 8;
    if (moves != PQTI_SLAB_OK || size <= pqti_fabs(along) * PQTI_GREAT_TIME)
        return 0;
    (void)frexp(size, &of_size);
    (void)frexp(along, &of_along);
    return of_size - of_along;
}

static inline pqti_query_axis
pqti_query_axis_along(const pqti_axis *axis, double of_min, double of_max, double along,
                      pqti_slab_motion moves, int scale, bool inside)
{
    double time_of_half = moves != PQTI_SLAB_OK ? 1
                          : scale == 0          ? 2 / along
                                                : ldexp(2 / along, scale);
    return pqti_query_axis_of(axis, of_min, of_max, time_of_half, inside);
}

/* Prepares a line for a box that moves along it. `at_start` is the box at the start of the line.
   `inside` is true if the whole motion is within the bounds. */
static inline pqti_slabs
pqti_slabs_of(const pqti_domain *domain, const pqti_prepared_ray *ray, const pqt_box *at_start,
              bool inside)
{
    pqti_slabs s;
    double along_x = ray->dir.x, along_y = ray->dir.y;
    s.x = pqti_slab_motion_of(along_x, ray->sign_x);
    s.y = pqti_slab_motion_of(along_y, ray->sign_y);
    /*
     * Times are multiplied by 2^scale. `scale` is negative if they would otherwise overflow, and 0
     * if not.
     */
    int x = pqti_time_exponent(&domain->x, pqti_farther(at_start->min.x, at_start->max.x), along_x,
                               s.x);
    int y = pqti_time_exponent(&domain->y, pqti_farther(at_start->min.y, at_start->max.y), along_y,
                               s.y);
    int greatest = x > y ? x : y;
    int scale = greatest > PQTI_MAX_EXPONENT ? PQTI_MAX_EXPONENT - greatest : 0;
    s.frame.x = pqti_query_axis_along(&domain->x, at_start->max.x, at_start->min.x, along_x, s.x,
                                      scale, inside);
    s.frame.y = pqti_query_axis_along(&domain->y, at_start->max.y, at_start->min.y, along_y, s.y,
                                      scale, inside);
    s.unit = pqti_fmax(ldexp(1, ray->exponent + scale), 0x1p-1074);
    s.end = ray->is_ray ? INFINITY : s.unit * (1 + PQTI_TIME_ERROR) + PQTI_MIN_TIME;
    return s;
}

/* Converts the greatest wanted fraction to a time. A fraction of 0 is exact, and so are ties with
   it. */
static inline double
pqti_slabs_worst(const pqti_slabs *s, double fraction)
{
    double time = pqti_fmax(fraction, PQTI_MIN_FRACTION) * s->unit;
    return fraction > 0 ? pqti_fmax(time, PQTI_MIN_TIME) : 0;
}

/*
 * Returns the time that corresponds to the fraction up to which everything was found. The result is
 * always finite: a fraction may overflow although its time does not, and vice versa. An infinite
 * time would skip every quadrant that the line leaves at a finite time, and every quadrant whose
 * bound is infinite.
 */
static inline double
pqti_slabs_last(const pqti_slabs *s, double fraction)
{
    bool is_exact = fraction >= PQTI_MIN_FRACTION && s->unit >= PQTI_MIN_TIME && s->unit <= DBL_MAX;
    double time = pqti_fmin(fraction, DBL_MAX) * s->unit;
    return is_exact ? pqti_fmin(time, DBL_MAX) : 0;
}

/* The times at which a line enters and leaves each of two quadrants on one axis. */
typedef struct pqti_interval {
    pqti_f64x2 entry, exit;
} pqti_interval;

static inline pqti_interval
pqti_interval_on_axis(pqti_slab_motion moves, pqti_f64x2 begin, pqti_f64x2 end)
{
    const pqti_f64x2 always = pqti_f64x2_splat(0), forever = pqti_f64x2_splat(INFINITY),
                     never = pqti_f64x2_splat(-1);
    if (moves == PQTI_SLAB_OK)
        return (pqti_interval){begin, end};
    if (moves == PQTI_SLAB_DENORMAL)
        return (pqti_interval){always, forever};
    const pqti_mask64x2 misses =
        pqti_mask64x2_or(pqti_f64x2_gt(begin, always), pqti_f64x2_lt(end, always));
    return (pqti_interval){always, pqti_f64x2_select(misses, never, forever)};
}

/*
 * Returns lower bounds on the times at which a line enters two quadrants. Sets `*until` to the
 * times at which it leaves them, rounded up.
 */
static inline pqti_f64x2
pqti_slabs_pair(const pqti_slabs *s, const pqti_child_dist *dist, int i, pqti_f64x2 *until)
{
    pqti_interval x = pqti_interval_on_axis(s->x, dist->begin_x[i], dist->end_x[i]);
    pqti_interval y = pqti_interval_on_axis(s->y, dist->begin_y[i], dist->end_y[i]);
    const pqti_f64x2 entry = pqti_f64x2_relu(pqti_f64x2_max(x.entry, y.entry));
    const pqti_f64x2 exit = pqti_f64x2_min(x.exit, y.exit);
    const pqti_f64x2 from = pqti_f64x2_scale(entry, 1 - PQTI_TIME_ERROR);
    *until = pqti_f64x2_min(pqti_f64x2_splat(s->end), pqti_f64x2_scale(exit, 1 + PQTI_TIME_ERROR));
    return pqti_f64x2_select(pqti_f64x2_gt(from, *until), pqti_f64x2_splat(INFINITY),
                             pqti_f64x2_min(pqti_f64x2_splat(DBL_MAX), from));
}

/*
 * Computes for each quadrant of a node a time before which the line touches nothing in it. The time
 * is INFINITY if the line misses the quadrant, or if it leaves the quadrant before `last` and
 * `last` is not negative.
 */
static inline void
pqti_slabs_bound(const pqti_slabs *s, const pqti_inner *node, bool outliers, double last,
                 double bounds[PQTI_QUADRANTS])
{
    pqti_child_dist dist;
    pqti_child_dist_to(&s->frame, node, outliers, &dist);
    for (int i = 0; i < 2; i++) {
        pqti_f64x2 until;
        pqti_f64x2 from = pqti_slabs_pair(s, &dist, i, &until);
        if (last >= 0)
            from = pqti_f64x2_select(pqti_f64x2_lt(until, pqti_f64x2_splat(last)),
                                     pqti_f64x2_splat(INFINITY), from);
        pqti_f64x2_store(bounds + 2 * i, from);
    }
}

#endif
