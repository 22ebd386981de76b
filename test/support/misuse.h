/* SPDX-License-Identifier: MIT */
/*
 * misuse.h: tests of misuse, which PQT_ASSERT detects.
 *
 * Such a test ends its process with SIGABRT. It is omitted if that would end all tests
 * (CK_FORK=no), and if assertions are compiled out (NDEBUG).
 */
#ifndef TEST_MISUSE_H
#define TEST_MISUSE_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "suite.h"

static inline bool
misuse_can_be_tested(void)
{
#ifdef NDEBUG
    return false;
#else
    const char *fork = getenv("CK_FORK");
    return fork == NULL || strcmp(fork, "no") != 0;
#endif
}

enum { MISUSE_TEXT = 4000 }; /* AddressSanitizer may print warnings before the message */

/*
 * Calls `mistake` in a child process. Returns true if SIGABRT ended the child. `text` receives its
 * standard error.
 */
static inline bool
misuse_aborts(void (*mistake)(void *context), void *context, char text[MISUSE_TEXT])
{
    int ends[2], status = 0;
    size_t length = 0;
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        (void)!freopen("/dev/null", "w", stdout);
        mistake(context);
        _exit(EXIT_SUCCESS);
    }
    close(ends[1]);
    for (ssize_t more; (more = read(ends[0], text + length, MISUSE_TEXT - 1 - length)) > 0;)
        length += (size_t)more;
    text[length] = '\0';
    close(ends[0]);
    ck_assert(child > 0 && waitpid(child, &status, 0) == child);
    const bool aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    if (!aborted)
        printf("# the child ended with status %d, signal %d: %s\n", WEXITSTATUS(status),
               WIFSIGNALED(status) ? WTERMSIG(status) : 0, text);
    return aborted;
}

static inline void
tcase_add_misuse_test(TCase *tcase, const TTest *test)
{
    if (misuse_can_be_tested())
        tcase_add_test_raise_signal(tcase, test, SIGABRT);
}

#endif
