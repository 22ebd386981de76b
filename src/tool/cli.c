/* SPDX-License-Identifier: MIT */
/* cli.c: parses the command-line options that several commands share, using popt. */
#include "config.h"

#include "tool/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/out.h"
#include "tool/progress.h"
#include "tool/suggestion.h"

static const char *purpose_of_command;              /* printed by --help after the usage */
static const struct poptOption *options_of_command; /* the table that was passed to popt */

poptContext
begin_options(int count, const char **arguments, const struct poptOption *known, const char *usage,
              const char *purpose)
{
    poptContext context = poptGetContext("pqt", count, arguments, known, 0);
    if (context == NULL)
        die(NULL, 0, "out of memory (options)");
    poptSetOtherOptionHelp(context, usage);
    purpose_of_command = purpose;
    options_of_command = known;
    return context;
}

static _Noreturn void
show_help(poptContext context)
{
    poptPrintHelp(context, stdout, 0);
    printf("\n%s", purpose_of_command);
    poptFreeContext(context);
    finish_standard_output();
    exit(STATUS_FOUND);
}

/* Returns the name of the long option that the user may have meant, without its dashes, or NULL if
   there is none. */
static const char *
option_like(const char *given)
{
    char name[64];
    if (strncmp(given, "--", 2) != 0)
        return NULL;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(given + 2, "="), given + 2);
    suggestion meant = {.word = name};
    for (const struct poptOption *option = options_of_command; option->longName != NULL; option++)
        suggestion_consider(&meant, option->longName);
    return meant.best;
}

static _Noreturn void
refuse_option(const char *why, const char *given)
{
    const char *meant = option_like(given);
    if (meant != NULL)
        die(NULL, 0, "%s (%s); did you mean --%s?", why, quote_text(given).text, meant);
    die(NULL, 0, "%s (%s)", why, quote_text(given).text);
}

int
next_option(poptContext context)
{
    int letter;
    while ((letter = poptGetNextOpt(context)) == 'q')
        is_quiet = true;
    if (letter == 'h')
        show_help(context);
    if (letter == POPT_ERROR_BADOPT)
        refuse_option(poptStrerror(letter), poptBadOption(context, POPT_BADOPTION_NOALIAS));
    if (letter < -1)
        die(NULL, 0, "%s (%s)", poptStrerror(letter),
            quote_text(poptBadOption(context, POPT_BADOPTION_NOALIAS)).text);
    return letter > 0 ? letter : 0;
}

const char *
file_argument(poptContext context, int number)
{
    static const char *const names[] = {"", "second ", "third "};
    const char *argument = poptGetArg(context);
    if (argument == NULL)
        die(NULL, 0, "no %sfile is named (- is standard input)", names[number]);
    return argument;
}

const char *
only_argument(poptContext context)
{
    const char *argument = file_argument(context, 0);
    no_argument(context);
    return argument;
}

void
no_argument(poptContext context)
{
    const char *argument = poptGetArg(context);
    if (argument != NULL)
        die(NULL, 0, "unexpected argument (%s)", quote_text(argument).text);
}

char *
text_option(poptContext context)
{
    char *text = poptGetOptArg(context);
    if (text == NULL)
        die(NULL, 0, "out of memory (options)");
    return text;
}

/* Reads `count` numbers separated by commas. NaN is not accepted. */
static bool
read_numbers(const char *text, double *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        bool is_last = i == count - 1;
        size_t length = strcspn(text, ",");
        if (read_number(text, length, &numbers[i]) == NUMBER_NOT_ONE || isnan(numbers[i]))
            return false;
        if (text[length] != (is_last ? '\0' : ','))
            return false;
        text += length + !is_last;
    }
    return true;
}

pqt_box
sides_of(const char *text, const char *name)
{
    double numbers[4];
    if (!read_numbers(text, numbers, 4))
        die(NULL, 0, "%s is not four numbers X0,Y0,X1,Y1 (%s)", name, quote_text(text).text);
    return (pqt_box){{numbers[0], numbers[1]}, {numbers[2], numbers[3]}};
}

pqt_box
window_of(const char *text, const char *name)
{
    const pqt_box box = sides_of(text, name);
    if (box.min.x > box.max.x || box.min.y > box.max.y)
        die(NULL, 0, "%s is inverted (%s)", name, quote_text(text).text);
    return box;
}

pqt_box
box_option(poptContext context, const char *name, bool may_be_infinite)
{
    char *text = text_option(context);
    const pqt_box box = window_of(text, name);
    if (!may_be_infinite && !pqt_box_is_valid(box))
        die(NULL, 0, "%s is not finite (%s)", name, quote_text(text).text);
    free(text);
    return box;
}

pqt_vec
point_option(poptContext context, const char *name)
{
    char *text = text_option(context);
    double numbers[2];
    if (!read_numbers(text, numbers, 2))
        die(NULL, 0, "%s is not two numbers X,Y (%s)", name, quote_text(text).text);
    pqt_vec point = {numbers[0], numbers[1]};
    if (!pqt_vec_is_finite(point))
        die(NULL, 0, "%s is not finite (%s)", name, quote_text(text).text);
    free(text);
    return point;
}

double
distance_option(poptContext context, const char *name)
{
    char *text = text_option(context);
    double distance;
    if (!read_numbers(text, &distance, 1) || distance < 0)
        die(NULL, 0, "%s is not a number >= 0 (%s)", name, quote_text(text).text);
    if (isinf(distance))
        die(NULL, 0, "%s is not finite (%s)", name, quote_text(text).text);
    free(text);
    return distance;
}

pqt_relation
relation_option(poptContext context)
{
    char *text = text_option(context);
    for (pqt_relation relation = PQT_TOUCHES; relation <= PQT_COVERS; relation++)
        if (strcmp(text, pqt_relation_name(relation)) == 0) {
            free(text);
            return relation;
        }
    die(NULL, 0, "--relation is not touches, overlaps, inside or covers (%s)",
        quote_text(text).text);
}

long long
number_option(poptContext context, const char *name, long long least, long long most)
{
    char *text = text_option(context);
    uint64_t value;
    if (!read_id(text, strlen(text), &value) || value > (uint64_t)most || value < (uint64_t)least)
        die(NULL, 0, "%s is not a whole number from %lld to %lld (%s)", name, least, most,
            quote_text(text).text);
    free(text);
    return (long long)value;
}
