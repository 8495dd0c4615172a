/* SPDX-License-Identifier: MIT */
/* Test data of a collective: inputs of ranks, and the outputs that it promises.
 * Values are small integers, whose reductions each type holds exactly. */
#ifndef PLAIT_TOOLS_COLL_DATA_H
#define PLAIT_TOOLS_COLL_DATA_H

#include "coll.h"

#include <stdbool.h>

struct coll_data {
	plait_schedule_info info;
	plait_coll_kind kind;	/* to verify */
	uint32_t type;		/* index of coll_types */
	uint32_t reduction;
	uint64_t count;		/* elements of a share */
	/* Results to verify instead of those of `kind`; nullable. */
	const struct coll_promises *promises;
};

/* Names of element types and of reductions, ended by null. */
extern const char *const coll_types[], *const coll_reductions[];

/* Set element kind and bits, reduction and count. */
void coll_data_describe(const struct coll_data *data,
			plait_collective_desc *desc);

uint32_t coll_data_element_bytes(const struct coll_data *data);

/* Elements of the memory that a rank has for its input, or its output; in place
 * both are the larger one. */
uint64_t coll_data_elements(const struct coll_data *data, bool output);

/* Elements of a share, so that the larger buffer has about these bytes. */
uint64_t coll_data_count(const struct coll_data *data, uint64_t bytes);

/* Write the input of a rank to its memory. */
void coll_data_fill(const struct coll_data *data, uint32_t rank, void *memory);

/* Compare the output of a rank; return the number of elements up to the first
 * wrong one, or UINT64_MAX. */
uint64_t coll_data_verify(const struct coll_data *data, uint32_t rank,
			  const void *memory);

#endif
