/* SPDX-License-Identifier: MIT */
/*
 * The nine collectives: sizes of buffers, the inputs that exist at the start,
 * the outputs that are promised at the end.  A custom collective has sizes and
 * promises of its own.
 */
#ifndef PLAIT_SRC_COLL_CHUNK_COLLECTIVE_H
#define PLAIT_SRC_COLL_CHUNK_COLLECTIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "coll/schedule/schedule.h"

/* Chunks of the input and the output of each rank, from the chunks of a rank's
 * share; returns false for CUSTOM. */
bool plait__collective_sizes(uint32_t kind, uint64_t ranks, uint64_t share,
			     uint64_t *input, uint64_t *output);

/* Returns true if a rank has input at the start. */
bool plait__collective_has_input(const plait__schedule *shape, uint32_t rank);

/* Returns true if an output chunk of a rank is promised. */
bool plait__collective_wants(const plait__schedule *shape, uint32_t rank,
			     uint32_t index);

/* "allreduce"; null for an unknown kind. */
const char *plait__collective_name(uint32_t kind);
/* Returns the kind, or -1 for an unknown name. */
int plait__collective_kind(const char *name, size_t length);

#endif
