/* SPDX-License-Identifier: MIT */
/* flat_bitmap.c: a straightforward bitmap. */
#include "flat_bitmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

flat
flat_make(int width, int height)
{
    flat map = {.width = width, .height = height, .words = ((size_t)width + 63) / 64};
    map.rows = calloc(map.words * (size_t)height, sizeof *map.rows);
    if (map.rows == NULL) {
        fputs("bench: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return map;
}

flat
flat_of_alpha(const uint8_t *rgba, int width, int height)
{
    flat map = flat_make(width, height);
    for (int y = 0; y < height; y++) {
        const uint8_t *alpha = rgba + 4 * (size_t)y * (size_t)width + 3;
        uint64_t *row = map.rows + (size_t)y * map.words;
        for (int x = 0; x < width; x++)
            row[x / 64] |= (uint64_t)(alpha[4 * (size_t)x] > 127) << x % 64;
    }
    return map;
}

flat
flat_copy(const flat *from)
{
    flat map = flat_make(from->width, from->height);
    memcpy(map.rows, from->rows, map.words * (size_t)map.height * sizeof *map.rows);
    return map;
}

void
flat_free(flat *map)
{
    free(map->rows);
    map->rows = NULL;
}

void
flat_toggle(flat *map, int x, int y)
{
    map->rows[(size_t)y * map->words + (size_t)x / 64] ^= UINT64_C(1) << x % 64;
}

static uint64_t
word_of(const flat *map, const uint64_t *row, long i)
{
    return i >= 0 && i < (long)map->words ? row[i] : 0;
}

/* Returns 64 pixels of a row, beginning at x. Pixels outside the row are 0. */
static uint64_t
pixels_from(const flat *map, const uint64_t *row, long x)
{
    const long i = x >> 6;
    const int shift = (int)(x & 63);
    const uint64_t low = word_of(map, row, i) >> shift;
    return shift == 0 ? low : low | word_of(map, row, i + 1) << (64 - shift);
}

static void
join_row(uint64_t *row, const flat *map, const uint64_t *other_row, const flat *other, int dx,
         flat_operation operation)
{
    for (size_t i = 0; i < map->words; i++) {
        const uint64_t word =
            other_row != NULL ? pixels_from(other, other_row, (long)i * 64 - dx) : 0;
        if (operation == FLAT_UNION)
            row[i] |= word;
        else if (operation == FLAT_INTERSECTION)
            row[i] &= word;
        else
            row[i] &= ~word;
    }
}

void
flat_join(flat *map, const flat *other, int dx, int dy, flat_operation operation)
{
    for (int y = 0; y < map->height; y++) {
        const int from = y - dy;
        const bool has_row = from >= 0 && from < other->height;
        if (has_row || operation == FLAT_INTERSECTION)
            join_row(map->rows + (size_t)y * map->words, map,
                     has_row ? other->rows + (size_t)from * other->words : NULL, other, dx,
                     operation);
    }
}

uint64_t
flat_count(const flat *map)
{
    uint64_t count = 0;
    for (size_t i = 0; i < map->words * (size_t)map->height; i++)
        count += (uint64_t)__builtin_popcountll(map->rows[i]);
    return count;
}
