/* SPDX-License-Identifier: MIT */
/* cmd_pull.c: `pqt pull`: adds the new versions of a line to a store. */
#include "config.h"

#include "tool/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <popt.h>
#include <pqt.h>
#include <pqt/stores.h>

#include "tool/cli.h"
#include "tool/line_input.h"
#include "tool/message.h"
#include "tool/out.h"
#include "tool/store_input.h"

static const char purpose[] =
    "Adds to a store the versions of a line that the store lacks, and prints the number of its\n"
    "current entry. The new entries follow the last entry on the path to the current one that the\n"
    "line has, too. If the store has changes of its own, its entries are kept as a branch, and\n"
    "one more entry merges the changes of both sides. A store that does not exist is created, "
    "with\n"
    "all versions of the line. ADDRESS is postgresql://...#NAME, or ...#NAME@NUMBER for the\n"
    "versions up to that one.\n"
    "Status: 0 if entries were added, 1 if the store has all of them, 2 for an error.\n";

enum { STATUS_PULLED = STATUS_FOUND, STATUS_EQUAL = STATUS_NOTHING };

static const struct poptOption table_of_options[] = {COMMON_OPTIONS};

typedef struct pull {
    opened_line line;
    opened_store store;
    uint64_t last;      /* the number of the last version of the line that was added */
    uint64_t return_to; /* the entry that becomes current again if the pull fails; 0: the last
                           one */
} pull;

/* Ends the program with an error. The versions of the line that were added stay in the store. If
   the store has changes of its own, the added versions form a branch, which the next pull
   merges. */
_Noreturn static void
give_up(const pull *p, const char *name, const pqt_error *error)
{
    pqt_error failure = {0};
    if (p->return_to != 0)
        (void)pqt_history_checkout(p->store.history, p->return_to, &failure);
    die_error(name, error);
}

/* Copies the label of a version. */
static bool
copy_label(const pqt_line_entry *entry, void *context)
{
    char *label = context;
    snprintf(label, PQT_LINE_TEXT + 1, "%s", entry->label);
    return true;
}

static const void *
shared_version(const pull *p, uint64_t number, char label[PQT_LINE_TEXT + 1])
{
    pqt_error error = {0};
    const void *version = pqt_line_load(p->line.line, number, &error);
    if (version == NULL || !pqt_line_visit(p->line.line, number, number, copy_label, label, &error))
        give_up(p, p->line.name, &error);
    return version;
}

static void
push_entry(pull *p, const void *version, const char *label)
{
    pqt_error error = {0};
    pqt_history_entry current;
    pqt_history *history = p->store.history;
    pqt_history_get_entry(history, pqt_history_current(history), &current);
    const pqt_history_entry_info info = {.label = label, .time = current.time + 1};
    if (!pqt_history_push(history, version, &info, &error))
        give_up(p, p->store.file, &error);
}

/* Adds the versions from number `first` onwards, after the current entry. */
static void
add_versions(pull *p, uint64_t first)
{
    char label[PQT_LINE_TEXT + 1];
    for (uint64_t number = first; number <= p->last; number++) {
        const void *version = shared_version(p, number, label);
        push_entry(p, version, label);
    }
}

static void
begin_store(pull *p)
{
    pqt_error error = {0};
    char label[PQT_LINE_TEXT + 1];
    const pqt_kind kind = pqt_line_kind(p->line.line);
    const void *version = shared_version(p, 1, label);
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.label = label;
    p->store.history = pqt_history_make(pqt_history_kind_of(kind), version, &options, &error);
    if (p->store.history == NULL || !pqt_history_save(p->store.history, p->store.store, &error))
        die_error(p->store.file, &error);
    add_versions(p, 2);
}

/* Adds the versions as a branch, and then the merge of that branch with the entry that was current.
   The parent of the merge is the last version of the line, so a later push adds only the merge. */
static void
add_merged(pull *p, shared_entry shared)
{
    pqt_error error = {0};
    pqt_history *history = p->store.history;
    const void *base = store_version(&p->store, shared.entry);
    const void *mine = pqt_history_value(history);
    char label[PQT_LINE_TEXT + 1];
    const void *theirs = shared_version(p, p->last, label);
    const void *merged = pqt_version_merge(base, mine, theirs, &error);
    if (merged == NULL)
        die_error(p->line.name, &error);
    p->return_to = pqt_history_current(history);
    if (!pqt_history_checkout(history, shared.entry, &error))
        die_error(p->store.file, &error);
    add_versions(p, shared.number + 1);
    push_entry(p, merged, "Merge");
}

/* Returns false if the store already has all versions. */
static bool
pull_versions(pull *p)
{
    if (p->store.history == NULL) {
        begin_store(p);
        return true;
    }
    if (pqt_store_kind(p->store.store) != pqt_line_kind(p->line.line))
        die(p->store.file, 0, "the store and the line hold versions of different kinds");
    const uint64_t current = pqt_history_current(p->store.history);
    store_path path = store_path_to(&p->store, current);
    const shared_entry shared = line_find_shared(&p->line, &p->store, &path);
    store_free_path(&path);
    if (shared.number == 0)
        die(p->line.name, 0, "the line and the store have no version in common");
    if (shared.number >= p->last)
        return false;
    if (shared.entry == current)
        add_versions(p, shared.number + 1);
    else
        add_merged(p, shared);
    return true;
}

int
pull_command(int count, const char **arguments)
{
    poptContext context =
        begin_options(count, arguments, table_of_options, "[OPTION...] ADDRESS STORE", purpose);
    next_option(context);
    const char *from = file_argument(context, 0), *to = file_argument(context, 1);
    no_argument(context);
    if (!line_is_named(from))
        die(NULL, 0, "the first argument is not the address of a line, postgresql://...#NAME (%s)",
            quote_text(from).text);
    pull p = {.line = line_open_named(from, PQT_LINE_READ)};
    p.last = p.line.number;
    line_version(&p.line); /* ends the program if the line is empty */
    p.store = store_open_named(to, PQT_STORE_CREATE);
    store_close_at_exit(&p.store);
    if (p.store.has_entry)
        die(NULL, 0,
            "versions are added after the current entry: pqt checkout makes another entry current");
    const bool has_new = pull_versions(&p);
    printf("%" PRIu64 "\n", pqt_history_current(p.store.history));
    finish_standard_output();
    store_close_named(&p.store);
    line_close_named(&p.line);
    poptFreeContext(context);
    return has_new ? STATUS_PULLED : STATUS_EQUAL;
}
