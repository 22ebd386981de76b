/* SPDX-License-Identifier: MIT */
/*
 * level_editor.c: an editor of a level: its picture is painted in colour, its ground is a mask with
 * which a figure collides, and both change and are undone together.
 *
 *     level_editor           prints what happens
 *     level_editor PICTURE   also writes the level to a PNG file, with the path of the figure
 *
 * A version of the level is a document with two parts. The history of the edits is saved to a file
 * and opened again, with its undo steps.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pqt.h>
#include <pqt/pixels.h>

enum { WIDTH = 480, HEIGHT = 300, GRASS = 5 };

static const pqt_pixel none = {0, 0};
static const pqt_rgba stone = {92, 84, 110, 255}, earth = {120, 82, 56, 255};
static pqt_error error;

static void
must(bool done)
{
    if (!done) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
}

static pqt_paint
box(int min_x, int min_y, int max_x, int max_y)
{
    return pqt_paint_box(PQT_PAINT_SET, (pqt_pixel_box){{min_x, min_y}, {max_x, max_y}});
}

static pqt_paint
stroke(double x0, double y0, double x1, double y1, double radius)
{
    return pqt_paint_stroke(PQT_PAINT_SET, (pqt_vec){x0, y0}, (pqt_vec){x1, y1}, radius);
}

static pqt_paint
disc(double x, double y, double radius)
{
    return pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){x, y}, radius);
}

/* ---- The level ---- */

static const pqt_image *
picture_of(const pqt_document *level)
{
    return pqt_document_image(level, "picture");
}

static const pqt_region *
ground_of(const pqt_document *level)
{
    return pqt_document_region(level, "ground");
}

/* Returns an evening without ground: bands of sky, a sun with a glow, and hills. */
static const pqt_document *
new_level(void)
{
    const pqt_image *sky = pqt_image_make(WIDTH, HEIGHT, stone, NULL, &error);
    for (int i = 0; i < HEIGHT / 10; i++) {
        const pqt_rgba band = {(uint8_t)(70 + 5 * i), (uint8_t)(110 + 3 * i), 190, 255};
        sky =
            pqt_image_paint(sky, box(0, 10 * i, WIDTH, 10 * i + 10), band, PQT_INK_REPLACE, &error);
    }
    for (int i = 0; i < 5; i++) {
        const pqt_rgba glow = {255, 236, 150, (uint8_t)(40 + 50 * i)};
        sky = pqt_image_paint(sky, disc(370, 70, 60 - 8 * i), glow, PQT_INK_OVER, &error);
    }
    const pqt_rgba far = {120, 130, 190, 170}, near = {84, 110, 140, 200};
    sky = pqt_image_paint(sky, disc(90, 420, 240), far, PQT_INK_OVER, &error);
    sky = pqt_image_paint(sky, disc(400, 450, 250), far, PQT_INK_OVER, &error);
    sky = pqt_image_paint(sky, disc(230, 520, 290), near, PQT_INK_OVER, &error);
    const pqt_part parts[] = {{"picture", PQT_KIND_IMAGE, sky, NULL},
                              {"ground", PQT_KIND_REGION, pqt_region_make(NULL, &error), NULL}};
    return pqt_document_make(parts, 2, &error);
}

/* Returns a level with more ground. Grass grows on what has no ground above it. */
static const pqt_document *
build(const pqt_document *level, const pqt_paint *shapes, size_t count, pqt_rgba colour)
{
    const pqt_rgba grass = {96, 168, 72, 255}, shade = {0, 0, 0, 90};
    const pqt_region *old = ground_of(level);
    const pqt_region *ground = pqt_region_paint_all(old, shapes, count, &error);
    const pqt_region *added = pqt_region_difference(ground, old, none, &error);
    const pqt_region *top = pqt_region_difference(ground, ground, (pqt_pixel){0, GRASS}, &error);
    const pqt_region *edge = pqt_region_erode_disc(ground, 3, &error);
    const pqt_image *picture = picture_of(level);
    picture = pqt_image_fill(picture, added, none, colour, PQT_INK_REPLACE, &error);
    edge = pqt_region_difference(added, edge, none, &error);
    picture = pqt_image_fill(picture, edge, none, shade, PQT_INK_OVER, &error);
    if (colour.r == earth.r)
        picture = pqt_image_fill(picture, top, none, grass, PQT_INK_REPLACE, &error);
    level = pqt_document_set_image(level, "picture", picture, &error);
    return pqt_document_set_region(level, "ground", ground, &error);
}

static void
push(pqt_history *history, const pqt_document *next, const char *label)
{
    const pqt_history_entry_info info = {.label = label};
    must(pqt_history_push(history, next, &info, &error));
}

/* ---- The figure ---- */

/* Returns a figure with a hat, a coat and two feet, on transparent pixels. */
static const pqt_image *
new_figure(void)
{
    const struct {
        pqt_paint shape;
        pqt_rgba colour;
    } parts[] = {
        {disc(12, 11, 7), {238, 196, 160, 255}}, {box(2, 5, 22, 8), {60, 40, 60, 255}},
        {box(6, 0, 18, 6), {90, 50, 80, 255}},   {stroke(12, 20, 12, 25, 7), {40, 90, 160, 255}},
        {disc(7, 31, 3.5), {50, 40, 40, 255}},   {disc(17, 31, 3.5), {50, 40, 40, 255}},
        {disc(15, 11, 1.5), {30, 30, 30, 255}}};
    const pqt_image *figure = pqt_image_make(24, 35, (pqt_rgba){0, 0, 0, 0}, NULL, &error);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        figure = pqt_image_paint(figure, parts[i].shape, parts[i].colour, PQT_INK_REPLACE, &error);
    return figure;
}

/* Moves a mask up to a displacement, along what blocks it. */
static pqt_vec
slide(const pqt_region *mask, const pqt_region *ground, pqt_vec from, double dx, double dy)
{
    const pqt_region_mover mover = {mask, from, {from.x + dx, from.y + dy}};
    return pqt_region_slide_region(mover, ground, (pqt_vec){0, 0}, 2, NULL).stop;
}

/* Walks to the right until something blocks the way or the level ends. Returns the position. If
 * `trace` is not NULL, the figure is drawn into it on its way. */
static pqt_vec
walk(const pqt_document *level, const pqt_image *figure, const pqt_image **trace)
{
    const pqt_image_selection opaque = {.property = PQT_SELECT_ALPHA, .threshold = 127};
    const pqt_region *mask = pqt_image_select(figure, opaque, &error);
    const pqt_region *ground = ground_of(level);
    must(mask != NULL && ground != NULL);
    pqt_vec at = slide(mask, ground, (pqt_vec){8, 60}, 0, HEIGHT);
    for (int step = 0; at.x < WIDTH - 40; step++) {
        const double before = at.x;
        if (trace != NULL && step % 19 == 0)
            *trace =
                pqt_image_blit(*trace, figure, pqt_image_bounds(figure),
                               (pqt_pixel){(int32_t)at.x, (int32_t)at.y}, PQT_INK_OVER, &error);
        at = slide(mask, ground, at, 0, -4); /* so that it steps up slopes */
        at = slide(mask, ground, at, 2, 0);
        at = slide(mask, ground, at, 0, 8);
        if (at.x <= before)
            break;
    }
    return at;
}

static void
print_walk(const char *when, const pqt_document *level, const pqt_image *figure)
{
    const pqt_vec at = walk(level, figure, NULL);
    printf("%-20s the figure gets to %3.0f, %3.0f\n", when, at.x, at.y);
}

/* Writes the level and the path of the figure. The edge that stops it is red. */
static void
write_picture(const char *path, const pqt_document *level, const pqt_image *figure)
{
    const pqt_rgba red = {230, 40, 40, 200};
    const pqt_image *picture = picture_of(level);
    const pqt_region *edge = pqt_region_outline(ground_of(level), PQT_CONNECTIVITY_4, &error);
    picture = pqt_image_fill(picture, edge, none, red, PQT_INK_OVER, &error);
    walk(level, figure, &picture);
    FILE *file = fopen(path, "wb");
    must(file != NULL && pqt_png_write_image(file, picture, &error));
    must(fclose(file) == 0);
}

int
main(int argc, char **argv)
{
    const pqt_paint ground[] = {box(0, 255, WIDTH, HEIGHT), stroke(150, 262, 210, 232, 14),
                                stroke(210, 232, 268, 232, 14), stroke(268, 232, 330, 265, 14),
                                box(190, 240, 290, 256)};
    const pqt_paint ledges[] = {stroke(60, 172, 110, 172, 8), stroke(300, 160, 372, 150, 8)};
    const pqt_paint wall[] = {box(380, 190, 396, 260)};
    char folder[] = "/tmp/pqt-example-XXXXXX", path[64];
    const pqt_image *figure = new_figure();
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_DOCUMENT), new_level(), NULL, &error);
    must(history != NULL && mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/level.pqt", folder);
    push(history, build(pqt_history_value(history), ground, 5, earth), "Ground");
    push(history, build(pqt_history_value(history), ledges, 2, earth), "Ledges");
    push(history, build(pqt_history_value(history), wall, 1, stone), "Wall");
    print_walk("with a wall:", pqt_history_value(history), figure);

    /* The history is saved, and another run of the editor undoes what this one did. */
    must(pqt_history_save_file(history, path, &error));
    pqt_history_destroy(&history);
    history = pqt_history_load_file(path, NULL, NULL, &error);
    must(history != NULL && unlink(path) == 0 && rmdir(folder) == 0);
    printf("opened again:        undo takes back \"%s\"\n", pqt_history_undo_label(history));
    must(pqt_history_undo(history));
    print_walk("without the wall:", pqt_history_value(history), figure);
    const pqt_paint stairs[] = {box(372, 251, 428, 255), box(380, 247, 420, 255),
                                box(388, 243, 412, 255), box(396, 239, 404, 255)};
    push(history, build(pqt_history_value(history), stairs, 4, stone), "Stairs");
    print_walk("with stairs instead:", pqt_history_value(history), figure);
    if (argc > 1)
        write_picture(argv[1], pqt_history_value(history), figure);
    pqt_history_destroy(&history);
    return 0;
}
