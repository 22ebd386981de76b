/* SPDX-License-Identifier: MIT */
/* store_file.c: recognises the file of a store by its name. */
#include "config.h"

#include <pqt/store.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cancellation.h"
#include "base/error_internal.h"

#if PQT_WITH_SQLITE

#include "store/database.h"
#include "store/writer_lock.h"

static size_t
read_head(const char *path, uint8_t head[PQT_STORE_HEAD])
{
    return pqti_database_read_header(path, head, PQT_STORE_HEAD);
}

/* Returns true if a file is a database with a log, and names no application. In format version 1,
   the application was in the log until it was written back to the file, so a first writer that was
   killed left such a file. */
static bool
is_unmarked(const uint8_t head[PQT_STORE_HEAD], size_t count)
{
    static const uint8_t none[4];
    return count == PQT_STORE_HEAD && memcmp(head, "SQLite format 3", 16) == 0 &&
           head[PQTI_HEADER_VERSION] == 2 && memcmp(head + 68, none, sizeof none) == 0;
}

/* Returns true if a file is not marked as a store yet, but a writer has begun to make one of it. */
static bool
is_begun(const char *path, bool is_empty, const uint8_t head[PQT_STORE_HEAD], size_t count)
{
    char writer[PQTI_HOLDER_SIZE];
    if (!is_empty && !is_unmarked(head, count))
        return false;
    char *real = realpath(path, NULL);
    const bool is_there = real != NULL && pqti_writer_lock_exists(real, writer);
    free(real);
    return is_there;
}

#else

static size_t
read_head(const char *path, uint8_t head[PQT_STORE_HEAD])
{
    FILE *file = fopen(path, "rb");
    const size_t count = file == NULL ? 0 : fread(head, 1, PQT_STORE_HEAD, file);
    if (file != NULL)
        fclose(file);
    return count;
}

static bool
is_begun(const char *path, bool is_empty, const uint8_t head[PQT_STORE_HEAD], size_t count)
{
    (void)path;
    (void)is_empty;
    (void)head;
    (void)count;
    return false;
}

#endif

bool
pqt_is_store_file(const char *path)
{
    uint8_t head[PQT_STORE_HEAD];
    struct stat file;
    PQT_ASSERT(path != NULL, "path is NULL");
    PQTI_NOT_CANCELLABLE;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode))
        return false;
    const size_t count = read_head(path, head);
    return pqt_is_store(head, count) || is_begun(path, file.st_size == 0, head, count);
}
