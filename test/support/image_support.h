/* SPDX-License-Identifier: MIT */
/* image_support.h: functions for tests of images: an arena for each test, and colours. */
#ifndef TEST_IMAGE_SUPPORT_H
#define TEST_IMAGE_SUPPORT_H

#include <check.h>

#include <pqt/image.h>
#include <pqt/memory.h>

#include "suite.h"

static const pqt_rgba white = {255, 255, 255, 255}, red = {255, 0, 0, 255};
static pqt_memory *arena;

static inline void
open_arena(void)
{
    arena = pqt_arena_make(0, NULL);
    ck_assert_ptr_nonnull(arena);
}

static inline void
close_arena(void)
{
    pqt_arena_destroy(&arena);
}

/* Fails if the image is NULL or damaged. Returns it. */
static inline const pqt_image *
sound(const pqt_image *image, const pqt_error *error)
{
    pqt_error broken = {0};
    ck_assert_msg(image != NULL, "%s", error->text);
    ck_assert_msg(pqt_image_check(image, &broken), "%s", broken.text);
    return image;
}

#endif
