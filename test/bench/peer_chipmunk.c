/* SPDX-License-Identifier: MIT */
/*
 * peer_chipmunk.c: the spatial indexes of Chipmunk as contestants: its tree of boxes, and its
 * spatial hash.
 *
 * Both are changed in place. They request the box of an object through a callback and report
 * candidates, which are tested here in the same way as in Chipmunk. The tree keeps the pairs that
 * it found: a search for all pairs examines only objects that moved since the previous search.
 */
#include <chipmunk/chipmunk.h>
#include <stdlib.h>

#include <pqt/segment.h>

#include "peer.h"
#include "segment_slab.h"

enum { MOST_CELLS = 100000000 };

typedef struct state {
    pqt_item *items; /* the items after the last `advance`; the index points to them */
    size_t count;
    cpSpatialIndex *index;
    const drawn_move *taken;
    size_t taken_count;
} state;

static cpBB
bounds_of(const pqt_box *box)
{
    return cpBBNew(box->min.x, box->min.y, box->max.x, box->max.y);
}

static cpBB
bounds_of_object(void *object)
{
    const pqt_item *item = object;
    return bounds_of(&item->box);
}

static void *
make(const pqt_item *items, size_t count, pqt_box world)
{
    (void)world;
    state *s = calloc(1, sizeof *s);
    pqt_item *own = malloc(count * sizeof *own);
    if (s == NULL || own == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        own[i] = items[i];
    *s = (state){.items = own, .count = count};
    return s;
}

static bool
insert_all(state *s)
{
    for (size_t i = 0; i < s->count; i++)
        cpSpatialIndexInsert(s->index, &s->items[i], (cpHashValue)s->items[i].id);
    return true;
}

static bool
build_tree(void *of)
{
    state *s = of;
    s->index = cpBBTreeNew(bounds_of_object, NULL);
    return s->index != NULL && insert_all(s);
}

static double
mean_side(const state *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->count; i++) {
        pqt_box box = s->items[i].box;
        sum += ((box.max.x - box.min.x) + (box.max.y - box.min.y)) / 2 / (double)s->count;
    }
    return sum;
}

/* Makes the spatial hash. Chipmunk's manual recommends cells the size of the objects, and ten times
 * as many cells as objects. */
static bool
build_hash(void *of)
{
    state *s = of;
    double side = mean_side(s);
    int cells = s->count < MOST_CELLS / 10 ? (int)s->count * 10 : MOST_CELLS;
    s->index = cpSpaceHashNew(side > 0 ? side : 1, cells, bounds_of_object, NULL);
    return s->index != NULL && insert_all(s);
}

static bool
move(void *of, const pqt_item *from, const pqt_box *to)
{
    state *s = of;
    pqt_item *item = &s->items[from->id];
    item->box = *to;
    cpSpatialIndexReindexObject(s->index, item, (cpHashValue)item->id);
    return true;
}

typedef struct window_search {
    const pqt_box *window;
    answer *found;
} window_search;

static cpCollisionID
add_touching(void *asked, void *object, cpCollisionID id, void *context)
{
    const window_search *search = context;
    const pqt_item *item = object;
    (void)asked;
    if (pqt_box_touches(item->box, *search->window)) {
        search->found->hits++;
        search->found->ids += item->id;
    }
    return id;
}

/* Queries a window. Chipmunk skips the object for which it makes a query, so no object is given. */
static void
query(const void *of, const pqt_box *window, answer *found)
{
    const state *s = of;
    window_search search = {window, found};
    cpSpatialIndexQuery(s->index, &search, bounds_of(window), add_touching, &search);
}

static cpCollisionID
add_touching_pair(void *a, void *b, cpCollisionID id, void *context)
{
    const pqt_item *one = a, *other = b;
    if (pqt_box_touches(one->box, other->box))
        add_pair(context, one->id, other->id);
    return id;
}

static void
pairs(void *of, answer *found)
{
    const state *s = of;
    cpSpatialIndexReindexQuery(s->index, add_touching_pair, found);
}

/* Keeps a pointer to the moves, which remain valid until `advance`. */
static bool
take(void *of, const drawn_move *moves, size_t count)
{
    state *s = of;
    s->taken = moves;
    s->taken_count = count;
    return true;
}

/* Moves the items. The index requests their new boxes when it searches for pairs. */
static bool
advance(void *of)
{
    state *s = of;
    for (size_t i = 0; i < s->taken_count; i++)
        s->items[s->taken[i].from.id].box = s->taken[i].to;
    return true;
}

typedef struct hit_search {
    slabs along;
    double first;
    uint64_t id;
    bool found;
} hit_search;

/* Returns the fraction of the segment up to which the index must still search. */
static cpFloat
take_hit(void *asked, void *object, void *context)
{
    hit_search *search = context;
    const pqt_item *item = object;
    double fraction;
    (void)asked;
    if (slabs_enter(&search->along, &item->box, search->first, &fraction)) {
        search->first = fraction;
        search->id = item->id;
        search->found = true;
    }
    return search->first;
}

static bool
first_hit(const void *of, const pqt_segment *segment, uint64_t *id)
{
    const state *s = of;
    hit_search search = {.along = slabs_of(segment), .first = 1};
    cpSpatialIndexSegmentQuery(s->index, &search, cpv(segment->from.x, segment->from.y),
                               cpv(segment->to.x, segment->to.y), 1, take_hit, &search);
    *id = search.id;
    return search.found;
}

static void
free_state(void *of)
{
    state *s = of;
    if (s->index != NULL)
        cpSpatialIndexFree(s->index);
    free(s->items);
    free(s);
}

static const peer_collision collision = {
    .pairs = pairs,
    .take = take,
    .advance = advance,
};

static const peer_sight sight = {
    .first_hit = first_hit,
};

const peer peer_chipmunk_tree = {
    .name = "chipmunk-tree",
    .what = "cpBBTree of Chipmunk 7, built by inserting, changed in place; keeps its pairs, so W4 "
            "is telling them",
    .make = make,
    .build = build_tree,
    .move = move,
    .query = query,
    .free = free_state,
    .collision = &collision,
    .sight = &sight,
};

const peer peer_chipmunk_hash = {
    .name = "chipmunk-hash",
    .what =
        "cpSpaceHash of Chipmunk 7, cells as large as items, built by inserting, changed in place",
    .make = make,
    .build = build_hash,
    .move = move,
    .query = query,
    .free = free_state,
    .collision = &collision,
    .sight = &sight,
};
