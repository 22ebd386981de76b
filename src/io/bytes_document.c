/* SPDX-License-Identifier: MIT */
/*
 * bytes_document.c: writes and reads a document as sections: DOCU; for each part, PART and the
 * sections of its version; and DONE.
 *
 * The parts are in the order of their names, as in the document. pqt_document_make checks that they
 * form a valid document.
 */
#include "config.h"

#include <pqt/bytes.h>

#include <string.h>

#include "base/error_internal.h"
#include "base/utf8.h"
#include "document/document_internal.h"
#include "io/bytes_internal.h"
#include "memory/kind_calls.h"
#include "memory/memory_internal.h"

enum { DOCUMENT_SIZE = 1, PART_SIZE = 2 };

/* ---- Writing ---- */

static bool
write_part_section(pqti_writer *writer, const pqt_document *document, size_t index)
{
    const char *name = pqti_part_name_at(document, index);
    const size_t length = strlen(name);
    pqti_section_begin(writer, "PART");
    pqti_section_put(writer, document->schema->parts[index].kind, 1);
    pqti_section_put(writer, document->schema->parts[index].keyed_by, 1);
    memcpy(pqti_section_tail(writer), name, length);
    pqti_section_add(writer, length);
    return pqti_section_end(writer);
}

static bool
write_part(pqti_writer *writer, const pqt_document *document, size_t index)
{
    const void *part = document->parts[index];
    if (!write_part_section(writer, document, index))
        return false;
    return pqti_bytes_of_kind(pqti_version_kind(part))->write_sections(writer, part);
}

static bool
write_sections(pqti_writer *writer, const void *version)
{
    const pqt_document *document = version;
    pqti_section_begin(writer, "DOCU");
    pqti_section_put(writer, document->schema->count, DOCUMENT_SIZE);
    if (!pqti_section_end(writer))
        return false;
    for (size_t i = 0; i < document->schema->count; i++)
        if (!write_part(writer, document, i))
            return false;
    return pqti_write_done(writer, pqt_document_fingerprint(document));
}

/* Returns true if each part can be written. Otherwise sets the error. */
static bool
may_write(const void *version, pqt_error *error)
{
    const pqt_document *document = version;
    for (size_t i = 0; i < document->schema->count; i++) {
        const pqti_kind_bytes *kind = pqti_bytes_of_kind(pqti_part_kind_at(document, i));
        pqt_error failure = {0};
        if (!pqti_has_mode_for(document->parts[i], &failure) ||
            (kind->may_write != NULL && !kind->may_write(document->parts[i], &failure))) {
            pqti_part_failed(error, pqti_part_name_at(document, i), &failure);
            return false;
        }
    }
    return true;
}

/* ---- Reading ---- */

/* A document that is being read: its parts so far. */
typedef struct document_reader {
    pqti_reader *reader;
    pqt_memory *memory;
    size_t most; /* the number of parts that the DOCU section announces */
    size_t count;
    pqt_part parts[PQT_MAX_PARTS];
    uint8_t keyed_by[PQT_MAX_PARTS];
    char names[PQT_MAX_PARTS][PQT_MAX_PART_NAME + 1];
} document_reader;

static bool
read_part_section(document_reader *d)
{
    char *name = d->names[d->count];
    pqti_reader *reader = d->reader;
    if (!pqti_section_read(reader, "PART", PART_SIZE + 1, PART_SIZE + PQT_MAX_PART_NAME))
        return false;
    const unsigned kind = (unsigned)pqti_section_get(reader, 1);
    d->keyed_by[d->count] = (uint8_t)pqti_section_get(reader, 1);
    const size_t length = reader->length - PART_SIZE;
    memcpy(name, reader->payload + PART_SIZE, length);
    name[length] = '\0';
    if (!pqti_is_part_kind((pqt_kind)kind))
        return pqti_section_fault(reader, "%d is not a kind of part", (int)kind);
    if (strlen(name) != length || !pqti_is_valid_name(name, PQT_MAX_PART_NAME))
        return pqti_section_fault(reader, "the name of part %zu is invalid", d->count);
    if (d->count > 0 && strcmp(d->names[d->count - 1], name) >= 0)
        return pqti_section_fault(
            reader, "the name of part %zu is not greater than the previous one", d->count);
    if (d->keyed_by[d->count] != PQTI_NOT_KEYED && d->keyed_by[d->count] >= d->most)
        return pqti_section_fault(reader, "part %zu is keyed by a part that does not exist",
                                  d->count);
    d->parts[d->count] = (pqt_part){name, (pqt_kind)kind, NULL, NULL};
    return true;
}

/* Reads the version of a part. Refuses a part of a kind that is not in this build. */
static bool
read_part(document_reader *d, pqt_part *part)
{
    pqt_error failure = {0};
    const pqti_kind_bytes *bytes = pqti_bytes_to_read(part->kind, &failure);
    if (bytes == NULL)
        pqti_part_failed(d->reader->error, part->name, &failure);
    else
        part->version = bytes->read_sections(d->reader, d->memory);
    return part->version != NULL;
}

static bool
read_parts(document_reader *d)
{
    for (; d->count < d->most; d->count++)
        if (!read_part_section(d) || !read_part(d, &d->parts[d->count]))
            return false;
    for (size_t i = 0; i < d->count; i++)
        if (d->keyed_by[i] != PQTI_NOT_KEYED)
            d->parts[i].keyed_by = d->names[d->keyed_by[i]];
    return true;
}

static const void *
read_sections(pqti_reader *reader, pqt_memory *memory)
{
    document_reader d = {.reader = reader, .memory = memory};
    pqt_error failure = {0};
    if (!pqti_section_read(reader, "DOCU", DOCUMENT_SIZE, DOCUMENT_SIZE))
        return NULL;
    d.most = (size_t)pqti_section_get(reader, DOCUMENT_SIZE);
    if (d.most == 0 || d.most > PQT_MAX_PARTS) {
        pqti_section_fault(reader, "%zu parts, not 1 to %d", d.most, PQT_MAX_PARTS);
        return NULL;
    }
    if (!read_parts(&d))
        return NULL;
    const pqt_document *document = pqt_document_make(d.parts, d.count, &failure);
    if (document == NULL) {
        pqti_section_fault_of(reader, &failure);
        return NULL;
    }
    return pqti_read_done(reader, pqt_document_fingerprint(document)) ? document : NULL;
}

const pqti_kind_bytes pqti_document_bytes = {
    .may_write = may_write,
    .write_sections = write_sections,
    .read_sections = read_sections,
};
