/* SPDX-License-Identifier: MIT */
/*
 * history_internal.h - how a history lies in memory.
 *
 *     pqt_history --> records: [ 0 | 1 | 2 | ... | count - 1 ]     one pinned block, by number
 *      (malloc)  \      each --> version, label, name               in the history's memory
 *                 \--> index: an arena of its own                   only where one is wanted
 *
 * A record's place in the array is its *slot*. Slots are what records name each other by; they
 * change when records are dropped, numbers do not. A record's parent has a lower slot than itself,
 * and the first record, slot 0, is the root.
 *
 * Each record knows its parent and a *jump*: a record further up. Seen from the root, the records
 * on a way fall into complete trees of eight ways, in preorder from the newest on:
 *
 *     rank 0:  x                       1 record       jump: its parent
 *     rank 1:  x, 8 trees of rank 0    9 records      jump: past all of them
 *     rank 2:  x, 8 trees of rank 1    73 records     jump: past all of them
 *
 * If the eight trees before a record are of equal rank, it joins them to one of the next rank; else
 * it is a tree by itself. So jumps cover stretches that are nested or apart, which depend on the
 * depth alone, and from any record any other above it is reached in O(log n) jumps. It is the
 * skew-binary stack of Myers (1983) with eight ways in place of two, and works on every branch
 * alike.
 *
 * Where there is an index, a record of rank 1 and more that others follow, or did until they were
 * taken back, has a *summary* of the items that changed in its stretch: from its own change up to,
 * without, its jump's.
 *
 * Sources of this folder without a header of their own: history_index.c, history_label.c,
 * history_nav.c, history_query.c, history_size.c, history_store.c, history_thin.c.
 */
#ifndef PQTI_HISTORY_INTERNAL_H
#define PQTI_HISTORY_INTERNAL_H

#include <pqt/history.h>

#include "memory/memory_internal.h"

enum { PQTI_INDEX_BRANCHES = 8 };

#define PQTI_NO_SLOT UINT32_MAX

/* The items that changed in a stretch; in the index's arena. */
typedef struct pqti_summary {
    const pqt_tree *items; /* boxes before and after */
    size_t id_count;
    uint64_t ids[]; /* in order, each once */
} pqti_summary;

typedef struct pqti_record {
    const void *value;
    const char *label; /* a leaf of the history's memory, or ""; may be the parent's own */
    const char *name;  /* the same, or NULL */
    const pqti_summary *summary;
    uint64_t number;
    uint64_t key; /* 0: never replaced for a key */
    double time;
    size_t added;
    uint32_t parent, jump; /* the root's are itself */
    uint32_t depth, rank;
    uint32_t first, last;                        /* children in order of numbers */
    uint32_t previous, next;                     /* siblings */
    uint32_t redo;                               /* the child last used */
    uint32_t droppable_previous, droppable_next; /* in the list of droppable records */
    bool is_droppable;                           /* in that list */
    bool is_dropped;                             /* by the thinning that is under way */
} pqti_record;

struct pqt_history {
    pqt_history_kind kind;
    pqt_history_options options;
    pqt_memory *memory;
    pqti_record *records; /* pinned */
    uint32_t count, capacity;
    uint32_t current, saved;
    uint32_t first_droppable; /* list of the records that are not protected, in no order */
    uint64_t thinning_steps;  /* records that thinning has examined or moved: for tests */
    uint64_t next_number;
    size_t bytes;             /* the sum of what records added */
    bool coalescing_ended;    /* the current record is not replaced for a key */
    size_t group_depth;       /* groups that are open */
    uint32_t group_start;     /* the record in which the outermost began */
    pqt_memory *index;        /* an arena; NULL: no index */
    const pqt_tree *no_items; /* in the index: what summaries are made from */
    char group_label[PQT_MAX_LABEL + 1];
};

/* What a public function was given; NULL is the caller's mistake. */
#define PQTI_ASSERT_HISTORY(history) PQT_ASSERT((history) != NULL, "the history is NULL")

/** history_store.c - records, and how they hang together */

/* A history without records; NULL with an error told. */
pqt_history *pqti_history_new(const pqt_history_kind *kind, const pqt_history_options *options,
                              pqt_memory *memory, pqt_error *error);
void pqti_history_free(pqt_history *history);

/* Lets go of records and index, and leaves the rest as it is. */
void pqti_history_release(pqt_history *history);

/* Makes room for one more record; false with an error told. */
bool pqti_history_reserve(pqt_history *history, pqt_error *error);

/* Moves the records to a block for so many, not fewer than there are; false: no memory. */
bool pqti_history_resize(pqt_history *history, uint32_t capacity);

/* Appends a record; its parent, or PQTI_NO_SLOT for the first, is set, the other links follow. */
uint32_t pqti_history_append(pqt_history *history, pqti_record record);

/* Takes the last record away, which nothing follows and which is not current. */
void pqti_history_pop(pqt_history *history);

/* Takes the last child of a record out of its chain of children. */
void pqti_history_unchain_last(pqti_record *records, pqti_record *parent);

/* Whether thinning keeps a record even if it is not current: the first one, the saved one, a named
   one, and the one in which an open group began. */
bool pqti_history_is_protected(const pqt_history *history, uint32_t slot);

/* Adds a record to the list of droppable records, or removes it, after its protection changed. */
void pqti_history_update_droppable(pqt_history *history, uint32_t slot);

/* Removes a record from the list of droppable records, if it is there. */
void pqti_history_unlink_droppable(pqt_history *history, uint32_t slot);

/* The slot of a number; PQTI_NO_SLOT if there is none. The second tells PQT_ERROR_MISMATCH. */
uint32_t pqti_history_slot(const pqt_history *history, uint64_t number);
uint32_t pqti_history_must_slot(const pqt_history *history, uint64_t number, pqt_error *error);

/* The record of a depth on the way from a slot to the root; `depth` is not beyond the slot's. */
uint32_t pqti_history_ancestor(const pqt_history *history, uint32_t slot, uint32_t depth);

/* Where two ways to the root meet. */
uint32_t pqti_history_common(const pqt_history *history, uint32_t a, uint32_t b);

/** history_label.c - labels and names */

/* As much of a label as there is room for, fit to be shown; NULL is an empty one. */
void pqti_history_clean(const char *label, char shown[PQT_MAX_LABEL + 1]);

/* The same in the history's memory; NULL with an error told. */
const char *pqti_history_label(const pqt_history *history, const char *label, pqt_error *error);

/** history_size.c */

/* What a value holds beside others; false with an error told. */
bool pqti_history_exclusive_bytes(const pqt_history *history, const void *value,
                                  const void *const *others, size_t count, size_t *bytes,
                                  pqt_error *error);

/* Bytes that the limit is for. */
size_t pqti_history_limited_bytes(const pqt_history *history);

/** history_thin.c */

/* Thins a history that is beyond a limit, if that is possible. */
void pqti_history_enforce(pqt_history *history);

/*
 * Whether a record of so many bytes, pushed after the current one, would make thinning drop that
 * one and nothing else, and the current one is the last.
 */
bool pqti_history_push_drops_current(const pqt_history *history, size_t added);

/** history_index.c */

/* Gives a history an index without summaries; false with an error told. `first` is its first
   value. */
bool pqti_index_make(pqt_history *history, const pqt_tree *first, pqt_error *error);

/* Makes the summary of a record that will be followed, if it is to have one; false with an error
   told. */
bool pqti_index_seal(pqt_history *history, uint32_t slot, pqt_error *error);

/* Whether a summary holds an id. */
bool pqti_summary_has(const pqti_summary *summary, uint64_t id);

#endif
