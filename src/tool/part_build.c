/* SPDX-License-Identifier: MIT */
/*
 * part_build.c: builds a tree from an array of items that is freed part by part.
 *
 * The items are permuted in place such that those of each of 16 x 16 cells are next to each other
 * (P. McIlroy, K. Bostic, M. McIlroy, "Engineering radix sort", 1993: American flag sort). The
 * cells come in Morton order, as in the tree. A cell with more items than a part is divided again.
 */
#include "config.h"

#include "tool/part_build.h"

#include <stdlib.h>
#include <string.h>

#include "tool/message.h"
#include "tool/progress.h"

enum {
    FEWEST = 1 << 16, /* fewer items are inserted at once */
    PARTS = 32,       /* a part has at most this share of the items */
    SIDE = 16,        /* the cells on each side of a box */
    CELLS = SIDE * SIDE,
    DEEPEST = 7 /* a cell that was divided so often is not divided again */
};

/* A tree that is being built from the first `count` items. */
typedef struct builder {
    const pqt_tree *tree;
    pqt_item *items;
    size_t count, most; /* `most`: the maximal number of items in a part */
    size_t inserted;
    const char *file;
} builder;

/* Returns the column of a coordinate: 0 to SIDE - 1. */
static unsigned
column_of(double low, double high, double at)
{
    const double column = high > low ? (at / 2 - low / 2) / (high / 2 - low / 2) * SIDE : 0;
    return !(column > 0) ? 0 : column < SIDE ? (unsigned)column : SIDE - 1;
}

/* Puts zero bits between the four bits of a number. */
static unsigned
spread(unsigned bits)
{
    return (bits & 1) | (bits & 2) << 1 | (bits & 4) << 2 | (bits & 8) << 3;
}

/* Returns the cell of an item in a box, in Morton order. */
static unsigned
cell_of(const pqt_box *box, const pqt_item *item)
{
    const pqt_vec centre = pqt_box_centre(item->box);
    return spread(column_of(box->min.x, box->max.x, centre.x)) |
           spread(column_of(box->min.y, box->max.y, centre.y)) << 1;
}

/* Returns the inverse of `spread`. */
static unsigned
gather(unsigned bits)
{
    return (bits & 1) | (bits >> 1 & 2) | (bits >> 2 & 4) | (bits >> 3 & 8);
}

static double
side_at(double low, double high, unsigned column)
{
    return low + (high / SIDE - low / SIDE) * column;
}

static pqt_box
box_of_cell(const pqt_box *box, unsigned cell)
{
    const unsigned x = gather(cell), y = gather(cell >> 1);
    return (pqt_box){
        {side_at(box->min.x, box->max.x, x), side_at(box->min.y, box->max.y, y)},
        {side_at(box->min.x, box->max.x, x + 1), side_at(box->min.y, box->max.y, y + 1)}};
}

/* Permutes items such that those of a cell are at begins[cell] .. begins[cell + 1] - 1. */
static void
divide(const pqt_box *box, pqt_item *items, size_t count, size_t begins[CELLS + 1])
{
    size_t next[CELLS];
    memset(begins, 0, (CELLS + 1) * sizeof *begins);
    for (size_t i = 0; i < count; i++)
        begins[cell_of(box, &items[i]) + 1]++;
    for (unsigned cell = 0; cell < CELLS; cell++) {
        begins[cell + 1] += begins[cell];
        next[cell] = begins[cell];
    }
    for (unsigned cell = 0; cell < CELLS; cell++)
        while (next[cell] < begins[cell + 1]) {
            const pqt_item item = items[next[cell]];
            const unsigned to = cell_of(box, &item);
            items[next[cell]] = items[next[to]];
            items[next[to]++] = item;
        }
}

/* Inserts the items from `begin` on, and frees them. */
static void
insert_rest(builder *b, size_t begin)
{
    pqt_error error = {0};
    b->tree = pqt_tree_insert_all(b->tree, b->items + begin, b->count - begin, &error);
    if (b->tree == NULL)
        die_error(b->file, &error);
    b->inserted += b->count - begin;
    b->count = begin;
    progress_at(b->inserted);
    pqt_item *fewer = begin > 0 ? realloc(b->items, begin * sizeof *b->items) : NULL;
    if (fewer != NULL)
        b->items = fewer;
}

/* Inserts the items from `begin` on, which are in a box. */
static void
insert_box(builder *b, const pqt_box *box, size_t begin, int depth)
{
    size_t begins[CELLS + 1];
    if (b->count - begin <= b->most) {
        insert_rest(b, begin);
        return;
    }
    if (depth == DEEPEST) {
        while (b->count > begin)
            insert_rest(b, b->count - begin > b->most ? b->count - b->most : begin);
        return;
    }
    divide(box, b->items + begin, b->count - begin, begins);
    for (unsigned cell = CELLS; cell-- > 0;) {
        const size_t first = begin + begins[cell];
        const bool is_last = cell == 0, is_full = b->count - first > b->most;
        if (is_full && b->count > begin + begins[cell + 1])
            insert_rest(b, begin + begins[cell + 1]);
        if (b->count - first > b->most) {
            const pqt_box inner = box_of_cell(box, cell);
            insert_box(b, &inner, first, depth + 1);
        } else if (is_last && b->count > first) {
            insert_rest(b, first);
        }
    }
}

const pqt_tree *
build_in_parts(const pqt_tree *empty, pqt_item *items, size_t count, const char *file)
{
    const size_t most = count / PARTS > FEWEST ? count / PARTS : FEWEST;
    const pqt_box bounds = pqt_tree_bounds(empty);
    builder b = {.tree = empty, .items = items, .count = count, .most = most, .file = file};
    progress_begin("building", count, PROGRESS_COUNT);
    if (count > 0)
        insert_box(&b, &bounds, 0, 0);
    progress_end();
    free(b.items);
    return b.tree;
}
