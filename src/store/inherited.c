/* SPDX-License-Identifier: MIT */
/*
 * inherited.c: what a child of a fork must not use of the SQLite of its parent: locks that stay
 * locked, and open files.
 */
#include "config.h"

#include "store/inherited.h"

#include <pthread.h>
#include <sys/stat.h>

#include "base/error_internal.h"
#include "base/fork.h"
#include "memory/memory_internal.h"

/* ---- SQLite's own locks ---- */

static const int lock_numbers[] = {
    SQLITE_MUTEX_STATIC_MASTER, SQLITE_MUTEX_STATIC_MEM,  SQLITE_MUTEX_STATIC_OPEN,
    SQLITE_MUTEX_STATIC_PRNG,   SQLITE_MUTEX_STATIC_LRU,  SQLITE_MUTEX_STATIC_LRU2,
    SQLITE_MUTEX_STATIC_VFS1,   SQLITE_MUTEX_STATIC_VFS2, SQLITE_MUTEX_STATIC_VFS3,
};

enum { LOCKS = sizeof lock_numbers / sizeof *lock_numbers };

static sqlite3_mutex *locks[LOCKS];
static pthread_once_t locks_once = PTHREAD_ONCE_INIT;
static bool are_locks_watched;
static bool is_stuck; /* written only while the process has one thread */

/*
 * A child has only the thread that forked, so a lock that another thread held in SQLite at that
 * moment is never unlocked, and the child would wait for it forever. This runs before fork returns
 * in the child, when a lock that cannot be taken is such a lock. docs/design_log.md says why the
 * locks are not held during the fork instead.
 */
static void
find_stuck_lock(void)
{
    for (int i = 0; i < LOCKS; i++)
        if (sqlite3_mutex_try(locks[i]) == SQLITE_OK)
            sqlite3_mutex_leave(locks[i]);
        else
            is_stuck = true;
}

static void
watch_locks(void)
{
    if (sqlite3_initialize() != SQLITE_OK)
        return;
    for (int i = 0; i < LOCKS; i++)
        locks[i] = sqlite3_mutex_alloc(lock_numbers[i]);
    are_locks_watched = pthread_atfork(NULL, NULL, find_stuck_lock) == 0;
}

bool
pqti_sqlite_is_stuck(void)
{
    return is_stuck;
}

bool
pqti_sqlite_may_be_used(pqt_error *error)
{
    if (is_stuck)
        pqti_error_set(error, PQT_ERROR_STREAM, 0,
                       "another thread used a store when this process was forked: open it after "
                       "exec");
    else if (!pqti_fork_watch() || pthread_once(&locks_once, watch_locks) != 0 ||
             !are_locks_watched)
        pqti_out_of_memory(error);
    else
        return true;
    return false;
}

/* ---- Open files ---- */

/*
 * A file that a database of this process, or of an ancestor at the time of its fork, has open. A
 * child inherits SQLite's own list of open files, with locks that only the parent holds. If it
 * opened such a file, SQLite would take no lock, and another process could remove the log under it.
 * So a child keeps the files of its ancestors in this list, and refuses to open them.
 */
struct pqti_open_file {
    dev_t device;
    ino_t number;
    unsigned opened_at; /* the pqti_fork_count */
    sqlite3 *abandoned; /* its connection, which a child may not close, for leak checkers */
    struct pqti_open_file *next;
};

static pqti_open_file *open_files; /* changed between pqti_fork_hold and pqti_fork_release */

/* Adds a file to the list, unless an ancestor had it open. */
static bool
add_open_file(pqti_open_file *added)
{
    bool is_inherited = false;
    pqti_fork_hold();
    for (const pqti_open_file *f = open_files; f != NULL; f = f->next)
        is_inherited = is_inherited || (f->device == added->device && f->number == added->number &&
                                        f->opened_at != added->opened_at);
    if (!is_inherited) {
        added->next = open_files;
        open_files = added;
    }
    pqti_fork_release();
    return !is_inherited;
}

bool
pqti_open_file_add(pqti_open_file **file, const char *path, pqt_error *error)
{
    struct stat found;
    *file = NULL;
    if (stat(path, &found) != 0)
        return true; /* opening it reports this */
    pqti_open_file *added = pqti_alloc_scratch(1, sizeof *added);
    if (added == NULL) {
        pqti_out_of_memory(error);
        return false;
    }
    *added = (pqti_open_file){found.st_dev, found.st_ino, pqti_fork_count(), NULL, NULL};
    if (add_open_file(added)) {
        *file = added;
        return true;
    }
    pqti_free_scratch(added);
    pqti_error_set(error, PQT_ERROR_STREAM, 0,
                   "the store was open when this process was forked: close it before the fork");
    return false;
}

void
pqti_open_file_remove(pqti_open_file *file)
{
    pqti_open_file **f = &open_files;
    if (file == NULL)
        return;
    pqti_fork_hold();
    while (*f != file)
        f = &(*f)->next;
    *f = file->next;
    pqti_fork_release();
    pqti_free_scratch(file);
}

void
pqti_open_file_abandon(pqti_open_file *file, sqlite3 *connection)
{
    if (file != NULL)
        file->abandoned = connection;
}
