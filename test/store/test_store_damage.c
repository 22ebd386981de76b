/* SPDX-License-Identifier: MIT */
/*
 * test_store_damage.c: tests stores that are damaged, whose writer is killed, whose disk fails, or
 * whose machine loses power.
 */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <pqt/history_bytes.h>

#include "faulty_vfs.h"
#include "numbered_store.h"
#include "store/store_internal.h"
#include "stored_kinds.h"
#include "suite.h"
#include "tree_support.h"

/* ---- Damage ---- */

/* Opens a store that may be damaged. Each version that can be loaded must equal the one that was
 * pushed. If the store is opened, it must have at least `least` entries. Returns the number of
 * these versions. */
static size_t
expect_no_wrong_version(const store_folder *folder, uint64_t last, size_t least)
{
    size_t given = 0;
    pqt_error error = {0};
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = PQT_STORE_READ;
    pqt_store *store = pqt_store_open(folder->path, &options, &error);
    pqt_history *history = store == NULL || pqt_store_kind(store) == PQT_KIND_NONE
                               ? NULL
                               : pqt_history_open(store, NULL, arena, &error);
    require(store == NULL || history != NULL || error.status != PQT_OK ||
                pqt_store_kind(store) == PQT_KIND_NONE,
            "a failure has an error");
    require(history == NULL || pqt_history_get_stats(history).entries >= least,
            "no entry is hidden");
    require(store == NULL || history != NULL || error.status != PQT_OK || least == 0,
            "a store does not seem to be empty");
    uint64_t named = last;
    require(history == NULL || least == 0 ||
                (pqt_history_find(history, "half", &named) && named == last / 2),
            "no name is hidden");
    require(strlen(error.text) == strcspn(error.text, "\n"), "an error is one line");
    for (uint64_t n = 0; history != NULL && n <= last; n++) {
        pqt_history_entry entry;
        if (!pqt_history_get_entry(history, n, &entry))
            continue;
        require(strcmp(entry.label, n == 0       ? ""
                                    : n % 2 == 0 ? "even"
                                                 : "odd") == 0,
                "a label is what it was");
        const pqt_tree *tree = pqt_history_value_of(history, n);
        require(tree == NULL || pqt_tree_equals(tree, numbered_version(n)),
                "a version is what was pushed");
        given += tree != NULL;
    }
    if (history != NULL)
        (void)pqt_store_check(store, &error);
    pqt_history_destroy(&history);
    error = (pqt_error){0};
    (void)pqt_store_close(&store, &error);
    return given;
}

/* Most bytes of a page are unused and 0. Of these, only some are changed. */
START_TEST(a_changed_byte_never_yields_a_wrong_version)
{
    const uint64_t last = 8;
    size_t opened = 0, refused = 0;
    dice d = {test_seed("changed byte")};
    const store_folder folder = numbered_store(last);
    const file_bytes file = read_all(folder.path);
    require(expect_no_wrong_version(&folder, last, last + 1) == last + 1, "the store is whole");
    for (size_t at = 0; at < file.count; at++) {
        if ((file.at[at] == 0 && dice_below(&d, 64) != 0) ||
            dice_below(&d, 100) >= test_scaled(100))
            continue;
        const uint8_t before = file.at[at];
        file.at[at] ^= (uint8_t)(1u << dice_below(&d, 8));
        write_all(folder.path, file.at, file.count);
        file.at[at] = before;
        const size_t given = expect_no_wrong_version(&folder, last, last + 1);
        opened += given > 0;
        refused += given == 0;
    }
    require(opened > 0 && refused > 0, "some changes are harmless");
    fprintf(stderr, "# opened %zu, refused %zu\n", opened, refused);
    free(file.at);
    remove_all(&folder);
}
END_TEST

/* A store or its log is cut short, as if a copy had ended early. */
START_TEST(a_truncated_file_never_yields_a_wrong_version)
{
    const uint64_t last = 8;
    const store_folder folder = numbered_store(last);
    const file_bytes file = read_all(folder.path);
    for (size_t count = 0; count < file.count; count += 1 + count % 97) {
        write_all(folder.path, file.at, count);
        expect_no_wrong_version(&folder, last, 0);
    }
    free(file.at);
    remove_all(&folder);
}
END_TEST

/* The test copies the files of an open store, as a process would leave them if it died. */
START_TEST(a_truncated_log_holds_the_first_pushes)
{
    const uint64_t last = 20;
    pqt_error error = {0};
    const store_folder folder = make_store_folder(), copy = make_store_folder();
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    pqt_history *history = begin_numbered(store);
    for (uint64_t n = 1; n <= last; n++)
        require(push_numbered(history, n, &error), error.text);
    const file_bytes file = read_all(folder.path), log = read_all(with_suffix(&folder, "-wal"));
    size_t seen[2] = {0};
    for (size_t count = 0; count <= log.count; count += 1 + log.count / test_scaled(400)) {
        write_all(copy.path, file.at, file.count);
        write_all(with_suffix(&copy, "-wal"), log.at, count);
        const size_t given = expect_no_wrong_version(&copy, last, 0);
        require(given >= seen[1], "a longer log holds no fewer versions");
        seen[0] += given > 0 && given <= last;
        seen[1] = given;
    }
    write_all(copy.path, file.at, file.count);
    write_all(with_suffix(&copy, "-wal"), log.at, log.count);
    require(expect_no_wrong_version(&copy, last, 0) == last + 1,
            "the whole log holds all versions");
    require(seen[0] > 5, "parts of it hold some");
    free(file.at);
    free(log.at);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_all(&folder);
    remove_all(&copy);
}
END_TEST

/* Arbitrary bytes are applied as changes: those of another version, some with flipped bits, some
   truncated. The checksums of a store would refuse most of them. */
START_TEST(damaged_changes_are_refused_or_valid)
{
    const any_version first = first_of_kind((unsigned)_i, arena);
    dice d = {test_seed("damaged changes") + (unsigned)_i};
    const void *version = first.version;
    size_t applied = 0, refused = 0;
    for (size_t i = 0; i < test_scaled(400); i++) {
        pqti_byte_buffer change = {0};
        pqti_encoding encoding = PQTI_NO_CHANGE;
        pqt_error error = {0};
        const void *before = version;
        for (size_t edits = 1 + dice_below(&d, 4); edits > 0; edits--)
            version = edit_of_kind((any_version){first.kind, version}, &d);
        require(pqti_change_write(&change, first.kind, before, version, &encoding, &error),
                error.text);
        for (int round = 0; round < 30 && change.length > 0; round++) {
            pqti_byte_source source = {change.bytes, dice_below(&d, change.length + 1), 0, false};
            pqti_changes changes;
            const bool backwards = dice_chance(&d, 50);
            if (dice_chance(&d, 50))
                source.length = change.length;
            change.bytes[dice_below(&d, change.length)] ^= (uint8_t)(1u << dice_below(&d, 8));
            error = (pqt_error){0};
            pqti_changes_begin(&changes, first.kind, before, arena);
            const void *made = pqti_change_read(&changes, &source, backwards, &error)
                                   ? pqti_changes_apply(&changes, before, &error)
                                   : NULL;
            require((made == NULL) == (error.status != PQT_OK), "a failure has an error");
            require(made == NULL || pqt_version_check(made, &error), error.text);
            applied += made != NULL;
            refused += made == NULL;
            pqti_changes_free(&changes);
        }
        pqti_buffer_free(&change);
    }
    fprintf(stderr, "# %zu applied, %zu refused\n", applied, refused);
    require(refused > 0 || first.kind == PQT_KIND_WORLD, "some are refused");
}
END_TEST

/* ---- A killed process ---- */

static uint64_t
next_number(const pqt_history *history)
{
    return history->next_number;
}

/* Pushes until it is killed. Sends the number of each entry when its push has returned. */
_Noreturn static void
write_until_killed(const store_folder *folder, int acknowledged)
{
    pqt_error error = {0};
    pqt_store *store = open_store(folder, PQT_STORE_CREATE);
    pqt_history *history = pqt_store_kind(store) == PQT_KIND_NONE
                               ? begin_numbered(store)
                               : pqt_history_open(store, NULL, arena, &error);
    require(history != NULL, error.text);
    for (uint64_t n = next_number(history);; n++) {
        require(push_numbered(history, n, &error), error.text);
        require(write(acknowledged, &n, sizeof n) == (ssize_t)sizeof n, "a number is sent");
        if (n % 16 == 0)
            require(pqt_history_thin(history, 8, &error), error.text);
    }
}

/* Kills the child after it has sent some numbers. Returns the last number. */
static uint64_t
kill_after(pid_t child, int acknowledged, size_t count, uint64_t last)
{
    uint64_t number = 0;
    for (size_t i = 0; i < count; i++) {
        require(read(acknowledged, &number, sizeof number) == (ssize_t)sizeof number,
                "a number is received");
        last = number;
    }
    usleep((useconds_t)(count * 977 % 2000));
    kill(child, SIGKILL);
    require(waitpid(child, NULL, 0) == child, "the child ends");
    while (read(acknowledged, &number, sizeof number) == (ssize_t)sizeof number)
        last = number;
    return last;
}

START_TEST(a_writer_that_is_killed_loses_no_push)
{
    dice d = {test_seed("killed")};
    uint64_t last = 0;
    const store_folder folder = make_store_folder();
    for (size_t i = 0; i < test_scaled(50); i++) {
        int ends[2];
        pqt_error error = {0};
        require(pipe(ends) == 0, "a pipe is made");
        const pid_t child = fork();
        if (child == 0) {
            close(ends[0]);
            write_until_killed(&folder, ends[1]);
        }
        close(ends[1]);
        last = kill_after(child, ends[0], 1 + dice_below(&d, 24), last);
        close(ends[0]);
        pqt_store *store = open_store(&folder, PQT_STORE_READ);
        pqt_history *history = pqt_history_open(store, NULL, arena, &error);
        require(history != NULL, error.text);
        const uint64_t current = pqt_history_current(history);
        require(current == last || current == last + 1, "the last push is there");
        require(pqt_tree_equals(pqt_history_value(history), numbered_version(current)),
                "with its version");
        require(pqt_store_check(store, &error), error.text);
        pqt_history_destroy(&history);
        close_store(&store);
    }
    fprintf(stderr, "# %u pushes\n", (unsigned)last);
    remove_all(&folder);
}
END_TEST

/* ---- A failing disk ---- */

/* Calls each function that writes. Returns the highest number whose push returned true. */
static uint64_t
write_with_faults(const store_folder *folder, size_t *entries)
{
    uint64_t pushed = 0;
    pqt_error error = {0};
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.keyframe_ratio = 0.125;
    options.sync = PQT_STORE_FULL;
    pqt_store *store = pqt_store_open(folder->path, &options, &error);
    pqt_history *history = store == NULL ? NULL : pqt_history_open(store, NULL, arena, &error);
    for (uint64_t n = 9; history != NULL && n < 16; n++) {
        error = (pqt_error){0};
        if (push_numbered(history, next_number(history), &error))
            pushed = pqt_history_current(history);
        pqt_history_mark_saved(history);
        error = (pqt_error){0};
        if (n == 12)
            (void)pqt_history_thin(history, 4, &error);
    }
    *entries = history == NULL ? 0 : pqt_history_get_stats(history).entries;
    pqt_history_destroy(&history);
    error = (pqt_error){0};
    (void)pqt_store_close(&store, &error);
    return pushed;
}

/* Each write, sync and truncation fails in turn: alone or with all later ones, and completely or
 * half way. */
START_TEST(a_disk_that_fails_loses_nothing_that_was_acknowledged)
{
    const uint64_t last = 8;
    const store_folder folder = numbered_store(last);
    const file_bytes file = read_all(folder.path);
    faulty_vfs_install();
    bool done = false;
    size_t runs = 0;
    for (size_t at = 1; !done; at += 1 + at / 64, runs++) {
        size_t entries = 0;
        pqt_error error = {0};
        unlink(with_suffix(&folder, "-wal"));
        unlink(with_suffix(&folder, "-shm"));
        write_all(folder.path, file.at, file.count);
        vfs = (vfs_faults){.failing = at,
                           .stays = _i % 2 == 1,
                           .cut_short = _i / 2 % 2 == 1,
                           .full_disk = _i / 4 == 1};
        const uint64_t pushed = write_with_faults(&folder, &entries);
        done = vfs.calls < at;
        vfs = (vfs_faults){0};
        pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
        pqt_history *history = pqt_history_open(store, NULL, arena, &error);
        require(history != NULL, error.text);
        require(pqt_history_current(history) >= (pushed > 0 ? pushed : last),
                "each push that returned true is there");
        require(pqt_tree_equals(pqt_history_value(history),
                                numbered_version(pqt_history_current(history))),
                "with its version");
        require(pqt_store_check(store, &error), error.text);
        pqt_history_destroy(&history);
        close_store(&store);
    }
    fprintf(stderr, "# %zu runs\n", runs);
    require(runs > 40, "many calls failed");
    free(file.at);
    remove_all(&folder);
}
END_TEST

START_TEST(a_read_that_fails_is_reported)
{
    const uint64_t last = 8;
    const store_folder folder = numbered_store(last);
    size_t reported = 0;
    faulty_vfs_install();
    bool done = false;
    for (size_t at = 1; !done; at++) {
        pqt_error error = {0};
        pqt_store_stats stats;
        pqt_store_options options = PQT_STORE_DEFAULTS;
        options.access = PQT_STORE_READ;
        vfs = (vfs_faults){.failing = at, .stays = true, .reads_too = true};
        pqt_store *store = pqt_store_open(folder.path, &options, &error);
        pqt_history *history = store == NULL ? NULL : pqt_history_open(store, NULL, arena, &error);
        bool worked = history != NULL && pqt_store_get_stats(store, &stats, &error) &&
                      pqt_store_check(store, &error);
        done = vfs.calls < at;
        vfs = (vfs_faults){0};
        require(worked || error.status == PQT_ERROR_STREAM, error.text);
        reported += !worked;
        pqt_history_destroy(&history);
        error = (pqt_error){0};
        (void)pqt_store_close(&store, &error);
    }
    require(reported > 3, "reads failed");
    remove_all(&folder);
}
END_TEST

/* Makes SQLite forget the pages that it has read. */
static void
forget_pages(pqt_store *store)
{
    pqt_error error = {0};
    require(pqti_execute(&store->database, "PRAGMA cache_size = 1; PRAGMA shrink_memory", &error),
            error.text);
}

START_TEST(a_disk_that_fails_is_reported_by_each_function)
{
    pqt_error error = {0}, checking = {0}, counting = {0}, compacting = {0}, saving = {0};
    pqt_store_stats stats;
    const store_folder folder = numbered_store(40), other = make_store_folder();
    faulty_vfs_install();
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    pqt_store *empty = open_store(&other, PQT_STORE_CREATE);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    require(history != NULL, error.text);
    pqt_history *unsaved =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), numbered_version(0), NULL, &error);
    forget_pages(store);
    vfs = (vfs_faults){.failing = 1, .stays = true, .reads_too = true};
    require(!pqt_store_get_stats(store, &stats, &counting), "the entries are not counted");
    require(!pqt_store_check(store, &checking), "the store is not checked");
    require(!pqt_store_compact(store, &compacting), "the store is not compacted");
    require(!pqt_history_save(unsaved, empty, &saving), "the history is not saved");
    vfs = (vfs_faults){0};
    require(counting.status == PQT_ERROR_STREAM && checking.status == PQT_ERROR_STREAM &&
                compacting.status == PQT_ERROR_STREAM && saving.status == PQT_ERROR_STREAM,
            "the disk has failed");
    require(pqt_store_kind(empty) == PQT_KIND_NONE && pqt_history_save(unsaved, empty, &error) &&
                pqt_store_check(empty, &error) && pqt_store_compact(store, &error) &&
                pqt_store_check(store, &error),
            error.text);
    pqt_history_destroy(&unsaved);
    close_store(&empty);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_all(&folder);
    remove_all(&other);
}
END_TEST

/* If the position of an undo cannot be written, pqt_store_get_error reports this once, and the
   close reports it in any case. */
START_TEST(closing_reports_that_an_undo_position_was_lost)
{
    for (int reported = 0; reported < 2; reported++) {
        pqt_error error = {0}, closing = {0};
        const store_folder folder = numbered_store(8);
        faulty_vfs_install();
        pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
        pqt_history *history = pqt_history_open(store, NULL, arena, &error);
        require(history != NULL, error.text);
        vfs = (vfs_faults){.failing = 1, .stays = true};
        require(pqt_history_undo(history) && pqt_history_current(history) == 7,
                "the undo is made in memory");
        if (reported == 1)
            require(!pqt_store_get_error(store, &error) && error.status == PQT_ERROR_STREAM,
                    error.text);
        pqt_history_destroy(&history);
        require(!pqt_store_close(&store, &closing), "the close fails");
        vfs = (vfs_faults){0};
        require(closing.status == PQT_ERROR_STREAM && closing.text[0] != '\0', closing.text);
        remove_all(&folder);
    }
}
END_TEST

START_TEST(a_page_that_is_damaged_is_reported_by_each_function)
{
    pqt_error error = {0}, checking = {0}, counting = {0};
    pqt_store_stats stats;
    const store_folder folder = numbered_store(200);
    const file_bytes file = read_all(folder.path);
    pqt_store *store = open_store(&folder, PQT_STORE_READ);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    require(history != NULL, error.text);
    memset(file.at + 4096, 0xa5, file.count - 4096);
    write_all(folder.path, file.at, file.count);
    forget_pages(store);
    require(!pqt_store_get_stats(store, &stats, &counting) && counting.status == PQT_ERROR_FORMAT,
            counting.text);
    require(!pqt_store_check(store, &checking) && checking.status == PQT_ERROR_FORMAT,
            checking.text);
    require(!pqt_history_undo(history) && pqt_history_current(history) == 200,
            "an undo whose version is lost fails");
    require(!pqt_store_get_error(store, &error) && error.status == PQT_ERROR_FORMAT, error.text);
    error = (pqt_error){0};
    require(pqt_store_get_error(store, &error), "a failure is reported once");
    pqt_history_destroy(&history);
    (void)pqt_store_close(&store, &error);
    free(file.at);
    remove_all(&folder);
}
END_TEST

/* With PQT_STORE_FULL, the synced bytes contain each push that returned. With PQT_STORE_NORMAL,
   they contain the history at some earlier moment. */
START_TEST(a_power_failure_loses_no_push_of_a_store_that_syncs_fully)
{
    const bool full = _i == 1;
    pqt_error error = {0};
    const store_folder folder = make_store_folder(), after = make_store_folder();
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.sync = full ? PQT_STORE_FULL : PQT_STORE_NORMAL;
    faulty_vfs_install();
    vfs = (vfs_faults){.keep_synced = true};
    pqt_store *store = pqt_store_open(folder.path, &options, &error);
    require(store != NULL, error.text);
    pqt_history *history = begin_numbered(store);
    for (uint64_t n = 1; n < 40; n++) {
        require(push_numbered(history, n, &error), error.text);
        if (access(with_suffix(&folder, ".synced"), F_OK) != 0) {
            require(!full, "the file is there");
            continue;
        }
        const file_bytes file = read_all(with_suffix(&folder, ".synced"));
        write_all(after.path, file.at, file.count);
        free(file.at);
        if (access(with_suffix(&folder, "-wal.synced"), F_OK) == 0) {
            const file_bytes log = read_all(with_suffix(&folder, "-wal.synced"));
            write_all(with_suffix(&after, "-wal"), log.at, log.count);
            free(log.at);
        }
        vfs.keep_synced = false;
        const size_t given = expect_no_wrong_version(&after, n, 0);
        vfs.keep_synced = true;
        require(!full || given == n + 1, "all pushes are there");
        unlink(with_suffix(&after, "-wal"));
        unlink(with_suffix(&after, "-shm"));
    }
    pqt_history_destroy(&history);
    close_store(&store);
    remove_all(&folder);
    remove_all(&after);
}
END_TEST

static bool
count_written(const void *bytes, size_t count, void *context)
{
    *(size_t *)context += bytes == NULL ? 0 : count;
    return true;
}

/* Writes the history of a store as bytes while each read of its file fails in turn. */
START_TEST(a_read_that_fails_while_a_history_is_written_as_bytes_is_reported)
{
    const store_folder folder = numbered_store(8);
    size_t reported = 0;
    faulty_vfs_install();
    bool done = false;
    for (size_t at = 1; !done; at++) {
        pqt_error error = {0};
        size_t length = 0;
        pqt_store_options options = PQT_STORE_DEFAULTS;
        options.access = PQT_STORE_READ;
        options.max_loaded = 0;
        pqt_store *store = pqt_store_open(folder.path, &options, &error);
        pqt_history *history = pqt_history_open(store, NULL, arena, &error);
        require(history != NULL, error.text);
        forget_pages(store);
        vfs = (vfs_faults){.failing = at, .stays = true, .reads_too = true};
        const bool written = pqt_history_write(history, count_written, &length, &error);
        done = vfs.calls < at;
        vfs = (vfs_faults){0};
        require(written == done && (written || error.status == PQT_ERROR_STREAM), error.text);
        reported += !written;
        pqt_history_destroy(&history);
        (void)pqt_store_close(&store, NULL);
    }
    require(reported > 3, "reads failed");
    remove_all(&folder);
}
END_TEST

START_TEST(a_damaged_change_is_named_while_a_history_is_written_as_bytes)
{
    pqt_error error = {0};
    size_t length = 0;
    char path[200];
    const store_folder folder = numbered_store(8);
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    require(history != NULL, error.text);
    require(pqti_execute(&store->database, "UPDATE entry SET changes = x'0102' WHERE number = 3",
                         &error),
            error.text);
    ck_assert(!pqt_history_write(history, count_written, &length, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_FORMAT);
    ck_assert_str_eq(error.text, "entry 3: its change is damaged");
    error = (pqt_error){0};
    snprintf(path, sizeof path, "%s/h.pqt", folder.name);
    ck_assert(!pqt_history_save_file(history, path, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_FORMAT);
    ck_assert_int_ne(access(path, F_OK), 0);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_all(&folder);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("store damage");
    TCase *tests = add_tests(suite, "store damage");
    tcase_add_test(tests, a_changed_byte_never_yields_a_wrong_version);
    tcase_add_test(tests, a_read_that_fails_while_a_history_is_written_as_bytes_is_reported);
    tcase_add_test(tests, a_damaged_change_is_named_while_a_history_is_written_as_bytes);
    tcase_add_test(tests, a_truncated_file_never_yields_a_wrong_version);
    tcase_add_test(tests, a_truncated_log_holds_the_first_pushes);
    tcase_add_loop_test(tests, damaged_changes_are_refused_or_valid, 0, STORED_KINDS);
    tcase_add_test(tests, a_writer_that_is_killed_loses_no_push);
    tcase_add_loop_test(tests, a_disk_that_fails_loses_nothing_that_was_acknowledged, 0, 6);
    tcase_add_test(tests, a_read_that_fails_is_reported);
    tcase_add_test(tests, a_disk_that_fails_is_reported_by_each_function);
    tcase_add_test(tests, closing_reports_that_an_undo_position_was_lost);
    tcase_add_test(tests, a_page_that_is_damaged_is_reported_by_each_function);
    tcase_add_loop_test(tests, a_power_failure_loses_no_push_of_a_store_that_syncs_fully, 0, 2);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
