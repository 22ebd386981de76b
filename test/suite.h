/* SPDX-License-Identifier: MIT */
/*
 * suite.h - the end of every test program's main: `return run_suite(make_suite());`
 *
 * Results are written to standard output as TAP, which make check reads. A test program returns 0
 * even if a test failed, because TAP reports the failure. Each test runs in its own process unless
 * CK_FORK=no is set in the environment, as debuggers and memcheck need it.
 *
 * A test that ends with a pin or scratch memory of the library not freed has failed (leaks.h).
 *
 * PQT_TEST=NAME in the environment selects the test of that name; test/run sets it.
 */
#ifndef SUITE_H
#define SUITE_H

#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "leaks.h"

/*
 * Adds a test unless PQT_TEST selects another one. No test has a time limit: how long it takes
 * depends on the machine. check would end each after 4 seconds.
 */
static inline void
add_selected_test(TCase *tests, const TTest *test, int signal, int exit_value, int start, int end)
{
    tcase_set_timeout(tests, 0);
    const char *selected = getenv("PQT_TEST");
    if (selected == NULL || *selected == '\0' || strcmp(selected, test->name) == 0)
        _tcase_add_test(tests, test, signal, exit_value, start, end);
}

/* check's macros tcase_add_test, tcase_add_loop_test and so on all expand to this call. */
#define _tcase_add_test add_selected_test

static inline int
run_suite(Suite *suite)
{
    leaks_watch();
    SRunner *runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    srunner_free(runner);
    return EXIT_SUCCESS;
}

#endif
