/* SPDX-License-Identifier: MIT */
/* test_region_exit.c: counts the steps by which a region leaves an overlap.
 * test_region_sweep_model compares exits with a plain model. */
#include "config.h"

#include <stdlib.h>

#include "region/collision/exit_walk.h"
#include "region/collision/region_toi.h"
#include "region_support.h"
#include "suite.h"

/* Tests one or two whole offsets at each line of the lattice, as a flat search does. */
START_TEST(a_walk_out_of_a_maze_crosses_the_lines_up_to_its_end)
{
    enum { SIDE = 1024, AT = 500 };
    const pqt_region *maze = region_of(MAZE, SIDE, SIDE, here, arena);
    const pqt_region *disc = painted(nothing(), pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){8, 8}, 8));
    const pqti_shape_view mover = pqti_shape_view_of(disc), other = pqti_shape_view_of(maze);
    const pqti_fixpos motions[] = {{1024, 0}, {-512, 0}, {0, 77}, {0, -1}, {1024, 1024}, {3, -2}};
    for (size_t i = 0; i < sizeof motions / sizeof *motions; i++) {
        const pqti_fixpos from = {AT * 1024 + (i % 3 == 1 ? 300 : 0), AT * 1024};
        const pqti_region_motion motion =
            pqti_region_motion_make(&mover, &other, from, motions[i], NULL);
        const int64_t out = pqti_region_motion_exit(&motion, NULL);
        const pqti_fixpos end = pqti_region_motion_stop(&motion, out);
        const int64_t lines =
            (llabs(end.x - from.x) + 1023) / 1024 + (llabs(end.y - from.y) + 1023) / 1024;
        pqti_small_region small;
        int64_t time = 0;
        if (!pqti_small_region_make(&small, disc))
            return; /* a build without fast paths */
        const pqti_half_pos at = {2 * from.x, 2 * from.y};
        ck_assert(pqti_exit_walk(&motion, &small, at, (int)lines, &time));
        ck_assert_int_eq(time, out);
        ck_assert_int_eq(pqti_region_motion_exit(&motion, &small), out);
        ck_assert_int_gt(lines, 400);
        time = 0;
        ck_assert(!pqti_exit_walk(&motion, &small, at, 400, &time));
        ck_assert_int_lt(time, out);
    }
}
END_TEST

/* A full square is left in one step, whatever the pixels of the mover. */
START_TEST(the_exit_from_a_large_square_is_exact)
{
    const pqt_region *square = boxed(box_of(0, 0, LIMIT / 2, LIMIT / 2));
    const pqt_region *noise = region_of(NOISE, 64, 64, here, arena);
    const pqti_shape_view mover = pqti_shape_view_of(noise), other = pqti_shape_view_of(square);
    const pqt_pixel_box box = pqt_region_bounds(noise);
    const pqti_region_motion motion = pqti_region_motion_make(
        &mover, &other, (pqti_fixpos){5000, 5000}, (pqti_fixpos){1, 0}, NULL);
    pqti_small_region small;
    if (!pqti_small_region_make(&small, noise))
        return; /* a build without fast paths */
    ck_assert_int_eq(pqti_region_motion_exit(&motion, &small),
                     INT64_C(1024) * (LIMIT / 2 - box.min.x) - 5000);
}
END_TEST

/* A part of the mover walks, and then another one, until nothing overlaps. */
START_TEST(a_large_region_leaves_a_maze_where_a_flat_search_does)
{
    const pqt_region *maze = region_of(MAZE, 300, 300, here, arena);
    const pqt_region *mover = region_of(NOISE, 150, 130, here, arena);
    static const int way[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (int i = 0; i < 4; i++) {
        const pqt_vec from = {90, 80}, to = {90 + way[i][0], 80 + way[i][1]};
        int steps = 0;
        while (pqt_region_overlaps(maze, mover,
                                   (pqt_vec){90 + steps * way[i][0], 80 + steps * way[i][1]}))
            steps++;
        const pqt_region_sweep s = pqt_region_sweep_region(
            (pqt_region_mover){mover, from, to}, (pqt_region_mover){maze, {0, 0}, {0, 0}}, NULL);
        ck_assert_int_eq(s.status, PQT_SWEEP_OVERLAPS);
        ck_assert_double_eq(s.exit, steps);
    }
}
END_TEST

START_TEST(only_regions_of_at_most_64_pixels_are_small)
{
    pqti_small_region small;
    ck_assert(!pqti_small_region_make(&small, nothing()));
    ck_assert(!pqti_small_region_make(&small, boxed(box_of(-9, 0, 56, 3))));
    ck_assert(!pqti_small_region_make(&small, boxed(box_of(0, -1, 3, 64))));
    if (!pqti_small_region_make(&small, boxed(box_of(-9, 100, 55, 164))))
        return; /* a build without fast paths */
    ck_assert_int_eq(small.height, 64);
    ck_assert_int_eq(small.min.x, -9);
    for (int i = 0; i < 64; i++)
        ck_assert(small.rows[i] == UINT64_MAX);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region_exit");
    TCase *tcase = region_tests("exit");
    tcase_add_test(tcase, a_walk_out_of_a_maze_crosses_the_lines_up_to_its_end);
    tcase_add_test(tcase, the_exit_from_a_large_square_is_exact);
    tcase_add_test(tcase, a_large_region_leaves_a_maze_where_a_flat_search_does);
    tcase_add_test(tcase, only_regions_of_at_most_64_pixels_are_small);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
