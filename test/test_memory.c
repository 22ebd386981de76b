/* SPDX-License-Identifier: MIT */
/*
 * test_memory.c - what the two memories promise: to the library, to hosts, and to their threads.
 *
 * A made-up version stands for a real one: a node whose parts are nodes and leaves, each filled
 * with numbers that follow from the version's mark. Garbage is made in threads that end, since a
 * stack that lives on may still hold a pointer to it; and no test counts exactly what was
 * reclaimed.
 */
#include "config.h"

#include "memory/memory.h"

#include "hooks.h"
#include "suite.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pqt/memory.h>

/* Checks that run in a thread or in a child, where check's own assertions do not belong. */
typedef bool check_fn(void *context);

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            return false;                                                                          \
        }                                                                                          \
    } while (0)

typedef struct job {
    check_fn *check;
    void *context;
    bool passed;
    pthread_t thread;
} job;

static void *
run_job(void *context)
{
    job *this = context;
    this->passed = this->check(this->context);
    return NULL;
}

static void
begin(job *this)
{
    ck_assert_int_eq(pthread_create(&this->thread, NULL, run_job, this), 0);
}

static bool
end(job *this)
{
    ck_assert_int_eq(pthread_join(this->thread, NULL), 0);
    return this->passed;
}

static bool
in_thread(check_fn *check, void *context)
{
    job alone = {check, context, false, 0};
    return pthread_create(&alone.thread, NULL, run_job, &alone) == 0 &&
           pthread_join(alone.thread, NULL) == 0 && alone.passed;
}

static bool
in_child(check_fn *check, void *context)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0)
        _exit(check(context) ? EXIT_SUCCESS : EXIT_FAILURE);
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    return status == 0;
}

/* The memories that a looping test goes through: 0 the arena, 1 the collector where there is
   one. */
static pqt_memory *
make_memory(int which)
{
    pqt_error error = {0};
    pqt_memory *memory =
        which == 0 ? pqt_arena_make(0, &error) : pqti_memory_or_default(NULL, &error);
    ck_assert_msg(memory != NULL, "%s", error.text);
    return memory;
}

static void
drop_memory(pqt_memory *memory)
{
    if (memory != pqt_collector())
        pqt_arena_destroy(&memory);
}

static int
count_memories(void)
{
    return pqt_collector() != NULL ? 2 : 1;
}

#define PARTS 14

/* 128 bytes, as a real node; the parts are blocks of 128 bytes, every second one a leaf. */
typedef struct version {
    _Alignas(16) uint64_t mark;
    void *parts[PARTS];
    uint64_t last; /* the last word is not searched for pointers */
} version;

#define VERSION_BYTES ((PARTS + 1) * sizeof(version))

static void
fill(uint64_t *block, uint64_t number)
{
    for (size_t i = 0; i < sizeof(version) / sizeof *block; i++)
        block[i] = number;
}

static bool
is_filled(const uint64_t *block, uint64_t number)
{
    for (size_t i = 0; i < sizeof(version) / sizeof *block; i++)
        if (block[i] != number)
            return false;
    return true;
}

static version *
make_version(pqt_memory *memory, uint64_t mark)
{
    version *made = pqti_node(memory, sizeof *made);
    made->mark = mark;
    for (unsigned i = 0; i < PARTS; i++) {
        made->parts[i] = (i % 2 == 0 ? pqti_node : pqti_leaf)(memory, sizeof *made);
        fill(made->parts[i], mark + i);
    }
    return made;
}

static bool
is_whole(const version *made, uint64_t mark)
{
    bool whole = made->mark == mark;
    for (unsigned i = 0; i < PARTS; i++)
        whole = whole && is_filled(made->parts[i], mark + i);
    return whole;
}

static bool
make_garbage(void *memory)
{
    REQUIRE(pqt_thread_attach(NULL));
    for (unsigned i = 0; i < 2000; i++)
        (void)make_version(memory, UINT64_MAX - i);
    pqt_thread_detach();
    return true;
}

/* Whatever was lost is overwritten: by a collection, and new blocks of the same size. */
static void
collect_and_overwrite(pqt_memory *memory)
{
    for (int i = 0; i < 3; i++) {
        pqti_collect(memory);
        ck_assert(in_thread(make_garbage, memory));
    }
    pqti_collect(memory);
}

/* ---- Both memories ---- */

START_TEST(nodes_are_zeroed)
{
    pqt_memory *memory = make_memory(_i);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 1000; i++) {
            uint64_t *node = pqti_node(memory, sizeof(version));
            ck_assert(is_filled(node, 0));
            fill(node, UINT64_MAX);
        }
        pqti_collect(memory);
    }
    drop_memory(memory);
}
END_TEST

static bool
is_all(const unsigned char *bytes, size_t count, unsigned value)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

START_TEST(blocks_are_aligned_and_apart)
{
    enum { COUNT = 2000 };
    void *(*const give[])(pqt_memory *, size_t) = {pqti_node, pqti_leaf, pqti_scanned_leaf};
    pqt_memory *memory = make_memory(_i);
    unsigned char *blocks[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        const size_t size = 16 + i % 64 * 16;
        blocks[i] = give[i % 3](memory, size);
        ck_assert_uint_eq((uintptr_t)blocks[i] % 16, 0);
        memset(blocks[i], (int)(i % 251), size);
    }
    for (unsigned i = 0; i < COUNT; i++)
        ck_assert(is_all(blocks[i], 16 + i % 64 * 16, i % 251));
    drop_memory(memory);
}
END_TEST

START_TEST(blocks_take_no_more_than_they_were_asked_for)
{
    pqt_memory *memory = make_memory(_i);
    for (size_t size = 16; size <= 128; size += 16) {
        ck_assert_uint_eq(pqti_block_size(memory, pqti_node(memory, size), size), size);
        ck_assert_uint_eq(pqti_block_size(memory, pqti_leaf(memory, size), size), size);
    }
    /* The collector has fewer classes of larger sizes. */
    for (size_t size = 144; size <= 40960; size += 528) {
        const size_t taken = pqti_block_size(memory, pqti_leaf(memory, size), size);
        ck_assert_uint_ge(taken, size);
        ck_assert_uint_le(taken, size + size / 3 + 4096);
    }
    drop_memory(memory);
}
END_TEST

START_TEST(a_pin_knows_its_memory_and_its_version)
{
    pqt_memory *memory = make_memory(_i);
    pqt_error error = {0};
    version *kept = make_version(memory, 7);
    pqt_pin *pin = pqti_pin(memory, PQTI_KIND_WORLD, kept, &error);
    ck_assert_ptr_nonnull(pin);
    ck_assert_ptr_eq(pqti_pin_memory(pin), memory);
    ck_assert_ptr_eq(pqti_pinned("test", pin, PQTI_KIND_WORLD), kept);
    ck_assert_int_eq(error.status, PQT_OK);
    pqt_unpin(&pin);
    ck_assert_ptr_null(pin);
    drop_memory(memory);
}
END_TEST

START_TEST(pins_are_counted)
{
    pqt_memory *memory = make_memory(_i);
    const uint64_t before = pqt_memory_get_stats(memory).pins;
    version *kept = make_version(memory, 7);
    pqt_pin *pins[100];
    for (unsigned i = 0; i < 100; i++) {
        pins[i] = pqti_pin(memory, PQTI_KIND_TREE, kept, NULL);
        ck_assert_uint_eq(pqt_memory_get_stats(memory).pins, before + i + 1);
    }
    for (unsigned i = 0; i < 100; i++) {
        pqt_unpin(&pins[i]);
        ck_assert_uint_eq(pqt_memory_get_stats(memory).pins, before + 99 - i);
    }
    drop_memory(memory);
}
END_TEST

START_TEST(unpinning_nothing_does_nothing)
{
    pqt_pin *none = NULL;
    pqt_unpin(&none);
    ck_assert_ptr_null(none);
    pqt_unpin(NULL);
}
END_TEST

START_TEST(the_hook_sees_each_allocation)
{
    pqt_memory *memory = make_memory(_i);
    hooks watch = {0};
    hooks_start(&watch);
    version *made = make_version(memory, 1); /* 8 nodes and 7 leaves of 128 bytes */
    pqt_pin *pin = pqti_pin(memory, PQTI_KIND_TREE, made, NULL);
    pqti_scratch_free(pqti_scratch(3, 10));
    hooks_stop();
    pqti_leaf(memory, 16);
    pqt_unpin(&pin);
    drop_memory(memory);
    ck_assert_uint_eq(watch.calls, 17);
    ck_assert_uint_eq(watch.failures, 0);
    ck_assert_uint_eq(watch.blocks[PQTI_NODE], 8);
    ck_assert_uint_eq(watch.blocks[PQTI_LEAF], 7);
    ck_assert_uint_eq(watch.blocks[PQTI_PIN], 1);
    ck_assert_uint_eq(watch.blocks[PQTI_SCRATCH], 1);
    ck_assert_uint_eq(watch.bytes[PQTI_PIN], sizeof(pqt_pin));
    ck_assert_uint_eq(watch.bytes[PQTI_SCRATCH], 30);
    ck_assert_uint_eq(hooks_kept_blocks(&watch), 15);
    ck_assert_uint_eq(hooks_kept_bytes(&watch), 15 * sizeof(version));
}
END_TEST

enum { KINDS = 5, KIND_OF_PIN = 4, EACH_KIND = (1 << KINDS) - 1 };

/* Asks for one of each kind, and tells which of them were given, as bits. */
static unsigned
ask_for_each_kind(pqt_memory *memory, pqt_error *error)
{
    static int something;
    void *node = pqti_node(memory, 32);
    void *leaf = pqti_leaf(memory, 32);
    void *scanned_leaf = pqti_scanned_leaf(memory, 32);
    pqt_pin *pin = pqti_pin(memory, PQTI_KIND_TREE, &something, error);
    void *scratch = pqti_scratch(1, 32);
    const bool given[] = {node != NULL, leaf != NULL, scanned_leaf != NULL, pin != NULL,
                          scratch != NULL};
    unsigned bits = 0;
    for (unsigned i = 0; i < KINDS; i++)
        bits |= (unsigned)given[i] << i;
    pqti_scratch_free(scratch);
    pqt_unpin(&pin);
    return bits;
}

START_TEST(the_hook_fails_one_allocation_of_any_kind)
{
    pqt_memory *memory = make_memory(_i);
    for (unsigned n = 1; n <= KINDS + 1; n++) {
        pqt_error error = {0};
        hooks watch = {.fail_at = n};
        hooks_start(&watch);
        const unsigned given = ask_for_each_kind(memory, &error);
        hooks_stop();
        ck_assert_uint_eq(given, EACH_KIND & ~(1u << (n - 1)));
        ck_assert_uint_eq(watch.failures, n <= KINDS);
        ck_assert_int_eq(error.status, n == KIND_OF_PIN ? PQT_ERROR_MEMORY : PQT_OK);
    }
    ck_assert_uint_eq(ask_for_each_kind(memory, NULL), EACH_KIND);
    drop_memory(memory);
}
END_TEST

START_TEST(the_hook_collects_at_each_nth_allocation)
{
    pqt_memory *memory = make_memory(_i);
    hooks watch = {.collect_every = 5, .memory = memory};
    hooks_start(&watch);
    version *made = make_version(memory, 3);
    hooks_stop();
    ck_assert_uint_eq(watch.collections, 3);
    ck_assert(is_whole(made, 3));
    drop_memory(memory);
}
END_TEST

START_TEST(the_memory_that_is_named_is_taken)
{
    pqt_error error = {0};
    pqt_memory *memory = make_memory(_i);
    ck_assert_ptr_eq(pqti_memory_or_default(memory, &error), memory);
    ck_assert_int_eq(error.status, PQT_OK);
    drop_memory(memory);
}
END_TEST

START_TEST(no_memory_is_told_unless_something_was_told_before)
{
    pqt_error error = {0};
    pqti_out_of_memory(&error);
    ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    ck_assert_str_eq(error.text, "memory: none left, or the arena's limit is reached");
    pqt_error earlier = {.status = PQT_ERROR_BOX, .text = "earlier"};
    pqti_out_of_memory(&earlier);
    ck_assert_int_eq(earlier.status, PQT_ERROR_BOX);
    ck_assert_str_eq(earlier.text, "earlier");
    pqti_out_of_memory(NULL);
}
END_TEST

START_TEST(scratch_is_refused_where_its_size_overflows)
{
    ck_assert_ptr_null(pqti_scratch(SIZE_MAX / 40 + 1, 40));
    ck_assert_ptr_null(pqti_scratch(40, SIZE_MAX / 40 + 1));
    ck_assert_ptr_null(pqti_scratch(SIZE_MAX, SIZE_MAX));
}
END_TEST

START_TEST(scratch_of_nothing_is_no_failure)
{
    void *none = pqti_scratch(0, 40);
    void *empty = pqti_scratch(40, 0);
    ck_assert_ptr_nonnull(none);
    ck_assert_ptr_nonnull(empty);
    pqti_scratch_free(none);
    pqti_scratch_free(empty);
    pqti_scratch_free(NULL);
}
END_TEST

START_TEST(a_block_has_a_size)
{
    pqti_node(make_memory(0), 0);
}
END_TEST

START_TEST(a_size_is_a_multiple_of_16)
{
    pqti_leaf(make_memory(0), 24);
}
END_TEST

START_TEST(a_pin_has_something_to_keep)
{
    (void)pqti_pin(make_memory(0), PQTI_KIND_TREE, NULL, NULL);
}
END_TEST

START_TEST(stats_have_a_memory)
{
    (void)pqt_memory_get_stats(NULL);
}
END_TEST

/* ---- The arena ---- */

START_TEST(an_arena_begins_with_nothing)
{
    pqt_memory *unlimited = pqt_arena_make(0, NULL);
    pqt_memory *limited = pqt_arena_make(12345, NULL);
    const pqt_memory_stats a = pqt_memory_get_stats(unlimited);
    const pqt_memory_stats b = pqt_memory_get_stats(limited);
    ck_assert(a.bytes == 0 && a.limit == 0 && a.pins == 0);
    ck_assert(b.bytes == 0 && b.limit == 12345 && b.pins == 0);
    pqt_arena_destroy(&unlimited);
    pqt_arena_destroy(&limited);
    ck_assert_ptr_null(unlimited);
}
END_TEST

START_TEST(destroying_no_arena_does_nothing)
{
    pqt_memory *none = NULL;
    pqt_arena_destroy(&none);
    pqt_arena_destroy(NULL);
    ck_assert_ptr_null(none);
}
END_TEST

/* Takes blocks until the arena refuses one; returns the bytes that it gave. */
static size_t
use_up(pqt_memory *arena, size_t size)
{
    const uint64_t limit = pqt_memory_get_stats(arena).limit;
    size_t given = 0;
    bool within = true; /* asserted once: check is slow with assertions */
    for (; pqti_node(arena, size) != NULL; given += size)
        within = within && pqt_memory_get_stats(arena).bytes <= limit;
    ck_assert(within);
    return given;
}

START_TEST(an_arena_never_takes_more_than_its_limit)
{
    const size_t limits[] = {1,     15,    16,    48,       100,     1000,
                             65535, 65536, 65537, 1u << 20, 2000001, (5u << 20) + 8};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        for (size_t size = 16; size <= 65536; size *= 64) {
            pqt_memory *arena = pqt_arena_make(limits[i], NULL);
            const size_t given = use_up(arena, size);
            ck_assert_uint_le(given, limits[i]);
            /* What the arena needs for itself is counted too. */
            ck_assert(given == 0 || pqt_memory_get_stats(arena).bytes > given);
            /* Nor much less, where blocks are not small beside what malloc adds. */
            if (size >= 128 && limits[i] >= 100 * size)
                ck_assert_uint_ge(given, limits[i] / 10 * 7);
            pqt_arena_destroy(&arena);
        }
}
END_TEST

START_TEST(a_full_arena_still_has_room_for_smaller_blocks)
{
    pqt_memory *arena = pqt_arena_make(1 << 20, NULL);
    ck_assert_uint_gt(use_up(arena, 65536), 0);
    ck_assert_uint_gt(use_up(arena, 1024), 0);
    ck_assert_ptr_null(pqti_leaf(arena, 65536));
    ck_assert_uint_gt(1u << 20, pqt_memory_get_stats(arena).bytes - 1);
    pqt_arena_destroy(&arena);
}
END_TEST

START_TEST(an_arena_refuses_sizes_that_overflow)
{
    pqt_memory *unlimited = pqt_arena_make(0, NULL);
    pqt_memory *limited = pqt_arena_make(1 << 20, NULL);
    ck_assert_ptr_null(pqti_leaf(unlimited, SIZE_MAX / 16 * 16));
    ck_assert_ptr_null(pqti_leaf(limited, SIZE_MAX / 16 * 16));
    ck_assert_ptr_null(pqti_leaf(limited, SIZE_MAX / 32 * 16));
    ck_assert_uint_eq(pqt_memory_get_stats(limited).bytes, 0);
    ck_assert_ptr_nonnull(pqti_leaf(unlimited, 16));
    ck_assert_ptr_nonnull(pqti_leaf(limited, 16));
    pqt_arena_destroy(&unlimited);
    pqt_arena_destroy(&limited);
}
END_TEST

START_TEST(large_blocks_among_small_ones_cost_little_more_than_themselves)
{
    pqt_memory *arena = pqt_arena_make(0, NULL);
    size_t given = 0;
    for (int i = 0; i < 42; i++) {
        const size_t large = 16 * (size_t)(1 + i % 7) * 60000;
        ck_assert_ptr_nonnull(pqti_leaf(arena, large));
        ck_assert_ptr_nonnull(pqti_node(arena, 128));
        given += large + 128;
    }
    const uint64_t bytes = pqt_memory_get_stats(arena).bytes;
    ck_assert(bytes >= given);
    ck_assert(bytes <= given + given / 8 + (4 << 20));
    pqt_arena_destroy(&arena);
}
END_TEST

START_TEST(the_pins_of_an_arena_must_be_gone_before_it)
{
    pqt_memory *arena = make_memory(0);
    if (pqti_pin(arena, PQTI_KIND_TREE, make_version(arena, 1), NULL) != NULL)
        pqt_arena_destroy(&arena);
}
END_TEST

START_TEST(the_collector_cannot_be_destroyed)
{
    pqt_memory *memory = make_memory(1);
    pqt_arena_destroy(&memory);
}
END_TEST

#define THREADS 4

typedef struct share {
    pqt_memory *arena;
    uint64_t number; /* of the thread */
    size_t given;    /* blocks */
} share;

enum { SHARED_BLOCKS = 20000 };

/* Fills blocks with the number of the thread, and looks at the end whether any other thread wrote
   there. */
static bool
take_blocks(void *context)
{
    share *mine = context;
    uint64_t **blocks = malloc(SHARED_BLOCKS * sizeof *blocks);
    REQUIRE(blocks != NULL);
    for (; mine->given < SHARED_BLOCKS; mine->given++) {
        uint64_t *block = pqti_node(mine->arena, sizeof(version));
        if (block == NULL)
            break;
        REQUIRE(is_filled(block, 0));
        fill(block, mine->number);
        blocks[mine->given] = block;
        pqt_pin *pin = pqti_pin(mine->arena, PQTI_KIND_TREE, block, NULL);
        REQUIRE(pqt_memory_get_stats(mine->arena).pins > 0);
        pqt_unpin(&pin);
    }
    for (size_t i = 0; i < mine->given; i++)
        REQUIRE(is_filled(blocks[i], mine->number));
    free(blocks);
    return true;
}

static size_t
take_blocks_at_once(pqt_memory *arena)
{
    share shares[THREADS];
    job jobs[THREADS];
    size_t given = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        shares[i] = (share){arena, i + 1, 0};
        jobs[i] = (job){take_blocks, &shares[i], false, 0};
        begin(&jobs[i]);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        ck_assert(end(&jobs[i]));
        given += shares[i].given;
    }
    ck_assert_uint_eq(pqt_memory_get_stats(arena).pins, 0);
    return given;
}

START_TEST(threads_may_share_an_arena)
{
    pqt_memory *arena = pqt_arena_make(0, NULL);
    ck_assert_uint_eq(take_blocks_at_once(arena), THREADS * SHARED_BLOCKS);
    ck_assert(pqt_memory_get_stats(arena).bytes >= THREADS * SHARED_BLOCKS * sizeof(version));
    pqt_arena_destroy(&arena);
}
END_TEST

START_TEST(threads_that_share_an_arena_meet_its_limit)
{
    const size_t limit = THREADS * SHARED_BLOCKS * sizeof(version) / 2;
    pqt_memory *arena = pqt_arena_make(limit, NULL);
    const size_t given = take_blocks_at_once(arena) * sizeof(version);
    ck_assert_uint_le(given, limit);
    ck_assert_uint_ge(given, limit / 10 * 7);
    ck_assert(pqt_memory_get_stats(arena).bytes <= limit);
    pqt_arena_destroy(&arena);
}
END_TEST

/* ---- The collector's start: each in a child, where nobody has started it yet ---- */

static bool
is_refused(void *unused)
{
    (void)unused;
    pqt_error init = {0}, memory = {0}, attach = {0};
    REQUIRE(!pqt_init(&init) && init.status == PQT_ERROR_THREAD);
    REQUIRE(strcmp(init.text, "thread: the first call must come from main; call pqt_init there") ==
            0);
    REQUIRE(pqti_memory_or_default(NULL, &memory) == NULL && memory.status == PQT_ERROR_THREAD);
    REQUIRE(pqti_memory_or_default(pqt_collector(), NULL) == NULL);
    REQUIRE(!pqt_thread_attach(&attach) && attach.status == PQT_ERROR_THREAD);
    pqt_thread_detach();
    return true;
}

static bool
is_welcome(void *unused)
{
    (void)unused;
    pqt_error error = {0};
    REQUIRE(pqt_init(&error) && pqt_thread_attach(&error) && error.status == PQT_OK);
    pqt_memory *memory = pqti_memory_or_default(NULL, &error);
    REQUIRE(memory == pqt_collector());
    REQUIRE(is_whole(make_version(memory, 5), 5));
    pqti_collect(memory);
    pqt_thread_detach();
    return true;
}

static bool
refuses_until_main_has_called(void *unused)
{
    pqt_error error = {0};
    REQUIRE(in_thread(is_refused, unused));
    REQUIRE(pqt_init(&error) && error.status == PQT_OK);
    REQUIRE(in_thread(is_welcome, unused));
    REQUIRE(pqt_init(&error));
    return true;
}

static bool
starts_lazily(void *unused)
{
    REQUIRE(pqti_memory_or_default(NULL, NULL) == pqt_collector());
    REQUIRE(in_thread(is_welcome, unused));
    return true;
}

static bool
asks_for_the_collector(void *unused)
{
    (void)unused;
    const pqt_memory_stats stats = pqt_memory_get_stats(pqt_collector());
    REQUIRE(stats.bytes == 0 && stats.limit == 0 && stats.pins == 0);
    pqti_collect(pqt_collector());
    return true;
}

/* Had the thread started the collector, main could not use it. */
static bool
can_start_after_being_asked_for(void *unused)
{
    REQUIRE(in_thread(asks_for_the_collector, unused));
    return starts_lazily(unused);
}

static bool
uses_an_arena(void *unused)
{
    (void)unused;
    pqt_memory *arena = pqt_arena_make(0, NULL);
    REQUIRE(pqti_memory_or_default(arena, NULL) == arena);
    REQUIRE(is_whole(make_version(arena, 5), 5));
    pqt_arena_destroy(&arena);
    return true;
}

static bool
serves_arenas_before_the_start(void *unused)
{
    REQUIRE(in_thread(uses_an_arena, unused));
    REQUIRE(in_thread(is_refused, unused));
    return true;
}

/* Keeps all it gets in a list, until there is no more. */
static bool
fills_the_heap(void *memory)
{
    size_t given = 0;
    version *list = NULL;
    REQUIRE(pqt_thread_attach(NULL));
    for (version *next; (next = pqti_node(memory, sizeof *next)) != NULL; given++) {
        next->parts[0] = list;
        list = next;
    }
    REQUIRE(given * sizeof *list >= 1 << 20 && given * sizeof *list <= 8 << 20);
    REQUIRE(pqti_leaf(memory, 1 << 20) == NULL);
    for (; list != NULL; list = list->parts[0])
        given--;
    REQUIRE(given == 0);
    pqt_thread_detach();
    return true;
}

static bool
survives_a_full_heap(void *unused)
{
    (void)unused;
    pqt_error error = {0};
    setenv("GC_MAXIMUM_HEAP_SIZE", "8388608", 1);
    REQUIRE(pqt_init(NULL));
    pqt_memory *memory = pqt_collector();
    REQUIRE(in_thread(fills_the_heap, memory));
    pqti_collect(memory);
    REQUIRE(is_whole(make_version(memory, 5), 5));
    pqt_pin *pin = pqti_pin(memory, PQTI_KIND_TREE, &error, &error);
    REQUIRE(pin != NULL && error.status == PQT_OK);
    pqt_unpin(&pin);
    return true;
}

START_TEST(the_first_call_off_main_is_refused)
{
    ck_assert(in_child(refuses_until_main_has_called, NULL));
}
END_TEST

START_TEST(the_first_call_from_main_starts_the_collector)
{
    ck_assert(in_child(starts_lazily, NULL));
}
END_TEST

START_TEST(asking_for_the_collector_starts_nothing)
{
    ck_assert(in_child(can_start_after_being_asked_for, NULL));
}
END_TEST

START_TEST(an_arena_needs_no_start)
{
    ck_assert(in_child(serves_arenas_before_the_start, NULL));
}
END_TEST

START_TEST(a_full_heap_is_no_memory_and_nothing_worse)
{
    ck_assert(in_child(survives_a_full_heap, NULL));
}
END_TEST

/* ---- What the collector keeps, and what it reclaims ---- */

enum { PINNED = 1000, POINTERS = 4 };

/* Where the collector does not look: the array of pins is malloc'ed. */
typedef struct hoard {
    pqt_memory *memory;
    pqt_pin **pins;
} hoard;

static bool
fill_hoard(void *context)
{
    hoard *all = context;
    REQUIRE(pqt_thread_attach(NULL));
    for (unsigned i = 0; i < PINNED; i++) {
        version *made = make_version(all->memory, 1000 * (uint64_t)i);
        all->pins[i] = pqti_pin(all->memory, PQTI_KIND_TREE, made, NULL);
        REQUIRE(all->pins[i] != NULL);
    }
    pqt_thread_detach();
    return true;
}

/* Without attaching: readers of pinned versions need none. */
static bool
read_hoard(void *context)
{
    const hoard *all = context;
    for (unsigned i = 0; i < PINNED; i++)
        REQUIRE(is_whole(all->pins[i]->kept, 1000 * (uint64_t)i));
    return true;
}

/* Nor does unpinning need any. */
static bool
empty_hoard(void *context)
{
    const hoard *all = context;
    for (unsigned i = 0; i < PINNED; i++)
        pqt_unpin(&all->pins[i]);
    return true;
}

static hoard
make_hoard(void)
{
    hoard made = {make_memory(1), malloc(PINNED * sizeof *made.pins)};
    ck_assert_ptr_nonnull(made.pins);
    ck_assert(in_thread(fill_hoard, &made));
    return made;
}

START_TEST(pins_in_malloced_memory_keep_their_versions)
{
    hoard all = make_hoard();
    collect_and_overwrite(all.memory);
    ck_assert(in_thread(read_hoard, &all));
    ck_assert(in_thread(empty_hoard, &all));
    free(all.pins);
}
END_TEST

static uint64_t
used_bytes(pqt_memory *memory)
{
    pqti_collect(memory);
    pqti_collect(memory);
    return pqt_memory_get_stats(memory).bytes;
}

START_TEST(what_was_unpinned_is_reclaimed)
{
    const uint64_t before = used_bytes(make_memory(1));
    hoard all = make_hoard();
    const uint64_t pinned = used_bytes(all.memory);
    ck_assert(pinned >=
              before + PINNED * VERSION_BYTES / 2); /* what was free before is used first */
    ck_assert(in_thread(empty_hoard, &all));
    ck_assert(used_bytes(all.memory) <= pinned - PINNED * VERSION_BYTES / 2);
    free(all.pins);
}
END_TEST

static bool
reads_while_collecting(check_fn *check, hoard *all)
{
    job reader = {check, all, false, 0};
    begin(&reader);
    for (int i = 0; i < 20; i++)
        pqti_collect(all->memory);
    return end(&reader);
}

START_TEST(an_unattached_thread_may_read_and_unpin_during_collections)
{
    hoard all = make_hoard();
    ck_assert(reads_while_collecting(read_hoard, &all));
    ck_assert(reads_while_collecting(empty_hoard, &all));
    ck_assert_uint_eq(pqt_memory_get_stats(all.memory).pins, 0);
    free(all.pins);
}
END_TEST

/* Hides a pointer to each of many nodes in a leaf, the only one there is. */
static bool
hide_nodes_in_leaves(void *context)
{
    const hoard *all = context;
    REQUIRE(pqt_thread_attach(NULL));
    for (unsigned i = 0; i < PINNED; i++) {
        void **leaf = pqti_leaf(all->memory, 16);
        leaf[0] = make_version(all->memory, i);
        all->pins[i] = pqti_pin(all->memory, PQTI_KIND_TREE, leaf, NULL);
    }
    pqt_thread_detach();
    return true;
}

START_TEST(leaves_are_not_searched_for_pointers)
{
    hoard all = {make_memory(1), malloc(PINNED * sizeof *all.pins)};
    const uint64_t before = used_bytes(all.memory);
    ck_assert(in_thread(hide_nodes_in_leaves, &all));
    ck_assert(used_bytes(all.memory) <= before + PINNED * VERSION_BYTES / 2);
    ck_assert(in_thread(empty_hoard, &all));
    free(all.pins);
}
END_TEST

/* Each leaf is full of pointers to blocks that nothing else holds. */
static bool
fill_leaves_with_pointers(void *context)
{
    const hoard *all = context;
    REQUIRE(pqt_thread_attach(NULL));
    for (unsigned i = 0; i < PINNED; i++) {
        void **leaf = pqti_scanned_leaf(all->memory, POINTERS * sizeof *leaf);
        memset(leaf, 0, POINTERS * sizeof *leaf);
        all->pins[i] = pqti_pin(all->memory, PQTI_KIND_TREE, leaf, NULL);
        for (unsigned j = 0; j < POINTERS; j++) {
            leaf[j] = pqti_leaf(all->memory, sizeof(version));
            fill(leaf[j], i + j);
        }
    }
    pqt_thread_detach();
    return true;
}

static bool
follow_pointers_in_leaves(void *context)
{
    const hoard *all = context;
    for (unsigned i = 0; i < PINNED; i++)
        for (unsigned j = 0; j < POINTERS; j++)
            REQUIRE(is_filled(((void *const *)all->pins[i]->kept)[j], i + j));
    return true;
}

START_TEST(scanned_leaves_are_searched_to_their_last_word)
{
    hoard all = {make_memory(1), malloc(PINNED * sizeof *all.pins)};
    ck_assert(in_thread(fill_leaves_with_pointers, &all));
    collect_and_overwrite(all.memory);
    ck_assert(in_thread(follow_pointers_in_leaves, &all));
    ck_assert(in_thread(empty_hoard, &all));
    free(all.pins);
}
END_TEST

START_TEST(the_collector_counts_its_bytes_and_has_no_limit)
{
    pqt_memory *memory = make_memory(1);
    version *made = make_version(memory, 1);
    const pqt_memory_stats stats = pqt_memory_get_stats(memory);
    ck_assert(stats.bytes >= VERSION_BYTES);
    ck_assert(stats.limit == 0 && stats.pins == 0);
    ck_assert(is_whole(made, 1));
}
END_TEST

/* ---- Threads ---- */

static bool
allocates_unknown(void *memory)
{
    return pqti_node(memory, 16) != NULL;
}

START_TEST(a_thread_that_was_not_attached_may_not_allocate)
{
    in_thread(allocates_unknown, make_memory(1));
}
END_TEST

static bool
pins_unknown(void *memory)
{
    return pqti_pin(memory, PQTI_KIND_TREE, memory, NULL) != NULL;
}

START_TEST(a_thread_that_was_not_attached_may_not_pin)
{
    in_thread(pins_unknown, make_memory(1));
}
END_TEST

static bool
allocates_after_detaching(void *memory)
{
    REQUIRE(pqt_thread_attach(NULL));
    REQUIRE(pqti_node(memory, 16) != NULL);
    pqt_thread_detach();
    return pqti_node(memory, 16) != NULL;
}

START_TEST(a_thread_that_was_detached_may_not_allocate)
{
    in_thread(allocates_after_detaching, make_memory(1));
}
END_TEST

START_TEST(attaching_main_changes_nothing)
{
    pqt_memory *memory = make_memory(1);
    ck_assert(pqt_thread_attach(NULL));
    pqt_thread_detach();
    version *made = make_version(memory, 9);
    pqti_collect(memory);
    ck_assert(is_whole(made, 9));
}
END_TEST

static bool
attaches_twice(void *memory)
{
    pqt_thread_detach();
    REQUIRE(pqt_thread_attach(NULL) && pqt_thread_attach(NULL));
    version *made = make_version(memory, 9);
    pqti_collect(memory);
    REQUIRE(is_whole(made, 9));
    pqt_thread_detach();
    pqt_thread_detach();
    REQUIRE(pqt_thread_attach(NULL)); /* again, after all */
    REQUIRE(is_whole(make_version(memory, 8), 8));
    pqt_thread_detach();
    return true;
}

START_TEST(attaching_twice_is_attaching_once)
{
    ck_assert(in_thread(attaches_twice, make_memory(1)));
}
END_TEST

/* A stack that is to be seen: versions held by it alone, while main collects. */
typedef struct meeting {
    pqt_memory *memory;
    atomic_int arrived, released;
    bool blocks_signals;
} meeting;

static void
block_all(bool block)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(block ? SIG_BLOCK : SIG_UNBLOCK, &all, NULL);
}

static bool
is_blocked(int signal)
{
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    return sigismember(&mask, signal) == 1;
}

static bool
holds_versions(void *context)
{
    meeting *here = context;
    version *held[20];
    block_all(here->blocks_signals);
    REQUIRE(pqt_thread_attach(NULL));
    REQUIRE(is_blocked(SIGUSR1) == here->blocks_signals);
    for (unsigned i = 0; i < 20; i++)
        held[i] = make_version(here->memory, i);
    atomic_store(&here->arrived, 1);
    while (!atomic_load(&here->released))
        usleep(100);
    for (unsigned i = 0; i < 20; i++)
        REQUIRE(is_whole(held[i], i));
    pqt_thread_detach();
#ifdef __linux__
    REQUIRE(is_blocked(SIGPWR) == here->blocks_signals);
    REQUIRE(is_blocked(SIGXCPU) == here->blocks_signals);
#endif
    return true;
}

static void
collect_while_a_thread_holds_versions(bool blocks_signals)
{
    meeting here = {.memory = make_memory(1), .blocks_signals = blocks_signals};
    job holder = {holds_versions, &here, false, 0};
    begin(&holder);
    while (!atomic_load(&here.arrived))
        usleep(100);
    collect_and_overwrite(here.memory);
    atomic_store(&here.released, 1);
    ck_assert(end(&holder));
}

START_TEST(the_stack_of_an_attached_thread_keeps_versions)
{
    collect_while_a_thread_holds_versions(false);
}
END_TEST

START_TEST(a_thread_that_blocked_all_signals_can_be_attached)
{
    collect_while_a_thread_holds_versions(true);
}
END_TEST

static bool
makes_versions(void *memory)
{
    REQUIRE(pqt_thread_attach(NULL));
    for (unsigned i = 0; i < 200; i++) {
        version *made = make_version(memory, i);
        if (i % 20 == 0)
            pqti_collect(memory);
        REQUIRE(is_whole(made, i));
    }
    pqt_thread_detach();
    return true;
}

START_TEST(attached_threads_make_versions_at_once)
{
    pqt_memory *memory = make_memory(1);
    job jobs[THREADS];
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (job){makes_versions, memory, false, 0};
        begin(&jobs[i]);
    }
    for (int i = 0; i < THREADS; i++)
        ck_assert(end(&jobs[i]));
}
END_TEST

static bool
forgets_to_detach(void *memory)
{
    REQUIRE(pqt_thread_attach(NULL));
    return is_whole(make_version(memory, 2), 2);
}

/* Else the collector would wait for a thread that is gone, and stop the program. */
START_TEST(a_thread_that_ends_attached_is_detached)
{
    pqt_memory *memory = make_memory(1);
    for (int i = 0; i < 10; i++) {
        ck_assert(in_thread(forgets_to_detach, memory));
        pqti_collect(memory);
    }
}
END_TEST

static bool
works_on_in_a_child(void *context)
{
    version *made = context;
    pqt_memory *memory = pqt_collector();
    for (int i = 0; i < 5; i++) {
        pqti_collect(memory);
        REQUIRE(in_thread(make_garbage, memory));
    }
    REQUIRE(is_whole(made, 4));
    REQUIRE(is_whole(make_version(memory, 6), 6));
    return true;
}

START_TEST(a_child_works_on_with_its_copies)
{
    version *made = make_version(make_memory(1), 4);
    ck_assert(in_child(works_on_in_a_child, made));
    ck_assert(is_whole(made, 4));
}
END_TEST

/* The collector of the child must not wait for threads that only its parent has. */
START_TEST(a_child_works_on_without_the_other_threads)
{
    meeting here = {.memory = make_memory(1)};
    job holder = {holds_versions, &here, false, 0};
    version *made = make_version(here.memory, 4);
    begin(&holder);
    while (!atomic_load(&here.arrived))
        usleep(100);
    ck_assert(in_child(works_on_in_a_child, made));
    atomic_store(&here.released, 1);
    ck_assert(end(&holder));
}
END_TEST

static bool
forks_attached(void *memory)
{
    REQUIRE(pqt_thread_attach(NULL));
    version *made = make_version(memory, 4);
    REQUIRE(in_child(works_on_in_a_child, made));
    REQUIRE(is_whole(made, 4));
    pqt_thread_detach();
    return true;
}

START_TEST(a_child_of_an_attached_thread_works_on)
{
    ck_assert(in_thread(forks_attached, make_memory(1)));
}
END_TEST

/* ---- A build without the collector ---- */

START_TEST(a_build_without_the_collector_says_so)
{
    pqt_error error = {0};
    ck_assert_ptr_null(pqti_memory_or_default(NULL, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_UNSUPPORTED);
    ck_assert_str_eq(error.text, "memory: this build has no collector, give an arena");
}
END_TEST

START_TEST(a_build_without_the_collector_has_nothing_to_start)
{
    pqt_error error = {0};
    ck_assert(pqt_init(&error));
    ck_assert(pqt_thread_attach(&error));
    pqt_thread_detach();
    ck_assert_int_eq(error.status, PQT_OK);
}
END_TEST

/* Mistakes end the process, so they need one each; and a build that has not left the checks out. */
static bool
can_test_mistakes(void)
{
#ifdef NDEBUG
    return false;
#else
    const char *fork = getenv("CK_FORK");
    return fork == NULL || strcmp(fork, "no") != 0;
#endif
}

#define add_to_each(tests, test) tcase_add_loop_test(tests, test, 0, count_memories())
#define add_mistake(tests, test) tcase_add_test_raise_signal(tests, test, SIGABRT)

static void
add_starts(Suite *suite)
{
    TCase *tests = tcase_create("start");
    tcase_add_test(tests, the_first_call_off_main_is_refused);
    tcase_add_test(tests, the_first_call_from_main_starts_the_collector);
    tcase_add_test(tests, asking_for_the_collector_starts_nothing);
    tcase_add_test(tests, an_arena_needs_no_start);
    tcase_add_test(tests, a_full_heap_is_no_memory_and_nothing_worse);
    suite_add_tcase(suite, tests);
}

static void
add_memories(Suite *suite)
{
    TCase *tests = tcase_create("both memories");
    add_to_each(tests, nodes_are_zeroed);
    add_to_each(tests, blocks_are_aligned_and_apart);
    add_to_each(tests, blocks_take_no_more_than_they_were_asked_for);
    add_to_each(tests, a_pin_knows_its_memory_and_its_version);
    add_to_each(tests, pins_are_counted);
    tcase_add_test(tests, unpinning_nothing_does_nothing);
    add_to_each(tests, the_hook_sees_each_allocation);
    add_to_each(tests, the_hook_fails_one_allocation_of_any_kind);
    add_to_each(tests, the_hook_collects_at_each_nth_allocation);
    add_to_each(tests, the_memory_that_is_named_is_taken);
    tcase_add_test(tests, no_memory_is_told_unless_something_was_told_before);
    tcase_add_test(tests, scratch_is_refused_where_its_size_overflows);
    tcase_add_test(tests, scratch_of_nothing_is_no_failure);
    suite_add_tcase(suite, tests);
}

static void
add_arena(Suite *suite)
{
    TCase *tests = tcase_create("arena");
    tcase_add_test(tests, an_arena_begins_with_nothing);
    tcase_add_test(tests, destroying_no_arena_does_nothing);
    tcase_add_test(tests, an_arena_never_takes_more_than_its_limit);
    tcase_add_test(tests, a_full_arena_still_has_room_for_smaller_blocks);
    tcase_add_test(tests, an_arena_refuses_sizes_that_overflow);
    tcase_add_test(tests, large_blocks_among_small_ones_cost_little_more_than_themselves);
    tcase_add_test(tests, threads_may_share_an_arena);
    tcase_add_test(tests, threads_that_share_an_arena_meet_its_limit);
    suite_add_tcase(suite, tests);
}

static void
add_collector(Suite *suite)
{
    TCase *tests = tcase_create("collector");
    tcase_add_test(tests, pins_in_malloced_memory_keep_their_versions);
    tcase_add_test(tests, what_was_unpinned_is_reclaimed);
    tcase_add_test(tests, an_unattached_thread_may_read_and_unpin_during_collections);
    tcase_add_test(tests, leaves_are_not_searched_for_pointers);
    tcase_add_test(tests, scanned_leaves_are_searched_to_their_last_word);
    tcase_add_test(tests, the_collector_counts_its_bytes_and_has_no_limit);
    tcase_add_test(tests, attaching_main_changes_nothing);
    tcase_add_test(tests, attaching_twice_is_attaching_once);
    tcase_add_test(tests, the_stack_of_an_attached_thread_keeps_versions);
    tcase_add_test(tests, a_thread_that_blocked_all_signals_can_be_attached);
    tcase_add_test(tests, attached_threads_make_versions_at_once);
    tcase_add_test(tests, a_thread_that_ends_attached_is_detached);
    tcase_add_test(tests, a_child_works_on_with_its_copies);
    tcase_add_test(tests, a_child_works_on_without_the_other_threads);
    tcase_add_test(tests, a_child_of_an_attached_thread_works_on);
    suite_add_tcase(suite, tests);
}

static void
add_absence(Suite *suite)
{
    TCase *tests = tcase_create("no collector");
    tcase_add_test(tests, a_build_without_the_collector_says_so);
    tcase_add_test(tests, a_build_without_the_collector_has_nothing_to_start);
    suite_add_tcase(suite, tests);
}

static void
add_mistakes(Suite *suite)
{
    TCase *tests = tcase_create("mistakes");
    add_mistake(tests, a_block_has_a_size);
    add_mistake(tests, a_size_is_a_multiple_of_16);
    add_mistake(tests, a_pin_has_something_to_keep);
    add_mistake(tests, stats_have_a_memory);
    add_mistake(tests, the_pins_of_an_arena_must_be_gone_before_it);
    if (pqt_collector() != NULL) {
        add_mistake(tests, the_collector_cannot_be_destroyed);
        add_mistake(tests, a_thread_that_was_not_attached_may_not_allocate);
        add_mistake(tests, a_thread_that_was_not_attached_may_not_pin);
        add_mistake(tests, a_thread_that_was_detached_may_not_allocate);
    }
    suite_add_tcase(suite, tests);
}

int
main(void)
{
    Suite *suite = suite_create("memory");
    if (pqt_collector() != NULL)
        add_starts(suite); /* first: without fork, a later test would have started it */
    add_memories(suite);
    add_arena(suite);
    if (pqt_collector() != NULL)
        add_collector(suite);
    else
        add_absence(suite);
    if (can_test_mistakes())
        add_mistakes(suite);
    return run_suite(suite);
}
