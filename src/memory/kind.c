/* SPDX-License-Identifier: MIT */
/* kind.c: the names of the kinds of versions, and what kind a version has. */
#include "config.h"

#include <pqt/kind.h>

#include <stdio.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"

#define RECLAIMED                                                                                  \
    "the version was reclaimed, since nothing that keeps versions referred to it: hold it by a "   \
    "pin, such as pqt_tree_pin, which may be kept in any memory"

static bool
is_kind(pqt_kind kind)
{
    return kind >= PQT_KIND_TREE && kind <= PQT_KIND_DOCUMENT;
}

const char *
pqt_kind_name(pqt_kind kind)
{
    static const char *const names[] = {
        [PQT_KIND_TREE] = "tree", [PQT_KIND_REGION] = "region",     [PQT_KIND_WORLD] = "world",
        [PQT_KIND_MAP] = "map",   [PQT_KIND_DOCUMENT] = "document",
    };
    return is_kind(kind) ? names[kind] : "unknown kind";
}

/* Returns the kind that the sign of a version has, or PQT_KIND_NONE if it is no sign. A version
   that was reclaimed may still have its kind. */
static pqt_kind
kind_of_sign(uint32_t sign)
{
    const pqt_kind kind = (pqt_kind)(sign >> 16 & PQTI_KIND_MASK);
    return (sign & ~PQTI_LIFE_BITS) == PQTI_SIGN_OF(kind) && is_kind(kind) ? kind : PQT_KIND_NONE;
}

/* In the collector, the block of a version that was reclaimed may already hold one of another
   kind. */
void
pqti_refuse_version(const char *function, pqt_kind kind, const void *version)
{
    char sentence[300];
    const uint32_t sign = pqti_sign_in(version);
    const pqt_kind found = kind_of_sign(sign);
    if (found == PQT_KIND_NONE || found == kind)
        pqti_precondition_failed(function, RECLAIMED);
    snprintf(sentence, sizeof sentence, "the version is a %s, not a %s%s", pqt_kind_name(found),
             pqt_kind_name(kind), (sign & PQTI_COLLECTED) != 0 ? "; or " RECLAIMED : "");
    pqti_precondition_failed(function, sentence);
}

void
pqti_assert_kind(const char *function, pqt_kind kind, const void *version)
{
    if (version != NULL && is_kind(kind))
        pqti_assert_version(function, kind, version);
}

pqt_kind
pqti_kind_in(const char *function, const void *version)
{
    const pqt_kind kind = kind_of_sign(pqti_sign_in(version));
    PQT_ASSERT_IN(function, kind != PQT_KIND_NONE && pqti_is_alive(version, kind), RECLAIMED);
    return kind;
}

pqt_kind
pqt_kind_of(const void *version)
{
    PQT_ASSERT(version != NULL, "the version is NULL");
    return pqti_kind_in(__func__, version);
}
