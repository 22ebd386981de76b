/* SPDX-License-Identifier: MIT */
/*
 * test_golden.c: reads the golden files, which this or an earlier library has written, compares
 * their contents with lists of them, and writes them again.
 *
 * Files are never changed, so a library that passes can read what users have stored, and what it
 * writes can be read by theirs. test/golden/README.md says what each file is.
 */
#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if PQT_WITH_SQLITE
#include <sqlite3.h>
#endif

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/stores.h>

#include "golden.h"
#include "numbered_store.h"
#include "stored_kinds.h"
#include "suite.h"

/* ---- Files ---- */

static const char *
path_of(const char *name, const char *suffix)
{
    static char path[500];
    const char *top = getenv("srcdir");
    snprintf(path, sizeof path, "%s/test/golden/%s%s", top != NULL ? top : ".", name, suffix);
    return path;
}

/* Reads a file of test/golden. A zero byte follows its bytes. */
static file_bytes
read_golden(const char *name, const char *suffix)
{
    file_bytes read = read_all(path_of(name, suffix));
    read.at[read.count] = 0;
    return read;
}

static bool
same_bytes(const uint8_t *a, size_t a_count, const file_bytes *b)
{
    return a_count == b->count && memcmp(a, b->at, a_count) == 0;
}

/* A list is written to a temporary file, which is read back. */
static char *
text_of(FILE *file)
{
    const long length = ftell(file);
    char *text = calloc(1, (size_t)length + 1);
    require(text != NULL && length >= 0, "a list is read");
    rewind(file);
    require(fread(text, 1, (size_t)length, file) == (size_t)length, "a list is read");
    fclose(file);
    return text;
}

/* Compares a list with a file NAME.txt. Names the first line that differs. */
static void
expect_list(FILE *list, const char *name)
{
    char *text = text_of(list);
    const file_bytes wanted = read_golden(name, ".txt");
    const char *a = text, *b = (const char *)wanted.at;
    size_t line = 1, i = 0;
    for (; a[i] != '\0' && a[i] == b[i]; i++)
        line += a[i] == '\n';
    if (a[i] != b[i])
        ck_abort_msg("%s.txt:%zu: the contents differ", name, line);
    free(text);
    free(wanted.at);
}

static FILE *
begin_list(void)
{
    FILE *list = tmpfile();
    require(list != NULL, "a temporary file is made");
    return list;
}

/* ---- Versions ---- */

START_TEST(a_golden_file_has_the_contents_that_are_listed)
{
    pqt_error error = {0};
    const golden_version *golden = &golden_versions[_i];
    const void *version =
        pqt_version_load(golden->kind, path_of(golden->name, ".pqt"), arena, &error);
    require(version != NULL, error.text);
    require(pqt_version_check(version, &error), error.text);
    FILE *list = begin_list();
    golden_list_version(list, golden->kind, version);
    expect_list(list, golden->name);
}
END_TEST

START_TEST(a_golden_file_is_written_again_with_the_same_bytes)
{
    pqt_error error = {0};
    const golden_version *golden = &golden_versions[_i];
    const file_bytes file = read_golden(golden->name, ".pqt");
    ck_assert_int_eq(pqt_bytes_kind_of(file.at, file.count), golden->kind);
    const void *version =
        pqt_version_load(golden->kind, path_of(golden->name, ".pqt"), arena, &error);
    require(version != NULL, error.text);
    byte_buffer written = bytes_of(version);
    require(same_bytes(written.bytes, written.length, &file), "the bytes are the same");
    free(written.bytes);
    free(file.at);
}
END_TEST

START_TEST(a_version_that_is_made_again_gives_the_bytes_of_its_golden_file)
{
    pqt_error error = {0};
    const golden_version *golden = &golden_versions[_i];
    const file_bytes file = read_golden(golden->name, ".pqt");
    const void *made = golden->make(arena, &error);
    require(made != NULL, error.text);
    const void *version =
        pqt_version_load(golden->kind, path_of(golden->name, ".pqt"), arena, &error);
    require(version != NULL && pqt_version_equals(version, made), "they are equal");
    require(pqt_fingerprint_equals(pqt_version_fingerprint(version), pqt_version_fingerprint(made)),
            "so are their fingerprints");
    byte_buffer written = bytes_of(made);
    require(same_bytes(written.bytes, written.length, &file), "the bytes are the same");
    free(written.bytes);
    free(file.at);
}
END_TEST

/* ---- Stores ---- */

enum { MOST_STORES = 40 };

/* A file of a store, and the list of its contents, which may be that of another one. */
typedef struct store_file {
    char name[100];
    const char *list;
    const golden_sequence *sequence; /* of its history, or NULL */
    const golden_store *other;       /* what else it holds, or NULL: it is not made again */
} store_file;

static store_file store_files[MOST_STORES];
static int store_file_count;

static void
add_store_file(const char *prefix, const char *name, const char *list,
               const golden_sequence *sequence, const golden_store *other)
{
    store_file *file = &store_files[store_file_count++];
    if (store_file_count > MOST_STORES)
        abort();
    snprintf(file->name, sizeof file->name, "%s%s", prefix, name);
    file->list = list == NULL ? file->name : list;
    file->sequence = sequence;
    file->other = other;
}

static void
find_store_files(void)
{
    for (size_t i = 0; i < golden_sequence_count; i++) {
        if (!golden_sequences[i].has_history)
            continue;
        add_store_file("history-", golden_sequences[i].name, NULL, &golden_sequences[i], NULL);
        if (golden_sequences[i].has_version_1)
            add_store_file("version-1-history-", golden_sequences[i].name,
                           store_files[store_file_count - 1].name, NULL, NULL);
    }
    for (size_t i = 0; i < golden_store_count; i++)
        add_store_file("", golden_stores[i].name, NULL, NULL, &golden_stores[i]);
    add_store_file("", "version-1-numbered", NULL, NULL, NULL);
    add_store_file("", "version-1-recording", NULL, NULL, NULL);
}

/* Returns true if the history of a store is also in a file NAME.pqt, with the same list. */
static bool
has_history_file(const store_file *file)
{
    return file->sequence != NULL || (file->other != NULL && file->other->has_history);
}

/* ---- Histories in files ---- */

static pqt_history *
load_history(const char *name)
{
    pqt_error error = {0};
    pqt_history *history = pqt_history_load_file(path_of(name, ".pqt"), NULL, arena, &error);
    require(history != NULL, error.text);
    return history;
}

static void
expect_history_bytes(const pqt_history *history, const char *name)
{
    pqt_error error = {0};
    byte_buffer written = {0};
    const file_bytes file = read_golden(name, ".pqt");
    require(pqt_is_history(file.at, file.count), "it is recognised");
    require(pqt_history_write(history, sink, &written, &error), error.text);
    require(same_bytes(written.bytes, written.length, &file), "the bytes are the same");
    free(written.bytes);
    free(file.at);
}

START_TEST(a_golden_history_has_the_contents_that_are_listed_and_is_written_again)
{
    const store_file *golden = &store_files[_i];
    if (!has_history_file(golden))
        return;
    pqt_history *history = load_history(golden->name);
    FILE *list = begin_list();
    ck_assert(golden_list_history(list, history));
    expect_list(list, golden->list);
    expect_history_bytes(history, golden->name);
    pqt_history_destroy(&history);
}
END_TEST

#if PQT_WITH_SQLITE

static store_folder
copy_store(const char *name)
{
    const store_folder folder = make_store_folder();
    const file_bytes file = read_golden(name, ".pqts");
    write_all(folder.path, file.at, file.count);
    free(file.at);
    return folder;
}

static void
expect_store_list(const store_folder *folder, const char *list)
{
    pqt_error error = {0};
    FILE *listed = begin_list();
    pqt_store *store = open_store(folder, PQT_STORE_READ);
    require(golden_list_store(listed, store, arena, &error), error.text);
    close_store(&store);
    expect_list(listed, list);
}

START_TEST(a_golden_store_has_the_contents_that_are_listed)
{
    const store_file *golden = &store_files[_i];
    const store_folder folder = copy_store(golden->name);
    const file_bytes before = read_all(folder.path);
    expect_store_list(&folder, golden->list);
    const file_bytes after = read_all(folder.path);
    require(same_bytes(after.at, after.count, &before), "a reader changes nothing");
    free(before.at);
    free(after.at);
    remove_all(&folder);
}
END_TEST

START_TEST(the_history_of_a_golden_store_gives_the_bytes_of_its_golden_file)
{
    pqt_error error = {0};
    const store_file *golden = &store_files[_i];
    if (!has_history_file(golden))
        return;
    const store_folder folder = copy_store(golden->name);
    pqt_store *store = open_store(&folder, PQT_STORE_READ);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    require(history != NULL, error.text);
    expect_history_bytes(history, golden->name);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_all(&folder);
}
END_TEST

/* ---- Rows of stores ---- */

/* The size of a version in memory depends on the machine, and the checksum of an entry on this. */
static bool
is_of_this_machine(const char *table, const char *column)
{
    return strcmp(table, "entry") == 0 &&
           (strcmp(column, "added") == 0 || strcmp(column, "checksum") == 0);
}

static void
list_column(FILE *out, sqlite3_stmt *row, int column)
{
    const uint8_t *bytes = sqlite3_column_blob(row, column);
    const int length = sqlite3_column_bytes(row, column);
    fprintf(out, "%d ", sqlite3_column_type(row, column));
    if (sqlite3_column_type(row, column) == SQLITE_BLOB)
        for (int i = 0; i < length; i++)
            fprintf(out, "%02x", bytes[i]);
    else
        fprintf(out, "%s", length == 0 ? "" : (const char *)sqlite3_column_text(row, column));
    fputc('\n', out);
}

static void
list_query(FILE *out, sqlite3 *connection, const char *sql, const char *table)
{
    sqlite3_stmt *row = NULL;
    require(sqlite3_prepare_v2(connection, sql, -1, &row, NULL) == SQLITE_OK, sql);
    while (sqlite3_step(row) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(row); i++)
            if (!is_of_this_machine(table, sqlite3_column_name(row, i)))
                list_column(out, row, i);
    require(sqlite3_finalize(row) == SQLITE_OK, sql);
}

/* Lists the tables of a store and all their rows. */
static char *
rows_of(const char *path)
{
    static const char *const tables[] = {"entry", "history",   "keyframe",
                                         "name",  "recording", "step"};
    sqlite3 *connection = NULL;
    FILE *out = begin_list();
    require(sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK, path);
    list_query(out, connection, "PRAGMA application_id", "");
    list_query(out, connection, "PRAGMA user_version", "");
    list_query(out, connection, "SELECT type, name, sql FROM sqlite_schema ORDER BY name", "");
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char sql[100];
        const char *order = strcmp(tables[i], "keyframe") == 0 ? "entry, part" : "1";
        snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY %s", tables[i], order);
        if (sqlite3_table_column_metadata(connection, NULL, tables[i], NULL, NULL, NULL, NULL, NULL,
                                          NULL) == SQLITE_OK)
            list_query(out, connection, sql, tables[i]);
    }
    require(sqlite3_close(connection) == SQLITE_OK, path);
    return text_of(out);
}

static void
expect_rows(const store_folder *folder, const char *name)
{
    const store_folder golden = copy_store(name);
    char *rows = rows_of(folder->path), *wanted = rows_of(golden.path);
    size_t i = 0;
    while (rows[i] != '\0' && rows[i] == wanted[i])
        i++;
    if (rows[i] != wanted[i])
        ck_abort_msg("%s: the rows differ at: %.60s; wanted: %.60s", name, rows + i, wanted + i);
    free(rows);
    free(wanted);
    remove_all(&golden);
}

START_TEST(a_store_that_is_made_again_has_the_rows_of_its_golden_file)
{
    pqt_error error = {0};
    const store_file *golden = &store_files[_i];
    if (golden->sequence == NULL && golden->other == NULL)
        return;
    const store_folder folder = make_store_folder();
    const pqt_store_options options = golden_store_options();
    pqt_store *store = pqt_store_open(folder.path, &options, &error);
    require(store != NULL, error.text);
    require(golden->sequence != NULL ? golden_history_make(golden->sequence, store, arena, &error)
                                     : golden->other->make(store, arena, &error),
            error.text);
    close_store(&store);
    expect_rows(&folder, golden->name);
    remove_all(&folder);
}
END_TEST

/* The first writer of a store of format version 1 turns it into one of version 2. */
START_TEST(a_store_of_version_1_gets_the_rows_of_version_2)
{
    pqt_error error = {0};
    const golden_sequence *sequence = &golden_sequences[_i];
    char name[100];
    if (!sequence->has_version_1)
        return;
    snprintf(name, sizeof name, "version-1-history-%s", sequence->name);
    const store_folder folder = copy_store(name);
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    require(history != NULL, error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    expect_rows(&folder, name + strlen("version-1-"));
    expect_store_list(&folder, name + strlen("version-1-"));
    remove_all(&folder);
}
END_TEST

#endif

/* ---- Lines ---- */

#if PQT_WITH_SQLITE || PQT_WITH_POSTGRESQL

START_TEST(the_golden_rows_of_a_line_have_the_contents_that_are_listed)
{
    char name[100];
    const golden_sequence *sequence = &golden_sequences[_i];
    if (!sequence->has_line)
        return;
    snprintf(name, sizeof name, "line-%s", sequence->name);
    const file_bytes rows = read_golden(name, ".rows");
    FILE *list = begin_list();
    const char *fault = golden_line_list(list, (const char *)rows.at, sequence->kind, arena);
    require(fault == NULL, fault == NULL ? name : fault);
    expect_list(list, name);
    free(rows.at);
}
END_TEST

#endif

#if PQT_WITH_POSTGRESQL

START_TEST(the_rows_of_a_line_that_are_made_again_are_the_golden_ones)
{
    char name[100];
    pqt_error error = {0};
    const golden_sequence *sequence = &golden_sequences[_i];
    if (!sequence->has_line)
        return;
    snprintf(name, sizeof name, "line-%s", sequence->name);
    FILE *made = begin_list();
    require(golden_line_write(made, sequence, arena, &error), error.text);
    char *text = text_of(made);
    const file_bytes rows = read_golden(name, ".rows");
    require(strcmp(text, (const char *)rows.at) == 0, "the rows are the golden ones");
    free(text);
    free(rows.at);
}
END_TEST

#endif

/* ---- Tables and pictures ---- */

static pqt_table *
read_table(const char *name)
{
    pqt_error error = {0};
    const file_bytes file = read_golden(name, ".csv");
    byte_buffer bytes = {.bytes = file.at, .length = file.count};
    pqt_table *table = pqt_table_read(source, &bytes, NULL, &error);
    require(table != NULL, error.text);
    free(file.at);
    return table;
}

/* Compares the table with a file NAME.csv, when each item is moved by `shift`. */
static void
expect_table(const pqt_table *table, double shift, const char *name)
{
    enum { MOST_ROWS = 20 };
    pqt_error error = {0};
    pqt_table_row rows[MOST_ROWS];
    byte_buffer written = {0};
    const size_t count = pqt_table_count(table);
    require(count > 2 && count <= MOST_ROWS, "a few rows");
    for (size_t i = 0; i < count; i++) {
        rows[i] = (pqt_table_row){table, i, pqt_table_items(table)[i], NULL};
        rows[i].item.box.min.x += shift;
        rows[i].item.box.max.x += shift;
    }
    require(pqt_table_write(table, rows, count, sink, &written, &error), error.text);
    const file_bytes wanted = read_golden(name, ".csv");
    require(same_bytes(written.bytes, written.length, &wanted), "the table is that of the file");
    free(written.bytes);
    free(wanted.at);
}

static const char *const tables[] = {"table-boxes", "table-sizes", "table-points", "table-degrees"};

START_TEST(a_golden_table_is_read_and_written_again)
{
    pqt_table *table = read_table(tables[_i]);
    FILE *list = begin_list();
    golden_list_table(list, table);
    expect_list(list, tables[_i]);
    expect_table(table, 0, tables[_i]);
    pqt_table_free(table);
}
END_TEST

/* A moved row has the shortest decimals of its numbers. */
START_TEST(a_golden_table_is_written_with_other_numbers)
{
    pqt_table *table = read_table("table-points");
    expect_table(table, 0.1, "table-points-moved");
    pqt_table_free(table);
}
END_TEST

/* A later library must read the pictures that this one has written; its own may differ, because
   libpng compresses them. */
START_TEST(a_golden_picture_is_read)
{
    pqt_error error = {0};
    pqt_png_options options = PQT_PNG_DEFAULTS;
    options.memory = arena;
    options.at = (pqt_pixel){-100, -100};
    const pqt_region *region = pqt_region_load(path_of("region-shapes", ".pqt"), arena, &error);
    const file_bytes file = read_golden("region-shapes", ".png");
    const pqt_region *picture = pqt_png_read_bytes(file.at, file.count, &options, NULL, &error);
    free(file.at);
    if (picture == NULL && error.status == PQT_ERROR_UNSUPPORTED)
        return;
    require(picture != NULL && pqt_region_equals(picture, region), "the pixels are the same");
}
END_TEST

/* ---- The folder ---- */

static bool
is_known(const char *name)
{
    char known[200];
    for (size_t i = 0; i < golden_version_count; i++) {
        snprintf(known, sizeof known, "%s.pqt", golden_versions[i].name);
        if (strcmp(name, known) == 0)
            return true;
    }
    for (int i = 0; i < store_file_count; i++) {
        snprintf(known, sizeof known, "%.90s.pqts", store_files[i].name);
        const bool has_history = has_history_file(&store_files[i]);
        if (strcmp(name, known) == 0)
            return true;
        snprintf(known, sizeof known, "%.90s.pqt", store_files[i].name);
        if (has_history && strcmp(name, known) == 0)
            return true;
    }
    for (size_t i = 0; i < golden_sequence_count; i++) {
        snprintf(known, sizeof known, "line-%s.rows", golden_sequences[i].name);
        if (golden_sequences[i].has_line && strcmp(name, known) == 0)
            return true;
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        snprintf(known, sizeof known, "%s.csv", tables[i]);
        if (strcmp(name, known) == 0)
            return true;
    }
    return strcmp(name, "table-points-moved.csv") == 0 || strcmp(name, "region-shapes.png") == 0;
}

/* So no file is forgotten, by the tests above or in a release. */
START_TEST(each_golden_file_is_tested_and_there)
{
    DIR *folder = opendir(path_of("", ""));
    size_t found = 0, lines = 0, histories = 0;
    require(folder != NULL, "the folder is there");
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        const char *suffix = strrchr(entry->d_name, '.');
        if (suffix == NULL || suffix[1] == '\0' || suffix == entry->d_name ||
            strcmp(suffix, ".txt") == 0 || strcmp(suffix, ".md") == 0)
            continue;
        require(is_known(entry->d_name), entry->d_name);
        found++;
    }
    closedir(folder);
    for (size_t i = 0; i < golden_sequence_count; i++)
        lines += golden_sequences[i].has_line;
    for (int i = 0; i < store_file_count; i++)
        histories += has_history_file(&store_files[i]);
    ck_assert_uint_eq(found, golden_version_count + (size_t)store_file_count + lines + histories +
                                 sizeof tables / sizeof *tables + 2);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("golden");
    TCase *tests = add_tests(suite, "golden");
    const int versions = (int)golden_version_count;
    find_store_files();
    tcase_add_loop_test(tests, a_golden_file_has_the_contents_that_are_listed, 0, versions);
    tcase_add_loop_test(tests, a_golden_file_is_written_again_with_the_same_bytes, 0, versions);
    tcase_add_loop_test(tests, a_version_that_is_made_again_gives_the_bytes_of_its_golden_file, 0,
                        versions);
    tcase_add_loop_test(tests,
                        a_golden_history_has_the_contents_that_are_listed_and_is_written_again, 0,
                        store_file_count);
#if PQT_WITH_SQLITE
    tcase_add_loop_test(tests, the_history_of_a_golden_store_gives_the_bytes_of_its_golden_file, 0,
                        store_file_count);
    tcase_add_loop_test(tests, a_golden_store_has_the_contents_that_are_listed, 0,
                        store_file_count);
    tcase_add_loop_test(tests, a_store_that_is_made_again_has_the_rows_of_its_golden_file, 0,
                        store_file_count);
    tcase_add_loop_test(tests, a_store_of_version_1_gets_the_rows_of_version_2, 0,
                        (int)golden_sequence_count);
#endif
#if PQT_WITH_SQLITE || PQT_WITH_POSTGRESQL
    tcase_add_loop_test(tests, the_golden_rows_of_a_line_have_the_contents_that_are_listed, 0,
                        (int)golden_sequence_count);
#endif
#if PQT_WITH_POSTGRESQL
    tcase_add_loop_test(tests, the_rows_of_a_line_that_are_made_again_are_the_golden_ones, 0,
                        (int)golden_sequence_count);
#endif
    tcase_add_loop_test(tests, a_golden_table_is_read_and_written_again, 0,
                        (int)(sizeof tables / sizeof *tables));
    tcase_add_test(tests, a_golden_table_is_written_with_other_numbers);
    tcase_add_test(tests, a_golden_picture_is_read);
    tcase_add_test(tests, each_golden_file_is_tested_and_there);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
