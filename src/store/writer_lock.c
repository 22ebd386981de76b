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
#include "store/side_file.h"

static const char suffix[] = "-writer", holder_begins[] = "process ";

/* A process takes the lock after a few attempts, because each further one means that the file was
   removed between two calls. But on some file systems, the file looks as if it were removed each
   time, because stat and fstat return different numbers for it. */
enum { MAX_ATTEMPTS = 100 };

static int
try_lock(int descriptor)
{
    int result;
    do
        result = flock(descriptor, LOCK_EX | LOCK_NB);
    while (result != 0 && errno == EINTR);
    return result;
}

/* The text that the holder of the lock wrote into the file. */
typedef struct lock_holder {
    char text[PQTI_HOLDER_SIZE];
} lock_holder;

static lock_holder
read_holder(int descriptor)
{
    lock_holder holder = {""};
    const ssize_t length = pread(descriptor, holder.text, sizeof holder.text - 1, 0);
    holder.text[length > 0 ? length : 0] = '\0';
    holder.text[strcspn(holder.text, "\n")] = '\0';
    for (char *c = holder.text; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    if (holder.text[0] == '\0')
        strcpy(holder.text, "another process");
    return holder;
}

/* Reports which process holds the lock. Returns false. */
static bool
report_holder(int descriptor, pqt_error *error)
{
    pqti_error_set(error, PQT_ERROR_CONFLICT, 0, "the store is locked by %s",
                   read_holder(descriptor).text);
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
    char host[64] = "", holder[PQTI_HOLDER_SIZE];
    if (gethostname(host, sizeof host - 1) != 0)
        strcpy(host, "this machine");
    const int length =
        snprintf(holder, sizeof holder, "%s%ld on %s\n", holder_begins, (long)getpid(), host);
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

/* Returns true if the file is empty or contains the text of a holder, so that nothing is lost when
   another text is written into it. */
static bool
holds_a_holder(int descriptor, const struct stat *file, pqt_error *error)
{
    char text[sizeof holder_begins] = "";
    const size_t length = sizeof holder_begins - 1;
    if (file->st_size == 0 ||
        (file->st_size < PQTI_HOLDER_SIZE &&
         pread(descriptor, text, length, 0) == (ssize_t)length && strcmp(text, holder_begins) == 0))
        return true;
    pqti_error_set(error, PQT_ERROR_STREAM, 0,
                   "the file %s of the store is not the lock of a writer; rename it", suffix);
    return false;
}

/* Gives the file the permissions of the store, so that those who may write the store may lock it,
   and its owner if root has made the file. A failure is harmless. */
static void
follow_owner(int descriptor, const struct stat *file, const struct stat *owner)
{
    const mode_t mode = owner->st_mode & 0777;
    if (geteuid() == 0 && file->st_uid != owner->st_uid &&
        fchown(descriptor, owner->st_uid, owner->st_gid) != 0)
        return;
    if ((file->st_mode & 0777) != mode && fchmod(descriptor, mode) != 0)
        return;
}

/* Opens a file that exists, or makes it and sets *made to true. */
static int
open_or_make(const char *path, bool *made)
{
    const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    const int descriptor = open(path, flags | O_EXCL, 0666);
    *made = descriptor >= 0;
    return descriptor >= 0 || errno != EEXIST ? descriptor : open(path, flags, 0666);
}

/* Opens the file if its name leads to no file of another kind, or is free. Sets *made to true if
   the call made the file, which then is ours, although some file systems give it another owner. */
static bool
open_file(pqti_writer_lock *lock, const char *store, const struct stat *owner, bool *made,
          pqt_error *error)
{
    if (!pqti_side_file_check(store, suffix, owner, error))
        return false;
    if (!pqti_fork_watch()) {
        pqti_out_of_memory(error);
        return false;
    }
    pqti_fork_hold();
    const int descriptor = open_or_make(lock->path, made);
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
open_and_lock(pqti_writer_lock *lock, const char *store, bool *again, pqt_error *error)
{
    struct stat status, file;
    const struct stat *owner = stat(store, &status) == 0 ? &status : NULL;
    bool made = false;
    *again = false;
    if (!open_file(lock, store, owner, &made, error))
        return false;
    if (try_lock(lock->file.descriptor) != 0)
        return errno == EWOULDBLOCK ? report_holder(lock->file.descriptor, error)
                                    : report_errno("taken", error);
    *again = !is_still_there(lock);
    if (*again)
        return false;
    if (fstat(lock->file.descriptor, &file) != 0)
        return report_errno("read", error);
    if ((!made && !pqti_side_file_is_ours(suffix, &file, owner, error)) ||
        !holds_a_holder(lock->file.descriptor, &file, error))
        return false;
    if (owner != NULL)
        follow_owner(lock->file.descriptor, &file, owner);
    return true;
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
    lock->path = pqti_side_file_name(store, suffix, error);
    lock->log_path = lock->path == NULL ? NULL : pqti_side_file_name(store, "-wal", error);
    if (lock->log_path == NULL) {
        free_paths(lock);
        return false;
    }
    for (; again && attempts < MAX_ATTEMPTS; attempts++) {
        taken = open_and_lock(lock, store, &again, error);
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
    return (pqti_named_file){true, file.st_dev, file.st_ino, file.st_nlink};
}

bool
pqti_writer_lock_exists(const char *store, char holder[PQTI_HOLDER_SIZE])
{
    char *path = pqti_side_file_name(store, suffix, NULL);
    const int descriptor =
        path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    pqti_free_scratch(path);
    if (descriptor < 0)
        return false;
    memcpy(holder, read_holder(descriptor).text, PQTI_HOLDER_SIZE);
    close(descriptor);
    return true;
}

void
pqti_writer_lock_watch(pqti_writer_lock *lock, const char *store)
{
    lock->store = find_file(store);
    lock->log = find_file(lock->log_path);
}

/* Returns true if a file still has its name, or had none. Sets *now to the file of this name. */
static bool
has_its_name(const pqti_named_file *file, const char *name, pqti_named_file *now)
{
    *now = file->is_there ? find_file(name) : *file;
    return now->is_there == file->is_there && now->device == file->device &&
           now->number == file->number;
}

bool
pqti_writer_lock_check(const pqti_writer_lock *lock, const char *store, pqt_error *error)
{
    struct stat opened;
    pqti_named_file now = {.is_there = false};
    if (fstat(lock->file.descriptor, &opened) != 0 || opened.st_nlink == 0)
        pqti_error_set(error, PQT_ERROR_CONFLICT, 0,
                       "the lock of the store was removed, so another process may have changed it");
    else if (!has_its_name(&lock->store, store, &now))
        pqti_error_set(error, PQT_ERROR_CONFLICT, 0,
                       "the file of the store was removed or replaced while it was open");
    else if (now.names > 1)
        pqti_refuse_names(store, now.names, error);
    else if (!has_its_name(&lock->log, lock->log_path, &now))
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
