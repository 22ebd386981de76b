/* SPDX-License-Identifier: MIT */
/*
 * message.c: prints error messages.
 *
 * Scripts and editors parse these messages. Each is one line, with the position first and the
 * offending value last, in parentheses. Whatever the value contains, the message remains one
 * readable line.
 */
#include "config.h"

#include "tool/message.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tool/progress.h"

enum { QUOTED_BYTES = 60 }; /* the number of quoted bytes of a value: enough to recognise it */

/* Returns true if the second byte of a character may follow the first one. Rejects overlong forms,
   surrogates and control characters. */
static bool
may_follow(unsigned char first, unsigned char second)
{
    unsigned char least = first == 0xe0 || first == 0xc2 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char greatest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return second >= least && second <= greatest;
}

size_t
printable_length(const char *string, size_t rest)
{
    const unsigned char *text = (const unsigned char *)string;
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

/* Appends the next character of a string, or an escape for its next byte. Returns the number of
   bytes consumed. */
static size_t
append_character(char *shown, size_t *used, const char *text, size_t rest)
{
    size_t length = printable_length(text, rest);
    memcpy(shown + *used, text, length);
    *used += length;
    if (length == 0)
        *used += (size_t)sprintf(shown + *used, "\\x%02x", (unsigned char)text[0]);
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

_Static_assert(QUOTED_BYTES * 4 + 4 <= sizeof(quotation),
               "a byte can become four characters, which do not fit");

bool
line_is_named(const char *name)
{
    return strncmp(name, "postgresql://", 13) == 0 || strncmp(name, "postgres://", 11) == 0;
}

/* Returns true if a # is in a password: the password begins before it, and ends after it. */
static bool
is_in_password(const char *address, const char *sign)
{
    const char *user = strstr(address, "//") + 2;
    return user + strcspn(user, "@/#") == sign &&
           memchr(user, ':', (size_t)(sign - user)) != NULL && strchr(sign, '@') != NULL;
}

const char *
public_part(const char *text)
{
    const char *sign = line_is_named(text) ? strrchr(text, '#') : text;
    if (sign == NULL || (sign != text && is_in_password(text, sign)))
        return "postgresql://...";
    return sign;
}

quotation
quote_text(const char *text)
{
    const char *shown = text != NULL ? public_part(text) : "";
    return quote(shown, strlen(shown));
}

/* Prints a file name completely, because its end usually says more than its beginning. */
static void
print_file_name(FILE *to, const char *file)
{
    size_t length = strlen(file);
    for (size_t at = 0; at < length;) {
        char shown[8];
        size_t used = 0;
        at += append_character(shown, &used, file + at, length - at);
        fwrite(shown, 1, used, to);
    }
    fputs(length == 0 ? "\"\":" : ":", to);
}

static message_taker *taker_of_messages;

void
give_messages_to(message_taker *taker)
{
    taker_of_messages = taker;
}

static void
print_message(FILE *to, const char *file, size_t line, const char *format, va_list values)
{
    fputs("pqt: ", to);
    if (file != NULL)
        print_file_name(to, public_part(file));
    if (line > 0)
        fprintf(to, "%zu:", line);
    if (file != NULL)
        putc(' ', to);
    vfprintf(to, format, values);
}

void
die(const char *file, size_t line, const char *format, ...)
{
    char text[1024];
    FILE *to = taker_of_messages != NULL ? fmemopen(text, sizeof text, "w") : NULL;
    va_list values;
    va_start(values, format);
    progress_end();
    print_message(to != NULL ? to : stderr, file, line, format, values);
    va_end(values);
    if (to != NULL) {
        fclose(to);
        text[sizeof text - 1] = '\0';
        taker_of_messages(text);
    }
    putc('\n', stderr);
    exit(STATUS_ERROR);
}

const char *
article_of(pqt_kind kind)
{
    return kind == PQT_KIND_IMAGE ? "an" : "a";
}

void
die_error(const char *file, const pqt_error *error)
{
    die(file, 0, "%s", error->text);
}
