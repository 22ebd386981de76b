/* SPDX-License-Identifier: MIT */
/* contestant_run.c: one run of a contestant, from its start to its end. */
#include "contestant_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double
trial_now(void)
{
    struct timespec spent;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return (double)spent.tv_sec * 1e9 + (double)spent.tv_nsec;
}

void *
trial_room(size_t count, size_t size)
{
    void *block = calloc(count, size);
    if (block == NULL) {
        fputs("bench: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return block;
}

bool
trial_complain(const trial *t, const char *sentence)
{
    fprintf(stderr, "bench: %s %s %zu: %s: %s\n", t->task->name, distribution_name(t->shape),
            t->count, t->contestant->name, sentence);
    return false;
}

bool
trial_start(trial *t, const workload *task, const peer *contestant, distribution shape,
            size_t count)
{
    *t = (trial){.task = task, .contestant = contestant, .shape = shape, .count = count};
    t->items = trial_room(count, sizeof *t->items);
    draw_items(shape, t->items, count);
    t->state = contestant->make(t->items, count, declared_world(shape));
    return t->state != NULL || trial_complain(t, "out of memory");
}

bool
trial_start_built(trial *t, const workload *task, const peer *contestant, distribution shape,
                  size_t count)
{
    if (!trial_start(t, task, contestant, shape, count))
        return false;
    return contestant->build(t->state) || trial_complain(t, "the index was not built");
}

void
trial_finish(trial *t)
{
    t->contestant->free(t->state);
    free(t->items);
}

bool
answer_equals(answer a, answer b)
{
    return a.hits == b.hits && a.ids == b.ids;
}
