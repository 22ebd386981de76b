/* SPDX-License-Identifier: MIT */
/*
 * body_hash.c - one body: as the caller gives it, and as the map of bodies keeps it.
 *
 * A body's fingerprint is a chain over its numbers, as an item's is (item_hash.h). The chain over
 * what does not change as it moves is kept beside it, so a step takes up the chain from there.
 */
#include "config.h"

#include "tree/item_hash.h"
#include "world/bodymap.h"

uint64_t
pqti_trait_stir(const pqti_trait *trait)
{
    const uint64_t odd = UINT64_C(0x9e6c63d0876a9a47);
    uint64_t state = pqti_stir(UINT64_C(0xb5297a4d3f84d5a3), trait->id, odd);
    state = pqti_stir(state, pqti_bits_of(trait->radius), odd);
    state = pqti_stir(state, pqti_bits_of(trait->mass), odd);
    state = pqti_stir(state, pqti_bits_of(trait->acceleration.x), odd);
    state = pqti_stir(state, pqti_bits_of(trait->acceleration.y), odd);
    return pqti_stir(state, trait->fixed, odd);
}

static uint64_t
stir_motion(uint64_t state, const pqti_body_state *motion, uint64_t odd)
{
    state = pqti_stir(state, pqti_bits_of(motion->position.x), odd);
    state = pqti_stir(state, pqti_bits_of(motion->position.y), odd);
    state = pqti_stir(state, pqti_bits_of(motion->velocity.x), odd);
    return pqti_finish(pqti_stir(state, pqti_bits_of(motion->velocity.y), odd));
}

pqt_fingerprint
pqti_body_fingerprint(uint64_t stir, const pqti_body_state *motion)
{
    return (pqt_fingerprint){stir_motion(stir, motion, UINT64_C(0xd6e8feb86659fd93)),
                             stir_motion(pqti_finish(stir), motion, UINT64_C(0xaf251af3b0f025b5))};
}

pqti_body_edit
pqti_body_edit_of(const pqt_body *body)
{
    pqti_body_edit edit = {
        .key = pqti_id_key(body->id),
        .trait = {.id = body->id,
                  .radius = body->radius,
                  .mass = body->mass,
                  .acceleration = body->acceleration,
                  .fixed = body->fixed},
        .motion = {body->position, body->velocity},
    };
    edit.trait.stir = pqti_trait_stir(&edit.trait);
    return edit;
}

pqt_body
pqti_body_of(const pqti_trait *trait, const pqti_body_state *motion)
{
    return (pqt_body){.id = trait->id,
                      .position = motion->position,
                      .velocity = motion->velocity,
                      .acceleration = trait->acceleration,
                      .radius = trait->radius,
                      .mass = trait->mass,
                      .fixed = trait->fixed != 0};
}
