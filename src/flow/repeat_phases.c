/* SPDX-License-Identifier: MIT */
/* Phases of a flow that finds repeats; see repeat_phases.h. */
#include "flow/repeat_phases.h"

#include "sys/clock.h"

enum {
	/* Windows in an interval without a wait. */
	WINDOWS = 4,
	REST_LEAST = 8192,
	REST_MOST = 1 << 20
};

/* Relaxed: a hint, which is read again under the lock. */
static void set_plain(plait__flow *flow, bool is_plain)
{
	at_store_relaxed_u32(&flow->is_simple,
			     is_plain && flow->devices == NULL);
}

bool plait__repeat_phases_begin(plait__flow *flow, plait__repeat_phases *phases,
				plait__repeat_choice *choice)
{
	if (phases->measured != NULL)
		return phases->is_plain;
	phases->measured = choice;
	phases->is_plain = plait__repeat_choice_is_plain(choice);
	phases->begin = flow->window.newest;
	phases->marks = flow->marks;
	phases->tasks = 0;
	phases->begin_ns = plait__clock_now_ns();
	phases->is_hidden |= phases->is_plain;
	set_plain(flow, phases->is_plain);
	return phases->is_plain;
}

static void end_interval(plait__flow *flow, plait__repeat_phases *phases)
{
	uint64_t ns = plait__clock_now_ns() - phases->begin_ns;
	uint64_t tasks = flow->devices != NULL ? phases->tasks :
			 flow->window.newest - phases->begin -
				 (flow->marks - phases->marks);

	if (tasks != 0)
		plait__repeat_choice_add(phases->measured, phases->is_plain,
					 ns, tasks);
	phases->measured = NULL;
	phases->is_plain = false;
	set_plain(flow, phases->rests_plain);
}

void plait__repeat_phases_rest(plait__flow *flow, plait__repeat_phases *phases,
			       bool is_plain)
{
	if (phases->rest == 0)
		phases->rest = REST_LEAST;
	else if (phases->rest < REST_MOST)
		phases->rest *= 2;
	phases->rest_end = flow->window.newest + phases->rest;
	phases->rests = phases->is_hidden = true;
	phases->rests_plain = is_plain;
	set_plain(flow, is_plain || phases->is_plain);
}

static void end_rest(plait__flow *flow, plait__repeat_phases *phases)
{
	if (!phases->rests || flow->window.newest < phases->rest_end)
		return;
	phases->rests = phases->rests_plain = false;
	set_plain(flow, phases->is_plain);
}

void plait__repeat_phases_end(plait__flow *flow, uint64_t number)
{
	plait__repeat_phases *phases = flow->phases;

	end_rest(flow, phases);
	if (phases->measured != NULL && number > phases->begin)
		end_interval(flow, phases);
}

void plait__repeat_phases_look(plait__flow *flow, plait__repeat_phases *phases)
{
	const uint64_t most = WINDOWS * plait__window_size(&flow->window);

	end_rest(flow, phases);
	if (phases->measured != NULL &&
	    flow->window.newest - phases->begin >= most)
		end_interval(flow, phases);
}
