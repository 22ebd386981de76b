/* SPDX-License-Identifier: MIT */
/*
 * sprites.c: draws the sprites of data/sprites from discs, strokes and boxes.
 *
 *     sprites           describes the sprites
 *     sprites FOLDER    also writes them to FOLDER/NAME.png
 *
 * A sprite is an array of primitives, or a sequence of versions. To undo a step, the program uses
 * an older version instead of painting over it in the background colour.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <pqt.h>
#include <pqt/pixels.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const pqt_region *
painted(const pqt_paint *paints, size_t count, pqt_error *error)
{
    return pqt_region_paint_all(pqt_region_make(NULL, error), paints, count, error);
}

/* Returns a random number below `bound`, the same on every machine. */
static int
draw(uint32_t *state, int bound)
{
    *state = *state * 1664525u + 1013904223u;
    return (int)((*state >> 8) % (uint32_t)bound);
}

static pqt_paint
box(pqt_paint_op op, int min_x, int min_y, int max_x, int max_y)
{
    return pqt_paint_box(op, (pqt_pixel_box){{min_x, min_y}, {max_x, max_y}});
}

/* Returns a flying saucer: a hull, a dome, portholes and two legs. */
static const pqt_region *
ship(pqt_error *error)
{
    const pqt_paint paints[] = {
        pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){32, 22}, 13),
        pqt_paint_disc(PQT_PAINT_CLEAR, (pqt_vec){29, 18}, 5),
        box(PQT_PAINT_CLEAR, 16, 24, 48, 40),
        pqt_paint_stroke(PQT_PAINT_SET, (pqt_vec){12, 30}, (pqt_vec){52, 30}, 6),
        pqt_paint_stroke(PQT_PAINT_SET, (pqt_vec){5, 30}, (pqt_vec){59, 30}, 2.5),
        pqt_paint_stroke(PQT_PAINT_SET, (pqt_vec){20, 36}, (pqt_vec){12, 50}, 1.5),
        pqt_paint_stroke(PQT_PAINT_SET, (pqt_vec){44, 36}, (pqt_vec){52, 50}, 1.5),
        pqt_paint_disc(PQT_PAINT_CLEAR, (pqt_vec){18, 30}, 2),
        pqt_paint_disc(PQT_PAINT_CLEAR, (pqt_vec){32, 30}, 2),
        pqt_paint_disc(PQT_PAINT_CLEAR, (pqt_vec){46, 30}, 2),
    };
    return painted(paints, COUNT(paints), error);
}

/* Returns a figure that walks to the right. */
static const pqt_region *
walker(pqt_error *error)
{
    const pqt_paint paints[] = {
        pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){17, 8}, 5.5),
        pqt_paint_stroke(PQT_PAINT_SET, (pqt_vec){16, 15}, (pqt_vec){15, 28}, 4),
        pqt_paint_stroke(PQT_PAINT_SET, (pqt_vec){17, 17}, (pqt_vec){25, 23}, 1.8),
        pqt_paint_stroke(PQT_PAINT_SET, (pqt_vec){14, 17}, (pqt_vec){7, 25}, 1.8),
        pqt_paint_stroke(PQT_PAINT_SET, (pqt_vec){16, 29}, (pqt_vec){22, 37}, 2.2),
        pqt_paint_stroke(PQT_PAINT_SET, (pqt_vec){22, 37}, (pqt_vec){23, 45}, 1.8),
        pqt_paint_stroke(PQT_PAINT_SET, (pqt_vec){23, 45}, (pqt_vec){27, 45}, 1.5),
        pqt_paint_stroke(PQT_PAINT_SET, (pqt_vec){14, 29}, (pqt_vec){10, 38}, 2.2),
        pqt_paint_stroke(PQT_PAINT_SET, (pqt_vec){10, 38}, (pqt_vec){4, 44}, 1.8),
        pqt_paint_disc(PQT_PAINT_CLEAR, (pqt_vec){19.5, 7}, 1),
    };
    return painted(paints, COUNT(paints), error);
}

/* Discs on a ring make an uneven edge; smaller cleared discs make craters. */
static const pqt_region *
rock(pqt_error *error)
{
    static const pqt_vec ring[] = {{70, 40}, {62, 56}, {48, 60}, {32, 57}, {24, 44},
                                   {26, 28}, {40, 20}, {58, 22}, {70, 28}};
    uint32_t state = 7;
    const pqt_region *stone = pqt_region_make(NULL, error);
    stone = pqt_region_paint(stone, pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){48, 40}, 26), error);
    for (size_t i = 0; i < COUNT(ring); i++) {
        const double radius = 9 + draw(&state, 8);
        stone = pqt_region_paint(stone, pqt_paint_disc(PQT_PAINT_SET, ring[i], radius), error);
    }
    for (int i = 0; i < 7; i++) {
        const pqt_vec at = {22 + draw(&state, 54), 18 + draw(&state, 46)};
        const double radius = 1.5 + draw(&state, 4);
        stone = pqt_region_paint(stone, pqt_paint_disc(PQT_PAINT_CLEAR, at, radius), error);
    }
    return stone;
}

/* Returns a binary-tree maze: each room has one passage, to the right or down, and everything else
 * is a wall. */
static const pqt_region *
maze(pqt_error *error)
{
    enum { ROOMS = 31, STEP = 4, SIDE = ROOMS * STEP + 1 };
    pqt_paint paints[ROOMS * ROOMS * 2 + 1];
    size_t count = 0;
    uint32_t state = 31;
    paints[count++] = box(PQT_PAINT_SET, 0, 0, SIDE, SIDE);
    for (int y = 0; y < ROOMS; y++)
        for (int x = 0; x < ROOMS; x++) {
            const int left = x * STEP + 1, top = y * STEP + 1;
            const int right = x + 1 < ROOMS && (y + 1 == ROOMS || draw(&state, 2) == 0);
            const int down = y + 1 < ROOMS && !right;
            paints[count++] = box(PQT_PAINT_CLEAR, left, top, left + 3 + right, top + 3);
            paints[count++] = box(PQT_PAINT_CLEAR, left, top, left + 3, top + 3 + down);
        }
    return painted(paints, count, error);
}

/* Returns hills by midpoint displacement, and a cave with its entrance. */
static const pqt_region *
terrain(pqt_error *error)
{
    enum { WIDTH = 512, DEPTH = 160 };
    int height[WIDTH + 1] = {0};
    pqt_pixel_box columns[WIDTH];
    uint32_t state = 39;
    height[0] = 70;
    height[WIDTH] = 60;
    for (int step = WIDTH; step > 1; step /= 2)
        for (int x = step / 2; x < WIDTH; x += step)
            height[x] = (height[x - step / 2] + height[x + step / 2]) / 2 +
                        draw(&state, step / 4 + 2) - (step / 4 + 2) / 2;
    for (int x = 0; x < WIDTH; x++)
        columns[x] = (pqt_pixel_box){{x, height[x] < DEPTH ? height[x] : DEPTH}, {x + 1, DEPTH}};
    const pqt_region *land = pqt_region_of_boxes(columns, WIDTH, NULL, error);
    const pqt_paint cave[] = {
        pqt_paint_stroke(PQT_PAINT_CLEAR, (pqt_vec){150, 60}, (pqt_vec){200, 130}, 7),
        pqt_paint_stroke(PQT_PAINT_CLEAR, (pqt_vec){200, 130}, (pqt_vec){330, 138}, 12),
        pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){280, 146}, 5),
    };
    return pqt_region_paint_all(land, cave, COUNT(cave), error);
}

static bool
write_sprite(const char *folder, const char *name, const pqt_region *sprite, pqt_pixel size,
             pqt_error *error)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s.png", folder, name);
    FILE *stream = fopen(path, "wb");
    if (stream == NULL) {
        perror(path);
        return false;
    }
    const bool written = pqt_png_write(stream, sprite, (pqt_pixel_box){{0, 0}, size}, error);
    return fclose(stream) == 0 && written;
}

int
main(int count, char **arguments)
{
    static const struct {
        const char *name;
        pqt_pixel size;
        const pqt_region *(*make)(pqt_error *error);
    } sprites[] = {{"ship", {64, 56}, ship},
                   {"walker", {32, 48}, walker},
                   {"rock", {96, 80}, rock},
                   {"maze", {125, 125}, maze},
                   {"terrain", {512, 160}, terrain}};
    pqt_error error = {0};
    for (size_t i = 0; i < COUNT(sprites); i++) {
        const pqt_region *sprite = sprites[i].make(&error);
        if (sprite == NULL)
            return fprintf(stderr, "%s\n", error.text), EXIT_FAILURE;
        const pqt_fingerprint print = pqt_region_fingerprint(sprite);
        printf("%-8s %3" PRId32 " x %3" PRId32 "  %6" PRIu64 " pixels  %016" PRIx64 "%016" PRIx64
               "\n",
               sprites[i].name, sprites[i].size.x, sprites[i].size.y, pqt_region_count(sprite),
               print.high, print.low);
        if (count > 1 &&
            !write_sprite(arguments[1], sprites[i].name, sprite, sprites[i].size, &error))
            return fprintf(stderr, "%s\n", error.text), EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
