/* SPDX-License-Identifier: MIT */
/**
 * @file pixels.h - regions of pixels: paint, combine, transform, compare, sweep; images of colours;
 * and PNG pictures.
 *
 * Includes the headers of this wing, see pqt.h.
 */
#ifndef PQT_PIXELS_H
#define PQT_PIXELS_H

#include <pqt/image.h>
#include <pqt/image_bytes.h>
#include <pqt/png.h>
#include <pqt/region.h>
#include <pqt/region_affine.h>
#include <pqt/region_bytes.h>
#include <pqt/region_cast.h>
#include <pqt/region_collect.h>
#include <pqt/region_contour.h>
#include <pqt/region_convolve.h>
#include <pqt/region_morph.h>
#include <pqt/region_overlap.h>
#include <pqt/region_sweep.h>

#endif
