/* SPDX-License-Identifier: MIT */
/*
 * pair_tasks.c: finds pairs of touching boxes: all of them; all of them after each box has moved;
 * and the changes after a few boxes have moved.
 *
 * All contestants return the number of pairs and the sum of their marks, which must agree in every
 * frame. If a task returns changes, they are applied to the initial pairs.
 */
#include "tasks.h"

#include <stdlib.h>

#include "contestant_run.h"

enum { FRAMES = 3, FEW_FRAMES = 10 };

static const double LONG_ENOUGH = 30e6; /* the minimum time of all searches, in nanoseconds */

static bool
has_known_pairs(const trial *t, answer found)
{
    uint64_t known = known_pairs(t->shape, t->count);
    if (known != 0 && found.hits != known)
        return trial_complain(t, "finds a wrong number of pairs");
    return true;
}

/* Finds the same pairs repeatedly. The first search is not timed. */
bool
run_pairs(const workload *self, const peer *contestant, distribution shape, size_t count,
          figure figures[MOST_FIGURES])
{
    trial t;
    answer found = {0, 0};
    double spent = 0;
    int times = 0;
    if (!trial_start_built(&t, self, contestant, shape, count))
        return false;
    contestant->collision->pairs(t.state, &found);
    bool right = has_known_pairs(&t, found);
    for (double begun = trial_now(); right && spent < LONG_ENOUGH; spent = trial_now() - begun) {
        answer again = {0, 0};
        contestant->collision->pairs(t.state, &again);
        right = answer_equals(again, found) || trial_complain(&t, "finds other pairs again");
        times++;
    }
    figures[0] = (figure){spent / times / 1e6, found};
    trial_finish(&t);
    return right;
}

/* Advances by one frame, finds all pairs, and adds the time to *spent. */
static bool
run_frame(const trial *t, uint64_t frame, drawn_move *moves, double *spent, answer *found)
{
    const peer_collision *collision = t->contestant->collision;
    size_t count = draw_frame(t->shape, frame, true, t->items, t->count, moves);
    if (!collision->take(t->state, moves, count))
        return trial_complain(t, "did not take the moves");
    double begun = trial_now();
    if (!collision->advance(t->state))
        return trial_complain(t, "did not move");
    collision->pairs(t->state, found);
    *spent += trial_now() - begun;
    return true;
}

/* Times frames, except the first one, in which scratch memory grows. */
bool
run_frames(const workload *self, const peer *contestant, distribution shape, size_t count,
           figure figures[MOST_FIGURES])
{
    trial t;
    if (!trial_start_built(&t, self, contestant, shape, count))
        return false;
    drawn_move *moves = trial_room(count, sizeof *moves);
    answer found = {0, 0};
    double spent = 0;
    bool right = run_frame(&t, 0, moves, &spent, &found);
    spent = 0;
    for (uint64_t frame = 1; right && frame <= FRAMES; frame++)
        right = run_frame(&t, frame, moves, &spent, &found);
    figures[0] = (figure){spent / FRAMES / 1e6, found};
    free(moves);
    trial_finish(&t);
    return right;
}

static answer
partners_of(const trial *t, const drawn_move *moves, size_t count, bool before,
            const bool *has_moved)
{
    answer found = {0, 0};
    for (size_t i = 0; i < count; i++) {
        pqt_item item = {before ? moves[i].from.box : moves[i].to, moves[i].from.id};
        t->contestant->collision->partners(t->state, &item, has_moved, &found);
    }
    return found;
}

/*
 * Moves items and updates the pairs by the contestant's method: from its changes, from the partners
 * of moved items before and after the moves, or by a new search for all pairs.
 */
static bool
bring_up_to_date(const trial *t, const drawn_move *moves, size_t count, bool *has_moved,
                 answer *pairs)
{
    const peer_collision *collision = t->contestant->collision;
    if (collision->follow != NULL)
        return collision->follow(t->state, pairs);
    if (collision->partners == NULL) {
        *pairs = (answer){0, 0};
        bool moved = collision->advance(t->state);
        collision->pairs(t->state, pairs);
        return moved;
    }
    for (size_t i = 0; i < count; i++)
        has_moved[moves[i].from.id] = true;
    answer before = partners_of(t, moves, count, true, has_moved);
    bool moved = collision->advance(t->state);
    answer after = partners_of(t, moves, count, false, has_moved);
    pairs->hits += after.hits - before.hits;
    pairs->ids += after.ids - before.ids;
    for (size_t i = 0; i < count; i++)
        has_moved[moves[i].from.id] = false;
    return moved;
}

static bool
run_few(const trial *t, uint64_t frame, drawn_move *moves, bool *has_moved, double *spent,
        answer *pairs)
{
    size_t count = draw_frame(t->shape, frame, false, t->items, t->count, moves);
    if (!t->contestant->collision->take(t->state, moves, count))
        return trial_complain(t, "did not take the moves");
    double begun = trial_now();
    bool moved = bring_up_to_date(t, moves, count, has_moved, pairs);
    *spent += trial_now() - begun;
    return moved || trial_complain(t, "did not move");
}

/* Checks that the updated pairs after the last frame equal those of a new search. */
bool
run_few_moves(const workload *self, const peer *contestant, distribution shape, size_t count,
              figure figures[MOST_FIGURES])
{
    trial t;
    const peer_collision *collision = contestant->collision;
    if (!trial_start_built(&t, self, contestant, shape, count))
        return false;
    drawn_move *moves = trial_room(count, sizeof *moves);
    bool *has_moved = trial_room(count, sizeof *has_moved);
    answer pairs = {0, 0}, anew = {0, 0};
    double spent = 0;
    collision->pairs(t.state, &pairs);
    bool right = has_known_pairs(&t, pairs) && run_few(&t, 0, moves, has_moved, &spent, &pairs);
    spent = 0;
    for (uint64_t frame = 1; right && frame <= FEW_FRAMES; frame++)
        right = run_few(&t, frame, moves, has_moved, &spent, &pairs);
    collision->pairs(t.state, &anew);
    if (right && !answer_equals(pairs, anew))
        right = trial_complain(&t, "the changes do not add up to the pairs that are there");
    figures[0] = (figure){spent / FEW_FRAMES / 1e6, pairs};
    free(has_moved);
    free(moves);
    trial_finish(&t);
    return right;
}
