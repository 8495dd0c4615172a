/* SPDX-License-Identifier: MIT */
/* Own tasks of a caller, and cycles of awaits; see own_tasks.h. */
#include "flow/own_tasks.h"

#include "flow/late_record.h"

#include "base/error.h"
#include "base/text.h"
#include "object/queue/outer_calls.h"
#include "run/outer_runs.h"

#include <stdio.h>

/* ---- own tasks ---- */

struct search {
	const plait__flow *flow;
	uint64_t below;
	uint64_t found;
};

/* The record of a late task has a queue of its own.  The record is the task's
 * until the function returns. */
static void compare(struct search *search, const plait__queue *queue)
{
	const plait__late *late = queue->user;

	if (late != NULL && late->flow == search->flow &&
	    late->number < search->below && late->number > search->found)
		search->found = late->number;
}

static bool compare_call(plait__inbox_event *call, const void *search)
{
	compare(*(struct search *const *)search,
		plait__call_awaiting_queue(plait__call_of(call)));
	return false;
}

static bool compare_run(const plait__instance *outer, const void *search)
{
	if (outer->section != NULL)
		compare(*(struct search *const *)search, outer->section->queue);
	return false;
}

uint64_t plait__own_tasks_find(const plait__flow *flow, uint64_t below)
{
	struct search search = { .flow = flow, .below = below };
	struct search *out = &search;

	(void)plait__outer_calls_any(compare_call, &out);
	(void)plait__outer_runs_any(compare_run, &out);
	return search.found;
}

/* ---- waits for them ---- */

static bool is_behind_one(const plait__flow *flow, uint64_t number,
			  uint64_t first)
{
	const plait__op *op = plait__op_at(&flow->window.ring, number);
	uint64_t meta = at_load_relaxed_u64(&op->meta);

	if ((meta & PLAIT__OP_PREFIX) != 0)
		return true;
	for (uint32_t i = 0; i < plait__op_pred_count(meta); i++) {
		uint64_t pred = plait__op_pred(op, number, i);

		if (pred >= first &&
		    (flow->behind[pred & flow->window.ring.mask]))
			return true;
	}
	return false;
}

/* Returns true if op `number` is `first` or behind it: a sweep over the ops
 * between, none of which is reused while `first` is not done. */
static bool is_behind(plait__flow *flow, uint64_t number, uint64_t first)
{
	uint64_t mask = flow->window.ring.mask;

	flow->behind[first & mask] = 1;
	for (uint64_t i = first + 1; i <= number; i++)
		flow->behind[i & mask] = is_behind_one(flow, i, first);
	return flow->behind[number & mask] != 0;
}

bool plait__own_tasks_awaits(plait__flow *flow, uint64_t number, bool prefix,
			     uint64_t own)
{
	return own <= number &&
	       !plait__op_is_done(&flow->window.ring, own) &&
	       (prefix || is_behind(flow, number, own));
}

uint64_t plait__own_tasks_find_awaited(plait__flow *flow, uint64_t number,
				       bool prefix)
{
	uint64_t own = plait__own_tasks_find(flow, UINT64_MAX);

	while (own != 0 && !plait__own_tasks_awaits(flow, number, prefix, own))
		own = plait__own_tasks_find(flow, own);
	return own;
}

/* A task as in " 7 \"label\"". */
struct task_text {
	char text[96];
};

static const char *text_of(const plait__flow *flow, uint64_t task,
			   struct task_text *room)
{
	const char *label = plait__op_at(&flow->window.ring, task)->label;

	(void)snprintf(room->text, sizeof(room->text), "task %llu%s%.*s%s",
		       (unsigned long long)task, label != NULL ? " \"" : "",
		       PLAIT__TEXT_FIT(label != NULL ? label : "", 60),
		       label != NULL ? "\"" : "");
	return room->text;
}

plait_status plait__own_tasks_fail(const plait__flow *flow, uint64_t own,
				   plait_error *error)
{
	struct task_text room;

	return plait__fail(error, PLAIT_E_DEADLOCK,
			   "the caller is a function of a task that has to end "
			   "first: %s", text_of(flow, own, &room));
}

/* ---- cycles; caller holds the lock ---- */

/* Mark the awaits in whose tasks' way `await` is.  Returns true if there are new
 * ones. */
static bool mark_more(plait__flow *flow, const plait__own_await *await)
{
	bool more = false;

	for (plait__own_await *at = flow->own_awaits; at != NULL;
	     at = at->next) {
		if (at->is_needed ||
		    !plait__own_tasks_awaits(flow, await->number,
					     await->prefix, at->own))
			continue;
		at->is_needed = true;
		more = true;
	}
	return more;
}

/* Returns the await by which `await` needs its own task, or null.  Each of k
 * awaits asks k times at most; `await` is not in the list. */
static const plait__own_await *close_cycle(plait__flow *flow,
					   const plait__own_await *await)
{
	bool more;

	for (plait__own_await *at = flow->own_awaits; at != NULL;
	     at = at->next)
		at->is_needed = at->is_asked = false;
	more = mark_more(flow, await);
	while (more) {
		more = false;
		for (plait__own_await *at = flow->own_awaits; at != NULL;
		     at = at->next) {
			if (!at->is_needed || at->is_asked)
				continue;
			at->is_asked = true;
			if (plait__own_tasks_awaits(flow, at->number,
						    at->prefix, await->own))
				return at;
			more = mark_more(flow, at) || more;
		}
	}
	return NULL;
}

static plait_status check(plait__flow *flow, const plait__own_await *await,
			  plait_error *error)
{
	const plait__own_await *last;
	struct task_text rooms[2];

	if (plait__own_tasks_awaits(flow, await->number, await->prefix,
				    await->own))
		return plait__own_tasks_fail(flow, await->own, error);
	last = close_cycle(flow, await);
	return last == NULL ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_DEADLOCK,
			   "%s, whose function the caller is, is awaited in %s, "
			   "which the call would wait for; use a time limit",
			   text_of(flow, await->own, &rooms[0]),
			   text_of(flow, last->own, &rooms[1]));
}

plait_status plait__own_tasks_enter(plait__flow *flow, plait__own_await *await,
				    plait_error *error)
{
	plait_status status;

	if (await->number != 0)
		await->own = plait__own_tasks_find(flow, UINT64_MAX);
	if (await->own == 0)
		return PLAIT_OK;
	plait__flow_lock(flow);
	status = check(flow, await, error);
	if (status == PLAIT_OK) {
		await->next = flow->own_awaits;
		flow->own_awaits = await;
	} else {
		await->own = 0;
	}
	plait__flow_unlock(flow);
	return status;
}

void plait__own_tasks_leave(plait__flow *flow, plait__own_await *await)
{
	plait__own_await **link = &flow->own_awaits;

	if (await->own == 0)
		return;
	plait__flow_lock(flow);
	while (*link != await)
		link = &(*link)->next;
	*link = await->next;
	plait__flow_unlock(flow);
}
