/* SPDX-License-Identifier: MIT */
/*
 * walk.c - the one walk that all readers of a window share.
 *
 * A child whose columns miss the window's is never touched. From a part that lies wholly inside on,
 * nothing is compared any more; that is only decided where no filter is asked.
 */
#include "config.h"

#include "query/walk.h"

static bool walk_part(pqti_walk *walk, const pqti_sieve *sieve, pqti_ref ref);

static bool
walk_leaf(pqti_walk *walk, pqti_ref ref, bool inside)
{
    pqti_tally_leaf(&walk->window, inside ? 0 : ref.count);
    return walk->leaf(walk, pqti_view(ref.at, ref.count), ref.count, inside);
}

/* All items of a part are hits. */
static bool
walk_whole(pqti_walk *walk, pqti_ref ref)
{
    if (walk->whole != NULL)
        return walk->whole(walk, ref);
    if (ref.count == 0)
        return true;
    if (ref.leaf)
        return walk_leaf(walk, ref, true);
    const pqti_inner *node = ref.at;
    pqti_tally_node(&walk->window);
    if (!walk_whole(walk, pqti_bucket_ref(node, ref.count)))
        return false;
    for (int i = 0; i < PQTI_QUARTERS; i++)
        if (!walk_whole(walk, pqti_quarter(node, i)))
            return false;
    return true;
}

static bool
walk_quarter(pqti_walk *walk, const pqti_sieve *sieve, const pqti_inner *node, int i)
{
    if (!pqti_may_find(sieve, node, i))
        return true;
    if (walk->window.query.filter == NULL && pqti_is_inside(sieve, node, i))
        return walk_whole(walk, pqti_quarter(node, i));
    return walk_part(walk, sieve, pqti_quarter(node, i));
}

static bool
walk_quarters(pqti_walk *walk, const pqti_sieve *sieve, const pqti_inner *node)
{
    for (int i = 0; i < PQTI_QUARTERS; i++)
        if (!walk_quarter(walk, sieve, node, i))
            return false;
    return true;
}

static bool
walk_part(pqti_walk *walk, const pqti_sieve *sieve, pqti_ref ref)
{
    if (ref.count == 0)
        return true;
    if (ref.leaf)
        return walk_leaf(walk, ref, false);
    const pqti_inner *node = ref.at;
    pqti_tally_node(&walk->window);
    return walk_part(walk, sieve, pqti_bucket_ref(node, ref.count)) &&
           walk_quarters(walk, sieve, node);
}

/* The root: its bucket alone is on the stray lattice. */
static bool
walk_root(pqti_walk *walk, pqti_ref root)
{
    const pqti_inner *node = root.at;
    pqti_tally_node(&walk->window);
    return walk_part(walk, &walk->window.strays, pqti_bucket_ref(node, root.count)) &&
           walk_quarters(walk, &walk->window.bounds, node);
}

bool
pqti_walk_run(pqti_walk *walk, const pqt_tree *tree)
{
    pqti_ref root = pqti_root(tree);
    if (walk->window.empty || root.count == 0)
        return true;
    return root.leaf ? walk_leaf(walk, root, false) : walk_root(walk, root);
}
