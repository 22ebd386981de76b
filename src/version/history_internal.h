/* SPDX-License-Identifier: MIT */
/*
 * history_internal.h: the records of a history and its internal functions.
 *
 *     pqt_history --> records: [ 0 | 1 | 2 | ... | count - 1 ]     one pinned block, by number
 *      (malloc)  \      each --> version, label, name               in the history's memory
 *                 \--> index: an arena of its own                   with the option `indexed`
 *
 * The index of a record in the array is its *slot*. Records refer to each other by slots. Dropping
 * records changes slots, but not numbers. The parent of a record has a lower slot, and the first
 * record, slot 0, is the root.
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
 * or disjoint, they depend on the depth alone, and any ancestor is reached in O(log n) jumps, on
 * every branch. Source: the skew-binary stack of Myers (1983), here with eight trees in place of
 * two.
 *
 * With an index, a record of rank 1 or more that has, or had, a child has a *summary*: the items
 * that changed in its run, which is the record and its ancestors below its jump. In a store it gets
 * one when a query needs it.
 *
 * Sources of this folder without a header of their own: history_index.c, history_kinds.c,
 * history_label.c, history_nav.c, history_query.c, history_records.c, history_size.c,
 * history_thin.c, history_trees.c.
 */
#ifndef PQTI_HISTORY_INTERNAL_H
#define PQTI_HISTORY_INTERNAL_H

#include <pqt/document.h>
#include <pqt/history.h>

#include "memory/memory_internal.h"

enum { PQTI_INDEX_BRANCHES = 8 };

#define PQTI_NO_SLOT UINT32_MAX

/* The items of one tree that changed in a run of records; in the arena of the index. */
typedef struct pqti_summary {
    const struct pqti_summary *next; /* the summary of the next tree of documents */
    const pqt_tree *items;           /* boxes before and after */
    size_t id_count;
    uint64_t ids[]; /* sorted, without duplicates */
} pqti_summary;

typedef struct pqti_record {
    const void *value; /* NULL: it is in the store and not loaded */
    const char *label; /* a leaf of the history's memory, or ""; equal labels may share it */
    const char *name;  /* a leaf of the history's memory, or NULL */
    const pqti_summary *summary; /* the summary of the first tree */
    uint64_t number;
    uint64_t key; /* the key of the push, for coalescing; 0: none */
    double time;
    size_t added;
    uint32_t parent, jump; /* the root's are itself */
    uint32_t depth, rank;
    uint32_t first, last;                        /* children in order of numbers */
    uint32_t previous, next;                     /* siblings */
    uint32_t redo;                               /* the child last used */
    uint32_t droppable_previous, droppable_next; /* the list of droppable records */
    bool is_droppable;                           /* is in that list */
    bool is_dropped;                             /* the current thinning drops it */
    bool redo_is_stored;                         /* its row in the store has a redo link */
    bool redo_changed;                           /* the row of the redo link has to be written */
    uint8_t encoding;   /* in a store: how the change is stored, a pqti_encoding */
    uint64_t path_cost; /* in a store: the cost of the changes from the first record to this one */
    uint64_t keyframe;  /* in a store: the number of the nearest keyframe from here upwards */
} pqti_record;

/* The records that a thinning drops: those with `is_dropped` from slot `from` on. */
typedef struct pqti_drops {
    uint32_t from;
    uint32_t (*parent)(const void *plan, uint32_t slot); /* the new parent of a kept record */
    size_t (*added)(const void *plan, uint32_t slot);    /* its bytes not shared with that parent */
    const void *plan;
} pqti_drops;

/*
 * The functions of a store for a history that is in it; see src/store. Those that return a value
 * return false or NULL with `error` set on failure, and then the store has not changed. The others
 * have no way to fail: the store keeps the failure and tries again.
 */
typedef struct pqti_backing {
    /* Returns the version of a record and keeps it in the record. */
    const void *(*load)(pqt_history *history, uint32_t slot, pqt_error *error);
    /* Saves a record that is about to be added or written again. `replaced` is the slot of the
       record that it replaces, which may have another number and is then deleted; PQTI_NO_SLOT:
       none. */
    bool (*save)(pqt_history *history, pqti_record *made, uint32_t replaced, pqt_error *error);
    bool (*drop)(pqt_history *history, const pqti_drops *drops, pqt_error *error);
    bool (*set_name)(pqt_history *history, uint32_t slot, const char *name, pqt_error *error);
    /* Visits the changes of one of the trees that an index covers, from the parent's version to the
       record's, as pqt_diff_visit does. It loads no version. Returns false if `visit` stopped it,
       and on failure, which sets `error`. */
    bool (*visit_changes)(const pqt_history *history, uint32_t slot, size_t tree,
                          pqt_visit_change_fn *visit, void *context, pqt_error *error);
    /* Writes the current and the saved record, deletes the records that were popped, and writes the
       redo links with `redo_changed` on the path from `slot` up to `top`. */
    void (*state_changed)(pqt_history *history, uint32_t slot, uint32_t top);
    /* Takes versions out of the records if they exceed the limit, except the current one. */
    void (*trim)(pqt_history *history);
    void (*detach)(pqt_history *history); /* the history is being destroyed */
} pqti_backing;

struct pqt_history {
    pqt_history *self; /* a copy on the stack names the history that it copies */
    pqt_history_kind kind;
    pqt_history_options options;
    pqt_memory *memory;
    pqti_record *records; /* pinned */
    uint32_t count, capacity;
    uint32_t current, saved;
    uint32_t first_droppable; /* list of the records that are not protected, in no order */
    uint64_t thinning_steps;  /* records that thinning has examined or moved: for tests */
    uint64_t next_number;
    size_t bytes;                            /* the sum of `added` of all records */
    bool coalescing_ended;                   /* the next push does not replace the current record */
    size_t group_depth;                      /* the number of open groups */
    uint32_t group_start;                    /* the current record when the outermost group began */
    pqt_memory *index;                       /* an arena; NULL: no index */
    bool has_summaries;                      /* in a store: there may be some */
    size_t tree_count;                       /* the number of trees that the index covers */
    uint8_t tree_places[PQT_MAX_PARTS];      /* in documents, the place of each tree */
    const pqt_tree *no_items[PQT_MAX_PARTS]; /* in the index: empty trees for the summaries */
    char group_label[PQT_MAX_LABEL + 1];
    const pqti_backing *backing; /* NULL: the history is in no store */
    void *store;                 /* a pqt_store */
};

/* Checks the argument of a public function. */
#define PQTI_ASSERT_HISTORY(history) PQT_ASSERT((history) != NULL, "the history is NULL")

/** history_records.c: records and their links */

/* Returns the version of a record, which a store may have to load. Returns NULL and sets `error` on
   failure. */
const void *pqti_history_load(const pqt_history *history, uint32_t slot, pqt_error *error);

/* Lets a store take versions out of the records. Call it where no function uses a version that it
   did not get from its caller. */
void pqti_history_trim(const pqt_history *history);

/* Puts a version into a record, or takes it out of it (NULL). */
void pqti_history_set_value(pqt_history *history, uint32_t slot, const void *value);

/* Writes the state of a history to its store, if it has one; see pqti_backing. */
void pqti_history_state_changed(pqt_history *history, uint32_t slot, uint32_t top);

/* Returns valid options of the library's own size. Returns NULL and sets `error` on failure. */
const pqt_history_options *pqti_history_read_options(const pqt_history_options *options,
                                                     pqt_history_options *converted,
                                                     pqt_error *error);

/* Makes a history without records. Returns NULL and sets `error` on failure. */
pqt_history *pqti_history_new(const pqt_history_kind *kind, const pqt_history_options *options,
                              pqt_memory *memory, pqt_error *error);
void pqti_history_free(pqt_history *history);

/* Frees the records and the index only. */
void pqti_history_release(pqt_history *history);

/* Reports the references of a new record (its value and texts) to the memory. Call after writing
   them, while the roots are locked. */
void pqti_history_record_added(const pqt_history *history, const pqti_record *record);

/* Reserves capacity for one more record. Returns false and sets `error` on failure. */
bool pqti_history_reserve(pqt_history *history, pqt_error *error);

/* Moves the records to a block of `capacity` >= count records. Returns false if there is no
 * memory. */
bool pqti_history_resize(pqt_history *history, uint32_t capacity);

/* Appends a record and sets all links but its parent, which is set. Returns its slot. */
uint32_t pqti_history_append(pqt_history *history, pqti_record record);

/* Removes the last record, which has no child and is not current. */
void pqti_history_pop(pqt_history *history);

/* Removes the last child of a record from the list of its children. */
void pqti_history_unchain_last(pqti_record *records, pqti_record *parent);

/* Returns true if thinning keeps a record even if it is not current: the first one, the saved one,
   a named one, and the one in which an open group began. */
bool pqti_history_is_protected(const pqt_history *history, uint32_t slot);

/* Adds a record to the list of droppable records, or removes it, after its protection changed. */
void pqti_history_update_droppable(pqt_history *history, uint32_t slot);

/* Removes a record from the list of droppable records, if it is there. */
void pqti_history_unlink_droppable(pqt_history *history, uint32_t slot);

/* Return the slot of the entry with this number; PQTI_NO_SLOT if there is none. The second then
 * sets PQT_ERROR_MISMATCH. */
uint32_t pqti_history_slot(const pqt_history *history, uint64_t number);
uint32_t pqti_history_must_slot(const pqt_history *history, uint64_t number, pqt_error *error);

/* Returns the ancestor of a slot at `depth`, which is at most the depth of the slot. */
uint32_t pqti_history_ancestor(const pqt_history *history, uint32_t slot, uint32_t depth);

/* Returns the lowest common ancestor of two slots. */
uint32_t pqti_history_common(const pqt_history *history, uint32_t a, uint32_t b);

/** history_label.c: labels and names */

/* Copies a label, cut at PQT_MAX_LABEL bytes and cleaned for display. NULL is an empty label. */
void pqti_history_clean(const char *label, char shown[PQT_MAX_LABEL + 1]);

/* Returns a cleaned label in the history's memory. Returns NULL and sets `error` on failure. */
const char *pqti_history_label(const pqt_history *history, const char *label, pqt_error *error);

/** history_size.c: sizes of versions */

/* Counts the bytes of a value that no other value shares. Returns false and sets `error` on
 * failure.
   */
bool pqti_history_exclusive_bytes(const pqt_history *history, const void *value,
                                  const void *const *others, size_t count, size_t *bytes,
                                  pqt_error *error);

/* Returns the bytes of the index. */
size_t pqti_history_index_bytes(const pqt_history *history);

/* Returns the bytes that max_bytes limits: versions and index, which in a store is not counted. */
size_t pqti_history_limited_bytes(const pqt_history *history);

/** history_kinds.c: the kinds that the library has */

/* Returns true if the values are of a kind that the library has. */
bool pqti_history_has_versions(const pqt_history *history);

/* Returns true if the versions are trees, or documents. */
bool pqti_history_has_trees(const pqt_history *history);
bool pqti_history_has_documents(const pqt_history *history);

/** history_trees.c: the trees of versions */

/* Finds the trees of the first version, for the index. Returns false and sets PQT_ERROR_OPTION if
   there is none. */
bool pqti_history_find_trees(pqt_history *history, const void *first, pqt_error *error);

/* Returns the tree of a version that the index covers as number `tree`. */
const pqt_tree *pqti_history_tree_of(const pqt_history *history, const void *value, size_t tree);

/* Finds the number of the tree with this name; NULL: of the only tree. Returns false and sets
   PQT_ERROR_OPTION if there is none. */
bool pqti_history_find_tree(const pqt_history *history, const char *part, size_t *tree,
                            pqt_error *error);

/* Returns the tree with this name in a version, which need not be covered by an index; as above. */
const pqt_tree *pqti_history_named_tree(const pqt_history *history, const void *value,
                                        const char *part, pqt_error *error);

/* Returns true if a version can follow the first one in an index. If not, sets
 * PQT_ERROR_MISMATCH. */
bool pqti_history_check_trees(const pqt_history *history, const void *value, pqt_error *error);

/** history_thin.c: dropping records */

/* Thins a history that exceeds a limit. A failure is ignored: the next push tries again. */
void pqti_history_enforce(pqt_history *history);

/*
 * Returns true if the current record is the last one, and a push of `added` bytes after it would
 * make thinning drop exactly that record. */
bool pqti_history_push_drops_current(const pqt_history *history, size_t added);

/** history_index.c: the change index */

/* Makes an index without summaries; `first` is the first version, which has a tree. Returns false
   and sets `error` on failure. */
bool pqti_index_make(pqt_history *history, const void *first, pqt_error *error);

/* Makes the summary of a record that gets a child, if its rank needs one and the history is in no
   store. Returns false and sets `error` on failure. */
bool pqti_index_seal(pqt_history *history, uint32_t slot, pqt_error *error);

/* Makes the summary of a record of a history in a store, if a query can use one. Returns false and
   sets `error` on failure. */
bool pqti_index_complete(const pqt_history *history, uint32_t slot, pqt_error *error);

/* Forgets all summaries, which queries of a history in a store make again. Keeps them if there is
   no memory for an empty index. */
void pqti_index_forget(pqt_history *history);

/* Returns the summary of a record for one of the trees. The record must have one. */
const pqti_summary *pqti_summary_of_tree(const pqti_record *record, size_t tree);

/* Returns true if the item with a given id changed in the run of a summary. */
bool pqti_summary_has(const pqti_summary *summary, uint64_t id);

#endif
