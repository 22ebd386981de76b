/* SPDX-License-Identifier: MIT */
/**
 * @file any_version.h - functions for versions of any kind, which take the kind as an argument.
 *
 * A store, a line and a file say at run time which kind of version they hold. These functions call
 * the function of that kind:
 *
 *     const pqt_kind kind = pqt_store_kind(store);
 *     const void *newest = pqt_history_value(history);
 *     pqt_version_save(kind, newest, "newest.pqt", &error);
 *
 * A `version` is a pqt_tree, pqt_region, pqt_world, pqt_map or pqt_document, as the kind says. The
 * kind is one of these five; PQT_KIND_NONE and PQT_KIND_OTHER stop the program with a message. A
 * function fails with the errors of the function that it calls.
 */
#ifndef PQT_ANY_VERSION_H
#define PQT_ANY_VERSION_H

#include <stdbool.h>

#include <pqt/bytes.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/fingerprint.h>
#include <pqt/history.h>
#include <pqt/memory.h>

PQT_BEGIN_DECLARATIONS

/** @name Reading */
/** @{ */

/**
 * Returns the fingerprint, as pqt_tree_fingerprint does.
 *
 * @param kind     the kind
 * @param version  not NULL
 * @return         the fingerprint
 * @cost    O(1)
 * @thread  any number at once on one version
 */
PQT_API pqt_fingerprint pqt_version_fingerprint(pqt_kind kind, const void *version);

/**
 * Returns whether two versions of one kind are equal, as pqt_tree_equals does.
 *
 * @param kind  the kind of both
 * @param a     not NULL
 * @param b     not NULL
 * @return      true if they are equal
 * @thread  any number at once on one version
 */
PQT_API bool pqt_version_equals(pqt_kind kind, const void *a, const void *b);

/**
 * Checks every invariant, as pqt_tree_check does.
 *
 * @param kind     the kind
 * @param version  not NULL
 * @return         true if all hold
 * @thread  any number at once on one version
 */
PQT_API bool pqt_version_check(pqt_kind kind, const void *version, pqt_error *error);
/** @} */

/** @name Pins and histories */
/** @{ */

/**
 * Keeps a version alive until pqt_unpin, as pqt_tree_pin does.
 *
 * @param kind     the kind
 * @param version  any version
 * @return         the pin; NULL on failure
 */
PQT_API PQT_NODISCARD pqt_pin *pqt_version_pin(pqt_kind kind, const void *version,
                                               pqt_error *error);

/**
 * Returns the kind of the version that a pin keeps.
 *
 * @param pin  not NULL
 * @return     the kind
 * @thread  any, attached or not
 */
PQT_API pqt_kind pqt_pin_get_kind(const pqt_pin *pin);

/**
 * Returns the version that a pin keeps.
 *
 * @param pin  a pin of a version of any kind, not NULL
 * @return     the version, of the kind that pqt_pin_get_kind returns
 * @thread  any, attached or not
 */
PQT_API const void *pqt_pin_get_version(const pqt_pin *pin);

/**
 * Returns the kind of a history of versions, as pqt_history_trees() does.
 *
 * @param kind  the kind of the versions
 * @return      the kind of the history
 * @thread  any
 */
PQT_API const pqt_history_kind *pqt_history_kind_of(pqt_kind kind);
/** @} */

/** @name Bytes and files */
/** @{ */

/**
 * Writes a version, as pqt_tree_write does.
 *
 * @param kind     the kind
 * @param version  any version
 * @param write    called once for each section
 * @param context  passed to `write`
 * @return         false on failure; some bytes may have been written
 */
PQT_API bool pqt_version_write(pqt_kind kind, const void *version, pqt_write_fn *write,
                               void *context, pqt_error *error);

/**
 * Reads a version, as pqt_tree_read does.
 *
 * @param kind     the kind, which pqt_bytes_kind_of finds in the first bytes
 * @param read     called until the version is complete
 * @param context  passed to `read`
 * @param memory   where the version will live; NULL: the default memory
 * @return         the version; NULL on failure
 */
PQT_API PQT_NODISCARD const void *pqt_version_read(pqt_kind kind, pqt_read_fn *read, void *context,
                                                   pqt_memory *memory, pqt_error *error);

/**
 * Writes a version to a file, completely or not at all, as pqt_tree_save does.
 *
 * @param kind     the kind
 * @param version  any version
 * @param path     not NULL
 * @return         false on failure
 */
PQT_API bool pqt_version_save(pqt_kind kind, const void *version, const char *path,
                              pqt_error *error);

/**
 * Reads a version from a file that holds nothing else, as pqt_tree_load does.
 *
 * @param kind    the kind
 * @param path    not NULL
 * @param memory  where the version will live; NULL: the default memory
 * @return        the version; NULL on failure
 */
PQT_API PQT_NODISCARD const void *pqt_version_load(pqt_kind kind, const char *path,
                                                   pqt_memory *memory, pqt_error *error);
/** @} */

PQT_END_DECLARATIONS

#endif
