/* SPDX-License-Identifier: MIT */
/* shared_store.h: the history of a store, which pages share together with its undo position. */
#ifndef SHARED_STORE_H
#define SHARED_STORE_H

#include "tool/studio/shared_history.h"

/* Opens the history of a store. If the store does not exist, creates it. If it is empty, adds an
   empty scene as its first version. If another process writes the store, opens it for reading. Ends
   the program with an error if it cannot be opened. `name` is the name that pages use. */
shared_history *shared_open_store(const char *path, const char *name);

#endif
