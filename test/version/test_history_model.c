/* SPDX-License-Identifier: MIT */
/* test_history_model.c: makes random edits to a history, and compares it with a plain tree of
   snapshots. */
#include "config.h"

#include <stdio.h>

#include <pqt/history_query.h>

#include "history_pair.h"
#include "history_support.h"
#include "memory/memory_internal.h"
#include "random.h"
#include "suite.h"
#include "tree_support.h"

static size_t
draw_from_dice(void *luck, size_t bound)
{
    return dice_below(luck, bound);
}

static void
run(pqt_memory *memory, bool unique, bool indexed)
{
    static history_model m;
    dice d = {test_seed("history") + unique + 2u * indexed};
    history_pair p = {.m = &m, .draw = draw_from_dice, .luck = &d};
    const size_t steps = test_scaled(6000);
    history_pair_begin(&p, memory, unique, indexed);
    for (size_t i = 0; i < steps; i++) {
        history_pair_do_something(&p);
        history_pair_expect_current(&p);
        history_pair_expect_path(&p);
        const uint64_t tip = m.moments[dice_below(&d, m.count)].number;
        history_pair_expect_times(&p, tip);
        if (indexed && i % 4 == 0)
            history_pair_expect_window(&p, tip);
        if (indexed && i % 16 == 0)
            history_pair_expect_item(&p, tip);
        if (i % 100 == 0)
            pqti_collect(memory);
        if (i % 50 == 0)
            history_pair_expect_all(&p);
    }
    history_pair_expect_all(&p);
    fprintf(stderr, "# %zu entries of %u are left\n", m.count, (unsigned)m.next);
    pqt_history_destroy(&p.history);
}

START_TEST(a_history_is_a_tree_of_snapshots)
{
    run(arena, (_i & 1) != 0, (_i & 2) != 0);
}
END_TEST

START_TEST(a_history_in_the_collector_is_a_tree_of_snapshots)
{
    pqt_error error = {0};
    if (pqt_collector() == NULL)
        return;
    ck_assert(pqt_init(&error));
    run(pqt_collector(), (_i & 1) != 0, (_i & 2) != 0);
}
END_TEST

/* Every second push exceeds the limits, first with few named entries, then with more protected
   entries than the limit allows. */
START_TEST(a_limited_history_is_a_tree_of_snapshots)
{
    static const struct {
        size_t max_entries, max_bytes, named;
    } limits[] = {{1, 0, 0},      {3, 0, 5},     {12, 0, 2},      {40, 0, 2},
                  {40, 0, 30},    {60, 0, 60},   {0, 3000, 2},    {0, 20000, 2},
                  {0, 20000, 30}, {0, 9000, 60}, {30, 16000, 20}, {0, 40000, 10}};
    static history_model m;
    const bool indexed = _i % 2 == 1;
    const uint64_t seed = test_seed("limits");
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        dice d = {seed + i};
        history_pair p = {.m = &m,
                          .draw = draw_from_dice,
                          .luck = &d,
                          .max_entries = limits[i].max_entries,
                          .max_bytes = limits[i].max_bytes,
                          .named = limits[i].named};
        if (indexed && p.max_bytes > 0)
            continue;
        history_pair_begin(&p, arena, _i / 2 == 1, indexed);
        for (size_t step = 0; step < test_scaled(1000); step++) {
            history_pair_do_something(&p);
            history_pair_expect_path(&p);
            if (step % 8 == 0)
                history_pair_expect_all(&p);
            expect_droppable_list(p.history);
            require(pqt_history_get_stats(p.history).bytes == history_model_bytes(&m),
                    "what all entries added");
            if (indexed)
                history_pair_expect_window(&p, m.moments[draw_from_dice(&d, m.count)].number);
        }
        pqt_history_destroy(&p.history);
    }
}
END_TEST

/* A long path without branches, so that jumps have four ranks. */
START_TEST(a_long_history_is_searched_within_the_bound)
{
    static history_model m;
    dice d = {test_seed("a long past")};
    history_pair p = {.m = &m, .draw = draw_from_dice, .luck = &d};
    const size_t entries = test_scaled(6000);
    uint64_t last[MODEL_IDS] = {0};
    history_pair_begin(&p, arena, _i != 0, true);
    uint64_t worst = 0;
    pqt_error error = {0};
    pqt_history_answer answer;
    for (size_t i = 0; i < entries; i++) {
        snapshot now = m.moments[0].now;
        const size_t id =
            dice_chance(&d, 99) ? dice_below(&d, MODEL_IDS / 2) : dice_below(&d, MODEL_IDS);
        const pqt_tree *tree = pqt_history_value(p.history);
        if (now.x[id] != MODEL_NOBODY)
            tree = pqt_tree_remove(tree, history_pair_item(id, now.x[id], now.y[id]), &error);
        require(history_pair_set_position(&now, id, (now.x[id] + 2 + (int)dice_below(&d, 10)) % 12,
                                          (int)id),
                "each step moves an item");
        tree = pqt_tree_insert(tree, history_pair_item(id, now.x[id], now.y[id]), &error);
        m.moments[0].now = now;
        require(
            pqt_history_push(p.history, tree, &(pqt_history_entry_info){.time = (double)i}, &error),
            error.text);
        last[id] = i + 1;
        const size_t searched = dice_below(&d, MODEL_IDS);
        require(pqt_history_last_item_change(p.history, NULL, i + 1, searched, &answer, &error),
                error.text);
        require(answer.entry == last[searched], "the last change of an item");
        require(answer.steps <= history_pair_most_steps(i + 1), "within the bound");
        worst = answer.steps > worst ? answer.steps : worst;
    }
    fprintf(stderr, "# %zu entries: %u steps at worst, the bound is %u\n", entries, (unsigned)worst,
            (unsigned)history_pair_most_steps(entries));
    pqt_history_destroy(&p.history);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("history model");
    TCase *tests = add_tests(suite, "history model");
    tcase_add_loop_test(tests, a_history_is_a_tree_of_snapshots, 0, 4);
    tcase_add_loop_test(tests, a_history_in_the_collector_is_a_tree_of_snapshots, 0, 4);
    tcase_add_loop_test(tests, a_limited_history_is_a_tree_of_snapshots, 0, 4);
    tcase_add_loop_test(tests, a_long_history_is_searched_within_the_bound, 0, 2);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
