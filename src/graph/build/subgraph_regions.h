/* SPDX-License-Identifier: MIT */
/* Maps of table indices from a graph to its copy, and the regions among them. */
#ifndef PLAIT_SRC_GRAPH_BUILD_SUBGRAPH_REGIONS_H
#define PLAIT_SRC_GRAPH_BUILD_SUBGRAPH_REGIONS_H

#include "graph/build/subgraph_tables.h"

/* Map an index of the original to one of the copy. */
plait_status plait__subgraph_regions_set(plait__subgraph_tables *tables,
					 plait__vector *map, uint32_t old,
					 uint32_t new);
/* Return the index of the copy, or PLAIT__NONE. */
uint32_t plait__subgraph_regions_get(const plait__vector *map, uint32_t old);

/* Translate a region.  Within one store, a region around both the original and
 * the copy keeps its index. */
plait_status plait__subgraph_regions_find(plait__subgraph_tables *tables,
					  uint32_t *region);

/* Returns PLAIT_E_INVALID: the subgraph depends on a loop that is not part of
 * it. */
plait_status plait__subgraph_regions_fail(const plait__subgraph_tables *tables);

#endif
