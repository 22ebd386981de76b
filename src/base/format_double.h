/* SPDX-License-Identifier: MIT */
/* format_double.h - doubles as text, the same text whatever the host's locale is. */
#ifndef PQTI_FORMAT_DOUBLE_H
#define PQTI_FORMAT_DOUBLE_H

/* A number in at most 24 bytes. */
typedef struct pqti_double_text {
    char text[32];
} pqti_double_text;

/*
 * Text with as few digits as read back to the same double; "nan", "inf", "-inf"; "0" for -0.0.
 *
 * The decimal point is '.', an exponent is as in 1e+23. errno is left alone.
 */
pqti_double_text pqti_format_double(double value);

/* What printf's %g wrote, with '.' for the host's decimal point, however many bytes that has. */
pqti_double_text pqti_format_double_by_libc(const char *text);

#endif
