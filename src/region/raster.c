/* SPDX-License-Identifier: MIT */
/* raster.c: rasterises primitives, which are boxes and strokes. */
#include "config.h"

#include "region/raster.h"

#include <math.h>

#include "base/error_internal.h"
#include "base/format_double.h"
#include "region/region_internal.h"

/* The number of subpixels per pixel. The centre of a pixel is SUBPIXELS / 2 from its corner on each
 * axis. */
#define SUBPIXELS 1024
#define HALF_PIXEL (SUBPIXELS / 2)

/* The subpixels lo..hi of a row; empty if lo > hi. */
typedef struct pixel_interval {
    int64_t lo, hi;
} pixel_interval;

static const pixel_interval empty_interval = {INT64_MAX, INT64_MIN};

static int64_t
min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t
max_i64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Returns a / b rounded down, for b > 0. */
static int64_t
floor_divide_wide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* An unsigned 128-bit number. */
typedef struct wide_uint {
    uint64_t high, low;
} wide_uint;

static wide_uint
multiply_wide(uint64_t a, uint64_t b)
{
    const uint64_t half = UINT32_MAX;
    uint64_t low = (a & half) * (b & half);
    uint64_t cross = (a >> 32) * (b & half) + (low >> 32);
    uint64_t other = (a & half) * (b >> 32) + (cross & half);
    return (wide_uint){(a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32),
                       other << 32 | (low & half)};
}

static bool
wide_is_greater(wide_uint a, wide_uint b)
{
    return a.high != b.high ? a.high > b.high : a.low > b.low;
}

/* Returns floor(sqrt(a * b)), computed bit by bit. The root is below 2^62. */
static int64_t
root_of_product(uint64_t a, uint64_t b)
{
    wide_uint product = multiply_wide(a, b);
    uint64_t root = 0;
    for (int bit = 61; bit >= 0; bit--) {
        uint64_t more = root | UINT64_C(1) << bit;
        if (!wide_is_greater(multiply_wide(more, more), product))
            root = more;
    }
    return (int64_t)root;
}

/* Returns floor(sqrt(square)). The root is below 2^31, so the first guess is wrong by at most
 * one. */
static int64_t
floor_sqrt(int64_t square)
{
    PQT_INVARIANT(square >= 0 && square < INT64_C(1) << 62, "the root exceeds 2^31");
    int64_t guess = (int64_t)sqrt((double)square);
    while (guess * guess > square)
        guess--;
    while ((guess + 1) * (guess + 1) <= square)
        guess++;
    return guess;
}

/* ---- Rows of a stroke ---- */

/* Returns the part of the row at height v that is in the disc around (x, y). */
static pixel_interval
disc_on_row(const pqti_capsule *capsule, int64_t x, int64_t y, int64_t v)
{
    int64_t offset = v - y;
    if (offset > capsule->radius || offset < -capsule->radius)
        return empty_interval;
    int64_t half = floor_sqrt(capsule->radius * capsule->radius - offset * offset);
    return (pixel_interval){x - half, x + half};
}

/* Intersects an interval with the numbers u for which least <= factor * u <= most. */
static void
narrow_interval(pixel_interval *interval, int64_t factor, int64_t least, int64_t most)
{
    if (factor == 0) {
        if (least > 0 || most < 0)
            *interval = empty_interval;
        return;
    }
    int64_t low = factor > 0 ? least : -most;
    int64_t high = factor > 0 ? most : -least;
    factor = factor > 0 ? factor : -factor;
    interval->lo = max_i64(interval->lo, -floor_divide_wide(-low, factor));
    interval->hi = min_i64(interval->hi, floor_divide_wide(high, factor));
}

/* Returns the part of the row at height v that is in the band between the ends of a stroke. It is
 * empty if the ends are equal. */
static pixel_interval
band_on_row(const pqti_capsule *capsule, int64_t v)
{
    const int64_t far = INT64_C(1) << 32;
    if (capsule->dx == 0 && capsule->dy == 0)
        return empty_interval;
    int64_t cross = capsule->dx * (v - capsule->ay);
    pixel_interval from_a = {-far, far}, from_b = {-far, far};
    narrow_interval(&from_a, capsule->dy, cross - capsule->scaled_half_width,
                    cross + capsule->scaled_half_width);
    narrow_interval(&from_a, capsule->dx, -capsule->dy * (v - capsule->ay), INT64_MAX);
    narrow_interval(&from_b, capsule->dx, -INT64_MAX, -capsule->dy * (v - capsule->by));
    if (from_a.lo > from_a.hi || from_b.lo > from_b.hi)
        return empty_interval;
    return (pixel_interval){max_i64(from_a.lo + capsule->ax, from_b.lo + capsule->bx),
                            min_i64(from_a.hi + capsule->ax, from_b.hi + capsule->bx)};
}

/* Returns the union of two intervals that touch or are empty. */
static pixel_interval
unite_intervals(pixel_interval a, pixel_interval b)
{
    if (a.lo > a.hi || b.lo > b.hi)
        return a.lo > a.hi ? b : a;
    return (pixel_interval){min_i64(a.lo, b.lo), max_i64(a.hi, b.hi)};
}

/* Returns the pixels whose centres are in lo..hi. */
static pqti_span
pixels_of_interval(pixel_interval interval)
{
    if (interval.lo > interval.hi)
        return (pqti_span){0, 0};
    return (pqti_span){
        (int32_t)floor_divide_wide(interval.lo - HALF_PIXEL + SUBPIXELS - 1, SUBPIXELS),
        (int32_t)floor_divide_wide(interval.hi - HALF_PIXEL, SUBPIXELS) + 1};
}

/* Returns the part of a row that is in a stroke. It is one interval, because a stroke is convex. */
static pqti_span
stroke_on_row(const pqti_capsule *capsule, int32_t y)
{
    PQT_INVARIANT(y >= -PQT_PIXEL_LIMIT && y < PQT_PIXEL_LIMIT, "a row is beyond the limit");
    int64_t v = (int64_t)y * SUBPIXELS + HALF_PIXEL;
    pixel_interval ends = unite_intervals(disc_on_row(capsule, capsule->ax, capsule->ay, v),
                                          disc_on_row(capsule, capsule->bx, capsule->by, v));
    return pixels_of_interval(unite_intervals(ends, band_on_row(capsule, v)));
}

pqti_span
pqti_primitive_row(const pqti_primitive *primitive, int32_t y)
{
    if (y < primitive->box.min.y || y >= primitive->box.max.y)
        return (pqti_span){0, 0};
    if (primitive->is_box)
        return (pqti_span){primitive->box.min.x, primitive->box.max.x};
    return stroke_on_row(&primitive->capsule, y);
}

/* ---- Nodes and strokes ---- */

static bool
holds_row(const pqti_primitive *primitive, int32_t y, pqt_pixel_box box)
{
    pqti_span span = pqti_primitive_row(primitive, y);
    return span.from <= box.min.x && box.max.x <= span.to;
}

/* Returns true if a stroke covers a square. A stroke is convex, so it is enough to test the first
 * and the last row. */
static bool
stroke_holds(const pqti_primitive *primitive, pqt_pixel_box box)
{
    int64_t side = (int64_t)box.max.x - box.min.x;
    return (side - 1) * SUBPIXELS <= 2 * primitive->capsule.radius &&
           pqti_box_holds(primitive->box, box) && holds_row(primitive, box.min.y, box) &&
           holds_row(primitive, box.max.y - 1, box);
}

/* The range of the centres of a node's pixels on each axis, in subpixels relative to a point. */
typedef struct pixel_centres {
    pixel_interval x, y;
} pixel_centres;

static pixel_centres
centres_from(pqt_pixel_box box, int64_t x, int64_t y)
{
    return (pixel_centres){{(int64_t)box.min.x * SUBPIXELS + HALF_PIXEL - x,
                            (int64_t)box.max.x * SUBPIXELS - HALF_PIXEL - x},
                           {(int64_t)box.min.y * SUBPIXELS + HALF_PIXEL - y,
                            (int64_t)box.max.y * SUBPIXELS - HALF_PIXEL - y}};
}

/* Returns the range of x * p.x + y * p.y over all centres p of pixels. */
static pixel_interval
dot_interval(const pixel_centres *centres, int64_t x, int64_t y)
{
    return (pixel_interval){
        x * (x > 0 ? centres->x.lo : centres->x.hi) + y * (y > 0 ? centres->y.lo : centres->y.hi),
        x * (x > 0 ? centres->x.hi : centres->x.lo) + y * (y > 0 ? centres->y.hi : centres->y.lo)};
}

/* Returns the distance from 0 to an interval. */
static uint64_t
distance_to_interval(pixel_interval interval)
{
    return (uint64_t)(interval.lo > 0 ? interval.lo : interval.hi < 0 ? -interval.hi : 0);
}

static bool
disc_misses(const pqti_capsule *capsule, const pixel_centres *centres)
{
    uint64_t x = distance_to_interval(centres->x), y = distance_to_interval(centres->y);
    return x * x + y * y > (uint64_t)(capsule->radius * capsule->radius);
}

/* Returns true if a square is outside the band of a stroke, or beyond one end of it and outside the
 * disc at that end. */
static bool
stroke_misses(const pqti_capsule *capsule, pqt_pixel_box box)
{
    const pixel_centres from_a = centres_from(box, capsule->ax, capsule->ay);
    const pixel_centres from_b = centres_from(box, capsule->bx, capsule->by);
    const pixel_interval side = dot_interval(&from_a, -capsule->dy, capsule->dx);
    if (side.lo > capsule->scaled_half_width || side.hi < -capsule->scaled_half_width)
        return true;
    if (dot_interval(&from_a, capsule->dx, capsule->dy).hi <= 0)
        return disc_misses(capsule, &from_a);
    if (dot_interval(&from_b, capsule->dx, capsule->dy).lo >= 0)
        return disc_misses(capsule, &from_b);
    return false;
}

pqti_raster_coverage
pqti_primitive_covers(const pqti_primitive *primitive, pqti_rcell cell)
{
    pqt_pixel_box box = pqti_rcell_box(cell);
    if (pqti_box_is_empty(pqti_box_common(box, primitive->box)))
        return PQTI_RASTER_OUTSIDE;
    if (primitive->is_box)
        return pqti_box_holds(primitive->box, box) ? PQTI_RASTER_WHOLLY : PQTI_RASTER_PARTLY;
    if (stroke_misses(&primitive->capsule, box))
        return PQTI_RASTER_OUTSIDE;
    return stroke_holds(primitive, box) ? PQTI_RASTER_WHOLLY : PQTI_RASTER_PARTLY;
}

bool
pqti_validate_primitive_count(size_t count, pqt_error *error)
{
    if (count > PQTI_MAX_PRIMITIVES)
        pqti_error_set(error, PQT_ERROR_LIMIT, 0, "%zu primitives, the maximum is %d", count,
                       PQTI_MAX_PRIMITIVES);
    return count <= PQTI_MAX_PRIMITIVES;
}

/* Returns the box of a run. An empty run may be in any row, even in the last one, which has no next
 * row. */
static pqt_pixel_box
box_of_run(pqt_pixel_run run)
{
    if (run.min_x >= run.max_x)
        return (pqt_pixel_box){{0, 0}, {0, 0}};
    return (pqt_pixel_box){{run.min_x, run.y}, {run.max_x, run.y + 1}};
}

const pqti_primitive *
pqti_primitive_at(const pqti_primitives *primitives, size_t i, pqti_primitive *tmp)
{
    PQT_INVARIANT(i < primitives->count, "the index of a primitive is too large");
    if (primitives->primitives != NULL)
        return &primitives->primitives[i];
    tmp->op = PQT_PAINT_SET;
    tmp->is_box = true;
    tmp->box = primitives->boxes != NULL ? primitives->boxes[i] : box_of_run(primitives->runs[i]);
    return tmp;
}

/* ---- Paints ---- */

/* Converts a number of pixels to subpixels. Returns false if it is out of range; the comparison
 * also fails for NaN. */
static bool
validate_number(double value, double least, const char *what, size_t index, int64_t *units,
                pqt_error *error)
{
    if (value >= least && value <= PQT_PIXEL_LIMIT) {
        *units = (int64_t)floor(value * SUBPIXELS + 0.5);
        return true;
    }
    bool is_far = value > PQT_PIXEL_LIMIT || (value < least && least < 0);
    pqti_error_set(error, is_far ? PQT_ERROR_LIMIT : PQT_ERROR_OPTION, index, "paint %zu: %s is %s",
                   index, what, pqti_format_double(value).text);
    return false;
}

static bool
validate_paint_point(pqt_vec position, const char *x, const char *y, size_t index, int64_t units[2],
                     pqt_error *error)
{
    return validate_number(position.x, -PQT_PIXEL_LIMIT, x, index, &units[0], error) &&
           validate_number(position.y, -PQT_PIXEL_LIMIT, y, index, &units[1], error);
}

/* Returns the box of the pixels whose centres are within the radius of the stroke's ends on each
 * axis. */
static pqt_pixel_box
box_around(const pqti_capsule *capsule)
{
    pqti_span x =
        pixels_of_interval((pixel_interval){min_i64(capsule->ax, capsule->bx) - capsule->radius,
                                            max_i64(capsule->ax, capsule->bx) + capsule->radius});
    pqti_span y =
        pixels_of_interval((pixel_interval){min_i64(capsule->ay, capsule->by) - capsule->radius,
                                            max_i64(capsule->ay, capsule->by) + capsule->radius});
    return (pqt_pixel_box){{x.from, y.from}, {x.to, y.to}};
}

static bool
validate_stroke(const pqt_paint *paint, size_t index, pqti_primitive *primitive, pqt_error *error)
{
    int64_t a[2], b[2], radius;
    if (!validate_paint_point(paint->from, "from.x", "from.y", index, a, error) ||
        !validate_paint_point(paint->to, "to.x", "to.y", index, b, error) ||
        !validate_number(paint->radius, 0, "radius", index, &radius, error))
        return false;
    int64_t dx = b[0] - a[0], dy = b[1] - a[1];
    uint64_t length = (uint64_t)(dx * dx) + (uint64_t)(dy * dy);
    int64_t scaled_half_width = root_of_product((uint64_t)(radius * radius), length);
    primitive->capsule = (pqti_capsule){a[0], a[1], b[0], b[1], dx, dy, radius, scaled_half_width};
    primitive->box = box_around(&primitive->capsule);
    return true;
}

bool
pqti_primitive_of(const pqt_paint *paint, size_t index, pqti_primitive *primitive, pqt_error *error)
{
    if (paint->op != PQT_PAINT_SET && paint->op != PQT_PAINT_CLEAR &&
        paint->op != PQT_PAINT_TOGGLE) {
        pqti_error_set(error, PQT_ERROR_OPTION, index,
                       "paint %zu: op is %d, which is not a pqt_paint_op", index, (int)paint->op);
        return false;
    }
    primitive->op = paint->op;
    primitive->is_box = paint->shape == PQT_PAINT_BOX;
    primitive->box = paint->box;
    if (!primitive->is_box && paint->shape != PQT_PAINT_STROKE) {
        pqti_error_set(error, PQT_ERROR_OPTION, index,
                       "paint %zu: shape is %d, which is not a pqt_paint_shape", index,
                       (int)paint->shape);
        return false;
    }
    if (primitive->is_box ? !pqti_validate_pixel_box(&paint->box, "paint", index, error)
                          : !validate_stroke(paint, index, primitive, error))
        return false;
    return primitive->op == PQT_PAINT_CLEAR ||
           pqti_validate_pixel(&primitive->box, "paint", index, error);
}

pqt_paint
pqt_paint_pixel(pqt_paint_op op, pqt_pixel pixel)
{
    /* No box can contain the greatest coordinate. So it is replaced by the one before it, which is
     * also beyond the limit. */
    pixel.x -= pixel.x == INT32_MAX;
    pixel.y -= pixel.y == INT32_MAX;
    return pqt_paint_box(op, (pqt_pixel_box){pixel, {pixel.x + 1, pixel.y + 1}});
}

pqt_paint
pqt_paint_box(pqt_paint_op op, pqt_pixel_box box)
{
    return (pqt_paint){.op = op, .shape = PQT_PAINT_BOX, .box = box};
}

pqt_paint
pqt_paint_disc(pqt_paint_op op, pqt_vec centre, double radius)
{
    return pqt_paint_stroke(op, centre, centre, radius);
}

pqt_paint
pqt_paint_stroke(pqt_paint_op op, pqt_vec from, pqt_vec to, double radius)
{
    return (pqt_paint){
        .op = op, .shape = PQT_PAINT_STROKE, .from = from, .to = to, .radius = radius};
}
