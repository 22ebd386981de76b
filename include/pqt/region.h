/* SPDX-License-Identifier: MIT */
/**
 * @file region.h - persistent sets of pixels: painting with undo, and pixel-exact shapes.
 *
 * A `const pqt_region *` is a version: an immutable set of pixels. Each function that changes
 * something returns another version, which shares with the given one all that is the same; the
 * given one stays as it was. If nothing changes, the very same pointer comes back.
 *
 * A pixel is named by two integers and covers the unit square from there to the right and down:
 * the pixel 3, 5 is [3, 4) x [5, 6), and its centre is 3.5, 5.5. y points down. A region has no
 * edges: it grows as needed, to both sides of zero, within PQT_PIXEL_LIMIT.
 *
 * A region is a quadtree around the origin. Squares without pixels and squares full of pixels cost
 * nothing, whatever their size; where the two meet, 64 x 64 pixels are a leaf of 544 bytes. The set
 * of pixels determines every node, so equal sets have equal shapes and equal fingerprints.
 *
 * NULL for a region together with an error that is told already passes the failure on, so a chain
 * of calls is checked once, at its end. NULL with an empty error is a mistake of the caller and
 * stops the program with a sentence.
 *
 *     pqt_error error = {0};
 *     const pqt_region *canvas = pqt_region_make(NULL, &error);
 *     canvas = pqt_region_paint(canvas, pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){50, 50}, 20),
 *     &error); const pqt_region *next =
 *         pqt_region_paint(canvas, pqt_paint_pixel(PQT_PAINT_CLEAR, (pqt_pixel){50, 50}), &error);
 *     if (next == NULL)
 *         return complain(&error);
 */
#ifndef PQT_REGION_H
#define PQT_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/fingerprint.h>
#include <pqt/memory.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/**
 * Where pixels may lie: -PQT_PIXEL_LIMIT <= x, y < PQT_PIXEL_LIMIT. Unit: pixels.
 *
 * Reason: shapes are decided in integers of 1/1024 pixel, and with coordinates of 31 bits each
 * product of two of them fits in 63. If raised, such products overflow.
 */
#define PQT_PIXEL_LIMIT 1048576

/** A set of pixels; see above. */
typedef struct pqt_region pqt_region;

/** A pixel, or a movement by whole pixels. */
typedef struct pqt_pixel {
    int32_t x, y; /**< pixels */
} pqt_pixel;

/**
 * The pixels with min.x <= x < max.x and min.y <= y < max.y: half open, so max is not in it, and
 * max - min is the size. Empty if min.x = max.x or min.y = max.y; inside out if min is above max.
 */
typedef struct pqt_pixel_box {
    pqt_pixel min, max;
} pqt_pixel_box;

/** Pixels of one row: those with min_x <= x < max_x. */
typedef struct pqt_pixel_run {
    int32_t y, min_x, max_x; /**< pixels */
} pqt_pixel_run;

/** Is handed one run; returns true to go on, false to stop. The run is valid during the call. */
typedef bool pqt_visit_pixel_run_fn(const pqt_pixel_run *run, void *context);

/** Is handed one box; returns true to go on, false to stop. The box is valid during the call. */
typedef bool pqt_visit_pixel_box_fn(const pqt_pixel_box *box, void *context);

/** Is handed one region; returns true to go on, false to stop. To keep it, see memory.h. */
typedef bool pqt_visit_region_fn(const pqt_region *region, void *context);

/** A picture of one byte a pixel, or of several of which one counts. */
typedef struct pqt_byte_image {
    const uint8_t *data; /**< the byte that counts of the upper left pixel; NULL if there is none */
    size_t width;        /**< pixels */
    size_t height;       /**< pixels */
    size_t stride;       /**< bytes from a row to the one below, at least width * step */
    size_t pixel_stride; /**< bytes from a pixel to the next: 1, or 4 for the alpha of RGBA, ... */
    uint8_t threshold;   /**< a pixel belongs if its byte is above: 0 means any that is not 0 */
} pqt_byte_image;

/** Which pixel of eight stands where in a byte. */
typedef enum pqt_bit_order {
    PQT_BITS_LOW_FIRST = 1, /**< the leftmost pixel is the lowest bit, as in XBM */
    PQT_BITS_HIGH_FIRST = 2 /**< the leftmost pixel is the highest bit, as in PBM */
} pqt_bit_order;

/** A picture of one bit a pixel; a pixel belongs if its bit is 1. */
typedef struct pqt_bit_image {
    const uint8_t *data; /**< holds the upper left pixel; NULL if there is none */
    size_t width;        /**< pixels; bits of a row's last byte beyond it are not read */
    size_t height;       /**< pixels */
    size_t stride;       /**< bytes from a row to the one below, at least width / 8, rounded up */
    pqt_bit_order order; /**< there is no default */
} pqt_bit_image;

/** What paint does to the pixels of its shape. */
typedef enum pqt_paint_op {
    PQT_PAINT_SET = 1,   /**< they belong */
    PQT_PAINT_CLEAR = 2, /**< they do not */
    PQT_PAINT_TOGGLE = 3 /**< those that belonged do not, and the other way round */
} pqt_paint_op;

/** The shape of paint. */
typedef enum pqt_paint_shape {
    PQT_PAINT_BOX = 1,   /**< the pixels of `box` */
    PQT_PAINT_STROKE = 2 /**< a round pen drawn from `from` to `to` */
} pqt_paint_shape;

/** One stroke of paint: make it with pqt_paint_pixel, _box, _disc or _stroke. */
typedef struct pqt_paint {
    pqt_paint_op op;
    pqt_paint_shape shape;
    pqt_pixel_box box; /**< of PQT_PAINT_BOX; else not read */
    pqt_vec from, to;  /**< of PQT_PAINT_STROKE, pixels; else not read */
    double radius;     /**< of PQT_PAINT_STROKE, pixels, >= 0; else not read */
} pqt_paint;

/** Which pixels are neighbours of a pixel. */
typedef enum pqt_connectivity {
    PQT_CONNECTIVITY_4 = 4, /**< those that share an edge with it */
    PQT_CONNECTIVITY_8 = 8  /**< those that share an edge or a corner with it */
} pqt_connectivity;

/** The ways in which a square can be laid on itself; see pqt_region_transform. y points down. */
typedef enum pqt_transform {
    PQT_FLIP_X = 1,           /**< left becomes right: x, y goes to -1 - x, y */
    PQT_FLIP_Y = 2,           /**< top becomes bottom: x, y goes to x, -1 - y */
    PQT_ROTATE_180 = 3,       /**< x, y goes to -1 - x, -1 - y */
    PQT_FLIP_DIAGONAL = 4,    /**< rows become columns: x, y goes to y, x */
    PQT_ROTATE_90 = 5,        /**< clockwise as seen on a screen: x, y goes to -1 - y, x */
    PQT_ROTATE_270 = 6,       /**< counterclockwise: x, y goes to y, -1 - x */
    PQT_FLIP_ANTIDIAGONAL = 7 /**< x, y goes to -1 - y, -1 - x */
} pqt_transform;

/** What a version consists of; see pqt_region_get_stats. */
typedef struct pqt_region_stats {
    uint64_t pixels; /**< pixels that belong */
    size_t nodes;    /**< inner nodes, the version itself not counted */
    size_t leaves;   /**< leaves: squares of 64 x 64 pixels that are neither empty nor full */
    size_t full;     /**< squares of 64 x 64 pixels or more that are full; they take no memory */
    size_t bytes;    /**< bytes that nodes, leaves and the version itself take */
    int level;       /**< the region covers [-2^level, 2^level) on both axes, 6..20 */
} pqt_region_stats;

/** What a square of the quadtree is; see pqt_region_visit_squares. */
typedef enum pqt_square_kind {
    PQT_SQUARE_INNER = 1, /**< divided into four */
    PQT_SQUARE_LEAF = 2,  /**< 64 x 64 pixels, some of which belong */
    PQT_SQUARE_FULL = 3   /**< all of its pixels belong */
} pqt_square_kind;

/** One square of the quadtree that holds a pixel. */
typedef struct pqt_square {
    pqt_pixel_box box;    /**< where it lies */
    pqt_square_kind kind; /**< what it is */
    uint64_t count;       /**< pixels that belong */
} pqt_square;

/** Is handed one square; returns true to go on, false to stop. It is valid during the call. */
typedef bool pqt_visit_square_fn(const pqt_square *square, void *context);

/** @name Making */
/** @{ */

/**
 * Makes a region without pixels.
 *
 * @param memory  where it and all versions that follow from it live; NULL: the collector
 * @param error   told why on failure; may be NULL; an error already in it is kept
 * @return        the empty version; NULL on failure
 *
 * @error PQT_ERROR_UNSUPPORTED  memory is NULL in a build without the collector
 * @error PQT_ERROR_THREAD       the first call of all came from a thread that is not main
 * @error PQT_ERROR_MEMORY       no memory
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_make(pqt_memory *memory, pqt_error *error);

/**
 * Makes a region of a picture of bytes, such as an alpha channel.
 *
 *     pqt_byte_image alpha = {rgba + 3, width, height, 4 * width, 4, 127};
 *     const pqt_region *sprite = pqt_region_of_bytes(&alpha, (pqt_pixel){0, 0}, NULL, &error);
 *
 * @param image   not NULL; its data is read, not kept
 * @param at      where the upper left pixel of the picture lies
 * @param memory  NULL: the collector
 * @return        the version; NULL on failure
 *
 * @error PQT_ERROR_OPTION  step is 0; stride is less than a row; or the picture's bytes are more
 *                          than can be addressed
 * @error PQT_ERROR_LIMIT   the picture leaves PQT_PIXEL_LIMIT, whatever its pixels are
 * @error and those of pqt_region_make
 * @cost  O(width * height) time; scratch memory none
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_of_bytes(const pqt_byte_image *image,
                                                            pqt_pixel at, pqt_memory *memory,
                                                            pqt_error *error);

/** As pqt_region_of_bytes, of bits; an unknown order is PQT_ERROR_OPTION. @since 0.1 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_of_bits(const pqt_bit_image *image, pqt_pixel at,
                                                           pqt_memory *memory, pqt_error *error);

/**
 * Makes a region of runs, in any order; they may overlap.
 *
 * @param runs    `count` runs; NULL if count is 0; one with min_x = max_x is empty
 * @param memory  NULL: the collector
 * @return        the version; NULL on failure
 *
 * @error PQT_ERROR_BOX    a run's min_x is above its max_x; index tells which
 * @error PQT_ERROR_LIMIT  a run that is not empty leaves PQT_PIXEL_LIMIT, or there are more than
 *                         2^31 - 1 runs
 * @error and those of pqt_region_make
 * @cost  O(count * level) time; scratch memory of some bytes a run
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_of_runs(const pqt_pixel_run *runs, size_t count,
                                                           pqt_memory *memory, pqt_error *error);

/** As pqt_region_of_runs, of boxes, in any order; they may overlap. @since 0.1 */
PQT_API PQT_NODISCARD const pqt_region *
pqt_region_of_boxes(const pqt_pixel_box *boxes, size_t count, pqt_memory *memory, pqt_error *error);

/**
 * Copies a version into another memory.
 *
 * To copy several versions and keep what they share shared, use pqt_region_copy_all.
 *
 * @param memory  NULL: the collector
 * @return        an equal version; `region` itself if it lives in that memory; NULL on failure
 *
 * @error PQT_ERROR_MEMORY, PQT_ERROR_UNSUPPORTED, PQT_ERROR_THREAD
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_copy(const pqt_region *region,
                                                        pqt_memory *memory, pqt_error *error);

/**
 * Copies versions into another memory; what they share is copied once and shared there.
 *
 * @param regions  `count` versions, each not NULL
 * @param copies   room for `count` pointers; written only on success
 * @return         false on failure, with the errors of pqt_region_copy
 * @cost    O(distinct nodes); scratch memory for each
 * @since   0.1
 */
PQT_API PQT_NODISCARD bool pqt_region_copy_all(const pqt_region *const *regions, size_t count,
                                               pqt_memory *memory, const pqt_region **copies,
                                               pqt_error *error);

/**
 * The same pixels, with each of several equal squares kept once: for what repeats itself, such as
 * the tiles of a level or a periodic pattern.
 *
 * Nothing else differs; what is made of the new version shares with it as always, but makes its new
 * squares without looking for equal ones. A square that stands in several places is counted in each
 * by pqt_region_get_stats and pqt_region_shared_bytes; what it really takes is told by an arena
 * that the version is copied into, since a copy keeps squares shared.
 *
 * @return  the new version; `region` itself if it has no two equal squares; NULL on failure
 * @error PQT_ERROR_MEMORY  no memory; `region` still stands
 * @cost    O(distinct nodes) time; new nodes above what was found equal alone; scratch memory of
 *          about 100 bytes a node
 * @thread  any number at once on one version
 * @source  hash-consing: Filliatre, Conchon 2006
 * @since   0.1
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_intern(const pqt_region *region,
                                                          pqt_error *error);
/** @} */

/** @name Paint: values that say what is to be done, checked when they are used */
/** @{ */

/** Paint of one pixel. @since 0.1 */
PQT_API pqt_paint pqt_paint_pixel(pqt_paint_op op, pqt_pixel pixel);

/** Paint of a box of pixels. @since 0.1 */
PQT_API pqt_paint pqt_paint_box(pqt_paint_op op, pqt_pixel_box box);

/**
 * Paint of a disc: of the pixels whose centre is no farther than `radius` from `centre`.
 *
 * So a disc of radius 0.5 around the centre of a pixel is that pixel. Centre and radius are first
 * rounded to 1/1024 pixel; then all is exact.
 *
 * @param centre  pixels, not only whole ones; each number at most PQT_PIXEL_LIMIT in size
 * @param radius  pixels, 0..PQT_PIXEL_LIMIT
 * @since 0.1
 */
PQT_API pqt_paint pqt_paint_disc(pqt_paint_op op, pqt_vec centre, double radius);

/**
 * Paint of a stroke: of the pixels whose centre is no farther than `radius` from the line from
 * `from` to `to`, its ends included. Rounding and ranges as for pqt_paint_disc.
 *
 * @since 0.1
 */
PQT_API pqt_paint pqt_paint_stroke(pqt_paint_op op, pqt_vec from, pqt_vec to, double radius);
/** @} */

/** @name Changing: each returns a version */
/** @{ */

/**
 * Paints: the new version differs from the given one in the pixels of one shape.
 *
 * @param region  any version, from any thread; NULL passes an earlier failure on
 * @param paint   what to do where
 * @param error   told why on failure; may be NULL; an error already in it is kept
 * @return        the new version; `region` itself if no pixel changed; NULL on failure
 *
 * @error PQT_ERROR_BOX     the box is inside out
 * @error PQT_ERROR_OPTION  the ink or the shape is none; a place or the radius is NaN, or the
 *                          radius is below 0
 * @error PQT_ERROR_LIMIT   a place or the radius is beyond PQT_PIXEL_LIMIT; or the box around the
 *                          shape is, unless it only clears: there is nothing to clear out there
 * @error PQT_ERROR_MEMORY  no memory; `region` still stands
 *
 * @cost    one pixel: O(level) time, and less than 1 kB in a canvas of 4096 x 4096; else O(leaves
 *          that the shape's edge crosses), times its rows in each. What is wholly inside is not
 *          looked at, unless it is toggled.
 * @thread  any number at once on one version
 * @source  path copying: Driscoll, Sarnak, Sleator, Tarjan 1989, section 2.2
 * @since   0.1
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_paint(const pqt_region *region, pqt_paint paint,
                                                         pqt_error *error);

/**
 * Paints several times: the result is that of painting one by one in the given order, or NULL.
 *
 * @param paints  `count` strokes of paint; NULL if count is 0
 * @return        the new version; `region` itself if no pixel changed in the end; NULL on
 *                failure, with nothing done
 * @error as pqt_region_paint, index telling which; PQT_ERROR_LIMIT for more than 2^31 - 1 paints
 * @cost  one descent: a leaf that several shapes meet is made once
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_paint_all(const pqt_region *region,
                                                             const pqt_paint *paints, size_t count,
                                                             pqt_error *error);

/**
 * The pixels of either region, or of both.
 *
 * @param a       any version; NULL passes an earlier failure on
 * @param b       any version of the same memory; NULL passes an earlier failure on
 * @param offset  how far b is moved before
 * @return        the new version; `a` or an unmoved `b` itself if it is the result; NULL on failure
 *
 * @error PQT_ERROR_MISMATCH  the memories differ
 * @error PQT_ERROR_LIMIT     the moved b leaves PQT_PIXEL_LIMIT
 * @error PQT_ERROR_MEMORY    no memory; both still stand
 * @cost  O(nodes that both have and do not share) without an offset; b's nodes are shared where the
 *        offset is a multiple of their side; else O(leaves of b), in words of 64 pixels
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_union(const pqt_region *a, const pqt_region *b,
                                                         pqt_pixel offset, pqt_error *error);

/** The pixels of both regions. As pqt_region_union, but no offset is too far. @since 0.1 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_intersection(const pqt_region *a,
                                                                const pqt_region *b,
                                                                pqt_pixel offset, pqt_error *error);

/** The pixels of a that are not of b. As pqt_region_union, but no offset is too far. @since 0.1 */
PQT_API PQT_NODISCARD const pqt_region *
pqt_region_difference(const pqt_region *a, const pqt_region *b, pqt_pixel offset, pqt_error *error);

/**
 * The pixels of one region and not of the other. As pqt_region_union.
 *
 * Of two versions, without an offset, this is what changed between them: O(changes).
 *
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_xor(const pqt_region *a, const pqt_region *b,
                                                       pqt_pixel offset, pqt_error *error);

/**
 * The region at another place.
 *
 * @return  the new version; `region` itself if it has no pixels or the offset is 0, 0; NULL on
 *          failure
 * @error PQT_ERROR_LIMIT   it leaves PQT_PIXEL_LIMIT there
 * @error PQT_ERROR_MEMORY  no memory; `region` still stands
 * @cost  O(leaves), in words of 64 pixels; squares whose side divides the offset are shared, and
 *        not looked into
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_move(const pqt_region *region, pqt_pixel offset,
                                                        pqt_error *error);

/**
 * The pixels of a box that do not belong to the region.
 *
 * @return  the new version; NULL on failure
 * @error PQT_ERROR_BOX     the box is inside out
 * @error PQT_ERROR_LIMIT   the box leaves PQT_PIXEL_LIMIT
 * @error PQT_ERROR_MEMORY  no memory; `region` still stands
 * @cost  O(nodes in the box, and leaves that its edge crosses)
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_complement(const pqt_region *region,
                                                              pqt_pixel_box box, pqt_error *error);

/**
 * The pixels of a box that belong to the region.
 *
 * @param box  may leave PQT_PIXEL_LIMIT
 * @return     the new version; `region` itself if all its pixels lie in the box; NULL on failure
 * @error PQT_ERROR_BOX     the box is inside out
 * @error PQT_ERROR_MEMORY  no memory; `region` still stands
 * @cost  O(nodes that the box's edge crosses); what is wholly inside is shared
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_crop(const pqt_region *region, pqt_pixel_box box,
                                                        pqt_error *error);
/** @} */

/** @name Forms: each returns a version */
/** @{ */

/**
 * Visits the components of a region: the largest parts of which each pixel can be reached from each
 * other through neighbours. They come in the order of their first pixels, row by row.
 *
 * @param region        any version; NULL passes an earlier failure on
 * @param connectivity  which pixels are neighbours
 * @param visit         called with each component as a version, `region` itself if it is the only
 *                      one
 * @param context       passed to `visit`
 * @param error         set on failure; may be NULL; an earlier error in it is kept
 * @return              true if every component was visited; false on failure, or if `visit` stopped
 *                      it
 *
 * @error PQT_ERROR_OPTION  neighbours are neither 4 nor 8
 * @error PQT_ERROR_MEMORY  no memory; components that were handed over still stand
 * @error PQT_ERROR_LIMIT   more than 2^31 - 1 runs
 * @cost  O(runs * level) time; scratch memory of 32 bytes a run
 * @since 0.1
 */
PQT_API bool pqt_region_visit_components(const pqt_region *region, pqt_connectivity connectivity,
                                         pqt_visit_region_fn *visit, void *context,
                                         pqt_error *error);

/**
 * The component that a pixel belongs to: what a painter's bucket fills.
 *
 * @return  the new version; `region` itself if it is one component; an empty one if the pixel
 *          does not belong; NULL on failure
 * @error as pqt_region_visit_components
 * @cost  as pqt_region_visit_components
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_component(const pqt_region *region,
                                                             pqt_pixel pixel,
                                                             pqt_connectivity connectivity,
                                                             pqt_error *error);

/**
 * The pixels that have a neighbour which does not belong.
 *
 * @return  the new version; `region` itself if all of its pixels have; NULL on failure
 * @error PQT_ERROR_OPTION  neighbours are neither 4 nor 8
 * @error PQT_ERROR_MEMORY  no memory; `region` still stands
 * @cost  as four intersections
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_region *
pqt_region_outline(const pqt_region *region, pqt_connectivity connectivity, pqt_error *error);

/**
 * The region flipped or turned about the point 0, 0; pqt_region_move brings it elsewhere.
 *
 * A picture of w x h pixels at 0, 0 flipped by PQT_FLIP_X and moved by w, 0 is that picture
 * mirrored.
 *
 * @return  the new version; `region` itself if it has the same pixels; NULL on failure
 * @error PQT_ERROR_OPTION  the turn is none
 * @error PQT_ERROR_MEMORY  no memory; `region` still stands
 * @cost  O(nodes)
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_region *
pqt_region_transform(const pqt_region *region, pqt_transform transform, pqt_error *error);

/**
 * The region enlarged: the pixel x, y becomes the box from x * factor_x, y * factor_y, of
 * factor_x x factor_y pixels.
 *
 * @param factor_x, factor_y  at least 1
 * @return  the new version; `region` itself if it has no pixels or both factors are 1; NULL on
 *          failure
 * @error PQT_ERROR_OPTION  a factor is below 1
 * @error PQT_ERROR_LIMIT   it leaves PQT_PIXEL_LIMIT, or is of more than 2^31 - 1 boxes
 * @error PQT_ERROR_MEMORY  no memory; `region` still stands
 * @cost  O(boxes * level) time, where boxes are those of pqt_region_visit_boxes; scratch memory
 *        of 16 bytes a box
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_scale(const pqt_region *region, int32_t factor_x,
                                                         int32_t factor_y, pqt_error *error);

/**
 * The pixels that can be reached from the region in so many steps to a neighbour.
 *
 * With PQT_CONNECTIVITY_8 each pixel grows to a square of 2 * steps + 1 pixels, with
 * PQT_CONNECTIVITY_4 to a diamond of that width.
 *
 * @param steps  at least 0
 * @return       the new version; `region` itself if it has no pixels or steps is 0; NULL on failure
 * @error PQT_ERROR_OPTION  steps is below 0, or neighbours are neither 4 nor 8
 * @error PQT_ERROR_LIMIT   it leaves PQT_PIXEL_LIMIT
 * @error PQT_ERROR_MEMORY  no memory; `region` still stands
 * @cost  as O(log steps) unions; the versions in between stay in an arena until it goes
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_dilate(const pqt_region *region, int32_t steps,
                                                          pqt_connectivity connectivity,
                                                          pqt_error *error);

/**
 * The pixels from which no pixel outside of the region can be reached in so many steps to a
 * neighbour.
 *
 * What lies beyond PQT_PIXEL_LIMIT is outside. As pqt_region_dilate otherwise, without its limit.
 *
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_erode(const pqt_region *region, int32_t steps,
                                                         pqt_connectivity connectivity,
                                                         pqt_error *error);
/** @} */

/** @name Asking: these never fail and never allocate; windows that are inside out have no pixels */
/** @{ */

/** How many pixels belong. @cost O(1) @since 0.1 */
PQT_API uint64_t pqt_region_count(const pqt_region *region);

/** How many pixels of a window belong. @cost O(nodes that the window's edge crosses) @since 0.1 */
PQT_API uint64_t pqt_region_count_in(const pqt_region *region, pqt_pixel_box window);

/** Whether any pixel of a window belongs. @cost at most that of pqt_region_count_in @since 0.1 */
PQT_API bool pqt_region_any_in(const pqt_region *region, pqt_pixel_box window);

/** Whether a pixel belongs; any pixel may be asked for. @cost O(level) @since 0.1 */
PQT_API bool pqt_region_contains(const pqt_region *region, pqt_pixel pixel);

/**
 * The smallest box that holds all pixels; 0, 0, 0, 0 if there are none.
 *
 * @cost  O(nodes along the region's outer edge)
 * @since 0.1
 */
PQT_API pqt_pixel_box pqt_region_bounds(const pqt_region *region);

/** The memory that a version lives in. @since 0.1 */
PQT_API pqt_memory *pqt_region_memory(const pqt_region *region);

/**
 * Whether two versions have the same pixels. The memories may differ.
 *
 * @cost  O(1) if they are one pointer or differ; else O(nodes that they do not share)
 * @since 0.1
 */
PQT_API bool pqt_region_equals(const pqt_region *a, const pqt_region *b);

/**
 * 64 bits that stand for the set of pixels: equal for equal sets, on every machine.
 *
 * It guards against accident, not against an adversary.
 *
 * @cost  O(1)
 * @since 0.1
 */
PQT_API uint64_t pqt_region_fingerprint(const pqt_region *region);

/**
 * Validates every invariant of a version.
 *
 * @param error  told the first invariant that is broken, and where
 * @return       whether all hold
 * @error PQT_ERROR_CORRUPT  memory was overwritten, or the library has a bug
 * @cost  O(nodes)
 * @since 0.1
 */
PQT_API bool pqt_region_check(const pqt_region *region, pqt_error *error);

/** Counts what a version consists of. @cost O(nodes) @since 0.1 */
PQT_API pqt_region_stats pqt_region_get_stats(const pqt_region *region);

/**
 * Bytes that two versions share: what the second costs beside the first is its own bytes less
 * these.
 *
 * @cost  O(nodes of the shared part); the parts that differ are passed over once
 * @since 0.1
 */
PQT_API size_t pqt_region_shared_bytes(const pqt_region *a, const pqt_region *b);
/** @} */

/** @name What a version costs beside others */
/** @{ */

/** Counts the bytes of a region that none of some others shares. As pqt_tree_exclusive_bytes.
    @since 0.1 */
PQT_API bool pqt_region_exclusive_bytes(const pqt_region *region, const pqt_region *const *others,
                                        size_t count, size_t *bytes, pqt_error *error);
/** @} */

/** @name Out: these never fail and never allocate, pqt_region_to_bytes apart */
/** @{ */

/**
 * Visits the pixels of a window as runs, row by row, left to right.
 *
 * Runs are as long as they can be: between two of a row there is a pixel that does not belong.
 *
 * @param window  pass pqt_region_bounds for all
 * @return        true if the walk came to its end, false if `visit` stopped it
 * @cost  O(rows * level + runs + leaves of each row)
 * @since 0.1
 */
PQT_API bool pqt_region_visit_runs(const pqt_region *region, pqt_pixel_box window,
                                   pqt_visit_pixel_run_fn *visit, void *context);

/**
 * Visits boxes that together are the pixels of a window, without overlapping, by their upper left
 * corner: row by row, left to right.
 *
 * Each run that goes on unchanged in the rows below is one box with these. The boxes depend on the
 * pixels and the window alone.
 *
 * @return  true if the walk came to its end, false if `visit` stopped it
 * @cost    as pqt_region_visit_runs, and two looks into the rows beside for each run
 * @since   0.1
 */
PQT_API bool pqt_region_visit_boxes(const pqt_region *region, pqt_pixel_box window,
                                    pqt_visit_pixel_box_fn *visit, void *context);

/**
 * Visits the squares of the quadtree that hold pixels, each before what is in it, in Z order.
 *
 * @return  true if the walk came to its end, false if `visit` stopped it
 * @since 0.1
 */
PQT_API bool pqt_region_visit_squares(const pqt_region *region, pqt_visit_square_fn *visit,
                                      void *context);

/**
 * Writes the pixels of a window as bytes: `value` where they belong, 0 where not.
 *
 * @param window  may leave PQT_PIXEL_LIMIT; nothing belongs there
 * @param bytes   room for the window's rows, `stride` apart; bytes beyond its width stay as they
 *                are; NULL if the window is empty
 * @param stride  bytes from a row to the one below, at least the window's width
 * @param error   told why on failure; may be NULL; an error already in it is kept
 * @return        false on failure, with nothing written
 *
 * @error PQT_ERROR_BOX     the window is inside out
 * @error PQT_ERROR_OPTION  stride is less than the window's width, or the bytes are more than can
 *                          be addressed
 * @since 0.1
 */
PQT_API bool pqt_region_to_bytes(const pqt_region *region, pqt_pixel_box window, uint8_t *bytes,
                                 size_t stride, uint8_t value, pqt_error *error);
/** @} */

/** @name What changed between two versions: these never fail and never allocate */
/** @{ */

/**
 * Visits boxes that hold every pixel in which two versions differ: what is to be drawn again.
 *
 * Each box is tight around the changes in one square of 64 x 64 pixels, or is a larger square that
 * went from empty to full or back. They do not overlap, and come in Z order. The pixels themselves
 * are pqt_region_xor.
 *
 * @param before, after  any versions; the memories may differ
 * @return               true if the walk came to its end, false if `visit` stopped it
 * @cost  O(changes * level): squares that both share, and others of equal fingerprint, are passed
 *        over
 * @since 0.1
 */
PQT_API bool pqt_region_visit_diff(const pqt_region *before, const pqt_region *after,
                                   pqt_visit_pixel_box_fn *visit, void *context);

/**
 * Writes at most `capacity` boxes that hold every pixel in which two versions differ.
 *
 * They are those of pqt_region_visit_diff; where there are more, each further one is joined with
 * the box that grows least by it, so boxes may then overlap.
 *
 * @param boxes     room for `capacity` boxes, not NULL
 * @param capacity  at least 1
 * @return          how many were written; 0: the versions are equal
 * @cost  as pqt_region_visit_diff, times `capacity` where there are more
 * @since 0.1
 */
PQT_API size_t pqt_region_damage(const pqt_region *before, const pqt_region *after,
                                 pqt_pixel_box *boxes, size_t capacity);
/** @} */

/** @name Holding a version where the collector does not look */
/** @{ */

/**
 * Keeps a version alive until pqt_unpin, wherever the pin itself lies.
 *
 * @param region  NULL passes an earlier failure on
 * @return        the pin; NULL on failure
 * @error PQT_ERROR_MEMORY  no memory
 * @since 0.1
 */
PQT_API PQT_NODISCARD pqt_pin *pqt_region_pin(const pqt_region *region, pqt_error *error);

/**
 * The version that a pin keeps.
 *
 * @param pin  from pqt_region_pin, not NULL
 * @thread any, attached or not
 * @since  0.1
 */
PQT_API const pqt_region *pqt_pin_get_region(const pqt_pin *pin);
/** @} */

PQT_END_DECLARATIONS

#endif
