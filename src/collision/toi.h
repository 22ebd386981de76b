/* SPDX-License-Identifier: MIT */
/*
 * toi.h - two movers on their way, and when they meet.
 *
 * A course is what a sweep is made of: a pair of movers whose valid shapes do not overlap at the
 * start. Where one of them stands still, its shape is brought to its place beforehand (its place
 * becomes 0), so that the box of an item is exact; and `a` is then the one that moves.
 */
#ifndef PQTI_TOI_H
#define PQTI_TOI_H

#include <stdbool.h>

#include <pqt/contact.h>
#include <pqt/sweep.h>

/* So much of the largest number at hand counts as nothing where lengths are measured. */
#define PQTI_COURSE_ERROR 0x1p-48

#define PQTI_SMALLEST 0x1p-1074 /* of all doubles above 0 */

/* One axis of two movers: places, and the ends of the shapes around them. */
typedef struct pqti_course_axis {
    double a_from, a_to, a_min, a_max;
    double b_from, b_to, b_min, b_max;
} pqti_course_axis;

/* When and how two movers meet. */
typedef struct pqti_impact {
    bool hits;
    double time;      /* 0 .. 1 */
    double beyond;    /* between boxes, how far beyond the side the way would lead; of its axis */
    double way, unit; /* and its length on that axis, in units of 1, or 8 lest it overflow */
    unsigned blocked; /* PQT_BLOCKED_X, PQT_BLOCKED_Y */
    bool is_round;    /* not met by a side: places are to be measured */
    pqt_vec normal;   /* from b to a */
} pqti_impact;

/* -1 if a ends before b begins, 1 if it begins behind b's end, else 0. Where both are so flat that
 * both hold, it is the side from which a comes that counts. */
typedef int pqti_apart_fn(const pqti_course_axis *axis, int heading);

/* Two boxes (toi_box.c). `apart` says what counts as apart at the start. */
int pqti_apart_boxes(const pqti_course_axis *axis, int heading);
int pqti_apart_circle(const pqti_course_axis *axis, int heading);
pqti_impact pqti_impact_boxes(const pqti_course_axis *x, const pqti_course_axis *y,
                              pqti_apart_fn *apart);

/* Where `a` stops beside a `b` that stands still, on an axis that it moves along and that is
   blocked. */
double pqti_stop_beside(const pqti_course_axis *axis);

/* Two circles whose radii add up to `reach`; a and b give their places (toi_circle.c). */
pqti_impact pqti_impact_circles(const pqt_mover *a, const pqt_mover *b, double reach, bool strict);

/* A circle `a` and a box `b`, made of the two above (toi_circle.c). */
pqti_impact pqti_impact_circle_box(const pqt_mover *a, const pqt_mover *b, bool strict);

/* When two that overlap will be apart, as a fraction of the way; INFINITY: never (toi_exit.c). */
double pqti_exit(const pqt_mover *a, const pqt_mover *b);

/* The axes of two movers as boxes, a circle as the square around it. */
pqti_course_axis pqti_course_x(const pqt_mover *a, const pqt_mover *b);
pqti_course_axis pqti_course_y(const pqt_mover *a, const pqt_mover *b);

/* The axis of a circle's centre alone. By address: clang 14 loses a change of a copy that was
   handed over. */
static inline pqti_course_axis
pqti_course_centre(const pqti_course_axis *axis)
{
    pqti_course_axis centre = *axis;
    centre.a_min = centre.a_max = 0;
    return centre;
}

/* The impact of two movers of any kind that do not overlap at the start (toi.c). A circle that
 * dips by less than can be measured hits only if `strict`. */
pqti_impact pqti_impact_of(const pqt_mover *a, const pqt_mover *b, bool strict);

/* What a sweep through a version must be given; else the caller of the public `function` has made a
   mistake. */
void pqti_assert_sweep(const char *function, const pqt_tree *tree, const pqt_mover *mover,
                       const pqt_sweep_options *options);

/* The same mover, but a circle of radius 0 as the box that it is beside boxes. */
pqt_mover pqti_mover_beside_box(const pqt_mover *mover);

/* The same mover with its shape at its place and its place at 0; it must stand still. */
pqt_mover pqti_mover_rested(const pqt_mover *mover);

static inline bool
pqti_mover_rests(const pqt_mover *mover)
{
    return mover->from.x == mover->to.x && mover->from.y == mover->to.y;
}

/* Where two movers stop. */
typedef struct pqti_stop {
    double time;
    pqt_vec a, b; /* places, confirmed free */
} pqti_stop;

/*
 * Where two stop that hit each other (toi_position.c). It may set the normal anew, measured at the
 * stop.
 */
pqti_stop pqti_stop_at(const pqt_mover *a, const pqt_mover *b, pqti_impact *impact);

/*
 * As pqti_impact_of, but what overlaps at the end, for all that it passed by, hits
 * (toi_position.c).
 */
pqti_impact pqti_impact_or_end(const pqt_mover *a, const pqt_mover *b);

/* The nearest place of `a` at its start that is free of `b`, which it overlaps, and the way there
   (toi_position.c). */
pqt_vec pqti_way_out(const pqt_mover *a, const pqt_mover *b, pqt_contact *contact);

/*
 * How deep `a` lies at its start in `b`, which it overlaps: the depth of their contact
 * (toi_position.c).
 */
double pqti_depth(const pqt_mover *a, const pqt_mover *b);
double pqti_depth_of_boxes(const pqt_box *a, const pqt_box *b);

/* Where a way leads that stopped at something round and goes on along its tangent (slide.c). */
pqt_vec pqti_end_along_tangent(pqt_vec stop, pqt_vec to, pqt_vec normal);

/* Whether they touch at these places. */
bool pqti_mover_touches(const pqt_mover *a, pqt_vec place_a, const pqt_mover *b, pqt_vec place_b);

#endif
