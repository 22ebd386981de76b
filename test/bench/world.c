/* SPDX-License-Identifier: MIT */
/*
 * world.c: the world benchmark, which compares pqt with its peers on the same balls in the same
 * box. In piles.c the balls settle; in this file they fly.
 *
 * Balls of radius 2 to 4 cover three tenths of a box, and move at 30 to 180 world units per second.
 * Times are the processor times of the process, summed over all processors. For each size, the
 * contestants run in turn, as often as the options say. The result is the median of their times.
 * Only ratios within one run are meaningful.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pqt/circle.h>

#include "balls.h"
#include "piles.h"
#include "random.h"

#if BENCH_WITH_BOX2D
#define BOX2D(contestant) contestant
#else
#define BOX2D(contestant) NULL
#endif
#if BENCH_WITH_CHIPMUNK
#define CHIPMUNK(contestant) contestant
#else
#define CHIPMUNK(contestant) NULL
#endif

enum {
    CONTESTANTS = 5,
    MOST_REPEATS = 99,
    MOST_BUDGET = 86400,
    MOST_COUNTS = 8,
    /* the number of steps before the clock starts, in which heaps and lists grow */
    WARM = 10,
    /* the number of balls times the number of timed steps, approximately */
    BALL_STEPS = 1000000,
    BACK = 60,          /* the number of steps of a rollback */
    LEAST_STEPS = BACK, /* the minimum number of timed steps */
    TIMES_BACK = 100000
};

#define CELL 10.0

/* The time after which no more steps are taken, in nanoseconds. */
#define MOST_TIME 5e9

/* A contestant is skipped if its steps would take longer than this, in milliseconds. */
#define LONGEST_STEP 5000.0

static const struct {
    const simulator *contestant; /* NULL if it is not installed */
    const char *package;
} contestants[CONTESTANTS] = {
    {&simulator_pqt, ""},
    {BOX2D(&simulator_box2d), "libbox2d-dev, version 2.4"},
    {BOX2D(&simulator_box2d_discrete), "libbox2d-dev, version 2.4"},
    {CHIPMUNK(&simulator_chipmunk_tree), "libchipmunk-dev"},
    {CHIPMUNK(&simulator_chipmunk_hash), "libchipmunk-dev"},
};

/* The result of a run of one contestant. */
typedef struct outcome {
    bool skipped;
    double milliseconds[MOST_REPEATS]; /* the time of a step */
    size_t steps;                      /* the number of steps that were timed */
    double drift;                      /* the relative drift of the energy */
    /* the deepest overlap, as a fraction of the smaller radius */
    double depth;
    double bytes; /* the number of bytes that the last step keeps */
    double back;  /* the time to go back by BACK steps, in nanoseconds */
} outcome;

typedef struct choices {
    size_t counts[MOST_COUNTS], count_count, repeats;
    size_t piles[MOST_COUNTS], pile_count;
    size_t budget; /* the processor time of a contestant in a pile, in seconds */
    bool markdown; /* print only a table */
} choices;

typedef struct scene {
    flying_ball *balls, *after;
    size_t count, steps;
    pqt_vec size;
} scene;

/* ---- the scene ---- */

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

/* Returns a ball in its own cell, so that no two balls overlap. */
static flying_ball
draw_ball(dice *d, size_t column, size_t row)
{
    flying_ball ball = {.radius = 2 + 2 * dice_real(d)};
    const double free = CELL - 2 * ball.radius;
    ball.position.x = (double)column * CELL + ball.radius + free * dice_real(d);
    ball.position.y = (double)row * CELL + ball.radius + free * dice_real(d);
    double speed;
    do {
        ball.velocity = (pqt_vec){360 * dice_real(d) - 180, 360 * dice_real(d) - 180};
        speed = pqt_vec_length(ball.velocity);
    } while (speed < 30 || speed > 180);
    return ball;
}

static scene
draw_scene(size_t count)
{
    const size_t across = (size_t)ceil(sqrt((double)count));
    dice d = {42};
    scene s = {.count = count, .steps = BALL_STEPS / count};
    if (s.steps < LEAST_STEPS)
        s.steps = LEAST_STEPS;
    s.balls = room(count, sizeof *s.balls);
    s.after = room(count, sizeof *s.after);
    s.size = (pqt_vec){(double)across * CELL, (double)((count + across - 1) / across) * CELL};
    for (size_t i = 0; i < count; i++)
        s.balls[i] = draw_ball(&d, i % across, i / across);
    return s;
}

/* ---- accuracy ---- */

static double
energy_of(const flying_ball *balls, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum +=
            balls[i].radius * balls[i].radius * pqt_vec_dot(balls[i].velocity, balls[i].velocity);
    return sum;
}

typedef struct search {
    const flying_ball *balls;
    double deepest;
} search;

static bool
measure_pair(const pqt_item *a, const pqt_item *b, void *context)
{
    search *s = context;
    const flying_ball *p = &s->balls[a->id], *q = &s->balls[b->id];
    const double depth = p->radius + q->radius - pqt_vec_distance(p->position, q->position);
    s->deepest = fmax(s->deepest, depth / fmin(p->radius, q->radius));
    return true;
}

/* Returns the depth by which a ball penetrates a wall, as a fraction of its radius. */
static double
depth_in_walls(const flying_ball *ball, pqt_vec size)
{
    const double left = ball->radius - ball->position.x, top = ball->radius - ball->position.y;
    const double right = ball->position.x + ball->radius - size.x;
    const double bottom = ball->position.y + ball->radius - size.y;
    return fmax(fmax(fmax(left, right), fmax(top, bottom)), 0) / ball->radius;
}

/* Returns the depth of the deepest overlap between two balls, or between a ball and a wall. */
static double
deepest(const scene *s)
{
    pqt_item *items = room(s->count, sizeof *items);
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    search found = {s->after, 0};
    for (size_t i = 0; i < s->count; i++) {
        items[i] =
            (pqt_item){pqt_circle_box((pqt_circle){s->after[i].position, s->after[i].radius}), i};
        found.deepest = fmax(found.deepest, depth_in_walls(&s->after[i], s->size));
    }
    options.memory = pqt_arena_make(0, &error);
    const pqt_tree *tree = pqt_tree_of(items, s->count, &options, &error);
    if (tree == NULL)
        found.deepest = HUGE_VAL; /* because a position is NaN */
    else
        pqt_pairs_visit(tree, NULL, &(pqt_pair_query){.relation = PQT_OVERLAPS}, measure_pair,
                        &found);
    pqt_arena_destroy(&options.memory);
    free(items);
    return found.deepest;
}

/* ---- a run ---- */

static double
spent(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Runs `steps` steps, or fewer if they take too long. Returns their number. */
static size_t
make_steps(const simulator *contestant, void *state, size_t steps)
{
    const double begun = spent();
    size_t made = 0;
    while (made < steps && (made == 0 || spent() - begun < MOST_TIME))
        if (contestant->step(state)) {
            made++;
        } else {
            fprintf(stderr, "world: %s made no step\n", contestant->name);
            exit(EXIT_FAILURE);
        }
    return made;
}

/* Measures a rollback: goes back and forth repeatedly. */
static double
time_back(const simulator *contestant, void *state, size_t last)
{
    const size_t before = last > BACK ? last - BACK : 0;
    const double begun = spent();
    for (int i = 0; i < TIMES_BACK; i++) {
        contestant->go(state, before);
        contestant->go(state, last);
    }
    return (spent() - begun) / (2 * TIMES_BACK);
}

static void
run(const simulator *contestant, const scene *s, size_t repeat, outcome *out)
{
    const ball_setting setting = {.size = s->size, .restitution = 1};
    void *state = contestant->make(s->balls, s->count, &setting);
    if (state == NULL) {
        fprintf(stderr, "world: %s could not begin\n", contestant->name);
        exit(EXIT_FAILURE);
    }
    const size_t warm = make_steps(contestant, state, WARM);
    const double begun = spent();
    out->steps = make_steps(contestant, state, s->steps);
    out->milliseconds[repeat] = (spent() - begun) / (double)out->steps / 1e6;
    contestant->look(state, s->after);
    out->drift = energy_of(s->after, s->count) / energy_of(s->balls, s->count) - 1;
    out->depth = deepest(s);
    if (contestant->bytes != NULL)
        out->bytes = contestant->bytes(state);
    if (contestant->go != NULL)
        out->back = time_back(contestant, state, warm + out->steps);
    contestant->free(state);
}

/* ---- the report ---- */

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
print_outcome(const simulator *contestant, outcome *out, size_t repeats, double first)
{
    if (out->skipped) {
        printf("  %-14s skipped: its step might take longer than 5 s\n", contestant->name);
        return;
    }
    const double ms = median(out->milliseconds, repeats);
    printf("  %-14s %10.3f %10.1f %8.2f %7zu %10.1e %10.1e", contestant->name, ms, 1000 / ms,
           ms / first, out->steps, out->drift, out->depth);
    if (contestant->bytes != NULL)
        printf(" %12.0f %10.0f", out->bytes, out->back);
    puts("");
}

/* The time of a step of a contestant at the previous number of balls; 0 if there is none. */
typedef struct pace {
    double milliseconds;
    size_t count;
} pace;

/* Returns true if a step of `count` balls would take too long, assuming that its time grows with
 * the square of the number. */
static bool
is_too_slow(const pace *before, size_t count)
{
    const double growth = before->count > 0 ? (double)count / (double)before->count : 0;
    return growth > 1 && before->milliseconds * growth * growth > LONGEST_STEP;
}

/* Prints a row of a table in Markdown. */
static void
print_row(const simulator *contestant, size_t count, outcome *out, size_t repeats, double first)
{
    printf("| %zu | %s |", count, contestant->name);
    if (out->skipped) {
        puts(" - | - | - | - | - | - | - |");
        return;
    }
    const double ms = median(out->milliseconds, repeats);
    const char *loss = ms < 0.995 * first ? "**" : ""; /* marks a row in which pqt is slower */
    printf(" %.3g | %.0f | %s%.2f%s | %.1e | %.1e |", ms, 1000 / ms, loss, ms / first, loss,
           out->drift, out->depth);
    if (contestant->bytes != NULL)
        printf(" %.0f | %.1f |\n", out->bytes, out->back);
    else
        puts(" - | - |");
}

static void
print_outcomes(const scene *s, outcome *outcomes, const choices *c)
{
    if (!c->markdown) {
        printf("\n%zu balls in %g x %g, steps of %g s\n", s->count, s->size.x, s->size.y,
               BALL_STEP);
        printf("  %-14s %10s %10s %8s %7s %10s %10s %12s %10s\n", "", "ms/step", "steps/s", "ratio",
               "steps", "drift", "overlap", "B/kept step", "ns/back");
    }
    const double first = median(outcomes[0].milliseconds, c->repeats);
    for (size_t i = 0; i < CONTESTANTS; i++) {
        const simulator *contestant = contestants[i].contestant;
        if (contestant != NULL && c->markdown)
            print_row(contestant, s->count, &outcomes[i], c->repeats, first);
        else if (contestant != NULL)
            print_outcome(contestant, &outcomes[i], c->repeats, first);
    }
    fflush(stdout);
}

static void
compare(size_t count, const choices *c, pace paces[CONTESTANTS])
{
    scene s = draw_scene(count);
    outcome *outcomes = room(CONTESTANTS, sizeof *outcomes);
    for (size_t i = 0; i < CONTESTANTS; i++)
        outcomes[i].skipped = contestants[i].contestant == NULL || is_too_slow(&paces[i], count);
    for (size_t repeat = 0; repeat < c->repeats; repeat++)
        for (size_t i = 0; i < CONTESTANTS; i++)
            if (!outcomes[i].skipped)
                run(contestants[i].contestant, &s, repeat, &outcomes[i]);
    print_outcomes(&s, outcomes, c);
    for (size_t i = 0; i < CONTESTANTS; i++)
        if (!outcomes[i].skipped)
            paces[i] = (pace){median(outcomes[i].milliseconds, c->repeats), count};
    free(outcomes);
    free(s.balls);
    free(s.after);
}

static void
print_head(size_t repeats, bool markdown)
{
    if (markdown) {
        puts(
            "| balls | | ms per step | steps per second | ratio | drift | overlap | bytes per kept "
            "step | ns to roll back |\n"
            "|---|---|---|---|---|---|---|---|---|");
        return;
    }
    printf("pqt %s: process CPU time, median of %zu runs. Ratio: peer / pqt; below 1, pqt loses.\n"
           "Drift: of the energy. Overlap: the deepest, as a share of the smaller radius.\n"
           "Back: to the world of %d steps before.\n\n",
           pqt_version(), repeats, BACK);
    for (size_t i = 0; i < CONTESTANTS; i++)
        if (contestants[i].contestant != NULL)
            printf("  %-14s %s\n", contestants[i].contestant->name,
                   contestants[i].contestant->what);
        else
            printf("  not installed: %s\n", contestants[i].package);
}

/* ---- the command line ---- */

static const char help[] =
    "Usage: world [--balls N,N...|none] [--piles N,N...|none] [--repeat R] [--budget SECONDS]\n"
    "             [--markdown]\n"
    "Lets balls fly, then fall into bins, in pqt, Box2D and Chipmunk, and prints how long a step\n"
    "takes. --budget is the processor time of a contestant in a pile, for all its runs (60): the\n"
    "first run is cut off then, and no other run begins that would exceed it. --markdown prints\n"
    "the table of flights only.\n";

static size_t
number_of(const char *option, const char *text, size_t least, size_t most)
{
    char *end;
    const unsigned long number = strtoul(text, &end, 10);
    if (end == text || (*end != '\0' && *end != ',') || *text == '-' || number < least ||
        number > most) {
        fprintf(stderr, "world: --%s: %s is not a choice; see world --help\n", option, text);
        exit(2);
    }
    return number;
}

static void
read_counts(const char *option, const char *text, size_t *counts, size_t *count)
{
    *count = 0;
    if (strcmp(text, "none") == 0)
        return;
    for (const char *at = text; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (*count == MOST_COUNTS)
            number_of(option, text, 1, 0);
        counts[(*count)++] = number_of(option, at, 1, 1000000);
    }
}

static choices
read_options(int argc, char **argv)
{
    static const struct option known[] = {{"balls", required_argument, NULL, 'n'},
                                          {"piles", required_argument, NULL, 'p'},
                                          {"repeat", required_argument, NULL, 'r'},
                                          {"budget", required_argument, NULL, 'b'},
                                          {"markdown", no_argument, NULL, 'm'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    choices c = {.counts = {1000, 10000, 100000},
                 .count_count = 3,
                 .piles = {1000},
                 .pile_count = 1,
                 .budget = 60,
                 .repeats = 3};
    int letter;
    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (letter == 'n') {
            read_counts("balls", optarg, c.counts, &c.count_count);
        } else if (letter == 'p') {
            read_counts("piles", optarg, c.piles, &c.pile_count);
        } else if (letter == 'r') {
            c.repeats = number_of("repeat", optarg, 1, MOST_REPEATS);
        } else if (letter == 'b') {
            c.budget = number_of("budget", optarg, 1, MOST_BUDGET);
        } else if (letter == 'm') {
            c.markdown = true;
        } else {
            fputs(letter == 'h' ? help : "Try world --help.\n", letter == 'h' ? stdout : stderr);
            exit(letter == 'h' ? EXIT_SUCCESS : 2);
        }
    }
    return c;
}

int
main(int argc, char **argv)
{
    const choices c = read_options(argc, argv);
    pqt_error error = {0};
    if (!pqt_init(&error)) {
        fprintf(stderr, "world: %s\n", error.text);
        return EXIT_FAILURE;
    }
    pace paces[CONTESTANTS] = {{0, 0}};
    print_head(c.repeats, c.markdown);
    fflush(stdout);
    for (size_t i = 0; i < c.count_count; i++)
        compare(c.counts[i], &c, paces);
    const simulator *resting[] = {&simulator_pqt, BOX2D(&simulator_box2d),
                                  CHIPMUNK(&simulator_chipmunk_tree)};
    for (size_t i = 0; i < c.pile_count && !c.markdown; i++)
        compare_piles(resting, sizeof resting / sizeof *resting, c.piles[i],
                      &(pile_limits){.runs = c.repeats, .seconds = (double)c.budget});
    return EXIT_SUCCESS;
}
