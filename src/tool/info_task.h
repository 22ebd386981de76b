/* SPDX-License-Identifier: MIT */
/*
 * info_task.h: the functions that the files of `pqt info` share.
 *
 * Sources of this folder without a header of their own: cmd_info_pqt.c.
 */
#ifndef INFO_TASK_H
#define INFO_TASK_H

#include <pqt.h>

#include "tool/input_file.h"

/* Print one fact as a line that contains its name and a number or a box. */
void info_print_number(const char *name, uint64_t number);
void info_print_box(const char *name, pqt_box box);
void info_print_fingerprint(pqt_fingerprint print);

/* Prints the kind of the .pqt file that was read, its format version and its length. */
void info_print_pqt(const input_file *from);

/* Read the version in a .pqt file and print its contents. */
void info_print_region(input_file *from);
void info_print_world(input_file *from);
void info_print_map(input_file *from);
void info_print_document(input_file *from);

#endif
