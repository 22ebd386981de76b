/* SPDX-License-Identifier: MIT */
/* first_true.h: finds the first integer in a range for which a condition holds. */
#ifndef PQTI_FIRST_TRUE_H
#define PQTI_FIRST_TRUE_H

#include <stdbool.h>

typedef bool pqti_condition_fn(const void *context, int value);

/* The number of integers that are tried one by one. */
enum { PQTI_TRIED_IN_TURN = 64 };

/*
 * Returns the first integer from `first` to `last` for which the condition holds, or `last` if
 * there is none. The first PQTI_TRIED_IN_TURN integers are tried one by one. Beyond them, the
 * condition must stay true once it is true. These integers are searched in steps that double, and
 * then by bisection (J. L. Bentley, A. C. Yao, "An almost optimal algorithm for unbounded
 * searching", 1976). Tests the condition at most PQTI_TRIED_IN_TURN + 2 log2(last - first) times.
 */
static inline int
pqti_first_true(pqti_condition_fn *holds, const void *context, int first, int last)
{
    int low = first, step = 1;
    for (; low < last && low - first < PQTI_TRIED_IN_TURN; low++)
        if (holds(context, low))
            return low;
    int high = low;
    for (; high < last && !holds(context, high); step *= 2) {
        low = high + 1;
        high = last - high > step ? high + step : last;
    }
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (holds(context, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return high;
}

#endif
