/* SPDX-License-Identifier: MIT */
/*
 * test_batch.c: tests batches that change any fraction of a tree, compared with a plain array:
 * leaves edited one by one, subtrees rebuilt, and moves of absent items.
 */
#include "config.h"

#include <pqt/tree.h>

#include "batch_support.h"
#include "hooks.h"
#include "random.h"
#include "suite.h"
#include "tree/batch_input.h"
#include "tree/batch_plan.h"
#include "tree_support.h"

enum { MOST = 4000 };

/* The items that are present, in any order. */
typedef struct plain {
    pqt_item items[2 * MOST];
    size_t count;
} plain;

static size_t
plain_find(const plain *p, pqt_item item)
{
    for (size_t i = 0; i < p->count; i++)
        if (same_bits(p->items[i], item))
            return i;
    return p->count;
}

static void
plain_apply(plain *p, const pqt_change *change)
{
    size_t at = plain_find(p, change->item);
    bool present = at < p->count;
    if (change->kind == PQT_INSERT && !present)
        p->items[p->count++] = change->item;
    if (change->kind == PQT_INSERT || !present)
        return;
    p->items[at] = p->items[--p->count];
    if (change->kind == PQT_MOVE)
        plain_apply(p, &(pqt_change){.kind = PQT_INSERT, .item = {change->to, change->item.id}});
}

/* Draws a box of any size anywhere, or in one corner. */
static pqt_box
draw(dice *d, bool corner)
{
    double side = corner ? 3 : 15, x = dice_real(d) * side, y = dice_real(d) * side;
    double size = dice_chance(d, 5) ? 1 : 0.05;
    return box(x, y, x + dice_real(d) * size, y + dice_real(d) * size);
}

/* The parameters of a random batch: kinds, positions, number. */
typedef struct plan {
    const char *name;
    unsigned moves, removals; /* in per cent; the other changes are insertions */
    unsigned absent;          /* the percentage of removals and moves that name an absent item */
    bool corner;
} plan;

static const plan plans[] = {
    {"moves", 100, 0, 0, false},
    {"moves in a corner", 100, 0, 0, true},
    {"insertions", 0, 0, 0, false},
    {"insertions in a corner", 0, 0, 0, true},
    {"removals", 0, 100, 0, false},
    {"moves, some of nothing", 100, 0, 30, false},
    {"removals, some of nothing", 0, 100, 30, false},
    {"all of it", 40, 30, 10, false},
};

enum { PLANS = sizeof plans / sizeof plans[0] };

static bool
lies_in_corner(pqt_item item)
{
    return item.box.min.x < 3 && item.box.min.y < 3;
}

/* Draws changes to different items. Returns their number, which is less than planned if the corner
   has too few items. */
static size_t
draw_batch(dice *d, const plan *chosen, const plain *p, size_t most, pqt_change *changes)
{
    size_t count = 0;
    for (size_t i = 0; i < p->count && count < most; i++) {
        bool absent = dice_chance(d, chosen->absent);
        pqt_item item = p->items[i], fresh = {draw(d, chosen->corner), dice_next(d)};
        if (chosen->corner && !lies_in_corner(item))
            continue;
        item.id += absent ? 3 * MOST : 0;
        size_t kind = dice_below(d, 100);
        changes[count++] = kind < chosen->moves                      ? moving(item, fresh.box)
                           : kind < chosen->moves + chosen->removals ? removing(item)
                                                                     : inserting(fresh);
    }
    return count;
}

static const pqt_tree *
tree_of(const plain *p, pqt_memory *memory, int capacity)
{
    pqt_error error = {0};
    pqt_tree_options options = options_of(capacity, 24);
    options.memory = memory;
    const pqt_tree *empty = pqt_tree_make(world_box, &options, &error);
    const pqt_tree *tree = pqt_tree_insert_all(empty, p->items, p->count, &error);
    return must(tree, &error);
}

static void
draw_plain(dice *d, plain *p, size_t count)
{
    p->count = count;
    for (size_t i = 0; i < count; i++)
        p->items[i] = boxed(draw(d, dice_chance(d, 20)), i);
}

/* Applies batches of one size after another, each to the previous result. */
static void
run_plan(dice *d, const plan *chosen, pqt_memory *memory, int capacity)
{
    static const size_t percents[] = {1, 3, 10, 24, 26, 50, 100};
    static plain p;
    static pqt_change changes[MOST];
    size_t items = 300 + dice_below(d, test_scaled(500));
    draw_plain(d, &p, items < 1000 ? items : 1000); /* at most 5 times as many items as before */
    const pqt_tree *tree = tree_of(&p, memory, capacity);
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
        size_t count = draw_batch(d, chosen, &p, p.count * percents[i] / 100, changes);
        const pqt_tree *before = tree;
        pqt_fingerprint was = pqt_tree_fingerprint(before);
        for (size_t k = 0; k < count; k++)
            plain_apply(&p, &changes[k]);
        tree = applied(before, changes, count);
        expect_sound(tree);
        ck_assert_msg(pqt_tree_equals(tree, tree_of(&p, memory, capacity)), "%s, %zu %%",
                      chosen->name, percents[i]);
        expect_sound(before);
        ck_assert_uint_eq(pqt_tree_fingerprint(before).low, was.low);
    }
}

START_TEST(a_batch_of_any_fraction_of_the_items_equals_a_plain_array)
{
    static const int capacities[] = {1, 4, 24, 60, 200};
    dice d = {test_seed("a_batch_of_any_fraction_of_the_items_equals_a_plain_array")};
    for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++)
        run_plan(&d, &plans[_i], arena, capacities[i]);
    if (pqt_collector() != NULL)
        run_plan(&d, &plans[_i], pqt_collector(), 24);
}
END_TEST

START_TEST(moves_of_absent_items_return_the_same_version)
{
    enum { COUNT = 1000 };
    static plain p;
    static pqt_change changes[COUNT];
    dice d = {test_seed("moves_of_absent_items_return_the_same_version")};
    hooks watch = {0};
    draw_plain(&d, &p, COUNT);
    const pqt_tree *tree = tree_of(&p, arena, 24);
    for (size_t i = 0; i < COUNT; i++) {
        pqt_item absent = {p.items[i].box, COUNT + i};
        changes[i] = moving(absent, draw(&d, false));
    }
    for (size_t count = 2; count <= COUNT; count *= 3) {
        hooks_start(&watch);
        ck_assert_ptr_eq(applied(tree, changes, count), tree);
        hooks_stop();
        ck_assert_uint_eq(hooks_kept_blocks(&watch), 0);
    }
}
END_TEST

/* The item that a move removes or inserts may also belong to another change. Then the order
   decides. */
START_TEST(moves_that_touch_each_other_are_done_in_order)
{
    const pqt_item a = dot(1, 1, 7), b = dot(2, 2, 7), c = dot(3, 3, 7);
    const pqt_tree *tree = with_grid(small_tree(2), 4);
    tree = inserted(inserted(tree, a), b);
    const pqt_change chain[] = {moving(a, b.box), moving(b, c.box)};
    const pqt_change turned[] = {moving(b, c.box), moving(a, b.box)};
    const pqt_change absent[] = {removing(c), moving(a, c.box)};
    const pqt_change gone[] = {moving(a, c.box), removing(c)};
    ck_assert_uint_eq(pqt_tree_count(applied(tree, chain, 2)), 17);
    ck_assert(pqt_tree_contains(applied(tree, turned, 2), b));
    ck_assert(pqt_tree_contains(applied(tree, turned, 2), c));
    ck_assert(pqt_tree_contains(applied(tree, absent, 2), c));
    ck_assert(!pqt_tree_contains(applied(tree, gone, 2), c));
}
END_TEST

/* Draws changes with few ids and few positions. They often apply to the results of others, undo
   each other, or insert items that are present. */
static pqt_change
draw_tangled(dice *d, const plain *p, size_t ids)
{
    pqt_box to = dot((double)dice_below(d, 4), (double)dice_below(d, 4), 0).box;
    pqt_item item = {to, dice_below(d, ids)};
    if (p->count > 0 && dice_chance(d, 80))
        item = p->items[dice_below(d, p->count)];
    size_t kind = dice_below(d, 4);
    return kind == 0 ? inserting(item) : kind == 1 ? removing(item) : moving(item, to);
}

/* Returns true if two arrays have the same items. */
static bool
is_the_same(const plain *a, const plain *b)
{
    size_t found = 0;
    for (size_t i = 0; i < a->count; i++)
        found += plain_find(b, a->items[i]) < b->count;
    return found == a->count && a->count == b->count;
}

static void
run_tangled(dice *d, pqt_memory *memory, size_t ids)
{
    enum { MOST_TANGLED = 40 };
    static plain p, before;
    pqt_change changes[MOST_TANGLED];
    p.count = 0;
    for (size_t i = 0; i < MOST_TANGLED; i++) {
        pqt_change first = draw_tangled(d, &p, ids);
        first.kind = PQT_INSERT;
        plain_apply(&p, &first);
    }
    const pqt_tree *tree = tree_of(&p, memory, 2);
    for (size_t i = 0; i < test_scaled(50); i++) {
        size_t count = 1 + dice_below(d, MOST_TANGLED);
        before = p;
        for (size_t k = 0; k < count; k++) {
            changes[k] = draw_tangled(d, &p, ids);
            plain_apply(&p, &changes[k]);
        }
        const pqt_tree *next = applied(tree, changes, count);
        expect_sound(next);
        require(pqt_tree_equals(next, tree_of(&p, memory, 2)), "it is what the array says");
        require((next == tree) == is_the_same(&p, &before), "the same version, if nothing changed");
        tree = next;
    }
}

START_TEST(changes_of_few_ids_are_done_in_order)
{
    static const size_t ids[] = {1, 3, 8, 1000}; /* with 1000, too many items have the first id */
    dice d = {test_seed("changes_of_few_ids_are_done_in_order")};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        run_tangled(&d, arena, ids[i]);
        if (pqt_collector() != NULL)
            run_tangled(&d, pqt_collector(), ids[i]);
    }
}
END_TEST

/* A subtree without changed items is shared. */
START_TEST(a_batch_of_most_items_shares_the_rest)
{
    static plain p;
    static pqt_change changes[MOST];
    dice d = {test_seed("a_batch_of_most_items_shares_the_rest")};
    p.count = MOST;
    for (size_t i = 0; i < MOST; i++) { /* the right half is unchanged */
        double x = dice_real(&d) * 7.5 + (i % 2 == 0 ? 0 : 8), y = dice_real(&d) * 15;
        p.items[i] = dot(x, y, i);
    }
    const pqt_tree *tree = tree_of(&p, arena, 8);
    for (size_t i = 0; i < MOST; i += 2)
        changes[i / 2] = moving(p.items[i], dot(dice_real(&d) * 7.5, dice_real(&d) * 15, i).box);
    const pqt_tree *next = applied(tree, changes, MOST / 2);
    size_t bytes = pqt_tree_get_stats(next).bytes, shared = pqt_tree_shared_bytes(next, tree);
    ck_assert_uint_gt(100 * shared, 45 * bytes);
    expect_sound(next);
}
END_TEST

START_TEST(each_failed_allocation_of_a_batch_is_reported)
{
    enum { COUNT = 400 };
    static plain p;
    static pqt_change changes[COUNT];
    dice d = {test_seed("each_failed_allocation_of_a_batch_is_reported")};
    draw_plain(&d, &p, COUNT);
    const pqt_tree *tree = tree_of(&p, arena, 8);
    size_t count = draw_batch(&d, &plans[_i], &p, COUNT, changes), failures = 0;
    pqt_fingerprint was = pqt_tree_fingerprint(tree);
    for (size_t n = 1;; n++) {
        hooks watch = {.fail_at = n};
        pqt_error error = {0};
        hooks_start(&watch);
        const pqt_tree *next = pqt_tree_apply(tree, changes, count, &error);
        hooks_stop();
        if (watch.failures == 0) {
            must(next, &error);
            break;
        }
        require(next == NULL && error.status == PQT_ERROR_MEMORY, "a failure is reported");
        failures++;
    }
    ck_assert_uint_gt(failures, 3);
    ck_assert_uint_eq(pqt_tree_fingerprint(tree).low, was.low);
    expect_sound(tree);
}
END_TEST

/* Keys are a bijection of ids, so an adversary can choose ids whose keys share a prefix. Here every
   second id is of this kind. */
START_TEST(ids_whose_keys_have_a_common_prefix_are_all_found)
{
    enum { COUNT = 3000 };
    static pqt_item items[COUNT];
    static pqt_change changes[COUNT / 6];
    pqt_error error = {0};
    uint64_t id = 0;
    for (size_t i = 0; i < COUNT; i++) {
        do
            id++;
        while (i % 2 == 0 && pqti_id_key(id) >> 58 != 5);
        items[i] = dot((double)(i % 60), (double)(i / 60), id);
    }
    const pqt_tree *tree = pqt_tree_insert_all(unique_tree(8), items, COUNT, &error);
    for (size_t i = 0; i < COUNT / 6; i++)
        changes[i] = moving(items[6 * i], box(70, 70, 71, 71));
    const pqt_tree *next = applied(must(tree, &error), changes, COUNT / 6);
    expect_sound(tree);
    expect_sound(next);
    for (size_t i = 0; i < COUNT; i++) {
        pqt_item found = {.id = 0};
        require(pqt_tree_find(next, items[i].id, &found), "an id is not found");
        require(found.box.min.x == (i % 6 == 0 ? 70 : items[i].box.min.x), "another item is found");
    }
}
END_TEST

/* ---- Batches that change all items at once ---- */

/* Returns the number of scratch blocks that batch_flatten.c takes for a batch, or 0 if another
   strategy is chosen. */
static size_t
scratch_in_bulk(const pqt_tree *tree, const pqt_change *changes, size_t count)
{
    const pqti_change_array list = {.changes = changes, .count = count};
    hooks watch = {0};
    hooks_start(&watch);
    bool taken = is_taken_in_bulk(&(pqti_batch){tree, &list});
    hooks_stop();
    return taken ? watch.blocks[PQTI_BLOCK_SCRATCH] : 0;
}

/* Finding an item takes time in proportion to the number of items with its id, wherever they are in
 * the tree. */
START_TEST(more_than_eight_items_of_one_id_are_not_changed_in_bulk)
{
    enum { OTHERS = 20 };
    for (size_t alike = 1; alike < 12; alike++) {
        for (double x = 0; x <= 14; x += 7) {
            const pqt_tree *tree = small_tree(4);
            pqt_change changes[OTHERS];
            for (uint64_t id = 0; id < OTHERS; id++) {
                pqt_item other = dot((double)(id % 5) * 3, (double)id / 2, 100 + id);
                tree = inserted(tree, other);
                changes[id] = moving(other, dot(1, 2, 0).box);
            }
            for (size_t i = 0; i < alike; i++)
                tree = inserted(tree, dot(x, (double)i, 7));
            ck_assert_uint_eq(scratch_in_bulk(tree, changes, OTHERS), alike <= 8 ? 1 : 0);
        }
    }
}
END_TEST

/* The items of the tree are gathered a second time only if an item changed more than once. */
START_TEST(independent_changes_in_bulk_need_one_block_of_scratch)
{
    const pqt_tree *tree = with_grid(small_tree(4), 8);
    pqt_change changes[64];
    for (size_t i = 0; i < 64; i++)
        changes[i] = moving(dot_of_grid(8, i), dot(0.25, (double)i / 4, 0).box);
    ck_assert_uint_eq(scratch_in_bulk(tree, changes, 64), 1);
    changes[63] = moving(boxed(changes[62].to, 62), dot(3, 3, 0).box);
    ck_assert_uint_eq(scratch_in_bulk(tree, changes, 64), 2);
}
END_TEST

/* Items that moved and returned are unchanged. A leaf that contains only such items is shared. */
START_TEST(changes_in_bulk_that_undo_each_other_make_no_new_nodes)
{
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *tree = with_grid(unique ? unique_tree(4) : small_tree(4), 8);
        const pqt_item first = dot_of_grid(8, 0);
        const pqt_change only = moving(first, dot(0.5, 0.5, 0).box);
        pqt_change changes[2 * 63 + 1];
        hooks alone = {0}, together = {0};
        for (size_t i = 1; i < 64; i++) {
            const pqt_item item = dot_of_grid(8, i);
            changes[i - 1] = moving(item, dot(3, (double)i / 4, 0).box);
            changes[62 + i] = moving(boxed(changes[i - 1].to, i), item.box);
        }
        changes[126] = only;
        hooks_start(&alone);
        const pqt_tree *moved = applied(tree, &only, 1);
        hooks_stop();
        hooks_start(&together);
        const pqt_tree *next = applied(tree, changes, 127);
        hooks_stop();
        expect_equal(next, moved);
        ck_assert_uint_eq(hooks_kept_bytes(&together), hooks_kept_bytes(&alone));
        ck_assert_uint_eq(pqt_tree_shared_bytes(next, tree), pqt_tree_shared_bytes(moved, tree));
    }
}
END_TEST

/* Draws items. Some may share an id, and some may contain -0.0. */
static void
draw_first_items(dice *d, pqt_item *items, size_t count, bool repeats, bool zeros)
{
    for (size_t i = 0; i < count; i++) {
        items[i] = boxed(draw(d, false), repeats ? dice_below(d, 2 * count) : i);
        if (zeros && dice_chance(d, 10))
            items[i].box.min.x = items[i].box.max.x = -0.0;
    }
}

START_TEST(the_first_items_of_unique_ids_are_those_of_single_inserts)
{
    static const size_t counts[] = {1, 2, 5, 24, 25, 300, 1000};
    static pqt_item items[1000];
    dice d = {test_seed("the_first_items_of_unique_ids_are_those_of_single_inserts")};
    for (size_t i = 0; i < 4 * sizeof counts / sizeof *counts; i++) {
        const size_t count = counts[i / 4];
        draw_first_items(&d, items, count, i % 2 == 1, i / 2 % 2 == 1);
        const pqt_tree *one_by_one = unique_tree(6);
        for (size_t k = 0; k < count; k++)
            one_by_one = inserted(one_by_one, items[k]);
        const pqt_tree *at_once = with_items(unique_tree(6), items, count);
        expect_sound(at_once);
        expect_equal(at_once, one_by_one);
    }
}
END_TEST

START_TEST(each_failed_allocation_of_first_items_is_reported)
{
    static pqt_item items[300];
    dice d = {test_seed("each_failed_allocation_of_first_items_is_reported")};
    const pqt_tree *empty = unique_tree(6);
    for (int zeros = 0; zeros < 2; zeros++) {
        hooks watch = {.fail_at = 0};
        draw_first_items(&d, items, 300, false, zeros == 1);
        do {
            pqt_error error = {0};
            watch.fail_at++;
            hooks_start(&watch);
            const pqt_tree *tree = pqt_tree_insert_all(empty, items, 300, &error);
            hooks_stop();
            ck_assert((tree == NULL) == (error.status == PQT_ERROR_MEMORY));
        } while (watch.failures == 1);
        ck_assert_uint_gt(watch.fail_at, 20);
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("batch");
    TCase *tests = add_tests(suite, "shares");
    tcase_add_loop_test(tests, a_batch_of_any_fraction_of_the_items_equals_a_plain_array, 0, PLANS);
    tests = add_tests(suite, "moves");
    tcase_add_test(tests, moves_of_absent_items_return_the_same_version);
    tcase_add_test(tests, moves_that_touch_each_other_are_done_in_order);
    tcase_add_test(tests, changes_of_few_ids_are_done_in_order);
    tcase_add_test(tests, a_batch_of_most_items_shares_the_rest);
    tests = add_tests(suite, "bulk");
    /* only these strategies use scratch blocks of batch_flatten.c, which are counted */
    if (HAS_FAST_STRATEGIES) {
        tcase_add_test(tests, more_than_eight_items_of_one_id_are_not_changed_in_bulk);
        tcase_add_test(tests, independent_changes_in_bulk_need_one_block_of_scratch);
    }
    tcase_add_test(tests, changes_in_bulk_that_undo_each_other_make_no_new_nodes);
    tests = add_tests(suite, "ids");
    tcase_add_test(tests, ids_whose_keys_have_a_common_prefix_are_all_found);
    tcase_add_test(tests, the_first_items_of_unique_ids_are_those_of_single_inserts);
    tests = add_tests(suite, "memory");
    tcase_add_test(tests, each_failed_allocation_of_first_items_is_reported);
    tcase_add_loop_test(tests, each_failed_allocation_of_a_batch_is_reported, 0, PLANS);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
