/* SPDX-License-Identifier: MIT */
/* cmd_follow.c: `pqt follow`: prints the versions of a line as they are pushed. */
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
#include "tool/output_version.h"

static const char purpose[] =
    "Prints the newest version of a line and each later one as it is pushed, one per row: number,\n"
    "label, author, and the number of items of a tree. It ends after --count versions, after\n"
    "--seconds without a new one, or at Ctrl-C. ADDRESS is postgresql://...#NAME, or\n"
    "...#NAME@NUMBER to begin with the versions after that one.\n"
    "Status: 0 if versions were printed, 1 if none was, 2 for an error.\n";

enum { FOREVER = 1000000 }; /* in seconds: without --seconds, a wait of this length is repeated */

static const struct poptOption table_of_options[] = {
    {"versions", '\0', POPT_ARG_STRING, NULL, 'n', "end after N versions", "N"},
    {"idle", '\0', POPT_ARG_STRING, NULL, 's', "end after S seconds without a new version", "S"},
    {"output", 'o', POPT_ARG_STRING, NULL, 'o', "write to this file: the newest version, each time",
     "OUT.pqt"},
    COMMON_OPTIONS};

typedef struct follow {
    opened_line line;
    uint64_t printed, most; /* the number of versions printed so far, and the maximum */
    double seconds;
    char *output;
} follow;

static bool
print_entry(const pqt_line_entry *entry, void *context)
{
    follow *f = context;
    printf("%" PRIu64 "  %s", entry->number, entry->label);
    if (entry->author[0] != '\0')
        printf("  (%s)", entry->author);
    if (entry->number == pqt_line_number(f->line.line))
        printf("  %" PRIu64 " %s", pqt_version_count(pqt_line_version(f->line.line)),
               pqt_kind_elements(pqt_line_kind(f->line.line)));
    printf("\n");
    return ++f->printed < f->most;
}

/* Prints all versions after a given one, and writes the newest one to the output. */
static void
print_versions(follow *f, uint64_t after)
{
    pqt_error error = {0};
    if (!pqt_line_visit(f->line.line, after + 1, pqt_line_number(f->line.line), print_entry, f,
                        &error) &&
        error.status != PQT_OK) /* not if print_entry stopped it */
        die_error(f->line.name, &error);
    if (f->output != NULL) {
        output_version(output_open(f->output, "pqt"), f->output, pqt_line_version(f->line.line));
        output_close();
    }
    fflush(stdout);
}

static void
follow_line(follow *f, uint64_t after)
{
    pqt_error error = {0};
    while (f->printed < f->most) {
        if (pqt_line_number(f->line.line) > after) {
            print_versions(f, after);
            after = pqt_line_number(f->line.line);
            continue;
        }
        if (!pqt_line_wait(f->line.line, f->seconds, &error))
            die_error(f->line.name, &error);
        if (pqt_line_number(f->line.line) == after && f->seconds < FOREVER)
            return;
    }
}

int
follow_command(int count, const char **arguments)
{
    follow f = {.most = UINT64_MAX, .seconds = FOREVER};
    poptContext context =
        begin_options(count, arguments, table_of_options, "[OPTION...] ADDRESS", purpose);
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'n') {
            f.most = (uint64_t)number_option(context, "--count", 1, INT64_MAX);
        } else if (letter == 's') {
            f.seconds = (double)number_option(context, "--seconds", 0, FOREVER - 1);
        } else if (letter == 'o') {
            free(f.output);
            f.output = text_option(context);
        }
    }
    const char *name = poptGetArg(context);
    if (name == NULL)
        die(NULL, 0, "no address of a line is given (postgresql://...#NAME)");
    no_argument(context);
    if (f.output != NULL && strcmp(f.output, "-") == 0)
        die(NULL, 0, "--output may not be standard output, which receives the versions (-)");
    if (!line_is_named(name))
        die(NULL, 0, "the argument is not the address of a line, postgresql://...#NAME (%s)",
            quote_text(name).text);
    f.line = line_open_named(name, PQT_LINE_CREATE);
    const uint64_t newest = pqt_line_number(f.line.line);
    follow_line(&f, f.line.number < newest ? f.line.number : newest > 0 ? newest - 1 : 0);
    finish_standard_output();
    line_close_named(&f.line);
    free(f.output);
    poptFreeContext(context);
    return f.printed > 0 ? STATUS_FOUND : STATUS_NOTHING;
}
