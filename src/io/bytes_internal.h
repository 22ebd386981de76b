/* SPDX-License-Identifier: MIT */
/*
 * bytes_internal.h: writes versions as sections and reads them, with functions that the kinds of
 * versions share.
 *
 * Sources of this folder without a header of their own: any_version_file.c, bytes_document.c,
 * bytes_file.c, bytes_map.c, bytes_region.c, bytes_rest.c, bytes_tree.c, bytes_world.c.
 */
#ifndef PQTI_BYTES_INTERNAL_H
#define PQTI_BYTES_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/bytes.h>

#include "io/section.h"
#include "world/rest_state.h"

/* Write or read the sections of a version, from the one that names its kind to DONE. On failure,
   set the error and return false or NULL. */
bool pqti_tree_write_sections(pqti_writer *writer, const pqt_tree *tree);
bool pqti_region_write_sections(pqti_writer *writer, const pqt_region *region);
bool pqti_world_write_sections(pqti_writer *writer, const pqt_world *world);
bool pqti_map_write_sections(pqti_writer *writer, const pqt_map *map);
const pqt_tree *pqti_tree_read_sections(pqti_reader *reader, pqt_memory *memory);
const pqt_region *pqti_region_read_sections(pqti_reader *reader, pqt_memory *memory);
const pqt_world *pqti_world_read_sections(pqti_reader *reader, pqt_memory *memory);
const pqt_map *pqti_map_read_sections(pqti_reader *reader, pqt_memory *memory);

/* Write or read the state of rest of a world. On failure, set the error and return false. */
bool pqti_rest_write_sections(pqti_writer *writer, const pqti_rest_state *state);
bool pqti_rest_read_sections(pqti_reader *reader, pqt_memory *memory, const pqti_rest_state **made);

/* Returns true if a tree can be written. If its ids are pointers, sets the error and returns
   false. */
bool pqti_check_writable_ids(const pqt_tree *tree, pqt_error *error);

/* Appends bounds to a section, as 32 bytes. */
void pqti_section_put_bounds(pqti_writer *writer, const pqt_box *bounds);
pqt_box pqti_section_get_bounds(pqti_reader *reader);

/* Returns true if no coordinate of the bounds is -0.0, which occurs in no version. Otherwise sets
   the error and returns false. */
bool pqti_check_bounds_zeros(pqti_reader *reader, const pqt_box *bounds);

#endif
