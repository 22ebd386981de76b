/* SPDX-License-Identifier: MIT */
/*
 * json_stream.c: reads the values of a JSON file one after the other.
 *
 * jansson gets one byte at a time, so it reads nothing after the end of a value that shows its own
 * end: an object, an array or a string. A number or a word ends before the byte that follows it. It
 * is divided from the rest here.
 *
 * jansson would turn 1.50 into a double. It gets the place of each number in the spellings instead:
 * of [1.50,2], it reads [0,5].
 */
#include "config.h"

#include "tool/json_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tool/json_text.h"
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
    COST_OF_LETTER = 3 /* in a string or a number, whose buffers grow */
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

/* Puts the last byte back. */
static int
put_back(json_stream *from, int byte)
{
    if (byte == EOF)
        return EOF;
    from->taken--;
    from->line -= byte == '\n';
    return ungetc(byte, from->file);
}

int
json_peek(json_stream *from)
{
    int byte = next_byte(from);
    while (byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n' || byte == RECORD_SEPARATOR)
        byte = next_byte(from);
    return put_back(from, byte);
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
    from->numbers.length = 0;
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

/* ---- Numbers ---- */

static bool
begins_number(int byte)
{
    return byte == '-' || (byte >= '0' && byte <= '9');
}

/* Reads a number to its end, and keeps its spelling. Returns its place. */
static size_t
take_number(json_stream *from)
{
    const size_t place = from->numbers.length;
    size_t precision;
    int byte = next_byte(from);
    while (begins_number(byte) || byte == '.' || byte == 'e' || byte == 'E' || byte == '+') {
        const char letter = (char)byte;
        charge(from, 1, COST_OF_LETTER);
        append_bytes(&from->numbers, &letter, 1);
        byte = next_byte(from);
    }
    put_back(from, byte);
    append_bytes(&from->numbers, "", 1);
    const char *text = from->numbers.bytes + place;
    if (json_number_length(text, &precision) < from->numbers.length - place - 1)
        die(from->name, from->line, "is not JSON (invalid token near '%s')", quote_text(text).text);
    return place;
}

const char *
json_spelling(const json_stream *from, const json_t *value)
{
    return json_is_integer(value) ? from->numbers.bytes + json_integer_value(value) : NULL;
}

double
json_double(const json_stream *from, const json_t *number)
{
    return strtod(json_spelling(from, number), NULL);
}

/* ---- Values ---- */

/* Supplies jansson with the next byte, or with that of a number's place. */
static size_t
supply_byte(void *buffer, size_t capacity, void *context)
{
    json_stream *from = context;
    (void)capacity;
    if (from->place.text[from->place_at] != '\0') {
        *(char *)buffer = from->place.text[from->place_at++];
        return 1;
    }
    const int byte = next_byte(from);
    if (!from->is_quoted && begins_number(byte)) {
        put_back(from, byte);
        snprintf(from->place.text, sizeof from->place.text, "%zu", take_number(from));
        from->place_at = 1;
        *(char *)buffer = from->place.text[0];
        return 1;
    }
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
    if (begins_number(json_peek(from)))
        return json_integer((json_int_t)take_number(from));
    size_t length = 0;
    int byte = next_byte(from);
    while (byte != EOF && byte != '\0' && strchr(" \t\r\n,:]}[{\"", byte) == NULL &&
           length < sizeof word) {
        word[length++] = (char)byte;
        byte = next_byte(from);
    }
    put_back(from, byte);
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

/* ---- Text ---- */

/* Appends a string, or a word. */
static void
append_scalar(texts *to, const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    if (text == NULL)
        die(NULL, 0, "out of memory (JSON)");
    append_text(to, text);
    xfree(text);
}

static void
append_object(texts *to, const json_stream *from, const json_t *object)
{
    const char *name, *separator = "{";
    json_t *value;
    append_text(to, json_object_size(object) == 0 ? separator : "");
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        json_t *key = json_string(name);
        append_text(to, separator);
        append_scalar(to, key);
        append_text(to, ":");
        json_append(to, from, value);
        json_decref(key);
        separator = ",";
    }
    append_text(to, "}");
}

void
json_append(texts *to, const json_stream *from, const json_t *value)
{
    if (json_is_object(value)) {
        append_object(to, from, value);
    } else if (json_is_array(value)) {
        append_text(to, "[");
        for (size_t i = 0; i < json_array_size(value); i++) {
            append_text(to, i > 0 ? "," : "");
            json_append(to, from, json_array_get(value, i));
        }
        append_text(to, "]");
    } else if (json_is_integer(value)) {
        append_text(to, json_spelling(from, value));
    } else {
        append_scalar(to, value);
    }
}

void
json_end(json_stream *from)
{
    xfree(from->numbers.bytes);
    from->numbers = (texts){.bytes = NULL};
}
