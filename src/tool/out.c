/* SPDX-License-Identifier: MIT */
/*
 * out.c: writes output files, which are replaced completely or not at all; prints error messages;
 * shows the progress bar.
 *
 * A file is written under a temporary name in the same folder, flushed to the disk, and renamed
 * when it is complete. Then the folder is flushed, too. pqt_tree_save does the same (pqt/bytes.h).
 * If an error or one of the usual signals ends the program before the file is renamed, the
 * temporary file is removed. Devices, pipes and standard output cannot be renamed, so they are
 * written directly.
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
    watch_signals();
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

/*
 * ---- Error messages ----
 *
 * Scripts and editors parse these messages. Each is one line, with the position first and the
 * offending value last, in parentheses. Whatever the value contains, the message remains one
 * readable line.
 */

enum { QUOTED_BYTES = 60 }; /* the number of quoted bytes of a value: enough to recognise it */

/* Returns true if the second byte of a character may follow the first one. Rejects overlong forms,
   surrogates and control characters. */
static bool
may_follow(unsigned char first, unsigned char second)
{
    unsigned char least = first == 0xe0 || first == 0xc2 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char greatest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return second >= least && second <= greatest;
}

/* Returns the length in bytes of a printable UTF-8 character, or 0 if the string does not begin
   with one. */
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

/* Appends the next character of a string, or an escape for its next byte. Returns the number of
   bytes consumed. */
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

_Static_assert(QUOTED_BYTES * 4 + 4 <= sizeof(quotation),
               "a byte can become four characters, which do not fit");

bool
line_is_named(const char *name)
{
    return strncmp(name, "postgresql://", 13) == 0 || strncmp(name, "postgres://", 11) == 0;
}

/* Returns true if a # is in a password: the password begins before it, and ends after it. */
static bool
is_in_password(const char *address, const char *sign)
{
    const char *user = strstr(address, "//") + 2;
    return user + strcspn(user, "@/#") == sign &&
           memchr(user, ':', (size_t)(sign - user)) != NULL && strchr(sign, '@') != NULL;
}

/* Returns the part of a string that may be shown. For the address of a line, this is the name of
   the line. */
const char *
public_part(const char *text)
{
    const char *sign = line_is_named(text) ? strrchr(text, '#') : text;
    if (sign == NULL || (sign != text && is_in_password(text, sign)))
        return "postgresql://...";
    return sign;
}

quotation
quote_text(const char *text)
{
    const char *shown = text != NULL ? public_part(text) : "";
    return quote(shown, strlen(shown));
}

/* Prints a file name completely, because its end usually says more than its beginning. */
static void
print_file_name(const char *file)
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
die(const char *file, size_t line, const char *format, ...)
{
    va_list values;
    progress_end();
    output_discard();
    fputs("pqt: ", stderr);
    if (file != NULL)
        print_file_name(public_part(file));
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
die_error(const char *file, const pqt_error *error)
{
    die(file, 0, "%s", error->text);
}

void *
xgrow(void *block, size_t *capacity, size_t needed, size_t size)
{
    if (block != NULL && needed <= *capacity)
        return block;
    size_t next = *capacity + *capacity / 2 + 64;
    if (next < needed)
        next = needed;
    void *larger = next <= SIZE_MAX / 2 / size ? realloc(block, next * size) : NULL;
    if (larger == NULL)
        die(NULL, 0, "out of memory (%zu times %zu bytes)", next, size);
    *capacity = next;
    return larger;
}

/*
 * ---- Progress bar on standard error ----
 *
 * The bar appears only after half a second, and never if standard error is not a terminal: scripts
 * see only errors there.
 */

#define DELAY 0.5  /* the delay before the bar appears, in seconds */
#define REDRAW 0.1 /* the time between updates, in seconds */
enum { BAR_WIDTH = 30 };

/* The current work. `label` is NULL if there is none, or if standard error is not a terminal. */
static struct {
    const char *label;
    uint64_t total;
    double due; /* the time of the next update */
    bool is_drawn;
} progress;

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
    progress.label = label;
    progress.total = total;
    progress.due = now_in_seconds() + DELAY;
}

static void
draw_bar(uint64_t done)
{
    char bar[BAR_WIDTH + 1];
    double share = done < progress.total ? (double)done / (double)progress.total : 1;
    for (int i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < share * BAR_WIDTH ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r%s [%s] %3.0f %%", progress.label, bar, share * 100);
}

void
progress_at(uint64_t done)
{
    if (progress.label == NULL)
        return;
    double now = now_in_seconds();
    if (now < progress.due)
        return;
    progress.due = now + REDRAW;
    progress.is_drawn = true;
    if (progress.total > 0)
        draw_bar(done);
    else
        fprintf(stderr, "\r%s %s", progress.label, grouped(done).text);
    fflush(stderr);
}

void
progress_end(void)
{
    if (progress.is_drawn)
        fputs("\r\033[K", stderr);
    progress.is_drawn = false;
    progress.label = NULL;
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
