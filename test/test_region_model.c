/* SPDX-License-Identifier: MIT */
/*
 * test_region_model.c - random commands on versions and on plain bitmaps: each must come to the same.
 *
 * Versions stay: commands take any of the last KEPT, and at the end all that were kept are compared
 * again with the bitmaps that they had then.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <pqt/memory.h>
#include <pqt/region.h>

#include "hooks.h"
#include "random.h"
#include "region_builder.h"
#include "suite.h"

enum { HALF = 150, KEPT = 24, COMMANDS = 1500, MOST_PAINTS = 12 };

typedef struct version {
    const pqt_region *region;
    bitmap map;
} version;

typedef struct stage {
    dice d;
    pqt_memory *memory;
    version versions[KEPT];
    size_t step;
    const char *doing;
} stage;

static void
require(const stage *s, bool right, const char *what)
{
    if (!right)
        ck_abort_msg("step %zu, %s: %s", s->step, s->doing, what);
}

static void
require_match(const stage *s, const version *v)
{
    region_why why;
    pqt_error error = {0};
    require(s, pqt_region_check(v->region, &error), error.text);
    require(s, bitmap_matches(&v->map, v->region, &why), why.text);
}

static version *
draw_version(stage *s)
{
    return &s->versions[dice_below(&s->d, KEPT)];
}

/* Edges of tiles and of the bitmap are as likely as all else. */
static int32_t
draw_coordinate(dice *d)
{
    static const int32_t edges[] = {-150, -129, -128, -127, -65, -64, -63, -1,  0,
                                    1,    63,   64,   65,   127, 128, 129, 149, 150};
    if (dice_chance(d, 40))
        return edges[dice_below(d, sizeof edges / sizeof *edges)];
    return (int32_t)dice_below(d, 2 * HALF + 1) - HALF;
}

static pqt_pixel_box
draw_box(dice *d)
{
    int32_t a = draw_coordinate(d), b = draw_coordinate(d);
    int32_t e = draw_coordinate(d), f = draw_coordinate(d);
    return (pqt_pixel_box){{a < b ? a : b, e < f ? e : f}, {a < b ? b : a, e < f ? f : e}};
}

static double
draw_place(dice *d, double radius)
{
    double place = dice_chance(d, 30) ? draw_coordinate(d) / 2 : (dice_real(d) - 0.5) * 2 * HALF;
    double most = HALF - radius - 1;
    return place > most ? most : place < -most ? -most : place;
}

static pqt_ink
draw_ink(dice *d)
{
    return (pqt_ink)(PQT_SET + dice_below(d, 3));
}

static pqt_paint
draw_paint(dice *d)
{
    pqt_ink ink = draw_ink(d);
    double radius = dice_chance(d, 20) ? (double)dice_below(d, 5) / 2 : dice_real(d) * 40;
    pqt_vec from = {draw_place(d, radius), draw_place(d, radius)};
    pqt_vec to = {draw_place(d, radius), draw_place(d, radius)};
    switch (dice_below(d, 5)) {
    case 0: {
        pqt_pixel_box box = draw_box(d);
        box.min.x -= box.min.x == HALF;
        box.min.y -= box.min.y == HALF;
        return pqt_paint_pixel(ink, box.min);
    }
    case 1:
        return pqt_paint_box(ink, draw_box(d));
    case 2:
        return pqt_paint_disc(ink, from, radius);
    case 3:
        if (dice_chance(d, 30))
            to.x = from.x;
        else if (dice_chance(d, 30))
            to.y = from.y;
        return pqt_paint_stroke(ink, from, to, radius / 4);
    default:
        return pqt_paint_stroke(ink, from, to, radius);
    }
}

/* ---- commands: each makes a version, and the bitmap that it must be ---- */

typedef version command(stage *s);

static version
paint_once(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    pqt_paint paint = draw_paint(&s->d);
    version next = {pqt_region_paint(v->region, paint, &error), bitmap_copy(&v->map)};
    bitmap_paint(&next.map, &paint);
    require(s, next.region != NULL, error.text);
    require(s, (next.region == v->region) == bitmap_equals(&next.map, &v->map),
            "the same version if and only if nothing changed");
    return next;
}

static version
paint_often(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    pqt_paint paints[MOST_PAINTS];
    size_t count = dice_below(&s->d, MOST_PAINTS + 1);
    version next = {NULL, bitmap_copy(&v->map)};
    for (size_t i = 0; i < count; i++) {
        paints[i] = i > 0 && dice_chance(&s->d, 15) ? paints[i - 1] : draw_paint(&s->d);
        bitmap_paint(&next.map, &paints[i]);
    }
    next.region = pqt_region_paint_all(v->region, paints, count, &error);
    require(s, next.region != NULL, error.text);
    require(s, (next.region == v->region) == bitmap_equals(&next.map, &v->map),
            "the same version if and only if nothing changed");
    return next;
}

/* Whether a moved bitmap has room. */
static bool
fits(const bitmap *map, pqt_pixel offset)
{
    pqt_pixel_box box = bitmap_bounds(map);
    return box.min.x + offset.x >= -HALF && box.min.y + offset.y >= -HALF &&
           box.max.x + offset.x <= HALF && box.max.y + offset.y <= HALF;
}

static pqt_pixel
draw_offset(dice *d)
{
    static const int32_t steps[] = {0, 0, 1, 64, 128};
    int32_t step = steps[dice_below(d, sizeof steps / sizeof *steps)];
    if (step == 1)
        return (pqt_pixel){draw_coordinate(d), draw_coordinate(d)};
    return (pqt_pixel){step * ((int32_t)dice_below(d, 3) - 1),
                       step * ((int32_t)dice_below(d, 3) - 1)};
}

typedef const pqt_region *join_fn(const pqt_region *a, const pqt_region *b, pqt_pixel offset,
                                  pqt_error *error);

static version
join_two(stage *s)
{
    static join_fn *const calls[] = {pqt_region_union, pqt_region_intersection,
                                     pqt_region_difference, pqt_region_xor};
    const version *a = draw_version(s), *b = draw_version(s);
    pqt_error error = {0};
    pqt_pixel offset = draw_offset(&s->d);
    bitmap_operation operation = (bitmap_operation)dice_below(&s->d, 4);
    if (!fits(&b->map, offset) && (operation == BITMAP_UNION || operation == BITMAP_XOR))
        offset = (pqt_pixel){0, 0};
    version next = {calls[operation](a->region, b->region, offset, &error), bitmap_copy(&a->map)};
    bitmap_join(&next.map, &b->map, offset, operation);
    require(s, next.region != NULL, error.text);
    if (bitmap_equals(&next.map, &a->map))
        require(s, next.region == a->region, "what is a is a itself");
    else if (offset.x == 0 && offset.y == 0 && bitmap_equals(&next.map, &b->map))
        require(s, next.region == b->region, "what is b is b itself");
    return next;
}

static version
crop(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    pqt_pixel_box box = draw_box(&s->d);
    version next = {pqt_region_crop(v->region, box, &error), bitmap_copy(&v->map)};
    bitmap_crop(&next.map, box);
    require(s, next.region != NULL, error.text);
    require(s, (next.region == v->region) == bitmap_equals(&next.map, &v->map),
            "the same version if and only if nothing changed");
    return next;
}

static version
complement(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    pqt_pixel_box box = draw_box(&s->d);
    version next = {pqt_region_complement(v->region, box, &error), bitmap_copy(&v->map)};
    bitmap_complement(&next.map, box);
    require(s, next.region != NULL, error.text);
    return next;
}

static version
move(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    pqt_pixel offset = draw_offset(&s->d);
    if (!fits(&v->map, offset))
        offset = (pqt_pixel){0, 0};
    version next = {pqt_region_move(v->region, offset, &error), bitmap_make(HALF)};
    bitmap_join(&next.map, &v->map, offset, BITMAP_UNION);
    require(s, next.region != NULL, error.text);
    return next;
}

static pqt_neighbours
draw_neighbours(dice *d)
{
    return dice_chance(d, 50) ? PQT_NEIGHBOURS_4 : PQT_NEIGHBOURS_8;
}

static version
turn(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    pqt_turn way = (pqt_turn)(1 + dice_below(&s->d, 7));
    version next = {pqt_region_turn(v->region, way, &error), bitmap_copy(&v->map)};
    bitmap_turn(&next.map, way);
    require(s, next.region != NULL, error.text);
    require(s, (next.region == v->region) == bitmap_equals(&next.map, &v->map),
            "the same version if and only if nothing changed");
    return next;
}

/* What is left in the middle is made larger, so that there is room for it. */
static version
scale(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    const int32_t fx = 1 + (int32_t)dice_below(&s->d, 4), fy = 1 + (int32_t)dice_below(&s->d, 4);
    const pqt_pixel_box box = {{-HALF / fx, -HALF / fy}, {HALF / fx, HALF / fy}};
    const pqt_region *part = pqt_region_crop(v->region, box, &error);
    version next = {pqt_region_scale(part, fx, fy, &error), bitmap_copy(&v->map)};
    bitmap_crop(&next.map, box);
    bitmap_scale(&next.map, fx, fy);
    require(s, next.region != NULL, error.text);
    return next;
}

static version
dilate(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    const int32_t steps = (int32_t)dice_below(&s->d, 12);
    const pqt_neighbours neighbours = draw_neighbours(&s->d);
    const pqt_pixel_box box = {{-HALF + steps, -HALF + steps}, {HALF - steps, HALF - steps}};
    const pqt_region *part = pqt_region_crop(v->region, box, &error);
    version next = {pqt_region_dilate(part, steps, neighbours, &error), bitmap_copy(&v->map)};
    bitmap_crop(&next.map, box);
    for (int32_t i = 0; i < steps; i++)
        bitmap_dilate(&next.map, neighbours);
    require(s, next.region != NULL, error.text);
    return next;
}

static version
erode(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    const int32_t steps = (int32_t)dice_below(&s->d, 12);
    const pqt_neighbours neighbours = draw_neighbours(&s->d);
    version next = {pqt_region_erode(v->region, steps, neighbours, &error), bitmap_copy(&v->map)};
    for (int32_t i = 0; i < steps; i++)
        bitmap_erode(&next.map, neighbours);
    require(s, next.region != NULL, error.text);
    require(s, (next.region == v->region) == bitmap_equals(&next.map, &v->map),
            "the same version if and only if nothing changed");
    return next;
}

static version
outline(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    const pqt_neighbours neighbours = draw_neighbours(&s->d);
    version next = {pqt_region_outline(v->region, neighbours, &error), bitmap_copy(&v->map)};
    bitmap inside = bitmap_copy(&v->map);
    bitmap_erode(&inside, neighbours);
    bitmap_join(&next.map, &inside, (pqt_pixel){0, 0}, BITMAP_DIFFERENCE);
    bitmap_free(&inside);
    require(s, next.region != NULL, error.text);
    require(s, (next.region == v->region) == bitmap_equals(&next.map, &v->map),
            "the same version if and only if nothing changed");
    return next;
}

static version
intern(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    version next = {pqt_region_intern(v->region, &error), bitmap_copy(&v->map)};
    require(s, next.region != NULL, error.text);
    require(s, pqt_region_intern(next.region, &error) == next.region, "interned twice");
    return next;
}

static version
component(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    const pqt_neighbours neighbours = draw_neighbours(&s->d);
    const pqt_pixel pixel = {draw_coordinate(&s->d), draw_coordinate(&s->d)};
    bitmap left = bitmap_copy(&v->map);
    version next = {pqt_region_component(v->region, pixel, neighbours, &error), bitmap_make(HALF)};
    bitmap_flood(&left, &next.map, pixel, neighbours);
    bitmap_free(&left);
    require(s, next.region != NULL, error.text);
    if (bitmap_equals(&next.map, &v->map))
        require(s, next.region == v->region, "the only component is the region itself");
    return next;
}

/* A region made anew of the pixels of a version. */
static version
made_again(stage *s, const version *v, const pqt_region *region, const pqt_error *error)
{
    require(s, region != NULL, error->text);
    require(s, pqt_region_equals(region, v->region), "it is not equal");
    require(s, pqt_region_fingerprint(region) == pqt_region_fingerprint(v->region),
            "its fingerprint is not equal");
    return (version){region, bitmap_copy(&v->map)};
}

static version
make_of_bytes(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    const size_t side = 2 * HALF, step = 1 + dice_below(&s->d, 4);
    const size_t stride = side * step + dice_below(&s->d, 9);
    const uint8_t threshold = (uint8_t)dice_below(&s->d, 256);
    uint8_t *data = malloc(stride * side);
    for (size_t i = 0; i < stride * side; i++)
        data[i] = (uint8_t)dice_next(&s->d);
    for (size_t y = 0; y < side; y++)
        for (size_t x = 0; x < side; x++) {
            uint8_t *byte = &data[y * stride + x * step];
            size_t above = 255u - threshold, below = threshold + 1u;
            bool belongs = bitmap_has(&v->map, (int32_t)x - HALF, (int32_t)y - HALF);
            if (above == 0)
                *byte = 255; /* nothing is above the highest threshold */
            else if (belongs)
                *byte = (uint8_t)(threshold + 1u + dice_below(&s->d, above));
            else
                *byte = (uint8_t)dice_below(&s->d, below);
        }
    pqt_byte_image image = {data, side, side, stride, step, threshold};
    const pqt_region *made =
        pqt_region_of_bytes(&image, (pqt_pixel){-HALF, -HALF}, s->memory, &error);
    free(data);
    if (threshold == 255)
        return (version){made, bitmap_make(HALF)};
    return made_again(s, v, made, &error);
}

static version
make_of_bits(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    const size_t side = 2 * HALF, stride = (side + 7) / 8 + dice_below(&s->d, 3);
    const pqt_bit_order order = (pqt_bit_order)(1 + dice_below(&s->d, 2));
    uint8_t *data = malloc(stride * side);
    for (size_t i = 0; i < stride * side; i++)
        data[i] = (uint8_t)dice_next(&s->d);
    for (size_t y = 0; y < side; y++)
        for (size_t x = 0; x < side; x++) {
            size_t bit = order == PQT_BITS_LOW_FIRST ? x % 8 : 7 - x % 8;
            uint8_t *byte = &data[y * stride + x / 8];
            *byte &= (uint8_t) ~(1u << bit);
            if (bitmap_has(&v->map, (int32_t)x - HALF, (int32_t)y - HALF))
                *byte |= (uint8_t)(1u << bit);
        }
    pqt_bit_image image = {data, side, side, stride, order};
    const pqt_region *made =
        pqt_region_of_bits(&image, (pqt_pixel){-HALF, -HALF}, s->memory, &error);
    free(data);
    return made_again(s, v, made, &error);
}

typedef struct list {
    pqt_pixel_run *runs;
    pqt_pixel_box *boxes;
    size_t runs_count, boxes_count;
} list;

static bool
add_run(const pqt_pixel_run *run, void *context)
{
    list *all = context;
    all->runs[all->runs_count++] = *run;
    return true;
}

static bool
add_box(const pqt_pixel_box *box, void *context)
{
    list *all = context;
    all->boxes[all->boxes_count++] = *box;
    return true;
}

static list
list_make(void)
{
    size_t most = 4 * HALF * HALF;
    return (list){malloc(most * sizeof(pqt_pixel_run)), malloc(most * sizeof(pqt_pixel_box)), 0, 0};
}

static void
list_free(list *all)
{
    free(all->runs);
    free(all->boxes);
}

static version
make_of_parts(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    list all = list_make();
    pqt_pixel_box window = pqt_region_bounds(v->region);
    const pqt_region *made;
    if (dice_chance(&s->d, 50)) {
        pqt_region_visit_runs(v->region, window, add_run, &all);
        for (size_t i = 0; i < all.runs_count / 2; i++) {
            pqt_pixel_run kept = all.runs[i];
            size_t other = dice_below(&s->d, all.runs_count);
            all.runs[i] = all.runs[other];
            all.runs[other] = kept;
        }
        made = pqt_region_of_runs(all.runs, all.runs_count, s->memory, &error);
    } else {
        pqt_region_visit_boxes(v->region, window, add_box, &all);
        made = pqt_region_of_boxes(all.boxes, all.boxes_count, s->memory, &error);
    }
    list_free(&all);
    return made_again(s, v, made, &error);
}

static version
start_again(stage *s)
{
    pqt_error error = {0};
    version next = {pqt_region_make(s->memory, &error), bitmap_make(HALF)};
    require(s, next.region != NULL, error.text);
    return next;
}

/* ---- questions: none changes anything ---- */

static void
ask_windows(stage *s, const version *v)
{
    pqt_pixel_box window = draw_box(&s->d);
    int32_t x = draw_coordinate(&s->d), y = draw_coordinate(&s->d);
    uint64_t count = bitmap_count_in(&v->map, window);
    pqt_pixel_box bounds = bitmap_bounds(&v->map), told = pqt_region_bounds(v->region);
    require(s, pqt_region_count_in(v->region, window) == count, "count_in");
    require(s, pqt_region_any_in(v->region, window) == (count > 0), "any_in");
    require(s, pqt_region_contains(v->region, (pqt_pixel){x, y}) == bitmap_has(&v->map, x, y),
            "contains");
    require(s, memcmp(&bounds, &told, sizeof bounds) == 0, "bounds");
}

/* Runs in order, none touching the next, that together have what the bitmap has. */
static void
ask_runs(stage *s, const version *v)
{
    pqt_pixel_box window = draw_box(&s->d);
    list all = list_make();
    bitmap seen = bitmap_make(HALF), part = bitmap_copy(&v->map);
    bitmap_crop(&part, window);
    require(s, pqt_region_visit_runs(v->region, window, add_run, &all), "the walk ends");
    for (size_t i = 0; i < all.runs_count; i++) {
        const pqt_pixel_run *run = &all.runs[i];
        require(s, run->min_x < run->max_x, "a run is empty");
        if (i > 0)
            require(s, run->y > run[-1].y || (run->y == run[-1].y && run->min_x > run[-1].max_x),
                    "runs are out of order, or touch");
        for (int32_t x = run->min_x; x < run->max_x; x++)
            bitmap_put(&seen, x, run->y, true);
    }
    require(s, bitmap_equals(&seen, &part), "the runs have other pixels");
    bitmap_free(&seen);
    bitmap_free(&part);
    list_free(&all);
}

/* Whether row y of a bitmap has just the run that a box begins with. */
static bool
has_run(const bitmap *map, const pqt_pixel_box *box, int32_t y)
{
    if (bitmap_has(map, box->min.x - 1, y) || bitmap_has(map, box->max.x, y))
        return false;
    for (int32_t x = box->min.x; x < box->max.x; x++)
        if (!bitmap_has(map, x, y))
            return false;
    return true;
}

/* Boxes in order, disjoint, as high as they can be. */
static void
ask_boxes(stage *s, const version *v)
{
    pqt_pixel_box window = draw_box(&s->d);
    list all = list_make();
    bitmap seen = bitmap_make(HALF), part = bitmap_copy(&v->map);
    bitmap_crop(&part, window);
    require(s, pqt_region_visit_boxes(v->region, window, add_box, &all), "the walk ends");
    for (size_t i = 0; i < all.boxes_count; i++) {
        const pqt_pixel_box *box = &all.boxes[i];
        require(s, bitmap_count_in(&seen, *box) == 0, "boxes overlap");
        require(s, !has_run(&part, box, box->min.y - 1) && !has_run(&part, box, box->max.y),
                "a box could be higher");
        if (i > 0)
            require(s,
                    box->min.y > box[-1].min.y ||
                        (box->min.y == box[-1].min.y && box->min.x > box[-1].min.x),
                    "boxes are out of order");
        pqt_paint paint = pqt_paint_box(PQT_SET, *box);
        bitmap_paint(&seen, &paint);
    }
    require(s, bitmap_equals(&seen, &part), "the boxes have other pixels");
    bitmap_free(&seen);
    bitmap_free(&part);
    list_free(&all);
}

static void
ask_bytes(stage *s, const version *v)
{
    pqt_pixel_box window = draw_box(&s->d);
    pqt_error error = {0};
    const int32_t width = window.max.x - window.min.x, height = window.max.y - window.min.y;
    const size_t stride = (size_t)width + dice_below(&s->d, 5);
    uint8_t *bytes = malloc(stride * (size_t)height + 1);
    memset(bytes, 7, stride * (size_t)height + 1);
    require(s, pqt_region_to_bytes(v->region, window, bytes, stride, 200, &error), error.text);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < (int32_t)stride; x++) {
            bool belongs = bitmap_has(&v->map, window.min.x + x, window.min.y + y);
            uint8_t must = x >= width ? 7 : belongs ? 200 : 0;
            require(s, bytes[(size_t)y * stride + (size_t)x] == must, "a byte is wrong");
        }
    require(s, bytes[stride * (size_t)height] == 7, "a byte was written behind the last");
    free(bytes);
}

static bool
box_is_inside(pqt_pixel_box box, pqt_pixel_box of)
{
    return box.min.x >= of.min.x && box.min.y >= of.min.y && box.max.x <= of.max.x &&
           box.max.y <= of.max.y;
}

/* The boxes of a difference are disjoint, tight, and have all that differs. */
static void
ask_diff(stage *s, const version *v)
{
    const version *w = draw_version(s);
    list all = list_make();
    bitmap xored = bitmap_copy(&v->map), seen = bitmap_make(HALF);
    uint64_t changes = 0;
    bitmap_join(&xored, &w->map, (pqt_pixel){0, 0}, BITMAP_XOR);
    require(s, pqt_region_diff(v->region, w->region, add_box, &all), "the walk ends");
    for (size_t i = 0; i < all.boxes_count; i++) {
        pqt_pixel_box box = all.boxes[i];
        bitmap part = bitmap_copy(&xored);
        bitmap_crop(&part, box);
        pqt_pixel_box tight = bitmap_bounds(&part);
        require(s, memcmp(&tight, &box, sizeof box) == 0, "a box is not tight");
        require(s, bitmap_count_in(&seen, box) == 0, "boxes overlap");
        pqt_paint paint = pqt_paint_box(PQT_SET, box);
        bitmap_paint(&seen, &paint);
        changes += bitmap_count_in(&xored, box);
        bitmap_free(&part);
    }
    require(s, changes == bitmap_count_in(&xored, (pqt_pixel_box){{-HALF, -HALF}, {HALF, HALF}}),
            "a change was missed");
    require(s, pqt_region_equals(v->region, w->region) == (changes == 0), "equals");
    require(s,
            (pqt_region_fingerprint(v->region) == pqt_region_fingerprint(w->region)) ==
                (changes == 0),
            "fingerprint");
    pqt_pixel_box damage[5];
    size_t capacity = 1 + dice_below(&s->d, 5);
    size_t count = pqt_region_damage(v->region, w->region, damage, capacity);
    require(s, count == (all.boxes_count < capacity ? all.boxes_count : capacity), "damage");
    for (size_t i = 0; i < all.boxes_count; i++) {
        bool covered = false;
        for (size_t k = 0; k < count; k++)
            covered = covered || box_is_inside(all.boxes[i], damage[k]);
        require(s, covered, "damage misses a box of the difference");
    }
    bitmap_free(&xored);
    bitmap_free(&seen);
    list_free(&all);
}

/* What is left of a version while its components are visited. */
typedef struct visit {
    const stage *s;
    bitmap left;
    pqt_neighbours neighbours;
    size_t count, most;
} visit;

/* The first pixel that is left, row by row, leads to the component that must come. */
static bool
expect_component(const pqt_region *component, void *context)
{
    visit *v = context;
    bitmap map = bitmap_make(HALF);
    pqt_pixel at = bitmap_bounds(&v->left).min;
    require(v->s, bitmap_count_in(&v->left, (pqt_pixel_box){{-HALF, -HALF}, {HALF, HALF}}) > 0,
            "a component too many");
    for (at.x = -HALF; !bitmap_has(&v->left, at.x, at.y);)
        at.x++;
    bitmap_flood(&v->left, &map, at, v->neighbours);
    require_match(v->s, &(version){component, map});
    bitmap_free(&map);
    return ++v->count < v->most;
}

static void
ask_components(stage *s, const version *v)
{
    pqt_error error = {0};
    visit walk = {s, bitmap_copy(&v->map), draw_neighbours(&s->d), 0,
                  dice_chance(&s->d, 20) ? 2 : SIZE_MAX};
    require(
        s, pqt_region_visit_components(v->region, walk.neighbours, expect_component, &walk, &error),
        error.text);
    pqt_pixel_box none = bitmap_bounds(&walk.left);
    require(s, walk.count == walk.most || none.min.x == none.max.x, "a component too few");
    bitmap_free(&walk.left);
}

static void
ask_stats(stage *s, const version *v)
{
    const version *w = draw_version(s);
    pqt_region_stats stats = pqt_region_get_stats(v->region), others;
    require(s, stats.pixels == pqt_region_count(v->region), "pixels");
    others = pqt_region_get_stats(w->region);
    size_t shared = pqt_region_shared_bytes(v->region, w->region);
    require(s, shared <= stats.bytes && shared <= others.bytes, "shared bytes");
    require(s, shared == pqt_region_shared_bytes(w->region, v->region), "shared both ways");
}

/* ---- the play ---- */

typedef struct play {
    const char *name;
    command *run;
    size_t weight;
} play;

static const play plays[] = {
    {"paint", paint_once, 30},
    {"paint all", paint_often, 15},
    {"join", join_two, 30},
    {"crop", crop, 5},
    {"complement", complement, 5},
    {"move", move, 5},
    {"turn", turn, 4},
    {"scale", scale, 3},
    {"dilate", dilate, 3},
    {"erode", erode, 4},
    {"outline", outline, 3},
    {"component", component, 3},
    {"intern", intern, 2},
    {"of bytes", make_of_bytes, 2},
    {"of bits", make_of_bits, 2},
    {"of parts", make_of_parts, 3},
    {"start again", start_again, 1},
};

static const play *
draw_play(dice *d)
{
    size_t sum = 0;
    for (size_t i = 0; i < sizeof plays / sizeof *plays; i++)
        sum += plays[i].weight;
    size_t left = dice_below(d, sum);
    const play *chosen = plays;
    for (; left >= chosen->weight; chosen++)
        left -= chosen->weight;
    return chosen;
}

typedef void question(stage *s, const version *v);

static void
ask(stage *s, const version *v)
{
    static question *const questions[] = {ask_windows, ask_components, ask_runs, ask_boxes,
                                          ask_bytes,   ask_diff,       ask_stats};
    questions[dice_below(&s->d, sizeof questions / sizeof *questions)](s, v);
}

/* Replaces a version; the replaced one is checked for the last time. */
static void
keep(stage *s, version next)
{
    version *old = draw_version(s);
    require_match(s, old);
    bitmap_free(&old->map);
    *old = next;
}

static stage
stage_make(uint64_t seed, pqt_memory *memory)
{
    stage s = {.d = {seed}, .memory = memory, .doing = "start"};
    for (int i = 0; i < KEPT; i++)
        s.versions[i] = start_again(&s);
    return s;
}

static void
stage_free(stage *s)
{
    s->doing = "end";
    for (int i = 0; i < KEPT; i++) {
        require_match(s, &s->versions[i]);
        bitmap_free(&s->versions[i].map);
    }
}

static void
run_commands(stage *s, size_t commands)
{
    for (s->step = 0; s->step < commands; s->step++) {
        const play *chosen = draw_play(&s->d);
        s->doing = chosen->name;
        version next = chosen->run(s);
        require_match(s, &next);
        ask(s, &next);
        keep(s, next);
    }
}

START_TEST(random_commands_come_to_what_a_bitmap_comes_to)
{
    pqt_error error = {0};
    pqt_memory *arena = _i == 0 ? NULL : pqt_arena_make(0, &error);
    pqt_memory *memory = _i == 0 ? pqt_collector() : arena;
    if (memory == NULL)
        return; /* a build without the collector */
    stage s = stage_make(test_seed("random_commands") + (uint64_t)_i, memory);
    run_commands(&s, test_scaled(COMMANDS));
    stage_free(&s);
    pqt_arena_destroy(&arena);
}
END_TEST

START_TEST(a_collection_at_each_allocation_takes_nothing_that_is_needed)
{
    if (pqt_collector() == NULL)
        return;
    pqt_error error = {0};
    ck_assert(pqt_init(&error));
    hooks watch = {.collect_every = 7, .memory = pqt_collector()};
    stage s = stage_make(test_seed("a_collection_at_each_allocation"), pqt_collector());
    run_commands(&s, 60); /* something to lose */
    hooks_start(&watch);
    run_commands(&s, test_scaled(40));
    watch.collect_every = 1;
    run_commands(&s, test_scaled(15));
    hooks_stop();
    ck_assert_uint_gt(watch.collections, 0);
    stage_free(&s);
}
END_TEST

/* What is needed to make one version in several ways. */
typedef struct makings {
    const pqt_region *v, *w;
    pqt_paint paints[3];
    pqt_pixel_box box;
    pqt_memory *memory;
} makings;

typedef const pqt_region *make_fn(const makings *m, pqt_error *error);

static const pqt_region *
make_paint(const makings *m, pqt_error *error)
{
    return pqt_region_paint(m->v, m->paints[0], error);
}

static const pqt_region *
make_pixel(const makings *m, pqt_error *error)
{
    return pqt_region_paint(m->v, pqt_paint_pixel(PQT_TOGGLE, (pqt_pixel){5, -5}), error);
}

static const pqt_region *
make_paint_all(const makings *m, pqt_error *error)
{
    return pqt_region_paint_all(m->v, m->paints, 3, error);
}

static const pqt_region *
make_union(const makings *m, pqt_error *error)
{
    return pqt_region_union(m->v, m->w, (pqt_pixel){0, 0}, error);
}

static const pqt_region *
make_xor(const makings *m, pqt_error *error)
{
    return pqt_region_xor(m->v, m->w, (pqt_pixel){1, -1}, error);
}

static const pqt_region *
make_complement(const makings *m, pqt_error *error)
{
    return pqt_region_complement(m->v, m->box, error);
}

static const pqt_region *
make_crop(const makings *m, pqt_error *error)
{
    return pqt_region_crop(m->v, m->box, error);
}

static const pqt_region *
make_moved(const makings *m, pqt_error *error)
{
    return pqt_region_move(m->v, (pqt_pixel){-3, 3}, error);
}

static const pqt_region *
make_boxes(const makings *m, pqt_error *error)
{
    return pqt_region_of_boxes(&m->box, 1, m->memory, error);
}

static const pqt_region *
make_bytes(const makings *m, pqt_error *error)
{
    static const uint8_t row[200] = {1, 0, 1, [199] = 1};
    const pqt_byte_image image = {row, 200, 1, 200, 1, 0};
    return pqt_region_of_bytes(&image, m->box.min, m->memory, error);
}

static const pqt_region *
make_turned(const makings *m, pqt_error *error)
{
    return pqt_region_turn(m->v, PQT_TURN_90, error);
}

static const pqt_region *
make_scaled(const makings *m, pqt_error *error)
{
    return pqt_region_scale(m->v, 2, 3, error);
}

static const pqt_region *
make_outline(const makings *m, pqt_error *error)
{
    return pqt_region_outline(m->v, PQT_NEIGHBOURS_8, error);
}

static bool
ignore(const pqt_region *region, void *context)
{
    (void)region;
    (void)context;
    return true;
}

/* Makes all components; the version itself stands for them. */
static const pqt_region *
make_components(const makings *m, pqt_error *error)
{
    return pqt_region_visit_components(m->v, PQT_NEIGHBOURS_4, ignore, NULL, error) ? m->v : NULL;
}

static const pqt_region *
make_component(const makings *m, pqt_error *error)
{
    return pqt_region_component(m->v, m->box.min, PQT_NEIGHBOURS_4, error);
}

/* Fails each allocation of a call in turn, until there is none left to fail. */
static void
fail_each(const stage *s, make_fn *make, const makings *m)
{
    for (hooks watch = {.fail_at = 1};; watch.fail_at++) {
        pqt_error error = {0};
        hooks_start(&watch);
        const pqt_region *made = make(m, &error);
        hooks_stop();
        if (watch.failures == 0) {
            require(s, made != NULL, error.text);
            return;
        }
        require(s, made == NULL && error.status == PQT_ERROR_MEMORY, "a failure was not told");
    }
}

static void
run_failing(stage *s)
{
    static make_fn *const makes[] = {make_paint,   make_pixel,     make_paint_all,  make_union,
                                     make_xor,     make_boxes,     make_complement, make_crop,
                                     make_moved,   make_bytes,     make_turned,     make_scaled,
                                     make_outline, make_component, make_components};
    const version *v = draw_version(s), *w = draw_version(s);
    const makings m = {v->region,
                       w->region,
                       {draw_paint(&s->d), draw_paint(&s->d), draw_paint(&s->d)},
                       draw_box(&s->d),
                       s->memory};
    for (size_t i = 0; i < sizeof makes / sizeof *makes; i++)
        fail_each(s, makes[i], &m);
    require_match(s, v);
    require_match(s, w);
}

START_TEST(each_failed_allocation_is_told_and_changes_nothing)
{
    pqt_error error = {0};
    pqt_memory *arena = pqt_arena_make(0, &error);
    stage s = stage_make(test_seed("each_failed_allocation"), arena);
    run_commands(&s, 60);
    s.doing = "failing";
    for (size_t i = 0; i < test_scaled(10); i++)
        run_failing(&s);
    stage_free(&s);
    pqt_arena_destroy(&arena);
}
END_TEST

START_TEST(copies_share_what_the_versions_share)
{
    pqt_error error = {0};
    pqt_memory *arena = pqt_arena_make(0, &error), *other = pqt_arena_make(0, &error);
    stage s = stage_make(test_seed("copies_share"), arena);
    const pqt_region *regions[KEPT], *copies[KEPT];
    hooks watch = {.fail_at = 0};
    run_commands(&s, test_scaled(200));
    for (int i = 0; i < KEPT; i++)
        regions[i] = s.versions[i].region;
    hooks_start(&watch);
    ck_assert_msg(pqt_region_copy_all(regions, KEPT, other, copies, &error), "%s", error.text);
    hooks_stop();
    for (int i = 0; i < KEPT; i++) {
        version copy = {copies[i], s.versions[i].map};
        require_match(&s, &copy);
        ck_assert_ptr_eq(pqt_region_memory(copies[i]), other);
        ck_assert(pqt_region_equals(copies[i], regions[i]));
        for (int k = 0; k < KEPT; k++)
            ck_assert_uint_ge(pqt_region_shared_bytes(copies[i], copies[k]),
                              pqt_region_shared_bytes(regions[i], regions[k]));
    }
    const size_t allocations = watch.calls;
    for (watch.fail_at = 1; watch.fail_at <= allocations; watch.fail_at++) {
        pqt_error failed = {0};
        const pqt_region *none[KEPT] = {NULL};
        hooks_start(&watch);
        ck_assert(!pqt_region_copy_all(regions, KEPT, other, none, &failed));
        hooks_stop();
        ck_assert_int_eq(failed.status, PQT_ERROR_MEMORY);
        ck_assert_ptr_null(none[0]);
    }
    stage_free(&s);
    pqt_arena_destroy(&arena);
    pqt_arena_destroy(&other);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region_model");
    TCase *tcase = tcase_create("model");
    tcase_set_timeout(tcase, 0);
    tcase_add_loop_test(tcase, random_commands_come_to_what_a_bitmap_comes_to, 0, 2);
    tcase_add_test(tcase, a_collection_at_each_allocation_takes_nothing_that_is_needed);
    tcase_add_test(tcase, each_failed_allocation_is_told_and_changes_nothing);
    tcase_add_test(tcase, copies_share_what_the_versions_share);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
