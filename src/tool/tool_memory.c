/* SPDX-License-Identifier: MIT */
/* tool_memory.c: memory of the program. */
#include "config.h"

#include "tool/tool_memory.h"

#include <stdlib.h>
#include <string.h>

#include "tool/message.h"

pqt_memory *
tool_memory(void)
{
    pqt_error error = {0};
    pqt_memory *memory = pqt_default_memory(&error);
    if (memory == NULL)
        die_error(NULL, &error);
    return memory;
}

void *
xgrow(void *block, size_t *capacity, size_t needed, size_t size)
{
    if (block != NULL && needed <= *capacity)
        return block;
    size_t next = *capacity + *capacity / 2 + 64;
    if (next < needed)
        next = needed;
    void *larger = next <= SIZE_MAX / 2 / size ? realloc(block, next * size) : NULL;
    if (larger == NULL)
        die(NULL, 0, "out of memory (%zu times %zu bytes)", next, size);
    *capacity = next;
    return larger;
}

void
xfree(void *block)
{
    free(block);
}

void
append_bytes(texts *to, const char *bytes, size_t count)
{
    to->bytes = xgrow(to->bytes, &to->capacity, to->length + count, 1);
    memcpy(to->bytes + to->length, bytes, count);
    to->length += count;
}
