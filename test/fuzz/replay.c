/* SPDX-License-Identifier: MIT */
/* replay.c: the functions that fuzz targets share: `require`, and main if no engine defines it. */
#include "config.h"

#include "replay.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void
require(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "fuzz_%s: %s\n", fuzz_this.name, what);
    abort();
}

#ifndef PQT_FUZZING_ENGINE

enum { MOST_BYTES = 1 << 20, MOST_PATH = 4096 };

static int replayed;

static void
replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    require(file != NULL, path);
    uint8_t *data = malloc(MOST_BYTES);
    require(data != NULL, "out of memory");
    size_t size = fread(data, 1, MOST_BYTES, file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    printf("ok %d - %s\n", ++replayed, path);
    fflush(stdout);
}

static int
is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void
replay(const char *path)
{
    struct dirent **entries;
    struct stat status;
    require(stat(path, &status) == 0, path);
    if (!S_ISDIR(status.st_mode)) {
        replay_file(path);
        return;
    }
    int count = scandir(path, &entries, is_visible, alphasort);
    require(count >= 0, path);
    for (int i = 0; i < count; i++) {
        char name[MOST_PATH];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        replay_file(name);
        free(entries[i]);
    }
    free(entries);
}

static void
make_seeds(const char *folder)
{
    for (unsigned i = 0; i < fuzz_this.seeds; i++) {
        char name[MOST_PATH];
        snprintf(name, sizeof name, "%s/seed-%02u", folder, i);
        FILE *file = fopen(name, "wb");
        require(file != NULL, name);
        fuzz_this.make_seed(i, file);
        require(fclose(file) == 0, name);
    }
}

int
main(int count, char **arguments)
{
    const char *srcdir = getenv("srcdir");
    char corpus[MOST_PATH];
    if (count == 3 && strcmp(arguments[1], "--make") == 0) {
        make_seeds(arguments[2]);
        return EXIT_SUCCESS;
    }
    snprintf(corpus, sizeof corpus, "%s/test/fuzz/corpus/%s", srcdir != NULL ? srcdir : ".",
             fuzz_this.name);
    for (int i = 1; i < count; i++)
        replay(arguments[i]);
    if (count == 1)
        replay(corpus);
    printf("1..%d\n", replayed);
    return EXIT_SUCCESS;
}

#endif
