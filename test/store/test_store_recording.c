/* SPDX-License-Identifier: MIT */
/* test_store_recording.c: tests recordings in stores. */
#include "config.h"

#include <signal.h>
#include <sys/wait.h>

#include <sqlite3.h>

#include <pqt/heap.h>
#include <pqt/store_recording.h>

#include "error_support.h"
#include "faulty_vfs.h"
#include "hooks.h"
#include "io/crc32c.h"
#include "step_support.h"
#include "store_support.h"
#include "suite.h"
#include "world/recording_internal.h"

enum { MANY = 30, STEPS = 40 };

static const double dt = 1.0 / 64;

static const pqt_world *
falling(pqt_memory *memory)
{
    pqt_body bodies[MANY];
    dice d = {11};
    scatter_keys(&d, bodies, MANY, 100, 0.4);
    return with_bodies(world_in(arena_box, true, memory), bodies, MANY);
}

/* Returns options in which each number has an effect. */
static pqt_step_options
all_options(void)
{
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.restitution = 0.25;
    options.gravity = (pqt_vec){-0.0, -9.5};
    options.damping = 0.01;
    options.rest_speed = 0.5;
    options.sleep_steps = 20;
    options.contact_budget = 5000;
    options.friction = 0.3;
    options.events = true;
    return options;
}

static pqt_recording *
begin(pqt_memory *memory, size_t every)
{
    pqt_error error = {0};
    const pqt_step_options options = all_options();
    pqt_recording *recording = pqt_recording_make(falling(memory), dt, &options, every, &error);
    require(recording != NULL, error.text);
    return recording;
}

static void
go_on(pqt_recording *recording, size_t steps)
{
    pqt_error error = {0};
    for (size_t i = 0; i < steps; i++)
        must_world(pqt_recording_step(recording, NULL, &error), &error);
}

static pqt_recording *
reopen(pqt_store *store, pqt_memory *memory)
{
    pqt_error error = {0};
    pqt_recording *recording = pqt_recording_open(store, memory, &error);
    require(recording != NULL, error.text);
    return recording;
}

static void
save(pqt_recording *recording, pqt_store *store)
{
    pqt_error error = {0};
    require(pqt_recording_save(recording, store, &error), error.text);
}

/* Makes a store with a recording of STEPS steps. */
static store_folder
recorded_store(size_t every)
{
    const store_folder folder = make_store_folder();
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    pqt_recording *recording = begin(arena, every);
    save(recording, store);
    go_on(recording, STEPS);
    pqt_recording_destroy(&recording);
    close_store(&store);
    return folder;
}

/* ---- Continuing ---- */

/* A recording that is saved after some steps, closed, and opened in another memory continues like
 * one that was never closed. */
START_TEST(a_recording_continues_where_it_ended)
{
    static const size_t every[] = {1, 7, 20, 1000}, saved_at[] = {0, 5, 21};
    const size_t keys = every[_i / 3];
    pqt_error error = {0};
    const pqt_step_options options = all_options();
    const pqt_world *fresh[2 * STEPS + 1] = {falling(arena)};
    for (size_t i = 0; i < 2 * STEPS; i++)
        fresh[i + 1] = stepped(fresh[i], dt, &options);
    const store_folder folder = make_store_folder();
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    pqt_recording *recording = begin(arena, keys);
    go_on(recording, saved_at[_i % 3]);
    ck_assert(!pqt_store_has_recording(store));
    save(recording, store);
    ck_assert(pqt_store_has_recording(store));
    ck_assert_int_eq(pqt_store_kind(store), PQT_KIND_WORLD);
    go_on(recording, STEPS - saved_at[_i % 3]);
    ck_assert(pqt_world_equals(pqt_recording_at(recording, 3, &error), fresh[3]));
    pqt_recording_destroy(&recording);
    close_store(&store);

    pqt_memory *heap = pqt_heap_make(NULL, &error);
    store = open_store(&folder, PQT_STORE_WRITE);
    ck_assert(pqt_store_has_recording(store));
    recording = reopen(store, heap);
    ck_assert_uint_eq(pqt_recording_last(recording), STEPS);
    ck_assert_uint_eq(pqt_recording_kept(recording), STEPS / keys + 1);
    go_on(recording, STEPS);
    for (size_t i = 0; i <= 2 * STEPS; i++) {
        const size_t step = i * 37 % (2 * STEPS + 1);
        require(pqt_scope_begin(heap, &error), error.text);
        ck_assert(pqt_world_equals(must_world(pqt_recording_at(recording, step, &error), &error),
                                   fresh[step]));
        pqt_scope_end(heap);
        ck_assert(pqt_fingerprint_equals(pqt_recording_fingerprint(recording, step),
                                         pqt_world_fingerprint(fresh[step])));
    }
    ck_assert_msg(pqt_recording_verify(recording, NULL, &error), "%s", error.text);
    ck_assert_msg(pqt_store_check(store, &error), "%s", error.text);
    pqt_recording_destroy(&recording);
    ck_assert_uint_eq(pqt_memory_get_stats(heap).pins, 0);
    pqt_heap_destroy(&heap);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* Opening loads no world. Afterwards two worlds are in memory: the newest one, and the last
 * keyframe. */
START_TEST(an_opened_recording_keeps_two_worlds_in_memory)
{
    pqt_error error = {0};
    pqt_store_stats stats;
    const store_folder folder = recorded_store(4);
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    const size_t pins = pqt_memory_get_stats(arena).pins;
    pqt_recording *recording = reopen(store, arena);
    ck_assert(pqt_store_get_stats(store, &stats, &error));
    ck_assert_uint_eq(stats.keyframes_read, 0);
    ck_assert_uint_eq(stats.entries, STEPS + 1);
    ck_assert_uint_eq(stats.keyframes, STEPS / 4 + 1);
    ck_assert_uint_eq(pqt_memory_get_stats(arena).pins, pins);
    go_on(recording, 9);
    for (size_t step = 0; step <= STEPS; step++)
        must_world(pqt_recording_at(recording, step, &error), &error);
    ck_assert_uint_eq(pqt_memory_get_stats(arena).pins, pins + 2);
    ck_assert(pqt_store_get_stats(store, &stats, &error));
    ck_assert_uint_eq(stats.keyframes_read, 1 + STEPS / 4 + 1); /* each keyframe once, in order */
    pqt_recording_destroy(&recording);
    ck_assert_uint_eq(pqt_memory_get_stats(arena).pins, pins);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* A reader sees the steps that existed when it opened the recording, and cannot add one. */
START_TEST(a_reader_sees_a_recording_as_it_was)
{
    pqt_error error = {0};
    const store_folder folder = recorded_store(8);
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    pqt_store *reader = open_store(&folder, PQT_STORE_READ);
    pqt_recording *recording = reopen(store, arena), *seen = reopen(reader, arena);
    go_on(recording, 3);
    ck_assert_uint_eq(pqt_recording_last(seen), STEPS);
    pqt_recording_divergence found;
    ck_assert_msg(pqt_recording_compare(seen, recording, &found, &error), "%s", error.text);
    ck_assert(!found.found);
    ck_assert(pqt_recording_step(seen, NULL, &error) == NULL);
    expect_failure(&error, PQT_ERROR_MISMATCH, 0, "the store is open for reading only");
    ck_assert_uint_eq(pqt_recording_last(seen), STEPS);
    pqt_recording_destroy(&seen);
    close_store(&reader);
    pqt_recording_destroy(&recording);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* ---- Damage ---- */

static void
run_sql(const store_folder *folder, const char *sql)
{
    sqlite3 *database = NULL;
    require(sqlite3_open(folder->path, &database) == SQLITE_OK &&
                sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK,
            sqlite3_errmsg(database));
    sqlite3_close(database);
}

static const struct damage {
    const char *sql;
    const char *opening; /* the expected message on opening; NULL if it can be opened */
    const char *check;   /* the expected message of the check; NULL if it finds no fault */
    const char *verify;
} damages[] = {
    {"UPDATE recording SET numbers = zeroblob(88)", "the row of the recording is damaged", NULL,
     NULL},
    {"UPDATE recording SET numbers = x'00'", "the row of the recording is damaged", NULL, NULL},
    {"UPDATE recording SET checksum = checksum + 1", "the row of the recording is damaged", NULL,
     NULL},
    {"DELETE FROM recording", "the row of the recording is damaged", NULL, NULL},
    {"DROP TABLE recording", "the file is a database, but not a store", NULL, NULL},
    {"DELETE FROM step", "step 0: its row is missing", NULL, NULL},
    {"DELETE FROM step WHERE number = 40", "the store has 40 steps, but 41 were saved", NULL, NULL},
    {"DELETE FROM history", "the row of the history is missing", NULL, NULL},
    {"DELETE FROM step WHERE number = 7", "step 7: its row is missing", NULL, NULL},
    {"UPDATE step SET fingerprint = zeroblob(16) WHERE number = 7", "step 7: its row is damaged",
     NULL, NULL},
    {"UPDATE step SET fingerprint = x'' WHERE number = 40", "step 40: its row is damaged", NULL,
     NULL},
    {"UPDATE step SET checksum = 0 WHERE number = 0", "step 0: its row is damaged", NULL, NULL},
    {"DELETE FROM keyframe WHERE entry = 16", NULL,
     "step 16: its keyframe: ", "step 16: its keyframe: "},
    {"DELETE FROM keyframe WHERE entry = 16; "
     "INSERT INTO keyframe SELECT 16, part, bytes FROM keyframe WHERE entry = 8",
     NULL, "step 16: its keyframe is a different world",
     "step 16: its keyframe is a different world"},
};

enum { DAMAGES = sizeof damages / sizeof *damages };

static void
expect_format(const pqt_error *error, const char *text)
{
    ck_assert_int_eq(error->status, PQT_ERROR_FORMAT);
    ck_assert_msg(strncmp(error->text, text, strlen(text)) == 0, "%s", error->text);
    ck_assert(names_its_index(error));
}

START_TEST(damage_is_found_and_named)
{
    const struct damage *damage = &damages[_i];
    pqt_error error = {0};
    const store_folder folder = recorded_store(8);
    run_sql(&folder, damage->sql);
    pqt_store *store = pqt_store_open(folder.path, NULL, &error);
    pqt_recording *recording = store == NULL ? NULL : pqt_recording_open(store, arena, &error);
    ck_assert((recording == NULL) == (damage->opening != NULL));
    if (recording == NULL) {
        expect_format(&error, damage->opening);
    } else {
        ck_assert(!pqt_store_check(store, &error));
        expect_format(&error, damage->check);
        error = (pqt_error){0};
        ck_assert(!pqt_recording_verify(recording, NULL, &error));
        expect_format(&error, damage->verify);
        error = (pqt_error){0};
        ck_assert(pqt_recording_at(recording, 17, &error) == NULL);
        expect_format(&error, damage->verify);
        error = (pqt_error){0};
        ck_assert_msg(pqt_recording_at(recording, 31, &error) != NULL, "%s", error.text);
    }
    pqt_recording_destroy(&recording);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* Replaces the restitution in the row of the recording, and corrects the checksum. */
static void
write_restitution(const store_folder *folder, double restitution)
{
    enum { NUMBERS = 11, RESTITUTION = 2 };
    static pqti_crc32c_tables tables;
    uint8_t bytes[8 * NUMBERS];
    sqlite3 *database = NULL;
    sqlite3_stmt *statement = NULL;
    pqti_crc32c_make_tables(&tables);
    require(sqlite3_open(folder->path, &database) == SQLITE_OK &&
                sqlite3_prepare_v2(database, "SELECT numbers FROM recording", -1, &statement,
                                   NULL) == SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_ROW &&
                sqlite3_column_bytes(statement, 0) == sizeof bytes,
            "the row is read");
    memcpy(bytes, sqlite3_column_blob(statement, 0), sizeof bytes);
    sqlite3_finalize(statement);
    memcpy(bytes + 8 * RESTITUTION, &restitution, sizeof restitution);
    require(sqlite3_prepare_v2(database, "UPDATE recording SET numbers = ?1, checksum = ?2", -1,
                               &statement, NULL) == SQLITE_OK &&
                sqlite3_bind_blob(statement, 1, bytes, sizeof bytes, SQLITE_STATIC) == SQLITE_OK &&
                sqlite3_bind_int64(statement, 2, pqti_crc32c(&tables, 0, bytes, sizeof bytes)) ==
                    SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_DONE,
            "the row is written");
    sqlite3_finalize(statement);
    sqlite3_close(database);
}

START_TEST(options_that_no_step_accepts_are_damage)
{
    static const double restitutions[] = {0.25, NAN, HUGE_VAL, 2, -1};
    for (int i = 0; i < 5; i++) {
        pqt_error error = {0};
        const store_folder folder = recorded_store(8);
        write_restitution(&folder, restitutions[i]);
        pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
        pqt_recording *recording = pqt_recording_open(store, arena, &error);
        ck_assert((recording != NULL) == (i == 0));
        if (recording == NULL)
            expect_format(&error, "the row of the recording is damaged");
        pqt_recording_destroy(&recording);
        close_store(&store);
        remove_store_folder(&folder);
    }
}
END_TEST

/* A step that another library made, or that was changed together with its checksum, is reported. */
START_TEST(a_step_that_differs_is_named)
{
    pqt_error error = {0};
    pqt_recording_divergence found;
    const store_folder folder = make_store_folder();
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    pqt_recording *recording = begin(arena, 1000);
    go_on(recording, 9);
    save(recording, store);
    recording->fingerprints[4].low ^= 1;
    ck_assert(!pqt_recording_verify(recording, &found, &error));
    expect_failure(&error, PQT_ERROR_CORRUPT, 0,
                   "step 4 differs from the recording: see body 0 at step 9");
    ck_assert(found.found && found.step == 4 && found.seen == 9);
    pqt_unpin(&recording->newest); /* as after opening */
    error = (pqt_error){0};
    ck_assert(!pqt_recording_verify(recording, &found, &error));
    expect_failure(&error, PQT_ERROR_CORRUPT, 0, "step 4 differs from the recording");
    ck_assert(found.found && found.step == 4 && found.seen == 4);
    error = (pqt_error){0};
    ck_assert(pqt_recording_step(recording, NULL, &error) == NULL);
    ck_assert_int_eq(error.status, PQT_ERROR_CORRUPT);
    ck_assert_uint_eq(pqt_recording_last(recording), 9);
    pqt_recording_destroy(&recording);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* Reads a whole file, and compares its steps with the recording. Returns true if it was opened. */
static bool
expect_no_wrong_world(const store_folder *folder, const pqt_recording *whole)
{
    pqt_error error = {0};
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = PQT_STORE_READ;
    pqt_store *store = pqt_store_open(folder->path, &options, &error);
    const bool holds = store != NULL && pqt_store_has_recording(store);
    pqt_recording *recording = holds ? pqt_recording_open(store, arena, &error) : NULL;
    const bool is_open = recording != NULL;
    for (size_t step = 0; is_open && step <= pqt_recording_last(recording); step += 3) {
        error = (pqt_error){0};
        const pqt_world *world = pqt_recording_at(recording, step, &error);
        require(step <= pqt_recording_last(whole), "there are no more steps");
        require(world != NULL || error.status != PQT_OK, "a failure has an error");
        require(world == NULL || pqt_fingerprint_equals(pqt_world_fingerprint(world),
                                                        pqt_recording_fingerprint(whole, step)),
                "a world is that of its step");
    }
    pqt_recording_destroy(&recording);
    require(pqt_store_close(&store, &error) || error.status != PQT_OK, "a failure has an error");
    return is_open;
}

START_TEST(a_changed_byte_never_yields_a_wrong_world)
{
    static uint8_t file[1 << 20];
    dice d = {test_seed("changed byte")};
    size_t opened = 0, refused = 0;
    const store_folder folder = recorded_store(20);
    pqt_recording *whole = begin(arena, 20);
    go_on(whole, STEPS);
    FILE *stream = fopen(folder.path, "r+b");
    const size_t count = fread(file, 1, sizeof file, stream);
    ck_assert(count > 0 && count < sizeof file);
    setvbuf(stream, NULL, _IONBF, 0);
    ck_assert(expect_no_wrong_world(&folder, whole));
    for (size_t at = 0; at < count; at++) {
        if (dice_below(&d, file[at] == 0 ? 300 : 10) != 0)
            continue;
        const uint8_t changed = file[at] ^ (uint8_t)(1u << dice_below(&d, 8));
        fseek(stream, (long)at, SEEK_SET);
        fwrite(&changed, 1, 1, stream);
        const bool is_open = expect_no_wrong_world(&folder, whole);
        opened += is_open;
        refused += !is_open;
        fseek(stream, (long)at, SEEK_SET);
        fwrite(&file[at], 1, 1, stream);
    }
    fprintf(stderr, "# opened %zu, refused %zu\n", opened, refused);
    ck_assert(opened > 0 && refused > 0);
    fclose(stream);
    pqt_recording_destroy(&whole);
    remove_store_folder(&folder);
}
END_TEST

/* ---- Failing disks and killed processes ---- */

/* A step that cannot be written is added neither to the file nor to the recording in memory. The
   next step succeeds. */
START_TEST(each_failed_write_is_handled)
{
    const store_folder folder = make_store_folder();
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    pqt_recording *recording = begin(arena, 2), *whole = begin(arena, 2);
    save(recording, store);
    size_t failures = 0;
    for (size_t n = 1; n < 60; n++) {
        pqt_error error = {0};
        const size_t last = pqt_recording_last(recording);
        vfs.calls = 0;
        vfs.failing = 1 + n % 25;
        vfs.cut_short = n % 2 == 0;
        vfs.full_disk = n % 3 == 0;
        const pqt_world *made = pqt_recording_step(recording, NULL, &error);
        vfs.failing = 0;
        ck_assert((made == NULL) == (error.status != PQT_OK));
        ck_assert_uint_eq(pqt_recording_last(recording), last + (made != NULL));
        failures += made == NULL;
    }
    ck_assert_uint_gt(failures, 5);
    ck_assert_uint_gt(pqt_recording_last(recording), 5);
    go_on(whole, pqt_recording_last(recording));
    pqt_recording_divergence found;
    pqt_error error = {0};
    ck_assert(pqt_recording_compare(recording, whole, &found, &error) && !found.found);
    const size_t last = pqt_recording_last(recording);
    pqt_recording_destroy(&recording);
    close_store(&store);
    store = open_store(&folder, PQT_STORE_WRITE);
    recording = reopen(store, arena);
    ck_assert_uint_eq(pqt_recording_last(recording), last);
    ck_assert(pqt_recording_verify(recording, NULL, &error));
    ck_assert(pqt_recording_compare(recording, whole, &found, &error) && !found.found);
    pqt_recording_destroy(&recording);
    pqt_recording_destroy(&whole);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* Each function reports a read that fails, and a save that fails. */
START_TEST(a_disk_that_fails_is_reported)
{
    const store_folder folder = recorded_store(8);
    size_t failures = 0;
    bool done = false;
    for (size_t at = 1; !done; at++) {
        pqt_error error = {0};
        pqt_store_options options = PQT_STORE_DEFAULTS;
        options.access = PQT_STORE_READ;
        vfs = (vfs_faults){.failing = at, .stays = true, .reads_too = true};
        pqt_store *store = pqt_store_open(folder.path, &options, &error);
        pqt_recording *recording = store == NULL ? NULL : pqt_recording_open(store, arena, &error);
        const bool works = recording != NULL && pqt_recording_verify(recording, NULL, &error) &&
                           pqt_store_check(store, &error);
        done = vfs.calls < at;
        vfs = (vfs_faults){.failing = 0};
        ck_assert_msg(works || error.status == PQT_ERROR_STREAM, "%s", error.text);
        failures += !works;
        pqt_recording_destroy(&recording);
        pqt_store_close(&store, NULL);
    }
    ck_assert_uint_gt(failures, 5);
    done = false;
    for (size_t at = 1; !done; at++) {
        pqt_error error = {0};
        const store_folder other = make_store_folder();
        pqt_store *store = open_store(&other, PQT_STORE_CREATE);
        pqt_recording *recording = begin(arena, 3);
        go_on(recording, 7);
        vfs = (vfs_faults){.failing = at, .stays = true};
        done = pqt_recording_save(recording, store, &error);
        vfs = (vfs_faults){.failing = 0};
        ck_assert_msg(done || error.status == PQT_ERROR_STREAM, "%s", error.text);
        ck_assert(pqt_store_has_recording(store) == done);
        go_on(recording, 1);
        pqt_recording_destroy(&recording);
        pqt_store_close(&store, NULL);
        remove_store_folder(&other);
    }
    remove_store_folder(&folder);
}
END_TEST

/* Runs steps until the process is killed, and reports each step that returned. */
static void
step_until_killed(const store_folder *folder, int report)
{
    pqt_store *store = open_store(folder, PQT_STORE_CREATE);
    pqt_recording *recording;
    if (pqt_store_has_recording(store)) {
        recording = reopen(store, arena);
    } else {
        recording = begin(arena, 5);
        save(recording, store);
    }
    for (;;) {
        go_on(recording, 1);
        const size_t last = pqt_recording_last(recording);
        if (write(report, &last, sizeof last) != sizeof last)
            _exit(1);
    }
}

START_TEST(a_process_that_is_killed_loses_no_step)
{
    dice d = {test_seed("killed")};
    size_t last = 0;
    const store_folder folder = make_store_folder();
    for (size_t i = 0; i < test_scaled_from(20, 3); i++) {
        int ends[2];
        pqt_error error = {0};
        ck_assert_int_eq(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0) {
            close(ends[0]);
            step_until_killed(&folder, ends[1]);
        }
        close(ends[1]);
        size_t seen;
        for (uint64_t reports = 1 + dice_below(&d, 12); reports > 0; reports--) {
            ck_assert_int_eq(read(ends[0], &seen, sizeof seen), sizeof seen);
            last = seen;
        }
        kill(child, SIGKILL);
        ck_assert_int_eq(waitpid(child, NULL, 0), child);
        while (read(ends[0], &seen, sizeof seen) == sizeof seen)
            last = seen;
        close(ends[0]);
        pqt_store *store = open_store(&folder, PQT_STORE_READ);
        pqt_recording *recording = reopen(store, arena);
        ck_assert(pqt_recording_last(recording) == last ||
                  pqt_recording_last(recording) == last + 1);
        ck_assert_msg(pqt_store_check(store, &error), "%s", error.text);
        pqt_recording_destroy(&recording);
        close_store(&store);
    }
    pqt_error error = {0};
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    pqt_recording *recording = reopen(store, arena);
    ck_assert_msg(pqt_recording_verify(recording, NULL, &error), "%s", error.text);
    pqt_recording_destroy(&recording);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

static bool
use_recording(const char *path, pqt_error *error)
{
    pqt_recording_divergence found;
    pqt_store *store = pqt_store_open(path, NULL, error);
    pqt_recording *recording = store == NULL ? NULL : pqt_recording_open(store, arena, error);
    const bool done = recording != NULL && pqt_recording_step(recording, NULL, error) != NULL &&
                      pqt_recording_at(recording, 9, error) != NULL &&
                      pqt_recording_verify(recording, &found, error) &&
                      pqt_store_check(store, error);
    pqt_recording_destroy(&recording);
    return pqt_store_close(&store, NULL) && done;
}

START_TEST(each_failed_allocation_is_handled)
{
    const store_folder folder = recorded_store(8);
    bool done = false;
    size_t failed = 0;
    for (size_t at = 1; !done; at += 1 + at / 10) {
        pqt_error error = {0};
        hooks watch = {.fail_at = at};
        hooks_start(&watch);
        done = use_recording(folder.path, &error);
        hooks_stop();
        ck_assert_msg(done || error.status == PQT_ERROR_MEMORY, "%s", error.text);
        failed += !done;
    }
    ck_assert_uint_gt(failed, 20);
    done = false;
    for (size_t at = 1; !done; at += 1 + at / 10) {
        pqt_error error = {0};
        const store_folder other = make_store_folder();
        pqt_store *store = open_store(&other, PQT_STORE_CREATE);
        pqt_recording *recording = begin(arena, 3);
        go_on(recording, 7);
        hooks watch = {.fail_at = at};
        hooks_start(&watch);
        done = pqt_recording_save(recording, store, &error);
        hooks_stop();
        ck_assert_msg(done || error.status == PQT_ERROR_MEMORY, "%s", error.text);
        ck_assert(pqt_store_has_recording(store) == done);
        ck_assert(pqt_store_kind(store) == (done ? PQT_KIND_WORLD : PQT_KIND_NONE));
        if (!done)
            save(recording, store);
        go_on(recording, 1);
        pqt_recording_destroy(&recording);
        close_store(&store);
        remove_store_folder(&other);
    }
    remove_store_folder(&folder);
}
END_TEST

/* ---- The lock ---- */

START_TEST(a_recording_needs_the_lock_of_its_store)
{
    static const char lost[] =
        "the lock of the store was removed, so another process may have changed it";
    char lock[sizeof(store_folder)];
    pqt_error error = {0};
    const store_folder folder = make_store_folder();
    snprintf(lock, sizeof lock, "%s-writer", folder.path);
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    pqt_recording *recording = begin(arena, 3);
    go_on(recording, 7);
    unlink(lock);
    ck_assert(!pqt_recording_save(recording, store, &error));
    expect_failure(&error, PQT_ERROR_CONFLICT, 0, lost);
    ck_assert(!pqt_store_has_recording(store));
    close_store(&store);
    store = open_store(&folder, PQT_STORE_WRITE);
    save(recording, store);
    unlink(lock);
    error = (pqt_error){0};
    ck_assert(pqt_recording_step(recording, NULL, &error) == NULL);
    expect_failure(&error, PQT_ERROR_CONFLICT, 0, lost);
    ck_assert_uint_eq(pqt_recording_last(recording), 7);
    pqt_recording_destroy(&recording);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* ---- Misuse ---- */

START_TEST(misuse_is_refused)
{
    pqt_error error = {0};
    const store_folder folder = make_store_folder();
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    ck_assert(pqt_recording_open(store, arena, &error) == NULL);
    expect_failure(&error, PQT_ERROR_MISMATCH, 0, "the store holds no recording");
    pqt_recording *recording = begin(arena, 3), *other = begin(arena, 3);
    save(recording, store);
    error = (pqt_error){0};
    ck_assert(!pqt_recording_save(other, store, &error));
    expect_failure(&error, PQT_ERROR_MISMATCH, 0, "the store is not empty");
    error = (pqt_error){0};
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_WORLD), falling(arena), NULL, &error);
    ck_assert(!pqt_history_save(history, store, &error));
    expect_failure(&error, PQT_ERROR_MISMATCH, 0, "the store is not empty");
    error = (pqt_error){0};
    ck_assert(pqt_history_open(store, NULL, arena, &error) == NULL);
    expect_failure(&error, PQT_ERROR_MISMATCH, 0, "the store holds a recording, not a history");
    error = (pqt_error){0};
    ck_assert(pqt_recording_open(store, arena, &error) == NULL);
    expect_failure(&error, PQT_ERROR_MISMATCH, 0, "the recording of the store is open");
    const store_folder second = make_store_folder();
    pqt_store *empty = open_store(&second, PQT_STORE_CREATE);
    error = (pqt_error){0};
    ck_assert(!pqt_recording_save(recording, empty, &error));
    expect_failure(&error, PQT_ERROR_MISMATCH, 0, "the recording is already in a store");
    close_store(&empty);
    empty = open_store(&second, PQT_STORE_READ);
    error = (pqt_error){0};
    ck_assert(!pqt_recording_save(other, empty, &error));
    expect_failure(&error, PQT_ERROR_MISMATCH, 0, "the store is open for reading only");
    ck_assert(!pqt_recording_save(NULL, empty, &error)); /* an earlier failure is passed on */
    close_store(&empty);
    pqt_history_destroy(&history);
    pqt_recording_destroy(&recording);
    pqt_recording_destroy(&other);
    close_store(&store);
    remove_store_folder(&folder);
    remove_store_folder(&second);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("store recording");
    TCase *tests = add_tests(suite, "store recording");
    tcase_add_loop_test(tests, a_recording_continues_where_it_ended, 0, 12);
    tcase_add_test(tests, an_opened_recording_keeps_two_worlds_in_memory);
    tcase_add_test(tests, a_reader_sees_a_recording_as_it_was);
    tcase_add_loop_test(tests, damage_is_found_and_named, 0, DAMAGES);
    tcase_add_test(tests, options_that_no_step_accepts_are_damage);
    tcase_add_test(tests, a_step_that_differs_is_named);
    tcase_add_test(tests, a_changed_byte_never_yields_a_wrong_world);
    tcase_add_test(tests, each_failed_write_is_handled);
    tcase_add_test(tests, a_disk_that_fails_is_reported);
    tcase_add_test(tests, a_process_that_is_killed_loses_no_step);
    tcase_add_test(tests, each_failed_allocation_is_handled);
    tcase_add_test(tests, a_recording_needs_the_lock_of_its_store);
    tcase_add_test(tests, misuse_is_refused);
    return suite;
}

int
main(void)
{
    faulty_vfs_install();
    return run_suite(make_suite());
}
