/* SPDX-License-Identifier: MIT */
/*
 * ray.c - what a segment or a ray hits, front to back.
 *
 * segment.h decides about each item, exactly. Here is what passes over most of them, which may only
 * err on one side. A leaf's items are held against the box of the line, as far as something may be
 * hit first on it, and two corners of each against the line itself, with the same bound of the
 * error as in segment.c.
 *
 * Quarters are passed over by the times at which the line comes to them and leaves them (slab.h).
 */
#include "config.h"

#include <pqt/ray.h>

#include <pqt/segment.h>

#include "base/error_internal.h"
#include "base/segment_internal.h"
#include "base/validate.h"
#include "tree/query/slab.h"

typedef pqt_ray_hit result;

/* Relative to the products, and what products may lose that are too small; see segment.c. */
#define CORNER_ERROR 0x1p-50
#define CORNER_LOSS 0x1p-1060

typedef struct question {
    pqti_line line;
    pqti_slabs slabs;
    pqt_box window;  /* of the line, up to where nothing is wanted any more */
    bool by_corners; /* corners can be held against the line */
} question;

#include "tree/query/knn_results_template.h"

/* The measure is time. */
static void
measure_worst(ranking *r)
{
    question *q = &r->question;
    r->measured.worst = pqti_slabs_worst(&q->slabs, r->limits.worst);
    q->window = pqti_line_box_until(&q->line, r->limits.worst);
}

static void
measure_last(ranking *r)
{
    r->measured.last = pqti_slabs_last(&r->question.slabs, r->limits.last);
}

/* ---- Items ---- */

/* Lanes whose boxes touch the box of the line. */
static inline pqti_mask
touch_box(const pqt_box *box, pqti_pair min_x, pqti_pair min_y, pqti_pair max_x, pqti_pair max_y)
{
    return (min_x <= box->max.x) & (max_x >= box->min.x) & (min_y <= box->max.y) &
           (max_y >= box->min.y);
}

/*
 * Lanes where the corner x, y is surely below the line, which leads to the right or, turned round,
 * would; for `sign` -1, surely above it. An overflow is never sure.
 */
static inline pqti_mask
is_off(const pqti_line *line, pqti_pair x, pqti_pair y, double sign)
{
    double side = line->heading_x > 0 ? sign : -sign;
    pqti_pair left = line->along.x * (y - line->from.y);
    pqti_pair right = line->along.y * (x - line->from.x);
    pqti_pair error = pqti_pair_magnitude(left) + pqti_pair_magnitude(right);
    return (left - right) * side > error * CORNER_ERROR + CORNER_LOSS;
}

/* Lanes whose items may be hit. */
static inline pqti_mask
may_touch(const question *q, pqti_leaf_view view, uint32_t i)
{
    pqti_pair min_x = pqti_pair_load(view.min_x + i), max_x = pqti_pair_load(view.max_x + i);
    pqti_pair min_y = pqti_pair_load(view.min_y + i), max_y = pqti_pair_load(view.max_y + i);
    pqti_mask touch = touch_box(&q->window, min_x, min_y, max_x, max_y);
    if (!q->by_corners)
        return touch;
    bool falls = q->line.heading_x == q->line.heading_y;
    pqti_mask below = is_off(&q->line, falls ? max_x : min_x, min_y, 1);
    pqti_mask above = is_off(&q->line, falls ? min_x : max_x, max_y, -1);
    return touch & ~below & ~above;
}

static pqt_ray_hit
hit_of(const pqti_line *line, pqt_item item, size_t place)
{
    pqti_clip clip = pqti_line_clip(line, &item.box);
    return (pqt_ray_hit){
        .hit = true,
        .inside = clip.entry == 0,
        .item = item,
        .entry = clip.entry,
        .exit = clip.exit,
        .normal = clip.normal,
        .place = place,
    };
}

/* Where the line enters says so if it touches, and most that are too late do: so that is asked
   first. */
static void
meet(ranking *r, pqti_leaf_view view, uint32_t count, uint32_t i, uint32_t place)
{
    const question *q = &r->question;
    pqt_item item = pqti_view_item(view, i);
    double entry = pqti_line_entry(&q->line, &item.box);
    if (is_wanted(r, pqti_bits_of(entry), place) && pqti_line_touches(&q->line, &item.box))
        offer(r, view, count, i, entry, place);
}

/* The last pair may end beyond the arrays of a leaf with an odd count, but not beyond the leaf. */
static void
scan_leaf(ranking *r, const void *leaf, uint32_t count, uint32_t place)
{
    pqti_leaf_view view = pqti_view(leaf, count);
    for (uint32_t i = 0; i < count && !is_too_late(r, 0, place + i); i += 2) {
        unsigned touch = pqti_mask_bits(may_touch(&r->question, view, i));
        if ((touch & 1) != 0)
            meet(r, view, count, i, place + i);
        if ((touch & 2) != 0 && i + 1 < count)
            meet(r, view, count, i + 1, place + i + 1);
    }
}

/* Whatever lies in a box is touched only if the box is, and is not entered before it: quotients by
   the same way are rounded alike. */
static inline bool
find_least_key(const ranking *r, const pqti_spread *spread, double *key)
{
    const pqti_line *line = &r->question.line;
    pqt_box box = pqti_spread_box(spread);
    if (!pqti_line_touches(line, &box))
        return false;
    *key = pqti_line_entry(line, &box);
    return true;
}

/* ---- Quarters ---- */

static inline const limits *
bound_quarters(const ranking *r, const pqti_inner *node, bool strays, double bounds[PQTI_QUARTERS])
{
    double last = r->limits.last >= 0 ? r->measured.last : -1;
    pqti_slabs_bound(&r->question.slabs, node, strays, last, bounds);
    return &r->measured;
}

/* ---- Questions ---- */

static void
prepare_question(question *q, const pqti_space *space)
{
    const pqti_line *line = &q->line;
    pqt_box start = {line->from, line->from};
    q->slabs = pqti_slabs_of(space, line, &start, pqti_is_within(&space->bounds, &line->box));
    q->by_corners = q->slabs.x == PQTI_MOVES && q->slabs.y == PQTI_MOVES;
}

#define BAD_KIND "a cast must start from pqt_cast_segment or pqt_cast_ray"

static bool
has_kind(const pqt_cast *cast)
{
    return cast->kind == PQT_CAST_SEGMENT || cast->kind == PQT_CAST_RAY;
}

static pqti_line
line_of(const pqt_cast *cast)
{
    return cast->kind == PQT_CAST_RAY ? pqti_line_of_ray(cast->ray)
                                      : pqti_line_of_segment(cast->segment);
}

/* Makes a ranking ready; false if the line is not valid. */
static bool
prepare(ranking *r, const pqt_tree *tree, const pqt_cast *cast)
{
    r->question.line = line_of(cast);
    if (!pqti_line_is_valid(&r->question.line))
        return false;
    prepare_question(&r->question, tree->space);
    r->filter = cast->filter;
    r->context = cast->context;
    r->tally = cast->tally;
    rank_from(r, tree, r->question.line.from, INFINITY);
    return true;
}

static pqt_ray_hit
result_of(const ranking *r, pqt_item item, double key, uint32_t place)
{
    (void)key; /* the entry is worked out with the rest */
    return hit_of(&r->question.line, item, place);
}

pqt_cast
pqt_cast_segment(pqt_segment segment)
{
    return (pqt_cast){.kind = PQT_CAST_SEGMENT, .segment = segment};
}

pqt_cast
pqt_cast_ray(pqt_ray ray)
{
    return (pqt_cast){.kind = PQT_CAST_RAY, .ray = ray};
}

pqt_ray_hit
pqt_cast_at_item(pqt_cast cast, pqt_item item)
{
    PQT_ASSERT(has_kind(&cast), BAD_KIND);
    pqti_line line = line_of(&cast);
    if (!pqti_box_is_valid(&item.box) || !pqti_line_touches(&line, &item.box))
        return (pqt_ray_hit){.hit = false};
    return hit_of(&line, item, 0);
}

pqt_ray_hit
pqt_tree_cast(const pqt_tree *tree, pqt_cast cast)
{
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    PQT_ASSERT(has_kind(&cast), BAD_KIND);
    ranking r;
    if (!prepare(&r, tree, &cast) || rank_more(&r, tree, 1) == 0)
        return (pqt_ray_hit){.hit = false};
    return best_result(&r, 0);
}

size_t
pqt_tree_cast_all(const pqt_tree *tree, pqt_cast cast, pqt_ray_hit *hits, size_t capacity)
{
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    PQT_ASSERT(has_kind(&cast), BAD_KIND);
    PQT_ASSERT(hits != NULL || capacity == 0, "hits is NULL, and capacity is not 0");
    ranking r;
    if (!prepare(&r, tree, &cast))
        return 0;
    r.all = true;
    return find_many(&r, tree, hits, capacity).found;
}

bool
pqt_tree_visit_cast(const pqt_tree *tree, pqt_cast cast, pqt_visit_hit_fn *visit, void *context)
{
    PQT_ASSERT(tree != NULL && visit != NULL, "the tree or the visitor is NULL");
    PQT_ASSERT(has_kind(&cast), BAD_KIND);
    ranking r;
    if (!prepare(&r, tree, &cast))
        return true;
    return visit_in_order(&r, tree, visit, context);
}
