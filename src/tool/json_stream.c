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

/* The bytes of memory that jansson takes for the parts of a text. A comma counts for the element or
   the member that follows it, and a colon for the rest of a member. */
enum {
    COST_OF_ARRAY = 128,
    COST_OF_OBJECT = 232,
    COST_OF_NEXT = 48,
    COST_OF_MEMBER = 112,
    COST_OF_STRING = 48,
    COST_OF_LETTER = 3 /* in a string, whose buffer doubles */
};

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

void
json_begin(json_stream *from)
{
    from->left = LONGEST_JSON;
    from->memory = LARGEST_JSON;
}

/* Counts bytes of a value, and the memory that they take. */
static void
charge(json_stream *from, size_t bytes, size_t memory)
{
    if (from->left < bytes)
        die(from->name, from->line, "a value is longer than %d bytes", LONGEST_JSON);
    if (from->memory < memory)
        die(from->name, from->line, "a value takes more than %d bytes of memory", LARGEST_JSON);
    from->left -= bytes;
    from->memory -= memory;
}

/* Returns the memory that the next byte of a value takes. */
static size_t
cost_of(json_stream *from, int byte)
{
    if (from->is_quoted) {
        from->is_quoted = byte != '"' || from->is_escaped;
        from->is_escaped = byte == '\\' && !from->is_escaped;
        return COST_OF_LETTER;
    }
    from->is_quoted = byte == '"';
    switch (byte) {
    case '[':
        return COST_OF_ARRAY;
    case '{':
        return COST_OF_OBJECT;
    case ',':
        return COST_OF_NEXT;
    case ':':
        return COST_OF_MEMBER;
    case '"':
        return COST_OF_STRING;
    default:
        return 0;
    }
}

/* Supplies jansson with the next byte. */
static size_t
supply_byte(void *buffer, size_t capacity, void *context)
{
    json_stream *from = context;
    (void)capacity;
    const int byte = next_byte(from);
    if (byte != EOF)
        charge(from, 1, cost_of(from, byte));
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
    charge(from, length, 0);
    return json_loadb(word, length, JSON_DECODE_ANY, error);
}

static _Noreturn void
refuse_value(const json_stream *from, const json_error_t *error)
{
    const enum json_error_code code = json_error_code(error);
    if (code == json_error_invalid_utf8)
        die(from->name, from->line, "is not UTF-8, as JSON is; it looks like Windows-1252 (%s)",
            quote_text(error->text).text);
    if (code == json_error_numeric_overflow)
        die(from->name, from->line, "has a number beyond doubles or 64 bits (%s)",
            quote_text(error->text).text);
    refuse(from, error->text);
}

json_t *
json_value(json_stream *from)
{
    json_error_t error;
    const int first = json_peek(from);
    const bool shows_end = first == '{' || first == '[' || first == '"';
    from->is_quoted = from->is_escaped = false;
    charge(from, 0, COST_OF_NEXT + COST_OF_MEMBER);
    json_t *value =
        shows_end
            ? json_load_callback(supply_byte, from,
                                 JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES,
                                 &error)
            : read_word(from, &error);
    if (value == NULL)
        refuse_value(from, &error);
    return value;
}
