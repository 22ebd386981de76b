/* SPDX-License-Identifier: MIT */
/*
 * document_merge.c: performs three-way merges of documents.
 *
 * Each part is merged by the function for its kind. Before that, conflicts between items and
 * attributes are resolved. An item that one side removed has lost its attributes there too. If the
 * other side changed one of them, merging part by part would keep that attribute without its item.
 * So for each tree with keyed maps:
 *
 * 1. the ids that one side removed and the other changed, in the tree or in a map, are listed from
 *    the differences between the base and each side, and each conflict is resolved;
 * 2. each decision is applied to both sides, so that they agree on everything about the id;
 * 3. the sides are merged.
 *
 * A conflict between boxes may be resolved by removing the item. Then its entries are removed from
 * the maps afterwards.
 */
#include "config.h"

#include "document/document_internal.h"

#include <stdlib.h>
#include <string.h>

#include <pqt/diff.h>
#include <pqt/heap.h>

#include "base/error_internal.h"
#include "base/option_structs.h"

PQTI_DEFINE_OPTIONS(pqti_document_merge_options, pqt_document_merge_options, context,
                    PQT_DOCUMENT_MERGE_DEFAULTS);

typedef struct id_list {
    uint64_t *ids; /* in scratch memory */
    size_t count, capacity;
} id_list;

/* The three documents, and the parts that have been merged so far. */
typedef struct document_merger {
    const pqt_document *base, *ours, *theirs;
    const void *of_ours[PQT_MAX_PARTS]; /* our parts after the decisions on removed items */
    const void *of_theirs[PQT_MAX_PARTS];
    const void *merged[PQT_MAX_PARTS];
    const pqt_document_merge_options *options;
    size_t part;         /* the index of the part that is being merged */
    id_list conflicting; /* the ids with conflicts in the trees that key maps */
    pqt_error *error;
} document_merger;

/* A value that differs from all resolutions. */
enum { INVALID_RESOLUTION = 99 };

static bool
add_id(id_list *list, uint64_t id, pqt_error *error)
{
    uint64_t *ids = pqti_grow_scratch(list->ids, list->count, &list->capacity, 1, sizeof *ids);
    if (ids == NULL) {
        pqti_out_of_memory(error);
        return false;
    }
    list->ids = ids;
    list->ids[list->count++] = id;
    return true;
}

static int
compare_id(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static const char *
part_name(const document_merger *m)
{
    return pqti_part_name_at(m->base, m->part);
}

/* Calls the callback `resolve` and returns its resolution. `conflict` has the kind and what is set
   for it; the rest is added. */
static pqt_document_resolution
call_resolve(const document_merger *m, pqt_document_conflict conflict, pqt_document_answer *answer)
{
    *answer = (pqt_document_answer){.version = NULL};
    if (m->options->resolve == NULL)
        return PQT_DOCUMENT_UNRESOLVED;
    conflict.part = part_name(m);
    conflict.part_kind = pqti_part_kind_at(m->base, m->part);
    conflict.base = m->base->parts[m->part];
    conflict.ours = m->ours->parts[m->part];
    conflict.theirs = m->theirs->parts[m->part];
    return m->options->resolve(&conflict, answer, m->options->context);
}

/* ---- Items that one side removed and the other changed ---- */

typedef struct removal_list {
    id_list *list;
    pqt_error *error;
    bool failed;
} removal_list;

static bool
list_removal(const pqt_change *change, void *context)
{
    removal_list *removals = context;
    if (change->kind == PQT_REMOVE && !add_id(removals->list, change->item.id, removals->error))
        removals->failed = true;
    return !removals->failed;
}

/* Lists the ids that the base has and a version lacks. */
static bool
list_removals(document_merger *m, const void *side, id_list *list)
{
    removal_list removals = {list, m->error, false};
    pqt_error failure = {0};
    if (pqt_tree_visit_diff(m->base->parts[m->part], side, NULL, list_removal, &removals, &failure))
        return true;
    if (!removals.failed)
        pqti_part_failed(m->error, part_name(m), &failure);
    return false;
}

static bool
same_value(const pqt_map *map, const pqt_map_value *a, const pqt_map_value *b)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    pqt_map_get_options(map, &options);
    if (options.values == PQT_MAP_NUMBERS)
        return a->number == b->number;
    return a->size == b->size && (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}

static bool
same_entry(const pqt_map *a, const pqt_map *b, uint64_t id)
{
    pqt_map_value in_a, in_b;
    const bool has_a = pqt_map_find(a, pqt_map_id(id), &in_a);
    const bool has_b = pqt_map_find(b, pqt_map_id(id), &in_b);
    return a == b || (has_a == has_b && (!has_a || same_value(a, &in_a, &in_b)));
}

/* Returns true if a side changed the box or an attribute of an item of the base. */
static bool
changed_item(const document_merger *m, const pqt_document *side, uint64_t id)
{
    pqt_item was = {0}, is = {0};
    pqt_tree_find(m->base->parts[m->part], id, &was);
    if (!pqt_tree_find(side->parts[m->part], id, &is))
        return false; /* this side removed it too, so the sides agree */
    if (!pqt_item_equals(was, is))
        return true;
    for (size_t k = 0; k < m->base->schema->count; k++)
        if (pqti_is_keyed_by(m->base, k, m->part) &&
            !same_entry(m->base->parts[k], side->parts[k], id))
            return true;
    return false;
}

/* Keeps only the ids that a side changed. */
static void
keep_changed(const document_merger *m, const pqt_document *side, id_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (changed_item(m, side, list->ids[i]))
            list->ids[kept++] = list->ids[i];
    list->count = kept;
}

/* Returns the boxes that an id has in the three documents. */
static pqt_items
items_of(const pqt_document *document, size_t part, uint64_t id, pqt_item *room)
{
    const bool has = pqt_tree_find(document->parts[part], id, room);
    return (pqt_items){has ? room : NULL, has};
}

static bool
has_no_resolution(const document_merger *m, uint64_t id, pqt_document_resolution resolution)
{
    if (resolution == PQT_DOCUMENT_UNRESOLVED)
        pqti_error_set(m->error, PQT_ERROR_CONFLICT, 0,
                       "%s: one side removed id %llu, and the other changed it", part_name(m),
                       (unsigned long long)id);
    else
        pqti_error_set(m->error, PQT_ERROR_CALLBACK, 0,
                       "%s: resolution %d does not apply to the removed id %llu", part_name(m),
                       (int)resolution, (unsigned long long)id);
    return false;
}

/* Sets *kept to the document from which both sides take the item of an id and its attributes, or to
   NULL if both sides remove them. */
static bool
decide_removed_item(const document_merger *m, uint64_t id, const pqt_document **kept)
{
    pqt_item room[3];
    pqt_document_answer answer;
    const pqt_conflict conflict = {.id = id,
                                   .base = items_of(m->base, m->part, id, &room[0]),
                                   .ours = items_of(m->ours, m->part, id, &room[1]),
                                   .theirs = items_of(m->theirs, m->part, id, &room[2])};
    const pqt_document_resolution resolution = call_resolve(
        m, (pqt_document_conflict){.kind = PQT_CONFLICT_REMOVED_ITEM, .item = &conflict}, &answer);
    *kept = NULL;
    if (resolution == PQT_DOCUMENT_KEEP_OURS)
        *kept = m->ours;
    else if (resolution == PQT_DOCUMENT_KEEP_THEIRS)
        *kept = m->theirs;
    else if (resolution == PQT_DOCUMENT_KEEP_BASE)
        *kept = m->base;
    else if (resolution != PQT_DOCUMENT_KEEP_NEITHER)
        return has_no_resolution(m, id, resolution);
    return true;
}

/* Decisions on removed items, and room for the changes that apply them. The arrays are in scratch
   memory. */
typedef struct decision_list {
    const uint64_t *ids; /* the ids, in ascending order */
    size_t count;
    const pqt_document **kept; /* for each id, the result of decide_removed_item */
    pqt_change *changes;
    pqt_map_change *map_changes;
} decision_list;

static bool
alloc_decisions(decision_list *list, pqt_error *error)
{
    list->kept = pqti_alloc_scratch(list->count, sizeof *list->kept);
    list->changes = pqti_alloc_scratch(list->count, sizeof *list->changes);
    list->map_changes = pqti_alloc_scratch(list->count, sizeof *list->map_changes);
    if (list->kept != NULL && list->changes != NULL && list->map_changes != NULL)
        return true;
    pqti_out_of_memory(error);
    return false;
}

/* Applies the decisions to the current tree on both sides. */
static bool
apply_to_tree(document_merger *m, const decision_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        pqt_item item = {.id = list->ids[i]};
        const bool has = list->kept[i] != NULL &&
                         pqt_tree_find(list->kept[i]->parts[m->part], list->ids[i], &item);
        list->changes[i] = (pqt_change){.kind = has ? PQT_INSERT : PQT_REMOVE_ID, .item = item};
    }
    const void **ours = &m->of_ours[m->part], **theirs = &m->of_theirs[m->part];
    *ours = pqt_tree_apply(*ours, list->changes, list->count, m->error);
    *theirs = pqt_tree_apply(*theirs, list->changes, list->count, m->error);
    return *ours != NULL && *theirs != NULL;
}

/* Applies the decisions to a map that is keyed by the current tree, on both sides. */
static bool
apply_to_map(document_merger *m, size_t map, const decision_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const bool has = list->changes[i].kind == PQT_INSERT;
        pqt_map_change *change = &list->map_changes[i];
        *change = (pqt_map_change){.kind = PQT_MAP_REMOVE, .key = pqt_map_id(list->ids[i])};
        if (has && pqt_map_find(list->kept[i]->parts[map], change->key, &change->value))
            change->kind = PQT_MAP_INSERT;
    }
    const void **ours = &m->of_ours[map], **theirs = &m->of_theirs[map];
    *ours = pqt_map_apply(*ours, list->map_changes, list->count, m->error);
    *theirs = pqt_map_apply(*theirs, list->map_changes, list->count, m->error);
    return *ours != NULL && *theirs != NULL;
}

static bool
apply_decisions(document_merger *m, const decision_list *list)
{
    if (!apply_to_tree(m, list))
        return false;
    for (size_t k = 0; k < m->base->schema->count; k++)
        if (pqti_is_keyed_by(m->base, k, m->part) && !apply_to_map(m, k, list))
            return false;
    return true;
}

/* Makes a decision for each id, and applies all decisions to each part in one batch. */
static bool
decide_ids(document_merger *m, const id_list *ids)
{
    decision_list list = {.ids = ids->ids, .count = ids->count};
    if (list.count == 0)
        return true;
    bool done = alloc_decisions(&list, m->error);
    for (size_t i = 0; done && i < list.count; i++)
        done = decide_removed_item(m, list.ids[i], &list.kept[i]);
    done = done && apply_decisions(m, &list);
    pqti_free_scratch(list.kept);
    pqti_free_scratch(list.changes);
    pqti_free_scratch(list.map_changes);
    return done;
}

/* Decides, in ascending order of id, whether to keep each item that one side removed from a tree
   and the other changed. */
static bool
decide_removed_items(document_merger *m)
{
    id_list by_ours = {.count = 0}, by_theirs = {.count = 0};
    bool done = list_removals(m, m->ours->parts[m->part], &by_ours) &&
                list_removals(m, m->theirs->parts[m->part], &by_theirs);
    if (done) {
        keep_changed(m, m->theirs, &by_ours);
        keep_changed(m, m->ours, &by_theirs);
    }
    for (size_t i = 0; done && i < by_theirs.count; i++)
        done = add_id(&by_ours, by_theirs.ids[i], m->error);
    if (done && by_ours.count > 0)
        qsort(by_ours.ids, by_ours.count, sizeof *by_ours.ids, compare_id);
    done = done && decide_ids(m, &by_ours);
    pqti_free_scratch(by_ours.ids);
    pqti_free_scratch(by_theirs.ids);
    return done;
}

/* ---- Trees ---- */

static pqt_resolution
resolve_item(const pqt_conflict *conflict, pqt_items *answer, void *context)
{
    document_merger *m = context;
    pqt_document_answer given;
    if (pqti_has_keyed_maps(m->base, m->part) && !add_id(&m->conflicting, conflict->id, m->error))
        return PQT_UNRESOLVED;
    switch (call_resolve(m, (pqt_document_conflict){.kind = PQT_CONFLICT_ITEM, .item = conflict},
                         &given)) {
    case PQT_DOCUMENT_UNRESOLVED:
        return PQT_UNRESOLVED;
    case PQT_DOCUMENT_KEEP_OURS:
        return PQT_KEEP_OURS;
    case PQT_DOCUMENT_KEEP_THEIRS:
        return PQT_KEEP_THEIRS;
    case PQT_DOCUMENT_KEEP_NEITHER:
        return PQT_KEEP_NEITHER;
    case PQT_DOCUMENT_KEEP_BASE:
        return PQT_KEEP_BASE;
    case PQT_DOCUMENT_KEEP_BOTH:
        return PQT_KEEP_BOTH;
    case PQT_DOCUMENT_KEEP_ANSWER:
        *answer = given.items;
        return PQT_KEEP_ITEMS;
    }
    return (pqt_resolution)INVALID_RESOLUTION;
}

static bool
merge_tree(document_merger *m)
{
    pqt_error failure = {0};
    pqt_merge_options options = PQT_MERGE_DEFAULTS;
    options.resolve = resolve_item;
    options.context = m;
    if (pqti_has_keyed_maps(m->base, m->part) && !decide_removed_items(m))
        return false;
    m->merged[m->part] = pqt_tree_merge(m->base->parts[m->part], m->of_ours[m->part],
                                        m->of_theirs[m->part], &options, &failure);
    if (m->merged[m->part] == NULL)
        pqti_part_failed(m->error, part_name(m), &failure);
    return m->merged[m->part] != NULL;
}

/* ---- Maps ---- */

/* Returns the merged tree that keys the current map, or NULL if no tree keys it. */
static const pqt_tree *
key_tree(const document_merger *m)
{
    const uint8_t tree = m->base->schema->parts[m->part].keyed_by;
    return tree == PQTI_NOT_KEYED ? NULL : m->merged[tree];
}

static pqt_map_resolution
resolve_entry(const pqt_map_conflict *conflict, pqt_map_value *answer, void *context)
{
    const document_merger *m = context;
    pqt_document_answer given;
    if (key_tree(m) != NULL && !pqt_tree_find(key_tree(m), conflict->key.id, NULL))
        return PQT_MAP_KEEP_NEITHER;
    switch (call_resolve(m, (pqt_document_conflict){.kind = PQT_CONFLICT_ENTRY, .entry = conflict},
                         &given)) {
    case PQT_DOCUMENT_UNRESOLVED:
        return PQT_MAP_UNRESOLVED;
    case PQT_DOCUMENT_KEEP_OURS:
        return PQT_MAP_KEEP_OURS;
    case PQT_DOCUMENT_KEEP_THEIRS:
        return PQT_MAP_KEEP_THEIRS;
    case PQT_DOCUMENT_KEEP_NEITHER:
        return PQT_MAP_KEEP_NEITHER;
    case PQT_DOCUMENT_KEEP_BASE:
        return PQT_MAP_KEEP_BASE;
    case PQT_DOCUMENT_KEEP_ANSWER:
        *answer = given.value;
        return PQT_MAP_KEEP_VALUE;
    case PQT_DOCUMENT_KEEP_BOTH:
        break;
    }
    return (pqt_map_resolution)INVALID_RESOLUTION;
}

/* Returns the merged map without the entries of ids with conflicts whose items are gone. */
static const pqt_map *
without_conflicting(const document_merger *m, const pqt_map *map)
{
    if (key_tree(m) == NULL || m->conflicting.count == 0)
        return map;
    pqt_map_change *changes = pqti_alloc_scratch(m->conflicting.count, sizeof *changes);
    if (changes == NULL) {
        pqti_out_of_memory(m->error);
        return NULL;
    }
    size_t count = 0;
    for (size_t i = 0; i < m->conflicting.count; i++)
        if (!pqt_tree_find(key_tree(m), m->conflicting.ids[i], NULL))
            changes[count++] =
                (pqt_map_change){.kind = PQT_MAP_REMOVE, .key = pqt_map_id(m->conflicting.ids[i])};
    map = pqt_map_apply(map, changes, count, m->error);
    pqti_free_scratch(changes);
    return map;
}

static bool
merge_map(document_merger *m)
{
    pqt_error failure = {0};
    pqt_map_merge_options options = PQT_MAP_MERGE_DEFAULTS;
    options.resolve = resolve_entry;
    options.context = m;
    const pqt_map *map = pqt_map_merge(m->base->parts[m->part], m->of_ours[m->part],
                                       m->of_theirs[m->part], &options, &failure);
    if (map == NULL)
        pqti_part_failed(m->error, part_name(m), &failure);
    m->merged[m->part] = map == NULL ? NULL : without_conflicting(m, map);
    return m->merged[m->part] != NULL;
}

/* ---- Regions and images ---- */

/* The merge of the current part, and the resolution that does not apply to pixels. */
typedef struct pixel_merge {
    const document_merger *merger;
    bool is_refused;
} pixel_merge;

static pqti_pixel_side
resolve_pixels(const struct pqt_pixel_box *box, void *context)
{
    pixel_merge *merge = context;
    pqt_document_answer answer;
    switch (call_resolve(merge->merger,
                         (pqt_document_conflict){.kind = PQT_CONFLICT_PIXELS, .pixels = box},
                         &answer)) {
    case PQT_DOCUMENT_UNRESOLVED:
        return PQTI_PIXELS_UNDECIDED;
    case PQT_DOCUMENT_KEEP_OURS:
        return PQTI_PIXELS_OURS;
    case PQT_DOCUMENT_KEEP_THEIRS:
        return PQTI_PIXELS_THEIRS;
    case PQT_DOCUMENT_KEEP_BASE:
        return PQTI_PIXELS_BASE;
    case PQT_DOCUMENT_KEEP_NEITHER:
    case PQT_DOCUMENT_KEEP_BOTH:
    case PQT_DOCUMENT_KEEP_ANSWER:
        break;
    }
    merge->is_refused = true;
    return PQTI_PIXELS_UNDECIDED;
}

/* Merges the current part pixel by pixel, and sets `*merged` to whether that succeeded. Returns
 * false if it has no pixels, or if the sizes differ. */
static bool
merge_by_pixel(document_merger *m, bool *merged)
{
    const void *base = m->base->parts[m->part], *ours = m->ours->parts[m->part],
               *theirs = m->theirs->parts[m->part];
    pixel_merge merge = {m, false};
    pqt_error failure = {0};
    const pqti_kind_calls *calls = pqti_calls_of(base);
    if (calls->merge_pixels == NULL)
        return false;
    m->merged[m->part] = calls->merge_pixels(base, ours, theirs, resolve_pixels, &merge, &failure);
    *merged = m->merged[m->part] != NULL;
    if (failure.status == PQT_ERROR_MISMATCH)
        return false;
    if (merge.is_refused)
        pqti_error_set(m->error, PQT_ERROR_CALLBACK, 0,
                       "%s: the resolution does not apply to pixels", part_name(m));
    else if (!*merged)
        pqti_part_failed(m->error, part_name(m), &failure);
    return true;
}

/* ---- Parts that conflict as a whole ---- */

/* Sets the current part according to a resolution. */
static bool
take_part(document_merger *m, pqt_document_resolution resolution, const void *answer)
{
    const pqt_kind kind = pqti_part_kind_at(m->base, m->part);
    const void *taken = resolution == PQT_DOCUMENT_KEEP_OURS     ? m->ours->parts[m->part]
                        : resolution == PQT_DOCUMENT_KEEP_THEIRS ? m->theirs->parts[m->part]
                        : resolution == PQT_DOCUMENT_KEEP_BASE   ? m->base->parts[m->part]
                        : resolution == PQT_DOCUMENT_KEEP_ANSWER ? answer
                                                                 : NULL;
    if (resolution == PQT_DOCUMENT_UNRESOLVED) {
        pqti_error_set(m->error, PQT_ERROR_CONFLICT, 0, "%s: both sides changed the %s",
                       part_name(m), pqt_kind_name(kind));
        return false;
    }
    pqti_assert_kind("pqt_document_merge", kind, taken);
    if (taken == NULL || pqti_memory_of(taken) != m->base->memory) {
        pqti_error_set(m->error, PQT_ERROR_CALLBACK, 0,
                       taken == NULL ? "%s: the resolution does not apply to the %s"
                                     : "%s: the %s that resolves it is in another memory",
                       part_name(m), pqt_kind_name(kind));
        return false;
    }
    m->merged[m->part] = taken;
    return true;
}

static bool
merge_whole(document_merger *m)
{
    const void *base = m->base->parts[m->part], *ours = m->ours->parts[m->part],
               *theirs = m->theirs->parts[m->part];
    pqt_document_answer answer;
    if (pqti_equals(base, theirs) || pqti_equals(ours, theirs)) {
        m->merged[m->part] = ours;
        return true;
    }
    if (pqti_equals(base, ours)) {
        m->merged[m->part] = theirs;
        return true;
    }
    bool merged;
    if (merge_by_pixel(m, &merged))
        return merged;
    const pqt_document_resolution resolution =
        call_resolve(m, (pqt_document_conflict){.kind = PQT_CONFLICT_PART}, &answer);
    return take_part(m, resolution, answer.version);
}

/* ---- Documents ---- */

static bool
merge_part(document_merger *m)
{
    return pqti_is_tree(m->base, m->part)  ? merge_tree(m)
           : pqti_is_map(m->base, m->part) ? merge_map(m)
                                           : merge_whole(m);
}

/* Replaces the merged part with a part that equals it, so that the result shares that part. Tries
   `ours`, `theirs` and `base` in this order. */
static void
prefer_given_part(document_merger *m)
{
    const void *const given[] = {m->ours->parts[m->part], m->theirs->parts[m->part],
                                 m->base->parts[m->part]};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (pqti_equals(m->merged[m->part], given[i])) {
            m->merged[m->part] = given[i];
            return;
        }
}

/* Merges either the trees or all other parts. */
static bool
merge_parts(document_merger *m, bool trees)
{
    for (m->part = 0; m->part < m->base->schema->count; m->part++) {
        if (pqti_is_tree(m->base, m->part) != trees)
            continue;
        if (!merge_part(m))
            return false;
        prefer_given_part(m);
    }
    return true;
}

/* Returns true if each merged part is that of a given document, or equals it. */
static bool
is_merged(const document_merger *m, const pqt_document *document)
{
    for (size_t i = 0; i < document->schema->count; i++)
        if (!pqti_equals(m->merged[i], document->parts[i]))
            return false;
    return true;
}

static const pqt_document *
merged_document(const document_merger *m)
{
    if (is_merged(m, m->ours))
        return m->ours;
    if (is_merged(m, m->theirs))
        return m->theirs;
    return is_merged(m, m->base) ? m->base : pqti_document_next(m->ours, m->merged, m->error);
}

static bool
check_mergeable(const pqt_document *base, const pqt_document *side, pqt_error *error)
{
    if (!pqti_check_schemas(base, side, error))
        return false;
    if (base->memory != side->memory) {
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0,
                       "memory: the documents are in different memories");
        return false;
    }
    for (size_t i = 0; i < base->schema->count; i++)
        if (pqti_is_map(base, i) && !pqti_check_map_kinds(pqti_part_name_at(base, i),
                                                          base->parts[i], side->parts[i], error))
            return false;
    return true;
}

const pqt_document *
pqt_document_merge(const pqt_document *base, const pqt_document *ours, const pqt_document *theirs,
                   const pqt_document_merge_options *options, pqt_error *error)
{
    pqt_document_merge_options converted;
    pqt_error own = {0};
    if (!pqti_document_check_input(base, error) || !pqti_document_check_input(ours, error) ||
        !pqti_document_check_input(theirs, error))
        return NULL;
    if (error == NULL)
        error = &own; /* a callback reports its failures in it */
    options = pqti_options_read(&pqti_document_merge_options_layout, options, &converted, error);
    document_merger m = {
        .base = base, .ours = ours, .theirs = theirs, .options = options, .error = error};
    /* The callback may reclaim versions, so a scope must be open. */
    if (options == NULL || !check_mergeable(base, ours, error) ||
        !check_mergeable(base, theirs, error) || !pqt_scope_begin(base->memory, error))
        return NULL;
    const size_t size = base->schema->count * sizeof *m.merged;
    memcpy(m.of_ours, ours->parts, size);
    memcpy(m.of_theirs, theirs->parts, size);
    const pqt_document *merged =
        merge_parts(&m, true) && merge_parts(&m, false) ? merged_document(&m) : NULL;
    pqt_scope_end(base->memory);
    pqti_free_scratch(m.conflicting.ids);
    return merged;
}
