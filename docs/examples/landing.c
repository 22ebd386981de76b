/* SPDX-License-Identifier: MIT */
/*
 * landing.c: a lander moves among pixels. The program computes how far it can move, what stops it,
 * whether it sees the base, and how far a ball falls.
 *
 * All positions are exact to 1/1024 pixel: a lander on the ground touches it without any overlap.
 */
#include <stdio.h>

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/shapes.h>

int
main(void)
{
    pqt_error error = {0};
    const pqt_pixel_box hills[] = {{{0, 40}, {60, 50}}, {{20, 25}, {30, 40}}, {{50, 35}, {60, 40}}};
    const pqt_pixel_box craft[] = {{{1, 0}, {4, 3}}, {{0, 3}, {5, 4}}};
    const pqt_region *land = pqt_region_of_boxes(hills, 3, NULL, &error);
    const pqt_region *lander = pqt_region_of_boxes(craft, 2, NULL, &error);
    if (land == NULL || lander == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;

    /* The lander hits the side of a hill and slides down along it to the ground. */
    const pqt_region_mover ground = {land, {0, 0}, {0, 0}};
    pqt_region_sweep s =
        pqt_region_sweep_region((pqt_region_mover){lander, {0.5, 10}, {30.5, 40}}, ground, NULL);
    printf("down: at %g,%g after %lld/%lld of the path, normal %g,%g, pixel %d,%d\n", s.stop.x,
           s.stop.y, (long long)s.exact_time.num, (long long)s.exact_time.den, s.normal.x,
           s.normal.y, s.met.b.x, s.met.b.y);
    pqt_region_slide t = pqt_region_slide_region((pqt_region_mover){lander, s.stop, {30.5, 40}},
                                                 land, (pqt_vec){0, 0}, 2, NULL);
    printf("slides to %g,%g, which %s\n", t.stop.x, t.stop.y,
           pqt_region_overlaps(land, lander, t.stop) ? "overlaps" : "is free");

    const pqt_vec eye = {t.stop.x + 2.5, t.stop.y};
    const pqt_pixel_hit hit = pqt_region_cast_segment(land, (pqt_segment){eye, {55, 34}});
    printf("the base is %s by pixel %d,%d\n", hit.hit ? "hidden" : "in sight", hit.pixel.x,
           hit.pixel.y);

    const pqt_pixel_hit depth = pqt_region_cast_ray(land, (pqt_ray){{45.5, 14}, {0, 1}});
    printf("a probe at 45.5,14 is %g above the ground\n", depth.entry);

    /* A ball falls onto the edge of a hill, and slides over it. */
    const pqt_vec above = {30.5, 10}, below = {30.5, 60};
    s = pqt_region_sweep_mover(pqt_mover_circle(2, above, below), ground, NULL);
    t = pqt_region_slide_mover(pqt_mover_circle(2, above, below), land, (pqt_vec){0, 0}, 20, NULL);
    printf("a ball falls to %.3f,%.3f and slides to %.3f,%.3f, which %s\n", s.stop.x, s.stop.y,
           t.stop.x, t.stop.y,
           pqt_region_overlaps_circle(land, (pqt_circle){t.stop, 2}) ? "overlaps" : "is free");
    return 0;
}
