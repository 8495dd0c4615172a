/* SPDX-License-Identifier: MIT */
/* Random runs and calls of one plan from several threads, some cancelled: each
 * run finds what it wrote. */
#include "turns.h"

#include <pthread.h>

enum { THREADS = 3, ROUNDS = 150 };

struct worker {
	pthread_t thread;
	uint32_t random;
	uint32_t failed;
	bool by_parameter;
};

static uint32_t draw(struct worker *worker, uint32_t below)
{
	worker->random = worker->random * 1664525 + 1013904223;
	return (worker->random >> 16) % below;
}

static bool one_round(struct worker *worker, plait_queue *queue)
{
	struct given given = { .value = draw(worker, 1000) };
	plait_error error = { .size = sizeof(error) };
	const plait_run_desc *desc;
	plait_run *run = NULL;
	plait_status status;

	given.target = bed.buffers[draw(worker, 2)];
	given.offset = draw(worker, 2) * WORDS * 8;
	desc = describe(&given, 0);
	if (draw(worker, 3) == 0) {
		status = plait_plan_call(bed.plan, NULL, desc, &error);
		return OK_THAT(status == PLAIT_OK, "call: %s", error.text);
	}
	status = plait_plan_run(bed.plan, queue, desc, &run, &error);
	if (status == PLAIT_OK && draw(worker, 6) == 0)
		(void)plait_run_cancel(run, NULL);
	if (status == PLAIT_OK && draw(worker, 3) > 0)
		status = plait_run_wait(run, PLAIT_FOREVER, &error);
	plait_run_release(run);
	if (status == PLAIT_E_CANCELLED)
		(void)plait_queue_finish(queue, PLAIT_FOREVER, NULL);
	/* A run behind a cancelled one. */
	return status == PLAIT_OK || status == PLAIT_E_CANCELLED ||
	       OK_THAT(false, "%d %s", status, error.text);
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	plait_queue *queue = bed.queues[worker->random % QUEUES];

	for (int i = 0; i < ROUNDS; i++)
		if (!one_round(worker, queue))
			worker->failed++;
	(void)plait_queue_finish(queue, PLAIT_FOREVER, NULL);
	return NULL;
}

static void at_random(bool by_parameter, uint32_t instances)
{
	struct worker workers[THREADS];

	make_bed(by_parameter, false, instances);
	for (uint32_t i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){ .random = i };
		OK(pthread_create(&workers[i].thread, NULL, work,
				  &workers[i]) == 0);
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		IS_UINT(workers[i].failed, 0);
	}
	/* A cancelled run may have begun without finishing. */
	OK(by_parameter || seen.most > 0);
	free_bed();
}

static void random_runs(void)
{
	for (uint32_t w = 1; w < WORKERS; w++) {
		if (worker_counts[w] == ON_CHAOS ||
		    !open_host(worker_counts[w]))
			continue;
		at_random(false, 2);
		at_random(true, 3);
		at_random(false, 5);
		close_rig(&rig);
	}
}

static const struct tap_scenario all[] = {
	{ "random runs", random_runs },
};

TAP_MAIN(all)
