/* SPDX-License-Identifier: MIT */
/* The compiler of collectives: from a chunk program to a schedule. */
#ifndef PLAIT_SRC_COLL_COLL_COMPILE_H
#define PLAIT_SRC_COLL_COLL_COMPILE_H

#include "coll/chunk/chunk_program.h"

enum plait__compile_flag {
	PLAIT__COMPILE_NO_FUSION = 1 << 0,
	PLAIT__COMPILE_SEPARATE_LANES = 1 << 1,
	PLAIT__COMPILE_AGGREGATE = 1 << 2
};

/* A zero is the choice of the target. */
typedef struct plait__compile_request {
	uint32_t flags, target, protocol, instances;
	uint32_t depth, channels;
	uint32_t lanes;		/* of a rank: above it, sends and receives share
				 * lanes where they can */
	uint32_t message_chunks; /* most of a message that AGGREGATE makes */
	uint64_t slot_bytes, min_bytes, max_bytes;
} plait__compile_request;

/* Compile; equal input gives an equal schedule.  The schedule is not proved.
 * PLAIT_E_INVALID: it exceeds a limit; PLAIT_E_STATE: a fragment is open, or (a
 * mistake of the compiler) no order was found; PLAIT_E_NOMEM.  *out is null
 * then. */
plait_status plait__compile_program(const plait_allocator *allocator,
				    const plait__chunk_program *program,
				    const plait__compile_request *request,
				    plait__schedule **out, plait_error *error);

#endif
