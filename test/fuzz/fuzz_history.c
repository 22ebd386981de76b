/* SPDX-License-Identifier: MIT */
/*
 * fuzz_history.c: interprets bytes as operations on a history and as queries, and compares the
 * history with a plain model.
 *
 * Every input is valid: each byte is taken modulo the number of its possible values, and bytes past
 * the end are 0. An entry or an answer that differs from the model's stops the program.
 */
#include "config.h"

#include <pqt/memory.h>

#include "history_pair.h"
#include "random.h"
#include "replay.h"

enum { MOST_COMMANDS = 400 };

static size_t
draw_from_bytes(void *luck, size_t bound)
{
    input *in = luck;
    const size_t low = take(in);
    return (bound > 256 ? low * 256 + take(in) : low) % bound;
}

/* Makes the cheap comparisons each time, and all comparisons now and then. */
static void
look(history_pair *p, bool indexed, unsigned what)
{
    const uint64_t tip = p->m->moments[p->draw(p->luck, p->m->count)].number;
    history_pair_expect_current(p);
    if (what % 4 == 0)
        history_pair_expect_path(p);
    else if (what % 4 == 1)
        history_pair_expect_times(p, tip);
    else if (what % 4 == 2 && indexed)
        history_pair_expect_window(p, tip);
    else if (indexed)
        history_pair_expect_item(p, tip);
    if (what % 64 == 63)
        history_pair_expect_all(p);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static history_model m;
    input in = {data, size, 0};
    history_pair p = {.m = &m, .draw = draw_from_bytes, .luck = &in};
    const unsigned options = take(&in);
    const bool indexed = options % 2 == 1;
    pqt_memory *arena = pqt_arena_make(0, NULL);
    require(arena != NULL, "out of memory");
    history_pair_begin(&p, arena, options / 2 % 2 == 1, indexed);
    for (int i = 0; i < MOST_COMMANDS && in.at < size; i++) {
        history_pair_do_something(&p);
        look(&p, indexed, take(&in));
    }
    history_pair_expect_all(&p);
    pqt_history_destroy(&p.history);
    pqt_arena_destroy(&arena);
    return 0;
}

/* Makes seed i: each combination of options in turn, then random commands. */
static void
make_seed(unsigned seed, FILE *file)
{
    dice d = {seed};
    const size_t size = 400 + dice_below(&d, 4000);
    fputc((int)(seed % 4), file);
    for (size_t k = 1; k < size; k++)
        fputc((int)dice_below(&d, 256), file);
}

const fuzz_target fuzz_this = {"history", 24, make_seed};
