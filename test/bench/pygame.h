/* SPDX-License-Identifier: MIT */
/* pygame.h: pygame.mask, in a Python process that peer_pygame.py is. */
#ifndef BENCH_PYGAME_H
#define BENCH_PYGAME_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct pygame {
    FILE *to, *from, *shared; /* `shared` has no name, and takes pictures across */
    pid_t process;
    char version
        [64]; /* "pygame 2.1.2"; empty where there is none: then nothing else is to be called */
} pygame;

/* Starts an interpreter on peer_pygame.py. */
pygame pygame_start(const char *interpreter, const char *script);

/* Python 3, or the system's where the first has no pygame. */
pygame pygame_start_any(const char *script);
void pygame_end(pygame *p);

/* Hands over a square picture of RGBA, under a name of one word. What goes wrong ends the
   program. */
void pygame_picture(pygame *p, const char *name, const uint8_t *rgba, int side);

/* What a task came to, and its nanoseconds. The line names the task and what it needs. */
typedef struct pygame_answer {
    double nanoseconds;
    uint64_t value;
} pygame_answer;
pygame_answer pygame_run(pygame *p, const char *line);

#endif
