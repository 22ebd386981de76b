/* SPDX-License-Identifier: MIT */
/*
 * prefetch.h: hints to load cache lines before they are read.
 *
 * The blocks of a tree are scattered in memory. If they are read one by one, the processor waits
 * for each; if several are prefetched at once, they arrive together. A prefetch never changes a
 * result and never faults, whatever the address. With PQT_PLAIN (configure --enable-plain) and in
 * WebAssembly, which has no such instruction, it does nothing, and the compiler drops the code that
 * computes the addresses.
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
    /* GCC drops calls of a function that only prefetches, unless the function contains an asm
       statement. */
    __asm__ volatile("");
#endif
}

/* Prefetches the bytes of a block from offset `from` up to, but not including, offset `to`. */
static inline void
pqti_prefetch_bytes(const void *block, size_t from, size_t to)
{
    enum { LINE = 64 };
    for (; from < to; from += LINE)
        pqti_prefetch((const char *)block + from);
}

#endif
