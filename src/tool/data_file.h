/* SPDX-License-Identifier: MIT */
/* data_file.h: finds the data files that come with the program, cities.csv and countries.csv. */
#ifndef DATA_FILE_H
#define DATA_FILE_H

/* The folder in which the data files are installed. */
#ifndef PQT_DATA_DIR
#define PQT_DATA_DIR "/usr/local/share/pqt/examples/data"
#endif

/* The name by which the user called the program, which main sets. */
extern const char *program_name;

/* Returns the path of a data file. Searches near the program, both where it was built and where it
   was installed; in the configured folder; and below the current folder, for builds in a separate
   folder. Returns NULL if the file is in none of them. The caller frees the path. */
char *data_file(const char *file);

/* Returns the path of a file in a folder. The caller frees it. */
char *data_file_in(const char *folder, const char *file);

#endif
