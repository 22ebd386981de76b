/* SPDX-License-Identifier: MIT */
/* table_quote.c: shows values of tables in messages, which are one readable line. */
#include "config.h"

#include <string.h>

#include "base/utf8.h"
#include "io/table_internal.h"

enum { QUOTED_BYTES = 24 }; /* the number of quoted bytes of a value: enough to recognise it */

static const char cut_mark[] = "...";

_Static_assert(QUOTED_BYTES + 3 + sizeof cut_mark <= sizeof(pqti_quotation),
               "the last character has up to four bytes, which do not fit");

/* Returns the length of the character at the beginning of a text if it may be shown, otherwise
   0. */
static size_t
length_of_character(const char *text, size_t length)
{
    char character[5] = {0};
    memcpy(character, text, length < 4 ? length : 4);
    const size_t found = pqti_utf8_length(character);
    return pqti_is_control(character, found) ? 0 : found;
}

pqti_quotation
pqti_quote(const char *text, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    pqti_quotation quoted = {""};
    char *to = quoted.text;
    size_t at = 0;
    while (at < length && to < quoted.text + QUOTED_BYTES) {
        const size_t character = length_of_character(text + at, length - at);
        const unsigned char byte = (unsigned char)text[at];
        memcpy(to, text + at, character);
        if (character == 0)
            memcpy(to, (char[]){'\\', 'x', digits[byte / 16], digits[byte % 16]}, 4);
        to += character > 0 ? character : 4;
        at += character > 0 ? character : 1;
    }
    if (at < length)
        memcpy(to, cut_mark, sizeof cut_mark);
    return quoted;
}
