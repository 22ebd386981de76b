/* SPDX-License-Identifier: MIT */
/*
 * test_suite.c - what suite.h does for every test program.
 *
 * check ends a test after CK_DEFAULT_TIMEOUT seconds, 4 by default, if nothing else is set. A slow
 * machine must not fail for that.
 */
#include <stdlib.h>
#include <time.h>

#include <check.h>

#include "suite.h"

START_TEST(a_test_has_no_time_limit)
{
    struct timespec longer = {.tv_nsec = 200000000};
    while (nanosleep(&longer, &longer) != 0)
        continue;
}
END_TEST

int
main(void)
{
    setenv("CK_DEFAULT_TIMEOUT", "0.01", 1);
    Suite *suite = suite_create("suite");
    TCase *tests = tcase_create("limits");
    tcase_add_test(tests, a_test_has_no_time_limit);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
