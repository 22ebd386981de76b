/* SPDX-License-Identifier: MIT */
/*
 * test_region.c - each function of region.h: its example, its edges, every status, and what it costs.
 *
 * Costs are counted, not timed. Random commands are in test_region_model.c.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pqt/memory.h>
#include <pqt/region.h>

#include "hooks.h"
#include "misuse.h"
#include "random.h"
#include "region/dab.h"
#include "region/diff.h"
#include "region/tile.h"
#include "region_builder.h"
#include "suite.h"

#define LIMIT PQT_PIXEL_LIMIT

static const pqt_pixel here = {0, 0};
static pqt_memory *arena;

static void
set_up(void)
{
    pqt_error error = {0};
    arena = pqt_arena_make(0, &error);
    ck_assert_msg(arena != NULL, "%s", error.text);
}

static void
tear_down(void)
{
    pqt_arena_destroy(&arena);
}

static const pqt_region *
sound(const pqt_region *region, const pqt_error *error)
{
    pqt_error broken = {0};
    ck_assert_msg(region != NULL, "%s", error->text);
    ck_assert_msg(pqt_region_check(region, &broken), "%s", broken.text);
    return region;
}

static const pqt_region *
nothing(void)
{
    pqt_error error = {0};
    return sound(pqt_region_make(arena, &error), &error);
}

static const pqt_region *
painted(const pqt_region *region, pqt_paint paint)
{
    pqt_error error = {0};
    return sound(pqt_region_paint(region, paint, &error), &error);
}

static pqt_pixel_box
box_of(int32_t min_x, int32_t min_y, int32_t max_x, int32_t max_y)
{
    return (pqt_pixel_box){{min_x, min_y}, {max_x, max_y}};
}

static const pqt_region *
boxed(pqt_pixel_box box)
{
    return painted(nothing(), pqt_paint_box(PQT_SET, box));
}

static void
expect_failure(const pqt_region *region, const pqt_error *error, pqt_status status, size_t index)
{
    ck_assert_ptr_null(region);
    ck_assert_msg(error->status == status, "%s: %s", pqt_status_name(error->status), error->text);
    ck_assert_uint_eq(error->index, index);
    ck_assert_uint_gt(strlen(error->text), 0);
    ck_assert_ptr_null(strchr(error->text, '\n'));
}

static void
expect_box(pqt_pixel_box box, int32_t min_x, int32_t min_y, int32_t max_x, int32_t max_y)
{
    pqt_pixel_box must = box_of(min_x, min_y, max_x, max_y);
    ck_assert_msg(memcmp(&box, &must, sizeof box) == 0, "%d, %d to %d, %d", box.min.x, box.min.y,
                  box.max.x, box.max.y);
}

/* ---- patterns ---- */

typedef enum pattern { SOLID, EMPTY, CHECKERBOARD, NOISE, MAZE, PATTERNS } pattern;

static uint64_t
noise_at(int32_t x, int32_t y)
{
    dice d = {(uint64_t)(uint32_t)x << 32 | (uint32_t)y};
    return dice_next(&d);
}

/* A maze: posts at even places, and from each a wall to the right or down. */
static bool
maze_has(int32_t x, int32_t y)
{
    if (x % 2 != 0 && y % 2 != 0)
        return false;
    if (x % 2 == 0 && y % 2 == 0)
        return true;
    bool lies = x % 2 != 0;
    return lies == ((noise_at(lies ? x - 1 : x, lies ? y : y - 1) & 1) != 0);
}

static bool
pattern_has(pattern kind, int32_t x, int32_t y)
{
    switch (kind) {
    case SOLID:
        return true;
    case CHECKERBOARD:
        return (x + y) % 2 == 0;
    case NOISE:
        return (noise_at(x, y) & 1) != 0;
    case MAZE:
        return maze_has(x, y);
    default:
        return false;
    }
}

static uint8_t *
draw_bytes(pattern kind, size_t width, size_t height)
{
    uint8_t *bytes = malloc(width * height + 1);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            bytes[y * width + x] = pattern_has(kind, (int32_t)x, (int32_t)y) ? 255 : 0;
    return bytes;
}

static const pqt_region *
region_of(pattern kind, size_t width, size_t height, pqt_pixel at, pqt_memory *memory)
{
    pqt_error error = {0};
    uint8_t *bytes = draw_bytes(kind, width, height);
    pqt_byte_image image = {bytes, width, height, width, 1, 0};
    const pqt_region *region = pqt_region_of_bytes(&image, at, memory, &error);
    free(bytes);
    ck_assert_msg(region != NULL, "%s", error.text);
    return region;
}

/* ---- making ---- */

START_TEST(an_empty_region_has_nothing)
{
    const pqt_region *region = nothing();
    pqt_region_stats stats = pqt_region_get_stats(region);
    ck_assert_uint_eq(pqt_region_count(region), 0);
    expect_box(pqt_region_bounds(region), 0, 0, 0, 0);
    ck_assert(!pqt_region_contains(region, here));
    ck_assert(!pqt_region_any_in(region, box_of(INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX)));
    ck_assert_uint_eq(stats.nodes + stats.leaves + stats.full, 0);
    ck_assert_uint_eq(stats.bytes, 64);
    ck_assert_int_eq(stats.level, 6);
    ck_assert_ptr_eq(pqt_region_memory(region), arena);
}
END_TEST

static const struct {
    size_t width, height;
} sizes[] = {{0, 0},   {0, 9},   {9, 0},    {1, 1},    {63, 63},
             {64, 64}, {65, 65}, {1000, 3}, {3, 1000}, {300, 300}};

static const pqt_pixel places[] = {{0, 0}, {-1, -1}, {-64, 0}, {-65, -63}, {1, 63}, {-150, -150}};

static int32_t
larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* A picture at a place, and the bitmap of the same. */
static void
expect_image(pattern kind, size_t width, size_t height, pqt_pixel at)
{
    const pqt_region *region = region_of(kind, width, height, at, arena);
    const int32_t right = at.x + (int32_t)width, below = at.y + (int32_t)height;
    bitmap map = bitmap_make(1 + larger(larger(-at.x, right), larger(-at.y, below)));
    region_why why;
    for (int32_t y = at.y; y < below; y++)
        for (int32_t x = at.x; x < right; x++)
            bitmap_put(&map, x, y, pattern_has(kind, x - at.x, y - at.y));
    ck_assert_msg(bitmap_matches(&map, region, &why), "%zu x %zu at %d, %d: %s", width, height,
                  at.x, at.y, why.text);
    sound(region, NULL);
    bitmap_free(&map);
}

START_TEST(images_of_all_sizes_and_places_have_the_shape_that_the_builder_predicts)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof places / sizeof *places; k++)
            expect_image((pattern)_i, sizes[i].width, sizes[i].height, places[k]);
}
END_TEST

START_TEST(an_image_of_4096_x_4096_has_the_shape_that_the_builder_predicts)
{
    const size_t size = (size_t)4096 * 4096;
    const pqt_pixel_box window = box_of(-2048, -2048, 2048, 2048);
    uint8_t *bytes = draw_bytes((pattern)_i, 4096, 4096);
    pqt_byte_image image = {bytes, 4096, 4096, 4096, 1, 0};
    pqt_error error = {0};
    const pqt_region *region = pqt_region_of_bytes(&image, window.min, arena, &error);
    sound(region, &error);
    bitmap map = bitmap_make(2048);
    region_why why;
    for (size_t i = 0; i < size; i++)
        map.cells[i] = bytes[i] != 0;
    ck_assert_msg(bitmap_matches(&map, region, &why), "%s", why.text);
    ck_assert(pqt_region_to_bytes(region, window, bytes, 4096, 1, &error));
    ck_assert_int_eq(memcmp(bytes, map.cells, size), 0);
    free(bytes);
    bitmap_free(&map);
}
END_TEST

START_TEST(the_alpha_of_rgba_is_read_with_a_threshold)
{
    static const uint8_t rgba[2][3][4] = {{{9, 9, 9, 0}, {0, 0, 0, 127}, {0, 0, 0, 128}},
                                          {{0, 0, 0, 255}, {9, 9, 9, 1}, {0, 0, 0, 200}}};
    pqt_byte_image alpha = {&rgba[0][0][3], 3, 2, 12, 4, 127};
    pqt_error error = {0};
    const pqt_region *region = pqt_region_of_bytes(&alpha, (pqt_pixel){-1, -1}, arena, &error);
    sound(region, &error);
    ck_assert_uint_eq(pqt_region_count(region), 3);
    ck_assert(pqt_region_contains(region, (pqt_pixel){1, -1}));
    ck_assert(pqt_region_contains(region, (pqt_pixel){-1, 0}));
    ck_assert(pqt_region_contains(region, (pqt_pixel){1, 0}));
}
END_TEST

START_TEST(both_orders_of_bits_are_read)
{
    static const uint8_t bits[] = {0x83, 0xff, 0x41,
                                   0xff}; /* the last bits of a row are not read */
    pqt_error error = {0};
    pqt_bit_image image = {bits, 9, 2, 2, PQT_BITS_HIGH_FIRST};
    const pqt_region *high = sound(pqt_region_of_bits(&image, here, arena, &error), &error);
    image.order = PQT_BITS_LOW_FIRST;
    const pqt_region *low = sound(pqt_region_of_bits(&image, here, arena, &error), &error);
    static const int in_high[] = {0, 6, 7, 8}, in_low[] = {0, 1, 7, 8};
    ck_assert_uint_eq(pqt_region_count(high), 7);
    ck_assert_uint_eq(pqt_region_count(low), 7);
    for (int i = 0; i < 4; i++) {
        ck_assert(pqt_region_contains(high, (pqt_pixel){in_high[i], 0}));
        ck_assert(pqt_region_contains(low, (pqt_pixel){in_low[i], 0}));
    }
    ck_assert(pqt_region_contains(high, (pqt_pixel){1, 1}));
    ck_assert(pqt_region_contains(low, (pqt_pixel){6, 1}));
}
END_TEST

START_TEST(runs_and_boxes_may_overlap_and_be_empty)
{
    static const pqt_pixel_run runs[] = {
        {5, 3, 9}, {-7, 0, 0}, {5, 8, 70}, {INT32_MAX, 4, 4}, {-1, -LIMIT, -LIMIT + 1}};
    static const pqt_pixel_box boxes[] = {{{3, 5}, {70, 6}},
                                          {{INT32_MIN, 0}, {INT32_MAX, 0}},
                                          {{-LIMIT, -1}, {-LIMIT + 1, 0}},
                                          {{9, 5}, {10, 6}}};
    pqt_error error = {0};
    const pqt_region *of_runs = pqt_region_of_runs(runs, 5, arena, &error);
    const pqt_region *of_boxes = pqt_region_of_boxes(boxes, 4, arena, &error);
    ck_assert_uint_eq(pqt_region_count(sound(of_runs, &error)), 68);
    ck_assert(pqt_region_equals(of_runs, sound(of_boxes, &error)));
    ck_assert_uint_eq(pqt_region_count(sound(pqt_region_of_runs(NULL, 0, arena, &error), &error)),
                      0);
    ck_assert_uint_eq(pqt_region_count(sound(pqt_region_of_boxes(NULL, 0, arena, &error), &error)),
                      0);
}
END_TEST

START_TEST(images_that_cannot_be_are_refused)
{
    static const uint8_t data[64];
    const size_t huge = SIZE_MAX;
    const struct {
        pqt_byte_image image;
        pqt_pixel at;
        pqt_status status;
    } bad[] = {
        {{data, 4, 4, 4, 0, 0}, {0, 0}, PQT_ERROR_OPTION},
        {{NULL, 0, 0, 0, 0, 0}, {0, 0}, PQT_ERROR_OPTION},
        {{data, 4, 4, 3, 1, 0}, {0, 0}, PQT_ERROR_OPTION},
        {{data, 4, 4, 15, 4, 0}, {0, 0}, PQT_ERROR_OPTION},
        {{data, 4, 4, 0, 1, 0}, {0, 0}, PQT_ERROR_OPTION},
        {{data, 4, 4, huge, 1, 0}, {0, 0}, PQT_ERROR_OPTION},
        {{data, 4, 2, huge, huge / 2, 0}, {0, 0}, PQT_ERROR_OPTION},
        {{data, 4, 1, huge, 1, 0}, {0, 0}, PQT_OK},
        {{data, 4, 4, huge / 4, 1, 0}, {0, 0}, PQT_ERROR_OPTION},
        {{data, huge, 1, huge, 1, 0}, {0, 0}, PQT_ERROR_LIMIT},
        {{data, 1, huge, 1, 1, 0}, {0, 0}, PQT_ERROR_LIMIT},
        {{data, 2, 1, 2, 1, 0}, {LIMIT - 1, 0}, PQT_ERROR_LIMIT},
        {{data, 1, 2, 1, 1, 0}, {0, LIMIT - 1}, PQT_ERROR_LIMIT},
        {{data, 1, 1, 1, 1, 0}, {-LIMIT - 1, 0}, PQT_ERROR_LIMIT},
        {{data, 1, 1, 1, 1, 0}, {0, INT32_MIN}, PQT_ERROR_LIMIT},
        {{data, 1, 1, 1, 1, 0}, {INT32_MAX, INT32_MAX}, PQT_ERROR_LIMIT},
        {{data, 1, 1, 1, 1, 0}, {LIMIT - 1, -LIMIT}, PQT_OK},
        {{NULL, huge, 0, 0, 1, 0}, {INT32_MAX, 0}, PQT_OK},
        {{NULL, 0, huge, 0, 1, 0}, {INT32_MIN, 0}, PQT_OK},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pqt_error error = {0};
        const pqt_region *region = pqt_region_of_bytes(&bad[i].image, bad[i].at, arena, &error);
        if (bad[i].status == PQT_OK)
            ck_assert_uint_eq(pqt_region_count(sound(region, &error)), 0);
        else
            expect_failure(region, &error, bad[i].status, 0);
    }
}
END_TEST

START_TEST(bit_images_that_cannot_be_are_refused)
{
    static const uint8_t data[64];
    const size_t huge = SIZE_MAX;
    const struct {
        pqt_bit_image image;
        pqt_status status;
    } bad[] = {
        {{data, 8, 8, 1, (pqt_bit_order)0}, PQT_ERROR_OPTION},
        {{data, 8, 8, 1, (pqt_bit_order)3}, PQT_ERROR_OPTION},
        {{data, 9, 8, 1, PQT_BITS_LOW_FIRST}, PQT_ERROR_OPTION},
        {{data, 8, 8, 0, PQT_BITS_LOW_FIRST}, PQT_ERROR_OPTION},
        {{data, 8, 8, huge, PQT_BITS_LOW_FIRST}, PQT_ERROR_OPTION},
        {{data, huge, 8, huge, PQT_BITS_HIGH_FIRST}, PQT_ERROR_LIMIT},
        {{data, 8, huge, 1, PQT_BITS_HIGH_FIRST}, PQT_ERROR_LIMIT},
        {{data, 8, 8, 1, PQT_BITS_HIGH_FIRST}, PQT_OK},
        {{NULL, 0, huge, 0, PQT_BITS_HIGH_FIRST}, PQT_OK},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pqt_error error = {0};
        const pqt_region *region = pqt_region_of_bits(&bad[i].image, here, arena, &error);
        if (bad[i].status == PQT_OK)
            ck_assert_uint_eq(pqt_region_count(sound(region, &error)), 0);
        else
            expect_failure(region, &error, bad[i].status, 0);
    }
}
END_TEST

START_TEST(runs_and_boxes_that_cannot_be_are_refused)
{
    const struct {
        pqt_pixel_box box;
        pqt_status status;
    } bad[] = {
        {{{5, 0}, {4, 1}}, PQT_ERROR_BOX},
        {{{INT32_MAX, 0}, {INT32_MIN, 1}}, PQT_ERROR_BOX},
        {{{-LIMIT - 1, 0}, {0, 1}}, PQT_ERROR_LIMIT},
        {{{0, 0}, {LIMIT + 1, 1}}, PQT_ERROR_LIMIT},
        {{{0, LIMIT}, {1, LIMIT + 1}}, PQT_ERROR_LIMIT},
        {{{0, -LIMIT - 1}, {1, -LIMIT}}, PQT_ERROR_LIMIT},
        {{{INT32_MIN, INT32_MAX - 1}, {INT32_MAX, INT32_MAX}}, PQT_ERROR_LIMIT},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pqt_pixel_box box = bad[i].box;
        pqt_pixel_box boxes[2] = {{{0, 0}, {1, 1}}, box};
        pqt_pixel_run runs[2] = {{0, 0, 1}, {box.min.y, box.min.x, box.max.x}};
        pqt_error error = {0};
        expect_failure(pqt_region_of_boxes(boxes, 2, arena, &error), &error, bad[i].status, 1);
        error = (pqt_error){0};
        expect_failure(pqt_region_of_runs(runs, 2, arena, &error), &error, bad[i].status, 1);
    }
    pqt_pixel_box tall = box_of(0, 3, 1, 2);
    pqt_error error = {0};
    expect_failure(pqt_region_of_boxes(&tall, 1, arena, &error), &error, PQT_ERROR_BOX, 0);
    error = (pqt_error){0};
    pqt_pixel_run one = {0, 0, 1};
    expect_failure(pqt_region_of_runs(&one, (size_t)INT32_MAX + 1, arena, &error), &error,
                   PQT_ERROR_LIMIT, 0);
}
END_TEST

START_TEST(a_build_without_the_collector_wants_a_memory)
{
    pqt_error error = {0};
    const pqt_region *region = pqt_region_make(NULL, &error);
    if (pqt_collector() == NULL)
        expect_failure(region, &error, PQT_ERROR_UNSUPPORTED, 0);
    else
        ck_assert_ptr_eq(pqt_region_memory(sound(region, &error)), pqt_collector());
}
END_TEST

/* ---- paint ---- */

START_TEST(a_disc_of_half_a_pixel_is_one_pixel)
{
    const pqt_region *region =
        painted(nothing(), pqt_paint_disc(PQT_SET, (pqt_vec){7.5, -3.5}, 0.5));
    ck_assert_uint_eq(pqt_region_count(region), 1);
    ck_assert(pqt_region_contains(region, (pqt_pixel){7, -4}));
}
END_TEST

START_TEST(a_disc_has_the_pixels_whose_centres_it_has)
{
    /* Around a corner, four centres are sqrt(0.5) away. */
    const pqt_region *none = painted(nothing(), pqt_paint_disc(PQT_SET, (pqt_vec){0, 0}, 0.7));
    const pqt_region *four = painted(nothing(), pqt_paint_disc(PQT_SET, (pqt_vec){0, 0}, 0.708));
    ck_assert_uint_eq(pqt_region_count(none), 0);
    ck_assert_uint_eq(pqt_region_count(four), 4);
    expect_box(pqt_region_bounds(four), -1, -1, 1, 1);
    /* A centre that is exactly as far away as the radius belongs: 3, 4, 5. */
    const pqt_region *ring = painted(nothing(), pqt_paint_disc(PQT_SET, (pqt_vec){0.5, 0.5}, 5));
    ck_assert(pqt_region_contains(ring, (pqt_pixel){3, 4}));
    ck_assert(pqt_region_contains(ring, (pqt_pixel){-5, 0}));
    ck_assert(!pqt_region_contains(ring, (pqt_pixel){4, 4}));
}
END_TEST

START_TEST(a_stroke_without_width_has_the_centres_on_its_line)
{
    const pqt_region *region = painted(
        nothing(), pqt_paint_stroke(PQT_SET, (pqt_vec){0.5, 0.5}, (pqt_vec){99.5, 99.5}, 0));
    ck_assert_uint_eq(pqt_region_count(region), 100);
    for (int32_t i = 0; i < 100; i++)
        ck_assert(pqt_region_contains(region, (pqt_pixel){i, i}));
    const pqt_region *beside =
        painted(nothing(), pqt_paint_stroke(PQT_SET, (pqt_vec){0, 0.4}, (pqt_vec){99, 0.4}, 0));
    ck_assert_uint_eq(pqt_region_count(beside), 0);
}
END_TEST

/* Whether a row's span ends where the stroke does, looked at around both ends. */
static void
expect_exact_row(const pqt_paint *paint, const pqti_dab *dab, int32_t y)
{
    pqti_span span = pqti_dab_row(dab, y);
    if (span.from >= span.to)
        return;
    for (int32_t i = -2; i <= 2; i++) {
        ck_assert_msg(paint_has(paint, span.from + i, y) == (i >= 0 && span.from + i < span.to),
                      "row %d begins at %d", y, span.from);
        ck_assert_msg(paint_has(paint, span.to + i, y) == (i < 0 && span.to + i >= span.from),
                      "row %d ends at %d", y, span.to);
    }
}

/* A pixel that is not far from the edge of a stroke. */
static pqt_pixel
draw_pixel_near(dice *d, const pqt_paint *paint)
{
    const double dx = paint->to.x - paint->from.x, dy = paint->to.y - paint->from.y;
    const double length = hypot(dx, dy) + 1e-9, t = dice_real(d) * 1.1 - 0.05;
    const double away = paint->radius * (dice_chance(d, 50) ? -1 : 1) * dice_real(d) * 1.2;
    const double x = paint->from.x + t * dx - away * dy / length;
    const double y = paint->from.y + t * dy + away * dx / length;
    return (pqt_pixel){(int32_t)fmin(fmax(floor(x), -LIMIT), LIMIT - 1),
                       (int32_t)fmin(fmax(floor(y), -LIMIT), LIMIT - 1)};
}

/* What is said of a square is true of its corners, and of any of its pixels. */
static void
expect_true_cover(dice *d, const pqt_paint *paint, const pqti_dab *dab)
{
    const int level = PQTI_TILE_LEVEL + (int)dice_below(d, 12);
    const int32_t side = pqti_side(level);
    pqt_pixel near = draw_pixel_near(d, paint);
    pqti_plot plot = {near.x & ~(side - 1), near.y & ~(side - 1), level};
    pqti_cover cover = pqti_dab_covers(dab, plot);
    for (int i = 0; i < 8; i++) {
        int32_t x = plot.x + (i & 1 ? side - 1 : 0), y = plot.y + (i & 2 ? side - 1 : 0);
        if (i >= 4) {
            x = plot.x + (int32_t)dice_below(d, (size_t)side);
            y = plot.y + (int32_t)dice_below(d, (size_t)side);
        }
        if (paint_has(paint, x, y))
            ck_assert_msg(cover != PQTI_OUTSIDE, "%d, %d is outside", x, y);
        else
            ck_assert_msg(cover != PQTI_WHOLLY, "%d, %d is inside", x, y);
    }
}

/* A place: often at the very ends of the world, or beside another in one axis. */
static double
draw_place(dice *d, double other)
{
    static const double ends[] = {-LIMIT, LIMIT, 0, LIMIT - 0.5, -LIMIT + 1 / 1024.0};
    if (dice_chance(d, 40))
        return ends[dice_below(d, sizeof ends / sizeof *ends)];
    if (dice_chance(d, 20))
        return other;
    return (dice_real(d) - 0.5) * 2 * LIMIT;
}

START_TEST(strokes_are_exact_to_the_ends_of_the_world)
{
    dice d = {test_seed("strokes_are_exact_to_the_ends_of_the_world")};
    for (size_t i = 0; i < test_scaled(20000); i++) {
        pqt_vec from = {draw_place(&d, 0), draw_place(&d, 0)};
        pqt_vec to = {draw_place(&d, from.x), draw_place(&d, from.y)};
        double radius = dice_real(&d) * (dice_chance(&d, 50) ? 3 : LIMIT);
        pqt_paint paint =
            pqt_paint_stroke(PQT_CLEAR, from, to, dice_chance(&d, 5) ? LIMIT : radius);
        pqti_dab dab;
        pqt_error error = {0};
        ck_assert_msg(pqti_dab_of(&paint, 0, &dab, &error), "%s", error.text);
        for (int k = 0; k < 5; k++) {
            pqt_pixel near = draw_pixel_near(&d, &paint);
            pqti_span span = pqti_dab_row(&dab, near.y);
            expect_exact_row(&paint, &dab, near.y);
            ck_assert(paint_has(&paint, near.x, near.y) ==
                      (span.from <= near.x && near.x < span.to));
            expect_true_cover(&d, &paint, &dab);
        }
    }
}
END_TEST

/* 2^60 - 1, the square of half the width, is no double: its root is first taken to be 2^30. */
START_TEST(the_largest_disc_is_exact_too)
{
    pqt_paint paint = pqt_paint_disc(PQT_CLEAR, (pqt_vec){0.5, 513.0 / 1024}, LIMIT);
    pqti_dab dab;
    ck_assert(pqti_dab_of(&paint, 0, &dab, NULL));
    expect_exact_row(&paint, &dab, 0);
    pqti_span span = pqti_dab_row(&dab, 0);
    ck_assert_int_eq(span.from, 1 - LIMIT);
    ck_assert_int_eq(span.to, LIMIT);
}
END_TEST

/* Squares that are looked at to paint a shape, and tiles among them that are painted row by row. */
typedef struct looked {
    size_t squares, tiles;
} looked;

static void
look(const pqti_dab *dab, pqti_plot plot, looked *at)
{
    at->squares++;
    if (pqti_dab_covers(dab, plot) != PQTI_PARTLY)
        return;
    if (plot.level == PQTI_TILE_LEVEL) {
        at->tiles++;
        return;
    }
    for (int i = 0; i < 4; i++)
        look(dab, pqti_child_plot(plot, i), at);
}

/* The edge of a convex shape crosses a column or a row of tiles twice, and half as often again where
   it comes by their corners. */
START_TEST(a_stroke_is_looked_for_along_its_edge)
{
    dice d = {test_seed("a_stroke_is_looked_for_along_its_edge")};
    for (int i = 0; i < 60; i++) {
        const double far = LIMIT / 8, radius = dice_real(&d) * far;
        pqt_vec from = {dice_real(&d) * far, dice_real(&d) * far};
        pqt_vec to = {dice_real(&d) * far, dice_real(&d) * far};
        pqt_paint paint = pqt_paint_stroke(PQT_CLEAR, from, i % 2 == 0 ? from : to, radius);
        pqti_dab dab;
        looked at = {0, 0};
        ck_assert(pqti_dab_of(&paint, 0, &dab, NULL));
        for (int quadrant = 0; quadrant < 4; quadrant++)
            look(&dab, pqti_quadrant_plot(PQTI_TOP_LEVEL, quadrant), &at);
        const int32_t size = dab.box.max.x - dab.box.min.x + dab.box.max.y - dab.box.min.y;
        ck_assert_uint_le(at.tiles, 3 * (size_t)size / PQTI_TILE_SIDE + 8);
        ck_assert_uint_le(at.squares, 8 * at.tiles + 8 * PQTI_TOP_LEVEL);
    }
}
END_TEST

START_TEST(a_stroke_across_the_world_leaves_two_parts)
{
    const pqt_region *all = boxed(box_of(-LIMIT, -LIMIT, LIMIT, LIMIT));
    pqt_paint paint =
        pqt_paint_stroke(PQT_CLEAR, (pqt_vec){-LIMIT, -LIMIT}, (pqt_vec){LIMIT, LIMIT}, 2);
    const pqt_region *cut = pqt_region_paint(all, paint, NULL);
    /* In each row 5 pixels are within 2 of the diagonal; none is missing but 3 at each end. */
    ck_assert_uint_eq(pqt_region_count(all) - pqt_region_count(cut), 5 * UINT64_C(2) * LIMIT - 6);
    ck_assert(!pqt_region_contains(cut, (pqt_pixel){1000, 1002}));
    ck_assert(pqt_region_contains(cut, (pqt_pixel){1000, 1003}));
}
END_TEST

START_TEST(regions_reach_to_the_limit_and_no_farther)
{
    static const pqt_pixel corners[] = {
        {-LIMIT, -LIMIT}, {LIMIT - 1, -LIMIT}, {-LIMIT, LIMIT - 1}, {LIMIT - 1, LIMIT - 1}};
    static const pqt_pixel beyond[] = {{-LIMIT - 1, 0}, {LIMIT, 0},         {0, -LIMIT - 1},
                                       {0, LIMIT},      {INT32_MIN, 0},     {0, INT32_MIN},
                                       {INT32_MAX, 0},  {INT32_MAX, LIMIT}, {0, INT32_MAX}};
    const pqt_region *region = nothing();
    for (int i = 0; i < 4; i++)
        region = painted(region, pqt_paint_pixel(PQT_SET, corners[i]));
    expect_box(pqt_region_bounds(region), -LIMIT, -LIMIT, LIMIT, LIMIT);
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        pqt_error error = {0};
        expect_failure(pqt_region_paint(region, pqt_paint_pixel(PQT_SET, beyond[i]), &error),
                       &error, PQT_ERROR_LIMIT, 0);
        error = (pqt_error){0};
        expect_failure(pqt_region_paint(region, pqt_paint_pixel(PQT_TOGGLE, beyond[i]), &error),
                       &error, PQT_ERROR_LIMIT, 0);
        ck_assert_ptr_eq(painted(region, pqt_paint_pixel(PQT_CLEAR, beyond[i])), region);
        ck_assert(!pqt_region_contains(region, beyond[i]));
    }
    for (int i = 0; i < 4; i++)
        region = painted(region, pqt_paint_pixel(PQT_TOGGLE, corners[i]));
    ck_assert_int_eq(pqt_region_get_stats(region).level, 6);
    const pqt_region *all = boxed(box_of(-LIMIT, -LIMIT, LIMIT, LIMIT));
    ck_assert_uint_eq(pqt_region_count(all), UINT64_C(1) << 42);
    const pqt_region *erased =
        painted(all, pqt_paint_box(PQT_CLEAR, box_of(INT32_MIN, INT32_MIN, 0, INT32_MAX)));
    ck_assert_uint_eq(pqt_region_count(erased), UINT64_C(1) << 41);
}
END_TEST

START_TEST(paint_that_cannot_be_is_refused)
{
    const pqt_vec a = {0, 0}, b = {1, 2};
    const struct {
        pqt_paint paint;
        pqt_status status;
    } bad[] = {
        {pqt_paint_box(PQT_SET, box_of(3, 0, 2, 0)), PQT_ERROR_BOX},
        {pqt_paint_box(PQT_CLEAR, box_of(0, 3, 1, 2)), PQT_ERROR_BOX},
        {pqt_paint_box((pqt_ink)0, box_of(0, 0, 1, 1)), PQT_ERROR_OPTION},
        {pqt_paint_box((pqt_ink)4, box_of(0, 0, 1, 1)), PQT_ERROR_OPTION},
        {{.ink = PQT_SET}, PQT_ERROR_OPTION},
        {{.ink = PQT_SET, .shape = (pqt_paint_shape)3}, PQT_ERROR_OPTION},
        {pqt_paint_disc(PQT_SET, a, -1), PQT_ERROR_OPTION},
        {pqt_paint_disc(PQT_SET, a, -INFINITY), PQT_ERROR_OPTION},
        {pqt_paint_disc(PQT_SET, a, NAN), PQT_ERROR_OPTION},
        {pqt_paint_disc(PQT_CLEAR, a, INFINITY), PQT_ERROR_LIMIT},
        {pqt_paint_disc(PQT_CLEAR, a, LIMIT + 0.5), PQT_ERROR_LIMIT},
        {pqt_paint_disc(PQT_SET, (pqt_vec){NAN, 0}, 1), PQT_ERROR_OPTION},
        {pqt_paint_disc(PQT_SET, (pqt_vec){0, NAN}, 1), PQT_ERROR_OPTION},
        {pqt_paint_disc(PQT_CLEAR, (pqt_vec){INFINITY, 0}, 1), PQT_ERROR_LIMIT},
        {pqt_paint_disc(PQT_CLEAR, (pqt_vec){0, -1e300}, 1), PQT_ERROR_LIMIT},
        {pqt_paint_disc(PQT_SET, (pqt_vec){LIMIT, 0}, 1), PQT_ERROR_LIMIT},
        {pqt_paint_stroke(PQT_SET, a, (pqt_vec){0, NAN}, 1), PQT_ERROR_OPTION},
        {pqt_paint_stroke(PQT_SET, b, (pqt_vec){-LIMIT - 1.0, 0}, 1), PQT_ERROR_LIMIT},
        {pqt_paint_box(PQT_TOGGLE, box_of(0, 0, LIMIT + 1, 1)), PQT_ERROR_LIMIT},
    };
    const pqt_region *region = boxed(box_of(0, 0, 10, 10));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pqt_paint paints[3] = {pqt_paint_disc(PQT_SET, b, 4), pqt_paint_pixel(PQT_CLEAR, here),
                               bad[i].paint};
        pqt_error error = {0};
        expect_failure(pqt_region_paint(region, bad[i].paint, &error), &error, bad[i].status, 0);
        error = (pqt_error){0};
        expect_failure(pqt_region_paint_all(region, paints, 3, &error), &error, bad[i].status, 2);
    }
    ck_assert_uint_eq(pqt_region_count(sound(region, NULL)), 100);
}
END_TEST

START_TEST(what_changes_nothing_is_the_same_version_and_allocates_nothing)
{
    const pqt_region *region = region_of(NOISE, 300, 300, (pqt_pixel){-150, -150}, arena);
    pqt_region const *solid = boxed(box_of(0, 0, 128, 128));
    const pqt_paint twice[2] = {pqt_paint_box(PQT_TOGGLE, box_of(-64, -64, 64, 64)),
                                pqt_paint_box(PQT_TOGGLE, box_of(-64, -64, 64, 64))};
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    ck_assert_ptr_eq(pqt_region_paint(solid, pqt_paint_pixel(PQT_SET, here), NULL), solid);
    ck_assert_ptr_eq(pqt_region_paint(solid, pqt_paint_pixel(PQT_CLEAR, (pqt_pixel){-1, 0}), NULL),
                     solid);
    ck_assert_ptr_eq(pqt_region_paint(solid, pqt_paint_disc(PQT_SET, (pqt_vec){64, 64}, 60), NULL),
                     solid);
    ck_assert_ptr_eq(pqt_region_paint(solid, pqt_paint_box(PQT_TOGGLE, box_of(9, 9, 9, 12)), NULL),
                     solid);
    ck_assert_ptr_eq(pqt_region_paint_all(solid, NULL, 0, NULL), solid);
    ck_assert_ptr_eq(pqt_region_union(region, region, here, NULL), region);
    ck_assert_ptr_eq(pqt_region_intersection(region, region, here, NULL), region);
    ck_assert_ptr_eq(pqt_region_move(region, here, NULL), region);
    ck_assert_ptr_eq(pqt_region_crop(region, box_of(-150, -150, 150, 150), NULL), region);
    ck_assert_ptr_eq(
        pqt_region_crop(region, box_of(INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX), NULL), region);
    ck_assert_ptr_eq(pqt_region_copy(region, arena, NULL), region);
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
    hooks_start(&watch);
    ck_assert_ptr_eq(pqt_region_paint_all(region, twice, 2, NULL), region);
    hooks_stop();
    ck_assert_uint_eq(hooks_kept_blocks(&watch), 0);
}
END_TEST

/* ---- two regions ---- */

START_TEST(a_union_with_a_part_is_the_whole)
{
    const pqt_region *whole = region_of(NOISE, 200, 200, here, arena);
    const pqt_region *part = pqt_region_crop(whole, box_of(20, 30, 170, 180), NULL);
    ck_assert_ptr_ne(part, whole);
    ck_assert_ptr_eq(pqt_region_union(whole, part, here, NULL), whole);
    ck_assert_ptr_eq(pqt_region_union(part, whole, here, NULL), whole);
    ck_assert_ptr_eq(pqt_region_intersection(whole, part, here, NULL), part);
    ck_assert_ptr_eq(pqt_region_intersection(part, whole, here, NULL), part);
    ck_assert_ptr_eq(pqt_region_union(whole, nothing(), (pqt_pixel){INT32_MAX, 0}, NULL), whole);
    ck_assert_ptr_eq(pqt_region_difference(part, nothing(), here, NULL), part);
    ck_assert_ptr_eq(pqt_region_xor(nothing(), part, here, NULL), part);
    ck_assert_uint_eq(pqt_region_count(pqt_region_xor(part, part, here, NULL)), 0);
}
END_TEST

START_TEST(offsets_may_be_as_far_as_numbers_go)
{
    static const int32_t far[] = {INT32_MIN, INT32_MIN + 1, -2 * LIMIT, 2 * LIMIT, INT32_MAX};
    const pqt_region *a = boxed(box_of(-5, -5, 5, 5)), *b = boxed(box_of(0, 0, 70, 1));
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        pqt_pixel offset = {i % 2 == 0 ? far[i] : 0, i % 2 == 0 ? 0 : far[i]};
        pqt_error error = {0};
        const pqt_region *common = pqt_region_intersection(a, b, offset, &error);
        ck_assert_uint_eq(pqt_region_count(sound(common, &error)), 0);
        ck_assert_ptr_eq(pqt_region_difference(a, b, offset, &error), a);
        expect_failure(pqt_region_union(a, b, offset, &error), &error, PQT_ERROR_LIMIT, 0);
        error = (pqt_error){0};
        expect_failure(pqt_region_xor(a, b, offset, &error), &error, PQT_ERROR_LIMIT, 0);
        error = (pqt_error){0};
        expect_failure(pqt_region_move(b, offset, &error), &error, PQT_ERROR_LIMIT, 0);
    }
    pqt_error error = {0};
    const pqt_region *last = pqt_region_move(b, (pqt_pixel){LIMIT - 70, LIMIT - 1}, &error);
    expect_box(pqt_region_bounds(sound(last, &error)), LIMIT - 70, LIMIT - 1, LIMIT, LIMIT);
    const pqt_region *first =
        pqt_region_move(last, (pqt_pixel){70 - 2 * LIMIT, 1 - 2 * LIMIT}, &error);
    expect_box(pqt_region_bounds(sound(first, &error)), -LIMIT, -LIMIT, 70 - LIMIT, 1 - LIMIT);
    ck_assert_ptr_null(pqt_region_move(b, (pqt_pixel){LIMIT - 69, 0}, NULL));
    ck_assert(pqt_region_equals(pqt_region_move(first, (pqt_pixel){LIMIT, LIMIT}, NULL), b));
}
END_TEST

START_TEST(regions_of_two_memories_are_not_joined)
{
    pqt_error error = {0};
    pqt_memory *other = pqt_arena_make(0, &error);
    const pqt_region *a = boxed(box_of(0, 0, 70, 70));
    const pqt_region *b = pqt_region_copy(a, other, &error);
    ck_assert_ptr_eq(pqt_region_memory(sound(b, &error)), other);
    ck_assert(pqt_region_equals(a, b));
    ck_assert_uint_eq(pqt_region_shared_bytes(a, b), 0);
    expect_failure(pqt_region_union(a, b, here, &error), &error, PQT_ERROR_MISMATCH, 0);
    error = (pqt_error){0};
    expect_failure(pqt_region_intersection(a, b, here, &error), &error, PQT_ERROR_MISMATCH, 0);
    error = (pqt_error){0};
    expect_failure(pqt_region_difference(a, b, here, &error), &error, PQT_ERROR_MISMATCH, 0);
    error = (pqt_error){0};
    expect_failure(pqt_region_xor(a, b, here, &error), &error, PQT_ERROR_MISMATCH, 0);
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(a_complement_stays_within_its_box)
{
    pqt_error error = {0};
    const pqt_region *hole = boxed(box_of(100, 100, 200, 200));
    const pqt_region *frame = pqt_region_complement(hole, box_of(0, 0, 256, 256), &error);
    ck_assert_uint_eq(pqt_region_count(sound(frame, &error)), 256 * 256 - 100 * 100);
    ck_assert(
        pqt_region_equals(pqt_region_complement(frame, box_of(0, 0, 256, 256), &error), hole));
    const pqt_region *none = pqt_region_complement(hole, box_of(3, 4, 3, 9), &error);
    ck_assert_uint_eq(pqt_region_count(sound(none, &error)), 0);
    const pqt_region *far =
        pqt_region_complement(hole, box_of(-LIMIT, -LIMIT, LIMIT, LIMIT), &error);
    ck_assert_uint_eq(pqt_region_count(sound(far, &error)), (UINT64_C(1) << 42) - 10000);
    expect_failure(pqt_region_complement(hole, box_of(1, 0, 0, 1), &error), &error, PQT_ERROR_BOX,
                   0);
    error = (pqt_error){0};
    expect_failure(pqt_region_complement(hole, box_of(0, 0, LIMIT + 1, 1), &error), &error,
                   PQT_ERROR_LIMIT, 0);
    error = (pqt_error){0};
    expect_failure(pqt_region_crop(hole, box_of(0, 1, 1, 0), &error), &error, PQT_ERROR_BOX, 0);
}
END_TEST

/* ---- failures passed on ---- */

START_TEST(a_failure_is_passed_on_and_the_first_one_stays)
{
    pqt_error error = {0};
    const pqt_region *good = boxed(box_of(0, 0, 3, 3));
    const pqt_region *region =
        pqt_region_paint(good, pqt_paint_box(PQT_SET, box_of(2, 0, 1, 0)), &error);
    region = pqt_region_paint(region, pqt_paint_pixel(PQT_SET, (pqt_pixel){LIMIT, 0}), &error);
    region = pqt_region_union(region, good, here, &error);
    region = pqt_region_union(good, region, here, &error);
    region = pqt_region_move(region, here, &error);
    region = pqt_region_crop(region, box_of(0, 0, 1, 1), &error);
    region = pqt_region_complement(region, box_of(0, 0, 1, 1), &error);
    region = pqt_region_copy(region, arena, &error);
    region = pqt_region_paint_all(region, NULL, 0, &error);
    expect_failure(region, &error, PQT_ERROR_BOX, 0);
    ck_assert_ptr_null(pqt_region_pin(region, &error));
    ck_assert(!pqt_region_check(region, &error));
    uint8_t byte = 7;
    ck_assert(!pqt_region_to_bytes(region, box_of(0, 0, 1, 1), &byte, 1, 1, &error));
    ck_assert_int_eq(byte, 7);
    expect_failure(pqt_region_make(arena, &error), &error, PQT_ERROR_BOX, 0);
    pqt_byte_image image = {&byte, 1, 1, 1, 1, 0};
    pqt_bit_image bits = {&byte, 1, 1, 1, PQT_BITS_LOW_FIRST};
    ck_assert_ptr_null(pqt_region_of_bytes(&image, here, arena, &error));
    ck_assert_ptr_null(pqt_region_of_bits(&bits, here, arena, &error));
    ck_assert_ptr_null(pqt_region_of_runs(NULL, 0, arena, &error));
    ck_assert_ptr_null(pqt_region_of_boxes(NULL, 0, arena, &error));
    const pqt_region *kept = NULL;
    ck_assert(!pqt_region_copy_all(&good, 1, arena, &kept, &error));
    ck_assert_ptr_null(kept);
    ck_assert_ptr_null(pqt_region_paint(NULL, pqt_paint_pixel(PQT_SET, here), NULL));
}
END_TEST

START_TEST(null_without_a_failure_is_a_mistake)
{
    pqt_error error = {0};
    (void)!pqt_region_paint(NULL, pqt_paint_pixel(PQT_SET, here), &error);
}
END_TEST

START_TEST(paints_that_are_null_are_a_mistake)
{
    (void)!pqt_region_paint_all(nothing(), NULL, 1, NULL);
}
END_TEST

START_TEST(an_image_without_data_is_a_mistake)
{
    pqt_byte_image image = {NULL, 1, 1, 1, 1, 0};
    (void)!pqt_region_of_bytes(&image, here, arena, NULL);
}
END_TEST

START_TEST(asking_null_is_a_mistake)
{
    pqt_region_count(NULL);
}
END_TEST

START_TEST(damage_without_room_is_a_mistake)
{
    pqt_pixel_box box;
    pqt_region_damage(nothing(), nothing(), &box, 0);
}
END_TEST

/* ---- asking and out ---- */

START_TEST(equal_sets_have_equal_fingerprints_on_every_machine)
{
    const pqt_region *disc = painted(nothing(), pqt_paint_disc(PQT_SET, (pqt_vec){10, 20}, 7));
    const pqt_region *solid = boxed(box_of(0, 0, 64, 64));
    const pqt_region *larger = boxed(box_of(0, 0, 128, 128));
    const pqt_region *noise = region_of(NOISE, 300, 200, (pqt_pixel){-100, -50}, arena);
    ck_assert_uint_eq(pqt_region_fingerprint(nothing()), UINT64_C(0xd0486de84459b016));
    ck_assert_uint_eq(pqt_region_fingerprint(disc), UINT64_C(0xa6d08c941fae4c9b));
    ck_assert_uint_eq(pqt_region_fingerprint(solid), UINT64_C(0x7ad9d44f507917ec));
    ck_assert_uint_eq(pqt_region_fingerprint(noise), UINT64_C(0xb7248e8b4b232962));
    ck_assert_uint_ne(pqt_region_fingerprint(solid), pqt_region_fingerprint(larger));
    ck_assert(!pqt_region_equals(solid, larger));
    /* The same tile in another quadrant, and at another level. */
    pqt_pixel moves[] = {{-64, 0}, {0, -64}, {64, 64}, {128, 128}};
    for (int i = 0; i < 4; i++)
        ck_assert_uint_ne(pqt_region_fingerprint(pqt_region_move(disc, moves[i], NULL)),
                          pqt_region_fingerprint(disc));
}
END_TEST

/* Versions whose fingerprints were made equal, as by accident, are told apart all the same. */
START_TEST(equality_does_not_rest_on_fingerprints)
{
    for (int32_t far = 0; far <= 64; far += 64) {
        const pqt_region *a =
            painted(nothing(), pqt_paint_pixel(PQT_SET, (pqt_pixel){1 + far, far}));
        const pqt_region *b =
            painted(nothing(), pqt_paint_pixel(PQT_SET, (pqt_pixel){2 + far, far}));
        const pqti_square *in_a = a->quadrant[3], *in_b = b->quadrant[3];
        ck_assert(!pqt_region_equals(a, b));
        ((pqt_region *)(uintptr_t)b)->mixes = a->mixes;
        ck_assert(!pqt_region_equals(a, b));
        ((pqti_square *)(uintptr_t)in_b)->fingerprint = in_a->fingerprint;
        ck_assert(!pqt_region_equals(a, b));
        if (far == 0)
            continue;
        const pqti_square *tile_a = ((const pqti_quad *)in_a)->child[3];
        const pqti_square *tile_b = ((const pqti_quad *)in_b)->child[3];
        ((pqti_square *)(uintptr_t)tile_b)->fingerprint = tile_a->fingerprint;
        ck_assert(!pqt_region_equals(a, b));
    }
}
END_TEST

typedef struct stopper {
    size_t seen, most;
} stopper;

static bool
stop_at_run(const pqt_pixel_run *run, void *context)
{
    stopper *s = context;
    ck_assert_int_lt(run->min_x, run->max_x);
    return ++s->seen < s->most;
}

static bool
stop_at_box(const pqt_pixel_box *box, void *context)
{
    stopper *s = context;
    ck_assert_int_lt(box->min.x, box->max.x);
    return ++s->seen < s->most;
}

static bool
stop_at_region(const pqt_region *region, void *context)
{
    stopper *s = context;
    sound(region, NULL);
    return ++s->seen < s->most;
}

static bool
stop_at_square(const pqt_square *square, void *context)
{
    stopper *s = context;
    ck_assert_uint_gt(square->count, 0);
    return ++s->seen < s->most;
}

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
        ck_assert(!pqt_region_diff(region, nothing(), stop_at_box, &s));
        ck_assert_uint_eq(s.seen, most);
        s.seen = 0;
        ck_assert(!pqt_region_visit_squares(region, stop_at_square, &s));
        ck_assert_uint_eq(s.seen, most);
    }
    stopper none = {0, 1};
    ck_assert(pqt_region_visit_runs(region, box_of(5, 5, 5, 9), stop_at_run, &none));
    ck_assert(pqt_region_visit_boxes(region, box_of(9, 9, 5, 5), stop_at_box, &none));
    ck_assert(pqt_region_diff(region, region, stop_at_box, &none));
    ck_assert_uint_eq(none.seen, 0);
}
END_TEST

static bool
keep_box(const pqt_pixel_box *box, void *context)
{
    *(pqt_pixel_box *)context = *box;
    return true;
}

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

START_TEST(squares_and_stats_tell_the_same)
{
    const pqt_region *region = painted(nothing(), pqt_paint_disc(PQT_SET, (pqt_vec){20, 30}, 500));
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

START_TEST(damage_is_joined_where_there_is_too_little_room)
{
    const pqt_region *before = nothing(), *after = before;
    pqt_pixel_box boxes[4];
    static const pqt_pixel spots[] = {{5, 5}, {70, 5}, {1000, 1000}, {1070, 1000}, {-500, 9}};
    for (int i = 0; i < 5; i++)
        after = painted(after, pqt_paint_pixel(PQT_SET, spots[i]));
    ck_assert_uint_eq(pqt_region_damage(before, after, boxes, 4), 4);
    ck_assert_uint_eq(pqt_region_damage(before, before, boxes, 4), 0);
    ck_assert_uint_eq(pqt_region_damage(before, after, boxes, 1), 1);
    expect_box(boxes[0], -500, 5, 1071, 1001);
    ck_assert_uint_eq(pqt_region_damage(after, before, boxes, 3), 3);
    expect_box(boxes[0], -500, 9, -499, 10); /* in Z order the left quadrant comes first */
    expect_box(boxes[1], 5, 5, 6, 6);
    expect_box(boxes[2], 70, 5, 1071, 1001);
}
END_TEST

START_TEST(a_pin_keeps_a_version)
{
    pqt_error error = {0};
    pqt_memory *memory = pqt_collector() != NULL ? pqt_collector() : arena;
    const pqt_region *region = region_of(NOISE, 200, 200, here, memory);
    const uint64_t fingerprint = pqt_region_fingerprint(region);
    pqt_pin **hidden = malloc(sizeof *hidden);
    *hidden = pqt_region_pin(region, &error);
    ck_assert_msg(*hidden != NULL, "%s", error.text);
    region = NULL;
    for (int i = 0; i < 3; i++) {
        pqti_collect(memory);
        (void)region_of(CHECKERBOARD, 200, 200, here, memory);
    }
    ck_assert_uint_eq(pqt_region_fingerprint(sound(pqt_pin_region(*hidden), &error)), fingerprint);
    pqt_unpin(hidden);
    free(hidden);
}
END_TEST

/* ---- check ---- */

/* Whether check finds a word that was changed. */
static void
expect_found(const pqt_region *region, const void *at, uint64_t change)
{
    pqt_error error = {0};
    uint64_t *word = (uint64_t *)(uintptr_t)at;
    *word ^= change;
    ck_assert(!pqt_region_check(region, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_BROKEN);
    ck_assert_uint_gt(strlen(error.text), 10);
    *word ^= change;
    ck_assert(pqt_region_check(region, NULL));
}

START_TEST(check_finds_every_word_that_was_changed)
{
    const pqt_region *region = region_of(NOISE, 200, 200, (pqt_pixel){-100, -100}, arena);
    const pqti_quad *quad = (const pqti_quad *)region->quadrant[3];
    const pqti_tile *tile = (const pqti_tile *)quad->child[0];
    for (int y = 0; y < 64; y++)
        expect_found(region, &tile->rows[y], UINT64_C(1) << y);
    expect_found(region, &tile->square, 1);
    expect_found(region, &tile->count, 1);
    expect_found(region, &tile->occupied, 1);
    expect_found(region, &tile->full, 1);
    expect_found(region, &quad->square, 1);
    expect_found(region, &quad->count, 1);
    expect_found(region, &quad->child[1], (uintptr_t)quad->child[1] ^ (uintptr_t)PQTI_EMPTY);
    expect_found(region, &quad->child[1], (uintptr_t)quad->child[1] ^ (uintptr_t)PQTI_OUTER(0));
    expect_found(region, &quad->child[1], (uintptr_t)quad->child[1] ^ (uintptr_t)quad->child[2]);
    expect_found(region, &quad->child[1], (uintptr_t)quad->child[1]);
    expect_found(region, &region->quadrant[1],
                 (uintptr_t)region->quadrant[1] ^ (uintptr_t)region->quadrant[2]);
    expect_found(region, &region->count, 1);
    expect_found(region, &region->mixes, 1);
    expect_found(region, &region->memory, (uintptr_t)region->memory);
    expect_found(region, &region->level, 7 ^ 5);
    expect_found(region, &region->level, 7 ^ 21);
}
END_TEST

START_TEST(check_finds_squares_that_should_be_marks_and_levels_too_many)
{
    const pqt_region *region = region_of(NOISE, 128, 128, here, arena);
    pqti_quad *quad = (pqti_quad *)(uintptr_t)region->quadrant[3];
    pqti_tile *tile = (pqti_tile *)(uintptr_t)quad->child[0];
    pqt_error error = {0};
    pqt_region larger = *region;
    pqti_quad around = {.square.fingerprint = 0};
    for (int i = 0; i < 4; i++)
        around.child[i] = PQTI_EMPTY;
    around.child[0] = &quad->square;
    around.count = quad->count;
    for (int i = 0; i < 4; i++)
        around.square.fingerprint += pqti_child_mix(around.child[i]->fingerprint, i);
    larger.level++;
    larger.mixes +=
        pqti_child_mix(around.square.fingerprint, 3) - pqti_child_mix(quad->square.fingerprint, 3);
    larger.quadrant[3] = &around.square;
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

/* ---- forms ---- */

START_TEST(forms_that_cannot_be_are_refused)
{
    const pqt_region *region = boxed(box_of(-3, -3, 3, 3));
    const pqt_neighbours none[] = {(pqt_neighbours)0, (pqt_neighbours)5, (pqt_neighbours)-8};
    for (int i = 0; i < 3; i++) {
        pqt_error error = {0};
        stopper s = {0, 1};
        expect_failure(pqt_region_dilate(region, 1, none[i], &error), &error, PQT_ERROR_OPTION, 0);
        error = (pqt_error){0};
        expect_failure(pqt_region_erode(region, 1, none[i], &error), &error, PQT_ERROR_OPTION, 0);
        error = (pqt_error){0};
        expect_failure(pqt_region_outline(region, none[i], &error), &error, PQT_ERROR_OPTION, 0);
        error = (pqt_error){0};
        expect_failure(pqt_region_component(region, here, none[i], &error), &error,
                       PQT_ERROR_OPTION, 0);
        error = (pqt_error){0};
        ck_assert(!pqt_region_visit_components(region, none[i], stop_at_region, &s, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
        ck_assert_uint_eq(s.seen, 0);
    }
    for (int turn = -1; turn < 10; turn += 9) {
        pqt_error error = {0};
        expect_failure(pqt_region_turn(region, (pqt_turn)turn, &error), &error, PQT_ERROR_OPTION,
                       0);
    }
    const int32_t factors[][2] = {{0, 1}, {1, 0}, {-1, 1}, {1, INT32_MIN}};
    for (int i = 0; i < 4; i++) {
        pqt_error error = {0};
        expect_failure(pqt_region_scale(region, factors[i][0], factors[i][1], &error), &error,
                       PQT_ERROR_OPTION, 0);
    }
    pqt_error error = {0};
    expect_failure(pqt_region_dilate(region, -1, PQT_NEIGHBOURS_4, &error), &error,
                   PQT_ERROR_OPTION, 0);
    error = (pqt_error){0};
    expect_failure(pqt_region_scale(region, 1, INT32_MAX, &error), &error, PQT_ERROR_LIMIT, 0);
    error = (pqt_error){0};
    expect_failure(pqt_region_dilate(region, INT32_MAX, PQT_NEIGHBOURS_8, &error), &error,
                   PQT_ERROR_LIMIT, 0);
    ck_assert_ptr_nonnull(strstr(error.text, "steps: 2147483647"));
    ck_assert_ptr_null(pqt_region_dilate(region, LIMIT, PQT_NEIGHBOURS_4, NULL));
}
END_TEST

START_TEST(forms_of_nothing_are_nothing)
{
    const pqt_region *none = nothing();
    pqt_error error = {0};
    stopper s = {0, SIZE_MAX};
    ck_assert_ptr_eq(pqt_region_dilate(none, INT32_MAX, PQT_NEIGHBOURS_8, &error), none);
    ck_assert_ptr_eq(pqt_region_erode(none, INT32_MAX, PQT_NEIGHBOURS_4, &error), none);
    ck_assert_ptr_eq(pqt_region_outline(none, PQT_NEIGHBOURS_4, &error), none);
    ck_assert_ptr_eq(pqt_region_turn(none, PQT_TURN_90, &error), none);
    ck_assert_ptr_eq(pqt_region_scale(none, INT32_MAX, 5, &error), none);
    ck_assert_ptr_eq(pqt_region_component(none, here, PQT_NEIGHBOURS_4, &error), none);
    ck_assert(pqt_region_visit_components(none, PQT_NEIGHBOURS_4, stop_at_region, &s, &error));
    ck_assert_uint_eq(s.seen, 0);
    ck_assert_int_eq(error.status, PQT_OK);
}
END_TEST

START_TEST(a_box_grows_to_a_box_and_shrinks_back)
{
    const pqt_region *box = boxed(box_of(-10, 20, 90, 50));
    const pqt_region *larger = pqt_region_dilate(box, 1000, PQT_NEIGHBOURS_8, NULL);
    sound(larger, NULL);
    ck_assert(pqt_region_equals(larger, boxed(box_of(-1010, -980, 1090, 1050))));
    ck_assert(pqt_region_equals(pqt_region_erode(larger, 1000, PQT_NEIGHBOURS_8, NULL), box));
    ck_assert_uint_eq(pqt_region_count(pqt_region_erode(box, 15, PQT_NEIGHBOURS_8, NULL)), 0);
    ck_assert_uint_eq(pqt_region_count(pqt_region_erode(box, INT32_MAX, PQT_NEIGHBOURS_4, NULL)),
                      0);
    const pqt_region *rim = pqt_region_outline(box, PQT_NEIGHBOURS_4, NULL);
    ck_assert_uint_eq(pqt_region_count(sound(rim, NULL)), 2 * 100 + 2 * 28);
    ck_assert_ptr_eq(pqt_region_outline(rim, PQT_NEIGHBOURS_4, NULL), rim);
}
END_TEST

START_TEST(a_pixel_grows_to_a_diamond)
{
    const pqt_region *pixel = painted(nothing(), pqt_paint_pixel(PQT_SET, (pqt_pixel){-1, 70}));
    for (int32_t steps = 0; steps < 200; steps += 1 + steps / 5) {
        const pqt_region *diamond = pqt_region_dilate(pixel, steps, PQT_NEIGHBOURS_4, NULL);
        ck_assert_uint_eq(pqt_region_count(sound(diamond, NULL)),
                          2 * (uint64_t)steps * (uint64_t)(steps + 1) + 1);
        expect_box(pqt_region_bounds(diamond), -1 - steps, 70 - steps, steps, 71 + steps);
        ck_assert(
            pqt_region_equals(pqt_region_erode(diamond, steps, PQT_NEIGHBOURS_4, NULL), pixel));
    }
}
END_TEST

START_TEST(at_the_limit_outside_begins)
{
    const pqt_region *all = boxed(box_of(-LIMIT, -LIMIT, LIMIT, LIMIT));
    const pqt_region *inner = pqt_region_erode(all, 3, PQT_NEIGHBOURS_8, NULL);
    expect_box(pqt_region_bounds(sound(inner, NULL)), 3 - LIMIT, 3 - LIMIT, LIMIT - 3, LIMIT - 3);
    ck_assert(pqt_region_equals(pqt_region_dilate(inner, 3, PQT_NEIGHBOURS_8, NULL), all));
    ck_assert_ptr_null(pqt_region_dilate(inner, 4, PQT_NEIGHBOURS_8, NULL));
    ck_assert_ptr_eq(pqt_region_turn(all, PQT_TURN_90, NULL), all);
}
END_TEST

START_TEST(a_corner_joins_eight_neighbours_and_not_four)
{
    static const pqt_pixel_box boxes[] = {{{-5, -5}, {0, 0}}, {{0, 0}, {5, 5}}};
    const pqt_region *region = pqt_region_of_boxes(boxes, 2, arena, NULL);
    const pqt_pixel last = {4, 4};
    ck_assert_ptr_eq(pqt_region_component(region, here, PQT_NEIGHBOURS_8, NULL), region);
    const pqt_region *one = pqt_region_component(region, last, PQT_NEIGHBOURS_4, NULL);
    ck_assert(pqt_region_equals(sound(one, NULL), boxed(boxes[1])));
    stopper s = {0, SIZE_MAX};
    ck_assert(pqt_region_visit_components(region, PQT_NEIGHBOURS_8, stop_at_region, &s, NULL));
    ck_assert_uint_eq(s.seen, 1);
    s.seen = 0;
    ck_assert(pqt_region_visit_components(region, PQT_NEIGHBOURS_4, stop_at_region, &s, NULL));
    ck_assert_uint_eq(s.seen, 2);
    s = (stopper){0, 1};
    ck_assert(pqt_region_visit_components(region, PQT_NEIGHBOURS_4, stop_at_region, &s, NULL));
    ck_assert_uint_eq(s.seen, 1);
}
END_TEST

/* Teeth one pixel wide, joined at their ends only; and every pixel of a checkerboard is alone. */
START_TEST(combs_are_one_component_and_checkerboards_are_many)
{
    pqt_pixel_box teeth[151];
    for (int32_t i = 0; i < 150; i++)
        teeth[i] = box_of(2 * i, 0, 2 * i + 1, 200);
    teeth[150] = box_of(0, 200, 300, 201);
    const pqt_region *comb = pqt_region_of_boxes(teeth, 151, arena, NULL);
    const pqt_region *board = region_of(CHECKERBOARD, 100, 100, here, arena);
    stopper s = {0, SIZE_MAX};
    ck_assert_ptr_eq(pqt_region_component(comb, here, PQT_NEIGHBOURS_4, NULL), comb);
    ck_assert_ptr_eq(pqt_region_component(board, here, PQT_NEIGHBOURS_8, NULL), board);
    ck_assert(pqt_region_visit_components(board, PQT_NEIGHBOURS_4, stop_at_region, &s, NULL));
    ck_assert_uint_eq(s.seen, 5000);
}
END_TEST

START_TEST(a_picture_is_flipped_turned_and_enlarged_in_place)
{
    static const uint8_t letter[3][2] = {{1, 0}, {1, 0}, {1, 1}};
    pqt_byte_image image = {&letter[0][0], 2, 3, 2, 1, 0};
    pqt_error error = {0};
    const pqt_region *l = pqt_region_of_bytes(&image, here, arena, &error);
    const pqt_region *flipped = pqt_region_turn(l, PQT_FLIP_X, &error);
    flipped = pqt_region_move(flipped, (pqt_pixel){2, 0}, &error);
    expect_box(pqt_region_bounds(sound(flipped, &error)), 0, 0, 2, 3);
    ck_assert(!pqt_region_contains(flipped, here));
    ck_assert(pqt_region_contains(flipped, (pqt_pixel){0, 2}));
    const pqt_region *turned = pqt_region_turn(l, PQT_TURN_90, &error);
    turned = pqt_region_move(turned, (pqt_pixel){3, 0}, &error);
    expect_box(pqt_region_bounds(sound(turned, &error)), 0, 0, 3, 2);
    ck_assert(pqt_region_contains(turned, (pqt_pixel){0, 1}));
    ck_assert(!pqt_region_contains(turned, (pqt_pixel){1, 1}));
    for (int turn = 1; turn <= 7; turn++) {
        const int back = turn == PQT_TURN_90    ? PQT_TURN_270
                         : turn == PQT_TURN_270 ? PQT_TURN_90
                                                : turn;
        const pqt_region *there = pqt_region_turn(l, (pqt_turn)turn, &error);
        ck_assert(pqt_region_equals(pqt_region_turn(there, (pqt_turn)back, &error), l));
    }
    const pqt_region *large = pqt_region_scale(l, 100, 50, &error);
    expect_box(pqt_region_bounds(sound(large, &error)), 0, 0, 200, 150);
    ck_assert_uint_eq(pqt_region_count(large), pqt_region_count(l) * 5000);
    ck_assert_ptr_eq(pqt_region_scale(l, 1, 1, &error), l);
    const pqt_region *end = painted(nothing(), pqt_paint_pixel(PQT_SET, (pqt_pixel){-1, -1}));
    end = pqt_region_scale(end, LIMIT, LIMIT, &error);
    expect_box(pqt_region_bounds(sound(end, &error)), -LIMIT, -LIMIT, 0, 0);
}
END_TEST

/* ---- costs ---- */

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
            pqt_region_paint(noise, pqt_paint_pixel(PQT_TOGGLE, pixel), &error);
        hooks_stop();
        ck_assert_msg(next != NULL && next != noise, "%s", error.text);
        size_t own = pqt_region_get_stats(next).bytes - pqt_region_shared_bytes(noise, next);
        if (!collected)
            ck_assert_uint_eq(own, hooks_kept_bytes(&watch));
        most = own > most ? own : most;
        ck_assert_uint_lt(hooks_kept_bytes(&watch), 1000);
        ck_assert_uint_eq(watch.blocks[PQTI_SCRATCH], 0);
    }
    fprintf(stderr, "one pixel in noise of 4096 x 4096: %zu bytes\n", most);
    ck_assert_uint_lt(most, 1000);
    pqti_keep(noise);
}
END_TEST

START_TEST(a_diff_of_one_pixel_looks_into_few_squares)
{
    dice d = {test_seed("a_diff_of_one_pixel")};
    const pqt_region *noise = region_of(NOISE, 4096, 4096, (pqt_pixel){-1000, -1000}, arena);
    const pqt_region *stranger = region_of(NOISE, 4096, 4096, (pqt_pixel){-1000, -1000}, arena);
    ck_assert_uint_eq(pqt_region_shared_bytes(noise, stranger), 0);
    for (int i = 0; i < 100; i++) {
        pqt_pixel pixel = {(int32_t)dice_below(&d, 4096) - 1000,
                           (int32_t)dice_below(&d, 4096) - 1000};
        const pqt_region *next = pqt_region_paint(i % 2 == 0 ? noise : stranger,
                                                  pqt_paint_pixel(PQT_TOGGLE, pixel), NULL);
        size_t squares = 0;
        pqt_pixel_box box = {{0, 0}, {0, 0}};
        ck_assert(pqti_region_diff(noise, next, keep_box, &box, &squares));
        expect_box(box, pixel.x, pixel.y, pixel.x + 1, pixel.y + 1);
        ck_assert_uint_lt(squares, 32);
    }
}
END_TEST

START_TEST(reading_allocates_nothing)
{
    const pqt_region *region = region_of(MAZE, 300, 300, (pqt_pixel){-150, -150}, arena);
    const pqt_region *other =
        pqt_region_paint(region, pqt_paint_disc(PQT_SET, (pqt_vec){0, 0}, 90), NULL);
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
    pqt_region_diff(region, other, stop_at_box, &s);
    pqt_region_damage(region, other, boxes, 2);
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
    free(bytes);
}
END_TEST

/* ---- what is shared is not walked: it is not even touched ---- */

/* A memory in which each block has a page of its own, so that a touch of a block can be forbidden. */
typedef struct guarded {
    pqt_memory memory;
    char *pages;
    size_t page, used, room;
} guarded;

static void *
give_page(pqt_memory *memory, size_t size)
{
    guarded *g = (guarded *)memory;
    ck_assert_uint_le(size, g->page);
    ck_assert_uint_lt(g->used, g->room);
    return g->pages + g->page * g->used++; /* zeroed by the system */
}

static size_t
size_of_block(const pqt_memory *memory, const void *block, size_t asked)
{
    (void)memory;
    (void)block;
    return asked;
}

static const pqti_memory_calls guarded_calls = {
    .node = give_page, .leaf = give_page, .scanned_leaf = give_page, .size = size_of_block};

static void
guarded_make(guarded *g, size_t room)
{
    g->memory.calls = &guarded_calls;
    g->page = (size_t)sysconf(_SC_PAGESIZE);
    g->used = 0;
    g->room = room;
    g->pages =
        mmap(NULL, g->page * room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(g->pages, MAP_FAILED);
}

/* Marks the pages of the blocks below a square. */
static void
mark_blocks(const guarded *g, const pqti_square *square, int level, uint8_t *marks, uint8_t mark)
{
    if (!pqti_is_block(square))
        return;
    marks[(size_t)((const char *)square - g->pages) / g->page] |= mark;
    for (int i = 0; i < 4 && level > PQTI_TILE_LEVEL; i++)
        mark_blocks(g, ((const pqti_quad *)square)->child[i], level - 1, marks, mark);
}

/*
 * Forbids to touch what both versions share; returns how many blocks that is. The quadrants may be
 * touched: they are asked whether the level is still needed.
 */
static size_t
forbid_shared(const guarded *g, const pqt_region *a, const pqt_region *b)
{
    uint8_t *marks = calloc(g->room, 1);
    size_t shared = 0;
    for (int i = 0; i < 4; i++) {
        mark_blocks(g, a->quadrant[i], a->level, marks, 1);
        mark_blocks(g, b->quadrant[i], b->level, marks, 2);
    }
    for (int i = 0; i < 4; i++)
        if (pqti_is_block(a->quadrant[i]))
            marks[(size_t)((const char *)a->quadrant[i] - g->pages) / g->page] = 0;
    for (size_t i = 0; i < g->used; i++)
        if (marks[i] == 3) {
            ck_assert_int_eq(mprotect(g->pages + i * g->page, g->page, PROT_NONE), 0);
            shared++;
        }
    free(marks);
    return shared;
}

START_TEST(what_two_versions_share_is_not_touched)
{
    guarded g;
    pqt_error error = {0};
    guarded_make(&g, 4000);
    const pqt_region *a = region_of(NOISE, 1000, 1000, (pqt_pixel){-300, -300}, &g.memory);
    /* Two pixels of one tile, so that the counts stay equal. */
    pqt_pixel on = {200, 200}, off = {200, 200};
    while (pqt_region_contains(a, on))
        on.x++;
    while (!pqt_region_contains(a, off))
        off.x++;
    const pqt_region *b = pqt_region_paint(a, pqt_paint_pixel(PQT_SET, on), &error);
    b = pqt_region_paint(b, pqt_paint_pixel(PQT_CLEAR, off), &error);
    ck_assert_msg(b != NULL, "%s", error.text);
    ck_assert_uint_gt(forbid_shared(&g, a, b), 250);
    pqt_pixel_box box;
    ck_assert(pqt_region_diff(a, b, keep_box, &box));
    ck_assert(!pqt_region_equals(a, b));
    ck_assert_uint_eq(pqt_region_count(pqt_region_xor(a, b, here, &error)), 2);
    ck_assert_uint_eq(pqt_region_count(pqt_region_difference(a, b, here, &error)), 1);
    ck_assert_uint_eq(pqt_region_count(pqt_region_difference(b, a, here, &error)), 1);
    ck_assert_uint_eq(pqt_region_count(pqt_region_union(a, b, here, &error)),
                      pqt_region_count(a) + 1);
    ck_assert_uint_eq(pqt_region_count(pqt_region_intersection(a, b, here, &error)),
                      pqt_region_count(a) - 1);
    pqt_paint undo[2] = {pqt_paint_pixel(PQT_CLEAR, on), pqt_paint_pixel(PQT_SET, off)};
    const pqt_region *undone = pqt_region_paint_all(b, undo, 2, &error);
    ck_assert_uint_eq(pqt_region_fingerprint(undone), pqt_region_fingerprint(a));
    ck_assert_msg(error.status == PQT_OK, "%s", error.text);
    munmap(g.pages, g.page * g.room);
}
END_TEST

START_TEST(a_batch_makes_each_square_once)
{
    dice d = {test_seed("a_batch_makes_each_square_once")};
    const pqt_region *noise = region_of(NOISE, 2048, 2048, here, arena);
    pqt_paint paints[100];
    for (int i = 0; i < 100; i++)
        paints[i] = pqt_paint_disc(PQT_TOGGLE,
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

/* ---- a painting ---- */

enum { CANVAS = 4096, HALF_CANVAS = CANVAS / 2 };

static double
keep_on_canvas(double place)
{
    const double most = HALF_CANVAS - 40;
    return place > most ? most : place < -most ? -most : place;
}

/* The pen wanders; now and then it is lifted, or it wipes. */
static pqt_paint
draw_stroke(dice *d, pqt_vec *pen)
{
    pqt_vec from = *pen;
    if (dice_chance(d, 5))
        from = (pqt_vec){(dice_real(d) - 0.5) * CANVAS, (dice_real(d) - 0.5) * CANVAS};
    from = (pqt_vec){keep_on_canvas(from.x), keep_on_canvas(from.y)};
    *pen = (pqt_vec){keep_on_canvas(from.x + (dice_real(d) - 0.5) * 80),
                     keep_on_canvas(from.y + (dice_real(d) - 0.5) * 80)};
    return pqt_paint_stroke(dice_chance(d, 20) ? PQT_CLEAR : PQT_SET, from, *pen,
                            1 + dice_real(d) * 15);
}

/* Whether a version has the pixels of the bitmap in a box. */
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

/* What a stroke may have changed, and a little more. */
static pqt_pixel_box
around(const pqt_paint *paint)
{
    const double r = paint->radius + 3;
    return box_of((int32_t)(fmin(paint->from.x, paint->to.x) - r),
                  (int32_t)(fmin(paint->from.y, paint->to.y) - r),
                  (int32_t)(fmax(paint->from.x, paint->to.x) + r),
                  (int32_t)(fmax(paint->from.y, paint->to.y) + r));
}

START_TEST(each_version_of_a_painting_stays_what_it_was)
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
    fprintf(stderr, "painting: %zu strokes, %" PRIu64 " bytes a version\n", count,
            (pqt_memory_get_stats(arena).bytes - before) / count);
    /* All are there: painted again on a bitmap, each is compared where its stroke went, and at times
       all over. */
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

static void
add_making(Suite *suite)
{
    TCase *tcase = tcase_create("making");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_set_timeout(tcase, 0);
    tcase_add_test(tcase, an_empty_region_has_nothing);
    tcase_add_loop_test(tcase,
                        images_of_all_sizes_and_places_have_the_shape_that_the_builder_predicts, 0,
                        PATTERNS);
    tcase_add_loop_test(tcase, an_image_of_4096_x_4096_has_the_shape_that_the_builder_predicts, 0,
                        PATTERNS);
    tcase_add_test(tcase, the_alpha_of_rgba_is_read_with_a_threshold);
    tcase_add_test(tcase, both_orders_of_bits_are_read);
    tcase_add_test(tcase, runs_and_boxes_may_overlap_and_be_empty);
    tcase_add_test(tcase, images_that_cannot_be_are_refused);
    tcase_add_test(tcase, bit_images_that_cannot_be_are_refused);
    tcase_add_test(tcase, runs_and_boxes_that_cannot_be_are_refused);
    tcase_add_test(tcase, a_build_without_the_collector_wants_a_memory);
    tcase_add_misuse_test(tcase, an_image_without_data_is_a_mistake);
    suite_add_tcase(suite, tcase);
}

static void
add_changing(Suite *suite)
{
    TCase *tcase = tcase_create("changing");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_set_timeout(tcase, 0);
    tcase_add_test(tcase, a_disc_of_half_a_pixel_is_one_pixel);
    tcase_add_test(tcase, a_disc_has_the_pixels_whose_centres_it_has);
    tcase_add_test(tcase, a_stroke_without_width_has_the_centres_on_its_line);
    tcase_add_test(tcase, strokes_are_exact_to_the_ends_of_the_world);
    tcase_add_test(tcase, the_largest_disc_is_exact_too);
    tcase_add_test(tcase, a_stroke_is_looked_for_along_its_edge);
    tcase_add_test(tcase, a_stroke_across_the_world_leaves_two_parts);
    tcase_add_test(tcase, regions_reach_to_the_limit_and_no_farther);
    tcase_add_test(tcase, paint_that_cannot_be_is_refused);
    tcase_add_test(tcase, what_changes_nothing_is_the_same_version_and_allocates_nothing);
    tcase_add_test(tcase, a_union_with_a_part_is_the_whole);
    tcase_add_test(tcase, offsets_may_be_as_far_as_numbers_go);
    tcase_add_test(tcase, regions_of_two_memories_are_not_joined);
    tcase_add_test(tcase, a_complement_stays_within_its_box);
    tcase_add_test(tcase, a_failure_is_passed_on_and_the_first_one_stays);
    tcase_add_misuse_test(tcase, null_without_a_failure_is_a_mistake);
    tcase_add_misuse_test(tcase, paints_that_are_null_are_a_mistake);
    suite_add_tcase(suite, tcase);
}

static void
add_asking(Suite *suite)
{
    TCase *tcase = tcase_create("asking");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_set_timeout(tcase, 0);
    tcase_add_test(tcase, equal_sets_have_equal_fingerprints_on_every_machine);
    tcase_add_test(tcase, equality_does_not_rest_on_fingerprints);
    tcase_add_test(tcase, a_visitor_can_stop);
    tcase_add_test(tcase, a_rectangle_is_one_box_and_its_runs_are_its_rows);
    tcase_add_test(tcase, squares_and_stats_tell_the_same);
    tcase_add_test(tcase, bytes_are_written_in_their_rows_only);
    tcase_add_test(tcase, damage_is_joined_where_there_is_too_little_room);
    tcase_add_test(tcase, a_pin_keeps_a_version);
    tcase_add_test(tcase, check_finds_every_word_that_was_changed);
    tcase_add_test(tcase, check_finds_squares_that_should_be_marks_and_levels_too_many);
    tcase_add_misuse_test(tcase, asking_null_is_a_mistake);
    tcase_add_misuse_test(tcase, damage_without_room_is_a_mistake);
    suite_add_tcase(suite, tcase);
}

static void
add_forms(Suite *suite)
{
    TCase *tcase = tcase_create("forms");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_set_timeout(tcase, 0);
    tcase_add_test(tcase, forms_that_cannot_be_are_refused);
    tcase_add_test(tcase, forms_of_nothing_are_nothing);
    tcase_add_test(tcase, a_box_grows_to_a_box_and_shrinks_back);
    tcase_add_test(tcase, a_pixel_grows_to_a_diamond);
    tcase_add_test(tcase, at_the_limit_outside_begins);
    tcase_add_test(tcase, a_corner_joins_eight_neighbours_and_not_four);
    tcase_add_test(tcase, combs_are_one_component_and_checkerboards_are_many);
    tcase_add_test(tcase, a_picture_is_flipped_turned_and_enlarged_in_place);
    suite_add_tcase(suite, tcase);
}

static void
add_costs(Suite *suite)
{
    TCase *tcase = tcase_create("costs");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_set_timeout(tcase, 0);
    tcase_add_test(tcase, a_solid_square_takes_less_than_1_kb);
    tcase_add_loop_test(tcase, one_pixel_in_noise_keeps_less_than_1_kb, 0, 2);
    tcase_add_test(tcase, a_diff_of_one_pixel_looks_into_few_squares);
    tcase_add_test(tcase, reading_allocates_nothing);
    tcase_add_test(tcase, what_two_versions_share_is_not_touched);
    tcase_add_test(tcase, a_batch_makes_each_square_once);
    tcase_add_test(tcase, each_version_of_a_painting_stays_what_it_was);
    suite_add_tcase(suite, tcase);
}

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region");
    add_making(suite);
    add_changing(suite);
    add_asking(suite);
    add_forms(suite);
    add_costs(suite);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
