/* SPDX-License-Identifier: MIT */
/* stored_kinds.h: histories of each kind of version, for tests of stores. */
#ifndef TEST_STORED_KINDS_H
#define TEST_STORED_KINDS_H

#include <pqt/bytes.h>
#include <pqt/store.h>

#include "bytes_support.h"
#include "random.h"
#ifndef TEST_REPLAY_H /* fuzz targets have a `require` of their own */
#include "tree_support.h"
#endif

enum { STORED_KINDS = 7 };

/* Returns the first version of a history. The sixth form is a tree whose ids need not be unique. */
static inline any_version
first_of_kind(unsigned form, pqt_memory *memory)
{
    static const unsigned numbers[STORED_KINDS] = {3, 8, 11, 15, 18, 2, 21};
    pqt_error error = {0};
    const any_version first = small_version(numbers[form], memory, &error);
    require(first.version != NULL, error.text);
    return first;
}

static inline const pqt_tree *
edit_tree(const pqt_tree *tree, dice *d, pqt_error *error)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    const pqt_item item = small_item(d, dice_below(d, 40));
    pqt_item found;
    pqt_tree_get_options(tree, &options);
    if (!options.unique_ids)
        return pqt_tree_insert(tree, item, error);
    if (!pqt_tree_find(tree, item.id, &found))
        return pqt_tree_insert(tree, item, error);
    return dice_chance(d, 70) ? pqt_tree_move_id(tree, item.id, item.box, error)
                              : pqt_tree_remove_id(tree, item.id, error);
}

static inline const pqt_map *
edit_map(const pqt_map *map, dice *d, pqt_error *error)
{
    static const char text[] = "quadtrees are trees of four";
    const size_t at = dice_below(d, 8);
    const size_t key_size = dice_below(d, 4), value_size = dice_below(d, sizeof text);
    const uint64_t number = dice_next(d);
    pqt_map_options options = PQT_MAP_DEFAULTS;
    pqt_map_get_options(map, &options);
    const pqt_map_key key =
        options.keys == PQT_MAP_IDS ? pqt_map_id(at) : pqt_map_byte_key(text + at, key_size);
    const pqt_map_value value = options.values == PQT_MAP_NUMBERS ? pqt_map_number(number)
                                                                  : pqt_map_bytes(text, value_size);
    return dice_chance(d, 30) ? pqt_map_remove(map, key, error)
                              : pqt_map_insert(map, key, value, error);
}

static inline const pqt_region *
edit_region(const pqt_region *region, dice *d, pqt_error *error)
{
    const double x = (double)dice_below(d, 500), y = (double)dice_below(d, 300);
    const double radius = (double)dice_below(d, 20);
    return pqt_region_paint(region,
                            pqt_paint_disc(dice_chance(d, 40) ? PQT_PAINT_CLEAR : PQT_PAINT_SET,
                                           (pqt_vec){x, y}, radius),
                            error);
}

static inline const pqt_image *
edit_image(const pqt_image *image, dice *d, pqt_error *error)
{
    const pqt_vec at = {(double)dice_below(d, 80), (double)dice_below(d, 50)};
    const double radius = (double)dice_below(d, 12);
    const uint64_t any = dice_next(d);
    return pqt_image_paint(image, pqt_paint_disc(PQT_PAINT_SET, at, radius),
                           (pqt_rgba){(uint8_t)(any & 7), 0, 255, (uint8_t)(any >> 8)},
                           dice_chance(d, 50) ? PQT_INK_REPLACE : PQT_INK_OVER, error);
}

static inline const pqt_world *
edit_world(const pqt_world *world, dice *d, pqt_error *error)
{
    if (dice_chance(d, 60))
        return pqt_world_step(world, 0.015625, NULL, error);
    return pqt_world_remove(world, dice_below(d, 9), error);
}

static inline const pqt_document *
edit_document_part(const pqt_document *document, dice *d, pqt_error *error)
{
    const pqt_part part =
        pqt_document_get_part(document, dice_below(d, pqt_document_count(document)));
    switch (part.kind) {
    case PQT_KIND_TREE:
        return pqt_document_set_tree(document, part.name, edit_tree(part.version, d, error), error);
    case PQT_KIND_MAP:
        return pqt_document_set_map(document, part.name, edit_map(part.version, d, error), error);
    case PQT_KIND_REGION:
        return pqt_document_set_region(document, part.name, edit_region(part.version, d, error),
                                       error);
    case PQT_KIND_IMAGE:
        return pqt_document_set_image(document, part.name, edit_image(part.version, d, error),
                                      error);
    default:
        return pqt_document_set_world(document, part.name, edit_world(part.version, d, error),
                                      error);
    }
}

static inline const void *
edit_of_kind(any_version given, dice *d)
{
    pqt_error error = {0};
    const void *made = NULL;
    switch (given.kind) {
    case PQT_KIND_TREE:
        made = edit_tree(given.version, d, &error);
        break;
    case PQT_KIND_REGION:
        made = edit_region(given.version, d, &error);
        break;
    case PQT_KIND_WORLD:
        made = edit_world(given.version, d, &error);
        break;
    case PQT_KIND_MAP:
        made = edit_map(given.version, d, &error);
        break;
    case PQT_KIND_IMAGE:
        made = edit_image(given.version, d, &error);
        break;
    default:
        made = edit_document_part(given.version, d, &error);
    }
    require(made != NULL, error.text);
    return made;
}

#endif
