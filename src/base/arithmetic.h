/* SPDX-License-Identifier: MIT */
/* arithmetic.h: checks the floating-point mode of the calling thread. */
#ifndef PQTI_ARITHMETIC_H
#define PQTI_ARITHMETIC_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

#if defined __SSE2__
#include <xmmintrin.h>
#endif

#include "base/error_internal.h"

/* The bits of the control word of SSE2 that are set if no floating-point exception is trapped. */
enum { PQTI_MASKED_TRAPS = 0x1f80 };

/*
 * Returns true if results are rounded to nearest, denormals are neither flushed to zero nor read as
 * zero, and no exception is trapped. Traps are noticed only on x86-64.
 *
 * Each thread has its own mode. A host can change it with fesetround, _MM_SET_FLUSH_ZERO_MODE or
 * feenableexcept, or by linking with -ffast-math, which flushes denormals from the start. In
 * another mode, the library would store nodes at positions where no search finds them. With traps,
 * a search would end the process, because it computes with infinities.
 *
 * WebAssembly has only the default mode. There, the general check would take longer than a small
 * edit takes to find its leaf, because processors compute denormals slowly.
 */
static inline bool
pqti_arithmetic_is_default(void)
{
#if defined __SSE2__
    enum {
        ROUNDING = 0x6000,
        FLUSH_TO_ZERO = 0x8000,
        DENORMALS_ARE_ZERO = 0x0040,
        CONTROLS = ROUNDING | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO | PQTI_MASKED_TRAPS
    };
    return (_mm_getcsr() & CONTROLS) == PQTI_MASKED_TRAPS;
#elif defined __wasm__
    return true;
#else
    volatile double one = 1, small = 0x1p-60, least = DBL_MIN;
    volatile double above = one + small, below = one - small, half = least / 2;
    return above == one && below == one && half * 2 == least;
#endif
}

/* Returns true if floating-point exceptions are trapped. */
static inline bool
pqti_traps_exceptions(void)
{
#if defined __SSE2__
    return (_mm_getcsr() & PQTI_MASKED_TRAPS) != PQTI_MASKED_TRAPS;
#else
    return false;
#endif
}

/* Sets an error whose message says how the mode deviates from the default. */
void pqti_report_arithmetic(pqt_error *error);

/* Returns true if a public function may make or compare versions: the mode is the default. */
static inline bool
pqti_may_compute(pqt_error *error)
{
    if (pqti_arithmetic_is_default())
        return true;
    pqti_report_arithmetic(error);
    return false;
}

#endif
