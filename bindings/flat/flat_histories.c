/* SPDX-License-Identifier: MIT */
/* flat_histories.c: the calls for histories. */
#include "flat.h"

pqt_history *
flat_history_make(const void *first, size_t entries, size_t bytes, bool indexed, double time,
                  pqt_error *error)
{
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.max_entries = entries;
    options.max_bytes = bytes;
    options.indexed = indexed;
    options.time = time;
    return pqt_history_make(pqt_history_kind_of(pqt_kind_of(first)), first, &options, error);
}

/* ---- Changes ---- */

bool
flat_history_push(pqt_history *history, const void *version, const char *label, double time,
                  uint64_t key, bool keep_equal, pqt_error *error)
{
    const pqt_history_entry_info info = {
        .label = label, .time = time, .key = key, .keep_equal = keep_equal};
    return pqt_history_push(history, version, &info, error);
}

bool
flat_history_do(pqt_history *history, int command, const char *label)
{
    switch (command) {
    case FLAT_UNDO:
        return pqt_history_undo(history);
    case FLAT_REDO:
        return pqt_history_redo(history);
    case FLAT_MARK_SAVED:
        pqt_history_mark_saved(history);
        return true;
    case FLAT_BEGIN:
        pqt_history_begin(history, label);
        return true;
    case FLAT_END:
        return pqt_history_end(history);
    case FLAT_CANCEL:
        return pqt_history_cancel(history);
    case FLAT_END_COALESCING:
        pqt_history_end_coalescing(history);
        return true;
    default:
        return pqt_history_is_modified(history);
    }
}

bool
flat_history_set_name(pqt_history *history, uint64_t entry, bool has_name, const char *name,
                      pqt_error *error)
{
    return pqt_history_set_name(history, entry, has_name ? name : NULL, error);
}

/* ---- Reading ---- */

static bool
append_number(const pqt_history_entry *entry, void *out)
{
    return flat_append(&entry->number, sizeof entry->number, out);
}

bool
flat_history_numbers(const pqt_history *history, bool tips, void *out)
{
    return tips ? pqt_history_visit_branches(history, append_number, out)
                : pqt_history_visit(history, append_number, out);
}

static bool
find_entry(const pqt_history *history, uint64_t number, pqt_history_entry *entry, pqt_error *error)
{
    if (pqt_history_get_entry(history, number, entry))
        return true;
    flat_fail(error, PQT_ERROR_MISMATCH, 0, "the history has no entry with this number");
    return false;
}

bool
flat_history_entry(const pqt_history *history, uint64_t number, void *out, pqt_error *error)
{
    pqt_history_entry entry;
    flat_writer to = {.out = out, .error = error};
    if (!find_entry(history, number, &entry, error))
        return false;
    const char *name = entry.name == NULL ? "" : entry.name;
    const uint64_t figures[8] = {
        entry.number, entry.parent,     entry.depth,    entry.children,
        entry.added,  entry.is_current, entry.is_saved, entry.is_on_path,
    };
    return flat_end(&to, flat_add_words(&to, figures, sizeof figures) &&
                             flat_add_words(&to, &entry.time, sizeof entry.time) &&
                             flat_add_string(&to, entry.label, strlen(entry.label)) &&
                             flat_add_string(&to, name, strlen(name)));
}

const void *
flat_history_value(const pqt_history *history, uint64_t number, pqt_error *error)
{
    pqt_history_entry entry;
    return find_entry(history, number, &entry, error) ? pqt_history_value_of(history, number)
                                                      : NULL;
}

bool
flat_history_label(const pqt_history *history, bool redo, void *out)
{
    const char *label = redo ? pqt_history_redo_label(history) : pqt_history_undo_label(history);
    return label == NULL || flat_append(label, strlen(label) + 1, out);
}

bool
flat_history_find(const pqt_history *history, const char *name, void *out)
{
    uint64_t number = 0;
    return !pqt_history_find(history, name, &number) || flat_append(&number, sizeof number, out);
}

bool
flat_history_entry_at(const pqt_history *history, uint64_t tip, double time, void *out,
                      pqt_error *error)
{
    pqt_history_entry entry;
    uint64_t number = 0;
    if (!find_entry(history, tip, &entry, error))
        return false;
    return !pqt_history_entry_at(history, tip, time, &number) ||
           flat_append(&number, sizeof number, out);
}

bool
flat_history_path(const pqt_history *history, uint64_t from, uint64_t to, bool ancestor, void *out,
                  pqt_error *error)
{
    pqt_history_entry entry;
    if (!find_entry(history, from, &entry, error) || !find_entry(history, to, &entry, error))
        return false;
    if (!ancestor)
        return pqt_history_visit_path(history, from, to, append_number, out);
    uint64_t number = 0;
    return pqt_history_common_ancestor(history, from, to, &number) &&
           flat_append(&number, sizeof number, out);
}

bool
flat_history_stats(const pqt_history *history, void *out)
{
    const pqt_history_stats stats = pqt_history_get_stats(history);
    const uint64_t words[5] = {stats.entries, stats.branches, stats.bytes, stats.index_bytes,
                               stats.entry_bytes};
    return flat_append(words, sizeof words, out);
}

bool
flat_history_entry_bytes(const pqt_history *history, uint64_t number, void *out, pqt_error *error)
{
    pqt_history_bytes bytes;
    if (!pqt_history_get_bytes(history, number, &bytes, error))
        return false;
    const uint64_t words[4] = {bytes.all, bytes.added, bytes.shared, bytes.freed};
    return flat_append(words, sizeof words, out);
}

/* ---- Dropping ---- */

bool
flat_history_drop(pqt_history *history, int command, uint64_t number, pqt_error *error)
{
    switch (command) {
    case FLAT_THIN:
        return pqt_history_thin(history, number < SIZE_MAX ? (size_t)number : SIZE_MAX, error);
    case FLAT_DROP:
        return pqt_history_drop(history, number, error);
    default:
        return pqt_history_drop_branch(history, number, error);
    }
}
