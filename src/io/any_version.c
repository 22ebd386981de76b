/* SPDX-License-Identifier: MIT */
/* any_version.c: writes and reads versions of any kind, by the row of their kind. */
#include "config.h"

#include <pqt/bytes.h>

#include "base/error_internal.h"
#include "io/bytes_internal.h"
#include "memory/kind_calls.h"

/* The row of a kind whose wing is not in this build. */
const pqti_kind_bytes pqti_absent_bytes = {.read_sections = NULL};

#define ROW_OF_BYTES(number, name, elements, section, calls, bytes, changes) [number] = &bytes,
static const pqti_kind_bytes *const rows[] = {PQTI_KIND_TABLE(ROW_OF_BYTES)};

const pqti_kind_bytes *
pqti_bytes_of_kind(pqt_kind kind)
{
    PQT_INVARIANT(pqti_is_kind(kind) && rows[kind] != &pqti_absent_bytes, "there is no such kind");
    return rows[kind];
}

const pqti_kind_bytes *
pqti_bytes_to_read(pqt_kind kind, pqt_error *error)
{
    PQT_INVARIANT(pqti_is_kind(kind), "there is no such kind");
    if (rows[kind] != &pqti_absent_bytes)
        return rows[kind];
    pqti_error_set(error, PQT_ERROR_UNSUPPORTED, 0, "%ss are not in this build",
                   pqt_kind_name(kind));
    return NULL;
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
    const pqti_kind_bytes *bytes = pqti_bytes_to_read(kind, error);
    return bytes == NULL ? NULL : pqti_read_version(bytes, read, context, memory, error);
}
