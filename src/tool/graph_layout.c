/* SPDX-License-Identifier: MIT */
/* graph_layout.c: computes the rows and columns in which the tree of a history is drawn. */
#include "config.h"

#include "tool/graph_layout.h"

#include <stdlib.h>

#include "tool/tool_memory.h"

enum { SHOWN_RUN = 2 /* runs of at most this many plain entries are not collapsed */ };

/* Appends an entry. Entries are visited in preorder, so the parent is the previous row or one of
   its ancestors. */
static bool
add_row(const pqt_history_entry *entry, void *context)
{
    graph_layout *all = context;
    const size_t at = all->count++;
    size_t parent = at == 0 ? 0 : at - 1;
    all->list = xgrow(all->list, &all->capacity, all->count, sizeof *all->list);
    while (at > 0 && all->list[parent].entry.number != entry->parent)
        parent = all->list[parent].parent;
    all->list[at] = (graph_row){.entry = *entry, .parent = parent, .size = 1, .heavy = at};
    return true;
}

/* Computes the size of each subtree and the child of each entry with the largest subtree. If
   several are equally large, takes the newest one. */
static void
compute_sizes(graph_layout *all)
{
    for (size_t i = all->count; i-- > 1;) {
        graph_row *parent = &all->list[all->list[i].parent];
        const bool is_alone = parent->heavy == all->list[i].parent;
        parent->size += all->list[i].size;
        if (is_alone || all->list[i].size > all->list[parent->heavy].size)
            parent->heavy = i;
    }
}

/* Computes the row `to[i]` and the column of each entry. The entries are in preorder. */
static void
find_rows(graph_layout *all, size_t *to)
{
    for (size_t i = 0; i < all->count; i++) {
        graph_row *at = &all->list[i], *parent = &all->list[at->parent];
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

/* Sorts the entries from preorder into the order of their rows. */
static void
sort_rows(graph_layout *all, const size_t *to)
{
    size_t capacity = 0;
    graph_row *ordered = xgrow(NULL, &capacity, all->count, sizeof *ordered);
    for (size_t i = 0; i < all->count; i++) {
        ordered[to[i]] = all->list[i];
        ordered[to[i]].parent = to[all->list[i].parent];
        ordered[to[i]].heavy = to[all->list[i].heavy];
    }
    free(all->list);
    all->list = ordered;
}

graph_layout
graph_layout_of(const pqt_history *history)
{
    graph_layout all = {.list = NULL};
    size_t capacity = 0;
    pqt_history_visit(history, add_row, &all);
    compute_sizes(&all);
    size_t *to = xgrow(NULL, &capacity, all.count, sizeof *to);
    find_rows(&all, to);
    sort_rows(&all, to);
    free(to);
    return all;
}

void
graph_layout_free(graph_layout *all)
{
    free(all->list);
    all->list = NULL;
}

bool
graph_row_begins_branch(const graph_layout *all, size_t i)
{
    return i > 0 && all->list[all->list[i].parent].heavy != i;
}

/* Returns true if an entry needs no row of its own: it has exactly one child, has no siblings, and
   is neither current, saved nor named. */
static bool
is_plain(const graph_layout *all, size_t i)
{
    const graph_row *row = &all->list[i];
    return i > 0 && row->entry.children == 1 && all->list[row->parent].entry.children == 1 &&
           !row->entry.is_current && !row->entry.is_saved && row->entry.name == NULL;
}

/* Returns the number of consecutive plain entries that begin at row i. */
static size_t
count_plain_from(const graph_layout *all, size_t i)
{
    size_t count = 0;
    while (i + count < all->count && is_plain(all, i + count))
        count++;
    return count;
}

void
graph_layout_collapse(graph_layout *all)
{
    size_t capacity = 0, count = 0;
    size_t *to = xgrow(NULL, &capacity, all->count, sizeof *to);
    for (size_t i = 0; i < all->count;) {
        const size_t plain = count_plain_from(all, i), collapsed = plain > SHOWN_RUN ? plain : 1;
        graph_row row = all->list[i];
        for (size_t k = i; k < i + collapsed; k++)
            to[k] = count;
        row.parent = to[row.parent];
        row.heavy = all->list[i + collapsed - 1].heavy;
        row.left_out = collapsed - 1;
        all->list[count++] = row;
        i += collapsed;
    }
    all->count = count;
    for (size_t i = 0; i < count; i++)
        all->list[i].heavy = to[all->list[i].heavy];
    free(to);
}
