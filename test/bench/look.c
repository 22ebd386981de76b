/* SPDX-License-Identifier: MIT */
/*
 * look.c - what is near a point, and what a segment meets first.
 *
 * Contestants say which items they are; how far these are is worked out here, in one way for all,
 * after the clock has stopped. The bits of these numbers are compared, and not the ids: where
 * several boxes hold the point, any of them is right.
 */
#include "tasks.h"

#include <stdlib.h>
#include <string.h>

#include "slab.h"
#include "trial.h"

enum { QUERIES = 20000, PLAIN = 16, NEAREST = 10, POINT_HITS = 10 };

/* A segment that meets nothing is said to meet something here. */
static const double NOTHING_MET = 2;

static void
add_number(answer *found, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    found->hits++;
    found->ids += bits;
}

/* Keeps the least numbers, sorted; returns how many there are then. */
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
    for (size_t i = 0; i < QUERIES; i++)
        counts[i] = t->contestant->sight->nearest(t->state, points[i], NEAREST, ids[i]);
}

/* The middles of windows: where items are. */
static void
draw_points(distribution shape, size_t count, pqt_vec *points)
{
    pqt_box *windows = trial_room(QUERIES, sizeof *windows);
    draw_windows(shape, count, POINT_HITS, windows, QUERIES);
    for (size_t i = 0; i < QUERIES; i++)
        points[i] = pqt_box_centre(windows[i]);
    free(windows);
}

static bool
is_nearest_right(const trial *t, const pqt_vec *points, uint64_t (*ids)[NEAREST],
                 const size_t *counts, answer *found)
{
    for (size_t i = 0; i < QUERIES; i++) {
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
    pqt_vec *points = trial_room(QUERIES, sizeof *points);
    uint64_t(*ids)[NEAREST] = trial_room(QUERIES, sizeof *ids);
    size_t *counts = trial_room(QUERIES, sizeof *counts);
    draw_points(shape, count, points);
    ask_nearest(&t, points, ids, counts);
    double begun = trial_now();
    ask_nearest(&t, points, ids, counts);
    figures[0].value = (trial_now() - begun) / QUERIES;
    bool right = is_nearest_right(&t, points, ids, counts, &figures[0].found);
    free(counts);
    free(ids);
    free(points);
    trial_finish(&t);
    return right;
}

static double
first_hit_plainly(const trial *t, const pqt_segment *segment)
{
    slabs s = slabs_of(segment);
    double first = NOTHING_MET, fraction;
    for (size_t i = 0; i < t->count; i++)
        if (slabs_enter(&s, &t->items[i].box, 1, &fraction) && fraction < first)
            first = fraction;
    return first;
}

/* Ids of first hits; the count of items where there is none. */
static void
ask_segments(const trial *t, const pqt_segment *segments, uint64_t *ids)
{
    for (size_t i = 0; i < QUERIES; i++)
        if (!t->contestant->sight->first_hit(t->state, &segments[i], &ids[i]))
            ids[i] = t->count;
}

static double
fraction_of(const trial *t, const pqt_segment *segment, uint64_t id)
{
    double fraction = NOTHING_MET;
    slabs s = slabs_of(segment);
    if (id < t->count)
        (void)slabs_enter(&s, &t->items[id].box, 1, &fraction);
    return fraction;
}

static bool
is_first_hit_right(const trial *t, const pqt_segment *segments, const uint64_t *ids, answer *found)
{
    for (size_t i = 0; i < QUERIES; i++) {
        double fraction = fraction_of(t, &segments[i], ids[i]);
        if (i < PLAIN && fraction != first_hit_plainly(t, &segments[i]))
            return trial_complain(t, "meets something else first than in a plain array");
        add_number(found, fraction);
    }
    return true;
}

bool
run_segments(const workload *self, const peer *contestant, distribution shape, size_t count,
             figure figures[MOST_FIGURES])
{
    trial t;
    if (!trial_start_built(&t, self, contestant, shape, count))
        return false;
    pqt_segment *segments = trial_room(QUERIES, sizeof *segments);
    uint64_t *ids = trial_room(QUERIES, sizeof *ids);
    draw_segments(shape, segments, QUERIES);
    ask_segments(&t, segments, ids);
    double begun = trial_now();
    ask_segments(&t, segments, ids);
    figures[0].value = (trial_now() - begun) / QUERIES;
    bool right = is_first_hit_right(&t, segments, ids, &figures[0].found);
    free(ids);
    free(segments);
    trial_finish(&t);
    return right;
}
