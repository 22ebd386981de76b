/* SPDX-License-Identifier: MIT */
/**
 * @file pqt.hpp - the library for C++17: versions as values, errors as exceptions, loops over
 * queries, lambdas as visitors.
 *
 * This header is the core, as <pqt.h> is. Each wing has an include of its own: <pqt/pixels.hpp>,
 * <pqt/worlds.hpp>, <pqt/stores.hpp>; <pqt/all.hpp> is all of them and the C headers. They need no
 * library but libpqt. docs/cpp.md introduces them; the C headers describe each operation in full.
 *
 * **Versions.** A pqt::tree, map, region, world or document is an immutable value that holds a pin
 * on its version, so the version lives as long as the value, wherever the value is stored. A copy
 * takes another pin, a move takes the pin over, and the destructor releases it, on any thread. Each
 * call that makes a version opens a scope of its memory (pqt_scope_begin), makes the version, pins
 * it, and ends the scope. So every version has a pin at each point where a heap may reclaim. The
 * pointer that get() returns has no pin of its own: it is valid as long as a value holds that
 * version.
 *
 * **A moved-from value** can be assigned to, compared and destroyed. Any other use throws
 * pqt::moved_from. Two moved-from values are equal.
 *
 * **Memories.** Versions live in pqt::default_memory() unless another memory is given. It is a
 * heap (pqt/heap.h), so no collector scans the program or sends it signals. In this heap and in
 * those that a pqt::memory owns, each call that makes a version reclaims a few of the blocks that
 * no pin holds.
 *
 * **Errors.** A call that fails throws pqt::error, or pqt::out_of_memory, which is a
 * std::bad_alloc, and leaves all versions unchanged. Misuse, such as an id function on a tree
 * without unique ids, stops the program with a message, as in C (pqt/error.h).
 *
 * **Visitors** are callables. One that returns void visits everything; one that returns a bool ends
 * the visit when it returns false. An exception that a visitor throws ends the visit and propagates
 * out of the call. No exception passes through C code: it is caught before it reaches the C
 * library, and rethrown when the library has returned. A visit takes a pin of its own, so the
 * visitor may assign to the value that is visited. If there is no memory for the pin, the visit
 * throws out_of_memory.
 *
 * **Threads.** Different values may be used by different threads at once, even if they hold the
 * same version. Several threads may read one value, but not while another thread assigns to it, as
 * with std::shared_ptr. Two threads may make versions in one heap at once. A thread that uses the
 * collector's memory must be attached (pqt/memory.h).
 */
#ifndef PQT_HPP
#define PQT_HPP

#include <pqt.h>

#include <pqt/array_view.hpp>
#include <pqt/batch.hpp>
#include <pqt/document.hpp>
#include <pqt/draft.hpp>
#include <pqt/error.hpp>
#include <pqt/history.hpp>
#include <pqt/item_range.hpp>
#include <pqt/map.hpp>
#include <pqt/map_draft.hpp>
#include <pqt/memory.hpp>
#include <pqt/query.hpp>
#include <pqt/tree.hpp>
#include <pqt/tree_queries.hpp>
#include <pqt/value.hpp>

#endif
