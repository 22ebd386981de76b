/* SPDX-License-Identifier: MIT */
/*
 * flat_sync.c: synchronisation of a tree with one on another machine, without calls back.
 *
 * pqt_sync_find asks for one digest at a time, while a package asks the other machine for many at
 * once, and may have to wait. So it compares the trees again and again. Each comparison has the
 * answers so far and lists what it would ask next: for each cell that is known to differ, the
 * digests of its children. The digest of the last child follows only from those of the others, so
 * a cell with an open question is left aside, with all below it. The number of comparisons grows
 * with the depth of the trees, and not with the number of cells that differ.
 *
 * The text of a path has a digit from 0 to 3 for each quadrant, and a dot where own items are
 * entered. Its bytes are below those of the digits, so the order of the texts is the one in which
 * pqt_sync_find visits the cells.
 */
#include "flat.h"

#include <stdlib.h>

/* ---- Paths ---- */

static bool
read_path(const char *text, size_t size, pqt_sync_path *path, pqt_error *error)
{
    *path = (pqt_sync_path){{0, 0}, 0, 0};
    for (size_t i = 0; i < size; i++) {
        const int at = path->length;
        if (text[i] == '.' && path->own_items == 0) {
            path->own_items = (uint8_t)(at + 1);
        } else if (text[i] >= '0' && text[i] <= '3' && at < 64) {
            path->digits[at / 32] |= (uint64_t)(text[i] - '0') << (62 - 2 * (at % 32));
            path->length++;
        } else {
            flat_fail(error, PQT_ERROR_OPTION, i,
                      "a path must be at most 64 digits from 0 to 3, with at most one dot");
            return false;
        }
    }
    return true;
}

static void
write_path(const pqt_sync_path *path, char text[FLAT_PATH])
{
    memset(text, 0, FLAT_PATH);
    for (int i = 0; i <= path->length; i++) {
        if (i + 1 == path->own_items)
            *text++ = '.';
        if (i < path->length)
            *text++ = (char)('0' + (path->digits[i / 32] >> (62 - 2 * (i % 32)) & 3));
    }
}

/* ---- A cell ---- */

bool
flat_tree_digest(const pqt_tree *tree, const char *path, size_t size, uint64_t *found,
                 pqt_error *error)
{
    pqt_sync_path at;
    if (!read_path(path, size, &at, error))
        return false;
    const pqt_sync_digest digest = pqt_sync_digest_of(tree, at);
    memcpy(found, &digest, sizeof digest);
    return true;
}

bool
flat_tree_items_at(const pqt_tree *tree, const char *path, size_t size, void *out, pqt_error *error)
{
    pqt_sync_path at;
    if (!read_path(path, size, &at, error))
        return false;
    const size_t count = pqt_sync_items_of(tree, at, NULL, 0);
    pqt_item *items = calloc(count + 1, sizeof *items);
    if (items == NULL)
        flat_fail(error, PQT_ERROR_MEMORY, 0, "out of memory (results of a call)");
    else
        pqt_sync_items_of(tree, at, items, count);
    const bool found = items != NULL && flat_append(items, count * sizeof *items, out);
    free(items);
    return found;
}

/* ---- Comparisons ---- */

typedef struct comparison {
    const flat_answer *answers; /* in the order of their paths */
    size_t next, answer_count;
    const pqt_item *items; /* of the cells that differ, one cell after another */
    size_t next_item, item_count;
    bool has_items;         /* whether the items were fetched; if so, there are no questions */
    size_t questions;       /* the number of digests that are missing */
    char parent[FLAT_PATH]; /* the cell whose children the last question was about */
    void *out;
} comparison;

static bool
append_cell(const flat_cell *cell, comparison *c)
{
    _Static_assert(sizeof(flat_cell) == 152 && offsetof(flat_cell, box) == 72,
                   "as in sync.js and sync.py");
    return flat_append(cell, sizeof *cell, c->out);
}

/* Answers with no items if the digest is missing. Asks for it, unless its cell is further below the
   parent: then the digest of a cell above is not known either. */
static bool
answer_digest(const pqt_sync_path *path, pqt_sync_digest *digest, void *context)
{
    comparison *c = context;
    flat_cell cell = {.is_question = true};
    int order = -1;
    write_path(path, cell.path);
    while (c->next < c->answer_count &&
           (order = memcmp(c->answers[c->next].path, cell.path, FLAT_PATH)) < 0)
        c->next++;
    if (order == 0) {
        *digest = c->answers[c->next++].digest;
        return true;
    }
    const size_t length = strlen(cell.path), above = strlen(c->parent);
    if (c->questions > 0 && length > above + 1 && memcmp(cell.path, c->parent, above) == 0)
        return true;
    memset(c->parent, 0, sizeof c->parent);
    memcpy(c->parent, cell.path, length == 0 ? 0 : length - 1);
    c->questions++;
    return !c->has_items && append_cell(&cell, c);
}

static bool
answer_items(const pqt_sync_path *path, pqt_item *items, size_t count, void *context)
{
    (void)path;
    comparison *c = context;
    if (count > c->item_count - c->next_item)
        return false;
    memcpy(items, c->items + c->next_item, count * sizeof *items);
    c->next_item += count;
    return true;
}

static bool
append_mismatch(const pqt_sync_mismatch *found, void *context)
{
    comparison *c = context;
    if (c->has_items) {
        const pqt_change first = {.kind = (pqt_change_kind)0};
        return flat_append(&first, sizeof first, c->out) &&
               flat_append(found->changes, found->count * sizeof *found->changes, c->out);
    }
    flat_cell cell = {.box = found->box, .own = found->own, .other = found->other};
    write_path(&found->path, cell.path);
    return c->questions > 0 || append_cell(&cell, c);
}

/* Compares with a copy of the answers, because the results may take their place. */
static bool
compare(const pqt_tree *tree, const void *answers, size_t count, bool has_items, size_t item_count,
        void *out, pqt_error *error)
{
    const size_t size = count * sizeof(flat_answer), item_size = item_count * sizeof(pqt_item);
    char *copy = malloc(size + item_size + 1);
    if (copy == NULL) {
        flat_fail(error, PQT_ERROR_MEMORY, 0, "out of memory (answers of another machine)");
        return false;
    }
    memcpy(copy, answers, size + item_size);
    comparison c = {.answers = (const flat_answer *)copy,
                    .answer_count = count,
                    .items = (const pqt_item *)(copy + size),
                    .item_count = item_count,
                    .has_items = has_items,
                    .out = out};
    const pqt_sync_peer peer = {answer_digest, has_items ? answer_items : NULL, &c};
    const bool all = pqt_sync_find(tree, &peer, append_mismatch, &c, error);
    free(copy);
    return all;
}

bool
flat_tree_sync_cells(const pqt_tree *tree, const flat_answer *answers, size_t count, void *out,
                     pqt_error *error)
{
    return compare(tree, answers, count, false, 0, out, error);
}

bool
flat_tree_sync_changes(const pqt_tree *tree, const char *answers, size_t count, size_t items,
                       void *out, pqt_error *error)
{
    return compare(tree, answers, count, true, items, out, error);
}
