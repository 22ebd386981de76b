/* SPDX-License-Identifier: MIT */
/*
 * error_internal.h - telling of failures, and catching the caller's mistakes.
 *
 * Sources of this folder without a header of their own: release.c.
 */
#ifndef PQTI_ERROR_INTERNAL_H
#define PQTI_ERROR_INTERNAL_H

#include <stdbool.h>

#include <pqt/error.h>

/*
 * Tells of a failure unless one was told before; error may be NULL. The format knows
 * %s %d %zu %llu as printf does; doubles are written with pqti_double_text (format_double.h) into
 * %s, since printf's own would follow the host's locale.
 */
__attribute__((format(printf, 4, 5))) void pqti_error_set(pqt_error *error, pqt_status status,
                                                          size_t index, const char *format, ...);

/* Whether a failure was told. */
static inline bool
pqti_error_is_set(const pqt_error *error)
{
    return error != NULL && error->status != PQT_OK;
}

/*
 * Stops the program with a sentence: for mistakes of the caller, never for bad data. `function` is
 * a public one, or NULL where it is not known which one was called.
 */
_Noreturn void pqti_precondition_failed(const char *function, const char *sentence);

/* Stops the program because the library itself is at fault. `function` is where this was seen. */
_Noreturn void pqti_broken(const char *function, const char *sentence);

/*
 * PQT_ASSERT_IN checks a precondition in the name of a public function, or of NULL: see
 * pqti_precondition_failed. PQT_ASSERT does so in a public function itself. PQT_INVARIANT checks
 * what follows from the library's own code, whatever its caller does. NDEBUG leaves all three out.
 * test/check_misuse sees to it that no internal function is named.
 */
#ifdef NDEBUG
#define PQT_ASSERT_IN(function, condition, sentence) ((void)(function), (void)sizeof(condition))
#define PQT_INVARIANT(condition, sentence) ((void)sizeof(condition))
#else
#define PQT_ASSERT_IN(function, condition, sentence)                                               \
    ((condition) ? (void)0 : pqti_precondition_failed(function, sentence))
#define PQT_INVARIANT(condition, sentence) ((condition) ? (void)0 : pqti_broken(__func__, sentence))
#endif

#define PQT_ASSERT(condition, sentence) PQT_ASSERT_IN(__func__, condition, sentence)

#endif
