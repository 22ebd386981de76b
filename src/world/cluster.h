/* SPDX-License-Identifier: MIT */
/*
 * cluster.h: finds the contacts of a step that are solved together, and solves them.
 *
 * A *cluster* is a set of balls that are connected by contacts. When a ball has too many contacts
 * one after another, it forms a cluster with the balls that it touches, directly or through others.
 */
#ifndef PQTI_CLUSTER_H
#define PQTI_CLUSTER_H

#include <pqt/error.h>

#include "world/broadphase.h"
#include "world/contact_friction.h"

/* A ball that another one touches. */
typedef struct pqti_neighbour {
    uint64_t id;
    uint32_t ball;
} pqti_neighbour;

/* Scratch memory and statistics of clusters. Everything is zero initially. */
typedef struct pqti_clusters {
    pqti_contact_array contacts;
    pqti_solver_scratch scratch;
    uint32_t *balls; /* the balls of the cluster that was found last */
    size_t ball_count;
    pqti_neighbour *neighbours; /* the neighbours of one ball */
    size_t neighbour_capacity;
    uint32_t round;  /* number of clusters found; see pqti_ball.mark */
    uint64_t passes; /* see pqti_contacts_solve */
} pqti_clusters;

/* Finds the cluster that contains two balls at a given time: its balls, except delayed ones, and
 * its contacts. Returns false with an error set when out of memory. */
bool pqti_clusters_find(pqti_clusters *clusters, const pqti_broad_phase *broad_phase, uint32_t a,
                        uint32_t b, double time, pqt_error *error);

/* Solves the contacts of the cluster that was found last. The caller must have moved its balls to
 * the time of the search. */
void pqti_clusters_solve(pqti_clusters *clusters, const pqti_broad_phase *broad_phase);

void pqti_clusters_free(pqti_clusters *clusters);

#endif
