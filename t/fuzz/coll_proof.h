/* SPDX-License-Identifier: MIT */
/* Proofs of schedules that the fuzz targets of collectives make of their bytes. */
#ifndef FUZZ_COLL_PROOF_H
#define FUZZ_COLL_PROOF_H

#include "fuzz.h"

#include "coll/prove/prove.h"

/* A schedule with many chunks has much memory. */
enum { MOST_CHUNKS = 1 << 16 };

static inline int is_small(const plait__schedule *schedule)
{
	uint64_t chunks = 0;

	for (uint32_t i = 0; i < schedule->rank_count; i++)
		chunks += (uint64_t)schedule->ranks[i].input_chunks +
			  schedule->ranks[i].output_chunks +
			  schedule->ranks[i].scratch_chunks;
	return chunks <= MOST_CHUNKS;
}

/* Prove, also with scratch for two tiles; a refusal has a reason and a text. */
static inline plait_status prove(const plait__schedule *schedule,
				 plait__proof *out)
{
	plait__prove_request request = { .scratch_tiles = 2 };
	plait_error error = { .size = sizeof(error) };
	plait_status status = plait__prove_schedule(schedule, NULL, out,
						    &error);

	FUZZ_NEED((status != PLAIT_OK) ==
		  (out->reason != PLAIT__PROOF_NO_REASON), error.text);
	FUZZ_NEED((status == PLAIT_OK) == (error.text[0] == '\0'), error.text);
	(void)plait__prove_schedule(schedule, &request, &(plait__proof){ 0 },
				    NULL);
	return status;
}

#endif
