/* SPDX-License-Identifier: MIT */
/*
 * line_peer.c: writes histories of each kind, or reads the histories of a peer and compares them.
 *
 *     line_peer write FOLDER URL    pushes to lines of the database
 *     line_peer read FOLDER URL     follows these lines, then loads each version of them
 *     line_peer write FOLDER        saves to stores in the folder
 *     line_peer read FOLDER         opens these stores, and checks them
 *
 * The writer saves each version to a file in the folder. The reader compares each version that it
 * receives with the version in this file, and with the one that it makes by the same edits. Each
 * prints the kind, the number and the fingerprint of each version. test/line/test_line_peer.sh
 * compares the output of peers; they may be builds for different processors.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pqt.h>
#include <pqt/stores.h>

#include "stored_kinds.h"

/* The time limit of a wait is LONG seconds. Only a faulty test reaches it. */
enum { VERSIONS = 30, LONG = 600 };

static const char *folder, *url; /* `folder` is an absolute path */
static pqt_error failure;

static void
print(unsigned form, uint64_t number, any_version of)
{
    const pqt_fingerprint is = pqt_version_fingerprint(of.version);
    printf("%u %" PRIu64 " %016" PRIx64 "%016" PRIx64 "\n", form, number, is.high, is.low);
}

/* ---- The versions of each form ---- */

static const any_version *
make_versions(unsigned form, pqt_memory *memory)
{
    static any_version made[VERSIONS + 1];
    dice d = {form};
    made[1] = first_of_kind(form, memory);
    for (unsigned i = 2; i <= VERSIONS; i++) {
        made[i] = made[i - 1];
        while (pqt_version_equals(made[i].version, made[i - 1].version))
            made[i].version = edit_of_kind(made[i], &d);
    }
    return made;
}

static const char *
path_of(unsigned form, uint64_t number)
{
    static char path[400];
    snprintf(path, sizeof path, "%s/%u-%" PRIu64 ".pqt", folder, form, number);
    return path;
}

static void
keep(unsigned form, uint64_t number, any_version of)
{
    require(pqt_version_save(of.version, path_of(form, number), &failure), failure.text);
}

/* Expects that a version from a peer is valid, and equals both the one in its file and the one that
 * is made here. */
static void
compare(unsigned form, uint64_t number, any_version got, any_version made, pqt_memory *memory)
{
    require(got.version != NULL, failure.text);
    require(got.kind == made.kind, "the kind");
    require(pqt_version_check(got.version, &failure), failure.text);
    const any_version written = {
        got.kind, pqt_version_load(got.kind, path_of(form, number), memory, &failure)};
    require(written.version != NULL, failure.text);
    require(pqt_version_equals(got.version, written.version), "equals that of the writer");
    require(pqt_version_equals(got.version, made.version), "equals the same edits");
    require(pqt_fingerprint_equals(pqt_version_fingerprint(got.version),
                                   pqt_version_fingerprint(written.version)),
            "fingerprint");
}

/* ---- Lines ---- */

static pqt_line *
open_line(unsigned form, pqt_memory *memory)
{
    char address[600];
    pqt_line_options options = PQT_LINE_DEFAULTS;
    options.patience = LONG;
    options.keyframe_ratio = 4;
    snprintf(address, sizeof address, "%s#%s %u", url, strrchr(folder, '/') + 1, form);
    pqt_line *line = pqt_line_open(address, memory, &options, &failure);
    require(line != NULL, failure.text);
    return line;
}

static void
write_line(unsigned form, pqt_memory *memory)
{
    const any_version *versions = make_versions(form, memory);
    pqt_line *line = open_line(form, memory);
    for (uint64_t i = 1; i <= VERSIONS; i++) {
        keep(form, i, versions[i]);
        require(pqt_line_push(line, versions[i].kind, versions[i].version, NULL, &failure),
                failure.text);
        require(pqt_line_number(line) == i, "each version is pushed");
        print(form, i, versions[i]);
    }
    pqt_line_close(&line);
}

static void
follow_line(unsigned form, pqt_memory *memory)
{
    const any_version *versions = make_versions(form, memory);
    pqt_line *line = open_line(form, memory);
    for (uint64_t seen = pqt_line_number(line); seen < VERSIONS; seen = pqt_line_number(line)) {
        require(pqt_line_wait(line, LONG, &failure), failure.text);
        require(pqt_line_number(line) > seen, "a version came");
        const any_version newest = {pqt_line_kind(line), pqt_line_version(line)};
        compare(form, pqt_line_number(line), newest, versions[pqt_line_number(line)], memory);
    }
    for (uint64_t i = 1; i <= VERSIONS; i++) {
        const any_version loaded = {pqt_line_kind(line), pqt_line_load(line, i, &failure)};
        compare(form, i, loaded, versions[i], memory);
        print(form, i, loaded);
    }
    pqt_line_close(&line);
}

/* ---- Stores ---- */

static pqt_store *
open_store(unsigned form)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%u.pqts", folder, form);
    pqt_store *store = pqt_store_open(path, NULL, &failure);
    require(store != NULL, failure.text);
    return store;
}

static void
save_store(unsigned form, pqt_memory *memory)
{
    const any_version *versions = make_versions(form, memory);
    pqt_history *history = pqt_history_make(pqt_history_kind_of(versions[1].kind),
                                            versions[1].version, NULL, &failure);
    pqt_store *store = open_store(form);
    require(history != NULL && pqt_history_save(history, store, &failure), failure.text);
    for (uint64_t i = 1; i <= VERSIONS; i++) {
        keep(form, i, versions[i]);
        if (i > 1)
            require(pqt_history_push(history, versions[i].version, NULL, &failure), failure.text);
        print(form, i, versions[i]);
    }
    pqt_history_destroy(&history);
    require(pqt_store_close(&store, &failure), failure.text);
}

/* Reads the store of a form. Its history begins with entry 0. */
static void
read_store(unsigned form, pqt_memory *memory)
{
    const any_version *versions = make_versions(form, memory);
    pqt_store *store = open_store(form);
    pqt_history *history = pqt_history_open(store, NULL, memory, &failure);
    require(history != NULL && pqt_store_check(store, &failure), failure.text);
    for (uint64_t i = VERSIONS; i > 0; i--) {
        const any_version got = {pqt_store_kind(store), pqt_history_value_of(history, i - 1)};
        compare(form, i, got, versions[i], memory);
    }
    for (uint64_t i = 1; i <= VERSIONS; i++)
        print(form, i, (any_version){pqt_store_kind(store), pqt_history_value_of(history, i - 1)});
    pqt_history_destroy(&history);
    require(pqt_store_close(&store, &failure), failure.text);
}

int
main(int count, char **arguments)
{
    require(count == 3 || count == 4, "a task, a path and the URL of a database");
    folder = arguments[2];
    url = arguments[3];
    const bool writes = strcmp(arguments[1], "write") == 0;
    for (unsigned form = 0; form < STORED_KINDS; form++) {
        pqt_memory *memory = pqt_arena_make(0, &failure);
        require(memory != NULL, failure.text);
        if (url != NULL)
            (writes ? write_line : follow_line)(form, memory);
        else
            (writes ? save_store : read_store)(form, memory);
        pqt_arena_destroy(&memory);
    }
    return 0;
}
