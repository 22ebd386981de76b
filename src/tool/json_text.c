/* SPDX-License-Identifier: MIT */
/* json_text.c: writes JSON: strings, and objects of facts. */
#include "config.h"

#include "tool/json_text.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/message.h"
#include "tool/numbers.h"

enum { MOST_DIGITS = 15 };                       /* the digits that each double keeps */
static const uint64_t most_integer = 1ULL << 53; /* the integers that each double keeps */

/* Returns the length in bytes of the UTF-8 character at a place, or 0 if there is none. */
static size_t
character_length(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    if (bytes[0] < 0x80)
        return 1;
    if (bytes[0] == 0xc2 && (bytes[1] & 0xc0) == 0x80)
        return 2;
    return printable_length(text, strlen(text));
}

void
check_json_text(const char *text, const char *file)
{
    for (size_t length; *text != '\0'; text += length) {
        length = character_length(text);
        if (length == 0)
            die(file, 0, "JSON is UTF-8, but a field is not (%s)", quote_text(text).text);
    }
}

static int
compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void
check_json_names(const char **names, size_t count, const char *file)
{
    if (count > 0)
        qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            die(file, 0, "an object of JSON has no two members with one name (%s)",
                quote_text(names[i]).text);
}

void
write_json_string(FILE *stream, const char *text)
{
    putc('"', stream);
    for (size_t length; *text != '\0'; text += length > 0 ? length : 1) {
        length = character_length(text);
        if (length == 0)
            fputs("\xef\xbf\xbd", stream);
        else if ((unsigned char)*text < 0x20)
            fprintf(stream, "\\u%04x", (unsigned)*text);
        else
            fprintf(stream, *text == '"' || *text == '\\' ? "\\%.*s" : "%.*s", (int)length, text);
    }
    putc('"', stream);
}

static size_t
count_digits(const char *text)
{
    return strspn(text, "0123456789");
}

size_t
json_number_length(const char *text, size_t *precision)
{
    const char *at = text + (*text == '-');
    const size_t whole = count_digits(at);
    const bool is_zero = *at == '0';
    if (whole == 0 || (is_zero && whole > 1))
        return 0;
    *precision = whole - is_zero;
    at += whole;
    if (*at == '.' && count_digits(at + 1) > 0) {
        const size_t part = count_digits(at + 1);
        *precision += *precision > 0 ? part : part - strspn(at + 1, "0");
        at += 1 + part;
    }
    if (*at == 'e' || *at == 'E') {
        const size_t sign = at[1] == '+' || at[1] == '-';
        const size_t power = count_digits(at + 1 + sign);
        at += power > 0 ? 1 + sign + power : 0;
    }
    return (size_t)(at - text);
}

/* Returns true if a text is a number of JSON that each double keeps: not too long, and neither too
   large nor too small. */
static bool
is_kept_number(const char *text)
{
    size_t precision = 0;
    double number;
    const size_t length = json_number_length(text, &precision);
    if (length == 0 || text[length] != '\0' || precision > MOST_DIGITS)
        return false;
    return read_number(text, length, &number) == NUMBER_FINE &&
           (precision == 0 || fabs(number) >= DBL_MIN);
}

void
write_json_field(FILE *stream, const char *text)
{
    if (is_kept_number(text))
        fputs(text, stream);
    else
        write_json_string(stream, text);
}

void
write_json_id(FILE *stream, uint64_t id)
{
    fprintf(stream, id <= most_integer ? "%" PRIu64 : "\"%" PRIu64 "\"", id);
}

/* ---- Facts ---- */

void
facts_end(facts *all)
{
    if (all->are_json)
        puts("\n}");
}

void
fact_name(facts *all, const char *name)
{
    if (!all->are_json) {
        printf("%-*s ", all->width, name);
        return;
    }
    fputs(all->count++ > 0 ? ",\n\"" : "{\n\"", stdout);
    for (; *name != '\0'; name++)
        putchar(*name == ' ' ? '_' : *name);
    fputs("\":", stdout);
}

/* Ends a line of text. */
static void
end_line(const facts *all)
{
    if (!all->are_json)
        putchar('\n');
}

void
fact_text(facts *all, const char *name, const char *text)
{
    fact_name(all, name);
    if (all->are_json)
        write_json_string(stdout, text);
    else
        fputs(text, stdout);
    end_line(all);
}

void
fact_number(facts *all, const char *name, uint64_t number)
{
    fact_name(all, name);
    if (all->are_json)
        write_json_id(stdout, number);
    else
        fputs(grouped(number).text, stdout);
    end_line(all);
}

void
fact_box(facts *all, const char *name, pqt_box box)
{
    fact_name(all, name);
    printf(all->are_json ? "[%s,%s,%s,%s]" : "%s, %s .. %s, %s", shortest(box.min.x).text,
           shortest(box.min.y).text, shortest(box.max.x).text, shortest(box.max.y).text);
    end_line(all);
}
