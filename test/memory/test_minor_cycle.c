/* SPDX-License-Identifier: MIT */
/*
 * test_minor_cycle.c: tests that a heap marks each block once while all versions are kept, and that
 * minor cycles free all that a major cycle would.
 */
#include "config.h"

#include <pqt.h>
#include <pqt/worlds.h>

#include <string.h>

#include "heap_cycles.h"
#include "random.h"
#include "suite.h"

enum { ITEMS = 500 };

static const pqt_box bounds = {{0, 0}, {1000, 1000}};

static pqt_memory *
make_heap(void)
{
    pqt_memory *heap = pqt_heap_make(NULL, NULL);
    ck_assert_ptr_nonnull(heap);
    return heap;
}

static pqt_box
box_of(uint64_t id)
{
    const double x = (double)(id * 7919 % 990), y = (double)(id * 104729 % 990);
    return pqt_box_make(x, y, x + 5, y + 5);
}

static const pqt_tree *
make_tree(pqt_memory *heap)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = heap;
    const pqt_tree *tree = pqt_tree_make(bounds, &options, NULL);
    for (uint64_t i = 0; i < ITEMS; i++)
        tree = pqt_tree_insert(tree, (pqt_item){box_of(i), i}, NULL);
    ck_assert_ptr_nonnull(tree);
    return tree;
}

static const pqt_tree *
with_item(const pqt_tree *tree, uint64_t id)
{
    tree = pqt_tree_insert(tree, (pqt_item){box_of(id), id}, NULL);
    ck_assert_ptr_nonnull(tree);
    return tree;
}

static pqt_history *
make_history(const pqt_tree *first, size_t max_entries)
{
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.max_entries = max_entries;
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), first, &options, NULL);
    ck_assert_ptr_nonnull(history);
    return history;
}

/* ---- All versions are kept ---- */

typedef struct counts {
    uint64_t marked, cycles, major;
} counts;

static counts
counts_of(pqt_memory *heap)
{
    const pqt_memory_stats stats = pqt_memory_get_stats(heap);
    return (counts){stats.blocks_marked, stats.collections, inside_of(heap)->major_cycles};
}

/* Fails unless several cycles have run since `before`, all minor, and marked each block at most
   once. */
static void
require_marked_once(pqt_memory *heap, counts before)
{
    const counts after = counts_of(heap);
    uint64_t used = 0;
    for (size_t i = 0; i < inside_of(heap)->slab_count; i++) {
        pqti_slab *slab = inside_of(heap)->slabs[i];
        for (uint32_t word = 0; word < slab->words; word++)
            used += (uint64_t)__builtin_popcountll(pqti_slab_bits(slab, PQTI_USED)[word]);
    }
    ck_assert_uint_ge(after.cycles, before.cycles + 3);
    ck_assert_uint_eq(after.major, before.major);
    ck_assert_uint_gt(after.marked, before.marked);
    ck_assert_uint_le(after.marked, used);
}

START_TEST(blocks_of_pinned_versions_are_marked_once)
{
    enum { PINS = 3000 };
    pqt_memory *heap = make_heap();
    static pqt_pin *pins[PINS];
    const pqt_tree *tree = make_tree(heap);
    const counts before = counts_of(heap);
    for (uint64_t i = 0; i < PINS; i++) {
        tree = with_item(tree, ITEMS + i);
        pins[i] = pqt_tree_pin(tree, NULL);
        (void)pqt_memory_reclaim(heap, PQT_RECLAIM_PACED);
    }
    require_marked_once(heap, before);
    for (uint64_t i = 0; i < PINS; i++)
        pqt_unpin(&pins[i]);
    require_clean(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}
END_TEST

/* Loop 1: each push is a safe point. The records move to a larger block several times. */
START_TEST(blocks_of_a_history_are_marked_once)
{
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.reclaim_at_push = _i == 1;
    pqt_memory *heap = pqt_heap_make(&options, NULL);
    pqt_history *history = make_history(make_tree(heap), 0);
    const counts before = counts_of(heap);
    for (uint64_t i = 0; i < 3000; i++) {
        const pqt_tree *tree = with_item(pqt_history_value(history), ITEMS + i);
        ck_assert(pqt_history_push(history, tree, NULL, NULL));
        if (_i == 0)
            (void)pqt_memory_reclaim(heap, PQT_RECLAIM_PACED);
    }
    require_marked_once(heap, before);
    pqt_history_destroy(&history);
    require_clean(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}
END_TEST

/* ---- Roots that let go ---- */

typedef struct roots {
    pqt_memory *heap;
    pqt_pin *pin;
    pqt_history *history;
    pqt_head *head;
    pqt_draft *draft; /* NULL, so that cycles can be minor, or a draft */
    uint64_t last_id;
} roots;

static const pqt_tree *
next_of(roots *r, const pqt_tree *tree)
{
    return with_item(tree, ++r->last_id);
}

static const void *
next_of_head(const void *version, void *context, pqt_error *error)
{
    (void)error;
    return next_of(context, version);
}

static void
push(roots *r, uint64_t key)
{
    const pqt_history_entry_info info = {.label = "a label that takes a block of the heap",
                                         .key = key};
    ck_assert(pqt_history_push(r->history, next_of(r, pqt_history_value(r->history)), &info, NULL));
}

/* In each of these functions, a root lets go of a version, or of a text. */

static void
unpin(roots *r)
{
    pqt_pin *pin = pqt_tree_pin(next_of(r, pqt_pin_get_tree(r->pin)), NULL);
    pqt_unpin(&r->pin);
    r->pin = pin;
}

static void
replace_entry(roots *r)
{
    push(r, 7);
    push(r, 7);
    run_cycle(r->heap);
    push(r, 7);
}

/* Thinning drops most of these entries. */
static void
thin(roots *r)
{
    for (int i = 0; i < 40; i++) {
        push(r, 0);
        run_cycle(r->heap);
    }
}

static void
drop_branch(roots *r)
{
    push(r, 0);
    push(r, 0);
    const uint64_t tip = pqt_history_current(r->history);
    ck_assert(pqt_history_undo(r->history) && pqt_history_undo(r->history));
    run_cycle(r->heap);
    ck_assert(pqt_history_drop_branch(r->history, tip, NULL));
}

static void
cancel(roots *r)
{
    pqt_history_begin(r->history, "group");
    push(r, 0);
    run_cycle(r->heap);
    ck_assert(pqt_history_cancel(r->history));
}

static void
rename_entry(roots *r)
{
    const uint64_t entry = pqt_history_current(r->history);
    ck_assert(pqt_history_set_name(r->history, entry, "a name that takes a block", NULL));
    run_cycle(r->heap);
    ck_assert(pqt_history_set_name(r->history, entry, NULL, NULL));
}

static void
end_history(roots *r)
{
    pqt_history_destroy(&r->history);
    r->history = make_history(pqt_pin_get_tree(r->pin), 16);
}

static void
publish(roots *r)
{
    ck_assert(pqt_scope_begin(r->heap, NULL));
    ck_assert(pqt_head_publish(r->head, next_of(r, pqt_head_load(r->head, NULL)), NULL));
    pqt_scope_end(r->heap);
}

static void
update(roots *r)
{
    ck_assert_ptr_nonnull(pqt_head_update(r->head, next_of_head, r, NULL, NULL));
}

static void
end_head(roots *r)
{
    pqt_head_destroy(&r->head);
    r->head = pqt_head_make(pqt_pin_get_tree(r->pin), NULL);
}

static void
begin_draft(roots *r)
{
    if (r->draft == NULL)
        r->draft = pqt_draft_begin(pqt_pin_get_tree(r->pin), NULL);
    ck_assert_ptr_nonnull(r->draft);
}

static void
edit_draft(roots *r)
{
    begin_draft(r);
    for (int i = 0; i < 20; i++) {
        const uint64_t id = ++r->last_id;
        ck_assert(pqt_draft_insert(r->draft, (pqt_item){box_of(id), id}, NULL));
    }
    run_cycle(r->heap);
    const uint64_t id = ++r->last_id;
    ck_assert(pqt_draft_insert(r->draft, (pqt_item){box_of(id), id}, NULL));
}

static void
end_draft(roots *r)
{
    begin_draft(r);
    run_cycle(r->heap);
    pqt_draft_destroy(&r->draft);
}

/* A scope keeps a version that no root ever holds. */
static void
end_scope(roots *r)
{
    ck_assert(pqt_scope_begin(r->heap, NULL));
    (void)next_of(r, pqt_pin_get_tree(r->pin));
    (void)pqt_memory_reclaim(r->heap, dice_below(&(dice){r->last_id}, 100));
    pqt_scope_end(r->heap);
}

static void (*const releases[])(roots *) = {
    unpin,   replace_entry, thin,     drop_branch, cancel,    rename_entry, end_history,
    publish, update,        end_head, edit_draft,  end_draft, end_scope,
};
enum { RELEASES = sizeof releases / sizeof *releases };

static roots
make_roots(void)
{
    roots r = {.heap = make_heap(), .last_id = ITEMS};
    const pqt_tree *tree = make_tree(r.heap);
    r.pin = pqt_tree_pin(tree, NULL);
    r.history = make_history(tree, 16);
    r.head = pqt_head_make(tree, NULL);
    return r;
}

static void
end_roots(roots *r)
{
    pqt_unpin(&r->pin);
    pqt_history_destroy(&r->history);
    pqt_head_destroy(&r->head);
    pqt_draft_destroy(&r->draft);
    require_clean(r->heap);
    ck_assert_uint_eq(used_bytes(r->heap), 0);
    pqt_heap_destroy(&r->heap);
}

/* An earlier cycle marked the version or the text. */
START_TEST(what_a_root_lets_go_of_is_freed_by_one_cycle)
{
    roots r = make_roots();
    for (int i = 0; i < 3; i++) {
        require_clean(r.heap);
        releases[_i](&r);
        require_clean(r.heap);
    }
    end_roots(&r);
}
END_TEST

/* A root lets go of a version that is not marked yet, in this phase. The cycle may have to mark it
   later. */
START_TEST(what_a_root_lets_go_of_during_a_cycle_is_freed_by_the_next)
{
    static const pqti_heap_phase phases[] = {PQTI_STARTING, PQTI_MARKING, PQTI_WAITING,
                                             PQTI_SWEEPING};
    roots r = make_roots();
    require_clean(r.heap);
    ck_assert(pqt_scope_begin(r.heap, NULL));
    const pqt_tree *first = next_of(&r, pqt_pin_get_tree(r.pin)), *second = next_of(&r, first);
    inside_of(r.heap)->bytes_since_cycle = SIZE_MAX / 2;
    (void)pqt_memory_reclaim(r.heap, 1);
    const uint64_t major = inside_of(r.heap)->major_cycles;
    while (atomic_load(&inside_of(r.heap)->phase) != phases[_i % 4]) {
        if (phases[_i % 4] == PQTI_SWEEPING)
            break; /* it waits for the scope */
        (void)pqt_memory_reclaim(r.heap, 1);
    }
    pqt_head *head = _i < 4 ? NULL : pqt_head_make(first, NULL);
    if (_i < 4) {
        pqt_pin *pin = pqt_tree_pin(first, NULL);
        pqt_unpin(&pin);
    } else {
        ck_assert(pqt_head_publish(head, second, NULL));
    }
    pqt_scope_end(r.heap);
    ck_assert_uint_eq(inside_of(r.heap)->major_cycles, major);
    require_clean(r.heap);
    pqt_head_destroy(&head);
    end_roots(&r);
}
END_TEST

START_TEST(one_major_cycle_follows_a_release)
{
    roots r = make_roots();
    run_cycle(r.heap);
    unpin(&r);
    const uint64_t before = inside_of(r.heap)->major_cycles;
    for (int i = 0; i < 4; i++) {
        run_cycle(r.heap);
        ck_assert_uint_eq(inside_of(r.heap)->major_cycles, before + 1);
    }
    end_roots(&r);
}
END_TEST

/* Slices of cycles are between the releases, so that these happen in each phase. */
START_TEST(a_cycle_after_random_releases_leaves_nothing)
{
    dice d = {test_seed("a_cycle_after_random_releases_leaves_nothing")};
    const uint64_t cycles = test_scaled(100);
    roots r = make_roots();
    for (uint64_t i = 0; i < cycles; i++) {
        if (dice_chance(&d, 50))
            pqt_draft_destroy(&r.draft);
        for (uint64_t rest = 1 + dice_below(&d, 8); rest > 0; rest--) {
            releases[dice_below(&d, RELEASES)](&r);
            if (dice_chance(&d, 50))
                inside_of(r.heap)->bytes_since_cycle = SIZE_MAX / 2;
            (void)pqt_memory_reclaim(r.heap, dice_below(&d, 400));
        }
        require_clean(r.heap);
        ck_assert(pqt_tree_check(pqt_pin_get_tree(r.pin), NULL));
        ck_assert(pqt_tree_check(pqt_history_value(r.history), NULL));
    }
    end_roots(&r);
}
END_TEST

/* Each step is a safe point, which keeps a world that only the caller has. */
START_TEST(worlds_that_no_root_holds_are_freed_by_one_cycle)
{
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.reclaim_at_push = true;
    pqt_memory *heap = pqt_heap_make(&options, NULL);
    pqt_world_options world_options = PQT_WORLD_DEFAULTS;
    world_options.memory = heap;
    const pqt_world *world = pqt_world_make(bounds, &world_options, NULL);
    for (uint64_t i = 0; i < 30; i++)
        world = pqt_world_add(world,
                              (pqt_body){.id = i,
                                         .radius = 5,
                                         .position = {20 + (double)(i * 30), 500},
                                         .velocity = {1, (double)i}},
                              NULL);
    for (int i = 0; i < 300; i++) {
        inside_of(heap)->bytes_since_cycle = SIZE_MAX / 2;
        world = pqt_world_step(world, 0.01, NULL, NULL);
        ck_assert_ptr_nonnull(world);
    }
    require_clean(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}
END_TEST

static Suite *
minor_cycle_suite(void)
{
    Suite *suite = suite_create("minor_cycle");
    TCase *kept = tcase_create("kept"), *released = tcase_create("released");
    tcase_add_test(kept, blocks_of_pinned_versions_are_marked_once);
    tcase_add_loop_test(kept, blocks_of_a_history_are_marked_once, 0, 2);
    suite_add_tcase(suite, kept);
    tcase_add_loop_test(released, what_a_root_lets_go_of_is_freed_by_one_cycle, 0, RELEASES);
    tcase_add_loop_test(released, what_a_root_lets_go_of_during_a_cycle_is_freed_by_the_next, 0, 8);
    tcase_add_test(released, one_major_cycle_follows_a_release);
    tcase_add_test(released, a_cycle_after_random_releases_leaves_nothing);
    if (PQT_WITH_WORLDS)
        tcase_add_test(released, worlds_that_no_root_holds_are_freed_by_one_cycle);
    suite_add_tcase(suite, released);
    return suite;
}

int
main(void)
{
    return run_suite(minor_cycle_suite());
}
