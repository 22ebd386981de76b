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

static const pqt_region *
region_of_runs(const int32_t *runs, size_t count, pqt_error *error)
{
    pqt_pixel_run *copies = make_array(count, sizeof *copies, error);
    if (copies == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        copies[i] = (pqt_pixel_run){runs[3 * i], runs[3 * i + 1], runs[3 * i + 2]};
    const pqt_region *region = pqt_region_of_runs(copies, count, heap, error);
    free(copies);
    return region;
}

/* Makes a region of runs, three numbers each: the row, the first column and the one after the
 * last. */
pqt_pin *
pqtpy_region_of_runs(const int32_t *runs, size_t count, pqt_error *error)
{
    RETURN_PINNED(region, region_of_runs(runs, count, error));
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
combine(int operation, const pqt_region *a, const pqt_region *b, pqt_pixel offset, pqt_error *error)
{
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

/* Applies an operation after moving the other region. */
pqt_pin *
pqtpy_region_combine(int operation, const pqt_pin *pin, const pqt_pin *other, int32_t x, int32_t y,
                     pqt_error *error)
{
    const pqt_region *a = pqt_pin_get_region(pin), *b = pqt_pin_get_region(other);
    RETURN_PINNED(region, combine(operation, a, b, (pqt_pixel){x, y}, error));
}

/* The operations on one region, with the same numbers as in region.py. */
enum {
    MOVE = 1,
    COMPLEMENT,
    CROP,
    DILATE,
    ERODE,
    OUTLINE,
    COMPONENT,
    LARGEST,
    SCALE,
    TRANSFORM,
    INTERN
};

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
    case LARGEST:
        return pqt_region_largest_component(region, (pqt_connectivity)a, error);
    case SCALE:
        return pqt_region_scale(region, a, b, error);
    case TRANSFORM:
        return pqt_region_transform(region, (pqt_transform)a, error);
    default:
        return pqt_region_intern(region, error);
    }
}

/* Applies an operation, which determines the meaning of the four numbers. */
pqt_pin *
pqtpy_region_change(int operation, const pqt_pin *pin, int32_t a, int32_t b, int32_t c, int32_t d,
                    pqt_error *error)
{
    RETURN_PINNED(region, change(operation, pqt_pin_get_region(pin), a, b, c, d, error));
}

/* Applies a map, the six numbers of a pqt_affine. */
pqt_pin *
pqtpy_region_map(const pqt_pin *pin, const double *numbers, int sampling, pqt_error *error)
{
    pqt_affine map;
    memcpy(&map, numbers, sizeof map);
    RETURN_PINNED(region,
                  pqt_region_map(pqt_pin_get_region(pin), map, (pqt_sampling)sampling, error));
}

/* Sets the six numbers of the rotation about a point that turns the x axis onto a heading. */
void
pqtpy_affine_rotation(double heading_x, double heading_y, double x, double y, double *numbers)
{
    const pqt_affine map = pqt_affine_rotation((pqt_vec){heading_x, heading_y}, (pqt_vec){x, y});
    _Static_assert(sizeof map == 6 * sizeof *numbers, "as in region.py");
    memcpy(numbers, &map, sizeof map);
}

/* Scales the pixels of one box to those of another. */
pqt_pin *
pqtpy_region_resize(const pqt_pin *pin, const int32_t *from, const int32_t *to, int sampling,
                    pqt_error *error)
{
    const pqt_pixel_box a = {{from[0], from[1]}, {from[2], from[3]}};
    const pqt_pixel_box b = {{to[0], to[1]}, {to[2], to[3]}};
    RETURN_PINNED(region,
                  pqt_region_resize(pqt_pin_get_region(pin), a, b, (pqt_sampling)sampling, error));
}

/* Sets the box of the offsets at which the bounds of two regions overlap. */
void
pqtpy_region_overlap_offsets(const pqt_pin *pin, const pqt_pin *other, int32_t *offsets)
{
    const pqt_pixel_box box =
        pqt_region_overlap_offsets(pqt_pin_get_region(pin), pqt_pin_get_region(other));
    memcpy(offsets, &box, sizeof box);
}

/* Writes the number of pixels that two regions have in common at each offset of a box. */
bool
pqtpy_region_convolve(const pqt_pin *pin, const pqt_pin *other, const int32_t *offsets,
                      uint32_t *counts, pqt_error *error)
{
    const pqt_pixel_box box = {{offsets[0], offsets[1]}, {offsets[2], offsets[3]}};
    return pqt_region_convolve(pqt_pin_get_region(pin), pqt_pin_get_region(other), box, counts,
                               (size_t)((int64_t)offsets[2] - offsets[0]), error);
}

/* The operations by distance, with the same numbers as in region.py. */
enum { DILATE_DISC = 1, ERODE_DISC, SKELETON };

static const pqt_region *
morph(int operation, const pqt_region *region, double radius, pqt_error *error)
{
    switch (operation) {
    case DILATE_DISC:
        return pqt_region_dilate_disc(region, radius, error);
    case ERODE_DISC:
        return pqt_region_erode_disc(region, radius, error);
    default:
        return pqt_region_skeleton(region, error);
    }
}

pqt_pin *
pqtpy_region_morph(int operation, const pqt_pin *pin, double radius, pqt_error *error)
{
    RETURN_PINNED(region, morph(operation, pqt_pin_get_region(pin), radius, error));
}

/* Writes the squared distance of each pixel of a window to a pqt_distance_target, row by row. */
bool
pqtpy_region_distances(const pqt_pin *pin, const int32_t *window, int target, uint32_t *squares,
                       pqt_error *error)
{
    const pqt_pixel_box box = {{window[0], window[1]}, {window[2], window[3]}};
    return pqt_region_distances(pqt_pin_get_region(pin), box, (pqt_distance_target)target, squares,
                                (size_t)((int64_t)window[2] - window[0]), error);
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

/* Sets six numbers: the pixels, nodes, leaves, full squares, bytes, and the level. */
void
pqtpy_region_stats(const pqt_pin *pin, uint64_t *figures)
{
    const pqt_region_stats stats = pqt_region_get_stats(pqt_pin_get_region(pin));
    const uint64_t found[] = {stats.pixels, stats.nodes, stats.leaves,
                              stats.full,   stats.bytes, (uint64_t)stats.level};
    memcpy(figures, found, sizeof found);
}

/* Returns a box of four numbers. */
static pqt_pixel_box
pixel_box_of(const int32_t *numbers)
{
    return (pqt_pixel_box){{numbers[0], numbers[1]}, {numbers[2], numbers[3]}};
}

uint64_t
pqtpy_region_count_in(const pqt_pin *pin, const int32_t *window)
{
    return pqt_region_count_in(pqt_pin_get_region(pin), pixel_box_of(window));
}

static bool
append_box(const pqt_pixel_box *box, void *context)
{
    target *to = context;
    return append(to->bytes, box, sizeof *box, to->error);
}

/* Appends boxes that cover the pixels of a window and do not overlap. */
bool
pqtpy_region_boxes(const pqt_pin *pin, const int32_t *window, pqtpy_bytes *boxes, pqt_error *error)
{
    _Static_assert(sizeof(pqt_pixel_box) == 16, "as in region.py");
    target to = {boxes, error};
    return pqt_region_visit_boxes(pqt_pin_get_region(pin), pixel_box_of(window), append_box, &to);
}

static bool
append_run(const pqt_pixel_run *run, void *context)
{
    target *to = context;
    return append(to->bytes, run, sizeof *run, to->error);
}

/* Appends the runs of the pixels of a window, three numbers each. */
bool
pqtpy_region_runs(const pqt_pin *pin, const int32_t *window, pqtpy_bytes *runs, pqt_error *error)
{
    _Static_assert(sizeof(pqt_pixel_run) == 12, "as in region.py");
    target to = {runs, error};
    return pqt_region_visit_runs(pqt_pin_get_region(pin), pixel_box_of(window), append_run, &to);
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

/* Appends boxes that cover the pixels in which two regions differ; at most `most`, unless it is
 * 0. */
bool
pqtpy_region_damage(const pqt_pin *before, const pqt_pin *after, size_t most, pqtpy_bytes *boxes,
                    pqt_error *error)
{
    const pqt_region *a = pqt_pin_get_region(before), *b = pqt_pin_get_region(after);
    target to = {boxes, error};
    if (most == 0)
        return pqt_region_visit_diff(a, b, append_box, &to);
    pqt_pixel_box *found = make_array(most, sizeof *found, error);
    if (found == NULL)
        return false;
    const size_t count = pqt_region_damage(a, b, found, most);
    const bool all = append(boxes, found, count * sizeof *found, error);
    free(found);
    return all;
}

/* Writes a byte of 0 or 1 for each pixel of a window, row by row. */
bool
pqtpy_region_to_bytes(const pqt_pin *pin, const int32_t *window, uint8_t *bytes, pqt_error *error)
{
    return pqt_region_to_bytes(pqt_pin_get_region(pin), pixel_box_of(window), bytes,
                               (size_t)((int64_t)window[2] - window[0]), 1, error);
}
