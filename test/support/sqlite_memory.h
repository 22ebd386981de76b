/* SPDX-License-Identifier: MIT */
/* sqlite_memory.h: lets a test count the allocations of SQLite, and fail some of them. */
#ifndef TEST_SQLITE_MEMORY_H
#define TEST_SQLITE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* The allocation to fail, and a count of allocations. */
typedef struct sqlite_memory_faults {
    size_t calls;   /* the number of allocations so far */
    size_t failing; /* the number of the one that fails, counted from 1; 0: none fails */
    bool stays;     /* all later ones fail, too */
} sqlite_memory_faults;

extern sqlite_memory_faults sqlite_memory;

/* Replaces SQLite's allocator, and makes a misuse of SQLite's functions fail the test. It must be
   called before SQLite is used. */
void sqlite_memory_install(void);

#endif
