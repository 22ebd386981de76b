/* SPDX-License-Identifier: MIT */
/* cmd_save.c: `pqt save`: adds a version to a store or a line. */
#include "config.h"

#include "tool/commands.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <popt.h>

#include "tool/cli.h"
#include "tool/column_options.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/save_task.h"

static const char purpose[] =
    "Adds the version in FILE to a store, as an entry after the current one, or to a line, after\n"
    "the newest one, and prints its number. A store or a line that does not exist is created.\n"
    "FILE is CSV, .pqt, or a version of a store or a line. Items are put into a tree with the\n"
    "bounds and options of the previous version; of CSV files, only ids and boxes are kept. A\n"
    "version that equals the previous one is not added. ADDRESS is postgresql://...#NAME, or\n"
    "...#NAME@NUMBER if FILE was made from that version. If the line has a version after that,\n"
    "nothing is saved, which is an error, or the changes of both are merged (--merge).\n"
    "Status: 0 if it was saved, 1 if nothing has changed, 2 for an error.\n";

enum { STATUS_SAVED = STATUS_FOUND, STATUS_EQUAL = STATUS_NOTHING };

static const struct poptOption table_of_options[] = {
    {"label", 'l', POPT_ARG_STRING, NULL, 'l', "the version's label (default: the name of FILE)",
     "LABEL"},
    {"name", '\0', POPT_ARG_STRING, NULL, 'n', "name the entry of a store, so that it can be found",
     "NAME"},
    {"time", '\0', POPT_ARG_STRING, NULL, 't',
     "the time of the entry of a store (default: the current one's + 1)", "T"},
    {"merge", 'm', POPT_ARG_NONE, NULL, 'm', "merge with newer versions, of a line", NULL},
    {"author", '\0', POPT_ARG_STRING, NULL, 'a',
     "author of the versions (default: $USER), of a line", "AUTHOR"},
    COLUMN_OPTIONS,
    COMMON_OPTIONS};

/* Replaces the string that an option sets. */
static void
read_text(poptContext context, char **text)
{
    free(*text);
    *text = text_option(context);
}

static void
read_time(poptContext context, save_request *req)
{
    char *text = text_option(context);
    if (read_number(text, strlen(text), &req->time) != NUMBER_FINE)
        die(NULL, 0, "--time is not a number (%s)", quote_text(text).text);
    req->has_time = true;
    free(text);
}

/* Ends the program with an error if an option belongs to the other kind of target. */
static void
check_options(const save_request *req)
{
    const bool is_line = line_is_named(req->target);
    if (is_line && req->name != NULL)
        die(NULL, 0, "--name names an entry of a store, but versions of a line have numbers only");
    if (is_line && req->has_time)
        die(NULL, 0, "--time is for a store: the database sets the times of a line");
    if (!is_line && req->merges)
        die(NULL, 0, "--merge is for a line: nobody else changes a store while it is open");
    if (!is_line && req->author != NULL)
        die(NULL, 0, "--author is for a line: entries of a store have no author");
}

static save_request
read_request(poptContext context)
{
    save_request req = {.target = NULL};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'l')
            read_text(context, &req.label);
        else if (letter == 'n')
            read_text(context, &req.name);
        else if (letter == 't')
            read_time(context, &req);
        else if (letter == 'a')
            read_text(context, &req.author);
        else if (letter == 'm')
            req.merges = true;
    }
    req.target = file_argument(context, 0);
    req.file = file_argument(context, 1);
    no_argument(context);
    check_options(&req);
    return req;
}

int
save_command(int count, const char **arguments)
{
    poptContext context = begin_options(count, arguments, table_of_options,
                                        "[OPTION...] STORE|ADDRESS FILE", purpose);
    save_request req = read_request(context);
    const bool is_saved = line_is_named(req.target) ? save_to_line(&req) : save_to_store(&req);
    free(req.label);
    free(req.name);
    free(req.author);
    poptFreeContext(context);
    return is_saved ? STATUS_SAVED : STATUS_EQUAL;
}
