/* SPDX-License-Identifier: MIT */
/** @file item.h - what a tree holds: a box and a number of the user's. */
#ifndef PQT_ITEM_H
#define PQT_ITEM_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/box.h>
#include <pqt/export.h>

PQT_BEGIN_DECLARATIONS

/**
 * A box and its id. A tree is a set of items: two items are the same if all five numbers are.
 *
 * Where the library takes an item, -0.0 counts as 0.0. NaN, infinities and boxes that are inside
 * out are refused there, with PQT_ERROR_BOX and a text that names the number:
 * `item 17: box is inside out (x 4 > 3)`.
 */
typedef struct pqt_item {
    pqt_box box; /**< world units, finite, min <= max; points and lines are allowed */
    uint64_t id; /**< yours: an index, a key, a pointer */
} pqt_item;

/**
 * Whether two items are the same: equal boxes and equal ids.
 *
 * It never fails. As everywhere in the library, -0.0 equals 0.0 and NaN equals nothing.
 *
 * @thread  any
 * @since   0.1
 */
PQT_API bool pqt_item_equals(pqt_item a, pqt_item b);

PQT_END_DECLARATIONS

#endif
