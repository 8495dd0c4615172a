/* SPDX-License-Identifier: MIT */
/* Text of the timeout diagnosis of a run; see blocked_on.h. */
#include "run/blocked_on.h"

#include "run/run.h"

#include "object/queue/queue_diagnosis.h"
#include "object/wait/wait_diagnosis.h"

#include <stdio.h>
#include <string.h>

/* The instance cannot pass to another run while the run's lock is held. */
static void find(plait__instance *instance, plait__run *run,
		 plait__blocked_on *out)
{
	const plait__engine *engine = instance->program->engine;
	bool over = false;

	*out = (plait__blocked_on){ .command = PLAIT__NONE,
				  .lane = PLAIT__NONE };
	if (engine->find == NULL)
		return;
	if (run != NULL) {
		plait__mutex_lock(&run->lock);
		over = at_load_acquire_u32(&run->outcome.done) != 0;
	}
	if (!over)
		engine->find(instance, out);
	if (run != NULL)
		plait__mutex_unlock(&run->lock);
}

static void forget(const plait__blocked_on *obstacle)
{
	if (obstacle->signal != NULL)
		plait__object_drop(&obstacle->signal->object);
	if (obstacle->call != NULL)
		plait__object_drop(&obstacle->call->event_record.object);
	if (obstacle->queue != NULL)
		plait__object_drop(&obstacle->queue->object);
}

static void tell_call(plait__queue *queue, const char *node, char *out,
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

static void tell_signal(const plait__blocked_on *obstacle, const char *node,
			char *out, uint32_t bytes)
{
	char room[PLAIT__OBJECT_NAME_BYTES];
	uint64_t reached = 0;

	(void)plait__signal_poll(obstacle->signal, 0, &reached, NULL);
	(void)snprintf(out, bytes, ": %s waits for %s to come to %llu, which "
		       "is at %llu", node,
		       plait__object_name(&obstacle->signal->object, room),
		       (unsigned long long)obstacle->sequence,
		       (unsigned long long)reached);
}

static void tell(const plait__program *program,
		 const plait__blocked_on *obstacle, char *out, uint32_t bytes)
{
	const plait__plan *plan = program->plan;
	char node[PLAIT__COMMAND_TEXT_BYTES] = "no node";

	if (obstacle->command != PLAIT__NONE)
		(void)plait__command_text(plan, obstacle->command, node);
	out[0] = '\0';
	if (obstacle->call != NULL)
		tell_call(obstacle->queue, node, out, bytes);
	else if (obstacle->signal != NULL)
		tell_signal(obstacle, node, out, bytes);
	else if (obstacle->lane != PLAIT__NONE)
		(void)snprintf(out, bytes, ": lane %u is at %llu of %llu "
			       "points, and has up to %s", obstacle->lane,
			       (unsigned long long)obstacle->reached,
			       (unsigned long long)obstacle->submitted, node);
	else if (obstacle->command != PLAIT__NONE)
		(void)snprintf(out, bytes, ": it is at %s", node);
	else if (obstacle->lanes_left > 0)
		(void)snprintf(out, bytes, ": %u of %u lanes are not through",
			       obstacle->lanes_left, plan->lanes_count);
}

void plait__blocked_on_describe(plait__instance *instance, plait__run *run,
				const char *name, char *out, uint32_t bytes)
{
	char what[PLAIT_ERROR_TEXT_BYTES];
	plait__blocked_on obstacle;

	find(instance, run, &obstacle);
	tell(instance->program, &obstacle, what, sizeof(what));
	forget(&obstacle);
	if (what[0] != '\0') {
		(void)snprintf(out, bytes, "%s is not over%s", name, what);
		return;
	}
	plait__wait_diagnosis_describe_backends(instance->program->context,
						what, sizeof(what));
	(void)snprintf(out, bytes, "%s is not over%s", name, what);
}
