/* SPDX-License-Identifier: MIT */
/*
 * collector.c: allocates blocks in the heap of the Boehm-Demers-Weiser collector, where versions
 * live while they are reachable.
 *
 * The whole program shares the collector, so this file changes as little of it as possible. It
 * initialises the collector unless the host has done so, enables the registration of threads, and
 * makes the collector allocate its table of weak links and stay loaded. It changes nothing else.
 *
 * Invariant: a thread that allocates is registered with the collector. The collector itself lets
 * any thread allocate, and aborts the program at some later collection ("Collecting from unknown
 * thread"), far from the cause. Asking the collector for each block would take 12 ns, a fifth of
 * the time that the allocation takes. So the answer is cached in a thread-local variable, as the
 * range of stack addresses that the collector scans: if the caller's frame is in this range, the
 * thread is registered. The host and other copies of this library may unregister a thread without
 * notice, so attaching always asks the collector, and detaching clears the cache.
 *
 * The collector scans a thread's stack from the frame in which it stopped the thread to the bottom
 * that it recorded for the thread. If the thread runs a coroutine with a stack of its own, the two
 * ends of this range are on different stacks: either the first collection crashes in the memory
 * between them, or the coroutine's stack is not scanned. So this file detects a frame outside the
 * thread's stack, unless the host has called GC_set_stackbottom.
 */
#include "config.h"

#include "memory/memory_internal.h"

#include "base/cancellation.h"
#include "base/attributes.h"
#include "base/error_internal.h"
#include "base/fork.h"
#include "base/unload.h"

#if PQT_WITH_COLLECTOR

#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#include <gc/gc_mark.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34) /* these functions are in the C library */
#define CAN_STAY_LOADED 1
#include <dlfcn.h>
#endif
#endif
#ifndef CAN_STAY_LOADED
#define CAN_STAY_LOADED 0
#endif

#if defined(__linux__)
#include <sys/syscall.h>
#elif defined(__FreeBSD__) || defined(__OpenBSD__)
#include <pthread_np.h>
#endif

/* The number of signals by which the collector stops and resumes a thread. */
#define SIGNALS 2

/* The addresses from low to low + size - 1; none if size is 0. */
typedef struct range {
    uintptr_t low, size;
} range;

typedef struct thread_state {
    /* the range that the collector would scan, according to its last answer */
    range known;
    /* the thread's stack as the system reports it; its size is 0 until the system is asked */
    range own;
    /* true if pqt_thread_attach registered the thread, so that pqt_thread_detach must undo it */
    bool attached;
    bool blocked[SIGNALS]; /* the signals that attaching has unblocked */
} thread_state;

static _Thread_local thread_state this_thread PQTI_INITIAL_EXEC;

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint start_lock_made_at;
static atomic_bool is_ready;
/* If the library started the collector, a function that never abandons a collection; otherwise
   NULL. */
static GC_stop_func never_stop;
static _Atomic uint64_t pins;

/*
 * The destructor of this key detaches a thread that ends while attached. The key is valid only if
 * has_detach_key is true: from the start of the collector until the library is unloaded or the
 * process ends. Both change between pqti_fork_hold and pqti_fork_release.
 */
static pthread_key_t detach_key;
static bool has_detach_key;

/*
 * Returns true if this is the main thread, or if the platform cannot tell. If it cannot, the
 * documentation requires that the caller be the main thread.
 */
static bool
is_main_thread(void)
{
#if defined(__linux__)
    return syscall(SYS_gettid) == getpid();
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__)
    return pthread_main_np() != 0;
#else
    return true;
#endif
}

/* Returns true if the calling thread may start the collector. If the host has initialised it,
   any registered thread may; otherwise only the main thread may. */
static bool
may_start(void)
{
    return GC_is_init_called() ? GC_thread_is_registered() != 0 : is_main_thread();
}

/*
 * The collector allocates its table of weak links at the first link, and would abort the program if
 * there were no memory then. The table remains without the link, which would outlive a plugin that
 * contains this library.
 */
static void
allocate_weak_link_table(void)
{
    static void *link;
    void *target = GC_malloc_atomic(PQTI_GRANULE - 1);
    if (target != NULL && GC_general_register_disappearing_link(&link, target) == GC_SUCCESS)
        (void)GC_unregister_disappearing_link(&link);
}

/*
 * If a thread ended while attached, the collector would abort the program at the next collection.
 */
static void
detach_at_thread_end(void *unused)
{
    (void)unused;
    pqt_thread_detach();
}

/*
 * Makes the shared object with the collector stay loaded, because its threads and signal handlers
 * remain. It may have been loaded only for a plugin that contains this library; if it is that
 * plugin, then the plugin stays loaded.
 */
static void
keep_collector_loaded(void)
{
#if CAN_STAY_LOADED
    Dl_info object;
    void *address = (void *)(uintptr_t)GC_get_gc_no;
    if (dladdr(address, &object) != 0)
        (void)dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
#endif
}

static void
start_collector(void)
{
    if (!GC_is_init_called()) {
        GC_set_handle_fork(1); /* has an effect only before GC_INIT */
        GC_INIT();
        never_stop = GC_get_stop_func();
    }
    pqti_unload_watch();
    keep_collector_loaded();
    GC_allow_register_threads();
    allocate_weak_link_table();
    has_detach_key = pthread_key_create(&detach_key, detach_at_thread_end) == 0;
    atomic_store(&is_ready, true);
}

static void
renew_start_lock(void *lock)
{
    (void)pthread_mutex_init(lock, NULL);
}

/*
 * Disables cancellation, because a thread that is cancelled while the collector reads or writes a
 * file would leave the lock locked.
 */
static void
start_once(void)
{
    PQTI_NOT_CANCELLABLE;
    if (!pqti_fork_watch())
        return;
    pqti_fork_renew(&start_lock_made_at, renew_start_lock, &start_lock);
    pthread_mutex_lock(&start_lock);
    if (!atomic_load(&is_ready) && may_start())
        start_collector();
    pthread_mutex_unlock(&start_lock);
}

bool
pqti_collector_start(pqt_error *error)
{
    if (atomic_load(&is_ready))
        return true;
    start_once();
    if (atomic_load(&is_ready))
        return true;
    pqti_error_set(error, PQT_ERROR_THREAD, 0,
                   "thread: the first call must come from the main thread; call pqt_init there");
    return false;
}

static bool
range_contains(range among, uintptr_t address)
{
    return address - among.low < among.size;
}

/* The whole address space, for systems that do not report the stack. */
static const range everywhere = {0, UINTPTR_MAX};

static range
query_stack(void)
{
    range found = everywhere;
#if defined(__linux__) || defined(__FreeBSD__)
    void *low;
    size_t size;
    pthread_attr_t attributes;
#ifdef __FreeBSD__
    if (pthread_attr_init(&attributes) != 0)
        return found;
    (void)pthread_attr_get_np(pthread_self(), &attributes);
#else
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return found;
#endif
    if (pthread_attr_getstack(&attributes, &low, &size) == 0 && size > 0)
        found = (range){(uintptr_t)low, size};
    pthread_attr_destroy(&attributes);
#endif
    return found;
}

/*
 * Asks the system for the stack of the thread. Asks again if the main thread's stack has grown
 * beyond its earlier limit.
 */
static void
update_own_stack(uintptr_t bottom, uintptr_t here)
{
    range *own = &this_thread.own;
    if (own->size == 0 || (range_contains(*own, bottom - 1) && !range_contains(*own, here)))
        *own = query_stack();
}

/*
 * Returns the range that the collector would scan if it stopped the thread at `here`: from there to
 * the bottom that it recorded. If that bottom is on the thread's own stack, every address of that
 * stack below it is valid. Otherwise the host has set the bottom, and this function trusts it.
 */
static range
scanned_range_at(uintptr_t here)
{
#if HAVE_GC_GET_SP_CORRECTOR
    if (GC_get_sp_corrector() != NULL)
        return everywhere;
#endif
#if HAVE_GC_GET_MY_STACKBOTTOM
    struct GC_stack_base base;
    (void)GC_get_my_stackbottom(&base);
    const uintptr_t bottom = (uintptr_t)base.mem_base;
    update_own_stack(bottom, here);
    const uintptr_t low = range_contains(this_thread.own, bottom - 1) ? this_thread.own.low : here;
    return low < bottom ? (range){low, bottom - low} : (range){0, 0};
#else
    (void)here;
    return everywhere;
#endif
}

static bool
query_thread(uintptr_t here)
{
    this_thread.known = (range){0, 0};
    if (atomic_load(&is_ready) && GC_thread_is_registered())
        this_thread.known = scanned_range_at(here);
    return range_contains(this_thread.known, here);
}

/*
 * Evaluates to true if the collector knows the thread and scans the stack that contains `variable`,
 * a variable of the calling function. Does not write to the variable.
 */
#ifdef NDEBUG
#define IS_KNOWN_HERE(variable) ((void)&(variable), true)
#else
#define IS_KNOWN_HERE(variable) range_contains(this_thread.known, (uintptr_t)(&(variable)))
#endif

static bool
thread_is_known(void)
{
    char frame;
    return IS_KNOWN_HERE(frame) || query_thread((uintptr_t)&frame);
}

/*
 * Aborts if the collector does not know the thread or its stack. The message cannot name the public
 * function, because passing its name would cost more than the check.
 */
static void
assert_known_thread(void)
{
    const bool is_known = thread_is_known();
    PQT_ASSERT_IN(NULL, is_known || (atomic_load(&is_ready) && GC_thread_is_registered()),
                  "the collector does not know this thread: call pqt_thread_attach before it makes "
                  "versions");
    PQT_ASSERT_IN(NULL, is_known,
                  "the collector does not know this stack: call "
                  "GC_set_stackbottom for coroutines, or make versions on the thread's own stack");
    (void)is_known;
}

/*
 * The collector adds one byte to each request, so that a pointer just past the end of a block keeps
 * it alive, and rounds up to its granule of 16. So the request is one byte less than a multiple of
 * 16, and a block for 128 bytes takes 128 rather than 144. The price is that a collector that
 * recognises all interior pointers takes the last word of a block for that extra byte and does not
 * scan it.
 */
/* This function is not inlined, so that the fast path only jumps to the collector. */
static __attribute__((noinline)) void *
allocate_after_check(void *(*allocate)(size_t size), size_t size)
{
    assert_known_thread();
    return allocate(size);
}

static void *
gc_alloc_list(pqt_memory *memory, size_t size)
{
    char frame;
    (void)memory;
    return IS_KNOWN_HERE(frame) ? GC_malloc(size - 1) : allocate_after_check(GC_malloc, size - 1);
}

static void *
gc_alloc_node(pqt_memory *memory, pqti_layout *layout)
{
    PQT_INVARIANT(layout->size > 64 * sizeof(void *) ||
                      layout->references >> (layout->size / sizeof(void *) - 1) == 0,
                  "the last word of a node is a reference");
    return gc_alloc_list(memory, layout->size);
}

static void *
gc_alloc_leaf(pqt_memory *memory, size_t size)
{
    char frame;
    (void)memory;
    return IS_KNOWN_HERE(frame) ? GC_malloc_atomic(size - 1)
                                : allocate_after_check(GC_malloc_atomic, size - 1);
}

/* Here the last word must be scanned, so the extra byte costs another granule. */
static void *
gc_alloc_scanned_leaf(pqt_memory *memory, size_t size)
{
    char frame;
    (void)memory;
    return IS_KNOWN_HERE(frame) ? GC_malloc(size) : allocate_after_check(GC_malloc, size);
}

static void
gc_free_leaf(pqt_memory *memory, void *block)
{
    (void)memory;
    GC_free(block);
}

static size_t
gc_block_size(const pqt_memory *memory, const void *block, size_t asked)
{
    (void)memory;
    (void)asked;
    return GC_size(block);
}

static void *
gc_alloc_holder(pqt_memory *memory, size_t size, pqti_trace_fn *trace, const void *context)
{
    char frame;
    (void)trace;
    (void)context;
    (void)memory;
    if (!IS_KNOWN_HERE(frame))
        assert_known_thread();
    void *pin = GC_malloc_uncollectable(size);
    if (pin != NULL)
        atomic_fetch_add_explicit(&pins, 1, memory_order_relaxed);
    return pin;
}

static void *
gc_alloc_pin(pqt_memory *memory)
{
    return gc_alloc_holder(memory, sizeof(pqt_pin), NULL, NULL);
}

/* Any thread may call this, because GC_free needs nothing but the collector's lock. */
static void
gc_free_holder(pqt_memory *memory, void *pin)
{
    (void)memory;
    GC_free(pin);
    const uint64_t before = atomic_fetch_sub_explicit(&pins, 1, memory_order_relaxed);
    PQT_INVARIANT(before > 0, "more pins of the collector are freed than were made");
    (void)before;
}

static bool
gc_thread_is_registered(const pqt_memory *memory)
{
    (void)memory;
    return thread_is_known();
}

static void
gc_collect(pqt_memory *memory)
{
    (void)memory;
    if (atomic_load(&is_ready))
        GC_gcollect();
}

static pqt_memory_stats
gc_get_stats(const pqt_memory *memory)
{
    (void)memory;
    pqt_memory_stats stats = {.pins = atomic_load_explicit(&pins, memory_order_relaxed)};
    if (atomic_load(&is_ready)) {
        GC_word heap, unused;
        GC_get_heap_usage_safe(&heap, &unused, NULL, NULL, NULL);
        stats.bytes = heap - unused;
        stats.collections = GC_get_gc_no();
    }
    return stats;
}

static const pqti_memory_calls collector_calls = {
    .alloc_node = gc_alloc_node,
    .alloc_list = gc_alloc_list,
    .alloc_leaf = gc_alloc_leaf,
    .alloc_scanned_leaf = gc_alloc_scanned_leaf,
    .free_leaf = gc_free_leaf,
    .size = gc_block_size,
    .alloc_pin = gc_alloc_pin,
    .free_pin = gc_free_holder,
    .alloc_holder = gc_alloc_holder,
    .free_holder = gc_free_holder,
    .thread_is_registered = gc_thread_is_registered,
    .collect = gc_collect,
    .stats = gc_get_stats,
};

static pqt_memory collector = {&collector_calls};

pqt_memory *
pqt_collector(void)
{
    return &collector;
}

/* ---- Signs of life ---- */

static uint16_t
life_now(void)
{
    return (uint16_t)(PQTI_COLLECTED | (GC_get_gc_no() & (PQTI_COLLECTED - 1)));
}

uint32_t
pqti_sign_of_new(const pqt_memory *memory, pqt_kind kind)
{
    return PQTI_SIGN_OF(kind) | (memory == &collector ? life_now() : (uint16_t)PQTI_LIVES);
}

typedef struct life_query {
    const void *version;
    /* the life of the version when the query began; find_life replaces it by the current one */
    uint16_t life;
} life_query;

static bool
is_marked_block(const void *address)
{
    void *block = (void *)(uintptr_t)address;
    return block != NULL && GC_base(block) == block && GC_is_marked(block);
}

/* Returns true if the second word may be that of a version: its memory or, in trees and worlds, a
   block. */
static bool
has_second_word(const life_query *query)
{
    const pqti_version *version = query->version;
    const void *word = *(const void *const *)(const void *)(version + 1);
    return word == &collector || is_marked_block(word);
}

/* Sets the query's life to the current one. Returns NULL if the last collection did not mark the
   version. The caller holds the collector's lock, so no collection is running. */
static void *
find_life(void *context)
{
    life_query *query = context;
    const uint16_t now = life_now();
    if (query->life != now && (!is_marked_block(query->version) || !has_second_word(query)))
        return NULL;
    query->life = now;
    return context;
}

/* Returns true if the last collection marked every live block. Incremental collections, and
   those that the host may abandon, do not. Threads that the collector does not know may read
   pinned versions, but must not wait for the collector's lock. */
static bool
are_marks_known(void)
{
    char frame;
    return IS_KNOWN_HERE(frame) && never_stop != NULL && !GC_is_incremental_mode();
}

/* Returns the new life for a version whose life is `life`, or 0 if it was reclaimed. */
static __attribute__((noinline)) uint16_t
life_by_last_collection(const void *version, uint16_t life)
{
    life_query query = {version, life};
    if ((life & PQTI_COLLECTED) == 0 || !atomic_load(&is_ready))
        return 0;
    return !are_marks_known() || GC_call_with_alloc_lock(find_life, &query) != NULL ||
                   GC_get_stop_func() != never_stop
               ? query.life
               : 0;
}

/* The mark is the only part of a version that changes after it was made. All threads write the
   same value. */
bool
pqti_is_collected_alive(const void *version, pqt_kind kind)
{
    const uint32_t before = pqti_sign_in(version), kind_bits = PQTI_SIGN_OF(kind);
    if (before == (kind_bits | life_now()))
        return true;
    if ((before & ~PQTI_LIFE_BITS) != kind_bits)
        return false;
    const uint32_t life = life_by_last_collection(version, (uint16_t)before);
    pqti_version *changed = (pqti_version *)(uintptr_t)version;
    if (life != 0 && (kind_bits | life) != before)
        __atomic_store_n(&changed->sign, kind_bits | life, __ATOMIC_RELAXED);
    return life != 0;
}

/* ---- Threads ---- */

/*
 * Sets the numbers of the signals. They are negative on a platform that stops threads by other
 * means.
 */
static void
get_signals(int signals[SIGNALS])
{
    signals[0] = GC_get_suspend_signal();
    signals[1] = GC_get_thr_restart_signal();
}

/*
 * Unblocks the collector's signals in this thread. If it blocked one of them, it would never stop,
 * and a collection would never end.
 */
static void
unblock_signals(void)
{
    int signals[SIGNALS];
    sigset_t signal_set, before;
    get_signals(signals);
    sigemptyset(&signal_set);
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i] > 0)
            sigaddset(&signal_set, signals[i]);
    pthread_sigmask(SIG_UNBLOCK, &signal_set, &before);
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i] > 0 && sigismember(&before, signals[i]) == 1)
            this_thread.blocked[i] = true;
}

static void
block_signals_again(void)
{
    int signals[SIGNALS];
    sigset_t signal_set;
    get_signals(signals);
    sigemptyset(&signal_set);
    for (int i = 0; i < SIGNALS; i++) {
        if (this_thread.blocked[i])
            sigaddset(&signal_set, signals[i]);
        this_thread.blocked[i] = false;
    }
    pthread_sigmask(SIG_BLOCK, &signal_set, NULL);
}

/*
 * Passes the address of its own frame to the collector instead of calling GC_call_with_stack_base,
 * which would omit its callers' frames.
 */
static bool
register_thread(void)
{
    struct GC_stack_base base;
    return GC_get_stack_base(&base) == GC_SUCCESS && GC_register_my_thread(&base) == GC_SUCCESS;
}

static void
watch_thread_end(void)
{
    pqti_fork_hold();
    if (has_detach_key)
        (void)pthread_setspecific(detach_key, &this_thread);
    pqti_fork_release();
}

bool
pqt_thread_attach(pqt_error *error)
{
    if (!pqti_collector_start(error))
        return false;
    if (GC_thread_is_registered())
        return true;
    unblock_signals();
    if (!register_thread()) {
        block_signals_again();
        pqti_error_set(error, PQT_ERROR_THREAD, 0, "thread: the collector cannot find its stack");
        return false;
    }
    this_thread.attached = true;
    watch_thread_end();
    return true;
}

void
pqt_thread_detach(void)
{
    const bool attached = this_thread.attached;
    this_thread.attached = false;
    this_thread.known = (range){0, 0};
    if (!attached)
        return;
    /* Without this test, the collector would search for the thread without finding it, and
       crash. */
    if (GC_thread_is_registered())
        GC_unregister_my_thread();
    block_signals_again();
}

/* Deletes the key, whose destructor is a function of the library. The thread that unloads the
   library is detached; other threads must have been detached before. */
PQTI_AT_UNLOAD static void
leave_process(void)
{
    if (pqti_is_unloading())
        pqt_thread_detach();
    pqti_fork_hold();
    if (has_detach_key)
        pthread_key_delete(detach_key);
    has_detach_key = false;
    pqti_fork_release();
}

#else /* a build without the collector, where threads need no attaching */

uint32_t
pqti_sign_of_new(const pqt_memory *memory, pqt_kind kind)
{
    (void)memory;
    return PQTI_SIGN_OF(kind) | PQTI_LIVES;
}

bool
pqti_is_collected_alive(const void *version, pqt_kind kind)
{
    (void)version;
    (void)kind;
    return false;
}

pqt_memory *
pqt_collector(void)
{
    return NULL;
}

bool
pqt_thread_attach(pqt_error *error)
{
    (void)error;
    return true;
}

void
pqt_thread_detach(void)
{
}

#endif
