/* SPDX-License-Identifier: MIT */
/*
 * test_store_crash.c: makes random changes of a history in a store while its disk fails.
 *
 * If the disk fails for some calls only, the file must then equal the history. If it fails from one
 * call on, as when the process dies, the file must hold everything that was reported as saved.
 */
#include "config.h"

#include "faulty_vfs.h"
#include "numbered_store.h"
#include "store/store_internal.h"
#include "suite.h"

enum { MAX_NUMBER = 1000, CHANGES = 60, MAX_PUSHES = 3 };

/* An entry, as a history or a file has it. */
typedef struct seen_entry {
    bool is_there;
    uint64_t parent, redo; /* redo: 0 if there is no child */
    char name[16];
    uint16_t seed; /* the number of its version */
} seen_entry;

/* All that a store keeps of a history. */
typedef struct snapshot {
    seen_entry entries[MAX_NUMBER];
    uint64_t current, saved, next;
} snapshot;

/* A history in a store, the versions that it was given, and the call that is being made. */
typedef struct driver {
    pqt_store *store;
    pqt_history *history;
    dice *d;
    uint16_t seeds[MAX_NUMBER];
    uint16_t pushing[MAX_PUSHES]; /* the seeds of the pushes of the last call, also of those that
                                     failed */
    size_t pushes;
    bool drops; /* the last call drops entries */
    bool syncs; /* the store syncs fully */
    size_t dropped;
    size_t max_entries; /* the limit of the history, or 0 */
} driver;

static void
take_snapshot(const pqt_history *history, const uint16_t *seeds, snapshot *s)
{
    memset(s, 0, sizeof *s);
    for (uint32_t slot = 0; slot < history->count; slot++) {
        const pqti_record *record = &history->records[slot];
        seen_entry *entry = &s->entries[record->number];
        entry->is_there = true;
        entry->parent = history->records[record->parent].number;
        entry->redo = record->redo == PQTI_NO_SLOT ? 0 : history->records[record->redo].number;
        snprintf(entry->name, sizeof entry->name, "%s", record->name == NULL ? "" : record->name);
        entry->seed = seeds[record->number];
    }
    s->current = pqt_history_current(history);
    s->saved = history->records[history->saved].number;
    s->next = history->next_number;
}

static uint64_t
random_entry(driver *r)
{
    return r->history->records[dice_below(r->d, r->history->count)].number;
}

static void
push(driver *r, uint64_t key)
{
    pqt_error error = {0};
    const uint16_t seed = (uint16_t)dice_below(r->d, 500);
    r->pushing[r->pushes++] = seed;
    const uint64_t before = pqt_history_current(r->history);
    if (!pqt_history_push(
            r->history, numbered_version(seed),
            &(pqt_history_entry_info){.label = "push", .key = key, .keep_equal = true}, &error)) {
        require(error.status == PQT_ERROR_STREAM, error.text);
        require(pqt_history_current(r->history) == before, "a push that fails changes nothing");
        return;
    }
    r->seeds[pqt_history_current(r->history)] = seed;
}

static void
push_group(driver *r)
{
    pqt_history_begin(r->history, "group");
    for (size_t n = dice_below(r->d, MAX_PUSHES); n > 0; n--)
        push(r, 0);
    if (dice_chance(r->d, 50))
        pqt_history_cancel(r->history);
    else
        pqt_history_end(r->history);
}

static void
drop_some(driver *r)
{
    pqt_error error = {0};
    const uint64_t entry = random_entry(r);
    const size_t before = r->history->count;
    bool done;
    switch (dice_below(r->d, 4)) {
    case 0:
        done = pqt_history_thin(r->history, dice_below(r->d, 8), &error);
        break;
    case 1:
        done = pqt_history_drop_branch(r->history, entry, &error);
        break;
    default:
        done = pqt_history_drop(r->history, entry, &error);
    }
    require(done || error.status == PQT_ERROR_STREAM || error.status == PQT_ERROR_MISMATCH,
            error.text);
    r->dropped += before - r->history->count;
}

static void
expect_version(driver *r, uint64_t entry)
{
    pqt_error error = {0};
    const pqt_tree *tree = pqt_history_value_of(r->history, entry);
    require(tree == NULL || pqt_tree_equals(tree, numbered_version(r->seeds[entry])),
            "a version is the one that was pushed");
    require(tree != NULL || !pqt_store_get_error(r->store, &error), "a failure is reported");
}

static void
name_some(driver *r)
{
    pqt_error error = {0};
    char name[16];
    snprintf(name, sizeof name, "n%u", (unsigned)dice_below(r->d, 6));
    const bool done = pqt_history_set_name(r->history, random_entry(r),
                                           dice_chance(r->d, 50) ? name : NULL, &error);
    require(done || error.status == PQT_ERROR_STREAM || error.status == PQT_ERROR_CONFLICT,
            error.text);
}

/* Makes one call, or a group of pushes. */
static void
change(driver *r)
{
    pqt_error error = {0};
    const size_t what = dice_below(r->d, 100);
    r->drops = r->max_entries > 0 || (what >= 78 && what < 88);
    r->pushes = 0;
    if (what < 40)
        push(r, dice_below(r->d, 3));
    else if (what < 46)
        push_group(r);
    else if (what < 54)
        (void)pqt_history_undo(r->history);
    else if (what < 60)
        (void)pqt_history_redo(r->history);
    else if (what < 68)
        (void)pqt_history_checkout(r->history, random_entry(r), &error);
    else if (what < 74)
        name_some(r);
    else if (what < 78)
        pqt_history_mark_saved(r->history);
    else if (what < 88)
        drop_some(r);
    else if (what < 90)
        (void)pqt_store_compact(r->store, &error);
    else
        expect_version(r, random_entry(r));
}

static void
open_driver(driver *r, const store_folder *folder)
{
    pqt_error error = {0};
    pqt_store_options options = PQT_STORE_DEFAULTS;
    pqt_history_options limits = PQT_HISTORY_DEFAULTS;
    limits.max_entries = r->max_entries;
    options.keyframe_ratio = 0.125;
    options.max_loaded = dice_chance(r->d, 50) ? 0 : (size_t)1 << 20;
    options.sync = r->syncs || dice_chance(r->d, 50) ? PQT_STORE_FULL : PQT_STORE_NORMAL;
    r->store = pqt_store_open(folder->path, &options, &error);
    require(r->store != NULL, error.text);
    sqlite3_busy_timeout(r->store->database.connection, 0);
    r->history = pqt_history_open(r->store, &limits, arena, &error);
    require(r->history != NULL, error.text);
}

static void
copy_if_there(const char *from, const char *to)
{
    if (access(from, F_OK) != 0)
        return;
    const file_bytes read = read_all(from);
    write_all(to, read.at, read.count);
    free(read.at);
}

/* ---- A process that dies ---- */

static bool
is_seed_of(const snapshot *s, uint64_t number, const pqt_tree *tree)
{
    return s->entries[number].is_there &&
           pqt_tree_equals(tree, numbered_version(s->entries[number].seed));
}

/* The last call may have saved a version and then have failed. */
static bool
was_pushed(const driver *r, const pqt_tree *tree)
{
    for (size_t i = 0; i < r->pushes; i++)
        if (pqt_tree_equals(tree, numbered_version(r->pushing[i])))
            return true;
    return false;
}

/* The file may hold the state before or after the last call. */
static void
expect_saved(const store_folder *folder, const driver *r, const snapshot *before,
             const snapshot *after)
{
    pqt_error error = {0};
    pqt_store *store = open_store(folder, PQT_STORE_WRITE);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    require(history != NULL, error.text);
    for (uint64_t n = 0; n < MAX_NUMBER; n++) {
        pqt_history_entry entry;
        const bool is_there = pqt_history_get_entry(history, n, &entry);
        require(is_there || !before->entries[n].is_there || !after->entries[n].is_there || r->drops,
                "an entry that was saved is there");
        if (!is_there)
            continue;
        const pqt_tree *tree = pqt_history_value_of(history, n);
        require(tree != NULL, "its version is loaded");
        require(is_seed_of(before, n, tree) || is_seed_of(after, n, tree) || was_pushed(r, tree),
                "its version is the one that was pushed");
    }
    const uint64_t current = pqt_history_current(history);
    require(r->pushes > 0 || current == before->current || current == after->current,
            "the current entry is one of the last two");
    require(pqt_store_check(store, &error), error.text);
    pqt_history_destroy(&history);
    close_store(&store);
}

/* Changes the history until the disk fails. Copies the file as it is then. Returns false if the
   disk never failed. */
static bool
change_until_death(const store_folder *folder, const store_folder *copy, dice *d)
{
    static driver r;
    static snapshot before, after;
    pqt_error error = {0};
    bool failed = false;
    r = (driver){.d = d, .max_entries = dice_chance(d, 50) ? 0 : 1 + dice_below(d, 12)};
    for (uint64_t n = 0; n <= 8; n++)
        r.seeds[n] = (uint16_t)n;
    open_driver(&r, folder);
    const size_t first = 1 + dice_below(d, 300);
    vfs = (vfs_faults){.failing = first,
                       .stays = true,
                       .cut_short = dice_chance(d, 50),
                       .full_disk = dice_chance(d, 30)};
    take_snapshot(r.history, r.seeds, &after);
    for (int i = 0; i < CHANGES && !failed; i++) {
        before = after;
        change(&r);
        take_snapshot(r.history, r.seeds, &after);
        failed = vfs.calls >= first;
    }
    copy_if_there(folder->path, copy->path);
    copy_if_there(with_suffix(folder, "-wal"), with_suffix(copy, "-wal"));
    vfs = (vfs_faults){0};
    expect_saved(copy, &r, &before, &after);
    pqt_history_destroy(&r.history);
    (void)pqt_store_close(&r.store, &error);
    return failed;
}

START_TEST(a_process_that_dies_while_it_changes_a_history_loses_nothing)
{
    dice d = {test_seed("crash") + (uint64_t)_i};
    size_t failed = 0;
    faulty_vfs_install();
    for (size_t i = 0; i < test_scaled(60); i++) {
        const store_folder folder = numbered_store(8), copy = make_store_folder();
        failed += change_until_death(&folder, &copy, &d);
        remove_all(&folder);
        remove_all(&copy);
    }
    fprintf(stderr, "# %zu deaths\n", failed);
}
END_TEST

/* ---- A loss of power ---- */

/* Changes the history. After each change, the synced bytes of the files must hold all of it. */
static void
change_and_lose_power(const store_folder *folder, const store_folder *copy, dice *d)
{
    static driver r;
    static snapshot before, after;
    r = (driver){.d = d, .max_entries = dice_chance(d, 50) ? 0 : 1 + dice_below(d, 12)};
    for (uint64_t n = 0; n <= 8; n++)
        r.seeds[n] = (uint16_t)n;
    r.syncs = true;
    vfs = (vfs_faults){.keep_synced = true};
    open_driver(&r, folder);
    take_snapshot(r.history, r.seeds, &before);
    for (int i = 0; i < CHANGES; i++) {
        change(&r);
        take_snapshot(r.history, r.seeds, &after);
        unlink(with_suffix(copy, "-wal"));
        unlink(with_suffix(copy, "-shm"));
        copy_if_there(folder->path, copy->path); /* it was synced when it was closed */
        copy_if_there(with_suffix(folder, ".synced"), copy->path);
        copy_if_there(with_suffix(folder, "-wal.synced"), with_suffix(copy, "-wal"));
        vfs.keep_synced = false;
        r.drops = false;
        r.pushes = 0;
        expect_saved(copy, &r, &after, &after);
        vfs.keep_synced = true;
    }
    vfs = (vfs_faults){0};
    pqt_history_destroy(&r.history);
    close_store(&r.store);
}

START_TEST(a_loss_of_power_loses_no_change_of_a_store_that_syncs_fully)
{
    dice d = {test_seed("power") + (uint64_t)_i};
    faulty_vfs_install();
    for (size_t i = 0; i < test_scaled(8); i++) {
        const store_folder folder = numbered_store(8), copy = make_store_folder();
        change_and_lose_power(&folder, &copy, &d);
        remove_all(&folder);
        remove_all(&copy);
    }
}
END_TEST

/* ---- A disk that fails for a while ---- */

static void
expect_same_state(const snapshot *a, const snapshot *b)
{
    for (uint64_t n = 0; n < MAX_NUMBER; n++) {
        const seen_entry *x = &a->entries[n], *y = &b->entries[n];
        require(x->is_there == y->is_there, "the same entries are there");
        require(!x->is_there ||
                    (x->parent == y->parent && x->redo == y->redo && strcmp(x->name, y->name) == 0),
                "with the same parent, redo link and name");
    }
    require(a->current == b->current && a->saved == b->saved && a->next == b->next,
            "the same entries are current, saved and next");
}

/* A reader that is open while the history is changed, and what it must see. */
typedef struct reader {
    pqt_store *store;
    pqt_history *history;
    snapshot seen;
} reader;

static void
open_reader(reader *by, const store_folder *folder, const driver *r)
{
    pqt_error error = {0};
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = PQT_STORE_READ;
    options.max_loaded = 0;
    by->store = pqt_store_open(folder->path, &options, &error);
    require(by->store != NULL, error.text);
    by->history = pqt_history_open(by->store, NULL, arena, &error);
    require(by->history != NULL, error.text);
    take_snapshot(by->history, r->seeds, &by->seen);
}

/* The reader loads its versions only now. */
static void
close_reader(reader *by)
{
    pqt_error error = {0};
    for (uint64_t n = 0; n < MAX_NUMBER; n++) {
        if (!by->seen.entries[n].is_there)
            continue;
        const pqt_tree *tree = pqt_history_value_of(by->history, n);
        require(tree != NULL && is_seed_of(&by->seen, n, tree), "a reader sees what was there");
    }
    require(pqt_store_check(by->store, &error), error.text);
    pqt_history_destroy(&by->history);
    close_store(&by->store);
}

static void
change_through_faults(const store_folder *folder, dice *d, size_t *dropped)
{
    static driver r;
    static snapshot memory, file;
    static reader by;
    const int reads = (int)dice_below(d, CHANGES);
    pqt_error error = {0};
    r = (driver){.d = d, .max_entries = dice_chance(d, 50) ? 0 : 1 + dice_below(d, 12)};
    for (uint64_t n = 0; n <= 8; n++)
        r.seeds[n] = (uint16_t)n;
    open_driver(&r, folder);
    for (int i = 0; i < CHANGES; i++) {
        if (i == reads)
            open_reader(&by, folder, &r);
        if (dice_chance(d, 30))
            vfs = (vfs_faults){.failing = 1 + dice_below(d, 12),
                               .stays = dice_chance(d, 50),
                               .cut_short = dice_chance(d, 50),
                               .reads_too = dice_chance(d, 20),
                               .full_disk = dice_chance(d, 30)};
        change(&r);
        vfs = (vfs_faults){0};
        if (dice_chance(d, 70))
            change(&r);
    }
    (void)pqt_store_get_error(r.store, &error);
    error = (pqt_error){0};
    close_reader(&by);
    r.pushes = 0;
    push(&r, 0); /* writes everything that could not be written before */
    require(!r.store->state_is_stale, "a push writes the undo position, too");
    take_snapshot(r.history, r.seeds, &memory);
    pqt_history_destroy(&r.history);
    close_store(&r.store);
    open_driver(&r, folder);
    take_snapshot(r.history, r.seeds, &file);
    expect_same_state(&memory, &file);
    for (uint32_t slot = 0; slot < r.history->count; slot++) {
        const uint64_t n = r.history->records[slot].number;
        const pqt_tree *tree = pqt_history_value_of(r.history, n);
        require(tree != NULL && pqt_tree_equals(tree, numbered_version(r.seeds[n])),
                "each version is the one that was pushed");
    }
    require(pqt_store_check(r.store, &error), error.text);
    *dropped += r.dropped;
    pqt_history_destroy(&r.history);
    close_store(&r.store);
}

START_TEST(a_disk_that_fails_for_a_while_leaves_file_and_history_equal)
{
    dice d = {test_seed("faults") + (uint64_t)_i};
    size_t dropped = 0;
    faulty_vfs_install();
    for (size_t i = 0; i < test_scaled(60); i++) {
        const store_folder folder = numbered_store(8);
        change_through_faults(&folder, &d, &dropped);
        remove_all(&folder);
    }
    fprintf(stderr, "# %zu entries dropped\n", dropped);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("store crash");
    TCase *tests = add_tests(suite, "store crash");
    tcase_add_loop_test(tests, a_process_that_dies_while_it_changes_a_history_loses_nothing, 0, 4);
    tcase_add_loop_test(tests, a_loss_of_power_loses_no_change_of_a_store_that_syncs_fully, 0, 4);
    tcase_add_loop_test(tests, a_disk_that_fails_for_a_while_leaves_file_and_history_equal, 0, 4);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
