/* SPDX-License-Identifier: MIT */
/** @file pixels.hpp - regions of pixels and images. See pqt.hpp. */
#ifndef PQT_PIXELS_HPP
#define PQT_PIXELS_HPP

#include <pqt/image.hpp>
#include <pqt/pixels.h>
#include <pqt/region.hpp>

#endif
