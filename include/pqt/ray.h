/* SPDX-License-Identifier: MIT */
/**
 * @file ray.h - casts: the items of one version that a segment or a ray hits, front to back.
 *
 * A line hits a box if they have a point in common. This is decided exactly, whatever the numbers:
 * a corner on the line is hit, and a corner next to it is not, even if doubles cannot represent the
 * distance. The limiting cases are therefore defined:
 *
 * - A line along an edge hits; so does one that passes through a corner or ends on an edge.
 * - A segment of zero length, or a ray whose direction is zero, is a point: it hits the boxes that
 *   contain the point.
 * - A line that begins in a box or on its edge hits it there: `inside` is set, the entry is 0, and
 *   there is no normal.
 * - A line with a number that is NaN or infinite hits nothing.
 *
 * Entry and exit are fractions of the line: for a segment, 0 is `from` and 1 is `to`; for a ray,
 * the unit is the length of its direction. On one axis the fraction of a side is
 *
 *     (side - from) / (to - from)      or, for a ray, (side - from) / direction.
 *
 * Each operation is rounded, and halves are used if a difference overflows. The entry is the
 * greatest of the fractions at which the line crosses a side inward. The exit is the least of those
 * at which it crosses a side outward, but not above 1 for a segment, and not below the entry. If
 * the line does not begin inside, the entry is at least the smallest double above 0. The error is a
 * few units in the last place.
 *
 * Hits are ordered by their entries, equal entries by tree order (query.h).
 */
#ifndef PQT_RAY_H
#define PQT_RAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/export.h>
#include <pqt/item.h>
#include <pqt/query.h>
#include <pqt/segment.h>

PQT_BEGIN_DECLARATIONS

/** The kind of line; see pqt_cast. */
typedef enum pqt_cast_kind {
    PQT_CAST_SEGMENT = 1, /**< a segment, which ends */
    PQT_CAST_RAY = 2      /**< a ray, which does not end */
} pqt_cast_kind;

/** A query of one version. Start from pqt_cast_segment or pqt_cast_ray. */
typedef struct pqt_cast {
    pqt_cast_kind kind;     /**< selects one of the next two members; there is no default */
    pqt_segment segment;    /**< for PQT_CAST_SEGMENT, world units; otherwise not read */
    pqt_ray ray;            /**< for PQT_CAST_RAY, world units; otherwise not read */
    pqt_filter_fn *filter;  /**< NULL: every item counts; may be called more than once per item */
    void *context;          /**< passed to the filter */
    pqt_query_stats *stats; /**< NULL: no work is counted; not to be shared by threads */
    uint64_t reserved[4];   /**< must be 0; any other value stops the program */
} pqt_cast;

/** The hit of a line and an item. */
typedef struct pqt_ray_hit {
    bool hit;      /**< false: there is no hit, and no other field has a meaning */
    bool inside;   /**< the line begins in the box or on its edge */
    pqt_item item; /**< the item that is hit */
    double entry;  /**< where the line enters the box, a fraction; 0 if, and only if, `inside` */
    double exit;   /**< where the line leaves the box or ends, entry <= exit */
    /** the outward normal of the side that is entered: (-1, 0) is the left side, (0, -1) the upper
        one; at a corner, the left or right side; (0, 0) if `inside` */
    pqt_vec normal;
    size_t rank; /**< the number of items of the version that precede it in tree order */
} pqt_ray_hit;

/**
 * Visits one hit.
 *
 * @param hit      valid during the call
 * @param context  as passed to pqt_tree_visit_cast
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_hit_fn(const pqt_ray_hit *hit, void *context);

/**
 * Returns the cast of a segment, without filter and statistics.
 *
 * @param segment  world units
 * @return         the cast
 */
PQT_API pqt_cast pqt_cast_segment(pqt_segment segment);

/**
 * Returns the cast of a ray, without filter and statistics.
 *
 * @param ray  world units
 * @return     the cast
 */
PQT_API pqt_cast pqt_cast_ray(pqt_ray ray);

/**
 * Casts a line at one item, whatever tree it is in. Hits in trees follow the same rules. For a box
 * that is no item, pass (pqt_item){box, 0}.
 *
 * @param cast  the line; its filter is not called
 * @param item  the item
 * @return      the hit, with rank 0; `hit` is false if they do not touch or the box is not valid
 */
PQT_API pqt_ray_hit pqt_cast_at_item(const pqt_cast *cast, pqt_item item);

/**
 * Finds the first item that a line hits.
 *
 *     pqt_cast sight = pqt_cast_segment((pqt_segment){eye, target});
 *     pqt_ray_hit hit = pqt_tree_cast(tree, &sight);
 *     if (hit.hit)
 *         ...
 *
 * @param tree  any version
 * @param cast  the line
 * @return      the first hit; its `hit` is false if there is none
 *
 * @cost    O(log n) where boxes are dense; O(nodes near the line) if it hits nothing
 * @thread  any number at once
 * @source  the sides of boxes as slabs: Kay, Kajiya 1986, section 2; the exact test:
 *          J. R. Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric
 *          predicates", 1997, section 4.1
 */
PQT_API pqt_ray_hit pqt_tree_cast(const pqt_tree *tree, const pqt_cast *cast);

/**
 * Writes all hits of a line into an array, front to back.
 *
 * @param tree      any version
 * @param cast      the line
 * @param hits      set to the first hits
 * @param capacity  the number of hits that fit
 * @return          the number of all hits
 *
 * @cost    O(nodes near the line + hits x log hits), in one search; allocates nothing
 * @source  heap sort: Williams 1964
 */
PQT_API size_t pqt_tree_cast_all(const pqt_tree *tree, const pqt_cast *cast, pqt_ray_hit *hits,
                                 size_t capacity);

/**
 * Visits the hits of a line, front to back; allocates nothing.
 *
 * The first hits cost little, as for pqt_tree_visit_nearest. To get all of very many hits,
 * pqt_tree_cast_all is faster: it needs one search.
 *
 * @param tree     any version
 * @param cast     the line
 * @param visit    called for each hit
 * @param context  passed to `visit`
 * @return         true if every hit was visited, false if `visit` stopped it
 *
 * @cost  searches for 8, 64, 256, 1024 and from then on 2048 hits, each of which tests again the
 *        boxes that the line has entered and not left; beyond 72 hits, 48 KiB of stack
 */
PQT_API bool pqt_tree_visit_cast(const pqt_tree *tree, const pqt_cast *cast,
                                 pqt_visit_hit_fn *visit, void *context);

PQT_END_DECLARATIONS

#endif
