/* SPDX-License-Identifier: MIT */
/*
 * Segments: commands that run as one.  Each time they run in another order,
 * of those that keep the edges, so that an edge that is missing shows.  Some
 * of them are done when the segment starts and the rest when it ends.
 */
#include <string.h>

#include "chaos.h"

struct plait_backend_segment {
	uint64_t total_bytes;
	plait_work *work;
	uint32_t *before;
	uint32_t *before_first;
	uint32_t *order;
	uint32_t *stamp; /* by command: of whom it is in front, plus 1 */
	uint32_t work_count;
};

static const plait_work *nth(const plait_work *work, uint32_t index)
{
	const unsigned char *bytes = (const void *)work;

	return (const plait_work *)(const void *)
		(bytes + (uint64_t)index * work->size);
}

static void copy_work(plait_work *to, const plait_work *from)
{
	uint64_t known = from->size < sizeof(*to) ? from->size : sizeof(*to);

	memset(to, 0, sizeof(*to));
	memcpy(to, from, known);
	to->size = sizeof(*to);
	to->label = NULL;
}

static plait_backend_segment *new_segment(chaos *system,
					  const plait_segment_request *request)
{
	uint64_t count = request->work_count;
	uint64_t edges = request->before_first[count];
	uint64_t bytes = sizeof(plait_backend_segment) +
		count * sizeof(plait_work) +
		(edges + 3 * count + 1) * sizeof(uint32_t);
	plait_backend_segment *segment = plaitp_chaos_allocate(system, bytes);

	if (!segment)
		return NULL;
	segment->total_bytes = bytes;
	segment->work_count = request->work_count;
	segment->work = (plait_work *)(void *)(segment + 1);
	segment->before_first = (uint32_t *)(void *)(segment->work + count);
	segment->before = segment->before_first + count + 1;
	segment->order = segment->before + edges;
	segment->stamp = segment->order + count;
	return segment;
}

plait_status plaitp_chaos_segment_create(plait_backend *self, uint32_t device,
					 const plait_segment_request *request,
					 plait_backend_segment **out,
					 plait_error *error)
{
	chaos *system = chaos_of(self);
	uint32_t count = request->work_count;
	plait_backend_segment *segment;

	*out = NULL;
	if (!system->options.segments)
		return plaitp_chaos_fail(system, error, PLAIT_E_UNSUPPORTED, 0,
					 "device chaos:%u has no segments",
					 device);
	segment = new_segment(system, request);
	if (!segment)
		return plaitp_chaos_fail(system, error, PLAIT_E_NOMEM, 0,
					 "no memory for a segment of %u "
					 "commands", count);
	memcpy(segment->before_first, request->before_first,
	       (count + 1ull) * sizeof(uint32_t));
	if (request->before_first[count] > 0)
		memcpy(segment->before, request->before,
		       request->before_first[count] * sizeof(uint32_t));
	for (uint32_t i = 0; i < count; i++)
		copy_work(&segment->work[i], nth(request->work, i));
	*out = segment;
	return PLAIT_OK;
}

void plaitp_chaos_segment_destroy(plait_backend *self,
				  plait_backend_segment *segment)
{
	plaitp_chaos_free(chaos_of(self), segment, segment->total_bytes);
}

plait_status plaitp_chaos_segment_patch(plait_backend *self,
					plait_backend_segment *segment,
					uint32_t index, const plait_work *work,
					plait_error *error)
{
	chaos *system = chaos_of(self);

	(void)error;
	plaitp_chaos_lock(system);
	copy_work(&segment->work[index], work);
	plaitp_chaos_unlock(system);
	return PLAIT_OK;
}

/* The lowest place that is behind all that it comes behind. */
static uint32_t find_lowest(const plait_backend_segment *segment,
			    uint32_t command)
{
	uint32_t place = command;

	for (uint32_t b = segment->before_first[command];
	     b < segment->before_first[command + 1]; b++)
		segment->stamp[segment->before[b]] = command + 1;
	while (place > 0 &&
	       segment->stamp[segment->order[place - 1]] != command + 1)
		place--;
	return place;
}

void plaitp_chaos_segment_begin(chaos *system, plait_backend_segment *segment)
{
	memset(segment->stamp, 0, segment->work_count * sizeof(uint32_t));
	for (uint32_t i = 0; i < segment->work_count; i++) {
		uint32_t place = find_lowest(segment, i);

		place += (uint32_t)plaitp_chaos_below(system, i - place + 1);
		memmove(&segment->order[place + 1], &segment->order[place],
			(i - place) * sizeof(uint32_t));
		segment->order[place] = i;
	}
}

uint64_t plaitp_chaos_segment_steps(const plait_backend_segment *segment)
{
	return segment->work_count;
}

void plaitp_chaos_segment_run(chaos *system,
			      const plait_backend_segment *segment,
			      uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++) {
		const plait_work *work = &segment->work[segment->order[i]];

		plaitp_chaos_do_part(system, work, 0,
				     plaitp_chaos_steps(work));
	}
}
