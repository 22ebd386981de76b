/* SPDX-License-Identifier: MIT */
/*
 * cellpath.c - the name of a cell, and what a version has there.
 *
 * A way may come from another machine, and may go on where this version has a leaf already: then
 * those of the leaf's items count that would go the rest of the way.
 */
#include "config.h"

#include "tree/algebra/cellpath.h"

#include "base/error_internal.h"
#include "tree/path_compress.h"

/* A step down: at this place, into this part. */
typedef struct step {
    pqti_place place;
    int part;
} step;

static int
digit_of(const pqt_way *way, int i)
{
    return (int)(way->digits[i / 32] >> (62 - 2 * (i % 32)) & 3);
}

/* Whether a node at a place has such a part. */
static bool
has_part(const pqti_space *space, pqti_place place, int part)
{
    if (place.kind == PQTI_SPACE)
        return part == PQTI_BUCKET || place.depth < space->depth;
    return part != PQTI_BUCKET && !pqti_place_is_last(place);
}

/* The steps of a way, the first one first; returns how many, or -1 if a way leads nowhere. */
static int
steps_of(const pqti_space *space, pqt_way way, step steps[PQTI_MOST_DEPTH])
{
    pqti_place place = PQTI_ROOT;
    int count = 0, total = way.steps + (way.bucket > 0);
    if (way.bucket > way.steps + 1 || total > PQTI_MOST_DEPTH)
        return -1;
    for (int digit = 0; count < total; count++) {
        bool into_bucket = count == way.bucket - 1;
        if (!into_bucket && digit == 64)
            return -1;
        int part = into_bucket ? PQTI_BUCKET : digit_of(&way, digit++);
        if (!has_part(space, place, part))
            return -1;
        steps[count] = (step){place, part};
        place = pqti_part_place(space, place, part);
    }
    return count;
}

pqt_way
pqti_way_into(pqt_way way, int part)
{
    if (part == PQTI_BUCKET) {
        way.bucket = (uint8_t)(way.steps + 1);
        return way;
    }
    way.digits[way.steps / 32] |= (uint64_t)part << (62 - 2 * (way.steps % 32));
    way.steps++;
    return way;
}

pqt_box
pqti_way_box(const pqti_space *space, pqt_way way)
{
    int depth = way.bucket > 0 ? way.bucket - 1 : way.steps;
    uint32_t x = 0, y = 0;
    for (int i = 0; i < depth; i++) {
        uint32_t digit = (uint32_t)digit_of(&way, i);
        x = x << 1 | (digit & 1);
        y = y << 1 | digit >> 1;
    }
    return pqti_cell_box(space, x, y, depth);
}

/* What of a tree lies at the end of a way: a part, or those of its items that would go on. */
typedef struct end {
    const pqti_space *space;
    pqti_ref ref;
    step steps[PQTI_MOST_DEPTH];
    int next, count; /* the steps that the items would still go */
} end;

static end
follow(const pqt_tree *tree, pqt_way way)
{
    end e = {.space = tree->space, .ref = pqti_root(tree)};
    e.count = steps_of(tree->space, way, e.steps);
    if (e.count < 0)
        e.ref = PQTI_EMPTY_REF;
    while (e.next < e.count && e.ref.count > 0 && !e.ref.leaf) {
        pqti_inner thought;
        const step *next = &e.steps[e.next++];
        e.ref = pqti_think_at(tree->space, next->place, e.ref, &thought);
        e.ref = pqti_part_ref(e.ref.at, e.ref.count, next->part);
    }
    return e;
}

static bool
goes_on(const end *e, const pqt_item *item)
{
    pqti_entry entry = pqti_entry_of(e->space, item, 0);
    for (int i = e->next; i < e->count; i++)
        if (pqti_part_of(e->steps[i].place, &entry, item) != e->steps[i].part)
            return false;
    return true;
}

/* Items on their way to whoever asked. */
typedef struct delivery {
    const end *end;
    pqt_cell_sum sum;
    pqt_item *items;
    size_t capacity;
} delivery;

static bool
add_to_sum(const pqt_item *item, void *context)
{
    delivery *d = context;
    if (!goes_on(d->end, item))
        return true;
    d->sum.count++;
    d->sum.fingerprint = pqti_fingerprint_add(d->sum.fingerprint, pqti_item_fingerprint(item));
    return true;
}

static bool
deliver(const pqt_item *item, void *context)
{
    delivery *d = context;
    if (!goes_on(d->end, item))
        return true;
    if (d->sum.count < d->capacity)
        d->items[d->sum.count] = *item;
    d->sum.count++;
    return true;
}

pqt_cell_sum
pqt_diff_sum_of(const pqt_tree *tree, pqt_way way)
{
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    end e = follow(tree, way);
    if (e.next == e.count)
        return (pqt_cell_sum){pqti_ref_fingerprint(e.ref), e.ref.count};
    delivery d = {.end = &e};
    pqti_each_item(e.ref, add_to_sum, &d);
    return d.sum;
}

size_t
pqt_diff_items_of(const pqt_tree *tree, pqt_way way, pqt_item *items, size_t capacity)
{
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    PQT_ASSERT(items != NULL || capacity == 0, "items is NULL, and capacity is not 0");
    end e = follow(tree, way);
    delivery d = {.end = &e, .items = items, .capacity = capacity};
    pqti_each_item(e.ref, deliver, &d);
    return (size_t)d.sum.count;
}
