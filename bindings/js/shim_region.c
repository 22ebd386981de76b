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

/* ---- Edits ---- */

/* The layout of a primitive in the buffer. */
typedef struct primitive {
    double op, shape;                          /* values of pqt_paint_op and pqt_paint_shape */
    double from_x, from_y, to_x, to_y, radius; /* the first four hold a box */
} primitive;

/* Paints the primitives in the buffer, which has room for their paints after them. */
pqt_pin *
EXPORT(pqtjs_region_paint)(pqt_pin *pin, size_t count)
{
    const pqt_region *region = region_of(pin);
    if (region == NULL)
        return NULL;
    _Static_assert(sizeof(primitive) == 56 && sizeof(pqt_paint) <= 72, "as in lib/region.js");
    const primitive *primitives = (const primitive *)buffer;
    pqt_paint *paints = (pqt_paint *)(primitives + count);
    for (size_t i = 0; i < count; i++) {
        const primitive one = primitives[i];
        const pqt_paint_op op = (pqt_paint_op)(int)one.op;
        if ((int)one.shape == PQT_PAINT_BOX)
            paints[i] =
                pqt_paint_box(op, (pqt_pixel_box){{(int32_t)one.from_x, (int32_t)one.from_y},
                                                  {(int32_t)one.to_x, (int32_t)one.to_y}});
        else
            paints[i] = pqt_paint_stroke(op, (pqt_vec){one.from_x, one.from_y},
                                         (pqt_vec){one.to_x, one.to_y}, one.radius);
    }
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
enum { MOVE, SCALE, TRANSFORM, DILATE, ERODE, OUTLINE, INTERN };

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
    default:
        RETURN_PINNED(region, pqt_region_intern(region, &failure));
    }
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

/* Fills the buffer with pins of the components, in 64-bit words, and returns their number; -1
   on failure. */
int32_t
EXPORT(pqtjs_region_components)(pqt_pin *pin, int connectivity)
{
    const pqt_region *region = region_of(pin);
    int32_t count = 0;
    begin_append();
    if (region == NULL)
        return -1;
    const bool all = pqt_region_visit_components(region, (pqt_connectivity)connectivity, 0,
                                                 append_pin, &count, &failure);
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

static bool
append_box(const pqt_pixel_box *box, void *context)
{
    int32_t *count = context;
    ++*count;
    return append(box, sizeof *box);
}

/* Fills the buffer with boxes that cover exactly the pixels of a window, as four 32-bit integers
   each, and returns their number; -1 on failure. */
int32_t
EXPORT(pqtjs_region_boxes)(pqt_pin *pin, int32_t min_x, int32_t min_y, int32_t max_x, int32_t max_y)
{
    const pqt_region *region = region_of(pin);
    const pqt_pixel_box window = {{min_x, min_y}, {max_x, max_y}};
    int32_t count = 0;
    begin_append();
    if (region == NULL || !pqt_region_visit_boxes(region, window, append_box, &count))
        return -1;
    return count;
}

/* Like pqtjs_region_boxes, with boxes that cover the changes between two versions. */
int32_t
EXPORT(pqtjs_region_diff)(pqt_pin *before, pqt_pin *after)
{
    const pqt_region *one = region_of(before), *other = region_of(after);
    int32_t count = 0;
    begin_append();
    if (one == NULL || other == NULL || !pqt_region_visit_diff(one, other, append_box, &count))
        return -1;
    return count;
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

/* ---- Collisions ---- */

/* Returns the area that two regions have in common, in pixels; -1 on failure. */
double
EXPORT(pqtjs_region_overlap)(pqt_pin *pin, pqt_pin *other, double x, double y)
{
    const pqt_region *a = region_of(pin), *b = region_of(other);
    if (a == NULL || b == NULL)
        return -1;
    return pqt_region_overlap_area(a, b, (pqt_vec){x, y}).pixels;
}

/* Returns whether two regions overlap; -1 on failure. */
int32_t
EXPORT(pqtjs_region_overlaps)(pqt_pin *pin, pqt_pin *other, double x, double y)
{
    const pqt_region *a = region_of(pin), *b = region_of(other);
    return a == NULL || b == NULL ? -1 : pqt_region_overlaps(a, b, (pqt_vec){x, y});
}

/* Sets the sides of cells from two doubles; fails unless they are valid. */
static bool
take_cells(const double sides[2], int inner, pqt_cells *cells)
{
    const bool fits = sides[0] >= 1 && sides[0] <= PQT_PIXEL_LIMIT && sides[1] >= 1 &&
                      sides[1] <= PQT_PIXEL_LIMIT;
    *cells = (pqt_cells){fits ? (int32_t)sides[0] : 0, fits ? (int32_t)sides[1] : 0,
                         inner ? PQT_COARSE_INNER : PQT_COARSE_OUTER};
    if (fits && cells->side_a == sides[0] && cells->side_b == sides[1] &&
        pqt_cells_are_valid(*cells))
        return true;
    fail(PQT_ERROR_OPTION, "the side of cells must be a power of two from 1 to 2^20");
    return false;
}

/* Writes a sweep to the buffer, as 14 doubles: the status, the time, the stop, the blocked axes,
   the normal, the shortest separating displacement, the two pixels that met, and the bounces. */
static void
write_sweep(pqt_sweep_status status, pqt_vec stop, unsigned blocked, unsigned bounces,
            const pqt_region_sweep *last)
{
    const double figures[14] = {status,           last->time,     stop.x,         stop.y,
                                blocked,          last->normal.x, last->normal.y, last->push_out.x,
                                last->push_out.y, last->met.a.x,  last->met.a.y,  last->met.b.x,
                                last->met.b.y,    bounces};
    memcpy(buffer, figures, sizeof figures);
}

/* Slides a region along another one at rest. The buffer holds the start and the end of the motion
   and the sides of cells, as six doubles. A slide without bounces is a sweep. */
int32_t
EXPORT(pqtjs_region_sweep)(pqt_pin *pin, pqt_pin *other, int inner, unsigned bounces)
{
    const pqt_region *a = region_of(pin), *b = region_of(other);
    pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
    if (a == NULL || b == NULL || !take_cells((const double *)buffer + 4, inner, &options.cells))
        return 0;
    const pqt_vec *path = (const pqt_vec *)buffer;
    const pqt_region_mover mover = {a, path[0], path[1]};
    const pqt_region_slide slide =
        pqt_region_slide_region(mover, b, (pqt_vec){0, 0}, bounces, &options);
    if (slide.status == PQT_SWEEP_NONE) {
        fail(PQT_ERROR_LIMIT, "a position is NaN, infinite or beyond 2^20 pixels");
        return 0;
    }
    write_sweep(slide.status, slide.stop, slide.blocked, slide.bounces, &slide.last);
    return 1;
}

VERSION_FUNCTIONS(region)
