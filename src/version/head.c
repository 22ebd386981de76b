/* SPDX-License-Identifier: MIT */
/*
 * head.c: passes the newest version from writers to readers without a lock.
 *
 *     head -> record {version, number}      the head points only to finished records
 *
 * A head is an uncollectable block that points to a record. Publishing makes a new record and
 * stores its address in the head with release order. Loading reads the address with acquire order.
 * So a thread that reads a record also sees every byte of its version.
 *
 * Invariants: the numbers of successive records differ by one. The address of a record is not
 * reused while a thread compares the head with it: the collector finds it on that thread's stack,
 * an arena frees nothing, and in a heap the call is a scope. So a successful compare-and-exchange
 * means that nothing was published since the record was read.
 *
 * PQT_WEAK_PUBLISH and PQT_WEAK_LOAD each remove one of the two memory orders. With either of them,
 * the tests under thread sanitizer must fail, which shows that they would detect such a fault (make
 * tsan).
 */
#include "config.h"

#include "version/head_internal.h"

#include <math.h>
#include <stdatomic.h>

#include <pqt/head.h>

#include "base/error_internal.h"
#include "memory/kind_calls.h"
#include "version/eventcount.h"

#ifdef PQT_WEAK_PUBLISH
#define PUBLISH_ORDER memory_order_relaxed
#else
#define PUBLISH_ORDER memory_order_release
#endif

#ifdef PQT_WEAK_LOAD
#define LOAD_ORDER memory_order_relaxed
#else
#define LOAD_ORDER memory_order_acquire
#endif

/* The magic number of a head that has not been destroyed. */
#define ALIVE UINT64_C(0x7071742068656164)

/* The number is the last word because the collector does not scan the last word of a node. */
typedef struct record {
    const void *version;
    uint64_t number;
} record;

_Static_assert(sizeof(record) <= PQTI_GRANULE, "a record does not fit the smallest block");

struct pqt_head {
    _Atomic(const record *) newest;
    uint64_t magic;
    pqt_memory *memory;
    pqt_kind kind;
    pqti_eventcount eventcount; /* counts to the newest number; pqt_head_wait waits for a higher
                                   one */
};

static void
expect_alive(const char *function, const pqt_head *head)
{
    PQT_ASSERT_IN(function, head != NULL, "the head is NULL");
    PQT_ASSERT_IN(function, head->magic == ALIVE, "the head was destroyed");
}

/* Aborts the program if the calling thread is not allowed to hold a version of this head. */
static void
expect_use(const char *function, const pqt_head *head)
{
    expect_alive(function, head);
    PQT_ASSERT_IN(function, pqti_thread_is_registered(head->memory),
                  "the collector does not know this thread (call pqt_thread_attach) or its stack");
}

static const record *
make_record(pqt_memory *memory, const void *version, uint64_t number, pqt_error *error)
{
    static pqti_layout layout =
        PQTI_LAYOUT(sizeof(record), PQTI_REFERENCES(offsetof(record, version), 1));
    record *made = pqti_alloc_node(memory, &layout);
    if (made == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    *made = (record){version, number};
    return made;
}

static const record *
newest_of(const pqt_head *head)
{
    return atomic_load_explicit(&head->newest, LOAD_ORDER);
}

/* Marks the record of a head, which is its only root. */
static bool
trace_head(pqti_roots roots, size_t *next, size_t most, pqti_marker *marker)
{
    const pqt_head *head = roots.block;
    (void)most;
    pqti_mark(marker, atomic_load(&head->newest));
    ++*next;
    return true;
}

/* Makes a head without its first record. */
static pqt_head *
make_block(pqt_kind kind, pqt_memory *memory, pqt_error *error)
{
    pqt_head *head = pqti_alloc_holder(memory, sizeof *head, trace_head, NULL);
    if (head != NULL && pqti_eventcount_open(&head->eventcount, 1)) {
        head->memory = memory;
        head->kind = kind;
        return head;
    }
    pqti_free_holder(memory, head);
    pqti_out_of_memory(error);
    return NULL;
}

pqt_head *
pqt_head_make(const void *first, pqt_error *error)
{
    if (!pqti_check_version(first, error))
        return NULL;
    pqt_memory *memory = pqti_memory_of(first);
    if (!pqti_scope_begin(memory, error))
        return NULL;
    const record *made = make_record(memory, first, 1, error);
    pqt_head *head = made != NULL ? make_block(pqti_version_kind(first), memory, error) : NULL;
    if (head != NULL) {
        atomic_store_explicit(&head->newest, made, memory_order_release);
        pqti_root_added(memory, made);
        head->magic = ALIVE;
    }
    pqti_scope_end(memory);
    return head;
}

const void *
pqt_head_load(const pqt_head *head, uint64_t *number)
{
    expect_use(__func__, head);
    PQT_ASSERT(pqti_may_load(head->memory),
               "a version of a heap is loaded outside a scope, so the heap could reclaim it: begin "
               "a scope, or pin the version");
    const record *newest = newest_of(head);
    if (number != NULL)
        *number = newest->number;
    return newest->version;
}

pqt_pin *
pqt_head_pin(const pqt_head *head, uint64_t *number, pqt_error *error)
{
    expect_use(__func__, head);
    if (!pqti_scope_begin(head->memory, error))
        return NULL;
    const record *newest = newest_of(head);
    pqt_pin *pin = pqti_pin(head->memory, head->kind, newest->version, error);
    if (pin != NULL && number != NULL)
        *number = newest->number;
    pqti_scope_end(head->memory);
    return pin;
}

/* Stops the program if a version is of another kind than those of the head. Returns false and sets
   `error` if it is in another memory. */
static bool
validate_version(const char *function, const pqt_head *head, const void *version, pqt_error *error)
{
    pqti_assert_version(function, head->kind, version);
    if (pqti_memory_of(version) == head->memory)
        return true;
    pqti_error_set(error, PQT_ERROR_MISMATCH, 0,
                   "head: the version is not in the memory of the first version");
    return false;
}

/*
 * Ends the scope of a publication or an update, which is a safe point if it succeeded. The head
 * keeps the version, unless another writer has replaced it; then a scope of the caller keeps it.
 */
static void
end_scope(const pqt_head *head, bool done)
{
    if (done)
        pqti_scope_end_at_safe_point(head->memory, NULL, NULL);
    else
        pqti_scope_end(head->memory);
}

/* Publishes a version. Returns false and sets `error` when out of memory. */
static bool
publish_record(pqt_head *head, const void *version, pqt_error *error)
{
    const record *before = atomic_load_explicit(&head->newest, memory_order_acquire);
    if (before->version == version)
        return true;
    const record *after = make_record(head->memory, version, before->number + 1, error);
    if (after == NULL)
        return false;
    /* An exchange reveals a version that another writer published, which a plain store would
       overwrite unseen. */
    const record *replaced = atomic_exchange_explicit(&head->newest, after, PUBLISH_ORDER);
    pqti_root_added(head->memory, after);
    pqti_root_removed(head->memory, replaced);
    PQT_ASSERT_IN("pqt_head_publish", replaced == before,
                  "another thread published at the same time: use pqt_head_update");
    pqti_keep_alive(before); /* the address must not be reused before the comparison */
    (void)replaced;
    pqti_eventcount_raise(&head->eventcount, after->number);
    return true;
}

bool
pqt_head_publish(pqt_head *head, const void *next, pqt_error *error)
{
    if (!pqti_check_version(next, error))
        return false;
    expect_use(__func__, head);
    if (!validate_version(__func__, head, next, error) || !pqti_scope_begin(head->memory, error))
        return false;
    const bool done = publish_record(head, next, error);
    end_scope(head, done);
    return done;
}

/* Makes the next version. Returns NULL and sets `error` if that fails or if the head cannot hold
   the version. */
static const void *
make_next(const pqt_head *head, const record *before, pqt_head_update_fn *update, void *context,
          pqt_error *error)
{
    pqt_error failure = {0};
    const void *made = update(before->version, context, &failure);
    if (made != NULL)
        return validate_version("pqt_head_update", head, made, error) ? made : NULL;
    pqti_error_set(&failure, PQT_ERROR_CALLBACK, 0, "head: the update function returned NULL");
    pqti_error_set(error, failure.status, failure.index, "%s", failure.text);
    return NULL;
}

/* Returns the record that is the newest after the update. Returns NULL and sets `error` on
   failure. */
static const record *
update_record(pqt_head *head, pqt_head_update_fn *update, void *context, pqt_error *error)
{
    for (;;) {
        const record *before = atomic_load_explicit(&head->newest, memory_order_acquire);
        const void *version = make_next(head, before, update, context, error);
        if (version == NULL)
            return NULL;
        if (version == before->version)
            return before;
        const record *after = make_record(head->memory, version, before->number + 1, error);
        if (after == NULL)
            return NULL;
        const record *expected = before;
        if (atomic_compare_exchange_strong_explicit(&head->newest, &expected, after, PUBLISH_ORDER,
                                                    memory_order_relaxed)) {
            pqti_root_added(head->memory, after);
            pqti_root_removed(head->memory, before);
            pqti_keep_alive(before); /* for the same reason as in publish_record */
            pqti_eventcount_raise(&head->eventcount, after->number);
            return after;
        }
        pqti_keep_alive(before);
    }
}

const void *
pqt_head_update(pqt_head *head, pqt_head_update_fn *update, void *context, uint64_t *number,
                pqt_error *error)
{
    PQT_ASSERT(update != NULL, "the update function is NULL");
    expect_use(__func__, head);
    if (!pqti_scope_begin(head->memory, error))
        return NULL;
    const record *made = update_record(head, update, context, error);
    const void *version = made != NULL ? made->version : NULL;
    if (made != NULL && number != NULL)
        *number = made->number;
    end_scope(head, made != NULL);
    return version;
}

uint64_t
pqt_head_number(const pqt_head *head)
{
    expect_alive(__func__, head);
    return atomic_load_explicit(&head->eventcount.count, memory_order_acquire);
}

bool
pqt_head_wait(pqt_head *head, uint64_t after, double seconds)
{
    expect_alive(__func__, head);
    PQT_ASSERT(!isnan(seconds), "seconds is NaN");
    return pqti_eventcount_wait(&head->eventcount, after, seconds);
}

unsigned
pqti_head_waiters(pqt_head *head)
{
    return pqti_eventcount_waiters(&head->eventcount);
}

void
pqt_head_destroy(pqt_head **head)
{
    if (head == NULL || *head == NULL)
        return;
    expect_alive(__func__, *head);
    PQT_ASSERT(pqti_head_waiters(*head) == 0, "a thread still waits at the head");
    (*head)->magic = 0;
    pqti_eventcount_close(&(*head)->eventcount);
    pqti_free_holder((*head)->memory, *head);
    *head = NULL;
}
