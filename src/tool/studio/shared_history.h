/* SPDX-License-Identifier: MIT */
/*
 * shared_history.h: a history that several pages of the studio read and change: a store or a
 * line.
 *
 * Each change gives the history a new *state*. A change names the state that it was made from, and
 * is refused if that is not the current one: the page then fetches the current one, merges, and
 * tries again. Only one thread may use a history.
 */
#ifndef SHARED_HISTORY_H
#define SHARED_HISTORY_H

#include "tool/tool.h"

typedef struct shared_history shared_history;

/* A change that a page requests. */
typedef struct shared_change {
    const char *op;    /* push, undo, redo, checkout, name or saved; only push on a line */
    const char *from;  /* the state from which it was made */
    const char *text;  /* the label of a push; the name of an entry, empty to remove it */
    uint64_t page;     /* the number of the page; 0: none */
    uint64_t entry;    /* the entry to check out or to name */
    uint64_t key;      /* the key of a push, as in pqt_history_entry_info */
    const void *bytes; /* the version to push (.pqt) */
    size_t size;
} shared_change;

/* The outcome of a change. */
typedef enum shared_outcome {
    SHARED_DONE,    /* it is in the store or the line */
    SHARED_BEHIND,  /* another change came first, and nothing has changed */
    SHARED_REFUSED, /* it cannot be made, and nothing has changed */
    SHARED_FAILED   /* it could not be written or reported; if it was made, the state is new */
} shared_outcome;

/* Closes it and sets the pointer to NULL. Ends the program with an error if something could not be
   written. */
void shared_close(shared_history **shared);

/* Returns the name that pages use. */
const char *shared_name(const shared_history *shared);

/* A state as text. */
typedef struct shared_state_text {
    char text[48];
} shared_state_text;

shared_state_text shared_state(const shared_history *shared);

/* Returns everything that a page needs except the versions, as JSON; NULL on failure. The caller
   frees it. */
char *shared_as_json(shared_history *shared, pqt_error *error);

/* Returns the bytes of a version (.pqt), which the caller frees; NULL if there is no such entry, or
   on failure. */
char *shared_version(shared_history *shared, uint64_t number, size_t *size, pqt_error *error);

/* Makes a change. `json` is set to the differences from the previous state, and the caller frees
   it; NULL unless the outcome is SHARED_DONE. */
shared_outcome shared_make_change(shared_history *shared, const shared_change *change, char **json,
                                  pqt_error *error);

/* Returns a descriptor that becomes readable when another program pushed to the line, or when the
   database is lost or found again; -1: there is none. */
int shared_descriptor(const shared_history *shared);

/* The event that has pages fetch the state. */
#define SHARED_MISSED "{\"missed\":true}"

/* Returns true if the database is lost. */
bool shared_is_in_trouble(const shared_history *shared);

/* Returns the event for pages that the database cannot be reached, or that it can again. The caller
 * frees it. */
char *shared_trouble_as_json(const shared_history *shared);

/* Fetches the versions that other programs pushed. Returns the event for pages, as JSON: the
   changes or a failure; NULL if there is none. The caller frees it. */
char *shared_hear(shared_history *shared);

/* ---- For shared_store.c and shared_line.c ---- */

/* The functions that stores and lines implement differently. */
typedef struct shared_functions {
    const char *kind; /* for pages */
    shared_outcome (*change)(shared_history *shared, const shared_change *change,
                             const void *version, pqt_error *error);
    const void *(*version)(shared_history *shared, uint64_t number, pqt_error *error);
    /* Writes the members current, saved, redo and entries of JSON. Entries are those that changed
       after the state of the number `after`; all of them if it is 0. */
    bool (*write)(shared_history *shared, uint64_t after, FILE *stream, pqt_error *error);
    void (*close)(shared_history *shared);
    /* See shared_descriptor and shared_hear; NULL: no other program changes the history. */
    int (*descriptor)(const shared_history *shared);
    char *(*hear)(shared_history *shared);
} shared_functions;

struct shared_history {
    const shared_functions *functions;
    char *name;
    pqt_bytes_kind kind;    /* documents or trees */
    pqt_error not_writable; /* why pages cannot change it; its text is empty if they can */
    char session[17];       /* states of different sessions differ */
    uint64_t number;        /* the number of the state: 1 or more */
    pqt_store *store;
    pqt_history *history;
    uint64_t touched; /* the entry of the store that changed last */
    struct follower *follower;
    pqt_line *line;
    pqt_error trouble; /* why the line cannot be read; its text is empty if it can */
};

/* Makes a history without entries. Ends the program if memory is exhausted. */
shared_history *shared_make(const shared_functions *functions, const char *name);

/* Makes an empty scene: a document of boxes and their colours and names. */
const pqt_document *make_empty_scene(void);

/* Ends the program with an error unless the versions are documents or trees. */
void require_scenes(const shared_history *shared);

/* Writes a text as JSON; NULL is null. */
void write_json_text(FILE *stream, const char *text);

/* Returns the changes after the state with a number, as JSON; `page` made them, and `what` is their
   label. */
char *shared_changes_as_json(shared_history *shared, uint64_t after, uint64_t page,
                             const char *what, pqt_error *error);

#endif
