/* SPDX-License-Identifier: MIT */
/* test_history.c: tests undo, redo, branches, drags, groups, marks, labels and names. */
#include "config.h"

#include "history_support.h"

/* ---- Undo, redo, branches ---- */

static bool
stop_change(const pqt_change *change, void *context)
{
    (void)change;
    ++*(int *)context;
    return false;
}

START_TEST(the_example_of_the_header_works)
{
    pqt_error error = {0};
    pqt_item cat = dot(1, 1, 1);
    const pqt_tree *tree = inserted(small_tree(2), cat), *before = tree;
    pqt_history *history = pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), tree, NULL, &error);
    ck_assert_ptr_nonnull(history);
    tree = pqt_tree_move(tree, cat, point(3, 3), &error);
    ck_assert(pqt_history_push(history, tree, &(pqt_history_entry_info){.label = "Move"}, &error));
    ck_assert_str_eq(pqt_history_undo_label(history), "Move");
    ck_assert(pqt_history_undo(history));
    expect_value(history, before);
    pqt_history_destroy(&history);
    ck_assert_ptr_null(history);
    pqt_history_destroy(&history);
    pqt_history_destroy(NULL);
}
END_TEST

START_TEST(undo_at_the_first_entry_and_redo_at_the_tip_do_nothing)
{
    const pqt_tree *first = small_tree(2);
    pqt_history *history = history_of(first, false);
    ck_assert(!pqt_history_undo(history));
    ck_assert(!pqt_history_redo(history));
    ck_assert_ptr_null(pqt_history_undo_label(history));
    ck_assert_ptr_null(pqt_history_redo_label(history));
    expect_value(history, first);
    push(history, with_dot(first, 1), "One");
    ck_assert(!pqt_history_redo(history));
    ck_assert(pqt_history_undo(history));
    ck_assert(!pqt_history_undo(history));
    ck_assert_str_eq(pqt_history_redo_label(history), "One");
    expect_value(history, first);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(redo_follows_the_branch_last_used)
{
    pqt_history *history = forked(small_tree(2));
    ck_assert_uint_eq(entries(history), 5);
    ck_assert_uint_eq(pqt_history_get_stats(history).branches, 2);
    while (pqt_history_undo(history))
        ;
    ck_assert(pqt_history_redo(history) && pqt_history_redo(history) && pqt_history_redo(history));
    ck_assert_uint_eq(pqt_history_current(history), 4);
    go(history, 2);
    ck_assert(pqt_history_undo(history) && pqt_history_undo(history));
    ck_assert(pqt_history_redo(history) && pqt_history_redo(history));
    ck_assert_uint_eq(pqt_history_current(history), 2);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(an_entry_reports_its_parent_and_children)
{
    pqt_history *history = forked(small_tree(2));
    ck_assert(pqt_history_undo(history));
    const pqt_history_entry one = entry_at(history, 1), two = entry_at(history, 2);
    const pqt_history_entry three = entry_at(history, 3), root = entry_at(history, 0);
    ck_assert_uint_eq(one.children, 2);
    ck_assert_uint_eq(one.parent, 0);
    ck_assert_uint_eq(root.parent, 0);
    ck_assert_uint_eq(two.depth, 2);
    ck_assert_str_eq(two.label, "Two");
    ck_assert_double_eq(two.time, 2);
    ck_assert(three.is_current && three.is_on_path && one.is_on_path && !two.is_on_path);
    ck_assert(root.is_saved && !one.is_saved && root.is_on_path);
    ck_assert(!entry_at(history, 4).is_on_path);
    ck_assert_ptr_null(one.name);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(entries_branches_and_paths_are_visited)
{
    pqt_history *history = forked(small_tree(2));
    char all[40] = "", tips[40] = "", way[40] = "", self[40] = "";
    int calls = 0;
    uint64_t met;
    ck_assert(pqt_history_visit(history, add_number, all));
    ck_assert_str_eq(all, "0 1 2 3 4 ");
    ck_assert(pqt_history_visit_branches(history, add_number, tips));
    ck_assert_str_eq(tips, "2 4 ");
    ck_assert(pqt_history_visit_path(history, 2, 4, add_number, way));
    ck_assert_str_eq(way, "2 1 3 4 ");
    ck_assert(pqt_history_visit_path(history, 3, 3, add_number, self));
    ck_assert_str_eq(self, "3 ");
    ck_assert(pqt_history_common_ancestor(history, 2, 4, &met) && met == 1);
    ck_assert(!pqt_history_visit(history, stop, &calls));
    ck_assert(!pqt_history_visit_branches(history, stop, &calls));
    ck_assert(!pqt_history_visit_path(history, 0, 4, stop, &calls));
    ck_assert_int_eq(calls, 3);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(undo_redo_and_checkout_allocate_nothing)
{
    pqt_history *history = long_history(small_tree(2), 100, true);
    hooks watch = {0};
    hooks_start(&watch);
    while (pqt_history_undo(history))
        ;
    for (int i = 0; i < 50; i++)
        require(pqt_history_redo(history), "redo continues");
    const bool gone = pqt_history_checkout(history, 7, NULL);
    hooks_stop();
    ck_assert(gone);
    ck_assert_uint_eq(watch.calls, 0);
    pqt_history_destroy(&history);
}
END_TEST

/* ---- Values ---- */

START_TEST(an_equal_value_adds_nothing)
{
    const pqt_tree *first = with_dot(small_tree(2), 1);
    const pqt_tree *equal = removed(with_dot(first, 2), dot(2, 0, 2));
    pqt_history *history = history_of(first, false);
    ck_assert_ptr_ne(first, equal);
    push(history, equal, "Nothing");
    push(history, first, "Nothing");
    ck_assert_uint_eq(entries(history), 1);
    expect_value(history, first);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(a_failed_version_is_passed_on)
{
    const pqt_tree *first = small_tree(2);
    pqt_history *history = history_of(first, false);
    pqt_error error = earlier_failure();
    ck_assert(!pqt_history_push(history, NULL, &(pqt_history_entry_info){.time = 1}, &error));
    ck_assert_ptr_null(pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), NULL, NULL, &error));
    expect_earlier_failure(&error);
    ck_assert(!pqt_history_push(history, NULL, &(pqt_history_entry_info){.time = 1}, NULL));
    ck_assert_uint_eq(entries(history), 1);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(a_value_in_another_memory_is_refused)
{
    pqt_error error = {0};
    pqt_memory *other = pqt_arena_make(0, NULL);
    pqt_history *history = history_of(small_tree(2), false);
    const pqt_tree *stranger = pqt_tree_copy(with_dot(small_tree(2), 1), other, &error);
    ck_assert(!pqt_history_push(history, stranger, &(pqt_history_entry_info){.time = 1}, &error));
    expect_failure(&error, PQT_ERROR_MISMATCH, 0,
                   "trees: the version is not in the memory of the first version");
    ck_assert_uint_eq(entries(history), 1);
    pqt_history_destroy(&history);
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(bounds_may_change_without_an_index_and_not_with_one)
{
    pqt_error error = {0};
    const pqt_tree *larger = made(box(0, 0, 32, 32), options_of(2, 24));
    for (int indexed = 0; indexed < 2; indexed++) {
        pqt_history *history = history_of(small_tree(2), indexed != 0);
        const bool done =
            pqt_history_push(history, larger, &(pqt_history_entry_info){.label = "Canvas"}, &error);
        ck_assert(done == !indexed);
        pqt_history_destroy(&history);
    }
    expect_failure(&error, PQT_ERROR_MISMATCH, 0, "the versions differ in bounds");
}
END_TEST

START_TEST(times_are_finite_and_do_not_go_back)
{
    const double bad[] = {INFINITY, -INFINITY, 4.5};
    const char *texts[] = {"time is inf, not finite", "time is -inf, not finite",
                           "time is 4.5, before that of the current entry, 5"};
    const pqt_tree *first = small_tree(2), *next = with_dot(first, 1);
    pqt_history *history = history_of(first, false);
    push_at(history, next, "Five", 5, 0);
    for (int i = 0; i < 3; i++) {
        pqt_error error = {0};
        ck_assert(!pqt_history_push(history, with_dot(next, 2),
                                    &(pqt_history_entry_info){.time = bad[i]}, &error));
        expect_failure(&error, PQT_ERROR_OPTION, 0, texts[i]);
    }
    expect_value(history, next);
    ck_assert(pqt_history_undo(history));
    push_at(history, with_dot(first, 2), "a branch may begin earlier than the other one", 4.5, 0);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(a_push_without_a_time_takes_that_of_the_current_entry)
{
    const pqt_tree *first = small_tree(2);
    const pqt_history_entry_info infos[] = {{.time = NAN},
                                            {.label = "zeroed except for the label"}};
    pqt_history *history = history_of(first, false);
    push_at(history, with_dot(first, 1), "Five", 5, 0);
    for (uint64_t i = 0; i < 2; i++) {
        ck_assert(pqt_history_push(history, with_dot(first, i + 2), &infos[i], NULL));
        ck_assert_double_eq(entry_at(history, i + 2).time, 5);
    }
    ck_assert(pqt_history_push(history, with_dot(first, 4), NULL, NULL));
    ck_assert_double_eq(entry_at(history, 4).time, 5);
    ck_assert_str_eq(entry_at(history, 4).label, "");
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(a_time_of_0_may_follow_negative_times)
{
    const pqt_tree *first = small_tree(2);
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.time = -5;
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), first, &options, NULL);
    ck_assert(pqt_history_push(history, with_dot(first, 1), NULL, NULL));
    ck_assert_double_eq(entry_at(history, 1).time, 0);
    ck_assert(pqt_history_push(history, with_dot(first, 2), &(pqt_history_entry_info){.time = NAN},
                               NULL));
    ck_assert_double_eq(entry_at(history, 2).time, 0);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(an_equal_value_adds_an_entry_on_request)
{
    const pqt_tree *first = small_tree(2);
    pqt_history *history = history_of(first, true);
    ck_assert(pqt_history_push(history, first, NULL, NULL));
    ck_assert_uint_eq(entries(history), 1);
    ck_assert(pqt_history_push(
        history, first, &(pqt_history_entry_info){.label = "Save", .keep_equal = true}, NULL));
    ck_assert_uint_eq(entries(history), 2);
    ck_assert_str_eq(entry_at(history, 1).label, "Save");
    ck_assert(pqt_history_undo(history));
    expect_value(history, first);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(a_stopped_visit_of_changes_returns_false_without_an_error)
{
    const pqt_tree *first = small_tree(2);
    pqt_error error = {0};
    int calls = 0;
    pqt_history *history = history_of(first, false);
    push_at(history, with_dot(with_dot(first, 1), 2), "Two dots", 1, 0);
    ck_assert(
        !pqt_history_visit_changes(history, NULL, 1, 0, 1, NULL, stop_change, &calls, &error));
    ck_assert_int_eq(error.status, PQT_OK);
    ck_assert_int_eq(calls, 1);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(invalid_options_of_a_history_are_refused)
{
    const pqt_tree *first = small_tree(2);
    pqt_error errors[4] = {{0}};
    pqt_map_options of_map = PQT_MAP_DEFAULTS;
    of_map.memory = arena;
    const pqt_map *map = pqt_map_make(&of_map, &errors[3]);
    pqt_history_options options[3] = {PQT_HISTORY_DEFAULTS, PQT_HISTORY_DEFAULTS,
                                      PQT_HISTORY_DEFAULTS};
    options[0].size = 3;
    options[1].time = NAN;
    options[2].indexed = true;
    for (int i = 0; i < 2; i++)
        ck_assert_ptr_null(
            pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), first, &options[i], &errors[i]));
    ck_assert_ptr_null(
        pqt_history_make(pqt_history_kind_of(PQT_KIND_MAP), map, &options[2], &errors[2]));
    pqt_history_kind kind = *pqt_history_kind_of(PQT_KIND_TREE);
    kind.size = 0;
    ck_assert_ptr_null(pqt_history_make(&kind, first, NULL, &errors[3]));
    expect_wrong_size(&errors[0], 3, sizeof *options, "PQT_HISTORY_DEFAULTS");
    expect_failure(&errors[1], PQT_ERROR_OPTION, 0, "time is nan, not finite");
    expect_failure(&errors[2], PQT_ERROR_OPTION, 0,
                   "indexed: only a history of trees, or of documents "
                   "with trees, can have an index");
    expect_wrong_size(&errors[3], 0, sizeof kind, "sizeof(pqt_history_kind)");
}
END_TEST

/* ---- Drags, groups, marks ---- */

START_TEST(a_drag_is_one_entry)
{
    const pqt_tree *first = inserted(small_tree(2), dot(0, 0, 1)), *tree = first;
    pqt_history *history = history_of(first, false);
    for (int x = 1; x <= 10; x++) {
        tree = moved(tree, dot(x - 1, 0, 1), point(x, 0));
        push_at(history, tree, x < 10 ? "Dragging" : "Drag", x, 77);
    }
    ck_assert_uint_eq(entries(history), 2);
    expect_value(history, tree);
    ck_assert_str_eq(pqt_history_undo_label(history), "Drag");
    ck_assert_double_eq(entry_at(history, 1).time, 10);
    ck_assert(pqt_history_undo(history));
    expect_value(history, first);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(other_edits_end_a_drag)
{
    pqt_history *history = history_of(small_tree(2), false);
    const char *const why[] = {"first",  "another key",  "no key",
                               "a seal", "a saved mark", "a name"};
    for (size_t i = 0; i < 6; i++) {
        push_at(history, with_dot(pqt_history_value(history), i), why[i], 0,
                i == 1   ? 8
                : i == 2 ? 0
                         : 7);
        if (i == 2) /* an entry with a key does not replace one without a key either */
            ck_assert_uint_eq(entries(history), 4);
        if (i == 3)
            pqt_history_mark_saved(history);
        if (i == 4)
            ck_assert(pqt_history_set_name(history, pqt_history_current(history), "here", NULL));
        if (i == 2)
            pqt_history_end_coalescing(history);
    }
    ck_assert_uint_eq(entries(history), 7);
    /* An entry that was undone and redone is not replaced. */
    push_at(history, with_dot(pqt_history_value(history), 50), "new", 0, 7);
    ck_assert_uint_eq(entries(history), 7);
    ck_assert(pqt_history_undo(history) && pqt_history_redo(history));
    push_at(history, with_dot(pqt_history_value(history), 51), "after redo", 0, 7);
    ck_assert_uint_eq(entries(history), 8);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(end_coalescing_ends_a_drag)
{
    pqt_history *history = history_of(small_tree(2), false);
    push_at(history, with_dot(pqt_history_value(history), 1), "One", 0, 7);
    pqt_history_end_coalescing(history);
    push_at(history, with_dot(pqt_history_value(history), 2), "Two", 0, 7);
    ck_assert_uint_eq(entries(history), 3);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(a_group_is_one_entry_with_the_outermost_label)
{
    const pqt_tree *first = small_tree(2);
    pqt_history *history = history_of(first, false);
    ck_assert(!pqt_history_end(history));
    pqt_history_begin(history, "Align");
    push(history, with_dot(first, 1), "inner");
    pqt_history_begin(history, "nested");
    push(history, with_dot(pqt_history_value(history), 2), "inner");
    ck_assert(pqt_history_end(history));
    push(history, with_dot(pqt_history_value(history), 3), "inner");
    ck_assert_ptr_null(pqt_history_undo_label(history));
    ck_assert(!pqt_history_undo(history) && !pqt_history_redo(history));
    pqt_error error = {0};
    ck_assert(!pqt_history_checkout(history, 0, &error));
    expect_failure(&error, PQT_ERROR_MISMATCH, 0,
                   "entry 0: checkout is not possible while a group is open");
    ck_assert(pqt_history_end(history));
    ck_assert(!pqt_history_end(history));
    ck_assert_uint_eq(entries(history), 2);
    ck_assert_str_eq(pqt_history_undo_label(history), "Align");
    ck_assert_uint_eq(pqt_tree_count(pqt_history_value(history)), 3);
    ck_assert(pqt_history_undo(history));
    expect_value(history, first);
    pqt_history_begin(history, "empty");
    ck_assert(pqt_history_end(history));
    ck_assert_uint_eq(entries(history), 2);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(a_cancelled_group_leaves_nothing)
{
    const pqt_tree *first = small_tree(2);
    pqt_history *history = history_of(first, true);
    push(history, with_dot(first, 1), "One");
    const pqt_tree *one = pqt_history_value(history);
    const pqt_history_stats before = pqt_history_get_stats(history);
    ck_assert(!pqt_history_cancel(history));
    pqt_history_begin(history, "Group");
    pqt_history_begin(history, "inner");
    push(history, with_dot(one, 2), "inner");
    push(history, with_dot(one, 3), "inner");
    ck_assert(pqt_history_cancel(history));
    expect_value(history, one);
    ck_assert_uint_eq(entries(history), 2);
    ck_assert_uint_eq(pqt_history_get_stats(history).bytes, before.bytes);
    ck_assert(!pqt_history_redo(history));
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(an_entry_saved_within_a_group_is_kept)
{
    const pqt_tree *first = small_tree(2);
    for (int cancelled = 0; cancelled < 2; cancelled++) {
        pqt_history *history = history_of(first, false);
        pqt_history_begin(history, "Group");
        push(history, with_dot(first, 1), NULL);
        const pqt_tree *saved = pqt_history_value(history);
        pqt_history_mark_saved(history);
        push(history, with_dot(saved, 2), NULL);
        push(history, with_dot(saved, 3), NULL);
        ck_assert(cancelled ? pqt_history_cancel(history) : pqt_history_end(history));
        ck_assert_uint_eq(entries(history), cancelled ? 2 : 3);
        ck_assert_ptr_eq(pqt_history_value_of(history, 1), saved);
        ck_assert(pqt_history_is_modified(history));
        pqt_history_destroy(&history);
    }
}
END_TEST

START_TEST(every_entry_but_the_saved_one_is_modified)
{
    pqt_history *history = history_of(small_tree(2), false);
    ck_assert(!pqt_history_is_modified(history));
    push(history, with_dot(pqt_history_value(history), 1), "One");
    ck_assert(pqt_history_is_modified(history));
    pqt_history_mark_saved(history);
    ck_assert(!pqt_history_is_modified(history));
    ck_assert(pqt_history_undo(history));
    ck_assert(pqt_history_is_modified(history));
    ck_assert(pqt_history_redo(history));
    ck_assert(!pqt_history_is_modified(history));
    pqt_history_destroy(&history);
}
END_TEST

/* ---- Labels and names ---- */

START_TEST(labels_are_cleaned_for_display)
{
    static const char *const cases[][2] = {
        {NULL, ""},
        {"", ""},
        {"Move", "Move"},
        {"\xc3\x84ndern \xe2\x82\xac \xf0\x9f\x90\x88",
         "\xc3\x84ndern \xe2\x82\xac \xf0\x9f\x90\x88"},
        {"two\nlines\ttab\x7f", "two lines tab "},
        {"C1 \xc2\x85 control", "C1   control"},
        {"\xff\xfe", "\xef\xbf\xbd\xef\xbf\xbd"},
        {"cut \xe2\x82", "cut \xef\xbf\xbd\xef\xbf\xbd"},
        {"\xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80",
         "\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd "
         "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    };
    pqt_history *history = history_of(small_tree(2), false);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        push(history, with_dot(pqt_history_value(history), i), cases[i][0]);
        ck_assert_str_eq(pqt_history_undo_label(history), cases[i][1]);
        pqt_history_begin(history, cases[i][0]);
        push(history, with_dot(pqt_history_value(history), i + 100), "not this");
        ck_assert(pqt_history_end(history));
        ck_assert_str_eq(pqt_history_undo_label(history), cases[i][1]);
    }
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(huge_labels_are_cut_between_characters)
{
    enum { HUGE_SIZE = 1 << 20 };
    char *label = malloc(HUGE_SIZE + 1);
    pqt_history *history = history_of(small_tree(2), false);
    ck_assert_ptr_nonnull(label);
    memset(label, 'a', HUGE_SIZE);
    label[HUGE_SIZE] = '\0';
    push(history, with_dot(pqt_history_value(history), 1), label);
    ck_assert_uint_eq(strlen(pqt_history_undo_label(history)), PQT_MAX_LABEL);
    for (size_t i = 0; i + 1 < HUGE_SIZE; i += 2)
        memcpy(label + i, "\xc3\xa4", 2);
    push(history, with_dot(pqt_history_value(history), 2), label);
    ck_assert_uint_eq(strlen(pqt_history_undo_label(history)), PQT_MAX_LABEL - 1);
    ck_assert_int_eq(memcmp(pqt_history_undo_label(history), label, PQT_MAX_LABEL - 1), 0);
    free(label);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(names_find_entries)
{
    pqt_error error = {0};
    uint64_t found = 99;
    pqt_history *history = forked(small_tree(2));
    ck_assert(!pqt_history_find(history, "draft", &found));
    ck_assert(pqt_history_set_name(history, 3, "draft", &error));
    ck_assert(pqt_history_set_name(history, 3, "draft", &error));
    ck_assert(pqt_history_find(history, "draft", &found) && found == 3);
    ck_assert(pqt_history_find(history, "draft", NULL));
    ck_assert_str_eq(entry_at(history, 3).name, "draft");
    ck_assert(!pqt_history_set_name(history, 2, "draft", &error));
    expect_failure(&error, PQT_ERROR_CONFLICT, 0, "name: entry 3 already has the name draft");
    ck_assert(pqt_history_set_name(history, 3, NULL, NULL));
    ck_assert(!pqt_history_find(history, "draft", &found));
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(names_are_exact_or_refused)
{
    char longest[PQT_MAX_LABEL + 2];
    memset(longest, 'n', sizeof longest);
    longest[PQT_MAX_LABEL + 1] = '\0';
    const char *const bad[] = {"", longest, "\xff", "two\nlines"};
    pqt_history *history = history_of(small_tree(2), false);
    for (int i = 0; i < 4; i++) {
        pqt_error error = {0};
        ck_assert(!pqt_history_set_name(history, 0, bad[i], &error));
        expect_failure(
            &error, PQT_ERROR_OPTION, 0,
            "name: it is empty, longer than 255 bytes, not UTF-8, or has control characters");
    }
    longest[PQT_MAX_LABEL] = '\0';
    ck_assert(pqt_history_set_name(history, 0, longest, NULL));
    ck_assert(pqt_history_find(history, longest, NULL));
    pqt_history_destroy(&history);
}
END_TEST

/* Returns the number of bytes allocated since the watch began. The array of entries has
 * capacity. */
static void
expect_entry_bytes(const pqt_history *history, size_t before, const hooks *watch, size_t bytes)
{
    hooks_stop();
    ck_assert_uint_eq(pqt_history_get_stats(history).entry_bytes - before, bytes);
    ck_assert_uint_eq(hooks_kept_bytes(watch) + watch->bytes[PQTI_BLOCK_PIN], bytes);
}

START_TEST(labels_and_names_are_counted_as_they_are_allocated)
{
    static const char *const labels[] = {"Move", "Move", NULL, "Move", "Sixteen bytes it"};
    static const size_t bytes[] = {16, 0, 0, 16, 32};
    pqt_history *history = history_of(small_tree(2), false);
    pqt_error error = {0};
    hooks watch = {0};
    size_t before = pqt_history_get_stats(history).entry_bytes;
    for (uint64_t i = 0; i < 5; i++) {
        const pqt_tree *next = with_dot(pqt_history_value(history), i);
        before = pqt_history_get_stats(history).entry_bytes;
        hooks_start(&watch);
        push(history, next, labels[i]);
        expect_entry_bytes(history, before, &watch, bytes[i]);
    }
    before = pqt_history_get_stats(history).entry_bytes;
    hooks_start(&watch);
    ck_assert(pqt_history_set_name(history, 2, "A name of 22 bytes ...", &error));
    expect_entry_bytes(history, before, &watch, 32);
    ck_assert(pqt_history_set_name(history, 2, NULL, &error));
    ck_assert_uint_eq(pqt_history_get_stats(history).entry_bytes, before);
    pqt_history_destroy(&history);
}
END_TEST

/* ---- Unknown entries ---- */

START_TEST(unknown_entries_are_reported)
{
    const char *text = "entry 9: the history has no entry with this number";
    pqt_error errors[8] = {{0}};
    pqt_history_bytes bytes;
    pqt_history_entry entry;
    pqt_history_answer answer;
    const pqt_query query = query_of_all();
    uint64_t number;
    int calls = 0;
    pqt_history *history = long_history(small_tree(2), 3, true);
    ck_assert(!pqt_history_checkout(history, 9, &errors[0]));
    ck_assert(!pqt_history_set_name(history, 9, "a", &errors[1]));
    ck_assert(!pqt_history_drop(history, 9, &errors[2]));
    ck_assert(!pqt_history_drop_branch(history, 9, &errors[3]));
    ck_assert(!pqt_history_get_bytes(history, 9, &bytes, &errors[4]));
    ck_assert(!pqt_history_last_change(history, NULL, 9, &query, &answer, &errors[5]));
    ck_assert(!pqt_history_last_item_change(history, NULL, 9, 1, &answer, &errors[6]));
    ck_assert(!pqt_history_visit_changes(history, NULL, 9, 0, 1, NULL, never, NULL, &errors[7]));
    for (int i = 0; i < 8; i++)
        expect_failure(&errors[i], PQT_ERROR_MISMATCH, 0, text);
    ck_assert(!pqt_history_get_entry(history, 9, &entry));
    ck_assert_ptr_null(pqt_history_value_of(history, 9));
    ck_assert(!pqt_history_visit_path(history, 0, 9, stop, &calls));
    ck_assert(!pqt_history_visit_path(history, 9, 0, stop, &calls));
    ck_assert(!pqt_history_common_ancestor(history, 0, 9, &number));
    ck_assert(!pqt_history_entry_at(history, 9, 0, &number));
    ck_assert_int_eq(calls, 0);
    ck_assert_uint_eq(pqt_history_current(history), 3);
    pqt_history_destroy(&history);
}
END_TEST

/* The label is copied and cleaned as that of a push. */
START_TEST(the_first_entry_has_the_label_of_the_options)
{
    pqt_error error = {0};
    pqt_history_entry entry;
    char label[] = "Begin\nhere";
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.label = label;
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), small_tree(2), &options, &error);
    ck_assert_msg(history != NULL, "%s", error.text);
    memset(label, 'x', strlen(label));
    ck_assert(pqt_history_get_entry(history, 0, &entry));
    ck_assert_str_eq(entry.label, "Begin here");
    pqt_history_destroy(&history);
}
END_TEST

/* ---- Memory and misuse ---- */

START_TEST(a_history_that_cannot_be_made_leaves_no_pins)
{
    const pqt_tree *first = small_tree(2);
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.indexed = true;
    options.label = "first";
    for (size_t n = 1;; n++) {
        hooks watch = {.fail_at = n};
        pqt_error error = {0};
        hooks_start(&watch);
        pqt_history *history =
            pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), first, &options, &error);
        hooks_stop();
        ck_assert((history != NULL) == (watch.failures == 0));
        ck_assert(history != NULL || error.status == PQT_ERROR_MEMORY);
        ck_assert_uint_eq(pqt_memory_get_stats(arena).pins, history != NULL);
        if (history == NULL)
            continue;
        pqt_history_destroy(&history);
        ck_assert_uint_eq(pqt_memory_get_stats(arena).pins, 0);
        break;
    }
}
END_TEST

START_TEST(misuse_stops_the_program)
{
    pqt_error error = {0};
    pqt_history *history = history_of(small_tree(2), true);
    pqt_history_answer answer;
    switch (_i) {
    case 0:
        (void)pqt_history_push(NULL, small_tree(2), &(pqt_history_entry_info){0}, NULL);
        break;
    case 1:
        (void)pqt_history_push(history, NULL, &(pqt_history_entry_info){0}, &error);
        break;
    case 2:
        history = pqt_history_make(NULL, small_tree(2), NULL, NULL);
        break;
    case 3:
        (void)pqt_history_undo(NULL);
        break;
    case 4:
        (void)pqt_history_visit(history, NULL, NULL);
        break;
    case 5:
        (void)pqt_history_find(history, NULL, NULL);
        break;
    case 6:
        (void)pqt_history_last_change(history, NULL, 0, NULL, &answer, NULL);
        break;
    case 7:
        (void)pqt_history_get_entry(history, 0, NULL);
        break;
    case 8:
        history = pqt_history_make(&(pqt_history_kind){.size = sizeof(pqt_history_kind)},
                                   small_tree(2), NULL, NULL);
        break;
    default:
        pqt_arena_destroy(&arena); /* the history still has a pin in it */
        break;
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("history");
    TCase *tests = add_tests(suite, "editing");
    tcase_add_test(tests, the_example_of_the_header_works);
    tcase_add_test(tests, undo_at_the_first_entry_and_redo_at_the_tip_do_nothing);
    tcase_add_test(tests, redo_follows_the_branch_last_used);
    tcase_add_test(tests, an_entry_reports_its_parent_and_children);
    tcase_add_test(tests, entries_branches_and_paths_are_visited);
    tcase_add_test(tests, undo_redo_and_checkout_allocate_nothing);
    tcase_add_test(tests, an_equal_value_adds_nothing);
    tcase_add_test(tests, a_failed_version_is_passed_on);
    tcase_add_test(tests, a_value_in_another_memory_is_refused);
    tcase_add_test(tests, bounds_may_change_without_an_index_and_not_with_one);
    tcase_add_test(tests, times_are_finite_and_do_not_go_back);
    tcase_add_test(tests, a_push_without_a_time_takes_that_of_the_current_entry);
    tcase_add_test(tests, a_time_of_0_may_follow_negative_times);
    tcase_add_test(tests, an_equal_value_adds_an_entry_on_request);
    tcase_add_test(tests, a_stopped_visit_of_changes_returns_false_without_an_error);
    tcase_add_test(tests, invalid_options_of_a_history_are_refused);
    tcase_add_test(tests, a_drag_is_one_entry);
    tcase_add_test(tests, other_edits_end_a_drag);
    tcase_add_test(tests, end_coalescing_ends_a_drag);
    tcase_add_test(tests, a_group_is_one_entry_with_the_outermost_label);
    tcase_add_test(tests, a_cancelled_group_leaves_nothing);
    tcase_add_test(tests, an_entry_saved_within_a_group_is_kept);
    tcase_add_test(tests, every_entry_but_the_saved_one_is_modified);
    tcase_add_test(tests, labels_are_cleaned_for_display);
    tcase_add_test(tests, huge_labels_are_cut_between_characters);
    tcase_add_test(tests, names_find_entries);
    tcase_add_test(tests, names_are_exact_or_refused);
    tcase_add_test(tests, labels_and_names_are_counted_as_they_are_allocated);
    tcase_add_test(tests, unknown_entries_are_reported);
    tcase_add_test(tests, the_first_entry_has_the_label_of_the_options);
    tcase_add_test(tests, a_history_that_cannot_be_made_leaves_no_pins);
    tcase_add_misuse_tests(tests, misuse_stops_the_program, 10);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
