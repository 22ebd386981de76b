/* SPDX-License-Identifier: MIT */
/*
 * any_version_file.c: saves and loads versions of any kind, by calling the functions for the kind.
 *
 * Builds for systems without files leave out this file and bytes_file.c.
 */
#include "config.h"

#include <pqt/any_version.h>

#include "base/error_internal.h"
#include "memory/kind_calls.h"

bool
pqt_version_save(const void *version, const char *path, pqt_error *error)
{
    PQT_ASSERT(path != NULL, "path is NULL");
    if (!pqti_check_version(version, error))
        return false;
    switch (pqti_version_kind(version)) {
    case PQT_KIND_TREE:
        return pqt_tree_save(version, path, error);
    case PQT_KIND_REGION:
        return pqt_region_save(version, path, error);
    case PQT_KIND_WORLD:
        return pqt_world_save(version, path, error);
    case PQT_KIND_MAP:
        return pqt_map_save(version, path, error);
    case PQT_KIND_DOCUMENT:
        return pqt_document_save(version, path, error);
    case PQT_KIND_NONE:
    case PQT_KIND_OTHER:
        break;
    }
    PQT_ASSERT(false, "the kind of the version is unknown");
    return false;
}

const void *
pqt_version_load(pqt_kind kind, const char *path, pqt_memory *memory, pqt_error *error)
{
    switch (kind) {
    case PQT_KIND_TREE:
        return pqt_tree_load(path, memory, error);
    case PQT_KIND_REGION:
        return pqt_region_load(path, memory, error);
    case PQT_KIND_WORLD:
        return pqt_world_load(path, memory, error);
    case PQT_KIND_MAP:
        return pqt_map_load(path, memory, error);
    case PQT_KIND_DOCUMENT:
        return pqt_document_load(path, memory, error);
    case PQT_KIND_NONE:
    case PQT_KIND_OTHER:
        break;
    }
    PQT_ASSERT(false, "the kind of the version is unknown");
    return NULL;
}
