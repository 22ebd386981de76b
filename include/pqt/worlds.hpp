/* SPDX-License-Identifier: MIT */
/** @file worlds.hpp - worlds and their recordings. See pqt.hpp. */
#ifndef PQT_WORLDS_HPP
#define PQT_WORLDS_HPP

#include <pqt/recording.hpp>
#include <pqt/world.hpp>
#include <pqt/worlds.h>

#endif
