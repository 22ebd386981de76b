/* SPDX-License-Identifier: MIT */
/*
 * transform.c: flips, rotates and scales regions.
 *
 * The origin is a corner of nodes on every level, so a flip or rotation about it maps nodes to
 * nodes. Each of the seven transforms may exchange the axes, and may then flip each of them. In
 * pqt_transform, the bit with the value 4 exchanges the axes, and the bits with the values 1 and 2
 * flip them.
 */
#include "config.h"

#include <string.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "memory/block_table.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"

/* Returns the number of the child or quadrant that becomes the i-th one. */
static int
source_of(pqt_transform transform, int i)
{
    const bool flips_x = (transform & PQT_FLIP_X) != 0, flips_y = (transform & PQT_FLIP_Y) != 0;
    const int x = (i & 1) ^ flips_x, y = (i >> 1) ^ flips_y;
    return transform & PQT_FLIP_DIAGONAL ? y + 2 * x : x + 2 * y;
}

/* Transposes a tile. Exchanges halves across the diagonal, then halves of these, and so on (H. S.
 * Warren, "Hacker's Delight", section 7-3). */
static void
transpose_tile(uint64_t rows[PQTI_TILE_SIDE])
{
    uint64_t mask = UINT32_MAX;
    for (int half = PQTI_TILE_SIDE / 2; half > 0; half /= 2, mask ^= mask << half)
        for (int y = 0; y < PQTI_TILE_SIDE; y = ((y | half) + 1) & ~half) {
            uint64_t differing = ((rows[y] >> half) ^ rows[y | half]) & mask;
            rows[y] ^= differing << half;
            rows[y | half] ^= differing;
        }
}

static uint64_t
reverse_bits(uint64_t word)
{
    uint64_t mask = UINT64_MAX;
    for (int half = 32; half > 0; half /= 2) {
        mask ^= mask << half;
        word = (word >> half & mask) | (word & mask) << half;
    }
    return word;
}

static const pqti_rnode *
transform_tile(pqt_memory *memory, const pqti_rnode *node, pqt_transform transform)
{
    uint64_t rows[PQTI_TILE_SIDE], transformed[PQTI_TILE_SIDE];
    memcpy(rows, pqti_rows_of(node), sizeof rows);
    if (transform & PQT_FLIP_DIAGONAL)
        transpose_tile(rows);
    for (int y = 0; y < PQTI_TILE_SIDE; y++) {
        uint64_t row = rows[transform & PQT_FLIP_Y ? PQTI_TILE_SIDE - 1 - y : y];
        transformed[y] = transform & PQT_FLIP_X ? reverse_bits(row) : row;
    }
    return pqti_tile_make(memory, transformed, node, NULL);
}

typedef struct transformer {
    pqt_memory *memory;
    pqt_transform transform;
    /* for each block, the transformed block. The collector does not scan it, but the stack of the
     * recursion holds a transformed block until its parent holds it. */
    pqti_block_memo results;
} transformer;

static const pqti_rnode *transform_node(transformer *t, const pqti_rnode *node, int level);

static const pqti_rnode *
transform_inner(transformer *t, const pqti_rnode *node, int level)
{
    const pqti_rnode *child[4];
    const pqti_rinner *inner = (const pqti_rinner *)node;
    for (int i = 0; i < 4; i++) {
        child[i] = transform_node(t, inner->child[source_of(t->transform, i)], level - 1);
        if (child[i] == NULL)
            return NULL;
    }
    if (memcmp(child, inner->child, sizeof child) == 0)
        return node;
    return pqti_rinner_make(t->memory, child, level, NULL);
}

/* Returns the transformed node, or NULL when out of memory. */
static const pqti_rnode *
transform_node(transformer *t, const pqti_rnode *node, int level)
{
    if (pqti_is_uniform(node))
        return node;
    const pqti_rnode *result = pqti_block_memo_enter(&t->results, node);
    if (result != NULL)
        return result;
    result = level == PQTI_TILE_LEVEL ? transform_tile(t->memory, node, t->transform)
                                      : transform_inner(t, node, level);
    if (result != NULL)
        pqti_block_memo_add(&t->results, node, result);
    return result;
}

/* Transforms the quadrants of a region. Returns false when out of memory. */
static bool
transform_quadrants(const pqt_region *region, pqt_transform transform,
                    const pqti_rnode *quadrant[4])
{
    transformer t = {.memory = region->memory, .transform = transform};
    bool good = true;
    for (int i = 0; i < 4 && good; i++) {
        quadrant[i] = transform_node(&t, region->quadrant[source_of(transform, i)], region->level);
        good = quadrant[i] != NULL;
    }
    pqti_block_memo_free(&t.results);
    return good;
}

const pqt_region *
pqt_region_transform(const pqt_region *region, pqt_transform transform, pqt_error *error)
{
    const pqti_rnode *quadrant[4];
    if (!pqti_region_check_input(region, error))
        return NULL;
    if (transform < PQT_FLIP_X || transform > PQT_FLIP_ANTIDIAGONAL) {
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "transform: %d is not a pqt_transform",
                       (int)transform);
        return NULL;
    }
    if (!transform_quadrants(region, transform, quadrant)) {
        pqti_out_of_memory(error);
        return NULL;
    }
    const pqt_region *next = pqti_region_new(region->memory, region->level, quadrant, NULL, error);
    PQT_INVARIANT(next == NULL || next->count == region->count, "a transform lost or added pixels");
    return next != NULL && pqt_region_equals(next, region) ? region : next;
}

/* ---- Scaling ---- */

typedef struct region_scaler {
    int32_t factor_x, factor_y;
    pqt_pixel_box *boxes; /* NULL: the boxes are only counted */
    size_t count;
} region_scaler;

static pqt_pixel_box
scale_box(const region_scaler *scaler, const pqt_pixel_box *box)
{
    return (pqt_pixel_box){{box->min.x * scaler->factor_x, box->min.y * scaler->factor_y},
                           {box->max.x * scaler->factor_x, box->max.y * scaler->factor_y}};
}

static bool
append_scaled_box(const pqt_pixel_box *box, void *context)
{
    region_scaler *scaler = context;
    if (scaler->boxes != NULL)
        scaler->boxes[scaler->count] = scale_box(scaler, box);
    scaler->count++;
    return true;
}

static bool
is_too_far(int32_t coordinate, int32_t factor)
{
    const int64_t product = (int64_t)coordinate * factor;
    return product < -PQT_PIXEL_LIMIT || product > PQT_PIXEL_LIMIT;
}

static bool
check_factors(const pqt_region *region, int32_t factor_x, int32_t factor_y, pqt_error *error)
{
    const pqt_pixel_box all = pqt_region_bounds(region);
    if (factor_x < 1 || factor_y < 1)
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "factor: %d, %d is less than 1", factor_x,
                       factor_y);
    else if (is_too_far(all.min.x, factor_x) || is_too_far(all.max.x, factor_x) ||
             is_too_far(all.min.y, factor_y) || is_too_far(all.max.y, factor_y))
        pqti_error_set(error, PQT_ERROR_LIMIT, 0,
                       "factor: %d, %d: the region extends more than %d pixels from 0", factor_x,
                       factor_y, PQT_PIXEL_LIMIT);
    else
        return true;
    return false;
}

const pqt_region *
pqt_region_scale(const pqt_region *region, int32_t factor_x, int32_t factor_y, pqt_error *error)
{
    if (!pqti_region_check_input(region, error) ||
        !check_factors(region, factor_x, factor_y, error))
        return NULL;
    if (region->count == 0 || (factor_x == 1 && factor_y == 1))
        return region;
    const pqt_pixel_box all = pqt_region_bounds(region);
    region_scaler scaler = {.factor_x = factor_x, .factor_y = factor_y};
    pqt_region_visit_boxes(region, all, append_scaled_box, &scaler);
    scaler.boxes = pqti_alloc_scratch(scaler.count, sizeof *scaler.boxes);
    if (scaler.boxes == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    scaler.count = 0;
    pqt_region_visit_boxes(region, all, append_scaled_box, &scaler);
    const pqt_region *next = pqt_region_of_boxes(scaler.boxes, scaler.count, region->memory, error);
    pqti_free_scratch(scaler.boxes);
    return next;
}
