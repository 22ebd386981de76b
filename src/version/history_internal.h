/* SPDX-License-Identifier: MIT */
/*
 * history_internal.h: the records of a history and its internal functions.
 *
 *     pqt_history --> records: [ 0 | 1 | 2 | ... | count - 1 ]     one pinned block, by number
 *      (malloc)  \      each --> version, label, name               in the history's memory
 *                 \--> index                                       with the option `indexed`
 *
 * The index of a record in the array is its *slot*. Records refer to each other by slots. Dropping
 * records changes slots, but not numbers. The parent of a record has a lower slot than the record.
 * The first record has slot 0 and is the root.
 *
 * Each record refers to its parent and to a *jump*, an ancestor further up. The records on a path
 * to the root form complete eight-way trees, in preorder from the newest record:
 *
 *     rank 0:  x                       1 record       jump: its parent
 *     rank 1:  x, 8 trees of rank 0    9 records      jump: past all of them
 *     rank 2:  x, 8 trees of rank 1    73 records     jump: past all of them
 *
 * If the eight trees before a record have equal ranks, the record joins them to a tree of the next
 * rank. Otherwise it is a tree of its own. So the runs of records that two jumps cover are nested
 * or disjoint. They depend on the depth alone, and any ancestor is reached in O(log n) jumps on
 * every branch. Source: the skew-binary stack of Myers (1983), here with eight trees in place of
 * two.
 *
 * With an index, a record of rank 1 or more that has, or had, a child has a *summary* of what
 * changed in its run, which consists of the record and its ancestors below its jump. If the history
 * is in a store, the summary is made only when a query needs it.
 *
 * Sources of this folder without a header of their own: history_label.c, history_nav.c,
 * history_records.c, history_size.c, history_thin.c.
 */
#ifndef PQTI_HISTORY_INTERNAL_H
#define PQTI_HISTORY_INTERNAL_H

#include <pqt/history.h>

#include "memory/kind_calls.h"
#include "memory/memory_internal.h"

enum { PQTI_INDEX_BRANCHES = 8 };

#define PQTI_NO_SLOT UINT32_MAX

typedef struct pqti_record {
    const void *value; /* NULL: the version is in the store and not loaded */
    const char *label; /* a leaf in the history's memory, or ""; records with equal labels may share
                          it */
    const char *name;  /* a leaf in the history's memory, or NULL */
    const struct pqti_summary *summary; /* in the index, or NULL */
    uint64_t number;
    uint64_t key; /* the coalescing key of the push; 0: it had none */
    double time;
    size_t added;
    uint32_t parent, jump; /* the root refers to itself in both */
    uint32_t depth, rank;
    uint32_t first, last;                        /* the oldest and the newest child */
    uint32_t previous, next;                     /* neighbours among the children of the parent */
    uint32_t redo;                               /* the child to which redo leads */
    uint32_t droppable_previous, droppable_next; /* links of the list of droppable records */
    bool is_droppable;                           /* whether the record is in that list */
    bool is_dropped;                             /* whether the current thinning drops the record */
    bool redo_is_stored;                         /* the row in the store has a redo link */
    bool redo_changed;                           /* the redo link in that row must be written */
    uint8_t encoding;                            /* in a store: the pqti_encoding of the changes */
    uint64_t path_cost; /* in a store: the cost of the changes from the first record to this one */
    uint64_t keyframe;  /* in a store: the number of the nearest entry with a keyframe, from this
                           one towards the root */
} pqti_record;

/* The records that a thinning drops: those with `is_dropped`, the first of which is at slot `from`
   or later. */
typedef struct pqti_drops {
    uint32_t from;
    uint32_t (*parent)(const void *plan, uint32_t slot); /* returns the new parent of a kept
                                                            record */
    size_t (*added)(const void *plan, uint32_t slot);    /* returns the bytes of a kept record that
                                                            it does not share with its new parent */
    const void *plan;
} pqti_drops;

/* An index of the changes of a history, which the option `indexed` asks for. The row of a kind of
   versions has the functions (kind_calls.h); those for trees are in src/tree/history. */
typedef struct pqti_index {
    const struct pqti_index_calls *calls;
} pqti_index;

/* The functions of an index. Those that return a bool return false on failure, and set `error`. */
typedef struct pqti_index_calls {
    /* Makes an index without summaries. Returns NULL and sets `error` on failure. */
    pqti_index *(*make)(const pqt_history *history, const void *first, pqt_error *error);
    void (*destroy)(pqti_index *index);
    size_t (*bytes)(const pqti_index *index);
    /* Returns true if the index can cover a version together with the current one, which is loaded.
       Otherwise sets PQT_ERROR_MISMATCH. */
    bool (*covers)(const pqt_history *history, const void *value, pqt_error *error);
    /* Makes the summary of a record that is about to get a child, if its rank needs one and the
       history is not in a store. */
    bool (*seal)(pqt_history *history, uint32_t slot, pqt_error *error);
} pqti_index_calls;

/*
 * The functions of a store for the history that it contains; see src/store. The functions that
 * return a value return false or NULL and set `error` on failure, and then the store has not
 * changed. The others cannot report a failure: the store remembers it and tries again.
 */
typedef struct pqti_backing {
    /* Loads the version of a record, keeps it in the record, and returns it. */
    const void *(*load)(pqt_history *history, uint32_t slot, pqt_error *error);
    /* Saves a record that is about to be added or written again. `replaced` is the slot of the
       record that it replaces, or PQTI_NO_SLOT. The replaced record is deleted if it has another
       number. */
    bool (*save)(pqt_history *history, pqti_record *made, uint32_t replaced, pqt_error *error);
    bool (*drop)(pqt_history *history, const pqti_drops *drops, pqt_error *error);
    bool (*set_name)(pqt_history *history, uint32_t slot, const char *name, pqt_error *error);
    /* Visits the changes of one of the trees that an index covers, from the parent's version to the
       record's version, as pqt_tree_visit_diff does. Loads no version. Returns false if `visit`
       stopped the visit, or on failure, when it also sets `error`. */
    bool (*visit_changes)(const pqt_history *history, uint32_t slot, size_t tree,
                          bool (*visit)(const struct pqt_change *change, void *context),
                          void *context, pqt_error *error);
    /* Writes which records are current and saved, deletes the rows of popped records, and writes
       the redo links with `redo_changed` on the path from `slot` up to `top`. */
    void (*state_changed)(pqt_history *history, uint32_t slot, uint32_t top);
    /* If the loaded versions exceed the limit, takes all of them except the current one out of
       their records. */
    void (*trim)(pqt_history *history);
    void (*detach)(pqt_history *history); /* called when the history is destroyed */
} pqti_backing;

struct pqt_history {
    pqt_history *self; /* the history itself, also in a copy on the stack */
    pqt_history_kind kind;
    pqt_kind versions; /* the kind of its versions; PQT_KIND_NONE: values of a user's own kind */
    pqt_history_options options;
    pqt_memory *memory;
    pqti_record *records; /* an array in a pinned block */
    uint32_t count, capacity;
    uint32_t current, saved;
    uint32_t first_droppable; /* the head of the list of the records that are not protected; the
                                 list is not sorted */
    uint64_t thinning_steps;  /* the number of records that thinning has examined or moved, for
                                 tests */
    uint64_t next_number;
    size_t bytes;          /* the sum of `added` over all records */
    bool coalescing_ended; /* true if the next push must not replace the current record */
    size_t group_depth;    /* the number of open groups */
    uint32_t group_start;  /* the current record at the beginning of the outermost group */
    pqti_index *index;     /* NULL: the history has none */
    bool has_summaries;    /* in a store: there may be summaries */
    char group_label[PQT_MAX_LABEL + 1];
    const pqti_backing *backing; /* NULL: the history is not in a store */
    void *store;                 /* the pqt_store that contains the history */
};

/* Checks the argument of a public function. */
#define PQTI_ASSERT_HISTORY(history) PQT_ASSERT((history) != NULL, "the history is NULL")

/** history_records.c: records and their links */

/* Returns the version of a record after loading it from the store if needed. Returns NULL and sets
   `error` on failure. */
const void *pqti_history_load(const pqt_history *history, uint32_t slot, pqt_error *error);

/* Lets the store take versions out of the records. Call this where no function uses a version that
   it did not get from its caller. */
void pqti_history_trim(const pqt_history *history);

/* Puts a version into a record. NULL takes the version out. */
void pqti_history_set_value(pqt_history *history, uint32_t slot, const void *value);

/* Writes the state of a history to its store, if it is in one; see pqti_backing. */
void pqti_history_state_changed(pqt_history *history, uint32_t slot, uint32_t top);

/* Returns a valid copy of the options, with the size that this library uses. Returns NULL and sets
   `error` on failure. */
const pqt_history_options *pqti_history_read_options(const pqt_history_options *options,
                                                     pqt_history_options *converted,
                                                     pqt_error *error);

/* Makes a history without records. Returns NULL and sets `error` on failure. */
pqt_history *pqti_history_new(const pqt_history_kind *kind, const pqt_history_options *options,
                              pqt_memory *memory, pqt_error *error);
void pqti_history_free(pqt_history *history);

/* Makes the index of a history. `first` is its first version. Returns false and sets `error` if its
   versions can have no index, or on failure. */
bool pqti_history_make_index(pqt_history *history, const void *first, pqt_error *error);

/* Sets the error of a history whose versions can have no index. Returns false. */
bool pqti_history_cannot_be_indexed(pqt_error *error);

/* Makes the summary of a record that is about to get a child, if the history has an index that
   needs it. Returns false and sets `error` on failure. */
static inline bool
pqti_history_seal(pqt_history *history, uint32_t slot, pqt_error *error)
{
    return history->index == NULL || history->index->calls->seal(history, slot, error);
}

/* Frees the records and the index, but not the history itself. */
void pqti_history_release(pqt_history *history);

/* Reports the references in a new record (its value and strings) to the memory. Call this after
   writing them, while the roots are locked: since they were made, another thread may have begun a
   cycle and scanned the record, and the scope of the call keeps them only until its end. */
void pqti_history_record_added(const pqt_history *history, const pqti_record *record);

/* Reports the roots of a record, likewise, before they are overwritten. */
void pqti_history_record_removed(const pqt_history *history, const pqti_record *record);

/* Reserves capacity for one more record. Returns false and sets `error` on failure. */
bool pqti_history_reserve(pqt_history *history, pqt_error *error);

/* Moves the records to a block that has room for `capacity` records, which must be at least the
   current number. Returns false when out of memory. */
bool pqti_history_resize(pqt_history *history, uint32_t capacity);

/* Appends a record whose parent is set, and sets all its other links. Returns its slot. */
uint32_t pqti_history_append(pqt_history *history, const pqti_record *record);

/* Removes the last record. It must have no child and must not be current. */
void pqti_history_pop(pqt_history *history);

/* Removes the last child of a record from the list of its children. */
void pqti_history_unchain_last(pqti_record *records, pqti_record *parent);

/* Returns true if thinning keeps a record even if it is not current: the first one, the saved one,
   a named one, and the one in which an open group began. */
bool pqti_history_is_protected(const pqt_history *history, uint32_t slot);

/* Adds a record to the list of droppable records, or removes it from the list, after its protection
   changed. */
void pqti_history_update_droppable(pqt_history *history, uint32_t slot);

/* Removes a record from the list of droppable records, if it is there. */
void pqti_history_unlink_droppable(pqt_history *history, uint32_t slot);

/* Returns the slot of the entry with this number, or PQTI_NO_SLOT if there is none. In that case,
   the second function also sets PQT_ERROR_MISMATCH. */
uint32_t pqti_history_slot(const pqt_history *history, uint64_t number);
uint32_t pqti_history_require_slot(const pqt_history *history, uint64_t number, pqt_error *error);

/* Returns the ancestor of a slot at `depth`, which is at most the depth of the slot. */
uint32_t pqti_history_ancestor(const pqt_history *history, uint32_t slot, uint32_t depth);

/* Returns the lowest common ancestor of two slots. */
uint32_t pqti_history_common(const pqt_history *history, uint32_t a, uint32_t b);

/** history_label.c: labels and names */

/* Copies a label, truncated to PQT_MAX_LABEL bytes and cleaned for display. NULL counts as an empty
   label. */
void pqti_history_clean(const char *label, char shown[PQT_MAX_LABEL + 1]);

/* Copies a text into the history's memory. Returns NULL and sets `error` on failure. */
const char *pqti_history_text(const pqt_history *history, const char *text, pqt_error *error);

/* Copies a label into the history's memory and cleans it. Returns NULL and sets `error` on
   failure. */
const char *pqti_history_label(const pqt_history *history, const char *label, pqt_error *error);

/** history_size.c: sizes of versions */

/* Counts the bytes that a value does not share with other values. Returns false and sets `error` on
   failure. */
bool pqti_history_exclusive_bytes(const pqt_history *history, const void *value,
                                  const void *const *others, size_t count, size_t *bytes,
                                  pqt_error *error);

/* Returns the size of the index in bytes. */
size_t pqti_history_index_bytes(const pqt_history *history);

/* Returns the number of bytes that max_bytes limits: versions and the index. In a store, the index
   is not counted. */
size_t pqti_history_limited_bytes(const pqt_history *history);

/** history_thin.c: dropping records */

/* Thins a history that exceeds a limit. Ignores a failure, since the next push tries again. */
void pqti_history_enforce(pqt_history *history);

/*
 * Returns true if the current record is the last one, and if thinning after a push of `added`
 * bytes would drop exactly that record. */
bool pqti_history_push_drops_current(const pqt_history *history, size_t added);

#endif
