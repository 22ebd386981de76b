/* SPDX-License-Identifier: MIT */
/*
 * validate.h: validation of boxes and items at the API boundary.
 *
 * A validated box is finite, has min <= max and no -0.0. So equal boxes have equal bits, and no
 * other code needs to handle NaN.
 */
#ifndef PQTI_VALIDATE_H
#define PQTI_VALIDATE_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>

#include <pqt/error.h>
#include <pqt/item.h>

#include "base/simd.h"

/* Replaces -0.0 by 0.0. Adding 0.0 changes no other number. The sides are stored in pairs, as they
   are loaded: a load of two numbers would have to wait for single stores. */
static inline pqt_box
pqti_box_positive_zero(pqt_box box)
{
    const pqti_f64x2 zero = pqti_f64x2_splat(0.0);
    pqti_f64x2_store(&box.min.x, pqti_f64x2_add(pqti_f64x2_load(&box.min.x), zero));
    pqti_f64x2_store(&box.max.x, pqti_f64x2_add(pqti_f64x2_load(&box.max.x), zero));
    return box;
}

/* Does the same as pqt_box_is_valid, inline. */
static inline bool
pqti_box_is_valid(const pqt_box *box)
{
    const pqti_f64x2 min = pqti_f64x2_load(&box->min.x), max = pqti_f64x2_load(&box->max.x);
    return (pqti_mask64x2_bits(pqti_f64x2_le(min, max)) &
            pqti_mask64x2_bits(pqti_f64x2_ge(min, pqti_f64x2_splat(-DBL_MAX))) &
            pqti_mask64x2_bits(pqti_f64x2_le(max, pqti_f64x2_splat(DBL_MAX)))) == 3;
}

/* Returns true if a box is valid and has no -0.0, so that validation does not change it. */
static inline bool
pqti_box_is_canonical(const pqt_box *box)
{
    const pqti_f64x2 min = pqti_f64x2_load(&box->min.x), max = pqti_f64x2_load(&box->max.x);
    const unsigned valid = pqti_box_is_valid(box);
    const unsigned changes =
        (unsigned)pqti_f64x2_has_negative_zero(min) | pqti_f64x2_has_negative_zero(max);
    return (valid & ~changes) != 0;
}

/* Returns true if the boxes have the same four numbers, which implies that none of them is NaN. */
static inline bool
pqti_box_equals(const pqt_box *a, const pqt_box *b)
{
    const pqti_mask64x2 min = pqti_f64x2_eq(pqti_f64x2_load(&a->min.x), pqti_f64x2_load(&b->min.x));
    const pqti_mask64x2 max = pqti_f64x2_eq(pqti_f64x2_load(&a->max.x), pqti_f64x2_load(&b->max.x));
    return (pqti_mask64x2_bits(min) & pqti_mask64x2_bits(max)) == 3;
}

/* Does the same as pqt_item_equals, inline. */
static inline bool
pqti_item_equals(const pqt_item *a, const pqt_item *b)
{
    return a->id == b->id && pqti_box_equals(&a->box, &b->box);
}

/* Sets an error for item number `index`, which is invalid. */
void pqti_report_bad_item(const pqt_item *item, size_t index, pqt_error *error);

/*
 * Validates item number `index` of the caller's array. If it is valid, stores it without -0.0 in
 * *admitted and returns true. Otherwise returns false with PQT_ERROR_BOX and the index set, and
 * does not change *admitted.
 */
static inline bool
pqti_validate_item(const pqt_item *item, size_t index, pqt_item *admitted, pqt_error *error)
{
    if (pqti_box_is_valid(&item->box)) {
        admitted->box = pqti_box_positive_zero(item->box);
        admitted->id = item->id;
        return true;
    }
    pqti_report_bad_item(item, index, error);
    return false;
}

/*
 * Does the same as pqti_validate_item for a box. Messages call it `what`, as in "bounds: min.x is
 * inf".
 */
bool pqti_validate_box(const pqt_box *box, const char *what, pqt_box *admitted, pqt_error *error);

/*
 * Does the same as pqti_validate_box for a window, whose sides may be infinite: only NaN and min >
 * max are invalid.
 */
bool pqti_validate_window(const pqt_box *window, const char *what, pqt_box *admitted,
                          pqt_error *error);

#endif
