/* SPDX-License-Identifier: MIT */
/*
 * region_round.c - a circle on its way past a region.
 *
 * Each full square of the region is met as a box is (impact_round.c), and the first one stops the circle. The
 * walk is that of region_way.c, but in doubles: a square is looked into if the square around the circle
 * may come near it no later than the best so far. Boxes side by side make no ghosts, since the square around the
 * circle is decided exactly; and at equal times a side comes before a corner.
 *
 * A region's place is in whole steps, so its squares lie exactly where they are said to.
 */
#include "config.h"

#include <pqt/region_sweep.h>

#include <math.h>
#include <stddef.h>

#include "base/error.h"
#include "base/real.h"
#include "base/sum.h"
#include "collision/course.h"
#include "collision/region_options.h"
#include "collision/region_part.h"

/* More than what counts as touching anywhere within PQT_PIXEL_LIMIT, of which PQTI_COURSE_ERROR is less
 * than 2^-26; pixels. Larger only costs time; smaller may lose a hit. */
#define NEAR 0x1p-20

/* How often a stop is sought that lies in nothing, before the circle stays where it was. */
enum { MOST_TRIES = 8 };

/* Where both are. */
typedef struct places {
    pqt_vec circle, region;
} places;

typedef struct passage {
    pqti_figure figure;
    double radius;
    places from, to;
    pqt_tally *tally; /* may be NULL */
} passage;

static bool
is_same(pqt_vec a, pqt_vec b)
{
    return a.x == b.x && a.y == b.y;
}

static places
places_at(const passage *p, double time)
{
    return (places){
        pqt_segment_at((pqt_segment){p->from.circle, p->to.circle}, time),
        pqt_segment_at((pqt_segment){p->from.region, p->to.region}, time),
    };
}

/* Exactly. */
static double
pixels_of(int64_t steps)
{
    return (double)steps / PQT_PIXEL_STEPS;
}

static pqt_vec
vec_of(pqti_place place)
{
    return (pqt_vec){pixels_of(place.x), pixels_of(place.y)};
}

static pqt_box
box_of(const pqti_part *part)
{
    return (pqt_box){vec_of(part->min), vec_of(part->max)};
}

/* ---- what lies at a place ---- */

typedef bool meets_fn(pqt_circle circle, pqt_box box);

/* Looks for a full square that the circle meets, beginning with one quarter. */
typedef struct look {
    const pqti_figure *figure;
    pqt_circle circle;
    pqt_vec place; /* of the region */
    meets_fn *meets;
    int first;
    pqti_part met;
} look;

/* A square is never farther away than what lies in it. */
static bool
look_into(look *l, const pqti_part *part)
{
    if (!l->meets(l->circle, pqt_box_moved(box_of(part), l->place)))
        return false;
    if (part->filling == PQTI_PART_FULL) {
        l->met = *part;
        return true;
    }
    for (int n = 0; n < 4; n++) {
        const int i = n ^ l->first;
        pqti_part quarter = pqti_part_quarter(part, i);
        if (pqti_part_fill(l->figure, &quarter, i) && look_into(l, &quarter))
            return true;
    }
    return false;
}

static bool
finds(look *l)
{
    pqti_part parts[4];
    const int count = pqti_figure_parts(l->figure, parts);
    for (int i = 0; i < count; i++)
        if (look_into(l, &parts[i]))
            return true;
    return false;
}

static look
look_at(const passage *p, places at, meets_fn *meets)
{
    return (look){
        .figure = &p->figure, .circle = {at.circle, p->radius}, .place = at.region, .meets = meets};
}

static bool
overlaps_at(const passage *p, places at)
{
    look l = look_at(p, at, pqt_circle_overlaps_box);
    return finds(&l);
}

/* ---- one square ---- */

/* The circle and a square as a course (course.h) has them. */
typedef struct pair {
    pqt_mover a, b;
    bool turned; /* b is the circle, which rests while the square moves */
} pair;

static pair
pair_of(const passage *p, const pqti_part *part)
{
    const pqt_mover circle = pqt_mover_circle(p->radius, p->from.circle, p->to.circle);
    const pqt_mover square = pqt_mover_box(box_of(part), p->from.region, p->to.region);
    if (pqti_mover_rests(&square))
        return (pair){circle, pqti_mover_rested(&square), false};
    if (pqti_mover_rests(&circle))
        return (pair){square, circle, true};
    return (pair){circle, square, false};
}

static pqt_vec
seen_from_square(const pair *two, pqt_vec normal)
{
    return two->turned ? pqt_vec_scale(normal, -1) : normal;
}

/* ---- the first square ---- */

typedef struct approach {
    const passage *passage;
    pqt_vec start, way; /* of the circle as seen from the region */
    double best;        /* when the first so far is met; at a corner, the double after that */
    pqti_part met;
    pqti_impact impact;
} approach;

static approach
approach_of(const passage *p)
{
    const pqt_vec of_circle = pqt_vec_subtract(p->to.circle, p->from.circle);
    const pqt_vec of_region = pqt_vec_subtract(p->to.region, p->from.region);
    return (approach){.passage = p,
                      .start = pqt_vec_subtract(p->from.circle, p->from.region),
                      .way = pqt_vec_subtract(of_circle, of_region),
                      .best = INFINITY};
}

/* Takes away the time in which one axis is not between two places. */
static void
cut(double start, double way, double min, double max, double *in, double *out)
{
    if (way == 0) {
        if (start < min || start > max)
            *out = -1;
        return;
    }
    const double to_min = (min - start) / way, to_max = (max - start) / way;
    *in = pqti_greater(*in, pqti_lesser(to_min, to_max));
    *out = pqti_lesser(*out, pqti_greater(to_min, to_max));
}

/* When the circle may first come to a square, no later than it does; INFINITY if it does not at all. */
static double
bound_of(const approach *a, const pqti_part *part)
{
    const pqt_box box = pqt_box_grown(box_of(part), a->passage->radius + NEAR);
    double in = 0, out = 1;
    cut(a->start.x, a->way.x, box.min.x, box.max.x, &in, &out);
    cut(a->start.y, a->way.y, box.min.y, box.max.y, &in, &out);
    return in <= out ? in : INFINITY;
}

static double
key_of(const pqti_impact *impact)
{
    const bool at_corner = impact->blocked == (PQT_BLOCKED_X | PQT_BLOCKED_Y);
    const double key = pqti_greater(impact->time, PQTI_SMALLEST);
    return at_corner ? pqti_next_up(key) : key;
}

/* Full squares have no place in common, so their corners put them in order. */
static bool
is_above(const pqti_part *a, const pqti_part *b)
{
    return a->min.y < b->min.y || (a->min.y == b->min.y && a->min.x < b->min.x);
}

static void
meet(approach *a, const pqti_part *part)
{
    const pair two = pair_of(a->passage, part);
    const pqti_impact impact = pqti_impact_or_end(&two.a, &two.b);
    if (a->passage->tally != NULL)
        a->passage->tally->boxes++;
    if (!impact.hits)
        return;
    const double key = key_of(&impact);
    if (key > a->best || (key == a->best && !is_above(part, &a->met)))
        return;
    a->best = key;
    a->met = *part;
    a->impact = impact;
}

static void
tally_division(pqt_tally *tally, const pqti_part *divided)
{
    if (tally == NULL)
        return;
    tally->nodes++;
    tally->leaves += divided->level <= PQTI_TILE_LEVEL;
}

/* Puts one more behind those that come no later; order[] are numbers of bounds[]. */
static void
insert_by_bound(int order[4], const double bounds[4], int count)
{
    int k = count;
    for (; k > 0 && bounds[order[k - 1]] > bounds[count]; k--)
        order[k] = order[k - 1];
    order[k] = count;
}

static void approach_parts(approach *a, pqti_part parts[4], int count);

static void
divide(approach *a, const pqti_part *part)
{
    const pqti_figure *figure = &a->passage->figure;
    pqti_part quarters[4];
    int count = 0;
    tally_division(a->passage->tally, part);
    for (int i = 0; i < 4; i++) {
        quarters[count] = pqti_part_quarter(part, i);
        count += pqti_part_fill(figure, &quarters[count], i);
    }
    approach_parts(a, quarters, count);
}

/* The one that may be met first before the others. */
static void
approach_parts(approach *a, pqti_part parts[4], int count)
{
    double bounds[4];
    int order[4];
    for (int i = 0; i < count; i++) {
        bounds[i] = bound_of(a, &parts[i]);
        insert_by_bound(order, bounds, i);
    }
    for (int i = 0; i < count && bounds[order[i]] <= a->best; i++) {
        const pqti_part *part = &parts[order[i]];
        if (bounds[order[i]] == INFINITY)
            return;
        if (part->filling == PQTI_PART_FULL)
            meet(a, part);
        else
            divide(a, part);
    }
}

/* The circle overlaps nothing at the start. */
static approach
first_of(const passage *p)
{
    approach a = approach_of(p);
    pqti_part parts[4];
    approach_parts(&a, parts, pqti_figure_parts(&p->figure, parts));
    return a;
}

/* ---- stops ---- */

/* Where both are when the circle stops. */
typedef struct halt {
    double time;
    places at;
} halt;

/* Beside the square that is met first. The normal is measured there. */
static halt
halt_beside(approach *a)
{
    const pair two = pair_of(a->passage, &a->met);
    const pqti_stop stop = pqti_stop_at(&two.a, &two.b, &a->impact);
    halt h = {stop.time, {stop.a, stop.b}};
    if (two.turned)
        h.at = (places){stop.b, stop.a};
    if (is_same(a->passage->from.region, a->passage->to.region))
        h.at.region = a->passage->from.region;
    return h;
}

/* The last places before a stop that are free of everything: back by one rounding, by two, by four... */
static halt
taken_back(const passage *p, halt h)
{
    const passage way = {.from = p->from, .to = h.at};
    for (int bits = -53; bits < 0; bits++) {
        const double part = 1 - ldexp(1, bits);
        const places at = places_at(&way, part);
        if (!overlaps_at(p, at))
            return (halt){h.time * part, at};
    }
    return (halt){0, p->from};
}

/* The stop beside one square may by rounding lie in another that is met a hair later: then from a place
 * before that it is swept on. */
static halt
freed(const passage *p, halt h)
{
    passage rest = *p;
    for (int i = 0; i < MOST_TRIES; i++) {
        if (!overlaps_at(p, h.at))
            return h;
        h = taken_back(&rest, h);
        rest.from = h.at;
        approach next = first_of(&rest);
        if (next.best == INFINITY || next.impact.time == 0)
            return h;
        h.at = halt_beside(&next).at;
    }
    return (halt){0, p->from};
}

/* ---- starting in it ---- */

/* When the circle is out of all that it overlaps; INFINITY without a movement. */
static double
exit_of(const passage *p)
{
    const pqt_vec way = approach_of(p).way;
    double time = 0, more = 0x1p-52;
    while (time < INFINITY) {
        look l = look_at(p, places_at(p, time), pqt_circle_overlaps_box);
        l.first = (way.x > 0) + 2 * (way.y > 0);
        if (!finds(&l))
            return time;
        const pair two = pair_of(p, &l.met);
        const double exit = pqti_exit(&two.a, &two.b);
        /* Where it is out already, but for roundings, it goes on by ever more of them. */
        more = exit > time ? 0x1p-52 : 2 * more;
        time = exit > time ? exit : time + pqti_greater(time, 1) * more;
    }
    return time;
}

/* How far it is out of the region along an axis, from where both are at the start. */
static double
push_along(const passage *p, pqt_vec axis)
{
    passage pushed = *p;
    pushed.to = (places){pqt_vec_add(p->from.circle, axis), p->from.region};
    double length = exit_of(&pushed);
    for (double more = 0x1p-52;; more *= 2) {
        const pqt_vec there = pqt_vec_add(p->from.circle, pqt_vec_scale(axis, length));
        if (!overlaps_at(p, (places){there, p->from.region}))
            return length;
        length += pqti_greater(length, 1) * more;
    }
}

static pqt_vec
smallest_push(const passage *p)
{
    static const pqt_vec axes[4] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    pqt_vec push = {0, 0};
    double least = INFINITY;
    for (int i = 0; i < 4; i++) {
        const double length = push_along(p, axes[i]);
        if (length >= least)
            continue;
        least = length;
        push = (pqt_vec){axes[i].x != 0 ? axes[i].x * length : 0,
                         axes[i].y != 0 ? axes[i].y * length : 0};
    }
    return push;
}

/* ---- sweeping ---- */

static int32_t
pixel_within(double place, int64_t min, int64_t max)
{
    const double first = pixels_of(min), last = pixels_of(max) - 1;
    return (int32_t)pqti_lesser(last, pqti_greater(first, floor(place)));
}

/* The pixel of a square that is nearest to the circle; between two, the right or lower one. */
static pqt_pixel
nearest_pixel(const pqti_part *part, places at)
{
    const pqt_vec centre = pqt_vec_subtract(at.circle, at.region);
    return (pqt_pixel){pixel_within(centre.x, part->min.x, part->max.x),
                       pixel_within(centre.y, part->min.y, part->max.y)};
}

/* From where it overlaps nothing. `since` is when that is. */
static void
sweep_on(const passage *p, double since, pqt_region_sweep *result)
{
    approach a = first_of(p);
    look end = look_at(p, p->to, pqt_circle_touches_box);
    if (a.best == INFINITY) {
        result->status = finds(&end) ? PQT_SWEEP_TOUCHES : PQT_SWEEP_FREE;
        return;
    }
    const pair two = pair_of(p, &a.met);
    const halt h = freed(p, halt_beside(&a));
    result->status = PQT_SWEEP_HITS;
    result->time = since + (1 - since) * h.time;
    result->stop = h.at.circle;
    result->stop_other = h.at.region;
    result->blocked = a.impact.blocked;
    result->normal = seen_from_square(&two, a.impact.normal);
    result->met.b = nearest_pixel(&a.met, h.at);
}

static pqt_region_sweep
sweep(passage *p, bool ignore_overlap)
{
    pqt_region_sweep result = {.status = PQT_SWEEP_FREE, .time = 1};
    result.stop = p->to.circle;
    result.stop_other = p->to.region;
    if (overlaps_at(p, p->from)) {
        result.exit = exit_of(p);
        result.out = smallest_push(p);
        if (!ignore_overlap) {
            result.status = PQT_SWEEP_OVERLAPS;
            result.time = 0;
            result.stop = p->from.circle;
            result.stop_other = p->from.region;
            return result;
        }
        if (result.exit >= 1)
            return result;
        p->from = places_at(p, result.exit);
    }
    sweep_on(p, result.exit, &result);
    return result;
}

static bool
admit_region(pqt_moving_region other, passage *p)
{
    pqti_place from, to;
    if (!pqti_place_of(other.from, PQT_PIXEL_LIMIT, &from) ||
        !pqti_place_of(other.to, PQT_PIXEL_LIMIT, &to))
        return false;
    p->from.region = vec_of(from);
    p->to.region = vec_of(to);
    return true;
}

static bool
is_near(pqt_vec place)
{
    const double most = PQT_PIXEL_LIMIT;
    return pqti_magnitude(place.x) <= most && pqti_magnitude(place.y) <= most;
}

/* A point would slip between pixels. */
static bool
admit_circle(pqt_mover mover, passage *p)
{
    p->radius = mover.radius;
    p->from.circle = mover.from;
    p->to.circle = mover.to;
    return mover.kind == PQT_MOVER_CIRCLE && mover.radius > 0 && mover.radius <= PQT_PIXEL_LIMIT &&
           is_near(mover.from) && is_near(mover.to);
}

pqt_region_sweep
pqt_region_sweep_circle(pqt_mover mover, pqt_moving_region other,
                        const pqt_region_sweep_options *options)
{
    options = pqti_region_options(options);
    PQT_ASSERT(other.region != NULL, "the region is NULL");
    const pqt_cells cells = options->cells;
    passage p = {.figure = pqti_figure_of_cells(other.region, cells.side_b, cells.reading),
                 .tally = options->tally};
    if (!admit_circle(mover, &p) || !admit_region(other, &p))
        return pqti_region_none(mover.from, other.from);
    return sweep(&p, options->ignore_overlap);
}
