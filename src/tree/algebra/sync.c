/* SPDX-License-Identifier: MIT */
/*
 * sync.c: finds where a tree differs from a remote one by comparing digests of cells.
 *
 * This is the anti-entropy algorithm for Merkle trees (R. C. Merkle, "A digital signature based on
 * a conventional encryption function", 1987). The descent knows the remote digest of each cell on
 * its path. In a cell that differs, it fetches the digests of the children one by one and subtracts
 * them from the digest of the cell. It stops when the remainders of the local and the remote digest
 * are equal, or when only one child is left, whose digest is the remainder. A cell that is a leaf
 * in either tree is small, so its items are fetched.
 *
 * Remote data is not trusted: the remote tree may have changed in the meantime, and the data may be
 * wrong.
 */
#include "config.h"

#include <pqt/sync.h>

#include <pqt/heap.h>

#include <string.h>

#include "base/error_internal.h"
#include "base/validate.h"
#include "memory/memory_internal.h"
#include "tree/algebra/codescent.h"
#include "tree/node.h"
#include "tree/path_compress.h"
#include "tree/tree_internal.h"

/* Returns the path to a child of the cell at the end of `path`. */
static pqt_sync_path pqti_cell_path_into(pqt_sync_path path, int child_index);

/*
 * Returns the box of the cell at the end of a path. If the path ends at own items, this is the cell
 * of their node.
 */
static pqt_box pqti_cell_path_box(const pqti_domain *domain, pqt_sync_path path);

typedef struct sync_finder {
    const pqti_domain *domain;
    const pqt_sync_peer *peer;
    pqt_visit_mismatch_fn *visit;
    void *context;
    pqt_error *error;
    bool failed;
} sync_finder;

/* A cell on the path. */
typedef struct cell {
    pqt_sync_path path;
    pqti_level level;
    pqti_node_ref ref;     /* the local subtree */
    pqt_sync_digest other; /* the remote digest */
} cell;

static bool
fail_sync(sync_finder *finder, const cell *c, const char *reason)
{
    pqti_error_set(finder->error, PQT_ERROR_CALLBACK, 0, "a cell at depth %d: %s",
                   (int)c->path.length, reason);
    finder->failed = true;
    return false;
}

static bool
run_out_of_memory(sync_finder *finder)
{
    pqti_out_of_memory(finder->error);
    finder->failed = true;
    return false;
}

static pqt_sync_digest
digest_of(pqti_node_ref ref)
{
    return (pqt_sync_digest){pqti_node_ref_fingerprint(ref), ref.count};
}

static bool
equal_digests(pqt_sync_digest a, pqt_sync_digest b)
{
    return a.count == b.count && pqt_fingerprint_equals(a.fingerprint, b.fingerprint);
}

static pqt_sync_digest
subtract_digests(pqt_sync_digest a, pqt_sync_digest b)
{
    return (pqt_sync_digest){pqti_fingerprint_subtract(a.fingerprint, b.fingerprint),
                             a.count - b.count};
}

/*
 * Returns true if the fetched items are valid, in tree order, and have the digest that the cell
 * should have.
 */
static bool
are_valid_items(const sync_finder *finder, const cell *c, pqt_item *items)
{
    pqt_sync_digest digest = {{0, 0}, c->other.count};
    pqti_key last = {0};
    for (size_t i = 0; i < digest.count; i++) {
        if (!pqti_validate_item(&items[i], i, &items[i], NULL))
            return false;
        pqti_key key = pqti_key_of(finder->domain, &items[i], i);
        if (i > 0 && pqti_compare(&last, &items[i - 1], &key, &items[i]) >= 0)
            return false;
        last = key;
        digest.fingerprint =
            pqti_fingerprint_add(digest.fingerprint, pqti_item_fingerprint(&items[i]));
    }
    return equal_digests(digest, c->other);
}

/* Writes items in the layout of a leaf. */
static void
write_leaf(const pqt_item *items, size_t count, void *leaf)
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

/* The removals and the insertions. Both are in one array, which begins with room for as many
   removals as there can be. The insertions follow, so that the changes can be applied in order. */
typedef struct change_list {
    pqt_change *removals, *insertions;
    size_t removed, inserted;
} change_list;

static bool
add_change(void *state, const pqt_item *item, bool added)
{
    change_list *all = state;
    if (added)
        all->insertions[all->inserted++] = (pqt_change){.kind = PQT_INSERT, .item = *item};
    else
        all->removals[all->removed++] = (pqt_change){.kind = PQT_REMOVE, .item = *item};
    return true;
}

/* Moves the insertions next to the removals. Returns the number of changes. */
static size_t
close_gap(change_list *all)
{
    if (all->inserted > 0)
        memmove(all->removals + all->removed, all->insertions,
                all->inserted * sizeof *all->insertions);
    return all->removed + all->inserted;
}

static bool
visit_mismatch(sync_finder *finder, const cell *c, const pqt_change *changes, size_t count)
{
    pqt_sync_mismatch mismatch = {c->path,           pqti_cell_path_box(finder->domain, c->path),
                                  digest_of(c->ref), c->other,
                                  changes,           count};
    return finder->visit(&mismatch, finder->context);
}

/* Scratch memory for a cell: the fetched items, the same items as a leaf, and the changes. */
typedef struct cell_buffers {
    pqt_item *items;
    void *digest;
    pqt_change *changes;
} cell_buffers;

static bool
make_cell_buffers(cell_buffers *buffers, const cell *c)
{
    size_t count = (size_t)c->other.count;
    *buffers = (cell_buffers){NULL, NULL, NULL};
    buffers->items = pqti_alloc_scratch(count + 1, sizeof *buffers->items);
    if (buffers->items != NULL)
        buffers->digest = pqti_alloc_scratch(count + 1, sizeof(pqt_item));
    if (buffers->digest != NULL)
        buffers->changes = pqti_alloc_scratch(count + c->ref.count, sizeof *buffers->changes);
    return buffers->changes != NULL;
}

static void
free_cell_buffers(cell_buffers *buffers)
{
    pqti_free_scratch(buffers->changes);
    pqti_free_scratch(buffers->digest);
    pqti_free_scratch(buffers->items);
}

static bool
fetch_items(sync_finder *finder, const cell *c, cell_buffers *buffers)
{
    if (c->other.count == 0)
        return true;
    if (!finder->peer->items(&c->path, buffers->items, (size_t)c->other.count,
                             finder->peer->context))
        return fail_sync(finder, c, "the peer's items function failed");
    if (!are_valid_items(finder, c, buffers->items))
        return fail_sync(finder, c, "the fetched items do not have its digest");
    return true;
}

/* Visits the changes in a cell that differs, given its remote items. */
static bool
visit_with_items(sync_finder *finder, const cell *c)
{
    cell_buffers buffers;
    bool unstopped = make_cell_buffers(&buffers, c) || run_out_of_memory(finder);
    if (unstopped && (unstopped = fetch_items(finder, c, &buffers))) {
        size_t count = (size_t)c->other.count;
        change_list all = {buffers.changes, buffers.changes + c->ref.count, 0, 0};
        pqti_codescent codescent = {finder->domain, NULL, add_change, &all, NULL};
        pqti_node_ref leaf = PQTI_EMPTY_REF;
        if (count > 0)
            leaf =
                (pqti_node_ref){buffers.digest, {(uint32_t)count | PQTI_LEAF_BIT}, PQTI_EMPTY_QBOX};
        write_leaf(buffers.items, count, buffers.digest);
        (void)pqti_codescend(&codescent, c->level, &c->ref, &leaf);
        const size_t changes = close_gap(&all);
        unstopped = visit_mismatch(finder, c, buffers.changes, changes);
    }
    free_cell_buffers(&buffers);
    return unstopped;
}

static bool
fetch_digest(sync_finder *finder, const cell *c, pqt_sync_digest *digest)
{
    *digest = (pqt_sync_digest){{0, 0}, 0};
    if (finder->peer->digest(&c->path, digest, finder->peer->context))
        return true;
    return fail_sync(finder, c, "the peer's digest function failed");
}

static bool compare_cell(sync_finder *finder, const cell *c);

/* Returns true if a child is the last one of a cell. Its digest is the remainder, so it is not
   fetched. */
static bool
is_last_child(const sync_finder *finder, pqti_level level, int child_index)
{
    if (level.division == PQTI_BY_CELL && level.depth == finder->domain->depth)
        return child_index == PQTI_OWN_ITEMS;
    return child_index == PQTI_QUADRANTS - 1;
}

/* Compares the children in tree order. Only nodes that divide by cells have own items. */
static bool
compare_children_cells(sync_finder *finder, const cell *c)
{
    pqt_sync_digest own = digest_of(c->ref), other = c->other;
    pqti_inner virtual_node;
    pqti_node_ref node = pqti_expand_skip_at(finder->domain, c->level, c->ref, &virtual_node);
    for (int n = c->level.division == PQTI_BY_CELL ? -1 : 0; !equal_digests(own, other); n++) {
        int child_index = n < 0 ? PQTI_OWN_ITEMS : n;
        cell next = {pqti_cell_path_into(c->path, child_index),
                     pqti_child_level(finder->domain, c->level, child_index),
                     pqti_child_of(&node, child_index), other};
        bool last = is_last_child(finder, c->level, child_index);
        if (!last && !fetch_digest(finder, &next, &next.other))
            return false;
        if (next.other.count > other.count)
            return fail_sync(finder, c, "its children hold more items than the cell");
        own = subtract_digests(own, digest_of(next.ref));
        other = subtract_digests(other, next.other);
        if (!compare_cell(finder, &next))
            return false;
        if (last)
            break;
    }
    return true;
}

static bool
compare_cell(sync_finder *finder, const cell *c)
{
    if (equal_digests(digest_of(c->ref), c->other))
        return true;
    if (c->other.count > PQT_MAX_ITEMS)
        return fail_sync(finder, c, "its digest counts more items than a tree can hold");
    if (c->other.count == 0 && (c->other.fingerprint.low | c->other.fingerprint.high) != 0)
        return fail_sync(finder, c, "its digest counts no items, but has a fingerprint");
    if (!pqti_is_leaf_or_empty(c->ref) &&
        !pqti_fits_leaf(finder->domain, c->level, (size_t)c->other.count))
        return compare_children_cells(finder, c);
    if (finder->peer->items != NULL)
        return visit_with_items(finder, c);
    return visit_mismatch(finder, c, NULL, 0);
}

bool
pqt_sync_find(const pqt_tree *tree, const pqt_sync_peer *peer, pqt_visit_mismatch_fn *visit_cell,
              void *context, pqt_error *error)
{
    PQT_ASSERT(peer != NULL && peer->digest != NULL && visit_cell != NULL,
               "the peer, its digest function or the visitor is NULL");
    if (!pqti_check_input(tree, error))
        return false;
    sync_finder finder = {tree->domain, peer, visit_cell, context, error, false};
    cell root = {{{0, 0}, 0, 0}, PQTI_ROOT, pqti_root(tree), {{0, 0}, 0}};
    bool unstopped = false;
    /* A scope is needed because the functions of the peer may reclaim versions. */
    if (!pqt_scope_begin(tree->domain->options.memory, error))
        return false;
    if (fetch_digest(&finder, &root, &root.other))
        unstopped = compare_cell(&finder, &root);
    pqt_scope_end(tree->domain->options.memory);
    pqti_keep_alive(tree);
    return unstopped && !finder.failed;
}

/*
 * ---- Cell paths ----
 *
 * A path may come from another machine, and may continue below a leaf of this version. If so, it
 * selects those items of the leaf whose own paths continue in the same way.
 */

/* One step of a path: the level of a node, and the child that is entered. */
typedef struct path_step {
    pqti_level level;
    int child_index;
} path_step;

static int
path_digit_of(const pqt_sync_path *path, int i)
{
    return (int)(path->digits[i / 32] >> (62 - 2 * (i % 32)) & 3);
}

/* Returns true if a node at a level can have a child. */
static bool
has_child(const pqti_domain *domain, pqti_level level, int child_index)
{
    if (level.division == PQTI_BY_CELL)
        return child_index == PQTI_OWN_ITEMS || level.depth < domain->depth;
    return child_index != PQTI_OWN_ITEMS && !pqti_level_is_last(level);
}

/* Computes the steps of a path from the root. Returns their number, or -1 if no cell has this
   path. */
static int
path_steps(const pqti_domain *domain, pqt_sync_path path, path_step steps[PQTI_MAX_DEPTH])
{
    pqti_level level = PQTI_ROOT;
    int count = 0, total = path.length + (path.own_items > 0);
    if (path.own_items > path.length + 1 || total > PQTI_MAX_DEPTH)
        return -1;
    for (int digit = 0; count < total; count++) {
        bool into_own_items = count == path.own_items - 1;
        if (!into_own_items && digit == 64)
            return -1;
        int child_index = into_own_items ? PQTI_OWN_ITEMS : path_digit_of(&path, digit++);
        if (!has_child(domain, level, child_index))
            return -1;
        steps[count] = (path_step){level, child_index};
        level = pqti_child_level(domain, level, child_index);
    }
    return count;
}

static pqt_sync_path
pqti_cell_path_into(pqt_sync_path path, int child_index)
{
    if (child_index == PQTI_OWN_ITEMS) {
        path.own_items = (uint8_t)(path.length + 1);
        return path;
    }
    PQT_INVARIANT(path.length < 64, "a path has more than 64 digits");
    path.digits[path.length / 32] |= (uint64_t)child_index << (62 - 2 * (path.length % 32));
    path.length++;
    return path;
}

static pqt_box
pqti_cell_path_box(const pqti_domain *domain, pqt_sync_path path)
{
    int depth = path.own_items > 0 ? path.own_items - 1 : path.length;
    uint32_t x = 0, y = 0;
    for (int i = 0; i < depth; i++) {
        uint32_t digit = (uint32_t)path_digit_of(&path, i);
        x = x << 1 | (digit & 1);
        y = y << 1 | digit >> 1;
    }
    return pqti_cell_box(domain, x, y, depth);
}

/* The part of a tree at the end of a path: a subtree, and the steps below it, which select items
   of a leaf. */
typedef struct path_end {
    const pqti_domain *domain;
    pqti_node_ref ref;
    path_step length[PQTI_MAX_DEPTH];
    int next, count; /* steps from `next` to `count` are below the subtree */
} path_end;

static path_end
follow_path(const pqt_tree *tree, pqt_sync_path path)
{
    path_end e = {.domain = tree->domain, .ref = pqti_root(tree)};
    e.count = path_steps(tree->domain, path, e.length);
    if (e.count < 0)
        e.ref = PQTI_EMPTY_REF;
    while (e.next < e.count && e.ref.count > 0 && !e.ref.leaf) {
        pqti_inner virtual_node;
        const path_step *next = &e.length[e.next++];
        e.ref = pqti_expand_skip_at(tree->domain, next->level, e.ref, &virtual_node);
        e.ref = pqti_child_ref(e.ref.at, e.ref.count, next->child_index);
    }
    return e;
}

static bool
item_has_path(const path_end *e, const pqt_item *item)
{
    pqti_key key = pqti_key_of(e->domain, item, 0);
    for (int i = e->next; i < e->count; i++)
        if (pqti_child_index(e->length[i].level, &key, item) != e->length[i].child_index)
            return false;
    return true;
}

/* The result for a peer: the digest of a cell, or its items. */
typedef struct cell_output {
    const path_end *at;
    pqt_sync_digest fingerprint;
    pqt_item *items;
    size_t capacity;
} cell_output;

static bool
add_to_digest(const pqt_item *item, void *context)
{
    cell_output *d = context;
    if (!item_has_path(d->at, item))
        return true;
    d->fingerprint.count++;
    d->fingerprint.fingerprint =
        pqti_fingerprint_add(d->fingerprint.fingerprint, pqti_item_fingerprint(item));
    return true;
}

static bool
add_to_output(const pqt_item *item, void *context)
{
    cell_output *d = context;
    if (!item_has_path(d->at, item))
        return true;
    if (d->fingerprint.count < d->capacity)
        d->items[d->fingerprint.count] = *item;
    d->fingerprint.count++;
    return true;
}

pqt_sync_digest
pqt_sync_digest_of(const pqt_tree *tree, pqt_sync_path path)
{
    PQTI_ASSERT_TREE(tree);
    path_end e = follow_path(tree, path);
    if (e.next == e.count)
        return (pqt_sync_digest){pqti_node_ref_fingerprint(e.ref), e.ref.count};
    cell_output d = {.at = &e};
    pqti_each_item(e.ref, add_to_digest, &d);
    return d.fingerprint;
}

size_t
pqt_sync_items_of(const pqt_tree *tree, pqt_sync_path path, pqt_item *items, size_t capacity)
{
    PQTI_ASSERT_TREE(tree);
    PQT_ASSERT(items != NULL || capacity == 0, "items is NULL, and capacity is not 0");
    path_end e = follow_path(tree, path);
    cell_output d = {.at = &e, .items = items, .capacity = capacity};
    pqti_each_item(e.ref, add_to_output, &d);
    return (size_t)d.fingerprint.count;
}
