/* SPDX-License-Identifier: MIT */
/* test_store_absent.c: tests that a library without SQLite reports that it has no stores. */
#include "config.h"

#include <unistd.h>

#include <pqt/store.h>

#include "suite.h"

START_TEST(a_library_without_sqlite_opens_no_store)
{
    pqt_error error = {0};
    ck_assert(pqt_store_open("absent.pqts", NULL, &error) == NULL);
    ck_assert_int_eq(error.status, PQT_ERROR_UNSUPPORTED);
    ck_assert_str_eq(error.text, "stores: this build has no SQLite");
    ck_assert(access("absent.pqts", F_OK) != 0);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("store absent");
    TCase *tests = tcase_create("store absent");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, a_library_without_sqlite_opens_no_store);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
