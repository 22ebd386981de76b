/* SPDX-License-Identifier: MIT */
/**
 * @file region.h - regions: persistent sets of pixels, for painting with undo and for pixel-exact
 * shapes.
 *
 * A `const pqt_region *` is a version: an immutable set of pixels. Each function that changes
 * something returns another version, which shares all equal parts with the given one; the given one
 * stays unchanged. If nothing changes, the function returns the given pointer.
 *
 * Two integers name a pixel, which is the unit square to the right and below: the pixel 3, 5 is
 * [3, 4) x [5, 6), and its centre is 3.5, 5.5. y points down. A region has no edges: it grows as
 * needed, to both sides of zero, within PQT_PIXEL_LIMIT.
 *
 * A region is a quadtree around the origin. Squares without pixels and squares full of pixels take
 * no memory, whatever their size; other squares of 64 x 64 pixels are leaves of 544 bytes. The set
 * of pixels determines every node, so equal sets have equal shapes and equal fingerprints.
 *
 * error.h has the rules for errors and for NULL versions.
 *
 *     pqt_error error = {0};
 *     const pqt_region *canvas = pqt_region_make(NULL, &error);
 *     pqt_paint disc = pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){50, 50}, 20);
 *     pqt_paint hole = pqt_paint_pixel(PQT_PAINT_CLEAR, (pqt_pixel){50, 50});
 *     canvas = pqt_region_paint(canvas, disc, &error);
 *     const pqt_region *next = pqt_region_paint(canvas, hole, &error);
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
#include <pqt/kind.h>
#include <pqt/memory.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/**
 * The range of pixels: -PQT_PIXEL_LIMIT <= x, y < PQT_PIXEL_LIMIT. Unit: pixels.
 *
 * Reason: shapes are decided in integers of 1/1024 pixel. Coordinates have 31 bits, so the product
 * of two of them fits in 63. If raised, such products overflow.
 */
#define PQT_PIXEL_LIMIT 1048576

/** A set of pixels; see above. */
typedef struct pqt_region pqt_region;

/** A pixel, or a displacement by whole pixels. */
typedef struct pqt_pixel {
    int32_t x; /**< pixels, to the right */
    int32_t y; /**< pixels, down */
} pqt_pixel;

/**
 * The pixels with min.x <= x < max.x and min.y <= y < max.y. It is half open: it excludes `max`,
 * and max - min is its size. It is empty if min.x = max.x or min.y = max.y, and inverted ("inside
 * out") if `min` is above `max` on an axis.
 */
typedef struct pqt_pixel_box {
    pqt_pixel min; /**< the upper left pixel */
    pqt_pixel max; /**< one pixel beyond the lower right pixel, on both axes */
} pqt_pixel_box;

/** Consecutive pixels of one row: those with min_x <= x < max_x. */
typedef struct pqt_pixel_run {
    int32_t y;     /**< the row */
    int32_t min_x; /**< the first pixel */
    int32_t max_x; /**< one beyond the last pixel */
} pqt_pixel_run;

/**
 * Visits one run.
 *
 * @param run      valid during the call
 * @param context  as passed to the function that visits
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_pixel_run_fn(const pqt_pixel_run *run, void *context);

/**
 * Visits one box of pixels.
 *
 * @param box      valid during the call
 * @param context  as passed to the function that visits
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_pixel_box_fn(const pqt_pixel_box *box, void *context);

/**
 * Visits one region.
 *
 * @param region   a version; to keep it, see memory.h
 * @param context  as passed to the function that visits
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_region_fn(const pqt_region *region, void *context);

/** An image with one byte per pixel, or with several, one of which is used. */
typedef struct pqt_byte_image {
    const uint8_t *data; /**< the byte of the upper left pixel that is used; NULL without pixels */
    size_t width;        /**< pixels */
    size_t height;       /**< pixels */
    size_t stride;       /**< bytes from a row to the one below, at least width * pixel_stride */
    size_t pixel_stride; /**< bytes from a pixel to the next: 1, or 4 for the alpha of RGBA, ... */
    uint8_t threshold;   /**< a pixel is in the region if its byte is above it; 0: if it is not 0 */
} pqt_byte_image;

/** The order of the eight pixels in a byte. */
typedef enum pqt_bit_order {
    PQT_BITS_LOW_FIRST = 1, /**< the leftmost pixel is the lowest bit, as in XBM */
    PQT_BITS_HIGH_FIRST = 2 /**< the leftmost pixel is the highest bit, as in PBM */
} pqt_bit_order;

/** An image with one bit per pixel. A pixel is in the region if its bit is 1. */
typedef struct pqt_bit_image {
    const uint8_t *data; /**< the byte of the upper left pixel; NULL without pixels */
    size_t width;        /**< pixels; bits of a row's last byte beyond it are not read */
    size_t height;       /**< pixels */
    size_t stride;       /**< bytes from a row to the one below, at least width / 8, rounded up */
    pqt_bit_order order; /**< there is no default */
} pqt_bit_image;

/** The effect of painting on the pixels of a shape. */
typedef enum pqt_paint_op {
    PQT_PAINT_SET = 1,   /**< adds them to the region */
    PQT_PAINT_CLEAR = 2, /**< removes them from the region */
    PQT_PAINT_TOGGLE = 3 /**< removes those in the region, adds the others */
} pqt_paint_op;

/** The shape of a primitive. */
typedef enum pqt_paint_shape {
    PQT_PAINT_BOX = 1,   /**< the pixels of `box` */
    PQT_PAINT_STROKE = 2 /**< a round pen drawn from `from` to `to` */
} pqt_paint_shape;

/** A primitive to be painted. Make it with pqt_paint_pixel, _box, _disc or _stroke. */
typedef struct pqt_paint {
    pqt_paint_op op;       /**< the operation on its pixels */
    pqt_paint_shape shape; /**< says which of the following members are read */
    pqt_pixel_box box;     /**< for PQT_PAINT_BOX */
    pqt_vec from;          /**< for PQT_PAINT_STROKE: the start, pixels */
    pqt_vec to;            /**< for PQT_PAINT_STROKE: the end, pixels */
    double radius;         /**< for PQT_PAINT_STROKE: the radius of the pen, pixels, >= 0 */
} pqt_paint;

/** Selects the pixels that are neighbours of a pixel. */
typedef enum pqt_connectivity {
    PQT_CONNECTIVITY_4 = 4, /**< those that share an edge with it */
    PQT_CONNECTIVITY_8 = 8  /**< those that share an edge or a corner with it */
} pqt_connectivity;

/** The symmetries of a square; see pqt_region_transform. y points down. */
typedef enum pqt_transform {
    PQT_FLIP_X = 1,           /**< left becomes right: x, y goes to -1 - x, y */
    PQT_FLIP_Y = 2,           /**< top becomes bottom: x, y goes to x, -1 - y */
    PQT_ROTATE_180 = 3,       /**< x, y goes to -1 - x, -1 - y */
    PQT_FLIP_DIAGONAL = 4,    /**< rows become columns: x, y goes to y, x */
    PQT_ROTATE_90 = 5,        /**< clockwise as seen on a screen: x, y goes to -1 - y, x */
    PQT_ROTATE_270 = 6,       /**< counterclockwise: x, y goes to y, -1 - x */
    PQT_FLIP_ANTIDIAGONAL = 7 /**< x, y goes to -1 - y, -1 - x */
} pqt_transform;

/** Statistics of a version; see pqt_region_get_stats. */
typedef struct pqt_region_stats {
    uint64_t pixels; /**< pixels in the region */
    size_t nodes;    /**< inner nodes, without the version itself */
    size_t leaves;   /**< leaves: squares of 64 x 64 pixels that are neither empty nor full */
    size_t full;     /**< full squares of 64 x 64 pixels or more; they take no memory */
    size_t bytes;    /**< bytes of the nodes, the leaves and the version itself */
    int level;       /**< the region covers [-2^level, 2^level) on both axes, 6..20 */
} pqt_region_stats;

/**
 * The moments of a region: its size, its middle, and how far and in which direction it extends; see
 * pqt_region_get_moments. A pixel counts as a point at its centre.
 */
typedef struct pqt_region_moments {
    uint64_t count;   /**< pixels in the region, at most 2^42 */
    int64_t sum_x;    /**< the sum of the columns of its pixels, exact; at most 2^60 in size */
    int64_t sum_y;    /**< the sum of the rows of its pixels, exact; at most 2^60 in size */
    pqt_vec centroid; /**< the mean of the centres of its pixels, pixels; 0, 0 without pixels */
    /** the second central moments, square pixels: the means of dx * dx, dx * dy and dy * dy, for
        the distances dx and dy of the centres from the centroid; 0 without pixels */
    double xx;
    double xy; /**< see xx; above 0 if the region extends to the right and down */
    double yy; /**< see xx */
    /** the unit vector along which the region extends most: that of the greatest mean square of
        distances. It points to the right, or down if it is vertical; 1, 0 if no direction is
        greater */
    pqt_vec axis;
} pqt_region_moments;

/** The kind of a square of the quadtree; see pqt_region_visit_squares. */
typedef enum pqt_square_kind {
    PQT_SQUARE_INNER = 1, /**< divided into four */
    PQT_SQUARE_LEAF = 2,  /**< 64 x 64 pixels, some of them in the region */
    PQT_SQUARE_FULL = 3   /**< all of its pixels are in the region */
} pqt_square_kind;

/** One square of the quadtree that contains a pixel of the region. */
typedef struct pqt_square {
    pqt_pixel_box box;    /**< its pixels */
    pqt_square_kind kind; /**< its kind */
    uint64_t count;       /**< the number of its pixels in the region */
} pqt_square;

/**
 * Visits one square.
 *
 * @param square   valid during the call
 * @param context  as passed to the function that visits
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_square_fn(const pqt_square *square, void *context);

/** @name Construction */
/** @{ */

/**
 * Makes a region without pixels.
 *
 * @param memory  the memory for it and for all versions made from it; NULL: the default memory
 * @return        the empty version; NULL on failure
 *
 * @error PQT_ERROR_THREAD  the first call came from a thread that is not the main thread
 * @error PQT_ERROR_MEMORY  out of memory
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_make(pqt_memory *memory, pqt_error *error);

/**
 * Makes a region from an image of bytes, such as an alpha channel.
 *
 *     pqt_byte_image alpha = {rgba + 3, width, height, 4 * width, 4, 127};
 *     const pqt_region *sprite = pqt_region_of_bytes(&alpha, (pqt_pixel){0, 0}, NULL, &error);
 *
 * @param image   not NULL; its data is read and not kept
 * @param at      the position of the image's upper left pixel
 * @param memory  NULL: the default memory
 * @return        the version; NULL on failure
 *
 * @error PQT_ERROR_OPTION  pixel_stride is 0; stride is less than a row; or the image's bytes
 *                          exceed the address space
 * @error PQT_ERROR_LIMIT   the image exceeds PQT_PIXEL_LIMIT, whatever its pixels are
 * @error and those of pqt_region_make
 * @cost  O(width * height) time; no scratch memory
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_of_bytes(const pqt_byte_image *image,
                                                            pqt_pixel at, pqt_memory *memory,
                                                            pqt_error *error);

/**
 * Makes a region from an image of bits. See pqt_region_of_bytes.
 *
 * @param image   not NULL; its data is read and not kept
 * @param at      the position of the image's upper left pixel
 * @param memory  NULL: the default memory
 * @return        the version; NULL on failure
 *
 * @error PQT_ERROR_OPTION  the order is not a pqt_bit_order; stride is less than a row; or the
 *                          image's bytes exceed the address space
 * @error PQT_ERROR_LIMIT   the image exceeds PQT_PIXEL_LIMIT, whatever its pixels are
 * @error and those of pqt_region_make
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_of_bits(const pqt_bit_image *image, pqt_pixel at,
                                                           pqt_memory *memory, pqt_error *error);

/**
 * Makes a region from runs in any order. They may overlap.
 *
 * @param runs    `count` runs; NULL if count is 0; a run with min_x = max_x is empty
 * @param count   the number of runs
 * @param memory  NULL: the default memory
 * @return        the version; NULL on failure
 *
 * @error PQT_ERROR_BOX    min_x of a run is above its max_x; `index` is the run
 * @error PQT_ERROR_LIMIT  a run that is not empty exceeds PQT_PIXEL_LIMIT, or there are more than
 *                         2^31 - 1 runs
 * @error and those of pqt_region_make
 * @cost  O(count * level) time; scratch memory of a few bytes per run
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_of_runs(const pqt_pixel_run *runs, size_t count,
                                                           pqt_memory *memory, pqt_error *error);

/**
 * Makes a region from boxes in any order. They may overlap. See pqt_region_of_runs.
 *
 * @param boxes   `count` boxes; NULL if count is 0
 * @param count   the number of boxes
 * @param memory  NULL: the default memory
 * @return        the version; NULL on failure
 *
 * @error PQT_ERROR_BOX    a box is inverted; `index` is the box
 * @error PQT_ERROR_LIMIT  a box that is not empty exceeds PQT_PIXEL_LIMIT, or there are more than
 *                         2^31 - 1 boxes
 * @error and those of pqt_region_make
 */
PQT_API PQT_NODISCARD const pqt_region *
pqt_region_of_boxes(const pqt_pixel_box *boxes, size_t count, pqt_memory *memory, pqt_error *error);

/**
 * Copies a version into another memory.
 *
 * To copy several versions and keep their shared parts shared, use pqt_region_copy_all.
 *
 * @param region  any version
 * @param memory  NULL: the default memory
 * @return        an equal version; `region` itself if it is in that memory; NULL on failure
 *
 * @error PQT_ERROR_MEMORY, PQT_ERROR_THREAD  as pqt_region_make
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_copy(const pqt_region *region,
                                                        pqt_memory *memory, pqt_error *error);

/**
 * Copies versions into another memory. Shared parts are copied once and shared there.
 *
 * @param regions  `count` versions, each not NULL
 * @param count    the number of versions
 * @param memory   NULL: the default memory
 * @param copies   an array of `count` pointers; written on success only
 * @return         false on failure
 * @error as pqt_region_copy
 * @cost  O(distinct nodes); scratch memory for each
 */
PQT_API PQT_NODISCARD bool pqt_region_copy_all(const pqt_region *const *regions, size_t count,
                                               pqt_memory *memory, const pqt_region **copies,
                                               pqt_error *error);

/**
 * Returns a version with the same pixels that stores equal squares once. Use it for repetitive
 * regions, such as the tiles of a level or a periodic pattern.
 *
 * Nothing else differs. Versions made from the new one share with it as usual, but their new
 * squares are not compared with others. pqt_region_get_stats and pqt_region_shared_bytes count a
 * square at each of its positions. To measure the memory that it takes, copy it into an arena,
 * because a copy keeps squares shared.
 *
 * @param region  any version
 * @return        the new version; `region` itself if it has no two equal squares; NULL on failure
 *
 * @error PQT_ERROR_MEMORY  out of memory; `region` is unchanged
 * @cost    O(distinct nodes) time; new nodes only above squares that were found equal; scratch
 *          memory of about 100 bytes per node
 * @thread  any number at once on one version
 * @source  hash-consing: Filliatre, Conchon 2006
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_intern(const pqt_region *region,
                                                          pqt_error *error);
/** @} */

/** @name Primitives: values that are checked when they are painted */
/** @{ */

/**
 * Returns the primitive of one pixel.
 *
 * @param op     the operation on it
 * @param pixel  the pixel
 * @return       the primitive
 */
PQT_API pqt_paint pqt_paint_pixel(pqt_paint_op op, pqt_pixel pixel);

/**
 * Returns the primitive of a box of pixels.
 *
 * @param op   the operation on its pixels
 * @param box  the box
 * @return     the primitive
 */
PQT_API pqt_paint pqt_paint_box(pqt_paint_op op, pqt_pixel_box box);

/**
 * Returns the primitive of a disc: the pixels whose centres have a distance of at most `radius`
 * from `centre`.
 *
 * So a disc of radius 0.5 around the centre of a pixel is that pixel. Centre and radius are first
 * rounded to 1/1024 pixel; then everything is exact.
 *
 * @param op      the operation on its pixels
 * @param centre  pixels, not necessarily whole; each number at most PQT_PIXEL_LIMIT in size
 * @param radius  pixels, 0..PQT_PIXEL_LIMIT
 * @return        the primitive
 */
PQT_API pqt_paint pqt_paint_disc(pqt_paint_op op, pqt_vec centre, double radius);

/**
 * Returns the primitive of a stroke: the pixels whose centres have a distance of at most `radius`
 * from the segment from `from` to `to`. Rounding and ranges are as in pqt_paint_disc.
 *
 * @param op      the operation on its pixels
 * @param from    the start of the segment, included, pixels
 * @param to      the end of the segment, included, pixels
 * @param radius  pixels, 0..PQT_PIXEL_LIMIT
 * @return        the primitive
 */
PQT_API pqt_paint pqt_paint_stroke(pqt_paint_op op, pqt_vec from, pqt_vec to, double radius);
/** @} */

/** @name Edits: each returns a version */
/** @{ */

/**
 * Paints one primitive.
 *
 * @param region  any version, from any thread
 * @param paint   the primitive
 * @return        the new version; `region` itself if no pixel changed; NULL on failure
 *
 * @error PQT_ERROR_BOX     the box is inverted
 * @error PQT_ERROR_OPTION  `op` or `shape` is out of range; a position or the radius is NaN, or the
 *                          radius is below 0
 * @error PQT_ERROR_LIMIT   a position or the radius is beyond PQT_PIXEL_LIMIT; or the box around
 *                          the shape is, unless `op` is PQT_PAINT_CLEAR: nothing can be cleared
 *                          there
 * @error PQT_ERROR_MEMORY  out of memory; `region` is unchanged
 *
 * @cost    one pixel: O(level) time, and less than 1 kB in a canvas of 4096 x 4096; otherwise
 *          O(leaves that the shape's edge crosses), times its rows in each. Squares inside the
 *          shape are not entered, unless they are toggled.
 * @thread  any number at once on one version
 * @source  path copying: Driscoll, Sarnak, Sleator, Tarjan 1989, section 2.2
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_paint(const pqt_region *region, pqt_paint paint,
                                                         pqt_error *error);

/**
 * Paints several primitives. The result is the same as if they were painted one by one in the given
 * order, or NULL.
 *
 * @param region  any version, from any thread
 * @param paints  `count` primitives; NULL if count is 0
 * @param count   the number of primitives
 * @return        the new version; `region` itself if no pixel changed in the end; NULL on failure,
 *                with nothing painted
 *
 * @error as pqt_region_paint, `index` is the primitive; PQT_ERROR_LIMIT for more than 2^31 - 1
 *        primitives
 * @cost  one descent: a leaf that several shapes cross is made once
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_paint_all(const pqt_region *region,
                                                             const pqt_paint *paints, size_t count,
                                                             pqt_error *error);

/**
 * Returns the union of two regions, in the memory of the first.
 *
 * @param a       any version
 * @param b       any version; its memory may be another one
 * @param offset  the displacement of `b` before the operation
 * @return        the new version; `a` itself if it is the result, or `b` if it is, was not moved
 *                and is in the same memory; NULL on failure
 *
 * @error PQT_ERROR_LIMIT   the moved `b` exceeds PQT_PIXEL_LIMIT
 * @error PQT_ERROR_MEMORY  out of memory; both are unchanged
 * @cost  O(nodes that both have and do not share) without an offset; nodes of `b` are shared if the
 *        memory is the same and the offset is a multiple of their side; otherwise O(leaves of b),
 *        in words of 64 pixels
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_union(const pqt_region *a, const pqt_region *b,
                                                         pqt_pixel offset, pqt_error *error);

/**
 * Returns the intersection of two regions. Like pqt_region_union, but any offset is allowed.
 *
 * @param a       any version
 * @param b       any version; its memory may be another one
 * @param offset  the displacement of `b` before the operation
 * @return        as pqt_region_union
 * @error PQT_ERROR_MEMORY  as pqt_region_union
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_intersection(const pqt_region *a,
                                                                const pqt_region *b,
                                                                pqt_pixel offset, pqt_error *error);

/**
 * Returns the pixels of `a` that are not in `b`. Like pqt_region_union, but any offset is allowed.
 *
 * @param a       any version
 * @param b       any version; its memory may be another one
 * @param offset  the displacement of `b` before the operation
 * @return        as pqt_region_union
 * @error PQT_ERROR_MEMORY  as pqt_region_union
 */
PQT_API PQT_NODISCARD const pqt_region *
pqt_region_difference(const pqt_region *a, const pqt_region *b, pqt_pixel offset, pqt_error *error);

/**
 * Returns the pixels that are in exactly one of two regions (the symmetric difference).
 *
 * For two versions and no offset, these are the changes between them, in O(changes).
 *
 * @param a       any version
 * @param b       any version; its memory may be another one
 * @param offset  the displacement of `b` before the operation
 * @return        as pqt_region_union
 * @error as pqt_region_union
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_xor(const pqt_region *a, const pqt_region *b,
                                                       pqt_pixel offset, pqt_error *error);

/**
 * Returns a region moved by whole pixels.
 *
 * @param region  any version
 * @param offset  the displacement
 * @return        the new version; `region` itself if it has no pixels or the offset is 0, 0; NULL
 *                on failure
 * @error PQT_ERROR_LIMIT   the result would exceed PQT_PIXEL_LIMIT
 * @error PQT_ERROR_MEMORY  out of memory; `region` is unchanged
 * @cost  O(leaves), in words of 64 pixels; squares whose side divides the offset are shared and not
 *        entered
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_move(const pqt_region *region, pqt_pixel offset,
                                                        pqt_error *error);

/**
 * Returns the pixels of a box that are not in a region.
 *
 * @param region  any version
 * @param box     the box
 * @return        the new version; NULL on failure
 * @error PQT_ERROR_BOX     the box is inverted
 * @error PQT_ERROR_LIMIT   the box exceeds PQT_PIXEL_LIMIT
 * @error PQT_ERROR_MEMORY  out of memory; `region` is unchanged
 * @cost  O(nodes in the box, and leaves that its edge crosses)
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_complement(const pqt_region *region,
                                                              pqt_pixel_box box, pqt_error *error);

/**
 * Returns the pixels of a box that are in a region.
 *
 * @param region  any version
 * @param box     the box; it may exceed PQT_PIXEL_LIMIT
 * @return        the new version; `region` itself if all its pixels are in the box; NULL on failure
 * @error PQT_ERROR_BOX     the box is inverted
 * @error PQT_ERROR_MEMORY  out of memory; `region` is unchanged
 * @cost  O(nodes that the box's edge crosses); squares inside the box are shared
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_crop(const pqt_region *region, pqt_pixel_box box,
                                                        pqt_error *error);
/** @} */

/** @name Morphology: each returns a version */
/** @{ */

/**
 * Visits the components of a region: the largest parts whose pixels are connected through
 * neighbours. They are ordered by their first pixels, row by row.
 *
 * @param region        any version
 * @param connectivity  which pixels are neighbours
 * @param minimum       the least number of pixels of a component; smaller ones are neither made nor
 *                      visited; 0: all are visited
 * @param visit         called with each component as a version, `region` itself if it is the only
 *                      one; see error.h for visitors
 * @param context       passed to `visit`
 * @return              true if every component was visited; false on failure, or if `visit` stopped
 *                      it
 *
 * @error PQT_ERROR_OPTION  the connectivity is neither 4 nor 8
 * @error PQT_ERROR_MEMORY  out of memory; components that were visited stay valid
 * @error PQT_ERROR_LIMIT   more than 2^31 - 1 runs
 * @cost  O(runs * level) time; scratch memory of 32 bytes per run
 */
PQT_API bool pqt_region_visit_components(const pqt_region *region, pqt_connectivity connectivity,
                                         uint64_t minimum, pqt_visit_region_fn *visit,
                                         void *context, pqt_error *error);

/**
 * Returns the component with the most pixels; of several, the first in the order of
 * pqt_region_visit_components.
 *
 * @param region        any version
 * @param connectivity  which pixels are neighbours
 * @return              the new version; `region` itself if it is one component or has no pixels;
 *                      NULL on failure
 * @error as pqt_region_visit_components
 * @cost  as pqt_region_visit_components
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_largest_component(const pqt_region *region,
                                                                     pqt_connectivity connectivity,
                                                                     pqt_error *error);

/**
 * Returns the component that contains a pixel, as in a flood fill.
 *
 * Only the squares of the component are read, and those that touch them; a full square is one,
 * whatever its size. Leaves and nodes that contain no pixel of another component are shared.
 *
 * @param region        any version
 * @param pixel         any pixel
 * @param connectivity  which pixels are neighbours
 * @return              the new version; `region` itself if it is one component; an empty one if the
 *                      pixel is not in the region; NULL on failure
 * @error PQT_ERROR_OPTION  the connectivity is neither 4 nor 8
 * @error PQT_ERROR_MEMORY  out of memory; `region` is unchanged
 * @cost  O(squares of the component * level + its runs in leaves) time; scratch memory of about 600
 *        bytes per leaf of the component
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_component(const pqt_region *region,
                                                             pqt_pixel pixel,
                                                             pqt_connectivity connectivity,
                                                             pqt_error *error);

/**
 * Returns the pixels that have a neighbour outside the region.
 *
 * @param region        any version
 * @param connectivity  which pixels are neighbours
 * @return              the new version; `region` itself if all of its pixels have one; NULL on
 *                      failure
 * @error PQT_ERROR_OPTION  the connectivity is neither 4 nor 8
 * @error PQT_ERROR_MEMORY  out of memory; `region` is unchanged
 * @cost  that of four intersections
 */
PQT_API PQT_NODISCARD const pqt_region *
pqt_region_outline(const pqt_region *region, pqt_connectivity connectivity, pqt_error *error);

/**
 * Returns a region flipped or rotated about the point 0, 0. pqt_region_move moves it elsewhere.
 *
 * An image of w x h pixels at 0, 0 that is flipped by PQT_FLIP_X and moved by w, 0 is its mirror
 * image at 0, 0.
 *
 * @param region     any version
 * @param transform  the transformation
 * @return           the new version; `region` itself if it has the same pixels; NULL on failure
 * @error PQT_ERROR_OPTION  the transform is out of range
 * @error PQT_ERROR_MEMORY  out of memory; `region` is unchanged
 * @cost  O(distinct nodes), with scratch memory as for pqt_region_equals
 */
PQT_API PQT_NODISCARD const pqt_region *
pqt_region_transform(const pqt_region *region, pqt_transform transform, pqt_error *error);

/**
 * Returns a region enlarged by whole factors: the pixel x, y becomes the box of factor_x x factor_y
 * pixels at x * factor_x, y * factor_y.
 *
 * @param region    any version
 * @param factor_x  at least 1
 * @param factor_y  at least 1
 * @return          the new version; `region` itself if it has no pixels or both factors are 1; NULL
 *                  on failure
 * @error PQT_ERROR_OPTION  a factor is below 1
 * @error PQT_ERROR_LIMIT   the result would exceed PQT_PIXEL_LIMIT, or has more than 2^31 - 1 boxes
 * @error PQT_ERROR_MEMORY  out of memory; `region` is unchanged
 * @cost  O(boxes * level) time, for the boxes of pqt_region_visit_boxes; scratch memory of 16 bytes
 *        a box
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_scale(const pqt_region *region, int32_t factor_x,
                                                         int32_t factor_y, pqt_error *error);

/**
 * Returns the pixels that can be reached from a region in at most a given number of steps, each to
 * a neighbour.
 *
 * With PQT_CONNECTIVITY_8 each pixel grows to a square of 2 * steps + 1 pixels, with
 * PQT_CONNECTIVITY_4 to a diamond of that width.
 *
 * @param region        any version
 * @param steps         at least 0
 * @param connectivity  which pixels are neighbours
 * @return              the new version; `region` itself if it has no pixels or steps is 0; NULL on
 *                      failure
 * @error PQT_ERROR_OPTION  steps is below 0, or the connectivity is neither 4 nor 8
 * @error PQT_ERROR_LIMIT   the result would exceed PQT_PIXEL_LIMIT
 * @error PQT_ERROR_MEMORY  out of memory; `region` is unchanged
 * @cost  that of O(log steps) unions; in an arena, intermediate versions stay until it is destroyed
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_dilate(const pqt_region *region, int32_t steps,
                                                          pqt_connectivity connectivity,
                                                          pqt_error *error);

/**
 * Returns the pixels from which no pixel outside the region can be reached in at most a given
 * number of steps, each to a neighbour. Everything beyond PQT_PIXEL_LIMIT is outside. See
 * pqt_region_dilate.
 *
 * @param region        any version
 * @param steps         at least 0
 * @param connectivity  which pixels are neighbours
 * @return              the new version; `region` itself if it has no pixels or steps is 0; NULL on
 *                      failure
 * @error PQT_ERROR_OPTION, PQT_ERROR_MEMORY  as pqt_region_dilate
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_region_erode(const pqt_region *region, int32_t steps,
                                                         pqt_connectivity connectivity,
                                                         pqt_error *error);
/** @} */

/** @name Reading: these never fail and never allocate; an inverted window has no pixels */
/** @{ */

/**
 * Returns the number of pixels of a region.
 *
 * @param region  any version
 * @return        pixels
 * @cost  O(1)
 */
PQT_API uint64_t pqt_region_count(const pqt_region *region);

/**
 * Returns the number of pixels of a window that are in a region.
 *
 * @param region  any version
 * @param window  any box
 * @return        pixels
 * @cost  O(nodes that the window's edge crosses)
 */
PQT_API uint64_t pqt_region_count_in(const pqt_region *region, pqt_pixel_box window);

/**
 * Returns whether any pixel of a window is in a region.
 *
 * @param region  any version
 * @param window  any box
 * @return        true if one is
 * @cost  at most that of pqt_region_count_in
 */
PQT_API bool pqt_region_any_in(const pqt_region *region, pqt_pixel_box window);

/**
 * Returns whether a pixel is in a region.
 *
 * @param region  any version
 * @param pixel   any pixel, even beyond PQT_PIXEL_LIMIT
 * @return        true if it is
 * @cost  O(level)
 */
PQT_API bool pqt_region_contains(const pqt_region *region, pqt_pixel pixel);

/**
 * Returns the smallest box that contains all pixels of a region.
 *
 * @param region  any version
 * @return        the box; 0, 0, 0, 0 without pixels
 * @cost  O(nodes along the region's outer edge)
 */
PQT_API pqt_pixel_box pqt_region_bounds(const pqt_region *region);

/**
 * Returns the moments of a region.
 *
 * All sums are exact integers, so the central moments and the axis of a moved region are the same
 * bits, and a symmetric region has exactly the axis of its symmetry. Only the quotients and the
 * unit vector are rounded.
 *
 *     pqt_region_moments m = pqt_region_get_moments(sprite);
 *     double degrees = atan2(m.axis.y, m.axis.x) * 180 / 3.14159265358979;
 *
 * @param region  any version
 * @return        the moments
 * @cost    O(squares of pqt_region_visit_squares + runs in leaves)
 * @source  M.-K. Hu, "Visual pattern recognition by moment invariants", 1962
 */
PQT_API pqt_region_moments pqt_region_get_moments(const pqt_region *region);

/**
 * Returns the memory of a version.
 *
 * @param region  any version
 * @return        the memory; never NULL
 */
PQT_API pqt_memory *pqt_region_memory(const pqt_region *region);

/**
 * Returns whether two versions have the same pixels. The memories may differ.
 *
 * @param a  any version
 * @param b  any version
 * @return   true if they have the same pixels
 * @cost  O(1) if they are one pointer or differ; otherwise O(nodes that they do not share), where a
 *        node at several places of a version counts once. Up to 4096 nodes, no memory is allocated.
 *        Beyond that, scratch memory of up to 100 bytes per node; without it, a node at several
 *        places is entered at each
 */
PQT_API bool pqt_region_equals(const pqt_region *a, const pqt_region *b);

/**
 * Returns the fingerprint of a set of pixels: equal for equal sets, on every machine.
 *
 * It guards against accidents, not against an adversary. Each node keeps 64 bits only, so two
 * different sets of equal count have equal fingerprints with a probability of about 2^-64.
 *
 * @param region  any version
 * @return        128 bits
 * @cost  O(1)
 */
PQT_API pqt_fingerprint pqt_region_fingerprint(const pqt_region *region);

/**
 * Checks every invariant of a version.
 *
 * @param region  any version, not NULL
 * @param error   set to the first broken invariant and its place; may be NULL
 * @return        true if all hold
 * @error PQT_ERROR_CORRUPT  memory was overwritten, or the library has a bug
 * @cost  O(distinct nodes), with scratch memory as for pqt_region_equals
 */
PQT_API bool pqt_region_check(const pqt_region *region, pqt_error *error);

/**
 * Returns the statistics of a version. A node that is at several places, because the version was
 * interned or read from bytes, counts at each. So `nodes`, `leaves` and `full` together are the
 * number of squares that pqt_region_visit_squares visits.
 *
 * @param region  any version
 * @return        the statistics
 * @cost  O(distinct nodes), with scratch memory as for pqt_region_equals
 */
PQT_API pqt_region_stats pqt_region_get_stats(const pqt_region *region);

/**
 * Returns the number of bytes that two versions share. If the first is kept anyway, the second
 * costs its own bytes minus these.
 *
 * @param a  any version
 * @param b  any version
 * @return   bytes
 * @cost  O(distinct nodes of the shared part), with scratch memory as for pqt_region_equals, and
 *        O(places at which the nodes of both differ)
 */
PQT_API size_t pqt_region_shared_bytes(const pqt_region *a, const pqt_region *b);
/** @} */

/** @name The cost of a version compared with others */
/** @{ */

/**
 * Counts the bytes of a region that no other given version shares. See pqt_tree_exclusive_bytes.
 *
 * @param region  any version
 * @param others  `count` versions, each not NULL; NULL if count is 0
 * @param count   the number of other versions
 * @param bytes   written on success
 * @return        false on failure
 * @error as pqt_tree_exclusive_bytes
 */
PQT_API bool pqt_region_exclusive_bytes(const pqt_region *region, const pqt_region *const *others,
                                        size_t count, size_t *bytes, pqt_error *error);
/** @} */

/** @name Output: only pqt_region_to_bytes can fail, and none allocates */
/** @{ */

/**
 * Visits the pixels of a window as runs, row by row, left to right.
 *
 * Runs are maximal: between two runs of a row there is a pixel outside the region.
 *
 * @param region   any version
 * @param window   any box; pqt_region_bounds for all
 * @param visit    called for each run; see error.h for visitors
 * @param context  passed to `visit`
 * @return         true if all were visited, false if `visit` stopped it
 * @cost  O(rows * level + runs + leaves of each row)
 */
PQT_API bool pqt_region_visit_runs(const pqt_region *region, pqt_pixel_box window,
                                   pqt_visit_pixel_run_fn *visit, void *context);

/**
 * Visits boxes that partition the pixels of a window, ordered by their upper left corners: row by
 * row, left to right.
 *
 * A run that continues unchanged in the rows below forms one box with them. The boxes depend on the
 * pixels and the window only.
 *
 * @param region   any version
 * @param window   any box; pqt_region_bounds for all
 * @param visit    called for each box; see error.h for visitors
 * @param context  passed to `visit`
 * @return         true if all were visited, false if `visit` stopped it
 * @cost  as pqt_region_visit_runs, and two searches in the adjacent rows for each run
 */
PQT_API bool pqt_region_visit_boxes(const pqt_region *region, pqt_pixel_box window,
                                    pqt_visit_pixel_box_fn *visit, void *context);

/**
 * Visits the squares of the quadtree that contain pixels, each before its parts, in Z order.
 *
 * @param region   any version
 * @param visit    called for each square; see error.h for visitors
 * @param context  passed to `visit`
 * @return         true if all were visited, false if `visit` stopped it
 */
PQT_API bool pqt_region_visit_squares(const pqt_region *region, pqt_visit_square_fn *visit,
                                      void *context);

/**
 * Writes the pixels of a window as bytes: `value` for pixels in the region, 0 for others.
 *
 * @param region  any version
 * @param window  it may exceed PQT_PIXEL_LIMIT; no pixel there is in the region
 * @param bytes   the window's rows, `stride` apart; bytes beyond its width are not written; NULL if
 *                the window is empty
 * @param stride  bytes from a row to the one below, at least the window's width
 * @param value   the byte of a pixel in the region
 * @return        false on failure, with nothing written
 *
 * @error PQT_ERROR_BOX     the window is inverted
 * @error PQT_ERROR_OPTION  stride is less than the window's width, or the bytes exceed the address
 *                          space
 */
PQT_API bool pqt_region_to_bytes(const pqt_region *region, pqt_pixel_box window, uint8_t *bytes,
                                 size_t stride, uint8_t value, pqt_error *error);
/** @} */

/** @name Differences between two versions: these never fail and never allocate */
/** @{ */

/**
 * Visits boxes that cover all pixels in which two versions differ, such as the parts of a screen
 * that must be redrawn.
 *
 * Each box is either tight around the changes in one square of 64 x 64 pixels, or a larger square
 * that changed from empty to full or back. The boxes do not overlap, and are in Z order.
 * pqt_region_xor returns the pixels themselves.
 *
 * @param before   any version
 * @param after    any version; the memories may differ
 * @param visit    called for each box; see error.h for visitors
 * @param context  passed to `visit`
 * @return         true if all were visited, false if `visit` stopped it
 * @cost  O(changes * level): squares that are shared or have equal fingerprints are not entered
 */
PQT_API bool pqt_region_visit_diff(const pqt_region *before, const pqt_region *after,
                                   pqt_visit_pixel_box_fn *visit, void *context);

/**
 * Writes at most `capacity` boxes that cover all pixels in which two versions differ.
 *
 * They are the boxes of pqt_region_visit_diff. If there are more than `capacity`, each further one
 * is merged into the box that grows least, so boxes may then overlap.
 *
 * @param before    any version
 * @param after     any version; the memories may differ
 * @param boxes     an array of `capacity` boxes, not NULL
 * @param capacity  at least 1
 * @return          the number of boxes written; 0: the versions are equal
 * @cost  as pqt_region_visit_diff, times `capacity` if there are more boxes
 */
PQT_API size_t pqt_region_damage(const pqt_region *before, const pqt_region *after,
                                 pqt_pixel_box *boxes, size_t capacity);
/** @} */

/** @name Pins */
/** @{ */

/**
 * Keeps a version alive until pqt_unpin, wherever the pin itself is stored.
 *
 * @param region  any version
 * @return        the pin; NULL on failure
 */
PQT_NODISCARD static inline pqt_pin *
pqt_region_pin(const pqt_region *region, pqt_error *error)
{
    return pqt_version_pin(region, error);
}

/**
 * Returns the version that a pin keeps.
 *
 * @param pin  from pqt_region_pin, not NULL
 * @return     the version
 * @thread  any, attached or not
 */
static inline const pqt_region *
pqt_pin_get_region(const pqt_pin *pin)
{
    return (const pqt_region *)pqt_pin_get_version_of(pin, PQT_KIND_REGION);
}
/** @} */

PQT_END_DECLARATIONS

#endif
