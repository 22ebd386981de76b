/* SPDX-License-Identifier: MIT */
/*
 * shim_libc.c: smaller replacements for functions of wasi-libc. They save 14 kB.
 *
 * They can be simple, because the library allocates few large blocks, and uses the functions for
 * strings only for labels and messages.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "port/blocks.h"

/* ---- Memory ---- */

enum { PAGE = 65536, PAGES_AT_ONCE = 16 };

extern char __heap_base; /* the end of the data, which the linker sets */

static size_t
grow_memory(size_t bytes)
{
    const size_t needed = bytes / PAGE + 1;
    const size_t pages = needed < PAGES_AT_ONCE ? PAGES_AT_ONCE : needed;
    if (__builtin_wasm_memory_grow(0, pages) != SIZE_MAX)
        return pages * PAGE;
    return pages != needed && __builtin_wasm_memory_grow(0, needed) != SIZE_MAX ? needed * PAGE : 0;
}

static blocks *
memory(void)
{
    static blocks all = {.grow = grow_memory};
    if (all.last == NULL) {
        char *start = &__heap_base;
        begin_area(&all, start, __builtin_wasm_memory_size(0) * PAGE - (uintptr_t)start);
    }
    return &all;
}

void *
malloc(size_t bytes)
{
    return allocate(memory(), bytes);
}

void *
aligned_alloc(size_t alignment, size_t bytes)
{
    return allocate_aligned(memory(), alignment, bytes);
}

void *
calloc(size_t count, size_t size)
{
    size_t bytes;
    void *zeroed = __builtin_mul_overflow(count, size, &bytes) ? NULL : malloc(bytes);
    return zeroed == NULL ? NULL : memset(zeroed, 0, bytes);
}

void *
realloc(void *memory_of, size_t bytes)
{
    return reallocate(memory(), memory_of, bytes);
}

void
free(void *freed)
{
    release(memory(), freed);
}

/* ---- Sorting ---- */

static void
swap_bytes(char *a, char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

/* Moves an element of a heap down until none of its children is larger. */
static void
sift_down(char *all, size_t at, size_t count, size_t size,
          int (*compare)(const void *, const void *))
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && compare(all + child * size, all + (child + 1) * size) < 0)
            child++;
        if (compare(all + at * size, all + child * size) >= 0)
            return;
        swap_bytes(all + at * size, all + child * size, size);
    }
}

/* Sorts by heap sort: J. W. J. Williams, Algorithm 232, 1964. Elements that are in order are not
 * moved. */
void
qsort(void *elements, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    char *all = elements;
    size_t sorted = 1;
    while (sorted < count && compare(all + (sorted - 1) * size, all + sorted * size) <= 0)
        sorted++;
    if (sorted >= count)
        return;
    for (size_t at = count / 2; at-- > 0;)
        sift_down(all, at, count, size, compare);
    for (size_t last = count - 1; last > 0; last--) {
        swap_bytes(all, all + last * size, size);
        sift_down(all, 0, last, size, compare);
    }
}

/* ---- Bytes and strings ---- */

/* The compiler turns each of these functions into one instruction. */
void *
memcpy(void *restrict to, const void *restrict from, size_t count)
{
    return __builtin_memcpy(to, from, count);
}

void *
memset(void *to, int byte, size_t count)
{
    return __builtin_memset(to, byte, count);
}

void *
memchr(const void *bytes, int wanted, size_t count)
{
    const unsigned char *from = bytes;
    for (size_t i = 0; i < count; i++)
        if (from[i] == (unsigned char)wanted)
            return (char *)bytes + i;
    return NULL;
}

size_t
strlen(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0')
        length++;
    return length;
}

char *
strcpy(char *restrict to, const char *restrict from)
{
    return memcpy(to, from, strlen(from) + 1);
}
