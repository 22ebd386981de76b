/* SPDX-License-Identifier: MIT */
/* peers.c: all contestants: pqt in each memory, and its peers. */
#include "config.h"

#include "peers.h"

#if BENCH_WITH_BOOST
#define BOOST(contestant) contestant
#else
#define BOOST(contestant) NULL
#endif
#if BENCH_WITH_BOX2D
#define BOX2D(contestant) contestant
#else
#define BOX2D(contestant) NULL
#endif

#if BENCH_WITH_GEOS
#define GEOS(contestant) contestant
#else
#define GEOS(contestant) NULL
#endif
#if BENCH_WITH_CHIPMUNK
#define CHIPMUNK(contestant) contestant
#else
#define CHIPMUNK(contestant) NULL
#endif
#if BENCH_WITH_SPATIALINDEX
#define SPATIALINDEX(contestant) contestant
#else
#define SPATIALINDEX(contestant) NULL
#endif

const other_memory memories[] = {
    {"arena", &peer_pqt_arena},
#if PQT_WITH_COLLECTOR
    {"large-heap", &peer_pqt_large_heap},
    {"uncollected", &peer_pqt_uncollected},
#endif
};
const size_t memory_count = sizeof memories / sizeof memories[0];

static const char no_boost[] = "not installed: libboost-dev";
static const char no_box2d[] = "not installed: libbox2d-dev, version 2.4";

static const char no_geos[] = "not installed: libgeos-dev, version 3.11 or later";
static const char no_chipmunk[] = "not installed: libchipmunk-dev";
static const char no_spatialindex[] = "not installed: libspatialindex-dev";

const known_peer peers[] = {
    {"boost-packed", BOOST(&peer_boost_packed), no_boost},
    {"boost-rstar", BOOST(&peer_boost_rstar), no_boost},
    {"box2d", BOX2D(&peer_box2d), no_box2d},
    {"geos", GEOS(&peer_geos), no_geos},
    {"chipmunk-tree", CHIPMUNK(&peer_chipmunk_tree), no_chipmunk},
    {"chipmunk-hash", CHIPMUNK(&peer_chipmunk_hash), no_chipmunk},
    {"spatialindex", SPATIALINDEX(&peer_spatialindex), no_spatialindex},
    {"grid", &peer_grid, ""},
    {"sweep", &peer_sweep, ""},
    {"pqt-pinned", &peer_pqt_pinned, ""},
};
const size_t peer_count = sizeof peers / sizeof peers[0];
