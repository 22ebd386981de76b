/* SPDX-License-Identifier: MIT */
/*
 * store_input.h: opens the stores that commands use as inputs, and the files of histories, which
 * commands read like stores. The name FILE.pqts@ENTRY refers to a version in a store, and
 * FILE.pqt@ENTRY to a version in a file.
 */
#ifndef STORE_INPUT_H
#define STORE_INPUT_H

#include <pqt.h>
#include <pqt/stores.h>

/* An open store, its history, and the entry to which its name refers. */
typedef struct opened_store {
    char *file;           /* the name of the file, without @ENTRY */
    pqt_store *store;     /* NULL: the history is that of a .pqt file, which is only read */
    pqt_history *history; /* NULL: the store is empty */
    uint64_t entry;       /* the entry in the name, or the current one if the name has none */
    bool has_entry;       /* the name contains an entry */
} opened_store;

/* Returns true if a name is the name of a store or of the file of a history, with or without
   @ENTRY. */
bool store_is_named(const char *name);

/* Opens the store with this name. Ends the program with an error if that fails. */
opened_store store_open_named(const char *name, pqt_store_access access);
void store_close_named(opened_store *opened);

/* Makes the program close a store that it writes if it ends with an error before
   store_close_named. Otherwise, versions would stay in the log of the store, and its lock would
   remain. `opened` must be valid until then. One store can be open in this way. */
void store_close_at_exit(opened_store *opened);

/* Returns the kind of the versions of a store that is not empty. */
pqt_kind store_kind(const opened_store *opened);

/* Returns the version of an entry. Ends the program with an error if the version cannot be
   loaded. */
const void *store_version(const opened_store *opened, uint64_t entry);

/* Returns the name FILE@ENTRY of the last common ancestor of two entries of one store, which the
   caller frees, or NULL if the names are not of one store. */
char *store_common_ancestor(const char *a, const char *b);

/* The entries on the path from the root to one of them. */
typedef struct store_path {
    uint64_t *entries;
    size_t count;
} store_path;

store_path store_path_to(const opened_store *opened, uint64_t entry);
void store_free_path(store_path *path);

#endif
