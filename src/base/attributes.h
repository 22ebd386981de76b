/* SPDX-License-Identifier: MIT */
/* attributes.h: function attributes that standard C lacks. */
#ifndef PQTI_ATTRIBUTES_H
#define PQTI_ATTRIBUTES_H

/*
 * Prevents the compiler from inlining a function with a large frame into a recursive function,
 * because a stack may have only 128 KiB.
 */
#define PQTI_NOINLINE __attribute__((noinline))

/* Makes the compiler inline a function that it would call, because it has several callers. */
#define PQTI_INLINE inline __attribute__((always_inline))

/*
 * In a shared library, computing the address of a thread-local variable normally takes a call. For
 * a variable that each allocation reads, the initial-exec model avoids the call. For libraries that
 * are loaded late, glibc reserves static TLS space that is large enough for small variables.
 */
#ifdef __GLIBC__
#define PQTI_INITIAL_EXEC __attribute__((tls_model("initial-exec")))
#else
#define PQTI_INITIAL_EXEC
#endif

/* Argument number `text` of a function is a printf format for the arguments from `first` on. */
#ifdef __MINGW32__
#define PQTI_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#else
#define PQTI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#endif

#endif
