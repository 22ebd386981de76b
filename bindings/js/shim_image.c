/* SPDX-License-Identifier: MIT */
/* shim_image.c: the merges of images, for lib/image.js. */
#include "shim.h"

/* Appends the box of a conflict. */
static pqt_image_resolution
note_conflict(const pqt_pixel_box *box, void *context)
{
    (void)context;
    return append(box, sizeof *box) ? PQT_IMAGE_KEEP_OURS : PQT_IMAGE_UNRESOLVED;
}

/* The decisions for conflicts in the buffer, a byte each. The last one applies to all that
   follow. */
typedef struct decisions {
    size_t count, met;
} decisions;

static pqt_image_resolution
decide(const pqt_pixel_box *box, void *context)
{
    decisions *of = context;
    (void)box;
    return (pqt_image_resolution)buffer[of->met + 1 < of->count ? of->met++ : of->count - 1];
}

static const pqt_image *
merge(const pqt_image *const versions[3], size_t count)
{
    decisions of = {count, 0};
    begin_append();
    return pqt_image_merge(versions[0], versions[1], versions[2],
                           count == 0 ? note_conflict : decide, &of, &failure);
}

static pqt_pin *
merge_pinned(pqt_pin *base, pqt_pin *ours, pqt_pin *theirs, size_t count)
{
    const pqt_image *const versions[] = {image_of(base), image_of(ours), image_of(theirs)};
    if (versions[0] == NULL || versions[1] == NULL || versions[2] == NULL)
        return NULL;
    RETURN_PINNED(image, merge(versions, count));
}

/* Merges with the decisions in the buffer, values of pqt_image_resolution, at least one. */
pqt_pin *
EXPORT(pqtjs_image_merge)(pqt_pin *base, pqt_pin *ours, pqt_pin *theirs, size_t count)
{
    return merge_pinned(base, ours, theirs, count);
}

/* Fills the buffer with the boxes of the conflicts of a merge, and returns the number of bytes; -1
   on failure. */
int32_t
EXPORT(pqtjs_image_conflicts)(pqt_pin *base, pqt_pin *ours, pqt_pin *theirs)
{
    pqt_pin *pin = merge_pinned(base, ours, theirs, 0);
    if (pin == NULL)
        return -1;
    pqt_unpin(&pin);
    return pqtjs_appended();
}
