/* SPDX-License-Identifier: MIT */
/* line_merge.c: merges a version with versions that others pushed, and pushes the result. */
#include "config.h"

#include "line/line_internal.h"

#include <pqt/bytes.h>

#include "base/cancellation.h"
#include "base/error_internal.h"
#include "memory/memory_internal.h"

typedef struct update {
    pqt_line *line;
    const void *base, *version;
    const char *label;
    pqt_line_merge_fn *merge;
    void *context;
} update;

static bool
versions_equal(const void *a, const void *b)
{
    return pqt_fingerprint_equals(pqt_version_fingerprint(a), pqt_version_fingerprint(b));
}

/* Returns the version to push after the newest one. */
static const void *
merge_with_newest(const update *by, pqt_error *error)
{
    const void *newest = by->line->newest.version;
    if (versions_equal(by->base, newest) || versions_equal(by->version, newest))
        return by->version;
    if (by->merge == NULL)
        return pqt_version_merge(by->base, by->version, newest, error);
    pqt_error failure = {0};
    const void *made = by->merge(by->base, by->version, newest, by->context, &failure);
    if (made != NULL)
        return made;
    pqti_error_set(&failure, PQT_ERROR_CALLBACK, 0, "merge returned NULL and set no error");
    pqti_error_set(error, failure.status, failure.index, "%s", failure.text);
    return NULL;
}

/* Merges and pushes again until the push does not conflict. Each conflict means that another writer
   has pushed, so the writers as a whole make progress. A conflict without a newer version is
   reported, because it would occur again: the database has a rule of its own against the push. */
static bool
push_merged(const update *by, pqt_error *error)
{
    pqt_error conflict = {0};
    for (;;) {
        const uint64_t newest = by->line->newest.number;
        const void *next = merge_with_newest(by, error);
        if (next == NULL)
            return false;
        if (pqt_line_push(by->line, by->line->kind, next, by->label, &conflict))
            return true;
        if (conflict.status != PQT_ERROR_CONFLICT)
            break;
        if (!pqti_line_catch_up(by->line, error))
            return false;
        if (by->line->newest.number == newest)
            break;
        conflict = (pqt_error){0};
    }
    pqti_error_set(error, conflict.status, conflict.index, "%s", conflict.text);
    return false;
}

const void *
pqt_line_update(pqt_line *line, const void *base, const void *version, const char *label,
                pqt_line_merge_fn *merge, void *context, pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    PQT_ASSERT(line != NULL, "the line is NULL");
    PQT_ASSERT(base != NULL, "base is NULL");
    PQT_ASSERT(line->newest.number != 0, "the line is empty");
    PQT_ASSERT(version != NULL || pqti_may_be_null(error),
               "the version is NULL, and no earlier error is set");
    pqti_assert_kind(__func__, line->kind, base);
    pqti_assert_kind(__func__, line->kind, version);
    const update by = {line, base, version, label, merge, context};
    if (version == NULL)
        return NULL;
    if (!pqti_scope_begin(line->memory, error))
        return NULL;
    const bool done = push_merged(&by, error);
    pqti_scope_end(line->memory);
    return done ? line->newest.version : NULL;
}
