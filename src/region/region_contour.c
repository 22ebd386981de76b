/* SPDX-License-Identifier: MIT */
/*
 * region_contour.c: follows the edges of a region.
 *
 * A run has two *sides*, vertical edges of length 1: the left one leads up, the right one down, so
 * the region is on the right of both. A contour is a cycle of sides. From the end of a side it
 * either goes straight on to the next side, or turns and follows the line between the two rows to
 * the next one:
 *
 *         upper row     ####~~~~~####        Along a line, sides *arrive* (right sides of the upper
 *     line         +----+    +--+            row, left sides of the lower one) or *leave*.
 *         lower row     ~~~~####~~~~
 *
 * Exactly one of the rows has pixels on each stretch of the line that a contour follows. So a scan
 * of both rows from left to right finds the stretches: each joins a side that arrives with one that
 * leaves. If two stretches meet at one corner, the connectivity decides which sides they join.
 */
#include "config.h"

#include <pqt/region_contour.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "region/region_internal.h"
#include "region/run_list.h"
#include "region/simplify.h"

/* The side of a run: twice the index of the run, plus 1 for the right side. */
#define NO_SIDE UINT32_MAX

typedef struct tracer {
    pqti_run_list all;
    uint32_t *next;  /* for each side, the next one of its contour; NO_SIDE once it was followed */
    uint32_t *outer; /* for each run, the outer contour of the contour of its left side */
    bool joins_corners; /* pixels that share only a corner are connected */
    int64_t tolerance;  /* for pqti_simplify; 0 for exact contours */
    pqt_pixel *corners; /* those of the current contour */
    size_t count, capacity;
    uint8_t *keep; /* for pqti_simplify */
    size_t keep_capacity;
} tracer;

static uint32_t
side_of(size_t run, bool is_right)
{
    return 2 * (uint32_t)run + is_right;
}

static bool
is_right_side(uint32_t side)
{
    return (side & 1) != 0;
}

static int32_t
x_of_side(const tracer *t, uint32_t side)
{
    const pqt_pixel_run *run = &t->all.runs[side / 2];
    return is_right_side(side) ? run->max_x : run->min_x;
}

/* ---- Lines between two rows ---- */

/* The sides of two adjacent rows, from left to right. */
typedef struct line_scan {
    uint32_t upper, upper_end;
    uint32_t lower, lower_end;
    uint32_t open; /* the side at the left end of a stretch that has begun, or NO_SIDE */
} line_scan;

/* Joins the sides at the ends of a stretch. `lower` is the first side of the lower row. */
static void
join_sides(tracer *t, uint32_t lower, uint32_t a, uint32_t b)
{
    const bool a_is_upper = a < lower;
    if (a_is_upper == is_right_side(a))
        t->next[a] = b; /* a arrives */
    else
        t->next[b] = a;
}

static void
end_or_begin_stretch(tracer *t, line_scan *scan, uint32_t first_lower, uint32_t side)
{
    if (scan->open == NO_SIDE) {
        scan->open = side;
        return;
    }
    join_sides(t, first_lower, scan->open, side);
    scan->open = NO_SIDE;
}

/* Joins a side of the upper row and one of the lower row that are at the same x. */
static void
join_at_corner(tracer *t, line_scan *scan, uint32_t first_lower, uint32_t upper, uint32_t lower)
{
    if (is_right_side(upper) == is_right_side(lower)) {
        join_sides(t, first_lower, upper, lower);
        return;
    }
    PQT_INVARIANT(scan->open != NO_SIDE, "no stretch ends where two pixels share a corner");
    const uint32_t right = is_right_side(upper) ? upper : lower;
    const uint32_t left = is_right_side(upper) ? lower : upper;
    end_or_begin_stretch(t, scan, first_lower, t->joins_corners ? left : right);
    end_or_begin_stretch(t, scan, first_lower, t->joins_corners ? right : left);
}

/* Joins the sides of two rows: the runs upper..upper_end - 1 and lower..lower_end - 1. */
static void
join_rows(tracer *t, size_t upper, size_t upper_end, size_t lower, size_t lower_end)
{
    const uint32_t first_lower = side_of(lower, false);
    line_scan scan = {side_of(upper, false), side_of(upper_end, false), first_lower,
                      side_of(lower_end, false), NO_SIDE};
    while (scan.upper < scan.upper_end || scan.lower < scan.lower_end) {
        const bool has_both = scan.upper < scan.upper_end && scan.lower < scan.lower_end;
        const int64_t apart = has_both
                                  ? (int64_t)x_of_side(t, scan.upper) - x_of_side(t, scan.lower)
                              : scan.upper < scan.upper_end ? -1
                                                            : 1;
        if (apart == 0)
            join_at_corner(t, &scan, first_lower, scan.upper++, scan.lower++);
        else
            end_or_begin_stretch(t, &scan, first_lower, apart < 0 ? scan.upper++ : scan.lower++);
    }
    PQT_INVARIANT(scan.open == NO_SIDE, "a contour is not closed");
}

static void
join_all(tracer *t)
{
    const pqti_run_list *all = &t->all;
    for (size_t row = 0, above = 0, end; row < all->count; above = row, row = end) {
        end = pqti_run_list_end_of_row(all, row);
        const bool is_adjacent = row > 0 && all->runs[above].y == all->runs[row].y - 1;
        if (!is_adjacent)
            join_rows(t, above, row, row, row);
        join_rows(t, is_adjacent ? above : row, row, row, end);
        if (end == all->count)
            join_rows(t, row, end, end, end);
    }
}

/* ---- Contours ---- */

static bool
add_corner(tracer *t, int32_t x, int32_t y)
{
    pqt_pixel *corners = pqti_grow_scratch(t->corners, t->count, &t->capacity, 1, sizeof *corners);
    if (corners == NULL)
        return false;
    t->corners = corners;
    t->corners[t->count++] = (pqt_pixel){x, y};
    return true;
}

/* Adds the corners between a side and the next one of its contour. */
static bool
add_corners_after(tracer *t, uint32_t side, uint32_t next)
{
    const int32_t x = x_of_side(t, side), next_x = x_of_side(t, next);
    const int32_t y = t->all.runs[side / 2].y + is_right_side(side);
    return x == next_x || (add_corner(t, x, y) && add_corner(t, next_x, y));
}

/* Follows the contour from a side. Returns false when out of memory. */
static bool
follow(tracer *t, uint32_t first, uint32_t outer)
{
    t->count = 0;
    for (uint32_t side = first; t->next[side] != NO_SIDE;) {
        const uint32_t next = t->next[side];
        if (!add_corners_after(t, side, next))
            return false;
        if (!is_right_side(side))
            t->outer[side / 2] = outer;
        t->next[side] = NO_SIDE;
        side = next;
    }
    return true;
}

/* Simplifies the current contour. Returns false when out of memory. */
static bool
simplify(tracer *t)
{
    if (t->tolerance == 0)
        return true;
    uint8_t *keep = pqti_grow_scratch(t->keep, 0, &t->keep_capacity, t->count, 1);
    if (keep == NULL)
        return false;
    t->keep = keep;
    t->count = pqti_simplify(t->corners, t->count, t->tolerance, keep);
    return true;
}

/* Visits the contour that begins with a side. */
static bool
visit_from(tracer *t, uint32_t side, size_t number, pqt_visit_contour_fn *visit, void *context,
           pqt_error *error)
{
    /* The left side of the run was followed before its right side. */
    const size_t outer = is_right_side(side) ? t->outer[side / 2] : number;
    if (!follow(t, side, (uint32_t)outer) || !simplify(t)) {
        pqti_out_of_memory(error);
        return false;
    }
    const pqt_contour contour = {t->corners, t->count, is_right_side(side), number, outer};
    return visit(&contour, context);
}

/* The first side of an outer contour is a left one, that of a hole a right one: both have the
 * inside of the polygon on their right. */
static bool
visit_all(tracer *t, pqt_visit_contour_fn *visit, void *context, pqt_error *error)
{
    size_t number = 0;
    for (uint32_t side = 0; side < side_of(t->all.count, false); side++) {
        if (t->next[side] == NO_SIDE)
            continue;
        if (!visit_from(t, side, number++, visit, context, error))
            return false;
    }
    return true;
}

static bool
check_contours_input(const char *function, const pqt_region *region, pqt_connectivity connectivity,
                     double tolerance, pqt_error *error)
{
    if (!pqti_region_may_go_on_in(function, region, error) ||
        !pqti_validate_connectivity(connectivity, error))
        return false;
    if (tolerance >= 0 && tolerance <= PQT_PIXEL_LIMIT)
        return true;
    pqti_error_set(error, PQT_ERROR_OPTION, 0, "tolerance: %g is not in 0..%d", tolerance,
                   PQT_PIXEL_LIMIT);
    return false;
}

static bool
tracer_make(tracer *t, const pqt_region *region, pqt_error *error)
{
    if (!pqti_run_list_make(&t->all, region, 2 * sizeof *t->next + sizeof *t->outer, error))
        return false;
    t->next = pqti_run_list_extra(&t->all);
    t->outer = t->next + 2 * t->all.count;
    join_all(t);
    return true;
}

bool
pqt_region_visit_contours(const pqt_region *region, pqt_connectivity connectivity, double tolerance,
                          pqt_visit_contour_fn *visit, void *context, pqt_error *error)
{
    PQT_ASSERT(visit != NULL, "the visitor is NULL");
    if (!check_contours_input(__func__, region, connectivity, tolerance, error))
        return false;
    tracer t = {.joins_corners = connectivity == PQT_CONNECTIVITY_8,
                .tolerance = (int64_t)(tolerance * PQTI_TOLERANCE_UNITS + 0.5)};
    if (!tracer_make(&t, region, error))
        return false;
    const bool unstopped = visit_all(&t, visit, context, error);
    pqti_run_list_free(&t.all);
    pqti_free_scratch(t.corners);
    pqti_free_scratch(t.keep);
    return unstopped;
}
