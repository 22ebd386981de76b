/* SPDX-License-Identifier: MIT */
/* data_file.h: finds the data that comes with the program: cities.csv and countries.csv. */
#ifndef DATA_FILE_H
#define DATA_FILE_H

/* The folder in which the data is installed. */
#ifndef PQT_DATA_DIR
#define PQT_DATA_DIR "/usr/local/share/pqt/examples/data"
#endif

/* Returns the path of a data file: near the program, where it was built or installed; in the
   configured folder; or below the current folder, for builds in a separate folder. Returns NULL if
   it is in none of them. The caller frees it. */
char *data_file(const char *file);

/* Returns the path of a file in a folder. The caller frees it. */
char *data_file_in(const char *folder, const char *file);

#endif
