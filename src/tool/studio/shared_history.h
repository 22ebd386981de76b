/* SPDX-License-Identifier: MIT */
/*
 * shared_history.h: a history that several pages of the studio read and change: a store or a
 * line.
 *
 * Each change puts the history into a new *state*. A change names the state from which it was made,
 * and it is refused if that state is no longer the current one. The page then fetches the current
 * state, merges, and tries again. Only one thread may use a history.
 */
#ifndef SHARED_HISTORY_H
#define SHARED_HISTORY_H

#include <stdio.h>

#include <pqt.h>
#include <pqt/stores.h>

typedef struct shared_history shared_history;

/* A change that a page requests. */
typedef struct shared_change {
    const char *op;    /* push, undo, redo, checkout, name or saved; on a line, only push is
                          allowed */
    const char *from;  /* the state from which the change was made */
    const char *text;  /* the label of a push, or the name to give to an entry; an empty name
                          removes the old one */
    uint64_t page;     /* the number of the page that requests the change; 0: none */
    uint64_t entry;    /* the number of the entry to check out or to name */
    uint64_t key;      /* the coalescing key of a push, as in pqt_history_entry_info */
    const void *bytes; /* the version to push, in the format of a .pqt file */
    size_t size;
} shared_change;

/* The outcome of a change. */
typedef enum shared_outcome {
    SHARED_DONE,    /* the change is in the store or the line */
    SHARED_BEHIND,  /* another change was made first, so this one was not made */
    SHARED_REFUSED, /* the change is not possible, so it was not made */
    SHARED_FAILED   /* the change could not be written or reported; if it was made, the state is a
                       new one */
} shared_outcome;

/* Closes a history and sets the pointer to NULL. Ends the program with an error if something could
   not be written. */
void shared_close(shared_history **shared);

/* Returns the name by which pages refer to the history. */
const char *shared_name(const shared_history *shared);

/* The name of a state, as text. */
typedef struct shared_state_text {
    char text[48];
} shared_state_text;

shared_state_text shared_state(const shared_history *shared);

/* Returns all data that a page needs, except the versions, as JSON. Returns NULL on failure. The
   caller frees the text. */
char *shared_as_json(shared_history *shared, pqt_error *error);

/* Returns the bytes of a version in the format of a .pqt file. Returns NULL on failure, or if there
   is no such entry. The caller frees the bytes. */
char *shared_version(shared_history *shared, uint64_t number, size_t *size, pqt_error *error);

/* Makes a change. Sets `json` to the differences from the previous state if the outcome is
   SHARED_DONE, otherwise to NULL. The caller frees it. */
shared_outcome shared_make_change(shared_history *shared, const shared_change *change, char **json,
                                  pqt_error *error);

/* Returns a descriptor that becomes readable when another program has pushed to the line, or when
   the connection to the database is lost or restored. Returns -1 if there is none. */
int shared_descriptor(const shared_history *shared);

/* The event that makes pages fetch the state. */
#define SHARED_MISSED "{\"missed\":true}"

/* Returns true if the connection to the database is lost. */
bool shared_has_problem(const shared_history *shared);

/* Returns the event that reports to pages whether the database can be reached. The caller frees
   it. */
char *shared_problem_as_json(const shared_history *shared);

/* Fetches the versions that other programs pushed. Returns the event for pages as JSON, which
   contains the changes or a failure. Returns NULL if there is nothing to report. The caller frees
   it. */
char *shared_take_event(shared_history *shared);

/* ---- For shared_store.c and shared_line.c ---- */

/* The functions whose implementations for stores and for lines differ. */
typedef struct shared_functions {
    const char *kind; /* the word for the kind of history, for pages */
    shared_outcome (*change)(shared_history *shared, const shared_change *change,
                             const void *version, pqt_error *error);
    const void *(*version)(shared_history *shared, uint64_t number, pqt_error *error);
    /* Writes the members current, saved, redo and entries of the JSON. The entries are those that
       changed after the state with the number `after`, or all entries if it is 0. */
    bool (*write)(shared_history *shared, uint64_t after, FILE *stream, pqt_error *error);
    void (*close)(shared_history *shared);
    /* See shared_descriptor and shared_take_event. NULL: no other program changes the history. */
    int (*descriptor)(const shared_history *shared);
    char *(*take_event)(shared_history *shared);
} shared_functions;

struct shared_history {
    const shared_functions *functions;
    char *name;
    pqt_kind kind;          /* the kind of the versions: documents or trees */
    pqt_error not_writable; /* the reason why pages cannot change the history; its text is empty if
                               they can */
    char session[17];       /* makes the states of different sessions differ */
    uint64_t number;        /* the number of the state, counted from 1 */
    pqt_store *store;
    pqt_history *history;
    uint64_t touched; /* the entry of the store that changed last */
    struct follower *follower;
    pqt_line *line;
    pqt_error problem; /* the reason why the line cannot be read; its text is empty if it can be
                          read */
};

/* Makes a history without entries. Ends the program when out of memory. */
shared_history *shared_make(const shared_functions *functions, const char *name);

/* Makes an empty scene, which is a document with boxes and their colours and names. */
const pqt_document *make_empty_scene(void);

/* Ends the program with an error unless the versions are documents or trees. */
void require_scenes(const shared_history *shared);

/* Writes a string as JSON. NULL is written as null. */
void write_json_text(FILE *stream, const char *text);

/* Returns the changes after the state with the given number, as JSON. `page` is the page that made
   them, and `what` is their label. */
char *shared_changes_as_json(shared_history *shared, uint64_t after, uint64_t page,
                             const char *what, pqt_error *error);

#endif
