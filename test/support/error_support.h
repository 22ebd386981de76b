/* SPDX-License-Identifier: MIT */
/* error_support.h: compares the index of an error with its text. */
#ifndef TEST_ERROR_SUPPORT_H
#define TEST_ERROR_SUPPORT_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <pqt/error.h>

/* Returns true if the text contains the index as a number, or if the index is 0, as it is if the
   error concerns no element of an array, no byte and no numbered entry. */
static inline bool
names_its_index(const pqt_error *error)
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%zu", error->index);
    const char *at = error->text;
    while (error->index != 0 && (at = strstr(at, digits)) != NULL) {
        if ((at == error->text || !isdigit((unsigned char)at[-1])) &&
            !isdigit((unsigned char)at[length]))
            return true;
        at++;
    }
    return error->index == 0;
}

#endif
