/* SPDX-License-Identifier: MIT */
/**
 * @file cursor.h - a query as a loop: one item after the other, when you ask for it.
 *
 *     pqt_cursor cursor;
 *     pqt_item item;
 *     for (pqt_cursor_open(&cursor, tree, query); pqt_cursor_next(&cursor, &item);)
 *         ...
 *
 * A cursor reads the version that it was opened on: whatever you make of that version meanwhile, in
 * the loop or elsewhere, leaves the cursor alone. It is a plain value of about 1.5 kB without a
 * destructor; copy it to remember a position. On a stack or in a static variable it keeps its
 * version alive; in memory from malloc it does not, and the version needs a pin.
 */
#ifndef PQT_CURSOR_H
#define PQT_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/export.h>
#include <pqt/item.h>
#include <pqt/query.h>

PQT_BEGIN_DECLARATIONS

/** Words of a cursor that are its own. */
#define PQT_CURSOR_WORDS 192

/** A position in what a query finds. */
typedef struct pqt_cursor {
    const pqt_tree *tree; /**< the version that is read */
    uint64_t hidden[PQT_CURSOR_WORDS];
} pqt_cursor;

/**
 * Opens a cursor before the first item that a query finds.
 *
 * @param cursor  set; what it held before is forgotten
 * @param tree    any version
 * @param query   the question; its filter is asked as the cursor comes to an item
 * @cost    O(1)
 * @thread  a cursor belongs to one thread at a time; any number of cursors on one version
 * @since   0.1
 */
PQT_API void pqt_cursor_open(pqt_cursor *cursor, const pqt_tree *tree, pqt_query query);

/**
 * Steps to the next item in tree order.
 *
 * @param item  set to the item; left alone at the end
 * @return      false at the end, and from then on
 * @cost    all steps together cost what pqt_tree_visit does; allocates nothing
 * @since   0.1
 */
PQT_API bool pqt_cursor_next(pqt_cursor *cursor, pqt_item *item);

PQT_END_DECLARATIONS

#endif
