/* SPDX-License-Identifier: MIT */
/*
 * sensors.c: finds the bodies that enter and leave sensors in a step, from the paths of the balls.
 *
 * Two paths are compared piece by piece. In a piece, both balls move in a straight line, so they
 * touch during a single interval, whose ends are the roots of a quadratic equation. Whether they
 * touch at the start and at the end of the step is decided by their distance there. So beginnings
 * and ends alternate from step to step, however the roots are rounded.
 */
#include "config.h"

#include "world/sensors.h"

#include <stdlib.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/tree_internal.h"
#include "tree/update.h"

/* ---- Paths ---- */

static bool
reserve_point(pqti_path_log *log)
{
    pqti_path_point *points =
        pqti_grow_scratch(log->points, log->count, &log->capacity, 1, sizeof *points);
    log->has_failed = log->has_failed || points == NULL;
    if (points == NULL)
        return false;
    log->points = points;
    return true;
}

static pqti_path_point
point_of(const pqti_ball *ball)
{
    return (pqti_path_point){ball->time, ball->position, ball->velocity, SIZE_MAX};
}

void
pqti_paths_begin(pqti_path_log *log, const pqti_ball *balls, size_t count)
{
    if (!log->is_wanted)
        return;
    log->points = pqti_alloc_scratch(2 * count, sizeof *log->points);
    log->last = pqti_alloc_scratch(count, sizeof *log->last);
    log->has_failed = log->points == NULL || log->last == NULL;
    if (log->has_failed)
        return;
    log->capacity = 2 * count;
    log->count = count;
    for (size_t i = 0; i < count; i++) {
        log->points[balls[i].rank] = point_of(&balls[i]);
        log->last[i] = i;
    }
}

void
pqti_paths_add(pqti_path_log *log, const pqti_ball *ball)
{
    if (!log->is_wanted || log->has_failed || !reserve_point(log))
        return;
    log->points[log->last[ball->rank]].next = log->count;
    log->last[ball->rank] = log->count;
    log->points[log->count++] = point_of(ball);
}

void
pqti_paths_free(pqti_path_log *log)
{
    pqti_free_scratch(log->points);
    pqti_free_scratch(log->last);
}

/* ---- Two paths ---- */

/* An event, and the number of events found before it. This number orders simultaneous events of one
 * pair.
 */
typedef struct found_event {
    pqt_contact_event event;
    size_t index;
} found_event;

typedef struct search {
    const pqti_sensing *sensing;
    pqt_error *error;
    const pqt_tree *tree; /* a tree of the boxes of paths; an item's id is the index of a ball */
    pqt_box *boxes;       /* the boxes of paths, by the index of the ball */
    const pqti_ball *sensor;
    found_event *found;
    size_t count, capacity;
} search;

/* Two balls and their positions at one time. */
typedef struct placed_pair {
    const pqti_ball *low, *high;
    pqt_vec at_low, at_high;
} placed_pair;

static bool
touch(const placed_pair *pair)
{
    const pqt_vec d = {pair->at_high.x - pair->at_low.x, pair->at_high.y - pair->at_low.y};
    const double radius = pair->low->radius + pair->high->radius;
    return pqti_dot(d, d) <= radius * radius;
}

static bool
reserve_event(search *s)
{
    found_event *found = pqti_grow_scratch(s->found, s->count, &s->capacity, 1, sizeof *found);
    if (found == NULL)
        return false;
    s->found = found;
    return true;
}

/* Adds an event of two balls. `touches` is true if they touch after it. */
static bool
add_event(search *s, const placed_pair *pair, bool touches, double time)
{
    const pqt_vec d = {pair->at_high.x - pair->at_low.x, pair->at_high.y - pair->at_low.y};
    const double length = sqrt(pqti_dot(d, d));
    pqt_contact_event event = {.time = pqti_fmin(time, s->sensing->span),
                               .kind = touches ? PQT_SENSOR_BEGIN : PQT_SENSOR_END,
                               .side = PQT_SIDE_BODY,
                               .low = pair->low->id,
                               .high = pair->high->id};
    if (!reserve_event(s))
        return false;
    if (length > 0)
        event.normal = (pqt_vec){d.x / length + 0.0, d.y / length + 0.0};
    event.point = (pqt_vec){pair->at_low.x + event.normal.x * pair->low->radius,
                            pair->at_low.y + event.normal.y * pair->low->radius};
    s->found[s->count] = (found_event){event, s->count};
    s->count++;
    return true;
}

/* Returns the position of a ball at a given time, in the piece of its path that begins at a given
 * point. */
static pqt_vec
position_at(const pqti_ball *ball, const pqti_path_point *from, double time)
{
    return pqti_ball_moved_by(ball, from->position, from->velocity, time - from->time);
}

/* A period in which two balls move in straight lines. */
typedef struct piece {
    const pqti_path_point *low, *high;
    double from, to;
} piece;

static placed_pair
pair_at_time(const placed_pair *pair, const piece *p, double time)
{
    return (placed_pair){pair->low, pair->high, position_at(pair->low, p->low, time),
                         position_at(pair->high, p->high, time)};
}

/* The times at which two balls begin and cease to touch, measured from the start of a piece. If
 * `begin` is PQTI_NEVER_EVENT, they do not touch. */
typedef struct interval {
    double begin, end;
} interval;

/* Returns the interval in which a point that moves from `offset` with velocity `velocity` is inside
 * the circle with the given radius around 0. See pqti_ray_circle. */
static interval
interval_of(pqt_vec offset, pqt_vec velocity, double radius)
{
    const double square = pqti_dot(velocity, velocity),
                 miss = offset.x * velocity.y - offset.y * velocity.x;
    const bool is_inside = pqti_dot(offset, offset) <= radius * radius;
    if (square == 0)
        return (interval){is_inside ? 0 : PQTI_NEVER_EVENT, PQTI_NEVER_EVENT};
    const double under_root = square * (radius * radius) - miss * miss;
    const double end = (sqrt(pqti_fmax(under_root, 0)) - pqti_dot(offset, velocity)) / square;
    if (is_inside)
        return (interval){0, pqti_fmax(end, 0)};
    const double begin = pqti_ray_circle(offset, velocity, radius);
    return (interval){begin, pqti_fmax(begin, end)};
}

/* Adds the events in a piece. `*touches` is true while the pair touches. */
static bool
compare_in_piece(search *s, const placed_pair *pair, const piece *p, bool *touches)
{
    const placed_pair at = pair_at_time(pair, p, p->from);
    const pqt_vec d = {at.at_high.x - at.at_low.x, at.at_high.y - at.at_low.y};
    const pqt_vec w = {p->high->velocity.x - p->low->velocity.x,
                       p->high->velocity.y - p->low->velocity.y};
    const interval i = interval_of(d, w, pair->low->radius + pair->high->radius);
    const double length = p->to - p->from;
    const bool departs = i.begin == 0 && i.end <= PQTI_INSTANT * s->sensing->span;
    if (!*touches && i.begin <= length && !departs) {
        const placed_pair there = pair_at_time(pair, p, p->from + i.begin);
        if (!add_event(s, &there, true, p->from + i.begin))
            return false;
        *touches = true;
    }
    const double end = i.begin == PQTI_NEVER_EVENT ? 0 : i.end;
    if (*touches && end <= length) {
        const placed_pair there = pair_at_time(pair, p, p->from + end);
        if (!add_event(s, &there, false, p->from + end))
            return false;
        *touches = false;
    }
    return true;
}

static const pqti_path_point *
next_point(const pqti_path_log *log, const pqti_path_point *point)
{
    return point->next == SIZE_MAX ? NULL : &log->points[point->next];
}

static double
end_of(const search *s, const pqti_path_point *next)
{
    return next == NULL ? s->sensing->span : next->time;
}

/* Adds the events of two balls in the step. */
static bool
compare_paths(search *s, const pqti_ball *a, const pqti_ball *b)
{
    const pqti_path_log *log = s->sensing->paths;
    const pqti_ball *low = a->id < b->id ? a : b, *high = low == a ? b : a;
    const placed_pair start = {low, high, low->start, high->start};
    const placed_pair end = {low, high, low->position, high->position};
    piece p = {&log->points[low->rank], &log->points[high->rank], 0, 0};
    bool touches = touch(&start);
    for (;;) {
        const pqti_path_point *low_next = next_point(log, p.low);
        const pqti_path_point *high_next = next_point(log, p.high);
        const double low_end = end_of(s, low_next), high_end = end_of(s, high_next);
        p.to = pqti_fmin(low_end, high_end);
        if (!compare_in_piece(s, &start, &p, &touches))
            return false;
        if (low_next == NULL && high_next == NULL)
            break;
        if (low_next != NULL && low_end <= p.to)
            p.low = low_next;
        if (high_next != NULL && high_end <= p.to)
            p.high = high_next;
        p.from = p.to;
    }
    return touch(&end) == touches || add_event(s, &end, !touches, s->sensing->span);
}

/* ---- All sensors ---- */

/* Returns true if a ball moved during the step. */
static bool
moves(const search *s, const pqti_ball *ball)
{
    const pqti_path_point *first = &s->sensing->paths->points[ball->rank];
    return first->next != SIZE_MAX || first->velocity.x != 0 || first->velocity.y != 0 ||
           ball->start.x != ball->position.x || ball->start.y != ball->position.y;
}

static pqt_box
with_point(pqt_box box, pqt_vec point)
{
    return pqt_box_union(box, (pqt_box){point, point});
}

/* Returns the box of a ball at all its positions, with a margin above the rounding error of
 * touch(). */
static pqt_box
box_of_path(const search *s, const pqti_ball *ball)
{
    pqt_box box = with_point((pqt_box){ball->start, ball->start}, ball->position);
    for (const pqti_path_point *p = &s->sensing->paths->points[ball->rank]; p != NULL;
         p = next_point(s->sensing->paths, p))
        box = with_point(box, p->position);
    const double x = pqti_fmax(pqti_fabs(box.min.x), pqti_fabs(box.max.x));
    const double y = pqti_fmax(pqti_fabs(box.min.y), pqti_fabs(box.max.y));
    const double by = ball->radius * (1 + 0x1p-20) + 0x1p-45 * pqti_fmax(x, y);
    return pqt_box_grown(box, by);
}

static bool
compare_item(const pqt_item *item, void *context)
{
    search *s = context;
    const pqti_ball *other = &s->sensing->balls[item->id];
    if (!pqti_masks_meet(s->sensor, other) || (!moves(s, s->sensor) && !moves(s, other)))
        return true;
    return compare_paths(s, s->sensor, other);
}

/* Makes a tree of the paths of the balls that are not sensors. If no sensor moves, leaves out the
 * balls that do not move. */
static const pqt_tree *
make_tree(search *s, pqt_memory *arena)
{
    const pqti_sensing *sensing = s->sensing;
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_item *items = pqti_alloc_scratch(sensing->count, sizeof *items);
    pqt_box bounds = {{0, 0}, {0, 0}};
    bool sensor_moves = false;
    size_t count = 0;
    if (items == NULL) {
        pqti_out_of_memory(s->error);
        return NULL;
    }
    for (size_t i = 0; i < sensing->count; i++) {
        s->boxes[i] = box_of_path(s, &sensing->balls[i]);
        sensor_moves =
            sensor_moves || (sensing->balls[i].is_sensor && moves(s, &sensing->balls[i]));
    }
    for (size_t i = 0; i < sensing->count; i++)
        if (!sensing->balls[i].is_sensor && (sensor_moves || moves(s, &sensing->balls[i]))) {
            bounds = count == 0 ? s->boxes[i] : pqt_box_union(bounds, s->boxes[i]);
            items[count++] = (pqt_item){s->boxes[i], i};
        }
    options.memory = arena;
    options.max_depth = PQTI_WORLD_DEPTH;
    const pqt_tree *tree = pqti_tree_make(&bounds, &options, s->error);
    if (tree != NULL && count > 0)
        tree = pqti_tree_build_trusted(tree, items, count, s->error);
    pqti_free_scratch(items);
    return tree;
}

static bool
compare_all(search *s)
{
    const pqti_sensing *sensing = s->sensing;
    for (size_t i = 0; i < sensing->count; i++) {
        if (!sensing->balls[i].is_sensor)
            continue;
        const pqt_query query = {.window = s->boxes[i], .relation = PQT_TOUCHES};
        s->sensor = &sensing->balls[i];
        if (!pqt_tree_visit(s->tree, &query, compare_item, s)) {
            pqti_out_of_memory(s->error);
            return false;
        }
    }
    return true;
}

static int
by_time(const void *a, const void *b)
{
    const found_event *x = a, *y = b;
    if (x->event.time != y->event.time)
        return x->event.time < y->event.time ? -1 : 1;
    if (x->event.low != y->event.low)
        return x->event.low < y->event.low ? -1 : 1;
    if (x->event.high != y->event.high)
        return x->event.high < y->event.high ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

bool
pqti_sensors_add_events(const pqti_sensing *sensing, pqti_event_log *events, pqt_error *error)
{
    search s = {.sensing = sensing, .error = error};
    pqt_memory *arena = pqt_arena_make(0, error);
    s.boxes = pqti_alloc_scratch(sensing->count, sizeof *s.boxes);
    if (s.boxes == NULL)
        pqti_out_of_memory(error);
    if (arena != NULL && s.boxes != NULL)
        s.tree = make_tree(&s, arena);
    bool good = s.tree != NULL && compare_all(&s);
    if (good && s.count > 1)
        qsort(s.found, s.count, sizeof *s.found, by_time);
    for (size_t i = 0; good && i < s.count; i++)
        pqti_events_add(events, &s.found[i].event);
    if (good && events->has_failed) {
        pqti_out_of_memory(error);
        good = false;
    }
    pqti_free_scratch(s.found);
    pqti_free_scratch(s.boxes);
    pqt_arena_destroy(&arena);
    return good;
}
