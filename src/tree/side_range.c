/* SPDX-License-Identifier: MIT */
/* side_range.c - working out between which numbers each side of the items of a mixed node lies. */
#include "config.h"

#include "tree/side_range.h"

#include <string.h>

pqti_spread
pqti_spread_of_part(pqti_ref part)
{
    if (!part.leaf)
        return *pqti_spread_of(part.at);
    pqti_leaf_view view = pqti_view(part.at, part.count);
    pqt_box first = pqti_view_item(view, 0).box;
    pqti_spread spread = {first, first};
    for (size_t i = 1; i < part.count; i++) {
        pqt_box box = pqti_view_item(view, i).box;
        spread = pqti_spread_union(spread, (pqti_spread){box, box});
    }
    return spread;
}

pqti_spread
pqti_spread_of_quarters(const pqti_inner *mixed)
{
    pqti_spread all = PQTI_EMPTY_SPREAD;
    for (int i = 0; i < PQTI_QUARTERS; i++) {
        pqti_ref quarter = pqti_quarter(mixed, i);
        if (quarter.count > 0)
            all = pqti_spread_union(all, pqti_spread_of_part(quarter));
    }
    return all;
}

bool
pqti_spread_keeps(const pqti_inner *mixed, int quarter, pqti_ref part)
{
    const pqti_spread *whole = pqti_spread_of(mixed);
    const pqti_ref before = pqti_quarter(mixed, quarter);
    if (before.count == 0 || part.count == 0)
        return false;
    /* One box is that of each part, too. */
    pqti_spread old = pqti_is_one_box(whole) ? *whole : pqti_spread_of_part(before);
    pqti_spread new = pqti_spread_of_part(part);
    return memcmp(&old, &new, sizeof old) == 0;
}
