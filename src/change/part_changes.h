/* SPDX-License-Identifier: MIT */
/*
 * part_changes.h: the changes on a path of versions. They are collected for each part, so that one
 * batch applies them all.
 */
#ifndef PQTI_PART_CHANGES_H
#define PQTI_PART_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/bytes.h>
#include <pqt/document.h>

/* The changes of one part. A version that is not a document counts as one part. */
typedef struct pqti_part_changes {
    pqt_kind kind;            /* PQT_KIND_NONE: the part does not exist */
    bool has_changed;         /* for a document: whether the part has changed */
    uint8_t map_kinds;        /* for a map: the kind of its keys, plus 16 times the kind of its
                                 values */
    const void *whole;        /* the version that replaces the start of the path, or NULL */
    const pqt_region *pixels; /* for a region: the pixels that differ; NULL: no pixel differs */
    pqt_change *items;        /* for a tree: the changed items, in scratch memory */
    pqt_map_change *entries;  /* for a map: the changed entries, in scratch memory; their byte
                                 strings are in `strings` */
    size_t count, capacity;   /* the number of items or entries, and the number for which there is
                                 room */
} pqti_part_changes;

/* A block of scratch memory with a byte string. */
typedef struct pqti_string_block {
    struct pqti_string_block *next;
    uint8_t bytes[];
} pqti_string_block;

/* The changes on a path. It must be on the stack, where the collector finds the versions in it. */
typedef struct pqti_changes {
    pqt_kind kind; /* the kind of the versions */
    pqt_memory *memory;
    pqti_part_changes parts[PQT_MAX_PARTS]; /* for a document: one for each part, in the order of
                                               its parts */
    pqti_string_block *strings;
    bool trees_only; /* true: skip parts of documents that are not trees, and refuse a tree that is
                        stored whole */
} pqti_changes;

/* Makes room for one more element of `size` bytes in the array of a part, and returns it. Returns
   NULL and sets `error` when out of memory. */
void *pqti_part_reserve(pqti_part_changes *part, void *array, size_t size, pqt_error *error);

/* Returns room for a byte string, which lives as long as the changes. Returns NULL and sets `error`
   when out of memory. */
uint8_t *pqti_changes_string(pqti_changes *changes, size_t size, pqt_error *error);

void pqti_changes_free(pqti_changes *changes);

#endif
