/* SPDX-License-Identifier: MIT */
/*
 * image_merge.c: performs three-way merges of images.
 *
 * The three versions are traversed together. If one side is the same patch as the base, the result
 * is the patch of the other side; if both sides are the same, it is theirs. So a square that only
 * one side changed is shared and not entered. Tiles are merged pixel by pixel.
 */
#include "config.h"

#include "base/attributes.h"
#include "image/image_internal.h"

typedef struct image_merger {
    const pqti_image_frame *frame;
    pqt_image_resolve_fn *resolve; /* NULL: a conflict is an error */
    void *context;
    pqt_error *error; /* set if the merge fails, but for a lack of memory */
    bool failed;      /* `error` was set, or would have been */
} image_merger;

/* The patches at one position. */
typedef struct merged_patches {
    pqti_patch base, ours, theirs;
} merged_patches;

static bool
fail_merge(image_merger *merger, const pqt_pixel_box *box, pqt_status status, const char *reason)
{
    merger->failed = true;
    pqti_error_set(merger->error, status, 0, "the pixels from %d, %d to %d, %d: %s", box->min.x,
                   box->min.y, box->max.x, box->max.y, reason);
    return false;
}

/* Decides a conflict. Returns false and sets the error if it is not decided. */
static bool
decide_conflict(image_merger *merger, const pqt_pixel_box *box, pqt_image_resolution *decided)
{
    *decided = PQT_IMAGE_UNRESOLVED;
    if (merger->resolve != NULL)
        *decided = merger->resolve(box, merger->context);
    if (*decided >= PQT_IMAGE_KEEP_OURS && *decided <= PQT_IMAGE_KEEP_BASE)
        return true;
    if (*decided == PQT_IMAGE_UNRESOLVED)
        return fail_merge(merger, box, PQT_ERROR_CONFLICT, "both sides changed them differently");
    return fail_merge(merger, box, PQT_ERROR_CALLBACK,
                      "resolved by a value that is not a pqt_image_resolution");
}

static uint32_t
choose_colour(pqt_image_resolution decided, uint32_t base, uint32_t ours, uint32_t theirs)
{
    return decided == PQT_IMAGE_KEEP_OURS ? ours : decided == PQT_IMAGE_KEEP_THEIRS ? theirs : base;
}

/* Returns true if both sides changed a colour, to different ones. */
static bool
is_in_conflict(uint32_t base, uint32_t ours, uint32_t theirs)
{
    return ours != base && theirs != base && ours != theirs;
}

/* Merges a square in which each version has one colour, and all three differ. */
static bool
merge_colours(image_merger *merger, const merged_patches *at, pqti_rcell cell, pqti_patch *made)
{
    const pqt_pixel_box box = pqti_image_cell_box(merger->frame, cell);
    pqt_image_resolution decided;
    if (!decide_conflict(merger, &box, &decided))
        return false;
    *made = pqti_patch_of_colour(
        choose_colour(decided, at->base.colour, at->ours.colour, at->theirs.colour));
    return true;
}

/* The pixels of a tile in the three versions. */
typedef struct merged_pixels {
    uint32_t base[PQTI_IMAGE_TILE_PIXELS], ours[PQTI_IMAGE_TILE_PIXELS],
        theirs[PQTI_IMAGE_TILE_PIXELS];
} merged_pixels;

/* Returns the box of the pixels in conflict. It is inverted if there are none. */
static pqt_pixel_box
find_conflicts(const pqti_image_frame *frame, const merged_pixels *in, pqti_rcell cell)
{
    const pqt_pixel_box inside = pqti_image_cell_box(frame, cell);
    pqt_pixel_box found = {inside.max, inside.min};
    for (int32_t y = inside.min.y; y < inside.max.y; y++) {
        for (int32_t x = inside.min.x; x < inside.max.x; x++) {
            const int at = PQTI_IMAGE_TILE_SIDE * (y - cell.y) + x - cell.x;
            if (is_in_conflict(in->base[at], in->ours[at], in->theirs[at]))
                pqti_pixel_box_add(&found, x, y);
        }
    }
    return found;
}

static PQTI_NOINLINE bool
merge_tiles(image_merger *merger, const merged_patches *at, pqti_rcell cell, pqti_patch *made)
{
    merged_pixels in;
    pqt_image_resolution decided = PQT_IMAGE_KEEP_OURS;
    pqti_patch_pixels(&at->base, in.base);
    pqti_patch_pixels(&at->ours, in.ours);
    pqti_patch_pixels(&at->theirs, in.theirs);
    const pqt_pixel_box conflicts = find_conflicts(merger->frame, &in, cell);
    if (conflicts.min.x < conflicts.max.x && !decide_conflict(merger, &conflicts, &decided))
        return false;
    for (int i = 0; i < PQTI_IMAGE_TILE_PIXELS; i++) {
        if (is_in_conflict(in.base[i], in.ours[i], in.theirs[i]))
            in.ours[i] = choose_colour(decided, in.base[i], in.ours[i], in.theirs[i]);
        else if (in.ours[i] == in.base[i])
            in.ours[i] = in.theirs[i];
    }
    return pqti_image_tile_make(merger->frame, cell, in.ours, &at->ours, made);
}

/* Makes the merged patch. Returns false if the merge failed, or when out of memory. */
static bool
merge_patches(image_merger *merger, const merged_patches *at, pqti_rcell cell, pqti_patch *made)
{
    pqti_patch child[4];
    if (pqti_patch_is_same(&at->ours, &at->base) || pqti_patch_is_same(&at->ours, &at->theirs)) {
        *made = at->theirs;
        return true;
    }
    if (pqti_patch_is_same(&at->theirs, &at->base)) {
        *made = at->ours;
        return true;
    }
    if (at->base.node == NULL && at->ours.node == NULL && at->theirs.node == NULL)
        return merge_colours(merger, at, cell, made);
    if (cell.level == PQTI_IMAGE_TILE_LEVEL)
        return merge_tiles(merger, at, cell, made);
    for (int i = 0; i < 4; i++) {
        const merged_patches below = {pqti_patch_child(&at->base, i),
                                      pqti_patch_child(&at->ours, i),
                                      pqti_patch_child(&at->theirs, i)};
        const pqti_rcell in = pqti_rcell_child(cell, i);
        child[i] = pqti_patch_of_colour(0);
        if (!pqti_image_is_outside(merger->frame, in) &&
            !merge_patches(merger, &below, in, &child[i]))
            return false;
    }
    return pqti_image_inner_make(merger->frame, cell, child, &at->ours, made);
}

/* The callback may reclaim in a heap, so the merge is a scope. */
static const pqt_image *
merge_images(image_merger *merger, const merged_patches *at, const pqt_image *ours,
             const pqt_image *theirs)
{
    pqti_patch root;
    if (merge_patches(merger, at, pqti_image_root_cell(merger->frame), &root))
        return pqti_patch_is_same(&root, &theirs->root)
                   ? theirs
                   : pqti_image_next(ours, &root, merger->error);
    if (!merger->failed)
        pqti_out_of_memory(merger->error);
    return NULL;
}

const pqt_image *
pqt_image_merge(const pqt_image *base, const pqt_image *ours, const pqt_image *theirs,
                pqt_image_resolve_fn *resolve, void *context, pqt_error *error)
{
    if (!pqti_image_check_input(base, error) || !pqti_image_check_input(ours, error) ||
        !pqti_image_check_input(theirs, error) || !pqti_images_match(base, ours, error) ||
        !pqti_images_match(base, theirs, error) || !pqti_scope_begin(base->frame.memory, error))
        return NULL;
    image_merger merger = {&base->frame, resolve, context, error, false};
    const merged_patches at = {base->root, ours->root, theirs->root};
    const pqt_image *merged = merge_images(&merger, &at, ours, theirs);
    pqti_scope_end(base->frame.memory);
    pqti_keep_alive(base);
    return merged;
}
