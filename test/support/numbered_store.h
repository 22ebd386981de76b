/* SPDX-License-Identifier: MIT */
/* numbered_store.h: stores whose versions can be reproduced from their numbers, and their files. */
#ifndef TEST_NUMBERED_STORE_H
#define TEST_NUMBERED_STORE_H

#include <pqt/store.h>

#include "bytes_support.h"
#include "random.h"
#include "store_support.h"
#include "tree_support.h"

enum { ITEMS = 12 };

/* ---- A sequence of versions that can be reproduced ---- */

static inline const pqt_tree *
numbered_version(uint64_t number)
{
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = arena;
    options.unique_ids = true;
    const pqt_tree *tree = pqt_tree_make((pqt_box){{0, 0}, {64, 64}}, &options, &error);
    for (uint64_t id = 0; id < ITEMS; id++) {
        dice d = {(number + ITEMS - 1 - id) / ITEMS * ITEMS + id};
        tree = pqt_tree_insert(tree, small_item(&d, id), &error);
    }
    require(tree != NULL, error.text);
    return tree;
}

static inline bool
push_numbered(pqt_history *history, uint64_t number, pqt_error *error)
{
    return pqt_history_push(
        history, numbered_version(number),
        &(pqt_history_entry_info){.label = number % 2 == 0 ? "even" : "odd", .keep_equal = true},
        error);
}

static inline pqt_history *
begin_numbered(pqt_store *store)
{
    pqt_error error = {0};
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), numbered_version(0), NULL, &error);
    require(history != NULL && pqt_history_save(history, store, &error), error.text);
    return history;
}

/* ---- Files ---- */

typedef struct file_bytes {
    uint8_t *at;
    size_t count;
} file_bytes;

static inline file_bytes
read_all(const char *path)
{
    file_bytes read = {malloc(1 << 22), 0};
    FILE *file = fopen(path, "rb");
    require(file != NULL && read.at != NULL, "a file is opened");
    read.count = fread(read.at, 1, 1 << 22, file);
    fclose(file);
    return read;
}

static inline void
write_all(const char *path, const uint8_t *at, size_t count)
{
    FILE *file = fopen(path, "wb");
    require(file != NULL && fwrite(at, 1, count, file) == count && fclose(file) == 0,
            "a file is written");
}

/* Copies a store that an earlier version of the library has written. */
static inline void
copy_sample(const store_folder *folder, const char *name)
{
    char path[300];
    const char *top = getenv("srcdir");
    snprintf(path, sizeof path, "%s/test/golden/%s", top != NULL ? top : ".", name);
    const file_bytes file = read_all(path);
    write_all(folder->path, file.at, file.count);
    free(file.at);
}

static inline const char *
with_suffix(const store_folder *folder, const char *suffix)
{
    static char names[4][200];
    static int next;
    char *name = names[next++ % 4];
    snprintf(name, sizeof names[0], "%s%s", folder->path, suffix);
    return name;
}

static inline void
remove_all(const store_folder *folder)
{
    static const char *const suffixes[] = {"-wal",    "-shm",        "-writer",        "-journal",
                                           ".synced", "-wal.synced", "-journal.synced"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        unlink(with_suffix(folder, suffixes[i]));
    remove_store_folder(folder);
}

static inline store_folder
numbered_store(uint64_t last)
{
    pqt_error error = {0};
    const store_folder folder = make_store_folder();
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.keyframe_ratio = 0.125;
    pqt_store *store = pqt_store_open(folder.path, &options, &error);
    require(store != NULL, error.text);
    pqt_history *history = begin_numbered(store);
    for (uint64_t n = 1; n <= last; n++)
        require(push_numbered(history, n, &error), error.text);
    require(pqt_history_set_name(history, last / 2, "half", &error), error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    return folder;
}

#endif
