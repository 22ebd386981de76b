/* SPDX-License-Identifier: MIT */
/*
 * region_reference.c: compares queries of a region with its bitmap.
 *
 * No function changes a region or a bitmap.
 */
#include "config.h"

#include "region_reference.h"

#include <pqt/region_morph.h>

#include "region_contours.h"

#include <math.h>
#include <string.h>

static void
check_windows(stage *s, const version *v)
{
    pqt_pixel_box window = draw_box(&s->d);
    int32_t x = draw_coordinate(&s->d), y = draw_coordinate(&s->d);
    uint64_t count = bitmap_count_in(&v->map, window);
    pqt_pixel_box bounds = bitmap_bounds(&v->map), reported = pqt_region_bounds(v->region);
    require(s, pqt_region_count_in(v->region, window) == count, "count_in");
    require(s, pqt_region_any_in(v->region, window) == (count > 0), "any_in");
    require(s, pqt_region_contains(v->region, (pqt_pixel){x, y}) == bitmap_has(&v->map, x, y),
            "contains");
    require(s, memcmp(&bounds, &reported, sizeof bounds) == 0, "bounds");
}

/* Checks that runs are in order, do not touch each other, and have the pixels of the bitmap. */
static void
check_runs(stage *s, const version *v)
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

/* Returns true if row y of a bitmap has exactly the run of the box's columns. */
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

/* Checks that boxes are in order, disjoint, and as high as possible. */
static void
check_boxes(stage *s, const version *v)
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
        pqt_paint paint = pqt_paint_box(PQT_PAINT_SET, *box);
        bitmap_paint(&seen, &paint);
    }
    require(s, bitmap_equals(&seen, &part), "the boxes have other pixels");
    bitmap_free(&seen);
    bitmap_free(&part);
    list_free(&all);
}

static void
check_bytes(stage *s, const version *v)
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
    require(s, bytes[stride * (size_t)height] == 7, "a byte was written after the last");
    free(bytes);
}

static bool
box_is_inside(pqt_pixel_box box, pqt_pixel_box of)
{
    return box.min.x >= of.min.x && box.min.y >= of.min.y && box.max.x <= of.max.x &&
           box.max.y <= of.max.y;
}

/* Checks that the boxes of a difference are disjoint and tight, and contain all pixels that
 * differ. */
static void
check_diff(stage *s, const version *v)
{
    const version *w = draw_version(s);
    list all = list_make();
    bitmap xored = bitmap_copy(&v->map), seen = bitmap_make(HALF);
    uint64_t changes = 0;
    bitmap_join(&xored, &w->map, (pqt_pixel){0, 0}, BITMAP_XOR);
    require(s, pqt_region_visit_diff(v->region, w->region, add_box, &all), "the walk ends");
    for (size_t i = 0; i < all.boxes_count; i++) {
        pqt_pixel_box box = all.boxes[i];
        bitmap part = bitmap_copy(&xored);
        bitmap_crop(&part, box);
        pqt_pixel_box tight = bitmap_bounds(&part);
        require(s, memcmp(&tight, &box, sizeof box) == 0, "a box is not tight");
        require(s, bitmap_count_in(&seen, box) == 0, "boxes overlap");
        pqt_paint paint = pqt_paint_box(PQT_PAINT_SET, box);
        bitmap_paint(&seen, &paint);
        changes += bitmap_count_in(&xored, box);
        bitmap_free(&part);
    }
    require(s, changes == bitmap_count_in(&xored, (pqt_pixel_box){{-HALF, -HALF}, {HALF, HALF}}),
            "a change was missed");
    require(s, pqt_region_equals(v->region, w->region) == (changes == 0), "equals");
    require(s,
            pqt_fingerprint_equals(pqt_region_fingerprint(v->region),
                                   pqt_region_fingerprint(w->region)) == (changes == 0),
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

/* The pixels of a version that the visit of its components has not yet reached. */
typedef struct visit {
    const stage *s;
    bitmap left;
    pqt_connectivity connectivity;
    uint64_t minimum;
    size_t count, most;
} visit;

static const pqt_pixel_box everywhere = {{-HALF, -HALF}, {HALF, HALF}};

/* Takes the component with the first remaining pixel, row by row, from the pixels that are left. */
static bitmap
take_component(visit *v)
{
    bitmap map = bitmap_make(HALF);
    pqt_pixel at = bitmap_bounds(&v->left).min;
    for (at.x = -HALF; !bitmap_has(&v->left, at.x, at.y);)
        at.x++;
    bitmap_flood(&v->left, &map, at, v->connectivity);
    return map;
}

/* Takes components that are too small. Returns true if pixels are left. */
static bool
skip_small(visit *v)
{
    while (bitmap_count_in(&v->left, everywhere) > 0) {
        bitmap left = bitmap_copy(&v->left), map = take_component(v);
        const bool is_small = bitmap_count_in(&map, everywhere) < v->minimum;
        bitmap_free(&map);
        if (!is_small) {
            bitmap_free(&v->left);
            v->left = left;
            return true;
        }
        bitmap_free(&left);
    }
    return false;
}

static bool
expect_component(const pqt_region *component, void *context)
{
    visit *v = context;
    require(v->s, skip_small(v), "a component too many");
    bitmap map = take_component(v);
    require_match(v->s, &(version){component, map});
    bitmap_free(&map);
    return ++v->count < v->most;
}

static void
check_components(stage *s, const version *v)
{
    static const uint64_t minima[] = {0, 1, 2, 5, 40, 1000};
    pqt_error error = {0};
    visit walk = {s,
                  bitmap_copy(&v->map),
                  draw_neighbours(&s->d),
                  minima[dice_below(&s->d, sizeof minima / sizeof *minima)],
                  0,
                  dice_chance(&s->d, 20) ? 2 : SIZE_MAX};
    const bool visited_all = pqt_region_visit_components(v->region, walk.connectivity, walk.minimum,
                                                         expect_component, &walk, &error);
    require(s, error.status == PQT_OK, error.text);
    require(s, visited_all == (walk.count < walk.most), "true if and only if all were visited");
    require(s, walk.count == walk.most || !skip_small(&walk), "a component too few");
    bitmap_free(&walk.left);
}

static bool
is_close(double a, double b)
{
    return fabs(a - b) <= 1e-14 * (1 + fabs(b));
}

/* Returns the mean of the products of two coordinates about their means, from exact sums. */
static double
central_moment(int64_t products, int64_t x_sum, int64_t y_sum, int64_t count)
{
    return count == 0 ? 0
                      : (double)(count * products - x_sum * y_sum) / (double)count / (double)count;
}

/* Sums the pixels of a bitmap. */
static void
check_moments(stage *s, const version *v)
{
    const pqt_region_moments m = pqt_region_get_moments(v->region);
    int64_t count = 0, x_sum = 0, y_sum = 0, xx_sum = 0, xy_sum = 0, yy_sum = 0;
    for (int32_t y = -HALF; y < HALF; y++)
        for (int32_t x = -HALF; x < HALF; x++)
            if (bitmap_has(&v->map, x, y)) {
                count++;
                x_sum += x;
                y_sum += y;
                xx_sum += (int64_t)x * x;
                xy_sum += (int64_t)x * y;
                yy_sum += (int64_t)y * y;
            }
    require(s, m.count == (uint64_t)count && m.sum_x == x_sum && m.sum_y == y_sum, "exact sums");
    require(s,
            is_close(m.xx, central_moment(xx_sum, x_sum, x_sum, count)) &&
                is_close(m.xy, central_moment(xy_sum, x_sum, y_sum, count)) &&
                is_close(m.yy, central_moment(yy_sum, y_sum, y_sum, count)),
            "central moments");
    if (count == 0)
        return;
    require(s,
            is_close(m.centroid.x, (double)x_sum / (double)count + 0.5) &&
                is_close(m.centroid.y, (double)y_sum / (double)count + 0.5),
            "centroid");
}

/* Returns the squared distance of a pixel to the nearest one of a window that is set, or clear. */
static uint32_t
nearest_square(const bitmap *map, pqt_pixel_box window, int32_t x, int32_t y, bool set)
{
    uint32_t least = UINT32_MAX;
    for (int32_t v = window.min.y; v < window.max.y; v++)
        for (int32_t u = window.min.x; u < window.max.x; u++) {
            const uint32_t square = (uint32_t)((u - x) * (u - x) + (v - y) * (v - y));
            if (square < least && bitmap_has(map, u, v) == set)
                least = square;
        }
    return least;
}

static void
check_distances(stage *s, const version *v)
{
    enum { MOST = 24 };
    pqt_error error = {0};
    uint32_t squares[MOST * MOST];
    const bool to_region = dice_chance(&s->d, 50);
    const pqt_pixel at = {draw_coordinate(&s->d), draw_coordinate(&s->d)};
    const pqt_pixel_box window = {
        at,
        {at.x + (int32_t)dice_below(&s->d, MOST + 1), at.y + (int32_t)dice_below(&s->d, MOST + 1)}};
    require(s,
            pqt_region_distances(v->region, window,
                                 to_region ? PQT_DISTANCE_TO_REGION : PQT_DISTANCE_TO_OUTSIDE,
                                 squares, MOST, &error),
            error.text);
    for (int32_t y = window.min.y; y < window.max.y; y++)
        for (int32_t x = window.min.x; x < window.max.x; x++)
            require(s,
                    squares[(y - at.y) * MOST + x - at.x] ==
                        nearest_square(&v->map, window, x, y, to_region),
                    "the square of a distance");
}

static void
check_stats(stage *s, const version *v)
{
    const version *w = draw_version(s);
    pqt_region_stats stats = pqt_region_get_stats(v->region), others;
    require(s, stats.pixels == pqt_region_count(v->region), "pixels");
    others = pqt_region_get_stats(w->region);
    size_t shared = pqt_region_shared_bytes(v->region, w->region);
    require(s, shared <= stats.bytes && shared <= others.bytes, "shared bytes");
    require(s, shared == pqt_region_shared_bytes(w->region, v->region), "shared both ways");
}

void
region_check_queries(stage *s, const version *v)
{
    static void (*const questions[])(stage *, const version *) = {
        check_windows, check_components, region_check_contours, check_moments,
        check_runs,    check_boxes,      check_bytes,           check_diff,
        check_stats,   check_distances};
    questions[dice_below(&s->d, sizeof questions / sizeof *questions)](s, v);
}
