/* SPDX-License-Identifier: MIT */
/*
 * test_step_frames.c: tests that worlds avoid typical errors of simulations with fixed frames, by
 * comparing them with a simple scheme.
 *
 * A frame of the simple scheme moves each ball by its velocity, reverses the velocity if the ball
 * extends beyond a wall, and inserts the ball into a quadtree that is modified in place. During the
 * traversal of the tree, any two overlapping balls respond.
 */
#include "config.h"

#include <pqt/circle.h>
#include <pqt/limits.h>
#include <pqt/pairs.h>

#include "step_support.h"
#include "suite.h"

/* ---- Frames and responses ---- */

/* Runs a frame of the simple scheme: tests the walls, reverses the velocity, and moves. */
static void
old_frame(pqt_body *body, double dt)
{
    if (body->position.x - body->radius <= 0 || body->position.x + body->radius >= 100)
        body->velocity.x = -body->velocity.x;
    body->position.x += body->velocity.x * dt;
}

/* Applies the response of the simple scheme to any two overlapping balls, even if they move
   apart. */
static void
old_response(pqt_body *a, pqt_body *b)
{
    pqt_vec d = pqt_vec_subtract(a->position, b->position);
    pqt_vec w = pqt_vec_subtract(a->velocity, b->velocity);
    double s = pqt_vec_dot(w, d) / pqt_vec_dot(d, d);
    a->velocity = pqt_vec_subtract(a->velocity, pqt_vec_scale(d, s));
    b->velocity = pqt_vec_add(b->velocity, pqt_vec_scale(d, s));
}

START_TEST(a_ball_at_a_wall_does_not_stick)
{
    pqt_body old = flying(1, 1.5, 50, 1, -100, 0);
    const pqt_world *world = added(small_world(), old);
    size_t turns = 0;
    for (int k = 0; k < 20; k++) {
        double before = old.velocity.x;
        old_frame(&old, k == 0 ? 0.02 : 0.001);
        turns += old.velocity.x != before;
    }
    ck_assert_uint_gt(turns, 10); /* the simple scheme reverses the velocity in each frame */
    ck_assert(old.position.x < 1);
    world = stepped(world, 0.02, NULL);
    for (int k = 1; k < 20; k++)
        world = stepped(world, 0.001, NULL);
    ck_assert(body_of(world, 1).velocity.x == 100);
    ck_assert(body_of(world, 1).position.x > 4);
}
END_TEST

START_TEST(overlapping_balls_do_not_reverse_in_every_step)
{
    pqt_body a = flying(1, 49, 50, 2, 0.1, 0), b = flying(2, 51, 50, 2, -0.1, 0);
    const pqt_world *world = added(added(small_world(), a), b);
    size_t turns = 0;
    for (int k = 0; k < 20; k++) {
        double before = a.velocity.x;
        old_response(&a, &b);
        turns += a.velocity.x * before < 0;
    }
    ck_assert_uint_eq(turns, 20);
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    after_steps(world, 20, 0.01, &options);
    ck_assert_uint_eq(report.contacts, 1);
}
END_TEST

START_TEST(coincident_balls_stay_finite)
{
    pqt_body a = flying(1, 50, 50, 2, 1, 0), b = flying(2, 50, 50, 2, -1, 0);
    const pqt_world *world = added(added(small_world(), a), b);
    old_response(&a, &b);
    ck_assert(isnan(a.velocity.x) && isnan(b.velocity.y));
    world = after_steps(world, 5, 0.01, NULL);
    a = body_of(world, 1);
    b = body_of(world, 2);
    ck_assert(pqt_vec_is_finite(a.velocity) && pqt_vec_is_finite(a.position));
    ck_assert(depth_of(&a, &b) <= allowed_depth(&a, &b));
}
END_TEST

/* Resolves the collisions of a frame. The comparison is false for a ball at a NaN position, so that
 * every other ball responds to it and gets a NaN velocity as well. */
static void
old_collisions(pqt_body *bodies, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++)
            if (!(distance_of(&bodies[i], &bodies[k]) > bodies[i].radius + bodies[k].radius))
                old_response(&bodies[i], &bodies[k]);
}

START_TEST(two_coincident_balls_do_not_disturb_the_others)
{
    enum { MANY = 100, FRAMES = 10 };
    pqt_body bodies[MANY], after[MANY];
    dice d = {31};
    scatter_keys(&d, bodies, MANY, 100, 0.3);
    bodies[1].position = bodies[0].position;
    const pqt_world *world = with_bodies(small_world(), bodies, MANY);
    size_t lost = 0;
    for (int k = 0; k < FRAMES; k++) {
        old_collisions(bodies, MANY);
        for (size_t i = 0; i < MANY; i++)
            old_frame(&bodies[i], 0.01);
    }
    for (size_t i = 0; i < MANY; i++)
        lost += isnan(bodies[i].position.x);
    ck_assert_uint_ge(lost, 80);
    list_bodies(after_steps(world, FRAMES, 0.01, NULL), after);
    for (size_t i = 0; i < MANY; i++)
        ck_assert(pqt_vec_is_finite(after[i].position) && pqt_vec_is_finite(after[i].velocity));
}
END_TEST

START_TEST(a_long_step_does_not_tunnel)
{
    pqt_body old = flying(1, 40, 50, 1, 2000, 0);
    pqt_body post = ball(2, 50, 50, 1);
    post.fixed = true;
    const pqt_world *world = added(added(small_world(), old), post);
    old_frame(&old, 0.02);
    ck_assert(old.position.x == 80); /* it has passed the post without a contact */
    world = stepped(world, 0.02, NULL);
    ck_assert(body_of(world, 1).position.x < 48);
}
END_TEST

/* ---- The order of responses ---- */

START_TEST(the_order_of_a_traversal_does_not_matter)
{
    /* Three balls overlap each other. The order in which a tree visits the pairs depends on the
       tree. */
    pqt_body a = flying(1, 50, 50, 3, 1, 0), b = flying(2, 54, 50, 3, -5, 0);
    pqt_body c = flying(3, 50, 54, 3, 0, -7), a2 = a, b2 = b, c2 = c;
    const pqt_body bodies[] = {a, b, c}, turned[] = {c, a, b};
    old_response(&a, &b);
    old_response(&b, &c);
    old_response(&b2, &c2);
    old_response(&a2, &b2);
    ck_assert(a.velocity.x != a2.velocity.x);
    pqt_error error = {0};
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = arena;
    options.leaf_capacity = 1;
    const pqt_world *fine = must_world(pqt_world_make(arena_box, &options, &error), &error);
    options.leaf_capacity = PQT_MAX_CAPACITY;
    const pqt_world *coarse = must_world(pqt_world_make(arena_box, &options, &error), &error);
    fine = after_steps(with_bodies(fine, bodies, 3), 5, 0.1, NULL);
    coarse = after_steps(with_bodies(coarse, turned, 3), 5, 0.1, NULL);
    ck_assert(pqt_world_fingerprint(fine).low == pqt_world_fingerprint(coarse).low);
    ck_assert(pqt_world_get_stats(fine).cells > pqt_world_get_stats(coarse).cells);
}
END_TEST

/* ---- A tree that is changed in place ---- */

enum { OLD_NODES = 1 << 16, OLD_DEPTH = 8, MOVERS = 300, FRAMES = 60 };

/* A quadtree that is modified in place. A ball belongs to the smallest cell that contains its box.
   When a ball leaves a node, empty nodes are removed. */
typedef struct old_tree {
    struct old_node {
        uint32_t parent, child[4]; /* 0 means none, because the root is not a child */
        uint32_t balls;
    } nodes[OLD_NODES];
    uint32_t count;
    uint32_t at[MOVERS]; /* the node of each ball; 0 also before the ball has one */
    bool is_in[MOVERS];
} old_tree;

static uint32_t
old_child(old_tree *tree, uint32_t node, unsigned which)
{
    uint32_t *child = &tree->nodes[node].child[which];
    if (*child == 0) {
        require(tree->count < OLD_NODES, "no room for another node");
        *child = tree->count++;
        tree->nodes[*child] = (struct old_node){.parent = node};
    }
    return *child;
}

/* Returns the node for a box in 100 x 100. */
static uint32_t
old_node_for(old_tree *tree, pqt_box b)
{
    pqt_vec middle = {50, 50};
    uint32_t node = 0;
    double half = 25;
    for (int depth = 1; depth < OLD_DEPTH; depth++, half /= 2) {
        unsigned low = (b.min.x >= middle.x) + 2u * (b.min.y >= middle.y);
        unsigned high = (b.max.x >= middle.x) + 2u * (b.max.y >= middle.y);
        if (low != high)
            break;
        node = old_child(tree, node, low);
        middle.x += low & 1 ? half : -half;
        middle.y += low & 2 ? half : -half;
    }
    return node;
}

/* Makes the mistake of the simple scheme: removes a node without balls of its own, even if its
   children have balls. */
static void
old_prune(old_tree *tree, uint32_t node)
{
    for (; node != 0 && tree->nodes[node].balls == 0; node = tree->nodes[node].parent)
        for (int i = 0; i < 4; i++)
            if (tree->nodes[tree->nodes[node].parent].child[i] == node)
                tree->nodes[tree->nodes[node].parent].child[i] = 0;
}

static void
old_put(old_tree *tree, size_t ball, pqt_box b)
{
    uint32_t node = old_node_for(tree, b), before = tree->at[ball];
    if (tree->is_in[ball] && node == before)
        return;
    tree->nodes[node].balls++;
    tree->at[ball] = node;
    if (tree->is_in[ball]) {
        tree->nodes[before].balls--;
        old_prune(tree, before);
    }
    tree->is_in[ball] = true;
}

/* Returns true if a traversal from the root reaches a ball. */
static bool
old_reaches(const old_tree *tree, size_t ball)
{
    for (uint32_t node = tree->at[ball]; node != 0; node = tree->nodes[node].parent) {
        const uint32_t *child = tree->nodes[tree->nodes[node].parent].child;
        if (child[0] != node && child[1] != node && child[2] != node && child[3] != node)
            return false;
    }
    return true;
}

/* The number of balls and of overlapping pairs, and the numbers of those that the tree lost. */
typedef struct losses {
    size_t balls, lost_balls, pairs, lost_pairs;
} losses;

static void
count_losses(losses *l, const old_tree *tree, const pqt_body *bodies)
{
    for (size_t i = 0; i < MOVERS; i++) {
        bool reached = old_reaches(tree, i);
        l->balls++;
        l->lost_balls += !reached;
        for (size_t k = 0; k < i; k++) {
            if (!(depth_of(&bodies[i], &bodies[k]) > 0))
                continue;
            l->pairs++;
            l->lost_pairs += !reached || !old_reaches(tree, k);
        }
    }
}

typedef struct overlaps {
    const pqt_body *bodies;
    size_t pairs;
} overlaps;

static bool
count_overlap(const pqt_item *a, const pqt_item *b, void *context)
{
    overlaps *o = context;
    o->pairs += depth_of(&o->bodies[a->id], &o->bodies[b->id]) > 0;
    return true;
}

/* Moves a ball, which turns around at the edges of the bounds, but passes through other balls. */
static void
fly_through(pqt_body *body)
{
    if (body->position.x < 5 || body->position.x > 95)
        body->velocity.x = copysign(body->velocity.x, 50 - body->position.x);
    if (body->position.y < 5 || body->position.y > 95)
        body->velocity.y = copysign(body->velocity.y, 50 - body->position.y);
    body->position.x += body->velocity.x * 0.01;
    body->position.y += body->velocity.y * 0.01;
}

START_TEST(no_ball_is_lost_unlike_in_a_tree_of_limited_depth)
{
    static old_tree tree;
    pqt_body bodies[MOVERS];
    dice d = {test_seed(__func__)};
    pqt_error error = {0};
    losses theirs = {0};
    overlaps ours = {bodies, 0};
    size_t found = 0;
    scatter_keys(&d, bodies, MOVERS, 100, 0.05);
    tree.count = 1;
    const pqt_world *world = with_bodies(small_world(), bodies, MOVERS);
    for (int frame = 0; frame < FRAMES; frame++) {
        for (size_t i = 0; i < MOVERS; i++)
            old_put(&tree, i, pqt_circle_box((pqt_circle){bodies[i].position, bodies[i].radius}));
        count_losses(&theirs, &tree, bodies);
        pqt_pairs_visit(pqt_world_tree(world), NULL, &(pqt_pair_query){.relation = PQT_OVERLAPS},
                        count_overlap, &ours);
        found += pqt_tree_count_in(pqt_world_tree(world), (pqt_query[]){query_of_all()});
        for (size_t i = 0; i < MOVERS; i++) {
            fly_through(&bodies[i]);
            world = must_world(pqt_world_change(world, bodies[i], &error), &error);
        }
    }
    ck_assert_uint_gt(theirs.lost_balls * 10, theirs.balls);
    ck_assert_uint_gt(theirs.lost_pairs * 10, theirs.pairs);
    ck_assert_uint_eq(found, theirs.balls);
    ck_assert_uint_eq(ours.pairs, theirs.pairs);
}
END_TEST

START_TEST(clear_removes_all_bodies)
{
    const pqt_world *world = small_world();
    size_t left = 10;
    for (uint64_t i = 0; i < 10; i++)
        world = added(world, ball(i, 5 + 10 * (double)i, 50, 1));
    for (size_t i = 0; i < left; i++)
        /* this is the loop of the simple scheme, whose bound decreases as it removes balls */
        left--;
    ck_assert_uint_eq(left, 5);
    pqt_error error = {0};
    ck_assert_uint_eq(pqt_world_count(must_world(pqt_world_clear(world, &error), &error)), 0);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("step_frames");
    TCase *tests = add_tests(suite, "frames");
    tcase_add_test(tests, a_ball_at_a_wall_does_not_stick);
    tcase_add_test(tests, overlapping_balls_do_not_reverse_in_every_step);
    tcase_add_test(tests, coincident_balls_stay_finite);
    tcase_add_test(tests, two_coincident_balls_do_not_disturb_the_others);
    tcase_add_test(tests, a_long_step_does_not_tunnel);
    tests = add_tests(suite, "trees");
    tcase_add_test(tests, the_order_of_a_traversal_does_not_matter);
    tcase_add_test(tests, no_ball_is_lost_unlike_in_a_tree_of_limited_depth);
    tcase_add_test(tests, clear_removes_all_bodies);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
