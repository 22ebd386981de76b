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
#include "tool/history_json.h"
#include "tool/line_input.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/out.h"
#include "tool/output_version.h"
#include "tool/store_input.h"

static const char purpose[] =
    "Prints the entries of a store, or of the history in a .pqt file, as a tree: > marks the\n"
    "current one, * those to which undo leads, o others, and |- the first of a branch; then\n"
    "number, label, time, the bytes that the version added in memory, and marks. --check reads\n"
    "each version, and compares its fingerprint. For an ADDRESS, prints the versions of that\n"
    "line: number, time, bytes in the database, author, and label; --check then loads each\n"
    "version, and compares its hash.\n"
    "Status: 0, or 2 for an error.\n";

static const struct poptOption table_of_options[] = {
    {"check", '\0', POPT_ARG_NONE, NULL, 'c', "check the whole store", NULL},
    {"svg", 's', POPT_ARG_STRING, NULL, 's', "draw as SVG: the tree of entries", "OUT.svg"},
    {"json", 'j', POPT_ARG_NONE, NULL, 'j', "print JSON: an array", NULL},
    {"output", 'o', POPT_ARG_STRING, NULL, 'o', "write to this file: the whole history", "OUT.pqt"},
    COMMON_OPTIONS};

/* A call of the command. */
typedef struct log_request {
    const char *name;
    bool checks;
    bool wants_json;
    char *picture; /* the file in which to draw the tree, or NULL */
    char *output;  /* the file to which to write the history, or NULL */
} log_request;

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

static bool
print_shared_json(const pqt_line_entry *entry, void *context)
{
    facts all = {.are_json = true};
    (void)context;
    fputs(entry->number > 1 ? ",\n" : "[\n", stdout);
    fact_line_entry(&all, entry);
    fputs("\n}", stdout);
    return true;
}

static void
log_line(const log_request *req)
{
    pqt_error error = {0};
    sizes sum = {0, 0};
    opened_line opened = line_open_named(req->name, PQT_LINE_READ);
    const uint64_t newest = opened.number;
    if (!pqt_line_visit(opened.line, 1, newest,
                        req->wants_json ? print_shared_json : print_shared_entry, &sum, &error))
        die_error(opened.name, &error);
    for (opened.number = 1; req->checks && opened.number <= newest; opened.number++)
        line_version(&opened);
    if (req->wants_json)
        puts("\n]");
    else
        printf("in the database: %s of changes, %s of keyframes\n", in_bytes(sum.changes).text,
               in_bytes(sum.keyframes).text);
    finish_standard_output();
    line_close_named(&opened);
}

/* A file was checked when it was read. */
static void
check_store(const opened_store *opened)
{
    pqt_error error = {0};
    if (opened->store != NULL && !pqt_store_check(opened->store, &error))
        die_error(opened->file, &error);
}

static void
write_files(const log_request *req, const opened_store *opened)
{
    if (req->picture != NULL)
        history_draw(opened->history, req->picture, opened->file);
    if (req->output != NULL)
        output_history(output_open(req->output, "pqt"), opened->file, opened->history);
    if (req->picture != NULL || req->output != NULL)
        output_close();
}

static void
log_store(const log_request *req)
{
    if (req->picture != NULL)
        output_guard(req->picture, req->name);
    if (req->output != NULL)
        output_guard(req->output, req->name);
    opened_store opened = store_open_named(req->name, PQT_STORE_READ);
    if (opened.history == NULL)
        die(opened.file, 0, "the store is empty");
    if (req->checks)
        check_store(&opened);
    if (req->wants_json)
        history_print_json(opened.history);
    else
        history_print(opened.history);
    if (opened.store != NULL && !req->wants_json)
        print_sizes(opened.store, opened.file);
    write_files(req, &opened);
    finish_standard_output();
    store_close_named(&opened);
}

static void
replace_text(poptContext context, char **text)
{
    free(*text);
    *text = text_option(context);
}

static log_request
read_request(poptContext context)
{
    log_request req = {.name = NULL};
    int letter;
    while ((letter = next_option(context)) != 0) {
        req.checks = req.checks || letter == 'c';
        req.wants_json = req.wants_json || letter == 'j';
        if (letter == 's')
            replace_text(context, &req.picture);
        else if (letter == 'o')
            replace_text(context, &req.output);
    }
    req.name = only_argument(context);
    return req;
}

static void
check_outputs(const log_request *req)
{
    if (req->picture != NULL && strcmp(req->picture, "-") == 0)
        die(NULL, 0, "--svg may not be standard output, which receives the tree (-)");
    if (req->output != NULL && strcmp(req->output, "-") == 0)
        die(NULL, 0, "--output may not be standard output, which receives the tree (-)");
    if (req->picture != NULL && line_is_named(req->name))
        die(NULL, 0, "--svg draws the tree of a store, but a line has none");
    if (req->output != NULL && line_is_named(req->name))
        die(NULL, 0, "--output writes the history of a store, but a line has none");
    if (req->picture != NULL)
        output_check_name(req->picture, "SVG");
    if (req->output != NULL)
        output_check_name(req->output, "pqt");
    output_guard_twin("--svg", req->picture, "--output", req->output);
}

int
log_command(int count, const char **arguments)
{
    poptContext context =
        begin_options(count, arguments, table_of_options, "[OPTION...] STORE | ADDRESS", purpose);
    log_request req = read_request(context);
    check_outputs(&req);
    if (line_is_named(req.name))
        log_line(&req);
    else
        log_store(&req);
    free(req.picture);
    free(req.output);
    poptFreeContext(context);
    return STATUS_FOUND;
}
