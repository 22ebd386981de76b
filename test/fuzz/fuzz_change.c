/* SPDX-License-Identifier: MIT */
/*
 * fuzz_change.c: applies arbitrary bytes as a change to a small version.
 *
 * The first byte chooses the version. The second one chooses the direction, and whether checksums
 * in the change are corrected first, so that a fuzzing engine gets past the check. The library must
 * refuse the change or make a valid version. Then the change from the old version to the new one is
 * written. Applied forwards, it must give the new version, and backwards the old one.
 */
#include "config.h"

#include <stdlib.h>

#include "bytes_support.h"
#include "change/change.h"
#include "region/region_node.h"
#include "replay.h"
#include "stored_kinds.h"

enum { BACKWARDS = 1, SEALED = 2, HEAD = 2, MOST_LEVEL = 12, MOST_EDITS = 3, KEYED = 17 };

/* Returns true if a version can be checked. A region of only a few bytes can have more squares than
   a check can visit, because squares may be shared. So versions with regions of high levels are not
   checked. */
static bool
may_check_part(const pqt_part *part)
{
    if (part->kind == PQT_KIND_REGION)
        return ((const pqt_region *)part->version)->level <= MOST_LEVEL;
    if (part->kind != PQT_KIND_WORLD)
        return true;
    const pqt_obstacle obstacle = pqt_world_get_obstacle(part->version);
    return obstacle.region == NULL || obstacle.region->level <= MOST_LEVEL;
}

static bool
may_check(pqt_kind kind, const void *version)
{
    if (kind == PQT_KIND_REGION)
        return ((const pqt_region *)version)->level <= MOST_LEVEL;
    if (kind == PQT_KIND_DOCUMENT)
        for (size_t i = 0; i < pqt_document_count(version); i++) {
            const pqt_part part = pqt_document_get_part(version, i);
            if (!may_check_part(&part))
                return false;
        }
    return true;
}

/* Corrects the checksums of bytes that begin like those of a version. */
static void
seal_version(uint8_t *bytes, size_t length)
{
    byte_buffer version = {.bytes = bytes, .length = length};
    if (pqt_bytes_kind_of(bytes, length) != PQT_KIND_NONE)
        seal(&version);
}

/* Corrects the checksums in a change. For each changed part, the change of a document has two
   bytes, the length of the part's change, and this change. */
static void
seal_change(pqt_kind kind, uint8_t *bytes, size_t length)
{
    if (kind != PQT_KIND_DOCUMENT) {
        seal_version(bytes, length);
        return;
    }
    for (pqti_byte_source parts = {bytes, length, 0, false};
         parts.next < length && !parts.failed;) {
        pqti_get_bytes(&parts, 2);
        const size_t size = pqti_get_count(&parts, 1);
        if (pqti_get_bytes(&parts, size) != NULL)
            seal_version(bytes + parts.next - size, size);
    }
}

/* Reads bytes as a change and applies it. Returns NULL and sets `error` if it is refused. */
static const void *
apply(any_version start, const uint8_t *bytes, size_t length, bool backwards, pqt_memory *memory,
      pqt_error *error)
{
    pqti_changes changes;
    pqti_byte_source source = {bytes, length, 0, false};
    pqti_changes_begin(&changes, start.kind, start.version, memory);
    const bool is_read = pqti_change_read(&changes, &source, backwards, error);
    require(is_read || error->status == PQT_ERROR_FORMAT, error->text);
    const void *made = is_read ? pqti_changes_apply(&changes, start.version, error) : NULL;
    require(made != NULL || error->status == PQT_ERROR_FORMAT ||
                error->status == PQT_ERROR_BOUNDS || error->status == PQT_ERROR_MISMATCH,
            error->text);
    pqti_changes_free(&changes);
    return made;
}

static void
write_and_apply(any_version before, any_version after, pqt_memory *memory)
{
    pqt_error error = {0};
    pqti_byte_buffer change = {0};
    pqti_encoding encoding = PQTI_NO_CHANGE;
    require(
        pqti_change_write(&change, before.kind, before.version, after.version, &encoding, &error),
        error.text);
    if (encoding != PQTI_NO_CHANGE) {
        const void *made = apply(before, change.bytes, change.length, false, memory, &error);
        require(made != NULL, error.text);
        require(pqt_version_equals(made, after.version), "the change makes another version");
    }
    if (encoding == PQTI_REVERSIBLE) {
        const void *made = apply(after, change.bytes, change.length, true, memory, &error);
        require(made != NULL, error.text);
        require(pqt_version_equals(made, before.version), "the way back leads elsewhere");
    }
    pqti_buffer_free(&change);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD)
        return 0;
    pqt_error error = {0};
    pqt_memory *arena = pqt_arena_make(0, &error);
    const any_version start = small_version(data[0] % SMALL_VERSIONS, arena, &error);
    require(start.version != NULL, error.text);
    byte_buffer change = {0};
    if (size > HEAD)
        sink(data + HEAD, size - HEAD, &change);
    if ((data[1] & SEALED) != 0)
        seal_change(start.kind, change.bytes, change.length);
    const any_version made = {start.kind, apply(start, change.bytes, change.length,
                                                (data[1] & BACKWARDS) != 0, arena, &error)};
    if (made.version != NULL && may_check(made.kind, made.version)) {
        require(pqt_version_check(made.version, &error), error.text);
        write_and_apply(start, made, arena);
    }
    free(change.bytes);
    pqt_arena_destroy(&arena);
    return 0;
}

/* Edits a version. A random key may differ from the ids of all items, so in a document with keyed
   maps only the tree is edited. */
static const void *
edit(any_version given, unsigned number, dice *d, pqt_error *error)
{
    if (number != KEYED)
        return edit_of_kind(given, d);
    const pqt_tree *shapes = pqt_document_tree(given.version, "shapes");
    return pqt_document_set_tree(given.version, "shapes", edit_tree(shapes, d, error), error);
}

/* Makes seeds for each small version: the changes of some edits, forwards and backwards. */
static void
make_seed(unsigned seed, FILE *file)
{
    pqt_error error = {0};
    dice d = {seed};
    pqt_memory *arena = pqt_arena_make(0, &error);
    const unsigned number = seed % SMALL_VERSIONS;
    const any_version start = small_version(number, arena, &error);
    const bool backwards = seed >= SMALL_VERSIONS;
    any_version last = start;
    for (size_t edits = 1 + dice_below(&d, MOST_EDITS); edits > 0; edits--)
        last.version = edit(last, number, &d, &error);
    pqti_byte_buffer change = {0};
    pqti_encoding encoding = PQTI_NO_CHANGE;
    require(pqti_change_write(&change, start.kind, backwards ? last.version : start.version,
                              backwards ? start.version : last.version, &encoding, &error),
            error.text);
    fputc((int)number, file);
    fputc(backwards ? BACKWARDS | SEALED : 0, file);
    fwrite(change.bytes, 1, change.length, file);
    pqti_buffer_free(&change);
    pqt_arena_destroy(&arena);
}

const fuzz_target fuzz_this = {"change", 2 * SMALL_VERSIONS, make_seed};
