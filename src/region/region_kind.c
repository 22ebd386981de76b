/* SPDX-License-Identifier: MIT */
/* region_kind.c: the functions for regions that code for versions of any kind calls. */
#include "config.h"

#include "memory/kind_calls.h"
#include "region/region_internal.h"

static pqt_memory *
memory_of_region(const void *region, void *context)
{
    (void)context;
    pqti_assert_region_alive(NULL, region);
    return ((const pqt_region *)region)->memory;
}

static bool
equal_regions(const void *a, const void *b, void *context)
{
    (void)context;
    return pqt_region_equals(a, b);
}

static bool
bytes_of_region(const void *region, const void *const *others, size_t count, size_t *bytes,
                void *context)
{
    (void)context;
    return pqt_region_exclusive_bytes(region, (const pqt_region *const *)others, count, bytes,
                                      NULL);
}

static pqt_fingerprint
fingerprint_of_region(const void *region)
{
    return pqt_region_fingerprint(region);
}

static bool
check_region(const void *region, pqt_error *error)
{
    return pqt_region_check(region, error);
}

static uint64_t
count_in_region(const void *region)
{
    return pqt_region_count(region);
}

static bool
copy_regions(const void *const *versions, size_t count, pqt_memory *memory, const void **copies,
             pqt_error *error)
{
    return pqt_region_copy_all((const pqt_region *const *)versions, count, memory,
                               (const pqt_region **)copies, error);
}

static bool
count_region_diff(const void *before, const void *after, uint64_t *count, pqt_error *error)
{
    (void)error;
    *count += pqti_region_count_diff(before, after);
    return true;
}

/* Flips the pixels of the base that one side or both sides changed. The scope keeps the regions in
   between from a thread that reclaims. */
static const void *
merge_regions(const void *base, const void *ours, const void *theirs, pqt_error *error)
{
    static const pqt_pixel no_offset = {0, 0};
    pqt_memory *memory = ((const pqt_region *)base)->memory;
    if (!pqti_scope_begin(memory, error))
        return NULL;
    const pqt_region *by_us = pqt_region_xor(base, ours, no_offset, error);
    const pqt_region *by_them = pqt_region_xor(base, theirs, no_offset, error);
    const pqt_region *changed = pqt_region_union(by_us, by_them, no_offset, error);
    const pqt_region *merged = pqt_region_xor(base, changed, no_offset, error);
    pqti_scope_end(memory);
    return merged;
}

/* Merges regions for documents. No pixel is in conflict: if both sides changed one, they agree. */
static const void *
merge_region_pixels(const void *base, const void *ours, const void *theirs,
                    pqti_resolve_pixels_fn *resolve, void *context, pqt_error *error)
{
    (void)resolve;
    (void)context;
    return merge_regions(base, ours, theirs, error);
}

const pqti_kind_calls pqti_region_calls = {
    .needs_mode = true,
    .values = {sizeof(pqt_history_kind), "regions", memory_of_region, equal_regions,
               bytes_of_region, NULL, pqti_hold_version},
    .fingerprint = fingerprint_of_region,
    .check = check_region,
    .count = count_in_region,
    .copy_all = copy_regions,
    .count_diff = count_region_diff,
    .merge = merge_regions,
    .merge_pixels = merge_region_pixels,
    .own_bytes = bytes_of_region,
};
