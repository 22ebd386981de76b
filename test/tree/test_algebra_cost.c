/* SPDX-License-Identifier: MIT */
/*
 * test_algebra_cost.c: tests that diff, merge and the set operations enter only blocks that their
 * inputs do not share.
 *
 * The test counts the nodes and leaves that only one of two versions has, pointer by pointer. The
 * number that a call reports as entered must be at most a few times as large, in trees of any size.
 * So a call neither enters shared nodes nor lists unchanged items.
 */
#include "config.h"

#include <pqt/diff.h>
#include <pqt/merge.h>

#include "random.h"
#include "suite.h"
#include "tree/algebra/codescent.h"
#include "tree/node.h"
#include "tree/tree_internal.h"
#include "tree_support.h"

enum { MOST_ITEMS = 20000, FEW_EDITS = 2, MOST_EDITS = 40, SIZES = 3 };

static const size_t sizes[SIZES] = {200, 2000, MOST_ITEMS};
static const int capacities[] = {1, 4, 24};

/* The blocks of a version: its inner nodes and its leaves. */
typedef struct blocks {
    const void **at;
    size_t count, capacity;
} blocks;

static void
take_blocks(blocks *all, pqti_node_ref ref)
{
    if (ref.count == 0)
        return;
    if (all->count == all->capacity) {
        all->capacity = 2 * all->capacity + 64;
        void *larger = realloc(all->at, all->capacity * sizeof *all->at);
        require(larger != NULL, "out of memory (list of blocks)");
        all->at = larger;
    }
    all->at[all->count++] = ref.at;
    for (int child_index = 0; child_index < PQTI_CHILDREN && !ref.leaf; child_index++)
        take_blocks(all, pqti_child_ref(ref.at, ref.count, child_index));
}

static int
compare_pointers(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t) * (const void *const *)a, y = (uintptr_t) * (const void *const *)b;
    return (x > y) - (x < y);
}

static blocks
blocks_of(const pqt_tree *tree)
{
    blocks all = {NULL, 0, 0};
    take_blocks(&all, pqti_root(tree));
    if (all.count > 0)
        qsort(all.at, all.count, sizeof *all.at, compare_pointers);
    return all;
}

/* Returns the number of blocks that only one of two versions has. */
static size_t
unshared(const pqt_tree *a, const pqt_tree *b)
{
    blocks of_a = blocks_of(a), of_b = blocks_of(b);
    size_t common = 0, i = 0, j = 0;
    while (i < of_a.count && j < of_b.count) {
        int order = compare_pointers(&of_a.at[i], &of_b.at[j]);
        common += order == 0;
        i += order <= 0;
        j += order >= 0;
    }
    size_t count = of_a.count + of_b.count - 2 * common;
    free(of_a.at);
    free(of_b.at);
    return count;
}

static pqt_item
drawn_item(dice *d, uint64_t id)
{
    double size = dice_chance(d, 5) ? 8 : 0.05;
    double x = dice_real(d) * 15, y = dice_real(d) * 15;
    return boxed(box(x, y, x + dice_real(d) * size, y + dice_real(d) * size), id);
}

/* Returns a version of `count` items, whose ids begin at 0. */
static const pqt_tree *
drawn_tree(dice *d, size_t count, int capacity, bool unique, pqt_item *items)
{
    pqt_tree_options options = options_of(capacity, 24);
    options.unique_ids = unique;
    for (size_t i = 0; i < count; i++)
        items[i] = drawn_item(d, i);
    return with_items(made(world_box, options), items, count);
}

/* Edits the items whose ids have a given remainder modulo 2, so that the two sides edit different
   items. */
static const pqt_tree *
edited(dice *d, const pqt_tree *tree, const pqt_item *items, size_t count, size_t remainder)
{
    size_t edits = 1 + dice_below(d, dice_chance(d, 50) ? FEW_EDITS : MOST_EDITS);
    bool is_local = dice_chance(d, 50);
    for (size_t i = 0; i < edits; i++) {
        const pqt_item *item = &items[dice_below(d, count / 2) * 2 + remainder];
        pqt_box near = pqt_box_moved(item->box, (pqt_vec){dice_real(d) / 8, dice_real(d) / 8});
        pqt_item other = drawn_item(d, item->id);
        if (dice_chance(d, 20))
            tree = removed(tree, *item);
        else if (dice_chance(d, 20))
            tree = inserted(tree, drawn_item(d, 2 * MOST_ITEMS + 2 * i + remainder));
        else
            tree = moved(tree, *item, is_local ? near : other.box);
    }
    return tree;
}

/* The two sides of a merge, with their base. */
typedef struct scene {
    dice d;
    const pqt_tree *base, *ours, *theirs;
    /* the numbers of blocks that a side and the base do not share */
    size_t ours_apart, theirs_apart;
    pqt_query_stats stats;
    pqt_merge_options options;
} scene;

static void
begin_scene(scene *s, size_t size, int capacity, bool unique, uint64_t seed)
{
    pqt_item *items = calloc(size, sizeof *items);
    require(items != NULL, "out of memory (items)");
    *s = (scene){.d = {seed}, .options = PQT_MERGE_DEFAULTS};
    s->options.stats = &s->stats;
    s->base = drawn_tree(&s->d, size, capacity, unique, items);
    s->ours = edited(&s->d, s->base, items, size, 0);
    s->theirs = edited(&s->d, s->base, items, size, 1);
    s->ours_apart = unshared(s->base, s->ours);
    s->theirs_apart = unshared(s->base, s->theirs);
    free(items);
}

/* Expects that at most `times * apart` nodes and leaves were entered since the last call, where
   `apart` is the number of blocks that are not shared. */
static void
expect_entered(scene *s, const char *what, size_t times, size_t apart)
{
    uint64_t entered = s->stats.nodes + s->stats.leaves;
    ck_assert_msg(entered <= times * apart, "%s of %zu items: %zu entered, %zu not shared", what,
                  pqt_tree_count(s->base), (size_t)entered, apart);
    s->stats = (pqt_query_stats){0, 0, 0};
}

static bool
take_none(const pqt_change *change, void *context)
{
    (void)change;
    (void)context;
    return true;
}

static void
check_diff(scene *s)
{
    pqt_query query = query_of_all();
    pqt_error error = {0};
    query.stats = &s->stats;
    require(pqti_diff_visit_unpaired(s->base, s->ours, &query, take_none, NULL, &error),
            error.text);
    expect_entered(s, "diff", 1, s->ours_apart);
    require(pqt_tree_visit_diff(s->ours, s->base, &query, take_none, NULL, &error), error.text);
    expect_entered(s, "diff backwards", 1, s->ours_apart);
    require(pqt_tree_visit_diff(s->ours, s->theirs, &query, take_none, NULL, &error), error.text);
    expect_entered(s, "diff of two sides", 1, s->ours_apart + s->theirs_apart);
    require(pqt_tree_visit_diff(s->ours, s->ours, &query, take_none, NULL, &error), error.text);
    expect_entered(s, "diff against itself", 0, 0);
}

/* Lists each side and merges all three versions. The id map takes one more traversal. */
static void
check_merge(scene *s)
{
    size_t apart = s->ours_apart + s->theirs_apart;
    pqt_error error = {0};
    const pqt_tree *merged = pqt_tree_merge(s->base, s->ours, s->theirs, &s->options, &error);
    must(merged, &error);
    expect_entered(s, "merge", 4, apart);
    require(pqt_tree_merge(s->base, s->base, s->theirs, &s->options, &error) == s->theirs,
            "nothing changed by ours");
    require(pqt_tree_merge(s->base, s->ours, s->base, &s->options, &error) == s->ours,
            "nothing changed by theirs");
    expect_entered(s, "merge with an unchanged side", 0, 0);
}

/* Keeps the item of our side. With unique ids, an item that moved has two boxes in a union, and the
 * callback chooses one. */
static pqt_resolution
choose_ours(const pqt_conflict *conflict, pqt_items *answer, void *context)
{
    (void)conflict;
    (void)answer;
    (void)context;
    return PQT_KEEP_OURS;
}

static void
check_sets(scene *s)
{
    size_t apart = s->ours_apart + s->theirs_apart;
    pqt_error error = {0};
    s->options.resolve = choose_ours;
    must(pqt_tree_union(s->ours, s->theirs, &s->options, &error), &error);
    expect_entered(s, "union", 4, apart);
    must(pqt_tree_intersection(s->ours, s->theirs, &s->options, &error), &error);
    expect_entered(s, "intersection", 3, apart);
    must(pqt_tree_difference(s->ours, s->theirs, &s->options, &error), &error);
    expect_entered(s, "difference", 3, apart);
}

static void
check_scenes(void (*check)(scene *s), const char *name)
{
    static const size_t rounds[SIZES] = {60, 18, 6};
    uint64_t seed = test_seed(name);
    for (size_t i = 0; i < SIZES; i++)
        for (size_t round = 0; round < test_scaled(rounds[i]); round++) {
            scene s;
            close_arena();
            open_arena();
            begin_scene(&s, sizes[i], capacities[round / 2 % 3], round % 2 == 1, seed++);
            check(&s);
        }
}

START_TEST(a_difference_enters_only_nodes_that_are_not_shared)
{
    check_scenes(check_diff, "a_difference_enters_only_nodes_that_are_not_shared");
}
END_TEST

START_TEST(a_merge_enters_only_nodes_that_are_not_shared)
{
    check_scenes(check_merge, "a_merge_enters_only_nodes_that_are_not_shared");
}
END_TEST

START_TEST(set_operations_enter_only_nodes_that_are_not_shared)
{
    check_scenes(check_sets, "set_operations_enter_only_nodes_that_are_not_shared");
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("algebra_cost");
    TCase *tests = add_tests(suite, "sharing");
    tcase_add_test(tests, a_difference_enters_only_nodes_that_are_not_shared);
    tcase_add_test(tests, a_merge_enters_only_nodes_that_are_not_shared);
    tcase_add_test(tests, set_operations_enter_only_nodes_that_are_not_shared);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
