/* SPDX-License-Identifier: MIT */
/* test_region_query.c: tests queries, exports and checks of regions. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "region/quad.h"
#include "region/tile.h"
#include "region_support.h"
#include "suite.h"

static void
expect_fingerprint(const pqt_region *region, uint64_t low, uint64_t high)
{
    const pqt_fingerprint fingerprint = pqt_region_fingerprint(region);
    ck_assert_uint_eq(fingerprint.low, low);
    ck_assert_uint_eq(fingerprint.high, high);
}

START_TEST(equal_sets_have_recorded_fingerprints_on_every_machine)
{
    const pqt_region *disc =
        painted(nothing(), pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){10, 20}, 7));
    const pqt_region *solid = boxed(box_of(0, 0, 64, 64));
    const pqt_region *larger = boxed(box_of(0, 0, 128, 128));
    const pqt_region *noise = region_of(NOISE, 300, 200, (pqt_pixel){-100, -50}, arena);
    expect_fingerprint(nothing(), UINT64_C(0xd0486de84459b016), UINT64_C(0xd3325bdba21edf06));
    expect_fingerprint(disc, UINT64_C(0xa6d08c941fae4c9b), UINT64_C(0xfdb94e54819fa1d9));
    expect_fingerprint(solid, UINT64_C(0x7ad9d44f507917ec), UINT64_C(0x5cf6a96a4f008735));
    expect_fingerprint(noise, UINT64_C(0xb7248e8b4b232962), UINT64_C(0x8fe12b35f5f10716));
    ck_assert(!same_fingerprint(solid, larger));
    ck_assert(!pqt_region_equals(solid, larger));
    /* The same tile is in another quadrant, or at another level. */
    pqt_pixel moves[] = {{-64, 0}, {0, -64}, {64, 64}, {128, 128}};
    for (int i = 0; i < 4; i++)
        ck_assert(!same_fingerprint(pqt_region_move(disc, moves[i], NULL), disc));
}
END_TEST

/* The sums of the quadrants, which determine the low halves, are set to the same value. */
START_TEST(the_high_word_distinguishes_regions_whose_low_words_are_equal)
{
    const pqt_region *a = painted(nothing(), pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){1, 0}));
    const pqt_region *b = painted(nothing(), pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){2, 0}));
    const pqt_region *two = painted(a, pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){3, 0}));
    ((pqt_region *)(uintptr_t)b)->hash = a->hash;
    ((pqt_region *)(uintptr_t)two)->hash = a->hash;
    ck_assert_uint_eq(pqt_region_fingerprint(a).low, pqt_region_fingerprint(b).low);
    ck_assert(!same_fingerprint(a, b));
    /* The quadrants are equal, but the counts differ. */
    ((pqti_rnode *)(uintptr_t)two->quadrant[3])->fingerprint = a->quadrant[3]->fingerprint;
    ck_assert_uint_eq(pqt_region_fingerprint(a).low, pqt_region_fingerprint(two).low);
    ck_assert(!same_fingerprint(a, two));
}
END_TEST

/* Versions with equal fingerprints but different pixels are not equal. */
START_TEST(equality_does_not_rely_on_fingerprints)
{
    for (int32_t far = 0; far <= 64; far += 64) {
        const pqt_region *a =
            painted(nothing(), pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){1 + far, far}));
        const pqt_region *b =
            painted(nothing(), pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){2 + far, far}));
        const pqti_rnode *in_a = a->quadrant[3], *in_b = b->quadrant[3];
        ck_assert(!pqt_region_equals(a, b));
        ((pqt_region *)(uintptr_t)b)->hash = a->hash;
        ck_assert(!pqt_region_equals(a, b));
        ((pqti_rnode *)(uintptr_t)in_b)->fingerprint = in_a->fingerprint;
        ck_assert(!pqt_region_equals(a, b));
        if (far == 0)
            continue;
        const pqti_rnode *tile_a = ((const pqti_rinner *)in_a)->child[3];
        const pqti_rnode *tile_b = ((const pqti_rinner *)in_b)->child[3];
        ((pqti_rnode *)(uintptr_t)tile_b)->fingerprint = tile_a->fingerprint;
        ck_assert(!pqt_region_equals(a, b));
    }
}
END_TEST

START_TEST(a_visitor_can_stop)
{
    const pqt_region *region = region_of(NOISE, 300, 300, (pqt_pixel){-150, -150}, arena);
    const pqt_pixel_box all = pqt_region_bounds(region);
    for (size_t most = 1; most < 2000; most += most) {
        stopper s = {0, most};
        ck_assert(!pqt_region_visit_runs(region, all, stop_at_run, &s));
        ck_assert_uint_eq(s.seen, most);
        s.seen = 0;
        ck_assert(!pqt_region_visit_boxes(region, all, stop_at_box, &s));
        ck_assert_uint_eq(s.seen, most);
    }
    for (size_t most = 1; most < 20; most += most) {
        stopper s = {0, most};
        ck_assert(!pqt_region_visit_diff(region, nothing(), stop_at_box, &s));
        ck_assert_uint_eq(s.seen, most);
        s.seen = 0;
        ck_assert(!pqt_region_visit_squares(region, stop_at_square, &s));
        ck_assert_uint_eq(s.seen, most);
    }
    stopper none = {0, 1};
    ck_assert(pqt_region_visit_runs(region, box_of(5, 5, 5, 9), stop_at_run, &none));
    ck_assert(pqt_region_visit_boxes(region, box_of(9, 9, 5, 5), stop_at_box, &none));
    ck_assert(pqt_region_visit_diff(region, region, stop_at_box, &none));
    ck_assert_uint_eq(none.seen, 0);
}
END_TEST

START_TEST(a_rectangle_is_one_box_and_its_runs_are_its_rows)
{
    const pqt_region *region = boxed(box_of(-100, -70, 300, 500));
    const pqt_pixel_box everywhere = box_of(INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX);
    stopper s = {0, SIZE_MAX};
    pqt_pixel_box box;
    ck_assert(pqt_region_visit_boxes(region, everywhere, stop_at_box, &s));
    ck_assert_uint_eq(s.seen, 1);
    ck_assert(pqt_region_visit_boxes(region, everywhere, keep_box, &box));
    expect_box(box, -100, -70, 300, 500);
    s.seen = 0;
    ck_assert(pqt_region_visit_runs(region, everywhere, stop_at_run, &s));
    ck_assert_uint_eq(s.seen, 570);
    ck_assert(pqt_region_visit_boxes(region, box_of(0, 0, 7, 9), keep_box, &box));
    expect_box(box, 0, 0, 7, 9);
}
END_TEST

static bool
sum_square(const pqt_square *square, void *context)
{
    uint64_t *sums = context;
    const uint64_t side = (uint64_t)(square->box.max.x - square->box.min.x);
    sums[square->kind]++;
    if (square->kind == PQT_SQUARE_FULL)
        ck_assert_uint_eq(square->count, side * side);
    if (square->kind == PQT_SQUARE_LEAF)
        ck_assert_uint_eq(side, 64);
    if (square->kind != PQT_SQUARE_INNER)
        sums[0] += square->count;
    return true;
}

START_TEST(squares_and_stats_agree)
{
    const pqt_region *region =
        painted(nothing(), pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){20, 30}, 500));
    uint64_t sums[4] = {0};
    ck_assert(pqt_region_visit_squares(region, sum_square, sums));
    pqt_region_stats stats = pqt_region_get_stats(region);
    ck_assert_uint_eq(sums[0], pqt_region_count(region));
    ck_assert_uint_eq(sums[PQT_SQUARE_INNER], stats.nodes);
    ck_assert_uint_eq(sums[PQT_SQUARE_LEAF], stats.leaves);
    ck_assert_uint_eq(sums[PQT_SQUARE_FULL], stats.full);
    ck_assert_uint_eq(stats.bytes, 64 + 48 * stats.nodes + 544 * stats.leaves);
    ck_assert_int_eq(stats.level, 10);
    ck_assert_uint_eq(pqt_region_shared_bytes(region, region), stats.bytes);
}
END_TEST

START_TEST(bytes_are_written_in_their_rows_only)
{
    const pqt_region *region = boxed(box_of(-2, -2, 2, 2));
    uint8_t bytes[6 * 5];
    pqt_error error = {0};
    memset(bytes, 9, sizeof bytes);
    ck_assert(pqt_region_to_bytes(region, box_of(1, -3, 4, 2), bytes, 6, 255, &error));
    static const uint8_t must[6 * 5] = {0, 0, 0, 9,   9, 9, 255, 0, 0, 9,   9, 9, 255, 0, 0,
                                        9, 9, 9, 255, 0, 0, 9,   9, 9, 255, 0, 0, 9,   9, 9};
    ck_assert_mem_eq(bytes, must, sizeof bytes);
    ck_assert(pqt_region_to_bytes(region, box_of(1, 1, 1, 9), NULL, 0, 1, &error));
    ck_assert(
        pqt_region_to_bytes(region, box_of(INT32_MIN, 0, INT32_MIN + 1, 1), bytes, 1, 1, &error));
    ck_assert_int_eq(bytes[0], 0);
    const struct {
        pqt_pixel_box box;
        size_t stride;
        pqt_status status;
    } bad[] = {
        {{{0, 0}, {3, 1}}, 2, PQT_ERROR_OPTION},
        {{{0, 0}, {3, 3}}, SIZE_MAX, PQT_ERROR_OPTION},
        {{{INT32_MIN, INT32_MIN}, {INT32_MAX, INT32_MAX}}, SIZE_MAX / 4, PQT_ERROR_OPTION},
        {{{1, 0}, {0, 1}}, 4, PQT_ERROR_BOX},
        {{{0, 1}, {1, 0}}, 4, PQT_ERROR_BOX},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        error = (pqt_error){0};
        ck_assert(!pqt_region_to_bytes(region, bad[i].box, bytes, bad[i].stride, 1, &error));
        ck_assert_msg(error.status == bad[i].status, "%s", error.text);
    }
}
END_TEST

START_TEST(damage_boxes_are_joined_beyond_the_capacity)
{
    const pqt_region *before = nothing(), *after = before;
    pqt_pixel_box boxes[4];
    static const pqt_pixel spots[] = {{5, 5}, {70, 5}, {1000, 1000}, {1070, 1000}, {-500, 9}};
    for (int i = 0; i < 5; i++)
        after = painted(after, pqt_paint_pixel(PQT_PAINT_SET, spots[i]));
    ck_assert_uint_eq(pqt_region_damage(before, after, boxes, 4), 4);
    ck_assert_uint_eq(pqt_region_damage(before, before, boxes, 4), 0);
    ck_assert_uint_eq(pqt_region_damage(before, after, boxes, 1), 1);
    expect_box(boxes[0], -500, 5, 1071, 1001);
    ck_assert_uint_eq(pqt_region_damage(after, before, boxes, 3), 3);
    expect_box(boxes[0], -500, 9, -499, 10); /* in Z order, the left quadrant comes first */
    expect_box(boxes[1], 5, 5, 6, 6);
    expect_box(boxes[2], 70, 5, 1071, 1001);
}
END_TEST

START_TEST(a_pin_keeps_a_version)
{
    pqt_error error = {0};
    pqt_memory *memory = pqt_collector() != NULL ? pqt_collector() : arena;
    const pqt_region *region = region_of(NOISE, 200, 200, here, memory);
    const pqt_fingerprint fingerprint = pqt_region_fingerprint(region);
    pqt_pin **hidden = malloc(sizeof *hidden);
    *hidden = pqt_region_pin(region, &error);
    ck_assert_msg(*hidden != NULL, "%s", error.text);
    region = NULL;
    for (int i = 0; i < 3; i++) {
        pqti_collect(memory);
        (void)region_of(CHECKERBOARD, 200, 200, here, memory);
    }
    const pqt_region *found = sound(pqt_pin_get_region(*hidden), &error);
    ck_assert(pqt_fingerprint_equals(pqt_region_fingerprint(found), fingerprint));
    pqt_unpin(hidden);
    free(hidden);
}
END_TEST

/* ---- Checks ---- */

/* Checks that pqt_region_check detects a changed word. */
static void
expect_found(const pqt_region *region, const void *at, uint64_t change)
{
    pqt_error error = {0};
    uint64_t *word = (uint64_t *)(uintptr_t)at;
    *word ^= change;
    ck_assert(!pqt_region_check(region, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_CORRUPT);
    ck_assert_uint_gt(strlen(error.text), 10);
    *word ^= change;
    ck_assert(pqt_region_check(region, NULL));
}

START_TEST(check_finds_every_word_that_was_changed)
{
    const pqt_region *region = region_of(NOISE, 200, 200, (pqt_pixel){-100, -100}, arena);
    const pqti_rinner *inner = (const pqti_rinner *)region->quadrant[3];
    const pqti_tile *tile = (const pqti_tile *)inner->child[0];
    for (int y = 0; y < 64; y++)
        expect_found(region, &tile->rows[y], UINT64_C(1) << y);
    expect_found(region, &tile->node, 1);
    expect_found(region, &tile->count, 1);
    expect_found(region, &tile->occupied, 1);
    expect_found(region, &tile->full, 1);
    expect_found(region, &inner->node, 1);
    expect_found(region, &inner->count, 1);
    expect_found(region, &inner->child[1], (uintptr_t)inner->child[1] ^ (uintptr_t)PQTI_EMPTY);
    expect_found(region, &inner->child[1], (uintptr_t)inner->child[1] ^ (uintptr_t)PQTI_PADDING(0));
    expect_found(region, &inner->child[1], (uintptr_t)inner->child[1] ^ (uintptr_t)inner->child[2]);
    expect_found(region, &inner->child[1], (uintptr_t)inner->child[1]);
    expect_found(region, &region->quadrant[1],
                 (uintptr_t)region->quadrant[1] ^ (uintptr_t)region->quadrant[2]);
    expect_found(region, &region->count, 1);
    expect_found(region, &region->hash, 1);
    expect_found(region, &region->memory, (uintptr_t)region->memory);
    expect_found(region, &region->level, 7 ^ 5);
    expect_found(region, &region->level, 7 ^ 21);
}
END_TEST

START_TEST(check_finds_uniform_squares_and_superfluous_levels)
{
    const pqt_region *region = region_of(NOISE, 128, 128, here, arena);
    pqti_rinner *inner = (pqti_rinner *)(uintptr_t)region->quadrant[3];
    pqti_tile *tile = (pqti_tile *)(uintptr_t)inner->child[0];
    pqt_error error = {0};
    pqt_region larger = *region;
    pqti_rinner around = {.node.fingerprint = 0};
    for (int i = 0; i < 4; i++)
        around.child[i] = PQTI_EMPTY;
    around.child[0] = &inner->node;
    around.count = inner->count;
    for (int i = 0; i < 4; i++)
        around.node.fingerprint += pqti_rnode_child_hash(around.child[i]->fingerprint, i);
    larger.level++;
    larger.hash += pqti_rnode_child_hash(around.node.fingerprint, 3) -
                   pqti_rnode_child_hash(inner->node.fingerprint, 3);
    larger.quadrant[3] = &around.node;
    ck_assert(!pqt_region_check(&larger, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "level"));
    for (int full = 0; full < 2; full++) {
        error = (pqt_error){0};
        memset(tile->rows, full ? 255 : 0, sizeof tile->rows);
        ck_assert(!pqt_region_check(region, &error));
        ck_assert_ptr_nonnull(strstr(error.text, "empty or full"));
        error = (pqt_error){0};
        for (int i = 0; i < 4; i++)
            around.child[i] = full ? PQTI_FULL : PQTI_EMPTY;
        ck_assert(!pqt_region_check(&larger, &error));
        ck_assert_ptr_nonnull(strstr(error.text, "empty or full"));
    }
}
END_TEST

START_TEST(a_query_of_null_stops_the_program)
{
    pqt_region_count(NULL);
}
END_TEST

START_TEST(damage_with_capacity_0_stops_the_program)
{
    pqt_pixel_box box;
    pqt_region_damage(nothing(), nothing(), &box, 0);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region_ask");
    TCase *tcase = region_tests("asking");
    tcase_add_test(tcase, equal_sets_have_recorded_fingerprints_on_every_machine);
    tcase_add_test(tcase, the_high_word_distinguishes_regions_whose_low_words_are_equal);
    tcase_add_test(tcase, equality_does_not_rely_on_fingerprints);
    tcase_add_test(tcase, a_visitor_can_stop);
    tcase_add_test(tcase, a_rectangle_is_one_box_and_its_runs_are_its_rows);
    tcase_add_test(tcase, squares_and_stats_agree);
    tcase_add_test(tcase, bytes_are_written_in_their_rows_only);
    tcase_add_test(tcase, damage_boxes_are_joined_beyond_the_capacity);
    tcase_add_test(tcase, a_pin_keeps_a_version);
    tcase_add_test(tcase, check_finds_every_word_that_was_changed);
    tcase_add_test(tcase, check_finds_uniform_squares_and_superfluous_levels);
    tcase_add_misuse_test(tcase, a_query_of_null_stops_the_program);
    tcase_add_misuse_test(tcase, damage_with_capacity_0_stops_the_program);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
