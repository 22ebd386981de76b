/* SPDX-License-Identifier: MIT */
/*
 * setops.c - sets of items made of two others, part by part.
 *
 *     the same            kept or left out
 *     nothing, anything   kept or left out
 *     inner, inner        each part with its like, and joined
 *     leaf, anything      each item of the leaf is looked up on the other side, which is then
 *                         edited, or left out; so of a large part only the ways to a few
 *                         items are entered
 */
#include "config.h"

#include "tree/algebra/setops.h"

#include <string.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/algebra/changelist.h"
#include "tree/edit.h"
#include "tree/edit_list.h"
#include "tree/node_build.h"
#include "tree/tree_internal.h"

/* Among so many items another is found faster by looking at all of them, by their ids. */
enum { FEW = 32 };

typedef struct combiner {
    const pqti_space *space;
    pqt_tally *tally;
    pqti_rule rule;
} combiner;

/* Whether all parts are those of a whole: its very own, or their likes of another version. */
static bool
is_made_of(const pqti_ref parts[PQTI_PARTS], pqti_ref whole)
{
    for (int i = 0; i < PQTI_PARTS; i++)
        if (!pqti_same(parts[i], pqti_child_at(whole, i)))
            return false;
    return true;
}

bool
pqti_join_or_take(const pqti_space *space, pqti_place place, pqti_ref parts[PQTI_PARTS], pqti_ref a,
                  pqti_ref b, pqti_ref *joined)
{
    pqt_fingerprint sum = {0, 0};
    if (is_made_of(parts, a) || is_made_of(parts, b)) {
        *joined = is_made_of(parts, a) ? a : b;
        return true;
    }
    for (int i = 0; i < PQTI_PARTS; i++)
        sum = pqti_fingerprint_add(sum, pqti_ref_fingerprint(parts[i]));
    parts[PQTI_BUCKET].extent =
        pqti_bucket_extent(space, pqti_part_place(space, place, PQTI_BUCKET), parts[PQTI_BUCKET]);
    return pqti_join(space, place, parts, sum, joined);
}

/* The items of a leaf, as edits: `removal` says whether an item is on the other side, too. */
typedef struct shortlist {
    const combiner *combiner;
    pqt_item *items;
    pqti_entry *entries;
    size_t count;
    size_t common; /* how many are on the other side */
} shortlist;

static bool
holds(pqti_leaf_view view, size_t count, const pqt_item *item)
{
    for (size_t i = 0; i < count; i++) {
        if (view.id[i] != item->id)
            continue;
        pqt_item own = pqti_view_item(view, i);
        if (memcmp(&own, item, sizeof own) == 0)
            return true;
    }
    return false;
}

/* An item of the other side, and where it comes in tree order. */
typedef struct candidate {
    pqt_item item;
    pqti_entry entry;
} candidate;

static candidate
candidate_at(const shortlist *s, pqti_leaf_view view, size_t i)
{
    candidate c = {.item = pqti_view_item(view, i)};
    c.entry = pqti_entry_of(s->combiner->space, &c.item, 0);
    return c;
}

/* Both are in tree order, and so are merged. Returns how many items were compared. */
static size_t
look_up_in_order(shortlist *s, size_t from, size_t to, pqti_leaf_view view, size_t count)
{
    candidate other = candidate_at(s, view, 0);
    size_t compared = 0;
    for (size_t i = from, next = 0; i < to && next < count; compared++) {
        int order = pqti_compare(&s->entries[i], &s->items[i], &other.entry, &other.item);
        s->entries[i].removal = order == 0;
        i += order <= 0;
        next += order >= 0;
        if (order >= 0 && next < count)
            other = candidate_at(s, view, next);
    }
    return compared;
}

static void
look_up_in_leaf(shortlist *s, size_t from, size_t to, pqti_ref leaf)
{
    pqti_leaf_view view = pqti_view(leaf.at, leaf.count);
    size_t compared = leaf.count;
    if (leaf.count > FEW && to - from > FEW)
        compared = look_up_in_order(s, from, to, view, leaf.count);
    else
        for (size_t i = from; i < to; i++)
            s->entries[i].removal = holds(view, leaf.count, &s->items[i]);
    for (size_t i = from; i < to; i++)
        s->common += s->entries[i].removal;
    pqti_count_leaf(s->combiner->tally, compared);
}

/* Looks a range of the items up in a part. */
static void
look_up(shortlist *s, size_t from, size_t to, pqti_place place, pqti_ref ref)
{
    if (from == to || ref.count == 0)
        return;
    if (ref.leaf) {
        look_up_in_leaf(s, from, to, ref);
        return;
    }
    place = pqti_place_of_node(s->combiner->space, place, ref);
    ref.deep = false;
    pqti_count_inner(s->combiner->tally, ref);
    while (from < to) {
        int part = pqti_part_of(place, &s->entries[from], &s->items[from]);
        size_t end = from + 1;
        while (end < to && pqti_part_of(place, &s->entries[end], &s->items[end]) == part)
            end++;
        look_up(s, from, end, pqti_part_place(s->combiner->space, place, part),
                pqti_child_at(ref, part));
        from = end;
    }
}

static bool
make_shortlist(shortlist *s, const combiner *c, pqti_ref leaf)
{
    *s = (shortlist){.combiner = c, .count = leaf.count};
    s->items = pqti_scratch(s->count, sizeof *s->items);
    s->entries = s->items == NULL ? NULL : pqti_scratch(s->count, sizeof *s->entries);
    if (s->entries == NULL)
        return false;
    pqti_gather(leaf, s->items);
    pqti_entries_of(c->space, s->items, s->count, s->entries);
    pqti_count_leaf(c->tally, 0);
    return true;
}

static void
free_shortlist(shortlist *s)
{
    pqti_scratch_free(s->entries);
    pqti_scratch_free(s->items);
}

/* Leaves in the list what is on the other side, or what is not. */
static void
choose(shortlist *s, bool common)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->entries[i].removal == common)
            s->entries[count++] = s->entries[i];
    s->count = count;
}

/* The leaf is added to the other side, or taken from it. */
static bool
edit_other(shortlist *s, pqti_place place, bool taking, pqti_ref other, pqti_ref *result)
{
    pqt_fingerprint ignored = {0, 0};
    choose(s, taking);
    *result = other;
    pqti_edits edits = {s->items, s->entries, s->count, false};
    return pqti_edit(s->combiner->space, place, edits, result, &ignored) != PQTI_FAILED;
}

/* Some of the leaf's items are kept, and nothing of the other side. */
static bool
keep_some(shortlist *s, pqti_place place, bool common, pqti_ref leaf, pqti_ref *result)
{
    choose(s, common);
    *result = leaf;
    if (s->count == leaf.count)
        return true;
    for (size_t i = 0; i < s->count; i++)
        s->items[i] = s->items[s->entries[i].index];
    return pqti_leaf_of(s->combiner->space, place, s->items, s->count, result);
}

/* The rule as seen from the leaf: PQTI_ONLY_A is about what only the leaf has. */
static bool
apply_rule(shortlist *s, pqti_place place, pqti_rule rule, pqti_ref leaf, pqti_ref other,
           pqti_ref *result)
{
    if (rule & PQTI_BOTH && s->common == other.count) {
        *result = rule == PQTI_UNION ? leaf : other; /* the leaf holds all of it */
        return true;
    }
    if (!(rule & PQTI_ONLY_B))
        return keep_some(s, place, rule == PQTI_BOTH, leaf, result);
    return edit_other(s, place, rule == PQTI_ONLY_B, other, result);
}

static pqti_rule
seen_from_b(pqti_rule rule)
{
    bool one_side = rule == PQTI_ONLY_A || rule == PQTI_ONLY_B;
    return one_side ? rule ^ (PQTI_ONLY_A | PQTI_ONLY_B) : rule;
}

static bool
combine_leaf(const combiner *c, pqti_place place, pqti_rule rule, pqti_ref leaf, pqti_ref other,
             pqti_ref *result)
{
    shortlist s;
    bool made = make_shortlist(&s, c, leaf);
    if (made) {
        look_up(&s, 0, s.count, place, other);
        made = apply_rule(&s, place, rule, leaf, other, result);
    }
    free_shortlist(&s);
    return made;
}

static bool combine(const combiner *c, pqti_place place, pqti_ref a, pqti_ref b, pqti_ref *result);

static bool
combine_inner(const combiner *c, pqti_place place, pqti_ref a, pqti_ref b, pqti_ref *result)
{
    pqti_ref parts[PQTI_PARTS];
    pqti_count_inner(c->tally, a);
    pqti_count_inner(c->tally, b);
    for (int i = 0; i < PQTI_PARTS; i++)
        if (!combine(c, pqti_part_place(c->space, place, i), pqti_child_at(a, i),
                     pqti_child_at(b, i), &parts[i]))
            return false;
    return pqti_join_or_take(c->space, place, parts, a, b, result);
}

static PQTI_NOINLINE bool
combine_deep(const combiner *c, pqti_place place, pqti_ref a, pqti_ref b, pqti_ref *result)
{
    pqti_division both;
    pqti_divide(&both, c->space, place, (pqti_ref[]){a, b}, 2);
    if (!combine_inner(c, both.at, both.node[0], both.node[1], result))
        return false;
    *result = pqti_undivided(&both, *result);
    return true;
}

static bool
combine(const combiner *c, pqti_place place, pqti_ref a, pqti_ref b, pqti_ref *result)
{
    *result = PQTI_EMPTY_REF;
    if (pqti_same(a, b)) {
        if (c->rule & PQTI_BOTH)
            *result = a;
        return true;
    }
    if (a.count == 0 || b.count == 0) {
        if (c->rule & (a.count == 0 ? PQTI_ONLY_B : PQTI_ONLY_A))
            *result = a.count == 0 ? b : a;
        return true;
    }
    if (!a.leaf && !b.leaf)
        return (a.deep || b.deep ? combine_deep : combine_inner)(c, place, a, b, result);
    if (b.leaf)
        return combine_leaf(c, place, seen_from_b(c->rule), b, a, result);
    return combine_leaf(c, place, c->rule, a, b, result);
}

bool
pqti_combine(const pqti_space *space, pqt_tally *tally, pqti_rule rule, pqti_place place,
             pqti_ref a, pqti_ref b, pqti_ref *result)
{
    combiner c = {space, tally, rule};
    return combine(&c, place, a, b, result);
}

static bool
edit_ids(const pqti_list *list, pqt_memory *memory, const void *map, const void **edited)
{
    pqti_id_edit *edits = pqti_scratch(list->count + 1, sizeof *edits);
    if (edits == NULL)
        return false;
    size_t count = pqti_list_id_edits(list, edits);
    bool made = pqti_ids_edit(memory, map, edits, count, edited);
    pqti_scratch_free(edits);
    return made;
}

/* The id map of a root that came about by what differs from a version's. */
static bool
map_ids(pqti_ref root, const pqti_space *space, const pqt_tree *near, pqt_tally *tally,
        const void **ids)
{
    pqti_list list = {0};
    pqti_ref before = near == NULL ? PQTI_EMPTY_REF : pqti_root(near);
    *ids = NULL;
    if (!space->options.unique_ids)
        return true;
    bool made = pqti_list_differences(&list, space, NULL, tally, PQTI_ROOT, before, root) &&
                pqti_list_index(&list) &&
                edit_ids(&list, space->options.memory, near == NULL ? NULL : near->ids, ids);
    pqti_list_free(&list);
    return made;
}

const pqt_tree *
pqti_version_with(pqti_ref root, const pqt_tree *near, const pqt_tree *const *given, size_t count,
                  pqt_tally *tally, pqt_error *error)
{
    const pqti_space *space = given[0]->space;
    const void *ids;
    for (size_t i = 0; i < count; i++)
        if (pqti_same(root, pqti_root(given[i])))
            return given[i];
    if (!map_ids(root, space, near, tally, &ids)) {
        pqti_out_of_memory(error);
        return NULL;
    }
    return pqti_version_of(space, root, pqti_ref_fingerprint(root), ids, error);
}

static bool
count_added(void *state, const pqt_item *item, bool added)
{
    (void)item;
    *(size_t *)state += added;
    return true;
}

bool
pqti_has_room(const pqt_tree *a, const pqt_tree *from, const pqt_tree *to,
              const pqti_window *window, pqt_error *error)
{
    size_t more = 0;
    if ((uint64_t)a->count + to->count <= PQT_MAX_ITEMS)
        return true;
    pqti_differ differ = {a->space, window, count_added, &more, NULL};
    (void)pqti_differ_at(&differ, PQTI_ROOT, pqti_root(from), pqti_root(to));
    if (more <= (size_t)(PQT_MAX_ITEMS - a->count))
        return true;
    pqti_fail(error, PQT_ERROR_LIMIT, 0, "%zu items and %zu more, at most %d", (size_t)a->count,
              more, PQT_MAX_ITEMS);
    return false;
}
