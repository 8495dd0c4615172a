/* SPDX-License-Identifier: MIT */
/* Timeout diagnosis of a run, and waits for its points; see blocked_on.h. */
#include "run/blocked_on.h"

#include "run/run.h"
#include "run/run_turns.h"

#include "object/queue/queue_diagnosis.h"
#include "object/queue/queue_state.h"
#include "object/wait/wait_diagnosis.h"
#include "object/wait/wait_in_driver.h"

#include <stdio.h>
#include <string.h>

/* Returns true if the run is not over.  The instance cannot pass to another
 * run before unpin.  `run` is null if the caller has the
 * instance. */
static bool pin(plait__run *run)
{
	if (run == NULL)
		return true;
	plait__mutex_lock(&run->lock);
	return at_load_acquire_u32(&run->outcome.done) == 0;
}

/* Ends what pin has begun, also if that returned false. */
static void unpin(plait__run *run)
{
	if (run != NULL)
		plait__mutex_unlock(&run->lock);
}

static void ask_engine(plait__instance *instance, plait__run *run,
		       plait__blocked_on *out)
{
	const plait__engine *engine = instance->program->engine;

	*out = (plait__blocked_on){ .command = PLAIT__NONE,
				  .lane = PLAIT__NONE };
	if (engine->describe_blocked == NULL)
		return;
	if (pin(run))
		engine->describe_blocked(instance, out);
	unpin(run);
}

/* Returns the queue of the run's section, held, and the section's position in
 * it; or null: the run began as soon as it was submitted, or is over. */
static plait__queue *hold_queue(const plait__instance *instance,
				plait__run *run, uint64_t *out_sequence)
{
	const plait__section *section;
	plait__queue *queue = NULL;

	if (run == NULL)
		return NULL;
	if (pin(run)) {
		section = instance->section;
		if (section != NULL && !section->was_idle) {
			queue = section->queue;
			*out_sequence = section->sequence;
			plait__object_hold(&queue->object);
		}
	}
	unpin(run);
	return queue;
}

/* Bound of what follows the name of a queue in an error text. */
enum { COMMANDS_BYTES = PLAIT_ERROR_TEXT_BYTES - 32 };

/* Write which commands of its queue the run follows; "" if the queue has
 * reached the run. */
static void print_queue(const plait__instance *instance, plait__run *run,
			char *out, uint32_t bytes)
{
	char commands[COMMANDS_BYTES];
	char room[PLAIT__OBJECT_NAME_BYTES];
	uint64_t sequence = 0;
	plait__queue *queue = hold_queue(instance, run, &sequence);

	out[0] = '\0';
	if (queue == NULL)
		return;
	if (plait__queue_poll(queue, sequence, NULL, NULL) == PLAIT_PENDING) {
		plait__queue_diagnosis_describe(queue, commands,
						sizeof(commands));
		(void)snprintf(out, bytes, ": %s has commands in front of it%s",
			       plait__object_name(&queue->object, room),
			       commands);
	}
	plait__object_drop(&queue->object);
}

static void drop_holds(const plait__blocked_on *blocked_on)
{
	if (blocked_on->awaited != NULL)
		plait__object_drop(blocked_on->awaited);
	if (blocked_on->call != NULL)
		plait__object_drop(&blocked_on->call->event_record.object);
	if (blocked_on->queue != NULL)
		plait__object_drop(&blocked_on->queue->object);
}

static void print_call(plait__queue *queue, const char *node, char *out,
		       uint32_t bytes)
{
	char owed[PLAIT_ERROR_TEXT_BYTES];
	const char *rest;

	/* ": a host function waits for inbox ..." */
	plait__queue_diagnosis_describe_call(queue, owed, sizeof(owed));
	rest = strstr(owed, " waits for ");
	(void)snprintf(out, bytes, ": %s%s", node,
		       rest != NULL ? rest : " is with the owner of its inbox");
}

static void print_awaited(const plait__blocked_on *blocked_on,
			  const char *node, char *out, uint32_t bytes)
{
	char event[PLAIT_ERROR_TEXT_BYTES];

	blocked_on->name(blocked_on->awaited, blocked_on->number, event,
			 sizeof(event));
	(void)snprintf(out, bytes, ": %s waits for %s", node, event);
}

/* A command in a body is seldom the reason why a loop does not end. */
static void print_command(const plait__plan *plan, uint32_t command,
			  const char *node, char *out, uint32_t bytes)
{
	uint32_t body = plan->nodes[plan->commands[command].node].body;
	char loop[PLAIT__COMMAND_TEXT_BYTES] = "";

	if (body != 0)
		(void)plait__command_text(
			plan, plan->regions[plan->bodies[body].region].command,
			loop);
	(void)snprintf(out, bytes, ": it is at %s%s%s", node,
		       body != 0 ? ", in a body of " : "", loop);
}

/* Write what an unfinished run is at, beginning with ": "; "" if the engine
 * knows nothing. */
static void print(const plait__program *program,
		  const plait__blocked_on *blocked_on, char *out,
		  uint32_t bytes)
{
	const plait__plan *plan = program->plan;
	char node[PLAIT__COMMAND_TEXT_BYTES] = "no node";

	if (blocked_on->command != PLAIT__NONE)
		(void)plait__command_text(plan, blocked_on->command, node);
	out[0] = '\0';
	if (blocked_on->call != NULL)
		print_call(blocked_on->queue, node, out, bytes);
	else if (blocked_on->awaited != NULL)
		print_awaited(blocked_on, node, out, bytes);
	else if (blocked_on->lane != PLAIT__NONE)
		(void)snprintf(out, bytes, ": lane %u is at %llu of %llu "
			       "points, and has up to %s", blocked_on->lane,
			       (unsigned long long)blocked_on->reached,
			       (unsigned long long)blocked_on->submitted, node);
	else if (blocked_on->command != PLAIT__NONE)
		print_command(plan, blocked_on->command, node, out, bytes);
	else if (blocked_on->lanes_left > 0)
		(void)snprintf(out, bytes, ": %u of %u lanes are not through",
			       blocked_on->lanes_left, plan->lanes_count);
}

void plait__blocked_on_describe(plait__instance *instance, plait__run *run,
				const char *name, char *out, uint32_t bytes)
{
	char what[PLAIT_ERROR_TEXT_BYTES];
	plait__blocked_on blocked_on;

	if (plait__run_turns_is_deferred(instance)) {
		(void)snprintf(out, bytes, "%s is not over: it follows another "
			       "run of the plan, which accesses the same "
			       "memory", name);
		return;
	}
	print_queue(instance, run, what, sizeof(what));
	if (what[0] == '\0') {
		ask_engine(instance, run, &blocked_on);
		print(instance->program, &blocked_on, what, sizeof(what));
		drop_holds(&blocked_on);
	}
	if (what[0] != '\0') {
		(void)snprintf(out, bytes, "%s is not over%s", name, what);
		return;
	}
	plait__wait_diagnosis_describe_backends(instance->program->context,
						what, sizeof(what));
	(void)snprintf(out, bytes, "%s is not over%s", name, what);
}

static void drop_deferred(plait__object *object)
{
	if (object != NULL)
		plait__object_drop_deferred(object);
}

void plait__blocked_on_describe_work(plait__instance *instance, char *out,
				     uint32_t bytes)
{
	plait__blocked_on blocked_on;

	ask_engine(instance, NULL, &blocked_on);
	/* To name the owner takes the lock of a queue. */
	if (blocked_on.call == NULL)
		print(instance->program, &blocked_on, out, bytes);
	else
		(void)snprintf(out, bytes, ": a function of a run is with the "
			       "owner of its inbox");
	drop_deferred(blocked_on.awaited);
	if (blocked_on.call != NULL) {
		drop_deferred(&blocked_on.call->event_record.object);
		drop_deferred(&blocked_on.queue->object);
	}
}

plait_status plait__blocked_on_enter_driver(plait__instance *instance,
					    plait__run *run,
					    plait__awaited_use *use)
{
	plait__awaited_points found = { .count = 0 };

	if (pin(run))
		instance->program->engine->find_points(instance, &found);
	unpin(run);
	return use(&found);
}
