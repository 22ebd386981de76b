/* SPDX-License-Identifier: MIT */
/*
 * map_merge.c: performs three-way merges of maps.
 *
 * The three versions are traversed together, as slices at the same position. If the slices of the
 * base and of one side agree, the slice of the other side is the result. If both sides agree,
 * either slice is. So a subtree that only one side changed is shared and not entered. Leaves are
 * merged entry by entry. All state is on the stack, which the collector scans.
 */
#include "config.h"

#include "map/map_internal.h"

#include <pqt/heap.h>

#include "base/error_internal.h"
#include "base/option_structs.h"

#define TRIE_EDITS
#define TRIE_COMPARES
#include "map/map_trie.h"

PQTI_DEFINE_OPTIONS(pqti_map_merge_options, pqt_map_merge_options, context, PQT_MAP_MERGE_DEFAULTS);

/* Each key of a result is in ours or in theirs, because if both sides removed a key, they agree. So
   merging leaves yields at most the entries of two leaves. */
enum { MOST_MERGED = 2 * TRIE_LEAF };

typedef struct map_merger {
    map_memory memory;
    const pqt_map_merge_options *options;
    pqt_error *error;
} map_merger;

typedef struct three {
    trie_slice base, ours, theirs;
} three;

typedef struct merged_slots {
    pqti_map_slot slots[MOST_MERGED];
    size_t count;
} merged_slots;

/* ---- Equal parts ---- */

static bool
same_entries(const trie_slice *a, const trie_slice *b)
{
    if (trie_is_inner(a) || a->count != b->count)
        return false;
    for (uint64_t i = 0; i < a->count; i++) {
        const map_entries x = map_entry_at(a->entries, i), y = map_entry_at(b->entries, i);
        if (map_compare_keys(map_entry_key(x), map_entry_key(y)) != 0 || !map_equal_entries(x, y))
            return false;
    }
    return true;
}

static bool
are_same(const trie_slice *a, const trie_slice *b)
{
    return trie_same_slice(a, b) || same_entries(a, b);
}

/* If the base and one side agree, or both sides agree with each other, sets *picked to the result
   and returns true. Returns false if the sides changed the slice differently. */
static bool
pick_unconflicted(const three *t, trie_slice *picked)
{
    const bool ours_changed = !are_same(&t->base, &t->ours);
    if (ours_changed && !are_same(&t->base, &t->theirs) && !are_same(&t->ours, &t->theirs))
        return false;
    *picked = ours_changed ? t->ours : t->theirs;
    return true;
}

/* ---- Conflicts ---- */

static bool
fail_merge_of_key(const map_merger *m, const map_entries *entry, pqt_status status,
                  const char *reason)
{
    char name[PQTI_MAP_NAME_SIZE];
    const pqt_map_key key = pqti_map_public_key(entry);
    pqti_map_name_key(name, &key);
    pqti_error_set(m->error, status, 0, "%s %s", name, reason);
    return false;
}

static const pqt_map_value *
public_value(const trie_slice *one, pqt_map_value *value)
{
    if (one->count == 0)
        return NULL;
    *value = pqti_map_public_value(&one->entries);
    return value;
}

static void
add_entry(merged_slots *result, const trie_slice *one)
{
    if (one->count > 0)
        result->slots[result->count++] = *one->entries.at;
}

/* Adds an entry with the value that the callback `resolve` chose for its key. */
static bool
add_answer(const map_merger *m, const map_entries *entry, const pqt_map_value *answer,
           merged_slots *result)
{
    if (!pqti_map_takes_value(entry->kinds, answer))
        return fail_merge_of_key(m, entry, PQT_ERROR_CALLBACK,
                                 "was resolved by a value of the other kind");
    pqti_map_slot slot = {.hash = entry->at->hash};
    if ((entry->kinds & PQTI_MAP_HAS_CELLS) == 0) {
        slot.number = answer->number;
    } else {
        const pqt_map_key key = pqti_map_public_key(entry);
        pqti_map_edit edit = {.value = *answer, .kinds = entry->kinds};
        pqti_map_hash_key(&edit.key, &key);
        slot.cell = pqti_map_make_cell(&m->memory.home, &edit);
        if (slot.cell == NULL) {
            pqti_out_of_memory(m->error);
            return false;
        }
    }
    result->slots[result->count++] = slot;
    return true;
}

/* Resolves a conflict, in which both sides changed a key differently. At least one of the three
   slices contains the key. */
static bool
resolve_conflict(const map_merger *m, const three *t, merged_slots *result)
{
    const map_entries *entry = t->ours.count > 0     ? &t->ours.entries
                               : t->theirs.count > 0 ? &t->theirs.entries
                                                     : &t->base.entries;
    pqt_map_value base, ours, theirs, answer = {0};
    const pqt_map_conflict conflict = {pqti_map_public_key(entry), public_value(&t->base, &base),
                                       public_value(&t->ours, &ours),
                                       public_value(&t->theirs, &theirs)};
    pqt_map_resolution decided = PQT_MAP_UNRESOLVED;
    if (m->options->resolve != NULL)
        decided = m->options->resolve(&conflict, &answer, m->options->context);
    switch (decided) {
    case PQT_MAP_UNRESOLVED:
        return fail_merge_of_key(m, entry, PQT_ERROR_CONFLICT,
                                 "has different values in ours and in theirs");
    case PQT_MAP_KEEP_OURS:
        add_entry(result, &t->ours);
        return true;
    case PQT_MAP_KEEP_THEIRS:
        add_entry(result, &t->theirs);
        return true;
    case PQT_MAP_KEEP_BASE:
        add_entry(result, &t->base);
        return true;
    case PQT_MAP_KEEP_NEITHER:
        return true;
    case PQT_MAP_KEEP_VALUE:
        return add_answer(m, entry, &answer, result);
    }
    return fail_merge_of_key(m, entry, PQT_ERROR_CALLBACK,
                             "was resolved by a value that is not a pqt_map_resolution");
}

/* ---- Leaves ---- */

/* Returns true if a slice is a leaf that consists of exactly these slots. */
static bool
is_leaf_of(const map_merger *m, const trie_slice *slice, const pqti_map_slot *slots, size_t count)
{
    if (!map_is_block(slice->ref) || slice->count != count || trie_is_inner(slice))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!trie_same_slot(&slice->entries.at[i], &slots[i], m->memory.home.kinds))
            return false;
    return true;
}

static bool
report_if_not_made(const map_merger *m, bool made)
{
    if (!made)
        pqti_out_of_memory(m->error);
    return made;
}

/* Makes the leaf for a result, or shares the leaf of a version if it has the same slots. */
static bool
make_result_leaf(map_merger *m, const three *t, const pqti_map_slot *slots, size_t count,
                 map_ref *made)
{
    const trie_slice *const given[] = {&t->ours, &t->theirs, &t->base};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        if (!is_leaf_of(m, given[i], slots, count))
            continue;
        *made = given[i]->ref;
        return true;
    }
    return report_if_not_made(m, trie_make_slots(&m->memory, slots, count, made));
}

static pqti_map_edit
edit_of_slot(const map_merger *m, const pqti_map_slot *slot)
{
    const pqti_map_slots entry = {slot, m->memory.home.kinds};
    const pqt_map_key key = pqti_map_public_key(&entry);
    pqti_map_edit edit = {.kinds = entry.kinds, .value = pqti_map_public_value(&entry)};
    pqti_map_hash_key(&edit.key, &key);
    edit.cell = (entry.kinds & PQTI_MAP_HAS_CELLS) != 0 ? slot->cell : NULL;
    return edit;
}

/* Makes the subtree for a result with more slots than fit in a leaf. */
static PQTI_NOINLINE bool
make_result_inner(map_merger *m, unsigned level, const merged_slots *result, map_ref *made)
{
    pqti_map_edit edits[MOST_MERGED];
    for (size_t i = 0; i < result->count; i++)
        edits[i] = edit_of_slot(m, &result->slots[i]);
    return report_if_not_made(m, pqti_map_build(m->memory.home.memory, m->memory.home.kinds, level,
                                                edits, result->count, made));
}

/* If the first entry of a slice has the given key, removes the entry from the slice and returns it.
   Otherwise returns an empty slice. */
static trie_slice
take_key(trie_slice *slice, map_key key)
{
    if (slice->count == 0 || map_compare_keys(map_entry_key(slice->entries), key) != 0)
        return (trie_slice){NULL, {NULL, 0}, 0};
    const trie_slice one = {NULL, slice->entries, 1};
    *slice = (trie_slice){NULL, map_entry_at(slice->entries, 1), slice->count - 1};
    return one;
}

/* Returns the lowest key in three slices, at least one of which is not empty. */
static map_key
lowest_key(const three *t)
{
    const trie_slice *const all[] = {&t->base, &t->ours, &t->theirs};
    map_key lowest = {0};
    bool found = false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i]->count == 0)
            continue;
        const map_key key = map_entry_key(all[i]->entries);
        if (!found || map_compare_keys(key, lowest) < 0)
            lowest = key;
        found = true;
    }
    return lowest;
}

static PQTI_NOINLINE bool
merge_leaves(map_merger *m, const three *t, unsigned level, map_ref *made)
{
    merged_slots result = {.count = 0};
    three rest = *t;
    while (rest.base.count + rest.ours.count + rest.theirs.count > 0) {
        const map_key key = lowest_key(&rest);
        const three one = {take_key(&rest.base, key), take_key(&rest.ours, key),
                           take_key(&rest.theirs, key)};
        trie_slice picked;
        if (pick_unconflicted(&one, &picked))
            add_entry(&result, &picked);
        else if (!resolve_conflict(m, &one, &result))
            return false;
    }
    return result.count > TRIE_LEAF ? make_result_inner(m, level, &result, made)
                                    : make_result_leaf(m, t, result.slots, result.count, made);
}

/* ---- Inner blocks ---- */

static bool
has_children(const trie_slice *slice, const map_ref child[TRIE_WAYS])
{
    return trie_is_inner(slice) && memcmp(((const pqti_map_inner *)slice->ref)->child, child,
                                          TRIE_WAYS * sizeof *child) == 0;
}

/* Makes a leaf from children that together have at most TRIE_LEAF entries. */
static PQTI_NOINLINE bool
join_children(map_merger *m, const three *t, const map_ref child[TRIE_WAYS], map_ref *made)
{
    merged_slots result = {.count = 0};
    for (unsigned i = 0; i < TRIE_WAYS; i++) {
        const trie_slice slice = trie_slice_of(child[i]);
        for (uint64_t k = 0; k < slice.count; k++)
            result.slots[result.count++] = slice.entries.at[k];
    }
    return make_result_leaf(m, t, result.slots, result.count, made);
}

static bool
make_result(map_merger *m, const three *t, const map_ref child[TRIE_WAYS], map_ref *made)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < TRIE_WAYS; i++)
        sum += map_count(child[i]);
    if (sum <= TRIE_LEAF)
        return join_children(m, t, child, made);
    if (has_children(&t->ours, child) || has_children(&t->theirs, child) ||
        has_children(&t->base, child)) {
        *made = has_children(&t->ours, child)     ? t->ours.ref
                : has_children(&t->theirs, child) ? t->theirs.ref
                                                  : t->base.ref;
        return true;
    }
    return report_if_not_made(m, map_make_inner(&m->memory, &t->ours, child, sum, made));
}

/* Merges three slices at the same position. */
static bool
merge_slices(map_merger *m, const three *t, unsigned level, map_ref *made)
{
    trie_slice picked;
    if (pick_unconflicted(t, &picked)) {
        *made = picked.ref;
        return map_is_block(picked.ref) ||
               report_if_not_made(m, map_make_slice(&m->memory, &picked, made));
    }
    if (!trie_is_inner(&t->base) && !trie_is_inner(&t->ours) && !trie_is_inner(&t->theirs))
        return merge_leaves(m, t, level, made);
    map_ref child[TRIE_WAYS];
    uint64_t next_base = 0, next_ours = 0, next_theirs = 0;
    for (unsigned i = 0; i < TRIE_WAYS; i++) {
        const three part = {trie_part(&t->base, level, i, &next_base),
                            trie_part(&t->ours, level, i, &next_ours),
                            trie_part(&t->theirs, level, i, &next_theirs)};
        if (!merge_slices(m, &part, level + 1, &child[i]))
            return false;
    }
    return make_result(m, t, child, made);
}

/* ---- Versions ---- */

static bool
may_merge(const pqt_map *base, const pqt_map *ours, const pqt_map *theirs, pqt_error *error)
{
    const char *field = NULL;
    const uint64_t kinds = (base->kinds ^ ours->kinds) | (base->kinds ^ theirs->kinds);
    if ((kinds & PQTI_MAP_HAS_BYTE_KEYS) != 0)
        field = "keys";
    else if ((kinds & PQTI_MAP_HAS_BYTE_VALUES) != 0)
        field = "values";
    else if (base->memory != ours->memory || base->memory != theirs->memory)
        field = "memory";
    if (field != NULL)
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "the versions differ in %s", field);
    return field == NULL;
}

static const pqt_map *
merge_maps(const pqt_map *base, const pqt_map *ours, const pqt_map *theirs,
           const pqt_map_merge_options *options, pqt_error *error)
{
    map_merger m = {{{base->memory, NULL, base->kinds}, NULL}, options, error};
    const three roots = {trie_slice_of(base->root), trie_slice_of(ours->root),
                         trie_slice_of(theirs->root)};
    pqt_map merged = {.memory = base->memory, .kinds = base->kinds};
    if (!merge_slices(&m, &roots, 0, &merged.root))
        return NULL;
    merged.fingerprint = pqti_map_sum_of_block(merged.root);
    const pqt_map *given[] = {ours, theirs, base};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (pqti_map_equals(&merged, given[i]))
            return given[i];
    return pqti_map_of(base->memory, base->kinds, merged.root, error);
}

const pqt_map *
pqt_map_merge(const pqt_map *base, const pqt_map *ours, const pqt_map *theirs,
              const pqt_map_merge_options *options, pqt_error *error)
{
    pqt_map_merge_options converted;
    if (!pqti_map_check_input(base, error) || !pqti_map_check_input(ours, error) ||
        !pqti_map_check_input(theirs, error) || !may_merge(base, ours, theirs, error))
        return NULL;
    options = pqti_options_read(&pqti_map_merge_options_layout, options, &converted, error);
    /* The callback may reclaim versions, so a scope must be open. */
    if (options == NULL || !pqt_scope_begin(base->memory, error))
        return NULL;
    const pqt_map *merged = merge_maps(base, ours, theirs, options, error);
    pqt_scope_end(base->memory);
    return merged;
}
