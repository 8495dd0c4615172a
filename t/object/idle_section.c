/* SPDX-License-Identifier: MIT */
/*
 * Runs on idle queues, for which the queue submits nothing: commands behind
 * them, before and after their end and never; and queues that are released
 * meanwhile.
 */
#include "lib/runs.h"

static uint32_t clock_now, run_at, behind_at, result;

static int32_t note_run(void *user_data)
{
	(void)user_data;
	run_at = __atomic_add_fetch(&clock_now, 1, __ATOMIC_RELAXED);
	return (int32_t)result;
}

static int32_t note_behind(void *user_data)
{
	(void)user_data;
	behind_at = __atomic_add_fetch(&clock_now, 1, __ATOMIC_RELAXED);
	return 0;
}

static plait_plan *make_plan(void)
{
	plait_graph *graph = new_graph();
	plait_plan *plan;

	(void)add_call(graph, "one", note_run, NULL, NULL, 0);
	plan = freeze(graph, 0, 2);
	plait_graph_release(graph);
	return plan;
}

static plait_run *begin(plait_plan *plan, uint32_t with)
{
	plait_run *run = NULL;

	clock_now = run_at = behind_at = 0;
	result = with;
	IS_INT(plait_plan_run(plan, rig.queue, NULL, &run, &rig.error),
	       PLAIT_OK);
	return run;
}

static void end(plait_run *run, plait_status want)
{
	IS_INT(plait_run_wait(run, PLAIT_FOREVER, &rig.error), want);
	plait_run_release(run);
}

static void finish(plait_status want)
{
	IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error), want);
}

static void call_behind(void)
{
	IS_INT(plait_queue_call(rig.queue, note_behind, NULL, &rig.error),
	       PLAIT_OK);
}

static void check_order(void)
{
	IS_UINT(run_at, 1);
	IS_UINT(behind_at, 2);
}

static void remake_queue(void)
{
	IS_INT(plait_queue_create(rig.device, NULL, &rig.queue, &rig.error),
	       PLAIT_OK);
}

/* --- all goes well */

static void check_behind(plait_plan *plan)
{
	plait_run *run = begin(plan, 0);

	call_behind();
	finish(PLAIT_OK);
	check_order();
	end(run, PLAIT_OK);
	run = begin(plan, 0);
	end(run, PLAIT_OK);
	call_behind();
	finish(PLAIT_OK);
	check_order();
	run = begin(plan, 0);
	finish(PLAIT_OK);
	IS_UINT(run_at, 1);
	end(run, PLAIT_OK);
}

static void check_runs_behind(plait_plan *plan)
{
	plait_run *run = begin(plan, 0), *next = NULL;

	IS_INT(plait_plan_run(plan, rig.queue, NULL, &next, &rig.error),
	       PLAIT_OK);
	end(next, PLAIT_OK);
	IS_UINT(run_at, 2);
	IS_INT(plait_run_poll(run, &rig.error), PLAIT_OK);
	plait_run_release(run);
	run = begin(plan, 0);
	IS_INT(plait_plan_call(plan, rig.queue, NULL, &rig.error), PLAIT_OK);
	IS_UINT(run_at, 2);
	end(run, PLAIT_OK);
	finish(PLAIT_OK);
}

/* --- it fails */

static void check_failure(plait_plan *plan)
{
	end(begin(plan, 7), PLAIT_E_FAILED);
	finish(PLAIT_E_FAILED);
	IS_INT(rig.error.origin, 7);
	OK_THAT(strstr(rig.error.text, "\"one\"") != NULL, "%s",
		rig.error.text);
	finish(PLAIT_OK);
	end(begin(plan, 7), PLAIT_E_FAILED);
	call_behind();
	end(begin(plan, 0), PLAIT_E_FAILED);
	finish(PLAIT_E_FAILED);
	IS_UINT(run_at, 0);
	IS_UINT(behind_at, 0);
	finish(PLAIT_OK);
}

static void check_failure_behind(plait_plan *plan)
{
	plait_run *run = begin(plan, 7);

	call_behind();
	end(run, PLAIT_E_FAILED);
	finish(PLAIT_E_FAILED);
	IS_UINT(run_at, 1);
	IS_UINT(behind_at, 0);
	run = begin(plan, 0);
	call_behind();
	finish(PLAIT_OK);
	check_order();
	end(run, PLAIT_OK);
}

/* --- the queue goes */

static void check_release(plait_plan *plan, uint32_t with)
{
	const plait_status want = with != 0 ? PLAIT_E_FAILED : PLAIT_OK;
	plait_run *run = begin(plan, with);

	plait_queue_release(rig.queue);
	end(run, want);
	remake_queue();
	end(begin(plan, with), want);
	plait_queue_release(rig.queue);
	remake_queue();
	run = begin(plan, with);
	/* The queue may be the last object of all, so the function writes
	 * nothing down. */
	IS_INT(plait_queue_call(rig.queue, return_it, NULL, &rig.error),
	       PLAIT_OK);
	plait_queue_release(rig.queue);
	end(run, want);
	remake_queue();
}

/* With workers several times: the order of the threads differs each time; on a
 * new queue, which has submitted nothing yet. */
static void in_all(void (*check)(plait_plan *plan))
{
	plait_plan *plan;

	for (size_t i = 0; i < WORKERS; i++) {
		if (!open_host(worker_counts[i]))
			continue;
		plan = make_plan();
		for (int k = 0; k < (worker_counts[i] == 0 ? 2 : 20); k++) {
			check(plan);
			plait_queue_release(rig.queue);
			remake_queue();
		}
		plait_plan_release(plan);
		close_rig(&rig);
		OK(all_gone());
	}
}

static void behind(void)
{
	in_all(check_behind);
	in_all(check_runs_behind);
}

static void failures(void)
{
	in_all(check_failure);
	in_all(check_failure_behind);
}

static void release_while_fine(plait_plan *plan)
{
	check_release(plan, 0);
}

static void release_while_failing(plait_plan *plan)
{
	check_release(plan, 7);
}

static void released(void)
{
	in_all(release_while_fine);
	in_all(release_while_failing);
}

static const struct tap_scenario all[] = {
	{ "behind", behind },
	{ "failures", failures },
	{ "released", released },
};

TAP_MAIN(all)
