/* SPDX-License-Identifier: MIT */
/*
 * region_builder.c: models a region as a plain bitmap, and computes the squares that the region
 * must have.
 */
#include "config.h"

#include "region_builder.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "region/tile.h"

static size_t
cells_of(const bitmap *map)
{
    return 4 * (size_t)map->half * (size_t)map->half;
}

bitmap
bitmap_make(int32_t half)
{
    bitmap map = {half, NULL};
    map.cells = calloc(cells_of(&map), 1);
    if (map.cells == NULL)
        abort();
    return map;
}

bitmap
bitmap_copy(const bitmap *from)
{
    bitmap map = bitmap_make(from->half);
    memcpy(map.cells, from->cells, cells_of(from));
    return map;
}

void
bitmap_free(bitmap *map)
{
    free(map->cells);
    map->cells = NULL;
}

static bool
has_room(const bitmap *map, int64_t x, int64_t y)
{
    return x >= -map->half && y >= -map->half && x < map->half && y < map->half;
}

static uint8_t *
cell_at(const bitmap *map, int32_t x, int32_t y)
{
    if (!has_room(map, x, y))
        abort();
    return &map->cells[(size_t)(y + map->half) * 2 * (size_t)map->half + (size_t)(x + map->half)];
}

bool
bitmap_has(const bitmap *map, int32_t x, int32_t y)
{
    return has_room(map, x, y) && *cell_at(map, x, y) != 0;
}

void
bitmap_put(bitmap *map, int32_t x, int32_t y, bool belongs)
{
    *cell_at(map, x, y) = belongs;
}

/* Returns the part of a box within the bitmap. */
static pqt_pixel_box
clip(const bitmap *map, pqt_pixel_box box)
{
    if (box.min.x < -map->half)
        box.min.x = -map->half;
    if (box.min.y < -map->half)
        box.min.y = -map->half;
    if (box.max.x > map->half)
        box.max.x = map->half;
    if (box.max.y > map->half)
        box.max.y = map->half;
    return box;
}

uint64_t
bitmap_count_in(const bitmap *map, pqt_pixel_box box)
{
    uint64_t count = 0;
    box = clip(map, box);
    for (int32_t y = box.min.y; y < box.max.y && box.min.x < box.max.x; y++) {
        const uint8_t *row = cell_at(map, box.min.x, y);
        for (int32_t i = 0; i < box.max.x - box.min.x; i++)
            count += row[i];
    }
    return count;
}

pqt_pixel_box
bitmap_bounds(const bitmap *map)
{
    pqt_pixel_box box = {{INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN}};
    for (int32_t y = -map->half; y < map->half; y++)
        for (int32_t x = -map->half; x < map->half; x++)
            if (*cell_at(map, x, y) != 0) {
                box.min.x = x < box.min.x ? x : box.min.x;
                box.min.y = y < box.min.y ? y : box.min.y;
                box.max.x = x >= box.max.x ? x + 1 : box.max.x;
                box.max.y = y >= box.max.y ? y + 1 : box.max.y;
            }
    return box.min.x > box.max.x ? (pqt_pixel_box){{0, 0}, {0, 0}} : box;
}

bool
bitmap_equals(const bitmap *a, const bitmap *b)
{
    return memcmp(a->cells, b->cells, cells_of(a)) == 0;
}

/* ---- paint ---- */

__extension__ typedef __int128 exact;

static exact
units(double value)
{
    return (exact)floor(value * 1024 + 0.5);
}

static bool
stroke_has(const pqt_paint *paint, int32_t x, int32_t y)
{
    exact ax = units(paint->from.x), ay = units(paint->from.y), r = units(paint->radius);
    exact dx = units(paint->to.x) - ax, dy = units(paint->to.y) - ay;
    exact px = (exact)x * 1024 + 512 - ax, py = (exact)y * 1024 + 512 - ay;
    exact along = px * dx + py * dy, length = dx * dx + dy * dy;
    exact cross = dx * py - dy * px;
    if (along <= 0)
        return px * px + py * py <= r * r;
    if (along >= length)
        return (px - dx) * (px - dx) + (py - dy) * (py - dy) <= r * r;
    return cross * cross <= r * r * length;
}

bool
paint_has(const pqt_paint *paint, int32_t x, int32_t y)
{
    const pqt_pixel_box *box = &paint->box;
    if (paint->shape == PQT_PAINT_STROKE)
        return stroke_has(paint, x, y);
    return x >= box->min.x && y >= box->min.y && x < box->max.x && y < box->max.y;
}

/* Returns the status of a coordinate or a radius. NaN is invalid, and so is a negative radius. */
static pqt_status
number_status(double value, bool is_radius)
{
    if (isnan(value) || (is_radius && value < 0))
        return PQT_ERROR_OPTION;
    return fabs(value) > PQT_PIXEL_LIMIT ? PQT_ERROR_LIMIT : PQT_OK;
}

static bool
leaves_the_limit(exact low, exact high)
{
    exact limit = (exact)PQT_PIXEL_LIMIT * 1024;
    /* The centre is beyond the limit wherever it is in low..high. */
    return (high >= limit + 512 || low <= -limit - 512) && high - low >= 0;
}

static pqt_status
stroke_status(const pqt_paint *paint)
{
    const double numbers[] = {paint->from.x, paint->from.y, paint->to.x, paint->to.y};
    for (int i = 0; i < 4; i++)
        if (number_status(numbers[i], false) != PQT_OK)
            return number_status(numbers[i], false);
    if (number_status(paint->radius, true) != PQT_OK || paint->op == PQT_PAINT_CLEAR)
        return number_status(paint->radius, true);
    exact r = units(paint->radius);
    exact low[2] = {units(fmin(numbers[0], numbers[2])) - r,
                    units(fmin(numbers[1], numbers[3])) - r};
    exact high[2] = {units(fmax(numbers[0], numbers[2])) + r,
                     units(fmax(numbers[1], numbers[3])) + r};
    return leaves_the_limit(low[0], high[0]) || leaves_the_limit(low[1], high[1]) ? PQT_ERROR_LIMIT
                                                                                  : PQT_OK;
}

pqt_status
paint_status(const pqt_paint *paint)
{
    const pqt_pixel_box *box = &paint->box;
    if (paint->op < PQT_PAINT_SET || paint->op > PQT_PAINT_TOGGLE)
        return PQT_ERROR_OPTION;
    if (paint->shape == PQT_PAINT_STROKE)
        return stroke_status(paint);
    if (paint->shape != PQT_PAINT_BOX)
        return PQT_ERROR_OPTION;
    if (box->min.x > box->max.x || box->min.y > box->max.y)
        return PQT_ERROR_BOX;
    if (paint->op == PQT_PAINT_CLEAR || box->min.x == box->max.x || box->min.y == box->max.y)
        return PQT_OK;
    return box->min.x < -PQT_PIXEL_LIMIT || box->min.y < -PQT_PIXEL_LIMIT ||
                   box->max.x > PQT_PIXEL_LIMIT || box->max.y > PQT_PIXEL_LIMIT
               ? PQT_ERROR_LIMIT
               : PQT_OK;
}

pqt_pixel_box
paint_box(const pqt_paint *paint)
{
    if (paint->shape == PQT_PAINT_BOX)
        return paint->box;
    double r = paint->radius + 2;
    return (pqt_pixel_box){{(int32_t)floor(fmin(paint->from.x, paint->to.x) - r),
                            (int32_t)floor(fmin(paint->from.y, paint->to.y) - r)},
                           {(int32_t)ceil(fmax(paint->from.x, paint->to.x) + r),
                            (int32_t)ceil(fmax(paint->from.y, paint->to.y) + r)}};
}

void
bitmap_paint(bitmap *map, const pqt_paint *paint)
{
    pqt_pixel_box box = clip(map, paint_box(paint));
    for (int32_t y = box.min.y; y < box.max.y; y++)
        for (int32_t x = box.min.x; x < box.max.x; x++) {
            uint8_t *cell = cell_at(map, x, y);
            if (paint_has(paint, x, y))
                *cell = paint->op == PQT_PAINT_TOGGLE ? !*cell : paint->op == PQT_PAINT_SET;
        }
}

/* ---- two bitmaps, and boxes ---- */

static bool
joined(bool a, bool b, bitmap_operation operation)
{
    switch (operation) {
    case BITMAP_UNION:
        return a || b;
    case BITMAP_INTERSECTION:
        return a && b;
    case BITMAP_DIFFERENCE:
        return a && !b;
    case BITMAP_XOR:
        return a != b;
    }
    abort();
}

void
bitmap_join(bitmap *a, const bitmap *b, pqt_pixel offset, bitmap_operation operation)
{
    for (int32_t y = -a->half; y < a->half; y++)
        for (int32_t x = -a->half; x < a->half; x++) {
            int64_t bx = (int64_t)x - offset.x, by = (int64_t)y - offset.y;
            bool in_b = has_room(b, bx, by) && bitmap_has(b, (int32_t)bx, (int32_t)by);
            uint8_t *cell = cell_at(a, x, y);
            *cell = joined(*cell != 0, in_b, operation);
        }
}

static bool
box_has(pqt_pixel_box box, int32_t x, int32_t y)
{
    return x >= box.min.x && y >= box.min.y && x < box.max.x && y < box.max.y;
}

void
bitmap_crop(bitmap *map, pqt_pixel_box box)
{
    for (int32_t y = -map->half; y < map->half; y++)
        for (int32_t x = -map->half; x < map->half; x++)
            if (!box_has(box, x, y))
                *cell_at(map, x, y) = 0;
}

void
bitmap_complement(bitmap *map, pqt_pixel_box box)
{
    for (int32_t y = -map->half; y < map->half; y++)
        for (int32_t x = -map->half; x < map->half; x++) {
            uint8_t *cell = cell_at(map, x, y);
            *cell = box_has(box, x, y) && *cell == 0;
        }
}

/* ---- forms ---- */

static pqt_pixel
turned(pqt_pixel p, pqt_transform transform)
{
    const int32_t x = p.x, y = p.y;
    switch (transform) {
    case PQT_FLIP_X:
        return (pqt_pixel){-1 - x, y};
    case PQT_FLIP_Y:
        return (pqt_pixel){x, -1 - y};
    case PQT_ROTATE_180:
        return (pqt_pixel){-1 - x, -1 - y};
    case PQT_FLIP_DIAGONAL:
        return (pqt_pixel){y, x};
    case PQT_ROTATE_90:
        return (pqt_pixel){-1 - y, x};
    case PQT_ROTATE_270:
        return (pqt_pixel){y, -1 - x};
    case PQT_FLIP_ANTIDIAGONAL:
        return (pqt_pixel){-1 - y, -1 - x};
    }
    abort();
}

void
bitmap_transform(bitmap *map, pqt_transform transform)
{
    bitmap result = bitmap_make(map->half);
    for (int32_t y = -map->half; y < map->half; y++)
        for (int32_t x = -map->half; x < map->half; x++) {
            pqt_pixel to = turned((pqt_pixel){x, y}, transform);
            bitmap_put(&result, to.x, to.y, bitmap_has(map, x, y));
        }
    bitmap_free(map);
    *map = result;
}

void
bitmap_scale(bitmap *map, int32_t factor_x, int32_t factor_y)
{
    bitmap result = bitmap_make(map->half);
    for (int32_t y = -map->half; y < map->half; y++)
        for (int32_t x = -map->half; x < map->half; x++) {
            double from_x = floor((double)x / factor_x), from_y = floor((double)y / factor_y);
            bitmap_put(&result, x, y, bitmap_has(map, (int32_t)from_x, (int32_t)from_y));
        }
    bitmap_free(map);
    *map = result;
}

/* Returns the number of set pixels among a pixel and its neighbours. */
static int
count_around(const bitmap *map, int32_t x, int32_t y, pqt_connectivity connectivity)
{
    int count = 0;
    for (int32_t dy = -1; dy <= 1; dy++)
        for (int32_t dx = -1; dx <= 1; dx++)
            if (connectivity == PQT_CONNECTIVITY_8 || dx == 0 || dy == 0)
                count += bitmap_has(map, x + dx, y + dy);
    return count;
}

static void
keep_above(bitmap *map, pqt_connectivity connectivity, int least)
{
    bitmap result = bitmap_make(map->half);
    for (int32_t y = -map->half; y < map->half; y++)
        for (int32_t x = -map->half; x < map->half; x++)
            bitmap_put(&result, x, y, count_around(map, x, y, connectivity) >= least);
    bitmap_free(map);
    *map = result;
}

void
bitmap_dilate(bitmap *map, pqt_connectivity connectivity)
{
    keep_above(map, connectivity, 1);
}

void
bitmap_erode(bitmap *map, pqt_connectivity connectivity)
{
    keep_above(map, connectivity, (int)connectivity + 1);
}

/* Returns true if a pixel within the radius of another one is set, or is clear. */
static bool
has_in_disc(const bitmap *map, int32_t x, int32_t y, int32_t units, bool set)
{
    const int32_t most = units / 1024;
    for (int32_t dy = -most; dy <= most; dy++)
        for (int32_t dx = -most; dx <= most; dx++)
            if ((dx * dx + dy * dy) * 1024 * 1024 <= units * units &&
                bitmap_has(map, x + dx, y + dy) == set)
                return true;
    return false;
}

void
bitmap_grow_disc(bitmap *map, double radius, bool dilates)
{
    bitmap old = bitmap_copy(map);
    for (int32_t y = -map->half; y < map->half; y++)
        for (int32_t x = -map->half; x < map->half; x++)
            if (bitmap_has(&old, x, y) != dilates &&
                has_in_disc(&old, x, y, (int32_t)(radius * 1024), dilates))
                bitmap_put(map, x, y, dilates);
    bitmap_free(&old);
}

/* Returns true if a subiteration of the thinning removes a pixel (Lam, Lee, Suen 1992). x[1..8] are
 * the neighbours counterclockwise from the right one. */
static bool
is_thinned_away(const bool x[10], bool second)
{
    int passes = 0, n1 = 0, n2 = 0;
    for (int i = 1; i <= 4; i++) {
        passes += !x[2 * i - 1] && (x[2 * i] || x[2 * i + 1]);
        n1 += x[2 * i - 1] || x[2 * i];
        n2 += x[2 * i] || x[2 * i + 1];
    }
    const int least = n1 < n2 ? n1 : n2;
    const bool keeps = second ? (x[6] || x[7] || !x[4]) && x[5] : (x[2] || x[3] || !x[8]) && x[1];
    return passes == 1 && least >= 2 && least <= 3 && !keeps;
}

static bool
thin_bitmap_once(bitmap *map, bool second)
{
    static const int32_t dx[10] = {0, 1, 1, 0, -1, -1, -1, 0, 1, 1};
    static const int32_t dy[10] = {0, 0, -1, -1, -1, 0, 1, 1, 1, 0};
    bitmap old = bitmap_copy(map);
    const pqt_pixel_box box = bitmap_bounds(map);
    bool any = false;
    for (int32_t y = box.min.y; y < box.max.y; y++)
        for (int32_t x = box.min.x; x < box.max.x; x++) {
            bool around[10];
            if (!bitmap_has(&old, x, y))
                continue;
            for (int i = 0; i < 10; i++)
                around[i] = bitmap_has(&old, x + dx[i], y + dy[i]);
            if (!is_thinned_away(around, second))
                continue;
            bitmap_put(map, x, y, false);
            any = true;
        }
    bitmap_free(&old);
    return any;
}

void
bitmap_thin(bitmap *map)
{
    bool first = true, second = true;
    while (first || second) {
        first = thin_bitmap_once(map, false);
        second = thin_bitmap_once(map, true);
    }
}

void
bitmap_flood(bitmap *from, bitmap *to, pqt_pixel pixel, pqt_connectivity connectivity)
{
    pqt_pixel *left = malloc(9 * cells_of(from) * sizeof *left);
    size_t count = 0;
    left[count++] = pixel;
    while (count > 0) {
        pqt_pixel at = left[--count];
        if (!bitmap_has(from, at.x, at.y))
            continue;
        bitmap_put(from, at.x, at.y, false);
        bitmap_put(to, at.x, at.y, true);
        for (int32_t i = 0; i < 9; i++)
            if (connectivity == PQT_CONNECTIVITY_8 || i % 2 == 1)
                left[count++] = (pqt_pixel){at.x + i % 3 - 1, at.y + i / 3 - 1};
    }
    free(left);
}

/* ---- the squares that the pixels determine ---- */

__attribute__((format(printf, 2, 3))) static bool
differ(region_why *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    return false;
}

/* Compares the summaries of the blocks of a tile with the pixels. */
static bool
match_blocks(const bitmap *map, const pqti_tile *tile, int32_t x, int32_t y, region_why *why)
{
    for (int block = 0; block < 64; block++) {
        int32_t bx = x + block % 8 * 8, by = y + block / 8 * 8;
        uint64_t count = bitmap_count_in(map, (pqt_pixel_box){{bx, by}, {bx + 8, by + 8}});
        if ((tile->occupied >> block & 1) != (count > 0) ||
            (tile->full >> block & 1) != (count == 64))
            return differ(why, "tile %d, %d: block %d has %" PRIu64 " pixels", x, y, block, count);
    }
    return true;
}

static bool
match_tile(const bitmap *map, const pqti_tile *tile, int32_t x, int32_t y, region_why *why)
{
    for (int32_t row = 0; row < 64; row++) {
        uint64_t word = 0;
        for (int32_t column = 0; column < 64; column++)
            word |= (uint64_t)bitmap_has(map, x + column, y + row) << column;
        if (tile->rows[row] != word)
            return differ(why, "tile %d, %d: row %d", x, y, row);
    }
    return match_blocks(map, tile, x, y, why);
}

/* Compares the square at a position, and adds its pixels to the count. */
static bool
match_square(const bitmap *map, const pqti_rnode *node, int32_t x, int32_t y, int32_t side,
             uint64_t *pixels, region_why *why)
{
    const uint64_t count = bitmap_count_in(map, (pqt_pixel_box){{x, y}, {x + side, y + side}});
    const uint64_t all = (uint64_t)side * (uint64_t)side;
    *pixels += count;
    if (count == 0 || count == all) {
        const pqti_rnode *mark = count == 0 ? PQTI_EMPTY : PQTI_FULL;
        return node == mark || differ(why, "square %d, %d of %d: no mark", x, y, side);
    }
    if (node == NULL || (node >= pqti_sentinels && node < pqti_sentinels + 6))
        return differ(why, "square %d, %d of %d: a mark for %" PRIu64, x, y, side, count);
    const pqti_rinner *inner = (const pqti_rinner *)node;
    const pqti_tile *tile = (const pqti_tile *)node;
    if ((side > 64 ? inner->count : tile->count) != count)
        return differ(why, "square %d, %d of %d: not %" PRIu64 " pixels", x, y, side, count);
    if (side == 64)
        return match_tile(map, tile, x, y, why);
    uint64_t sum = 0;
    for (int i = 0; i < 4; i++)
        if (!match_square(map, inner->child[i], x + i % 2 * side / 2, y + i / 2 * side / 2,
                          side / 2, &sum, why))
            return false;
    return true;
}

/* Returns the smallest half side, at least 64, of a square around the origin that contains all
 * pixels. */
static int32_t
side_needed(const bitmap *map)
{
    pqt_pixel_box box = bitmap_bounds(map);
    int32_t side = 64;
    while (box.min.x < -side || box.min.y < -side || box.max.x > side || box.max.y > side)
        side *= 2;
    return side;
}

bool
bitmap_matches(const bitmap *map, const pqt_region *region, region_why *why)
{
    const int32_t side = side_needed(map);
    uint64_t count = 0;
    if (INT32_C(1) << region->level != side)
        return differ(why, "level %d instead of a side of %d", region->level, side);
    for (int i = 0; i < 4; i++)
        if (!match_square(map, region->quadrant[i], i % 2 == 0 ? -side : 0, i / 2 == 0 ? -side : 0,
                          side, &count, why))
            return false;
    if (region->count != count)
        return differ(why, "%" PRIu64 " pixels instead of %" PRIu64, region->count, count);
    return true;
}
