/* SPDX-License-Identifier: MIT */
/*
 * Queues: lanes of the core.  Lanes take pointers where commands have memory
 * handles, so commands that move bytes are copied with pointers; others are
 * passed unchanged.
 */
#include <stddef.h>
#include <string.h>

#include "host.h"

/* Copied on the stack, without an allocation. */
enum { STACK_WORKS = 16, STACK_SUBMISSIONS = 4 };

plait_status plaitp_host_queue_create(plait_backend *self, uint32_t device,
				      const plait_queue_request *request,
				      plait_backend_queue **out,
				      plait_error *error)
{
	*out = NULL;
	if (request->native_kind != 0)
		return plaitp_host_fail(self->services, error,
					PLAIT_E_UNSUPPORTED,
					"host:%u: a native queue of kind %u; "
					"there are none here", device,
					request->native_kind);
	return self->services->lane_create(self->host, request, out, error);
}

void plaitp_host_queue_destroy(plait_backend *self, plait_backend_queue *queue)
{
	self->services->lane_destroy(self->host, queue);
}

plait_status plaitp_host_queue_recover(plait_backend *self,
				       plait_backend_queue *queue,
				       plait_error *error)
{
	return self->services->lane_recover(self->host, queue, error);
}

/* --- handles and pointers ------------------------------------------------ */

/* The records of the core may be longer than ours. */
static const plait_submission *submission_at(const plait_submission *all,
					     uint32_t index)
{
	return (const void *)((const char *)all + (size_t)all->size * index);
}

static const plait_work *work_at(const plait_submission *submission,
				 uint32_t index)
{
	return (const void *)((const char *)submission->work +
			      (size_t)submission->work->size * index);
}

/* Count the commands that move bytes; *out_all counts all. */
static uint64_t count_moves(const plait_submission *submissions,
			    uint32_t count, uint64_t *out_all)
{
	uint64_t moves = 0;
	uint32_t i;
	uint32_t k;

	*out_all = 0;
	for (i = 0; i < count; i++) {
		const plait_submission *one = submission_at(submissions, i);

		*out_all += one->work_count;
		for (k = 0; k < one->work_count; k++)
			moves += work_at(one, k)->kind > PLAIT_WORK_CALL;
	}
	return moves;
}

static void translate(plait_work *out, const plait_work *work)
{
	size_t bytes = work->size < sizeof(*out) ? work->size : sizeof(*out);

	memset(out, 0, sizeof(*out));
	memcpy(out, work, bytes);
	out->size = sizeof(*out);
	out->target = plaitp_host_memory_bytes(out->target);
	out->source = plaitp_host_memory_bytes(out->source);
}

static void translate_all(plait_submission *out, plait_work *works,
			  const plait_submission *submissions, uint32_t count)
{
	uint32_t i;
	uint32_t k;

	for (i = 0; i < count; i++) {
		const plait_submission *one = submission_at(submissions, i);

		out[i] = *one;
		out[i].size = sizeof(out[i]);
		out[i].work = works;
		for (k = 0; k < one->work_count; k++)
			translate(works++, work_at(one, k));
	}
}

struct copy {
	plait_work *works;
	plait_submission *submissions;
	void *block;
	uint64_t block_bytes;
};

static plait_status find_room(plait_backend *self, struct copy *copy,
			      uint64_t works, uint32_t count,
			      plait_error *error)
{
	if (works <= STACK_WORKS && count <= STACK_SUBMISSIONS)
		return PLAIT_OK;
	copy->block_bytes = works * sizeof(plait_work) +
			    count * sizeof(plait_submission);
	copy->block = self->services->resize(self->host, NULL, 0,
					     copy->block_bytes);
	if (copy->block == NULL)
		return plaitp_host_fail(self->services, error, PLAIT_E_NOMEM,
					"host: no memory for %llu commands",
					(unsigned long long)works);
	copy->works = copy->block;
	copy->submissions = (void *)(copy->works + works);
	return PLAIT_OK;
}

plait_status plaitp_host_queue_submit(plait_backend *self,
				      plait_backend_queue *queue,
				      const plait_submission *submissions,
				      uint32_t count, plait_error *error)
{
	plait_work works[STACK_WORKS];
	plait_submission few[STACK_SUBMISSIONS];
	struct copy copy = { .works = works, .submissions = few };
	plait_status status;
	uint64_t all;

	if (count_moves(submissions, count, &all) == 0)
		return self->services->lane_submit(self->host, queue,
						   submissions, count, error);
	status = find_room(self, &copy, all, count, error);
	if (status != PLAIT_OK)
		return status;
	translate_all(copy.submissions, copy.works, submissions, count);
	status = self->services->lane_submit(self->host, queue,
					     copy.submissions, count, error);
	if (copy.block != NULL)
		self->services->resize(self->host, copy.block,
				       copy.block_bytes, 0);
	return status;
}
