/* SPDX-License-Identifier: MIT */
/*
 * section.c: writes and reads the container of versions: a head, and sections with a name, a length
 * and a checksum.
 *
 * The reader's buffer grows with the data that arrive, not with the length that a section claims.
 */
#include "config.h"

#include "io/section.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <pqt/heap.h>

#include "base/error_internal.h"
#include "base/fp.h"
#include "io/columns.h"
#include "io/little_endian.h"
#include "memory/kind_table.h"
#include "memory/memory_internal.h"

enum {
    SIGNATURE_SIZE = 8,
    HEAD_SIZE = 16,
    NAME_SIZE = 4,
    SECTION_HEAD = 8,
    CHECKSUM_SIZE = 4,
    SLACK = 8,
    READ_STEP = 65536,     /* the bytes that the reader allocates before any data have arrived */
    MOST_PAYLOAD = 1 << 20 /* the maximum size of a payload in bytes, which the format sets */
};

/*
 * As in PNG, the signature consists of a byte that is not ASCII, a name, line ends of both kinds,
 * and the character that ends a text file under DOS. So a copy that was made in text mode or over a
 * seven-bit channel is recognised as damaged.
 */
static const uint8_t signature[SIGNATURE_SIZE] = {0x89, 'P', 'Q', 'T', '\r', '\n', 0x1a, '\n'};

/* ---- Writing ---- */

static bool
flush_bytes(pqti_writer *writer)
{
    if (writer->write(writer->bytes, writer->length, writer->context))
        return true;
    pqti_error_set(writer->error, PQT_ERROR_CALLBACK, 0, "the write function failed");
    return false;
}

static bool
write_head(pqti_writer *writer)
{
    memcpy(writer->bytes, signature, sizeof signature);
    pqti_store_le(writer->bytes + SIGNATURE_SIZE, PQTI_FORMAT_MAJOR, 2);
    pqti_store_le(writer->bytes + SIGNATURE_SIZE + 2, PQTI_FORMAT_MINOR, 2);
    writer->length = HEAD_SIZE - CHECKSUM_SIZE;
    pqti_store_le(writer->bytes + writer->length,
                  pqti_crc32c(&writer->tables, 0, writer->bytes, writer->length), CHECKSUM_SIZE);
    writer->length = HEAD_SIZE;
    return flush_bytes(writer);
}

bool
pqti_writer_begin(pqti_writer *writer, pqt_write_fn *write, void *context, pqt_error *error)
{
    writer->write = write;
    writer->context = context;
    writer->error = error;
    pqti_crc32c_make_tables(&writer->tables);
    writer->bytes = pqti_alloc_scratch(SECTION_HEAD + PQTI_SECTION_MOST + CHECKSUM_SIZE + SLACK, 1);
    if (writer->bytes != NULL)
        return write_head(writer);
    pqti_out_of_memory(error);
    return false;
}

void
pqti_writer_end(pqti_writer *writer)
{
    pqti_free_scratch(writer->bytes);
}

void
pqti_section_begin(pqti_writer *writer, const char *name)
{
    memcpy(writer->bytes, name, NAME_SIZE);
    writer->length = SECTION_HEAD;
}

void
pqti_section_put(pqti_writer *writer, uint64_t number, unsigned size)
{
    pqti_store_le(pqti_section_tail(writer), number, size);
    pqti_section_add(writer, size);
}

void
pqti_section_put_double(pqti_writer *writer, double number)
{
    pqti_section_put(writer, pqti_bits_of(number), sizeof number);
}

uint8_t *
pqti_section_tail(pqti_writer *writer)
{
    return writer->bytes + writer->length;
}

void
pqti_section_add(pqti_writer *writer, size_t count)
{
    writer->length += count;
    PQT_INVARIANT(writer->length <= SECTION_HEAD + PQTI_SECTION_MOST, "a section is too long");
}

size_t
pqti_section_length(const pqti_writer *writer)
{
    return writer->length - SECTION_HEAD;
}

bool
pqti_section_end(pqti_writer *writer)
{
    pqti_store_le(writer->bytes + NAME_SIZE, pqti_section_length(writer), 4);
    pqti_store_le(writer->bytes + writer->length,
                  pqti_crc32c(&writer->tables, 0, writer->bytes, writer->length), CHECKSUM_SIZE);
    writer->length += CHECKSUM_SIZE;
    return flush_bytes(writer);
}

bool
pqti_section_write_columns(pqti_writer *writer, const char *name, const uint64_t *words,
                           size_t stride, size_t columns, size_t rows)
{
    pqti_section_begin(writer, name);
    pqti_section_add(writer,
                     pqti_columns_encode(words, stride, columns, rows, pqti_section_tail(writer)));
    return pqti_section_end(writer);
}

bool
pqti_write_done(pqti_writer *writer, pqt_fingerprint fingerprint)
{
    pqti_section_begin(writer, "DONE");
    pqti_section_put(writer, fingerprint.low, 8);
    pqti_section_put(writer, fingerprint.high, 8);
    return pqti_section_end(writer);
}

/* ---- Faults ---- */

/* Reports a fault at a given offset. Returns false. */
static bool
report_fault(pqti_reader *reader, uint64_t at, const char *sentence)
{
    pqti_error_set(reader->error, PQT_ERROR_FORMAT, (size_t)at, "byte %llu: %s",
                   (unsigned long long)at, sentence);
    return false;
}

bool
pqti_section_fault(pqti_reader *reader, const char *format, ...)
{
    char sentence[sizeof reader->error->text];
    va_list values;
    va_start(values, format);
    vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    pqti_error_set(reader->error, PQT_ERROR_FORMAT, (size_t)reader->section,
                   "byte %llu: section %s: %s", (unsigned long long)reader->section, reader->name,
                   sentence);
    return false;
}

bool
pqti_section_fault_of(pqti_reader *reader, const pqt_error *failure)
{
    if (failure->status == PQT_ERROR_MEMORY || failure->status == PQT_ERROR_UNSUPPORTED ||
        failure->status == PQT_ERROR_THREAD || failure->status == PQT_ERROR_ARITHMETIC) {
        pqti_error_set(reader->error, failure->status, 0, "%s", failure->text);
        return false;
    }
    return pqti_section_fault(reader, "%s", failure->text);
}

/* ---- Reading ---- */

/* Reads `count` bytes, or fewer at the end of the data. Returns false and sets the error on
   failure. */
static bool
read_some(pqti_reader *reader, uint8_t *to, size_t count, size_t *got)
{
    for (*got = 0; *got < count;) {
        size_t more = 0;
        if (!reader->read(to + *got, count - *got, &more, reader->context)) {
            pqti_error_set(reader->error, PQT_ERROR_CALLBACK, 0, "the read function failed");
            return false;
        }
        if (more > count - *got) {
            pqti_error_set(reader->error, PQT_ERROR_CALLBACK, 0,
                           "the read function returned %zu bytes, but %zu were requested", more,
                           count - *got);
            return false;
        }
        if (more == 0)
            break;
        *got += more;
        reader->offset += more;
    }
    return true;
}

/* Reads exactly `count` bytes. Returns false and sets the error on failure. */
static bool
read_bytes(pqti_reader *reader, uint8_t *to, size_t count)
{
    size_t got;
    if (!read_some(reader, to, count, &got))
        return false;
    return got == count || report_fault(reader, reader->offset, "the data end too early");
}

static bool
check_signature(pqti_reader *reader, const uint8_t *head, size_t size)
{
    if (size == SIGNATURE_SIZE && memcmp(head, signature, SIGNATURE_SIZE) == 0)
        return true;
    if (size >= 4 && memcmp(head, signature, 4) == 0)
        return report_fault(reader, 4,
                            size < SIGNATURE_SIZE
                                ? "the data end too early"
                                : "the line ends were changed, as if the file were text");
    return report_fault(reader, 0,
                        size == 0 ? "there are no data" : "the data are not in the format of pqt");
}

static bool
check_version(pqti_reader *reader, const uint8_t *head)
{
    const unsigned major = (unsigned)pqti_load_le(head + SIGNATURE_SIZE, 2);
    const unsigned minor = (unsigned)pqti_load_le(head + SIGNATURE_SIZE + 2, 2);
    if (major > PQTI_FORMAT_MAJOR) {
        pqti_error_set(reader->error, PQT_ERROR_FORMAT, SIGNATURE_SIZE,
                       "byte 8: the format version is %d.%d; this library reads %d", (int)major,
                       (int)minor, PQTI_FORMAT_MAJOR);
        return false;
    }
    if (pqti_crc32c(&reader->tables, 0, head, HEAD_SIZE - CHECKSUM_SIZE) !=
        pqti_load_le(head + HEAD_SIZE - CHECKSUM_SIZE, CHECKSUM_SIZE))
        return report_fault(reader, 0, "the checksum of the head is wrong");
    return major > 0 || report_fault(reader, SIGNATURE_SIZE, "the format version is 0");
}

bool
pqti_reader_begin(pqti_reader *reader, pqt_read_fn *read, void *context, pqt_memory *memory,
                  pqt_error *error)
{
    uint8_t head[HEAD_SIZE];
    size_t got;
    *reader = (pqti_reader){.read = read, .context = context, .error = error};
    pqti_crc32c_make_tables(&reader->tables);
    memory = pqti_memory_or_default(memory, error);
    /* The caller's read function may reclaim versions, so a scope must be open. */
    if (memory == NULL || !pqt_scope_begin(memory, error))
        return false;
    reader->memory = memory;
    return read_some(reader, head, SIGNATURE_SIZE, &got) && check_signature(reader, head, got) &&
           read_bytes(reader, head + SIGNATURE_SIZE, HEAD_SIZE - SIGNATURE_SIZE) &&
           check_version(reader, head);
}

void
pqti_reader_end(pqti_reader *reader)
{
    if (reader->memory != NULL)
        pqt_scope_end(reader->memory);
    pqti_free_scratch(reader->payload);
}

/* Grows the payload to `needed` bytes and keeps the first `kept` bytes. Returns false and sets the
   error on failure. */
static bool
reserve_payload(pqti_reader *reader, size_t needed, size_t kept)
{
    if (needed <= reader->capacity)
        return true;
    uint8_t *larger = pqti_alloc_scratch(needed + SLACK, 1);
    if (larger == NULL) {
        pqti_out_of_memory(reader->error);
        return false;
    }
    memset(larger + kept, 0, needed + SLACK - kept);
    if (kept > 0)
        memcpy(larger, reader->payload, kept);
    pqti_free_scratch(reader->payload);
    reader->payload = larger;
    reader->capacity = needed;
    return true;
}

/* Reads the payload in steps, so that a wrong length does not make the reader allocate much
   memory. */
static bool
read_payload(pqti_reader *reader)
{
    for (size_t got = 0; got < reader->length;) {
        const size_t rest = reader->length - got;
        size_t step = got > READ_STEP ? got : READ_STEP;
        step = step < rest ? step : rest;
        if (!reserve_payload(reader, got + step, got) ||
            !read_bytes(reader, reader->payload + got, step))
            return false;
        got += step;
    }
    return true;
}

static bool
is_letter(uint8_t byte)
{
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

static bool
take_section_head(pqti_reader *reader, const uint8_t *head)
{
    for (int i = 0; i < NAME_SIZE; i++)
        if (!is_letter(head[i]))
            return report_fault(reader, reader->section, "no section begins here");
    memcpy(reader->name, head, NAME_SIZE);
    reader->name[NAME_SIZE] = '\0';
    reader->length = (size_t)pqti_load_le(head + NAME_SIZE, 4);
    return reader->length <= MOST_PAYLOAD ||
           pqti_section_fault(reader, "%zu bytes, the maximum is %d", reader->length, MOST_PAYLOAD);
}

/* Reads the next section, whatever its name. Returns false and sets the error on failure. */
static bool
read_any_section(pqti_reader *reader)
{
    uint8_t head[SECTION_HEAD], stored[CHECKSUM_SIZE];
    reader->section = reader->offset;
    reader->next = 0;
    if (!read_bytes(reader, head, sizeof head) || !take_section_head(reader, head) ||
        !read_payload(reader) || !read_bytes(reader, stored, sizeof stored))
        return false;
    uint32_t sum = pqti_crc32c(&reader->tables, 0, head, sizeof head);
    sum = pqti_crc32c(&reader->tables, sum, reader->payload, reader->length);
    return sum == pqti_load_le(stored, CHECKSUM_SIZE) ||
           pqti_section_fault(reader, "the checksum is wrong");
}

#define NAME_OF_SECTION(number, name, elements, section, calls, bytes, changes) [number] = section,
static const char *const first_sections[] = {PQTI_KIND_TABLE(NAME_OF_SECTION)};

/* Returns the kind of version that begins with a section of this name. */
static pqt_kind
kind_of_section(const char *name)
{
    for (size_t i = PQT_KIND_NONE + 1; i < sizeof first_sections / sizeof *first_sections; i++)
        if (memcmp(name, first_sections[i], NAME_SIZE) == 0)
            return (pqt_kind)i;
    return PQT_KIND_OTHER;
}

/* Returns a noun for what begins with a section of this name, or NULL if nothing does. */
static const char *
noun_of_section(const char *name)
{
    const pqt_kind kind = kind_of_section(name);
    if (kind != PQT_KIND_OTHER)
        return pqt_kind_name(kind);
    return memcmp(name, PQTI_HISTORY_SECTION, NAME_SIZE) == 0 ? "history" : NULL;
}

static const char *
article_of(const char *noun)
{
    return noun[0] == 'i' ? "an" : "a";
}

bool
pqti_section_read(pqti_reader *reader, const char *name, size_t least, size_t most)
{
    do {
        if (!read_any_section(reader))
            return false;
    } while (reader->name[0] >= 'a');
    if (strcmp(reader->name, name) != 0) {
        const char *wanted = noun_of_section(name), *found = noun_of_section(reader->name);
        if (wanted == NULL || found == NULL)
            return pqti_section_fault(reader, "expected section %s", name);
        return pqti_section_fault(reader, "expected %s %s (%s), found %s %s", article_of(wanted),
                                  wanted, name, article_of(found), found);
    }
    if (reader->length < least || reader->length > most)
        return pqti_section_fault(reader, "%zu bytes, not %zu to %zu", reader->length, least, most);
    return true;
}

uint64_t
pqti_section_get(pqti_reader *reader, unsigned size)
{
    if (reader->length - reader->next < size)
        return 0;
    const uint64_t number = pqti_load_le(reader->payload + reader->next, size);
    reader->next += size;
    return number;
}

double
pqti_section_get_double(pqti_reader *reader)
{
    return pqti_double_of(pqti_section_get(reader, sizeof(double)));
}

size_t
pqti_section_read_columns(pqti_reader *reader, const char *name, uint64_t *words, size_t stride,
                          size_t columns, uint64_t left)
{
    const size_t rows = left < stride ? (size_t)left : stride;
    if (!pqti_section_read(reader, name, 1, pqti_columns_most(columns, rows)))
        return 0;
    const char *wrong =
        pqti_columns_decode(reader->payload, reader->length, words, stride, columns, rows);
    if (wrong == NULL)
        return rows;
    pqti_section_fault(reader, "%s", wrong);
    return 0;
}

bool
pqti_read_done(pqti_reader *reader, pqt_fingerprint fingerprint)
{
    if (!pqti_section_read(reader, "DONE", 16, 16))
        return false;
    const uint64_t low = pqti_section_get(reader, 8), high = pqti_section_get(reader, 8);
    return (low == fingerprint.low && high == fingerprint.high) ||
           pqti_section_fault(reader, "the fingerprint is not that of the version");
}

const char *
pqti_first_section(const void *bytes, size_t count)
{
    return count < PQT_BYTES_HEAD || memcmp(bytes, signature, sizeof signature) != 0
               ? NULL
               : (const char *)bytes + HEAD_SIZE;
}

pqt_kind
pqt_bytes_kind_of(const void *bytes, size_t count)
{
    PQT_ASSERT(bytes != NULL || count == 0, "bytes is NULL, and count is not 0");
    const char *name = pqti_first_section(bytes, count);
    return name == NULL ? PQT_KIND_NONE : kind_of_section(name);
}
