/* SPDX-License-Identifier: MIT */
/*
 * error_trace.c: logs the call stack of each error that the library sets in a test.
 *
 * test/measure_errors links it with --wrap=pqti_error_set. Each line of the file that PQT_ERROR_LOG
 * names contains the name of the test, the status as a number, and the return addresses from the
 * innermost call outwards, relative to the start of the program.
 */
#include "config.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error_internal.h"

enum { FRAMES = 48, SEEN = 1 << 14 };

/* Weak, because a test program without suite.c does not define it. */
extern const char *running_test __attribute__((weak));
extern const char __executable_start;

void __real_pqti_error_set(pqt_error *error, pqt_status status, size_t index, const char *format,
                           ...);
void __wrap_pqti_error_set(pqt_error *error, pqt_status status, size_t index, const char *format,
                           ...);

/* Returns true if this stack is new in this process. Stacks with equal hashes count as one. */
static bool
is_new(void *const *frames, int count, uint64_t hash)
{
    static uint64_t seen[SEEN];
    for (int i = 0; i < count; i++)
        hash = (hash ^ (uintptr_t)frames[i]) * 0x9e3779b97f4a7c15;
    uint64_t *slot = &seen[hash >> 50];
    if (*slot == hash)
        return false;
    *slot = hash;
    return true;
}

/* Returns the name of the test, or of the test program before its first test. */
static const char *
test_name(void)
{
    const bool known = &running_test != NULL && strchr(running_test, ' ') == NULL;
    return known ? running_test : program_invocation_short_name;
}

static void
log_stack(pqt_status status)
{
    const char *path = getenv("PQT_ERROR_LOG");
    void *frames[FRAMES];
    const int count = backtrace(frames, FRAMES);
    if (path == NULL || !is_new(frames, count, (uint64_t)status))
        return;
    char line[4096];
    int length = snprintf(line, sizeof line, "%s %d", test_name(), (int)status);
    for (int i = 1; i < count && length < (int)sizeof line - 32; i++)
        length += snprintf(line + length, 32, " %zu",
                           (size_t)((const char *)frames[i] - &__executable_start - 1));
    line[length++] = '\n';
    const int file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0666);
    if (file < 0 || write(file, line, (size_t)length) != length)
        abort();
    close(file);
}

void
__wrap_pqti_error_set(pqt_error *error, pqt_status status, size_t index, const char *format, ...)
{
    if (error == NULL || error->status != PQT_OK)
        return;
    const int number = errno;
    log_stack(status);
    errno = number;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    __real_pqti_error_set(error, status, index, "%s", text);
}
