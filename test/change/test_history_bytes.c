/* SPDX-License-Identifier: MIT */
/*
 * test_history_bytes.c: tests histories as bytes: each kind is read as it was, damage is refused
 * with a message that names it, and memory and callbacks that fail are reported.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include <pqt/heap.h>
#include <pqt/limits.h>

#include "history_bytes_support.h"
#include "history_support.h"
#include "io/section.h"
#include "store_support.h"
#include "suite.h"

enum { PUSHES = 60, FEW = 12 };

/* ---- Support ---- */

static byte_buffer
bytes_of_history(const pqt_history *history)
{
    byte_buffer file = {0};
    pqt_error error = {0};
    ck_assert_msg(pqt_history_write(history, sink, &file, &error), "%s", error.text);
    ck_assert(pqt_is_history(file.bytes, file.length));
    return file;
}

static pqt_history *
read_history(byte_buffer *file, const pqt_history_options *options, pqt_memory *memory)
{
    pqt_error error = {0};
    file->next = 0;
    pqt_history *history = pqt_history_read(source, file, options, memory, &error);
    ck_assert_msg(history != NULL, "%s", error.text);
    ck_assert_uint_eq(file->next, file->length);
    return history;
}

static void
expect_bytes(const pqt_history *history, const byte_buffer *file)
{
    byte_buffer again = bytes_of_history(history);
    ck_assert_uint_eq(again.length, file->length);
    ck_assert_mem_eq(again.bytes, file->bytes, file->length);
    free(again.bytes);
}

/* Expects that reading fails with a given line. */
static void
expect_refusal(byte_buffer *file, const char *text)
{
    pqt_error error = {0};
    file->next = 0;
    ck_assert_ptr_null(pqt_history_read(source, file, NULL, arena, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_FORMAT);
    ck_assert_msg(strncmp(error.text, "byte ", 5) == 0 && strchr(error.text, '\n') == NULL, "%s",
                  error.text);
    ck_assert_uint_eq(error.index, strtoul(error.text + 5, NULL, 10));
    ck_assert_msg(text == NULL || strstr(error.text, text) != NULL, "%s", error.text);
}

static pqt_memory *
make_heap(void)
{
    pqt_error error = {0};
    pqt_memory *heap = pqt_heap_make(NULL, &error);
    ck_assert_msg(heap != NULL, "%s", error.text);
    return heap;
}

/* ---- Each kind ---- */

START_TEST(a_history_of_each_kind_is_read_as_it_was)
{
    pqt_history *history = varied_history((unsigned)_i, PUSHES, arena);
    byte_buffer file = bytes_of_history(history);
    file.step = 7; /* the source returns few bytes at a time */
    pqt_history *read = read_history(&file, NULL, arena);
    require_same_history(history, read);
    expect_bytes(read, &file);
    expect_droppable_list(read);
    for (uint32_t slot = 0; slot < read->count; slot++) {
        pqt_error error = {0};
        ck_assert_msg(pqt_version_check(read->records[slot].value, &error), "%s", error.text);
    }
    pqt_history_destroy(&read);
    pqt_history_destroy(&history);
    free(file.bytes);
}
END_TEST

/* Reads and writes a history with cycles of the heap. Both calls make versions only in scopes. */
START_TEST(a_cycle_at_each_allocation_frees_no_version_of_a_history_that_is_read_or_written)
{
    pqt_memory *heap = make_heap();
    pqt_history *history = varied_history((unsigned)_i, PUSHES, arena);
    byte_buffer file = bytes_of_history(history), again = {0};
    pqt_error error = {0};
    hooks watch = {.collect_every = 1, .slice = 64, .memory = heap};
    file.step = 4096;
    hooks_start(&watch);
    pqt_history *read = pqt_history_read(source, &file, NULL, heap, &error);
    const bool written = read != NULL && pqt_history_write(read, sink, &again, &error);
    hooks_stop();
    ck_assert_msg(written, "%s", error.text);
    ck_assert_uint_gt(watch.collections, PUSHES);
    ck_assert_uint_eq(again.length, file.length);
    ck_assert_mem_eq(again.bytes, file.bytes, file.length);
    pqti_collect(heap);
    require_same_history(history, read);
    pqt_history_destroy(&read);
    pqti_collect(heap);
    ck_assert_uint_eq(pqt_memory_get_stats(heap).used_bytes, 0);
    pqt_history_destroy(&history);
    pqt_heap_destroy(&heap);
    free(file.bytes);
    free(again.bytes);
}
END_TEST

#if PQT_WITH_COLLECTOR
START_TEST(a_history_is_read_into_the_collector)
{
    pqt_error error = {0};
    ck_assert(pqt_init(&error));
    pqt_history *history = varied_history((unsigned)_i, PUSHES, pqt_collector());
    byte_buffer file = bytes_of_history(history);
    hooks watch = {.collect_every = 50, .memory = pqt_collector()};
    hooks_start(&watch);
    pqt_history *read = read_history(&file, NULL, NULL);
    hooks_stop();
    ck_assert_uint_gt(watch.collections, 0);
    require_same_history(history, read);
    pqt_history_destroy(&read);
    pqt_history_destroy(&history);
    free(file.bytes);
}
END_TEST
#endif

/* Returns the bytes of all versions, if none shared a block with another one. */
static size_t
bytes_unshared(const pqt_history *history)
{
    size_t sum = 0;
    for (uint32_t slot = 0; slot < history->count; slot++) {
        pqt_history_bytes bytes;
        pqt_error error = {0};
        ck_assert(pqt_history_get_bytes(history, history->records[slot].number, &bytes, &error));
        sum += bytes.all;
    }
    return sum;
}

enum { WORLDS = 2, DOCUMENTS = 4 };

/* The sum of `added` counts each block of the versions once. A world is written whole, so worlds
   share nothing afterwards, and documents all but their world. */
START_TEST(the_versions_of_a_history_that_was_read_share_as_many_bytes_as_before)
{
    pqt_history *history = varied_history((unsigned)_i, PUSHES, arena);
    byte_buffer file = bytes_of_history(history);
    pqt_history *read = read_history(&file, NULL, arena);
    const size_t before = pqt_history_get_stats(history).bytes;
    const size_t after = pqt_history_get_stats(read).bytes, unshared = bytes_unshared(read);
    printf("# form %d: %zu bytes of versions, %zu of blocks before, %zu after, %zu as bytes\n", _i,
           unshared, before, after, file.length);
    if (PQT_WITH_WORLDS && _i == WORLDS)
        ck_assert_uint_eq(after, unshared);
    else if (PQT_WITH_WORLDS && _i == DOCUMENTS)
        ck_assert_uint_lt(after, unshared / 10);
    else
        ck_assert_uint_eq(after, before);
    pqt_history_destroy(&read);
    pqt_history_destroy(&history);
    free(file.bytes);
}
END_TEST

#if PQT_WITH_SQLITE
/* A history goes from memory to a store, to bytes, and to another store. */
START_TEST(a_history_in_a_store_gives_the_bytes_that_it_gave_in_memory)
{
    pqt_history *history = varied_history((unsigned)_i, PUSHES, arena);
    const store_folder folder = make_store_folder();
    pqt_error error = {0};
    byte_buffer file = bytes_of_history(history);
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.max_loaded = 0;
    for (int round = 0; round < 2; round++) {
        pqt_store *store = pqt_store_open(folder.path, &options, &error);
        ck_assert_msg(store != NULL && pqt_history_save(history, store, &error), "%s", error.text);
        pqt_history_destroy(&history);
        history = pqt_history_open(store, NULL, arena, &error);
        ck_assert_msg(history != NULL && pqt_store_check(store, &error), "%s", error.text);
        expect_bytes(history, &file);
        pqt_history_destroy(&history);
        close_store(&store);
        unlink(folder.path);
        history = read_history(&file, NULL, arena);
    }
    pqt_history_destroy(&history);
    remove_store_folder(&folder);
    free(file.bytes);
}
END_TEST
#endif

/* ---- Sizes ---- */

/* Moves all items of a tree, whose change does not fit in a section. */
START_TEST(a_change_of_several_sections_is_read_as_it_was)
{
    enum { ITEMS = 6000 };
    pqt_error error = {0};
    static pqt_item items[ITEMS];
    static pqt_change moves[ITEMS];
    for (size_t i = 0; i < ITEMS; i++) {
        const double at = (double)i * 0.37;
        items[i] = boxed(box(at, 7 / (at + 1), at + 1.1, 8), i);
        moves[i] = (pqt_change){PQT_MOVE, items[i], box(at, 9 / (at + 1), at + 2.3, 10)};
    }
    const pqt_tree *tree = pqt_tree_insert_all(small_tree(8), items, ITEMS, &error);
    pqt_history *history = history_of(tree, false);
    push(history, pqt_tree_apply(tree, moves, ITEMS, &error), "All");
    push(history, with_dot(pqt_history_value(history), ITEMS), "One more");
    byte_buffer file = bytes_of_history(history);
    pqt_history *read = read_history(&file, NULL, arena);
    require_same_history(history, read);
    ck_assert_uint_gt(file.length, 3 * PQTI_BYTE_SECTION);
    pqt_history_destroy(&read);
    pqt_history_destroy(&history);
    free(file.bytes);
}
END_TEST

#if PQT_WITH_SQLITE
static long
size_of_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    ck_assert(file != NULL && fseek(file, 0, SEEK_END) == 0);
    const long size = ftell(file);
    fclose(file);
    return size;
}

/* Counts the bytes of 1,000 versions of 1,000 boxes, one move each: as a history, in a store, and
   as a file for each version. */
START_TEST(a_version_of_one_move_takes_a_fraction_of_its_bytes_in_a_store)
{
    enum { BOXES = 1000, MOVES = 1000 };
    pqt_error error = {0};
    dice d = {test_seed("a_version_of_one_move")};
    static pqt_item items[BOXES];
    size_t sum = 0;
    for (size_t i = 0; i < BOXES; i++) {
        const double x = dice_real(&d) * 15, y = dice_real(&d) * 15;
        items[i] = boxed(box(x, y, x + dice_real(&d), y + dice_real(&d)), i);
    }
    const pqt_tree *tree = pqt_tree_insert_all(unique_tree(24), items, BOXES, &error);
    pqt_history *history = history_of(tree, false);
    for (size_t i = 1; i <= MOVES; i++) {
        pqt_item *item = &items[dice_below(&d, BOXES)];
        const double by = dice_real(&d) - 0.5;
        const pqt_box *at = &item->box;
        item->box = box(at->min.x + by, at->min.y - by, at->max.x + by, at->max.y - by);
        tree = pqt_tree_move_id(tree, item->id, item->box, &error);
        push_at(history, tree, "Move", (double)i, 0);
    }
    for (uint64_t entry = 0; entry <= MOVES; entry++) {
        byte_buffer version = bytes_of(pqt_history_value_of(history, entry));
        sum += version.length;
        free(version.bytes);
    }
    byte_buffer file = bytes_of_history(history);
    const store_folder folder = make_store_folder();
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    ck_assert_msg(pqt_history_save(history, store, &error), "%s", error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    const long stored = size_of_file(folder.path);
    printf("# 1,001 versions: %zu bytes as a history, %ld in a store, %zu as files\n", file.length,
           stored, sum);
    ck_assert_uint_lt(file.length, (size_t)stored);
    ck_assert_uint_lt(file.length * 250, sum);
    remove_store_folder(&folder);
    free(file.bytes);
}
END_TEST
#endif

/* Rows are written in blocks of 1024. At these counts, the last block is full, or has one row. */
START_TEST(a_history_of_several_blocks_is_read_as_it_was)
{
    static const size_t counts[] = {1023, 1024, 2047, 2500};
    pqt_history *history = long_history(small_tree(8), counts[_i], false);
    byte_buffer file = bytes_of_history(history);
    pqt_history *read = read_history(&file, NULL, arena);
    require_same_history(history, read);
    ck_assert_uint_eq(entries(read), counts[_i] + 1);
    pqt_history_destroy(&read);
    pqt_history_destroy(&history);
    free(file.bytes);
}
END_TEST

/* ---- Use after reading ---- */

START_TEST(a_push_after_reading_adds_an_entry_with_the_next_number)
{
    pqt_history *history = history_of(small_tree(8), false);
    push_at(history, with_dot(pqt_history_value(history), 1), "Drag", 1, 7);
    byte_buffer file = bytes_of_history(history);
    pqt_history *read = read_history(&file, NULL, arena);
    push_at(read, with_dot(pqt_history_value(read), 2), "Drag", 1, 7);
    ck_assert_uint_eq(pqt_history_current(read), 2);
    push_at(read, with_dot(pqt_history_value(read), 3), "Drag", 1, 7);
    ck_assert_uint_eq(entries(read), 3);
    ck_assert(pqt_history_undo(read) && pqt_history_undo(read) && !pqt_history_undo(read));
    pqt_history_destroy(&read);
    pqt_history_destroy(&history);
    free(file.bytes);
}
END_TEST

START_TEST(limits_hold_for_pushes_after_reading)
{
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.max_entries = 8;
    options.label = "ignored";
    pqt_history *history = long_history(small_tree(8), 20, false);
    byte_buffer file = bytes_of_history(history);
    pqt_history *read = read_history(&file, &options, arena);
    ck_assert_uint_eq(entries(read), 21);
    ck_assert_str_eq(entry_at(read, 0).label, "");
    push(read, with_dot(pqt_history_value(read), 99), "thins it");
    ck_assert_uint_le(entries(read), 8);
    pqt_history_destroy(&read);
    pqt_history_destroy(&history);
    free(file.bytes);
}
END_TEST

START_TEST(an_index_of_a_history_that_was_read_answers_as_before)
{
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.indexed = true;
    pqt_history *history = long_history(small_tree(8), 700, true);
    byte_buffer file = bytes_of_history(history);
    pqt_history *read = read_history(&file, &options, arena);
    for (uint64_t id = 0; id < 700; id += 7) {
        pqt_history_answer a, b;
        pqt_error error = {0};
        ck_assert(pqt_history_last_item_change(history, NULL, 700, id, &a, &error));
        ck_assert(pqt_history_last_item_change(read, NULL, 700, id, &b, &error));
        ck_assert(b.found && b.entry == id + 1);
        ck_assert_uint_eq(a.entry, b.entry);
        ck_assert_uint_eq(a.steps, b.steps);
    }
    pqt_history_destroy(&read);
    pqt_history_destroy(&history);
    free(file.bytes);
}
END_TEST

START_TEST(an_index_over_versions_with_different_bounds_is_refused)
{
    pqt_error error = {0};
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.indexed = true;
    pqt_history *history = history_of(small_tree_of(1, arena, &error), false);
    push(history, small_tree_of(2, arena, &error), "another leaf capacity");
    byte_buffer file = bytes_of_history(history);
    ck_assert_ptr_null(pqt_history_read(source, &file, &options, arena, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_MISMATCH);
    ck_assert_msg(strncmp(error.text, "entry 1: ", 9) == 0, "%s", error.text);
    error = (pqt_error){0};
    options.time = NAN;
    file.next = 0;
    ck_assert_ptr_null(pqt_history_read(source, &file, &options, arena, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
    ck_assert_uint_eq(file.next, 0);
    pqt_history_destroy(&history);
    free(file.bytes);
}
END_TEST

START_TEST(options_of_a_history_in_a_file_are_checked)
{
    char path[200];
    pqt_error error = {0};
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    const store_folder folder = make_store_folder();
    pqt_history *history = history_of(small_tree_of(1, arena, &error), false);
    push(history, small_tree_of(2, arena, &error), "another leaf capacity");
    snprintf(path, sizeof path, "%s/h.pqt", folder.name);
    ck_assert_msg(pqt_history_save_file(history, path, &error), "%s", error.text);
    options.indexed = true;
    ck_assert_ptr_null(pqt_history_load_file(path, &options, arena, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_MISMATCH);
    error = (pqt_error){0};
    options.time = NAN;
    ck_assert_ptr_null(pqt_history_load_file(path, &options, arena, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
    unlink(path);
    remove_store_folder(&folder);
    pqt_history_destroy(&history);
}
END_TEST

/* ---- Refusals ---- */

static void
expect_unwritable(const pqt_history *history, pqt_status status, const char *text)
{
    byte_buffer file = {0};
    pqt_error error = {0};
    const bool written = pqt_history_write(history, sink, &file, &error);
    ck_assert_msg(!written && error.status == status && strstr(error.text, text) != NULL, "%s",
                  error.text);
    free(file.bytes);
    error = (pqt_error){0};
    ck_assert(!pqt_history_save_file(history, "no-folder/h.pqt", &error));
    ck_assert_int_eq(error.status, status);
}

START_TEST(histories_that_no_bytes_can_hold_are_refused)
{
    pqt_error error = {0};
    pqt_history_kind numbers = *pqt_history_kind_of(PQT_KIND_TREE);
    pqt_history *history = history_of(small_tree(8), false);
    pqt_history_begin(history, "group");
    expect_unwritable(history, PQT_ERROR_MISMATCH, "a group of the history is open");
    pqt_history_end(history);
    history->next_number = (uint64_t)INT64_MAX + 1;
    expect_unwritable(history, PQT_ERROR_LIMIT,
                      "no entry can have a higher number than 9223372036854775807");
    pqt_history_destroy(&history);
    numbers.name = "numbers";
    numbers.bytes = NULL;
    numbers.equals = NULL;
    history = pqt_history_make(&numbers, small_tree(8), NULL, &error);
    expect_unwritable(history, PQT_ERROR_OPTION,
                      "the history holds numbers, which no file can hold");
    pqt_history_destroy(&history);
}
END_TEST

#if PQT_WITH_COLLECTOR
START_TEST(a_later_version_whose_ids_are_pointers_is_refused)
{
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    ck_assert(pqt_init(&error));
    options.memory = pqt_collector();
    pqt_history *history = history_of(pqt_tree_make(world_box, &options, &error), false);
    options.ids_are_pointers = true;
    push(history, pqt_tree_make(world_box, &options, &error), "Pointers");
    byte_buffer file = {0};
    ck_assert(!pqt_history_write(history, sink, &file, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
    pqt_history_destroy(&history);
    free(file.bytes);
}
END_TEST
#endif

START_TEST(a_history_is_not_taken_for_a_version_or_the_other_way_round)
{
    pqt_error error = {0};
    pqt_history *history = history_of(small_tree(8), false);
    byte_buffer file = bytes_of_history(history);
    byte_buffer tree = bytes_of(pqt_history_value(history));
    ck_assert_int_eq(pqt_bytes_kind_of(file.bytes, file.length), PQT_KIND_OTHER);
    ck_assert(!pqt_is_history(tree.bytes, tree.length));
    ck_assert(pqt_is_history(file.bytes, PQT_BYTES_HEAD));
    ck_assert(!pqt_is_history(file.bytes, PQT_BYTES_HEAD - 1) && !pqt_is_history(NULL, 0));
    ck_assert_ptr_null(pqt_tree_read(source, &file, arena, &error));
    ck_assert_str_eq(error.text, "byte 16: section HIST: expected a tree (TREE), found a history");
    expect_refusal(&tree, "byte 16: section TREE: expected a history (HIST), found a tree");
    pqt_history_destroy(&history);
    free(file.bytes);
    free(tree.bytes);
}
END_TEST

START_TEST(bytes_after_a_history_are_left_to_the_caller_but_not_in_a_file)
{
    char path[200];
    pqt_error error = {0};
    const store_folder folder = make_store_folder();
    pqt_history *history = varied_history(0, FEW, arena), *read;
    snprintf(path, sizeof path, "%s/h.pqt", folder.name);
    ck_assert_msg(pqt_history_save_file(history, path, &error), "%s", error.text);
    read = pqt_history_load_file(path, NULL, arena, &error);
    ck_assert_msg(read != NULL, "%s", error.text);
    require_same_history(history, read);
    pqt_history_destroy(&read);
    FILE *file = fopen(path, "ab");
    ck_assert(file != NULL && fputc(0, file) == 0);
    const long length = ftell(file);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_ptr_null(pqt_history_load_file(path, NULL, arena, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_FORMAT);
    ck_assert_uint_eq(error.index, (size_t)length - 1);
    ck_assert_msg(strstr(error.text, ": bytes follow the history") != NULL, "%s", error.text);
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_history_load_file(folder.name, NULL, arena, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_STREAM);
    error = (pqt_error){0};
    ck_assert(!pqt_history_save_file(history, folder.name, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_STREAM);
    unlink(path);
    remove_store_folder(&folder);
    pqt_history_destroy(&history);
}
END_TEST

/* ---- Damage ---- */

START_TEST(a_history_with_any_bit_flipped_is_refused)
{
    pqt_history *history = varied_history((unsigned)_i, FEW, arena);
    byte_buffer file = bytes_of_history(history);
    for (size_t at = 0; at < file.length; at += test_stride()) {
        const uint8_t bit = (uint8_t)(1 << at % 8);
        file.bytes[at] ^= bit;
        expect_refusal(&file, NULL);
        file.bytes[at] ^= bit;
    }
    pqt_history_destroy(&history);
    free(file.bytes);
}
END_TEST

START_TEST(a_history_cut_at_any_length_is_refused)
{
    pqt_history *history = varied_history((unsigned)_i, FEW, arena);
    byte_buffer file = bytes_of_history(history);
    const size_t whole = file.length;
    for (file.length = 0; file.length < whole; file.length += test_stride())
        expect_refusal(&file, NULL);
    pqt_history_destroy(&history);
    free(file.bytes);
}
END_TEST

/* Each byte is changed, and the checksums are corrected. A history that is read can be written, and
   read again. */
START_TEST(a_sealed_history_with_any_byte_changed_is_refused_or_holds_another_valid_history)
{
    pqt_history *history = varied_history((unsigned)_i, FEW, arena);
    byte_buffer sound = bytes_of_history(history), file = {0};
    dice d = {test_seed("a_sealed_history_with_any_byte_changed") + (uint64_t)_i};
    for (size_t at = 0; at < sound.length; at += test_stride()) {
        pqt_error error = {0};
        pqt_memory *memory = pqt_arena_make(0, NULL);
        file.length = file.next = 0;
        sink(sound.bytes, sound.length, &file);
        file.bytes[at] ^= at % 2 == 0 ? (uint8_t)(1 + dice_below(&d, 255)) : 0x80;
        seal(&file);
        pqt_history *read = pqt_history_read(source, &file, NULL, memory, &error);
        if (read != NULL) {
            byte_buffer first = bytes_of_history(read);
            pqt_history *again = read_history(&first, NULL, memory);
            require_same_history(read, again);
            pqt_history_destroy(&again);
            free(first.bytes);
        } else {
            ck_assert_msg(error.status == PQT_ERROR_FORMAT, "%s", error.text);
        }
        pqt_history_destroy(&read);
        pqt_arena_destroy(&memory);
    }
    pqt_history_destroy(&history);
    free(sound.bytes);
    free(file.bytes);
}
END_TEST

/* Faults that a faulty writer can make: the records of a history are changed before it is
   written. */
typedef struct fault {
    void (*damage)(pqt_history *history);
    const char *text;
} fault;

static void
set_infinite_time(pqt_history *history)
{
    history->records[2].time = INFINITY;
}

static void
set_early_time(pqt_history *history)
{
    history->records[2].time = 0.5;
}

static void
set_high_number(pqt_history *history)
{
    history->records[4].number = 9;
}

static void
set_first_number(pqt_history *history)
{
    history->records[0].number = 1;
    history->records[1].number = 2;
    history->records[2].number = 3;
}

static void
set_own_parent(pqt_history *history)
{
    history->records[3].parent = 3;
}

static void
set_later_parent(pqt_history *history)
{
    history->records[1].parent = 3;
}

static void
set_raw_label(pqt_history *history)
{
    history->records[1].label = "a\nb";
}

static void
set_raw_name(pqt_history *history)
{
    history->records[1].name = "\xff";
}

static void
set_equal_names(pqt_history *history)
{
    history->records[1].name = history->records[4].name = "same";
}

static void
set_missing_mark(pqt_history *history)
{
    history->next_number = 4;
    history->count = 4;
}

static void
set_low_next(pqt_history *history)
{
    history->next_number = 4;
}

static const fault faults[] = {
    {set_infinite_time, "section NTRY: entry 2: its time is not finite, or is -0.0"},
    {set_early_time, "entry 2: its time is before that of its parent"},
    {set_high_number, "entry 3: the number of the next entry is out of range"},
    {set_first_number, "entry 0: it is the first one, but its number is not 0"},
    {set_own_parent, "entry 3: its parent is missing"},
    {set_later_parent, "entry 1: its parent is missing"},
    {set_raw_label, "entry 1: its label is not text"},
    {set_raw_name, "entry 1: its name is not text"},
    {set_equal_names, "entry 4: an earlier entry has its name"},
    {set_missing_mark, "byte 16: section HIST: the current entry is missing (4)"},
    {set_low_next, "section HIST: 5 entries, and the number of the next one is 4"},
};

START_TEST(each_fault_of_an_entry_is_named)
{
    pqt_history *history = forked(small_tree(8));
    faults[_i].damage(history);
    byte_buffer file = bytes_of_history(history);
    expect_refusal(&file, faults[_i].text);
    pqt_history_destroy(&history);
    free(file.bytes);
}
END_TEST

START_TEST(a_redo_link_is_read_unless_it_leads_to_the_newest_child)
{
    pqt_history *history = forked(small_tree(8));
    ck_assert_uint_eq(history->records[1].last, 3);
    go(history, 2);
    ck_assert_uint_eq(history->records[1].redo, 2);
    byte_buffer file = bytes_of_history(history);
    pqt_history *read = read_history(&file, NULL, arena);
    ck_assert(pqt_history_undo(read) && pqt_history_redo(read));
    ck_assert_uint_eq(pqt_history_current(read), 2);
    pqt_history_destroy(&read);
    pqt_history_destroy(&history);
    free(file.bytes);
}
END_TEST

/* ---- Failures ---- */

START_TEST(a_failed_allocation_while_writing_is_reported)
{
    pqt_history *history = varied_history((unsigned)_i, FEW, arena);
    bool written = false;
    for (size_t fail_at = 1; !written; fail_at++) {
        byte_buffer file = {0};
        pqt_error error = {0};
        hooks watch = {.fail_at = fail_at};
        hooks_start(&watch);
        written = pqt_history_write(history, sink, &file, &error);
        hooks_stop();
        ck_assert_int_eq(written, watch.failures == 0);
        ck_assert_msg(written || error.status == PQT_ERROR_MEMORY, "%s", error.text);
        free(file.bytes);
    }
    pqt_history_destroy(&history);
}
END_TEST

/* Without an index, and with one if the history is of trees. */
static void
fail_each_allocation(byte_buffer *file, bool indexed, const pqt_history *expected)
{
    pqt_history *read = NULL;
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.indexed = indexed;
    for (size_t fail_at = 1; read == NULL; fail_at++) {
        pqt_error error = {0};
        hooks watch = {.fail_at = fail_at};
        file->next = 0;
        hooks_start(&watch);
        read = pqt_history_read(source, file, &options, arena, &error);
        hooks_stop();
        ck_assert_int_eq(read != NULL, watch.failures == 0);
        ck_assert_msg(read != NULL || error.status == PQT_ERROR_MEMORY, "%s", error.text);
    }
    require_same_history(expected, read);
    pqt_history_destroy(&read);
}

START_TEST(a_failed_allocation_while_reading_is_reported)
{
    pqt_history *history = varied_history((unsigned)_i, FEW, arena);
    byte_buffer file = bytes_of_history(history);
    fail_each_allocation(&file, false, history);
    if (history->versions == PQT_KIND_TREE)
        fail_each_allocation(&file, true, history);
    pqt_history_destroy(&history);
    free(file.bytes);
}
END_TEST

START_TEST(a_failed_allocation_of_a_file_is_reported)
{
    char path[200];
    const store_folder folder = make_store_folder();
    pqt_history *history = varied_history(0, FEW, arena), *read = NULL;
    bool saved = false;
    snprintf(path, sizeof path, "%s/h.pqt", folder.name);
    for (size_t fail_at = 1; read == NULL; fail_at++) {
        pqt_error error = {0};
        hooks watch = {.fail_at = fail_at};
        hooks_start(&watch);
        if (saved)
            read = pqt_history_load_file(path, NULL, arena, &error);
        else
            saved = pqt_history_save_file(history, path, &error);
        hooks_stop();
        ck_assert_msg(watch.failures == (error.status == PQT_ERROR_MEMORY), "%s", error.text);
        ck_assert_int_eq(access(path, F_OK) == 0, saved);
        fail_at = saved && error.status == PQT_OK ? 0 : fail_at;
    }
    require_same_history(history, read);
    pqt_history_destroy(&read);
    pqt_history_destroy(&history);
    unlink(path);
    remove_store_folder(&folder);
}
END_TEST

START_TEST(a_failed_callback_is_reported)
{
    pqt_history *history = varied_history((unsigned)_i, FEW, arena);
    byte_buffer file = bytes_of_history(history);
    const size_t writes = file.calls;
    for (size_t call = 1; call <= writes; call++) {
        byte_buffer failing = {.failing = call};
        pqt_error error = {0};
        ck_assert(!pqt_history_write(history, sink, &failing, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_CALLBACK);
        ck_assert_uint_eq(failing.calls, call);
        free(failing.bytes);
    }
    file.calls = file.next = 0;
    pqt_history *read = read_history(&file, NULL, arena);
    pqt_history_destroy(&read);
    const size_t reads = file.calls;
    for (file.failing = 1; file.failing <= reads; file.failing++) {
        pqt_error error = {0};
        file.calls = file.next = 0;
        ck_assert_ptr_null(pqt_history_read(source, &file, NULL, arena, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_CALLBACK);
    }
    pqt_history_destroy(&history);
    free(file.bytes);
}
END_TEST

static size_t
bytes_to_read(byte_buffer *file)
{
    pqt_error error = {0};
    pqt_memory *memory = pqt_arena_make(0, NULL);
    hooks watch = {0};
    file->next = 0;
    hooks_start(&watch);
    pqt_history *read = pqt_history_read(source, file, NULL, memory, &error);
    hooks_stop();
    size_t bytes = 0;
    for (int kind = 0; kind < HOOKS_KINDS; kind++)
        bytes += watch.bytes[kind];
    pqt_history_destroy(&read);
    pqt_arena_destroy(&memory);
    return bytes;
}

/* Each number in a short history is replaced by a large one. */
START_TEST(a_short_history_with_large_numbers_makes_the_reader_allocate_little)
{
    pqt_history *history = varied_history((unsigned)_i, FEW, arena);
    byte_buffer sound = bytes_of_history(history), file = {0};
    for (size_t at = 16; at + 4 <= sound.length; at += test_stride()) {
        file.length = 0;
        sink(sound.bytes, sound.length, &file);
        pqti_store_le(file.bytes + at, at % 2 == 0 ? 0x0fffffff : 0x000fffff, 4);
        seal(&file);
        ck_assert_uint_lt(bytes_to_read(&file), 4000000);
    }
    pqt_history_destroy(&history);
    free(sound.bytes);
    free(file.bytes);
}
END_TEST

/* An entry copies a leaf with as many items as a leaf may have. */
START_TEST(an_entry_of_few_bytes_keeps_a_leaf_and_a_path)
{
    enum { ENTRIES = 1000 };
    const pqt_tree *tree = small_tree(PQT_MAX_CAPACITY);
    for (uint64_t id = 1; id < PQT_MAX_CAPACITY; id++)
        tree = inserted(tree, dot(0, 0, id));
    pqt_history *history = history_of(tree, false);
    byte_buffer file = bytes_of_history(history);
    const size_t bytes = file.length;
    free(file.bytes);
    for (uint64_t i = 0; i < ENTRIES; i++) {
        tree = i % 2 == 0 ? inserted(tree, dot(0, 0, 0)) : removed(tree, dot(0, 0, 0));
        push(history, tree, "");
    }
    file = bytes_of_history(history);
    pqt_history *read = read_history(&file, NULL, arena);
    const size_t of_entry = (file.length - bytes) / ENTRIES;
    const size_t kept = pqt_history_get_stats(read).bytes / ENTRIES;
    printf("# an entry of %zu bytes keeps %zu\n", of_entry, kept);
    ck_assert_uint_lt(of_entry, 30);
    ck_assert_uint_lt(kept, 45000);
    pqt_history_destroy(&read);
    pqt_history_destroy(&history);
    free(file.bytes);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("history_bytes");
    TCase *kinds = add_tests(suite, "kinds");
    tcase_add_loop_test(kinds, a_history_of_each_kind_is_read_as_it_was, 0, STORED_KINDS);
    tcase_add_loop_test(
        kinds, a_cycle_at_each_allocation_frees_no_version_of_a_history_that_is_read_or_written, 0,
        STORED_KINDS);
#if PQT_WITH_COLLECTOR
    tcase_add_loop_test(kinds, a_history_is_read_into_the_collector, 0, STORED_KINDS);
#endif
    tcase_add_loop_test(kinds,
                        the_versions_of_a_history_that_was_read_share_as_many_bytes_as_before, 0,
                        STORED_KINDS);
#if PQT_WITH_SQLITE
    tcase_add_loop_test(kinds, a_history_in_a_store_gives_the_bytes_that_it_gave_in_memory, 0,
                        STORED_KINDS);
#endif
    TCase *sizes = add_tests(suite, "sizes");
    tcase_add_test(sizes, a_change_of_several_sections_is_read_as_it_was);
#if PQT_WITH_SQLITE
    tcase_add_test(sizes, a_version_of_one_move_takes_a_fraction_of_its_bytes_in_a_store);
#endif
    tcase_add_loop_test(sizes, a_history_of_several_blocks_is_read_as_it_was, 0, 4);
    TCase *use = add_tests(suite, "use");
    tcase_add_test(use, a_push_after_reading_adds_an_entry_with_the_next_number);
    tcase_add_test(use, limits_hold_for_pushes_after_reading);
    tcase_add_test(use, an_index_of_a_history_that_was_read_answers_as_before);
    tcase_add_test(use, an_index_over_versions_with_different_bounds_is_refused);
    tcase_add_test(use, options_of_a_history_in_a_file_are_checked);
    tcase_add_test(use, a_redo_link_is_read_unless_it_leads_to_the_newest_child);
    TCase *refused = add_tests(suite, "refused");
    tcase_add_test(refused, histories_that_no_bytes_can_hold_are_refused);
#if PQT_WITH_COLLECTOR
    tcase_add_test(refused, a_later_version_whose_ids_are_pointers_is_refused);
#endif
    tcase_add_test(refused, a_history_is_not_taken_for_a_version_or_the_other_way_round);
    tcase_add_test(refused, bytes_after_a_history_are_left_to_the_caller_but_not_in_a_file);
    TCase *damage = add_tests(suite, "damage");
    tcase_add_loop_test(damage, a_history_with_any_bit_flipped_is_refused, 0, STORED_KINDS);
    tcase_add_loop_test(damage, a_history_cut_at_any_length_is_refused, 0, STORED_KINDS);
    tcase_add_loop_test(
        damage, a_sealed_history_with_any_byte_changed_is_refused_or_holds_another_valid_history, 0,
        STORED_KINDS);
    tcase_add_loop_test(damage, a_short_history_with_large_numbers_makes_the_reader_allocate_little,
                        0, STORED_KINDS);
    tcase_add_test(damage, an_entry_of_few_bytes_keeps_a_leaf_and_a_path);
    tcase_add_loop_test(damage, each_fault_of_an_entry_is_named, 0, sizeof faults / sizeof *faults);
    TCase *failures = add_tests(suite, "failures");
    tcase_add_loop_test(failures, a_failed_allocation_while_writing_is_reported, 0, STORED_KINDS);
    tcase_add_loop_test(failures, a_failed_allocation_while_reading_is_reported, 0, STORED_KINDS);
    tcase_add_test(failures, a_failed_allocation_of_a_file_is_reported);
    tcase_add_loop_test(failures, a_failed_callback_is_reported, 0, STORED_KINDS);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
