/* SPDX-License-Identifier: MIT */
/* any_merge.c: merges versions of any kind, by the function for their kind. */
#include "config.h"

#include <pqt/any_version.h>
#include <pqt/document.h>
#include <pqt/merge.h>
#include <pqt/region.h>

#include "base/error_internal.h"
#include "memory/kind_calls.h"

typedef const void *merge_fn(const void *base, const void *ours, const void *theirs,
                             pqt_error *error);

static const void *
merge_trees(const void *base, const void *ours, const void *theirs, pqt_error *error)
{
    return pqt_tree_merge(base, ours, theirs, NULL, error);
}

/* Flips the pixels of the base that one side or both sides changed. The scope keeps the regions in
   between from a thread that reclaims. */
static const void *
merge_regions(const void *base, const void *ours, const void *theirs, pqt_error *error)
{
    static const pqt_pixel no_offset = {0, 0};
    pqt_memory *memory = pqti_memory_of(base);
    if (!pqti_scope_begin(memory, error))
        return NULL;
    const pqt_region *by_us = pqt_region_xor(base, ours, no_offset, error);
    const pqt_region *by_them = pqt_region_xor(base, theirs, no_offset, error);
    const pqt_region *changed = pqt_region_union(by_us, by_them, no_offset, error);
    const pqt_region *merged = pqt_region_xor(base, changed, no_offset, error);
    pqti_scope_end(memory);
    return merged;
}

static const void *
merge_maps(const void *base, const void *ours, const void *theirs, pqt_error *error)
{
    return pqt_map_merge(base, ours, theirs, NULL, error);
}

static const void *
merge_documents(const void *base, const void *ours, const void *theirs, pqt_error *error)
{
    return pqt_document_merge(base, ours, theirs, NULL, error);
}

/* Worlds have none: both sides have moved every ball. */
static merge_fn *const merges[] = {
    [PQT_KIND_TREE] = merge_trees,
    [PQT_KIND_REGION] = merge_regions,
    [PQT_KIND_MAP] = merge_maps,
    [PQT_KIND_DOCUMENT] = merge_documents,
};

const void *
pqt_version_merge(const void *base, const void *ours, const void *theirs, pqt_error *error)
{
    if (!pqti_check_version(base, error) || !pqti_check_version(ours, error) ||
        !pqti_check_version(theirs, error))
        return NULL;
    const pqt_kind kind = pqti_version_kind(base);
    pqti_assert_version(__func__, kind, ours);
    pqti_assert_version(__func__, kind, theirs);
    if (merges[kind] != NULL)
        return merges[kind](base, ours, theirs, error);
    pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "%ss cannot be merged", pqt_kind_name(kind));
    return NULL;
}
