/* SPDX-License-Identifier: MIT */
/* side_file.c: the files that belong to a store by their names, and the names of the store. */
#include "config.h"

#include "store/side_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"

static const char *const made_by_sqlite[] = {"-wal", "-shm", "-journal"};
enum { MADE_BY_SQLITE = sizeof made_by_sqlite / sizeof *made_by_sqlite };

char *
pqti_side_file_name(const char *store, const char *suffix, pqt_error *error)
{
    char *name = pqti_alloc_scratch(strlen(store) + strlen(suffix) + 1, 1);
    if (name == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    strcpy(name, store);
    return strcat(name, suffix);
}

/* ---- Side files ---- */

/* Returns true if the owner of a file may write the store, or if nothing in the file counts: SQLite
   also makes these files for a reader, which cannot remove them. */
static bool
belongs_to_a_writer(const char *suffix, const struct stat *file, const struct stat *owner)
{
    const bool is_lock = strcmp(suffix, "-writer") == 0;
    if (strcmp(suffix, "-shm") == 0 || (!is_lock && file->st_size == 0))
        return true;
    return file->st_uid == geteuid() || file->st_uid == 0 ||
           (owner != NULL && (file->st_uid == owner->st_uid || (owner->st_mode & 022) != 0));
}

bool
pqti_side_file_is_ours(const char *suffix, const struct stat *file, const struct stat *owner,
                       pqt_error *error)
{
    if (S_ISLNK(file->st_mode))
        pqti_error_set(error, PQT_ERROR_STREAM, 0,
                       "the file %s of the store is a symbolic link; remove the link", suffix);
    else if (!S_ISREG(file->st_mode))
        pqti_error_set(error, PQT_ERROR_STREAM, 0,
                       "the file %s of the store is not a regular file; remove it", suffix);
    else if (file->st_nlink > 1)
        pqti_error_set(error, PQT_ERROR_STREAM, 0,
                       "the file %s of the store has %llu names: copy both to files of their own",
                       suffix, (unsigned long long)file->st_nlink);
    else if (!belongs_to_a_writer(suffix, file, owner))
        pqti_error_set(error, PQT_ERROR_STREAM, 0,
                       "the file %s of the store belongs to another user (%llu), not to a writer",
                       suffix, (unsigned long long)file->st_uid);
    else
        return true;
    return false;
}

bool
pqti_side_file_check(const char *store, const char *suffix, const struct stat *owner,
                     pqt_error *error)
{
    struct stat file;
    char *name = pqti_side_file_name(store, suffix, error);
    if (name == NULL)
        return false;
    const bool is_there = lstat(name, &file) == 0;
    const int failure = is_there ? 0 : errno;
    pqti_free_scratch(name);
    if (is_there)
        return pqti_side_file_is_ours(suffix, &file, owner, error);
    if (failure != ENOENT)
        pqti_error_set(error, PQT_ERROR_STREAM, 0, "the file %s of the store: %s (errno %d)",
                       suffix, strerror(failure), failure);
    return failure == ENOENT;
}

bool
pqti_side_files_check(const char *store, pqt_error *error)
{
    struct stat owner;
    const bool has_owner = stat(store, &owner) == 0;
    bool done = true;
    for (int i = 0; i < MADE_BY_SQLITE && done; i++)
        done = pqti_side_file_check(store, made_by_sqlite[i], has_owner ? &owner : NULL, error);
    return done;
}

void
pqti_side_files_remove(const char *store)
{
    for (int i = 0; i < MADE_BY_SQLITE; i++) {
        char *name = pqti_side_file_name(store, made_by_sqlite[i], NULL);
        if (name != NULL)
            unlink(name);
        pqti_free_scratch(name);
    }
}

/* ---- Names of the store ---- */

static bool
is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* A search for the other names of a store in its folder. */
typedef struct name_search {
    DIR *folder;
    const char *own; /* the name that is known, without its folder */
    struct stat file;
} name_search;

static bool
begin_search(name_search *search, const char *store)
{
    const char *slash = strrchr(store, '/'); /* the path is absolute */
    char *folder = slash == NULL ? NULL : pqti_alloc_scratch((size_t)(slash - store) + 2, 1);
    search->folder = NULL;
    search->own = slash == NULL ? store : slash + 1;
    if (folder == NULL)
        return false;
    memcpy(folder, store, (size_t)(slash - store) + 1);
    folder[slash - store + 1] = '\0';
    if (stat(store, &search->file) == 0)
        search->folder = opendir(folder);
    pqti_free_scratch(folder);
    return search->folder != NULL;
}

/* Returns the next other name, without its folder, or NULL after the last one. */
static const char *
next_name(name_search *search)
{
    const struct dirent *entry;
    while ((entry = readdir(search->folder)) != NULL) {
        struct stat found;
        if (strcmp(entry->d_name, search->own) != 0 &&
            fstatat(dirfd(search->folder), entry->d_name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
            is_same_file(&found, &search->file))
            return entry->d_name;
    }
    return NULL;
}

bool
pqti_refuse_names(const char *store, nlink_t names, pqt_error *error)
{
    name_search search;
    const char *other = begin_search(&search, store) ? next_name(&search) : NULL;
    pqti_error_set(error, PQT_ERROR_CONFLICT, 0,
                   "the store has %llu names%s%.40s, and can only be read",
                   (unsigned long long)names, other == NULL ? "" : ", one of them ",
                   other == NULL ? "" : other);
    if (search.folder != NULL)
        closedir(search.folder);
    return false;
}

/* Returns true if a file in a folder has another file with this suffix, which is not empty or may
   be empty. */
static bool
has_side_file(DIR *folder, const char *name, const char *suffix, bool may_be_empty)
{
    struct stat file;
    char *side = pqti_side_file_name(name, suffix, NULL);
    const bool is_there = side == NULL || (fstatat(dirfd(folder), side, &file, 0) == 0 &&
                                           (may_be_empty || file.st_size > 0));
    pqti_free_scratch(side);
    return is_there;
}

bool
pqti_may_read_by_name(const char *store, pqt_error *error)
{
    name_search search;
    struct stat file;
    const char *other;
    bool done = true;
    if (stat(store, &file) != 0 || file.st_nlink < 2 || !begin_search(&search, store))
        return true;
    while (done && (other = next_name(&search)) != NULL)
        if (has_side_file(search.folder, other, "-writer", true) ||
            has_side_file(search.folder, other, "-wal", false) ||
            has_side_file(search.folder, other, "-journal", false)) {
            pqti_error_set(error, PQT_ERROR_CONFLICT, 0,
                           "the store has %llu names, and its log is that of %.40s",
                           (unsigned long long)file.st_nlink, other);
            done = false;
        }
    closedir(search.folder);
    return done;
}
