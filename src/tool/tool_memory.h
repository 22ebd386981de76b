/* SPDX-License-Identifier: MIT */
/* tool_memory.h: memory of the program: that of its versions, and arrays and texts that grow. */
#ifndef TOOL_MEMORY_H
#define TOOL_MEMORY_H

#include <stddef.h>
#include <string.h>

#include <pqt.h>

/* Returns the memory of the program's versions, which is the default memory. Ends the program on
   failure. */
pqt_memory *tool_memory(void);

/* Text that grows: bytes of one text, or strings one after the other, each terminated by a zero
   byte. */
typedef struct texts {
    char *bytes;
    size_t length, capacity;
} texts;

/* Grows an array to at least `needed` elements. Ends the program when out of memory. */
void *xgrow(void *block, size_t *capacity, size_t needed, size_t size);

/* Frees such an array, as free does. The reader of GeoJSON calls this, because its fuzz target has
   functions of its own, which free what a refused file has left. */
void xfree(void *block);

void append_bytes(texts *to, const char *bytes, size_t count);

/* Appends a string without its zero byte. */
static inline void
append_text(texts *to, const char *text)
{
    append_bytes(to, text, strlen(text));
}

#endif
