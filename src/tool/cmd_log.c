/* SPDX-License-Identifier: MIT */
/* cmd_log.c: `pqt log`: the undo tree of a store. */
#include "config.h"

#include "tool/tool.h"

#include <stdlib.h>
#include <string.h>

#include "tool/history_graph.h"
#include "tool/store_input.h"

static const char purpose[] =
    "Prints the entries of a store as a tree: > marks the current one, * those to which undo\n"
    "leads, o others, and |- the first of a branch; then number, label, time, the bytes that the\n"
    "version added in memory, and marks. --check reads each version, and compares its "
    "fingerprint.\n"
    "Status: 0, or 2 for an error.\n";

static const struct poptOption table_of_options[] = {
    {"check", 'c', POPT_ARG_NONE, NULL, 'c', "check all of the store", NULL},
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

int
log_command(int count, const char **arguments)
{
    bool checks = false;
    char *output = NULL;
    poptContext context =
        begin_options(count, arguments, table_of_options, "[OPTION...] STORE", purpose);
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
        die(NULL, 0, "--svg may not be standard output, which has the tree (-)");
    if (output != NULL)
        output_guard(output, name);
    opened_store opened = store_open_named(name, PQT_STORE_READ);
    pqt_error error = {0};
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
    free(output);
    poptFreeContext(context);
    return STATUS_FOUND;
}
