/* SPDX-License-Identifier: MIT */
/* shim_region.c: the functions for regions that lib/region.js calls. */
#include "shim.h"

const pqt_region *
region_of(const pqt_pin *pin)
{
    return held_version(pin, PQT_KIND_REGION);
}

/* ---- Construction ---- */

/* Makes a region from an image in the buffer, which begins with the byte of the first pixel. */
pqt_pin *
EXPORT(pqtjs_region_of_bytes)(size_t width, size_t height, size_t stride, size_t pixel_stride,
                              int threshold, int32_t x, int32_t y)
{
    const pqt_byte_image image = {(const uint8_t *)buffer, width, height, stride, pixel_stride,
                                  (uint8_t)threshold};
    RETURN_PINNED(region,
                  pqt_region_of_bytes(&image, (pqt_pixel){x, y}, memory_of_versions(), &failure));
}

/* Makes a region from boxes in the buffer, four 32-bit integers each. */
pqt_pin *
EXPORT(pqtjs_region_of_boxes)(size_t count)
{
    RETURN_PINNED(region, pqt_region_of_boxes((const pqt_pixel_box *)buffer, count,
                                              memory_of_versions(), &failure));
}

/* Makes a region from runs in the buffer, three 32-bit integers each. */
pqt_pin *
EXPORT(pqtjs_region_of_runs)(size_t count)
{
    RETURN_PINNED(region, pqt_region_of_runs((const pqt_pixel_run *)buffer, count,
                                             memory_of_versions(), &failure));
}

/* ---- Edits ---- */

/* The layout of a primitive in the buffer. */
typedef struct primitive {
    double op, shape;                          /* values of pqt_paint_op and pqt_paint_shape */
    double from_x, from_y, to_x, to_y, radius; /* the first four hold a box */
} primitive;

pqt_paint
paint_in_buffer(size_t i)
{
    _Static_assert(sizeof(primitive) == 56 && sizeof(pqt_paint) <= 72, "as in lib/region.js");
    const primitive one = ((const primitive *)buffer)[i];
    const pqt_paint_op op = (pqt_paint_op)(int)one.op;
    if ((int)one.shape == PQT_PAINT_BOX)
        return pqt_paint_box(op, (pqt_pixel_box){{(int32_t)one.from_x, (int32_t)one.from_y},
                                                 {(int32_t)one.to_x, (int32_t)one.to_y}});
    return pqt_paint_stroke(op, (pqt_vec){one.from_x, one.from_y}, (pqt_vec){one.to_x, one.to_y},
                            one.radius);
}

/* Paints the primitives in the buffer, which has room for their paints after them. */
pqt_pin *
EXPORT(pqtjs_region_paint)(pqt_pin *pin, size_t count)
{
    const pqt_region *region = region_of(pin);
    if (region == NULL)
        return NULL;
    pqt_paint *paints = (pqt_paint *)((primitive *)buffer + count);
    for (size_t i = 0; i < count; i++)
        paints[i] = paint_in_buffer(i);
    RETURN_PINNED(region, pqt_region_paint_all(region, paints, count, &failure));
}

/* The operations, with the same numbers as in lib/region.js. */
enum { UNION, INTERSECTION, DIFFERENCE, XOR };

pqt_pin *
EXPORT(pqtjs_region_combine)(int operation, pqt_pin *pin, pqt_pin *other, int32_t x, int32_t y)
{
    const pqt_region *a = region_of(pin), *b = region_of(other);
    if (a == NULL || b == NULL)
        return NULL;
    const pqt_pixel offset = {x, y};
    switch (operation) {
    case UNION:
        RETURN_PINNED(region, pqt_region_union(a, b, offset, &failure));
    case INTERSECTION:
        RETURN_PINNED(region, pqt_region_intersection(a, b, offset, &failure));
    case DIFFERENCE:
        RETURN_PINNED(region, pqt_region_difference(a, b, offset, &failure));
    default:
        RETURN_PINNED(region, pqt_region_xor(a, b, offset, &failure));
    }
}

pqt_pin *
EXPORT(pqtjs_region_restrict)(pqt_pin *pin, int complement, int32_t min_x, int32_t min_y,
                              int32_t max_x, int32_t max_y)
{
    const pqt_region *region = region_of(pin);
    if (region == NULL)
        return NULL;
    const pqt_pixel_box box = {{min_x, min_y}, {max_x, max_y}};
    if (complement)
        RETURN_PINNED(region, pqt_region_complement(region, box, &failure));
    RETURN_PINNED(region, pqt_region_crop(region, box, &failure));
}

/* The operations, with the same numbers as in lib/region.js. */
enum { MOVE, SCALE, TRANSFORM, DILATE, ERODE, OUTLINE, LARGEST, INTERN };

/* Applies an operation, which determines the meaning of a and b. */
pqt_pin *
EXPORT(pqtjs_region_change)(int operation, pqt_pin *pin, int32_t a, int32_t b)
{
    const pqt_region *region = region_of(pin);
    if (region == NULL)
        return NULL;
    const pqt_connectivity connectivity = (pqt_connectivity)b;
    switch (operation) {
    case MOVE:
        RETURN_PINNED(region, pqt_region_move(region, (pqt_pixel){a, b}, &failure));
    case SCALE:
        RETURN_PINNED(region, pqt_region_scale(region, a, b, &failure));
    case TRANSFORM:
        RETURN_PINNED(region, pqt_region_transform(region, (pqt_transform)a, &failure));
    case DILATE:
        RETURN_PINNED(region, pqt_region_dilate(region, a, connectivity, &failure));
    case ERODE:
        RETURN_PINNED(region, pqt_region_erode(region, a, connectivity, &failure));
    case OUTLINE:
        RETURN_PINNED(region, pqt_region_outline(region, connectivity, &failure));
    case LARGEST:
        RETURN_PINNED(region, pqt_region_largest_component(region, connectivity, &failure));
    default:
        RETURN_PINNED(region, pqt_region_intern(region, &failure));
    }
}

/* The operations by distance, with the same numbers as in lib/region.js. */
enum { DILATE_DISC, ERODE_DISC, SKELETON };

pqt_pin *
EXPORT(pqtjs_region_morph)(int operation, pqt_pin *pin, double radius)
{
    const pqt_region *region = region_of(pin);
    if (region == NULL)
        return NULL;
    switch (operation) {
    case DILATE_DISC:
        RETURN_PINNED(region, pqt_region_dilate_disc(region, radius, &failure));
    case ERODE_DISC:
        RETURN_PINNED(region, pqt_region_erode_disc(region, radius, &failure));
    default:
        RETURN_PINNED(region, pqt_region_skeleton(region, &failure));
    }
}

/* Writes the squared distances of the pixels of a window to a pqt_distance_target to the buffer,
   which has room for them. */
int32_t
EXPORT(pqtjs_region_distances)(pqt_pin *pin, int target, int32_t min_x, int32_t min_y,
                               int32_t max_x, int32_t max_y)
{
    const pqt_region *region = region_of(pin);
    const pqt_pixel_box window = {{min_x, min_y}, {max_x, max_y}};
    const size_t width = max_x > min_x ? (size_t)((int64_t)max_x - min_x) : 0;
    return region != NULL && pqt_region_distances(region, window, (pqt_distance_target)target,
                                                  (uint32_t *)buffer, width, &failure);
}

/* Scales the pixels of the box in the buffer to the box after it. */
pqt_pin *
EXPORT(pqtjs_region_resize)(pqt_pin *pin, int sampling)
{
    const pqt_region *region = region_of(pin);
    pqt_pixel_box boxes[2];
    memcpy(boxes, buffer, sizeof boxes);
    RETURN_PINNED(region, region == NULL ? NULL
                                         : pqt_region_resize(region, boxes[0], boxes[1],
                                                             (pqt_sampling)sampling, &failure));
}

/* Applies the pqt_affine in the buffer; or, if it is a heading and a point, rotates. */
pqt_pin *
EXPORT(pqtjs_region_map)(pqt_pin *pin, int is_rotation, int sampling)
{
    const pqt_region *region = region_of(pin);
    pqt_affine map;
    pqt_vec at[2];
    memcpy(&map, buffer, sizeof map);
    memcpy(at, buffer, sizeof at);
    if (is_rotation)
        map = pqt_affine_rotation(at[0], at[1]);
    RETURN_PINNED(region, region == NULL
                              ? NULL
                              : pqt_region_map(region, map, (pqt_sampling)sampling, &failure));
}

/* Writes the box of the offsets at which the bounds of two regions overlap to the buffer. */
int32_t
EXPORT(pqtjs_region_overlap_offsets)(pqt_pin *pin, pqt_pin *other_pin)
{
    const pqt_region *region = region_of(pin), *other = region_of(other_pin);
    if (region == NULL || other == NULL)
        return 0;
    const pqt_pixel_box offsets = pqt_region_overlap_offsets(region, other);
    memcpy(buffer, &offsets, sizeof offsets);
    return 1;
}

/* Writes the number of pixels that two regions have in common at each offset of a box to the
   buffer, which has room for them. */
int32_t
EXPORT(pqtjs_region_convolve)(pqt_pin *pin, pqt_pin *other_pin, int32_t min_x, int32_t min_y,
                              int32_t max_x, int32_t max_y)
{
    const pqt_region *region = region_of(pin), *other = region_of(other_pin);
    const pqt_pixel_box offsets = {{min_x, min_y}, {max_x, max_y}};
    const size_t width = max_x > min_x ? (size_t)((int64_t)max_x - min_x) : 0;
    return region != NULL && other != NULL &&
           pqt_region_convolve(region, other, offsets, (uint32_t *)buffer, width, &failure);
}

pqt_pin *
EXPORT(pqtjs_region_component)(pqt_pin *pin, int32_t x, int32_t y, int connectivity)
{
    const pqt_region *region = region_of(pin);
    if (region == NULL)
        return NULL;
    const pqt_pixel pixel = {x, y};
    RETURN_PINNED(region,
                  pqt_region_component(region, pixel, (pqt_connectivity)connectivity, &failure));
}

static bool
append_pin(const pqt_region *component, void *context)
{
    int32_t *count = context;
    pqt_pin *pin = pqt_region_pin(component, &failure);
    if (pin == NULL || !append_word((uintptr_t)pin)) {
        pqt_unpin(&pin);
        return false;
    }
    ++*count;
    return true;
}

/* Fills the buffer with pins of the components of at least `minimum` pixels, in 64-bit words, and
   returns their number; -1 on failure. */
int32_t
EXPORT(pqtjs_region_components)(pqt_pin *pin, int connectivity, double minimum)
{
    const pqt_region *region = region_of(pin);
    int32_t count = 0;
    begin_append();
    if (region == NULL)
        return -1;
    const bool all = pqt_region_visit_components(region, (pqt_connectivity)connectivity,
                                                 (uint64_t)minimum, append_pin, &count, &failure);
    keep(NULL);
    if (all)
        return count;
    for (int32_t i = 0; i < count; i++) {
        pqt_pin *component = (pqt_pin *)(uintptr_t)((const uint64_t *)buffer)[i];
        pqt_unpin(&component);
    }
    return -1;
}

/* ---- Reading ---- */

/* Returns the number of pixels of the region; -1 on failure. */
double
EXPORT(pqtjs_region_count)(pqt_pin *pin)
{
    const pqt_region *region = region_of(pin);
    return region == NULL ? -1 : (double)pqt_region_count(region);
}

/* Like pqtjs_region_count, for the pixels in a window. */
double
EXPORT(pqtjs_region_count_in)(pqt_pin *pin, int32_t min_x, int32_t min_y, int32_t max_x,
                              int32_t max_y)
{
    const pqt_region *region = region_of(pin);
    const pqt_pixel_box window = {{min_x, min_y}, {max_x, max_y}};
    return region == NULL ? -1 : (double)pqt_region_count_in(region, window);
}

/* Writes the bounds to the buffer, as four 32-bit integers. */
int32_t
EXPORT(pqtjs_region_bounds)(pqt_pin *pin)
{
    const pqt_region *region = region_of(pin);
    if (region == NULL)
        return 0;
    const pqt_pixel_box bounds = pqt_region_bounds(region);
    memcpy(buffer, &bounds, sizeof bounds);
    return 1;
}

bool
append_pixel_box(const pqt_pixel_box *box, void *context)
{
    (void)context;
    return append(box, sizeof *box);
}

static bool
append_run(const pqt_pixel_run *run, void *context)
{
    (void)context;
    return append(run, sizeof *run);
}

/* Fills the buffer with boxes that cover exactly the pixels of a window, four 32-bit integers each,
   or with their runs, three each, and returns the number of bytes; -1 on failure. */
int32_t
EXPORT(pqtjs_region_boxes)(pqt_pin *pin, int runs, int32_t min_x, int32_t min_y, int32_t max_x,
                           int32_t max_y)
{
    const pqt_region *region = region_of(pin);
    const pqt_pixel_box window = {{min_x, min_y}, {max_x, max_y}};
    begin_append();
    if (region == NULL || !(runs ? pqt_region_visit_runs(region, window, append_run, NULL)
                                 : pqt_region_visit_boxes(region, window, append_pixel_box, NULL)))
        return -1;
    return appended();
}

/* Fills the buffer with boxes that cover the changes between two versions, and returns the number
   of bytes; -1 on failure. There are at most `most` boxes, for which the buffer has room, unless it
   is 0. */
int32_t
EXPORT(pqtjs_region_diff)(pqt_pin *before, pqt_pin *after, size_t most)
{
    const pqt_region *one = region_of(before), *other = region_of(after);
    if (one == NULL || other == NULL)
        return -1;
    if (most > 0)
        return (int32_t)(pqt_region_damage(one, other, (pqt_pixel_box *)buffer, most) *
                         sizeof(pqt_pixel_box));
    begin_append();
    return pqt_region_visit_diff(one, other, append_pixel_box, NULL) ? appended() : -1;
}

/* Appends a contour: how many corners it has and the number of its outer contour, and its
   corners. */
static bool
append_contour(const pqt_contour *contour, void *context)
{
    (void)context;
    const pqt_pixel head = {(int32_t)contour->count, (int32_t)contour->outer};
    return append(&head, sizeof head) &&
           append(contour->corners, contour->count * sizeof *contour->corners);
}

/* Fills the buffer with the contours, and returns the number of bytes; -1 on failure. */
int32_t
EXPORT(pqtjs_region_contours)(pqt_pin *pin, int connectivity, double tolerance)
{
    const pqt_region *region = region_of(pin);
    begin_append();
    if (region == NULL || !pqt_region_visit_contours(region, (pqt_connectivity)connectivity,
                                                     tolerance, append_contour, NULL, &failure))
        return -1;
    return appended();
}

/* Writes seven doubles to the buffer: the centroid, the second central moments xx, xy and yy, and
   the axis. */
int32_t
EXPORT(pqtjs_region_moments)(pqt_pin *pin)
{
    const pqt_region *region = region_of(pin);
    if (region == NULL)
        return 0;
    const pqt_region_moments m = pqt_region_get_moments(region);
    const double found[] = {m.centroid.x, m.centroid.y, m.xx, m.xy, m.yy, m.axis.x, m.axis.y};
    memcpy(buffer, found, sizeof found);
    return 1;
}

/* Writes the pixels of a window to the buffer, which has room for them. */
int32_t
EXPORT(pqtjs_region_to_bytes)(pqt_pin *pin, int32_t min_x, int32_t min_y, int32_t max_x,
                              int32_t max_y, int value)
{
    const pqt_region *region = region_of(pin);
    const pqt_pixel_box window = {{min_x, min_y}, {max_x, max_y}};
    const size_t width = max_x > min_x ? (size_t)((int64_t)max_x - min_x) : 0;
    return region != NULL &&
           pqt_region_to_bytes(region, window, (uint8_t *)buffer, width, (uint8_t)value, &failure);
}

VERSION_FUNCTIONS(region)
