/* SPDX-License-Identifier: MIT */
/* path_compress.c - where chains of nodes that are left out lead, and what would stand on them. */
#include "config.h"

#include "tree/path_compress.h"

#include "base/error_internal.h"

static unsigned
lesser(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* The first depth at which two entries go to different parts: there their digits differ, or the
   path of one ends. */
static unsigned
common_depth(pqti_place place, const pqti_entry *a, const pqti_entry *b)
{
    uint64_t differing = a->centre ^ b->centre;
    unsigned depth = differing == 0 ? PQT_MAX_DEPTH : (unsigned)__builtin_clzll(differing) / 2;
    if (place.kind == PQTI_SPACE)
        depth = lesser(depth, lesser(a->level, b->level));
    return depth;
}

/* A bucket comes first, so of a node with one the first item ends there. Of mixed nodes, none of
   the items part. */
pqti_chain
pqti_chain_of(const pqti_space *space, pqti_place place, pqti_ref ref)
{
    PQT_INVARIANT(ref.deep && place.kind != PQTI_MIX, "no nodes are left out");
    pqt_item first = pqti_first_item(ref);
    pqti_chain chain = {.way = pqti_entry_of(space, &first, 0),
                        .end = place.strays ? PQT_MAX_DEPTH : space->depth};
    if (ref.mixed)
        return chain;
    pqt_item last = pqti_last_item(ref);
    pqti_entry to = pqti_entry_of(space, &last, 0);
    chain.end = lesser(common_depth(place, &chain.way, &to), chain.end);
    return chain;
}

unsigned
pqti_chain_follow(const pqti_chain *chain, pqti_place place, unsigned end,
                  const pqti_entry *entries, size_t count)
{
    unsigned first = common_depth(place, &chain->way, &entries[0]);
    unsigned last = common_depth(place, &chain->way, &entries[count - 1]);
    return lesser(end, lesser(first, last));
}

pqti_place
pqti_place_of_deep(const pqti_space *space, pqti_place place, const void *node, uint32_t marked)
{
    pqti_ref ref = {node, {marked}, PQTI_EMPTY_EXTENT};
    return pqti_place_on_chain(space, place, pqti_chain_of(space, place, ref).end);
}

/* The extent of a root is not known, but those of its parts are. */
static pqti_extent
known_extent(const pqti_space *space, pqti_place own, pqti_ref ref)
{
    pqti_ref parts[PQTI_PARTS];
    if (ref.extent.min_x <= ref.extent.max_x)
        return ref.extent;
    pqti_parts(space, own, ref, parts);
    for (int i = 0; i < PQTI_PARTS; i++)
        ref.extent = pqti_extent_union(ref.extent, parts[i].extent);
    return ref.extent;
}

static void
put_below(pqti_inner *thought, int i, pqti_ref ref)
{
    for (int j = 0; j < PQTI_QUARTERS; j++) {
        thought->min_x[j] = thought->min_y[j] = UINT32_MAX;
        thought->max_x[j] = thought->max_y[j] = 0;
        thought->child[j] = NULL;
        thought->count[j] = 0;
    }
    thought->min_x[i] = ref.extent.min_x;
    thought->min_y[i] = ref.extent.min_y;
    thought->max_x[i] = ref.extent.max_x;
    thought->max_y[i] = ref.extent.max_y;
    thought->child[i] = ref.at;
    thought->count[i] = ref.marked;
    thought->fingerprint = pqti_ref_fingerprint(ref);
}

pqti_ref
pqti_think(const pqti_space *space, pqti_place place, const pqti_chain *chain, pqti_ref ref,
           unsigned depth, pqti_inner *thought)
{
    ref.deep = chain->end > depth + 1;
    if (depth == chain->end)
        return ref;
    ref.extent = known_extent(space, pqti_place_on_chain(space, place, chain->end), ref);
    put_below(thought, (int)pqti_chain_digit(chain, depth), ref);
    return (pqti_ref){thought, {ref.count | PQTI_DEEP_BIT}, ref.extent};
}

pqti_ref
pqti_think_at(const pqti_space *space, pqti_place place, pqti_ref ref, pqti_inner *thought)
{
    if (!ref.deep)
        return ref;
    pqti_chain chain = pqti_chain_of(space, place, ref);
    return pqti_think(space, place, &chain, ref, place.depth, thought);
}

/* The depth at which all are divided, and the chains of those that are deep. */
static unsigned
depth_of_division(const pqti_division *d, const pqti_space *space,
                  pqti_chain chains[PQTI_MOST_DIVIDED])
{
    const pqti_chain *any = NULL;
    unsigned depth = PQT_MAX_DEPTH;
    for (int i = 0; i < d->count; i++) {
        if (d->whole[i].count > 0 && !d->whole[i].deep)
            depth = d->from.depth;
        if (!d->whole[i].deep)
            continue;
        chains[i] = pqti_chain_of(space, d->from, d->whole[i]);
        depth = lesser(depth, chains[i].end);
        if (any != NULL)
            depth = pqti_chain_follow(any, d->from, depth, &chains[i].way, 1);
        any = &chains[i];
    }
    return depth;
}

void
pqti_divide(pqti_division *d, const pqti_space *space, pqti_place place, const pqti_ref *refs,
            int count)
{
    pqti_chain chains[PQTI_MOST_DIVIDED];
    d->from = place;
    d->count = count;
    for (int i = 0; i < count; i++)
        d->whole[i] = d->node[i] = refs[i];
    unsigned depth = depth_of_division(d, space, chains);
    d->at = pqti_place_on_chain(space, place, depth);
    for (int i = 0; i < count; i++)
        if (refs[i].deep)
            d->node[i] = pqti_think(space, place, &chains[i], refs[i], depth, &d->thoughts[i]);
}

pqti_ref
pqti_undivided(const pqti_division *d, pqti_ref made)
{
    for (int i = 0; i < d->count; i++)
        if (made.at != NULL && made.at == d->node[i].at)
            return d->whole[i];
    return pqti_lifted(d->from, d->at, made);
}
