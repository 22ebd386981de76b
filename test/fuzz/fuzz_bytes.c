/* SPDX-License-Identifier: MIT */
/*
 * fuzz_bytes.c: reads arbitrary bytes as a version or a history. The call must succeed, or fail
 * with a one-line message.
 *
 * The first byte chooses a history or the kind of version, the memory, and whether the checksums
 * are corrected first, so that a fuzzing engine gets past the check. A version that is read must
 * pass its check. If it is written and read again, the result must be equal to it.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "bytes_support.h"
#include "replay.h"
#include "history_bytes_support.h"

enum { SEALED = 4, COLLECTED = 8, DOCUMENT = 16, HISTORY = 32, IMAGE = 64 };

static void
require_one_line(const pqt_error *error)
{
    if (!PQT_WITH_WORLDS && error->status == PQT_ERROR_UNSUPPORTED)
        return;
    require(error->status == PQT_ERROR_FORMAT, error->text);
    require(strncmp(error->text, "byte ", 5) == 0 && strchr(error->text, '\n') == NULL,
            "not one line");
}

static void
write_and_read(pqt_kind kind, const void *version, pqt_memory *memory)
{
    pqt_error error = {0};
    byte_buffer file = {0};
    require(pqt_version_write(version, sink, &file, &error), error.text);
    const void *same = pqt_version_read(kind, source, &file, memory, &error);
    require(same != NULL, error.text);
    require(pqt_version_equals(version, same), "the picture read back differs");
    free(file.bytes);
}

static void
use_version(pqt_kind kind, byte_buffer *file, pqt_memory *memory)
{
    pqt_error error = {0};
    const void *version = pqt_version_read(kind, source, file, memory, &error);
    if (version == NULL) {
        require_one_line(&error);
        return;
    }
    require(pqt_version_check(version, &error), error.text);
    write_and_read(kind, version, memory);
}

static void
use_history(byte_buffer *file, pqt_memory *memory)
{
    pqt_error error = {0};
    byte_buffer again = {0};
    pqt_history *history = pqt_history_read(source, file, NULL, memory, &error);
    if (history == NULL) {
        require_one_line(&error);
        return;
    }
    for (uint32_t slot = 0; slot < history->count; slot++)
        require(pqt_version_check(history->records[slot].value, &error), error.text);
    require(pqt_history_write(history, sink, &again, &error), error.text);
    pqt_history *same = pqt_history_read(source, &again, NULL, memory, &error);
    require(same != NULL, error.text);
    require_same_history(history, same);
    pqt_history_destroy(&history);
    pqt_history_destroy(&same);
    free(again.bytes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const pqt_kind kind = (data[0] & DOCUMENT) != 0 ? PQT_KIND_DOCUMENT
                          : (data[0] & IMAGE) != 0  ? PQT_KIND_IMAGE
                                                    : (pqt_kind)(PQT_KIND_TREE + (data[0] & 3));
    pqt_error error = {0};
    pqt_memory *arena = pqt_arena_make(0, &error);
    pqt_memory *memory =
        (data[0] & COLLECTED) != 0 && pqt_collector() != NULL ? pqt_collector() : arena;
    byte_buffer file = {0};
    if (size > 1)
        sink(data + 1, size - 1, &file);
    if ((data[0] & SEALED) != 0)
        seal(&file);
    if ((data[0] & HISTORY) != 0)
        use_history(&file, memory);
    else
        use_version(kind, &file, memory);
    free(file.bytes);
    pqt_arena_destroy(&arena);
    return 0;
}

/* Makes a seed of a history of each kind, with corrected checksums. */
static void
make_history_seed(unsigned form, FILE *file)
{
    enum { PUSHES = 12 };
    pqt_error error = {0};
    pqt_memory *arena = pqt_arena_make(0, &error);
    pqt_history *history = varied_history(form, PUSHES, arena);
    byte_buffer bytes = {0};
    require(pqt_history_write(history, sink, &bytes, &error), error.text);
    fputc(HISTORY | SEALED, file);
    fwrite(bytes.bytes, 1, bytes.length, file);
    free(bytes.bytes);
    pqt_history_destroy(&history);
    pqt_arena_destroy(&arena);
}

enum { VERSION_SEEDS = 3 * SMALL_VERSIONS };

/* Makes seeds of each small version: as it is, with corrected checksums, and in the collector.
   Seeds of histories follow. */
static void
make_seed(unsigned seed, FILE *file)
{
    if (seed >= VERSION_SEEDS) {
        make_history_seed(seed - VERSION_SEEDS, file);
        return;
    }
    pqt_error error = {0};
    pqt_memory *arena = pqt_arena_make(0, &error);
    const any_version given = small_version(seed % SMALL_VERSIONS, arena, &error);
    byte_buffer bytes = {0};
    require(pqt_version_write(given.version, sink, &bytes, &error), error.text);
    const unsigned kind = given.kind == PQT_KIND_DOCUMENT ? DOCUMENT
                          : given.kind == PQT_KIND_IMAGE  ? IMAGE
                                                          : (unsigned)(given.kind - PQT_KIND_TREE);
    fputc((int)(kind | (seed / SMALL_VERSIONS) * SEALED), file);
    fwrite(bytes.bytes, 1, bytes.length, file);
    free(bytes.bytes);
    pqt_arena_destroy(&arena);
}

const fuzz_target fuzz_this = {"bytes", VERSION_SEEDS + STORED_KINDS, make_seed};
