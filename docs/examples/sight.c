/* SPDX-License-Identifier: MIT */
/*
 * sight.c: lines of sight: a segment to a target, a ray along a heading, and a planned wall.
 *
 * Casts are exact: a line that only grazes a corner hits it. A line that is not finite hits
 * nothing, so a program that gets positions from outside checks them first.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <pqt.h>

enum { MOST_HITS = 8 };

/* Prints whether a target is in sight. A receiver without a fix gives NaN as position. */
static void
look_at(const pqt_tree *town, pqt_vec eye, pqt_vec target)
{
    const pqt_segment line = {eye, target};
    printf("to %g, %g: ", target.x, target.y);
    if (!pqt_segment_is_valid(line)) {
        printf("no position\n");
        return;
    }
    const pqt_cast cast = pqt_cast_segment(line);
    const pqt_ray_hit hit = pqt_tree_cast(town, &cast);
    if (hit.hit)
        printf("hidden by house %" PRIu64 "\n", hit.item.id);
    else
        printf("in sight\n");
}

/* Prints all houses along a heading. A compass that has not settled gives a heading of 0, 0. */
static void
look_along(const pqt_tree *town, pqt_vec eye, pqt_vec heading)
{
    const pqt_ray ray = {eye, heading};
    pqt_ray_hit hits[MOST_HITS];
    printf("along %g, %g:", heading.x, heading.y);
    if (!pqt_ray_is_valid(ray)) {
        printf(" no heading\n");
        return;
    }
    const pqt_cast cast = pqt_cast_ray(ray);
    const size_t count = pqt_tree_cast_all(town, &cast, hits, MOST_HITS);
    for (size_t i = 0; i < count && i < MOST_HITS; i++) /* the entry is in lengths of the heading */
        printf(" house %" PRIu64 " from %.1f m on", hits[i].item.id,
               hits[i].entry * pqt_vec_length(heading));
    printf(count == 0 ? " nothing\n" : "\n");
}

int
main(void)
{
    pqt_error error = {0};
    const pqt_item houses[] = {
        {{{20, 10}, {30, 20}}, 1}, {{{40, 20}, {50, 40}}, 2}, {{{60, 40}, {80, 50}}, 3}};
    const pqt_tree *town = pqt_tree_of(houses, 3, NULL, &error);
    if (town == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;
    const pqt_vec eye = {10, 10};
    look_at(town, eye, (pqt_vec){90, 10}); /* along the edge of house 1 */
    look_at(town, eye, (pqt_vec){90, 9});
    look_at(town, eye, (pqt_vec){NAN, NAN});
    look_along(town, eye, (pqt_vec){3, 1.5});
    look_along(town, eye, (pqt_vec){0, 0});

    /* The planned wall is in no version yet. It is tested like an item of one. */
    const pqt_cast view = pqt_cast_segment((pqt_segment){eye, {90, 9}});
    const pqt_item wall = {{{55, 0}, {56, 9.4375}}, 4}, lower = {{{55, 0}, {56, 9.4}}, 4};
    printf("the wall hides the view: %s\n", pqt_cast_at_item(&view, wall).hit ? "yes" : "no");
    printf("a lower one does: %s\n", pqt_cast_at_item(&view, lower).hit ? "yes" : "no");
    return 0;
}
