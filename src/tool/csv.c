/* SPDX-License-Identifier: MIT */
/*
 * csv.c: parses CSV files and keeps the line number of each field.
 *
 * libcsv parses in strict mode but does not count lines. So this file splits the input into lines,
 * which end with LF, CRLF or CR, and passes one line at a time to the parser: whatever the parser
 * reports then belongs to that line. If a line is not blank and does not end a record, it ends
 * inside quotes.
 */
#include "config.h"

#include "tool/input_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <csv.h>

/* The maximum size of a record, in bytes. If a record is longer, a quote was not closed, or the
   file is not a table. */
enum { LONGEST_RECORD = 1 << 20 };

typedef struct csv_file {
    const char *name;
    FILE *stream;
    const csv_reader *reader;
    struct csv_parser parser;
    char *line; /* the current line, including its line end */
    size_t length, capacity;
    size_t lines;         /* the number of lines read so far */
    size_t column;        /* the index of the next field in the record */
    size_t record_line;   /* the line at which the current record began; 0 between records */
    size_t record_length; /* the number of bytes in the current record */
    uint64_t bytes;       /* the number of bytes read in total */
} csv_file;

static void
pass_field(void *text, size_t length, void *context)
{
    csv_file *file = context;
    file->reader->field(file->reader->context, file->lines, file->column++, text, length);
}

static void
pass_record(int end, void *context)
{
    csv_file *file = context;
    (void)end;
    file->reader->record(file->reader->context, file->lines, file->column);
    file->column = 0;
    file->record_line = 0;
}

static void
begin_file(csv_file *file)
{
    struct stat status;
    bool is_sized = fstat(fileno(file->stream), &status) == 0 && S_ISREG(status.st_mode);
    progress_begin("reading", is_sized ? (uint64_t)status.st_size : 0);
    if (csv_init(&file->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL) != 0)
        die(file->name, 0, "out of memory (CSV parser)");
}

static void
add_character(csv_file *file, int character)
{
    if (file->record_length >= LONGEST_RECORD)
        die(file->name, file->record_line > 0 ? file->record_line : file->lines + 1,
            "record is longer than %d bytes (%s)", LONGEST_RECORD,
            quote(file->line, file->length).text);
    file->line = xgrow(file->line, &file->capacity, file->length + 1, 1);
    file->line[file->length++] = (char)character;
    file->record_length++;
}

/* Reads the next line, including its line end. Returns false at the end of the file. */
static bool
read_line(csv_file *file)
{
    int character;
    file->length = 0;
    if (file->record_line == 0)
        file->record_length = 0;
    while ((character = getc_unlocked(file->stream)) != EOF) {
        add_character(file, character);
        if (character == '\n')
            break;
        if (character != '\r')
            continue;
        character = getc_unlocked(file->stream);
        if (character == '\n')
            add_character(file, character);
        else if (character != EOF)
            ungetc(character, file->stream);
        break;
    }
    if (ferror(file->stream))
        die(file->name, 0, "cannot be read (%s)", strerror(errno));
    file->bytes += file->length;
    file->lines += file->length > 0;
    return file->length > 0;
}

/* Some programs write a byte-order mark, although UTF-8 has only one byte order. */
size_t
byte_order_mark(const char *text, size_t length)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'};
    return length >= sizeof mark && memcmp(text, mark, sizeof mark) == 0 ? sizeof mark : 0;
}

static void
drop_byte_order_mark(csv_file *file)
{
    size_t mark = file->lines == 1 ? byte_order_mark(file->line, file->length) : 0;
    file->length -= mark;
    memmove(file->line, file->line + mark, file->length);
}

static bool
is_blank(const csv_file *file)
{
    for (size_t i = 0; i < file->length; i++)
        if (strchr(" \t\r\n", file->line[i]) == NULL)
            return false;
    return true;
}

static void
parse_line(csv_file *file)
{
    const char *zero = memchr(file->line, '\0', file->length);
    if (zero != NULL)
        die(file->name, file->lines, "the line has a zero byte, so the file is not UTF-8 text (%s)",
            quote(file->line, file->length).text);
    if (file->record_line == 0 && is_blank(file))
        return;
    if (file->record_line == 0)
        file->record_line = file->lines;
    size_t parsed =
        csv_parse(&file->parser, file->line, file->length, pass_field, pass_record, file);
    if (parsed == file->length)
        return;
    if (csv_error(&file->parser) != CSV_EPARSE)
        die(file->name, file->lines, "out of memory (CSV parser)");
    die(file->name, file->lines, "quote in the wrong place (%s)",
        quote(file->line + parsed, strcspn(file->line + parsed, "\r\n")).text);
}

static void
close_file(csv_file *file)
{
    size_t record_line = file->record_line;
    if (csv_fini(&file->parser, pass_field, pass_record, file) != 0)
        die(file->name, record_line, "quote is not closed (end of file)");
    csv_free(&file->parser);
    free(file->line);
    progress_end();
}

size_t
csv_read(const input_file *from, const csv_reader *reader)
{
    csv_file file = {.name = from->name, .stream = from->stream, .reader = reader};
    begin_file(&file);
    while (read_line(&file)) {
        drop_byte_order_mark(&file);
        parse_line(&file);
        progress_at(file.bytes);
    }
    close_file(&file);
    return file.lines;
}
