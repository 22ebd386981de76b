/* SPDX-License-Identifier: MIT */
/*
 * input_file.c: opens input files, recognises .pqt files by their content, and reads versions.
 *
 * A .pqt file begins with the bytes 89 50 51 54 (hexadecimal). No UTF-8 text begins with 89, and a
 * PNG picture differs in the third byte. If a file is not a .pqt file, the bytes that were read are
 * put back, so that this also works for pipes.
 */
#include "config.h"

#include "tool/input_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/stores.h>
#include <pqt/worlds.h>

#include "tool/line_input.h"
#include "tool/message.h"
#include "tool/store_input.h"
#include "tool/tool_memory.h"

static const unsigned char first_bytes[] = {0x89, 'P', 'Q', 'T'};
enum { FIRST_BYTES = sizeof first_bytes };

static _Noreturn void
die_unreadable(const input_file *from)
{
    die(from->name, 0, "cannot be read (%s)", strerror(errno));
}

/* Reads the first bytes as long as they are those of a .pqt file. Returns true if all of them
   are. */
static bool
match_first_bytes(input_file *from)
{
    while (from->head_length < FIRST_BYTES) {
        const int character = getc(from->stream);
        if (character == EOF)
            return false;
        from->head[from->head_length++] = (unsigned char)character;
        if (character != first_bytes[from->head_length - 1])
            return false;
    }
    return true;
}

/* Puts the first bytes back, so that they will be read again. */
static void
unread_first_bytes(input_file *from)
{
    while (from->head_length > 0)
        if (ungetc(from->head[--from->head_length], from->stream) == EOF)
            die(from->name, 0, "cannot be read from its beginning again");
}

/* Returns true if the stream begins like JSON: with an object or an array, after a byte-order mark,
   some blanks or a record separator (RFC 8142). Puts the bytes back. */
static bool
begins_like_json(input_file *from)
{
    int byte;
    do {
        byte = getc(from->stream);
        if (byte != EOF)
            from->head[from->head_length++] = (unsigned char)byte;
    } while (byte > 0 && from->head_length < sizeof from->head &&
             strchr("\xEF\xBB\xBF \t\r\n\x1E", byte) != NULL);
    unread_first_bytes(from);
    return byte == '{' || byte == '[';
}

/* Loads a version from a store. The version stays in the memory of the program. */
static void
open_version(input_file *from)
{
    opened_store opened = store_open_named(from->name, PQT_STORE_READ);
    if (opened.history == NULL)
        die(opened.file, 0, "the store is empty");
    from->is_pqt = true;
    from->kind = store_kind(&opened);
    from->version = store_version(&opened, opened.entry);
    store_close_named(&opened);
}

/* Loads a version from a line in the same way. The address may contain a password, so from->name is
   set to the name of the line alone. */
static void
open_shared_version(input_file *from)
{
    opened_line opened = line_open_named(from->name, PQT_LINE_READ);
    from->is_pqt = true;
    from->version = line_version(&opened);
    from->kind = pqt_line_kind(opened.line);
    line_close_named(&opened);
    from->name = strrchr(from->name, '#');
}

input_file
input_open(const char *name)
{
    input_file from = {.name = name};
    if (line_is_named(name)) {
        open_shared_version(&from);
        return from;
    }
    if (strcmp(name, "-") != 0 && store_is_named(name)) {
        open_version(&from);
        return from;
    }
    from.stream = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
    if (from.stream == NULL)
        die(name, 0, "cannot be opened (%s)", strerror(errno));
    from.is_pqt = match_first_bytes(&from);
    if (from.is_pqt)
        from.head_length +=
            fread(from.head + FIRST_BYTES, 1, sizeof from.head - FIRST_BYTES, from.stream);
    if (ferror(from.stream))
        die_unreadable(&from);
    if (from.is_pqt) {
        from.kind = pqt_bytes_kind_of(from.head, from.head_length);
    } else {
        unread_first_bytes(&from);
        from.is_json = begins_like_json(&from);
    }
    return from;
}

void
input_close(input_file *from)
{
    if (from->stream != NULL && from->stream != stdin)
        fclose(from->stream);
}

/* ---- Versions ---- */

static bool
read_bytes(void *bytes, size_t capacity, size_t *count, void *context)
{
    input_file *from = context;
    const size_t rest = from->head_length - from->head_used;
    if (rest > 0) {
        *count = rest < capacity ? rest : capacity;
        memcpy(bytes, from->head + from->head_used, *count);
        from->head_used += *count;
    } else {
        *count = fread(bytes, 1, capacity, from->stream);
    }
    from->taken += *count;
    return !ferror(from->stream);
}

/* Ends the program with an error if the file contains a version of a kind other than `needed`,
   except for a document, which may have a part of that kind. */
static void
check_kind(const input_file *from, pqt_kind needed)
{
    if (pqt_kind_is_known(from->kind) && from->kind != needed && from->kind != PQT_KIND_DOCUMENT)
        die(from->name, 0, "the file holds %s %s, but %s %s is needed (.pqt)",
            article_of(from->kind), pqt_kind_name(from->kind), article_of(needed),
            pqt_kind_name(needed));
}

/* Returns the only part of a document that has a kind. Ends the program with an error if there is
   none, or more than one. */
static const void *
only_part(const input_file *from, const pqt_document *document, pqt_kind needed)
{
    const void *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < pqt_document_count(document); i++) {
        const pqt_part part = pqt_document_get_part(document, i);
        if (part.kind != needed)
            continue;
        found = part.version;
        count++;
    }
    if (count != 1)
        die(from->name, 0, "the document has %zu %ss, but one is needed (.pqt)", count,
            pqt_kind_name(needed));
    return found;
}

/* Ends the program with an error unless a version was read and the file ends after it. */
static void
check_version(const input_file *from, const void *version, const pqt_error *error)
{
    if (from->version != NULL)
        return;
    if (ferror(from->stream))
        die_unreadable(from);
    if (version == NULL)
        die_error(from->name, error);
    if (from->head_used < from->head_length || getc(from->stream) != EOF)
        die(from->name, 0, "byte %llu: bytes follow the version", (unsigned long long)from->taken);
    if (ferror(from->stream))
        die_unreadable(from);
}

/* The maximum number of squares in all regions of a .pqt file together. A repeated square is
   counted each time. A picture of 16384 x 16384 pixels, the largest PNG, has at most 87,381
   squares. */
enum { MOST_SQUARES = 1 << 18 };

static bool
count_square(const pqt_square *square, void *context)
{
    size_t *count = context;
    (void)square;
    return ++*count <= MOST_SQUARES;
}

/* Adds the number of squares in a region to *count. Ends the program with an error if there are too
   many, because a command could not visit them in reasonable time: a file of less than 1 kB can
   repeat a square more than 2^28 times. `part` is the name of the part of a document, or NULL. */
static void
check_squares(const input_file *from, const char *part, const pqt_region *region, size_t *count)
{
    if (pqt_region_visit_squares(region, count_square, count))
        return;
    if (part == NULL)
        die(from->name, 0, "the region has more than %d squares", MOST_SQUARES);
    die(from->name, 0, "part %s: the regions of the document have more than %d squares",
        quote_text(part).text, MOST_SQUARES);
}

static void
check_obstacle(const input_file *from, const char *part, const pqt_world *world, size_t *count)
{
    const pqt_region *pixels = pqt_world_get_obstacle(world).region;
    if (pixels != NULL)
        check_squares(from, part, pixels, count);
}

/* Ends the program with an error if the regions in a version have too many squares. `part` is the
   name of the part that the version is, or NULL. */
static void
check_regions(const input_file *from, const char *part, const void *version, size_t *count)
{
    switch (pqt_kind_of(version)) {
    case PQT_KIND_REGION:
        check_squares(from, part, version, count);
        break;
    case PQT_KIND_WORLD:
        check_obstacle(from, part, version, count);
        break;
    case PQT_KIND_DOCUMENT:
        for (size_t i = 0; i < pqt_document_count(version); i++) {
            const pqt_part inner = pqt_document_get_part(version, i);
            check_regions(from, inner.name, inner.version, count);
        }
        break;
    default:
        break;
    }
}

/* ---- Public functions ---- */

const void *
input_of_kind(input_file *from, pqt_kind needed)
{
    pqt_error error = {0};
    size_t count = 0;
    check_kind(from, needed);
    const pqt_kind kind = from->kind == PQT_KIND_DOCUMENT ? PQT_KIND_DOCUMENT : needed;
    const void *version = from->version != NULL
                              ? from->version
                              : pqt_version_read(kind, read_bytes, from, tool_memory(), &error);
    check_version(from, version, &error);
    check_regions(from, NULL, version, &count);
    return kind == needed ? version : only_part(from, version, needed);
}

/* If the beginning of the file is damaged, the attempt to read a tree says how. */
const void *
input_version(input_file *from)
{
    return input_of_kind(from, pqt_kind_is_known(from->kind) ? from->kind : PQT_KIND_TREE);
}
