/* SPDX-License-Identifier: MIT */
/* test_heap.c: tests heaps: what they keep and reclaim, their options and limits. */
#include "config.h"

#include <pqt.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "heap_cycles.h"
#include "heap_support.h"
#include "misuse.h"
#include "random.h"
#include "suite.h"

START_TEST(versions_that_no_root_holds_are_reclaimed)
{
    pqt_memory *heap = make_heap();
    const pqt_tree *tree = make_full_tree(heap, 10000, true);
    pqt_pin *pin = pqt_tree_pin(tree, NULL);
    reclaim_all(heap);
    const uint64_t before = used_bytes(heap);
    for (uint64_t i = 0; i < 5000; i++)
        tree = nudge(tree, i * 13 % 10000, 1);
    ck_assert_uint_gt(used_bytes(heap), before + 5000000);
    reclaim_all(heap);
    /* Blocks that a thread has reserved but not allocated count as used. */
    ck_assert_uint_le(used_bytes(heap), before + 200000);
    ck_assert_uint_eq(pqt_tree_count(pqt_pin_get_tree(pin)), 10000);
    ck_assert(pqt_tree_check(pqt_pin_get_tree(pin), NULL));
    pqt_unpin(&pin);
    reclaim_all(heap);
    ck_assert_uint_le(used_bytes(heap), 300000);
    pqt_heap_destroy(&heap);
    ck_assert_ptr_null(heap);
}
END_TEST

START_TEST(a_heap_that_reclaims_in_slices_does_not_grow)
{
    pqt_memory *heap = make_heap();
    const pqt_tree *tree = make_full_tree(heap, 2000, true);
    pqt_pin *pin = pqt_tree_pin(tree, NULL);
    reclaim_all(heap);
    const uint64_t live = used_bytes(heap);
    uint64_t most = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        tree = nudge(pqt_pin_get_tree(pin), i * 13 % 2000, i % 2 == 0 ? 1 : -1);
        pqt_unpin(&pin);
        pin = pqt_tree_pin(tree, NULL);
        pqt_memory_reclaim(heap, 100);
        const uint64_t now = pqt_memory_get_stats(heap).bytes;
        most = now > most ? now : most;
    }
    ck_assert_uint_gt(pqt_memory_get_stats(heap).collections, 2);
    ck_assert_uint_le(most, 3 * live + 2000000 + QUARANTINED_BYTES);
    ck_assert(pqt_tree_check(tree, NULL));
    pqt_unpin(&pin);
    pqt_heap_destroy(&heap);
}
END_TEST

/* ---- Roots ---- */

START_TEST(a_scope_keeps_the_versions_made_in_it)
{
    pqt_memory *heap = make_heap();
    const pqt_tree *versions[50];
    ck_assert(pqt_scope_begin(heap, NULL));
    versions[0] = make_full_tree(heap, 1000, true);
    for (uint64_t i = 1; i < 50; i++) {
        versions[i] = nudge(versions[i - 1], i, 1);
        ck_assert(!pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    }
    for (int i = 0; i < 50; i++)
        ck_assert(pqt_tree_check(versions[i], NULL));
    const uint64_t before = used_bytes(heap);
    pqt_scope_end(heap);
    reclaim_all(heap);
    ck_assert_uint_lt(used_bytes(heap), before / 4);
    pqt_heap_destroy(&heap);
}
END_TEST

START_TEST(the_outermost_scope_counts)
{
    pqt_memory *heap = make_heap();
    ck_assert(pqt_scope_begin(heap, NULL));
    ck_assert(pqt_scope_begin(heap, NULL));
    const pqt_tree *tree = make_full_tree(heap, 100, false);
    pqt_scope_end(heap);
    ck_assert(!pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    ck_assert(pqt_tree_check(tree, NULL));
    pqt_scope_end(heap);
    reclaim_all(heap);
    pqt_heap_destroy(&heap);
}
END_TEST

/* Pins are made and freed in each phase of a cycle. A version that is pinned after the pins were
   scanned is marked. */
START_TEST(a_version_pinned_during_a_cycle_is_kept)
{
    enum { PINS = 3000 };
    pqt_memory *heap = make_heap();
    pqt_pin *pins[PINS] = {NULL};
    const pqt_tree *tree = make_full_tree(heap, 500, true);
    dice d = {test_seed("a_version_pinned_during_a_cycle_is_kept")};
    for (size_t i = 0; i < PINS; i++) {
        const size_t other = dice_below(&d, i + 1);
        tree = nudge(pins[other] != NULL ? pqt_pin_get_tree(pins[other]) : tree,
                     dice_below(&d, 500), 1e-3);
        pins[i] = pqt_tree_pin(tree, NULL);
        if (i % 3 == 0)
            pqt_unpin(&pins[dice_below(&d, i + 1)]);
        if (pins[i] == NULL)
            pins[i] = pqt_tree_pin(tree, NULL);
        pqt_memory_reclaim(heap, dice_below(&d, 300));
        tree = pqt_pin_get_tree(pins[i]);
    }
    ck_assert_uint_gt(pqt_memory_get_stats(heap).collections, 0);
    for (size_t i = 0; i < PINS; i++) {
        if (pins[i] != NULL && i % 10 == 0)
            ck_assert(pqt_tree_check(pqt_pin_get_tree(pins[i]), NULL));
        pqt_unpin(&pins[i]);
    }
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}
END_TEST

/* A scope holds versions that no root reaches, more than a thread's ring takes, and pins them in
   one phase. Some of the pins are gone when the scope ends. */
START_TEST(more_versions_than_a_ring_takes_are_pinned_in_one_phase)
{
    enum { PINS = 5 * PQTI_PIN_RING / 2 };
    static const pqti_heap_phase phases[] = {PQTI_STARTING, PQTI_MARKING, PQTI_WAITING};
    pqt_memory *heap = make_heap();
    const pqt_tree *trees[PINS];
    pqt_pin *pins[PINS], *root = pqt_tree_pin(make_full_tree(heap, 2000, true), NULL);
    ck_assert(pqt_scope_begin(heap, NULL));
    for (uint64_t i = 0; i < PINS; i++)
        trees[i] = make_full_tree(heap, 1 + i % 7, true);
    advance_to(heap, phases[_i]);
    for (size_t i = 0; i < PINS; i++)
        pins[i] = pqt_tree_pin(trees[i], NULL);
    for (size_t i = 0; i < PINS; i += 3)
        pqt_unpin(&pins[i]);
    ck_assert_int_eq(atomic_load(&inside_of(heap)->phase), phases[_i]);
    pqt_scope_end(heap);
    while (!pqt_memory_reclaim(heap, 1))
        ; /* one step at a time, so that no call empties a ring */
    reclaim_all(heap);
    (void)make_full_tree(heap, 2000, true); /* reuses the freed blocks */
    for (size_t i = 0; i < PINS; i++) {
        if (pins[i] == NULL)
            continue;
        ck_assert(pqt_tree_check(pqt_pin_get_tree(pins[i]), NULL));
        ck_assert_uint_eq(pqt_tree_count(pqt_pin_get_tree(pins[i])), 1 + i % 7);
        pqt_unpin(&pins[i]);
    }
    ck_assert(pqt_tree_check(pqt_pin_get_tree(root), NULL));
    pqt_unpin(&root);
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}

END_TEST

START_TEST(a_history_of_100_entries_takes_less_than_three_times_the_live_bytes)
{
    pqt_memory *heap = make_heap();
    pqt_history *history = make_history(make_full_tree(heap, 10000, true), 100, false);
    reclaim_all(heap);
    uint64_t most = 0;
    for (uint64_t i = 0; i < test_scaled(100000); i++) {
        push(history, nudge(current_of(history), i * 7919 % 10000, i / 10000 % 2 ? 1 : -1), "move");
        pqt_memory_reclaim(heap, 60);
        const uint64_t now = pqt_memory_get_stats(heap).bytes;
        most = now > most ? now : most;
    }
    reclaim_all(heap);
    const uint64_t live = used_bytes(heap);
    printf("# at most %llu bytes taken, %llu live\n", (unsigned long long)most,
           (unsigned long long)live);
    ck_assert_uint_lt(most, 3 * live);
    pqt_history_destroy(&history);
    pqt_heap_destroy(&heap);
}
END_TEST

START_TEST(memory_stays_constant_while_only_the_newest_version_is_kept)
{
    enum { ITEMS = 1000 };
    const size_t edits = test_scaled(20000);
    pqt_memory *heap = make_heap();
    pqt_pin *pin = pqt_tree_pin(make_full_tree(heap, ITEMS, true), NULL);
    uint64_t early = 0, most = 0;
    for (size_t i = 0; i < edits; i++) {
        const pqt_tree *tree = nudge(pqt_pin_get_tree(pin), i * 7 % ITEMS, i / ITEMS % 2 ? 1 : -1);
        pqt_unpin(&pin);
        pin = pqt_tree_pin(tree, NULL);
        pqt_memory_reclaim(heap, 64);
        const uint64_t bytes = pqt_memory_get_stats(heap).bytes;
        most = bytes > most ? bytes : most;
        early = i < 10000 ? most : early;
    }
    printf("# %zu edits, at most %llu bytes, %llu in the first 10000\n", edits,
           (unsigned long long)most, (unsigned long long)early);
    ck_assert_uint_le(most, early + 1200000); /* one chunk of 1 MiB */
    ck_assert(pqt_tree_check(pqt_pin_get_tree(pin), NULL));
    pqt_unpin(&pin);
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}

END_TEST

START_TEST(a_cycle_begins_when_the_heap_has_grown)
{
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.growth = 3;
    pqt_memory *heap = pqt_heap_make(&options, NULL);
    pqt_pin *pin = pqt_tree_pin(make_full_tree(heap, 10000, true), NULL);
    reclaim_all(heap);
    const uint64_t live = used_bytes(heap), cycles = pqt_memory_get_stats(heap).collections;
    while (used_bytes(heap) < 29 * live / 10) {
        nudge(pqt_pin_get_tree(pin), 7, 1);
        ck_assert(pqt_memory_reclaim(heap, 1000000));
    }
    ck_assert_uint_eq(pqt_memory_get_stats(heap).collections, cycles);
    while (used_bytes(heap) > live * 2) {
        nudge(pqt_pin_get_tree(pin), 7, 1);
        pqt_memory_reclaim(heap, 1000000);
        ck_assert_uint_lt(used_bytes(heap), 32 * live / 10);
    }
    ck_assert_uint_eq(pqt_memory_get_stats(heap).collections, cycles + 1);
    pqt_unpin(&pin);
    pqt_heap_destroy(&heap);
}
END_TEST

/* A thread reserves up to 64 blocks at a time, in each of about ten sizes. */
START_TEST(blocks_that_are_taken_but_not_allocated_begin_no_cycle)
{
    enum { ITEMS = 1000, EDITS = 1000, MOST_BYTES = 2048 /* the maximum bytes of an edit */ };
    pqt_memory *heap = make_heap();
    pqt_pin *pin = pqt_tree_pin(make_full_tree(heap, ITEMS, false), NULL);
    reclaim_all(heap);
    const uint64_t cycles = pqt_memory_get_stats(heap).collections;
    for (uint64_t id = ITEMS; id < ITEMS + EDITS; id++) {
        pqt_pin *next =
            pqt_tree_pin(pqt_tree_insert(pqt_pin_get_tree(pin), item_of(id), NULL), NULL);
        pqt_memory_reclaim(heap, 256);
        pqt_unpin(&pin);
        pin = next;
    }
    ck_assert_uint_le(pqt_memory_get_stats(heap).collections - cycles,
                      EDITS * MOST_BYTES / (256 * 1024));
    pqt_unpin(&pin);
    pqt_heap_destroy(&heap);
}
END_TEST

START_TEST(a_heap_stays_within_its_limit)
{
    pqt_error error = {0};
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.limit = 1000000;
    pqt_memory *heap = pqt_heap_make(&options, &error);
    const pqt_tree *tree = make_full_tree(heap, 1000, true), *last = tree;
    pqt_pin *pin = pqt_tree_pin(tree, NULL);
    for (uint64_t i = 0; last != NULL; i++) {
        tree = last;
        last = pqt_tree_insert(tree, item_of(i + 1000), &error);
        ck_assert_uint_le(pqt_memory_get_stats(heap).bytes, options.limit);
    }
    ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    ck_assert(pqt_tree_check(tree, NULL));
    reclaim_all(heap);
    ck_assert_ptr_nonnull(pqt_tree_insert(pqt_pin_get_tree(pin), item_of(5000), NULL));
    pqt_unpin(&pin);
    pqt_heap_destroy(&heap);
}
END_TEST

/* At this limit and growth, the heap is full long before it has grown enough for a cycle. Each
   time, one edit fails. _i selects how the heap reclaims: all at once if it is full, or in slices,
   between which edits fail. */
START_TEST(a_full_heap_reclaims_before_it_has_grown)
{
    enum { EDITS = 20000, LIMIT = 4 << 20, SLICES = 5000 };
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.limit = LIMIT;
    options.growth = 100;
    pqt_memory *heap = pqt_heap_make(&options, NULL);
    pqt_pin *pin = pqt_tree_pin(make_full_tree(heap, 5000, true), NULL);
    reclaim_all(heap);
    ck_assert_uint_lt(used_bytes(heap), LIMIT / 2);
    const uint64_t cycles = pqt_memory_get_stats(heap).collections;
    uint64_t failed = 0;
    for (uint64_t i = 0; i < EDITS; i++) {
        const pqt_tree *tree = pqt_pin_get_tree(pin);
        pqt_item item;
        ck_assert(pqt_tree_find(tree, i % 5000, &item));
        item.box.max.x += i / 5000 % 2 == 0 ? 1 : -1;
        tree = pqt_tree_move_id(tree, item.id, item.box, NULL);
        if (tree != NULL) {
            pqt_unpin(&pin);
            pin = pqt_tree_pin(tree, NULL);
        }
        failed += tree == NULL;
        pqt_memory_reclaim(heap, _i == 0 ? PQT_RECLAIM_PACED : SLICES);
    }
    const uint64_t ended = pqt_memory_get_stats(heap).collections - cycles;
    const uint64_t most = _i == 0 ? ended : ended * (LIMIT / 64) / SLICES;
    ck_assert_uint_gt(failed, 0);
    ck_assert_uint_le(failed, most);
    pqt_unpin(&pin);
    pqt_heap_destroy(&heap);
}
END_TEST

typedef struct host {
    size_t calls, bytes, fail_after;
} host;

static void *
allocate_from_host(size_t bytes, size_t alignment, void *context)
{
    host *h = context;
    if (++h->calls > h->fail_after)
        return NULL;
    h->bytes += bytes;
    return aligned_alloc(alignment, bytes);
}

static void
release_to_host(void *memory, size_t bytes, void *context)
{
    ((host *)context)->bytes -= bytes;
    free(memory);
}

START_TEST(memory_comes_from_the_hosts_functions)
{
    host h = {.fail_after = 20};
    pqt_error error = {0};
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.allocate = allocate_from_host;
    options.release = release_to_host;
    options.context = &h;
    pqt_memory *heap = pqt_heap_make(&options, NULL);
    const pqt_tree *tree = make_full_tree(heap, 100, true);
    ck_assert_uint_eq(h.bytes, pqt_memory_get_stats(heap).bytes);
    ck_assert_uint_gt(h.calls, 0);
    for (uint64_t i = 0; tree != NULL; i++)
        tree = pqt_tree_insert(tree, item_of(i + 100), &error);
    ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    reclaim_all(heap);
    ck_assert_uint_eq(h.bytes, pqt_memory_get_stats(heap).bytes);
    pqt_heap_destroy(&heap);
    ck_assert_uint_eq(h.bytes, 0);
}
END_TEST

/* Allocates each multiple of 16 bytes up to 6400, then some larger sizes. */
static size_t
size_of_block(size_t i)
{
    return 16 * (1 + i + (i > 400 ? (i - 400) * (i - 400) / 20 : 0));
}

START_TEST(blocks_of_every_size_are_apart_and_aligned)
{
    pqt_memory *heap = make_heap();
    enum { SIZES = 700 };
    unsigned char *blocks[SIZES];
    ck_assert(pqt_scope_begin(heap, NULL));
    for (size_t i = 0; i < SIZES; i++) {
        const size_t size = size_of_block(i);
        blocks[i] = i % 2 == 0 ? pqti_alloc_leaf(heap, size) : pqti_alloc_list(heap, size);
        ck_assert_ptr_nonnull(blocks[i]);
        ck_assert_uint_eq((uintptr_t)blocks[i] % 16, 0);
        ck_assert_uint_ge(pqti_block_size(heap, blocks[i], size), size);
        ck_assert_uint_le(pqti_block_size(heap, blocks[i], size), size + size / 8);
        memset(blocks[i], (int)i, size);
    }
    for (size_t i = 0; i < SIZES; i++) {
        const size_t size = size_of_block(i);
        bool is_whole = true;
        for (size_t k = 0; k < size; k++)
            is_whole = is_whole && blocks[i][k] == (unsigned char)i;
        ck_assert_msg(is_whole, "block %zu was overwritten", i);
    }
    pqt_scope_end(heap);
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}
END_TEST

START_TEST(options_out_of_range_are_refused)
{
    static const double growths[] = {1, 0, -1, 101, 1e300, 0.0 / 0.0};
    for (size_t i = 0; i < sizeof growths / sizeof *growths; i++) {
        pqt_error error = {0};
        pqt_heap_options options = PQT_HEAP_DEFAULTS;
        options.growth = growths[i];
        ck_assert_ptr_null(pqt_heap_make(&options, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
    }
    pqt_error error = {0};
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.allocate = allocate_from_host;
    ck_assert_ptr_null(pqt_heap_make(&options, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
}
END_TEST

START_TEST(other_memories_need_no_scope_and_reclaim_nothing)
{
    pqt_memory *arena = pqt_arena_make(0, NULL);
    ck_assert(pqt_scope_begin(arena, NULL));
    ck_assert(pqt_memory_reclaim(arena, 10));
    pqt_scope_end(arena);
    const pqt_memory_stats stats = pqt_memory_get_stats(arena);
    ck_assert_uint_eq(stats.used_bytes + stats.blocks_marked + stats.blocks_swept, 0);
    pqt_arena_destroy(&arena);
}

END_TEST

/* ---- Misuse ---- */

static void
expect_misuse(void (*mistake)(void *), void *context, const char *part)
{
    char text[MISUSE_TEXT];
    if (!misuse_can_be_tested())
        return;
    ck_assert(misuse_aborts(mistake, context, text));
    ck_assert_msg(strstr(text, part) != NULL, "%s", text);
}

static void
load_without_a_scope(void *head)
{
    (void)pqt_head_load(head, NULL);
}

static void
end_no_scope(void *heap)
{
    pqt_scope_end(heap);
}

static void
destroy_with_a_pin(void *heap)
{
    pqt_memory *memory = heap;
    pqt_heap_destroy(&memory);
}

static void CK_ATTRIBUTE_UNUSED
pin_what_was_reclaimed(void *heap)
{
    const pqt_tree *tree = make_full_tree(heap, 1000, false);
    pqt_memory_reclaim(heap, PQT_RECLAIM_ALL);
    pqt_pin *pin = pqt_tree_pin(tree, NULL);
    (void)pin;
    pqt_memory_reclaim(heap, PQT_RECLAIM_ALL);
}

static void
destroy_an_arena_as_a_heap(void *arena)
{
    pqt_memory *memory = arena;
    pqt_heap_destroy(&memory);
}

START_TEST(mistakes_stop_the_program_with_a_message)
{
    pqt_memory *heap = make_heap(), *arena = pqt_arena_make(0, NULL);
    pqt_head *head = pqt_head_make(make_tree(heap, false), NULL);
    expect_misuse(load_without_a_scope, head, "pqt_head_load: a version of a heap");
    expect_misuse(end_no_scope, heap, "pqt_scope_end: this thread has no scope");
    expect_misuse(destroy_with_a_pin, heap, "pqt_heap_destroy: ");
    expect_misuse(destroy_an_arena_as_a_heap, arena, "not a heap");
/* AddressSanitizer and checked arenas detect the first read */
#if !TESTED_WITH_ADDRESS_SANITIZER && !PQTI_CHECKED_ARENA
    expect_misuse(pin_what_was_reclaimed, heap, "reclaimed");
#endif
    pqt_head_destroy(&head);
    pqt_heap_destroy(&heap);
    pqt_arena_destroy(&arena);
}
END_TEST

START_TEST(each_failed_allocation_of_a_heap_is_handled)
{
    for (size_t n = 1; n < 12; n++) {
        host h = {.fail_after = n};
        pqt_error error = {0};
        pqt_heap_options options = PQT_HEAP_DEFAULTS;
        options.allocate = allocate_from_host;
        options.release = release_to_host;
        options.context = &h;
        pqt_memory *heap = pqt_heap_make(&options, &error);
        const pqt_tree *first = NULL, *tree = NULL;
        pqt_tree_options in_heap = PQT_TREE_DEFAULTS;
        in_heap.memory = heap;
        first = tree = pqt_tree_make(bounds, &in_heap, &error);
        for (uint64_t i = 0; tree != NULL && i < 4000; i++) {
            const pqt_tree *next = pqt_tree_insert(tree, item_of(i), &error);
            if (next == NULL)
                ck_assert(pqt_tree_check(tree, NULL));
            tree = next;
        }
        ck_assert(tree != NULL || error.status == PQT_ERROR_MEMORY);
        ck_assert(first == NULL || pqt_tree_count(first) == 0);
        pqt_heap_destroy(&heap);
        ck_assert_uint_eq(h.bytes, 0);
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("heap");
    TCase *tests = tcase_create("heap");
    tcase_add_test(tests, versions_that_no_root_holds_are_reclaimed);
    tcase_add_test(tests, a_heap_that_reclaims_in_slices_does_not_grow);
    tcase_add_test(tests, a_scope_keeps_the_versions_made_in_it);
    tcase_add_test(tests, the_outermost_scope_counts);
    tcase_add_test(tests, a_version_pinned_during_a_cycle_is_kept);
    tcase_add_loop_test(tests, more_versions_than_a_ring_takes_are_pinned_in_one_phase, 0, 3);
    tcase_add_test(tests, a_history_of_100_entries_takes_less_than_three_times_the_live_bytes);
    tcase_add_test(tests, memory_stays_constant_while_only_the_newest_version_is_kept);
    tcase_add_test(tests, a_cycle_begins_when_the_heap_has_grown);
    tcase_add_test(tests, blocks_that_are_taken_but_not_allocated_begin_no_cycle);
    tcase_add_test(tests, a_heap_stays_within_its_limit);
    tcase_add_loop_test(tests, a_full_heap_reclaims_before_it_has_grown, 0, 2);
    tcase_add_test(tests, memory_comes_from_the_hosts_functions);
    tcase_add_test(tests, blocks_of_every_size_are_apart_and_aligned);
    tcase_add_test(tests, options_out_of_range_are_refused);
    tcase_add_test(tests, other_memories_need_no_scope_and_reclaim_nothing);
    tcase_add_test(tests, mistakes_stop_the_program_with_a_message);
    tcase_add_test(tests, each_failed_allocation_of_a_heap_is_handled);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
