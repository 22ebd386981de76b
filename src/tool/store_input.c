/* SPDX-License-Identifier: MIT */
/* store_input.c: opens the stores and the files of histories that commands use as inputs. The name
   FILE@ENTRY refers to a version in one of them. */
#include "config.h"

#include "tool/store_input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pqt.h>
#include <pqt/stores.h>

#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/tool_memory.h"

/* Recognises a history by the first bytes of a file. Does not touch a pipe, whose bytes can be read
   only once. */
static bool
is_history_file(const char *name)
{
    unsigned char head[PQT_BYTES_HEAD];
    struct stat there;
    if (stat(name, &there) != 0 || !S_ISREG(there.st_mode))
        return false;
    FILE *stream = fopen(name, "rb");
    if (stream == NULL)
        return false;
    const size_t count = fread(head, 1, sizeof head, stream);
    fclose(stream);
    return pqt_is_history(head, count);
}

static bool
has_history(const char *name)
{
    return pqt_is_store_file(name) || is_history_file(name);
}

/* Returns the position of the @ between a store and its entry in a name, or NULL if there is
   none. */
static const char *
entry_sign(const char *name)
{
    for (size_t i = strlen(name); i > 0; i--) {
        if (name[i] != '@')
            continue;
        char *file = strndup(name, i);
        if (file == NULL)
            die(NULL, 0, "out of memory (names)");
        const bool found = has_history(file);
        free(file);
        if (found)
            return name + i;
    }
    return NULL;
}

bool
store_is_named(const char *name)
{
    return has_history(name) || entry_sign(name) != NULL;
}

/* Closes a store before the program ends with an error. */
static void
close_early(opened_store *opened)
{
    pqt_history_destroy(&opened->history);
    (void)pqt_store_close(&opened->store, NULL);
}

/* Finds an entry by its name or its number. */
static uint64_t
find_entry(opened_store *opened, const char *word)
{
    uint64_t number = 0;
    pqt_history_entry entry;
    if (!pqt_history_find(opened->history, word, &number) &&
        (!read_id(word, strlen(word), &number) ||
         !pqt_history_get_entry(opened->history, number, &entry))) {
        close_early(opened);
        die(opened->file, 0, "no entry has this number or name (%s)", quote_text(word).text);
    }
    return number;
}

/* Opens a store and its history, if it has one. */
static void
open_store(opened_store *opened, pqt_store_access access)
{
    pqt_error error = {0};
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = access;
    opened->store = pqt_store_open(opened->file, &options, &error);
    if (opened->store == NULL)
        die_error(opened->file, &error);
    if (pqt_store_kind(opened->store) == PQT_KIND_NONE)
        return;
    opened->history = pqt_history_open(opened->store, NULL, tool_memory(), &error);
    if (opened->history != NULL)
        return;
    close_early(opened);
    die_error(opened->file, &error);
}

/* Reads the file of a history, unless the command would change it. */
static void
read_history(opened_store *opened, pqt_store_access access)
{
    pqt_error error = {0};
    if (access != PQT_STORE_READ)
        die(opened->file, 0, "a store is needed, but this file has a history, which is only read");
    opened->history = pqt_history_load_file(opened->file, NULL, tool_memory(), &error);
    if (opened->history == NULL)
        die_error(opened->file, &error);
}

opened_store
store_open_named(const char *name, pqt_store_access access)
{
    opened_store opened = {.file = NULL};
    if (line_is_named(name))
        die(name, 0, "a store is needed, but this is a line: pqt pull makes a store of it");
    const char *sign = has_history(name) ? NULL : entry_sign(name);
    opened.file = sign == NULL ? strdup(name) : strndup(name, (size_t)(sign - name));
    if (opened.file == NULL)
        die(NULL, 0, "out of memory (names)");
    if (is_history_file(opened.file))
        read_history(&opened, access);
    else
        open_store(&opened, access);
    if (opened.history == NULL)
        return opened;
    opened.has_entry = sign != NULL;
    opened.entry =
        sign == NULL ? pqt_history_current(opened.history) : find_entry(&opened, sign + 1);
    return opened;
}

/* The store to close when the program ends, or NULL. */
static opened_store *left_open;

static void
close_left_open(void)
{
    if (left_open != NULL)
        close_early(left_open);
}

void
store_close_at_exit(opened_store *opened)
{
    left_open = opened;
    if (atexit(close_left_open) != 0)
        left_open = NULL;
}

void
store_close_named(opened_store *opened)
{
    pqt_error error = {0};
    if (left_open == opened)
        left_open = NULL;
    pqt_history_destroy(&opened->history);
    if (!pqt_store_close(&opened->store, &error))
        die_error(opened->file, &error);
    free(opened->file);
}

pqt_kind
store_kind(const opened_store *opened)
{
    return pqt_kind_of(pqt_history_value(opened->history));
}

const void *
store_version(const opened_store *opened, uint64_t entry)
{
    pqt_error error = {0};
    const void *version = pqt_history_value_of(opened->history, entry);
    if (version == NULL && !pqt_store_get_error(opened->store, &error))
        die_error(opened->file, &error);
    return version;
}

/* Returns FILE@ENTRY. The caller frees it. */
static char *
name_of_entry(const char *file, uint64_t entry)
{
    const size_t size = strlen(file) + sizeof "@18446744073709551615";
    char *name = malloc(size);
    if (name == NULL)
        die(NULL, 0, "out of memory (names)");
    snprintf(name, size, "%s@%" PRIu64, file, entry);
    return name;
}

char *
store_common_ancestor(const char *a, const char *b)
{
    if (!store_is_named(a) || !store_is_named(b))
        return NULL;
    char *name = NULL;
    uint64_t ancestor = 0;
    opened_store of_a = store_open_named(a, PQT_STORE_READ);
    opened_store of_b = store_open_named(b, PQT_STORE_READ);
    if (strcmp(of_a.file, of_b.file) == 0 && of_a.history != NULL && of_b.history != NULL &&
        pqt_history_common_ancestor(of_a.history, of_a.entry, of_b.entry, &ancestor))
        name = name_of_entry(of_a.file, ancestor);
    store_close_named(&of_b);
    store_close_named(&of_a);
    return name;
}

store_path
store_path_to(const opened_store *opened, uint64_t entry)
{
    pqt_history_entry at;
    size_t capacity = 0;
    store_path made = {NULL, 0};
    pqt_history_get_entry(opened->history, entry, &at);
    made.count = (size_t)at.depth + 1;
    made.entries = xgrow(NULL, &capacity, made.count, sizeof *made.entries);
    for (size_t i = made.count; i-- > 0;) {
        made.entries[i] = entry;
        pqt_history_get_entry(opened->history, entry, &at);
        entry = at.parent;
    }
    return made;
}

void
store_free_path(store_path *path)
{
    free(path->entries);
    *path = (store_path){NULL, 0};
}
