/* SPDX-License-Identifier: MIT */
/*
 * writer_and_reader.c: one writer that publishes every change, and a concurrent reader.
 *
 * A read is timed by the wall clock, which includes waiting and other load on the machine, and by
 * processor time, which does not. The reader first runs without a writer, and then until the writer
 * has made all its moves. Its results depend on the progress of the writer, so answers are compared
 * after all moves.
 */
#include "tasks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "contestant_run.h"

enum { MOVES = 100000, WINDOWS = 4096, HITS = 10, PLAIN = 64, READS_ALONE = 300000 };

/* The arguments and results of the reader's thread. */
typedef struct reading {
    const trial *t;
    const pqt_box *windows;
    atomic_bool entered, stop;
    bool failed;
    size_t most;  /* the maximum number of reads; SIZE_MAX: until it is stopped */
    size_t reads; /* the number of reads so far */
    /* total wall-clock and processor time, and the longest wall-clock time of a read */
    double spent, busy, slowest;
} reading;

static double
read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Reads in a loop. Each read is timed from the end of the previous one. */
static void
read_on(reading *r, void *reader)
{
    answer found = {0, 0};
    const double begun = read_clock(CLOCK_MONOTONIC);
    const double busy = read_clock(CLOCK_THREAD_CPUTIME_ID);
    double before = begun, now = begun;
    for (; r->reads < r->most && !atomic_load_explicit(&r->stop, memory_order_relaxed);
         r->reads++, before = now) {
        r->t->contestant->sharing->read(reader, &r->windows[r->reads % WINDOWS], &found);
        now = read_clock(CLOCK_MONOTONIC);
        if (now - before > r->slowest)
            r->slowest = now - before;
    }
    r->spent = now - begun;
    r->busy = read_clock(CLOCK_THREAD_CPUTIME_ID) - busy;
}

static void *
run_reader(void *context)
{
    reading *r = context;
    const peer_sharing *sharing = r->t->contestant->sharing;
    void *reader = sharing->enter(r->t->state);
    r->failed = reader == NULL;
    atomic_store(&r->entered, true);
    if (reader == NULL)
        return NULL;
    read_on(r, reader);
    sharing->leave(reader);
    return NULL;
}

static bool
begin_reader(reading *r, pthread_t *thread)
{
    if (pthread_create(thread, NULL, run_reader, r) != 0)
        return trial_complain(r->t, "no thread");
    while (!atomic_load(&r->entered))
        nanosleep(&(struct timespec){0, 100000}, NULL);
    return true;
}

static bool
end_reader(reading *r, pthread_t thread)
{
    pthread_join(thread, NULL);
    return !r->failed || trial_complain(r->t, "the reader could not begin");
}

static bool
time_alone(const trial *t, const pqt_box *windows, figure *alone)
{
    reading r = {.t = t, .windows = windows, .most = READS_ALONE};
    pthread_t thread;
    if (!begin_reader(&r, &thread) || !end_reader(&r, thread))
        return false;
    alone->value = r.busy / (double)r.reads;
    return true;
}

static bool
time_together(const trial *t, const pqt_box *windows, const drawn_move *moves, figure *reads,
              figure *busy, figure *slowest)
{
    reading r = {.t = t, .windows = windows, .most = SIZE_MAX};
    pthread_t thread;
    bool moved = true;
    if (!begin_reader(&r, &thread))
        return false;
    for (size_t i = 0; i < MOVES && moved; i++)
        moved = t->contestant->sharing->write(t->state, &moves[i].from, &moves[i].to);
    atomic_store(&r.stop, true);
    if (!end_reader(&r, thread) || !moved || r.reads == 0)
        return trial_complain(t, "the run has no result");
    reads->value = r.spent / (double)r.reads;
    busy->value = r.busy / (double)r.reads;
    slowest->value = r.slowest / 1e6;
    return true;
}

static answer
ask_plainly(const trial *t, const pqt_box *window)
{
    answer found = {0, 0};
    for (size_t i = 0; i < t->count; i++)
        if (pqt_box_touches(t->items[i].box, *window)) {
            found.hits++;
            found.ids += t->items[i].id;
        }
    return found;
}

/* Compares the answers after all moves with the moved items. */
static bool
probe_shared(const trial *t, const pqt_box *windows, answer *found)
{
    const peer_sharing *sharing = t->contestant->sharing;
    void *reader = sharing->enter(t->state);
    bool right = reader != NULL;
    for (size_t i = 0; i < WINDOWS && right; i++) {
        answer one = {0, 0};
        sharing->read(reader, &windows[i], &one);
        right = i >= PLAIN || answer_equals(one, ask_plainly(t, &windows[i]));
        found->hits += one.hits;
        found->ids += one.ids;
    }
    if (reader != NULL)
        sharing->leave(reader);
    return right || trial_complain(t, "finds something else than a plain array");
}

bool
run_sharing(const workload *self, const peer *contestant, distribution shape, size_t count,
            figure figures[MOST_FIGURES])
{
    trial t;
    if (!trial_start(&t, self, contestant, shape, count))
        return false;
    if (!contestant->sharing->begin(t.state))
        return trial_complain(&t, "the index was not built");
    pqt_box *windows = trial_room(WINDOWS, sizeof *windows);
    drawn_move *moves = trial_room(MOVES, sizeof *moves);
    draw_windows(shape, count, HITS, windows, WINDOWS);
    draw_moves(shape, t.items, count, moves, MOVES);
    bool right = time_alone(&t, windows, &figures[2]) &&
                 time_together(&t, windows, moves, &figures[0], &figures[1], &figures[3]) &&
                 probe_shared(&t, windows, &figures[0].found);
    free(moves);
    free(windows);
    trial_finish(&t);
    return right;
}
