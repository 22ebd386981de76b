/* SPDX-License-Identifier: MIT */
/* shim_region.c: the calls for regions that only region.py has. */
#include "shim.h"

#include <string.h>

/* Sets six numbers: the pixels, nodes, leaves, full squares, bytes, and the level. */
void
pqtpy_region_stats(const pqt_pin *pin, uint64_t *figures)
{
    const pqt_region_stats stats = pqt_region_get_stats(pqt_pin_get_region(pin));
    const uint64_t found[] = {stats.pixels, stats.nodes, stats.leaves,
                              stats.full,   stats.bytes, (uint64_t)stats.level};
    memcpy(figures, found, sizeof found);
}

static bool
append_box(const pqt_pixel_box *box, void *context)
{
    return flat_append(box, sizeof *box, context);
}

/* Appends the boxes of a component after one whose first number says how many they are. */
static bool
append_component(const pqt_region *component, void *context)
{
    target *to = context;
    const size_t start = to->bytes->size;
    pqt_pixel_box head = {{0, 0}, {0, 0}};
    if (!append_box(&head, to) ||
        !pqt_region_visit_boxes(component, pqt_region_bounds(component), append_box, to))
        return false;
    head.min.x = (int32_t)((to->bytes->size - start) / sizeof head - 1);
    memcpy(to->bytes->data + start, &head, sizeof head);
    return true;
}

/* Appends the boxes of each component. */
bool
pqtpy_region_components(const pqt_pin *pin, int connectivity, uint64_t minimum, pqtpy_bytes *boxes,
                        pqt_error *error)
{
    target to = {boxes, error};
    return pqt_region_visit_components(pqt_pin_get_region(pin), (pqt_connectivity)connectivity,
                                       minimum, append_component, &to, error);
}
