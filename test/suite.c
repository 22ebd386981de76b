/* SPDX-License-Identifier: MIT */
/* suite.c: runs the tests, and reports failures. */
#include "config.h"

#include "suite.h"

#include <stdio.h>

const char *running_test = "no test";
int running_iteration;

/*
 * Prints the file and line of a failed assertion as "FILE:LINE: MESSAGE", which editors recognise.
 * check's TAP lines name the test and the file, but not the line.
 */
static void
print_failure(int number, TestResult *result)
{
    if (tr_rtype(result) != CK_PASS)
        printf("# not ok %d is at %s:%d: %s\n", number, tr_lfile(result), tr_lno(result),
               tr_msg(result));
}

int
run_suite(Suite *suite)
{
    leaks_watch();
    SRunner *runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    TestResult **results = srunner_results(runner);
    for (int i = 0; i < srunner_ntests_run(runner); i++)
        print_failure(i + 1, results[i]);
    free(results);
    srunner_free(runner);
    return EXIT_SUCCESS;
}
