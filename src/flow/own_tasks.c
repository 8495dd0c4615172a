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

/* ---- own tasks of all flows ---- */

static void collect(plait__own_await *await, const plait__queue *queue)
{
	const plait__late *late = queue->user;
	uint32_t at = 0;

	if (late == NULL)
		return;
	while (at < await->own_count && await->own[at].flow != late->flow)
		at++;
	if (at == PLAIT__OWN_TASKS_FLOWS)
		return;
	if (at == await->own_count)
		await->own[await->own_count++].flow = late->flow;
	if (await->own[at].number < late->number)
		await->own[at].number = late->number;
}

static bool collect_call(plait__inbox_event *call, const void *await)
{
	collect(*(plait__own_await *const *)await,
		plait__call_awaiting_queue(plait__call_of(call)));
	return false;
}

static bool collect_run(const plait__instance *outer, const void *await)
{
	if (outer->section != NULL)
		collect(*(plait__own_await *const *)await,
			outer->section->queue);
	return false;
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

/* A task as in "task 7 "label" of flow "x"". */
struct task_text {
	char text[96 + PLAIT__OBJECT_NAME_BYTES];
};

/* `seen`: the flow of which the text needs no name. */
static const char *text_of(const plait__flow *flow, uint64_t task,
			   const plait__flow *seen, struct task_text *room)
{
	const char *label = plait__op_at(&flow->window.ring, task)->label;
	char name[PLAIT__OBJECT_NAME_BYTES];

	(void)snprintf(room->text, sizeof(room->text), "task %llu%s%.*s%s%s%s",
		       (unsigned long long)task, label != NULL ? " \"" : "",
		       PLAIT__TEXT_FIT(label != NULL ? label : "", 60),
		       label != NULL ? "\"" : "", flow != seen ? " of " : "",
		       flow != seen ? plait__object_name(&flow->object, name) :
				      "");
	return room->text;
}

plait_status plait__own_tasks_fail(const plait__flow *flow, uint64_t own,
				   plait_error *error)
{
	struct task_text room;

	return plait__fail(error, PLAIT_E_DEADLOCK,
			   "the caller is a function of a task that has to end "
			   "first: %s", text_of(flow, own, flow, &room));
}

/* ---- cycles; caller holds own_awaits_lock ---- */

/* Returns the number of the own task of `other` that `await` needs to end; 0:
 * none. */
static uint64_t find_needed(const plait__own_await *await,
			    const plait__own_await *other)
{
	uint64_t needed = 0;

	for (uint32_t i = 0; i < other->own_count; i++) {
		if (other->own[i].flow != await->flow)
			continue;
		plait__flow_lock(await->flow);
		if (plait__own_tasks_awaits(await->flow, await->number,
					    await->prefix,
					    other->own[i].number))
			needed = other->own[i].number;
		plait__flow_unlock(await->flow);
	}
	return needed;
}

static plait__own_await *first_of(const plait__own_await *await)
{
	return await->flow->object.context->own_awaits;
}

/* Mark the awaits in whose tasks' way `await` is.  Returns true if there are new
 * ones. */
static bool mark_more(const plait__own_await *await)
{
	bool more = false;

	for (plait__own_await *at = first_of(await); at != NULL;
	     at = at->next) {
		if (at->is_needed || find_needed(await, at) == 0)
			continue;
		at->is_needed = true;
		more = true;
	}
	return more;
}

/* Returns the await by which `await` needs its own task, or null.  Each of k
 * awaits asks k times at most; `await` is not in the list. */
static const plait__own_await *close_cycle(const plait__own_await *await)
{
	plait__own_await *at;
	bool more;

	for (at = first_of(await); at != NULL; at = at->next)
		at->is_needed = at->is_asked = false;
	more = mark_more(await);
	while (more) {
		more = false;
		for (at = first_of(await); at != NULL; at = at->next) {
			if (!at->is_needed || at->is_asked)
				continue;
			at->is_asked = true;
			if (find_needed(at, await) != 0)
				return at;
			more = mark_more(at) || more;
		}
	}
	return NULL;
}

static plait_status check(const plait__own_await *await, plait_error *error)
{
	uint64_t own = find_needed(await, await);
	const plait__own_await *last;
	struct task_text rooms[2];

	if (own != 0)
		return plait__own_tasks_fail(await->flow, own, error);
	last = close_cycle(await);
	if (last == NULL)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_DEADLOCK,
			   "%s, whose function the caller is, is awaited in %s, "
			   "which the call would wait for; use a time limit",
			   text_of(last->flow, find_needed(last, await),
				   await->flow, &rooms[0]),
			   text_of(last->own[0].flow, last->own[0].number,
				   await->flow, &rooms[1]));
}

plait_status plait__own_tasks_enter(plait__own_await *await,
				    plait_error *error)
{
	plait__context *context = await->flow->object.context;
	plait_status status;

	if (await->number != 0) {
		(void)plait__outer_calls_any(collect_call, &await);
		(void)plait__outer_runs_any(collect_run, &await);
	}
	if (await->own_count == 0)
		return PLAIT_OK;
	plait__mutex_lock(&context->own_awaits_lock);
	status = check(await, error);
	if (status == PLAIT_OK) {
		await->next = context->own_awaits;
		context->own_awaits = await;
	} else {
		await->own_count = 0;
	}
	plait__mutex_unlock(&context->own_awaits_lock);
	return status;
}

static void unlink_await(plait__context *context,
			 const plait__own_await *await)
{
	plait__own_await *before = context->own_awaits;

	if (before == await) {
		context->own_awaits = await->next;
		return;
	}
	while (before->next != await)
		before = before->next;
	before->next = await->next;
}

void plait__own_tasks_leave(plait__own_await *await)
{
	plait__context *context = await->flow->object.context;

	if (await->own_count == 0)
		return;
	plait__mutex_lock(&context->own_awaits_lock);
	unlink_await(context, await);
	plait__mutex_unlock(&context->own_awaits_lock);
}
