/* SPDX-License-Identifier: MIT */
/* history_pair.c: random operations on a history and its model. */
#include "config.h"

#include "history_pair.h"

#include <stdio.h>
#include <string.h>

#include "tree_support.h"

pqt_item
history_pair_item(size_t id, int x, int y)
{
    return boxed(box(x, y, x + (int)(id % 3), y + (int)(id % 2)), id);
}

static size_t
draw(history_pair *p, size_t bound)
{
    const size_t drawn = p->draw(p->luck, bound);
    require(drawn < bound, "a random number is not below its bound");
    return drawn;
}

static bool
chance(history_pair *p, size_t percent)
{
    return draw(p, 100) < percent;
}

static size_t
added_bytes(const void *value, const void *parent)
{
    const pqt_tree *others[] = {parent};
    pqt_error error = {0};
    size_t bytes = 0;
    require(pqt_tree_exclusive_bytes(value, others, parent != NULL, &bytes, &error), error.text);
    return bytes;
}

void
history_pair_begin(history_pair *p, pqt_memory *memory, bool unique, bool indexed)
{
    pqt_error error = {0};
    pqt_tree_options options = options_of(2, 24);
    pqt_history_options wanted = PQT_HISTORY_DEFAULTS;
    options.memory = memory;
    options.unique_ids = unique;
    wanted.indexed = indexed;
    wanted.max_entries = p->max_entries;
    wanted.max_bytes = p->max_bytes;
    memset(p->m, 0, sizeof *p->m);
    p->m->max_entries = p->max_entries;
    p->m->max_bytes = p->max_bytes;
    p->m->added = added_bytes;
    memset(p->m->moments[0].now.x, MODEL_NOBODY, MODEL_IDS);
    p->m->count = p->m->next = 1;
    p->m->sealed = true;
    p->clock = 0;
    p->memory = memory;
    p->m->moments[0].value = pqt_tree_make(world_box, &options, &error);
    p->history = pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), p->m->moments[0].value,
                                  &wanted, &error);
    require(p->history != NULL, error.text);
}

bool
history_pair_set_position(snapshot *now, size_t id, int x, int y)
{
    const bool changed = now->x[id] != x || (x != MODEL_NOBODY && now->y[id] != y);
    now->x[id] = (signed char)x;
    now->y[id] = (signed char)(x == MODEL_NOBODY ? 0 : y);
    return changed;
}

/* Changes one random item of the model's current snapshot and of the history's current tree. */
static const pqt_tree *
edit(history_pair *p, snapshot *now)
{
    pqt_error error = {0};
    const pqt_tree *tree = pqt_history_value(p->history);
    const size_t id = draw(p, MODEL_IDS);
    const int old_x = now->x[id], old_y = now->y[id];
    const int x = chance(p, 30) ? MODEL_NOBODY : (int)draw(p, 4) * 4;
    if (!history_pair_set_position(now, id, x, (int)draw(p, 4) * 4))
        return tree;
    if (old_x != MODEL_NOBODY)
        tree = pqt_tree_remove(tree, history_pair_item(id, old_x, old_y), &error);
    if (x != MODEL_NOBODY)
        tree = pqt_tree_insert(tree, history_pair_item(id, x, now->y[id]), &error);
    return must(tree, &error);
}

static void
do_push(history_pair *p)
{
    static const char *const labels[] = {"Move", "Draw", "", "\xc3\x84ndern"};
    pqt_error error = {0};
    snapshot now = history_model_moment(p->m, p->m->current)->now;
    const pqt_tree *tree = edit(p, &now);
    if (chance(p, 20)) /* several changes at once, or an older version */
        for (int i = 0; i < 3; i++) {
            snapshot before = now;
            const size_t id = draw(p, MODEL_IDS);
            if (!history_pair_set_position(&now, id, (int)id, 3))
                continue;
            if (before.x[id] != MODEL_NOBODY)
                tree = pqt_tree_remove(tree, history_pair_item(id, before.x[id], before.y[id]),
                                       &error);
            tree = pqt_tree_insert(tree, history_pair_item(id, now.x[id], now.y[id]), &error);
        }
    if (chance(p, 10)) {
        const moment *old = &p->m->moments[draw(p, p->m->count)];
        now = old->now;
        tree = pqt_history_value_of(p->history, old->number);
    }
    p->clock += (double)draw(p, 3);
    const pqt_history_entry_info info = {
        .label = labels[draw(p, 4)], .time = p->clock, .key = draw(p, 4)};
    require(pqt_history_push(p->history, tree, &info, &error), error.text);
    history_model_push(p->m, &now, tree, info.label, info.time, info.key);
}

static void
do_undo_or_redo(history_pair *p)
{
    history_model *m = p->m;
    const moment *current = history_model_moment(m, m->current);
    if (chance(p, 60)) {
        const bool may = m->groups == 0 && m->current != 0;
        const char *label = pqt_history_undo_label(p->history);
        require((label != NULL) == may, "undo has a label if it can be done");
        require(label == NULL || strcmp(label, current->label) == 0, "the label of undo");
        require(pqt_history_undo(p->history) == may, "undo finds what the model finds");
        if (may)
            history_model_go(m, current->parent);
        return;
    }
    const bool may = m->groups == 0 && current->has_redo;
    const char *label = pqt_history_redo_label(p->history);
    require((label != NULL) == may, "redo has a label if it can be done");
    require(label == NULL || strcmp(label, history_model_moment(m, current->redo)->label) == 0,
            "the label of redo");
    require(pqt_history_redo(p->history) == may, "redo finds what the model finds");
    if (may)
        history_model_go(m, current->redo);
}

static void
do_go(history_pair *p)
{
    pqt_error error = {0};
    const uint64_t number = p->m->moments[draw(p, p->m->count)].number;
    const bool gone = pqt_history_checkout(p->history, number, &error);
    require(gone == (p->m->groups == 0), "an entry can be checked out unless a group is open");
    if (gone)
        history_model_go(p->m, number);
}

static void
do_group(history_pair *p)
{
    history_model *m = p->m;
    const size_t what = draw(p, 10);
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
        history_model_cancel(m);
}

static void
name_it(history_pair *p, moment *at)
{
    snprintf(at->name, sizeof at->name, "name %u", (unsigned)at->number);
    require(pqt_history_set_name(p->history, at->number, at->name, NULL), "an entry gets a name");
    at->has_name = true;
}

static void
do_mark(history_pair *p)
{
    history_model *m = p->m;
    const size_t what = draw(p, 4);
    moment *at = &m->moments[draw(p, m->count)];
    if (what == 0) {
        pqt_history_end_coalescing(p->history);
        m->sealed = true;
    } else if (what == 1) {
        pqt_history_mark_saved(p->history);
        m->saved = m->current;
    } else if (at->has_name || chance(p, 50)) {
        require(pqt_history_set_name(p->history, at->number, NULL, NULL),
                "an entry loses its name");
        at->has_name = false;
    } else {
        name_it(p, at);
    }
}

static void
do_drop(history_pair *p)
{
    history_model *m = p->m;
    pqt_error error = {0};
    const uint64_t number = m->moments[draw(p, m->count)].number;
    const size_t what = draw(p, 10);
    if (what < 8) {
        bool kept[MODEL_MOST];
        for (size_t i = 0; i < m->count; i++)
            kept[i] = m->moments[i].number != number;
        const bool may = !history_model_keeps(m, history_model_moment(m, number));
        require(pqt_history_drop(p->history, number, &error) == may,
                "only an entry that is not kept is dropped");
        if (may)
            history_model_drop(m, kept);
    } else if (what < 9 && number > p->m->next / 2) {
        require(pqt_history_drop_branch(p->history, number, &error), error.text);
        history_model_drop_branch(m, number);
    } else {
        const size_t recent = draw(p, 200);
        require(pqt_history_thin(p->history, recent, &error), error.text);
        history_model_thin(m, recent);
    }
}

void
history_pair_do_something(history_pair *p)
{
    const size_t what = draw(p, 100);
    if (p->m->count > MODEL_MOST - 2) {
        require(pqt_history_thin(p->history, 20, NULL), "a history is thinned");
        history_model_thin(p->m, 20);
    }
    if (p->m->count > MODEL_MOST - 2) /* thinning could not make room */
        return;
    if (what < 60) {
        do_push(p);
        if (p->named > 0 && chance(p, p->named) && p->m->current != 0)
            name_it(p, history_model_moment(p->m, p->m->current));
    } else if (what < 78)
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
