/* SPDX-License-Identifier: MIT */
/*
 * bytes_internal.h: versions as sections: what the kinds of versions share.
 *
 * Sources of this folder without a header of their own: bytes_file.c, bytes_map.c,
 * bytes_region.c, bytes_tree.c, bytes_world.c.
 */
#ifndef PQTI_BYTES_INTERNAL_H
#define PQTI_BYTES_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/bytes.h>

#include "io/section.h"

/* The sections of a region, REGN to DONE. Returns false and sets the error on failure. */
bool pqti_region_write_sections(pqti_writer *writer, const pqt_region *region);
const pqt_region *pqti_region_read_sections(pqti_reader *reader, pqt_memory *memory);

/* Bounds, 32 bytes. */
void pqti_section_put_bounds(pqti_writer *writer, pqt_box bounds);
pqt_box pqti_section_get_bounds(pqti_reader *reader);

/* Whether the bounds have no -0.0, which no version has. Returns false and sets the error on
   failure. */
bool pqti_check_bounds_zeros(pqti_reader *reader, pqt_box bounds);

#endif
