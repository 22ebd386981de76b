/* SPDX-License-Identifier: MIT */
/* data_file.c: finds the data files that come with the program. */
#include "config.h"

#include "tool/data_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/tool_memory.h"

const char *program_name = "pqt";

/* Returns a path that consists of the first `length` characters of `before`, `between`, a slash,
   and `file`. */
static char *
path_of(const char *before, size_t length, const char *between, const char *file)
{
    size_t capacity = 0, needed = length + strlen(between) + strlen(file) + 2;
    char *path = xgrow(NULL, &capacity, needed, 1);
    snprintf(path, capacity, "%.*s%s/%s", (int)length, before, between, file);
    return path;
}

char *
data_file_in(const char *folder, const char *file)
{
    return path_of(folder, strlen(folder), "", file);
}

char *
data_file(const char *file)
{
    static const char in_source[] = "docs/examples/data";
    const char *slash = strrchr(program_name, '/');
    size_t folder = slash != NULL ? (size_t)(slash - program_name) + 1 : 0;
    char *places[] = {
        path_of(program_name, folder, in_source, file),
        path_of(program_name, folder, "../docs/examples/data", file),    /* if the program is in
                                                                            libtool's .libs */
        path_of(program_name, folder, "../../docs/examples/data", file), /* if the program is in
                                                                            build/.libs */
        path_of(program_name, folder, "../share/pqt/examples/data",
                file), /* if the installation was moved */
        data_file_in(PQT_DATA_DIR, file),
        path_of("", 0, in_source, file),
    };
    char *found = NULL;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (found == NULL && access(places[i], R_OK) == 0)
            found = places[i];
        else
            free(places[i]);
    }
    return found;
}
