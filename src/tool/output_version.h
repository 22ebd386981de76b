/* SPDX-License-Identifier: MIT */
/* output_version.h: writes versions as .pqt files, and decides whether an output is a .pqt file. */
#ifndef OUTPUT_VERSION_H
#define OUTPUT_VERSION_H

#include <stdio.h>

#include <popt.h>
#include <pqt.h>

/* The format of an output. */
typedef enum output_format {
    FORMAT_BY_NAME, /* .pqt if the name of the file ends in .pqt, otherwise the usual format */
    FORMAT_USUAL,   /* the usual format of the command: CSV or PNG */
    FORMAT_PQT
} output_format;

/* The option --format, for the table of options of a command whose usual format is `usual`. */
#define FORMAT_OPTION(usual)                                                                       \
    {                                                                                              \
        "format", 'F', POPT_ARG_STRING, NULL, 'F',                                                 \
            "the format: " usual " or pqt (default: pqt if OUT ends in .pqt)", "NAME"              \
    }

/* Parses the argument of --format. Ends the program with an error if it is invalid. */
output_format format_option(poptContext context, const char *usual);

/* Returns true if an output is written as a .pqt file. If `file` is NULL, the output is standard
   output. */
bool output_is_pqt(const char *file, output_format format);

/* Returns the format of an output for output_open: NULL if --format has chosen it, since then the
   name may have any ending. */
const char *output_format_name(output_format chosen, const char *format);

/* Writes a history to a stream from output_open. A failure that the stream did not cause ends the
   program with an error about `file`. */
void output_history(FILE *stream, const char *file, const pqt_history *history);

/* Writes a version of any kind to a stream from output_open or to standard output. A failure to
   write is reported when the stream is closed. Any other failure ends the program with an error. */
void output_version(FILE *stream, const char *file, const void *version);

#endif
