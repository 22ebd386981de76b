/* SPDX-License-Identifier: MIT */
/* test_heap_fork.c: tests that a child of a fork continues with its copy of a heap. */
#include "config.h"

#include <pqt.h>

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "heap_cycles.h"
#include "heap_support.h"
#include "memory_support.h"
#include "random.h"
#include "suite.h"

static bool
works_in_a_child(void *context)
{
    pqt_memory *heap = context;
    const pqt_tree *tree = make_full_tree(heap, 1000, true);
    pqt_pin *pin = pqt_tree_pin(tree, NULL);
    REQUIRE(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    REQUIRE(pqt_tree_check(pqt_pin_get_tree(pin), NULL));
    pqt_unpin(&pin);
    return true;
}

typedef struct sleeper {
    pqt_memory *heap;
    atomic_bool is_in_scope, may_end;
} sleeper;

static bool
sleeps_in_a_scope(void *context)
{
    sleeper *s = context;
    REQUIRE(pqt_scope_begin(s->heap, NULL));
    atomic_store(&s->is_in_scope, true);
    while (!atomic_load(&s->may_end))
        sched_yield();
    pqt_scope_end(s->heap);
    return true;
}

START_TEST(a_child_of_fork_reclaims_although_a_thread_of_its_parent_was_in_a_scope)
{
    sleeper s = {.heap = make_heap()};
    job other = {.check = sleeps_in_a_scope, .context = &s};
    begin(&other);
    while (!atomic_load(&s.is_in_scope))
        sched_yield();
    ck_assert(!pqt_memory_reclaim(s.heap, PQT_RECLAIM_ALL));
    ck_assert(in_child(works_in_a_child, s.heap));
    atomic_store(&s.may_end, true);
    ck_assert(end(&other));
    reclaim_all(s.heap);
    pqt_heap_destroy(&s.heap);
}
END_TEST

typedef struct cycler {
    pqt_memory *heap;
    pqt_head *head;
    atomic_bool ends;
    atomic_size_t rounds;
} cycler;

/* Does not use ck_assert, because a child would inherit its lock. */
static const pqt_tree *
nudge_quietly(const pqt_tree *tree, uint64_t id, double by)
{
    pqt_item item;
    if (tree == NULL || !pqt_tree_find(tree, id, &item))
        return NULL;
    item.box.min.x += by;
    item.box.max.x += by;
    return pqt_tree_move_id(tree, id, item.box, NULL);
}

static bool
edits_and_reclaims(void *context)
{
    cycler *c = context;
    for (uint64_t i = 0; !atomic_load(&c->ends); i++) {
        REQUIRE(pqt_scope_begin(c->heap, NULL));
        const pqt_tree *tree = pqt_head_load(c->head, NULL);
        tree = nudge_quietly(tree, i % 500, i / 500 % 2 ? 1 : -1);
        REQUIRE(tree != NULL && pqt_head_publish(c->head, tree, NULL));
        pqt_scope_end(c->heap);
        pqt_memory_reclaim(c->heap, i % 8 == 0 ? PQT_RECLAIM_ALL : 1000);
        atomic_fetch_add(&c->rounds, 1);
    }
    return true;
}

static bool
continues_in_a_child(void *context)
{
    cycler *c = context;
    for (uint64_t i = 0; i < 4; i++) {
        pqt_pin *pin = pqt_head_pin(c->head, NULL, NULL);
        REQUIRE(pin != NULL && pqt_tree_check(pqt_pin_get_tree(pin), NULL));
        const pqt_tree *tree = nudge_quietly(pqt_pin_get_tree(pin), i, 1);
        REQUIRE(tree != NULL && pqt_tree_check(tree, NULL));
        pqt_unpin(&pin);
        REQUIRE(pqt_memory_reclaim(c->heap, PQT_RECLAIM_ALL));
    }
    return true;
}

START_TEST(a_child_continues_the_cycle_of_another_thread)
{
    cycler c = {.heap = make_heap()};
    c.head = pqt_head_make(make_full_tree(c.heap, 500, true), NULL);
    job other = {.check = edits_and_reclaims, .context = &c};
    begin(&other);
    while (atomic_load(&c.rounds) < 10)
        sched_yield();
    bool passed = true;
    for (size_t i = 0; passed && i < test_scaled(60); i++)
        passed = in_child(continues_in_a_child, &c);
    atomic_store(&c.ends, true);
    ck_assert(end(&other));
    ck_assert(passed);
    pqt_head_destroy(&c.head);
    pqt_heap_destroy(&c.heap);
}
END_TEST

/* A thread in the middle of a slice, in the callback that releases a block. */
typedef struct releaser {
    pqt_memory *heap;
    atomic_bool may_wait, is_inside, has_forked;
    atomic_bool was_inside; /* remains true, unlike is_inside: a thread may wait for it */
} releaser;

static void *
allocate_plainly(size_t bytes, size_t alignment, void *context)
{
    (void)context;
    return aligned_alloc(alignment, bytes);
}

/* Waits for a fork, once. Gives up after YIELDS, because the fork waits for the end of the
 * slice. */
static void
release_slowly(void *memory, size_t bytes, void *context)
{
    enum { YIELDS = 20000 };
    releaser *r = context;
    (void)bytes;
    if (atomic_exchange(&r->may_wait, false)) {
        atomic_store(&r->is_inside, true);
        atomic_store(&r->was_inside, true);
        for (int i = 0; i < YIELDS && !atomic_load(&r->has_forked); i++)
            sched_yield();
        atomic_store(&r->is_inside, false);
    }
    free(memory);
}

static bool
releases_blocks(void *context)
{
    releaser *r = context;
    return pqt_memory_reclaim(r->heap, PQT_RECLAIM_ALL);
}

static bool
is_outside_in_a_child(void *context)
{
    releaser *r = context;
    REQUIRE(!atomic_load(&r->is_inside));
    return works_in_a_child(r->heap);
}

START_TEST(a_fork_waits_for_the_slice_of_another_thread)
{
    releaser r = {.heap = NULL};
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.allocate = allocate_plainly;
    options.release = release_slowly;
    options.context = &r;
    r.heap = pqt_heap_make(&options, NULL);
    /* A leaf that is larger than a slab is released when it is swept. */
    pqt_tree_options tree_options = PQT_TREE_DEFAULTS;
    tree_options.memory = r.heap;
    tree_options.leaf_capacity = PQT_MAX_CAPACITY;
    const pqt_tree *tree = pqt_tree_make(bounds, &tree_options, NULL);
    for (uint64_t i = 0; i < PQT_MAX_CAPACITY; i++)
        tree = pqt_tree_insert(tree, item_of(i), NULL);
    ck_assert_ptr_nonnull(tree);
    atomic_store(&r.may_wait, true);
    job other = {.check = releases_blocks, .context = &r};
    begin(&other);
    while (!atomic_load(&r.was_inside))
        sched_yield();
    const bool passed = in_child(is_outside_in_a_child, &r);
    atomic_store(&r.has_forked, true);
    ck_assert(end(&other));
    ck_assert(passed);
    pqt_heap_destroy(&r.heap);
}
END_TEST

/* A thread that has stored a version in a pin or a head. It is suspended before it passes the
   version to the cycle, in a function that replaces the heap's own. */
typedef struct half_done {
    pqt_memory *heap;
    pqt_head *head;
    const pqti_memory_calls *calls; /* the heap's own functions */
    bool pins;                      /* if set, it pins a version, otherwise it publishes one */
    atomic_bool has_version, may_store, is_suspended, may_end;
} half_done;

static half_done *suspended;

static void
suspend(void)
{
    atomic_store(&suspended->is_suspended, true);
    while (!atomic_load(&suspended->may_end))
        sched_yield();
}

static void
set_pin_late(pqt_memory *memory, pqt_pin *pin)
{
    suspend();
    suspended->calls->reclaiming->pin_set(memory, pin);
}

static void
add_root_late(pqt_memory *memory, const void *block)
{
    suspend();
    suspended->calls->reclaiming->root_added(memory, block);
}

static bool
stores_halfway(void *context)
{
    half_done *h = context;
    pqt_pin *pin = NULL;
    REQUIRE(pqt_scope_begin(h->heap, NULL));
    const pqt_tree *tree = pqt_head_load(h->head, NULL);
    if (!h->pins)
        tree = nudge_quietly(tree, 1, 1);
    /* The blocks of the tree are no longer in the cache of the thread. */
    for (uint64_t i = 0; i < 200; i++)
        (void)nudge_quietly(tree, i, 2);
    atomic_store(&h->has_version, true);
    while (!atomic_load(&h->may_store))
        sched_yield();
    if (h->pins)
        REQUIRE((pin = pqt_tree_pin(tree, NULL)) != NULL);
    else
        REQUIRE(pqt_head_publish(h->head, tree, NULL));
    pqt_scope_end(h->heap);
    REQUIRE(pqt_tree_check(tree, NULL));
    pqt_unpin(&pin);
    return true;
}

static bool
ends_two_cycles_in_a_child(void *context)
{
    const half_done *h = context;
    h->heap->calls = h->calls;
    for (int i = 0; i < 2; i++) {
        REQUIRE(pqt_memory_reclaim(h->heap, PQT_RECLAIM_ALL));
        pqt_pin *pin = pqt_head_pin(h->head, NULL, NULL);
        REQUIRE(pin != NULL && pqt_tree_check(pqt_pin_get_tree(pin), NULL));
        pqt_unpin(&pin);
    }
    return true;
}

/* The thread uses a version that no root holds after the head received another one. */
START_TEST(a_child_marks_what_a_thread_of_its_parent_had_just_stored)
{
    half_done h = {.heap = make_heap(), .pins = _i == 1};
    h.head = pqt_head_make(make_full_tree(h.heap, 500, true), NULL);
    h.calls = h.heap->calls;
    suspended = &h;
    pqti_reclaiming_calls late = *h.calls->reclaiming;
    pqti_memory_calls calls = *h.calls;
    if (h.pins)
        late.pin_set = set_pin_late;
    else
        late.root_added = add_root_late;
    calls.reclaiming = &late;
    job other = {.check = stores_halfway, .context = &h};
    begin(&other);
    while (!atomic_load(&h.has_version))
        sched_yield();
    if (h.pins)
        ck_assert(pqt_head_publish(h.head, make_full_tree(h.heap, 400, true), NULL));
    h.heap->calls = &calls;
    /* The cycle scans all roots, and waits for the thread's scope. */
    ck_assert(!pqt_memory_reclaim(h.heap, PQT_RECLAIM_ALL));
    atomic_store(&h.may_store, true);
    while (!atomic_load(&h.is_suspended))
        sched_yield();
    const bool passed = in_child(ends_two_cycles_in_a_child, &h);
    atomic_store(&h.may_end, true);
    ck_assert(end(&other));
    ck_assert(passed);
    h.heap->calls = h.calls;
    pqt_head_destroy(&h.head);
    reclaim_all(h.heap);
    pqt_heap_destroy(&h.heap);
}
END_TEST

static void
pass_nothing_on(pqt_memory *memory, pqt_pin *pin)
{
    (void)memory;
    (void)pin;
}

/* A pin that another thread of the parent has just set, before it passed the version to the cycle:
   the child scans the pins from the first one. */
typedef struct new_pin {
    pqt_memory *heap;
    const pqti_memory_calls *calls; /* the heap's own functions */
    pqt_pin *pin;
} new_pin;

static bool
keeps_a_new_pin_in_a_child(void *context)
{
    const new_pin *n = context;
    n->heap->calls = n->calls;
    pqt_scope_end(n->heap);
    REQUIRE(pqt_memory_reclaim(n->heap, PQT_RECLAIM_ALL));
    (void)make_full_tree(n->heap, 1000, false); /* would reuse the freed blocks */
    return pqt_tree_check(pqt_pin_get_tree(n->pin), NULL);
}

START_TEST(a_child_scans_all_pins_although_its_parent_had_scanned_some)
{
    enum { PINS = 400 };
    new_pin n = {.heap = make_heap()};
    pqt_pin *pins[PINS];
    for (uint64_t i = 0; i < PINS; i++)
        pins[i] = pqt_tree_pin(make_full_tree(n.heap, 3, true), NULL);
    ck_assert(pqt_scope_begin(n.heap, NULL));
    const pqt_tree *tree = make_full_tree(n.heap, 200, true);
    advance_to(n.heap, PQTI_MARKING);
    /* In the middle of the fourth word, from pin 2 of the word or later. */
    while (inside_of(n.heap)->pin_word != 3 || !inside_of(n.heap)->pins_in_word ||
           (inside_of(n.heap)->pins_rest & 3) != 0)
        (void)pqt_memory_reclaim(n.heap, 1);
    pqt_unpin(&pins[1]); /* the new pin takes its place, pin 1 of the first word */
    n.calls = n.heap->calls;
    pqti_reclaiming_calls late = *n.calls->reclaiming;
    pqti_memory_calls calls = *n.calls;
    late.pin_set = pass_nothing_on;
    calls.reclaiming = &late;
    n.heap->calls = &calls;
    n.pin = pqt_tree_pin(tree, NULL);
    ck_assert_ptr_nonnull(n.pin);
    ck_assert(in_child(keeps_a_new_pin_in_a_child, &n));
    n.heap->calls = n.calls;
    pqt_unpin(&n.pin);
    for (uint64_t i = 0; i < PINS; i++)
        pqt_unpin(&pins[i]);
    pqt_scope_end(n.heap);
    pqt_heap_destroy(&n.heap);
}
END_TEST

static bool
layouts_are_unlocked_in_a_child(void *layout)
{
    return pqti_layout_id(layout) > 0;
}

static bool
locks_layouts(void *context)
{
    releaser *r = context;
    pqti_lock_layouts();
    atomic_store(&r->was_inside, true);
    while (!atomic_load(&r->has_forked))
        sched_yield();
    pqti_unlock_layouts();
    return true;
}

static bool
lets_go(void *context)
{
    releaser *r = context;
    for (int i = 0; i < 1000; i++)
        sched_yield();
    atomic_store(&r->has_forked, true);
    return true;
}

START_TEST(a_fork_waits_for_a_thread_that_gives_a_layout_its_id)
{
    static pqti_layout layout = PQTI_LAYOUT(64, 1);
    releaser r = {.heap = make_heap()};
    job holder = {.check = locks_layouts, .context = &r};
    job other = {.check = lets_go, .context = &r};
    begin(&holder);
    while (!atomic_load(&r.was_inside))
        sched_yield();
    begin(&other);
    ck_assert(in_child(layouts_are_unlocked_in_a_child, &layout));
    ck_assert(end(&holder) && end(&other));
    pqt_heap_destroy(&r.heap);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("heap fork");
    TCase *tests = tcase_create("heap fork");
    tcase_add_test(tests, a_child_of_fork_reclaims_although_a_thread_of_its_parent_was_in_a_scope);
    tcase_add_test(tests, a_child_continues_the_cycle_of_another_thread);
    tcase_add_test(tests, a_fork_waits_for_the_slice_of_another_thread);
    tcase_add_loop_test(tests, a_child_marks_what_a_thread_of_its_parent_had_just_stored, 0, 2);
    tcase_add_test(tests, a_child_scans_all_pins_although_its_parent_had_scanned_some);
    tcase_add_test(tests, a_fork_waits_for_a_thread_that_gives_a_layout_its_id);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
