/* SPDX-License-Identifier: MIT */
/*
 * out.c: writes output files, which are replaced completely or not at all.
 *
 * A file is written under a temporary name in the same folder, flushed to the disk, and renamed
 * when it is complete. Then the folder is flushed, too. pqt_tree_save does the same (pqt/bytes.h).
 * If an error or one of the usual signals ends the program before the file is renamed, the
 * temporary file is removed. Devices, pipes and standard output cannot be renamed, so they are
 * written directly.
 */
#include "config.h"

#include "tool/out.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pqt.h>
#include <pqt/stores.h>

#include "tool/message.h"
#include "tool/tool_memory.h"

enum { MOST_OUTPUTS = 3 }; /* the largest number of outputs: rows, a picture and a plot */

typedef struct output {
    FILE *stream;
    char *name;   /* the name that the user gave, for messages */
    char *target; /* the final name, in which symbolic links are resolved, so that the target of a
                     link is replaced */
    char *hidden; /* the temporary name; NULL: the output is written directly */
    volatile sig_atomic_t hidden_exists; /* the signal handler must remove the temporary file */
} output;

static output outputs[MOST_OUTPUTS];
static size_t output_count; /* the number of open outputs */

static const int fatal_signals[] = {SIGINT, SIGTERM, SIGHUP};

static void
remove_hidden(void)
{
    for (size_t i = 0; i < MOST_OUTPUTS; i++)
        if (outputs[i].hidden_exists)
            unlink(outputs[i].hidden);
}

static void
remove_and_die(int number)
{
    remove_hidden();
    signal(number, SIG_DFL);
    raise(number);
}

/* Makes the program remove the temporary files if it ends before they are renamed. */
static void
watch_end(void)
{
    static bool is_watched = false;
    struct sigaction before, action = {.sa_handler = remove_and_die};
    if (is_watched)
        return;
    is_watched = true;
    if (atexit(remove_hidden) != 0)
        die(NULL, 0, "out of memory (files)");
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof fatal_signals / sizeof fatal_signals[0]; i++)
        if (sigaction(fatal_signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(fatal_signals[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit on file sizes then fails instead */
}

static _Noreturn void
die_unwritable(const char *file, int why)
{
    die(file, 0, "cannot be written (%s)", strerror(why));
}

static char *
copy_text(const char *text, size_t length)
{
    size_t capacity = 0;
    char *copy = xgrow(NULL, &capacity, length + 1, 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* Creates a file with a new name in the folder of the target. The file gets the permissions of the
   target. */
static int
create_hidden(output *out, mode_t mode)
{
    const char *slash = strrchr(out->target, '/');
    size_t folder = slash != NULL ? (size_t)(slash - out->target) + 1 : 0;
    size_t capacity = 0;
    out->hidden = xgrow(NULL, &capacity, folder + 64, 1);
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        snprintf(out->hidden, capacity, "%.*s.pqt-%ld-%u.tmp", (int)folder, out->target,
                 (long)getpid(), attempt);
        int descriptor = open(out->hidden, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

/* Opens a temporary file for an output, whether or not the target exists. */
static FILE *
open_hidden(output *out, mode_t mode)
{
    char *resolved = realpath(out->name, NULL);
    out->target = resolved != NULL ? resolved : copy_text(out->name, strlen(out->name));
    watch_end();
    int descriptor = create_hidden(out, mode);
    if (descriptor < 0)
        return NULL;
    out->hidden_exists = 1;
    if (resolved != NULL)
        (void)fchmod(descriptor, mode); /* not every file system has permissions of files */
    return fdopen(descriptor, "wb");
}

/* Returns true if the file of a store has another one with this name: its lock, its log or its
   journal. */
static bool
is_side_file(const char *file)
{
    static const char *const suffixes[] = {"-writer", "-wal", "-shm", "-journal"};
    const size_t length = strlen(file);
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        const size_t ending = strlen(suffixes[i]);
        if (length <= ending || strcmp(file + length - ending, suffixes[i]) != 0)
            continue;
        char *store = copy_text(file, length - ending);
        const bool is_store = pqt_is_store_file(store);
        free(store);
        return is_store;
    }
    return false;
}

void
output_check_name(const char *file, const char *format)
{
    static const char *const endings[] = {".csv", ".geojson", ".gif", ".jpeg", ".jpg", ".json",
                                          ".pdf", ".png",     ".pqt", ".pqts", ".svg", ".webp"};
    const char *ending = strrchr(file, '.');
    if (strcmp(file, "-") == 0)
        return;
    if (pqt_is_store_file(file))
        die(file, 0, "the output would replace a store (pqt save adds to one)");
    if (is_side_file(file))
        die(file, 0, "the output would replace a file that belongs to a store");
    if (format == NULL || ending == NULL || strcasecmp(ending + 1, format) == 0)
        return;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (strcasecmp(ending, endings[i]) == 0)
            die(file, 0, "the output is %s, but its name has another ending (%s)", format, ending);
}

FILE *
output_open(const char *file, const char *format)
{
    struct stat status;
    output_check_name(file, format);
    output *out = &outputs[output_count++];
    out->name = copy_text(file, strlen(file));
    if (strcmp(file, "-") == 0)
        return out->stream = stdout;
    if (stat(file, &status) != 0)
        out->stream = open_hidden(out, 0666);
    else if (!S_ISREG(status.st_mode))
        out->stream = fopen(file, "wb");
    else if (access(file, W_OK) == 0)
        out->stream = open_hidden(out, status.st_mode & 0777);
    if (out->stream == NULL)
        die_unwritable(file, errno);
    return out->stream;
}

/* Flushes a file to the disk. Returns true if it succeeded. */
static bool
sync_descriptor(int descriptor)
{
    int result;
    do
        result = fsync(descriptor);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

/* Flushes a folder, so that a rename in it survives a crash. The file has already been renamed, so
   it is not an error if the folder cannot be flushed. */
static void
sync_folder(const char *target)
{
    const char *slash = strrchr(target, '/');
    char *name =
        slash != NULL ? copy_text(target, (size_t)(slash - target) + 1) : copy_text(".", 1);
    const int folder = open(name, O_RDONLY | O_CLOEXEC);
    if (folder >= 0) {
        sync_descriptor(folder);
        close(folder);
    }
    free(name);
}

static void
finish_stream(output *out)
{
    if (out->stream == stdout) {
        finish_standard_output();
        return;
    }
    bool written = fflush(out->stream) == 0 && !ferror(out->stream) &&
                   (!out->hidden_exists || sync_descriptor(fileno(out->stream)));
    int why = errno;
    if (fclose(out->stream) != 0 && written) {
        why = errno;
        written = false;
    }
    if (!written)
        die_unwritable(out->name, why);
}

static void
rename_output(output *out)
{
    if (out->hidden_exists && rename(out->hidden, out->target) != 0)
        die_unwritable(out->name, errno);
    const bool is_renamed = out->hidden_exists != 0;
    out->hidden_exists = 0;
    if (is_renamed)
        sync_folder(out->target);
    free(out->name);
    free(out->target);
    free(out->hidden);
    memset(out, 0, sizeof *out);
}

/* Completes all outputs. All files are written completely before the first one is renamed. */
void
output_close(void)
{
    for (size_t i = 0; i < output_count; i++)
        finish_stream(&outputs[i]);
    for (size_t i = 0; i < output_count; i++)
        rename_output(&outputs[i]);
    output_count = 0;
}

void
finish_standard_output(void)
{
    bool written = fflush(stdout) == 0 && !ferror(stdout);
    int why = errno;
    if (fclose(stdout) != 0 && written) {
        why = errno;
        written = false;
    }
    if (!written)
        die_unwritable("standard output", why);
}

/* Returns true if two names refer to the same existing regular file. Two outputs may go to the same
   device. */
static bool
is_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino && S_ISREG(first.st_mode);
}

void
output_guard(const char *file, const char *input)
{
    if (is_same_file(input, file))
        die(file, 0, "output is also an input (%s)", quote_text(input).text);
}

void
output_guard_twin(const char *option, const char *file, const char *other_option, const char *other)
{
    if (file == NULL || other == NULL)
        return;
    if (strcmp(file, other) == 0 || is_same_file(file, other))
        die(file, 0, "output is named twice (%s and %s)", option, other_option);
}

void
input_guard(const char *file, const char *other)
{
    if (other != NULL && strcmp(file, "-") == 0 && strcmp(other, "-") == 0)
        die(NULL, 0, "standard input is named twice (-)");
}
