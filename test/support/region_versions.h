/* SPDX-License-Identifier: MIT */
/*
 * region_versions.h: versions of regions with their bitmaps, and random changes to both.
 *
 * All pixels are within HALF of the origin, where the bitmaps are.
 */
#ifndef TEST_REGION_VERSIONS_H
#define TEST_REGION_VERSIONS_H

#include <stdlib.h>

#include <check.h>

#include <pqt/region.h>

#include "random.h"
#include "region_builder.h"

enum { HALF = 150, KEPT = 24 };

typedef struct version {
    const pqt_region *region;
    bitmap map;
} version;

typedef struct stage {
    dice d;
    pqt_memory *memory;
    version versions[KEPT];
    size_t step;
    const char *doing;
} stage;

static inline void
require(const stage *s, bool right, const char *what)
{
    if (!right)
        ck_abort_msg("step %zu, %s: %s", s->step, s->doing, what);
}

static inline void
require_match(const stage *s, const version *v)
{
    region_why why;
    pqt_error error = {0};
    require(s, pqt_region_check(v->region, &error), error.text);
    require(s, bitmap_matches(&v->map, v->region, &why), why.text);
}

static inline version *
draw_version(stage *s)
{
    return &s->versions[dice_below(&s->d, KEPT)];
}

/* Returns a coordinate. In 40 % of cases it is at the edge of a tile or of the bitmap. */
static inline int32_t
draw_coordinate(dice *d)
{
    static const int32_t edges[] = {-150, -129, -128, -127, -65, -64, -63, -1,  0,
                                    1,    63,   64,   65,   127, 128, 129, 149, 150};
    if (dice_chance(d, 40))
        return edges[dice_below(d, sizeof edges / sizeof *edges)];
    return (int32_t)dice_below(d, 2 * HALF + 1) - HALF;
}

static inline pqt_pixel_box
draw_box(dice *d)
{
    int32_t a = draw_coordinate(d), b = draw_coordinate(d);
    int32_t e = draw_coordinate(d), f = draw_coordinate(d);
    return (pqt_pixel_box){{a < b ? a : b, e < f ? e : f}, {a < b ? b : a, e < f ? f : e}};
}

static inline double
draw_position(dice *d, double radius)
{
    double position = dice_chance(d, 30) ? draw_coordinate(d) / 2 : (dice_real(d) - 0.5) * 2 * HALF;
    double most = HALF - radius - 1;
    return position > most ? most : position < -most ? -most : position;
}

static inline pqt_paint_op
draw_paint_op(dice *d)
{
    return (pqt_paint_op)(PQT_PAINT_SET + dice_below(d, 3));
}

static inline pqt_paint
draw_paint(dice *d)
{
    pqt_paint_op op = draw_paint_op(d);
    double radius = dice_chance(d, 20) ? (double)dice_below(d, 5) / 2 : dice_real(d) * 40;
    pqt_vec from = {draw_position(d, radius), draw_position(d, radius)};
    pqt_vec to = {draw_position(d, radius), draw_position(d, radius)};
    switch (dice_below(d, 5)) {
    case 0: {
        pqt_pixel_box box = draw_box(d);
        box.min.x -= box.min.x == HALF;
        box.min.y -= box.min.y == HALF;
        return pqt_paint_pixel(op, box.min);
    }
    case 1:
        return pqt_paint_box(op, draw_box(d));
    case 2:
        return pqt_paint_disc(op, from, radius);
    case 3:
        if (dice_chance(d, 30))
            to.x = from.x;
        else if (dice_chance(d, 30))
            to.y = from.y;
        return pqt_paint_stroke(op, from, to, radius / 4);
    default:
        return pqt_paint_stroke(op, from, to, radius);
    }
}

static inline pqt_connectivity
draw_neighbours(dice *d)
{
    return dice_chance(d, 50) ? PQT_CONNECTIVITY_4 : PQT_CONNECTIVITY_8;
}

/* ---- Results of visits ---- */

typedef struct list {
    pqt_pixel_run *runs;
    pqt_pixel_box *boxes;
    size_t runs_count, boxes_count;
} list;

static inline bool
add_run(const pqt_pixel_run *run, void *context)
{
    list *all = context;
    all->runs[all->runs_count++] = *run;
    return true;
}

static inline bool
add_box(const pqt_pixel_box *box, void *context)
{
    list *all = context;
    all->boxes[all->boxes_count++] = *box;
    return true;
}

static inline list
list_make(void)
{
    size_t most = 4 * HALF * HALF;
    return (list){malloc(most * sizeof(pqt_pixel_run)), malloc(most * sizeof(pqt_pixel_box)), 0, 0};
}

static inline void
list_free(list *all)
{
    free(all->runs);
    free(all->boxes);
}

#endif
