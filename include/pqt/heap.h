/* SPDX-License-Identifier: MIT */
/**
 * @file heap.h - a memory that reclaims the versions which nothing holds, when you tell it to.
 *
 * A heap is for programs that cannot have a collector which scans stacks and stops threads:
 * editors, games, plugins of other languages. It frees a version, and the blocks that no other
 * version shares, once no *root* holds it. Roots are the pins, heads, histories, recordings and
 * drafts of this library. The heap scans no stack, sends no signal, moves nothing, and counts no
 * references.
 *
 * **Safe points.** A version that was returned and that no root holds yet lives until the next safe
 * point. Each call of pqt_memory_reclaim is one. With the option `reclaim_at_push`, so is each push
 * to a history, publish or update of a head, step of a world, and check of a store. So one thread
 * works as with any other memory, and decides itself when to reclaim:
 *
 *     next = pqt_tree_insert(tree, a, &error);
 *     next = pqt_tree_remove(next, b, &error);
 *     pqt_history_push(history, next, info, &error);
 *     pqt_memory_reclaim(heap, 1000);
 *
 * Each call marks or sweeps a limited number of blocks.
 *
 * **Scopes.** A thread that makes, loads or reads versions while *another* thread may reclaim does
 * so within a scope (pqt_scope_begin), which keeps all versions that are made or loaded in it.
 * Versions that a pin holds may be read without a scope.
 *
 * These functions are scopes themselves: merges, readers of bytes, pqt_sync_find,
 * pqt_region_visit_components, and all that change or make a head, a history, a recording or a
 * store, or step a world. So it is enough that a pin holds the version that they are given. But
 * without a scope of the caller, another thread may at once reclaim the version that they return.
 *
 * **Callbacks** of merges, readers of bytes, pqt_sync_find, pqt_region_visit_components and updates
 * of heads may reclaim. Other callbacks, such as visitors of queries, may reclaim only if a root or
 * a scope holds the version that is read.
 *
 * **Mistakes.** A public function that is given a version which the heap has reclaimed, because a
 * pin was forgotten, stops the program with a message. This holds until the block of the version is
 * used again, and not in builds with NDEBUG.
 *
 * **Forks.** A child continues with its copies of heaps, versions, pins, heads, histories and
 * drafts. The scopes of the other threads have ended in the child; their pins remain.
 * docs/manual.md, "Forks, signals, coroutines", has the details.
 *
 * **Without the collector**, pqt_default_memory returns a heap. As long as pqt_memory_reclaim has
 * not been called for it, it frees nothing, and versions may be loaded from its heads outside of
 * scopes.
 */
#ifndef PQT_HEAP_H
#define PQT_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/memory.h>

PQT_BEGIN_DECLARATIONS

/** Options of a heap. Start from PQT_HEAP_DEFAULTS. */
typedef struct pqt_heap_options {
    size_t size; /**< sizeof(pqt_heap_options), set by PQT_HEAP_DEFAULTS */
    /**
     * The maximum number of bytes for versions; 0: no limit. Pins (16 bytes each), entries of
     * histories, heads and the state of each thread (about 7 kB) come from malloc and do not count.
     * Each 32 KiB hold blocks of one size only, and each thread reserves some blocks. So a limit of
     * less than 1 MiB may be reached although the versions take far less.
     */
    size_t limit;
    /**
     * A cycle begins when the heap has grown to this multiple of the bytes that the last cycle
     * found live, 1.1 to 100. Blocks that were allocated during that cycle count as growth. A
     * smaller number takes less memory and more time.
     */
    double growth;
    /**
     * Makes each push, publish, update and step a safe point, which works in proportion to what was
     * allocated since the last one. pqt_store_check has one after each entry.
     */
    bool reclaim_at_push;
    /**
     * Returns memory for versions: `bytes` bytes at a multiple of `alignment`, a power of two, or
     * NULL; NULL: aligned_alloc. Both functions are called with a lock held: they must not call the
     * library, fork, or leave by longjmp.
     */
    void *(*allocate)(size_t bytes, size_t alignment, void *context);
    /** Frees memory from `allocate`; both or neither are given. */
    void (*release)(void *memory, size_t bytes, void *context);
    void *context; /**< passed to both functions */
} pqt_heap_options;

/** Initial value of options: no limit, growth 1.5, safe points only where reclaim is called. */
#define PQT_HEAP_DEFAULTS                                                                          \
    {                                                                                              \
        sizeof(pqt_heap_options), 0, 1.5, false, NULL, NULL, NULL                                  \
    }

/** For pqt_memory_reclaim: frees everything that no root and no scope holds now, except some blocks
    that other threads allocated most recently. */
#define PQT_RECLAIM_ALL SIZE_MAX

/**
 * For pqt_memory_reclaim: takes steps in proportion to what all threads have allocated in the heap
 * since the last safe point whose steps were chosen in this way, here or by `reclaim_at_push`.
 *
 * If such a call follows each version, the heap uses at most about `growth` + 1 times the bytes
 * that roots hold, plus 1 MiB and two versions, however many blocks an edit allocates. It takes
 * more while a scope stays open from call to call, because no cycle ends then. It also takes more
 * if pins and entries of histories outnumber the blocks that they hold, because a cycle takes a
 * step for each of them.
 *
 * If a call was out of memory since the last cycle began, for example because of `limit`, this one
 * does the same as one with PQT_RECLAIM_ALL.
 */
#define PQT_RECLAIM_PACED (SIZE_MAX - 1)

/**
 * Makes a heap.
 *
 * @param options  NULL means PQT_HEAP_DEFAULTS
 * @return         the heap, to be destroyed by pqt_heap_destroy; NULL on failure
 *
 * @error PQT_ERROR_OPTION  the size is wrong, the growth is out of range, or only one of `allocate`
 *                          and `release` is given
 * @error PQT_ERROR_MEMORY  out of memory
 * @thread  any; any number of threads may use one heap at once
 * @source  incremental mark and sweep: Dijkstra, Lamport, Martin, Scholten, Steffens 1978; marks
 *          that remain after a cycle: Demers, Weiser, Hayes, Boehm, Bobrow, Shenker 1990
 */
PQT_API PQT_NODISCARD pqt_memory *pqt_heap_make(const pqt_heap_options *options, pqt_error *error);

/**
 * Frees a heap with all versions in it, and sets the pointer to NULL.
 *
 * A later use of one of these versions cannot be noticed, because to find out whether its heap
 * still exists, a call would have to read memory that was freed.
 *
 * @param heap  NULL and a pointer to NULL are allowed; a heap with pins, heads, histories,
 *              recordings or drafts left, and the default memory, stop the program with a message
 * @thread  no other thread may still use the heap or its versions
 * @cost    O(bytes that it has taken / 1 MiB), independent of the number of versions
 */
PQT_API void pqt_heap_destroy(pqt_memory **heap);

/**
 * Reclaims versions that nothing holds, with a limited amount of work. This is a safe point: the
 * caller's own versions live on only if roots or its scope hold them.
 *
 * The work is done in cycles: a cycle marks all blocks that roots reach, then frees the others. It
 * begins in the first call after the heap has grown by its option `growth` and by 256 KiB. It also
 * begins after a call was out of memory. It continues in the calls that follow. A version whose
 * last root or scope ends after a cycle began may be freed only by the next cycle.
 *
 * If no root has let go of a version since the last cycle began, as while a history only grows, the
 * next cycle marks only what was made since then: each block is then marked once.
 *
 * A scope that stays open stops the cycle: before a cycle frees anything, the scopes that were open
 * when it had marked everything must have ended. Until then calls do nothing.
 *
 * @param memory  not NULL; in an arena and in the collector's memory the call does nothing
 * @param blocks  the maximum number of steps: blocks and roots that the call marks, blocks that it
 *                reaches again or examines to free them, groups of up to 64 blocks that it need
 *                not examine, threads whose scopes it checks, and units of 4 KiB that it returns
 *                to the host. Or PQT_RECLAIM_PACED: 64 steps, and one for each 16 bytes that were
 *                allocated since the last such call. Or PQT_RECLAIM_ALL: the current cycle and a
 *                whole new one, whether the heap has grown or not
 * @return        true if no cycle is left open; false if there is more to do, or a scope, of the
 *                caller or another thread, must end first
 *
 * @cost    O(blocks); no memory is taken
 * @thread  any
 */
PQT_API bool pqt_memory_reclaim(pqt_memory *memory, size_t blocks);

/**
 * Begins a scope of the calling thread. Until it ends, all versions that the thread makes, or loads
 * from heads, histories or recordings, live.
 *
 * Scopes of one thread nest; the outermost counts. When a thread ends, its scopes end, too. A scope
 * that stays open delays reclaiming, and nothing else.
 *
 * @param memory  not NULL; in an arena and in the collector's memory the call does nothing
 * @return        false on failure
 * @error PQT_ERROR_MEMORY  out of memory for what the thread needs at its first scope or version
 * @cost    a few nanoseconds, without a lock
 * @source  epochs: Fraser, Practical lock-freedom, 2004, section 5.2.3
 */
PQT_API bool pqt_scope_begin(pqt_memory *memory, pqt_error *error);

/**
 * Ends the scope that the calling thread began last.
 *
 * longjmp does not end scopes. A program that leaves a callback by longjmp must end the scopes that
 * it began in the callback, and one more if the function that it leaves is a scope itself.
 *
 * @param memory  not NULL
 */
PQT_API void pqt_scope_end(pqt_memory *memory);

PQT_END_DECLARATIONS

#endif
