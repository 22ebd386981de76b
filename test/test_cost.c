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
#include "tree/chain.h"
#include "worlds.h"

enum { HUNDRED_THOUSAND = 100000, MILLION = 1000000, EDITS = 60 };
enum { MOST_EDIT_BYTES = 8000, MOST_BOXES = 1000 };

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

/* Items drawn, and an arena for the tree that is to come. */
static field
field_draw(const char *name, draw_fn *draw, size_t count)
{
    field f = {name, {test_seed(name)}, make_arena(), NULL, count, NULL};
    f.items = calloc(count, sizeof *f.items);
    for (size_t i = 0; i < count; i++)
        f.items[i] = (pqt_item){draw(&f.d), i};
    return f;
}

static field
field_make(const mass *c, size_t count, bool unique)
{
    field f = field_draw(c->name, c->draw, count);
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    options.memory = f.arena;
    options.unique_ids = unique;
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

/* Bytes of the version, and of each of its moves on average. */
static void
measure_moves(bool unique, double *version, double *move)
{
    field f = field_make(&masses[0], HUNDRED_THOUSAND, unique);
    size_t sum = 0;
    for (int i = 0; i < EDITS; i++)
        sum += bytes_of_edit(&f, MOVE, &masses[0]);
    *version = (double)pqt_tree_get_stats(f.tree).bytes;
    *move = (double)sum / EDITS;
    field_free(&f);
}

START_TEST(unique_ids_cost_50_bytes_an_item_and_600_a_move)
{
    double plain, plain_move, unique, unique_move;
    measure_moves(false, &plain, &plain_move);
    measure_moves(true, &unique, &unique_move);
    double per_item = (unique - plain) / HUNDRED_THOUSAND;
    fprintf(stderr, "# id map: %.1f bytes an item, %.0f a move\n", per_item,
            unique_move - plain_move);
    ck_assert_double_lt(per_item, 55);
    ck_assert_double_lt(unique_move - plain_move, 650);
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

/* Sixty windows of ten hits each. A leaf that lies wholly inside is counted without a test. */
static void
expect_cheap_windows(field *f, uint64_t limit)
{
    uint64_t most = 0;
    size_t found = 0;
    for (int i = 0; i < EDITS; i++) {
        pqt_tally tally = {0, 0, 0};
        pqt_query query = window_of_ten(f, &tally);
        size_t count = pqt_tree_collect_ids(f->tree, query, NULL, 0);
        ck_assert_uint_ge(count, 10);
        found = count > found ? count : found;
        most = tally.boxes > most ? tally.boxes : most;
    }
    fprintf(stderr, "# %s: %" PRIu64 " boxes tested at most for up to %zu hits\n", f->name, most,
            found);
    ck_assert_uint_gt(most, found / 2);
    ck_assert_uint_lt(most, limit);
    ck_assert_uint_lt(found, 60);
}

START_TEST(a_window_of_ten_hits_tests_fewer_than_1000_boxes)
{
    field f = field_make(&masses[_i], HUNDRED_THOUSAND, false);
    expect_cheap_windows(&f, MOST_BOXES);
    field_free(&f);
}
END_TEST

/* ---- windows where bounds, depth or capacity fit the items badly ---- */

static const pqt_box far_square = {{5e6, 5e6}, {5e6 + 100, 5e6 + 100}};

static pqt_box
just_outside(dice *d)
{
    return around(5e6 + 101 + dice_real(d) * 100, 5e6 + dice_real(d) * 100, 0.1, 0.1);
}

static pqt_box
wider_than_the_world(dice *d)
{
    return around(5e6 + 50, 5e6 + dice_real(d) * 100, 101, 1e-4);
}

static pqt_box
outside_on_one_side(dice *d)
{
    return around(10020 + dice_real(d) * 10000, dice_real(d) * 10000, dice_real(d) * 30,
                  dice_real(d) * 30);
}

static pqt_box
far_outside(dice *d)
{
    return around(1e6 + dice_real(d) * 1000, 1e6 + dice_real(d) * 1000, 0.3, 0.3);
}

/* How the items of a field become a version. */
typedef const pqt_tree *grow_fn(const field *f, pqt_box bounds, const pqt_tree_options *options,
                                pqt_error *error);

static const pqt_tree *
grow_at_once(const field *f, pqt_box bounds, const pqt_tree_options *options, pqt_error *error)
{
    return pqt_tree_insert_all(pqt_tree_make(bounds, options, error), f->items, f->count, error);
}

/* The bounds are those of a few items that lie elsewhere; they stay in the version. */
static const pqt_tree *
grow_from_few(const field *f, pqt_box bounds, const pqt_tree_options *options, pqt_error *error)
{
    const pqt_item few[] = {{{bounds.min, bounds.min}, 1}, {{bounds.max, bounds.max}, 2}};
    return pqt_tree_insert_all(pqt_tree_of(few, 2, options, error), f->items, f->count, error);
}

static int
by_left_side(const void *a, const void *b)
{
    const pqt_item *first = a, *second = b;
    return (first->box.min.x > second->box.min.x) - (first->box.min.x < second->box.min.x);
}

/* One by one from left to right: the worst order for a tree whose shape remembers the order. */
static const pqt_tree *
grow_in_order(const field *f, pqt_box bounds, const pqt_tree_options *options, pqt_error *error)
{
    const pqt_tree *tree = pqt_tree_make(bounds, options, error);
    hooks watch = {0};
    qsort(f->items, f->count, sizeof *f->items, by_left_side);
    hooks_start(&watch);
    for (size_t i = 0; i < f->count; i++)
        tree = pqt_tree_insert(tree, f->items[i], error);
    hooks_stop();
    ck_assert_uint_lt(hooks_kept_bytes(&watch) / f->count, 2000);
    ck_assert(pqt_tree_equals(tree, grow_at_once(f, bounds, options, error)));
    return tree;
}

typedef struct landscape {
    const char *name;
    draw_fn *draw;
    const pqt_box *bounds;
    int max_depth, capacity;
    grow_fn *grow;
} landscape;

static const landscape landscapes[] = {
    {"just outside a far world", just_outside, &far_square, 24, 24, grow_at_once},
    {"thin, wider than the world", wider_than_the_world, &far_square, 24, 24, grow_at_once},
    {"outside on one side, depth 8", outside_on_one_side, &square, 8, 24, grow_at_once},
    {"outside on one side, depth 4", outside_on_one_side, &square, 4, 24, grow_at_once},
    {"a cloud of strays far away", far_outside, &square, 24, 24, grow_at_once},
    {"uniform, depth 0", uniform, &square, 0, 24, grow_at_once},
    {"far from the bounds of the first", far_outside, &square, 24, 24, grow_from_few},
    {"in sorted order", uniform, &square, 24, 24, grow_in_order},
    {"uniform, capacity 1", uniform, &square, 24, 1, grow_at_once},
    {"uniform, capacity 1024", uniform, &square, 24, 1024, grow_at_once},
};

enum { LANDSCAPES = sizeof landscapes / sizeof *landscapes };

static field
landscape_field(const landscape *l)
{
    field f = field_draw(l->name, l->draw, HUNDRED_THOUSAND);
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    options.memory = f.arena;
    options.max_depth = l->max_depth;
    options.leaf_capacity = l->capacity;
    f.tree = l->grow(&f, *l->bounds, &options, &error);
    ck_assert_msg(f.tree != NULL, "%s: %s", f.name, error.text);
    ck_assert_uint_ge(pqt_tree_count(f.tree), f.count);
    return f;
}

START_TEST(bounds_depth_and_capacity_that_fit_badly_keep_windows_cheap)
{
    const landscape *l = &landscapes[_i];
    field f = landscape_field(l);
    /* A window may lie on the corner where four leaves meet. */
    uint64_t leaves = 4 * (uint64_t)l->capacity;
    expect_cheap_windows(&f, leaves > MOST_BOXES ? leaves : MOST_BOXES);
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

/* Whether two parts hold the same: by bytes of leaves, by fingerprints of nodes. */
static bool
equal_parts(pqti_ref a, pqti_ref b)
{
    if (a.at == NULL || b.at == NULL || a.marked != b.marked)
        return false;
    if (a.leaf)
        return memcmp(a.at, b.at, a.count * 5 * sizeof(double)) == 0;
    return same_fingerprint(((const pqti_inner *)a.at)->fingerprint,
                            ((const pqti_inner *)b.at)->fingerprint);
}

/* A part of what stands at a place. */
static pqti_ref
part_of(const pqti_space *space, pqti_place place, pqti_ref whole, int part)
{
    pqti_inner thought;
    if (whole.at == NULL || whole.leaf)
        return PQTI_EMPTY_REF;
    whole = pqti_think_at(space, place, whole, &thought);
    return pqti_part_ref(whole.at, whole.count, part);
}

/* What stands at a place now, and what stood there before; a node that stands deeper counts at its
   own place. */
static void
count_blocks(const pqti_space *space, pqti_place place, pqti_ref now, pqti_ref before, blocks *sum)
{
    if (now.at == NULL)
        return;
    if (!now.deep) {
        sum->all++;
        if (now.at == before.at)
            sum->shared++;
        else if (equal_parts(now, before))
            sum->unshared_but_equal++;
    }
    for (int part = 0; part < PQTI_PARTS; part++)
        count_blocks(space, pqti_part_place(space, place, part), part_of(space, place, now, part),
                     part_of(space, place, before, part), sum);
}

static blocks
blocks_of(const pqt_tree *now, const pqt_tree *before)
{
    blocks sum = {0, 0, 0};
    count_blocks(now->space, PQTI_ROOT, pqti_root(now), pqti_root(before), &sum);
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

/* ---- batches that change a share of the items ---- */

/* The same changes as calls of their own, one after another. */
static const pqt_tree *
apply_singly(const pqt_tree *tree, const pqt_change *changes, size_t count, pqt_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const pqt_change *c = &changes[i];
        switch (c->kind) {
        case PQT_INSERT:
            tree = pqt_tree_insert(tree, c->item, error);
            break;
        case PQT_REMOVE:
            tree = pqt_tree_remove(tree, c->item, error);
            break;
        case PQT_MOVE:
            tree = pqt_tree_move(tree, c->item, c->to, error);
            break;
        case PQT_REMOVE_ID:
            tree = pqt_tree_remove_id(tree, c->item.id, error);
            break;
        case PQT_MOVE_ID:
            tree = pqt_tree_move_id(tree, c->item.id, c->to, error);
            break;
        }
    }
    return tree;
}

/* Whatever is shared is right too, and the id map says the same as the tree. */
static void
expect_right(const pqt_tree *batch, const pqt_tree *single)
{
    pqt_error error = {0};
    ck_assert(pqt_tree_equals(batch, single));
    ck_assert_msg(pqt_tree_check(batch, &error), "%s", error.text);
}

/* Moves of just so many items that lie in the corner at 0, 0, each to another place in it. */
static pqt_change *
moves_in_a_corner(field *f, size_t count)
{
    pqt_query query = {{{0, 0}, {100, 100}}, PQT_INSIDE, NULL, NULL, NULL};
    pqt_change *changes = calloc(count, sizeof *changes);
    pqt_item *items = calloc(count, sizeof *items);
    double side = 100;
    for (; pqt_tree_collect(f->tree, query, items, count) < count; side *= 1.01)
        query.window.max = (pqt_vec){side, side};
    for (size_t i = 0; i < count; i++) {
        double x = dice_real(&f->d) * (side - 30), y = dice_real(&f->d) * (side - 30);
        changes[i] = (pqt_change){PQT_MOVE, items[i], around(x + 15, y + 15, 20, 10)};
    }
    free(items);
    return changes;
}

START_TEST(a_batch_in_one_corner_shares_the_rest)
{
    static const size_t sizes[] = {9000, 11000, 30000};
    for (int unique = 0; unique < 2; unique++) {
        field f = field_make(&masses[0], HUNDRED_THOUSAND, unique == 1);
        size_t count = sizes[_i];
        pqt_change *changes = moves_in_a_corner(&f, count);
        hooks watch = {0}, singly = {0};
        pqt_error error = {0};
        hooks_start(&watch);
        const pqt_tree *next = pqt_tree_apply(f.tree, changes, count, &error);
        hooks_stop();
        hooks_start(&singly);
        const pqt_tree *single = apply_singly(f.tree, changes, count, &error);
        hooks_stop();
        ck_assert_msg(next != NULL && single != NULL, "%s", error.text);
        expect_right(next, single);
        blocks sum = blocks_of(next, f.tree);
        ck_assert_uint_gt(sum.shared * 100, sum.all * 60);
        ck_assert_uint_eq(sum.unshared_but_equal, 0);
        ck_assert_uint_lt(hooks_kept_blocks(&watch), hooks_kept_blocks(&singly));
        if (unique == 0) { /* an id map scatters neighbours: most of its leaves change */
            expect_no_waste(f.name, f.tree, next, &watch);
            ck_assert_uint_gt(pqt_tree_shared_bytes(f.tree, next) * 100,
                              pqt_tree_get_stats(next).bytes * 60);
        }
        free(changes);
        field_free(&f);
    }
}
END_TEST

/* Any change, often of an item that another change of the batch has made, moved or removed. */
static pqt_change
draw_dependent_change(field *f, pqt_item *last, bool unique)
{
    pqt_item item = f->items[dice_below(&f->d, f->count)];
    pqt_item fresh = {uniform(&f->d), dice_below(&f->d, 2 * f->count)};
    pqt_change change = {PQT_INSERT, fresh, uniform(&f->d)};
    if (dice_chance(&f->d, 80)) {
        change.kind = dice_chance(&f->d, 75) ? PQT_MOVE : PQT_REMOVE;
        change.item = dice_chance(&f->d, 20) ? *last : item;
        if (unique && dice_chance(&f->d, 50))
            change.kind = change.kind == PQT_MOVE ? PQT_MOVE_ID : PQT_REMOVE_ID;
    }
    bool moves = change.kind == PQT_MOVE || change.kind == PQT_MOVE_ID;
    *last = (pqt_item){moves ? change.to : change.item.box, change.item.id};
    return change;
}

START_TEST(a_batch_of_any_share_equals_its_changes_one_by_one)
{
    enum { COUNT = 3000 };
    static const size_t percents[] = {5, 24, 26, 40, 60, 100, 250};
    const size_t shares = sizeof percents / sizeof *percents;
    pqt_change *changes = calloc(3 * COUNT, sizeof *changes);
    for (size_t i = 0; i < 2 * shares; i++) {
        bool unique = i % 2 == 1;
        field f = field_make(&masses[0], COUNT, unique);
        pqt_item last = f.items[0];
        size_t count = COUNT * percents[i / 2] / 100;
        pqt_error error = {0};
        for (size_t k = 0; k < count; k++)
            changes[k] = draw_dependent_change(&f, &last, unique);
        const pqt_tree *next = pqt_tree_apply(f.tree, changes, count, &error);
        const pqt_tree *single = apply_singly(f.tree, changes, count, &error);
        ck_assert_msg(next != NULL && single != NULL, "%s", error.text);
        expect_right(next, single);
        field_free(&f);
    }
    free(changes);
}
END_TEST

/* A move of each of the first items; the very next one moves it back, if asked for. */
static size_t
moves_of_most(field *f, size_t items, bool back, pqt_change *changes)
{
    size_t count = 0;
    for (size_t i = 0; i < items; i++) {
        pqt_item there = {uniform(&f->d), f->items[i].id};
        changes[count++] = (pqt_change){PQT_MOVE, f->items[i], there.box};
        if (back)
            changes[count++] = (pqt_change){PQT_MOVE, there, f->items[i].box};
    }
    return count;
}

START_TEST(moves_of_most_items_are_all_done_or_none)
{
    enum { COUNT = 4000 };
    pqt_change *changes = calloc(2 * COUNT, sizeof *changes);
    for (int i = 0; i < 6; i++) {
        field f = field_make(&masses[0], COUNT, i % 2 == 1);
        size_t items = COUNT * (size_t)(i / 2 + 2) / 4; /* a half, three quarters, all */
        size_t count = moves_of_most(&f, items, false, changes);
        pqt_error error = {0}, refused = {0};
        pqt_fingerprint before = pqt_tree_fingerprint(f.tree);
        const pqt_tree *next = pqt_tree_apply(f.tree, changes, count, &error);
        ck_assert_msg(next != NULL, "%s", error.text);
        expect_right(next, apply_singly(f.tree, changes, count, &error));
        changes[count - 3].to.max.x = NAN;
        ck_assert_ptr_null(pqt_tree_apply(f.tree, changes, count, &refused));
        ck_assert_int_eq(refused.status, PQT_ERROR_BOX);
        ck_assert_uint_eq(refused.index, count - 3);
        ck_assert(same_fingerprint(pqt_tree_fingerprint(f.tree), before));
        ck_assert(pqt_tree_check(f.tree, &error));
        count = moves_of_most(&f, items, true, changes);
        ck_assert_ptr_eq(pqt_tree_apply(f.tree, changes, count, &error), f.tree);
        ck_assert_int_eq(error.status, PQT_OK);
        field_free(&f);
    }
    free(changes);
}
END_TEST

/* ---- bytes told and bytes made ---- */

/*
 * What a version costs beside another is what was allocated for it, to the byte. `spare`: a batch
 * that empties a node of more than two leaves' worth may make leaves that are then joined again.
 */
static void
expect_bytes(const char *doing, const pqt_tree *before, const pqt_tree *next, const hooks *watch,
             bool spare)
{
    size_t own = 0;
    if (next != before)
        own = pqt_tree_get_stats(next).bytes - pqt_tree_shared_bytes(next, before);
    size_t allowed = spare ? own / 4 : 0;
    ck_assert_msg(own <= hooks_kept_bytes(watch) && hooks_kept_bytes(watch) <= own + allowed,
                  "%s: %zu bytes are its own, %zu were made", doing, own, hooks_kept_bytes(watch));
}

static const char *
edit_somehow(field *f, const pqt_tree *tree, bool unique, const pqt_tree **next, pqt_error *error)
{
    pqt_change changes[12];
    pqt_item last = f->items[dice_below(&f->d, f->count)];
    pqt_query query = {uniform(&f->d), PQT_TOUCHES, NULL, NULL, NULL};
    for (size_t i = 0; i < 12; i++)
        changes[i] = draw_dependent_change(f, &last, unique);
    switch (dice_below(&f->d, 8)) {
    case 0:
        query.window.min = (pqt_vec){-1, dice_real(&f->d) * 300};
        query.window.max = (pqt_vec){10000, 10000};
        *next = pqt_tree_search(tree, query, error);
        return "search";
    case 1:
        *next = pqt_tree_apply(tree, changes, 12, error);
        return "apply";
    case 2:
        *next = pqt_tree_remove(tree, f->items[dice_below(&f->d, f->count)], error);
        return "remove";
    case 3:
        *next = pqt_tree_move(tree, last, changes[0].to, error);
        return "move";
    default:
        *next = pqt_tree_insert(tree, (pqt_item){changes[0].to, last.id}, error);
        return "insert";
    }
}

START_TEST(a_version_costs_just_the_bytes_that_were_made_for_it)
{
    bool unique = _i % 2 == 1;
    static const int capacities[] = {1, 2, 8, 24, 64};
    field f = field_draw("bytes", uniform, 1200);
    for (int c = 0; c < 5; c++) {
        pqt_tree_options options = PQT_TREE_DEFAULTS;
        pqt_error error = {0};
        options.memory = f.arena;
        options.unique_ids = unique;
        options.leaf_capacity = capacities[c];
        const pqt_tree *next = NULL, *tree = pqt_tree_make(square, &options, &error);
        tree = pqt_tree_insert_all(tree, f.items, f.count / 4, &error);
        for (size_t i = 0; i < test_scaled(600); i++) {
            hooks watch = {0};
            hooks_start(&watch);
            const char *doing = edit_somehow(&f, tree, unique, &next, &error);
            hooks_stop();
            ck_assert_msg(next != NULL, "%s: %s", doing, error.text);
            expect_bytes(doing, tree, next, &watch, capacities[c] < 8 && doing[0] == 'a');
            tree = next;
        }
    }
    field_free(&f);
}
END_TEST

/* From empty to full and back: every leaf of the id map is split and joined again. */
START_TEST(an_id_map_makes_no_block_in_vain)
{
    field f = field_draw("id map", uniform, 3000);
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    options.memory = f.arena;
    options.unique_ids = true;
    const pqt_tree *tree = pqt_tree_make(square, &options, &error);
    for (size_t i = 0; i < 2 * f.count; i++) {
        hooks watch = {0};
        bool up = i < f.count;
        const pqt_item item = f.items[up ? i : 2 * f.count - 1 - i];
        hooks_start(&watch);
        const pqt_tree *next =
            up ? pqt_tree_insert(tree, item, &error) : pqt_tree_remove_id(tree, item.id, &error);
        hooks_stop();
        ck_assert_msg(next != NULL && next != tree, "%s", error.text);
        if (i % 7 == 0 || i > 2 * f.count - 40 || i < 40)
            expect_bytes(up ? "insert" : "remove_id", tree, next, &watch, false);
        tree = next;
    }
    ck_assert_uint_eq(pqt_tree_count(tree), 0);
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
    TCase *batches = tcase_create("batches");
    TCase *bytes = tcase_create("bytes");
    tcase_set_timeout(edits, 0);
    tcase_set_timeout(windows, 0);
    tcase_set_timeout(sharing, 0);
    tcase_set_timeout(batches, 0);
    tcase_set_timeout(bytes, 0);
    tcase_add_loop_test(edits, one_edit_among_100000_copies_less_than_8_kb, 0, MASSES);
    tcase_add_test(edits, an_insert_into_100000_uniform_items_keeps_less_than_2_kb);
    tcase_add_test(edits, unique_ids_cost_50_bytes_an_item_and_600_a_move);
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
    tcase_add_loop_test(windows, bounds_depth_and_capacity_that_fit_badly_keep_windows_cheap, 0,
                        LANDSCAPES);
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
    tcase_add_loop_test(batches, a_batch_in_one_corner_shares_the_rest, 0, 3);
    tcase_add_test(batches, a_batch_of_any_share_equals_its_changes_one_by_one);
    tcase_add_test(batches, moves_of_most_items_are_all_done_or_none);
    tcase_add_loop_test(bytes, a_version_costs_just_the_bytes_that_were_made_for_it, 0, 2);
    tcase_add_test(bytes, an_id_map_makes_no_block_in_vain);
    suite_add_tcase(suite, sharing);
    suite_add_tcase(suite, batches);
    suite_add_tcase(suite, bytes);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
