/* SPDX-License-Identifier: MIT */
/* region_support.h: functions for tests of regions: an arena for each test, and patterns. */
#ifndef TEST_REGION_SUPPORT_H
#define TEST_REGION_SUPPORT_H

#include <stdlib.h>
#include <string.h>

#include <check.h>

#include <pqt/memory.h>
#include <pqt/region.h>

#include "misuse.h"
#include "random.h"

#define LIMIT PQT_PIXEL_LIMIT

static const pqt_pixel here = {0, 0};
static pqt_memory *arena;

static inline void
open_arena(void)
{
    pqt_error error = {0};
    arena = pqt_arena_make(0, &error);
    ck_assert_msg(arena != NULL, "%s", error.text);
}

static inline void
close_arena(void)
{
    pqt_arena_destroy(&arena);
}

static inline const pqt_region *
sound(const pqt_region *region, const pqt_error *error)
{
    pqt_error broken = {0};
    ck_assert_msg(region != NULL, "%s", error->text);
    ck_assert_msg(pqt_region_check(region, &broken), "%s", broken.text);
    return region;
}

static inline const pqt_region *
nothing(void)
{
    pqt_error error = {0};
    return sound(pqt_region_make(arena, &error), &error);
}

static inline const pqt_region *
painted(const pqt_region *region, pqt_paint paint)
{
    pqt_error error = {0};
    return sound(pqt_region_paint(region, paint, &error), &error);
}

static inline pqt_pixel_box
box_of(int32_t min_x, int32_t min_y, int32_t max_x, int32_t max_y)
{
    return (pqt_pixel_box){{min_x, min_y}, {max_x, max_y}};
}

static inline const pqt_region *
boxed(pqt_pixel_box box)
{
    return painted(nothing(), pqt_paint_box(PQT_PAINT_SET, box));
}

/* Returns true if two versions have equal fingerprints. */
static inline bool
same_fingerprint(const pqt_region *a, const pqt_region *b)
{
    return pqt_fingerprint_equals(pqt_region_fingerprint(a), pqt_region_fingerprint(b));
}

static inline void
expect_failure(const pqt_region *region, const pqt_error *error, pqt_status status, size_t index)
{
    ck_assert_ptr_null(region);
    ck_assert_msg(error->status == status, "%s: %s", pqt_status_name(error->status), error->text);
    ck_assert_uint_eq(error->index, index);
    ck_assert_uint_gt(strlen(error->text), 0);
    ck_assert_ptr_null(strchr(error->text, '\n'));
}

static inline void
expect_box(pqt_pixel_box box, int32_t min_x, int32_t min_y, int32_t max_x, int32_t max_y)
{
    pqt_pixel_box must = box_of(min_x, min_y, max_x, max_y);
    ck_assert_msg(memcmp(&box, &must, sizeof box) == 0, "%d, %d to %d, %d", box.min.x, box.min.y,
                  box.max.x, box.max.y);
}

/* ---- patterns ---- */

typedef enum pattern { SOLID, EMPTY, CHECKERBOARD, NOISE, MAZE, PATTERNS } pattern;

static inline uint64_t
noise_at(int32_t x, int32_t y)
{
    dice d = {(uint64_t)(uint32_t)x << 32 | (uint32_t)y};
    return dice_next(&d);
}

/* Returns true if a maze has the pixel: posts at even positions, and from each post a wall to the
 * right or down. */
static inline bool
maze_has(int32_t x, int32_t y)
{
    if (x % 2 != 0 && y % 2 != 0)
        return false;
    if (x % 2 == 0 && y % 2 == 0)
        return true;
    bool lies = x % 2 != 0;
    return lies == ((noise_at(lies ? x - 1 : x, lies ? y : y - 1) & 1) != 0);
}

static inline bool
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

static inline uint8_t *
draw_bytes(pattern kind, size_t width, size_t height)
{
    uint8_t *bytes = malloc(width * height + 1);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            bytes[y * width + x] = pattern_has(kind, (int32_t)x, (int32_t)y) ? 255 : 0;
    return bytes;
}

static inline const pqt_region *
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

/* ---- visitors ---- */

/* A visitor that stops after a number of calls. */
typedef struct stopper {
    size_t seen, most;
} stopper;

static inline bool
stop_at_run(const pqt_pixel_run *run, void *context)
{
    stopper *s = context;
    ck_assert_int_lt(run->min_x, run->max_x);
    return ++s->seen < s->most;
}

static inline bool
stop_at_box(const pqt_pixel_box *box, void *context)
{
    stopper *s = context;
    ck_assert_int_lt(box->min.x, box->max.x);
    return ++s->seen < s->most;
}

static inline bool
stop_at_region(const pqt_region *region, void *context)
{
    stopper *s = context;
    sound(region, NULL);
    return ++s->seen < s->most;
}

static inline bool
stop_at_square(const pqt_square *square, void *context)
{
    stopper *s = context;
    ck_assert_uint_gt(square->count, 0);
    return ++s->seen < s->most;
}

static inline bool
keep_box(const pqt_pixel_box *box, void *context)
{
    *(pqt_pixel_box *)context = *box;
    return true;
}

/* Returns a test case with an arena for each test. */
static inline TCase *
region_tests(const char *name)
{
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, open_arena, close_arena);
    return tcase;
}

#endif
