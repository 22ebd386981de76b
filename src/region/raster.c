/* SPDX-License-Identifier: MIT */
/* raster.c - shapes of paint. */
#include "config.h"

#include "region/raster.h"

#include <math.h>

#include "base/error_internal.h"
#include "base/format_double.h"
#include "region/region_internal.h"

/* Units of a pixel; half of them lead from its corner to its centre. */
#define UNITS 1024
#define HALF (UNITS / 2)

/* Whole units lo..hi on the way along a row; none if lo > hi. */
typedef struct stretch {
    int64_t lo, hi;
} stretch;

static const stretch nothing = {INT64_MAX, INT64_MIN};

static int64_t
lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t
greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Rounded down; b > 0. */
static int64_t
divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* The product of two words, which may need two words. */
typedef struct wide {
    uint64_t high, low;
} wide;

static wide
multiply(uint64_t a, uint64_t b)
{
    const uint64_t half = UINT32_MAX;
    uint64_t low = (a & half) * (b & half);
    uint64_t cross = (a >> 32) * (b & half) + (low >> 32);
    uint64_t other = (a & half) * (b >> 32) + (cross & half);
    return (wide){(a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32),
                  other << 32 | (low & half)};
}

static bool
is_above(wide a, wide b)
{
    return a.high != b.high ? a.high > b.high : a.low > b.low;
}

/* floor(sqrt(a * b)), bit by bit; below 2^62. */
static int64_t
root_of_product(uint64_t a, uint64_t b)
{
    wide product = multiply(a, b);
    uint64_t root = 0;
    for (int bit = 61; bit >= 0; bit--) {
        uint64_t more = root | UINT64_C(1) << bit;
        if (!is_above(multiply(more, more), product))
            root = more;
    }
    return (int64_t)root;
}

/* floor(sqrt(square)); below 2^31, so the guess is at most one off. */
static int64_t
root(int64_t square)
{
    int64_t guess = (int64_t)sqrt((double)square);
    while (guess * guess > square)
        guess--;
    while ((guess + 1) * (guess + 1) <= square)
        guess++;
    return guess;
}

/* ---- a row of a stroke ---- */

/* What a disc around x, y has of the row at height v. */
static stretch
cut_disc(const pqti_brush *pen, int64_t x, int64_t y, int64_t v)
{
    int64_t away = v - y;
    if (away > pen->radius || away < -pen->radius)
        return nothing;
    int64_t half = root(pen->radius * pen->radius - away * away);
    return (stretch){x - half, x + half};
}

/* Keeps of a stretch the u with least <= factor * u <= most. */
static void
narrow(stretch *s, int64_t factor, int64_t least, int64_t most)
{
    if (factor == 0) {
        if (least > 0 || most < 0)
            *s = nothing;
        return;
    }
    int64_t low = factor > 0 ? least : -most;
    int64_t high = factor > 0 ? most : -least;
    factor = factor > 0 ? factor : -factor;
    s->lo = greater(s->lo, -divide(-low, factor));
    s->hi = lesser(s->hi, divide(high, factor));
}

/* What the band between the ends has of the row at height v: none if the ends are one. */
static stretch
cut_band(const pqti_brush *pen, int64_t v)
{
    const int64_t far = INT64_C(1) << 32;
    if (pen->dx == 0 && pen->dy == 0)
        return nothing;
    int64_t cross = pen->dx * (v - pen->ay);
    stretch from_a = {-far, far}, from_b = {-far, far};
    narrow(&from_a, pen->dy, cross - pen->reach, cross + pen->reach);
    narrow(&from_a, pen->dx, -pen->dy * (v - pen->ay), INT64_MAX);
    narrow(&from_b, pen->dx, -INT64_MAX, -pen->dy * (v - pen->by));
    if (from_a.lo > from_a.hi || from_b.lo > from_b.hi)
        return nothing;
    return (stretch){greater(from_a.lo + pen->ax, from_b.lo + pen->bx),
                     lesser(from_a.hi + pen->ax, from_b.hi + pen->bx)};
}

/* Both have something of one stretch, or nothing. */
static stretch
join(stretch a, stretch b)
{
    if (a.lo > a.hi || b.lo > b.hi)
        return a.lo > a.hi ? b : a;
    return (stretch){lesser(a.lo, b.lo), greater(a.hi, b.hi)};
}

/* The pixels whose centres lie in lo..hi. */
static pqti_span
span_of(stretch s)
{
    if (s.lo > s.hi)
        return (pqti_span){0, 0};
    return (pqti_span){(int32_t)divide(s.lo - HALF + UNITS - 1, UNITS),
                       (int32_t)divide(s.hi - HALF, UNITS) + 1};
}

/* A stroke is convex, so its parts on a row are one stretch. */
static pqti_span
cut_stroke(const pqti_brush *pen, int32_t y)
{
    int64_t v = (int64_t)y * UNITS + HALF;
    stretch ends = join(cut_disc(pen, pen->ax, pen->ay, v), cut_disc(pen, pen->bx, pen->by, v));
    return span_of(join(ends, cut_band(pen, v)));
}

pqti_span
pqti_dab_row(const pqti_dab *dab, int32_t y)
{
    if (y < dab->box.min.y || y >= dab->box.max.y)
        return (pqti_span){0, 0};
    if (dab->is_box)
        return (pqti_span){dab->box.min.x, dab->box.max.x};
    return cut_stroke(&dab->pen, y);
}

/* ---- a square of a stroke ---- */

static bool
holds_row(const pqti_dab *dab, int32_t y, pqt_pixel_box box)
{
    pqti_span span = pqti_dab_row(dab, y);
    return span.from <= box.min.x && box.max.x <= span.to;
}

/* A stroke is convex, so it has all of a square if it has its first and its last row. */
static bool
stroke_holds(const pqti_dab *dab, pqt_pixel_box box)
{
    int64_t side = (int64_t)box.max.x - box.min.x;
    return (side - 1) * UNITS <= 2 * dab->pen.radius && pqti_box_holds(dab->box, box) &&
           holds_row(dab, box.min.y, box) && holds_row(dab, box.max.y - 1, box);
}

/* Where the centres of a square's pixels lie, in units from a place. */
typedef struct centres {
    stretch x, y;
} centres;

static centres
centres_from(pqt_pixel_box box, int64_t x, int64_t y)
{
    return (centres){
        {(int64_t)box.min.x * UNITS + HALF - x, (int64_t)box.max.x * UNITS - HALF - x},
        {(int64_t)box.min.y * UNITS + HALF - y, (int64_t)box.max.y * UNITS - HALF - y}};
}

/* All that x * p.x + y * p.y comes to. */
static stretch
products(const centres *p, int64_t x, int64_t y)
{
    return (stretch){x * (x > 0 ? p->x.lo : p->x.hi) + y * (y > 0 ? p->y.lo : p->y.hi),
                     x * (x > 0 ? p->x.hi : p->x.lo) + y * (y > 0 ? p->y.hi : p->y.lo)};
}

/* How far 0 lies from a stretch. */
static uint64_t
gap(stretch s)
{
    return (uint64_t)(s.lo > 0 ? s.lo : s.hi < 0 ? -s.hi : 0);
}

static bool
disc_misses(const pqti_brush *pen, const centres *p)
{
    uint64_t x = gap(p->x), y = gap(p->y);
    return x * x + y * y > (uint64_t)(pen->radius * pen->radius);
}

/* Whether a square lies beside the band; or beyond an end, and beside the disc there. */
static bool
stroke_misses(const pqti_brush *pen, pqt_pixel_box box)
{
    const centres from_a = centres_from(box, pen->ax, pen->ay);
    const centres from_b = centres_from(box, pen->bx, pen->by);
    const stretch aside = products(&from_a, -pen->dy, pen->dx);
    if (aside.lo > pen->reach || aside.hi < -pen->reach)
        return true;
    if (products(&from_a, pen->dx, pen->dy).hi <= 0)
        return disc_misses(pen, &from_a);
    if (products(&from_b, pen->dx, pen->dy).lo >= 0)
        return disc_misses(pen, &from_b);
    return false;
}

pqti_cover
pqti_dab_covers(const pqti_dab *dab, pqti_plot plot)
{
    pqt_pixel_box box = pqti_plot_box(plot);
    if (pqti_box_is_empty(pqti_box_common(box, dab->box)))
        return PQTI_OUTSIDE;
    if (dab->is_box)
        return pqti_box_holds(dab->box, box) ? PQTI_WHOLLY : PQTI_PARTLY;
    if (stroke_misses(&dab->pen, box))
        return PQTI_OUTSIDE;
    return stroke_holds(dab, box) ? PQTI_WHOLLY : PQTI_PARTLY;
}

bool
pqti_admit_dab_count(size_t count, pqt_error *error)
{
    if (count > PQTI_MOST_DABS)
        pqti_fail(error, PQT_ERROR_LIMIT, 0, "%zu shapes are more than %d", count, PQTI_MOST_DABS);
    return count <= PQTI_MOST_DABS;
}

/* What is empty may lie anywhere, even where there is no next row. */
static pqt_pixel_box
box_of_run(pqt_pixel_run run)
{
    if (run.min_x >= run.max_x)
        return (pqt_pixel_box){{0, 0}, {0, 0}};
    return (pqt_pixel_box){{run.min_x, run.y}, {run.max_x, run.y + 1}};
}

const pqti_dab *
pqti_dab_at(const pqti_dabs *dabs, size_t i, pqti_dab *room)
{
    if (dabs->dabs != NULL)
        return &dabs->dabs[i];
    room->ink = PQT_SET;
    room->is_box = true;
    room->box = dabs->boxes != NULL ? dabs->boxes[i] : box_of_run(dabs->runs[i]);
    return room;
}

/* ---- paint ---- */

/* In whole units. NaN is refused by the comparison, too. */
static bool
admit_number(double value, double least, const char *what, size_t index, int64_t *units,
             pqt_error *error)
{
    if (value >= least && value <= PQT_PIXEL_LIMIT) {
        *units = (int64_t)floor(value * UNITS + 0.5);
        return true;
    }
    bool is_far = value > PQT_PIXEL_LIMIT || (value < least && least < 0);
    pqti_fail(error, is_far ? PQT_ERROR_LIMIT : PQT_ERROR_OPTION, index, "paint %zu: %s is %s",
              index, what, pqti_number_of(value).text);
    return false;
}

static bool
admit_place(pqt_vec place, const char *x, const char *y, size_t index, int64_t units[2],
            pqt_error *error)
{
    return admit_number(place.x, -PQT_PIXEL_LIMIT, x, index, &units[0], error) &&
           admit_number(place.y, -PQT_PIXEL_LIMIT, y, index, &units[1], error);
}

/* The pixels whose centres are within the radius on each axis. */
static pqt_pixel_box
box_around(const pqti_brush *pen)
{
    pqti_span x = span_of(
        (stretch){lesser(pen->ax, pen->bx) - pen->radius, greater(pen->ax, pen->bx) + pen->radius});
    pqti_span y = span_of(
        (stretch){lesser(pen->ay, pen->by) - pen->radius, greater(pen->ay, pen->by) + pen->radius});
    return (pqt_pixel_box){{x.from, y.from}, {x.to, y.to}};
}

static bool
admit_stroke(const pqt_paint *paint, size_t index, pqti_dab *dab, pqt_error *error)
{
    int64_t a[2], b[2], radius;
    if (!admit_place(paint->from, "from.x", "from.y", index, a, error) ||
        !admit_place(paint->to, "to.x", "to.y", index, b, error) ||
        !admit_number(paint->radius, 0, "radius", index, &radius, error))
        return false;
    int64_t dx = b[0] - a[0], dy = b[1] - a[1];
    uint64_t length = (uint64_t)(dx * dx) + (uint64_t)(dy * dy);
    int64_t reach = root_of_product((uint64_t)(radius * radius), length);
    dab->pen = (pqti_brush){a[0], a[1], b[0], b[1], dx, dy, radius, reach};
    dab->box = box_around(&dab->pen);
    return true;
}

bool
pqti_dab_of(const pqt_paint *paint, size_t index, pqti_dab *dab, pqt_error *error)
{
    if (paint->ink != PQT_SET && paint->ink != PQT_CLEAR && paint->ink != PQT_TOGGLE) {
        pqti_fail(error, PQT_ERROR_OPTION, index, "paint %zu: ink is %d", index, (int)paint->ink);
        return false;
    }
    dab->ink = paint->ink;
    dab->is_box = paint->shape == PQT_PAINT_BOX;
    dab->box = paint->box;
    if (!dab->is_box && paint->shape != PQT_PAINT_STROKE) {
        pqti_fail(error, PQT_ERROR_OPTION, index, "paint %zu: shape is %d", index,
                  (int)paint->shape);
        return false;
    }
    if (dab->is_box ? !pqti_admit_box(paint->box, "paint", index, error)
                    : !admit_stroke(paint, index, dab, error))
        return false;
    return dab->ink == PQT_CLEAR || pqti_admit_place(dab->box, "paint", index, error);
}

pqt_paint
pqt_paint_pixel(pqt_ink ink, pqt_pixel pixel)
{
    /* Around the last number there is no box. It is as far beyond the limit as the one before. */
    pixel.x -= pixel.x == INT32_MAX;
    pixel.y -= pixel.y == INT32_MAX;
    return pqt_paint_box(ink, (pqt_pixel_box){pixel, {pixel.x + 1, pixel.y + 1}});
}

pqt_paint
pqt_paint_box(pqt_ink ink, pqt_pixel_box box)
{
    return (pqt_paint){.ink = ink, .shape = PQT_PAINT_BOX, .box = box};
}

pqt_paint
pqt_paint_disc(pqt_ink ink, pqt_vec centre, double radius)
{
    return pqt_paint_stroke(ink, centre, centre, radius);
}

pqt_paint
pqt_paint_stroke(pqt_ink ink, pqt_vec from, pqt_vec to, double radius)
{
    return (pqt_paint){
        .ink = ink, .shape = PQT_PAINT_STROKE, .from = from, .to = to, .radius = radius};
}
