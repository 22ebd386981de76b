/* SPDX-License-Identifier: MIT */
/*
 * validate.h - the door: what the library takes in is valid from here on.
 *
 * Whoever admits a box or an item may rely on it: finite, min <= max, no -0.0. So equal boxes have
 * equal bits, and nothing behind the door needs to think of NaN.
 */
#ifndef PQTI_VALIDATE_H
#define PQTI_VALIDATE_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>

#include <pqt/error.h>
#include <pqt/item.h>

#include "base/simd.h"

/* The same box with 0.0 for each -0.0: adding 0.0 changes no other number. */
static inline pqt_box
pqti_box_positive_zero(pqt_box box)
{
    return (pqt_box){{box.min.x + 0.0, box.min.y + 0.0}, {box.max.x + 0.0, box.max.y + 0.0}};
}

/* pqt_box_is_valid, in line. */
static inline bool
pqti_box_is_valid(const pqt_box *box)
{
    const pqti_f64x2 min = pqti_f64x2_load(&box->min.x), max = pqti_f64x2_load(&box->max.x);
    return (pqti_mask64x2_bits(pqti_f64x2_le(min, max)) &
            pqti_mask64x2_bits(pqti_f64x2_ge(min, pqti_f64x2_splat(-DBL_MAX))) &
            pqti_mask64x2_bits(pqti_f64x2_le(max, pqti_f64x2_splat(DBL_MAX)))) == 3;
}

/* Whether it is valid, and has no -0.0, which would become 0.0 at the door: only the sign
   differs. */
static inline bool
pqti_box_is_canonical(const pqt_box *box)
{
    const pqti_f64x2 min = pqti_f64x2_load(&box->min.x), max = pqti_f64x2_load(&box->max.x);
    const unsigned valid = pqti_box_is_valid(box);
    const unsigned changes =
        (unsigned)pqti_f64x2_has_negative_zero(min) | pqti_f64x2_has_negative_zero(max);
    return (valid & ~changes) != 0;
}

/* Whether all numbers are equal, in which case neither box has a NaN. */
static inline bool
pqti_box_equals(const pqt_box *a, const pqt_box *b)
{
    const pqti_mask64x2 min = pqti_f64x2_eq(pqti_f64x2_load(&a->min.x), pqti_f64x2_load(&b->min.x));
    const pqti_mask64x2 max = pqti_f64x2_eq(pqti_f64x2_load(&a->max.x), pqti_f64x2_load(&b->max.x));
    return (pqti_mask64x2_bits(min) & pqti_mask64x2_bits(max)) == 3;
}

/* pqt_item_equals, in line. */
static inline bool
pqti_item_equals(const pqt_item *a, const pqt_item *b)
{
    return a->id == b->id && pqti_box_equals(&a->box, &b->box);
}

/* Tells what is wrong with item number `index`, which is not valid. */
void pqti_report_bad_item(pqt_item item, size_t index, pqt_error *error);

/*
 * Checks item number `index` of the caller's array. True: it is written to *admitted, without -0.0.
 * False: PQT_ERROR_BOX is told with the index, and *admitted is left alone.
 */
static inline bool
pqti_validate_item(pqt_item item, size_t index, pqt_item *admitted, pqt_error *error)
{
    if (pqti_box_is_valid(&item.box)) {
        *admitted = (pqt_item){pqti_box_positive_zero(item.box), item.id};
        return true;
    }
    pqti_report_bad_item(item, index, error);
    return false;
}

/* The same for a box that is called `what` in messages: "bounds: min.x is inf". */
bool pqti_validate_box(pqt_box box, const char *what, pqt_box *admitted, pqt_error *error);

/* The same for windows, whose sides may be infinite: only NaN and inside out are refused. */
bool pqti_validate_window(pqt_box window, const char *what, pqt_box *admitted, pqt_error *error);

#endif
