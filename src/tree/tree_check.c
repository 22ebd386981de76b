/* SPDX-License-Identifier: MIT */
/*
 * tree_check.c - validates every invariant of a version.
 *
 * It works out from the items alone what every node must say, and compares. Nothing that a node
 * says is trusted further than needed to reach the next.
 */
#include "config.h"

#include <string.h>

#include "base/error_internal.h"
#include "base/validate.h"
#include "memory/memory_internal.h"
#include "tree/idmap.h"
#include "tree/path_compress.h"
#include "tree/side_range.h"

/* A step on the way down: at this place, into this part. */
typedef struct step {
    pqti_place place;
    int part;
} step;

typedef struct checker {
    const pqti_space *space;
    const void *ids;
    pqt_error *error;
    step way[PQTI_MOST_DEPTH];
    int depth;
    bool any; /* an item was met before: the last one is */
    pqt_item last_item;
    pqti_entry last_entry;
} checker;

/* What the items of a part add up to. */
typedef struct summary {
    pqt_fingerprint fingerprint;
    pqti_extent extent;
    pqti_spread spread;
} summary;

static const summary nothing = {{0, 0}, {UINT32_MAX, UINT32_MAX, 0, 0}, PQTI_EMPTY_SPREAD};

static bool
broken(const checker *c, const char *invariant)
{
    pqti_fail(c->error, PQT_ERROR_BROKEN, 0, "%d steps below the root: %s", c->depth, invariant);
    return false;
}

static bool
check_way(const checker *c, const pqti_entry *entry, const pqt_item *item)
{
    for (int i = 0; i < c->depth; i++)
        if (pqti_part_of(c->way[i].place, entry, item) != c->way[i].part)
            return broken(c, "an item is in a part where it does not belong");
    return true;
}

static bool
check_id(const checker *c, const pqt_item *item)
{
    pqt_item found;
    if (!c->space->options.unique_ids)
        return true;
    if (pqti_ids_find(c->ids, item->id, &found) && pqt_item_equals(found, *item))
        return true;
    return broken(c, "an item is not in the id map");
}

static bool
check_item(checker *c, const pqt_item *item)
{
    pqt_box clean = pqti_box_positive_zero(item->box);
    if (!pqt_box_is_valid(item->box) || memcmp(&clean, &item->box, sizeof clean) != 0)
        return broken(c, "an item's box is not valid");
    if (c->space->options.strict_bounds &&
        !pqt_box_relates(item->box, c->space->bounds, PQT_INSIDE))
        return broken(c, "an item leaves the bounds of a strict tree");
    pqti_entry entry = pqti_entry_of(c->space, item, 0);
    if (c->any && pqti_compare(&c->last_entry, &c->last_item, &entry, item) >= 0)
        return broken(c, "items are out of order, or one is there twice");
    c->any = true;
    c->last_item = *item;
    c->last_entry = entry;
    return check_way(c, &entry, item) && check_id(c, item);
}

static bool
check_leaf(checker *c, pqti_place place, pqti_ref ref, summary *sums)
{
    pqti_leaf_view view = pqti_view(ref.at, ref.count);
    for (uint32_t i = 0; i < ref.count; i++) {
        pqt_item item = pqti_view_item(view, i);
        if (!check_item(c, &item))
            return false;
        sums->fingerprint = pqti_fingerprint_add(sums->fingerprint, pqti_item_fingerprint(&item));
        sums->extent =
            pqti_extent_union(sums->extent, pqti_extent_of(c->space, place.strays, &item.box));
        sums->spread = pqti_spread_union(sums->spread, (pqti_spread){item.box, item.box});
    }
    return true;
}

static bool check_part(checker *c, pqti_place place, pqti_ref ref, summary *sums);

static bool
check_step(checker *c, pqti_place place, int part, pqti_ref ref, summary *sums)
{
    if (c->depth == PQTI_MOST_DEPTH)
        return broken(c, "the tree is too deep");
    c->way[c->depth++] = (step){place, part};
    bool sound = check_part(c, pqti_part_place(c->space, place, part), ref, sums);
    c->depth--;
    return sound;
}

static bool
check_quarter(checker *c, pqti_place place, const pqti_inner *node, int i, summary *all)
{
    summary own = nothing;
    pqti_ref ref = pqti_quarter(node, i);
    if (!check_step(c, place, i, ref, &own))
        return false;
    if (memcmp(&own.extent, &ref.extent, sizeof own.extent) != 0)
        return broken(c, "the bounds of a child are not those of its items");
    all->fingerprint = pqti_fingerprint_add(all->fingerprint, own.fingerprint);
    all->extent = pqti_extent_union(all->extent, own.extent);
    all->spread = pqti_spread_union(all->spread, own.spread);
    return true;
}

static uint64_t
count_quarters(pqti_ref ref)
{
    uint64_t quarters = 0;
    for (int i = 0; i < PQTI_QUARTERS; i++)
        quarters += pqti_quarter(ref.at, i).count;
    return quarters;
}

/* Whether a leaf is come to by the first parts, or by the last. */
static bool
leads_to_leaf(pqti_ref ref, pqti_ref (*next)(pqti_ref))
{
    for (int i = 0; i < PQTI_MOST_DEPTH && ref.count > 0 && ref.at != NULL; i++) {
        if (ref.leaf)
            return true;
        if (count_quarters(ref) > ref.count)
            return false;
        ref = next(ref);
    }
    return false;
}

static bool
check_counts(const checker *c, pqti_place place, pqti_ref ref)
{
    uint64_t quarters = count_quarters(ref);
    if (quarters > ref.count)
        return broken(c, "the quarters of a node hold more items than it");
    if (quarters == ref.count)
        return true;
    if (place.kind != PQTI_SPACE)
        return broken(c, "a node inside a bucket has a bucket");
    if (pqti_bucket_ref(ref.at, ref.count).count != ref.count - quarters)
        return broken(c, "a node's count is not that of its parts");
    return true;
}

static bool
check_inner(checker *c, pqti_place place, pqti_ref ref, summary *sums)
{
    const pqti_inner *node = ref.at;
    if (!check_counts(c, place, ref))
        return false;
    for (int i = 0; i < PQTI_QUARTERS; i++)
        if (place.kind != PQTI_MIX && pqti_quarter(node, i).count == ref.count)
            return broken(c, "a node holds all of its items in one quarter");
    pqti_ref bucket = pqti_bucket_ref(node, ref.count);
    if (bucket.count > 0 && !check_step(c, place, PQTI_BUCKET, bucket, sums))
        return false;
    for (int i = 0; i < PQTI_QUARTERS; i++)
        if (!check_quarter(c, place, node, i, sums))
            return false;
    if (memcmp(&sums->fingerprint, &node->fingerprint, sizeof node->fingerprint) != 0)
        return broken(c, "the fingerprint of a node is not that of its items");
    if (ref.mixed && memcmp(&sums->spread, pqti_spread_of(node), sizeof sums->spread) != 0)
        return broken(c, "the sides of a mixed node are not those of its items");
    return true;
}

/* A node below others that are left out: its items must go the way of the first of them. */
static bool
check_deep(checker *c, pqti_place place, pqti_ref ref, summary *sums)
{
    int depth = c->depth;
    if (!leads_to_leaf(ref, pqti_first_part) || !leads_to_leaf(ref, pqti_last_part))
        return broken(c, "a node that stands deeper leads to no leaf");
    pqti_chain chain = pqti_chain_of(c->space, place, ref);
    if (chain.end <= place.depth)
        return broken(c, "a node at its own place is marked deep");
    for (unsigned i = place.depth; i < chain.end && c->depth < PQTI_MOST_DEPTH; i++) {
        c->way[c->depth++] = (step){place, (int)pqti_chain_digit(&chain, i)};
        place = pqti_quarter_place(c->space, place);
    }
    if (ref.mixed != (place.kind == PQTI_MIX))
        return broken(c, "a deep node is marked mixed, or one that is mixed is not");
    bool sound = check_inner(c, place, ref, sums);
    c->depth = depth;
    return sound;
}

static bool
check_part(checker *c, pqti_place place, pqti_ref ref, summary *sums)
{
    if ((ref.at == NULL) != (ref.count == 0))
        return broken(c, "a part without items is not NULL, or one with items is");
    if (ref.at == NULL)
        return ref.leaf    ? broken(c, "a part without items is marked a leaf")
               : ref.mixed ? broken(c, "a part without items is marked mixed")
               : ref.deep  ? broken(c, "a part without items is marked deep")
                           : true;
    if (ref.leaf != (ref.count <= c->space->capacity || pqti_place_is_last(place)))
        return broken(c, ref.leaf ? "a leaf holds more than its capacity"
                                  : "a node holds no more than a leaf could");
    if (ref.deep && (ref.leaf || place.kind == PQTI_MIX))
        return broken(c, "a leaf, or a node below mixes, is marked deep");
    if (ref.deep)
        return check_deep(c, place, ref, sums);
    if (ref.mixed != (!ref.leaf && place.kind == PQTI_MIX))
        return broken(c, ref.mixed ? "what is no mixed node is marked as one"
                                   : "a mixed node is not marked as one");
    return ref.leaf ? check_leaf(c, place, ref, sums) : check_inner(c, place, ref, sums);
}

static bool
check_ids(const checker *c, const pqt_tree *tree)
{
    if (!pqti_ids_check(tree->ids))
        return broken(c, "the id map is out of order");
    if (pqti_ids_count(tree->ids) != (tree->space->options.unique_ids ? tree->count : 0))
        return broken(c, "the id map does not hold as many items as the tree");
    return true;
}

bool
pqt_tree_check(const pqt_tree *tree, pqt_error *error)
{
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    checker c = {.space = tree->space, .ids = tree->ids, .error = error};
    summary all = nothing;
    if (!check_part(&c, PQTI_ROOT, pqti_root(tree), &all) || !check_ids(&c, tree))
        return false;
    if (memcmp(&all.fingerprint, &tree->fingerprint, sizeof all.fingerprint) != 0)
        return broken(&c, "the fingerprint of the version is not that of its items");
    return true;
}
