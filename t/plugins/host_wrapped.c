/* SPDX-License-Identifier: MIT */
/*
 * The interposers around the host backend, with real threads that submit, wait
 * and get notifications: check reports no broken rule, and the emission of a
 * failed queue does not overtake earlier emissions.
 */
#include "plugin/registry.h"

#include "lib/plugin_rig.h"
#include "lib/pool.h"

#include <pthread.h>
#include <stdio.h>

enum { LANES = 4, ROUNDS = 300 };

static plait__backend *backend;
static const plait_backend_table *table;
static plait_backend_queue *queues[LANES];
static plait_backend_signal *signals[LANES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t submitted[LANES]; /* Guarded by lock. */
static at_u32 ran, told;

static int32_t count_run(void *user_data)
{
	(void)user_data;
	at_add_u32(&ran, 1);
	return 0;
}

static void count_told(void *user_data, plait_status status)
{
	(void)user_data;
	(void)status;
	at_add_u32(&told, 1);
}

static uint64_t draw(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* Runs one round of lane `lane`; returns false when a call fails. */
static bool play(uint32_t lane, uint64_t *state)
{
	uint32_t other = (uint32_t)(draw(state) % LANES);
	plait_error error = { .size = sizeof(error) };
	plait_backend_point wait = { signals[other], 0 };
	plait_backend_point emit = { signals[lane], 0 };
	const plait_work work = { .size = sizeof(work),
		.kind = PLAIT_WORK_CALL, .function = count_run };
	const plait_submission submission = { .size = sizeof(submission),
		.work = &work, .work_count = 1, .waits = &wait,
		.wait_count = 1, .emits = &emit, .emit_count = 1 };
	bool good;

	pthread_mutex_lock(&lock);
	wait.sequence = submitted[other];
	emit.sequence = submitted[lane] + 1;
	pthread_mutex_unlock(&lock);
	good = table->queue_submit(backend->self, queues[lane], &submission,
				   1, &error) == PLAIT_OK;
	pthread_mutex_lock(&lock);
	submitted[lane] = emit.sequence;
	pthread_mutex_unlock(&lock);
	if (draw(state) % 4 == 0)
		good = good && table->signal_notify(
			backend->self, &emit, count_told, NULL, &error) == 0;
	else
		at_add_u32(&told, 1);
	if (draw(state) % 8 == 0)
		good = good && table->signal_wait(backend->self, &emit, 1, 0,
						  PLAIT_FOREVER, &error) == 0;
	return good;
}

static void *run_lane(void *user_data)
{
	uint32_t lane = *(uint32_t *)user_data;
	uint64_t state = tap_seed() + lane;

	for (int i = 0; i < ROUNDS; i++)
		if (!play(lane, &state))
			return NULL;
	return user_data;
}

static bool set_up(plait__pool *pool, const char *name, const char *wrap,
		   plait__registry **registry)
{
	plait_queue_request request = { .size = sizeof(request) };

	rig_config.pool = pool;
	rig_logged();
	*registry = rig_open(rig_plugin_folder(), name, wrap,
			     "trace:limit=100,emissions=1");
	if (!OK_THAT(*registry != NULL, "%s opens: %s", wrap, rig_error.text))
		return false;
	backend = plait__registry_backend(*registry, 0);
	table = &backend->table;
	for (uint32_t i = 0; i < LANES; i++) {
		submitted[i] = 0;
		table->queue_create(backend->self, 0, &request, &queues[i],
				    &rig_error);
		table->signal_create(backend->self, 0, 0, &signals[i],
				     &rig_error);
	}
	return true;
}

/* Closes all; check reported no broken rule. */
static void tear_down(plait__registry *registry)
{
	const char *logged;

	for (uint32_t i = 0; i < LANES; i++) {
		table->queue_destroy(backend->self, queues[i]);
		table->signal_destroy(backend->self, signals[i]);
	}
	plait__registry_close(registry);
	logged = rig_logged();
	if (!OK(strstr(logged, "broke a rule") == NULL))
		NOTE("%s", logged);
	rig_config.pool = NULL;
}

static void wait_for_all(void)
{
	plait_backend_point points[LANES];

	for (uint32_t i = 0; i < LANES; i++)
		points[i] = (plait_backend_point){ signals[i], submitted[i] };
	IS_INT(table->signal_wait(backend->self, points, LANES, 0,
				  PLAIT_FOREVER, &rig_error), PLAIT_OK);
	while (at_load_acquire_u32(&told) < LANES * ROUNDS)
		plait__thread_yield();
}

static void threads_of(uint32_t workers, const char *wrap)
{
	plait__pool *pool = new_pool(workers);
	uint32_t numbers[LANES];
	pthread_t threads[LANES];
	plait__registry *registry;

	at_init_u32(&ran, 0);
	at_init_u32(&told, 0);
	if (set_up(pool, "host", wrap, &registry)) {
		for (uint32_t i = 0; i < LANES; i++) {
			numbers[i] = i;
			pthread_create(&threads[i], NULL, run_lane,
				       &numbers[i]);
		}
		for (uint32_t i = 0; i < LANES; i++) {
			void *result = NULL;

			pthread_join(threads[i], &result);
			OK(result == &numbers[i]);
		}
		wait_for_all();
		IS_UINT(at_load_acquire_u32(&ran), LANES * ROUNDS);
		tear_down(registry);
	}
	plait__pool_destroy(pool);
}

static void many_threads(void)
{
	threads_of(3, "check");
	threads_of(1, "trace");
	threads_of(0, "check");
	threads_of(2, "check,trace,fault");
}

static int32_t fail_with_4(void *user_data)
{
	(void)user_data;
	return 4;
}

/*
 * Queue 0 waits for a gate and emits 1; queue 1 has failed, waits for 1 and
 * emits 2 of the same signal.  While the gate is down, 1 has not happened.
 */
static void failed_order_of(const char *name, const char *wrap)
{
	plait__pool *pool = new_pool(2);
	const plait_work work = { .size = sizeof(work),
		.kind = PLAIT_WORK_CALL, .function = fail_with_4 };
	plait_submission submission = { .size = sizeof(submission),
		.work = &work, .work_count = 1 };
	plait_backend_point one, two, open;
	plait_backend_signal *gate = NULL;
	plait__registry *registry;

	if (!set_up(pool, name, wrap, &registry))
		return;
	table->signal_create(backend->self, 0, PLAIT_BACKEND_SIGNAL_GATE,
			     &gate, &rig_error);
	one = (plait_backend_point){ signals[0], 1 };
	two = (plait_backend_point){ signals[0], 2 };
	open = (plait_backend_point){ gate, 1 };
	table->queue_submit(backend->self, queues[0], &(plait_submission){
		.size = sizeof(submission), .waits = &open, .wait_count = 1,
		.emits = &one, .emit_count = 1 }, 1, &rig_error);
	submission.emits = &(plait_backend_point){ signals[1], 1 };
	submission.emit_count = 1;
	table->queue_submit(backend->self, queues[1], &submission, 1,
			    &rig_error);
	table->queue_submit(backend->self, queues[1], &(plait_submission){
		.size = sizeof(submission), .waits = &one, .wait_count = 1,
		.emits = &two, .emit_count = 1 }, 1, &rig_error);
	IS_INT(table->signal_wait(backend->self, submission.emits, 1, 0,
				  PLAIT_FOREVER, &rig_error), PLAIT_E_FAILED);
	IS_INT(table->signal_wait(backend->self, &one, 1, 0, 20000000,
				  &rig_error), PLAIT_E_TIMEOUT);
	/* A failed queue waits for no gate: this one is never raised. */
	table->queue_submit(backend->self, queues[1], &(plait_submission){
		.size = sizeof(submission),
		.waits = &(plait_backend_point){ gate, 9 }, .wait_count = 1,
		.emits = &(plait_backend_point){ signals[1], 2 },
		.emit_count = 1 }, 1, &rig_error);
	table->signal_raise(backend->self, &open, NULL, &rig_error);
	IS_INT(table->signal_wait(backend->self, &(plait_backend_point){
		signals[1], 2 }, 1, 0, PLAIT_FOREVER, &rig_error),
	       PLAIT_E_FAILED);
	IS_INT(table->signal_wait(backend->self, &two, 1, 0, PLAIT_FOREVER,
				  &rig_error), PLAIT_E_FAILED);
	IS_INT(table->signal_poll(backend->self, &one, NULL, &rig_error),
	       PLAIT_OK);
	table->signal_destroy(backend->self, gate);
	tear_down(registry);
	plait__pool_destroy(pool);
}

static void a_failed_queue_keeps_the_order(void)
{
	failed_order_of("host", "");
	failed_order_of("host", "check");
	failed_order_of("chaos", "check");
}

static const struct tap_scenario all[] = {
	{ "threads", many_threads },
	{ "failed-order", a_failed_queue_keeps_the_order },
};
TAP_MAIN(all)
