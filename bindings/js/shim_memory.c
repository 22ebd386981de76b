/* SPDX-License-Identifier: MIT */
/*
 * shim_memory.c: malloc and its relatives, in place of those of wasi-libc, which take 4 kB more of
 * the compressed file.
 *
 * Blocks follow each other from __heap_base to the end of the memory. A block has its size, which
 * is a multiple of 16, and the size of the block before it, so that a freed block joins its free
 * neighbours. Free blocks are in 32 lists, by the power of two that their size is not below.
 * Nothing else makes the memory grow.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAGE = 65536,
    GROWTH = 16, /* pages, at least, if there are as many */
    MOST_PAGES = 65535,
    LISTS = 32,
    TRIES = 8, /* blocks of the first list that are looked at before larger blocks */
    HEADER = 8,
    SMALLEST = 32 /* bytes: no smaller block is left behind */
};

/* Its payload, which begins at a multiple of 16, has the links of a free block. */
typedef struct block {
    uint32_t before; /* bytes of the block before; 0: this is the first */
    uint32_t size;   /* bytes, with the header; 0: the end of the memory */
    struct block *next, *previous;
} block;

/* The lowest bit of the size is set in a block in use. */
#define USED 1U

/* Compilers may assume that what these functions return overlaps nothing, so they are not inlined
   where their blocks are visible. They call each other by other names for the same reason. */
#define ALLOCATOR __attribute__((noinline))

extern unsigned char __heap_base;

static block *lists[LISTS];
static uint32_t full_lists; /* bit i: list i has a block */
static bool has_begun;

static uint32_t
size_of(const block *b)
{
    return b->size & ~USED;
}

static block *
after(block *b)
{
    return (block *)((char *)b + size_of(b));
}

static block *
block_of(void *payload)
{
    return (block *)((char *)payload - HEADER);
}

static int
list_of(uint32_t size)
{
    return 31 - __builtin_clz(size);
}

static void
link_free(block *b)
{
    const int list = list_of(b->size);
    b->previous = NULL;
    b->next = lists[list];
    if (b->next != NULL)
        b->next->previous = b;
    lists[list] = b;
    full_lists |= 1U << list;
}

static void
unlink_free(block *b)
{
    const int list = list_of(b->size);
    if (b->next != NULL)
        b->next->previous = b->previous;
    if (b->previous != NULL)
        b->previous->next = b->next;
    else if ((lists[list] = b->next) == NULL)
        full_lists &= ~(1U << list);
}

/* Makes a block free, with its free neighbours. */
static void
release(block *b)
{
    uint32_t size = size_of(b);
    block *next = after(b);
    if ((next->size & USED) == 0) {
        unlink_free(next);
        size += next->size;
    }
    block *previous = (block *)((char *)b - b->before);
    if (b->before != 0 && (previous->size & USED) == 0) {
        unlink_free(previous);
        size += previous->size;
        b = previous;
    }
    b->size = size;
    after(b)->before = size;
    link_free(b);
}

/* Frees the end of a block in use, beyond `size` bytes. */
static void
shorten(block *b, uint32_t size)
{
    const uint32_t rest = size_of(b) - size;
    if (rest < SMALLEST)
        return;
    b->size = size | USED;
    block *end = after(b);
    *end = (block){.before = size, .size = rest | USED};
    after(end)->before = rest;
    release(end);
}

/* Adds pages to the memory as one free block. */
static bool
grow(uint32_t size)
{
    const uint32_t pages = (uint32_t)__builtin_wasm_memory_size(0);
    uint32_t added = size / PAGE + 1;
    if (added > MOST_PAGES - pages)
        return false;
    const uint32_t more = added < GROWTH && pages <= MOST_PAGES - GROWTH ? GROWTH : added;
    if (__builtin_wasm_memory_grow(0, more) != (size_t)-1)
        added = more;
    else if (more == added || __builtin_wasm_memory_grow(0, added) == (size_t)-1)
        return false;
    block *b = (block *)(uintptr_t)(pages * PAGE - HEADER); /* the end before */
    b->size = (added * PAGE) | USED;
    after(b)->before = added * PAGE;
    after(b)->size = USED;
    release(b);
    return true;
}

/* Makes the memory from __heap_base on one free block. */
static void
begin(void)
{
    const uint32_t start = (((uint32_t)(uintptr_t)&__heap_base + 15) & ~15U) + HEADER;
    const uint32_t size = (uint32_t)__builtin_wasm_memory_size(0) * PAGE - HEADER - start;
    block *b = (block *)(uintptr_t)start;
    b->before = 0;
    b->size = size | USED;
    after(b)->before = size;
    after(b)->size = USED;
    release(b);
    has_begun = true;
}

static block *
find(uint32_t size)
{
    const int list = list_of(size);
    int tries = TRIES;
    block *b = lists[list];
    for (; b != NULL && tries-- > 0; b = b->next)
        if (b->size >= size)
            return b;
    const uint32_t larger = list < LISTS - 1 ? full_lists >> (list + 1) << (list + 1) : 0;
    if (larger != 0)
        return lists[__builtin_ctz(larger)];
    while (b != NULL && b->size < size)
        b = b->next;
    return b;
}

/* The size of a block with this payload; 0: there is none. */
static uint32_t
size_for(size_t bytes)
{
    if (bytes > UINT32_MAX - PAGE)
        return 0;
    const uint32_t size = ((uint32_t)bytes + HEADER + 15) & ~15U;
    return size < SMALLEST ? SMALLEST : size;
}

/* Returns a block in use with this payload; NULL if there is no memory. */
static block *
take_block(size_t bytes)
{
    const uint32_t size = size_for(bytes);
    if (!has_begun)
        begin();
    if (size == 0)
        return NULL;
    block *b = find(size);
    if (b == NULL && grow(size))
        b = find(size);
    if (b == NULL)
        return NULL;
    unlink_free(b);
    b->size |= USED;
    shorten(b, size);
    return b;
}

static void *
payload_of(block *b)
{
    return b == NULL ? NULL : (char *)b + HEADER;
}

ALLOCATOR void *
malloc(size_t bytes)
{
    return payload_of(take_block(bytes));
}

ALLOCATOR void
free(void *payload)
{
    if (payload != NULL)
        release(block_of(payload));
}

ALLOCATOR void *
calloc(size_t count, size_t bytes)
{
    size_t all;
    void *payload = __builtin_mul_overflow(count, bytes, &all) ? NULL : payload_of(take_block(all));
    return payload == NULL ? NULL : memset(payload, 0, all);
}

ALLOCATOR void *
realloc(void *payload, size_t bytes)
{
    const uint32_t size = size_for(bytes);
    if (payload == NULL || size == 0)
        return payload == NULL ? payload_of(take_block(bytes)) : NULL;
    block *b = block_of(payload), *next = after(b);
    if (size_of(b) < size && (next->size & USED) == 0 && size - size_of(b) <= next->size) {
        unlink_free(next);
        b->size += next->size;
        after(b)->before = size_of(b);
    }
    if (size_of(b) >= size) {
        shorten(b, size);
        return payload;
    }
    block *larger = take_block(bytes);
    if (larger == NULL)
        return NULL;
    memcpy(payload_of(larger), payload, size_of(b) - HEADER);
    release(b);
    return payload_of(larger);
}

/* `alignment` is a power of two. */
ALLOCATOR void *
aligned_alloc(size_t alignment, size_t bytes)
{
    if (alignment <= 16)
        return payload_of(take_block(bytes));
    const uint32_t size = size_for(bytes);
    if (size == 0 || alignment > UINT32_MAX - PAGE - SMALLEST - size)
        return NULL;
    block *b = take_block((size_t)size + SMALLEST + alignment);
    if (b == NULL)
        return NULL;
    const uintptr_t payload = (uintptr_t)payload_of(b);
    if (payload % alignment != 0) {
        const uintptr_t at = (payload + SMALLEST + alignment - 1) & ~(alignment - 1);
        const uint32_t front = (uint32_t)(at - payload);
        block *aligned = block_of((void *)at);
        *aligned = (block){.before = front, .size = (size_of(b) - front) | USED};
        after(aligned)->before = size_of(aligned);
        b->size = front | USED;
        release(b);
        b = aligned;
    }
    shorten(b, size);
    return payload_of(b);
}
