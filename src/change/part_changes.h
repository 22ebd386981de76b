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

/* The changes of one part. A version that is not a document counts as one part. Each kind uses
   those members that its changes need. */
typedef struct pqti_part_changes {
    pqt_kind kind;       /* PQT_KIND_NONE: the part does not exist */
    bool has_changed;    /* for a document: whether the part has changed */
    uint8_t form;        /* the form of the changes, such as the kinds of a map's keys and values;
                               0: there are no changes yet */
    const void *whole;   /* the version that replaces the start of the path, or NULL */
    const void *version; /* a version that holds the changes, such as the pixels that differ */
    void *array;         /* an array of changes, such as items or entries, in scratch memory */
    size_t count, capacity; /* the number of its elements, and the number for which there is room */
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
    pqt_kind only; /* skip parts of documents that are of another kind, and refuse a part of this
                      kind that is stored whole; PQT_KIND_NONE: read all parts */
} pqti_changes;

/* Makes room for one more element of `size` bytes in the array of a part, and returns the array.
   Returns NULL and sets `error` when out of memory. */
void *pqti_part_reserve(pqti_part_changes *part, size_t size, pqt_error *error);

/* Forgets the changes of a part that were read so far, because a whole version follows. */
void pqti_part_replace(pqti_part_changes *part, const void *whole);

/* Returns room for a byte string, which lives as long as the changes. Returns NULL and sets `error`
   when out of memory. */
uint8_t *pqti_changes_string(pqti_changes *changes, size_t size, pqt_error *error);

void pqti_changes_free(pqti_changes *changes);

#endif
