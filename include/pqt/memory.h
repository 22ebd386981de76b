/* SPDX-License-Identifier: MIT */
/**
 * @file memory.h - memories, where versions live, and pins, which keep versions alive.
 *
 * Every version lives in a *memory*. There are three kinds:
 *
 * - The **collector** (pqt_collector) is the Boehm collector. A version lives as long as a pointer
 *   to it is on a stack of a known thread, in a static variable of the program or of a plugin, or
 *   in collected memory. The collector does **not** find pointers in memory from malloc or mmap, in
 *   thread-local storage, or in the heap of another language; keep such a version alive with a pin
 *   (pqt_tree_pin and similar functions). Most calls with a version that was reclaimed stop the
 *   program with a message.
 * - An **arena** (pqt_arena_make) keeps all its versions until it is destroyed.
 * - A **heap** (pqt_heap_make in heap.h) reclaims, by pqt_memory_reclaim, the versions that no pin,
 *   head, history or recording holds. It scans no stacks and stops no threads.
 *
 * If a memory may be NULL, NULL means the *default memory*: the collector, or in a build without
 * it a heap; see pqt_default_memory.
 */
#ifndef PQT_MEMORY_H
#define PQT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/export.h>

PQT_BEGIN_DECLARATIONS

/** A place where versions live. */
typedef struct pqt_memory pqt_memory;

/** A handle that keeps one version alive, wherever the handle itself is stored. */
typedef struct pqt_pin pqt_pin;

/** Statistics of a memory; see pqt_memory_get_stats. */
typedef struct pqt_memory_stats {
    /** bytes taken from the host: the chunks of an arena or heap; the collector's whole heap, used
        by this library or not, without its free pages */
    uint64_t bytes;
    uint64_t limit; /**< the limit of `bytes`; 0: none, always so for the collector */
    uint64_t pins;  /**< pins, heads, histories, recordings and drafts that exist now */
    /** runs of the collector, from any cause; completed cycles of a heap; 0 for an arena */
    uint64_t collections;
    uint64_t used_bytes;    /**< bytes of a heap's blocks that are not free; otherwise 0 */
    uint64_t blocks_marked; /**< blocks marked by all cycles of a heap; otherwise 0 */
    /** blocks without a mark that all cycles of a heap have examined to free them; otherwise 0 */
    uint64_t blocks_swept;
} pqt_memory_stats;

/**
 * Initialises the library. Call it once, from the main thread, before any other thread uses the
 * library.
 *
 * A program that uses the library from its main thread first need not call it: the first call that
 * uses the collector initialises it too. Later calls, from any thread, do nothing. In a program
 * that has started the collector itself, any thread that the collector knows may call it.
 *
 * It starts the collector, prepares it for fork, enables the registration of threads, makes it
 * allocate its table of weak links, and keeps its shared object loaded. It changes no other setting
 * of the collector. Arenas and heaps work without it.
 *
 * @return  true in a build without the collector; false if the collector cannot be used
 *
 * @error PQT_ERROR_THREAD  the first call came from a thread that is not the main thread
 * @thread  main; later calls: any
 */
PQT_API bool pqt_init(pqt_error *error);

/**
 * Returns the default memory, which NULL means in options: the collector, or in a build without it
 * a heap.
 *
 * The first call that needs that heap makes it, from any thread; it is never destroyed. It has the
 * default options, so it reclaims only in calls of pqt_memory_reclaim. A program that makes no such
 * call may store versions anywhere, and they live until it ends. So a program written for the
 * collector works in both builds, with two exceptions: a history of a kind of your own needs the
 * function `trace`, and ids_are_pointers needs the collector. A program that passes this memory to
 * pqt_memory_reclaim, and follows the rules of heap.h from then on, takes limited memory in both
 * builds.
 *
 * @return  the same pointer each time; NULL on failure
 *
 * @error PQT_ERROR_THREAD  see pqt_init; only with the collector
 * @error PQT_ERROR_MEMORY  out of memory; only without the collector
 * @thread  any; with the collector as pqt_init
 */
PQT_API pqt_memory *pqt_default_memory(pqt_error *error);

/**
 * Returns the collector's memory. The call does not start the collector.
 *
 * @return  the same pointer each time; NULL if the library was built without the collector
 *
 * @thread  any
 */
PQT_API pqt_memory *pqt_collector(void);

/**
 * Makes an arena. All its versions are freed together with it.
 *
 * Use it where a conservative collector is not wanted, for the scratch versions of one frame, and
 * under sanitizers. To keep a version longer, copy it into another memory with pqt_tree_copy.
 *
 * @param limit  the maximum number of bytes that the arena takes, counted in the chunks that it
 *               takes from malloc (64 KiB to 4 MiB, growing); 0: no limit
 * @return       the arena, to be destroyed by pqt_arena_destroy; NULL on failure
 *
 * @error PQT_ERROR_MEMORY  out of memory
 * @thread  any; several threads may make versions in one arena at once
 */
PQT_API PQT_NODISCARD pqt_memory *pqt_arena_make(size_t limit, pqt_error *error);

/**
 * Frees an arena with all its versions, and sets the pointer to NULL.
 *
 * A later use of one of these versions cannot be noticed, because to find out whether its arena
 * still exists, a call would have to read memory that was freed.
 *
 * @param arena  NULL and a pointer to NULL are allowed; an arena that still has a pin, head,
 *               history, recording or draft stops the program with a message, and so does another
 *               kind of memory
 *
 * @thread  no other thread may still use the arena or its versions
 * @cost    O(chunks), independent of the number of versions
 */
PQT_API void pqt_arena_destroy(pqt_memory **arena);

/**
 * Returns the statistics of a memory.
 *
 * @param memory  not NULL
 * @return        the statistics at the time of the call
 *
 * @thread  any
 */
PQT_API pqt_memory_stats pqt_memory_get_stats(const pqt_memory *memory);

/**
 * Registers the calling thread with the collector, so that it may make and hold versions.
 *
 * The main thread and threads made through the collector's own pthread_create are registered
 * already. For them, and in a build without the collector, the call does nothing and succeeds. A
 * second call has no further effect. A thread that is not registered must not make a version in the
 * collector's memory: the program stops with a message. The same happens on the stack of a
 * coroutine that the collector does not know (see the manual). Reading a *pinned* version,
 * unpinning, and all uses of arenas and heaps need no registration.
 *
 * Each call asks the collector, so a thread that the host, or another copy of this library in a
 * plugin, has unregistered in the meantime is registered again. The code that registered a thread
 * unregisters it: calls of several copies must nest, because the collector does not count
 * registrations.
 *
 * The collector stops registered threads by signals (on Linux SIGPWR and SIGXCPU). The call
 * unblocks these two, and in a registered thread nanosleep, poll, sem_timedwait and epoll_wait may
 * return EINTR.
 *
 * @return  false on failure
 *
 * @error PQT_ERROR_THREAD  pqt_init was not called, or the thread's stack cannot be found
 * @cost  one call of the collector, which takes its lock; the first call of a thread registers it
 */
PQT_API bool pqt_thread_attach(pqt_error *error);

/**
 * Undoes pqt_thread_attach, and blocks again the signals that it unblocked. It does nothing if
 * pqt_thread_attach registered nothing.
 *
 * Afterwards the thread's stack keeps no version alive. A thread that ends while it is attached is
 * detached. A thread that the host has unregistered in the meantime is left unchanged.
 */
PQT_API void pqt_thread_detach(void);

/**
 * Releases a pin, and sets the pointer to NULL.
 *
 * @param pin  NULL and a pointer to NULL are allowed
 *
 * @thread  any, attached or not; two threads must not release the same pin
 */
PQT_API void pqt_unpin(pqt_pin **pin);

PQT_END_DECLARATIONS

#endif
