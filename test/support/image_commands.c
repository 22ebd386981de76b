/* SPDX-License-Identifier: MIT */
/* image_commands.c: random commands on images and on plain arrays of colours. */
#include "config.h"

#include "image_commands.h"

#include <stdlib.h>

#include <pqt/image_bytes.h>

#include "bytes_support.h"
#include "region_builder.h"
#include "resample_model.h"
#include "suite.h"

enum { SIZES = 6 };

/* Widths and heights: less than a tile, a tile, a tile and a pixel, several levels. */
static const int32_t sizes[SIZES][2] = {{1, 1}, {16, 16}, {17, 33}, {70, 9}, {64, 64}, {100, 130}};

void
image_require(const image_stage *s, bool holds, const char *text)
{
    ck_assert_msg(holds, "step %zu, %s: %s", s->step, s->doing, text);
}

void
image_require_match(const image_stage *s, const image_version *v)
{
    image_why why = {""};
    image_require(s, image_matches(v->image, &v->model, &why), why.text);
}

/* Returns one of a few colours, or any. */
pqt_rgba
image_draw_colour(dice *d)
{
    static const pqt_rgba few[] = {{0, 0, 0, 0},       {255, 255, 255, 255}, {200, 10, 30, 255},
                                   {90, 80, 70, 128},  {1, 2, 3, 0},         {255, 0, 255, 1},
                                   {10, 200, 30, 254}, {0, 0, 0, 255}};
    const uint64_t any = dice_next(d);
    if (dice_chance(d, 80))
        return few[dice_below(d, sizeof few / sizeof *few)];
    return (pqt_rgba){(uint8_t)any, (uint8_t)(any >> 8), (uint8_t)(any >> 16),
                      (uint8_t)(any >> 24)};
}

static pqt_ink_mode
draw_mode(dice *d)
{
    return dice_chance(d, 50) ? PQT_INK_REPLACE : PQT_INK_OVER;
}

/* Returns a number from -10 to 10 beyond the side of an image. */
static int32_t
draw_near(dice *d, int32_t side)
{
    return (int32_t)dice_below(d, (size_t)side + 21) - 10;
}

pqt_pixel_box
image_draw_box(dice *d, const image_model *model)
{
    const pqt_pixel at = {draw_near(d, model->width), draw_near(d, model->height)};
    return (pqt_pixel_box){at,
                           {at.x + (int32_t)dice_below(d, (size_t)model->width + 4),
                            at.y + (int32_t)dice_below(d, (size_t)model->height + 4)}};
}

static pqt_vec
draw_point(dice *d, const image_model *model)
{
    return (pqt_vec){dice_real(d) * (model->width + 20) - 10,
                     dice_real(d) * (model->height + 20) - 10};
}

pqt_paint
image_draw_paint(dice *d, const image_model *model)
{
    const pqt_pixel at = {draw_near(d, model->width), draw_near(d, model->height)};
    const double radius = dice_real(d) * (dice_chance(d, 20) ? 90 : 12);
    switch (dice_below(d, 4)) {
    case 0:
        return pqt_paint_pixel(PQT_PAINT_SET, at);
    case 1:
        return pqt_paint_box(PQT_PAINT_SET, image_draw_box(d, model));
    case 2:
        return pqt_paint_disc(PQT_PAINT_SET, draw_point(d, model), radius);
    default:
        return pqt_paint_stroke(PQT_PAINT_SET, draw_point(d, model), draw_point(d, model), radius);
    }
}

image_version *
image_draw_version(image_stage *s)
{
    return &s->versions[dice_below(&s->d, KEPT)];
}

/* ---- Commands ---- */

image_version
image_start_again(image_stage *s)
{
    pqt_error error = {0};
    const int32_t *size = sizes[dice_below(&s->d, SIZES)];
    const pqt_rgba colour = image_draw_colour(&s->d);
    image_version next = {.model = image_model_make(size[0], size[1], colour)};
    if (dice_chance(&s->d, 50)) {
        next.image = pqt_image_make((size_t)size[0], (size_t)size[1], colour, s->memory, &error);
    } else {
        for (int i = 0; i < size[0] * size[1]; i++)
            next.model.pixels[i] = image_draw_colour(&s->d);
        next.image = pqt_image_of_rgba(&next.model.pixels[0].r, (size_t)size[0], (size_t)size[1],
                                       4 * (size_t)size[0], s->memory, &error);
    }
    image_require(s, next.image != NULL, error.text);
    return next;
}

static image_version
set_a_pixel(image_stage *s)
{
    pqt_error error = {0};
    const image_version *v = image_draw_version(s);
    image_version next = {.model = image_model_copy(&v->model)};
    const pqt_pixel at = {draw_near(&s->d, v->model.width), draw_near(&s->d, v->model.height)};
    const pqt_rgba colour = image_draw_colour(&s->d);
    image_model_put(&next.model, at.x, at.y, colour);
    next.image = pqt_image_set_pixel(v->image, at, colour, &error);
    image_require(s, next.image != NULL, error.text);
    return next;
}

static image_version
paint_a_shape(image_stage *s)
{
    pqt_error error = {0};
    const image_version *v = image_draw_version(s);
    image_version next = {.model = image_model_copy(&v->model)};
    const pqt_paint paint = image_draw_paint(&s->d, &v->model);
    const pqt_rgba colour = image_draw_colour(&s->d);
    const pqt_ink_mode mode = draw_mode(&s->d);
    for (int32_t y = 0; y < v->model.height; y++)
        for (int32_t x = 0; x < v->model.width; x++)
            if (paint_has(&paint, x, y))
                image_model_ink(&next.model, x, y, colour, mode);
    next.image = pqt_image_paint(v->image, paint, colour, mode, &error);
    image_require(s, next.image != NULL, error.text);
    return next;
}

static image_version
fill_a_region(image_stage *s)
{
    pqt_error error = {0};
    const image_version *v = image_draw_version(s);
    image_version next = {.model = image_model_copy(&v->model)};
    const pqt_paint paints[] = {image_draw_paint(&s->d, &v->model),
                                image_draw_paint(&s->d, &v->model)};
    const pqt_pixel at = {draw_near(&s->d, 9) - 5, draw_near(&s->d, 9) - 5};
    const pqt_rgba colour = image_draw_colour(&s->d);
    const pqt_ink_mode mode = draw_mode(&s->d);
    const pqt_region *region = pqt_region_make(s->memory, &error);
    region = pqt_region_paint_all(region, paints, 2, &error);
    next.image = pqt_image_fill(v->image, region, at, colour, mode, &error);
    image_require(s, next.image != NULL, error.text);
    for (int32_t y = 0; y < v->model.height; y++)
        for (int32_t x = 0; x < v->model.width; x++)
            if (paint_has(&paints[0], x - at.x, y - at.y) ||
                paint_has(&paints[1], x - at.x, y - at.y))
                image_model_ink(&next.model, x, y, colour, mode);
    return next;
}

static bool
box_has(pqt_pixel_box box, int32_t x, int32_t y)
{
    return x >= box.min.x && y >= box.min.y && x < box.max.x && y < box.max.y;
}

static image_version
blit_an_image(image_stage *s)
{
    pqt_error error = {0};
    const image_version *v = image_draw_version(s), *from = image_draw_version(s);
    image_version next = {.model = image_model_copy(&v->model)};
    const pqt_pixel_box box = image_draw_box(&s->d, &from->model);
    pqt_pixel at = {draw_near(&s->d, v->model.width), draw_near(&s->d, v->model.height)};
    const pqt_ink_mode mode = draw_mode(&s->d);
    if (dice_chance(&s->d, 30)) /* tile on tile */
        at = (pqt_pixel){box.min.x + 16 * (int32_t)dice_below(&s->d, 3), box.min.y};
    next.image = pqt_image_blit(v->image, from->image, box, at, mode, &error);
    image_require(s, next.image != NULL, error.text);
    for (int32_t y = 0; y < from->model.height; y++)
        for (int32_t x = 0; x < from->model.width; x++)
            if (box_has(box, x, y))
                image_model_ink(&next.model, x + at.x - box.min.x, y + at.y - box.min.y,
                                image_model_at(&from->model, x, y), mode);
    return next;
}

/* Writes a image_version as bytes, and reads it again. */
static image_version
through_bytes(image_stage *s)
{
    pqt_error error = {0};
    const image_version *v = image_draw_version(s);
    image_version next = {.model = image_model_copy(&v->model)};
    byte_buffer buffer = {.step = 1 + dice_below(&s->d, 5000)};
    image_require(s, pqt_image_write(v->image, sink, &buffer, &error), error.text);
    next.image = pqt_image_read(source, &buffer, s->memory, &error);
    image_require(s, next.image != NULL, error.text);
    free(buffer.bytes);
    return next;
}

/* ---- Selections and floods ---- */

static bool
is_within(int a, int b, int tolerance)
{
    return abs(a - b) <= tolerance;
}

/* Returns true if a selection has a colour, by the definition in the header. */
static bool
selects(const pqt_image_selection *selection, pqt_rgba colour)
{
    const pqt_rgba of = selection->colour;
    const int tolerance = selection->tolerance;
    switch (selection->property) {
    case PQT_SELECT_ALPHA:
        return colour.a > selection->threshold;
    case PQT_SELECT_LIGHT:
        return (77 * colour.r + 150 * colour.g + 29 * colour.b) / 256.0 > selection->threshold;
    default:
        return is_within(colour.r, of.r, tolerance) && is_within(colour.g, of.g, tolerance) &&
               is_within(colour.b, of.b, tolerance) && is_within(colour.a, of.a, tolerance);
    }
}

static uint8_t
draw_tolerance(dice *d)
{
    static const uint8_t few[] = {0, 0, 60, 254, 255};
    return few[dice_below(d, sizeof few)];
}

/* Compares a selection with its definition, and fills it. */
static image_version
fill_a_selection(image_stage *s)
{
    pqt_error error = {0};
    const image_version *v = image_draw_version(s);
    image_version next = {.model = image_model_copy(&v->model)};
    const pqt_image_selection selection = {.property =
                                               (pqt_image_property)(1 + dice_below(&s->d, 3)),
                                           .threshold = (uint8_t)dice_next(&s->d),
                                           .tolerance = draw_tolerance(&s->d),
                                           .colour = image_draw_colour(&s->d)};
    const pqt_rgba colour = image_draw_colour(&s->d);
    const pqt_region *region = pqt_image_select(v->image, selection, &error);
    image_require(s, region != NULL && pqt_region_check(region, &error), error.text);
    for (int32_t y = -1; y <= v->model.height; y++)
        for (int32_t x = -1; x <= v->model.width; x++) {
            const bool has = x >= 0 && y >= 0 && x < v->model.width && y < v->model.height &&
                             selects(&selection, image_model_at(&v->model, x, y));
            image_require(s, pqt_region_contains(region, (pqt_pixel){x, y}) == has,
                          "a pixel is selected, or is not");
            if (has)
                image_model_put(&next.model, x, y, colour);
        }
    next.image =
        pqt_image_fill(v->image, region, (pqt_pixel){0, 0}, colour, PQT_INK_REPLACE, &error);
    image_require(s, next.image != NULL, error.text);
    return next;
}

/* Floods a model: spreads from pixel to pixel until nothing is added. */
static void
flood_model(image_model *model, const image_model *from, pqt_pixel at, uint8_t tolerance,
            pqt_rgba colour, pqt_ink_mode mode)
{
    const int32_t width = from->width, height = from->height;
    const size_t count = (size_t)width * (size_t)height;
    const pqt_image_selection near = {PQT_SELECT_COLOUR, 0, tolerance,
                                      image_model_at(from, at.x, at.y)};
    int32_t *stack = malloc((4 * count + 1) * sizeof *stack);
    bool *seen = calloc(count, sizeof *seen);
    if (stack == NULL || seen == NULL)
        abort();
    size_t left = 1;
    stack[0] = at.y * width + at.x;
    while (left > 0) {
        const int32_t i = stack[--left], x = i % width, y = i / width;
        if (seen[i] || !selects(&near, image_model_at(from, x, y)))
            continue;
        seen[i] = true;
        image_model_ink(model, x, y, colour, mode);
        if (x > 0)
            stack[left++] = i - 1;
        if (x + 1 < width)
            stack[left++] = i + 1;
        if (y > 0)
            stack[left++] = i - width;
        if (y + 1 < height)
            stack[left++] = i + width;
    }
    free(stack);
    free(seen);
}

static image_version
flood_an_area(image_stage *s)
{
    pqt_error error = {0};
    const image_version *v = image_draw_version(s);
    image_version next = {.model = image_model_copy(&v->model)};
    const pqt_pixel at = {draw_near(&s->d, v->model.width), draw_near(&s->d, v->model.height)};
    const uint8_t tolerance = draw_tolerance(&s->d);
    const pqt_rgba colour = image_draw_colour(&s->d);
    const pqt_ink_mode mode = draw_mode(&s->d);
    next.image = pqt_image_flood(v->image, at, tolerance, colour, mode, &error);
    image_require(s, next.image != NULL, error.text);
    if (at.x >= 0 && at.y >= 0 && at.x < v->model.width && at.y < v->model.height)
        flood_model(&next.model, &v->model, at, tolerance, colour, mode);
    return next;
}

/* ---- Merges ---- */

/* The boxes in conflict that a merge reported, and the answer to each. */
typedef struct conflict_list {
    pqt_pixel_box boxes[400];
    pqt_image_resolution answers[400];
    size_t count;
    dice d;
} conflict_list;

static pqt_image_resolution
answer_conflict(const pqt_pixel_box *box, void *context)
{
    conflict_list *list = context;
    ck_assert_uint_lt(list->count, 400);
    list->boxes[list->count] = *box;
    return list->answers[list->count++] = (pqt_image_resolution)(1 + dice_below(&list->d, 3));
}

/* Returns the answer for a pixel in conflict, which must be in exactly one box. */
static pqt_image_resolution
answer_at(const image_stage *s, const conflict_list *list, int32_t x, int32_t y)
{
    pqt_image_resolution answer = PQT_IMAGE_UNRESOLVED;
    for (size_t i = 0; i < list->count; i++) {
        if (!box_has(list->boxes[i], x, y))
            continue;
        image_require(s, answer == PQT_IMAGE_UNRESOLVED, "a conflict is in two boxes");
        answer = list->answers[i];
    }
    image_require(s, answer != PQT_IMAGE_UNRESOLVED, "a conflict is in no box");
    return answer;
}

static pqt_rgba
merged_colour(const image_stage *s, const conflict_list *list, pqt_rgba base, pqt_rgba ours,
              pqt_rgba theirs, int32_t x, int32_t y)
{
    if (same_rgba(ours, base) || same_rgba(ours, theirs))
        return theirs;
    if (same_rgba(theirs, base))
        return ours;
    const pqt_image_resolution answer = answer_at(s, list, x, y);
    return answer == PQT_IMAGE_KEEP_OURS ? ours : answer == PQT_IMAGE_KEEP_THEIRS ? theirs : base;
}

/* Returns a image_version with two more shapes. */
static image_version
edit_twice(image_stage *s, const image_version *from)
{
    image_version next = {from->image, image_model_copy(&from->model), NULL};
    for (int i = 0; i < 2; i++) {
        pqt_error error = {0};
        const pqt_paint paint = image_draw_paint(&s->d, &from->model);
        const pqt_rgba colour = image_draw_colour(&s->d);
        for (int32_t y = 0; y < from->model.height; y++)
            for (int32_t x = 0; x < from->model.width; x++)
                if (paint_has(&paint, x, y))
                    image_model_ink(&next.model, x, y, colour, PQT_INK_REPLACE);
        next.image = pqt_image_paint(next.image, paint, colour, PQT_INK_REPLACE, &error);
        image_require(s, next.image != NULL, error.text);
    }
    return next;
}

static image_version
merge_two(image_stage *s)
{
    pqt_error error = {0};
    const image_version *base = image_draw_version(s);
    image_version ours = edit_twice(s, base), theirs = edit_twice(s, base);
    conflict_list list = {.d = s->d};
    image_version next = {.model = image_model_copy(&base->model)};
    next.image =
        pqt_image_merge(base->image, ours.image, theirs.image, answer_conflict, &list, &error);
    image_require(s, next.image != NULL, error.text);
    for (int32_t y = 0; y < base->model.height; y++)
        for (int32_t x = 0; x < base->model.width; x++)
            image_model_put(&next.model, x, y,
                            merged_colour(s, &list, image_model_at(&base->model, x, y),
                                          image_model_at(&ours.model, x, y),
                                          image_model_at(&theirs.model, x, y), x, y));
    const pqt_image *strict =
        pqt_image_merge(base->image, ours.image, theirs.image, NULL, NULL, &error);
    image_require(s, (strict == NULL) == (list.count > 0), "a conflict was missed");
    image_require(s, strict != NULL || error.status == PQT_ERROR_CONFLICT, error.text);
    image_model_free(&ours.model);
    image_model_free(&theirs.model);
    return next;
}

/* ---- Maps ---- */

/* Returns the whole number nearest to a fraction, by counting. */
static uint8_t
nearest_whole(int64_t sum, int64_t whole)
{
    uint8_t result = 0;
    while (2 * sum >= (2 * result + 1) * whole)
        result++;
    return result;
}

/* Returns the colour of a pixel of a resized box, by the definition in the header. */
static pqt_rgba
resized_at(const image_model *model, pqt_pixel_box box, int32_t width, int32_t height,
           pqt_sampling sampling, int32_t x, int32_t y)
{
    const int32_t n = box.max.x - box.min.x, p = box.max.y - box.min.y;
    int64_t alpha = 0, sums[3] = {0};
    if (n == 0 || p == 0)
        return (pqt_rgba){0, 0, 0, 0};
    if (sampling == PQT_SAMPLE_NEAREST)
        return image_model_at(model, box.min.x + (2 * x + 1) * n / (2 * width),
                              box.min.y + (2 * y + 1) * p / (2 * height));
    for (int32_t v = y * p / height; v < p && v * height < (y + 1) * p; v++)
        for (int32_t u = x * n / width; u < n && u * width < (x + 1) * n; u++) {
            const pqt_rgba colour = image_model_at(model, box.min.x + u, box.min.y + v);
            const int64_t share = common_units(n, width, x, u) * common_units(p, height, y, v);
            alpha += share * colour.a;
            sums[0] += share * colour.a * colour.r;
            sums[1] += share * colour.a * colour.g;
            sums[2] += share * colour.a * colour.b;
        }
    const uint8_t a = nearest_whole(alpha, (int64_t)n * p);
    return a == 0 ? (pqt_rgba){0, 0, 0, 0}
                  : (pqt_rgba){nearest_whole(sums[0], alpha), nearest_whole(sums[1], alpha),
                               nearest_whole(sums[2], alpha), a};
}

static image_version
resize_a_box(image_stage *s)
{
    pqt_error error = {0};
    const image_version *v = image_draw_version(s);
    const int32_t *size = sizes[dice_below(&s->d, SIZES)];
    const pqt_pixel_box box = image_draw_box(&s->d, &v->model);
    const pqt_sampling sampling = draw_sampling(&s->d);
    image_version next = {.model = image_model_make(size[0], size[1], (pqt_rgba){0, 0, 0, 0})};
    for (int32_t y = 0; y < size[1]; y++)
        for (int32_t x = 0; x < size[0]; x++)
            image_model_put(&next.model, x, y,
                            resized_at(&v->model, box, size[0], size[1], sampling, x, y));
    next.image =
        pqt_image_resize(v->image, box, (size_t)size[0], (size_t)size[1], sampling, &error);
    image_require(s, next.image != NULL, error.text);
    return next;
}

/* Maps an image by a quarter turn or a flip and a move, which no rounding displaces. */
static image_version
turn_an_image(image_stage *s)
{
    pqt_error error = {0};
    const image_version *v = image_draw_version(s);
    const int32_t *size = sizes[dice_below(&s->d, SIZES)];
    const int32_t right = dice_chance(&s->d, 50) ? 1 : -1, down = dice_chance(&s->d, 50) ? 1 : -1;
    const int32_t dx = draw_near(&s->d, v->model.width), dy = draw_near(&s->d, v->model.height);
    const bool swaps = dice_chance(&s->d, 50);
    const pqt_affine map = {.xx = swaps ? 0 : right,
                            .xy = swaps ? right : 0,
                            .dx = dx,
                            .yx = swaps ? down : 0,
                            .yy = swaps ? 0 : down,
                            .dy = dy};
    const pqt_sampling sampling = draw_sampling(&s->d);
    image_version next = {.model = image_model_make(size[0], size[1], (pqt_rgba){0, 0, 0, 0})};
    for (int32_t y = 0; y < v->model.height; y++)
        for (int32_t x = 0; x < v->model.width; x++) {
            const pqt_rgba colour = image_model_at(&v->model, x, y);
            const int32_t u = dx + right * (swaps ? y : x) - (right < 0);
            const int32_t w = dy + down * (swaps ? x : y) - (down < 0);
            image_model_put(&next.model, u, w,
                            sampling == PQT_SAMPLE_AREA && colour.a == 0 ? (pqt_rgba){0, 0, 0, 0}
                                                                         : colour);
        }
    next.image = pqt_image_map(v->image, map, (size_t)size[0], (size_t)size[1], sampling, &error);
    image_require(s, next.image != NULL, error.text);
    return next;
}

static const image_command image_commands[] = {
    {"start again", image_start_again, 10},
    {"set a pixel", set_a_pixel, 15},
    {"paint a shape", paint_a_shape, 40},
    {"fill a region", fill_a_region, 20},
    {"blit an image", blit_an_image, 20},
    {"through bytes", through_bytes, 10},
    {"fill a selection", fill_a_selection, 15},
    {"flood an area", flood_an_area, 15},
    {"merge two", merge_two, 15},
    {"resize a box", resize_a_box, 15},
    {"turn an image", turn_an_image, 15},
};

const image_command *
image_draw_command(dice *d)
{
    const size_t count = sizeof image_commands / sizeof *image_commands;
    size_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += image_commands[i].weight;
    size_t at = dice_below(d, all);
    for (size_t i = 0; i < count; i++) {
        if (at < image_commands[i].weight)
            return &image_commands[i];
        at -= image_commands[i].weight;
    }
    abort();
}
