/* SPDX-License-Identifier: MIT */
/* arithmetic.c: sets the error for a thread whose floating-point mode is not the default. */
#include "config.h"

#include "base/arithmetic.h"

static const char *
name_of_rounding(void)
{
    volatile double one = 1, small = 0x1p-60;
    volatile double above = one + small, below = one - small, negative = -one - small;
    if (above != one)
        return "rounds upward";
    if (negative != -one)
        return "rounds downward";
    return below != one ? "rounds toward zero" : NULL;
}

void
pqti_report_arithmetic(pqt_error *error)
{
    /* this is tested first, because other tests are inexact and would be trapped */
    if (pqti_traps_exceptions()) {
        pqti_error_set(error, PQT_ERROR_ARITHMETIC, 0,
                       "this thread's floating-point mode traps exceptions; pqt needs the default "
                       "mode");
        return;
    }
    const char *rounding = name_of_rounding();
    pqti_error_set(error, PQT_ERROR_ARITHMETIC, 0,
                   "this thread's floating-point mode %s; pqt needs the default mode",
                   rounding != NULL ? rounding : "flushes denormals to zero");
}
