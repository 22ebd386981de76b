/* SPDX-License-Identifier: MIT */
/*
 * history.c: makes histories, and implements pushes, coalescing, groups and the saved mark.
 *
 * A push does everything that can fail before it changes the history: it reserves a record, copies
 * the label, counts the bytes, and makes the summary of the record that gets a child. Thinning
 * follows. If thinning fails, the next push repeats it.
 */
#include "config.h"

#include "version/history_internal.h"

#include <math.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/format_double.h"
#include "base/option_structs.h"

static bool
time_is_finite(double time)
{
    return time - time == 0;
}

static bool
validate_time(double time, double least, pqt_error *error)
{
    if (time_is_finite(time) && time >= least)
        return true;
    if (time_is_finite(time))
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "time is %s, before that of the current entry, %s",
                       pqti_format_double(time).text, pqti_format_double(least).text);
    else
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "time is %s, not finite",
                       pqti_format_double(time).text);
    return false;
}

PQTI_DEFINE_OPTIONS(pqti_history_options, pqt_history_options, label, PQT_HISTORY_DEFAULTS);

const pqt_history_options *
pqti_history_read_options(const pqt_history_options *options, pqt_history_options *converted,
                          pqt_error *error)
{
    options = pqti_options_read(&pqti_history_options_layout, options, converted, error);
    return options != NULL && validate_time(options->time, -HUGE_VAL, error) ? options : NULL;
}

/* Returns the memory of a value. Returns NULL and sets `error` on failure. */
static pqt_memory *
memory_of(const pqt_history_kind *kind, const void *value, pqt_error *error)
{
    pqt_memory *memory = kind->memory == NULL ? NULL : kind->memory(value, kind->context);
    return pqti_memory_or_default(memory, error);
}

/* Makes the first record and, with the option `indexed`, the index. */
static bool
begin_history(pqt_history *history, const void *first, pqt_error *error)
{
    pqti_record root = {.value = first, .time = history->options.time};
    root.label = pqti_history_label(history, history->options.label, error);
    history->options.label = NULL; /* it is the caller's */
    if (root.label == NULL || !pqti_history_reserve(history, error) ||
        !pqti_history_exclusive_bytes(history, first, NULL, 0, &root.added, error))
        return false;
    if (history->options.indexed && !pqti_history_make_index(history, first, error))
        return false;
    pqti_history_append(history, &root);
    history->next_number = 1;
    history->coalescing_ended = true;
    return true;
}

/* Returns true if a value is not NULL. A NULL value without an error is a mistake by the caller. */
static bool
check_value(const char *function, const void *value, const pqt_error *error)
{
    PQT_ASSERT_IN(function, value != NULL || pqti_may_be_null(error),
                  "the value is NULL, and no earlier error is set");
    return value != NULL;
}

static const pqt_history_kind kind_without_functions = {.size = sizeof(pqt_history_kind)};
const pqti_options_layout pqti_history_kind_layout = {
    "sizeof(pqt_history_kind)", &kind_without_functions, sizeof(pqt_history_kind),
    PQTI_SIZE_THROUGH(pqt_history_kind, trace)};

pqt_history *
pqt_history_make(const pqt_history_kind *kind, const void *first,
                 const pqt_history_options *options, pqt_error *error)
{
    pqt_history_options converted;
    pqt_history_kind converted_kind;
    PQT_ASSERT(kind != NULL, "the kind is NULL");
    if (!check_value(__func__, first, error))
        return NULL;
    options = pqti_history_read_options(options, &converted, error);
    kind = pqti_options_read(&pqti_history_kind_layout, kind, &converted_kind, error);
    if (options == NULL || kind == NULL)
        return NULL;
    PQT_ASSERT(kind->name != NULL, "the kind has no name");
    pqt_memory *memory = memory_of(kind, first, error);
    if (memory != NULL && memory->calls->reclaiming != NULL && kind->trace == NULL) {
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "kind: values in a heap need a trace function, and %s have none",
                       kind->name);
        return NULL;
    }
    if (memory == NULL || !pqti_scope_begin(memory, error)) /* it keeps the label */
        return NULL;
    pqt_history *history = pqti_history_new(kind, options, memory, error);
    if (history != NULL && !begin_history(history, first, error)) {
        pqti_history_free(history);
        history = NULL;
    }
    pqti_scope_end(memory);
    pqti_keep_alive(first);
    return history;
}

void
pqt_history_destroy(pqt_history **history)
{
    if (history == NULL || *history == NULL)
        return;
    pqti_history_free(*history);
    *history = NULL;
}

/* Returns true if a push with this key should replace the current record. */
static bool
may_replace(const pqt_history *history, uint64_t key)
{
    const pqti_record *current = &history->records[history->current];
    if (current->first != PQTI_NO_SLOT || current->name != NULL ||
        history->current == history->saved || history->current == 0)
        return false;
    if (history->group_depth > 0)
        return history->current != history->group_start;
    return !history->coalescing_ended && key != 0 && current->key == key;
}

static bool
equals_current(const pqt_history *history, const void *value)
{
    const void *current = history->records[history->current].value;
    return value == current || (history->kind.equals != NULL &&
                                history->kind.equals(value, current, history->kind.context));
}

static bool
validate_value(const pqt_history *history, const void *value, pqt_error *error)
{
    pqt_memory *memory = memory_of(&history->kind, value, error);
    if (memory == NULL)
        return false;
    if (memory != history->memory) {
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0,
                       "%s: the version is not in the memory of the first version",
                       history->kind.name);
        return false;
    }
    return history->index == NULL || history->index->calls->covers(history, value, error);
}

/* Fills a record except for its links. Returns false and sets `error` on failure. */
static bool
make_record(const pqt_history *history, const void *value, const pqt_history_entry_info *info,
            uint32_t parent, pqti_record *record, pqt_error *error)
{
    const bool in_group = history->group_depth > 0;
    *record = (pqti_record){.value = value,
                            .number = history->next_number,
                            .key = in_group ? 0 : info->key,
                            .time = info->time,
                            .parent = parent};
    record->label =
        pqti_history_label(history, in_group ? history->group_label : info->label, error);
    return record->label != NULL &&
           pqti_history_exclusive_bytes(history, value, &history->records[parent].value, 1,
                                        &record->added, error);
}

/* Replaces the contents of the current record. Its number and its links do not change. */
static bool
replace_current(pqt_history *history, const void *value, const pqt_history_entry_info *info,
                pqt_error *error)
{
    pqti_record *current = &history->records[history->current];
    pqti_record made;
    if (pqti_history_load(history, current->parent, error) == NULL ||
        !make_record(history, value, info, current->parent, &made, error))
        return false;
    made.number = current->number;
    if (history->backing != NULL &&
        !history->backing->save(history, &made, history->current, error))
        return false;
    history->bytes = history->bytes - current->added + made.added;
    pqti_lock_roots(history->memory);
    pqti_history_record_removed(history, current);
    current->value = made.value;
    current->label = made.label;
    pqti_history_record_added(history, current);
    pqti_unlock_roots(history->memory);
    current->summary = NULL; /* it may be an old one that covers the replaced change */
    current->time = made.time;
    current->added = made.added;
    current->path_cost = made.path_cost;
    current->keyframe = made.keyframe;
    return true;
}

/* Appends a record. This cannot fail: the capacity is reserved, and the parent has its summary. */
static void
append_after_current(pqt_history *history, const pqti_record *made)
{
    const uint32_t left = history->current;
    const uint32_t slot = pqti_history_append(history, made);
    history->records[left].redo = slot;
    history->current = slot;
    history->next_number++;
    history->coalescing_ended = false;
    pqti_history_update_droppable(history, slot);
}

/*
 * If thinning would drop the current record right after this push, removes that record first and
 * makes the new one a child of its parent. If that is not possible, changes nothing and returns
 * false: the push then appends as usual, and thinning tries to drop the record.
 */
static bool
add_in_place_of_current(pqt_history *history, pqti_record made)
{
    const uint32_t parent = history->records[history->current].parent;
    if (!pqti_history_push_drops_current(history, made.added))
        return false;
    const void *const before = pqti_history_load(history, parent, NULL);
    if (before == NULL ||
        !pqti_history_exclusive_bytes(history, made.value, &before, 1, &made.added, NULL) ||
        !pqti_history_seal(history, parent, NULL))
        return false;
    made.parent = parent;
    if (history->backing != NULL && !history->backing->save(history, &made, history->current, NULL))
        return false;
    history->current = parent;
    pqti_history_pop(history);
    append_after_current(history, &made);
    return true;
}

static bool
add_after_current(pqt_history *history, const void *value, const pqt_history_entry_info *info,
                  pqt_error *error)
{
    pqti_record made;
    if (!make_record(history, value, info, history->current, &made, error))
        return false;
    if (add_in_place_of_current(history, made))
        return true;
    if (!pqti_history_reserve(history, error) ||
        !pqti_history_seal(history, history->current, error))
        return false;
    if (history->backing != NULL && !history->backing->save(history, &made, PQTI_NO_SLOT, error))
        return false;
    append_after_current(history, &made);
    return true;
}

/* Returns true if the caller of a push specified a time. NaN means that no time was specified. So
   does 0 if the current entry is later, because a zeroed struct contains 0. */
static bool
has_time(const pqt_history_entry_info *info, double current)
{
    return info->time == info->time && !(info->time == 0 && current > 0);
}

bool
pqt_history_push(pqt_history *history, const void *value, const pqt_history_entry_info *info,
                 pqt_error *error)
{
    static const pqt_history_entry_info no_info = {.label = NULL};
    PQTI_ASSERT_HISTORY(history);
    PQT_ASSERT(info == NULL || pqti_words_are_zero(info->reserved, 4),
               "the reserved words of the entry info are not 0");
    if (info == NULL)
        info = &no_info;
    pqti_history_trim(history);
    const double current_time = history->records[history->current].time;
    pqt_history_entry_info timed = *info;
    if (!has_time(info, current_time))
        timed.time = current_time;
    if (!check_value(__func__, value, error) || !validate_value(history, value, error) ||
        !validate_time(timed.time, current_time, error))
        return false;
    if (!info->keep_equal && equals_current(history, value))
        return true;
    if (!pqti_scope_begin(history->memory, error))
        return false;
    const bool done = may_replace(history, info->key)
                          ? replace_current(history, value, &timed, error)
                          : add_after_current(history, value, &timed, error);
    pqti_keep_alive(value);
    if (!done) {
        pqti_scope_end(history->memory);
        return false;
    }
    pqti_history_enforce(history);
    pqti_scope_end_at_safe_point(history->memory, NULL, NULL);
    return true;
}

void
pqt_history_end_coalescing(pqt_history *history)
{
    PQTI_ASSERT_HISTORY(history);
    history->coalescing_ended = true;
}

void
pqt_history_begin(pqt_history *history, const char *label)
{
    PQTI_ASSERT_HISTORY(history);
    if (history->group_depth++ > 0)
        return;
    pqti_history_clean(label, history->group_label);
    history->group_start = history->current;
    pqti_history_update_droppable(history, history->group_start);
}

bool
pqt_history_end(pqt_history *history)
{
    PQTI_ASSERT_HISTORY(history);
    if (history->group_depth == 0)
        return false;
    history->group_depth--;
    history->coalescing_ended = true;
    pqti_history_update_droppable(history, history->group_start);
    return true;
}

/*
 * While a group is open, only pushes change the current record. So the records of the group are the
 * last ones in the array, and each is the parent of the next one.
 */
bool
pqt_history_cancel(pqt_history *history)
{
    PQTI_ASSERT_HISTORY(history);
    if (history->group_depth == 0)
        return false;
    PQT_INVARIANT(history->current >= history->group_start,
                  "the records of a group are not the last");
    bool may_pop = true;
    while (history->current != history->group_start) {
        const uint32_t left = history->current;
        const pqti_record *record = &history->records[left];
        may_pop = may_pop && record->name == NULL && left != history->saved;
        history->current = record->parent;
        if (may_pop)
            pqti_history_pop(history);
    }
    history->group_depth = 0;
    history->coalescing_ended = true;
    pqti_history_update_droppable(history, history->group_start);
    pqti_history_state_changed(history, history->current, history->current);
    return true;
}

void
pqt_history_mark_saved(pqt_history *history)
{
    PQTI_ASSERT_HISTORY(history);
    const uint32_t before = history->saved;
    history->saved = history->current;
    pqti_history_update_droppable(history, before);
    pqti_history_update_droppable(history, history->saved);
    pqti_history_state_changed(history, history->current, history->current);
}

bool
pqt_history_is_modified(const pqt_history *history)
{
    PQTI_ASSERT_HISTORY(history);
    return history->current != history->saved;
}
