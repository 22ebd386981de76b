/* SPDX-License-Identifier: MIT */
/* require.h: assertions for threads and child processes of a test, in which the macros of check
 * must not be used. */
#ifndef TEST_REQUIRE_H
#define TEST_REQUIRE_H

#include <stdbool.h>
#include <stdio.h>

#include "suite.h"

/*
 * If the condition does not hold, prints the test, the place and the condition, and returns false.
 * For functions that return bool.
 */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "# %s(%d): %s:%d: failed: %s\n", running_test, running_iteration,      \
                    __FILE__, __LINE__, #condition);                                               \
            return false;                                                                          \
        }                                                                                          \
    } while (0)

#endif
