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
#include "tool/json_text.h"

void info_print_fingerprint(facts *all, pqt_fingerprint print);

/* Prints the kind of the .pqt file that was read, its format version and its length. */
void info_print_pqt(facts *all, const input_file *from);

/* Read the version in a .pqt file and print its contents. */
void info_print_region(facts *all, input_file *from);
void info_print_image(facts *all, input_file *from);
void info_print_world(facts *all, input_file *from);
void info_print_map(facts *all, input_file *from);
void info_print_document(facts *all, input_file *from);

#endif
