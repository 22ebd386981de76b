/* SPDX-License-Identifier: MIT */
/* format_double.h: formats doubles as text, independently of the host's locale. */
#ifndef PQTI_FORMAT_DOUBLE_H
#define PQTI_FORMAT_DOUBLE_H

/* The text of a number, which has at most 24 bytes. */
typedef struct pqti_double_text {
    char text[32];
} pqti_double_text;

/*
 * Returns the shortest text that reads back as the same double, or "nan", "inf" or "-inf". Both
 * zeros give "0".
 *
 * The decimal point is '.', and exponents look like 1e+23. errno does not change.
 */
pqti_double_text pqti_format_double(double value);

/*
 * Copies the output of printf's %g, and replaces the host's decimal point, of any length, by '.'.
 */
pqti_double_text pqti_replace_decimal_point(const char *text);

#endif
