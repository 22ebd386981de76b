/* SPDX-License-Identifier: MIT */
/*
 * test_suite.c: tests suite.h: time limits, and the reports of failures and of long tests.
 *
 * By default, check ends a test after CK_DEFAULT_TIMEOUT seconds, which is 4 if it is not set. A
 * test must not fail only because a machine is slow.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <check.h>

#include "require.h"
#include "suite.h"

START_TEST(a_test_has_no_time_limit)
{
    struct timespec longer = {.tv_nsec = 200000000};
    while (nanosleep(&longer, &longer) != 0)
        continue;
}
END_TEST

/* ---- The reports of failures ---- */

enum { REPORT = 2000 };

/* The lines of the assertion in fail_in_helper and of the condition in is_one_in_helper. */
static int assertion_line, condition_line;

static void
fail_in_helper(int value)
{
    assertion_line = __LINE__ + 1;
    ck_assert_int_eq(value, 1);
}

static bool
is_one_in_helper(int value)
{
    condition_line = __LINE__ + 1;
    REQUIRE(value == 1);
    return true;
}

START_TEST(fails_in_a_helper)
{
    fail_in_helper(2);
}
END_TEST

/* The signal arrives by itself when the test has run for a long time. */
START_TEST(runs_for_long)
{
    raise(SIGALRM);
}
END_TEST

START_TEST(fails_as_a_thread_does)
{
    ck_assert(is_one_in_helper(_i));
}
END_TEST

/* Runs a suite of one test in a child. Its output on both streams is written to `report`. */
static void
report_of(const TTest *test, char report[REPORT])
{
    int ends[2], status;
    size_t length = 0;
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        setenv("CK_FORK", "no", 1); /* runs the test in this process, so the lines are known */
        Suite *suite = suite_create("inner");
        TCase *tests = tcase_create("inner");
        tcase_add_loop_test(tests, test, 2, 3);
        suite_add_tcase(suite, tests);
        run_suite(suite);
        printf("# lines %d %d\n", assertion_line, condition_line);
        fflush(stdout);
        _exit(EXIT_SUCCESS);
    }
    close(ends[1]);
    for (ssize_t more; (more = read(ends[0], report + length, REPORT - 1 - length)) > 0;)
        length += (size_t)more;
    report[length] = '\0';
    close(ends[0]);
    ck_assert(child > 0 && waitpid(child, &status, 0) == child);
}

START_TEST(a_failure_in_a_helper_names_the_test_and_the_line)
{
    char report[REPORT], place[100];
    unsetenv("PQT_TEST");
    report_of(fails_in_a_helper, report);
    ck_assert_msg(strstr(report, ":fails_in_a_helper:") != NULL, "%s", report);
    const char *lines = strstr(report, "# lines ");
    ck_assert_msg(lines != NULL, "%s", report);
    snprintf(place, sizeof place, "test_suite.c:%ld: ", strtol(lines + 8, NULL, 10));
    ck_assert_msg(strstr(report, place) != NULL, "%s", report);
}
END_TEST

START_TEST(a_failed_condition_of_a_thread_names_the_test_and_the_line)
{
    char report[REPORT], place[100];
    unsetenv("PQT_TEST");
    report_of(fails_as_a_thread_does, report);
    const char *lines = strstr(report, "# lines ");
    ck_assert_msg(lines != NULL, "%s", report);
    snprintf(place, sizeof place, "test_suite.c:%ld: failed: value == 1",
             strtol(strchr(lines + 8, ' '), NULL, 10));
    ck_assert_msg(strstr(report, "# fails_as_a_thread_does(2): ") != NULL, "%s", report);
    ck_assert_msg(strstr(report, place) != NULL, "%s", report);
}
END_TEST

START_TEST(a_test_that_runs_for_long_is_named_and_continues)
{
    char report[REPORT];
    unsetenv("PQT_TEST");
    report_of(runs_for_long, report);
    ck_assert_msg(strstr(report, "# runs_for_long(2) is still running\n") != NULL, "%s", report);
    ck_assert_msg(strstr(report, "ok 1 ") != NULL, "%s", report);
    ck_assert_msg(strstr(report, "not ok 1 ") == NULL, "%s", report);
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
    tests = tcase_create("reports");
    tcase_add_test(tests, a_failure_in_a_helper_names_the_test_and_the_line);
    tcase_add_test(tests, a_failed_condition_of_a_thread_names_the_test_and_the_line);
    tcase_add_test(tests, a_test_that_runs_for_long_is_named_and_continues);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
