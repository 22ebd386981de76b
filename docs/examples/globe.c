/* SPDX-License-Identifier: MIT */
/*
 * globe.c: islands on both sides of the antimeridian: the nearest ones, and those in a window.
 *
 * In the plane, Fiji and Samoa are 350 degrees apart. On the sphere, they are neighbours.
 */
#include <inttypes.h>
#include <stdio.h>

#include <pqt.h>

enum { FIJI = 1, SAMOA, HAWAII, TAHITI, FRANZ_JOSEF_LAND };

static const char *const names[] = {"", "Fiji", "Samoa", "Hawaii", "Tahiti", "Franz Josef Land"};

/* Prints the islands nearest to a point, with the distances along great circles. */
static void
print_nearest(const pqt_tree *islands, const char *where, pqt_vec from)
{
    pqt_near found[2];
    pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
    options.surface = PQT_SPHERE;
    const size_t count = pqt_tree_nearest(islands, (pqt_box){from, from}, &options, found, 2);
    printf("from %s:", where);
    for (size_t i = 0; i < count; i++)
        printf(" %s %.0f km", names[found[i].item.id], found[i].distance / 1000);
    printf("\n");
}

static bool
print_name(const pqt_item *item, void *context)
{
    (void)context;
    printf(" %s", names[item->id]);
    return true;
}

int
main(void)
{
    pqt_error error = {0};
    const pqt_item items[] = {{pqt_sphere_box(177, -19.2, -178.3, -12.5), FIJI},
                              {pqt_sphere_box(-172.8, -14.1, -171.4, -13.4), SAMOA},
                              {pqt_sphere_box(-160.3, 18.9, -154.8, 22.3), HAWAII},
                              {pqt_sphere_box(-149.7, -17.9, -149.1, -17.5), TAHITI},
                              {pqt_sphere_box(44.6, 79.8, 65.4, 81.9), FRANZ_JOSEF_LAND}};
    const pqt_tree *islands = pqt_tree_of(items, 5, NULL, &error);
    if (islands == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;
    print_nearest(islands, "Samoa", (pqt_vec){-171.8, -13.8});
    print_nearest(islands, "the North Pole", (pqt_vec){0, 90});

    const pqt_query query = {.window = pqt_sphere_box(170, -30, -170, 0),
                             .relation = PQT_TOUCHES,
                             .surface = PQT_SPHERE};
    printf("from 170 east to 170 west:");
    (void)pqt_tree_visit(islands, &query, print_name, NULL);
    printf("\n");
    return 0;
}
