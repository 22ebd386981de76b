/* SPDX-License-Identifier: MIT */
/* output_version.h: writes versions as .pqt files, and decides when an output is one. */
#ifndef OUTPUT_VERSION_H
#define OUTPUT_VERSION_H

#include "tool/tool.h"

/* The format of an output. */
typedef enum output_format {
    FORMAT_BY_NAME, /* .pqt if the name of the file ends in .pqt, otherwise the usual one */
    FORMAT_USUAL,   /* the one that the command writes otherwise: CSV or PNG */
    FORMAT_PQT
} output_format;

/* The option --format of a command whose usual format is `usual`, for its table of options. */
#define FORMAT_OPTION(usual)                                                                       \
    {                                                                                              \
        "format", 'F', POPT_ARG_STRING, NULL, 'F',                                                 \
            "write " usual " or pqt (default: pqt if OUT ends in .pqt)", "NAME"                    \
    }

/* Parses the argument of --format. Ends the program with an error if it is wrong. */
output_format format_option(poptContext context, const char *usual);

/* Returns true if an output is written as .pqt. file NULL: standard output. */
bool output_is_pqt(const char *file, output_format format);

/* Write a version to a stream of output_open or to standard output. Closing the stream reports that
   it cannot be written. End the program after any other failure. */
void output_tree(FILE *stream, const char *file, const pqt_tree *tree);
void output_region(FILE *stream, const char *file, const pqt_region *region);
void output_world(FILE *stream, const char *file, const pqt_world *world);

/* Writes a version of any kind in the same way. */
void output_version(FILE *stream, const char *file, pqt_bytes_kind kind, const void *version);

#endif
