/* SPDX-License-Identifier: MIT */
/**
 * @file cursor.h - a query as a loop: the caller fetches one match after another.
 *
 *     pqt_cursor cursor;
 *     pqt_item item;
 *     for (pqt_cursor_open(&cursor, tree, &query); pqt_cursor_next(&cursor, &item);)
 *         ...
 *
 * A cursor reads the version that it was opened on. Versions that are made from it in the meantime,
 * in the loop or elsewhere, do not affect the cursor. A cursor is a plain value of about 1.5 kB
 * that needs no destruction; copy it to keep a position. On a stack or in a static variable it
 * keeps its version alive. In memory from malloc it does not: then the version needs a pin.
 */
#ifndef PQT_CURSOR_H
#define PQT_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/export.h>
#include <pqt/item.h>
#include <pqt/query.h>

PQT_BEGIN_DECLARATIONS

/** The number of private words of a cursor. */
#define PQT_CURSOR_WORDS 192

/** A position among the items that match a query. */
typedef struct pqt_cursor {
    const pqt_tree *tree;              /**< the version that is read */
    uint64_t hidden[PQT_CURSOR_WORDS]; /**< private */
} pqt_cursor;

/**
 * Opens a cursor before the first match of a query.
 *
 * @param cursor  set; its earlier content is ignored
 * @param tree    any version
 * @param query   NULL: every item; read by this call only. Its convex must exist, unchanged, until
 *                the last call of pqt_cursor_next. Its filter is called when the cursor reaches an
 *                item
 *
 * @cost    O(1)
 * @thread  one thread at a time per cursor; any number of cursors on one version
 */
PQT_API void pqt_cursor_open(pqt_cursor *cursor, const pqt_tree *tree, const pqt_query *query);

/**
 * Advances to the next match in tree order.
 *
 * @param cursor  an open cursor
 * @param item    set to the match; unchanged at the end
 * @return        false at the end, and on every later call
 *
 * @cost  all calls together cost as much as pqt_tree_visit; allocates nothing
 */
PQT_API bool pqt_cursor_next(pqt_cursor *cursor, pqt_item *item);

PQT_END_DECLARATIONS

#endif
