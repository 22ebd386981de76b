/* SPDX-License-Identifier: MIT */
/* row_output.h: writes merged rows as the file OURS with the changes of the other side. */
#ifndef ROW_OUTPUT_H
#define ROW_OUTPUT_H

#include <stdio.h>

#include "tool/row_merge.h"

/*
 * Writes the merged rows as CSV. If OURS is a CSV file, its rows are written in their order, and
 * the bytes of all fields that did not change are kept. A row that replaces one of OURS takes its
 * place; a row that only THEIRS has is written before the row that follows it in THEIRS. `file` is
 * the name for messages, or NULL.
 */
void write_merged_rows(const merger *m, FILE *stream, const char *file);

#endif
