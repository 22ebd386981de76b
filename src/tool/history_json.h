/* SPDX-License-Identifier: MIT */
/* history_json.h: entries of histories and lines as JSON. */
#ifndef HISTORY_JSON_H
#define HISTORY_JSON_H

#include <pqt.h>
#include <pqt/stores.h>

#include "tool/json_text.h"

/* Prints the entries of a history as an array, each one before its children. */
void history_print_json(const pqt_history *history);

/* Print an entry of a history, or a version of a line, as facts. */
void fact_history_entry(facts *all, const pqt_history_entry *entry);
void fact_line_entry(facts *all, const pqt_line_entry *entry);

#endif
