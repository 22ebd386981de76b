/* SPDX-License-Identifier: MIT */
/* shared_line.h: a line, which pages share with programs on other machines. */
#ifndef SHARED_LINE_H
#define SHARED_LINE_H

#include "tool/studio/shared_history.h"

/* Opens a line, which is made if it is missing, with an empty scene as its first version. Ends the
   program with an error if it cannot. `name` is the name that pages use; `author` is the author of
   versions, or NULL. */
shared_history *shared_open_line(const char *address, const char *name, const char *author);

#endif
