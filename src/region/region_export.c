/* SPDX-License-Identifier: MIT */
/*
 * region_export.c: exports the pixels of a region as runs, boxes and bytes.
 *
 * A row is read from left to right, from the nodes that it crosses. Each node yields pieces of
 * runs, and adjacent pieces form one run. So a run is visited only when the next piece, or the end
 * of the row, shows that it is complete.
 */
#include "config.h"

#include <string.h>

#include "base/error_internal.h"
#include "region/bits.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"

/* ---- One row ---- */

typedef struct row_walk {
    pqt_visit_pixel_run_fn *visit;
    void *context;
    int32_t from, to;  /* the range of the row that is visited */
    pqt_pixel_run run; /* the run that is not yet complete; empty if min_x == max_x */
} row_walk;

static bool
flush_run(const row_walk *walk)
{
    return walk->run.min_x == walk->run.max_x || walk->visit(&walk->run, walk->context);
}

static bool
add_piece(row_walk *walk, int32_t from, int32_t to)
{
    PQT_INVARIANT(from >= walk->run.max_x && from < to, "pieces of a row are not in order");
    if (from != walk->run.max_x) {
        if (!flush_run(walk))
            return false;
        walk->run.min_x = from;
    }
    walk->run.max_x = to;
    return true;
}

static bool
add_word(row_walk *walk, uint64_t word, int32_t x)
{
    if (x < walk->from)
        word &= ~UINT64_C(0) << (walk->from - x);
    if (walk->to - x < PQTI_TILE_SIDE)
        word &= pqti_bits_between(0, walk->to - x);
    while (word != 0) {
        int first = pqti_lowest_bit(word);
        uint64_t gaps = ~word >> first << first;
        int end = gaps != 0 ? pqti_lowest_bit(gaps) : PQTI_TILE_SIDE;
        if (!add_piece(walk, x + first, x + end))
            return false;
        word = end < PQTI_TILE_SIDE ? word >> end << end : 0;
    }
    return true;
}

static bool
visit_row_of_node(row_walk *walk, const pqti_rnode *node, pqti_rcell cell)
{
    const int32_t side = pqti_side(cell.level), y = walk->run.y;
    if (node == PQTI_EMPTY || cell.x >= walk->to || cell.x + side <= walk->from)
        return true;
    if (node == PQTI_FULL)
        return add_piece(walk, cell.x > walk->from ? cell.x : walk->from,
                         cell.x + side < walk->to ? cell.x + side : walk->to);
    if (cell.level == PQTI_TILE_LEVEL)
        return add_word(walk, ((const pqti_tile *)node)->rows[y - cell.y], cell.x);
    const int row = y >= cell.y + side / 2 ? 2 : 0;
    const pqti_rinner *inner = (const pqti_rinner *)node;
    return visit_row_of_node(walk, inner->child[row], pqti_rcell_child(cell, row)) &&
           visit_row_of_node(walk, inner->child[row + 1], pqti_rcell_child(cell, row + 1));
}

/* Visits the runs in a range of a row that is within the region's level. */
static bool
visit_row(const pqt_region *region, pqt_pixel_run row, pqt_visit_pixel_run_fn *visit, void *context)
{
    row_walk walk = {visit, context, row.min_x, row.max_x, {row.y, row.min_x, row.min_x}};
    const int quadrant = row.y >= 0 ? 2 : 0;
    for (int i = quadrant; i < quadrant + 2; i++)
        if (!visit_row_of_node(&walk, region->quadrant[i], pqti_rcell_quadrant(region->level, i)))
            return false;
    return flush_run(&walk);
}

/* ---- Runs ---- */

/* Returns the part of a window that is within the region's level. */
static pqt_pixel_box
clip_box_to_window(const pqt_region *region, const pqt_pixel_box *window)
{
    const int32_t side = pqti_side(region->level);
    return pqti_box_common(*window, (pqt_pixel_box){{-side, -side}, {side, side}});
}

/* Returns the first row from y on that may have pixels. Skips rows of tiles without pixels. */
static int32_t
next_row(const pqt_region *region, const pqt_pixel_box *window, int32_t y)
{
    while (y < window->max.y) {
        int32_t end = (y | (PQTI_TILE_SIDE - 1)) + 1;
        pqt_pixel_box band = {{window->min.x, y}, {window->max.x, end}};
        if (pqt_region_any_in(region, pqti_box_common(band, *window)))
            break;
        y = end;
    }
    return y;
}

bool
pqt_region_visit_runs(const pqt_region *region, pqt_pixel_box window, pqt_visit_pixel_run_fn *visit,
                      void *context)
{
    PQT_ASSERT(region != NULL && visit != NULL, "the region or the visitor is NULL");
    pqti_assert_region_alive(__func__, region);
    window = clip_box_to_window(region, &window);
    if (pqti_box_is_empty(window))
        return true;
    for (int32_t y = window.min.y; y < window.max.y; y++) {
        if (y == window.min.y || y % PQTI_TILE_SIDE == 0)
            y = next_row(region, &window, y);
        if (y < window.max.y &&
            !visit_row(region, (pqt_pixel_run){y, window.min.x, window.max.x}, visit, context))
            return false;
    }
    return true;
}

/* ---- Boxes ---- */

typedef struct box_walk {
    const pqt_region *region;
    pqt_pixel_box window;
    pqt_visit_pixel_box_fn *visit;
    void *context;
} box_walk;

static bool
keep_first_run(const pqt_pixel_run *run, void *context)
{
    *(pqt_pixel_run *)context = *run;
    return false;
}

/* Does the work of has_run for a range that is within one tile. */
static bool
tile_has_run(const pqt_region *region, const pqt_pixel_run *run, pqt_pixel_run range)
{
    const int inside = PQTI_TILE_SIDE - 1;
    const int32_t left = range.min_x & ~inside;
    const pqti_rnode *node = pqti_rnode_at(region, range.min_x >> PQTI_TILE_LEVEL,
                                           range.y >> PQTI_TILE_LEVEL, PQTI_TILE_LEVEL);
    uint64_t word = pqti_rows_of(node)[range.y & inside];
    return (word & pqti_bits_between(range.min_x - left, range.max_x - left)) ==
           pqti_bits_between(run->min_x - left, run->max_x - left);
}

/* Returns true if row y has exactly this run, neither longer nor shorter. */
static bool
has_run(const box_walk *walk, const pqt_pixel_run *run, int32_t y)
{
    const pqt_pixel_box *window = &walk->window;
    if (y < window->min.y || y >= window->max.y)
        return false;
    pqt_pixel_run found = {y, 0, 0};
    pqt_pixel_run range = {y, run->min_x > window->min.x ? run->min_x - 1 : run->min_x,
                           run->max_x < window->max.x ? run->max_x + 1 : run->max_x};
    if (range.min_x >> PQTI_TILE_LEVEL == (range.max_x - 1) >> PQTI_TILE_LEVEL)
        return tile_has_run(walk->region, run, range);
    visit_row(walk->region, range, keep_first_run, &found);
    return found.min_x == run->min_x && found.max_x == run->max_x;
}

/* Visits the box whose first row is a run. A run that the row above also has belongs to a box that
 * began above. */
static bool
visit_box(const pqt_pixel_run *run, void *context)
{
    const box_walk *walk = context;
    int32_t end = run->y + 1;
    if (has_run(walk, run, run->y - 1))
        return true;
    while (has_run(walk, run, end))
        end++;
    pqt_pixel_box box = {{run->min_x, run->y}, {run->max_x, end}};
    return walk->visit(&box, walk->context);
}

bool
pqt_region_visit_boxes(const pqt_region *region, pqt_pixel_box window,
                       pqt_visit_pixel_box_fn *visit, void *context)
{
    PQT_ASSERT(region != NULL && visit != NULL, "the region or the visitor is NULL");
    pqti_assert_region_alive(__func__, region);
    box_walk walk = {region, clip_box_to_window(region, &window), visit, context};
    return pqt_region_visit_runs(region, walk.window, visit_box, &walk);
}

/* ---- Bytes ---- */

typedef struct byte_canvas {
    pqt_pixel_box window;
    uint8_t *bytes;
    size_t stride;
    uint8_t value;
} byte_canvas;

static bool
write_run(const pqt_pixel_run *run, void *context)
{
    const byte_canvas *canvas = context;
    uint8_t *row = canvas->bytes + (size_t)(run->y - canvas->window.min.y) * canvas->stride;
    memset(row + (run->min_x - canvas->window.min.x), canvas->value,
           (size_t)(run->max_x - run->min_x));
    return true;
}

static bool
validate_byte_image(size_t width, size_t height, size_t stride, pqt_error *error)
{
    if (stride < width)
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "stride: %zu is less than the window's width %zu", stride, width);
    else if ((height - 1) > (PTRDIFF_MAX - width) / stride)
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "stride: %zu rows of %zu bytes exceed the address space", height, stride);
    else
        return true;
    return false;
}

bool
pqt_region_to_bytes(const pqt_region *region, pqt_pixel_box window, uint8_t *bytes, size_t stride,
                    uint8_t value, pqt_error *error)
{
    if (!pqti_region_check_input(region, error) ||
        !pqti_validate_pixel_box(&window, "window", 0, error))
        return false;
    if (pqti_box_is_empty(window))
        return true;
    const size_t width = (size_t)((int64_t)window.max.x - window.min.x);
    const size_t height = (size_t)((int64_t)window.max.y - window.min.y);
    if (!validate_byte_image(width, height, stride, error))
        return false;
    PQT_ASSERT(bytes != NULL, "bytes is NULL, and the window is not empty");
    for (size_t y = 0; y < height; y++)
        memset(bytes + y * stride, 0, width);
    byte_canvas canvas = {window, bytes, stride, value};
    return pqt_region_visit_runs(region, window, write_run, &canvas);
}
