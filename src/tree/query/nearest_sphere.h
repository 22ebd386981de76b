/* SPDX-License-Identifier: MIT */
/* nearest_sphere.h: nearest items by great-circle distance, for nearest.c. */
#ifndef PQTI_NEAREST_SPHERE_H
#define PQTI_NEAREST_SPHERE_H

#include <pqt/nearest.h>

/* Do the same as pqt_tree_nearest and pqt_tree_visit_nearest with PQT_SPHERE. */
size_t pqti_nearest_on_sphere(const pqt_tree *tree, pqt_vec from,
                              const pqt_nearest_options *options, pqt_near *found, size_t capacity);
bool pqti_visit_nearest_on_sphere(const pqt_tree *tree, pqt_vec from,
                                  const pqt_nearest_options *options, pqt_visit_near_fn *visit,
                                  void *context);

#endif
