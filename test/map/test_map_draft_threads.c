/* SPDX-License-Identifier: MIT */
/*
 * test_map_draft_threads.c: tests a thread that edits a draft of a map while others read its
 * snapshots and reclaim.
 */
#include "config.h"

#include <pqt.h>

#include <pthread.h>
#include <stdatomic.h>

#include "map_support.h"
#include "require.h"
#include "suite.h"

enum { FRAMES = 1500, EDITS = 12, READERS = 2, COUNT = 120 };

typedef struct stage {
    int form;
    pqt_memory *memory;
    pqt_head *head;
    bool reclaims; /* the memory is a heap, and a thread reclaims in it */
    atomic_bool has_ended;
    atomic_size_t reads;
} stage;

static bool
count_entry(const pqt_map_entry *entry, void *context)
{
    (void)entry;
    ++*(size_t *)context;
    return true;
}

/* Each frame removes as many keys as it inserts. */
static bool
is_whole(const pqt_map *map)
{
    size_t count = 0;
    (void)pqt_map_visit(map, count_entry, &count);
    return count == COUNT && pqt_map_count(map) == COUNT && pqt_map_check(map, NULL);
}

static bool
read_newest(stage *s)
{
    REQUIRE(pqt_scope_begin(s->memory, NULL));
    const pqt_map *map = pqt_head_load_map(s->head, NULL);
    const bool whole = is_whole(map);
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

/* Moves the value of one key to another, which has none, and changes the value of a third. */
static bool
edit_frame(const stage *s, pqt_map_draft *draft, dice *d, map_model *model)
{
    for (int i = 0; i < EDITS; i++) {
        int from = 0, to = 0;
        const int v = (int)dice_below(d, MAP_VALUES);
        while (model->values[from] == NO_VALUE)
            from = (int)dice_below(d, MAP_KEYS);
        while (model->values[to] != NO_VALUE)
            to = (int)dice_below(d, MAP_KEYS);
        REQUIRE(pqt_map_draft_insert(draft, map_key(s->form, to), map_value(s->form, v), NULL));
        REQUIRE(pqt_map_draft_insert(draft, map_key(s->form, from), map_value(s->form, v), NULL));
        REQUIRE(pqt_map_draft_remove(draft, map_key(s->form, from), NULL));
        model->values[to] = v;
        model->values[from] = NO_VALUE;
    }
    return pqt_map_count(pqt_map_draft_view(draft)) == COUNT;
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
edit_and_publish(stage *s, pqt_map_draft *draft, map_model *model)
{
    dice d = {test_seed("edit_and_publish")};
    const size_t frames = test_scaled_from(FRAMES, 100);
    for (size_t i = 0; i < frames || !has_seen_enough(s); i++) {
        REQUIRE(edit_frame(s, draft, &d, model));
        REQUIRE(pqt_scope_begin(s->memory, NULL));
        const pqt_map *snapshot = pqt_map_draft_snapshot(draft, NULL);
        REQUIRE(snapshot != NULL && pqt_head_publish(s->head, snapshot, NULL));
        pqt_scope_end(s->memory);
    }
    return map_differs(s->form, pqt_map_draft_view(draft), model) == NULL;
}

static pqt_map_draft *
begin(stage *s, map_model *model)
{
    *model = map_model_make();
    for (int k = 0; k < COUNT; k++)
        model->values[k] = k % MAP_VALUES;
    ck_assert(pqt_scope_begin(s->memory, NULL));
    const pqt_map *map = map_of_model(s->form, s->memory, model);
    s->head = pqt_head_make(map, NULL);
    pqt_map_draft *draft = pqt_map_draft_begin(map, NULL);
    pqt_scope_end(s->memory);
    ck_assert(s->head != NULL && draft != NULL);
    return draft;
}

/* The memory is an arena, a heap or the collector. The map is from ids to numbers, or from byte
   strings to byte strings. */
START_TEST(readers_see_whole_snapshots_while_a_draft_of_a_map_is_edited)
{
    const int which = _i % 3;
    if (which == 2 && pqt_collector() == NULL)
        return;
    map_model model;
    stage s = {.form = _i < 3 ? 0 : 3,
               .reclaims = which == 1,
               .memory = which == 0   ? pqt_arena_make(0, NULL)
                         : which == 1 ? pqt_heap_make(NULL, NULL)
                                      : pqt_collector()};
    pthread_t threads[READERS + 1];
    ck_assert(pqt_thread_attach(NULL));
    pqt_map_draft *draft = begin(&s, &model);
    const int count = which == 1 ? READERS + 1 : READERS;
    for (int i = 0; i < count; i++)
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, i < READERS ? read_snapshots : reclaim, &s), 0);
    const bool whole = edit_and_publish(&s, draft, &model);
    atomic_store(&s.has_ended, true);
    bool all = true;
    for (int i = 0; i < count; i++) {
        void *result;
        pthread_join(threads[i], &result);
        all = all && result != NULL;
    }
    ck_assert(whole);
    ck_assert(all);
    pqt_map_draft_destroy(&draft);
    pqt_head_destroy(&s.head);
    if (which == 0)
        pqt_arena_destroy(&s.memory);
    else if (which == 1)
        pqt_heap_destroy(&s.memory);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("map_draft_threads");
    TCase *tests = tcase_create("threads");
    tcase_add_loop_test(tests, readers_see_whole_snapshots_while_a_draft_of_a_map_is_edited, 0, 6);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
