/* SPDX-License-Identifier: MIT */
/*
 * test_used_error.c: tests every public function that takes an error, except those of lines, with
 * an error that holds an earlier failure; see used_error.h.
 */
#include "config.h"

#include "suite.h"
#include "used_error.h"

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("used errors");
    add_error_cases(suite, "trees", error_cases_of_trees, error_case_count_of_trees);
    add_error_cases(suite, "kinds", error_cases_of_kinds, error_case_count_of_kinds);
    add_error_cases(suite, "images", error_cases_of_images, error_case_count_of_images);
    add_error_cases(suite, "holders", error_cases_of_holders, error_case_count_of_holders);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
