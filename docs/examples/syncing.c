/* SPDX-License-Identifier: MIT */
/*
 * syncing.c: two machines have nearly the same map, and find where it differs by exchanging a few
 * digests.
 *
 * Here the other machine is a tree in the same program. In a real one, the two functions below send
 * a path and wait for the answer, and the other machine answers with pqt_sync_digest_of or
 * pqt_sync_items_of.
 */
#include <inttypes.h>
#include <stdio.h>

#include <pqt.h>

enum { ITEMS = 20000 };

/* The other machine, and what was asked of it. */
typedef struct remote {
    const pqt_tree *tree;
    size_t digests, items;
} remote;

static bool
fetch_digest(const pqt_sync_path *path, pqt_sync_digest *digest, void *context)
{
    remote *other = context;
    other->digests++;
    *digest = pqt_sync_digest_of(other->tree, *path);
    return true;
}

static bool
fetch_items(const pqt_sync_path *path, pqt_item *items, size_t count, void *context)
{
    remote *other = context;
    other->items += count;
    return pqt_sync_items_of(other->tree, *path, items, count) == count;
}

/* Applies the changes of one cell to the version that `context` points to. */
static bool
apply(const pqt_sync_mismatch *cell, void *context)
{
    const pqt_tree **own = context;
    printf("cell %g, %g to %g, %g: %zu changes\n", cell->box.min.x, cell->box.min.y,
           cell->box.max.x, cell->box.max.y, cell->count);
    *own = pqt_tree_apply(*own, cell->changes, cell->count, NULL);
    return *own != NULL;
}

/* Returns one fingerprint of a map and of the number of its edition. Machines compare it first. */
static pqt_fingerprint
state_of(const pqt_tree *map, uint64_t edition)
{
    return pqt_fingerprint_combine(pqt_tree_fingerprint(map), (pqt_fingerprint){edition, 0});
}

int
main(void)
{
    pqt_error error = {0};
    static pqt_item items[ITEMS];
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.unique_ids = true;
    for (uint64_t id = 0; id < ITEMS; id++) {
        const double x = (double)(id * 7919 % 1000), y = (double)(id * 104729 % 997);
        items[id] = (pqt_item){{{x, y}, {x + 1, y + 1}}, id};
    }
    const pqt_tree *here = pqt_tree_of(items, ITEMS, &options, &error);
    const pqt_tree *there = pqt_tree_move_id(here, 4711, (pqt_box){{500, 3}, {501, 4}}, &error);
    there = pqt_tree_remove_id(there, 815, &error);
    if (there == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;
    if (pqt_fingerprint_equals(state_of(here, 1), state_of(there, 1)))
        return puts("nothing to do"), 0;

    remote other = {.tree = there};
    const pqt_sync_peer peer = {fetch_digest, fetch_items, &other};
    const pqt_tree *synced = here;
    if (!pqt_sync_find(here, &peer, apply, &synced, &error))
        return fprintf(stderr, "%s\n", error.text), 1;
    printf("fetched %zu digests and %zu of %zu items\n", other.digests, other.items,
           pqt_tree_count(there));
    printf("now both are %s\n",
           pqt_fingerprint_equals(state_of(synced, 1), state_of(there, 1)) ? "equal" : "different");
    return 0;
}
