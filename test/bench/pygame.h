/* SPDX-License-Identifier: MIT */
/* pygame.h: runs pygame.mask in a Python process, which executes peer_pygame.py. */
#ifndef BENCH_PYGAME_H
#define BENCH_PYGAME_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct pygame {
    FILE *to, *from, *shared; /* `shared` is an unnamed file for passing pictures */
    pid_t process;
    /* The name and version, such as "pygame 2.1.2". If it is empty, pygame is not installed: call
       no other function. */
    char version[64];
} pygame;

/* Starts an interpreter that runs peer_pygame.py. */
pygame pygame_start(const char *interpreter, const char *script);

/* Starts python3, or the system's Python if the first one has no pygame. */
pygame pygame_start_any(const char *script);
void pygame_end(pygame *p);

/* Passes a square RGBA picture, and gives it a one-word name. Ends the program on failure. */
void pygame_picture(pygame *p, const char *name, const uint8_t *rgba, int side);

/* The result of a task, and its time. */
typedef struct pygame_answer {
    double nanoseconds;
    uint64_t value;
} pygame_answer;
pygame_answer pygame_run(pygame *p, const char *line);

#endif
