/* SPDX-License-Identifier: MIT */
/*
 * test_algebra_model.c: tests the laws of diff, merge, set operations, restore and sync on random
 * versions.
 *
 * A run keeps some versions of one tree and some that were built separately, each with its model.
 * Random edits make them more or less similar. After each edit the test checks one law on some of
 * them. The expected results are computed on plain arrays in the builder's order, and every
 * resulting version is compared, node for node, with that of the builder. A run that fails prints
 * its seed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pqt/diff.h>
#include <pqt/memory.h>
#include <pqt/merge.h>
#include <pqt/sync.h>
#include <pqt/tree.h>

#include "compare_trees.h"
#include "hooks.h"
#include "plain_model.h"
#include "random.h"
#include "suite.h"
#include "tree/algebra/codescent.h"
#include "tree_bounds.h"

enum { OPERATIONS = 20000, RUN_OPERATIONS = 60, SLOTS = 5, BATCH = 40, MOST_BOXES = 64 };

/* A version and its model. */
typedef struct slot {
    const pqt_tree *tree;
    model m;
} slot;

typedef struct run {
    dice d;
    uint64_t seed;
    const world *world;
    box_layout layout;
    size_t ids;  /* all ids are below it, so that versions have ids in common */
    size_t most; /* the approximate limit on the items of a version */
    size_t operation;
    const char *doing;
    pqt_memory *memory;
    pqt_tree_options options;
    slot slots[SLOTS];
} run;

static void
broken(const run *r, const char *why)
{
    ck_abort_msg(
        "PQT_SEED=%" PRIu64 ": operation %zu (%s) in %s, %s: capacity %d, depth %d%s%s: %s",
        r->seed, r->operation, r->doing, r->world->name, box_layout_name(r->layout),
        r->options.leaf_capacity, r->options.max_depth, r->options.strict_bounds ? ", strict" : "",
        r->options.unique_ids ? ", unique ids" : "", why);
}

static void
require(const run *r, bool right, const char *what)
{
    if (!right)
        broken(r, what);
}

static void *
room_for(size_t count, size_t size)
{
    void *block = calloc(count + 1, size);
    ck_assert_ptr_nonnull(block);
    return block;
}

/* ---- drawing ---- */

static pqt_item
draw_item(run *r)
{
    return (pqt_item){draw_box(&r->d, r->world->bounds, r->layout), dice_below(&r->d, r->ids)};
}

static bool
divisible(const pqt_item *item, void *context)
{
    const uint64_t *divisor = context;
    return item->id % *divisor == 0;
}

/* Draws a valid window. */
static pqt_query
draw_query(run *r, pqt_query_stats *stats)
{
    static uint64_t divisors[] = {2, 3, 1};
    pqt_query query = {.relation = (pqt_relation)(1 + dice_below(&r->d, 4)), .stats = stats};
    do
        query.window = draw_window(&r->d, r->world->bounds, r->layout);
    while (!(query.window.min.x <= query.window.max.x && query.window.min.y <= query.window.max.y));
    if (dice_chance(&r->d, 20)) {
        query.filter = divisible;
        query.context = &divisors[dice_below(&r->d, 3)];
    }
    return query;
}

static bool
is_found(const pqt_item *item, const pqt_query *query)
{
    return query == NULL || (model_relates(item->box, query->window, query->relation) &&
                             (query->filter == NULL || query->filter(item, query->context)));
}

static pqt_change
draw_change(run *r, const model *m)
{
    pqt_change change = {PQT_INSERT, draw_item(r), {{0, 0}, {0, 0}}};
    size_t kind = dice_below(&r->d, 100);
    if (m->count == 0 || kind < (m->count < r->most ? 40 : 15))
        return change;
    change.kind = kind < 70 ? PQT_MOVE : PQT_REMOVE;
    change.to = change.item.box;
    change.item = m->items[dice_below(&r->d, m->count)];
    return change;
}

/* ---- models of results ---- */

static model
model_with(const run *r, const pqt_item *items, size_t count)
{
    model m = model_make(r->world->bounds, &r->options);
    pqt_change *changes = room_for(count, sizeof *changes);
    for (size_t i = 0; i < count; i++)
        changes[i] = (pqt_change){PQT_INSERT, items[i], {{0, 0}, {0, 0}}};
    model_result must = model_apply(&m, changes, count);
    require(r, must.status == PQT_OK, "the model refuses a result");
    free(changes);
    return m;
}

/* Returns the items of up to three models, each once, in tree order. Free the result with
 * built_free. */
static built_tree *
all_items_of(const run *r, const model *const *models, size_t count)
{
    size_t capacity = 0, all = 0;
    for (size_t i = 0; i < count; i++)
        capacity += models[i]->count;
    pqt_item *items = room_for(capacity, sizeof *items);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < models[i]->count; k++) {
            bool known = false;
            for (size_t j = 0; j < i; j++)
                known = known || model_contains(models[j], models[i]->items[k]);
            if (!known)
                items[all++] = models[i]->items[k];
        }
    }
    built_tree *built = built_make(items, all, r->world->bounds, (size_t)r->options.leaf_capacity,
                                   r->options.max_depth);
    free(items);
    return built;
}

/* Compares a version with its model. If it equals an argument, it must also be the same pointer. */
static void
expect_version(const run *r, const model *m, const pqt_tree *tree, const pqt_error *error)
{
    complaint why;
    pqt_error unsound = {0};
    require(r, tree != NULL && error->status == PQT_OK, error->text);
    if (!check_version(m, tree, &why))
        broken(r, why.text);
    require(r, pqt_tree_check(tree, &unsound), unsound.text);
}

/* Checks the pointer of a result: if it equals some of the given versions, it must be one of these
 * pointers. */
static void
expect_pointers(const run *r, const model *m, const pqt_tree *tree, const slot *const *given,
                size_t count)
{
    bool equals_one = false, is_one = false;
    for (size_t i = 0; i < count; i++)
        if (model_equals(m, &given[i]->m)) {
            equals_one = true;
            is_one = is_one || tree == given[i]->tree;
        }
    require(r, equals_one == is_one, "equal to a version that was given, but not its pointer");
}

/* Now and then replaces a version with a result. Otherwise frees the model of the result. */
static void
keep_or_forget(run *r, model *m, const pqt_tree *tree)
{
    slot *s = &r->slots[dice_below(&r->d, SLOTS)];
    if (!dice_chance(&r->d, 25) || m->count > 4 * r->most) {
        model_free(m);
        return;
    }
    model_free(&s->m);
    *s = (slot){tree, *m};
}

/* ---- diff ---- */

typedef struct change_list {
    pqt_change *changes;
    size_t count, capacity;
    size_t stop_after; /* 0 means never */
} change_list;

static void
push(change_list *list, pqt_change change)
{
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 16;
        list->changes = realloc(list->changes, list->capacity * sizeof *list->changes);
        ck_assert_ptr_nonnull(list->changes);
    }
    list->changes[list->count++] = change;
}

static bool
push_change(const pqt_change *change, void *context)
{
    change_list *list = context;
    push(list, *change);
    return list->count != list->stop_after;
}

static change_list
model_unpaired(const run *r, const model *a, const model *b, const pqt_query *query)
{
    change_list list = {0};
    built_tree *built = all_items_of(r, (const model *[]){a, b}, 2);
    for (size_t i = 0; i < built->count; i++) {
        pqt_item item = built->order[i]->item;
        bool before = model_contains(a, item), after = model_contains(b, item);
        pqt_change change = {after ? PQT_INSERT : PQT_REMOVE, item, {{0, 0}, {0, 0}}};
        if (before != after && is_found(&item, query))
            push(&list, change);
    }
    built_free(built);
    return list;
}

/* Returns the number of changes of a kind with an id, and sets *where to the last of them. */
static size_t
count_of_id(const change_list *list, pqt_change_kind kind, uint64_t id, size_t *where)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (list->changes[i].kind != kind || list->changes[i].item.id != id)
            continue;
        count++;
        *where = i;
    }
    return count;
}

static change_list
model_paired(const change_list *unpaired)
{
    change_list list = {0};
    for (size_t i = 0; i < unpaired->count; i++) {
        pqt_change change = unpaired->changes[i];
        size_t gone = 0, come = 0;
        bool moved = count_of_id(unpaired, PQT_REMOVE, change.item.id, &gone) == 1 &&
                     count_of_id(unpaired, PQT_INSERT, change.item.id, &come) == 1;
        if (moved && change.kind == PQT_INSERT)
            continue;
        if (moved) {
            change.kind = PQT_MOVE;
            change.to = unpaired->changes[come].item.box;
        }
        push(&list, change);
    }
    return list;
}

static bool
same_change(const pqt_change *a, const pqt_change *b)
{
    return a->kind == b->kind && same_item(a->item, b->item) &&
           (a->kind != PQT_MOVE || memcmp(&a->to, &b->to, sizeof a->to) == 0);
}

static void
expect_changes(const run *r, const change_list *must, const pqt_change *changes, size_t count,
               const char *what)
{
    require(r, count == must->count, what);
    for (size_t i = 0; i < count; i++)
        require(r, same_change(&changes[i], &must->changes[i]), what);
}

static void
check_visits(run *r, const slot *a, const slot *b, const pqt_query *query,
             const change_list *unpaired, const change_list *paired)
{
    change_list found = {0}, some = {.stop_after = 1 + dice_below(&r->d, 5)};
    pqt_error error = {0};
    require(r, pqti_diff_visit_unpaired(a->tree, b->tree, query, push_change, &found, &error),
            error.text);
    expect_changes(r, unpaired, found.changes, found.count, "unpaired changes");
    found.count = 0;
    require(r, pqt_tree_visit_diff(a->tree, b->tree, query, push_change, &found, &error),
            error.text);
    expect_changes(r, paired, found.changes, found.count, "changes");
    bool all = pqt_tree_visit_diff(a->tree, b->tree, query, push_change, &some, &error);
    require(r, all == (paired->count < some.stop_after), "the result of a stopped visit");
    require(r, error.status == PQT_OK, error.text);
    size_t seen = paired->count < some.stop_after ? paired->count : some.stop_after;
    require(r, some.count == seen, "a visitor that stops");
    free(some.changes);
    free(found.changes);
}

static void
check_collect(run *r, const slot *a, const slot *b, const pqt_query *query, const change_list *must)
{
    size_t capacity = dice_below(&r->d, must->count + 2), count = capacity;
    pqt_change *changes = room_for(capacity, sizeof *changes);
    change_list some = {must->changes, capacity < must->count ? capacity : must->count, 0, 0};
    pqt_error error = {0};
    require(r,
            pqt_diff_collect(a->tree, b->tree, query, capacity > 0 ? changes : NULL, count, &count,
                             &error),
            error.text);
    require(r, count == must->count, "the count of a collection");
    expect_changes(r, &some, changes, some.count, "collected changes");
    require(r, changes[capacity].kind == 0, "written beyond the array");
    free(changes);
}

static void
check_damage(run *r, const slot *a, const slot *b, const pqt_query *query,
             const change_list *unpaired)
{
    static const size_t capacities[] = {1, 2, 5, MOST_BOXES};
    pqt_box boxes[MOST_BOXES];
    size_t capacity = capacities[dice_below(&r->d, 4)], count = capacity;
    pqt_error error = {0};
    require(r, pqt_diff_damage(a->tree, b->tree, query, boxes, count, &count, &error), error.text);
    require(r, count <= capacity && (count > 0) == (unpaired->count > 0), "the count of boxes");
    require(r, count <= unpaired->count, "more boxes than changes");
    for (size_t i = 0; i < unpaired->count; i++) {
        bool covered = false;
        for (size_t k = 0; k < count; k++)
            covered = covered || pqt_box_is_inside(unpaired->changes[i].item.box, boxes[k]);
        require(r, covered, "a change is not covered");
    }
}

/* Returns the model of a restore: the items of `m` outside, those of `old` inside. */
static model
model_restore(const run *r, const model *now, const model *old, const pqt_query *query)
{
    pqt_item *items = room_for(now->count + old->count, sizeof *items);
    size_t count = 0;
    for (size_t i = 0; i < now->count; i++)
        if (!is_found(&now->items[i], query))
            items[count++] = now->items[i];
    for (size_t i = 0; i < old->count; i++)
        if (is_found(&old->items[i], query))
            /* with unique ids, the last change applies */
            items[count++] = old->items[i];
    model m = model_with(r, items, count);
    free(items);
    return m;
}

static void
check_diff(run *r)
{
    const slot *a = &r->slots[dice_below(&r->d, SLOTS)];
    const slot *b = &r->slots[dice_below(&r->d, SLOTS)];
    pqt_query_stats stats = {0, 0, 0};
    pqt_query drawn = draw_query(r, &stats);
    const pqt_query *query = dice_chance(&r->d, 50) ? &drawn : NULL;
    change_list unpaired = model_unpaired(r, &a->m, &b->m, query);
    change_list paired = model_paired(&unpaired);
    pqt_error error = {0};
    r->doing = query == NULL ? "diff" : "diff in a window";
    check_visits(r, a, b, query, &unpaired, &paired);
    check_collect(r, a, b, query, &paired);
    check_damage(r, a, b, query, &unpaired);
    require(r, a != b || stats.nodes + stats.leaves == 0, "a version against itself is entered");
    const pqt_tree *next = pqt_tree_apply(a->tree, paired.changes, paired.count, &error);
    model m = query == NULL ? model_copy(&b->m) : model_restore(r, &a->m, &b->m, query);
    expect_version(r, &m, next, &error);
    require(r, query != NULL || pqt_tree_equals(next, b->tree), "applied, not the later version");
    keep_or_forget(r, &m, next);
    free(unpaired.changes);
    free(paired.changes);
}

/* ---- restore ---- */

static void
check_restore(run *r)
{
    static const pqt_box plane = {{-INFINITY, -INFINITY}, {INFINITY, INFINITY}};
    const slot *now = &r->slots[dice_below(&r->d, SLOTS)];
    const slot *old = &r->slots[dice_below(&r->d, SLOTS)];
    pqt_query query = draw_query(r, NULL);
    pqt_error error = {0};
    r->doing = "restore";
    if (dice_chance(&r->d, 10)) {
        query.window = plane;
        query.filter = NULL;
        query.relation = dice_chance(&r->d, 50) ? PQT_TOUCHES : PQT_INSIDE;
    }
    model m = model_restore(r, &now->m, &old->m, &query);
    const pqt_tree *made = pqt_tree_restore(now->tree, old->tree, &query, &error);
    expect_version(r, &m, made, &error);
    expect_pointers(r, &m, made, (const slot *[]){now, old}, 2);
    keep_or_forget(r, &m, made);
}

/* ---- merge ---- */

/* The items with one id in each version, in tree order. */
typedef struct value {
    const pqt_item *items[3]; /* the changed items of base, ours and theirs */
    size_t counts[3];
    bool conflict;
} value;

/* A merge of models. */
typedef struct case_of_merge {
    run *r;
    const slot *sides[3]; /* base, ours, theirs */
    built_tree *all;
    uint64_t salt; /* the salt of the decisions; the first salts decide all ids in the same way */
    size_t calls;
    uint64_t last_id;
} case_of_merge;

static pqt_items
side_of(const value *v, int side)
{
    return (pqt_items){v->items[side], v->counts[side]};
}

static bool
same_items(pqt_items a, pqt_items b)
{
    bool same = a.count == b.count;
    for (size_t i = 0; i < a.count && same; i++)
        same = same_item(a.items[i], b.items[i]);
    return same;
}

/* Returns the value of an id; `items` has room for all items of the three versions. */
static value
value_of(const case_of_merge *c, uint64_t id, pqt_item *items)
{
    value v = {{items, items + c->all->count, items + 2 * c->all->count}, {0, 0, 0}, false};
    for (size_t i = 0; i < c->all->count; i++) {
        pqt_item item = c->all->order[i]->item;
        bool in[3];
        for (int side = 0; side < 3; side++)
            in[side] = item.id == id && model_contains(&c->sides[side]->m, item);
        if (item.id != id || (in[0] == in[1] && in[1] == in[2]))
            continue;
        for (int side = 0; side < 3; side++)
            if (in[side])
                items[(size_t)side * c->all->count + v.counts[side]++] = item;
    }
    v.conflict = !same_items(side_of(&v, 0), side_of(&v, 1)) &&
                 !same_items(side_of(&v, 0), side_of(&v, 2)) &&
                 !same_items(side_of(&v, 1), side_of(&v, 2));
    return v;
}

/* Returns the resolution of an id, which is the same for each call. */
static pqt_resolution
decision(const case_of_merge *c, uint64_t id, const pqt_conflict *conflict, pqt_items *answer)
{
    static pqt_item made_up[2];
    dice d = {c->salt ^ id};
    pqt_resolution decided = (pqt_resolution)(1 + dice_below(&d, 6));
    if (c->salt <= PQT_KEEP_BASE)
        decided = (pqt_resolution)c->salt;
    bool unique = c->r->options.unique_ids;
    if (decided == PQT_KEEP_BOTH && unique && conflict->ours.count > 0 &&
        conflict->theirs.count > 0)
        decided = PQT_KEEP_NEITHER;
    if (decided != PQT_KEEP_ITEMS)
        return decided;
    answer->count = dice_below(&d, unique ? 2 : 3);
    answer->items = made_up;
    for (size_t i = 0; i < answer->count; i++)
        made_up[i] = (pqt_item){draw_box(&d, c->r->world->bounds, c->r->layout), id};
    if (c->r->options.strict_bounds)
        *answer = conflict->theirs;
    return decided;
}

static pqt_resolution
resolve(const pqt_conflict *conflict, pqt_items *answer, void *context)
{
    case_of_merge *c = context;
    pqt_item *items = room_for(3 * c->all->count, sizeof *items);
    value v = value_of(c, conflict->id, items);
    require(c->r, v.conflict, "asked about an id that is in no conflict");
    require(c->r, c->calls == 0 || c->last_id < conflict->id, "asked out of order");
    require(c->r, same_items(conflict->base, side_of(&v, 0)), "the base of a conflict");
    require(c->r, same_items(conflict->ours, side_of(&v, 1)), "ours of a conflict");
    require(c->r, same_items(conflict->theirs, side_of(&v, 2)), "theirs of a conflict");
    c->calls++;
    c->last_id = conflict->id;
    pqt_resolution decided = decision(c, conflict->id, conflict, answer);
    free(items);
    return decided;
}

typedef struct item_list {
    pqt_item *items;
    size_t count;
} item_list;

static void
append(item_list *list, pqt_items items)
{
    for (size_t i = 0; i < items.count; i++)
        list->items[list->count++] = items.items[i];
}

/* Adds the result for the changed items of an id. */
static void
append_merged(const case_of_merge *c, uint64_t id, const value *v, item_list *merged)
{
    pqt_items base = side_of(v, 0), ours = side_of(v, 1), theirs = side_of(v, 2);
    pqt_conflict conflict = {id, base, ours, theirs};
    pqt_items answer = {NULL, 0};
    pqt_resolution decided = same_items(base, ours) ? PQT_KEEP_THEIRS : PQT_KEEP_OURS;
    if (v->conflict)
        decided = decision(c, id, &conflict, &answer);
    if (decided == PQT_KEEP_OURS || decided == PQT_KEEP_BOTH)
        append(merged, ours);
    if (decided == PQT_KEEP_THEIRS || decided == PQT_KEEP_BOTH)
        append(merged, theirs);
    if (decided == PQT_KEEP_BASE)
        append(merged, base);
    if (decided == PQT_KEEP_ITEMS)
        append(merged, answer);
}

static bool
in_all(const case_of_merge *c, pqt_item item)
{
    return model_contains(&c->sides[0]->m, item) && model_contains(&c->sides[1]->m, item) &&
           model_contains(&c->sides[2]->m, item);
}

static bool
is_first_of_id(const built_tree *all, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (all->order[k]->item.id == all->order[i]->item.id)
            return false;
    return true;
}

/* Returns the merged model. Sets the number of conflicts and the lowest id in conflict. */
static model
model_merge(const case_of_merge *c, size_t *conflicts, uint64_t *least)
{
    pqt_item *items = room_for(3 * c->all->count, sizeof *items);
    item_list merged = {room_for(8 * c->all->count + 8, sizeof *items), 0};
    *conflicts = 0;
    *least = UINT64_MAX;
    for (size_t i = 0; i < c->all->count; i++) {
        pqt_item item = c->all->order[i]->item;
        if (in_all(c, item))
            append(&merged, (pqt_items){&item, 1});
        if (!is_first_of_id(c->all, i))
            continue;
        value v = value_of(c, item.id, items);
        append_merged(c, item.id, &v, &merged);
        *conflicts += v.conflict;
        if (v.conflict && item.id < *least)
            *least = item.id;
    }
    model m = model_with(c->r, merged.items, merged.count);
    free(merged.items);
    free(items);
    return m;
}

/* Merges without a callback. Expects an error that names the lowest id in conflict, or a result if
 * nothing conflicts. */
static void
check_undecided(const case_of_merge *c, const model *m, size_t conflicts, uint64_t least)
{
    const slot *const *s = c->sides;
    pqt_error error = {0};
    char text[64];
    const pqt_tree *made = pqt_tree_merge(s[0]->tree, s[1]->tree, s[2]->tree, NULL, &error);
    if (conflicts > 0) {
        snprintf(text, sizeof text, "id %" PRIu64 " ", least);
        require(c->r, made == NULL && error.status == PQT_ERROR_CONFLICT,
                "no conflict is reported");
        require(c->r, strncmp(error.text, text, strlen(text)) == 0, error.text);
        return;
    }
    expect_version(c->r, m, made, &error);
    made = pqt_tree_merge(s[0]->tree, s[2]->tree, s[1]->tree, NULL, &error);
    expect_version(c->r, m, made, &error);
}

static uint64_t
draw_salt(dice *d)
{
    return dice_chance(d, 50) ? 1 + dice_below(d, PQT_KEEP_BASE) : dice_next(d);
}

static void
check_merge(run *r)
{
    case_of_merge c = {.r = r, .salt = draw_salt(&r->d)};
    pqt_merge_options options = PQT_MERGE_DEFAULTS;
    pqt_error error = {0};
    size_t conflicts;
    uint64_t least;
    for (int side = 0; side < 3; side++)
        c.sides[side] = &r->slots[dice_below(&r->d, SLOTS)];
    r->doing = "merge";
    options.resolve = resolve;
    options.context = &c;
    c.all = all_items_of(r, (const model *[]){&c.sides[0]->m, &c.sides[1]->m, &c.sides[2]->m}, 3);
    model m = model_merge(&c, &conflicts, &least);
    const pqt_tree *made =
        pqt_tree_merge(c.sides[0]->tree, c.sides[1]->tree, c.sides[2]->tree, &options, &error);
    expect_version(r, &m, made, &error);
    require(r, c.calls == conflicts, "not asked once for each conflict");
    expect_pointers(r, &m, made, c.sides, 3);
    check_undecided(&c, &m, conflicts, least);
    keep_or_forget(r, &m, made);
    built_free(c.all);
}

/* ---- union, intersection, difference ---- */

/* Checks a union. With unique ids, it is a merge whose base is empty. */
static void
check_union(run *r, const slot *a, const slot *b)
{
    slot nothing = {NULL, model_make(r->world->bounds, &r->options)};
    case_of_merge c = {.r = r, .sides = {&nothing, a, b}, .salt = draw_salt(&r->d)};
    pqt_merge_options options = PQT_MERGE_DEFAULTS;
    pqt_error error = {0};
    size_t conflicts = 0;
    uint64_t least;
    r->doing = "union";
    options.resolve = resolve;
    options.context = &c;
    c.all = all_items_of(r, (const model *[]){&a->m, &b->m}, 2);
    pqt_item *items = room_for(c.all->count, sizeof *items);
    for (size_t i = 0; i < c.all->count; i++)
        items[i] = c.all->order[i]->item;
    model m = r->options.unique_ids ? model_merge(&c, &conflicts, &least)
                                    : model_with(r, items, c.all->count);
    const pqt_tree *made = pqt_tree_union(a->tree, b->tree, &options, &error);
    expect_version(r, &m, made, &error);
    require(r, c.calls == conflicts, "not asked once for each conflict");
    expect_pointers(r, &m, made, (const slot *[]){a, b}, 2);
    made = pqt_tree_union(a->tree, b->tree, NULL, &error);
    require(r, (made == NULL) == (conflicts > 0), "undecided");
    require(r, made != NULL || error.status == PQT_ERROR_CONFLICT, error.text);
    free(items);
    built_free(c.all);
    model_free(&nothing.m);
    model_free(&m);
}

/* Returns the items of `a` that `b` contains, or those that it does not contain. */
static model
model_part(const run *r, const model *a, const model *b, bool common)
{
    pqt_item *items = room_for(a->count, sizeof *items);
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++)
        if (model_contains(b, a->items[i]) == common)
            items[count++] = a->items[i];
    model m = model_with(r, items, count);
    free(items);
    return m;
}

static void
check_sets(run *r)
{
    const slot *a = &r->slots[dice_below(&r->d, SLOTS)];
    const slot *b = &r->slots[dice_below(&r->d, SLOTS)];
    pqt_error error = {0};
    check_union(r, a, b);
    r->doing = "intersection";
    model common = model_part(r, &a->m, &b->m, true), rest = model_part(r, &a->m, &b->m, false);
    const pqt_tree *both = pqt_tree_intersection(a->tree, b->tree, NULL, &error);
    expect_version(r, &common, both, &error);
    expect_pointers(r, &common, both, (const slot *[]){a, b}, 2);
    r->doing = "difference";
    const pqt_tree *only = pqt_tree_difference(a->tree, b->tree, NULL, &error);
    expect_version(r, &rest, only, &error);
    expect_pointers(r, &rest, only, (const slot *[]){a, b}, 2);
    const pqt_tree *again = pqt_tree_union(only, both, NULL, &error);
    require(r, again != NULL && pqt_tree_equals(again, a->tree), "the parts do not make the whole");
    keep_or_forget(r, &common, both);
    model_free(&rest);
}

/* ---- laws of pointers ---- */

static const pqt_tree *
built_apart(const run *r, const model *m)
{
    pqt_error error = {0};
    const pqt_tree *tree = pqt_tree_make(r->world->bounds, &r->options, &error);
    tree = pqt_tree_insert_all(tree, m->items, m->count, &error);
    require(r, tree != NULL, error.text);
    return tree;
}

static void
check_laws(run *r)
{
    const slot *s = &r->slots[dice_below(&r->d, SLOTS)];
    const pqt_tree *b = s->tree, *t = r->slots[dice_below(&r->d, SLOTS)].tree;
    const pqt_tree *apart = built_apart(r, &s->m);
    static const pqt_box plane = {{-INFINITY, -INFINITY}, {INFINITY, INFINITY}};
    pqt_query all = {.window = plane, .relation = PQT_TOUCHES};
    pqt_error error = {0};
    r->doing = "laws";
    require(r, pqt_tree_merge(b, b, t, NULL, &error) == t, "merge(b, b, t) is not t");
    require(r, pqt_tree_merge(b, t, b, NULL, &error) == t, "merge(b, o, b) is not o");
    require(r, pqt_tree_merge(b, t, t, NULL, &error) == t, "merge(b, t, t) is not t");
    require(r, pqt_tree_merge(b, apart, t, NULL, &error) == (t == b ? apart : t),
            "a stranger equal to the base");
    require(r, pqt_tree_merge(apart, b, t, NULL, &error) == t, "a base equal to ours");
    require(r, pqt_tree_union(b, apart, NULL, &error) == b, "a union with its equal");
    require(r, pqt_tree_intersection(b, apart, NULL, &error) == b,
            "an intersection with its equal");
    require(r, pqt_tree_count(pqt_tree_difference(b, apart, NULL, &error)) == 0,
            "a difference from its equal");
    require(r, pqt_tree_restore(b, apart, &all, &error) == b, "a restore of its equal");
    require(r, pqt_tree_equals(pqt_tree_restore(b, t, &all, &error), t), "a restore of everything");
    all.relation = PQT_COVERS;
    require(r, pqt_tree_restore(b, t, &all, &error) == b, "a restore of nothing");
}

/* ---- locating ---- */

typedef struct other_tree {
    run *r;
    const pqt_tree *own, *tree;
    size_t sums;
    change_list found;
} other_tree;

static bool
answer_digest(const pqt_sync_path *path, pqt_sync_digest *digest, void *context)
{
    other_tree *o = context;
    *digest = pqt_sync_digest_of(o->tree, *path);
    o->sums++;
    return true;
}

static bool
answer_items(const pqt_sync_path *path, pqt_item *items, size_t count, void *context)
{
    const other_tree *o = context;
    return pqt_sync_items_of(o->tree, *path, items, count) == count;
}

static bool
take_divergence(const pqt_sync_mismatch *cell, void *context)
{
    other_tree *o = context;
    pqt_sync_digest own = pqt_sync_digest_of(o->own, cell->path);
    pqt_sync_digest other = pqt_sync_digest_of(o->tree, cell->path);
    require(o->r, same_fingerprint(own.fingerprint, cell->own.fingerprint), "the own sum");
    require(o->r, own.count == cell->own.count, "the own count");
    require(o->r, same_fingerprint(other.fingerprint, cell->other.fingerprint), "the other sum");
    require(o->r, other.count == cell->other.count, "the other count");
    require(o->r, pqt_box_is_inside(cell->box, o->r->world->bounds), "the box of a cell");
    for (size_t i = 0; i < cell->count; i++)
        push(&o->found, cell->changes[i]);
    return true;
}

/* Changes are located cell by cell, and in each cell the removals come first. So the order of the
   list differs from that of a diff. */
static int
by_kind_and_item(const void *a, const void *b)
{
    const pqt_change *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return memcmp(&x->item, &y->item, sizeof x->item);
}

static void
check_locate(run *r)
{
    const slot *a = &r->slots[dice_below(&r->d, SLOTS)];
    const slot *b = &r->slots[dice_below(&r->d, SLOTS)];
    other_tree o = {.r = r, .own = a->tree, .tree = b->tree};
    pqt_sync_peer peer = {answer_digest, answer_items, &o};
    change_list must = model_unpaired(r, &a->m, &b->m, NULL);
    pqt_error error = {0};
    r->doing = "locate";
    require(r, pqt_sync_find(a->tree, &peer, take_divergence, &o, &error), error.text);
    if (must.count > 0)
        qsort(must.changes, must.count, sizeof *must.changes, by_kind_and_item);
    if (o.found.count > 0)
        qsort(o.found.changes, o.found.count, sizeof *must.changes, by_kind_and_item);
    expect_changes(r, &must, o.found.changes, o.found.count, "located changes");
    require(r, must.count > 0 || o.sums == 1, "asked more than once about an equal tree");
    require(r, o.sums <= 1 + must.count * 4 * 66, "asked too often");
    o.found.count = 0;
    peer.items = NULL;
    require(r, pqt_sync_find(a->tree, &peer, take_divergence, &o, &error), error.text);
    require(r, o.found.count == 0, "changes, although no items are fetched");
    free(o.found.changes);
    free(must.changes);
}

/* ---- runs ---- */

static void
edit(run *r)
{
    const slot *from = &r->slots[dice_below(&r->d, SLOTS)];
    slot *to = &r->slots[dice_below(&r->d, SLOTS)];
    size_t count = dice_below(&r->d, dice_chance(&r->d, 50) ? 4 : BATCH);
    pqt_change changes[BATCH];
    model m = model_copy(&from->m);
    pqt_error error = {0};
    r->doing = "edit";
    for (size_t i = 0; i < count; i++)
        changes[i] = draw_change(r, &m);
    model_result must = model_apply(&m, changes, count);
    const pqt_tree *next = pqt_tree_apply(from->tree, changes, count, &error);
    require(r, must.status == error.status, error.text);
    if (next == NULL) {
        model_free(&m);
        return;
    }
    if (dice_chance(&r->d, 20))
        next = built_apart(r, &m);
    model_free(&to->m);
    *to = (slot){next, m};
}

static void
operate(run *r)
{
    static void (*const checks[])(run * r) = {check_diff,    check_diff,  check_restore,
                                              check_restore, check_merge, check_merge,
                                              check_sets,    check_laws,  check_locate};
    edit(r);
    checks[dice_below(&r->d, sizeof checks / sizeof *checks)](r);
}

static pqt_tree_options
draw_options(run *r)
{
    static const int capacities[] = {1, 1, 2, 2, 3, 24, 64};
    static const int depths[] = {0, 1, 2, 8, 24, 24, 32};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.leaf_capacity = capacities[dice_below(&r->d, 7)];
    options.max_depth = depths[dice_below(&r->d, 7)];
    options.unique_ids = dice_chance(&r->d, 45);
    options.strict_bounds = dice_chance(&r->d, 10);
    options.memory = r->memory;
    return options;
}

static void
start(run *r, uint64_t seed, pqt_memory *memory)
{
    pqt_error error = {0};
    memset(r, 0, sizeof *r);
    r->seed = r->d.state = seed;
    r->doing = "start";
    r->world = &worlds[dice_below(&r->d, worlds_count)];
    r->layout = (box_layout)dice_below(&r->d, BOX_LAYOUTS);
    r->memory = memory != NULL ? memory : pqt_arena_make(0, &error);
    require(r, r->memory != NULL, error.text);
    r->options = draw_options(r);
    r->most = (size_t)r->options.leaf_capacity * 3 + dice_below(&r->d, 60);
    r->ids = dice_chance(&r->d, 30) ? 12 : r->most * 2;
    for (size_t i = 0; i < SLOTS; i++) {
        r->slots[i].m = model_make(r->world->bounds, &r->options);
        r->slots[i].tree = pqt_tree_make(r->world->bounds, &r->options, &error);
        require(r, r->slots[i].tree != NULL, error.text);
    }
}

/* Checks that no operation has changed a version. */
static void
finish_rebuild(run *r, pqt_memory *memory)
{
    pqt_error error = {0};
    r->doing = "at the end";
    for (size_t i = 0; i < SLOTS; i++) {
        expect_version(r, &r->slots[i].m, r->slots[i].tree, &error);
        model_free(&r->slots[i].m);
    }
    if (memory == NULL)
        pqt_arena_destroy(&r->memory);
}

/* Performs a run. If `memory` is NULL, the run gets an arena. The run is on the stack, which the
 * collector scans. */
static void
run_all(const char *name, size_t usual, pqt_memory *memory)
{
    size_t operations = test_scaled(usual);
    uint64_t seed = test_seed(name);
    run r;
    for (size_t done = 0; done < operations; seed++) {
        start(&r, seed, memory);
        for (; r.operation < RUN_OPERATIONS && done < operations; r.operation++, done++)
            operate(&r);
        finish_rebuild(&r, memory);
    }
}

/* ---- each allocation fails ---- */

static pqt_resolution
keep_by_id(const pqt_conflict *conflict, pqt_items *answer, void *context)
{
    const run *r = context;
    *answer = conflict->theirs;
    switch (conflict->id % 4) {
    case 0:
        return PQT_KEEP_BASE;
    case 1:
        return PQT_KEEP_THEIRS;
    case 2:
        return PQT_KEEP_ITEMS;
    default:
        return r->options.unique_ids ? PQT_KEEP_OURS : PQT_KEEP_BOTH;
    }
}

typedef const pqt_tree *operation_fn(run *r, const pqt_merge_options *options, pqt_error *error);

static const pqt_tree *
do_merge(run *r, const pqt_merge_options *options, pqt_error *error)
{
    return pqt_tree_merge(r->slots[0].tree, r->slots[1].tree, r->slots[2].tree, options, error);
}

static const pqt_tree *
do_union(run *r, const pqt_merge_options *options, pqt_error *error)
{
    return pqt_tree_union(r->slots[1].tree, r->slots[2].tree, options, error);
}

static const pqt_tree *
do_intersection(run *r, const pqt_merge_options *options, pqt_error *error)
{
    return pqt_tree_intersection(r->slots[1].tree, r->slots[2].tree, options, error);
}

static const pqt_tree *
do_difference(run *r, const pqt_merge_options *options, pqt_error *error)
{
    return pqt_tree_difference(r->slots[1].tree, r->slots[2].tree, options, error);
}

static const pqt_tree *
do_restore(run *r, const pqt_merge_options *options, pqt_error *error)
{
    pqt_box b = r->world->bounds;
    pqt_query query = {.relation = PQT_TOUCHES};
    query.window = pqt_box_make(b.min.x, b.min.y, b.min.x / 2 + b.max.x / 2, b.max.y);
    (void)options;
    return pqt_tree_restore(r->slots[1].tree, r->slots[2].tree, &query, error);
}

static void
fail_each_allocation_of(run *r, operation_fn *operation)
{
    pqt_merge_options options = {sizeof options, keep_by_id, r, NULL};
    pqt_error error = {0};
    const pqt_tree *must = operation(r, &options, &error), *made;
    hooks watch = {.fail_at = 0};
    require(r, must != NULL, error.text);
    do {
        error = (pqt_error){0};
        watch.fail_at++;
        hooks_start(&watch);
        made = operation(r, &options, &error);
        hooks_stop();
        require(r, (made == NULL) == (watch.failures > 0),
                "a failure makes a version, or none none");
        require(r, error.status == (made == NULL ? PQT_ERROR_MEMORY : PQT_OK), error.text);
    } while (made == NULL);
    require(r, pqt_tree_equals(made, must), "another version after failures");
    require(r, pqt_tree_check(made, &error), error.text);
}

static void
fail_each_allocation(const char *name, pqt_memory *memory)
{
    static operation_fn *const all[] = {do_merge, do_union, do_intersection, do_difference,
                                        do_restore};
    uint64_t seed = test_seed(name);
    run r;
    for (size_t round = 0; round < test_scaled(60); round++) {
        start(&r, seed + round, memory);
        while (r.operation++ < 12)
            edit(&r);
        r.doing = "a failing allocation";
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            fail_each_allocation_of(&r, all[i]);
        finish_rebuild(&r, memory);
    }
}

START_TEST(a_failed_allocation_leaves_all_versions_alone)
{
    fail_each_allocation("a_failed_allocation_leaves_all_versions_alone", NULL);
}
END_TEST

START_TEST(a_failed_allocation_in_the_collector_leaves_all_versions_alone)
{
    if (pqt_collector() != NULL)
        fail_each_allocation("a_failed_allocation_in_the_collector_leaves_all_versions_alone",
                             pqt_collector());
}
END_TEST

START_TEST(algebraic_laws_hold_in_arenas)
{
    run_all("algebraic_laws_hold_in_arenas", OPERATIONS, NULL);
}
END_TEST

START_TEST(algebraic_laws_hold_in_the_collector)
{
    if (pqt_collector() != NULL)
        run_all("algebraic_laws_hold_in_the_collector", OPERATIONS / 3, pqt_collector());
    else
        ck_assert_ptr_null(pqt_collector());
}
END_TEST

START_TEST(algebraic_laws_hold_while_each_allocation_collects)
{
    hooks watch = {.collect_every = 1, .memory = pqt_collector()};
    ck_assert(pqt_init(NULL));
    if (pqt_collector() != NULL) {
        hooks_start(&watch);
        run_all("algebraic_laws_hold_while_each_allocation_collects", 40, pqt_collector());
        hooks_stop();
        ck_assert_uint_gt(watch.collections, 0);
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("algebra_model");
    TCase *laws = tcase_create("laws");
    tcase_add_test(laws, algebraic_laws_hold_in_arenas);
    tcase_add_test(laws, algebraic_laws_hold_in_the_collector);
    tcase_add_test(laws, algebraic_laws_hold_while_each_allocation_collects);
    suite_add_tcase(suite, laws);
    TCase *failing = tcase_create("failing");
    tcase_add_test(failing, a_failed_allocation_leaves_all_versions_alone);
    tcase_add_test(failing, a_failed_allocation_in_the_collector_leaves_all_versions_alone);
    suite_add_tcase(suite, failing);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
