/* SPDX-License-Identifier: MIT */
/*
 * suite.h - the end of every test program's main: `return run_suite(make_suite());`
 *
 * The results go to standard output as TAP, which make check reads; a test program returns 0 even
 * if tests failed, since TAP has told it. Each test runs in a process of its own unless CK_FORK=no
 * is set in the environment (debuggers and memcheck want that).
 */
#ifndef SUITE_H
#define SUITE_H

#include <stdlib.h>

#include <check.h>

static inline int
run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    srunner_free(runner);
    return EXIT_SUCCESS;
}

#endif
