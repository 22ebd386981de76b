/* SPDX-License-Identifier: MIT */
/* globe.c: the option --globe. */
#include "config.h"

#include "tool/globe.h"

#include <inttypes.h>

#include "tool/message.h"
#include "tool/numbers.h"

void
globe_require(const pqt_item *items, size_t count, const char *file)
{
    for (size_t i = 0; i < count; i++) {
        const pqt_box box = items[i].box;
        if (!pqt_box_is_on_sphere(box))
            die(file, 0,
                "item %" PRIu64 " is not on the globe (%s,%s,%s,%s): latitudes are from -90 to 90, "
                "longitudes from -540 to 540",
                items[i].id, shortest(box.min.x).text, shortest(box.min.y).text,
                shortest(box.max.x).text, shortest(box.max.y).text);
    }
}

pqt_box
globe_window(pqt_box sides, const char *text)
{
    pqt_box window;
    if (!pqt_sphere_window(sides.min.x, sides.min.y, sides.max.x, sides.max.y, &window))
        die(NULL, 0, "--window is not on the globe (%s): it is west,south,east,north in degrees",
            quote_text(text).text);
    return window;
}
