/* SPDX-License-Identifier: MIT */
/* attributes.h: attributes of functions that standard C lacks. */
#ifndef PQTI_ATTRIBUTES_H
#define PQTI_ATTRIBUTES_H

/* For functions with large frames: not inlined into recursive ones, as stacks may have 128 KiB. */
#define PQTI_NOINLINE __attribute__((noinline))

/* Argument `text` of a function is a format of printf for the arguments from `first` on. */
#ifdef __MINGW32__
#define PQTI_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#else
#define PQTI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#endif

#endif
