/* SPDX-License-Identifier: MIT */
/* Queues and signals through the API: order, failure, recovery, waiting. */
#include "lib/objects.h"

#define EACH(rig) \
	for (struct rig *rig = settings; rig < settings + SETTINGS; rig++) \
		if (open_rig(rig))

static plait_command call(plait_host_function function, void *user_data,
			  const char *label)
{
	return (plait_command){ .size = sizeof(plait_command),
				.kind = PLAIT_COMMAND_CALL,
				.flags = PLAIT_CALL_ANY_THREAD,
				.function = function,
				.user_data = user_data,
				.label = label };
}

static plait_command emit(plait_signal *signal)
{
	return (plait_command){ .size = sizeof(plait_command),
				.kind = PLAIT_COMMAND_EMIT,
				.signal = signal };
}

static plait_command wait_for(plait_signal *signal, uint64_t sequence)
{
	return (plait_command){ .size = sizeof(plait_command),
				.kind = PLAIT_COMMAND_WAIT,
				.signal = signal, .sequence = sequence };
}

/* --- batches */

struct trail {
	int next;
	int wrong;
};

static int32_t step_even(void *user_data)
{
	struct trail *trail = user_data;

	trail->wrong += trail->next++ % 2 != 0;
	return 0;
}

static int32_t step_odd(void *user_data)
{
	struct trail *trail = user_data;

	trail->wrong += trail->next++ % 2 != 1;
	return 0;
}

static void long_batches(void)
{
	enum { COUNT = 2000 };
	static plait_command commands[COUNT];

	EACH(rig) {
		struct trail trail = { 0, 0 };
		uint64_t sequence = 0;
		int i;

		/* Every tenth emits, and the other calls take turns. */
		for (i = 0; i < COUNT; i++)
			commands[i] = i % 10 == 9
					      ? emit(rig->signal)
					      : call((i - i / 10) % 2
							     ? step_odd
							     : step_even,
						     &trail, NULL);
		IS_INT(plait_queue_submit(rig->queue, commands, COUNT,
					  &sequence, &rig->error), PLAIT_OK);
		IS_UINT(sequence, COUNT / 10);
		IS_INT(plait_signal_wait(rig->signal, sequence, PLAIT_FOREVER,
					 &rig->error), PLAIT_OK);
		IS_INT(trail.next, COUNT / 10 * 9);
		IS_INT(trail.wrong, 0);
		close_rig(rig);
	}
}

static void own_emissions(void)
{
	EACH(rig) {
		int count = 0;
		plait_command commands[] = {
			emit(rig->signal), wait_for(rig->signal, 0),
			wait_for(rig->signal, 1), call(add_one, &count, NULL),
			emit(rig->signal), wait_for(rig->signal, 2),
			emit(rig->signal) };
		uint64_t sequence;

		IS_INT(plait_queue_submit(rig->queue, commands, 7, &sequence,
					  &rig->error), PLAIT_OK);
		IS_UINT(sequence, 3);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		IS_INT(count, 1);
		/* The data does not exist before the emission. */
		commands[0] = wait_for(rig->signal, 4);
		commands[1] = emit(rig->signal);
		IS_INT(plait_queue_submit(rig->queue, commands, 2, NULL,
					  &rig->error), PLAIT_E_INVALID);
		close_rig(rig);
	}
}

/* --- several queues emit one signal: its numbers come in order */

static void emissions_in_order(void)
{
	EACH(rig) {
		plait_queue *other;
		uint64_t first;
		uint64_t second;
		int count = 0;

		IS_INT(plait_queue_create(rig->device, NULL, &other, NULL),
		       PLAIT_OK);
		IS_INT(plait_queue_wait(rig->queue, rig->gate, 1, NULL),
		       PLAIT_OK);
		plait_queue_call(rig->queue, add_one, &count, NULL);
		IS_INT(plait_queue_emit(rig->queue, rig->signal, &first, NULL),
		       PLAIT_OK);
		IS_INT(plait_queue_emit(other, rig->signal, &second, NULL),
		       PLAIT_OK);
		IS_UINT(second, first + 1);
		/* The second queue has nothing to do, and has to wait. */
		IS_INT(plait_signal_wait(rig->signal, second, 2000000,
					 &rig->error), PLAIT_E_TIMEOUT);
		IS_INT(plait_signal_raise(rig->gate, 1, NULL), PLAIT_OK);
		IS_INT(plait_signal_wait(rig->signal, second, PLAIT_FOREVER,
					 NULL), PLAIT_OK);
		IS_INT(count, 1);
		plait_queue_release(other);
		close_rig(rig);
	}
}

/* Many threads, two queues each, one signal: no number is lost. */
struct emitter {
	struct rig *rig;
	uint64_t sum;
};

enum { EMISSIONS = 200 };

static void *emit_many(void *arg)
{
	struct emitter *emitter = arg;
	plait_queue *queues[2];
	uint64_t sequence;
	int i;

	plait_queue_create(emitter->rig->device, NULL, &queues[0], NULL);
	plait_queue_create(emitter->rig->device, NULL, &queues[1], NULL);
	for (i = 0; i < EMISSIONS; i++) {
		plait_queue_emit(queues[i % 2], emitter->rig->signal,
				 &sequence, NULL);
		emitter->sum += sequence;
	}
	plait_queue_release(queues[0]);
	plait_queue_release(queues[1]);
	return NULL;
}

static void many_emitters(void)
{
	enum { THREADS = 3 };

	EACH(rig) {
		struct emitter emitters[THREADS];
		pthread_t threads[THREADS];
		uint64_t all = THREADS * EMISSIONS;
		uint64_t sum = 0;
		uint64_t reached;
		int i;

		for (i = 0; i < THREADS; i++) {
			emitters[i] = (struct emitter){ rig, 0 };
			pthread_create(&threads[i], NULL, emit_many,
				       &emitters[i]);
		}
		for (i = 0; i < THREADS; i++) {
			pthread_join(threads[i], NULL);
			sum += emitters[i].sum;
		}
		IS_UINT(sum, all * (all + 1) / 2);
		IS_INT(plait_signal_wait(rig->signal, all, PLAIT_FOREVER,
					 NULL), PLAIT_OK);
		IS_INT(plait_signal_query(rig->signal, &reached, NULL, NULL),
		       PLAIT_OK);
		IS_UINT(reached, all);
		close_rig(rig);
	}
}

/* --- failure */

static void failure_and_recovery(void)
{
	EACH(rig) {
		int count = 0;
		plait_command commands[] = {
			call(add_one, &count, NULL), emit(rig->signal),
			call(return_it, (void *)42, "scale"),
			call(add_one, &count, NULL), emit(rig->signal) };
		uint64_t reached;
		uint64_t submitted;

		IS_INT(plait_queue_submit(rig->queue, commands, 5, NULL,
					  &rig->error), PLAIT_OK);
		IS_INT(plait_signal_wait(rig->signal, 1, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		IS_INT(plait_signal_wait(rig->signal, 2, PLAIT_FOREVER,
					 &rig->error), PLAIT_E_FAILED);
		IS_INT(rig->error.origin, 42);
		HAS_STR(rig->error.text, "scale");
		/* Later commands do not run until the failure is reported. */
		plait_queue_call(rig->queue, add_one, &count, NULL);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_E_FAILED);
		IS_INT(rig->error.origin, 42);
		HAS_STR(rig->error.text, "scale");
		IS_INT(count, 1);
		/* Once; then it works again. */
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		plait_queue_call(rig->queue, add_one, &count, NULL);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		IS_INT(count, 2);
		/* The signal stays failed from there on, until reset. */
		IS_INT(plait_signal_wait(rig->signal, 1, 0, NULL), PLAIT_OK);
		IS_INT(plait_signal_query(rig->signal, &reached, &submitted,
					  &rig->error), PLAIT_E_FAILED);
		IS_UINT(reached, 2);
		IS_UINT(submitted, 2);
		plait_queue_emit(rig->queue, rig->signal, NULL, NULL);
		IS_INT(plait_signal_wait(rig->signal, 3, PLAIT_FOREVER, NULL),
		       PLAIT_E_FAILED);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		IS_INT(plait_signal_reset(rig->signal, &rig->error), PLAIT_OK);
		IS_INT(plait_signal_reset(rig->signal, NULL), PLAIT_OK);
		IS_INT(plait_signal_query(rig->signal, NULL, NULL, NULL),
		       PLAIT_OK);
		plait_queue_emit(rig->queue, rig->signal, NULL, NULL);
		IS_INT(plait_signal_wait(rig->signal, 4, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		close_rig(rig);
	}
}

static void failure_spreads(void)
{
	EACH(rig) {
		plait_queue *other;
		int count = 0;

		IS_INT(plait_queue_create(rig->device, NULL, &other, NULL),
		       PLAIT_OK);
		plait_queue_call(rig->queue, return_it, (void *)5, NULL);
		plait_queue_emit(rig->queue, rig->signal, NULL, NULL);
		plait_queue_wait(other, rig->signal, 0, NULL);
		plait_queue_call(other, add_one, &count, NULL);
		IS_INT(plait_queue_finish(other, PLAIT_FOREVER, &rig->error),
		       PLAIT_E_FAILED);
		IS_INT(strncmp(rig->error.text, "not run: ", 9), 0);
		OK(strncmp(rig->error.text + 9, "not run: ", 9) != 0);
		IS_INT(rig->error.origin, 5);
		IS_INT(count, 0);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL),
		       PLAIT_E_FAILED);
		plait_queue_release(other);
		close_rig(rig);
	}
}

/* Not finished: released as it is, with more commands behind the failure. */
static void failed_and_released(void)
{
	EACH(rig) {
		int i;

		plait_queue_call(rig->queue, return_it, (void *)5, NULL);
		for (i = 0; i < 300; i++)
			plait_queue_emit(rig->queue, rig->signal, NULL, NULL);
		close_rig(rig);
	}
}

/* --- gates */

static void gates(void)
{
	EACH(rig) {
		int count = 0;
		uint64_t reached;

		plait_queue_wait(rig->queue, rig->gate, 10, NULL);
		plait_queue_call(rig->queue, add_one, &count, NULL);
		plait_queue_wait(rig->queue, rig->gate, 20, NULL);
		plait_queue_emit(rig->queue, rig->signal, NULL, NULL);
		IS_INT(plait_signal_raise(rig->gate, 19, NULL), PLAIT_OK);
		IS_INT(plait_signal_wait(rig->signal, 1, 1000000,
					 &rig->error), PLAIT_E_TIMEOUT);
		HAS_STR(rig->error.text, "is at 0 after 1 ms, and 1 was");
		IS_INT(plait_signal_wait(rig->gate, 25, 2000,
					 &rig->error), PLAIT_E_TIMEOUT);
		IS_STR(rig->error.text, rig->backend[0] == 'h' ?
		       "signal \"gate\" of host is at 19 after 2 us, and "
		       "25 was waited for" :
		       "signal \"gate\" of chaos is at 19 after 2 us, and "
		       "25 was waited for");
		IS_INT(plait_queue_finish(rig->queue, 3000, &rig->error),
		       PLAIT_E_TIMEOUT);
		IS_STR(rig->error.text, rig->backend[0] == 'h' ?
		       "queue \"q\" of host is not done after 3 us; it "
		       "has a wait for signal \"gate\", which is at 19" :
		       "queue \"q\" of chaos is not done after 3 us; it "
		       "has a wait for signal \"gate\", which is at 19");
		IS_INT(plait_signal_reset(rig->gate, &rig->error),
		       PLAIT_E_BUSY);
		IS_INT(plait_signal_reset(rig->signal, NULL), PLAIT_E_BUSY);
		IS_INT(plait_signal_fail(rig->gate, 77, "no more", NULL),
		       PLAIT_OK);
		IS_INT(plait_signal_fail(rig->gate, 77, NULL, &rig->error),
		       PLAIT_E_STATE);
		IS_INT(plait_signal_raise(rig->gate, 50, NULL), PLAIT_E_STATE);
		IS_INT(plait_signal_wait(rig->gate, 19, 0, NULL), PLAIT_OK);
		IS_INT(plait_signal_wait(rig->gate, 1000, 0, &rig->error),
		       PLAIT_E_FAILED);
		IS_STR(rig->error.text, "no more");
		IS_INT(rig->error.origin, 77);
		IS_INT(plait_signal_query(rig->gate, &reached, NULL, NULL),
		       PLAIT_E_FAILED);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_E_FAILED);
		IS_STR(rig->error.text, "not run: no more");
		IS_INT(rig->error.origin, 77);
		IS_INT(count, 1);
		IS_INT(plait_signal_reset(rig->gate, &rig->error), PLAIT_OK);
		IS_INT(plait_signal_raise(rig->gate, 21, &rig->error),
		       PLAIT_OK);
		IS_INT(plait_signal_wait(rig->gate, 21, 0, NULL), PLAIT_OK);
		close_rig(rig);
	}
}

/* --- waiting for several */

static void any_and_all(void)
{
	EACH(rig) {
		plait_signal *many[12];
		plait_point points[13];
		uint64_t index = 99;
		int i;

		for (i = 0; i < 12; i++) {
			plait_signal_create(rig->device, NULL, &many[i], NULL);
			points[i] = (plait_point){ many[i], 1 };
		}
		points[12] = (plait_point){ rig->gate, 1 };
		plait_queue_wait(rig->queue, rig->gate, 1, NULL);
		for (i = 0; i < 12; i++)
			plait_queue_emit(rig->queue, many[i], NULL, NULL);
		IS_INT(plait_signal_wait_points(points, 13, PLAIT_WAIT_ALL, 1000,
					 &index, &rig->error),
		       PLAIT_E_TIMEOUT);
		HAS_STR(rig->error.text, "13 of 13 points are missing after "
			"1 us; the first, signal ");
		IS_INT(plait_signal_wait_points(points, 13, PLAIT_WAIT_ANY, 0, &index,
					 NULL), PLAIT_E_TIMEOUT);
		IS_UINT(index, 0);
		plait_signal_raise(rig->gate, 1, NULL);
		IS_INT(plait_signal_wait_points(points, 13, PLAIT_WAIT_ANY,
					 PLAIT_FOREVER, &index, NULL),
		       PLAIT_OK);
		OK(index < 13);
		IS_INT(plait_signal_wait_points(points, 13, PLAIT_WAIT_ALL,
					 PLAIT_FOREVER, &index, NULL),
		       PLAIT_OK);
		/* A point twice, and one that fails. */
		points[1] = points[0];
		plait_queue_call(rig->queue, return_it, (void *)3, NULL);
		plait_queue_emit(rig->queue, many[5], NULL, NULL);
		points[5].sequence = 2;
		IS_INT(plait_signal_wait_points(points, 13, PLAIT_WAIT_ALL,
					 PLAIT_FOREVER, &index, NULL),
		       PLAIT_E_FAILED);
		IS_UINT(index, 5);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL),
		       PLAIT_E_FAILED);
		for (i = 0; i < 12; i++)
			plait_signal_release(many[i]);
		close_rig(rig);
	}
}

/* --- PLAIT_SYNC */

static void sync(void)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++) {
		struct rig rig = settings[i];
		int count = 0;

		rig.flags |= PLAIT_CONTEXT_SYNC;
		if (!open_rig(&rig))
			continue;
		IS_INT(plait_queue_call(rig.queue, add_one, &count, NULL),
		       PLAIT_OK);
		IS_INT(count, 1);
		IS_INT(plait_queue_call(rig.queue, return_it, (void *)6,
					&rig.error), PLAIT_E_FAILED);
		IS_INT(rig.error.origin, 6);
		IS_INT(plait_queue_call(rig.queue, add_one, &count, NULL),
		       PLAIT_OK);
		IS_INT(count, 2);
		close_rig(&rig);
	}
}

/* --- inside a host function */

struct inside {
	struct rig *rig;
	plait_queue *other;
	plait_status submitted;
	plait_status waited;
	plait_status polled;
	plait_status read;
	int count;
};

static int32_t do_inside(void *user_data)
{
	struct inside *inside = user_data;
	struct rig *rig = inside->rig;
	char byte;

	inside->submitted = plait_queue_call(inside->other, add_one,
					     &inside->count, NULL);
	inside->polled = plait_signal_wait(rig->gate, 1, 0, NULL);
	inside->waited = plait_signal_wait(rig->gate, 1, PLAIT_FOREVER,
					   &rig->error);
	inside->read = plait_queue_read(inside->other, NULL, 0, &byte, 1,
					NULL);
	return 0;
}

static void functions_submit(void)
{
	EACH(rig) {
		struct inside inside = { .rig = rig };

		IS_INT(plait_queue_create(rig->device, NULL, &inside.other,
					  NULL), PLAIT_OK);
		plait_queue_call(rig->queue, do_inside, &inside, NULL);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		IS_INT(inside.submitted, PLAIT_OK);
		IS_INT(inside.waited, PLAIT_E_DEADLOCK);
		HAS_STR(rig->error.text, "must not wait");
		IS_INT(inside.polled, PLAIT_E_TIMEOUT);
		IS_INT(inside.read, PLAIT_E_DEADLOCK);
		IS_INT(plait_queue_finish(inside.other, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		IS_INT(inside.count, 1);
		plait_queue_release(inside.other);
		close_rig(rig);
	}
}

/* --- points that can never happen, on a simulated clock */

static void no_end(void)
{
	struct rig *rig = &settings[2];

	if (!open_rig(rig))
		return;
	plait_queue_wait(rig->queue, rig->gate, 1, NULL);
	IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, &rig->error),
	       PLAIT_E_DEADLOCK);
	IS_INT(plait_queue_finish(rig->queue, 3600000000000, &rig->error),
	       PLAIT_E_TIMEOUT);
	IS_INT(plait_signal_raise(rig->gate, 1, NULL), PLAIT_OK);
	IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, &rig->error),
	       PLAIT_OK);
	close_rig(rig);
}

static void full_queues(void)
{
	EACH(rig) {
		plait_queue_desc desc = { .size = sizeof(desc), .capacity = 4 };
		plait_command calls[5];
		plait_queue *small;
		int count = 0;
		int i;

		for (i = 0; i < 5; i++)
			calls[i] = (plait_command){
				.size = sizeof(calls[i]),
				.kind = PLAIT_COMMAND_CALL,
				.flags = PLAIT_CALL_ANY_THREAD,
				.function = add_one, .user_data = &count,
			};
		IS_INT(plait_queue_create(rig->device, &desc, &small, NULL),
		       PLAIT_OK);
		/* Waiting would not help. */
		IS_INT(plait_queue_submit(small, calls, 5, NULL, &rig->error),
		       PLAIT_E_INVALID);
		HAS_STR(rig->error.text, "5 commands at once");
		HAS_STR(rig->error.text, "room for 4");
		plait_queue_wait(small, rig->gate, 1, NULL);
		for (i = 0; i < 4; i++)
			IS_INT(plait_queue_call(small, add_one, &count, NULL),
			       PLAIT_OK);
		IS_INT(plait_queue_call(small, add_one, &count, &rig->error),
		       PLAIT_E_BUSY);
		plait_signal_raise(rig->gate, 1, NULL);
		IS_INT(plait_queue_finish(small, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		IS_INT(count, 4);
		IS_INT(plait_queue_call(small, add_one, &count, NULL),
		       PLAIT_OK);
		plait_queue_release(small);
		close_rig(rig);
		IS_INT(count, 5);
	}
}

/* --- two backends in one context */

static void two_backends(void)
{
	struct rig rig = { .backend = "host,chaos", .workers = 1 };
	plait_device *other;
	plait_signal *signal;
	plait_queue *queue;
	plait_point points[2];

	if (!open_rig(&rig))
		return;
	IS_INT(plait_context_find_device(rig.context, "chaos", &other, NULL),
	       PLAIT_OK);
	IS_INT(plait_queue_create(other, NULL, &queue, NULL), PLAIT_OK);
	IS_INT(plait_signal_create(other, NULL, &signal, NULL), PLAIT_OK);
	IS_INT(plait_queue_emit(rig.queue, signal, NULL, &rig.error),
	       PLAIT_E_UNSUPPORTED);
	HAS_STR(rig.error.text, "backend chaos");
	IS_INT(plait_queue_wait(queue, rig.signal, 0, &rig.error),
	       PLAIT_E_UNSUPPORTED);
	/* The host waits for both at once. */
	plait_queue_wait(rig.queue, rig.gate, 1, NULL);
	plait_queue_emit(rig.queue, rig.signal, NULL, NULL);
	plait_queue_emit(queue, signal, NULL, NULL);
	points[0] = (plait_point){ rig.signal, 1 };
	points[1] = (plait_point){ signal, 1 };
	IS_INT(plait_signal_wait_points(points, 2, PLAIT_WAIT_ANY, PLAIT_FOREVER,
				 NULL, &rig.error), PLAIT_OK);
	IS_INT(plait_signal_wait_points(points, 2, PLAIT_WAIT_ALL, 3000000, NULL,
				 &rig.error), PLAIT_E_TIMEOUT);
	plait_signal_raise(rig.gate, 1, NULL);
	IS_INT(plait_signal_wait_points(points, 2, PLAIT_WAIT_ALL, PLAIT_FOREVER,
				 NULL, &rig.error), PLAIT_OK);
	plait_signal_release(signal);
	plait_queue_release(queue);
	close_rig(&rig);
}

static const struct tap_scenario all[] = {
	{ "long batches", long_batches },
	{ "own emissions", own_emissions },
	{ "emissions in order", emissions_in_order },
	{ "many emitters", many_emitters },
	{ "failure and recovery", failure_and_recovery },
	{ "failure spreads", failure_spreads },
	{ "failed and released", failed_and_released },
	{ "gates", gates },
	{ "any and all", any_and_all },
	{ "sync", sync },
	{ "functions submit", functions_submit },
	{ "no end", no_end },
	{ "full queues", full_queues },
	{ "two backends", two_backends },
};

TAP_MAIN(all)
