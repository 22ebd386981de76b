/* SPDX-License-Identifier: MIT */
/*
 * out.c - files that are there whole, or not at all.
 *
 * A file is written under another name in the same folder, and renamed when all of it is written.
 * Until then it is removed by whatever ends the program: a complaint, or one of the usual signals.
 * Devices, pipes and standard output cannot be renamed and are written directly.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tool/tool.h"

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
    size_t capacity = 0;
    char *copy = grown(NULL, &capacity, length + 1, 1);
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
    size_t capacity = 0;
    out->hidden = grown(NULL, &capacity, folder + 64, 1);
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        snprintf(out->hidden, capacity, "%.*s.pqt-%ld-%u.tmp", (int)folder, out->target,
                 (long)getpid(), attempt);
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

/*
 * The one way out when something is wrong.
 *
 * Scripts and editors read what stands here: one line, the place first, the offending value last,
 * in parentheses. Whatever the value holds, it stays one line and readable.
 */

enum { QUOTED_BYTES = 60 }; /* of a value: enough to find it again */

/* Whether the second byte may follow the first: no overlong forms, no surrogates, no controls. */
static bool
may_follow(unsigned char first, unsigned char second)
{
    unsigned char least = first == 0xe0 || first == 0xc2 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char greatest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return second >= least && second <= greatest;
}

/* Bytes of a character of UTF-8 that may be shown; 0: it is none. */
static size_t
character_length(const unsigned char *text, size_t rest)
{
    size_t length = text[0] < 0xc2 ? 1 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    if (text[0] < 0x20 || text[0] == 0x7f || text[0] > 0xf4 || length > rest)
        return 0;
    if (length == 1)
        return text[0] < 0x80 ? 1 : 0;
    for (size_t i = 2; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return may_follow(text[0], text[1]) ? length : 0;
}

/* Appends the next character of a text, or what stands for its next byte; returns how many bytes
   that was. */
static size_t
append_character(char *shown, size_t *used, const char *text, size_t rest)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = character_length(bytes, rest);
    memcpy(shown + *used, text, length);
    *used += length;
    if (length == 0)
        *used += (size_t)sprintf(shown + *used, "\\x%02x", bytes[0]);
    return length > 0 ? length : 1;
}

quotation
quote(const char *text, size_t length)
{
    quotation quoted = {""};
    size_t at = 0, used = 0;
    while (at < length && at < QUOTED_BYTES)
        at += append_character(quoted.text, &used, text + at, length - at);
    strcpy(quoted.text + used, at < length ? "..." : "");
    return quoted;
}

_Static_assert(QUOTED_BYTES * 4 + 4 <= sizeof(quotation), "a byte may become four characters");

quotation
quote_text(const char *text)
{
    return quote(text, text != NULL ? strlen(text) : 0);
}

/* A file's name is never cut: its end tells more than its beginning. */
static void
print_place(const char *file)
{
    size_t length = strlen(file);
    for (size_t at = 0; at < length;) {
        char shown[8];
        size_t used = 0;
        at += append_character(shown, &used, file + at, length - at);
        fwrite(shown, 1, used, stderr);
    }
    fputs(length == 0 ? "\"\":" : ":", stderr);
}

void
complain(const char *file, size_t line, const char *format, ...)
{
    va_list values;
    progress_end();
    output_discard();
    fputs("pqt: ", stderr);
    if (file != NULL)
        print_place(file);
    if (line > 0)
        fprintf(stderr, "%zu:", line);
    if (file != NULL)
        putc(' ', stderr);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    putc('\n', stderr);
    exit(STATUS_ERROR);
}

void
complain_error(const char *file, const pqt_error *error)
{
    complain(file, 0, "%s", error->text);
}

void *
grown(void *block, size_t *capacity, size_t needed, size_t size)
{
    if (block != NULL && needed <= *capacity)
        return block;
    size_t next = *capacity + *capacity / 2 + 64;
    if (next < needed)
        next = needed;
    void *larger = next <= SIZE_MAX / 2 / size ? realloc(block, next * size) : NULL;
    if (larger == NULL)
        complain(NULL, 0, "no memory (%zu times %zu bytes)", next, size);
    *capacity = next;
    return larger;
}

/*
 * A bar on standard error, for long work on a terminal.
 *
 * Nothing is shown in the first half second, and nothing ever where standard error is no terminal:
 * scripts see errors there, and nothing else.
 */

#define PATIENCE 0.5 /* seconds of work before a bar appears */
#define REDRAW 0.1   /* seconds between two looks of it */
enum { BAR_WIDTH = 30 };

/* The work that is going on; label NULL: none, or nobody watches. */
static struct {
    const char *label;
    uint64_t total;
    double due; /* when the bar is drawn next */
    bool is_drawn;
} work;

static double
now_in_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void
progress_begin(const char *label, uint64_t total)
{
    progress_end();
    if (!isatty(STDERR_FILENO))
        return;
    work.label = label;
    work.total = total;
    work.due = now_in_seconds() + PATIENCE;
}

static void
draw_bar(uint64_t done)
{
    char bar[BAR_WIDTH + 1];
    double share = done < work.total ? (double)done / (double)work.total : 1;
    for (int i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < share * BAR_WIDTH ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r%s [%s] %3.0f %%", work.label, bar, share * 100);
}

void
progress_at(uint64_t done)
{
    if (work.label == NULL)
        return;
    double now = now_in_seconds();
    if (now < work.due)
        return;
    work.due = now + REDRAW;
    work.is_drawn = true;
    if (work.total > 0)
        draw_bar(done);
    else
        fprintf(stderr, "\r%s %s", work.label, grouped(done).text);
    fflush(stderr);
}

void
progress_end(void)
{
    if (work.is_drawn)
        fputs("\r\033[K", stderr);
    work.is_drawn = false;
    work.label = NULL;
}

digits
grouped(uint64_t number)
{
    digits plain, out;
    int length = snprintf(plain.text, sizeof plain.text, "%" PRIu64, number);
    size_t used = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out.text[used++] = ',';
        out.text[used++] = plain.text[i];
    }
    out.text[used] = '\0';
    return out;
}
