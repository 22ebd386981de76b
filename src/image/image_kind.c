/* SPDX-License-Identifier: MIT */
/* image_kind.c: the functions for images that code for versions of any kind calls. */
#include "config.h"

#include "image/image_internal.h"
#include "memory/kind_calls.h"

static pqt_memory *
memory_of_image(const void *image, void *context)
{
    (void)context;
    pqti_assert_image_alive(NULL, image);
    return ((const pqt_image *)image)->frame.memory;
}

static bool
equal_images(const void *a, const void *b, void *context)
{
    (void)context;
    return pqt_image_equals(a, b);
}

static bool
bytes_of_image(const void *image, const void *const *others, size_t count, size_t *bytes,
               void *context)
{
    (void)context;
    return pqt_image_exclusive_bytes(image, (const pqt_image *const *)others, count, bytes, NULL);
}

static pqt_fingerprint
fingerprint_of_image(const void *image)
{
    return pqt_image_fingerprint(image);
}

static bool
check_image(const void *image, pqt_error *error)
{
    return pqt_image_check(image, error);
}

static uint64_t
count_in_image(const void *image)
{
    const pqti_image_frame *frame = &((const pqt_image *)image)->frame;
    return (uint64_t)frame->width * (uint64_t)frame->height;
}

static bool
copy_images(const void *const *versions, size_t count, pqt_memory *memory, const void **copies,
            pqt_error *error)
{
    return pqt_image_copy_all((const pqt_image *const *)versions, count, memory,
                              (const pqt_image **)copies, error);
}

static bool
count_image_diff(const void *before, const void *after, uint64_t *count, pqt_error *error)
{
    if (!pqti_images_have_one_size(before, after, error))
        return false;
    *count += pqti_image_count_diff(before, after);
    return true;
}

static const void *
merge_images_without_conflict(const void *base, const void *ours, const void *theirs,
                              pqt_error *error)
{
    return pqt_image_merge(base, ours, theirs, NULL, NULL, error);
}

/* A callback, and what it is called with. */
typedef struct pixel_resolver {
    pqti_resolve_pixels_fn *resolve;
    void *context;
} pixel_resolver;

static pqt_image_resolution
resolve_pixels(const pqt_pixel_box *box, void *context)
{
    const pixel_resolver *resolver = context;
    switch (resolver->resolve(box, resolver->context)) {
    case PQTI_PIXELS_OURS:
        return PQT_IMAGE_KEEP_OURS;
    case PQTI_PIXELS_THEIRS:
        return PQT_IMAGE_KEEP_THEIRS;
    case PQTI_PIXELS_BASE:
        return PQT_IMAGE_KEEP_BASE;
    case PQTI_PIXELS_UNDECIDED:
        break;
    }
    return PQT_IMAGE_UNRESOLVED;
}

static const void *
merge_image_pixels(const void *base, const void *ours, const void *theirs,
                   pqti_resolve_pixels_fn *resolve, void *context, pqt_error *error)
{
    pixel_resolver resolver = {resolve, context};
    return pqt_image_merge(base, ours, theirs, resolve_pixels, &resolver, error);
}

const pqti_kind_calls pqti_image_calls = {
    .needs_mode = true,
    .values = {sizeof(pqt_history_kind), "images", memory_of_image, equal_images, bytes_of_image,
               NULL, pqti_hold_version},
    .fingerprint = fingerprint_of_image,
    .check = check_image,
    .count = count_in_image,
    .copy_all = copy_images,
    .count_diff = count_image_diff,
    .merge = merge_images_without_conflict,
    .merge_pixels = merge_image_pixels,
    .own_bytes = bytes_of_image,
};
