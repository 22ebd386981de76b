/* SPDX-License-Identifier: MIT */
/* region_questions.h - what can be asked of a region, held against its bitmap. */
#ifndef TEST_REGION_QUESTIONS_H
#define TEST_REGION_QUESTIONS_H

#include "region_stage.h"

/* Asks one question that the dice choose. */
void region_ask(stage *s, const version *v);

#endif
