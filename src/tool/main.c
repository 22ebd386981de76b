/* SPDX-License-Identifier: MIT */
/* main.c: the program pqt, which finds and runs a command. */
#include "config.h"

#include "tool/commands.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <popt.h>
#include <pqt.h>

#include "tool/cli.h"
#include "tool/data_file.h"
#include "tool/message.h"
#include "tool/out.h"
#include "tool/suggestion.h"

typedef struct command {
    const char *name;
    const char *full_name; /* the name in the command's own help */
    int (*run)(int count, const char **arguments);
    const char *purpose;
} command;

static int help_command(int count, const char **arguments);

static const command commands[] = {
    {"info", "pqt info", info_command,
     "print the contents of a file and the structure of its tree"},
    {"search", "pqt search", search_command, "print the items in a window"},
    {"nearest", "pqt nearest", nearest_command, "print the items nearest to a point"},
    {"ray", "pqt ray", ray_command, "print the items that a segment hits"},
    {"pairs", "pqt pairs", pairs_command, "print the pairs of items that have a relation"},
    {"diff", "pqt diff", diff_command, "print the changes from one file to another"},
    {"merge", "pqt merge", merge_command, "merge two sides' changes to a file"},
    {"region", "pqt region", region_command, "combine PNG pictures as sets of pixels"},
    {"collide", "pqt collide", collide_command,
     "test whether two pictures overlap, or how far one moves"},
    {"history", "pqt history", history_command, "edit, undo, branch, and query the past"},
    {"save", "pqt save", save_command, "add a version to a store or a line"},
    {"log", "pqt log", log_command, "print the undo tree of a store, or a line"},
    {"show", "pqt show", show_command, "print an entry of a store, or a version of a line"},
    {"checkout", "pqt checkout", checkout_command, "make an entry of a store current"},
    {"push", "pqt push", push_command, "push the versions of a store to a line"},
    {"pull", "pqt pull", pull_command, "add the versions of a line to a store"},
    {"follow", "pqt follow", follow_command, "print the versions of a line as they are pushed"},
    {"draw", "pqt draw", draw_command, "draw items, cells, and a window as SVG"},
    {"demo", "pqt demo", demo_command, "edit a map 20,000 times, keep and check every version"},
    {"simulate", "pqt simulate", simulate_command,
     "simulate colliding balls, and keep their worlds"},
    {"studio", "pqt studio", studio_command,
     "show balls, pixels and an editor, with all versions, in a browser"},
    {"stress", "pqt stress", stress_command, "time and check readers while a writer publishes"},
    {"help", "pqt help", help_command, "describe a command, or list all of them"},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const struct poptOption table_of_options[] = {
    {"version", 'V', POPT_ARG_NONE, NULL, 'V', "show the version and exit", NULL}, COMMON_OPTIONS};

/* Returns the list of commands that --help prints after the options. */
static const char *
list_of_commands(void)
{
    static char text[2800];
    size_t used = (size_t)snprintf(text, sizeof text, "Commands:\n");
    for (size_t i = 0; i < COMMANDS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "  %-9s %s\n", commands[i].name,
                                 commands[i].purpose);
    assert(used < sizeof text);
    snprintf(
        text + used, sizeof text - used,
        "\n`pqt help COMMAND` describes a command, `man pqt` all of them. FILE is CSV with a\n"
        "header: min_x,min_y,max_x,max_y or x,y or lon,lat or wkt, and optional id; GeoJSON;\n"
        ".pqt; STORE@ENTRY, a version of a store; or postgresql://...#NAME@NUMBER, of a line.\n");
    return text;
}

/* Handles a call without a command. Its only valid options are --help and --version. */
static int
run_without_command(int count, const char **arguments)
{
    poptContext context =
        begin_options(count, arguments, table_of_options,
                      "[OPTION...] | COMMAND [OPTION...] [FILE]", list_of_commands());
    if (next_option(context) == 'V') {
        printf("pqt %s\n", pqt_version());
        finish_standard_output();
        poptFreeContext(context);
        return STATUS_FOUND;
    }
    die(NULL, 0, "no command is given (pqt help lists them)");
}

static const command *
command_named(const char *name)
{
    suggestion meant = {.word = name};
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
        suggestion_consider(&meant, commands[i].name);
    }
    if (meant.best != NULL)
        die(NULL, 0, "unknown command (%s); did you mean %s?", quote_text(name).text, meant.best);
    die(NULL, 0, "unknown command (%s); pqt help lists the commands", quote_text(name).text);
}

/* Runs the command that the first argument names. The help of the command shows its full name. */
static int
run_command(int count, const char **arguments)
{
    const command *req = command_named(arguments[0]);
    arguments[0] = req->full_name;
    return req->run(count, arguments);
}

static const struct poptOption options_of_help[] = {COMMON_OPTIONS};

/* Prints what --help prints, with or without a command. */
static int
help_command(int count, const char **arguments)
{
    poptContext context = begin_options(count, arguments, options_of_help, "[COMMAND]",
                                        "Describes a command and its options, or lists the "
                                        "commands. Status: 0, or 2 for an error.\n");
    (void)next_option(context);
    const char *name = poptGetArg(context);
    no_argument(context);
    const char *words[] = {name == NULL ? "pqt" : name, "--help", NULL};
    return name == NULL ? run_without_command(2, words) : run_command(2, words);
}

/* Returns a copy of the array of arguments, so that its elements can be replaced. The caller frees
   it. */
static const char **
words_of(int count, char **arguments)
{
    const char **words = calloc((size_t)count + 2, sizeof *words);
    if (words == NULL)
        die(NULL, 0, "out of memory (arguments)");
    for (int i = 0; i < count; i++)
        words[i] = arguments[i];
    return words;
}

/*
 * If a standard stream is closed, opens /dev/null in its place, in the wrong direction, so that any
 * use of the stream fails. Otherwise the next file that is opened would get the descriptor of that
 * stream, and would be read or written instead of it.
 */
static void
occupy_standard_streams(void)
{
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) == -1 &&
            open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY) != stream)
            exit(STATUS_ERROR);
}

int
main(int count, char **arguments)
{
    pqt_error error = {0};
    occupy_standard_streams();
    if (!pqt_init(&error))
        die_error(NULL, &error);
    if (count > 0)
        program_name = arguments[0];
    const char **words = words_of(count, arguments);
    bool is_bare = count < 2 || arguments[1][0] == '-';
    int status = is_bare ? run_without_command(count, words) : run_command(count - 1, words + 1);
    free(words);
    return status;
}
