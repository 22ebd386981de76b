/* SPDX-License-Identifier: MIT */
/*
 * bytes_file.c: writes versions and histories to files and reads them back. A file is replaced
 * completely or not at all.
 *
 * To replace a file, a new file in the same folder is written, flushed to the disk and renamed, as
 * in src/tool/out.c. Devices and pipes cannot be replaced, so they are written directly. System
 * calls that a signal interrupts are repeated, because the collector stops threads with signals.
 */
#include "config.h"

#include <pqt/bytes.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cancellation.h"
#include "base/error_internal.h"
#include "io/bytes_internal.h"
#include "memory/kind_calls.h"

enum { MOST_ATTEMPTS = 100, NAME_SIZE = 64, BUFFER_SIZE = 65536 };

/* Reports a failed system call according to its errno, which it preserves. Returns false. */
static bool
report_errno(pqt_error *error, const char *what)
{
    const int number = errno;
    pqti_error_set(error, PQT_ERROR_STREAM, 0, "the file cannot be %s (errno %d)", what, number);
    errno = number;
    return false;
}

/* Closes a file, and removes it if `name` is not NULL. Preserves errno. */
static void
discard_file(int descriptor, const char *name)
{
    const int number = errno;
    close(descriptor);
    if (name != NULL)
        unlink(name);
    errno = number;
}

/* ---- Writing ---- */

/* A version or a history to be saved, and the function that writes it. */
typedef struct saved_value {
    const void *value;
    pqti_write_value_fn *write;
} saved_value;

typedef struct file_output {
    int descriptor;
    bool failed; /* a write failed, and errno says why */
} file_output;

static bool
write_to_file(const void *bytes, size_t count, void *context)
{
    file_output *output = context;
    while (count > 0) {
        const ssize_t written = write(output->descriptor, bytes, count);
        if (written < 0 && errno != EINTR) {
            output->failed = true;
            return false;
        }
        if (written > 0) {
            bytes = (const char *)bytes + written;
            count -= (size_t)written;
        }
    }
    return true;
}

/* Writes a value to an open file. Returns false and sets `error` on failure. */
static bool
write_value(const saved_value *saved, int descriptor, pqt_error *error)
{
    file_output output = {descriptor, false};
    pqt_error failure = {0};
    if (saved->write(saved->value, write_to_file, &output, &failure))
        return true;
    if (output.failed)
        return report_errno(error, "written");
    pqti_error_set(error, failure.status, failure.index, "%s", failure.text);
    return false;
}

static int
open_restarting(const char *path, int flags, mode_t mode)
{
    int descriptor;
    do
        descriptor = open(path, flags | O_CLOEXEC, mode);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

static int
flush_to_disk(int descriptor)
{
    int result;
    do
        result = fsync(descriptor);
    while (result != 0 && errno == EINTR);
    return result;
}

/* Returns the length of the folder name in a path, including the slash. */
static size_t
folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* Creates a file with a new name in the folder of `target`. Writes the name to `name`, which has
   room for it. */
static int
create_hidden(const char *target, char *name, size_t capacity, mode_t mode)
{
    int descriptor = -1;
    for (unsigned attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        snprintf(name, capacity, "%.*s.pqt-%ld-%u.tmp", (int)folder_length(target), target,
                 (long)getpid(), attempt);
        descriptor = open_restarting(name, O_WRONLY | O_CREAT | O_EXCL, mode);
        if (descriptor >= 0 || errno != EEXIST)
            break;
    }
    return descriptor;
}

/* Gives the new file the permissions of the one that it will replace. The umask does not apply to
   them. */
static void
keep_mode(int descriptor, const char *target)
{
    struct stat there, made;
    if (stat(target, &there) == 0 && fstat(descriptor, &made) == 0 &&
        (there.st_mode & 0777) != (made.st_mode & 0777) &&
        fchmod(descriptor, there.st_mode & 0777) != 0)
        return; /* the file is then as private as the umask makes it */
}

/* Flushes the folder, so that the new name survives a crash. Ignores errors, since some file
   systems cannot flush folders. */
static void
flush_folder(const char *target, char *name)
{
    const size_t length = folder_length(target);
    memcpy(name, length > 0 ? target : ".", length > 0 ? length : 1);
    name[length > 0 ? length : 1] = '\0';
    const int folder = open_restarting(name, O_RDONLY, 0);
    if (folder < 0)
        return;
    flush_to_disk(folder);
    close(folder);
}

/* Writes the new file and renames it. Returns false and sets `error` on failure. */
static bool
write_and_rename(const saved_value *saved, const char *target, char *name, size_t capacity,
                 mode_t mode, pqt_error *error)
{
    const int descriptor = create_hidden(target, name, capacity, mode);
    if (descriptor < 0)
        return report_errno(error, "created");
    keep_mode(descriptor, target);
    if (!write_value(saved, descriptor, error)) {
        discard_file(descriptor, name);
        return false;
    }
    if (flush_to_disk(descriptor) != 0) {
        discard_file(descriptor, name);
        return report_errno(error, "flushed");
    }
    if (close(descriptor) != 0 || rename(name, target) != 0) {
        const int number = errno;
        unlink(name);
        errno = number;
        return report_errno(error, "renamed");
    }
    flush_folder(target, name);
    return true;
}

/* Replaces the file at `path`. Returns false and sets `error` on failure. */
static bool
replace_file(const saved_value *saved, const char *path, mode_t mode, pqt_error *error)
{
    char *real = realpath(path, NULL); /* NULL if the file does not exist yet */
    const char *target = real != NULL ? real : path;
    const size_t capacity = strlen(target) + NAME_SIZE;
    char *name = pqti_alloc_scratch(capacity, 1);
    bool written = false;
    if (name == NULL)
        pqti_out_of_memory(error);
    else
        written = write_and_rename(saved, target, name, capacity, mode, error);
    pqti_free_scratch(name);
    free(real);
    return written;
}

/* Writes to a device or a pipe. Returns false and sets `error` on failure. */
static bool
write_directly(const saved_value *saved, const char *path, pqt_error *error)
{
    const int descriptor = open_restarting(path, O_WRONLY, 0);
    if (descriptor < 0)
        return report_errno(error, "opened");
    if (!write_value(saved, descriptor, error)) {
        discard_file(descriptor, NULL);
        return false;
    }
    return close(descriptor) == 0 || report_errno(error, "written");
}

bool
pqti_save_value(const void *value, pqti_write_value_fn *write, const char *path, pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    const saved_value saved = {value, write};
    struct stat there;
    if (stat(path, &there) != 0)
        return replace_file(&saved, path, 0666, error);
    if (!S_ISREG(there.st_mode))
        return write_directly(&saved, path, error);
    if (access(path, W_OK) != 0)
        return report_errno(error, "written");
    return replace_file(&saved, path, there.st_mode & 0777, error);
}

/* ---- Reading ---- */

typedef struct file_input {
    int descriptor;
    bool failed; /* a read failed, and errno says why */
    size_t next, end;
    uint64_t taken; /* the number of bytes that the reader has received */
    char *buffer;   /* BUFFER_SIZE bytes in scratch memory */
} file_input;

/* Refills the buffer. Returns false on failure. At the end of the file the buffer stays empty. */
static bool
fill_buffer(file_input *input)
{
    ssize_t got;
    do
        got = read(input->descriptor, input->buffer, BUFFER_SIZE);
    while (got < 0 && errno == EINTR);
    input->failed = got < 0;
    input->next = 0;
    input->end = got > 0 ? (size_t)got : 0;
    return !input->failed;
}

static bool
read_from_file(void *bytes, size_t capacity, size_t *count, void *context)
{
    file_input *input = context;
    if (input->next == input->end && !fill_buffer(input))
        return false;
    const size_t rest = input->end - input->next;
    *count = rest < capacity ? rest : capacity;
    memcpy(bytes, input->buffer + input->next, *count);
    input->next += *count;
    input->taken += *count;
    return true;
}

/* Returns true if the file ends after the value. Otherwise sets the error, unless the file could
   not be read. */
static bool
ends_here(file_input *input, const char *noun, pqt_error *error)
{
    if (input->next == input->end && !fill_buffer(input))
        return false;
    if (input->next == input->end)
        return true;
    pqti_error_set(error, PQT_ERROR_FORMAT, (size_t)input->taken, "byte %llu: bytes follow the %s",
                   (unsigned long long)input->taken, noun);
    return false;
}

/* Reads a value from an open file. Returns false and sets `error` on failure. */
static bool
load_all(file_input *input, const char *noun, pqti_read_value_fn *read, void *value,
         pqt_error *error)
{
    pqt_error failure = {0};
    if (read(read_from_file, input, value, &failure) && ends_here(input, noun, &failure))
        return true;
    if (input->failed)
        return report_errno(error, "read");
    pqti_error_set(error, failure.status, failure.index, "%s", failure.text);
    return false;
}

bool
pqti_load_value(const char *path, const char *noun, pqti_read_value_fn *read, void *value,
                pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    file_input input = {.buffer = pqti_alloc_scratch(BUFFER_SIZE, 1)};
    if (input.buffer == NULL) {
        pqti_out_of_memory(error);
        return false;
    }
    input.descriptor = open_restarting(path, O_RDONLY, 0);
    const bool is_open = input.descriptor >= 0;
    const bool done =
        is_open ? load_all(&input, noun, read, value, error) : report_errno(error, "opened");
    if (is_open)
        discard_file(input.descriptor, NULL);
    pqti_free_scratch(input.buffer);
    return done;
}

/* ---- Versions ---- */

/* A version that is loaded. It must be on the stack, where the collector finds the version. */
typedef struct loaded_version {
    const pqti_kind_bytes *kind;
    pqt_memory *memory;
    const void *version;
} loaded_version;

static bool
read_version(pqt_read_fn *read, void *context, void *value, pqt_error *error)
{
    loaded_version *loaded = value;
    loaded->version = pqti_read_version(loaded->kind, read, context, loaded->memory, error);
    return loaded->version != NULL;
}

bool
pqt_version_save(const void *version, const char *path, pqt_error *error)
{
    PQT_ASSERT(path != NULL, "path is NULL");
    return pqti_check_version(version, error) &&
           pqti_save_value(version, pqt_version_write, path, error);
}

const void *
pqt_version_load(pqt_kind kind, const char *path, pqt_memory *memory, pqt_error *error)
{
    PQT_ASSERT(pqti_is_kind(kind), "the kind of the version is unknown");
    PQT_ASSERT(path != NULL, "path is NULL");
    loaded_version loaded = {pqti_bytes_to_read(kind, error), memory, NULL};
    return loaded.kind != NULL && pqti_load_value(path, "version", read_version, &loaded, error)
               ? loaded.version
               : NULL;
}
