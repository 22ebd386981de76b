/* SPDX-License-Identifier: MIT */
/*
 * kept_versions.c: W10, a move of a single item while the last K versions are kept by pins, in each
 * memory. Prints the mean, the median, the 99.9th percentile and the longest time of an edit, which
 * includes its pin, the unpin of the oldest version, and in a heap a slice of reclaiming.
 *
 *     kept_versions [--items N] [--edits N] [--growth G] [--slice BLOCKS] K...
 *
 * Each measurement runs in a process of its own. Times are by the wall clock, so that pauses count.
 */
#include "config.h"

#include <stdbool.h>
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

typedef struct plan {
    size_t items, edits, slice;
    double growth;
} plan;

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
make_memory(kind which, const plan *p)
{
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.growth = p->growth;
    if (which == COLLECTOR)
        return pqt_collector();
    pqt_memory *memory = which == ARENA ? pqt_arena_make(0, NULL) : pqt_heap_make(&options, NULL);
    require(memory != NULL, "no memory");
    return memory;
}

static int
compare_times(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void
print_times(kind which, size_t kept, uint64_t *times, const plan *p, const pqt_memory *memory)
{
    double sum = 0;
    for (size_t i = 0; i < p->edits; i++)
        sum += (double)times[i];
    qsort(times, p->edits, sizeof *times, compare_times);
    printf("%-9s %8zu kept: mean %8.2f us, median %7.2f, 99.9 %% %9.2f, longest %11.2f, %7.1f MB\n",
           kind_names[which], kept, sum / (double)p->edits / 1e3, (double)times[p->edits / 2] / 1e3,
           (double)times[p->edits / 1000 * 999] / 1e3, (double)times[p->edits - 1] / 1e3,
           (double)pqt_memory_get_stats(memory).bytes / 1e6);
    fflush(stdout);
}

static void
run(kind which, size_t kept, const plan *p)
{
    pqt_memory *memory = make_memory(which, p);
    pqt_item *items = malloc(p->items * sizeof *items);
    drawn_move *moves = malloc((p->edits + kept) * sizeof *moves);
    pqt_pin **ring = calloc(kept, sizeof(pqt_pin *));
    uint64_t *times = malloc(p->edits * sizeof *times);
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = memory;
    require(items != NULL && moves != NULL && ring != NULL && times != NULL, "no memory");
    draw_items(UNIFORM, items, p->items);
    const pqt_tree *tree = pqt_tree_of(items, p->items, &options, NULL);
    draw_moves(UNIFORM, items, p->items, moves, p->edits + kept);
    for (size_t i = 0; i < p->edits + kept; i++) {
        const uint64_t start = now();
        tree = pqt_tree_move(tree, moves[i].from, moves[i].to, NULL);
        pqt_unpin(&ring[i % kept]);
        ring[i % kept] = pqt_tree_pin(tree, NULL);
        if (which == HEAP)
            pqt_memory_reclaim(memory, p->slice);
        if (i >= kept)
            times[i - kept] = now() - start;
        require(ring[i % kept] != NULL, "no memory");
    }
    print_times(which, kept, times, p, memory);
    exit(EXIT_SUCCESS);
}

/* The value of an option NAME VALUE; false: it is another one. */
static bool
read_option(const char *name, const char *given, const char *value, double *number)
{
    if (strcmp(name, given) != 0)
        return false;
    char *end = NULL;
    require(value != NULL, "an option has no value");
    *number = strtod(value, &end);
    require(*end == '\0' && *number > 0, "the value of an option is no positive number");
    return true;
}

int
main(int count, char **words)
{
    double items = 100000, edits = 20000, slice = 64, growth = 1.5, kept = 0;
    for (int i = 1; i < count; i++) {
        if (read_option("--items", words[i], words[i + 1], &items) ||
            read_option("--edits", words[i], words[i + 1], &edits) ||
            read_option("--slice", words[i], words[i + 1], &slice) ||
            read_option("--growth", words[i], words[i + 1], &growth)) {
            i++;
            continue;
        }
        (void)read_option(words[i], words[i], words[i], &kept);
        const plan p = {(size_t)items, (size_t)edits, (size_t)slice, growth};
        for (int which = pqt_collector() != NULL ? COLLECTOR : ARENA; which < KINDS; which++) {
            int status = 0;
            const pid_t child = fork();
            if (child == 0)
                run((kind)which, (size_t)kept, &p);
            require(child > 0 && waitpid(child, &status, 0) == child && status == 0,
                    "a measurement failed");
        }
    }
    return EXIT_SUCCESS;
}
