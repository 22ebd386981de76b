/* SPDX-License-Identifier: MIT */
/*
 * version_kind.c: recognises a version of the wrong kind, which a void pointer can refer to.
 *
 * Each kind has its life mark (memory_internal.h) at another place, and the mark of each kind but
 * trees begins with a number of its own. So a version of another kind lacks the mark of the
 * expected one, like a version that was reclaimed, but has that of its own kind.
 */
#include "config.h"

#include "document/version_kind.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error_internal.h"
#include "document/document_internal.h"
#include "map/map_internal.h"
#include "region/region_node.h"
#include "tree/node.h"
#include "world/world_internal.h"

#if !(defined NDEBUG || defined PQT_TRAPS)

/* The mark of one kind is read from a version of another kind, which may be shorter. */
#define READS_BEYOND_THE_BLOCK __attribute__((no_sanitize_address, noinline))

READS_BEYOND_THE_BLOCK static uint32_t
word_at(const void *block, size_t offset)
{
    return __atomic_load_n((const uint32_t *)(const void *)((const char *)block + offset),
                           __ATOMIC_RELAXED);
}

typedef struct known_kind {
    pqt_kind kind;
    size_t mark; /* the offset of the life mark */
    const char *name;
} known_kind;

/* Trees come last, because their mark has no number of its own. */
static const known_kind kinds[] = {
    {PQT_KIND_DOCUMENT, offsetof(pqt_document, life), "document"},
    {PQT_KIND_MAP, offsetof(pqt_map, life), "map"},
    {PQT_KIND_REGION, offsetof(pqt_region, life), "region"},
    {PQT_KIND_WORLD, offsetof(pqt_world, life), "world"},
    {PQT_KIND_TREE, offsetof(pqt_tree, life), "tree"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool
has_mark(const void *version, const known_kind *of)
{
    if (of->kind != PQT_KIND_TREE)
        return (word_at(version, of->mark) & 0xffff0000) == PQTI_LIFE_OF(of->kind);
    const pqt_tree *tree = version;
    const void *first = tree->domain; /* in a version of another kind, this is its memory */
    return first != pqt_collector() && pqti_is_tree_alive(tree, &tree->life);
}

static const known_kind *
find_kind(const void *version)
{
    for (int i = 0; i < KINDS; i++)
        if (has_mark(version, &kinds[i]))
            return &kinds[i];
    return NULL;
}

void
pqti_assert_kind(const char *function, pqt_kind kind, const void *version)
{
    const known_kind *expected = kinds;
    while (expected < kinds + KINDS && expected->kind != kind)
        expected++;
    if (expected == kinds + KINDS || version == NULL || has_mark(version, expected))
        return;
    const known_kind *found = find_kind(version);
    char sentence[80];
    if (found == NULL)
        return; /* it was reclaimed */
    snprintf(sentence, sizeof sentence, "the version is a %s, and the kind is that of a %s",
             found->name, expected->name);
    pqti_precondition_failed(function, sentence);
}

#else

void
pqti_assert_kind(const char *function, pqt_kind kind, const void *version)
{
    (void)function;
    (void)kind;
    (void)version;
}

#endif
