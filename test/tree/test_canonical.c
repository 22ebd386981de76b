/* SPDX-License-Identifier: MIT */
/*
 * test_canonical.c: tests that equal sets have equal trees, node for node, whatever the order of
 * edits.
 *
 * A plan is a set of items with bounds and options, and the tree that the builder predicts for it.
 * The tests make a version of that set in several ways: one by one in random order, in bulk, from a
 * larger set, and with edits that are undone.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pqt/memory.h>
#include <pqt/tree.h>

#include "compare_trees.h"
#include "plain_model.h"
#include "random.h"
#include "suite.h"
#include "tree/item_hash.h"
#include "tree_bounds.h"

enum { ORDERS = 100 };

typedef struct plan {
    char name[160];
    pqt_box bounds;
    pqt_tree_options options;
    pqt_item *items; /* the set, in an order that the functions below shuffle */
    size_t count;
    pqt_item *others; /* items that are not in the set; neither are their ids */
    size_t others_count;
    built_tree *built;
} plan;

static void
shuffle(dice *d, pqt_item *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = dice_below(d, i);
        pqt_item item = items[i - 1];
        items[i - 1] = items[j];
        items[j] = item;
    }
}

/* Draws a plan. Ids in the set are even, the others odd. Without unique ids, several boxes may have
 * the same id. */
static plan
plan_make(dice *d, const world *w, box_layout kind, pqt_tree_options options, size_t count)
{
    plan p = {{'\0'}, w->bounds, options, NULL, 0, NULL, count / 2, NULL};
    model m = model_make(w->bounds, &options);
    pqt_change *changes = calloc(count, sizeof *changes);
    snprintf(p.name, sizeof p.name, "%s, %s, capacity %d, depth %d%s", w->name,
             box_layout_name(kind), options.leaf_capacity, options.max_depth,
             options.unique_ids ? ", unique ids" : "");
    for (size_t i = 0; i < count; i++) {
        changes[i].kind = PQT_INSERT;
        changes[i].item.box = draw_box(d, w->bounds, kind);
        changes[i].item.id = options.unique_ids ? i * 2 : dice_below(d, count) * 2;
    }
    model_apply(&m, changes, count);
    free(changes);
    p.items = m.items;
    p.count = m.count;
    p.others = calloc(p.others_count + 1, sizeof *p.others);
    for (size_t i = 0; i < p.others_count; i++)
        p.others[i] = (pqt_item){draw_box(d, w->bounds, kind), i * 2 + 1};
    p.built = model_build(&m);
    return p;
}

static void
plan_free(plan *p)
{
    built_free(p->built);
    free(p->items);
    free(p->others);
}

/* ---- Ways to make a version ---- */

typedef const pqt_tree *way_fn(const plan *p, dice *d, const pqt_tree *empty, pqt_error *error);

static const pqt_tree *
one_by_one(const plan *p, dice *d, const pqt_tree *tree, pqt_error *error)
{
    shuffle(d, p->items, p->count);
    for (size_t i = 0; i < p->count; i++)
        tree = pqt_tree_insert(tree, p->items[i], error);
    return tree;
}

static const pqt_tree *
in_bulk(const plan *p, dice *d, const pqt_tree *tree, pqt_error *error)
{
    shuffle(d, p->items, p->count);
    return pqt_tree_insert_all(tree, p->items, p->count, error);
}

/* Inserts some items one by one, then the others at once. */
static const pqt_tree *
in_two_parts(const plan *p, dice *d, const pqt_tree *tree, pqt_error *error)
{
    size_t first = dice_below(d, p->count + 1);
    shuffle(d, p->items, p->count);
    for (size_t i = 0; i < first; i++)
        tree = pqt_tree_insert(tree, p->items[i], error);
    return pqt_tree_insert_all(tree, p->items + first, p->count - first, error);
}

static const pqt_tree *
in_small_batches(const plan *p, dice *d, const pqt_tree *tree, pqt_error *error)
{
    size_t done = 0;
    shuffle(d, p->items, p->count);
    while (done < p->count) {
        size_t size = 1 + dice_below(d, 20);
        if (size > p->count - done)
            size = p->count - done;
        tree = pqt_tree_insert_all(tree, p->items + done, size, error);
        done += size;
    }
    return tree;
}

/* Inserts the other items, and removes them again, one by one. */
static const pqt_tree *
by_removal(const plan *p, dice *d, const pqt_tree *tree, pqt_error *error)
{
    size_t next = 0;
    for (size_t i = 0; i < p->others_count; i++)
        tree = pqt_tree_insert(tree, p->others[i], error);
    tree = one_by_one(p, d, tree, error);
    shuffle(d, p->others, p->others_count);
    for (; next < p->others_count; next++)
        tree = pqt_tree_remove(tree, p->others[next], error);
    return tree;
}

static const pqt_tree *
by_removal_at_once(const plan *p, dice *d, const pqt_tree *tree, pqt_error *error)
{
    tree = pqt_tree_insert_all(tree, p->others, p->others_count, error);
    tree = in_bulk(p, d, tree, error);
    shuffle(d, p->others, p->others_count);
    return pqt_tree_remove_all(tree, p->others, p->others_count, error);
}

/* Inserts each item with the box of another one, and moves it to its own box. */
static const pqt_tree *
by_moves(const plan *p, dice *d, const pqt_tree *tree, pqt_error *error)
{
    pqt_item *early = calloc(p->count + 1, sizeof *early);
    for (size_t i = 0; i < p->count; i++) {
        early[i].box = p->items[dice_below(d, p->count)].box;
        early[i].id = UINT64_C(1) << 40 | i;
        tree = pqt_tree_insert(tree, early[i], error);
    }
    /* A move keeps the id. So the boxes are now those of the set, and the ids are corrected
       afterwards. */
    for (size_t i = 0; i < p->count; i++) {
        tree = pqt_tree_move(tree, early[i], p->items[i].box, error);
        early[i].box = p->items[i].box;
    }
    for (size_t i = 0; i < p->count; i++) {
        tree = pqt_tree_insert(tree, p->items[i], error);
        tree = pqt_tree_remove(tree, early[i], error);
    }
    free(early);
    return tree;
}

/* Makes all changes in one batch: inserts of both sets, some of them undone and made again, then
 * removals. */
static const pqt_tree *
by_one_batch(const plan *p, dice *d, const pqt_tree *tree, pqt_error *error)
{
    pqt_change *changes = calloc(p->count * 4 + p->others_count * 2 + 1, sizeof *changes);
    size_t count = 0;
    for (size_t i = 0; i < p->others_count; i++)
        changes[count++] = (pqt_change){PQT_INSERT, p->others[i], {{0, 0}, {0, 0}}};
    shuffle(d, p->items, p->count);
    for (size_t i = 0; i < p->count; i++) {
        pqt_item item = p->items[i];
        changes[count++] = (pqt_change){PQT_INSERT, item, {{0, 0}, {0, 0}}};
        if (dice_chance(d, 20))
            changes[count++] = (pqt_change){PQT_REMOVE, item, {{0, 0}, {0, 0}}};
        changes[count++] = (pqt_change){PQT_INSERT, item, {{0, 0}, {0, 0}}};
    }
    for (size_t i = 0; i < p->others_count; i++)
        changes[count++] = (pqt_change){PQT_REMOVE, p->others[i], {{0, 0}, {0, 0}}};
    tree = pqt_tree_apply(tree, changes, count, error);
    free(changes);
    return tree;
}

/* Makes batches of a few changes, including changes to the other items. They are so small that no
 * subtree is rebuilt. */
static const pqt_tree *
by_mixed_batches(const plan *p, dice *d, const pqt_tree *tree, pqt_error *error)
{
    pqt_change batch[9];
    size_t share = p->count / 3;
    tree = pqt_tree_insert_all(tree, p->items, share, error);
    tree = pqt_tree_insert_all(tree, p->others, p->others_count, error);
    for (size_t i = share, j = 0; i < p->count || j < p->others_count;) {
        size_t count = 0;
        while (count < 9 && (i < p->count || j < p->others_count)) {
            bool insert = i < p->count && (j == p->others_count || dice_chance(d, 50));
            pqt_item item = insert ? p->items[i++] : p->others[j++];
            batch[count++] = (pqt_change){insert ? PQT_INSERT : PQT_REMOVE, item, {{0, 0}, {0, 0}}};
        }
        tree = pqt_tree_apply(tree, batch, count, error);
    }
    return tree;
}

static bool
has_even_id(const pqt_item *item, void *context)
{
    (void)context;
    return item->id % 2 == 0;
}

static const pqt_tree *
by_search(const plan *p, dice *d, const pqt_tree *tree, pqt_error *error)
{
    pqt_query query = {{{-INFINITY, -INFINITY}, {INFINITY, INFINITY}},
                       PQT_TOUCHES,
                       has_even_id,
                       NULL,
                       NULL,
                       NULL,
                       PQT_PLANE,
                       {0}};
    tree = in_bulk(p, d, tree, error);
    tree = pqt_tree_insert_all(tree, p->others, p->others_count, error);
    return pqt_tree_search(tree, &query, error);
}

static const pqt_tree *
by_copy(const plan *p, dice *d, const pqt_tree *tree, pqt_error *error)
{
    pqt_memory *own = p->options.memory;
    pqt_memory *arena = pqt_arena_make(0, error);
    tree = one_by_one(p, d, tree, error);
    tree = pqt_tree_copy(tree, arena, error);
    tree = pqt_tree_copy(tree, own, error);
    pqt_arena_destroy(&arena);
    return tree;
}

static const pqt_tree *
after_clear(const plan *p, dice *d, const pqt_tree *tree, pqt_error *error)
{
    tree = pqt_tree_insert_all(tree, p->others, p->others_count, error);
    tree = pqt_tree_clear(tree, error);
    return in_bulk(p, d, tree, error);
}

/* ---- the tests ---- */

static void
expect_as_planned(const plan *p, const char *way, const pqt_tree *tree, const pqt_error *error)
{
    complaint why;
    pqt_error found = {0};
    if (tree == NULL)
        ck_abort_msg("%s, %s: %s", p->name, way, error->text);
    if (!compare_tree(tree, p->built, &why))
        ck_abort_msg("%s, %s: %s", p->name, way, why.text);
    if (!pqt_tree_check(tree, &found))
        ck_abort_msg("%s, %s: %s", p->name, way, found.text);
}

static void
take_ways(const plan *p, dice *d)
{
    static const struct {
        const char *name;
        way_fn *way;
    } ways[] = {
        {"in bulk", in_bulk},
        {"in two parts", in_two_parts},
        {"in small batches", in_small_batches},
        {"by removal", by_removal},
        {"by removal at once", by_removal_at_once},
        {"by moves", by_moves},
        {"by one batch", by_one_batch},
        {"by mixed batches", by_mixed_batches},
        {"by search", by_search},
        {"by copy", by_copy},
        {"after clear", after_clear},
    };
    pqt_error error = {0};
    const pqt_tree *empty = pqt_tree_make(p->bounds, &p->options, &error);
    const pqt_tree *first = one_by_one(p, d, empty, &error);
    expect_as_planned(p, "one by one", first, &error);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const pqt_tree *tree = ways[i].way(p, d, empty, &error);
        expect_as_planned(p, ways[i].name, tree, &error);
        if (!pqt_tree_equals(tree, first) || !pqt_tree_equals(first, tree))
            ck_abort_msg("%s, %s: not equal", p->name, ways[i].name);
    }
}

static pqt_tree_options
options_of(int capacity, int depth, bool unique, pqt_memory *memory)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.leaf_capacity = capacity;
    options.max_depth = depth;
    options.unique_ids = unique;
    options.memory = memory;
    return options;
}

static pqt_memory *
make_arena(void)
{
    pqt_error error = {0};
    pqt_memory *arena = pqt_arena_make(0, &error);
    ck_assert_msg(arena != NULL, "%s", error.text);
    return arena;
}

/* Each test combines a world with a layout of boxes. Capacities and depths are random. */
START_TEST(each_order_of_edits_leads_to_the_same_tree)
{
    static const int capacities[] = {1, 2, 24, 64};
    static const int depths[] = {0, 1, 8, 24, 32};
    dice d = {test_seed("each_order_of_edits_leads_to_the_same_tree")};
    size_t plans = test_scaled(2 * worlds_count * BOX_LAYOUTS);
    for (size_t i = 0; i < plans; i++) {
        pqt_memory *arena = make_arena();
        pqt_tree_options options =
            options_of(capacities[dice_below(&d, 4)], depths[dice_below(&d, 5)], i % 2 == 0, arena);
        size_t count = 20 + dice_below(&d, (size_t)options.leaf_capacity * 4 + 60);
        plan p = plan_make(&d, &worlds[i % worlds_count],
                           (box_layout)(i / worlds_count % BOX_LAYOUTS), options, count);
        take_ways(&p, &d);
        plan_free(&p);
        pqt_arena_destroy(&arena);
    }
}
END_TEST

START_TEST(a_hundred_orders_lead_to_the_same_tree)
{
    dice d = {test_seed("a_hundred_orders_lead_to_the_same_tree")};
    size_t orders = test_scaled(ORDERS);
    for (int kind = 0; kind < BOX_LAYOUTS; kind++) {
        pqt_memory *arena = make_arena();
        pqt_tree_options options = options_of(kind % 2 == 0 ? 2 : 24, 24, false, arena);
        plan p =
            plan_make(&d, &worlds[dice_below(&d, worlds_count)], (box_layout)kind, options, 200);
        for (size_t order = 0; order < orders; order++) {
            pqt_error error = {0};
            const pqt_tree *tree = pqt_tree_make(p.bounds, &p.options, &error);
            tree = one_by_one(&p, &d, tree, &error);
            expect_as_planned(&p, "one by one", tree, &error);
        }
        plan_free(&p);
        pqt_arena_destroy(&arena);
    }
}
END_TEST

START_TEST(orders_of_edits_agree_in_the_collector)
{
    dice d = {test_seed("orders_of_edits_agree_in_the_collector")};
    for (int kind = 0; kind < BOX_LAYOUTS && pqt_collector() != NULL; kind++) {
        pqt_tree_options options = options_of(2, 24, kind % 2 == 0, pqt_collector());
        plan p = plan_make(&d, &worlds[0], (box_layout)kind, options, 150);
        take_ways(&p, &d);
        plan_free(&p);
    }
}
END_TEST

/* Thousands of items are sorted by more bits at a time than hundreds. With depth 32, paths have
 * more than 64 bits. */
START_TEST(many_items_in_bulk_make_the_same_tree_as_a_few_at_a_time)
{
    dice d = {test_seed("many_items_in_bulk_make_the_same_tree_as_a_few_at_a_time")};
    for (int kind = 0; kind < BOX_LAYOUTS; kind++) {
        pqt_memory *arena = make_arena();
        pqt_error error = {0};
        pqt_tree_options options =
            options_of(kind % 3 == 0 ? 24 : 1, kind % 2 == 0 ? 32 : 24, true, arena);
        plan p = plan_make(&d, &worlds[(size_t)kind % worlds_count], (box_layout)kind, options,
                           test_scaled(9000));
        const pqt_tree *tree = pqt_tree_make(p.bounds, &p.options, &error);
        expect_as_planned(&p, "in bulk", in_bulk(&p, &d, tree, &error), &error);
        expect_as_planned(&p, "in two parts", in_two_parts(&p, &d, tree, &error), &error);
        plan_free(&p);
        pqt_arena_destroy(&arena);
    }
}
END_TEST

START_TEST(removing_everything_leaves_the_empty_tree)
{
    dice d = {test_seed("removing_everything_leaves_the_empty_tree")};
    for (int kind = 0; kind < BOX_LAYOUTS; kind++) {
        pqt_memory *arena = make_arena();
        pqt_tree_options options = options_of(1, 24, kind % 2 == 0, arena);
        plan p = plan_make(&d, &worlds[2], (box_layout)kind, options, 60);
        pqt_error error = {0};
        const pqt_tree *empty = pqt_tree_make(p.bounds, &p.options, &error);
        const pqt_tree *tree = in_bulk(&p, &d, empty, &error);
        const pqt_tree *at_once = pqt_tree_remove_all(tree, p.items, p.count, &error);
        shuffle(&d, p.items, p.count);
        for (size_t i = 0; i < p.count; i++)
            tree = pqt_tree_remove(tree, p.items[i], &error);
        ck_assert_ptr_nonnull(tree);
        ck_assert_ptr_nonnull(at_once);
        ck_assert(pqt_tree_equals(tree, empty) && pqt_tree_equals(at_once, empty));
        ck_assert_uint_eq(pqt_tree_count(tree), 0);
        ck_assert_uint_eq(pqt_tree_fingerprint(tree).low, 0);
        ck_assert_uint_eq(pqt_tree_fingerprint(tree).high, 0);
        ck_assert_uint_eq(pqt_tree_get_stats(tree).leaves, 0);
        plan_free(&p);
        pqt_arena_destroy(&arena);
    }
}
END_TEST

START_TEST(fingerprints_depend_on_the_items_alone)
{
    dice d = {test_seed("fingerprints_depend_on_the_items_alone")};
    pqt_memory *arena = make_arena();
    plan p = plan_make(&d, &worlds[0], BOXES_MIXED, options_of(2, 24, false, arena), 100);
    pqt_error error = {0};
    for (size_t i = 0; i < worlds_count; i++) {
        pqt_tree_options options = options_of(1 + (int)i, (int)i, false, arena);
        const pqt_tree *tree = pqt_tree_make(worlds[i].bounds, &options, &error);
        tree = in_bulk(&p, &d, tree, &error);
        ck_assert_msg(tree != NULL, "%s", error.text);
        ck_assert(same_fingerprint(pqt_tree_fingerprint(tree), p.built->fingerprint));
    }
    plan_free(&p);
    pqt_arena_destroy(&arena);
}
END_TEST

START_TEST(trees_with_different_bounds_or_options_are_not_equal)
{
    const pqt_box bounds = {{0, 0}, {8, 8}};
    const pqt_box wider = {{0, 0}, {9, 8}};
    const pqt_item item = {{{1, 1}, {2, 2}}, 7};
    pqt_memory *arena = make_arena();
    pqt_memory *other = make_arena();
    pqt_tree_options options[] = {
        options_of(2, 24, false, arena), options_of(3, 24, false, arena),
        options_of(2, 24, true, arena),  options_of(2, 24, false, arena),
        options_of(2, 24, false, other), options_of(2, 23, false, arena),
    };
    const pqt_tree *trees[6];
    pqt_error error = {0};
    options[3].strict_bounds = true;
    for (int i = 0; i < 6; i++)
        trees[i] = pqt_tree_insert(pqt_tree_make(bounds, &options[i], &error), item, &error);
    ck_assert_int_eq(error.status, PQT_OK);
    for (int i = 1; i < 4; i++)
        ck_assert(!pqt_tree_equals(trees[0], trees[i]) && !pqt_tree_equals(trees[i], trees[0]));
    ck_assert(pqt_tree_equals(trees[0], trees[4]));
    ck_assert(pqt_tree_equals(trees[0], trees[5]) && pqt_tree_equals(trees[5], trees[0]));
    const pqt_tree *tree = pqt_tree_insert(pqt_tree_make(wider, &options[0], &error), item, &error);
    ck_assert(tree != NULL && !pqt_tree_equals(trees[0], tree));
    pqt_arena_destroy(&arena);
    pqt_arena_destroy(&other);
}
END_TEST

static bool
is_not_third(const pqt_item *item, void *context)
{
    (void)context;
    return item->id != 3;
}

/* The first item is an own item; the others are points in quadrants of the same cell. */
START_TEST(own_items_that_a_search_shares_keep_their_bounds)
{
    const pqt_item items[] = {
        {{{-2, -2}, {6, 6}}, 1}, {{{1, 1}, {1, 1}}, 2}, {{{3, 3}, {3, 3}}, 3}};
    const pqt_box bounds = {{0, 0}, {8, 8}};
    pqt_memory *arena = make_arena();
    pqt_tree_options options = options_of(1, 24, false, arena);
    pqt_query all = {{{-INFINITY, -INFINITY}, {INFINITY, INFINITY}},
                     PQT_TOUCHES,
                     is_not_third,
                     NULL,
                     NULL,
                     NULL,
                     PQT_PLANE,
                     {0}};
    pqt_query corner = {{{5, 5}, {6, 6}}, PQT_TOUCHES, NULL, NULL, NULL, NULL, PQT_PLANE, {0}};
    pqt_error error = {0};
    const pqt_tree *tree = pqt_tree_make(bounds, &options, &error);
    tree = pqt_tree_insert_all(tree, items, 3, &error);
    tree = pqt_tree_search(tree, &all, &error);
    ck_assert_msg(tree != NULL, "%s", error.text);
    ck_assert_msg(pqt_tree_check(tree, &error), "%s", error.text);
    ck_assert_uint_eq(pqt_tree_count_in(tree, &corner), 1);
    pqt_arena_destroy(&arena);
}
END_TEST

/* Computes the inverse of the last step of the hash, which is a bijection, by undoing its three
 * folds and two products. */
static uint64_t
unmix(uint64_t word)
{
    word ^= word >> 31 ^ word >> 62;
    word *= UINT64_C(0x319642b2d24d8ec3); /* the inverse of 0x94d049bb133111eb modulo 2^64 */
    word ^= word >> 27 ^ word >> 54;
    word *= UINT64_C(0x96de1b173f119089); /* the inverse of 0xbf58476d1ce4e5b9 */
    return word ^ word >> 30 ^ word >> 60;
}

/* Returns the id with which a box has the given hash. This is possible because the hash mixes the
 * id last. */
static uint64_t
id_for_mix(pqt_box box, uint64_t mix)
{
    pqt_item item = {box, 0};
    return unmix(mix) ^ unmix(pqti_item_hash(&item));
}

/* Returns a plan in which all items have the same centre and are larger than the bounds, and all
 * but the last two have the same hash. */
static plan
plan_of_equal_mixes(dice *d, int depth, pqt_memory *arena)
{
    const size_t count = 40;
    pqt_tree_options options = options_of(4, depth, false, arena);
    plan p = {"equal mixes", {{0, 0}, {8, 8}}, options, NULL, count, NULL, 20, NULL};
    p.items = calloc(p.count, sizeof *p.items);
    p.others = calloc(p.others_count, sizeof *p.others);
    for (size_t i = 0; i < p.count + p.others_count; i++) {
        double half = 10 + (double)i;
        pqt_item item = {{{4 - half, 4 - half}, {4 + half, 4 + half}}, 0};
        uint64_t mix = UINT64_C(0x0123456789abcdef) ^ (i % 20 == 0 ? dice_below(d, 16) : 0);
        item.id = id_for_mix(item.box, mix);
        ck_assert_uint_eq(pqti_item_hash(&item), mix);
        if (i < p.count)
            p.items[i] = item;
        else
            p.others[i - p.count] = item;
    }
    p.built = built_make(p.items, p.count, p.bounds, 4, depth);
    return p;
}

START_TEST(items_with_equal_hashes_share_a_leaf_below_the_last_hash_bits)
{
    static const int depths[] = {0, 1, 24, 32};
    static way_fn *const ways[] = {
        one_by_one,         in_bulk,      in_two_parts, by_removal,
        by_removal_at_once, by_one_batch, by_copy,      by_mixed_batches};
    dice d = {test_seed("items_with_equal_hashes_share_a_leaf_below_the_last_hash_bits")};
    for (size_t i = 0; i < 4; i++) {
        pqt_memory *arena = make_arena();
        plan p = plan_of_equal_mixes(&d, depths[i], arena);
        ck_assert_uint_ge(built_measure(p.built).depth, 32);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            pqt_error error = {0};
            const pqt_tree *empty = pqt_tree_make(p.bounds, &p.options, &error);
            expect_as_planned(&p, "a way", ways[w](&p, &d, empty, &error), &error);
        }
        plan_free(&p);
        pqt_arena_destroy(&arena);
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("canonical");
    TCase *ways = tcase_create("ways");
    tcase_add_test(ways, each_order_of_edits_leads_to_the_same_tree);
    tcase_add_test(ways, a_hundred_orders_lead_to_the_same_tree);
    tcase_add_test(ways, orders_of_edits_agree_in_the_collector);
    tcase_add_test(ways, many_items_in_bulk_make_the_same_tree_as_a_few_at_a_time);
    tcase_add_test(ways, removing_everything_leaves_the_empty_tree);
    tcase_add_test(ways, fingerprints_depend_on_the_items_alone);
    tcase_add_test(ways, trees_with_different_bounds_or_options_are_not_equal);
    tcase_add_test(ways, own_items_that_a_search_shares_keep_their_bounds);
    tcase_add_test(ways, items_with_equal_hashes_share_a_leaf_below_the_last_hash_bits);
    suite_add_tcase(suite, ways);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
