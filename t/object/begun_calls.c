/* SPDX-License-Identifier: MIT */
/*
 * Functions that the program runs itself, between plait_inbox_begin and
 * plait_inbox_end: waits in them for their own command are refused, as in those
 * that the library runs; nested, ended in another order, answered early, and on
 * threads that end.
 */
#include "lib/objects.h"

#define EACH(rig) \
	for (struct rig *rig = settings; rig < settings + SETTINGS; rig++) \
		if (open_rig(rig))

struct scene {
	struct rig *rig;
	plait_inbox *inbox;
	plait_queue *other;
	plait_signal *behind; /* emitted behind the first command */
};

static plait_queue *submit(struct scene *scene, plait_queue *queue)
{
	const plait_command command = {
		.size = sizeof(command), .kind = PLAIT_COMMAND_CALL,
		.inbox = scene->inbox,
	};

	IS_INT(plait_queue_submit(queue, &command, 1, NULL,
				  &scene->rig->error), PLAIT_OK);
	return queue;
}

/* One call in the queue "q", another one in `other`. */
static void begin(struct scene *scene, struct rig *rig)
{
	*scene = (struct scene){ .rig = rig };
	IS_INT(plait_inbox_create(rig->context, &scene->inbox, &rig->error),
	       PLAIT_OK);
	IS_INT(plait_queue_create(rig->device, NULL, &scene->other,
				  &rig->error), PLAIT_OK);
	IS_INT(plait_signal_create(rig->device, NULL, &scene->behind,
				   &rig->error), PLAIT_OK);
	(void)submit(scene, rig->queue);
	IS_INT(plait_queue_emit(rig->queue, scene->behind, NULL, NULL),
	       PLAIT_OK);
}

static void end(struct scene *scene)
{
	plait_signal_release(scene->behind);
	plait_queue_release(scene->other);
	plait_inbox_release(scene->inbox);
	close_rig(scene->rig);
}

/* Take the next call, and return its id. */
static uint64_t take(struct scene *scene)
{
	plait_event event = { .size = sizeof(event) };

	IS_INT(plait_inbox_wait(scene->inbox, PLAIT_FOREVER,
				&scene->rig->error), PLAIT_OK);
	IS_INT(plait_inbox_next(scene->inbox, &event, &scene->rig->error),
	       PLAIT_OK);
	IS_UINT(event.kind, PLAIT_EVENT_CALL);
	return event.id;
}

static plait_status start(struct scene *scene, uint64_t id)
{
	return plait_inbox_begin(scene->inbox, id, &scene->rig->error);
}

static plait_status stop(struct scene *scene, uint64_t id)
{
	return plait_inbox_end(scene->inbox, id, &scene->rig->error);
}

static plait_status answer(struct scene *scene, uint64_t id)
{
	return plait_inbox_answer(scene->inbox, id, 0, NULL,
				  &scene->rig->error);
}

static plait_status finish(struct scene *scene, plait_queue *queue)
{
	return plait_queue_finish(queue, PLAIT_FOREVER, &scene->rig->error);
}

/* ---- waits ---- */

static void check_waits(struct scene *scene)
{
	struct rig *rig = scene->rig;

	REFUSED(finish(scene, rig->queue), PLAIT_E_DEADLOCK, "has to end first");
	HAS_STR(rig->error.text, "queue \"q\"");
	REFUSED(plait_signal_wait(scene->behind, 1, PLAIT_FOREVER, &rig->error),
		PLAIT_E_DEADLOCK, "behind it in the same queue");
	REFUSED(plait_context_close(rig->context, PLAIT_FOREVER, &rig->error),
		PLAIT_E_DEADLOCK, "host function");
	/* Another queue may be waited for. */
	IS_INT(finish(scene, scene->other), PLAIT_OK);
}

static void waits(void)
{
	EACH(rig) {
		struct scene scene;
		uint64_t id;

		begin(&scene, rig);
		id = take(&scene);
		IS_INT(start(&scene, id), PLAIT_OK);
		check_waits(&scene);
		IS_INT(stop(&scene, id), PLAIT_OK);
		/* Outside of the function another thread could answer. */
		IS_INT(plait_queue_finish(rig->queue, 1, &rig->error),
		       PLAIT_E_TIMEOUT);
		/* A function that suspends begins again. */
		IS_INT(start(&scene, id), PLAIT_OK);
		check_waits(&scene);
		IS_INT(stop(&scene, id), PLAIT_OK);
		IS_INT(answer(&scene, id), PLAIT_OK);
		IS_INT(finish(&scene, rig->queue), PLAIT_OK);
		end(&scene);
	}
}

/* An answered call blocks nothing, also before its end. */
static void answered(void)
{
	EACH(rig) {
		struct scene scene;
		uint64_t id;

		begin(&scene, rig);
		id = take(&scene);
		IS_INT(start(&scene, id), PLAIT_OK);
		IS_INT(answer(&scene, id), PLAIT_OK);
		IS_INT(finish(&scene, rig->queue), PLAIT_OK);
		REFUSED(start(&scene, id), PLAIT_E_INVALID, "is answered");
		IS_INT(stop(&scene, id), PLAIT_OK);
		REFUSED(stop(&scene, id), PLAIT_E_INVALID, "has not begun");
		end(&scene);
	}
}

/* ---- several calls ---- */

/* End the one that began first, first or last. */
static void check_two(struct rig *rig, bool first)
{
	struct scene scene;
	uint64_t outer, inner;

	begin(&scene, rig);
	outer = take(&scene);
	IS_INT(start(&scene, outer), PLAIT_OK);
	(void)submit(&scene, scene.other);
	inner = take(&scene);
	IS_INT(start(&scene, inner), PLAIT_OK);
	REFUSED(finish(&scene, rig->queue), PLAIT_E_DEADLOCK, "\"q\"");
	REFUSED(finish(&scene, scene.other), PLAIT_E_DEADLOCK, "first");
	IS_INT(stop(&scene, first ? outer : inner), PLAIT_OK);
	REFUSED(finish(&scene, first ? scene.other : rig->queue),
		PLAIT_E_DEADLOCK, "has to end first");
	IS_INT(plait_queue_finish(first ? rig->queue : scene.other, 1,
				  &rig->error), PLAIT_E_TIMEOUT);
	IS_INT(stop(&scene, first ? inner : outer), PLAIT_OK);
	IS_INT(answer(&scene, inner), PLAIT_OK);
	IS_INT(answer(&scene, outer), PLAIT_OK);
	IS_INT(finish(&scene, rig->queue), PLAIT_OK);
	IS_INT(finish(&scene, scene.other), PLAIT_OK);
	end(&scene);
}

static void nested(void)
{
	EACH(rig)
		check_two(rig, false);
	EACH(rig)
		check_two(rig, true);
}

/* ---- in a function that the library runs ---- */

struct pumped {
	struct scene *scene;
	uint64_t id;
	plait_status status;
};

static int32_t begin_inside(void *user_data)
{
	struct pumped *self = user_data;

	self->status = start(self->scene, self->id);
	return 0;
}

static void submit_inside(struct pumped *self)
{
	const plait_command command = {
		.size = sizeof(command), .kind = PLAIT_COMMAND_CALL,
		.inbox = self->scene->inbox, .function = begin_inside,
		.user_data = self,
	};

	IS_INT(plait_queue_submit(self->scene->other, &command, 1, NULL,
				  &self->scene->rig->error), PLAIT_OK);
}

static void pump(struct pumped *self)
{
	uint64_t count = 0;

	while (count == 0 && plait_inbox_pump(self->scene->inbox, 1, &count,
					      NULL) == PLAIT_OK)
		pause_a_little();
}

/* The call goes on after the function that began it. */
static void pumped(void)
{
	EACH(rig) {
		struct scene scene;
		struct pumped self = { .scene = &scene, .status = -99 };

		begin(&scene, rig);
		self.id = take(&scene);
		submit_inside(&self);
		pump(&self);
		IS_INT(self.status, PLAIT_OK);
		IS_INT(finish(&scene, scene.other), PLAIT_OK);
		IS_INT(plait_queue_finish(rig->queue, 1, &rig->error),
		       PLAIT_E_DEADLOCK);
		IS_INT(stop(&scene, self.id), PLAIT_OK);
		IS_INT(answer(&scene, self.id), PLAIT_OK);
		IS_INT(finish(&scene, rig->queue), PLAIT_OK);
		end(&scene);
	}
}

static void *pump_and_end(void *arg)
{
	struct pumped *self = arg;

	if (plait_inbox_adopt(self->scene->inbox, NULL) == PLAIT_OK)
		pump(self);
	return NULL;
}

/* The thread ends with the call. */
static void pumped_on_thread(void)
{
	EACH(rig) {
		struct scene scene;
		struct pumped self = { .scene = &scene, .status = -99 };
		pthread_t thread;

		begin(&scene, rig);
		self.id = take(&scene);
		submit_inside(&self);
		IS_INT(pthread_create(&thread, NULL, pump_and_end, &self), 0);
		IS_INT(pthread_join(thread, NULL), 0);
		IS_INT(self.status, PLAIT_OK);
		IS_INT(plait_queue_finish(rig->queue, TAP_PATIENCE_NS,
					  &rig->error), PLAIT_E_FAILED);
		HAS_STR(rig->error.text, "ended its thread");
		IS_INT(finish(&scene, scene.other), PLAIT_OK);
		end(&scene);
	}
}

/* ---- mistakes ---- */

static void mistakes(void)
{
	EACH(rig) {
		struct scene scene;
		uint64_t id;

		begin(&scene, rig);
		id = take(&scene);
		REFUSED(start(&scene, id + 1), PLAIT_E_INVALID, "never taken");
		REFUSED(start(&scene, 0), PLAIT_E_INVALID, "no call 0");
		REFUSED(stop(&scene, id), PLAIT_E_INVALID, "has not begun");
		IS_INT(plait_inbox_begin(NULL, id, &rig->error),
		       PLAIT_E_HANDLE);
		IS_INT(plait_inbox_end(NULL, id, &rig->error),
		       PLAIT_E_INVALID);
		IS_INT(start(&scene, id), PLAIT_OK);
		REFUSED(start(&scene, id), PLAIT_E_INVALID, "was begun");
		REFUSED(stop(&scene, id + 1), PLAIT_E_INVALID, "not begun");
		IS_INT(stop(&scene, id), PLAIT_OK);
		IS_INT(answer(&scene, id), PLAIT_OK);
		IS_INT(finish(&scene, rig->queue), PLAIT_OK);
		end(&scene);
	}
}

/* The function closes its inbox, which answers its call. */
static void closed(void)
{
	EACH(rig) {
		struct scene scene;
		uint64_t id;

		begin(&scene, rig);
		id = take(&scene);
		IS_INT(start(&scene, id), PLAIT_OK);
		IS_INT(plait_inbox_close(scene.inbox, NULL), PLAIT_OK);
		IS_INT(finish(&scene, rig->queue), PLAIT_E_CANCELLED);
		IS_INT(stop(&scene, id), PLAIT_OK);
		end(&scene);
	}
}

/* The function releases its inbox, which closes it. */
static void released(void)
{
	EACH(rig) {
		struct scene scene;
		uint64_t id;

		begin(&scene, rig);
		id = take(&scene);
		IS_INT(start(&scene, id), PLAIT_OK);
		plait_inbox_release(scene.inbox);
		IS_INT(stop(&scene, id), PLAIT_OK);
		IS_INT(finish(&scene, rig->queue), PLAIT_E_CANCELLED);
		scene.inbox = NULL;
		end(&scene);
	}
}

/* ---- threads ---- */

struct helper {
	struct scene *scene;
	uint64_t id;
};

/* Any thread may run the function; what it leaves begun ends with it. */
static void *run_and_end(void *arg)
{
	struct helper *helper = arg;
	struct scene *scene = helper->scene;

	if (start(scene, helper->id) != PLAIT_OK ||
	    finish(scene, scene->rig->queue) != PLAIT_E_DEADLOCK)
		(void)answer(scene, helper->id); /* the queue does not fail */
	return NULL;
}

static void threads(void)
{
	EACH(rig) {
		struct scene scene;
		struct helper helper = { .scene = &scene };
		pthread_t thread;

		begin(&scene, rig);
		helper.id = take(&scene);
		IS_INT(pthread_create(&thread, NULL, run_and_end, &helper), 0);
		IS_INT(pthread_join(thread, NULL), 0);
		IS_INT(finish(&scene, rig->queue), PLAIT_E_FAILED);
		HAS_STR(rig->error.text, "ended its thread");
		REFUSED(stop(&scene, helper.id), PLAIT_E_INVALID, "this thread");
		end(&scene);
	}
}

static const struct tap_scenario all[] = {
	{ "waits", waits },
	{ "answered", answered },
	{ "nested", nested },
	{ "pumped", pumped },
	{ "pumped on a thread", pumped_on_thread },
	{ "mistakes", mistakes },
	{ "closed", closed },
	{ "released", released },
	{ "threads", threads },
};
TAP_MAIN(all)
