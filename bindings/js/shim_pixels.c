/* SPDX-License-Identifier: MIT */
/* shim_pixels.c: overlaps, casts and sweeps of regions, for lib/pixels.js. */
#include "shim.h"

/* ---- Overlaps ---- */

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

/* Writes the first pair of pixels that overlap from a side, a pqt_side, to the buffer, as four
   32-bit integers. Returns 0 if there is none; -1 on failure. */
int32_t
EXPORT(pqtjs_region_first_overlap)(pqt_pin *pin, pqt_pin *other, double x, double y, int side)
{
    const pqt_region *a = region_of(pin), *b = region_of(other);
    if (a == NULL || b == NULL)
        return -1;
    return pqt_region_first_overlap(a, b, (pqt_vec){x, y}, (pqt_side)side,
                                    (pqt_pixel_pair *)buffer);
}

static bool
append_pairs(const pqt_pixel_pairs *pairs, void *context)
{
    (void)context;
    return append(pairs, sizeof *pairs);
}

/* Fills the buffer with the rectangles of pairs of pixels that overlap, six 32-bit integers each,
   and returns the number of bytes; -1 on failure. */
int32_t
EXPORT(pqtjs_region_overlap_pairs)(pqt_pin *pin, pqt_pin *other, double x, double y)
{
    const pqt_region *a = region_of(pin), *b = region_of(other);
    begin_append();
    if (a == NULL || b == NULL ||
        !pqt_region_visit_overlap(a, b, (pqt_vec){x, y}, append_pairs, NULL))
        return -1;
    return appended();
}

/* Returns whether a region overlaps a box, or a circle: a centre and a radius. */
int32_t
EXPORT(pqtjs_region_overlaps_shape)(pqt_pin *pin, int is_circle, double a, double b, double c,
                                    double d)
{
    const pqt_region *region = region_of(pin);
    if (region == NULL)
        return -1;
    if (is_circle)
        return pqt_region_overlaps_circle(region, (pqt_circle){{a, b}, c});
    return pqt_region_overlaps_box(region, (pqt_box){{a, b}, {c, d}});
}

/* ---- Casts ---- */

/* Writes the first pixel that a line hits to the buffer, as six doubles: whether the line starts
   inside, the pixel, the entry, and the normal. Returns 0 if there is none; -1 on failure. */
int32_t
EXPORT(pqtjs_region_cast)(pqt_pin *pin, int is_ray, double x, double y, double to_x, double to_y)
{
    const pqt_region *region = region_of(pin);
    if (region == NULL)
        return -1;
    const pqt_vec from = {x, y}, to = {to_x, to_y};
    const pqt_pixel_hit hit = is_ray ? pqt_region_cast_ray(region, (pqt_ray){from, to})
                                     : pqt_region_cast_segment(region, (pqt_segment){from, to});
    const double found[] = {hit.inside, hit.pixel.x,  hit.pixel.y,
                            hit.entry,  hit.normal.x, hit.normal.y};
    memcpy(buffer, found, sizeof found);
    return hit.hit;
}

/* ---- Sweeps ---- */

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

/* Writes a slide to the buffer, as 15 doubles: the status, the time, the stop, the blocked axes,
   the normal, the shortest separating displacement, the two pixels that met, the bounces, and the
   time at which a mover that overlaps is out. Fails if nothing can move so. */
static int32_t
write_slide(const pqt_region_slide *slide)
{
    const pqt_region_sweep *last = &slide->last;
    if (slide->status == PQT_SWEEP_NONE) {
        fail(PQT_ERROR_LIMIT, "a shape or a position is invalid, or beyond 2^20 pixels");
        return 0;
    }
    const double figures[] = {slide->status,    last->time,     slide->stop.x,  slide->stop.y,
                              slide->blocked,   last->normal.x, last->normal.y, last->push_out.x,
                              last->push_out.y, last->met.a.x,  last->met.a.y,  last->met.b.x,
                              last->met.b.y,    slide->bounces, last->exit};
    memcpy(buffer, figures, sizeof figures);
    return 1;
}

/* Slides a region along another one at rest. The buffer holds the start and the end of the motion
   and the sides of cells, as six doubles. A slide without bounces is a sweep. */
int32_t
EXPORT(pqtjs_region_sweep)(pqt_pin *pin, pqt_pin *other, int inner, int ignore_overlap,
                           unsigned bounces)
{
    const pqt_region *a = region_of(pin), *b = region_of(other);
    pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
    options.ignore_overlap = ignore_overlap != 0;
    if (a == NULL || b == NULL || !take_cells((const double *)buffer + 4, inner, &options.cells))
        return 0;
    const pqt_vec *path = (const pqt_vec *)buffer;
    const pqt_region_mover mover = {a, path[0], path[1]};
    const pqt_region_slide slide =
        pqt_region_slide_region(mover, b, (pqt_vec){0, 0}, bounces, &options);
    return write_slide(&slide);
}

/* Slides a box or a circle along a region at rest. The buffer holds a box, or the radius and three
   other numbers, and the start and the end of the motion, as eight doubles. */
int32_t
EXPORT(pqtjs_region_sweep_shape)(pqt_pin *pin, int is_circle, int ignore_overlap, unsigned bounces)
{
    const pqt_region *region = region_of(pin);
    if (region == NULL)
        return 0;
    const double *shape = (const double *)buffer;
    const pqt_vec *path = (const pqt_vec *)(shape + 4);
    const pqt_box box = {{shape[0], shape[1]}, {shape[2], shape[3]}};
    const pqt_mover mover = is_circle ? pqt_mover_circle(shape[0], path[0], path[1])
                                      : pqt_mover_box(box, path[0], path[1]);
    pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
    options.ignore_overlap = ignore_overlap != 0;
    const pqt_region_slide slide =
        pqt_region_slide_mover(mover, region, (pqt_vec){0, 0}, bounces, &options);
    return write_slide(&slide);
}
