/* SPDX-License-Identifier: MIT */
/* image_paint.c: draws shapes and regions of one colour into an image. */
#include "config.h"

#include "image/image_draw.h"
#include "region/region_internal.h"

/* Sets the bits from `from` to `to` - 1 of a row, which are counted from the left edge of its
 * tile, and may be beyond its edges. */
static void
add_to_mask(uint16_t *mask, int64_t from, int64_t to)
{
    from = from > 0 ? from : 0;
    to = to < PQTI_IMAGE_TILE_SIDE ? to : PQTI_IMAGE_TILE_SIDE;
    if (from < to)
        *mask |= (uint16_t)((1U << to) - (1U << from));
}

static void
set_colours(pqti_tile_ink *ink, uint32_t colour)
{
    for (int i = 0; i < PQTI_IMAGE_TILE_PIXELS; i++)
        ink->colours[i] = colour;
}

/* ---- Shapes ---- */

typedef struct shape_drawing {
    pqti_drawing drawing; /* must be first */
    const pqti_primitive *primitive;
    uint32_t colour;
} shape_drawing;

static pqti_raster_coverage
shape_covers(const pqti_drawing *drawing, pqti_rcell cell, uint32_t *colour)
{
    const shape_drawing *shape = (const shape_drawing *)drawing;
    *colour = shape->colour;
    return pqti_primitive_covers(shape->primitive, cell);
}

static void
draw_shape_in_tile(const pqti_drawing *drawing, pqti_rcell cell, pqti_tile_ink *ink)
{
    const shape_drawing *shape = (const shape_drawing *)drawing;
    set_colours(ink, shape->colour);
    for (int y = 0; y < PQTI_IMAGE_TILE_SIDE; y++) {
        const pqti_span span = pqti_primitive_row(shape->primitive, cell.y + y);
        ink->mask[y] = 0;
        add_to_mask(&ink->mask[y], (int64_t)span.from - cell.x, (int64_t)span.to - cell.x);
    }
}

const pqt_image *
pqt_image_paint(const pqt_image *image, pqt_paint paint, pqt_rgba colour, pqt_ink_mode mode,
                pqt_error *error)
{
    pqti_primitive primitive;
    if (!pqti_image_check_input(image, error) || !pqti_validate_ink_mode(mode, error))
        return NULL;
    if (paint.op != PQT_PAINT_SET) {
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "op: %d; an image takes only PQT_PAINT_SET",
                       (int)paint.op);
        return NULL;
    }
    if (!pqti_primitive_of(&paint, 0, &primitive, error))
        return NULL;
    if (colour.a == 255) /* it replaces what is below, which takes no division */
        mode = PQT_INK_REPLACE;
    const shape_drawing shape = {
        {mode, shape_covers, draw_shape_in_tile}, &primitive, pqti_pack_rgba(colour)};
    return pqti_image_draw(image, &shape.drawing, error);
}

const pqt_image *
pqt_image_set_pixel(const pqt_image *image, pqt_pixel pixel, pqt_rgba colour, pqt_error *error)
{
    if (!pqti_image_check_input(image, error))
        return NULL;
    if (pixel.x < 0 || pixel.y < 0 || pixel.x >= image->frame.width ||
        pixel.y >= image->frame.height)
        return image;
    return pqt_image_paint(image, pqt_paint_pixel(PQT_PAINT_SET, pixel), colour, PQT_INK_REPLACE,
                           error);
}

/* ---- Regions ---- */

typedef struct region_drawing {
    pqti_drawing drawing; /* must be first */
    const pqt_region *region;
    pqt_pixel at; /* the position of the region's pixel 0, 0 in the image */
    uint32_t colour;
} region_drawing;

/* Returns a box of the image, as the region sees it. */
static pqt_pixel_box
box_in_region(const region_drawing *fill, pqt_pixel_box box)
{
    return (pqt_pixel_box){{box.min.x - fill->at.x, box.min.y - fill->at.y},
                           {box.max.x - fill->at.x, box.max.y - fill->at.y}};
}

static pqti_raster_coverage
region_covers(const pqti_drawing *drawing, pqti_rcell cell, uint32_t *colour)
{
    const region_drawing *fill = (const region_drawing *)drawing;
    const pqt_pixel_box box = box_in_region(fill, pqti_rcell_box(cell));
    *colour = fill->colour;
    const uint64_t side = (uint64_t)pqti_side(cell.level);
    const uint64_t count = pqt_region_count_in(fill->region, box);
    if (count == 0)
        return PQTI_RASTER_OUTSIDE;
    return count == side * side ? PQTI_RASTER_WHOLLY : PQTI_RASTER_PARTLY;
}

/* The tile whose mask is set from the runs of a region. */
typedef struct run_target {
    pqt_pixel_box box; /* its box, as the region sees it */
    uint16_t *mask;
} run_target;

static bool
add_run_to_mask(const pqt_pixel_run *run, void *context)
{
    const run_target *target = context;
    add_to_mask(&target->mask[run->y - target->box.min.y], run->min_x - target->box.min.x,
                run->max_x - target->box.min.x);
    return true;
}

static void
draw_region_in_tile(const pqti_drawing *drawing, pqti_rcell cell, pqti_tile_ink *ink)
{
    const region_drawing *fill = (const region_drawing *)drawing;
    run_target target = {box_in_region(fill, pqti_rcell_box(cell)), ink->mask};
    set_colours(ink, fill->colour);
    for (int y = 0; y < PQTI_IMAGE_TILE_SIDE; y++)
        ink->mask[y] = 0;
    pqt_region_visit_runs(fill->region, target.box, add_run_to_mask, &target);
}

const pqt_image *
pqt_image_fill(const pqt_image *image, const pqt_region *region, pqt_pixel at, pqt_rgba colour,
               pqt_ink_mode mode, pqt_error *error)
{
    if (!pqti_image_check_input(image, error) || !pqti_region_check_input(region, error) ||
        !pqti_validate_ink_mode(mode, error))
        return NULL;
    if (pqti_is_far_offset(at))
        return image;
    const region_drawing fill = {
        {mode, region_covers, draw_region_in_tile}, region, at, pqti_pack_rgba(colour)};
    return pqti_image_draw(image, &fill.drawing, error);
}
