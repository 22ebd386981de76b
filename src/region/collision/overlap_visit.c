/* SPDX-License-Identifier: MIT */
/*
 * overlap_visit.c - which pixels of two regions overlap: all of them, or the first from one side.
 *
 * Where two squares lie on each other and neither is worth dividing, they *meet* in a box: both are
 * full, or the box is of rows of at most 64 pixels.
 */
#include "config.h"

#include "region/collision/overlap_visit.h"

#include "base/error_internal.h"
#include "region/bits.h"
#include "region/region_internal.h"
#include "region/tile.h"

/* Where two squares meet: a box in a's coordinates. */
typedef struct meeting {
    pqt_pixel_box box;
    const uint64_t *rows_a, *rows_b; /* from the box's first row on; NULL: the square is full */
    int shift_a, shift_b;            /* of the box's left side within the rows */
} meeting;

typedef struct meeter {
    const pqt_region *a, *b;
    pqt_pixel offset;
    const int *order; /* of the quarters of squares */
    bool (*may)(struct meeter *m, pqt_pixel_box box);
    bool (*meet)(struct meeter *m, const meeting *at); /* true goes on */
    pqt_visit_pixel_pairs_fn *visit;
    void *context;
    pqt_side side;
    bool found;
    pqt_pixel_pair first; /* if found */
} meeter;

static uint64_t
row_of(const meeting *at, int y)
{
    uint64_t row = pqti_bits_between(0, at->box.max.x - at->box.min.x);
    if (at->rows_a != NULL)
        row &= at->rows_a[y] >> at->shift_a;
    if (at->rows_b != NULL)
        row &= at->rows_b[y] >> at->shift_b;
    return row;
}

static bool
is_divisible(const pqti_square *square, pqti_plot plot)
{
    return square != PQTI_FULL && plot.level > PQTI_TILE_LEVEL;
}

static bool
meet_rows(meeter *m, const pqti_square *a, pqti_plot plot_a, const pqti_square *b, pqti_plot plot_b,
          pqt_pixel_box common)
{
    meeting at = {.box = common};
    if (a != PQTI_FULL) {
        at.rows_a = pqti_rows_of(a) + (common.min.y - plot_a.y);
        at.shift_a = common.min.x - plot_a.x;
    }
    if (b != PQTI_FULL) {
        at.rows_b = pqti_rows_of(b) + (common.min.y - m->offset.y - plot_b.y);
        at.shift_b = common.min.x - m->offset.x - plot_b.x;
    }
    return m->meet(m, &at);
}

static bool
meet_squares(meeter *m, const pqti_square *a, pqti_plot plot_a, const pqti_square *b,
             pqti_plot plot_b)
{
    if (a == PQTI_EMPTY || b == PQTI_EMPTY)
        return true;
    const pqti_plot moved = {plot_b.x + m->offset.x, plot_b.y + m->offset.y, plot_b.level};
    const pqt_pixel_box common = pqti_box_common(pqti_plot_box(plot_a), pqti_plot_box(moved));
    if (pqti_box_is_empty(common) || (m->may != NULL && !m->may(m, common)))
        return true;
    const bool can_a = is_divisible(a, plot_a), can_b = is_divisible(b, plot_b);
    if (!can_a && !can_b)
        return meet_rows(m, a, plot_a, b, plot_b, common);
    const bool divides_a = can_a && (!can_b || plot_a.level >= plot_b.level);
    const pqti_quad *quad = (const pqti_quad *)(divides_a ? a : b);
    for (int i = 0; i < 4; i++) {
        const int k = m->order[i];
        if (divides_a ? !meet_squares(m, quad->child[k], pqti_child_plot(plot_a, k), b, plot_b)
                      : !meet_squares(m, a, plot_a, quad->child[k], pqti_child_plot(plot_b, k)))
            return false;
    }
    return true;
}

static bool
meet_regions(meeter *m)
{
    for (int i = 0; i < 16; i++) {
        const int of_a = m->order[i >> 2], of_b = m->order[i & 3];
        if (m->a->quadrant[of_a] == PQTI_EMPTY || m->b->quadrant[of_b] == PQTI_EMPTY)
            continue;
        if (!meet_squares(m, m->a->quadrant[of_a], pqti_quadrant_plot(m->a->level, of_a),
                          m->b->quadrant[of_b], pqti_quadrant_plot(m->b->level, of_b)))
            return false;
    }
    return true;
}

/* ---- all ---- */

static bool
tell(const meeter *m, int32_t x, int32_t y, int32_t width, int32_t height)
{
    const pqt_pixel_pairs pairs = {{x, y}, {x - m->offset.x, y - m->offset.y}, width, height};
    return m->visit(&pairs, m->context);
}

/* The runs of ones of each row. */
static bool
tell_rows(meeter *m, const meeting *at)
{
    for (int32_t y = 0; y < at->box.max.y - at->box.min.y; y++)
        for (uint64_t row = row_of(at, y); row != 0;) {
            const int from = pqti_lowest_bit(row);
            const uint64_t gaps = ~(row | ((row & (0 - row)) - 1));
            const int to = gaps != 0 ? pqti_lowest_bit(gaps) : 64;
            if (!tell(m, at->box.min.x + from, at->box.min.y + y, to - from, 1))
                return false;
            row &= ~pqti_bits_between(from, to);
        }
    return true;
}

static bool
tell_meeting(meeter *m, const meeting *at)
{
    if (at->rows_a != NULL || at->rows_b != NULL)
        return tell_rows(m, at);
    return tell(m, at->box.min.x, at->box.min.y, at->box.max.x - at->box.min.x,
                at->box.max.y - at->box.min.y);
}

static const int in_rows[4] = {0, 1, 2, 3};

bool
pqt_region_visit_overlap(const pqt_region *a, const pqt_region *b, pqt_vec offset,
                         pqt_visit_pixel_pairs_fn *visit, void *context)
{
    PQT_ASSERT(a != NULL && b != NULL && visit != NULL, "a region or visit is NULL");
    pqti_fixpos place;
    if (!pqti_fixpos_of(offset, PQTI_REACH, &place))
        return true;
    const pqti_corners corners = pqti_corners_of(place);
    meeter m = {
        .a = a, .b = b, .order = in_rows, .meet = tell_meeting, .visit = visit, .context = context};
    for (int i = 0; i < corners.count; i++) {
        m.offset = corners.at[i];
        if (!meet_regions(&m))
            return false;
    }
    return true;
}

/* ---- the first ---- */

/* Whether one pixel comes before another as seen from a side. */
static bool
is_before(pqt_side side, pqt_pixel a, pqt_pixel b)
{
    const bool by_rows = side == PQT_FROM_TOP || side == PQT_FROM_BOTTOM;
    const bool backward = side == PQT_FROM_BOTTOM || side == PQT_FROM_RIGHT;
    const int32_t main_a = by_rows ? a.y : a.x, main_b = by_rows ? b.y : b.x;
    if (main_a != main_b)
        return backward ? main_a > main_b : main_a < main_b;
    return by_rows ? a.x < b.x : a.y < b.y;
}

/* The first pixel of a box that is full. */
static pqt_pixel
corner_of(pqt_side side, pqt_pixel_box box)
{
    return (pqt_pixel){side == PQT_FROM_RIGHT ? box.max.x - 1 : box.min.x,
                       side == PQT_FROM_BOTTOM ? box.max.y - 1 : box.min.y};
}

/* The same pixel of a may have several partners. */
static bool
may_come_first(meeter *m, pqt_pixel_box box)
{
    return !m->found || !is_before(m->side, m->first.a, corner_of(m->side, box));
}

static void
offer(meeter *m, pqt_pixel pixel)
{
    const pqt_pixel_pair pair = {pixel, {pixel.x - m->offset.x, pixel.y - m->offset.y}};
    if (m->found &&
        (is_before(m->side, m->first.a, pixel) ||
         (!is_before(m->side, pixel, m->first.a) && is_before(m->side, m->first.b, pair.b))))
        return;
    m->found = true;
    m->first = pair;
}

/* The first row from above or from below that has a pixel. */
static void
offer_row(meeter *m, const meeting *at)
{
    const int32_t height = at->box.max.y - at->box.min.y;
    for (int32_t i = 0; i < height; i++) {
        const int32_t y = m->side == PQT_FROM_TOP ? i : height - 1 - i;
        const uint64_t row = row_of(at, y);
        if (row != 0) {
            offer(m, (pqt_pixel){at->box.min.x + pqti_lowest_bit(row), at->box.min.y + y});
            return;
        }
    }
}

/* The first column from the left or from the right that has one: in its topmost row. */
static void
offer_column(meeter *m, const meeting *at)
{
    uint64_t any = 0;
    for (int32_t y = 0; y < at->box.max.y - at->box.min.y; y++)
        any |= row_of(at, y);
    if (any == 0)
        return;
    const int x = m->side == PQT_FROM_LEFT ? pqti_lowest_bit(any) : pqti_highest_bit(any);
    int32_t y = 0;
    while ((row_of(at, y) >> x & 1) == 0)
        y++;
    offer(m, (pqt_pixel){at->box.min.x + x, at->box.min.y + y});
}

static bool
offer_meeting(meeter *m, const meeting *at)
{
    if (at->rows_a == NULL && at->rows_b == NULL)
        offer(m, corner_of(m->side, at->box));
    else if (m->side == PQT_FROM_TOP || m->side == PQT_FROM_BOTTOM)
        offer_row(m, at);
    else
        offer_column(m, at);
    return true;
}

/* Quarters in the order in which they are seen from a side. */
static const int *
order_from(pqt_side side)
{
    static const int bottom[4] = {2, 3, 0, 1}, left[4] = {0, 2, 1, 3}, right[4] = {1, 3, 0, 2};
    switch (side) {
    case PQT_FROM_BOTTOM:
        return bottom;
    case PQT_FROM_LEFT:
        return left;
    case PQT_FROM_RIGHT:
        return right;
    default:
        return in_rows;
    }
}

bool
pqti_regions_first(const pqt_region *a, const pqt_region *b, pqti_fixpos offset, pqt_side side,
                   pqt_pixel_pair *first)
{
    const pqti_corners corners = pqti_corners_of(offset);
    meeter m = {.a = a,
                .b = b,
                .order = order_from(side),
                .may = may_come_first,
                .meet = offer_meeting,
                .side = side};
    for (int i = 0; i < corners.count; i++) {
        m.offset = corners.at[i];
        meet_regions(&m);
    }
    if (m.found && first != NULL)
        *first = m.first;
    return m.found;
}

bool
pqt_region_first_overlap(const pqt_region *a, const pqt_region *b, pqt_vec offset, pqt_side side,
                         pqt_pixel_pair *first)
{
    PQT_ASSERT(a != NULL && b != NULL, "a region is NULL");
    PQT_ASSERT(side >= PQT_FROM_TOP && side <= PQT_FROM_RIGHT, "the side is none");
    pqti_fixpos place;
    return pqti_fixpos_of(offset, PQTI_REACH, &place) &&
           pqti_regions_first(a, b, place, side, first);
}
