/* SPDX-License-Identifier: MIT */
/* contact_convex.h: computes the contact of two placed convex shapes. */
#ifndef PQTI_CONTACT_CONVEX_H
#define PQTI_CONTACT_CONVEX_H

#include <pqt/contact.h>

#include "base/placed.h"

/* Returns the contact of two shapes. The push is confirmed at the rounded sum of a's position and
 * the push. The points are in world coordinates. */
pqt_contact pqti_contact_of_placed(const pqti_placed *a, const pqti_placed *b);

/* Returns the same contact without the push, whose computation takes most of the time. */
pqt_contact pqti_contact_without_push(const pqti_placed *a, const pqti_placed *b);

#endif
