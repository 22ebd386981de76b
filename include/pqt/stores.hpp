/* SPDX-License-Identifier: MIT */
/** @file stores.hpp - histories in files. See pqt.hpp. */
#ifndef PQT_STORES_HPP
#define PQT_STORES_HPP

#include <pqt/store.hpp>
#include <pqt/stores.h>

#endif
