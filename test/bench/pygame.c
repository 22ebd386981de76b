/* SPDX-License-Identifier: MIT */
/* pygame.c: runs pygame.mask in a Python process, which executes peer_pygame.py. */
#define _GNU_SOURCE 1
#include "pygame.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void
fail_sync(const char *what)
{
    fprintf(stderr, "bench: pygame: %s\n", what);
    exit(EXIT_FAILURE);
}

static bool
hear(pygame *p, char line[static 64])
{
    if (fgets(line, 64, p->from) == NULL)
        return false;
    line[strcspn(line, "\n")] = '\0';
    return true;
}

/* Writes a line and flushes it. Returns false if the process does not answer. */
static bool
prepare_diff(pygame *p, const char *line, char answer[static 64])
{
    fprintf(p->to, "%s\n", line);
    fflush(p->to);
    return hear(p, answer);
}

/* Called in the child: runs the script with the other ends of the two pipes. */
static void
become(const char *interpreter, const char *script, const int down[2], const int up[2])
{
    dup2(down[0], STDIN_FILENO);
    dup2(up[1], STDOUT_FILENO);
    close(down[1]);
    close(up[0]);
    execlp(interpreter, interpreter, script, (char *)NULL);
    _exit(EXIT_FAILURE);
}

pygame
pygame_start(const char *interpreter, const char *script)
{
    int down[2], up[2];
    pygame p = {.shared = tmpfile()};
    if (p.shared == NULL || pipe(down) != 0 || pipe(up) != 0)
        fail_sync("no pipes");
    fflush(stdout);
    p.process = fork();
    if (p.process == 0)
        become(interpreter, script, down, up);
    close(down[0]);
    close(up[1]);
    p.to = fdopen(down[1], "w");
    p.from = fdopen(up[0], "r");
    if (p.process < 0 || p.to == NULL || p.from == NULL)
        fail_sync("no process");
    if (!hear(&p, p.version) || strncmp(p.version, "pygame", 6) != 0) {
        pygame_end(&p);
        p.version[0] = '\0';
    }
    return p;
}

pygame
pygame_start_any(const char *script)
{
    const pygame p = pygame_start("python3", script);
    return p.version[0] != '\0' ? p : pygame_start("/usr/bin/python3", script);
}

void
pygame_end(pygame *p)
{
    fclose(p->to);
    fclose(p->from);
    fclose(p->shared);
    waitpid(p->process, NULL, 0);
}

void
pygame_picture(pygame *p, const char *name, const uint8_t *rgba, int side)
{
    char line[64], answer[64];
    const size_t size = 4 * (size_t)side * (size_t)side;
    rewind(p->shared);
    if (fwrite(rgba, 1, size, p->shared) != size || fflush(p->shared) != 0)
        fail_sync("a picture cannot be passed");
    snprintf(line, sizeof line, "picture %s %d %d", name, fileno(p->shared), side);
    if (!prepare_diff(p, line, answer) || strcmp(answer, "ok") != 0)
        fail_sync("a picture did not arrive");
}

pygame_answer
pygame_run(pygame *p, const char *line)
{
    char answer[64];
    pygame_answer a;
    if (!prepare_diff(p, line, answer) ||
        sscanf(answer, "%lf %" SCNu64, &a.nanoseconds, &a.value) != 2) {
        fprintf(stderr, "bench: pygame: %s\n", line);
        fail_sync("no answer");
    }
    return a;
}
