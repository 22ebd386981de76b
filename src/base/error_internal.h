/* SPDX-License-Identifier: MIT */
/*
 * error_internal.h: setting errors, and assertions.
 *
 * Source files in this folder without a header of their own: release.c.
 */
#ifndef PQTI_ERROR_INTERNAL_H
#define PQTI_ERROR_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/error.h>

#include "base/attributes.h"

/*
 * Sets an error unless one is set already. `error` may be NULL. The format is as for printf, but
 * may contain only %s, %d, %zu and %llu. Format a double with pqti_format_double (format_double.h)
 * and %s, because printf's own conversions depend on the host's locale.
 */
PQTI_PRINTF(4, 5)
void pqti_error_set(pqt_error *error, pqt_status status, size_t index, const char *format, ...);

/* Returns true if the `count` reserved words of a public struct are all zero. */
static inline bool
pqti_words_are_zero(const uint64_t *words, size_t count)
{
    uint64_t any = 0;
    for (size_t i = 0; i < count; i++)
        any |= words[i];
    return any == 0;
}

/*
 * Returns true if a caller may pass NULL for a version: `error` holds the failure of an earlier
 * call, or the caller passes no error. Only preconditions use it. No function chooses what it does
 * by the caller's error, since the caller may use one error for many calls: a function decides by
 * the results of its own calls, or by an error of its own. test/check_misuse checks this.
 */
static inline bool
pqti_may_be_null(const pqt_error *error)
{
    return error == NULL || error->status != PQT_OK;
}

/*
 * Prints a message and aborts. It is called for violated preconditions, never for bad data.
 * `function` is the name of the public function, or NULL if it is not known.
 */
_Noreturn void pqti_precondition_failed(const char *function, const char *sentence);

/*
 * Prints a message and aborts because the library itself is at fault. `function` is the name of the
 * function that detected the fault.
 */
_Noreturn void pqti_broken(const char *function, const char *sentence);

/*
 * PQT_ASSERT checks a precondition within the public function itself. PQT_ASSERT_IN checks one
 * elsewhere, and is given the name of the public function, or NULL: see pqti_precondition_failed.
 * PQT_INVARIANT checks a property that the library must preserve whatever the caller does. NDEBUG
 * removes all three. PQT_TRAPS makes the code smaller: preconditions are not checked, and broken
 * invariants trap without a message. See bindings/js/build_wasm. test/check_misuse checks that no
 * message names an internal function.
 */
#if defined NDEBUG || defined PQT_TRAPS
#define PQT_ASSERT_IN(function, condition, sentence) ((void)(function), (void)sizeof(condition))
#else
#define PQT_ASSERT_IN(function, condition, sentence)                                               \
    ((condition) ? (void)0 : pqti_precondition_failed(function, sentence))
#endif

#ifdef NDEBUG
#define PQT_INVARIANT(condition, sentence) ((void)sizeof(condition))
#elif defined PQT_TRAPS
#define PQT_INVARIANT(condition, sentence) ((condition) ? (void)0 : __builtin_trap())
#else
#define PQT_INVARIANT(condition, sentence) ((condition) ? (void)0 : pqti_broken(__func__, sentence))
#endif

#define PQT_ASSERT(condition, sentence) PQT_ASSERT_IN(__func__, condition, sentence)

/* Does the same as PQT_INVARIANT for conditions that cost more than one or two comparisons. Only
   builds configured with --enable-debug evaluate them. */
#ifdef PQT_DEBUG
#define PQTI_DEBUG_ASSERT(condition, sentence) PQT_INVARIANT(condition, sentence)
#else
#define PQTI_DEBUG_ASSERT(condition, sentence) ((void)(0 && (condition)))
#endif

#endif
