/* SPDX-License-Identifier: MIT */
/*
 * sections.c: the list of the sections, and what they share.
 */
#include "results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const result_section result_sections[] = {{"trees", print_trees},          {"maps", print_maps},
                                          {"document", print_document},    {"sphere", print_sphere},
                                          {"worlds", print_worlds},        {"scenes", print_scenes},
                                          {"convexes", print_convexes},    {"sweeps", print_sweeps},
                                          {"image", print_image},          {"region", print_region},
                                          {"collisions", print_collisions}};

const size_t result_section_count = sizeof result_sections / sizeof result_sections[0];

void
results_print(const result_section *section, FILE *out)
{
    pqt_error error = {0};
    printer p = {out, {2026}, pqt_arena_make(0, &error)};
    must(p.memory != NULL, "arena", &error);
    fprintf(out, "[%s]\n", section->name);
    section->print(&p);
    pqt_arena_destroy(&p.memory);
}

double
draw(printer *p, double low, double high)
{
    const double share = dice_real(&p->source);
    return low * (1 - share) + high * share;
}

void
must(bool succeeded, const char *what, const pqt_error *error)
{
    if (succeeded)
        return;
    fprintf(stderr, "%s: %s\n", what, error->text);
    exit(1);
}

const pqt_region *
draw_obstacle(printer *p, int discs, double side, pqt_error *error)
{
    const pqt_region *region = pqt_region_make(p->memory, error);
    for (int i = 0; i < discs; i++) {
        const pqt_vec from = {draw(p, 0, side), draw(p, 0, side)};
        const pqt_vec to = {draw(p, 0, side), draw(p, 0, side)};
        const double radius = draw(p, side / 1000, side / 25);
        region = pqt_region_paint(region, pqt_paint_disc(PQT_PAINT_SET, from, radius), error);
        if (i % 4 == 0)
            region = pqt_region_paint(region, pqt_paint_stroke(PQT_PAINT_SET, from, to, 1), error);
    }
    return region;
}

/* ---- Hashes ---- */

bool
hash_bytes(const void *bytes, size_t count, void *context)
{
    byte_hash *sum = context;
    for (size_t i = 0; i < count; i++)
        sum->hash = (sum->hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    sum->length += count;
    return true;
}

void
hash_integer(uint64_t number, byte_hash *sum)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> (8 * i));
    hash_bytes(bytes, sizeof bytes, sum);
}

void
hash_number(double number, byte_hash *sum)
{
    uint64_t bits = 0;
    if (number == number)
        memcpy(&bits, &number, sizeof bits);
    hash_integer(bits, sum);
}

void
hash_vec(pqt_vec v, byte_hash *sum)
{
    hash_number(v.x, sum);
    hash_number(v.y, sum);
}

void
print_bytes(printer *p, bool written, const byte_hash *sum, const pqt_error *error)
{
    must(written, "bytes", error);
    fprintf(p->out, "bytes     %016" PRIx64 ", %" PRIu64 "\n", sum->hash, sum->length);
}

void
print_hash(printer *p, const char *what, const byte_hash *sum)
{
    fprintf(p->out, "%-24s %016" PRIx64 "\n", what, sum->hash);
}

void
print_fingerprint(printer *p, const char *what, pqt_fingerprint fingerprint)
{
    fprintf(p->out, "%-24s %016" PRIx64 "%016" PRIx64 "\n", what, fingerprint.high,
            fingerprint.low);
}
