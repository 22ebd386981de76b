/* SPDX-License-Identifier: MIT */
/* config.h: the configuration of the library in WebAssembly, without the collector and without
   PNG. build_wasm defines which wings a module has. */
#define PQT_WITH_COLLECTOR 0
#define PQT_WITH_PNG 0
#ifndef PQT_WITH_PIXELS
#define PQT_WITH_PIXELS 1
#endif
#ifndef PQT_WITH_WORLDS
#define PQT_WITH_WORLDS 1
#endif
