/* SPDX-License-Identifier: MIT */
/*
 * change_part.c: the changes of one part of any kind: items of trees, entries of maps, pixels of
 * regions. Changes of worlds are not stored: a world is always stored whole.
 */
#include "config.h"

#include "change/change_part.h"

#include "base/error_internal.h"
#include "change/change_items.h"
#include "change/change_map.h"
#include "change/version_bytes.h"

static const pqt_pixel no_offset = {0, 0};

/* Writes the pixels in which two regions differ, as the bytes of a region. Returns false and sets
   `error` when out of memory. */
static bool
pixels_write(pqti_byte_buffer *to, const pqt_region *before, const pqt_region *after,
             pqt_error *error)
{
    const pqt_region *pixels = pqt_region_xor(before, after, no_offset, error);
    return pixels != NULL && pqti_version_put(to, pixels, error);
}

bool
pqti_part_write(pqti_byte_buffer *to, pqt_kind kind, const void *before, const void *after,
                bool *written, pqt_error *error)
{
    *written = true;
    switch (kind) {
    case PQT_KIND_TREE:
        return pqti_items_write(to, before, after, written, error);
    case PQT_KIND_MAP:
        return pqti_map_entries_write(to, before, after, written);
    case PQT_KIND_REGION:
        return pixels_write(to, before, after, error);
    default:
        *written = false;
        return true;
    }
}

static bool
pixels_read(pqti_changes *changes, pqti_part_changes *part, pqti_byte_source *source,
            pqt_error *error)
{
    const pqt_region *pixels = pqt_region_read(pqti_source_read, source, changes->memory, error);
    if (pixels != NULL && part->pixels != NULL)
        pixels = pqt_region_xor(part->pixels, pixels, no_offset, error);
    if (pixels != NULL)
        part->pixels = pixels;
    return pixels != NULL;
}

bool
pqti_part_read(pqti_changes *changes, pqti_part_changes *part, pqti_byte_source *source,
               bool backwards, pqt_error *error)
{
    switch (part->kind) {
    case PQT_KIND_TREE:
        return pqti_items_read(part, source, backwards, error);
    case PQT_KIND_MAP:
        return pqti_map_entries_read(changes, part, source, backwards, error);
    case PQT_KIND_REGION:
        return pixels_read(changes, part, source, error);
    default:
        source->failed = true;
        return true;
    }
}

/* Applies changes to a map, after checking that they are for keys and values of its kinds: damaged
   changes may be for another kind of map. */
static const pqt_map *
entries_apply(const pqti_part_changes *part, const pqt_map *start, pqt_error *error)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    pqt_map_get_options(start, &options);
    if (part->count > 0 &&
        part->map_kinds != ((unsigned)options.keys | (unsigned)options.values << 4)) {
        pqti_error_set(error, PQT_ERROR_FORMAT, 0, "the change is of another kind of map");
        return NULL;
    }
    return pqt_map_apply(start, part->entries, part->count, error);
}

const void *
pqti_part_apply(const pqti_part_changes *part, const void *start, pqt_error *error)
{
    if (part->whole != NULL)
        start = part->whole;
    switch (part->kind) {
    case PQT_KIND_TREE:
        return pqt_tree_apply(start, part->items, part->count, error);
    case PQT_KIND_MAP:
        return entries_apply(part, start, error);
    case PQT_KIND_REGION:
        return part->pixels == NULL ? start : pqt_region_xor(start, part->pixels, no_offset, error);
    default:
        return start;
    }
}
