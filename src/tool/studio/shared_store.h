/* SPDX-License-Identifier: MIT */
/* shared_store.h: the history of a store, which pages share with its undo position. */
#ifndef SHARED_STORE_H
#define SHARED_STORE_H

#include "tool/studio/shared_history.h"

/* Opens the history of a store, which is made if it is missing. An empty one gets an empty scene as
   its first version. A store that another process writes is opened for reading. Ends the program
   with an error if it cannot. `name` is the name that pages use. */
shared_history *shared_open_store(const char *path, const char *name);

#endif
