/* SPDX-License-Identifier: MIT */
/*
 * test_results.c: compares the sections with expected.txt, which `make expected-results`
 * writes.
 *
 * Recordings hold only what steps cannot compute, and versions are compared by their fingerprints:
 * a result that changes makes what users have stored wrong. If one must change, NEWS says so.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"
#include "suite.h"

static FILE *
open_expected(void)
{
    char path[500];
    const char *top = getenv("srcdir");
    snprintf(path, sizeof path, "%s/test/results/expected.txt", top != NULL ? top : ".");
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s is not there", path);
    return file;
}

/* Reads up to the heading of a section. */
static bool
find_section(FILE *file, const char *heading)
{
    char line[200];
    while (fgets(line, sizeof line, file) != NULL) {
        if (strcmp(line, heading) == 0)
            return true;
    }
    return false;
}

/* Reads a line; it is empty at the end of the section. */
static void
read_line(FILE *file, char line[200])
{
    if (fgets(line, 200, file) == NULL || line[0] == '[')
        line[0] = '\0';
}

START_TEST(a_section_has_the_results_that_are_expected)
{
    const result_section *section = &result_sections[_i];
    if (test_scaled(100) < 5) { /* under memcheck */
        fprintf(stderr, "# [%s] is not compared at this PQT_TEST_SCALE\n", section->name);
        return;
    }
    FILE *made = tmpfile(), *expected = open_expected();
    ck_assert(made != NULL);
    results_print(section, made);
    rewind(made);
    char heading[200], line[200], wanted[200];
    ck_assert(fgets(heading, sizeof heading, made) != NULL);
    ck_assert_msg(find_section(expected, heading), "expected.txt lacks %s", heading);
    size_t lines = 0;
    do {
        read_line(made, line);
        read_line(expected, wanted);
        ck_assert_msg(strcmp(line, wanted) == 0, "[%s] has\n%sin place of\n%s", section->name, line,
                      wanted);
        lines++;
    } while (line[0] != '\0');
    ck_assert_uint_gt(lines, 1);
    fclose(made);
    fclose(expected);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("results");
    TCase *tests = tcase_create("results");
    tcase_add_loop_test(tests, a_section_has_the_results_that_are_expected, 0,
                        (int)result_section_count);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
