/* SPDX-License-Identifier: MIT */
/*
 * fuzz_region.c: interprets bytes as commands to four slots of versions, and compares them with
 * bitmaps after each command.
 *
 * Every input is valid: each byte is taken modulo the number of its possible values, and bytes past
 * the end are 0. The program stops if a version or an answer differs from that of the bitmap.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt/memory.h>
#include <pqt/region.h>

#include "random.h"
#include "region_builder.h"
#include "replay.h"

enum { HALF = 140, SLOTS = 4, MOST_COMMANDS = 200, MOST_PAINTS = 20 };

/* ---- bytes ---- */

/* Takes a coordinate: mostly within the bitmap and at edges of tiles, sometimes any number. */
static int32_t
take_coordinate(input *in)
{
    unsigned kind = take(in);
    if (kind < 100)
        return ((int32_t)kind % 5 - 2) * 64 + (int32_t)(kind / 5 % 3) - 1;
    if (kind < 240)
        return (int32_t)(take(in) * 2 * HALF / 255) - HALF;
    return (int32_t)(uint32_t)take_word(in);
}

static double
take_real(input *in)
{
    unsigned kind = take(in);
    double value;
    uint64_t word;
    if (kind < 60)
        return (double)kind / 2 - 15;
    if (kind < 240)
        return (double)take_coordinate(in) + (double)take(in) / 128;
    word = take_word(in);
    memcpy(&value, &word, sizeof value);
    return value;
}

static pqt_pixel_box
take_box(input *in)
{
    pqt_pixel_box box = {{take_coordinate(in), take_coordinate(in)},
                         {take_coordinate(in), take_coordinate(in)}};
    if (take(in) < 240 && box.min.x > box.max.x) {
        int32_t x = box.min.x;
        box.min.x = box.max.x;
        box.max.x = x;
    }
    if (take(in) < 240 && box.min.y > box.max.y) {
        int32_t y = box.min.y;
        box.min.y = box.max.y;
        box.max.y = y;
    }
    return box;
}

static pqt_paint
take_paint(input *in)
{
    unsigned kind = take(in);
    pqt_paint_op op = (pqt_paint_op)(kind < 250 ? PQT_PAINT_SET + kind % 3 : kind % 8);
    pqt_vec from = {take_real(in), take_real(in)};
    switch (take(in) % 4) {
    case 0:
        return pqt_paint_pixel(op, (pqt_pixel){take_coordinate(in), take_coordinate(in)});
    case 1:
        return pqt_paint_box(op, take_box(in));
    case 2:
        return pqt_paint_disc(op, from, take_real(in));
    default:
        return pqt_paint_stroke(op, from, (pqt_vec){take_real(in), take_real(in)}, take_real(in));
    }
}

/* ---- versions ---- */

typedef struct slot {
    const pqt_region *region;
    bitmap map;
} slot;

typedef struct stage {
    input in;
    pqt_memory *memory;
    slot slots[SLOTS];
} stage;

static slot *
take_slot(stage *s)
{
    return &s->slots[take(&s->in) % SLOTS];
}

static bool
box_has_room(pqt_pixel_box box)
{
    return box.min.x >= box.max.x || box.min.y >= box.max.y ||
           (box.min.x >= -HALF && box.min.y >= -HALF && box.max.x <= HALF && box.max.y <= HALF);
}

/* Returns true if the result of a paint fits into the bitmap. A paint that does not fit is tried
   only if the library must refuse it. */
static bool
can_be_tried(const pqt_paint *paint)
{
    return paint_status(paint) != PQT_OK || paint->op == PQT_PAINT_CLEAR ||
           box_has_room(paint_box(paint));
}

/* Checks a version made from a slot: its pixels and its squares, and its pointer if that must be
   the same. */
static void
conclude(slot *to, const slot *from, const pqt_region *region, bitmap map)
{
    region_why why;
    pqt_error error = {0};
    require(region != NULL, "a call failed");
    require(pqt_region_check(region, &error), error.text);
    require(bitmap_matches(&map, region, &why), why.text);
    if (from != NULL)
        require((region == from->region) == bitmap_equals(&map, &from->map),
                "the same version if and only if nothing changed");
    bitmap_free(&to->map);
    *to = (slot){region, map};
}

static void
play_paint(stage *s)
{
    pqt_paint paints[MOST_PAINTS];
    slot *from = take_slot(s), *to = take_slot(s);
    size_t count = take(&s->in) % 3 == 0 ? take(&s->in) % MOST_PAINTS : 1, tried = 0;
    bitmap map = bitmap_copy(&from->map);
    pqt_status status = PQT_OK;
    for (size_t i = 0; i < count; i++) {
        paints[tried] = take_paint(&s->in);
        tried += can_be_tried(&paints[tried]);
    }
    for (size_t i = 0; i < tried && status == PQT_OK; i++) {
        status = paint_status(&paints[i]);
        if (status == PQT_OK)
            bitmap_paint(&map, &paints[i]);
    }
    pqt_error error = {0};
    const pqt_region *next = pqt_region_paint_all(from->region, paints, tried, &error);
    require(error.status == status, error.text);
    if (status == PQT_OK)
        conclude(to, from, next, map);
    else
        bitmap_free(&map);
}

typedef const pqt_region *join_fn(const pqt_region *a, const pqt_region *b, pqt_pixel offset,
                                  pqt_error *error);

static bool
check_item_limit(const bitmap *map, pqt_pixel offset)
{
    pqt_pixel_box box = bitmap_bounds(map);
    return (int64_t)box.min.x + offset.x >= -HALF && (int64_t)box.min.y + offset.y >= -HALF &&
           (int64_t)box.max.x + offset.x <= HALF && (int64_t)box.max.y + offset.y <= HALF;
}

static void
play_join(stage *s)
{
    static join_fn *const calls[] = {pqt_region_union, pqt_region_intersection,
                                     pqt_region_difference, pqt_region_xor};
    slot *a = take_slot(s), *b = take_slot(s), *to = take_slot(s);
    bitmap_operation operation = (bitmap_operation)(take(&s->in) % 4);
    pqt_pixel offset = {take_coordinate(&s->in), take_coordinate(&s->in)};
    if (take(&s->in) % 2 == 0 || (!check_item_limit(&b->map, offset) &&
                                  (operation == BITMAP_UNION || operation == BITMAP_XOR)))
        offset = (pqt_pixel){0, 0};
    bitmap map = bitmap_copy(&a->map);
    bitmap_join(&map, &b->map, offset, operation);
    const bool is_a = bitmap_equals(&map, &a->map);
    const pqt_region *next = calls[operation](a->region, b->region, offset, NULL);
    require(!is_a || next == a->region, "a result equal to a is a itself");
    conclude(to, NULL, next, map);
}

static void
play_move(stage *s)
{
    slot *from = take_slot(s), *to = take_slot(s);
    pqt_pixel offset = {take_coordinate(&s->in), take_coordinate(&s->in)};
    if (!check_item_limit(&from->map, offset))
        return;
    bitmap map = bitmap_make(HALF);
    bitmap_join(&map, &from->map, offset, BITMAP_UNION);
    conclude(to, NULL, pqt_region_move(from->region, offset, NULL), map);
}

static void
play_clip(stage *s)
{
    slot *from = take_slot(s), *to = take_slot(s);
    pqt_pixel_box box = take_box(&s->in);
    bool inverts = take(&s->in) % 2 == 0 && box_has_room(box);
    pqt_error error = {0};
    bitmap map = bitmap_copy(&from->map);
    const pqt_region *next = inverts ? pqt_region_complement(from->region, box, &error)
                                     : pqt_region_crop(from->region, box, &error);
    if (box.min.x > box.max.x || box.min.y > box.max.y) {
        require(next == NULL && error.status == PQT_ERROR_BOX, "an inverted box");
        bitmap_free(&map);
        return;
    }
    if (inverts)
        bitmap_complement(&map, box);
    else
        bitmap_crop(&map, box);
    conclude(to, inverts ? NULL : from, next, map);
}

/* Returns true if the library must accept an image of bytes. The computation does not overflow. */
static bool
is_readable(const pqt_byte_image *image)
{
    const double row = (double)image->width * (double)image->pixel_stride;
    return image->pixel_stride != 0 &&
           (image->width == 0 || image->height == 0 ||
            ((double)image->stride >= row &&
             (double)image->stride * (double)(image->height - 1) < 0x1p62));
}

static void
play_bytes(stage *s)
{
    slot *to = take_slot(s);
    uint8_t bytes[512];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(take(&s->in) + (i & 1));
    pqt_byte_image image = {bytes,        take(&s->in) % 80, take(&s->in) % 20,
                            take(&s->in), take(&s->in) % 5,  (uint8_t)take(&s->in)};
    pqt_pixel at = {take_coordinate(&s->in) % 60, take_coordinate(&s->in) % 60};
    if (take(&s->in) % 16 == 0)
        image.stride = (size_t)take_word(&s->in) | (SIZE_MAX / 2 + 1);
    if (is_readable(&image) && image.width > 0 && image.height > 0 &&
        (image.height - 1) * image.stride + image.width * image.pixel_stride > sizeof bytes)
        return;
    pqt_error error = {0};
    const pqt_region *made = pqt_region_of_bytes(&image, at, s->memory, &error);
    if (!is_readable(&image)) {
        require(made == NULL && error.status == PQT_ERROR_OPTION, "an invalid image");
        return;
    }
    bitmap map = bitmap_make(HALF);
    for (size_t y = 0; y < image.height; y++)
        for (size_t x = 0; x < image.width; x++)
            if (bytes[y * image.stride + x * image.pixel_stride] > image.threshold)
                bitmap_put(&map, at.x + (int32_t)x, at.y + (int32_t)y, true);
    conclude(to, NULL, made, map);
}

typedef struct drawing {
    bitmap map;
    uint64_t count;
} drawing;

static bool
draw_box(const pqt_pixel_box *box, void *context)
{
    drawing *d = context;
    require(bitmap_count_in(&d->map, *box) == 0, "boxes overlap");
    pqt_paint paint = pqt_paint_box(PQT_PAINT_SET, *box);
    bitmap_paint(&d->map, &paint);
    d->count++;
    return true;
}

static bool
draw_run(const pqt_pixel_run *run, void *context)
{
    pqt_pixel_box box = {{run->min_x, run->y}, {run->max_x, run->y + 1}};
    return draw_box(&box, context);
}

/* Compares all queries that take a window. */
static void
play_window(stage *s)
{
    slot *from = take_slot(s);
    pqt_pixel_box window = take_box(&s->in);
    drawing runs = {bitmap_make(HALF), 0}, boxes = {bitmap_make(HALF), 0};
    bitmap part = bitmap_copy(&from->map);
    bitmap_crop(&part, window);
    uint64_t count = bitmap_count_in(&from->map, window);
    require(pqt_region_count_in(from->region, window) == count, "count in a window");
    require(pqt_region_any_in(from->region, window) == (count > 0), "any in a window");
    require(pqt_region_visit_runs(from->region, window, draw_run, &runs), "the runs end");
    require(pqt_region_visit_boxes(from->region, window, draw_box, &boxes),
            "the visit of the boxes ends");
    require(bitmap_equals(&runs.map, &part), "runs");
    require(bitmap_equals(&boxes.map, &part), "boxes");
    require(boxes.count <= runs.count, "more boxes than runs");
    bitmap_free(&runs.map);
    bitmap_free(&boxes.map);
    bitmap_free(&part);
}

static void
play_diff(stage *s)
{
    slot *a = take_slot(s), *b = take_slot(s);
    drawing boxes = {bitmap_make(HALF), 0};
    bitmap missed = bitmap_copy(&a->map);
    bitmap_join(&missed, &b->map, (pqt_pixel){0, 0}, BITMAP_XOR);
    const bool same = bitmap_equals(&a->map, &b->map);
    require(pqt_region_visit_diff(a->region, b->region, draw_box, &boxes),
            "the visit of the difference ends");
    bitmap_join(&missed, &boxes.map, (pqt_pixel){0, 0}, BITMAP_DIFFERENCE);
    pqt_pixel_box none = bitmap_bounds(&missed);
    require(none.min.x == none.max.x, "the difference misses a pixel");
    require(pqt_region_equals(a->region, b->region) == same, "equals");
    require((boxes.count == 0) == same, "a difference of equal versions");
    bitmap_free(&boxes.map);
    bitmap_free(&missed);
}

static void
play_turn(stage *s)
{
    slot *from = take_slot(s), *to = take_slot(s);
    pqt_transform transform = (pqt_transform)(1 + take(&s->in) % 7);
    bitmap map = bitmap_copy(&from->map);
    bitmap_transform(&map, transform);
    conclude(to, from, pqt_region_transform(from->region, transform, NULL), map);
}

/* Dilates or erodes a region, or takes the component of a pixel. */
static void
play_form(stage *s)
{
    slot *from = take_slot(s), *to = take_slot(s);
    const pqt_connectivity connectivity =
        take(&s->in) % 2 == 0 ? PQT_CONNECTIVITY_4 : PQT_CONNECTIVITY_8;
    const unsigned kind = take(&s->in) % 3;
    const int32_t steps = (int32_t)(take(&s->in) % 6);
    const pqt_pixel pixel = {take_coordinate(&s->in), take_coordinate(&s->in)};
    const pqt_pixel_box middle = {{steps - HALF, steps - HALF}, {HALF - steps, HALF - steps}};
    bitmap map = kind == 2 ? bitmap_make(HALF) : bitmap_copy(&from->map);
    const pqt_region *next;
    if (kind == 0) {
        next = pqt_region_crop(from->region, middle, NULL);
        next = pqt_region_dilate(next, steps, connectivity, NULL);
        bitmap_crop(&map, middle);
    } else if (kind == 1) {
        next = pqt_region_erode(from->region, steps, connectivity, NULL);
    } else {
        bitmap left = bitmap_copy(&from->map);
        next = pqt_region_component(from->region, pixel, connectivity, NULL);
        bitmap_flood(&left, &map, pixel, connectivity);
        bitmap_free(&left);
    }
    for (int32_t i = 0; i < steps && kind < 2; i++)
        (kind == 0 ? bitmap_dilate : bitmap_erode)(&map, connectivity);
    conclude(to, NULL, next, map);
}

typedef void play_fn(stage *s);

static void
run(stage *s)
{
    static play_fn *const plays[] = {play_paint, play_paint, play_paint, play_paint,  play_join,
                                     play_join,  play_move,  play_clip,  play_window, play_diff,
                                     play_bytes, play_turn,  play_form};
    for (int i = 0; i < MOST_COMMANDS && s->in.at < s->in.size; i++)
        plays[take(&s->in) % (sizeof plays / sizeof *plays)](s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pqt_error error = {0};
    stage s = {.in = {data, size, 0}, .memory = pqt_arena_make(0, &error)};
    for (int i = 0; i < SLOTS; i++)
        s.slots[i] = (slot){pqt_region_make(s.memory, &error), bitmap_make(HALF)};
    run(&s);
    for (int i = 0; i < SLOTS; i++)
        bitmap_free(&s.slots[i].map);
    pqt_arena_destroy(&s.memory);
    return 0;
}

/* Makes a seed. Half of its commands mostly stay within the bitmap; the others are arbitrary. */
static void
make_seed(unsigned seed, FILE *file)
{
    dice d = {seed};
    const size_t size = 200 + dice_below(&d, 1200);
    for (size_t k = 0; k < size; k++)
        fputc((int)dice_below(&d, k < size / 2 ? 240 : 256), file);
}

const fuzz_target fuzz_this = {"region", 32, make_seed};
