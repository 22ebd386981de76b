/* SPDX-License-Identifier: MIT */
/*
 * history_read.c: reads a history from bytes (history_rows.h).
 *
 * Each entry is checked before the next one is read: its row, its texts, and its version, whose
 * fingerprint the bytes contain. A version is made from that of its parent by the changes, so both
 * share structure. Memory is allocated for what has arrived, not for what a number claims.
 */
#include "config.h"

#include <pqt/history_bytes.h>

#include <stdlib.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/fp.h"
#include "base/utf8.h"
#include "change/change.h"
#include "change/history_rows.h"
#include "io/bytes_internal.h"
#include "io/little_endian.h"
#include "memory/kind_calls.h"
#include "version/history_internal.h"

enum { FINGERPRINT_SIZE = 16 };

typedef struct history_reader {
    pqti_reader from;
    const pqti_kind_bytes *bytes;
    pqt_history *history;
    uint64_t head, block;    /* the offsets of HIST and of the last NTRY */
    uint64_t most;           /* the number of entries that HIST announces */
    uint64_t current, saved; /* numbers of entries */
    uint64_t *words;         /* in scratch memory: the rows of a block */
    uint64_t number;         /* the number of the entry that is being read */
    bool is_open;            /* from.payload is a BYTE section of the stream */
    pqti_byte_buffer change; /* the changes of the entry */
} history_reader;

/* ---- Faults ---- */

/* Reports a fault of the entry that is being read. Returns false. */
static bool
report_entry(history_reader *r, const char *fault)
{
    return pqti_section_fault(&r->from, "entry %llu: %s", (unsigned long long)r->number, fault);
}

/* Reports a fault in the row of the entry, which is in a section before its texts. Returns
   false. */
static bool
report_row(history_reader *r, const char *fault)
{
    memcpy(r->from.name, "NTRY", sizeof r->from.name);
    r->from.section = r->block;
    return report_entry(r, fault);
}

/* Reports the failure of a call that used the bytes of the entry. Returns false. */
static bool
report_failure(history_reader *r, const pqt_error *failure)
{
    pqt_error named = {0};
    pqti_error_set(&named, failure->status, 0, "entry %llu: %s", (unsigned long long)r->number,
                   failure->text);
    return pqti_section_fault_of(&r->from, &named);
}

/* ---- The stream of an entry ---- */

/* Makes sure that the stream has a byte. Each BYTE section of a stream but the last one is full. */
static bool
fill_stream(history_reader *r)
{
    pqti_reader *from = &r->from;
    if (r->is_open && from->next < from->length)
        return true;
    if (r->is_open && from->length < PQTI_BYTE_SECTION)
        return report_entry(r, "its bytes are incomplete");
    r->is_open = true;
    return pqti_section_read(from, "BYTE", 1, PQTI_BYTE_SECTION);
}

/* Takes up to `most` bytes from the stream. Returns their number, or 0 on failure. */
static size_t
take_some(history_reader *r, uint8_t *to, size_t most)
{
    pqti_reader *from = &r->from;
    if (!fill_stream(r))
        return 0;
    const size_t rest = from->length - from->next, count = most < rest ? most : rest;
    memcpy(to, from->payload + from->next, count);
    from->next += count;
    return count;
}

static bool
take_bytes(history_reader *r, void *to, size_t count)
{
    for (size_t got = 0; got < count;) {
        const size_t more = take_some(r, (uint8_t *)to + got, count - got);
        if (more == 0)
            return false;
        got += more;
    }
    return true;
}

/* Ends a stream, after which another section follows. */
static bool
end_stream(history_reader *r)
{
    if (r->is_open && r->from.next < r->from.length)
        return report_entry(r, "bytes follow it, but no entry");
    r->is_open = false;
    return true;
}

/* Takes a text with a given number of bytes. Returns false if it cannot be read. */
static bool
take_text(history_reader *r, uint64_t size, char text[PQT_MAX_LABEL + 1])
{
    text[size] = '\0';
    return take_bytes(r, text, (size_t)size);
}

static bool
take_varint(history_reader *r, uint64_t *number)
{
    uint8_t bytes[PQTI_MOST_VARINT];
    size_t count = 0;
    do
        if (!take_bytes(r, &bytes[count], 1))
            return false;
    while (bytes[count++] >= 0x80 && count < sizeof bytes);
    pqti_byte_source source = {bytes, count, 0, false};
    *number = pqti_get_varint(&source);
    return !source.failed || report_entry(r, "the size of its changes is damaged");
}

/* Takes the changes of an entry. Their memory grows as they arrive. */
static bool
take_change(history_reader *r, uint64_t size)
{
    r->change.length = 0;
    for (uint64_t left = size; left > 0;) {
        if (!fill_stream(r))
            return false;
        const size_t rest = r->from.length - r->from.next;
        const size_t count = left < rest ? (size_t)left : rest;
        pqti_put_bytes(&r->change, r->from.payload + r->from.next, count);
        r->from.next += count;
        left -= count;
    }
    if (r->change.failed)
        pqti_out_of_memory(r->from.error);
    return !r->change.failed;
}

/* ---- Versions ---- */

static bool
check_fingerprint(history_reader *r, const uint8_t *bytes, const void *version)
{
    const pqt_fingerprint wanted = {pqti_load_le64(bytes), pqti_load_le64(bytes + 8)};
    return pqt_fingerprint_equals(wanted, pqt_version_fingerprint(version)) ||
           report_entry(r, "its changes make a different version");
}

/* Applies the changes of the entry to the version of its parent. Returns NULL on failure. */
static const void *
apply_change(history_reader *r, const void *before)
{
    pqti_changes changes;
    pqt_error failure = {0};
    const void *version = NULL;
    pqti_byte_source source = {r->change.bytes, r->change.length, 0, false};
    pqti_changes_begin(&changes, r->history->versions, before, r->history->memory);
    if (pqti_change_read(&changes, &source, false, &failure))
        version = pqti_changes_apply(&changes, before, &failure);
    pqti_changes_free(&changes);
    if (version == NULL)
        report_failure(r, &failure);
    return version;
}

/* Reads the version of an entry. `before` is that of its parent, or NULL. Returns NULL on
   failure. */
static const void *
read_version(history_reader *r, const void *before)
{
    uint64_t size = 0;
    uint8_t fingerprint[FINGERPRINT_SIZE];
    if (!take_varint(r, &size))
        return NULL;
    if (size == 0)
        return end_stream(r) ? r->bytes->read_sections(&r->from, r->history->memory) : NULL;
    if (before == NULL) {
        report_entry(r, "it is the first one, but its version is not whole");
        return NULL;
    }
    if (!take_bytes(r, fingerprint, sizeof fingerprint) || !take_change(r, size - 1))
        return NULL;
    const void *version = apply_change(r, before);
    return version != NULL && check_fingerprint(r, fingerprint, version) ? version : NULL;
}

/* ---- Entries ---- */

/* Returns the word of an entry in a column. */
static uint64_t
word_of(const history_reader *r, size_t row, pqti_record_column column)
{
    return r->words[PQTI_RECORD_ROWS * column + row];
}

/* Sets the number of an entry. Returns a description of the fault, or NULL if there is none. */
static const char *
take_number(history_reader *r, uint64_t difference)
{
    const pqt_history *history = r->history;
    const uint64_t before = history->count == 0 ? 0 : history->records[history->count - 1].number;
    if (history->count == 0)
        return difference == 0 ? NULL : "it is the first one, but its number is not 0";
    if (difference == 0 || difference >= history->next_number - before)
        return "the number of the next entry is out of range";
    r->number = before + difference;
    return NULL;
}

/* Sets the numbers of a record from its row. Returns a description of the fault, or NULL if there
   is none. */
static const char *
take_row(history_reader *r, size_t row, pqti_record *record)
{
    const pqt_history *history = r->history;
    const bool is_first = history->count == 0;
    const char *fault = take_number(r, word_of(r, row, PQTI_NUMBER_COLUMN));
    const uint64_t difference = word_of(r, row, PQTI_PARENT_COLUMN);
    const uint64_t time = word_of(r, row, PQTI_TIME_COLUMN);
    if (fault != NULL)
        return fault;
    record->number = r->number;
    record->key = word_of(r, row, PQTI_COALESCING_COLUMN);
    record->time = pqti_double_of(time);
    if (record->time - record->time != 0 || pqti_bits_of(record->time + 0.0) != time)
        return "its time is not finite, or is -0.0";
    record->parent = is_first ? 0 : pqti_history_slot(history, r->number - difference);
    if (difference > r->number || record->parent == PQTI_NO_SLOT)
        return "its parent is missing";
    if (!is_first && record->time < history->records[record->parent].time)
        return "its time is before that of its parent";
    if (word_of(r, row, PQTI_LABEL_COLUMN) > PQT_MAX_LABEL + 1)
        return "its label is too long";
    return word_of(r, row, PQTI_NAME_COLUMN) > PQT_MAX_LABEL ? "its name is too long" : NULL;
}

/* Takes the label of an entry. `word` is its size and 1 more, or 0 for the label of the entry
   before. */
static bool
take_label(history_reader *r, uint64_t word, pqti_record *record)
{
    const pqt_history *history = r->history;
    char label[PQT_MAX_LABEL + 1], shown[PQT_MAX_LABEL + 1];
    record->label = history->count == 0 ? "" : history->records[history->count - 1].label;
    if (word == 0)
        return true;
    if (!take_text(r, word - 1, label))
        return false;
    pqti_history_clean(label, shown);
    if (strlen(label) != word - 1 || strcmp(label, shown) != 0)
        return report_entry(r, "its label is not text");
    record->label = pqti_history_label(history, label, r->from.error);
    return record->label != NULL;
}

static bool
take_name(history_reader *r, uint64_t size, pqti_record *record)
{
    char name[PQT_MAX_LABEL + 1];
    if (size == 0)
        return true;
    if (!take_text(r, size, name))
        return false;
    if (strlen(name) != size || !pqti_is_valid_name(name, PQT_MAX_LABEL))
        return report_entry(r, "its name is not text");
    record->name = pqti_history_text(r->history, name, r->from.error);
    return record->name != NULL;
}

/* Lets the index cover a version, and the record that gets a child. */
static bool
index_version(history_reader *r, const pqti_record *record)
{
    pqt_history *history = r->history;
    pqt_error failure = {0};
    if (!history->options.indexed)
        return true;
    if (history->count == 0)
        return pqti_history_make_index(history, record->value, r->from.error);
    if (history->index->calls->covers(history, record->value, &failure))
        return pqti_history_seal(history, record->parent, r->from.error);
    pqti_error_set(r->from.error, failure.status, failure.index, "entry %llu: %s",
                   (unsigned long long)r->number, failure.text);
    return false;
}

/* Appends a record. Redo leads from its parent to the child whose row says so, or to the newest
   one. */
static bool
append_record(history_reader *r, const pqti_record *record, uint64_t redo)
{
    pqt_history *history = r->history;
    if (redo > (history->count > 0))
        return report_row(r, "its redo link is damaged");
    const uint32_t slot = pqti_history_append(history, record);
    pqti_record *parent = &history->records[record->parent];
    if (redo == 1 && parent->redo_is_stored)
        return report_row(r, "redo leads to it and to another entry");
    if (slot > 0 && (redo == 1 || !parent->redo_is_stored))
        parent->redo = slot;
    parent->redo_is_stored |= redo == 1;
    history->current = slot;
    return true;
}

static bool
add_entry(history_reader *r, size_t row)
{
    pqt_history *history = r->history;
    pqti_record record = {0};
    const char *fault = take_row(r, row, &record);
    if (fault != NULL)
        return report_row(r, fault);
    if (!pqti_history_reserve(history, r->from.error) ||
        !take_label(r, word_of(r, row, PQTI_LABEL_COLUMN), &record) ||
        !take_name(r, word_of(r, row, PQTI_NAME_COLUMN), &record))
        return false;
    const void *before = history->count == 0 ? NULL : history->records[record.parent].value;
    record.value = read_version(r, before);
    return record.value != NULL &&
           pqti_history_exclusive_bytes(history, record.value, &before, before != NULL,
                                        &record.added, r->from.error) &&
           index_version(r, &record) &&
           append_record(r, &record, word_of(r, row, PQTI_REDO_COLUMN));
}

/* Adds an entry in a scope of its own, so that a heap can reclaim what was read only for it. */
static bool
read_entry(history_reader *r, size_t row)
{
    if (!pqti_scope_begin(r->history->memory, r->from.error))
        return false;
    const bool done = add_entry(r, row);
    pqti_scope_end(r->history->memory);
    return done;
}

/* ---- Histories ---- */

/* Reads HIST, and makes a history without entries. */
static bool
read_history_section(history_reader *r, const pqt_history_options *options, pqt_memory *memory)
{
    pqti_reader *from = &r->from;
    if (!pqti_section_read(from, PQTI_HISTORY_SECTION, PQTI_HISTORY_SIZE, PQTI_HISTORY_SIZE))
        return false;
    r->head = from->section;
    const uint64_t kind = pqti_section_get(from, 1);
    r->most = pqti_section_get(from, 4);
    r->current = pqti_section_get(from, 8);
    r->saved = pqti_section_get(from, 8);
    const uint64_t next = pqti_section_get(from, 8);
    if (!pqti_is_kind(kind))
        return pqti_section_fault(from, "%d is not a kind of version", (int)kind);
    if (next < r->most || next > PQTI_HISTORY_MAX_NEXT || r->most == 0)
        return pqti_section_fault(from, "%llu entries, and the number of the next one is %llu",
                                  (unsigned long long)r->most, (unsigned long long)next);
    r->bytes = pqti_bytes_to_read((pqt_kind)kind, from->error);
    if (r->bytes == NULL)
        return false;
    r->history =
        pqti_history_new(pqt_history_kind_of((pqt_kind)kind), options, memory, from->error);
    if (r->history == NULL)
        return false;
    r->history->options.label = NULL; /* the bytes have the label of the first entry */
    r->history->next_number = next;
    return true;
}

static bool
read_block(history_reader *r)
{
    const size_t rows = pqti_section_read_columns(&r->from, "NTRY", r->words, PQTI_RECORD_ROWS,
                                                  PQTI_RECORD_COLUMNS, r->most - r->history->count);
    r->block = r->from.section;
    for (size_t row = 0; row < rows; row++)
        if (!read_entry(r, row))
            return false;
    return rows > 0 && end_stream(r);
}

static int
compare_names(const void *a, const void *b)
{
    const pqti_record *const *x = a, *const *y = b;
    const int order = strcmp((*x)->name, (*y)->name);
    return order != 0 ? order : ((*x)->number > (*y)->number) - ((*x)->number < (*y)->number);
}

/* Lists the records that have names. Returns their number. */
static size_t
list_named(const pqt_history *history, const pqti_record **named)
{
    size_t count = 0;
    for (uint32_t slot = 0; slot < history->count; slot++)
        if (history->records[slot].name != NULL)
            named[count++] = &history->records[slot];
    return count;
}

/* Compares the names in their order: comparing each with all others would take a file of many names
   too long. */
static bool
check_names(history_reader *r)
{
    const pqti_record **named = pqti_alloc_scratch(r->history->count, sizeof *named);
    bool differ = true;
    if (named == NULL) {
        pqti_out_of_memory(r->from.error);
        return false;
    }
    const size_t count = list_named(r->history, named);
    qsort(named, count, sizeof *named, compare_names);
    for (size_t i = 1; i < count && differ; i++) {
        r->number = named[i]->number;
        differ = strcmp(named[i - 1]->name, named[i]->name) != 0;
    }
    pqti_free_scratch(named);
    return differ || report_entry(r, "an earlier entry has its name");
}

/* Completes the links of the records. */
static bool
check_links(history_reader *r)
{
    for (uint32_t slot = 0; slot < r->history->count; slot++) {
        pqti_record *record = &r->history->records[slot];
        r->number = record->number;
        if (record->redo_is_stored && record->redo == record->last)
            return report_entry(r, "its redo link leads to its newest child");
        record->redo_is_stored = false;
        pqti_history_update_droppable(r->history, slot);
    }
    return true;
}

/* Sets the entry that a number in HIST marks. */
static bool
set_mark(history_reader *r, const char *noun, uint64_t number, uint32_t *slot)
{
    *slot = pqti_history_slot(r->history, number);
    if (*slot != PQTI_NO_SLOT)
        return true;
    memcpy(r->from.name, PQTI_HISTORY_SECTION, sizeof r->from.name);
    r->from.section = r->head;
    return pqti_section_fault(&r->from, "the %s entry is missing (%llu)", noun,
                              (unsigned long long)number);
}

static bool
finish_history(history_reader *r)
{
    pqt_history *history = r->history;
    uint32_t current, saved;
    if (!set_mark(r, "current", r->current, &current) || !set_mark(r, "saved", r->saved, &saved))
        return false;
    history->current = current;
    history->saved = saved;
    history->coalescing_ended = true;
    return check_links(r) && check_names(r);
}

static bool
read_sections(history_reader *r)
{
    r->words = pqti_alloc_scratch(PQTI_RECORD_COLUMNS * PQTI_RECORD_ROWS, sizeof *r->words);
    if (r->words == NULL) {
        pqti_out_of_memory(r->from.error);
        return false;
    }
    while (r->history->count < r->most)
        if (!read_block(r))
            return false;
    return finish_history(r) &&
           pqti_read_done(&r->from, pqt_version_fingerprint(pqt_history_value(r->history)));
}

/* ---- Public functions ---- */

bool
pqt_is_history(const void *bytes, size_t count)
{
    PQT_ASSERT(bytes != NULL || count == 0, "bytes is NULL, and count is not 0");
    const char *name = pqti_first_section(bytes, count);
    return name != NULL && memcmp(name, PQTI_HISTORY_SECTION, sizeof PQTI_HISTORY_SECTION - 1) == 0;
}

/* A history to be read, and how. */
typedef struct wanted_history {
    const pqt_history_options *options;
    pqt_memory *memory;
    pqt_history *history;
} wanted_history;

/* Reads a history. Implements pqti_read_value_fn. */
static bool
read_history(pqt_read_fn *read, void *context, void *value, pqt_error *error)
{
    wanted_history *wanted = value;
    history_reader r = {.history = NULL};
    const bool done = pqti_reader_begin(&r.from, read, context, wanted->memory, error) &&
                      read_history_section(&r, wanted->options, wanted->memory) &&
                      read_sections(&r);
    if (!done)
        pqt_history_destroy(&r.history);
    pqti_reader_end(&r.from);
    pqti_free_scratch(r.words);
    pqti_buffer_free(&r.change);
    wanted->history = r.history;
    return done;
}

/* Checks the options and the memory. Returns false and sets `error` on failure. */
static bool
prepare(wanted_history *wanted, const pqt_history_options *options, pqt_history_options *converted,
        pqt_memory *memory, pqt_error *error)
{
    wanted->options = pqti_history_read_options(options, converted, error);
    wanted->memory = wanted->options == NULL ? NULL : pqti_memory_or_default(memory, error);
    return wanted->memory != NULL;
}

pqt_history *
pqt_history_read(pqt_read_fn *read, void *context, const pqt_history_options *options,
                 pqt_memory *memory, pqt_error *error)
{
    pqt_history_options converted;
    wanted_history wanted = {.history = NULL};
    PQT_ASSERT(read != NULL, "read is NULL");
    if (prepare(&wanted, options, &converted, memory, error))
        read_history(read, context, &wanted, error);
    return wanted.history;
}

#ifndef PQT_NO_FILES /* the library in one file, for Windows */
pqt_history *
pqt_history_load_file(const char *path, const pqt_history_options *options, pqt_memory *memory,
                      pqt_error *error)
{
    pqt_history_options converted;
    wanted_history wanted = {.history = NULL};
    PQT_ASSERT(path != NULL, "path is NULL");
    if (prepare(&wanted, options, &converted, memory, error) &&
        !pqti_load_value(path, "history", read_history, &wanted, error))
        pqt_history_destroy(&wanted.history);
    return wanted.history;
}
#endif
