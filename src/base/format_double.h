/* SPDX-License-Identifier: MIT */
/* format_double.h: doubles as text, independent of the host's locale. */
#ifndef PQTI_FORMAT_DOUBLE_H
#define PQTI_FORMAT_DOUBLE_H

/* A number in at most 24 bytes. */
typedef struct pqti_double_text {
    char text[32];
} pqti_double_text;

/*
 * Returns the shortest text that reads back as the same double; "nan", "inf", "-inf"; "0" for -0.0.
 *
 * The decimal point is '.', an exponent is as in 1e+23. errno does not change.
 */
pqti_double_text pqti_format_double(double value);

/* Copies the output of printf's %g, with '.' for the host's decimal point of any length. */
pqti_double_text pqti_replace_decimal_point(const char *text);

#endif
