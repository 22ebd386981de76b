/* SPDX-License-Identifier: MIT */
/*
 * test_draft_threads.c: tests a thread that edits a draft while others read its snapshots and
 * reclaim.
 */
#include "config.h"

#include <pqt.h>

#include <pthread.h>
#include <stdatomic.h>

#include "memory/heap_internal.h"
#include "memory/memory_internal.h"
#include "random.h"
#include "require.h"
#include "suite.h"
#include "tree_support.h"

enum { SIDE = 24, FRAMES = 1500, EDITS = 12, READERS = 2 };

typedef struct stage {
    pqt_memory *memory;
    pqt_head *head;
    bool reclaims; /* the memory is a heap, and a thread reclaims in it */
    atomic_bool has_ended;
    atomic_size_t reads;
} stage;

/* Each frame moves some items of every row, so that the sum of the numbers of items is constant. */
static bool
is_whole(const pqt_tree *tree)
{
    return pqt_tree_count(tree) == SIDE * SIDE && pqt_tree_check(tree, NULL);
}

static bool
read_newest(stage *s)
{
    REQUIRE(pqt_scope_begin(s->memory, NULL));
    const pqt_tree *tree = pqt_head_load_tree(s->head, NULL);
    const bool whole = is_whole(tree);
    pqt_scope_end(s->memory);
    atomic_fetch_add(&s->reads, 1);
    return whole;
}

static void *
read_snapshots(void *context)
{
    stage *s = context;
    bool whole = pqt_thread_attach(NULL);
    while (whole && !atomic_load(&s->has_ended))
        whole = read_newest(s);
    pqt_thread_detach();
    return whole ? s : NULL;
}

/* Runs one cycle after another, in small slices. */
static void *
reclaim(void *context)
{
    stage *s = context;
    for (size_t i = 0; !atomic_load(&s->has_ended); i++)
        (void)pqt_memory_reclaim(s->memory, i % 50 == 0 ? PQT_RECLAIM_ALL : i % 97);
    return s;
}

static bool
edit_frame(pqt_draft *draft, dice *d, pqt_item *items)
{
    for (size_t i = 0; i < EDITS; i++) {
        pqt_item *item = &items[dice_below(d, SIDE * SIDE)];
        const pqt_box to = point(16 * dice_real(d), 16 * dice_real(d));
        if (i % 3 == 0)
            REQUIRE(pqt_draft_move_id(draft, item->id, to, NULL));
        else
            REQUIRE(pqt_draft_move(draft, *item, to, NULL));
        item->box = to;
    }
    return pqt_tree_count(pqt_draft_view(draft)) == SIDE * SIDE;
}

/* Returns true once readers have read, and a heap has run whole cycles, in the meantime. */
static bool
has_seen_enough(stage *s)
{
    enum { LEAST_READS = 50, LEAST_CYCLES = 20 };
    return atomic_load(&s->reads) >= LEAST_READS &&
           (!s->reclaims || pqt_memory_get_stats(s->memory).collections >= LEAST_CYCLES);
}

static bool
edit_and_publish(stage *s, pqt_draft *draft)
{
    static pqt_item items[SIDE * SIDE];
    dice d = {test_seed("edit_and_publish")};
    for (size_t i = 0; i < SIDE * SIDE; i++)
        items[i] = dot_of_grid(SIDE, i);
    const size_t frames = test_scaled_from(FRAMES, 100);
    for (size_t i = 0; i < frames || !has_seen_enough(s); i++) {
        REQUIRE(edit_frame(draft, &d, items));
        REQUIRE(pqt_scope_begin(s->memory, NULL));
        const pqt_tree *snapshot = pqt_draft_snapshot(draft, NULL);
        REQUIRE(snapshot != NULL && pqt_head_publish(s->head, snapshot, NULL));
        pqt_scope_end(s->memory);
    }
    return is_whole(pqt_draft_view(draft));
}

static pqt_draft *
begin(stage *s)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = s->memory;
    options.unique_ids = true;
    options.leaf_capacity = 4;
    ck_assert(pqt_scope_begin(s->memory, NULL));
    const pqt_tree *tree = with_grid(pqt_tree_make(world_box, &options, NULL), SIDE);
    s->head = pqt_head_make(tree, NULL);
    pqt_draft *draft = pqt_draft_begin(tree, NULL);
    pqt_scope_end(s->memory);
    ck_assert(s->head != NULL && draft != NULL);
    return draft;
}

/* The memory is an arena, a heap or the collector. */
START_TEST(readers_see_whole_snapshots_while_a_draft_is_edited)
{
    if (_i == 2 && pqt_collector() == NULL)
        return;
    stage s = {.reclaims = _i == 1,
               .memory = _i == 0   ? pqt_arena_make(0, NULL)
                         : _i == 1 ? pqt_heap_make(NULL, NULL)
                                   : pqt_collector()};
    pthread_t threads[READERS + 1];
    ck_assert(pqt_thread_attach(NULL));
    pqt_draft *draft = begin(&s);
    const int count = _i == 1 ? READERS + 1 : READERS;
    for (int i = 0; i < count; i++)
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, i < READERS ? read_snapshots : reclaim, &s), 0);
    const bool whole = edit_and_publish(&s, draft);
    atomic_store(&s.has_ended, true);
    bool all = true;
    for (int i = 0; i < count; i++) {
        void *result;
        pthread_join(threads[i], &result);
        all = all && result != NULL;
    }
    ck_assert(whole);
    ck_assert(all);
    pqt_draft_destroy(&draft);
    pqt_head_destroy(&s.head);
    if (_i == 0)
        pqt_arena_destroy(&s.memory);
    else if (_i == 1)
        pqt_heap_destroy(&s.memory);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("draft_threads");
    TCase *tests = tcase_create("threads");
    tcase_add_loop_test(tests, readers_see_whole_snapshots_while_a_draft_is_edited, 0, 3);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
