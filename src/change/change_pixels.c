/* SPDX-License-Identifier: MIT */
/* change_pixels.c: the changes of regions and images, as the bytes of a version of that kind: the
   pixels that differ, or the xor of the colours. */
#include "config.h"

#include <pqt/bytes.h>
#include <pqt/region.h>

#include "base/error_internal.h"
#include "change/change_part.h"
#include "change/version_bytes.h"
#include "image/image_internal.h"

static const pqt_pixel no_offset = {0, 0};

/* Returns true if two versions have a xor: images need the same size. */
static bool
have_xor(pqt_kind kind, const void *a, const void *b)
{
    return kind != PQT_KIND_IMAGE || pqti_images_have_one_size(a, b, NULL);
}

static const void *
xor_pixels(pqt_kind kind, const void *a, const void *b, pqt_error *error)
{
    return kind == PQT_KIND_IMAGE ? (const void *)pqti_image_xor(a, b, error)
                                  : pqt_region_xor(a, b, no_offset, error);
}

static bool
write_pixels(pqti_byte_buffer *to, const void *before, const void *after, pqti_encoding *encoding,
             pqt_error *error)
{
    const pqt_kind kind = pqti_version_kind(before);
    *encoding = PQTI_NO_CHANGE;
    if (!have_xor(kind, before, after))
        return true;
    const void *pixels = xor_pixels(kind, before, after, error);
    *encoding = PQTI_REVERSIBLE;
    return pixels != NULL && pqti_version_put(to, pixels, error);
}

/* The same pixels lead in both directions. */
static bool
read_pixels(pqti_changes *changes, pqti_part_changes *part, pqti_byte_source *source,
            bool backwards, pqt_error *error)
{
    const void *pixels =
        pqt_version_read(part->kind, pqti_source_read, source, changes->memory, error);
    (void)backwards;
    if (pixels != NULL && part->version != NULL) {
        if (!have_xor(part->kind, part->version, pixels)) {
            source->failed = true;
            return true;
        }
        pixels = xor_pixels(part->kind, part->version, pixels, error);
    }
    if (pixels != NULL)
        part->version = pixels;
    return pixels != NULL;
}

static const void *
apply_pixels(const pqti_changes *changes, const pqti_part_changes *part, const void *start,
             pqt_error *error)
{
    (void)changes;
    if (part->version == NULL)
        return start;
    if (have_xor(part->kind, start, part->version))
        return xor_pixels(part->kind, start, part->version, error);
    pqti_error_set(error, PQT_ERROR_FORMAT, 0, "the change is of an image of another size");
    return NULL;
}

const pqti_kind_changes pqti_pixel_changes = {
    .write = write_pixels,
    .read = read_pixels,
    .apply = apply_pixels,
};
