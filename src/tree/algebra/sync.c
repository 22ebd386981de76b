/* SPDX-License-Identifier: MIT */
/*
 * sync.c - where a tree differs from another one, of which little is fetched.
 *
 * The descent knows of each cell on its way the sum of the other tree. Of the parts of a cell that
 * differs it asks one after the other, until what is left of both sums is equal, or one part is
 * left, of which the sum then is known. A cell that is a leaf in either tree is small: its items
 * are fetched.
 *
 * What comes from the other tree is not trusted: it may have changed meanwhile, or be no tree at
 * all.
 */
#include "config.h"

#include <pqt/sync.h>

#include "base/error_internal.h"
#include "base/validate.h"
#include "memory/memory_internal.h"
#include "tree/algebra/codescent.h"
#include "tree/node.h"
#include "tree/path_compress.h"
#include "tree/tree_internal.h"

/* The way one step on. */
static pqt_way pqti_way_into(pqt_way way, int part);

/* The cell that a way leads to; of a bucket, the one whose bucket it is. */
static pqt_box pqti_way_box(const pqti_space *space, pqt_way way);

typedef struct locator {
    const pqti_space *space;
    const pqt_remote *remote;
    pqt_visit_divergence_fn *visit;
    void *context;
    pqt_error *error;
    bool failed;
} locator;

/* A cell on the way down. */
typedef struct cell {
    pqt_way way;
    pqti_place place;
    pqti_ref ref;       /* what the own tree has there */
    pqt_cell_sum other; /* what the other has */
} cell;

static bool
fail(locator *l, const cell *c, const char *reason)
{
    pqti_fail(l->error, PQT_ERROR_CALLBACK, 0, "a cell at depth %d: %s", (int)c->way.steps, reason);
    l->failed = true;
    return false;
}

static bool
run_out_of_memory(locator *l)
{
    pqti_out_of_memory(l->error);
    l->failed = true;
    return false;
}

static pqt_cell_sum
sum_of(pqti_ref ref)
{
    return (pqt_cell_sum){pqti_ref_fingerprint(ref), ref.count};
}

static bool
equal_sums(pqt_cell_sum a, pqt_cell_sum b)
{
    return a.count == b.count && a.fingerprint.low == b.fingerprint.low &&
           a.fingerprint.high == b.fingerprint.high;
}

static pqt_cell_sum
subtract(pqt_cell_sum a, pqt_cell_sum b)
{
    return (pqt_cell_sum){pqti_fingerprint_subtract(a.fingerprint, b.fingerprint),
                          a.count - b.count};
}

/* What was fetched is admitted as an item is, and must be in tree order and come to its sum. */
static bool
are_sound(const locator *l, const cell *c, pqt_item *items)
{
    pqt_cell_sum sum = {{0, 0}, c->other.count};
    pqti_entry last = {0};
    for (size_t i = 0; i < sum.count; i++) {
        if (!pqti_item_admit(items[i], i, &items[i], NULL))
            return false;
        pqti_entry entry = pqti_entry_of(l->space, &items[i], i);
        if (i > 0 && pqti_compare(&last, &items[i - 1], &entry, &items[i]) >= 0)
            return false;
        last = entry;
        sum.fingerprint = pqti_fingerprint_add(sum.fingerprint, pqti_item_fingerprint(&items[i]));
    }
    return equal_sums(sum, c->other);
}

/* Lays items out as a leaf does, in scratch memory; only the walk sees it. */
static void
lay_out(const pqt_item *items, size_t count, void *leaf)
{
    double *numbers = leaf;
    uint64_t *words = leaf;
    for (size_t i = 0; i < count; i++) {
        numbers[i] = items[i].box.min.x;
        numbers[count + i] = items[i].box.min.y;
        numbers[2 * count + i] = items[i].box.max.x;
        numbers[3 * count + i] = items[i].box.max.y;
        words[4 * count + i] = items[i].id;
    }
}

typedef struct change_list {
    pqt_change *changes;
    size_t count;
} change_list;

static bool
add_change(void *state, const pqt_item *item, bool added)
{
    change_list *all = state;
    all->changes[all->count++] =
        (pqt_change){.kind = added ? PQT_INSERT : PQT_REMOVE, .item = *item};
    return true;
}

static bool
visit(locator *l, const cell *c, const change_list *all)
{
    pqt_divergence divergence = {
        c->way, pqti_way_box(l->space, c->way), sum_of(c->ref), c->other, all->changes, all->count};
    return l->visit(&divergence, l->context);
}

/* Scratch memory for a cell: the items fetched, the same as a leaf, and the changes. */
typedef struct desk {
    pqt_item *items;
    void *leaf;
    pqt_change *changes;
} desk;

static bool
make_desk(desk *d, const cell *c)
{
    size_t count = (size_t)c->other.count;
    *d = (desk){NULL, NULL, NULL};
    d->items = pqti_scratch(count + 1, sizeof *d->items);
    if (d->items != NULL)
        d->leaf = pqti_scratch(count + 1, sizeof(pqt_item));
    if (d->leaf != NULL)
        d->changes = pqti_scratch(count + c->ref.count, sizeof *d->changes);
    return d->changes != NULL;
}

static void
free_desk(desk *d)
{
    pqti_scratch_free(d->changes);
    pqti_scratch_free(d->leaf);
    pqti_scratch_free(d->items);
}

static bool
fetch(locator *l, const cell *c, desk *d)
{
    if (c->other.count == 0)
        return true;
    if (!l->remote->items(&c->way, d->items, (size_t)c->other.count, l->remote->context))
        return fail(l, c, "the function that fetches items failed");
    if (!are_sound(l, c, d->items))
        return fail(l, c, "the items fetched are not those of its sum");
    return true;
}

/* A cell that differs, with its items. */
static bool
visit_with_items(locator *l, const cell *c)
{
    desk d;
    bool going_on = make_desk(&d, c) || run_out_of_memory(l);
    if (going_on && (going_on = fetch(l, c, &d))) {
        size_t count = (size_t)c->other.count;
        change_list all = {d.changes, 0};
        pqti_differ differ = {l->space, NULL, add_change, &all, NULL};
        pqti_ref leaf = {d.leaf, {(uint32_t)count | PQTI_LEAF_BIT}, PQTI_EMPTY_EXTENT};
        lay_out(d.items, count, d.leaf);
        (void)pqti_differ_at(&differ, c->place, c->ref, count > 0 ? leaf : PQTI_EMPTY_REF);
        going_on = visit(l, c, &all);
    }
    free_desk(&d);
    return going_on;
}

static bool
fetch_sum(locator *l, const cell *c, pqt_cell_sum *sum)
{
    *sum = (pqt_cell_sum){{0, 0}, 0};
    if (l->remote->sum(&c->way, sum, l->remote->context))
        return true;
    return fail(l, c, "the function that fetches sums failed");
}

static bool locate(locator *l, const cell *c);

/* The part that holds all the rest needs not be asked for. */
static bool
is_last_part(const locator *l, pqti_place place, int part)
{
    if (place.kind == PQTI_SPACE && place.depth == l->space->depth)
        return part == PQTI_BUCKET;
    return part == PQTI_QUARTERS - 1;
}

/* Parts in tree order; only cells of the bounds have a bucket. */
static bool
locate_in_parts(locator *l, const cell *c)
{
    pqt_cell_sum own = sum_of(c->ref), other = c->other;
    pqti_inner thought;
    pqti_ref node = pqti_think_at(l->space, c->place, c->ref, &thought);
    for (int n = c->place.kind == PQTI_SPACE ? -1 : 0; !equal_sums(own, other); n++) {
        int part = n < 0 ? PQTI_BUCKET : n;
        cell next = {pqti_way_into(c->way, part), pqti_part_place(l->space, c->place, part),
                     pqti_child_at(node, part), other};
        bool last = is_last_part(l, c->place, part);
        if (!last && !fetch_sum(l, &next, &next.other))
            return false;
        if (next.other.count > other.count)
            return fail(l, c, "its parts are more than it");
        own = subtract(own, sum_of(next.ref));
        other = subtract(other, next.other);
        if (!locate(l, &next))
            return false;
        if (last)
            break;
    }
    return true;
}

static bool
locate(locator *l, const cell *c)
{
    if (equal_sums(sum_of(c->ref), c->other))
        return true;
    if (c->other.count > PQT_MAX_ITEMS)
        return fail(l, c, "it is said to hold more than a tree can");
    if (!pqti_is_small(c->ref) && c->other.count > l->space->capacity)
        return locate_in_parts(l, c);
    if (l->remote->items != NULL)
        return visit_with_items(l, c);
    return visit(l, c, &(change_list){NULL, 0});
}

bool
pqt_diff_locate(const pqt_tree *tree, const pqt_remote *remote, pqt_visit_divergence_fn *visit_cell,
                void *context, pqt_error *error)
{
    PQT_ASSERT(remote != NULL && remote->sum != NULL && visit_cell != NULL,
               "the remote, its function for sums or the visitor is NULL");
    if (!pqti_may_go_on(tree, error))
        return false;
    locator l = {tree->space, remote, visit_cell, context, error, false};
    cell root = {{{0, 0}, 0, 0}, PQTI_ROOT, pqti_root(tree), {{0, 0}, 0}};
    if (fetch_sum(&l, &root, &root.other))
        (void)locate(&l, &root);
    pqti_keep(tree);
    return !l.failed;
}

/*
 * The name of a cell, and what a version has there.
 *
 * A way may come from another machine, and may go on where this version has a leaf already: then
 * those of the leaf's items count that would go the rest of the way.
 */

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

static pqt_way
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

static pqt_box
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
