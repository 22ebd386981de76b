/* SPDX-License-Identifier: MIT */
/* test_release.c: tests that the version number of the release is the same in all files. */
#include "config.h"

#include <stdio.h>

#include <pqt/version.h>

#include "suite.h"

START_TEST(the_version_text_consists_of_the_three_version_numbers)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%d.%d.%d", PQT_VERSION_MAJOR, PQT_VERSION_MINOR,
                   PQT_VERSION_PATCH);
    ck_assert_str_eq(PQT_VERSION, text);
}
END_TEST

START_TEST(the_package_has_the_same_version)
{
    ck_assert_str_eq(PACKAGE_VERSION, PQT_VERSION);
}
END_TEST

START_TEST(the_library_returns_its_version)
{
    ck_assert_str_eq(pqt_version(), PQT_VERSION);
    ck_assert_int_eq(pqt_version_number(), PQT_VERSION_NUMBER);
    ck_assert_int_eq(pqt_version_number(), 1000);
}
END_TEST

static Suite *
version_suite(void)
{
    Suite *suite = suite_create("version");
    TCase *release = tcase_create("release");
    tcase_add_test(release, the_version_text_consists_of_the_three_version_numbers);
    tcase_add_test(release, the_package_has_the_same_version);
    tcase_add_test(release, the_library_returns_its_version);
    suite_add_tcase(suite, release);
    return suite;
}

int
main(void)
{
    return run_suite(version_suite());
}
