/* SPDX-License-Identifier: MIT */
/* test_line_absent.c: tests that a library without PostgreSQL reports that it has no lines. */
#include "config.h"

#include <pqt/line.h>

#include "suite.h"

START_TEST(a_line_cannot_be_opened)
{
    pqt_error error = {0};
    pqt_line *line = pqt_line_open("postgresql://localhost/x#main", NULL, NULL, &error);
    ck_assert(line == NULL);
    ck_assert_int_eq(error.status, PQT_ERROR_UNSUPPORTED);
    ck_assert_str_eq(error.text, "lines: this build has no PostgreSQL support");
    pqt_line_close(&line);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("line_absent");
    TCase *tests = tcase_create("line_absent");
    tcase_add_test(tests, a_line_cannot_be_opened);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
