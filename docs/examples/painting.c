/* SPDX-License-Identifier: MIT */
/*
 * painting.c: painting with undo. All versions of a canvas are kept, so undo assigns a pointer.
 *
 * After each step, only the pixels that differ from the previous version are redrawn.
 */
#include <inttypes.h>
#include <stdio.h>

#include <pqt.h>
#include <pqt/pixels.h>

enum { WIDTH = 40, HEIGHT = 11, STEPS = 4 };

static void
show(const pqt_region *canvas, const char *title)
{
    printf("%s: %" PRIu64 " pixels\n", title, pqt_region_count(canvas));
    for (int32_t y = 0; y < HEIGHT; y++) {
        for (int32_t x = 0; x < WIDTH; x++)
            putchar(pqt_region_contains(canvas, (pqt_pixel){x, y}) ? '#' : '.');
        putchar('\n');
    }
}

static bool
draw_again(const pqt_pixel_box *box, void *context)
{
    (void)context;
    printf("  draw again: %" PRId32 ", %" PRId32 " to %" PRId32 ", %" PRId32 "\n", box->min.x,
           box->min.y, box->max.x, box->max.y);
    return true;
}

int
main(void)
{
    const pqt_paint paints[STEPS] = {
        pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){8, 5.5}, 5),
        pqt_paint_stroke(PQT_PAINT_SET, (pqt_vec){8, 5.5}, (pqt_vec){36, 5.5}, 1),
        pqt_paint_disc(PQT_PAINT_CLEAR, (pqt_vec){8, 5.5}, 2.5),
        pqt_paint_box(PQT_PAINT_SET, (pqt_pixel_box){{30, 6}, {32, 9}}),
    };
    pqt_error error = {0};
    const pqt_region *versions[STEPS + 1];
    versions[0] = pqt_region_make(NULL, &error);
    for (int i = 0; i < STEPS; i++)
        versions[i + 1] = pqt_region_paint(versions[i], paints[i], &error);
    if (versions[STEPS] == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;

    for (int i = 0; i < STEPS; i++) {
        printf("step %d\n", i + 1);
        pqt_region_visit_diff(versions[i], versions[i + 1], draw_again, NULL);
    }
    show(versions[STEPS], "a key");
    show(versions[2], "two steps undone");

    /* A branch paints on an older version. The undone version remains and can be united with it. */
    const pqt_region *branch = pqt_region_paint(
        versions[2], pqt_paint_box(PQT_PAINT_SET, (pqt_pixel_box){{20, 7}, {28, 9}}), &error);
    const pqt_region *both = pqt_region_union(branch, versions[STEPS], (pqt_pixel){0, 0}, &error);
    if (both == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;
    show(both, "both branches");
    return 0;
}
