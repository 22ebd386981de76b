/* SPDX-License-Identifier: MIT */
/* run_list.h: the runs of a region as an array. */
#ifndef PQTI_RUN_LIST_H
#define PQTI_RUN_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/region.h>

/* The maximum number of runs: twice as many edges have 32-bit numbers, and one number is free. Only
 * tests change it. */
extern size_t pqti_most_runs;

typedef struct pqti_run_list {
    pqt_pixel_run *runs; /* all runs, in row order, in scratch memory */
    size_t count;
} pqti_run_list;

/*
 * Lists the runs of a region. Behind them are `more` further bytes for each run and one run more,
 * from pqti_run_list_extra on. Returns false and sets an error when out of memory, or if there are
 * more than pqti_most_runs.
 */
bool pqti_run_list_make(pqti_run_list *list, const pqt_region *region, size_t more,
                        pqt_error *error);
void pqti_run_list_free(pqti_run_list *list);

static inline void *
pqti_run_list_extra(const pqti_run_list *list)
{
    return list->runs + list->count + 1;
}

/* Returns the index of the first run below the row of the run `first`. */
static inline size_t
pqti_run_list_end_of_row(const pqti_run_list *list, size_t first)
{
    size_t end = first;
    while (end < list->count && list->runs[end].y == list->runs[first].y)
        end++;
    return end;
}

#endif
