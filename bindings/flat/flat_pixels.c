/* SPDX-License-Identifier: MIT */
/* flat_pixels.c: the calls for regions and images. */
#include "flat.h"

#include <stdlib.h>

/* ---- Construction and painting ---- */

const pqt_region *
flat_region_of_bytes(const uint8_t *data, size_t width, size_t height, size_t stride,
                     size_t pixel_stride, int threshold, pqt_pixel at, pqt_memory *memory,
                     pqt_error *error)
{
    const pqt_byte_image image = {.data = width == 0 || height == 0 ? NULL : data,
                                  .width = width,
                                  .height = height,
                                  .stride = stride,
                                  .pixel_stride = pixel_stride,
                                  .threshold = (uint8_t)threshold};
    return pqt_region_of_bytes(&image, at, memory, error);
}

pqt_paint
flat_paint(flat_primitive one)
{
    const pqt_paint_op op = (pqt_paint_op)(int)one.op;
    if ((int)one.shape == PQT_PAINT_BOX)
        return pqt_paint_box(op, (pqt_pixel_box){{(int32_t)one.from_x, (int32_t)one.from_y},
                                                 {(int32_t)one.to_x, (int32_t)one.to_y}});
    return pqt_paint_stroke(op, (pqt_vec){one.from_x, one.from_y}, (pqt_vec){one.to_x, one.to_y},
                            one.radius);
}

const pqt_region *
flat_region_paint(const pqt_region *region, const flat_primitive *primitives, size_t count,
                  pqt_error *error)
{
    if (count == 1)
        return pqt_region_paint(region, flat_paint(primitives[0]), error);
    pqt_paint *paints = calloc(count + 1, sizeof *paints);
    if (paints == NULL) {
        flat_fail(error, PQT_ERROR_MEMORY, 0, "out of memory (arguments of a call)");
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        paints[i] = flat_paint(primitives[i]);
    const pqt_region *made = pqt_region_paint_all(region, paints, count, error);
    free(paints);
    return made;
}

const pqt_image *
flat_image_paint(const pqt_image *image, const flat_primitive *primitives, size_t count,
                 pqt_rgba colour, pqt_ink_mode mode, pqt_error *error)
{
    for (size_t i = 0; i < count && image != NULL; i++)
        image = pqt_image_paint(image, flat_paint(primitives[i]), colour, mode, error);
    return image;
}

/* ---- Others made from them ---- */

const pqt_region *
flat_region_resize(const pqt_region *region, const pqt_pixel_box *boxes, pqt_sampling sampling,
                   pqt_error *error)
{
    return pqt_region_resize(region, boxes[0], boxes[1], sampling, error);
}

const pqt_region *
flat_region_map(const pqt_region *region, const pqt_affine *map, pqt_sampling sampling,
                pqt_error *error)
{
    _Static_assert(sizeof *map == 6 * sizeof(double), "as in region.js and region.py");
    return pqt_region_map(region, *map, sampling, error);
}

const pqt_image *
flat_image_map(const pqt_image *image, const pqt_affine *map, size_t width, size_t height,
               pqt_sampling sampling, pqt_error *error)
{
    return pqt_image_map(image, *map, width, height, sampling, error);
}

const pqt_region *
flat_image_select(const pqt_image *image, pqt_image_property property, int limit, pqt_rgba colour,
                  pqt_error *error)
{
    const pqt_image_selection selection = {.property = property,
                                           .threshold = (uint8_t)limit,
                                           .tolerance = (uint8_t)limit,
                                           .colour = colour};
    return pqt_image_select(image, selection, error);
}

/* ---- Reading ---- */

void
flat_region_moments(const pqt_region *region, double *found)
{
    const pqt_region_moments m = pqt_region_get_moments(region);
    const double figures[] = {m.centroid.x, m.centroid.y, m.xx, m.xy, m.yy, m.axis.x, m.axis.y};
    memcpy(found, figures, sizeof figures);
}

/* Returns the width of a box; 0 if it is inverted. */
static size_t
width_of(pqt_pixel_box box)
{
    return box.max.x > box.min.x ? (size_t)((int64_t)box.max.x - box.min.x) : 0;
}

bool
flat_region_distances(const pqt_region *region, pqt_pixel_box window, pqt_distance_target target,
                      uint32_t *squares, pqt_error *error)
{
    return pqt_region_distances(region, window, target, squares, width_of(window), error);
}

bool
flat_region_to_bytes(const pqt_region *region, pqt_pixel_box window, int value, uint8_t *bytes,
                     pqt_error *error)
{
    return pqt_region_to_bytes(region, window, bytes, width_of(window), (uint8_t)value, error);
}

bool
flat_region_convolve(const pqt_region *a, const pqt_region *b, pqt_pixel_box offsets,
                     uint32_t *counts, pqt_error *error)
{
    return pqt_region_convolve(a, b, offsets, counts, width_of(offsets), error);
}

static bool
append_box(const pqt_pixel_box *box, void *out)
{
    return flat_append(box, sizeof *box, out);
}

bool
flat_region_boxes(const pqt_region *region, pqt_pixel_box window, void *out)
{
    _Static_assert(sizeof(pqt_pixel_box) == 16, "as in region.js and region.py");
    return pqt_region_visit_boxes(region, window, append_box, out);
}

/* Appends the boxes of a component, and an empty one. */
static bool
append_component(const pqt_region *component, void *out)
{
    const pqt_pixel_box end = {{0, 0}, {0, 0}};
    return pqt_region_visit_boxes(component, pqt_region_bounds(component), append_box, out) &&
           append_box(&end, out);
}

bool
flat_region_components(const pqt_region *region, pqt_connectivity connectivity, double minimum,
                       void *out, pqt_error *error)
{
    return pqt_region_visit_components(region, connectivity, (uint64_t)minimum, append_component,
                                       out, error);
}

static bool
append_run(const pqt_pixel_run *run, void *out)
{
    return flat_append(run, sizeof *run, out);
}

bool
flat_region_runs(const pqt_region *region, pqt_pixel_box window, void *out)
{
    _Static_assert(sizeof(pqt_pixel_run) == 12, "as in region.js and region.py");
    return pqt_region_visit_runs(region, window, append_run, out);
}

/* A square of the quadtree. */
typedef struct flat_square {
    pqt_pixel_box box;
    uint64_t kind, count;
} flat_square;

static bool
append_square(const pqt_square *square, void *out)
{
    _Static_assert(sizeof(flat_square) == 32, "as in region.js and region.py");
    const flat_square one = {square->box, square->kind, square->count};
    return flat_append(&one, sizeof one, out);
}

bool
flat_region_squares(const pqt_region *region, void *out)
{
    return pqt_region_visit_squares(region, append_square, out);
}

static bool
append_contour(const pqt_contour *contour, void *out)
{
    const pqt_pixel head = {(int32_t)contour->count, (int32_t)contour->outer};
    return flat_append(&head, sizeof head, out) &&
           flat_append(contour->corners, contour->count * sizeof *contour->corners, out);
}

bool
flat_region_contours(const pqt_region *region, pqt_connectivity connectivity, double tolerance,
                     void *out, pqt_error *error)
{
    return pqt_region_visit_contours(region, connectivity, tolerance, append_contour, out, error);
}

bool
flat_region_damage(const pqt_region *before, const pqt_region *after, size_t most, void *out,
                   pqt_error *error)
{
    if (most == 0)
        return pqt_region_visit_diff(before, after, append_box, out);
    pqt_pixel_box *boxes = calloc(most, sizeof *boxes);
    if (boxes == NULL) {
        flat_fail(error, PQT_ERROR_MEMORY, 0, "out of memory (results of a call)");
        return false;
    }
    const size_t count = pqt_region_damage(before, after, boxes, most);
    const bool all = flat_append(boxes, count * sizeof *boxes, out);
    free(boxes);
    return all;
}

bool
flat_image_damage(const pqt_image *before, const pqt_image *after, void *out, pqt_error *error)
{
    return pqt_image_visit_diff(before, after, append_box, out, error);
}

/* ---- Overlaps and casts ---- */

/* The decisions for the conflicts of a merge, and the number of those that were met. */
typedef struct decisions {
    const uint8_t *made;
    size_t count, met;
    flat_writer to;
} decisions;

/* Adds the box of a conflict, and decides it. */
static pqt_image_resolution
decide(const pqt_pixel_box *box, void *context)
{
    decisions *of = context;
    const size_t next = of->met < of->count ? of->met : of->count - 1;
    of->met++;
    if (!flat_add_words(&of->to, box, sizeof *box))
        return PQT_IMAGE_UNRESOLVED;
    return (pqt_image_resolution)of->made[next];
}

const pqt_image *
flat_image_merge(const pqt_image *base, const pqt_image *ours, const pqt_image *theirs,
                 const uint8_t *made, size_t count, void *out, pqt_error *error)
{
    decisions of = {made, count, 0, {.out = out, .error = error}};
    const pqt_image *merged = pqt_image_merge(base, ours, theirs, decide, &of, error);
    return flat_end(&of.to, merged != NULL) ? merged : NULL;
}

double
flat_region_overlap_area(const pqt_region *a, const pqt_region *b, pqt_vec at)
{
    return pqt_region_overlap_area(a, b, at).pixels;
}

/* Sets the cells in which two regions are compared. */
static bool
make_cells(double side_a, double side_b, bool inner, pqt_cells *cells, pqt_error *error)
{
    const bool fits =
        side_a >= 1 && side_a <= PQT_PIXEL_LIMIT && side_b >= 1 && side_b <= PQT_PIXEL_LIMIT;
    *cells = (pqt_cells){fits ? (int32_t)side_a : 0, fits ? (int32_t)side_b : 0,
                         inner ? PQT_COARSE_INNER : PQT_COARSE_OUTER};
    if (fits && cells->side_a == side_a && cells->side_b == side_b && pqt_cells_are_valid(*cells))
        return true;
    flat_fail(error, PQT_ERROR_OPTION, 0,
              "the side of cells must be a power of two from 1 to 2^20");
    return false;
}

int
flat_region_overlaps(const pqt_region *a, const pqt_region *b, pqt_vec at, int side_a, int side_b,
                     bool inner, pqt_error *error)
{
    pqt_cells cells;
    if (!make_cells(side_a, side_b, inner, &cells, error))
        return -1;
    return pqt_region_overlaps_cells(a, b, at, cells);
}

static bool
append_pairs(const pqt_pixel_pairs *pairs, void *out)
{
    return flat_append(pairs, sizeof *pairs, out);
}

bool
flat_region_overlap_pairs(const pqt_region *a, const pqt_region *b, pqt_vec at, void *out)
{
    _Static_assert(sizeof(pqt_pixel_pairs) == 24, "as in region.js and region.py");
    return pqt_region_visit_overlap(a, b, at, append_pairs, out);
}

bool
flat_region_cast(const pqt_region *region, bool is_ray, pqt_vec from, pqt_vec to, double *found)
{
    const pqt_pixel_hit hit = is_ray ? pqt_region_cast_ray(region, (pqt_ray){from, to})
                                     : pqt_region_cast_segment(region, (pqt_segment){from, to});
    const double figures[] = {hit.inside, hit.pixel.x,  hit.pixel.y,
                              hit.entry,  hit.normal.x, hit.normal.y};
    memcpy(found, figures, sizeof figures);
    return hit.hit;
}

/* ---- Sweeps ---- */

static bool
write_slide(const pqt_region_slide *slide, double *found, pqt_error *error)
{
    const pqt_region_sweep *s = &slide->last;
    if (slide->status == PQT_SWEEP_NONE) {
        flat_fail(error, PQT_ERROR_LIMIT, 0,
                  "the shape or a position is NaN, infinite, empty or beyond 2^20 pixels");
        return false;
    }
    const double figures[] = {slide->status,  slide->stop.x, slide->stop.y, slide->blocked,
                              slide->bounces, s->status,     s->time,       s->stop.x,
                              s->stop.y,      s->blocked,    s->normal.x,   s->normal.y,
                              s->exit,        s->push_out.x, s->push_out.y, s->met.a.x,
                              s->met.a.y,     s->met.b.x,    s->met.b.y};
    memcpy(found, figures, sizeof figures);
    return true;
}

bool
flat_region_slide(const pqt_region *mover, const pqt_region *other, const double *numbers,
                  bool inner, int bounces, bool ignore_overlap, double *found, pqt_error *error)
{
    pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
    options.ignore_overlap = ignore_overlap;
    if (!make_cells(numbers[4], numbers[5], inner, &options.cells, error))
        return false;
    const pqt_region_mover motion = {mover, {numbers[0], numbers[1]}, {numbers[2], numbers[3]}};
    const pqt_region_slide slide =
        pqt_region_slide_region(motion, other, (pqt_vec){0, 0}, (unsigned)bounces, &options);
    return write_slide(&slide, found, error);
}

bool
flat_region_slide_shape(const pqt_region *region, int kind, const double *numbers, size_t points,
                        int bounces, bool ignore_overlap, double *found, pqt_error *error)
{
    pqt_convex convex;
    pqt_mover mover;
    pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
    options.ignore_overlap = ignore_overlap;
    if (!flat_mover(kind, numbers, points, &convex, &mover, error))
        return false;
    const pqt_region_slide slide =
        pqt_region_slide_mover(mover, region, (pqt_vec){0, 0}, (unsigned)bounces, &options);
    return write_slide(&slide, found, error);
}
