/* SPDX-License-Identifier: MIT */
/*
 * nearest_and_rays.c: finds the items nearest to a point, and the first item that a segment or a
 * moving box meets.
 *
 * Contestants return ids. The distances of all contestants are computed here by the same function,
 * after the clock has stopped. The bits of the distances are compared, not the ids: if several
 * boxes contain the point, any of them is correct.
 */
#include <stdlib.h>
#include <string.h>

#include <pqt/segment.h>

#include "contestant_run.h"
#include "segment_slab.h"
#include "tasks.h"

enum { QUERIES = 20000, CLIFF_QUERIES = 1000, PLAIN = 16, NEAREST = 10, POINT_HITS = 10 };

/* The result for a segment that meets nothing. Real fractions are at most 1. */
static const double NOTHING_MET = 2;

/* Returns the number of queries. It is smaller on a cliff, where a query may take a thousand times
 * longer. */
static size_t
queries_of(distribution shape)
{
    return is_cliff(shape) ? CLIFF_QUERIES : QUERIES;
}

static void
add_number(answer *found, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    found->hits++;
    found->ids += bits;
}

/* Inserts a number into the sorted list of the smallest numbers so far. Returns the new length. */
static size_t
keep_least(double least[NEAREST], size_t count, double number)
{
    if (count == NEAREST && number >= least[NEAREST - 1])
        return count;
    size_t at = count < NEAREST ? count++ : NEAREST - 1;
    for (; at > 0 && least[at - 1] > number; at--)
        least[at] = least[at - 1];
    least[at] = number;
    return count;
}

static answer
nearest_plainly(const trial *t, pqt_vec from)
{
    double least[NEAREST];
    size_t count = 0;
    answer found = {0, 0};
    for (size_t i = 0; i < t->count; i++)
        count = keep_least(least, count, pqt_box_distance_to_point(t->items[i].box, from));
    for (size_t i = 0; i < count; i++)
        add_number(&found, least[i]);
    return found;
}

static void
add_distances(const trial *t, pqt_vec from, const uint64_t *ids, size_t count, answer *found)
{
    for (size_t i = 0; i < count; i++)
        add_number(found, pqt_box_distance_to_point(t->items[ids[i]].box, from));
}

static void
ask_nearest(const trial *t, const pqt_vec *points, uint64_t (*ids)[NEAREST], size_t *counts)
{
    for (size_t i = 0; i < queries_of(t->shape); i++)
        counts[i] = t->contestant->sight->nearest(t->state, points[i], NEAREST, ids[i]);
}

/* Draws points at the centres of windows, so that they are near items. */
static void
draw_points(distribution shape, size_t count, pqt_vec *points)
{
    const size_t queries = queries_of(shape);
    pqt_box *windows = trial_room(queries, sizeof *windows);
    draw_windows(shape, count, POINT_HITS, windows, queries);
    for (size_t i = 0; i < queries; i++)
        points[i] = pqt_box_centre(windows[i]);
    free(windows);
}

static bool
is_nearest_right(const trial *t, const pqt_vec *points, uint64_t (*ids)[NEAREST],
                 const size_t *counts, answer *found)
{
    for (size_t i = 0; i < queries_of(t->shape); i++) {
        answer one = {0, 0};
        add_distances(t, points[i], ids[i], counts[i], &one);
        if (i < PLAIN && !answer_equals(one, nearest_plainly(t, points[i])))
            return trial_complain(t, "finds others nearest than a plain array");
        found->hits += one.hits;
        found->ids += one.ids;
    }
    return true;
}

bool
run_nearest(const workload *self, const peer *contestant, distribution shape, size_t count,
            figure figures[MOST_FIGURES])
{
    trial t;
    if (!trial_start_built(&t, self, contestant, shape, count))
        return false;
    const size_t queries = queries_of(shape);
    pqt_vec *points = trial_room(queries, sizeof *points);
    uint64_t(*ids)[NEAREST] = trial_room(queries, sizeof *ids);
    size_t *counts = trial_room(queries, sizeof *counts);
    draw_points(shape, count, points);
    ask_nearest(&t, points, ids, counts);
    double begun = trial_now();
    ask_nearest(&t, points, ids, counts);
    figures[0].value = (trial_now() - begun) / (double)queries;
    bool right = is_nearest_right(&t, points, ids, counts, &figures[0].found);
    free(counts);
    free(ids);
    free(points);
    trial_finish(&t);
    return right;
}

/* Queries along segments. `half` is 0 for plain segments; otherwise it is half the size of a box
   whose centre moves along the segment. */
typedef struct ways {
    pqt_vec half;
    pqt_segment *segments;
    uint64_t *ids; /* the ids of the first hits; the number of items if there is none */
} ways;

/* Returns the fraction at which the centre enters the box enlarged by `half`, or NOTHING_MET if it
 * does not. */
static double
fraction_of(const ways *w, size_t i, const pqt_box *box)
{
    double fraction;
    slabs s = slabs_of(&w->segments[i]);
    pqt_box grown = {pqt_vec_subtract(box->min, w->half), pqt_vec_add(box->max, w->half)};
    return slabs_enter(&s, &grown, 1, &fraction) ? fraction : NOTHING_MET;
}

static double
first_plainly(const trial *t, const ways *w, size_t i)
{
    double first = NOTHING_MET;
    for (size_t j = 0; j < t->count; j++) {
        double fraction = fraction_of(w, i, &t->items[j].box);
        if (fraction < first)
            first = fraction;
    }
    return first;
}

static void
ask_segments(const trial *t, const ways *w)
{
    for (size_t i = 0; i < queries_of(t->shape); i++)
        if (!t->contestant->sight->first_hit(t->state, &w->segments[i], &w->ids[i]))
            w->ids[i] = t->count;
}

static void
ask_sweeps(const trial *t, const ways *w)
{
    for (size_t i = 0; i < queries_of(t->shape); i++)
        if (!t->contestant->sight->first_met(t->state, w->half, &w->segments[i], &w->ids[i]))
            w->ids[i] = t->count;
}

static bool
is_first_right(const trial *t, const ways *w, answer *found)
{
    for (size_t i = 0; i < queries_of(t->shape); i++) {
        double fraction =
            w->ids[i] < t->count ? fraction_of(w, i, &t->items[w->ids[i]].box) : NOTHING_MET;
        if (i < PLAIN && fraction != first_plainly(t, w, i))
            return trial_complain(t, "meets something else first than in a plain array");
        add_number(found, fraction);
    }
    return true;
}

/* Runs all queries twice, and measures the second run. */
static bool
run_ways(trial *t, pqt_vec half, void (*ask)(const trial *t, const ways *w), figure *out)
{
    const size_t queries = queries_of(t->shape);
    ways w = {.half = half};
    w.segments = trial_room(queries, sizeof *w.segments);
    w.ids = trial_room(queries, sizeof *w.ids);
    draw_segments(t->shape, w.segments, queries);
    ask(t, &w);
    double begun = trial_now();
    ask(t, &w);
    out->value = (trial_now() - begun) / (double)queries;
    bool right = is_first_right(t, &w, &out->found);
    free(w.ids);
    free(w.segments);
    return right;
}

bool
run_segments(const workload *self, const peer *contestant, distribution shape, size_t count,
             figure figures[MOST_FIGURES])
{
    trial t;
    if (!trial_start_built(&t, self, contestant, shape, count))
        return false;
    bool right = run_ways(&t, (pqt_vec){0, 0}, ask_segments, &figures[0]);
    trial_finish(&t);
    return right;
}

bool
run_sweeps(const workload *self, const peer *contestant, distribution shape, size_t count,
           figure figures[MOST_FIGURES])
{
    trial t;
    const pqt_vec half = {5 * unit_of(shape), 5 * unit_of(shape)};
    if (!trial_start_built(&t, self, contestant, shape, count))
        return false;
    if (contestant->sight->take_swept != NULL && !contestant->sight->take_swept(t.state, half))
        return trial_complain(&t, "did not take the size");
    bool right = run_ways(&t, half, ask_sweeps, &figures[0]);
    trial_finish(&t);
    return right;
}
