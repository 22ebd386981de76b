/* SPDX-License-Identifier: MIT */
/* change_pixels.c: the changes of a region, which are the pixels that differ, as the bytes of a
   region. */
#include "config.h"

#include <pqt/bytes.h>
#include <pqt/region.h>

#include "change/change_part.h"
#include "change/version_bytes.h"

static const pqt_pixel no_offset = {0, 0};

static bool
write_pixels(pqti_byte_buffer *to, const void *before, const void *after, pqti_encoding *encoding,
             pqt_error *error)
{
    const pqt_region *pixels = pqt_region_xor(before, after, no_offset, error);
    *encoding = PQTI_REVERSIBLE;
    return pixels != NULL && pqti_version_put(to, pixels, error);
}

/* The same pixels lead in both directions. */
static bool
read_pixels(pqti_changes *changes, pqti_part_changes *part, pqti_byte_source *source,
            bool backwards, pqt_error *error)
{
    const pqt_region *pixels =
        pqt_version_read(PQT_KIND_REGION, pqti_source_read, source, changes->memory, error);
    (void)backwards;
    if (pixels != NULL && part->version != NULL)
        pixels = pqt_region_xor(part->version, pixels, no_offset, error);
    if (pixels != NULL)
        part->version = pixels;
    return pixels != NULL;
}

static const void *
apply_pixels(const pqti_changes *changes, const pqti_part_changes *part, const void *start,
             pqt_error *error)
{
    (void)changes;
    return part->version == NULL ? start : pqt_region_xor(start, part->version, no_offset, error);
}

const pqti_kind_changes pqti_region_changes = {
    .write = write_pixels,
    .read = read_pixels,
    .apply = apply_pixels,
};
