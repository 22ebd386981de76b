/* SPDX-License-Identifier: MIT */
/* test_port_blocks.c: tests the allocator of pqt.wasm, in an area that grows. */
#include "config.h"

#include <stdlib.h>

#include "../bindings/js/port/blocks.h"
#include "random.h"
#include "suite.h"

enum { AREA = 1 << 24, FIRST = 100000, STEP = 65536, SLOTS = 200 };

static char *area;
static size_t area_size;
static dice rolls;

static size_t
grow(size_t bytes)
{
    const size_t added = (bytes / STEP + 1) * STEP;
    if (added > AREA - area_size)
        return 0;
    area_size += added;
    return added;
}

/* Makes an allocator whose area begins at an unaligned address. */
static blocks
begin(void)
{
    blocks all = {.grow = grow};
    area = malloc(AREA);
    ck_assert_ptr_nonnull(area);
    area_size = FIRST;
    begin_area(&all, area + 5, FIRST - 5);
    return all;
}

static block *
first_block(void)
{
    char *start = area + 5;
    return block_at(start + -((uintptr_t)start + HEADER) % ALIGNMENT);
}

/* Checks that blocks are adjacent, that no two adjacent blocks are free, and that each free block
 * is in the list of its size. */
static void
check_area(const blocks *all)
{
    size_t before = 0, free_ones = 0, listed = 0, faults = 0;
    bool was_free = false;
    for (block *at = first_block(); at != all->last; at = block_after(at)) {
        const bool is_free = (at->size & IN_USE) == 0;
        faults += at->before != before || (is_free && was_free);
        free_ones += is_free;
        was_free = is_free;
        before = block_size(at);
    }
    for (unsigned list = 0; list < sizeof all->lists / sizeof *all->lists; list++)
        for (const block *at = all->lists[list]; at != NULL; at = at->next, listed++) {
            faults += list_of(at->size) != list || (at->size & IN_USE) != 0 ||
                      (all->filled >> list / LISTS & 1) == 0;
        }
    ck_assert_uint_eq(faults, 0);
    ck_assert_uint_eq(all->last->before, before);
    ck_assert_uint_eq(listed, free_ones);
}

typedef struct slot {
    unsigned char *bytes;
    size_t count;
    unsigned char value;
} slot;

static void
check_bytes(const slot *of)
{
    size_t equal = 0;
    while (equal < of->count && of->bytes[equal] == of->value)
        equal++;
    ck_assert_uint_eq(equal, of->count);
}

static void
fill(slot *of, void *bytes, size_t count)
{
    *of = (slot){bytes, count, (unsigned char)dice_below(&rolls, 256)};
    memset(bytes, of->value, count);
}

static size_t
random_count(void)
{
    return dice_below(&rolls, 20) == 0 ? dice_below(&rolls, 100000) : dice_below(&rolls, 300);
}

static void
change(blocks *all, slot *of)
{
    const size_t count = random_count(), alignment = (size_t)1 << dice_below(&rolls, 17);
    check_bytes(of);
    if (dice_below(&rolls, 3) == 0) {
        const size_t kept = count < of->count ? count : of->count;
        unsigned char *moved = reallocate(all, of->bytes, count);
        if (moved == NULL)
            return;
        of->bytes = moved;
        of->count = kept;
        check_bytes(of);
        fill(of, moved, count);
        return;
    }
    release(all, of->bytes);
    *of = (slot){0};
    void *taken = dice_below(&rolls, 4) == 0 ? NULL : allocate_aligned(all, alignment, count);
    if (taken == NULL)
        return;
    ck_assert_uint_eq((uintptr_t)taken % (alignment > ALIGNMENT ? alignment : ALIGNMENT), 0);
    fill(of, taken, count);
}

START_TEST(random_allocations_keep_their_bytes)
{
    blocks all = begin();
    slot slots[SLOTS] = {0};
    rolls.state = test_seed("random_allocations_keep_their_bytes");
    for (size_t i = 0; i < test_scaled(20000); i++) {
        change(&all, &slots[dice_below(&rolls, SLOTS)]);
        if (i % 100 == 0)
            check_area(&all);
    }
    for (int i = 0; i < SLOTS; i++) {
        check_bytes(&slots[i]);
        release(&all, slots[i].bytes);
    }
    check_area(&all);
    ck_assert_ptr_eq(block_after(first_block()), all.last);
    free(area);
}
END_TEST

START_TEST(too_large_a_request_is_refused_and_leaves_other_blocks_unchanged)
{
    blocks all = begin();
    char *kept = allocate(&all, 100);
    ck_assert_ptr_nonnull(kept);
    memset(kept, 7, 100);
    ck_assert_ptr_null(allocate(&all, SIZE_MAX));
    ck_assert_ptr_null(allocate(&all, SIZE_MAX / 2));
    ck_assert_ptr_null(allocate(&all, AREA));
    ck_assert_ptr_null(allocate_aligned(&all, SIZE_MAX / 2 + 1, 8));
    ck_assert_ptr_null(reallocate(&all, kept, AREA));
    ck_assert_int_eq(kept[99], 7);
    check_area(&all);
    release(&all, kept);
    free(area);
}
END_TEST

START_TEST(aligned_blocks_waste_no_memory)
{
    blocks all = begin();
    size_t count = 0;
    for (; allocate_aligned(&all, STEP, STEP - HEADER) != NULL; count++)
        check_area(&all);
    ck_assert_uint_ge(count, AREA / STEP - 8);
    free(area);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("port_blocks");
    TCase *tests = tcase_create("blocks");
    tcase_add_test(tests, random_allocations_keep_their_bytes);
    tcase_add_test(tests, too_large_a_request_is_refused_and_leaves_other_blocks_unchanged);
    tcase_add_test(tests, aligned_blocks_waste_no_memory);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
