/* SPDX-License-Identifier: MIT */
/*
 * case_file.h: reads a file of test/ with the results of other libraries. A case begins with its
 * name.
 */
#ifndef TEST_CASE_FILE_H
#define TEST_CASE_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

static inline FILE *
open_case_file(const char *name)
{
    char path[1024];
    const char *top = getenv("srcdir");
    snprintf(path, sizeof path, "%s/test/%s", top == NULL ? "." : top, name);
    FILE *cases = fopen(path, "r");
    ck_assert_msg(cases != NULL, "%s cannot be opened", path);
    return cases;
}

/* Finds the next case with a name. Returns false if there is no other one. */
static inline bool
find_case(FILE *cases, const char *name)
{
    char word[512];
    while (fscanf(cases, " %511s", word) == 1)
        if (strcmp(word, name) == 0)
            return true;
    return false;
}

static inline double
read_case_number(FILE *cases)
{
    double number = 0;
    ck_assert_int_eq(fscanf(cases, "%lf", &number), 1);
    return number;
}

#endif
