/* SPDX-License-Identifier: MIT */
/* faulty_vfs.c: a SQLite VFS with faults. It passes each call to the VFS of the system. */
#include "config.h"

#include "faulty_vfs.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "tree_support.h"

vfs_faults vfs;

typedef struct faulty_file {
    sqlite3_file base;
    const char *name;
    sqlite3_file real[]; /* szOsFile bytes for the file of the system's VFS */
} faulty_file;

static sqlite3_vfs *system_vfs;

static sqlite3_file *
real_of(sqlite3_file *file)
{
    return ((faulty_file *)(void *)file)->real;
}

/* Counts a call. Returns true if it must fail. */
static bool
fails(void)
{
    vfs.calls++;
    if (vfs.signal != 0 && vfs.calls == vfs.failing)
        raise(vfs.signal);
    return vfs.signal == 0 && vfs.failing != 0 &&
           (vfs.stays ? vfs.calls >= vfs.failing : vfs.calls == vfs.failing);
}

static int
file_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int
file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset)
{
    if (vfs.reads_too && fails())
        return SQLITE_IOERR_READ;
    return real_of(file)->pMethods->xRead(real_of(file), bytes, count, offset);
}

static int
file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset)
{
    if (fails()) {
        if (vfs.cut_short)
            real_of(file)->pMethods->xWrite(real_of(file), bytes, count / 2, offset);
        return vfs.full_disk ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    }
    return real_of(file)->pMethods->xWrite(real_of(file), bytes, count, offset);
}

static int
file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return fails() ? SQLITE_IOERR_TRUNCATE
                   : real_of(file)->pMethods->xTruncate(real_of(file), size);
}

/* Copies the bytes that the disk is certain to hold after a sync. */
static void
keep_synced(sqlite3_file *file)
{
    char name[300], bytes[4096];
    sqlite3_int64 size = 0;
    snprintf(name, sizeof name, "%s.synced", ((faulty_file *)(void *)file)->name);
    FILE *copy = fopen(name, "wb");
    require(copy != NULL && real_of(file)->pMethods->xFileSize(real_of(file), &size) == SQLITE_OK,
            "a copy is made");
    for (sqlite3_int64 at = 0; at < size; at += (sqlite3_int64)sizeof bytes) {
        const size_t count =
            size - at < (sqlite3_int64)sizeof bytes ? (size_t)(size - at) : sizeof bytes;
        require(real_of(file)->pMethods->xRead(real_of(file), bytes, (int)count, at) == SQLITE_OK &&
                    fwrite(bytes, 1, count, copy) == count,
                "bytes are copied");
    }
    require(fclose(copy) == 0, "the copy is complete");
}

static int
file_sync(sqlite3_file *file, int flags)
{
    if (fails())
        return SQLITE_IOERR_FSYNC;
    const int code = real_of(file)->pMethods->xSync(real_of(file), flags);
    if (code == SQLITE_OK && vfs.keep_synced)
        keep_synced(file);
    return code;
}

static int
file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), size);
}

static int
file_lock(sqlite3_file *file, int lock)
{
    return real_of(file)->pMethods->xLock(real_of(file), lock);
}

static int
file_unlock(sqlite3_file *file, int lock)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), lock);
}

static int
file_check_lock(sqlite3_file *file, int *locked)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), locked);
}

static int
file_control(sqlite3_file *file, int op, void *argument)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), op, argument);
}

static int
file_sector_size(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

/* Promises only what every disk guarantees. */
static int
file_characteristics(sqlite3_file *file)
{
    (void)file;
    return 0;
}

static int
shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **at)
{
    return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, at);
}

static int
shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, count, flags);
}

static void
shm_barrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int
shm_unmap(sqlite3_file *file, int remove)
{
    return real_of(file)->pMethods->xShmUnmap(real_of(file), remove);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = shm_map,
    .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = shm_unmap,
};

static int
open_file(sqlite3_vfs *self, const char *name, sqlite3_file *file, int flags, int *out)
{
    faulty_file *opened = (faulty_file *)(void *)file;
    (void)self;
    opened->name = name;
    const int code = system_vfs->xOpen(system_vfs, name, opened->real, flags, out);
    opened->base.pMethods = opened->real->pMethods != NULL ? &methods : NULL;
    return code;
}

void
faulty_vfs_install(void)
{
    static sqlite3_vfs faulty;
    if (system_vfs != NULL) /* an earlier test has installed it */
        return;
    system_vfs = sqlite3_vfs_find(NULL);
    faulty = *system_vfs;
    faulty.zName = "faulty";
    faulty.pNext = NULL;
    faulty.szOsFile = (int)sizeof(faulty_file) + system_vfs->szOsFile;
    faulty.xOpen = open_file;
    require(sqlite3_vfs_register(&faulty, 1) == SQLITE_OK, "the files are installed");
}
