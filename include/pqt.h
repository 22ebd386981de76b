/* SPDX-License-Identifier: MIT */
/**
 * @file pqt.h - includes the core: versions, memories, trees with their queries and algebra, maps,
 * documents, histories, heads, bytes and errors.
 *
 * @mainpage
 * Each header is about one subject. Begin with tree.h, or with the manual (docs/manual.md). The
 * core is <pqt.h>. Each *wing* is one include: <pqt/pixels.h> for regions of pixels,
 * <pqt/worlds.h> for worlds of balls, <pqt/shapes.h> for geometry and sweeps, and <pqt/stores.h>
 * for stores and lines. <pqt/all.h> includes everything. A library may have been built without
 * pixels and worlds; their headers are then not installed.
 *
 * error.h has the rules that hold for every function, which the comments do not repeat: errors,
 * NULL versions, misuse, visitors, results in arrays and threads. The parameter `error` has the
 * same meaning everywhere. Everything is in the library since release 0.1, unless its comment has a
 * later one.
 */
#ifndef PQT_H
#define PQT_H

#include <pqt/any_version.h>
#include <pqt/box.h>
#include <pqt/bytes.h>
#include <pqt/circle.h>
#include <pqt/cursor.h>
#include <pqt/diff.h>
#include <pqt/document.h>
#include <pqt/draft.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/fingerprint.h>
#include <pqt/head.h>
#include <pqt/heap.h>
#include <pqt/history.h>
#include <pqt/history_bytes.h>
#include <pqt/history_query.h>
#include <pqt/item.h>
#include <pqt/kind.h>
#include <pqt/limits.h>
#include <pqt/map.h>
#include <pqt/memory.h>
#include <pqt/merge.h>
#include <pqt/nearest.h>
#include <pqt/pairs.h>
#include <pqt/query.h>
#include <pqt/ray.h>
#include <pqt/segment.h>
#include <pqt/svg.h>
#include <pqt/sync.h>
#include <pqt/table.h>
#include <pqt/tree.h>
#include <pqt/vec.h>
#include <pqt/version.h>

#endif
