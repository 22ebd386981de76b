/* SPDX-License-Identifier: MIT */
/* script.c: reads scripts, which have one command with its arguments per line. */
#include "config.h"

#include "tool/script.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt.h>

#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/tool_memory.h"

enum { LONGEST_LINE = 4096 };

static const char blanks[] = " \t\r\n\v\f";

script
script_open(const char *file)
{
    script from = {.file = file};
    from.stream = strcmp(file, "-") == 0 ? stdin : fopen(file, "rb");
    if (from.stream == NULL)
        die(file, 0, "cannot be opened (%s)", strerror(errno));
    return from;
}

/* Returns the length of the byte-order mark at the beginning of a string, or 0 if there is none.
   Some programs write one, although UTF-8 has only one byte order. */
static size_t
byte_order_mark(const char *text, size_t length)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'};
    return length >= sizeof mark && memcmp(text, mark, sizeof mark) == 0 ? sizeof mark : 0;
}

/* Reads a line into `text`. Returns false at the end of the file. */
static bool
read_line(script *from)
{
    size_t length = 0;
    int character = 0;
    from->line++;
    while (character != '\n' && (character = getc(from->stream)) != EOF) {
        if (character == '\0')
            die(from->file, from->line, "the line has a zero byte, so the file is not UTF-8 text");
        if (length >= LONGEST_LINE)
            die(from->file, from->line, "line is longer than %d bytes (%s)", LONGEST_LINE,
                quote(from->text, length).text);
        from->text = xgrow(from->text, &from->capacity, length + 2, 1);
        from->text[length++] = (char)character;
    }
    if (ferror(from->stream))
        die(from->file, 0, "cannot be read (%s)", strerror(errno));
    from->rest = from->text;
    if (length == 0)
        return false;
    from->text[length] = '\0';
    if (from->line == 1)
        memset(from->text, ' ', byte_order_mark(from->text, length));
    return true;
}

/* Removes a comment, which begins where a word could begin. */
static void
drop_comment(char *text)
{
    for (char *at = text; (at = strchr(at, '#')) != NULL; at++)
        if (at == text || strchr(blanks, at[-1]) != NULL) {
            *at = '\0';
            return;
        }
}

static void
drop_blanks_at_end(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && strchr(blanks, text[length - 1]) != NULL)
        text[--length] = '\0';
}

bool
script_next(script *from)
{
    while (read_line(from)) {
        drop_comment(from->text);
        drop_blanks_at_end(from->text);
        if (script_has_more(from))
            return true;
    }
    return false;
}

void
script_close(script *from)
{
    if (from->stream != stdin)
        fclose(from->stream);
    free(from->text);
}

bool
script_has_more(script *from)
{
    from->rest += strspn(from->rest, blanks);
    return *from->rest != '\0';
}

const char *
script_word(script *from)
{
    if (!script_has_more(from))
        return NULL;
    const char *word = from->rest;
    from->rest += strcspn(from->rest, blanks);
    if (*from->rest != '\0')
        *from->rest++ = '\0';
    return word;
}

const char *
script_rest(script *from, const char *what)
{
    if (!script_has_more(from))
        die(from->file, from->line, "%s is missing", what);
    const char *rest = from->rest;
    from->rest += strlen(rest);
    return rest;
}

static const char *
require_word(script *from, const char *what)
{
    const char *word = script_word(from);
    if (word == NULL)
        die(from->file, from->line, "%s is missing", what);
    return word;
}

uint64_t
script_id(script *from, const char *what)
{
    uint64_t id;
    const char *word = require_word(from, what);
    if (!read_id(word, strlen(word), &id))
        die(from->file, from->line, "%s is not a whole number from 0 to %" PRIu64 " (%s)", what,
            UINT64_MAX, quote_text(word).text);
    return id;
}

static double
parse_number(script *from, const char *what, bool may_be_infinite)
{
    double number = 0;
    const char *word = require_word(from, what);
    const number_fault fault = read_number(word, strlen(word), &number);
    if (fault == NUMBER_NOT_ONE || number != number ||
        (fault == NUMBER_NOT_FINITE && !may_be_infinite))
        die(from->file, from->line, "%s is not a %s (%s)", what,
            fault == NUMBER_NOT_ONE ? "number" : "finite number", quote_text(word).text);
    return number;
}

double
script_number(script *from, const char *what)
{
    return parse_number(from, what, false);
}

pqt_box
script_box(script *from, bool may_be_infinite)
{
    static const char *const names[] = {"min_x", "min_y", "max_x", "max_y"};
    double numbers[4];
    for (int i = 0; i < 4; i++)
        numbers[i] = parse_number(from, names[i], may_be_infinite);
    const pqt_box box = {{numbers[0], numbers[1]}, {numbers[2], numbers[3]}};
    if (box.min.x > box.max.x || box.min.y > box.max.y)
        die(from->file, from->line, "box is inverted (%s > %s)",
            shortest(box.min.x > box.max.x ? box.min.x : box.min.y).text,
            shortest(box.min.x > box.max.x ? box.max.x : box.max.y).text);
    return box;
}

void
script_end(script *from)
{
    const char *word = script_word(from);
    if (word != NULL)
        die(from->file, from->line, "unexpected word (%s)", quote_text(word).text);
}
