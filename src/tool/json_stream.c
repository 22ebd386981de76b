/* SPDX-License-Identifier: MIT */
/*
 * json_stream.c: reads the values of a JSON file one after the other.
 *
 * jansson gets one byte at a time, so it reads nothing after the end of a value that shows its own
 * end: an object, an array or a string. A number or a word ends before the byte that follows it. It
 * is divided from the rest here.
 */
#include "config.h"

#include "tool/json_stream.h"

#include <errno.h>
#include <string.h>

#include "tool/message.h"
#include "tool/progress.h"

enum { RECORD_SEPARATOR = 0x1E, LONGEST_WORD = 400, PROGRESS_STEP = 1 << 16 };

static int
next_byte(json_stream *from)
{
    const int byte = getc_unlocked(from->file); /* the program has one thread here */
    if (byte == EOF && ferror(from->file))
        die(from->name, 0, "cannot be read (%s)", strerror(errno));
    from->line += byte == '\n';
    from->taken += byte != EOF;
    if (from->taken % PROGRESS_STEP == 0)
        progress_at(from->taken);
    return byte;
}

int
json_peek(json_stream *from)
{
    int byte = next_byte(from);
    while (byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n' || byte == RECORD_SEPARATOR)
        byte = next_byte(from);
    if (byte == EOF)
        return EOF;
    from->taken--;
    return ungetc(byte, from->file);
}

bool
json_take(json_stream *from, char byte)
{
    if (json_peek(from) != (unsigned char)byte)
        return false;
    next_byte(from);
    return true;
}

static _Noreturn void
refuse(const json_stream *from, const char *why)
{
    die(from->name, from->line, "is not JSON (%s)", quote_text(why).text);
}

void
json_expect(json_stream *from, char byte)
{
    char why[300];
    if (json_take(from, byte))
        return;
    const char next[] = {(char)json_peek(from), '\0'};
    snprintf(why, sizeof why, "'%c' expected near '%s'", byte,
             json_peek(from) == EOF ? "end of file" : quote_text(next).text);
    refuse(from, why);
}

/* Supplies jansson with the next byte. */
static size_t
supply_byte(void *buffer, size_t capacity, void *context)
{
    json_stream *from = context;
    (void)capacity;
    if (from->left == 0)
        die(from->name, from->line, "a value is longer than %d bytes", LONGEST_JSON);
    from->left--;
    const int byte = next_byte(from);
    *(char *)buffer = (char)byte;
    return byte == EOF ? 0 : 1;
}

/* Reads a number or a word, and the bytes that belong to it. */
static json_t *
read_word(json_stream *from, json_error_t *error)
{
    char word[LONGEST_WORD];
    size_t length = 0;
    int byte = next_byte(from);
    while (byte != EOF && byte != '\0' && strchr(" \t\r\n,:]}[{\"", byte) == NULL &&
           length < sizeof word) {
        word[length++] = (char)byte;
        byte = next_byte(from);
    }
    if (byte != EOF) {
        from->taken--;
        from->line -= byte == '\n';
        ungetc(byte, from->file);
    }
    return json_loadb(word, length, JSON_DECODE_ANY, error);
}

json_t *
json_value(json_stream *from)
{
    json_error_t error;
    const int first = json_peek(from);
    const bool shows_end = first == '{' || first == '[' || first == '"';
    from->left = LONGEST_JSON;
    json_t *value =
        shows_end
            ? json_load_callback(supply_byte, from,
                                 JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES,
                                 &error)
            : read_word(from, &error);
    if (value == NULL)
        refuse(from, error.text);
    return value;
}
