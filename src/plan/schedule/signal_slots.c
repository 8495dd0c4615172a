/* SPDX-License-Identifier: MIT */
/*
 * Signal slots: one for each command that some command waits for, reused in
 * submission order after the last wait.  Slot lifetimes are intervals on that
 * order, so greedy interval colouring needs only as many slots as are in use at
 * once.
 */
#include "plan/schedule/phases.h"

struct signals {
	plait__plan *plan;
	uint32_t *track_of;	/* by lane: track of the current body */
	uint32_t *waiters;	/* by command: waits still to come */
	uint32_t *freed;	/* free slots, a stack */
	uint32_t freed_count;
	uint32_t slot_count;	/* of the current body */
};

/* `track_of` is that of the body. */
static uint32_t target(const struct signals *s, const plait__plan_wait *wait)
{
	return s->plan->tracks[s->track_of[wait->lane]].first + wait->position;
}

/* Commands come in submission order, so those it waits for have their
 * signals. */
static void assign_command(struct signals *s, const plait__plan_body *body,
			   uint32_t c)
{
	plait__plan_command *command = &s->plan->commands[c];
	uint32_t i, from;

	for (i = command[0].wait_first; i < command[1].wait_first; i++) {
		plait__plan_wait *wait = &s->plan->waits[i];

		from = target(s, wait);
		wait->signal = s->plan->commands[from].signal;
		if (--s->waiters[from] == 0)
			s->freed[s->freed_count++] =
				wait->signal - body->signal_first;
	}
	if (s->waiters[c] == 0)
		return;
	command->signal = body->signal_first +
		(s->freed_count > 0 ? s->freed[--s->freed_count]
		 : s->slot_count++);
}

static void assign_body(struct signals *s, plait__plan_body *body)
{
	plait__plan *plan = s->plan;
	uint32_t end = body->command_first + body->command_count, i;

	for (i = 0; i < body->track_count; i++)
		s->track_of[plan->tracks[body->track_first + i].lane] =
			body->track_first + i;
	for (i = plan->commands[body->command_first].wait_first;
	     i < plan->commands[end].wait_first; i++)
		s->waiters[target(s, &plan->waits[i])]++;
	s->freed_count = 0;
	s->slot_count = 0;
	for (i = body->command_first; i < end; i++)
		assign_command(s, body, plan->order[i]);
	body->signal_count = s->slot_count;
}

/* Bodies may run concurrently, so each has its own range of slots; the branches
 * of a case share theirs, since only one runs. */
static void assign_bodies(struct signals *s)
{
	plait__plan *plan = s->plan;
	uint32_t b, end = 0;

	for (b = 0; b < plan->bodies_count; b++) {
		plait__plan_body *body = &plan->bodies[b];

		body->signal_first = end;
		if (body->region != PLAIT__NONE)
			body->signal_first = plan->regions[body->region]
				.body_first == b ? end
				: body[-1].signal_first;
		assign_body(s, body);
		if (body->signal_first + body->signal_count > end)
			end = body->signal_first + body->signal_count;
	}
	plan->signal_count = end;
}

plait_status plait__signal_slots_assign(plait__planner_state *planner)
{
	plait__workspace *work = &planner->work;
	struct signals s;

	s.plan = planner->plan;
	s.track_of = plait__workspace_alloc(work, s.plan->lanes_count,
					    sizeof(uint32_t));
	s.waiters = plait__workspace_alloc_zero(work, s.plan->command_count,
						sizeof(uint32_t));
	s.freed = plait__workspace_alloc(work, s.plan->command_count,
					 sizeof(uint32_t));
	if (s.track_of == NULL || s.waiters == NULL || s.freed == NULL)
		return plait__planner_no_memory(planner);
	assign_bodies(&s);
	plait__workspace_free(work, s.track_of);
	plait__workspace_free(work, s.waiters);
	plait__workspace_free(work, s.freed);
	planner->counts->steps += s.plan->waits_count;
	return PLAIT_OK;
}
