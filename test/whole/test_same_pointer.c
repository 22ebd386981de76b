/* SPDX-License-Identifier: MIT */
/*
 * test_same_pointer.c: tests functions whose header promises that they return one of their
 * arguments. They return the same pointer, not an equal version.
 *
 * This covers the headers of trees, regions and worlds, function by function. test_merge.c tests
 * merges, set operations and restores of trees.
 */
#include "config.h"

#include <pqt/obstacle.h>
#include <pqt/region.h>
#include <pqt/region_morph.h>
#include <pqt/step.h>

#include "suite.h"
#include "world_support.h"

/* ---- Trees ---- */

START_TEST(a_change_that_changes_nothing_returns_the_tree)
{
    const pqt_tree *tree = with_grid(_i == 1 ? unique_tree(2) : small_tree(2), 6);
    const pqt_item there = dot_of_grid(6, 7), absent = dot(1, 2, 99);
    const pqt_item items[] = {there, there};
    const pqt_item others[] = {absent, dot(3, 3, 98)};
    const pqt_change nothing[] = {inserting(there), removing(absent), moving(there, there.box)};
    const pqt_change undone[] = {
        inserting(absent),         removing(absent),
        removing(there),           inserting(there),
        moving(there, absent.box), moving(boxed(absent.box, there.id), there.box)};
    pqt_error error = {0};
    ck_assert_ptr_eq(pqt_tree_insert(tree, there, &error), tree);
    ck_assert_ptr_eq(pqt_tree_insert_all(tree, items, 2, &error), tree);
    ck_assert_ptr_eq(pqt_tree_insert_all(tree, NULL, 0, &error), tree);
    ck_assert_ptr_eq(pqt_tree_remove(tree, absent, &error), tree);
    ck_assert_ptr_eq(pqt_tree_remove_all(tree, others, 2, &error), tree);
    ck_assert_ptr_eq(pqt_tree_remove_all(tree, NULL, 0, &error), tree);
    ck_assert_ptr_eq(pqt_tree_move(tree, absent, there.box, &error), tree);
    ck_assert_ptr_eq(pqt_tree_move(tree, there, there.box, &error), tree);
    ck_assert_ptr_eq(pqt_tree_apply(tree, NULL, 0, &error), tree);
    ck_assert_ptr_eq(pqt_tree_apply(tree, nothing, 3, &error), tree);
    ck_assert_ptr_eq(pqt_tree_apply(tree, undone, 6, &error), tree);
    ck_assert_int_eq(error.status, PQT_OK);
}
END_TEST

START_TEST(a_change_by_an_id_that_changes_nothing_returns_the_tree)
{
    const pqt_tree *tree = with_grid(unique_tree(2), 6);
    const pqt_item there = dot_of_grid(6, 7);
    const pqt_change nothing[] = {removing_id(99), moving_id(99, there.box),
                                  moving_id(there.id, there.box)};
    const pqt_change undone[] = {moving_id(there.id, point(1, 2)), removing_id(there.id),
                                 inserting(there)};
    pqt_error error = {0};
    ck_assert_ptr_eq(pqt_tree_remove_id(tree, 99, &error), tree);
    ck_assert_ptr_eq(pqt_tree_move_id(tree, 99, there.box, &error), tree);
    ck_assert_ptr_eq(pqt_tree_move_id(tree, there.id, there.box, &error), tree);
    ck_assert_ptr_eq(pqt_tree_apply(tree, nothing, 3, &error), tree);
    ck_assert_ptr_eq(pqt_tree_apply(tree, undone, 3, &error), tree);
    ck_assert_int_eq(error.status, PQT_OK);
}
END_TEST

/* First more than a quarter of the items are repeated, then all of them. */
START_TEST(a_large_batch_that_changes_nothing_returns_the_tree)
{
    enum { SIDE = 20, ITEMS = SIDE * SIDE };
    static pqt_item items[ITEMS];
    static pqt_change changes[2 * ITEMS];
    const pqt_tree *tree = with_grid(_i == 1 ? unique_tree(4) : small_tree(4), SIDE);
    pqt_error error = {0};
    for (size_t i = 0; i < ITEMS; i++) {
        items[i] = dot_of_grid(SIDE, i);
        changes[i] = removing(items[i]);
        changes[ITEMS + i] = inserting(items[i]);
    }
    ck_assert_ptr_eq(pqt_tree_insert_all(tree, items, ITEMS, &error), tree);
    ck_assert_ptr_eq(pqt_tree_apply(tree, changes, 2 * ITEMS, &error), tree);
    for (size_t i = 0; i < ITEMS; i++)
        changes[i] = moving(items[i], items[i].box);
    ck_assert_ptr_eq(pqt_tree_apply(tree, changes, ITEMS, &error), tree);
    for (size_t i = 0; i < ITEMS; i++)
        items[i].id += ITEMS;
    ck_assert_ptr_eq(pqt_tree_remove_all(tree, items, ITEMS, &error), tree);
}
END_TEST

static bool
everything(const pqt_item *item, void *context)
{
    (void)item;
    (void)context;
    return true;
}

START_TEST(a_search_that_finds_everything_returns_the_tree)
{
    const pqt_tree *tree = with_grid(_i == 1 ? unique_tree(2) : small_tree(2), 6);
    const pqt_tree *empty = pqt_tree_clear(tree, NULL);
    pqt_query filtered = query_of_all();
    filtered.filter = everything;
    ck_assert_ptr_eq(searched(tree, query_of_all()), tree);
    ck_assert_ptr_eq(searched(tree, filtered), tree);
    ck_assert_ptr_eq(searched(tree, query_of(box(1, 1, 15, 15), PQT_INSIDE)), tree);
    ck_assert_ptr_eq(searched(empty, query_of_all()), empty);
    ck_assert_ptr_eq(searched(empty, query_of(point(1, 1), PQT_COVERS)), empty);
    ck_assert_ptr_eq(pqt_tree_clear(empty, NULL), empty);
}
END_TEST

START_TEST(copying_into_its_own_memory_returns_the_version)
{
    pqt_error error = {0};
    const pqt_tree *tree = with_grid(unique_tree(2), 4), *copies[1] = {NULL};
    const pqt_region *region = pqt_region_make(arena, &error), *twins[1] = {NULL};
    const pqt_world *world = added(small_world(), flying(1, 50, 50, 1, 1, 0));
    ck_assert_ptr_eq(pqt_tree_copy(tree, arena, &error), tree);
    ck_assert(pqt_tree_copy_all(&tree, 1, arena, copies, &error));
    ck_assert_ptr_eq(copies[0], tree);
    ck_assert_ptr_eq(pqt_region_copy(region, arena, &error), region);
    ck_assert(pqt_region_copy_all(&region, 1, arena, twins, &error));
    ck_assert_ptr_eq(twins[0], region);
    ck_assert_ptr_eq(pqt_world_copy(world, arena, &error), world);
    if (pqt_collector() == NULL)
        return;
    const pqt_tree *collected = pqt_tree_copy(tree, NULL, &error);
    ck_assert_ptr_eq(pqt_tree_copy(collected, NULL, &error), collected);
    ck_assert_ptr_eq(pqt_tree_copy(collected, pqt_collector(), &error), collected);
}
END_TEST

START_TEST(the_collector_is_one_pointer)
{
    pqt_error error = {0};
    pqt_memory *collector = pqt_collector();
    ck_assert(pqt_init(&error));
    ck_assert_ptr_eq(pqt_collector(), collector);
    if (collector == NULL)
        return;
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    ck_assert_ptr_eq(pqt_tree_memory(made(world_box, options)), collector);
    ck_assert_ptr_eq(pqt_collector(), collector);
}
END_TEST

/* ---- Regions ---- */

static const pqt_pixel here = {0, 0};

static const pqt_region *
with_paint(const pqt_region *region, pqt_paint paint)
{
    pqt_error error = {0};
    const pqt_region *next = pqt_region_paint(region, paint, &error);
    require(next != NULL, error.text);
    return next;
}

static pqt_pixel_box
pixels(int32_t min_x, int32_t min_y, int32_t max_x, int32_t max_y)
{
    return (pqt_pixel_box){{min_x, min_y}, {max_x, max_y}};
}

static const pqt_region *
no_pixels(void)
{
    pqt_error error = {0};
    const pqt_region *region = pqt_region_make(arena, &error);
    require(region != NULL, error.text);
    return region;
}

static const pqt_region *
filled(int32_t min_x, int32_t min_y, int32_t max_x, int32_t max_y)
{
    return with_paint(no_pixels(),
                      pqt_paint_box(PQT_PAINT_SET, pixels(min_x, min_y, max_x, max_y)));
}

START_TEST(paint_that_changes_no_pixel_returns_the_region)
{
    const pqt_region *region = filled(0, 0, 100, 70), *none = no_pixels();
    const pqt_vec inside = {50, 40}, outside = {500, 400};
    const pqt_paint idle[] = {pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){3, 4}),
                              pqt_paint_pixel(PQT_PAINT_CLEAR, (pqt_pixel){-1, 4}),
                              pqt_paint_box(PQT_PAINT_SET, pixels(2, 2, 90, 60)),
                              pqt_paint_box(PQT_PAINT_CLEAR, pixels(100, 0, 300, 70)),
                              pqt_paint_box(PQT_PAINT_TOGGLE, pixels(7, 7, 7, 9)),
                              pqt_paint_disc(PQT_PAINT_SET, inside, 20),
                              pqt_paint_disc(PQT_PAINT_CLEAR, outside, 20),
                              pqt_paint_stroke(PQT_PAINT_SET, inside, inside, 5),
                              pqt_paint_stroke(PQT_PAINT_CLEAR, outside, (pqt_vec){300, 300}, 5)};
    const size_t count = sizeof idle / sizeof *idle;
    const pqt_paint undone[] = {pqt_paint_box(PQT_PAINT_TOGGLE, pixels(-30, 5, 33, 99)),
                                pqt_paint_pixel(PQT_PAINT_TOGGLE, (pqt_pixel){200, 200}),
                                pqt_paint_box(PQT_PAINT_TOGGLE, pixels(-30, 5, 33, 99)),
                                pqt_paint_pixel(PQT_PAINT_CLEAR, (pqt_pixel){200, 200})};
    pqt_error error = {0};
    for (size_t i = 0; i < count; i++)
        ck_assert_ptr_eq(with_paint(region, idle[i]), region);
    ck_assert_ptr_eq(pqt_region_paint_all(region, idle, count, &error), region);
    ck_assert_ptr_eq(pqt_region_paint_all(region, NULL, 0, &error), region);
    ck_assert_ptr_eq(pqt_region_paint_all(region, undone, 4, &error), region);
    ck_assert_ptr_eq(with_paint(none, pqt_paint_box(PQT_PAINT_CLEAR, pixels(0, 0, 9, 9))), none);
    ck_assert_ptr_eq(pqt_region_paint_all(none, undone, 4, &error), none);
}
END_TEST

START_TEST(a_set_operation_that_equals_one_region_returns_that_region)
{
    const pqt_region *whole = filled(-10, -10, 150, 90), *part = filled(5, 5, 80, 60);
    const pqt_region *none = no_pixels(), *apart = filled(200, 200, 210, 210);
    pqt_error error = {0};
    ck_assert_ptr_eq(pqt_region_union(whole, part, here, &error), whole);
    ck_assert_ptr_eq(pqt_region_union(part, whole, here, &error), whole);
    ck_assert_ptr_eq(pqt_region_union(whole, none, here, &error), whole);
    ck_assert_ptr_eq(pqt_region_union(none, whole, here, &error), whole);
    ck_assert_ptr_eq(pqt_region_intersection(whole, part, here, &error), part);
    ck_assert_ptr_eq(pqt_region_intersection(part, whole, here, &error), part);
    ck_assert_ptr_eq(pqt_region_intersection(whole, none, here, &error), none);
    ck_assert_ptr_eq(pqt_region_intersection(none, whole, here, &error), none);
    ck_assert_ptr_eq(pqt_region_difference(whole, apart, here, &error), whole);
    ck_assert_ptr_eq(pqt_region_difference(whole, none, here, &error), whole);
    ck_assert_ptr_eq(pqt_region_difference(none, whole, here, &error), none);
    ck_assert_ptr_eq(pqt_region_xor(whole, none, here, &error), whole);
    ck_assert_ptr_eq(pqt_region_xor(none, whole, here, &error), whole);
    ck_assert_ptr_eq(pqt_region_xor(none, none, here, &error), none);
}
END_TEST

/* One of them was larger before, and the other one was painted again. */
START_TEST(a_set_operation_on_equal_regions_returns_one_of_them)
{
    typedef const pqt_region *combining(const pqt_region *, const pqt_region *, pqt_pixel,
                                        pqt_error *);
    combining *const all[] = {pqt_region_union, pqt_region_intersection};
    const pqt_region *a = filled(-10, -10, 150, 90), *b = filled(-10, -10, 150, 90);
    const pqt_pixel far = {100000, -70000};
    b = with_paint(with_paint(b, pqt_paint_pixel(PQT_PAINT_SET, far)),
                   pqt_paint_pixel(PQT_PAINT_CLEAR, far));
    ck_assert(pqt_region_equals(a, b) && a != b);
    for (size_t i = 0; i < 2; i++) {
        pqt_error error = {0};
        const pqt_region *ab = all[i](a, b, here, &error), *ba = all[i](b, a, here, &error);
        ck_assert(ab == a || ab == b);
        ck_assert(ba == a || ba == b);
    }
}
END_TEST

START_TEST(a_set_operation_with_a_moved_region_returns_the_first_if_equal)
{
    const pqt_region *whole = filled(-10, -10, 150, 90), *part = filled(5, 5, 80, 60);
    const pqt_region *none = no_pixels();
    for (int32_t step = 3; step <= 64; step += 61) {
        const pqt_pixel near = {step, 3}, far = {1000, 64 * step};
        pqt_error error = {0};
        ck_assert_ptr_eq(pqt_region_union(whole, part, near, &error), whole);
        ck_assert_ptr_eq(pqt_region_union(whole, none, far, &error), whole);
        ck_assert_ptr_eq(pqt_region_intersection(part, whole, (pqt_pixel){-3, -2}, &error), part);
        ck_assert_ptr_eq(pqt_region_intersection(none, whole, far, &error), none);
        ck_assert_ptr_eq(pqt_region_difference(whole, part, far, &error), whole);
        ck_assert_ptr_eq(pqt_region_xor(whole, none, far, &error), whole);
    }
}
END_TEST

START_TEST(moving_cropping_or_scaling_by_nothing_returns_the_region)
{
    const pqt_region *region =
        with_paint(filled(3, 4, 100, 70), pqt_paint_pixel(PQT_PAINT_CLEAR, (pqt_pixel){20, 30}));
    const pqt_region *none = no_pixels();
    pqt_error error = {0};
    ck_assert_ptr_eq(pqt_region_move(region, here, &error), region);
    ck_assert_ptr_eq(pqt_region_move(none, (pqt_pixel){5, 6}, &error), none);
    ck_assert_ptr_eq(pqt_region_crop(region, pqt_region_bounds(region), &error), region);
    ck_assert_ptr_eq(pqt_region_crop(region, pixels(INT32_MIN, 0, INT32_MAX, 99), &error), region);
    ck_assert_ptr_eq(pqt_region_crop(none, pixels(0, 0, 0, 0), &error), none);
    ck_assert_ptr_eq(pqt_region_scale(region, 1, 1, &error), region);
    ck_assert_ptr_eq(pqt_region_scale(none, 7, 9, &error), none);
}
END_TEST

START_TEST(turning_a_region_onto_itself_returns_the_region)
{
    const pqt_region *square = filled(-20, -20, 20, 20), *wide = filled(-90, -20, 90, 20);
    const pqt_region *none = no_pixels();
    pqt_error error = {0};
    for (int turn = PQT_FLIP_X; turn <= PQT_FLIP_ANTIDIAGONAL; turn++) {
        ck_assert_ptr_eq(pqt_region_transform(square, (pqt_transform)turn, &error), square);
        ck_assert_ptr_eq(pqt_region_transform(none, (pqt_transform)turn, &error), none);
        const bool stays = turn <= PQT_ROTATE_180;
        ck_assert((pqt_region_transform(wide, (pqt_transform)turn, &error) == wide) == stays);
    }
}
END_TEST

static bool
expect_region(const pqt_region *region, void *context)
{
    ck_assert_ptr_eq(region, *(const pqt_region **)context);
    return true;
}

START_TEST(a_transform_that_changes_no_pixel_returns_the_region)
{
    const pqt_region *disc =
        with_paint(no_pixels(), pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){70, 50}, 40));
    const pqt_region *line = filled(3, 3, 90, 5), *none = no_pixels();
    const pqt_connectivity all[] = {PQT_CONNECTIVITY_4, PQT_CONNECTIVITY_8};
    for (size_t i = 0; i < 2; i++) {
        pqt_error error = {0};
        ck_assert(pqt_region_visit_components(disc, all[i], 0, expect_region, &disc, &error));
        ck_assert_ptr_eq(pqt_region_component(disc, (pqt_pixel){70, 50}, all[i], &error), disc);
        ck_assert_ptr_eq(pqt_region_component(none, here, all[i], &error), none);
        ck_assert_ptr_eq(pqt_region_largest_component(disc, all[i], &error), disc);
        ck_assert_ptr_eq(pqt_region_largest_component(none, all[i], &error), none);
        ck_assert_ptr_eq(pqt_region_outline(line, all[i], &error), line);
        ck_assert_ptr_eq(pqt_region_outline(none, all[i], &error), none);
        ck_assert_ptr_eq(pqt_region_dilate(disc, 0, all[i], &error), disc);
        ck_assert_ptr_eq(pqt_region_dilate(none, 5, all[i], &error), none);
        ck_assert_ptr_eq(pqt_region_erode(disc, 0, all[i], &error), disc);
        ck_assert_ptr_eq(pqt_region_erode(none, 5, all[i], &error), none);
    }
}
END_TEST

START_TEST(morphology_that_changes_no_pixel_returns_the_region)
{
    pqt_error error = {0};
    const pqt_region *line = filled(3, 3, 90, 4), *none = no_pixels();
    ck_assert_ptr_eq(pqt_region_dilate_disc(line, 0.5, &error), line);
    ck_assert_ptr_eq(pqt_region_dilate_disc(none, 5, &error), none);
    ck_assert_ptr_eq(pqt_region_erode_disc(line, 0.5, &error), line);
    ck_assert_ptr_eq(pqt_region_erode_disc(none, 5, &error), none);
    ck_assert_ptr_eq(pqt_region_skeleton(line, &error), line);
    ck_assert_ptr_eq(pqt_region_skeleton(none, &error), none);
}
END_TEST

START_TEST(a_region_without_equal_squares_is_interned_as_itself)
{
    const pqt_region *disc =
        with_paint(no_pixels(), pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){70, 50}, 40));
    const pqt_region *none = no_pixels();
    pqt_error error = {0};
    ck_assert_ptr_eq(pqt_region_intern(disc, &error), disc);
    ck_assert_ptr_eq(pqt_region_intern(none, &error), none);
    const pqt_region *twice = pqt_region_union(disc, disc, (pqt_pixel){1024, 0}, &error);
    const pqt_region *once = pqt_region_intern(twice, &error);
    ck_assert_ptr_ne(once, twice);
    ck_assert_ptr_eq(pqt_region_intern(once, &error), once);
}
END_TEST

/* ---- Worlds ---- */

static const pqt_world *
two_bodies(void)
{
    const pqt_body bodies[] = {flying(1, 20, 20, 2, 1, 0), flying(2, 70, 70, 3, 0, -1)};
    return with_bodies(small_world(), bodies, 2);
}

START_TEST(a_change_that_changes_nothing_returns_the_world)
{
    const pqt_world *world = two_bodies();
    const pqt_body there = flying(1, 20, 20, 2, 1, 0), absent = flying(9, 5, 5, 1, 0, 0);
    const uint64_t ids[] = {9, 10};
    const pqt_body bodies[] = {absent, there};
    const pqt_body_change idle[] = {{PQT_BODY_REMOVE, absent}, {PQT_BODY_CHANGE, there},
                                    {PQT_BODY_CHANGE, absent}, {PQT_BODY_ADD, absent},
                                    {PQT_BODY_REMOVE, absent}, {PQT_BODY_REMOVE, there},
                                    {PQT_BODY_ADD, there}};
    pqt_error error = {0};
    ck_assert_ptr_eq(pqt_world_add_all(world, NULL, 0, &error), world);
    ck_assert_ptr_eq(pqt_world_remove(world, 9, &error), world);
    ck_assert_ptr_eq(pqt_world_remove_all(world, ids, 2, &error), world);
    ck_assert_ptr_eq(pqt_world_remove_all(world, NULL, 0, &error), world);
    ck_assert_ptr_eq(pqt_world_change(world, there, &error), world);
    ck_assert_ptr_eq(pqt_world_change(world, absent, &error), world);
    ck_assert_ptr_eq(pqt_world_change_all(world, bodies, 2, &error), world);
    ck_assert_ptr_eq(pqt_world_change_all(world, NULL, 0, &error), world);
    ck_assert_ptr_eq(pqt_world_apply(world, NULL, 0, &error), world);
    ck_assert_ptr_eq(pqt_world_apply(world, idle, 7, &error), world);
    ck_assert_int_eq(error.status, PQT_OK);
}
END_TEST

START_TEST(a_search_that_finds_all_returns_the_world)
{
    const pqt_world *world = two_bodies(), *empty = small_world();
    pqt_error error = {0};
    ck_assert_ptr_eq(pqt_world_search(world, (pqt_query[]){query_of_all()}, &error), world);
    ck_assert_ptr_eq(
        pqt_world_search(world, (pqt_query[]){query_of(box(10, 10, 90, 90), PQT_INSIDE)}, &error),
        world);
    ck_assert_ptr_eq(pqt_world_search(empty, (pqt_query[]){query_of_all()}, &error), empty);
    ck_assert_ptr_eq(pqt_world_clear(empty, &error), empty);
}
END_TEST

START_TEST(setting_the_same_obstacle_returns_the_world)
{
    const pqt_obstacle ground = {filled(0, 90, 100, 100), {0, 0.5}}, none = {no_pixels(), {3, 4}};
    pqt_error error = {0};
    const pqt_world *without = two_bodies();
    const pqt_world *with = pqt_world_set_obstacle(without, ground, &error);
    ck_assert_ptr_ne(with, without);
    ck_assert_ptr_eq(pqt_world_set_obstacle(with, ground, &error), with);
    ck_assert_ptr_eq(pqt_world_set_obstacle(with, pqt_world_get_obstacle(with), &error), with);
    ck_assert_ptr_eq(pqt_world_set_obstacle(without, none, &error), without);
    const pqt_world *empty = pqt_world_clear(with, &error);
    ck_assert_ptr_eq(pqt_world_clear(empty, &error), empty);
}
END_TEST

START_TEST(a_step_in_which_nothing_moves_returns_the_world)
{
    pqt_body rock = ball(3, 50, 50, 4);
    rock.fixed = true;
    pqt_error error = {0};
    pqt_step_options options = PQT_STEP_DEFAULTS;
    const pqt_world *still = added(added(small_world(), ball(1, 20, 20, 2)), rock);
    const pqt_world *rocks = added(small_world(), rock);
    ck_assert_ptr_eq(pqt_world_step(still, 1, NULL, &error), still);
    const pqt_world *flying_ones = two_bodies();
    ck_assert_ptr_eq(pqt_world_step(flying_ones, 0, NULL, &error), flying_ones);
    options.gravity = (pqt_vec){0, 10};
    options.damping = 1;
    ck_assert_ptr_eq(pqt_world_step(rocks, 1, &options, &error), rocks);
    const pqt_world *empty = small_world();
    ck_assert_ptr_eq(pqt_world_step(empty, 1, &options, &error), empty);
}
END_TEST

static void
add_tree_tests(Suite *suite)
{
    TCase *tests = add_tests(suite, "trees");
    tcase_add_loop_test(tests, a_change_that_changes_nothing_returns_the_tree, 0, 2);
    tcase_add_test(tests, a_change_by_an_id_that_changes_nothing_returns_the_tree);
    tcase_add_loop_test(tests, a_large_batch_that_changes_nothing_returns_the_tree, 0, 2);
    tcase_add_loop_test(tests, a_search_that_finds_everything_returns_the_tree, 0, 2);
    if (PQT_WITH_WORLDS)
        tcase_add_test(tests, copying_into_its_own_memory_returns_the_version);
    tcase_add_test(tests, the_collector_is_one_pointer);
}

static void
add_region_tests(Suite *suite)
{
    TCase *tests = add_tests(suite, "regions");
    tcase_add_test(tests, paint_that_changes_no_pixel_returns_the_region);
    tcase_add_test(tests, a_set_operation_that_equals_one_region_returns_that_region);
    tcase_add_test(tests, a_set_operation_on_equal_regions_returns_one_of_them);
    tcase_add_test(tests, a_set_operation_with_a_moved_region_returns_the_first_if_equal);
    tcase_add_test(tests, moving_cropping_or_scaling_by_nothing_returns_the_region);
    tcase_add_test(tests, turning_a_region_onto_itself_returns_the_region);
    tcase_add_test(tests, a_transform_that_changes_no_pixel_returns_the_region);
    tcase_add_test(tests, morphology_that_changes_no_pixel_returns_the_region);
    tcase_add_test(tests, a_region_without_equal_squares_is_interned_as_itself);
}

static void
add_world_tests(Suite *suite)
{
    TCase *tests = add_tests(suite, "worlds");
    if (PQT_WITH_WORLDS) {
        tcase_add_test(tests, a_change_that_changes_nothing_returns_the_world);
        tcase_add_test(tests, a_search_that_finds_all_returns_the_world);
        tcase_add_test(tests, setting_the_same_obstacle_returns_the_world);
        tcase_add_test(tests, a_step_in_which_nothing_moves_returns_the_world);
    }
}

int
main(void)
{
    Suite *suite = suite_create("same_pointer");
    add_tree_tests(suite);
    if (PQT_WITH_PIXELS)
        add_region_tests(suite);
    add_world_tests(suite);
    return run_suite(suite);
}
