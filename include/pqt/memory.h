/* SPDX-License-Identifier: MIT */
/**
 * @file memory.h - where versions live, and what keeps them alive.
 *
 * A version lives in a *memory*. The default is the Boehm collector: a version lives as long as a
 * pointer to it can be found on a stack of a known thread, in a static variable of the program or
 * of a plugin, or in collected memory; it is **not** found in memory from malloc or mmap, in
 * thread-local storage, or in another language's heap. Hold it there by a pin (see tree.h). An
 * arena is a memory in which all versions live until it is destroyed. A heap (heap.h) reclaims,
 * when it is told to, the versions that no pin, head, history or recording holds. In a build
 * without the collector, the default is a heap.
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

/** A handle that keeps one version alive from wherever the handle lies. */
typedef struct pqt_pin pqt_pin;

/** What a memory has given out. */
typedef struct pqt_memory_stats {
    /** Bytes taken: the chunks of an arena or heap; the collector's heap, whoever uses it, without
        its free pages. */
    uint64_t bytes;
    uint64_t limit; /**< the limit of `bytes`; 0: none, and always for the collector */
    uint64_t pins;  /**< pins, heads and histories of this library that are held now */
    /** How often the collector has run, whoever made it; the cycles that a heap has completed; 0
        for an arena. */
    uint64_t collections;
    uint64_t used_bytes;    /**< a heap's bytes in blocks that are not free; else 0 */
    uint64_t blocks_marked; /**< by all cycles of a heap; else 0 */
    uint64_t blocks_swept;  /**< looked at by all cycles of a heap, freed or not; else 0 */
} pqt_memory_stats;

/**
 * Makes the library ready: call it once, from the main thread, before any other thread calls it.
 *
 * A program that uses the library from its main thread first need not call it: the first call that
 * names the collector does the same. Calling it again, from any thread, does nothing. In a program
 * that has started the collector itself, it may be called from any thread that the collector knows.
 *
 * It starts the collector, prepared for fork, switches on the registration of threads, and makes
 * one weak link; no other setting of the collector is touched. Arenas work without it.
 *
 * @param error  told why on failure; may be NULL; an error already in it is kept
 * @return       false if the collector cannot be used; true in a build without it
 *
 * @error PQT_ERROR_THREAD  the first call of all came from a thread that is not main
 * @thread main; later calls: any
 * @since  0.1
 */
PQT_API bool pqt_init(pqt_error *error);

/**
 * Returns the default memory, which options mean by NULL, ready to be used: the collector, or in a
 * build without it a heap.
 *
 * That heap is made by the first call that needs it, by any thread, and is never destroyed. It has
 * the default options, so it reclaims only in calls of pqt_memory_reclaim: a program that makes no
 * such call may keep versions anywhere, and they live until it ends. So a program for the collector
 * works in both builds; only a history of a kind of your own needs the function `trace`, and
 * ids_are_pointers needs the collector. A program that passes this memory to pqt_memory_reclaim,
 * and follows the rules of heap.h from there on, takes limited memory in both.
 *
 * @param error  set on failure; may be NULL; an error already in it is kept
 * @return       the same pointer each time; NULL on failure
 * @error PQT_ERROR_THREAD  see pqt_init; only with the collector
 * @error PQT_ERROR_MEMORY  no memory; only without the collector
 * @thread any; with the collector as pqt_init
 * @since  0.1
 */
PQT_API pqt_memory *pqt_default_memory(pqt_error *error);

/**
 * The collector's memory.
 *
 * Asking for it starts nothing.
 *
 * @return  the same pointer each time; NULL if the library was built without the collector
 * @thread  any
 * @since   0.1
 */
PQT_API pqt_memory *pqt_collector(void);

/**
 * Makes an arena: versions in it are freed all at once, with it.
 *
 * Use it where a conservative collector is not wanted, for scratch versions of one frame, and under
 * sanitizers. Copy what should live on into another memory with pqt_tree_copy.
 *
 * @param limit  bytes that the arena may take at most, counted in the chunks that it takes from
 *               malloc (64 KiB to 4 MiB, growing); 0: as many as there are
 * @param error  told why on failure; may be NULL; an error already in it is kept
 * @return       the arena, to be destroyed by pqt_arena_destroy; NULL on failure
 *
 * @error PQT_ERROR_MEMORY  no memory
 * @thread  any; making versions in one arena from several threads at once is allowed
 * @since   0.1
 */
PQT_API PQT_NODISCARD pqt_memory *pqt_arena_make(size_t limit, pqt_error *error);

/**
 * Frees an arena with all versions in it, and sets the pointer to NULL.
 *
 * @param arena  NULL and a pointer to NULL are allowed; pins of its versions must be gone, and it
 *               is not the collector: these mistakes stop the program with a sentence
 * @thread  no other thread may use the arena or its versions any more
 * @cost    O(chunks), independent of the number of versions
 * @since   0.1
 */
PQT_API void pqt_arena_destroy(pqt_memory **arena);

/** What a memory has given out. @param memory not NULL @thread any @since 0.1 */
PQT_API pqt_memory_stats pqt_memory_get_stats(const pqt_memory *memory);

/**
 * Makes the calling thread known to the collector, so that it may make and hold versions.
 *
 * Main and threads made through the collector's own pthread_create are known already; then, and in
 * a build without the collector, it does nothing and succeeds. Attaching twice is attaching once. A
 * thread that makes a version in the collector's memory without being known is a mistake that stops
 * the program with a sentence; so is one that does so on the stack of a coroutine of which the
 * collector was not told (see the manual). Reading a *pinned* version, unpinning, and all of an
 * arena need no attaching.
 *
 * Each call asks the collector, so it registers a thread again that the host, or another copy of
 * this library in a plugin, has unregistered meanwhile. Who registers a thread also unregisters it:
 * attach and detach of several copies must nest, since the collector does not count registrations.
 *
 * The collector stops known threads by signals (on Linux SIGPWR and SIGXCPU). So attaching unblocks
 * these two, and in a known thread nanosleep, poll, sem_timedwait and epoll_wait may return EINTR.
 *
 * @param error  told why on failure; may be NULL; an error already in it is kept
 * @return       false on failure
 * @error PQT_ERROR_THREAD  pqt_init was not called, or the thread's stack cannot be found
 * @cost  a call of the collector, which takes its lock; the first call of a thread registers it
 * @since 0.1
 */
PQT_API bool pqt_thread_attach(pqt_error *error);

/**
 * Undoes pqt_thread_attach, and blocks again what that unblocked; does nothing if it attached
 * nothing.
 *
 * After it the thread's stack keeps no version alive. A thread that ends attached is detached. A
 * thread that the host has unregistered meanwhile is left as it is.
 *
 * @since 0.1
 */
PQT_API void pqt_thread_detach(void);

/**
 * Lets go of a pin and sets the pointer to NULL.
 *
 * @param pin  NULL and a pointer to NULL are allowed
 * @thread any, attached or not; a pin is not to be unpinned by two at once
 * @since  0.1
 */
PQT_API void pqt_unpin(pqt_pin **pin);

PQT_END_DECLARATIONS

#endif
