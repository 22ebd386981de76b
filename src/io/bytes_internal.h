/* SPDX-License-Identifier: MIT */
/*
 * bytes_internal.h: writes versions as sections and reads them, with functions that the kinds of
 * versions share.
 *
 * Sources of this folder without a header of their own: bytes_document.c, bytes_file.c,
 * bytes_image.c, bytes_map.c, bytes_region.c, bytes_tree.c, bytes_world.c.
 */
#ifndef PQTI_BYTES_INTERNAL_H
#define PQTI_BYTES_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/bytes.h>

#include "io/section.h"
#include "memory/kind_table.h"

/* The functions that write and read the versions of one kind. The file of each kind defines its
   row. */
typedef struct pqti_kind_bytes {
    /* Returns true if a version can be written. Otherwise sets the error. NULL: each one can be. */
    bool (*may_write)(const void *version, pqt_error *error);
    /* Write or read the sections of a version, from the one that names its kind to DONE. On
       failure, set the error and return false or NULL. */
    bool (*write_sections)(pqti_writer *writer, const void *version);
    const void *(*read_sections)(pqti_reader *reader, pqt_memory *memory);
} pqti_kind_bytes;

#define PQTI_DECLARE_BYTES(number, name, elements, section, calls, bytes, changes)                 \
    extern const pqti_kind_bytes bytes;
PQTI_KIND_TABLE(PQTI_DECLARE_BYTES)
extern const pqti_kind_bytes pqti_absent_bytes;

/* Returns the row of a kind of which there are versions. */
const pqti_kind_bytes *pqti_bytes_of_kind(pqt_kind kind);

/* Returns the row of a kind of which there may be bytes. If the library was built without this
   kind, returns NULL and sets `error`. */
const pqti_kind_bytes *pqti_bytes_to_read(pqt_kind kind, pqt_error *error);

/* Write or read a version of a given kind; the version is not NULL. */
bool pqti_write_version(const pqti_kind_bytes *kind, const void *version, pqt_write_fn *write,
                        void *context, pqt_error *error);
const void *pqti_read_version(const pqti_kind_bytes *kind, pqt_read_fn *read, void *context,
                              pqt_memory *memory, pqt_error *error);

/* Writes a version or a history, such as pqt_version_write. */
typedef bool pqti_write_value_fn(const void *value, pqt_write_fn *write, void *context,
                                 pqt_error *error);

/* Reads one to `value`. Returns false and sets `error` on failure. */
typedef bool pqti_read_value_fn(pqt_read_fn *read, void *context, void *value, pqt_error *error);

/* Replace a file, as pqt_version_save does, or read one that must hold nothing else. `noun` names
   the value in the error if bytes follow it; it may have been read then. */
bool pqti_save_value(const void *value, pqti_write_value_fn *write, const char *path,
                     pqt_error *error);
bool pqti_load_value(const char *path, const char *noun, pqti_read_value_fn *read, void *value,
                     pqt_error *error);

/* Write or read the sections of a region, which are also those of an obstacle in a world. */
bool pqti_region_write_sections(pqti_writer *writer, const void *region);
const void *pqti_region_read_sections(pqti_reader *reader, pqt_memory *memory);

/* Appends bounds to a section, as 32 bytes. */
void pqti_section_put_bounds(pqti_writer *writer, const pqt_box *bounds);
pqt_box pqti_section_get_bounds(pqti_reader *reader);

/* Returns true if no coordinate of the bounds is -0.0, which occurs in no version. Otherwise sets
   the error and returns false. */
bool pqti_check_bounds_zeros(pqti_reader *reader, const pqt_box *bounds);

#endif
