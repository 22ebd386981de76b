/* SPDX-License-Identifier: MIT */
/*
 * store_internal.h: a store, and the functions that its files share.
 *
 *     store.c           the public functions of an open store
 *     store_file.c      recognises the file of a store by its name
 *     store_history.c   opens the history of a store, and saves one
 *     store_recording.c saves a recording, and opens the recording of a store
 *     store_entries.c   writes, reads and checks the rows of entries
 *     store_write.c     the functions that a history calls when it changes
 *     store_load.c      the functions that a history calls when it needs a version
 *     store_query.c     visits changes for queries of past versions
 *     store_path.c      finds the changes along which a version is loaded
 *
 * Each entry is a record of the history (version/history_internal.h). A record contains its version
 * while the version is loaded. The cost of a path of changes is the sum of their bytes plus a
 * constant for each change. Each record stores the cost of the path from the first record to it.
 *
 * Sources without a header of their own: store_entries.c, store_file.c, store_history.c,
 * store_load.c, store_path.c, store_query.c, store_write.c.
 */
#ifndef PQTI_STORE_INTERNAL_H
#define PQTI_STORE_INTERNAL_H

#include <pqt/bytes.h>
#include <pqt/diff.h>
#include <pqt/store.h>

#include "io/crc32c.h"
#include "change/byte_buffer.h"
#include "change/change.h"
#include "store/database.h"
#include "store/writer_lock.h"
#include "version/history_internal.h"

enum {
    PQTI_KEYFRAME_ROW = 65536 /* maximum size of a row of a keyframe, in bytes */
};

/* The highest number that the next entry may have. The columns hold signed numbers of 64 bits, so
   an entry with a higher number would be sorted before all others. */
#define PQTI_STORE_MAX_NEXT ((uint64_t)INT64_MAX)

struct pqt_store {
    pqti_database database;
    pqti_writer_lock lock;
    pqt_store_options options;
    char *path;  /* in scratch memory */
    bool is_new; /* the file was created when it was opened, with the lock held */
    pqt_kind kind;
    pqt_history *history;            /* NULL: no history is open */
    struct pqt_recording *recording; /* NULL: no recording is open */
    bool has_recording;              /* the store holds a recording instead of a history */
    pqt_pin *loaded_key; /* the world of the recording that was loaded last, and its step: */
    size_t loaded_step;
    pqt_error failure;       /* the last failure that was not reported to the caller */
    bool is_reading_names;   /* names are being read from the rows, so they need not be written */
    bool state_is_stale;     /* the last state of the history could not be written to the file */
    uint64_t names;          /* the number of names in the file */
    uint64_t last_number;    /* the largest number of an entry in the file */
    uint64_t keyframe_bytes; /* the size of the keyframe that was written or found last, in bytes */
    uint32_t last_loaded;    /* the slot of the record whose version was loaded last */
    uint64_t *loaded;        /* in scratch memory: the numbers of all entries whose versions are
                                loaded; may contain duplicates, and numbers of other entries */
    size_t loaded_count, loaded_capacity;
    bool loaded_is_partial; /* some numbers are missing in `loaded` */
    size_t trim_above;      /* when more bytes than these are loaded, versions are forgotten; at
                               least twice the size of the current version, so that this is rare */
    pqt_store_stats counts; /* loads, changes_read, keyframes_read and loaded_bytes */
    pqti_crc32c_tables checksums;
};

/* Keeps a failure for pqt_store_get_error to report. */
static inline void
pqti_store_keep_failure(pqt_store *store, const pqt_error *error)
{
    store->failure = *error;
}

/* Returns the store of a history that a store opened. */
static inline pqt_store *
pqti_store_of(const pqt_history *history)
{
    return history->store;
}

/** store_entries.c */

/* Begins a transaction that writes. Returns false and sets `error` on failure: PQT_ERROR_CONFLICT
   if another process may have locked the store since it was opened. */
bool pqti_store_begin(pqt_store *store, pqt_error *error);

/* Extends a checksum by some words and returns it. `sum` is the checksum of the words before
   them. */
uint32_t pqti_store_checksum(const pqt_store *store, uint32_t sum, const uint64_t *words,
                             size_t count);

/* Writes the row of an entry. `change` is NULL if the entry has only a keyframe. */
bool pqti_write_entry(pqt_store *store, const pqti_record *record, uint64_t parent,
                      const pqti_byte_buffer *change, pqt_fingerprint fingerprint,
                      pqt_error *error);

/* Writes a whole version as a keyframe. Sets store->keyframe_bytes. */
bool pqti_write_keyframe(pqt_store *store, uint64_t entry, const void *version, pqt_error *error);

bool pqti_write_name(pqt_store *store, uint64_t entry, const char *name, pqt_error *error);

/*
 * The contents of the row of the history. The counts tie the other rows to it: a row that is
 * deleted, or hidden by a damaged page, is missing when the rows are counted. In a store with a
 * recording, `current` is the last step, and `entries` the number of steps.
 */
typedef struct pqti_store_state {
    bool is_there;   /* false if the store is empty */
    bool has_counts; /* false if the file is of an earlier version */
    pqt_kind kind;
    uint64_t current, saved, next; /* numbers of entries */
    uint64_t entries, names;       /* counts */
} pqti_store_state;

/* Writes the row of the history: all but `is_there`, `has_counts` and `kind`, which is that of the
   store. */
bool pqti_write_state(pqt_store *store, const pqti_store_state *state, pqt_error *error);

/* Returns true if a count of rows is the one that was saved. Otherwise sets PQT_ERROR_FORMAT.
   `what` is a noun in the plural. */
bool pqti_check_count(const char *what, uint64_t count, uint64_t saved, pqt_error *error);

/* Compares the counts in the row of the history with the rows. */
bool pqti_check_counts(pqt_store *store, pqt_error *error);

/* Gives a store of an earlier version the counts of its rows. */
bool pqti_store_add_counts(pqt_store *store, pqt_error *error);

bool pqti_read_state(pqt_store *store, pqti_store_state *state, pqt_error *error);

/* Reads all entries into the records of a new history. */
bool pqti_read_entries(pqt_store *store, pqt_history *history, const pqti_store_state *state,
                       pqt_error *error);

/* Reads the changes of an entry and its fingerprint. On success, the bytes are valid until the
   caller calls pqti_change_end, which it must do. */
bool pqti_read_change(pqt_store *store, uint64_t entry, pqti_byte_source *change,
                      pqt_fingerprint *fingerprint, pqt_error *error);

void pqti_change_end(pqt_store *store);

/* Loads a keyframe, of an entry or of a step: `noun` says which in the text of an error. */
const void *pqti_read_keyframe(pqt_store *store, const char *noun, uint64_t entry,
                               pqt_memory *memory, pqt_error *error);

/* Sets PQT_ERROR_FORMAT with the number of the faulty entry. Returns false. */
bool pqti_entry_fault(uint64_t entry, const char *what, pqt_error *error);

/** store_path.c */

/* A path of changes that leads to the version to load. */
typedef struct pqti_load_path {
    uint32_t start, top; /* slots: the start of the path, and the common ancestor of both its
                            ends */
    bool from_keyframe;  /* true if the path starts from the keyframe of `start`, false if from its
                            loaded version */
    uint64_t cost;
} pqti_load_path;

/* Returns the cheapest path that the search finds. */
pqti_load_path pqti_store_find_path(const pqt_history *history, uint32_t slot);

/* Returns the path from the nearest ancestor whose version is loaded or is a keyframe. */
pqti_load_path pqti_store_path_from_above(const pqt_history *history, uint32_t slot);

/** store_load.c */

const void *pqti_store_load(pqt_history *history, uint32_t slot, pqt_error *error);

/* Reads the changes of a record in the given direction. */
bool pqti_store_read_change(const pqt_history *history, uint32_t slot, bool backwards,
                            pqti_changes *changes, pqt_error *error);

/* Records that the version of an entry is loaded, and adds its bytes to the count. */
void pqti_store_count_loaded(pqt_store *store, uint64_t number, size_t bytes);
void pqti_store_trim(pqt_history *history);

/* Loads a version by applying its changes to its parent's version, and also from its keyframe if it
   has one, and checks each result. */
bool pqti_store_check_entry(pqt_history *history, uint32_t slot, pqt_error *error);

/** store_query.c */

/* Sets PQT_ERROR_MISMATCH for an entry that no index can cover together with its parent. Returns
   false. */
bool pqti_store_not_covered(uint64_t number, pqt_error *error);

/* Implements `visit_changes` of pqti_backing. */
bool pqti_store_visit_changes(const pqt_history *history, uint32_t slot, size_t tree,
                              pqt_visit_change_fn *visit, void *context, pqt_error *error);

/* Reads the first row of a statement whose columns are all numbers. */
bool pqti_read_numbers(pqt_store *store, const char *sql, uint64_t *numbers, int count,
                       pqt_error *error);

/** store_write.c */

extern const pqti_backing pqti_store_backing;

/* Writes the rows of an entry: the changes from its parent's version, and a keyframe if the entry
   needs one. Sets `path_cost`, `keyframe` and `encoding` of the record. `keyframe_cost` is the path
   cost of the parent's nearest keyframe. For the first entry, `parent` and `before` are NULL. */
bool pqti_store_entry(pqt_store *store, pqti_record *record, const pqti_record *parent,
                      uint64_t keyframe_cost, const void *before, const void *version,
                      pqt_error *error);

#endif
