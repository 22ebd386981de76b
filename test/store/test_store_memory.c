/* SPDX-License-Identifier: MIT */
/*
 * test_store_memory.c: tests stores while memory fails, that of SQLite or that of the library.
 *
 * Each allocation of a call fails in turn. A call that fails reports it, and changes nothing; a
 * call that succeeds in spite of it has done all of its work. Then the memory is back: the store
 * can be used, and what its file holds is what the history holds.
 */
#include "config.h"

#include <stdarg.h>

#include <pqt/history_query.h>
#include <pqt/store_recording.h>

#include "bytes_support.h"
#include "hooks.h"
#include "numbered_store.h"
#include "sqlite_memory.h"
#include "store/store_internal.h"
#include "suite.h"

enum { LAST = 8, TEXT = 4096 };

/* ---- Failing memory ---- */

/* Which memory fails, and how. */
typedef enum failure { SQLITE_ONCE, SQLITE_FROM_THEN_ON, LIBRARY_ONCE, FAILURES } failure;

static hooks watch;

static void
begin_failing(failure how, size_t at)
{
    if (how == LIBRARY_ONCE) {
        watch = (hooks){.fail_at = at};
        hooks_start(&watch);
    } else {
        sqlite_memory = (sqlite_memory_faults){.failing = at, .stays = how == SQLITE_FROM_THEN_ON};
    }
}

/* Returns true if an allocation failed. */
static bool
end_failing(failure how)
{
    if (how == LIBRARY_ONCE) {
        hooks_stop();
        return watch.failures > 0;
    }
    const bool failed = sqlite_memory.calls >= sqlite_memory.failing;
    sqlite_memory = (sqlite_memory_faults){0};
    return failed;
}

/* ---- What a history holds ---- */

static void
add_text(char text[TEXT], const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    const int added = vsnprintf(text + length, TEXT - length, format, arguments);
    va_end(arguments);
    require(added >= 0 && length + (size_t)added < TEXT, "the text is long enough");
}

/* Describes all that a store keeps of a history. */
static void
describe(const pqt_history *history, char text[TEXT])
{
    text[0] = '\0';
    for (uint32_t slot = 0; slot < history->count; slot++) {
        const pqti_record *record = &history->records[slot];
        add_text(text, "%u after %u, redo %u, %s, %g, key %u, name %s; ", (unsigned)record->number,
                 (unsigned)history->records[record->parent].number,
                 record->redo == PQTI_NO_SLOT ? 0 : (unsigned)history->records[record->redo].number,
                 record->label, record->time, (unsigned)record->key,
                 record->name == NULL ? "none" : record->name);
    }
    add_text(text, "current %u, saved %u, next %u", (unsigned)pqt_history_current(history),
             (unsigned)history->records[history->saved].number, (unsigned)history->next_number);
}

/* Entry n has version n, or a version that was to be replaced. */
static void
expect_versions(pqt_store *store, const pqt_history *history, const pqt_tree *other)
{
    pqt_error error = {0};
    for (uint32_t slot = 0; slot < history->count; slot++) {
        const uint64_t n = history->records[slot].number;
        const pqt_tree *tree = pqt_history_value_of(history, n);
        if (tree == NULL)
            (void)pqt_store_get_error(store, &error);
        require(tree != NULL, error.text);
        require(pqt_tree_equals(tree, numbered_version(n)) ||
                    (other != NULL && pqt_tree_equals(tree, other)),
                "each entry has its version");
    }
    require(pqt_store_check(store, &error), error.text);
}

/* ---- The calls ---- */

/* A store that is used by a call. */
typedef struct stage {
    store_folder folder;
    pqt_store *store;
    pqt_history *history;
    const pqt_tree *next[3]; /* the versions of the next two entries, and another one */
} stage;

static bool
take_error(pqt_store *store, pqt_error *error)
{
    return pqt_store_get_error(store, error);
}

static bool
push_next(stage *s, size_t i, uint64_t key, pqt_error *error)
{
    const pqt_history_entry_info info = {.label = "next", .key = key};
    return pqt_history_push(s->history, s->next[i], &info, error);
}

static bool
call_push(stage *s, pqt_error *error)
{
    return push_next(s, 0, 0, error);
}

static bool
call_push_branch(stage *s, pqt_error *error)
{
    return pqt_history_checkout(s->history, 2, error) && take_error(s->store, error) &&
           push_next(s, 0, 0, error);
}

/* The second push replaces the entry of the first one. */
static bool
call_coalesce(stage *s, pqt_error *error)
{
    return push_next(s, 2, 5, error) && push_next(s, 0, 5, error);
}

static bool
call_name(stage *s, pqt_error *error)
{
    return pqt_history_set_name(s->history, 3, "three", error) &&
           pqt_history_set_name(s->history, 5, "five", error);
}

static bool
call_rename(stage *s, pqt_error *error)
{
    return pqt_history_set_name(s->history, 4, "whole", error);
}

static bool
call_remove_name(stage *s, pqt_error *error)
{
    return pqt_history_set_name(s->history, 4, NULL, error);
}

static bool
call_thin(stage *s, pqt_error *error)
{
    return pqt_history_thin(s->history, 2, error);
}

static bool
call_drop(stage *s, pqt_error *error)
{
    return pqt_history_drop(s->history, 6, error);
}

static bool
call_undo(stage *s, pqt_error *error)
{
    const bool done = pqt_history_undo(s->history);
    return take_error(s->store, error) && done;
}

static bool
call_redo_another(stage *s, pqt_error *error)
{
    if (!pqt_history_checkout(s->history, 0, error) || !take_error(s->store, error))
        return false;
    const bool done = pqt_history_redo(s->history);
    return take_error(s->store, error) && done;
}

static bool
call_mark_saved(stage *s, pqt_error *error)
{
    pqt_history_mark_saved(s->history);
    return take_error(s->store, error);
}

static bool
call_cancel(stage *s, pqt_error *error)
{
    pqt_history_begin(s->history, "group");
    const bool done = push_next(s, 0, 0, error) && push_next(s, 1, 0, error);
    (void)pqt_history_cancel(s->history);
    return take_error(s->store, error) && done;
}

static bool
call_compact(stage *s, pqt_error *error)
{
    return pqt_store_compact(s->store, error);
}

static bool
call_load(stage *s, pqt_error *error)
{
    for (uint64_t n = 0; n <= LAST; n++)
        if (pqt_history_value_of(s->history, n) == NULL)
            return take_error(s->store, error);
    return true;
}

static bool
call_check(stage *s, pqt_error *error)
{
    return pqt_store_check(s->store, error);
}

static bool
call_stats(stage *s, pqt_error *error)
{
    pqt_store_stats stats;
    return pqt_store_get_stats(s->store, &stats, error);
}

static bool
visit_nothing(const pqt_change *change, void *context)
{
    (void)change;
    (void)context;
    return true;
}

static bool
call_query(stage *s, pqt_error *error)
{
    pqt_history_answer answer;
    const pqt_query query = pqt_query_all();
    return pqt_history_last_item_change(s->history, NULL, LAST, 2, &answer, error) &&
           pqt_history_last_change(s->history, NULL, 3, &query, &answer, error) &&
           pqt_history_visit_changes(s->history, NULL, LAST, 0, 0, NULL, visit_nothing, NULL,
                                     error);
}

static const struct {
    const char *name;
    bool (*call)(stage *s, pqt_error *error);
} calls[] = {
    {"push", call_push},
    {"push a branch", call_push_branch},
    {"replace the current entry", call_coalesce},
    {"name", call_name},
    {"rename", call_rename},
    {"remove a name", call_remove_name},
    {"thin", call_thin},
    {"drop", call_drop},
    {"undo", call_undo},
    {"redo", call_redo_another},
    {"mark as saved", call_mark_saved},
    {"cancel", call_cancel},
    {"compact", call_compact},
    {"load", call_load},
    {"check", call_check},
    {"stats", call_stats},
    {"query", call_query},
};

enum { CALLS = sizeof calls / sizeof *calls };

/* ---- Calls of an open store ---- */

/* Makes a store whose entries 0 to LAST are a path from which a branch begins. Entry LAST + 1 is
   that branch. Entry 4 is named. */
static store_folder
branched_store(void)
{
    pqt_error error = {0};
    const store_folder folder = numbered_store(LAST);
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    require(history != NULL && pqt_history_checkout(history, 5, &error), error.text);
    require(push_numbered(history, LAST + 1, &error), error.text);
    require(pqt_history_checkout(history, LAST, &error), error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    return folder;
}

static void
open_stage(stage *s)
{
    pqt_error error = {0};
    pqt_store_options options = PQT_STORE_DEFAULTS;
    pqt_history_options kept = PQT_HISTORY_DEFAULTS;
    options.access = PQT_STORE_WRITE;
    options.keyframe_ratio = 0.125;
    options.max_loaded = 0;
    kept.indexed = true;
    s->store = pqt_store_open(s->folder.path, &options, &error);
    require(s->store != NULL, error.text);
    s->history = pqt_history_open(s->store, &kept, arena, &error);
    require(s->history != NULL, error.text);
    s->next[0] = numbered_version(s->history->next_number);
    s->next[1] = numbered_version(s->history->next_number + 1);
    s->next[2] = numbered_version(100);
}

static void
close_stage(stage *s)
{
    pqt_history_destroy(&s->history);
    close_store(&s->store);
}

static void
expect_reported(const char *call, size_t at, bool done, bool failed, const pqt_error *error)
{
    if (done == (error->status == PQT_OK) &&
        (done || (failed && error->status == PQT_ERROR_MEMORY)))
        return;
    ck_abort_msg("%s, allocation %zu, %s: %s, %s", call, at, failed ? "failing" : "not failing",
                 done ? "done" : "not done", error->status == PQT_OK ? "no error" : error->text);
}

/* Returns true if an allocation of the call failed. */
static bool
fail_in_call(stage *s, int call, failure how, size_t at)
{
    char before[TEXT], now[TEXT], read[TEXT];
    pqt_error error = {0};
    open_stage(s);
    describe(s->history, before);
    begin_failing(how, at);
    const bool done = calls[call].call(s, &error);
    const bool failed = end_failing(how);
    expect_reported(calls[call].name, at, done, failed, &error);
    describe(s->history, now);
    expect_versions(s->store, s->history, s->next[2]);
    error = (pqt_error){0};
    /* The next change also writes the rows that could not be written. */
    require(pqt_history_set_name(s->history, 0, "first", &error), error.text);
    describe(s->history, now);
    close_stage(s);
    open_stage(s);
    describe(s->history, read);
    ck_assert_msg(strcmp(now, read) == 0, "%s, allocation %zu:\n%s\n%s", calls[call].name, at, now,
                  read);
    expect_versions(s->store, s->history, s->next[2]);
    close_stage(s);
    return failed;
}

START_TEST(a_call_without_memory_is_reported_and_leaves_file_and_history_equal)
{
    const int call = _i / FAILURES;
    const failure how = (failure)(_i % FAILURES);
    size_t at = 0, runs = 0;
    bool failed = true;
    sqlite_memory_install();
    stage s = {.folder = branched_store()};
    const file_bytes file = read_all(s.folder.path);
    while (failed) {
        at += 1 + at / test_scaled(8);
        write_all(s.folder.path, file.at, file.count);
        failed = fail_in_call(&s, call, how, at);
        runs++;
    }
    fprintf(stderr, "# %s: %zu allocations, %zu runs\n", calls[call].name, at, runs);
    free(file.at);
    remove_all(&s.folder);
}
END_TEST

/* ---- Opening and saving ---- */

/* Makes a history in memory: a path with a branch and a name, of which entry 3 is current. */
static pqt_history *
unsaved_history(void)
{
    pqt_error error = {0};
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), numbered_version(0), NULL, &error);
    require(history != NULL, error.text);
    for (uint64_t n = 1; n <= 5; n++)
        require(push_numbered(history, n, &error) && (n != 3 || pqt_history_undo(history)),
                error.text);
    require(pqt_history_set_name(history, 2, "two", &error) &&
                pqt_history_checkout(history, 3, &error),
            error.text);
    return history;
}

/* Expects the history in the file to be the one in memory, and to load each version. */
static void
expect_in_file(const store_folder *folder, const char expected[TEXT])
{
    char read[TEXT];
    pqt_error error = {0};
    pqt_store *store = open_store(folder, PQT_STORE_WRITE);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    require(history != NULL, error.text);
    describe(history, read);
    ck_assert_str_eq(read, expected);
    expect_versions(store, history, NULL);
    pqt_history_destroy(&history);
    close_store(&store);
}

/* Opens a store and its history, reads it all, and closes it. */
static bool
open_and_read(const store_folder *folder, const pqt_store_options *options, char text[TEXT],
              pqt_error *error)
{
    pqt_history_options kept = PQT_HISTORY_DEFAULTS;
    kept.indexed = true;
    pqt_store *store = pqt_store_open(folder->path, options, error);
    pqt_history *history = store == NULL ? NULL : pqt_history_open(store, &kept, arena, error);
    const bool done = history != NULL;
    if (done)
        describe(history, text);
    pqt_history_destroy(&history);
    (void)pqt_store_close(&store, NULL);
    return done;
}

/* No entry and no name is missing in a history that was opened although an allocation failed. */
START_TEST(opening_without_memory_is_reported_and_hides_nothing)
{
    static const char *const samples[] = {NULL, NULL, "version-1-numbered.pqts"};
    const int access = _i / FAILURES == 0 ? PQT_STORE_READ : PQT_STORE_WRITE;
    const failure how = (failure)(_i % FAILURES);
    char expected[TEXT], text[TEXT];
    pqt_error error = {0};
    pqt_store_options options = PQT_STORE_DEFAULTS;
    size_t at = 0;
    bool failed = true;
    sqlite_memory_install();
    options.access = (pqt_store_access)access;
    const store_folder folder = branched_store();
    if (samples[_i / FAILURES] != NULL)
        copy_sample(&folder, samples[_i / FAILURES]);
    const file_bytes file = read_all(folder.path);
    require(open_and_read(&folder, &options, expected, &error), error.text);
    while (failed) {
        at += 1 + at / test_scaled(8);
        error = (pqt_error){0};
        write_all(folder.path, file.at, file.count);
        begin_failing(how, at);
        const bool done = open_and_read(&folder, &options, text, &error);
        failed = end_failing(how);
        expect_reported("open", at, done, failed, &error);
        ck_assert_str_eq(done ? text : expected, expected);
        error = (pqt_error){0};
        require(open_and_read(&folder, &options, text, &error), error.text);
        ck_assert_str_eq(text, expected);
    }
    free(file.at);
    remove_all(&folder);
}
END_TEST

/* Makes a page inconsistent: byte 7 of a leaf counts its free bytes. All rows are still read. */
static void
damage_page(const store_folder *folder)
{
    enum { PAGE = 4096, LEAF_OF_A_TABLE = 13 };
    const file_bytes file = read_all(folder->path);
    size_t at = PAGE;
    while (at < file.count && file.at[at] != LEAF_OF_A_TABLE)
        at += PAGE;
    require(at < file.count, "a page is a leaf of a table");
    file.at[at + 7] ^= 16;
    write_all(folder->path, file.at, file.count);
    free(file.at);
}

/* SQLite makes a text for each page that is damaged. */
START_TEST(a_check_of_a_damaged_page_without_memory_fails)
{
    const failure how = (failure)_i;
    size_t at = 0, without_memory = 0;
    sqlite_memory_install();
    const store_folder folder = branched_store();
    damage_page(&folder);
    for (bool failed = true; failed;) {
        pqt_error error = {0};
        pqt_store *store = open_store(&folder, PQT_STORE_READ);
        pqt_history *history = pqt_history_open(store, NULL, arena, &error);
        require(history != NULL, error.text);
        begin_failing(how, ++at);
        require(!pqt_store_check(store, &error), "the damage is noticed");
        failed = end_failing(how);
        require(error.status == PQT_ERROR_FORMAT || failed, error.text);
        require(error.status == PQT_ERROR_FORMAT || error.status == PQT_ERROR_MEMORY, error.text);
        without_memory += error.status == PQT_ERROR_MEMORY;
        pqt_history_destroy(&history);
        close_store(&store);
    }
    ck_assert(how == LIBRARY_ONCE || without_memory > 10);
    remove_all(&folder);
}
END_TEST

/* Without memory, a store is not recognised, as if it could not be read. */
START_TEST(a_store_is_recognised_or_not_without_memory)
{
    const failure how = (failure)_i;
    size_t at = 0, unknown = 0;
    sqlite_memory_install();
    const store_folder folder = branched_store();
    for (bool failed = true; failed;) {
        begin_failing(how, ++at);
        const bool is_store = pqt_is_store_file(folder.path);
        failed = end_failing(how);
        ck_assert(is_store || failed);
        unknown += !is_store;
    }
    ck_assert_uint_gt(unknown, 0);
    ck_assert(pqt_is_store_file(folder.path));
    remove_all(&folder);
}
END_TEST

/* A new file is removed if the store cannot be opened. A history that cannot be saved stays in
   memory, and the store stays empty, so both can be tried again. */
START_TEST(saving_without_memory_is_reported_and_can_be_tried_again)
{
    const failure how = (failure)_i;
    size_t at = 0, opened = 0;
    bool failed = true;
    sqlite_memory_install();
    const store_folder folder = make_store_folder();
    while (failed) {
        char expected[TEXT], now[TEXT];
        pqt_error error = {0};
        pqt_history *history = unsaved_history();
        describe(history, expected);
        at += 1 + at / test_scaled(8);
        begin_failing(how, at);
        pqt_store *store = pqt_store_open(folder.path, NULL, &error);
        const bool done =
            store != NULL && pqt_history_save(history, store, &error) && take_error(store, &error);
        failed = end_failing(how);
        expect_reported("save", at, done, failed, &error);
        require(store != NULL || access(folder.path, F_OK) != 0, "a new file is removed");
        opened += store != NULL;
        describe(history, now);
        ck_assert_str_eq(now, expected);
        error = (pqt_error){0};
        if (store == NULL)
            store = open_store(&folder, PQT_STORE_CREATE);
        require(pqt_store_kind(store) != PQT_KIND_NONE || pqt_history_save(history, store, &error),
                error.text);
        /* This writes the undo position if that has failed. */
        require(pqt_history_undo(history) && pqt_history_redo(history), "the history goes on");
        pqt_history_destroy(&history);
        close_store(&store);
        expect_in_file(&folder, expected);
        unlink(folder.path);
    }
    require(opened > 0, "the store was opened, but the history could not be saved");
    remove_all(&folder);
}
END_TEST

/* ---- Recordings ---- */

enum { EVERY = 3, STEPS = 7 };

static const pqt_world *
small_recorded_world(void)
{
    pqt_error error = {0};
    const pqt_world *world = small_world_of(0, arena, &error);
    require(world != NULL, error.text);
    return world;
}

static bool
go_on(pqt_recording *recording, size_t last, pqt_error *error)
{
    while (pqt_recording_last(recording) < last)
        if (pqt_recording_step(recording, NULL, error) == NULL)
            return false;
    return true;
}

/* Returns a recording in memory that has been stepped past its second key. */
static pqt_recording *
unsaved_recording(void)
{
    pqt_error error = {0};
    pqt_recording *recording =
        pqt_recording_make(small_recorded_world(), 0.125, NULL, EVERY, &error);
    require(recording != NULL && go_on(recording, STEPS, &error), error.text);
    return recording;
}

/* Saves a recording, steps it past a key, closes it, opens it and steps it again. */
static bool
record(const store_folder *folder, pqt_recording **recording, pqt_store **store, pqt_error *error)
{
    *store = pqt_store_open(folder->path, NULL, error);
    if (*store == NULL || !pqt_recording_save(*recording, *store, error) ||
        !go_on(*recording, STEPS + EVERY, error) || !pqt_store_check(*store, error))
        return false;
    pqt_recording_destroy(recording);
    *recording = pqt_recording_open(*store, arena, error);
    return *recording != NULL && go_on(*recording, STEPS + 2 * EVERY, error) &&
           pqt_recording_verify(*recording, NULL, error);
}

START_TEST(a_recording_without_memory_is_reported_and_can_go_on)
{
    const failure how = (failure)_i;
    size_t at = 0;
    bool failed = true;
    sqlite_memory_install();
    const store_folder folder = make_store_folder();
    while (failed) {
        pqt_error error = {0};
        pqt_store *store = NULL;
        pqt_recording *recording = unsaved_recording();
        at += 1 + at / test_scaled(4);
        begin_failing(how, at);
        const bool done = record(&folder, &recording, &store, &error);
        failed = end_failing(how);
        expect_reported("record", at, done, failed, &error);
        error = (pqt_error){0};
        if (store == NULL)
            store = open_store(&folder, PQT_STORE_CREATE);
        if (!pqt_store_has_recording(store))
            require(pqt_recording_save(recording, store, &error), error.text);
        if (recording == NULL)
            recording = pqt_recording_open(store, arena, &error);
        require(recording != NULL && go_on(recording, STEPS + 2 * EVERY, &error), error.text);
        pqt_recording_destroy(&recording);
        close_store(&store);
        store = open_store(&folder, PQT_STORE_READ);
        recording = pqt_recording_open(store, arena, &error);
        require(recording != NULL && pqt_recording_last(recording) == STEPS + 2 * EVERY,
                error.text);
        require(pqt_recording_verify(recording, NULL, &error) && pqt_store_check(store, &error),
                error.text);
        pqt_recording_destroy(&recording);
        close_store(&store);
        unlink(folder.path);
    }
    remove_all(&folder);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("store memory");
    TCase *tests = add_tests(suite, "store memory");
    tcase_add_loop_test(tests, a_call_without_memory_is_reported_and_leaves_file_and_history_equal,
                        0, CALLS * FAILURES);
    tcase_add_loop_test(tests, opening_without_memory_is_reported_and_hides_nothing, 0,
                        3 * FAILURES);
    tcase_add_loop_test(tests, a_check_of_a_damaged_page_without_memory_fails, 0, FAILURES);
    tcase_add_loop_test(tests, a_store_is_recognised_or_not_without_memory, 0, FAILURES);
    tcase_add_loop_test(tests, saving_without_memory_is_reported_and_can_be_tried_again, 0,
                        FAILURES);
    if (PQT_WITH_WORLDS)
        tcase_add_loop_test(tests, a_recording_without_memory_is_reported_and_can_go_on, 0,
                            FAILURES);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
