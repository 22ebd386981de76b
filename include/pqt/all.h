/* SPDX-License-Identifier: MIT */
/** @file all.h - includes the core and all wings, see pqt.h. */
#ifndef PQT_ALL_H
#define PQT_ALL_H

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/shapes.h>
#include <pqt/stores.h>
#include <pqt/worlds.h>

#endif
