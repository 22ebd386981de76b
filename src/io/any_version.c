/* SPDX-License-Identifier: MIT */
/* any_version.c: the table of the rows that write and read the versions of each kind, and the
   functions for versions of any kind. */
#include "config.h"

#include <pqt/any_version.h>

#include "base/error_internal.h"
#include "io/bytes_internal.h"
#include "memory/kind_calls.h"

static const pqti_kind_bytes *const rows[] = {
    [PQT_KIND_TREE] = &pqti_tree_bytes,         [PQT_KIND_REGION] = &pqti_region_bytes,
    [PQT_KIND_WORLD] = &pqti_world_bytes,       [PQT_KIND_MAP] = &pqti_map_bytes,
    [PQT_KIND_DOCUMENT] = &pqti_document_bytes,
};

const pqti_kind_bytes *
pqti_bytes_of_kind(pqt_kind kind)
{
    PQT_INVARIANT(pqti_is_kind(kind), "there is no such kind");
    return rows[kind];
}

bool
pqt_version_write(const void *version, pqt_write_fn *write, void *context, pqt_error *error)
{
    PQT_ASSERT(write != NULL, "write is NULL");
    if (!pqti_check_version(version, error))
        return false;
    return pqti_write_version(rows[pqti_version_kind(version)], version, write, context, error);
}

const void *
pqt_version_read(pqt_kind kind, pqt_read_fn *read, void *context, pqt_memory *memory,
                 pqt_error *error)
{
    PQT_ASSERT(pqti_is_kind(kind), "the kind of the version is unknown");
    PQT_ASSERT(read != NULL, "read is NULL");
    return pqti_read_version(rows[kind], read, context, memory, error);
}
