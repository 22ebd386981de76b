/* SPDX-License-Identifier: MIT */
/*
 * history_write.c: writes a history as bytes (history_rows.h).
 *
 * A history in a store is written like any other: each version is loaded for its entry and for
 * those of its children, and may be forgotten afterwards.
 */
#include "config.h"

#include <pqt/history_bytes.h>

#include <string.h>

#include "base/error_internal.h"
#include "base/fp.h"
#include "change/change.h"
#include "change/history_rows.h"
#include "io/bytes_internal.h"
#include "io/little_endian.h"
#include "memory/kind_calls.h"
#include "version/history_internal.h"

enum { FINGERPRINT_SIZE = 16 };

typedef struct history_writer {
    pqti_writer to;
    const pqt_history *history;
    uint64_t *words;         /* in scratch memory: the rows of a block */
    bool is_open;            /* a BYTE section is open */
    pqti_byte_buffer text;   /* what precedes the changes of an entry in the stream */
    pqti_byte_buffer change; /* the changes of an entry */
    pqt_error *error;
} history_writer;

/* ---- Rows ---- */

/* Returns the label of the entry before, or an empty label for the first entry. */
static const char *
label_before(const pqt_history *history, uint32_t slot)
{
    return slot == 0 ? "" : history->records[slot - 1].label;
}

static bool
has_new_label(const pqt_history *history, uint32_t slot)
{
    return strcmp(history->records[slot].label, label_before(history, slot)) != 0;
}

/* Returns true if redo leads to an entry from its parent, although the parent has a newer child. */
static bool
is_redone(const pqt_history *history, uint32_t slot)
{
    const pqti_record *parent = &history->records[history->records[slot].parent];
    return slot != 0 && parent->redo == slot && parent->last != slot;
}

static void
fill_row(const pqt_history *history, uint32_t slot, uint64_t *row)
{
    const pqti_record *records = history->records, *record = &records[slot];
    const uint64_t before = slot == 0 ? 0 : records[slot - 1].number;
    enum { STRIDE = PQTI_RECORD_ROWS };
    row[STRIDE * PQTI_NUMBER_COLUMN] = record->number - before;
    row[STRIDE * PQTI_PARENT_COLUMN] = record->number - records[record->parent].number;
    row[STRIDE * PQTI_TIME_COLUMN] = pqti_bits_of(record->time + 0.0);
    row[STRIDE * PQTI_COALESCING_COLUMN] = record->key;
    row[STRIDE * PQTI_REDO_COLUMN] = is_redone(history, slot);
    row[STRIDE * PQTI_LABEL_COLUMN] = has_new_label(history, slot) ? strlen(record->label) + 1 : 0;
    row[STRIDE * PQTI_NAME_COLUMN] = record->name == NULL ? 0 : strlen(record->name);
}

/* ---- Versions ---- */

static bool
write_buffer(history_writer *w, const pqti_byte_buffer *buffer)
{
    if (buffer->failed)
        pqti_out_of_memory(w->error);
    return !buffer->failed &&
           pqti_section_write_bytes(&w->to, &w->is_open, buffer->bytes, buffer->length);
}

/* Ends the stream, so that another section may follow. */
static bool
end_stream(history_writer *w)
{
    const bool was_open = w->is_open;
    w->is_open = false;
    return !was_open || pqti_section_end(&w->to);
}

static bool
write_whole(history_writer *w, const void *version)
{
    const pqti_kind_bytes *bytes = pqti_bytes_of_kind(w->history->versions);
    pqti_put_varint(&w->text, 0);
    return (bytes->may_write == NULL || bytes->may_write(version, w->error)) &&
           write_buffer(w, &w->text) && end_stream(w) && bytes->write_sections(&w->to, version);
}

static bool
write_change(history_writer *w, pqt_fingerprint fingerprint)
{
    uint8_t bytes[FINGERPRINT_SIZE];
    pqti_store_le64(bytes, fingerprint.low);
    pqti_store_le64(bytes + 8, fingerprint.high);
    pqti_put_varint(&w->text, (uint64_t)w->change.length + 1);
    pqti_put_bytes(&w->text, bytes, sizeof bytes);
    return write_buffer(w, &w->text) && write_buffer(w, &w->change);
}

/* Writes the version of an entry after its label and its name: the changes from its parent's
   version, or the whole version if no changes lead to it. */
static bool
write_version(history_writer *w, uint32_t slot)
{
    const pqt_history *history = w->history;
    const pqti_record *record = &history->records[slot];
    pqti_encoding encoding = PQTI_NO_CHANGE;
    pqti_history_trim(history);
    const void *before = pqti_history_load(history, record->parent, w->error);
    const void *version = before == NULL ? NULL : pqti_history_load(history, slot, w->error);
    if (version == NULL || (slot != 0 && !pqti_change_write(&w->change, history->versions, before,
                                                            version, &encoding, w->error)))
        return false;
    return encoding == PQTI_NO_CHANGE ? write_whole(w, version)
                                      : write_change(w, pqt_version_fingerprint(version));
}

static bool
write_entry(history_writer *w, uint32_t slot)
{
    const pqt_history *history = w->history;
    const pqti_record *record = &history->records[slot];
    w->text.length = w->change.length = 0;
    if (has_new_label(history, slot))
        pqti_put_bytes(&w->text, record->label, strlen(record->label));
    if (record->name != NULL)
        pqti_put_bytes(&w->text, record->name, strlen(record->name));
    /* The changes of a region are a region, which only the scope keeps. */
    if (!pqti_scope_begin(history->memory, w->error))
        return false;
    const bool done = write_version(w, slot);
    pqti_scope_end(history->memory);
    return done;
}

/* ---- Histories ---- */

static bool
write_history_section(history_writer *w)
{
    const pqt_history *history = w->history;
    pqti_section_begin(&w->to, PQTI_HISTORY_SECTION);
    pqti_section_put(&w->to, (uint64_t)history->versions, 1);
    pqti_section_put(&w->to, history->count, 4);
    pqti_section_put(&w->to, history->records[history->current].number, 8);
    pqti_section_put(&w->to, history->records[history->saved].number, 8);
    pqti_section_put(&w->to, history->next_number, 8);
    return pqti_section_end(&w->to);
}

static bool
write_block(history_writer *w, uint32_t from)
{
    const uint32_t rest = w->history->count - from;
    const uint32_t rows = rest < PQTI_RECORD_ROWS ? rest : PQTI_RECORD_ROWS;
    for (uint32_t i = 0; i < rows; i++)
        fill_row(w->history, from + i, &w->words[i]);
    if (!pqti_section_write_columns(&w->to, "NTRY", w->words, PQTI_RECORD_ROWS, PQTI_RECORD_COLUMNS,
                                    rows))
        return false;
    for (uint32_t i = 0; i < rows; i++)
        if (!write_entry(w, from + i))
            return false;
    return end_stream(w);
}

static bool
write_sections(history_writer *w)
{
    w->words = pqti_alloc_scratch(PQTI_RECORD_COLUMNS * PQTI_RECORD_ROWS, sizeof *w->words);
    if (w->words == NULL) {
        pqti_out_of_memory(w->error);
        return false;
    }
    if (!write_history_section(w))
        return false;
    for (uint32_t from = 0; from < w->history->count; from += PQTI_RECORD_ROWS)
        if (!write_block(w, from))
            return false;
    const void *current = pqti_history_load(w->history, w->history->current, w->error);
    return current != NULL && pqti_write_done(&w->to, pqt_version_fingerprint(current));
}

static bool
may_write(const pqt_history *history, pqt_error *error)
{
    if (history->versions == PQT_KIND_NONE)
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "the history holds %s, which no file can hold",
                       history->kind.name);
    else if (history->group_depth > 0)
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "a group of the history is open");
    else if (history->next_number > PQTI_HISTORY_MAX_NEXT)
        pqti_error_set(error, PQT_ERROR_LIMIT, 0, "no entry can have a higher number than %llu",
                       (unsigned long long)history->next_number - 1);
    else
        return pqti_has_mode_for(pqt_history_value(history), error);
    return false;
}

static bool
write_history(const void *history, pqt_write_fn *write, void *context, pqt_error *error)
{
    history_writer w = {.history = history, .error = error};
    if (!may_write(history, error))
        return false;
    const bool done = pqti_writer_begin(&w.to, write, context, error) && write_sections(&w);
    pqti_writer_end(&w.to);
    pqti_free_scratch(w.words);
    pqti_buffer_free(&w.text);
    pqti_buffer_free(&w.change);
    return done;
}

bool
pqt_history_write(const pqt_history *history, pqt_write_fn *write, void *context, pqt_error *error)
{
    PQT_ASSERT(history != NULL || pqti_may_be_null(error),
               "the history is NULL, and no earlier error is set");
    PQT_ASSERT(write != NULL, "write is NULL");
    return history != NULL && write_history(history, write, context, error);
}

#ifndef PQT_NO_FILES /* the library in one file, for Windows */
bool
pqt_history_save_file(const pqt_history *history, const char *path, pqt_error *error)
{
    PQT_ASSERT(history != NULL || pqti_may_be_null(error),
               "the history is NULL, and no earlier error is set");
    PQT_ASSERT(path != NULL, "path is NULL");
    return history != NULL && may_write(history, error) &&
           pqti_save_value(history, write_history, path, error);
}
#endif
