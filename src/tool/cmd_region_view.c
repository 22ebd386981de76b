/* SPDX-License-Identifier: MIT */
/* cmd_region_view.c: prints and draws the result of `pqt region`. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include <pqt.h>
#include <pqt/pixels.h>

#include "tool/info_task.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/pixel_boxes.h"
#include "tool/region_task.h"

/* ---- Text ---- */

static void
print_number(const char *name, uint64_t number)
{
    printf("%-16s %s\n", name, grouped(number).text);
}

static void
print_picture(const char *name, const char *file, const image *read)
{
    const pqt_png_head *head = &read->head;
    if (read->is_pqt) {
        printf("%-16s %s, .pqt\n", name, quote_text(file).text);
        return;
    }
    printf("%-16s %s, %" PRIu32 " x %" PRIu32 ", %d bit%s, %s%s%s\n", name, quote_text(file).text,
           head->width, head->height, head->bits, head->bits == 1 ? "" : "s",
           head->is_palette    ? "palette"
           : head->is_coloured ? "colour"
                               : "grey",
           head->has_alpha ? ", alpha" : "", head->interlaced ? ", interlaced" : "");
}

static void
print_box(const char *name, pqt_pixel_box box)
{
    printf("%-16s %" PRId32 ", %" PRId32 " .. %" PRId32 ", %" PRId32 "\n", name, box.min.x,
           box.min.y, box.max.x, box.max.y);
}

static bool
count_one(const pqt_region *region, void *context)
{
    (void)region;
    ++*(uint64_t *)context;
    return true;
}

static uint64_t
components_of(const pqt_region *region, pqt_connectivity connectivity)
{
    uint64_t count = 0;
    pqt_error error = {0};
    if (!pqt_region_visit_components(region, connectivity, 0, count_one, &count, &error))
        die_error(NULL, &error);
    return count;
}

void
region_print(const request *req, const image *a, const image *b, const image *result)
{
    const pqt_region *region = result->region;
    const pqt_region_stats stats = pqt_region_get_stats(region);
    pqt_error error = {0};
    if (!pqt_region_check(region, &error))
        die_error(req->file, &error);
    print_picture("picture", req->file, a);
    if (req->operation != NULL) {
        print_picture(req->operation->name, req->other, b);
        printf("%-16s %" PRId32 ", %" PRId32 "\n", "offset", req->offset.x, req->offset.y);
        print_box("frame", result->frame);
    }
    print_number("pixels", stats.pixels);
    print_box("bounds", pqt_region_bounds(region));
    print_number("components", components_of(region, PQT_CONNECTIVITY_4));
    print_number("with corners", components_of(region, PQT_CONNECTIVITY_8));
    info_print_fingerprint(&(facts){.width = 16}, pqt_region_fingerprint(region));
    print_number("inner nodes", stats.nodes);
    print_number("leaves", stats.leaves);
    print_number("full squares", stats.full);
    print_number("bytes", stats.bytes);
}

/* ---- Picture ---- */

static const pqt_vec origin = {0, 0};

/* The nodes of one kind, which are drawn together. */
typedef struct squares {
    pixels boxes;
    pqt_square_kind kind;
} squares;

static bool
add_square(const pqt_square *square, void *context)
{
    squares *all = context;
    if (square->kind == all->kind)
        pixels_add(&all->boxes, square->box);
    return true;
}

static void
draw_squares(picture *drawn, const pqt_region *region, pqt_square_kind kind, const char *class_name)
{
    squares all = {.kind = kind};
    pqt_region_visit_squares(region, add_square, &all);
    pixels_draw(&all.boxes, drawn, class_name);
}

/* Draws both pictures, the second one at its offset. */
static void
draw_ground(const request *req, picture *drawn, const image *a, const image *b)
{
    pqt_error error = {0};
    const pqt_region *moved = pqt_region_move(b->region, req->offset, &error);
    draw_pixels(drawn, a->region, origin, "ground");
    if (moved != NULL) /* NULL if the moved picture exceeds the limit; it is then omitted */
        draw_pixels(drawn, moved, origin, "ground");
}

void
region_draw(request *req, const image *a, const image *b, const image *result)
{
    static const char style[] =
        ".ground{stroke:none;fill:#d5dde5;fill-opacity:1}\n"
        ".pixels{stroke:#2b5f92;stroke-width:.2;fill:#2b5f92;fill-opacity:1}\n"
        ".pixels.dot{stroke-width:.8}\n"
        ".full{stroke:none;fill:#17395c;fill-opacity:1}\n"
        ".leaf{stroke:#e08a1e;stroke-width:1;fill:none}\n"
        ".inner{stroke:#e08a1e;stroke-width:.6;fill:none}\n";
    picture *drawn = &req->drawn;
    const pqt_pixel_box f = result->frame;
    const pqt_region *region = result->region;
    char what[80];
    snprintf(what, sizeof what, "%s%s%s pixel%s",
             req->operation != NULL ? req->operation->name : "", req->operation != NULL ? ", " : "",
             grouped(pqt_region_count(region)).text, pqt_region_count(region) == 1 ? "" : "s");
    drawn->more_style = style;
    picture_begin(drawn, req->file, what,
                  picture_wide((pqt_box){{f.min.x, f.min.y}, {f.max.x, f.max.y}}), 0);
    if (req->operation != NULL)
        draw_ground(req, drawn, a, b);
    draw_pixels(drawn, region, origin, "pixels");
    draw_squares(drawn, region, PQT_SQUARE_FULL, "full");
    draw_squares(drawn, region, PQT_SQUARE_INNER, "inner");
    draw_squares(drawn, region, PQT_SQUARE_LEAF, "leaf");
    pqt_svg_key(&drawn->svg, PQT_SVG_BOX, "pixels", "pixels");
    pqt_svg_key(&drawn->svg, PQT_SVG_BOX, "full", "full squares");
    pqt_svg_key(&drawn->svg, PQT_SVG_BOX, "leaf", "leaves, 64 x 64");
    if (req->operation != NULL)
        pqt_svg_key(&drawn->svg, PQT_SVG_BOX, "ground", "operands");
    picture_end(drawn);
}
