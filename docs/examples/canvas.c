/* SPDX-License-Identifier: MIT */
/*
 * canvas.c: a small paint program with undo. Each stroke is a version of an image in a history.
 *
 * A stroke keeps only the tiles that it touches. After each step, only the boxes that differ are
 * drawn again.
 */
#include <inttypes.h>
#include <stdio.h>

#include <pqt.h>
#include <pqt/pixels.h>

enum { WIDTH = 640, HEIGHT = 480 };

static bool
draw_again(const pqt_pixel_box *box, void *context)
{
    uint64_t *pixels = context;
    *pixels += (uint64_t)(box->max.x - box->min.x) * (uint64_t)(box->max.y - box->min.y);
    return true;
}

/* Adds a version to the history, and prints what it costs. */
static bool
push(pqt_history *history, const pqt_image *next, const char *label, pqt_error *error)
{
    const pqt_image *before = pqt_history_value(history);
    const void *other = before;
    size_t bytes = 0;
    uint64_t pixels = 0;
    const pqt_history_entry_info info = {.label = label};
    if (!pqt_history_push(history, next, &info, error) ||
        !pqt_version_exclusive_bytes(next, &other, 1, &bytes, error) ||
        !pqt_image_visit_diff(before, next, draw_again, &pixels, error))
        return false;
    printf("%-22s %6s the size of a copy, %6" PRIu64 " pixels drawn again\n", label,
           bytes < (size_t)4 * WIDTH * HEIGHT / 50 ? "< 1/50" : "more than 1/50", pixels);
    return true;
}

static void
print_pixel(const char *title, const pqt_image *image, pqt_pixel at)
{
    const pqt_rgba colour = pqt_image_pixel(image, at);
    printf("%s: %d %d %d %d\n", title, colour.r, colour.g, colour.b, colour.a);
}

int
main(void)
{
    const pqt_rgba paper = {255, 255, 255, 255}, ink = {20, 40, 160, 255}, glaze = {200, 0, 0, 128};
    const pqt_paint line =
        pqt_paint_stroke(PQT_PAINT_SET, (pqt_vec){60, 100}, (pqt_vec){140, 130}, 4);
    const pqt_paint disc = pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){100, 115}, 16);
    const pqt_pixel middle = {100, 115};
    pqt_error error = {0};
    const pqt_image *canvas = pqt_image_make(WIDTH, HEIGHT, paper, NULL, &error);
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_IMAGE), canvas, NULL, &error);
    if (history == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;

    const pqt_image *drawn = pqt_image_paint(canvas, line, ink, PQT_INK_REPLACE, &error);
    bool done = push(history, drawn, "a line", &error);
    const pqt_image *glazed = pqt_image_paint(drawn, disc, glaze, PQT_INK_OVER, &error);
    done = done && push(history, glazed, "a glaze over it", &error);
    if (!done)
        return fprintf(stderr, "%s\n", error.text), 1;
    print_pixel("under the glaze", glazed, middle);
    pqt_history_undo(history);
    print_pixel("after an undo", pqt_history_value(history), middle);

    /* The pixels of the line are a region, as which they move; and a flood fills the paper. */
    const pqt_image_selection inked = {.property = PQT_SELECT_COLOUR, .colour = ink};
    const pqt_region *shape = pqt_image_select(drawn, inked, &error);
    const pqt_image *twice =
        pqt_image_fill(drawn, shape, (pqt_pixel){0, 40}, ink, PQT_INK_REPLACE, &error);
    const pqt_image *filled =
        pqt_image_flood(twice, (pqt_pixel){0, 0}, 0, glaze, PQT_INK_OVER, &error);
    if (!push(history, filled, "a copy on red paper", &error))
        return fprintf(stderr, "%s\n", error.text), 1;
    print_pixel("paper", filled, (pqt_pixel){0, 0});
    print_pixel("the copied line", filled, (pqt_pixel){100, 155});
    pqt_history_destroy(&history);
    return 0;
}
