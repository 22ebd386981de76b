/* SPDX-License-Identifier: MIT */
/*
 * xml.c: writes text with XML escapes.
 *
 * A single forbidden byte makes a whole file unreadable, and the text comes from the user. So
 * pqti_xml_text checks each character. Source: XML 1.0, section 2.2 (Char).
 */
#include "config.h"

#include "io/xml.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

/* Returns true if a UTF-8 character is allowed in XML. Most control characters, U+FFFE and U+FFFF
   are forbidden. */
static bool
is_allowed(const char *text, size_t length)
{
    const unsigned char first = (unsigned char)text[0];
    if (first < 0x20)
        return first == '\t' || first == '\n' || first == '\r';
    return length != 3 || memcmp(text, "\xef\xbf", 2) != 0 || (unsigned char)text[2] < 0xbe;
}

/* Returns the number of bytes in the character at `text` if XML allows the character, otherwise 0.
   Does not read past the end. */
static size_t
allowed_length(const char *text)
{
    const size_t length = pqti_utf8_length(text);
    return length > 0 && is_allowed(text, length) ? length : 0;
}

/* Returns the entity for a markup character, or NULL for any other character. */
static const char *
escape_of(char character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

void
pqti_xml_text(FILE *stream, const char *text)
{
    while (*text != '\0') {
        size_t length = allowed_length(text);
        const char *escape = escape_of(*text);
        if (length == 0)
            escape = PQTI_REPLACEMENT;
        if (escape != NULL)
            fputs(escape, stream);
        else
            fwrite(text, 1, length, stream);
        text += length > 0 ? length : 1;
    }
}
