/* SPDX-License-Identifier: MIT */
/* workloads.c - what is measured: each workload puts one contestant through one task. */
#include "workloads.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    PROBES = 1000,   /* windows by which contestants are compared where windows are not the task */
    PLAIN = 64,      /* of these, those that are looked up in a plain array as well */
    PROBE_HITS = 10, /* of a probe, about */
    SELF_PROBES = 100000, /* items whose own box is looked up, to count pairs */
    MOVES = 100000,
    WARMING_MOVES = 10000, /* moves before the clock runs: the heap finds its size */
    VERSIONS_LOOKED_AT = 64,
    VERSION_HITS = 100, /* of a window in the newest version, about; less in older ones */
    VERSIONS_MEASURED = 200
};

/* One contestant with its items. */
typedef struct trial {
    const workload *task;
    const peer *contestant;
    distribution shape;
    size_t count;
    pqt_item *items;
    void *state;
} trial;

/* Nanoseconds that this process has taken on all processors. */
static double
now(void)
{
    struct timespec spent;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return (double)spent.tv_sec * 1e9 + (double)spent.tv_nsec;
}

static void *
room(size_t count, size_t size)
{
    void *block = calloc(count, size);
    if (block == NULL) {
        fputs("bench: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return block;
}

static bool
complain(const trial *t, const char *sentence)
{
    fprintf(stderr, "bench: %s %c %zu: %s: %s\n", t->task->name, distribution_letter(t->shape),
            t->count, t->contestant->name, sentence);
    return false;
}

/* False: the contestant has no memory. */
static bool
start(trial *t, const workload *task, const peer *contestant, distribution shape, size_t count)
{
    *t = (trial){.task = task, .contestant = contestant, .shape = shape, .count = count};
    t->items = room(count, sizeof *t->items);
    draw_items(shape, t->items, count);
    t->state = contestant->make(t->items, count);
    return t->state != NULL || complain(t, "no memory");
}

static bool
start_built(trial *t, const workload *task, const peer *contestant, distribution shape,
            size_t count)
{
    if (!start(t, task, contestant, shape, count))
        return false;
    return contestant->build(t->state) || complain(t, "the index was not built");
}

static void
finish(trial *t)
{
    t->contestant->free(t->state);
    free(t->items);
}

static bool
is_same(answer a, answer b)
{
    return a.hits == b.hits && a.ids == b.ids;
}

static answer
ask(const trial *t, const pqt_box *windows, size_t count)
{
    answer found = {0, 0};
    for (size_t i = 0; i < count; i++)
        t->contestant->query(t->state, &windows[i], &found);
    return found;
}

/* What the first `count` items, as they are now, say to a window. */
static answer
ask_plainly(const trial *t, size_t count, const pqt_box *window)
{
    answer found = {0, 0};
    for (size_t i = 0; i < count; i++)
        if (pqt_box_touches(t->items[i].box, *window)) {
            found.hits++;
            found.ids += t->items[i].id;
        }
    return found;
}

/* Asks windows that are not the task, and compares some of the answers with the plain array. */
static bool
probe(const trial *t, answer *found)
{
    static pqt_box windows[PROBES];
    draw_windows(t->shape, t->count, PROBE_HITS, windows, PROBES);
    for (size_t i = 0; i < PLAIN; i++)
        if (!is_same(ask(t, &windows[i], 1), ask_plainly(t, t->count, &windows[i])))
            return complain(t, "finds something else than a plain array");
    *found = ask(t, windows, PROBES);
    return true;
}

/* As probe, and by the items' own boxes, which for some draws are known to make so many pairs. */
static bool
probe_pairs(const trial *t, answer *found)
{
    size_t asked = t->count < SELF_PROBES ? t->count : SELF_PROBES;
    answer pairs = {0, 0};
    if (!probe(t, found))
        return false;
    for (size_t i = 0; i < asked; i++)
        t->contestant->query(t->state, &t->items[i].box, &pairs);
    found->hits += pairs.hits;
    found->ids += pairs.ids;
    uint64_t known = known_pairs(t->shape, t->count);
    if (known != 0 && pairs.hits != t->count + 2 * known)
        return complain(t, "the items make another number of pairs than they should");
    return true;
}

/* Builds twice: the first time, memory comes fresh from the system, which is no work of ours. */
static bool
run_build(const workload *self, const peer *contestant, distribution shape, size_t count,
          figure figures[MOST_FIGURES])
{
    trial t;
    if (!start_built(&t, self, contestant, shape, count))
        return false;
    finish(&t);
    if (!start(&t, self, contestant, shape, count))
        return false;
    double begun = now();
    if (!contestant->build(t.state))
        return complain(&t, "the index was not built");
    figures[0].value = (now() - begun) / (double)count;
    bool right = probe_pairs(&t, &figures[0].found);
    finish(&t);
    return right;
}

/* Some of the kept versions, asked a window each: they hold what was inserted until then. */
static bool
probe_versions(const trial *t, answer *found)
{
    pqt_box windows[VERSIONS_LOOKED_AT];
    draw_windows(t->shape, t->count, VERSION_HITS, windows, VERSIONS_LOOKED_AT);
    for (size_t i = 0; i < VERSIONS_LOOKED_AT; i++) {
        size_t version = t->count * (i + 1) / VERSIONS_LOOKED_AT;
        answer kept = {0, 0};
        t->contestant->history->query(t->state, version, &windows[i], &kept);
        if (!is_same(kept, ask_plainly(t, version, &windows[i])))
            return complain(t, "an old version is not what it was");
        found->hits += kept.hits;
        found->ids += kept.ids;
    }
    return true;
}

static double
mean_own_bytes(const trial *t)
{
    size_t measured = t->count < VERSIONS_MEASURED ? t->count : VERSIONS_MEASURED;
    double sum = 0;
    for (size_t i = 0; i < measured; i++)
        sum += t->contestant->history->own_bytes(t->state, t->count * (i + 1) / measured);
    return sum / (double)measured;
}

/* The heap grows as it goes, as a user's would: no warming up. */
static bool
run_history(const workload *self, const peer *contestant, distribution shape, size_t count,
            figure figures[MOST_FIGURES])
{
    trial t;
    const peer_history *history = contestant->history;
    if (!start(&t, self, contestant, shape, count))
        return false;
    if (!history->begin(t.state, count))
        return complain(&t, "the first version was not made");
    double bytes = history->memory_bytes(t.state);
    double begun = now();
    for (size_t i = 0; i < count; i++)
        if (!history->insert(t.state, &t.items[i]))
            return complain(&t, "an item was not inserted");
    figures[0].value = (now() - begun) / (double)count;
    figures[1].value = mean_own_bytes(&t);
    figures[2].value = (history->memory_bytes(t.state) - bytes) / (double)count;
    bool right = probe_versions(&t, &figures[0].found);
    finish(&t);
    return right;
}

static bool
move_all(const trial *t, const drawn_move *moves, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!t->contestant->move(t->state, &moves[i].from, &moves[i].to))
            return complain(t, "an item was not moved");
    return true;
}

static bool
run_moves(const workload *self, const peer *contestant, distribution shape, size_t count,
          figure figures[MOST_FIGURES])
{
    trial t;
    if (!start_built(&t, self, contestant, shape, count))
        return false;
    drawn_move *moves = room(WARMING_MOVES + MOVES, sizeof *moves);
    draw_moves(t.items, count, moves, WARMING_MOVES + MOVES);
    bool moved = move_all(&t, moves, WARMING_MOVES);
    double begun = now();
    moved = moved && move_all(&t, moves + WARMING_MOVES, MOVES);
    figures[0].value = (now() - begun) / MOVES;
    bool right = moved && probe(&t, &figures[0].found);
    free(moves);
    finish(&t);
    return right;
}

/* How many hits each figure of W3 is about, and how many windows it takes to see the time. */
static const struct {
    unsigned hits;
    size_t windows;
} sizes[MOST_FIGURES] = {{1, 20000}, {10, 20000}, {100, 10000}, {1000, 2000}};

static void
time_windows(const trial *t, unsigned hits, size_t count, figure *out)
{
    pqt_box *windows = room(count, sizeof *windows);
    draw_windows(t->shape, t->count, hits, windows, count);
    (void)ask(t, windows,
              count); /* once before the clock runs, so that caches hold what they can */
    double begun = now();
    out->found = ask(t, windows, count);
    out->value = (now() - begun) / (double)count;
    free(windows);
}

static bool
run_windows(const workload *self, const peer *contestant, distribution shape, size_t count,
            figure figures[MOST_FIGURES])
{
    trial t;
    answer found;
    if (!start_built(&t, self, contestant, shape, count))
        return false;
    bool right = probe(&t, &found);
    for (size_t i = 0; right && i < MOST_FIGURES; i++)
        time_windows(&t, sizes[i].hits, sizes[i].windows, &figures[i]);
    finish(&t);
    return right;
}

static bool
run_bytes(const workload *self, const peer *contestant, distribution shape, size_t count,
          figure figures[MOST_FIGURES])
{
    trial t;
    if (!start_built(&t, self, contestant, shape, count))
        return false;
    figures[0].value = contestant->bytes(t.state) / (double)count;
    bool right = probe(&t, &figures[0].found);
    finish(&t);
    return right;
}

const workload workloads[] = {
    {"W1", "build from an array", {"W1"}, {"ns/item"}, "U", false, run_build},
    {"W2",
     "insert one by one, every version kept: time; bytes a version adds; growth of the memory",
     {"W2", "W2-bytes", "W2-memory"},
     {"ns/insert", "B/version", "B/version"},
     "U",
     true,
     run_history},
    {"W2b",
     "move an item by up to 10, the newest kept",
     {"W2b"},
     {"ns/move"},
     "UM",
     false,
     run_moves},
    {"W3",
     "windows of about 1, 10, 100, 1000 hits",
     {"W3-1", "W3-10", "W3-100", "W3-1000"},
     {"ns/query", "ns/query", "ns/query", "ns/query"},
     "UCM",
     false,
     run_windows},
    {"W9", "bytes held, items included", {"W9"}, {"B/item"}, "U", false, run_bytes},
};

const size_t workload_count = sizeof workloads / sizeof workloads[0];
