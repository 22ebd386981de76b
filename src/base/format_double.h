/* SPDX-License-Identifier: MIT */
/* format_double.h - doubles as text, the same text whatever the host's locale is. */
#ifndef PQTI_FORMAT_DOUBLE_H
#define PQTI_FORMAT_DOUBLE_H

/* A number in at most 24 bytes. */
typedef struct pqti_number {
    char text[32];
} pqti_number;

/*
 * Text with as few digits as read back to the same double; "nan", "inf", "-inf"; "0" for -0.0.
 *
 * The decimal point is '.', an exponent is as in 1e+23. errno is left alone.
 */
pqti_number pqti_number_of(double value);

/* What printf's %g wrote, with '.' for the host's decimal point, however many bytes that has. */
pqti_number pqti_number_from_host(const char *text);

#endif
