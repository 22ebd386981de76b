/* SPDX-License-Identifier: MIT */
/*
 * search.c: makes a version that contains only the items that a query finds.
 *
 * A subtree inside the window is shared, a subtree outside is dropped, and any other is rebuilt
 * from the results in its children. If a subtree has only a few results, they are kept as a list of
 * items on the way back up, until they exceed the capacity of a leaf. So for a small window only
 * one leaf is built, rather than one at each level.
 */
#include "config.h"

#include <string.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/idmap.h"
#include "tree/node_build.h"
#include "tree/path_compress.h"
#include "tree/query/query_prep.h"
#include "tree/tree_internal.h"

/* The items found in a subtree. */
typedef struct partial {
    enum { PARTIAL_EMPTY, PARTIAL_SHARED, PARTIAL_ITEMS, PARTIAL_BUILT } kind;
    pqti_node_ref ref;   /* for SHARED, the subtree itself; for BUILT, a new subtree */
    size_t first, count; /* for ITEMS, a range of the list, in tree order */
} partial;

typedef struct searcher {
    const pqti_domain *domain;
    pqti_window window;
    pqt_item *list; /* a stack of found items that are not in a leaf yet */
    size_t used, capacity;
} searcher;

static bool
reserve_items(searcher *s, size_t more)
{
    pqt_item *list = pqti_grow_scratch(s->list, s->used, &s->capacity, more, sizeof *list);
    if (list == NULL)
        return false;
    s->list = list;
    return true;
}

static size_t
count_found(const partial *found)
{
    switch (found->kind) {
    case PARTIAL_EMPTY:
        return 0;
    case PARTIAL_ITEMS:
        return found->count;
    default:
        return found->ref.count;
    }
}

/*
 * Appends the hits of a block that pass the convex and the filter. The list must have room for
 * them.
 */
static void
collect_leaf_hits(searcher *s, pqti_leaf_view view, uint32_t from, uint64_t hits)
{
    PQT_INVARIANT(s->used + (size_t)__builtin_popcountll(hits) <= s->capacity,
                  "the list has no space for the hits");
    for (; hits != 0; hits &= hits - 1) {
        s->list[s->used] = pqti_view_item(view, from + (uint32_t)__builtin_ctzll(hits));
        s->used += pqti_passes(&s->window, &s->list[s->used]);
    }
}

static bool
search_leaf(searcher *s, pqti_node_ref ref, partial *found)
{
    if (!reserve_items(s, ref.count))
        return false;
    size_t first = s->used;
    pqti_leaf_view view = pqti_view(ref.at, ref.count);
    pqti_stats_add_leaf(&s->window, ref.count);
    for (uint32_t from = 0; from < ref.count; from += PQTI_SCAN_ITEMS)
        collect_leaf_hits(s, view, from, pqti_hits(&s->window, &view, from, ref.count));
    *found = (partial){.kind = PARTIAL_ITEMS, .first = first, .count = s->used - first};
    if (found->count == ref.count) {
        *found = (partial){.kind = PARTIAL_SHARED, .ref = ref};
        s->used = first;
    } else if (found->count == 0) {
        found->kind = PARTIAL_EMPTY;
    }
    return true;
}

/* Merges the few items found in several children into one range of the list, which begins where
   the first of these items was. */
static PQTI_NOINLINE bool
merge_into_items(searcher *s, size_t first, const partial found[PQTI_CHILDREN], size_t count,
                 partial *combined)
{
    PQT_INVARIANT(count <= PQT_MAX_CAPACITY, "the items do not fit into one leaf");
    pqt_item items[PQT_MAX_CAPACITY];
    pqt_item *end = items;
    for (int i = 0; i < PQTI_CHILDREN; i++) {
        const partial *child = &found[pqti_child_order[i]];
        if (child->kind == PARTIAL_ITEMS) {
            memcpy(end, s->list + child->first, child->count * sizeof *end);
            end += child->count;
        } else if (child->kind != PARTIAL_EMPTY) {
            end = pqti_collect_items(child->ref, end);
        }
    }
    s->used = first;
    if (!reserve_items(s, count))
        return false;
    memcpy(s->list + first, items, count * sizeof *items);
    s->used += count;
    *combined = (partial){.kind = PARTIAL_ITEMS, .first = first, .count = count};
    return true;
}

/* Makes a leaf if the result is a list of items. Returns any other result as it is. */
static bool
build_partial(const searcher *s, pqti_level level, const partial *found, pqti_node_ref *ref)
{
    *ref = found->kind == PARTIAL_EMPTY ? PQTI_EMPTY_REF : found->ref;
    if (found->kind != PARTIAL_ITEMS)
        return true;
    return pqti_leaf_of(s->domain, level, s->list + found->first, found->count, ref);
}

static bool
join_children(searcher *s, pqti_level level, const partial found[PQTI_CHILDREN], partial *combined)
{
    pqti_node_ref children[PQTI_CHILDREN];
    pqt_fingerprint fingerprint = {0, 0};
    for (int i = 0; i < PQTI_CHILDREN; i++) {
        if (!build_partial(s, pqti_child_level(s->domain, level, i), &found[i], &children[i]))
            return false;
        fingerprint = pqti_fingerprint_add(fingerprint, pqti_node_ref_fingerprint(children[i]));
    }
    if (found[PQTI_OWN_ITEMS].kind == PARTIAL_SHARED)
        children[PQTI_OWN_ITEMS].qbox =
            pqti_own_qbox(s->domain, pqti_child_level(s->domain, level, PQTI_OWN_ITEMS),
                          &children[PQTI_OWN_ITEMS]);
    *combined = (partial){.kind = PARTIAL_BUILT};
    return pqti_node_from_children(s->domain, level, children, fingerprint, &combined->ref);
}

/* Combines the results from a node's children. */
static bool
combine_partials(searcher *s, pqti_level level, pqti_node_ref ref, size_t first,
                 const partial found[PQTI_CHILDREN], partial *combined)
{
    size_t count = 0;
    bool all = true;
    for (int i = 0; i < PQTI_CHILDREN; i++) {
        count += count_found(&found[i]);
        all = all && found[i].kind != PARTIAL_ITEMS && found[i].kind != PARTIAL_BUILT;
    }
    *combined = (partial){.kind = PARTIAL_EMPTY};
    if (count == 0)
        return true;
    if (all && count == ref.count) {
        *combined = (partial){.kind = PARTIAL_SHARED, .ref = ref};
        return true;
    }
    if (pqti_fits_leaf(s->domain, level, count))
        return merge_into_items(s, first, found, count, combined);
    bool made = join_children(s, level, found, combined);
    s->used = first;
    return made;
}

static bool search_subtree(searcher *s, pqti_level level, pqti_node_ref ref, partial *found);

static bool
search_quadrant(searcher *s, pqti_level level, const pqti_inner *node, int i, partial *found)
{
    *found = (partial){.kind = PARTIAL_EMPTY};
    if (!pqti_window_may_find(&s->window, level.outliers, node, i))
        return true;
    pqti_node_ref quadrant = pqti_quadrant_ref(node, i);
    if (quadrant.count > 0 && pqti_window_contains(&s->window, level.outliers, node, i)) {
        *found = (partial){.kind = PARTIAL_SHARED, .ref = quadrant};
        return true;
    }
    return search_subtree(s, pqti_quadrant_level(s->domain, level), quadrant, found);
}

static bool
search_inner(searcher *s, pqti_level level, pqti_node_ref ref, partial *found)
{
    const pqti_inner *node = ref.at;
    pqti_level from = level;
    partial children[PQTI_CHILDREN];
    size_t first = s->used;
    pqti_stats_add_node(&s->window);
    level = pqti_level_of_node(s->domain, from, ref);
    if (!search_subtree(s, pqti_child_level(s->domain, level, PQTI_OWN_ITEMS),
                        pqti_own_ref(node, ref.count), &children[PQTI_OWN_ITEMS]))
        return false;
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        if (!search_quadrant(s, level, node, i, &children[i]))
            return false;
    if (!combine_partials(s, level, ref, first, children, found))
        return false;
    if (found->kind == PARTIAL_BUILT)
        found->ref = pqti_recompress(from, level, found->ref);
    return true;
}

/* Searches a hash node. Often all of its items are found, or none. */
static bool
search_hash_node(searcher *s, pqti_level level, pqti_node_ref ref, partial *found)
{
    pqti_coverage coverage = pqti_classify(&s->window, ref.at);
    if (coverage == PQTI_COVERAGE_PARTIAL ||
        (coverage == PQTI_COVERAGE_ALL && s->window.filter != NULL))
        return search_inner(s, level, ref, found);
    if (coverage == PQTI_COVERAGE_ALL)
        *found = (partial){.kind = PARTIAL_SHARED, .ref = ref};
    return true;
}

static bool
search_subtree(searcher *s, pqti_level level, pqti_node_ref ref, partial *found)
{
    *found = (partial){.kind = PARTIAL_EMPTY};
    if (ref.count == 0)
        return true;
    if (ref.is_hash)
        return search_hash_node(s, level, ref, found);
    return ref.leaf ? search_leaf(s, ref, found) : search_inner(s, level, ref, found);
}

static bool
map_found_ids(const pqti_domain *domain, pqti_node_ref root, const void **ids)
{
    *ids = NULL;
    if (!domain->options.unique_ids || root.count == 0)
        return true;
    pqt_item *items = pqti_alloc_scratch(root.count, sizeof *items);
    pqti_id_edit *edits = items == NULL ? NULL : pqti_alloc_scratch(root.count, sizeof *edits);
    bool mapped = edits != NULL;
    if (mapped) {
        pqti_collect_items(root, items);
        for (uint32_t i = 0; i < root.count; i++)
            edits[i] = pqti_id_edit_of(domain, &items[i], false);
        mapped = pqti_idmap_edit(domain->options.memory, NULL, NULL, edits, root.count, ids);
    }
    pqti_free_scratch(edits);
    pqti_free_scratch(items);
    return mapped;
}

static const pqt_tree *
version_of_found(searcher *s, const partial *found, pqt_error *error)
{
    pqti_node_ref root;
    const void *ids;
    if (!build_partial(s, PQTI_ROOT, found, &root) || !map_found_ids(s->domain, root, &ids)) {
        pqti_out_of_memory(error);
        return NULL;
    }
    const pqt_fingerprint fingerprint = pqti_node_ref_fingerprint(root);
    return pqti_version_of(s->domain, &root, &fingerprint, ids, error);
}

const pqt_tree *
pqt_tree_search(const pqt_tree *tree, const pqt_query *query, pqt_error *error)
{
    if (!pqti_check_input(tree, error))
        return NULL;
    pqt_query valid = *pqti_query_or_all(query);
    if (!pqti_query_check(&valid, error))
        return NULL;
    searcher s = {.domain = tree->domain, .window = pqti_window_in(tree, &valid)};
    partial found;
    const pqt_tree *next = NULL;
    if (!search_subtree(&s, PQTI_ROOT, pqti_root(tree), &found))
        pqti_out_of_memory(error);
    else if (count_found(&found) == tree->count)
        next = tree;
    else if (found.kind == PARTIAL_EMPTY)
        next = pqt_tree_clear(tree, error);
    else
        next = version_of_found(&s, &found, error);
    pqti_free_scratch(s.list);
    pqti_keep_alive(tree);
    return next;
}
