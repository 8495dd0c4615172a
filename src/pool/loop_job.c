/* SPDX-License-Identifier: MIT */
/* Work stealing in a parallel loop: own pieces first, then stolen ones; see
 * loop_job.h. */
#include "pool/loop_job.h"

#include "pool/loop_share.h"

static at_u64 *share_of(struct plait__loop_job *job, uint32_t index)
{
	return index == 0 ? &job->own.word : &job->shares[index - 1].word;
}

void plait__loop_job_give(struct plait__loop_job *job, uint32_t index,
			  uint64_t begin, uint64_t end)
{
	/* Relaxed: posting the job publishes it; a thief that sees it early
	 * has entered the job already. */
	at_store_relaxed_u64(share_of(job, index),
			     plait__loop_share_pack(job->id, begin, end));
}

void plait__loop_job_fail(struct plait__loop_job *job, int32_t result)
{
	uint32_t none = 0;

	(void)at_cas_u32(&job->result, &none, (uint32_t)result);
}

/* Steal from the next share that has pieces; all but one become the own
 * share. */
static bool steal_piece(struct plait__loop_job *job, uint32_t index,
			struct plait__loop_span *out)
{
	const uint32_t count = job->share_count + 1;
	uint32_t victim = index;

	for (uint32_t i = 1; i < count; i++) {
		victim = victim + 1 < count ? victim + 1 : 0;
		if (!plait__loop_share_steal(share_of(job, victim), job->id,
					     out))
			continue;
		plait__loop_job_give(job, index, out->begin + 1, out->end);
		out->end = out->begin + 1;
		return true;
	}
	return false;
}

uint64_t plait__loop_job_run(struct plait__loop_job *job, uint32_t index)
{
	struct plait__loop_span span;
	uint64_t count = 0;
	int32_t result;

	/* Relaxed: one piece too many is harmless. */
	while (at_load_relaxed_u32(&job->result) == 0) {
		if (!plait__loop_share_take(share_of(job, index), job->id,
					    &span) &&
		    !steal_piece(job, index, &span))
			break;
		result = AT_PLAIN_READ(job->part)(job->data, span.begin, span.end);
		if (result != 0)
			plait__loop_job_fail(job, result);
		count++;
	}
	return count;
}
