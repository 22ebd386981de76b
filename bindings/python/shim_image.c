/* SPDX-License-Identifier: MIT */
/* shim_image.c: the calls for images that only image.py has. */
#include "shim.h"

#include <string.h>

/* Sets four numbers: the nodes, tiles and bytes, and the level. */
void
pqtpy_image_stats(const pqt_pin *pin, uint64_t *figures)
{
    const pqt_image_stats stats = pqt_image_get_stats(pqt_pin_get_image(pin));
    const uint64_t found[] = {stats.nodes, stats.tiles, stats.bytes, (uint64_t)stats.level};
    memcpy(figures, found, sizeof found);
}

/* ---- Merges ---- */

static bool
append_box(const pqt_pixel_box *box, void *context)
{
    return flat_append(box, sizeof *box, context);
}

/* The decisions for the conflicts of a merge, a pqt_image_resolution each, and the number of those
   that were met. */
typedef struct decisions {
    const uint8_t *made;
    size_t count, met;
    target to;
} decisions;

/* Appends the box of a conflict, and decides it. The last decision applies to all that follow. */
static pqt_image_resolution
decide(const pqt_pixel_box *box, void *context)
{
    decisions *of = context;
    const size_t next = of->met < of->count ? of->met : of->count - 1;
    of->met++;
    if (!append_box(box, &of->to))
        return PQT_IMAGE_UNRESOLVED;
    return (pqt_image_resolution)of->made[next];
}

static const pqt_image *
merge(const pqt_pin *base, const pqt_pin *ours, const pqt_pin *theirs, decisions *of)
{
    of->met = 0;
    of->to.bytes->size = 0;
    return pqt_image_merge(pqt_pin_get_image(base), pqt_pin_get_image(ours),
                           pqt_pin_get_image(theirs), decide, of, of->to.error);
}

/* Merges, and appends the boxes of the conflicts. There is at least one decision. */
pqt_pin *
pqtpy_image_merge(const pqt_pin *base, const pqt_pin *ours, const pqt_pin *theirs,
                  const uint8_t *made, size_t count, pqtpy_bytes *boxes, pqt_error *error)
{
    decisions of = {made, count, 0, {boxes, error}};
    RETURN_PINNED(image, merge(base, ours, theirs, &of));
}
