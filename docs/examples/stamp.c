/* SPDX-License-Identifier: MIT */
/*
 * stamp.c: pixels from other programs: a letter from the bits of a font and a pool from the runs of
 * a scanner; where they overlap, and what must be drawn again.
 */
#include <inttypes.h>
#include <stdio.h>

#include <pqt.h>
#include <pqt/pixels.h>

enum { WIDTH = 24, HEIGHT = 10, MOST_BOXES = 2 };

/* The letter A of a font of 8 x 8 pixels. The highest bit of a byte is its left pixel. */
static const uint8_t letter_bits[8] = {0x18, 0x3c, 0x66, 0x66, 0x7e, 0x66, 0x66, 0x00};

/* Each run is a row, its first pixel, and one beyond its last. */
static const pqt_pixel_run pool_runs[] = {{5, 6, 14}, {6, 4, 18}, {7, 3, 20}, {8, 5, 17}};

static void
show(const char *title, const pqt_region *region)
{
    printf("%s:\n", title);
    for (int32_t y = 0; y < HEIGHT; y++) {
        for (int32_t x = 0; x < WIDTH; x++)
            putchar(pqt_region_contains(region, (pqt_pixel){x, y}) ? '#' : '.');
        putchar('\n');
    }
}

static bool
print_pairs(const pqt_pixel_pairs *pairs, void *context)
{
    (void)context;
    printf("  %" PRId32 " x %" PRId32 " pixels from %" PRId32 ", %" PRId32 " on\n", pairs->width,
           pairs->height, pairs->a.x, pairs->a.y);
    return true;
}

int
main(void)
{
    pqt_error error = {0};
    const pqt_bit_image image = {letter_bits, 8, 8, 1, PQT_BITS_HIGH_FIRST};
    const pqt_pixel at = {8, 1};
    const pqt_region *letter = pqt_region_of_bits(&image, (pqt_pixel){0, 0}, NULL, &error);
    const pqt_region *pool = pqt_region_of_runs(pool_runs, 4, NULL, &error);
    const pqt_region *both = pqt_region_union(pool, letter, at, &error);
    const pqt_region *wet = pqt_region_difference(both, pool, (pqt_pixel){0, 0}, &error);
    if (wet == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;
    show("the letter on the pool", both);

    printf("where they overlap:\n");
    pqt_region_visit_overlap(pool, letter, (pqt_vec){at.x, at.y}, print_pairs, NULL);

    /* A window is redrawn in a few boxes that cover all pixels that differ. */
    pqt_pixel_box boxes[MOST_BOXES];
    const size_t count = pqt_region_damage(pool, both, boxes, MOST_BOXES);
    printf("draw again:\n");
    for (size_t i = 0; i < count; i++)
        printf("  %" PRId32 ", %" PRId32 " to %" PRId32 ", %" PRId32 "\n", boxes[i].min.x,
               boxes[i].min.y, boxes[i].max.x, boxes[i].max.y);
    show("the letter's dry part", wet);
    return 0;
}
