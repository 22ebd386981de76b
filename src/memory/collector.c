/* SPDX-License-Identifier: MIT */
/*
 * collector.c - versions in the Boehm collector's heap: they live while something reaches them.
 *
 * The collector belongs to the whole program, so this file takes from it no more than it needs:
 * it makes it ready if nobody did, switches on the registration of threads, has it make its table
 * of weak links, and changes no other setting.
 *
 * Invariant: a thread that allocates is one that the collector knows. The collector itself would
 * let any thread allocate, and stop the program at some later collection ("Collecting from unknown
 * thread") when the culprit is far away. To ask it at each block costs 12 ns, a fifth of the block;
 * so the answer is kept thread-local, as the addresses of the stack that the collector would
 * search: where the caller's frame lies among them, all is well. The host, and other copies of this
 * library, may unregister a thread without our notice: so attaching asks each time, and detaching
 * forgets.
 *
 * The collector searches a thread's stack from the frame in which it stopped it to the bottom that
 * it has noted. In a coroutine, on a stack of its own, that crosses all memory in between: a crash
 * at the first collection, or a stack that is not searched. So a frame outside the thread's stack
 * is noticed, unless the host has told the collector of it by GC_set_stackbottom.
 */
#include "config.h"

#include "memory/memory_internal.h"

#include "base/error_internal.h"
#include "base/fork.h"

#if PQT_WITH_COLLECTOR

#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#elif defined(__FreeBSD__) || defined(__OpenBSD__)
#include <pthread_np.h>
#endif

/* The signals by which the collector stops a thread and lets it go on. */
#define SIGNALS 2

/* Addresses from `low` on; 0 bytes: none. */
typedef struct range {
    uintptr_t low, size;
} range;

typedef struct thread_state {
    range known;           /* where the collector, when asked last, would have found a frame */
    range own;             /* the thread's stack as the system says; 0 bytes: not asked yet */
    bool attached;         /* by pqt_thread_attach, so pqt_thread_detach is to undo it */
    bool blocked[SIGNALS]; /* which signals attaching has unblocked */
} thread_state;

/* A library may be loaded late, so the address of its variable is asked for by a call, at each
   block. Glibc keeps room for small ones beside those of the program, which need no call. */
#ifdef __GLIBC__
#define IN_THE_THREADS_OWN_BLOCK __attribute__((tls_model("initial-exec")))
#else
#define IN_THE_THREADS_OWN_BLOCK
#endif

static _Thread_local thread_state this_thread IN_THE_THREADS_OWN_BLOCK;

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint start_lock_made_at;
static atomic_bool is_ready;
static _Atomic uint64_t pins;

/* Its destructor detaches a thread that ends attached; valid if the flag, set at the start, says
   so. */
static pthread_key_t detach_key;
static bool has_detach_key;

/* Where it cannot be told, it is left to the caller, as the manual asks. */
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

/* A host that has started the collector itself may come from any thread that the collector
   knows. */
static bool
may_start(void)
{
    return GC_is_init_called() ? GC_thread_is_registered() != 0 : is_main_thread();
}

/* The collector makes its table at the first link, and in a full heap would stop the program. */
static void
make_table_of_weak_links(void)
{
    static void *link;
    void *target = GC_malloc_atomic(PQTI_GRANULE - 1);
    if (target != NULL)
        (void)GC_general_register_disappearing_link(&link, target);
}

/* A thread that ended while attached would stop the program at the next collection. */
static void
detach_at_thread_end(void *unused)
{
    (void)unused;
    pqt_thread_detach();
}

static void
start_collector(void)
{
    if (!GC_is_init_called()) {
        GC_set_handle_fork(1); /* counts only before GC_INIT */
        GC_INIT();
    }
    GC_allow_register_threads();
    make_table_of_weak_links();
    has_detach_key = pthread_key_create(&detach_key, detach_at_thread_end) == 0;
    atomic_store(&is_ready, true);
}

static void
renew_start_lock(void *lock)
{
    (void)pthread_mutex_init(lock, NULL);
}

/* Not to be cancelled by what the collector reads and writes: the lock would stay locked. */
static void
start_once(void)
{
    int before;
    if (!pqti_fork_watch())
        return;
    pqti_fork_renew(&start_lock_made_at, renew_start_lock, &start_lock);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_mutex_lock(&start_lock);
    if (!atomic_load(&is_ready) && may_start())
        start_collector();
    pthread_mutex_unlock(&start_lock);
    pthread_setcancelstate(before, &before);
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
                   "thread: the first call must come from main; call pqt_init there");
    return false;
}

static bool
is_in(range among, uintptr_t address)
{
    return address - among.low < among.size;
}

/* Where the system does not tell, any address will do. */
static const range everywhere = {0, UINTPTR_MAX};

static range
ask_for_stack(void)
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

/* Main's stack may have grown beyond what was its limit. */
static void
find_own_stack(uintptr_t bottom, uintptr_t here)
{
    range *own = &this_thread.own;
    if (own->size == 0 || (is_in(*own, bottom - 1) && !is_in(*own, here)))
        *own = ask_for_stack();
}

/*
 * What the collector would search if it stopped the thread at `here`: all from there to the bottom
 * that it has noted. If that bottom is one on the thread's own stack, any address below it there is
 * as good. Another one was set by the host, which is believed.
 */
static range
searched_from(uintptr_t here)
{
#if HAVE_GC_GET_SP_CORRECTOR
    if (GC_get_sp_corrector() != NULL)
        return everywhere;
#endif
#if HAVE_GC_GET_MY_STACKBOTTOM
    struct GC_stack_base base;
    (void)GC_get_my_stackbottom(&base);
    const uintptr_t bottom = (uintptr_t)base.mem_base;
    find_own_stack(bottom, here);
    const uintptr_t low = is_in(this_thread.own, bottom - 1) ? this_thread.own.low : here;
    return low < bottom ? (range){low, bottom - low} : (range){0, 0};
#else
    (void)here;
    return everywhere;
#endif
}

static bool
learn_thread(uintptr_t here)
{
    this_thread.known = (range){0, 0};
    if (atomic_load(&is_ready) && GC_thread_is_registered())
        this_thread.known = searched_from(here);
    return is_in(this_thread.known, here);
}

/* Whether the collector knew the thread, and the stack where a variable of the calling function
   lies. Nothing is written to the variable. */
#ifdef NDEBUG
#define IS_KNOWN_HERE(variable) ((void)&(variable), true)
#else
#define IS_KNOWN_HERE(variable) is_in(this_thread.known, (uintptr_t)(&(variable)))
#endif

static bool
is_known_thread(void)
{
    char frame;
    return IS_KNOWN_HERE(frame) || learn_thread((uintptr_t)&frame);
}

/* Which call came here is not known: to tell would cost more than to see that all is well. */
static void
expect_known_thread(void)
{
    const bool is_known = is_known_thread();
    PQT_ASSERT_IN(NULL, is_known || (atomic_load(&is_ready) && GC_thread_is_registered()),
                  "the collector does not know this thread: call pqt_thread_attach before it makes "
                  "versions");
    PQT_ASSERT_IN(NULL, is_known,
                  "the collector does not know this stack: tell it of coroutines by "
                  "GC_set_stackbottom, or make versions elsewhere");
    (void)is_known;
}

/*
 * The collector adds a byte to each request, so that a pointer just past a block's end keeps it,
 * and rounds up to its granule of 16. So asking for one byte less than a multiple of 16 fills the
 * block: 128 bytes stay 128 and do not become 144. The price: where all interior pointers count,
 * the last word of a block is taken to be that extra byte's, and is not searched for pointers.
 */
/* Apart, so that where all is well there is nothing to be done but to jump to the collector. */
static __attribute__((noinline)) void *
allocate_after_check(void *(*allocate)(size_t size), size_t size)
{
    expect_known_thread();
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

/* Here the last word counts, so the extra byte gets a granule of its own. */
static void *
give_scanned_leaf(pqt_memory *memory, size_t size)
{
    char frame;
    (void)memory;
    return IS_KNOWN_HERE(frame) ? GC_malloc(size) : allocate_after_check(GC_malloc, size);
}

static size_t
gc_block_size(const pqt_memory *memory, const void *block, size_t asked)
{
    (void)memory;
    (void)asked;
    return GC_size(block);
}

static void *
gc_alloc_pin(pqt_memory *memory, size_t size)
{
    char frame;
    (void)memory;
    if (!IS_KNOWN_HERE(frame))
        expect_known_thread();
    void *pin = GC_malloc_uncollectable(size);
    if (pin != NULL)
        atomic_fetch_add_explicit(&pins, 1, memory_order_relaxed);
    return pin;
}

/* Needs no known thread: GC_free only takes the collector's lock. */
static void
gc_free_pin(pqt_memory *memory, void *pin)
{
    (void)memory;
    GC_free(pin);
    atomic_fetch_sub_explicit(&pins, 1, memory_order_relaxed);
}

static bool
gc_thread_is_registered(const pqt_memory *memory)
{
    (void)memory;
    return is_known_thread();
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
    .alloc_scanned_leaf = give_scanned_leaf,
    .size = gc_block_size,
    .alloc_pin = gc_alloc_pin,
    .free_pin = gc_free_pin,
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

/* -1 where the platform stops threads in another way. */
static void
get_signals(int signals[SIGNALS])
{
    signals[0] = GC_get_suspend_signal();
    signals[1] = GC_get_thr_restart_signal();
}

/* A thread that blocked one of them would never be seen to stop, and the collection never end. */
static void
unblock_signals(void)
{
    int signals[SIGNALS];
    sigset_t ours, before;
    get_signals(signals);
    sigemptyset(&ours);
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i] > 0)
            sigaddset(&ours, signals[i]);
    pthread_sigmask(SIG_UNBLOCK, &ours, &before);
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i] > 0 && sigismember(&before, signals[i]) == 1)
            this_thread.blocked[i] = true;
}

static void
block_signals_again(void)
{
    int signals[SIGNALS];
    sigset_t ours;
    get_signals(signals);
    sigemptyset(&ours);
    for (int i = 0; i < SIGNALS; i++) {
        if (this_thread.blocked[i])
            sigaddset(&ours, signals[i]);
        this_thread.blocked[i] = false;
    }
    pthread_sigmask(SIG_BLOCK, &ours, NULL);
}

/* In the thread's own frame, not through GC_call_with_stack_base: that would lose our caller's. */
static bool
register_thread(void)
{
    struct GC_stack_base base;
    return GC_get_stack_base(&base) == GC_SUCCESS && GC_register_my_thread(&base) == GC_SUCCESS;
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
        pqti_error_set(error, PQT_ERROR_THREAD, 0, "thread: its stack cannot be found");
        return false;
    }
    this_thread.attached = true;
    if (has_detach_key)
        (void)pthread_setspecific(detach_key, &this_thread);
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
    if (GC_thread_is_registered()) /* else the collector would look for it in vain, and crash */
        GC_unregister_my_thread();
    block_signals_again();
}

#else /* a build without the collector: says so, and leaves threads alone */

bool
pqti_collector_start(pqt_error *error)
{
    pqti_error_set(error, PQT_ERROR_UNSUPPORTED, 0,
                   "memory: this build has no collector, give an arena");
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
