/* SPDX-License-Identifier: MIT */
/*
 * distances.c: computes the exact squared distance of each pixel of a window to the nearest target
 * (A. Meijster and others, "A general algorithm for computing distance transforms in linear time",
 * 2000).
 *
 * First, two passes over the rows compute the distance of each pixel to the nearest target of its
 * column, which are kept in the result. Then each row is computed from its column distances g: the
 * square at x is the minimum of (x - i)^2 + g(i)^2 over all i, the lower envelope of parabolas. A
 * stack holds the parabolas of the envelope, and for each the first x at which it is the lowest.
 *
 * Columns without a target are left out. All numbers are integers, and quotients are rounded down.
 */
#include "config.h"

#include <string.h>

#include <pqt/region_morph.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "region/region_internal.h"

#define NO_TARGET UINT32_MAX

typedef struct distance_field {
    pqt_pixel_box window;
    uint32_t *squares;
    size_t stride;
    uint32_t in_region; /* the column distance at which a pixel of the region begins */
} distance_field;

/* A parabola of the envelope. */
typedef struct parabola {
    int32_t column; /* its lowest point */
    int32_t from;   /* the first column at which it is the lowest one */
} parabola;

static uint32_t *
row_of(const distance_field *field, int32_t y)
{
    return field->squares + (size_t)(y - field->window.min.y) * field->stride;
}

static bool
mark_run(const pqt_pixel_run *run, void *context)
{
    const distance_field *field = context;
    uint32_t *row = row_of(field, run->y);
    for (int32_t x = run->min_x; x < run->max_x; x++)
        row[x - field->window.min.x] = field->in_region;
    return true;
}

/* Continues the column distances from one row to the next. */
static void
step_columns(const uint32_t *from, uint32_t *to, size_t width)
{
    for (size_t x = 0; x < width; x++)
        if (from[x] != NO_TARGET && from[x] + 1 < to[x])
            to[x] = from[x] + 1;
}

/* Sets each pixel to its distance from the nearest target of its column. */
static void
measure_columns(distance_field *field, const pqt_region *region, size_t width)
{
    const pqt_pixel_box *window = &field->window;
    const uint32_t outside = field->in_region == 0 ? NO_TARGET : 0;
    for (int32_t y = window->min.y; y < window->max.y; y++)
        for (size_t x = 0; x < width; x++)
            row_of(field, y)[x] = outside;
    pqt_region_visit_runs(region, *window, mark_run, field);
    for (int32_t y = window->min.y + 1; y < window->max.y; y++)
        step_columns(row_of(field, y - 1), row_of(field, y), width);
    for (int32_t y = window->max.y - 1; y > window->min.y; y--)
        step_columns(row_of(field, y), row_of(field, y - 1), width);
}

static int64_t
height_at(const uint32_t *columns, int32_t column, int64_t x)
{
    const int64_t g = columns[column];
    return (x - column) * (x - column) + g * g;
}

/* Returns the first column at which the parabola at `right` is lower than that at `left`, which is
 * on its left. */
static int64_t
first_column_of(const uint32_t *columns, int32_t left, int32_t right)
{
    const int64_t numerator = height_at(columns, right, 0) - height_at(columns, left, 0);
    const int64_t divisor = 2 * ((int64_t)right - left);
    return numerator / divisor - (numerator % divisor < 0) + 1;
}

/* Finds the parabolas of the lower envelope of a row. Returns their number. */
static int32_t
make_envelope(const uint32_t *columns, int32_t width, parabola *envelope)
{
    int32_t count = 0;
    for (int32_t u = 0; u < width; u++) {
        if (columns[u] == NO_TARGET)
            continue;
        while (count > 0 &&
               height_at(columns, envelope[count - 1].column, envelope[count - 1].from) >
                   height_at(columns, u, envelope[count - 1].from))
            count--;
        const int64_t from =
            count > 0 ? first_column_of(columns, envelope[count - 1].column, u) : 0;
        if (from < width)
            envelope[count++] = (parabola){u, (int32_t)from};
    }
    return count;
}

/* Computes the squares of a row from its column distances. */
static void
measure_row(uint32_t *row, int32_t width, uint32_t *columns, parabola *envelope)
{
    memcpy(columns, row, (size_t)width * sizeof *row);
    int32_t last = make_envelope(columns, width, envelope) - 1;
    if (last < 0)
        return; /* no column has a target, and each pixel has NO_TARGET */
    for (int32_t x = width - 1; x >= 0; x--) {
        row[x] = (uint32_t)height_at(columns, envelope[last].column, x);
        last -= x == envelope[last].from;
    }
}

static bool
check_distances(pqt_pixel_box window, pqt_distance_target target, size_t stride, pqt_error *error)
{
    if (!pqti_validate_pixel_box(&window, "window", 0, error))
        return false;
    const int64_t width = (int64_t)window.max.x - window.min.x;
    const int64_t height = (int64_t)window.max.y - window.min.y;
    if (width > PQT_DISTANCE_LIMIT || height > PQT_DISTANCE_LIMIT)
        pqti_error_set(error, PQT_ERROR_LIMIT, 0,
                       "window: %lld x %lld pixels; at most %d are possible on each axis",
                       (long long)width, (long long)height, PQT_DISTANCE_LIMIT);
    else if (target != PQT_DISTANCE_TO_REGION && target != PQT_DISTANCE_TO_OUTSIDE)
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "target: %d is not a pqt_distance_target",
                       (int)target);
    else if (stride < (uint64_t)width)
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "stride: %zu is less than the width of the window, %lld", stride,
                       (long long)width);
    else if (height > 1 &&
             stride > (PTRDIFF_MAX / sizeof(uint32_t) - (size_t)width) / (size_t)(height - 1))
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "stride: %lld rows of %zu numbers exceed the address space",
                       (long long)height, stride);
    else
        return true;
    return false;
}

bool
pqt_region_distances(const pqt_region *region, pqt_pixel_box window, pqt_distance_target target,
                     uint32_t *squares, size_t stride, pqt_error *error)
{
    if (!pqti_region_check_input(region, error) || !check_distances(window, target, stride, error))
        return false;
    if (pqti_box_is_empty(window))
        return true;
    PQT_ASSERT(squares != NULL, "squares is NULL, and the window has pixels");
    const int32_t width = window.max.x - window.min.x;
    distance_field field = {window, squares, stride,
                            target == PQT_DISTANCE_TO_REGION ? 0 : NO_TARGET};
    parabola *envelope =
        pqti_alloc_scratch((size_t)width, sizeof *envelope + sizeof *field.squares);
    if (envelope == NULL) {
        pqti_out_of_memory(error);
        return false;
    }
    measure_columns(&field, region, (size_t)width);
    for (int32_t y = window.min.y; y < window.max.y; y++)
        measure_row(row_of(&field, y), width, (uint32_t *)(envelope + width), envelope);
    pqti_free_scratch(envelope);
    return true;
}
