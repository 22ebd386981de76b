/* SPDX-License-Identifier: MIT */
/*
 * kept_versions.c: workload W10: measures moves of single items, in each memory, while pins keep
 * the last K versions. The time of an edit includes pinning its version, unpinning the oldest one
 * and, in a heap, reclaiming a slice. K = 0 is W2b, in which only the newest version is kept. In a
 * heap, a pin keeps it; after every 16th edit, the pin is moved and a slice is reclaimed.
 *
 *     kept_versions [--items N] [--edits N] [--growth G] [--slice STEPS] [--rounds N] K...
 *     kept_versions [the same options] --curve K
 *
 * --curve measures a heap alone, with different growth factors. Prints rows of Markdown: the mean,
 * the median, the 99.9th percentile and the longest time of an edit, and the number of bytes that
 * the memory holds.
 *
 * Each measurement runs in a process of its own, after 2 * K + 100,000 edits that are not measured.
 * Times are measured by the wall clock, so that they include pauses. Each round measures all
 * memories in turn. The figures are the medians over the rounds. For the longest time only, the
 * minimum is used instead, because other load can only increase it.
 */
#include "config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pqt.h>

#include "random_boxes.h"

typedef enum kind { COLLECTOR, ARENA, HEAP, KINDS } kind;

static const char *const kind_names[KINDS] = {"collector", "arena", "heap"};

enum { MOST_ROUNDS = 101, MOVES_OF_SLICE = 16 };

typedef struct plan {
    kind memory;
    size_t kept, items, edits, slice;
    double growth;
} plan;

/* The figures of a memory. Times are in microseconds. */
typedef struct figures {
    double mean, median, high, longest, megabytes;
} figures;

static uint64_t
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void
require(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "kept_versions: %s\n", what);
    exit(EXIT_FAILURE);
}

static pqt_memory *
make_memory(const plan *p)
{
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.growth = p->growth;
    if (p->memory == COLLECTOR)
        return pqt_collector();
    pqt_memory *memory =
        p->memory == ARENA ? pqt_arena_make(0, NULL) : pqt_heap_make(&options, NULL);
    require(memory != NULL, "out of memory");
    return memory;
}

static int
compare_times(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static figures
figures_of(uint64_t *times, const plan *p, const pqt_memory *memory)
{
    double sum = 0;
    for (size_t i = 0; i < p->edits; i++)
        sum += (double)times[i];
    qsort(times, p->edits, sizeof *times, compare_times);
    return (figures){.mean = sum / (double)p->edits / 1e3,
                     .median = (double)times[p->edits / 2] / 1e3,
                     .high = (double)times[p->edits / 1000 * 999] / 1e3,
                     .longest = (double)times[p->edits - 1] / 1e3,
                     .megabytes = (double)pqt_memory_get_stats(memory).bytes / 1e6};
}

/* Keeps a version in a ring of pins. */
static void
keep(pqt_pin **place, const pqt_tree *tree)
{
    pqt_unpin(place);
    *place = pqt_tree_pin(tree, NULL);
    require(*place != NULL, "out of memory");
}

/* Keeps the version that edit `i` has made, and reclaims some of those that are no longer kept. */
static void
keep_and_reclaim(const plan *p, pqt_pin **ring, size_t i, const pqt_tree *tree)
{
    size_t steps = p->slice;
    if (p->kept == 0) {
        if (p->memory != HEAP || i % MOVES_OF_SLICE != 0)
            return;
        steps *= MOVES_OF_SLICE;
    }
    keep(&ring[p->kept == 0 ? 0 : i % p->kept], tree);
    if (p->memory == HEAP)
        pqt_memory_reclaim(pqt_tree_memory(tree), steps);
}

static figures
measure(const plan *p)
{
    const size_t before = 2 * p->kept + 100000;
    pqt_memory *memory = make_memory(p);
    pqt_item *items = malloc(p->items * sizeof *items);
    drawn_move *moves = malloc((before + p->edits) * sizeof *moves);
    pqt_pin **ring = calloc(p->kept + 1, sizeof(pqt_pin *));
    uint64_t *times = malloc(p->edits * sizeof *times);
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = memory;
    require(items != NULL && moves != NULL && ring != NULL && times != NULL, "out of memory");
    draw_items(UNIFORM, items, p->items);
    const pqt_tree *tree = pqt_tree_of(items, p->items, &options, NULL);
    draw_moves(UNIFORM, items, p->items, moves, before + p->edits);
    for (size_t i = 0; i < before + p->edits; i++) {
        const uint64_t start = now();
        tree = pqt_tree_move(tree, moves[i].from, moves[i].to, NULL);
        keep_and_reclaim(p, ring, i, tree);
        if (i >= before)
            times[i - before] = now() - start;
    }
    require(pqt_tree_count(tree) == p->items, "a move was lost");
    return figures_of(times, p, memory);
}

/* Measures in a separate process. */
static figures
measure_apart(const plan *p)
{
    int ends[2], status = 0;
    figures found;
    require(pipe(ends) == 0, "no pipe");
    const pid_t child = fork();
    if (child == 0) {
        found = measure(p);
        _exit(write(ends[1], &found, sizeof found) == sizeof found ? 0 : 1);
    }
    require(child > 0 && read(ends[0], &found, sizeof found) == sizeof found &&
                waitpid(child, &status, 0) == child && status == 0,
            "a measurement failed");
    close(ends[0]);
    close(ends[1]);
    return found;
}

static int
compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Returns a quantile of one of the figures over the rounds: 0 is the minimum, 0.5 the median. */
static double
of_rounds(const figures *found, size_t rounds, size_t offset, double fraction)
{
    double values[MOST_ROUNDS];
    for (size_t i = 0; i < rounds; i++)
        memcpy(&values[i], (const char *)&found[i] + offset, sizeof values[i]);
    qsort(values, rounds, sizeof *values, compare_doubles);
    return values[(size_t)((double)(rounds - 1) * fraction)];
}

static void
print_row(const figures *found, size_t rounds)
{
    printf(" %.2f | %.2f | %.1f | %.0f | %.0f |\n",
           of_rounds(found, rounds, offsetof(figures, mean), 0.5),
           of_rounds(found, rounds, offsetof(figures, median), 0.5),
           of_rounds(found, rounds, offsetof(figures, high), 0.5),
           of_rounds(found, rounds, offsetof(figures, longest), 0),
           of_rounds(found, rounds, offsetof(figures, megabytes), 0.5));
    fflush(stdout);
}

static void
print_head(const char *first)
{
    printf("| %s | mean us | median us | 99.9 %% us | longest us | MB |\n", first);
    printf("|---|%s---|---|---|---|---|\n", strchr(first, '|') != NULL ? "---|" : "");
}

/* Prints a table of all memories, for each number of kept versions in turn. */
static void
compare_memories(plan p, size_t rounds)
{
    static figures found[KINDS][MOST_ROUNDS];
    const kind first = pqt_collector() != NULL ? COLLECTOR : ARENA;
    for (size_t i = 0; i < rounds; i++)
        for (p.memory = first; p.memory < KINDS; p.memory++)
            found[p.memory][i] = measure_apart(&p);
    for (p.memory = first; p.memory < KINDS; p.memory++) {
        printf("| %zu | %s |", p.kept, kind_names[p.memory]);
        print_row(found[p.memory], rounds);
    }
}

static void
draw_curve(plan p, size_t rounds)
{
    static const double growths[] = {1.1, 1.25, 1.5, 2, 3, 4};
    enum { COUNT = sizeof growths / sizeof *growths };
    static figures found[COUNT][MOST_ROUNDS];
    p.memory = HEAP;
    for (size_t i = 0; i < rounds; i++)
        for (size_t k = 0; k < COUNT; k++) {
            p.growth = growths[k];
            found[k][i] = measure_apart(&p);
        }
    print_head("growth");
    for (size_t k = 0; k < COUNT; k++) {
        printf("| %g |", growths[k]);
        print_row(found[k], rounds);
    }
}

/* Parses the value of an option NAME VALUE. Returns false if it is a different option. */
static bool
read_option(const char *name, const char *given, const char *value, double *number)
{
    if (strcmp(name, given) != 0)
        return false;
    char *end = NULL;
    require(value != NULL, "an option has no value");
    *number = strtod(value, &end);
    require(*end == '\0' && *number >= 0, "a value is not a number of at least 0");
    return true;
}

int
main(int count, char **words)
{
    double items = 100000, edits = 0, slice = 64, growth = 1.5, rounds = 3, kept = 0;
    bool is_curve = false, has_head = false;
    for (int i = 1; i < count; i++) {
        if (read_option("--items", words[i], words[i + 1], &items) ||
            read_option("--edits", words[i], words[i + 1], &edits) ||
            read_option("--slice", words[i], words[i + 1], &slice) ||
            read_option("--rounds", words[i], words[i + 1], &rounds) ||
            read_option("--growth", words[i], words[i + 1], &growth)) {
            i++;
            continue;
        }
        if (strcmp(words[i], "--curve") == 0) {
            is_curve = true;
            continue;
        }
        (void)read_option(words[i], words[i], words[i], &kept);
        require(rounds >= 1 && rounds <= MOST_ROUNDS, "the rounds are not 1 to 101");
        plan p = {.kept = (size_t)kept,
                  .items = (size_t)items,
                  .edits = (size_t)(edits > 0       ? edits
                                    : kept > 200000 ? kept
                                                    : 200000),
                  .slice = (size_t)slice,
                  .growth = growth};
        if (is_curve) {
            draw_curve(p, (size_t)rounds);
            continue;
        }
        if (!has_head)
            print_head("kept | memory");
        has_head = true;
        compare_memories(p, (size_t)rounds);
    }
    return EXIT_SUCCESS;
}
