/* SPDX-License-Identifier: MIT */
/* kind.c: the names of the kinds of versions. */
#include "config.h"

#include <pqt/kind.h>

const char *
pqt_kind_name(pqt_kind kind)
{
    static const char *const names[] = {
        [PQT_KIND_TREE] = "tree", [PQT_KIND_REGION] = "region",     [PQT_KIND_WORLD] = "world",
        [PQT_KIND_MAP] = "map",   [PQT_KIND_DOCUMENT] = "document",
    };
    return kind >= PQT_KIND_TREE && kind <= PQT_KIND_DOCUMENT ? names[kind] : "unknown kind";
}
