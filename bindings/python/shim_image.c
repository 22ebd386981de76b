/* SPDX-License-Identifier: MIT */
/* shim_image.c: the functions for images that image.py calls. A colour is four bytes. */
#include "shim.h"

#include <string.h>

static pqt_rgba
colour_of(const uint8_t *bytes)
{
    return (pqt_rgba){bytes[0], bytes[1], bytes[2], bytes[3]};
}

static pqt_pixel_box
pixel_box_of(const int32_t *numbers)
{
    return (pqt_pixel_box){{numbers[0], numbers[1]}, {numbers[2], numbers[3]}};
}

/* ---- Construction and reading ---- */

pqt_pin *
pqtpy_image_make(size_t width, size_t height, const uint8_t *colour, pqt_error *error)
{
    RETURN_PINNED(image, pqt_image_make(width, height, colour_of(colour), heap, error));
}

/* Makes an image of pixels with four bytes each; `stride` bytes from a row to the one below. The
   library reads each byte once, so another thread may write to them meanwhile. */
pqt_pin *
pqtpy_image_of_rgba(const uint8_t *data, size_t width, size_t height, size_t stride,
                    pqt_error *error)
{
    RETURN_PINNED(image, pqt_image_of_rgba(data, width, height, stride, heap, error));
}

pqt_pin *
pqtpy_image_read_png(const char *bytes, size_t count, pqt_error *error)
{
    pqt_png_options options = PQT_PNG_DEFAULTS;
    options.memory = heap;
    RETURN_PINNED(image, pqt_png_read_image_bytes(bytes, count, &options, NULL, error));
}

/* Sets the width and the height. */
void
pqtpy_image_size(const pqt_pin *pin, int32_t *size)
{
    const pqt_pixel_box bounds = pqt_image_bounds(pqt_pin_get_image(pin));
    size[0] = bounds.max.x;
    size[1] = bounds.max.y;
}

void
pqtpy_image_pixel(const pqt_pin *pin, int32_t x, int32_t y, uint8_t *colour)
{
    const pqt_rgba found = pqt_image_pixel(pqt_pin_get_image(pin), (pqt_pixel){x, y});
    memcpy(colour, &found, sizeof found);
}

/* Writes the pixels of a window, `stride` bytes from a row to the one below. */
bool
pqtpy_image_to_rgba(const pqt_pin *pin, const int32_t *window, uint8_t *bytes, size_t stride,
                    pqt_error *error)
{
    return pqt_image_to_rgba(pqt_pin_get_image(pin), pixel_box_of(window), bytes, stride, error);
}

/* Makes the region of the pixels with a property, a pqt_image_property. The limit is the threshold
   or the tolerance. */
pqt_pin *
pqtpy_image_select(const pqt_pin *pin, int property, int limit, const uint8_t *colour,
                   pqt_error *error)
{
    const pqt_image_selection selection = {.property = (pqt_image_property)property,
                                           .threshold = (uint8_t)limit,
                                           .tolerance = (uint8_t)limit,
                                           .colour = colour_of(colour)};
    RETURN_PINNED(region, pqt_image_select(pqt_pin_get_image(pin), selection, error));
}

/* Sets four numbers: the nodes, tiles and bytes, and the level. */
void
pqtpy_image_stats(const pqt_pin *pin, uint64_t *figures)
{
    const pqt_image_stats stats = pqt_image_get_stats(pqt_pin_get_image(pin));
    const uint64_t found[] = {stats.nodes, stats.tiles, stats.bytes, (uint64_t)stats.level};
    memcpy(figures, found, sizeof found);
}

/* ---- Edits: `mode` is a pqt_ink_mode ---- */

/* Draws a box of pixels. */
pqt_pin *
pqtpy_image_paint_box(const pqt_pin *pin, const int32_t *box, const uint8_t *colour, int mode,
                      pqt_error *error)
{
    const pqt_paint paint = pqt_paint_box(PQT_PAINT_SET, pixel_box_of(box));
    RETURN_PINNED(image, pqt_image_paint(pqt_pin_get_image(pin), paint, colour_of(colour),
                                         (pqt_ink_mode)mode, error));
}

/* Draws a stroke, whose path is four numbers. */
pqt_pin *
pqtpy_image_paint_stroke(const pqt_pin *pin, const double *path, double radius,
                         const uint8_t *colour, int mode, pqt_error *error)
{
    const pqt_vec from = {path[0], path[1]}, to = {path[2], path[3]};
    const pqt_paint paint = pqt_paint_stroke(PQT_PAINT_SET, from, to, radius);
    RETURN_PINNED(image, pqt_image_paint(pqt_pin_get_image(pin), paint, colour_of(colour),
                                         (pqt_ink_mode)mode, error));
}

/* Draws the pixels of a region that is moved by x, y. */
pqt_pin *
pqtpy_image_fill(const pqt_pin *pin, const pqt_pin *region, int32_t x, int32_t y,
                 const uint8_t *colour, int mode, pqt_error *error)
{
    RETURN_PINNED(image,
                  pqt_image_fill(pqt_pin_get_image(pin), pqt_pin_get_region(region),
                                 (pqt_pixel){x, y}, colour_of(colour), (pqt_ink_mode)mode, error));
}

/* Draws a box of another image. */
pqt_pin *
pqtpy_image_blit(const pqt_pin *pin, const pqt_pin *source, const int32_t *box, int32_t x,
                 int32_t y, int mode, pqt_error *error)
{
    RETURN_PINNED(image,
                  pqt_image_blit(pqt_pin_get_image(pin), pqt_pin_get_image(source),
                                 pixel_box_of(box), (pqt_pixel){x, y}, (pqt_ink_mode)mode, error));
}

/* Applies a map, the six numbers of a pqt_affine. */
pqt_pin *
pqtpy_image_map(const pqt_pin *pin, const double *numbers, uint32_t width, uint32_t height,
                int sampling, pqt_error *error)
{
    pqt_affine map;
    memcpy(&map, numbers, sizeof map);
    RETURN_PINNED(image, pqt_image_map(pqt_pin_get_image(pin), map, width, height,
                                       (pqt_sampling)sampling, error));
}

/* Scales a box to a size. */
pqt_pin *
pqtpy_image_resize(const pqt_pin *pin, const int32_t *box, uint32_t width, uint32_t height,
                   int sampling, pqt_error *error)
{
    RETURN_PINNED(image, pqt_image_resize(pqt_pin_get_image(pin), pixel_box_of(box), width, height,
                                          (pqt_sampling)sampling, error));
}

pqt_pin *
pqtpy_image_flood(const pqt_pin *pin, int32_t x, int32_t y, int tolerance, const uint8_t *colour,
                  int mode, pqt_error *error)
{
    RETURN_PINNED(image,
                  pqt_image_flood(pqt_pin_get_image(pin), (pqt_pixel){x, y}, (uint8_t)tolerance,
                                  colour_of(colour), (pqt_ink_mode)mode, error));
}

/* ---- Differences and merges ---- */

static bool
append_box(const pqt_pixel_box *box, void *context)
{
    target *to = context;
    return append(to->bytes, box, sizeof *box, to->error);
}

/* Appends boxes that cover the pixels in which two images differ. */
bool
pqtpy_image_damage(const pqt_pin *before, const pqt_pin *after, pqtpy_bytes *boxes,
                   pqt_error *error)
{
    target to = {boxes, error};
    return pqt_image_visit_diff(pqt_pin_get_image(before), pqt_pin_get_image(after), append_box,
                                &to, error);
}

/* The decisions for the conflicts of a merge, a pqt_image_resolution each, and the number of those
   that were met. */
typedef struct decisions {
    const uint8_t *made;
    size_t count, met;
    target to;
} decisions;

/* Appends the box of a conflict, and decides it. The last decision applies to all that follow. */
static pqt_image_resolution
decide(const pqt_pixel_box *box, void *context)
{
    decisions *of = context;
    const size_t next = of->met < of->count ? of->met : of->count - 1;
    of->met++;
    if (!append_box(box, &of->to))
        return PQT_IMAGE_UNRESOLVED;
    return (pqt_image_resolution)of->made[next];
}

static const pqt_image *
merge(const pqt_pin *base, const pqt_pin *ours, const pqt_pin *theirs, decisions *of)
{
    of->met = 0;
    of->to.bytes->size = 0;
    return pqt_image_merge(pqt_pin_get_image(base), pqt_pin_get_image(ours),
                           pqt_pin_get_image(theirs), decide, of, of->to.error);
}

/* Merges, and appends the boxes of the conflicts. There is at least one decision. */
pqt_pin *
pqtpy_image_merge(const pqt_pin *base, const pqt_pin *ours, const pqt_pin *theirs,
                  const uint8_t *made, size_t count, pqtpy_bytes *boxes, pqt_error *error)
{
    decisions of = {made, count, 0, {boxes, error}};
    RETURN_PINNED(image, merge(base, ours, theirs, &of));
}
