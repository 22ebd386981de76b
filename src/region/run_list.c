/* SPDX-License-Identifier: MIT */
/* run_list.c: lists the runs of a region. */
#include "config.h"

#include "region/run_list.h"

#include "base/error_internal.h"
#include "memory/memory_internal.h"

size_t pqti_most_runs = INT32_MAX;

static bool
count_run(const pqt_pixel_run *run, void *context)
{
    (void)run;
    return ++*(size_t *)context <= pqti_most_runs;
}

static bool
add_run(const pqt_pixel_run *run, void *context)
{
    pqti_run_list *list = context;
    list->runs[list->count++] = *run;
    return true;
}

bool
pqti_run_list_make(pqti_run_list *list, const pqt_region *region, size_t more, pqt_error *error)
{
    const pqt_pixel_box all = pqt_region_bounds(region);
    size_t count = 0;
    *list = (pqti_run_list){.count = 0};
    pqt_region_visit_runs(region, all, count_run, &count);
    if (count > pqti_most_runs) {
        pqti_error_set(error, PQT_ERROR_LIMIT, 0, "the region has more than %zu runs",
                       pqti_most_runs);
        return false;
    }
    list->runs = pqti_alloc_scratch(count + 1, sizeof *list->runs + more);
    if (list->runs == NULL) {
        pqti_out_of_memory(error);
        return false;
    }
    pqt_region_visit_runs(region, all, add_run, list);
    return true;
}

void
pqti_run_list_free(pqti_run_list *list)
{
    pqti_free_scratch(list->runs);
}
