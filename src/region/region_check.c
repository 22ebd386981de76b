/* SPDX-License-Identifier: MIT */
/*
 * region_check.c - validates every invariant of a version.
 *
 * Nothing that a square says is trusted further than needed to reach the next.
 */
#include "config.h"

#include "base/error_internal.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"

static bool
broken(pqti_plot plot, const char *invariant, pqt_error *error)
{
    pqti_fail(error, PQT_ERROR_BROKEN, 0, "the square of %d at %d, %d: %s", pqti_side(plot.level),
              plot.x, plot.y, invariant);
    return false;
}

static bool check_square(const pqti_square *square, pqti_plot plot, pqt_error *error);

static bool
check_quad(const pqti_quad *quad, pqti_plot plot, pqt_error *error)
{
    uint64_t count = 0, fingerprint = 0;
    for (int i = 0; i < 4; i++) {
        if (!check_square(quad->child[i], pqti_child_plot(plot, i), error))
            return false;
        count += pqti_square_count(quad->child[i], plot.level - 1);
        fingerprint += pqti_child_mix(quad->child[i]->fingerprint, i);
    }
    if (count == 0 || count == UINT64_C(1) << 2 * plot.level)
        return broken(plot, "a quad is empty or full", error);
    if (quad->count != count)
        return broken(plot, "the count is not that of the children", error);
    if (quad->square.fingerprint != fingerprint)
        return broken(plot, "the fingerprint is not that of the children", error);
    return true;
}

static bool
check_square(const pqti_square *square, pqti_plot plot, pqt_error *error)
{
    const char *what;
    if (square == NULL || pqti_is_outer(square))
        return broken(plot, "there is none", error);
    if (pqti_is_plain(square))
        return true;
    if (plot.level > PQTI_TILE_LEVEL)
        return check_quad((const pqti_quad *)square, plot, error);
    return pqti_tile_check((const pqti_tile *)square, &what) || broken(plot, what, error);
}

/* The invariants of a version whose squares are sound. */
static bool
check_version(const pqt_region *region, pqt_error *error)
{
    const pqti_square *quadrant[4];
    uint64_t count = 0, mixes = 0;
    int level = region->level;
    for (int i = 0; i < 4; i++) {
        quadrant[i] = region->quadrant[i];
        count += pqti_square_count(quadrant[i], level);
        mixes += pqti_child_mix(quadrant[i]->fingerprint, i);
    }
    pqti_shrink(&level, quadrant);
    if (level != region->level)
        pqti_fail(error, PQT_ERROR_BROKEN, 0, "the level is %d, and %d would do", region->level,
                  level);
    else if (count != region->count)
        pqti_fail(error, PQT_ERROR_BROKEN, 0, "the count is not that of the quadrants");
    else if (mixes != region->mixes)
        pqti_fail(error, PQT_ERROR_BROKEN, 0, "the fingerprint is not that of the quadrants");
    else
        return true;
    return false;
}

bool
pqt_region_check(const pqt_region *region, pqt_error *error)
{
    if (!pqti_region_may_go_on(region, error))
        return false;
    if (region->memory == NULL || region->level < PQTI_TILE_LEVEL ||
        region->level > PQTI_TOP_LEVEL) {
        pqti_fail(error, PQT_ERROR_BROKEN, 0, "the level is %d, or there is no memory",
                  region->level);
        return false;
    }
    for (int i = 0; i < 4; i++)
        if (!check_square(region->quadrant[i], pqti_quadrant_plot(region->level, i), error))
            return false;
    return check_version(region, error);
}
