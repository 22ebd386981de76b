/* SPDX-License-Identifier: MIT */
/*
 * bench.c: the benchmark, which compares pqt with its peers in one run.
 *
 * Only ratios within one run are meaningful, because machines and their loads differ. workloads.h
 * lists the tasks, random_boxes.h makes the data, and measure.h runs the contestants.
 */
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "options.h"
#include "peers.h"
#include "report.h"

/* Lists pqt first, then its peers. */
static void
choose_contestants(const options *o, plan *what)
{
    what->contestants[what->contestant_count++] = &peer_pqt;
    for (size_t i = 0; i < memory_count; i++)
        /* without the collector, pqt already uses an arena */
        if (lists(o->memories, memories[i].name) && pqt_collector() != NULL)
            what->contestants[what->contestant_count++] = memories[i].contestant;
    for (size_t i = 0; i < peer_count; i++)
        if (peers[i].contestant != NULL && (o->peers == NULL || lists(o->peers, peers[i].name)))
            what->contestants[what->contestant_count++] = peers[i].contestant;
}

static bool
is_wanted(const options *o, const workload *task, distribution shape)
{
    const char *name = distribution_name(shape);
    return o->chooses_shapes ? o->shapes[shape] : strchr(task->shapes, name[0]) != NULL;
}

/* Returns true if every peer that finished has the same answers as pqt. */
static bool
all_agree(const plan *what, const outcome outcomes[])
{
    bool agree = true;
    for (size_t i = 0; i < what->contestant_count; i++)
        agree = agree && outcomes[i].ended != WRONG && outcomes[i].ended != CRASHED;
    return agree;
}

/* Runs one workload on all selected distributions. */
static bool
run_workload(const options *o, plan *what)
{
    bool right = true;
    if (!what->task->suits(what->contestants[0]))
        return true;
    report_task(o->form, what);
    for (int i = 0; i < DISTRIBUTIONS; i++) {
        outcome outcomes[MOST_CONTESTANTS];
        what->shape = (distribution)i;
        if (!is_wanted(o, what->task, what->shape))
            continue;
        if (is_too_much(what->task, what->shape, what->count)) {
            report_too_much(o->form, what);
            continue;
        }
        if (!measure(what, outcomes))
            return false;
        report(o->form, what, outcomes);
        right = right && (is_cliff(what->shape) || all_agree(what, outcomes));
    }
    return right;
}

int
main(int argc, char **argv)
{
    options o = options_of(argc, argv);
    plan what = {.repeats = o.repeats, .most_seconds = o.most_seconds};
    bool right = true;
    choose_contestants(&o, &what);
    report_begin(o.form, &what);
    for (size_t i = 0; i < workload_count; i++) {
        if (o.workloads != NULL && !lists(o.workloads, workloads[i].name))
            continue;
        what.task = &workloads[i];
        for (size_t j = 0; j < o.count_count; j++) {
            what.count = o.counts[j];
            right = run_workload(&o, &what) && right;
        }
    }
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
