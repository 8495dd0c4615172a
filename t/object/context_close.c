/* SPDX-License-Identifier: MIT */
/* plait_context_close: waits for the end, with a deadline. */
#include "lib/objects.h"

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

static const struct tap_scenario all[] = {
	{ "work in flight", with_work_in_flight },
	{ "too early", too_early },
	{ "two threads", by_two_threads },
	{ "refused", refused },
};
TAP_MAIN(all)
