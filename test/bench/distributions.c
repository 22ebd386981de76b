/* SPDX-License-Identifier: MIT */
/* distributions.c: the distributions of random boxes and their bounds. */
#include "distributions.h"

#include <string.h>

/* The scales of the distributions. Drawn numbers are multiplied by `unit`, then `shift` is
 * added. */
static const struct {
    const char *name, *what;
    double unit, shift;
} kinds[DISTRIBUTIONS] = {
    [UNIFORM] = {"U", "uniform", 1, 0},
    [CLUMPED] = {"C", "clumped", 1, 0},
    [MIXED] = {"M", "mixed: one box in a hundred is large", 1, 0},
    [IDENTICAL] = {"identical", "one box again and again", 1, 0},
    [THIN] = {"thin", "long thin boxes", 1, 0},
    [SORTED] = {"sorted", "in ascending order of x", 1, 0},
    [OUTSIDE] = {"outside", "outside the declared world", 1, 20000},
    [TINY_WORLD] = {"tiny", "a world of 5e6 .. 5e6 + 100", 0.01, 5e6},
    [HUGE_WORLD] = {"huge", "a world of 0 .. 1e300", 1e296, 0},
};

const char *
distribution_name(distribution shape)
{
    return kinds[shape].name;
}

const char *
distribution_what(distribution shape)
{
    return kinds[shape].what;
}

bool
distribution_of(const char *name, distribution *shape)
{
    size_t length = strcspn(name, ",");
    for (int i = 0; i < DISTRIBUTIONS; i++)
        if (strlen(kinds[i].name) == length && strncmp(kinds[i].name, name, length) == 0) {
            *shape = (distribution)i;
            return true;
        }
    return false;
}

bool
is_cliff(distribution shape)
{
    return shape > MIXED;
}

bool
is_pile(distribution shape)
{
    return shape == IDENTICAL;
}

double
unit_of(distribution shape)
{
    return kinds[shape].unit;
}

pqt_vec
place_point(distribution shape, pqt_vec drawn)
{
    return (pqt_vec){drawn.x * kinds[shape].unit + kinds[shape].shift,
                     drawn.y * kinds[shape].unit + kinds[shape].shift};
}

pqt_box
place_box(distribution shape, pqt_box drawn)
{
    return (pqt_box){place_point(shape, drawn.min), place_point(shape, drawn.max)};
}

pqt_box
drawn_world(distribution shape)
{
    return place_box(shape, (pqt_box){{0, 0}, {WORLD_SIDE, WORLD_SIDE}});
}

pqt_box
declared_world(distribution shape)
{
    return drawn_world(shape == OUTSIDE ? UNIFORM : shape);
}
