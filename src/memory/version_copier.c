/* SPDX-License-Identifier: MIT */
/* version_copier.c: copies versions of maps and regions to another memory. */
#include "config.h"

#include "memory/version_copier.h"

#include <stdint.h>
#include <string.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"

/* Allocates a list for versions. It has one more word than needed, because the collector does not
   scan the last one. */
static const void **
alloc_versions(pqt_memory *memory, size_t count)
{
    if (count > SIZE_MAX / 2 / sizeof(const void *))
        return NULL;
    return pqti_alloc_list(memory, pqti_rounded((count + 1) * sizeof(const void *)));
}

/* Returns a version of an array of pointers to any kind of version. */
static const void *
version_at(const void *versions, size_t i)
{
    const void *version;
    memcpy(&version, (const char *)versions + i * sizeof version, sizeof version);
    return version;
}

static bool
copy_to_list(pqti_copier *copier, const void *versions, size_t count, const void **list,
             pqti_copy_fn *copy, pqt_error *error)
{
    for (size_t i = 0; i < count; i++) {
        list[i] = copy(copier, version_at(versions, i), error);
        if (list[i] == NULL)
            return false;
    }
    return true;
}

bool
pqti_copy_versions(const void *versions, size_t count, pqt_memory *memory, void *copies,
                   pqti_copy_fn *copy, pqt_error *error)
{
    pqti_copier copier = {.memory = pqti_memory_or_default(memory, error)};
    if (copier.memory == NULL)
        return false;
    bool copied = false;
    const void **list = alloc_versions(copier.memory, count);
    if (list == NULL || !pqti_hashtable_make(&copier.copies))
        pqti_out_of_memory(error);
    else
        copied = copy_to_list(&copier, versions, count, list, copy, error);
    if (copied && count > 0)
        memcpy(copies, list, count * sizeof *list);
    pqti_hashtable_free(&copier.copies);
    return copied;
}
