/* SPDX-License-Identifier: MIT */
/*
 * test_bytes_damage.c: tests files with every kind of damage, and failures of each allocation.
 *
 * A damaged file is refused, or it is read as the original version, but never as another one.
 */
#include "config.h"

#include "bytes_support.h"
#include "hooks.h"
#include "suite.h"

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

static any_version
given_version(int number)
{
    pqt_error error = {0};
    const any_version given = small_version((unsigned)number, arena, &error);
    ck_assert_msg(given.version != NULL, "%s", error.text);
    return given;
}

/* Reads a file into its own arena. */
static void
expect_refusal_of(pqt_kind kind, byte_buffer *file)
{
    pqt_error error = {0};
    pqt_memory *memory = pqt_arena_make(0, NULL);
    file->next = 0;
    ck_assert_ptr_null(pqt_version_read(kind, source, file, memory, &error));
    ck_assert_msg(error.status == PQT_ERROR_FORMAT, "%s", error.text);
    ck_assert_msg(strncmp(error.text, "byte ", 5) == 0 && strchr(error.text, '\n') == NULL, "%s",
                  error.text);
    ck_assert_uint_eq(error.index, strtoul(error.text + 5, NULL, 10));
    ck_assert_uint_le(error.index, file->length);
    pqt_arena_destroy(&memory);
}

START_TEST(a_file_with_any_bit_flipped_is_refused)
{
    const any_version given = given_version(_i);
    byte_buffer file = bytes_of(given.version);
    const size_t scaled = test_scaled(8), flips = scaled < 8 ? scaled : 8;
    for (size_t at = 0; at < file.length; at += test_stride()) {
        for (size_t i = 0; i < flips; i++) {
            const uint8_t bit = (uint8_t)(1 << (at + i) % 8);
            file.bytes[at] ^= bit;
            expect_refusal_of(given.kind, &file);
            file.bytes[at] ^= bit;
        }
    }
    free(file.bytes);
}
END_TEST

START_TEST(a_file_cut_at_any_length_is_refused)
{
    const any_version given = given_version(_i);
    byte_buffer file = bytes_of(given.version);
    const size_t whole = file.length;
    for (file.length = 0; file.length < whole; file.length += test_stride())
        expect_refusal_of(given.kind, &file);
    free(file.bytes);
}
END_TEST

/* Corrects the checksums of a changed file, so that the checks of the contents must detect the
   change. The file is refused, or it is written in the same bytes again. */
static void
expect_refusal_or_the_same_bytes(pqt_kind kind, byte_buffer *file)
{
    pqt_error error = {0};
    pqt_memory *memory = pqt_arena_make(0, NULL);
    file->next = 0;
    seal(file);
    const void *read = pqt_version_read(kind, source, file, memory, &error);
    if (read != NULL) {
        ck_assert_msg(pqt_version_check(read, &error), "%s", error.text);
        byte_buffer again = bytes_of(read);
        ck_assert_uint_eq(again.length, file->length);
        ck_assert_mem_eq(again.bytes, file->bytes, file->length);
        free(again.bytes);
    } else {
        ck_assert_msg(error.status == PQT_ERROR_FORMAT, "%s", error.text);
    }
    pqt_arena_destroy(&memory);
}

/* The minor version may change: a larger one is accepted. */
static bool
is_minor_version(size_t at)
{
    return at == 10 || at == 11;
}

START_TEST(a_sealed_file_with_any_byte_changed_is_refused_or_holds_another_valid_version)
{
    const any_version given = given_version(_i);
    byte_buffer file = bytes_of(given.version);
    uint8_t *const sound = malloc(file.length);
    ck_assert_ptr_nonnull(sound);
    memcpy(sound, file.bytes, file.length);
    dice d = {test_seed("a_sealed_file_with_any_byte_changed") + (uint64_t)_i};
    const size_t attempts = test_scaled(4);
    for (size_t at = 0; at < file.length; at += test_stride()) {
        for (size_t attempt = 0; attempt < attempts; attempt++) {
            memcpy(file.bytes, sound, file.length);
            if (!is_minor_version(at))
                file.bytes[at] = attempt == 1 ? 0 : (uint8_t)dice_next(&d);
            expect_refusal_or_the_same_bytes(given.kind, &file);
        }
    }
    free(sound);
    free(file.bytes);
}
END_TEST

/* The highest bit of the last byte of a number is its sign: 0 becomes -0.0, which no file holds. */
START_TEST(a_sealed_file_with_any_sign_changed_is_refused_or_holds_another_valid_version)
{
    const any_version given = given_version(_i);
    byte_buffer file = bytes_of(given.version);
    uint8_t *const sound = malloc(file.length);
    ck_assert_ptr_nonnull(sound);
    memcpy(sound, file.bytes, file.length);
    for (size_t at = 0; at < file.length; at += test_stride()) {
        memcpy(file.bytes, sound, file.length);
        if (!is_minor_version(at))
            file.bytes[at] ^= 0x80;
        expect_refusal_or_the_same_bytes(given.kind, &file);
    }
    free(sound);
    free(file.bytes);
}
END_TEST

/* Returns a region whose bytes need a second section, and whose squares need a larger table than
   that of the beginning. */
static any_version
many_squares(void)
{
    enum { SIDE = 1024 };
    static uint8_t bits[SIDE * SIDE / 8];
    pqt_error error = {0};
    dice d = {test_seed("many_squares")};
    for (size_t i = 0; i < sizeof bits; i++)
        bits[i] = (uint8_t)dice_below(&d, 256);
    const pqt_bit_image image = {bits, SIDE, SIDE, SIDE / 8, PQT_BITS_LOW_FIRST};
    const pqt_region *region = pqt_region_of_bits(&image, (pqt_pixel){0, 0}, arena, &error);
    ck_assert_msg(region != NULL, "%s", error.text);
    return (any_version){PQT_KIND_REGION, region};
}

static void
fail_each_allocation_while_writing(any_version given)
{
    for (size_t fail_at = 1;; fail_at++) {
        byte_buffer file = {0};
        pqt_error error = {0};
        hooks watch = {.fail_at = fail_at};
        hooks_start(&watch);
        const bool written = pqt_version_write(given.version, sink, &file, &error);
        hooks_stop();
        free(file.bytes);
        ck_assert_int_eq(written, watch.failures == 0);
        if (written)
            break;
        ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    }
}

START_TEST(a_failed_allocation_while_writing_is_reported)
{
    fail_each_allocation_while_writing(given_version(_i));
}
END_TEST

START_TEST(a_region_of_many_squares_is_written_whole_or_the_failure_is_reported)
{
    const any_version given = many_squares();
    byte_buffer file = bytes_of(given.version);
    const size_t calls = file.calls;
    pqt_error error = {0};
    ck_assert(pqt_version_equals(given.version,
                                 pqt_version_read(given.kind, source, &file, arena, &error)));
    fail_each_allocation_while_writing(given);
    for (size_t call = 1; call <= calls; call++) {
        byte_buffer failing = {.failing = call};
        error = (pqt_error){0};
        ck_assert(!pqt_version_write(given.version, sink, &failing, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_CALLBACK);
        ck_assert_uint_eq(failing.calls, call);
        free(failing.bytes);
    }
    free(file.bytes);
}
END_TEST

static void
fail_each_allocation(any_version given, pqt_memory *memory)
{
    byte_buffer file = bytes_of(given.version);
    for (size_t fail_at = 1;; fail_at++) {
        pqt_error error = {0};
        hooks watch = {.fail_at = fail_at};
        file.next = 0;
        hooks_start(&watch);
        const void *read = pqt_version_read(given.kind, source, &file, memory, &error);
        hooks_stop();
        ck_assert_int_eq(read != NULL, watch.failures == 0);
        if (read != NULL) {
            ck_assert(pqt_version_equals(given.version, read));
            break;
        }
        ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    }
    free(file.bytes);
}

START_TEST(a_failed_allocation_while_reading_is_reported)
{
    fail_each_allocation(given_version(_i), arena);
}
END_TEST

#if PQT_WITH_COLLECTOR
START_TEST(a_failed_allocation_while_reading_into_the_collector_is_reported)
{
    pqt_error error = {0};
    ck_assert(pqt_init(&error));
    fail_each_allocation(given_version(_i), NULL);
}
END_TEST
#endif

/* Each number in a short file is replaced by the largest one that fits there. */
START_TEST(a_short_file_with_large_numbers_makes_the_reader_allocate_little)
{
    const any_version given = given_version(_i);
    byte_buffer file = bytes_of(given.version);
    uint8_t *const sound = malloc(file.length);
    ck_assert_ptr_nonnull(sound);
    memcpy(sound, file.bytes, file.length);
    for (size_t at = 16; at + 4 <= file.length; at += test_stride()) {
        pqt_error error = {0};
        pqt_memory *memory = pqt_arena_make(0, NULL);
        hooks watch = {0};
        memcpy(file.bytes, sound, file.length);
        pqti_store_le(file.bytes + at, at % 2 == 0 ? 0x0fffffff : 0x000fffff, 4);
        file.next = 0;
        seal(&file);
        hooks_start(&watch);
        (void)!pqt_version_read(given.kind, source, &file, memory, &error);
        hooks_stop();
        size_t bytes = 0;
        for (int kind = 0; kind < HOOKS_KINDS; kind++)
            bytes += watch.bytes[kind];
        ck_assert_uint_lt(bytes, 3000000);
        pqt_arena_destroy(&memory);
    }
    free(sound);
    free(file.bytes);
}
END_TEST

/* Two bytes per key are the minimum that distinguishes the keys of a block. The keys are
   consecutive ids, or all strings of two bytes. */
START_TEST(a_map_in_few_bytes_makes_the_reader_allocate_less_than_200_times_as_many)
{
    enum { ENTRIES = 65536 };
    pqt_error error = {0};
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = arena;
    options.keys = _i == 0 ? PQT_MAP_IDS : PQT_MAP_BYTE_KEYS;
    const pqt_map *map = pqt_map_make(&options, &error);
    for (uint64_t i = 0; i < ENTRIES; i++) {
        const uint8_t bytes[2] = {(uint8_t)(i >> 8), (uint8_t)i};
        const pqt_map_key key = _i == 0 ? pqt_map_id(i) : pqt_map_byte_key(bytes, sizeof bytes);
        map = pqt_map_insert(map, key, pqt_map_number(1), &error);
    }
    byte_buffer file = bytes_of(map);
    ck_assert_uint_lt(file.length, 3 * ENTRIES);
    pqt_memory *memory = pqt_arena_make(0, NULL);
    hooks watch = {0};
    hooks_start(&watch);
    const pqt_map *read = pqt_map_read(source, &file, memory, &error);
    hooks_stop();
    ck_assert(pqt_map_equals(read, map));
    size_t bytes = 0;
    for (int kind = 0; kind < HOOKS_KINDS; kind++)
        bytes += watch.bytes[kind];
    ck_assert_uint_lt(bytes, 200 * file.length);
    pqt_arena_destroy(&memory);
    free(file.bytes);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("damaged bytes");
    TCase *tests = tcase_create("damage");
    tcase_add_checked_fixture(tests, open_arena, close_arena);
    suite_add_tcase(suite, tests);
    tcase_add_loop_test(tests, a_file_with_any_bit_flipped_is_refused, 0, SMALL_VERSIONS);
    tcase_add_loop_test(tests, a_file_cut_at_any_length_is_refused, 0, SMALL_VERSIONS);
    tcase_add_loop_test(
        tests, a_sealed_file_with_any_byte_changed_is_refused_or_holds_another_valid_version, 0,
        SMALL_VERSIONS);
    tcase_add_loop_test(
        tests, a_sealed_file_with_any_sign_changed_is_refused_or_holds_another_valid_version, 0,
        SMALL_VERSIONS);
    tcase_add_loop_test(tests, a_failed_allocation_while_writing_is_reported, 0, SMALL_VERSIONS);
    if (PQT_WITH_PIXELS)
        tcase_add_test(tests, a_region_of_many_squares_is_written_whole_or_the_failure_is_reported);
    tcase_add_loop_test(tests, a_failed_allocation_while_reading_is_reported, 0, SMALL_VERSIONS);
#if PQT_WITH_COLLECTOR
    tcase_add_loop_test(tests, a_failed_allocation_while_reading_into_the_collector_is_reported, 0,
                        SMALL_VERSIONS);
#endif
    tcase_add_loop_test(tests, a_short_file_with_large_numbers_makes_the_reader_allocate_little, 0,
                        SMALL_VERSIONS);
    tcase_add_loop_test(
        tests, a_map_in_few_bytes_makes_the_reader_allocate_less_than_200_times_as_many, 0, 2);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
