/* SPDX-License-Identifier: MIT */
/*
 * kind_calls.h: the functions that code for versions of any kind calls, as one row for each kind.
 *
 * The folder of a kind defines its row, in the file KIND_kind.c, and declares it in the header with
 * the struct of a version. The layout of the versions refers to the row, and kind.c only weakly, so
 * a program that links the library statically has the rows of those kinds whose versions it makes,
 * and no others. The functions that a row leaves out, which write bytes or changes, are in rows of
 * the folders io and change: a program without files does not have them.
 *
 * To add a kind, add its number to pqt_kind (include/pqt/kind.h), its rows, and a line to the table
 * (kind_table.h).
 */
#ifndef PQTI_KIND_CALLS_H
#define PQTI_KIND_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/fingerprint.h>
#include <pqt/kind.h>
#include <pqt/memory.h>

#include "memory/memory_internal.h"

/* The maximum number of versions that `list_inner` returns. */
enum { PQTI_MOST_INNER = 2 };

/* One difference between two versions: an item of a tree, or a key of a map and its values. The
   other members are NULL. */
typedef struct pqti_difference {
    const struct pqt_change *item;
    const struct pqt_map_key *key;
    const struct pqt_map_value *value, *to_value;
} pqti_difference;

typedef bool pqti_visit_difference_fn(const pqti_difference *difference, void *context);

struct pqt_pixel_box;

/* The side from which the pixels of a box are taken that both sides changed differently. */
typedef enum pqti_pixel_side {
    PQTI_PIXELS_UNDECIDED,
    PQTI_PIXELS_OURS,
    PQTI_PIXELS_THEIRS,
    PQTI_PIXELS_BASE
} pqti_pixel_side;

typedef pqti_pixel_side pqti_resolve_pixels_fn(const struct pqt_pixel_box *box, void *context);

/* The functions for versions of one kind. None receives NULL, or a version of another kind. */
typedef struct pqti_kind_calls {
    bool needs_mode; /* true if the functions refuse another floating-point mode than the default */
    /* The functions that a history calls. The context is NULL. If `bytes` fails,
       pqti_bytes_failed says why. */
    pqt_history_kind values;
    pqt_fingerprint (*fingerprint)(const void *version);
    bool (*check)(const void *version, pqt_error *error);
    uint64_t (*count)(const void *version);
    /* Copies versions to a memory, which may be NULL. `copies` is written only on success. */
    bool (*copy_all)(const void *const *versions, size_t count, pqt_memory *memory,
                     const void **copies, pqt_error *error);
    /* Visits the differences, such as items or entries. Returns false if `visit` stopped it, or if
       the versions cannot be compared; then it sets `error`. NULL: differences are only counted. */
    bool (*visit_diff)(const void *before, const void *after, pqti_visit_difference_fn *visit,
                       void *context, pqt_error *error);
    /* For a kind without `visit_diff`: adds the number of differences to `*count`. Returns false
       and sets `error` if the versions cannot be compared. */
    bool (*count_diff)(const void *before, const void *after, uint64_t *count, pqt_error *error);
    /* Makes the version with the changes of both sides. NULL: the versions cannot be merged. */
    const void *(*merge)(const void *base, const void *ours, const void *theirs, pqt_error *error);
    /* Does the same pixel by pixel, and asks for each box of pixels in conflict; fails if one is
       undecided. NULL: the kind has no pixels. */
    const void *(*merge_pixels)(const void *base, const void *ours, const void *theirs,
                                pqti_resolve_pixels_fn *resolve, void *context, pqt_error *error);
    /* How a version contains trees (tree/history/inner_trees.h), and the functions of an index of
       their changes, which a history has with the option `indexed` (version/history_internal.h).
       NULL: it contains none. */
    const struct pqti_inner_trees *trees;
    const struct pqti_index_calls *index;
    /* Lists the versions of other kinds that a version consists of, and that others may share.
       Returns their number. NULL: there are none. */
    size_t (*list_inner)(const void *version, const void *inner[PQTI_MOST_INNER]);
    /* Counts like `bytes`, but without the blocks of the inner versions. It has the same value as
       `values.bytes` if there are none. */
    bool (*own_bytes)(const void *version, const void *const *others, size_t count, size_t *bytes,
                      void *context);
} pqti_kind_calls;

extern const pqti_kind_calls pqti_absent_calls;

/* Returns true if there is a kind with this number, which may be a stored one. */
bool pqti_is_kind(uint64_t number);

/* Returns the row of a kind of which there are versions. */
const pqti_kind_calls *pqti_calls_of_kind(pqt_kind kind);

/* Returns the row for the kind of a version. */
static inline const pqti_kind_calls *
pqti_calls_of(const void *version)
{
    return pqti_calls_of_kind(pqti_version_kind(version));
}

static inline pqt_memory *
pqti_memory_of(const void *version)
{
    return pqti_calls_of(version)->values.memory(version, NULL);
}

/* Returns whether two versions of one kind are equal. */
static inline bool
pqti_equals(const void *a, const void *b)
{
    return a == b || pqti_calls_of(a)->values.equals(a, b, NULL);
}

/* Adds the number of differences between two versions of one kind to `*count`. Returns false and
   sets `error` if they cannot be compared. */
bool pqti_count_diff(const void *before, const void *after, uint64_t *count, pqt_error *error);

/* Returns true if a call that received a version of any kind may continue: it is not NULL, and the
   thread has the floating-point mode that the kind needs; otherwise that error is set. If the
   version is NULL without an earlier failure, the caller of `function` has made a mistake. */
bool pqti_check_version_in(const char *function, const void *version, pqt_error *error);
#define pqti_check_version(version, error) pqti_check_version_in(__func__, version, error)

/* Returns the kind of the versions in a history of this kind, or PQT_KIND_NONE if its values are of
   a kind that a user of the library has defined. A copy of the library's struct with another name
   or context is still a kind of versions. */
pqt_kind pqti_kind_of_values(const pqt_history_kind *kind);

/* Sets the error with which `bytes` or `own_bytes` of a row failed: out of memory, or another
   floating-point mode. Returns false. */
bool pqti_bytes_failed(pqt_error *error);

/* Returns true if the thread has the floating-point mode that a version needs. Otherwise sets
   `error`. */
bool pqti_has_mode_for(const void *version, pqt_error *error);

/* Calls `hold` for a value that is itself a version; for `trace`. */
void pqti_hold_version(const void *version, pqt_hold_fn *hold, void *holder, void *context);

#endif
