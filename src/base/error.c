/* SPDX-License-Identifier: MIT */
/* error.c: sets errors, and aborts if a precondition or an invariant is violated. */
#include "config.h"

#include <pqt/error.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/utf8.h"

const char *
pqt_status_name(pqt_status status)
{
    switch (status) {
    case PQT_OK:
        return "no error";
    case PQT_ERROR_MEMORY:
        return "out of memory";
    case PQT_ERROR_BOX:
        return "bad box";
    case PQT_ERROR_BOUNDS:
        return "outside the bounds";
    case PQT_ERROR_OPTION:
        return "bad option";
    case PQT_ERROR_LIMIT:
        return "beyond a limit";
    case PQT_ERROR_THREAD:
        return "wrong thread";
    case PQT_ERROR_MISMATCH:
        return "values do not match";
    case PQT_ERROR_CORRUPT:
        return "broken invariant";
    case PQT_ERROR_STREAM:
        return "stream failed";
    case PQT_ERROR_CALLBACK:
        return "callback failed";
    case PQT_ERROR_CONFLICT:
        return "conflict";
    case PQT_ERROR_ARITHMETIC:
        return "floating-point mode";
    case PQT_ERROR_BODY:
        return "bad body";
    case PQT_ERROR_FORMAT:
        return "bad format";
    case PQT_ERROR_UNSUPPORTED:
        return "not in this build";
    }
    return "unknown status";
}

static bool
continues_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Removes the last UTF-8 character if the text was truncated within it. */
static void
drop_incomplete_character(char *text)
{
    size_t length = strlen(text);
    size_t start = length;
    while (start > 0 && length - start < 3 && continues_character(text[start - 1]))
        start--;
    if (start > 0 &&
        pqti_utf8_length_by_first_byte((unsigned char)text[start - 1]) > length - start + 1)
        text[start - 1] = '\0';
}

void
pqti_error_set(pqt_error *error, pqt_status status, size_t index, const char *format, ...)
{
    PQT_INVARIANT(status != PQT_OK, "an error is set with the status PQT_OK");
    if (error == NULL || error->status != PQT_OK)
        return;
    error->status = status;
    error->index = index;
    error->text[0] = '\0';
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof error->text)
        drop_incomplete_character(error->text);
}

void
pqti_precondition_failed(const char *function, const char *sentence)
{
    if (function != NULL)
        fprintf(stderr, "pqt: %s: %s\n", function, sentence);
    else
        fprintf(stderr, "pqt: %s\n", sentence);
    abort();
}

void
pqti_broken(const char *function, const char *sentence)
{
    fprintf(stderr, "pqt: internal error in %s: %s\n", function, sentence);
    abort();
}
