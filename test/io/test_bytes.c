/* SPDX-License-Identifier: MIT */
/*
 * test_bytes.c: tests versions as bytes: what is written and read back, and which files are
 * refused.
 *
 * docs/format.md contains a worked example in hexadecimal, which is compared byte by byte with the
 * output of the code.
 */
#include "config.h"

#include <ctype.h>
#include <stdio.h>

#include "bytes_support.h"
#include "hooks.h"
#include "io/columns.h"
#include "io/section.h"
#include "misuse.h"
#include "suite.h"
#include "tree_bounds.h"

static pqt_memory *arena;

static void
open_arena(void)
{
    arena = pqt_arena_make(0, NULL);
    ck_assert_ptr_nonnull(arena);
}

static void
close_arena(void)
{
    pqt_arena_destroy(&arena);
}

static const pqt_tree *
random_tree(dice *d, size_t count, pqt_memory *memory)
{
    const pqt_box bounds = {{-100, -50}, {1000, 3000}};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    pqt_item *items = malloc((count + 1) * sizeof *items);
    ck_assert_ptr_nonnull(items);
    options.memory = memory;
    options.leaf_capacity = 1 + (int)dice_below(d, 30);
    options.max_depth = (int)dice_below(d, 33);
    options.unique_ids = dice_chance(d, 50);
    for (size_t i = 0; i < count; i++)
        items[i] = (pqt_item){draw_box(d, bounds, BOXES_MIXED), dice_below(d, 2 * count)};
    const pqt_tree *tree = pqt_tree_make(bounds, &options, &error);
    tree = pqt_tree_insert_all(tree, items, count, &error);
    ck_assert_msg(tree != NULL, "%s", error.text);
    free(items);
    return tree;
}

static void
expect_round_trip(any_version given, pqt_memory *memory)
{
    pqt_error error = {0};
    byte_buffer file = bytes_of(given.version);
    const void *read = pqt_version_read(given.kind, source, &file, memory, &error);
    ck_assert_msg(read != NULL, "%s", error.text);
    ck_assert_msg(pqt_version_check(read, &error), "%s", error.text);
    ck_assert(pqt_version_equals(given.version, read));
    ck_assert_uint_eq(file.next, file.length);
    byte_buffer again = bytes_of(read);
    ck_assert_uint_eq(again.length, file.length);
    ck_assert_mem_eq(again.bytes, file.bytes, file.length);
    free(again.bytes);
    free(file.bytes);
}

/* ---- Reading back ---- */

START_TEST(every_kind_of_version_is_read_back_unchanged)
{
    pqt_error error = {0};
    const any_version given = small_version((unsigned)_i, arena, &error);
    ck_assert_msg(given.version != NULL, "%s", error.text);
    expect_round_trip(given, arena);
}
END_TEST

START_TEST(random_trees_are_read_back_unchanged_from_arenas)
{
    dice d = {test_seed("random_trees_are_read_back_unchanged_from_arenas") + (uint64_t)_i};
    expect_round_trip((any_version){PQT_KIND_TREE, random_tree(&d, dice_below(&d, 9000), arena)},
                      arena);
}
END_TEST

#if PQT_WITH_COLLECTOR
START_TEST(a_tree_of_the_collector_has_the_bytes_of_an_arenas_tree)
{
    dice a = {5}, b = {5};
    byte_buffer first = bytes_of(random_tree(&a, 5000, arena));
    const pqt_tree *collected = random_tree(&b, 5000, NULL);
    byte_buffer second = bytes_of(collected);
    ck_assert_uint_eq(first.length, second.length);
    ck_assert_mem_eq(first.bytes, second.bytes, first.length);
    expect_round_trip((any_version){PQT_KIND_TREE, collected}, NULL);
    free(first.bytes);
    free(second.bytes);
}
END_TEST

START_TEST(a_collector_that_runs_at_each_allocation_loses_no_node_that_is_read)
{
    pqt_error error = {0};
    const any_version given = small_version((unsigned)_i, arena, &error);
    byte_buffer file = bytes_of(given.version);
    hooks watch = {.collect_every = 1, .memory = pqt_collector()};
    ck_assert(pqt_init(&error));
    hooks_start(&watch);
    const void *read = pqt_version_read(given.kind, source, &file, NULL, &error);
    hooks_stop();
    ck_assert_msg(read != NULL, "%s", error.text);
    ck_assert(pqt_version_check(read, &error) && pqt_version_equals(given.version, read));
    free(file.bytes);
}
END_TEST
#endif

START_TEST(the_order_of_edits_does_not_show_in_the_bytes)
{
    pqt_error error = {0};
    dice d = {77};
    pqt_item items[60];
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = arena;
    const pqt_tree *up = pqt_tree_make((pqt_box){{0, 0}, {30, 30}}, &options, &error);
    const pqt_tree *down = up;
    for (uint64_t i = 0; i < 60; i++)
        items[i] = small_item(&d, i);
    for (int i = 0; i < 60; i++) {
        up = pqt_tree_insert(up, items[i], &error);
        down = pqt_tree_insert(down, items[59 - i], &error);
    }
    byte_buffer a = bytes_of(up), b = bytes_of(down);
    ck_assert_uint_eq(a.length, b.length);
    ck_assert_mem_eq(a.bytes, b.bytes, a.length);
    free(a.bytes);
    free(b.bytes);
}
END_TEST

/* Keys and values have random sizes. Values of up to 200,000 bytes take several sections. */
START_TEST(random_maps_are_read_back_unchanged)
{
    static uint8_t bytes[200000];
    dice d = {test_seed("random_maps_are_read_back_unchanged") + (uint64_t)_i};
    pqt_error error = {0};
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = arena;
    options.keys = _i % 2 == 0 ? PQT_MAP_IDS : PQT_MAP_BYTE_KEYS;
    options.values = _i / 2 % 2 == 0 ? PQT_MAP_NUMBERS : PQT_MAP_BYTE_VALUES;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)dice_next(&d);
    const pqt_map *map = pqt_map_make(&options, &error);
    for (size_t i = 0, count = dice_below(&d, 5000); i < count; i++) {
        const size_t from = dice_below(&d, 1000), length = dice_below(&d, PQT_MAX_MAP_KEY + 1);
        const size_t size = dice_below(&d, i % 1000 == 7 ? sizeof bytes : 9);
        const pqt_map_key key = options.keys == PQT_MAP_IDS
                                    ? pqt_map_id(dice_below(&d, 100000))
                                    : pqt_map_byte_key(bytes + from, length);
        const pqt_map_value value = options.values == PQT_MAP_NUMBERS
                                        ? pqt_map_number(dice_next(&d))
                                        : pqt_map_bytes(bytes, size);
        map = pqt_map_insert(map, key, value, &error);
    }
    ck_assert_msg(map != NULL, "%s", error.text);
    expect_round_trip((any_version){PQT_KIND_MAP, map}, arena);
}
END_TEST

START_TEST(the_order_of_edits_of_a_map_does_not_show_in_the_bytes)
{
    enum { ENTRIES = 3000 };
    pqt_error error = {0};
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = arena;
    const pqt_map *up = pqt_map_make(&options, &error), *down = up;
    for (uint64_t i = 0; i < ENTRIES; i++) {
        up = pqt_map_insert(up, pqt_map_id(i), pqt_map_number(i / 7), &error);
        down = pqt_map_insert(down, pqt_map_id(ENTRIES - 1 - i),
                              pqt_map_number((ENTRIES - 1 - i) / 7), &error);
    }
    byte_buffer a = bytes_of(up), b = bytes_of(down);
    ck_assert_uint_eq(a.length, b.length);
    ck_assert_mem_eq(a.bytes, b.bytes, a.length);
    /* 2 bytes for an id, 2 for a number, and the headers */
    ck_assert_uint_lt(a.length, ENTRIES * 5);
    free(a.bytes);
    free(b.bytes);
}
END_TEST

START_TEST(an_interned_region_has_the_same_bytes)
{
    pqt_error error = {0};
    const pqt_region *region = small_region(3, arena, &error);
    const pqt_region *interned = pqt_region_intern(region, &error);
    ck_assert_ptr_ne(region, interned);
    byte_buffer a = bytes_of(region), b = bytes_of(interned);
    ck_assert_uint_eq(a.length, b.length);
    ck_assert_mem_eq(a.bytes, b.bytes, a.length);
    free(a.bytes);
    free(b.bytes);
}
END_TEST

/* Sets every second pixel, by doubling. */
START_TEST(a_chessboard_of_a_million_squares_takes_less_than_a_kilobyte)
{
    pqt_error error = {0};
    const pqt_region *board = pqt_region_make(arena, &error);
    board = pqt_region_paint(board, pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){0, 0}), &error);
    board = pqt_region_union(board, board, (pqt_pixel){1, 1}, &error);
    for (int32_t side = 2; side < 65536; side *= 2) {
        board = pqt_region_union(board, board, (pqt_pixel){side, 0}, &error);
        board = pqt_region_union(board, board, (pqt_pixel){0, side}, &error);
        board = pqt_region_intern(board, &error);
    }
    byte_buffer file = bytes_of(board);
    ck_assert_uint_lt(file.length, 1024);
    const pqt_region *read = pqt_region_read(source, &file, arena, &error);
    ck_assert_msg(read != NULL, "%s", error.text);
    ck_assert_uint_eq(pqt_region_count(read), UINT64_C(1) << 31);
    free(file.bytes);
}
END_TEST

START_TEST(points_with_consecutive_ids_take_less_than_half_of_the_raw_numbers)
{
    enum { COUNT = 20000 };
    static pqt_item items[COUNT];
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    dice d = {3};
    options.memory = arena;
    for (uint64_t i = 0; i < COUNT; i++) {
        const pqt_vec at = {dice_real(&d) * 100, dice_real(&d) * 100};
        items[i] = (pqt_item){{at, at}, i};
    }
    byte_buffer file = bytes_of(pqt_tree_of(items, COUNT, &options, &error));
    ck_assert_uint_lt(file.length, (size_t)COUNT * 20);
    free(file.bytes);
}
END_TEST

/* ---- The format ---- */

/* Returns the bytes of the first hexadecimal block after a heading in docs/format.md. */
static size_t
documented_bytes(const char *heading, uint8_t *bytes, size_t capacity)
{
    char name[4096], line[512];
    const char *top = getenv("srcdir");
    snprintf(name, sizeof name, "%s/docs/format.md", top != NULL ? top : "..");
    FILE *file = fopen(name, "r");
    ck_assert_msg(file != NULL, "%s", name);
    size_t count = 0;
    int state = 0; /* 0: before the heading, 1: before the block, 2: in it, 3: after it */
    while (state < 3 && fgets(line, sizeof line, file) != NULL) {
        if (state == 0 && strncmp(line, heading, strlen(heading)) == 0)
            state = 1;
        else if (state > 0 && strncmp(line, "```", 3) == 0)
            state++;
        else if (state == 2)
            for (char *at = line; isxdigit((unsigned char)at[0]) && isxdigit((unsigned char)at[1]);
                 at += at[2] == ' ' ? 3 : 2) {
                ck_assert_uint_lt(count, capacity);
                bytes[count++] = (uint8_t)strtoul((char[]){at[0], at[1], '\0'}, NULL, 16);
            }
    }
    fclose(file);
    return count;
}

static void
expect_documented(const char *heading, any_version given)
{
    static uint8_t bytes[4096];
    const size_t count = documented_bytes(heading, bytes, sizeof bytes);
    byte_buffer file = bytes_of(given.version);
    FILE *shown = getenv("PQT_SHOW_BYTES") != NULL ? stderr : NULL;
    for (size_t i = 0; shown != NULL && i < file.length; i++)
        fprintf(shown, "%02x%c", file.bytes[i], i % 16 == 15 ? '\n' : ' ');
    ck_assert_uint_eq(count, file.length);
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(bytes[i] == file.bytes[i], "byte %zu is %02x, documented %02x", i,
                      file.bytes[i], bytes[i]);
    free(file.bytes);
}

START_TEST(the_documented_tree_is_written_byte_for_byte)
{
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = arena;
    const pqt_tree *tree = pqt_tree_make((pqt_box){{0, 0}, {100, 100}}, &options, &error);
    tree = pqt_tree_insert(tree, (pqt_item){{{10, 20}, {30, 30}}, 1}, &error);
    tree = pqt_tree_insert(tree, (pqt_item){{{40, 60}, {70, 80}}, 2}, &error);
    expect_documented("### A tree of two items", (any_version){PQT_KIND_TREE, tree});
}
END_TEST

START_TEST(the_documented_map_is_written_byte_for_byte)
{
    pqt_error error = {0};
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = arena;
    options.keys = PQT_MAP_BYTE_KEYS;
    const pqt_map *map = pqt_map_make(&options, &error);
    map = pqt_map_insert(map, pqt_map_text("oak"), pqt_map_number(300), &error);
    map = pqt_map_insert(map, pqt_map_text("ash"), pqt_map_number(120), &error);
    expect_documented("### A map of two names", (any_version){PQT_KIND_MAP, map});
}
END_TEST

START_TEST(the_documented_document_is_written_byte_for_byte)
{
    pqt_error error = {0};
    pqt_tree_options unique = PQT_TREE_DEFAULTS;
    pqt_map_options numbers = PQT_MAP_DEFAULTS;
    unique.memory = numbers.memory = arena;
    unique.unique_ids = true;
    const pqt_tree *shapes = pqt_tree_make((pqt_box){{0, 0}, {100, 100}}, &unique, &error);
    const pqt_item item = {{{10, 20}, {30, 30}}, 1};
    const pqt_map *colours = pqt_map_make(&numbers, &error);
    const pqt_part parts[] = {
        {"shapes", PQT_KIND_TREE, pqt_tree_insert(shapes, item, &error), NULL},
        {"colours", PQT_KIND_MAP,
         pqt_map_insert(colours, pqt_map_id(1), pqt_map_number(0xff8000), &error), "shapes"}};
    expect_documented("### A document of a shape and its colour",
                      (any_version){PQT_KIND_DOCUMENT, pqt_document_make(parts, 2, &error)});
}
END_TEST

START_TEST(the_documented_region_is_written_byte_for_byte)
{
    pqt_error error = {0};
    const pqt_region *region = pqt_region_make(arena, &error);
    region = pqt_region_paint(
        region, pqt_paint_box(PQT_PAINT_SET, (pqt_pixel_box){{0, 0}, {66, 9}}), &error);
    expect_documented("### A region of a box", (any_version){PQT_KIND_REGION, region});
}
END_TEST

START_TEST(the_documented_world_is_written_byte_for_byte)
{
    pqt_error error = {0};
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = arena;
    const pqt_world *empty = pqt_world_make((pqt_box){{0, 0}, {100, 100}}, &options, &error);
    const pqt_world *one = pqt_world_add(
        empty,
        (pqt_body){.id = 7, .position = {20, 30}, .velocity = {1, 0}, .radius = 2, .mass = 5},
        &error);
    expect_documented("### A world of one body", (any_version){PQT_KIND_WORLD, one});
}
END_TEST

START_TEST(the_checksum_is_crc_32c)
{
    static pqti_crc32c_tables tables;
    uint8_t bytes[32];
    pqti_crc32c_make_tables(&tables);
    ck_assert_uint_eq(pqti_crc32c(&tables, 0, "123456789", 9), 0xe3069283);
    memset(bytes, 0, sizeof bytes); /* the vectors of RFC 3720, appendix B.4 */
    ck_assert_uint_eq(pqti_crc32c(&tables, 0, bytes, 32), 0x8a9136aa);
    memset(bytes, 0xff, sizeof bytes);
    ck_assert_uint_eq(pqti_crc32c(&tables, 0, bytes, 32), 0x62a8ab43);
    for (int i = 0; i < 32; i++)
        bytes[i] = (uint8_t)i;
    ck_assert_uint_eq(pqti_crc32c(&tables, 0, bytes, 32), 0x46dd794e);
    for (size_t cut = 0; cut <= 32; cut++)
        ck_assert_uint_eq(
            pqti_crc32c(&tables, pqti_crc32c(&tables, 0, bytes, cut), bytes + cut, 32 - cut),
            0x46dd794e);
}
END_TEST

START_TEST(columns_of_any_words_are_decoded)
{
    enum { COLUMNS = 3, ROWS = 40 };
    dice d = {test_seed("columns_of_any_words_are_decoded") + (uint64_t)_i};
    uint64_t words[COLUMNS * ROWS], read[COLUMNS * ROWS];
    uint8_t bytes[COLUMNS * (10 + ROWS * 8) + 8];
    const size_t rows = 1 + dice_below(&d, ROWS);
    for (int c = 0; c < COLUMNS; c++) {
        const uint64_t first = dice_next(&d), mask = dice_next(&d) >> dice_below(&d, 64)
                                                                          << dice_below(&d, 64);
        for (int i = 0; i < ROWS; i++)
            words[c * ROWS + i] = first ^ (dice_next(&d) & mask);
    }
    const size_t length = pqti_columns_encode(words, ROWS, COLUMNS, rows, bytes);
    ck_assert_uint_le(length, pqti_columns_most(COLUMNS, rows));
    ck_assert_ptr_null(pqti_columns_decode(bytes, length, read, ROWS, COLUMNS, rows));
    for (size_t c = 0; c < COLUMNS; c++)
        ck_assert_mem_eq(&words[c * ROWS], &read[c * ROWS], rows * sizeof *words);
    ck_assert_ptr_nonnull(pqti_columns_decode(bytes, length - 1, read, ROWS, COLUMNS, rows));
}
END_TEST

START_TEST(a_section_that_may_be_skipped_is_skipped)
{
    pqt_error error = {0};
    const pqt_tree *tree = small_tree_of(2, arena, &error);
    byte_buffer file = bytes_of(tree), longer = {0};
    sink(file.bytes, 16, &longer);
    sink("note\5\0\0\0hello....", 17, &longer);
    sink(file.bytes + 16, file.length - 16, &longer);
    seal(&longer);
    const pqt_tree *read = pqt_tree_read(source, &longer, arena, &error);
    ck_assert_msg(read != NULL, "%s", error.text);
    ck_assert(pqt_tree_equals(tree, read));
    memcpy(longer.bytes + 16, "Note", 4);
    longer.next = 0;
    seal(&longer);
    ck_assert_ptr_null(pqt_tree_read(source, &longer, arena, &error));
    ck_assert_str_eq(error.text, "byte 16: section Note: expected section TREE");
    free(file.bytes);
    free(longer.bytes);
}
END_TEST

START_TEST(kinds_are_recognised_by_their_first_bytes)
{
    pqt_error error = {0};
    byte_buffer file = bytes_of(small_region(0, arena, &error));
    for (size_t count = 0; count < PQT_BYTES_HEAD; count++)
        ck_assert_int_eq(pqt_bytes_kind_of(file.bytes, count), PQT_KIND_NONE);
    ck_assert_int_eq(pqt_bytes_kind_of(file.bytes, PQT_BYTES_HEAD), PQT_KIND_REGION);
    memcpy(file.bytes + 16, "SOME", 4);
    ck_assert_int_eq(pqt_bytes_kind_of(file.bytes, file.length), PQT_KIND_OTHER);
    file.bytes[0] = 'P';
    ck_assert_int_eq(pqt_bytes_kind_of(file.bytes, file.length), PQT_KIND_NONE);
    ck_assert_int_eq(pqt_bytes_kind_of(NULL, 0), PQT_KIND_NONE);
    free(file.bytes);
}
END_TEST

/* ---- Refusals ---- */

/* A changed byte in a sealed file of a tree of 7 items, or a truncation of this file, and the
 * expected message. */
static const struct wrong_file {
    size_t at;
    uint8_t byte;
    const char *text;
} wrong_files[] = {
    {0, 'x', "byte 0: the data are not in the format of pqt"},
    {4, '\n', "byte 4: the line ends were changed, as if the file were text"},
    {8, 0, "byte 8: the format version is 0"},
    {8, 2, "byte 8: the format version is 2.0; this library reads 1"},
    {16, 'X', "byte 16: section XREE: expected section TREE"},
    {16, 0, "byte 16: no section begins here"},
    {20, 41, "byte 16: section TREE: the checksum is wrong"},
    {39, 0x80, "byte 16: section TREE: bounds: a number is -0.0"},
    {56, 200, "byte 68: section ITEM: a column is incomplete"},
    {59, 0xff, "byte 16: section TREE: 4278190087 items, the maximum is 536870911"},
    {60, 0, "byte 16: section TREE: leaf_capacity is 0, but must be 1 to 1024"},
    {62, 33, "byte 16: section TREE: max_depth is 33, but must be 0 to 32"},
    {63, 4, "byte 16: section TREE: flags have unknown bits (4)"},
};

START_TEST(a_wrong_byte_is_named_in_the_message)
{
    const struct wrong_file *wrong = &wrong_files[_i];
    pqt_error error = {0};
    byte_buffer file = bytes_of(small_tree_of(2, arena, &error));
    file.bytes[wrong->at] = wrong->byte;
    if (wrong->at != 20)
        seal(&file);
    ck_assert_ptr_null(pqt_tree_read(source, &file, arena, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_FORMAT);
    ck_assert_str_eq(error.text, wrong->text);
    ck_assert_uint_eq(error.index, strtoul(error.text + 5, NULL, 10));
    free(file.bytes);
}
END_TEST

/* The same for a sealed file of a map from byte keys to byte values. PMAP begins at 16, ENTR at
 * 38. */
static const struct wrong_file wrong_maps[] = {
    {24, 13, "byte 38: section ENTR: a column stores bytes that a word does not have"},
    {31, 0x7f, "byte 38: section ENTR: a column is incomplete"},
    {32, 0, "byte 16: section PMAP: keys is 0, not a pqt_map_keys"},
    {33, 3, "byte 16: section PMAP: values is 3, not a pqt_map_values"},
    {48, 33, "byte 38: section ENTR: a byte string is too long (33 bytes)"},
};

START_TEST(a_wrong_byte_of_a_map_is_named_in_the_message)
{
    const struct wrong_file *wrong = &wrong_maps[_i];
    pqt_error error = {0};
    byte_buffer file = bytes_of(small_map(3, arena, &error));
    file.bytes[wrong->at] = wrong->byte;
    seal(&file);
    ck_assert_ptr_null(pqt_map_read(source, &file, arena, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_FORMAT);
    ck_assert_str_eq(error.text, wrong->text);
    free(file.bytes);
}
END_TEST

/* The same for a sealed file of a world with one lasting contact of an awake body. `at` is counted
   from the number of contacts. */
static const struct wrong_file wrong_rests[] = {
    {0, 0, "section CONT: expected section IDLE"},
    {0, 2, "section CONT: "},
    {7, 255, ") or quiet bodies (1)"},
    {15, 255, "too many contacts (1) "},
    {23, 63, "gravity is stored for awake bodies"},
};

START_TEST(an_invalid_state_of_rest_is_named_in_the_message)
{
    const struct wrong_file *wrong = &wrong_rests[_i];
    pqt_error error = {0};
    byte_buffer file = bytes_of(small_world_of(1, arena, &error));
    size_t at = 0;
    while (memcmp(file.bytes + at, "REST", 4) != 0)
        ck_assert_uint_lt(++at, file.length - 4);
    file.bytes[at + 8 + wrong->at] = wrong->byte;
    seal(&file);
    ck_assert_ptr_null(pqt_world_read(source, &file, arena, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_FORMAT);
    ck_assert_msg(strstr(error.text, wrong->text) != NULL, "%s", error.text);
    free(file.bytes);
}
END_TEST

START_TEST(a_state_of_rest_without_contacts_and_bodies_is_refused)
{
    pqt_error error = {0};
    byte_buffer file = bytes_of(small_world_of(1, arena, &error));
    size_t at = 0;
    while (memcmp(file.bytes + at, "REST", 4) != 0)
        ck_assert_uint_lt(++at, file.length - 4);
    memset(file.bytes + at + 8, 0, 16);
    seal(&file);
    ck_assert_ptr_null(pqt_world_read(source, &file, arena, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_FORMAT);
    ck_assert_msg(strstr(error.text, ": section REST: there are neither contacts nor quiet bodies"),
                  "%s", error.text);
    free(file.bytes);
}
END_TEST

/* The same for a sealed file of a document. DOCU begins at 16, the first PART at 29, the second one
   after the map of colours. */
static const struct wrong_file wrong_documents[] = {
    {24, 0, "byte 16: section DOCU: 0 parts, not 1 to 16"},
    {24, 17, "byte 16: section DOCU: 17 parts, not 1 to 16"},
    {37, 5, "byte 29: section PART: 5 is not a kind of part"},
    {38, 9, "byte 29: section PART: part 0 is keyed by a part that does not exist"},
    {39, 7, "byte 29: section PART: the name of part 0 is invalid"},
};

START_TEST(a_wrong_byte_of_a_document_is_named_in_the_message)
{
    const struct wrong_file *wrong = &wrong_documents[_i];
    pqt_error error = {0};
    byte_buffer file = bytes_of(small_document(0, arena, &error));
    file.bytes[wrong->at] = wrong->byte;
    seal(&file);
    ck_assert_ptr_null(pqt_document_read(source, &file, arena, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_FORMAT);
    ck_assert_str_eq(error.text, wrong->text);
    free(file.bytes);
}
END_TEST

/* The same for a sealed file of small_world_of; the second form has an obstacle. WRLD begins at 16.
   The flags are at 62, and the position of the obstacle is at 64. The messages contain the number
   of the byte before these texts. */
static const struct wrong_world {
    unsigned form;
    struct wrong_file file;
} wrong_worlds[] = {
    {1, {62, 255, "section WRLD: flags have unknown bits (255)"}},
    {0, {71, 0x40, "section WRLD: there is no obstacle, but it has a position"}},
    {1,
     {71, 0x43, "section DONE: obstacle: at.x is 4.611686018427388e+18, not within 1048576 of 0"}},
    {1,
     {64, 1,
      "section DONE: the obstacle has no pixels, or its position is not a multiple of 1/1024"}},
};

/* Two parts whose names have one letter each: the later one comes first, or both have one name. */
START_TEST(a_document_with_unsorted_names_is_refused)
{
    pqt_error error = {0};
    const pqt_map *map = small_map(0, arena, &error);
    const pqt_part parts[] = {{"m", PQT_KIND_MAP, map, NULL}, {"n", PQT_KIND_MAP, map, NULL}};
    byte_buffer file = bytes_of(pqt_document_make(parts, 2, &error));
    size_t at = 0;
    while (memcmp(file.bytes + at, "PART", 4) != 0)
        at++;
    ck_assert_uint_eq(file.bytes[at + 10], 'm');
    file.bytes[at + 10] = _i == 0 ? 'n' : 'o';
    seal(&file);
    ck_assert_ptr_null(pqt_document_read(source, &file, arena, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_FORMAT);
    ck_assert_msg(strstr(error.text, ": the name of part 1 is not greater than the previous one") !=
                      NULL,
                  "%s", error.text);
    free(file.bytes);
}
END_TEST

START_TEST(a_wrong_byte_of_a_world_with_an_obstacle_is_named_in_the_message)
{
    const struct wrong_file *wrong = &wrong_worlds[_i].file;
    pqt_error error = {0};
    byte_buffer file = bytes_of(small_world_of(wrong_worlds[_i].form, arena, &error));
    file.bytes[wrong->at] = wrong->byte;
    seal(&file);
    ck_assert_ptr_null(pqt_world_read(source, &file, arena, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_FORMAT);
    const char *text = strstr(error.text, ": ");
    ck_assert_ptr_nonnull(text);
    ck_assert_str_eq(text + 2, wrong->text);
    free(file.bytes);
}
END_TEST

START_TEST(a_world_whose_obstacle_has_no_pixel_is_refused)
{
    enum { HEAD = 16, DONE = 28 };
    pqt_error error = {0};
    const pqt_world *made = small_world_of(1, arena, &error);
    byte_buffer file = bytes_of(made);
    byte_buffer old = bytes_of(pqt_world_get_obstacle(made).region);
    byte_buffer empty = bytes_of(small_region(0, arena, &error));
    byte_buffer spliced = {0};
    const size_t end = file.length - DONE, begin = end - (old.length - HEAD);
    ck_assert_mem_eq(file.bytes + begin, old.bytes + HEAD, old.length - HEAD);
    sink(file.bytes, begin, &spliced);
    sink(empty.bytes + HEAD, empty.length - HEAD, &spliced);
    sink(file.bytes + end, DONE, &spliced);
    ck_assert_ptr_null(pqt_world_read(source, &spliced, arena, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_FORMAT);
    ck_assert_msg(strstr(error.text, "the obstacle has no pixels") != NULL, "%s", error.text);
    free(file.bytes);
    free(old.bytes);
    free(empty.bytes);
    free(spliced.bytes);
}
END_TEST

START_TEST(a_document_with_a_key_without_an_item_is_refused)
{
    pqt_error error = {0};
    const pqt_document *document = small_document(0, arena, &error);
    const pqt_map *colours = pqt_map_insert(pqt_document_map(document, "colours"), pqt_map_id(77),
                                            pqt_map_number(1), &error);
    byte_buffer file = bytes_of(document);
    byte_buffer map = bytes_of(colours);
    byte_buffer old = bytes_of(pqt_document_map(document, "colours"));
    byte_buffer spliced = {0};
    const size_t begin = 29 + 12 + 2 + strlen("colours"), end = begin + old.length - 16;
    ck_assert_mem_eq(file.bytes + begin, old.bytes + 16, old.length - 16);
    sink(file.bytes, begin, &spliced);
    sink(map.bytes + 16, map.length - 16, &spliced);
    sink(file.bytes + end, file.length - end, &spliced);
    ck_assert_ptr_null(pqt_document_read(source, &spliced, arena, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.text, "colours: no item has the id 77, which is a key"));
    free(file.bytes);
    free(map.bytes);
    free(old.bytes);
    free(spliced.bytes);
}
END_TEST

START_TEST(a_map_with_unsorted_keys_is_refused)
{
    pqt_error error = {0};
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = arena;
    const pqt_map *map = pqt_map_make(&options, &error);
    map = pqt_map_insert(map, pqt_map_id(5), pqt_map_number(1), &error);
    map = pqt_map_insert(map, pqt_map_id(6), pqt_map_number(1), &error);
    byte_buffer file = bytes_of(map);
    ck_assert_uint_eq(file.bytes[48], 5); /* the first id */
    ck_assert_uint_eq(file.bytes[57], 3); /* 5 xor 6 */
    file.bytes[57] = 1;                   /* 5 and 4 */
    seal(&file);
    ck_assert_ptr_null(pqt_map_read(source, &file, arena, &error));
    ck_assert_str_eq(error.text,
                     "byte 38: section ENTR: key 1 is not greater than the previous one");
    free(file.bytes);
}
END_TEST

START_TEST(a_region_is_not_read_as_a_tree)
{
    pqt_error error = {0};
    byte_buffer file = bytes_of(small_region(1, arena, &error));
    ck_assert_ptr_null(pqt_tree_read(source, &file, arena, &error));
    ck_assert_str_eq(error.text, "byte 16: section REGN: expected a tree (TREE), found a region");
    free(file.bytes);
}
END_TEST

START_TEST(a_document_is_not_read_as_a_map)
{
    pqt_error error = {0};
    byte_buffer file = bytes_of(small_document(0, arena, &error));
    ck_assert_ptr_null(pqt_map_read(source, &file, arena, &error));
    ck_assert_str_eq(error.text, "byte 16: section DOCU: expected a map (PMAP), found a document");
    free(file.bytes);
}
END_TEST

START_TEST(empty_input_is_refused_and_a_chain_of_reads_keeps_the_first_error)
{
    pqt_error error = {0};
    byte_buffer file = {0};
    ck_assert_ptr_null(pqt_document_read(source, &file, arena, &error));
    ck_assert_str_eq(error.text, "byte 0: there are no data");
    const size_t calls = file.calls;
    ck_assert_ptr_null(pqt_tree_read(source, &file, arena, &error));
    ck_assert_ptr_null(pqt_map_read(source, &file, arena, &error));
    ck_assert_uint_eq(file.calls, 3 * calls);
    ck_assert(!pqt_tree_write(NULL, sink, &file, &error));
    ck_assert_str_eq(error.text, "byte 0: there are no data");
    ck_assert_uint_eq(file.calls, 3 * calls);
}
END_TEST

#if PQT_WITH_COLLECTOR
START_TEST(ids_that_are_pointers_are_not_written)
{
    pqt_error error = {0};
    byte_buffer file = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.ids_are_pointers = true;
    const pqt_tree *tree = pqt_tree_make((pqt_box){{0, 0}, {1, 1}}, &options, &error);
    ck_assert(!pqt_tree_write(tree, sink, &file, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
    ck_assert_str_eq(error.text, "ids are pointers, which mean nothing outside this process");
    const pqt_part part = {"names", PQT_KIND_TREE, tree, NULL};
    error = (pqt_error){0};
    ck_assert(!pqt_document_write(pqt_document_make(&part, 1, NULL), sink, &file, &error));
    ck_assert_str_eq(error.text,
                     "names: ids are pointers, which mean nothing outside this process");
    ck_assert_uint_eq(file.calls, 0);
}
END_TEST
#endif

START_TEST(a_callback_that_fails_is_reported_at_each_call)
{
    pqt_error error = {0};
    const any_version given = small_version((unsigned)_i, arena, &error);
    byte_buffer file = bytes_of(given.version);
    for (size_t call = 1; call <= file.calls; call++) {
        byte_buffer failing = {.failing = call};
        pqt_error failure = {0};
        ck_assert(!pqt_version_write(given.version, sink, &failing, &failure));
        ck_assert_int_eq(failure.status, PQT_ERROR_CALLBACK);
        ck_assert_uint_eq(failing.calls, call);
        free(failing.bytes);
    }
    file.calls = 0;
    ck_assert_ptr_nonnull(pqt_version_read(given.kind, source, &file, arena, &error));
    for (size_t call = 1, last = file.calls; call <= last; call++) {
        pqt_error failure = {0};
        file.next = file.calls = 0;
        file.failing = call;
        ck_assert_ptr_null(pqt_version_read(given.kind, source, &file, arena, &failure));
        ck_assert_int_eq(failure.status, PQT_ERROR_CALLBACK);
        ck_assert_str_eq(failure.text, "the read function failed");
    }
    free(file.bytes);
}
END_TEST

static bool
give_too_much(void *bytes, size_t capacity, size_t *count, void *context)
{
    (void)context;
    memset(bytes, 0, capacity);
    *count = capacity + 1;
    return true;
}

START_TEST(a_callback_that_returns_more_bytes_than_requested_is_refused)
{
    pqt_error error = {0};
    ck_assert_ptr_null(pqt_tree_read(give_too_much, NULL, arena, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_CALLBACK);
    ck_assert_str_eq(error.text, "the read function returned 9 bytes, but 8 were requested");
}
END_TEST

START_TEST(short_reads_make_no_difference)
{
    pqt_error error = {0};
    const any_version given = small_version((unsigned)_i, arena, &error);
    byte_buffer file = bytes_of(given.version);
    for (size_t step = 1; step < 20; step += 3) {
        file.next = 0;
        file.step = step;
        const void *read = pqt_version_read(given.kind, source, &file, arena, &error);
        ck_assert_msg(read != NULL, "%s", error.text);
        ck_assert(pqt_version_equals(given.version, read));
    }
    free(file.bytes);
}
END_TEST

START_TEST(versions_follow_each_other_in_one_stream)
{
    pqt_error error = {0};
    byte_buffer file = {0};
    for (unsigned i = 0; i < SMALL_VERSIONS; i++) {
        const any_version given = small_version(i, arena, &error);
        ck_assert(pqt_version_write(given.version, sink, &file, &error));
    }
    for (unsigned i = 0; i < SMALL_VERSIONS; i++) {
        const any_version given = small_version(i, arena, &error);
        const void *read = pqt_version_read(given.kind, source, &file, arena, &error);
        ck_assert_msg(read != NULL, "%s", error.text);
        ck_assert(pqt_version_equals(given.version, read));
    }
    ck_assert_uint_eq(file.next, file.length);
    free(file.bytes);
}
END_TEST

static void
tree_null(void *context)
{
    pqt_error error = {0};
    (void)!pqt_tree_write(NULL, sink, context, &error);
}

static void
write_null(void *context)
{
    pqt_error error = {0};
    (void)!pqt_tree_write(small_tree_of(0, context, &error), NULL, NULL, &error);
}

static void
read_null(void *context)
{
    pqt_error error = {0};
    (void)!pqt_tree_read(NULL, NULL, context, &error);
}

static void
path_null(void *context)
{
    pqt_error error = {0};
    (void)!pqt_tree_load(NULL, context, &error);
}

START_TEST(mistakes_of_the_caller_stop_the_program_with_a_message)
{
    static void (*const mistakes[])(void *) = {tree_null, write_null, read_null, path_null};
    static const char *const texts[] = {
        "pqt: pqt_version_write: the version is NULL, and no earlier error is set\n",
        "pqt: pqt_version_write: write is NULL\n", "pqt: pqt_version_read: read is NULL\n",
        "pqt: pqt_version_load: path is NULL\n"};
    char text[MISUSE_TEXT];
    for (int i = 0; i < 4 && misuse_can_be_tested(); i++) {
        ck_assert(misuse_aborts(mistakes[i], arena, text));
        ck_assert_str_eq(text, texts[i]);
    }
}
END_TEST

static TCase *
add_tests(Suite *suite, const char *name)
{
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, open_arena, close_arena);
    suite_add_tcase(suite, tests);
    return tests;
}

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("bytes");
    TCase *tests = add_tests(suite, "round trips");
    tcase_add_loop_test(tests, random_maps_are_read_back_unchanged, 0, 12);
    tcase_add_test(tests, the_order_of_edits_of_a_map_does_not_show_in_the_bytes);
    tcase_add_test(tests, the_documented_map_is_written_byte_for_byte);
    tcase_add_loop_test(tests, a_wrong_byte_of_a_map_is_named_in_the_message, 0,
                        sizeof wrong_maps / sizeof wrong_maps[0]);
    tcase_add_test(tests, a_map_with_unsorted_keys_is_refused);
    if (PQT_WITH_WORLDS) {
        tcase_add_loop_test(tests, an_invalid_state_of_rest_is_named_in_the_message, 0,
                            sizeof wrong_rests / sizeof wrong_rests[0]);
        tcase_add_test(tests, a_state_of_rest_without_contacts_and_bodies_is_refused);
    }
    tcase_add_test(tests, the_documented_document_is_written_byte_for_byte);
    tcase_add_loop_test(tests, a_wrong_byte_of_a_document_is_named_in_the_message, 0,
                        sizeof wrong_documents / sizeof wrong_documents[0]);
    tcase_add_loop_test(tests, a_document_with_unsorted_names_is_refused, 0, 2);
    if (PQT_WITH_WORLDS) {
        tcase_add_loop_test(tests, a_wrong_byte_of_a_world_with_an_obstacle_is_named_in_the_message,
                            0, sizeof wrong_worlds / sizeof *wrong_worlds);
        tcase_add_test(tests, a_world_whose_obstacle_has_no_pixel_is_refused);
    }
    tcase_add_test(tests, a_document_with_a_key_without_an_item_is_refused);
    tcase_add_loop_test(tests, every_kind_of_version_is_read_back_unchanged, 0, SMALL_VERSIONS);
    tcase_add_loop_test(tests, random_trees_are_read_back_unchanged_from_arenas, 0,
                        (int)test_scaled(30));
#if PQT_WITH_COLLECTOR
    tcase_add_test(tests, a_tree_of_the_collector_has_the_bytes_of_an_arenas_tree);
    tcase_add_loop_test(tests, a_collector_that_runs_at_each_allocation_loses_no_node_that_is_read,
                        0, SMALL_VERSIONS);
    tcase_add_test(tests, ids_that_are_pointers_are_not_written);
#endif
    tcase_add_test(tests, the_order_of_edits_does_not_show_in_the_bytes);
    if (PQT_WITH_PIXELS) {
        tcase_add_test(tests, an_interned_region_has_the_same_bytes);
        tcase_add_test(tests, a_chessboard_of_a_million_squares_takes_less_than_a_kilobyte);
    }
    tcase_add_test(tests, points_with_consecutive_ids_take_less_than_half_of_the_raw_numbers);
    tests = add_tests(suite, "format");
    tcase_add_test(tests, the_documented_tree_is_written_byte_for_byte);
    if (PQT_WITH_PIXELS)
        tcase_add_test(tests, the_documented_region_is_written_byte_for_byte);
    if (PQT_WITH_WORLDS)
        tcase_add_test(tests, the_documented_world_is_written_byte_for_byte);
    tcase_add_test(tests, the_checksum_is_crc_32c);
    tcase_add_loop_test(tests, columns_of_any_words_are_decoded, 0, 100);
    tcase_add_test(tests, a_section_that_may_be_skipped_is_skipped);
    if (PQT_WITH_WORLDS)
        tcase_add_test(tests, kinds_are_recognised_by_their_first_bytes);
    tests = add_tests(suite, "refusals");
    tcase_add_loop_test(tests, a_wrong_byte_is_named_in_the_message, 0,
                        (int)(sizeof wrong_files / sizeof wrong_files[0]));
    if (PQT_WITH_PIXELS)
        tcase_add_test(tests, a_region_is_not_read_as_a_tree);
    tcase_add_test(tests, a_document_is_not_read_as_a_map);
    tcase_add_test(tests, empty_input_is_refused_and_a_chain_of_reads_keeps_the_first_error);
    tcase_add_loop_test(tests, a_callback_that_fails_is_reported_at_each_call, 0, SMALL_VERSIONS);
    tcase_add_test(tests, a_callback_that_returns_more_bytes_than_requested_is_refused);
    tcase_add_loop_test(tests, short_reads_make_no_difference, 0, SMALL_VERSIONS);
    tcase_add_test(tests, versions_follow_each_other_in_one_stream);
    tcase_add_test(tests, mistakes_of_the_caller_stop_the_program_with_a_message);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
