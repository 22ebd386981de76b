/* SPDX-License-Identifier: MIT */
/*
 * tasks.h: the `run` functions of the workloads that have files of their own; see struct workload.
 */
#ifndef BENCH_TASKS_H
#define BENCH_TASKS_H

#include "workloads.h"

/* pair_tasks.c: finds pairs */
bool run_pairs(const workload *self, const peer *contestant, distribution shape, size_t count,
               figure figures[MOST_FIGURES]);
bool run_frames(const workload *self, const peer *contestant, distribution shape, size_t count,
                figure figures[MOST_FIGURES]);
bool run_few_moves(const workload *self, const peer *contestant, distribution shape, size_t count,
                   figure figures[MOST_FIGURES]);

/* nearest_and_rays.c: finds nearest items, and the first items on segments */
bool run_nearest(const workload *self, const peer *contestant, distribution shape, size_t count,
                 figure figures[MOST_FIGURES]);
bool run_segments(const workload *self, const peer *contestant, distribution shape, size_t count,
                  figure figures[MOST_FIGURES]);
bool run_sweeps(const workload *self, const peer *contestant, distribution shape, size_t count,
                figure figures[MOST_FIGURES]);

/* writer_and_reader.c: runs a writer and a reader at once */
bool run_sharing(const workload *self, const peer *contestant, distribution shape, size_t count,
                 figure figures[MOST_FIGURES]);

#endif
