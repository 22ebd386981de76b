/* SPDX-License-Identifier: MIT */
/* flat_documents.c: the calls for documents. */
#include "flat.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Parts ---- */

/* Reads parts, and returns whether all of them are there. */
static bool
take_parts(const char *words, size_t count, pqt_part parts[PQT_MAX_PARTS], pqt_error *error)
{
    flat_reader from = flat_read(words, FLAT_PART_WORDS * count);
    if (count > PQT_MAX_PARTS) {
        flat_fail(error, PQT_ERROR_LIMIT, 0, "a document has more than 16 parts");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const pqt_kind kind = (pqt_kind)flat_take_word(&from);
        const pqt_pin *pin = (const pqt_pin *)(uintptr_t)flat_take_word(&from);
        size_t size;
        if (pin == NULL) {
            char freed[40];
            snprintf(freed, sizeof freed, "the %s was freed", pqt_kind_name(kind));
            flat_fail(error, PQT_ERROR_MISMATCH, i, freed);
            return false;
        }
        parts[i].kind = pqt_pin_get_kind(pin);
        parts[i].version = pqt_pin_get_version(pin);
        parts[i].name = flat_take_string(&from, &size);
        parts[i].keyed_by = flat_take_string(&from, &size);
        if (size == 0)
            parts[i].keyed_by = NULL;
    }
    return true;
}

const pqt_document *
flat_document_make(const char *words, size_t count, pqt_error *error)
{
    pqt_part parts[PQT_MAX_PARTS];
    return take_parts(words, count, parts, error) ? pqt_document_make(parts, count, error) : NULL;
}

const pqt_document *
flat_document_set(const pqt_document *document, const char *words, size_t count, pqt_error *error)
{
    pqt_part parts[PQT_MAX_PARTS];
    return take_parts(words, count, parts, error)
               ? pqt_document_set_parts(document, parts, count, error)
               : NULL;
}

bool
flat_document_parts(const pqt_document *document, void *out, pqt_error *error)
{
    flat_writer to = {.out = out, .error = error};
    bool done = true;
    for (size_t i = 0; done && i < pqt_document_count(document); i++) {
        const pqt_part part = pqt_document_get_part(document, i);
        const char *keyed_by = part.keyed_by == NULL ? "" : part.keyed_by;
        done = flat_add_word(&to, (uint64_t)part.kind) &&
               flat_add_string(&to, part.name, strlen(part.name)) &&
               flat_add_string(&to, keyed_by, strlen(keyed_by));
    }
    return flat_end(&to, done);
}

const void *
flat_document_part(const pqt_document *document, const char *name, pqt_error *error)
{
    size_t index = 0;
    if (pqt_document_find(document, name, &index))
        return pqt_document_get_part(document, index).version;
    flat_fail(error, PQT_ERROR_MISMATCH, 0, "the document has no part with this name");
    return NULL;
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
    flat_writer to;
    const pqt_document *before;
} document_diff;

static bool
add_change(const pqt_document_change *change, void *context)
{
    document_diff *diff = context;
    flat_writer *to = &diff->to;
    if (!flat_add_word(to, index_of(diff->before, change->part)))
        return false;
    if (change->item != NULL)
        return flat_add_word(to, (uint64_t)change->item->kind) &&
               flat_add_words(to, &change->item->item, sizeof change->item->item) &&
               flat_add_words(to, &change->item->to, sizeof change->item->to);
    if (change->key == NULL)
        return true;
    const int kinds = flat_map_kinds(change->before);
    return flat_add_word(to, (uint64_t)kinds) && flat_add_key(to, *change->key, kinds) &&
           flat_add_value(to, change->value, kinds) && flat_add_value(to, change->to_value, kinds);
}

bool
flat_document_diff(const pqt_document *before, const pqt_document *after, void *out,
                   pqt_error *error)
{
    document_diff diff = {{.out = out, .error = error}, before};
    const bool done = pqt_document_visit_diff(before, after, add_change, &diff, error);
    return flat_end(&diff.to, done);
}

/* ---- Merging ---- */

typedef struct document_merge {
    flat_writer to;
    flat_answers answers;
    const pqt_document *base;
    pqt_item *items; /* the items of the last answer, to be freed */
} document_merge;

static bool
add_items(flat_writer *to, const pqt_items *items)
{
    bool done = flat_add_word(to, items->count);
    for (size_t i = 0; done && i < items->count; i++)
        done = flat_add_words(to, &items->items[i].box, sizeof items->items[i].box);
    return done;
}

/* Adds the subject of a conflict in a part, and sets its hash. */
static bool
add_conflict(flat_writer *to, const pqt_document_conflict *conflict, size_t part, uint64_t *hash)
{
    const pqt_conflict *item = conflict->item;
    const pqt_map_conflict *entry = conflict->entry;
    const pqt_pixel_box *pixels = conflict->pixels;
    const int kinds = entry == NULL ? 0 : flat_map_kinds(conflict->base);
    const uint64_t seed = part * 8 + (uint64_t)conflict->kind;
    *hash = flat_hash(0, &seed, sizeof seed);
    if (item != NULL)
        *hash = flat_hash(*hash, &item->id, sizeof item->id);
    if (entry != NULL)
        *hash = flat_key_hash(*hash, entry->key, kinds);
    if (pixels != NULL)
        *hash = flat_hash(*hash, pixels, sizeof *pixels);
    if (!flat_add_word(to, *hash) || !flat_add_word(to, (uint64_t)conflict->kind) ||
        !flat_add_word(to, part))
        return false;
    if (pixels != NULL) {
        const pqt_box box = {{pixels->min.x, pixels->min.y}, {pixels->max.x, pixels->max.y}};
        return flat_add_words(to, &box, sizeof box);
    }
    if (item != NULL)
        return flat_add_word(to, item->id) && add_items(to, &item->base) &&
               add_items(to, &item->ours) && add_items(to, &item->theirs);
    return entry == NULL ||
           (flat_add_word(to, (uint64_t)kinds) && flat_add_key(to, entry->key, kinds) &&
            flat_add_value(to, entry->base, kinds) && flat_add_value(to, entry->ours, kinds) &&
            flat_add_value(to, entry->theirs, kinds));
}

/* Sets the items of an answer, which is a byte string of boxes. */
static bool
take_items(document_merge *merge, const flat_decision *decision, uint64_t id, pqt_items *items)
{
    const size_t count = decision->size / sizeof(pqt_box);
    free(merge->items);
    merge->items = calloc(count + 1, sizeof *merge->items);
    if (merge->items == NULL) {
        flat_fail(merge->to.error, PQT_ERROR_MEMORY, 0, "out of memory (answer to a conflict)");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(&merge->items[i].box, decision->bytes + i * sizeof(pqt_box), sizeof(pqt_box));
        merge->items[i].id = id;
    }
    *items = (pqt_items){merge->items, count};
    return true;
}

static pqt_document_resolution
resolve_conflict(const pqt_document_conflict *conflict, pqt_document_answer *answer, void *context)
{
    document_merge *merge = context;
    uint64_t hash;
    if (!add_conflict(&merge->to, conflict, index_of(merge->base, conflict->part), &hash))
        return PQT_DOCUMENT_UNRESOLVED;
    const flat_decision decision = flat_decide(&merge->answers, hash);
    if (decision.resolution != PQT_DOCUMENT_KEEP_ANSWER)
        return (pqt_document_resolution)decision.resolution;
    if (conflict->entry != NULL)
        answer->value = flat_decided_value(&decision, flat_map_kinds(conflict->base));
    else if (conflict->item == NULL)
        answer->version = pqt_pin_get_version((const pqt_pin *)(uintptr_t)decision.number);
    else if (!take_items(merge, &decision, conflict->item->id, &answer->items))
        return PQT_DOCUMENT_UNRESOLVED;
    return PQT_DOCUMENT_KEEP_ANSWER;
}

const pqt_document *
flat_document_merge(const pqt_document *base, const pqt_document *ours, const pqt_document *theirs,
                    int otherwise, const char *answers, size_t count, void *out, pqt_error *error)
{
    document_merge merge = {
        {.out = out, .error = error}, {answers, count, 0, otherwise}, base, NULL};
    pqt_document_merge_options options = PQT_DOCUMENT_MERGE_DEFAULTS;
    options.resolve = otherwise == 0 ? NULL : resolve_conflict;
    options.context = &merge;
    const pqt_document *made = pqt_document_merge(base, ours, theirs, &options, error);
    free(merge.items);
    return flat_end(&merge.to, made != NULL) ? made : NULL;
}
