/* SPDX-License-Identifier: MIT */
/* shim_pixels.c: overlaps, casts and sweeps of regions, and PNG, for region.py. */
#include "shim.h"

#include <stdio.h>
#include <string.h>

/* ---- Overlaps ---- */

/* Sets the cells in which two regions are compared: the sides, and whether the kind is inner. */
static bool
take_cells(const int32_t *cells, pqt_cells *taken, pqt_error *error)
{
    *taken = (pqt_cells){cells[0], cells[1], cells[2] ? PQT_COARSE_INNER : PQT_COARSE_OUTER};
    if (pqt_cells_are_valid(*taken))
        return true;
    fail(error, PQT_ERROR_OPTION, 0, "the side of cells must be a power of two from 1 to 2^20");
    return false;
}

/* Returns 1 if two regions overlap, 0 if not, and -1 on failure. */
int
pqtpy_region_overlaps(const pqt_pin *pin, const pqt_pin *other, double x, double y,
                      const int32_t *cells, pqt_error *error)
{
    pqt_cells taken;
    if (!take_cells(cells, &taken, error))
        return -1;
    return pqt_region_overlaps_cells(pqt_pin_get_region(pin), pqt_pin_get_region(other),
                                     (pqt_vec){x, y}, taken);
}

/* Returns the area that two regions have in common, in pixels. */
double
pqtpy_region_overlap_area(const pqt_pin *pin, const pqt_pin *other, double x, double y)
{
    return pqt_region_overlap_area(pqt_pin_get_region(pin), pqt_pin_get_region(other),
                                   (pqt_vec){x, y})
        .pixels;
}

/* Sets four numbers, the first pair of pixels that overlap from a side, a pqt_side. */
bool
pqtpy_region_first_overlap(const pqt_pin *pin, const pqt_pin *other, double x, double y, int side,
                           int32_t *pair)
{
    pqt_pixel_pair found;
    if (!pqt_region_first_overlap(pqt_pin_get_region(pin), pqt_pin_get_region(other),
                                  (pqt_vec){x, y}, (pqt_side)side, &found))
        return false;
    memcpy(pair, &found, sizeof found);
    return true;
}

static bool
append_pairs(const pqt_pixel_pairs *pairs, void *context)
{
    target *to = context;
    return append(to->bytes, pairs, sizeof *pairs, to->error);
}

/* Appends the rectangles of pairs of pixels that overlap, six numbers each. */
bool
pqtpy_region_overlap_pairs(const pqt_pin *pin, const pqt_pin *other, double x, double y,
                           pqtpy_bytes *pairs, pqt_error *error)
{
    _Static_assert(sizeof(pqt_pixel_pairs) == 24, "as in region.py");
    target to = {pairs, error};
    return pqt_region_visit_overlap(pqt_pin_get_region(pin), pqt_pin_get_region(other),
                                    (pqt_vec){x, y}, append_pairs, &to);
}

/* Returns whether a region overlaps a circle, which has three numbers, or a box. */
bool
pqtpy_region_overlaps_shape(const pqt_pin *pin, bool is_circle, const double *shape)
{
    const pqt_region *region = pqt_pin_get_region(pin);
    if (is_circle)
        return pqt_region_overlaps_circle(region, (pqt_circle){{shape[0], shape[1]}, shape[2]});
    return pqt_region_overlaps_box(region, box_of(shape));
}

/* ---- Casts ---- */

/* Sets six numbers for the first pixel that a line hits: whether the line starts inside, the
   pixel, the entry, and the normal. */
bool
pqtpy_region_cast(const pqt_pin *pin, bool is_ray, const double *line, double *numbers)
{
    const pqt_vec from = {line[0], line[1]}, to = {line[2], line[3]};
    const pqt_region *region = pqt_pin_get_region(pin);
    const pqt_pixel_hit hit = is_ray ? pqt_region_cast_ray(region, (pqt_ray){from, to})
                                     : pqt_region_cast_segment(region, (pqt_segment){from, to});
    if (!hit.hit)
        return false;
    const double found[] = {hit.inside, hit.pixel.x,  hit.pixel.y,
                            hit.entry,  hit.normal.x, hit.normal.y};
    memcpy(numbers, found, sizeof found);
    return true;
}

/* ---- Sweeps ---- */

/* Writes 18 numbers: the status, the stop, the blocked axes and the bounces of a slide; then the
   last sweep: the status, the time, the stop, the blocked axes, the normal, the exit, the push,
   and the two pixels that met. The last sweep of a slide without bounces is the slide. */
static bool
write_slide(const pqt_region_slide *slide, double *numbers, pqt_error *error)
{
    const pqt_region_sweep *s = &slide->last;
    if (slide->status == PQT_SWEEP_NONE) {
        fail(error, PQT_ERROR_LIMIT, 0,
             "the shape or a position is NaN, infinite, empty or beyond 2^20 pixels");
        return false;
    }
    const double found[] = {slide->status,  slide->stop.x, slide->stop.y, slide->blocked,
                            slide->bounces, s->status,     s->time,       s->stop.x,
                            s->stop.y,      s->blocked,    s->normal.x,   s->normal.y,
                            s->exit,        s->push_out.x, s->push_out.y, s->met.a.x,
                            s->met.a.y,     s->met.b.x,    s->met.b.y};
    memcpy(numbers, found, sizeof found);
    return true;
}

/* Slides a region along a path of four numbers, and along another region at rest. */
bool
pqtpy_region_slide(const pqt_pin *mover, const pqt_pin *other, const double *path, unsigned bounces,
                   bool ignore_overlap, const int32_t *cells, double *numbers, pqt_error *error)
{
    const pqt_vec from = {path[0], path[1]}, to = {path[2], path[3]};
    pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
    options.ignore_overlap = ignore_overlap;
    if (!take_cells(cells, &options.cells, error))
        return false;
    const pqt_region_slide slide =
        pqt_region_slide_region((pqt_region_mover){pqt_pin_get_region(mover), from, to},
                                pqt_pin_get_region(other), (pqt_vec){0, 0}, bounces, &options);
    return write_slide(&slide, numbers, error);
}

/* Slides a shape, as in pqtpy_tree_slide, along a region at rest. */
bool
pqtpy_region_slide_shape(const pqt_pin *pin, int kind, const double *shape, size_t count,
                         const double *path, unsigned bounces, bool ignore_overlap, double *numbers,
                         pqt_error *error)
{
    pqt_convex convex;
    pqt_mover mover;
    pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
    options.ignore_overlap = ignore_overlap;
    if (!make_mover(kind, shape, count, path, &convex, &mover, error))
        return false;
    const pqt_region_slide slide =
        pqt_region_slide_mover(mover, pqt_pin_get_region(pin), (pqt_vec){0, 0}, bounces, &options);
    return write_slide(&slide, numbers, error);
}

/* ---- PNG ---- */

static const pqt_region *
read_region(const void *bytes, size_t count, const int32_t *numbers, pqt_error *error)
{
    pqt_png_options options = PQT_PNG_DEFAULTS;
    options.memory = heap;
    options.at = (pqt_pixel){numbers[0], numbers[1]};
    options.channel = (pqt_png_channel)numbers[2];
    options.threshold = (uint8_t)numbers[3];
    return pqt_png_read_bytes(bytes, count, &options, NULL, error);
}

/* Reads a PNG. The numbers are the position, the channel and the threshold. */
pqt_pin *
pqtpy_region_read_png(const char *bytes, size_t count, const int32_t *numbers, pqt_error *error)
{
    RETURN_PINNED(region, read_region(bytes, count, numbers, error));
}

/* Writes a window of a region as PNG, or all of an image. */
static bool
write_png(const pqt_region *region, pqt_pixel_box window, const pqt_image *image,
          pqtpy_bytes *bytes, pqt_error *error)
{
    FILE *stream = open_memstream(&bytes->data, &bytes->size);
    bool written = stream != NULL;
    if (written) {
        written = image != NULL ? pqt_png_write_image(stream, image, error)
                                : pqt_png_write(stream, region, window, error);
        written = fclose(stream) == 0 && written;
    }
    if (!written)
        fail(error, PQT_ERROR_MEMORY, 0, "out of memory (a PNG)");
    return written;
}

bool
pqtpy_region_write_png(const pqt_pin *pin, const int32_t *window, pqtpy_bytes *bytes,
                       pqt_error *error)
{
    const pqt_pixel_box box = {{window[0], window[1]}, {window[2], window[3]}};
    return write_png(pqt_pin_get_region(pin), box, NULL, bytes, error);
}

bool
pqtpy_image_write_png(const pqt_pin *pin, pqtpy_bytes *bytes, pqt_error *error)
{
    return write_png(NULL, (pqt_pixel_box){{0, 0}, {0, 0}}, pqt_pin_get_image(pin), bytes, error);
}
