/* SPDX-License-Identifier: MIT */
/*
 * print_pixels.c: results of images, regions, and sweeps among pixels.
 */
#include "results.h"

#include <pqt/pixels.h>
#include <pqt/shapes.h>

/* Prints an image after random strokes, which are blended. */
void
print_image(printer *p)
{
    pqt_error error = {0};
    const pqt_image *image =
        pqt_image_make(700, 500, (pqt_rgba){255, 255, 255, 255}, p->memory, &error);
    for (int i = 0; i < 300; i++) {
        const pqt_vec from = {draw(p, 0, 700), draw(p, 0, 500)},
                      to = {draw(p, 0, 700), draw(p, 0, 500)};
        const uint64_t any = dice_next(&p->source);
        const pqt_rgba colour = {(uint8_t)any, (uint8_t)(any >> 8), (uint8_t)(any >> 16),
                                 (uint8_t)(any >> 24)};
        image = pqt_image_paint(image, pqt_paint_stroke(PQT_PAINT_SET, from, to, draw(p, 0, 9)),
                                colour, PQT_INK_OVER, &error);
    }
    must(image != NULL, "image", &error);
    print_fingerprint(p, "image", pqt_image_fingerprint(image));
    byte_hash sum = NO_BYTES;
    print_bytes(p, pqt_image_write(image, hash_bytes, &sum, &error), &sum, &error);
}

/* Prints maps of a region by headings, by the nearest pixel and by area, and counts of overlaps. */
void
print_region(printer *p)
{
    enum { SIDE = 24 };
    static uint32_t counts[SIDE * SIDE];
    pqt_error error = {0};
    const pqt_region *region = draw_obstacle(p, 40, 1000, &error);
    for (int i = 0; i < 4; i++) {
        const pqt_sampling sampling = i % 2 == 0 ? PQT_SAMPLE_NEAREST : PQT_SAMPLE_AREA;
        const pqt_vec heading = {draw(p, -1, 1), draw(p, -1, 1)},
                      centre = {draw(p, -9, 9), draw(p, -9, 9)};
        const pqt_vec factors = {draw(p, 0.8, 1.25), draw(p, 0.8, 1.25)};
        const pqt_affine map = pqt_affine_compose(pqt_affine_scaling(factors, centre),
                                                  pqt_affine_rotation(heading, centre));
        region = pqt_region_map(region, map, sampling, &error);
    }
    const pqt_pixel_box offsets = {{-SIDE / 2, -SIDE / 2}, {SIDE / 2, SIDE / 2}};
    must(region != NULL && pqt_region_convolve(region, region, offsets, counts, SIDE, &error),
         "region", &error);
    byte_hash sum = NO_BYTES;
    for (int i = 0; i < SIDE * SIDE; i++)
        hash_integer(counts[i], &sum);
    print_fingerprint(p, "region", pqt_region_fingerprint(region));
    print_hash(p, "counts of overlaps", &sum);
}

/* ---- Sweeps among pixels ---- */

static void
hash_fraction(pqt_fraction f, byte_hash *sum)
{
    hash_integer((uint64_t)f.num, sum);
    hash_integer((uint64_t)f.den, sum);
}

static void
hash_region_sweep(const pqt_region_sweep *s, byte_hash *sum)
{
    hash_integer((uint64_t)s->status + 8 * s->blocked, sum);
    hash_fraction(s->exact_time, sum);
    hash_fraction(s->exact_exit, sum);
    hash_number(s->time, sum);
    hash_number(s->exit, sum);
    hash_vec(s->stop, sum);
    hash_vec(s->stop_other, sum);
    hash_vec(s->normal, sum);
    hash_vec(s->push_out, sum);
    hash_integer((uint64_t)s->met.a.x + ((uint64_t)s->met.a.y << 32), sum);
    hash_integer((uint64_t)s->met.b.x + ((uint64_t)s->met.b.y << 32), sum);
}

/* Returns a number of pixels, or of 1/1024 pixels. */
static pqt_vec
draw_position(printer *p, bool is_whole, double most)
{
    const double x = draw(p, -most, most), y = draw(p, -most, most);
    return is_whole ? (pqt_vec){(double)(int)x, (double)(int)y} : (pqt_vec){x, y};
}

/* Sweeps a region or a shape against a region of some size. */
static void
print_collisions_of_size(printer *p, int blots, double side)
{
    enum { MOVES = 900 };
    pqt_error error = {0};
    const pqt_region *wall = draw_obstacle(p, blots, side, &error);
    const pqt_region *sprite = draw_obstacle(p, 2, side / 4, &error);
    must(wall != NULL && sprite != NULL, "regions", &error);
    byte_hash sum = NO_BYTES;
    for (int i = 0; i < MOVES; i++) {
        const pqt_vec from = draw_position(p, i % 2 == 0, side);
        const pqt_vec to = draw_position(p, i % 2 == 0, i % 7 == 0 ? 8 * side : side);
        const pqt_region_mover other = {
            wall, {0, 0}, i % 3 == 0 ? draw_position(p, i % 2 == 0, side) : (pqt_vec){0, 0}};
        pqt_region_sweep_options how = PQT_REGION_SWEEP_DEFAULTS;
        how.ignore_overlap = i % 4 == 0;
        how.cells.side_a = how.cells.side_b = i % 11 == 0 ? 4 : 1;
        const pqt_region_sweep flat =
            pqt_region_sweep_region((pqt_region_mover){sprite, from, to}, other, &how);
        hash_region_sweep(&flat, &sum);
        how.cells.side_a = 1;
        pqt_convex shape;
        const pqt_vec half = {draw(p, 0, side / 8), draw(p, 0.25, side / 8)};
        const pqt_vec turn = {draw(p, -1, 1), draw(p, -1, 1)};
        must(pqt_convex_from_oriented_box((pqt_vec){0, 0}, half, turn, 0.5, &shape, &error),
             "convex among pixels", &error);
        const pqt_mover movers[] = {pqt_mover_box((pqt_box){{-half.x, -half.y}, half}, from, to),
                                    pqt_mover_circle(half.y, from, to),
                                    pqt_mover_convex(&shape, from, to)};
        const pqt_region_sweep round = pqt_region_sweep_mover(movers[i % 3], other, &how);
        hash_region_sweep(&round, &sum);
    }
    char what[32];
    snprintf(what, sizeof what, "%g pixels", side);
    print_hash(p, what, &sum);
}

void
print_collisions(printer *p)
{
    print_collisions_of_size(p, 4, 30);
    print_collisions_of_size(p, 12, 120);
    print_collisions_of_size(p, 30, 1000);
}
