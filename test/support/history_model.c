/* SPDX-License-Identifier: MIT */
/* history_model.c: a plain tree of snapshots that behaves like a history. */
#include "config.h"

#include "history_model.h"

#include <string.h>

#include "tree_support.h"

static size_t
place_of(const history_model *m, uint64_t number)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->moments[i].number == number)
            return i;
    require(false, "the model has lost an entry");
    return 0;
}

moment *
history_model_moment(history_model *m, uint64_t number)
{
    return &m->moments[place_of(m, number)];
}

bool
history_model_has_children(const history_model *m, uint64_t number)
{
    for (size_t i = 1; i < m->count; i++)
        if (m->moments[i].parent == number)
            return true;
    return false;
}

bool
history_model_keeps(const history_model *m, const moment *at)
{
    return at->number == 0 || at->number == m->current || at->number == m->saved || at->has_name ||
           (m->groups > 0 && at->number == m->group_start);
}

static void
add_or_replace(history_model *m, const snapshot *now, const void *value, const char *label,
               double time, uint64_t key)
{
    moment *current = history_model_moment(m, m->current);
    bool replaces = m->current != 0 && !history_model_has_children(m, m->current) &&
                    !current->has_name && m->saved != m->current;
    replaces = replaces && (m->groups > 0 ? m->current != m->group_start
                                          : !m->sealed && key != 0 && current->key == key);
    moment made = {.number = m->next, .parent = m->current};
    moment *at = replaces ? current : &m->moments[m->count];
    if (!replaces) {
        require(m->count < MODEL_MOST, "the model is full");
        *at = made;
        at->key = m->groups > 0 ? 0 : key;
        current->has_redo = true;
        current->redo = m->next;
        m->current = m->next++;
        m->count++;
        m->sealed = false;
    }
    at->now = *now;
    at->value = value;
    at->time = time;
    strcpy(at->label, m->groups > 0 ? m->group_label : label);
}

bool
history_model_is_on_path(history_model *m, uint64_t number, uint64_t tip)
{
    while (tip != number && tip != 0)
        tip = history_model_moment(m, tip)->parent;
    return tip == number;
}

void
history_model_go(history_model *m, uint64_t number)
{
    const uint64_t left = m->current;
    m->current = number;
    m->sealed = true;
    for (; !history_model_is_on_path(m, number, left);
         number = history_model_moment(m, number)->parent) {
        moment *parent = history_model_moment(m, history_model_moment(m, number)->parent);
        parent->has_redo = true;
        parent->redo = number;
    }
}

static uint64_t
newest_child(const history_model *m, uint64_t number, bool *found)
{
    *found = false;
    for (size_t i = m->count; i-- > 1;)
        if (m->moments[i].parent == number) {
            *found = true;
            return m->moments[i].number;
        }
    return 0;
}

/* Drops the entries that are not kept, by the rules of history.h. */
void
history_model_drop(history_model *m, const bool *kept)
{
    static history_model old;
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

/* Flags the entries that thinning keeps, and returns their number. */
static size_t
choose(const history_model *m, size_t recent, bool *kept)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++) {
        const uint64_t age = m->next - 1 - m->moments[i].number;
        size_t step = 1;
        while (recent > 0 && age >= recent * step)
            step *= 2;
        kept[i] = history_model_keeps(m, &m->moments[i]) ||
                  (recent > 0 && m->moments[i].number % step == 0);
        count += kept[i];
    }
    return count;
}

void
history_model_thin(history_model *m, size_t recent)
{
    bool kept[MODEL_MOST];
    choose(m, recent, kept);
    history_model_drop(m, kept);
}

size_t
history_model_bytes(history_model *m)
{
    size_t bytes = m->added(m->moments[0].value, NULL);
    for (size_t i = 1; i < m->count; i++)
        bytes +=
            m->added(m->moments[i].value, history_model_moment(m, m->moments[i].parent)->value);
    return bytes;
}

static bool
has_too_many(const history_model *m, size_t count, size_t limit)
{
    return m->max_entries > 0 && count > limit;
}

static bool
has_too_large(history_model *m, size_t limit)
{
    return m->max_bytes > 0 && history_model_bytes(m) > limit;
}

/* Thins until a quarter of the entry limit is free, and a quarter of what remains of the byte limit
   after the first entry. */
static void
enforce(history_model *m)
{
    bool kept[MODEL_MOST];
    const size_t entries = m->max_entries - m->max_entries / 4;
    const size_t first = m->max_bytes > 0 ? m->added(m->moments[0].value, NULL) : 0;
    const size_t bytes =
        m->max_bytes <= first ? m->max_bytes : m->max_bytes - (m->max_bytes - first) / 4;
    if (!has_too_many(m, m->count, m->max_entries) && !has_too_large(m, m->max_bytes))
        return;
    for (size_t recent = m->count; recent > 0;) {
        recent /= 2;
        if (has_too_many(m, choose(m, recent, kept), entries) && recent > 0)
            continue;
        history_model_drop(m, kept);
        if (!has_too_large(m, bytes))
            return;
    }
}

void
history_model_push(history_model *m, const snapshot *now, const void *value, const char *label,
                   double time, uint64_t key)
{
    if (memcmp(&history_model_moment(m, m->current)->now, now, sizeof *now) == 0)
        return;
    add_or_replace(m, now, value, label, time, key);
    enforce(m);
}

void
history_model_drop_branch(history_model *m, uint64_t number)
{
    bool kept[MODEL_MOST];
    for (size_t i = 0; i < m->count; i++)
        kept[i] = history_model_keeps(m, &m->moments[i]) ||
                  !history_model_is_on_path(m, number, m->moments[i].number);
    history_model_drop(m, kept);
}

void
history_model_cancel(history_model *m)
{
    bool kept[MODEL_MOST], ends = true;
    uint64_t at = m->current;
    for (size_t i = 0; i < m->count; i++)
        kept[i] = true;
    for (; at != m->group_start; at = history_model_moment(m, at)->parent) {
        ends = ends && !history_model_moment(m, at)->has_name && at != m->saved;
        kept[place_of(m, at)] = !ends;
    }
    m->current = m->group_start;
    m->groups = 0;
    m->sealed = true;
    history_model_drop(m, kept);
}
