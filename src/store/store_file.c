/* SPDX-License-Identifier: MIT */
/* store_file.c: recognises the file of a store by its name. */
#include "config.h"

#include <pqt/store.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cancellation.h"
#include "base/error_internal.h"

#if PQT_WITH_SQLITE

#include "store/database.h"
#include "store/writer_lock.h"

static size_t
read_head(const char *path, uint8_t head[PQT_STORE_HEAD])
{
    return pqti_database_read_head(path, head, PQT_STORE_HEAD);
}

/* Returns true if a writer has begun to make a store of an empty file. */
static bool
is_begun(const char *path)
{
    char writer[8];
    char *real = realpath(path, NULL);
    const bool is_there = real != NULL && pqti_writer_lock_exists(real, writer, sizeof writer);
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
is_begun(const char *path)
{
    (void)path;
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
    return file.st_size == 0 ? is_begun(path) : pqt_is_store(head, read_head(path, head));
}
