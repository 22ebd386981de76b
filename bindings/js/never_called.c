/* SPDX-License-Identifier: MIT */
/*
 * never_called.c: replaces functions whose sources build_wasm leaves out of the package.
 *
 * The rest of the library refers to them in branches and tables that calls from JavaScript never
 * reach: JavaScript has one memory, its windows are boxes, and it sweeps only regions and balls. So
 * a call to one is a bug in the library, and traps as a violated invariant does. With their
 * sources, pqt.wasm would be about 13 kB larger, compressed.
 */
#include "config.h"

#include <pqt/all.h>

#include "base/placed.h"
#include "collision/contact_convex.h"
#include "collision/toi_shapes.h"

#define NEVER_CALLED(type, name, ...)                                                              \
    type name(__VA_ARGS__)                                                                         \
    {                                                                                              \
        __builtin_trap();                                                                          \
    }

#pragma clang diagnostic ignored "-Wunused-parameter"

/* ---- Copies of versions to another memory; only a step of a world copies a tree ---- */

NEVER_CALLED(bool, pqt_region_copy_all, const pqt_region *const *regions, size_t count,
             pqt_memory *memory, const pqt_region **copies, pqt_error *error)
NEVER_CALLED(bool, pqt_image_copy_all, const pqt_image *const *images, size_t count,
             pqt_memory *memory, const pqt_image **copies, pqt_error *error)
NEVER_CALLED(bool, pqt_map_copy_all, const pqt_map *const *maps, size_t count, pqt_memory *memory,
             const pqt_map **copies, pqt_error *error)
NEVER_CALLED(bool, pqt_world_copy_all, const pqt_world *const *worlds, size_t count,
             pqt_memory *memory, const pqt_world **copies, pqt_error *error)
NEVER_CALLED(bool, pqt_document_copy_all, const pqt_document *const *documents, size_t count,
             pqt_memory *memory, const pqt_document **copies, pqt_error *error)

/* ---- Convexes ---- */

NEVER_CALLED(bool, pqt_convex_from_points, const pqt_vec *points, size_t count, double radius,
             pqt_convex *convex, pqt_error *error)
NEVER_CALLED(bool, pqt_convex_is_valid, const pqt_convex *convex)
NEVER_CALLED(pqt_box, pqt_convex_box, const pqt_convex *convex)
NEVER_CALLED(bool, pqt_convex_touches_box, const pqt_convex *convex, pqt_box box)
NEVER_CALLED(bool, pqt_convex_overlaps_box, const pqt_convex *convex, pqt_box box)
NEVER_CALLED(bool, pqt_convex_covers_box, const pqt_convex *convex, pqt_box box)
NEVER_CALLED(bool, pqt_convex_is_inside_box, const pqt_convex *convex, pqt_box box)

/* ---- Sweeps of convexes ---- */

NEVER_CALLED(pqti_box_corners, pqti_corners_of, const pqt_box *box)
NEVER_CALLED(pqti_separation, pqti_separation_of, const pqti_placed *a, const pqti_placed *b)
NEVER_CALLED(pqt_contact, pqti_contact_of_placed, const pqti_placed *a, const pqti_placed *b)
NEVER_CALLED(pqt_contact, pqti_contact_without_push, const pqti_placed *a, const pqti_placed *b)
NEVER_CALLED(pqti_toi, pqti_toi_convex, const pqt_mover *a, const pqt_mover *b, bool strict)
NEVER_CALLED(double, pqti_exit_of_convex, const pqt_mover *a, const pqt_mover *b)
