/* SPDX-License-Identifier: MIT */
/*
 * change_part.c: the changes of one part of any kind: items of trees, entries of maps, pixels of
 * regions. Changes of worlds are not stored: a world is always stored whole.
 */
#include "config.h"

#include <pqt/any_version.h>
#include <pqt/region.h>

#include "change/change_part.h"

#include "base/error_internal.h"
#include "change/change_items.h"
#include "change/change_map.h"
#include "change/version_bytes.h"

/* The functions for the changes of one kind of part. They do the same as pqti_part_write,
   pqti_part_read and pqti_part_apply. */
typedef struct part_calls {
    bool (*write)(pqti_byte_buffer *to, const void *before, const void *after, bool *written,
                  pqt_error *error);
    bool (*read)(pqti_changes *changes, pqti_part_changes *part, pqti_byte_source *source,
                 bool backwards, pqt_error *error);
    const void *(*apply)(const pqti_part_changes *part, const void *start, pqt_error *error);
} part_calls;

/* ---- Trees ---- */

static bool
write_items(pqti_byte_buffer *to, const void *before, const void *after, bool *written,
            pqt_error *error)
{
    return pqti_items_write(to, before, after, written, error);
}

static bool
read_items(pqti_changes *changes, pqti_part_changes *part, pqti_byte_source *source, bool backwards,
           pqt_error *error)
{
    (void)changes;
    return pqti_items_read(part, source, backwards, error);
}

static const void *
apply_items(const pqti_part_changes *part, const void *start, pqt_error *error)
{
    return pqt_tree_apply(start, part->items, part->count, error);
}

/* ---- Regions ---- */

static const pqt_pixel no_offset = {0, 0};

/* Writes the pixels in which two regions differ, as the bytes of a region. */
static bool
write_pixels(pqti_byte_buffer *to, const void *before, const void *after, bool *written,
             pqt_error *error)
{
    const pqt_region *pixels = pqt_region_xor(before, after, no_offset, error);
    *written = true;
    return pixels != NULL && pqti_version_put(to, pixels, error);
}

static bool
read_pixels(pqti_changes *changes, pqti_part_changes *part, pqti_byte_source *source,
            bool backwards, pqt_error *error)
{
    const pqt_region *pixels =
        pqt_version_read(PQT_KIND_REGION, pqti_source_read, source, changes->memory, error);
    (void)backwards; /* the same pixels lead back */
    if (pixels != NULL && part->pixels != NULL)
        pixels = pqt_region_xor(part->pixels, pixels, no_offset, error);
    if (pixels != NULL)
        part->pixels = pixels;
    return pixels != NULL;
}

static const void *
apply_pixels(const pqti_part_changes *part, const void *start, pqt_error *error)
{
    return part->pixels == NULL ? start : pqt_region_xor(start, part->pixels, no_offset, error);
}

/* ---- Maps ---- */

static bool
write_entries(pqti_byte_buffer *to, const void *before, const void *after, bool *written,
              pqt_error *error)
{
    (void)error;
    return pqti_map_entries_write(to, before, after, written);
}

/* Applies changes to a map, after checking that they are for keys and values of its kinds: damaged
   changes may be for another kind of map. */
static const void *
apply_entries(const pqti_part_changes *part, const void *start, pqt_error *error)
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

/* ---- Any kind of part ---- */

/* A kind without a row is always stored whole. */
static const part_calls rows[] = {
    [PQT_KIND_TREE] = {write_items, read_items, apply_items},
    [PQT_KIND_REGION] = {write_pixels, read_pixels, apply_pixels},
    [PQT_KIND_MAP] = {write_entries, pqti_map_entries_read, apply_entries},
};

/* Returns the row of a kind, or NULL if it has none. */
static const part_calls *
calls_of(pqt_kind kind)
{
    return (size_t)kind < sizeof rows / sizeof *rows && rows[kind].write != NULL ? &rows[kind]
                                                                                 : NULL;
}

bool
pqti_part_write(pqti_byte_buffer *to, pqt_kind kind, const void *before, const void *after,
                bool *written, pqt_error *error)
{
    const part_calls *calls = calls_of(kind);
    *written = calls != NULL;
    return calls == NULL || calls->write(to, before, after, written, error);
}

bool
pqti_part_read(pqti_changes *changes, pqti_part_changes *part, pqti_byte_source *source,
               bool backwards, pqt_error *error)
{
    const part_calls *calls = calls_of(part->kind);
    if (calls != NULL)
        return calls->read(changes, part, source, backwards, error);
    source->failed = true;
    return true;
}

const void *
pqti_part_apply(const pqti_part_changes *part, const void *start, pqt_error *error)
{
    const part_calls *calls = calls_of(part->kind);
    if (part->whole != NULL)
        start = part->whole;
    return calls == NULL ? start : calls->apply(part, start, error);
}
