/* SPDX-License-Identifier: MIT */
/*
 * peer_sweep.c: a baseline written for this benchmark: sort and sweep along the x axis.
 *
 * Items are sorted by min.x. So an item can only touch the items that follow it up to the first one
 * whose min.x is above its max.x. Only their y intervals must be compared with its own. The sort is
 * a radix sort by the upper half of the bits of min.x minus the smallest min.x. An insertion sort
 * corrects the order of the few items that agree in these bits.
 *
 * Source: Cohen, Lin, Manocha, Ponamgi 1995, "I-COLLIDE", section 3.
 */
#include "peer.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 3, DIGIT_VALUES = 1 << DIGIT_BITS };

typedef struct key {
    uint32_t bits, rank;
} key;

typedef struct sweep {
    pqt_item *items; /* the items after the last `take` */
    size_t count;
    key *keys, *scratch;
    /* The boxes, sorted by min_x. */
    double *min_x, *max_x, *min_y, *max_y;
    uint64_t *ids;
} sweep;

/* Returns the upper half of the bits of a double >= 0. The halves have the same order as the
   doubles, except for doubles that differ in the lower half only. */
static uint32_t
bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint32_t)(bits >> 32);
}

static void *
make(const pqt_item *items, size_t count, pqt_box world)
{
    (void)world;
    sweep *s = calloc(1, sizeof *s);
    pqt_item *own = malloc(count * sizeof *own);
    key *keys = malloc(2 * count * sizeof *keys);
    double *numbers = malloc(4 * count * sizeof *numbers);
    uint64_t *ids = malloc(count * sizeof *ids);
    if (s == NULL || own == NULL || keys == NULL || numbers == NULL || ids == NULL)
        return NULL;
    memcpy(own, items, count * sizeof *own);
    *s = (sweep){.items = own,
                 .count = count,
                 .keys = keys,
                 .scratch = keys + count,
                 .min_x = numbers,
                 .max_x = numbers + count,
                 .min_y = numbers + 2 * count,
                 .max_y = numbers + 3 * count,
                 .ids = ids};
    return s;
}

static void
free_sweep(void *of)
{
    sweep *s = of;
    free(s->ids);
    free(s->min_x);
    free(s->keys < s->scratch ? s->keys : s->scratch);
    free(s->items);
    free(s);
}

static void
sort_by_digit(sweep *s, int shift)
{
    uint32_t begins[DIGIT_VALUES] = {0}, sum = 0;
    for (size_t i = 0; i < s->count; i++)
        begins[s->keys[i].bits >> shift & (DIGIT_VALUES - 1)]++;
    for (size_t i = 0; i < DIGIT_VALUES; i++) {
        uint32_t here = begins[i];
        begins[i] = sum;
        sum += here;
    }
    for (size_t i = 0; i < s->count; i++)
        s->scratch[begins[s->keys[i].bits >> shift & (DIGIT_VALUES - 1)]++] = s->keys[i];
    key *sorted = s->scratch;
    s->scratch = s->keys;
    s->keys = sorted;
}

/* Sorts items with equal upper halves by the doubles themselves. */
static void
put_right(sweep *s)
{
    for (size_t i = 1; i < s->count; i++) {
        key moving = s->keys[i];
        double x = s->items[moving.rank].box.min.x;
        size_t at = i;
        for (; at > 0 && s->keys[at - 1].bits == moving.bits &&
               s->items[s->keys[at - 1].rank].box.min.x > x;
             at--)
            s->keys[at] = s->keys[at - 1];
        s->keys[at] = moving;
    }
}

static bool
build_from_source(void *of)
{
    sweep *s = of;
    double low = s->items[0].box.min.x;
    for (size_t i = 1; i < s->count; i++)
        low = s->items[i].box.min.x < low ? s->items[i].box.min.x : low;
    for (size_t i = 0; i < s->count; i++)
        s->keys[i] = (key){bits_of(s->items[i].box.min.x - low), (uint32_t)i};
    for (int digit = 0; digit < DIGITS; digit++)
        sort_by_digit(s, digit * DIGIT_BITS);
    put_right(s);
    for (size_t i = 0; i < s->count; i++) {
        const pqt_item *item = &s->items[s->keys[i].rank];
        s->min_x[i] = item->box.min.x;
        s->max_x[i] = item->box.max.x;
        s->min_y[i] = item->box.min.y;
        s->max_y[i] = item->box.max.y;
        s->ids[i] = item->id;
    }
    return true;
}

static void
pairs(void *of, answer *found)
{
    const sweep *s = of;
    for (size_t i = 0; i < s->count; i++) {
        double end = s->max_x[i], low = s->min_y[i], high = s->max_y[i];
        for (size_t j = i + 1; j < s->count && s->min_x[j] <= end; j++)
            if ((s->min_y[j] <= high) & (low <= s->max_y[j]))
                add_pair(found, s->ids[i], s->ids[j]);
    }
}

static bool
take(void *of, const drawn_move *moves, size_t count)
{
    sweep *s = of;
    for (size_t i = 0; i < count; i++)
        s->items[moves[i].from.id].box = moves[i].to;
    return true;
}

static const peer_collision collision = {
    .pairs = pairs,
    .take = take,
    .advance = build_from_source,
};

const peer peer_sweep = {
    .name = "sweep",
    .what = "baseline: sort and sweep along x; W5b finds all pairs once more",
    .make = make,
    .build = build_from_source,
    .free = free_sweep,
    .collision = &collision,
};
