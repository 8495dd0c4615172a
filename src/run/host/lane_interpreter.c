/* SPDX-License-Identifier: MIT */
/*
 * Interpreter of a lane's steps.  A call runs the lane until it is done or
 * parked; the thread that runs it next repeats the same step.  Therefore a step
 * has no side effect before its last suspension point: before all that may park
 * the lane or end its thread.
 */
#include "run/host/lane_interpreter.h"

#include "run/host/lane_coroutine.h"
#include "run/host/lane_park.h"
#include "run/host/lane_patience.h"
#include "run/host/lane_record.h"

#include "run/args/loop_count.h"
#include "run/predicate_call.h"
#include "run/rehearse.h"

#include "base/error.h"

enum {
	CHOICE_BITS = 24,
	CHOICE_MASK = (1 << CHOICE_BITS) - 1,
	/* A decision: 0 leaves the region, n runs body n - 1. */
	LEAVE = 0
};

static const plait__part *part_at(const plait__lane_set *set, uint32_t part)
{
	return (const plait__part *)set->compiled->parts.items + part;
}

static const plait__step *step_at(const plait__lane_set *set, uint32_t step)
{
	return (const plait__step *)set->compiled->steps.items + step;
}

static bool stopped(const plait__lane_set *set)
{
	/* Relaxed: a reader of a word that a stopped lane stored afterwards
	 * sees the stop too, since reads of one word never go back. */
	return at_load_relaxed_u32(&set->instance->stop) != 0;
}

/* ---- publication ---- */

/* Only the lane that writes the word calls this. */
static void publish(plait__lane_task *self, uint32_t word, uint64_t value)
{
	/* Release: pairs with plait__lane_park_is_met and with has_come. */
	at_store_release_u64(&self->set->progress[word], value);
	plait__lane_park_wake(self);
}

/* Publish the commands of the part up to this step's as done. */
static void publish_done(plait__lane_task *self, const plait__step *step)
{
	plait__lane_set *set = self->set;
	const plait__part *part = part_at(set, step->part);

	if (set->compiled->lane_count > 1)
		publish(self, part->word,
			set->local[part->epoch] * part->stride + step->done);
}

/* ---- recording ---- */

/* `ring` is null in a run that is not recorded. */
static bool is_recorded(const plait__record_ring *ring)
{
	return __builtin_expect(ring != NULL, 0);
}

/* Returns the end of the command, where the next one begins. */
static uint64_t record_command(plait__lane_task *self, uint32_t command,
			       uint64_t start_ns)
{
	const plait__record_entry entry = {
		.start_ns = start_ns, .end_ns = plait__clock_now_ns(),
		.iteration = plait__lane_record_iteration(self, command),
		.kind = PLAIT_RECORD_COMMAND, .command = command,
		.other = PLAIT__NONE,
	};

	plait__recorder_put(plait__lane_record_ring(self), &entry);
	return entry.end_ns;
}

/* Record the wait that began at self->waiting_ns. */
static void record_wait(plait__lane_task *self, uint32_t command,
			uint32_t other)
{
	const plait__record_entry entry = {
		.start_ns = self->waiting_ns, .end_ns = plait__clock_now_ns(),
		.iteration = plait__lane_record_iteration(self, command),
		.kind = PLAIT_RECORD_WAIT, .command = command, .other = other,
	};

	plait__recorder_put(plait__lane_record_ring(self), &entry);
	self->waiting_ns = 0;
}

/* The lane may be parked during a wait. */
static void begin_wait(plait__lane_task *self, const plait__step_wait *wait)
{
	self->waiting_for = wait;
	if (self->waiting_ns == 0)
		self->waiting_ns = plait__clock_now_ns();
}

/* ---- waiting ---- */

static bool has_come(plait__lane_set *set, const plait__step_wait *wait,
		     uint64_t value)
{
	uint64_t *seen = &set->local[wait->seen];

	if (*seen >= value)
		return true;
	/* Acquire: pairs with publish. */
	*seen = at_load_acquire_u64(&set->progress[wait->word]);
	return *seen >= value;
}

/* Returns false if the lane was parked.  Not inline: saves the interpreter a
 * checked stack frame. */
static __attribute__((noinline)) bool
await_value(plait__lane_task *self, const plait__step_wait *wait,
	    uint64_t value, const plait__record_ring *ring)
{
	const struct plait__lane_wait wanted = {
		.word = &self->set->progress[wait->word], .value = value,
		.lane = wait->lane,
	};

	if (is_recorded(ring))
		begin_wait(self, wait);
	return plait__lane_park_until(self, &wanted);
}

/* Returns false if the lane was parked. */
static bool await_step(plait__lane_task *self, const plait__step *step,
		       plait__record_ring *ring)
{
	plait__lane_set *set = self->set;
	const plait__step_wait *wait =
		(const plait__step_wait *)set->compiled->waits.items +
		step->wait_first;
	const plait__step_wait *end = wait + step->wait_count;
	uint64_t epoch = set->local[part_at(set, step->part)->epoch];

	for (; wait != end; wait++) {
		uint64_t value = epoch * wait->stride + wait->position;

		if (!has_come(set, wait, value) &&
		    !await_value(self, wait, value, ring))
			return false;
		/* The lane may have been parked for this wait. */
		if (__builtin_expect(self->waiting_ns != 0, 0) &&
		    self->waiting_for == wait)
			record_wait(self, step->command, wait->command);
	}
	return true;
}

/* Cold, and not inlined into the loops that call it. */
static __attribute__((cold, noinline)) void
fail_call(plait__lane_task *self, uint32_t command, int32_t result)
{
	plait_error why = { .size = sizeof(why) };

	plait__fail_origin(&why, PLAIT_E_FAILED, result, "failed with %d",
			   (int)result);
	plait__instance_fail(self->set->instance, command, &why);
}

/* Fast path: between two calls only the result and `stop` are looked at.
 * self->command is for failures, and for a thread that ends inside the call. */
static void run_ops(plait__lane_task *self, const plait__step *step,
		    plait__record_ring *ring)
{
	plait__instance *instance = self->set->instance;
	const plait__call_op *op = self->set->ops + step->op_first;
	const plait__call_op *end = op + step->op_count;
	void **words = instance->frame.words;
	uint64_t start_ns = is_recorded(ring) ? plait__clock_now_ns() : 0;
	int32_t result;

	for (; op != end; op++) {
		if (at_load_relaxed_u32(&instance->stop) != 0)
			return;
		plait__lane_set_command(self, &op->command);
		result = plait__call_op_invoke(op, words);
		if (is_recorded(ring))
			start_ns = record_command(self, op->command, start_ns);
		if (__builtin_expect(result != 0, 0)) {
			fail_call(self, op->command, result);
			return;
		}
	}
}

/* Returns true if the next call may follow.  One branch tests both reasons
 * against it. */
static inline bool call_host(plait__lane_task *self, const plait__call_op *op,
			     const at_u32 *stop)
{
	int32_t result;

	plait__lane_set_command(self, &op->command);
	result = op->host(op->user_data);
	if (__builtin_expect((uint32_t)result | at_load_relaxed_u32(stop), 0)) {
		if (result != 0)
			fail_call(self, op->command, result);
		return false;
	}
	return true;
}

/* Four calls per round.  Returns `end` after a failure or a stop. */
static inline const plait__call_op *run_many(plait__lane_task *self,
					     const plait__call_op *op,
					     const plait__call_op *end,
					     const at_u32 *stop)
{
	for (; end - op >= 4; op += 4)
		if (!call_host(self, &op[0], stop) ||
		    !call_host(self, &op[1], stop) ||
		    !call_host(self, &op[2], stop) ||
		    !call_host(self, &op[3], stop))
			return end;
	return op;
}

/* As run_ops where all operations are host functions, which saves a branch per
 * call.  An empty call costs no more than the branches around it. */
static void run_hosts(plait__lane_task *self, const plait__step *step)
{
	const at_u32 *stop = &self->set->instance->stop;
	const plait__call_op *op = self->set->ops + step->op_first;
	const plait__call_op *end = op + step->op_count;
	int32_t result;

	if (end - op >= 4 && at_load_relaxed_u32(stop) == 0)
		op = run_many(self, op, end, stop);
	for (; op != end; op++) {
		if (at_load_relaxed_u32(stop) != 0)
			return;
		plait__lane_set_command(self, &op->command);
		result = op->host(op->user_data);
		if (__builtin_expect(result != 0, 0)) {
			fail_call(self, op->command, result);
			return;
		}
	}
}

static void run_step(plait__lane_task *self, const plait__step *step,
		     plait__record_ring *ring)
{
	if (step->cell_count > 0)
		plait__lane_set_turn_cells(self, step);
	/* One branch: hosts, and not recorded. */
	if (step->hosts > (ring != NULL))
		run_hosts(self, step);
	else
		run_ops(self, step, ring);
	publish_done(self, step);
	self->step = step + 1;
}

/* Returns false if the lane was parked until another thread resumes it. */
static bool run_external(plait__lane_task *self, const plait__step *step,
			 plait__record_ring *ring)
{
	if (is_recorded(ring) && self->waiting_ns == 0)
		begin_wait(self, NULL);
	plait__lane_set_command(self, &step->command);
	if (step->kind == PLAIT__STEP_COROUTINE ?
		    !plait__lane_coroutine_step(self, step) :
		    !plait__external_step(&self->external->external,
					  step->command))
		return false;
	if (is_recorded(ring)) {
		(void)record_command(self, step->command, self->waiting_ns);
		self->waiting_ns = 0;
	}
	publish_done(self, step);
	self->step = step + 1;
	return true;
}

/* ---- regions, on the home lane ---- */

/* Outside the range of decisions. */
enum { PARKED = -1 };

/* Returns false if the lane was parked until the owner of an inbox has
 * decided. */
static bool ask_predicate(plait__lane_task *self, const plait__step *step,
			  uint32_t region, bool again, uint32_t *out_word)
{
	plait__lane_set *set = self->set;
	const plait__lane_region *info = &set->compiled->regions[region];
	void **pointers;

	plait__lane_set_command(self, &step->command);
	if (info->asks_owner) {
		if (!plait__external_step(&self->external->external,
					  step->command))
			return false;
		*out_word = self->external->external.word;
	} else if (info->function != NULL) {
		(void)plait__predicate_call(set->instance, region, out_word);
	} else if (set->compiled->program->rehearsal != NULL) {
		*out_word = plait__rehearse_choose(
			set->compiled->program->plan, region, again ?
			set->instance->frame.iterations[region] + 1 : 0);
	} else {
		pointers = set->instance->frame.words +
			   set->instance->frame.layout->predicates[region];
		*out_word = **(const uint32_t **)pointers[0];
	}
	return true;
}

/* A decision that was asked for has to be answered or retracted. */
static bool is_asking(const plait__lane_task *self)
{
	return self->external != NULL && self->external->external.await != NULL;
}

/* The next decision, or PARKED.  `again`: a body was done. */
static int64_t next_decision(plait__lane_task *self, const plait__visit *visit,
			     bool again)
{
	plait__lane_set *set = self->set;
	const plait__step *step = step_at(set, visit->step);
	uint32_t word;

	if ((stopped(set) && !is_asking(self)) ||
	    (visit->kind == PLAIT__REGION_CASE && again))
		return LEAVE;
	if (visit->kind == PLAIT__REGION_DO && !again)
		return 1;
	if (visit->kind == PLAIT__REGION_REPEAT)
		return plait__loop_count_goes_on(
			       &set->instance->frame, visit->region, again,
			       again ? 0 : plait__loop_count_mapped_word(
						   &set->instance->frame,
						   visit->region)) ?
			       1 : LEAVE;
	if (step->cell_count > 0)
		plait__lane_set_turn_cells(self, step);
	if (!ask_predicate(self, step, visit->region, again, &word))
		return PARKED;
	/* The predicate may have cancelled the run or ended its thread. */
	if (stopped(set))
		return LEAVE;
	if (visit->kind == PLAIT__REGION_CASE)
		return word < visit->body_count ? word + 1 : LEAVE;
	return word != 0 ? 1 : LEAVE;
}

/* Set the number of the iteration that begins; at the end, of iterations
 * done. */
static void count_iteration(plait__lane_task *self, const plait__visit *visit,
			    bool again)
{
	plait__lane_set *set = self->set;
	const plait__lane_region *info = &set->compiled->regions[visit->region];
	uint64_t *iterations = set->instance->frame.iterations;

	if (again) {
		iterations[visit->region]++;
		self->iterations++;
	} else if (visit->kind == PLAIT__REGION_CASE &&
		   info->outer != PLAIT__NONE) {
		iterations[visit->region] = iterations[info->outer];
	} else {
		iterations[visit->region] = 0;
	}
}

static void publish_decision(plait__lane_task *self, const plait__visit *visit,
			     uint32_t choice)
{
	plait__lane_set *set = self->set;
	const plait__lane_region *info = &set->compiled->regions[visit->region];
	uint64_t *last = &set->local[visit->seen];

	if (!info->shared)
		return;
	*last = ((*last >> CHOICE_BITS) + 1) << CHOICE_BITS | choice;
	publish(self, info->word, *last);
}

/* A lane without a part of the body, not the home lane, stays at its step. */
static void take_choice(plait__lane_task *self, const plait__visit *visit,
			uint32_t choice)
{
	plait__lane_set *set = self->set;
	const plait__step *step = step_at(set, visit->step);
	uint32_t part;

	if (choice == LEAVE) {
		publish_done(self, step);
		self->step = step + 1;
		return;
	}
	part = set->compiled->rows[visit->row + choice - 1];
	if (part != PLAIT__NONE)
		self->step = step_at(set, part_at(set, part)->step);
}

/* With the number of the iteration that begins, or of iterations done. */
static void record_decision(plait__lane_task *self, uint32_t region,
			    uint32_t choice)
{
	const plait__plan *plan = self->set->compiled->program->plan;
	const plait__record_entry entry = {
		.start_ns = self->waiting_ns, .end_ns = plait__clock_now_ns(),
		.iteration = self->set->instance->frame.iterations[region],
		.kind = PLAIT_RECORD_DECISION,
		.command = plan->regions[region].command, .other = choice,
	};

	plait__recorder_put(plait__lane_record_ring(self), &entry);
	self->waiting_ns = 0;
}

/* Returns false if the lane was parked until the decision. */
static bool decide(plait__lane_task *self, const plait__step *step, bool again,
		   plait__record_ring *ring)
{
	plait__lane_set *set = self->set;
	const plait__visit *visit = &set->compiled->visits[step->link];
	bool is_case = visit->kind == PLAIT__REGION_CASE;
	uint32_t choice;
	int64_t chosen;

	if (is_recorded(ring) && self->waiting_ns == 0)
		begin_wait(self, NULL);
	chosen = next_decision(self, visit, again);
	if (chosen == PARKED)
		return false;
	choice = (uint32_t)chosen;
	if (again)
		set->local[part_at(set, step->part)->epoch]++;
	count_iteration(self, visit, again && !is_case);
	if (is_recorded(ring))
		record_decision(self, visit->region, choice);
	if (is_recorded(ring) && again && !is_case)
		plait__recorder_add_iteration(plait__lane_record_ring(self));
	publish_decision(self, visit, choice);
	take_choice(self, visit, choice);
	return true;
}

/* ---- regions, on the other lanes ---- */

/* Returns false if the lane was parked until the home lane has decided.  Not
 * inline, as await_value. */
static __attribute__((noinline)) bool
follow(plait__lane_task *self, const plait__step *step,
	plait__record_ring *ring)
{
	plait__lane_set *set = self->set;
	const plait__visit *visit = &set->compiled->visits[step->link];
	const plait__lane_region *info = &set->compiled->regions[visit->region];
	const struct plait__lane_wait wanted = {
		.word = &set->progress[info->word],
		.value = set->local[visit->seen],
		.changes = true,
		.lane = info->home,
	};
	uint64_t now;

	if (!plait__lane_park_is_met(&wanted)) {
		if (is_recorded(ring))
			begin_wait(self, NULL);
		if (!plait__lane_park_until(self, &wanted))
			return false;
	}
	if (is_recorded(ring) && self->waiting_ns != 0)
		record_wait(self, step->command, set->compiled->program->plan->
			  regions[visit->region].command);
	/* Acquire: pairs with publish in publish_decision. */
	now = at_load_acquire_u64(wanted.word);
	set->local[visit->seen] = now;
	take_choice(self, visit, (uint32_t)now & CHOICE_MASK);
	return true;
}

static void return_to_region(plait__lane_task *self, const plait__step *step)
{
	plait__lane_set *set = self->set;

	set->local[part_at(set, step->part)->epoch]++;
	self->step = step_at(set, set->compiled->visits[step->link].step);
}

/* ---- interpreter ---- */

/* Returns true for the last lane of the run. */
static bool end_lane(plait__lane_task *self, const plait__step *step)
{
	plait__lane_set *set = self->set;

	set->local[part_at(set, step->part)->epoch]++;
	plait__lane_set_command(self, NULL);
	plait__task_set_idle(&self->task);
	/* Acquire and release: the last lane sees the effects of all.  Every
	 * other lane touches nothing afterwards. */
	return set->compiled->lane_count == 1 ||
	       at_sub_u32(&set->remaining, 1) == 1;
}

/* Put the lane at the end of the ready queue if the thread has to leave it. */
static bool yield_lane(plait__lane_task *self, plait__lane_patience *patience)
{
	if (!plait__lane_patience_ends(patience, &self->task))
		return false;
	plait__task_offer(&self->task);
	return true;
}

bool plait__lane_interpret(plait__task *task)
{
	plait__lane_task *self = (plait__lane_task *)(void *)task;
	plait__record_ring *ring = plait__lane_record_ring(self);
	plait__lane_patience patience = { .left = 0 };

	plait__run_instance_enter(self->set->instance);
	for (;;) {
		const plait__step *step = self->step;

		if (step->wait_count > 0 && !await_step(self, step, ring))
			return false;
		switch (step->kind) {
		case PLAIT__STEP_RUN:
			run_step(self, step, ring);
			break;
		case PLAIT__STEP_REGION:
			if (!decide(self, step, false, ring))
				return false;
			break;
		case PLAIT__STEP_END:
			if (!decide(self, step, true, ring) ||
			    yield_lane(self, &patience))
				return false;
			break;
		case PLAIT__STEP_ENTER:
			if (!follow(self, step, ring))
				return false;
			break;
		case PLAIT__STEP_BACK:
			return_to_region(self, step);
			break;
		case PLAIT__STEP_EXTERNAL:
		case PLAIT__STEP_COROUTINE:
			if (!run_external(self, step, ring))
				return false;
			break;
		default:
			return end_lane(self, step);
		}
	}
}
