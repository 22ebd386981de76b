/* SPDX-License-Identifier: MIT */
/* main.c - the program pqt: finds the command and hands over. */
#include "config.h"

#include "tool/tool.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct command {
    const char *name;
    const char *full_name; /* for its help */
    int (*run)(int count, const char **arguments);
    const char *purpose;
} command;

static const command commands[] = {
    {"info", "pqt info", info_command, "say what a file holds, and what its tree looks like"},
    {"search", "pqt search", search_command, "print the items in a window"},
    {"nearest", "pqt nearest", nearest_command, "print the items nearest to a point"},
    {"ray", "pqt ray", ray_command, "print the items that a segment hits"},
    {"pairs", "pqt pairs", pairs_command, "print the pairs of items that meet"},
    {"diff", "pqt diff", diff_command, "print what changed from one file to another"},
    {"merge", "pqt merge", merge_command, "bring two sides' changes of a file together"},
    {"region", "pqt region", region_command, "combine PNG pictures as sets of pixels"},
    {"collide", "pqt collide", collide_command,
     "say whether two pictures overlap, or how far one gets"},
    {"history", "pqt history", history_command, "edit, undo, branch, and ask about the past"},
    {"draw", "pqt draw", draw_command, "draw items, cells, and a window as SVG"},
    {"demo", "pqt demo", demo_command, "edit a map 20,000 times, keep and check every version"},
    {"simulate", "pqt simulate", simulate_command, "let balls collide, and keep every moment"},
    {"stress", "pqt stress", stress_command,
     "let readers search what a writer changes, and time it"},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const struct poptOption table_of_options[] = {
    {"version", 'V', POPT_ARG_NONE, NULL, 'V', "show the version and end", NULL}, COMMON_OPTIONS};

const char *program_name = "pqt";

/* The list of commands, below the help's own words. */
static const char *
list_of_commands(void)
{
    static char text[1000];
    size_t used = (size_t)snprintf(text, sizeof text, "Commands:\n");
    for (size_t i = 0; i < COMMANDS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "  %-9s %s\n", commands[i].name,
                                 commands[i].purpose);
    snprintf(text + used, sizeof text - used,
             "\npqt COMMAND --help tells more of a command, `man pqt` of all. FILE is CSV with a\n"
             "header: min_x,min_y,max_x,max_y or x,y or lon,lat, and optional id.\n");
    return text;
}

/* A call without a command: only --help and --version are of use. */
static int
without_command(int count, const char **arguments)
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
    complain(NULL, 0, "no command is given (see pqt --help)");
}

static const command *
command_named(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    complain(NULL, 0, "unknown command (%s)", quote_text(name).text);
}

/* The first argument is the name of the command; its help shows the full one. */
static int
with_command(int count, const char **arguments)
{
    const command *asked = command_named(arguments[0]);
    arguments[0] = asked->full_name;
    return asked->run(count, arguments);
}

/* The same words, to be replaced by others; to be freed. */
static const char **
words_of(int count, char **arguments)
{
    const char **words = calloc((size_t)count + 2, sizeof *words);
    if (words == NULL)
        complain(NULL, 0, "no memory (arguments)");
    for (int i = 0; i < count; i++)
        words[i] = arguments[i];
    return words;
}

/*
 * A program may be started with standard streams closed. The next file opened would take such a
 * stream's place, and be written to in its stead; so each is taken by something that cannot be
 * used.
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
        complain_error(NULL, &error);
    if (count > 0)
        program_name = arguments[0];
    const char **words = words_of(count, arguments);
    bool is_bare = count < 2 || arguments[1][0] == '-';
    int status = is_bare ? without_command(count, words) : with_command(count - 1, words + 1);
    free(words);
    return status;
}
