/* SPDX-License-Identifier: MIT */
/*
 * numbers.c: parses and formats numbers.
 *
 * The program never calls setlocale, so strtod and printf always use the decimal point.
 */
#include "config.h"

#include "tool/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

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

digits
grouped(uint64_t number)
{
    digits plain, out;
    int length = snprintf(plain.text, sizeof plain.text, "%" PRIu64, number);
    size_t used = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out.text[used++] = ',';
        out.text[used++] = plain.text[i];
    }
    out.text[used] = '\0';
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
