/* SPDX-License-Identifier: MIT */
/** @file item.h - items: the elements of a tree, each a box and an id. */
#ifndef PQT_ITEM_H
#define PQT_ITEM_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/box.h>
#include <pqt/export.h>

PQT_BEGIN_DECLARATIONS

/**
 * A box and its id. A tree is a set of items: two items are equal if all five numbers are equal.
 *
 * Functions that take an item treat -0.0 as 0.0. They refuse NaN, infinities and inverted boxes
 * with PQT_ERROR_BOX and a text that names the number: `item 17: box is inverted (x 4 > 3)`. There,
 * 17 is the index in the caller's array, not the id; a single item has index 0.
 */
typedef struct pqt_item {
    pqt_box box; /**< world units, finite, min <= max; points and lines are allowed */
    uint64_t id; /**< any number that the user chooses: an index, a key, a pointer */
} pqt_item;

/**
 * Returns whether two items are equal: equal boxes and equal ids.
 *
 * It never fails. As everywhere in the library, -0.0 equals 0.0 and NaN equals nothing.
 *
 * @param a  any numbers
 * @param b  any numbers
 * @return   true if all five numbers are equal
 *
 * @thread  any
 */
PQT_API bool pqt_item_equals(pqt_item a, pqt_item b);

PQT_END_DECLARATIONS

#endif
