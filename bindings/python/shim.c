/* SPDX-License-Identifier: MIT */
/*
 * shim.c: memory, trees, and the functions for versions of all kinds, for the Python package.
 *
 * cffi releases the global interpreter lock during each call, so every function here may run in
 * several threads at once. The caller's arrays are copied before they are checked, because another
 * thread may write to them meanwhile.
 */
#include "shim.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory ---- */

pqt_memory *heap;
static pqt_error heap_error;
static pthread_once_t heap_once = PTHREAD_ONCE_INIT;

static void
make_heap(void)
{
    heap = pqt_heap_make(NULL, &heap_error);
}

bool
has_heap(pqt_error *error)
{
    pthread_once(&heap_once, make_heap);
    if (heap == NULL)
        *error = heap_error;
    return heap != NULL;
}

pqt_memory *
begin_scope(pqt_error *error)
{
    return has_heap(error) && pqt_scope_begin(heap, error) ? heap : NULL;
}

void
pqtpy_free(pqtpy_bytes *bytes)
{
    free(bytes->data);
    *bytes = (pqtpy_bytes){0};
}

/* Writes three numbers: the bytes of the heap, the used bytes, and the number of pins. */
bool
pqtpy_memory(bool reclaim, uint64_t *figures, pqt_error *error)
{
    if (!has_heap(error))
        return false;
    if (reclaim)
        pqt_memory_reclaim(heap, PQT_RECLAIM_ALL);
    const pqt_memory_stats stats = pqt_memory_get_stats(heap);
    figures[0] = stats.bytes;
    figures[1] = stats.used_bytes;
    figures[2] = stats.pins;
    return true;
}

void
reclaim_paced(void)
{
    if (heap != NULL)
        pqt_memory_reclaim(heap, PQT_RECLAIM_PACED);
}

bool
retry_call(bool done, bool again, pqt_error *error)
{
    if (done || again || error->status != PQT_ERROR_MEMORY) {
        reclaim_paced();
        return false;
    }
    *error = (pqt_error){0};
    pqt_memory_reclaim(heap, PQT_RECLAIM_ALL);
    return true;
}

bool
reserve(pqtpy_bytes *bytes, size_t more, pqt_error *error)
{
    if (more <= bytes->capacity - bytes->size)
        return true;
    const size_t need = bytes->size + more, spare = need / 2;
    const size_t capacity = need + spare;
    char *larger = need >= more && capacity >= need ? realloc(bytes->data, capacity) : NULL;
    if (larger == NULL) {
        fail(error, PQT_ERROR_MEMORY, 0, "out of memory (results of a call)");
        return false;
    }
    bytes->data = larger;
    bytes->capacity = capacity;
    return true;
}

bool
append(pqtpy_bytes *bytes, const void *data, size_t count, pqt_error *error)
{
    if (!reserve(bytes, count, error))
        return false;
    if (count > 0) /* `data` may be NULL otherwise */
        memcpy(bytes->data + bytes->size, data, count);
    bytes->size += count;
    return true;
}

void *
make_array(size_t count, size_t size, pqt_error *error)
{
    void *array = calloc(count == 0 ? 1 : count, size);
    if (array == NULL)
        fail(error, PQT_ERROR_MEMORY, 0, "out of memory (arguments of a call)");
    return array;
}

pqt_box
box_of(const double *numbers)
{
    return (pqt_box){{numbers[0], numbers[1]}, {numbers[2], numbers[3]}};
}

/* ---- Drafts ---- */

const pqt_tree *
tree_to_read(const pqt_pin *pin)
{
    const uintptr_t address = (uintptr_t)pin; /* the address of a pin is even */
    return address % 2 == 0 ? pqt_pin_get_tree(pin) : pqt_draft_view((pqt_draft *)(address - 1));
}

const pqt_map *
map_to_read(const pqt_pin *pin)
{
    const uintptr_t address = (uintptr_t)pin;
    return address % 2 == 0 ? pqt_pin_get_map(pin)
                            : pqt_map_draft_view((pqt_map_draft *)(address - 1));
}

const pqtpy_tree *
pqtpy_draft_view(pqt_draft *draft)
{
    return (const pqt_pin *)((uintptr_t)draft + 1);
}

const pqtpy_map *
pqtpy_map_draft_view(pqt_map_draft *draft)
{
    return (const pqt_pin *)((uintptr_t)draft + 1);
}

/* ---- Trees ---- */

static const pqt_tree *
tree_of_arrays(const double *boxes, const uint64_t *ids, size_t count, int capacity, int depth,
               int flags, pqt_error *error)
{
    pqt_item *items = make_array(count, sizeof *items, error);
    if (items == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        items[i] = (pqt_item){box_of(boxes + 4 * i), ids == NULL ? i : ids[i]};
    const pqt_tree_options options = flat_tree_options(capacity, depth, flags, heap);
    const pqt_tree *tree = pqt_tree_of(items, count, &options, error);
    free(items);
    return tree;
}

/* Makes a tree from items; if `ids` is NULL, their indices are the ids. */
pqt_pin *
pqtpy_tree_of(const double *boxes, const uint64_t *ids, size_t count, int capacity, int depth,
              int flags, pqt_error *error)
{
    RETURN_PINNED(tree, tree_of_arrays(boxes, ids, count, capacity, depth, flags, error));
}

/* ---- Searches ---- */

/* Writes five figures: items, nodes, leaves, depth, bytes. */
void
pqtpy_tree_stats(const pqt_pin *pin, uint64_t *figures)
{
    const pqt_tree_stats stats = pqt_tree_get_stats(tree_to_read(pin));
    figures[0] = stats.items;
    figures[1] = stats.nodes;
    figures[2] = stats.leaves;
    figures[3] = stats.depth;
    figures[4] = stats.bytes;
}

/* Returns the number of items that match; PQTPY_REFUSED if the window contains NaN or is inverted.
   Writes as many ids as fit. */
size_t
pqtpy_tree_ids_in(const pqt_pin *pin, double min_x, double min_y, double max_x, double max_y,
                  int relation, uint64_t *ids, size_t capacity)
{
    pqt_query query;
    if (!flat_query((pqt_box){{min_x, min_y}, {max_x, max_y}}, relation, 0, &query, NULL))
        return PQTPY_REFUSED;
    return pqt_tree_collect_ids(tree_to_read(pin), &query, ids, capacity);
}

/* Fills `items` with the items that match, 40 bytes each. If `window` is NULL, all items match. */
bool
pqtpy_tree_items_in(const pqt_pin *pin, const double *window, int relation, pqtpy_bytes *items,
                    pqt_error *error)
{
    _Static_assert(sizeof(pqt_item) == 40 && offsetof(pqt_item, id) == 32, "as in _core.py");
    const pqt_tree *tree = tree_to_read(pin);
    pqt_query query = pqt_query_all();
    if (window != NULL && !flat_query(box_of(window), relation, 0, &query, error))
        return false;
    const size_t count = pqt_tree_count_in(tree, &query);
    if (count > SIZE_MAX / sizeof(pqt_item) || !reserve(items, count * sizeof(pqt_item), error)) {
        fail(error, PQT_ERROR_MEMORY, 0, "out of memory (results of a call)");
        return false;
    }
    pqt_tree_collect(tree, &query, (pqt_item *)items->data, count);
    items->size = count * sizeof(pqt_item);
    return true;
}

/* Appends the ids of the items in each window. The ids for window i begin at offsets[i] and end at
   offsets[i + 1]. */
bool
pqtpy_tree_ids_in_each(const pqt_pin *pin, const double *windows, size_t count, int relation,
                       uint64_t *offsets, pqtpy_bytes *ids, pqt_error *error)
{
    const pqt_tree *tree = tree_to_read(pin);
    offsets[0] = 0;
    for (size_t i = 0; i < count; i++) {
        pqt_query query;
        if (!flat_query(box_of(windows + 4 * i), relation, i, &query, error))
            return false;
        for (;;) {
            const size_t room = (ids->capacity - ids->size) / sizeof(uint64_t);
            uint64_t *next = ids->data == NULL ? NULL : (uint64_t *)(ids->data + ids->size);
            const size_t found = pqt_tree_collect_ids(tree, &query, next, room);
            if (found <= room) {
                ids->size += found * sizeof(uint64_t);
                break;
            }
            if (!reserve(ids, found * sizeof(uint64_t), error))
                return false;
        }
        offsets[i + 1] = ids->size / sizeof(uint64_t);
    }
    return true;
}

bool
pqtpy_tree_count_in_each(const pqt_pin *pin, const double *windows, size_t count, int relation,
                         uint64_t *counts, pqt_error *error)
{
    const pqt_tree *tree = tree_to_read(pin);
    for (size_t i = 0; i < count; i++) {
        pqt_query query;
        if (!flat_query(box_of(windows + 4 * i), relation, i, &query, error))
            return false;
        counts[i] = pqt_tree_count_in(tree, &query);
    }
    return true;
}

/* Finds the items nearest to a box, or to a point on the sphere; SIZE_MAX on failure. Reports an
   invalid box with `index`. */
static size_t
find_nearest(const pqt_tree *tree, pqt_box from, double distance, bool on_sphere, size_t index,
             pqt_near *near, size_t capacity, pqt_error *error)
{
    pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
    options.max_distance = distance;
    options.surface = on_sphere ? PQT_SPHERE : PQT_PLANE;
    if (isnan(distance)) {
        fail(error, PQT_ERROR_OPTION, 0, "max_distance is NaN");
        return SIZE_MAX;
    }
    if (!pqt_box_is_valid(from)) {
        fail(error, PQT_ERROR_BOX, index,
             "the point or box of a nearest search is not finite, or is inverted");
        return SIZE_MAX;
    }
    if (on_sphere &&
        (!pqt_box_is_on_sphere(from) || from.min.x < from.max.x || from.min.y < from.max.y)) {
        fail(error, PQT_ERROR_BOX, index, "the place is not a point on the sphere");
        return SIZE_MAX;
    }
    return pqt_tree_nearest(tree, from, &options, near, capacity);
}

/* Writes the ids and distances of at most `most` items that are nearest to a box, nearest first,
   and returns their number; PQTPY_REFUSED on failure. */
size_t
pqtpy_tree_nearest(const pqt_pin *pin, double min_x, double min_y, double max_x, double max_y,
                   size_t most, double distance, bool on_sphere, uint64_t *ids, double *distances,
                   pqt_error *error)
{
    const pqt_box from = {{min_x, min_y}, {max_x, max_y}};
    pqt_near few[16], *near = few;
    if (most > sizeof few / sizeof few[0]) {
        near = make_array(most, sizeof *near, error);
        if (near == NULL)
            return PQTPY_REFUSED;
    }
    const size_t found =
        find_nearest(tree_to_read(pin), from, distance, on_sphere, 0, near, most, error);
    for (size_t i = 0; i < found && found != SIZE_MAX; i++) {
        ids[i] = near[i].item.id;
        distances[i] = near[i].distance;
    }
    if (near != few)
        free(near);
    return found;
}

/* Appends the ids and distances of the items nearest to each box, nearest first. */
bool
pqtpy_tree_nearest_each(const pqt_pin *pin, const double *boxes, size_t count, size_t most,
                        double distance, bool on_sphere, uint64_t *offsets, pqtpy_bytes *ids,
                        pqtpy_bytes *distances, pqt_error *error)
{
    const pqt_tree *tree = tree_to_read(pin);
    const size_t items = pqt_tree_count(tree), capacity = most < items ? most : items;
    pqt_near *near = make_array(capacity, sizeof *near, error);
    bool done = near != NULL;
    offsets[0] = 0;
    for (size_t i = 0; i < count && done; i++) {
        const size_t found = find_nearest(tree, box_of(boxes + 4 * i), distance, on_sphere, i, near,
                                          capacity, error);
        done = found != SIZE_MAX && reserve(ids, found * sizeof near->item.id, error) &&
               reserve(distances, found * sizeof near->distance, error);
        for (size_t k = 0; k < found && done; k++)
            done = append(ids, &near[k].item.id, sizeof near[k].item.id, error) &&
                   append(distances, &near[k].distance, sizeof near[k].distance, error);
        offsets[i + 1] = ids->size / sizeof near->item.id;
    }
    free(near);
    return done;
}

/* Appends the first hit of each line, or zeros. A line is four numbers: its start, and its end or
   the direction of a ray. */
bool
pqtpy_tree_cast_each(const pqt_pin *pin, bool is_ray, const double *lines, size_t count,
                     pqtpy_bytes *hits, pqt_error *error)
{
    static const pqt_ray_hit none;
    target to = {hits, error};
    bool done = true;
    for (size_t i = 0; i < count && done; i++) {
        const pqt_box line = box_of(lines + 4 * i);
        const size_t size = hits->size;
        done = flat_tree_cast(tree_to_read(pin), is_ray, line.min, line.max, 1, &to, error) &&
               (hits->size > size || append(hits, &none, sizeof none, error));
    }
    return done;
}

/* ---- Several versions ---- */

/* Draws the cells and the items of a tree, and, unless it is NULL, a window with the items that
   touch it. */
bool
pqtpy_tree_svg(const pqt_pin *pin, const double *window, pqtpy_bytes *text, pqt_error *error)
{
    const pqt_tree *tree = tree_to_read(pin);
    pqt_query query;
    if (window != NULL && !flat_query(box_of(window), PQT_TOUCHES, 0, &query, error))
        return false;
    FILE *stream = open_memstream(&text->data, &text->size);
    if (stream == NULL) {
        fail(error, PQT_ERROR_MEMORY, 0, "out of memory (picture)");
        return false;
    }
    pqt_svg svg;
    bool drawn = pqt_svg_begin(&svg, stream, pqt_tree_bounds(tree), NULL, error);
    if (drawn) {
        pqt_svg_cells(&svg, tree, "cells");
        pqt_svg_items(&svg, tree, NULL, "items");
        if (window != NULL) {
            pqt_svg_items(&svg, tree, &query, "found");
            pqt_svg_box(&svg, query.window, "window");
        }
        drawn = pqt_svg_end(&svg, error);
    }
    if (fclose(stream) != 0 && drawn) {
        fail(error, PQT_ERROR_MEMORY, 0, "out of memory (picture)");
        drawn = false;
    }
    return drawn;
}

/* ---- Regions and images ---- */

/* Sets six numbers: the pixels, nodes, leaves, full squares, bytes, and the level. */
void
pqtpy_region_stats(const pqt_pin *pin, uint64_t *figures)
{
    const pqt_region_stats stats = pqt_region_get_stats(pqt_pin_get_region(pin));
    const uint64_t found[] = {stats.pixels, stats.nodes, stats.leaves,
                              stats.full,   stats.bytes, (uint64_t)stats.level};
    memcpy(figures, found, sizeof found);
}

/* Sets four numbers: the nodes, tiles and bytes, and the level. */
void
pqtpy_image_stats(const pqt_pin *pin, uint64_t *figures)
{
    const pqt_image_stats stats = pqt_image_get_stats(pqt_pin_get_image(pin));
    const uint64_t found[] = {stats.nodes, stats.tiles, stats.bytes, (uint64_t)stats.level};
    memcpy(figures, found, sizeof found);
}

/* ---- Versions of any kind ---- */

bool
flat_append(const void *bytes, size_t count, void *context)
{
    target *to = context;
    return append(to->bytes, bytes, count, to->error);
}

void
pqtpy_unpin(void *pin)
{
    pqt_pin *given = pin;
    pqt_unpin(&given);
}

/* Returns the kind of a pinned version, a pqt_kind; 0 for NULL and for the view of a draft. */
int
pqtpy_kind(const void *pin)
{
    return pin == NULL || (uintptr_t)pin % 2 != 0 ? 0 : (int)pqt_pin_get_kind(pin);
}

/* Returns whether there are versions of this kind. Classes without versions are abstract. */
static bool
is_kind(int kind, pqt_error *error)
{
    if (pqt_kind_is_known((pqt_kind)kind))
        return true;
    fail(error, PQT_ERROR_MISMATCH, 0, "the class is abstract: it has no versions");
    return false;
}

bool
has_version(const void *pin, pqt_error *error)
{
    return is_kind(pqtpy_kind(pin), error);
}

bool
pqtpy_equals(const void *a, const void *b)
{
    const int kind = pqtpy_kind(a);
    return kind != 0 && kind == pqtpy_kind(b) &&
           pqt_version_equals(pqt_pin_get_version(a), pqt_pin_get_version(b));
}

void
pqtpy_fingerprint(const void *pin, uint64_t *halves)
{
    pqt_fingerprint fingerprint = {0};
    if (pqtpy_kind(pin) != 0)
        fingerprint = pqt_version_fingerprint(pqt_pin_get_version(pin));
    halves[0] = fingerprint.low;
    halves[1] = fingerprint.high;
}

bool
pqtpy_check(const void *pin, pqt_error *error)
{
    return has_version(pin, error) && pqt_version_check(pqt_pin_get_version(pin), error);
}

/* Returns whether two pins have versions of one kind. */
static bool
are_alike(const void *a, const void *b, pqt_error *error)
{
    if (!has_version(a, error))
        return false;
    if (pqtpy_kind(a) == pqtpy_kind(b))
        return true;
    fail(error, PQT_ERROR_MISMATCH, 0, "the versions are of different kinds");
    return false;
}

/* Sets the number of bytes that two versions of one kind share. */
bool
pqtpy_shared_bytes(const void *a, const void *b, size_t *count, pqt_error *error)
{
    return are_alike(a, b, error) &&
           pqt_version_shared_bytes(pqt_pin_get_version(a), pqt_pin_get_version(b), count, error);
}

/* Sets the number of bytes of a version that none of the others of its kind shares. */
bool
pqtpy_exclusive_bytes(const void *pin, const void *const *others, size_t others_count,
                      size_t *count, pqt_error *error)
{
    if (!has_version(pin, error))
        return false;
    for (size_t i = 0; i < others_count; i++)
        if (!are_alike(pin, others[i], error))
            return false;
    const void **versions = calloc(others_count + 1, sizeof *versions);
    if (versions == NULL) {
        fail(error, PQT_ERROR_MEMORY, 0, "out of memory (versions of a call)");
        return false;
    }
    for (size_t i = 0; i < others_count; i++)
        versions[i] = pqt_pin_get_version(others[i]);
    const bool counted =
        pqt_version_exclusive_bytes(pqt_pin_get_version(pin), versions, others_count, count, error);
    free(versions);
    return counted;
}

bool
pqtpy_write(const void *pin, pqtpy_bytes *bytes, pqt_error *error)
{
    target to = {bytes, error};
    return has_version(pin, error) &&
           pqt_version_write(pqt_pin_get_version(pin), flat_append, &to, error);
}

bool
pqtpy_save(const void *pin, const char *path, pqt_error *error)
{
    return has_version(pin, error) && pqt_version_save(pqt_pin_get_version(pin), path, error);
}

static const void *
read_version(int kind, const char *bytes, size_t count, pqt_error *error)
{
    flat_source from = {bytes, count};
    return pqt_version_read((pqt_kind)kind, flat_read_source, &from, heap, error);
}

pqt_pin *
pqtpy_read(int kind, const char *bytes, size_t count, pqt_error *error)
{
    if (!is_kind(kind, error))
        return NULL;
    RETURN_PINNED_ANY(read_version(kind, bytes, count, error));
}

pqt_pin *
pqtpy_load(int kind, const char *path, pqt_error *error)
{
    if (!is_kind(kind, error))
        return NULL;
    RETURN_PINNED_ANY(pqt_version_load((pqt_kind)kind, path, heap, error));
}
