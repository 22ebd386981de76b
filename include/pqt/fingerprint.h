/* SPDX-License-Identifier: MIT */
/**
 * @file fingerprint.h - 128 bits that represent a value.
 *
 * Trees, regions, worlds and maps have fingerprints. Equal versions have equal fingerprints, on
 * every machine. Different versions almost never have equal ones. A fingerprint guards against
 * accidents, not against an adversary: ids and keys can be chosen so that two fingerprints are
 * equal. Compare versions exactly with pqt_tree_equals, pqt_region_equals, pqt_world_equals and
 * pqt_map_equals.
 */
#ifndef PQT_FINGERPRINT_H
#define PQT_FINGERPRINT_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/export.h>

PQT_BEGIN_DECLARATIONS

/** The fingerprint of a version of any kind. */
typedef struct pqt_fingerprint {
    uint64_t low;  /**< the lower 64 bits */
    uint64_t high; /**< the upper 64 bits */
} pqt_fingerprint;

/**
 * Returns whether two fingerprints are equal in all 128 bits.
 *
 * @param a  any fingerprint
 * @param b  any fingerprint
 * @return   true if they are
 *
 * @thread  any
 */
PQT_API bool pqt_fingerprint_equals(pqt_fingerprint a, pqt_fingerprint b);

/**
 * Returns one fingerprint for an ordered pair, such as a world and the map that belongs to it.
 *
 * The order matters: (a, b) and (b, a) have different results if a and b differ, and so do ((a, b),
 * c) and (a, (b, c)). Combine more than two in a fixed order, for example from the left.
 *
 * The result is the same on every machine and in every release. In arithmetic modulo 2^64, let
 *
 *     mix(w):          w = (w ^ w >> 30) * 0xbf58476d1ce4e5b9
 *                      w = (w ^ w >> 27) * 0x94d049bb133111eb
 *                      return w ^ w >> 31
 *     chain(s, w, m):  s = (s ^ w) * m
 *                      return s ^ s >> 32
 *
 * Each half of the result is mix(s), where s begins with the half's constant and is chained with
 * a.low, a.high, b.low and b.high in this order:
 *
 *     low half:   s = 0xbb67ae8584caa73b, m = 0xd6e8feb86659fd93
 *     high half:  s = 0x3c6ef372fe94f82b, m = 0xaf251af3b0f025b5
 *
 * @param a  the first of the pair
 * @param b  the second of the pair
 * @return   the fingerprint of the pair
 *
 * @thread  any
 */
PQT_API pqt_fingerprint pqt_fingerprint_combine(pqt_fingerprint a, pqt_fingerprint b);

PQT_END_DECLARATIONS

#endif
