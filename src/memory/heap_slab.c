/* SPDX-License-Identifier: MIT */
/*
 * heap_slab.c: manages the blocks of a heap: chunks, slabs and size classes.
 *
 * A thread takes all free blocks of a word at once, up to 64 adjacent blocks of a slab. So it locks
 * the heap once for many blocks, and allocates each of them with a few instructions on its own
 * data. Consecutive size classes differ by 16 bytes up to 1 KiB and by an eighth up to 4 KiB
 * (segregated fits; Wilson, Johnstone, Neely, Boles 1995).
 */
#include "config.h"

#include "memory/heap_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/error_internal.h"
#include "memory/aligned.h"

/* ---- Classes ---- */

enum { FINE_CLASSES = PQTI_FINE_MAX / PQTI_GRANULE, FINE_LOG = 10, STEPS_LOG = 3 };

static unsigned
floor_log2(size_t value)
{
    return 8 * sizeof(unsigned long) - 1 - (unsigned)__builtin_clzl(value);
}

unsigned
pqti_coarse_class(size_t size)
{
    const unsigned log = floor_log2(size - 1);
    const unsigned step = (unsigned)((size - 1) >> (log - STEPS_LOG)) & ((1u << STEPS_LOG) - 1);
    return FINE_CLASSES + ((log - FINE_LOG) << STEPS_LOG) + step;
}

size_t
pqti_leaf_class_size(unsigned class_index)
{
    if (class_index < FINE_CLASSES)
        return (size_t)(class_index + 1) * PQTI_GRANULE;
    const unsigned log = FINE_LOG + ((class_index - FINE_CLASSES) >> STEPS_LOG);
    const size_t step = (class_index - FINE_CLASSES) & ((1u << STEPS_LOG) - 1);
    return ((1u << STEPS_LOG) + step + 1) << (log - STEPS_LOG);
}

static pthread_mutex_t layouts_lock = PTHREAD_MUTEX_INITIALIZER;

void
pqti_lock_layouts(void)
{
    pthread_mutex_lock(&layouts_lock);
}

void
pqti_unlock_layouts(void)
{
    pthread_mutex_unlock(&layouts_lock);
}

unsigned
pqti_add_layout(pqti_layout *layout)
{
    static unsigned count;
    pqti_lock_layouts();
    unsigned id = atomic_load_explicit(&layout->id, memory_order_relaxed);
    if (id == 0)
        id = ++count;
    PQT_INVARIANT(id <= PQTI_MAX_LAYOUTS, "there are more layouts than classes for them");
    atomic_store_explicit(&layout->id, id, memory_order_relaxed);
    pqti_unlock_layouts();
    return id;
}

/* ---- Chunks ---- */

static void *
allocate_aligned(size_t size, size_t alignment, void *context)
{
    (void)context;
    return pqti_aligned_alloc(alignment, size);
}

static void
free_aligned(void *memory, size_t size, void *context)
{
    (void)size;
    (void)context;
    pqti_aligned_free(memory);
}

/* Allocates memory for slabs from the host, within the limit of the heap. */
static void *
take_from_host(pqti_heap *heap, size_t bytes)
{
    if (heap->options.limit != 0 &&
        (heap->bytes > heap->options.limit || bytes > heap->options.limit - heap->bytes))
        return NULL;
    void *memory = (heap->options.allocate != NULL ? heap->options.allocate : allocate_aligned)(
        bytes, PQTI_SLAB_SIZE, heap->options.context);
    if (memory != NULL)
        heap->bytes += bytes;
    return memory;
}

static void
give_to_host(pqti_heap *heap, void *memory, size_t bytes)
{
    pqti_unpoison(memory, bytes);
    heap->bytes -= bytes;
    (heap->options.release != NULL ? heap->options.release : free_aligned)(memory, bytes,
                                                                           heap->options.context);
}

/*
 * Returns the number of slabs in the next chunk: half as many as the heap has, but at least 2 and
 * at most PQTI_CHUNK_SLABS.
 */
static uint32_t
slabs_of_next_chunk(const pqti_heap *heap)
{
    const size_t half = heap->bytes / PQTI_SLAB_SIZE / 2;
    return half < 2 ? 2 : half > PQTI_CHUNK_SLABS ? PQTI_CHUNK_SLABS : (uint32_t)half;
}

static pqti_chunk *
add_chunk(pqti_heap *heap)
{
    pqti_chunk *chunk = malloc(sizeof *chunk);
    if (chunk == NULL)
        return NULL;
    uint32_t slabs = slabs_of_next_chunk(heap);
    void *memory = NULL;
    for (; slabs > 0 && memory == NULL; slabs = memory == NULL ? slabs / 2 : slabs)
        memory = take_from_host(heap, (size_t)slabs * PQTI_SLAB_SIZE);
    if (memory == NULL) {
        free(chunk);
        return NULL;
    }
    *chunk = (pqti_chunk){.next = heap->chunks,
                          .memory = memory,
                          .slabs = slabs,
                          .free = slabs == 32 ? UINT32_MAX : (UINT32_C(1) << slabs) - 1,
                          .bytes = (size_t)slabs * PQTI_SLAB_SIZE};
    if (heap->chunks != NULL)
        heap->chunks->previous = chunk;
    heap->chunks = chunk;
    heap->free_slabs += slabs;
    return chunk;
}

static void
remove_chunk(pqti_heap *heap, pqti_chunk *chunk)
{
    if (chunk->previous != NULL)
        chunk->previous->next = chunk->next;
    else
        heap->chunks = chunk->next;
    if (chunk->next != NULL)
        chunk->next->previous = chunk->previous;
    heap->free_slabs -= chunk->slabs;
    give_to_host(heap, chunk->memory, chunk->bytes);
    free(chunk);
}

/* Takes the memory for a slab from a chunk. Returns NULL if there is none. */
static void *
take_slab(pqti_heap *heap, pqti_chunk **from)
{
    pqti_chunk *chunk = heap->free_slabs > 0 ? heap->chunks : NULL;
    while (chunk != NULL && chunk->free == 0)
        chunk = chunk->next;
    if (chunk == NULL && (chunk = add_chunk(heap)) == NULL)
        return NULL;
    const unsigned i = (unsigned)__builtin_ctz(chunk->free);
    chunk->free &= chunk->free - 1;
    heap->free_slabs--;
    *from = chunk;
    return (char *)chunk->memory + (size_t)i * PQTI_SLAB_SIZE;
}

/*
 * Returns true if more slabs are free than a heap keeps. It keeps slab_count / 8 plus a constant.
 */
static bool
has_many_free_slabs(const pqti_heap *heap)
{
    return heap->free_slabs > heap->slab_count / 8 + 2 * PQTI_CHUNK_SLABS;
}

/* Returns the bit that represents a slab in the `free` word of its chunk. */
static uint32_t
bit_of_slab(const pqti_chunk *chunk, const void *slab)
{
    const size_t i = (size_t)((const char *)slab - (const char *)chunk->memory) / PQTI_SLAB_SIZE;
    return UINT32_C(1) << i;
}

static uint32_t
all_slabs(const pqti_chunk *chunk)
{
    return chunk->slabs == 32 ? UINT32_MAX : (UINT32_C(1) << chunk->slabs) - 1;
}

static void
return_slab(pqti_heap *heap, pqti_chunk *chunk, const void *slab)
{
    chunk->free |= bit_of_slab(chunk, slab);
    heap->free_slabs++;
    if (chunk->free == all_slabs(chunk) && has_many_free_slabs(heap))
        remove_chunk(heap, chunk);
}

size_t
pqti_slab_release_steps(const pqti_heap *heap, const pqti_slab *slab)
{
    const pqti_chunk *chunk = slab->chunk;
    if (chunk == NULL)
        return slab->bytes / PQTI_RELEASE_STEP;
    const bool is_last = (chunk->free | bit_of_slab(chunk, slab)) == all_slabs(chunk);
    return is_last && has_many_free_slabs(heap) ? chunk->bytes / PQTI_RELEASE_STEP : 0;
}

/* ---- Slabs ---- */

static size_t
slab_header_size(uint32_t words)
{
    return PQTI_ROUNDED(sizeof(pqti_slab) + (size_t)words * PQTI_BITMAPS * sizeof(uint64_t));
}

/*
 * Returns a mask of the bits of a word that belong to blocks: the last word may have fewer than 64
 * blocks.
 */
static uint64_t
blocks_of_word(const pqti_slab *slab, uint32_t word)
{
    const uint32_t rest = slab->count - word * 64;
    return rest >= 64 ? UINT64_MAX : (UINT64_C(1) << rest) - 1;
}

/* Makes room for one more slab in heap->slabs. Returns false when out of memory. */
static bool
reserve_slab(pqti_heap *heap)
{
    if (heap->slab_count < heap->slab_capacity)
        return true;
    const size_t capacity = 2 * heap->slab_capacity + 16;
    pqti_slab **slabs = realloc(heap->slabs, capacity * sizeof(pqti_slab *));
    if (slabs == NULL)
        return false;
    heap->slabs = slabs;
    heap->slab_capacity = capacity;
    return true;
}

/* Fills in the header of a slab whose memory begins at `slab`: the members of `header`, and those
   that every slab has. */
static void
init_slab(pqti_heap *heap, pqti_slab *slab, const pqti_slab *header, uint32_t words)
{
    *slab = *header;
    slab->heap = heap;
    slab->rank = heap->slab_count;
    slab->words = words;
    slab->inverse = (uint32_t)(((UINT64_C(1) << 32) + slab->size - 1) / slab->size);
    memset(slab->bits, 0, (size_t)words * PQTI_BITMAPS * sizeof(uint64_t));
    heap->slabs[heap->slab_count++] = slab;
}

static pqti_slab *
make_slab(pqti_heap *heap, unsigned class_index, size_t size, const pqti_layout *layout)
{
    pqti_chunk *chunk;
    if (!reserve_slab(heap))
        return NULL;
    pqti_slab *slab = take_slab(heap, &chunk);
    if (slab == NULL)
        return NULL;
    pqti_unpoison(slab, PQTI_SLAB_SIZE);
    const uint32_t words = (uint32_t)(PQTI_SLAB_SIZE / size + 63) / 64;
    const size_t first = slab_header_size(words);
    const pqti_slab header = {.chunk = chunk,
                              .layout = layout,
                              .bytes = PQTI_SLAB_SIZE,
                              .size = size,
                              .first = (uint32_t)first,
                              .count = (uint32_t)((PQTI_SLAB_SIZE - first) / size),
                              .class_index = (uint16_t)class_index};
    init_slab(heap, slab, &header, (header.count + 63) / 64);
    pqti_poison((char *)slab + first, PQTI_SLAB_SIZE - first);
    return slab;
}

void *
pqti_heap_alloc_large(pqti_heap *heap, size_t size, const pqti_layout *layout)
{
    const size_t first = slab_header_size(1);
    if (size > SIZE_MAX - first - PQTI_SLAB_SIZE || !reserve_slab(heap))
        return NULL;
    const size_t bytes = (first + size + PQTI_SLAB_SIZE - 1) / PQTI_SLAB_SIZE * PQTI_SLAB_SIZE;
    pqti_slab *slab = take_from_host(heap, bytes);
    if (slab == NULL)
        return NULL;
    const pqti_slab header = {
        .layout = layout, .bytes = bytes, .size = size, .first = (uint32_t)first, .count = 1};
    init_slab(heap, slab, &header, 1);
    pqti_slab_bits(slab, PQTI_USED)[0] = 1;
    if (pqti_is_in_cycle(heap))
        pqti_slab_set_young(slab, 0, 1);
    heap->used_bytes += size;
    heap->bytes_since_cycle += size;
    heap->bytes_since_point += size;
    return pqti_slab_block(slab, 0);
}

void
pqti_slab_list(pqti_heap *heap, pqti_slab *slab)
{
    if (slab->is_listed || slab->chunk == NULL)
        return;
    pqti_slab **first = &heap->with_free_blocks[slab->class_index];
    slab->is_listed = true;
    slab->previous = NULL;
    slab->next = *first;
    if (*first != NULL)
        (*first)->previous = slab;
    *first = slab;
}

static void
unlist_slab(pqti_heap *heap, pqti_slab *slab)
{
    if (!slab->is_listed)
        return;
    if (slab->previous != NULL)
        slab->previous->next = slab->next;
    else
        heap->with_free_blocks[slab->class_index] = slab->next;
    if (slab->next != NULL)
        slab->next->previous = slab->previous;
    slab->is_listed = false;
}

void
pqti_slab_free(pqti_heap *heap, pqti_slab *slab)
{
    pqti_slab *last = heap->slabs[--heap->slab_count];
    heap->slabs[slab->rank] = last;
    last->rank = slab->rank;
    unlist_slab(heap, slab);
    if (slab->has_grey)
        heap->grey_slabs--;
    if (slab->chunk == NULL)
        give_to_host(heap, slab, slab->bytes);
    else
        return_slab(heap, slab->chunk, slab);
}

void
pqti_heap_free_slabs(pqti_heap *heap)
{
    while (heap->slab_count > 0) {
        pqti_slab *slab = heap->slabs[--heap->slab_count];
        if (slab->chunk == NULL)
            give_to_host(heap, slab, slab->bytes);
    }
    free(heap->slabs);
    while (heap->chunks != NULL) {
        pqti_chunk *chunk = heap->chunks;
        heap->chunks = chunk->next;
        give_to_host(heap, chunk->memory, chunk->bytes);
        free(chunk);
    }
}

void
pqti_slab_set_young(pqti_slab *slab, uint32_t word, uint64_t blocks)
{
    uint64_t *young = pqti_slab_bits(slab, PQTI_YOUNG);
    if (slab->young_cycle != slab->heap->cycle) {
        memset(young, 0, slab->words * sizeof *young);
        slab->young_cycle = slab->heap->cycle;
    }
    young[word] |= blocks;
}

/* ---- Words of free blocks ---- */

/* Finds the first word of a slab that has free blocks. Returns false if there is none. */
static bool
find_free_word(pqti_slab *slab, uint32_t *word, uint64_t *blocks)
{
    const uint64_t *used = pqti_slab_bits(slab, PQTI_USED);
    for (; slab->search_word < slab->words; slab->search_word++) {
        *blocks = ~used[slab->search_word] & blocks_of_word(slab, slab->search_word);
        if (*blocks != 0) {
            *word = slab->search_word;
            return true;
        }
    }
    return false;
}

void
pqti_heap_flush(pqti_heap *heap, pqti_block_cache *cache)
{
    pqti_slab *slab = cache->slab;
    if (slab == NULL)
        return;
    /* Another thread may have taken other blocks of the same word that were freed by a later
       sweep. */
    pqti_slab_bits(slab, PQTI_CACHED)[cache->word] &= ~cache->taken;
    /* Some of the blocks may have been allocated before the current cycle began and some after
       it: all are kept. */
    if (pqti_is_in_cycle(heap))
        pqti_slab_set_young(slab, cache->word, cache->taken);
    if (cache->free != 0) {
        const size_t bytes = (size_t)__builtin_popcountll(cache->free) * slab->size;
        pqti_slab_bits(slab, PQTI_USED)[cache->word] &= ~cache->free;
        heap->used_bytes -= bytes;
        slab->search_word = slab->search_word < cache->word ? slab->search_word : cache->word;
        pqti_slab_list(heap, slab);
    }
    *cache = (pqti_block_cache){0};
}

bool
pqti_heap_refill(pqti_heap *heap, pqti_block_cache *cache, unsigned class_index, size_t size,
                 const pqti_layout *layout)
{
    pqti_heap_flush(heap, cache);
    pqti_slab **list = &heap->with_free_blocks[class_index];
    uint32_t word = 0;
    uint64_t blocks = 0;
    while (*list != NULL && !find_free_word(*list, &word, &blocks))
        unlist_slab(heap, *list);
    if (*list == NULL) {
        pqti_slab *slab = make_slab(heap, class_index, size, layout);
        if (slab == NULL)
            return false;
        pqti_slab_list(heap, slab);
        (void)find_free_word(slab, &word, &blocks);
    }
    pqti_slab *slab = *list;
    const size_t bytes = (size_t)__builtin_popcountll(blocks) * size;
    pqti_slab_bits(slab, PQTI_USED)[word] |= blocks;
    pqti_slab_bits(slab, PQTI_CACHED)[word] |= blocks;
    if (pqti_is_in_cycle(heap))
        pqti_slab_set_young(slab, word, blocks);
    heap->used_bytes += bytes;
    heap->bytes_since_cycle += bytes;
    heap->bytes_since_point += bytes;
    *cache = (pqti_block_cache){.taken = blocks,
                                .free = blocks,
                                .base = pqti_slab_block(slab, word * 64),
                                .size = size,
                                .slab = slab,
                                .word = word};
    return true;
}
