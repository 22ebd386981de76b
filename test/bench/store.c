/* SPDX-License-Identifier: MIT */
/*
 * store.c: compares stores with other ways to keep versions in files: a log of differences,
 * SQLite's R*Tree module, and JSON snapshots. All of them receive the same edits to the same boxes.
 *
 *     test/bench/store [ITEMS [EDITS]]
 *
 * All files are in a separate folder, which is removed at the end. No contestant waits for the
 * disk. At the end each one reopens its file, which must contain the items of the last version.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>
#include <sqlite3.h>

#include <pqt.h>
#include <pqt/stores.h>

#include "random.h"
#include "edits.h"

enum { LOOKED_AT = 200, SNAPSHOTS = 10, REPLAYS = 3 };

static pqt_error error;
static char folder[] = "/tmp/pqt-bench-XXXXXX";
static pqt_memory *heap;

/* The edits, made once for all contestants. */
static size_t edit_count;
static const pqt_tree **versions; /* edit_count + 1 versions */

/* The costs of a contestant. Times are in seconds; 0 means that it has no such operation. */
typedef struct result {
    const char *name;
    double edit, bytes_a_version, opening, old_median, old_worst;
    const char *note;
} result;

static void
must(bool done, const char *what)
{
    if (done)
        return;
    fprintf(stderr, "store: %s: %s\n", what, error.text);
    exit(2);
}

static double
cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static const char *
path_of(const char *name)
{
    static char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static double
file_bytes(const char *name)
{
    struct stat file;
    return stat(path_of(name), &file) == 0 ? (double)file.st_size : 0;
}

static int
compare_doubles(const void *first, const void *second)
{
    const double a = *(const double *)first, b = *(const double *)second;
    return a < b ? -1 : a > b;
}

static void
set_times(result *to, double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, compare_doubles);
    to->old_median = times[count / 2];
    to->old_worst = times[count - 1];
}

/* ---- A store ---- */

static result
run_store(void)
{
    result to = {.name = "pqt_store"};
    dice d = {5};
    double times[LOOKED_AT];
    pqt_store *store = pqt_store_open(path_of("plan.pqts"), NULL, &error);
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), versions[0], NULL, &error);
    must(pqt_history_save(history, store, &error), "saving");
    double start = cpu_seconds();
    for (size_t i = 1; i <= edit_count; i++)
        must(pqt_history_push(history, versions[i], NULL, &error), "a push");
    to.edit = (cpu_seconds() - start) / (double)edit_count;
    pqt_history_destroy(&history);
    must(pqt_store_close(&store, &error), "closing");
    to.bytes_a_version = file_bytes("plan.pqts") / (double)edit_count;
    start = cpu_seconds();
    store = pqt_store_open(path_of("plan.pqts"), NULL, &error);
    history = pqt_history_open(store, NULL, heap, &error);
    must(history != NULL, "opening");
    to.opening = cpu_seconds() - start;
    must(pqt_tree_equals(pqt_history_value(history), versions[edit_count]), "the last version");
    for (int i = 0; i < LOOKED_AT; i++) {
        const uint64_t number = dice_below(&d, edit_count + 1);
        start = cpu_seconds();
        const pqt_tree *old = pqt_history_value_of(history, number);
        times[i] = cpu_seconds() - start;
        must(old != NULL && pqt_tree_equals(old, versions[number]), "an old version");
    }
    set_times(&to, times, LOOKED_AT);
    pqt_history_destroy(&history);
    must(pqt_store_close(&store, &error), "closing");
    return to;
}

/* ---- A log of differences ---- */

static bool
log_change(const pqt_change *change, void *context)
{
    const pqt_box box = change->kind == PQT_MOVE ? change->to : change->item.box;
    return fprintf(context, "%d %llu %.17g %.17g %.17g %.17g\n", (int)change->kind,
                   (unsigned long long)change->item.id, box.min.x, box.min.y, box.max.x,
                   box.max.y) > 0;
}

/* Rebuilds the version after `count` edits from the log. */
static const pqt_tree *
replay_log(size_t count)
{
    FILE *file = fopen(path_of("log"), "r");
    const pqt_tree *tree = versions[0];
    int kind;
    unsigned long long id;
    pqt_box box;
    for (size_t i = 0; i < count && tree != NULL; i++) {
        must(fscanf(file, "%d %llu %lf %lf %lf %lf", &kind, &id, &box.min.x, &box.min.y, &box.max.x,
                    &box.max.y) == 6,
             "the log");
        tree = kind == PQT_INSERT   ? pqt_tree_insert(tree, (pqt_item){box, id}, &error)
               : kind == PQT_REMOVE ? pqt_tree_remove_id(tree, id, &error)
                                    : pqt_tree_move_id(tree, id, box, &error);
    }
    fclose(file);
    return tree;
}

static result
run_log(void)
{
    result to = {.name = "log of differences", .note = "an old version replays all before it"};
    dice d = {6};
    double times[REPLAYS];
    FILE *file = fopen(path_of("log"), "w");
    double start = cpu_seconds();
    for (size_t i = 1; i <= edit_count; i++) {
        must(pqt_tree_visit_diff(versions[i - 1], versions[i], NULL, log_change, file, &error),
             "a difference");
        fflush(file);
    }
    to.edit = (cpu_seconds() - start) / (double)edit_count;
    fclose(file);
    to.bytes_a_version = file_bytes("log") / (double)edit_count;
    start = cpu_seconds();
    must(pqt_tree_equals(replay_log(edit_count), versions[edit_count]), "the last version");
    to.opening = cpu_seconds() - start;
    for (int i = 0; i < REPLAYS; i++) {
        const size_t number = dice_below(&d, edit_count + 1);
        start = cpu_seconds();
        must(pqt_tree_equals(replay_log(number), versions[number]), "an old version");
        times[i] = cpu_seconds() - start;
    }
    set_times(&to, times, REPLAYS);
    return to;
}

/* ---- SQLite's R*Tree module: the current state only ---- */

typedef struct rtree {
    sqlite3 *database;
    sqlite3_stmt *put, *drop;
} rtree;

static bool
put_item(const pqt_item *item, void *context)
{
    const rtree *to = context;
    sqlite3_bind_int64(to->put, 1, (int64_t)item->id);
    sqlite3_bind_double(to->put, 2, item->box.min.x);
    sqlite3_bind_double(to->put, 3, item->box.max.x);
    sqlite3_bind_double(to->put, 4, item->box.min.y);
    sqlite3_bind_double(to->put, 5, item->box.max.y);
    const bool done = sqlite3_step(to->put) == SQLITE_DONE;
    sqlite3_reset(to->put);
    return done;
}

static bool
apply_to_rtree(const pqt_change *change, void *context)
{
    const rtree *to = context;
    if (change->kind != PQT_REMOVE)
        return put_item(
            &(pqt_item){change->kind == PQT_MOVE ? change->to : change->item.box, change->item.id},
            context);
    sqlite3_bind_int64(to->drop, 1, (int64_t)change->item.id);
    const bool done = sqlite3_step(to->drop) == SQLITE_DONE;
    sqlite3_reset(to->drop);
    return done;
}

/* Runs a statement. Prints the reason on failure. */
static bool
run_sql(sqlite3 *database, const char *sql)
{
    char *text = NULL;
    if (sqlite3_exec(database, sql, NULL, NULL, &text) == SQLITE_OK)
        return true;
    fprintf(stderr, "store: %s: %s\n", sql, text);
    return false;
}

static result
run_rtree(void)
{
    result to = {.name = "SQLite R*Tree", .note = "keeps the last version only, in floats"};
    rtree r = {NULL, NULL, NULL};
    sqlite3_stmt *rows = NULL;
    sqlite3_open(path_of("rtree"), &r.database);
    if (!run_sql(r.database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                             "CREATE VIRTUAL TABLE item USING rtree(id, x0, x1, y0, y1); BEGIN")) {
        to.note = "this SQLite has no R*Tree module";
        sqlite3_close(r.database);
        return to;
    }
    sqlite3_prepare_v2(r.database, "REPLACE INTO item VALUES (?, ?, ?, ?, ?)", -1, &r.put, NULL);
    sqlite3_prepare_v2(r.database, "DELETE FROM item WHERE id = ?", -1, &r.drop, NULL);
    must(pqt_tree_visit(versions[0], NULL, put_item, &r) && run_sql(r.database, "COMMIT"),
         "the first version");
    const double start = cpu_seconds();
    for (size_t i = 1; i <= edit_count; i++)
        must(run_sql(r.database, "BEGIN") &&
                 pqt_tree_visit_diff(versions[i - 1], versions[i], NULL, apply_to_rtree, &r,
                                     &error) &&
                 run_sql(r.database, "COMMIT"),
             "an edit");
    to.edit = (cpu_seconds() - start) / (double)edit_count;
    sqlite3_finalize(r.put);
    sqlite3_finalize(r.drop);
    sqlite3_prepare_v2(r.database, "SELECT count(*) FROM item", -1, &rows, NULL);
    must(sqlite3_step(rows) == SQLITE_ROW &&
             (size_t)sqlite3_column_int64(rows, 0) == pqt_tree_count(versions[edit_count]),
         "the last version");
    sqlite3_finalize(rows);
    sqlite3_close(r.database);
    return to;
}

/* ---- JSON snapshots ---- */

static bool
append_json(const pqt_item *item, void *context)
{
    return json_array_append_new(context,
                                 json_pack("[I,f,f,f,f]", (json_int_t)item->id, item->box.min.x,
                                           item->box.min.y, item->box.max.x, item->box.max.y)) == 0;
}

static const pqt_tree *
read_json(void)
{
    json_t *all = json_load_file(path_of("json"), 0, NULL), *one;
    const size_t count = json_array_size(all);
    pqt_item *items = calloc(count + 1, sizeof *items);
    size_t i;
    json_array_foreach(all, i, one)
    {
        json_int_t id = 0;
        json_unpack(one, "[I,f,f,f,f]", &id, &items[i].box.min.x, &items[i].box.min.y,
                    &items[i].box.max.x, &items[i].box.max.y);
        items[i].id = (uint64_t)id;
    }
    const pqt_tree *tree =
        pqt_tree_insert_all(pqt_tree_clear(versions[0], &error), items, count, &error);
    free(items);
    json_decref(all);
    return tree;
}

static result
run_json(void)
{
    result to = {.name = "JSON snapshots", .note = "of 10 versions; one file each"};
    double times[SNAPSHOTS];
    for (int i = 0; i < SNAPSHOTS; i++) {
        const size_t number = edit_count * (size_t)(i + 1) / SNAPSHOTS;
        double start = cpu_seconds();
        json_t *all = json_array();
        must(pqt_tree_visit(versions[number], NULL, append_json, all) &&
                 json_dump_file(all, path_of("json"), JSON_COMPACT) == 0,
             "a snapshot");
        to.edit += (cpu_seconds() - start) / SNAPSHOTS;
        json_decref(all);
        to.bytes_a_version += file_bytes("json") / SNAPSHOTS;
        start = cpu_seconds();
        must(pqt_tree_equals(read_json(), versions[number]), "an old version");
        times[i] = cpu_seconds() - start;
    }
    set_times(&to, times, SNAPSHOTS);
    to.opening = to.old_median;
    return to;
}

/* ---- The table ---- */

static void
print_time(double seconds)
{
    if (seconds == 0)
        printf(" %11s", "-");
    else if (seconds < 1e-3)
        printf(" %8.1f us", seconds * 1e6);
    else
        printf(" %8.1f ms", seconds * 1e3);
}

static void
print_result(const result *of)
{
    printf("%-20s", of->name);
    print_time(of->edit);
    if (of->bytes_a_version == 0)
        printf(" %11s", "-");
    else
        printf(" %11.0f", of->bytes_a_version);
    print_time(of->opening);
    print_time(of->old_median);
    print_time(of->old_worst);
    printf("  %s\n", of->note == NULL ? "" : of->note);
}

int
main(int count, char **arguments)
{
    const size_t items = count > 1 ? strtoull(arguments[1], NULL, 10) : 53278;
    edit_count = count > 2 ? strtoull(arguments[2], NULL, 10) : 20000;
    must(edit_count >= SNAPSHOTS && items > 0, "at least 1 item and 10 edits");
    must(mkdtemp(folder) != NULL, "a folder");
    heap = pqt_heap_make(NULL, &error);
    versions = calloc(edit_count + 1, sizeof *versions);
    must(heap != NULL && versions != NULL && pqt_scope_begin(heap, &error), "memory");
    edits work = edits_begin(items, heap, &error);
    versions[0] = work.first;
    for (size_t i = 1; i <= edit_count; i++)
        versions[i] = edits_next(&work, versions[i - 1], &error);
    must(versions[edit_count] != NULL, "the edits");
    printf("%zu boxes, %zu edits; CPU time\n", items, edit_count);
    printf("%-20s %11s %11s %11s %11s %11s\n", "", "an edit", "bytes/version", "opening",
           "old, median", "old, worst");
    const result results[] = {run_store(), run_log(), run_rtree(), run_json()};
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        print_result(&results[i]);
    unlink(path_of("plan.pqts"));
    unlink(path_of("log"));
    unlink(path_of("rtree"));
    unlink(path_of("json"));
    rmdir(folder);
    free(versions);
    pqt_scope_end(heap);
    pqt_heap_destroy(&heap);
    return 0;
}
