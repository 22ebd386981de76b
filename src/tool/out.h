/* SPDX-License-Identifier: MIT */
/* out.h: output files, which are replaced completely or not at all. */
#ifndef OUT_H
#define OUT_H

#include <stdio.h>

/* Opens a temporary file that output_close renames to `file`; "-" is standard output. If the
   program ends earlier, the file keeps its old contents. A command has at most three outputs. Ends
   the program with an error like output_check_name. */
FILE *output_open(const char *file, const char *format);

/* Ends the program with an error if an output may not have this name: if it would replace a store
   or a file next to one, or if it ends like the name of another format, such as picture.png, which
   no viewer would open, for SVG. The format is "CSV", "PNG", "SVG" or "pqt", or NULL, for which any
   ending is right. */
void output_check_name(const char *file, const char *format);

/* Renames the temporary files of all open outputs to their final names. Ends the program with an
   error if an output could not be written. */
void output_close(void);

/* Flushes and closes standard output. Ends the program with an error if that fails. */
void finish_standard_output(void);

/* Ends the program with an error if an output would replace an input. */
void output_guard(const char *file, const char *input);

/* Ends the program with an error if two options name the same output. Either file may be NULL. */
void output_guard_twin(const char *option, const char *file, const char *other_option,
                       const char *other);

/* Ends the program with an error if both inputs are standard input. The second one may be NULL. */
void input_guard(const char *file, const char *other);

#endif
