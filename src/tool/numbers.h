/* SPDX-License-Identifier: MIT */
/* numbers.h: parses and formats numbers. */
#ifndef NUMBERS_H
#define NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum number_fault { NUMBER_FINE, NUMBER_NOT_ONE, NUMBER_NOT_FINITE } number_fault;

/* Parses a whole string as a decimal number. Also sets the number for inf and nan, but reports that
   they are not finite. */
number_fault read_number(const char *text, size_t length, double *number);

/* Parses a whole string of digits as a number from 0 to 2^64 - 1. */
bool read_id(const char *text, size_t length, uint64_t *id);

/* A number as text. It has 15, 16 or 17 digits, as few as are needed to read back the same
   double. */
typedef struct digits {
    char text[40];
} digits;

digits shortest(double number);
digits grouped(uint64_t number); /* for example 1234567 -> 1,234,567 */
digits in_bytes(double bytes);   /* for example 1234567 -> 1.23 MB */
digits in_time(double seconds);  /* for example 0.00000123 -> 1.23 us */
digits utc_time(double seconds); /* seconds since 1970 -> 2026-01-31 23:59:59 */

#endif
