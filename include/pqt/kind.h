/* SPDX-License-Identifier: MIT */
/**
 * @file kind.h - the kinds of versions: trees, regions, worlds, maps and documents.
 *
 * Bytes, files, stores, lines, pins and parts of documents say with a pqt_kind what they hold.
 */
#ifndef PQT_KIND_H
#define PQT_KIND_H

#include <pqt/export.h>

PQT_BEGIN_DECLARATIONS

/** A kind of version. The numbers are part of the ABI, and are those in files and stores. */
typedef enum pqt_kind {
    PQT_KIND_NONE = 0,     /**< no version: nothing is stored yet, or bytes hold none */
    PQT_KIND_TREE = 1,     /**< a pqt_tree */
    PQT_KIND_REGION = 2,   /**< a pqt_region */
    PQT_KIND_WORLD = 3,    /**< a pqt_world */
    PQT_KIND_MAP = 4,      /**< a pqt_map */
    PQT_KIND_DOCUMENT = 5, /**< a pqt_document */
    /** a kind that this library does not know; no file has this number, which no byte can hold */
    PQT_KIND_OTHER = 256
} pqt_kind;

/**
 * Returns the name of a kind, for logs and user interfaces.
 *
 * @param kind  any value
 * @return      a static string in English, such as "tree", never NULL; "unknown kind" for
 *              PQT_KIND_NONE, PQT_KIND_OTHER and any other number
 * @thread  any
 */
PQT_API const char *pqt_kind_name(pqt_kind kind);

/**
 * Returns the kind of a version.
 *
 * @param version  a version of any kind, not NULL
 * @return         its kind, never PQT_KIND_NONE or PQT_KIND_OTHER
 * @cost    O(1)
 * @thread  any number at once on one version
 */
PQT_API pqt_kind pqt_kind_of(const void *version);

PQT_END_DECLARATIONS

#endif
