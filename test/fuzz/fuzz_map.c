/* SPDX-License-Identifier: MIT */
/*
 * fuzz_map.c: interprets bytes as commands to four slots of maps, and compares them with plain
 * arrays after each command.
 *
 * The first byte chooses the kind of the maps, and how many bits of the hashes of byte strings are
 * used. Every input is valid: each byte is taken modulo the number of its possible values, and
 * bytes past the end are 0. A version or an answer that differs from the array's stops the program.
 */
#include "config.h"

#include <pqt/memory.h>

#include "map_support.h"
#include "replay.h"

enum { SLOTS = 4, MOST_COMMANDS = 300, MOST_CHANGES = 50 };

typedef struct slot {
    const pqt_map *map;
    map_model model;
} slot;

typedef struct stage {
    input in;
    int form;
    slot slots[SLOTS];
} stage;

static slot *
take_slot(stage *s)
{
    return &s->slots[take(&s->in) % SLOTS];
}

static void
conclude(const stage *s, slot *to, const pqt_map *map, const map_model *model)
{
    const char *wrong = map_differs(s->form, map, model);
    require(wrong == NULL, wrong);
    *to = (slot){map, *model};
}

static int
take_key(stage *s)
{
    return (int)(take(&s->in) % MAP_KEYS);
}

static int
take_value(stage *s)
{
    return (int)(take(&s->in) % (MAP_VALUES + 20)) - 20;
}

static void
play_edit(stage *s)
{
    const slot *from = take_slot(s);
    slot *to = take_slot(s);
    const int k = take_key(s), v = take_value(s);
    map_model model = from->model;
    const bool same = model.values[k] == (v < 0 ? NO_VALUE : v);
    model.values[k] = v < 0 ? NO_VALUE : v;
    const pqt_map *map =
        v < 0 ? pqt_map_remove(from->map, map_key(s->form, k), NULL)
              : pqt_map_insert(from->map, map_key(s->form, k), map_value(s->form, v), NULL);
    require((map == from->map) == same, "an edit without an effect returns the same version");
    conclude(s, to, map, &model);
}

static void
play_batch(stage *s)
{
    pqt_map_change changes[MOST_CHANGES];
    const slot *from = take_slot(s);
    slot *to = take_slot(s);
    map_model model = from->model;
    const size_t count = take(&s->in) % MOST_CHANGES;
    for (size_t i = 0; i < count; i++) {
        const int k = take_key(s), v = take_value(s);
        changes[i] = (pqt_map_change){v < 0 ? PQT_MAP_REMOVE : PQT_MAP_INSERT, map_key(s->form, k),
                                      map_value(s->form, v < 0 ? 0 : v)};
        model.values[k] = v < 0 ? NO_VALUE : v;
    }
    conclude(s, to, pqt_map_apply(from->map, changes, count, NULL), &model);
}

static void
play_merge(stage *s)
{
    const slot *base = take_slot(s), *ours = take_slot(s), *theirs = take_slot(s);
    const pqt_map *const maps[] = {base->map, ours->map, theirs->map};
    const map_model *const models[] = {&base->model, &ours->model, &theirs->model};
    const pqt_map *merged;
    map_model model;
    const char *wrong = merge_differs(s->form, take(&s->in), maps, models, &merged, &model);
    require(wrong == NULL, wrong);
    conclude(s, take_slot(s), merged, &model);
}

static void
play_diff(stage *s)
{
    const slot *a = take_slot(s), *b = take_slot(s);
    require(diff_is_right(s->form, a->map, &a->model, b->map, &b->model), "the difference");
    require(pqt_map_equals(a->map, map_of_model(s->form, a->map->memory, &a->model)),
            "a map built in another order");
}

typedef void play_fn(stage *s);

static void
run(stage *s)
{
    static play_fn *const plays[] = {play_edit, play_edit, play_batch, play_merge, play_diff};
    for (int i = 0; i < MOST_COMMANDS && s->in.at < s->in.size; i++)
        plays[take(&s->in) % (sizeof plays / sizeof *plays)](s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned bits[] = {64, 8, 1, 0};
    stage s = {.in = {data, size, 0}};
    pqt_memory *memory = pqt_arena_make(0, NULL);
    const unsigned kind = take(&s.in);
    s.form = (int)(kind % MAP_FORMS);
    pqti_map_weaken_hash(bits[kind / MAP_FORMS % 4]);
    for (int i = 0; i < SLOTS; i++)
        s.slots[i] = (slot){map_make(s.form, memory), map_model_make()};
    run(&s);
    pqt_arena_destroy(&memory);
    return 0;
}

/* Makes two seeds for each kind of map and each number of bits. */
static void
make_seed(unsigned seed, FILE *file)
{
    dice d = {seed};
    const size_t size = 300 + dice_below(&d, 1500);
    fputc((int)seed, file);
    for (size_t k = 1; k < size; k++)
        fputc((int)dice_below(&d, 256), file);
}

const fuzz_target fuzz_this = {"map", 32, make_seed};
