/* SPDX-License-Identifier: MIT */
/**
 * @file contact_event.h - contact events, which list the bodies that hit or began to touch each
 * other in a step, and those that entered or left a sensor.
 *
 * If the option `events` is set, the version that a step returns lists the contacts that the step
 * resolved. Versions that were made by an edit have none. Events are not part of the value of a
 * world: equality, differences, fingerprints and bytes ignore them.
 */
#ifndef PQT_CONTACT_EVENT_H
#define PQT_CONTACT_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include <pqt/export.h>
#include <pqt/vec.h>
#include <pqt/world.h>

PQT_BEGIN_DECLARATIONS

/** The kind of an event. */
typedef enum pqt_contact_event_kind {
    PQT_CONTACT_HIT = 1,   /**< they hit each other while they moved, and separated or stopped */
    PQT_CONTACT_BEGIN = 2, /**< they begin to rest on each other in this step */
    PQT_CONTACT_END = 3,   /**< they no longer rest on each other */
    PQT_SENSOR_BEGIN = 4,  /**< a body began to touch a sensor; see pqt_body.sensor */
    PQT_SENSOR_END = 5     /**< the body ceased to touch the sensor */
} pqt_contact_event_kind;

/** The second partner of a contact. */
typedef enum pqt_contact_side {
    PQT_SIDE_BODY = 0,    /**< another body */
    PQT_SIDE_LEFT = 1,    /**< the wall at the least x */
    PQT_SIDE_RIGHT = 2,   /**< the wall at the largest x */
    PQT_SIDE_UPPER = 3,   /**< the wall at the least y */
    PQT_SIDE_LOWER = 4,   /**< the wall at the largest y */
    PQT_SIDE_OBSTACLE = 5 /**< the obstacle */
} pqt_contact_side;

/** One event. */
typedef struct pqt_contact_event {
    double time;                 /**< seconds since the step began; 0 for lasting contacts */
    pqt_contact_event_kind kind; /**< what happened */
    pqt_contact_side side;       /**< the kind of the second partner */
    uint64_t low;                /**< the id of the body; the lower one if there are two */
    uint64_t high;               /**< the higher id; `low` if there is one body */
    /** the momentum (mass times speed) exchanged along the normal, > 0, without friction; 0 at an
        end and for sensors */
    double impulse;
    pqt_vec point;  /**< where they touch, world units; 0, 0 at an end */
    pqt_vec normal; /**< unit vector from the body `low` to the other; 0, 0 at an end */
} pqt_contact_event;

/**
 * Returns the events of the step that made a version. The contacts at rest that begin or end come
 * first, in the order of `low`, `high` and `side`; those of a body with pixels on several sides in
 * the order of `kind` and `normal`. Then come the hits in the order of time. Hits at the same time
 * are in the order in which the step resolved them (step.h); those of a cluster, which are solved
 * together, by `low`, `high` and `side`. Then come the events of sensors in the order of time,
 * `low` and `high`.
 *
 * The begin and end events of a sensor and a body alternate, within a step and from step to step. A
 * body that passes through a sensor within a step causes both. An edit has no events: if it puts a
 * body into a sensor, the first event is the end. Two sensors do not sense each other, and a sensor
 * wakes no body.
 *
 * @param world  any version
 * @param count  set to the number of events, not NULL
 * @return       an array that lives as long as the version; NULL if there are none, because the
 *               step had none or lacked the option, or another function made the version
 * @cost  O(1). A step that lists events in a world with sensors takes O(m log m + k) more, for m
 *        bodies that move (all, if a sensor moves) and k pieces of the paths near sensors
 */
PQT_API const pqt_contact_event *pqt_world_events(const pqt_world *world, size_t *count);

PQT_END_DECLARATIONS

#endif
