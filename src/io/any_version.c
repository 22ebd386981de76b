/* SPDX-License-Identifier: MIT */
/* any_version.c: writes and reads versions of any kind, using a table of all kinds. */
#include "config.h"

#include <pqt/any_version.h>

#include "base/error_internal.h"
#include "memory/kind_calls.h"

/* The functions for one kind. */
typedef struct bytes_calls {
    bool (*write)(const void *version, pqt_write_fn *write, void *context, pqt_error *error);
    const void *(*read)(pqt_read_fn *read, void *context, pqt_memory *memory, pqt_error *error);
} bytes_calls;

/* Defines functions that have the types in the table and call the functions for a kind, because
   calling a function through a pointer of another type is undefined. */
#define BYTES_CALLS(kind)                                                                          \
    static bool any_write_##kind(const void *version, pqt_write_fn *write, void *context,          \
                                 pqt_error *error)                                                 \
    {                                                                                              \
        return pqt_##kind##_write(version, write, context, error);                                 \
    }                                                                                              \
                                                                                                   \
    static const void *any_read_##kind(pqt_read_fn *read, void *context, pqt_memory *memory,       \
                                       pqt_error *error)                                           \
    {                                                                                              \
        return pqt_##kind##_read(read, context, memory, error);                                    \
    }

BYTES_CALLS(tree)
BYTES_CALLS(region)
BYTES_CALLS(world)
BYTES_CALLS(map)
BYTES_CALLS(document)

#define BYTES_ROW(kind)                                                                            \
    {                                                                                              \
        any_write_##kind, any_read_##kind                                                          \
    }

static const bytes_calls rows[] = {
    [PQT_KIND_TREE] = BYTES_ROW(tree),         [PQT_KIND_REGION] = BYTES_ROW(region),
    [PQT_KIND_WORLD] = BYTES_ROW(world),       [PQT_KIND_MAP] = BYTES_ROW(map),
    [PQT_KIND_DOCUMENT] = BYTES_ROW(document),
};

static const bytes_calls *
calls_of(const char *function, pqt_kind kind)
{
    PQT_ASSERT_IN(function, pqti_is_kind(kind), "the kind of the version is unknown");
    (void)function;
    return &rows[kind];
}

bool
pqt_version_write(const void *version, pqt_write_fn *write, void *context, pqt_error *error)
{
    PQT_ASSERT(write != NULL, "write is NULL");
    return pqti_check_version(version, error) &&
           rows[pqti_version_kind(version)].write(version, write, context, error);
}

const void *
pqt_version_read(pqt_kind kind, pqt_read_fn *read, void *context, pqt_memory *memory,
                 pqt_error *error)
{
    return calls_of(__func__, kind)->read(read, context, memory, error);
}
