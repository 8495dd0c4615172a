/* SPDX-License-Identifier: MIT */
/*
 * Runs of one plan that write the same memory take turns, and others overlap:
 * on several queues, in calls, behind failures and cancellations, on lanes of
 * the host and on queues.
 */
#include "turns.h"

#include <pthread.h>

/* The run is deferred: it has no part in `seen` as long as others are parked.
 * In virtual time a wait that no backend can end is a deadlock. */
static void is_deferred(plait_run *run, uint32_t started)
{
	plait_error error = { .size = sizeof(error) };
	plait_status status = PLAIT_OK;

	for (int i = 0; i < 20; i++)
		status = plait_run_wait(run, 100000, &error);
	IS_INT(status, PLAIT_E_TIMEOUT);
	HAS_STR(error.text, "follows another run of the plan");
	IS_UINT(__atomic_load_n(&seen.started, __ATOMIC_SEQ_CST), started);
}

#define FOR_ALL_RIGS \
	for (uint32_t w = 0; w < WORKERS; w++) \
		if (open_host(worker_counts[w]))

/* ---- plans that write what they name ---- */

static void fixed_memory(void)
{
	FOR_ALL_RIGS {
		plait_run *first, *second;

		make_bed(false, true, 2);
		first = start(0, 1, NULL);
		await_started(first, 1);
		second = start(1, 2, NULL);
		is_deferred(second, 1);
		raise();
		IS_INT(end_of(second), PLAIT_OK);
		IS_INT(end_of(first), PLAIT_OK);
		IS_UINT(seen.most, 1);
		free_bed();
		close_rig(&rig);
	}
}

/* Deferred runs start in the order in which their queues reached them. */
static void in_order(void)
{
	FOR_ALL_RIGS {
		plait_run *runs[QUEUES];

		make_bed(false, true, QUEUES);
		runs[0] = start(0, 0, NULL);
		await_started(runs[0], 1);
		for (int i = 1; i < QUEUES; i++) {
			runs[i] = start(i, (uint64_t)i, NULL);
			is_deferred(runs[i], 1);
		}
		raise();
		for (int i = QUEUES; i-- > 0;)
			IS_INT(end_of(runs[i]), PLAIT_OK);
		for (uint64_t i = 0; i < QUEUES; i++)
			IS_UINT(seen.values[i], i);
		IS_UINT(seen.most, 1);
		free_bed();
		close_rig(&rig);
	}
}

/* A run that is still behind its queue's other work has no turn. */
static void behind_a_queue(void)
{
	FOR_ALL_RIGS {
		plait_run *first, *second;

		make_bed(false, false, 2);
		OK(plait_queue_wait(bed.queues[0], bed.gate, 1, &rig.error) ==
		   PLAIT_OK);
		first = start(0, 1, NULL);
		second = start(1, 2, NULL);
		IS_INT(end_of(second), PLAIT_OK);
		IS_UINT(seen.started, 1);
		raise();
		IS_INT(end_of(first), PLAIT_OK);
		free_bed();
		close_rig(&rig);
	}
}

/* Several runs in one queue are in order anyway. */
static void in_one_queue(void)
{
	FOR_ALL_RIGS {
		make_bed(false, false, 2);
		for (uint64_t i = 0; i < 40; i++) {
			plait_run *first = start(0, i, NULL);
			plait_run *second = start(0, i + 100, NULL);

			IS_INT(end_of(first), PLAIT_OK);
			IS_INT(end_of(second), PLAIT_OK);
		}
		IS_UINT(seen.most, 1);
		free_bed();
		close_rig(&rig);
	}
}

/* ---- the flag ---- */

static void overlap_allowed(void)
{
	const struct given given = { .value = 5 };

	FOR_ALL_RIGS {
		plait_run *first, *second, *third;

		make_bed(false, true, 3);
		first = start_at(0, given, PLAIT_RUN_OVERLAP);
		await_started(first, 1);
		second = start_at(1, given, PLAIT_RUN_OVERLAP);
		await_started(second, 2);
		/* The flag is the later run's. */
		third = start_at(2, given, 0);
		is_deferred(third, 2);
		raise();
		IS_INT(end_of(third), PLAIT_OK);
		IS_INT(end_of(second), PLAIT_OK);
		IS_INT(end_of(first), PLAIT_OK);
		IS_UINT(seen.most, 2);
		free_bed();
		close_rig(&rig);
	}
}

/* ---- parameters ---- */

/* Two runs with these bindings overlap, or not. */
static void bind_two(struct given one, struct given other, bool overlaps)
{
	plait_run *first, *second;

	make_bed(true, true, 2);
	if (one.target == NULL)
		one.target = bed.buffers[0];
	if (other.target == NULL)
		other.target = bed.buffers[other.value == 1];
	first = start_at(0, one, 0);
	await_started(first, 1);
	second = start_at(1, other, 0);
	if (overlaps)
		await_started(second, 2);
	else
		is_deferred(second, 1);
	raise();
	IS_INT(end_of(second), PLAIT_OK);
	IS_INT(end_of(first), PLAIT_OK);
	IS_UINT(seen.most, overlaps ? 2 : 1);
	free_bed();
}

static plait_buffer *view_of(plait_buffer *buffer, uint64_t offset,
			     uint64_t bytes)
{
	plait_buffer *view = NULL;

	OK_THAT(plait_buffer_view(buffer, offset, bytes, &view,
				  &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	return view;
}

static void bound_memory(void)
{
	enum { LINE = WORDS * 8 };

	FOR_ALL_RIGS {
		plait_buffer *both = make_buffer(&rig, 3 * LINE, "both");
		plait_buffer *low = view_of(both, 0, LINE);
		plait_buffer *high = view_of(both, LINE, 2 * LINE);
		plait_buffer *middle = view_of(both, LINE / 2, LINE);

		bind_two((struct given){ .value = 1 },
			 (struct given){ .value = 2 }, false);
		bind_two((struct given){ .value = 2 },
			 (struct given){ .value = 1 }, true);
		bind_two((struct given){ .target = low },
			 (struct given){ .target = high }, true);
		bind_two((struct given){ .target = high },
			 (struct given){ .target = low }, true);
		bind_two((struct given){ .target = low },
			 (struct given){ .target = middle }, false);
		bind_two((struct given){ .target = middle },
			 (struct given){ .target = high }, false);
		/* From the offset to the end of the buffer. */
		bind_two((struct given){ .target = both, .offset = LINE },
			 (struct given){ .target = low }, true);
		bind_two((struct given){ .target = both },
			 (struct given){ .target = both, .offset = LINE },
			 false);
		plait_buffer_release(middle);
		plait_buffer_release(high);
		plait_buffer_release(low);
		plait_buffer_release(both);
		close_rig(&rig);
	}
}

static plait_buffer *wrap(void *pointer, uint64_t bytes)
{
	const plait_wrap_desc desc = { .size = sizeof(desc),
				       .pointer = pointer, .bytes = bytes };
	plait_buffer *buffer = NULL;

	OK_THAT(plait_buffer_wrap(rig.device, &desc, &buffer, &rig.error) ==
		PLAIT_OK, "%s", rig.error.text);
	return buffer;
}

/* Buffers that wrap the same bytes conflict like views of one buffer. */
static void wrapped_memory(void)
{
	enum { LINE = WORDS * 8 };
	static _Alignas(4096) char memory[3 * LINE];

	for (uint32_t w = 0; w < WORKERS; w++) {
		plait_buffer *low, *again, *middle, *high;

		if (worker_counts[w] == ON_CHAOS ||
		    !open_host(worker_counts[w]))
			continue;
		low = wrap(memory, LINE);
		again = wrap(memory, LINE);
		middle = wrap(memory + LINE / 2, 2 * LINE);
		high = view_of(middle, LINE / 2, LINE);
		bind_two((struct given){ .target = low },
			 (struct given){ .target = again }, false);
		bind_two((struct given){ .target = low },
			 (struct given){ .target = middle }, false);
		bind_two((struct given){ .target = high },
			 (struct given){ .target = middle }, false);
		bind_two((struct given){ .target = low },
			 (struct given){ .target = high }, true);
		plait_buffer_release(high);
		plait_buffer_release(middle);
		plait_buffer_release(again);
		plait_buffer_release(low);
		close_rig(&rig);
	}
}

/* The plan reads a buffer that wraps the bytes which a run binds. */
static void wrapped_and_named(void)
{
	static _Alignas(4096) uint64_t memory[WORDS];

	for (uint32_t w = 0; w < WORKERS; w++) {
		plait_buffer *named, *bound;
		plait_run *first, *second;

		if (worker_counts[w] == ON_CHAOS ||
		    !open_host(worker_counts[w]))
			continue;
		make_bed(true, true, 2);
		for (int i = 0; i < WORDS; i++)
			memory[i] = 9;
		named = wrap(memory, sizeof(memory));
		bound = wrap(memory, sizeof(memory));
		plait_plan_release(bed.plan);
		plait_graph_release(bed.graph);
		make_graph(NULL, named, true);
		freeze_bed(2);
		first = start(0, 9, bed.buffers[0]);
		await_started(first, 1);
		second = start(1, 9, bound);
		is_deferred(second, 1);
		raise();
		IS_INT(end_of(second), PLAIT_OK);
		IS_INT(end_of(first), PLAIT_OK);
		free_bed();
		plait_buffer_release(bound);
		plait_buffer_release(named);
		close_rig(&rig);
	}
}

/* The plan also reads a buffer that it names; a run that writes it conflicts
 * with every other one. */
static void bound_and_named(void)
{
	FOR_ALL_RIGS {
		plait_run *first, *second, *third;

		/* The value of `fixed`, which the last kernel compares. */
		make_bed(true, true, 3);
		OK(plait_queue_fill(rig.queue, bed.fixed, 0, WORDS * 8, 9, 8,
				    &rig.error) == PLAIT_OK &&
		   plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
		   PLAIT_OK);
		plait_plan_release(bed.plan);
		plait_graph_release(bed.graph);
		make_graph(NULL, bed.fixed, true);
		freeze_bed(3);
		first = start(0, 9, bed.buffers[0]);
		await_started(first, 1);
		second = start(1, 9, bed.fixed);
		is_deferred(second, 1);
		third = start(2, 9, bed.buffers[1]);
		is_deferred(third, 1);
		raise();
		IS_INT(end_of(third), PLAIT_OK);
		IS_INT(end_of(second), PLAIT_OK);
		IS_INT(end_of(first), PLAIT_OK);
		free_bed();
		close_rig(&rig);
	}
}

/* ---- ends of runs ---- */

/* The next run executes after one that fails, or that is cancelled. */
static void failed_and_cancelled(void)
{
	FOR_ALL_RIGS {
		plait_run *first, *second, *third;

		make_bed(false, true, 3);
		first = start(0, 1, NULL);
		await_started(first, 1);
		second = start(1, 2, NULL);
		third = start(2, 3, NULL);
		is_deferred(third, 1);
		/* A deferred run ends at once, with nothing executed. */
		IS_INT(plait_run_cancel(second, &rig.error), PLAIT_OK);
		IS_INT(end_of(second), PLAIT_E_CANCELLED);
		is_deferred(third, 1);
		seen.inside = 0;
		IS_INT(plait_run_cancel(first, &rig.error), PLAIT_OK);
		IS_INT(end_of(first), PLAIT_E_CANCELLED);
		await_started(third, 2);
		raise();
		IS_INT(end_of(third), PLAIT_OK);
		seen.result = 5;
		first = start(3, 4, NULL);
		IS_INT(end_of(first), PLAIT_E_FAILED);
		seen.result = 0;
		(void)plait_queue_finish(bed.queues[3], PLAIT_FOREVER, NULL);
		IS_INT(end_of(start(3, 5, NULL)), PLAIT_OK);
		free_bed();
		close_rig(&rig);
	}
}

static plait_run *start_behind_gate(plait_signal *gate, uint64_t sequence)
{
	OK(plait_queue_wait(bed.queues[1], gate, sequence, &rig.error) ==
	   PLAIT_OK);
	return start(1, 2, NULL);
}

static uint64_t raised_to;

static void *raise_beside(void *gate)
{
	plait_error error = { .size = sizeof(error) };

	(void)plait_signal_raise(gate, raised_to, &error);
	return NULL;
}

/* The run ends although the run that it would follow does not.  Without the
 * end the caller fails by the suite's time limit. */
static void ends_cancelled(plait_run *run)
{
	IS_INT(end_of(run), PLAIT_E_CANCELLED);
	(void)plait_queue_finish(bed.queues[1], PLAIT_FOREVER, NULL);
}

/* A run is cancelled before its queue reaches it, and just while. */
static void cancelled_early(void)
{
	enum { ROUNDS = 300 };
	const plait_signal_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_SIGNAL_GATE };
	plait_signal *gate = NULL;
	plait_run *first, *second;
	pthread_t thread;

	for (uint32_t w = 0; w < WORKERS; w++) {
		if (worker_counts[w] == ON_CHAOS ||
		    !open_host(worker_counts[w]))
			continue;
		make_bed(false, true, 2);
		OK(plait_signal_create(rig.device, &desc, &gate,
				       &rig.error) == PLAIT_OK);
		first = start(0, 1, NULL);
		await_started(first, 1);
		second = start_behind_gate(gate, 1);
		IS_INT(plait_run_cancel(second, &rig.error), PLAIT_OK);
		OK(plait_signal_raise(gate, 1, &rig.error) == PLAIT_OK);
		ends_cancelled(second);
		for (uint64_t i = 2; i < ROUNDS; i++) {
			second = start_behind_gate(gate, i);
			raised_to = i;
			OK(pthread_create(&thread, NULL, raise_beside, gate) ==
			   0);
			for (uint64_t spin = 0; spin < i % 50 * 200; spin++)
				__asm__ volatile("");
			(void)plait_run_cancel(second, NULL);
			pthread_join(thread, NULL);
			ends_cancelled(second);
		}
		IS_UINT(seen.started, 1);
		raise();
		IS_INT(end_of(first), PLAIT_OK);
		plait_signal_release(gate);
		free_bed();
		close_rig(&rig);
	}
}

/* ---- calls ---- */

static plait_status call(uint32_t flags)
{
	struct given given = { .value = 4, .target = bed.buffers[0] };

	return plait_plan_call(bed.plan, NULL, describe(&given, flags),
			       &rig.error);
}

/* A host function calls the plan that is executing. */
static int32_t call_inside(void *user_data)
{
	struct given given = { .value = 4, .target = bed.buffers[0] };
	plait_error error = { .size = sizeof(error) };

	*(plait_status *)user_data = plait_plan_call(
		bed.plan, NULL, describe(&given, 0), &error);
	return 0;
}

static void *call_beside(void *status)
{
	struct given given = { .value = 4, .target = bed.buffers[0] };
	plait_error error = { .size = sizeof(error) };

	*(plait_status *)status = plait_plan_call(
		bed.plan, NULL, describe(&given, 0), &error);
	return NULL;
}

static void calls(bool by_parameter)
{
	plait_status inside = PLAIT_OK, beside = PLAIT_E_FAILED;
	pthread_t thread;
	plait_graph *graph;
	plait_plan *outer;
	plait_run *first, *second;

	make_bed(by_parameter, true, 3);
	first = start(0, 1, bed.buffers[0]);
	await_started(first, 1);
	IS_INT(call(PLAIT_RUN_NO_WAIT), PLAIT_E_BUSY);
	HAS_STR(rig.error.text, "PLAIT_RUN_OVERLAP");
	if (!by_parameter && IS_ON_THE_HOST) {
		graph = new_graph();
		(void)add_call(graph, "outer", call_inside, &inside, NULL, 0);
		outer = freeze(graph, 1, 1);
		IS_INT(plait_plan_call(outer, NULL, NULL, &rig.error),
		       PLAIT_OK);
		IS_INT(inside, PLAIT_E_BUSY);
		plait_plan_release(outer);
		plait_graph_release(graph);
	}
	OK(pthread_create(&thread, NULL, call_beside, &beside) == 0);
	second = start(1, 2, bed.buffers[0]);
	is_deferred(second, 1);
	raise();
	pthread_join(thread, NULL);
	IS_INT(beside, PLAIT_OK);
	IS_INT(end_of(first), PLAIT_OK);
	IS_INT(end_of(second), PLAIT_OK);
	IS_UINT(seen.most, 1);
	IS_INT(call(PLAIT_RUN_NO_WAIT), PLAIT_OK);
	free_bed();
}

static void calls_and_runs(void)
{
	for (uint32_t w = 0; w < WORKERS; w++) {
		if (worker_counts[w] == ON_CHAOS ||
		    !open_host(worker_counts[w]))
			continue;
		calls(false);
		calls(true);
		close_rig(&rig);
	}
}

static const struct tap_scenario all[] = {
	{ "fixed memory", fixed_memory },
	{ "in order", in_order },
	{ "behind a queue", behind_a_queue },
	{ "in one queue", in_one_queue },
	{ "overlap allowed", overlap_allowed },
	{ "bound memory", bound_memory },
	{ "wrapped memory", wrapped_memory },
	{ "wrapped and named", wrapped_and_named },
	{ "bound and named", bound_and_named },
	{ "failed and cancelled", failed_and_cancelled },
	{ "cancelled early", cancelled_early },
	{ "calls and runs", calls_and_runs },
};

TAP_MAIN(all)
