/* SPDX-License-Identifier: MIT */
/*
 * test_model.c: tests that after each of many random commands the version equals the model node for
 * node.
 *
 * A run draws bounds, options and a distribution of boxes, and then runs commands until it has done
 * its share of all operations. Pins keep old versions, some in a ring, some permanently. The pins
 * are in memory from malloc, which the collector does not scan. All versions are checked again at
 * the end of the run. A run that fails prints its seed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pqt/heap.h>
#include <pqt/memory.h>
#include <pqt/tree.h>

#include "batch_support.h"
#include "compare_trees.h"
#include "options_support.h"
#include "hooks.h"
#include "plain_model.h"
#include "random.h"
#include "suite.h"
#include "tree_bounds.h"

enum { OPERATIONS = 12000, RUN_OPERATIONS = 200, RING = 8, KEPT = 64, BATCH = 700 };

/* Cases that a batch must handle. Besides the strategies there is one more method of applying a
   batch: rebuilding a subtree (src/tree/edit_rebuild.c). */
enum { ABSENT_ITEM, REPEATED_ID, MOVE_ONTO_ITSELF, MEETINGS };
enum { REBUILT = STRATEGIES, WAYS };
static const char *const meeting_names[] = {"an absent item", "an id twice", "a move onto itself"};
static const char *const way_names[] = {"directly", "in bulk",  "tied",
                                        "once",     "in order", "rebuilt"};

/* The number of batches of each strategy with each case. */
typedef size_t encounters[WAYS][MEETINGS];

/* An old version and its model. */
typedef struct kept {
    pqt_pin *pin;
    model m;
} kept;

/* The memories of a run. In heaps, either a full cycle ends each operation, or a slice precedes
   each allocation within the scope of an operation. */
typedef enum memories { ARENAS, COLLECTOR, HEAPS, SLICED_HEAPS } memories;

typedef struct run {
    memories kind;
    dice d;
    uint64_t seed;
    const world *world;
    box_layout layout;
    size_t ids;  /* all ids are below it, so that they often coincide */
    size_t most; /* the approximate limit on the items of the run */
    size_t operation;
    const char *doing;
    pqt_memory *memories[2];
    const pqt_tree *tree;
    model m;
    kept *ring;
    kept *kept;
    size_t kept_count;
    pqt_change *changes;
    encounters *met;
} run;

static void
broken(const run *r, const complaint *why)
{
    ck_abort_msg("PQT_SEED=%" PRIu64 ": operation %zu (%s) in %s, %s: capacity %zu, depth %d%s%s, "
                 "%zu items: %s",
                 r->seed, r->operation, r->doing, r->world->name, box_layout_name(r->layout),
                 r->m.capacity, r->m.depth, r->m.strict ? ", strict" : "",
                 r->m.unique ? ", unique ids" : "", r->m.count, why->text);
}

static void
require(const run *r, bool right, const char *what)
{
    complaint why;
    if (right)
        return;
    complain(&why, "%s", what);
    broken(r, &why);
}

/* ---- Drawing ---- */

static bool
divisible(const pqt_item *item, void *context)
{
    const uint64_t *divisor = context;
    return item->id % *divisor == 0;
}

static pqt_query
draw_query(run *r)
{
    static uint64_t divisors[] = {2, 3, 1, UINT64_MAX};
    pqt_query query = {0};
    query.window = draw_window(&r->d, r->world->bounds, r->layout);
    query.relation = (pqt_relation)(1 + dice_below(&r->d, 4));
    if (r->m.count > 0 && dice_chance(&r->d, 15))
        query.window = r->m.items[dice_below(&r->d, r->m.count)].box;
    if (dice_chance(&r->d, 25)) {
        query.filter = divisible;
        query.context = &divisors[dice_below(&r->d, 4)];
    }
    return query;
}

static pqt_box
draw_new_box(run *r)
{
    if (r->m.count > 0 && dice_chance(&r->d, 10))
        return r->m.items[dice_below(&r->d, r->m.count)].box;
    return draw_box(&r->d, r->world->bounds, r->layout);
}

static pqt_item
draw_new_item(run *r)
{
    pqt_item item = {draw_new_box(r), dice_below(&r->d, r->ids)};
    if (dice_chance(&r->d, 2))
        item.id = dice_next(&r->d);
    return item;
}

/* Returns an item that is present or, now and then, one that differs from it in a single number. */
static pqt_item
draw_old_item(run *r)
{
    pqt_item item;
    if (r->m.count == 0)
        return draw_new_item(r);
    item = r->m.items[dice_below(&r->d, r->m.count)];
    if (dice_chance(&r->d, 85))
        return item;
    switch (dice_below(&r->d, 4)) {
    case 0:
        item.id = dice_below(&r->d, r->ids);
        break;
    case 1:
        item.box.max.x = item.box.max.x / 2 + r->world->bounds.max.x / 2;
        break;
    case 2:
        item.box = draw_new_box(r);
        break;
    default:
        item.box.min.y = NAN;
        break;
    }
    return item;
}

static pqt_change
draw_change(run *r)
{
    pqt_change change = {PQT_INSERT, {{{0, 0}, {0, 0}}, 0}, {{NAN, NAN}, {NAN, NAN}}};
    size_t kinds = r->m.unique ? 100 : 80;
    size_t kind = dice_below(&r->d, kinds);
    bool growing = r->m.count < r->most;
    if (kind < (growing ? 40 : 20)) {
        change.item = dice_chance(&r->d, 90) ? draw_new_item(r) : draw_old_item(r);
        if (isnan(change.item.box.min.y))
            change.item.box.min.y = change.item.box.max.y;
        if (change.item.box.min.x > change.item.box.max.x)
            change.item.box.max.x = change.item.box.min.x;
        return change;
    }
    change.kind = kind < 60   ? PQT_REMOVE
                  : kind < 80 ? PQT_MOVE
                  : kind < 90 ? PQT_REMOVE_ID
                              : PQT_MOVE_ID;
    change.item = draw_old_item(r);
    if (change.kind == PQT_MOVE || change.kind == PQT_MOVE_ID)
        change.to = draw_new_box(r);
    return change;
}

/* Returns an invalid box. */
static pqt_box
draw_bad_box(run *r)
{
    pqt_box box = draw_box(&r->d, r->world->bounds, r->layout);
    double *const sides[] = {&box.min.x, &box.min.y, &box.max.x, &box.max.y};
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    if (dice_chance(&r->d, 40)) {
        bool across = dice_chance(&r->d, 50);
        *sides[across ? 0 : 1] = 2;
        *sides[across ? 2 : 3] = 1;
    } else {
        *sides[dice_below(&r->d, 4)] = bad[dice_below(&r->d, 3)];
    }
    return box;
}

/* ---- Commands ---- */

static void
settle(run *r, model_result must, const pqt_tree *next, const pqt_error *error)
{
    complaint why;
    if (!check_model_result(must, r->tree, next, error, &why))
        broken(r, &why);
    if (must.status == PQT_OK)
        r->tree = next;
}

static void
change_one(run *r)
{
    static const char *const names[] = {"", "insert", "remove", "move", "remove_id", "move_id"};
    pqt_change change = draw_change(r);
    pqt_error error = {0};
    model_result must = model_apply(&r->m, &change, 1);
    r->doing = names[change.kind];
    settle(r, must, change_tree(r->tree, &change, &error), &error);
}

static size_t
draw_batch_size(run *r)
{
    static const size_t sizes[] = {1, 3, 10, 40, BATCH};
    return dice_below(&r->d, sizes[dice_below(&r->d, 5)] + 1);
}

/* Returns a number of changes that suffices to rebuild a subtree, but not the whole tree. */
static size_t
draw_fraction(run *r)
{
    const size_t eighth = r->m.count / 8;
    if (dice_chance(&r->d, 50) || eighth > BATCH / 2)
        return draw_batch_size(r);
    return eighth + dice_below(&r->d, eighth + 1);
}

/* Returns the new item of a move; for other changes, their item. */
static pqt_item
target_of(const run *r, const pqt_change *change)
{
    const pqt_item *found = model_find(&r->m, change->item.id);
    const bool by_id = change->kind == PQT_MOVE_ID || change->kind == PQT_REMOVE_ID;
    const pqt_item item = by_id && found != NULL ? *found : change->item;
    const bool moves = change->kind == PQT_MOVE || change->kind == PQT_MOVE_ID;
    return model_item((pqt_item){moves ? change->to : item.box, item.id});
}

/* Returns true if two changes touch the same item or, with unique ids, the same id. */
static bool
touch_each_other(const run *r, const pqt_change *a, const pqt_change *b)
{
    if (r->m.unique || a->item.id != b->item.id)
        return a->item.id == b->item.id;
    const pqt_item from_a = model_item(a->item), from_b = model_item(b->item);
    const pqt_item to_a = target_of(r, a), to_b = target_of(r, b);
    return same_item(from_a, from_b) || same_item(from_a, to_b) || same_item(to_a, from_b) ||
           same_item(to_a, to_b);
}

static bool
touches_what_others_do(const run *r, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (touch_each_other(r, &r->changes[i], &r->changes[k]))
            return true;
    return false;
}

/* The manner in which the changes of a batch are drawn. */
typedef enum mood { ANYTHING, APART, WITHOUT_MOVES, MOODS } mood;

/* Draws change number i of a batch. */
static void
draw_change_of_batch(run *r, size_t i, mood kind)
{
    enum { TRIES = 20 };
    pqt_change *change = &r->changes[i];
    int tries = 0;
    do {
        *change = draw_change(r);
        if (kind == WITHOUT_MOVES && change->kind != PQT_INSERT)
            change->kind = PQT_REMOVE;
        /* The item occurs in an earlier change of this batch. */
        if (kind == ANYTHING && i > 0 && dice_chance(&r->d, 15)) {
            change->item = r->changes[dice_below(&r->d, i)].item;
            change->kind = dice_chance(&r->d, 50) ? PQT_REMOVE : PQT_MOVE;
            change->to = draw_new_box(r);
        }
        if (change->kind == PQT_MOVE && pqt_box_is_valid(change->item.box) &&
            dice_chance(&r->d, 10))
            change->to = change->item.box;
        if (change->kind == PQT_MOVE_ID && dice_chance(&r->d, 10))
            change->to = target_of(r, &(pqt_change){PQT_REMOVE_ID, change->item, change->to}).box;
    } while (kind == APART && touches_what_others_do(r, i) && ++tries < TRIES);
}

/* Returns the cases to which a change of a batch belongs, one bit for each. */
static unsigned
meetings_of(const run *r, size_t i)
{
    const pqt_change *change = &r->changes[i];
    const bool by_id = change->kind == PQT_MOVE_ID || change->kind == PQT_REMOVE_ID;
    const bool there =
        by_id ? model_find(&r->m, change->item.id) != NULL : model_contains(&r->m, change->item);
    const bool moves = change->kind == PQT_MOVE || change->kind == PQT_MOVE_ID;
    unsigned met = 0;
    if (!there && change->kind != PQT_INSERT)
        met |= 1U << ABSENT_ITEM;
    if (there && moves && model_contains(&r->m, target_of(r, change)))
        met |= 1U << MOVE_ONTO_ITSELF;
    for (size_t k = 0; k < i; k++)
        if (r->changes[k].item.id == change->item.id)
            met |= 1U << REPEATED_ID;
    return met;
}

/* Returns true if the root is rebuilt with the changes, as edit.c decides. */
static bool
is_rebuilt(const run *r, size_t count)
{
    size_t edits = count_edits(r->tree, r->changes, count);
    return r->m.count > r->m.capacity && r->m.count <= 512 && edits > 8 && edits >= r->m.count / 4;
}

static void
count_encounters(run *r, size_t count)
{
    const strategy chosen = strategy_of(r->tree, r->changes, count);
    const bool rebuilt = is_rebuilt(r, count);
    unsigned met = 0;
    for (size_t i = 0; i < count; i++)
        met |= meetings_of(r, i);
    for (int meeting = 0; meeting < MEETINGS; meeting++) {
        (*r->met)[chosen][meeting] += met >> meeting & 1;
        (*r->met)[REBUILT][meeting] += rebuilt ? met >> meeting & 1 : 0;
    }
}

/* Returns true if only builds with fast paths choose this strategy. */
static bool
is_fast_strategy(int way)
{
    return way == (int)IN_BULK || way == (int)TIED || way == (int)ONCE;
}

/* Expects that each strategy occurred with each case, except for impossible combinations: moves
   that do not depend on the tree, and repeated ids in a batch of distinct ids. */
static void
expect_encounters(encounters met)
{
    for (int way = 0; way < WAYS; way++) {
        for (int meeting = 0; meeting < MEETINGS; meeting++) {
            const bool cannot_be = (way == (int)DIRECTLY && meeting == MOVE_ONTO_ITSELF) ||
                                   (way == (int)ONCE && meeting == REPEATED_ID) ||
                                   (!HAS_FAST_STRATEGIES && is_fast_strategy(way));
            fprintf(stderr, "# batches %s that met %s: %zu\n", way_names[way],
                    meeting_names[meeting], met[way][meeting]);
            ck_assert_msg(cannot_be || test_scaled(100) < 100 || met[way][meeting] > 0,
                          "no batch %s met %s", way_names[way], meeting_names[meeting]);
        }
    }
}

static void
change_many(run *r)
{
    const mood kind = (mood)dice_below(&r->d, MOODS);
    size_t count = draw_fraction(r);
    pqt_error error = {0};
    model_result must;
    r->doing = "apply";
    for (size_t i = 0; i < count; i++)
        draw_change_of_batch(r, i, kind);
    if (count > 0 && !r->m.strict) /* strict bounds may refuse some changes */
        count_encounters(r, count);
    must = model_apply(&r->m, r->changes, count);
    settle(r, must, pqt_tree_apply(r->tree, count > 0 ? r->changes : NULL, count, &error), &error);
}

static void
change_all(run *r)
{
    size_t count = draw_batch_size(r);
    pqt_item *items = calloc(count + 1, sizeof *items);
    bool inserting = r->m.count < r->most && dice_chance(&r->d, 60);
    pqt_error error = {0};
    model_result must;
    r->doing = inserting ? "insert_all" : "remove_all";
    for (size_t i = 0; i < count; i++) {
        items[i] = inserting ? draw_new_item(r) : draw_old_item(r);
        r->changes[i].kind = inserting ? PQT_INSERT : PQT_REMOVE;
        r->changes[i].item = items[i];
    }
    must = model_apply(&r->m, r->changes, count);
    if (inserting)
        settle(r, must, pqt_tree_insert_all(r->tree, items, count, &error), &error);
    else
        settle(r, must, pqt_tree_remove_all(r->tree, items, count, &error), &error);
    free(items);
}

/* Makes a change that must be refused, alone or within a batch. The version must not change. */
static void
change_badly(run *r)
{
    size_t count = 1 + dice_below(&r->d, 20);
    size_t bad = dice_below(&r->d, count);
    pqt_error error = {0};
    model_result must;
    for (size_t i = 0; i < count; i++)
        r->changes[i] = draw_change(r);
    r->changes[bad].kind = dice_chance(&r->d, 50) ? PQT_INSERT : PQT_MOVE;
    r->changes[bad].item.box = draw_bad_box(r);
    r->changes[bad].to = r->changes[bad].item.box;
    r->doing = "a bad change";
    must = model_apply(&r->m, &r->changes[bad], 1);
    settle(r, must, change_tree(r->tree, &r->changes[bad], &error), &error);
    require(r, change_tree(NULL, &r->changes[0], &error) == NULL, "a failure is not passed on");
    require(r, error.status == PQT_ERROR_BOX, "a failure passed on has changed");
    error = (pqt_error){0};
    r->doing = "a bad batch";
    must = model_apply(&r->m, r->changes, count);
    settle(r, must, pqt_tree_apply(r->tree, r->changes, count, &error), &error);
}

static void
search(run *r)
{
    pqt_query query = draw_query(r);
    pqt_error error = {0};
    model found = model_copy(&r->m);
    model_result must = model_search(&found, query);
    const pqt_tree *next = pqt_tree_search(r->tree, &query, &error);
    complaint why;
    r->doing = "search";
    if (!check_model_result(must, r->tree, next, &error, &why))
        broken(r, &why);
    if (must.status == PQT_OK && !check_version(&found, next, &why))
        broken(r, &why);
    if (must.status == PQT_OK && dice_chance(&r->d, 25)) {
        model_free(&r->m);
        r->m = found;
        r->tree = next;
    } else {
        model_free(&found);
    }
}

static void
clear(run *r)
{
    pqt_error error = {0};
    model_result must = model_clear(&r->m);
    r->doing = "clear";
    settle(r, must, pqt_tree_clear(r->tree, &error), &error);
}

static void
copy(run *r)
{
    pqt_memory *own = pqt_tree_memory(r->tree);
    pqt_memory *other = r->memories[own == r->memories[0]];
    pqt_error error = {0};
    const pqt_tree *next = pqt_tree_copy(r->tree, other, &error);
    r->doing = "copy";
    require(r, next != NULL && next != r->tree, error.text);
    require(r, pqt_tree_memory(next) == other, "the memory of a copy");
    require(r, pqt_tree_equals(next, r->tree), "a copy does not equal its original");
    require(r, pqt_tree_copy(r->tree, own, &error) == r->tree, "copied into its own memory");
    r->tree = next;
}

/* Makes the same set in another way: a new tree in another order, or one with other bounds. */
static void
rebuild(run *r)
{
    pqt_tree_options options = options_of_tree(r->tree);
    pqt_item *items = calloc(r->m.count + 1, sizeof *items);
    pqt_error error = {0};
    const pqt_tree *again;
    complaint why;
    model other;
    r->doing = "rebuild";
    for (size_t i = 0; i < r->m.count; i++) {
        size_t j = dice_below(&r->d, i + 1);
        items[i] = items[j];
        items[j] = r->m.items[i];
    }
    again = pqt_tree_make(r->m.bounds, &options, &error);
    again = pqt_tree_insert_all(again, items, r->m.count, &error);
    require(r, again != NULL, error.text);
    if (!check_version(&r->m, again, &why))
        broken(r, &why);
    require(r, pqt_tree_equals(again, r->tree), "rebuilt, it is not equal");
    if (r->m.count > 1 && dice_chance(&r->d, 50))
        items[0] = items[r->m.count - 1];
    if (r->m.count > 1 && dice_chance(&r->d, 20))
        items[dice_below(&r->d, r->m.count)].box = draw_bad_box(r);
    error = (pqt_error){0};
    model_result must = model_of(&other, items, r->m.count, &options);
    again = pqt_tree_of(items, r->m.count, &options, &error);
    if (!check_model_result(must, NULL, again, &error, &why) ||
        (again != NULL && !check_version(&other, again, &why)))
        broken(r, &why);
    model_free(&other);
    free(items);
}

/* ---- Old versions ---- */

static kept
keep(run *r)
{
    pqt_error error = {0};
    kept k = {pqt_tree_pin(r->tree, &error), model_copy(&r->m)};
    require(r, k.pin != NULL, error.text);
    return k;
}

static void
drop_first(kept *k)
{
    pqt_unpin(&k->pin);
    model_free(&k->m);
}

static void
remember_copy(run *r)
{
    kept *slot = &r->ring[r->operation % RING];
    drop_first(slot);
    *slot = keep(r);
    if (r->kept_count < KEPT && dice_chance(&r->d, 20))
        r->kept[r->kept_count++] = keep(r);
}

static void
go_back(run *r)
{
    const kept *k = dice_chance(&r->d, 70) || r->kept_count == 0
                        ? &r->ring[dice_below(&r->d, RING)]
                        : &r->kept[dice_below(&r->d, r->kept_count)];
    r->doing = "go back";
    if (k->pin == NULL)
        return;
    r->tree = pqt_pin_get_tree(k->pin);
    model_free(&r->m);
    r->m = model_copy(&k->m);
}

static void
check_one_kept(run *r, const kept *k)
{
    const pqt_tree *old = pqt_pin_get_tree(k->pin);
    pqt_fingerprint a = pqt_tree_fingerprint(old);
    pqt_fingerprint b = pqt_tree_fingerprint(r->tree);
    bool equal = model_equals(&k->m, &r->m);
    size_t shared = pqt_tree_shared_bytes(old, r->tree);
    built_tree *built = model_build(&k->m);
    pqt_error error = {0};
    complaint why;
    r->doing = "checking old versions";
    if (!check_version(&k->m, old, &why) || !check_query(built, old, draw_query(r), &why))
        broken(r, &why);
    require(r, pqt_tree_check(old, &error), error.text);
    require(r, pqt_tree_equals(old, r->tree) == equal, "equals is wrong");
    require(r, same_fingerprint(a, b) == equal, "fingerprints are wrong");
    require(r, shared <= pqt_tree_get_stats(old).bytes,
            "more bytes are shared than the version has");
    require(r, shared == pqt_tree_shared_bytes(r->tree, old),
            "shared bytes depend on the order of the two");
    built_free(built);
}

/* Versions that are copied together share the blocks that their originals share. */
static void
check_copies(run *r)
{
    const pqt_tree **olds = calloc(KEPT, sizeof *olds);
    const pqt_tree **copies = calloc(KEPT, sizeof *copies);
    pqt_error error = {0};
    complaint why;
    r->doing = "copy_all";
    for (size_t i = 0; i < r->kept_count; i++)
        olds[i] = pqt_pin_get_tree(r->kept[i].pin);
    pqt_memory *arena = pqt_arena_make(0, &error);
    require(r, arena != NULL, error.text);
    require(r, pqt_tree_copy_all(olds, r->kept_count, arena, copies, &error), error.text);
    for (size_t i = 0; i < r->kept_count; i++) {
        if (!check_version(&r->kept[i].m, copies[i], &why))
            broken(r, &why);
        /* Other memories round up some sizes, so that only the bytes of arenas can be compared. */
        pqt_memory *home = pqt_tree_memory(olds[i]);
        if (r->kind == ARENAS && home == pqt_tree_memory(olds[0]))
            require(r,
                    pqt_tree_shared_bytes(copies[i], copies[0]) ==
                        pqt_tree_shared_bytes(olds[i], olds[0]),
                    "copies share more or less than their originals");
    }
    pqt_arena_destroy(&arena);
    free(olds);
    free(copies);
}

static void
check_and_drop_kept(run *r)
{
    check_copies(r);
    for (size_t i = 0; i < RING; i++) {
        if (r->ring[i].pin != NULL)
            check_one_kept(r, &r->ring[i]);
        drop_first(&r->ring[i]);
    }
    for (size_t i = 0; i < r->kept_count; i++) {
        check_one_kept(r, &r->kept[i]);
        drop_first(&r->kept[i]);
    }
}

/* ---- Runs ---- */

static void
command(run *r)
{
    size_t which = dice_below(&r->d, 1000);
    if (which < 750)
        change_one(r);
    else if (which < 810)
        change_many(r);
    else if (which < 850)
        change_all(r);
    else if (which < 880)
        change_badly(r);
    else if (which < 930)
        search(r);
    else if (which < 935)
        clear(r);
    else if (which < 960)
        go_back(r);
    else if (which < 980)
        rebuild(r);
    else
        copy(r);
}

static void
operate(run *r)
{
    built_tree *built;
    pqt_item probe;
    pqt_error error = {0};
    complaint why;
    command(r);
    if (!check_version(&r->m, r->tree, &why))
        broken(r, &why);
    built = model_build(&r->m);
    for (int i = 0; i < 2; i++) {
        if (!check_query(built, r->tree, draw_query(r), &why))
            broken(r, &why);
    }
    built_free(built);
    probe = draw_old_item(r);
    require(r, pqt_tree_contains(r->tree, probe) == model_contains(&r->m, probe), "contains");
    if (r->operation % 4 == 0)
        require(r, pqt_tree_check(r->tree, &error), error.text);
    remember_copy(r);
}

static pqt_tree_options
draw_options(run *r)
{
    static const int capacities[] = {1, 1, 2, 3, 24, 64, 70, 100};
    static const int depths[] = {0, 1, 2, 8, 24, 24, 32};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.leaf_capacity = capacities[dice_below(&r->d, 8)];
    options.max_depth = depths[dice_below(&r->d, 7)];
    options.unique_ids = dice_chance(&r->d, 40);
    options.strict_bounds = dice_chance(&r->d, 10);
    options.memory = r->memories[0];
    return options;
}

static pqt_memory *
make_memory(memories kind, pqt_error *error)
{
    if (kind == COLLECTOR)
        return pqt_collector();
    return kind == ARENAS ? pqt_arena_make(0, error) : pqt_heap_make(NULL, error);
}

static void
start(run *r, uint64_t seed, memories kind, encounters *met)
{
    pqt_tree_options options;
    pqt_error error = {0};
    memset(r, 0, sizeof *r);
    r->seed = r->d.state = seed;
    r->kind = kind;
    r->met = met;
    r->doing = "start";
    r->world = &worlds[dice_below(&r->d, worlds_count)];
    r->layout = (box_layout)dice_below(&r->d, BOX_LAYOUTS);
    for (int i = 0; i < 2; i++)
        r->memories[i] = make_memory(i == 0 || kind != COLLECTOR ? kind : ARENAS, &error);
    require(r, r->memories[0] != NULL && r->memories[1] != NULL, error.text);
    options = draw_options(r);
    /* The limit may also be close to the capacity of a leaf, so that the root alternates between a
       leaf and a node. */
    r->most = (size_t)options.leaf_capacity;
    if (dice_chance(&r->d, 70))
        r->most = r->most * 4 + dice_below(&r->d, 200);
    r->ids = dice_chance(&r->d, 30) ? 16 : r->most * 2;
    r->ring = calloc(RING, sizeof *r->ring);
    r->kept = calloc(KEPT, sizeof *r->kept);
    r->changes = calloc(BATCH, sizeof *r->changes);
    r->m = model_make(r->world->bounds, &options);
    r->tree = pqt_tree_make(r->world->bounds, &options, &error);
    require(r, r->tree != NULL, error.text);
}

static void
finish_rebuild(run *r)
{
    check_and_drop_kept(r);
    model_free(&r->m);
    free(r->ring);
    free(r->kept);
    free(r->changes);
    for (int i = 0; i < 2; i++)
        if (r->kind == HEAPS || r->kind == SLICED_HEAPS)
            pqt_heap_destroy(&r->memories[i]);
        else if (r->memories[i] != pqt_collector())
            pqt_arena_destroy(&r->memories[i]);
}

/* Runs an operation in a scope of both heaps, with a slice at each allocation. */
static void
operate_in_slices(run *r)
{
    hooks watch = {.collect_every = 1, .slice = 1 + dice_below(&r->d, 40)};
    watch.memory = r->memories[dice_chance(&r->d, 80) ? 0 : 1];
    for (int i = 0; i < 2; i++)
        require(r, pqt_scope_begin(r->memories[i], NULL), "scope");
    hooks_start(&watch);
    operate(r);
    hooks_stop();
    for (int i = 0; i < 2; i++)
        pqt_scope_end(r->memories[i]);
    pqt_memory_reclaim(watch.memory, dice_below(&r->d, 2000));
}

static void
operate_in(run *r)
{
    if (r->kind == SLICED_HEAPS)
        operate_in_slices(r);
    else
        operate(r);
    for (int i = 0; i < 2 && r->kind == HEAPS; i++)
        require(r, pqt_memory_reclaim(r->memories[i], PQT_RECLAIM_ALL), "reclaim");
}

static void
run_all(const char *name, memories kind)
{
    size_t operations = test_scaled(OPERATIONS);
    uint64_t seed = test_seed(name);
    encounters met = {0};
    run r;
    for (size_t done = 0; done < operations; seed++) {
        start(&r, seed, kind, &met);
        for (; r.operation < RUN_OPERATIONS && done < operations; r.operation++, done++)
            operate_in(&r);
        finish_rebuild(&r);
    }
    expect_encounters(met);
}

START_TEST(random_commands_agree_with_a_plain_array_in_arenas)
{
    run_all("random_commands_agree_with_a_plain_array_in_arenas", ARENAS);
}
END_TEST

START_TEST(random_commands_agree_with_a_plain_array_in_the_collector)
{
    if (pqt_collector() != NULL)
        run_all("random_commands_agree_with_a_plain_array_in_the_collector", COLLECTOR);
    else
        ck_assert_ptr_null(pqt_collector());
}
END_TEST

START_TEST(random_commands_agree_in_heaps_with_a_cycle_after_each)
{
    run_all("random_commands_agree_in_heaps_with_a_cycle_after_each", HEAPS);
}
END_TEST

START_TEST(random_commands_agree_in_heaps_with_a_slice_at_each_allocation)
{
    run_all("random_commands_agree_in_heaps_with_a_slice_at_each_allocation", SLICED_HEAPS);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("model");
    TCase *commands = tcase_create("commands");
    tcase_add_test(commands, random_commands_agree_with_a_plain_array_in_arenas);
    tcase_add_test(commands, random_commands_agree_with_a_plain_array_in_the_collector);
    tcase_add_test(commands, random_commands_agree_in_heaps_with_a_cycle_after_each);
    tcase_add_test(commands, random_commands_agree_in_heaps_with_a_slice_at_each_allocation);
    suite_add_tcase(suite, commands);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
