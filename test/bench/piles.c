/* SPDX-License-Identifier: MIT */
/*
 * piles.c: the part of the world benchmark in which balls fall into a bin and settle.
 *
 * The balls of a pile have nearly the same size, those of a mixed pile have radii from 1 to 4, and
 * the rows of a pyramid touch each other. After SETTLING steps, a contestant is at rest if two
 * conditions hold: no ball is outside the bin by more than a fifth of its radius, and the mean
 * kinetic energy is less than a ball gains by falling a hundredth of its radius. Only then is its
 * time at rest measured. In each run, a contestant settles twice, without and with sleep.
 *
 * The row of a run is printed when the run ends. A contestant has a budget of processor time for
 * all its runs in a scene. Its first run is cut off when the budget is spent, and another run
 * begins only if it would end within the budget, too.
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

/* The result of the steps at rest. */
typedef enum rest_result {
    CUT_OFF, /* the budget was spent before their end */
    MOVES,   /* the balls still moved after SETTLING steps */
    RESTS
} rest_result;

/* A run of a contestant. Times are milliseconds per step; resting and results are without and with
 * sleep. */
typedef struct pile_run {
    size_t steps;    /* the number of steps while the balls settled without sleep */
    double settling; /* without sleep */
    double resting[2];
    rest_result results[2];
    double energy; /* the mean energy without sleep, divided by GRAVITY * mass * radius */
    double depth;  /* the depth in walls without sleep, as a fraction of the radius */
} pile_run;

/* The runs of a contestant in a scene. */
typedef struct pile_outcome {
    pile_run runs[MOST_RUNS];
    size_t count;
    double spent; /* the processor time of all runs, in seconds */
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
        fputs("world: out of memory\n", stderr);
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

/* Returns the processor time of the process, in seconds. */
static double
spent(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Runs `most` steps, or fewer if the processor time reaches `end` before. Sets *milliseconds to
 * the mean time of a step. Returns the number of steps. */
static size_t
time_steps(const simulator *contestant, void *state, size_t most, double end, double *milliseconds)
{
    const double begun = spent();
    double now = begun;
    size_t steps = 0;
    while (steps < most && (steps == 0 || now < end)) {
        if (!contestant->step(state)) {
            fprintf(stderr, "world: %s made no step\n", contestant->name);
            exit(EXIT_FAILURE);
        }
        steps++;
        now = spent();
    }
    *milliseconds = (now - begun) * 1e3 / (double)steps;
    return steps;
}

/* Lets the balls settle and then rest, without or with sleep. */
static void
settle(const simulator *contestant, const pile *p, bool sleeps, double end, pile_run *run)
{
    ball_setting setting = p->setting;
    double energy, depth, milliseconds;
    setting.sleeps = sleeps;
    void *state = contestant->make(p->balls, p->count, &setting);
    if (state == NULL) {
        fprintf(stderr, "world: %s could not begin\n", contestant->name);
        exit(EXIT_FAILURE);
    }
    const size_t steps = time_steps(contestant, state, SETTLING, end, &milliseconds);
    contestant->look(state, p->after);
    const bool rests = is_at_rest(p, &energy, &depth);
    if (!sleeps) {
        run->steps = steps;
        run->settling = milliseconds;
        run->energy = energy;
        run->depth = depth;
    }
    run->results[sleeps] = steps < SETTLING ? CUT_OFF : rests ? RESTS : MOVES;
    if (run->results[sleeps] == RESTS &&
        time_steps(contestant, state, RESTING, end, &run->resting[sleeps]) < RESTING)
        run->results[sleeps] = CUT_OFF;
    contestant->free(state);
}

/* Adds a run to the outcome of a contestant. Unless it is the first one, it is not cut off. */
static const pile_run *
add_run(const simulator *contestant, const pile *p, double budget, pile_outcome *out)
{
    const double begun = spent(), end = out->count == 0 ? begun + budget : HUGE_VAL;
    pile_run *run = &out->runs[out->count++];
    *run = (pile_run){.results = {CUT_OFF, CUT_OFF}};
    settle(contestant, p, false, end, run);
    if (run->results[0] != CUT_OFF)
        settle(contestant, p, true, end, run);
    out->spent += spent() - begun;
    return run;
}

/* ---- The report ---- */

static void
print_head(const pile *p)
{
    printf("\n%s of %zu balls, restitution %g, in %g x %g\n", p->name, p->count,
           p->setting.restitution, p->setting.size.x, p->setting.size.y);
    printf("  %-14s %6s %12s %12s %12s %10s %10s\n", "", "run", "ms settling", "ms at rest",
           "ms, sleeping", "energy", "in walls");
    fflush(stdout);
}

static void
print_run(const char *name, const char *which, const pile_run *run)
{
    static const char *const words[] = {"cut off", "moves"};
    printf("  %-14s %6s %12.3f ", name, which, run->settling);
    for (int sleeps = 0; sleeps < 2; sleeps++)
        if (run->results[sleeps] == RESTS)
            printf("%12.4f ", run->resting[sleeps]);
        else
            printf("%12s ", words[run->results[sleeps]]);
    printf("%10.1e %10.1e", run->energy, run->depth);
    if (run->steps < SETTLING)
        printf("  after %zu of %d steps", run->steps, SETTLING);
    puts("");
    fflush(stdout);
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

/* Prints the medians of the runs of a contestant. Its balls move in the same way in each run. */
static void
print_median(const char *name, const pile_outcome *out)
{
    double settling[MOST_RUNS], resting[2][MOST_RUNS];
    pile_run middle = out->runs[0];
    for (size_t i = 0; i < out->count; i++) {
        settling[i] = out->runs[i].settling;
        resting[0][i] = out->runs[i].resting[0];
        resting[1][i] = out->runs[i].resting[1];
    }
    middle.settling = median(settling, out->count);
    middle.resting[0] = median(resting[0], out->count);
    middle.resting[1] = median(resting[1], out->count);
    print_run(name, "median", &middle);
}

/* Returns true if another run of a contestant would end within the budget. */
static bool
has_time(const pile_outcome *out, double budget)
{
    return out->count == 0 || out->spent * (1 + 1 / (double)out->count) <= budget;
}

/* Makes a run of a contestant, and prints its row. Says which runs are skipped after it. */
static void
run_and_print(const simulator *contestant, const pile *p, const pile_limits *limits,
              pile_outcome *out)
{
    char which[24];
    if (!has_time(out, limits->seconds))
        return;
    snprintf(which, sizeof which, "%zu", out->count + 1);
    print_run(contestant->name, which, add_run(contestant, p, limits->seconds, out));
    if (out->count < limits->runs && !has_time(out, limits->seconds))
        printf("  %-14s skipped from run %zu on: it has spent %.1f s of %g s\n", contestant->name,
               out->count + 1, out->spent, limits->seconds);
}

static void
compare_pile(pile p, const simulator *const *contestants, size_t count, const pile_limits *limits)
{
    pile_outcome *outcomes = room(count, sizeof *outcomes);
    print_head(&p);
    for (size_t run = 0; run < limits->runs; run++)
        for (size_t i = 0; i < count; i++)
            if (contestants[i] != NULL)
                run_and_print(contestants[i], &p, limits, &outcomes[i]);
    for (size_t i = 0; i < count; i++)
        if (outcomes[i].count > 1)
            print_median(contestants[i]->name, &outcomes[i]);
    free(outcomes);
    free(p.balls);
    free(p.after);
}

void
compare_piles(const simulator *const *contestants, size_t count, size_t balls,
              const pile_limits *limits)
{
    static const struct {
        const char *name;
        char kind;
    } scenes[] = {{"pile", 'p'}, {"mixed pile", 'm'}, {"pyramid", 'y'}};
    static const double restitutions[] = {0, 0.8};
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++)
        for (size_t r = 0; r < sizeof restitutions / sizeof *restitutions; r++)
            compare_pile(make_pile(scenes[s].name, scenes[s].kind, balls, restitutions[r]),
                         contestants, count, limits);
}
