/* SPDX-License-Identifier: MIT */
/* cmd_log.c: `pqt log`: prints the undo tree of a store or the versions of a line. */
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
#include "tool/history_graph.h"
#include "tool/line_input.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/out.h"
#include "tool/store_input.h"

static const char purpose[] =
    "Prints the entries of a store as a tree: > marks the current one, * those to which undo\n"
    "leads, o others, and |- the first of a branch; then number, label, time, the bytes that the\n"
    "version added in memory, and marks. --check reads each version, and compares its\n"
    "fingerprint. For an ADDRESS, prints the versions of that line: number, time, bytes in the\n"
    "database, author, and label; --check then loads each version, and compares its hash.\n"
    "Status: 0, or 2 for an error.\n";

static const struct poptOption table_of_options[] = {
    {"check", 'c', POPT_ARG_NONE, NULL, 'c', "check the whole store", NULL},
    {"svg", 's', POPT_ARG_STRING, NULL, 's', "draw the tree", "OUT.svg"},
    COMMON_OPTIONS};

static void
print_sizes(pqt_store *store, const char *file)
{
    pqt_error error = {0};
    pqt_store_stats stats;
    if (!pqt_store_get_stats(store, &stats, &error))
        die_error(file, &error);
    printf("on disk: %s of changes, %llu keyframe%s of %s, %s in all\n",
           in_bytes((double)stats.change_bytes).text, (unsigned long long)stats.keyframes,
           stats.keyframes == 1 ? "" : "s", in_bytes((double)stats.keyframe_bytes).text,
           in_bytes((double)stats.file_bytes).text);
}

typedef struct sizes {
    double changes, keyframes;
} sizes;

static bool
print_shared_entry(const pqt_line_entry *entry, void *context)
{
    sizes *sum = context;
    printf("%6" PRIu64 "  %s  %9s  %-12s  %s\n", entry->number, utc_time(entry->time).text,
           in_bytes((double)(entry->change_bytes + entry->keyframe_bytes)).text, entry->author,
           entry->label);
    sum->changes += (double)entry->change_bytes;
    sum->keyframes += (double)entry->keyframe_bytes;
    return true;
}

static void
log_line(const char *name, bool checks)
{
    pqt_error error = {0};
    sizes sum = {0, 0};
    opened_line opened = line_open_named(name, PQT_LINE_READ);
    const uint64_t newest = opened.number;
    if (!pqt_line_visit(opened.line, 1, newest, print_shared_entry, &sum, &error))
        die_error(opened.name, &error);
    for (opened.number = 1; checks && opened.number <= newest; opened.number++)
        line_version(&opened);
    printf("in the database: %s of changes, %s of keyframes\n", in_bytes(sum.changes).text,
           in_bytes(sum.keyframes).text);
    finish_standard_output();
    line_close_named(&opened);
}

static void
log_store(const char *name, bool checks, const char *output)
{
    pqt_error error = {0};
    if (output != NULL)
        output_guard(output, name);
    opened_store opened = store_open_named(name, PQT_STORE_READ);
    if (opened.history == NULL)
        die(opened.file, 0, "the store is empty");
    if (checks && !pqt_store_check(opened.store, &error))
        die_error(opened.file, &error);
    history_print(opened.history);
    print_sizes(opened.store, opened.file);
    if (output != NULL) {
        history_draw(opened.history, output, opened.file);
        output_close();
    }
    finish_standard_output();
    store_close_named(&opened);
}

int
log_command(int count, const char **arguments)
{
    bool checks = false;
    char *output = NULL;
    poptContext context =
        begin_options(count, arguments, table_of_options, "[OPTION...] STORE | ADDRESS", purpose);
    int letter;
    while ((letter = next_option(context)) != 0) {
        checks = checks || letter == 'c';
        if (letter == 's') {
            free(output);
            output = text_option(context);
        }
    }
    const char *name = only_argument(context);
    if (output != NULL && strcmp(output, "-") == 0)
        die(NULL, 0, "--svg may not be standard output, which receives the tree (-)");
    if (output != NULL && line_is_named(name))
        die(NULL, 0, "--svg draws the tree of a store, but a line has none");
    if (output != NULL)
        output_check_name(output, "SVG");
    if (line_is_named(name))
        log_line(name, checks);
    else
        log_store(name, checks, output);
    free(output);
    poptFreeContext(context);
    return STATUS_FOUND;
}
