/* SPDX-License-Identifier: MIT */
/*
 * image_select.c: the pixels of an image that pass a test, as a region; floods.
 *
 * The region is built from the squares of the image that lie in the quadrant to the lower right of
 * 0, 0. A tile of a region has 64 x 64 pixels, so it reads up to 16 tiles of the image.
 */
#include "config.h"

#include "base/attributes.h"
#include "image/image_draw.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"

typedef struct image_selector {
    const pqti_image_frame *frame;
    const pqt_image_selection *selection;
} image_selector;

static bool
is_near(uint8_t a, uint8_t b, uint8_t tolerance)
{
    return (a > b ? a - b : b - a) <= tolerance;
}

/* Returns true if a colour passes the test. */
static bool
passes(const image_selector *selector, uint32_t packed)
{
    const pqt_image_selection *selection = selector->selection;
    const pqt_rgba colour = pqti_unpack_rgba(packed), of = selection->colour;
    if (selection->property == PQT_SELECT_ALPHA)
        return colour.a > selection->threshold;
    if (selection->property == PQT_SELECT_LIGHT)
        return 77U * colour.r + 150U * colour.g + 29U * colour.b > 256U * selection->threshold;
    const uint8_t most = selection->tolerance;
    return is_near(colour.r, of.r, most) && is_near(colour.g, of.g, most) &&
           is_near(colour.b, of.b, most) && is_near(colour.a, of.a, most);
}

/* Sets the bits of the pixels inside a cell that pass, in the rows of the tile at `origin`. */
static void
select_in_cell(const image_selector *selector, const pqti_patch *patch, pqti_rcell cell,
               pqti_rcell origin, uint64_t *rows)
{
    if (pqti_image_is_outside(selector->frame, cell))
        return;
    if (patch->node != NULL && cell.level > PQTI_IMAGE_TILE_LEVEL) {
        for (int i = 0; i < 4; i++) {
            const pqti_patch child = pqti_patch_child(patch, i);
            select_in_cell(selector, &child, pqti_rcell_child(cell, i), origin, rows);
        }
        return;
    }
    const pqt_pixel_box box = pqti_image_cell_box(selector->frame, cell);
    const pqti_image_tile *tile = patch->node;
    if (tile == NULL && !passes(selector, patch->colour))
        return;
    for (int32_t y = box.min.y; y < box.max.y; y++) {
        const uint32_t *row =
            tile != NULL ? tile->pixels + PQTI_IMAGE_TILE_SIDE * (y - cell.y) : NULL;
        for (int32_t x = box.min.x; x < box.max.x; x++)
            if (tile == NULL || passes(selector, row[x - cell.x]))
                rows[y - origin.y] |= UINT64_C(1) << (x - origin.x);
    }
}

static PQTI_NOINLINE const pqti_rnode *
select_tile(const image_selector *selector, const pqti_patch *patch, pqti_rcell cell)
{
    uint64_t rows[PQTI_TILE_SIDE] = {0};
    const pqti_rcell from = {cell.x, cell.y,
                             cell.level < PQTI_TILE_LEVEL ? cell.level : PQTI_TILE_LEVEL};
    select_in_cell(selector, patch, from, cell, rows);
    return pqti_tile_make(selector->frame->memory, rows, NULL, NULL);
}

/* Makes the node of a region with the pixels of a cell that pass. A cell below the level of a tile
   of regions is the whole of a small image, and is read into the corner of a tile. Returns NULL
   when out of memory. */
static const pqti_rnode *
select_node(const image_selector *selector, const pqti_patch *patch, pqti_rcell cell)
{
    const pqti_rnode *child[4];
    if (pqti_image_is_outside(selector->frame, cell) ||
        (patch->node == NULL && !passes(selector, patch->colour)))
        return PQTI_EMPTY;
    if (patch->node == NULL && cell.level >= PQTI_TILE_LEVEL &&
        pqti_box_holds(pqti_image_cell_box(selector->frame, cell), pqti_rcell_box(cell)))
        return PQTI_FULL;
    if (cell.level <= PQTI_TILE_LEVEL)
        return select_tile(selector, patch, cell);
    for (int i = 0; i < 4; i++) {
        const pqti_patch below = pqti_patch_child(patch, i);
        child[i] = select_node(selector, &below, pqti_rcell_child(cell, i));
        if (child[i] == NULL)
            return NULL;
    }
    return pqti_rinner_make(selector->frame->memory, child, cell.level, NULL);
}

/* Returns the region of the pixels that pass, or NULL with an error set when out of memory. */
static const pqt_region *
select_region(const pqt_image *image, const pqt_image_selection *selection, pqt_error *error)
{
    const image_selector selector = {&image->frame, selection};
    const pqti_rcell root = pqti_image_root_cell(&image->frame);
    int level = root.level > PQTI_TILE_LEVEL ? root.level : PQTI_TILE_LEVEL;
    const pqti_rnode *quadrant[4] = {PQTI_EMPTY, PQTI_EMPTY, PQTI_EMPTY,
                                     select_node(&selector, &image->root, root)};
    if (quadrant[3] == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    pqti_shrink(&level, quadrant);
    return pqti_region_new(image->frame.memory, level, quadrant, NULL, error);
}

static bool
validate_selection(const pqt_image_selection *selection, pqt_error *error)
{
    if (selection->property >= PQT_SELECT_ALPHA && selection->property <= PQT_SELECT_COLOUR)
        return true;
    pqti_error_set(error, PQT_ERROR_OPTION, 0, "property: %d is not a pqt_image_property",
                   (int)selection->property);
    return false;
}

const pqt_region *
pqt_image_select(const pqt_image *image, pqt_image_selection selection, pqt_error *error)
{
    return pqti_image_check_input(image, error) && validate_selection(&selection, error)
               ? select_region(image, &selection, error)
               : NULL;
}

/* The scope keeps the regions from a thread that reclaims. */
const pqt_image *
pqt_image_flood(const pqt_image *image, pqt_pixel pixel, uint8_t tolerance, pqt_rgba colour,
                pqt_ink_mode mode, pqt_error *error)
{
    static const pqt_pixel no_offset = {0, 0};
    if (!pqti_image_check_input(image, error) || !pqti_validate_ink_mode(mode, error))
        return NULL;
    if (pixel.x < 0 || pixel.y < 0 || pixel.x >= image->frame.width ||
        pixel.y >= image->frame.height)
        return image;
    if (!pqti_scope_begin(image->frame.memory, error))
        return NULL;
    const pqt_image_selection near = {.property = PQT_SELECT_COLOUR,
                                      .colour = pqt_image_pixel(image, pixel),
                                      .tolerance = tolerance};
    const pqt_region *area = select_region(image, &near, error);
    if (area != NULL)
        area = pqt_region_component(area, pixel, PQT_CONNECTIVITY_4, error);
    const pqt_image *next =
        area != NULL ? pqt_image_fill(image, area, no_offset, colour, mode, error) : NULL;
    pqti_scope_end(image->frame.memory);
    return next;
}
