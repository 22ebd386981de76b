/* SPDX-License-Identifier: MIT */
/* pixel_boxes.c: collects boxes of pixels that are drawn together. */
#include "config.h"

#include "tool/pixel_boxes.h"

#include <stdlib.h>

#include <pqt.h>
#include <pqt/pixels.h>

#include "tool/tool_memory.h"

void
pixels_add(pixels *all, pqt_pixel_box box)
{
    const pqt_box moved =
        pqt_box_moved((pqt_box){{box.min.x, box.min.y}, {box.max.x, box.max.y}}, all->at);
    all->items = xgrow(all->items, &all->capacity, all->count + 1, sizeof *all->items);
    all->items[all->count] = (pqt_item){moved, all->count};
    all->count++;
}

void
pixels_draw(pixels *all, picture *drawn, const char *class_name)
{
    if (all->count > 0)
        picture_items(drawn, all->items, all->count, class_name);
    free(all->items);
}

static bool
add_box(const pqt_pixel_box *box, void *context)
{
    pixels_add(context, *box);
    return true;
}

void
draw_pixels(picture *drawn, const pqt_region *region, pqt_vec at, const char *class_name)
{
    pixels all = {.at = at};
    pqt_region_visit_boxes(region, pqt_region_bounds(region), add_box, &all);
    pixels_draw(&all, drawn, class_name);
}
