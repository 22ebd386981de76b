/* SPDX-License-Identifier: MIT */
/* shim_image.c: the functions for images that lib/image.js calls. A colour is the 32-bit number of
   its four bytes, as they are in memory. */
#include "shim.h"

const pqt_image *
image_of(const pqt_pin *pin)
{
    return held_version(pin, PQT_KIND_IMAGE);
}

static pqt_rgba
colour_of(uint32_t number)
{
    pqt_rgba colour;
    memcpy(&colour, &number, sizeof colour);
    return colour;
}

/* ---- Construction and reading ---- */

pqt_pin *
EXPORT(pqtjs_image_make)(size_t width, size_t height, uint32_t colour)
{
    RETURN_PINNED(image,
                  pqt_image_make(width, height, colour_of(colour), memory_of_versions(), &failure));
}

/* Makes an image of the pixels in the buffer, whose rows are `stride` bytes apart. */
pqt_pin *
EXPORT(pqtjs_image_of_rgba)(size_t width, size_t height, size_t stride)
{
    RETURN_PINNED(image, pqt_image_of_rgba((const uint8_t *)buffer, width, height, stride,
                                           memory_of_versions(), &failure));
}

/* Writes the bounds to the buffer, as four 32-bit integers. */
int32_t
EXPORT(pqtjs_image_bounds)(pqt_pin *pin)
{
    const pqt_image *image = image_of(pin);
    if (image == NULL)
        return 0;
    const pqt_pixel_box bounds = pqt_image_bounds(image);
    memcpy(buffer, &bounds, sizeof bounds);
    return 1;
}

/* Writes the pixels of a window to the buffer, which has room for them. */
int32_t
EXPORT(pqtjs_image_to_rgba)(pqt_pin *pin, int32_t min_x, int32_t min_y, int32_t max_x,
                            int32_t max_y)
{
    const pqt_image *image = image_of(pin);
    const pqt_pixel_box window = {{min_x, min_y}, {max_x, max_y}};
    const size_t width = max_x > min_x ? (size_t)((int64_t)max_x - min_x) : 0;
    return image != NULL &&
           pqt_image_to_rgba(image, window, (uint8_t *)buffer, 4 * width, &failure);
}

/* Makes the region of the pixels with a property, a pqt_image_property. The limit is the threshold
   or the tolerance. */
pqt_pin *
EXPORT(pqtjs_image_select)(pqt_pin *pin, int property, int limit, uint32_t colour)
{
    const pqt_image *image = image_of(pin);
    if (image == NULL)
        return NULL;
    const pqt_image_selection selection = {(pqt_image_property)property, (uint8_t)limit,
                                           (uint8_t)limit, colour_of(colour)};
    RETURN_PINNED(region, pqt_image_select(image, selection, &failure));
}

/* ---- Edits: `mode` is a pqt_ink_mode ---- */

/* Draws the primitives in the buffer in one colour. */
static const pqt_image *
paint(const pqt_image *image, size_t count, pqt_rgba colour, pqt_ink_mode mode)
{
    for (size_t i = 0; i < count && image != NULL; i++)
        image = pqt_image_paint(image, paint_in_buffer(i), colour, mode, &failure);
    return image;
}

pqt_pin *
EXPORT(pqtjs_image_paint)(pqt_pin *pin, size_t count, uint32_t colour, int mode)
{
    const pqt_image *image = image_of(pin);
    if (image == NULL)
        return NULL;
    RETURN_PINNED(image, paint(image, count, colour_of(colour), (pqt_ink_mode)mode));
}

/* Draws the pixels of a region that is moved by x, y. */
pqt_pin *
EXPORT(pqtjs_image_fill)(pqt_pin *pin, pqt_pin *shape, int32_t x, int32_t y, uint32_t colour,
                         int mode)
{
    const pqt_image *image = image_of(pin);
    const pqt_region *region = region_of(shape);
    if (image == NULL || region == NULL)
        return NULL;
    const pqt_pixel at = {x, y};
    RETURN_PINNED(
        image, pqt_image_fill(image, region, at, colour_of(colour), (pqt_ink_mode)mode, &failure));
}

/* Draws a box of another image. The buffer has the box and the position, as 32-bit integers. */
pqt_pin *
EXPORT(pqtjs_image_blit)(pqt_pin *pin, pqt_pin *other, int mode)
{
    const pqt_image *image = image_of(pin), *source = image_of(other);
    if (image == NULL || source == NULL)
        return NULL;
    pqt_pixel numbers[3];
    memcpy(numbers, buffer, sizeof numbers);
    const pqt_pixel_box box = {numbers[0], numbers[1]};
    RETURN_PINNED(image,
                  pqt_image_blit(image, source, box, numbers[2], (pqt_ink_mode)mode, &failure));
}

pqt_pin *
EXPORT(pqtjs_image_flood)(pqt_pin *pin, int32_t x, int32_t y, int tolerance, uint32_t colour,
                          int mode)
{
    const pqt_image *image = image_of(pin);
    if (image == NULL)
        return NULL;
    const pqt_pixel at = {x, y};
    RETURN_PINNED(image, pqt_image_flood(image, at, (uint8_t)tolerance, colour_of(colour),
                                         (pqt_ink_mode)mode, &failure));
}

/* ---- Differences and merges ---- */

/* Fills the buffer with boxes that cover the changes between two versions, and returns their
   number; -1 on failure. */
int32_t
EXPORT(pqtjs_image_diff)(pqt_pin *before, pqt_pin *after)
{
    const pqt_image *one = image_of(before), *other = image_of(after);
    begin_append();
    if (one == NULL || other == NULL ||
        !pqt_image_visit_diff(one, other, append_pixel_box, NULL, &failure))
        return -1;
    return appended();
}

/* Appends the box of a conflict. */
static pqt_image_resolution
note_conflict(const pqt_pixel_box *box, void *context)
{
    return append_pixel_box(box, context) ? PQT_IMAGE_KEEP_OURS : PQT_IMAGE_UNRESOLVED;
}

/* The decisions for conflicts in the buffer, a byte each. The last one applies to all that
   follow. */
typedef struct decisions {
    size_t count, met;
} decisions;

static pqt_image_resolution
decide(const pqt_pixel_box *box, void *context)
{
    decisions *of = context;
    (void)box;
    return (pqt_image_resolution)buffer[of->met + 1 < of->count ? of->met++ : of->count - 1];
}

static const pqt_image *
merge(const pqt_image *const versions[3], size_t count)
{
    decisions of = {count, 0};
    begin_append();
    return pqt_image_merge(versions[0], versions[1], versions[2],
                           count == 0 ? note_conflict : decide, &of, &failure);
}

static pqt_pin *
merge_pinned(pqt_pin *base, pqt_pin *ours, pqt_pin *theirs, size_t count)
{
    const pqt_image *const versions[] = {image_of(base), image_of(ours), image_of(theirs)};
    if (versions[0] == NULL || versions[1] == NULL || versions[2] == NULL)
        return NULL;
    RETURN_PINNED(image, merge(versions, count));
}

/* Merges with the decisions in the buffer, values of pqt_image_resolution, at least one. */
pqt_pin *
EXPORT(pqtjs_image_merge)(pqt_pin *base, pqt_pin *ours, pqt_pin *theirs, size_t count)
{
    return merge_pinned(base, ours, theirs, count);
}

/* Fills the buffer with the boxes of the conflicts of a merge, and returns the number of bytes; -1
   on failure. */
int32_t
EXPORT(pqtjs_image_conflicts)(pqt_pin *base, pqt_pin *ours, pqt_pin *theirs)
{
    pqt_pin *pin = merge_pinned(base, ours, theirs, 0);
    if (pin == NULL)
        return -1;
    pqt_unpin(&pin);
    return appended();
}

VERSION_FUNCTIONS(image)
