/* SPDX-License-Identifier: MIT */
/*
 * shim_copies.c: replaces the sources that copy versions to another memory. JavaScript has one
 * memory; only a step of a world copies a tree.
 */
#include "config.h"

#include <pqt/document.h>
#include <pqt/region.h>
#include <pqt/world.h>

#include "never_called.h"

NEVER_CALLED(bool, pqt_region_copy_all, const pqt_region *const *regions, size_t count,
             pqt_memory *memory, const pqt_region **copies, pqt_error *error)
NEVER_CALLED(bool, pqt_map_copy_all, const pqt_map *const *maps, size_t count, pqt_memory *memory,
             const pqt_map **copies, pqt_error *error)
NEVER_CALLED(bool, pqt_world_copy_all, const pqt_world *const *worlds, size_t count,
             pqt_memory *memory, const pqt_world **copies, pqt_error *error)
NEVER_CALLED(bool, pqt_document_copy_all, const pqt_document *const *documents, size_t count,
             pqt_memory *memory, const pqt_document **copies, pqt_error *error)
