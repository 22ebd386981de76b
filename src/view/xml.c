/* SPDX-License-Identifier: MIT */
/*
 * xml.c - text as XML wants it.
 *
 * One forbidden byte makes a whole picture unreadable, and names come from anywhere: so each character
 * is decoded and looked at. Source: XML 1.0, section 2.2 (Char); Unicode 15, table 3-7 (UTF-8).
 */
#include "config.h"

#include "view/xml.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* Bytes of the character that a first byte announces; 0: no character begins so. */
static int
length_of(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Whether XML allows a character of `length` bytes: no controls, no overlong forms, no surrogates. */
static bool
is_allowed(uint32_t code, int length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < 0x20)
        return code == '\t' || code == '\n' || code == '\r';
    if (code >= 0xd800 && code < 0xe000)
        return false;
    return code >= least[length] && code != 0xfffe && code != 0xffff && code < 0x110000;
}

/* Bytes of the character at `text` if XML allows it, else 0. The text's end ends the decoding. */
static int
allowed_length(const char *text)
{
    unsigned char first = (unsigned char)text[0];
    int length = length_of(first);
    uint32_t code = length > 1 ? first & (0x7fU >> length) : first;
    for (int i = 1; i < length; i++) {
        unsigned char next = (unsigned char)text[i];
        if ((next & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (next & 0x3f);
    }
    return length > 0 && is_allowed(code, length) ? length : 0;
}

/* What stands for a character of markup; NULL: the character itself does. */
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
        int length = allowed_length(text);
        const char *escape = escape_of(*text);
        if (length == 0)
            escape = replacement;
        if (escape != NULL)
            fputs(escape, stream);
        else
            fwrite(text, 1, (size_t)length, stream);
        text += length > 0 ? length : 1;
    }
}
