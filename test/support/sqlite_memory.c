/* SPDX-License-Identifier: MIT */
/* sqlite_memory.c: an allocator for SQLite that counts its calls and fails some of them. */
#include "config.h"

#include "sqlite_memory.h"

#include <sqlite3.h>

#include "tree_support.h"

sqlite_memory_faults sqlite_memory;

static sqlite3_mem_methods system_memory;

/* Counts a call. Returns true if it must fail. */
static bool
fails(void)
{
    sqlite_memory.calls++;
    return sqlite_memory.failing != 0 &&
           (sqlite_memory.stays ? sqlite_memory.calls >= sqlite_memory.failing
                                : sqlite_memory.calls == sqlite_memory.failing);
}

static void *
allocate(int size)
{
    return fails() ? NULL : system_memory.xMalloc(size);
}

static void *
reallocate(void *block, int size)
{
    return fails() ? NULL : system_memory.xRealloc(block, size);
}

/* SQLite reports a use that its functions do not allow, such as a statement that is NULL, and goes
   on. */
static void
expect_no_misuse(void *context, int code, const char *text)
{
    (void)context;
    require((code & 0xff) != SQLITE_MISUSE, text);
}

/* Without lookaside memory and pages that are allocated in advance, each allocation is a call. */
void
sqlite_memory_install(void)
{
    if (system_memory.xMalloc != NULL) /* an earlier test has installed it */
        return;
    require(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &system_memory) == SQLITE_OK,
            "SQLite has an allocator");
    sqlite3_mem_methods counted = system_memory;
    counted.xMalloc = allocate;
    counted.xRealloc = reallocate;
    require(sqlite3_config(SQLITE_CONFIG_MALLOC, &counted) == SQLITE_OK &&
                sqlite3_config(SQLITE_CONFIG_LOG, expect_no_misuse, NULL) == SQLITE_OK &&
                sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) == SQLITE_OK &&
                sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0) == SQLITE_OK &&
                sqlite3_initialize() == SQLITE_OK,
            "SQLite's allocator is replaced");
}
