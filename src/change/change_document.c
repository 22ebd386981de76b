/* SPDX-License-Identifier: MIT */
/*
 * change_document.c: the changes of a document. For each part that differs, they contain its index,
 * and either its changes or the whole part.
 */
#include "config.h"

#include "change/change_part.h"

#include "base/error_internal.h"
#include "document/document_internal.h"
#include "change/version_bytes.h"
#include "memory/kind_calls.h"

enum { PART_CHANGE = 1, PART_WHOLE = 2 };

/* Writes the length of the bytes of a part and then the bytes. */
static void
put_part(pqti_byte_buffer *to, size_t place, unsigned how, const pqti_byte_buffer *bytes)
{
    pqti_put_byte(to, (unsigned)place);
    pqti_put_byte(to, how);
    pqti_put_varint(to, bytes->length);
    pqti_put_bytes(to, bytes->bytes, bytes->length);
    to->failed |= bytes->failed;
}

/* Sets the encoding to PQTI_FORWARD if the part is written whole. */
static bool
write_part(pqti_byte_buffer *to, size_t place, const pqt_part *before, const pqt_part *after,
           pqti_encoding *encoding, pqt_error *error)
{
    pqti_byte_buffer bytes = {0};
    pqti_encoding of_part = PQTI_NO_CHANGE;
    bool done =
        pqti_part_write(&bytes, after->kind, before->version, after->version, &of_part, error);
    const bool is_whole = of_part == PQTI_NO_CHANGE;
    if (done && is_whole) {
        *encoding = PQTI_FORWARD;
        done = pqti_version_put(&bytes, after->version, error);
    }
    if (done)
        put_part(to, place, is_whole ? PART_WHOLE : PART_CHANGE, &bytes);
    pqti_buffer_free(&bytes);
    return done;
}

static bool
write_parts(pqti_byte_buffer *to, const void *before, const void *after, pqti_encoding *encoding,
            pqt_error *error)
{
    if (!pqti_check_schemas(before, after, NULL))
        return true;
    *encoding = PQTI_REVERSIBLE;
    for (size_t i = 0; i < pqt_document_count(after); i++) {
        const pqt_part old = pqt_document_get_part(before, i),
                       now = pqt_document_get_part(after, i);
        if (!pqti_equals(old.version, now.version) &&
            !write_part(to, i, &old, &now, encoding, error))
            return false;
    }
    return true;
}

/* Reads a part that was stored whole. */
static bool
read_whole(pqti_changes *changes, pqti_part_changes *part, pqti_byte_source *source,
           pqt_error *error)
{
    const void *whole =
        pqt_version_read(part->kind, pqti_source_read, source, changes->memory, error);
    if (whole == NULL)
        return false;
    pqti_part_replace(part, whole);
    return true;
}

/* Reads the changes of a part. The kinds of all parts must have been set. */
static bool
read_part(pqti_changes *changes, pqti_byte_source *source, bool backwards, pqt_error *error)
{
    const unsigned place = pqti_get_byte(source), how = pqti_get_byte(source);
    const size_t length = pqti_get_count(source, 1);
    pqti_byte_source bytes = {pqti_get_bytes(source, length), length, 0, false};
    if (source->failed || place >= PQT_MAX_PARTS || changes->parts[place].kind == PQT_KIND_NONE ||
        how < PART_CHANGE || how > PART_WHOLE || (how == PART_WHOLE && backwards)) {
        source->failed = true;
        return true;
    }
    pqti_part_changes *part = &changes->parts[place];
    if (changes->only != PQT_KIND_NONE && part->kind != changes->only)
        return true;
    if (changes->only != PQT_KIND_NONE && how == PART_WHOLE) {
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "the %s has different bounds or options",
                       pqt_kind_name(part->kind));
        return false;
    }
    part->has_changed = true;
    const bool done = how == PART_WHOLE
                          ? read_whole(changes, part, &bytes, error)
                          : pqti_part_read(changes, part->kind, part, &bytes, backwards, error);
    source->failed |= bytes.failed || bytes.next != bytes.length;
    return done;
}

/*
 * A change contains each part at most once, so the parts can be read in any order, and both
 * forwards and backwards.
 */
static bool
read_parts(pqti_changes *changes, pqti_part_changes *part, pqti_byte_source *source, bool backwards,
           pqt_error *error)
{
    (void)part;
    while (source->next < source->length && !source->failed)
        if (!read_part(changes, source, backwards, error))
            return false;
    return true;
}

static void
begin_parts(pqti_changes *changes, const void *start)
{
    for (size_t i = 0; i < pqt_document_count(start); i++)
        changes->parts[i].kind = pqt_document_get_part(start, i).kind;
}

static const void *
apply_parts(const pqti_changes *changes, const pqti_part_changes *part, const void *start,
            pqt_error *error)
{
    pqt_part made[PQT_MAX_PARTS];
    size_t count = 0;
    (void)part;
    for (size_t i = 0; i < pqt_document_count(start); i++) {
        if (!changes->parts[i].has_changed)
            continue;
        const pqti_part_changes *at = &changes->parts[i];
        made[count] = pqt_document_get_part(start, i);
        made[count].version = pqti_part_apply(
            changes, at->kind, at, at->whole != NULL ? at->whole : made[count].version, error);
        if (made[count++].version == NULL)
            return NULL;
    }
    return pqt_document_set_parts(start, made, count, error);
}

const pqti_kind_changes pqti_document_changes = {
    .write = write_parts,
    .read = read_parts,
    .apply = apply_parts,
    .begin = begin_parts,
};
