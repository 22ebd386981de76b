/* SPDX-License-Identifier: MIT */
/*
 * obstacle_contacts.c: finds the resting contacts of a ball with the pixels of an obstacle.
 *
 * The search visits the squares of the region that are near the ball. A square in the same rows or
 * columns as the ball's centre touches the ball with a side. Any other square touches it with a
 * corner, if that corner is exposed.
 */
#include "config.h"

#include "world/obstacle_contacts.h"

#include <string.h>

#include "region/collision/region_cursor.h"

enum { LEFT, RIGHT, ABOVE, BELOW, FIRST_CORNER };

typedef struct contact_search {
    pqti_obstacle_view *obstacle;
    pqt_vec centre;
    double radius, max_gap;
    pqti_pixel_contact *contacts;
} contact_search;

/* Keeps a contact if it is the nearest in its direction. */
static void
keep_nearest(const contact_search *s, int direction, pqt_vec normal, double gap)
{
    pqti_pixel_contact *contact = &s->contacts[direction];
    if (gap <= s->max_gap && (!contact->exists || gap < contact->gap))
        *contact = (pqti_pixel_contact){true, normal, gap};
}

/* Adds the contact with a full square. A square that contains the centre of the ball has no
 * contact. */
static void
add_square(const contact_search *s, const pqti_region_cursor *part, pqt_box box)
{
    const pqt_vec c = s->centre;
    const bool beside_x = c.x >= box.min.x && c.x <= box.max.x;
    const bool beside_y = c.y >= box.min.y && c.y <= box.max.y;
    const pqt_vec d = {c.x < box.min.x   ? box.min.x - c.x
                       : c.x > box.max.x ? box.max.x - c.x
                                         : 0,
                       c.y < box.min.y   ? box.min.y - c.y
                       : c.y > box.max.y ? box.max.y - c.y
                                         : 0};
    if (beside_x && beside_y)
        return;
    if (beside_y) {
        keep_nearest(s, d.x < 0 ? LEFT : RIGHT, (pqt_vec){d.x < 0 ? -1 : 1, 0},
                     pqti_fabs(d.x) - s->radius);
    } else if (beside_x) {
        keep_nearest(s, d.y < 0 ? ABOVE : BELOW, (pqt_vec){0, d.y < 0 ? -1 : 1},
                     pqti_fabs(d.y) - s->radius);
    } else {
        /* the corner of the square nearest to the centre: a right corner if the square is on the
         * left */
        const int corner = (d.x < 0 ? 1 : 0) + (d.y < 0 ? 2 : 0);
        const double length = sqrt(pqti_dot(d, d));
        if (pqti_dot(d, d) >= PQTI_NO_LENGTH && length - s->radius <= s->max_gap &&
            pqti_obstacle_corner_is_free(s->obstacle, part, corner))
            keep_nearest(s, FIRST_CORNER + corner, (pqt_vec){d.x / length, d.y / length},
                         length - s->radius);
    }
}

static void
search_cells(const contact_search *s, const pqti_region_cursor *cells, int count)
{
    const double far = s->radius + s->max_gap;
    const pqt_box near = {{s->centre.x - far, s->centre.y - far},
                          {s->centre.x + far, s->centre.y + far}};
    for (int i = 0; i < count; i++) {
        const pqt_box box = pqti_obstacle_cell_box(s->obstacle, &cells[i]);
        if (!pqt_box_touches(box, near))
            continue;
        s->obstacle->nodes_visited++;
        if (cells[i].coverage == PQTI_CURSOR_FULL) {
            add_square(s, &cells[i], box);
            continue;
        }
        pqti_region_cursor quadrants[4];
        const pqti_shape_view shape = pqti_shape_view_of(s->obstacle->region);
        search_cells(s, quadrants, pqti_region_cursor_quadrants(&shape, &cells[i], quadrants));
    }
}

void
pqti_obstacle_contacts_find(pqti_obstacle_view *obstacle, const pqti_ball *ball, double max_gap,
                            pqti_pixel_contact contacts[PQTI_PIXEL_DIRECTIONS])
{
    const contact_search s = {obstacle, ball->position, pqti_obstacle_view_radius(ball->radius),
                              max_gap, contacts};
    const pqti_shape_view shape = pqti_shape_view_of(obstacle->region);
    pqti_region_cursor cells[4];
    memset(contacts, 0, PQTI_PIXEL_DIRECTIONS * sizeof *contacts);
    search_cells(&s, cells, pqti_shape_view_roots(&shape, cells));
}
