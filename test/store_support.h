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
typedef struct store_place {
    char folder[128];
    char path[160];
} store_place;

static inline store_place
make_place(void)
{
    store_place place;
    const char *parent = getenv("TMPDIR");
    snprintf(place.folder, sizeof place.folder, "%s/pqt-store-XXXXXX",
             parent == NULL || strlen(parent) > 64 ? "/tmp" : parent);
    require(mkdtemp(place.folder) != NULL, "a folder is made");
    snprintf(place.path, sizeof place.path, "%s/test.pqts", place.folder);
    return place;
}

/* Removes the store. The folder must be empty then, because a closed store leaves no other file. */
static inline void
remove_place(const store_place *place)
{
    unlink(place->path);
    require(rmdir(place->folder) == 0, "a closed store leaves no other file");
}

static inline pqt_store *
open_store(const store_place *place, pqt_store_access access)
{
    pqt_error error = {0};
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = access;
    pqt_store *store = pqt_store_open(place->path, &options, &error);
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
