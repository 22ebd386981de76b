/* SPDX-License-Identifier: MIT */
/*
 * fatal.c - the one way out when something is wrong.
 *
 * Scripts and editors read what stands here: one line, the place first, the offending value last,
 * in parentheses. Whatever the value holds, it stays one line and readable.
 */
#include "config.h"

#include "tool/tool.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { QUOTED_BYTES = 60 }; /* of a value: enough to find it again */

/* Whether the second byte may follow the first: no overlong forms, no surrogates, no controls. */
static bool
may_follow(unsigned char first, unsigned char second)
{
    unsigned char least = first == 0xe0 || first == 0xc2 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char greatest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return second >= least && second <= greatest;
}

/* Bytes of a character of UTF-8 that may be shown; 0: it is none. */
static size_t
character_length(const unsigned char *text, size_t rest)
{
    size_t length = text[0] < 0xc2 ? 1 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    if (text[0] < 0x20 || text[0] == 0x7f || text[0] > 0xf4 || length > rest)
        return 0;
    if (length == 1)
        return text[0] < 0x80 ? 1 : 0;
    for (size_t i = 2; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return may_follow(text[0], text[1]) ? length : 0;
}

/* Appends the next character of a text, or what stands for its next byte; returns how many bytes
   that was. */
static size_t
append_character(char *shown, size_t *used, const char *text, size_t rest)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = character_length(bytes, rest);
    memcpy(shown + *used, text, length);
    *used += length;
    if (length == 0)
        *used += (size_t)sprintf(shown + *used, "\\x%02x", bytes[0]);
    return length > 0 ? length : 1;
}

quotation
quote(const char *text, size_t length)
{
    quotation quoted = {""};
    size_t at = 0, used = 0;
    while (at < length && at < QUOTED_BYTES)
        at += append_character(quoted.text, &used, text + at, length - at);
    strcpy(quoted.text + used, at < length ? "..." : "");
    return quoted;
}

_Static_assert(QUOTED_BYTES * 4 + 4 <= sizeof(quotation), "a byte may become four characters");

quotation
quote_text(const char *text)
{
    return quote(text, text != NULL ? strlen(text) : 0);
}

/* A file's name is never cut: its end tells more than its beginning. */
static void
print_place(const char *file)
{
    size_t length = strlen(file);
    for (size_t at = 0; at < length;) {
        char shown[8];
        size_t used = 0;
        at += append_character(shown, &used, file + at, length - at);
        fwrite(shown, 1, used, stderr);
    }
    fputs(length == 0 ? "\"\":" : ":", stderr);
}

void
complain(const char *file, size_t line, const char *format, ...)
{
    va_list values;
    progress_end();
    output_discard();
    fputs("pqt: ", stderr);
    if (file != NULL)
        print_place(file);
    if (line > 0)
        fprintf(stderr, "%zu:", line);
    if (file != NULL)
        putc(' ', stderr);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    putc('\n', stderr);
    exit(STATUS_ERROR);
}

void
complain_error(const char *file, const pqt_error *error)
{
    complain(file, 0, "%s", error->text);
}

void *
grown(void *block, size_t *room, size_t needed, size_t size)
{
    if (block != NULL && needed <= *room)
        return block;
    size_t next = *room + *room / 2 + 64;
    if (next < needed)
        next = needed;
    void *larger = next <= SIZE_MAX / 2 / size ? realloc(block, next * size) : NULL;
    if (larger == NULL)
        complain(NULL, 0, "no memory (%zu times %zu bytes)", next, size);
    *room = next;
    return larger;
}
