/* SPDX-License-Identifier: MIT */
/*
 * validate.c: equality of items, and validation of boxes.
 *
 * One expression accepts a valid box. If a box is invalid, these functions then search for the
 * number to report: first for one that is not finite, in the order min.x, min.y, max.x, max.y, and
 * then for an axis with min > max, x before y.
 */
#include "config.h"

#include <pqt/item.h>

#include <math.h>
#include <stdio.h>

#include "base/attributes.h"
#include "base/error_internal.h"
#include "base/format_double.h"
#include "base/validate.h"

bool
pqt_item_equals(pqt_item a, pqt_item b)
{
    return pqti_item_equals(&a, &b);
}

static bool
is_ordered(const pqt_box *box)
{
    return box->min.x <= box->max.x && box->min.y <= box->max.y;
}

/* Sets an error for the first number that is not finite. Returns false if there is none. */
static bool
report_bad_number(const pqt_box *box, bool may_be_infinite, size_t index, const char *what,
                  pqt_error *error)
{
    static const char *const names[] = {"min.x", "min.y", "max.x", "max.y"};
    const double values[] = {box->min.x, box->min.y, box->max.x, box->max.y};
    for (size_t i = 0; i < 4; i++) {
        if (isfinite(values[i]) || (may_be_infinite && !isnan(values[i])))
            continue;
        pqti_error_set(error, PQT_ERROR_BOX, index, "%s: %s is %s", what, names[i],
                       pqti_format_double(values[i]).text);
        return true;
    }
    return false;
}

static void
report_bad_order(const pqt_box *box, size_t index, const char *what, pqt_error *error)
{
    bool is_x = box->min.x > box->max.x;
    double min = is_x ? box->min.x : box->min.y;
    double max = is_x ? box->max.x : box->max.y;
    PQT_INVARIANT(min > max, "a valid box is reported as invalid");
    pqti_error_set(error, PQT_ERROR_BOX, index, "%s: box is inverted (%s %s > %s)", what,
                   is_x ? "x" : "y", pqti_format_double(min).text, pqti_format_double(max).text);
}

static PQTI_NOINLINE void
report_bad_box(const pqt_box *box, bool may_be_infinite, size_t index, const char *what,
               pqt_error *error)
{
    if (!report_bad_number(box, may_be_infinite, index, what, error))
        report_bad_order(box, index, what, error);
}

void
pqti_report_bad_item(const pqt_item *item, size_t index, pqt_error *error)
{
    char what[32];
    (void)snprintf(what, sizeof what, "item %zu", index);
    report_bad_box(&item->box, false, index, what, error);
}

bool
pqti_validate_box(const pqt_box *box, const char *what, pqt_box *admitted, pqt_error *error)
{
    if (pqt_box_is_valid(*box)) {
        *admitted = pqti_box_positive_zero(*box);
        PQT_INVARIANT(pqti_box_is_canonical(admitted), "a validated box is not canonical");
        return true;
    }
    report_bad_box(box, false, 0, what, error);
    return false;
}

bool
pqti_validate_window(const pqt_box *window, const char *what, pqt_box *admitted, pqt_error *error)
{
    if (is_ordered(window)) {
        *admitted = pqti_box_positive_zero(*window);
        return true;
    }
    report_bad_box(window, true, 0, what, error);
    return false;
}
