/* SPDX-License-Identifier: MIT */
/*
 * test_store_faults.c: tests stores whose files other programs change, remove or hold, and stores
 * whose rows are well-formed but contradict each other.
 */
#include "config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <pqt/store_recording.h>

#include "error_support.h"
#include "faulty_vfs.h"
#include "numbered_store.h"
#include "store/store_internal.h"
#include "suite.h"

/* While this is true, the library gets another number for a file by its name than by its
   descriptor, as on some file systems. */
static bool numbers_differ;

/* Replaces the function of the system. */
int
stat(const char *restrict path, struct stat *restrict file)
{
    const int result = fstatat(AT_FDCWD, path, file, 0);
    if (result == 0)
        file->st_ino += numbers_differ;
    return result;
}

static pqt_history *
open_history(pqt_store *store)
{
    pqt_error error = {0};
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    require(history != NULL, error.text);
    return history;
}

static void
expect_error(pqt_error *error, pqt_status status, const char *text)
{
    require(error->status == status && strcmp(error->text, text) == 0, error->text);
    require(names_its_index(error), "the index is that of the text");
    *error = (pqt_error){0};
}

static void
expect_numbered(const pqt_history *history, uint64_t entry)
{
    const pqt_tree *tree = pqt_history_value_of(history, entry);
    require(tree != NULL && pqt_tree_equals(tree, numbered_version(entry)),
            "a version is the one that was pushed");
}

/* ---- The lock ---- */

START_TEST(a_lock_whose_file_seems_to_change_is_refused)
{
    pqt_error error = {0};
    const store_folder folder = numbered_store(2);
    numbers_differ = true;
    pqt_store *store = pqt_store_open(folder.path, NULL, &error);
    numbers_differ = false;
    require(store == NULL, "the store is not opened");
    expect_error(&error, PQT_ERROR_STREAM,
                 "the store cannot be locked: its file -writer is a different one at each attempt");
    store = open_store(&folder, PQT_STORE_WRITE);
    close_store(&store);
    remove_all(&folder);
}
END_TEST

/* Another program removes the lock, and a second process writes the store. The first one would
   otherwise write its next entry over that of the second one. */
START_TEST(a_writer_whose_lock_was_removed_writes_no_more)
{
    pqt_error error = {0};
    const store_folder folder = numbered_store(8);
    pqt_store *first = open_store(&folder, PQT_STORE_WRITE);
    pqt_history *history = open_history(first);
    unlink(with_suffix(&folder, "-writer"));
    pqt_store *second = open_store(&folder, PQT_STORE_WRITE);
    pqt_history *later = open_history(second);
    require(push_numbered(later, 9, &error), error.text);
    static const char lost[] =
        "the lock of the store was removed, so another process may have changed it";
    require(!push_numbered(history, 19, &error), "no push");
    expect_error(&error, PQT_ERROR_CONFLICT, lost);
    require(!pqt_history_thin(history, 0, &error), "no thinning");
    expect_error(&error, PQT_ERROR_CONFLICT, lost);
    require(!pqt_history_set_name(history, 3, "three", &error), "no name");
    expect_error(&error, PQT_ERROR_CONFLICT, lost);
    require(!pqt_store_compact(first, &error), "no compaction");
    expect_error(&error, PQT_ERROR_CONFLICT, lost);
    require(pqt_history_undo(history) && !pqt_store_get_error(first, &error), "no undo position");
    expect_error(&error, PQT_ERROR_CONFLICT, lost);
    require(pqt_history_undo(history), "an undo position that nobody asks about");
    pqt_history_destroy(&history);
    require(!pqt_store_close(&first, &error), "the undo position is lost");
    expect_error(&error, PQT_ERROR_CONFLICT, lost);
    require(pqt_store_open(folder.path, NULL, &error) == NULL, "the second lock is still there");
    require(error.status == PQT_ERROR_CONFLICT, error.text);
    pqt_history_destroy(&later);
    close_store(&second);
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    history = open_history(store);
    require(pqt_history_current(history) == 9, "the pushed entry is current");
    for (uint64_t n = 0; n <= 9; n++)
        expect_numbered(history, n);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_all(&folder);
}
END_TEST

START_TEST(a_history_is_not_saved_in_a_store_whose_lock_was_removed)
{
    pqt_error error = {0};
    const store_folder folder = make_store_folder();
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), numbered_version(0), NULL, &error);
    unlink(with_suffix(&folder, "-writer"));
    require(!pqt_history_save(history, store, &error), "it is not saved");
    require(error.status == PQT_ERROR_CONFLICT, error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_all(&folder);
}
END_TEST

/* Later pushes would go to files that no other process sees, and would be lost when these are
   closed. The log is also removed by a reader if the writer has opened and closed the file in
   another way: this ends the locks that tell the reader that it is not the last. */
START_TEST(a_writer_whose_files_were_replaced_writes_no_more)
{
    static const char *const
        suffixes[] = {"", "-wal"},
        *const errors[] = {"the file of the store was removed or replaced while it was open",
                           "the log of the store (-wal) was removed or replaced while it was open"};
    const char *suffix = suffixes[_i / 2];
    pqt_error error = {0};
    char name[200];
    const store_folder folder = numbered_store(8);
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    pqt_history *history = open_history(store);
    require(push_numbered(history, 9, &error), error.text);
    snprintf(name, sizeof name, "%s", with_suffix(&folder, suffix));
    if (_i % 2 == 0) {
        require(unlink(name) == 0, "a file is removed");
    } else {
        const file_bytes file = read_all(name);
        write_all(with_suffix(&folder, "-journal"), file.at, file.count);
        require(rename(with_suffix(&folder, "-journal"), name) == 0, "a file is replaced");
        free(file.at);
    }
    require(!push_numbered(history, 10, &error), "no push");
    expect_error(&error, PQT_ERROR_CONFLICT, errors[_i / 2]);
    require(!pqt_store_compact(store, &error), "no compaction");
    expect_error(&error, PQT_ERROR_CONFLICT, errors[_i / 2]);
    require(pqt_history_current(history) == 9, "the history has not changed");
    pqt_history_destroy(&history);
    close_store(&store);
    remove_all(&folder);
}
END_TEST

/* ---- Readers ---- */

/* Compaction returns false while a reader keeps the file at its size, and the reader loads what it
   saw. */
START_TEST(a_reader_prevents_the_file_from_shrinking)
{
    pqt_error error = {0};
    pqt_store_stats before, after;
    const store_folder folder = numbered_store(400);
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    sqlite3_busy_timeout(store->database.connection, 0);
    pqt_history *history = open_history(store);
    pqt_store *reader = open_store(&folder, PQT_STORE_READ);
    pqt_history *seen = open_history(reader);
    require(pqt_store_get_stats(store, &before, &error), error.text);
    require(pqt_history_thin(history, 2, &error), error.text);
    require(!pqt_store_compact(store, &error), "the file does not shrink");
    expect_error(&error, PQT_ERROR_STREAM,
                 "the file keeps its size until no other program reads the store");
    for (uint64_t n = 0; n <= 400; n += 7)
        expect_numbered(seen, n);
    pqt_history_destroy(&seen);
    close_store(&reader);
    require(pqt_store_compact(store, &error), error.text);
    require(pqt_store_get_stats(store, &after, &error), error.text);
    require(after.file_bytes < before.file_bytes / 2, "the file shrinks");
    require(pqt_store_check(store, &error), error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_all(&folder);
}
END_TEST

/* Copies a store as a process leaves it that dies after the push of entry 9, which is in the log
   only. */
static void
copy_with_log(const store_folder *folder, const store_folder *copy)
{
    static const char *const suffixes[] = {"", "-wal"};
    pqt_error error = {0};
    pqt_store *store = open_store(folder, PQT_STORE_WRITE);
    pqt_history *history = open_history(store);
    require(push_numbered(history, 9, &error), error.text);
    for (int i = 0; i < 2; i++) {
        const file_bytes file = read_all(with_suffix(folder, suffixes[i]));
        write_all(with_suffix(copy, suffixes[i]), file.at, file.count);
        free(file.at);
        require(chmod(with_suffix(copy, suffixes[i]), 0444) == 0, "it is read-only");
    }
    pqt_history_destroy(&history);
    close_store(&store);
}

/* Exits with 0 if a user who may not write the folder either sees entry 9 or gets an error that
   names the log. */
_Noreturn static void
read_as_another_user(const store_folder *folder)
{
    pqt_error error = {0};
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = PQT_STORE_READ;
    if (geteuid() == 0 && setuid(65534) != 0)
        _exit(1);
    pqt_store *store = pqt_store_open(folder->path, &options, &error);
    pqt_history *history = store == NULL ? NULL : pqt_history_open(store, NULL, arena, &error);
    if (history != NULL)
        _exit(pqt_history_current(history) == 9 ? 0 : 2);
    _exit(error.status == PQT_ERROR_STREAM && strstr(error.text, "-wal") != NULL ? 0 : 3);
}

START_TEST(a_store_in_a_read_only_folder_is_not_read_without_its_log)
{
    int status = 0;
    const store_folder folder = numbered_store(8), copy = make_store_folder();
    copy_with_log(&folder, &copy);
    require(chmod(copy.name, 0555) == 0, "the folder is read-only");
    const pid_t child = fork();
    if (child == 0)
        read_as_another_user(&copy);
    require(waitpid(child, &status, 0) == child, "the child ends");
    require(chmod(copy.name, 0755) == 0, "the folder can be removed");
    remove_all(&copy);
    remove_all(&folder);
    require(WIFEXITED(status), "the child exits");
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

/* Opens the store as a user who may not write the folder, and loads its versions after the parent
   has closed the pipe. Exits with 0 if each version is the right one, or is reported as missing. */
_Noreturn static void
load_late(const store_folder *folder, int opened, int changed)
{
    char none;
    pqt_error error = {0};
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = PQT_STORE_READ;
    options.max_loaded = 0;
    if (geteuid() == 0 && setuid(65534) != 0)
        _exit(1);
    pqt_store *store = pqt_store_open(folder->path, &options, &error);
    require(store != NULL, error.text);
    pqt_history *history = open_history(store);
    require(pqti_execute(&store->database, "PRAGMA cache_size = 1", &error), error.text);
    require(write(opened, "o", 1) == 1 && read(changed, &none, 1) == 0, "the store has changed");
    for (uint64_t n = 0; n <= 60; n++) {
        const pqt_tree *tree = pqt_history_value_of(history, n);
        require(tree == NULL || pqt_tree_equals(tree, numbered_version(n)), "no wrong version");
        require(tree != NULL || !pqt_store_get_error(store, NULL), "a failure is reported");
    }
    _exit(0);
}

/* A reader in a read-only folder cannot take part in the locks of the store, so a later writer may
   change the file under it. */
START_TEST(a_store_that_changes_under_a_reader_yields_no_wrong_version)
{
    int opened[2], changed[2], status = 0;
    char byte;
    pqt_error error = {0};
    const store_folder folder = numbered_store(60);
    require(pipe(opened) == 0 && pipe(changed) == 0, "pipes are made");
    require(chmod(folder.path, 0444) == 0 && chmod(folder.name, 0555) == 0, "it is read-only");
    const pid_t child = fork();
    if (child == 0) {
        close(changed[1]);
        load_late(&folder, opened[1], changed[0]);
    }
    close(opened[1]);
    const bool is_open = read(opened[0], &byte, 1) == 1;
    require(chmod(folder.name, 0755) == 0 && chmod(folder.path, 0644) == 0, "it is writable");
    require(is_open, "the child has opened the store");
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    pqt_history *history = open_history(store);
    require(pqt_history_thin(history, (size_t)_i * 4, &error), error.text);
    for (uint64_t n = 61; n < 90; n++)
        require(push_numbered(history, 2 * n, &error), error.text);
    require(_i % 2 == 0 || pqt_store_compact(store, &error), error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    close(changed[1]);
    require(waitpid(child, &status, 0) == child && WIFEXITED(status), "the child exits");
    ck_assert_int_eq(WEXITSTATUS(status), 0);
    close(opened[0]);
    close(changed[0]);
    remove_all(&folder);
}
END_TEST

/* ---- Rows that contradict each other ---- */

/* Changes a closed store with SQL. */
static void
execute(const store_folder *folder, const char *sql)
{
    sqlite3 *database = NULL;
    require(sqlite3_open(folder->path, &database) == SQLITE_OK, "the file is a database");
    require(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK, sqlite3_errmsg(database));
    sqlite3_close(database);
}

/* A writer would write one of these rows, and the next reader would read another one. */
START_TEST(a_store_with_two_rows_of_its_history_is_refused)
{
    static const char *const changes[] = {"INSERT INTO history SELECT 0, kind, current, saved, "
                                          "next, entries, names, checksum FROM history",
                                          "INSERT INTO history SELECT 2, kind, current, saved, "
                                          "next, entries, names, checksum FROM history",
                                          "UPDATE history SET id = 2"};
    for (int i = 0; i < 3; i++) {
        pqt_error error = {0};
        const store_folder folder = numbered_store(8);
        execute(&folder, changes[i]);
        require(pqt_store_open(folder.path, NULL, &error) == NULL, "the store is not opened");
        expect_error(&error, PQT_ERROR_FORMAT,
                     "the row of the history is damaged, or is not the only one");
        remove_all(&folder);
    }
}
END_TEST

/* ---- Rows that are missing ---- */

/* Opens a store and its history. Returns true if that succeeds. */
static bool
is_opened(const char *path, pqt_store_access access, pqt_error *error)
{
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = access;
    *error = (pqt_error){0};
    pqt_store *store = pqt_store_open(path, &options, error);
    pqt_history *history = store == NULL ? NULL : pqt_history_open(store, NULL, arena, error);
    const bool done = history != NULL;
    pqt_history_destroy(&history);
    close_store(&store);
    return done;
}

/* Makes a store of 9 entries, of which 6 is current and 4 has a name. */
static store_folder
undone_store(void)
{
    const store_folder folder = numbered_store(8);
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    pqt_history *history = open_history(store);
    require(pqt_history_undo(history) && pqt_history_undo(history), "two entries are undone");
    pqt_history_destroy(&history);
    close_store(&store);
    return folder;
}

/* None of the remaining rows shows that another one is missing: the row of the history counts
   them. */
START_TEST(a_deleted_row_is_noticed_when_the_store_is_opened)
{
    static const char *const deletions[][2] = {
        {"DELETE FROM entry WHERE number = 8", "the store has 8 entries, but 9 were saved"},
        {"DELETE FROM entry WHERE number >= 7", "the store has 7 entries, but 9 were saved"},
        {"DELETE FROM name", "the store has 0 names, but 1 were saved"},
        {"DELETE FROM history", "the row of the history is missing"},
        {"INSERT INTO entry SELECT 9, parent, label, time, key, added, redo, encoding, "
         "fingerprint, checksum, changes FROM entry WHERE number = 8",
         "entry 9: its row is damaged"},
        {"UPDATE history SET entries = 8", "the row of the history is damaged, or is not the only "
                                           "one"},
    };
    pqt_error error;
    const store_folder folder = undone_store();
    execute(&folder, deletions[_i][0]);
    for (int access = PQT_STORE_CREATE; access <= PQT_STORE_READ; access++) {
        require(!is_opened(folder.path, (pqt_store_access)access, &error), "it is not opened");
        expect_error(&error, PQT_ERROR_FORMAT, deletions[_i][1]);
    }
    remove_all(&folder);
}
END_TEST

START_TEST(a_check_counts_the_rows_of_an_open_store)
{
    pqt_error error = {0};
    const store_folder folder = undone_store();
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    pqt_history *history = open_history(store);
    require(pqt_store_check(store, &error), error.text);
    require(pqti_execute(&store->database, "DELETE FROM name", &error), error.text);
    require(!pqt_store_check(store, &error), "a name is missing");
    expect_error(&error, PQT_ERROR_FORMAT, "the store has 0 names, but 1 were saved");
    require(pqt_history_set_name(history, 4, "half", &error), error.text);
    require(pqt_store_check(store, &error), error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_all(&folder);
}
END_TEST

/* Each leaf of a table says how many rows it has, in bytes 3 and 4. One less hides the last row. */
START_TEST(a_page_that_hides_a_row_is_noticed)
{
    enum { PAGE = 4096, LEAF_OF_A_TABLE = 13, LEAF_OF_AN_INDEX = 10 };
    size_t hidden = 0;
    pqt_error error;
    const store_folder folder = undone_store();
    const file_bytes file = read_all(folder.path);
    for (size_t at = PAGE; at < file.count; at += PAGE) {
        uint8_t *page = file.at + at;
        if ((page[0] != LEAF_OF_A_TABLE && page[0] != LEAF_OF_AN_INDEX) || page[4] == 0)
            continue;
        page[4]--;
        write_all(folder.path, file.at, file.count);
        page[4]++;
        /* A keyframe that is missing hides no entry, unless it is that of entry 0. */
        require(!is_opened(folder.path, PQT_STORE_READ, &error) || page[0] == LEAF_OF_AN_INDEX,
                "a hidden row is noticed");
        require(page[0] == LEAF_OF_AN_INDEX || error.status == PQT_ERROR_FORMAT, error.text);
        hidden += page[0] == LEAF_OF_A_TABLE;
    }
    require(hidden == 3, "the rows of entries, of the name and of the history were hidden");
    free(file.at);
    remove_all(&folder);
}
END_TEST

/* Makes one page after the other invalid, and compacts the store if it can be opened. */
START_TEST(a_damaged_store_is_not_compacted)
{
    enum { PAGE = 4096 };
    size_t damaged = 0;
    pqt_error error = {0};
    const store_folder folder = numbered_store(8);
    const file_bytes file = read_all(folder.path);
    for (size_t at = PAGE; at < file.count; at += PAGE) {
        file.at[at] ^= 0x80;
        write_all(folder.path, file.at, file.count);
        pqt_store *store = pqt_store_open(folder.path, NULL, &error);
        if (store != NULL) {
            require(!pqt_store_compact(store, &error), "a damaged page is noticed");
            require(error.status == PQT_ERROR_FORMAT, error.text);
            (void)pqt_store_close(&store, NULL);
            const file_bytes now = read_all(folder.path);
            require(now.count == file.count && memcmp(now.at, file.at, now.count) == 0,
                    "the file is as it was");
            free(now.at);
            damaged++;
        }
        file.at[at] ^= 0x80;
        error = (pqt_error){0};
    }
    require(damaged > 0, "some pages are read only by a compaction");
    free(file.at);
    remove_all(&folder);
}
END_TEST

/* ---- Files of earlier versions ---- */

/* A reader leaves the file as it is. A writer gives it counts, which are checked from then on. */
START_TEST(a_store_without_counts_is_read_and_gets_them)
{
    pqt_error error = {0};
    const store_folder folder = make_store_folder();
    copy_sample(&folder, "version-1-numbered.pqts");
    const file_bytes file = read_all(folder.path);
    pqt_store *store = open_store(&folder, PQT_STORE_READ);
    pqt_history *history = open_history(store);
    require(pqt_store_check(store, &error), error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    const file_bytes same = read_all(folder.path);
    require(same.count == file.count && memcmp(same.at, file.at, file.count) == 0,
            "a reader changes nothing");
    store = open_store(&folder, PQT_STORE_WRITE);
    history = open_history(store);
    require(pqt_history_get_stats(history).entries == 9 && pqt_history_current(history) == 8 &&
                pqt_tree_count(pqt_history_value(history)) == 8,
            "each entry is there");
    require(
        pqt_history_push(history, pqt_tree_clear(pqt_history_value(history), &error), NULL, &error),
        error.text);
    require(pqt_store_check(store, &error), error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    uint64_t entry = 0;
    store = open_store(&folder, PQT_STORE_READ);
    history = open_history(store);
    require(pqt_history_current(history) == 9 && pqt_history_find(history, "half", &entry) &&
                entry == 4 && pqt_history_find(history, "whole", &entry) && entry == 8,
            "entries and names are there");
    pqt_history_destroy(&history);
    close_store(&store);
    execute(&folder, "DELETE FROM name WHERE entry = 4");
    require(!is_opened(folder.path, PQT_STORE_READ, &error), "a name is missing");
    expect_error(&error, PQT_ERROR_FORMAT, "the store has 1 names, but 2 were saved");
    free(file.at);
    free(same.at);
    remove_all(&folder);
}
END_TEST

#if PQT_WITH_WORLDS

START_TEST(a_recording_without_a_count_is_read_and_gets_it)
{
    pqt_error error = {0};
    const store_folder folder = make_store_folder();
    copy_sample(&folder, "version-1-recording.pqts");
    for (int access = PQT_STORE_READ; access >= PQT_STORE_WRITE; access--) {
        pqt_store *store = open_store(&folder, (pqt_store_access)access);
        pqt_recording *recording = pqt_recording_open(store, arena, &error);
        require(recording != NULL && pqt_recording_last(recording) == 10, error.text);
        require(pqt_recording_verify(recording, NULL, &error) && pqt_store_check(store, &error),
                error.text);
        if (access == PQT_STORE_WRITE)
            require(pqt_recording_step(recording, NULL, &error) != NULL, error.text);
        pqt_recording_destroy(&recording);
        close_store(&store);
    }
    execute(&folder, "DELETE FROM step WHERE number = 11");
    pqt_store *store = open_store(&folder, PQT_STORE_READ);
    require(pqt_recording_open(store, arena, &error) == NULL, "a step is missing");
    expect_error(&error, PQT_ERROR_FORMAT, "the store has 11 steps, but 12 were saved");
    close_store(&store);
    remove_all(&folder);
}
END_TEST

#endif

/* To count the bytes of an entry, its parent and its children are loaded. */
START_TEST(bytes_of_an_entry_with_a_damaged_neighbour_are_not_counted)
{
    pqt_error error = {0};
    pqt_history_bytes bytes = {0};
    const store_folder folder = numbered_store(8);
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    pqt_history *history = open_history(store);
    require(pqti_execute(&store->database,
                         "UPDATE entry SET changes = zeroblob(40) WHERE number > 5", &error),
            error.text);
    require(pqt_history_get_bytes(history, 4, &bytes, &error), error.text);
    const uint64_t damaged_child = 5, damaged_parent = 8;
    require(!pqt_history_get_bytes(history, damaged_child, &bytes, &error), "a child is lost");
    ck_assert_int_eq(error.status, PQT_ERROR_FORMAT);
    ck_assert_uint_eq(error.index, 6);
    error = (pqt_error){0};
    require(!pqt_history_get_bytes(history, damaged_parent, &bytes, &error), "the parent is lost");
    ck_assert_int_eq(error.status, PQT_ERROR_FORMAT);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_all(&folder);
}
END_TEST

/* The columns of a database hold signed numbers, so a higher one would be sorted before all
   others, and the store could not be opened. */
START_TEST(the_numbers_of_entries_stay_below_the_limit_of_a_column)
{
    pqt_error error = {0};
    const store_folder folder = numbered_store(8);
    const uint64_t last = INT64_MAX - 1;
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    pqti_store_state state = {.current = 8, .next = UINT64_MAX, .entries = 9, .names = 1};
    require(pqti_write_state(store, &state, &error), error.text);
    require(pqt_history_open(store, NULL, arena, &error) == NULL, "it is not opened");
    expect_error(&error, PQT_ERROR_FORMAT, "the number of the next entry is 18446744073709551615");
    state.next = last;
    require(pqti_write_state(store, &state, &error), error.text);
    pqt_history *history = open_history(store);
    require(push_numbered(history, 9, &error), error.text);
    require(!push_numbered(history, 10, &error), "there is no other number");
    expect_error(&error, PQT_ERROR_LIMIT,
                 "no entry can have a higher number than 9223372036854775806");
    pqt_history_destroy(&history);
    close_store(&store);
    store = open_store(&folder, PQT_STORE_WRITE);
    history = open_history(store);
    require(pqt_history_current(history) == last, "the push is there");
    require(pqt_tree_equals(pqt_history_value(history), numbered_version(9)), "with its version");
    require(pqt_store_check(store, &error), error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_all(&folder);
}
END_TEST

/* ---- A failed attempt ---- */

/* The rows of a cancelled group are deleted with the next change. Otherwise the entries would be
   back when the store is opened again, and could lack their parent. */
START_TEST(a_group_that_was_cancelled_while_the_disk_failed_does_not_come_back)
{
    pqt_error error = {0};
    const store_folder folder = numbered_store(8);
    faulty_vfs_install();
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    pqt_history *history = open_history(store);
    pqt_history_begin(history, "group");
    require(push_numbered(history, 9, &error), error.text);
    vfs = (vfs_faults){.failing = 1, .stays = true};
    require(pqt_history_cancel(history) && pqt_history_current(history) == 8, "it is cancelled");
    vfs = (vfs_faults){0};
    require(!pqt_store_get_error(store, &error) && error.status == PQT_ERROR_STREAM, error.text);
    error = (pqt_error){0};
    require(push_numbered(history, 10, &error), error.text);
    require(pqt_history_drop(history, 7, &error), error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    store = open_store(&folder, PQT_STORE_WRITE);
    history = open_history(store);
    pqt_history_entry entry;
    require(pqt_history_current(history) == 10 && !pqt_history_get_entry(history, 9, &entry),
            "the cancelled entry is not there");
    expect_numbered(history, 10);
    require(pqt_store_check(store, &error), error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_all(&folder);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("store faults");
    TCase *tests = add_tests(suite, "store faults");
    tcase_add_test(tests, a_lock_whose_file_seems_to_change_is_refused);
    tcase_add_test(tests, a_writer_whose_lock_was_removed_writes_no_more);
    tcase_add_loop_test(tests, a_writer_whose_files_were_replaced_writes_no_more, 0, 4);
    tcase_add_test(tests, a_history_is_not_saved_in_a_store_whose_lock_was_removed);
    tcase_add_test(tests, a_reader_prevents_the_file_from_shrinking);
    tcase_add_test(tests, a_store_in_a_read_only_folder_is_not_read_without_its_log);
    tcase_add_loop_test(tests, a_store_that_changes_under_a_reader_yields_no_wrong_version, 0, 4);
    tcase_add_test(tests, a_store_with_two_rows_of_its_history_is_refused);
    tcase_add_loop_test(tests, a_deleted_row_is_noticed_when_the_store_is_opened, 0, 6);
    tcase_add_test(tests, a_check_counts_the_rows_of_an_open_store);
    tcase_add_test(tests, a_page_that_hides_a_row_is_noticed);
    tcase_add_test(tests, a_damaged_store_is_not_compacted);
    tcase_add_test(tests, a_store_without_counts_is_read_and_gets_them);
#if PQT_WITH_WORLDS
    tcase_add_test(tests, a_recording_without_a_count_is_read_and_gets_it);
#endif
    tcase_add_test(tests, bytes_of_an_entry_with_a_damaged_neighbour_are_not_counted);
    tcase_add_test(tests, the_numbers_of_entries_stay_below_the_limit_of_a_column);
    tcase_add_test(tests, a_group_that_was_cancelled_while_the_disk_failed_does_not_come_back);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
