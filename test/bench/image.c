/* SPDX-License-Identifier: MIT */
/*
 * image.c: measures a stroke on a picture of 4096 x 4096 pixels as a version, in nanoseconds and
 * bytes, next to a copy of the whole picture.
 *
 * All pixels of the picture are random, so no square is of one colour. A stroke is one dab of the
 * brush. It is drawn around the centre, where the paths to its tiles have the least in common, and
 * at all 16 x 16 positions within a tile. The time is that of the processor, as the median of the
 * rounds; the bytes are the most of all positions.
 *
 *     test/bench/image
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pqt.h>
#include <pqt/pixels.h>

enum { SIDE = 4096, POSITIONS = 256, ROUNDS = 31 };

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int
compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void
fail(const pqt_error *error)
{
    fprintf(stderr, "%s\n", error->text);
    exit(1);
}

/* Returns SIDE * SIDE random colours. */
static uint8_t *
make_noise(void)
{
    uint64_t state = 1;
    uint8_t *pixels = malloc((size_t)4 * SIDE * SIDE);
    if (pixels == NULL)
        abort();
    for (size_t i = 0; i < (size_t)4 * SIDE * SIDE; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        pixels[i] = (uint8_t)(state >> 56);
    }
    return pixels;
}

static pqt_paint
dab_at(int position, double radius)
{
    const pqt_vec at = {SIDE / 2 - 8 + position % 16, SIDE / 2 - 8 + position / 16};
    return pqt_paint_disc(PQT_PAINT_SET, at, radius);
}

static void
measure_dabs(const pqt_image *image, double radius, pqt_rgba colour, const char *name)
{
    double times[ROUNDS];
    size_t most = 0;
    pqt_error error = {0};
    for (int round = 0; round < ROUNDS; round++) {
        const double start = now();
        for (int i = 0; i < POSITIONS; i++)
            if (pqt_image_paint(image, dab_at(i, radius), colour, PQT_INK_OVER, &error) == NULL)
                fail(&error);
        times[round] = (now() - start) / POSITIONS;
    }
    for (int i = 0; i < POSITIONS; i++) {
        size_t bytes = 0;
        const void *next = pqt_image_paint(image, dab_at(i, radius), colour, PQT_INK_OVER, &error);
        const void *other = image;
        if (!pqt_version_exclusive_bytes(next, &other, 1, &bytes, &error))
            fail(&error);
        most = bytes > most ? bytes : most;
    }
    qsort(times, ROUNDS, sizeof *times, compare_times);
    printf("%-36s %10.0f ns %10zu bytes\n", name, times[ROUNDS / 2], most);
}

static void
measure_copies(const uint8_t *pixels)
{
    double times[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        const double start = now();
        uint8_t *copy = malloc((size_t)4 * SIDE * SIDE);
        if (copy == NULL)
            abort();
        memcpy(copy, pixels, (size_t)4 * SIDE * SIDE);
        times[round] = now() - start + (copy[SIDE] == pixels[SIDE] ? 0 : 1);
        free(copy);
    }
    qsort(times, ROUNDS, sizeof *times, compare_times);
    printf("%-36s %10.0f ns %10zu bytes\n", "a copy of all pixels", times[ROUNDS / 2],
           (size_t)4 * SIDE * SIDE);
}

int
main(void)
{
    const pqt_rgba solid = {200, 30, 40, 255}, glaze = {200, 30, 40, 128};
    pqt_error error = {0};
    uint8_t *pixels = make_noise();
    const pqt_image *image = pqt_image_of_rgba(pixels, SIDE, SIDE, (size_t)4 * SIDE, NULL, &error);
    if (image == NULL)
        fail(&error);
    pqt_pin *pin = pqt_image_pin(image, &error);
    measure_dabs(image, 8, solid, "a brush of 16 pixels, opaque");
    measure_dabs(image, 8, glaze, "a brush of 16 pixels, alpha 128");
    measure_dabs(image, 16, solid, "a brush of 32 pixels, opaque");
    measure_dabs(image, 16, glaze, "a brush of 32 pixels, alpha 128");
    measure_copies(pixels);
    pqt_unpin(&pin);
    free(pixels);
    return 0;
}
