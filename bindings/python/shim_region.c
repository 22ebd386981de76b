/* SPDX-License-Identifier: MIT */
/* shim_region.c: the functions for regions that region.py calls. */
#include "shim.h"

#include <stdlib.h>
#include <string.h>

static const pqt_region *
region_of_bytes(const uint8_t *data, size_t width, size_t height, pqt_pixel at, pqt_error *error)
{
    const pqt_byte_image image = {.data = width == 0 || height == 0 ? NULL : data,
                                  .width = width,
                                  .height = height,
                                  .stride = width,
                                  .pixel_stride = 1,
                                  .threshold = 0};
    return pqt_region_of_bytes(&image, at, heap, error);
}

/* Makes a region of the pixels whose byte is not 0, from an image without gaps between rows. */
pqt_pin *
pqtpy_region_of_bytes(const uint8_t *data, size_t width, size_t height, int32_t x, int32_t y,
                      pqt_error *error)
{
    RETURN_PINNED(region, region_of_bytes(data, width, height, (pqt_pixel){x, y}, error));
}

static const pqt_region *
region_of_boxes(const int32_t *boxes, size_t count, pqt_error *error)
{
    pqt_pixel_box *copies = make_array(count, sizeof *copies, error);
    if (copies == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const int32_t *box = boxes + 4 * i;
        copies[i] = (pqt_pixel_box){{box[0], box[1]}, {box[2], box[3]}};
    }
    const pqt_region *region = pqt_region_of_boxes(copies, count, heap, error);
    free(copies);
    return region;
}

pqt_pin *
pqtpy_region_of_boxes(const int32_t *boxes, size_t count, pqt_error *error)
{
    RETURN_PINNED(region, region_of_boxes(boxes, count, error));
}

pqt_pin *
pqtpy_region_paint_box(const pqt_pin *pin, int op, int32_t min_x, int32_t min_y, int32_t max_x,
                       int32_t max_y, pqt_error *error)
{
    const pqt_paint paint =
        pqt_paint_box((pqt_paint_op)op, (pqt_pixel_box){{min_x, min_y}, {max_x, max_y}});
    RETURN_PINNED(region, pqt_region_paint(pqt_pin_get_region(pin), paint, error));
}

pqt_pin *
pqtpy_region_paint_stroke(const pqt_pin *pin, int op, double from_x, double from_y, double to_x,
                          double to_y, double radius, pqt_error *error)
{
    const pqt_vec from = {from_x, from_y}, to = {to_x, to_y};
    const pqt_paint paint = pqt_paint_stroke((pqt_paint_op)op, from, to, radius);
    RETURN_PINNED(region, pqt_region_paint(pqt_pin_get_region(pin), paint, error));
}

/* The operations on two regions, with the same numbers as in region.py. */
enum { UNION = 1, INTERSECTION, DIFFERENCE, XOR };

static const pqt_region *
combine(int operation, const pqt_region *a, const pqt_region *b, pqt_error *error)
{
    const pqt_pixel offset = {0, 0};
    switch (operation) {
    case UNION:
        return pqt_region_union(a, b, offset, error);
    case INTERSECTION:
        return pqt_region_intersection(a, b, offset, error);
    case DIFFERENCE:
        return pqt_region_difference(a, b, offset, error);
    default:
        return pqt_region_xor(a, b, offset, error);
    }
}

pqt_pin *
pqtpy_region_combine(int operation, const pqt_pin *pin, const pqt_pin *other, pqt_error *error)
{
    RETURN_PINNED(region,
                  combine(operation, pqt_pin_get_region(pin), pqt_pin_get_region(other), error));
}

/* The operations on one region, with the same numbers as in region.py. */
enum { MOVE = 1, COMPLEMENT, CROP, DILATE, ERODE, OUTLINE, COMPONENT, LARGEST };

static const pqt_region *
change(int operation, const pqt_region *region, int32_t a, int32_t b, int32_t c, int32_t d,
       pqt_error *error)
{
    const pqt_pixel_box box = {{a, b}, {c, d}};
    switch (operation) {
    case MOVE:
        return pqt_region_move(region, (pqt_pixel){a, b}, error);
    case COMPLEMENT:
        return pqt_region_complement(region, box, error);
    case CROP:
        return pqt_region_crop(region, box, error);
    case DILATE:
        return pqt_region_dilate(region, a, (pqt_connectivity)b, error);
    case ERODE:
        return pqt_region_erode(region, a, (pqt_connectivity)b, error);
    case OUTLINE:
        return pqt_region_outline(region, (pqt_connectivity)b, error);
    case COMPONENT:
        return pqt_region_component(region, (pqt_pixel){a, b}, (pqt_connectivity)c, error);
    default:
        return pqt_region_largest_component(region, (pqt_connectivity)a, error);
    }
}

/* Applies an operation, which determines the meaning of the four numbers. */
pqt_pin *
pqtpy_region_change(int operation, const pqt_pin *pin, int32_t a, int32_t b, int32_t c, int32_t d,
                    pqt_error *error)
{
    RETURN_PINNED(region, change(operation, pqt_pin_get_region(pin), a, b, c, d, error));
}

uint64_t
pqtpy_region_count(const pqt_pin *pin)
{
    return pqt_region_count(pqt_pin_get_region(pin));
}

bool
pqtpy_region_contains(const pqt_pin *pin, int32_t x, int32_t y)
{
    return pqt_region_contains(pqt_pin_get_region(pin), (pqt_pixel){x, y});
}

void
pqtpy_region_bounds(const pqt_pin *pin, int32_t *bounds)
{
    const pqt_pixel_box box = pqt_region_bounds(pqt_pin_get_region(pin));
    memcpy(bounds, &box, sizeof box);
}

static bool
append_box(const pqt_pixel_box *box, void *context)
{
    target *to = context;
    return append(to->bytes, box, sizeof *box, to->error);
}

/* Appends boxes that cover the region and do not overlap. */
bool
pqtpy_region_boxes(const pqt_pin *pin, pqtpy_bytes *boxes, pqt_error *error)
{
    _Static_assert(sizeof(pqt_pixel_box) == 16, "as in region.py");
    const pqt_region *region = pqt_pin_get_region(pin);
    target to = {boxes, error};
    return pqt_region_visit_boxes(region, pqt_region_bounds(region), append_box, &to);
}

/* Appends the boxes of a component after one whose first number says how many they are. */
static bool
append_component(const pqt_region *component, void *context)
{
    target *to = context;
    const size_t start = to->bytes->size;
    pqt_pixel_box head = {{0, 0}, {0, 0}};
    if (!append_box(&head, to) ||
        !pqt_region_visit_boxes(component, pqt_region_bounds(component), append_box, to))
        return false;
    head.min.x = (int32_t)((to->bytes->size - start) / sizeof head - 1);
    memcpy(to->bytes->data + start, &head, sizeof head);
    return true;
}

/* Appends the boxes of each component. */
bool
pqtpy_region_components(const pqt_pin *pin, int connectivity, uint64_t minimum, pqtpy_bytes *boxes,
                        pqt_error *error)
{
    target to = {boxes, error};
    return pqt_region_visit_components(pqt_pin_get_region(pin), (pqt_connectivity)connectivity,
                                       minimum, append_component, &to, error);
}

/* Appends a contour: how many corners it has and the number of its outer contour, and its
 * corners. */
static bool
append_contour(const pqt_contour *contour, void *context)
{
    target *to = context;
    const int32_t head[2] = {(int32_t)contour->count, (int32_t)contour->outer};
    return append(to->bytes, head, sizeof head, to->error) &&
           append(to->bytes, contour->corners, contour->count * sizeof *contour->corners,
                  to->error);
}

bool
pqtpy_region_contours(const pqt_pin *pin, int connectivity, double tolerance, pqtpy_bytes *corners,
                      pqt_error *error)
{
    _Static_assert(sizeof(pqt_pixel) == 8, "as in region.py");
    target to = {corners, error};
    return pqt_region_visit_contours(pqt_pin_get_region(pin), (pqt_connectivity)connectivity,
                                     tolerance, append_contour, &to, error);
}

/* Sets 7 numbers: the centroid, the second central moments xx, xy and yy, and the axis. */
void
pqtpy_region_moments(const pqt_pin *pin, double *numbers)
{
    const pqt_region_moments m = pqt_region_get_moments(pqt_pin_get_region(pin));
    const double found[] = {m.centroid.x, m.centroid.y, m.xx, m.xy, m.yy, m.axis.x, m.axis.y};
    memcpy(numbers, found, sizeof found);
}

/* Appends boxes that cover the pixels in which two regions differ. */
bool
pqtpy_region_damage(const pqt_pin *before, const pqt_pin *after, pqtpy_bytes *boxes,
                    pqt_error *error)
{
    target to = {boxes, error};
    return pqt_region_visit_diff(pqt_pin_get_region(before), pqt_pin_get_region(after), append_box,
                                 &to);
}

/* Writes a byte of 0 or 1 for each pixel of a window, row by row. */
bool
pqtpy_region_to_bytes(const pqt_pin *pin, const int32_t *window, uint8_t *bytes, pqt_error *error)
{
    const pqt_pixel_box box = {{window[0], window[1]}, {window[2], window[3]}};
    return pqt_region_to_bytes(pqt_pin_get_region(pin), box, bytes,
                               (size_t)((int64_t)window[2] - window[0]), 1, error);
}

/* Sweeps a region along `path`, two points, against another region at rest. Sets 9 numbers: status,
 * time, stop, blocked axes, normal and push. */
void
pqtpy_region_sweep(const pqt_pin *mover, const pqt_pin *other, const double *path, double *numbers)
{
    const pqt_vec from = {path[0], path[1]}, to = {path[2], path[3]}, zero = {0, 0};
    const pqt_region_sweep s =
        pqt_region_sweep_region((pqt_region_mover){pqt_pin_get_region(mover), from, to},
                                (pqt_region_mover){pqt_pin_get_region(other), zero, zero}, NULL);
    const double found[] = {s.status,   s.time,     s.stop.x,     s.stop.y,    s.blocked,
                            s.normal.x, s.normal.y, s.push_out.x, s.push_out.y};
    memcpy(numbers, found, sizeof found);
}
