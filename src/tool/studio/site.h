/* SPDX-License-Identifier: MIT */
/* site.h: writes the studio to a folder that any web server can serve. */
#ifndef SITE_H
#define SITE_H

#include "tool/studio/offered_file.h"

/* Writes the pages, the data of the examples, and copies of the files to a folder. Creates the
   folder if it does not exist. Returns the number of files written. Ends the program with an error
   if that fails. */
size_t write_site(const char *folder, const offered_files *files);

#endif
