/* SPDX-License-Identifier: MIT */
/*
 * nearest.c - the nearest items to a box.
 *
 * Each distance that decides is that of pqt_box_distance_to_box. Rounding never turns an order round: a
 * box that holds another is never measured farther, so the box of a quarter bounds the distances in it.
 *
 * Roots are not taken to pass over what is too far. Squares are compared instead, with a limit that is a
 * little more than the square of the worst distance: by as much as roundings can come to, and as what
 * is lost among the smallest doubles. Where squares overflow, nothing is passed over by them. For the
 * quarters of worlds too large or too small for squares, and for strays, which may be anywhere, lengths are
 * compared after all.
 *
 * Depth first with the nearest quarter first: N. Roussopoulos, S. Kelley, F. Vincent, "Nearest neighbor
 * queries", 1995.
 */
#include "config.h"

#include <pqt/nearest.h>

#include <float.h>

#include "base/error.h"
#include "base/item.h"
#include "query/ways.h"

typedef pqt_near outcome;

#include "query/heap.h"

/* Between these, pqt_vec_length takes the root of a plain sum of squares, too. */
#define SAFE_SQUARE_MIN 0x1p-900
#define SAFE_SQUARE_MAX 0x1p+1000

/* In worlds between these no square of a gap overflows, and only gaps far below a column's width vanish. */
#define SAFE_SIZE_MIN 0x1p-380
#define SAFE_SIZE_MAX 0x1p+480

/* By more than this no square differs from that of the distance that it stands for. */
#define SQUARE_ERROR 0x1p-49
#define SQUARE_LOSS 0x1p-1060

typedef struct question {
    pqt_box from;
    pqti_outlook outlook;
    bool by_lengths;     /* squares will not do for the quarters */
    double worst_square; /* no item beyond it is wanted */
    gathering *all;      /* NULL: they are few enough to be ranked */
} question;

#include "query/rank.h"

/* The measure is the square of half a distance. */
static void
measure_worst(ranking *r)
{
    double half = r->limits.worst / 2;
    double square = r->limits.worst == 0 ? 0 : half * half * (1 + SQUARE_ERROR) + SQUARE_LOSS;
    r->measured.worst = square;
    r->question.worst_square = 4 * square;
}

static void
measure_last(ranking *r)
{
    double half = r->limits.last / 2;
    r->measured.last = pqti_greater(0, half * half * (1 - SQUARE_ERROR) - SQUARE_LOSS);
}

/* ---- Items ---- */

static inline pqti_pair
gap(pqti_pair begin, pqti_pair end)
{
    return pqti_pair_positive(pqti_pair_greater(begin, -end));
}

/* Of items i and i + 1 of a leaf. */
static inline pqti_pair
squares_of_items(const pqt_box *from, pqti_leaf_view view, uint32_t i)
{
    pqti_pair x = gap(pqti_pair_load(view.min_x + i) - from->max.x,
                      pqti_pair_load(view.max_x + i) - from->min.x);
    pqti_pair y = gap(pqti_pair_load(view.min_y + i) - from->max.y,
                      pqti_pair_load(view.max_y + i) - from->min.y);
    return x * x + y * y;
}

enum { CHUNK = 32 }; /* items of a leaf that are looked at at once */

/* Some items of a leaf, and their squares. */
typedef struct near_items {
    double squares[CHUNK + 2];
    uint32_t index[CHUNK + 2];
} near_items;

/* Puts one behind `count` others, and says how many to count now. */
static inline uint32_t
append(near_items *near, uint32_t count, uint32_t i, double square, bool is_near)
{
    near->squares[count] = square;
    near->index[count] = i;
    return count + is_near;
}

/*
 * Picks those that may be wanted; no branch depends on it. The last pair may end beyond the arrays of a
 * leaf with an odd count, but not beyond the leaf: the ids come last.
 */
static inline uint32_t
pick_near(const question *q, pqti_leaf_view view, uint32_t begin, uint32_t end, near_items *near)
{
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i += 2) {
        pqti_pair squares = squares_of_items(&q->from, view, i);
        pqti_mask beyond = squares > q->worst_square;
        count = append(near, count, i, squares[0], beyond[0] == 0);
        count = append(near, count, i + 1, squares[1], (beyond[1] == 0) & (i + 1 < end));
    }
    return count;
}

static inline double
distance_to(const question *q, pqti_leaf_view view, uint32_t i, double square)
{
    if (square >= SAFE_SQUARE_MIN && square <= SAFE_SQUARE_MAX)
        return sqrt(square);
    return pqt_box_distance_to_box(pqti_view_item(view, i).box, q->from);
}

static inline bool
is_earlier(const outcome *a, const outcome *b)
{
    return a->distance < b->distance || (a->distance == b->distance && a->place < b->place);
}

/* As offer() does it, for more than can be ranked. */
static void
gather_near(ranking *r, pqt_item item, double distance, uint32_t place)
{
    gathering *all = r->question.all;
    if (!is_wanted(r, pqti_bits_of(distance), place) ||
        (r->filter != NULL && !r->filter(&item, r->context)))
        return;
    gather(all, (pqt_near){item, distance, place});
    if (all->count < all->room)
        return;
    r->limits.worst = all->all[0].distance;
    r->worst_place = (uint32_t)all->all[0].place;
    measure_worst(r);
}

static void
scan_leaf(ranking *r, const void *leaf, uint32_t count, uint32_t place)
{
    pqti_leaf_view view = pqti_view(leaf, count);
    near_items near;
    for (uint32_t begin = 0; begin < count; begin += CHUNK) {
        uint32_t end = count - begin < CHUNK ? count : begin + CHUNK;
        uint32_t picked = pick_near(&r->question, view, begin, end, &near);
        for (uint32_t j = 0; j < picked; j++) {
            uint32_t i = near.index[j];
            double distance = distance_to(&r->question, view, i, near.squares[j]);
            if (r->question.all == NULL)
                offer(r, view, count, i, distance, place + i);
            else
                gather_near(r, pqti_view_item(view, i), distance, place + i);
        }
    }
}

static inline bool
find_least_key(const ranking *r, const pqti_spread *spread, double *key)
{
    *key = pqt_box_distance_to_box(pqti_spread_box(spread), r->question.from);
    return true;
}

/* ---- Quarters ---- */

/* Halves of gaps on both axes, of each quarter. */
typedef struct gaps {
    pqti_pair x[2], y[2];
} gaps;

static inline gaps
least_gaps(const pqti_ways *ways)
{
    return (gaps){
        {gap(ways->begin_x[0], ways->end_x[0]), gap(ways->begin_x[1], ways->end_x[1])},
        {gap(ways->begin_y[0], ways->end_y[0]), gap(ways->begin_y[1], ways->end_y[1])},
    };
}

/* An item that ends as far as possible, or begins so. */
static inline gaps
greatest_gaps(const pqti_ways *ways)
{
    return (gaps){
        {gap(ways->end_x[0], ways->begin_x[0]), gap(ways->end_x[1], ways->begin_x[1])},
        {gap(ways->end_y[0], ways->begin_y[0]), gap(ways->end_y[1], ways->begin_y[1])},
    };
}

static inline void
square(const gaps *g, double squares[PQTI_QUARTERS])
{
    for (int i = 0; i < 2; i++)
        pqti_pair_store(squares + 2 * i, g->x[i] * g->x[i] + g->y[i] * g->y[i]);
}

static void
measure(const gaps *g, double lengths[PQTI_QUARTERS])
{
    for (int i = 0; i < PQTI_QUARTERS; i++) {
        pqt_vec whole = {2 * g->x[i / 2][i % 2], 2 * g->y[i / 2][i % 2]};
        lengths[i] = pqt_vec_length(whole);
    }
}

static const limits *
bound_with_care(const ranking *r, const pqti_inner *node, bool strays, double bounds[PQTI_QUARTERS])
{
    bool by_lengths = strays || r->question.by_lengths;
    const limits *in_bounds = by_lengths ? &r->limits : &r->measured;
    void (*size)(const gaps *, double *) = by_lengths ? measure : square;
    double farthest[PQTI_QUARTERS];
    pqti_outlook opened =
        pqti_outlook_opened(r->question.outlook); /* items may end beyond the bounds */
    pqti_ways ways;
    pqti_ways_to(&opened, node, strays, &ways);
    gaps least = least_gaps(&ways), greatest = greatest_gaps(&ways);
    size(&least, bounds);
    size(&greatest, farthest);
    for (int i = 0; i < PQTI_QUARTERS; i++) {
        bounds[i] = pqti_lesser(bounds[i], DBL_MAX);
        if (farthest[i] < in_bounds->last)
            bounds[i] = INFINITY;
    }
    return in_bounds;
}

static inline const limits *
bound_quarters(const ranking *r, const pqti_inner *node, bool strays, double bounds[PQTI_QUARTERS])
{
    if (strays || r->question.by_lengths || r->limits.last >= 0)
        return bound_with_care(r, node, strays, bounds);
    pqti_ways ways;
    pqti_ways_to(&r->question.outlook, node, false, &ways);
    gaps least = least_gaps(&ways);
    square(&least, bounds);
    return &r->measured;
}

/* ---- Questions ---- */

static bool
needs_lengths(const pqti_space *space, const pqt_box *from)
{
    const pqt_box safe = {{-SAFE_SIZE_MAX, -SAFE_SIZE_MAX}, {SAFE_SIZE_MAX, SAFE_SIZE_MAX}};
    double size = pqti_greater(space->x.half_extent, space->y.half_extent);
    return size < SAFE_SIZE_MIN || !pqti_is_within(&safe, &space->bounds) ||
           !pqti_is_within(&safe, from);
}

/* Gaps begin where the box ends. */
static pqti_outlook
outlook_from(const pqti_space *space, const pqt_box *from)
{
    bool inside = pqti_is_within(&space->bounds, from);
    return (pqti_outlook){
        pqti_outlook_axis_of(&space->x, from->max.x, from->min.x, 1, inside),
        pqti_outlook_axis_of(&space->y, from->max.y, from->min.y, 1, inside),
    };
}

static bool
are_options(const pqt_nearest_options *options)
{
    return options == NULL || options->size == sizeof *options;
}

/* Makes a ranking ready; false if nothing is near by. */
static bool
prepare(ranking *r, const pqt_tree *tree, pqt_box from, const pqt_nearest_options *options)
{
    static const pqt_nearest_options defaults = PQT_NEAREST_DEFAULTS;
    if (options == NULL)
        options = &defaults;
    if (!pqti_box_is_valid(&from) || !(options->max_distance >= 0))
        return false;
    from = pqti_box_positive_zero(from);
    r->question.from = from;
    r->question.outlook = outlook_from(tree->space, &from);
    r->question.by_lengths = needs_lengths(tree->space, &from);
    r->question.all = NULL;
    r->filter = options->filter;
    r->context = options->context;
    r->tally = options->tally;
    pqt_vec centre = {from.min.x / 2 + from.max.x / 2, from.min.y / 2 + from.max.y / 2};
    rank_from(r, tree, centre, options->max_distance + 0.0);
    return true;
}

static pqt_near
near_of(const ranking *r, const ranked *one)
{
    return (pqt_near){item_of(r, one), key_of(one), one->place};
}

size_t
pqt_tree_nearest(const pqt_tree *tree, pqt_box from, const pqt_nearest_options *options,
                 pqt_near *found, size_t most)
{
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    PQT_ASSERT(found != NULL || most == 0, "found is NULL, and most is not 0");
    PQT_ASSERT(are_options(options), "options must start from PQT_NEAREST_DEFAULTS");
    ranking r;
    gathering all = {.all = found, .room = most};
    if (most == 0 || !prepare(&r, tree, from, options))
        return 0;
    if (most > BATCH) {
        r.question.all = &all;
        (void)rank_more(&r, tree, 1); /* none is ranked */
        put_in_order(&all);
        return all.count;
    }
    size_t count = rank_more(&r, tree, most);
    for (size_t i = 0; i < count; i++)
        found[i] = near_of(&r, &r.best[i]);
    return count;
}

bool
pqt_tree_visit_nearest(const pqt_tree *tree, pqt_box from, const pqt_nearest_options *options,
                       pqt_visit_near_fn *visit, void *context)
{
    PQT_ASSERT(tree != NULL && visit != NULL, "the tree or the visitor is NULL");
    PQT_ASSERT(are_options(options), "options must start from PQT_NEAREST_DEFAULTS");
    ranking r;
    if (!prepare(&r, tree, from, options))
        return true;
    for (size_t room = FIRST_BATCH;; room = BATCH) {
        size_t more = rank_more(&r, tree, room);
        for (size_t i = 0; i < more; i++) {
            pqt_near near = near_of(&r, &r.best[i]);
            if (!visit(&near, context))
                return false;
        }
        if (more < room)
            return true;
    }
}
