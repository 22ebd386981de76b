/* SPDX-License-Identifier: MIT */
/*
 * shim.h: the functions that the Python package calls.
 *
 * Each function that makes a version pins it in the same call, so that no thread can reclaim it in
 * between. All versions live in one heap. Arguments for which a C function would stop the program
 * only make a call fail here. A function that fails returns NULL, false, PQTPY_REFUSED or -1, and
 * sets `error`, which is never NULL and was made for this call, by new_error.
 */
#ifndef PQTPY_SHIM_H
#define PQTPY_SHIM_H

#include <stddef.h>
#include <stdint.h>

#include <pqt/all.h>

#include "flat.h"

/* The result of a search whose window is refused. */
#define PQTPY_REFUSED SIZE_MAX

/* A growing block of bytes from malloc. Python code copies it and calls pqtpy_free. */
typedef struct pqtpy_bytes {
    char *data;
    size_t size;
    size_t capacity;
} pqtpy_bytes;

/* A history, and the store that it is in; see shim_history.c. */
typedef struct pqtpy_history pqtpy_history;

/* A store, which its object and the object of its history share; see shim_store.c. */
typedef struct pqtpy_store pqtpy_store;
typedef struct pqtpy_recording pqtpy_recording;

/* Drafts of a tree and of a map. */
typedef pqt_draft pqtpy_draft;
typedef pqt_map_draft pqtpy_map_draft;

/* Pins by kind. They are one type for C, but six for cffi, which refuses a pin of the wrong
   kind. */
typedef pqt_pin pqtpy_tree;
typedef pqt_pin pqtpy_region;
typedef pqt_pin pqtpy_map;
typedef pqt_pin pqtpy_world;
typedef pqt_pin pqtpy_document;
typedef pqt_pin pqtpy_image;

#include "shim_calls.h"

/* ---- Functions that the files of the shim share ---- */

/* The heap of all versions; NULL before the first scope. */
extern pqt_memory *heap;

/* Records a failure, unless one is recorded already. */
static inline void
fail(pqt_error *error, pqt_status status, size_t index, const char *text)
{
    flat_fail(error, status, index, text);
}

/* Begins a scope of the heap of all versions, which the first call makes; NULL on failure. */
pqt_memory *begin_scope(pqt_error *error);

/* Returns whether there is a heap; makes it if there is none. */
bool has_heap(pqt_error *error);

/* Returns whether a pin has a version, which it has unless its class is abstract. */
bool has_version(const void *pin, pqt_error *error);

/* Returns the tree of a pin, or the view of a draft whose handle pqtpy_draft_view returned, for a
   function that reads. */
const pqt_tree *tree_to_read(const pqt_pin *pin);

/* Does the same for maps. */
const pqt_map *map_to_read(const pqt_pin *pin);

/* Returns a box of four numbers. */
pqt_box box_of(const double *numbers);

/* Returns a change. */
static inline pqt_change
change_of(int kind, double min_x, double min_y, double max_x, double max_y, uint64_t id,
          double to_min_x, double to_min_y, double to_max_x, double to_max_y)
{
    return (pqt_change){(pqt_change_kind)kind,
                        {{{min_x, min_y}, {max_x, max_y}}, id},
                        {{to_min_x, to_min_y}, {to_max_x, to_max_y}}};
}

/* Makes room for `more` further bytes. */
bool reserve(pqtpy_bytes *bytes, size_t more, pqt_error *error);

/* Appends bytes; returns false if memory is exhausted. */
bool append(pqtpy_bytes *bytes, const void *data, size_t count, pqt_error *error);

/* Reclaims in proportion to what was allocated since the last call, if there is a heap. */
void reclaim_paced(void);

/* Frees everything that nothing holds if a call has found no memory, and clears its error. Returns
   whether the call is to be made again. Otherwise reclaims in proportion to what it allocated. */
bool retry_call(bool done, bool again, pqt_error *error);

/* Makes an object that owns a history, whose versions have a kind. PQT_KIND_NONE means the kind of
   its current version. On failure, destroys the history. */
pqtpy_history *wrap_history(pqt_history *history, pqt_kind kind, pqt_error *error);

struct pqtpy_history {
    pqt_history *history; /* NULL if its store is closed */
    pqt_kind kind;        /* the kind of its versions */
    pqtpy_store *store;   /* NULL if it is in no store */
};

/* A recording, and the store that it is in; see shim_recording.c. */
struct pqtpy_recording {
    pqt_recording *recording; /* NULL if its store is closed, or gave it to another object */
    pqtpy_store *store;       /* NULL if it is in no store */
};

/* Returns whether a history has versions of the kind of a pin. */
bool takes_version(const pqtpy_history *of, const void *pin, pqt_error *error);

/* Returns a history, and locks its store, if it is in one, until end_use. Returns NULL if the
   history cannot be used. */
pqt_history *begin_use(pqtpy_history *of, pqt_error *error);

/* Reports a failure of the store, and unlocks it. Reclaims, as each call does. */
void end_use(pqtpy_history *of, pqt_error *error);

/* Does the same as retry_call for a use that has failed. Forgets the failure of the store, too. */
bool try_again_in(pqtpy_history *of, pqt_error *error);

/* Returns a pin on a version, or NULL for NULL. */
pqt_pin *pin_any(const void *version, pqt_error *error);

/* Locks an open store. Returns false if it is closed, or belongs to the parent process. */
bool lock_store(pqtpy_store *store, pqt_error *error);

void unlock_store(pqtpy_store *store);

/* Forgets the failures that the store keeps for functions that cannot report them. The store
   must be locked. */
void forget_failure(pqtpy_store *store);

/* Reports the failure that the store keeps. */
void report_failure(pqtpy_store *store, pqt_error *error);

/* Destroys a history that is in a store, and releases the store. */
void leave_store(pqtpy_history *of);

/* Destroys a recording in the same way. */
void leave_store_recording(pqtpy_recording *of);

/* Makes an object that owns a recording. On failure, sets `error`, destroys the recording, and
   returns NULL. */
pqtpy_recording *wrap_recording(pqt_recording *recording, pqt_error *error);

/* Returns zeroed memory for at least one element. */
void *make_array(size_t count, size_t size, pqt_error *error);

/* The context of a visitor: the bytes that it appends to, and its error. */
typedef struct target {
    pqtpy_bytes *bytes;
    pqt_error *error;
} target;

/* Makes the function return a pin on the version that `call` makes. If memory is exhausted,
   frees everything that nothing holds and calls once more. */
#define RETURN_PINNED_ANY(call)                                                                    \
    do {                                                                                           \
        for (bool again = false;; again = true) {                                                  \
            pqt_memory *memory = begin_scope(error);                                               \
            if (memory == NULL)                                                                    \
                return NULL;                                                                       \
            const void *made = (call);                                                             \
            pqt_pin *pinned = pqt_version_pin(made, error);                                        \
            pqt_scope_end(memory);                                                                 \
            if (pinned != NULL || error->status != PQT_ERROR_MEMORY || again) {                    \
                pqt_memory_reclaim(memory, PQT_RECLAIM_PACED);                                     \
                return pinned;                                                                     \
            }                                                                                      \
            *error = (pqt_error){0};                                                               \
            pqt_memory_reclaim(memory, PQT_RECLAIM_ALL);                                           \
        }                                                                                          \
    } while (0)

/* Does the same for versions of the kind `type`, such as tree or region. */
#define RETURN_PINNED(type, call) RETURN_PINNED_ANY(*(const pqt_##type *[]){(call)})

/* Makes the function return the draft that `call` makes, or whether `call` succeeds. */
#define RETURN_RETRIED(type, call)                                                                 \
    do {                                                                                           \
        type made;                                                                                 \
        bool again = false;                                                                        \
        do                                                                                         \
            made = (call);                                                                         \
        while ((again = retry_call(made, again, error)));                                          \
        return made;                                                                               \
    } while (0)
#define RETURN_DRAFT(type, call) RETURN_RETRIED(pqt_##type *, call)
#define RETURN_EDITED(call) RETURN_RETRIED(bool, call)

/* Makes the function return an object that owns the history that `call` makes. */
#define RETURN_HISTORY(call)                                                                       \
    do {                                                                                           \
        pqt_history *history = NULL;                                                               \
        bool again = false;                                                                        \
        if (!has_heap(error))                                                                      \
            return NULL;                                                                           \
        do                                                                                         \
            history = (call);                                                                      \
        while ((again = retry_call(history != NULL, again, error)));                               \
        return wrap_history(history, PQT_KIND_NONE, error);                                        \
    } while (0)

#endif
