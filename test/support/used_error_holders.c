/* SPDX-License-Identifier: MIT */
/*
 * used_error_holders.c: cases of used_error.h for memories, bytes, files, tables, pictures, heads,
 * histories, recordings and stores.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pqt/bytes.h>
#include <pqt/head.h>
#include <pqt/heap.h>
#include <pqt/history_bytes.h>
#include <pqt/history_query.h>
#include <pqt/memory.h>
#include <pqt/png.h>
#include <pqt/recording.h>
#include <pqt/store_recording.h>
#include <pqt/svg.h>
#include <pqt/table.h>

#include "bytes_support.h"
#include "store_support.h"
#include "used_error.h"

/* ---- Memories ---- */

CASE(pqt_init)
{
    return (outcome){DONE(pqt_init(error)), 0};
}

CASE(pqt_default_memory)
{
    return (outcome){OWN(pqt_default_memory(error)) != NULL, 0};
}

CASE(pqt_thread_attach)
{
    return (outcome){DONE(pqt_thread_attach(error)), 0};
}

CASE(pqt_arena_make)
{
    pqt_memory *memory = OWN(pqt_arena_make(0, error));
    const bool done = memory != NULL;
    pqt_arena_destroy(&memory);
    return (outcome){done, 0};
}

CASE(pqt_heap_make)
{
    pqt_memory *memory = OWN(pqt_heap_make(NULL, error));
    const bool done = memory != NULL;
    if (done)
        pqt_heap_destroy(&memory);
    return (outcome){done, 0};
}

CASE(pqt_scope_begin)
{
    pqt_memory *memory = pqt_heap_make(NULL, NULL);
    const bool done = DONE(pqt_scope_begin(memory, error));
    if (done)
        pqt_scope_end(memory);
    pqt_heap_destroy(&memory);
    return (outcome){done, 0};
}

/* ---- Bytes and files ---- */

static outcome
written(byte_buffer *file, bool done)
{
    uint64_t sum = 0;
    for (size_t i = 0; done && i < file->length; i++)
        sum = 31 * sum + file->bytes[i];
    free(file->bytes);
    return (outcome){done, sum};
}

static const char *
path_of_file(void)
{
    static char path[40];
    snprintf(path, sizeof path, "used-error-%d.pqt", (int)getpid());
    return path;
}

static outcome
saved(bool done)
{
    const bool exists = access(path_of_file(), F_OK) == 0;
    ck_assert_int_eq(exists, done);
    if (exists)
        unlink(path_of_file());
    return (outcome){done, exists};
}

static void
save(const void *version)
{
    pqt_error failure = {0};
    ck_assert_msg(pqt_version_save(version, path_of_file(), &failure), "%s", failure.text);
}

/* ---- Versions of any kind ---- */

CASE(pqt_version_check)
{
    return (outcome){DONE(pqt_version_check(sample.map, error)), 0};
}

CASE(pqt_version_exclusive_bytes)
{
    const void *before = sample.map;
    size_t bytes = 0;
    const bool done = DONE(pqt_version_exclusive_bytes(sample.next_map, &before, 1, &bytes, error));
    return (outcome){done, bytes};
}

CASE(pqt_version_merge)
{
    return VERSION(pqt_version_merge(sample.map, sample.next_map, sample.map, error));
}

CASE(pqt_version_shared_bytes)
{
    size_t bytes = 0;
    const bool done = DONE(pqt_version_shared_bytes(sample.map, sample.next_map, &bytes, error));
    return (outcome){done, bytes};
}

CASE(pqt_version_count_diff)
{
    uint64_t count = 0;
    const bool done = DONE(pqt_version_count_diff(sample.tree, sample.next_tree, &count, error));
    return (outcome){done, count};
}

CASE(pqt_version_copy)
{
    pqt_memory *other = pqt_arena_make(0, NULL);
    const outcome result = VERSION(pqt_version_copy(sample.map, other, error));
    pqt_arena_destroy(&other);
    return result;
}

CASE(pqt_version_copy_all)
{
    const void *const maps[] = {sample.map, sample.next_map}, *copies[2] = {NULL};
    pqt_memory *other = pqt_arena_make(0, NULL);
    const bool done = DONE(pqt_version_copy_all(maps, 2, other, copies, error));
    const uint64_t value = done ? pqt_version_fingerprint(copies[1]).low : 0;
    pqt_arena_destroy(&other);
    return (outcome){done, value};
}

CASE(pqt_version_pin)
{
    return PIN(pqt_version_pin(sample.map, error));
}

CASE(pqt_version_write)
{
    byte_buffer file = {0};
    const bool done = DONE(pqt_version_write(sample.tree, sink, &file, error));
    return written(&file, done);
}

CASE(pqt_version_read)
{
    byte_buffer file = bytes_of(sample.tree);
    const outcome result =
        VERSION(pqt_version_read(PQT_KIND_TREE, source, &file, sample.memory, error));
    free(file.bytes);
    return result;
}

CASE(pqt_version_save)
{
    return saved(DONE(pqt_version_save(sample.tree, path_of_file(), error)));
}

CASE(pqt_version_load)
{
    save(sample.tree);
    const outcome result =
        VERSION(pqt_version_load(PQT_KIND_TREE, path_of_file(), sample.memory, error));
    unlink(path_of_file());
    return result;
}

/* ---- Tables ---- */

static const char table_text[] = "id,min_x,min_y,max_x,max_y\n7,1,2,3,4\n8,5,6,7,8\n";

static byte_buffer
table_bytes(void)
{
    byte_buffer file = {0};
    ck_assert(sink(table_text, sizeof table_text - 1, &file));
    return file;
}

CASE(pqt_table_read)
{
    byte_buffer file = table_bytes();
    pqt_table *table = OWN(pqt_table_read(source, &file, NULL, error));
    const outcome result = {table != NULL, table == NULL ? 0 : pqt_table_count(table)};
    pqt_table_free(table);
    free(file.bytes);
    return result;
}

CASE(pqt_table_reader_open)
{
    byte_buffer file = table_bytes();
    pqt_table_reader *reader = OWN(pqt_table_reader_open(source, &file, NULL, error));
    const outcome result = {reader != NULL,
                            reader == NULL ? 0 : pqt_table_reader_columns(reader).count};
    pqt_table_reader_close(reader);
    free(file.bytes);
    return result;
}

CASE(pqt_table_reader_next)
{
    byte_buffer file = table_bytes();
    pqt_table_record record;
    pqt_table_reader *reader = pqt_table_reader_open(source, &file, NULL, NULL);
    ck_assert_ptr_nonnull(reader);
    const bool done = DONE(pqt_table_reader_next(reader, &record, error));
    pqt_table_reader_close(reader);
    free(file.bytes);
    return (outcome){done, record.item.id};
}

CASE(pqt_table_select)
{
    byte_buffer file = table_bytes();
    const pqt_table_column columns[] = {{4, {0}}, {3, {0}}, {2, {0}}, {1, {0}}, {0, {0}}};
    pqt_table *table = pqt_table_read(source, &file, NULL, NULL);
    ck_assert_ptr_nonnull(table);
    pqt_table *other = OWN(pqt_table_select(table, columns, 5, error));
    const outcome result = {other != NULL, other == NULL ? 0 : pqt_table_count(other)};
    pqt_table_free(other);
    pqt_table_free(table);
    free(file.bytes);
    return result;
}

CASE(pqt_table_write)
{
    byte_buffer file = table_bytes(), output = {0};
    pqt_table *table = pqt_table_read(source, &file, NULL, NULL);
    ck_assert_ptr_nonnull(table);
    const pqt_table_row row = {table, 1, {{{5, 6}, {9, 8}}, 8}, NULL};
    const bool done = DONE(pqt_table_write(table, &row, 1, sink, &output, error));
    pqt_table_free(table);
    free(file.bytes);
    return written(&output, done);
}

/* ---- Pictures ---- */

CASE(pqt_svg_begin)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    pqt_svg svg;
    const bool done = DONE(pqt_svg_begin(&svg, stream, (pqt_box){{0, 0}, {40, 40}}, NULL, error));
    fclose(stream);
    free(text);
    return (outcome){done, length};
}

CASE(pqt_svg_end)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    pqt_svg svg;
    ck_assert(pqt_svg_begin(&svg, stream, (pqt_box){{0, 0}, {40, 40}}, NULL, NULL));
    const bool done = DONE(pqt_svg_end(&svg, error));
    fclose(stream);
    free(text);
    return (outcome){done, length};
}

/* A picture of one white pixel. */
static const uint8_t white[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
    0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00,
    0x00, 0x3a, 0x7e, 0x9b, 0x55, 0x00, 0x00, 0x00, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78,
    0x9c, 0x63, 0xf8, 0x0f, 0x00, 0x01, 0x01, 0x01, 0x00, 0xb1, 0x38, 0xf6, 0x14, 0x00,
    0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

static pqt_png_options
png_options(void)
{
    pqt_png_options options = PQT_PNG_DEFAULTS;
    options.memory = sample.memory;
    return options;
}

CASE(pqt_png_read)
{
    const pqt_png_options options = png_options();
    FILE *stream = tmpfile();
    ck_assert(stream != NULL && fwrite(white, sizeof white, 1, stream) == 1);
    rewind(stream);
    const outcome result = VERSION(pqt_png_read(stream, &options, NULL, error));
    fclose(stream);
    return result;
}

CASE(pqt_png_read_bytes)
{
    const pqt_png_options options = png_options();
    return VERSION(pqt_png_read_bytes(white, sizeof white, &options, NULL, error));
}

CASE(pqt_png_read_image)
{
    const pqt_png_options options = png_options();
    FILE *stream = tmpfile();
    ck_assert(stream != NULL && fwrite(white, sizeof white, 1, stream) == 1);
    rewind(stream);
    const outcome result = VERSION(pqt_png_read_image(stream, &options, NULL, error));
    fclose(stream);
    return result;
}

CASE(pqt_png_read_image_bytes)
{
    const pqt_png_options options = png_options();
    return VERSION(pqt_png_read_image_bytes(white, sizeof white, &options, NULL, error));
}

CASE(pqt_png_write_image)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    const pqt_image *image = pqt_image_make(9, 9, (pqt_rgba){1, 2, 3, 4}, sample.memory, NULL);
    const bool done = DONE(pqt_png_write_image(stream, image, error));
    fclose(stream);
    free(text);
    return (outcome){done, done ? length : 0};
}

CASE(pqt_png_write)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    const bool done =
        DONE(pqt_png_write(stream, sample.region, (pqt_pixel_box){{0, 0}, {19, 9}}, error));
    fclose(stream);
    free(text);
    return (outcome){done, done ? length : 0};
}

/* ---- Heads ---- */

static outcome
with_number(outcome result, uint64_t number)
{
    return (outcome){result.done, result.value + number};
}

static const void *
give_next_map(const void *now, void *context, pqt_error *error)
{
    (void)context;
    ck_assert_int_eq(error->status, PQT_OK);
    ck_assert_ptr_eq(now, sample.map);
    return sample.next_map;
}

CASE(pqt_head_make)
{
    pqt_head *head = OWN(pqt_head_make(sample.map, error));
    const bool done = head != NULL;
    pqt_head_destroy(&head);
    return (outcome){done, 0};
}

CASE(pqt_head_pin)
{
    uint64_t number = 0;
    pqt_head *head = pqt_head_make(sample.map, NULL);
    const outcome result = PIN(pqt_head_pin(head, &number, error));
    pqt_head_destroy(&head);
    return with_number(result, number);
}

CASE(pqt_head_publish)
{
    pqt_head *head = pqt_head_make(sample.map, NULL);
    const bool done = DONE(pqt_head_publish(head, sample.next_map, error));
    const uint64_t number = pqt_head_number(head);
    pqt_head_destroy(&head);
    return (outcome){done, number};
}

CASE(pqt_head_update)
{
    uint64_t number = 0;
    pqt_head *head = pqt_head_make(sample.map, NULL);
    const outcome result = VERSION(pqt_head_update(head, give_next_map, NULL, &number, error));
    pqt_head_destroy(&head);
    return with_number(result, number);
}

/* ---- Histories ---- */

static void
push(pqt_history *history, const void *version, const char *label)
{
    pqt_error failure = {0};
    const pqt_history_entry_info info = {.label = label, .time = 1};
    ck_assert_msg(pqt_history_push(history, version, &info, &failure), "%s", failure.text);
}

/* Returns a history of trees with an index, whose entries 0 to 2 have the trees of three times. */
static pqt_history *
three_entries(void)
{
    pqt_error failure = {0};
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.indexed = true;
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), sample.tree, &options, &failure);
    ck_assert_msg(history != NULL, "%s", failure.text);
    push(history, sample.next_tree, "move");
    push(history, pqt_tree_remove_id(sample.next_tree, 5, &failure), "remove");
    return history;
}

/* Describes a history, destroys it, and returns the outcome of a call. */
static outcome
left(pqt_history *history, bool done)
{
    const uint64_t value =
        100 * pqt_history_get_stats(history).entries + pqt_history_current(history);
    pqt_history_destroy(&history);
    return (outcome){done, value};
}

CASE(pqt_history_make)
{
    pqt_history *history =
        OWN(pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), sample.tree, NULL, error));
    return history == NULL ? (outcome){false, 0} : left(history, true);
}

CASE(pqt_history_push)
{
    pqt_history *history = three_entries();
    const pqt_history_entry_info info = {.label = "undo it", .time = 1};
    const bool done = DONE(pqt_history_push(history, sample.tree, &info, error));
    return left(history, done);
}

CASE(pqt_history_checkout)
{
    pqt_history *history = three_entries();
    const bool done = DONE(pqt_history_checkout(history, 1, error));
    return left(history, done);
}

CASE(pqt_history_set_name)
{
    pqt_history *history = three_entries();
    uint64_t entry = 0;
    const bool done = DONE(pqt_history_set_name(history, 1, "draft", error));
    ck_assert_int_eq(pqt_history_find(history, "draft", &entry), done);
    return left(history, done);
}

CASE(pqt_history_get_bytes)
{
    pqt_history *history = three_entries();
    pqt_history_bytes bytes = {0};
    const bool done = DONE(pqt_history_get_bytes(history, 1, &bytes, error));
    return with_number(left(history, done), 1000 * bytes.all);
}

CASE(pqt_history_thin)
{
    pqt_history *history = three_entries();
    const bool done = DONE(pqt_history_thin(history, 0, error));
    return left(history, done);
}

CASE(pqt_history_drop)
{
    pqt_history *history = three_entries();
    const bool done = DONE(pqt_history_drop(history, 1, error));
    return left(history, done);
}

CASE(pqt_history_drop_branch)
{
    pqt_history *history = three_entries();
    pqt_history_undo(history);
    const bool done = DONE(pqt_history_drop_branch(history, 2, error));
    return left(history, done);
}

CASE(pqt_history_last_change)
{
    const pqt_query query = {.window = {{0, 0}, {40, 40}}, .relation = PQT_TOUCHES};
    pqt_history *history = three_entries();
    pqt_history_answer answer = {0};
    const bool done = DONE(pqt_history_last_change(history, NULL, 2, &query, &answer, error));
    return with_number(left(history, done), 1000 * answer.entry);
}

CASE(pqt_history_last_item_change)
{
    pqt_history *history = three_entries();
    pqt_history_answer answer = {0};
    const bool done = DONE(pqt_history_last_item_change(history, NULL, 2, 4, &answer, error));
    return with_number(left(history, done), 1000 * answer.entry);
}

static bool
count_change(const pqt_change *change, void *context)
{
    uint64_t *count = context;
    *count += 1000 * (1 + change->item.id);
    return true;
}

CASE(pqt_history_visit_changes)
{
    pqt_history *history = three_entries();
    uint64_t count = 0;
    const bool done =
        DONE(pqt_history_visit_changes(history, NULL, 2, 0, 1, NULL, count_change, &count, error));
    return with_number(left(history, done), count);
}

CASE(pqt_history_write)
{
    pqt_history *history = three_entries();
    byte_buffer file = {0};
    const outcome result = written(&file, DONE(pqt_history_write(history, sink, &file, error)));
    pqt_history_destroy(&history);
    return result;
}

CASE(pqt_history_read)
{
    pqt_history *history = three_entries();
    byte_buffer file = {0};
    ck_assert(pqt_history_write(history, sink, &file, NULL));
    pqt_history_destroy(&history);
    history = OWN(pqt_history_read(source, &file, NULL, sample.memory, error));
    free(file.bytes);
    return history == NULL ? (outcome){false, 0} : left(history, true);
}

CASE(pqt_history_save_file)
{
    pqt_history *history = three_entries();
    const bool done = DONE(pqt_history_save_file(history, path_of_file(), error));
    pqt_history_destroy(&history);
    return saved(done);
}

CASE(pqt_history_load_file)
{
    pqt_history *history = three_entries();
    ck_assert(pqt_history_save_file(history, path_of_file(), NULL));
    pqt_history_destroy(&history);
    history = OWN(pqt_history_load_file(path_of_file(), NULL, sample.memory, error));
    unlink(path_of_file());
    return history == NULL ? (outcome){false, 0} : left(history, true);
}

/* ---- Recordings ---- */

static pqt_recording *
two_steps(void)
{
    pqt_error failure = {0};
    pqt_recording *recording = pqt_recording_make(sample.world, 0.25, NULL, 4, &failure);
    for (int i = 0; i < 2; i++)
        ck_assert_msg(pqt_recording_step(recording, NULL, &failure) != NULL, "%s", failure.text);
    return recording;
}

CASE(pqt_recording_make)
{
    pqt_recording *recording = OWN(pqt_recording_make(sample.world, 0.25, NULL, 4, error));
    const bool done = recording != NULL;
    pqt_recording_destroy(&recording);
    return (outcome){done, 0};
}

CASE(pqt_recording_step)
{
    pqt_recording *recording = two_steps();
    const outcome result = VERSION(pqt_recording_step(recording, NULL, error));
    const size_t last = pqt_recording_last(recording);
    pqt_recording_destroy(&recording);
    return with_number(result, last);
}

CASE(pqt_recording_at)
{
    pqt_recording *recording = two_steps();
    const outcome result = VERSION(pqt_recording_at(recording, 1, error));
    pqt_recording_destroy(&recording);
    return result;
}

CASE(pqt_recording_verify)
{
    pqt_recording *recording = two_steps();
    const bool done = DONE(pqt_recording_verify(recording, NULL, error));
    pqt_recording_destroy(&recording);
    return (outcome){done, 0};
}

CASE(pqt_recording_compare)
{
    pqt_recording *a = two_steps();
    pqt_recording *b = pqt_recording_make(sample.world, 0.125, NULL, 4, NULL);
    pqt_recording_divergence divergence;
    ck_assert_ptr_nonnull(pqt_recording_step(b, NULL, NULL));
    const bool done = DONE(pqt_recording_compare(a, b, &divergence, error));
    pqt_recording_destroy(&a);
    pqt_recording_destroy(&b);
    return (outcome){done, divergence.found};
}

/* ---- Stores ---- */

typedef struct opened_store {
    store_folder folder;
    pqt_store *store; /* NULL: this build has none */
} opened_store;

static void
remove_store(opened_store *in)
{
    if (in->store != NULL)
        close_store(&in->store);
    remove_store_folder(&in->folder);
}

CASE(pqt_store_open)
{
    opened_store in = {.folder = make_store_folder()};
    in.store = OWN(pqt_store_open(in.folder.path, NULL, error));
    const bool done = in.store != NULL;
    remove_store(&in);
    return (outcome){done, 0};
}

#if PQT_WITH_SQLITE

/* Opens a new store. */
static opened_store
new_store(pqt_error *error)
{
    opened_store in = {.folder = make_store_folder()};
    in.store = pqt_store_open(in.folder.path, NULL, error);
    return in;
}

/* Returns a store with the history of `three_entries`. */
static opened_store
store_with_history(pqt_history **history)
{
    pqt_error failure = {0};
    opened_store in = new_store(&failure);
    *history = three_entries();
    ck_assert_msg(pqt_history_save(*history, in.store, &failure), "%s", failure.text);
    return in;
}

static outcome
end_store(opened_store *in, pqt_history **history, bool done, uint64_t value)
{
    pqt_history_destroy(history);
    remove_store(in);
    return (outcome){done, value};
}

CASE(pqt_store_close)
{
    opened_store in = new_store(NULL);
    const bool done = DONE(pqt_store_close(&in.store, error));
    remove_store(&in);
    return (outcome){done, 0};
}

CASE(pqt_store_get_error)
{
    opened_store in = new_store(NULL);
    const bool done = DONE(pqt_store_get_error(in.store, error));
    remove_store(&in);
    return (outcome){done, 0};
}

CASE(pqt_store_get_stats)
{
    pqt_history *history;
    pqt_store_stats stats = {0};
    opened_store in = store_with_history(&history);
    const bool done = DONE(pqt_store_get_stats(in.store, &stats, error));
    return end_store(&in, &history, done, stats.entries);
}

CASE(pqt_store_check)
{
    pqt_history *history;
    opened_store in = store_with_history(&history);
    const bool done = DONE(pqt_store_check(in.store, error));
    return end_store(&in, &history, done, 0);
}

CASE(pqt_store_compact)
{
    pqt_history *history;
    opened_store in = store_with_history(&history);
    const bool done = DONE(pqt_store_compact(in.store, error));
    return end_store(&in, &history, done, 0);
}

CASE(pqt_history_save)
{
    opened_store in = new_store(NULL);
    pqt_history *history = three_entries();
    const bool done = DONE(pqt_history_save(history, in.store, error));
    return end_store(&in, &history, done, pqt_store_kind(in.store));
}

CASE(pqt_history_open)
{
    pqt_history *history;
    opened_store in = store_with_history(&history);
    pqt_history_destroy(&history);
    history = OWN(pqt_history_open(in.store, NULL, sample.memory, error));
    return end_store(&in, &history, history != NULL, 0);
}

CASE(pqt_recording_save)
{
    opened_store in = new_store(NULL);
    pqt_recording *recording = two_steps();
    const bool done = DONE(pqt_recording_save(recording, in.store, error));
    pqt_recording_destroy(&recording);
    remove_store(&in);
    return (outcome){done, 0};
}

CASE(pqt_recording_open)
{
    pqt_error failure = {0};
    opened_store in = new_store(&failure);
    pqt_recording *recording = two_steps();
    ck_assert_msg(pqt_recording_save(recording, in.store, &failure), "%s", failure.text);
    pqt_recording_destroy(&recording);
    recording = OWN(pqt_recording_open(in.store, sample.memory, error));
    const uint64_t last = recording == NULL ? 0 : pqt_recording_last(recording);
    const bool done = recording != NULL;
    pqt_recording_destroy(&recording);
    remove_store(&in);
    return (outcome){done, last};
}

#endif

const error_case error_cases_of_holders[] = {
    HAS(pqt_init),
    HAS(pqt_default_memory),
    HAS(pqt_thread_attach),
    HAS(pqt_arena_make),
    HAS(pqt_heap_make),
    HAS(pqt_scope_begin),
    HAS(pqt_version_check),
    HAS(pqt_version_exclusive_bytes),
    HAS(pqt_version_merge),
    HAS(pqt_version_shared_bytes),
    HAS(pqt_version_count_diff),
    HAS(pqt_version_copy),
    HAS(pqt_version_copy_all),
    HAS(pqt_version_pin),
    HAS(pqt_version_write),
    HAS(pqt_version_read),
    HAS(pqt_version_save),
    HAS(pqt_version_load),
    HAS(pqt_table_read),
    HAS(pqt_table_reader_open),
    HAS(pqt_table_reader_next),
    HAS(pqt_table_select),
    HAS(pqt_table_write),
    HAS(pqt_svg_begin),
    HAS(pqt_svg_end),
    HAS(pqt_png_read),
    HAS(pqt_png_read_bytes),
    HAS(pqt_png_read_image),
    HAS(pqt_png_read_image_bytes),
    HAS(pqt_png_write_image),
    HAS(pqt_png_write),
    HAS(pqt_head_make),
    HAS(pqt_head_pin),
    HAS(pqt_head_publish),
    HAS(pqt_head_update),
    HAS(pqt_history_make),
    HAS(pqt_history_push),
    HAS(pqt_history_checkout),
    HAS(pqt_history_set_name),
    HAS(pqt_history_get_bytes),
    HAS(pqt_history_thin),
    HAS(pqt_history_drop),
    HAS(pqt_history_drop_branch),
    HAS(pqt_history_last_change),
    HAS(pqt_history_last_item_change),
    HAS(pqt_history_visit_changes),
    HAS(pqt_recording_make),
    HAS(pqt_recording_step),
    HAS(pqt_recording_at),
    HAS(pqt_recording_verify),
    HAS(pqt_recording_compare),
    HAS(pqt_history_write),
    HAS(pqt_history_read),
    HAS(pqt_history_save_file),
    HAS(pqt_history_load_file),
    HAS(pqt_store_open),
#if PQT_WITH_SQLITE
    HAS(pqt_store_close),
    HAS(pqt_store_get_error),
    HAS(pqt_store_get_stats),
    HAS(pqt_store_check),
    HAS(pqt_store_compact),
    HAS(pqt_history_save),
    HAS(pqt_history_open),
    HAS(pqt_recording_save),
    HAS(pqt_recording_open),
#endif
};
const size_t error_case_count_of_holders =
    sizeof error_cases_of_holders / sizeof *error_cases_of_holders;
