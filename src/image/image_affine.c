/* SPDX-License-Identifier: MIT */
/*
 * image_affine.c: scales, rotates and maps images.
 *
 * The result is built from the top down, as that of a region (region_affine.c). The pixels from
 * which those of a square come are in a window of the image: if they have one colour, so has the
 * square. Otherwise the square is divided, and each pixel of a tile is computed on its own
 * (resample.h).
 *
 * By area, a pixel is the mean of the pixels that cover it, weighted by their areas w. Colours are
 * weighted by alpha, too. With a and c for the alpha and a channel of each, and W for the whole
 * area, the alpha is the sum of w a / W, and the channel the sum of w a c / that of w a. Each is
 * rounded once to the nearest whole number, and up from the middle. A pixel whose alpha is 0 is 0,
 * 0, 0, 0, and so are those outside the image. The weights of a resize are whole numbers, and those
 * of a map doubles, which are added in the order of the patches.
 */
#include "config.h"

#include <math.h>

#include "base/attributes.h"
#include "image/image_internal.h"
#include "region/region_internal.h"
#include "region/resample.h"

typedef struct image_mapper {
    const pqt_image *image;
    pqti_image_frame frame; /* of the result */
    pqti_resample resample;
} image_mapper;

/* ---- Areas of one colour ---- */

typedef void visit_colour_fn(const pqt_pixel_box *box, uint32_t colour, void *context);

/* Visits the runs of one colour in the rows of a tile that are in a box. */
static void
visit_runs_of_tile(const pqti_image_tile *tile, pqti_rcell cell, const pqt_pixel_box *box,
                   visit_colour_fn *visit, void *context)
{
    for (int32_t y = box->min.y; y < box->max.y; y++) {
        const uint32_t *row = tile->pixels + PQTI_IMAGE_TILE_SIDE * (y - cell.y);
        for (int32_t x = box->min.x, end; x < box->max.x; x = end) {
            for (end = x + 1; end < box->max.x && row[end - cell.x] == row[x - cell.x];)
                end++;
            visit(&(pqt_pixel_box){{x, y}, {end, y + 1}}, row[x - cell.x], context);
        }
    }
}

/* Visits boxes of one colour that together are the part of a patch in a window. */
static void
visit_colours(const pqti_patch *patch, pqti_rcell cell, const pqt_pixel_box *window,
              visit_colour_fn *visit, void *context)
{
    const pqt_pixel_box box = pqti_box_common(pqti_rcell_box(cell), *window);
    if (pqti_box_is_empty(box))
        return;
    if (patch->node == NULL) {
        visit(&box, patch->colour, context);
        return;
    }
    if (cell.level == PQTI_IMAGE_TILE_LEVEL) {
        visit_runs_of_tile(patch->node, cell, &box, visit, context);
        return;
    }
    for (int i = 0; i < 4; i++) {
        const pqti_patch child = pqti_patch_child(patch, i);
        visit_colours(&child, pqti_rcell_child(cell, i), window, visit, context);
    }
}

static void
visit_colours_in(const pqt_image *image, pqt_pixel_box window, visit_colour_fn *visit,
                 void *context)
{
    window = pqti_box_common(window, pqt_image_bounds(image));
    visit_colours(&image->root, pqti_image_root_cell(&image->frame), &window, visit, context);
}

/* ---- Pixels by area ---- */

/* The sums for alpha, and for red, green and blue. */
typedef struct mapped_mean {
    pqti_mapped_area area;
    double alpha, channel[3];
} mapped_mean;

static void
add_mapped_colour(const pqt_pixel_box *box, uint32_t colour, void *context)
{
    mapped_mean *mean = context;
    const double share = pqti_mapped_area_in(&mean->area, box) * (colour >> 24);
    mean->alpha += share;
    for (int i = 0; i < 3; i++)
        mean->channel[i] += share * (colour >> 8 * i & 255);
}

static uint32_t
round_mean(double sum, double whole)
{
    const double mean = floor(sum / whole + 0.5);
    return mean < 255 ? (uint32_t)mean : 255;
}

static uint32_t
mapped_colour(const image_mapper *m, int32_t x, int32_t y)
{
    mapped_mean mean = {.alpha = 0};
    pqti_mapped_area_begin(&m->resample, x, y, &mean.area);
    visit_colours_in(m->image, mean.area.window, add_mapped_colour, &mean);
    uint32_t colour = mean.alpha > 0 ? round_mean(mean.alpha, mean.area.whole) << 24 : 0;
    for (int i = 0; colour >> 24 != 0 && i < 3; i++)
        colour |= round_mean(mean.channel[i], mean.alpha) << 8 * i;
    return colour;
}

/* The sums are below 2^42 * 255^2 < 2^58. */
typedef struct resized_mean {
    pqti_resized_area area;
    uint64_t alpha, channel[3];
} resized_mean;

static void
add_resized_colour(const pqt_pixel_box *box, uint32_t colour, void *context)
{
    resized_mean *mean = context;
    const uint64_t share = pqti_resized_area_in(&mean->area, box) * (colour >> 24);
    mean->alpha += share;
    for (int i = 0; i < 3; i++)
        mean->channel[i] += share * (colour >> 8 * i & 255);
}

static uint32_t
divide_rounded(uint64_t sum, uint64_t whole)
{
    return (uint32_t)((2 * sum + whole) / (2 * whole));
}

static uint32_t
resized_colour(const image_mapper *m, int32_t x, int32_t y)
{
    resized_mean mean = {.alpha = 0};
    pqti_resized_area_begin(&m->resample, x, y, &mean.area);
    visit_colours_in(m->image, mean.area.window, add_resized_colour, &mean);
    uint32_t colour = divide_rounded(mean.alpha, mean.area.whole) << 24;
    for (int i = 0; colour >> 24 != 0 && i < 3; i++)
        colour |= divide_rounded(mean.channel[i], mean.alpha) << 8 * i;
    return colour;
}

static uint32_t
colour_of_pixel(const image_mapper *m, int32_t x, int32_t y)
{
    if (m->resample.sampling == PQT_SAMPLE_NEAREST)
        return pqti_pack_rgba(pqt_image_pixel(m->image, pqti_resample_nearest(&m->resample, x, y)));
    return m->resample.is_resize ? resized_colour(m, x, y) : mapped_colour(m, x, y);
}

/* ---- Nodes ---- */

static PQTI_NOINLINE bool
map_image_tile(const image_mapper *m, pqti_rcell cell, pqti_patch *made)
{
    uint32_t pixels[PQTI_IMAGE_TILE_PIXELS] = {0};
    const pqt_pixel_box box = pqti_image_cell_box(&m->frame, cell);
    for (int32_t y = box.min.y; y < box.max.y; y++)
        for (int32_t x = box.min.x; x < box.max.x; x++)
            pixels[PQTI_IMAGE_TILE_SIDE * (y - cell.y) + x - cell.x] = colour_of_pixel(m, x, y);
    return pqti_image_tile_make(&m->frame, cell, pixels, NULL, made);
}

/* The colour that all pixels of a window have, as far as they were seen. */
typedef struct common_colour {
    bool is_known, differs;
    uint32_t colour;
} common_colour;

static void
compare_colour(common_colour *common, uint32_t colour)
{
    common->differs = common->differs || (common->is_known && common->colour != colour);
    common->is_known = true;
    common->colour = colour;
}

static void
find_common_colour(const pqti_patch *patch, pqti_rcell cell, const pqt_pixel_box *window,
                   common_colour *common)
{
    if (common->differs || pqti_box_is_empty(pqti_box_common(pqti_rcell_box(cell), *window)))
        return;
    if (patch->node == NULL) {
        compare_colour(common, patch->colour);
        return;
    }
    common->differs = cell.level == PQTI_IMAGE_TILE_LEVEL;
    for (int i = 0; i < 4 && !common->differs; i++) {
        const pqti_patch child = pqti_patch_child(patch, i);
        find_common_colour(&child, pqti_rcell_child(cell, i), window, common);
    }
}

/* Returns true if all pixels of a cell come from pixels of one colour, and sets it. */
static bool
has_one_colour(const image_mapper *m, pqti_rcell cell, uint32_t *colour)
{
    const pqt_pixel_box all = pqt_image_bounds(m->image);
    const pqt_pixel_box window =
        pqti_resample_window(&m->resample, pqti_image_cell_box(&m->frame, cell));
    const pqt_pixel_box inside = pqti_box_common(window, all);
    common_colour common = {.is_known = false};
    if (!pqti_box_holds(all, window))
        compare_colour(&common, 0);
    if (!pqti_box_is_empty(inside))
        find_common_colour(&m->image->root, pqti_image_root_cell(&m->image->frame), &inside,
                           &common);
    const bool is_clear = m->resample.sampling == PQT_SAMPLE_AREA && common.colour >> 24 == 0;
    *colour = is_clear ? 0 : common.colour;
    return !common.differs;
}

/* Makes the patch of a cell. Returns false when out of memory. */
static bool
map_patch(const image_mapper *m, pqti_rcell cell, pqti_patch *made)
{
    pqti_patch child[4];
    uint32_t colour = 0;
    if (pqti_image_is_outside(&m->frame, cell) || has_one_colour(m, cell, &colour)) {
        *made = pqti_patch_of_colour(colour);
        return true;
    }
    if (cell.level == PQTI_IMAGE_TILE_LEVEL)
        return map_image_tile(m, cell, made);
    for (int i = 0; i < 4; i++)
        if (!map_patch(m, pqti_rcell_child(cell, i), &child[i]))
            return false;
    return pqti_image_inner_make(&m->frame, cell, child, NULL, made);
}

static const pqt_image *
map_image(const image_mapper *m, pqt_error *error)
{
    pqti_patch root;
    if (!map_patch(m, pqti_image_root_cell(&m->frame), &root)) {
        pqti_out_of_memory(error);
        return NULL;
    }
    const pqt_image *next = pqti_image_new(&m->frame, &root, error);
    return next != NULL && pqt_image_equals(next, m->image) ? m->image : next;
}

/* Returns true if a version can be made. */
static bool
begin_image_map(image_mapper *m, size_t width, size_t height, pqt_error *error)
{
    if (!pqti_validate_image_size(width, height, error) ||
        !pqti_validate_sampling(m->resample.sampling, error))
        return false;
    m->frame = (pqti_image_frame){m->image->frame.memory, (int32_t)width, (int32_t)height};
    return true;
}

const pqt_image *
pqt_image_map(const pqt_image *image, pqt_affine map, size_t width, size_t height,
              pqt_sampling sampling, pqt_error *error)
{
    image_mapper m = {.image = image, .resample = {.sampling = sampling}};
    if (!pqti_image_check_input(image, error) || !begin_image_map(&m, width, height, error) ||
        !pqti_invert_affine(&map, &m.resample.inverse, error))
        return NULL;
    return map_image(&m, error);
}

const pqt_image *
pqt_image_resize(const pqt_image *image, pqt_pixel_box from, size_t width, size_t height,
                 pqt_sampling sampling, pqt_error *error)
{
    image_mapper m = {.image = image, .resample = {.sampling = sampling, .is_resize = true}};
    if (!pqti_image_check_input(image, error) || !begin_image_map(&m, width, height, error) ||
        !pqti_validate_pixel_box(&from, "from", 0, error) ||
        !pqti_validate_pixel(&from, "from", 0, error))
        return NULL;
    if (pqti_box_is_empty(from))
        return pqt_image_make(width, height, (pqt_rgba){0, 0, 0, 0}, m.frame.memory, error);
    m.resample.from = from;
    m.resample.to.max = (pqt_pixel){m.frame.width, m.frame.height};
    return map_image(&m, error);
}
