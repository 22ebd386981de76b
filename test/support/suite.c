/* SPDX-License-Identifier: MIT */
/* suite.c: runs the tests, and reports failures and tests that may hang. */
#include "config.h"

#include "suite.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { LONG_TEST = 300 /* in seconds */ };

const char *running_test = "no test";
int running_iteration;

/* The line that names the test if it runs for long. It is made in advance, because a signal handler
   must not format text. */
static char still_running[200];
static size_t still_running_length;

static void
report_long_test(int signal)
{
    (void)signal;
    const int before = errno;
    (void)!write(STDERR_FILENO, still_running, still_running_length);
    errno = before;
}

void
begin_test(const char *name, int iteration)
{
    running_test = name;
    running_iteration = iteration;
    snprintf(still_running, sizeof still_running, "# %s(%d) is still running\n", name, iteration);
    still_running_length = strlen(still_running);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = report_long_test, .sa_flags = SA_RESTART},
              NULL);
    alarm(LONG_TEST);
}

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
