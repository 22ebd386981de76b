/* SPDX-License-Identifier: MIT */
/* measure.c - runs of a workload: every contestant in turn, each run in a process of its own. */
#include "measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* All figures of all runs of one contestant. */
typedef struct runs {
    figure figures[MOST_REPEATS][MOST_FIGURES];
} runs;

static bool
complain(const plan *what, const peer *contestant, const char *sentence)
{
    fprintf(stderr, "bench: %s %c %zu: %s: %s\n", what->task->name,
            distribution_letter(what->shape), what->count, contestant->name, sentence);
    return false;
}

/* In the child: figures go to the pipe if the run was right. Never returns. */
static void
run_and_tell(const plan *what, const peer *contestant, int out)
{
    figure figures[MOST_FIGURES] = {0};
    bool right = what->task->run(what->task, contestant, what->shape, what->count, figures) &&
                 write(out, figures, sizeof figures) == (ssize_t)sizeof figures;
    fflush(stderr);
    _exit(right ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* What a child wrote is less than a pipe holds, so it comes in one piece or not at all. */
static bool
hear(pid_t child, int in, figure figures[MOST_FIGURES])
{
    const ssize_t size = (ssize_t)(MOST_FIGURES * sizeof *figures);
    int status = 0;
    bool heard = read(in, figures, (size_t)size) == size;
    bool ended = waitpid(child, &status, 0) == child;
    return heard && ended && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

static bool
run_apart(const plan *what, const peer *contestant, figure figures[MOST_FIGURES])
{
    int ends[2];
    if (pipe(ends) != 0)
        return complain(what, contestant, "no pipe");
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_and_tell(what, contestant, ends[1]);
    }
    close(ends[1]);
    bool told = child > 0 && hear(child, ends[0], figures);
    close(ends[0]);
    return told || complain(what, contestant, "the run failed");
}

/* Whether a contestant found what pqt found, in each figure. */
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

static bool
run_all(const plan *what, runs all[])
{
    for (size_t repeat = 0; repeat < what->repeats; repeat++)
        for (size_t i = 0; i < what->contestant_count; i++) {
            const peer *contestant = what->contestants[i];
            figure *figures = all[i].figures[repeat];
            if (!what->task->suits(contestant))
                continue;
            if (!run_apart(what, contestant, figures) ||
                !agrees(what, contestant, all[0].figures[0], figures))
                return false;
        }
    return true;
}

static int
compare_values(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of an even number of runs, the lower middle one: a value that was measured. */
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
    if (!run_all(what, all))
        return false;
    for (size_t i = 0; i < what->contestant_count; i++) {
        outcomes[i].possible = what->task->suits(what->contestants[i]);
        for (size_t j = 0; outcomes[i].possible && j < MOST_FIGURES; j++)
            outcomes[i].figures[j] = sum_up(&all[i], what->repeats, j);
    }
    return true;
}
