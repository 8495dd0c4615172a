/* SPDX-License-Identifier: MIT */
/* plait_context_close: waits for the end, with a deadline. */
#include "lib/objects.h"

#include <sched.h>

/* All but the context. */
static plait_context *release_objects(struct rig *rig)
{
	plait_signal_release(rig->gate);
	plait_signal_release(rig->signal);
	plait_queue_release(rig->queue);
	return rig->context;
}

static int32_t close_inside(void *user_data)
{
	struct rig *rig = user_data;

	IS_INT(plait_context_close(rig->context, PLAIT_FOREVER, &rig->error),
	       PLAIT_E_DEADLOCK);
	return 0;
}

static void with_work_in_flight(void)
{
	for (struct rig *rig = settings; rig < settings + SETTINGS; rig++) {
		plait_context *context;
		int count = 0;

		if (!open_rig(rig))
			continue;
		for (int i = 0; i < 100; i++)
			IS_INT(plait_queue_call(rig->queue, add_one, &count,
						NULL), PLAIT_OK);
		context = release_objects(rig);
		IS_INT(plait_context_close(context, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		IS_INT(count, 100);
		IS_INT(plait_live_count(PLAIT_OBJECT_ANY), 0);
	}
}

static void too_early(void)
{
	for (struct rig *rig = settings; rig < settings + SETTINGS; rig++) {
		if (!open_rig(rig))
			continue;
		plait_context_retain(rig->context);
		REFUSED(plait_context_close(rig->context, 1000, &rig->error),
			PLAIT_E_TIMEOUT, "queue 1");
		/* The reference is given back: close_rig has the last one. */
		close_rig(rig);
	}
}

static void *close_too(void *arg)
{
	IS_INT(plait_context_close(arg, PLAIT_FOREVER, NULL), PLAIT_OK);
	return NULL;
}

static void by_two_threads(void)
{
	for (struct rig *rig = settings; rig < settings + SETTINGS; rig++) {
		plait_context *context;
		pthread_t thread;

		if (!open_rig(rig))
			continue;
		context = release_objects(rig);
		plait_context_retain(context);
		OK(pthread_create(&thread, NULL, close_too, context) == 0);
		(void)close_too(context);
		pthread_join(thread, NULL);
		IS_INT(plait_live_count(PLAIT_OBJECT_ANY), 0);
	}
}

static void refused(void)
{
	for (struct rig *rig = settings; rig < settings + SETTINGS; rig++) {
		if (!open_rig(rig))
			continue;
		REFUSED(plait_context_close(NULL, 0, &rig->error),
			PLAIT_E_HANDLE, "null");
		REFUSED(plait_context_close((void *)rig->queue, 0,
					    &rig->error),
			PLAIT_E_HANDLE, "is a queue, not a context");
		IS_INT(plait_queue_call(rig->queue, close_inside, rig, NULL),
		       PLAIT_OK);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		/* The reference was kept. */
		IS_INT(plait_context_report(rig->context, NULL, 0, NULL, NULL),
		       PLAIT_OK);
		close_rig(rig);
	}
}

/* --- threads of the library */

enum { CLOSES = 200, TURNS = 100 };

static pthread_key_t key;
static pthread_t closer;
static int library_threads; /* atomic: that have allocated and run */

/* The thread ends.  Others get the processor first. */
static void count_down(void *value)
{
	for (int i = 0; i < TURNS; i++)
		sched_yield();
	(void)value;
	__atomic_fetch_sub(&library_threads, 1, __ATOMIC_SEQ_CST);
}

static void *resize_and_count(void *user_data, void *pointer,
			      uint64_t old_bytes, uint64_t new_bytes)
{
	(void)old_bytes;
	if (!pthread_equal(pthread_self(), closer) &&
	    pthread_getspecific(key) == NULL) {
		pthread_setspecific(key, user_data);
		__atomic_fetch_add(&library_threads, 1, __ATOMIC_SEQ_CST);
	}
	if (new_bytes != 0)
		return realloc(pointer, new_bytes);
	free(pointer);
	return NULL;
}

static int32_t yield_twice(void *user_data)
{
	(void)user_data;
	sched_yield();
	sched_yield();
	return 0;
}

/* Work in flight keeps the context: another thread ends it. */
static int close_with_work(const char *backends, uint64_t timeout_ns)
{
	static int mark;
	const plait_allocator allocator = { .size = sizeof(allocator),
					    .resize = resize_and_count,
					    .user_data = &mark };
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = backends, .workers = 2,
		.allocator = &allocator,
	};
	plait_context *context = NULL;
	plait_device *device = NULL;
	plait_queue *queue = NULL;
	plait_status status;

	if (plait_context_open(&desc, &context, NULL) != PLAIT_OK ||
	    plait_context_device(context, 0, &device, NULL) != PLAIT_OK ||
	    plait_queue_create(device, NULL, &queue, NULL) != PLAIT_OK)
		return -1;
	for (int i = 0; i < 20; i++)
		(void)plait_queue_call(queue, yield_twice, NULL, NULL);
	plait_queue_release(queue);
	status = plait_context_close(context, timeout_ns, NULL);
	return status == PLAIT_OK ?
		       __atomic_load_n(&library_threads, __ATOMIC_SEQ_CST) :
		       0;
}

static void threads_after(uint64_t timeout_ns)
{
	static const char *const backends[] = { "host", "chaos" };

	closer = pthread_self();
	for (size_t b = 0; b < TAP_COUNT(backends); b++) {
		int late = 0;

		for (int i = 0; i < CLOSES; i++) {
			uint64_t since = 0;

			late += close_with_work(backends[b], timeout_ns) != 0;
			while (plait_live_count(PLAIT_OBJECT_ANY) > 0 &&
			       !tap_late(&since))
				sched_yield();
			IS_INT(plait_live_count(PLAIT_OBJECT_ANY), 0);
		}
		OK_THAT(late == 0, "%s: %d of %d closes left threads",
			backends[b], late, CLOSES);
	}
}

static void no_thread_runs(void)
{
	OK(pthread_key_create(&key, count_down) == 0);
	threads_after(PLAIT_FOREVER);
}

/* The closer gives up: the thread frees its own memory.  Contexts of earlier
 * closes may end during a later one, so threads are not counted. */
static void given_up(void)
{
	uint64_t since = 0;

	OK(pthread_key_create(&key, count_down) == 0);
	closer = pthread_self();
	for (int i = 0; i < CLOSES; i++)
		(void)close_with_work("host", (uint64_t)i * 500);
	while ((plait_live_count(PLAIT_OBJECT_ANY) > 0 ||
		__atomic_load_n(&library_threads, __ATOMIC_SEQ_CST) > 0) &&
	       !tap_late(&since))
		sched_yield();
	IS_INT(plait_live_count(PLAIT_OBJECT_ANY), 0);
	IS_INT(__atomic_load_n(&library_threads, __ATOMIC_SEQ_CST), 0);
}

static const struct tap_scenario all[] = {
	{ "work in flight", with_work_in_flight },
	{ "too early", too_early },
	{ "two threads", by_two_threads },
	{ "refused", refused },
	{ "no thread of the library is left", no_thread_runs },
	{ "the closer gives up", given_up },
};
TAP_MAIN(all)
