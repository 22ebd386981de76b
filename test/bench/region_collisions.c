/* SPDX-License-Identifier: MIT */
/*
 * region_collisions.c: the benchmark of colliding regions, which compares pqt with pygame.mask and
 * a loop over pixels.
 *
 * Contestants take turns in one run, at random offsets at which the boxes of both pictures overlap.
 * The results are compared before a time is printed, except for slanting motions, which steps of
 * whole pixels only approximate. The times of pygame include its Python calls, which take about 100
 * ns each, because its users pay for them, too.
 */
#define _GNU_SOURCE 1

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/shapes.h>

#include "pygame.h"

enum { OFFSETS = 64, REPEATS = 5, LOOPED = 8, FEW = 8, EXIT_USAGE = 2 };

static const uint64_t seed = 20240229;

/* A square picture. */
typedef struct picture {
    int side;
    uint8_t *rgba;
    const pqt_region *region;
} picture;

/* The result of a task. */
typedef struct result {
    double nanoseconds; /* the time for one offset or motion */
    uint64_t found;     /* the sum of the results over all offsets or motions */
} result;

static pqt_memory *memory;

static void
fail_sync(const char *what)
{
    fprintf(stderr, "bench: clash: %s\n", what);
    exit(EXIT_FAILURE);
}

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* ---- pictures ---- */

typedef bool shape_fn(int x, int y, int side);

static int64_t
square_from_middle(int x, int y, int side)
{
    const int64_t dx = 2 * x + 1 - side, dy = 2 * y + 1 - side;
    return dx * dx + dy * dy;
}

static bool
is_in_disc(int x, int y, int side)
{
    return square_from_middle(x, y, side) <= (int64_t)side * side;
}

static bool
is_in_ring(int x, int y, int side)
{
    return is_in_disc(x, y, side) &&
           100 * square_from_middle(x, y, side) > 81 * (int64_t)side * side;
}

/* Returns true for the pixels of triangular hills, which have three lengths. */
static bool
is_in_terrain(int x, int y, int side)
{
    int height = side / 2;
    for (int length = side / 2 + 1; length > 4; length = length / 3 + 1)
        height += abs(x % length - length / 2) / 3;
    return y > height;
}

static uint64_t
scattered(uint64_t z)
{
    z = (z + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static bool
is_in_noise(int x, int y, int side)
{
    return (scattered((uint64_t)(y * (int64_t)side + x)) & 1) != 0;
}

/* Returns true for the pixels of walls, one pixel thick, around rooms of 7 x 7. Each room is open
 * to the right or below. */
static bool
is_in_maze(int x, int y, int side)
{
    const bool opens_right = (scattered((uint64_t)(y / 8 * (int64_t)side + x / 8)) & 1) != 0;
    if (x % 8 == 7 && y % 8 == 7)
        return true;
    return x % 8 == 7 ? !opens_right : y % 8 == 7 && opens_right;
}

static picture
picture_make(shape_fn *has, int side)
{
    pqt_error error = {0};
    const size_t s = (size_t)side;
    picture p = {.side = side, .rgba = calloc(4 * s, s)};
    if (p.rgba == NULL)
        fail_sync("out of memory");
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            p.rgba[4 * ((size_t)y * s + (size_t)x) + 3] = has(x, y, side) ? 255 : 0;
    const pqt_byte_image image = {p.rgba + 3, s, s, 4 * s, 4, 127};
    p.region = pqt_region_of_bytes(&image, (pqt_pixel){0, 0}, memory, &error);
    if (p.region == NULL)
        fail_sync(error.text);
    return p;
}

/* ---- Offsets and motions, the same as in peer_pygame.py ---- */

static int
dice_below(uint64_t *state, int bound)
{
    *state = (*state * 1664525 + 1013904223) & UINT32_MAX;
    return (int)((*state >> 8) % (uint64_t)bound);
}

/* Draws the offset of the second picture. */
static pqt_pixel
draw_offset(uint64_t *dice, const picture *a, const picture *b)
{
    const int x = dice_below(dice, a->side + b->side - 1) - b->side + 1;
    return (pqt_pixel){x, dice_below(dice, a->side + b->side - 1) - b->side + 1};
}

static pqt_vec
vec_of(pqt_pixel pixel)
{
    return (pqt_vec){pixel.x, pixel.y};
}

/* ---- tasks ---- */

typedef uint64_t task_fn(const picture *a, const picture *b, pqt_pixel offset);

static uint64_t
overlap(const picture *a, const picture *b, pqt_pixel offset)
{
    return pqt_region_overlaps(a->region, b->region, vec_of(offset));
}

static uint64_t
area(const picture *a, const picture *b, pqt_pixel offset)
{
    return pqt_region_overlap_area(a->region, b->region, vec_of(offset)).subpixels >> 20;
}

/* Returns the number of steps of one pixel to the right before `b` overlaps `a`. `b` begins on the
 * left of `a`. */
static uint64_t
steps_to(const picture *a, const picture *b, double from_y, double to_y)
{
    const pqt_region_mover mover = {b->region, {-b->side, from_y}, {a->side, to_y}};
    const pqt_region_mover other = {a->region, {0, 0}, {0, 0}};
    const pqt_region_sweep s = pqt_region_sweep_region(mover, other, NULL);
    const double steps = s.stop.x + b->side;
    return s.status == PQT_SWEEP_HITS ? (uint64_t)steps + 1 : (uint64_t)(a->side + b->side);
}

static uint64_t
level(const picture *a, const picture *b, pqt_pixel offset)
{
    return steps_to(a, b, offset.y, offset.y);
}

/* Finds the end of a motion, which is at a random height. */
static uint64_t
slant(const picture *a, const picture *b, pqt_pixel offset)
{
    return steps_to(a, b, offset.y, offset.x);
}

/* Returns the overlap or the area, computed by a loop over pixels. */
static uint64_t
looped(const picture *a, const picture *b, pqt_pixel offset, bool once)
{
    uint64_t found = 0;
    const int dx = offset.x, dy = offset.y;
    for (int y = dy > 0 ? dy : 0; y < a->side && y - dy < b->side; y++)
        for (int x = dx > 0 ? dx : 0; x < a->side && x - dx < b->side; x++) {
            const size_t at = (size_t)y * (size_t)a->side + (size_t)x;
            const size_t of_b = (size_t)(y - dy) * (size_t)b->side + (size_t)(x - dx);
            found += a->rgba[4 * at + 3] & b->rgba[4 * of_b + 3] & 1;
            if (once && found > 0)
                return 1;
        }
    return found;
}

static uint64_t
overlap_looped(const picture *a, const picture *b, pqt_pixel offset)
{
    return looped(a, b, offset, true);
}

static uint64_t
area_looped(const picture *a, const picture *b, pqt_pixel offset)
{
    return looped(a, b, offset, false);
}

static const struct task {
    const char *name;
    task_fn *run, *loop; /* `loop` is NULL if there is none */
    /* a motion: pygame moves in steps, and agrees only if the motion is horizontal */
    bool is_way;
    bool is_comparable;
} tasks[] = {{"overlap", overlap, overlap_looped, false, true},
             {"area", area, area_looped, false, true},
             {"level", level, NULL, true, true},
             {"slant", slant, NULL, true, false}};
enum { TASKS = sizeof tasks / sizeof tasks[0] };

/* ---- turns ---- */

static result
run(task_fn *task, const picture *a, const picture *b, int count, int rounds)
{
    uint64_t found = 0;
    const double begin = now();
    for (int r = 0; r < rounds; r++) {
        uint64_t dice = seed;
        for (int i = 0; i < count; i++)
            found += task(a, b, draw_offset(&dice, a, b));
    }
    return (result){(now() - begin) / count / rounds, found / (uint64_t)rounds};
}

static result
run_pygame(pygame *p, const char *task, int count, int rounds)
{
    char line[96];
    snprintf(line, sizeof line, "%s a b %" PRIu64 " %d %d", task, seed, count, rounds);
    const pygame_answer answer = pygame_run(p, line);
    return (result){answer.nanoseconds / count / rounds, answer.value};
}

static int
compare(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double
median(double times[REPEATS], int count)
{
    qsort(times, (size_t)count, sizeof *times, compare);
    return times[(count - 1) / 2];
}

/* Returns a number of rounds that takes a few milliseconds. */
static int
rounds_of(double nanoseconds, int count)
{
    const double rounds = 3e6 / (nanoseconds * count + 1);
    return rounds < 1 ? 1 : (int)rounds;
}

static void
require_same(const struct task *task, uint64_t ours, uint64_t theirs, const char *who)
{
    if (ours == theirs)
        return;
    fprintf(stderr, "bench: clash: %s: %s finds %" PRIu64 ", pqt %" PRIu64 "\n", task->name, who,
            theirs, ours);
    exit(EXIT_FAILURE);
}

static void
print_ratio(double own, double peer)
{
    printf(" %12.0f %9.2f %-4s", peer, peer / own, peer / own < 0.995 ? "LOSS" : "");
}

static void
print_pygame(pygame *p, const struct task *task, const result *own, int count, int repeats)
{
    double times[REPEATS];
    int rounds = 1;
    for (int i = 0; i < repeats; i++) {
        const result theirs = run_pygame(p, task->name, count, rounds);
        if (task->is_comparable)
            require_same(task, own->found, theirs.found, "pygame");
        times[i] = theirs.nanoseconds;
        rounds = rounds_of(theirs.nanoseconds, count);
    }
    print_ratio(own->nanoseconds, median(times, repeats));
}

/* Runs the loop over pixels. It is slow, so it runs once, at a few offsets. */
static void
print_loop(const struct task *task, const picture *a, const picture *b)
{
    const result own = run(task->run, a, b, LOOPED, 1000);
    const result loop = run(task->loop, a, b, LOOPED, 1);
    require_same(task, own.found, loop.found, "the loop");
    print_ratio(own.nanoseconds, loop.nanoseconds);
}

static void
measure(pygame *p, const char *name, const picture *a, const picture *b, const struct task *task)
{
    double times[REPEATS];
    /* pygame takes seconds to step through a long motion. */
    const bool is_slow = task->is_way && a->side > 512;
    const int count = is_slow ? FEW : OFFSETS, repeats = is_slow ? 1 : REPEATS;
    result own = run(task->run, a, b, count, 1);
    const int rounds = rounds_of(own.nanoseconds, count);
    for (int i = 0; i < REPEATS; i++)
        times[i] = run(task->run, a, b, count, rounds).nanoseconds;
    own.nanoseconds = median(times, REPEATS);
    printf("%-18s %5d %-8s %9.0f", name, a->side, task->name, own.nanoseconds);
    if (p->version[0] != '\0')
        print_pygame(p, task, &own, count, repeats);
    if (task->loop != NULL)
        print_loop(task, a, b);
    putchar('\n');
    fflush(stdout);
}

/* ---- the table ---- */

static const struct {
    const char *name;
    shape_fn *a, *b;
    int sides[4], child_index; /* b's side as a fraction of a's */
} cases[] = {{"disc/disc", is_in_disc, is_in_disc, {32, 256, 1024, 4096}, 1},
             {"ring/disc", is_in_ring, is_in_disc, {1024, 4096, 0, 0}, 1},
             {"terrain/disc", is_in_terrain, is_in_disc, {1024, 4096, 0, 0}, 4},
             {"noise/noise", is_in_noise, is_in_noise, {1024, 4096, 0, 0}, 1},
             {"maze/small disc", is_in_maze, is_in_disc, {128, 1024, 0, 0}, 16}};
enum { CASES = sizeof cases / sizeof cases[0] };

static void
measure_pictures(pygame *p, size_t c, int side)
{
    picture a = picture_make(cases[c].a, side);
    picture b = picture_make(cases[c].b, side / cases[c].child_index);
    if (p->version[0] != '\0') {
        pygame_picture(p, "a", a.rgba, a.side);
        pygame_picture(p, "b", b.rgba, b.side);
    }
    for (int t = 0; t < TASKS; t++)
        measure(p, cases[c].name, &a, &b, &tasks[t]);
    free(a.rgba);
    free(b.rgba);
}

static void
print_head(const pygame *p)
{
    printf("\nRegions that collide: process CPU time of one question in ns, median of %d. Ratio: "
           "peer / "
           "pqt;\nbelow 1, pqt loses. level, slant: sweeps from the left to the right, where "
           "pygame steps "
           "pixel by pixel.\nloop: over all pixels that both have.\n%s\n\n",
           REPEATS,
           p->version[0] != '\0' ? p->version
                                 : "pygame.mask: not there (python3-pygame), and left out");
    printf("%-18s %5s %-8s %9s", "pictures", "side", "task", "pqt");
    if (p->version[0] != '\0')
        printf(" %12s %9s %-4s", "pygame", "ratio", "");
    printf(" %12s %9s\n", "loop", "ratio");
}

static const char help[] =
    "Usage: clash [OPTION...]\n"
    "Compares overlaps and sweeps of regions with pygame.mask, if it is installed, and a loop.\n"
    "\n"
    "  --most SIDE          leaves out pictures with longer sides, 32 or more (4096)\n"
    "  --script FILE        peer_pygame.py; without it, pygame is left out\n"
    "  --help               this\n"
    "\n"
    "Exit status: 0; 1 if a run failed or answers differ; 2 for a wrong option.\n";

static int
read_options(int argc, char **argv, const char **script)
{
    static const struct option known[] = {{"most", required_argument, NULL, 'm'},
                                          {"script", required_argument, NULL, 'f'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int most = 4096, letter;
    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (letter == 'm')
            most = atoi(optarg);
        else if (letter == 'f')
            *script = optarg;
        if (letter == 'f' || (letter == 'm' && most >= 32))
            continue;
        fputs(letter == 'h' ? help : "Try clash --help.\n", letter == 'h' ? stdout : stderr);
        exit(letter == 'h' ? EXIT_SUCCESS : EXIT_USAGE);
    }
    return most;
}

int
main(int argc, char **argv)
{
    const char *script = NULL;
    const int most = read_options(argc, argv, &script);
    pqt_error error = {0};
    memory = pqt_arena_make(0, &error);
    if (memory == NULL)
        fail_sync(error.text);
    pygame p = script != NULL ? pygame_start_any(script) : (pygame){.version = ""};
    print_head(&p);
    for (size_t c = 0; c < CASES; c++)
        for (int i = 0; i < 4; i++)
            if (cases[c].sides[i] > 0 && cases[c].sides[i] <= most)
                measure_pictures(&p, c, cases[c].sides[i]);
    if (p.version[0] != '\0')
        pygame_end(&p);
    pqt_arena_destroy(&memory);
    return EXIT_SUCCESS;
}
