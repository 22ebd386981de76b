/* SPDX-License-Identifier: MIT */
/*
 * history_compare.c: compares a history with its model: entries, paths, and queries of the past,
 * which the model answers by scanning all entries.
 */
#include "config.h"

#include "history_pair.h"

#include <string.h>

#include "tree_support.h"

static size_t
draw(history_pair *p, size_t bound)
{
    return p->draw(p->luck, bound);
}

/* ---- Equality ---- */

static void
expect_tree(const pqt_tree *tree, const snapshot *now)
{
    size_t count = 0;
    for (size_t id = 0; id < MODEL_IDS; id++) {
        if (now->x[id] == MODEL_NOBODY)
            continue;
        count++;
        require(pqt_tree_contains(tree, history_pair_item(id, now->x[id], now->y[id])),
                "an item is present");
    }
    require(pqt_tree_count(tree) == count, "there are no other items");
}

void
history_pair_expect_current(history_pair *p)
{
    require(pqt_history_current(p->history) == p->m->current, "the current entry");
    expect_tree(pqt_history_value(p->history), &history_model_moment(p->m, p->m->current)->now);
}

static void
expect_entry(history_model *m, const pqt_history_entry *entry)
{
    const moment *at = history_model_moment(m, entry->number);
    size_t depth = 0, children = 0;
    for (uint64_t n = at->number; n != 0; n = history_model_moment(m, n)->parent)
        depth++;
    for (size_t i = 1; i < m->count; i++)
        children += m->moments[i].parent == at->number;
    require(entry->parent == at->parent && entry->depth == depth && entry->children == children,
            "an entry has the parent that it has in the model");
    require(strcmp(entry->label, at->label) == 0 && entry->time == at->time, "label and time");
    require((entry->name != NULL) == at->has_name &&
                (!at->has_name || strcmp(entry->name, at->name) == 0),
            "the name");
    require(entry->is_current == (at->number == m->current) &&
                entry->is_saved == (at->number == m->saved) &&
                entry->is_on_path == history_model_is_on_path(m, at->number, m->current),
            "the marks");
}

typedef struct preorder {
    history_model *m;
    uint64_t numbers[MODEL_MOST];
    size_t count, seen;
} preorder;

static void
list_in_preorder(preorder *order, uint64_t number)
{
    order->numbers[order->count++] = number;
    for (size_t i = 1; i < order->m->count; i++)
        if (order->m->moments[i].parent == number)
            list_in_preorder(order, order->m->moments[i].number);
}

static bool
see_entry(const pqt_history_entry *entry, void *context)
{
    preorder *order = context;
    require(order->seen < order->count && order->numbers[order->seen++] == entry->number,
            "entries are visited in preorder");
    expect_entry(order->m, entry);
    return true;
}

static bool
count_tip(const pqt_history_entry *entry, void *context)
{
    require(entry->children == 0, "a branch ends in a tip");
    ++*(size_t *)context;
    return true;
}

void
history_pair_expect_all(history_pair *p)
{
    preorder order = {.m = p->m};
    size_t tips = 0, expected = 0;
    list_in_preorder(&order, 0);
    require(pqt_history_visit(p->history, see_entry, &order), "the visit is not stopped");
    require(order.seen == p->m->count, "all entries are visited");
    for (size_t i = 0; i < p->m->count; i++)
        expect_tree(pqt_history_value_of(p->history, p->m->moments[i].number),
                    &p->m->moments[i].now);
    for (size_t i = 0; i < p->m->count; i++)
        expected += !history_model_has_children(p->m, p->m->moments[i].number);
    require(pqt_history_visit_branches(p->history, count_tip, &tips) && tips == expected,
            "the branches");
    require(pqt_history_get_stats(p->history).entries == p->m->count, "the count");
    require(pqt_history_is_modified(p->history) == (p->m->current != p->m->saved), "modified");
}

/* ---- Paths ---- */

typedef struct way {
    uint64_t numbers[2 * MODEL_MOST];
    size_t count, seen;
} way;

static bool
see_step(const pqt_history_entry *entry, void *context)
{
    way *w = context;
    require(w->seen < w->count && w->numbers[w->seen++] == entry->number,
            "the path visits the expected entry");
    return true;
}

void
history_pair_expect_path(history_pair *p)
{
    history_model *m = p->m;
    way w = {.count = 0};
    const uint64_t from = m->moments[draw(p, m->count)].number;
    const uint64_t to = m->moments[draw(p, m->count)].number;
    uint64_t at = from, met;
    for (; !history_model_is_on_path(m, at, to); at = history_model_moment(m, at)->parent)
        w.numbers[w.count++] = at;
    const uint64_t meeting = at;
    const size_t up = w.count;
    for (at = to; at != meeting; at = history_model_moment(m, at)->parent)
        w.count++;
    w.count++;
    w.numbers[up] = meeting;
    size_t i = w.count;
    for (at = to; at != meeting; at = history_model_moment(m, at)->parent)
        w.numbers[--i] = at;
    require(pqt_history_common_ancestor(p->history, from, to, &met) && met == meeting,
            "the common ancestor");
    require(pqt_history_visit_path(p->history, from, to, see_step, &w) && w.seen == w.count,
            "the path between two entries");
}

/* ---- The past, by a scan ---- */

static bool
stands(const snapshot *now, size_t id, pqt_query query)
{
    if (now->x[id] == MODEL_NOBODY)
        return false;
    const pqt_item item = history_pair_item(id, now->x[id], now->y[id]);
    return pqt_box_relates(item.box, query.window, query.relation) &&
           (query.filter == NULL || query.filter(&item, query.context));
}

static bool
differs(const snapshot *a, const snapshot *b, size_t id)
{
    return a->x[id] != b->x[id] || a->y[id] != b->y[id];
}

static bool
window_differs(const snapshot *a, const snapshot *b, pqt_query query)
{
    for (size_t id = 0; id < MODEL_IDS; id++)
        if (differs(a, b, id) && (stands(a, id, query) || stands(b, id, query)))
            return true;
    return false;
}

uint64_t
history_pair_most_steps(uint64_t entries)
{
    uint64_t h = 0;
    for (uint64_t power = 64; power <= 7 * entries + 1; power *= 8)
        h++;
    return 15 * h + 9;
}

static size_t
depth_of(history_model *m, uint64_t number)
{
    size_t depth = 0;
    for (; number != 0; number = history_model_moment(m, number)->parent)
        depth++;
    return depth;
}

static void
expect_answer(history_pair *p, const pqt_history_answer *answer, uint64_t tip, uint64_t expected)
{
    require(answer->found == (expected != 0), "whether there was a change");
    require(answer->entry == expected, "the entry of the last change");
    require(!answer->found || (answer->before == history_model_moment(p->m, expected)->parent &&
                               answer->time == history_model_moment(p->m, expected)->time),
            "the entry before, and the time");
    require(answer->steps <= history_pair_most_steps(depth_of(p->m, tip)), "within the bound");
}

static bool
is_even(const pqt_item *item, void *context)
{
    (void)context;
    return item->id % 2 == 0;
}

void
history_pair_expect_window(history_pair *p, uint64_t tip)
{
    pqt_error error = {0};
    pqt_history_answer answer;
    const double x = (double)draw(p, 16), y = (double)draw(p, 16);
    const double side = (double)draw(p, 6);
    pqt_query query =
        query_of(box(x, y, x + side, y + side), (pqt_relation)(PQT_TOUCHES + (int)draw(p, 4)));
    query.filter = draw(p, 100) < 20 ? is_even : NULL;
    uint64_t expected = tip;
    while (expected != 0 &&
           !window_differs(
               &history_model_moment(p->m, expected)->now,
               &history_model_moment(p->m, history_model_moment(p->m, expected)->parent)->now,
               query))
        expected = history_model_moment(p->m, expected)->parent;
    require(pqt_history_last_change(p->history, NULL, tip, &query, &answer, &error), error.text);
    expect_answer(p, &answer, tip, expected);
}

static void
expect_change(const pqt_change *change, const moment *was, const moment *is, size_t id)
{
    const bool had = was->now.x[id] != MODEL_NOBODY, has = is->now.x[id] != MODEL_NOBODY;
    require(change->kind == (!had   ? PQT_INSERT
                             : !has ? PQT_REMOVE
                                    : PQT_MOVE),
            "the kind of the change");
    const snapshot *first = had ? &was->now : &is->now;
    require(pqt_item_equals(change->item, history_pair_item(id, first->x[id], first->y[id])),
            "to what");
    if (had && has)
        require(pqt_item_equals(boxed(change->to, id),
                                history_pair_item(id, is->now.x[id], is->now.y[id])),
                "the box after");
}

/* Compares all changes to an item, the newest first. */
void
history_pair_expect_item(history_pair *p, uint64_t tip)
{
    pqt_error error = {0};
    pqt_history_answer answer = {.found = true};
    const size_t id = draw(p, MODEL_IDS);
    while (answer.found) {
        uint64_t expected = tip;
        while (
            expected != 0 &&
            !differs(&history_model_moment(p->m, expected)->now,
                     &history_model_moment(p->m, history_model_moment(p->m, expected)->parent)->now,
                     id))
            expected = history_model_moment(p->m, expected)->parent;
        require(pqt_history_last_item_change(p->history, NULL, tip, id, &answer, &error),
                error.text);
        expect_answer(p, &answer, tip, expected);
        if (answer.found)
            expect_change(&answer.change, history_model_moment(p->m, answer.before),
                          history_model_moment(p->m, answer.entry), id);
        tip = answer.before;
    }
}

static bool
count_change(const pqt_change *change, void *context)
{
    (void)change;
    ++*(size_t *)context;
    return true;
}

void
history_pair_expect_times(history_pair *p, uint64_t tip)
{
    pqt_error error = {0};
    uint64_t expected[2], found;
    double times[2];
    size_t changes = 0, different = 0;
    for (int i = 0; i < 2; i++) {
        times[i] = (double)draw(p, (size_t)p->clock + 4) - 2;
        for (expected[i] = tip;
             expected[i] != 0 && history_model_moment(p->m, expected[i])->time > times[i];)
            expected[i] = history_model_moment(p->m, expected[i])->parent;
        const bool began = pqt_history_entry_at(p->history, tip, times[i], &found);
        require(began == (times[i] >= 0) && (!began || found == expected[i]),
                "the entry that was current");
    }
    const snapshot *a = &history_model_moment(p->m, expected[0])->now,
                   *b = &history_model_moment(p->m, expected[1])->now;
    for (size_t id = 0; id < MODEL_IDS; id++)
        different += differs(a, b, id);
    require(pqt_history_visit_changes(p->history, NULL, tip, times[0], times[1], NULL, count_change,
                                      &changes, &error),
            error.text);
    require(changes == different, "the changes between two times");
}
