/* SPDX-License-Identifier: MIT */
/*
 * complain.c - the one way out when something is wrong.
 *
 * Scripts and editors read what stands here: one line, the place first, the offending value last, in
 * parentheses. Whatever the value holds, it stays one line and readable.
 */
#include "config.h"

#include "tool/tool.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { QUOTED_BYTES = 60 }; /* of a value: enough to find it again */

/* Bytes of a character of UTF-8, judged by its first and following bytes; 0: it is none. */
static size_t
character_length(const unsigned char *text, size_t rest)
{
    size_t length = text[0] < 0xc2 ? 1 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    if (text[0] < 0x20 || text[0] == 0x7f || text[0] > 0xf4 || length > rest)
        return 0;
    if (length == 1)
        return text[0] < 0x80 ? 1 : 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return text[0] == 0xc2 && text[1] < 0xa0 ? 0 : length; /* the second row of controls */
}

quotation
quote(const char *text, size_t length)
{
    quotation quoted = {""};
    const unsigned char *bytes = (const unsigned char *)text;
    size_t at = 0, used = 0;
    while (at < length && at < QUOTED_BYTES) {
        size_t character = character_length(bytes + at, length - at);
        if (character > 0) {
            memcpy(quoted.text + used, text + at, character);
            used += character;
            at += character;
        } else {
            used += (size_t)sprintf(quoted.text + used, "\\x%02x", bytes[at++]);
        }
    }
    strcpy(quoted.text + used, at < length ? "..." : "");
    return quoted;
}

_Static_assert(QUOTED_BYTES * 4 + 4 <= sizeof(quotation), "a byte may become four characters");

quotation
quote_text(const char *text)
{
    return quote(text, text != NULL ? strlen(text) : 0);
}

void
complain(const char *file, size_t line, const char *format, ...)
{
    va_list values;
    progress_end();
    output_discard();
    fputs("pqt: ", stderr);
    if (file != NULL)
        fprintf(stderr, "%s:", quote_text(file).text);
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
    if (needed <= *room)
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
