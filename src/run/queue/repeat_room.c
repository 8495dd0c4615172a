/* SPDX-License-Identifier: MIT */
/* Rooms for the work of flat repeats; see repeat_room.h. */
#include "run/queue/repeat_room.h"

#include "run/queue/prepared_batch.h"
#include "run/queue/queue_command.h"
#include "run/queue/repeat_series.h"
#include "run/queue/variant_count.h"
#include "run/queue/variant_turns.h"

enum {
	/* Maximum of works that stay in a room, 128 bytes each. */
	MAX_KEPT = 8192
};

/* ---- places ---- */

const plait__queue_stage *
plait__repeat_room_stage(const plait__queue_program *compiled, uint32_t region)
{
	uint32_t body = compiled->program->plan->regions[region].body_first;

	return plait__queue_program_stage(compiled,
					  compiled->bodies[body].stage_first);
}

static uint32_t count_work(const plait__batch_builder *p,
			   const plait__queue_stage *stage)
{
	const plait__queue_submission *submissions =
		(const plait__queue_submission *)
			p->compiled->submissions.items;
	uint32_t count = 0;

	for (uint32_t i = 0; i < stage->batch_count; i++) {
		const plait__queue_batch *batch = plait__vector_at(
			&p->compiled->batches, stage->batch_first + i);

		for (uint32_t k = 0; k < batch->submission_count; k++)
			count += submissions[batch->submission_first + k]
					 .work_count;
	}
	return count;
}

/* Returns the number of iterations whose work stays in the room.  *out_same: they
 * are alike, so that a window of them is enough. */
static uint32_t count_kept(const plait__queue_program *compiled,
			   uint32_t number, uint32_t work, bool *out_same)
{
	const plait__plan_region *region =
		&compiled->program->plan->regions[number];
	const plait__plan_body *body =
		&compiled->program->plan->bodies[region->body_first];
	uint32_t times = region->times < PLAIT__VARIANT_TURNS ?
			 region->times : PLAIT__VARIANT_TURNS;

	*out_same = true;
	for (uint32_t i = 0; i < body->command_count; i++) {
		uint32_t command = body->command_first + i;

		if (!plait__queue_command_may_change(compiled, command))
			continue;
		*out_same = false;
		if (!plait__variant_turns_follow(compiled, command, number))
			return 0;
	}
	if (*out_same)
		return compiled->regions[number].window;
	return (uint64_t)times * work <= MAX_KEPT ? times : 0;
}

/* Two windows are in flight, each of which is the work of one iteration. */
static void count_once(plait__batch_builder *p, const plait__queue_stage *stage)
{
	for (uint32_t i = 0; i < stage->batch_count; i++)
		((plait__queue_batch *)plait__vector_at(
			 &p->compiled->batches, stage->batch_first + i))
			->flights = PLAIT__BATCH_BUILDER_FLIGHTS;
}

void plait__repeat_room_place(plait__batch_builder *p, uint32_t number)
{
	plait__queue_region *out = &p->compiled->regions[number];
	const plait__queue_stage *stage;
	uint32_t iterations;

	if (!out->flat || p->failed)
		return;
	plait__repeat_series_find(p, number);
	stage = plait__repeat_room_stage(p->compiled, number);
	out->work = count_work(p, stage);
	if (out->counted) {
		count_once(p, stage);
		out->room = p->compiled->repeat_work;
		p->compiled->repeat_work += out->work;
		return;
	}
	out->kept = count_kept(p->compiled, number, out->work, &out->same);
	iterations = out->kept > out->window ? out->kept : out->window;
	out->room = p->compiled->repeat_work;
	p->compiled->repeat_work += out->work * iterations;
}

/* ---- work ---- */

/* Append the work of a bound batch. */
static plait_work *copy_batch(const plait__run_driver *driver, uint32_t batch,
			      plait_work *out)
{
	const plait__queue_batch *at =
		(const plait__queue_batch *)driver->compiled->batches.items +
		batch;
	const plait__queue_submission *submission =
		(const plait__queue_submission *)
			driver->compiled->submissions.items +
		at->submission_first;

	for (uint32_t i = 0; i < at->submission_count; i++, submission++)
		for (uint32_t k = 0; k < submission->work_count; k++)
			*out++ = driver->state.work[submission->work_first + k];
	return out;
}

/* Returns false if the run has been stopped. */
static bool bind_iteration(plait__run_driver *driver,
			   const plait__queue_stage *stage, plait_work *out)
{
	for (uint32_t i = 0; i < stage->batch_count; i++) {
		uint32_t batch = stage->batch_first + i;

		if (!plait__prepared_batch_bind(driver, batch))
			return false;
		out = copy_batch(driver, batch, out);
	}
	return true;
}

/* Forget work of another count or of other kernels. */
static void refresh(const plait__run_driver *driver, uint32_t region)
{
	const uint64_t count = driver->instance->frame.counts[region];
	const uint64_t version = driver->state.version;
	plait__repeat_room *room = &driver->state.rooms[region];

	if (room->version != version ||
	    (room->count != count && !driver->compiled->regions[region].same))
		*room = (plait__repeat_room){ count, version, 0 };
}

/* Bind iterations from `i` on, and let their work follow `work`, that of the first
 * one.  Returns false if the run has been stopped. */
static bool bind_all(plait__run_driver *driver, uint32_t region, uint64_t i,
		     uint64_t iterations, plait_work *work)
{
	const plait__queue_stage *stage =
		plait__repeat_room_stage(driver->compiled, region);
	const uint32_t each = driver->compiled->regions[region].work;
	uint64_t *number = &driver->instance->frame.iterations[region];
	const uint64_t first = *number;
	bool bound = true;

	for (; bound && i < iterations; i++) {
		*number = first + i;
		bound = bind_iteration(driver, stage,
				       each > 0 ? work + i * each : NULL);
	}
	*number = first;
	return bound;
}

bool plait__repeat_room_begin(plait__run_driver *driver, uint32_t region)
{
	return bind_all(driver, region, 0, 1,
			driver->state.repeat_work +
				driver->compiled->regions[region].room);
}

bool plait__repeat_room_fill(plait__run_driver *driver, uint32_t region,
			     uint64_t iterations, const plait_work **out)
{
	const plait__queue_region *at = &driver->compiled->regions[region];
	plait_work *work = at->work > 0 ? driver->state.repeat_work + at->room :
					  NULL;
	plait__repeat_room *room = &driver->state.rooms[region];
	uint64_t place = at->same ? 0 :
			 driver->instance->frame.iterations[region];

	refresh(driver, region);
	*out = work;
	if (place > room->filled || place + iterations > at->kept) {
		room->filled = 0;
		return bind_all(driver, region, 0, iterations, work);
	}
	if (at->work > 0)
		*out = work += place * at->work;
	if (!bind_all(driver, region, room->filled - place, iterations, work))
		return false;
	if (room->filled < place + iterations)
		room->filled = place + iterations;
	return true;
}
