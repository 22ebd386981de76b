/* SPDX-License-Identifier: MIT */
/* require.h - for threads and children of a test, where check's own assertions do not belong. */
#ifndef TEST_REQUIRE_H
#define TEST_REQUIRE_H

#include <stdio.h>

/* In a function that returns whether all was right: if not, says what, and returns false. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            return false;                                                                          \
        }                                                                                          \
    } while (0)

#endif
