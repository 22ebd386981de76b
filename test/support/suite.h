/* SPDX-License-Identifier: MIT */
/*
 * suite.h: runs a test program: main ends with `return run_suite(make_suite());`
 *
 * Results are written to standard output as TAP, which make check reads. A test program returns 0
 * even if a test failed, because TAP reports the failure. Each test runs in its own process unless
 * CK_FORK=no is set in the environment, which debuggers and memcheck need.
 *
 * A test fails if a pin or scratch memory of the library is not freed when it ends (leaks.h).
 *
 * PQT_TEST=NAME in the environment selects the test of that name; test/run sets it.
 */
#ifndef SUITE_H
#define SUITE_H

#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "leaks.h"

/* Defined if the test runs under AddressSanitizer. */
#if defined(__SANITIZE_ADDRESS__)
#define TESTED_WITH_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TESTED_WITH_ADDRESS_SANITIZER 1
#endif
#endif
#ifndef TESTED_WITH_ADDRESS_SANITIZER
#define TESTED_WITH_ADDRESS_SANITIZER 0
#endif

/* The name of the running test and its loop index. Helpers and threads print them in their
 * messages. */
extern const char *running_test;
extern int running_iteration;

/* Sets both, and a timer: if the test runs for five minutes, its name is written to standard error,
   because it may hang. The timer is not inherited by children, but they inherit the handler of
   SIGALRM. */
void begin_test(const char *name, int iteration);

/* Replaces the macro of check: also calls begin_test. */
#undef START_TEST
#define START_TEST(name)                                                                           \
    static void name##_body(int _i);                                                               \
    static void name##_fn(int _i)                                                                  \
    {                                                                                              \
        begin_test(#name, _i);                                                                     \
        name##_body(_i);                                                                           \
    }                                                                                              \
    static const TTest name##_ttest = {#name, name##_fn, __FILE__, __LINE__};                      \
    static const TTest *name = &name##_ttest;                                                      \
    static void name##_body(int _i CK_ATTRIBUTE_UNUSED)

/*
 * Adds a test unless PQT_TEST selects another one. No test has a time limit, because its duration
 * depends on the machine. By default, check would end each test after 4 seconds.
 */
static inline void
add_selected_test(TCase *tests, const TTest *test, int signal, int exit_value, int start, int end)
{
    tcase_set_timeout(tests, 0);
    const char *selected = getenv("PQT_TEST");
    if (selected == NULL || *selected == '\0' || strcmp(selected, test->name) == 0)
        _tcase_add_test(tests, test, signal, exit_value, start, end);
}

/* Makes a test case whose tags are the words of its name, so that CK_EXCLUDE_TAGS="cost costs" in
   the environment omits the cases that count costs. */
static inline TCase *
create_tagged_case(const char *name)
{
    TCase *tests = tcase_create(name);
    tcase_set_tags(tests, name);
    return tests;
}

#define tcase_create create_tagged_case

/* The macros of check, tcase_add_test, tcase_add_loop_test and so on, all expand to this call. */
#define _tcase_add_test add_selected_test

/*
 * Runs the tests and frees the suite. After the results it prints the file and line of each failed
 * assertion. Returns EXIT_SUCCESS.
 */
int run_suite(Suite *suite);

#endif
