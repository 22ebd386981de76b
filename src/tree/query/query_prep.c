/* SPDX-License-Identifier: MIT */
/* query_prep.c - a query made ready for a walk. */
#include "config.h"

#include "tree/query/query_prep.h"

#include <float.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/validate.h"

/* The next double above, infinity staying: a < b is next_up(a) <= b for all but infinities. */
static double
next_up(double value)
{
    uint64_t bits = pqti_bits_of(value);
    if (value > DBL_MAX)
        return value;
    if (value == 0)
        bits = 1;
    else
        bits = value > 0 ? bits + 1 : bits - 1;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double
next_down(double value)
{
    return -next_up(-value);
}

/* Not NaN, not inside out; infinite sides are allowed. */
static bool
is_window(const pqt_box *box)
{
    return box->min.x <= box->max.x && box->min.y <= box->max.y;
}

/* What an item's sides are compared with. */
static void
set_sides(pqti_window *window, const pqt_box *box)
{
    window->turned = window->query.relation == PQT_INSIDE;
    switch (window->query.relation) {
    case PQT_TOUCHES:
    case PQT_INSIDE:
        window->most = box->max;
        window->least = box->min;
        break;
    case PQT_OVERLAPS:
        window->most = (pqt_vec){next_down(box->max.x), next_down(box->max.y)};
        window->least = (pqt_vec){next_up(box->min.x), next_up(box->min.y)};
        break;
    case PQT_COVERS:
        window->most = box->min;
        window->least = box->max;
        break;
    }
}

/* The columns strictly between those of the window's sides; from above to: there are none. */
static void
set_inside(uint32_t *from, uint32_t *to, double min, double max, uint32_t min_column,
           uint32_t max_column)
{
    bool open_below = min<-DBL_MAX, open_above = max> DBL_MAX;
    bool none = (min_column == UINT32_MAX && !open_below) || (max_column == 0 && !open_above);
    *from = none ? UINT32_MAX : open_below ? 0 : min_column + 1;
    *to = none ? 0 : open_above ? UINT32_MAX : max_column - 1;
}

static pqti_sieve
sieve_of(const pqti_window *window, const pqt_box *box, pqti_extent columns)
{
    if (window->query.relation == PQT_COVERS)
        return (pqti_sieve){columns.min_x,
                            columns.min_y,
                            columns.max_x,
                            columns.max_y,
                            UINT32_MAX,
                            UINT32_MAX,
                            0,
                            0};
    pqti_sieve sieve = {.begin_by_x = columns.max_x,
                        .begin_by_y = columns.max_y,
                        .end_from_x = columns.min_x,
                        .end_from_y = columns.min_y};
    set_inside(&sieve.from_x, &sieve.to_x, box->min.x, box->max.x, columns.min_x, columns.max_x);
    set_inside(&sieve.from_y, &sieve.to_y, box->min.y, box->max.y, columns.min_y, columns.max_y);
    return sieve;
}

static pqti_window
make(const pqti_space *space, pqt_query query, bool with_strays)
{
    PQT_ASSERT_IN(NULL, query.relation >= PQT_TOUCHES && query.relation <= PQT_COVERS,
                  "a query must name one of the four relations");
    pqti_window window = {.query = query, .empty = !is_window(&query.window)};
    if (window.empty)
        return window;
    pqt_box box = pqti_box_positive_zero(query.window);
    set_sides(&window, &box);
    window.bounds = sieve_of(&window, &box, pqti_extent_of(space, false, &box));
    if (with_strays)
        window.strays = sieve_of(&window, &box, pqti_extent_of(space, true, &box));
    return window;
}

pqti_window
pqti_window_of(const pqti_space *space, pqt_query query)
{
    return make(space, query, true);
}

pqti_window
pqti_window_in(const pqt_tree *tree, pqt_query query)
{
    return make(tree->space, query, pqti_has_strays(tree));
}

pqti_verdict
pqti_judge(const pqti_window *window, const pqti_inner *mixed)
{
    const pqti_spread *spread = pqti_spread_of(mixed);
    pqt_box least = spread->least, greatest = spread->greatest;
    if (window->turned) {
        least = (pqt_box){least.max, least.min};
        greatest = (pqt_box){greatest.max, greatest.min};
    }
    if (least.min.x > window->most.x || least.min.y > window->most.y ||
        greatest.max.x < window->least.x || greatest.max.y < window->least.y)
        return PQTI_NONE;
    bool all = greatest.min.x <= window->most.x && greatest.min.y <= window->most.y &&
               least.max.x >= window->least.x && least.max.y >= window->least.y;
    return all ? PQTI_ALL : PQTI_UNSURE;
}

uint64_t
pqti_hits(const pqti_window *window, pqti_leaf_view view, uint32_t from, uint32_t count)
{
    return pqti_sides_within(pqti_compared_sides(window, view), window->most, window->least, from,
                             count);
}
