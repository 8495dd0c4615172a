/* SPDX-License-Identifier: MIT */
/*
 * Segments: commands that run as one command.  Each execution picks a random
 * order that keeps the edges, so that a missing edge is detected.  A random
 * number of commands runs at the start and the rest at the end; a segment with
 * regions also yields in between, so that endless loops can be stopped.
 */
#include <string.h>

#include "chaos.h"

/* The commands of the segment (body 0), or a body of a region in it. */
struct body {
	uint32_t first, end; /* including nested bodies */
	uint32_t count;	     /* excluding nested bodies */
	uint32_t order_first;
	uint32_t region; /* command, or NO_REGION */
	uint32_t next;	 /* position in `order` while it runs */
};

enum { NO_REGION = UINT32_MAX };

struct plait_backend_segment {
	uint64_t total_bytes;
	uint32_t device;
	plait_work *work;
	uint32_t *before;
	uint32_t *before_first;
	uint32_t *order;
	uint32_t *stamp; /* by command: 1 + the command that comes behind it */
	uint32_t *body_of; /* by command that is a region: its first body */
	uint32_t *running; /* stack of bodies */
	struct body *bodies; /* body 0 is the segment */
	uint32_t body_count;
	uint32_t depth; /* of `running` */
	uint32_t work_count;
	bool stopped;
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

static uint32_t count_bodies(const plait_segment_request *request)
{
	uint32_t count = 1;

	for (uint32_t i = 0; i < request->work_count; i++) {
		const plait_work *work = nth(request->work, i);

		if (work->kind == PLAIT_WORK_REGION)
			count += work->region->body_count;
	}
	return count;
}

static plait_backend_segment *new_segment(chaos *system,
					  const plait_segment_request *request)
{
	uint64_t count = request->work_count;
	uint64_t edges = request->before_first[count];
	uint64_t bodies = count_bodies(request);
	uint64_t bytes = sizeof(plait_backend_segment) +
		count * sizeof(plait_work) + bodies * sizeof(struct body) +
		(edges + 4 * count + bodies + 1) * sizeof(uint32_t);
	plait_backend_segment *segment = plaitp_chaos_allocate(system, bytes);

	if (!segment)
		return NULL;
	segment->total_bytes = bytes;
	segment->work_count = request->work_count;
	segment->work = (plait_work *)(void *)(segment + 1);
	segment->bodies = (struct body *)(void *)(segment->work + count);
	segment->before_first = (uint32_t *)(void *)(segment->bodies + bodies);
	segment->before = segment->before_first + count + 1;
	segment->order = segment->before + edges;
	segment->stamp = segment->order + count;
	segment->body_of = segment->stamp + count;
	segment->running = segment->body_of + count;
	segment->depth = 0;
	segment->body_count = 0;
	segment->stopped = false;
	return segment;
}

static uint32_t add_body(plait_backend_segment *segment, uint32_t region,
			 uint32_t first, uint32_t count)
{
	segment->bodies[segment->body_count] = (struct body){
		.first = first, .end = first + count, .region = region,
	};
	return segment->body_count++;
}

static void add_bodies(plait_backend_segment *segment, uint32_t command,
		       const plait_work_region *region)
{
	uint32_t first = command + 1;

	segment->body_of[command] = segment->body_count;
	for (uint32_t i = 0; i < region->body_count; i++) {
		add_body(segment, command, first, region->body_work[i]);
		first += region->body_work[i];
	}
}

/* Keep the kind of the region and its body count; drop the request. */
static void keep_region(plait_work *work)
{
	work->pattern_bytes = work->region->body_count;
	work->pattern = work->region->kind;
	work->region = NULL;
}

/* The command behind this one and its bodies. */
static uint32_t end_of(const plait_backend_segment *segment, uint32_t command)
{
	const plait_work *work = &segment->work[command];

	return work->kind != PLAIT_WORK_REGION ? command + 1 :
		segment->bodies[segment->body_of[command] +
				work->pattern_bytes - 1].end;
}

static void find_bodies(plait_backend_segment *segment)
{
	uint32_t order = 0;

	add_body(segment, NO_REGION, 0, segment->work_count);
	for (uint32_t i = 0; i < segment->work_count; i++) {
		if (segment->work[i].kind != PLAIT_WORK_REGION)
			continue;
		add_bodies(segment, i, segment->work[i].region);
		keep_region(&segment->work[i]);
	}
	for (uint32_t b = 0; b < segment->body_count; b++) {
		struct body *body = &segment->bodies[b];

		body->order_first = order;
		for (uint32_t i = body->first; i < body->end;
		     i = end_of(segment, i))
			body->count++;
		order += body->count;
	}
}

plait_status plaitp_chaos_segment_create(plait_backend *self, uint32_t device,
					 const plait_segment_request *request,
					 plait_backend_segment **out,
					 plait_error *error)
{
	chaos *system = chaos_of(self);
	uint32_t count = request->work_count;
	plait_backend_segment *segment;
	plait_status status = PLAIT_OK;

	*out = NULL;
	if (!system->options.segments)
		return plaitp_chaos_fail(system, error, PLAIT_E_UNSUPPORTED, 0,
					 "device chaos:%u has no segments",
					 device);
	for (uint32_t i = 0; status == PLAIT_OK && i < count; i++)
		status = plaitp_chaos_link_check_work(
			system, device, nth(request->work, i), error);
	if (status != PLAIT_OK)
		return status;
	segment = new_segment(system, request);
	if (!segment)
		return plaitp_chaos_fail(system, error, PLAIT_E_NOMEM, 0,
					 "no memory for a segment of %u "
					 "commands", count);
	segment->device = device;
	memcpy(segment->before_first, request->before_first,
	       (count + 1ull) * sizeof(uint32_t));
	if (request->before_first[count] > 0)
		memcpy(segment->before, request->before,
		       request->before_first[count] * sizeof(uint32_t));
	for (uint32_t i = 0; i < count; i++)
		copy_work(&segment->work[i], nth(request->work, i));
	find_bodies(segment);
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
	plait_status status;

	if (system->options.patches == 0)
		return plaitp_chaos_fail(system, error, PLAIT_E_UNSUPPORTED, 0,
					 "chaos: segments are not changed "
					 "(patches=0)");
	status = plaitp_chaos_link_check_work(system, segment->device, work,
					      error);
	if (status != PLAIT_OK)
		return status;
	plaitp_chaos_lock(system);
	copy_work(&segment->work[index], work);
	plaitp_chaos_unlock(system);
	return PLAIT_OK;
}

plait_status plaitp_chaos_segment_stop(plait_backend *self,
				       plait_backend_segment *segment,
				       uint32_t stop, plait_error *error)
{
	chaos *system = chaos_of(self);

	(void)error;
	plaitp_chaos_lock(system);
	segment->stopped = stop != 0;
	plaitp_chaos_unlock(system);
	return PLAIT_OK;
}

/* ---- orders ---- */

/* The lowest position in `order` behind all predecessors of the command. */
static uint32_t find_lowest(const plait_backend_segment *segment,
			    const uint32_t *order, uint32_t count,
			    uint32_t command)
{
	uint32_t place = count;

	for (uint32_t b = segment->before_first[command];
	     b < segment->before_first[command + 1]; b++)
		segment->stamp[segment->before[b]] = command + 1;
	while (place > 0 && segment->stamp[order[place - 1]] != command + 1)
		place--;
	return place;
}

static void begin_body(chaos *system, plait_backend_segment *segment,
		       uint32_t number)
{
	struct body *body = &segment->bodies[number];
	uint32_t *order = segment->order + body->order_first;
	uint32_t count = 0;

	memset(segment->stamp + body->first, 0,
	       (body->end - body->first) * sizeof(uint32_t));
	for (uint32_t i = body->first; i < body->end;
	     i = end_of(segment, i), count++) {
		uint32_t place = find_lowest(segment, order, count, i);

		place += (uint32_t)plaitp_chaos_random_below(system,
							     count - place + 1);
		memmove(&order[place + 1], &order[place],
			(count - place) * sizeof(uint32_t));
		order[place] = i;
	}
	body->next = 0;
	segment->running[segment->depth++] = number;
}

/* ---- running ---- */

void plaitp_chaos_segment_begin(chaos *system, plait_backend_segment *segment)
{
	segment->depth = 0;
	begin_body(system, segment, 0);
}

static uint32_t read_word(const plait_work *region)
{
	uint32_t word = 0;
	const plait_work work = {
		.kind = PLAIT_WORK_READ, .source = region->source,
		.source_offset = region->source_offset,
		.bytes = sizeof(word), .host = &word,
	};

	plaitp_chaos_memory_transfer(&work, 0, sizeof(word));
	return word;
}

/* `again`: a body of the region has run. */
static void decide(chaos *system, plait_backend_segment *segment,
		   uint32_t command, bool again)
{
	const plait_work *region = &segment->work[command];
	uint32_t word = read_word(region);

	if (segment->stopped)
		return;
	if (region->pattern == PLAIT_WORK_CASE) {
		if (!again && word < region->pattern_bytes)
			begin_body(system, segment,
				   segment->body_of[command] + word);
		return;
	}
	if (again && region->pattern == PLAIT_WORK_IF)
		return;
	if (word != 0 || (!again && region->pattern == PLAIT_WORK_DO))
		begin_body(system, segment, segment->body_of[command]);
}

static void step(chaos *system, plait_backend_segment *segment)
{
	struct body *body =
		&segment->bodies[segment->running[segment->depth - 1]];
	const plait_work *work;
	uint32_t command;

	if (body->next == body->count) {
		segment->depth--;
		if (body->region != NO_REGION)
			decide(system, segment, body->region, true);
		return;
	}
	command = segment->order[body->order_first + body->next++];
	work = &segment->work[command];
	if (work->kind == PLAIT_WORK_REGION)
		decide(system, segment, command, false);
	else
		plaitp_chaos_run_part(system, work, 0,
				      plaitp_chaos_run_steps(work));
}

bool plaitp_chaos_segment_run(chaos *system, plait_backend_segment *segment,
			      uint64_t steps)
{
	for (; steps > 0 && segment->depth > 0; steps--)
		step(system, segment);
	return segment->depth == 0;
}

uint64_t plaitp_chaos_segment_quota(chaos *system,
				    const plait_backend_segment *segment,
				    bool begins)
{
	if (begins)
		return plaitp_chaos_random_below(system, segment->work_count +
						 1ull);
	return segment->body_count == 1 ? UINT64_MAX : 1 +
		plaitp_chaos_random_below(system, 2ull * segment->work_count);
}
