/* SPDX-License-Identifier: MIT */
/* version_bytes.c: whole versions of any kind: written, read, compared, checked and pinned. */
#include "config.h"

#include "change/version_bytes.h"

#include "base/error_internal.h"
#include "memory/memory_internal.h"

bool
pqti_version_write(pqt_bytes_kind kind, const void *version, pqt_write_fn *write, void *context,
                   pqt_error *error)
{
    switch (kind) {
    case PQT_BYTES_TREE:
        return pqt_tree_write(version, write, context, error);
    case PQT_BYTES_REGION:
        return pqt_region_write(version, write, context, error);
    case PQT_BYTES_WORLD:
        return pqt_world_write(version, write, context, error);
    case PQT_BYTES_MAP:
        return pqt_map_write(version, write, context, error);
    default:
        return pqt_document_write(version, write, context, error);
    }
}

bool
pqti_version_put(pqti_byte_buffer *to, pqt_bytes_kind kind, const void *version, pqt_error *error)
{
    pqt_error failure = {0};
    if (pqti_version_write(kind, version, pqti_buffer_write, to, &failure))
        return true;
    if (to->failed)
        pqti_out_of_memory(error);
    else
        pqti_error_set(error, failure.status, failure.index, "%s", failure.text);
    return false;
}

const void *
pqti_version_read(pqt_bytes_kind kind, pqt_read_fn *read, void *context, pqt_memory *memory,
                  pqt_error *error)
{
    switch (kind) {
    case PQT_BYTES_TREE:
        return pqt_tree_read(read, context, memory, error);
    case PQT_BYTES_REGION:
        return pqt_region_read(read, context, memory, error);
    case PQT_BYTES_WORLD:
        return pqt_world_read(read, context, memory, error);
    case PQT_BYTES_MAP:
        return pqt_map_read(read, context, memory, error);
    default:
        return pqt_document_read(read, context, memory, error);
    }
}

pqt_fingerprint
pqti_version_fingerprint(pqt_bytes_kind kind, const void *version)
{
    switch (kind) {
    case PQT_BYTES_TREE:
        return pqt_tree_fingerprint(version);
    case PQT_BYTES_REGION:
        return pqt_region_fingerprint(version);
    case PQT_BYTES_WORLD:
        return pqt_world_fingerprint(version);
    case PQT_BYTES_MAP:
        return pqt_map_fingerprint(version);
    default:
        return pqt_document_fingerprint(version);
    }
}

bool
pqti_version_check(pqt_bytes_kind kind, const void *version, pqt_error *error)
{
    switch (kind) {
    case PQT_BYTES_TREE:
        return pqt_tree_check(version, error);
    case PQT_BYTES_REGION:
        return pqt_region_check(version, error);
    case PQT_BYTES_WORLD:
        return pqt_world_check(version, error);
    case PQT_BYTES_MAP:
        return pqt_map_check(version, error);
    default:
        return pqt_document_check(version, error);
    }
}

pqt_pin *
pqti_version_pin(pqt_bytes_kind kind, const void *version, pqt_error *error)
{
    switch (kind) {
    case PQT_BYTES_TREE:
        return pqt_tree_pin(version, error);
    case PQT_BYTES_REGION:
        return pqt_region_pin(version, error);
    case PQT_BYTES_WORLD:
        return pqt_world_pin(version, error);
    case PQT_BYTES_MAP:
        return pqt_map_pin(version, error);
    default:
        return pqt_document_pin(version, error);
    }
}
