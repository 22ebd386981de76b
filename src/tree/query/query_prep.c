/* SPDX-License-Identifier: MIT */
/* query_prep.c: prepares a query for a traversal. */
#include "config.h"

#include "tree/query/query_prep.h"

#include <float.h>
#include <math.h>

#include "base/error_internal.h"
#include "base/fp.h"
#include "base/relation.h"
#include "base/sphere_internal.h"
#include "base/validate.h"

/*
 * Returns the next greater double, or infinity for infinity. Unless a is infinite, a < b is
 * equivalent to next_up(a) <= b.
 */
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
    return pqti_double_of(bits);
}

static double
next_down(double value)
{
    return -next_up(-value);
}

/* Returns true if no side is NaN and min <= max. Infinite sides are allowed. */
static bool
is_window(const pqt_box *box)
{
    return box->min.x <= box->max.x && box->min.y <= box->max.y;
}

/* Sets the numbers with which an item's sides are compared. A strict comparison is replaced by
   one with the next double. */
static void
set_sides(pqti_window *window, const pqt_box *box, pqt_relation relation)
{
    const pqti_relation_rule rule = pqti_relation_rule_of(relation);
    const pqt_box sides = pqti_box_with_sides_swapped(*box, rule.swaps_window);
    window->swap_sides = rule.swaps_item;
    window->max_low = sides.max;
    window->min_high = sides.min;
    if (rule.is_strict) {
        window->max_low = (pqt_vec){next_down(sides.max.x), next_down(sides.max.y)};
        window->min_high = (pqt_vec){next_up(sides.min.x), next_up(sides.min.y)};
    }
}

/*
 * Finds the columns strictly between the columns of the window's sides. If there are none, sets
 * `from` above `to`.
 */
static void
set_inside(uint32_t *from, uint32_t *to, double min, double max, uint32_t min_qcoord,
           uint32_t max_qcoord)
{
    bool open_below = min<-DBL_MAX, open_above = max> DBL_MAX;
    bool none = (min_qcoord == UINT32_MAX && !open_below) || (max_qcoord == 0 && !open_above);
    *from = none ? UINT32_MAX : open_below ? 0 : min_qcoord + 1;
    *to = none ? 0 : open_above ? UINT32_MAX : max_qcoord - 1;
}

static pqti_qwindow
qwindow_of_qbox(pqt_relation relation, const pqt_box *box, const pqti_qbox *qbox)
{
    if (pqti_relation_rule_of(relation).swaps_window)
        return (pqti_qwindow){qbox->min_x, qbox->min_y, qbox->max_x, qbox->max_y,
                              UINT32_MAX,  UINT32_MAX,  0,           0};
    pqti_qwindow qwindow = {.isect_max_x = qbox->max_x,
                            .isect_max_y = qbox->max_y,
                            .isect_min_x = qbox->min_x,
                            .isect_min_y = qbox->min_y};
    set_inside(&qwindow.inside_min_x, &qwindow.inside_max_x, box->min.x, box->max.x, qbox->min_x,
               qbox->max_x);
    set_inside(&qwindow.inside_min_y, &qwindow.inside_max_y, box->min.y, box->max.y, qbox->min_y,
               qbox->max_y);
    return qwindow;
}

const pqt_query *
pqti_query_or_all(const pqt_query *query)
{
    static const pqt_query all = {.window = {{-INFINITY, -INFINITY}, {INFINITY, INFINITY}},
                                  .relation = PQT_TOUCHES};
    return query != NULL ? query : &all;
}

static bool
is_on_sphere(const pqt_query *query)
{
    return query->surface == PQT_SPHERE;
}

bool
pqti_query_check(pqt_query *query, pqt_error *error)
{
    pqt_box window;
    if (query->convex != NULL)
        return true;
    if (!pqti_validate_window(&query->window, "window", &query->window, error))
        return false;
    if (!is_on_sphere(query) || pqti_sphere_window_of(&query->window, &window))
        return true;
    pqti_error_set(error, PQT_ERROR_BOX, 0,
                   "window: not on the sphere, where latitudes are from -90 to 90 and longitudes "
                   "from -540 to 540");
    return false;
}

/* Stops the program if a query is misuse, whatever its window. */
static void
assert_query(const pqt_query *query)
{
    PQT_ASSERT_IN(NULL, pqti_relation_is_valid(query->relation),
                  "the relation of a query is not a pqt_relation");
    PQT_ASSERT_IN(NULL, query->surface == PQT_PLANE || is_on_sphere(query),
                  "the surface of a query is not a pqt_surface");
    PQT_ASSERT_IN(NULL, pqti_words_are_zero(query->reserved, 2),
                  "the reserved words of a query are not 0");
    PQT_ASSERT_IN(NULL, query->convex == NULL || !is_on_sphere(query),
                  "a query on the sphere has a convex");
    PQT_ASSERT_IN(NULL, query->convex == NULL || pqt_convex_is_valid(query->convex),
                  "the convex of a query is not valid");
}

/*
 * Sets the shape of a window if it has one. Returns the box with which items are compared first,
 * which is no window if nothing can match.
 */
static pqt_box
set_shape(pqti_window *window, const pqt_query *query)
{
    if (is_on_sphere(query)) {
        window->has_shape = true;
        if (!pqti_sphere_window_of(&query->window, &window->shape_box))
            return (pqt_box){{NAN, NAN}, {NAN, NAN}};
        return (pqt_box){{-INFINITY, window->shape_box.min.y}, {INFINITY, window->shape_box.max.y}};
    }
    if (query->convex == NULL)
        return query->window;
    window->shape_box = pqti_box_positive_zero(pqt_convex_box(query->convex));
    window->has_shape = !pqti_relation_rule_of(query->relation).swaps_window;
    if (window->has_shape)
        window->convex = query->convex;
    return window->shape_box;
}

static pqti_window
make_window(const pqti_domain *domain, const pqt_query *query, bool with_outliers)
{
    query = pqti_query_or_all(query);
    assert_query(query);
    pqti_window window = {.relation = query->relation,
                          .filter = query->filter,
                          .context = query->context,
                          .stats = query->stats,
                          .domain = domain};
    pqt_box box = set_shape(&window, query);
    window.empty = !is_window(&box);
    if (window.empty)
        return window;
    box = pqti_box_positive_zero(box);
    window.tests_items = window.filter != NULL || window.has_shape;
    const pqt_relation relation = is_on_sphere(query) ? PQT_TOUCHES : query->relation;
    set_sides(&window, &box, relation);
    const pqti_qbox in_bounds = pqti_qbox_of(domain, false, &box);
    window.bounds = qwindow_of_qbox(relation, &box, &in_bounds);
    if (with_outliers) {
        const pqti_qbox in_outliers = pqti_qbox_of(domain, true, &box);
        window.outliers = qwindow_of_qbox(relation, &box, &in_outliers);
    }
    return window;
}

pqti_window
pqti_window_of(const pqti_domain *domain, const pqt_query *query)
{
    return make_window(domain, query, true);
}

pqti_window
pqti_window_in(const pqt_tree *tree, const pqt_query *query)
{
    return make_window(tree->domain, query, pqti_has_outliers(tree));
}

/* ---- Shapes ---- */

/* Returns true if a box that contains all items of a subtree has a point in common with the
   convex. If it does, so does its intersection with the box of the convex, which is finite. */
static bool
touches_convex(const pqti_window *window, pqt_box box)
{
    const pqt_box of_convex = window->shape_box;
    const pqt_box part = {
        {pqti_fmax(box.min.x, of_convex.min.x), pqti_fmax(box.min.y, of_convex.min.y)},
        {pqti_fmin(box.max.x, of_convex.max.x), pqti_fmin(box.max.y, of_convex.max.y)}};
    return is_window(&part) && pqt_convex_touches_box(window->convex, part);
}

/* Returns true if a box that contains all items of a subtree touches the window on the sphere. No
   item has another relation if this one is false. */
static bool
touches_sphere_window(const pqti_window *window, pqt_box box)
{
    const pqt_box part = pqti_part_on_sphere(&box);
    return is_window(&part) && pqti_relates_on_sphere(&part, &window->shape_box, PQT_TOUCHES);
}

static bool
touches_shape(const pqti_window *window, pqt_box box)
{
    return window->convex != NULL ? touches_convex(window, box)
                                  : touches_sphere_window(window, box);
}

/* Returns true if a box has the relation to the shape. */
static bool
relates_to_shape(const pqti_window *window, const pqt_box *box)
{
    return window->convex != NULL
               ? pqti_box_relates_to_convex(*box, window->convex, window->relation)
               : pqti_is_on_sphere(box) &&
                     pqti_relates_on_sphere(box, &window->shape_box, window->relation);
}

/*
 * Returns true if all boxes within a box certainly have the relation to the shape. The box is grown
 * by one double on each side, so that the boxes in it are in the interior of the shape, which
 * implies PQT_OVERLAPS too.
 */
static bool
is_inside_shape(const pqti_window *window, pqt_box box)
{
    const pqt_box grown = {{next_down(box.min.x), next_down(box.min.y)},
                           {next_up(box.max.x), next_up(box.max.y)}};
    if (window->convex != NULL)
        return pqt_box_is_valid(grown) && pqt_convex_covers_box(window->convex, grown);
    return !pqti_relation_rule_of(window->relation).swaps_window && pqti_is_on_sphere(&grown) &&
           pqti_relates_on_sphere(&grown, &window->shape_box, PQT_INSIDE);
}

static pqt_box
box_of_quadrant(const pqti_window *window, bool outliers, const pqti_inner *node, int i)
{
    return pqti_box_of_qbox(
        window->domain, outliers,
        (pqti_qbox){node->min_x[i], node->min_y[i], node->max_x[i], node->max_y[i]});
}

bool
pqti_shape_may_find(const pqti_window *window, bool outliers, const pqti_inner *node, int i)
{
    return node->count[i] != 0 && touches_shape(window, box_of_quadrant(window, outliers, node, i));
}

/*
 * The sides of a subtree in the first or last column are unknown, so no such subtree is regarded as
 * inside.
 */
bool
pqti_shape_contains(const pqti_window *window, bool outliers, const pqti_inner *node, int i)
{
    return node->count[i] != 0 &&
           is_inside_shape(window, box_of_quadrant(window, outliers, node, i));
}

bool
pqti_passes_tests(const pqti_window *window, const pqt_item *item)
{
    if (window->has_shape && !relates_to_shape(window, &item->box))
        return false;
    return window->filter == NULL || window->filter(item, window->context);
}

/*
 * Returns how the shape covers all items of a hash node that the box around the shape does not
 * exclude.
 */
static pqti_coverage
classify_by_shape(const pqti_window *window, const pqti_side_range *side_range)
{
    const pqt_box box = pqti_side_range_box(side_range);
    if (pqti_all_boxes_equal(side_range))
        return relates_to_shape(window, &box) ? PQTI_COVERAGE_ALL : PQTI_COVERAGE_NONE;
    if (!touches_shape(window, box))
        return PQTI_COVERAGE_NONE;
    return is_inside_shape(window, box) ? PQTI_COVERAGE_ALL : PQTI_COVERAGE_PARTIAL;
}

/* ---- Hash nodes and leaves ---- */

pqti_coverage
pqti_classify(const pqti_window *window, const pqti_inner *hash_node)
{
    const pqti_side_range *side_range = pqti_side_range_of(hash_node);
    pqt_box least = side_range->min, greatest = side_range->max;
    if (window->swap_sides) {
        least = (pqt_box){least.max, least.min};
        greatest = (pqt_box){greatest.max, greatest.min};
    }
    if (least.min.x > window->max_low.x || least.min.y > window->max_low.y ||
        greatest.max.x < window->min_high.x || greatest.max.y < window->min_high.y)
        return PQTI_COVERAGE_NONE;
    if (window->has_shape)
        return classify_by_shape(window, side_range);
    bool all = greatest.min.x <= window->max_low.x && greatest.min.y <= window->max_low.y &&
               least.max.x >= window->min_high.x && least.max.y >= window->min_high.y;
    return all ? PQTI_COVERAGE_ALL : PQTI_COVERAGE_PARTIAL;
}

uint64_t
pqti_hits(const pqti_window *window, const pqti_leaf_view *view, uint32_t from, uint32_t count)
{
    PQT_INVARIANT(from < count && from % PQTI_SCAN_ITEMS == 0,
                  "a block does not begin in its leaf");
    const pqti_leaf_view sides = pqti_compared_sides(window, *view);
    return pqti_sides_within(&sides, window->max_low, window->min_high, from, count);
}
