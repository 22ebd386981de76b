/* SPDX-License-Identifier: MIT */
/*
 * pieces.c: a region is turned and enlarged, and taken apart: into rows, boxes, squares, connected
 * parts and polygons; and it is drawn through glass into a PNG file, which is read again.
 */
#include <inttypes.h>
#include <stdio.h>

#include <pqt.h>
#include <pqt/pixels.h>

enum { MOST = 200 };

static pqt_error error;

/* A key: a ring, a shaft and two teeth; and a coin. */
static const pqt_region *
make_key(void)
{
    const pqt_paint paints[] = {
        pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){12, 12}, 8),
        pqt_paint_disc(PQT_PAINT_CLEAR, (pqt_vec){12, 12}, 4),
        pqt_paint_box(PQT_PAINT_SET, (pqt_pixel_box){{19, 10}, {40, 14}}),
        pqt_paint_box(PQT_PAINT_SET, (pqt_pixel_box){{32, 14}, {34, 19}}),
        pqt_paint_box(PQT_PAINT_SET, (pqt_pixel_box){{37, 14}, {39, 17}}),
        pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){50, 24}, 3),
    };
    const pqt_region *key = pqt_region_make(NULL, &error);
    return pqt_region_paint_all(key, paints, sizeof paints / sizeof *paints, &error);
}

/* Turns a region onto the heading 4, 3 and doubles it. */
static const pqt_region *
turned_and_doubled(const pqt_region *region)
{
    const pqt_vec centre = {12, 12};
    const pqt_affine turn = pqt_affine_rotation((pqt_vec){4, 3}, centre);
    const pqt_affine map = pqt_affine_compose(turn, pqt_affine_scaling((pqt_vec){2, 2}, centre));
    return pqt_region_map(region, map, PQT_SAMPLE_AREA, &error);
}

/* Prints the pieces of a region. The sizes of the arrays are not limits: each function returns the
   number of all pieces. */
static bool
take_apart(const pqt_region *region)
{
    const pqt_pixel_box all = pqt_region_bounds(region);
    pqt_pixel_run runs[MOST];
    pqt_pixel_box boxes[MOST];
    pqt_square squares[MOST];
    const pqt_region *parts[MOST];
    pqt_pixel corners[MOST];
    pqt_contour contours[MOST];
    pqt_contour_arrays arrays = {corners, MOST, contours, MOST, 0, 0};
    size_t count = 0;
    if (!pqt_region_collect_components(region, PQT_CONNECTIVITY_8, 1, parts, MOST, &count,
                                       &error) ||
        !pqt_region_collect_contours(region, PQT_CONNECTIVITY_8, 1, &arrays, &error))
        return false;
    printf("%" PRIu64 " pixels: %zu runs, %zu boxes, %zu squares\n", pqt_region_count(region),
           pqt_region_collect_runs(region, all, runs, MOST),
           pqt_region_collect_boxes(region, all, boxes, MOST),
           pqt_region_collect_squares(region, squares, MOST));
    for (size_t i = 0; i < count && i < MOST; i++)
        printf("  part %zu: %" PRIu64 " pixels\n", i + 1, pqt_region_count(parts[i]));
    printf("  %zu polygons with %zu corners\n", arrays.contour_count, arrays.corner_count);
    return true;
}

/* Prints where a region overlaps itself after a move, and which boxes change. */
static void
compare(const pqt_region *region)
{
    pqt_pixel_pairs pairs[MOST];
    pqt_pixel_box boxes[MOST];
    const pqt_region *moved = pqt_region_move(region, (pqt_pixel){5, 0}, &error);
    printf("5 pixels to the right: it overlaps itself in %zu rectangles, and %zu boxes differ\n",
           pqt_region_collect_overlap(region, region, (pqt_vec){5, 0}, pairs, MOST),
           pqt_region_collect_diff(region, moved, boxes, MOST));
}

/* Draws a region through red glass on sand, and writes and reads the picture. */
static bool
draw(const pqt_region *region)
{
    const pqt_rgba sand = {230, 210, 150, 255}, glass = {200, 0, 0, 128};
    const pqt_image *blank = pqt_image_make(120, 120, sand, NULL, &error);
    const pqt_image *image =
        pqt_image_fill(blank, region, (pqt_pixel){0, 0}, glass, PQT_INK_OVER, &error);
    const pqt_rgba seen = pqt_rgba_over(glass, sand);
    FILE *file = tmpfile();
    if (image == NULL || file == NULL)
        return false;
    printf("sand through glass: %d %d %d\n", seen.r, seen.g, seen.b);
    if (!pqt_png_write_image(file, image, &error))
        return fclose(file), error.status == PQT_ERROR_UNSUPPORTED;
    rewind(file);
    const pqt_image *read = pqt_png_read_image(file, NULL, NULL, &error);
    fclose(file);
    return read != NULL && pqt_image_equals(read, image);
}

int
main(void)
{
    const pqt_region *key = make_key();
    const pqt_region *large = turned_and_doubled(key);
    if (key == NULL || large == NULL || !take_apart(key) || !take_apart(large))
        return fprintf(stderr, "%s\n", error.text), 1;
    compare(large);
    if (!draw(large))
        return fprintf(stderr, "the picture is not what was drawn: %s\n", error.text), 1;
    return 0;
}
