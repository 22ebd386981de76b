/* SPDX-License-Identifier: MIT */
/**
 * @file version.h - the release of the library, and what may change between releases.
 *
 * The macros name the release that a program is compiled with, the functions the release that it
 * runs with. A program runs with every library of the same major number (while that is 0, of the
 * same minor number) that is not older than its headers. This holds because structs change by these
 * rules:
 *
 * - Structs that begin with `size`, the options structs and pqt_history_kind, can gain fields at
 *   their end. Each `_DEFAULTS` macro sets the size. The library accepts any size from that of the
 *   first release on: fields beyond a smaller struct take their defaults. A larger struct, of a
 *   later release, is accepted if all bytes that the library does not know are zero. Otherwise, the
 *   call fails with PQT_ERROR_OPTION; a function that cannot fail stops the program with a message.
 *   Getters write at most the `size` bytes that the caller has set.
 * - Structs that describe a query (pqt_query, pqt_cast, pqt_pair_query, pqt_history_entry_info) are
 *   passed by pointer and end in reserved words. These must be 0; a later release may give them a
 *   meaning. Other values stop the program with a message.
 * - All other structs (shapes, items, hits, results and statistics) never change: new figures come
 *   with new functions.
 */
#ifndef PQT_VERSION_H
#define PQT_VERSION_H

#include <pqt/export.h>

PQT_BEGIN_DECLARATIONS

/** The major number: it changes when programs must be changed. */
#define PQT_VERSION_MAJOR 0
/** The minor number: it changes when something is added and, while the major number is 0, when
    programs must be changed. */
#define PQT_VERSION_MINOR 1
/** The patch number: it changes when only bugs are fixed. */
#define PQT_VERSION_PATCH 0

/** The three numbers as text. */
#define PQT_VERSION "0.1.0"

/** The three as one number that grows with each release: 0.1.0 is 1000, 1.2.3 is 1002003. */
#define PQT_VERSION_NUMBER                                                                         \
    (PQT_VERSION_MAJOR * 1000000 + PQT_VERSION_MINOR * 1000 + PQT_VERSION_PATCH)

/**
 * Returns the release of the library that the program runs with, as text.
 *
 * @return  a static string such as "0.1.0", in the form of PQT_VERSION
 * @thread  any
 */
PQT_API const char *pqt_version(void);

/**
 * Returns the release of the library that the program runs with, as a number.
 *
 * @return  a number to be compared with PQT_VERSION_NUMBER
 * @thread  any
 */
PQT_API int pqt_version_number(void);

PQT_END_DECLARATIONS

#endif
