/* SPDX-License-Identifier: MIT */
/** @file all.hpp - the core and all wings. See pqt.hpp. */
#ifndef PQT_ALL_HPP
#define PQT_ALL_HPP

#include <pqt.hpp>
#include <pqt/all.h>
#include <pqt/pixels.hpp>
#include <pqt/shapes.hpp>
#include <pqt/stores.hpp>
#include <pqt/worlds.hpp>

#endif
