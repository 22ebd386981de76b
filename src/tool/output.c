/* SPDX-License-Identifier: MIT */
/*
 * output.c - files that are there whole, or not at all.
 *
 * A file is written under another name in the same folder, and renamed when all of it is written.
 * Until then it is removed by whatever ends the program: a complaint, or one of the usual signals.
 * Devices, pipes and standard output cannot be renamed and are written directly.
 */
#include "config.h"

#include "tool/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_OUTPUTS = 2 }; /* of a command: lines and a picture */

typedef struct output {
    FILE *stream;
    char *name;   /* as the user gave it, for complaints */
    char *target; /* what it is renamed to: a symbolic link stays, its target is replaced */
    char *hidden; /* what it is called until then; NULL: it is written directly */
    volatile sig_atomic_t hidden_exists; /* so that a signal knows what to remove */
} output;

static output outputs[MOST_OUTPUTS];
static size_t output_count; /* how many are open */

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP};

static void
remove_and_die(int number)
{
    for (size_t i = 0; i < MOST_OUTPUTS; i++)
        if (outputs[i].hidden_exists)
            unlink(outputs[i].hidden);
    signal(number, SIG_DFL);
    raise(number);
}

static void
watch_signals(void)
{
    struct sigaction before, action = {.sa_handler = remove_and_die};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++)
        if (sigaction(deadly[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(deadly[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit: let the write fail instead */
}

static _Noreturn void
cannot_be_written(const char *file, int why)
{
    complain(file, 0, "cannot be written (%s)", strerror(why));
}

static char *
copied(const char *text, size_t length)
{
    size_t room = 0;
    char *copy = grown(NULL, &room, length + 1, 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* Creates a file of a new name in the folder of the target, with the target's permissions. */
static int
create_hidden(output *out, mode_t mode)
{
    const char *slash = strrchr(out->target, '/');
    size_t folder = slash != NULL ? (size_t)(slash - out->target) + 1 : 0;
    size_t room = 0;
    out->hidden = grown(NULL, &room, folder + 64, 1);
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        snprintf(out->hidden, room, "%.*s.pqt-%ld-%u.tmp", (int)folder, out->target, (long)getpid(),
                 attempt);
        int descriptor = open(out->hidden, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

/* A file of its own, or one that exists and will be replaced. */
static FILE *
open_hidden(output *out, mode_t mode)
{
    char *real = realpath(out->name, NULL);
    out->target = real != NULL ? real : copied(out->name, strlen(out->name));
    watch_signals();
    int descriptor = create_hidden(out, mode);
    if (descriptor < 0)
        return NULL;
    out->hidden_exists = 1;
    return fdopen(descriptor, "wb");
}

FILE *
output_open(const char *file)
{
    struct stat there;
    output *out = &outputs[output_count++];
    out->name = copied(file, strlen(file));
    if (strcmp(file, "-") == 0)
        return out->stream = stdout;
    if (stat(file, &there) != 0)
        out->stream = open_hidden(out, 0666);
    else if (!S_ISREG(there.st_mode))
        out->stream = fopen(file, "wb");
    else if (access(file, W_OK) == 0)
        out->stream = open_hidden(out, there.st_mode & 0777);
    if (out->stream == NULL)
        cannot_be_written(file, errno);
    return out->stream;
}

static void
finish_stream(output *out)
{
    if (out->stream == stdout) {
        finish_standard_output();
        return;
    }
    bool written = fflush(out->stream) == 0 && !ferror(out->stream);
    int why = errno;
    if (fclose(out->stream) != 0 && written) {
        why = errno;
        written = false;
    }
    if (!written)
        cannot_be_written(out->name, why);
}

static void
give_name(output *out)
{
    if (out->hidden_exists && rename(out->hidden, out->target) != 0)
        cannot_be_written(out->name, errno);
    out->hidden_exists = 0;
    free(out->name);
    free(out->target);
    free(out->hidden);
    memset(out, 0, sizeof *out);
}

/* None is given its name before all are written. */
void
output_close(void)
{
    for (size_t i = 0; i < output_count; i++)
        finish_stream(&outputs[i]);
    for (size_t i = 0; i < output_count; i++)
        give_name(&outputs[i]);
    output_count = 0;
}

void
output_discard(void)
{
    for (size_t i = 0; i < output_count; i++) {
        if (outputs[i].hidden_exists)
            unlink(outputs[i].hidden);
        outputs[i].hidden_exists = 0;
    }
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
        cannot_be_written("standard output", why);
}

/* Whether two names stand for one file that exists; two may share a device. */
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
        complain(file, 0, "output is the input itself (%s)", quote_text(input).text);
}

void
output_guard_twin(const char *option, const char *file, const char *svg)
{
    if (file == NULL || svg == NULL)
        return;
    if (strcmp(file, svg) == 0 || is_same_file(file, svg))
        complain(file, 0, "output is named twice (%s and --svg)", option);
}

void
input_guard(const char *file, const char *other)
{
    if (other != NULL && strcmp(file, "-") == 0 && strcmp(other, "-") == 0)
        complain(NULL, 0, "standard input is named twice (-)");
}
