/* SPDX-License-Identifier: MIT */
/*
 * search.c - the version that holds just what a query finds.
 *
 * A subtree that lies wholly inside the window is taken over as it is; one that lies outside is
 * left out; of the others, the parts are joined anew. Few items that are found stay *loose* in a
 * list on the way back, until they are too many for a leaf: so a small window makes one leaf, not
 * one a level.
 */
#include "config.h"

#include <string.h>

#include "base/error_internal.h"
#include "base/validate.h"
#include "memory/memory_internal.h"
#include "tree/idmap.h"
#include "tree/node_build.h"
#include "tree/path_compress.h"
#include "tree/query/query_prep.h"
#include "tree/tree_internal.h"

/* What was found in a part of the tree. */
typedef struct finding {
    enum { NOTHING, ALL, LOOSE, SOME } kind;
    pqti_ref ref;        /* of ALL, as it was; of SOME, made anew */
    size_t first, count; /* of LOOSE, its items in the list, in order */
} finding;

typedef struct searcher {
    const pqti_space *space;
    pqti_window window;
    pqt_item *list; /* loose items, a stack */
    size_t used, room;
} searcher;

static bool
reserve(searcher *s, size_t more)
{
    if (more <= s->room - s->used)
        return true;
    size_t room = 2 * s->room + more;
    pqt_item *list = pqti_scratch(room, sizeof *list);
    if (list == NULL)
        return false;
    if (s->used > 0)
        memcpy(list, s->list, s->used * sizeof *list);
    pqti_scratch_free(s->list);
    s->list = list;
    s->room = room;
    return true;
}

static size_t
count_found(const finding *found)
{
    switch (found->kind) {
    case NOTHING:
        return 0;
    case LOOSE:
        return found->count;
    default:
        return found->ref.count;
    }
}

/* Adds to the list what is found of a run of a leaf; there is room. */
static void
take_hits(searcher *s, pqti_leaf_view view, uint32_t from, uint64_t hits)
{
    for (; hits != 0; hits &= hits - 1) {
        s->list[s->used] = pqti_view_item(view, from + (uint32_t)__builtin_ctzll(hits));
        s->used += pqti_passes(&s->window, &s->list[s->used]);
    }
}

static bool
search_leaf(searcher *s, pqti_ref ref, finding *found)
{
    if (!reserve(s, ref.count))
        return false;
    size_t first = s->used;
    pqti_leaf_view view = pqti_view(ref.at, ref.count);
    pqti_tally_leaf(&s->window, ref.count);
    for (uint32_t from = 0; from < ref.count; from += PQTI_RUN)
        take_hits(s, view, from, pqti_hits(&s->window, view, from, ref.count));
    *found = (finding){.kind = LOOSE, .first = first, .count = s->used - first};
    if (found->count == ref.count) {
        *found = (finding){.kind = ALL, .ref = ref};
        s->used = first;
    } else if (found->count == 0) {
        found->kind = NOTHING;
    }
    return true;
}

/* Few items of several parts become one loose range, at the place where the first of them lay. */
static PQTI_NOINLINE bool
loosen(searcher *s, size_t first, const finding found[PQTI_PARTS], size_t count, finding *joined)
{
    pqt_item items[PQT_MAX_CAPACITY];
    pqt_item *end = items;
    for (int i = 0; i < PQTI_PARTS; i++) {
        const finding *part = &found[pqti_part_order[i]];
        if (part->kind == LOOSE) {
            memcpy(end, s->list + part->first, part->count * sizeof *end);
            end += part->count;
        } else if (part->kind != NOTHING) {
            end = pqti_gather(part->ref, end);
        }
    }
    s->used = first;
    if (!reserve(s, count))
        return false;
    memcpy(s->list + first, items, count * sizeof *items);
    s->used += count;
    *joined = (finding){.kind = LOOSE, .first = first, .count = count};
    return true;
}

/* Loose items become a leaf; what was found as it was stays. */
static bool
settle(const searcher *s, pqti_place place, const finding *found, pqti_ref *ref)
{
    *ref = found->kind == NOTHING ? PQTI_EMPTY_REF : found->ref;
    if (found->kind != LOOSE)
        return true;
    return pqti_leaf_of(s->space, place, s->list + found->first, found->count, ref);
}

static bool
join(searcher *s, pqti_place place, const finding found[PQTI_PARTS], finding *joined)
{
    pqti_ref parts[PQTI_PARTS];
    pqt_fingerprint sum = {0, 0};
    for (int i = 0; i < PQTI_PARTS; i++) {
        if (!settle(s, pqti_part_place(s->space, place, i), &found[i], &parts[i]))
            return false;
        sum = pqti_fingerprint_add(sum, pqti_ref_fingerprint(parts[i]));
    }
    if (found[PQTI_BUCKET].kind == ALL)
        parts[PQTI_BUCKET].extent = pqti_bucket_extent(
            s->space, pqti_part_place(s->space, place, PQTI_BUCKET), parts[PQTI_BUCKET]);
    *joined = (finding){.kind = SOME};
    return pqti_join(s->space, place, parts, sum, &joined->ref);
}

/* What the findings in a node's parts come to. */
static bool
conclude(searcher *s, pqti_place place, pqti_ref ref, size_t first, const finding found[PQTI_PARTS],
         finding *joined)
{
    size_t count = 0;
    bool all = true;
    for (int i = 0; i < PQTI_PARTS; i++) {
        count += count_found(&found[i]);
        all = all && found[i].kind != LOOSE && found[i].kind != SOME;
    }
    *joined = (finding){.kind = NOTHING};
    if (count == 0)
        return true;
    if (all && count == ref.count) {
        *joined = (finding){.kind = ALL, .ref = ref};
        return true;
    }
    if (count <= s->space->capacity)
        return loosen(s, first, found, count, joined);
    bool made = join(s, place, found, joined);
    s->used = first;
    return made;
}

static bool search(searcher *s, pqti_place place, pqti_ref ref, finding *found);

static bool
search_quarter(searcher *s, pqti_place place, const pqti_inner *node, int i, finding *found)
{
    const pqti_sieve *sieve = pqti_sieve_at(&s->window, place.strays);
    *found = (finding){.kind = NOTHING};
    if (!pqti_may_find(sieve, node, i))
        return true;
    pqti_ref quarter = pqti_quarter(node, i);
    if (s->window.query.filter == NULL && quarter.count > 0 && pqti_is_inside(sieve, node, i)) {
        *found = (finding){.kind = ALL, .ref = quarter};
        return true;
    }
    return search(s, pqti_quarter_place(s->space, place), quarter, found);
}

static bool
search_inner(searcher *s, pqti_place place, pqti_ref ref, finding *found)
{
    const pqti_inner *node = ref.at;
    pqti_place from = place;
    finding parts[PQTI_PARTS];
    size_t first = s->used;
    pqti_tally_node(&s->window);
    place = pqti_place_of_node(s->space, from, ref);
    if (!search(s, pqti_part_place(s->space, place, PQTI_BUCKET), pqti_bucket_ref(node, ref.count),
                &parts[PQTI_BUCKET]))
        return false;
    for (int i = 0; i < PQTI_QUARTERS; i++)
        if (!search_quarter(s, place, node, i, &parts[i]))
            return false;
    if (!conclude(s, place, ref, first, parts, found))
        return false;
    if (found->kind == SOME)
        found->ref = pqti_lifted(from, place, found->ref);
    return true;
}

/* Items that only their mixes part: often all are found, or none. */
static bool
search_mixed(searcher *s, pqti_place place, pqti_ref ref, finding *found)
{
    pqti_verdict verdict = pqti_judge(&s->window, ref.at);
    if (verdict == PQTI_UNSURE || (verdict == PQTI_ALL && s->window.query.filter != NULL))
        return search_inner(s, place, ref, found);
    if (verdict == PQTI_ALL)
        *found = (finding){.kind = ALL, .ref = ref};
    return true;
}

static bool
search(searcher *s, pqti_place place, pqti_ref ref, finding *found)
{
    *found = (finding){.kind = NOTHING};
    if (ref.count == 0)
        return true;
    if (ref.mixed)
        return search_mixed(s, place, ref, found);
    return ref.leaf ? search_leaf(s, ref, found) : search_inner(s, place, ref, found);
}

static bool
map_ids(const pqti_space *space, pqti_ref root, const void **ids)
{
    *ids = NULL;
    if (!space->options.unique_ids || root.count == 0)
        return true;
    pqt_item *items = pqti_scratch(root.count, sizeof *items);
    pqti_id_edit *edits = items == NULL ? NULL : pqti_scratch(root.count, sizeof *edits);
    bool mapped = edits != NULL;
    if (mapped) {
        pqti_gather(root, items);
        for (uint32_t i = 0; i < root.count; i++)
            edits[i] = (pqti_id_edit){pqti_id_key(items[i].id), items[i], false};
        mapped = pqti_ids_edit(space->options.memory, NULL, edits, root.count, ids);
    }
    pqti_scratch_free(edits);
    pqti_scratch_free(items);
    return mapped;
}

static const pqt_tree *
version_of(searcher *s, const finding *found, pqt_error *error)
{
    pqti_ref root;
    const void *ids;
    if (!settle(s, PQTI_ROOT, found, &root) || !map_ids(s->space, root, &ids)) {
        pqti_out_of_memory(error);
        return NULL;
    }
    return pqti_version_of(s->space, root, pqti_ref_fingerprint(root), ids, error);
}

const pqt_tree *
pqt_tree_search(const pqt_tree *tree, pqt_query query, pqt_error *error)
{
    if (!pqti_may_go_on(tree, error))
        return NULL;
    if (!pqti_window_admit(query.window, "window", &query.window, error))
        return NULL;
    searcher s = {.space = tree->space, .window = pqti_window_in(tree, query)};
    finding found;
    const pqt_tree *next = NULL;
    if (!search(&s, PQTI_ROOT, pqti_root(tree), &found))
        pqti_out_of_memory(error);
    else if (count_found(&found) == tree->count)
        next = tree;
    else if (found.kind == NOTHING)
        next = pqt_tree_clear(tree, error);
    else
        next = version_of(&s, &found, error);
    pqti_scratch_free(s.list);
    pqti_keep(tree);
    return next;
}
