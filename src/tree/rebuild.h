/* SPDX-License-Identifier: MIT */
/* rebuild.h - a part whose items are merged with many edits, and which is made anew. */
#ifndef PQTI_REBUILD_H
#define PQTI_REBUILD_H

#include "tree/edit.h"

/* Fulfils edits in a part of any shape and size, as pqti_edit does. */
pqti_outcome pqti_rebuild(const pqti_space *space, pqti_place place, pqti_edits edits,
                          pqti_ref *ref, pqt_fingerprint *fingerprint);

#endif
