/* SPDX-License-Identifier: MIT */
/**
 * @file stores.h - versions that last and are shared: stores in files, lines in PostgreSQL.
 *
 * Includes the headers of this wing, see pqt.h.
 */
#ifndef PQT_STORES_H
#define PQT_STORES_H

#include <pqt/line.h>
#include <pqt/store.h>

#endif
