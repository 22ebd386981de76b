/* SPDX-License-Identifier: MIT */
/**
 * @file world_time.h - worlds in sequence: heads and histories of them.
 *
 * A simulation publishes each step by a head, and its readers draw or ask the newest one without
 * waiting. An editor of worlds, or a replay that keeps its moments, has a history of them. All that
 * head.h and history.h say holds.
 *
 *     pqt_head *head = pqt_head_make_world(world, &error);
 *     pqt_head_publish_world(head, pqt_world_step(world, dt, NULL, &error), &error);
 *
 *     pqt_history *history = pqt_history_make(pqt_history_worlds(), world, NULL, &error);
 */
#ifndef PQT_WORLD_TIME_H
#define PQT_WORLD_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/head.h>
#include <pqt/history.h>
#include <pqt/memory.h>
#include <pqt/world.h>

PQT_BEGIN_DECLARATIONS

/** As pqt_head_update_fn, for a head of worlds. */
typedef const pqt_world *pqt_head_update_world_fn(const pqt_world *now, void *context,
                                                  pqt_error *error);

/** As pqt_head_make. @since 0.1 */
PQT_API PQT_NODISCARD pqt_head *pqt_head_make_world(const pqt_world *first, pqt_error *error);

/** As pqt_head_load. @since 0.1 */
PQT_API const pqt_world *pqt_head_load_world(const pqt_head *head, uint64_t *number);

/** As pqt_head_pin; the pin is for pqt_pin_world. @since 0.1 */
PQT_API PQT_NODISCARD pqt_pin *pqt_head_pin_world(const pqt_head *head, uint64_t *number,
                                                  pqt_error *error);

/** As pqt_head_publish. @since 0.1 */
PQT_API bool pqt_head_publish_world(pqt_head *head, const pqt_world *next, pqt_error *error);

/** As pqt_head_update. @since 0.1 */
PQT_API const pqt_world *pqt_head_update_world(pqt_head *head, pqt_head_update_world_fn *update,
                                               void *context, uint64_t *number, pqt_error *error);

/**
 * The kind of `const pqt_world *`, for pqt_history_make.
 *
 * Its bytes are counted in O(changes x depth): a step in which everything moves is no small change.
 * Such a history has no index. Worlds are equal if pqt_world_equals says so.
 *
 * @since 0.1
 */
PQT_API const pqt_history_kind *pqt_history_worlds(void);

PQT_END_DECLARATIONS

#endif
