/* SPDX-License-Identifier: MIT */
/*
 * kind_table.h: the table of the kinds of versions, with one line for each kind.
 *
 * A file that needs some columns passes a macro that picks them, and makes its own array. So a
 * program that links the library statically has only the rows that its own calls need: one that
 * writes no files has no rows of bytes, and one without stores and lines has no rows of changes.
 *
 * The columns are the number, the name, a plural noun for what pqt_version_count counts, the
 * section with which the bytes begin, and three rows of functions:
 *
 *     pqti_kind_calls     what any version has: its memory, fingerprint, copies ... (kind_calls.h)
 *     pqti_kind_bytes     its bytes (io/bytes_internal.h)
 *     pqti_kind_changes   the changes between two versions, as bytes (change/change_part.h)
 */
#ifndef PQTI_KIND_TABLE_H
#define PQTI_KIND_TABLE_H

/* A build without a wing has no rows for its kinds, which still have their numbers and names. */
#if PQT_WITH_PIXELS
#define PQTI_REGIONS(KIND)                                                                         \
    KIND(PQT_KIND_REGION, "region", "pixels", "REGN", pqti_region_calls, pqti_region_bytes,        \
         pqti_pixel_changes)
#define PQTI_IMAGES(KIND)                                                                          \
    KIND(PQT_KIND_IMAGE, "image", "pixels", "IMAG", pqti_image_calls, pqti_image_bytes,            \
         pqti_pixel_changes)
#else
#define PQTI_REGIONS(KIND)                                                                         \
    KIND(PQT_KIND_REGION, "region", "pixels", "REGN", pqti_absent_calls, pqti_absent_bytes,        \
         pqti_stored_whole)
#define PQTI_IMAGES(KIND)                                                                          \
    KIND(PQT_KIND_IMAGE, "image", "pixels", "IMAG", pqti_absent_calls, pqti_absent_bytes,          \
         pqti_stored_whole)
#endif
#if PQT_WITH_WORLDS
#define PQTI_WORLDS(KIND)                                                                          \
    KIND(PQT_KIND_WORLD, "world", "bodies", "WRLD", pqti_world_calls, pqti_world_bytes,            \
         pqti_stored_whole)
#else
#define PQTI_WORLDS(KIND)                                                                          \
    KIND(PQT_KIND_WORLD, "world", "bodies", "WRLD", pqti_absent_calls, pqti_absent_bytes,          \
         pqti_stored_whole)
#endif

#define PQTI_KIND_TABLE(KIND)                                                                      \
    KIND(PQT_KIND_TREE, "tree", "items", "TREE", pqti_tree_calls, pqti_tree_bytes,                 \
         pqti_tree_changes)                                                                        \
    PQTI_REGIONS(KIND)                                                                             \
    PQTI_WORLDS(KIND)                                                                              \
    KIND(PQT_KIND_MAP, "map", "entries", "PMAP", pqti_map_calls, pqti_map_bytes, pqti_map_changes) \
    KIND(PQT_KIND_DOCUMENT, "document", "parts", "DOCU", pqti_document_calls, pqti_document_bytes, \
         pqti_document_changes)                                                                    \
    PQTI_IMAGES(KIND)

#endif
