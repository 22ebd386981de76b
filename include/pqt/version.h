/* SPDX-License-Identifier: MIT */
/**
 * @file version.h - which release of the library this is.
 *
 * The macros tell what a program was compiled with, the functions what it runs with. Within one
 * major number, a program runs with any library that is no older than its headers.
 */
#ifndef PQT_VERSION_H
#define PQT_VERSION_H

#include <pqt/export.h>

PQT_BEGIN_DECLARATIONS

/** Changes when programs must be changed. */
#define PQT_VERSION_MAJOR 0
/** Changes when something is added; while MAJOR is 0, also when programs must be changed. */
#define PQT_VERSION_MINOR 1
/** Changes when only faults are mended. */
#define PQT_VERSION_PATCH 0

/** The three as text. */
#define PQT_VERSION "0.1.0"

/** The three as one number that grows with each release: 0.1.0 is 1000, 1.2.3 would be 1002003. */
#define PQT_VERSION_NUMBER                                                                         \
    (PQT_VERSION_MAJOR * 1000000 + PQT_VERSION_MINOR * 1000 + PQT_VERSION_PATCH)

/**
 * The release of the library that the program runs with, as text.
 *
 * @return  a static string such as "0.1.0"; compare it with PQT_VERSION
 * @thread  any
 * @since   0.1
 */
PQT_API const char *pqt_version(void);

/**
 * The release of the library that the program runs with, as a number.
 *
 * @return  as PQT_VERSION_NUMBER, with which it can be compared
 * @thread  any
 * @since   0.1
 */
PQT_API int pqt_version_number(void);

PQT_END_DECLARATIONS

#endif
