/* SPDX-License-Identifier: MIT */
/* config.h: the configuration of the library in pqt.wasm, without the collector and without PNG. */
#define PQT_WITH_COLLECTOR 0
#define PQT_WITH_PNG 0
