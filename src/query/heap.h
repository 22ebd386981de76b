/* SPDX-License-Identifier: MIT */
/*
 * heap.h - the first of many outcomes, gathered in the caller's array as they come.
 *
 * This is a template as rank.h is: nearest.c and ray.c define the type `outcome` before they
 * include it, and is_earlier after. As soon as the array is full it is a heap with the last outcome
 * on top, which goes if an earlier one comes. In the end it is put in order. J. W. J. Williams,
 * "Algorithm 232: heapsort", 1964.
 */
#ifndef PQTI_HEAP_H
#define PQTI_HEAP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct gathering {
    outcome *all;
    size_t room, count; /* how many there may be, and are */
    size_t found;       /* and how many came */
} gathering;

static inline bool is_earlier(const outcome *a, const outcome *b);

/* An outcome goes down from `at` until none below it is later. */
static void
sink(outcome *all, size_t count, size_t at, outcome one)
{
    for (size_t below = 2 * at + 1; below < count; below = 2 * at + 1) {
        if (below + 1 < count && is_earlier(&all[below], &all[below + 1]))
            below++;
        if (!is_earlier(&one, &all[below]))
            break;
        all[at] = all[below];
        at = below;
    }
    all[at] = one;
}

static void
make_heap(const gathering *g)
{
    for (size_t i = g->count / 2; i-- > 0;)
        sink(g->all, g->count, i, g->all[i]);
}

static void
gather(gathering *g, outcome one)
{
    g->found++;
    if (g->count < g->room) {
        g->all[g->count++] = one;
        if (g->count == g->room)
            make_heap(g);
    } else if (g->room > 0 && is_earlier(&one, &g->all[0])) {
        sink(g->all, g->count, 0, one);
    }
}

/* Puts what was gathered in order, the last first to its place. */
static void
put_in_order(const gathering *g)
{
    if (g->count < g->room)
        make_heap(g);
    for (size_t i = g->count; i-- > 1;) {
        outcome one = g->all[i];
        g->all[i] = g->all[0];
        sink(g->all, i, 0, one);
    }
}

#endif
