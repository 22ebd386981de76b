/* SPDX-License-Identifier: MIT */
/* cluster.c: finds the contacts that are solved together, and solves them. */
#include "config.h"

#include "world/cluster.h"

#include <stdlib.h>
#include <string.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "world/contact_crushing.h"
#include "world/obstacle_toi.h"

/* See docs/world.md, "Crowds". */
enum { MAX_BALLS = 64, SIDES = 4 };

/* A cluster is solved when no contact approaches faster than the greater of two speeds. The first
 * is this fraction of the fastest approach. See docs/world.md, "Crowds". */
#define SOLVED_FRACTION 0x1p-30

/* The second is this fraction of the rest speed, if every contact has one. Slower approaches
 * between two balls cause no events (ball.h), and the next step solves them with the contacts that
 * rest. See docs/world.md, "Crowds". */
#define SOLVED_SPEED 0x1p-12

/* See docs/world.md, "Crowds". */
enum { MAX_PASSES = 1000 };

/* Two balls touch if the gap between them is below this fraction of the smaller radius. See
 * docs/world.md, "Crowds". */
#define TOUCH_FRACTION 0x1p-12

/* ---- Memory ---- */

static bool
prepare(pqti_clusters *clusters, size_t count)
{
    clusters->contacts.count = clusters->ball_count = 0;
    if (clusters->balls == NULL)
        clusters->balls = pqti_alloc_scratch(count, sizeof *clusters->balls);
    return clusters->balls != NULL && pqti_solver_scratch_make(&clusters->scratch, count);
}

void
pqti_clusters_free(pqti_clusters *clusters)
{
    pqti_free_scratch(clusters->contacts.contacts);
    pqti_free_scratch(clusters->balls);
    pqti_free_scratch(clusters->neighbours);
    pqti_solver_scratch_free(&clusters->scratch);
}

/* ---- Gaps ---- */

/* Returns the magnitude of the coordinates, to which rounding errors are relative. */
static double
size_of(const pqti_ball *ball)
{
    return pqti_fmax(pqti_fabs(ball->position.x), pqti_fabs(ball->position.y));
}

/* Returns the gap up to which two balls touch. For a ball and a wall, pass the ball twice. */
static double
touch_gap(const pqti_ball *a, const pqti_ball *b)
{
    return TOUCH_FRACTION * pqti_fmin(a->radius, b->radius) +
           0x1p-48 * pqti_fmax(size_of(a), size_of(b));
}

/* Returns the outward normal of a side of the box of allowed positions. Sides are numbered in the
 * order of the wall events. */
static pqt_vec
side_normal(unsigned side)
{
    static const pqt_vec normals[SIDES] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    return normals[side];
}

static double
side_gap(const pqti_ball *ball, pqt_vec position, unsigned side)
{
    const pqt_box *box = &ball->centre_bounds;
    const double gaps[SIDES] = {position.x - box->min.x, box->max.x - position.x,
                                position.y - box->min.y, box->max.y - position.y};
    return gaps[side];
}

/* ---- Solving ---- */

static void
solve_within(pqti_clusters *clusters, const pqti_ball *balls, const pqti_solve_limits *within)
{
    const pqti_contact_array *array = &clusters->contacts;
    clusters->passes += pqti_contacts_solve_with_friction(array->contacts, array->count, balls,
                                                          &clusters->scratch, within);
}

static void
drop_impulses(const pqti_contact_array *array)
{
    for (size_t i = 0; i < array->count; i++)
        array->contacts[i].lasting.impulse = array->contacts[i].friction_impulse = 0;
}

static bool
has_friction_impulse(const pqti_contact_array *array)
{
    bool any = false;
    for (size_t i = 0; i < array->count; i++)
        any = any || array->contacts[i].friction_impulse != 0;
    return any;
}

/* Returns the limits at which a cluster counts as solved. */
static pqti_solve_limits
limits_of(const pqti_contact_array *array, const pqti_ball *balls)
{
    double rest_speed = HUGE_VAL;
    for (size_t i = 0; i < array->count; i++)
        rest_speed = pqti_fmin(rest_speed, pqti_rest_speed(&balls[array->contacts[i].a],
                                                           &balls[array->contacts[i].b]));
    return (pqti_solve_limits){
        .cold_fraction = SOLVED_FRACTION, .speed = SOLVED_SPEED * rest_speed, .passes = MAX_PASSES};
}

/* Solves a cluster, and solves it again if frictions add energy. */
static void
solve(pqti_clusters *clusters, const pqti_ball *balls)
{
    const pqti_contact_array *array = &clusters->contacts;
    const pqti_solve_limits limits = limits_of(array, balls);
    pqti_solve_limits once = limits;
    once.once = true;
    solve_within(clusters, balls, &limits);
    if (!has_friction_impulse(array) ||
        !pqti_contacts_add_energy(array->contacts, array->count, balls, &clusters->scratch))
        return;
    drop_impulses(array);
    solve_within(clusters, balls, &once);
}

static bool
is_crushed(const pqti_clusters *clusters, const pqti_ball *balls, double crush_speed)
{
    const pqti_contact_array *array = &clusters->contacts;
    return pqti_contacts_crush(array->contacts, array->count, balls, &clusters->scratch,
                               crush_speed);
}

/* Marks the balls of a cluster as crushed. */
static void
mark_crushed(const pqti_clusters *clusters, pqti_ball *balls)
{
    for (size_t i = 0; i < clusters->ball_count; i++)
        balls[clusters->balls[i]].is_crushed = true;
}

/* Solves a cluster of crushed balls as if kinematic balls did not move. If that does not suffice,
 * solves it without friction, too. */
static void
solve_crushed(pqti_clusters *clusters, const pqti_ball *balls, double crush_speed)
{
    pqti_contact_array *array = &clusters->contacts;
    pqti_contacts_ignore_kinematic(array->contacts, array->count, balls);
    drop_impulses(array);
    solve(clusters, balls);
    if (!has_friction_impulse(array) || !is_crushed(clusters, balls, crush_speed))
        return;
    pqti_contacts_make_plain(array->contacts, array->count);
    solve(clusters, balls);
}

void
pqti_clusters_solve(pqti_clusters *clusters, const pqti_broad_phase *broad_phase)
{
    pqti_contact_array *array = &clusters->contacts;
    pqti_ball *balls = broad_phase->balls;
    const double crush_speed = pqti_contacts_crush_speed(array->contacts, array->count, balls);
    pqti_contacts_sort(array);
    solve(clusters, balls);
    if (is_crushed(clusters, balls, crush_speed)) {
        mark_crushed(clusters, balls);
        solve_crushed(clusters, balls, crush_speed);
    }
    pqti_solver_scratch_store(&clusters->scratch, array->contacts, array->count, balls);
}

/* ---- Search ---- */

/* Returns the mark of a ball in the list: 2 * round, or 2 * round + 1 once its contacts have been
 * added. */
static uint32_t
listed_mark(const pqti_clusters *clusters)
{
    return 2 * clusters->round;
}

/* Appends a ball to the list, which has `count` balls, unless it is already there or cannot
 * move. */
static size_t
list_ball(pqti_clusters *clusters, const pqti_broad_phase *broad_phase, uint32_t i, size_t count)
{
    pqti_ball *ball = &broad_phase->balls[i];
    if (ball->is_static || ball->is_delayed || ball->mark >= listed_mark(clusters))
        return count;
    ball->mark = listed_mark(clusters);
    clusters->balls[count] = i;
    return count + 1;
}

/* Returns true if two balls touch at a given time, and stores the vector between them. */
static bool
touch_at(const pqti_ball *a, const pqti_ball *b, double time, pqt_vec *between)
{
    const double radius = a->radius + b->radius, limit = radius + touch_gap(a, b);
    const pqt_vec p = pqti_ball_at(a, time), q = pqti_ball_at(b, time);
    *between = (pqt_vec){q.x - p.x, q.y - p.y};
    const double square = pqti_dot(*between, *between);
    return radius > 0 && square >= PQTI_NO_LENGTH && square <= limit * limit;
}

static int
by_id(const void *a, const void *b)
{
    const uint64_t x = ((const pqti_neighbour *)a)->id, y = ((const pqti_neighbour *)b)->id;
    return x < y ? -1 : x > y;
}

/* Allocates room for the neighbours of a ball. Returns false when out of memory. */
static bool
reserve_neighbours(pqti_clusters *clusters, const pqti_broad_phase *broad_phase, uint32_t i)
{
    const size_t count = pqti_count_neighbours(broad_phase, &broad_phase->balls[i]);
    if (count <= clusters->neighbour_capacity)
        return true;
    pqti_free_scratch(clusters->neighbours);
    clusters->neighbour_capacity = 2 * count;
    clusters->neighbours = pqti_alloc_scratch(2 * count, sizeof *clusters->neighbours);
    return clusters->neighbours != NULL;
}

/* Writes the balls that a ball touches at a given time into `neighbours`, in the order of their
 * ids, so that the cluster does not depend on the order of edges. Returns their number. */
static size_t
list_neighbours(const pqti_clusters *clusters, const pqti_broad_phase *broad_phase, uint32_t i,
                double time)
{
    pqt_vec d;
    size_t count = 0, kept = 0;
    const pqti_ball *balls = broad_phase->balls;
    pqti_neighbour *neighbours = clusters->neighbours;
    for (uint32_t e = balls[i].edge; e != PQTI_NO_EDGE; e = broad_phase->edges[e].next) {
        const uint32_t j = broad_phase->edges[e].to;
        if (touch_at(&balls[i], &balls[j], time, &d))
            neighbours[count++] = (pqti_neighbour){balls[j].id, j};
    }
    if (count > 1)
        qsort(neighbours, count, sizeof *neighbours, by_id);
    for (size_t k = 0; k < count; k++) /* a list may hold a ball twice */
        if (kept == 0 || neighbours[kept - 1].ball != neighbours[k].ball)
            neighbours[kept++] = neighbours[k];
    return kept;
}

/* Adds the contact between two balls that touch, and appends the other ball to the list if there is
 * room. */
static bool
add_touching_pair(pqti_clusters *clusters, const pqti_broad_phase *broad_phase, uint32_t i,
                  uint32_t j, double time)
{
    pqt_vec d;
    const pqti_ball *a = &broad_phase->balls[i];
    pqti_ball *b = &broad_phase->balls[j];
    if (b->is_delayed || b->mark > listed_mark(clusters) || !touch_at(a, b, time, &d))
        return true;
    if (clusters->ball_count < MAX_BALLS)
        clusters->ball_count = list_ball(clusters, broad_phase, j, clusters->ball_count);
    if (!b->is_static && b->mark < listed_mark(clusters))
        return true;
    if (pqti_contacts_add_pair(&clusters->contacts, broad_phase->balls, i, j, d) == NULL)
        return false;
    pqti_ball_touch(b);
    return true;
}

static bool
add_touching_walls(pqti_clusters *clusters, const pqti_broad_phase *broad_phase, uint32_t i,
                   double time)
{
    const pqti_ball *ball = &broad_phase->balls[i];
    const pqt_vec at = pqti_ball_at(ball, time);
    for (unsigned side = 0; side < SIDES; side++) {
        if (side_gap(ball, at, side) <= touch_gap(ball, ball) &&
            pqti_contacts_add_single(&clusters->contacts, broad_phase->balls, i, side_normal(side),
                                     side) == NULL)
            return false;
    }
    return true;
}

static bool
add_touching(pqti_clusters *clusters, const pqti_broad_phase *broad_phase, double time)
{
    for (size_t n = 0; n < clusters->ball_count; n++) {
        const uint32_t i = clusters->balls[n];
        pqti_ball *ball = &broad_phase->balls[i];
        ball->mark = listed_mark(clusters) + 1;
        if (!reserve_neighbours(clusters, broad_phase, i) ||
            !add_touching_walls(clusters, broad_phase, i, time))
            return false;
        const size_t count = list_neighbours(clusters, broad_phase, i, time);
        for (size_t k = 0; k < count; k++)
            if (!add_touching_pair(clusters, broad_phase, i, clusters->neighbours[k].ball, time))
                return false;
    }
    return true;
}

bool
pqti_clusters_find(pqti_clusters *clusters, const pqti_broad_phase *broad_phase, uint32_t a,
                   uint32_t b, double time, pqt_error *error)
{
    if (!prepare(clusters, broad_phase->count)) {
        pqti_out_of_memory(error);
        return false;
    }
    clusters->round++;
    clusters->ball_count = list_ball(clusters, broad_phase, a, 0);
    clusters->ball_count = list_ball(clusters, broad_phase, b, clusters->ball_count);
    if (!add_touching(clusters, broad_phase, time) ||
        !pqti_solve_rows_reserve(&clusters->scratch.rows, clusters->contacts.count)) {
        pqti_out_of_memory(error);
        return false;
    }
    return true;
}
