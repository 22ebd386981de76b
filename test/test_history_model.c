/* SPDX-License-Identifier: MIT */
/*
 * test_history_model.c - random edits of a history against a plain tree of snapshots.
 *
 * The model keeps for each entry all that it holds, as an array of places by id, and does everything
 * in the plainest way: it looks at every entry. Versions are kept alive by the history alone.
 */
#include "config.h"

#include <stdio.h>

#include <pqt/history.h>

#include "memory/memory.h"
#include "random.h"
#include "suite.h"
#include "tree_support.h"

enum { IDS = 10, MOST = 400, LABEL = 24, NOBODY = -1 };

/* Where each item is: column and row of a 16 x 16 world, or nowhere. */
typedef struct snapshot {
    signed char x[IDS], y[IDS]; /* x NOBODY: it is not there */
} snapshot;

typedef struct moment {
    snapshot now;
    uint64_t number, parent, key;
    bool has_redo, has_name;
    uint64_t redo;
    double time;
    char label[LABEL], name[LABEL];
} moment;

typedef struct model {
    moment moments[MOST + 1]; /* in order of numbers */
    size_t count;
    uint64_t next, current, saved, group_start;
    size_t groups;
    bool sealed;
    char group_label[LABEL];
} model;

/* ---- The model: plain as can be ---- */

static size_t
place_of(const model *m, uint64_t number)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->moments[i].number == number)
            return i;
    ck_abort_msg("the model has lost an entry");
}

static moment *
moment_of(model *m, uint64_t number)
{
    return &m->moments[place_of(m, number)];
}

static bool
has_children(const model *m, uint64_t number)
{
    for (size_t i = 1; i < m->count; i++)
        if (m->moments[i].parent == number)
            return true;
    return false;
}

static bool
is_kept_always(const model *m, const moment *at)
{
    return at->number == 0 || at->number == m->current || at->number == m->saved || at->has_name ||
           (m->groups > 0 && at->number == m->group_start);
}

static void
model_push(model *m, const snapshot *now, const char *label, double time, uint64_t key)
{
    moment *current = moment_of(m, m->current);
    if (memcmp(&current->now, now, sizeof *now) == 0)
        return;
    bool replaces = m->current != 0 && !has_children(m, m->current) && !current->has_name &&
                    m->saved != m->current;
    replaces = replaces && (m->groups > 0 ? m->current != m->group_start
                                          : !m->sealed && key != 0 && current->key == key);
    moment made = {.number = m->next, .parent = m->current};
    moment *at = replaces ? current : &m->moments[m->count];
    if (!replaces) {
        require(m->count < MOST, "the model is full");
        *at = made;
        at->key = m->groups > 0 ? 0 : key;
        current->has_redo = true;
        current->redo = m->next;
        m->current = m->next++;
        m->count++;
        m->sealed = false;
    }
    at->now = *now;
    at->time = time;
    strcpy(at->label, m->groups > 0 ? m->group_label : label);
}

static bool
is_on_way(model *m, uint64_t number, uint64_t tip)
{
    while (tip != number && tip != 0)
        tip = moment_of(m, tip)->parent;
    return tip == number;
}

static void
model_go(model *m, uint64_t number)
{
    const uint64_t left = m->current;
    m->current = number;
    m->sealed = true;
    for (; !is_on_way(m, number, left); number = moment_of(m, number)->parent) {
        moment *parent = moment_of(m, moment_of(m, number)->parent);
        parent->has_redo = true;
        parent->redo = number;
    }
}

static uint64_t
newest_child(const model *m, uint64_t number, bool *found)
{
    *found = false;
    for (size_t i = m->count; i-- > 1;)
        if (m->moments[i].parent == number) {
            *found = true;
            return m->moments[i].number;
        }
    return 0;
}

/* Drops what is not kept, by the words of history.h. */
static void
model_drop(model *m, const bool *kept)
{
    static model old;
    old = *m;
    m->count = 0;
    for (size_t i = 0; i < old.count; i++) {
        if (!kept[i])
            continue;
        moment *at = &m->moments[m->count++];
        *at = old.moments[i];
        while (!kept[place_of(&old, at->parent)])
            at->parent = old.moments[place_of(&old, at->parent)].parent;
    }
    for (size_t i = 0; i < m->count; i++) {
        moment *at = &m->moments[i];
        while (at->has_redo && !kept[place_of(&old, at->redo)]) {
            const moment *gone = &old.moments[place_of(&old, at->redo)];
            at->has_redo = gone->has_redo;
            at->redo = gone->redo;
        }
        if (!at->has_redo)
            at->redo = newest_child(m, at->number, &at->has_redo);
    }
}

static void
model_thin(model *m, size_t recent)
{
    bool kept[MOST];
    for (size_t i = 0; i < m->count; i++) {
        const uint64_t age = m->next - 1 - m->moments[i].number;
        size_t step = 1;
        while (recent > 0 && age >= recent * step)
            step *= 2;
        kept[i] =
            is_kept_always(m, &m->moments[i]) || (recent > 0 && m->moments[i].number % step == 0);
    }
    model_drop(m, kept);
}

static void
model_drop_branch(model *m, uint64_t number)
{
    bool kept[MOST];
    for (size_t i = 0; i < m->count; i++)
        kept[i] = is_kept_always(m, &m->moments[i]) || !is_on_way(m, number, m->moments[i].number);
    model_drop(m, kept);
}

static void
model_cancel(model *m)
{
    bool kept[MOST], ends = true;
    uint64_t at = m->current;
    for (size_t i = 0; i < m->count; i++)
        kept[i] = true;
    for (; at != m->group_start; at = moment_of(m, at)->parent) {
        ends = ends && !moment_of(m, at)->has_name && at != m->saved;
        kept[place_of(m, at)] = !ends;
    }
    m->current = m->group_start;
    m->groups = 0;
    m->sealed = true;
    model_drop(m, kept);
}

/* ---- Both side by side ---- */

typedef struct pair {
    model *m;
    pqt_history *history;
    pqt_memory *memory;
    dice d;
    double clock;
} pair;

static pqt_item
item_at(size_t id, int x, int y)
{
    return boxed(box(x, y, x + (int)(id % 3), y + (int)(id % 2)), id);
}

static bool
set_place(snapshot *now, size_t id, int x, int y)
{
    const bool changed = now->x[id] != x || (x != NOBODY && now->y[id] != y);
    now->x[id] = (signed char)x;
    now->y[id] = (signed char)(x == NOBODY ? 0 : y);
    return changed;
}

/* One random change of one item, of the model's current snapshot and of the history's current tree. */
static const pqt_tree *
edit(pair *p, snapshot *now)
{
    pqt_error error = {0};
    const pqt_tree *tree = pqt_history_value(p->history);
    const size_t id = dice_below(&p->d, IDS);
    const int old_x = now->x[id], old_y = now->y[id];
    const int x = dice_chance(&p->d, 30) ? NOBODY : (int)dice_below(&p->d, 4) * 4;
    if (!set_place(now, id, x, (int)dice_below(&p->d, 4) * 4))
        return tree;
    if (old_x != NOBODY)
        tree = pqt_tree_remove(tree, item_at(id, old_x, old_y), &error);
    if (x != NOBODY)
        tree = pqt_tree_insert(tree, item_at(id, x, now->y[id]), &error);
    return must(tree, &error);
}

static void
do_push(pair *p)
{
    static const char *const labels[] = {"Move", "Draw", "", "\xc3\x84ndern"};
    pqt_error error = {0};
    snapshot now = moment_of(p->m, p->m->current)->now;
    const pqt_tree *tree = edit(p, &now);
    if (dice_chance(&p->d, 20)) /* several changes at once, or an older version anew */
        for (int i = 0; i < 3; i++) {
            snapshot before = now;
            const size_t id = dice_below(&p->d, IDS);
            if (!set_place(&now, id, (int)id, 3))
                continue;
            if (before.x[id] != NOBODY)
                tree = pqt_tree_remove(tree, item_at(id, before.x[id], before.y[id]), &error);
            tree = pqt_tree_insert(tree, item_at(id, now.x[id], now.y[id]), &error);
        }
    if (dice_chance(&p->d, 10)) {
        const moment *old = &p->m->moments[dice_below(&p->d, p->m->count)];
        now = old->now;
        tree = pqt_history_value_of(p->history, old->number);
    }
    p->clock += (double)dice_below(&p->d, 3);
    const pqt_history_step step = {labels[dice_below(&p->d, 4)], p->clock, dice_below(&p->d, 4)};
    require(pqt_history_push(p->history, tree, step, &error), error.text);
    model_push(p->m, &now, step.label, step.time, step.key);
}

static void
do_undo_or_redo(pair *p)
{
    model *m = p->m;
    const moment *current = moment_of(m, m->current);
    if (dice_chance(&p->d, 60)) {
        const bool may = m->groups == 0 && m->current != 0;
        const char *label = pqt_history_undo_label(p->history);
        require((label != NULL) == may, "undo has a label if it can be done");
        require(label == NULL || strcmp(label, current->label) == 0, "the label of undo");
        require(pqt_history_undo(p->history) == may, "undo finds what the model finds");
        if (may)
            model_go(m, current->parent);
        return;
    }
    const bool may = m->groups == 0 && current->has_redo;
    const char *label = pqt_history_redo_label(p->history);
    require((label != NULL) == may, "redo has a label if it can be done");
    require(label == NULL || strcmp(label, moment_of(m, current->redo)->label) == 0,
            "the label of redo");
    require(pqt_history_redo(p->history) == may, "redo finds what the model finds");
    if (may)
        model_go(m, current->redo);
}

static void
do_go(pair *p)
{
    pqt_error error = {0};
    const uint64_t number = p->m->moments[dice_below(&p->d, p->m->count)].number;
    const bool gone = pqt_history_go(p->history, number, &error);
    require(gone == (p->m->groups == 0), "an entry can be gone to unless a group is open");
    if (gone)
        model_go(p->m, number);
}

static void
do_group(pair *p)
{
    model *m = p->m;
    const size_t what = dice_below(&p->d, 10);
    if (what < 3) {
        if (m->groups++ == 0) {
            strcpy(m->group_label, "Group");
            m->group_start = m->current;
        }
        pqt_history_begin(p->history, m->groups == 1 ? "Group" : "inner");
        return;
    }
    if (what < 9) {
        require(pqt_history_end(p->history) == (m->groups > 0), "a group ends if one is open");
        m->sealed = m->sealed || m->groups > 0;
        m->groups -= m->groups > 0;
        return;
    }
    require(pqt_history_cancel(p->history) == (m->groups > 0), "a group is cancelled if open");
    if (m->groups > 0)
        model_cancel(m);
}

static void
do_mark(pair *p)
{
    model *m = p->m;
    const size_t what = dice_below(&p->d, 4);
    moment *at = &m->moments[dice_below(&p->d, m->count)];
    if (what == 0) {
        pqt_history_seal(p->history);
        m->sealed = true;
    } else if (what == 1) {
        pqt_history_mark_saved(p->history);
        m->saved = m->current;
    } else if (at->has_name || dice_chance(&p->d, 50)) {
        require(pqt_history_set_name(p->history, at->number, NULL, NULL), "a name goes");
        at->has_name = false;
    } else {
        snprintf(at->name, sizeof at->name, "name %u", (unsigned)at->number);
        require(pqt_history_set_name(p->history, at->number, at->name, NULL), "a name comes");
        at->has_name = true;
    }
}

static void
do_drop(pair *p)
{
    model *m = p->m;
    pqt_error error = {0};
    const uint64_t number = m->moments[dice_below(&p->d, m->count)].number;
    const size_t what = dice_below(&p->d, 10);
    if (what < 8) {
        bool kept[MOST];
        for (size_t i = 0; i < m->count; i++)
            kept[i] = m->moments[i].number != number;
        const bool may = !is_kept_always(m, moment_of(m, number));
        require(pqt_history_drop(p->history, number, &error) == may, "what is kept is kept");
        if (may)
            model_drop(m, kept);
    } else if (what < 9 && number > p->m->next / 2) {
        require(pqt_history_drop_branch(p->history, number, &error), error.text);
        model_drop_branch(m, number);
    } else {
        const size_t recent = dice_below(&p->d, 200);
        require(pqt_history_thin(p->history, recent, &error), error.text);
        model_thin(m, recent);
    }
}

static void
do_something(pair *p)
{
    const size_t what = dice_below(&p->d, 100);
    if (p->m->count > MOST - 2) {
        require(pqt_history_thin(p->history, 20, NULL), "a history is thinned");
        model_thin(p->m, 20);
    }
    if (what < 60)
        do_push(p);
    else if (what < 78)
        do_undo_or_redo(p);
    else if (what < 82)
        do_go(p);
    else if (what < 91)
        do_group(p);
    else if (what < 97)
        do_mark(p);
    else
        do_drop(p);
}

/* ---- What must be equal ---- */

static void
expect_tree(const pqt_tree *tree, const snapshot *now)
{
    size_t count = 0;
    for (size_t id = 0; id < IDS; id++) {
        if (now->x[id] == NOBODY)
            continue;
        count++;
        require(pqt_tree_contains(tree, item_at(id, now->x[id], now->y[id])), "an item is there");
    }
    require(pqt_tree_count(tree) == count, "nothing else is there");
}

static void
expect_entry(model *m, const pqt_history_entry *entry)
{
    const moment *at = moment_of(m, entry->number);
    size_t depth = 0, children = 0;
    for (uint64_t n = at->number; n != 0; n = moment_of(m, n)->parent)
        depth++;
    for (size_t i = 1; i < m->count; i++)
        children += m->moments[i].parent == at->number;
    require(entry->parent == at->parent && entry->depth == depth && entry->children == children,
            "an entry hangs where it hangs in the model");
    require(strcmp(entry->label, at->label) == 0 && entry->time == at->time, "label and time");
    require((entry->name != NULL) == at->has_name &&
                (!at->has_name || strcmp(entry->name, at->name) == 0),
            "the name");
    require(entry->is_current == (at->number == m->current) &&
                entry->is_saved == (at->number == m->saved) &&
                entry->is_on_path == is_on_way(m, at->number, m->current),
            "the marks");
    expect_tree(entry->value, &at->now);
}

typedef struct preorder {
    model *m;
    uint64_t numbers[MOST];
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
            "entries come in preorder");
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

static void
expect_all(pair *p)
{
    preorder order = {.m = p->m};
    size_t tips = 0, expected = 0;
    list_in_preorder(&order, 0);
    require(pqt_history_visit(p->history, see_entry, &order), "the visit comes to its end");
    require(order.seen == p->m->count, "all entries are visited");
    for (size_t i = 0; i < p->m->count; i++)
        expected += !has_children(p->m, p->m->moments[i].number);
    require(pqt_history_visit_branches(p->history, count_tip, &tips) && tips == expected,
            "the branches");
    require(pqt_history_get_stats(p->history).entries == p->m->count, "the count");
    require(pqt_history_is_modified(p->history) == (p->m->current != p->m->saved), "modified");
}

/* ---- Ways ---- */

typedef struct way {
    uint64_t numbers[2 * MOST];
    size_t count, seen;
} way;

static bool
see_step(const pqt_history_entry *entry, void *context)
{
    way *w = context;
    require(w->seen < w->count && w->numbers[w->seen++] == entry->number, "the way goes there");
    return true;
}

static void
expect_way(pair *p)
{
    model *m = p->m;
    way w = {.count = 0};
    const uint64_t from = m->moments[dice_below(&p->d, m->count)].number;
    const uint64_t to = m->moments[dice_below(&p->d, m->count)].number;
    uint64_t at = from, met;
    for (; !is_on_way(m, at, to); at = moment_of(m, at)->parent)
        w.numbers[w.count++] = at;
    const uint64_t meeting = at;
    const size_t up = w.count;
    for (at = to; at != meeting; at = moment_of(m, at)->parent)
        w.count++;
    w.count++;
    w.numbers[up] = meeting;
    size_t i = w.count;
    for (at = to; at != meeting; at = moment_of(m, at)->parent)
        w.numbers[--i] = at;
    require(pqt_history_meet(p->history, from, to, &met) && met == meeting, "where ways meet");
    require(pqt_history_visit_path(p->history, from, to, see_step, &w) && w.seen == w.count,
            "the way between two entries");
}

/* ---- The past, by a scan ---- */

static bool
stands(const snapshot *now, size_t id, pqt_query query)
{
    if (now->x[id] == NOBODY)
        return false;
    const pqt_item item = item_at(id, now->x[id], now->y[id]);
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
    for (size_t id = 0; id < IDS; id++)
        if (differs(a, b, id) && (stands(a, id, query) || stands(b, id, query)))
            return true;
    return false;
}

static uint64_t
most_steps(uint64_t entries)
{
    uint64_t h = 0;
    for (uint64_t power = 64; power <= 7 * entries + 1; power *= 8)
        h++;
    return 15 * h + 9;
}

static size_t
depth_of(model *m, uint64_t number)
{
    size_t depth = 0;
    for (; number != 0; number = moment_of(m, number)->parent)
        depth++;
    return depth;
}

static void
expect_answer(pair *p, const pqt_history_answer *answer, uint64_t tip, uint64_t expected)
{
    require(answer->found == (expected != 0), "there was a change, or none");
    require(answer->entry == expected, "it was that entry");
    require(!answer->found || (answer->before == moment_of(p->m, expected)->parent &&
                               answer->time == moment_of(p->m, expected)->time),
            "the entry before, and the time");
    require(answer->steps <= most_steps(depth_of(p->m, tip)), "within the bound");
}

static bool
is_even(const pqt_item *item, void *context)
{
    (void)context;
    return item->id % 2 == 0;
}

static void
expect_window(pair *p, uint64_t tip)
{
    pqt_error error = {0};
    pqt_history_answer answer;
    const double x = (double)dice_below(&p->d, 16), y = (double)dice_below(&p->d, 16);
    const double side = (double)dice_below(&p->d, 6);
    pqt_query query = asking(box(x, y, x + side, y + side),
                             (pqt_relation)(PQT_TOUCHES + (int)dice_below(&p->d, 4)));
    query.filter = dice_chance(&p->d, 20) ? is_even : NULL;
    uint64_t expected = tip;
    while (expected != 0 &&
           !window_differs(&moment_of(p->m, expected)->now,
                           &moment_of(p->m, moment_of(p->m, expected)->parent)->now, query))
        expected = moment_of(p->m, expected)->parent;
    require(pqt_history_last_change(p->history, tip, &query, &answer, &error), error.text);
    expect_answer(p, &answer, tip, expected);
}

static void
expect_change(const pqt_change *change, const moment *was, const moment *is, size_t id)
{
    const bool had = was->now.x[id] != NOBODY, has = is->now.x[id] != NOBODY;
    require(change->kind == (!had ? PQT_INSERT : !has ? PQT_REMOVE : PQT_MOVE), "what happened");
    const snapshot *first = had ? &was->now : &is->now;
    require(pqt_item_equals(change->item, item_at(id, first->x[id], first->y[id])), "to what");
    if (had && has)
        require(pqt_item_equals(boxed(change->to, id), item_at(id, is->now.x[id], is->now.y[id])),
                "whither");
}

/* All changes of an item, newest first. */
static void
expect_item(pair *p, uint64_t tip)
{
    pqt_error error = {0};
    pqt_history_answer answer = {.found = true};
    const size_t id = dice_below(&p->d, IDS);
    while (answer.found) {
        uint64_t expected = tip;
        while (expected != 0 &&
               !differs(&moment_of(p->m, expected)->now,
                        &moment_of(p->m, moment_of(p->m, expected)->parent)->now, id))
            expected = moment_of(p->m, expected)->parent;
        require(pqt_history_last_item_change(p->history, tip, id, &answer, &error), error.text);
        expect_answer(p, &answer, tip, expected);
        if (answer.found)
            expect_change(&answer.change, moment_of(p->m, answer.before),
                          moment_of(p->m, answer.entry), id);
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

static void
expect_times(pair *p, uint64_t tip)
{
    pqt_error error = {0};
    uint64_t expected[2], found;
    double times[2];
    size_t changes = 0, different = 0;
    for (int i = 0; i < 2; i++) {
        times[i] = (double)dice_below(&p->d, (size_t)p->clock + 4) - 2;
        for (expected[i] = tip; expected[i] != 0 && moment_of(p->m, expected[i])->time > times[i];)
            expected[i] = moment_of(p->m, expected[i])->parent;
        const bool began = pqt_history_at(p->history, tip, times[i], &found);
        require(began == (times[i] >= 0) && (!began || found == expected[i]), "what was current");
    }
    const snapshot *a = &moment_of(p->m, expected[0])->now, *b = &moment_of(p->m, expected[1])->now;
    for (size_t id = 0; id < IDS; id++)
        different += differs(a, b, id);
    require(pqt_history_visit_changes(p->history, tip, times[0], times[1], NULL, count_change,
                                      &changes, &error),
            error.text);
    require(changes == different, "what changed between two times");
}

/* ---- The runs ---- */

static void
begin(pair *p, pqt_memory *memory, bool unique, bool indexed, uint64_t seed)
{
    pqt_error error = {0};
    pqt_tree_options options = options_of(2, 24);
    pqt_history_options wanted = PQT_HISTORY_DEFAULTS;
    options.memory = memory;
    options.unique_ids = unique;
    wanted.indexed = indexed;
    memset(p->m, 0, sizeof *p->m);
    memset(p->m->moments[0].now.x, NOBODY, IDS);
    p->m->count = p->m->next = 1;
    p->m->sealed = true;
    p->d = (dice){seed};
    p->clock = 0;
    p->memory = memory;
    p->history = pqt_history_make(pqt_history_trees(), pqt_tree_make(world_box, &options, &error),
                                  &wanted, &error);
    require(p->history != NULL, error.text);
}

static void
run(pqt_memory *memory, bool unique, bool indexed)
{
    static model m;
    pair p = {.m = &m};
    const size_t steps = test_scaled(6000);
    begin(&p, memory, unique, indexed, test_seed("history") + unique + 2u * indexed);
    for (size_t i = 0; i < steps; i++) {
        do_something(&p);
        require(pqt_history_current(p.history) == m.current, "the current entry");
        expect_tree(pqt_history_value(p.history), &moment_of(&m, m.current)->now);
        expect_way(&p);
        const uint64_t tip = m.moments[dice_below(&p.d, m.count)].number;
        expect_times(&p, tip);
        if (indexed && i % 4 == 0)
            expect_window(&p, tip);
        if (indexed && i % 16 == 0)
            expect_item(&p, tip);
        if (i % 100 == 0)
            pqti_collect(memory);
        if (i % 50 == 0)
            expect_all(&p);
    }
    expect_all(&p);
    fprintf(stderr, "# %zu entries of %u are left\n", m.count, (unsigned)m.next);
    pqt_history_destroy(&p.history);
}

START_TEST(a_history_is_a_tree_of_snapshots)
{
    run(arena, (_i & 1) != 0, (_i & 2) != 0);
}
END_TEST

START_TEST(a_history_is_a_tree_of_snapshots_for_the_collector_too)
{
    pqt_error error = {0};
    if (pqt_collector() == NULL)
        return;
    ck_assert(pqt_init(&error));
    run(pqt_collector(), (_i & 1) != 0, (_i & 2) != 0);
}
END_TEST

/* A long way without branches, so that jumps of four ranks are there. */
START_TEST(a_long_past_is_searched_within_the_bound)
{
    static model m;
    pair p = {.m = &m};
    const size_t entries = test_scaled(6000);
    uint64_t last[IDS] = {0};
    begin(&p, arena, _i != 0, true, test_seed("a long past"));
    uint64_t worst = 0;
    pqt_error error = {0};
    pqt_history_answer answer;
    for (size_t i = 0; i < entries; i++) {
        snapshot now = m.moments[0].now;
        const size_t id = dice_chance(&p.d, 99) ? dice_below(&p.d, IDS / 2) : dice_below(&p.d, IDS);
        const pqt_tree *tree = pqt_history_value(p.history);
        if (now.x[id] != NOBODY)
            tree = pqt_tree_remove(tree, item_at(id, now.x[id], now.y[id]), &error);
        require(set_place(&now, id, (now.x[id] + 2 + (int)dice_below(&p.d, 10)) % 12, (int)id),
                "each step moves an item");
        tree = pqt_tree_insert(tree, item_at(id, now.x[id], now.y[id]), &error);
        m.moments[0].now = now;
        require(pqt_history_push(p.history, tree, (pqt_history_step){.time = (double)i}, &error),
                error.text);
        last[id] = i + 1;
        const size_t asked = dice_below(&p.d, IDS);
        require(pqt_history_last_item_change(p.history, i + 1, asked, &answer, &error), error.text);
        require(answer.entry == last[asked], "the last change of an item");
        require(answer.steps <= most_steps(i + 1), "within the bound");
        worst = answer.steps > worst ? answer.steps : worst;
    }
    fprintf(stderr, "# %zu entries: %u steps at worst, the bound is %u\n", entries, (unsigned)worst,
            (unsigned)most_steps(entries));
    pqt_history_destroy(&p.history);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("history model");
    TCase *tests = add_tests(suite, "history model");
    tcase_add_loop_test(tests, a_history_is_a_tree_of_snapshots, 0, 4);
    tcase_add_loop_test(tests, a_history_is_a_tree_of_snapshots_for_the_collector_too, 0, 4);
    tcase_add_loop_test(tests, a_long_past_is_searched_within_the_bound, 0, 2);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
