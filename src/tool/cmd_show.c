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
#include "tool/history_json.h"
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

static const struct poptOption table_of_options[] = {
    {"json", 'j', POPT_ARG_NONE, NULL, 'j', "print JSON: an object", NULL}, COMMON_OPTIONS};

static bool
count_change(const pqt_change *change, void *context)
{
    size_t *counts = context;
    counts[change->kind]++;
    return true;
}

static void
print_unknown(facts *to, const pqt_error *error)
{
    char text[sizeof error->text + 16];
    snprintf(text, sizeof text, "unknown: %s", error->text);
    fact_text(to, "changes", text);
}

static void
print_changes_of_items(facts *to, const pqt_tree *before, const pqt_tree *after)
{
    pqt_error error = {0};
    size_t counts[PQT_MOVE + 1] = {0};
    if (!pqt_tree_visit_diff(before, after, NULL, count_change, counts, &error)) {
        print_unknown(to, &error);
        return;
    }
    if (to->are_json) {
        fact_number(to, "added", counts[PQT_INSERT]);
        fact_number(to, "removed", counts[PQT_REMOVE]);
        fact_number(to, "moved", counts[PQT_MOVE]);
        return;
    }
    printf("changes  %zu added, %zu removed, %zu moved\n", counts[PQT_INSERT], counts[PQT_REMOVE],
           counts[PQT_MOVE]);
}

/* Prints a number, without separators of thousands in a line. */
static void
fact_plain(facts *to, const char *name, uint64_t number)
{
    if (to->are_json)
        fact_number(to, name, number);
    else
        printf("%-8s %" PRIu64 "\n", name, number);
}

/* Prints in how many elements a version differs from its parent. */
static void
print_changes(facts *to, const void *before, const void *after)
{
    pqt_error error = {0};
    uint64_t count;
    if (pqt_version_count_diff(before, after, &count, &error))
        fact_plain(to, "changes", count);
    else
        print_unknown(to, &error);
}

/* Prints the number of elements of a version. `before` is its parent, or NULL if it has none. */
static void
print_elements(facts *to, const void *before, const void *after)
{
    const pqt_kind kind = pqt_kind_of(after);
    fact_plain(to, pqt_kind_elements(kind), pqt_version_count(after));
    if (before != NULL && kind == PQT_KIND_TREE)
        print_changes_of_items(to, before, after);
    else if (before != NULL)
        print_changes(to, before, after);
}

/* Prints the bytes of a version in memory, and those of them that its parent does not share. */
static void
print_bytes(facts *to, const opened_store *opened)
{
    pqt_error error = {0};
    pqt_history_bytes bytes;
    if (!pqt_history_get_bytes(opened->history, opened->entry, &bytes, &error))
        die_error(opened->file, &error);
    if (to->are_json)
        fact_number(to, "bytes", bytes.all);
    else
        printf("memory   %s, of which %s are new\n", in_bytes((double)bytes.all).text,
               in_bytes((double)bytes.added).text);
}

static void
print_entry(facts *to, const pqt_history_entry *entry, pqt_kind kind)
{
    if (to->are_json) {
        fact_history_entry(to, entry);
        fact_text(to, "kind", pqt_kind_name(kind));
        return;
    }
    printf("entry    %" PRIu64 "%s%s\n", entry->number, entry->is_current ? ", current" : "",
           entry->is_saved ? ", saved" : "");
    if (entry->depth > 0)
        printf("parent   %" PRIu64 "\n", entry->parent);
    printf("label    %s\n", entry->label);
    if (entry->name != NULL)
        printf("name     %s\n", entry->name);
    printf("time     %s\nkind     %s\n", shortest(entry->time).text, pqt_kind_name(kind));
}

static void
show_entry(facts *to, const char *name)
{
    pqt_history_entry entry;
    opened_store opened = store_open_named(name, PQT_STORE_READ);
    if (opened.history == NULL)
        die(opened.file, 0, "the store is empty");
    pqt_history_get_entry(opened.history, opened.entry, &entry);
    print_entry(to, &entry, store_kind(&opened));
    print_bytes(to, &opened);
    const void *before = entry.depth > 0 ? store_version(&opened, entry.parent) : NULL;
    print_elements(to, before, store_version(&opened, entry.number));
    facts_end(to);
    finish_standard_output();
    store_close_named(&opened);
}

static bool
print_shared_entry(const pqt_line_entry *entry, void *context)
{
    facts *to = context;
    if (to->are_json) {
        fact_line_entry(to, entry);
        return true;
    }
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
show_shared(facts *to, const char *name)
{
    pqt_error error = {0};
    opened_line opened = line_open_named(name, PQT_LINE_READ);
    line_version(&opened); /* ends the program if the version is missing */
    if (!pqt_line_visit(opened.line, opened.number, opened.number, print_shared_entry, to, &error))
        die_error(opened.name, &error);
    const pqt_kind kind = pqt_line_kind(opened.line);
    fact_text(to, "kind", pqt_kind_name(kind));
    const void *after = line_version(&opened), *before = NULL;
    if (opened.number > 1) {
        opened.number--;
        before = line_version(&opened);
    }
    print_elements(to, before, after);
    facts_end(to);
    finish_standard_output();
    line_close_named(&opened);
}

int
show_command(int count, const char **arguments)
{
    poptContext context = begin_options(count, arguments, table_of_options,
                                        "[OPTION...] STORE[@ENTRY] | ADDRESS[@NUMBER]", purpose);
    facts all = {.width = 8};
    while (next_option(context) == 'j')
        all.are_json = true;
    const char *name = only_argument(context);
    if (line_is_named(name))
        show_shared(&all, name);
    else
        show_entry(&all, name);
    poptFreeContext(context);
    return STATUS_FOUND;
}
