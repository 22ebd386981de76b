/* SPDX-License-Identifier: MIT */
/* demo_picture.c: draws the map of the demo: countries, cities, the cells of their tree, and a
   window with its results. */
#include "config.h"

#include "tool/demo/demo_picture.h"

#include "tool/numbers.h"

/* The part of the world that is shown, in degrees; y points up. */
static const pqt_box shown = {{-180, -58}, {180, 78}};
static const pqt_box window = {{-10.5, 35.5}, {31, 60}};

static const char style[] = ".land{stroke:#8fa3b5;stroke-width:.5;fill:#dfe7ee;fill-opacity:.35}\n"
                            ".land.dot{stroke-width:.7}\n"
                            ".cells{stroke:#7fb0a8;stroke-width:.35}\n"
                            ".towns.dot{stroke:#27496b;stroke-width:1}\n"
                            ".found.dot{stroke:#d2352b;stroke-width:.9}\n"
                            ".window{stroke:#d2352b;stroke-width:1.6;stroke-dasharray:none}\n";

static void
draw_layers(pqt_svg *svg, const map_content *content)
{
    pqt_query all = {.window = shown, .relation = PQT_TOUCHES};
    pqt_query found = {.window = window, .relation = PQT_TOUCHES};
    pqt_svg_items(svg, content->countries, &all, "land");
    pqt_svg_cells(svg, content->cities, "cells");
    pqt_svg_items(svg, content->cities, &all, "towns");
    pqt_svg_items(svg, content->cities, &found, "found");
    pqt_svg_box(svg, window, "window");
}

static void
draw_keys(pqt_svg *svg, const map_content *content)
{
    pqt_query found = {.window = window, .relation = PQT_TOUCHES};
    char text[80];
    snprintf(text, sizeof text, "window: %s cities found",
             grouped(pqt_tree_count_in(content->cities, &found)).text);
    pqt_svg_key(svg, PQT_SVG_BOX, "window", text);
    pqt_svg_key(svg, PQT_SVG_DOT, "towns", "cities");
    pqt_svg_key(svg, PQT_SVG_BOX, "cells", "cells of their tree");
    pqt_svg_key(svg, PQT_SVG_BOX, "land", "boxes of the countries' parts");
}

void
demo_draw_map(FILE *stream, const map_content *content)
{
    pqt_svg_options options = PQT_SVG_DEFAULTS;
    pqt_svg svg;
    char title[200];
    snprintf(title, sizeof title, "%s cities and %s country boxes, as they were %s versions ago",
             grouped(pqt_tree_count(content->cities)).text,
             grouped(pqt_tree_count(content->countries)).text, grouped(content->versions).text);
    options.width = 1400;
    options.height = 700;
    options.flip_y = true;
    options.title = title;
    options.note = "Data: GeoNames (CC BY 4.0), Natural Earth";
    options.style = style;
    if (!pqt_svg_begin(&svg, stream, shown, &options, NULL))
        return;
    draw_layers(&svg, content);
    draw_keys(&svg, content);
    pqt_svg_end(&svg, NULL);
}
