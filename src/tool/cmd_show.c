/* SPDX-License-Identifier: MIT */
/* cmd_show.c: `pqt show`: prints an entry of a store or a version of a line, and its changes. */
#include "config.h"

#include "tool/commands.h"

#include <inttypes.h>
#include <stdio.h>

#include <popt.h>
#include <pqt.h>
#include <pqt/stores.h>

#include "tool/cli.h"
#include "tool/input_file.h"
#include "tool/line_input.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/out.h"
#include "tool/store_input.h"

static const char purpose[] =
    "Prints an entry of a store, by default the current one: its number, parent, label, name,\n"
    "time, kind, the bytes of its version in memory and those that its parent does not share, and\n"
    "how many items were added, removed and moved since its parent. ENTRY is a number or a name.\n"
    "`pqt diff STORE@A STORE@B` lists the changes between any two entries. For "
    "an\n"
    "ADDRESS[@NUMBER], prints a version of that line, by default the newest one, with its author,\n"
    "the author's role in the database, and its hash.\n"
    "Status: 0, or 2 for an error.\n";

static const struct poptOption table_of_options[] = {COMMON_OPTIONS};

static bool
count_change(const pqt_change *change, void *context)
{
    size_t *counts = context;
    counts[change->kind]++;
    return true;
}

static void
print_changes_of_items(const pqt_tree *before, const pqt_tree *after)
{
    pqt_error error = {0};
    size_t counts[PQT_MOVE + 1] = {0};
    if (!pqt_tree_visit_diff(before, after, NULL, count_change, counts, &error)) {
        printf("changes  unknown: %s\n", error.text);
        return;
    }
    printf("changes  %zu added, %zu removed, %zu moved\n", counts[PQT_INSERT], counts[PQT_REMOVE],
           counts[PQT_MOVE]);
}

/* Prints in how many elements a version differs from its parent. */
static void
print_changes(const void *before, const void *after)
{
    pqt_error error = {0};
    uint64_t count;
    if (pqt_version_count_diff(before, after, &count, &error))
        printf("changes  %" PRIu64 "\n", count);
    else
        printf("changes  unknown: %s\n", error.text);
}

/* Prints the number of elements of a version. `before` is its parent, or NULL if it has none. */
static void
print_elements(const void *before, const void *after)
{
    const pqt_kind kind = pqt_kind_of(after);
    printf("%-8s %" PRIu64 "\n", pqt_kind_elements(kind), pqt_version_count(after));
    if (before != NULL && kind == PQT_KIND_TREE)
        print_changes_of_items(before, after);
    else if (before != NULL)
        print_changes(before, after);
}

/* Prints the bytes of a version in memory, and those of them that its parent does not share. */
static void
print_bytes(const opened_store *opened)
{
    pqt_error error = {0};
    pqt_history_bytes bytes;
    if (!pqt_history_get_bytes(opened->history, opened->entry, &bytes, &error))
        die_error(opened->file, &error);
    printf("memory   %s, of which %s are new\n", in_bytes((double)bytes.all).text,
           in_bytes((double)bytes.added).text);
}

static void
show_entry(const char *name)
{
    pqt_history_entry entry;
    opened_store opened = store_open_named(name, PQT_STORE_READ);
    if (opened.history == NULL)
        die(opened.file, 0, "the store is empty");
    pqt_history_get_entry(opened.history, opened.entry, &entry);
    const pqt_kind kind = store_kind(&opened);
    printf("entry    %" PRIu64 "%s%s\n", entry.number, entry.is_current ? ", current" : "",
           entry.is_saved ? ", saved" : "");
    if (entry.depth > 0)
        printf("parent   %" PRIu64 "\n", entry.parent);
    printf("label    %s\n", entry.label);
    if (entry.name != NULL)
        printf("name     %s\n", entry.name);
    printf("time     %s\nkind     %s\n", shortest(entry.time).text, pqt_kind_name(kind));
    print_bytes(&opened);
    const void *before = entry.depth > 0 ? store_version(&opened, entry.parent) : NULL;
    print_elements(before, store_version(&opened, entry.number));
    finish_standard_output();
    store_close_named(&opened);
}

static bool
print_shared_entry(const pqt_line_entry *entry, void *context)
{
    (void)context;
    printf("version  %" PRIu64 "\nlabel    %s\n", entry->number, entry->label);
    if (entry->author[0] != '\0')
        printf("author   %s\n", entry->author);
    printf("role     %s\ntime     %s\nhash     ", entry->role, utc_time(entry->time).text);
    for (int i = 0; i < PQT_LINE_HASH; i++)
        printf("%02x", entry->hash[i]);
    printf("\n");
    return true;
}

static void
show_shared(const char *name)
{
    pqt_error error = {0};
    opened_line opened = line_open_named(name, PQT_LINE_READ);
    line_version(&opened); /* ends the program if the version is missing */
    if (!pqt_line_visit(opened.line, opened.number, opened.number, print_shared_entry, NULL,
                        &error))
        die_error(opened.name, &error);
    const pqt_kind kind = pqt_line_kind(opened.line);
    printf("kind     %s\n", pqt_kind_name(kind));
    const void *after = line_version(&opened), *before = NULL;
    if (opened.number > 1) {
        opened.number--;
        before = line_version(&opened);
    }
    print_elements(before, after);
    finish_standard_output();
    line_close_named(&opened);
}

int
show_command(int count, const char **arguments)
{
    poptContext context = begin_options(count, arguments, table_of_options,
                                        "[OPTION...] STORE[@ENTRY] | ADDRESS[@NUMBER]", purpose);
    next_option(context);
    const char *name = only_argument(context);
    if (line_is_named(name))
        show_shared(name);
    else
        show_entry(name);
    poptFreeContext(context);
    return STATUS_FOUND;
}
