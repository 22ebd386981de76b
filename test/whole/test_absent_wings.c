/* SPDX-License-Identifier: MIT */
/*
 * test_absent_wings.c: a library without pixels, or without worlds, reads the golden files of all
 * other kinds, and refuses those that hold a version of an absent kind. It drops no part.
 */
#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt.h>
#include <pqt/stores.h>

#include "numbered_store.h"
#include "suite.h"

#define NO_REGIONS "regions are not in this build"
#define NO_IMAGES "images are not in this build"
#define NO_WORLDS "worlds are not in this build"

/* Returns the message about versions of an absent kind, or NULL if the library has the kind. */
static const char *
refusal_of(pqt_kind kind)
{
    if (kind == PQT_KIND_REGION && !PQT_WITH_PIXELS)
        return NO_REGIONS;
    if (kind == PQT_KIND_IMAGE && !PQT_WITH_PIXELS)
        return NO_IMAGES;
    return kind == PQT_KIND_WORLD && !PQT_WITH_WORLDS ? NO_WORLDS : NULL;
}

/* A golden file that holds documents with parts of absent kinds. Parts are read in the order of
   their names, and the first one that is refused is named. */
typedef struct refused_document {
    const char *name;
    const char *without_pixels, *without_worlds; /* the messages if that is absent */
} refused_document;

static const refused_document refused_documents[] = {
    {"document-kinds.pqt",
     "Wege \xe2\x86\x92 \xc3\xbc"
     "ber alle Berge und durch das Tal, bis an das Ende...: " NO_REGIONS,
     "balls: " NO_WORLDS},
    {"document-parts.pqt", "b: " NO_REGIONS, "c: " NO_WORLDS},
    {"history-document.pqt", "balls: " NO_WORLDS, "balls: " NO_WORLDS},
    {"history-document.pqts", "balls: " NO_WORLDS, "balls: " NO_WORLDS},
    {"version-1-history-document.pqts", "balls: " NO_WORLDS, "balls: " NO_WORLDS},
};

/* Returns the message about the documents in a file, or NULL if the library can read them. */
static const char *
refusal_of_documents(const char *name)
{
    for (size_t i = 0; i < sizeof refused_documents / sizeof *refused_documents; i++)
        if (strcmp(refused_documents[i].name, name) == 0)
            return PQT_WITH_PIXELS ? refused_documents[i].without_worlds
                                   : refused_documents[i].without_pixels;
    return NULL;
}

/* ---- The folder of golden files ---- */

static const char *
folder_of_golden_files(void)
{
    static char path[500];
    const char *top = getenv("srcdir");
    snprintf(path, sizeof path, "%s/test/golden", top != NULL ? top : ".");
    return path;
}

typedef void file_test(const char *name, const char *path);

/* Calls a test for each golden file with a suffix. Returns their number. */
static int
test_each_file(const char *suffix, file_test *test)
{
    char path[600];
    int count = 0;
    DIR *folder = opendir(folder_of_golden_files());
    require(folder != NULL, "the folder is there");
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        const char *end = strrchr(entry->d_name, '.');
        if (end == NULL || strcmp(end, suffix) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%.90s", folder_of_golden_files(), entry->d_name);
        test(entry->d_name, path);
        count++;
    }
    closedir(folder);
    return count;
}

static void
expect_refusal(const char *name, const pqt_error *error, const char *text)
{
    ck_assert_msg(error->status == PQT_ERROR_UNSUPPORTED && strcmp(error->text, text) == 0,
                  "%s: %s", name, error->text);
}

/* ---- Files of versions ---- */

typedef struct compared_bytes {
    const file_bytes *file;
    size_t next;
} compared_bytes;

static bool
compare_bytes(const void *bytes, size_t count, void *context)
{
    compared_bytes *compared = context;
    require(count <= compared->file->count - compared->next &&
                memcmp(bytes, compared->file->at + compared->next, count) == 0,
            "the bytes are the same");
    compared->next += count;
    return true;
}

static void
expect_same_bytes(const void *version, const file_bytes *file)
{
    pqt_error error = {0};
    compared_bytes compared = {file, 0};
    require(pqt_version_check(version, &error), error.text);
    require(pqt_version_write(version, compare_bytes, &compared, &error), error.text);
    require(compared.next == file->count, "all bytes are written");
}

static bool
read_bytes(void *bytes, size_t capacity, size_t *count, void *context)
{
    compared_bytes *read = context;
    const size_t rest = read->file->count - read->next;
    *count = rest < capacity ? rest : capacity;
    memcpy(bytes, read->file->at + read->next, *count);
    read->next += *count;
    return true;
}

/* Returns the message with which the history in a file or a store is refused when it is opened, or
   NULL. */
static const char *
refusal_of_history(const char *name)
{
    if (strstr(name, "history-region") != NULL)
        return refusal_of(PQT_KIND_REGION);
    if (strstr(name, "history-image") != NULL)
        return refusal_of(PQT_KIND_IMAGE);
    if (strstr(name, "history-world") != NULL || strstr(name, "recording") != NULL)
        return refusal_of(PQT_KIND_WORLD);
    return NULL;
}

static void
load_golden_history(const char *name, const char *path, const file_bytes *file)
{
    pqt_error error = {0};
    compared_bytes compared = {file, 0};
    const char *refusal = refusal_of_history(name);
    if (refusal == NULL)
        refusal = refusal_of_documents(name);
    pqt_history *history = pqt_history_load_file(path, NULL, arena, &error);
    if (refusal != NULL) {
        require(history == NULL, name);
        expect_refusal(name, &error, refusal);
        return;
    }
    require(history != NULL && pqt_history_write(history, compare_bytes, &compared, &error),
            error.text);
    require(compared.next == file->count, "all bytes are written");
    pqt_history_destroy(&history);
}

static void
load_golden_version(const char *name, const char *path, const file_bytes *file)
{
    pqt_error errors[2] = {{0}};
    compared_bytes read = {file, 0};
    const pqt_kind kind = pqt_bytes_kind_of(file->at, file->count);
    const void *loaded = pqt_version_load(kind, path, arena, &errors[0]);
    const void *same = pqt_version_read(kind, read_bytes, &read, arena, &errors[1]);
    const char *refusal = kind == PQT_KIND_DOCUMENT ? refusal_of_documents(name) : refusal_of(kind);
    if (refusal == NULL) {
        require(loaded != NULL && same != NULL && pqt_version_equals(loaded, same), name);
        expect_same_bytes(loaded, file);
    } else {
        require(loaded == NULL && same == NULL, name);
        expect_refusal(name, &errors[0], refusal);
        expect_refusal(name, &errors[1], refusal);
    }
}

static void
load_golden_file(const char *name, const char *path)
{
    const file_bytes file = read_all(path);
    if (pqt_is_history(file.at, file.count))
        load_golden_history(name, path, &file);
    else
        load_golden_version(name, path, &file);
    free(file.at);
}

START_TEST(a_golden_file_is_read_unless_it_holds_an_absent_kind)
{
    ck_assert_int_ge(test_each_file(".pqt", load_golden_file), 20);
}
END_TEST

/* ---- Stores ---- */

#if PQT_WITH_SQLITE

static void
open_history_in(pqt_store *store, const char *name)
{
    pqt_error error = {0};
    const char *refusal = refusal_of_documents(name);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    if (refusal != NULL) {
        require(history == NULL, name);
        expect_refusal(name, &error, refusal);
        return;
    }
    require(history != NULL || strcmp(name, "store-empty.pqts") == 0, error.text);
    require(history == NULL || pqt_store_check(store, &error), error.text);
    pqt_history_destroy(&history);
}

static void
open_golden_store(const char *name, const char *path)
{
    pqt_error error = {0};
    const file_bytes file = read_all(path);
    const store_folder folder = make_store_folder();
    const char *refusal = refusal_of_history(name);
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = PQT_STORE_READ;
    write_all(folder.path, file.at, file.count);
    pqt_store *store = pqt_store_open(folder.path, &options, &error);
    if (refusal != NULL) {
        require(store == NULL, name);
        expect_refusal(name, &error, refusal);
    } else {
        require(store != NULL, error.text);
        open_history_in(store, name);
        close_store(&store);
    }
    const file_bytes after = read_all(folder.path);
    require(after.count == file.count && memcmp(after.at, file.at, file.count) == 0,
            "the store is unchanged");
    free(after.at);
    free(file.at);
    remove_all(&folder);
}

START_TEST(a_golden_store_is_opened_unless_it_holds_an_absent_kind)
{
    ck_assert_int_ge(test_each_file(".pqts", open_golden_store), 15);
}
END_TEST

#endif

/* ---- Documents of the core ---- */

START_TEST(a_document_of_trees_and_maps_is_copied_merged_and_undone)
{
    pqt_error error = {0};
    char path[600];
    snprintf(path, sizeof path, "%s/document-trees.pqt", folder_of_golden_files());
    pqt_memory *other = pqt_arena_make(0, &error);
    const pqt_document *base = pqt_document_load(path, arena, &error);
    require(base != NULL && other != NULL, error.text);
    const pqt_document *copy = pqt_document_copy(base, other, &error);
    require(copy != NULL && pqt_document_memory(copy) == other, error.text);
    ck_assert(pqt_document_equals(base, copy));
    pqt_part part = {0};
    for (size_t i = 0; part.kind != PQT_KIND_TREE; i++)
        part = pqt_document_get_part(base, i);
    const pqt_tree *cleared = pqt_tree_clear(part.version, &error);
    const pqt_document *next = pqt_document_set_tree(base, part.name, cleared, &error);
    require(next != NULL && next != base, error.text);
    ck_assert_ptr_eq(pqt_version_merge(base, next, base, &error), next);
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_DOCUMENT), base, NULL, &error);
    require(history != NULL && pqt_history_push(history, next, NULL, &error), error.text);
    ck_assert(pqt_history_undo(history));
    ck_assert_ptr_eq(pqt_history_value(history), base);
    pqt_history_destroy(&history);
    pqt_arena_destroy(&other);
}
END_TEST

/* ---- Names ---- */

START_TEST(an_absent_kind_keeps_its_name)
{
    ck_assert_str_eq(pqt_kind_name(PQT_KIND_REGION), "region");
    ck_assert_str_eq(pqt_kind_name(PQT_KIND_IMAGE), "image");
    ck_assert_str_eq(pqt_kind_name(PQT_KIND_WORLD), "world");
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("absent_wings");
    TCase *tests = add_tests(suite, "absent_wings");
    tcase_add_test(tests, a_golden_file_is_read_unless_it_holds_an_absent_kind);
#if PQT_WITH_SQLITE
    tcase_add_test(tests, a_golden_store_is_opened_unless_it_holds_an_absent_kind);
#endif
    tcase_add_test(tests, a_document_of_trees_and_maps_is_copied_merged_and_undone);
    tcase_add_test(tests, an_absent_kind_keeps_its_name);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
