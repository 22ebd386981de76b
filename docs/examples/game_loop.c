/* SPDX-License-Identifier: MIT */
/*
 * game_loop.c: a game that keeps the last 60 frames in a heap and reclaims a little in each frame.
 *
 * Each frame is a version, pinned while it may be rolled back to. Reclaiming marks or sweeps at
 * most BUDGET blocks in a frame, so no frame pauses for it, and memory stays level.
 */
#include <stdio.h>

#include <pqt.h>

enum { FRAMES = 6000, KEPT = 60, SHIPS = 200, BUDGET = 4000 };

/* Returns the next frame, in which each ship has moved. */
static const pqt_tree *
play(const pqt_tree *now, int frame, pqt_error *error)
{
    pqt_change changes[SHIPS];
    for (uint64_t id = 0; id < SHIPS; id++) {
        double x = (double)((id * 37 + (uint64_t)frame * (id % 5 + 1)) % 990);
        double y = (double)(id * 61 % 990);
        changes[id] = (pqt_change){PQT_MOVE_ID, {.id = id}, {{x, y}, {x + 8, y + 8}}};
    }
    return pqt_tree_apply(now, changes, SHIPS, error);
}

static const pqt_tree *
first_frame(pqt_memory *heap, pqt_error *error)
{
    pqt_item ships[SHIPS];
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = heap;
    options.unique_ids = true;
    for (uint64_t id = 0; id < SHIPS; id++) {
        double x = (double)(id * 37 % 990), y = (double)(id * 61 % 990);
        ships[id] = (pqt_item){{{x, y}, {x + 8, y + 8}}, id};
    }
    return pqt_tree_of(ships, SHIPS, &options, error);
}

int
main(void)
{
    pqt_error error = {0};
    pqt_pin *ring[KEPT] = {NULL}; /* pins may be in any memory */
    pqt_memory *heap = pqt_heap_make(NULL, &error);
    uint64_t early = 0, most_in_a_frame = 0;
    const pqt_tree *now = heap != NULL ? first_frame(heap, &error) : NULL;
    for (int frame = 0; frame < FRAMES && now != NULL; frame++) {
        pqt_unpin(&ring[frame % KEPT]);
        ring[frame % KEPT] = pqt_tree_pin(now, &error);
        pqt_memory_stats before = pqt_memory_get_stats(heap);
        pqt_memory_reclaim(heap, BUDGET); /* `now` survives because it is pinned */
        pqt_memory_stats after = pqt_memory_get_stats(heap);
        uint64_t work =
            after.blocks_marked - before.blocks_marked + after.blocks_swept - before.blocks_swept;
        most_in_a_frame = work > most_in_a_frame ? work : most_in_a_frame;
        if (frame == FRAMES / 10)
            early = after.bytes;
        now = play(now, frame, &error);
    }
    if (now == NULL || error.status != PQT_OK)
        return fprintf(stderr, "%s\n", error.text), 1;
    printf("frames played: %d, kept: %d\n", FRAMES, KEPT);
    printf("the oldest kept frame has %zu ships\n",
           pqt_tree_count(pqt_pin_get_tree(ring[FRAMES % KEPT])));
    printf("memory is level: %s\n",
           pqt_memory_get_stats(heap).bytes <= early + early / 2 ? "yes" : "no");
    printf("no frame marked or swept more than %d blocks: %s\n", BUDGET,
           most_in_a_frame <= BUDGET ? "yes" : "no");
    for (int i = 0; i < KEPT; i++)
        pqt_unpin(&ring[i]);
    pqt_heap_destroy(&heap);
    return 0;
}
