/* SPDX-License-Identifier: MIT */
/*
 * store_internal.h: a store, and the functions that its files share.
 *
 *     store.c           the public functions of an open store
 *     store_history.c   opens the history of a store, and saves one
 *     store_recording.c   the same for a recording
 *     store_entries.c   rows of entries: written, read and checked
 *     store_write.c     the functions that a history calls when it changes
 *     store_load.c      those that it calls when it needs a version
 *     store_query.c     visits changes for queries of past versions
 *     store_path.c      finds the changes along which a version is loaded
 *
 * The history has the entries in its records (version/history_internal.h); a version is in its
 * record if it is loaded. The cost of a path of changes is the sum of their bytes and of a constant
 * for each; the sums from the first record are in the records.
 *
 * Sources without a header of their own: store_entries.c, store_history.c, store_load.c,
 * store_path.c, store_query.c, store_recording.c, store_write.c.
 */
#ifndef PQTI_STORE_INTERNAL_H
#define PQTI_STORE_INTERNAL_H

#include <pqt/any_version.h>
#include <pqt/store.h>

#include "io/crc32c.h"
#include "change/byte_buffer.h"
#include "change/change.h"
#include "store/database.h"
#include "store/writer_lock.h"
#include "version/history_internal.h"

enum {
    PQTI_KEYFRAME_PART = 65536 /* maximum bytes of a row of a keyframe */
};

struct pqt_store {
    pqti_database database;
    pqti_writer_lock lock;
    pqt_store_options options;
    char *path; /* scratch */
    pqt_bytes_kind kind;
    pqt_history *history;     /* NULL: not open */
    pqt_recording *recording; /* NULL: not open */
    bool has_recording;       /* the store holds a recording, and no history */
    pqt_pin *loaded_key;      /* the world of the recording that was loaded last, of this step: */
    size_t loaded_step;
    pqt_error failure;       /* the last failure that was not reported */
    bool is_reading_names;   /* names are being read, not set */
    bool state_is_stale;     /* the last state of the history could not be written */
    uint64_t last_number;    /* the last number in the rows of entries */
    uint64_t keyframe_bytes; /* the size of the keyframe that was written or found last */
    uint32_t last_loaded;    /* the slot of the version that was loaded last */
    uint64_t *loaded;        /* the numbers of all entries whose versions are loaded, some of them
                                twice, and of others; scratch */
    size_t loaded_count, loaded_capacity;
    bool loaded_is_partial; /* numbers are missing */
    size_t trim_above;      /* loaded bytes at which versions are forgotten: at least twice the
                                current version, so that forgetting is rare */
    pqt_store_stats counts; /* loads, changes_read, keyframes_read, loaded_bytes */
    pqti_crc32c_tables checksums;
};

/* Keeps a failure for pqt_store_get_error. */
static inline void
pqti_store_keep_failure(pqt_store *store, const pqt_error *error)
{
    store->failure = *error;
}

/** store_entries.c */

/* Returns a checksum extended by some words. `sum` is the checksum of the words before them. */
uint32_t pqti_store_checksum(const pqt_store *store, uint32_t sum, const uint64_t *words,
                             size_t count);

/* Writes the row of an entry. `change` is NULL for an entry with a keyframe only. */
bool pqti_write_entry(pqt_store *store, const pqti_record *record, uint64_t parent,
                      const pqti_byte_buffer *change, pqt_fingerprint fingerprint,
                      pqt_error *error);

/* Writes a version whole. Sets store->keyframe_bytes. */
bool pqti_write_keyframe(pqt_store *store, uint64_t entry, const void *version, pqt_error *error);

bool pqti_write_name(pqt_store *store, uint64_t entry, const char *name, pqt_error *error);

/* Writes which entries are current and saved, and the next number. */
bool pqti_write_state(pqt_store *store, uint64_t current, uint64_t saved, uint64_t next,
                      pqt_error *error);

/* The row of the history. */
typedef struct pqti_store_state {
    bool is_there; /* false: the store is empty */
    pqt_bytes_kind kind;
    uint64_t current, saved, next;
} pqti_store_state;

bool pqti_read_state(pqt_store *store, pqti_store_state *state, pqt_error *error);

/* Reads all entries into the records of a new history. */
bool pqti_read_entries(pqt_store *store, pqt_history *history, const pqti_store_state *state,
                       pqt_error *error);

/* Reads the changes of an entry and its fingerprint. The bytes are valid until pqti_change_end,
   which must follow unless this fails. */
bool pqti_read_change(pqt_store *store, uint64_t entry, pqti_byte_source *change,
                      pqt_fingerprint *fingerprint, pqt_error *error);

void pqti_change_end(pqt_store *store);

/* Reads a version that is stored whole. */
const void *pqti_read_keyframe(pqt_store *store, uint64_t entry, pqt_memory *memory,
                               pqt_error *error);

/* Sets PQT_ERROR_FORMAT with the number of an entry. Returns false. */
bool pqti_entry_fault(uint64_t entry, const char *what, pqt_error *error);

/** store_path.c */

/* A path of changes from a version to the one to load. */
typedef struct pqti_load_path {
    uint32_t start, top; /* slots: where it begins, and its common ancestor with the other end */
    bool from_keyframe;  /* the version of `start` is a keyframe, not a loaded one */
    uint64_t cost;
} pqti_load_path;

/* Returns the cheapest path that it finds. */
pqti_load_path pqti_store_find_path(const pqt_history *history, uint32_t slot);

/* Returns the path from the nearest ancestor that is loaded or has a keyframe. */
pqti_load_path pqti_store_path_from_above(const pqt_history *history, uint32_t slot);

/** store_load.c */

const void *pqti_store_load(pqt_history *history, uint32_t slot, pqt_error *error);

/* Reads the change of a record, in one direction. */
bool pqti_store_read_change(const pqt_history *history, uint32_t slot, bool backwards,
                            pqti_changes *changes, pqt_error *error);

/* Records that the version of an entry is loaded, and its bytes. */
void pqti_store_count_loaded(pqt_store *store, uint64_t number, size_t bytes);
void pqti_store_trim(pqt_history *history);

/* Loads a version by its changes from its parent, and by its keyframe if it has one, and checks
   it. */
bool pqti_store_check_entry(pqt_history *history, uint32_t slot, pqt_error *error);

/** store_query.c */

/* Sets PQT_ERROR_MISMATCH for an entry that no index covers together with its parent. Returns
   false. */
bool pqti_store_not_covered(uint64_t number, pqt_error *error);

/* As the function of pqti_backing. */
bool pqti_store_visit_changes(const pqt_history *history, uint32_t slot, size_t tree,
                              pqt_visit_change_fn *visit, void *context, pqt_error *error);

/** store_recording.c */

/* Reads the row of the recording. */
bool pqti_read_recording(pqt_store *store, double *dt, size_t *every, pqt_step_options *options,
                         pqt_error *error);

/* Loads and checks each key of the recording, which is open. */
bool pqti_check_recording(pqt_store *store, pqt_error *error);

/** store_write.c */

extern const pqti_backing pqti_store_backing;

/* Writes the rows of an entry: its changes from the parent's version, and a keyframe if it needs
   one. Sets `path_cost`, `keyframe` and `encoding` of the record. `keyframe_cost` is the path cost
   of the parent's keyframe. For the first entry, `parent` and `before` are NULL. */
bool pqti_store_entry(pqt_store *store, pqti_record *record, const pqti_record *parent,
                      uint64_t keyframe_cost, const void *before, const void *version,
                      pqt_error *error);

#endif
