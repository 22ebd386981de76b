/* SPDX-License-Identifier: MIT */
/* region_pictures.c: the pictures of the region benchmark: a disc, hills, or noise. */
#include "region_pictures.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef bool shape_fn(int x, int y, int side);

static bool
is_in_disc(int x, int y, int side)
{
    const int64_t dx = 2 * x + 1 - side, dy = 2 * y + 1 - side;
    return 5 * (dx * dx + dy * dy) <= 4 * (int64_t)side * side;
}

/* Returns true for the pixels of triangular hills, which have three lengths. */
static bool
is_in_terrain(int x, int y, int side)
{
    int height = side / 2;
    for (int length = side / 2 + 1; length > 4; length = length / 3 + 1)
        height += abs(x % length - length / 2) / 3;
    return y > height;
}

static bool
is_in_noise(int x, int y, int side)
{
    uint64_t z = (uint64_t)(y * (int64_t)side + x) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return ((z ^ z >> 27) & 1) != 0;
}

static const struct {
    const char *name;
    shape_fn *has;
} shapes[SHAPES] = {{"disc", is_in_disc}, {"terrain", is_in_terrain}, {"noise", is_in_noise}};

/* Returns true if a pixel is covered by a stroke from the corner by (dx, dy) with a round pen of
   this radius. */
static bool
is_under_pen(int x, int y, int radius, int dx, int dy)
{
    const int64_t px = 2 * (x - radius) + 1, py = 2 * (y - radius) + 1,
                  scaled_half_width = 4 * radius * radius;
    const int64_t ex = 2 * dx, ey = 2 * dy, length = ex * ex + ey * ey, along = px * ex + py * ey;
    if (along <= 0)
        return px * px + py * py <= scaled_half_width;
    if (along >= length)
        return (px - ex) * (px - ex) + (py - ey) * (py - ey) <= scaled_half_width;
    const int64_t aside = px * ey - py * ex;
    return aside * aside <= scaled_half_width * length;
}

/* Returns a stroke that begins at a distance of `radius` from the upper and the left edge. */
static flat
flat_stroke(int radius, int dx, int dy)
{
    flat map = flat_make(2 * radius + dx, 2 * radius + dy);
    for (int y = 0; y < map.height; y++)
        for (int x = 0; x < map.width; x++)
            if (is_under_pen(x, y, radius, dx, dy))
                flat_toggle(&map, x, y);
    return map;
}

const pqt_region *
region_made(const pqt_region *region, const pqt_error *error)
{
    if (region == NULL) {
        fprintf(stderr, "bench: region: %s\n", error->text);
        exit(EXIT_FAILURE);
    }
    return region;
}

const pqt_region *
region_of_subject(const subject *s)
{
    pqt_error error = {0};
    const size_t side = (size_t)s->side;
    const pqt_byte_image image = {s->rgba + 3, side, side, 4 * side, 4, 127};
    return region_made(pqt_region_of_bytes(&image, (pqt_pixel){0, 0}, s->memory, &error), &error);
}

static uint8_t *
picture_of(shape_fn *has, int side)
{
    uint8_t *rgba = calloc(4 * (size_t)side, (size_t)side);
    if (rgba == NULL) {
        fputs("bench: region: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            rgba[4 * ((size_t)y * (size_t)side + (size_t)x) + 3] = has(x, y, side) ? 255 : 0;
    return rgba;
}

subject
subject_make(int shape, int side, pqt_memory *memory)
{
    pqt_error error = {0};
    subject s = {.shape = shapes[shape].name, .side = side, .memory = memory};
    const int radius = side / 4;
    const pqt_paint disc = pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){radius, radius}, radius);
    s.rgba = picture_of(shapes[shape].has, side);
    s.region = region_of_subject(&s);
    s.region_disc = pqt_region_paint(pqt_region_make(memory, &error), disc, &error);
    region_made(s.region_disc, &error);
    s.map = flat_of_alpha(s.rgba, side, side);
    s.map_disc = flat_stroke(radius, 0, 0);
    s.map_stroke = flat_stroke(PEN_RADIUS, PEN_X, PEN_Y);
    return s;
}

void
subject_free(subject *s)
{
    free(s->rgba);
    flat_free(&s->map);
    flat_free(&s->map_disc);
    flat_free(&s->map_stroke);
}
