/* SPDX-License-Identifier: MIT */
/*
 * shim_text.c: functions of the C library that write text. They are used only for messages.
 *
 * They replace those of wasi-libc, which take 8 kB of the compressed file because they also format
 * fractions and write to files. The library needs strings and integers. It formats doubles with one
 * function, which is written in JavaScript here.
 */
#include "config.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/format_double.h"
#include "shim.h"

/* Text of at most `room` bytes, including a terminating null. The length also counts the bytes that
   do not fit. */
typedef struct text {
    char *bytes;
    size_t room, length;
} text;

static void
put(text *to, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++, to->length++)
        if (to->length + 1 < to->room)
            to->bytes[to->length] = bytes[i];
}

static void
put_number(text *to, uint64_t number, bool negative)
{
    char digits[24];
    size_t first = sizeof digits;
    do
        digits[--first] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    if (negative)
        digits[--first] = '-';
    put(to, digits + first, sizeof digits - first);
}

/* Implements %s, %.*s, %.Ns, %c, %d, %u and %%, with l, ll and z. */
int
vsnprintf(char *bytes, size_t room, const char *format, va_list arguments)
{
    text to = {bytes, room, 0};
    while (*format != '\0') {
        if (*format != '%') {
            put(&to, format++, 1);
            continue;
        }
        size_t most = SIZE_MAX, is_long = 0;
        if (*++format == '.') {
            most = 0;
            if (*++format == '*')
                most = (size_t)va_arg(arguments, int), format++;
            for (; *format >= '0' && *format <= '9'; format++)
                most = 10 * most + (size_t)(*format - '0');
        }
        for (; *format == 'l' || *format == 'z'; format++)
            is_long += *format == 'l';
        const char *string;
        int64_t number;
        switch (*format++) {
        case 's':
            string = va_arg(arguments, const char *);
            for (size_t i = 0; i < most && string[i] != '\0'; i++)
                put(&to, string + i, 1);
            break;
        case 'c':
            put(&to, &(char){(char)va_arg(arguments, int)}, 1);
            break;
        case 'd':
            number = is_long == 2 ? va_arg(arguments, int64_t) : va_arg(arguments, int32_t);
            put_number(&to, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, number < 0);
            break;
        case 'u':
            put_number(&to,
                       is_long == 2 ? va_arg(arguments, uint64_t) : va_arg(arguments, uint32_t),
                       false);
            break;
        default:
            put(&to, format - 1, 1);
        }
    }
    if (room > 0)
        bytes[to.length < room ? to.length : room - 1] = '\0';
    return (int)to.length;
}

int
snprintf(char *bytes, size_t room, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(bytes, room, format, arguments);
    va_end(arguments);
    return length;
}

/* ---- Doubles ---- */

/* Writes a double as null-terminated text of at most 32 bytes: formatDouble of lib/core.js. If a
   double is midway between two texts of 15 to 17 digits, the last digit may be one above the digit
   that printf writes. */
__attribute__((import_module("pqt"), import_name("formatDouble"))) void
pqtjs_format_double(double value, char *text);

pqti_double_text
pqti_format_double(double value)
{
    pqti_double_text number;
    pqtjs_format_double(value, number.text);
    return number;
}
