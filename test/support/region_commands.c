/* SPDX-License-Identifier: MIT */
/*
 * region_commands.c: commands that make a region and its bitmap from one or two others.
 *
 * Each command draws its operands, and checks that the call succeeds and that it returns an operand
 * itself when it must. The caller compares the region with the bitmap.
 */
#include "config.h"

#include <pqt/region_affine.h>
#include <pqt/region_convolve.h>
#include <pqt/region_morph.h>

#include "region_commands.h"

#include "resample_model.h"

enum { MOST_PAINTS = 12 };

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

/* Returns true if a bitmap moved by an offset fits into one of the same size. */
static bool
check_item_limit(const bitmap *map, pqt_pixel offset)
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
    if (!check_item_limit(&b->map, offset) &&
        (operation == BITMAP_UNION || operation == BITMAP_XOR))
        offset = (pqt_pixel){0, 0};
    version next = {calls[operation](a->region, b->region, offset, &error), bitmap_copy(&a->map)};
    bitmap_join(&next.map, &b->map, offset, operation);
    require(s, next.region != NULL, error.text);
    if (bitmap_equals(&next.map, &a->map))
        require(s, next.region == a->region, "a result equal to a is a itself");
    else if (offset.x == 0 && offset.y == 0 && bitmap_equals(&next.map, &b->map))
        require(s, next.region == b->region, "a result equal to b is b itself");
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
    if (!check_item_limit(&v->map, offset))
        offset = (pqt_pixel){0, 0};
    version next = {pqt_region_move(v->region, offset, &error), bitmap_make(HALF)};
    bitmap_join(&next.map, &v->map, offset, BITMAP_UNION);
    require(s, next.region != NULL, error.text);
    return next;
}

static version
turn(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    pqt_transform way = (pqt_transform)(1 + dice_below(&s->d, 7));
    version next = {pqt_region_transform(v->region, way, &error), bitmap_copy(&v->map)};
    bitmap_transform(&next.map, way);
    require(s, next.region != NULL, error.text);
    require(s, (next.region == v->region) == bitmap_equals(&next.map, &v->map),
            "the same version if and only if nothing changed");
    return next;
}

/* Scales a part around the middle, so that the result fits into the bitmap. */
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
    const pqt_connectivity connectivity = draw_neighbours(&s->d);
    const pqt_pixel_box box = {{-HALF + steps, -HALF + steps}, {HALF - steps, HALF - steps}};
    const pqt_region *part = pqt_region_crop(v->region, box, &error);
    version next = {pqt_region_dilate(part, steps, connectivity, &error), bitmap_copy(&v->map)};
    bitmap_crop(&next.map, box);
    for (int32_t i = 0; i < steps; i++)
        bitmap_dilate(&next.map, connectivity);
    require(s, next.region != NULL, error.text);
    return next;
}

static version
erode(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    const int32_t steps = (int32_t)dice_below(&s->d, 12);
    const pqt_connectivity connectivity = draw_neighbours(&s->d);
    version next = {pqt_region_erode(v->region, steps, connectivity, &error), bitmap_copy(&v->map)};
    for (int32_t i = 0; i < steps; i++)
        bitmap_erode(&next.map, connectivity);
    require(s, next.region != NULL, error.text);
    require(s, (next.region == v->region) == bitmap_equals(&next.map, &v->map),
            "the same version if and only if nothing changed");
    return next;
}

/* Returns a multiple of 1/1024. Many are on the edge of a disc: square roots of sums of squares. */
static double
draw_disc_radius(dice *d)
{
    if (dice_chance(d, 50))
        return (double)dice_below(d, 9);
    return (double)dice_below(d, 9 * 1024) / 1024;
}

static version
dilate_disc(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    const double radius = draw_disc_radius(&s->d);
    const pqt_pixel_box box = {{-HALF + 12, -HALF + 12}, {HALF - 12, HALF - 12}};
    const pqt_region *part = pqt_region_crop(v->region, box, &error);
    version next = {pqt_region_dilate_disc(part, radius, &error), bitmap_copy(&v->map)};
    bitmap_crop(&next.map, box);
    bitmap_grow_disc(&next.map, radius, true);
    require(s, next.region != NULL, error.text);
    return next;
}

static version
erode_disc(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    const double radius = draw_disc_radius(&s->d);
    version next = {pqt_region_erode_disc(v->region, radius, &error), bitmap_copy(&v->map)};
    bitmap_grow_disc(&next.map, radius, false);
    require(s, next.region != NULL, error.text);
    require(s, (next.region == v->region) == bitmap_equals(&next.map, &v->map),
            "the same version if and only if nothing changed");
    return next;
}

static version
skeleton(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    const pqt_pixel at = {draw_coordinate(&s->d), draw_coordinate(&s->d)};
    const pqt_pixel_box box = {{at.x - 50, at.y - 50}, {at.x + 50, at.y + 50}};
    const pqt_region *part = pqt_region_crop(v->region, box, &error);
    version next = {pqt_region_skeleton(part, &error), bitmap_copy(&v->map)};
    bitmap_crop(&next.map, box);
    bitmap_thin(&next.map);
    require(s, next.region != NULL, error.text);
    require(s, (next.region == part) == pqt_region_equals(next.region, part),
            "the same version if and only if nothing changed");
    return next;
}

static version
outline(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    const pqt_connectivity connectivity = draw_neighbours(&s->d);
    version next = {pqt_region_outline(v->region, connectivity, &error), bitmap_copy(&v->map)};
    bitmap inside = bitmap_copy(&v->map);
    bitmap_erode(&inside, connectivity);
    bitmap_join(&next.map, &inside, (pqt_pixel){0, 0}, BITMAP_DIFFERENCE);
    bitmap_free(&inside);
    require(s, next.region != NULL, error.text);
    require(s, (next.region == v->region) == bitmap_equals(&next.map, &v->map),
            "the same version if and only if nothing changed");
    return next;
}

/* ---- Maps ---- */

/* Returns true if a pixel of a resized region is set, by the definition in the header. x and y are
 * relative to the box. */
static bool
is_resized(const bitmap *map, pqt_pixel_box from, pqt_pixel size, pqt_sampling sampling, int32_t x,
           int32_t y)
{
    const int32_t n = from.max.x - from.min.x, p = from.max.y - from.min.y;
    int64_t units = 0;
    if (n == 0 || p == 0)
        return false;
    if (sampling == PQT_SAMPLE_NEAREST)
        return bitmap_has(map, from.min.x + (2 * x + 1) * n / (2 * size.x),
                          from.min.y + (2 * y + 1) * p / (2 * size.y));
    for (int32_t v = y * p / size.y; v < p && v * size.y < (y + 1) * p; v++)
        for (int32_t u = x * n / size.x; u < n && u * size.x < (x + 1) * n; u++)
            if (bitmap_has(map, from.min.x + u, from.min.y + v))
                units += common_units(n, size.x, x, u) * common_units(p, size.y, y, v);
    return 2 * units >= (int64_t)n * p;
}

static version
resize(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    const pqt_pixel_box from = draw_box(&s->d), to = draw_box(&s->d);
    const pqt_pixel size = {to.max.x - to.min.x, to.max.y - to.min.y};
    const pqt_sampling sampling = draw_sampling(&s->d);
    version next = {pqt_region_resize(v->region, from, to, sampling, &error), bitmap_make(HALF)};
    for (int32_t y = 0; y < size.y; y++)
        for (int32_t x = 0; x < size.x; x++)
            if (is_resized(&v->map, from, size, sampling, x, y))
                bitmap_put(&next.map, to.min.x + x, to.min.y + y, true);
    require(s, next.region != NULL, error.text);
    return next;
}

/* Maps by a quarter turn or a flip and a move, which no rounding displaces. */
static version
map_exactly(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    const pqt_pixel_box part = {{-HALF + 20, -HALF + 20}, {HALF - 20, HALF - 20}};
    const int32_t right = dice_chance(&s->d, 50) ? 1 : -1, down = dice_chance(&s->d, 50) ? 1 : -1;
    const int32_t dx = (int32_t)dice_below(&s->d, 39) - 19,
                  dy = (int32_t)dice_below(&s->d, 39) - 19;
    const bool swaps = dice_chance(&s->d, 50);
    const pqt_affine map = {.xx = swaps ? 0 : right,
                            .xy = swaps ? right : 0,
                            .dx = dx,
                            .yx = swaps ? down : 0,
                            .yy = swaps ? 0 : down,
                            .dy = dy};
    const pqt_region *cropped = pqt_region_crop(v->region, part, &error);
    version next = {pqt_region_map(cropped, map, draw_sampling(&s->d), &error), bitmap_make(HALF)};
    require(s, next.region != NULL, error.text);
    for (int32_t y = part.min.y; y < part.max.y; y++)
        for (int32_t x = part.min.x; x < part.max.x; x++)
            if (bitmap_has(&v->map, x, y))
                bitmap_put(&next.map, dx + right * (swaps ? y : x) - (right < 0),
                           dy + down * (swaps ? x : y) - (down < 0), true);
    return next;
}

/* ---- Arrays: each returns a version unchanged ---- */

/* Compares overlap counts at a few offsets. */
static version
count_overlaps(stage *s)
{
    const version *v = draw_version(s), *w = draw_version(s);
    pqt_error error = {0};
    const pqt_pixel at = {draw_coordinate(&s->d), draw_coordinate(&s->d)};
    const pqt_pixel_box offsets = {at, {at.x + 2, at.y + 2}};
    uint32_t counts[2 * 2];
    require(s, pqt_region_convolve(v->region, w->region, offsets, counts, 2, &error), error.text);
    for (int i = 0; i < 4; i++) {
        uint32_t count = 0;
        const int32_t dx = at.x + i % 2, dy = at.y + i / 2;
        for (int32_t y = -HALF; y < HALF; y++)
            for (int32_t x = -HALF; x < HALF; x++)
                count += bitmap_has(&v->map, x, y) && bitmap_has(&w->map, x - dx, y - dy);
        require(s, counts[i] == count, "an overlap count differs");
    }
    return (version){v->region, bitmap_copy(&v->map)};
}

enum { DISTANCES = 16 };

/* Returns the squared distance of a pixel to the nearest target of a window. */
static uint32_t
nearest_square(const bitmap *map, pqt_pixel at, pqt_pixel pixel, bool to_region)
{
    uint32_t least = UINT32_MAX;
    for (int32_t i = 0; i < DISTANCES * DISTANCES; i++) {
        const int32_t x = at.x + i % DISTANCES, y = at.y + i / DISTANCES;
        const uint32_t square =
            (uint32_t)((x - pixel.x) * (x - pixel.x)) + (uint32_t)((y - pixel.y) * (y - pixel.y));
        if (bitmap_has(map, x, y) == to_region && square < least)
            least = square;
    }
    return least;
}

static version
measure_distances(stage *s)
{
    const version *v = draw_version(s);
    pqt_error error = {0};
    const pqt_pixel at = {draw_coordinate(&s->d), draw_coordinate(&s->d)};
    const pqt_pixel_box window = {at, {at.x + DISTANCES, at.y + DISTANCES}};
    const bool to_region = dice_chance(&s->d, 50);
    const pqt_distance_target target = to_region ? PQT_DISTANCE_TO_REGION : PQT_DISTANCE_TO_OUTSIDE;
    uint32_t squares[DISTANCES * DISTANCES];
    require(s, pqt_region_distances(v->region, window, target, squares, DISTANCES, &error),
            error.text);
    for (int32_t i = 0; i < DISTANCES * DISTANCES; i++) {
        const pqt_pixel pixel = {at.x + i % DISTANCES, at.y + i / DISTANCES};
        require(s, squares[i] == nearest_square(&v->map, at, pixel, to_region),
                "a distance differs");
    }
    return (version){v->region, bitmap_copy(&v->map)};
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
    const pqt_connectivity connectivity = draw_neighbours(&s->d);
    const pqt_pixel pixel = {draw_coordinate(&s->d), draw_coordinate(&s->d)};
    bitmap left = bitmap_copy(&v->map);
    version next = {pqt_region_component(v->region, pixel, connectivity, &error),
                    bitmap_make(HALF)};
    bitmap_flood(&left, &next.map, pixel, connectivity);
    bitmap_free(&left);
    require(s, next.region != NULL, error.text);
    if (bitmap_equals(&next.map, &v->map))
        require(s, next.region == v->region, "the only component is the region itself");
    return next;
}

/* Takes one component after another from the pixels that are left, row by row. */
static version
largest_component(stage *s)
{
    static const pqt_pixel_box all = {{-HALF, -HALF}, {HALF, HALF}};
    const version *v = draw_version(s);
    pqt_error error = {0};
    const pqt_connectivity connectivity = draw_neighbours(&s->d);
    bitmap left = bitmap_copy(&v->map);
    uint64_t most = 0;
    version next = {pqt_region_largest_component(v->region, connectivity, &error),
                    bitmap_make(HALF)};
    for (int32_t i = 0; i < 4 * HALF * HALF; i++) {
        const pqt_pixel pixel = {i % (2 * HALF) - HALF, i / (2 * HALF) - HALF};
        if (!bitmap_has(&left, pixel.x, pixel.y))
            continue;
        bitmap one = bitmap_make(HALF);
        bitmap_flood(&left, &one, pixel, connectivity);
        const uint64_t count = bitmap_count_in(&one, all);
        bitmap_free(count > most ? &next.map : &one);
        if (count > most)
            next.map = one;
        most = count > most ? count : most;
    }
    bitmap_free(&left);
    require(s, next.region != NULL, error.text);
    return next;
}

/* Checks that a region that was rebuilt from the pixels of a version equals it. Returns the rebuilt
 * region with a copy of the bitmap. */
static version
made_again(stage *s, const version *v, const pqt_region *region, const pqt_error *error)
{
    require(s, region != NULL, error->text);
    require(s, pqt_region_equals(region, v->region), "the rebuilt region differs");
    require(
        s,
        pqt_fingerprint_equals(pqt_region_fingerprint(region), pqt_region_fingerprint(v->region)),
        "the fingerprint of the rebuilt region differs");
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
                *byte = 255; /* no pixel is above the highest threshold */
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

version
region_start_again(stage *s)
{
    pqt_error error = {0};
    version next = {pqt_region_make(s->memory, &error), bitmap_make(HALF)};
    require(s, next.region != NULL, error.text);
    return next;
}

/* ---- Choosing the next command ---- */

static const region_command commands[] = {
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
    {"dilate by a disc", dilate_disc, 3},
    {"erode by a disc", erode_disc, 3},
    {"skeleton", skeleton, 2},
    {"resize", resize, 3},
    {"map exactly", map_exactly, 3},
    {"count overlaps", count_overlaps, 1},
    {"measure distances", measure_distances, 2},
    {"component", component, 6},
    {"largest component", largest_component, 1},
    {"intern", intern, 2},
    {"of bytes", make_of_bytes, 2},
    {"of bits", make_of_bits, 2},
    {"of parts", make_of_parts, 3},
    {"start again", region_start_again, 1},
};

const region_command *
region_command_draw(dice *d)
{
    size_t sum = 0;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        sum += commands[i].weight;
    size_t left = dice_below(d, sum);
    const region_command *chosen = commands;
    for (; left >= chosen->weight; chosen++)
        left -= chosen->weight;
    return chosen;
}
