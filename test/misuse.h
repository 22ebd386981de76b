/* SPDX-License-Identifier: MIT */
/*
 * misuse.h - tests of what stops the program: mistakes of the caller that PQT_ASSERT catches.
 *
 * Such a test ends its process by SIGABRT. It is left out where that would end all tests
 * (CK_FORK=no) and where assertions are compiled out (NDEBUG).
 */
#ifndef TEST_MISUSE_H
#define TEST_MISUSE_H

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "suite.h"

static inline bool
misuse_can_be_tested(void)
{
#ifdef NDEBUG
    return false;
#else
    const char *fork = getenv("CK_FORK");
    return fork == NULL || strcmp(fork, "no") != 0;
#endif
}

static inline void
tcase_add_misuse_test(TCase *tcase, const TTest *test)
{
    if (misuse_can_be_tested())
        tcase_add_test_raise_signal(tcase, test, SIGABRT);
}

#endif
