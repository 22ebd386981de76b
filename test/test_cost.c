/* SPDX-License-Identifier: MIT */
/*
 * test_cost.c - what calls cost, counted: bytes and blocks that are kept, items that are compared.
 *
 * Nothing here is timed, so nothing depends on the machine. Trees are made in arenas, where a block
 * takes what was asked for.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt/memory.h>
#include <pqt/tree.h>

#include "builder.h"
#include "compare.h"
#include "hooks.h"
#include "random.h"
#include "suite.h"
#include "tree/node.h"
#include "worlds.h"

enum { HUNDRED_THOUSAND = 100000, MILLION = 1000000, EDITS = 60, MOST_EDIT_BYTES = 8000 };

static const pqt_box square = {{0, 0}, {10000, 10000}};

static pqt_memory *
make_arena(void)
{
    pqt_error error = {0};
    pqt_memory *arena = pqt_arena_make(0, &error);
    ck_assert_msg(arena != NULL, "%s", error.text);
    return arena;
}

/* ---- masses of 100,000 ---- */

typedef pqt_box draw_fn(dice *d);

static pqt_box
around(double x, double y, double width, double height)
{
    return (pqt_box){{x - width / 2, y - height / 2}, {x + width / 2, y + height / 2}};
}

static pqt_box
uniform(dice *d)
{
    double size = 10000 / sqrt(HUNDRED_THOUSAND);
    double x = dice_real(d) * (10000 - size);
    double y = dice_real(d) * (10000 - size);
    return (pqt_box){{x, y}, {x + dice_real(d) * size, y + dice_real(d) * size}};
}

static pqt_box
identical(dice *d)
{
    (void)d;
    return (pqt_box){{1234, 5678}, {1240, 5680}};
}

static pqt_box
thin(dice *d)
{
    return around(2500 + dice_real(d) * 5000, dice_real(d) * 10000, 5000, 1);
}

static pqt_box
world_sized(dice *d)
{
    double size = 10000 * (1 + dice_real(d) * 0.01);
    return around(5000 + dice_real(d), 5000 + dice_real(d), size, size);
}

static pqt_box
clumped(dice *d)
{
    return around(3000 + dice_real(d) * 1e-6, 3000 + dice_real(d) * 1e-6, dice_real(d) * 1e-9,
                  dice_real(d) * 1e-9);
}

/* A millionth of the world: sixteen of the smallest cells, side by side. */
static pqt_box
crowded(dice *d)
{
    return around(3000 + dice_real(d) * 0.01, 3000 + dice_real(d) * 0.01, dice_real(d) * 1e-5,
                  dice_real(d) * 1e-5);
}

static pqt_box
outside(dice *d)
{
    double x = 20000 + dice_real(d) * 10000;
    double y = dice_real(d) * 10000;
    return around(dice_chance(d, 50) ? x : -x, y, dice_real(d) * 30, dice_real(d) * 30);
}

typedef struct mass {
    const char *name;
    draw_fn *draw;
} mass;

static const mass masses[] = {
    {"uniform", uniform},         {"identical", identical}, {"thin", thin},
    {"world-sized", world_sized}, {"clumped", clumped},     {"outside", outside},
    {"crowded", crowded},
};

enum { MASSES = sizeof masses / sizeof *masses };

typedef struct field {
    const char *name;
    dice d;
    pqt_memory *arena;
    pqt_item *items;
    size_t count;
    const pqt_tree *tree;
} field;

static field
field_make(const mass *c, size_t count, bool unique)
{
    field f = {c->name, {test_seed(c->name)}, make_arena(), NULL, count, NULL};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    options.memory = f.arena;
    options.unique_ids = unique;
    f.items = calloc(count, sizeof *f.items);
    for (size_t i = 0; i < count; i++)
        f.items[i] = (pqt_item){c->draw(&f.d), i};
    f.tree = pqt_tree_make(square, &options, &error);
    f.tree = pqt_tree_insert_all(f.tree, f.items, count, &error);
    ck_assert_msg(f.tree != NULL, "%s: %s", f.name, error.text);
    ck_assert_uint_eq(pqt_tree_count(f.tree), count);
    return f;
}

static void
field_free(field *f)
{
    free(f->items);
    pqt_arena_destroy(&f->arena);
}

/* ---- one edit ---- */

typedef enum edit { INSERT, REMOVE, MOVE } edit;

/* Kept bytes of one edit of the field's tree. */
static size_t
bytes_of_edit(field *f, edit kind, const mass *c)
{
    pqt_item item = f->items[dice_below(&f->d, f->count)];
    pqt_item fresh = {c->draw(&f->d), dice_next(&f->d) | UINT64_C(1) << 63};
    hooks watch = {0};
    pqt_error error = {0};
    const pqt_tree *next = NULL;
    hooks_start(&watch);
    if (kind == INSERT)
        next = pqt_tree_insert(f->tree, fresh, &error);
    else if (kind == REMOVE)
        next = pqt_tree_remove(f->tree, item, &error);
    else
        next = pqt_tree_move(f->tree, item, around(fresh.box.min.x, fresh.box.max.y, 1, 1), &error);
    hooks_stop();
    ck_assert_msg(next != NULL && next != f->tree, "%s: %s", f->name, error.text);
    return hooks_kept_bytes(&watch);
}

static size_t
most_bytes(field *f, edit kind, const mass *c)
{
    size_t most = 0;
    for (int i = 0; i < EDITS; i++) {
        size_t bytes = bytes_of_edit(f, kind, c);
        most = bytes > most ? bytes : most;
    }
    return most;
}

START_TEST(one_edit_among_100000_copies_less_than_8_kb)
{
    for (int unique = 0; unique < 2; unique++) {
        field f = field_make(&masses[_i], HUNDRED_THOUSAND, unique == 1);
        size_t inserted = most_bytes(&f, INSERT, &masses[_i]);
        size_t removed = most_bytes(&f, REMOVE, &masses[_i]);
        size_t moved = most_bytes(&f, MOVE, &masses[_i]);
        fprintf(stderr, "# %s%s: bytes kept at most: insert %zu, remove %zu, move %zu\n", f.name,
                unique == 1 ? ", unique ids" : "", inserted, removed, moved);
        ck_assert_uint_lt(inserted, MOST_EDIT_BYTES);
        ck_assert_uint_lt(removed, MOST_EDIT_BYTES);
        ck_assert_uint_lt(moved, MOST_EDIT_BYTES);
        field_free(&f);
    }
}
END_TEST

START_TEST(an_insert_into_100000_uniform_items_keeps_less_than_2_kb)
{
    field f = field_make(&masses[0], HUNDRED_THOUSAND, false);
    size_t sum = 0;
    for (int i = 0; i < EDITS; i++)
        sum += bytes_of_edit(&f, INSERT, &masses[0]);
    ck_assert_uint_lt(sum / EDITS, 2000);
    ck_assert_uint_lt(most_bytes(&f, INSERT, &masses[0]), 2600);
    field_free(&f);
}
END_TEST

START_TEST(what_changes_nothing_allocates_nothing)
{
    field f = field_make(&masses[_i], 2000, true);
    pqt_item held = f.items[7];
    pqt_item absent = {held.box, held.id + 1000000};
    pqt_item elsewhere = {around(9, 9, 1, 2), held.id};
    pqt_change none = {PQT_REMOVE, absent, held.box};
    pqt_query all = {{{-INFINITY, -INFINITY}, {INFINITY, INFINITY}}, PQT_TOUCHES, NULL, NULL, NULL};
    hooks watch = {0};
    pqt_error error = {0};
    hooks_start(&watch);
    ck_assert_ptr_eq(pqt_tree_remove(f.tree, absent, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_remove(f.tree, elsewhere, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_remove_id(f.tree, absent.id, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_move(f.tree, absent, elsewhere.box, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_move_id(f.tree, absent.id, elsewhere.box, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_move(f.tree, held, held.box, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_move_id(f.tree, held.id, held.box, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_insert(f.tree, held, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_insert_all(f.tree, NULL, 0, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_remove_all(f.tree, NULL, 0, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_search(f.tree, all, &error), f.tree);
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
    hooks_start(&watch);
    ck_assert_ptr_eq(pqt_tree_apply(f.tree, &none, 1, &error), f.tree);
    ck_assert_ptr_eq(pqt_tree_insert_all(f.tree, f.items, f.count, &error), f.tree);
    hooks_stop();
    ck_assert_uint_eq(hooks_kept_blocks(&watch), 0);
    ck_assert_int_eq(error.status, PQT_OK);
    field_free(&f);
}
END_TEST

START_TEST(reading_allocates_nothing)
{
    field f = field_make(&masses[_i], 2000, true);
    pqt_query query = {{{0, 0}, {5000, 5000}}, PQT_TOUCHES, NULL, NULL, NULL};
    pqt_item items[16];
    uint64_t ids[16];
    hooks watch = {0};
    hooks_start(&watch);
    size_t count = pqt_tree_count_in(f.tree, query);
    ck_assert_uint_eq(pqt_tree_collect(f.tree, query, items, 16), count);
    ck_assert_uint_eq(pqt_tree_collect_ids(f.tree, query, ids, 16), count);
    ck_assert(pqt_tree_any(f.tree, query, items) == (count > 0));
    ck_assert(pqt_tree_contains(f.tree, f.items[0]));
    ck_assert(pqt_tree_find(f.tree, 0, &items[0]));
    ck_assert(pqt_tree_equals(f.tree, f.tree));
    ck_assert_uint_eq(pqt_tree_get_stats(f.tree).items, 2000);
    ck_assert_uint_gt(pqt_tree_shared_bytes(f.tree, f.tree), 0);
    ck_assert(pqt_tree_check(f.tree, NULL));
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
    field_free(&f);
}
END_TEST

START_TEST(clearing_costs_the_version_alone)
{
    field f = field_make(&masses[0], 2000, true);
    hooks watch = {0};
    pqt_error error = {0};
    hooks_start(&watch);
    const pqt_tree *empty = pqt_tree_clear(f.tree, &error);
    hooks_stop();
    ck_assert_msg(empty != NULL, "%s", error.text);
    ck_assert_uint_eq(pqt_tree_count(empty), 0);
    ck_assert_uint_le(hooks_kept_blocks(&watch), 1);
    field_free(&f);
}
END_TEST

/* ---- windows ---- */

/* A window around an item that grows until it finds about ten, where that can be. */
static pqt_query
window_of_ten(field *f, pqt_tally *tally)
{
    pqt_box box = f->items[dice_below(&f->d, f->count)].box;
    double x = box.min.x / 2 + box.max.x / 2;
    double y = box.min.y / 2 + box.max.y / 2;
    pqt_query query = {around(x, y, 0, 0), PQT_TOUCHES, NULL, NULL, NULL};
    for (double size = 1e-12; pqt_tree_count_in(f->tree, query) < 10; size *= 1.2)
        query.window = around(x, y, size, size);
    query.tally = tally;
    return query;
}

START_TEST(a_window_of_ten_hits_tests_fewer_than_1000_boxes)
{
    field f = field_make(&masses[_i], HUNDRED_THOUSAND, false);
    uint64_t most = 0;
    size_t found = 0;
    for (int i = 0; i < EDITS; i++) {
        pqt_tally tally = {0, 0, 0};
        pqt_query query = window_of_ten(&f, &tally);
        size_t count = pqt_tree_collect_ids(f.tree, query, NULL, 0);
        ck_assert_uint_ge(count, 10);
        ck_assert_uint_ge(tally.boxes, count);
        found = count > found ? count : found;
        most = tally.boxes > most ? tally.boxes : most;
    }
    fprintf(stderr, "# %s: %" PRIu64 " boxes tested at most for up to %zu hits\n", f.name, most,
            found);
    ck_assert_uint_lt(most, 1000);
    ck_assert_uint_lt(found, 60);
    field_free(&f);
}
END_TEST

/*
 * Where all boxes cover one place, no window finds ten of them alone: but it may find none. Nor can
 * a clump within one smallest cell be pruned: there the lattice ends.
 */
START_TEST(a_window_beside_a_clump_tests_none)
{
    field f = field_make(&masses[_i], HUNDRED_THOUSAND, false);
    pqt_tally tally = {0, 0, 0};
    pqt_query query = {around(30000, 30000, 10, 10), PQT_TOUCHES, NULL, NULL, &tally};
    ck_assert_uint_eq(pqt_tree_count_in(f.tree, query), 0);
    ck_assert_uint_eq(tally.boxes, 0);
    field_free(&f);
}
END_TEST

START_TEST(whole_subtrees_are_counted_without_a_walk)
{
    field f = field_make(&masses[_i], HUNDRED_THOUSAND, false);
    pqt_tally tally = {0, 0, 0};
    pqt_query query = {{{-1e6, -1e6}, {1e6, 1e6}}, PQT_TOUCHES, NULL, NULL, &tally};
    ck_assert_uint_eq(pqt_tree_count_in(f.tree, query), f.count);
    ck_assert_uint_le(tally.boxes, 200);
    field_free(&f);
}
END_TEST

START_TEST(only_the_edge_of_a_window_is_compared_item_by_item)
{
    field f = field_make(&masses[0], HUNDRED_THOUSAND, false);
    pqt_tally tally = {0, 0, 0};
    pqt_query query = {{{0, 0}, {5000, 5000}}, PQT_TOUCHES, NULL, NULL, &tally};
    ck_assert_uint_gt(pqt_tree_count_in(f.tree, query), f.count / 5);
    ck_assert_uint_le(tally.boxes, f.count / 50);
    field_free(&f);
}
END_TEST

/* ---- sharing ---- */

/* Blocks of a tree, and those of them that stand at the same place in another tree. */
typedef struct blocks {
    size_t all, shared, unshared_but_equal;
} blocks;

/* A part as its parent knows it. */
typedef struct part {
    const void *at;
    uint32_t count;
    bool leaf;
} part;

static part
part_of(const void *at, uint32_t marked)
{
    return (part){at, marked & 0x7fffffffu, (marked & 0x80000000u) != 0};
}

static part
bucket_of(part p)
{
    const pqti_inner *node = p.at;
    uint32_t rest = p.count;
    if (p.at == NULL || p.leaf)
        return (part){NULL, 0, false};
    for (int q = 0; q < 4; q++)
        rest -= node->count[q] & 0x7fffffffu;
    return rest > 0 ? part_of(node->bucket->at, node->bucket->count) : (part){NULL, 0, false};
}

static part
quarter_of(part p, int q)
{
    const pqti_inner *node = p.at;
    if (p.at == NULL || p.leaf)
        return (part){NULL, 0, false};
    return part_of(node->child[q], node->count[q]);
}

/* Whether two parts hold the same: by bytes of leaves, by fingerprints of nodes. */
static bool
equal_parts(part a, part b)
{
    if (a.at == NULL || b.at == NULL || a.count != b.count || a.leaf != b.leaf)
        return false;
    if (a.leaf)
        return memcmp(a.at, b.at, a.count * 5 * sizeof(double)) == 0;
    return same_fingerprint(((const pqti_inner *)a.at)->fingerprint,
                            ((const pqti_inner *)b.at)->fingerprint);
}

/* What stands at a place now, and what stood there before. */
static void
count_blocks(part now, part before, blocks *sum)
{
    if (now.at == NULL)
        return;
    sum->all++;
    if (now.at == before.at)
        sum->shared++;
    else if (equal_parts(now, before))
        sum->unshared_but_equal++;
    count_blocks(bucket_of(now), bucket_of(before), sum);
    for (int q = 0; q < 4; q++)
        count_blocks(quarter_of(now, q), quarter_of(before, q), sum);
}

static blocks
blocks_of(const pqt_tree *now, const pqt_tree *before)
{
    blocks sum = {0, 0, 0};
    count_blocks((part){now->root, now->count, now->leaf},
                 (part){before->root, before->count, before->leaf}, &sum);
    return sum;
}

static pqt_change
draw_change(field *f, const mass *c)
{
    pqt_item item = f->items[dice_below(&f->d, f->count)];
    pqt_item fresh = {c->draw(&f->d), dice_next(&f->d)};
    switch (dice_below(&f->d, 3)) {
    case 0:
        return (pqt_change){PQT_INSERT, fresh, fresh.box};
    case 1:
        return (pqt_change){PQT_REMOVE, item, fresh.box};
    default:
        return (pqt_change){PQT_MOVE, item, fresh.box};
    }
}

/* All that was made is in the result, and nothing in it that could have been shared. */
static void
expect_no_waste(const char *name, const pqt_tree *before, const pqt_tree *next, const hooks *watch)
{
    blocks sum = blocks_of(next, before);
    if (next == before) {
        ck_assert_uint_eq(hooks_kept_blocks(watch), 0);
        return;
    }
    ck_assert_msg(sum.unshared_but_equal == 0, "%s: %zu blocks are copies of what was there", name,
                  sum.unshared_but_equal);
    ck_assert_msg(hooks_kept_blocks(watch) == sum.all - sum.shared + 1,
                  "%s: %zu blocks made, %zu needed and a version", name, hooks_kept_blocks(watch),
                  sum.all - sum.shared);
}

START_TEST(a_batch_makes_no_more_than_the_union_of_the_paths)
{
    static const size_t sizes[] = {1, 2, 10, 100, 400};
    pqt_change *changes = calloc(400, sizeof *changes);
    field f = field_make(&masses[_i], 20000, false);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        hooks watch = {0};
        pqt_error error = {0};
        for (size_t k = 0; k < sizes[i]; k++)
            changes[k] = draw_change(&f, &masses[_i]);
        hooks_start(&watch);
        const pqt_tree *next = pqt_tree_apply(f.tree, changes, sizes[i], &error);
        hooks_stop();
        ck_assert_msg(next != NULL, "%s: %s", f.name, error.text);
        expect_no_waste(f.name, f.tree, next, &watch);
    }
    free(changes);
    field_free(&f);
}
END_TEST

START_TEST(a_single_edit_makes_no_more_than_its_path)
{
    field f = field_make(&masses[_i], 20000, false);
    for (int i = 0; i < EDITS; i++) {
        pqt_item item = f.items[dice_below(&f.d, f.count)];
        pqt_item fresh = {masses[_i].draw(&f.d), dice_next(&f.d)};
        hooks watch = {0};
        pqt_error error = {0};
        const pqt_tree *next;
        hooks_start(&watch);
        if (i % 3 == 0)
            next = pqt_tree_insert(f.tree, fresh, &error);
        else if (i % 3 == 1)
            next = pqt_tree_remove(f.tree, item, &error);
        else
            next =
                pqt_tree_move(f.tree, item, around(fresh.box.min.x, fresh.box.min.y, 1, 1), &error);
        hooks_stop();
        ck_assert_msg(next != NULL && next != f.tree, "%s: %s", f.name, error.text);
        expect_no_waste(f.name, f.tree, next, &watch);
    }
    field_free(&f);
}
END_TEST

/* An insert, and a move or a removal: each of an item that the other made. */
static const pqt_tree *
edit_small(dice *d, const pqt_tree *tree, pqt_box bounds, pqt_item *last, pqt_error *error)
{
    pqt_item item = {draw_box(d, bounds, CROWD_MIXED), dice_next(d)};
    pqt_item old = *last;
    switch (dice_below(d, 4)) {
    case 0:
        return pqt_tree_remove(tree, old, error);
    case 1:
        last->box = item.box;
        return pqt_tree_move(tree, old, item.box, error);
    default:
        *last = item;
        return pqt_tree_insert(tree, item, error);
    }
}

START_TEST(no_edit_of_a_small_tree_makes_waste)
{
    dice d = {test_seed("no_edit_of_a_small_tree_makes_waste")};
    for (size_t i = 0; i < worlds_count; i++) {
        pqt_memory *arena = make_arena();
        pqt_tree_options options = PQT_TREE_DEFAULTS;
        pqt_error error = {0};
        pqt_item last[16] = {{{{0, 0}, {0, 0}}, 0}};
        options.memory = arena;
        options.leaf_capacity = 1 + (int)dice_below(&d, 3);
        options.max_depth = (int)dice_below(&d, 33);
        const pqt_tree *tree = pqt_tree_make(worlds[i].bounds, &options, &error);
        for (size_t k = 0; k < test_scaled(400); k++) {
            hooks watch = {0};
            hooks_start(&watch);
            const pqt_tree *next = edit_small(&d, tree, worlds[i].bounds, &last[k % 16], &error);
            hooks_stop();
            ck_assert_msg(next != NULL, "%s: %s", worlds[i].name, error.text);
            expect_no_waste(worlds[i].name, tree, next, &watch);
            tree = next;
        }
        pqt_arena_destroy(&arena);
    }
}
END_TEST

START_TEST(a_search_makes_only_what_the_edge_of_the_window_crosses)
{
    field f = field_make(&masses[_i], 20000, false);
    for (int i = 0; i < 20; i++) {
        pqt_query query = {{{-1e6, -1e6}, {dice_real(&f.d) * 10000, dice_real(&f.d) * 10000}},
                           (pqt_relation)(1 + i % 3),
                           NULL,
                           NULL,
                           NULL};
        hooks watch = {0};
        pqt_error error = {0};
        hooks_start(&watch);
        const pqt_tree *next = pqt_tree_search(f.tree, query, &error);
        hooks_stop();
        ck_assert_msg(next != NULL, "%s: %s", f.name, error.text);
        expect_no_waste(f.name, f.tree, next, &watch);
    }
    field_free(&f);
}
END_TEST

static pqt_box
uniform_among_a_million(dice *d)
{
    double x = dice_real(d) * 9990;
    double y = dice_real(d) * 9990;
    return (pqt_box){{x, y}, {x + dice_real(d) * 10, y + dice_real(d) * 10}};
}

START_TEST(a_search_of_a_quarter_shares_nine_tenths_of_its_nodes)
{
    const mass million = {"a million", uniform_among_a_million};
    static const pqt_box windows[] = {{{0, 0}, {5000, 5000}}, {{1234, 2345}, {6234, 7345}}};
    field f = field_make(&million, MILLION, false);
    for (int i = 0; i < 4; i++) {
        pqt_query query = {windows[i / 2], i % 2 == 0 ? PQT_TOUCHES : PQT_INSIDE, NULL, NULL, NULL};
        pqt_error error = {0};
        const pqt_tree *found = pqt_tree_search(f.tree, query, &error);
        ck_assert_msg(found != NULL, "%s", error.text);
        blocks sum = blocks_of(found, f.tree);
        ck_assert_uint_gt(pqt_tree_count(found), f.count / 5);
        ck_assert_uint_eq(sum.unshared_but_equal, 0);
        ck_assert_msg(sum.shared * 10 > sum.all * 9, "%zu of %zu blocks are shared", sum.shared,
                      sum.all);
        ck_assert_uint_gt(pqt_tree_shared_bytes(found, f.tree) * 10,
                          pqt_tree_get_stats(found).bytes * 9);
    }
    field_free(&f);
}
END_TEST

static Suite *
make_suite(void)
{
    enum { IDENTICAL = 1, WORLD_SIZED = 3, CLUMPED = 4 };
    Suite *suite = suite_create("cost");
    TCase *edits = tcase_create("edits");
    TCase *windows = tcase_create("windows");
    TCase *sharing = tcase_create("sharing");
    tcase_set_timeout(edits, 0);
    tcase_set_timeout(windows, 0);
    tcase_set_timeout(sharing, 0);
    tcase_add_loop_test(edits, one_edit_among_100000_copies_less_than_8_kb, 0, MASSES);
    tcase_add_test(edits, an_insert_into_100000_uniform_items_keeps_less_than_2_kb);
    tcase_add_loop_test(edits, what_changes_nothing_allocates_nothing, 0, MASSES);
    tcase_add_loop_test(edits, reading_allocates_nothing, 0, MASSES);
    tcase_add_test(edits, clearing_costs_the_version_alone);
    for (int i = 0; i < MASSES; i++) {
        if (i == IDENTICAL || i == WORLD_SIZED || i == CLUMPED)
            tcase_add_loop_test(windows, a_window_beside_a_clump_tests_none, i, i + 1);
        else
            tcase_add_loop_test(windows, a_window_of_ten_hits_tests_fewer_than_1000_boxes, i,
                                i + 1);
    }
    tcase_add_loop_test(windows, whole_subtrees_are_counted_without_a_walk, 0, MASSES);
    tcase_add_test(windows, only_the_edge_of_a_window_is_compared_item_by_item);
    tcase_add_loop_test(sharing, a_batch_makes_no_more_than_the_union_of_the_paths, 0, MASSES);
    tcase_add_loop_test(sharing, a_single_edit_makes_no_more_than_its_path, 0, MASSES);
    tcase_add_test(sharing, no_edit_of_a_small_tree_makes_waste);
    tcase_add_loop_test(sharing, a_search_makes_only_what_the_edge_of_the_window_crosses, 0,
                        MASSES);
    tcase_add_test(sharing, a_search_of_a_quarter_shares_nine_tenths_of_its_nodes);
    suite_add_tcase(suite, edits);
    suite_add_tcase(suite, windows);
    suite_add_tcase(suite, sharing);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
