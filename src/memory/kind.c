/* SPDX-License-Identifier: MIT */
/* kind.c: what kind a version has, and the functions for versions of any kind. */
#include "config.h"

#include "memory/kind_calls.h"

#include <stdio.h>

#include "base/arithmetic.h"
#include "base/error_internal.h"
#include "memory/kind_table.h"
#include "memory/memory_internal.h"

#define RECLAIMED                                                                                  \
    "the version was reclaimed, since nothing that keeps versions referred to it: hold it by a "   \
    "pin, such as pqt_tree_pin, which may be kept in any memory"

#define VIEW                                                                                       \
    "this is the view of a draft, which only functions that read accept: take a snapshot of the "  \
    "draft"

#define PAST_VIEW                                                                                  \
    "this is the view of a draft that was changed after it was taken: take another view"

/* ---- The table ---- */

/* A weak reference to a row does not make a linker take it from the static library. If nothing
   else refers to the row, its address is NULL. Other formats of objects than these two have no
   such references, so there a program has all rows. So has the library in one file. */
#if (defined __ELF__ || defined __wasm__) && !defined PQT_AMALGAMATION_H
#define WEAK __attribute__((weak))
#else
#define WEAK
#endif

#define DECLARE_CALLS(number, name, elements, section, calls, bytes, changes)                      \
    extern WEAK const pqti_kind_calls calls;
PQTI_KIND_TABLE(DECLARE_CALLS)

typedef struct known_kind {
    const char *name;
    const char *elements;         /* a plural noun for what pqt_version_count counts */
    const pqti_kind_calls *calls; /* NULL: the program cannot have versions of this kind */
} known_kind;

#define ROW_OF_CALLS(number, name, elements, section, calls, bytes, changes)                       \
    [number] = {name, elements, &calls},
static const known_kind kinds[] = {PQTI_KIND_TABLE(ROW_OF_CALLS)};

/* The row of a kind whose wing is not in this build. */
const pqti_kind_calls pqti_absent_calls = {.list_inner = NULL};

enum { KINDS = sizeof kinds / sizeof *kinds }; /* with the one that has number 0 */

bool
pqti_is_kind(uint64_t number)
{
    return number != PQT_KIND_NONE && number < KINDS;
}

bool
pqt_kind_is_known(pqt_kind kind)
{
    return pqti_is_kind(kind);
}

const char *
pqt_kind_name(pqt_kind kind)
{
    return pqti_is_kind(kind) ? kinds[kind].name : "unknown kind";
}

const char *
pqt_kind_elements(pqt_kind kind)
{
    return pqti_is_kind(kind) ? kinds[kind].elements : "elements";
}

/* Returns true if the program can have versions of a kind. */
static bool
has_calls(pqt_kind kind)
{
    return kinds[kind].calls != NULL && kinds[kind].calls != &pqti_absent_calls;
}

const pqti_kind_calls *
pqti_calls_of_kind(pqt_kind kind)
{
    PQT_INVARIANT(pqti_is_kind(kind) && has_calls(kind), "a version has no kind");
    return kinds[kind].calls;
}

/* ---- The kind of a version ---- */

/* Returns the kind that the sign of a version has, or PQT_KIND_NONE if it is no sign. A version
   that was reclaimed may still have its kind. */
static pqt_kind
kind_of_sign(uint32_t sign)
{
    const pqt_kind kind = pqti_kind_in_sign(sign);
    return (sign & ~PQTI_LIFE_BITS) == PQTI_SIGN_OF(kind) && pqti_is_kind(kind) ? kind
                                                                                : PQT_KIND_NONE;
}

/* Returns the end of the article before the name of a kind. */
static const char *
article_end(pqt_kind kind)
{
    return kind == PQT_KIND_IMAGE ? "n" : "";
}

/* In the collector, the block of a version that was reclaimed may already hold one of another
   kind. */
void
pqti_refuse_version(const char *function, pqt_kind kind, const void *version)
{
    char sentence[300];
    const uint32_t sign = pqti_sign_in(version);
    if (sign == (PQTI_SIGN_OF(kind) | PQTI_VIEW))
        pqti_precondition_failed(function, VIEW);
    if (sign == (PQTI_SIGN_OF(kind) | PQTI_PAST_VIEW))
        pqti_precondition_failed(function, PAST_VIEW);
    const pqt_kind found = kind_of_sign(sign);
    if (found == PQT_KIND_NONE || found == kind)
        pqti_precondition_failed(function, RECLAIMED);
    snprintf(sentence, sizeof sentence, "the version is a%s %s, not a%s %s%s", article_end(found),
             pqt_kind_name(found), article_end(kind), pqt_kind_name(kind),
             (sign & PQTI_COLLECTED) != 0 ? "; or " RECLAIMED : "");
    pqti_precondition_failed(function, sentence);
}

void
pqti_assert_kind(const char *function, pqt_kind kind, const void *version)
{
    if (version != NULL && pqti_is_kind(kind))
        pqti_assert_version(function, kind, version);
}

pqt_kind
pqti_kind_in(const char *function, const void *version)
{
    const pqt_kind kind = kind_of_sign(pqti_sign_in(version));
    PQT_ASSERT_IN(function, kind != PQT_KIND_NONE, RECLAIMED);
    pqti_assert_version(function, kind, version);
    return kind;
}

pqt_kind
pqt_kind_of(const void *version)
{
    PQT_ASSERT(version != NULL, "the version is NULL");
    return pqti_kind_in(__func__, version);
}

/* ---- Versions of any kind ---- */

/* Returns the row for a version that a public function received. */
static const pqti_kind_calls *
calls_for(const char *function, const void *version)
{
    PQT_ASSERT_IN(function, version != NULL, "the version is NULL");
    return pqti_calls_of_kind(pqti_kind_in(function, version));
}

bool
pqti_has_mode_for(const void *version, pqt_error *error)
{
    return !pqti_calls_of(version)->needs_mode || pqti_may_compute(error);
}

bool
pqti_check_version_in(const char *function, const void *version, pqt_error *error)
{
    PQT_ASSERT_IN(function, version != NULL || pqti_may_be_null(error),
                  "the version is NULL, and no earlier error is set");
    if (version == NULL)
        return false;
    (void)pqti_kind_in(function, version);
    return pqti_has_mode_for(version, error);
}

/* Checks two versions of an array or of a pair, which must be of one kind and are not NULL. */
static void
assert_one_kind(const char *function, const void *a, const void *b)
{
    PQT_ASSERT_IN(function, b != NULL, "the version is NULL");
    pqti_assert_version(function, pqti_version_kind(a), b);
}

pqt_memory *
pqt_version_memory(const void *version)
{
    return calls_for(__func__, version)->values.memory(version, NULL);
}

pqt_fingerprint
pqt_version_fingerprint(const void *version)
{
    return calls_for(__func__, version)->fingerprint(version);
}

bool
pqt_version_equals(const void *a, const void *b)
{
    const pqti_kind_calls *calls = calls_for(__func__, a);
    assert_one_kind(__func__, a, b);
    return calls->values.equals(a, b, NULL);
}

uint64_t
pqt_version_count(const void *version)
{
    return calls_for(__func__, version)->count(version);
}

bool
pqt_version_check(const void *version, pqt_error *error)
{
    return calls_for(__func__, version)->check(version, error);
}

bool
pqti_bytes_failed(pqt_error *error)
{
    if (pqti_may_compute(error))
        pqti_out_of_memory(error);
    return false;
}

bool
pqt_version_exclusive_bytes(const void *version, const void *const *others, size_t count,
                            size_t *bytes, pqt_error *error)
{
    PQT_ASSERT(others != NULL || count == 0, "others is NULL, and count is not 0");
    PQT_ASSERT(bytes != NULL, "bytes is NULL");
    if (!pqti_check_version(version, error))
        return false;
    for (size_t i = 0; i < count; i++) {
        PQT_ASSERT(others[i] != NULL, "a version of the array is NULL");
        pqti_assert_version(__func__, pqti_version_kind(version), others[i]);
    }
    return pqti_calls_of(version)->values.bytes(version, others, count, bytes, NULL) ||
           pqti_bytes_failed(error);
}

/* The bytes that a version does not share with another one are exclusive next to it. */
bool
pqt_version_shared_bytes(const void *a, const void *b, size_t *bytes, pqt_error *error)
{
    size_t all = 0, own = 0;
    PQT_ASSERT(bytes != NULL, "bytes is NULL");
    if (!pqti_check_version(a, error) || !pqti_check_version(b, error))
        return false;
    assert_one_kind(__func__, a, b);
    const pqt_history_kind *values = &pqti_calls_of(a)->values;
    if (!values->bytes(a, NULL, 0, &all, NULL) || !values->bytes(a, &b, 1, &own, NULL))
        return pqti_bytes_failed(error);
    *bytes = all - own;
    return true;
}

static bool
count_difference(const pqti_difference *difference, void *context)
{
    uint64_t *count = context;
    (void)difference;
    ++*count;
    return true;
}

bool
pqti_count_diff(const void *before, const void *after, uint64_t *count, pqt_error *error)
{
    const pqti_kind_calls *calls = pqti_calls_of(before);
    return calls->visit_diff != NULL
               ? calls->visit_diff(before, after, count_difference, count, error)
               : calls->count_diff(before, after, count, error);
}

bool
pqt_version_count_diff(const void *before, const void *after, uint64_t *count, pqt_error *error)
{
    uint64_t found = 0;
    PQT_ASSERT(count != NULL, "count is NULL");
    if (!pqti_check_version(before, error) || !pqti_check_version(after, error))
        return false;
    assert_one_kind(__func__, before, after);
    if (!pqti_count_diff(before, after, &found, error))
        return false;
    *count = found;
    return true;
}

const void *
pqt_version_merge(const void *base, const void *ours, const void *theirs, pqt_error *error)
{
    if (!pqti_check_version(base, error) || !pqti_check_version(ours, error) ||
        !pqti_check_version(theirs, error))
        return NULL;
    assert_one_kind(__func__, base, ours);
    assert_one_kind(__func__, base, theirs);
    const pqti_kind_calls *calls = pqti_calls_of(base);
    if (calls->merge != NULL)
        return calls->merge(base, ours, theirs, error);
    pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "%ss cannot be merged",
                   pqt_kind_name(pqti_version_kind(base)));
    return NULL;
}

bool
pqt_version_copy_all(const void *const *versions, size_t count, pqt_memory *memory,
                     const void **copies, pqt_error *error)
{
    PQT_ASSERT((versions != NULL && copies != NULL) || count == 0, "an array is NULL");
    if (count == 0)
        return true;
    const pqti_kind_calls *calls = calls_for(__func__, versions[0]);
    for (size_t i = 1; i < count; i++)
        assert_one_kind(__func__, versions[0], versions[i]);
    return calls->copy_all(versions, count, memory, copies, error);
}

const void *
pqt_version_copy(const void *version, pqt_memory *memory, pqt_error *error)
{
    const void *copy = NULL;
    if (!pqti_check_version(version, error))
        return NULL;
    return pqti_calls_of(version)->copy_all(&version, 1, memory, &copy, error) ? copy : NULL;
}

pqt_pin *
pqt_version_pin(const void *version, pqt_error *error)
{
    return pqti_check_version(version, error)
               ? pqti_pin(pqti_memory_of(version), pqti_version_kind(version), version, error)
               : NULL;
}

pqt_kind
pqt_pin_get_kind(const pqt_pin *pin)
{
    PQT_ASSERT(pin != NULL, "the pin is NULL");
    return pqti_pin_kind(pin);
}

const void *
pqt_pin_get_version_of(const pqt_pin *pin, pqt_kind kind)
{
    return pqti_pinned(__func__, pin, kind);
}

const void *
pqt_pin_get_version(const pqt_pin *pin)
{
    PQT_ASSERT(pin != NULL, "the pin is NULL");
    return pqti_pinned(__func__, pin, pqti_pin_kind(pin));
}

/* ---- Values of histories ---- */

const pqt_history_kind *
pqt_history_kind_of(pqt_kind kind)
{
    PQT_ASSERT(pqti_is_kind(kind), "the kind of the version is unknown");
    PQT_ASSERT(has_calls(kind),
               "the program calls no function that makes or reads versions of this kind");
    return &kinds[kind].calls->values;
}

pqt_kind
pqti_kind_of_values(const pqt_history_kind *kind)
{
    for (int i = PQT_KIND_NONE + 1; i < KINDS; i++)
        if (has_calls((pqt_kind)i) && kind->bytes == kinds[i].calls->values.bytes)
            return (pqt_kind)i;
    return PQT_KIND_NONE;
}

void
pqti_hold_version(const void *version, pqt_hold_fn *hold, void *holder, void *context)
{
    (void)context;
    hold(version, holder);
}
