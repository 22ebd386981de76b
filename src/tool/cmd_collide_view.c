/* SPDX-License-Identifier: MIT */
/* cmd_collide_view.c: draws the result of `pqt collide`. */
#include "config.h"

#include <stdio.h>

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/shapes.h>

#include "tool/collide_task.h"
#include "tool/pixel_boxes.h"

/* More cells than this would be unreadable, and drawing them would take minutes. */
#define MOST_CELLS 40000

/* ---- Cells ---- */

static bool
add_leaf(const pqt_square *square, void *context)
{
    if (square->kind != PQT_SQUARE_INNER)
        pixels_add(context, square->box);
    return true;
}

static int32_t
cell_below(int32_t at, int32_t side)
{
    const int32_t remainder = at % side;
    return at - (remainder < 0 ? remainder + side : remainder);
}

static bool
is_cell(const pqt_region *region, pqt_pixel_box cell, pqt_coarse_kind kind)
{
    const uint64_t side = (uint64_t)(cell.max.x - cell.min.x);
    return kind == PQT_COARSE_OUTER ? pqt_region_any_in(region, cell)
                                    : pqt_region_count_in(region, cell) == side * side;
}

static void
add_cells(pixels *all, const pqt_region *region, int32_t side, pqt_coarse_kind kind)
{
    const pqt_pixel_box bounds = pqt_region_bounds(region);
    const int64_t columns = (bounds.max.x - bounds.min.x) / side + 2;
    const int64_t rows = (bounds.max.y - bounds.min.y) / side + 2;
    if (columns * rows > MOST_CELLS)
        return;
    for (int32_t y = cell_below(bounds.min.y, side); y < bounds.max.y; y += side)
        for (int32_t x = cell_below(bounds.min.x, side); x < bounds.max.x; x += side) {
            const pqt_pixel_box cell = {{x, y}, {x + side, y + side}};
            if (is_cell(region, cell, kind))
                pixels_add(all, cell);
        }
}

/* Draws the cells that were compared. If the pictures were compared pixel by pixel, draws the
   leaves of the quadtree instead. */
static void
draw_cells(const collision *c, picture *drawn, const pqt_region *region, int32_t side, pqt_vec at)
{
    pixels all = {.at = at};
    if (side > 1)
        add_cells(&all, region, side, c->cells.kind);
    else
        pqt_region_visit_squares(region, add_leaf, &all);
    pixels_draw(&all, drawn, "cell");
}

/* ---- Motion ---- */

static pqt_box
box_at(const pqt_region *region, pqt_vec at)
{
    const pqt_pixel_box b = pqt_region_bounds(region);
    return pqt_box_moved((pqt_box){{b.min.x, b.min.y}, {b.max.x, b.max.y}}, at);
}

static void
draw_motion(const collision *c, picture *drawn)
{
    const pqt_vec middle = pqt_box_centre(box_at(c->b, (pqt_vec){0, 0}));
    const pqt_vec stop = pqt_vec_add(middle, c->sweep.stop);
    const pqt_segment travelled = {pqt_vec_add(middle, c->from), stop};
    const pqt_segment remaining = {stop, pqt_vec_add(middle, c->to)};
    pqt_svg_segments(&drawn->svg, &travelled, 1, "motion");
    if (c->sweep.status == PQT_SWEEP_HITS || c->sweep.status == PQT_SWEEP_OVERLAPS)
        pqt_svg_segments(&drawn->svg, &remaining, 1, "remaining");
}

/* Returns the box of a cell or pixel. */
static pqt_box
met_box(pqt_pixel corner, int32_t side, pqt_vec at)
{
    return pqt_box_moved(
        (pqt_box){{corner.x, corner.y}, {(double)corner.x + side, (double)corner.y + side}}, at);
}

/* Draws the two cells or pixels that would be the next to overlap, and the normal from the middle
   of their contact. */
static void
draw_contact(const collision *c, picture *drawn, double length)
{
    const pqt_region_sweep *s = &c->sweep;
    const pqt_box of_a = met_box(s->met.b, c->cells.side_a, (pqt_vec){0, 0});
    const pqt_box of_b = met_box(s->met.a, c->cells.side_b, s->stop);
    pqt_box touch;
    pqt_svg_box(&drawn->svg, of_a, "met");
    pqt_svg_box(&drawn->svg, of_b, "met");
    if (!pqt_box_intersection(of_a, of_b, &touch))
        return;
    const pqt_vec from = pqt_box_centre(touch);
    const pqt_segment normal = {from, pqt_vec_add(from, pqt_vec_scale(s->normal, length))};
    pqt_svg_segments(&drawn->svg, &normal, 1, "normal");
}

/* ---- Picture ---- */

static pqt_box
box_to_draw(const collision *c)
{
    const pqt_box start = box_at(c->b, c->from);
    const pqt_box both = pqt_box_union(box_at(c->a, (pqt_vec){0, 0}), start);
    return picture_wide(c->moves ? pqt_box_union(both, box_at(c->b, c->to)) : both);
}

static void
draw_keys(const collision *c, picture *drawn)
{
    pqt_svg_key(&drawn->svg, PQT_SVG_BOX, "first", "A");
    pqt_svg_key(&drawn->svg, PQT_SVG_BOX, "second", c->moves ? "B at its stop" : "B");
    if (c->moves) {
        pqt_svg_key(&drawn->svg, PQT_SVG_BOX, "start", "B at the start");
        pqt_svg_key(&drawn->svg, PQT_SVG_LINE, "motion", "its motion");
    }
    if (c->moves && c->sweep.blocked != 0)
        pqt_svg_key(&drawn->svg, PQT_SVG_LINE, "normal", "contact and normal");
    pqt_svg_key(&drawn->svg, PQT_SVG_BOX, "cell", "cells");
}

static const char *
title_text(const collision *c)
{
    static const char *const results[] = {"", "passes", "ends touching", "hits",
                                          "starts overlapping"};
    if (c->moves)
        return results[c->sweep.status];
    return c->overlaps ? "overlaps" : "does not overlap";
}

void
collide_draw(collision *c)
{
    static const char style[] =
        ".first{stroke:none;fill:#8fa3b5;fill-opacity:1}\n"
        ".start{stroke:none;fill:#e0b13c;fill-opacity:.35}\n"
        ".second{stroke:none;fill:#d98a1e;fill-opacity:.8}\n"
        ".cell{stroke:#26323f;stroke-opacity:.35;stroke-width:.6;fill:none}\n"
        ".remaining{stroke:#26323f;stroke-width:1;stroke-dasharray:3 4}\n"
        ".met{stroke:#b3128a;stroke-width:1.4;fill:#b3128a;fill-opacity:.4}\n"
        ".met.dot{stroke-width:5}\n"
        ".normal{stroke:#b3128a;stroke-width:2}\n";
    picture *drawn = &c->drawn;
    const pqt_box cell = box_to_draw(c);
    const pqt_vec at = c->moves ? c->sweep.stop : c->from;
    char what[200];
    snprintf(what, sizeof what, "%.100s %s", name_of(c->file_b), title_text(c));
    drawn->more_style = style;
    picture_begin(drawn, c->file_a, what, cell, 0);
    draw_pixels(drawn, c->a, (pqt_vec){0, 0}, "first");
    if (c->moves)
        draw_pixels(drawn, c->b, c->from, "start");
    draw_pixels(drawn, c->b, at, "second");
    draw_cells(c, drawn, c->a, c->cells.side_a, (pqt_vec){0, 0});
    draw_cells(c, drawn, c->b, c->cells.side_b, at);
    if (c->moves)
        draw_motion(c, drawn);
    if (c->moves && c->sweep.blocked != 0)
        draw_contact(c, drawn, (cell.max.x - cell.min.x) / 16);
    draw_keys(c, drawn);
    picture_end(drawn);
}
