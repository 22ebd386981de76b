/* SPDX-License-Identifier: MIT */
/**
 * @file ray.h - what of one version a segment or a ray hits, front to back.
 *
 * A box is hit if the line and the box have a point in common. That is decided exactly, whatever
 * the numbers, by pqt_segment_touches_box and pqt_ray_touches_box. So the cases where others differ
 * have one answer:
 *
 * - A line along an edge hits; so does one that goes through a corner only, or ends on an edge.
 * - A segment of zero length, or a ray whose direction is zero, is a point: it hits what holds it.
 * - A line that begins in a box, or on its edge, hits it at once, `inside`: entry 0, no normal.
 * - A line with a number that is NaN or infinite hits nothing.
 *
 * Where a line enters and leaves is a fraction of it: of a segment 0 is `from` and 1 is `to`; of a
 * ray, it counts lengths of its direction. On one axis, the fraction at a side is
 *
 *     (side - from) / (to - from)      or, of a ray, (side - from) / direction,
 *
 * each step rounded; taken of halves where a difference overflows. The entry is the greatest such
 * fraction of the sides that are to be crossed to come in, the exit the least of those to come out,
 * but not more than 1 for a segment and not less than the entry. An entry that is not inside is
 * above 0, if need be the smallest double. So it is a few units in the last place from the truth.
 *
 * Hits come in order of their entries, at equal ones in tree order (query.h).
 */
#ifndef PQT_RAY_H
#define PQT_RAY_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/export.h>
#include <pqt/item.h>
#include <pqt/query.h>
#include <pqt/segment.h>

PQT_BEGIN_DECLARATIONS

/** What is cast; see pqt_cast. */
typedef enum pqt_cast_kind {
    PQT_CAST_SEGMENT = 1, /**< it ends */
    PQT_CAST_RAY = 2      /**< it goes on without end */
} pqt_cast_kind;

/** A question to a version. Start from pqt_cast_segment or pqt_cast_ray. */
typedef struct pqt_cast {
    pqt_cast_kind kind;  /**< which of the two lines is meant; there is no default */
    pqt_segment segment; /**< world units */
    pqt_ray ray;         /**< world units */
    /** NULL: every item counts; may be asked more than once about an item */
    pqt_filter_fn *filter;
    void *context;          /**< handed to the filter */
    pqt_query_stats *stats; /**< NULL: nothing is counted; not to be shared by threads */
} pqt_cast;

/** What a line has in common with an item. */
typedef struct pqt_ray_hit {
    bool hit;    /**< false: there is no hit, and nothing else here means anything */
    bool inside; /**< the line begins in the box or on its edge */
    pqt_item item;
    /** where the line enters the box, as a fraction; 0 if it begins inside, and only then */
    double entry;
    double exit; /**< where it leaves the box or ends, entry <= exit */
    /** of the side that is entered: (-1, 0) is the left, (0, -1) the upper one; at a corner, the
        left or right; (0, 0) if inside */
    pqt_vec normal;
    size_t rank; /**< how many items of the version come before it in tree order */
} pqt_ray_hit;

/** Is handed one hit; returns true to go on, false to stop. It is valid during the call. */
typedef bool pqt_visit_hit_fn(const pqt_ray_hit *hit, void *context);

/** A question about a segment. @since 0.1 */
PQT_API pqt_cast pqt_cast_segment(pqt_segment segment);

/** A question about a ray. @since 0.1 */
PQT_API pqt_cast pqt_cast_ray(pqt_ray ray);

/**
 * What a line has in common with one item, whatever tree it is in; its place is 0.
 *
 * All hits of trees are as this function says. The filter is not asked.
 *
 * @return  without `hit` if they do not touch, or if the item's box is not valid
 * @since   0.1
 */
PQT_API pqt_ray_hit pqt_cast_at_item(pqt_cast cast, pqt_item item);

/**
 * Finds what a line hits first.
 *
 *     pqt_ray_hit hit = pqt_tree_cast(tree, pqt_cast_segment((pqt_segment){eye, target}));
 *     if (hit.hit)
 *         ...
 *
 * @param tree  any version
 * @param cast  the question
 * @return      the first hit; without `hit` if there is none
 *
 * @cost    O(log n) where boxes lie close; for a line that hits nothing, O(nodes near it)
 * @thread  any number at once
 * @source  the sides of boxes as slabs: Kay, Kajiya 1986, section 2; the exact test: see
 *          pqt_segment_touches_box
 * @since   0.1
 */
PQT_API pqt_ray_hit pqt_tree_cast(const pqt_tree *tree, pqt_cast cast);

/**
 * Writes all that a line hits into an array, front to back.
 *
 * @param hits      room for `capacity` of them; set to the first ones; NULL if capacity is 0
 * @param capacity  how many are written at most
 * @return          how many there are in all: more than `capacity` if there was too little room
 * @cost   O(nodes near the line + hits x log hits), in one search; allocates nothing
 * @source heap sort: Williams 1964
 * @since  0.1
 */
PQT_API size_t pqt_tree_cast_all(const pqt_tree *tree, pqt_cast cast, pqt_ray_hit *hits,
                                 size_t capacity);

/**
 * Visits what a line hits, front to back, until the visitor has enough; nothing is allocated.
 *
 * As of pqt_tree_visit_nearest, the first ones cost little. To get all of very many hits,
 * pqt_tree_cast_all is faster: it needs one search.
 *
 * @param visit    called for each hit
 * @param context  handed to `visit`
 * @return         true if all were visited, false if `visit` stopped it
 * @cost   searches for 8, 64, 256, 1024 and from then on 2048 hits, each of which looks again at
 *         boxes that were entered and not left; beyond 72 hits, 48 KiB of stack
 * @since  0.1
 */
PQT_API bool pqt_tree_visit_cast(const pqt_tree *tree, pqt_cast cast, pqt_visit_hit_fn *visit,
                                 void *context);

PQT_END_DECLARATIONS

#endif
