/* SPDX-License-Identifier: MIT */
/*
 * test_holders.c: tests heads, histories, recordings and stores in a heap that reclaims while they
 * change.
 *
 * A holder must keep a version from the moment at which a call receives or makes it, although the
 * heap may free everything else at any time. Each holder is tested in two ways with the same edits.
 * In a crew, several threads edit in one heap with the option reclaim_at_push, so each thread
 * reclaims at its own edits, and during those of the others. In a hostile run, one thread edits,
 * and each allocation within a call of the holder first frees everything that nothing keeps. A
 * crew finds wrong orders of memory accesses; a hostile run finds each unprotected block at once.
 *
 * The edits are outside scopes wherever the library allows it: what a thread passes to a holder is
 * only pinned.
 */
#include "config.h"

#include <pqt.h>
#include <pqt/stores.h>
#include <pqt/worlds.h>

#include <stdio.h>
#include <string.h>

#include "hooks.h"
#include "memory_support.h"
#include "random.h"
#include "store_support.h"
#include "suite.h"

/* The item or key of a writer counts its edits: the left side of the item is the number of edits
   modulo PLACES. No other item moves. */
enum { WRITERS = 8, COUNTED = 120, PLACES = 900, ENTRIES_KEPT = 40, NAMED_EVERY = 50 };

typedef struct shape shape;

/* One thread, and the holder that it changes. */
typedef struct writer {
    const shape *of;
    pqt_memory *heap;
    pqt_head *head; /* the crew's, or the writer's own */
    pqt_history *history;
    pqt_recording *recording;
    pqt_store *store;
    store_folder folder;
    uint64_t id;     /* of its item and its key */
    uint64_t edits;  /* the number of its edits so far */
    bool is_hostile; /* allocations of the holder reclaim */
    hooks watch;
} writer;

/* ---- Kinds of versions ---- */

struct shape {
    const char *name;
    const void *(*make)(pqt_memory *heap);
    /* Makes the version after edit number `edits` of a writer. */
    const void *(*edit)(const void *now, uint64_t id, uint64_t edits, pqt_error *error);
    bool (*is_whole)(const void *now, uint64_t id, uint64_t edits);
    pqt_kind kind;
};

static pqt_box
box_after(uint64_t edits)
{
    const double x = (double)(edits % PLACES);
    return (pqt_box){{x, 7}, {x + 5, 9}};
}

static const void *
make_tree(pqt_memory *heap)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = heap;
    options.unique_ids = true;
    const pqt_tree *tree = pqt_tree_make((pqt_box){{0, 0}, {1000, 1000}}, &options, NULL);
    for (uint64_t id = 0; id < COUNTED; id++)
        tree = pqt_tree_insert(tree, (pqt_item){box_after(0), id}, NULL);
    return tree;
}

static const void *
edit_tree(const void *now, uint64_t id, uint64_t edits, pqt_error *error)
{
    return pqt_tree_move_id(now, id, box_after(edits), error);
}

static bool
is_tree_whole(const void *now, uint64_t id, uint64_t edits)
{
    const pqt_tree *tree = now;
    return pqt_tree_count(tree) == COUNTED &&
           pqt_tree_contains(tree, (pqt_item){box_after(edits), id}) &&
           (edits % 64 != 0 || pqt_tree_check(tree, NULL));
}

static const void *
make_document(pqt_memory *heap)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = heap;
    options.values = PQT_MAP_BYTE_VALUES;
    const pqt_part parts[] = {{"shapes", PQT_KIND_TREE, make_tree(heap), NULL},
                              {"names", PQT_KIND_MAP, pqt_map_make(&options, NULL), "shapes"}};
    return pqt_document_make(parts, 2, NULL);
}

static size_t
name_after(uint64_t edits, char *text, size_t size)
{
    return (size_t)snprintf(text, size, "the name of an item after %llu edits",
                            (unsigned long long)edits);
}

static const void *
edit_document(const void *now, uint64_t id, uint64_t edits, pqt_error *error)
{
    char text[64];
    const size_t length = name_after(edits, text, sizeof text);
    const pqt_map *names = pqt_map_insert(pqt_document_map(now, "names"), pqt_map_id(id),
                                          pqt_map_bytes(text, length), error);
    const pqt_document *named = pqt_document_set_map(now, "names", names, error);
    const pqt_tree *shapes = edit_tree(pqt_document_tree(now, "shapes"), id, edits, error);
    return pqt_document_set_tree(named, "shapes", shapes, error);
}

static bool
is_document_whole(const void *now, uint64_t id, uint64_t edits)
{
    char text[64];
    pqt_map_value name;
    const size_t length = name_after(edits, text, sizeof text);
    const bool is_named = pqt_map_find(pqt_document_map(now, "names"), pqt_map_id(id), &name);
    return is_tree_whole(pqt_document_tree(now, "shapes"), id, edits) && is_named == (edits > 0) &&
           (!is_named || (name.size == length && memcmp(name.bytes, text, length) == 0));
}

/* Makes the next version of a writer. */
static const void *
make_next(const void *now, void *context, pqt_error *error)
{
    const writer *w = context;
    return w->of->edit(now, w->id, w->edits + 1, error);
}

#define DEFINE_LISTED(noun, kind)                                                                  \
    static const shape noun##s = {#noun, make_##noun, edit_##noun, is_##noun##_whole, kind};

DEFINE_LISTED(tree, PQT_KIND_TREE)
DEFINE_LISTED(document, PQT_KIND_DOCUMENT)

/* ---- Calls of a holder ---- */

/* Must be called before a call of a holder. */
static void
call_begins(writer *w)
{
    if (w->is_hostile) {
        w->watch = (hooks){.collect_every = 1, .memory = w->heap};
        hooks_start(&w->watch);
    }
}

static void
call_ends(const writer *w)
{
    if (w->is_hostile)
        hooks_stop();
}

/* Makes the next version in a scope, and returns a pin that keeps it. */
static pqt_pin *
pin_edited(const writer *w, const void *now)
{
    if (!pqt_scope_begin(w->heap, NULL))
        return NULL;
    const void *next = w->of->edit(now, w->id, w->edits + 1, NULL);
    pqt_pin *pin = next != NULL ? pqt_version_pin(next, NULL) : NULL;
    pqt_scope_end(w->heap);
    return pin;
}

/* ---- Holders ---- */

typedef struct holder {
    bool is_shared; /* all writers of a crew change the head of the first one */
    bool (*make)(writer *w);
    bool (*edit)(writer *w); /* makes one edit, and checks what the holder holds then */
    bool (*check)(writer *w);
    void (*destroy)(writer *w);
} holder;

static bool
make_head(writer *w)
{
    REQUIRE(pqt_scope_begin(w->heap, NULL));
    pqt_pin *first = pqt_version_pin(w->of->make(w->heap), NULL);
    pqt_scope_end(w->heap);
    REQUIRE(first != NULL);
    call_begins(w);
    w->head = pqt_head_make(pqt_pin_get_version(first), NULL);
    call_ends(w);
    pqt_unpin(&first);
    return w->head != NULL;
}

static void
destroy_head(writer *w)
{
    pqt_head_destroy(&w->head);
}

static bool
update_head(writer *w)
{
    pqt_error error = {0};
    call_begins(w);
    const bool done = pqt_head_update(w->head, make_next, w, NULL, &error) != NULL;
    call_ends(w);
    REQUIRE(done && error.status == PQT_OK);
    w->edits++;
    return true;
}

static bool
check_head(writer *w)
{
    pqt_pin *pin = pqt_head_pin(w->head, NULL, NULL);
    REQUIRE(pin != NULL && w->of->is_whole(pqt_pin_get_version(pin), w->id, w->edits));
    pqt_unpin(&pin);
    return true;
}

static bool
publish_edited(writer *w)
{
    pqt_error error = {0};
    call_begins(w);
    pqt_pin *now = pqt_head_pin(w->head, NULL, &error);
    call_ends(w);
    REQUIRE(now != NULL);
    pqt_pin *next = pin_edited(w, pqt_pin_get_version(now));
    REQUIRE(next != NULL);
    call_begins(w);
    const bool done = pqt_head_publish(w->head, pqt_pin_get_version(next), &error);
    call_ends(w);
    pqt_unpin(&now);
    pqt_unpin(&next);
    REQUIRE(done && error.status == PQT_OK);
    w->edits++;
    return check_head(w);
}

static bool
make_history(writer *w)
{
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.max_entries = ENTRIES_KEPT;
    options.indexed = true;
    REQUIRE(pqt_scope_begin(w->heap, NULL));
    pqt_pin *first = pqt_version_pin(w->of->make(w->heap), NULL);
    pqt_scope_end(w->heap);
    REQUIRE(first != NULL);
    call_begins(w);
    w->history = pqt_history_make(pqt_history_kind_of(w->of->kind), pqt_pin_get_version(first),
                                  &options, NULL);
    call_ends(w);
    pqt_unpin(&first);
    return w->history != NULL;
}

static void
destroy_history(writer *w)
{
    pqt_history_destroy(&w->history);
}

static void
write_label(uint64_t edits, char *label, size_t size)
{
    snprintf(label, size, "edit %llu, with a label of its own", (unsigned long long)edits);
}

/* Checks the current entry of a history and its label. */
static bool
check_history(writer *w)
{
    char label[80];
    pqt_history_entry entry;
    write_label(w->edits, label, sizeof label);
    REQUIRE(pqt_history_get_entry(w->history, pqt_history_current(w->history), &entry));
    REQUIRE(w->of->is_whole(entry.value, w->id, w->edits));
    REQUIRE(w->edits == 0 || strcmp(entry.label, label) == 0);
    return true;
}

/* Gives the current entry a name, and takes it from the one that had it. */
static bool
name_current(writer *w)
{
    uint64_t entry;
    call_begins(w);
    bool done = !pqt_history_find(w->history, "the name", &entry) ||
                pqt_history_set_name(w->history, entry, NULL, NULL);
    done =
        done && pqt_history_set_name(w->history, pqt_history_current(w->history), "the name", NULL);
    call_ends(w);
    REQUIRE(done && pqt_history_find(w->history, "the name", &entry) &&
            entry == pqt_history_current(w->history));
    return true;
}

/* Goes back by an entry and returns. */
static bool
undo_and_redo(writer *w)
{
    call_begins(w);
    bool done = pqt_history_undo(w->history);
    done = done && w->of->is_whole(pqt_history_value(w->history), w->id, w->edits - 1);
    done = done && pqt_history_redo(w->history);
    call_ends(w);
    REQUIRE(done);
    return true;
}

static bool
push_edited(writer *w)
{
    char label[80];
    pqt_error error = {0};
    write_label(w->edits + 1, label, sizeof label);
    const pqt_history_entry_info info = {.label = label, .time = (double)w->edits};
    pqt_pin *next = pin_edited(w, pqt_history_value(w->history));
    REQUIRE(next != NULL);
    call_begins(w);
    const bool done = pqt_history_push(w->history, pqt_pin_get_version(next), &info, &error);
    call_ends(w);
    pqt_unpin(&next);
    REQUIRE(done && error.status == PQT_OK);
    w->edits++;
    return check_history(w) && (w->edits % NAMED_EVERY != 0 || name_current(w)) &&
           (w->edits % 7 != 1 || undo_and_redo(w)) && check_history(w);
}

#if PQT_WITH_SQLITE
static bool
make_stored_history(writer *w)
{
    w->folder = make_store_folder();
    w->store = open_store(&w->folder, PQT_STORE_CREATE);
    REQUIRE(make_history(w));
    call_begins(w);
    const bool done = pqt_history_save(w->history, w->store, NULL);
    call_ends(w);
    REQUIRE(done);
    return true;
}

/* Loads the version of an early entry from the file. */
static bool
load_first(writer *w)
{
    pqt_error error = {0};
    uint64_t current = pqt_history_current(w->history);
    call_begins(w);
    bool done = pqt_history_checkout(w->history, 0, &error);
    done = done && w->of->is_whole(pqt_history_value(w->history), w->id, 0);
    done = done && pqt_history_checkout(w->history, current, &error);
    call_ends(w);
    REQUIRE(done);
    return true;
}

static bool
push_stored(writer *w)
{
    return push_edited(w) && (w->edits % 11 != 0 || load_first(w));
}

/* Opens the history of the store again, and checks each entry. */
static bool
reopen_history(writer *w)
{
    pqt_error error = {0};
    pqt_history_destroy(&w->history);
    call_begins(w);
    w->history = pqt_history_open(w->store, NULL, w->heap, &error);
    call_ends(w);
    REQUIRE(w->history != NULL);
    call_begins(w);
    const bool done = pqt_store_check(w->store, &error);
    call_ends(w);
    REQUIRE(done && error.status == PQT_OK);
    return check_history(w);
}

static void
destroy_stored(writer *w)
{
    pqt_history_destroy(&w->history);
    if (PQT_WITH_WORLDS)
        pqt_recording_destroy(&w->recording);
    close_store(&w->store);
    remove_store_folder(&w->folder);
}

#endif

/* Makes a recording of balls in a box, in which no two worlds are equal. */
static bool
make_recording(writer *w)
{
    enum { BALLS = 12, EVERY = 10 };
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = w->heap;
    options.walls = true;
    REQUIRE(pqt_scope_begin(w->heap, NULL));
    const pqt_world *world = pqt_world_make((pqt_box){{0, 0}, {100, 100}}, &options, NULL);
    for (uint64_t i = 0; i < BALLS; i++)
        world = pqt_world_add(world,
                              (pqt_body){.id = i,
                                         .position = {8 + 7 * (double)i, 50 - (double)i},
                                         .velocity = {(double)i - 5, 11 + (double)w->id},
                                         .radius = 3},
                              NULL);
    pqt_pin *first = pqt_world_pin(world, NULL);
    pqt_scope_end(w->heap);
    REQUIRE(first != NULL);
    call_begins(w);
    w->recording = pqt_recording_make(pqt_pin_get_world(first), 0.02, NULL, EVERY, NULL);
    call_ends(w);
    pqt_unpin(&first);
    return w->recording != NULL;
}

static void
destroy_recording(writer *w)
{
    pqt_recording_destroy(&w->recording);
}

/* Makes a step again. Reading the result needs a scope, since only a call made it. */
static bool
rerun_step(writer *w)
{
    pqt_error error = {0};
    REQUIRE(pqt_scope_begin(w->heap, NULL));
    const size_t step = w->edits - 1;
    const pqt_world *world = pqt_recording_at(w->recording, step, &error);
    REQUIRE(world != NULL && pqt_fingerprint_equals(pqt_world_fingerprint(world),
                                                    pqt_recording_fingerprint(w->recording, step)));
    pqt_scope_end(w->heap);
    call_begins(w);
    const bool done = pqt_recording_at(w->recording, step, &error) != NULL;
    call_ends(w);
    REQUIRE(done);
    return true;
}

static bool
record_step(writer *w)
{
    pqt_error error = {0};
    call_begins(w);
    const bool done = pqt_recording_step(w->recording, NULL, &error) != NULL;
    call_ends(w);
    REQUIRE(done && error.status == PQT_OK);
    w->edits++;
    REQUIRE(pqt_recording_last(w->recording) == w->edits);
    return w->edits % 17 != 0 || rerun_step(w);
}

static bool
verify_recording(writer *w)
{
    pqt_error error = {0};
    call_begins(w);
    const bool same = pqt_recording_verify(w->recording, NULL, &error);
    call_ends(w);
    REQUIRE(same && error.status == PQT_OK);
    return true;
}

#if PQT_WITH_SQLITE
static bool
make_stored_recording(writer *w)
{
    w->folder = make_store_folder();
    w->store = open_store(&w->folder, PQT_STORE_CREATE);
    REQUIRE(make_recording(w));
    call_begins(w);
    const bool done = pqt_recording_save(w->recording, w->store, NULL);
    call_ends(w);
    REQUIRE(done);
    return true;
}

static bool
reopen_recording(writer *w)
{
    pqt_error error = {0};
    pqt_recording_destroy(&w->recording);
    call_begins(w);
    w->recording = pqt_recording_open(w->store, w->heap, &error);
    const bool done = w->recording != NULL && pqt_store_check(w->store, &error);
    call_ends(w);
    REQUIRE(done && error.status == PQT_OK);
    return verify_recording(w);
}

#endif

/* Steps a pinned world outside of scopes, and drops the result. */
static bool
step_world(writer *w)
{
    pqt_error error = {0};
    pqt_pin *now = NULL;
    REQUIRE(pqt_scope_begin(w->heap, NULL));
    now = pqt_world_pin(pqt_recording_at(w->recording, 0, NULL), NULL);
    pqt_scope_end(w->heap);
    REQUIRE(now != NULL);
    call_begins(w);
    const pqt_world *next = pqt_world_step(pqt_pin_get_world(now), 0.02, NULL, &error);
    call_ends(w);
    pqt_unpin(&now);
    REQUIRE(next != NULL && error.status == PQT_OK);
    /* In a crew, another thread may have reclaimed the result. */
    REQUIRE(!w->is_hostile || pqt_world_check(next, NULL));
    w->edits++;
    return true;
}

static bool
check_nothing_more(writer *w)
{
    (void)w;
    return true;
}

static const holder updates = {true, make_head, update_head, check_head, destroy_head};
static const holder publications = {false, make_head, publish_edited, check_head, destroy_head};
static const holder pushes = {false, make_history, push_edited, check_history, destroy_history};
static const holder records = {false, make_recording, record_step, verify_recording,
                               destroy_recording};
static const holder steps = {false, make_recording, step_world, check_nothing_more,
                             destroy_recording};
#if PQT_WITH_SQLITE
static const holder stored_pushes = {false, make_stored_history, push_stored, reopen_history,
                                     destroy_stored};
static const holder stored_records = {false, make_stored_recording, record_step, reopen_recording,
                                      destroy_stored};
#endif

/* The holders, each with the number of edits that each writer of a crew makes. */
static const struct {
    const char *name;
    const holder *of;
    const shape *by; /* NULL: the holder makes worlds */
    size_t edits;
} uses[] = {
    {"updates of a head of trees", &updates, &trees, 40000},
    {"updates of a head of documents", &updates, &documents, 10000},
    {"publications of trees", &publications, &trees, 20000},
    {"publications of documents", &publications, &documents, 10000},
    {"pushes of trees", &pushes, &trees, 6000},
    {"pushes of documents", &pushes, &documents, 3000},
#if PQT_WITH_SQLITE
    {"pushes of trees to stores", &stored_pushes, &trees, 120},
    {"pushes of documents to stores", &stored_pushes, &documents, 120},
#endif
    {"steps of recordings", &records, NULL, 3000},
    {"steps of worlds", &steps, NULL, 6000},
#if PQT_WITH_SQLITE
    {"steps of recordings in stores", &stored_records, NULL, 120},
#endif
};

/* The number of holders in the build. */
enum {
    OF_WORLDS = 2 + PQT_WITH_SQLITE,
    USES = sizeof uses / sizeof *uses - (PQT_WITH_WORLDS ? 0 : OF_WORLDS)
};

/* ---- Crews ---- */

typedef struct member {
    writer w;
    const holder *of;
    size_t edits;
} member;

static bool
works(void *context)
{
    member *m = context;
    for (size_t i = 0; i < m->edits; i++)
        REQUIRE(m->of->edit(&m->w));
    return m->of->check(&m->w);
}

static pqt_memory *
make_reclaiming_heap(void)
{
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.reclaim_at_push = true;
    pqt_memory *heap = pqt_heap_make(&options, NULL);
    ck_assert_ptr_nonnull(heap);
    return heap;
}

/* Makes the holders of all members of a crew. */
static void
make_members(member *members, int use, pqt_memory *heap)
{
    const holder *of = uses[use].of;
    for (size_t i = 0; i < WRITERS; i++) {
        members[i] = (member){.w = {.of = uses[use].by, .heap = heap, .id = i},
                              .of = of,
                              .edits = test_scaled(uses[use].edits)};
        if (of->is_shared && i > 0)
            members[i].w.head = members[0].w.head;
        else
            ck_assert(of->make(&members[i].w));
    }
}

START_TEST(threads_that_change_holders_in_one_heap_lose_no_version)
{
    const holder *of = uses[_i].of;
    pqt_memory *heap = make_reclaiming_heap();
    member members[WRITERS];
    job jobs[WRITERS];
    make_members(members, _i, heap);
    for (size_t i = 0; i < WRITERS; i++) {
        jobs[i] = (job){.check = works, .context = &members[i]};
        begin(&jobs[i]);
    }
    bool passed = true;
    for (size_t i = 0; i < WRITERS; i++)
        passed = end(&jobs[i]) && passed;
    ck_assert(passed);
    printf("# %zu edits: %s, %llu cycles\n", WRITERS * members[0].edits, uses[_i].name,
           (unsigned long long)pqt_memory_get_stats(heap).collections);
    for (size_t i = 0; i < (of->is_shared ? 1 : WRITERS); i++)
        of->destroy(&members[i].w);
    ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    ck_assert_uint_eq(pqt_memory_get_stats(heap).used_bytes, 0);
    pqt_heap_destroy(&heap);
}
END_TEST

/* ---- Hostile runs ---- */

START_TEST(a_cycle_at_each_allocation_of_a_holder_frees_nothing_that_it_uses)
{
    enum { EDITS = 120 };
    const holder *of = uses[_i].of;
    writer w = {.of = uses[_i].by, .heap = make_reclaiming_heap(), .is_hostile = true};
    ck_assert(of->make(&w));
    for (size_t i = 0; i < EDITS; i++)
        ck_assert(of->edit(&w));
    ck_assert(of->check(&w));
    ck_assert_uint_ge(pqt_memory_get_stats(w.heap).collections, EDITS);
    of->destroy(&w);
    pqt_heap_destroy(&w.heap);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("holders");
    TCase *crews = tcase_create("crews"); /* thread sanitizer runs these tests, too */
    tcase_add_loop_test(crews, threads_that_change_holders_in_one_heap_lose_no_version, 0, USES);
    suite_add_tcase(suite, crews);
    TCase *hostile = tcase_create("hostile");
    tcase_add_loop_test(hostile, a_cycle_at_each_allocation_of_a_holder_frees_nothing_that_it_uses,
                        0, USES);
    suite_add_tcase(suite, hostile);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
