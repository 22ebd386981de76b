/* SPDX-License-Identifier: MIT */
/* site.h: writes the studio to a folder that any web server can serve. */
#ifndef SITE_H
#define SITE_H

#include "tool/studio/offered_file.h"

/* Writes the pages, the data of the examples, and copies of the files to a folder. Creates the
   folder if it does not exist. Returns the number of files written. Ends the program with an error
   if that fails. */
size_t write_site(const char *folder, const offered_files *files);

/* The names of the example data. */
enum { SITE_DATA = 2 };
extern const char *const site_data[SITE_DATA];

/* Reads a file. The caller frees its bytes. Ends the program with an error if that fails. */
char *site_read_file(const char *from, size_t *size);

#endif
