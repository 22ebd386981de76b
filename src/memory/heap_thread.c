/* SPDX-License-Identifier: MIT */
/*
 * heap_thread.c: the threads that use heaps: their states and scopes, forks, and the end of a
 * thread or of the process.
 *
 * The state of a thread in a heap outlives the thread, and another thread reuses it. A thread-local
 * variable points to the state that the thread used last.
 */
#include "config.h"

#include "memory/heap_internal.h"

#include <stdlib.h>

#include "base/attributes.h"
#include "base/error_internal.h"
#include "base/unload.h"
#include "memory/owner.h"

/* ---- Threads ---- */

_Thread_local pqti_heap_states pqti_heap_my_states PQTI_INITIAL_EXEC;

/*
 * This lock is held while the heap or the owner of a state changes. It must be locked before the
 * lock of a heap.
 */
static pthread_mutex_t states_lock = PTHREAD_MUTEX_INITIALIZER;
static pqti_heap *all_heaps; /* protected by states_lock */
/* The states of destroyed heaps that living threads still own; protected by states_lock. */
static pqti_heap_thread *orphans;
static pthread_key_t exit_key;
static pthread_once_t exit_key_once = PTHREAD_ONCE_INIT;
static bool has_exit_key;
static bool has_ended; /* the process ends, and exit_key no longer exists; see states_lock */

static void
lock_states(void)
{
    pthread_mutex_lock(&states_lock);
}

static void
unlock_states(void)
{
    pthread_mutex_unlock(&states_lock);
}

/* ---- Fork ---- */

/* A fork waits until no other thread is running a slice of a cycle or changing a heap in any
   other way. So the child can continue the cycle of each heap. */
static void
before_fork(void)
{
    pqti_lock_layouts();
    lock_states();
    for (pqti_heap *heap = all_heaps; heap != NULL; heap = heap->next)
        pqti_heap_lock(heap);
}

static void
after_fork(void)
{
    for (pqti_heap *heap = all_heaps; heap != NULL; heap = heap->next)
        pqti_heap_unlock(heap);
    unlock_states();
    pqti_unlock_layouts();
}

/*
 * Ends the scopes of all other threads and frees their states, because a child process has only one
 * thread.
 */
static void
drop_other_threads(pqti_heap *heap)
{
    for (pqti_heap_thread *state = atomic_load(&heap->threads); state != NULL;
         state = state->next) {
        bool is_mine = false;
        for (const pqti_heap_thread *mine = pqti_heap_my_states.mine; mine != NULL;
             mine = mine->next_of_thread)
            is_mine = is_mine || mine == state;
        if (is_mine)
            continue;
        state->depth = 0;
        atomic_store(&state->epoch, 0);
        atomic_store(&state->is_owned, false);
    }
}

/* Makes the child scan all roots again, because another thread may have stored a version in a
   pin or a head that the cycle has scanned already, without having passed the version to the
   cycle. The marks remain. */
static void
scan_roots_again(pqti_heap *heap)
{
    if (pqti_heap_is_marking(heap))
        pqti_heap_restart_cycle(heap);
}

/* Ends the edits of other threads, for which a cycle would wait. Their drafts must not be used. */
static void
end_edits(pqti_heap *heap)
{
    for (pqti_owner *owner = heap->first_owner; owner != NULL; owner = owner->next)
        atomic_store(&owner->editing, 0);
}

static void
after_fork_in_child(void)
{
    for (pqti_heap *heap = all_heaps; heap != NULL; heap = heap->next) {
        drop_other_threads(heap);
        end_edits(heap);
        scan_roots_again(heap);
    }
    after_fork();
}

static pthread_once_t watch_once = PTHREAD_ONCE_INIT;
static bool is_watching;

static void
watch_process(void)
{
    pqti_unload_watch();
    is_watching = pthread_atfork(before_fork, after_fork, after_fork_in_child) == 0;
}

bool
pqti_heap_watch_process(void)
{
    (void)pthread_once(&watch_once, watch_process);
    return is_watching;
}

void
pqti_heap_register(pqti_heap *heap)
{
    lock_states();
    heap->next = all_heaps;
    all_heaps = heap;
    unlock_states();
}

void
pqti_heap_unregister(const pqti_heap *heap)
{
    lock_states();
    pqti_heap **at = &all_heaps;
    while (*at != heap)
        at = &(*at)->next;
    *at = heap->next;
    unlock_states();
}

/* ---- States ---- */

void
pqti_heap_flush_thread(pqti_heap *heap, pqti_heap_thread *state)
{
    for (size_t i = 0; i < PQTI_CLASSES; i++)
        pqti_heap_flush(heap, &state->caches[i]);
}

/* Adds a state whose heap is destroyed to the orphans. The caller holds states_lock. */
static void
add_orphan(pqti_heap_thread *state)
{
    atomic_store(&state->heap, NULL);
    state->next = orphans;
    state->previous = NULL;
    if (orphans != NULL)
        orphans->previous = state;
    orphans = state;
}

/* The caller holds states_lock. */
static void
free_orphan(pqti_heap_thread *state)
{
    if (state->previous != NULL)
        state->previous->next = state->next;
    else
        orphans = state->next;
    if (state->next != NULL)
        state->next->previous = state->previous;
    free(state);
}

/* Releases a state: returns its blocks, ends its scope and clears its owner. The caller holds
   states_lock. */
static void
leave_state(pqti_heap_thread *state)
{
    pqti_heap *heap = atomic_load(&state->heap);
    if (heap == NULL) {
        free_orphan(state);
        return;
    }
    pqti_heap_lock(heap);
    pqti_heap_flush_thread(heap, state);
    pqti_heap_unlock(heap);
    state->depth = 0;
    atomic_store(&state->epoch, 0);
    atomic_store(&state->is_owned, false);
}

static void
leave_all_states(void *unused)
{
    (void)unused;
    lock_states();
    for (pqti_heap_thread *next, *state = pqti_heap_my_states.mine; state != NULL; state = next) {
        next = state->next_of_thread;
        leave_state(state);
    }
    pqti_heap_my_states = (pqti_heap_states){0};
    unlock_states();
}

static void
make_exit_key(void)
{
    has_exit_key = pthread_key_create(&exit_key, leave_all_states) == 0;
}

/* Frees this thread's states of heaps that were destroyed. The caller holds states_lock. */
static void
forget_destroyed(void)
{
    pqti_heap_thread **at = &pqti_heap_my_states.mine;
    while (*at != NULL) {
        pqti_heap_thread *state = *at;
        if (atomic_load(&state->heap) != NULL) {
            at = &state->next_of_thread;
            continue;
        }
        *at = state->next_of_thread;
        free_orphan(state);
    }
}

/* Makes leave_all_states run when the calling thread ends. Returns false if the system cannot. The
   caller holds states_lock. */
static bool
watch_thread_end(void)
{
    return has_ended || (has_exit_key && pthread_setspecific(exit_key, &pqti_heap_my_states) == 0);
}

/*
 * Returns an existing state that no thread owns, or a new one. Returns NULL when out of memory.
 */
static pqti_heap_thread *
adopt_state(pqti_heap *heap)
{
    pqti_heap_thread *state = atomic_load(&heap->threads);
    for (; state != NULL; state = state->next) {
        bool is_owned = false;
        if (atomic_compare_exchange_strong(&state->is_owned, &is_owned, true))
            return state;
    }
    state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    atomic_init(&state->heap, heap);
    atomic_init(&state->is_owned, true);
    state->next = atomic_load(&heap->threads);
    while (!atomic_compare_exchange_weak(&heap->threads, &state->next, state)) {
    }
    return state;
}

PQTI_NOINLINE pqti_heap_thread *
pqti_heap_find_thread(pqti_heap *heap)
{
    pqti_heap_thread *state = pqti_heap_my_states.mine;
    while (state != NULL && atomic_load_explicit(&state->heap, memory_order_relaxed) != heap)
        state = state->next_of_thread;
    if (state == NULL) {
        (void)pthread_once(&exit_key_once, make_exit_key);
        lock_states();
        forget_destroyed();
        state = watch_thread_end() ? adopt_state(heap) : NULL;
        if (state != NULL) {
            state->next_of_thread = pqti_heap_my_states.mine;
            pqti_heap_my_states.mine = state;
        }
        unlock_states();
    }
    if (state != NULL) {
        pqti_heap_my_states.recent = state;
        pqti_heap_my_states.recent_id = heap->id;
    }
    return state;
}

void
pqti_heap_free_threads(pqti_heap *heap)
{
    lock_states();
    for (pqti_heap_thread *next, *state = atomic_load(&heap->threads); state != NULL;
         state = next) {
        next = state->next;
        if (atomic_load(&state->is_owned))
            add_orphan(state); /* the thread that owns the state will free it */
        else
            free(state);
    }
    unlock_states();
}

/* ---- Scopes ---- */

bool
pqti_heap_scope_begin(pqt_memory *memory)
{
    pqti_heap *heap = pqti_heap_of(memory);
    pqti_heap_thread *state = pqti_heap_thread_of(heap);
    if (state == NULL)
        return false;
    /* The epoch must be visible before the thread loads a version from a head. */
    if (state->depth++ == 0)
        atomic_store(&state->epoch, atomic_load(&heap->epoch));
    return true;
}

void
pqti_heap_scope_end(pqt_memory *memory)
{
    pqti_heap_thread *state = pqti_heap_thread_of(pqti_heap_of(memory));
    PQT_ASSERT_IN("pqt_scope_end", state != NULL && state->depth > 0,
                  "this thread has no scope open in this memory");
    if (--state->depth == 0)
        atomic_store(&state->epoch, 0);
}

/* Until the first call that reclaims, the default heap keeps every version, as a collector keeps
   the versions that a thread holds. */
bool
pqti_heap_may_load(pqt_memory *memory)
{
    pqti_heap *heap = pqti_heap_of(memory);
    if (heap->is_default && !atomic_load_explicit(&heap->has_reclaimed, memory_order_relaxed))
        return true;
    const pqti_heap_thread *state = pqti_heap_thread_of(heap);
    return state != NULL && state->depth > 0;
}

/* ---- Unloading ---- */

void
pqti_heap_leave_process(bool is_unloading)
{
    lock_states();
    if (has_exit_key)
        pthread_key_delete(exit_key);
    has_ended = true;
    while (is_unloading && orphans != NULL)
        free_orphan(orphans);
    unlock_states();
}
