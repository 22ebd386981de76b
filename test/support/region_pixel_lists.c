/* SPDX-License-Identifier: MIT */
/*
 * region_pixel_lists.c: represents small regions as lists of pixels, and finds overlaps by
 * comparing all pairs.
 */
#include "config.h"

#include "region_pixel_lists.h"

#include <stdio.h>
#include <stdlib.h>

#include "region_builder.h"
#include "suite.h"

enum { SIDE = 16 };

/* Returns true if a pixel of a picture of width x height is set. There are several kinds of
 * pictures. */
static bool
belongs(dice *d, size_t kind, int32_t x, int32_t y, int32_t width, int32_t height)
{
    const bool on_edge = x == 0 || y == 0 || x == width - 1 || y == height - 1;
    switch (kind) {
    case 0:
        return true;
    case 1:
        return on_edge;
    case 2:
        return (x + y) % 2 == 0;
    case 3:
        return x % 2 == 0 || y == height - 1; /* a comb whose teeth are one pixel wide */
    case 4:
        return dice_chance(d, 10);
    case 5:
        return !(x == width / 2 || y == height / 2); /* two gaps, each one pixel wide */
    default:
        return dice_chance(d, 50);
    }
}

static int32_t
draw_corner(dice *d)
{
    static const int32_t edges[] = {-137, -128, -70, -64, -9, -1, 0, 1, 55, 60, 64, 120, 128};
    return edges[dice_below(d, sizeof edges / sizeof *edges)] + (int32_t)dice_below(d, 4);
}

static const pqt_region *
build_from_source(const sketch *s, pqt_memory *memory)
{
    pqt_error error = {0};
    pqt_pixel_run runs[SKETCH_MOST];
    for (size_t i = 0; i < s->count; i++)
        runs[i] = (pqt_pixel_run){s->pixels[i].y, s->pixels[i].x, s->pixels[i].x + 1};
    const pqt_region *region = pqt_region_of_runs(runs, s->count, memory, &error);
    if (region == NULL) {
        fprintf(stderr, "# %s(%d): %s\n", running_test, running_iteration, error.text);
        abort();
    }
    return region;
}

sketch
sketch_draw(dice *d, pqt_memory *memory)
{
    const size_t kind = dice_below(d, 8);
    const int32_t width = 1 + (int32_t)dice_below(d, dice_chance(d, 50) ? 4 : SIDE);
    const int32_t height = 1 + (int32_t)dice_below(d, dice_chance(d, 50) ? 4 : SIDE);
    const pqt_pixel at = {draw_corner(d), draw_corner(d)};
    sketch s = {.count = 0};
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++)
            if (belongs(d, kind, x, y, width, height))
                s.pixels[s.count++] = (pqt_pixel){at.x + x, at.y + y};
    s.region = build_from_source(&s, memory);
    return s;
}

sketch
sketch_moved(const sketch *s, pqt_pixel by)
{
    sketch moved = *s;
    for (size_t i = 0; i < s->count; i++)
        moved.pixels[i] = (pqt_pixel){s->pixels[i].x + by.x, s->pixels[i].y + by.y};
    moved.region = build_from_source(&moved, pqt_region_memory(s->region));
    return moved;
}

bool
sketch_has(const sketch *s, int32_t x, int32_t y)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->pixels[i].x == x && s->pixels[i].y == y)
            return true;
    return false;
}

static int32_t
cell_start(int32_t at, int32_t side)
{
    int32_t rest = at % side;
    return at - (rest < 0 ? rest + side : rest);
}

static bool
cell_is_full(const sketch *s, pqt_pixel corner, int32_t side, pqt_coarse_kind reading)
{
    for (int32_t y = corner.y; y < corner.y + side; y++)
        for (int32_t x = corner.x; x < corner.x + side; x++)
            if (sketch_has(s, x, y) == (reading == PQT_COARSE_OUTER))
                return reading == PQT_COARSE_OUTER;
    return reading == PQT_COARSE_INNER;
}

bool
sketch_in_cells(const sketch *s, int32_t side, pqt_coarse_kind reading, sketch *cells)
{
    cells->count = 0;
    for (size_t i = 0; i < s->count; i++) {
        const pqt_pixel corner = {cell_start(s->pixels[i].x, side),
                                  cell_start(s->pixels[i].y, side)};
        if (sketch_has(cells, corner.x, corner.y) || !cell_is_full(s, corner, side, reading))
            continue;
        if (cells->count + (size_t)side * (size_t)side > SKETCH_MOST)
            return false;
        for (int32_t y = 0; y < side; y++)
            for (int32_t x = 0; x < side; x++)
                cells->pixels[cells->count++] = (pqt_pixel){corner.x + x, corner.y + y};
    }
    cells->region = NULL;
    return true;
}

bool
sketches_overlap(const sketch *a, const sketch *b, steps offset)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++)
            if (pixels_overlap(offset, a->pixels[i], b->pixels[k]))
                return true;
    return false;
}

static int64_t
draw_fraction(dice *d)
{
    static const int64_t fractions[] = {0, 0, 0, 1, -1, 512, 1023, 341};
    if (dice_chance(d, 30))
        return (int64_t)dice_below(d, STEPS);
    return fractions[dice_below(d, sizeof fractions / sizeof *fractions)];
}

steps
draw_offset_near(dice *d, const sketch *a, const sketch *b)
{
    if (a->count == 0 || b->count == 0)
        return (steps){(int64_t)dice_below(d, 5000), -(int64_t)dice_below(d, 5000)};
    const pqt_pixel in_a = a->pixels[dice_below(d, a->count)];
    const pqt_pixel in_b = b->pixels[dice_below(d, b->count)];
    const int64_t spread = dice_chance(d, 70) ? 3 : 20;
    const int64_t x = in_a.x - in_b.x + (int64_t)dice_below(d, (size_t)(2 * spread + 1)) - spread;
    const int64_t y = in_a.y - in_b.y + (int64_t)dice_below(d, (size_t)(2 * spread + 1)) - spread;
    return (steps){x * STEPS + draw_fraction(d), y * STEPS + draw_fraction(d)};
}
