/* SPDX-License-Identifier: MIT */
/* graph_layout.c - the rows and columns in which the tree of a history is shown. */
#include "config.h"

#include "tool/graph_layout.h"

#include <stdlib.h>

#include "tool/tool.h"

enum { FEW = 2 /* so many plain entries in a row are shown */ };

/* In preorder the parent is the row before, or one that it follows. */
static bool
add_row(const pqt_history_entry *entry, void *context)
{
    lanes *all = context;
    const size_t at = all->count++;
    size_t parent = at == 0 ? 0 : at - 1;
    all->list = grown(all->list, &all->capacity, all->count, sizeof *all->list);
    while (at > 0 && all->list[parent].entry.number != entry->parent)
        parent = all->list[parent].parent;
    all->list[at] = (lane_row){.entry = *entry, .parent = parent, .size = 1, .heavy = at};
    return true;
}

/* Sizes, and of equal parts the newest as the largest. */
static void
weigh(lanes *all)
{
    for (size_t i = all->count; i-- > 1;) {
        lane_row *parent = &all->list[all->list[i].parent];
        const bool is_alone = parent->heavy == all->list[i].parent;
        parent->size += all->list[i].size;
        if (is_alone || all->list[i].size > all->list[parent->heavy].size)
            parent->heavy = i;
    }
}

/* Finds where each one goes that comes in preorder: its row, and its column. */
static void
find_rows(lanes *all, size_t *to)
{
    for (size_t i = 0; i < all->count; i++) {
        lane_row *at = &all->list[i], *parent = &all->list[at->parent];
        to[i] = 0;
        if (i > 0 && parent->heavy == i) {
            to[i] = to[at->parent] + parent->size - at->size;
            at->column = parent->column;
        } else if (i > 0) {
            to[i] = parent->next;
            parent->next += at->size;
            at->column = parent->column + 1;
        }
        at->next = to[i] + 1;
        all->columns = at->column > all->columns ? at->column : all->columns;
    }
}

/* From preorder into the order of rows; `to` is where each one goes. */
static void
put_in_order(lanes *all, const size_t *to)
{
    size_t capacity = 0;
    lane_row *ordered = grown(NULL, &capacity, all->count, sizeof *ordered);
    for (size_t i = 0; i < all->count; i++) {
        ordered[to[i]] = all->list[i];
        ordered[to[i]].parent = to[all->list[i].parent];
        ordered[to[i]].heavy = to[all->list[i].heavy];
    }
    free(all->list);
    all->list = ordered;
}

lanes
lanes_of(const pqt_history *history)
{
    lanes all = {.list = NULL};
    size_t capacity = 0;
    pqt_history_visit(history, add_row, &all);
    weigh(&all);
    size_t *to = grown(NULL, &capacity, all.count, sizeof *to);
    find_rows(&all, to);
    put_in_order(&all, to);
    free(to);
    return all;
}

void
lanes_free(lanes *all)
{
    free(all->list);
    all->list = NULL;
}

bool
lanes_begins_branch(const lanes *all, size_t i)
{
    return i > 0 && all->list[all->list[i].parent].heavy != i;
}

/* Whether the rows above and below say all about where an entry hangs, and it bears no mark. */
static bool
is_plain(const lanes *all, size_t i)
{
    const lane_row *row = &all->list[i];
    return i > 0 && row->entry.children == 1 && all->list[row->parent].entry.children == 1 &&
           !row->entry.is_current && !row->entry.is_saved && row->entry.name == NULL;
}

/* How many plain entries follow each other from a row on. */
static size_t
plain_from(const lanes *all, size_t i)
{
    size_t count = 0;
    while (i + count < all->count && is_plain(all, i + count))
        count++;
    return count;
}

void
lanes_shorten(lanes *all)
{
    size_t capacity = 0, count = 0;
    size_t *to = grown(NULL, &capacity, all->count, sizeof *to);
    for (size_t i = 0; i < all->count;) {
        const size_t plain = plain_from(all, i), taken = plain > FEW ? plain : 1;
        lane_row row = all->list[i];
        for (size_t k = i; k < i + taken; k++)
            to[k] = count;
        row.parent = to[row.parent];
        row.heavy = all->list[i + taken - 1].heavy;
        row.left_out = taken - 1;
        all->list[count++] = row;
        i += taken;
    }
    all->count = count;
    for (size_t i = 0; i < count; i++)
        all->list[i].heavy = to[all->list[i].heavy];
    free(to);
}
