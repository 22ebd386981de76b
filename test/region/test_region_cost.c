/* SPDX-License-Identifier: MIT */
/* test_region_cost.c: tests the costs of regions, counted in bytes and squares. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hooks.h"
#include "random.h"
#include "region/region_internal.h"
#include "region/tile.h"
#include "region_builder.h"
#include "region_support.h"
#include "suite.h"

START_TEST(a_solid_square_takes_less_than_1_kb)
{
    const pqt_region *solid = region_of(SOLID, 1024, 1024, here, arena);
    ck_assert_uint_eq(pqt_region_count(solid), 1024 * 1024);
    ck_assert_uint_lt(pqt_region_get_stats(solid).bytes, 1000);
}
END_TEST

START_TEST(one_pixel_in_noise_keeps_less_than_1_kb)
{
    dice d = {test_seed("one_pixel_in_noise")};
    const bool collected = _i == 1;
    if (collected && pqt_collector() == NULL)
        return;
    const pqt_region *noise =
        region_of(NOISE, 4096, 4096, here, collected ? pqt_collector() : arena);
    size_t most = 0;
    for (int i = 0; i < 200; i++) {
        pqt_pixel pixel = {(int32_t)dice_below(&d, 4096), (int32_t)dice_below(&d, 4096)};
        hooks watch = {.fail_at = 0};
        pqt_error error = {0};
        hooks_start(&watch);
        const pqt_region *next =
            pqt_region_paint(noise, pqt_paint_pixel(PQT_PAINT_TOGGLE, pixel), &error);
        hooks_stop();
        ck_assert_msg(next != NULL && next != noise, "%s", error.text);
        size_t own = pqt_region_get_stats(next).bytes - pqt_region_shared_bytes(noise, next);
        if (!collected)
            ck_assert_uint_eq(own, hooks_kept_bytes(&watch));
        most = own > most ? own : most;
        ck_assert_uint_lt(hooks_kept_bytes(&watch), 1000);
        ck_assert_uint_eq(watch.blocks[PQTI_BLOCK_SCRATCH], 0);
    }
    fprintf(stderr, "one pixel in noise of 4096 x 4096: %zu bytes\n", most);
    ck_assert_uint_lt(most, 1000);
    pqti_keep_alive(noise);
}
END_TEST

START_TEST(a_diff_of_one_pixel_enters_few_squares)
{
    dice d = {test_seed("a_diff_of_one_pixel")};
    const pqt_region *noise = region_of(NOISE, 4096, 4096, (pqt_pixel){-1000, -1000}, arena);
    const pqt_region *stranger = region_of(NOISE, 4096, 4096, (pqt_pixel){-1000, -1000}, arena);
    ck_assert_uint_eq(pqt_region_shared_bytes(noise, stranger), 0);
    for (int i = 0; i < 100; i++) {
        pqt_pixel pixel = {(int32_t)dice_below(&d, 4096) - 1000,
                           (int32_t)dice_below(&d, 4096) - 1000};
        const pqt_region *next = pqt_region_paint(i % 2 == 0 ? noise : stranger,
                                                  pqt_paint_pixel(PQT_PAINT_TOGGLE, pixel), NULL);
        size_t squares = 0;
        pqt_pixel_box box = {{0, 0}, {0, 0}};
        ck_assert(pqti_region_visit_diff(noise, next, keep_box, &box, &squares));
        expect_box(box, pixel.x, pixel.y, pixel.x + 1, pixel.y + 1);
        ck_assert_uint_lt(squares, 32);
        ck_assert_uint_ge(squares, 12); /* six levels down to a tile, in both versions */
    }
}
END_TEST

START_TEST(reading_allocates_nothing)
{
    const pqt_region *region = region_of(MAZE, 300, 300, (pqt_pixel){-150, -150}, arena);
    const pqt_region *other =
        pqt_region_paint(region, pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){0, 0}, 90), NULL);
    const pqt_pixel_box all = pqt_region_bounds(region);
    pqt_pixel_box boxes[2];
    stopper s = {0, SIZE_MAX};
    uint8_t *bytes = malloc(300 * 300);
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    pqt_region_count_in(region, box_of(-9, -9, 99, 99));
    pqt_region_any_in(region, box_of(-9, -9, 99, 99));
    pqt_region_equals(region, other);
    pqt_region_check(region, NULL);
    pqt_region_get_stats(region);
    pqt_region_shared_bytes(region, other);
    pqt_region_visit_runs(region, all, stop_at_run, &s);
    pqt_region_visit_boxes(region, all, stop_at_box, &s);
    pqt_region_visit_squares(region, stop_at_square, &s);
    pqt_region_to_bytes(region, all, bytes, 300, 1, NULL);
    pqt_region_visit_diff(region, other, stop_at_box, &s);
    pqt_region_damage(region, other, boxes, 2);
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
    free(bytes);
}
END_TEST

/* ---- Shared blocks are not read ---- */

/* A memory in which each block has its own page, so that access to the block can be forbidden. */
typedef struct guarded {
    pqt_memory memory;
    char *pages;
    size_t page, used, capacity;
} guarded;

static void *
give_page(pqt_memory *memory, size_t size)
{
    guarded *g = (guarded *)memory;
    ck_assert_uint_le(size, g->page);
    ck_assert_uint_lt(g->used, g->capacity);
    return g->pages + g->page * g->used++; /* the system has zeroed it */
}

static size_t
size_of_block(const pqt_memory *memory, const void *block, size_t size)
{
    (void)memory;
    (void)block;
    return size;
}

static void *
give_node(pqt_memory *memory, pqti_layout *layout)
{
    return give_page(memory, layout->size);
}

static const pqti_memory_calls guarded_calls = {.alloc_node = give_node,
                                                .alloc_list = give_page,
                                                .alloc_leaf = give_page,
                                                .alloc_scanned_leaf = give_page,
                                                .size = size_of_block};

static void
guarded_make(guarded *g, size_t capacity)
{
    g->memory.calls = &guarded_calls;
    g->page = (size_t)sysconf(_SC_PAGESIZE);
    g->used = 0;
    g->capacity = capacity;
    g->pages =
        mmap(NULL, g->page * capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(g->pages, MAP_FAILED);
}

/* Marks the pages of the blocks below a square. */
static void
mark_blocks(const guarded *g, const pqti_rnode *node, int level, uint8_t *marks, uint8_t mark)
{
    if (!pqti_is_allocated(node))
        return;
    marks[(size_t)((const char *)node - g->pages) / g->page] |= mark;
    for (int i = 0; i < 4 && level > PQTI_TILE_LEVEL; i++)
        mark_blocks(g, ((const pqti_rinner *)node)->child[i], level - 1, marks, mark);
}

/*
 * Forbids access to the blocks that both versions share, and returns their number. The quadrants
 * may be read, because every operation checks whether the level is still needed.
 */
static size_t
forbid_shared(const guarded *g, const pqt_region *a, const pqt_region *b)
{
    uint8_t *marks = calloc(g->capacity, 1);
    size_t shared = 0;
    for (int i = 0; i < 4; i++) {
        mark_blocks(g, a->quadrant[i], a->level, marks, 1);
        mark_blocks(g, b->quadrant[i], b->level, marks, 2);
    }
    for (int i = 0; i < 4; i++)
        if (pqti_is_allocated(a->quadrant[i]))
            marks[(size_t)((const char *)a->quadrant[i] - g->pages) / g->page] = 0;
    for (size_t i = 0; i < g->used; i++)
        if (marks[i] == 3) {
            ck_assert_int_eq(mprotect(g->pages + i * g->page, g->page, PROT_NONE), 0);
            shared++;
        }
    free(marks);
    return shared;
}

START_TEST(squares_that_two_versions_share_are_not_entered)
{
    guarded g;
    pqt_error error = {0};
    guarded_make(&g, 4000);
    const pqt_region *a = region_of(NOISE, 1000, 1000, (pqt_pixel){-300, -300}, &g.memory);
    /* One pixel of a tile is set and another one is cleared, so that the number of pixels is the
       same. */
    pqt_pixel on = {200, 200}, off = {200, 200};
    while (pqt_region_contains(a, on))
        on.x++;
    while (!pqt_region_contains(a, off))
        off.x++;
    const pqt_region *b = pqt_region_paint(a, pqt_paint_pixel(PQT_PAINT_SET, on), &error);
    b = pqt_region_paint(b, pqt_paint_pixel(PQT_PAINT_CLEAR, off), &error);
    ck_assert_msg(b != NULL, "%s", error.text);
    ck_assert_uint_gt(forbid_shared(&g, a, b), 250);
    pqt_pixel_box box;
    ck_assert(pqt_region_visit_diff(a, b, keep_box, &box));
    ck_assert(!pqt_region_equals(a, b));
    ck_assert_uint_eq(pqt_region_count(pqt_region_xor(a, b, here, &error)), 2);
    ck_assert_uint_eq(pqt_region_count(pqt_region_difference(a, b, here, &error)), 1);
    ck_assert_uint_eq(pqt_region_count(pqt_region_difference(b, a, here, &error)), 1);
    ck_assert_uint_eq(pqt_region_count(pqt_region_union(a, b, here, &error)),
                      pqt_region_count(a) + 1);
    ck_assert_uint_eq(pqt_region_count(pqt_region_intersection(a, b, here, &error)),
                      pqt_region_count(a) - 1);
    pqt_paint undo[2] = {pqt_paint_pixel(PQT_PAINT_CLEAR, on), pqt_paint_pixel(PQT_PAINT_SET, off)};
    const pqt_region *undone = pqt_region_paint_all(b, undo, 2, &error);
    ck_assert(same_fingerprint(undone, a));
    ck_assert_msg(error.status == PQT_OK, "%s", error.text);
    munmap(g.pages, g.page * g.capacity);
}
END_TEST

START_TEST(a_batch_makes_each_square_once)
{
    dice d = {test_seed("a_batch_makes_each_square_once")};
    const pqt_region *noise = region_of(NOISE, 2048, 2048, here, arena);
    pqt_paint paints[100];
    for (int i = 0; i < 100; i++)
        paints[i] = pqt_paint_disc(PQT_PAINT_TOGGLE,
                                   (pqt_vec){500 + dice_real(&d) * 300, 500 + dice_real(&d) * 300},
                                   dice_real(&d) * 40);
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    const pqt_region *next = pqt_region_paint_all(noise, paints, 100, NULL);
    hooks_stop();
    sound(next, NULL);
    ck_assert_uint_eq(pqt_region_get_stats(next).bytes - pqt_region_shared_bytes(noise, next),
                      hooks_kept_bytes(&watch));
}
END_TEST

/* ---- A painting ---- */

enum { CANVAS = 4096, HALF_CANVAS = CANVAS / 2 };

static double
keep_on_canvas(double position)
{
    const double most = HALF_CANVAS - 40;
    return position > most ? most : position < -most ? -most : position;
}

/* Moves the pen at random. Now and then it is lifted, or it erases. */
static pqt_paint
draw_stroke(dice *d, pqt_vec *pen)
{
    pqt_vec from = *pen;
    if (dice_chance(d, 5))
        from = (pqt_vec){(dice_real(d) - 0.5) * CANVAS, (dice_real(d) - 0.5) * CANVAS};
    from = (pqt_vec){keep_on_canvas(from.x), keep_on_canvas(from.y)};
    *pen = (pqt_vec){keep_on_canvas(from.x + (dice_real(d) - 0.5) * 80),
                     keep_on_canvas(from.y + (dice_real(d) - 0.5) * 80)};
    return pqt_paint_stroke(dice_chance(d, 20) ? PQT_PAINT_CLEAR : PQT_PAINT_SET, from, *pen,
                            1 + dice_real(d) * 15);
}

/* Returns true if a version has the pixels of the bitmap in a box. */
static bool
has_pixels(const pqt_region *region, const bitmap *map, pqt_pixel_box box, uint8_t *room)
{
    const size_t width = (size_t)(box.max.x - box.min.x);
    ck_assert(pqt_region_to_bytes(region, box, room, width, 1, NULL));
    for (int32_t y = box.min.y; y < box.max.y; y++) {
        const uint8_t *row =
            map->cells + (size_t)(y + HALF_CANVAS) * CANVAS + (size_t)(box.min.x + HALF_CANVAS);
        if (memcmp(room + (size_t)(y - box.min.y) * width, row, width) != 0)
            return false;
    }
    return true;
}

/* Returns a box around the pixels that a stroke may change, with a margin. */
static pqt_pixel_box
around(const pqt_paint *paint)
{
    const double r = paint->radius + 3;
    return box_of((int32_t)(fmin(paint->from.x, paint->to.x) - r),
                  (int32_t)(fmin(paint->from.y, paint->to.y) - r),
                  (int32_t)(fmax(paint->from.x, paint->to.x) + r),
                  (int32_t)(fmax(paint->from.y, paint->to.y) + r));
}

START_TEST(painting_leaves_each_earlier_version_unchanged)
{
    const size_t count = test_scaled(10000), sample = count / 20 + 1;
    dice d = {test_seed("each_version_of_a_painting")};
    pqt_vec pen = {0, 0};
    pqt_paint *paints = malloc(count * sizeof *paints);
    const pqt_region **versions = malloc((count + 1) * sizeof *versions);
    versions[0] = nothing();
    const uint64_t before = pqt_memory_get_stats(arena).bytes;
    for (size_t i = 0; i < count; i++) {
        pqt_error error = {0};
        paints[i] = draw_stroke(&d, &pen);
        versions[i + 1] = pqt_region_paint(versions[i], paints[i], &error);
        ck_assert_msg(versions[i + 1] != NULL, "%s", error.text);
    }
    const uint64_t bytes = (pqt_memory_get_stats(arena).bytes - before) / count;
    fprintf(stderr, "painting: %zu strokes, %" PRIu64 " bytes per version\n", count, bytes);
    if (count >= 10000) /* the first strokes paint an empty canvas and change more */
        ck_assert_uint_lt(bytes, 2000);
    /* Repeats the strokes on a bitmap. Compares each version around its stroke, and sometimes as a
       whole. */
    bitmap map = bitmap_make(HALF_CANVAS);
    uint8_t *room = malloc((size_t)CANVAS * CANVAS);
    for (size_t i = 0; i < count; i++) {
        pqt_pixel_box box = around(&paints[i]);
        if (i % sample == 0)
            box = box_of(-HALF_CANVAS, -HALF_CANVAS, HALF_CANVAS, HALF_CANVAS);
        ck_assert(has_pixels(versions[i], &map, box, room));
        bitmap_paint(&map, &paints[i]);
        ck_assert_msg(has_pixels(versions[i + 1], &map, box, room), "version %zu", i + 1);
        if (i % sample == 0)
            sound(versions[i], NULL);
    }
    region_why why;
    ck_assert_msg(bitmap_matches(&map, versions[count], &why), "%s", why.text);
    bitmap_free(&map);
    free(room);
    free(versions);
    free(paints);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region_cost");
    TCase *tcase = region_tests("costs");
    tcase_add_test(tcase, a_solid_square_takes_less_than_1_kb);
    tcase_add_loop_test(tcase, one_pixel_in_noise_keeps_less_than_1_kb, 0, 2);
    tcase_add_test(tcase, a_diff_of_one_pixel_enters_few_squares);
    tcase_add_test(tcase, reading_allocates_nothing);
    tcase_add_test(tcase, squares_that_two_versions_share_are_not_entered);
    tcase_add_test(tcase, a_batch_makes_each_square_once);
    tcase_add_test(tcase, painting_leaves_each_earlier_version_unchanged);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
