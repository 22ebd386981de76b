/* SPDX-License-Identifier: MIT */
/*
 * rollback.c: rollback by sixty frames for networked games: a late input is inserted at its frame,
 * and the frames since then are computed again.
 *
 * A ring keeps the versions of the last 60 frames, so rolling back is a pointer assignment. Frames
 * that are computed again from the same inputs are bit-identical, which the fingerprint confirms.
 */
#include <stdio.h>

#include <pqt.h>

enum { FRAMES = 300, KEPT = 60, BALLS = 100, LATE = 55, INPUT_FRAME = 200 };

/* The collector scans static variables, so it finds these versions. */
static const pqt_tree *ring[KEPT];

/* The input of a player in a frame; 0: no input. */
typedef int inputs[FRAMES];

static pqt_box
moved(pqt_item ball, int frame, int input)
{
    double motion = (double)((ball.id * 7 + (uint64_t)frame) % 5) - 2;
    return pqt_box_moved(ball.box, (pqt_vec){motion, ball.id == 0 ? input : 0});
}

/* Returns the next frame. One batch moves all balls in one descent. */
static const pqt_tree *
play(const pqt_tree *now, int frame, int input, pqt_error *error)
{
    pqt_change changes[BALLS];
    for (uint64_t id = 0; id < BALLS; id++) {
        pqt_item ball = {.id = id};
        pqt_tree_find(now, id, &ball);
        changes[id] = (pqt_change){PQT_MOVE_ID, ball, moved(ball, frame, input)};
    }
    return pqt_tree_apply(now, changes, BALLS, error);
}

/* Computes a range of frames, and stores each version in the ring. */
static const pqt_tree *
play_frames(const pqt_tree *now, int from, int to, const int *input, pqt_error *error)
{
    for (int frame = from; frame < to && now != NULL; frame++) {
        ring[frame % KEPT] = now;
        now = play(now, frame, input[frame], error);
    }
    return now;
}

int
main(void)
{
    static inputs none, all = {[INPUT_FRAME] = 3};
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_item balls[BALLS];
    options.unique_ids = true;
    for (uint64_t id = 0; id < BALLS; id++) {
        double x = (double)(id % 10) * 10, y = (double)(id / 10) * 10;
        balls[id] = (pqt_item){{{x, y}, {x + 4, y + 4}}, id};
    }
    const pqt_tree *start = pqt_tree_of(balls, BALLS, &options, &error);
    const pqt_tree *in_time = play_frames(start, 0, FRAMES, all, &error);

    /* The input of frame 200 arrives 55 frames late. */
    int now = INPUT_FRAME + LATE;
    const pqt_tree *guessed = play_frames(start, 0, now, none, &error);
    const pqt_tree *back = ring[INPUT_FRAME % KEPT];
    const pqt_tree *righted = play_frames(back, INPUT_FRAME, now, all, &error);
    const pqt_tree *late = play_frames(righted, now, FRAMES, all, &error);
    if (in_time == NULL || guessed == NULL || late == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;

    printf("frame %d, guessed and corrected, are %s\n", now,
           pqt_tree_equals(guessed, righted) ? "equal" : "different");
    pqt_fingerprint a = pqt_tree_fingerprint(in_time), b = pqt_tree_fingerprint(late);
    printf("frame %d, with the input in time and %d frames late: %s\n", FRAMES, LATE,
           pqt_fingerprint_equals(a, b) ? "the same bits" : "different");
    return 0;
}
