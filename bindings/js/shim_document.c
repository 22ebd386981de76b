/* SPDX-License-Identifier: MIT */
/* shim_document.c: the functions that lib/document.js calls. shim_map.h describes answers to
   conflicts. */
#include "shim_map.h"

#include <stdlib.h>

/* ---- Parts ---- */

static const char *
take_text(const char **from)
{
    const size_t size = (size_t)take_word(from); /* including the terminating null */
    const char *text = *from;
    *from += (size + 7) / 8 * 8;
    return text;
}

/* Reads parts from the buffer: a kind, a handle, a name, and whether a tree keys it, and which. */
static bool
take_parts(pqt_part *parts, size_t count)
{
    const char *from = buffer;
    if (count > PQT_MAX_PARTS) {
        fail(PQT_ERROR_LIMIT, "a document has more than 16 parts");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const int kind = (int)take_word(&from);
        const pqt_pin *pin = (const pqt_pin *)(uintptr_t)take_word(&from);
        parts[i] = (pqt_part){.kind = (pqt_kind)kind, .version = version_of(kind, pin)};
        if (parts[i].version == NULL)
            return false;
        parts[i].name = take_text(&from);
        parts[i].keyed_by = take_word(&from) != 0 ? take_text(&from) : NULL;
    }
    return true;
}

pqt_pin *
EXPORT(pqtjs_document_make)(size_t count)
{
    pqt_part parts[PQT_MAX_PARTS];
    if (!take_parts(parts, count))
        return NULL;
    RETURN_PINNED(document, pqt_document_make(parts, count, &failure));
}

pqt_pin *
EXPORT(pqtjs_document_set)(pqt_pin *pin, size_t count)
{
    const pqt_document *document = document_of(pin);
    pqt_part parts[PQT_MAX_PARTS];
    if (document == NULL || !take_parts(parts, count))
        return NULL;
    RETURN_PINNED(document, pqt_document_set_parts(document, parts, count, &failure));
}

/* Fills the buffer with the parts: a kind, a name, whether it is keyed, and the name of the tree.
   Returns their number; -1 on failure. */
int32_t
EXPORT(pqtjs_document_parts)(pqt_pin *pin)
{
    const pqt_document *document = document_of(pin);
    if (document == NULL)
        return -1;
    const size_t count = pqt_document_count(document);
    begin_append();
    for (size_t i = 0; i < count; i++) {
        const pqt_part part = pqt_document_get_part(document, i);
        const bool keyed = part.keyed_by != NULL;
        if (!append_word((uint64_t)part.kind) || !append_string(part.name, strlen(part.name)) ||
            !append_word(keyed) || (keyed && !append_string(part.keyed_by, strlen(part.keyed_by))))
            return -1;
    }
    return (int32_t)count;
}

/* Returns a pin on the part with a given index. */
pqt_pin *
EXPORT(pqtjs_document_part)(pqt_pin *pin, size_t index)
{
    const pqt_document *document = document_of(pin);
    if (document == NULL)
        return NULL;
    const pqt_part part = pqt_document_get_part(document, index);
    return keep(pqt_version_pin(part.version, &failure));
}

static size_t
index_of(const pqt_document *document, const char *name)
{
    size_t index = 0;
    pqt_document_find(document, name, &index);
    return index;
}

/* ---- Differences ---- */

typedef struct document_diff {
    const pqt_document *before;
    int32_t count;
} document_diff;

static bool
append_change(const pqt_document_change *change, void *context)
{
    document_diff *diff = context;
    diff->count++;
    if (!append_word(index_of(diff->before, change->part)))
        return false;
    if (change->item != NULL)
        return append_word((uint64_t)change->item->kind) &&
               append(&change->item->item, sizeof change->item->item) &&
               append(&change->item->to, sizeof change->item->to);
    if (change->key == NULL)
        return true;
    const map_kinds kinds = kinds_of_map(change->before);
    return append_word(!kinds.ids) && append_word(!kinds.numbers) &&
           append_key(*change->key, kinds) && append_value(change->value, kinds) &&
           append_value(change->to_value, kinds);
}

/* Fills the buffer with the changes: the index of the part; for a tree, the kind, the item and the
   new box; for a map, the kinds of keys and values, the key, and the values before and after.
   Returns their number; -1 on failure. */
int32_t
EXPORT(pqtjs_document_diff)(pqt_pin *before, pqt_pin *after)
{
    const pqt_document *one = document_of(before), *other = document_of(after);
    if (one == NULL || other == NULL)
        return -1;
    document_diff diff = {one, 0};
    begin_append();
    return pqt_document_visit_diff(one, other, append_change, &diff, &failure) ? diff.count : -1;
}

/* ---- Merging ---- */

typedef struct document_merge {
    const pqt_document *base;
    answers answers;
    pqt_item *items; /* the items of the last answer, to be freed */
} document_merge;

static bool
append_items(const pqt_items *items)
{
    if (!append_word(items->count))
        return false;
    for (size_t i = 0; i < items->count; i++)
        if (!append(&items->items[i].box, sizeof items->items[i].box))
            return false;
    return true;
}

/* Writes the subject of a conflict, and sets its hash. */
static bool
append_conflict(const pqt_document_conflict *conflict, size_t part, uint64_t *hash)
{
    const pqt_conflict *item = conflict->item;
    const pqt_map_conflict *entry = conflict->entry;
    const pqt_pixel_box *pixels = conflict->pixels;
    const uint64_t seed = part * 8 + (uint64_t)conflict->kind;
    map_kinds kinds = {0};
    *hash = hash_of_conflict(0, &seed, sizeof seed);
    if (item != NULL)
        *hash = hash_of_conflict(*hash, &item->id, sizeof item->id);
    if (entry != NULL) {
        kinds = kinds_of_map(conflict->base);
        *hash = hash_of_key(*hash, entry->key, kinds);
    }
    if (pixels != NULL)
        *hash = hash_of_conflict(*hash, pixels, sizeof *pixels);
    if (!append_word(*hash) || !append_word((uint64_t)conflict->kind) || !append_word(part))
        return false;
    if (pixels != NULL) {
        const pqt_box box = {{pixels->min.x, pixels->min.y}, {pixels->max.x, pixels->max.y}};
        return append(&box, sizeof box);
    }
    if (item != NULL)
        return append_word(item->id) && append_items(&item->base) && append_items(&item->ours) &&
               append_items(&item->theirs);
    if (entry != NULL)
        return append_word(!kinds.ids) && append_word(!kinds.numbers) &&
               append_key(entry->key, kinds) && append_value(entry->base, kinds) &&
               append_value(entry->ours, kinds) && append_value(entry->theirs, kinds);
    return true;
}

/* Reads an answer: the number of items, and their boxes. */
static bool
take_items(document_merge *merge, const char *from, uint64_t id, pqt_items *items)
{
    const size_t count = (size_t)take_word(&from);
    free(merge->items);
    merge->items = malloc((count + 1) * sizeof *merge->items);
    if (merge->items == NULL) {
        fail(PQT_ERROR_MEMORY, "out of memory (answer to a conflict)");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(&merge->items[i].box, from + i * sizeof(pqt_box), sizeof(pqt_box));
        merge->items[i].id = id;
    }
    *items = (pqt_items){merge->items, count};
    return true;
}

static pqt_document_resolution
resolve(const pqt_document_conflict *conflict, pqt_document_answer *answer, void *context)
{
    document_merge *merge = context;
    uint64_t hash;
    if (!append_conflict(conflict, index_of(merge->base, conflict->part), &hash))
        return PQT_DOCUMENT_UNRESOLVED;
    int resolution;
    const char *payload = answer_to(&merge->answers, hash, &resolution);
    if (payload == NULL)
        return PQT_DOCUMENT_KEEP_OURS;
    if (resolution == PQT_DOCUMENT_KEEP_ANSWER) {
        if (conflict->item != NULL) {
            if (!take_items(merge, payload, conflict->item->id, &answer->items))
                return PQT_DOCUMENT_UNRESOLVED;
        } else if (conflict->entry != NULL) {
            answer->value = take_value(&payload, kinds_of_map(conflict->base));
        } else {
            const pqt_pin *pin = (const pqt_pin *)(uintptr_t)take_word(&payload);
            answer->version = version_of((int)conflict->part_kind, pin);
            if (answer->version == NULL)
                return PQT_DOCUMENT_UNRESOLVED;
        }
    }
    return (pqt_document_resolution)resolution;
}

static const pqt_document *
merge_documents(const pqt_document *const versions[3], bool strict, document_merge *merge)
{
    pqt_document_merge_options options = PQT_DOCUMENT_MERGE_DEFAULTS;
    options.resolve = strict ? NULL : resolve;
    options.context = merge;
    rewind_answers(&merge->answers);
    return pqt_document_merge(versions[0], versions[1], versions[2], &options, &failure);
}

static int32_t conflicts_of_documents;

/* Like pqtjs_map_merge. */
pqt_pin *
EXPORT(pqtjs_document_merge)(pqt_pin *base, pqt_pin *ours, pqt_pin *theirs, int strict,
                             size_t count, size_t bytes)
{
    const pqt_document *versions[3] = {document_of(base), document_of(ours), document_of(theirs)};
    if (versions[0] == NULL || versions[1] == NULL || versions[2] == NULL)
        return NULL;
    document_merge merge = {.base = versions[0]};
    if (!answers_from_buffer(&merge.answers, count, bytes))
        return NULL;
    const pqt_document *made = merge_documents(versions, strict != 0, &merge);
    if (made == NULL && try_again())
        made = merge_documents(versions, strict != 0, &merge);
    free(merge.answers.bytes);
    free(merge.items);
    conflicts_of_documents = merge.answers.conflicts;
    return keep(pqt_document_pin(made, &failure));
}

int32_t
EXPORT(pqtjs_document_conflicts)(void)
{
    return conflicts_of_documents;
}

VERSION_FUNCTIONS(document)
