/* SPDX-License-Identifier: MIT */
/* site.h: the studio as a folder that any web server can serve. */
#ifndef SITE_H
#define SITE_H

#include "tool/studio/offered_file.h"

/* Writes the pages, the data of the examples, and copies of the files to a folder, and makes the
   folder if it is missing. Returns the number of files. Ends the program with an error if it
   cannot. */
size_t write_site(const char *folder, const offered_files *files);

#endif
