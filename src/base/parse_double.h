/* SPDX-License-Identifier: MIT */
/* parse_double.h: reads decimal numbers as doubles, independently of the host's locale. */
#ifndef PQTI_PARSE_DOUBLE_H
#define PQTI_PARSE_DOUBLE_H

#include <stdbool.h>
#include <stddef.h>

/* The longest number that is read, in bytes: the longest exact decimal of a double is "-0." with
   1074 digits after it. */
enum { PQTI_LONGEST_NUMBER = 1077 };

/*
 * Reads a whole text as a decimal number: digits with at most one '.', an optional sign before and
 * an optional exponent after them. Returns false if it is anything else, such as blank, hexadecimal
 * or longer than PQTI_LONGEST_NUMBER. The double is the nearest one, and the even one of two at the
 * same distance. It is infinite if the number is too large.
 */
bool pqti_parse_double(const char *text, size_t length, double *value);

/* The same. Adds the number of 32-bit words that were multiplied or divided to *work. */
bool pqti_parse_double_counting(const char *text, size_t length, double *value, size_t *work);

#endif
