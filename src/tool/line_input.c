/* SPDX-License-Identifier: MIT */
/* line_input.c: opens the lines that commands use as inputs. The name postgresql://...#NAME@NUMBER
   refers to a version of a line. */
#include "config.h"

#include "tool/line_input.h"

#include <stdlib.h>
#include <string.h>

#include <pqt.h>
#include <pqt/stores.h>

#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/tool_memory.h"

/* Returns an address without @NUMBER, which begins at its last @. Sets the number to 0 if the
   address has none. */
static char *
split_address(const char *name, uint64_t *number)
{
    char *address = strdup(name);
    if (address == NULL)
        die(NULL, 0, "out of memory (names)");
    char *sign = strrchr(address, '#');
    if (sign != NULL && public_part(name)[0] != '#')
        die(NULL, 0, "the address of a line has a # in its password: write %%23 for it");
    char *at = sign == NULL ? NULL : strrchr(sign, '@');
    *number = 0;
    if (at == NULL)
        return address;
    if (at[1] != '\0' && (!read_id(at + 1, strlen(at + 1), number) || *number == 0))
        die(sign, 0,
            "the text after @ is not the number of a version (%s); if the name contains an @, add "
            "one more @ after it",
            quote_text(at + 1).text);
    *at = '\0';
    return address;
}

char *
line_address(const char *name)
{
    uint64_t number;
    char *address = split_address(name, &number);
    if (number != 0)
        die(strrchr(name, '#'), 0,
            "versions are added after the newest one, so this address may have no @NUMBER");
    return address;
}

static opened_line
open_address(char *address, pqt_line_access access, const char *author)
{
    pqt_error error = {0};
    opened_line opened = {.address = address};
    pqt_line_options options = PQT_LINE_DEFAULTS;
    options.access = access;
    options.author = author;
    const char *sign = strrchr(address, '#');
    opened.name = sign == NULL ? "the address of a line" : sign;
    opened.line = pqt_line_open(address, tool_memory(), &options, &error);
    if (opened.line == NULL)
        die_error(error.status == PQT_ERROR_OPTION ? "the address of a line" : opened.name, &error);
    opened.number = pqt_line_number(opened.line);
    return opened;
}

static opened_line
open_at(const char *name, pqt_line_access access, const char *author)
{
    uint64_t number;
    char *address = split_address(name, &number);
    opened_line opened = open_address(address, access, author);
    if (number != 0)
        opened.number = number;
    return opened;
}

opened_line
line_open_named(const char *name, pqt_line_access access)
{
    return open_at(name, access, NULL);
}

opened_line
line_open_to_save(const char *name, const char *author)
{
    return open_at(name, PQT_LINE_CREATE, author);
}

opened_line
line_open_to_push(const char *name, const char *author)
{
    return open_address(line_address(name), PQT_LINE_CREATE, author);
}

void
line_close_named(opened_line *opened)
{
    pqt_line_close(&opened->line);
    free(opened->address);
}

const void *
line_version(const opened_line *opened)
{
    pqt_error error = {0};
    if (opened->number == 0)
        die(opened->name, 0, "the line is empty");
    const void *version = pqt_line_load(opened->line, opened->number, &error);
    if (version == NULL)
        die_error(opened->name, &error);
    return version;
}

/* ---- Versions by their fingerprints ---- */

struct line_version {
    pqt_fingerprint fingerprint;
    uint64_t number;
};

typedef struct collecting {
    struct line_version *versions;
    size_t count, capacity;
} collecting;

static bool
collect_version(const pqt_line_entry *entry, void *context)
{
    collecting *all = context;
    all->versions = xgrow(all->versions, &all->capacity, all->count + 1, sizeof *all->versions);
    all->versions[all->count++] = (struct line_version){entry->fingerprint, entry->number};
    return true;
}

static int
compare_fingerprints(pqt_fingerprint a, pqt_fingerprint b)
{
    if (a.high != b.high)
        return a.high < b.high ? -1 : 1;
    return a.low < b.low ? -1 : a.low > b.low;
}

/* Compares versions by fingerprint, and equal ones by number, the oldest first. */
static int
compare_versions(const void *first, const void *second)
{
    const struct line_version *a = first, *b = second;
    const int by_fingerprint = compare_fingerprints(a->fingerprint, b->fingerprint);
    if (by_fingerprint != 0)
        return by_fingerprint;
    return a->number < b->number ? -1 : a->number > b->number;
}

line_index
line_make_index(const opened_line *opened)
{
    pqt_error error = {0};
    collecting all = {.versions = NULL};
    if (!pqt_line_visit(opened->line, 1, UINT64_MAX, collect_version, &all, &error))
        die_error(opened->name, &error);
    if (all.count > 0)
        qsort(all.versions, all.count, sizeof *all.versions, compare_versions);
    return (line_index){all.versions, all.count};
}

void
line_free_index(line_index *index)
{
    free(index->versions);
    *index = (line_index){NULL, 0};
}

uint64_t
line_find_version(const line_index *index, pqt_fingerprint fingerprint, uint64_t after)
{
    const struct line_version wanted = {fingerprint, after + 1};
    size_t first = 0, end = index->count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (compare_versions(&index->versions[middle], &wanted) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return first < index->count &&
                   compare_fingerprints(index->versions[first].fingerprint, fingerprint) == 0
               ? index->versions[first].number
               : 0;
}

shared_entry
line_find_shared(const opened_line *line, const opened_store *store, const store_path *path)
{
    shared_entry found = {0, 0};
    line_index index = line_make_index(line);
    for (size_t i = 0; i < path->count; i++) {
        const void *version = store_version(store, path->entries[i]);
        const uint64_t number =
            line_find_version(&index, pqt_version_fingerprint(version), found.number);
        if (number != 0)
            found = (shared_entry){path->entries[i], number};
    }
    line_free_index(&index);
    return found;
}
