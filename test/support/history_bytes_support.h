/* SPDX-License-Identifier: MIT */
/* history_bytes_support.h: histories of each kind, for tests of histories as bytes. */
#ifndef TEST_HISTORY_BYTES_SUPPORT_H
#define TEST_HISTORY_BYTES_SUPPORT_H

#include <pqt/history_bytes.h>

#include "stored_kinds.h"
#include "version/history_internal.h"

/* Pushes edits, sometimes after going back to an earlier entry, so that there are branches and redo
   links to older children. Names, drops and marks some entries. */
static inline void
edit_history(pqt_history *history, pqt_kind kind, size_t pushes, dice *d)
{
    static const char *const labels[] = {"Move", "Move", "\xc3\xa9t\xc3\xa9", "", "Paint a disc"};
    pqt_error error = {0};
    for (size_t i = 1; i <= pushes; i++) {
        const any_version current = {kind, pqt_history_value(history)};
        const pqt_history_entry_info info = {.label = labels[dice_below(d, 5)],
                                             .time = (double)i / 3,
                                             .key = i % 7 == 0 ? UINT64_MAX - i : 0,
                                             .keep_equal = true};
        require(pqt_history_push(history, edit_of_kind(current, d), &info, &error), error.text);
        if (i == 4 || i == 14)
            require(pqt_history_set_name(history, i, i == 4 ? "four" : "\xc3\xa9", &error),
                    error.text);
        if (i % 10 == 9)
            require(pqt_history_checkout(history, i - dice_below(d, 9), &error), error.text);
        if (i == 6)
            pqt_history_mark_saved(history);
    }
    if (pushes > 9)
        require(pqt_history_drop(history, 8, &error), error.text);
    pqt_history_undo(history);
}

/* Returns a history of one of the STORED_KINDS. */
static inline pqt_history *
varied_history(unsigned form, size_t pushes, pqt_memory *memory)
{
    pqt_error error = {0};
    dice d = {form};
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    const any_version first = first_of_kind(form, memory);
    options.label = "First";
    options.time = -7.5;
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(first.kind), first.version, &options, &error);
    require(history != NULL, error.text);
    edit_history(history, first.kind, pushes, &d);
    return history;
}

static inline void
require_same_record(const pqt_history *a, const pqt_history *b, uint32_t slot)
{
    const pqti_record *x = &a->records[slot], *y = &b->records[slot];
    require(x->number == y->number && x->parent == y->parent && x->redo == y->redo, "the links");
    require(x->time == y->time && x->key == y->key, "time and key");
    require(strcmp(x->label, y->label) == 0, "the label");
    require((x->name == NULL) == (y->name == NULL) &&
                (x->name == NULL || strcmp(x->name, y->name) == 0),
            "the name");
    require(
        pqt_version_equals(pqt_history_value_of(a, x->number), pqt_history_value_of(b, y->number)),
        "the version");
}

static inline void
require_same_history(const pqt_history *a, const pqt_history *b)
{
    require(a->count == b->count && a->current == b->current && a->saved == b->saved &&
                a->next_number == b->next_number,
            "the counts and the marks");
    for (uint32_t slot = 0; slot < a->count; slot++)
        require_same_record(a, b, slot);
}

#endif
