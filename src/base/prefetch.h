/* SPDX-License-Identifier: MIT */
/*
 * prefetch.h: hints to load cache lines before they are read.
 *
 * The blocks of a tree are scattered in memory. Reading them one by one waits for each; prefetching
 * several at once lets them arrive together. A prefetch never changes a result, and it never faults
 * at any address. With PQT_PLAIN (configure --enable-plain) and for WebAssembly, which has no such
 * instruction, it does nothing, and the compiler drops the code that computes the addresses.
 */
#ifndef PQTI_PREFETCH_H
#define PQTI_PREFETCH_H

#include <stddef.h>

/* Prefetches the cache line at an address. */
static inline void
pqti_prefetch(const void *at)
{
#if defined PQT_PLAIN || defined __wasm__
    (void)at;
#else
    __builtin_prefetch(at);
    /* GCC drops calls of a function that only prefetches, unless the function contains an asm. */
    __asm__ volatile("");
#endif
}

/* Prefetches the bytes `from` to before `to` of a block. */
static inline void
pqti_prefetch_bytes(const void *block, size_t from, size_t to)
{
    enum { LINE = 64 };
    for (; from < to; from += LINE)
        pqti_prefetch((const char *)block + from);
}

#endif
