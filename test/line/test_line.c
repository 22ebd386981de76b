/* SPDX-License-Identifier: MIT */
/*
 * test_line.c: tests lines in PostgreSQL. test/line/test_line.sh starts a server for it.
 */
#include "config.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <libpq-fe.h>

#include <pqt/heap.h>
#include <pqt/line.h>

#include "cutting_proxy.h"
#include "error_support.h"
#include "golden.h"
#include "hooks.h"
#include "line/line_internal.h"
#include "line/row_hash.h"
#include "misuse.h"
#include "stored_kinds.h"
#include "suite.h"
#include "tree_support.h"
#include "used_error.h"

/* Every wait below ends with an event. Its limit, in seconds, is longer than even a loaded machine
 * needs, so that only a faulty test reaches it. */
enum { PUSHES = 40, WRITERS = 2, LONG = 600 };

/* ---- Support ---- */

static const char *
environment(const char *name)
{
    const char *value = getenv(name);
    require(value != NULL, "test/with_postgresql runs this program");
    return value;
}

/* Returns the URL of a line of the running test. */
static const char *
address_at(const char *url)
{
    static char address[600];
    snprintf(address, sizeof address, "%s#%s %d", url, running_test, running_iteration);
    return address;
}

static const char *
address(void)
{
    return address_at(environment("PQT_TEST_POSTGRESQL"));
}

static pqt_line *
open_with(const char *where, pqt_memory *memory, const pqt_line_options *options)
{
    pqt_error error = {0};
    pqt_line *line = pqt_line_open(where, memory, options, &error);
    require(line != NULL, error.text);
    return line;
}

static pqt_line *
open_line(pqt_memory *memory)
{
    pqt_line_options options = PQT_LINE_DEFAULTS;
    options.patience = LONG;
    return open_with(address(), memory, &options);
}

/* Runs SQL as the owner of the database. %s is replaced by the name of the line of the running
 * test. */
static void
as_owner(const char *sql)
{
    char text[600], name[120];
    snprintf(name, sizeof name, "(SELECT id FROM pqt.line WHERE name = '%s %d')", running_test,
             running_iteration);
    snprintf(text, sizeof text, sql, name, name);
    PGconn *server = PQconnectdb(environment("PQT_TEST_POSTGRESQL"));
    PGresult *result = PQexec(server, text);
    const ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        fprintf(stderr, "# %s\n# %s\n", text, PQerrorMessage(server));
    require(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK, "SQL of the test");
    PQclear(result);
    PQfinish(server);
}

static void
push(pqt_line *line, pqt_kind kind, const void *version, const char *label)
{
    pqt_error error = {0};
    require(pqt_line_push(line, kind, version, label, &error), error.text);
}

static const pqt_tree *
empty_tree(pqt_memory *memory)
{
    pqt_error error = {0};
    pqt_tree_options shape = PQT_TREE_DEFAULTS;
    shape.memory = memory;
    shape.unique_ids = true;
    const pqt_tree *tree = pqt_tree_make((pqt_box){{0, 0}, {64, 64}}, &shape, &error);
    require(tree != NULL, error.text);
    return tree;
}

static const pqt_tree *
with_item(const pqt_tree *tree, uint64_t id, double x)
{
    pqt_error error = {0};
    const pqt_box box = {{x, 1}, {x + 1, 2}};
    tree = pqt_tree_find(tree, id, NULL)
               ? pqt_tree_move_id(tree, id, box, &error)
               : pqt_tree_insert(tree, (pqt_item){.id = id, .box = box}, &error);
    require(tree != NULL, error.text);
    return tree;
}

/* Makes a line with `count` versions. The first one is empty, and version n + 1 has items 1 to
 * n. */
static pqt_line *
line_of_inserts(pqt_memory *memory, uint64_t count)
{
    pqt_line *line = open_line(memory);
    const pqt_tree *tree = empty_tree(memory);
    push(line, PQT_KIND_TREE, tree, "Begin");
    for (uint64_t id = 1; id < count; id++) {
        tree = with_item(tree, id, (double)id);
        push(line, PQT_KIND_TREE, tree, "Insert");
    }
    return line;
}

static void
expect_error(const pqt_error *error, pqt_status status, const char *text)
{
    ck_assert_msg(error->status == status && strstr(error->text, text) != NULL,
                  "%s, %s; wanted %s, %s", pqt_status_name(error->status), error->text,
                  pqt_status_name(status), text);
    ck_assert_msg(names_its_index(error), "%zu: %s", error->index, error->text);
}

/* ---- Golden rows ---- */

/* Reads the golden rows of a line. */
static char *
golden_rows(const char *name)
{
    char path[500];
    const char *top = getenv("srcdir");
    snprintf(path, sizeof path, "%s/test/golden/line-%s.rows", top != NULL ? top : ".", name);
    char *rows = golden_rows_read(path);
    require(rows != NULL, path);
    return rows;
}

/* Copies rows as text from the server to `rows`, which must be empty, or from `rows` to it. */
static void
copy_rows(PGconn *server, const char *sql, char *rows, size_t capacity)
{
    char *row = NULL;
    PGresult *result = PQexec(server, sql);
    const ExecStatusType status = PQresultStatus(result);
    PQclear(result);
    if (status == PGRES_COPY_IN)
        require(PQputCopyData(server, rows, (int)strlen(rows)) == 1 &&
                    PQputCopyEnd(server, NULL) == 1,
                "rows are sent");
    else
        require(status == PGRES_COPY_OUT, PQerrorMessage(server));
    while (status == PGRES_COPY_OUT && PQgetCopyData(server, &row, 0) > 0) {
        require(strlen(rows) + strlen(row) < capacity, "the rows have room");
        strcat(rows, row);
        PQfreemem(row);
    }
    for (result = PQgetResult(server); result != NULL; result = PQgetResult(server)) {
        require(PQresultStatus(result) == PGRES_COMMAND_OK, PQerrorMessage(server));
        PQclear(result);
    }
}

/* So a program of any later version finds what this one has stored. */
START_TEST(a_push_stores_the_golden_rows)
{
    static char rows[1 << 16], sql[500];
    pqt_error error = {0};
    const void *versions[GOLDEN_LENGTH];
    const golden_sequence *sequence = &golden_sequences[_i];
    if (!sequence->has_line)
        return;
    rows[0] = '\0'; /* an earlier test of the same process has filled them */
    pqt_line_options options = PQT_LINE_DEFAULTS;
    options.author = GOLDEN_AUTHOR;
    pqt_line *line = open_with(address(), arena, &options);
    require(golden_sequence_make(sequence, arena, versions, &error), error.text);
    for (unsigned i = 0; i < GOLDEN_LENGTH; i++)
        push(line, sequence->kind, versions[i], golden_label(i));
    pqt_line_close(&line);
    PGconn *server = PQconnectdb(environment("PQT_TEST_POSTGRESQL"));
    snprintf(sql, sizeof sql,
             "COPY (SELECT " GOLDEN_COLUMNS " FROM pqt.version WHERE line = (SELECT id FROM "
             "pqt.line WHERE name = '%s %d') ORDER BY number) TO STDOUT",
             running_test, running_iteration);
    copy_rows(server, sql, rows, sizeof rows);
    PQfinish(server);
    require(strcmp(rows, golden_rows(sequence->name)) == 0, "the rows are the golden ones");
}
END_TEST

START_TEST(a_line_with_the_golden_rows_has_their_versions)
{
    pqt_error error = {0};
    const void *versions[GOLDEN_LENGTH];
    char name[120], kind[60];
    const golden_sequence *sequence = &golden_sequences[_i];
    if (!sequence->has_line)
        return;
    snprintf(name, sizeof name, "INSERT INTO pqt.line (name, kind) VALUES ('%s %d', ", running_test,
             running_iteration);
    snprintf(kind, sizeof kind, "%d)", sequence->kind);
    as_owner(strcat(name, kind));
    PGconn *server = PQconnectdb(environment("PQT_TEST_POSTGRESQL"));
    PQclear(PQexec(server, "CREATE TEMPORARY TABLE golden AS SELECT " GOLDEN_COLUMNS
                           " FROM pqt.version LIMIT 0"));
    copy_rows(server, "COPY golden (" GOLDEN_COLUMNS ") FROM STDIN", golden_rows(sequence->name),
              0);
    PQclear(PQexec(server, "INSERT INTO pqt.version (line, " GOLDEN_COLUMNS
                           ") SELECT (SELECT max(id) FROM pqt.line), " GOLDEN_COLUMNS
                           " FROM golden ORDER BY number"));
    PQfinish(server);
    pqt_line *line = open_line(arena);
    ck_assert_uint_eq(pqt_line_number(line), GOLDEN_LENGTH);
    require(golden_sequence_make(sequence, arena, versions, &error), error.text);
    for (uint64_t n = 1; n <= GOLDEN_LENGTH; n++) {
        const void *version = pqt_line_load(line, n, &error);
        require(version != NULL, error.text);
        require(pqt_version_equals(version, versions[n - 1]), "they are equal");
    }
    pqt_line_close(&line);
}
END_TEST

/* ---- Each kind ---- */

static bool
count_entry(const pqt_line_entry *entry, void *context)
{
    uint64_t *count = context;
    ck_assert_uint_eq(entry->number, ++*count);
    ck_assert_str_eq(entry->label, entry->number % 2 == 0 ? "\xc3\xa9" : "");
    ck_assert_str_eq(entry->author, "Ada");
    ck_assert_str_eq(entry->role, "owner");
    ck_assert_double_gt(entry->time, 1.7e9);
    ck_assert(entry->change_bytes + entry->keyframe_bytes > 0);
    return true;
}

/* Another program with another memory sees the same versions: the newest ones when they arrive, and
   any of them later. */
START_TEST(versions_of_each_kind_reach_other_programs)
{
    pqt_error error = {0};
    pqt_line_options options = PQT_LINE_DEFAULTS;
    options.author = "Ada";
    options.keyframe_ratio = _i < STORED_KINDS ? 0.125 : 1;
    any_version now = first_of_kind((unsigned)_i % STORED_KINDS, arena);
    const void *versions[PUSHES + 1] = {0};
    dice d = {(uint64_t)_i};
    uint64_t count = 0, last = 1;
    pqt_line *line = open_with(address(), arena, &options);
    ck_assert_int_eq(pqt_line_kind(line), PQT_KIND_NONE);
    ck_assert(pqt_line_version(line) == NULL);
    pqt_line *other = open_line(NULL);
    for (uint64_t i = 1; i <= PUSHES; i++) {
        push(line, now.kind, now.version, i % 2 == 0 ? "\xc3\xa9" : NULL);
        if (pqt_line_number(line) == last || i == 1) {
            last = pqt_line_number(line) + 1;
            versions[last - 1] = now.version;
        }
        if (i % 3 == 0) {
            ck_assert_msg(pqt_line_fetch(other, &error), "%s", error.text);
            ck_assert_uint_eq(pqt_line_number(other), pqt_line_number(line));
            ck_assert_int_eq(pqt_line_kind(other), now.kind);
            ck_assert(pqt_version_check(pqt_line_version(other), &error));
            ck_assert(pqt_version_equals(pqt_line_version(other), now.version));
        }
        const void *before = now.version;
        do
            now.version = edit_of_kind(now, &d);
        while (pqt_version_equals(before, now.version));
    }
    ck_assert_uint_eq(pqt_line_number(line), PUSHES);
    for (uint64_t i = PUSHES; i > 0; i--) {
        const void *loaded = pqt_line_load(other, i, &error);
        ck_assert_msg(loaded != NULL, "%s", error.text);
        ck_assert(pqt_version_equals(loaded, versions[i]));
    }
    ck_assert(pqt_line_visit(other, 0, UINT64_MAX, count_entry, &count, &error));
    ck_assert_uint_eq(count, PUSHES);
    pqt_line_close(&other);
    other = open_with(address(), arena, NULL);
    ck_assert(pqt_version_equals(pqt_line_version(other), versions[PUSHES]));
    pqt_line_close(&other);
    pqt_line_close(&line);
}
END_TEST

START_TEST(an_equal_version_is_not_pushed)
{
    pqt_line *line = line_of_inserts(arena, 3);
    push(line, PQT_KIND_TREE, pqt_line_version(line), "Again");
    ck_assert_uint_eq(pqt_line_number(line), 3);
    pqt_line_close(&line);
}
END_TEST

/* A version that an earlier call failed to make is not pushed, and keeps the error of that call. */
START_TEST(a_version_that_was_not_made_is_not_pushed)
{
    pqt_line *line = line_of_inserts(arena, 2);
    pqt_error error = {.status = PQT_ERROR_BOX, .text = "an earlier failure"};
    ck_assert(!pqt_line_push(line, PQT_KIND_TREE, NULL, "None", &error));
    expect_error(&error, PQT_ERROR_BOX, "an earlier failure");
    ck_assert_uint_eq(pqt_line_number(line), 2);
    pqt_line_close(&line);
}
END_TEST

static size_t
count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    size_t count = 0;
    if (folder == NULL)
        return 0;
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

START_TEST(a_closed_line_leaves_no_connection)
{
    const size_t before = count_descriptors();
    for (int i = 0; i < 3; i++) {
        pqt_line *line = line_of_inserts(arena, 1);
        pqt_line_close(&line);
    }
    ck_assert_uint_eq(count_descriptors(), before);
}
END_TEST

/* ---- Costs ---- */

/* A follower fetches each change that it lacks once, and no version as a whole. */
START_TEST(a_follower_fetches_the_versions_that_it_lacks)
{
    pqt_error error = {0};
    pqt_line_stats before, after, pushed;
    pqt_line *line = line_of_inserts(arena, 10);
    pqt_line *other = open_line(arena);
    pqt_line_get_stats(other, &before);
    ck_assert_uint_eq(before.keyframes, 1);
    ck_assert_uint_eq(before.fetched, 9);
    pqt_line_get_stats(line, &pushed);
    const uint64_t bytes = pushed.pushed_bytes;
    for (uint64_t i = 0; i < 5; i++)
        push(line, PQT_KIND_TREE, with_item(pqt_line_version(line), i + 1, (double)(20 + i)), NULL);
    ck_assert(pqt_line_fetch(other, &error));
    ck_assert(pqt_line_fetch(other, &error));
    pqt_line_get_stats(other, &after);
    pqt_line_get_stats(line, &pushed);
    ck_assert_uint_eq(after.keyframes, 1);
    ck_assert_uint_eq(after.fetched, 14);
    ck_assert_uint_eq(after.change_bytes - before.change_bytes, pushed.pushed_bytes - bytes);
    ck_assert_uint_le(after.change_bytes - before.change_bytes, 5 * 72);
    pqt_line_close(&other);
    pqt_line_close(&line);
}
END_TEST

/* A world is stored as a whole. A follower fetches only the newest one. */
START_TEST(a_follower_of_worlds_fetches_only_the_newest)
{
    pqt_error error = {0};
    pqt_line_stats before, after;
    dice d = {7};
    any_version now = first_of_kind(2, arena);
    ck_assert_int_eq(now.kind, PQT_KIND_WORLD);
    pqt_line *line = open_line(arena);
    push(line, now.kind, now.version, NULL);
    pqt_line *other = open_line(arena);
    pqt_line_get_stats(other, &before);
    while (pqt_line_number(line) < 12) {
        now.version = edit_of_kind(now, &d);
        push(line, now.kind, now.version, NULL);
    }
    ck_assert_msg(pqt_line_fetch(other, &error), "%s", error.text);
    ck_assert_uint_eq(pqt_line_number(other), 12);
    ck_assert(pqt_version_equals(pqt_line_version(other), now.version));
    pqt_line_get_stats(other, &after);
    ck_assert_uint_eq(after.keyframes, before.keyframes + 1);
    pqt_line_close(&other);
    pqt_line_close(&line);
}
END_TEST

/* A follower that is far behind does not load all changes into memory at once. */
START_TEST(large_changes_come_in_batches)
{
    enum { VALUE = 1 << 20, VALUES = 20 };
    pqt_error error = {0};
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.values = PQT_MAP_BYTE_VALUES;
    options.memory = arena;
    static uint8_t bytes[VALUE];
    dice d = {5};
    const pqt_map *map = pqt_map_make(&options, &error);
    pqt_line *line = open_line(arena);
    push(line, PQT_KIND_MAP, map, NULL);
    pqt_line *other = open_line(arena);
    for (uint64_t i = 0; i < VALUES; i++) {
        for (size_t j = 0; j < VALUE; j++)
            bytes[j] = (uint8_t)dice_below(&d, 256);
        map = pqt_map_insert(map, (pqt_map_key){.id = i},
                             (pqt_map_value){.bytes = bytes, .size = VALUE}, &error);
        push(line, PQT_KIND_MAP, map, NULL);
    }
    ck_assert_msg(pqt_line_fetch(other, &error), "%s", error.text);
    ck_assert_uint_eq(pqt_line_number(other), VALUES + 1);
    ck_assert(pqt_map_equals(pqt_line_version(other), map));
    pqt_line_close(&other);
    pqt_line_close(&line);
}
END_TEST

/* If versions are loaded in turn, each change is fetched once. */
START_TEST(the_next_version_costs_one_change)
{
    pqt_error error = {0};
    pqt_line_stats before, after;
    pqt_line *line = line_of_inserts(arena, 30);
    pqt_line *other = open_line(arena);
    ck_assert(pqt_line_load(other, 1, &error) != NULL);
    pqt_line_get_stats(other, &before);
    for (uint64_t i = 2; i < 30; i++)
        ck_assert_uint_eq(pqt_tree_count(pqt_line_load(other, i, &error)), i - 1);
    pqt_line_get_stats(other, &after);
    ck_assert_uint_eq(after.fetched - before.fetched, 28);
    ck_assert_uint_eq(after.keyframes, before.keyframes);
    ck_assert_uint_eq(pqt_tree_count(pqt_line_load(other, 3, &error)), 2);
    pqt_line_get_stats(other, &after);
    ck_assert_uint_eq(after.keyframes, before.keyframes + 1);
    pqt_line_close(&other);
    pqt_line_close(&line);
}
END_TEST

/* The newest version that was loaded remains valid when others replace it. */
START_TEST(a_loaded_version_is_kept)
{
    pqt_error error = {0};
    pqt_memory *heap = pqt_heap_make(NULL, &error);
    pqt_line *line = line_of_inserts(arena, 3), *other = open_line(heap);
    const pqt_tree *loaded = pqt_line_load(other, 3, &error);
    push(line, PQT_KIND_TREE, with_item(pqt_line_version(line), 2, 50), NULL);
    ck_assert(pqt_line_fetch(other, &error));
    ck_assert_uint_eq(pqt_line_number(other), 4);
    pqt_memory_reclaim(heap, PQT_RECLAIM_ALL);
    ck_assert_uint_eq(pqt_tree_count(loaded), 2);
    ck_assert(pqt_line_load(other, 3, &error) == loaded);
    pqt_line_close(&other);
    pqt_heap_destroy(&heap);
    pqt_line_close(&line);
}
END_TEST

/* Opening reads one keyframe and the changes after it. These have at most as many bytes as the
 * keyframe, or 64 KiB. */
START_TEST(keyframes_bound_the_cost_of_opening)
{
    enum { ITEMS = 500, MOVES = 2500 };
    pqt_error error = {0};
    pqt_line_stats stats;
    static pqt_line_new versions[MOVES + 1];
    dice d = {3};
    pqt_line *line = open_line(arena);
    const pqt_tree *tree = empty_tree(arena);
    for (uint64_t id = 1; id <= ITEMS; id++)
        tree = with_item(tree, id, (double)(id % 60));
    versions[0] = (pqt_line_new){tree, "All"};
    for (size_t i = 1; i <= MOVES; i++) {
        tree = with_item(tree, 1 + dice_below(&d, ITEMS), (double)dice_below(&d, 63) + 0.5);
        versions[i] = (pqt_line_new){tree, NULL};
    }
    ck_assert_msg(pqt_line_push_all(line, PQT_KIND_TREE, versions, MOVES + 1, &error), "%s",
                  error.text);
    const uint64_t count = pqt_line_number(line);
    ck_assert_uint_gt(count, MOVES / 2);
    pqt_line *other = open_line(arena);
    pqt_line_get_stats(other, &stats);
    ck_assert(pqt_tree_equals(pqt_line_version(other), tree));
    ck_assert_uint_eq(stats.keyframes, 1);
    ck_assert_uint_le(stats.change_bytes, 65536);
    ck_assert_uint_lt(stats.fetched, count / 2);
    pqt_line_close(&other);
    pqt_line_close(&line);
}
END_TEST

/* ---- Pages ---- */

enum { PAGE = 1000, LONG_LINE = 2 * PAGE + 5 };

/* The numbers that a visit is to see, in order, and where it ends. */
typedef struct numbers {
    uint64_t next, stop_at; /* stop_at: the last number before it stops; 0: it never stops */
} numbers;

static bool
expect_next_number(const pqt_line_entry *entry, void *context)
{
    numbers *expected = context;
    ck_assert_uint_eq(entry->number, expected->next);
    expected->next++;
    return entry->number != expected->stop_at;
}

/* Visits a range, and expects each version in it once. A visit that is stopped returns false, but
   does not fail. */
static void
expect_range(pqt_line *line, uint64_t first, uint64_t last, uint64_t stop_at, uint64_t end)
{
    pqt_error error = {0};
    numbers expected = {first, stop_at};
    ck_assert(pqt_line_visit(line, first, last, expect_next_number, &expected, &error) ==
              (stop_at == 0));
    ck_assert_msg(error.status == PQT_OK, "%s", error.text);
    ck_assert_uint_eq(expected.next, end + 1);
}

/* Visits read a page of 1,000 versions at a time, and fetches a batch of 512. The versions at the
   ends of pages and batches are among the others. */
START_TEST(a_line_longer_than_a_page_has_each_version_once)
{
    static pqt_line_new versions[LONG_LINE];
    static const uint64_t loaded[] = {1, 511, 512, 513, 514, 1000, 1001, 1002, 1024, LONG_LINE};
    pqt_error error = {0};
    pqt_line *line = open_line(arena);
    const pqt_tree *tree = empty_tree(arena);
    for (size_t i = 0; i < LONG_LINE; i++)
        versions[i] = (pqt_line_new){tree = with_item(tree, 7, 0.01 * (double)i), NULL};
    ck_assert_msg(pqt_line_push_all(line, PQT_KIND_TREE, versions, LONG_LINE, &error), "%s",
                  error.text);
    expect_range(line, 1, UINT64_MAX, 0, LONG_LINE);
    expect_range(line, 1, PAGE, 0, PAGE);
    expect_range(line, 1, PAGE + 1, 0, PAGE + 1);
    expect_range(line, 3, LONG_LINE - 1, 0, LONG_LINE - 1);
    expect_range(line, 1, UINT64_MAX, PAGE, PAGE);
    expect_range(line, 1, UINT64_MAX, PAGE + 1, PAGE + 1);
    expect_range(line, LONG_LINE + 1, UINT64_MAX, 0, LONG_LINE);
    pqt_line *other = open_line(arena);
    ck_assert_uint_eq(pqt_line_number(other), LONG_LINE);
    ck_assert(pqt_tree_equals(pqt_line_version(other), tree));
    for (size_t i = 0; i < sizeof loaded / sizeof *loaded; i++)
        ck_assert(pqt_tree_equals(pqt_line_load(other, loaded[i], &error),
                                  versions[loaded[i] - 1].version));
    pqt_line_close(&other);
    pqt_line_close(&line);
}
END_TEST

/* ---- Keyframes ---- */

/* The bytes of changes since the last keyframe of a line, and the keyframes. */
typedef struct keyframe_gaps {
    uint64_t since, most, least, keyframes;
} keyframe_gaps;

static bool
measure_gap(const pqt_line_entry *entry, void *context)
{
    keyframe_gaps *gaps = context;
    gaps->since += entry->change_bytes;
    gaps->most = gaps->since > gaps->most ? gaps->since : gaps->most;
    if (entry->keyframe_bytes == 0)
        return true;
    if (entry->number > 1 && gaps->since < gaps->least)
        gaps->least = gaps->since;
    gaps->keyframes++;
    gaps->since = 0;
    return true;
}

/* Each of two programs counts the changes that the other one has pushed, and notices its
   keyframes. With one change after another of 4 KiB, a keyframe follows after 64 KiB. */
START_TEST(two_programs_that_push_in_turn_write_keyframes_as_one_does)
{
    enum { VALUE = 4096, LEAST = 65536, TURNS = 60 };
    static uint8_t bytes[VALUE];
    pqt_error error = {0};
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.values = PQT_MAP_BYTE_VALUES;
    options.memory = arena;
    dice d = {9};
    const pqt_map *map = pqt_map_make(&options, &error);
    pqt_line *lines[] = {open_line(arena), open_line(arena)};
    for (size_t turn = 0; turn < TURNS; turn++) {
        for (size_t i = 0; i < VALUE; i++)
            bytes[i] = (uint8_t)dice_below(&d, 256);
        map = pqt_map_insert(map, (pqt_map_key){.id = 1},
                             (pqt_map_value){.bytes = bytes, .size = VALUE}, &error);
        /* With _i = 1, a program pushes three times in its turn. */
        pqt_line *line = lines[turn / (_i == 0 ? 1 : 3) % 2];
        ck_assert_msg(pqt_line_fetch(line, &error), "%s", error.text);
        push(line, PQT_KIND_MAP, map, NULL);
    }
    keyframe_gaps gaps = {.least = UINT64_MAX};
    ck_assert(pqt_line_visit(lines[0], 1, UINT64_MAX, measure_gap, &gaps, &error));
    ck_assert_uint_le(gaps.most, LEAST + 2 * (VALUE + 128));
    ck_assert_uint_ge(gaps.least, LEAST - 2 * (VALUE + 128));
    ck_assert_uint_ge(gaps.keyframes, 3);
    pqt_line_close(&lines[0]);
    pqt_line_close(&lines[1]);
}
END_TEST

/* ---- Several writers ---- */

START_TEST(a_push_that_comes_second_fails)
{
    pqt_error error = {0};
    pqt_line_stats stats;
    pqt_line *line = line_of_inserts(arena, 3), *other = open_line(arena);
    const pqt_tree *base = pqt_line_version(other);
    push(line, PQT_KIND_TREE, with_item(base, 10, 10), "Ten");
    const pqt_line_new both[] = {{with_item(base, 11, 11), NULL}, {with_item(base, 12, 12), NULL}};
    ck_assert(!pqt_line_push(other, PQT_KIND_TREE, both[0].version, NULL, &error));
    expect_error(&error, PQT_ERROR_CONFLICT, "version 4: another version was pushed first");
    error = (pqt_error){0};
    ck_assert(!pqt_line_push_all(other, PQT_KIND_TREE, both, 2, &error));
    expect_error(&error, PQT_ERROR_CONFLICT, "version 4: another version was pushed first");
    error = (pqt_error){0};
    ck_assert_uint_eq(pqt_line_number(other), 3);
    pqt_line_get_stats(other, &stats);
    ck_assert_uint_eq(stats.conflicts, 2);
    ck_assert_uint_eq(stats.reconnects, 0);
    ck_assert_uint_eq(stats.pushed, 0);
    ck_assert(pqt_line_fetch(line, &error) && pqt_line_number(line) == 4);

    const pqt_tree *merged =
        pqt_line_update(other, base, both[0].version, "Eleven", NULL, NULL, &error);
    ck_assert_msg(merged != NULL, "%s", error.text);
    ck_assert(pqt_tree_find(merged, 10, NULL) && pqt_tree_find(merged, 11, NULL));
    ck_assert_uint_eq(pqt_line_number(other), 5);
    ck_assert(pqt_line_fetch(line, &error));
    ck_assert(pqt_tree_equals(pqt_line_version(line), merged));
    pqt_line_close(&other);
    pqt_line_close(&line);
}
END_TEST

static const void *
take_theirs(const void *base, const void *ours, const void *theirs, void *context, pqt_error *error)
{
    (void)base;
    (void)ours;
    (void)error;
    ++*(int *)context;
    return theirs;
}

static const void *
no_merge(const void *base, const void *ours, const void *theirs, void *context, pqt_error *error)
{
    (void)base;
    (void)ours;
    (void)theirs;
    (void)context;
    (void)error;
    return NULL;
}

START_TEST(a_conflict_is_reported_or_decided)
{
    pqt_error error = {0};
    int calls = 0;
    pqt_line *line = line_of_inserts(arena, 5), *other = open_line(arena);
    const pqt_tree *base = pqt_line_version(other);
    push(line, PQT_KIND_TREE, with_item(base, 2, 30), "Move 2");
    const pqt_tree *mine = with_item(base, 2, 40);
    ck_assert(pqt_line_update(other, base, mine, NULL, NULL, NULL, &error) == NULL);
    expect_error(&error, PQT_ERROR_CONFLICT, "2");
    error = (pqt_error){0};
    ck_assert_uint_eq(pqt_line_number(other), 6);
    ck_assert(pqt_line_update(other, base, mine, NULL, no_merge, NULL, &error) == NULL);
    expect_error(&error, PQT_ERROR_CALLBACK, "merge returned NULL");
    error = (pqt_error){0};
    const void *now = pqt_line_update(other, base, mine, NULL, take_theirs, &calls, &error);
    ck_assert_msg(now == pqt_line_version(other), "%s", error.text);
    ck_assert_int_eq(calls, 1);
    ck_assert_uint_eq(pqt_line_number(other), 6); /* there was nothing left to push */
    pqt_line_close(&other);
    pqt_line_close(&line);
}
END_TEST

/* Makes later connections begin with another isolation level. */
static void
use_isolation(int level)
{
    static const char *const options[] = {"", "-c default_transaction_isolation=serializable",
                                          "-c default_transaction_isolation=repeatable\\ read"};
    require(setenv("PGOPTIONS", options[level], 1) == 0, "setenv");
}

/* Moves items. Every tenth edit of a writer moves the item that the other writers move, too. */
static bool
is_shared_edit(uint64_t i)
{
    return i % 10 == 0;
}

/* Runs one writer of a line in a separate process. It moves its own items, and the common one. */
static void
write_edits(uint64_t writer)
{
    pqt_error error = {0};
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.reclaim_at_push = true; /* versions without a pin are soon reclaimed */
    pqt_memory *heap = pqt_heap_make(&options, &error);
    pqt_line *line = open_line(heap);
    uint64_t conflicts = 0;
    const uint64_t edits = test_scaled(120);
    for (uint64_t i = 0; i < edits; i++) {
        const void *base = pqt_line_version(line);
        const uint64_t id = is_shared_edit(i) ? 1 : 1000000 * (writer + 1) + i;
        const pqt_tree *mine = with_item(base, id, (double)(i % 60) + 0.25 * (double)writer);
        if (pqt_line_update(line, base, mine, "Edit", NULL, NULL, &error) != NULL)
            continue;
        require(error.status == PQT_ERROR_CONFLICT && id == 1, error.text);
        error = (pqt_error){0};
        conflicts++;
    }
    pqt_line_close(&line);
    pqt_heap_destroy(&heap);
    _exit(conflicts > 100 ? 100 : (int)conflicts);
}

/* Every edit is in the newest version, or was reported as a conflict, in each isolation level. */
START_TEST(no_edit_of_several_writers_is_lost)
{
    pqt_error error = {0};
    pid_t writers[WRITERS];
    const uint64_t edits = test_scaled(120);
    use_isolation(_i);
    pqt_line *line = line_of_inserts(arena, 2);
    for (uint64_t w = 0; w < WRITERS; w++) {
        writers[w] = fork();
        if (writers[w] == 0)
            write_edits(w);
    }
    uint64_t seen = pqt_line_number(line), conflicts = 0, without_conflict = 0;
    for (uint64_t i = 0; i < edits; i++)
        without_conflict += !is_shared_edit(i);
    while (seen < 2 + WRITERS * without_conflict) {
        ck_assert_msg(pqt_line_wait(line, LONG, &error), "%s", error.text);
        ck_assert_uint_gt(pqt_line_number(line), seen);
        seen = pqt_line_number(line);
    }
    for (int w = 0; w < WRITERS; w++) {
        int status = 0;
        ck_assert_int_eq(waitpid(writers[w], &status, 0), writers[w]);
        ck_assert_msg(WIFEXITED(status) && (uint64_t)WEXITSTATUS(status) <= edits / 10 + 1,
                      "status %d", status);
        conflicts += (uint64_t)WEXITSTATUS(status);
    }
    ck_assert_msg(pqt_line_fetch(line, &error), "%s", error.text);
    for (uint64_t w = 0; w < WRITERS; w++)
        for (uint64_t i = 0; i < edits; i++)
            ck_assert(is_shared_edit(i) ||
                      pqt_tree_find(pqt_line_version(line), 1000000 * (w + 1) + i, NULL));
    ck_assert_uint_le(pqt_line_number(line), 2 + WRITERS * edits - conflicts);
    pqt_line *again = open_line(arena);
    ck_assert(pqt_tree_equals(pqt_line_version(again), pqt_line_version(line)));
    fprintf(stderr, "# %u versions, %u conflicts\n", (unsigned)pqt_line_number(line),
            (unsigned)conflicts);
    pqt_line_close(&again);
    pqt_line_close(&line);
}
END_TEST

/* Waits until a connection of the library is in a given state, or for half a minute. The caller
   must be correct in either case. */
static void
await_connection(PGconn *server, const char *state)
{
    char sql[300];
    snprintf(sql, sizeof sql, "SELECT FROM pg_stat_activity WHERE application_name = 'pqt' AND %s",
             state);
    for (int i = 0; i < 3000; i++) {
        PGresult *result = PQexec(server, sql);
        const int found = PQntuples(result);
        PQclear(result);
        if (found > 0)
            return;
        usleep(10000);
    }
}

/* Waits until a connection of the library seems to wait for versions. */
static void
await_listener(void)
{
    PGconn *server = PQconnectdb(environment("PQT_TEST_POSTGRESQL"));
    await_connection(server, "state = 'idle' AND query ~ '^(SELECT|LISTEN)' "
                             "AND state_change < clock_timestamp() - interval '0.2 s'");
    PQfinish(server);
}

/* Another program makes the line in a transaction that ends when the push waits for it. */
START_TEST(two_programs_may_make_a_line_at_once)
{
    pqt_error error = {0};
    char sql[200];
    const int kind = _i % 2 == 0 ? PQT_KIND_TREE : PQT_KIND_MAP;
    use_isolation(_i / 2);
    PGconn *server = PQconnectdb(environment("PQT_TEST_POSTGRESQL"));
    PQclear(PQexec(server, "BEGIN"));
    snprintf(sql, sizeof sql, "INSERT INTO pqt.line (name, kind) VALUES ('%s %d', %d)",
             running_test, running_iteration, kind);
    PQclear(PQexec(server, sql));
    const pid_t child = fork();
    if (child == 0) {
        pqt_line *line = open_line(arena);
        const bool done = pqt_line_push(line, PQT_KIND_TREE, empty_tree(arena), NULL, &error);
        if (!done)
            fprintf(stderr, "# %s\n", error.text);
        _exit(done ? 0 : (int)error.status);
    }
    PGconn *watcher = PQconnectdb(environment("PQT_TEST_POSTGRESQL"));
    await_connection(watcher, "wait_event_type = 'Lock'");
    PQclear(PQexec(server, "COMMIT"));
    PQfinish(watcher);
    PQfinish(server);
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), kind == PQT_KIND_TREE ? 0 : (int)PQT_ERROR_MISMATCH);
}
END_TEST

static const void *
merge_by_library(pqt_kind kind, dice *d, pqt_error *error)
{
    const unsigned forms[] = {[PQT_KIND_TREE] = 0, [PQT_KIND_REGION] = 1,   [PQT_KIND_WORLD] = 2,
                              [PQT_KIND_MAP] = 3,  [PQT_KIND_DOCUMENT] = 4, [PQT_KIND_IMAGE] = 6};
    const any_version base = first_of_kind(forms[kind], arena);
    pqt_line *line = open_line(arena);
    push(line, kind, base.version, "Base");
    pqt_line *other = open_line(arena);
    const void *now = NULL;
    for (int i = 0; i < 40 && now == NULL; i++) {
        const any_version start = {kind, pqt_line_version(other)};
        any_version theirs = start, ours = start;
        theirs.version = edit_of_kind(theirs, d);
        ours.version = edit_of_kind(ours, d);
        if (pqt_version_equals(ours.version, start.version) ||
            pqt_version_equals(theirs.version, start.version) ||
            pqt_version_equals(ours.version, theirs.version))
            continue;
        ck_assert(pqt_line_fetch(line, error));
        push(line, kind, theirs.version, NULL);
        *error = (pqt_error){0};
        now = pqt_line_update(other, start.version, ours.version, NULL, NULL, NULL, error);
        if (now == NULL && error->status != PQT_ERROR_CONFLICT)
            break;
    }
    const void *pushed = now;
    if (now != NULL) {
        pqt_error failure = {0};
        ck_assert(pqt_line_fetch(line, &failure));
        ck_assert(pqt_version_equals(pqt_line_version(line), now));
        ck_assert(pqt_version_check(now, &failure));
    }
    pqt_line_close(&other);
    pqt_line_close(&line);
    return pushed;
}

START_TEST(all_kinds_except_worlds_are_merged)
{
    pqt_error error = {0};
    dice d = {(uint64_t)_i};
    const pqt_kind kind = (pqt_kind)(PQT_KIND_TREE + _i);
    const void *merged = merge_by_library(kind, &d, &error);
    if (kind == PQT_KIND_WORLD)
        expect_error(&error, PQT_ERROR_MISMATCH, "worlds cannot be merged");
    else
        ck_assert_msg(merged != NULL, "%s", error.text);
}
END_TEST

/* Each pixel of the merge equals the pixel in the version of the side that changed it. */
START_TEST(regions_merge_by_pixels)
{
    pqt_error error = {0};
    const pqt_region *base = small_version(8, arena, &error).version;
    const pqt_region *with_disc =
        pqt_region_paint(base, pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){20, 20}, 6), &error);
    pqt_line *line = open_line(arena);
    push(line, PQT_KIND_REGION, with_disc, NULL);
    pqt_line *other = open_line(arena);
    const pqt_paint hole = pqt_paint_disc(PQT_PAINT_CLEAR, (pqt_vec){22, 20}, 3),
                    far = pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){40, 40}, 5);
    push(line, PQT_KIND_REGION, pqt_region_paint(with_disc, hole, &error), NULL);
    const pqt_region *start = pqt_line_version(other);
    const pqt_region *merged = pqt_line_update(other, start, pqt_region_paint(start, far, &error),
                                               NULL, NULL, NULL, &error);
    ck_assert_msg(merged != NULL, "%s", error.text);
    const pqt_region *wanted =
        pqt_region_paint(pqt_region_paint(with_disc, hole, &error), far, &error);
    ck_assert(pqt_region_equals(merged, wanted));
    pqt_line_close(&other);
    pqt_line_close(&line);
}
END_TEST

/* ---- Heads and waiting ---- */

START_TEST(fetches_and_pushes_publish_to_the_head)
{
    pqt_error error = {0};
    pqt_line *line = open_line(arena);
    ck_assert(pqt_line_head(line, &error) == NULL);
    expect_error(&error, PQT_ERROR_MISMATCH, "the line is empty");
    error = (pqt_error){0};
    pqt_line_close(&line);
    line = line_of_inserts(arena, 3);
    pqt_line *other = open_line(NULL);
    const pqt_head *head = pqt_line_head(other, &error);
    ck_assert(head != NULL && pqt_line_head(other, &error) == head);
    push(line, PQT_KIND_TREE, with_item(pqt_line_version(line), 8, 8), NULL);
    ck_assert(pqt_line_wait(other, LONG, &error));
    ck_assert_uint_eq(pqt_line_number(other), 4);
    pqt_pin *pin = pqt_head_pin(head, NULL, &error);
    ck_assert(pqt_tree_equals(pqt_pin_get_tree(pin), pqt_line_version(line)));
    pqt_unpin(&pin);
    push(other, PQT_KIND_TREE, with_item(pqt_line_version(other), 9, 9), NULL);
    pin = pqt_head_pin(head, NULL, &error);
    ck_assert(pqt_tree_find(pqt_pin_get_tree(pin), 9, NULL));
    pqt_unpin(&pin);
    pqt_line_close(&other);
    pqt_line_close(&line);
}
END_TEST

/* Threads that use a line in turn. */
enum { TURNS = 25, THREADS = 2 };

typedef struct turns {
    pqt_line *line;
    const pqt_head *head;
    pthread_mutex_t turn;
    atomic_bool is_over;
    uint64_t writers; /* the number of writers that have begun */
} turns;

static void *
push_in_turn(void *context)
{
    turns *t = context;
    pqt_error error = {0};
    pthread_mutex_lock(&t->turn);
    const uint64_t writer = ++t->writers;
    pthread_mutex_unlock(&t->turn);
    for (uint64_t i = 0; i < TURNS; i++) {
        pthread_mutex_lock(&t->turn);
        const pqt_tree *base = pqt_line_version(t->line);
        const pqt_tree *mine = with_item(base, 100 * writer + i, (double)i);
        const void *pushed = pqt_line_update(t->line, base, mine, NULL, NULL, NULL, &error);
        pthread_mutex_unlock(&t->turn);
        if (pushed == NULL) {
            fprintf(stderr, "# %s\n", error.text);
            break;
        }
    }
    return NULL;
}

/* Reads the head repeatedly. Returns NULL if a version is smaller than the previous one. */
static void *
read_head(void *context)
{
    turns *t = context;
    pqt_error error = {0};
    size_t most = 0;
    bool right = true;
    while (right && !atomic_load(&t->is_over)) {
        pqt_pin *pin = pqt_head_pin(t->head, NULL, &error);
        const pqt_tree *seen = pqt_pin_get_tree(pin);
        right = pqt_tree_count(seen) >= most && pqt_tree_check(seen, &error);
        most = pqt_tree_count(seen);
        pqt_unpin(&pin);
    }
    return right ? context : NULL;
}

/* Threads may use a line one after the other, while another one reads its head without a lock. */
START_TEST(threads_use_a_line_in_turn)
{
    pqt_error error = {0};
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.reclaim_at_push = true;
    pqt_memory *heap = pqt_heap_make(&options, &error);
    turns t = {.line = line_of_inserts(heap, 2), .turn = PTHREAD_MUTEX_INITIALIZER};
    pthread_t writers[THREADS], reader;
    void *result = NULL;
    t.head = pqt_line_head(t.line, &error);
    ck_assert_int_eq(pthread_create(&reader, NULL, read_head, &t), 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&writers[i], NULL, push_in_turn, &t), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(writers[i], NULL);
    atomic_store(&t.is_over, true);
    pthread_join(reader, &result);
    ck_assert_msg(result != NULL, "the head went back");
    ck_assert_uint_eq(pqt_line_number(t.line), 2 + THREADS * TURNS);
    ck_assert_uint_eq(pqt_tree_count(pqt_line_version(t.line)), 1 + THREADS * TURNS);
    pqt_line *other = open_line(arena);
    ck_assert(pqt_tree_equals(pqt_line_version(other), pqt_line_version(t.line)));
    pqt_line_close(&other);
    pqt_line_close(&t.line);
    pqt_heap_destroy(&heap);
}
END_TEST

static bool
visit_no_entry(const pqt_line_entry *entry, void *context)
{
    (void)entry;
    (void)context;
    return true;
}

/* In a child, each function that needs the database is refused. */
static void
expect_refusals(pqt_line *line)
{
    pqt_error errors[6] = {{0}};
    const pqt_tree *before = pqt_line_version(line), *next = with_item(before, 7, 7);
    require(!pqt_line_fetch(line, &errors[0]), "a fetch");
    require(!pqt_line_wait(line, LONG, &errors[1]), "a wait");
    require(!pqt_line_push(line, PQT_KIND_TREE, next, NULL, &errors[2]), "a push");
    require(pqt_line_update(line, before, next, NULL, NULL, NULL, &errors[3]) == NULL, "an update");
    require(pqt_line_load(line, 1, &errors[4]) == NULL, "a load");
    require(!pqt_line_visit(line, 1, 3, visit_no_entry, NULL, &errors[5]), "a visit");
    for (int i = 0; i < 6; i++)
        require(errors[i].status == PQT_ERROR_STREAM &&
                    strstr(errors[i].text, "opened before a fork") != NULL,
                errors[i].text);
}

/* A child opens the line for itself. _i selects whether it also tries to use the line of its
   parent, and closes it. */
START_TEST(a_child_opens_a_line_of_its_own)
{
    pqt_error error = {0};
    pqt_line *line = line_of_inserts(arena, 3);
    const pid_t child = fork();
    if (child == 0) {
        if (_i == 1) {
            expect_refusals(line);
            pqt_line_close(&line);
        }
        pqt_line *own = open_line(arena);
        push(own, PQT_KIND_TREE, with_item(pqt_line_version(own), 8, 8), "Child");
        pqt_line_close(&own);
        _exit(0);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ck_assert_msg(pqt_line_fetch(line, &error), "%s", error.text);
    push(line, PQT_KIND_TREE, with_item(pqt_line_version(line), 9, 9), "Parent");
    ck_assert_uint_eq(pqt_line_number(line), 5);
    pqt_line_stats stats;
    pqt_line_get_stats(line, &stats);
    ck_assert_uint_eq(stats.reconnects, 0);
    pqt_line_close(&line);
}
END_TEST

/* Waits until the server has ended the session of a process. */
static void
await_end_of_session(int session)
{
    char sql[300];
    snprintf(sql, sizeof sql,
             "DO $$ BEGIN FOR i IN 1..6000 LOOP PERFORM pg_stat_clear_snapshot(); "
             "EXIT WHEN NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = %d); "
             "PERFORM pg_sleep(0.01); ASSERT i < 6000, 'the session remains'; END LOOP; END $$",
             session);
    as_owner(sql);
}

/* The child of the writer never uses the library. If it kept the connection, a transaction of the
   writer would stay open, and other writers would wait for it. */
START_TEST(a_child_of_a_killed_writer_does_not_hold_its_session)
{
    int sessions[2], gate[2], session = 0, status = 0;
    ck_assert(pipe(sessions) == 0 && pipe(gate) == 0);
    const pid_t writer = fork();
    if (writer == 0) {
        pqt_line *line = line_of_inserts(arena, 2);
        session = PQbackendPID(line->connection.server);
        const pid_t child = fork();
        if (child == 0) {
            char none;
            close(gate[1]);
            _exit(read(gate[0], &none, 1) == 0 ? 0 : 1);
        }
        require(child > 0 && write(sessions[1], &session, sizeof session) == sizeof session,
                "a child is forked");
        raise(SIGKILL);
    }
    ck_assert_int_eq(read(sessions[0], &session, sizeof session), sizeof session);
    ck_assert_int_eq(waitpid(writer, &status, 0), writer);
    ck_assert(WIFSIGNALED(status));
    await_end_of_session(session);
    pqt_line *line = open_line(arena);
    push(line, PQT_KIND_TREE, with_item(pqt_line_version(line), 9, 9), NULL);
    ck_assert_uint_eq(pqt_line_number(line), 3);
    pqt_line_close(&line);
    for (int i = 0; i < 2; i++) {
        close(sessions[i]);
        close(gate[1 - i]);
    }
}
END_TEST

/* A wait ends when its time limit is reached, when a version arrives, and when the line is made. */
START_TEST(a_wait_ends_with_a_version_or_at_its_timeout)
{
    pqt_error error = {0};
    pqt_line *line = open_line(arena);
    ck_assert(pqt_line_wait(line, 0.01, &error));
    ck_assert_uint_eq(pqt_line_number(line), 0);
    int fetched[2];
    ck_assert_int_eq(pipe(fetched), 0);
    const pid_t child = fork();
    if (child == 0) {
        char go;
        pqt_line *writer = line_of_inserts(arena, 1);
        require(read(fetched[0], &go, 1) == 1, "the parent fetches version 1");
        await_listener();
        push(writer, PQT_KIND_TREE, with_item(pqt_line_version(writer), 1, 1), NULL);
        _exit(0);
    }
    ck_assert_msg(pqt_line_wait(line, LONG, &error), "%s", error.text);
    ck_assert_uint_eq(pqt_line_number(line), 1);
    ck_assert_int_eq(write(fetched[1], "", 1), 1);
    ck_assert_msg(pqt_line_wait(line, LONG, &error), "%s", error.text);
    ck_assert_uint_eq(pqt_line_number(line), 2);
    ck_assert(pqt_line_wait(line, 0, &error) && pqt_line_wait(line, 0.05, &error));
    ck_assert_uint_eq(pqt_line_number(line), 2);
    ck_assert(!pqt_line_wait(line, -1, &error));
    expect_error(&error, PQT_ERROR_OPTION, "seconds is -1");
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    close(fetched[0]);
    close(fetched[1]);
    pqt_line_close(&line);
}
END_TEST

/* ---- Cancelled threads ---- */

static void *
push_until_cancelled(void *context)
{
    pqt_line *line = context;
    const pqt_tree *tree = pqt_line_version(line);
    for (uint64_t i = 0;; i++) {
        pqt_error error = {0};
        tree = with_item(tree, 1 + i % 9, (double)(i % 50));
        if (!pqt_line_push(line, PQT_KIND_TREE, tree, NULL, &error) ||
            !pqt_line_fetch(line, &error))
            return NULL;
        pthread_testcancel();
    }
}

/* 1,000 threads are cancelled if PQT_TEST_SCALE is 10, as in check-long. */
START_TEST(threads_that_are_cancelled_while_they_push_leave_the_line_to_others)
{
    dice d = {test_seed("cancelled pushes to a line")};
    pqt_line *line = line_of_inserts(arena, 2);
    for (size_t i = test_scaled(100); i > 0; i--) {
        pthread_t thread;
        void *result = NULL;
        require(pthread_create(&thread, NULL, push_until_cancelled, line) == 0, "a thread begins");
        for (size_t yields = dice_below(&d, 400); yields > 0; yields--)
            sched_yield();
        require(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0, "it ends");
        require(result == PTHREAD_CANCELED, "its pushes did not fail before");
        push(line, PQT_KIND_TREE, with_item(pqt_line_version(line), 10, (double)(i % 50)), NULL);
    }
    pqt_line_stats stats;
    pqt_line_get_stats(line, &stats);
    ck_assert_uint_eq(stats.reconnects, 0);
    pqt_line_close(&line);
}
END_TEST

static void *
wait_for_long(void *line)
{
    (void)pqt_line_wait(line, LONG, NULL);
    return NULL;
}

START_TEST(a_wait_that_is_cancelled_leaves_the_line_to_others)
{
    pthread_t thread;
    void *result = NULL;
    pqt_line *line = line_of_inserts(arena, 2);
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_long, line), 0);
    await_listener();
    ck_assert_int_eq(pthread_cancel(thread), 0);
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    ck_assert_ptr_eq(result, PTHREAD_CANCELED);
    push(line, PQT_KIND_TREE, with_item(pqt_line_version(line), 9, 9), NULL);
    ck_assert_uint_eq(pqt_line_number(line), 3);
    pqt_line_close(&line);
}
END_TEST

/* ---- Calls that reach the database ---- */

static bool
visit_none(const pqt_line_entry *entry, void *context)
{
    (void)entry;
    (void)context;
    return true;
}

enum { FETCH, WAIT, LOAD, PUSH, PUSH_ALL, UPDATE, VISIT, CALLS };

/* Makes a call that has work to do. Pushes insert item 77. */
static bool
call_of(int call, pqt_line *line, pqt_error *error)
{
    const pqt_tree *base = pqt_line_version(line);
    const pqt_box box = {{1, 0.5}, {2, 1}};
    const pqt_tree *next = pqt_tree_insert(base, (pqt_item){.id = 77, .box = box}, error);
    if (next == NULL)
        return false;
    switch (call) {
    case FETCH:
        return pqt_line_fetch(line, error);
    case WAIT:
        return pqt_line_wait(line, 0, error);
    case LOAD:
        return pqt_line_load(line, 1, error) != NULL;
    case PUSH:
        return pqt_line_push(line, PQT_KIND_TREE, next, NULL, error);
    case PUSH_ALL:
        return pqt_line_push_all(line, PQT_KIND_TREE, &(pqt_line_new){next, NULL}, 1, error);
    case UPDATE:
        return pqt_line_update(line, base, next, NULL, NULL, NULL, error) != NULL;
    default:
        return pqt_line_visit(line, 1, 9, visit_none, NULL, error);
    }
}

/* ---- Lost connections ---- */

static void
end_other_connections(void)
{
    as_owner("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
             "WHERE pid <> pg_backend_pid() AND application_name = 'pqt' AND '%.1s' = '('");
}

/* Returns true if a parameter of the connection has a value. */
static bool
has_parameter(const pqt_line *line, const char *name, const char *value)
{
    bool has = false;
    PQconninfoOption *parameters = PQconninfo(line->connection.server);
    require(parameters != NULL, "there is memory");
    for (const PQconninfoOption *p = parameters; p->keyword != NULL; p++)
        has =
            has || (strcmp(p->keyword, name) == 0 && p->val != NULL && strcmp(p->val, value) == 0);
    PQconninfoFree(parameters);
    return has;
}

/* TCP itself repeats what was sent to such a server for a quarter of an hour, and the call waits
   as long. The socket of the test is not one of TCP, so this examines the parameters. */
START_TEST(a_server_that_disappears_is_noticed_unless_the_url_says_otherwise)
{
    char url[500];
    pqt_line *line = open_line(arena);
    ck_assert(has_parameter(line, "tcp_user_timeout", "60000"));
    ck_assert(has_parameter(line, "keepalives_idle", "30"));
    pqt_line_close(&line);
    snprintf(url, sizeof url, "%.400s&tcp_user_timeout=5000", environment("PQT_TEST_POSTGRESQL"));
    line = open_with(address_at(url), arena, NULL);
    ck_assert(has_parameter(line, "tcp_user_timeout", "5000"));
    pqt_line_close(&line);
}
END_TEST

START_TEST(a_lost_connection_is_restored)
{
    pqt_error error = {0};
    pqt_line_stats stats;
    pqt_line *line = line_of_inserts(arena, 3), *other = open_line(arena);
    ck_assert(pqt_line_wait(other, 0, &error)); /* the wait begins to listen */
    end_other_connections();
    push(line, PQT_KIND_TREE, with_item(pqt_line_version(line), 8, 8), NULL);
    ck_assert_msg(pqt_line_wait(other, LONG, &error), "%s", error.text);
    ck_assert_uint_eq(pqt_line_number(other), 4);
    if (_i == 1)
        ck_assert_int_eq(system(environment("PQT_TEST_RESTART")), 0);
    else
        end_other_connections();
    const pid_t child = fork();
    if (child == 0) {
        await_listener();
        pqt_line *writer = open_line(arena);
        push(writer, PQT_KIND_TREE, with_item(pqt_line_version(writer), 9, 9), NULL);
        _exit(0);
    }
    ck_assert_msg(pqt_line_wait(other, LONG, &error), "%s", error.text); /* listens again */
    ck_assert_uint_eq(pqt_line_number(other), 5);
    pqt_line_get_stats(other, &stats);
    ck_assert_uint_ge(stats.reconnects, 2);
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    pqt_line_close(&other);
    pqt_line_close(&line);
}
END_TEST

/* The state that the writer and the follower of a killed server share. */
typedef struct dying_server {
    volatile bool is_over;  /* the follower has restarted the server often enough */
    volatile uint64_t last; /* the number of the writer's last version */
} dying_server;

/* A writer whose server is killed repeatedly. It pushes one item after another until the follower
   has finished. */
static void
push_items(dying_server *shared)
{
    pqt_error error = {0};
    pqt_memory *heap = pqt_heap_make(NULL, &error);
    pqt_line *line = open_line(heap);
    for (uint64_t id = 1; !shared->is_over; id++)
        push(line, PQT_KIND_TREE, with_item(pqt_line_version(line), id, (double)(id % 60)), NULL);
    shared->last = pqt_line_number(line);
    pqt_line_close(&line);
    pqt_heap_destroy(&heap);
    _exit(0);
}

/* Follows at least `count` versions. Each has one item more than the previous one. */
static void
follow_items(pqt_line *line, uint64_t count)
{
    pqt_error error = {0};
    const uint64_t wanted = pqt_line_number(line) + count;
    while (pqt_line_number(line) < wanted) {
        const uint64_t before = pqt_line_number(line);
        ck_assert_msg(pqt_line_wait(line, LONG, &error), "%s", error.text);
        ck_assert_uint_gt(pqt_line_number(line), before);
        ck_assert_uint_eq(pqt_tree_count(pqt_line_version(line)), pqt_line_number(line) - 1);
    }
}

/* The server is killed and restarted while one program pushes and another one follows. Version n +
   1 has items 1 to n, so that a lost or repeated push is noticed. */
START_TEST(a_server_that_dies_under_load_loses_nothing)
{
    enum { RESTARTS = 3 };
    pqt_error error = {0};
    dying_server *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert(shared != MAP_FAILED);
    *shared = (dying_server){.is_over = false};
    pqt_line *line = line_of_inserts(arena, 1);
    const pid_t writer = fork();
    if (writer == 0)
        push_items(shared);
    pqt_line_stats stats;
    follow_items(line, test_scaled(300));
    for (int restarts = 0; restarts < RESTARTS; restarts++) {
        ck_assert_int_eq(system(environment("PQT_TEST_RESTART")), 0);
        follow_items(line, test_scaled(300)); /* through a new connection */
    }
    shared->is_over = true;
    int status = 0;
    ck_assert_int_eq(waitpid(writer, &status, 0), writer);
    ck_assert_int_eq(status, 0);
    ck_assert_msg(pqt_line_fetch(line, &error), "%s", error.text);
    const uint64_t last = shared->last;
    ck_assert_uint_eq(pqt_line_number(line), last);
    ck_assert_uint_eq(pqt_tree_count(pqt_line_version(line)), last - 1);
    pqt_line_get_stats(line, &stats);
    ck_assert_uint_eq(stats.fetched, last - 1);
    ck_assert_uint_eq(stats.keyframes, 0); /* this line pushed the first version itself */
    ck_assert_uint_ge(stats.reconnects, RESTARTS);
    munmap(shared, sizeof *shared);
    pqt_line_close(&line);
}
END_TEST

/* If a wait finds at its beginning that the connection is lost, it is still notified of later
 * versions. */
START_TEST(a_wait_listens_in_a_new_connection)
{
    pqt_error error = {0};
    pqt_line *line = line_of_inserts(arena, 2);
    ck_assert(pqt_line_wait(line, 0, &error)); /* the wait begins to listen */
    end_other_connections();
    const pid_t child = fork();
    if (child == 0) {
        await_listener();
        pqt_line *writer = open_line(arena);
        push(writer, PQT_KIND_TREE, with_item(pqt_line_version(writer), 9, 9), NULL);
        _exit(0);
    }
    ck_assert_msg(pqt_line_wait(line, LONG, &error), "%s", error.text);
    ck_assert_uint_eq(pqt_line_number(line), 3);
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    pqt_line_close(&line);
}
END_TEST

/* A push that the server undoes for a reason that may not recur is tried five times. The trigger
   counts the attempts, and undoes the first ones: all of them, or all but the last. */
START_TEST(a_push_that_is_undone_is_tried_five_times)
{
    enum { ATTEMPTS = 5 };
    char sql[500];
    pqt_error error = {0};
    pqt_line *line = line_of_inserts(arena, 3);
    const pqt_tree *next = with_item(pqt_line_version(line), 9, 9);
    snprintf(sql, sizeof sql,
             "CREATE SEQUENCE public.attempts; CREATE FUNCTION public.undo() RETURNS trigger "
             "LANGUAGE plpgsql AS $$ BEGIN IF nextval('public.attempts') <= %d THEN RAISE "
             "EXCEPTION 'again' USING ERRCODE = '40001'; END IF; RETURN NEW; END $$; CREATE "
             "TRIGGER undo BEFORE INSERT ON pqt.version FOR EACH ROW EXECUTE FUNCTION "
             "public.undo()",
             ATTEMPTS - _i);
    as_owner(sql);
    const bool done = pqt_line_push(line, PQT_KIND_TREE, next, NULL, &error);
    /* The next number of the sequence is one more than the number of attempts. */
    as_owner("DO $$ BEGIN ASSERT nextval('public.attempts') = 6; END $$");
    as_owner("DROP TRIGGER undo ON pqt.version; DROP FUNCTION public.undo; "
             "DROP SEQUENCE public.attempts");
    ck_assert(done == (_i == 1));
    if (!done)
        expect_error(&error, PQT_ERROR_STREAM,
                     "the database closed the connection or rolled back the transaction at each "
                     "attempt");
    ck_assert_uint_eq(pqt_line_number(line), done ? 4 : 3);
    error = (pqt_error){0};
    push(line, PQT_KIND_TREE, with_item(pqt_line_version(line), 10, 10), NULL);
    ck_assert_uint_eq(pqt_line_number(line), done ? 5 : 4);
    pqt_line_close(&line);
}
END_TEST

/* The connection is cut after each possible number of bytes in turn, in either direction. The push
   is made once, whether or not its answer arrived. */
START_TEST(a_push_that_is_interrupted_takes_effect_once)
{
    pqt_error error = {0};
    pqt_line *watcher = line_of_inserts(arena, 2);
    cutting_proxy proxy;
    proxy_start(&proxy, environment("PQT_TEST_POSTGRESQL"));
    pqt_line_options options = PQT_LINE_DEFAULTS;
    options.patience = LONG;
    pqt_line *line = open_with(address_at(proxy.url), arena, &options);
    uint64_t wanted = 2, cuts = 0;
    /* statements go to the server, and answers to the client */
    const size_t step = _i == 0 ? 1 : 5;
    for (size_t bytes = 0;; bytes += step) {
        proxy_cut_after(&proxy, _i == 0 ? CUT_TO_CLIENT : CUT_TO_SERVER, bytes);
        const pqt_line_new both[] = {
            {with_item(pqt_line_version(line), 7, (double)(wanted % 50) + 0.5), "One"},
            {with_item(pqt_line_version(line), 8, (double)(wanted % 50) + 0.25), "Two"}};
        ck_assert_msg(pqt_line_push_all(line, PQT_KIND_TREE, both, 2, &error), "%s at %u",
                      error.text, (unsigned)bytes);
        const bool was_cut = proxy_was_cut(&proxy);
        wanted += 2;
        cuts += was_cut;
        ck_assert_uint_eq(pqt_line_number(line), wanted);
        ck_assert(pqt_line_fetch(watcher, &error));
        ck_assert_uint_eq(pqt_line_number(watcher), wanted);
        ck_assert(pqt_tree_equals(pqt_line_version(watcher), both[1].version));
        if (!was_cut)
            break;
    }
    ck_assert_uint_gt(cuts, 20);
    fprintf(stderr, "# %u cuts\n", (unsigned)cuts);
    pqt_line_close(&line);
    proxy_stop(&proxy);
    pqt_line_close(&watcher);
}
END_TEST

/* The same for fetches. */
START_TEST(a_fetch_that_is_interrupted_is_completed)
{
    pqt_error error = {0};
    pqt_line *writer = line_of_inserts(arena, 2);
    cutting_proxy proxy;
    proxy_start(&proxy, environment("PQT_TEST_POSTGRESQL"));
    pqt_line *line = open_with(address_at(proxy.url), arena, NULL);
    uint64_t cuts = 0;
    for (size_t bytes = 0;; bytes += 2) {
        push(writer, PQT_KIND_TREE,
             with_item(pqt_line_version(writer), 7, (double)(bytes % 50) + 0.5), NULL);
        proxy_cut_after(&proxy, CUT_TO_CLIENT, bytes);
        ck_assert_msg(pqt_line_fetch(line, &error), "%s", error.text);
        ck_assert(pqt_tree_equals(pqt_line_version(line), pqt_line_version(writer)));
        if (!proxy_was_cut(&proxy))
            break;
        cuts++;
    }
    ck_assert_uint_gt(cuts, 20);
    pqt_line_close(&line);
    proxy_stop(&proxy);
    pqt_line_close(&writer);
}
END_TEST

/* Each connection is cut after it began to listen, so no connection is left to wait for. */
START_TEST(a_wait_ends_at_its_timeout_although_each_connection_is_cut)
{
    pqt_error error = {0};
    pqt_line *writer = line_of_inserts(arena, 2);
    cutting_proxy proxy;
    proxy_start(&proxy, environment("PQT_TEST_POSTGRESQL"));
    pqt_line *line = open_with(address_at(proxy.url), arena, NULL);
    proxy.plan->cuts_listeners = true;
    ck_assert_msg(pqt_line_wait(line, 0.2, &error), "%s", error.text);
    ck_assert_uint_eq(pqt_line_number(line), 2);
    push(writer, PQT_KIND_TREE, with_item(pqt_line_version(writer), 7, 7), NULL);
    ck_assert_msg(pqt_line_wait(line, LONG, &error), "%s", error.text);
    ck_assert_uint_eq(pqt_line_number(line), 3);
    pqt_line_close(&line);
    proxy_stop(&proxy);
    pqt_line_close(&writer);
}
END_TEST

START_TEST(a_server_that_stays_unavailable_exhausts_the_patience)
{
    pqt_error error = {0};
    pqt_line *writer = line_of_inserts(arena, 2);
    cutting_proxy proxy;
    proxy_start(&proxy, environment("PQT_TEST_POSTGRESQL"));
    pqt_line_options options = PQT_LINE_DEFAULTS;
    options.patience = 0.2;
    pqt_line *line = open_with(address_at(proxy.url), arena, &options);
    proxy_stop(&proxy);
    for (int call = 0; call < CALLS; call++) {
        ck_assert(!call_of(call, line, &error));
        expect_error(&error, PQT_ERROR_STREAM, "the database: ");
        error = (pqt_error){0};
    }
    ck_assert_uint_eq(pqt_line_number(line), 2); /* it keeps its versions */
    ck_assert_uint_eq(pqt_tree_count(pqt_line_version(line)), 1);
    pqt_line_close(&line);
    pqt_line_close(&writer);
}
END_TEST

/* ---- A database that refuses ---- */

/* A trigger that the owner added reports each push to this line as a conflict, without a version
   that was pushed first. An update that pushed again and again would never end. */
START_TEST(a_conflict_without_another_version_ends_an_update)
{
    pqt_error error = {0};
    pqt_line_stats stats;
    pqt_line *line = line_of_inserts(arena, 3);
    as_owner("CREATE FUNCTION pqt.refuse() RETURNS trigger LANGUAGE plpgsql AS "
             "'BEGIN RAISE unique_violation; END'");
    as_owner("DO 'BEGIN EXECUTE format(''CREATE TRIGGER refuse BEFORE INSERT ON pqt.version FOR "
             "EACH ROW WHEN (NEW.line = %%s) EXECUTE FUNCTION pqt.refuse()'', "
             "(SELECT max(id) FROM pqt.line)); END'");
    ck_assert(!call_of(UPDATE, line, &error));
    expect_error(&error, PQT_ERROR_CONFLICT, "version 4: another version was pushed first");
    pqt_line_get_stats(line, &stats);
    ck_assert_uint_eq(stats.conflicts, 1);
    as_owner("DROP FUNCTION pqt.refuse CASCADE");
    error = (pqt_error){0};
    ck_assert_msg(call_of(UPDATE, line, &error), "%s", error.text);
    pqt_line_close(&line);
}
END_TEST

static const struct refusal {
    const char *sql, *back;
    bool ends_connections; /* it has an effect on new connections only */
} refusals[] = {
    {"ALTER TABLE pqt.version RENAME TO other", "ALTER TABLE pqt.other RENAME TO version", false},
    {"ALTER TABLE pqt.line RENAME TO other", "ALTER TABLE pqt.other RENAME TO line", false},
    {"ALTER SCHEMA pqt RENAME TO other", "ALTER SCHEMA other RENAME TO pqt", false},
    {"REVOKE USAGE ON SCHEMA pqt FROM pqt_reader", "GRANT USAGE ON SCHEMA pqt TO pqt_reader",
     false},
    {"REVOKE SELECT ON pqt.version FROM pqt_reader", "GRANT SELECT ON pqt.version TO pqt_reader",
     false},
    {"ALTER ROLE bob SET default_transaction_read_only = on",
     "ALTER ROLE bob RESET default_transaction_read_only", true},
    {"ALTER ROLE bob NOLOGIN", "ALTER ROLE bob LOGIN", true},
};

enum { REFUSALS = sizeof refusals / sizeof *refusals };

/* Tables that are missing, rights that were revoked, a database that is read-only: each call either
   works or fails with one line, and the line can be used again afterwards. */
START_TEST(a_database_that_refuses_is_reported_by_each_call)
{
    const struct refusal *refusal = &refusals[_i];
    pqt_line_options options = PQT_LINE_DEFAULTS;
    size_t refused = 0;
    options.patience = 0.2;
    pqt_line *writer = line_of_inserts(arena, 3);
    pqt_line *line = open_with(address_at(environment("PQT_TEST_BOB")), arena, &options);
    as_owner(refusal->sql);
    for (int call = 0; call < CALLS; call++) {
        pqt_error error = {0};
        if (refusal->ends_connections)
            end_other_connections();
        const bool done = call_of(call, line, &error);
        refused += !done;
        if (done)
            continue;
        expect_error(&error, PQT_ERROR_STREAM, "the database: ");
        ck_assert(strchr(error.text, '\n') == NULL);
        ck_assert_uint_eq(pqt_line_number(line), 3); /* it keeps its versions */
    }
    pqt_error opening = {0};
    pqt_line *second =
        pqt_line_open(address_at(environment("PQT_TEST_BOB")), arena, NULL, &opening);
    refused += second == NULL;
    ck_assert_msg((second == NULL) == (opening.status == PQT_ERROR_STREAM ||
                                       opening.status == PQT_ERROR_FORMAT) &&
                      strchr(opening.text, '\n') == NULL,
                  "%s", opening.text);
    pqt_line_close(&second);
    as_owner(refusal->back);
    ck_assert_uint_gt(refused, 0);
    if (refusal->ends_connections)
        end_other_connections();
    for (int call = 0; call < CALLS; call++) {
        pqt_error error = {0};
        ck_assert_msg(call_of(call, line, &error), "%s", error.text);
    }
    pqt_line_close(&line);
    pqt_line_close(&writer);
}
END_TEST

/* ---- Damage ---- */

static const struct damage {
    const char *sql, *text;
    pqt_status status;
} damages[] = {
    {"UPDATE pqt.version SET label = 'x' WHERE line = %s AND number = 4",
     "version 4: its hash is wrong", PQT_ERROR_FORMAT},
    {"UPDATE pqt.version SET author = 'x' WHERE line = %s AND number = 4",
     "version 4: its hash is wrong", PQT_ERROR_FORMAT},
    {"UPDATE pqt.version SET change = set_byte(change, 3, 255 - get_byte(change, 3)) "
     "WHERE line = %s AND number = 4",
     "version 4: its hash is wrong", PQT_ERROR_FORMAT},
    {"UPDATE pqt.version SET fingerprint = set_byte(fingerprint, 0, 255 - get_byte(fingerprint, 0))"
     " WHERE line = %s AND number = 5",
     "version 5: its hash is wrong", PQT_ERROR_FORMAT},
    {"UPDATE pqt.version SET hash = set_byte(hash, 9, 255 - get_byte(hash, 9)) "
     "WHERE line = %s AND number = 3",
     "version 3: its hash is wrong", PQT_ERROR_FORMAT},
    {"UPDATE pqt.version SET parent_hash = set_byte(hash, 9, 255 - get_byte(hash, 9)) "
     "WHERE line = %s AND number = 3",
     "version 3: its hash is wrong", PQT_ERROR_FORMAT},
    {"UPDATE pqt.version SET encoding = 2 WHERE line = %s AND number = 6",
     "version 6: its hash is wrong", PQT_ERROR_FORMAT},
    {"UPDATE pqt.version SET change = (SELECT change FROM pqt.version WHERE line = %s AND number ="
     " 5) WHERE line = %s AND number = 4",
     "version 4: its hash is wrong", PQT_ERROR_FORMAT},
    {"DELETE FROM pqt.version WHERE line = %s AND number = 4", "version 4: it is missing",
     PQT_ERROR_FORMAT},
    {"UPDATE pqt.version SET whole = whole || '\\x00' WHERE line = %s AND number = 1",
     "version 1: its keyframe has a different hash", PQT_ERROR_FORMAT},
    {"UPDATE pqt.version SET whole_hash = hash WHERE line = %s AND number = 1",
     "version 1: its hash is wrong", PQT_ERROR_FORMAT},
    {"UPDATE pqt.line SET kind = 4 WHERE id = %s", "version 1: its hash is wrong",
     PQT_ERROR_FORMAT},
};

enum { DAMAGES = sizeof damages / sizeof *damages };

/* Opening the line reports the damaged version. A program that has the line open can continue. */
START_TEST(damage_is_found_and_named)
{
    const struct damage *damage = &damages[_i];
    pqt_error error = {0};
    pqt_line *line = line_of_inserts(arena, 6);
    as_owner(damage->sql);
    ck_assert(pqt_line_open(address(), arena, NULL, &error) == NULL);
    expect_error(&error, damage->status, damage->text);
    error = (pqt_error){0};
    if (strstr(damage->sql, "pqt.line") == NULL && strstr(damage->sql, "number = 1") == NULL) {
        ck_assert(pqt_line_load(line, 2, &error) != NULL);
        ck_assert(strstr(damage->sql, "= 6") != NULL || pqt_line_load(line, 5, &error) == NULL);
        ck_assert(strstr(damage->sql, "= 6") != NULL ||
                  (error.status == damage->status && strcmp(error.text, damage->text) == 0));
    }
    pqt_line_close(&line);
}
END_TEST

/* Fetching the version fails in the same way, and the earlier versions remain. */
START_TEST(damage_that_occurs_later_is_found)
{
    static const int calls[] = {FETCH, WAIT, UPDATE};
    pqt_error error = {0};
    pqt_line *line = line_of_inserts(arena, 3), *other = open_line(arena);
    push(line, PQT_KIND_TREE, with_item(pqt_line_version(line), 50, 50), NULL);
    as_owner("UPDATE pqt.version SET label = 'x' WHERE line = %s AND number = 4");
    for (int i = 0; i < 3; i++) {
        ck_assert(!call_of(calls[i], other, &error));
        expect_error(&error, PQT_ERROR_FORMAT, "version 4: its hash is wrong");
        error = (pqt_error){0};
        ck_assert_uint_eq(pqt_line_number(other), 3);
        ck_assert_uint_eq(pqt_tree_count(pqt_line_version(other)), 2);
    }
    as_owner("ALTER TABLE pqt.version DROP CONSTRAINT version_fingerprint_check");
    as_owner("UPDATE pqt.version SET fingerprint = '' WHERE line = %s AND number = 4");
    ck_assert(!pqt_line_visit(other, 1, 9, visit_none, NULL, &error));
    expect_error(&error, PQT_ERROR_FORMAT, "version 4: a column is damaged");
    as_owner("DELETE FROM pqt.version WHERE line = %s");
    as_owner("ALTER TABLE pqt.version ADD CONSTRAINT version_fingerprint_check "
             "CHECK (octet_length(fingerprint) = 16)");
    pqt_line_close(&other);
    pqt_line_close(&line);
}
END_TEST

/* A database that was restored from a backup lacks versions that a follower has. */
START_TEST(lost_versions_are_noticed)
{
    pqt_error error = {0};
    pqt_line *line = line_of_inserts(arena, 6), *other = open_line(arena);
    as_owner("DELETE FROM pqt.version WHERE line = %s AND number > 4");
    ck_assert(
        !pqt_line_push(line, PQT_KIND_TREE, with_item(pqt_line_version(line), 7, 7), NULL, &error));
    expect_error(&error, PQT_ERROR_MISMATCH, "version 6: the database has lost it");
    error = (pqt_error){0};
    pqt_line *third = open_line(arena);
    push(third, PQT_KIND_TREE, with_item(pqt_line_version(third), 20, 20), NULL);
    push(third, PQT_KIND_TREE, with_item(pqt_line_version(third), 21, 21), NULL);
    push(third, PQT_KIND_TREE, with_item(pqt_line_version(third), 22, 22), NULL);
    ck_assert(!pqt_line_fetch(other, &error));
    expect_error(&error, PQT_ERROR_MISMATCH, "version 7: it does not follow");
    error = (pqt_error){0};
    ck_assert_uint_eq(pqt_line_number(other), 6);
    as_owner("DELETE FROM pqt.version WHERE line = %s AND number > 4");
    end_other_connections();
    for (int call = 0; call < CALLS; call++) { /* it compares them when it connects again */
        if (call == LOAD || call == VISIT)
            continue;
        ck_assert(!call_of(call, other, &error));
        expect_error(&error, PQT_ERROR_MISMATCH, "version 6: the database has lost it");
        error = (pqt_error){0};
    }
    pqt_line_close(&third);
    pqt_line_close(&other);
    pqt_line_close(&line);
}
END_TEST

/* Returns bytes in the syntax of PostgreSQL. */
static const char *
hex_of(const uint8_t *bytes, size_t count, char *text)
{
    strcpy(text, "\\x");
    for (size_t i = 0; i < count; i++)
        sprintf(text + 2 + 2 * i, "%02x", bytes[i]);
    return text;
}

/* Adds a version to the line as the role bob, without the library. Its hash is correct. */
static void
add_row(const pqt_line_entry *last, const char *label, const char *author, const char *change)
{
    uint8_t hash[PQT_LINE_HASH], fingerprint[PQTI_FINGERPRINT_SIZE];
    char sql[1400], hex[4][100];
    for (size_t i = 0; i < 8; i++) {
        fingerprint[i] = (uint8_t)(last->fingerprint.low >> 8 * i);
        fingerprint[8 + i] = (uint8_t)(last->fingerprint.high >> 8 * i);
    }
    const pqti_line_row row = {.number = last->number + 1,
                               .encoding = 1,
                               .parent_hash = last->hash,
                               .fingerprint = fingerprint,
                               .label = {(const uint8_t *)label, strlen(label)},
                               .author = {(const uint8_t *)author, strlen(author)},
                               .change = {(const uint8_t *)change, strlen(change)}};
    pqti_hash_row(PQT_KIND_TREE, &row, hash);
    snprintf(sql, sizeof sql,
             "INSERT INTO pqt.version (line, number, parent_hash, hash, fingerprint, label, author,"
             " encoding, change) SELECT id, %u, '%s', '%s', '%s', '%s', '%s', 1, '%s' FROM pqt.line"
             " WHERE name = '%s %d'",
             (unsigned)row.number, hex_of(last->hash, PQT_LINE_HASH, hex[0]),
             hex_of(hash, PQT_LINE_HASH, hex[1]),
             hex_of(fingerprint, PQTI_FINGERPRINT_SIZE, hex[2]), label, author,
             hex_of((const uint8_t *)change, strlen(change), hex[3]), running_test,
             running_iteration);
    PGconn *server = PQconnectdb(environment("PQT_TEST_BOB"));
    PGresult *result = PQexec(server, sql);
    if (PQresultStatus(result) != PGRES_COMMAND_OK)
        fprintf(stderr, "# %s\n# %s\n", sql, PQerrorMessage(server));
    require(PQresultStatus(result) == PGRES_COMMAND_OK, "the writer adds a version");
    PQclear(result);
    PQfinish(server);
}

static bool
keep_entry(const pqt_line_entry *entry, void *context)
{
    *(pqt_line_entry *)context = *entry;
    return true;
}

/* A writer that does not use this library may add arbitrary bytes. No label that would control a
 * terminal reaches a program, and neither does an invalid change. */
START_TEST(versions_of_a_malicious_writer_are_refused)
{
    static const struct {
        const char *label, *author, *change, *fetch, *visit;
    } rows[] = {
        {"Insert", "Ada", "", NULL, NULL},
        {"\x1b[2J", "", "", "its label or author is not valid text",
         "its label, author or role is not valid text"},
        {"", "a\nb", "", "its label or author is not valid text",
         "its label, author or role is not valid text"},
        {"\xc2\x9b", "", "", "its label or author is not valid text",
         "its label, author or role is not valid text"},
        {"", "", "\x01\xff\xff\xff\xff\xff", "the change is damaged", NULL},
        {"", "", "\x07", "the change is damaged", NULL},
    };
    pqt_error error = {0};
    pqt_line_entry last;
    pqt_line *line = line_of_inserts(arena, 3);
    ck_assert(pqt_line_visit(line, 3, 3, keep_entry, &last, &error));
    add_row(&last, rows[_i].label, rows[_i].author, rows[_i].change);
    ck_assert(pqt_line_fetch(line, &error) == (rows[_i].fetch == NULL));
    if (rows[_i].fetch != NULL)
        expect_error(&error, PQT_ERROR_FORMAT, rows[_i].fetch);
    ck_assert_uint_eq(pqt_line_number(line), rows[_i].fetch == NULL ? 4 : 3);
    error = (pqt_error){0};
    ck_assert(pqt_line_visit(line, 1, 9, keep_entry, &last, &error) == (rows[_i].visit == NULL));
    if (rows[_i].visit != NULL)
        expect_error(&error, PQT_ERROR_FORMAT, rows[_i].visit);
    pqt_line_close(&line);
}
END_TEST

/* A writer adds a version with a wrong fingerprint and a right hash, and then a right one. Of a
 * batch, only the last version is made and compared. The other one is when it is loaded. */
START_TEST(a_version_within_a_batch_is_checked_when_it_is_loaded)
{
    static const char different[] = "version 4: its changes make a different version";
    pqt_error error = {0};
    pqt_line_entry last;
    pqt_line *line = line_of_inserts(arena, 3);
    ck_assert(pqt_line_visit(line, 3, 3, keep_entry, &last, &error));
    const pqt_fingerprint right = last.fingerprint;
    last.fingerprint.low ^= 1;
    add_row(&last, "Wrong", "", "");
    ck_assert(!pqt_line_fetch(line, &error)); /* here it is the last one of a batch */
    expect_error(&error, PQT_ERROR_FORMAT, different);
    ck_assert_uint_eq(pqt_line_number(line), 3);
    error = (pqt_error){0};
    ck_assert(pqt_line_visit(line, 4, 4, keep_entry, &last, &error));
    last.fingerprint = right;
    add_row(&last, "Right", "", "");
    ck_assert_msg(pqt_line_fetch(line, &error), "%s", error.text);
    ck_assert_uint_eq(pqt_line_number(line), 5);
    ck_assert(pqt_fingerprint_equals(pqt_tree_fingerprint(pqt_line_version(line)), right));
    ck_assert_ptr_null(pqt_line_load(line, 4, &error));
    expect_error(&error, PQT_ERROR_FORMAT, different);
    error = (pqt_error){0};
    ck_assert_msg(pqt_line_load(line, 5, &error) != NULL, "%s", error.text);
    pqt_line_close(&line);
}
END_TEST

/* ---- Permissions and misuse ---- */

#if defined __GLIBC__ && !TESTED_WITH_ADDRESS_SANITIZER
#if __GLIBC_PREREQ(2, 33)
#define CAN_COUNT_MEMORY 1

/* An error of the server is searched for secrets, for which libpq lists the options of the
   connection. */
START_TEST(errors_of_the_server_leave_no_memory_allocated)
{
    enum { FEW = 20, MANY_ERRORS = 200, MOST = 100000 };
    size_t before = 0;
    pqt_line *line = open_with(address_at(environment("PQT_TEST_BOB")), arena, NULL);
    push(line, PQT_KIND_TREE, empty_tree(arena), NULL);
    pqt_line *reader = open_with(address_at(environment("PQT_TEST_ALICE")), arena, NULL);
    const pqt_tree *next = with_item(pqt_line_version(reader), 1, 1);
    for (int i = 0; i < FEW + MANY_ERRORS; i++) {
        pqt_error error = {0};
        ck_assert(!pqt_line_push(reader, PQT_KIND_TREE, next, NULL, &error));
        expect_error(&error, PQT_ERROR_STREAM, "permission denied for table version");
        before = i == FEW ? mallinfo2().uordblks : before;
    }
    ck_assert_uint_lt(mallinfo2().uordblks, before + MOST);
    pqt_line_close(&reader);
    pqt_line_close(&line);
}
END_TEST
#endif
#endif

static void
push_nothing(void *context)
{
    (void)context;
    pqt_line *line = pqt_line_open(address(), arena, NULL, NULL);
    const pqt_line_new versions[] = {{empty_tree(arena), NULL}, {NULL, NULL}};
    (void)pqt_line_push_all(line, PQT_KIND_TREE, versions, 2, NULL);
}

START_TEST(a_missing_version_stops_the_program_with_the_name_of_the_push)
{
    char text[MISUSE_TEXT];
    if (!misuse_can_be_tested())
        return;
    ck_assert(misuse_aborts(push_nothing, NULL, text));
    ck_assert_str_eq(text, "pqt: pqt_line_push_all: a version of the array is NULL\n");
}
END_TEST

START_TEST(each_role_has_only_its_own_permissions)
{
    pqt_error error = {0};
    pqt_line *line = open_with(address_at(environment("PQT_TEST_BOB")), arena, NULL);
    push(line, PQT_KIND_TREE, empty_tree(arena), NULL);
    pqt_line *reader = open_with(address_at(environment("PQT_TEST_ALICE")), arena, NULL);
    ck_assert_uint_eq(pqt_line_number(reader), 1);
    ck_assert(!pqt_line_push(reader, PQT_KIND_TREE, with_item(pqt_line_version(reader), 1, 1), NULL,
                             &error));
    expect_error(&error, PQT_ERROR_STREAM, "permission denied for table version");
    static const char *const forbidden[] = {
        "DELETE FROM pqt.version",
        "UPDATE pqt.version SET label = ''",
        "TRUNCATE pqt.version",
        "DELETE FROM pqt.line",
        "UPDATE pqt.line SET name = 'x'",
        "INSERT INTO pqt.version (line, number, parent_hash, hash, fingerprint, label, author, "
        "encoding, change) SELECT line, number, parent_hash, hash, fingerprint, 'x', author, 1, '' "
        "FROM pqt.version ON CONFLICT (line, number) DO UPDATE SET label = 'x'",
        "SELECT * FROM pqt.version FOR UPDATE",
        "DO 'BEGIN LOCK TABLE pqt.version IN ACCESS EXCLUSIVE MODE; END'",
        "ALTER TABLE pqt.version DISABLE TRIGGER ALL",
        "CREATE TABLE pqt.other (x int)",
        "INSERT INTO pqt.version (role) VALUES ('owner')",
        "INSERT INTO pqt.line (name, kind, role) VALUES ('x', 1, 'owner')"};
    PGconn *server = PQconnectdb(environment("PQT_TEST_BOB"));
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
        PGresult *result = PQexec(server, forbidden[i]);
        ck_assert_str_eq(PQresultErrorField(result, PG_DIAG_SQLSTATE), "42501");
        PQclear(result);
    }
    PQfinish(server);
    pqt_line_close(&reader);
    pqt_line_close(&line);
}
END_TEST

static void
expect_refused(const char *where, const pqt_line_options *options, pqt_status status,
               const char *text)
{
    pqt_error error = {0};
    ck_assert(pqt_line_open(where, arena, options, &error) == NULL);
    expect_error(&error, status, text);
}

/* A label is UTF-8, whatever the URL requests. */
START_TEST(a_url_cannot_change_the_encoding)
{
    pqt_error error = {0};
    char url[400];
    snprintf(url, sizeof url, "%s&client_encoding=LATIN1", environment("PQT_TEST_POSTGRESQL"));
    pqt_line *line = open_with(address_at(url), arena, NULL);
    push(line, PQT_KIND_TREE, empty_tree(arena), "\xc3\xa9");
    pqt_line *other = pqt_line_open(address(), arena, NULL, &error);
    ck_assert_msg(other != NULL, "%s", error.text);
    pqt_line_close(&other);
    pqt_line_close(&line);
}
END_TEST

/* If libpq cannot parse a URL, its message contains the URL. */
START_TEST(no_error_contains_the_password)
{
    static const char *const addresses[] = {"postgresql://ada:secret@[::1/x#main",
                                            "postgresql://ada@db/x?password=secret%zz#main",
                                            "postgresql://ada:secret%00@db/x#main"};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        pqt_error error = {0};
        ck_assert(pqt_line_open(addresses[i], arena, NULL, &error) == NULL);
        expect_error(&error, PQT_ERROR_OPTION, "the address is not a valid PostgreSQL URL");
        ck_assert(strstr(error.text, "secret") == NULL);
    }
}
END_TEST

/* A character that should have been escaped moves the rest of a password into the name of the host
   or the port, or a # into the name of the line. */
START_TEST(a_password_that_is_not_escaped_is_refused_before_a_message_can_show_it)
{
    static const struct {
        const char *address, *text;
    } cases[] = {{"postgresql://ada:a@secret@db/x#main", "has an @ too many"},
                 {"postgresql://ada:a/secret@db/x#main", "has an @ too many"},
                 {"postgresql://ada:a@b/secret@db/x#main", "has an @ too many"},
                 {"postgres://ada@work:secret@db/x#main", "has an @ too many"},
                 {"postgresql://ada:secret#b@db/x", "the port of the address is not a number"},
                 {"postgresql://ada:secret/x#main", "the port of the address is not a number"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pqt_error error = {0};
        ck_assert(pqt_line_open(cases[i].address, arena, NULL, &error) == NULL);
        expect_error(&error, PQT_ERROR_OPTION, cases[i].text);
        ck_assert(strstr(error.text, "secret") == NULL);
    }
}
END_TEST

START_TEST(a_message_that_contains_the_password_is_left_out)
{
    expect_refused("postgresql://ada:nowhere@/x?host=/nowhere/at/all#main", NULL, PQT_ERROR_STREAM,
                   "the database: its message is left out, because it contains the password");
    expect_refused("postgresql://ada@/x?host=/nowhere/at/all&password=all&port=77#main", NULL,
                   PQT_ERROR_STREAM,
                   "the database: its message is left out, because it contains the password");
    expect_refused("postgresql://ada:other@/x?host=/nowhere/at/all#main", NULL, PQT_ERROR_STREAM,
                   "/nowhere/at/all");
}
END_TEST

/* The server warns of an invalid setting of the role whenever the role connects. */
START_TEST(a_warning_while_connecting_does_not_reach_standard_error)
{
    char log[] = "/tmp/pqt-notices-XXXXXX";
    pqt_error error = {0};
    pqt_line *first = open_with(address(), arena, NULL);
    pqt_line_close(&first);
    as_owner("ALTER ROLE owner SET default_text_search_config = 'nowhere'");
    const int file = mkstemp(log), before = dup(2);
    ck_assert_int_ge(file, 0);
    dup2(file, 2);
    pqt_line *line = pqt_line_open(address(), arena, NULL, &error);
    dup2(before, 2);
    close(before);
    as_owner("ALTER ROLE owner RESET default_text_search_config");
    ck_assert_msg(line != NULL, "%s", error.text);
    pqt_line_close(&line);
    ck_assert_int_eq(lseek(file, 0, SEEK_END), 0);
    close(file);
    unlink(log);
}
END_TEST

START_TEST(invalid_addresses_and_options_are_refused)
{
    pqt_line_options options = PQT_LINE_DEFAULTS;
    const char *url = environment("PQT_TEST_POSTGRESQL");
    char where[500];
    expect_refused(url, NULL, PQT_ERROR_OPTION, "the address names no line");
    snprintf(where, sizeof where, "%s#", url);
    expect_refused(where, NULL, PQT_ERROR_OPTION, "the address names no line");
    snprintf(where, sizeof where, "%s#%0101d", url, 7);
    expect_refused(where, NULL, PQT_ERROR_OPTION, "1 to 100 bytes");
    expect_refused("plan.pqts#main", NULL, PQT_ERROR_OPTION, "does not begin with postgresql://");
    expect_refused("postgresql:///x?host=/nowhere/at/all#main", NULL, PQT_ERROR_STREAM,
                   "the database: ");
    snprintf(where, sizeof where, "%s#main", environment("PQT_TEST_BARE"));
    expect_refused(where, NULL, PQT_ERROR_FORMAT, "the database has no schema pqt");
    for (int access = PQT_LINE_WRITE; access <= PQT_LINE_READ; access++) {
        options.access = (pqt_line_access)access;
        expect_refused(address(), &options, PQT_ERROR_STREAM,
                       "the database has no line \"invalid_");
    }
    options.access = (pqt_line_access)7;
    expect_refused(address(), &options, PQT_ERROR_OPTION, "access is 7");
    options = (pqt_line_options)PQT_LINE_DEFAULTS;
    options.author = "\xff";
    expect_refused(address(), &options, PQT_ERROR_OPTION, "author is longer than 100 bytes");
    options = (pqt_line_options)PQT_LINE_DEFAULTS;
    options.patience = -1;
    expect_refused(address(), &options, PQT_ERROR_OPTION, "patience is -1");
    options = (pqt_line_options)PQT_LINE_DEFAULTS;
    options.keyframe_ratio = 0;
    expect_refused(address(), &options, PQT_ERROR_OPTION, "keyframe_ratio is 0");
    options = (pqt_line_options)PQT_LINE_DEFAULTS;
    options.size = 3;
    expect_refused(address(), &options, PQT_ERROR_OPTION, "PQT_LINE_DEFAULTS");
}
END_TEST

/* version.h contains the rule. No release has had a smaller struct. */
START_TEST(options_of_a_later_release_are_accepted_if_unknown_fields_are_zero)
{
    struct larger {
        pqt_line_options known;
        size_t unknown;
    } larger = {.known = PQT_LINE_DEFAULTS};
    larger.known.size = sizeof larger;
    pqt_line *line = open_with(address(), arena, &larger.known);
    ck_assert_ptr_nonnull(line);
    pqt_line_close(&line);
    larger.unknown = 1;
    expect_refused(address(), &larger.known, PQT_ERROR_OPTION, "this release does not know");
    larger.unknown = 0;
    larger.known.size = offsetof(pqt_line_options, keyframe_ratio);
    expect_refused(address(), &larger.known, PQT_ERROR_OPTION, "PQT_LINE_DEFAULTS");
}
END_TEST

START_TEST(invalid_pushes_are_refused)
{
    pqt_error error = {0};
    pqt_line_options options = PQT_LINE_DEFAULTS;
    char label[PQT_LINE_TEXT + 2];
    pqt_line *line = line_of_inserts(arena, 2);
    const pqt_tree *tree = with_item(pqt_line_version(line), 5, 5);
    memset(label, 'x', sizeof label);
    label[sizeof label - 1] = '\0';
    ck_assert(!pqt_line_push(line, PQT_KIND_TREE, tree, label, &error));
    expect_error(&error, PQT_ERROR_OPTION, "the label is longer than 100 bytes");
    error = (pqt_error){0};
    ck_assert(!pqt_line_push_all(line, PQT_KIND_TREE, &(pqt_line_new){tree, label}, 1, &error));
    expect_error(&error, PQT_ERROR_OPTION, "the label is longer than 100 bytes");
    error = (pqt_error){0};
    ck_assert(pqt_line_update(line, tree, tree, "\n", NULL, NULL, &error) == NULL);
    expect_error(&error, PQT_ERROR_OPTION, "not UTF-8, or has control characters");
    error = (pqt_error){0};
    ck_assert(!pqt_line_push(line, PQT_KIND_REGION, small_version(8, arena, &error).version, NULL,
                             &error));
    expect_error(&error, PQT_ERROR_MISMATCH, "the line holds versions of another kind");
    error = (pqt_error){0};
    pqt_memory *heap = pqt_heap_make(NULL, &error);
    ck_assert(!pqt_line_push(line, PQT_KIND_TREE, empty_tree(heap), NULL, &error));
    expect_error(&error, PQT_ERROR_MISMATCH, "not in the memory of the line");
    error = (pqt_error){0};
    pqt_heap_destroy(&heap);
    options.access = PQT_LINE_READ;
    pqt_line *reader = open_with(address(), arena, &options);
    ck_assert(!pqt_line_push(reader, PQT_KIND_TREE, tree, NULL, &error));
    expect_error(&error, PQT_ERROR_MISMATCH, "the line is open for reading only");
    error = (pqt_error){0};
    ck_assert(pqt_line_load(reader, 3, &error) == NULL);
    expect_error(&error, PQT_ERROR_OPTION, "the line has no version 3");
    ck_assert_uint_eq(pqt_line_number(line), 2);
    label[PQT_LINE_TEXT] = '\0';
    push(line, PQT_KIND_TREE, tree, label);
    ck_assert_uint_eq(pqt_line_number(line), 3);
    pqt_line_close(&reader);
    pqt_line_close(&line);
}
END_TEST

/* ---- No memory ---- */

/* Opens a line, makes its head, and makes a call. Each allocation fails in turn. The line is
   unchanged, and the next attempt succeeds. */
START_TEST(each_failed_allocation_is_handled)
{
    pqt_line *writer = line_of_inserts(arena, 3);
    size_t failures = 0;
    for (size_t n = 1;; n++) {
        pqt_error error = {0};
        hooks watch = {.fail_at = n};
        if (_i != PUSH && _i != PUSH_ALL && _i != UPDATE)
            push(writer, PQT_KIND_TREE,
                 with_item(pqt_line_version(writer), 60, (double)(n % 50) + 0.5), NULL);
        hooks_start(&watch);
        pqt_line *line = pqt_line_open(address(), arena, NULL, &error);
        bool done = line != NULL && pqt_line_head(line, &error) != NULL;
        hooks_stop();
        failures += watch.failures;
        if (watch.failures > 0) {
            ck_assert(!done && error.status == PQT_ERROR_MEMORY);
            pqt_line_close(&line);
            continue;
        }
        ck_assert_msg(done, "%s", error.text);
        pqt_line_close(&line);
        break;
    }
    for (size_t n = 1;; n++) {
        pqt_error error = {0};
        hooks watch = {.fail_at = n};
        pqt_line *line = open_line(arena);
        ck_assert(pqt_line_head(line, &error) != NULL);
        const uint64_t before = pqt_line_number(line);
        if (_i == FETCH || _i == WAIT || _i == UPDATE) {
            ck_assert(pqt_line_fetch(writer, &error));
            push(writer, PQT_KIND_TREE,
                 with_item(pqt_line_version(writer), 60, (double)(n % 50) + 0.25), NULL);
        }
        hooks_start(&watch);
        const bool done = call_of(_i, line, &error);
        hooks_stop();
        ck_assert_msg(done || error.status == PQT_ERROR_MEMORY, "%s", error.text);
        ck_assert(done || watch.failures > 0);
        ck_assert_uint_ge(pqt_line_number(line), before);
        const bool pushed = pqt_tree_find(pqt_line_version(line), 77, NULL);
        error = (pqt_error){0};
        ck_assert_msg(pqt_line_fetch(line, &error), "%s", error.text);
        ck_assert_msg(pqt_line_fetch(writer, &error), "%s", error.text);
        ck_assert(pqt_tree_equals(pqt_line_version(line), pqt_line_version(writer)));
        if (pushed) { /* the next call needs something to push */
            const pqt_tree *without = pqt_tree_remove_id(pqt_line_version(writer), 77, &error);
            push(writer, PQT_KIND_TREE, without, NULL);
        }
        pqt_line_close(&line);
        failures += watch.failures;
        if (watch.failures == 0)
            break;
        ck_assert_uint_lt(n, 500);
    }
    ck_assert_uint_gt(failures, 5);
    pqt_line_close(&writer);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("line");
    TCase *tests = add_tests(suite, "line");
    tcase_add_loop_test(tests, versions_of_each_kind_reach_other_programs, 0, 2 * STORED_KINDS);
    tcase_add_loop_test(tests, a_push_stores_the_golden_rows, 0, (int)golden_sequence_count);
    tcase_add_loop_test(tests, a_line_with_the_golden_rows_has_their_versions, 0,
                        (int)golden_sequence_count);
    tcase_add_test(tests, an_equal_version_is_not_pushed);
    tcase_add_test(tests, a_version_that_was_not_made_is_not_pushed);
    tcase_add_test(tests, a_closed_line_leaves_no_connection);
    tcase_add_test(tests, a_follower_fetches_the_versions_that_it_lacks);
    tcase_add_test(tests, a_follower_of_worlds_fetches_only_the_newest);
    tcase_add_test(tests, large_changes_come_in_batches);
    tcase_add_test(tests, the_next_version_costs_one_change);
    tcase_add_test(tests, a_loaded_version_is_kept);
    tcase_add_test(tests, keyframes_bound_the_cost_of_opening);
    tcase_add_test(tests, a_line_longer_than_a_page_has_each_version_once);
    tcase_add_loop_test(tests, two_programs_that_push_in_turn_write_keyframes_as_one_does, 0, 2);
    tcase_add_test(tests, a_push_that_comes_second_fails);
    tcase_add_test(tests, a_conflict_is_reported_or_decided);
    tcase_add_loop_test(tests, no_edit_of_several_writers_is_lost, 0, 3);
    tcase_add_loop_test(tests, two_programs_may_make_a_line_at_once, 0, 6);
    tcase_add_loop_test(tests, all_kinds_except_worlds_are_merged, 0, 5);
    tcase_add_test(tests, regions_merge_by_pixels);
    tcase_add_test(tests, fetches_and_pushes_publish_to_the_head);
    tcase_add_test(tests, threads_use_a_line_in_turn);
    tcase_add_loop_test(tests, a_child_opens_a_line_of_its_own, 0, 2);
    tcase_add_test(tests, a_child_of_a_killed_writer_does_not_hold_its_session);
    tcase_add_test(tests, a_wait_ends_with_a_version_or_at_its_timeout);
    tcase_add_test(tests, threads_that_are_cancelled_while_they_push_leave_the_line_to_others);
    tcase_add_test(tests, a_wait_that_is_cancelled_leaves_the_line_to_others);
    tcase_add_test(tests, a_server_that_disappears_is_noticed_unless_the_url_says_otherwise);
    tcase_add_loop_test(tests, a_lost_connection_is_restored, 0, 2);
    tcase_add_test(tests, a_server_that_dies_under_load_loses_nothing);
    tcase_add_test(tests, a_wait_listens_in_a_new_connection);
    tcase_add_loop_test(tests, a_push_that_is_undone_is_tried_five_times, 0, 2);
    tcase_add_loop_test(tests, a_push_that_is_interrupted_takes_effect_once, 0, 2);
    tcase_add_test(tests, a_fetch_that_is_interrupted_is_completed);
    tcase_add_test(tests, a_wait_ends_at_its_timeout_although_each_connection_is_cut);
    tcase_add_test(tests, a_server_that_stays_unavailable_exhausts_the_patience);
    tcase_add_test(tests, a_conflict_without_another_version_ends_an_update);
    tcase_add_loop_test(tests, a_database_that_refuses_is_reported_by_each_call, 0, REFUSALS);
    tcase_add_loop_test(tests, damage_is_found_and_named, 0, DAMAGES);
    tcase_add_test(tests, damage_that_occurs_later_is_found);
    tcase_add_test(tests, lost_versions_are_noticed);
    tcase_add_loop_test(tests, versions_of_a_malicious_writer_are_refused, 0, 6);
    tcase_add_test(tests, a_version_within_a_batch_is_checked_when_it_is_loaded);
    tcase_add_test(tests, a_missing_version_stops_the_program_with_the_name_of_the_push);
    tcase_add_test(tests, each_role_has_only_its_own_permissions);
#ifdef CAN_COUNT_MEMORY
    tcase_add_test(tests, errors_of_the_server_leave_no_memory_allocated);
#endif
    tcase_add_test(tests, a_url_cannot_change_the_encoding);
    tcase_add_test(tests, no_error_contains_the_password);
    tcase_add_test(tests, a_password_that_is_not_escaped_is_refused_before_a_message_can_show_it);
    tcase_add_test(tests, a_message_that_contains_the_password_is_left_out);
    tcase_add_test(tests, a_warning_while_connecting_does_not_reach_standard_error);
    tcase_add_test(tests, invalid_addresses_and_options_are_refused);
    tcase_add_test(tests, options_of_a_later_release_are_accepted_if_unknown_fields_are_zero);
    tcase_add_test(tests, invalid_pushes_are_refused);
    tcase_add_loop_test(tests, each_failed_allocation_is_handled, 0, VISIT);
    add_error_cases(suite, "used errors", error_cases_of_lines, error_case_count_of_lines);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
