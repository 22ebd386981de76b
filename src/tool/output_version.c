/* SPDX-License-Identifier: MIT */
/* output_version.c: writes versions as .pqt files, and decides whether an output is a .pqt file. */
#include "config.h"

#include "tool/output_version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <popt.h>
#include <pqt.h>

#include "tool/cli.h"
#include "tool/message.h"

output_format
format_option(poptContext context, const char *usual)
{
    char *text = text_option(context);
    const bool is_usual = strcmp(text, usual) == 0;
    if (!is_usual && strcmp(text, "pqt") != 0)
        die(NULL, 0, "--format is not %s or pqt (%s)", usual, quote_text(text).text);
    free(text);
    return is_usual ? FORMAT_USUAL : FORMAT_PQT;
}

bool
output_is_pqt(const char *file, output_format format)
{
    static const char ending[] = ".pqt";
    const size_t length = file != NULL ? strlen(file) : 0, most = sizeof ending - 1;
    if (format != FORMAT_BY_NAME)
        return format == FORMAT_PQT;
    return length >= most && strcmp(file + length - most, ending) == 0;
}

const char *
output_format_name(output_format chosen, const char *format)
{
    return chosen == FORMAT_BY_NAME ? format : NULL;
}

static bool
write_bytes(const void *bytes, size_t count, void *stream)
{
    return fwrite(bytes, 1, count, stream) == count;
}

/* Ends the program with an error after a failure that the stream did not cause. */
static void
check_written(bool written, const char *file, const pqt_error *error)
{
    if (!written && error->status != PQT_ERROR_CALLBACK)
        die_error(file, error);
}

void
output_history(FILE *stream, const char *file, const pqt_history *history)
{
    pqt_error error = {0};
    check_written(pqt_history_write(history, write_bytes, stream, &error), file, &error);
}

void
output_version(FILE *stream, const char *file, const void *version)
{
    pqt_error error = {0};
    check_written(pqt_version_write(version, write_bytes, stream, &error), file, &error);
}
