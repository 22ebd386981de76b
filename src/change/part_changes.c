/* SPDX-License-Identifier: MIT */
/* part_changes.c: the changes on a path of versions, collected for each part. */
#include "config.h"

#include "change/part_changes.h"

#include <string.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"

void *
pqti_part_reserve(pqti_part_changes *part, size_t size, pqt_error *error)
{
    if (part->count < part->capacity)
        return part->array;
    const size_t capacity = part->capacity == 0 ? 16 : part->capacity * 2;
    void *larger = pqti_alloc_scratch(capacity, size);
    if (larger == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    if (part->count > 0)
        memcpy(larger, part->array, part->count * size);
    pqti_free_scratch(part->array);
    part->array = larger;
    part->capacity = capacity;
    return larger;
}

void
pqti_part_replace(pqti_part_changes *part, const void *whole)
{
    part->whole = whole;
    part->version = NULL;
    part->count = 0;
    part->form = 0;
}

uint8_t *
pqti_changes_string(pqti_changes *changes, size_t size, pqt_error *error)
{
    pqti_string_block *block = pqti_alloc_scratch(1, sizeof *block + size + 1);
    if (block == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    block->next = changes->strings;
    changes->strings = block;
    return block->bytes;
}

void
pqti_changes_free(pqti_changes *changes)
{
    for (size_t i = 0; i < PQT_MAX_PARTS; i++)
        pqti_free_scratch(changes->parts[i].array);
    while (changes->strings != NULL) {
        pqti_string_block *block = changes->strings;
        changes->strings = block->next;
        pqti_free_scratch(block);
    }
}
