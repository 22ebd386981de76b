/* SPDX-License-Identifier: MIT */
/* config.h: the configuration of the library in WebAssembly, without the collector and without
   PNG. The list of its sources says which kinds of versions a module has. */
#define PQT_WITH_COLLECTOR 0
#define PQT_WITH_PNG 0
#define PQT_WITH_PIXELS 1
#define PQT_WITH_WORLDS 1
