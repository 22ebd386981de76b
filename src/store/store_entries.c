/* SPDX-License-Identifier: MIT */
/*
 * store_entries.c: writes, reads and checks the rows of a store.
 *
 * Each row has a checksum (CRC-32C) of its numbers and strings in a fixed order, and each change
 * ends with a checksum of its bytes. The redo link of an entry has no checksum, since it changes
 * often; a link that does not lead to a child of the entry is ignored. Keyframes have the format of
 * .pqt files, with checksums of their own.
 */
#include "config.h"

#include <string.h>

#include "base/error_internal.h"
#include "base/fp.h"
#include "io/little_endian.h"
#include "memory/kind_calls.h"
#include "memory/memory_internal.h"
#include "store/store_internal.h"

enum { CHECKSUM_SIZE = 4, FINGERPRINT_SIZE = 16 };

bool
pqti_entry_fault(uint64_t entry, const char *what, pqt_error *error)
{
    pqti_error_set(error, PQT_ERROR_FORMAT, (size_t)entry, "entry %llu: %s",
                   (unsigned long long)entry, what);
    return false;
}

/* ---- Checksums ---- */

uint32_t
pqti_store_checksum(const pqt_store *store, uint32_t sum, const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[sizeof *words];
        pqti_store_le64(bytes, words[i]);
        sum = pqti_crc32c(&store->checksums, sum, bytes, sizeof bytes);
    }
    return sum;
}

static uint32_t
sum_entry(const pqt_store *store, const pqti_record *record, uint64_t parent,
          pqt_fingerprint fingerprint)
{
    const uint64_t words[] = {record->number,  parent,           pqti_bits_of(record->time + 0.0),
                              record->key,     record->added,    record->encoding,
                              fingerprint.low, fingerprint.high, strlen(record->label)};
    const uint32_t sum = pqti_store_checksum(store, 0, words, sizeof words / sizeof *words);
    return pqti_crc32c(&store->checksums, sum, record->label, strlen(record->label));
}

static uint32_t
sum_name(const pqt_store *store, uint64_t entry, const char *name)
{
    const uint32_t sum = pqti_store_checksum(store, 0, &entry, 1);
    return pqti_crc32c(&store->checksums, sum, name, strlen(name));
}

/* ---- Writing ---- */

bool
pqti_store_begin(pqt_store *store, pqt_error *error)
{
    return pqti_abandon_transaction(&store->database, error) &&
           pqti_run_plain(&store->database, PQTI_BEGIN, error) &&
           (pqti_writer_lock_check(&store->lock, store->path, error) ||
            pqti_end_transaction(&store->database, false, error));
}

static void
bind_blob(sqlite3_stmt *statement, int place, const void *bytes, size_t count)
{
    sqlite3_bind_blob64(statement, place, count == 0 ? "" : bytes, count, SQLITE_STATIC);
}

/* Does not check whether the bindings succeed: a binding that fails leaves NULL, which every column
   except the change rejects. */
bool
pqti_write_entry(pqt_store *store, const pqti_record *record, uint64_t parent,
                 const pqti_byte_buffer *change, pqt_fingerprint fingerprint, pqt_error *error)
{
    uint8_t bytes[FINGERPRINT_SIZE];
    sqlite3_stmt *statement = pqti_statement_of(&store->database, PQTI_WRITE_ENTRY, error);
    if (statement == NULL)
        return false;
    pqti_store_le64(bytes, fingerprint.low);
    pqti_store_le64(bytes + 8, fingerprint.high);
    sqlite3_bind_int64(statement, 1, (int64_t)record->number);
    sqlite3_bind_int64(statement, 2, (int64_t)parent);
    sqlite3_bind_text(statement, 3, record->label, -1, SQLITE_STATIC);
    sqlite3_bind_double(statement, 4, record->time);
    sqlite3_bind_int64(statement, 5, (int64_t)record->key);
    sqlite3_bind_int64(statement, 6, (int64_t)record->added);
    sqlite3_bind_null(statement, 7);
    sqlite3_bind_int(statement, 8, record->encoding);
    bind_blob(statement, 9, bytes, sizeof bytes);
    sqlite3_bind_int64(statement, 10, sum_entry(store, record, parent, fingerprint));
    const int code = change == NULL ? SQLITE_OK
                                    : sqlite3_bind_blob64(statement, 11, change->bytes,
                                                          change->length, SQLITE_STATIC);
    if (code != SQLITE_OK)
        return pqti_database_failed(&store->database, code, error);
    if (!pqti_run(&store->database, statement, error))
        return false;
    if (record->number > store->last_number)
        store->last_number = record->number;
    return true;
}

/* A writer that divides the bytes of a version into rows. */
typedef struct keyframe_writer {
    pqt_store *store;
    uint64_t entry;
    int64_t part;
    pqti_byte_buffer rest; /* bytes that do not fill a row yet */
    pqt_error *error;
} keyframe_writer;

static bool
write_part(keyframe_writer *writer)
{
    pqti_database *database = &writer->store->database;
    sqlite3_stmt *statement = pqti_statement_of(database, PQTI_WRITE_KEYFRAME, writer->error);
    if (statement == NULL)
        return false;
    sqlite3_bind_int64(statement, 1, (int64_t)writer->entry);
    sqlite3_bind_int64(statement, 2, writer->part++);
    bind_blob(statement, 3, writer->rest.bytes, writer->rest.length);
    writer->store->keyframe_bytes += writer->rest.length;
    writer->rest.length = 0;
    return pqti_run(database, statement, writer->error);
}

static bool
write_keyframe_bytes(const void *bytes, size_t count, void *context)
{
    keyframe_writer *writer = context;
    while (count > 0) {
        const size_t room = PQTI_KEYFRAME_ROW - writer->rest.length;
        const size_t taken = count < room ? count : room;
        pqti_put_bytes(&writer->rest, bytes, taken);
        if (writer->rest.failed) {
            pqti_out_of_memory(writer->error);
            return false;
        }
        if (writer->rest.length == PQTI_KEYFRAME_ROW && !write_part(writer))
            return false;
        bytes = (const uint8_t *)bytes + taken;
        count -= taken;
    }
    return true;
}

bool
pqti_write_keyframe(pqt_store *store, uint64_t entry, const void *version, pqt_error *error)
{
    pqt_error failure = {0}, written = {0};
    keyframe_writer writer = {store, entry, 0, {0}, &failure};
    store->keyframe_bytes = 0;
    const bool done = pqt_version_write(version, write_keyframe_bytes, &writer, &written) &&
                      (writer.rest.length == 0 || write_part(&writer));
    pqti_buffer_free(&writer.rest);
    const pqt_error *cause = failure.status != PQT_OK ? &failure : &written;
    if (!done)
        pqti_error_set(error, cause->status, cause->index, "%s", cause->text);
    return done;
}

bool
pqti_write_name(pqt_store *store, uint64_t entry, const char *name, pqt_error *error)
{
    if (name == NULL)
        return pqti_run_number(&store->database, PQTI_DELETE_NAME, entry, error);
    sqlite3_stmt *statement = pqti_statement_of(&store->database, PQTI_WRITE_NAME, error);
    if (statement == NULL)
        return false;
    sqlite3_bind_int64(statement, 1, (int64_t)entry);
    sqlite3_bind_text(statement, 2, name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, sum_name(store, entry, name));
    return pqti_run(&store->database, statement, error);
}

enum { STATE_WORDS = 6 };

/* Returns the checksum of the row of a history. Without counts, it covers the first words only. */
static uint32_t
sum_state(const pqt_store *store, const uint64_t words[STATE_WORDS], bool has_counts)
{
    return pqti_store_checksum(store, 0, words, has_counts ? STATE_WORDS : STATE_WORDS - 2);
}

bool
pqti_write_state(pqt_store *store, const pqti_store_state *state, pqt_error *error)
{
    const uint64_t words[STATE_WORDS] = {(uint64_t)store->kind, state->current, state->saved,
                                         state->next,           state->entries, state->names};
    sqlite3_stmt *statement = pqti_statement_of(&store->database, PQTI_WRITE_STATE, error);
    if (statement == NULL)
        return false;
    for (int i = 0; i < STATE_WORDS; i++)
        sqlite3_bind_int64(statement, 1 + i, (int64_t)words[i]);
    sqlite3_bind_int64(statement, 1 + STATE_WORDS, sum_state(store, words, true));
    return pqti_run(&store->database, statement, error);
}

/* ---- Reading ---- */

bool
pqti_read_numbers(pqt_store *store, const char *sql, uint64_t *numbers, int count, pqt_error *error)
{
    sqlite3_stmt *statement = pqti_prepare(&store->database, sql, error);
    if (statement == NULL)
        return false;
    const int code = sqlite3_step(statement);
    for (int i = 0; i < count && code == SQLITE_ROW; i++)
        numbers[i] = (uint64_t)sqlite3_column_int64(statement, i);
    const bool done = code == SQLITE_ROW || pqti_database_failed(&store->database, code, error);
    sqlite3_finalize(statement);
    return done;
}

/* A store without the row of the history is empty, so it has no other rows. A recording has
   keyframes, and in a file with counts also this row. */
static bool
check_empty(pqt_store *store, pqt_error *error)
{
    uint64_t rows = 0;
    if (!pqti_read_numbers(store,
                           "SELECT EXISTS(SELECT 1 FROM entry) + EXISTS(SELECT 1 FROM name) + "
                           "EXISTS(SELECT 1 FROM keyframe)",
                           &rows, 1, error))
        return false;
    if (rows != 0)
        pqti_error_set(error, PQT_ERROR_FORMAT, 0, "the row of the history is missing");
    return rows == 0;
}

bool
pqti_read_state(pqt_store *store, pqti_store_state *state, pqt_error *error)
{
    uint64_t words[STATE_WORDS];
    const bool has_counts = store->database.version > PQTI_UNCOUNTED_VERSION;
    *state = (pqti_store_state){.kind = PQT_KIND_NONE, .has_counts = has_counts};
    sqlite3_stmt *statement = pqti_statement_of(
        &store->database, has_counts ? PQTI_READ_STATE : PQTI_READ_UNCOUNTED_STATE, error);
    if (statement == NULL || !pqti_next_row(&store->database, statement, &state->is_there, error))
        return false;
    if (!state->is_there)
        return (store->has_recording && !has_counts) || check_empty(store, error);
    for (int i = 0; i < STATE_WORDS; i++)
        words[i] = (uint64_t)sqlite3_column_int64(statement, i);
    const bool is_whole =
        sqlite3_column_int(statement, STATE_WORDS + 1) == 1 &&
        sqlite3_column_int64(statement, STATE_WORDS) == sum_state(store, words, has_counts) &&
        pqti_is_kind(words[0]);
    sqlite3_reset(statement);
    if (!is_whole)
        pqti_error_set(error, PQT_ERROR_FORMAT, 0,
                       "the row of the history is damaged, or is not the only one");
    state->kind = (pqt_kind)words[0];
    state->current = words[1];
    state->saved = words[2];
    state->next = words[3];
    state->entries = words[4];
    state->names = words[5];
    return is_whole;
}

bool
pqti_check_count(const char *what, uint64_t count, uint64_t saved, pqt_error *error)
{
    if (count != saved)
        pqti_error_set(error, PQT_ERROR_FORMAT, 0, "the store has %llu %s, but %llu were saved",
                       (unsigned long long)count, what, (unsigned long long)saved);
    return count == saved;
}

/* Counts the entries, or the steps of a recording, and the names. */
static bool
count_rows(pqt_store *store, uint64_t counts[2], pqt_error *error)
{
    return pqti_read_numbers(
        store,
        store->has_recording ? "SELECT (SELECT count(*) FROM step), 0"
                             : "SELECT (SELECT count(*) FROM entry), (SELECT count(*) FROM name)",
        counts, 2, error);
}

bool
pqti_check_counts(pqt_store *store, pqt_error *error)
{
    pqti_store_state state;
    uint64_t counts[2] = {0};
    return pqti_read_state(store, &state, error) &&
           (!state.has_counts || (count_rows(store, counts, error) &&
                                  pqti_check_count(store->has_recording ? "steps" : "entries",
                                                   counts[0], state.entries, error) &&
                                  pqti_check_count("names", counts[1], state.names, error)));
}

/* Replaces the row of the history by one with counts, within the open transaction. */
static bool
write_counts(pqt_store *store, pqt_error *error)
{
    pqti_store_state state;
    uint64_t counts[2] = {0};
    if (!pqti_read_state(store, &state, error) || !count_rows(store, counts, error) ||
        !pqti_database_add_counts(&store->database, error))
        return false;
    if (store->has_recording)
        state =
            (pqti_store_state){.kind = PQT_KIND_WORLD, .current = counts[0] - 1, .next = counts[0]};
    else if (!state.is_there)
        return true;
    state.entries = counts[0];
    state.names = counts[1];
    store->kind = state.kind;
    return pqti_write_state(store, &state, error);
}

bool
pqti_store_add_counts(pqt_store *store, pqt_error *error)
{
    return store->database.version > PQTI_UNCOUNTED_VERSION ||
           (pqti_store_begin(store, error) &&
            pqti_end_transaction(&store->database, write_counts(store, error), error));
}

/* Returns the text in a column, or NULL if the column is not text or contains a zero byte. */
static const char *
column_text(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text == NULL || strlen(text) != (size_t)sqlite3_column_bytes(statement, column) ? NULL
                                                                                           : text;
}

/* Reads a fingerprint from a column. Returns false if the column has the wrong size. */
static bool
column_fingerprint(sqlite3_stmt *statement, int column, pqt_fingerprint *fingerprint)
{
    const uint8_t *bytes = sqlite3_column_blob(statement, column);
    if (bytes == NULL || sqlite3_column_bytes(statement, column) != FINGERPRINT_SIZE)
        return false;
    *fingerprint = (pqt_fingerprint){pqti_load_le64(bytes), pqti_load_le64(bytes + 8)};
    return true;
}

/* A reader that turns the rows of all entries into records. */
typedef struct entry_reader {
    pqt_store *store;
    pqt_history *history;
    sqlite3_stmt *entries, *keyframes;
    bool has_keyframe; /* true if a row of keyframes was read but not used yet; its entry: */
    uint64_t keyframe;
    pqt_error *error;
} entry_reader;

static bool
next_keyframe(entry_reader *reader)
{
    if (!pqti_next_row(&reader->store->database, reader->keyframes, &reader->has_keyframe,
                       reader->error))
        return false;
    if (reader->has_keyframe) {
        reader->keyframe = (uint64_t)sqlite3_column_int64(reader->keyframes, 0);
        reader->store->keyframe_bytes = (uint64_t)sqlite3_column_int64(reader->keyframes, 1);
    }
    return true;
}

/* Reads the numbers of a row into a record, whose label is valid until the next row. Returns false
   if the checksum is wrong. */
static bool
read_row(const entry_reader *reader, pqti_record *record, uint64_t *parent)
{
    sqlite3_stmt *row = reader->entries;
    pqt_fingerprint fingerprint = {0};
    record->number = (uint64_t)sqlite3_column_int64(row, 0);
    *parent = (uint64_t)sqlite3_column_int64(row, 1);
    record->label = column_text(row, 2);
    record->time = sqlite3_column_double(row, 3);
    record->key = (uint64_t)sqlite3_column_int64(row, 4);
    record->added = (size_t)sqlite3_column_int64(row, 5);
    record->encoding = (uint8_t)sqlite3_column_int(row, 7);
    return record->label != NULL && column_fingerprint(row, 8, &fingerprint) &&
           sqlite3_column_int64(row, 9) == sum_entry(reader->store, record, *parent, fingerprint);
}

/* Checks a record that follows the record in slot `parent`. Returns a description of the fault, or
   NULL if there is none. */
static const char *
fault_of(const entry_reader *reader, const pqti_record *record, uint32_t parent)
{
    const pqt_history *history = reader->history;
    char shown[PQT_MAX_LABEL + 1];
    const bool has_change = sqlite3_column_type(reader->entries, 10) != SQLITE_NULL;
    const bool is_first = history->count == 0;
    pqti_history_clean(record->label, shown);
    if (strcmp(shown, record->label) != 0)
        return "its label is not text";
    if (record->encoding > PQTI_FORWARD || has_change != (record->encoding != PQTI_NO_CHANGE))
        return "its change is missing";
    if (record->time - record->time != 0)
        return "its time is not finite";
    if (is_first)
        return record->number == 0 && record->keyframe == 0 && !has_change
                   ? NULL
                   : "it is the first one, but its number is not 0 or it has no keyframe";
    if (parent == PQTI_NO_SLOT)
        return "its parent is missing";
    if (record->time < history->records[parent].time)
        return "its time is before that of its parent";
    if (record->encoding == PQTI_NO_CHANGE && record->keyframe != record->number)
        return "it has neither a change nor a keyframe";
    return NULL;
}

/* Fills a record from its row, its parent and its keyframe. Returns false and sets `error` on
   failure. */
static bool
make_record(entry_reader *reader, pqti_record *record)
{
    pqt_history *history = reader->history;
    uint64_t parent = 0;
    if (!read_row(reader, record, &parent))
        return pqti_entry_fault(record->number, "its row is damaged", reader->error);
    const uint32_t slot = history->count == 0 ? 0 : pqti_history_slot(history, parent);
    record->parent = slot;
    const bool has_keyframe = reader->has_keyframe && reader->keyframe == record->number;
    record->keyframe = has_keyframe ? record->number : UINT64_MAX;
    if (history->count > 0 && slot != PQTI_NO_SLOT) {
        record->path_cost = history->records[slot].path_cost;
        if (record->encoding != PQTI_NO_CHANGE)
            record->path_cost +=
                (uint64_t)sqlite3_column_int64(reader->entries, 10) + PQTI_CHANGE_COST;
        if (!has_keyframe)
            record->keyframe = history->records[slot].keyframe;
    }
    const char *fault = fault_of(reader, record, slot);
    if (fault != NULL)
        return pqti_entry_fault(record->number, fault, reader->error);
    return !has_keyframe || next_keyframe(reader);
}

/* Appends a record. Until all records are read, its redo link is the number of an entry, not a
   slot. */
static bool
append_record(entry_reader *reader, uint64_t *redo)
{
    pqt_history *history = reader->history;
    pqti_record record = {0};
    if (!pqti_history_reserve(history, reader->error) || !make_record(reader, &record))
        return false;
    record.redo_is_stored = sqlite3_column_type(reader->entries, 6) != SQLITE_NULL;
    *redo = (uint64_t)sqlite3_column_int64(reader->entries, 6);
    /* The new label may share the string of the last record. */
    history->current = history->count > 0 ? history->count - 1 : 0;
    record.label = pqti_history_label(history, record.label, reader->error);
    if (record.label == NULL)
        return false;
    pqti_history_append(history, &record);
    return true;
}

/* Sets the redo link of each record to the entry that its row names, if that is a child of the
   record, and otherwise to its newest child. */
static void
set_redo_links(pqt_history *history)
{
    for (uint32_t slot = 0; slot < history->count; slot++) {
        pqti_record *record = &history->records[slot];
        record->redo = record->last;
    }
}

static bool
read_redo_links(pqt_store *store, pqt_history *history, pqt_error *error)
{
    sqlite3_stmt *statement = pqti_statement_of(&store->database, PQTI_READ_ENTRIES, error);
    bool has_row = true;
    while (statement != NULL && has_row) {
        if (!pqti_next_row(&store->database, statement, &has_row, error))
            return false;
        if (!has_row || sqlite3_column_type(statement, 6) == SQLITE_NULL)
            continue;
        const uint32_t slot =
            pqti_history_slot(history, (uint64_t)sqlite3_column_int64(statement, 0));
        const uint32_t child =
            pqti_history_slot(history, (uint64_t)sqlite3_column_int64(statement, 6));
        if (slot != PQTI_NO_SLOT && child != PQTI_NO_SLOT && child != 0 &&
            history->records[child].parent == slot)
            history->records[slot].redo = child;
    }
    return statement != NULL;
}

static bool
read_names(pqt_store *store, pqt_history *history, pqt_error *error)
{
    sqlite3_stmt *statement = pqti_statement_of(&store->database, PQTI_READ_NAMES, error);
    bool has_row = true;
    store->names = 0;
    while (statement != NULL && has_row) {
        if (!pqti_next_row(&store->database, statement, &has_row, error))
            return false;
        if (!has_row)
            break;
        store->names++;
        const uint64_t entry = (uint64_t)sqlite3_column_int64(statement, 0);
        const char *name = column_text(statement, 1);
        pqt_error failure = {0};
        if (name == NULL || sqlite3_column_int64(statement, 2) != sum_name(store, entry, name) ||
            (!pqt_history_set_name(history, entry, name, &failure) &&
             failure.status != PQT_ERROR_MEMORY))
            return pqti_entry_fault(entry, "its name is damaged", error);
        if (failure.status == PQT_ERROR_MEMORY) {
            pqti_out_of_memory(error);
            return false;
        }
    }
    return statement != NULL;
}

/* Reads the rows of entries and keyframes in step: both are in the order of entry numbers. */
static bool
read_rows(entry_reader *reader, bool *has_redo)
{
    bool has_row = true;
    if (!next_keyframe(reader))
        return false;
    while (has_row) {
        uint64_t redo = 0;
        if (!pqti_next_row(&reader->store->database, reader->entries, &has_row, reader->error))
            return false;
        if (has_row && !append_record(reader, &redo))
            return false;
        *has_redo |= has_row && reader->history->records[reader->history->count - 1].redo_is_stored;
    }
    if (reader->has_keyframe)
        return pqti_entry_fault(reader->keyframe, "it is missing, but has a keyframe",
                                reader->error);
    return true;
}

bool
pqti_read_entries(pqt_store *store, pqt_history *history, const pqti_store_state *state,
                  pqt_error *error)
{
    bool has_redo = false;
    entry_reader reader = {.store = store, .history = history, .error = error};
    reader.entries = pqti_statement_of(&store->database, PQTI_READ_ENTRIES, error);
    reader.keyframes = pqti_statement_of(&store->database, PQTI_READ_KEYFRAMES, error);
    if (reader.entries == NULL || reader.keyframes == NULL)
        return false;
    const bool done = read_rows(&reader, &has_redo);
    sqlite3_reset(reader.entries);
    sqlite3_reset(reader.keyframes);
    if (!done ||
        (state->has_counts && !pqti_check_count("entries", history->count, state->entries, error)))
        return false;
    set_redo_links(history);
    const uint32_t current = pqti_history_slot(history, state->current);
    const uint32_t saved = pqti_history_slot(history, state->saved);
    if (current == PQTI_NO_SLOT || saved == PQTI_NO_SLOT ||
        state->next <= history->records[history->count - 1].number) {
        pqti_error_set(error, PQT_ERROR_FORMAT, 0,
                       "the current, the saved or the newest entry is missing");
        return false;
    }
    if (state->next > PQTI_STORE_MAX_NEXT) {
        pqti_error_set(error, PQT_ERROR_FORMAT, 0, "the number of the next entry is %llu",
                       (unsigned long long)state->next);
        return false;
    }
    history->current = current;
    history->saved = saved;
    history->next_number = state->next;
    store->last_number = history->records[history->count - 1].number;
    store->is_reading_names = true;
    const bool done_all =
        (!has_redo || read_redo_links(store, history, error)) && read_names(store, history, error);
    store->is_reading_names = false;
    return done_all &&
           (!state->has_counts || pqti_check_count("names", store->names, state->names, error));
}

/* Takes the bytes of the change from its row. Returns false if the bytes are damaged. */
static bool
take_change(pqt_store *store, sqlite3_stmt *statement, pqti_byte_source *change)
{
    if (sqlite3_column_type(statement, 0) == SQLITE_NULL)
        return true;
    const uint8_t *bytes = sqlite3_column_blob(statement, 0);
    const size_t length = (size_t)sqlite3_column_bytes(statement, 0);
    if (bytes == NULL || length < CHECKSUM_SIZE ||
        pqti_crc32c(&store->checksums, 0, bytes, length - CHECKSUM_SIZE) !=
            pqti_load_le(bytes + length - CHECKSUM_SIZE, CHECKSUM_SIZE))
        return false;
    change->bytes = bytes;
    change->length = length - CHECKSUM_SIZE;
    store->counts.changes_read++;
    return true;
}

bool
pqti_read_change(pqt_store *store, uint64_t entry, pqti_byte_source *change,
                 pqt_fingerprint *fingerprint, pqt_error *error)
{
    bool has_row = false;
    *change = (pqti_byte_source){0};
    sqlite3_stmt *statement = pqti_statement_of(&store->database, PQTI_READ_CHANGE, error);
    if (statement == NULL)
        return false;
    sqlite3_bind_int64(statement, 1, (int64_t)entry);
    if (!pqti_next_row(&store->database, statement, &has_row, error))
        return false;
    const char *fault = !has_row || !column_fingerprint(statement, 1, fingerprint)
                            ? "its row is missing"
                        : !take_change(store, statement, change) ? "its change is damaged"
                                                                 : NULL;
    if (fault != NULL)
        pqti_change_end(store);
    return fault == NULL || pqti_entry_fault(entry, fault, error);
}

void
pqti_change_end(pqt_store *store)
{
    sqlite3_reset(store->database.statements[PQTI_READ_CHANGE]);
}

/* A reader of the rows of a keyframe, in order. */
typedef struct keyframe_reader {
    pqt_store *store;
    uint64_t entry;
    int64_t part;
    pqti_byte_source rest; /* the unread bytes of the current row */
    pqt_error *error;
} keyframe_reader;

/* Reads the next row. At the end of the keyframe, `rest` stays empty. */
static bool
read_part(keyframe_reader *reader)
{
    bool has_row = false;
    pqti_database *database = &reader->store->database;
    sqlite3_stmt *statement = pqti_statement_of(database, PQTI_READ_KEYFRAME, reader->error);
    reader->rest = (pqti_byte_source){0};
    if (statement == NULL)
        return false;
    sqlite3_bind_int64(statement, 1, (int64_t)reader->entry);
    sqlite3_bind_int64(statement, 2, reader->part++);
    if (!pqti_next_row(database, statement, &has_row, reader->error))
        return false;
    if (has_row) {
        reader->rest.bytes = sqlite3_column_blob(statement, 0);
        reader->rest.length = (size_t)sqlite3_column_bytes(statement, 0);
    }
    return true;
}

static bool
read_keyframe_bytes(void *bytes, size_t capacity, size_t *count, void *context)
{
    keyframe_reader *reader = context;
    if (reader->rest.next == reader->rest.length && !read_part(reader))
        return false;
    return pqti_source_read(bytes, capacity, count, &reader->rest);
}

const void *
pqti_read_keyframe(pqt_store *store, const char *noun, uint64_t entry, pqt_memory *memory,
                   pqt_error *error)
{
    pqt_error failure = {0}, damage = {0};
    keyframe_reader reader = {store, entry, 0, {0}, &failure};
    const void *version =
        pqt_version_read(store->kind, read_keyframe_bytes, &reader, memory, &damage);
    if (store->database.statements[PQTI_READ_KEYFRAME] != NULL)
        sqlite3_reset(store->database.statements[PQTI_READ_KEYFRAME]);
    store->counts.keyframes_read++;
    if (version != NULL)
        return version;
    if (failure.status != PQT_OK)
        pqti_error_set(error, failure.status, failure.index, "%s", failure.text);
    else if (damage.status == PQT_ERROR_FORMAT)
        pqti_error_set(error, PQT_ERROR_FORMAT, (size_t)entry, "%s %llu: its keyframe: %s", noun,
                       (unsigned long long)entry, damage.text);
    else
        pqti_error_set(error, damage.status, damage.index, "%s", damage.text);
    return NULL;
}
