/* SPDX-License-Identifier: MIT */
/* writer_lock.c: the lock that a process holds while it writes a store. */
#include "config.h"

#include "store/writer_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"

/* A process takes the lock after a few attempts, because each further one means that the file was
   removed between two calls. But on some file systems, the file looks as if it were removed each
   time, because stat and fstat return different numbers for it. */
enum { HOLDER_SIZE = 128, MAX_ATTEMPTS = 100 };

static int
try_lock(int descriptor)
{
    int result;
    do
        result = flock(descriptor, LOCK_EX | LOCK_NB);
    while (result != 0 && errno == EINTR);
    return result;
}

/* Reports which process holds the lock, using the text that the process wrote into the file.
   Returns false. */
static bool
report_holder(int descriptor, pqt_error *error)
{
    char holder[HOLDER_SIZE] = "";
    const ssize_t length = pread(descriptor, holder, sizeof holder - 1, 0);
    holder[length > 0 ? length : 0] = '\0';
    holder[strcspn(holder, "\n")] = '\0';
    for (char *c = holder; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    pqti_error_set(error, PQT_ERROR_CONFLICT, 0, "the store is locked by %s",
                   holder[0] != '\0' ? holder : "another process");
    return false;
}

static bool
report_errno(const char *what, pqt_error *error)
{
    pqti_error_set(error, PQT_ERROR_STREAM, 0, "the lock of the store cannot be %s (errno %d)",
                   what, errno);
    return false;
}

/* Writes the identity of this process into the lock file. If this fails, the messages of other
   processes cannot name the holder. */
static void
write_holder(int descriptor)
{
    char host[64] = "", holder[HOLDER_SIZE];
    if (gethostname(host, sizeof host - 1) != 0)
        strcpy(host, "this machine");
    const int length = snprintf(holder, sizeof holder, "process %ld on %s\n", (long)getpid(), host);
    if (ftruncate(descriptor, 0) == 0 && pwrite(descriptor, holder, (size_t)length, 0) < 0)
        return;
}

/* Returns true if the locked file still has this name. The process that held the lock before may
   have removed the file. */
static bool
is_still_there(const pqti_writer_lock *lock)
{
    struct stat opened, named;
    return fstat(lock->file.descriptor, &opened) == 0 && stat(lock->path, &named) == 0 &&
           opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

static bool
open_file(pqti_writer_lock *lock, pqt_error *error)
{
    if (!pqti_fork_watch()) {
        pqti_out_of_memory(error);
        return false;
    }
    pqti_fork_hold();
    const int descriptor = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    const bool is_open = pqti_fork_add(&lock->file, descriptor);
    if (!is_open) {
        report_errno("opened", error);
        close(descriptor);
    }
    pqti_fork_release();
    return is_open;
}

static void
close_file(pqti_writer_lock *lock)
{
    pqti_fork_hold();
    const int descriptor = lock->file.descriptor;
    pqti_fork_remove(&lock->file);
    close(descriptor);
    pqti_fork_release();
}

/* Opens and locks the file. Sets *again to true if the file was removed in the meantime. */
static bool
open_and_lock(pqti_writer_lock *lock, bool *again, pqt_error *error)
{
    *again = false;
    if (!open_file(lock, error))
        return false;
    if (try_lock(lock->file.descriptor) != 0)
        return errno == EWOULDBLOCK ? report_holder(lock->file.descriptor, error)
                                    : report_errno("taken", error);
    *again = !is_still_there(lock);
    return !*again;
}

/* Returns a name with a suffix in scratch memory, or NULL if there is no memory. */
static char *
add_suffix(const char *name, const char *suffix, pqt_error *error)
{
    char *longer = pqti_alloc_scratch(strlen(name) + strlen(suffix) + 1, 1);
    if (longer == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    strcpy(longer, name);
    return strcat(longer, suffix);
}

static void
free_paths(pqti_writer_lock *lock)
{
    pqti_free_scratch(lock->path);
    pqti_free_scratch(lock->log_path);
    lock->path = lock->log_path = NULL;
}

bool
pqti_writer_lock_take(pqti_writer_lock *lock, const char *store, pqt_error *error)
{
    bool again = true, taken = false;
    int attempts = 0;
    lock->file.descriptor = -1;
    lock->path = add_suffix(store, "-writer", error);
    lock->log_path = lock->path == NULL ? NULL : add_suffix(store, "-wal", error);
    if (lock->log_path == NULL) {
        free_paths(lock);
        return false;
    }
    for (; again && attempts < MAX_ATTEMPTS; attempts++) {
        taken = open_and_lock(lock, &again, error);
        if (!taken && lock->file.descriptor >= 0)
            close_file(lock);
    }
    if (again)
        pqti_error_set(
            error, PQT_ERROR_STREAM, 0,
            "the store cannot be locked: its file -writer is a different one at each attempt");
    if (!taken) {
        free_paths(lock);
        return false;
    }
    write_holder(lock->file.descriptor);
    return true;
}

static pqti_named_file
find_file(const char *name)
{
    struct stat file;
    if (stat(name, &file) != 0)
        return (pqti_named_file){.is_there = false};
    return (pqti_named_file){true, file.st_dev, file.st_ino};
}

void
pqti_writer_lock_watch(pqti_writer_lock *lock, const char *store)
{
    lock->store = find_file(store);
    lock->log = find_file(lock->log_path);
}

/* Returns true if a file still has its name, or had none. */
static bool
has_its_name(const pqti_named_file *file, const char *name)
{
    const pqti_named_file now = file->is_there ? find_file(name) : *file;
    return now.is_there == file->is_there && now.device == file->device &&
           now.number == file->number;
}

bool
pqti_writer_lock_check(const pqti_writer_lock *lock, const char *store, pqt_error *error)
{
    struct stat opened;
    if (fstat(lock->file.descriptor, &opened) != 0 || opened.st_nlink == 0)
        pqti_error_set(error, PQT_ERROR_CONFLICT, 0,
                       "the lock of the store was removed, so another process may have changed it");
    else if (!has_its_name(&lock->store, store))
        pqti_error_set(error, PQT_ERROR_CONFLICT, 0,
                       "the file of the store was removed or replaced while it was open");
    else if (!has_its_name(&lock->log, lock->log_path))
        pqti_error_set(error, PQT_ERROR_CONFLICT, 0,
                       "the log of the store (-wal) was removed or replaced while it was open");
    else
        return true;
    return false;
}

void
pqti_writer_lock_release(pqti_writer_lock *lock)
{
    if (lock->path == NULL)
        return;
    if (is_still_there(lock)) /* another file is the lock of another process */
        unlink(lock->path);
    if (lock->file.descriptor >= 0)
        close_file(lock);
    free_paths(lock);
}
