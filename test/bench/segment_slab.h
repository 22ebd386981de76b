/* SPDX-License-Identifier: MIT */
/*
 * segment_slab.h: computes in doubles the fraction at which a segment enters a box.
 *
 * Contestants without a test of their own use it, and the benchmark uses it to order hits. A box is
 * the intersection of two slabs, one for each axis. The test assumes that the segment is parallel
 * to no axis, which holds for random ones. At corners it is exact up to rounding.
 */
#ifndef BENCH_SEGMENT_SLAB_H
#define BENCH_SEGMENT_SLAB_H

#include <stdbool.h>

#include <pqt/all.h>

/* A segment and values precomputed from it. */
typedef struct slabs {
    pqt_vec from, motion;
    pqt_vec per_way; /* 1 / way, on each axis */
} slabs;

static inline slabs
slabs_of(const pqt_segment *segment)
{
    slabs s;
    s.from = segment->from;
    s.motion.x = segment->to.x - segment->from.x;
    s.motion.y = segment->to.y - segment->from.y;
    s.per_way.x = 1 / s.motion.x;
    s.per_way.y = 1 / s.motion.y;
    return s;
}

static inline double
slab_less(double a, double b)
{
    return a < b ? a : b;
}

static inline double
slab_more(double a, double b)
{
    return a > b ? a : b;
}

/* Returns true if the segment enters the box at a fraction of at most `most`. Sets *fraction in
 * this case. */
static inline bool
slabs_enter(const slabs *s, const pqt_box *box, double most, double *fraction)
{
    double x0 = (box->min.x - s->from.x) * s->per_way.x;
    double x1 = (box->max.x - s->from.x) * s->per_way.x;
    double y0 = (box->min.y - s->from.y) * s->per_way.y;
    double y1 = (box->max.y - s->from.y) * s->per_way.y;
    double in = slab_more(slab_less(x0, x1), slab_less(y0, y1));
    double out = slab_less(slab_more(x0, x1), slab_more(y0, y1));
    in = slab_more(in, 0);
    *fraction = in;
    return in <= out && in <= most;
}

#endif
