/* SPDX-License-Identifier: MIT */
/* cmd_show.c: `pqt show`: an entry of a store, and how it differs from its parent. */
#include "config.h"

#include "tool/tool.h"

#include <inttypes.h>

#include "tool/input_file.h"
#include "tool/store_input.h"

static const char purpose[] =
    "Prints an entry of a store, by default the current one: its number, parent, label, name,\n"
    "time and kind; of items, how many were added, removed and moved since its parent. ENTRY is a\n"
    "number or a name. `pqt diff STORE@A STORE@B` lists the changes between any two.\n"
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
print_changes(const opened_store *opened, const pqt_history_entry *entry)
{
    pqt_error error = {0};
    size_t counts[PQT_MOVE + 1] = {0};
    const pqt_tree *before = store_version(opened, entry->parent);
    const pqt_tree *after = store_version(opened, entry->number);
    if (!pqt_diff_visit(before, after, NULL, count_change, counts, &error)) {
        printf("changes  all: %s\n", error.text);
        return;
    }
    printf("changes  %zu added, %zu removed, %zu moved\n", counts[PQT_INSERT], counts[PQT_REMOVE],
           counts[PQT_MOVE]);
}

int
show_command(int count, const char **arguments)
{
    pqt_history_entry entry;
    poptContext context =
        begin_options(count, arguments, table_of_options, "[OPTION...] STORE[@ENTRY]", purpose);
    next_option(context);
    const char *name = only_argument(context);
    opened_store opened = store_open_named(name, PQT_STORE_READ);
    if (opened.history == NULL)
        die(opened.file, 0, "the store is empty");
    pqt_history_get_entry(opened.history, opened.entry, &entry);
    const pqt_bytes_kind kind = pqt_store_kind(opened.store);
    printf("entry    %" PRIu64 "%s%s\n", entry.number, entry.is_current ? ", current" : "",
           entry.is_saved ? ", saved" : "");
    if (entry.depth > 0)
        printf("parent   %" PRIu64 "\n", entry.parent);
    printf("label    %s\n", entry.label);
    if (entry.name != NULL)
        printf("name     %s\n", entry.name);
    printf("time     %s\nkind     %s\n", shortest(entry.time).text, input_kind_name(kind));
    if (kind == PQT_BYTES_TREE) {
        printf("items    %zu\n", pqt_tree_count(store_version(&opened, entry.number)));
        if (entry.depth > 0)
            print_changes(&opened, &entry);
    }
    finish_standard_output();
    store_close_named(&opened);
    poptFreeContext(context);
    return STATUS_FOUND;
}
