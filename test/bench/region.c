/* SPDX-License-Identifier: MIT */
/*
 * region.c: the region benchmark, which compares pqt with pygame.mask and a flat bitmap
 * (flat_bitmap.h) in one run.
 *
 * Contestants take turns. Before a time is printed, the pixels of the results are counted and
 * compared. In a task named "kept", each change makes a version that is kept. To keep a version,
 * pygame's mask and the bitmap are copied. The times of pygame include its Python calls, which take
 * about 100 ns each, because its users pay for them, too.
 */
#define _GNU_SOURCE 1

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pqt.h>
#include <pqt/pixels.h>

#include "pygame.h"
#include "region_tasks.h"

enum { MOST_SIDES = 8, MOST_REPEATS = 99, EXIT_USAGE = 2 };

#define LEAST_TIME 2e6 /* the minimum time of a run of pqt, in nanoseconds */

typedef struct choices {
    int sides[MOST_SIDES], side_count, repeats;
    const char *interpreter, *script;
} choices;

/* The result of a run. */
typedef struct result {
    double nanoseconds; /* the time of one round */
    uint64_t pixels;    /* the number of pixels of the last result */
} result;

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Repeats the task until it takes enough time to be measured. */
static result
run_region(const chore *task, const subject *s, int rounds)
{
    const pqt_region *region = NULL;
    double spent = 0;
    int64_t done = 0;
    for (const double begin = now(); spent < LEAST_TIME; spent = now() - begin) {
        region = chore_of_region(task, s, rounds);
        done += rounds;
    }
    return (result){spent / (double)done, pqt_region_count(region)};
}

static result
run_flat(const chore *task, const subject *s, int rounds)
{
    const double begin = now();
    flat map = chore_of_flat(task, s, rounds);
    const double spent = now() - begin;
    const result r = {spent / rounds, flat_count(&map)};
    flat_free(&map);
    return r;
}

static result
run_pygame(pygame *p, const chore *task, int rounds)
{
    char line[64];
    snprintf(line, sizeof line, "%s p %d", task->name, rounds);
    const pygame_answer a = pygame_run(p, line);
    return (result){a.nanoseconds / rounds, a.value};
}

/* ---- figures ---- */

typedef enum contestant { PQT, FLAT, PYGAME, CONTESTANTS } contestant;

static int
compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double
median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[(count - 1) / 2];
}

static void
print_peer(double peer, double own)
{
    const double ratio = peer / own;
    printf("  %12.0f %8.2f %-4s", peer, ratio, ratio < 0.995 ? "LOSS" : "");
}

static void
print_figures(double times[CONTESTANTS][MOST_REPEATS], const chore *task, const subject *s,
              int repeats, bool has_pygame)
{
    const double own = median(times[PQT], repeats);
    printf("%-13s %-8s %5d %12.0f", task->name, s->shape, s->side, own);
    print_peer(median(times[FLAT], repeats), own);
    if (has_pygame)
        print_peer(median(times[PYGAME], repeats), own);
    printf("\n");
    fflush(stdout);
}

/* Ends the program if answers differ. */
static void
measure(pygame *p, const chore *task, const subject *s, int repeats)
{
    double times[CONTESTANTS][MOST_REPEATS];
    const int rounds = chore_rounds(task, s->side);
    for (int i = 0; i < repeats; i++) {
        const result own = run_region(task, s, rounds), map = run_flat(task, s, rounds);
        const result game = p->version[0] != '\0' ? run_pygame(p, task, rounds) : own;
        if (own.pixels != map.pixels || own.pixels != game.pixels) {
            fprintf(stderr,
                    "bench: region: %s %s %d: answers differ: %" PRIu64 ", %" PRIu64 ", %" PRIu64
                    "\n",
                    task->name, s->shape, s->side, own.pixels, map.pixels, game.pixels);
            exit(EXIT_FAILURE);
        }
        times[PQT][i] = own.nanoseconds;
        times[FLAT][i] = map.nanoseconds;
        times[PYGAME][i] = game.nanoseconds;
    }
    print_figures(times, task, s, repeats, p->version[0] != '\0');
}

static pqt_memory *
memory_for_a_picture(void)
{
    pqt_error error = {0};
    pqt_memory *arena = pqt_collector() == NULL ? pqt_arena_make(0, &error) : NULL;
    if (error.status != PQT_OK) {
        fprintf(stderr, "bench: region: %s\n", error.text);
        exit(EXIT_FAILURE);
    }
    return arena;
}

static void
measure_shape(pygame *p, int shape, int side, int repeats)
{
    pqt_memory *arena = memory_for_a_picture();
    subject s = subject_make(shape, side, arena);
    if (p->version[0] != '\0')
        pygame_picture(p, "p", s.rgba, side);
    for (int i = 0; i < CHORES; i++)
        measure(p, &chores[i], &s, repeats);
    chores_forget();
    subject_free(&s);
    pqt_arena_destroy(&arena);
}

static void
print_head(const pygame *p, int repeats)
{
    printf(
        "\nRegions: process CPU time of one round in ns, median of %d runs in turn. Ratio: peer / "
        "pqt;\nbelow 1, pqt loses. flat: words of 64 pixels, in place, versions are copies.\n",
        repeats);
    printf("%s\n", p->version[0] != '\0' ? p->version
                                         : "pygame.mask: not there (python3-pygame), and left out");
    for (int i = 0; i < CHORES; i++)
        printf("  %-13s %s\n", chores[i].name, chores[i].what);
    printf("\n%-13s %-8s %5s %12s  %12s %8s %-4s", "task", "shape", "side", "pqt", "flat", "ratio",
           "");
    if (p->version[0] != '\0')
        printf("  %12s %8s", "pygame", "ratio");
    printf("\n");
}

/* ---- options ---- */

static const char help[] =
    "Usage: region [OPTION...]\n"
    "Compares regions with pygame.mask, if it is installed, and a flat bitmap.\n"
    "\n"
    "  --side COUNT,...     sides of the pictures, 64 to 8192, 8 at most (64,1024,4096)\n"
    "  --repeat COUNT       runs of which the median is taken, 1 to 99 (3)\n"
    "  --python PROGRAM     the interpreter that has pygame (python3, else /usr/bin/python3)\n"
    "  --script FILE        peer_pygame.py; without it, pygame is left out\n"
    "  --help               this\n"
    "\n"
    "Exit status: 0; 1 if a run failed or answers differ; 2 for a wrong option.\n";

static int
number_of(const char *option, const char *text, int least, int most)
{
    char *end;
    const long number = strtol(text, &end, 10);
    if (end == text || (*end != '\0' && *end != ',') || number < least || number > most) {
        fprintf(stderr, "region: --%s: %s is not a choice; see region --help\n", option, text);
        exit(EXIT_USAGE);
    }
    return (int)number;
}

static void
read_sides(choices *c, const char *text)
{
    c->side_count = 0;
    for (const char *at = text; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (c->side_count == MOST_SIDES)
            number_of("side", text, 1, 0);
        c->sides[c->side_count++] = number_of("side", at, 64, 8192);
    }
}

static choices
read_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"side", required_argument, NULL, 's'},   {"repeat", required_argument, NULL, 'r'},
        {"python", required_argument, NULL, 'p'}, {"script", required_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    choices c = {.sides = {64, 1024, 4096}, .side_count = 3, .repeats = 3};
    int letter;
    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (letter == 's') {
            read_sides(&c, optarg);
        } else if (letter == 'r') {
            c.repeats = number_of("repeat", optarg, 1, MOST_REPEATS);
        } else if (letter == 'p') {
            c.interpreter = optarg;
        } else if (letter == 'f') {
            c.script = optarg;
        } else {
            fputs(letter == 'h' ? help : "Try region --help.\n", letter == 'h' ? stdout : stderr);
            exit(letter == 'h' ? EXIT_SUCCESS : EXIT_USAGE);
        }
    }
    return c;
}

static pygame
pygame_of(const choices *c)
{
    pygame p = {.version = ""};
    if (c->script == NULL)
        return p;
    if (c->interpreter != NULL)
        return pygame_start(c->interpreter, c->script);
    return pygame_start_any(c->script);
}

int
main(int argc, char **argv)
{
    const choices c = read_options(argc, argv);
    pqt_error error = {0};
    if (!pqt_init(&error)) {
        fprintf(stderr, "region: %s\n", error.text);
        return EXIT_FAILURE;
    }
    pygame p = pygame_of(&c);
    print_head(&p, c.repeats);
    for (int i = 0; i < c.side_count; i++)
        for (int shape = 0; shape < SHAPES; shape++)
            measure_shape(&p, shape, c.sides[i], c.repeats);
    if (p.version[0] != '\0')
        pygame_end(&p);
    return EXIT_SUCCESS;
}
