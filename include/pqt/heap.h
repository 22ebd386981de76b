/* SPDX-License-Identifier: MIT */
/**
 * @file heap.h - a memory that reclaims the versions which nothing holds, when you tell it to.
 *
 * A heap is a memory for programs that cannot have a collector which scans stacks and stops
 * threads: editors, games, plugins of other languages. It frees a version, and the blocks that no
 * other version shares, once no *root* holds it. Roots are the pins, heads, histories and
 * recordings of this library. The heap finds what roots hold by marking precisely from them. It
 * scans no stack, sends no signal, moves nothing, and counts no references.
 *
 * A version that was returned and that no root holds yet lives until the next *safe point*: a call
 * of pqt_memory_reclaim, or, with the option `reclaim_at_push`, a push to a history, a publish or
 * update of a head, a step of a world, or a check of a store. So a thread that decides itself when
 * to reclaim works as it would with any other memory:
 *
 *     next = pqt_tree_insert(tree, a, &error);
 *     next = pqt_tree_remove(next, b, &error);
 *     pqt_history_push(history, next, info, &error);
 *     pqt_memory_reclaim(heap, 1000);
 *
 * A thread that makes, loads or reads versions while *another* thread may reclaim does so within a
 * *scope*, which keeps all versions that are made or loaded in it. Versions that a pin holds may be
 * read without a scope.
 *
 * Merges, readers of bytes, pqt_sync_find, pqt_region_visit_components and updates of heads are
 * scopes themselves: their callbacks may reclaim. Other callbacks, such as visitors of queries,
 * reclaim only if a root or a scope holds the version that is read.
 *
 * Pushes, publications, steps, and all other functions that change or make a head, a history, a
 * recording or a store, are scopes, too: it is enough that a pin holds the version that they are
 * given. A version that such a function returns may be reclaimed by another thread at once, unless
 * the caller has a scope of its own.
 *
 * A public function that is given a version which the heap has reclaimed, because a pin was
 * forgotten, stops the program with a message. This holds until the block of the version is used
 * again, and not in builds with NDEBUG.
 *
 * Reclaiming is incremental: each call marks or sweeps a limited number of blocks.
 *
 * A child of fork continues with its copies of heaps, versions, pins, heads and histories, even if
 * another thread was reclaiming: fork waits until that thread has completed its slice, at most 256
 * steps. The scopes of the other threads have ended in the child; their pins remain.
 *
 * In a build without the collector, pqt_default_memory returns a heap. As long as
 * pqt_memory_reclaim has not been called for it, it frees nothing, and versions may be loaded from
 * its heads outside of scopes.
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
 * that roots hold, and 1 MiB and two versions more, however many blocks an edit allocates. This
 * holds as long as no scope stays open from call to call: while one does, no cycle ends, and the
 * memory falls after it has ended. Pins and entries of histories take one step each, too: if they
 * outnumber the blocks that they hold, cycles take longer and memory grows further.
 *
 * If there was no memory for a block since the last cycle began, for example because of `limit`,
 * the call does the same as one with PQT_RECLAIM_ALL.
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
 * @source  incremental mark and sweep: Dijkstra, Lamport, Martin, Scholten, Steffens 1978
 */
PQT_API PQT_NODISCARD pqt_memory *pqt_heap_make(const pqt_heap_options *options, pqt_error *error);

/**
 * Frees a heap with all versions in it, and sets the pointer to NULL.
 *
 * A later use of one of these versions cannot be noticed, because to find out whether its heap
 * still exists, a call would have to read memory that was freed.
 *
 * @param heap  NULL and a pointer to NULL are allowed; a heap with pins, heads, histories or
 *              recordings left, and the default memory, stop the program with a message
 * @thread  no other thread may still use the heap or its versions
 * @cost    O(bytes that it has taken / 1 MiB), independent of the number of versions
 */
PQT_API void pqt_heap_destroy(pqt_memory **heap);

/**
 * Reclaims versions that nothing holds, with a limited amount of work. This is a safe point.
 *
 * A cycle marks all blocks that roots reach, then frees the others. It begins in the first call
 * after the heap has grown by its option `growth` and by 256 KiB, or after there was no memory for
 * a block, and continues in the calls that follow. Before a cycle frees anything, the scopes that
 * were open when it had marked everything must have ended; until then calls do nothing. A version
 * that is lost after a cycle began is freed by the next one.
 *
 * @param memory  not NULL; in an arena and in the collector's memory the call does nothing
 * @param blocks  the most steps that the call takes. A step is a block or root that it marks or
 *                sweeps, a block that it reaches again, a thread whose scope it checks, or 4 KiB
 *                that it returns to the host. PQT_RECLAIM_ALL: the current cycle and a whole new
 *                one, whether the heap has grown or not. PQT_RECLAIM_PACED: 64, and one for each 16
 *                bytes that were allocated since the last safe point of that kind; more if there
 *                was no memory
 * @return        true if no cycle is left open: it is complete, or none was due; false if there is
 *                more to do, or a scope of another thread or of the caller must end first
 *
 * @cost    O(blocks); no memory is taken
 * @thread  any; the caller's own versions live on only if roots or its scope hold them
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
