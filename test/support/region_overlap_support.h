/* SPDX-License-Identifier: MIT */
/* region_overlap_support.h: functions for tests of collisions of regions. */
#ifndef TEST_REGION_OVERLAP_SUPPORT_H
#define TEST_REGION_OVERLAP_SUPPORT_H

#include <check.h>

#include <pqt/memory.h>
#include <pqt/region_sweep.h>

static pqt_memory *arena;

static inline void
start(void)
{
    arena = pqt_arena_make(0, NULL);
}

static inline void
stop(void)
{
    pqt_arena_destroy(&arena);
}

static inline void
require(bool right, size_t round, const char *what)
{
    if (!right)
        ck_abort_msg("round %zu: %s", round, what);
}

static inline const pqt_region *
boxes_of(const pqt_pixel_box *boxes, size_t count)
{
    pqt_error error = {0};
    const pqt_region *region = pqt_region_of_boxes(boxes, count, arena, &error);
    ck_assert_msg(region != NULL, "%s", error.text);
    return region;
}

static inline const pqt_region *
box_of(int32_t x, int32_t y, int32_t width, int32_t height)
{
    return boxes_of(&(pqt_pixel_box){{x, y}, {x + width, y + height}}, 1);
}

static inline pqt_region_mover
resting(const pqt_region *region)
{
    return (pqt_region_mover){region, {0, 0}, {0, 0}};
}

#endif
