/* SPDX-License-Identifier: MIT */
/* made_header.h: a header for a CSV file without one. */
#ifndef MADE_HEADER_H
#define MADE_HEADER_H

#include <stdio.h>

#include "tool/tool_memory.h"

/*
 * Reads the first row of a stream, and returns a header for it, followed by the row. The columns
 * that the options name by their numbers get their usual names, and the others column_N. The
 * separator is the first of tab, semicolon and comma that the row has. Ends the program with an
 * error if the options do not name the columns of a position by numbers that the row has. A
 * byte-order mark is skipped. `shift` is set to the number of bytes by which the text is longer
 * than the file.
 */
texts made_header(const char *file, FILE *stream, size_t *shift);

#endif
