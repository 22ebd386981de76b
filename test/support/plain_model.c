/* SPDX-License-Identifier: MIT */
/* plain_model.c: a model of a version, as a plain array. */
#include "plain_model.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt/cursor.h>

#include "options_support.h"

/* ---- the array ---- */

static void *
need(void *old, size_t count, size_t size)
{
    void *block = realloc(old, (count > 0 ? count : 1) * size);
    if (block == NULL) {
        fputs("model: out of memory\n", stderr);
        abort();
    }
    return block;
}

model
model_make(pqt_box bounds, const pqt_tree_options *options)
{
    model m = {0};
    m.bounds = bounds;
    m.capacity = (size_t)options->leaf_capacity;
    m.depth = options->max_depth;
    m.strict = options->strict_bounds;
    m.unique = options->unique_ids;
    return m;
}

model
model_copy(const model *from)
{
    model copy = *from;
    copy.items = need(NULL, from->count, sizeof *copy.items);
    copy.room = from->count;
    if (from->count > 0)
        memcpy(copy.items, from->items, from->count * sizeof *copy.items);
    return copy;
}

void
model_free(model *m)
{
    free(m->items);
    m->items = NULL;
    m->count = m->room = 0;
}

static double
without_sign(double value)
{
    return value == 0 ? 0.0 : value;
}

static pqt_box
model_box(pqt_box box)
{
    box.min.x = without_sign(box.min.x);
    box.min.y = without_sign(box.min.y);
    box.max.x = without_sign(box.max.x);
    box.max.y = without_sign(box.max.y);
    return box;
}

pqt_item
model_item(pqt_item item)
{
    item.box = model_box(item.box);
    return item;
}

/* Returns the index of an item; m->count if it is absent. */
static size_t
place_of(const model *m, pqt_item item)
{
    size_t i = 0;
    item = model_item(item);
    while (i < m->count && !same_item(m->items[i], item))
        i++;
    return i;
}

static size_t
place_of_id(const model *m, uint64_t id)
{
    size_t i = 0;
    while (i < m->count && m->items[i].id != id)
        i++;
    return i;
}

bool
model_contains(const model *m, pqt_item item)
{
    return place_of(m, item) < m->count;
}

const pqt_item *
model_find(const model *m, uint64_t id)
{
    size_t rank = place_of_id(m, id);
    return rank < m->count ? &m->items[rank] : NULL;
}

static void
put(model *m, pqt_item item)
{
    if (m->count == m->room) {
        m->room = m->room * 2 + 16;
        m->items = need(m->items, m->room, sizeof *m->items);
    }
    m->items[m->count++] = model_item(item);
}

/* Skips an index that does not exist. */
static void
take(model *m, size_t rank)
{
    if (rank < m->count)
        m->items[rank] = m->items[--m->count];
}

static int
compare_bytes(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(pqt_item));
}

bool
model_equals(const model *a, const model *b)
{
    model x = model_copy(a);
    model y = model_copy(b);
    bool equal = x.count == y.count;
    qsort(x.items, x.count, sizeof *x.items, compare_bytes);
    qsort(y.items, y.count, sizeof *y.items, compare_bytes);
    equal = equal && memcmp(x.items, y.items, x.count * sizeof *x.items) == 0;
    model_free(&x);
    model_free(&y);
    return equal;
}

/* ---- changes ---- */

static bool
is_finite(double value)
{
    return value >= -DBL_MAX && value <= DBL_MAX;
}

static pqt_status
status_of_box(const model *m, pqt_box box)
{
    if (!is_finite(box.min.x) || !is_finite(box.min.y) || !is_finite(box.max.x) ||
        !is_finite(box.max.y) || box.min.x > box.max.x || box.min.y > box.max.y)
        return PQT_ERROR_BOX;
    if (m->strict && (box.min.x < m->bounds.min.x || box.min.y < m->bounds.min.y ||
                      box.max.x > m->bounds.max.x || box.max.y > m->bounds.max.y))
        return PQT_ERROR_BOUNDS;
    return PQT_OK;
}

static pqt_status
status_of_change(const model *m, const pqt_change *change)
{
    switch (change->kind) {
    case PQT_INSERT:
        return status_of_box(m, change->item.box);
    case PQT_MOVE:
    case PQT_MOVE_ID:
        return status_of_box(m, change->to);
    default:
        return PQT_OK;
    }
}

static void
insert(model *m, pqt_item item)
{
    if (model_contains(m, item))
        return;
    if (m->unique)
        take(m, place_of_id(m, item.id));
    put(m, item);
}

static void
move(model *m, size_t rank, pqt_box to)
{
    pqt_item moved = {to, 0};
    if (rank == m->count)
        return;
    moved.id = m->items[rank].id;
    take(m, rank);
    insert(m, moved);
}

static void
change_one(model *m, const pqt_change *change)
{
    switch (change->kind) {
    case PQT_INSERT:
        insert(m, change->item);
        break;
    case PQT_REMOVE:
        take(m, place_of(m, change->item));
        break;
    case PQT_REMOVE_ID:
        take(m, place_of_id(m, change->item.id));
        break;
    case PQT_MOVE:
        move(m, place_of(m, change->item), change->to);
        break;
    case PQT_MOVE_ID:
        move(m, place_of_id(m, change->item.id), change->to);
        break;
    }
}

model_result
model_apply(model *m, const pqt_change *changes, size_t count)
{
    model_result must = {PQT_OK, 0, false};
    model before;
    for (size_t i = 0; i < count; i++) {
        must.status = status_of_change(m, &changes[i]);
        must.index = i;
        if (must.status != PQT_OK)
            return must;
    }
    before = model_copy(m);
    for (size_t i = 0; i < count; i++)
        change_one(m, &changes[i]);
    must.index = 0;
    must.changed = !model_equals(&before, m);
    model_free(&before);
    return must;
}

static void
extend(pqt_box *bounds, pqt_box box)
{
    bounds->min.x = box.min.x < bounds->min.x ? box.min.x : bounds->min.x;
    bounds->min.y = box.min.y < bounds->min.y ? box.min.y : bounds->min.y;
    bounds->max.x = box.max.x > bounds->max.x ? box.max.x : bounds->max.x;
    bounds->max.y = box.max.y > bounds->max.y ? box.max.y : bounds->max.y;
}

model_result
model_of(model *m, const pqt_item *items, size_t count, const pqt_tree_options *options)
{
    model_result must = {PQT_OK, 0, true};
    pqt_box bounds = {{0, 0}, {0, 0}};
    *m = model_make(bounds, options);
    m->strict = false;
    for (size_t i = 0; i < count && must.status == PQT_OK; i++) {
        must.status = status_of_box(m, items[i].box);
        must.index = i;
        bounds = i == 0 ? model_box(items[i].box) : bounds;
        extend(&bounds, model_box(items[i].box));
    }
    if (must.status != PQT_OK)
        return must;
    must.index = 0;
    m->bounds = bounds;
    m->strict = options->strict_bounds;
    for (size_t i = 0; i < count; i++)
        insert(m, items[i]);
    return must;
}

model_result
model_clear(model *m)
{
    model_result must = {PQT_OK, 0, m->count > 0};
    m->count = 0;
    return must;
}

/* ---- queries ---- */

static bool
is_window(pqt_box window)
{
    return window.min.x <= window.max.x && window.min.y <= window.max.y;
}

bool
model_relates(pqt_box a, pqt_box w, pqt_relation relation)
{
    if (!is_window(w))
        return false;
    switch (relation) {
    case PQT_TOUCHES:
        return a.min.x <= w.max.x && w.min.x <= a.max.x && a.min.y <= w.max.y && w.min.y <= a.max.y;
    case PQT_OVERLAPS:
        return a.min.x < w.max.x && w.min.x < a.max.x && a.min.y < w.max.y && w.min.y < a.max.y;
    case PQT_INSIDE:
        return w.min.x <= a.min.x && a.max.x <= w.max.x && w.min.y <= a.min.y && a.max.y <= w.max.y;
    case PQT_COVERS:
        return a.min.x <= w.min.x && w.max.x <= a.max.x && a.min.y <= w.min.y && w.max.y <= a.max.y;
    }
    return false;
}

static bool
is_found(const pqt_item *item, const pqt_query *query)
{
    return model_relates(item->box, query->window, query->relation) &&
           (query->filter == NULL || query->filter(item, query->context));
}

model_result
model_search(model *m, pqt_query query)
{
    model_result must = {PQT_OK, 0, false};
    size_t kept = 0;
    if (!is_window(query.window)) {
        must.status = PQT_ERROR_BOX;
        return must;
    }
    for (size_t i = 0; i < m->count; i++) {
        if (is_found(&m->items[i], &query))
            m->items[kept++] = m->items[i];
    }
    must.changed = kept < m->count;
    m->count = kept;
    return must;
}

built_tree *
model_build(const model *m)
{
    return built_make(m->items, m->count, m->bounds, m->capacity, m->depth);
}

/* ---- checks ---- */

const pqt_tree *
change_tree(const pqt_tree *tree, const pqt_change *change, pqt_error *error)
{
    switch (change->kind) {
    case PQT_INSERT:
        return pqt_tree_insert(tree, change->item, error);
    case PQT_REMOVE:
        return pqt_tree_remove(tree, change->item, error);
    case PQT_REMOVE_ID:
        return pqt_tree_remove_id(tree, change->item.id, error);
    case PQT_MOVE:
        return pqt_tree_move(tree, change->item, change->to, error);
    case PQT_MOVE_ID:
        return pqt_tree_move_id(tree, change->item.id, change->to, error);
    }
    return NULL;
}

bool
check_model_result(model_result must, const pqt_tree *before, const pqt_tree *after,
                   const pqt_error *error, complaint *why)
{
    if (must.status != error->status)
        return complain(why, "status is %s, not %s: %s", pqt_status_name(error->status),
                        pqt_status_name(must.status), error->text);
    if (must.status == PQT_OK) {
        if (after == NULL)
            return complain(why, "no version and no error");
        if (must.changed != (after != before))
            return complain(why, must.changed ? "the same version, though it should change"
                                              : "another version, though nothing changed");
        return true;
    }
    if (after != NULL)
        return complain(why, "a version in addition to the error: %s", error->text);
    if (error->index != must.index)
        return complain(why, "index %zu, not %zu: %s", error->index, must.index, error->text);
    if (error->text[0] == '\0' || strchr(error->text, '\n') != NULL)
        return complain(why, "an error without a line of text");
    return true;
}

static bool
check_options(const model *m, const pqt_tree *tree, complaint *why)
{
    pqt_tree_options options = options_of_tree(tree);
    if (options.leaf_capacity != (int)m->capacity || options.max_depth != m->depth ||
        options.strict_bounds != m->strict || options.unique_ids != m->unique ||
        options.memory == NULL || options.size != sizeof options)
        return complain(why, "options of the tree");
    return true;
}

/* Checks that absent items are not found. They are present items with one bit of the id flipped. */
static bool
check_absent(const model *m, const pqt_tree *tree, pqt_item item, complaint *why)
{
    if (pqt_tree_contains(tree, item) != model_contains(m, item))
        return complain(why, "item #%" PRIu64 " is contained, but should not be", item.id);
    if (m->unique && pqt_tree_find(tree, item.id, NULL) != (model_find(m, item.id) != NULL))
        return complain(why, "id %" PRIu64 " is found, but should not be", item.id);
    return true;
}

/* Checks that each item is present and, with unique ids, is found by its id. */
static bool
check_items(const model *m, const pqt_tree *tree, complaint *why)
{
    for (size_t i = 0; i < m->count; i++) {
        pqt_item item = m->items[i];
        pqt_item found = {{{0, 0}, {0, 0}}, 0};
        if (!pqt_tree_contains(tree, item))
            return complain(why, "item #%" PRIu64 " is not contained", item.id);
        if (m->unique && (!pqt_tree_find(tree, item.id, &found) || !same_item(found, item)))
            return complain(why, "item #%" PRIu64 " is not found by its id", item.id);
        item.id ^= UINT64_C(1) << (i % 64);
        /* The model's own search is slow, so only every 16th absent item is checked. */
        if (i % 16 == 0 && !check_absent(m, tree, item, why))
            return false;
    }
    return true;
}

static bool
check_extent(const model *m, const pqt_tree *tree, complaint *why)
{
    pqt_box found = m->bounds, extent = m->bounds;
    for (size_t i = 0; i < m->count; i++)
        extent = i == 0 ? m->items[i].box : pqt_box_union(extent, m->items[i].box);
    if (pqt_tree_extent(tree, &found) == (m->count > 0) &&
        same_item((pqt_item){found, 0}, (pqt_item){extent, 0}))
        return true;
    complain(why, "the extent is wrong");
    return false;
}

bool
check_version(const model *m, const pqt_tree *tree, complaint *why)
{
    built_tree *built = model_build(m);
    bool right = compare_tree(tree, built, why) && compare_cells(tree, built, why) &&
                 check_options(m, tree, why) && check_items(m, tree, why) &&
                 check_extent(m, tree, why);
    built_free(built);
    return right;
}

/* A visit whose items are compared one by one with the expected ones. */
typedef struct walk {
    const pqt_item *found;
    size_t count; /* the number of items found */
    size_t seen;
    size_t stop_after; /* the number of items after which it stops; SIZE_MAX: never */
    bool wrong;
} walk;

static bool
see_item(const pqt_item *item, void *context)
{
    walk *w = context;
    if (w->seen >= w->count || !same_item(*item, w->found[w->seen]))
        w->wrong = true;
    w->seen++;
    return !w->wrong && w->seen < w->stop_after;
}

static bool
see_ids(const uint64_t *ids, size_t count, void *context)
{
    walk *w = context;
    if (count == 0)
        w->wrong = true;
    for (size_t i = 0; i < count; i++, w->seen++) {
        if (w->seen >= w->count || ids[i] != w->found[w->seen].id)
            w->wrong = true;
    }
    return !w->wrong && w->seen < w->stop_after;
}

static bool
see_columns(const pqt_item_columns *columns, void *context)
{
    walk *w = context;
    if (columns->count == 0)
        w->wrong = true;
    for (size_t i = 0; i < columns->count; i++, w->seen++) {
        const pqt_item item = {
            {{columns->min_x[i], columns->min_y[i]}, {columns->max_x[i], columns->max_y[i]}},
            columns->ids[i]};
        if (w->seen >= w->count || !same_item(item, w->found[w->seen]))
            w->wrong = true;
    }
    return !w->wrong && w->seen < w->stop_after;
}

/* Checks a complete visit, and one that stops half way. */
static bool
check_walks(const pqt_tree *tree, const pqt_query *query, const pqt_item *found, size_t count,
            complaint *why)
{
    walk all = {found, count, 0, SIZE_MAX, false};
    walk part = {found, count, 0, count / 2 + 1, false};
    walk runs = all;
    walk some = part;
    walk columns = all;
    walk some_columns = part;
    if (!pqt_tree_visit(tree, query, see_item, &all) || all.wrong || all.seen != count)
        return complain(why, "visit: wrong from item %zu of %zu", all.seen, count);
    if (pqt_tree_visit(tree, query, see_item, &part) != (count == 0) || part.wrong ||
        part.seen != (count == 0 ? 0 : part.stop_after))
        return complain(why, "visit does not stop: %zu of %zu", part.seen, part.stop_after);
    if (!pqt_tree_visit_ids(tree, query, see_ids, &runs) || runs.wrong || runs.seen != count)
        return complain(why, "visit_ids: wrong from id %zu of %zu", runs.seen, count);
    if (pqt_tree_visit_ids(tree, query, see_ids, &some) != (count == 0) || some.wrong)
        return complain(why, "visit_ids does not stop: %zu of %zu", some.seen, some.stop_after);
    if (!pqt_tree_visit_columns(tree, query, see_columns, &columns) || columns.wrong ||
        columns.seen != count)
        return complain(why, "visit_columns: wrong from item %zu of %zu", columns.seen, count);
    if (pqt_tree_visit_columns(tree, query, see_columns, &some_columns) != (count == 0) ||
        some_columns.wrong)
        return complain(why, "visit_columns does not stop: %zu of %zu", some_columns.seen,
                        some_columns.stop_after);
    return true;
}

/* Checks a cursor, item by item. Half way, the cursor is copied, and the copy must find the
 * remaining items. */
static bool
check_cursor(const pqt_tree *tree, const pqt_query *query, const pqt_item *found, size_t count,
             complaint *why)
{
    pqt_cursor cursor, copy;
    pqt_item item;
    size_t seen = 0;
    pqt_cursor_open(&cursor, tree, query);
    copy = cursor;
    while (pqt_cursor_next(&cursor, &item)) {
        if (seen >= count || !same_item(item, found[seen++]))
            return complain(why, "cursor: wrong at item %zu of %zu", seen, count);
        if (seen == count / 2)
            copy = cursor;
    }
    if (seen != count || pqt_cursor_next(&cursor, &item))
        return complain(why, "cursor: %zu items, not %zu", seen, count);
    for (seen = count / 2; pqt_cursor_next(&copy, &item); seen++) {
        if (seen >= count || !same_item(item, found[seen]))
            return complain(why, "copied cursor: wrong at item %zu of %zu", seen, count);
    }
    return seen == count || complain(why, "copied cursor: %zu items, not %zu", seen, count);
}

/* Checks collecting with less capacity than results, and with more. The array beyond the results
 * must not change. */
static bool
check_collect(const pqt_tree *tree, const pqt_query *query, const pqt_item *found, size_t count,
              size_t capacity, complaint *why)
{
    pqt_item *items = need(NULL, capacity + 1, sizeof *items);
    uint64_t *ids = need(NULL, capacity + 1, sizeof *ids);
    size_t written = count < capacity ? count : capacity;
    bool right;
    memset(items, 0x5a, (capacity + 1) * sizeof *items);
    memset(ids, 0x5a, (capacity + 1) * sizeof *ids);
    right = pqt_tree_collect(tree, query, capacity > 0 ? items : NULL, capacity) == count &&
            pqt_tree_collect_ids(tree, query, capacity > 0 ? ids : NULL, capacity) == count;
    for (size_t i = 0; right && i < written; i++)
        right = same_item(items[i], found[i]) && ids[i] == found[i].id;
    right =
        right && ids[written] == 0x5a5a5a5a5a5a5a5au && items[written].id == 0x5a5a5a5a5a5a5a5au;
    free(items);
    free(ids);
    return right || complain(why, "collect of %zu with room for %zu", count, capacity);
}

static bool
check_answers(const pqt_tree *tree, const pqt_query *query, const pqt_item *found, size_t count,
              complaint *why)
{
    pqt_item first = {{{0, 0}, {0, 0}}, 0};
    if (pqt_tree_count_in(tree, query) != count)
        return complain(why, "count_in is %zu, not %zu", pqt_tree_count_in(tree, query), count);
    if (pqt_tree_any(tree, query, NULL) != (count > 0) ||
        pqt_tree_any(tree, query, &first) != (count > 0))
        return complain(why, "any is wrong where %zu are found", count);
    if (count > 0 && !same_item(first, found[0]))
        return complain(why, "any: not the first item");
    return true;
}

bool
check_query(const built_tree *built, const pqt_tree *tree, pqt_query query, complaint *why)
{
    pqt_item *found = need(NULL, built->count, sizeof *found);
    size_t count = 0;
    complaint what;
    bool right;
    for (size_t i = 0; i < built->count; i++) {
        if (is_found(&built->order[i]->item, &query))
            found[count++] = built->order[i]->item;
    }
    right = check_walks(tree, &query, found, count, &what) &&
            check_cursor(tree, &query, found, count, &what) &&
            check_answers(tree, &query, found, count, &what) &&
            check_collect(tree, &query, found, count, count + 1, &what) &&
            check_collect(tree, &query, found, count, count / 2, &what);
    free(found);
    return right ||
           complain(why, "relation %d, window %a,%a %a,%a%s: %s", (int)query.relation,
                    query.window.min.x, query.window.min.y, query.window.max.x, query.window.max.y,
                    query.filter != NULL ? ", filtered" : "", what.text);
}
