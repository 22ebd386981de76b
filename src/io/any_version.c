/* SPDX-License-Identifier: MIT */
/* any_version.c: calls the function for the kind of a version, using a table of all kinds. */
#include "config.h"

#include <pqt/any_version.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"

/* The functions for one kind. */
typedef struct kind_calls {
    pqt_fingerprint (*fingerprint)(const void *version);
    bool (*equals)(const void *a, const void *b);
    bool (*check)(const void *version, pqt_error *error);
    pqt_pin *(*pin)(const void *version, pqt_error *error);
    const pqt_history_kind *(*history)(void);
    bool (*write)(const void *version, pqt_write_fn *write, void *context, pqt_error *error);
    const void *(*read)(pqt_read_fn *read, void *context, pqt_memory *memory, pqt_error *error);
} kind_calls;

/* Defines functions that have the types in the table and call the functions for a kind, because
   calling a function through a pointer of another type is undefined. */
#define KIND_CALLS(kind)                                                                           \
    static pqt_fingerprint any_fingerprint_##kind(const void *version)                             \
    {                                                                                              \
        return pqt_##kind##_fingerprint(version);                                                  \
    }                                                                                              \
                                                                                                   \
    static bool any_equals_##kind(const void *a, const void *b)                                    \
    {                                                                                              \
        return pqt_##kind##_equals(a, b);                                                          \
    }                                                                                              \
                                                                                                   \
    static bool any_check_##kind(const void *version, pqt_error *error)                            \
    {                                                                                              \
        return pqt_##kind##_check(version, error);                                                 \
    }                                                                                              \
                                                                                                   \
    static pqt_pin *any_pin_##kind(const void *version, pqt_error *error)                          \
    {                                                                                              \
        return pqt_##kind##_pin(version, error);                                                   \
    }                                                                                              \
                                                                                                   \
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

KIND_CALLS(tree)
KIND_CALLS(region)
KIND_CALLS(world)
KIND_CALLS(map)
KIND_CALLS(document)

#define KIND_ROW(kind)                                                                             \
    {                                                                                              \
        any_fingerprint_##kind, any_equals_##kind, any_check_##kind, any_pin_##kind,               \
            pqt_history_##kind##s, any_write_##kind, any_read_##kind                               \
    }

static const kind_calls rows[] = {
    [PQT_KIND_TREE] = KIND_ROW(tree),         [PQT_KIND_REGION] = KIND_ROW(region),
    [PQT_KIND_WORLD] = KIND_ROW(world),       [PQT_KIND_MAP] = KIND_ROW(map),
    [PQT_KIND_DOCUMENT] = KIND_ROW(document),
};

static const kind_calls *
calls_of(const char *function, pqt_kind kind)
{
    PQT_ASSERT_IN(function, kind >= PQT_KIND_TREE && kind <= PQT_KIND_DOCUMENT,
                  "the kind of the version is unknown");
    (void)function;
    return &rows[kind];
}

/* Does the same, and checks that a version is of the kind. */
static const kind_calls *
calls_for(const char *function, pqt_kind kind, const void *version)
{
    const kind_calls *calls = calls_of(function, kind);
    pqti_assert_kind(function, kind, version);
    return calls;
}

pqt_fingerprint
pqt_version_fingerprint(pqt_kind kind, const void *version)
{
    return calls_for(__func__, kind, version)->fingerprint(version);
}

bool
pqt_version_equals(pqt_kind kind, const void *a, const void *b)
{
    const kind_calls *calls = calls_for(__func__, kind, a);
    pqti_assert_kind(__func__, kind, b);
    return calls->equals(a, b);
}

bool
pqt_version_check(pqt_kind kind, const void *version, pqt_error *error)
{
    return calls_for(__func__, kind, version)->check(version, error);
}

pqt_pin *
pqt_version_pin(pqt_kind kind, const void *version, pqt_error *error)
{
    return calls_for(__func__, kind, version)->pin(version, error);
}

pqt_kind
pqt_pin_get_kind(const pqt_pin *pin)
{
    PQT_ASSERT(pin != NULL, "the pin is NULL");
    return pqti_pin_kind(pin);
}

const void *
pqt_pin_get_version(const pqt_pin *pin)
{
    PQT_ASSERT(pin != NULL, "the pin is NULL");
    return pqti_pinned(__func__, pin, pqti_pin_kind(pin));
}

const pqt_history_kind *
pqt_history_kind_of(pqt_kind kind)
{
    return calls_of(__func__, kind)->history();
}

bool
pqt_version_write(pqt_kind kind, const void *version, pqt_write_fn *write, void *context,
                  pqt_error *error)
{
    return calls_for(__func__, kind, version)->write(version, write, context, error);
}

const void *
pqt_version_read(pqt_kind kind, pqt_read_fn *read, void *context, pqt_memory *memory,
                 pqt_error *error)
{
    return calls_of(__func__, kind)->read(read, context, memory, error);
}
