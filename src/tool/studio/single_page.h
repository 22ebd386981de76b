/* SPDX-License-Identifier: MIT */
/* single_page.h: writes the studio as one page, which runs when it is opened from a file. */
#ifndef SINGLE_PAGE_H
#define SINGLE_PAGE_H

#include "tool/studio/offered_file.h"

/* Writes a page that holds all pages, the data of the examples, and the files. Ends the program
   with an error if that fails. */
void write_single_page(const char *path, const offered_files *files);

#endif
