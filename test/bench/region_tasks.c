/* SPDX-License-Identifier: MIT */
/* region_tasks.c: the tasks of the region benchmark, each for pqt and for a flat bitmap. */
#include "region_tasks.h"

#include <string.h>

static pqt_error error;
static uint64_t dice_state;
static const pqt_region *kept[MOST_ROUNDS + 1]; /* static, so that the collector finds them */
static flat kept_maps[MOST_ROUNDS + 1];

static int
dice_below(int bound)
{
    dice_state = (dice_state * 1664525 + 1013904223) & UINT32_MAX;
    return (int)((dice_state >> 8) % (uint64_t)bound);
}

static const pqt_region *
made(const pqt_region *region)
{
    return region_made(region, &error);
}

static const pqt_region *
build_region(const subject *s, int rounds)
{
    const pqt_region *region = NULL;
    while (rounds-- > 0)
        region = region_of_subject(s);
    return region;
}

static flat
build_flat(const subject *s, int rounds)
{
    flat map = flat_of_alpha(s->rgba, s->side, s->side);
    while (--rounds > 0) {
        flat_free(&map);
        map = flat_of_alpha(s->rgba, s->side, s->side);
    }
    return map;
}

static const pqt_region *
edit_region(const subject *s, int rounds)
{
    kept[0] = s->region;
    for (int i = 0; i < rounds; i++) {
        const int32_t x = dice_below(s->side), y = dice_below(s->side);
        const pqt_pixel pixel = {x, y};
        kept[i + 1] =
            made(pqt_region_paint(kept[i], pqt_paint_pixel(PQT_PAINT_TOGGLE, pixel), &error));
    }
    return kept[rounds];
}

/* Returns the last kept version and frees the others. */
static flat
last_of(int rounds)
{
    for (int i = 1; i < rounds; i++)
        flat_free(&kept_maps[i]);
    return kept_maps[rounds];
}

static flat
edit_flat_kept(const subject *s, int rounds)
{
    kept_maps[0] = s->map;
    for (int i = 0; i < rounds; i++) {
        kept_maps[i + 1] = flat_copy(&kept_maps[i]);
        const int x = dice_below(s->side);
        flat_toggle(&kept_maps[i + 1], x, dice_below(s->side));
    }
    return last_of(rounds);
}

static flat
edit_flat(const subject *s, int rounds)
{
    flat map = flat_copy(&s->map);
    while (rounds-- > 0) {
        const int x = dice_below(s->side);
        flat_toggle(&map, x, dice_below(s->side));
    }
    return map;
}

static const pqt_region *
stroke_region(const subject *s, int rounds)
{
    kept[0] = s->region;
    for (int i = 0; i < rounds; i++) {
        const double x = PEN_RADIUS + dice_below(s->side - s->map_stroke.width);
        const double y = PEN_RADIUS + dice_below(s->side - s->map_stroke.height);
        const pqt_paint stroke = pqt_paint_stroke(PQT_PAINT_CLEAR, (pqt_vec){x, y},
                                                  (pqt_vec){x + PEN_X, y + PEN_Y}, PEN_RADIUS);
        kept[i + 1] = made(pqt_region_paint(kept[i], stroke, &error));
    }
    return kept[rounds];
}

static flat
stroke_flat(const subject *s, int rounds)
{
    kept_maps[0] = s->map;
    for (int i = 0; i < rounds; i++) {
        kept_maps[i + 1] = flat_copy(&kept_maps[i]);
        const int x = dice_below(s->side - s->map_stroke.width);
        const int y = dice_below(s->side - s->map_stroke.height);
        flat_join(&kept_maps[i + 1], &s->map_stroke, x, y, FLAT_DIFFERENCE);
    }
    return last_of(rounds);
}

static pqt_pixel
offset_of(const subject *s, int i)
{
    return (pqt_pixel){s->side / 5 + i % 7, s->side / 7 + i % 5};
}

typedef const pqt_region *join_fn(const pqt_region *a, const pqt_region *b, pqt_pixel offset,
                                  pqt_error *error);

static const pqt_region *
join_regions(const subject *s, int rounds, join_fn *join)
{
    const pqt_region *region = NULL;
    for (int i = 0; i < rounds; i++)
        region = made(join(s->region, s->region_disc, offset_of(s, i), &error));
    return region;
}

static flat
join_flats(const subject *s, int rounds, flat_operation operation)
{
    flat map = {.rows = NULL};
    for (int i = 0; i < rounds; i++) {
        const pqt_pixel offset = offset_of(s, i);
        flat_free(&map);
        map = flat_copy(&s->map);
        flat_join(&map, &s->map_disc, offset.x, offset.y, operation);
    }
    return map;
}

static const pqt_region *
union_region(const subject *s, int rounds)
{
    return join_regions(s, rounds, pqt_region_union);
}

static flat
union_flat(const subject *s, int rounds)
{
    return join_flats(s, rounds, FLAT_UNION);
}

static const pqt_region *
intersection_region(const subject *s, int rounds)
{
    return join_regions(s, rounds, pqt_region_intersection);
}

static flat
intersection_flat(const subject *s, int rounds)
{
    return join_flats(s, rounds, FLAT_INTERSECTION);
}

static const pqt_region *
difference_region(const subject *s, int rounds)
{
    return join_regions(s, rounds, pqt_region_difference);
}

static flat
difference_flat(const subject *s, int rounds)
{
    return join_flats(s, rounds, FLAT_DIFFERENCE);
}

static volatile uint64_t counted; /* volatile, so that the compiler does not remove the counting */

static const pqt_region *
count_region(const subject *s, int rounds)
{
    while (rounds-- > 0)
        counted = pqt_region_count(s->region);
    return s->region;
}

static flat
count_flat(const subject *s, int rounds)
{
    while (rounds-- > 0)
        counted = flat_count(&s->map);
    return flat_copy(&s->map);
}

const chore chores[CHORES] = {
    {"build", "from RGBA", A_PASS, build_region, build_flat},
    {"edit-kept", "a pixel, each a version", A_VERSION, edit_region, edit_flat_kept},
    {"edit", "a pixel; peers in place", NOTHING, edit_region, edit_flat},
    {"stroke-kept", "of a round pen, each a version; for peers a mask that is cleared at a place",
     A_VERSION, stroke_region, stroke_flat},
    {"union", "with a disc", A_PASS, union_region, union_flat},
    {"intersection", "with a disc", A_PASS, intersection_region, intersection_flat},
    {"difference", "with a disc", A_PASS, difference_region, difference_flat},
    {"count", "of all pixels", NOTHING, count_region, count_flat}};

int
chore_rounds(const chore *task, int side)
{
    const int passes = side >= 4096 ? 4 : side >= 1024 ? 40 : 400;
    return task->costs == A_PASS ? passes : task->costs == A_VERSION ? 10 * passes : MOST_ROUNDS;
}

const pqt_region *
chore_of_region(const chore *task, const subject *s, int rounds)
{
    dice_state = 1;
    return task->region(s, rounds);
}

flat
chore_of_flat(const chore *task, const subject *s, int rounds)
{
    dice_state = 1;
    return task->map(s, rounds);
}

void
chores_forget(void)
{
    memset(kept, 0, sizeof kept);
}
