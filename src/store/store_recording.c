/* SPDX-License-Identifier: MIT */
/*
 * store_recording.c: saves a recording in an empty store, and opens the recording of a store.
 *
 * Each step is a row with its fingerprint, and each key is a keyframe whose entry is the step. Only
 * two worlds are in memory: the world of the last step, and the key that was loaded last. Both are
 * loaded when they are first needed.
 */
#include "config.h"

#include "store/store_recording_internal.h"

#include "base/error_internal.h"

#if PQT_WITH_SQLITE

#include "base/cancellation.h"
#include "base/fp.h"
#include "io/little_endian.h"
#include "memory/memory_internal.h"
#include "store/store_internal.h"
#include "world/recording_internal.h"
#include "world/world_internal.h"

/* The numbers of a recording, in the order in which the format stores them. */
enum {
    EVERY,
    DT,
    RESTITUTION,
    GRAVITY_X,
    GRAVITY_Y,
    DAMPING,
    CONTACT_BUDGET,
    REST_SPEED,
    SLEEP_STEPS,
    EVENTS,
    FRICTION,
    NUMBERS
};

/* ---- The row of the recording ---- */

static bool
write_recording(pqt_store *store, const pqt_recording *recording, pqt_error *error)
{
    const pqt_step_options *o = &recording->options;
    const uint64_t words[NUMBERS] = {[EVERY] = recording->every,
                                     [DT] = pqti_bits_of(recording->dt),
                                     [RESTITUTION] = pqti_bits_of(o->restitution),
                                     [GRAVITY_X] = pqti_bits_of(o->gravity.x),
                                     [GRAVITY_Y] = pqti_bits_of(o->gravity.y),
                                     [DAMPING] = pqti_bits_of(o->damping),
                                     [CONTACT_BUDGET] = o->contact_budget,
                                     [REST_SPEED] = pqti_bits_of(o->rest_speed),
                                     [SLEEP_STEPS] = o->sleep_steps,
                                     [EVENTS] = o->events,
                                     [FRICTION] = pqti_bits_of(o->friction)};
    uint8_t bytes[sizeof words];
    for (size_t i = 0; i < NUMBERS; i++)
        pqti_store_le64(bytes + 8 * i, words[i]);
    sqlite3_stmt *statement = pqti_statement_of(&store->database, PQTI_WRITE_RECORDING, error);
    if (statement == NULL)
        return false;
    sqlite3_bind_blob(statement, 1, bytes, sizeof bytes, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, pqti_store_checksum(store, 0, words, NUMBERS));
    return pqti_run(&store->database, statement, error);
}

/* Reads the numbers from the row of the recording. Returns false if they are damaged. */
static bool
take_numbers(const pqt_store *store, sqlite3_stmt *row, uint64_t words[NUMBERS])
{
    const uint8_t *bytes = sqlite3_column_blob(row, 0);
    if (bytes == NULL || sqlite3_column_bytes(row, 0) != 8 * NUMBERS)
        return false;
    for (size_t i = 0; i < NUMBERS; i++)
        words[i] = pqti_load_le64(bytes + 8 * i);
    return sqlite3_column_int(row, 2) == 1 &&
           sqlite3_column_int64(row, 1) == pqti_store_checksum(store, 0, words, NUMBERS) &&
           words[EVERY] <= SIZE_MAX && words[EVENTS] <= 1;
}

bool
pqti_read_recording(pqt_store *store, double *dt, size_t *every, pqt_step_options *options,
                    pqt_error *error)
{
    uint64_t words[NUMBERS] = {0};
    bool has_row = false;
    sqlite3_stmt *statement = pqti_statement_of(&store->database, PQTI_READ_RECORDING, error);
    if (statement == NULL || !pqti_next_row(&store->database, statement, &has_row, error))
        return false;
    const bool is_whole = has_row && take_numbers(store, statement, words);
    sqlite3_reset(statement);
    *every = (size_t)words[EVERY];
    *dt = pqti_double_of(words[DT]);
    *options = (pqt_step_options)PQT_STEP_DEFAULTS;
    options->restitution = pqti_double_of(words[RESTITUTION]);
    options->gravity =
        (pqt_vec){pqti_double_of(words[GRAVITY_X]), pqti_double_of(words[GRAVITY_Y])};
    options->damping = pqti_double_of(words[DAMPING]);
    options->contact_budget = words[CONTACT_BUDGET];
    options->rest_speed = pqti_double_of(words[REST_SPEED]);
    options->sleep_steps = words[SLEEP_STEPS];
    options->events = words[EVENTS] != 0;
    options->friction = pqti_double_of(words[FRICTION]);
    if (is_whole && pqti_recording_check(*dt, *every, NULL))
        return true;
    pqti_error_set(error, PQT_ERROR_FORMAT, 0, "the row of the recording is damaged");
    return false;
}

/* ---- Steps ---- */

static bool
step_fault(uint64_t step, const char *what, pqt_error *error)
{
    pqti_error_set(error, PQT_ERROR_FORMAT, (size_t)step, "step %llu: %s", (unsigned long long)step,
                   what);
    return false;
}

static int64_t
sum_step(const pqt_store *store, uint64_t step, pqt_fingerprint fingerprint)
{
    const uint64_t words[] = {step, fingerprint.low, fingerprint.high};
    return pqti_store_checksum(store, 0, words, sizeof words / sizeof *words);
}

/* Writes the row of a step, and its world if the step is a key. */
static bool
write_step(pqt_store *store, const pqt_recording *recording, uint64_t step,
           pqt_fingerprint fingerprint, const pqt_world *world, pqt_error *error)
{
    uint8_t bytes[16];
    sqlite3_stmt *statement = pqti_statement_of(&store->database, PQTI_WRITE_STEP, error);
    if (statement == NULL)
        return false;
    pqti_store_le64(bytes, fingerprint.low);
    pqti_store_le64(bytes + 8, fingerprint.high);
    sqlite3_bind_int64(statement, 1, (int64_t)step);
    sqlite3_bind_blob(statement, 2, bytes, sizeof bytes, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, sum_step(store, step, fingerprint));
    return pqti_run(&store->database, statement, error) &&
           (step % recording->every != 0 || pqti_write_keyframe(store, step, world, error));
}

/* Adds a step to the recording from its row. */
static bool
take_step(pqt_store *store, pqt_recording *recording, sqlite3_stmt *row, uint64_t step,
          pqt_error *error)
{
    const uint8_t *bytes = sqlite3_column_blob(row, 1);
    if ((uint64_t)sqlite3_column_int64(row, 0) != step)
        return step_fault(step, "its row is missing", error);
    if (bytes == NULL || sqlite3_column_bytes(row, 1) != 16)
        return step_fault(step, "its row is damaged", error);
    const pqt_fingerprint fingerprint = {pqti_load_le64(bytes), pqti_load_le64(bytes + 8)};
    if (sqlite3_column_int64(row, 2) != sum_step(store, step, fingerprint))
        return step_fault(step, "its row is damaged", error);
    if (!pqti_recording_reserve(recording, (size_t)step, error))
        return false;
    recording->fingerprints[step] = fingerprint;
    recording->last = (size_t)step;
    return true;
}

static bool
read_steps(pqt_store *store, pqt_recording *recording, pqt_error *error)
{
    bool has_row = true;
    uint64_t step = 0;
    sqlite3_stmt *statement = pqti_statement_of(&store->database, PQTI_READ_STEPS, error);
    while (statement != NULL && has_row) {
        if (!pqti_next_row(&store->database, statement, &has_row, error))
            return false;
        if (has_row && !take_step(store, recording, statement, step++, error)) {
            sqlite3_reset(statement);
            return false;
        }
    }
    return statement != NULL && (step > 0 || step_fault(0, "its row is missing", error));
}

/* Writes the number of steps. */
static bool
write_count(pqt_store *store, uint64_t last, pqt_error *error)
{
    return pqti_write_state(
        store, &(pqti_store_state){.current = last, .next = last + 1, .entries = last + 1}, error);
}

static bool
check_count(pqt_store *store, const pqt_recording *recording, pqt_error *error)
{
    pqti_store_state state;
    if (!pqti_read_state(store, &state, error))
        return false;
    return !state.has_counts ||
           pqti_check_count("steps", (uint64_t)recording->last + 1, state.entries, error);
}

/* ---- The functions that a recording calls ---- */

static bool
save_step(void *context, const pqt_recording *recording, size_t step, const pqt_world *world,
          pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    pqt_store *store = context;
    if (store->options.access == PQT_STORE_READ) {
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "the store is open for reading only");
        return false;
    }
    return pqti_store_begin(store, error) &&
           pqti_end_transaction(
               &store->database,
               write_step(store, recording, step, pqt_world_fingerprint(world), world, error) &&
                   write_count(store, step, error),
               error);
}

static const pqt_world *
load_key(void *context, const pqt_recording *recording, size_t step, pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    pqt_store *store = context;
    if (store->loaded_key != NULL && store->loaded_step == step)
        return pqt_pin_get_world(store->loaded_key);
    const pqt_world *world = pqti_read_keyframe(store, "step", step, recording->memory, error);
    if (world == NULL)
        return NULL;
    if (!pqt_fingerprint_equals(pqt_world_fingerprint(world), recording->fingerprints[step])) {
        step_fault(step, "its keyframe is a different world", error);
        return NULL;
    }
    pqt_pin *pin = pqt_world_pin(world, error);
    if (pin == NULL)
        return NULL;
    pqt_unpin(&store->loaded_key);
    store->loaded_key = pin;
    store->loaded_step = step;
    store->counts.loads++;
    return world;
}

static void
detach_recording(void *context)
{
    pqt_store *store = context;
    pqt_unpin(&store->loaded_key);
    store->recording = NULL;
}

static const pqti_recording_backing backing = {
    .save = save_step, .load = load_key, .detach = detach_recording};

/* ---- Saving ---- */

static bool
may_save(const pqt_recording *recording, const pqt_store *store, pqt_error *error)
{
    if (store->options.access == PQT_STORE_READ)
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "the store is open for reading only");
    else if (store->kind != PQT_KIND_NONE)
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "the store is not empty");
    else if (recording->backing != NULL)
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "the recording is already in a store");
    else
        return true;
    return false;
}

static bool
write_steps(pqt_store *store, const pqt_recording *recording, pqt_error *error)
{
    if (!pqti_database_create_recording(&store->database, error) ||
        !write_recording(store, recording, error))
        return false;
    for (size_t step = 0; step <= recording->last; step++) {
        const bool is_key = step % recording->every == 0;
        const pqt_world *world = is_key ? pqt_recording_at(recording, step, error) : NULL;
        if (!write_step(store, recording, step, recording->fingerprints[step], world, error))
            return false;
    }
    return write_count(store, recording->last, error);
}

bool
pqt_recording_save(pqt_recording *recording, pqt_store *store, pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    PQT_ASSERT(recording != NULL || pqti_may_be_null(error),
               "the recording is NULL, and no earlier error is set");
    PQT_ASSERT(store != NULL, "the store is NULL");
    if (recording == NULL || !may_save(recording, store, error))
        return false;
    pqt_pin *newest = pqt_world_pin(pqt_recording_at(recording, recording->last, error), error);
    if (newest == NULL)
        return false;
    store->kind = PQT_KIND_WORLD;
    if (!pqti_store_begin(store, error) ||
        !pqti_end_transaction(&store->database, write_steps(store, recording, error), error)) {
        store->kind = PQT_KIND_NONE;
        pqt_unpin(&newest);
        return false;
    }
    pqti_recording_release_worlds(recording, newest);
    recording->backing = &backing;
    recording->store = store;
    store->recording = recording;
    store->has_recording = true;
    return true;
}

/* ---- Opening ---- */

/* Returns false if the recording has steps but its step options are out of range. */
static bool
options_made_steps(const pqt_recording *recording, pqt_error *error)
{
    if (recording->last == 0 || pqti_check_step_options(recording->dt, &recording->options, NULL))
        return true;
    pqti_error_set(error, PQT_ERROR_FORMAT, 0, "the row of the recording is damaged");
    return false;
}

pqt_recording *
pqt_recording_open(pqt_store *store, pqt_memory *memory, pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    double dt;
    size_t every;
    pqt_step_options options;
    PQT_ASSERT(store != NULL, "the store is NULL");
    if (!store->has_recording || store->recording != NULL) {
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "%s",
                       store->recording != NULL ? "the recording of the store is open"
                                                : "the store holds no recording");
        return NULL;
    }
    memory = pqti_memory_or_default(memory, error);
    if (memory == NULL || !pqti_read_recording(store, &dt, &every, &options, error))
        return NULL;
    pqt_recording *recording = pqti_recording_new(memory, dt, &options, every, error);
    if (recording == NULL)
        return NULL;
    recording->backing = &backing;
    recording->store = store;
    store->recording = recording;
    if (!read_steps(store, recording, error) || !check_count(store, recording, error) ||
        !options_made_steps(recording, error))
        pqt_recording_destroy(&recording);
    return recording;
}

bool
pqti_check_recording(pqt_store *store, pqt_error *error)
{
    const pqt_recording *recording = store->recording;
    bool done = true;
    for (size_t step = 0; step <= recording->last && done; step += recording->every) {
        if (!pqti_scope_begin(recording->memory, error))
            return false;
        const pqt_world *world = load_key(store, recording, step, error);
        done = world != NULL && pqt_world_check(world, error);
        pqti_scope_end_at_safe_point(recording->memory, NULL, NULL);
        if (recording->every > recording->last - step)
            break;
    }
    return done;
}

#else

/* ---- Without SQLite ---- */

bool
pqt_recording_save(pqt_recording *recording, pqt_store *store, pqt_error *error)
{
    PQT_ASSERT(store != NULL, "the store is NULL");
    (void)recording;
    pqti_error_set(error, PQT_ERROR_UNSUPPORTED, 0, "stores: this build has no SQLite");
    return false;
}

pqt_recording *
pqt_recording_open(pqt_store *store, pqt_memory *memory, pqt_error *error)
{
    PQT_ASSERT(store != NULL, "the store is NULL");
    (void)memory;
    pqti_error_set(error, PQT_ERROR_UNSUPPORTED, 0, "stores: this build has no SQLite");
    return NULL;
}

#endif
