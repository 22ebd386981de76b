/* SPDX-License-Identifier: MIT */
/* cmd_push.c: `pqt push`: pushes the versions of a store to a line. */
#include "config.h"

#include "tool/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <popt.h>
#include <pqt.h>
#include <pqt/stores.h>

#include "tool/cli.h"
#include "tool/line_input.h"
#include "tool/message.h"
#include "tool/out.h"
#include "tool/progress.h"
#include "tool/store_input.h"

static const char purpose[] =
    "Pushes versions of a store to a line: those on the path to the current entry, or to ENTRY,\n"
    "that follow the newest version of the line. Prints the number of the newest one. A line that\n"
    "does not exist is created. ADDRESS is postgresql://...#NAME: a URL of libpq and the name of\n"
    "the line. If the line has versions that the store lacks, nothing is pushed: pull them first,\n"
    "or push with --merge, which merges both sides' changes and pushes the result.\n"
    "Status: 0 if they were pushed, 1 if the line has all of them or has versions that the store\n"
    "lacks, 2 for an error.\n";

enum { STATUS_PUSHED = STATUS_FOUND, STATUS_NOT_PUSHED = STATUS_NOTHING };
enum { BATCH = 256 }; /* the maximum number of versions per transaction */

static const struct poptOption table_of_options[] = {
    {"merge", 'm', POPT_ARG_NONE, NULL, 'm', "merge with newer versions, which the store lacks",
     NULL},
    {"author", '\0', POPT_ARG_STRING, NULL, 'a', "author of the versions (default: $USER)",
     "AUTHOR"},
    COMMON_OPTIONS};

/* Pushes the entries of a list from index `first` onwards. */
static void
push_entries(const opened_store *store, const store_path *path, size_t first,
             const opened_line *line)
{
    pqt_error error = {0};
    pqt_line_new versions[BATCH];
    pqt_history_entry shown[BATCH];
    while (first < path->count) {
        size_t count = 0;
        while (count < BATCH && first < path->count) {
            const uint64_t number = path->entries[first++];
            pqt_history_get_entry(store->history, number, &shown[count]);
            versions[count] = (pqt_line_new){store_version(store, number), shown[count].label};
            count++;
        }
        if (!pqt_line_push_all(line->line, store_kind(store), versions, count, &error))
            die_error(line->name, &error);
    }
}

static void
push_merged(const opened_store *store, uint64_t base, const opened_line *line)
{
    pqt_error error = {0};
    pqt_history_entry entry;
    pqt_history_get_entry(store->history, store->entry, &entry);
    if (pqt_line_update(line->line, store_version(store, base), store_version(store, store->entry),
                        entry.label, NULL, NULL, &error) == NULL)
        die_error(line->name, &error);
}

/* Pushes the entries of a path that follow one of its entries. */
static void
push_after(const opened_store *store, const store_path *path, uint64_t entry,
           const opened_line *line)
{
    size_t first = 0;
    while (path->entries[first] != entry)
        first++;
    push_entries(store, path, first + 1, line);
}

/* Returns false if the line has versions that the store lacks and merging is not allowed. */
static bool
push_path(const opened_store *store, const store_path *path, const opened_line *line, bool merges)
{
    const uint64_t newest = pqt_line_number(line->line);
    if (newest == 0) {
        push_entries(store, path, 0, line);
        return true;
    }
    const shared_entry shared = line_find_shared(line, store, path);
    if (shared.number == 0)
        die(line->name, 0, "the line and the store have no version in common");
    if (shared.number == newest)
        push_after(store, path, shared.entry, line);
    else if (shared.entry != store->entry && !merges)
        return false;
    else if (shared.entry != store->entry)
        push_merged(store, shared.entry, line);
    return true; /* otherwise the line has all entries, and more versions */
}

static bool
push_store(const opened_store *store, const opened_line *line, bool merges)
{
    store_path path = store_path_to(store, store->entry);
    const bool done = push_path(store, &path, line, merges);
    store_free_path(&path);
    return done;
}

int
push_command(int count, const char **arguments)
{
    bool merges = false;
    char *author = NULL;
    poptContext context = begin_options(count, arguments, table_of_options,
                                        "[OPTION...] STORE[@ENTRY] ADDRESS", purpose);
    int letter;
    while ((letter = next_option(context)) != 0) {
        merges = merges || letter == 'm';
        if (letter == 'a') {
            free(author);
            author = text_option(context);
        }
    }
    const char *from = file_argument(context, 0), *to = file_argument(context, 1);
    no_argument(context);
    if (!line_is_named(to))
        die(NULL, 0, "the second argument is not the address of a line, postgresql://...#NAME (%s)",
            quote_text(to).text);
    opened_store store = store_open_named(from, PQT_STORE_READ);
    if (store.history == NULL)
        die(store.file, 0, "the store is empty");
    opened_line line = line_open_to_push(to, author != NULL ? author : getenv("USER"));
    const uint64_t before = pqt_line_number(line.line);
    const bool done = push_store(&store, &line, merges);
    if (!done && !is_quiet)
        fprintf(stderr,
                "pqt: %s: the line has versions that the store lacks: pull them, or push "
                "with --merge\n",
                line.name);
    const uint64_t after = pqt_line_number(line.line);
    printf("%" PRIu64 "\n", after);
    finish_standard_output();
    line_close_named(&line);
    store_close_named(&store);
    free(author);
    poptFreeContext(context);
    return done && after > before ? STATUS_PUSHED : STATUS_NOT_PUSHED;
}
