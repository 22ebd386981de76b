/* SPDX-License-Identifier: MIT */
/*
 * utf8.h: computes the length of UTF-8 characters and validates names. Source: Unicode 15, table
 * 3-7.
 */
#ifndef PQTI_UTF8_H
#define PQTI_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* U+FFFD, which replaces invalid bytes. */
#define PQTI_REPLACEMENT "\xef\xbf\xbd"

/*
 * Returns the length in bytes of a character that begins with this byte, or 0 if no character does.
 */
static inline size_t
pqti_utf8_length_by_first_byte(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/*
 * Returns the length in bytes of the first character of a text, or 0 if it is invalid. The text
 * must be terminated by a zero byte.
 */
static inline size_t
pqti_utf8_length(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    const unsigned char first = bytes[0];
    const size_t length = pqti_utf8_length_by_first_byte(first);
    /* excludes overlong forms, surrogates, and numbers above U+10FFFF */
    const unsigned char min = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned char max = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (length > 1 && (bytes[1] < min || bytes[1] > max))
        return 0;
    for (size_t i = 2; i < length; i++)
        if (bytes[i] < 0x80 || bytes[i] > 0xbf)
            return 0;
    return length;
}

/*
 * Returns true if a character is a control character of ASCII or of Latin 1. The latter have two
 * bytes.
 */
static inline bool
pqti_is_control(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    if (length == 1)
        return bytes[0] < 0x20 || bytes[0] == 0x7f;
    return length == 2 && bytes[0] == 0xc2 && bytes[1] < 0xa0;
}

/* Returns true if a name consists of 1 to `most` bytes of UTF-8 without control characters. */
static inline bool
pqti_is_valid_name(const char *name, size_t most)
{
    size_t length = 0;
    while (name[length] != '\0') {
        const size_t character = pqti_utf8_length(name + length);
        if (character == 0 || pqti_is_control(name + length, character))
            return false;
        length += character;
        if (length > most)
            return false;
    }
    return length > 0;
}

#endif
