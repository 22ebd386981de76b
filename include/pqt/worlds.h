/* SPDX-License-Identifier: MIT */
/**
 * @file worlds.h - worlds of balls: steps, events, moments, obstacles and recordings.
 *
 * Includes the headers of this wing, see pqt.h.
 */
#ifndef PQT_WORLDS_H
#define PQT_WORLDS_H

#include <pqt/contact_event.h>
#include <pqt/crossing.h>
#include <pqt/moment.h>
#include <pqt/obstacle.h>
#include <pqt/recording.h>
#include <pqt/step.h>
#include <pqt/store_recording.h>
#include <pqt/world.h>
#include <pqt/world_bytes.h>

#endif
