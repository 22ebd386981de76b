/* SPDX-License-Identifier: MIT */
/*
 * format_double.c: formats doubles as text.
 *
 * printf and strtod are the only exact conversions in the C library, and both depend on the host's
 * locale. So the text is written and read back with the host's decimal point, and the point is
 * replaced at the end. The locale itself is never read, because another thread may change it.
 */
#include "config.h"

#include "base/format_double.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error_internal.h"
#include "base/fp.h"

/* The text of a number has at most 24 bytes, and its decimal point at most MB_LEN_MAX = 16. */
enum { HOST_TEXT = 64 };

/*
 * A text with 17 digits always reads back as the same double. Different texts with 15 digits never
 * read back as the same double.
 */
enum { MAX_DIGITS = 17, UNAMBIGUOUS_DIGITS = DBL_DIG };

static bool
reads_back(const char *text, double value)
{
    int saved_errno = errno;
    double parsed = strtod(text, NULL);
    errno = saved_errno;
    return parsed == value;
}

static pqti_double_text
shortest_digits(double value)
{
    char text[HOST_TEXT];
    /*
     * It is enough to begin with 15 digits, because %g omits trailing zeros. Below DBL_MIN, doubles
     * are sparser, and fewer digits may suffice.
     */
    int digits = pqti_fabs(value) < DBL_MIN ? 1 : UNAMBIGUOUS_DIGITS;
    do {
        int length = snprintf(text, sizeof text, "%.*g", digits, value);
        PQT_INVARIANT(length > 0 && length < HOST_TEXT, "the text of a double is too long");
        (void)length;
    } while (++digits <= MAX_DIGITS && !reads_back(text, value));
    return pqti_replace_decimal_point(text);
}

pqti_double_text
pqti_format_double(double value)
{
    if (isnan(value))
        return (pqti_double_text){"nan"};
    if (isinf(value))
        return value > 0 ? (pqti_double_text){"inf"} : (pqti_double_text){"-inf"};
    if (value == 0)
        return (pqti_double_text){"0"};
    return shortest_digits(value);
}

static bool
is_number_character(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == 'e';
}

pqti_double_text
pqti_replace_decimal_point(const char *text)
{
    pqti_double_text number = {""};
    size_t length = 0;
    for (; *text != '\0' && length + 1 < sizeof number.text; length++) {
        if (is_number_character(*text)) {
            number.text[length] = *text++;
            continue;
        }
        number.text[length] = '.';
        while (*text != '\0' && !is_number_character(*text))
            text++;
    }
    return number;
}
