/* SPDX-License-Identifier: MIT */
/*
 * bytes_world.c: writes and reads a world as sections: WRLD; its bodies in ascending order of id,
 * in BODY sections; its states of rest (bytes_rest.c); the sections of its obstacle, if it has one;
 * and DONE.
 *
 * The tree and the body map are rebuilt from the bodies.
 */
#include "config.h"

#include <pqt/bytes.h>

#include <stdlib.h>
#include <string.h>

#include "base/error_internal.h"
#include "io/bytes_internal.h"
#include "io/bytes_rest.h"
#include "memory/memory_internal.h"
#include "tree/item_hash.h"
#include "world/world_internal.h"

enum {
    NUMBERS = 8,           /* the doubles of a body: position, velocity, acceleration, radius,
                              mass */
    COLUMNS = NUMBERS + 4, /* before the doubles, the id; after them, the roles, user_data, and the
                              category combined with the mask */
    SPIN_COLUMNS = 2,      /* angle and angular velocity, stored if any body has a spin */
    MOST_COLUMNS = COLUMNS + SPIN_COLUMNS,
    ROWS = 1024,
    WORLD_SIZE = 56,
    WALLS = 1, /* bits of the flags */
    OBSTACLE = 2,
    AWAKE = 4,  /* a state of rest of awake bodies follows */
    ASLEEP = 8, /* a state of rest of sleeping bodies follows */
    SPINS = 16  /* bodies have spins */
};

_Static_assert(ROWS *MOST_COLUMNS <= PQTI_SECTION_WORDS,
               "a block of bodies does not fit into a section");

#define NEGATIVE_ZERO (UINT64_C(1) << 63)

/* ---- Writing ---- */

static int
compare_ids(const void *a, const void *b)
{
    const uint64_t id_a = ((const pqt_body *)a)->id, id_b = ((const pqt_body *)b)->id;
    return id_a < id_b ? -1 : id_a > id_b;
}

static void
words_of_body(const pqt_body *body, uint64_t *word)
{
    const double numbers[NUMBERS] = {
        body->position.x,     body->position.y,     body->velocity.x, body->velocity.y,
        body->acceleration.x, body->acceleration.y, body->radius,     body->mass};
    word[0] = body->id;
    for (int i = 0; i < NUMBERS; i++)
        word[(1 + i) * ROWS] = pqti_bits_of(numbers[i]);
    word[(1 + NUMBERS) * ROWS] = pqti_body_roles(body);
    word[(2 + NUMBERS) * ROWS] = body->user_data;
    word[(3 + NUMBERS) * ROWS] = body->category | (uint64_t)body->mask << 32;
    word[COLUMNS * ROWS] = pqti_bits_of(body->angle);
    word[(COLUMNS + 1) * ROWS] = pqti_bits_of(body->angular_velocity);
}

/* Returns the number of columns in a BODY section. */
static size_t
columns_of(unsigned flags)
{
    return (flags & SPINS) != 0 ? MOST_COLUMNS : COLUMNS;
}

static unsigned
flags_of(const pqt_world *world)
{
    return (world->walls != 0 ? WALLS : 0u) |
           (pqt_world_get_obstacle(world).region != NULL ? OBSTACLE : 0u) |
           (world->rest.awake != NULL ? AWAKE : 0u) | (world->rest.asleep != NULL ? ASLEEP : 0u) |
           (world->bodies.spins != NULL ? SPINS : 0u);
}

/* Writes sorted bodies in sections. Returns false and sets the error on failure. */
static bool
write_blocks(pqti_writer *writer, const pqt_body *bodies, size_t count, size_t columns,
             uint64_t *words)
{
    for (size_t from = 0; from < count; from += ROWS) {
        const size_t rows = count - from < ROWS ? count - from : ROWS;
        for (size_t i = 0; i < rows; i++)
            words_of_body(&bodies[from + i], words + i);
        if (!pqti_section_write_columns(writer, "BODY", words, ROWS, columns, rows))
            return false;
    }
    return true;
}

/* Writes the sections of a world. Returns false and sets the error on failure. */
static bool
write_bodies(pqti_writer *writer, const pqt_world *world)
{
    const size_t count = pqt_world_count(world);
    uint64_t *words = pqti_alloc_scratch(PQTI_SECTION_WORDS, sizeof *words);
    pqt_body *bodies = words == NULL ? NULL : pqti_alloc_scratch(count, sizeof *bodies);
    bool written = bodies != NULL;
    if (written) {
        pqt_world_collect(world, NULL, bodies, count);
        qsort(bodies, count, sizeof *bodies, compare_ids);
        written = write_blocks(writer, bodies, count, columns_of(flags_of(world)), words);
    } else {
        pqti_out_of_memory(writer->error);
    }
    pqti_free_scratch(bodies);
    pqti_free_scratch(words);
    return written;
}

static bool
write_world_section(pqti_writer *writer, const pqt_world *world)
{
    const pqti_domain *domain = world->tree->domain;
    const pqt_obstacle obstacle = pqt_world_get_obstacle(world);
    pqti_section_begin(writer, "WRLD");
    pqti_section_put_bounds(writer, &domain->bounds);
    pqti_section_put(writer, world->tree->count, 4);
    pqti_section_put(writer, (uint64_t)domain->options.leaf_capacity, 2);
    pqti_section_put(writer, flags_of(world), 2);
    pqti_section_put_double(writer, obstacle.at.x);
    pqti_section_put_double(writer, obstacle.at.y);
    return pqti_section_end(writer);
}

static bool
write_sections(pqti_writer *writer, const void *version)
{
    const pqt_world *world = version;
    const pqt_region *obstacle = pqt_world_get_obstacle(world).region;
    return write_world_section(writer, world) && write_bodies(writer, world) &&
           (world->rest.awake == NULL || pqti_rest_write_sections(writer, world->rest.awake)) &&
           (world->rest.asleep == NULL || pqti_rest_write_sections(writer, world->rest.asleep)) &&
           (obstacle == NULL || pqti_region_write_sections(writer, obstacle)) &&
           pqti_write_done(writer, pqt_world_fingerprint(world));
}

/* ---- Reading ---- */

/* A world that is being read: the fields of the WRLD section, and the bodies read so far. */
typedef struct world_reader {
    pqti_reader *reader;
    size_t most; /* the number of bodies that the WRLD section announces */
    unsigned flags;
    pqt_vec at;       /* the position of the obstacle */
    pqt_body *bodies; /* in scratch memory */
    size_t count, capacity;
} world_reader;

/* Checks the fields of the WRLD section: no unknown flags, no position of an obstacle that is not
   there (not even -0.0), and not too many bodies. Returns false and sets the error on failure. */
static bool
check_world_section(const world_reader *worlds)
{
    if (worlds->flags > (WALLS | OBSTACLE | AWAKE | ASLEEP | SPINS))
        return pqti_section_fault(worlds->reader, "flags have unknown bits (%d)",
                                  (int)worlds->flags);
    if ((worlds->flags & OBSTACLE) == 0 &&
        (pqti_bits_of(worlds->at.x) | pqti_bits_of(worlds->at.y)))
        return pqti_section_fault(worlds->reader, "there is no obstacle, but it has a position");
    return worlds->most <= PQT_MAX_ITEMS ||
           pqti_section_fault(worlds->reader, "%zu bodies, the maximum is %d", worlds->most,
                              PQT_MAX_ITEMS);
}

/* Reads the WRLD section and returns a world without bodies. Returns NULL and sets the error on
   failure. */
static const pqt_world *
read_world_section(world_reader *worlds, pqt_memory *memory)
{
    pqti_reader *reader = worlds->reader;
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    pqt_error failure = {0};
    if (!pqti_section_read(reader, "WRLD", WORLD_SIZE, WORLD_SIZE))
        return NULL;
    const pqt_box bounds = pqti_section_get_bounds(reader);
    worlds->most = (size_t)pqti_section_get(reader, 4);
    options.leaf_capacity = (int)pqti_section_get(reader, 2);
    worlds->flags = (unsigned)pqti_section_get(reader, 2);
    worlds->at.x = pqti_section_get_double(reader);
    worlds->at.y = pqti_section_get_double(reader);
    options.walls = (worlds->flags & WALLS) != 0;
    options.memory = memory;
    if (!check_world_section(worlds))
        return NULL;
    const pqt_world *empty = pqt_world_make(bounds, &options, &failure);
    if (empty == NULL)
        pqti_section_fault_of(reader, &failure);
    else if (!pqti_check_bounds_zeros(reader, &bounds))
        empty = NULL;
    return empty;
}

/* Makes room for `more` bodies. Returns false and sets the error on failure. */
static bool
reserve_bodies(world_reader *worlds, size_t more)
{
    if (more <= worlds->capacity - worlds->count)
        return true;
    size_t capacity = 2 * worlds->capacity;
    capacity = capacity > worlds->count + more ? capacity : worlds->count + more;
    capacity = capacity < worlds->most ? capacity : worlds->most;
    pqt_body *larger = pqti_resize_scratch(worlds->bodies, worlds->count, capacity, sizeof *larger);
    if (larger == NULL) {
        pqti_out_of_memory(worlds->reader->error);
        return false;
    }
    worlds->bodies = larger;
    worlds->capacity = capacity;
    return true;
}

/* Sets the spin of a body from the words of its row. */
static bool
set_spin(const world_reader *worlds, const uint64_t *word, pqt_body *body)
{
    const uint64_t angle = word[COLUMNS * ROWS], velocity = word[(COLUMNS + 1) * ROWS];
    memcpy(&body->angle, &angle, sizeof angle);
    memcpy(&body->angular_velocity, &velocity, sizeof velocity);
    return (angle != NEGATIVE_ZERO && velocity != NEGATIVE_ZERO) ||
           pqti_section_fault(worlds->reader, "body %zu: a number is -0.0", worlds->count);
}

/* Converts words to a body. It is a fault if pqt_world_add_all would change a number. Returns false
   and sets the error on failure. */
static bool
body_of_words(world_reader *worlds, const uint64_t *word, pqt_body *body)
{
    const uint64_t roles = word[(1 + NUMBERS) * ROWS];
    double numbers[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) {
        memcpy(&numbers[i], &word[(1 + i) * ROWS], sizeof numbers[i]);
        if (word[(1 + i) * ROWS] == NEGATIVE_ZERO)
            return pqti_section_fault(worlds->reader, "body %zu: a number is -0.0", worlds->count);
    }
    if ((uint32_t)roles > PQTI_ROLES || numbers[NUMBERS - 1] == 0)
        return pqti_section_fault(worlds->reader, "body %zu: %s", worlds->count,
                                  (uint32_t)roles > PQTI_ROLES ? "its roles have an unknown flag"
                                                               : "the mass is 0");
    if (roles >> 32 == NEGATIVE_ZERO >> 32)
        return pqti_section_fault(worlds->reader, "body %zu: a number is -0.0", worlds->count);
    *body = (pqt_body){.id = word[0],
                       .position = {numbers[0], numbers[1]},
                       .velocity = {numbers[2], numbers[3]},
                       .acceleration = {numbers[4], numbers[5]},
                       .radius = numbers[6],
                       .mass = numbers[7],
                       .user_data = word[(2 + NUMBERS) * ROWS],
                       .category = (uint32_t)word[(3 + NUMBERS) * ROWS],
                       .mask = (uint32_t)(word[(3 + NUMBERS) * ROWS] >> 32)};
    pqti_body_set_roles(body, roles);
    if ((worlds->flags & SPINS) != 0 && !set_spin(worlds, word, body))
        return false;
    return worlds->count == 0 || worlds->bodies[worlds->count - 1].id < body->id ||
           pqti_section_fault(worlds->reader,
                              "body %zu: its id is not greater than the previous one",
                              worlds->count);
}

/* Reads the next BODY section. Returns false and sets the error on failure. */
static bool
read_block(world_reader *worlds, uint64_t *words)
{
    const size_t rows =
        pqti_section_read_columns(worlds->reader, "BODY", words, ROWS, columns_of(worlds->flags),
                                  worlds->most - worlds->count);
    if (rows == 0 || !reserve_bodies(worlds, rows))
        return false;
    for (size_t i = 0; i < rows; i++, worlds->count++)
        if (!body_of_words(worlds, words + i, &worlds->bodies[worlds->count]))
            return false;
    return true;
}

/* Reads all BODY sections and returns the world with their bodies. Returns NULL and sets the error
   on failure. */
static const pqt_world *
read_bodies(world_reader *worlds, const pqt_world *empty)
{
    uint64_t *words = pqti_alloc_scratch(PQTI_SECTION_WORDS, sizeof *words);
    pqt_error failure = {0};
    bool read = words != NULL;
    if (!read)
        pqti_out_of_memory(worlds->reader->error);
    while (read && worlds->count < worlds->most)
        read = read_block(worlds, words);
    pqti_free_scratch(words);
    if (!read)
        return NULL;
    const pqt_world *world = pqt_world_add_all(empty, worlds->bodies, worlds->count, &failure);
    if (world == NULL)
        pqti_section_fault_of(worlds->reader, &failure);
    else if ((worlds->flags & SPINS) != 0 && world->bodies.spins == NULL) {
        pqti_section_fault(worlds->reader, "the flags announce spins, but no body has one");
        return NULL;
    }
    return world;
}

/* Reads the states of rest that are present according to the flags. Returns false and sets the
   error on failure. */
static bool
read_rest(const world_reader *worlds, pqt_memory *memory, pqti_rest_states *rest)
{
    return ((worlds->flags & AWAKE) == 0 ||
            pqti_rest_read_sections(worlds->reader, memory, &rest->awake)) &&
           ((worlds->flags & ASLEEP) == 0 ||
            pqti_rest_read_sections(worlds->reader, memory, &rest->asleep));
}

/* Adds the states of rest to a world and returns it. Returns NULL and sets the error on failure. */
static const pqt_world *
add_rest(const world_reader *worlds, const pqt_world *world, pqti_rest_states rest)
{
    pqt_world next = *world;
    next.rest = rest;
    const char *fault = pqti_validate_rest(&next);
    if (fault == NULL)
        return pqti_world_make(&next, worlds->reader->error);
    pqti_section_fault(worlds->reader, "%s", fault);
    return NULL;
}

/* Reads the obstacle, if there is one, and returns the world with it. Returns NULL and sets the
   error on failure. */
static const pqt_world *
read_obstacle(const world_reader *worlds, const pqt_world *world)
{
    pqt_error failure = {0};
    const pqt_region *region = pqti_region_read_sections(worlds->reader, pqti_world_memory(world));
    if (region == NULL)
        return NULL;
    const pqt_world *next =
        pqt_world_set_obstacle(world, (pqt_obstacle){region, worlds->at}, &failure);
    if (next == NULL) {
        pqti_section_fault_of(worlds->reader, &failure);
        return NULL;
    }
    const pqt_obstacle set = pqt_world_get_obstacle(next);
    if (set.region != NULL && pqti_bits_of(set.at.x) == pqti_bits_of(worlds->at.x) &&
        pqti_bits_of(set.at.y) == pqti_bits_of(worlds->at.y))
        return next;
    pqti_section_fault(worlds->reader,
                       "the obstacle has no pixels, or its position is not a multiple of 1/1024");
    return NULL;
}

/* Reads a world. Returns NULL and sets the error on failure. */
static const void *
read_sections(pqti_reader *reader, pqt_memory *memory)
{
    world_reader worlds = {.reader = reader};
    const pqt_world *empty = read_world_section(&worlds, memory);
    const pqt_world *world = empty == NULL ? NULL : read_bodies(&worlds, empty);
    pqti_rest_states rest = {NULL, NULL};
    if (world != NULL && !read_rest(&worlds, pqti_world_memory(world), &rest))
        world = NULL;
    if (world != NULL && (worlds.flags & OBSTACLE) != 0)
        world = read_obstacle(&worlds, world);
    if (world != NULL && (rest.awake != NULL || rest.asleep != NULL))
        world = add_rest(&worlds, world, rest);
    pqti_free_scratch(worlds.bodies);
    return world != NULL && pqti_read_done(reader, pqt_world_fingerprint(world)) ? world : NULL;
}

const pqti_kind_bytes pqti_world_bytes = {
    .write_sections = write_sections,
    .read_sections = read_sections,
};
