/* SPDX-License-Identifier: MIT */
/* store_support.h: functions for tests of stores. */
#ifndef TEST_STORE_SUPPORT_H
#define TEST_STORE_SUPPORT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pqt/store.h>

#include "tree_support.h"

/* A store in a folder of its own. */
typedef struct store_folder {
    char name[128];
    char path[160];
} store_folder;

static inline store_folder
make_store_folder(void)
{
    store_folder folder;
    const char *parent = getenv("TMPDIR");
    snprintf(folder.name, sizeof folder.name, "%s/pqt-store-XXXXXX",
             parent == NULL || strlen(parent) > 64 ? "/tmp" : parent);
    require(mkdtemp(folder.name) != NULL, "a folder is made");
    snprintf(folder.path, sizeof folder.path, "%s/test.pqts", folder.name);
    return folder;
}

/* Removes the store. The folder must be empty then, because a closed store leaves no other file. */
static inline void
remove_store_folder(const store_folder *folder)
{
    unlink(folder->path);
    require(rmdir(folder->name) == 0, "a closed store leaves no other file");
}

static inline pqt_store *
open_store(const store_folder *folder, pqt_store_access access)
{
    pqt_error error = {0};
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = access;
    pqt_store *store = pqt_store_open(folder->path, &options, &error);
    require(store != NULL, error.text);
    return store;
}

static inline void
close_store(pqt_store **store)
{
    pqt_error error = {0};
    require(pqt_store_close(store, &error), error.text);
}

#endif
