/* SPDX-License-Identifier: MIT */
/*
 * test_locks.c: tests that threads wait for each other wherever the library takes a lock.
 *
 * Each test makes several threads change what one lock protects, as often as possible and at the
 * same time. Thread sanitizer reports each pair of accesses that no lock orders (check_tsan). In
 * other builds, the tests compare what the threads leave with a model, or rely on the functions
 * that check versions.
 *
 * test_holders.c has threads that make many edits and reclaim within them. Here the edits are those
 * that change what a cycle may be reading: names, replaced and dropped entries, and holders, heaps
 * and threads that begin and end.
 */
#include "config.h"

#include <pqt.h>
#include <pqt/stores.h>
#include <pqt/worlds.h>

#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fork.h"
#include "memory_support.h"
#include "random.h"
#include "store_support.h"
#include "suite.h"
#include "tree_support.h"

#if PQT_WITH_COLLECTOR
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#endif

static const pqt_box places = {{0, 0}, {1000, 1000}};

/* ---- Versions that carry a number ---- */

/* A tree of ITEMS items. The box of item 0 is that of the number; no other item moves. */
enum { ITEMS = 6, PLACES = 900 };

static pqt_box
box_of(uint64_t number)
{
    const double x = (double)(number % PLACES), y = (double)(number / PLACES % PLACES);
    return (pqt_box){{x, y}, {x + 5, y + 5}};
}

static const pqt_tree *
make_numbered(pqt_memory *heap, uint64_t number)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = heap;
    options.unique_ids = true;
    const pqt_tree *tree = pqt_tree_make(places, &options, NULL);
    for (uint64_t id = 0; id < ITEMS; id++)
        tree = pqt_tree_insert(tree, (pqt_item){box_of(number + id * 7), id}, NULL);
    return tree;
}

static bool
has_number(const pqt_tree *tree, uint64_t number)
{
    return tree != NULL && pqt_tree_count(tree) == ITEMS &&
           pqt_tree_contains(tree, (pqt_item){box_of(number), 0});
}

/* ---- Histories ---- */

enum { MOST_PUSHES = 400, TEXT = 48 };

/* The contents of an entry after its last push and its last name. */
typedef struct expected {
    bool exists;
    bool is_named;
    uint64_t number; /* of the version */
    uint64_t name;
} expected;

typedef struct editor {
    pqt_memory *heap;
    pqt_history *history;
    const char *way;
    size_t rounds;
    uint64_t next; /* the number of the next version or name */
    expected entries[MOST_PUSHES + 1];
    uint64_t count; /* the number of the next entry */
    size_t seen;    /* the number of entries of the last visit */
    bool is_right;  /* the result of the last visit */
    dice d;
} editor;

static void
write_text(const char *what, uint64_t number, char text[TEXT])
{
    snprintf(text, TEXT, "%s %llu", what, (unsigned long long)number);
}

static bool
is_expected(const pqt_history_entry *entry, const expected *e)
{
    char label[TEXT], name[TEXT];
    write_text("label", e->number, label);
    write_text("name", e->name, name);
    return e->exists && has_number(entry->value, e->number) && strcmp(entry->label, label) == 0 &&
           (e->is_named ? entry->name != NULL && strcmp(entry->name, name) == 0
                        : entry->name == NULL);
}

static bool
compares_entry(const pqt_history_entry *entry, void *context)
{
    editor *e = context;
    e->seen++;
    e->is_right =
        e->is_right && entry->number < e->count && is_expected(entry, &e->entries[entry->number]);
    return e->is_right;
}

/* Checks all entries. */
static bool
check_entries(editor *e)
{
    size_t count = 0;
    e->seen = 0;
    e->is_right = true;
    for (uint64_t i = 0; i < e->count; i++)
        count += e->entries[i].exists;
    REQUIRE(pqt_history_visit(e->history, compares_entry, e) && e->is_right);
    REQUIRE(e->seen == count);
    return true;
}

/* Removes the entries from the model that a call was free to drop, and has dropped. */
static bool
learn_dropped(editor *e)
{
    for (uint64_t i = 0; i < e->count; i++) {
        pqt_history_entry entry;
        const bool exists = pqt_history_get_entry(e->history, i, &entry);
        REQUIRE(!exists || e->entries[i].exists);
        REQUIRE(exists || !e->entries[i].is_named);
        e->entries[i].exists = exists;
    }
    return true;
}

static bool
begin_history(editor *e)
{
    char label[TEXT];
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.indexed = strcmp(e->way, "indexed") == 0;
    options.max_entries = strcmp(e->way, "full") == 0 ? 12 : options.indexed ? 24 : 0;
    options.label = label;
    e->entries[0] = (expected){.exists = true, .number = e->next++};
    e->count = 1;
    write_text("label", e->entries[0].number, label);
    REQUIRE(pqt_scope_begin(e->heap, NULL));
    const pqt_tree *first = make_numbered(e->heap, e->entries[0].number);
    e->history = pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), first, &options, NULL);
    pqt_scope_end(e->heap);
    REQUIRE(e->history != NULL);
    return true;
}

/* Pushes a version. With a key, it may replace the current entry. */
static bool
push_numbered(editor *e, uint64_t key)
{
    char label[TEXT];
    const uint64_t before = pqt_history_current(e->history);
    const expected made = {.exists = true, .number = e->next++};
    write_text("label", made.number, label);
    const pqt_history_entry_info info = {.label = label, .key = key};
    REQUIRE(pqt_scope_begin(e->heap, NULL));
    const pqt_tree *tree =
        pqt_tree_move_id(pqt_history_value(e->history), 0, box_of(made.number), NULL);
    const bool done = pqt_history_push(e->history, tree, &info, NULL);
    pqt_scope_end(e->heap);
    REQUIRE(done);
    const uint64_t now = pqt_history_current(e->history);
    REQUIRE(now == before || now == e->count);
    e->entries[now] = made;
    e->count += now != before;
    return learn_dropped(e);
}

/* Names an entry, or removes its name. */
static bool
name_one(editor *e, uint64_t entry, bool is_named)
{
    char name[TEXT];
    if (!e->entries[entry].exists)
        return true;
    write_text("name", e->next, name);
    REQUIRE(pqt_history_set_name(e->history, entry, is_named ? name : NULL, NULL));
    e->entries[entry].is_named = is_named;
    e->entries[entry].name = e->next++;
    return true;
}

static bool
go_to(editor *e, uint64_t entry)
{
    return !e->entries[entry].exists || pqt_history_checkout(e->history, entry, NULL);
}

static bool
drop_one(editor *e, uint64_t entry)
{
    const bool drops = entry != 0 && e->entries[entry].exists && !e->entries[entry].is_named &&
                       entry != pqt_history_current(e->history);
    REQUIRE(pqt_history_drop(e->history, entry, NULL) == drops);
    e->entries[entry].exists = e->entries[entry].exists && !drops;
    return true;
}

static bool
drop_branch(editor *e, uint64_t entry)
{
    REQUIRE(!e->entries[entry].exists || pqt_history_drop_branch(e->history, entry, NULL));
    return learn_dropped(e);
}

static bool
thin(editor *e, size_t recent)
{
    REQUIRE(pqt_history_thin(e->history, recent, NULL));
    return learn_dropped(e);
}

static bool
edit_at_random(editor *e)
{
    const uint64_t entry = dice_below(&e->d, e->count);
    const size_t what = dice_below(&e->d, 100);
    if (what < 30)
        return push_numbered(e, 0);
    if (what < 45)
        return push_numbered(e, 5);
    if (what < 75)
        return name_one(e, entry, what < 60);
    if (what < 83)
        return drop_one(e, entry);
    if (what < 90)
        return go_to(e, entry);
    return what < 92 ? drop_branch(e, entry) : what < 94 ? thin(e, dice_below(&e->d, 30)) : true;
}

/* All entries have names, except the last one. So each push drops the entry before it. */
static bool
edit_full(editor *e)
{
    return e->count <= 12 ? push_numbered(e, 0) && name_one(e, e->count - 1, e->count < 12)
                          : push_numbered(e, e->next % 2 == 0 ? 0 : 5);
}

static bool
edits_histories(void *context)
{
    editor *e = context;
    const bool is_full = strcmp(e->way, "full") == 0;
    for (size_t i = 0; i < e->rounds; i++) {
        REQUIRE(begin_history(e));
        while (e->count < MOST_PUSHES) {
            REQUIRE(is_full ? edit_full(e) : edit_at_random(e));
            if (e->next % 16 == 0)
                REQUIRE(check_entries(e));
        }
        REQUIRE(check_entries(e));
        pqt_history_destroy(&e->history);
    }
    return true;
}

/* ---- Crews: threads that change one heap ---- */

enum { MOST_JOBS = 6 };

typedef struct crew {
    pqt_memory *heap;
    pqt_head *head;
    atomic_bool ends;
} crew;

/* Reclaims in slices of 1 to 300 blocks without a pause. */
static bool
reclaims(void *context)
{
    crew *c = context;
    dice d = {test_seed("reclaims")};
    while (!atomic_load(&c->ends))
        (void)pqt_memory_reclaim(c->heap,
                                 dice_chance(&d, 5) ? PQT_RECLAIM_ALL : 1 + dice_below(&d, 300));
    return true;
}

static bool
run_crew(crew *c, job *jobs, size_t count)
{
    bool passed = true;
    job reclaimer = {.check = reclaims, .context = c};
    begin(&reclaimer);
    for (size_t i = 0; i < count; i++)
        begin(&jobs[i]);
    for (size_t i = 0; i < count; i++)
        passed = end(&jobs[i]) && passed;
    atomic_store(&c->ends, true);
    return end(&reclaimer) && passed;
}

static pqt_memory *
make_heap(void)
{
    pqt_memory *heap = pqt_heap_make(NULL, NULL);
    ck_assert_ptr_nonnull(heap);
    return heap;
}

/* Nothing is left once all holders and threads have ended. */
static void
destroy_empty(pqt_memory *heap)
{
    ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    ck_assert_uint_gt(pqt_memory_get_stats(heap).collections, 0);
    ck_assert_uint_eq(pqt_memory_get_stats(heap).pins, 0);
    ck_assert_uint_eq(pqt_memory_get_stats(heap).used_bytes, 0);
    pqt_heap_destroy(&heap);
}

static const char *const ways[] = {"plain", "indexed", "full"};

START_TEST(histories_keep_each_entry_while_another_thread_reclaims_in_slices)
{
    crew c = {.heap = make_heap()};
    static editor editors[2];
    job jobs[2];
    for (size_t i = 0; i < 2; i++) {
        editors[i] = (editor){.heap = c.heap, .way = ways[_i], .rounds = test_scaled(5)};
        editors[i].d.state = test_seed(ways[_i]) + i;
        jobs[i] = (job){.check = edits_histories, .context = &editors[i]};
    }
    ck_assert(run_crew(&c, jobs, 2));
    destroy_empty(c.heap);
}
END_TEST

/* ---- Heads ---- */

enum { PUBLICATIONS = 1200 };

static const void *
number_next(const void *tree, void *context, pqt_error *error)
{
    return pqt_tree_move_id(tree, 0, box_of(*(uint64_t *)context), error);
}

static bool
publishes(void *context)
{
    crew *c = context;
    const size_t last = test_scaled(PUBLICATIONS);
    for (uint64_t number = 2; number <= last; number++)
        REQUIRE(pqt_head_update(c->head, number_next, &number, NULL, NULL) != NULL);
    return true;
}

/* Waits for each version, and pins it. */
static bool
waits_and_pins(void *context)
{
    crew *c = context;
    const size_t last = test_scaled(PUBLICATIONS);
    uint64_t number = 1;
    while (number < last) {
        REQUIRE(pqt_head_wait(c->head, number, 1e9));
        const uint64_t before = number;
        pqt_pin *pin = pqt_head_pin(c->head, &number, NULL);
        REQUIRE(pin != NULL && number > before && has_number(pqt_pin_get_tree(pin), number));
        pqt_unpin(&pin);
    }
    return true;
}

/* Makes heads and destroys them. */
static bool
makes_heads(void *context)
{
    const crew *c = context;
    for (uint64_t number = 0; number < test_scaled(PUBLICATIONS); number++) {
        REQUIRE(pqt_scope_begin(c->heap, NULL));
        pqt_head *head = pqt_head_make(make_numbered(c->heap, number), NULL);
        pqt_scope_end(c->heap);
        REQUIRE(head != NULL);
        pqt_pin *pin = pqt_head_pin(head, NULL, NULL);
        REQUIRE(pin != NULL && has_number(pqt_pin_get_tree(pin), number));
        pqt_unpin(&pin);
        pqt_head_destroy(&head);
    }
    return true;
}

START_TEST(heads_are_made_and_waited_for_while_another_thread_reclaims_in_slices)
{
    crew c = {.heap = make_heap()};
    ck_assert(pqt_scope_begin(c.heap, NULL));
    c.head = pqt_head_make(make_numbered(c.heap, 1), NULL);
    pqt_scope_end(c.heap);
    ck_assert_ptr_nonnull(c.head);
    job jobs[] = {{.check = publishes, .context = &c},
                  {.check = waits_and_pins, .context = &c},
                  {.check = waits_and_pins, .context = &c},
                  {.check = makes_heads, .context = &c}};
    ck_assert(run_crew(&c, jobs, 4));
    pqt_head_destroy(&c.head);
    destroy_empty(c.heap);
}
END_TEST

/* ---- Threads that begin and end ---- */

/* Makes a tree whose leaf needs a slab of its own, and keeps it by a pin for a while. */
static bool
uses_large_blocks(void *context)
{
    const crew *c = context;
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = c->heap;
    options.leaf_capacity = PQT_MAX_CAPACITY;
    pqt_item items[PQT_MAX_CAPACITY];
    for (uint64_t i = 0; i < PQT_MAX_CAPACITY; i++)
        items[i] = (pqt_item){box_of(i), i};
    REQUIRE(pqt_scope_begin(c->heap, NULL));
    const pqt_tree *tree = pqt_tree_make(places, &options, NULL);
    tree = pqt_tree_insert_all(tree, items, PQT_MAX_CAPACITY, NULL);
    pqt_pin *pin = pqt_tree_pin(tree, NULL);
    pqt_scope_end(c->heap);
    REQUIRE(pin != NULL && pqt_tree_count(pqt_pin_get_tree(pin)) == PQT_MAX_CAPACITY);
    REQUIRE(pqt_tree_check(pqt_pin_get_tree(pin), NULL));
    pqt_unpin(&pin);
    return true;
}

/* Pins more versions in a scope than a ring of pins takes. Ends within a scope. */
static bool
pins_many(void *context)
{
    enum { PINS = 300 };
    const crew *c = context;
    pqt_pin *pins[PINS];
    const pqt_tree *trees[PINS];
    REQUIRE(pqt_scope_begin(c->heap, NULL));
    trees[0] = make_numbered(c->heap, 0);
    for (uint64_t i = 1; i < PINS; i++)
        trees[i] = pqt_tree_move_id(trees[i - 1], 0, box_of(i), NULL);
    for (size_t i = 0; i < PINS; i++)
        REQUIRE((pins[i] = pqt_tree_pin(trees[i], NULL)) != NULL);
    pqt_scope_end(c->heap);
    for (size_t i = 0; i < PINS; i++) {
        REQUIRE(has_number(pqt_pin_get_tree(pins[i]), i));
        pqt_unpin(&pins[i]);
    }
    return pqt_scope_begin(c->heap, NULL);
}

static bool
begins_threads(void *context)
{
    crew *c = context;
    REQUIRE(pqt_thread_attach(NULL));
    for (size_t i = 0; i < test_scaled(20); i++) {
        REQUIRE(in_thread(uses_large_blocks, c));
        REQUIRE(in_thread(pins_many, c));
        REQUIRE(pqt_memory_get_stats(c->heap).used_bytes <= pqt_memory_get_stats(c->heap).bytes);
    }
    pqt_thread_detach();
    return true;
}

START_TEST(threads_begin_and_end_while_another_thread_reclaims_in_slices)
{
    crew c = {.heap = make_heap()};
    job jobs[] = {{.check = begins_threads, .context = &c},
                  {.check = begins_threads, .context = &c}};
    ck_assert(pqt_init(NULL));
    ck_assert(run_crew(&c, jobs, 2));
    destroy_empty(c.heap);
}
END_TEST

/* ---- Heaps that begin and end ---- */

/* Threads that use a heap, and end while it is destroyed. */
typedef struct visitors {
    pqt_memory *heap;
    atomic_size_t ready;
    atomic_bool may_end;
} visitors;

enum { VISITORS = 3 };

static bool
fill_heap(pqt_memory *heap)
{
    REQUIRE(pqt_scope_begin(heap, NULL));
    const pqt_tree *tree = make_numbered(heap, 11);
    REQUIRE(has_number(tree, 11));
    pqt_scope_end(heap);
    return true;
}

/* Every second thread also makes a heap of its own, and destroys it. */
static bool
visits_a_heap(void *context)
{
    visitors *v = context;
    REQUIRE(fill_heap(v->heap));
    const size_t number = atomic_fetch_add(&v->ready, 1);
    while (!atomic_load(&v->may_end))
        sched_yield();
    pqt_memory *own = number % 2 == 0 ? pqt_heap_make(NULL, NULL) : NULL;
    REQUIRE(own == NULL || fill_heap(own));
    pqt_heap_destroy(&own);
    return true;
}

START_TEST(a_heap_is_destroyed_while_threads_that_used_it_end)
{
    for (size_t i = 0; i < test_scaled(40); i++) {
        visitors v = {.heap = make_heap()};
        pqt_memory *kept = make_heap();
        job jobs[VISITORS];
        for (int k = 0; k < VISITORS; k++) {
            jobs[k] = (job){.check = visits_a_heap, .context = &v};
            begin(&jobs[k]);
        }
        while (atomic_load(&v.ready) < VISITORS)
            sched_yield();
        atomic_store(&v.may_end, true);
        pqt_heap_destroy(&v.heap);
        ck_assert(fill_heap(kept));
        for (int k = 0; k < VISITORS; k++)
            ck_assert(end(&jobs[k]));
        pqt_heap_destroy(&kept);
    }
}
END_TEST

/* ---- First uses in a process ---- */

/* Makes all threads of a test continue at the same time. */
typedef struct gate {
    atomic_size_t waiting;
    size_t count;
} gate;

static void
pass(gate *g)
{
    atomic_fetch_add_explicit(&g->waiting, 1, memory_order_relaxed);
    while (atomic_load_explicit(&g->waiting, memory_order_relaxed) < g->count)
        ;
}

typedef struct newcomer {
    gate *gate;
    int number;
} newcomer;

/* The nodes of each kind have layouts, which get ids when they are first used. */
static bool
makes_first_versions(void *context)
{
    const newcomer *n = context;
    pqt_memory *heap = pqt_heap_make(NULL, NULL);
    pqt_map_options map_options = PQT_MAP_DEFAULTS;
    pqt_world_options world_options = PQT_WORLD_DEFAULTS;
    map_options.memory = world_options.memory = heap;
    REQUIRE(pqt_scope_begin(heap, NULL));
    pass(n->gate);
    if (n->number == 0) {
        REQUIRE(has_number(make_numbered(heap, 3), 3));
    } else if (n->number == 1) {
        const pqt_map *map = pqt_map_make(&map_options, NULL);
        map = pqt_map_insert(map, pqt_map_id(1), pqt_map_number(2), NULL);
        REQUIRE(pqt_map_check(map, NULL) && pqt_map_count(map) == 1);
    } else if (PQT_WITH_WORLDS) {
        const pqt_world *world = pqt_world_make(places, &world_options, NULL);
        world = pqt_world_add(world, (pqt_body){.id = 1, .position = {5, 5}, .radius = 1}, NULL);
        REQUIRE(pqt_world_check(world, NULL) && pqt_world_count(world) == 1);
    }
    pqt_scope_end(heap);
    pqt_heap_destroy(&heap);
    return true;
}

static bool
run_newcomers(check_fn *check, size_t count)
{
    enum { MOST = 3 };
    gate g = {.count = count};
    newcomer all[MOST];
    job jobs[MOST];
    bool passed = true;
    for (size_t i = 0; i < count; i++) {
        all[i] = (newcomer){&g, (int)i};
        jobs[i] = (job){.check = check, .context = &all[i]};
        begin(&jobs[i]);
    }
    for (size_t i = 0; i < count; i++)
        passed = end(&jobs[i]) && passed;
    return passed;
}

START_TEST(threads_make_the_first_versions_of_a_process_at_once)
{
    ck_assert(run_newcomers(makes_first_versions, 3));
}
END_TEST

#if PQT_WITH_COLLECTOR

static atomic_bool is_watched;
static atomic_uint starting, starts;
static atomic_bool overlap; /* two threads started the collector at the same time */

/* Replaces a function of the collector that the library calls when it starts the collector. Gives
   another thread time to get there, too. */
void
GC_allow_register_threads(void)
{
    enum { YIELDS = 2000 };
    typedef void allow_fn(void);
    allow_fn *allow = (allow_fn *)dlsym(RTLD_NEXT, "GC_allow_register_threads");
    if (atomic_load(&is_watched)) {
        atomic_fetch_add(&starts, 1);
        if (atomic_fetch_add(&starting, 1) > 0)
            atomic_store(&overlap, true);
        for (int i = 0; i < YIELDS && !atomic_load(&overlap); i++)
            sched_yield();
        atomic_fetch_sub(&starting, 1);
    }
    allow();
}

/* The host has initialised the collector and registered the thread, so each thread may start it. */
static bool
starts_the_collector(void *context)
{
    const newcomer *n = context;
    struct GC_stack_base base;
    REQUIRE(GC_get_stack_base(&base) == GC_SUCCESS && GC_register_my_thread(&base) == GC_SUCCESS);
    pass(n->gate);
    REQUIRE(pqt_init(NULL));
    REQUIRE(has_number(make_numbered(NULL, 5), 5));
    GC_unregister_my_thread();
    return true;
}

START_TEST(only_one_of_several_registered_threads_starts_the_collector)
{
    GC_INIT();
    GC_allow_register_threads();
    atomic_store(&is_watched, true);
    ck_assert(run_newcomers(starts_the_collector, 3));
    ck_assert(!overlap);
    ck_assert_uint_eq(starts, 1);
}
END_TEST

#endif

/* ---- The end of the process ---- */

static atomic_size_t comings;

/* A thread that the collector knows, or one that has a part of a heap. */
static void *
come(void *heap)
{
    if (heap == NULL ? pqt_thread_attach(NULL) : fill_heap(heap))
        atomic_fetch_add_explicit(&comings, 1, memory_order_relaxed);
    return NULL;
}

/* Begins threads for as long as the process lasts, one after another. */
static void *
begin_without_end(void *heap)
{
    pthread_attr_t alone;
    pthread_attr_init(&alone);
    pthread_attr_setdetachstate(&alone, PTHREAD_CREATE_DETACHED);
    for (size_t before = 0;; before++) {
        pthread_t thread;
        if (pthread_create(&thread, &alone, come, heap) != 0)
            abort();
        while (atomic_load_explicit(&comings, memory_order_relaxed) <= before)
            sched_yield();
    }
    return NULL;
}

/* Ends the process, which deletes the keys by which the library learns of the end of a thread. */
static bool
exits_while_threads_come(void *heap)
{
    pthread_t thread;
    REQUIRE(pqt_init(NULL));
    REQUIRE(pthread_create(&thread, NULL, begin_without_end, heap) == 0);
    REQUIRE(pthread_detach(thread) == 0);
    while (atomic_load_explicit(&comings, memory_order_relaxed) < 20)
        sched_yield();
    exit(EXIT_SUCCESS);
}

START_TEST(a_process_ends_while_threads_begin)
{
    pqt_memory *heap = _i == 0 ? NULL : make_heap();
    fflush(NULL);
    ck_assert(in_child(exits_while_threads_come, heap));
    pqt_heap_destroy(&heap);
}
END_TEST

/* ---- Children of a fork ---- */

/* An object that each child makes again when it first uses it. */
typedef struct remade {
    gate gate;
    atomic_uint made_at, count, making;
    bool overlap; /* two threads made it again at the same time */
} remade;

/* Gives another thread time to get here, too. */
static void
make_again(void *context)
{
    enum { YIELDS = 2000 };
    remade *r = context;
    atomic_fetch_add(&r->count, 1);
    if (atomic_fetch_add(&r->making, 1) > 0)
        r->overlap = true;
    for (int i = 0; i < YIELDS && atomic_load(&r->making) < 2; i++)
        sched_yield();
    atomic_fetch_sub(&r->making, 1);
}

static bool
uses_a_remade_object(void *context)
{
    remade *r = context;
    pass(&r->gate);
    pqti_fork_renew(&r->made_at, make_again, r);
    return atomic_load(&r->count) == 1 && !r->overlap;
}

static bool
threads_use_a_remade_object(void *context)
{
    remade *r = context;
    job jobs[3];
    bool passed = true;
    for (int i = 0; i < 3; i++) {
        jobs[i] = (job){.check = uses_a_remade_object, .context = r};
        begin(&jobs[i]);
    }
    for (int i = 0; i < 3; i++)
        passed = end(&jobs[i]) && passed;
    return passed;
}

START_TEST(one_thread_of_a_child_makes_an_object_again_and_the_others_wait)
{
    remade r = {.gate = {.count = 3}};
    ck_assert(pqti_fork_watch());
    atomic_init(&r.made_at, pqti_fork_count());
    for (int i = 0; i < 5; i++)
        ck_assert(in_child(threads_use_a_remade_object, &r));
    ck_assert_uint_eq(atomic_load(&r.count), 0);
}
END_TEST

static pqt_head *inherited;

/* Uses the locks of a head and of an arena, which each child makes again when it first uses them.
 */
static bool
uses_inherited_locks(void *context)
{
    const newcomer *n = context;
    pass(n->gate);
    for (uint64_t i = 0; n->number == 0 && i < 100; i++)
        REQUIRE(has_number(make_numbered(arena, i), i));
    if (n->number == 0)
        REQUIRE(pqt_head_publish(inherited, make_numbered(arena, 2), NULL));
    REQUIRE(pqt_head_wait(inherited, 1, 1e9));
    return true;
}

static bool
threads_use_inherited_locks(void *unused)
{
    (void)unused;
    return run_newcomers(uses_inherited_locks, 3);
}

START_TEST(threads_of_a_child_use_the_locks_of_its_parent_at_once)
{
    inherited = pqt_head_make(make_numbered(arena, 1), NULL);
    ck_assert_ptr_nonnull(inherited);
    for (size_t i = 0; i < 5; i++)
        ck_assert(in_child(threads_use_inherited_locks, NULL));
    pqt_head_destroy(&inherited);
}
END_TEST

/* ---- Arenas ---- */

/* A block of this size has a chunk of its own, which is linked behind the newest one. */
enum { VALUE = 1100000, VALUES = 6, FILLERS = 3 };

/* Returns the byte that repeats in a value of a thread. */
static uint8_t
byte_of(const void *thread, size_t i)
{
    return (uint8_t)((uintptr_t)thread / 64 + 31 * i);
}

typedef struct filler {
    pqt_memory *memory;
    size_t values;
    _Alignas(64) uint8_t bytes[VALUE];
} filler;

static bool
fills_an_arena(void *context)
{
    filler *f = context;
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = f->memory;
    options.values = PQT_MAP_BYTE_VALUES;
    const pqt_map *map = pqt_map_make(&options, NULL);
    for (size_t i = 0; i < f->values; i++) {
        memset(f->bytes, byte_of(f, i), VALUE);
        map = pqt_map_insert(map, pqt_map_id(i), pqt_map_bytes(f->bytes, VALUE), NULL);
    }
    for (size_t i = 0; i < f->values; i++) {
        pqt_map_value value;
        REQUIRE(pqt_map_find(map, pqt_map_id(i), &value) && value.size == VALUE);
        memset(f->bytes, byte_of(f, i), VALUE);
        REQUIRE(memcmp(value.bytes, f->bytes, VALUE) == 0);
    }
    return true;
}

START_TEST(threads_add_chunks_to_an_arena_at_once)
{
    static filler fillers[FILLERS];
    job jobs[FILLERS];
    bool passed = true;
    const size_t values = test_scaled(VALUES);
    pqt_memory *memory = pqt_arena_make(0, NULL);
    for (int i = 0; i < FILLERS; i++) {
        fillers[i].memory = memory;
        fillers[i].values = values;
        jobs[i] = (job){.check = fills_an_arena, .context = &fillers[i]};
        begin(&jobs[i]);
    }
    for (int i = 0; i < FILLERS; i++)
        passed = end(&jobs[i]) && passed;
    ck_assert(passed);
    ck_assert_uint_ge(pqt_memory_get_stats(memory).bytes, FILLERS * values * VALUE);
    pqt_arena_destroy(&memory);
}
END_TEST

/* ---- Stores ---- */

#if PQT_WITH_SQLITE

/* Makes a store in a folder of its own, fills it, and opens it again. */
static bool
makes_stores(void *unused)
{
    (void)unused;
    pqt_memory *heap = pqt_heap_make(NULL, NULL);
    for (size_t i = 0; i < test_scaled(3); i++) {
        store_folder folder = make_store_folder();
        pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
        REQUIRE(pqt_scope_begin(heap, NULL));
        const pqt_tree *tree = make_numbered(heap, i);
        pqt_history *history =
            pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), tree, NULL, NULL);
        pqt_scope_end(heap);
        REQUIRE(history != NULL && pqt_history_save(history, store, NULL));
        pqt_history_destroy(&history);
        close_store(&store);
        store = open_store(&folder, PQT_STORE_READ);
        history = pqt_history_open(store, NULL, heap, NULL);
        REQUIRE(history != NULL);
        REQUIRE(pqt_scope_begin(heap, NULL));
        REQUIRE(has_number(pqt_history_value(history), i));
        pqt_scope_end(heap);
        pqt_history_destroy(&history);
        close_store(&store);
        remove_store_folder(&folder);
    }
    pqt_heap_destroy(&heap);
    return true;
}

START_TEST(threads_open_and_close_stores_at_once)
{
    job jobs[3];
    bool passed = true;
    for (int i = 0; i < 3; i++) {
        jobs[i] = (job){.check = makes_stores};
        begin(&jobs[i]);
    }
    for (int i = 0; i < 3; i++)
        passed = end(&jobs[i]) && passed;
    ck_assert(passed);
}
END_TEST

#endif

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("locks");
    TCase *tests = tcase_create("threads"); /* thread sanitizer runs all these tests, too */
    tcase_add_checked_fixture(tests, open_arena, close_arena);
    tcase_add_loop_test(tests, histories_keep_each_entry_while_another_thread_reclaims_in_slices, 0,
                        sizeof ways / sizeof *ways);
    tcase_add_test(tests, heads_are_made_and_waited_for_while_another_thread_reclaims_in_slices);
    tcase_add_test(tests, threads_begin_and_end_while_another_thread_reclaims_in_slices);
    tcase_add_test(tests, a_heap_is_destroyed_while_threads_that_used_it_end);
    tcase_add_loop_test(tests, threads_make_the_first_versions_of_a_process_at_once, 0, 5);
#if PQT_WITH_COLLECTOR
    tcase_add_test(tests, only_one_of_several_registered_threads_starts_the_collector);
#endif
    tcase_add_loop_test(tests, a_process_ends_while_threads_begin, 0, 2);
    tcase_add_test(tests, one_thread_of_a_child_makes_an_object_again_and_the_others_wait);
    tcase_add_test(tests, threads_of_a_child_use_the_locks_of_its_parent_at_once);
    tcase_add_test(tests, threads_add_chunks_to_an_arena_at_once);
#if PQT_WITH_SQLITE
    tcase_add_test(tests, threads_open_and_close_stores_at_once);
#endif
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
