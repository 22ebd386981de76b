/* SPDX-License-Identifier: MIT */
/**
 * @file pqt.h - includes all headers of the library.
 *
 * @mainpage
 * Each header is about one subject. Begin with tree.h, or with the manual (docs/manual.md).
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
#include <pqt/contact.h>
#include <pqt/contact_event.h>
#include <pqt/convex.h>
#include <pqt/crossing.h>
#include <pqt/cursor.h>
#include <pqt/diff.h>
#include <pqt/document.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/fingerprint.h>
#include <pqt/head.h>
#include <pqt/heap.h>
#include <pqt/history.h>
#include <pqt/item.h>
#include <pqt/kind.h>
#include <pqt/limits.h>
#include <pqt/line.h>
#include <pqt/map.h>
#include <pqt/memory.h>
#include <pqt/merge.h>
#include <pqt/moment.h>
#include <pqt/nearest.h>
#include <pqt/obstacle.h>
#include <pqt/pairs.h>
#include <pqt/png.h>
#include <pqt/query.h>
#include <pqt/ray.h>
#include <pqt/recording.h>
#include <pqt/region.h>
#include <pqt/region_cast.h>
#include <pqt/region_overlap.h>
#include <pqt/region_sweep.h>
#include <pqt/segment.h>
#include <pqt/step.h>
#include <pqt/store.h>
#include <pqt/svg.h>
#include <pqt/sweep.h>
#include <pqt/sync.h>
#include <pqt/table.h>
#include <pqt/tree.h>
#include <pqt/vec.h>
#include <pqt/version.h>
#include <pqt/world.h>

#endif
