/* SPDX-License-Identifier: MIT */
/* test_heap.c: tests heaps: what they keep and reclaim, and how much work a call does. */
#include "config.h"

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/worlds.h>

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "heap_cycles.h"
#include "memory_support.h"
#include "misuse.h"
#include "random.h"
#include "suite.h"

static const pqt_box bounds = {{0, 0}, {1000, 1000}};

static pqt_memory *
make_heap(void)
{
    pqt_error error = {0};
    pqt_memory *heap = pqt_heap_make(NULL, &error);
    ck_assert_msg(heap != NULL, "%s", error.text);
    return heap;
}

static const pqt_tree *
make_tree(pqt_memory *heap, bool unique_ids)
{
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = heap;
    options.unique_ids = unique_ids;
    const pqt_tree *tree = pqt_tree_make(bounds, &options, &error);
    ck_assert_msg(tree != NULL, "%s", error.text);
    return tree;
}

static pqt_item
item_of(uint64_t id)
{
    const double x = (double)(id * 7919 % 990), y = (double)(id * 104729 % 990);
    return (pqt_item){{{x, y}, {x + 5, y + 5}}, id};
}

/* Returns a tree of items 0 to count - 1. */
static const pqt_tree *
make_full_tree(pqt_memory *heap, size_t count, bool unique_ids)
{
    pqt_item *items = malloc((count + 1) * sizeof *items);
    for (size_t i = 0; i < count; i++)
        items[i] = item_of(i);
    const pqt_tree *tree = pqt_tree_insert_all(make_tree(heap, unique_ids), items, count, NULL);
    free(items);
    ck_assert_ptr_nonnull(tree);
    return tree;
}

static const pqt_tree *
nudge(const pqt_tree *tree, uint64_t id, double by)
{
    pqt_item item;
    pqt_error error = {0};
    ck_assert(pqt_tree_find(tree, id, &item));
    pqt_box to = item.box;
    to.min.x += by;
    to.max.x += by;
    const pqt_tree *next = pqt_tree_move_id(tree, id, to, &error);
    ck_assert_msg(next != NULL, "%s", error.text);
    return next;
}

static void
reclaim_all(pqt_memory *heap)
{
    ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
}

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

/* In a checked build, the quarantine holds the bytes of reclaimed trees. */
#ifdef PQT_DEBUG
enum { QUARANTINED_BYTES = 48 * PQTI_QUARANTINE };
#else
enum { QUARANTINED_BYTES = 0 };
#endif

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

/* Begins a cycle, and takes single steps until it is in a phase. The heap must have blocks to mark.
 */
static void
advance_to(pqt_memory *heap, pqti_heap_phase phase)
{
    inside_of(heap)->bytes_since_cycle = SIZE_MAX / 2; /* so that a cycle is due */
    while (atomic_load(&inside_of(heap)->phase) != phase)
        (void)pqt_memory_reclaim(heap, 1);
}

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

static pqt_history *
make_history(const pqt_tree *first, size_t max_entries, bool indexed)
{
    pqt_error error = {0};
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.max_entries = max_entries;
    options.indexed = indexed;
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), first, &options, &error);
    ck_assert_msg(history != NULL, "%s", error.text);
    return history;
}

static const pqt_tree *
current_of(const pqt_history *history)
{
    return pqt_history_value(history);
}

static void
push(pqt_history *history, const pqt_tree *tree, const char *label)
{
    pqt_error error = {0};
    const pqt_history_entry_info info = {.label = label};
    ck_assert_msg(pqt_history_push(history, tree, &info, &error), "%s", error.text);
}

/* Walks at random through the undo tree, with slices between all steps. */
static void
edit_with_undo(bool indexed, size_t max_entries)
{
    pqt_memory *heap = make_heap();
    dice d = {test_seed(indexed ? "indexed history" : "history")};
    pqt_history *history = make_history(make_full_tree(heap, 300, true), max_entries, indexed);
    for (size_t i = 0; i < test_scaled(4000); i++) {
        char label[32];
        snprintf(label, sizeof label, "edit %zu", i % 100);
        if (dice_chance(&d, 20))
            pqt_history_undo(history);
        else if (dice_chance(&d, 10))
            pqt_history_redo(history);
        else
            push(history, nudge(current_of(history), dice_below(&d, 300), 1e-3), label);
        if (dice_chance(&d, 5)) {
            snprintf(label, sizeof label, "name %zu", i);
            ck_assert(pqt_history_set_name(history, pqt_history_current(history), label, NULL));
        }
        pqt_memory_reclaim(heap, i % 500 == 0 ? PQT_RECLAIM_ALL : dice_below(&d, 200));
        if (i % 100 == 0)
            ck_assert(pqt_tree_check(current_of(history), NULL));
    }
    ck_assert_uint_gt(pqt_memory_get_stats(heap).collections, 0);
    for (bool more = true; more; more = pqt_history_undo(history))
        ck_assert(pqt_tree_check(current_of(history), NULL));
    pqt_history_destroy(&history);
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}

START_TEST(a_history_keeps_its_versions_labels_and_names)
{
    edit_with_undo(false, 0);
    edit_with_undo(false, 100);
    edit_with_undo(true, 100);
}
END_TEST

/* Each way to hold a version. The holders exist before the cycle, except those that are made. */
typedef enum way {
    PINS_IT,
    MAKES_A_HEAD,
    PUBLISHES,
    UPDATES,
    MAKES_A_HISTORY,
    PUSHES,
    REPLACES,
    WAYS
} way;

typedef struct keeper {
    pqt_pin *pin;
    pqt_head *head;
    pqt_history *history;
    const pqt_tree *given; /* the version that an update of the head publishes */
} keeper;

static const void *
give_tree(const void *now, void *context, pqt_error *error)
{
    (void)now;
    (void)error;
    return ((const keeper *)context)->given;
}

static const pqt_tree *
kept_tree(const keeper *k)
{
    return k->pin != NULL    ? pqt_pin_get_tree(k->pin)
           : k->head != NULL ? pqt_head_load(k->head, NULL)
                             : current_of(k->history);
}

static void
prepare_keeper(keeper *k, way by, const pqt_tree *first)
{
    *k = (keeper){.pin = NULL};
    if (by == PUBLISHES || by == UPDATES)
        k->head = pqt_head_make(first, NULL);
    if (by == PUSHES || by == REPLACES)
        k->history = make_history(first, 0, false);
    if (by == REPLACES)
        ck_assert(pqt_history_push(k->history, nudge(first, 0, 1),
                                   &(pqt_history_entry_info){.key = 3}, NULL));
}

static void
keep_tree(keeper *k, way by, const pqt_tree *tree)
{
    k->given = tree;
    if (by == PINS_IT)
        k->pin = pqt_tree_pin(tree, NULL);
    else if (by == MAKES_A_HEAD)
        k->head = pqt_head_make(tree, NULL);
    else if (by == PUBLISHES)
        ck_assert(pqt_head_publish(k->head, tree, NULL));
    else if (by == UPDATES)
        ck_assert(pqt_head_update(k->head, give_tree, k, NULL, NULL) == tree);
    else if (by == MAKES_A_HISTORY)
        k->history = make_history(tree, 0, false);
    else
        ck_assert(pqt_history_push(k->history, tree, &(pqt_history_entry_info){.key = 3}, NULL));
}

/* A version that only a scope keeps gets a holder when the cycle has scanned all other holders. _i
   is a way to hold it, and for each way, a phase. */
START_TEST(a_version_of_a_scope_may_get_a_holder_in_each_phase)
{
    static const pqti_heap_phase phases[] = {PQTI_STARTING, PQTI_MARKING, PQTI_WAITING};
    const way by = (way)(_i % WAYS);
    pqt_memory *heap = make_heap();
    pqt_pin *root = pqt_tree_pin(make_full_tree(heap, 2000, true), NULL);
    keeper k;
    prepare_keeper(&k, by, make_full_tree(heap, 10, true));
    ck_assert(pqt_scope_begin(heap, NULL));
    const pqt_tree *tree = make_full_tree(heap, 300, true);
    advance_to(heap, phases[_i / WAYS]);
    keep_tree(&k, by, tree);
    pqt_scope_end(heap);
    while (!pqt_memory_reclaim(heap, 1))
        ;
    ck_assert(pqt_scope_begin(heap, NULL));
    (void)make_full_tree(heap, 2000, true); /* would reuse the freed blocks */
    ck_assert(kept_tree(&k) == tree);
    ck_assert(pqt_tree_check(tree, NULL));
    ck_assert_uint_eq(pqt_tree_count(tree), 300);
    pqt_scope_end(heap);
    pqt_unpin(&root);
    pqt_unpin(&k.pin);
    pqt_head_destroy(&k.head);
    pqt_history_destroy(&k.history);
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

/* A value of a kind that the user defines: two trees. */
typedef struct layers {
    const pqt_tree *below, *above;
} layers;

static pqt_memory *
memory_of_layers(const void *value, void *context)
{
    (void)context;
    return pqt_tree_memory(((const layers *)value)->below);
}

static void
trace_layers(const void *value, pqt_hold_fn *hold, void *holder, void *context)
{
    const layers *of = value;
    (void)context;
    hold(of->below, holder);
    hold(of->above, holder);
}

START_TEST(a_kind_of_the_user_marks_its_versions)
{
    enum { VALUES = 100 };
    static layers values[VALUES];
    pqt_error error = {0};
    pqt_memory *heap = make_heap();
    const pqt_history_kind kind = {
        .size = sizeof kind, .name = "layers", .memory = memory_of_layers, .trace = trace_layers};
    values[0] = (layers){make_full_tree(heap, 100, true), make_full_tree(heap, 50, true)};
    pqt_history *history = pqt_history_make(&kind, &values[0], NULL, &error);
    ck_assert_msg(history != NULL, "%s", error.text);
    for (size_t i = 1; i < VALUES; i++) {
        values[i] =
            (layers){nudge(values[i - 1].below, i, 1), nudge(values[i - 1].above, i / 2, 1)};
        const pqt_history_entry_info info = {.label = ""};
        ck_assert(pqt_history_push(history, &values[i], &info, NULL));
        pqt_memory_reclaim(heap, i % 10 == 0 ? PQT_RECLAIM_ALL : 50);
    }
    for (size_t i = 0; i < VALUES; i++)
        ck_assert(pqt_tree_check(values[i].below, NULL) && pqt_tree_check(values[i].above, NULL));
    pqt_history_destroy(&history);
    pqt_heap_destroy(&heap);
}
END_TEST

/* A value with more versions than the mark stack takes, all of which a cycle puts there at once. */
enum { SHEETS = PQTI_MARK_STACK + 1000 };

typedef struct book {
    const pqt_tree *sheets[SHEETS];
} book;

static pqt_memory *
memory_of_book(const void *value, void *context)
{
    (void)context;
    return pqt_tree_memory(((const book *)value)->sheets[0]);
}

static void
trace_book(const void *value, pqt_hold_fn *hold, void *holder, void *context)
{
    const book *of = value;
    (void)context;
    for (size_t i = 0; i < SHEETS; i++)
        hold(of->sheets[i], holder);
}

START_TEST(a_value_that_fills_the_mark_stack_keeps_its_versions)
{
    static book all;
    pqt_memory *heap = make_heap();
    const pqt_history_kind kind = {
        .size = sizeof kind, .name = "book", .memory = memory_of_book, .trace = trace_book};
    ck_assert(pqt_scope_begin(heap, NULL));
    for (size_t i = 0; i < SHEETS; i++)
        all.sheets[i] = make_full_tree(heap, 1 + i % 3, true);
    pqt_history *history = pqt_history_make(&kind, &all, NULL, NULL);
    ck_assert_ptr_nonnull(history);
    pqt_scope_end(heap);
    reclaim_all(heap);
    (void)make_full_tree(heap, 2000, true); /* would reuse the freed blocks */
    for (size_t i = 0; i < SHEETS; i++) {
        ck_assert(pqt_tree_check(all.sheets[i], NULL));
        ck_assert_uint_eq(pqt_tree_count(all.sheets[i]), 1 + i % 3);
    }
    pqt_history_destroy(&history);
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}
END_TEST

START_TEST(a_kind_without_a_trace_is_refused_in_a_heap)
{
    pqt_error error = {0};
    pqt_memory *heap = make_heap();
    const pqt_history_kind kind = {
        .size = sizeof kind, .name = "layers", .memory = memory_of_layers};
    const layers value = {make_tree(heap, false), make_tree(heap, false)};
    ck_assert_ptr_null(pqt_history_make(&kind, &value, NULL, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
    ck_assert_ptr_nonnull(strstr(error.text, "layers"));
    pqt_heap_destroy(&heap);
}
END_TEST

START_TEST(regions_live_in_heaps)
{
    pqt_error error = {0};
    pqt_memory *heap = make_heap();
    dice d = {test_seed("regions_live_in_heaps")};
    const pqt_region *region = pqt_region_make(heap, &error);
    pqt_pin *ring[16] = {NULL};
    for (size_t i = 0; i < test_scaled(2000); i++) {
        const pqt_vec at = {dice_real(&d) * 600 - 300, dice_real(&d) * 600 - 300};
        const pqt_paint paint = pqt_paint_disc(
            dice_chance(&d, 60) ? PQT_PAINT_SET : PQT_PAINT_CLEAR, at, dice_real(&d) * 60);
        region = pqt_region_paint(region, paint, &error);
        ck_assert_msg(region != NULL, "%s", error.text);
        pqt_unpin(&ring[i % 16]);
        ring[i % 16] = pqt_region_pin(region, NULL);
        pqt_memory_reclaim(heap, i % 200 == 0 ? PQT_RECLAIM_ALL : 40);
    }
    ck_assert_uint_gt(pqt_memory_get_stats(heap).collections, 0);
    for (int i = 0; i < 16; i++) {
        ck_assert(ring[i] == NULL || pqt_region_check(pqt_pin_get_region(ring[i]), NULL));
        pqt_unpin(&ring[i]);
    }
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}
END_TEST

static const pqt_world *
make_world(pqt_memory *heap, size_t balls)
{
    pqt_error error = {0};
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = heap;
    options.walls = true;
    const pqt_world *world = pqt_world_make(bounds, &options, &error);
    for (size_t i = 0; world != NULL && i < balls; i++) {
        const pqt_body body = {
            .id = i,
            .position = {(double)(20 + i % 30 * 30), (double)(20 + i / 30 * 30)},
            .velocity = {(double)(i * 37 % 100) - 50, (double)(i * 53 % 100) - 50},
            .radius = 5};
        world = pqt_world_add(world, body, &error);
    }
    ck_assert_msg(world != NULL, "%s", error.text);
    return world;
}

/* The same steps in an arena give the same fingerprints. */
START_TEST(worlds_and_recordings_live_in_heaps)
{
    pqt_error error = {0};
    pqt_memory *heap = make_heap(), *arena = pqt_arena_make(0, NULL);
    const pqt_world *twin = make_world(arena, 200);
    pqt_recording *recording = pqt_recording_make(make_world(heap, 200), 0.02, NULL, 10, &error);
    ck_assert_msg(recording != NULL, "%s", error.text);
    for (size_t i = 1; i <= 200; i++) {
        ck_assert(pqt_recording_step(recording, NULL, &error));
        pqt_memory_reclaim(heap, i % 20 == 0 ? PQT_RECLAIM_ALL : 500);
        twin = pqt_world_step(twin, 0.02, NULL, &error);
        const pqt_fingerprint a = pqt_recording_fingerprint(recording, i),
                              b = pqt_world_fingerprint(twin);
        ck_assert(a.high == b.high && a.low == b.low);
    }
    ck_assert(pqt_recording_verify(recording, NULL, &error));
    pqt_recording_destroy(&recording);
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
    pqt_arena_destroy(&arena);
}
END_TEST

/* A step ends a cycle that was in this phase, or begins and ends one; in loop 4, an earlier cycle
   has marked the world. Nothing but the call itself needs the world that it is given, and the one
   that it returns. */
START_TEST(a_step_keeps_the_world_that_it_is_given_and_the_one_that_it_makes)
{
    static const pqti_heap_phase phases[] = {PQTI_STARTING, PQTI_MARKING, PQTI_WAITING};
    pqt_error error = {0};
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.reclaim_at_push = true;
    pqt_memory *heap = pqt_heap_make(&options, &error);
    const pqt_world *world = make_world(heap, 200);
    pqt_pin *pin = pqt_world_pin(world, &error);
    if (_i == 4)
        reclaim_all(heap);
    if (_i < 3)
        advance_to(heap, phases[_i]);
    else
        inside_of(heap)->bytes_since_cycle = SIZE_MAX / 2; /* so that a cycle is due */
    for (int i = 0; i < 20; i++)
        (void)make_full_tree(heap, 2000, false); /* so the step marks and sweeps as many blocks */
    pqt_unpin(&pin);
    const uint64_t before = pqt_memory_get_stats(heap).collections;
    const pqt_world *next = pqt_world_step(world, 0.02, NULL, &error);
    ck_assert_uint_gt(pqt_memory_get_stats(heap).collections, before);
    ck_assert_msg(next != NULL && pqt_world_check(next, &error), "%s", error.text);
    ck_assert_msg(pqt_world_check(world, &error), "%s", error.text);
    ck_assert_uint_eq(pqt_world_count(world), 200);
    ck_assert_uint_eq(pqt_world_count(next), 200);
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}
END_TEST

enum { ONE_IMPACT = 400 };

/* Makes a world in which all bodies move, and only the last one hits a wall. */
static const pqt_world *
make_world_with_one_impact(pqt_memory *heap)
{
    pqt_error error = {0};
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = heap;
    options.walls = true;
    const pqt_world *world = pqt_world_make(bounds, &options, &error);
    for (uint64_t i = 0; i < ONE_IMPACT; i++) {
        const double column = (double)(i % 20), row = (double)(i / 20);
        const pqt_body body = {.id = i,
                               .position = {100 + 40 * column, 100 + 40 * row},
                               .velocity = {1 + column, 1 + row},
                               .radius = 5};
        world = pqt_world_add(world, body, &error);
    }
    world = pqt_world_add(
        world,
        (pqt_body){.id = ONE_IMPACT, .position = {500, 25}, .velocity = {0, -100}, .radius = 5},
        &error);
    ck_assert_msg(world != NULL, "%s", error.text);
    return world;
}

/* The two runs differ between stored steps. While the second world of a step is made, only the call
   itself needs the first one, and each step is a safe point that reclaims. */
START_TEST(comparing_recordings_keeps_the_worlds_that_it_makes)
{
    pqt_error error = {0};
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.growth = 1.1;
    options.reclaim_at_push = true;
    pqt_memory *heap = pqt_heap_make(&options, &error);
    pqt_step_options dull = PQT_STEP_DEFAULTS;
    dull.restitution = 0.5;
    const pqt_world *world = make_world_with_one_impact(heap);
    pqt_pin *first = pqt_world_pin(world, &error);
    pqt_recording *a = pqt_recording_make(world, 0.02, NULL, 16, &error);
    pqt_recording *b = pqt_recording_make(world, 0.02, &dull, 16, &error);
    for (int i = 0; i < 40; i++) {
        ck_assert(pqt_recording_step(a, NULL, &error) != NULL);
        ck_assert(pqt_recording_step(b, NULL, &error) != NULL);
    }
    const uint64_t before = pqt_memory_get_stats(heap).collections;
    for (int i = 0; i < 20; i++) {
        pqt_recording_divergence found;
        ck_assert_msg(pqt_recording_compare(a, b, &found, &error), "%s", error.text);
        ck_assert(found.found);
        ck_assert_uint_eq(found.step, 10);
        ck_assert_uint_eq(found.body, ONE_IMPACT);
    }
    ck_assert_uint_gt(pqt_memory_get_stats(heap).collections, before);
    pqt_recording_destroy(&a);
    pqt_recording_destroy(&b);
    pqt_unpin(&first);
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}
END_TEST

typedef struct reclaiming {
    pqt_memory *heap;
    atomic_bool stop;
} reclaiming;

static void *
reclaim_until_stopped(void *context)
{
    reclaiming *of = context;
    while (!atomic_load(&of->stop))
        pqt_memory_reclaim(of->heap, PQT_RECLAIM_ALL);
    return NULL;
}

START_TEST(recordings_are_verified_while_another_thread_reclaims)
{
    pqt_error error = {0};
    pthread_t thread;
    reclaiming other = {.heap = make_heap()};
    const pqt_world *world = make_world(other.heap, 200);
    pqt_recording *recording = pqt_recording_make(world, 0.02, NULL, 10, &error);
    for (int i = 0; i < 45; i++)
        ck_assert(pqt_recording_step(recording, NULL, &error) != NULL);
    ck_assert_int_eq(pthread_create(&thread, NULL, reclaim_until_stopped, &other), 0);
    for (int i = 0; i < 10; i++)
        ck_assert_msg(pqt_recording_verify(recording, NULL, &error), "%s", error.text);
    atomic_store(&other.stop, true);
    pthread_join(thread, NULL);
    pqt_recording_destroy(&recording);
    reclaim_all(other.heap);
    ck_assert_uint_eq(used_bytes(other.heap), 0);
    pqt_heap_destroy(&other.heap);
}
END_TEST

/* ---- Callbacks that reclaim ---- */

/* The state of a call whose versions no root holds. */
typedef struct lone_caller {
    pqt_memory *heap;
    uint64_t calls;
    const pqt_tree *peer;
    char bytes[200000];
    size_t length, next;
} lone_caller;

/* Frees all unreachable blocks, and overwrites them. */
static void
reclaim_and_overwrite(lone_caller *r)
{
    (void)pqt_memory_reclaim(r->heap, PQT_RECLAIM_ALL);
    (void)make_full_tree(r->heap, 200, r->calls++ % 2 == 0);
}

static pqt_resolution
keep_theirs(const pqt_conflict *conflict, pqt_items *answer, void *context)
{
    (void)conflict;
    (void)answer;
    reclaim_and_overwrite(context);
    return PQT_KEEP_THEIRS;
}

static pqt_map_resolution
keep_their_value(const pqt_map_conflict *conflict, pqt_map_value *answer, void *context)
{
    (void)conflict;
    (void)answer;
    reclaim_and_overwrite(context);
    return PQT_MAP_KEEP_THEIRS;
}

static pqt_document_resolution
keep_their_part(const pqt_document_conflict *conflict, pqt_document_answer *answer, void *context)
{
    (void)conflict;
    (void)answer;
    reclaim_and_overwrite(context);
    return PQT_DOCUMENT_KEEP_THEIRS;
}

static const pqt_tree *
nudge_some(const pqt_tree *tree, double by)
{
    for (uint64_t i = 0; i < 20; i++)
        tree = nudge(tree, 7 * i, by);
    return tree;
}

static const pqt_map *
number_some(const pqt_map *map, uint64_t step, uint64_t number)
{
    for (uint64_t i = 0; i < 200; i += step)
        map = pqt_map_insert(map, pqt_map_id(i), pqt_map_number(number + i), NULL);
    return map;
}

static void
merge_trees(lone_caller *r)
{
    pqt_merge_options options = PQT_MERGE_DEFAULTS;
    options.resolve = keep_theirs;
    options.context = r;
    const pqt_tree *base = make_full_tree(r->heap, 500, true);
    const pqt_tree *ours = nudge_some(base, 1), *theirs = nudge_some(base, 2);
    const pqt_tree *merged = pqt_tree_merge(base, ours, theirs, &options, NULL);
    ck_assert(pqt_tree_check(merged, NULL));
    ck_assert(pqt_tree_equals(merged, nudge_some(make_full_tree(r->heap, 500, true), 2)));
}

static const pqt_map *
first_map(pqt_memory *heap)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = heap;
    return number_some(pqt_map_make(&options, NULL), 1, 0);
}

static void
merge_maps(lone_caller *r)
{
    pqt_map_merge_options options = PQT_MAP_MERGE_DEFAULTS;
    options.resolve = keep_their_value;
    options.context = r;
    const pqt_map *base = first_map(r->heap);
    const pqt_map *ours = number_some(base, 11, 1000), *theirs = number_some(base, 11, 2000);
    const pqt_map *merged = pqt_map_merge(base, number_some(ours, 7, 3000), theirs, &options, NULL);
    ck_assert(pqt_map_check(merged, NULL));
    ck_assert_uint_eq(pqt_map_count(merged), 200);
}

static void
merge_documents(lone_caller *r)
{
    pqt_document_merge_options options = PQT_DOCUMENT_MERGE_DEFAULTS;
    options.resolve = keep_their_part;
    options.context = r;
    const pqt_part parts[] = {
        {.name = "map", .kind = PQT_KIND_MAP, .version = first_map(r->heap)},
        {.name = "tree", .kind = PQT_KIND_TREE, .version = make_full_tree(r->heap, 500, true)}};
    const pqt_document *base = pqt_document_make(parts, 2, NULL);
    const pqt_document *sides[2];
    for (int i = 0; i < 2; i++) {
        const pqt_map *map = number_some(pqt_document_map(base, "map"), 11, 1000 + i);
        const pqt_tree *tree = nudge_some(pqt_document_tree(base, "tree"), 1 + i);
        sides[i] = pqt_document_set_map(base, "map", map, NULL);
        sides[i] = pqt_document_set_tree(sides[i], "tree", tree, NULL);
    }
    const pqt_document *merged = pqt_document_merge(base, sides[0], sides[1], &options, NULL);
    ck_assert(pqt_document_check(merged, NULL));
    ck_assert_uint_eq(pqt_map_count(pqt_document_map(merged, "map")), 200);
    ck_assert_uint_eq(pqt_tree_count(pqt_document_tree(merged, "tree")), 500);
}

static bool
checks_component(const pqt_region *component, void *context)
{
    reclaim_and_overwrite(context);
    ck_assert(pqt_region_check(component, NULL));
    ck_assert_uint_gt(pqt_region_count(component), 300);
    return true;
}

static void
visit_components(lone_caller *r)
{
    const pqt_region *region = pqt_region_make(r->heap, NULL);
    for (int i = 0; i < 10; i++) {
        const pqt_vec at = {100.0 * i, 50};
        region = pqt_region_paint(region, pqt_paint_disc(PQT_PAINT_SET, at, 20), NULL);
    }
    ck_assert(
        pqt_region_visit_components(region, PQT_CONNECTIVITY_4, 0, checks_component, r, NULL));
}

static bool
digest_of_peer(const pqt_sync_path *path, pqt_sync_digest *digest, void *context)
{
    const lone_caller *r = context;
    *digest = pqt_sync_digest_of(r->peer, *path);
    reclaim_and_overwrite(context);
    return true;
}

static bool
counts_mismatches(const pqt_sync_mismatch *cell, void *context)
{
    (void)cell;
    reclaim_and_overwrite(context);
    return true;
}

static void
find_mismatches(lone_caller *r)
{
    pqt_memory *arena = pqt_arena_make(0, NULL);
    const pqt_tree *tree = make_full_tree(r->heap, 1000, true);
    r->peer = nudge_some(make_full_tree(arena, 1000, true), 1);
    const pqt_sync_peer peer = {.digest = digest_of_peer, .context = r};
    ck_assert(pqt_sync_find(tree, &peer, counts_mismatches, r, NULL));
    pqt_arena_destroy(&arena);
}

static bool
write_to_caller(const void *bytes, size_t count, void *context)
{
    lone_caller *r = context;
    ck_assert_uint_le(count, sizeof r->bytes - r->length);
    memcpy(r->bytes + r->length, bytes, count);
    r->length += count;
    return true;
}

static bool
read_from_caller(void *bytes, size_t capacity, size_t *count, void *context)
{
    lone_caller *r = context;
    const size_t rest = r->length - r->next, most = capacity < 1000 ? capacity : 1000;
    *count = rest < most ? rest : most;
    memcpy(bytes, r->bytes + r->next, *count);
    r->next += *count;
    reclaim_and_overwrite(r);
    return true;
}

static void
read_regions(lone_caller *r)
{
    const pqt_region *region = pqt_region_make(r->heap, NULL);
    for (int i = 0; i < 40; i++) {
        const pqt_vec at = {37.3 * i, 29.1 * i};
        region = pqt_region_paint(region, pqt_paint_disc(PQT_PAINT_TOGGLE, at, 60), NULL);
    }
    const uint64_t count = pqt_region_count(region);
    ck_assert(pqt_region_write(region, write_to_caller, r, NULL));
    const pqt_region *read = pqt_region_read(read_from_caller, r, r->heap, NULL);
    ck_assert(pqt_region_check(read, NULL));
    ck_assert_uint_eq(pqt_region_count(read), count);
}

START_TEST(a_call_keeps_its_versions_while_a_callback_reclaims)
{
    static void (*const calls[])(lone_caller * r) = {
        merge_trees, merge_maps, merge_documents, visit_components, read_regions, find_mismatches};
    lone_caller r = {.heap = make_heap()};
    calls[_i](&r);
    ck_assert_uint_gt(r.calls, 3);
    reclaim_all(r.heap);
    ck_assert_uint_eq(used_bytes(r.heap), 0);
    pqt_heap_destroy(&r.heap);
}
END_TEST

/* ---- Work and memory ---- */

/* Returns the number of blocks that the next call marks and sweeps. */
static uint64_t
work_of(pqt_memory *heap, size_t blocks)
{
    const pqt_memory_stats before = pqt_memory_get_stats(heap);
    pqt_memory_reclaim(heap, blocks);
    const pqt_memory_stats after = pqt_memory_get_stats(heap);
    return after.blocks_marked - before.blocks_marked + after.blocks_swept - before.blocks_swept;
}

START_TEST(no_call_marks_or_sweeps_more_than_its_limit)
{
    pqt_memory *heap = make_heap();
    pqt_history *history = make_history(make_full_tree(heap, 5000, true), 0, false);
    dice d = {test_seed("no_call_marks_or_sweeps_more_than_its_limit")};
    for (uint64_t i = 0; i < test_scaled(3000); i++) {
        const size_t blocks = dice_below(&d, 100);
        push(history, nudge(current_of(history), i % 5000, 1), "move");
        ck_assert_uint_le(work_of(heap, blocks), blocks);
    }
    ck_assert_uint_gt(pqt_memory_get_stats(heap).blocks_marked, 1000);
    /* A sequence of calls that process one block each also ends a cycle. */
    const uint64_t cycles = pqt_memory_get_stats(heap).collections;
    for (size_t i = 0; i < 10000000 && pqt_memory_get_stats(heap).collections == cycles; i++) {
        if (i % 64 == 0)
            nudge(current_of(history), i % 5000, 1);
        ck_assert_uint_le(work_of(heap, 1), 1);
    }
    ck_assert_uint_gt(pqt_memory_get_stats(heap).collections, cycles);
    pqt_history_destroy(&history);
    pqt_heap_destroy(&heap);
}
END_TEST

/* Threads that use a heap. Each waits until all of them have used it. Their states remain in the
   heap. */
enum { VISITORS = 30 };

typedef struct visits {
    pqt_memory *heap;
    atomic_size_t count;
} visits;

static bool
visits_together(void *context)
{
    visits *v = context;
    REQUIRE(pqt_scope_begin(v->heap, NULL));
    pqt_scope_end(v->heap);
    atomic_fetch_add(&v->count, 1);
    while (atomic_load(&v->count) < VISITORS)
        sched_yield();
    return true;
}

static void
visit_by_many_threads(pqt_memory *heap)
{
    visits v = {.heap = heap};
    job jobs[VISITORS];
    for (int i = 0; i < VISITORS; i++) {
        jobs[i] = (job){.check = visits_together, .context = &v};
        begin(&jobs[i]);
    }
    for (int i = 0; i < VISITORS; i++)
        ck_assert(end(&jobs[i]));
}

/* Returns the number of steps that the next call takes: references popped from the mark stack,
   words and pins scanned, states of threads visited, roots and blocks. */
static uint64_t
steps_of(pqt_memory *heap, size_t blocks)
{
    const pqti_heap *inside = (const pqti_heap *)heap;
    const uint64_t before = inside->steps;
    pqt_memory_reclaim(heap, blocks);
    return inside->steps - before;
}

/* There are many threads, and many pins of few versions, so that the mark stack contains
 * duplicates. */
START_TEST(no_call_takes_more_steps_than_its_limit)
{
    enum { PINS = 20000 };
    pqt_memory *heap = make_heap();
    pqt_pin **pins = calloc(PINS, sizeof(pqt_pin *));
    const pqt_tree *tree = make_full_tree(heap, 3000, true);
    pqt_pin *first = pqt_tree_pin(tree, NULL);
    visit_by_many_threads(heap);
    dice d = {test_seed("no_call_takes_more_steps_than_its_limit")};
    const size_t usual = test_scaled(4 * (size_t)PINS);
    for (size_t i = 0; i < usual || pqt_memory_get_stats(heap).collections <= 2; i++) {
        const size_t blocks = dice_chance(&d, 10) ? dice_below(&d, 1000) : dice_below(&d, 60);
        if (i % 10 == 0)
            tree = nudge(pins[i % PINS] != NULL ? pqt_pin_get_tree(pins[i % PINS])
                                                : pqt_pin_get_tree(first),
                         i % 3000, 1);
        pqt_unpin(&pins[i % PINS]);
        pins[i % PINS] = pqt_tree_pin(i % 10 == 0 ? tree : pqt_pin_get_tree(first), NULL);
        ck_assert_uint_le(steps_of(heap, blocks), blocks);
    }
    for (size_t i = 0; i < PINS; i++)
        pqt_unpin(&pins[i]);
    pqt_unpin(&first);
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
    free(pins);
}
END_TEST

typedef struct counted_release {
    uint64_t bytes;
} counted_release;

static void *
allocate_for_counting(size_t bytes, size_t alignment, void *context)
{
    (void)context;
    return aligned_alloc(alignment, bytes);
}

static void
release_and_count(void *memory, size_t bytes, void *context)
{
    counted_release *r = context;
    r->bytes += bytes;
    free(memory);
}

/* A map has values of 1 MiB, and a tree has many slabs. */
START_TEST(memory_is_given_back_in_slices)
{
    enum { VALUES = 40, SIZE = 1 << 20, SLICE = 100, STEP = 4096 };
    counted_release released = {0};
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.allocate = allocate_for_counting;
    options.release = release_and_count;
    options.context = &released;
    pqt_memory *heap = pqt_heap_make(&options, NULL);
    pqt_map_options map_options = PQT_MAP_DEFAULTS;
    map_options.values = PQT_MAP_BYTE_VALUES;
    map_options.memory = heap;
    const pqt_map *map = pqt_map_make(&map_options, NULL);
    void *bytes = calloc(1, SIZE);
    for (uint64_t i = 0; i < VALUES; i++)
        map = pqt_map_insert(map, pqt_map_id(i), pqt_map_bytes(bytes, SIZE), NULL);
    ck_assert_ptr_nonnull(map);
    (void)make_full_tree(heap, 20000, true);
    uint64_t steps = 0;
    do {
        const uint64_t taken = steps_of(heap, SLICE);
        steps += taken;
        ck_assert_uint_le(taken, SLICE);
        ck_assert_uint_le(released.bytes, steps * STEP);
    } while (pqt_memory_get_stats(heap).collections == 0);
    ck_assert_uint_gt(released.bytes, (uint64_t)VALUES * SIZE);
    free(bytes);
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

/* With the option, the heap does not grow although only pushes and publishes reclaim. */
START_TEST(reclaiming_at_pushes_alone_bounds_the_heap)
{
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.reclaim_at_push = true;
    pqt_memory *heap = pqt_heap_make(&options, NULL);
    pqt_history *history = make_history(make_full_tree(heap, 3000, true), 50, false);
    pqt_head *head = pqt_head_make(current_of(history), NULL);
    for (uint64_t i = 0; i < 20000; i++) {
        push(history, nudge(current_of(history), i % 3000, i / 3000 % 2 ? 1 : -1), "move");
        ck_assert(pqt_head_publish(head, current_of(history), NULL));
    }
    const uint64_t most = pqt_memory_get_stats(heap).bytes;
    reclaim_all(heap);
    ck_assert_uint_lt(most, 3 * used_bytes(heap) + 1000000);
    ck_assert(pqt_tree_check(current_of(history), NULL));
    pqt_head_destroy(&head);
    pqt_history_destroy(&history);
    pqt_heap_destroy(&heap);
}
END_TEST

/* Each step begins with the previous world, and only the last world is in use. */
START_TEST(reclaiming_at_steps_alone_bounds_the_heap)
{
    pqt_error error = {0};
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.reclaim_at_push = true;
    pqt_memory *heap = pqt_heap_make(&options, NULL);
    const pqt_world *world = make_world(heap, 100);
    for (int i = 0; i < 2000; i++)
        world = pqt_world_step(world, 0.01, NULL, &error);
    ck_assert_msg(world != NULL, "%s", error.text);
    ck_assert(pqt_world_check(world, NULL));
    ck_assert_uint_lt(pqt_memory_get_stats(heap).bytes, 3000000);
    pqt_heap_destroy(&heap);
}
END_TEST

/* Moves 500 of 3,000 items as one version. */
static const pqt_tree *
scatter(const pqt_tree *tree, uint64_t round)
{
    pqt_change changes[500];
    for (uint64_t i = 0; i < 500; i++) {
        const pqt_item to = item_of(round * 500 + i);
        changes[i] = (pqt_change){PQT_MOVE_ID, {to.box, (round * 7 + i * 6) % 3000}, to.box};
    }
    return pqt_tree_apply(tree, changes, 500, NULL);
}

/* A version of many changes allocates many more blocks than one of a single edit. */
START_TEST(paced_reclaiming_keeps_up_with_batches)
{
    pqt_memory *heap = make_heap();
    pqt_pin *pin = pqt_tree_pin(make_full_tree(heap, 3000, true), NULL);
    reclaim_all(heap);
    const uint64_t live = used_bytes(heap);
    uint64_t most = 0;
    for (uint64_t round = 0; round < 400; round++) {
        pqt_pin *next = pqt_tree_pin(scatter(pqt_pin_get_tree(pin), round), NULL);
        pqt_unpin(&pin);
        pin = next;
        pqt_memory_reclaim(heap, PQT_RECLAIM_PACED);
        most = used_bytes(heap) > most ? used_bytes(heap) : most;
    }
    ck_assert(pqt_tree_check(pqt_pin_get_tree(pin), NULL));
    ck_assert_uint_lt(most, 4 * live + 1000000);
    ck_assert(pqt_memory_get_stats(heap).collections > 20);
    pqt_unpin(&pin);
    pqt_heap_destroy(&heap);
}
END_TEST

static pqt_memory *
make_growing_heap(double growth)
{
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.growth = growth;
    pqt_memory *heap = pqt_heap_make(&options, NULL);
    ck_assert_ptr_nonnull(heap);
    return heap;
}

/* Returns the maximum number of used bytes of a heap with `live` bytes, if PQT_RECLAIM_PACED
   follows each version and a version takes at most 400,000 bytes. A heap grows by 256 KiB at
   least. */
static uint64_t
most_of_paced(double growth, uint64_t live)
{
    return (uint64_t)((growth + 1) * (double)live) + 262144 + 2 * 400000;
}

enum { PACED_KEYS = 10000, PACED_CHANGES = 2500 };

/* Changes the values of 2,500 of 10,000 keys as one version. */
static const pqt_map *
change_values(const pqt_map *map, uint64_t round)
{
    static const char *const values[] = {"a", "b", "c"};
    pqt_map_change changes[PACED_CHANGES];
    for (uint64_t i = 0; i < PACED_CHANGES; i++)
        changes[i] = (pqt_map_change){.kind = PQT_MAP_INSERT,
                                      .key = pqt_map_id((round * 7919 + i * 4) % PACED_KEYS),
                                      .value = pqt_map_bytes(values[(round + i) % 3], 1)};
    return pqt_map_apply(map, changes, PACED_CHANGES, NULL);
}

/* Replaces a pinned version by the next one, and reclaims as the packages do after each call. */
static void
replace_paced(pqt_memory *heap, pqt_pin **pin, pqt_pin *next)
{
    pqt_unpin(pin);
    *pin = next;
    pqt_memory_reclaim(heap, PQT_RECLAIM_PACED);
}

static const double paced_growths[] = {1.5, 4, 10};

/* Blocks that are allocated during a cycle count as growth, not as live. */
START_TEST(paced_reclaiming_bounds_batches_of_trees)
{
    const double growth = paced_growths[_i];
    pqt_memory *heap = make_growing_heap(growth);
    pqt_pin *pin = pqt_tree_pin(make_full_tree(heap, 3000, true), NULL);
    reclaim_all(heap);
    const uint64_t live = used_bytes(heap);
    const size_t rounds = test_scaled_from(400, 20);
    for (uint64_t round = 0; round < rounds; round++) {
        replace_paced(heap, &pin, pqt_tree_pin(scatter(pqt_pin_get_tree(pin), round), NULL));
        ck_assert_uint_le(used_bytes(heap), most_of_paced(growth, live));
    }
    pqt_unpin(&pin);
    pqt_heap_destroy(&heap);
}
END_TEST

START_TEST(paced_reclaiming_bounds_batches_of_maps)
{
    const double growth = paced_growths[_i];
    pqt_memory *heap = make_growing_heap(growth);
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = heap;
    options.values = PQT_MAP_BYTE_VALUES;
    const pqt_map *map = pqt_map_make(&options, NULL);
    for (uint64_t round = 0; round < PACED_KEYS; round++)
        map = pqt_map_insert(map, pqt_map_id(round), pqt_map_bytes("x", 1), NULL);
    pqt_pin *pin = pqt_map_pin(map, NULL);
    reclaim_all(heap);
    const uint64_t live = used_bytes(heap);
    const size_t rounds = test_scaled_from(300, 20);
    for (uint64_t round = 0; round < rounds; round++) {
        replace_paced(heap, &pin, pqt_map_pin(change_values(pqt_pin_get_map(pin), round), NULL));
        ck_assert_uint_le(used_bytes(heap), most_of_paced(growth, live));
    }
    pqt_unpin(&pin);
    pqt_heap_destroy(&heap);
}
END_TEST

typedef struct waiting_scope {
    pqt_memory *heap;
    pthread_barrier_t begun, ends;
} waiting_scope;

static void *
keep_a_scope_open(void *context)
{
    waiting_scope *scope = context;
    ck_assert(pqt_scope_begin(scope->heap, NULL));
    pthread_barrier_wait(&scope->begun);
    pthread_barrier_wait(&scope->ends);
    pqt_scope_end(scope->heap);
    return NULL;
}

/* Moves items one by one, and reclaims after each version. */
static void
nudge_paced(pqt_memory *heap, pqt_pin **pin, uint64_t edits)
{
    for (uint64_t i = 0; i < edits; i++) {
        const double by = i % 2 == 0 ? 1 : -1;
        pqt_pin *next = pqt_tree_pin(nudge(pqt_pin_get_tree(*pin), i * 13 % 2000, by), NULL);
        replace_paced(heap, pin, next);
    }
}

/* Nor are blocks live that were allocated while a scope delayed the cycle. So the next cycle begins
   at once, and the memory falls before as many blocks have been allocated again. */
START_TEST(memory_falls_after_a_long_scope)
{
    const double growth = paced_growths[_i];
    waiting_scope scope = {.heap = make_growing_heap(growth)};
    pqt_pin *pin = pqt_tree_pin(make_full_tree(scope.heap, 2000, true), NULL);
    reclaim_all(scope.heap);
    const uint64_t live = used_bytes(scope.heap);
    pthread_t thread;
    pthread_barrier_init(&scope.begun, NULL, 2);
    pthread_barrier_init(&scope.ends, NULL, 2);
    ck_assert_int_eq(pthread_create(&thread, NULL, keep_a_scope_open, &scope), 0);
    pthread_barrier_wait(&scope.begun);
    nudge_paced(scope.heap, &pin, 10000);
    ck_assert_uint_gt(used_bytes(scope.heap), 2 * most_of_paced(growth, live));
    pthread_barrier_wait(&scope.ends);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    nudge_paced(scope.heap, &pin, 10000);
    ck_assert_uint_le(used_bytes(scope.heap), most_of_paced(growth, live));
    pthread_barrier_destroy(&scope.begun);
    pthread_barrier_destroy(&scope.ends);
    pqt_unpin(&pin);
    pqt_heap_destroy(&scope.heap);
}
END_TEST

/* ---- Heads ---- */

/* An update that reclaims. The heap reuses an address as soon as possible. But it does not reclaim
   a record while an update compares a pointer with it, so that no update is lost. */
static const void *
insert_after_reclaiming(const void *now, void *context, pqt_error *error)
{
    pqt_head *head = context;
    pqt_memory *heap = pqt_tree_memory(now);
    const size_t count = pqt_tree_count(now);
    if (count < 200 && count % 2 == 0) {
        /* Another writer publishes first, twice, so that the record's block could be reused. */
        for (int i = 0; i < 2; i++) {
            const pqt_tree *other = pqt_tree_insert(now, item_of(1000 + count + (size_t)i), error);
            ck_assert(pqt_head_publish(head, other, error));
            now = other;
            for (int slice = 0; slice < 50; slice++)
                pqt_memory_reclaim(heap, 1000);
            ck_assert(!pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
        }
        return pqt_tree_insert(now, item_of(5000 + count), error);
    }
    return pqt_tree_insert(now, item_of(count), error);
}

START_TEST(an_update_is_not_misled_by_a_reused_address)
{
    pqt_error error = {0};
    pqt_memory *heap = make_heap();
    pqt_head *head = pqt_head_make(make_tree(heap, true), &error);
    for (int i = 0; i < 60; i++) {
        uint64_t number;
        ck_assert_ptr_nonnull(
            pqt_head_update(head, insert_after_reclaiming, head, &number, &error));
        ck_assert_uint_eq(number, pqt_head_number(head));
        reclaim_all(heap);
    }
    pqt_pin *pin = pqt_head_pin(head, NULL, &error);
    ck_assert(pqt_tree_check(pqt_pin_get_tree(pin), NULL));
    pqt_unpin(&pin);
    pqt_head_destroy(&head);
    pqt_heap_destroy(&heap);
}
END_TEST

/*
 * A thread waits for the end of a cycle after EDITS_OF_CYCLE edits. So between the beginning of one
 * cycle and the end of the next one it makes at most EDITS_KEPT edits. The second cycle frees
 * everything that was unreachable when it began. Therefore a heap contains its live blocks and the
 * versions of EDITS_KEPT edits of each thread, however the threads are scheduled.
 */
enum { EDITS_OF_CYCLE = 1000, EDITS_KEPT = 3 * EDITS_OF_CYCLE };

/* An edit moves two items, which takes about 2000 bytes. It may need them twice, because each
   failed exchange of one writer is due to an edit by another one. */
enum { BYTES_OF_EDIT = 4000 };

typedef struct pace {
    pqt_memory *heap;
    uint64_t cycles; /* the number of cycles that had ended when the thread last waited */
    size_t edits;    /* the number of edits since then */
} pace;

/* Counts an edit. If it was the last one that the thread may make, waits for the end of a cycle.
   Call it outside of scopes. */
static void
keep_pace(pace *p)
{
    if (++p->edits < EDITS_OF_CYCLE)
        return;
    while (pqt_memory_get_stats(p->heap).collections == p->cycles)
        sched_yield();
    p->cycles = pqt_memory_get_stats(p->heap).collections;
    p->edits = 0;
}

/* Returns the maximum number of bytes of a heap with `live` bytes and threads that wait for cycles.
   The 4 MiB are for blocks that threads have reserved, and for free blocks of chunks. */
static unsigned long long
level_of(uint64_t live, size_t threads)
{
    return live + (unsigned long long)threads * EDITS_KEPT * BYTES_OF_EDIT + (4U << 20) +
           QUARANTINED_BYTES;
}

static void
store_most(atomic_ullong *most, const pqt_memory *heap)
{
    const unsigned long long bytes = pqt_memory_get_stats(heap).bytes;
    if (bytes > atomic_load(most))
        atomic_store(most, bytes);
}

/* Writers, readers that pin, readers in scopes, and a thread that only reclaims. Item 0 of a
   version counts the updates: its left side is the number of the version modulo PLACES. */
enum { CREW_WRITERS = 2, CREW_READERS = 3, CREW_ITEMS = 500, PLACES = 900 };

typedef struct crew {
    pqt_head *head;
    pqt_memory *heap;
    atomic_bool ends, reclaiming_ends;
    atomic_size_t reads;
    atomic_ullong most; /* the maximum number of bytes of the heap so far */
    size_t edits_of_each;
} crew;

static pqt_box
box_of_number(uint64_t number)
{
    const double x = (double)(number % PLACES);
    return (pqt_box){{x, 7}, {x + 5, 9}};
}

static bool
is_version_whole(const pqt_tree *tree, uint64_t number)
{
    const pqt_item counter = {box_of_number(number), 0};
    pqt_item item;
    return pqt_tree_count(tree) == CREW_ITEMS && pqt_tree_contains(tree, counter) &&
           pqt_tree_find(tree, number % CREW_ITEMS, &item) && pqt_tree_contains(tree, item);
}

static bool
reads_by_pins(void *context)
{
    crew *c = context;
    for (size_t i = 0; !atomic_load(&c->ends); i++) {
        uint64_t number;
        pqt_pin *pin = pqt_head_pin(c->head, &number, NULL);
        REQUIRE(pin != NULL && is_version_whole(pqt_pin_get_tree(pin), number));
        if (i % 64 == 0)
            REQUIRE(pqt_tree_check(pqt_pin_get_tree(pin), NULL));
        pqt_unpin(&pin);
        atomic_fetch_add(&c->reads, 1);
    }
    return true;
}

static bool
reads_in_scopes(void *context)
{
    crew *c = context;
    pace p = {.heap = c->heap};
    while (!atomic_load(&c->ends)) {
        uint64_t number;
        REQUIRE(pqt_scope_begin(c->heap, NULL));
        const pqt_tree *tree = pqt_head_load(c->head, &number);
        REQUIRE(is_version_whole(tree, number));
        const pqt_tree *own = pqt_tree_remove_id(tree, 3, NULL);
        REQUIRE(own != NULL && pqt_tree_count(own) == CREW_ITEMS - 1);
        pqt_scope_end(c->heap);
        keep_pace(&p);
        atomic_fetch_add(&c->reads, 1);
    }
    return true;
}

static void
reclaim_and_measure(pqt_memory *heap, size_t call, atomic_ullong *most)
{
    if (pqt_memory_reclaim(heap, call % 100 == 0 ? PQT_RECLAIM_ALL : 5000))
        sched_yield();
    store_most(most, heap);
}

static bool
reclaims(void *context)
{
    crew *c = context;
    for (size_t i = 0; !atomic_load(&c->reclaiming_ends); i++)
        reclaim_and_measure(c->heap, i, &c->most);
    return true;
}

/* Counts the update, and moves another item. */
static const void *
count_and_move(const void *tree, void *context, pqt_error *error)
{
    pqt_item counter, item;
    (void)context;
    if (!pqt_tree_find(tree, 0, &counter))
        return NULL;
    const uint64_t number = (uint64_t)counter.box.min.x + 1;
    tree = pqt_tree_move_id(tree, 0, box_of_number(number), error);
    const uint64_t id = 1 + number % (CREW_ITEMS - 1);
    if (tree == NULL || !pqt_tree_find(tree, id, &item))
        return NULL;
    item.box.max.x += item.box.max.x - item.box.min.x > 5 ? -1 : 1;
    return pqt_tree_move_id(tree, id, item.box, error);
}

static bool
writes(void *context)
{
    crew *c = context;
    pace p = {.heap = c->heap};
    /* Runs at least until a cycle has ended. */
    for (size_t i = 0; i < c->edits_of_each || pqt_memory_get_stats(c->heap).collections == 0;
         i++) {
        REQUIRE(pqt_scope_begin(c->heap, NULL));
        REQUIRE(pqt_head_update(c->head, count_and_move, NULL, NULL, NULL) != NULL);
        pqt_scope_end(c->heap);
        keep_pace(&p);
    }
    return true;
}

START_TEST(threads_write_read_and_reclaim_at_once)
{
    crew c = {.heap = make_heap(), .edits_of_each = test_scaled(10000)};
    const pqt_tree *first = make_full_tree(c.heap, CREW_ITEMS, true);
    c.head = pqt_head_make(pqt_tree_move_id(first, 0, box_of_number(1), NULL), NULL);
    reclaim_all(c.heap);
    const uint64_t live = used_bytes(c.heap);
    /* one of the readers makes edits, too */
    const unsigned long long level = level_of(live, CREW_WRITERS + 1);
    job reclaimer = {.check = reclaims, .context = &c}, writers[CREW_WRITERS];
    job readers[CREW_READERS] = {{.check = reads_by_pins, .context = &c},
                                 {.check = reads_by_pins, .context = &c},
                                 {.check = reads_in_scopes, .context = &c}};
    begin(&reclaimer);
    for (int i = 0; i < CREW_READERS; i++)
        begin(&readers[i]);
    for (int i = 0; i < CREW_WRITERS; i++) {
        writers[i] = (job){.check = writes, .context = &c};
        begin(&writers[i]);
    }
    bool passed = true;
    for (int i = 0; i < CREW_WRITERS; i++)
        passed = end(&writers[i]) && passed;
    while (passed && atomic_load(&c.reads) < 100)
        sched_yield();
    atomic_store(&c.ends, true);
    for (int i = 0; i < CREW_READERS; i++)
        passed = end(&readers[i]) && passed;
    atomic_store(&c.reclaiming_ends, true); /* the last thread that waits for a cycle has ended */
    passed = end(&reclaimer) && passed;
    ck_assert(passed);
    const uint64_t edits = pqt_head_number(c.head) - 1;
    ck_assert_uint_ge(edits, CREW_WRITERS * c.edits_of_each);
    printf("# %llu edits, %zu reads, %llu cycles, at most %llu bytes, bound %llu\n",
           (unsigned long long)edits, atomic_load(&c.reads),
           (unsigned long long)pqt_memory_get_stats(c.heap).collections, atomic_load(&c.most),
           level);
    ck_assert_uint_gt(pqt_memory_get_stats(c.heap).collections, 0);
    const unsigned long long most = atomic_load(&c.most);
    ck_assert_uint_le(most, level);
    reclaim_all(c.heap);
    /* threads that have ended have returned their blocks */
    ck_assert_uint_le(used_bytes(c.heap), 2 * live);
    pqt_head_destroy(&c.head);
    reclaim_all(c.heap);
    ck_assert_uint_eq(used_bytes(c.heap), 0);
    pqt_heap_destroy(&c.heap);
}
END_TEST

/* Writers with their own indexed histories, readers that pin what the writers publish, and a thread
   that reclaims. */
enum { WRITERS = 2, READERS = 2, WRITTEN = 300 };

typedef struct archive {
    pqt_memory *heap;
    pqt_head *heads[WRITERS];
    atomic_size_t next, edits, reads;
    atomic_ullong most; /* the maximum number of bytes of the heap so far */
    atomic_bool ends;
    size_t edits_of_each;
} archive;

static bool
writes_an_indexed_history(void *context)
{
    archive *a = context;
    pqt_head *head = a->heads[atomic_fetch_add(&a->next, 1)];
    pace p = {.heap = a->heap};
    REQUIRE(pqt_scope_begin(a->heap, NULL));
    pqt_history *history = make_history(pqt_head_load(head, NULL), 50, true);
    pqt_scope_end(a->heap);
    for (uint64_t i = 0; i < a->edits_of_each; i++) {
        char label[32];
        snprintf(label, sizeof label, "edit %d", (int)(i % 20));
        REQUIRE(pqt_scope_begin(a->heap, NULL));
        if (i % 7 == 6)
            (void)pqt_history_undo(history);
        else
            push(history, nudge(current_of(history), i % WRITTEN, i / WRITTEN % 2 ? 1 : -1), label);
        REQUIRE(pqt_head_publish(head, current_of(history), NULL));
        pqt_scope_end(a->heap);
        atomic_fetch_add(&a->edits, 1);
        keep_pace(&p);
    }
    REQUIRE(pqt_tree_check(current_of(history), NULL));
    pqt_history_destroy(&history);
    return true;
}

static bool
pins_what_is_published(void *context)
{
    archive *a = context;
    for (size_t i = 0; !atomic_load(&a->ends); i++) {
        uint64_t number;
        pqt_item item;
        pqt_pin *pin = pqt_head_pin(a->heads[i % WRITERS], &number, NULL);
        REQUIRE(pin != NULL);
        const pqt_tree *tree = pqt_pin_get_tree(pin);
        REQUIRE(pqt_tree_count(tree) == WRITTEN);
        REQUIRE(pqt_tree_find(tree, number % WRITTEN, &item) && pqt_tree_contains(tree, item));
        if (i % 64 == 0)
            REQUIRE(pqt_tree_check(tree, NULL));
        pqt_unpin(&pin);
        atomic_fetch_add(&a->reads, 1);
    }
    return true;
}

static bool
reclaims_the_archive(void *context)
{
    archive *a = context;
    for (size_t i = 0; !atomic_load(&a->ends); i++)
        reclaim_and_measure(a->heap, i, &a->most);
    return true;
}

START_TEST(indexed_histories_are_written_pinned_and_reclaimed_at_once)
{
    archive a = {.heap = make_heap(), .edits_of_each = test_scaled(6000)};
    for (int i = 0; i < WRITERS; i++)
        a.heads[i] = pqt_head_make(make_full_tree(a.heap, WRITTEN, true), NULL);
    reclaim_all(a.heap);
    const uint64_t live = used_bytes(a.heap);
    job writers[WRITERS], readers[READERS],
        reclaimer = {.check = reclaims_the_archive, .context = &a};
    begin(&reclaimer);
    for (int i = 0; i < READERS; i++) {
        readers[i] = (job){.check = pins_what_is_published, .context = &a};
        begin(&readers[i]);
    }
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = (job){.check = writes_an_indexed_history, .context = &a};
        begin(&writers[i]);
    }
    bool passed = true;
    for (int i = 0; i < WRITERS; i++)
        passed = end(&writers[i]) && passed;
    while (passed && (atomic_load(&a.reads) < 100 || pqt_memory_get_stats(a.heap).collections == 0))
        sched_yield();
    atomic_store(&a.ends, true);
    passed = end(&reclaimer) && passed;
    for (int i = 0; i < READERS; i++)
        passed = end(&readers[i]) && passed;
    ck_assert(passed);
    const unsigned long long level = level_of(live, WRITERS);
    printf("# %zu edits, %zu reads, %llu cycles, at most %llu bytes, bound %llu\n",
           atomic_load(&a.edits), atomic_load(&a.reads),
           (unsigned long long)pqt_memory_get_stats(a.heap).collections, atomic_load(&a.most),
           level);
    const unsigned long long most = atomic_load(&a.most);
    ck_assert_uint_le(most, level);
    reclaim_all(a.heap); /* the histories are destroyed, and each head holds one version */
    ck_assert_uint_le(used_bytes(a.heap), 2 * live);
    for (int i = 0; i < WRITERS; i++)
        pqt_head_destroy(&a.heads[i]);
    reclaim_all(a.heap);
    ck_assert_uint_eq(used_bytes(a.heap), 0);
    pqt_heap_destroy(&a.heap);
}
END_TEST

/* A thread pins a version of its scope while the cycle waits for that scope. It unpins the version
   after another thread has made a version from it in a newer scope. */
enum { HOLDS = 1, MAY_PIN, HAS_PINNED, MAY_END };

typedef struct lender {
    pqt_memory *heap;
    pqt_pin *pin;
    atomic_int stage;
} lender;

static void
await(lender *l, int stage)
{
    while (atomic_load(&l->stage) < stage)
        sched_yield();
}

static bool
lends_a_version(void *context)
{
    lender *l = context;
    REQUIRE(pqt_scope_begin(l->heap, NULL));
    const pqt_tree *tree = make_full_tree(l->heap, 2000, true);
    atomic_store(&l->stage, HOLDS);
    await(l, MAY_PIN);
    l->pin = pqt_tree_pin(tree, NULL);
    atomic_store(&l->stage, HAS_PINNED);
    await(l, MAY_END);
    pqt_unpin(&l->pin);
    pqt_scope_end(l->heap);
    return true;
}

START_TEST(a_version_made_from_a_pinned_one_outlives_the_pin)
{
    lender l = {.heap = make_heap()};
    job other = {.check = lends_a_version, .context = &l};
    begin(&other);
    await(&l, HOLDS);
    ck_assert(!pqt_memory_reclaim(l.heap, PQT_RECLAIM_ALL));
    atomic_store(&l.stage, MAY_PIN);
    await(&l, HAS_PINNED);
    ck_assert(pqt_scope_begin(l.heap, NULL));
    const pqt_tree *tree = nudge(pqt_pin_get_tree(l.pin), 7, 1);
    atomic_store(&l.stage, MAY_END);
    ck_assert(end(&other));
    /* Ends the cycle. The next cycle waits for this scope. */
    ck_assert(!pqt_memory_reclaim(l.heap, PQT_RECLAIM_ALL));
    ck_assert_uint_eq(pqt_memory_get_stats(l.heap).collections, 1);
    (void)make_full_tree(l.heap, 2000, false); /* reuses the freed blocks */
    ck_assert(pqt_tree_check(tree, NULL));
    pqt_scope_end(l.heap);
    pqt_heap_destroy(&l.heap);
}
END_TEST

/* Two threads make versions, keep them by pins, and reclaim. Blocks of one word pass from one
   thread to the other. */
enum { KEPT_BY_EACH = 40, ITEMS_OF_EACH = 30 };

static bool
keeps_and_reclaims(void *context)
{
    pqt_memory *heap = context;
    static atomic_uint threads;
    dice d = {test_seed("keeps_and_reclaims") + atomic_fetch_add(&threads, 1)};
    pqt_pin *pins[KEPT_BY_EACH] = {NULL};
    uint64_t first[KEPT_BY_EACH];
    for (size_t i = 0; i < test_scaled(3000); i++) {
        const size_t k = dice_below(&d, KEPT_BY_EACH);
        for (uint64_t j = 0; pins[k] != NULL && j < ITEMS_OF_EACH; j++)
            REQUIRE(pqt_tree_contains(pqt_pin_get_tree(pins[k]), item_of(first[k] + j)));
        pqt_unpin(&pins[k]);
        REQUIRE(pqt_scope_begin(heap, NULL));
        const pqt_tree *tree = make_tree(heap, false);
        first[k] = dice_below(&d, 100000);
        for (uint64_t j = 0; j < ITEMS_OF_EACH; j++)
            tree = pqt_tree_insert(tree, item_of(first[k] + j), NULL);
        pins[k] = pqt_tree_pin(tree, NULL);
        REQUIRE(pins[k] != NULL);
        pqt_scope_end(heap);
        if (i % 7 == 0)
            pqt_memory_reclaim(heap, PQT_RECLAIM_ALL);
    }
    for (size_t k = 0; k < KEPT_BY_EACH; k++)
        pqt_unpin(&pins[k]);
    return true;
}

START_TEST(two_threads_never_take_the_same_block)
{
    pqt_memory *heap = make_heap();
    job jobs[] = {{.check = keeps_and_reclaims, .context = heap},
                  {.check = keeps_and_reclaims, .context = heap}};
    begin(&jobs[0]);
    begin(&jobs[1]);
    const bool first = end(&jobs[0]), second = end(&jobs[1]);
    ck_assert(first && second);
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}
END_TEST

static bool
stays_in_a_scope(void *context)
{
    return pqt_scope_begin(context, NULL) && make_tree(context, false) != NULL;
}

START_TEST(a_thread_that_ends_ends_its_scope)
{
    pqt_memory *heap = make_heap();
    ck_assert(in_thread(stays_in_a_scope, heap));
    reclaim_all(heap);
    pqt_heap_destroy(&heap);
}
END_TEST

static bool
keeps_versions_in_a_scope(void *context)
{
    pqt_memory *heap = context;
    REQUIRE(pqt_scope_begin(heap, NULL));
    const pqt_tree *tree = make_full_tree(heap, 1000, true);
    REQUIRE(!pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    (void)make_full_tree(heap, 1000, false); /* would reuse the freed blocks */
    REQUIRE(pqt_tree_check(tree, NULL));
    pqt_scope_end(heap);
    return true;
}

static size_t
count_parts(pqt_memory *heap)
{
    size_t count = 0;
    const pqti_heap_thread *part = atomic_load(&inside_of(heap)->threads);
    for (; part != NULL; part = part->next)
        count++;
    return count;
}

START_TEST(a_thread_takes_the_part_of_one_that_ended_in_a_scope_and_has_a_scope_of_its_own)
{
    pqt_memory *heap = make_heap();
    for (int i = 0; i < 20; i++) {
        ck_assert(in_thread(stays_in_a_scope, heap));
        ck_assert(in_thread(keeps_versions_in_a_scope, heap));
    }
    ck_assert_uint_eq(count_parts(heap), 1);
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}
END_TEST

typedef struct guest {
    pqt_memory *heap;
    atomic_bool has_made, may_end;
} guest;

/* Takes blocks that it does not use all. It returns the others when it ends. */
static bool
makes_a_tree_and_waits(void *context)
{
    guest *g = context;
    REQUIRE(make_full_tree(g->heap, 3, true) != NULL);
    atomic_store(&g->has_made, true);
    while (!atomic_load(&g->may_end))
        sched_yield();
    return true;
}

START_TEST(a_thread_may_return_its_blocks_at_each_step_of_a_sweep)
{
    bool is_swept = false;
    for (size_t steps = 0; !is_swept; steps++) {
        guest g = {.heap = make_heap()};
        job other = {.check = makes_a_tree_and_waits, .context = &g};
        begin(&other);
        while (!atomic_load(&g.has_made))
            sched_yield();
        advance_to(g.heap, PQTI_SWEEPING);
        for (size_t i = 0; i < steps && !is_swept; i++)
            is_swept = pqt_memory_reclaim(g.heap, 1);
        atomic_store(&g.may_end, true);
        ck_assert(end(&other));
        reclaim_all(g.heap);
        ck_assert_uint_eq(used_bytes(g.heap), 0);
        pqt_heap_destroy(&g.heap);
    }
}
END_TEST

/* A thread that uses a heap again after its part was returned: in a destructor of the host, which
   may run after that of the library. Meanwhile another thread owns the part. */
typedef struct latecomer {
    pqt_memory *heap;
    pthread_key_t key;
    job successor;
    atomic_bool has_part, may_leave, has_left, may_end;
    int calls; /* of the destructor */
} latecomer;

static void
wait_until(atomic_bool *done)
{
    while (!atomic_load(done))
        sched_yield();
}

static bool
takes_the_part(void *context)
{
    latecomer *l = context;
    REQUIRE(pqt_scope_begin(l->heap, NULL));
    atomic_store(&l->has_part, true);
    wait_until(&l->may_leave);
    pqt_scope_end(l->heap);
    atomic_store(&l->has_left, true);
    wait_until(&l->may_end);
    return true;
}

/* At its first call, asks for another one, so that the library's destructor has run before it. The
   scope that it begins then must end with the thread. */
static void
use_heap_late(void *context)
{
    latecomer *l = context;
    if (l->calls++ == 0) {
        (void)pthread_setspecific(l->key, l);
        return;
    }
    begin(&l->successor);
    wait_until(&l->has_part);
    (void)pqt_scope_begin(l->heap, NULL);
}

static bool
uses_heap_and_ends(void *context)
{
    latecomer *l = context;
    return pthread_setspecific(l->key, l) == 0 && make_tree(l->heap, false) != NULL;
}

START_TEST(a_thread_that_uses_a_heap_after_its_part_was_returned_gets_another)
{
    latecomer l = {.heap = make_heap()};
    l.successor = (job){.check = takes_the_part, .context = &l};
    ck_assert_int_eq(pthread_key_create(&l.key, use_heap_late), 0);
    ck_assert(in_thread(uses_heap_and_ends, &l));
    ck_assert_int_eq(l.calls, 2);
    atomic_store(&l.may_leave, true);
    wait_until(&l.has_left);
    reclaim_all(l.heap); /* no scope is open */
    atomic_store(&l.may_end, true);
    ck_assert(end(&l.successor));
    pthread_key_delete(l.key);
    pqt_heap_destroy(&l.heap);
}
END_TEST

static bool
works_in_a_child(void *context)
{
    pqt_memory *heap = context;
    const pqt_tree *tree = make_full_tree(heap, 1000, true);
    pqt_pin *pin = pqt_tree_pin(tree, NULL);
    REQUIRE(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    REQUIRE(pqt_tree_check(pqt_pin_get_tree(pin), NULL));
    pqt_unpin(&pin);
    return true;
}

typedef struct sleeper {
    pqt_memory *heap;
    atomic_bool is_in_scope, may_end;
} sleeper;

static bool
sleeps_in_a_scope(void *context)
{
    sleeper *s = context;
    REQUIRE(pqt_scope_begin(s->heap, NULL));
    atomic_store(&s->is_in_scope, true);
    while (!atomic_load(&s->may_end))
        sched_yield();
    pqt_scope_end(s->heap);
    return true;
}

START_TEST(a_child_of_fork_reclaims_although_a_thread_of_its_parent_was_in_a_scope)
{
    sleeper s = {.heap = make_heap()};
    job other = {.check = sleeps_in_a_scope, .context = &s};
    begin(&other);
    while (!atomic_load(&s.is_in_scope))
        sched_yield();
    ck_assert(!pqt_memory_reclaim(s.heap, PQT_RECLAIM_ALL));
    ck_assert(in_child(works_in_a_child, s.heap));
    atomic_store(&s.may_end, true);
    ck_assert(end(&other));
    reclaim_all(s.heap);
    pqt_heap_destroy(&s.heap);
}
END_TEST

typedef struct cycler {
    pqt_memory *heap;
    pqt_head *head;
    atomic_bool ends;
    atomic_size_t rounds;
} cycler;

/* Does not use ck_assert, because a child would inherit its lock. */
static const pqt_tree *
nudge_quietly(const pqt_tree *tree, uint64_t id, double by)
{
    pqt_item item;
    if (tree == NULL || !pqt_tree_find(tree, id, &item))
        return NULL;
    item.box.min.x += by;
    item.box.max.x += by;
    return pqt_tree_move_id(tree, id, item.box, NULL);
}

static bool
edits_and_reclaims(void *context)
{
    cycler *c = context;
    for (uint64_t i = 0; !atomic_load(&c->ends); i++) {
        REQUIRE(pqt_scope_begin(c->heap, NULL));
        const pqt_tree *tree = pqt_head_load(c->head, NULL);
        tree = nudge_quietly(tree, i % 500, i / 500 % 2 ? 1 : -1);
        REQUIRE(tree != NULL && pqt_head_publish(c->head, tree, NULL));
        pqt_scope_end(c->heap);
        pqt_memory_reclaim(c->heap, i % 8 == 0 ? PQT_RECLAIM_ALL : 1000);
        atomic_fetch_add(&c->rounds, 1);
    }
    return true;
}

static bool
continues_in_a_child(void *context)
{
    cycler *c = context;
    for (uint64_t i = 0; i < 4; i++) {
        pqt_pin *pin = pqt_head_pin(c->head, NULL, NULL);
        REQUIRE(pin != NULL && pqt_tree_check(pqt_pin_get_tree(pin), NULL));
        const pqt_tree *tree = nudge_quietly(pqt_pin_get_tree(pin), i, 1);
        REQUIRE(tree != NULL && pqt_tree_check(tree, NULL));
        pqt_unpin(&pin);
        REQUIRE(pqt_memory_reclaim(c->heap, PQT_RECLAIM_ALL));
    }
    return true;
}

START_TEST(a_child_continues_the_cycle_of_another_thread)
{
    cycler c = {.heap = make_heap()};
    c.head = pqt_head_make(make_full_tree(c.heap, 500, true), NULL);
    job other = {.check = edits_and_reclaims, .context = &c};
    begin(&other);
    while (atomic_load(&c.rounds) < 10)
        sched_yield();
    bool passed = true;
    for (size_t i = 0; passed && i < test_scaled(60); i++)
        passed = in_child(continues_in_a_child, &c);
    atomic_store(&c.ends, true);
    ck_assert(end(&other));
    ck_assert(passed);
    pqt_head_destroy(&c.head);
    pqt_heap_destroy(&c.heap);
}
END_TEST

/* A thread in the middle of a slice, in the callback that releases a block. */
typedef struct releaser {
    pqt_memory *heap;
    atomic_bool may_wait, is_inside, has_forked;
    atomic_bool was_inside; /* remains true, unlike is_inside: a thread may wait for it */
} releaser;

static void *
allocate_plainly(size_t bytes, size_t alignment, void *context)
{
    (void)context;
    return aligned_alloc(alignment, bytes);
}

/* Waits for a fork, once. Gives up after YIELDS, because the fork waits for the end of the
 * slice. */
static void
release_slowly(void *memory, size_t bytes, void *context)
{
    enum { YIELDS = 20000 };
    releaser *r = context;
    (void)bytes;
    if (atomic_exchange(&r->may_wait, false)) {
        atomic_store(&r->is_inside, true);
        atomic_store(&r->was_inside, true);
        for (int i = 0; i < YIELDS && !atomic_load(&r->has_forked); i++)
            sched_yield();
        atomic_store(&r->is_inside, false);
    }
    free(memory);
}

static bool
releases_blocks(void *context)
{
    releaser *r = context;
    return pqt_memory_reclaim(r->heap, PQT_RECLAIM_ALL);
}

static bool
is_outside_in_a_child(void *context)
{
    releaser *r = context;
    REQUIRE(!atomic_load(&r->is_inside));
    return works_in_a_child(r->heap);
}

START_TEST(a_fork_waits_for_the_slice_of_another_thread)
{
    releaser r = {.heap = NULL};
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.allocate = allocate_plainly;
    options.release = release_slowly;
    options.context = &r;
    r.heap = pqt_heap_make(&options, NULL);
    /* A leaf that is larger than a slab is released when it is swept. */
    pqt_tree_options tree_options = PQT_TREE_DEFAULTS;
    tree_options.memory = r.heap;
    tree_options.leaf_capacity = PQT_MAX_CAPACITY;
    const pqt_tree *tree = pqt_tree_make(bounds, &tree_options, NULL);
    for (uint64_t i = 0; i < PQT_MAX_CAPACITY; i++)
        tree = pqt_tree_insert(tree, item_of(i), NULL);
    ck_assert_ptr_nonnull(tree);
    atomic_store(&r.may_wait, true);
    job other = {.check = releases_blocks, .context = &r};
    begin(&other);
    while (!atomic_load(&r.was_inside))
        sched_yield();
    const bool passed = in_child(is_outside_in_a_child, &r);
    atomic_store(&r.has_forked, true);
    ck_assert(end(&other));
    ck_assert(passed);
    pqt_heap_destroy(&r.heap);
}
END_TEST

/* A thread that has stored a version in a pin or a head. It is suspended before it passes the
   version to the cycle, in a function that replaces the heap's own. */
typedef struct half_done {
    pqt_memory *heap;
    pqt_head *head;
    const pqti_memory_calls *calls; /* the heap's own functions */
    bool pins;                      /* if set, it pins a version, otherwise it publishes one */
    atomic_bool has_version, may_store, is_suspended, may_end;
} half_done;

static half_done *suspended;

static void
suspend(void)
{
    atomic_store(&suspended->is_suspended, true);
    while (!atomic_load(&suspended->may_end))
        sched_yield();
}

static void
set_pin_late(pqt_memory *memory, pqt_pin *pin)
{
    suspend();
    suspended->calls->reclaiming->pin_set(memory, pin);
}

static void
add_root_late(pqt_memory *memory, const void *block)
{
    suspend();
    suspended->calls->reclaiming->root_added(memory, block);
}

static bool
stores_halfway(void *context)
{
    half_done *h = context;
    pqt_pin *pin = NULL;
    REQUIRE(pqt_scope_begin(h->heap, NULL));
    const pqt_tree *tree = pqt_head_load(h->head, NULL);
    if (!h->pins)
        tree = nudge_quietly(tree, 1, 1);
    /* The blocks of the tree are no longer in the cache of the thread. */
    for (uint64_t i = 0; i < 200; i++)
        (void)nudge_quietly(tree, i, 2);
    atomic_store(&h->has_version, true);
    while (!atomic_load(&h->may_store))
        sched_yield();
    if (h->pins)
        REQUIRE((pin = pqt_tree_pin(tree, NULL)) != NULL);
    else
        REQUIRE(pqt_head_publish(h->head, tree, NULL));
    pqt_scope_end(h->heap);
    REQUIRE(pqt_tree_check(tree, NULL));
    pqt_unpin(&pin);
    return true;
}

static bool
ends_two_cycles_in_a_child(void *context)
{
    const half_done *h = context;
    h->heap->calls = h->calls;
    for (int i = 0; i < 2; i++) {
        REQUIRE(pqt_memory_reclaim(h->heap, PQT_RECLAIM_ALL));
        pqt_pin *pin = pqt_head_pin(h->head, NULL, NULL);
        REQUIRE(pin != NULL && pqt_tree_check(pqt_pin_get_tree(pin), NULL));
        pqt_unpin(&pin);
    }
    return true;
}

/* The thread uses a version that no root holds after the head received another one. */
START_TEST(a_child_marks_what_a_thread_of_its_parent_had_just_stored)
{
    half_done h = {.heap = make_heap(), .pins = _i == 1};
    h.head = pqt_head_make(make_full_tree(h.heap, 500, true), NULL);
    h.calls = h.heap->calls;
    suspended = &h;
    pqti_reclaiming_calls late = *h.calls->reclaiming;
    pqti_memory_calls calls = *h.calls;
    if (h.pins)
        late.pin_set = set_pin_late;
    else
        late.root_added = add_root_late;
    calls.reclaiming = &late;
    job other = {.check = stores_halfway, .context = &h};
    begin(&other);
    while (!atomic_load(&h.has_version))
        sched_yield();
    if (h.pins)
        ck_assert(pqt_head_publish(h.head, make_full_tree(h.heap, 400, true), NULL));
    h.heap->calls = &calls;
    /* The cycle scans all roots, and waits for the thread's scope. */
    ck_assert(!pqt_memory_reclaim(h.heap, PQT_RECLAIM_ALL));
    atomic_store(&h.may_store, true);
    while (!atomic_load(&h.is_suspended))
        sched_yield();
    const bool passed = in_child(ends_two_cycles_in_a_child, &h);
    atomic_store(&h.may_end, true);
    ck_assert(end(&other));
    ck_assert(passed);
    h.heap->calls = h.calls;
    pqt_head_destroy(&h.head);
    reclaim_all(h.heap);
    pqt_heap_destroy(&h.heap);
}
END_TEST

static void
pass_nothing_on(pqt_memory *memory, pqt_pin *pin)
{
    (void)memory;
    (void)pin;
}

/* A pin that another thread of the parent has just set, before it passed the version to the cycle:
   the child scans the pins from the first one. */
typedef struct new_pin {
    pqt_memory *heap;
    const pqti_memory_calls *calls; /* the heap's own functions */
    pqt_pin *pin;
} new_pin;

static bool
keeps_a_new_pin_in_a_child(void *context)
{
    const new_pin *n = context;
    n->heap->calls = n->calls;
    pqt_scope_end(n->heap);
    REQUIRE(pqt_memory_reclaim(n->heap, PQT_RECLAIM_ALL));
    (void)make_full_tree(n->heap, 1000, false); /* would reuse the freed blocks */
    return pqt_tree_check(pqt_pin_get_tree(n->pin), NULL);
}

START_TEST(a_child_scans_all_pins_although_its_parent_had_scanned_some)
{
    enum { PINS = 400 };
    new_pin n = {.heap = make_heap()};
    pqt_pin *pins[PINS];
    for (uint64_t i = 0; i < PINS; i++)
        pins[i] = pqt_tree_pin(make_full_tree(n.heap, 3, true), NULL);
    ck_assert(pqt_scope_begin(n.heap, NULL));
    const pqt_tree *tree = make_full_tree(n.heap, 200, true);
    advance_to(n.heap, PQTI_MARKING);
    /* In the middle of the fourth word, from pin 2 of the word or later. */
    while (inside_of(n.heap)->pin_word != 3 || !inside_of(n.heap)->pins_in_word ||
           (inside_of(n.heap)->pins_rest & 3) != 0)
        (void)pqt_memory_reclaim(n.heap, 1);
    pqt_unpin(&pins[1]); /* the new pin takes its place, pin 1 of the first word */
    n.calls = n.heap->calls;
    pqti_reclaiming_calls late = *n.calls->reclaiming;
    pqti_memory_calls calls = *n.calls;
    late.pin_set = pass_nothing_on;
    calls.reclaiming = &late;
    n.heap->calls = &calls;
    n.pin = pqt_tree_pin(tree, NULL);
    ck_assert_ptr_nonnull(n.pin);
    ck_assert(in_child(keeps_a_new_pin_in_a_child, &n));
    n.heap->calls = n.calls;
    pqt_unpin(&n.pin);
    for (uint64_t i = 0; i < PINS; i++)
        pqt_unpin(&pins[i]);
    pqt_scope_end(n.heap);
    pqt_heap_destroy(&n.heap);
}
END_TEST

static bool
layouts_are_unlocked_in_a_child(void *layout)
{
    return pqti_layout_id(layout) > 0;
}

static bool
locks_layouts(void *context)
{
    releaser *r = context;
    pqti_lock_layouts();
    atomic_store(&r->was_inside, true);
    while (!atomic_load(&r->has_forked))
        sched_yield();
    pqti_unlock_layouts();
    return true;
}

static bool
lets_go(void *context)
{
    releaser *r = context;
    for (int i = 0; i < 1000; i++)
        sched_yield();
    atomic_store(&r->has_forked, true);
    return true;
}

START_TEST(a_fork_waits_for_a_thread_that_gives_a_layout_its_id)
{
    static pqti_layout layout = PQTI_LAYOUT(64, 1);
    releaser r = {.heap = make_heap()};
    job holder = {.check = locks_layouts, .context = &r};
    job other = {.check = lets_go, .context = &r};
    begin(&holder);
    while (!atomic_load(&r.was_inside))
        sched_yield();
    begin(&other);
    ck_assert(in_child(layouts_are_unlocked_in_a_child, &layout));
    ck_assert(end(&holder) && end(&other));
    pqt_heap_destroy(&r.heap);
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
    tcase_add_test(tests, a_history_keeps_its_versions_labels_and_names);
    tcase_add_loop_test(tests, a_version_of_a_scope_may_get_a_holder_in_each_phase, 0, 3 * WAYS);
    tcase_add_test(tests, a_history_of_100_entries_takes_less_than_three_times_the_live_bytes);
    tcase_add_test(tests, memory_stays_constant_while_only_the_newest_version_is_kept);
    tcase_add_test(tests, a_kind_of_the_user_marks_its_versions);
    tcase_add_test(tests, a_value_that_fills_the_mark_stack_keeps_its_versions);
    tcase_add_test(tests, a_kind_without_a_trace_is_refused_in_a_heap);
    if (PQT_WITH_PIXELS)
        tcase_add_test(tests, regions_live_in_heaps);
    if (PQT_WITH_WORLDS) {
        tcase_add_test(tests, worlds_and_recordings_live_in_heaps);
        tcase_add_loop_test(
            tests, a_step_keeps_the_world_that_it_is_given_and_the_one_that_it_makes, 0, 5);
        tcase_add_test(tests, comparing_recordings_keeps_the_worlds_that_it_makes);
        tcase_add_test(tests, recordings_are_verified_while_another_thread_reclaims);
    }
    tcase_add_test(tests, no_call_marks_or_sweeps_more_than_its_limit);
    tcase_add_test(tests, no_call_takes_more_steps_than_its_limit);
    tcase_add_test(tests, memory_is_given_back_in_slices);
    tcase_add_test(tests, a_cycle_begins_when_the_heap_has_grown);
    tcase_add_test(tests, blocks_that_are_taken_but_not_allocated_begin_no_cycle);
    tcase_add_test(tests, a_heap_stays_within_its_limit);
    tcase_add_loop_test(tests, a_full_heap_reclaims_before_it_has_grown, 0, 2);
    tcase_add_test(tests, memory_comes_from_the_hosts_functions);
    tcase_add_test(tests, blocks_of_every_size_are_apart_and_aligned);
    tcase_add_test(tests, options_out_of_range_are_refused);
    tcase_add_test(tests, other_memories_need_no_scope_and_reclaim_nothing);
    tcase_add_test(tests, reclaiming_at_pushes_alone_bounds_the_heap);
    if (PQT_WITH_WORLDS)
        tcase_add_test(tests, reclaiming_at_steps_alone_bounds_the_heap);
    tcase_add_test(tests, paced_reclaiming_keeps_up_with_batches);
    tcase_add_loop_test(tests, paced_reclaiming_bounds_batches_of_trees, 0, 3);
    tcase_add_loop_test(tests, paced_reclaiming_bounds_batches_of_maps, 0, 3);
    tcase_add_loop_test(tests, memory_falls_after_a_long_scope, 0, 3);
    tcase_add_test(tests, an_update_is_not_misled_by_a_reused_address);
    tcase_add_test(tests, a_thread_that_ends_ends_its_scope);
    tcase_add_test(tests,
                   a_thread_takes_the_part_of_one_that_ended_in_a_scope_and_has_a_scope_of_its_own);
    tcase_add_test(tests, a_thread_may_return_its_blocks_at_each_step_of_a_sweep);
    tcase_add_test(tests, a_thread_that_uses_a_heap_after_its_part_was_returned_gets_another);
    tcase_add_test(tests, a_child_of_fork_reclaims_although_a_thread_of_its_parent_was_in_a_scope);
    tcase_add_test(tests, a_child_continues_the_cycle_of_another_thread);
    tcase_add_test(tests, a_fork_waits_for_the_slice_of_another_thread);
    tcase_add_loop_test(tests, a_call_keeps_its_versions_while_a_callback_reclaims, 0,
                        3 + 2 * PQT_WITH_PIXELS + PQT_WITH_WORLDS);
    tcase_add_loop_test(tests, a_child_marks_what_a_thread_of_its_parent_had_just_stored, 0, 2);
    tcase_add_test(tests, a_child_scans_all_pins_although_its_parent_had_scanned_some);
    tcase_add_test(tests, a_fork_waits_for_a_thread_that_gives_a_layout_its_id);
    tcase_add_test(tests, mistakes_stop_the_program_with_a_message);
    tcase_add_test(tests, each_failed_allocation_of_a_heap_is_handled);
    suite_add_tcase(suite, tests);
    TCase *threads = tcase_create("threads"); /* thread sanitizer runs these tests, too */
    tcase_add_test(threads, threads_write_read_and_reclaim_at_once);
    tcase_add_test(threads, indexed_histories_are_written_pinned_and_reclaimed_at_once);
    tcase_add_test(threads, a_version_made_from_a_pinned_one_outlives_the_pin);
    tcase_add_test(threads, two_threads_never_take_the_same_block);
    suite_add_tcase(suite, threads);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
