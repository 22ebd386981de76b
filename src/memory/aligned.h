/* SPDX-License-Identifier: MIT */
/* aligned.h: allocates aligned blocks with aligned_alloc or, on Windows, with _aligned_malloc.
   Blocks from _aligned_malloc must be freed with _aligned_free. */
#ifndef PQTI_ALIGNED_H
#define PQTI_ALIGNED_H

#include <stddef.h>
#include <stdlib.h>

/* Allocates an aligned block. `size` is a multiple of `alignment`, which is a power of two. */
static inline void *
pqti_aligned_alloc(size_t alignment, size_t size)
{
#ifdef _WIN32
    return _aligned_malloc(size, alignment);
#else
    return aligned_alloc(alignment, size);
#endif
}

static inline void
pqti_aligned_free(void *block)
{
#ifdef _WIN32
    _aligned_free(block);
#else
    free(block);
#endif
}

#endif
