/* SPDX-License-Identifier: MIT */
/*
 * lag.c: a server evaluates a shot at the moment that the player saw.
 *
 * The server keeps the versions of the last second, sixty of them. The player's picture is 110 ms
 * old when the shot arrives. The target has moved since then, so the server casts the shot at the
 * moment that the player saw, which is between two versions. A heavy shot passes through bodies: it
 * hits all of them, in the order of their times.
 */
#include <stdio.h>

#include <pqt.h>
#include <pqt/shapes.h>
#include <pqt/worlds.h>

enum { KEPT = 60, RATE = 60, TARGET = 7, POST = 8 };

static const double range = 18;

static const char *
name_of(const pqt_body *body)
{
    return body->id == TARGET ? "target" : "post";
}

/* Casts a shot 110 ms before the version `last`, or at that version. */
static void
judge(const pqt_world *const *versions, int last, double late, const pqt_shot *shot)
{
    const double steps = late * RATE;
    const int before = last - 1 - (int)steps;
    const pqt_moment seen = {versions[before], versions[before + 1], 1 - (steps - (int)steps)};
    pqt_shot_hit hit;
    pqt_error error = {0};
    if (pqt_moment_sweep(&seen, shot, &hit, &error))
        printf("%3.0f ms ago: hits the %s at %.3f, %.3f\n", late * 1000, name_of(&hit.body),
               hit.sweep.stop.x, hit.sweep.stop.y);
    else if (error.status == PQT_OK)
        printf("%3.0f ms ago: misses\n", late * 1000);
    else
        printf("error: %s\n", error.text);
}

static bool
print_hit(const pqt_shot_hit *hit, void *context)
{
    (void)context;
    printf("a heavy shot hits the %s after %.3f of its way\n", name_of(&hit->body),
           hit->sweep.time);
    return true;
}

int
main(void)
{
    pqt_error error = {0};
    const pqt_world *versions[KEPT];
    const pqt_body post = {.id = POST, .position = {12.5, 5}, .radius = 0.5};
    const pqt_body target = {.id = TARGET, .position = {2, 10}, .velocity = {12, 0}, .radius = 0.5};
    versions[0] = pqt_world_make((pqt_box){{0, 0}, {20, 20}}, NULL, &error);
    versions[0] = pqt_world_add(versions[0], target, &error);
    versions[0] = pqt_world_add(versions[0], post, &error);
    for (int k = 1; k < KEPT; k++)
        versions[k] = pqt_world_step(versions[k - 1], 1.0 / RATE, NULL, &error);
    if (versions[KEPT - 1] == NULL) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }

    pqt_body now = {0}, then = {0};
    pqt_moment seen = {versions[KEPT - 8], versions[KEPT - 7], 0.4};
    pqt_world_find(versions[KEPT - 1], TARGET, &now);
    pqt_moment_find(&seen, TARGET, &then, &error);
    printf("the target is at %.3f, and was seen at %.3f\n", now.position.x, then.position.x);

    /* The player aims from below at the position in the picture. */
    const pqt_vec eye = {12.45, 19};
    const pqt_vec direction = pqt_vec_normalize(pqt_vec_subtract(then.position, eye));
    const pqt_vec end = pqt_vec_add(eye, pqt_vec_scale(direction, range));
    pqt_shot shot = pqt_shot_of(pqt_mover_circle(0, eye, end));
    judge(versions, KEPT - 1, 0, &shot);
    judge(versions, KEPT - 1, 0.11, &shot);
    if (!pqt_moment_visit_hits(&seen, &shot, print_hit, NULL, &error))
        return fprintf(stderr, "%s\n", error.text), 1;
    return 0;
}
