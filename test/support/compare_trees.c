/* SPDX-License-Identifier: MIT */
/*
 * compare_trees.c: compares a version with the tree that the builder predicts.
 *
 * It reads blocks as node.h describes them, but calls none of its functions, so that errors in them
 * cannot hide errors in the tree.
 */
#include "compare_trees.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree/node.h"

/* The path of a comparison: b for own items, 0..3 for quadrants. */
typedef struct trail {
    char steps[160];
    size_t length;
} trail;

bool
complain(complaint *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    return false;
}

bool
same_item(pqt_item a, pqt_item b)
{
    return memcmp(&a.box, &b.box, sizeof a.box) == 0 && a.id == b.id;
}

bool
same_fingerprint(pqt_fingerprint a, pqt_fingerprint b)
{
    return a.low == b.low && a.high == b.high;
}

static pqt_item
item_of(const void *leaf, size_t count, size_t i)
{
    const double *numbers = leaf;
    const uint64_t *words = leaf;
    pqt_item item;
    item.box.min.x = numbers[i];
    item.box.min.y = numbers[count + i];
    item.box.max.x = numbers[2 * count + i];
    item.box.max.y = numbers[3 * count + i];
    item.id = words[4 * count + i];
    return item;
}

static bool
compare_leaf(const void *leaf, const built_place *place, const trail *where, complaint *why)
{
    for (size_t i = 0; i < place->count; i++) {
        pqt_item found = item_of(leaf, place->count, i);
        pqt_item wanted = place->items[i]->item;
        if (!same_item(found, wanted))
            return complain(why,
                            "root%s: leaf of %zu: item %zu is %a,%a %a,%a #%" PRIu64
                            ", not %a,%a %a,%a #%" PRIu64,
                            where->steps, place->count, i, found.box.min.x, found.box.min.y,
                            found.box.max.x, found.box.max.y, found.id, wanted.box.min.x,
                            wanted.box.min.y, wanted.box.max.x, wanted.box.max.y, wanted.id);
    }
    return true;
}

static bool
compare_bounds(const pqti_inner *node, const built_place *place, int q, const trail *where,
               complaint *why)
{
    if (node->min_x[q] == place->min_x[q] && node->min_y[q] == place->min_y[q] &&
        node->max_x[q] == place->max_x[q] && node->max_y[q] == place->max_y[q])
        return true;
    return complain(why,
                    "root%s: bounds of quarter %d are %" PRIx32 ",%" PRIx32 " %" PRIx32 ",%" PRIx32
                    ", not %" PRIx32 ",%" PRIx32 " %" PRIx32 ",%" PRIx32,
                    where->steps, q, node->min_x[q], node->min_y[q], node->max_x[q], node->max_y[q],
                    place->min_x[q], place->min_y[q], place->max_x[q], place->max_y[q]);
}

static bool compare_node(const pqti_inner *node, const built_place *place, trail *where,
                         complaint *why);

/* Compares the side range of a hash node: eight numbers after the node, where other nodes have the
   reference to their own items. */
static bool
compare_sides(const pqti_inner *node, const built_place *place, const trail *where, complaint *why)
{
    if (place->spot.kind != BUILT_MIX ||
        memcmp((const char *)node + sizeof *node, place->sides, sizeof place->sides) == 0)
        return true;
    return complain(why, "root%s: the sides of the items", where->steps);
}

/* Compares a child by its pointer and its tagged count: the tags of a leaf, a hash node, and a
   compressed edge. */
static bool
compare_part(const void *at, uint32_t tagged_count, const built_place *place, char step,
             trail *where, complaint *why)
{
    bool leaf = (tagged_count & 0x80000000u) != 0;
    bool mixed = (tagged_count & 0x40000000u) != 0;
    bool deep = (tagged_count & 0x20000000u) != 0;
    uint32_t count = tagged_count & 0x1fffffffu;
    bool same = true;
    if (where->length + 1 < sizeof where->steps)
        where->steps[where->length++] = step;
    where->steps[where->length] = '\0';
    if (place == NULL)
        same =
            (at == NULL && tagged_count == 0) ||
            complain(why, "root%s: %" PRIu32 " items where nothing should be", where->steps, count);
    else if (at == NULL || count != place->count)
        same =
            complain(why, "root%s: %" PRIu32 " items, not %zu", where->steps, count, place->count);
    else if (leaf != place->leaf)
        same = complain(why, "root%s: %s", where->steps, leaf ? "a leaf" : "not a leaf");
    else if (mixed != (!place->leaf && place->spot.kind == BUILT_MIX))
        same = complain(why, "root%s: %s", where->steps, mixed ? "mixed" : "not mixed");
    else if (deep != place->deep)
        same = complain(why, "root%s: %s", where->steps, deep ? "deep" : "not deep");
    else if (leaf)
        same = compare_leaf(at, place, where, why);
    else
        same = compare_node(at, place, where, why);
    where->length--;
    return same;
}

/* Compares the own items of a node. A node without own items ends before that field. The counts
 * show whether the field may be read. */
static bool
compare_own_items(const pqti_inner *node, const built_place *place, trail *where, complaint *why)
{
    if (place->own_items == NULL)
        return true;
    return compare_part(node->own->at, node->own->count, place->own_items, 'b', where, why);
}

static bool
compare_node(const pqti_inner *node, const built_place *place, trail *where, complaint *why)
{
    if (!same_fingerprint(node->fingerprint, place->fingerprint))
        return complain(why, "root%s: fingerprint of the node", where->steps);
    for (int q = 0; q < 4; q++) {
        if (!compare_bounds(node, place, q, where, why) ||
            !compare_part(node->child[q], node->count[q], place->quarter[q], (char)('0' + q), where,
                          why))
            return false;
    }
    return compare_sides(node, place, where, why) && compare_own_items(node, place, where, why);
}

/* The expected cells in order. They are listed first and then compared one by one. */
typedef struct cell_list {
    pqt_cell *cells;
    size_t count, capacity, seen;
    complaint *why;
} cell_list;

static void
list_cell(cell_list *list, pqt_cell_kind kind, int depth, size_t count)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity * 2 + 64;
        list->cells = realloc(list->cells, list->capacity * sizeof *list->cells);
        if (list->cells == NULL)
            abort();
    }
    list->cells[list->count++] = (pqt_cell){{{0, 0}, {0, 0}}, kind, depth, count, NULL};
}

static void
list_cells(cell_list *list, const built_place *place)
{
    int depth;
    if (place == NULL)
        return;
    depth = place->spot.depth;
    list_cell(list, place->leaf ? PQT_CELL_LEAF : PQT_CELL_INNER, depth, place->count);
    if (place->own_items != NULL)
        list_cell(list, PQT_CELL_OWN_ITEMS, depth, place->own_items->count);
    for (int q = 0; q < 4; q++)
        list_cells(list, place->quarter[q]);
}

static bool
see_cell(const pqt_cell *cell, void *context)
{
    cell_list *list = context;
    const pqt_cell *wanted = &list->cells[list->seen];
    if (list->seen == list->count)
        return complain(list->why, "more than %zu cells", list->count);
    if (cell->kind != wanted->kind || cell->depth != wanted->depth || cell->count != wanted->count)
        return complain(list->why, "cell %zu: kind %d, depth %d, count %zu, not %d, %d, %zu",
                        list->seen, (int)cell->kind, cell->depth, cell->count, (int)wanted->kind,
                        wanted->depth, wanted->count);
    list->seen++;
    return pqt_box_is_valid(cell->box) || complain(list->why, "cell %zu: no box", list->seen - 1);
}

bool
compare_cells(const pqt_tree *tree, const built_tree *built, complaint *why)
{
    cell_list list = {NULL, 0, 0, 0, why};
    bool same;
    list_cells(&list, built->root);
    same = pqt_tree_visit_cells(tree, see_cell, &list);
    if (same && list.seen < list.count)
        same = complain(why, "%zu cells, not %zu", list.seen, list.count);
    free(list.cells);
    return same;
}

static bool
compare_figures(const pqt_tree *tree, const built_tree *built, complaint *why)
{
    pqt_tree_stats stats = pqt_tree_get_stats(tree);
    built_size size = built_measure(built);
    pqt_box bounds = pqt_tree_bounds(tree);
    if (stats.nodes != size.nodes || stats.leaves != size.leaves || stats.depth != size.depth)
        return complain(why, "stats: %zu nodes, %zu leaves, depth %zu, not %zu, %zu, %zu",
                        stats.nodes, stats.leaves, stats.depth, size.nodes, size.leaves,
                        size.depth);
    if (stats.items != built->count || pqt_tree_count(tree) != built->count)
        return complain(why, "stats: %zu items, count: %zu, not %zu", stats.items,
                        pqt_tree_count(tree), built->count);
    if (memcmp(&bounds, &built->bounds, sizeof bounds) != 0)
        return complain(why, "bounds of the tree");
    if (!same_fingerprint(pqt_tree_fingerprint(tree), built->fingerprint))
        return complain(why, "fingerprint of the tree");
    return true;
}

bool
compare_tree(const pqt_tree *tree, const built_tree *built, complaint *why)
{
    trail where = {{'\0'}, 0};
    uint32_t tagged_count =
        tree->count | (tree->leaf ? 0x80000000u : 0) | (tree->skips ? 0x20000000u : 0);
    if (built->root == NULL && (tree->root != NULL || tree->count != 0))
        return complain(why, "%" PRIu32 " items in a tree that should be empty", tree->count);
    if (built->root != NULL &&
        !compare_part(tree->root, tagged_count, built->root, ':', &where, why))
        return false;
    return compare_figures(tree, built, why);
}
