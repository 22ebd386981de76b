/* SPDX-License-Identifier: MIT */
/*
 * test_world.c: tests versions of worlds: adding and removing bodies, queries, and a model of
 * random edits.
 */
#include "config.h"

#include <float.h>

#include <pqt/circle.h>
#include <pqt/step.h>

#include "hooks.h"
#include "options_support.h"
#include "suite.h"
#include "world/world_internal.h"
#include "world_support.h"

/* ---- Adding and removing bodies ---- */

START_TEST(a_world_contains_the_added_bodies)
{
    const pqt_world *empty = small_world();
    const pqt_world *one = added(empty, flying(7, 10, 20, 2, 3, -4));
    pqt_body body = body_of(one, 7);
    ck_assert_uint_eq(pqt_world_count(empty), 0);
    ck_assert_uint_eq(pqt_world_count(one), 1);
    ck_assert(body.position.x == 10 && body.position.y == 20);
    ck_assert(body.velocity.x == 3 && body.velocity.y == -4);
    ck_assert(body.mass > 12.566370614 && body.mass < 12.566370615);
    ck_assert(pqt_tree_contains(pqt_world_tree(one), boxed(box(8, 18, 12, 22), 7)));
    ck_assert(!pqt_world_find(one, 8, NULL));
    expect_sound_world(one);
}
END_TEST

START_TEST(an_edit_that_changes_nothing_returns_the_same_version)
{
    pqt_error error = {0};
    const pqt_world *one = added(small_world(), flying(7, 10, 20, 2, 3, -4));
    ck_assert_ptr_eq(pqt_world_remove(one, 8, &error), one);
    ck_assert_ptr_eq(pqt_world_change(one, body_of(one, 7), &error), one);
    ck_assert_ptr_eq(pqt_world_change(one, ball(8, 5, 5, 1), &error), one);
    ck_assert_ptr_eq(pqt_world_add_all(one, NULL, 0, &error), one);

    const pqt_world *none = small_world();
    ck_assert_ptr_eq(pqt_world_clear(none, &error), none);
    ck_assert_int_eq(error.status, PQT_OK);
}
END_TEST

START_TEST(clear_and_remove_leave_the_old_version_alone)
{
    pqt_error error = {0};
    const pqt_world *two = added(added(small_world(), ball(1, 10, 10, 1)), ball(2, 20, 20, 1));
    const pqt_world *one = must_world(pqt_world_remove(two, 1, &error), &error);
    const pqt_world *none = must_world(pqt_world_clear(two, &error), &error);
    ck_assert_uint_eq(pqt_world_count(one), 1);
    ck_assert_uint_eq(pqt_world_count(none), 0);
    ck_assert(!pqt_world_find(one, 1, NULL) && pqt_world_find(two, 1, NULL));
    ck_assert(pqt_world_equals(none, small_world()));
    expect_sound_world(one);
    expect_sound_world(none);
}
END_TEST

START_TEST(a_change_of_velocity_shares_the_tree)
{
    pqt_error error = {0};
    const pqt_world *world = added(small_world(), ball(1, 10, 10, 1));
    const pqt_world *next = pqt_world_change(world, flying(1, 10, 10, 1, 5, 0), &error);
    must_world(next, &error);
    ck_assert_ptr_eq(pqt_world_tree(next), pqt_world_tree(world));
    ck_assert(body_of(next, 1).velocity.x == 5 && body_of(world, 1).velocity.x == 0);
    expect_sound_world(next);
}
END_TEST

START_TEST(a_removed_body_can_be_added_again)
{
    pqt_error error = {0};
    const double most = 0x1p200;
    const pqt_world *world = world_in(box(-most, -most, most, most), true, arena);
    world = added(added(world, ball(1, 0, 0, most)), ball(2, most / 2, most / 4, 0x1p-500));
    expect_sound_world(world);
    for (uint64_t id = 1; id <= 2; id++)
        ck_assert_ptr_eq(pqt_world_change(world, body_of(world, id), &error), world);
    ck_assert_int_eq(error.status, PQT_OK);
    ck_assert(isfinite(pqt_world_get_stats(world).energy));
}
END_TEST

/* ---- Invalid bodies ---- */

static const struct refusal {
    pqt_body body;
    pqt_status status;
    const char *text;
} refusals[] = {
    {{.id = 1, .position = {NAN, 5}, .radius = 1},
     PQT_ERROR_BODY,
     "body 0: position.x nan is not finite"},
    {{.id = 1, .position = {5, INFINITY}, .radius = 1},
     PQT_ERROR_BODY,
     "body 0: position.y inf is not finite"},
    {{.id = 1, .position = {5, 5}, .velocity = {NAN, 0}, .radius = 1},
     PQT_ERROR_BODY,
     "body 0: velocity.x nan is not finite"},
    {{.id = 1, .position = {5, 5}, .velocity = {0, -1e70}, .radius = 1},
     PQT_ERROR_BODY,
     "body 0: velocity.y -1e+70 is beyond 2^200"},
    {{.id = 1, .position = {5, 5}, .acceleration = {0, NAN}, .radius = 1},
     PQT_ERROR_BODY,
     "body 0: acceleration.y nan is not finite"},
    {{.id = 1, .position = {5, 5}, .radius = -1}, PQT_ERROR_BODY, "body 0: radius -1 is negative"},
    {{.id = 1, .position = {5, 5}, .radius = NAN},
     PQT_ERROR_BODY,
     "body 0: radius nan is not finite"},
    {{.id = 1, .position = {5, 5}, .radius = 1, .mass = -2},
     PQT_ERROR_BODY,
     "body 0: mass -2 is negative"},
    {{.id = 1, .position = {5, 5}, .radius = 1, .mass = 0x1.1p402},
     PQT_ERROR_BODY,
     "body 0: mass 1.0974561981869362e+121 is beyond 2^402"},
    {{.id = 1, .position = {5, 5}, .radius = 1, .mass = NAN},
     PQT_ERROR_BODY,
     "body 0: mass nan is not finite"},
    {{.id = 1, .position = {5, 5}}, PQT_ERROR_BODY, "body 0: mass is 0, and so is its area"},
    {{.id = 1, .position = {5, 5}, .velocity = {1, 0}, .radius = 1, .fixed = true},
     PQT_ERROR_BODY,
     "body 0: it is fixed but has a velocity"},
    {{.id = 9, .position = {5, 5}, .radius = 1}, PQT_ERROR_BODY, "body 0: id 9 already exists"},
    {{.id = 1, .position = {0.5, 5}, .radius = 1},
     PQT_ERROR_BOUNDS,
     "body 0: position (0.5 5) puts it outside the walls"},
    {{.id = 1, .position = {5, 99.5}, .radius = 1},
     PQT_ERROR_BOUNDS,
     "body 0: position (5 99.5) puts it outside the walls"},
    {{.id = 1, .position = {50, 50}, .radius = 51},
     PQT_ERROR_BOUNDS,
     "body 0: position (50 50) puts it outside the walls"},
};

START_TEST(a_bad_body_is_refused)
{
    const struct refusal *r = &refusals[_i];
    const pqt_world *world = added(small_world(), ball(9, 50, 50, 1));
    pqt_error error = {0}, many = {0};
    ck_assert_ptr_null(pqt_world_add(world, r->body, &error));
    expect_failure(&error, r->status, 0, r->text);
    ck_assert_ptr_null(pqt_world_add_all(world, &r->body, 1, &many));
    expect_failure(&many, r->status, 0, r->text);
    ck_assert_uint_eq(pqt_world_count(world), 1);
}
END_TEST

START_TEST(a_bad_body_in_a_batch_is_named)
{
    pqt_error error = {0};
    pqt_body bodies[] = {ball(1, 5, 5, 1), ball(2, 8, 5, 1), ball(3, 11, 5, 1), ball(2, 20, 5, 1)};
    ck_assert_ptr_null(pqt_world_add_all(small_world(), bodies, 4, &error));
    expect_failure(&error, PQT_ERROR_BODY, 3, "body 3: id 2 occurs twice");
    error = (pqt_error){0};
    bodies[2].radius = NAN;
    ck_assert_ptr_null(pqt_world_add_all(small_world(), bodies, 4, &error));
    expect_failure(&error, PQT_ERROR_BODY, 2, "body 2: radius nan is not finite");
}
END_TEST

/* The test takes a fraction of the minute that a search for each equal id from the beginning would
 * take. */
START_TEST(a_batch_with_many_equal_ids_is_refused_early)
{
    enum { HALF = 200000 };
    pqt_error error = {0};
    pqt_body *bodies = malloc(2 * HALF * sizeof *bodies);
    for (size_t i = 0; i < HALF; i++)
        bodies[i] = bodies[i + HALF] = ball(i, 50, 50, 1);
    ck_assert_ptr_null(pqt_world_add_all(small_world(), bodies, 2 * (size_t)HALF, &error));
    expect_failure(&error, PQT_ERROR_BODY, HALF, "body 200000: id 0 occurs twice");
    free(bodies);
}
END_TEST

START_TEST(invalid_bounds_and_options_are_refused)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = arena;
    pqt_error error = {0};
    ck_assert_ptr_null(pqt_world_make(box(0, 0, 1e61, 1), &options, &error));
    expect_failure(&error, PQT_ERROR_LIMIT, 0, "bounds: 1e+61 is beyond 2^200");
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_world_make(box(0, 0, NAN, 1), &options, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_BOX);
    error = (pqt_error){0};
    options.leaf_capacity = 0;
    ck_assert_ptr_null(pqt_world_make(arena_box, &options, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
    error = (pqt_error){0};
    options.size = 3;
    ck_assert_ptr_null(pqt_world_make(arena_box, &options, &error));
    expect_wrong_size(&error, 3, sizeof options, "PQT_WORLD_DEFAULTS");
}
END_TEST

START_TEST(an_earlier_failure_is_passed_on)
{
    pqt_error error = earlier_failure();
    ck_assert_ptr_null(pqt_world_add(NULL, ball(1, 5, 5, 1), &error));
    ck_assert_ptr_null(pqt_world_add_all(NULL, NULL, 0, &error));
    ck_assert_ptr_null(pqt_world_change(NULL, ball(1, 5, 5, 1), &error));
    ck_assert_ptr_null(pqt_world_remove(NULL, 1, &error));
    ck_assert_ptr_null(pqt_world_clear(NULL, &error));
    ck_assert_ptr_null(pqt_world_copy(NULL, arena, &error));
    ck_assert_ptr_null(pqt_world_search(NULL, (pqt_query[]){query_of_all()}, &error));
    ck_assert_ptr_null(pqt_world_pin(NULL, &error));
    expect_earlier_failure(&error);
}
END_TEST

START_TEST(a_missing_world_stops_the_program)
{
    pqt_error error = {0};
    switch (_i) {
    case 0:
        (void)!pqt_world_add(NULL, ball(1, 5, 5, 1), &error);
        break;
    case 1:
        (void)!pqt_world_count(NULL);
        break;
    case 2:
        (void)!pqt_world_add_all(small_world(), NULL, 1, &error);
        break;
    case 3:
        (void)!pqt_pin_get_world(NULL);
        break;
    default:
        (void)!pqt_world_find(NULL, 1, NULL);
    }
}
END_TEST

START_TEST(the_walls_are_exact)
{
    /* 0.3 + 0.1 is not a double. The smallest position inside the wall is the sum rounded up. */
    const pqt_world *world = world_in(box(0.3, 0.3, 9, 9), true, arena);
    double least = pqt_circle_box((pqt_circle){{0.3, 0.3}, 0.1}).max.x;
    pqt_error error = {0};
    added(world, ball(1, least, least, 0.1));
    double below = least - 0x1p-54;
    ck_assert_double_lt(below, least);
    ck_assert_ptr_null(pqt_world_add(world, ball(1, below, least, 0.1), &error));
    ck_assert_int_eq(error.status, PQT_ERROR_BOUNDS);
    added(world_in(box(0.3, 0.3, 9, 9), false, arena), ball(1, -50, 3, 0.1));
}
END_TEST

/* ---- Reading ---- */

static bool
sum_ids(const pqt_body *body, void *context)
{
    *(uint64_t *)context += body->id;
    return body->id != 99;
}

START_TEST(a_visit_yields_bodies)
{
    uint64_t sum = 0;
    const pqt_body bodies[] = {ball(1, 5, 5, 1), ball(2, 50, 50, 2), ball(4, 51, 50, 2)};
    const pqt_world *world = with_bodies(small_world(), bodies, 3);
    ck_assert(pqt_world_visit(world, (pqt_query[]){query_of(box(40, 40, 60, 60), PQT_INSIDE)},
                              sum_ids, &sum));
    ck_assert_uint_eq(sum, 6);
    world = added(world, ball(99, 1, 1, 1));
    ck_assert(!pqt_world_visit(world, (pqt_query[]){query_of_all()}, sum_ids, &sum));
}
END_TEST

START_TEST(the_body_with_the_nearest_edge_comes_first)
{
    /* The box of the ball with id 1 is nearer, but its edge is not. */
    const pqt_body bodies[] = {ball(1, 61, 61, 10), ball(2, 50, 65, 10), ball(5, 50, 30, 4),
                               ball(4, 30, 50, 4)};
    const pqt_world *world = with_bodies(small_world(), bodies, 4);
    pqt_near_body found[5];
    ck_assert_uint_eq(pqt_world_nearest(world, (pqt_vec){50, 50}, found, 5), 4);
    static const uint64_t ids[] = {2, 1, 4, 5};
    for (size_t i = 0; i < 4; i++)
        ck_assert_uint_eq(found[i].body.id, ids[i]);
    ck_assert(found[2].distance == 16 && found[3].distance == 16);
    ck_assert_uint_eq(pqt_world_nearest(world, (pqt_vec){50, 50}, found, 2), 2);
    ck_assert_uint_eq(pqt_world_nearest(world, (pqt_vec){50, 50}, NULL, 0), 0);
    ck_assert_uint_eq(pqt_world_nearest(world, (pqt_vec){NAN, 50}, found, 2), 0);
    ck_assert_uint_eq(pqt_world_nearest(world, (pqt_vec){61, 61}, found, 1), 1);
    ck_assert(found[0].distance == 0);
}
END_TEST

static int
compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Fewer bodies than there are: a body that is found later may be nearer than one found before,
   since the tree has boxes. */
START_TEST(the_nearest_bodies_are_those_of_a_full_search)
{
    enum { BODIES = 60 };
    dice d = {test_seed("nearest_bodies")};
    for (size_t round = 0; round < test_scaled(200) + 20; round++) {
        const pqt_world *world = small_world();
        double distances[BODIES];
        const pqt_vec point = {dice_real(&d) * 100, dice_real(&d) * 100};
        for (uint64_t id = 0; id < BODIES; id++) {
            const pqt_body body =
                ball(id, 16 + dice_real(&d) * 68, 16 + dice_real(&d) * 68, 1 + dice_real(&d) * 15);
            world = added(world, body);
            distances[id] =
                pqt_circle_distance_to_point((pqt_circle){body.position, body.radius}, point);
        }
        qsort(distances, BODIES, sizeof distances[0], compare_doubles);
        pqt_near_body found[10];
        for (size_t most = 1; most <= 10; most += 3) {
            ck_assert_uint_eq(pqt_world_nearest(world, point, found, most), most);
            for (size_t i = 0; i < most; i++)
                ck_assert(fabs(found[i].distance - distances[i]) <= 1e-12);
        }
    }
}
END_TEST

START_TEST(a_search_returns_a_world)
{
    pqt_error error = {0};
    const pqt_body bodies[] = {ball(1, 5, 5, 1), ball(2, 50, 50, 2), ball(3, 51, 50, 2)};
    const pqt_world *world = with_bodies(small_world(), bodies, 3);
    const pqt_world *found = must_world(
        pqt_world_search(world, (pqt_query[]){query_of(box(40, 40, 60, 60), PQT_TOUCHES)}, &error),
        &error);
    expect_sound_world(found);
    ck_assert(pqt_world_equals(found, with_bodies(small_world(), bodies + 1, 2)));
    ck_assert_ptr_eq(pqt_world_search(world, (pqt_query[]){query_of_all()}, &error), world);
    ck_assert_ptr_null(
        pqt_world_search(world, (pqt_query[]){query_of(box(NAN, 0, 1, 1), PQT_TOUCHES)}, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_BOX);
}
END_TEST

START_TEST(user_data_are_part_of_a_version_and_not_of_its_motion)
{
    pqt_error error = {0};
    const pqt_world *plain = small_world(), *marked = plain;
    for (uint64_t i = 0; i < 12; i++) {
        pqt_body body = flying(i, 10 + 7 * (double)i, 40 + 3 * (double)(i % 4), 2,
                               9 - 2 * (double)i, (double)(i % 3));
        plain = added(plain, body);
        body.user_data = i == 5 ? 0 : UINT64_MAX - i;
        marked = added(marked, body);
    }
    ck_assert(!pqt_world_equals(plain, marked));
    ck_assert(!pqt_fingerprint_equals(pqt_world_fingerprint(plain), pqt_world_fingerprint(marked)));
    for (int step = 0; step < 40; step++) {
        plain = must_world(pqt_world_step(plain, 0.1, NULL, &error), &error);
        marked = must_world(pqt_world_step(marked, 0.1, NULL, &error), &error);
    }
    for (uint64_t i = 0; i < 12; i++) {
        pqt_body body = body_of(marked, i);
        ck_assert_uint_eq(body.user_data, i == 5 ? 0 : UINT64_MAX - i);
        body.user_data = 0;
        const pqt_body other = body_of(plain, i);
        ck_assert(same_body(&body, &other));
        marked = must_world(pqt_world_change(marked, body, &error), &error);
    }
    ck_assert(pqt_world_equals(plain, marked));
    ck_assert(pqt_world_check(marked, &error));
}
END_TEST

START_TEST(a_change_of_user_data_shares_the_tree)
{
    pqt_error error = {0};
    const pqt_world *world = added(small_world(), ball(7, 50, 50, 2));
    pqt_body body = body_of(world, 7);
    ck_assert_ptr_eq(pqt_world_change(world, body, &error), world);
    body.user_data = 3;
    const pqt_world *next = must_world(pqt_world_change(world, body, &error), &error);
    ck_assert_ptr_ne(next, world);
    ck_assert_ptr_eq(pqt_world_tree(next), pqt_world_tree(world));
    ck_assert_uint_eq(body_of(next, 7).user_data, 3);
    ck_assert_uint_eq(body_of(world, 7).user_data, 0);
}
END_TEST

START_TEST(sums_leave_fixed_bodies_out)
{
    pqt_body rock = {.id = 3, .position = {50, 50}, .radius = 5, .mass = 1e9, .fixed = true};
    pqt_body two = flying(2, 30, 30, 1, 3, 4);
    two.mass = 2;
    const pqt_world *world = added(added(small_world(), rock), two);
    pqt_world_stats stats = pqt_world_get_stats(world);
    ck_assert_uint_eq(stats.bodies, 2);
    ck_assert(stats.energy == 25 && stats.momentum.x == 6 && stats.momentum.y == 8);
    ck_assert(stats.momentum_scale == 10);
    ck_assert_uint_gt(stats.bytes, pqt_tree_get_stats(pqt_world_tree(world)).bytes);
    ck_assert_uint_eq(stats.cells, 1);
    ck_assert_uint_eq(pqt_world_shared_bytes(world, world), stats.bytes);
}
END_TEST

START_TEST(the_lowest_body_that_differs_is_named)
{
    pqt_error error = {0};
    uint64_t id = 77;
    const pqt_world *world = small_world();
    for (uint64_t i = 0; i < 90; i++)
        world = added(world, ball(i, 5 + (double)i, 50, 1));
    ck_assert(!pqt_world_differs(world, world, &id));
    ck_assert_uint_eq(id, 77);
    const pqt_world *other = pqt_world_change(world, flying(40, 45, 50, 1, 1, 0), &error);
    other = must_world(pqt_world_remove(other, 31, &error), &error);
    ck_assert(pqt_world_differs(world, other, &id));
    ck_assert_uint_eq(id, 31);
    ck_assert(pqt_world_differs(other, small_world(), &id));
    ck_assert_uint_eq(id, 0);
    ck_assert(!pqt_world_equals(world, other));
}
END_TEST

static bool
count_difference(const pqt_body *a, const pqt_body *b, void *context)
{
    ck_assert(a != NULL || b != NULL);
    *(size_t *)context += 1;
    return true;
}

static size_t
count_differences(const pqt_world *a, const pqt_world *b)
{
    size_t count = 0;
    ck_assert(pqti_bodymap_compare(&a->bodies, &b->bodies, count_difference, &count));
    return count;
}

enum { CHILDREN = 4 };

/* Returns the index of the child of the body map's root to which a body belongs. */
static unsigned
child_of(uint64_t id)
{
    return (unsigned)(pqti_id_key(id) >> 62);
}

static uint64_t
next_id_in(uint64_t id, unsigned child)
{
    while (child_of(id) != child)
        id++;
    return id;
}

static const pqt_world *
many_but_in(unsigned child)
{
    const pqt_world *world = small_world();
    uint64_t id = 0;
    while (pqt_world_count(world) < 3 * PQTI_BODYMAP_LEAF) {
        if (child_of(id) != child)
            world = added(world, ball(id, 50, 50, 1));
        id++;
    }
    return world;
}

/* A few bodies are in one leaf, in which the bodies of one child are not a separate block. Many
   bodies are in a node, whose child may be empty. */
START_TEST(a_body_in_only_one_map_differs)
{
    for (unsigned child = 0; child < CHILDREN; child++) {
        const pqt_world *many = many_but_in(child);
        const uint64_t id = next_id_in(1000, child);
        const uint64_t other = next_id_in(1000, (child + 1) % CHILDREN);
        const pqt_world *one = added(small_world(), ball(id, 5, 5, 1));
        const pqt_world *two = added(one, ball(other, 5, 5, 1));
        const size_t count = pqt_world_count(many);
        ck_assert_uint_eq(count_differences(one, many), count + 1);
        ck_assert_uint_eq(count_differences(many, one), count + 1);
        ck_assert_uint_eq(count_differences(two, many), count + 2);
        ck_assert_uint_eq(count_differences(many, added(many, ball(id, 5, 5, 1))), 1);
        /* All bodies that differ are in that child. */
        const pqt_world *few = small_world(), *more = few;
        uint64_t next = 0;
        for (int i = 0; i < PQTI_BODYMAP_LEAF; i++, next++) {
            next = next_id_in(next, child);
            few = added(few, ball(next, 5, 5, 1));
        }
        more = pqt_world_remove(added(few, ball(other, 5, 5, 1)), next - 1, NULL);
        ck_assert_uint_eq(count_differences(few, more), 2);
    }
}
END_TEST

START_TEST(a_pin_keeps_a_world)
{
    pqt_error error = {0};
    const pqt_world *world = added(small_world(), ball(1, 5, 5, 1));
    pqt_pin *pin = pqt_world_pin(world, &error);
    ck_assert_ptr_nonnull(pin);
    ck_assert_ptr_eq(pqt_pin_get_world(pin), world);
    pqt_unpin(&pin);
    ck_assert_ptr_null(pin);
}
END_TEST

static void
expect_broken_world(const pqt_world *world, const char *text)
{
    pqt_error error = {0};
    ck_assert(!pqt_world_check(world, NULL));
    ck_assert(!pqt_world_check(world, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_CORRUPT);
    ck_assert_msg(strstr(error.text, text) != NULL, "%s", error.text);
}

/* A ball rests on the floor. Its contact is at first that of another body, then not finite. */
START_TEST(a_check_finds_a_fault_in_the_state_of_rest)
{
    pqt_error error = {0};
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.restitution = 0;
    options.gravity = (pqt_vec){0, 10};
    const pqt_world *world = added(small_world(), ball(1, 50, 97, 3));
    for (int i = 0; i < 10; i++)
        world = must_world(pqt_world_step(world, 0.02, &options, &error), &error);
    ck_assert_ptr_nonnull(world->rest.awake);
    ck_assert(pqt_world_check(world, &error));
    pqti_rest_state *state = (void *)(uintptr_t)world->rest.awake;
    ck_assert_uint_eq(state->contact_count, 1);
    const pqti_lasting_contact sound = state->contacts[0];
    state->contacts[0].low = 77;
    ck_assert(!pqt_world_check(world, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_CORRUPT);
    state->contacts[0] = sound;
    state->contacts[0].impulse = NAN;
    ck_assert(!pqt_world_check(world, NULL));
    state->contacts[0] = sound;
    ck_assert(pqt_world_check(world, NULL));
}
END_TEST

START_TEST(a_check_names_the_fault_of_a_world)
{
    const pqt_world *one = added(small_world(), flying(1, 10, 20, 3, 1, 0));
    const pqt_world *moved = added(small_world(), flying(1, 11, 20, 3, 1, 0));
    const pqt_world *two = added(one, ball(2, 50, 50, 1));
    pqt_world broken = *one;
    broken.fingerprint.low ^= 1;
    expect_broken_world(&broken, "the fingerprint does not match the bodies");
    broken = *one;
    broken.fingerprint.high += 1;
    expect_broken_world(&broken, "the fingerprint does not match the bodies");
    broken = *one;
    broken.tree = moved->tree;
    expect_broken_world(&broken, "a body is not in the tree");
    broken.tree = two->tree;
    expect_broken_world(&broken, "the tree and the body map differ in size");
    broken = *world_in(arena_box, false, arena);
    broken = *added(&broken, ball(1, -50, 50, 1));
    expect_sound_world(&broken);
    broken.walls = 1;
    expect_broken_world(&broken, "a body has invalid values");
    broken = *two;
    broken.bodies.dynamics = NULL;
    expect_broken_world(&broken, "the body map is out of order");
    expect_sound_world(one);
    expect_sound_world(two);
}
END_TEST

START_TEST(options_and_bounds_can_be_read)
{
    pqt_world_options options = options_of_world(small_world());
    ck_assert(options.walls && options.leaf_capacity == 4 && options.memory == arena);
    ck_assert(!options_of_world(world_in(arena_box, false, arena)).walls);
    ck_assert(!pqt_world_equals(small_world(), world_in(arena_box, false, arena)));
    ck_assert(pqt_world_bounds(small_world()).max.x == 100);
}
END_TEST

/* ---- Counted costs ---- */

static const pqt_world *
crowded(pqt_memory *memory, size_t count)
{
    dice d = {5};
    pqt_body *bodies = malloc(count * sizeof *bodies);
    ck_assert_ptr_nonnull(bodies);
    for (size_t i = 0; i < count; i++)
        bodies[i] = ball(i, 1 + 98 * dice_real(&d), 1 + 98 * dice_real(&d), 0.1);
    const pqt_world *world = with_bodies(world_in(arena_box, true, memory), bodies, count);
    free(bodies);
    return world;
}

START_TEST(a_change_takes_no_more_than_its_paths)
{
    enum { MANY = 20000 };
    pqt_error error = {0};
    const pqt_world *world = crowded(arena, MANY);
    const pqt_world *next[3];
    size_t bytes = pqt_world_get_stats(world).bytes;
    next[0] = pqt_world_change(world, flying(77, 50, 50, 0.1, 1, 1), &error);
    next[1] = pqt_world_remove(world, 77, &error);
    next[2] = pqt_world_add(world, ball(MANY, 3, 3, 0.1), &error);
    for (int i = 0; i < 3; i++) {
        must_world(next[i], &error);
        size_t own = pqt_world_get_stats(next[i]).bytes - pqt_world_shared_bytes(world, next[i]);
        ck_assert_uint_lt(own, 9000);
        ck_assert_uint_lt(own, bytes / 200);
    }
}
END_TEST

/* ---- A model of random edits ---- */

enum { MODEL_IDS = 120, MODEL_STEPS = 400, MODEL_KEPT = 12 };

typedef struct model_world {
    pqt_body bodies[MODEL_IDS]; /* indexed by id */
    bool there[MODEL_IDS];
} model_world;

static pqt_body
draw_body(dice *d)
{
    pqt_body body = flying(dice_below(d, MODEL_IDS), 5 + 90 * dice_real(d), 5 + 90 * dice_real(d),
                           dice_below(d, 5), dice_real(d), -dice_real(d));
    body.mass = 1 + (double)dice_below(d, 3);
    body.user_data = dice_chance(d, 50) ? dice_below(d, 4) : dice_next(d);
    body.category = (uint32_t)dice_below(d, 4);
    body.mask = (uint32_t)dice_below(d, 3);
    body.fixed = dice_chance(d, 10);
    if (body.fixed)
        body.velocity = (pqt_vec){0, 0};
    return body;
}

/* Applies one random edit to the model and to the world. */
static const pqt_world *
model_edit(model_world *m, dice *d, const pqt_world *world)
{
    pqt_error error = {0};
    pqt_body body = draw_body(d);
    bool there = m->there[body.id];
    if (dice_chance(d, 30)) {
        m->there[body.id] = false;
        return must_world(pqt_world_remove(world, body.id, &error), &error);
    }
    m->bodies[body.id] = body;
    if (there)
        return must_world(pqt_world_change(world, body, &error), &error);
    m->there[body.id] = true;
    return added(world, body);
}

static void
expect_model(const model_world *m, const pqt_world *world)
{
    size_t count = 0;
    expect_sound_world(world);
    for (uint64_t id = 0; id < MODEL_IDS; id++) {
        pqt_body body;
        bool found = pqt_world_find(world, id, &body);
        require(found == m->there[id], "a body is present that was removed, or absent");
        require(!found || same_body(&body, &m->bodies[id]),
                "a body differs from the one that was added");
        count += found;
    }
    require(pqt_world_count(world) == count, "the count is wrong");
}

/* Makes the same bodies in one batch, in any order. The worlds must be equal. */
static void
expect_canonical(const model_world *m, dice *d, const pqt_world *world, pqt_memory *memory)
{
    pqt_body bodies[MODEL_IDS];
    size_t count = 0;
    for (uint64_t id = 0; id < MODEL_IDS; id++) {
        if (!m->there[id])
            continue;
        size_t at = dice_below(d, count + 1);
        bodies[count++] = bodies[at];
        bodies[at] = m->bodies[id];
    }
    const pqt_world *other = with_bodies(world_in(arena_box, true, memory), bodies, count);
    require(pqt_world_equals(world, other) && pqt_world_equals(other, world),
            "worlds of the same bodies differ");
    require(!pqt_world_differs(world, other, NULL), "equal worlds differ");
    require(memory != arena || /* blocks of the collector may be larger than necessary */
                pqt_world_get_stats(world).bytes == pqt_world_get_stats(other).bytes,
            "the shape depends on the order");
}

START_TEST(random_edits_agree_with_an_array)
{
    pqt_memory *memories[2];
    size_t count = memories_of_tests(memories), steps = test_scaled(MODEL_STEPS);
    for (size_t k = 0; k < count; k++) {
        dice d = {test_seed(__func__) + k};
        static model_world models[MODEL_KEPT];
        const pqt_world *kept[MODEL_KEPT];
        model_world now = {.there = {false}};
        const pqt_world *world = world_in(arena_box, true, memories[k]);
        for (size_t i = 0; i < MODEL_KEPT; i++) {
            kept[i] = world;
            models[i] = now;
        }
        for (size_t i = 0; i < steps; i++) {
            world = model_edit(&now, &d, world);
            kept[i % MODEL_KEPT] = world;
            models[i % MODEL_KEPT] = now;
            if (i % 16 == 0)
                expect_canonical(&now, &d, world, memories[k]);
        }
        for (size_t i = 0; i < MODEL_KEPT; i++)
            expect_model(&models[i], kept[i]);
    }
}
END_TEST

START_TEST(a_copy_is_equal)
{
    pqt_error error = {0};
    pqt_memory *other = pqt_arena_make(0, &error);
    const pqt_world *world = crowded(arena, 300);
    const pqt_world *copy = must_world(pqt_world_copy(world, other, &error), &error);
    ck_assert(pqt_world_equals(world, copy));
    ck_assert_ptr_eq(pqt_world_copy(world, arena, &error), world);
    expect_sound_world(copy);
    ck_assert_ptr_eq(pqt_world_memory(copy), other);
    pqt_arena_destroy(&other);
}
END_TEST

/* ---- Failing memories ---- */

static const pqt_world *
hostile_call(int call, const pqt_world *world, pqt_memory *other, pqt_error *error)
{
    static const pqt_body many[] = {{.id = 500, .position = {5, 5}, .radius = 1},
                                    {.id = 501, .position = {5, 5}, .radius = 1},
                                    {.id = 502, .position = {5, 5}, .radius = 1}};
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = arena;
    switch (call) {
    case 0:
        return pqt_world_make(arena_box, &options, error);
    case 1:
        return pqt_world_add(world, many[0], error);
    case 2:
        return pqt_world_add_all(world, many, 3, error);
    case 3:
        return pqt_world_remove(world, 3, error);
    case 4:
        return pqt_world_change(world, flying(3, 40, 40, 2, 1, 1), error);
    case 5:
        return pqt_world_clear(world, error);
    case 6:
        return pqt_world_copy(world, other, error);
    default:
        return pqt_world_search(world, (pqt_query[]){query_of(box(0, 0, 50, 50), PQT_TOUCHES)},
                                error);
    }
}

START_TEST(each_failed_allocation_is_handled)
{
    pqt_memory *other = pqt_arena_make(0, NULL);
    const pqt_world *world = crowded(arena, 40);
    pqt_fingerprint before = pqt_world_fingerprint(world);
    size_t failures = 0;
    for (size_t n = 1;; n++) {
        hooks watch = {.fail_at = n};
        pqt_error error = {0};
        hooks_start(&watch);
        const pqt_world *next = hostile_call(_i, world, other, &error);
        hooks_stop();
        if (watch.failures == 0) {
            must_world(next, &error);
            expect_sound_world(next);
            break;
        }
        failures++;
        ck_assert_ptr_null(next);
        ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    }
    ck_assert_uint_gt(failures, 0);
    expect_sound_world(world);
    ck_assert_uint_eq(pqt_world_fingerprint(world).low, before.low);
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(a_collection_at_each_allocation_loses_nothing)
{
    pqt_memory *memory = pqt_collector();
    if (memory == NULL)
        return;
    dice d = {test_seed(__func__)};
    model_world now = {.there = {false}};
    const pqt_world *world = world_in(arena_box, true, memory);
    hooks watch = {.collect_every = 1, .memory = memory};
    hooks_start(&watch);
    for (size_t i = 0; i < 60; i++)
        world = model_edit(&now, &d, world);
    hooks_stop();
    ck_assert_uint_gt(watch.collections, 100);
    expect_model(&now, world);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("world");
    TCase *tests = add_tests(suite, "bodies");
    tcase_add_test(tests, a_world_contains_the_added_bodies);
    tcase_add_test(tests, an_edit_that_changes_nothing_returns_the_same_version);
    tcase_add_test(tests, clear_and_remove_leave_the_old_version_alone);
    tcase_add_test(tests, a_change_of_velocity_shares_the_tree);
    tcase_add_test(tests, a_removed_body_can_be_added_again);
    tests = add_tests(suite, "door");
    tcase_add_loop_test(tests, a_bad_body_is_refused, 0, sizeof refusals / sizeof *refusals);
    tcase_add_test(tests, a_bad_body_in_a_batch_is_named);
    tcase_add_test(tests, a_batch_with_many_equal_ids_is_refused_early);
    tcase_add_test(tests, invalid_bounds_and_options_are_refused);
    tcase_add_test(tests, an_earlier_failure_is_passed_on);
    tcase_add_misuse_tests(tests, a_missing_world_stops_the_program, 5);
    tcase_add_test(tests, the_walls_are_exact);
    tests = add_tests(suite, "reading");
    tcase_add_test(tests, a_visit_yields_bodies);
    tcase_add_test(tests, the_body_with_the_nearest_edge_comes_first);
    tcase_add_test(tests, the_nearest_bodies_are_those_of_a_full_search);
    tcase_add_test(tests, a_search_returns_a_world);
    tcase_add_test(tests, user_data_are_part_of_a_version_and_not_of_its_motion);
    tcase_add_test(tests, a_change_of_user_data_shares_the_tree);
    tcase_add_test(tests, sums_leave_fixed_bodies_out);
    tcase_add_test(tests, the_lowest_body_that_differs_is_named);
    tcase_add_test(tests, a_body_in_only_one_map_differs);
    tcase_add_test(tests, a_pin_keeps_a_world);
    tcase_add_test(tests, options_and_bounds_can_be_read);
    tcase_add_test(tests, a_check_names_the_fault_of_a_world);
    tcase_add_test(tests, a_check_finds_a_fault_in_the_state_of_rest);
    tests = add_tests(suite, "cost");
    tcase_add_test(tests, a_change_takes_no_more_than_its_paths);
    tests = add_tests(suite, "model");
    tcase_add_test(tests, random_edits_agree_with_an_array);
    tcase_add_test(tests, a_copy_is_equal);
    tests = add_tests(suite, "hostile");
    tcase_add_loop_test(tests, each_failed_allocation_is_handled, 0, 8);
    tcase_add_test(tests, a_collection_at_each_allocation_loses_nothing);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
