/* SPDX-License-Identifier: MIT */
/*
 * blocks.h: the allocator of pqt.wasm, with an eighth of the code of the one in wasi-libc.
 *
 * The memory is one area, which can grow at its end. It is divided into blocks without gaps. Each
 * begins with its size and the size of the block before it, so a block that is freed joins its free
 * neighbours. Free blocks are in lists by their size, four lists for each power of two. The last
 * block is an end mark: it has no bytes, and is never free. The allocator is not thread-safe.
 */
#ifndef PQT_PORT_BLOCKS_H
#define PQT_PORT_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct block block;

struct block {
    size_t before;          /* the size of the previous block; 0 for the first one */
    size_t size;            /* the size including this header, combined with the flag IN_USE */
    block *next, *previous; /* neighbours in the list of a free block */
};

enum {
    ALIGNMENT = 16, /* the alignment of the bytes of a block */
    HEADER = offsetof(block, next),
    SMALLEST = sizeof(block),
    IN_USE = 1,
    LISTS = 4 /* lists for each power of two */
};

_Static_assert(ALIGNMENT % HEADER == 0 && SMALLEST % ALIGNMENT == 0, "sizes keep the alignment");

typedef struct blocks {
    block *last;                              /* the end mark */
    uint64_t filled;                          /* a bit for each power of two with a free block */
    block *lists[sizeof(size_t) * 8 * LISTS]; /* the lists of free blocks */
    size_t (*grow)(size_t bytes); /* adds at least `bytes`; returns the number added, or 0 */
} blocks;

static size_t
block_size(const block *of)
{
    return of->size & ~(size_t)IN_USE;
}

static block *
block_at(void *place)
{
    return place;
}

static block *
block_after(block *of)
{
    return block_at((char *)of + block_size(of));
}

static block *
block_of(void *bytes)
{
    return block_at((char *)bytes - HEADER);
}

static void *
bytes_of(block *of)
{
    return (char *)of + HEADER;
}

/* Returns the index of the list for a size, from its highest bit and the two bits below it. */
static unsigned
list_of(size_t size)
{
    const unsigned power = 63 - (unsigned)__builtin_clzll(size);
    return power * LISTS + (unsigned)(size >> (power - 2)) % LISTS;
}

/* ---- Free blocks ---- */

static void
enter_free(blocks *all, block *added)
{
    const unsigned list = list_of(added->size);
    added->previous = NULL;
    added->next = all->lists[list];
    if (added->next != NULL)
        added->next->previous = added;
    all->lists[list] = added;
    all->filled |= (uint64_t)1 << list / LISTS;
}

static void
leave_free(blocks *all, block *taken)
{
    const unsigned list = list_of(taken->size), first = list / LISTS * LISTS;
    if (taken->next != NULL)
        taken->next->previous = taken->previous;
    if (taken->previous != NULL)
        taken->previous->next = taken->next;
    else
        all->lists[list] = taken->next;
    for (unsigned i = first; i < first + LISTS; i++)
        if (all->lists[i] != NULL)
            return;
    all->filled &= ~((uint64_t)1 << list / LISTS);
}

/* Sets the size of a block, and whether it is in use. */
static void
set_size(block *of, size_t size, size_t in_use)
{
    of->size = size | in_use;
    block_after(of)->before = size;
}

/* Frees a block, and joins it with its neighbours. */
static void
free_block(blocks *all, block *freed)
{
    size_t size = block_size(freed);
    block *after = block_after(freed);
    if ((after->size & IN_USE) == 0) {
        leave_free(all, after);
        size += after->size;
    }
    if (freed->before != 0) {
        block *before = block_at((char *)freed - freed->before);
        if ((before->size & IN_USE) == 0) {
            leave_free(all, before);
            size += before->size;
            freed = before;
        }
    }
    set_size(freed, size, 0);
    enter_free(all, freed);
}

/* Shrinks a block in use to `size` bytes, and frees the rest. */
static void
cut_block(blocks *all, block *of, size_t size)
{
    const size_t rest = block_size(of) - size;
    if (rest < SMALLEST)
        return;
    set_size(of, size, IN_USE);
    block *free_one = block_after(of);
    set_size(free_one, rest, IN_USE);
    free_block(all, free_one);
}

/* Takes a free block of at least `size` bytes and marks it as in use. Returns NULL if there is
   none. */
static block *
take_free(blocks *all, size_t size)
{
    const unsigned list = list_of(size);
    block *found = all->lists[list];
    while (found != NULL && found->size < size)
        found = found->next;
    for (unsigned i = list + 1; found == NULL && i % LISTS != 0; i++)
        found = all->lists[i];
    const uint64_t larger = all->filled >> list / LISTS >> 1;
    if (found == NULL && larger != 0) {
        unsigned i = (list / LISTS + 1 + (unsigned)__builtin_ctzll(larger)) * LISTS;
        while (all->lists[i] == NULL)
            i++;
        found = all->lists[i];
    }
    if (found == NULL)
        return NULL;
    leave_free(all, found);
    found->size |= IN_USE;
    return found;
}

/* ---- The end of the area ---- */

/* Turns the end mark into a free block of `bytes`, a multiple of ALIGNMENT, with a new end mark
   after it. */
static void
extend_area(blocks *all, size_t bytes)
{
    block *added = all->last;
    added->size = bytes | IN_USE;
    all->last = block_after(added);
    all->last->size = IN_USE; /* the new mark has no bytes, so it needs no room after it */
    all->last->before = bytes;
    free_block(all, added);
}

/* Initialises the allocator with an area that has room for a few blocks. */
static void
begin_area(blocks *all, void *start, size_t bytes)
{
    const size_t skipped = -((uintptr_t)start + HEADER) % ALIGNMENT;
    all->last = block_at((char *)start + skipped);
    all->last->before = 0;
    extend_area(all, (bytes - skipped - HEADER) / ALIGNMENT * ALIGNMENT);
}

/* ---- Allocation ---- */

/* Returns the size of a block that holds a number of bytes; 0 if no block can be that large. */
static size_t
size_for(size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return 0;
    const size_t size = (bytes + HEADER + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return size < SMALLEST ? SMALLEST : size;
}

/* Takes a free block. If there is none, grows the area first. */
static block *
take_block(blocks *all, size_t size)
{
    block *found = take_free(all, size);
    if (found != NULL)
        return found;
    const size_t added = all->grow(size);
    if (added == 0)
        return NULL;
    extend_area(all, added);
    return take_free(all, size);
}

static void *
allocate(blocks *all, size_t bytes)
{
    const size_t size = size_for(bytes);
    block *taken = size == 0 ? NULL : take_block(all, size);
    if (taken == NULL)
        return NULL;
    cut_block(all, taken, size);
    return bytes_of(taken);
}

/* Allocates aligned bytes. `alignment` is a power of two. */
static void *
allocate_aligned(blocks *all, size_t alignment, size_t bytes)
{
    const size_t size = size_for(bytes), spare = alignment + SMALLEST;
    block *taken = size == 0 || spare > SIZE_MAX / 2 ? NULL : take_block(all, size + spare);
    if (taken == NULL)
        return NULL;
    const size_t skipped = -(uintptr_t)bytes_of(taken) & (alignment - 1);
    if (skipped != 0) {
        /* The bytes before the aligned ones become a free block of at least SMALLEST bytes. */
        const size_t rest = skipped < SMALLEST ? skipped + alignment : skipped;
        block *aligned = block_at((char *)taken + rest);
        set_size(aligned, block_size(taken) - rest, IN_USE);
        set_size(taken, rest, IN_USE);
        free_block(all, taken);
        taken = aligned;
    }
    cut_block(all, taken, size);
    return bytes_of(taken);
}

static void
release(blocks *all, void *bytes)
{
    if (bytes != NULL)
        free_block(all, block_of(bytes));
}

static void *
reallocate(blocks *all, void *bytes, size_t wanted)
{
    const size_t size = size_for(wanted), old = bytes == NULL ? 0 : block_size(block_of(bytes));
    if (size != 0 && size <= old) {
        cut_block(all, block_of(bytes), size);
        return bytes;
    }
    void *moved = allocate(all, wanted);
    if (moved == NULL || bytes == NULL)
        return moved;
    memcpy(moved, bytes, old - HEADER);
    release(all, bytes);
    return moved;
}

#endif
