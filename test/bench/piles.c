/* SPDX-License-Identifier: MIT */
/*
 * piles.c: the part of the world benchmark in which balls fall into a bin and settle.
 *
 * The balls of a pile have nearly the same size, those of a mixed pile have radii from 1 to 4, and
 * the rows of a pyramid touch each other. After SETTLING steps, a contestant is at rest if two
 * conditions hold: no ball is outside the bin by more than a fifth of its radius, and the mean
 * kinetic energy is less than a ball gains by falling a hundredth of its radius. Only then is its
 * time at rest measured. Each contestant runs twice, without and with sleep.
 */
#include "piles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "random.h"

enum { SETTLING = 1000, RESTING = 100, MOST_RUNS = 99 };

#define GRAVITY 100.0
#define RADIUS 4.0
#define CELL 8.1

typedef struct pile_outcome {
    double settling[MOST_RUNS];   /* the time of a step without sleep, in ms */
    double resting[2][MOST_RUNS]; /* the time of a step at rest without and with sleep, in ms */
    bool rests[2];
    double energy; /* the mean energy without sleep, divided by GRAVITY * mass * radius */
    double depth;  /* the depth in walls without sleep, as a fraction of the radius */
} pile_outcome;

typedef struct pile {
    const char *name;
    flying_ball *balls, *after;
    size_t count;
    ball_setting setting;
} pile;

static void *
room(size_t count, size_t size)
{
    void *block = calloc(count, size);
    if (block == NULL) {
        fputs("world: no memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return block;
}

/* ---- Scenes ---- */

/* Places each ball in its own cell. */
static void
fill_cells(pile *p, double least_radius)
{
    const size_t across = (size_t)ceil(sqrt((double)p->count));
    dice d = {42};
    p->setting.size = (pqt_vec){(double)across * CELL, (double)across * CELL};
    for (size_t i = 0; i < p->count; i++) {
        const double radius = least_radius + (RADIUS - least_radius) * dice_real(&d);
        const double free = CELL - 2 * radius;
        const pqt_vec corner = {(double)(i % across) * CELL, (double)(i / across) * CELL};
        p->balls[i] = (flying_ball){.position = {corner.x + radius + free * dice_real(&d),
                                                 corner.y + radius + free * dice_real(&d)},
                                    .radius = radius};
    }
}

/* Makes the largest pyramid of at most `count` balls, in a bin that is three times as wide. */
static void
build_pyramid(pile *p)
{
    size_t base = 1, at = 0;
    while ((base + 1) * (base + 2) / 2 <= p->count)
        base++;
    p->setting.size = (pqt_vec){(double)base * 6 * RADIUS, (double)base * 2 * RADIUS};
    for (size_t row = 0; row < base; row++)
        for (size_t i = 0; i + row < base; i++)
            p->balls[at++] = (flying_ball){
                .position = {(double)base * 2 * RADIUS + RADIUS * (1 + (double)(2 * i + row)),
                             p->setting.size.y - RADIUS - (double)row * 1.7322 * RADIUS},
                .radius = RADIUS};
    p->count = at;
}

static pile
make_pile(const char *name, char kind, size_t count, double restitution)
{
    pile p = {.name = name, .count = count};
    p.balls = room(count, sizeof *p.balls);
    p.after = room(count, sizeof *p.after);
    p.setting = (ball_setting){.gravity = GRAVITY, .restitution = restitution};
    if (kind == 'y')
        build_pyramid(&p);
    else
        fill_cells(&p, kind == 'm' ? 1 : 0.97 * RADIUS);
    return p;
}

/* ---- A run ---- */

static double
depth_in_walls(const flying_ball *ball, pqt_vec size)
{
    const double x = fmax(-ball->position.x, ball->position.x - size.x);
    const double y = fmax(-ball->position.y, ball->position.y - size.y);
    return (fmax(x, y) + ball->radius) / ball->radius;
}

static bool
is_at_rest(const pile *p, double *energy, double *depth)
{
    *energy = *depth = 0;
    for (size_t i = 0; i < p->count; i++) {
        const flying_ball *ball = &p->after[i];
        *energy += pqt_vec_dot(ball->velocity, ball->velocity) /
                   (2 * GRAVITY * ball->radius * (double)p->count);
        *depth = fmax(*depth, depth_in_walls(ball, p->setting.size));
    }
    return *energy < 0.01 && *depth < 0.2; /* false if one of them is NaN */
}

/* Runs steps, and returns the mean time of a step in milliseconds. */
static double
time_steps(const simulator *contestant, void *state, size_t steps)
{
    struct timespec begun, ended;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begun);
    for (size_t i = 0; i < steps; i++)
        if (!contestant->step(state)) {
            fprintf(stderr, "world: %s made no step\n", contestant->name);
            exit(EXIT_FAILURE);
        }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
    return ((double)(ended.tv_sec - begun.tv_sec) * 1e3 +
            (double)(ended.tv_nsec - begun.tv_nsec) / 1e6) /
           (double)steps;
}

static void
run_pile(const simulator *contestant, const pile *p, size_t run, bool sleeps, pile_outcome *out)
{
    ball_setting setting = p->setting;
    setting.sleeps = sleeps;
    void *state = contestant->make(p->balls, p->count, &setting);
    if (state == NULL) {
        fprintf(stderr, "world: %s could not begin\n", contestant->name);
        exit(EXIT_FAILURE);
    }
    double energy, depth;
    const double milliseconds = time_steps(contestant, state, SETTLING);
    contestant->look(state, p->after);
    out->rests[sleeps] = is_at_rest(p, &energy, &depth);
    if (!sleeps) {
        out->settling[run] = milliseconds;
        out->energy = energy;
        out->depth = depth;
    }
    if (out->rests[sleeps])
        out->resting[sleeps][run] = time_steps(contestant, state, RESTING);
    contestant->free(state);
}

static int
compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double
median(double *numbers, size_t count)
{
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    return numbers[count / 2];
}

static void
compare_pile(pile p, const simulator *const *contestants, size_t count, size_t runs)
{
    pile_outcome *outcomes = room(count, sizeof *outcomes);
    for (size_t run = 0; run < runs; run++)
        for (size_t i = 0; i < count; i++)
            for (int sleeps = 0; sleeps < 2 && contestants[i] != NULL; sleeps++)
                run_pile(contestants[i], &p, run, sleeps, &outcomes[i]);
    printf("\n%s of %zu balls, restitution %g, in %g x %g\n", p.name, p.count,
           p.setting.restitution, p.setting.size.x, p.setting.size.y);
    printf("  %-14s %12s %12s %12s %10s %10s\n", "", "ms settling", "ms at rest", "ms, sleeping",
           "energy", "in walls");
    for (size_t i = 0; i < count; i++) {
        pile_outcome *out = &outcomes[i];
        if (contestants[i] == NULL)
            continue;
        printf("  %-14s %12.3f ", contestants[i]->name, median(out->settling, runs));
        for (int sleeps = 0; sleeps < 2; sleeps++)
            if (out->rests[sleeps])
                printf("%12.4f ", median(out->resting[sleeps], runs));
            else
                printf("%12s ", "moves");
        printf("%10.1e %10.1e\n", out->energy, out->depth);
    }
    fflush(stdout);
    free(outcomes);
    free(p.balls);
    free(p.after);
}

void
compare_piles(const simulator *const *contestants, size_t count, size_t balls, size_t runs)
{
    static const struct {
        const char *name;
        char kind;
    } scenes[] = {{"pile", 'p'}, {"mixed pile", 'm'}, {"pyramid", 'y'}};
    static const double restitutions[] = {0, 0.8};
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++)
        for (size_t r = 0; r < sizeof restitutions / sizeof *restitutions; r++)
            compare_pile(make_pile(scenes[s].name, scenes[s].kind, balls, restitutions[r]),
                         contestants, count, runs);
}
