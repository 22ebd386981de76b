/* SPDX-License-Identifier: MIT */
/*
 * resting.c: finds the contacts that rest and solves them island by island.
 *
 * The impulses of the previous step are the first guess. The guess may be wrong after an edit or a
 * change of gravity. If the result adds energy, the island is solved again from the fraction of the
 * guess that adds none. The only balls that gain energy are those that overlap by more than resting
 * balls may: they separate slowly.
 *
 * The result does not depend on the order of edges. The contacts are sorted, and the set of
 * contacts depends only on positions and velocities, because the swept boxes cover all balls within
 * their gap at rest.
 *
 * Sources: Catto, Iterative dynamics with temporal coherence, 2005, uses the impulses of a step as
 * the guess for the next one. Baumgarte, Stabilization of constraints and integrals of motion in
 * dynamical systems, 1972, describes speeds that undo overlaps.
 */
#include "config.h"

#include "world/resting.h"

#include <string.h>

#include "base/disjoint_sets.h"
#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "world/contact_crushing.h"
#include "world/obstacle_contacts.h"
#include "world/world_internal.h"

/* See docs/world.md, "Solving together". */
enum {
    LEFT,
    RIGHT,
    UPPER,
    LOWER,
    PIXELS,                /* sides of contacts with only one ball; PIXELS is the first of eight */
    FEW_PASSES = 64,       /* passes over an island of few contacts, plus one per contact */
    SHORT_CHAIN = 512,     /* maximal number of contacts of such an island */
    LEAST_PASSES = 16,     /* passes over an island of more contacts, plus one per layer */
    CONTACTS_PER_EXTRA = 8 /* room for one extra contact for every 8 in the previous step */
};

/* Two balls touch if the gap between them is below this fraction of the smaller radius. See
 * docs/world.md, "Rest". */
#define TOUCH_FRACTION 0x1p-12

/* Only overlaps above this fraction of the smaller radius are undone. See docs/world.md, "Rest". */
#define SLOP_FRACTION 0x1p-6

/* A step undoes this fraction of such an overlap. See docs/world.md, "Rest". */
#define SEPARATED_FRACTION 0x1p-4

/* But overlapping balls separate no faster than this fraction of the rest speed. See docs/world.md,
 * "Rest". */
#define SEPARATION_SPEED_FRACTION 0x1p-4

/* A ball is *ejected* if its speed after a solution exceeds the largest speed in its island before
 * the solution by more than this multiple of its rest speed. See docs/world.md, "Rest". */
#define EJECTION_SPEED 1.0

/* An island has *burst* if a solution makes a ball faster than this multiple of the largest speed
 * before the solution. See docs/world.md, "Rest". */
#define BURST_SPEED 4.0

/* An island is solved when no contact approaches faster than the greatest of three speeds. The
 * first is a fraction of the speed at which resting balls may creep into each other (ball.h).
 * Islands of few contacts have a smaller fraction: errors add up from step to step, and a tall
 * stack must not creep. See docs/world.md, "Solving together". */
#define FEW_SOLVED_FRACTION 0x1p-20
#define SOLVED_FRACTION 0x1p-8

/* The second is this fraction of the rest speed. See docs/world.md, "Solving together". */
#define LEAST_SPEED 0x1p-40

/* The third is a fraction of the fastest approach that the impulses of the previous step leave. So
 * moving islands are solved only as far as the next step needs, and resting ones become more exact
 * with each step. See docs/world.md, "Solving together". */
#define FEW_REDUCED_FRACTION 0x1p-8
#define REDUCED_FRACTION 0x1p-5

void
pqti_resting_free(pqti_resting *resting)
{
    pqti_free_scratch(resting->contacts.contacts);
    pqti_solver_scratch_free(&resting->scratch);
    pqti_free_scratch(resting->parents);
}

/* ---- Which contacts rest ---- */

typedef struct search {
    pqti_resting *resting;
    pqti_broad_phase *broad_phase;
    const pqti_resting_step *step;
    double largest_guess;
} search;

/* Returns true if two balls with this gap and speed of approach rest on each other. For a ball and
 * a wall, pass the ball twice. At a restitution of 0, balls that touch rest at any speed. */
static bool
is_resting(const search *s, const pqti_ball *a, const pqti_ball *b, double gap, double approach)
{
    const double rest_speed = pqti_rest_speed(a, b);
    if (rest_speed == 0 || !(gap <= a->rest_gap + b->rest_gap))
        return false;
    return approach <= rest_speed ||
           (s->step->restitution == 0 && gap <= TOUCH_FRACTION * pqti_fmin(a->radius, b->radius));
}

/* Returns the speed at which two balls with this overlap must separate. */
static double
separation_speed(const search *s, const pqti_ball *a, const pqti_ball *b, double overlap)
{
    const double excess = overlap - SLOP_FRACTION * pqti_fmin(a->radius, b->radius);
    if (!(excess > 0))
        return 0;
    return pqti_fmin(SEPARATED_FRACTION * excess / s->step->span,
                     SEPARATION_SPEED_FRACTION * pqti_rest_speed(a, b));
}

/* Returns the impulse that a contact, or its friction, had in the previous step. */
static double
last_impulse(const search *s, const pqti_lasting_contact *lasting, uint64_t side)
{
    const pqti_rest_states last = s->step->last;
    const pqti_lasting_contact wanted = {lasting->low, lasting->high, side, 0};
    const double impulse = pqti_rest_impulse_near(last.awake, &s->resting->hint_awake, &wanted);
    return impulse != 0 || last.asleep == NULL
               ? impulse
               : pqti_rest_impulse_near(last.asleep, &s->resting->hint_asleep, &wanted);
}

/* Returns the largest impulse that a guess may have: the impulse that changes the speed of the
 * heaviest body by the greatest speed allowed. A damaged file may have larger impulses, whose sums
 * would overflow. */
static double
largest_guess(const pqti_broad_phase *broad_phase)
{
    double heaviest = 0;
    for (uint32_t i = 0; i < broad_phase->count; i++)
        if (!broad_phase->balls[i].is_fixed)
            heaviest = pqti_fmax(heaviest, broad_phase->balls[i].mass);
    return heaviest * PQTI_WORLD_LIMIT;
}

/* Sets the impulses of sorted contacts and of their frictions to the impulses of the previous
 * step. */
static void
guess_last(const search *s, pqti_contact *contacts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pqti_contact *c = &contacts[i];
        c->lasting.impulse = last_impulse(s, &c->lasting, c->lasting.side);
        if (c->lasting.impulse > s->largest_guess) {
            (void)pqti_broad_phase_lacks_all(s->broad_phase); /* the heaviest one is elsewhere */
            c->lasting.impulse = 0;
        }
        if (c->friction > 0)
            c->friction_impulse =
                last_impulse(s, &c->lasting, c->lasting.side + PQTI_LASTING_FRICTION);
    }
}

/* Sets the allowed speed of approach of a contact with this gap. */
static void
set_contact(const search *s, pqti_contact *contact, double gap)
{
    const pqti_ball *balls = s->broad_phase->balls;
    contact->allowed = gap > 0 ? gap / s->step->span
                               : -separation_speed(s, &balls[contact->a], &balls[contact->b], -gap);
}

static bool
add_pair(const search *s, uint32_t i, uint32_t j)
{
    const pqti_ball *balls = s->broad_phase->balls;
    const uint32_t low = balls[i].id < balls[j].id ? i : j, high = low == i ? j : i;
    const pqti_ball *a = &balls[low], *b = &balls[high];
    const pqt_vec d = {b->position.x - a->position.x, b->position.y - a->position.y};
    const double square = pqti_dot(d, d), radius = a->radius + b->radius;
    const double within = radius + (a->rest_gap + b->rest_gap) * (1 + 0x1p-10);
    if (!(radius > 0) || square < PQTI_NO_LENGTH || square > within * within * (1 + 0x1p-10))
        return true;
    const double distance = sqrt(square), gap = distance - radius;
    const pqt_vec w = {b->velocity.x - a->velocity.x, b->velocity.y - a->velocity.y};
    if (!is_resting(s, a, b, gap, -pqti_dot(d, w) / distance))
        return true;
    pqti_contact *contact = pqti_contacts_add_pair(&s->resting->contacts, balls, low, high, d);
    if (contact != NULL)
        set_contact(s, contact, gap);
    return contact != NULL;
}

static bool
add_single(const search *s, uint32_t i, pqt_vec normal, double gap, unsigned side)
{
    const pqti_ball *balls = s->broad_phase->balls;
    if (!is_resting(s, &balls[i], &balls[i], gap, pqti_dot(normal, balls[i].velocity)))
        return true;
    pqti_contact *contact = pqti_contacts_add_single(&s->resting->contacts, balls, i, normal, side);
    if (contact != NULL)
        set_contact(s, contact, gap);
    return contact != NULL;
}

static bool
add_walls(const search *s, uint32_t i)
{
    const pqti_ball *ball = &s->broad_phase->balls[i];
    const pqt_box *box = &ball->centre_bounds;
    const pqt_vec p = ball->position;
    const double left = p.x - box->min.x, right = box->max.x - p.x;
    const double above = p.y - box->min.y, below = box->max.y - p.y;
    const double least = pqti_fmin(pqti_fmin(left, right), pqti_fmin(above, below));
    if (least > 2 * ball->rest_gap)
        return true;
    return add_single(s, i, (pqt_vec){-1, 0}, left, LEFT) &&
           add_single(s, i, (pqt_vec){1, 0}, right, RIGHT) &&
           add_single(s, i, (pqt_vec){0, -1}, above, UPPER) &&
           add_single(s, i, (pqt_vec){0, 1}, below, LOWER);
}

/* Adds the contacts of a ball with the pixels that are near enough. */
static bool
add_pixels(const search *s, uint32_t i)
{
    const pqti_ball *ball = &s->broad_phase->balls[i];
    pqti_obstacle_view *obstacle = s->broad_phase->obstacle;
    pqti_pixel_contact found[PQTI_PIXEL_DIRECTIONS];
    if (obstacle == NULL || ball->rest_speed == 0)
        return true;
    pqti_obstacle_contacts_find(obstacle, ball, 2 * ball->rest_gap, found);
    for (unsigned k = 0; k < PQTI_PIXEL_DIRECTIONS; k++)
        if (found[k].exists &&
            !add_single(s, i, found[k].normal, pqti_fmax(found[k].gap, 0), PIXELS + k))
            return false;
    return true;
}

static bool
add_all(const search *s)
{
    const pqti_broad_phase *broad_phase = s->broad_phase;
    for (size_t k = 0; k < broad_phase->edge_count; k += 2)
        if (!add_pair(s, broad_phase->edges[k + 1].to, broad_phase->edges[k].to))
            return false;
    for (uint32_t i = 0; i < broad_phase->count; i++)
        if (!broad_phase->balls[i].is_static && (!add_walls(s, i) || !add_pixels(s, i)))
            return false;
    return true;
}

/* Returns true if any contact could rest. */
static bool
may_rest(const search *s)
{
    for (uint32_t i = 0; i < s->broad_phase->count; i++)
        if (s->broad_phase->balls[i].rest_speed > 0)
            return true;
    return false;
}

/* ---- Islands ---- */

/* Unites two sets. The root of a set is the ball with its lowest id. */
static void
unite(uint32_t *parents, const pqti_ball *balls, uint32_t a, uint32_t b)
{
    a = pqti_set_root(parents, a);
    b = pqti_set_root(parents, b);
    pqti_sets_unite(parents, balls[a].id < balls[b].id ? a : b, balls[a].id < balls[b].id ? b : a);
}

/* Sets the island of each contact to the lowest id of the moving balls in that island. */
static void
find_islands(const search *s)
{
    const pqti_ball *balls = s->broad_phase->balls;
    uint32_t *parents = s->resting->parents;
    pqti_sets_begin(parents, s->broad_phase->count);
    for (size_t i = 0; i < s->resting->contacts.count; i++) {
        const pqti_contact *c = &s->resting->contacts.contacts[i];
        if (!balls[c->a].is_static && !balls[c->b].is_static)
            unite(parents, balls, c->a, c->b);
    }
    for (size_t i = 0; i < s->resting->contacts.count; i++) {
        pqti_contact *c = &s->resting->contacts.contacts[i];
        c->island = balls[pqti_set_root(parents, balls[c->a].is_static ? c->b : c->a)].id;
    }
}

/* ---- Solving ---- */

/* The contacts of one island. */
typedef struct resting_island {
    const search *search;
    pqti_contact *contacts;
    size_t count;
    double fastest;     /* the largest speed of a ball before the solution, or the crush speed */
    double crush_speed; /* see pqti_contacts_crush_speed */
} resting_island;

static void
solve_from_guess(const resting_island *island, const pqti_solve_limits *limits)
{
    pqti_resting *resting = island->search->resting;
    resting->passes += pqti_contacts_solve_with_friction(island->contacts, island->count,
                                                         island->search->broad_phase->balls,
                                                         &resting->scratch, limits);
}

/* The extent of an island, and the sizes and accelerations of its balls. */
typedef struct extent {
    pqt_vec low, high; /* the bounds of the positions */
    pqt_vec pull;      /* sums of the absolute accelerations along each axis */
    double diameters;  /* sum of the diameters of `count` balls */
    double count;
} extent;

static void
add_to_extent(extent *e, const pqti_ball *ball)
{
    const pqt_vec p = ball->position, a = ball->acceleration;
    if (ball->is_static)
        return;
    e->low = (pqt_vec){pqti_fmin(e->low.x, p.x), pqti_fmin(e->low.y, p.y)};
    e->high = (pqt_vec){pqti_fmax(e->high.x, p.x), pqti_fmax(e->high.y, p.y)};
    e->pull = (pqt_vec){e->pull.x + pqti_fabs(a.x), e->pull.y + pqti_fabs(a.y)};
    e->diameters += 2 * ball->radius;
    e->count++;
}

/* Returns the number of layers of an island: its extent in mean diameters. The extent is measured
 * along the accelerations of the balls, or along the longer side if there are none. */
static double
layers_of(const resting_island *island)
{
    const pqti_ball *balls = island->search->broad_phase->balls;
    extent e = {{HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL}, {0, 0}, 0, 0};
    for (size_t i = 0; i < island->count; i++) {
        add_to_extent(&e, &balls[island->contacts[i].a]);
        add_to_extent(&e, &balls[island->contacts[i].b]);
    }
    const double width = e.high.x - e.low.x, height = e.high.y - e.low.y;
    const double pull = e.pull.x + e.pull.y;
    const double along = pull > 0 ? width * (e.pull.x / pull) + height * (e.pull.y / pull)
                                  : pqti_fmax(width, height);
    return along * e.count / e.diameters;
}

/* Returns the largest number of passes over an island. Changes spread from contact to contact, so a
 * chain needs a number of passes that grows with its length, and a pile needs one that grows with
 * its height. The next steps reduce the remaining error, because they begin with the impulses that
 * this one finds. */
static uint64_t
most_passes(const resting_island *island)
{
    if (island->count <= SHORT_CHAIN)
        return FEW_PASSES + island->count;
    return LEAST_PASSES + (uint64_t)pqti_fmin(layers_of(island), (double)island->count);
}

/* Returns true if a ball is much faster after the solution than any ball was before. This happens
 * only to balls that must separate, or make way for a kinematic ball, where there is no room:
 * between walls, or nearly in a line with others. */
static bool
is_ejected(const resting_island *island, uint32_t i)
{
    const pqti_ball *ball = &island->search->broad_phase->balls[i];
    const pqt_vec v = island->search->resting->scratch.velocities[i];
    const double limit = EJECTION_SPEED * ball->rest_speed + island->fastest;
    return !ball->is_static && pqti_fmax(pqti_fabs(v.x), pqti_fabs(v.y)) > limit;
}

static bool
any_is_ejected(const resting_island *island)
{
    for (size_t i = 0; i < island->count; i++)
        if (is_ejected(island, island->contacts[i].a) || is_ejected(island, island->contacts[i].b))
            return true;
    return false;
}

/* Stops the separation at the contacts of ejected balls in this step, or at all contacts if `all`
 * is set. Returns true if that changes the island. */
static bool
stop_separation(const resting_island *island, bool all)
{
    bool changes = false;
    const bool any = any_is_ejected(island);
    for (size_t i = 0; i < island->count && any; i++) {
        pqti_contact *c = &island->contacts[i];
        if (c->allowed >= 0 || !(all || is_ejected(island, c->a) || is_ejected(island, c->b)))
            continue;
        c->allowed = 0;
        changes = true;
    }
    return changes;
}

static bool
adds_energy(const resting_island *island)
{
    return pqti_contacts_add_energy(island->contacts, island->count,
                                    island->search->broad_phase->balls,
                                    &island->search->resting->scratch);
}

static bool
has_friction_impulse(const resting_island *island)
{
    bool any = false;
    for (size_t i = 0; i < island->count; i++)
        any = any || island->contacts[i].friction_impulse != 0;
    return any;
}

/* Solves an island, starting from the impulses of the previous step. If a wrong guess adds energy,
 * solves the island again from the fraction of the guess that adds none. If frictions still add
 * energy, solves them only once. */
static void
solve_carefully(const resting_island *island, const pqti_solve_limits *within)
{
    pqti_solve_limits limits = *within;
    for (int attempt = 0; attempt < 3; attempt++) {
        if (attempt > 0)
            guess_last(island->search, island->contacts, island->count);
        limits.careful = attempt > 0;
        limits.once = attempt > 1;
        solve_from_guess(island, &limits);
        if (!adds_energy(island) || (attempt == 1 && !has_friction_impulse(island)))
            return;
    }
}

/* Returns true if a ball, or its surface, is much faster after the solution than any ball was
 * before. */
static bool
has_burst(const resting_island *island)
{
    const pqti_ball *balls = island->search->broad_phase->balls;
    const pqti_solver_scratch *scratch = &island->search->resting->scratch;
    double before = 0, after = 0;
    for (size_t i = 0; i < 2 * island->count; i++) {
        const uint32_t k = pqti_contact_ball(island->contacts, i);
        const double radius = balls[k].radius;
        const double rim = pqti_fabs(balls[k].spin) * radius;
        before = pqti_fmax(before, pqti_ball_speed(&balls[k]) + rim + balls[k].rest_speed);
        after = pqti_fmax(after, pqti_largest_component(scratch->velocities[k]));
        after = pqti_fmax(after, pqti_fabs(scratch->spins[k]) * radius);
    }
    return !(after <= BURST_SPEED * before);
}

/* Solves an island from impulses of 0, without friction and without separation. */
static void
solve_plainly(const resting_island *island, const pqti_solve_limits *limits)
{
    pqti_contacts_make_plain(island->contacts, island->count);
    solve_from_guess(island, limits);
}

/* Returns the limits that end the search for the impulses of an island. */
static pqti_solve_limits
limits_of(const resting_island *island)
{
    const pqti_ball *balls = island->search->broad_phase->balls;
    const bool few = island->count <= SHORT_CHAIN;
    const double fraction = few ? FEW_SOLVED_FRACTION : SOLVED_FRACTION;
    double speed = HUGE_VAL;
    for (size_t i = 0; i < island->count; i++) {
        const pqti_ball *a = &balls[island->contacts[i].a], *b = &balls[island->contacts[i].b];
        speed = pqti_fmin(speed, pqti_fmax(fraction * (a->creep_speed + b->creep_speed),
                                           LEAST_SPEED * pqti_rest_speed(a, b)));
    }
    return (pqti_solve_limits){.warm_fraction = few ? FEW_REDUCED_FRACTION : REDUCED_FRACTION,
                               .speed = speed,
                               .passes = most_passes(island)};
}

static bool
is_crushed(const resting_island *island)
{
    return pqti_contacts_crush(island->contacts, island->count, island->search->broad_phase->balls,
                               &island->search->resting->scratch, island->crush_speed);
}

/* Solves an island of crushed balls as if kinematic balls did not move. If that does not suffice,
 * solves it without separation and friction, too. */
static void
solve_crushed(const resting_island *island, const pqti_solve_limits *limits)
{
    pqti_contacts_ignore_kinematic(island->contacts, island->count,
                                   island->search->broad_phase->balls);
    guess_last(island->search, island->contacts, island->count);
    solve_carefully(island, limits);
    if (is_crushed(island))
        solve_plainly(island, limits);
}

/* Solves an island. If balls are ejected, solves it again without separation at their contacts,
 * then without any separation, and then, if kinematic balls crush others, as if they did not move.
 * If an island without kinematic balls bursts, because of friction in a wedge or of separation
 * without room, solves it without both. */
static void
solve_island(const resting_island *island)
{
    const pqti_solve_limits limits = limits_of(island);
    solve_carefully(island, &limits);
    for (int round = 0; round < 2 && stop_separation(island, round == 1); round++)
        solve_carefully(island, &limits); /* starts from the impulses found so far */
    if (is_crushed(island))
        solve_crushed(island, &limits);
    else if (island->crush_speed == HUGE_VAL && has_burst(island))
        solve_plainly(island, &limits);
    pqti_solver_scratch_store(&island->search->resting->scratch, island->contacts, island->count,
                              island->search->broad_phase->balls);
}

/* Returns the largest speed of the balls of an island that are not static. */
static double
fastest_of(const pqti_contact *contacts, size_t count, const pqti_ball *balls)
{
    double speed = 0;
    for (size_t i = 0; i < 2 * count; i++) {
        const pqti_ball *ball = &balls[pqti_contact_ball(contacts, i)];
        speed = pqti_fmax(speed, ball->is_static ? 0 : pqti_ball_speed(ball));
    }
    return speed;
}

static void
solve_islands(const search *s)
{
    const pqti_contact_array *array = &s->resting->contacts;
    const pqti_ball *balls = s->broad_phase->balls;
    for (size_t from = 0, to; from < array->count; from = to) {
        for (to = from + 1;
             to < array->count && array->contacts[to].island == array->contacts[from].island;)
            to++;
        pqti_contact *first = &array->contacts[from];
        const double crush_speed = pqti_contacts_crush_speed(first, to - from, balls);
        const double fastest =
            crush_speed < HUGE_VAL ? crush_speed : fastest_of(first, to - from, balls);
        solve_island(&(resting_island){s, first, to - from, fastest, crush_speed});
    }
}

/* Returns the energy that the contacts of an island add by undoing overlaps. */
static double
energy_of_separations(const pqti_contact *contacts, size_t count)
{
    double energy = 0;
    for (size_t i = 0; i < count; i++)
        energy += contacts[i].lasting.impulse * pqti_fmax(-contacts[i].allowed, 0);
    return energy;
}

/* ---- The step ---- */

/* Wakes the sleeping balls that contacts push. */
static void
touch_pushed(const search *s)
{
    pqti_ball *balls = s->broad_phase->balls;
    for (size_t i = 0; i < s->resting->contacts.count; i++) {
        const pqti_contact *c = &s->resting->contacts.contacts[i];
        if (!(c->lasting.impulse > 0))
            continue;
        pqti_ball_touch(&balls[c->a]);
        pqti_ball_touch(&balls[c->b]);
    }
}

/* Updates the broad phase for the balls of all islands. */
static bool
update_balls(const search *s, pqt_error *error)
{
    pqti_ball *balls = s->broad_phase->balls;
    for (size_t i = 0; i < s->resting->contacts.count; i++) {
        const pqti_contact *c = &s->resting->contacts.contacts[i];
        balls[c->a].is_resting = !balls[c->a].is_static;
        balls[c->b].is_resting = !balls[c->b].is_static;
    }
    for (uint32_t i = 0; i < s->broad_phase->count; i++)
        if (balls[i].is_resting && !pqti_broad_phase_update(s->broad_phase, i, 0, error))
            return false;
    return true;
}

/* Makes contacts refer to balls by rank, because later windows of time sort the balls in other
 * orders. */
static void
name_by_rank(const search *s)
{
    const pqti_ball *balls = s->broad_phase->balls;
    for (size_t i = 0; i < s->resting->contacts.count; i++) {
        pqti_contact *c = &s->resting->contacts.contacts[i];
        c->a = balls[c->a].rank;
        c->b = balls[c->b].rank;
    }
}

/* Logs the lasting contacts that begin and end. */
static void
add_lasting_events(const search *s)
{
    pqti_events_add_lasting(s->step->events, s->broad_phase->balls, &s->resting->contacts,
                            s->step->last, s->step->wakes);
}

static bool
prepare_resting(pqti_resting *resting, size_t count)
{
    resting->parents = pqti_alloc_scratch(count, sizeof *resting->parents);
    return resting->parents != NULL && pqti_solver_scratch_make(&resting->scratch, count) &&
           pqti_solve_rows_reserve(&resting->scratch.rows, resting->contacts.count);
}

bool
pqti_resting_solve(pqti_resting *resting, pqti_broad_phase *broad_phase,
                   const pqti_resting_step *step, pqt_error *error)
{
    const search s = {resting, broad_phase, step, largest_guess(broad_phase)};
    const size_t before = pqti_rest_draft_of(step->last.awake).contact_count;
    resting->contacts.expected = before + before / CONTACTS_PER_EXTRA;
    const bool found = !may_rest(&s) || add_all(&s);
    if (found && resting->contacts.count == 0) {
        add_lasting_events(&s);
        return true;
    }
    if (!found || !prepare_resting(resting, broad_phase->count)) {
        pqti_out_of_memory(error);
        return false;
    }
    find_islands(&s);
    pqti_contacts_sort(&resting->contacts);
    guess_last(&s, resting->contacts.contacts, resting->contacts.count);
    solve_islands(&s);
    resting->separation_energy =
        energy_of_separations(resting->contacts.contacts, resting->contacts.count);
    touch_pushed(&s);
    if (broad_phase->lack != PQTI_LACKS_NOTHING || !update_balls(&s, error))
        return false;
    add_lasting_events(&s);
    name_by_rank(&s);
    return true;
}
