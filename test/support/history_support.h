/* SPDX-License-Identifier: MIT */
/* history_support.h: functions for tests of histories. */
#ifndef TEST_HISTORY_SUPPORT_H
#define TEST_HISTORY_SUPPORT_H

#include <math.h>
#include <stdio.h>

#include <pqt/history_query.h>
#include <pqt/map.h>
#include <pqt/region.h>

#include "hooks.h"
#include "memory/memory_internal.h"
#include "random.h"
#include "suite.h"
#include "tree_support.h"
#include "version/history_internal.h"

static inline pqt_history *
history_of(const void *first, bool indexed)
{
    pqt_error error = {0};
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.indexed = indexed;
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), first, &options, &error);
    require(history != NULL, error.text);
    return history;
}

static inline void
push_at(pqt_history *history, const void *value, const char *label, double time, uint64_t key)
{
    pqt_error error = {0};
    const bool done = pqt_history_push(
        history, value, &(pqt_history_entry_info){.label = label, .time = time, .key = key},
        &error);
    require(done, error.text);
}

static inline void
push(pqt_history *history, const void *value, const char *label)
{
    push_at(history, value, label, 0, 0);
}

static inline void
go(pqt_history *history, uint64_t entry)
{
    pqt_error error = {0};
    require(pqt_history_checkout(history, entry, &error), error.text);
}

/* Expects that the list of droppable records contains exactly the unprotected ones. */
static inline void
expect_droppable_list(const pqt_history *history)
{
    size_t unprotected = 0, listed = 0;
    for (uint32_t slot = 0; slot < history->count; slot++) {
        const bool is_protected = pqti_history_is_protected(history, slot);
        require(history->records[slot].is_droppable == !is_protected, "a record is in the list");
        require(!history->records[slot].is_dropped, "no record waits to be dropped");
        unprotected += !is_protected;
    }
    uint32_t before = PQTI_NO_SLOT;
    for (uint32_t slot = history->first_droppable; slot != PQTI_NO_SLOT;
         slot = history->records[slot].droppable_next) {
        require(slot < history->count && history->records[slot].is_droppable &&
                    history->records[slot].droppable_previous == before && listed < history->count,
                "the list is linked both ways");
        before = slot;
        listed++;
    }
    require(listed == unprotected, "the list has each unprotected record once");
}

static inline size_t
entries(const pqt_history *history)
{
    return pqt_history_get_stats(history).entries;
}

/* Returns the previous tree with one more dot, whose position follows from its id. */
static inline const pqt_tree *
with_dot(const void *tree, uint64_t id)
{
    return inserted(tree, dot((double)(id % 16), (double)(id / 16 % 16), id));
}

/* Returns a history in which entry i + 1 has dots 0 .. i. */
static inline pqt_history *
long_history(const pqt_tree *first, size_t count, bool indexed)
{
    pqt_history *history = history_of(first, indexed);
    for (size_t i = 0; i < count; i++)
        push_at(history, with_dot(pqt_history_value(history), i), "Dot", (double)i + 1, 0);
    return history;
}

static inline void
expect_value(const pqt_history *history, const void *value)
{
    ck_assert_ptr_eq(pqt_history_value(history), value);
    ck_assert_ptr_eq(pqt_history_value_of(history, pqt_history_current(history)), value);
}

static inline pqt_history_entry
entry_at(const pqt_history *history, uint64_t number)
{
    pqt_history_entry entry;
    require(pqt_history_get_entry(history, number, &entry), "the entry exists");
    return entry;
}

/* Returns a history with entries 0 -- 1 -- 2, and a branch 3 -- 4 that begins at 1. */
static inline pqt_history *
forked(const pqt_tree *first)
{
    pqt_history *history = history_of(first, false);
    push_at(history, with_dot(first, 1), "One", 1, 0);
    push_at(history, with_dot(pqt_history_value(history), 2), "Two", 2, 0);
    ck_assert(pqt_history_undo(history));
    push_at(history, with_dot(pqt_history_value(history), 3), "Three", 3, 0);
    push_at(history, with_dot(pqt_history_value(history), 4), "Four", 4, 0);
    return history;
}

static inline bool
add_number(const pqt_history_entry *entry, void *context)
{
    char *text = context;
    sprintf(text + strlen(text), "%u ", (unsigned)entry->number);
    return true;
}

static inline bool
stop(const pqt_history_entry *entry, void *context)
{
    (void)entry;
    ++*(int *)context;
    return false;
}

/* A visitor that must not be called. */
static inline bool
never(const pqt_change *change, void *context)
{
    (void)change;
    (void)context;
    ck_abort_msg("a refused query visits nothing");
}

#endif
