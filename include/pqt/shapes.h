/* SPDX-License-Identifier: MIT */
/**
 * @file shapes.h - convex shapes, contacts of shapes, and sweeps of moving shapes.
 *
 * Includes the headers of this wing, see pqt.h.
 */
#ifndef PQT_SHAPES_H
#define PQT_SHAPES_H

#include <pqt/contact.h>
#include <pqt/convex.h>
#include <pqt/sweep.h>

#endif
