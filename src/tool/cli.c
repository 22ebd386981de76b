/* SPDX-License-Identifier: MIT */
/* cli.c: parses the command-line options that several commands share, using popt. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "tool/tool.h"

static const char *purpose_of_command; /* printed by --help after the usage */

poptContext
begin_options(int count, const char **arguments, const struct poptOption *known, const char *usage,
              const char *purpose)
{
    poptContext context = poptGetContext("pqt", count, arguments, known, 0);
    if (context == NULL)
        die(NULL, 0, "out of memory (options)");
    poptSetOtherOptionHelp(context, usage);
    purpose_of_command = purpose;
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

int
next_option(poptContext context)
{
    int letter = poptGetNextOpt(context);
    if (letter == 'h')
        show_help(context);
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
box_option(poptContext context, const char *name, bool may_be_infinite)
{
    char *text = text_option(context);
    double numbers[4];
    if (!read_numbers(text, numbers, 4))
        die(NULL, 0, "%s is not four numbers X0,Y0,X1,Y1 (%s)", name, quote_text(text).text);
    pqt_box box = {{numbers[0], numbers[1]}, {numbers[2], numbers[3]}};
    if (box.min.x > box.max.x || box.min.y > box.max.y)
        die(NULL, 0, "%s is inverted (%s)", name, quote_text(text).text);
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

pqt_memory *
tool_memory(void)
{
    pqt_error error = {0};
    pqt_memory *memory = pqt_default_memory(&error);
    if (memory == NULL)
        die_error(NULL, &error);
    return memory;
}

/*
 * ---- Parsing and formatting numbers ----
 *
 * The program never calls setlocale, so strtod and printf always use the decimal point.
 */

/* in characters: the longest exact decimal of a double is "-0." and 1074 digits */
enum { LONGEST_NUMBER = 1077 };

static const char *
past_digits(const char *text)
{
    return text + strspn(text, "0123456789");
}

/* Returns true if the text is a decimal number. strtod alone would also accept " 1", 0x10 and
   nan(7). */
static bool
is_decimal(const char *text)
{
    text += *text == '+' || *text == '-';
    const char *whole = past_digits(text);
    const char *end = *whole == '.' ? past_digits(whole + 1) : whole;
    if (end - text == (*whole == '.')) /* the text has no digits at all */
        return false;
    if (*end == 'e' || *end == 'E') {
        const char *exponent = end + 1 + (end[1] == '+' || end[1] == '-');
        end = past_digits(exponent);
        if (end == exponent)
            return false;
    }
    return *end == '\0';
}

/* Returns true if the text is inf, infinity or nan, in upper or lower case, with an optional
   sign. */
static bool
is_infinite_word(const char *text)
{
    text += *text == '+' || *text == '-';
    return strcasecmp(text, "inf") == 0 || strcasecmp(text, "infinity") == 0 ||
           strcasecmp(text, "nan") == 0;
}

number_fault
read_number(const char *text, size_t length, double *number)
{
    char copy[LONGEST_NUMBER + 1];
    if (length > LONGEST_NUMBER || memchr(text, '\0', length) != NULL)
        return NUMBER_NOT_ONE;
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (!is_decimal(copy) && !is_infinite_word(copy))
        return NUMBER_NOT_ONE;
    *number = strtod(copy, NULL);
    return isfinite(*number) ? NUMBER_FINE : NUMBER_NOT_FINITE;
}

bool
read_id(const char *text, size_t length, uint64_t *id)
{
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        unsigned digit = (unsigned)(text[i] - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *id = value;
    return length > 0;
}

digits
shortest(double number)
{
    digits out;
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(out.text, sizeof out.text, "%.*g", precision, number);
        if (strtod(out.text, NULL) == number)
            break;
    }
    return out;
}

/* Formats a number with three digits and one of the given units, each of which is 1000 times the
   one before it. */
static digits
with_unit(double number, const char *const *units, size_t count)
{
    digits out;
    size_t unit = 0;
    for (; unit + 1 < count && number >= 999.5; unit++)
        number /= 1000;
    int decimals = number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
    snprintf(out.text, sizeof out.text, "%.*f %s", decimals, number, units[unit]);
    return out;
}

digits
in_bytes(double bytes)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB"};
    digits out;
    if (bytes >= 9999.5)
        return with_unit(bytes / 1000, units, sizeof units / sizeof units[0]);
    out = grouped((uint64_t)(bytes + 0.5));
    strcat(out.text, " B");
    return out;
}

digits
in_time(double seconds)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    return with_unit(seconds * 1e9, units, sizeof units / sizeof units[0]);
}

digits
utc_time(double seconds)
{
    digits shown = {""};
    struct tm parts;
    const time_t whole = (time_t)seconds;
    if (gmtime_r(&whole, &parts) == NULL ||
        strftime(shown.text, sizeof shown.text, "%Y-%m-%d %H:%M:%S", &parts) == 0)
        snprintf(shown.text, sizeof shown.text, "?");
    return shown;
}
