/* SPDX-License-Identifier: MIT */
/* measure.c: runs the contestants of a workload in turn, each run in its own process. */
#include "measure.h"

#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The figures of all runs of one contestant. */
typedef struct runs {
    figure figures[MOST_REPEATS][MOST_FIGURES];
} runs;

static bool
complain(const plan *what, const peer *contestant, const char *sentence)
{
    fprintf(stderr, "bench: %s %s %zu: %s: %s\n", what->task->name, distribution_name(what->shape),
            what->count, contestant->name, sentence);
    return false;
}

/* Called in the child: writes the figures to the pipe if the run was correct. Never returns. */
static void
run_and_write(const plan *what, const peer *contestant, int out)
{
    figure figures[MOST_FIGURES] = {0};
    bool right = what->task->run(what->task, contestant, what->shape, what->count, figures) &&
                 write(out, figures, sizeof figures) == (ssize_t)sizeof figures;
    fflush(stderr);
    _exit(right ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* Reads the figures. They are smaller than the capacity of a pipe, so they arrive as a whole or not
   at all. */
static bool
read_figures(int in, figure figures[MOST_FIGURES])
{
    const ssize_t size = (ssize_t)(MOST_FIGURES * sizeof *figures);
    return read(in, figures, (size_t)size) == size;
}

/* Returns the processor time that a child has used, in seconds. The child may have ended. */
static double
seconds_of(pid_t child)
{
    clockid_t clock;
    struct timespec spent = {0, 0};
    if (clock_getcpuclockid(child, &clock) == 0)
        (void)clock_gettime(clock, &spent);
    return (double)spent.tv_sec + (double)spent.tv_nsec / 1e9;
}

/*
 * Waits until a child writes or ends. Returns false if it takes too long. The parent polls the
 * child's processor time, because a limit set by setrlimit would make the child's own clock advance
 * in steps of the system's timer.
 */
static bool
child_writes_or_ends(pid_t child, int in, double most_seconds)
{
    enum { POLL_MILLISECONDS = 50 };
    struct pollfd poller = {.fd = in, .events = POLLIN};
    while (poll(&poller, 1, POLL_MILLISECONDS) == 0)
        if (seconds_of(child) > most_seconds)
            return false;
    return true;
}

static ending
read_child(pid_t child, int in, double most_seconds, figure figures[MOST_FIGURES])
{
    int status = 0;
    bool in_time = child_writes_or_ends(child, in, most_seconds);
    if (!in_time)
        kill(child, SIGKILL);
    bool has_figures = read_figures(in, figures);
    if (waitpid(child, &status, 0) != child)
        return CRASHED;
    if (!in_time)
        return UNFINISHED;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FAILURE)
        return WRONG;
    return has_figures && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS ? MEASURED
                                                                                   : CRASHED;
}

/* Returns the time limit. Runs of pqt have none. */
static double
limit_of(const plan *what, const peer *contestant)
{
    return contestant->is_pqt ? HUGE_VAL : what->most_seconds;
}

static ending
run_apart(const plan *what, const peer *contestant, figure figures[MOST_FIGURES])
{
    int ends[2];
    if (pipe(ends) != 0)
        return CRASHED;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_and_write(what, contestant, ends[1]);
    }
    close(ends[1]);
    ending ended =
        child > 0 ? read_child(child, ends[0], limit_of(what, contestant), figures) : CRASHED;
    close(ends[0]);
    return ended;
}

/* Returns true if a contestant has the same answers as pqt, for each figure. */
static bool
agrees(const plan *what, const peer *contestant, const figure *pqt, const figure *other)
{
    for (int i = 0; i < MOST_FIGURES; i++) {
        answer a = pqt[i].found, b = other[i].found;
        if (a.hits == b.hits && a.ids == b.ids)
            continue;
        fprintf(stderr,
                "bench: pqt found %" PRIu64 " hits, in sum %" PRIu64 "; %s found %" PRIu64
                ", %" PRIu64 "\n",
                a.hits, a.ids, contestant->name, b.hits, b.ids);
        return complain(what, contestant, "answers differ");
    }
    return true;
}

/* Runs one contestant once. all[0] belongs to pqt. */
static ending
run_one(const plan *what, size_t i, size_t repeat, runs all[])
{
    const peer *contestant = what->contestants[i];
    figure *figures = all[i].figures[repeat];
    if (!what->task->suits(contestant))
        return UNSUITED;
    ending ended = run_apart(what, contestant, figures);
    if (ended == MEASURED && !agrees(what, contestant, all[0].figures[0], figures))
        return WRONG;
    if (ended == CRASHED)
        (void)complain(what, contestant, "the run failed");
    return ended;
}

static int
compare_values(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Summarises runs. The median of an even number of runs is the lower of the middle two, so that it
 * is a measured value. */
static measured
sum_up(const runs *of, size_t repeats, size_t figure_index)
{
    double values[MOST_REPEATS];
    for (size_t i = 0; i < repeats; i++)
        values[i] = of->figures[i][figure_index].value;
    qsort(values, repeats, sizeof *values, compare_values);
    return (measured){values[(repeats - 1) / 2], (values[repeats - 1] - values[0]) / 2};
}

bool
measure(const plan *what, outcome outcomes[MOST_CONTESTANTS])
{
    static runs all[MOST_CONTESTANTS];
    for (size_t repeat = 0; repeat < what->repeats; repeat++)
        for (size_t i = 0; i < what->contestant_count; i++) {
            if (repeat > 0 && outcomes[i].ended != MEASURED)
                continue;
            outcomes[i].ended = run_one(what, i, repeat, all);
            if (what->contestants[i]->is_pqt && outcomes[i].ended > UNSUITED)
                return false;
        }
    for (size_t i = 0; i < what->contestant_count; i++)
        for (size_t j = 0; j < MOST_FIGURES; j++)
            outcomes[i].figures[j] = sum_up(&all[i], what->repeats, j);
    return true;
}
