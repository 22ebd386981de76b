/* SPDX-License-Identifier: MIT */
/*
 * shim.c: memory, errors, trees and histories for lib/core.js, lib/tree.js and lib/history.js.
 * shim.h describes the conventions.
 */
#include "shim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory/memory_internal.h"

/* Ids that doubles represent without ambiguity: below 2^53. */
#define DOUBLE_IDS 9007199254740992.0

pqt_error failure;
pqt_memory *heap;
char *buffer;
size_t buffer_size;
static size_t heap_limit; /* in bytes; 0: no limit */
static size_t heap_bytes; /* the bytes of the heap's chunks */
static size_t written;    /* the bytes of the buffer that append has filled */

/* ---- Errors ---- */

/* Returns the error and clears it. The status has 32 bits, and the text is at offset 8. */
const pqt_error *
EXPORT(pqtjs_error)(void)
{
    static pqt_error taken;
    taken = failure;
    failure = (pqt_error){0};
    return &taken;
}

/* ---- Memory ---- */

static void *
take(size_t bytes, size_t alignment, void *context)
{
    (void)context;
    if (heap_limit != 0 && (heap_bytes > heap_limit || bytes > heap_limit - heap_bytes))
        return NULL;
    void *memory = aligned_alloc(alignment, bytes);
    if (memory != NULL)
        heap_bytes += bytes;
    return memory;
}

static void
give_back(void *memory, size_t bytes, void *context)
{
    (void)context;
    heap_bytes -= bytes;
    free(memory);
}

pqt_memory *
memory_of_versions(void)
{
    if (heap == NULL) {
        pqt_heap_options options = PQT_HEAP_DEFAULTS;
        options.allocate = take;
        options.release = give_back;
        heap = pqt_heap_make(&options, &failure);
    }
    return heap;
}

void
EXPORT(pqtjs_set_limit)(double bytes)
{
    heap_limit = bytes >= (double)SIZE_MAX ? 0 : (size_t)bytes;
}

/* Writes to the buffer, of at least 24 bytes: the bytes of the heap, the used bytes, the pins. */
int32_t
EXPORT(pqtjs_memory)(int32_t reclaim)
{
    pqt_memory *memory = memory_of_versions();
    if (memory == NULL)
        return 0;
    if (reclaim)
        pqt_memory_reclaim(memory, PQT_RECLAIM_ALL);
    const pqt_memory_stats stats = pqt_memory_get_stats(memory);
    const double figures[3] = {(double)stats.bytes, (double)stats.used_bytes, (double)stats.pins};
    memcpy(buffer, figures, sizeof figures);
    return 1;
}

/* Makes the buffer at least this large. A buffer above 1 MiB shrinks when less is needed. */
void *
EXPORT(pqtjs_reserve)(double bytes)
{
    const size_t smallest = 65536, spare = 1048576;
    if (bytes <= (double)buffer_size && (buffer_size <= spare || bytes > (double)spare))
        return buffer;
    const size_t size = bytes < (double)smallest ? smallest : (size_t)bytes;
    char *larger = bytes < 2147483648.0 ? malloc(size) : NULL;
    if (larger == NULL) {
        fail(PQT_ERROR_MEMORY, "out of memory (arrays of a call)");
        return NULL;
    }
    free(buffer);
    buffer = larger;
    buffer_size = size;
    return buffer;
}

bool
extend(size_t bytes)
{
    if (bytes <= buffer_size)
        return true;
    const size_t size = bytes + bytes / 2;
    char *larger = size > bytes && size < INT32_MAX ? realloc(buffer, size) : NULL;
    if (larger == NULL) {
        fail(PQT_ERROR_MEMORY, "out of memory (results of a call)");
        return false;
    }
    buffer = larger;
    buffer_size = size;
    return true;
}

const void *
EXPORT(pqtjs_buffer)(void)
{
    return buffer;
}

/* ---- Handles ---- */

const void *
held_version(const pqt_pin *pin, pqt_kind kind)
{
    if (pin == NULL) {
        char freed[40];
        snprintf(freed, sizeof freed, "the %s was freed", pqt_kind_name(kind));
        fail(PQT_ERROR_MISMATCH, freed);
        return NULL;
    }
    if (pqti_pin_kind(pin) != kind)
        __builtin_trap();
    return pqti_pinned(NULL, pin, kind);
}

const pqt_tree *
tree_of(const pqt_pin *pin)
{
    const uintptr_t address = (uintptr_t)pin;
    return address % 2 == 0 ? held_version(pin, PQT_KIND_TREE)
                            : pqt_draft_view((pqt_draft *)(address - 1));
}

/* Ends the scopes that a trap left open. While a scope is open, no memory is reclaimed. */
void
EXPORT(pqtjs_end_scopes)(void)
{
    while (heap != NULL && pqti_may_load(heap))
        pqt_scope_end(heap);
}

void
EXPORT(pqtjs_unpin)(pqt_pin *pin)
{
    pqt_unpin(&pin);
}

pqt_pin *
keep(pqt_pin *pin)
{
    if (heap != NULL)
        pqt_memory_reclaim(heap, PQT_RECLAIM_PACED);
    return pin;
}

bool
try_again(void)
{
    if (failure.status != PQT_ERROR_MEMORY || heap == NULL)
        return false;
    failure = (pqt_error){0};
    pqt_memory_reclaim(heap, PQT_RECLAIM_ALL);
    return true;
}

/* ---- Items ---- */

static bool
id_from(double number, uint64_t *id)
{
    if (!(number >= 0 && number < DOUBLE_IDS) || floor(number) != number) {
        fail(PQT_ERROR_OPTION,
             "an id must be an integer from 0 to 2^53 - 1, or a bigint below 2^64");
        return false;
    }
    *id = (uint64_t)number;
    return true;
}

/* The form in which the ids of a call are passed. */
enum { IDS_ARE_INDICES, IDS_ARE_32_BITS, IDS_ARE_64_BITS, IDS_ARE_DOUBLES };

static bool
read_id(const char *ids, int kind, size_t i, uint64_t *id)
{
    uint32_t word;
    double number;
    switch (kind) {
    case IDS_ARE_32_BITS:
        memcpy(&word, ids + i * sizeof word, sizeof word);
        *id = word;
        return true;
    case IDS_ARE_64_BITS:
        memcpy(id, ids + i * sizeof *id, sizeof *id);
        return true;
    case IDS_ARE_DOUBLES:
        memcpy(&number, ids + i * sizeof number, sizeof number);
        return id_from(number, id);
    default:
        *id = i;
        return true;
    }
}

/* Makes items in the buffer, which has room for `count` items, then `count` boxes, then the ids. */
static const pqt_item *
items_of_buffer(size_t count, int kind)
{
    pqt_item *items = (pqt_item *)buffer;
    const pqt_box *boxes = (const pqt_box *)(items + count);
    const char *ids = (const char *)(boxes + count);
    for (size_t i = 0; i < count; i++) {
        items[i].box = boxes[i];
        if (!read_id(ids, kind, i, &items[i].id))
            return NULL;
    }
    return items;
}

/* ---- Trees ---- */

pqt_pin *
EXPORT(pqtjs_tree_of)(size_t count, int ids, int capacity, int depth, int flags)
{
    const pqt_tree_options options =
        flat_tree_options(capacity, depth, flags, memory_of_versions());
    const pqt_item *items = items_of_buffer(count, ids);
    if (items == NULL)
        return NULL;
    RETURN_PINNED(tree, pqt_tree_of(items, count, &options, &failure));
}

pqt_pin *
EXPORT(pqtjs_tree_edit_all)(pqt_pin *pin, size_t count, int ids, int remove)
{
    const pqt_tree *tree = tree_of(pin);
    const pqt_item *items = items_of_buffer(count, ids);
    if (tree == NULL || items == NULL)
        return NULL;
    RETURN_PINNED(tree, remove ? pqt_tree_remove_all(tree, items, count, &failure)
                               : pqt_tree_insert_all(tree, items, count, &failure));
}

/* ---- Searches ---- */

/* Fills the buffer with the items that have a relation to a window, 40 bytes each, and returns
   their number; -1 on failure. */
int32_t
EXPORT(pqtjs_tree_items)(pqt_pin *pin, double min_x, double min_y, double max_x, double max_y,
                         int relation)
{
    const pqt_tree *tree = tree_of(pin);
    pqt_query query;
    if (tree == NULL ||
        !flat_query((pqt_box){{min_x, min_y}, {max_x, max_y}}, relation, 0, &query, &failure))
        return -1;
    size_t count =
        pqt_tree_collect(tree, &query, (pqt_item *)buffer, buffer_size / sizeof(pqt_item));
    if (count > buffer_size / sizeof(pqt_item)) {
        if (!extend(count * sizeof(pqt_item)))
            return -1;
        count = pqt_tree_collect(tree, &query, (pqt_item *)buffer, count);
    }
    return (int32_t)count;
}

/* Converts 64-bit ids to 32 bits in place. */
static bool
narrow(size_t count)
{
    const uint64_t *ids = (const uint64_t *)buffer;
    uint32_t *narrowed = (uint32_t *)buffer;
    for (size_t i = 0; i < count; i++) {
        const uint64_t id = ids[i];
        if (id > UINT32_MAX) {
            fail(PQT_ERROR_LIMIT, "an id is above 2^32 - 1: use 64-bit ids");
            return false;
        }
        memcpy(&narrowed[i], &(uint32_t){(uint32_t)id}, sizeof(uint32_t));
    }
    return true;
}

/* Like pqtjs_tree_items, but returns only ids, of 32 or 64 bits. */
int32_t
EXPORT(pqtjs_tree_search_ids)(pqt_pin *pin, double min_x, double min_y, double max_x, double max_y,
                              int relation, int bits)
{
    const pqt_tree *tree = tree_of(pin);
    pqt_query query;
    if (tree == NULL ||
        !flat_query((pqt_box){{min_x, min_y}, {max_x, max_y}}, relation, 0, &query, &failure))
        return -1;
    const size_t room = buffer_size / sizeof(uint64_t);
    size_t count = pqt_tree_collect_ids(tree, &query, (uint64_t *)buffer, room);
    if (count > room) {
        if (!extend(count * sizeof(uint64_t)))
            return -1;
        count = pqt_tree_collect_ids(tree, &query, (uint64_t *)buffer, count);
    }
    return bits == 32 && !narrow(count) ? -1 : (int32_t)count;
}

/* Fills the buffer with the items nearest to a finite box, 56 bytes each, with the distance after
   the item, and returns their number; -1 on failure. On the sphere, the box must be a point. */
int32_t
EXPORT(pqtjs_tree_nearest)(pqt_pin *pin, double min_x, double min_y, double max_x, double max_y,
                           double most, double distance, int on_sphere)
{
    _Static_assert(sizeof(pqt_near) == 56 && offsetof(pqt_near, distance) == 40, "as in tree.js");
    const pqt_tree *tree = tree_of(pin);
    if (tree == NULL)
        return -1;
    const size_t items = pqt_tree_count(tree);
    const size_t count = most < (double)items ? (size_t)most : items;
    if (!extend(count * sizeof(pqt_near)))
        return -1;
    pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
    options.max_distance = distance;
    const pqt_box from = {{min_x, min_y}, {max_x, max_y}};
    if (on_sphere != 0) {
        options.surface = PQT_SPHERE;
        if (!pqt_box_is_on_sphere(from)) {
            fail(PQT_ERROR_BOX, "the point is not on the sphere");
            return -1;
        }
    }
    return (int32_t)pqt_tree_nearest(tree, from, &options, (pqt_near *)buffer, count);
}

/* ---- Bytes ---- */

void
begin_append(void)
{
    written = 0;
}

bool
append(const void *bytes, size_t count)
{
    if (!extend(written + count))
        return false;
    memcpy(buffer + written, bytes, count);
    written += count;
    return true;
}

bool
flat_append(const void *bytes, size_t count, void *out)
{
    (void)out;
    return append(bytes, count);
}

int32_t
EXPORT(pqtjs_appended)(void)
{
    return (int32_t)written;
}

/* ---- Versions of any kind ---- */

const void *
version_of(int kind, const pqt_pin *pin)
{
    return held_version(pin, (pqt_kind)kind);
}

/* ---- Histories ---- */

bool
is_history(const pqt_history *history)
{
    if (history == NULL)
        fail(PQT_ERROR_MISMATCH, "the history was freed");
    return history != NULL;
}

void
EXPORT(pqtjs_history_destroy)(pqt_history *history)
{
    pqt_history_destroy(&history);
}
