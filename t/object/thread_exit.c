/* SPDX-License-Identifier: MIT */
/* Functions of the user that end their thread, outside of the pool. */
#include "lib/objects.h"

static int32_t leave(void *user_data)
{
	(void)add_one(user_data);
	pthread_exit(NULL);
	return 0;
}

/* --- in an inbox */

struct owner {
	struct rig *rig;
	plait_inbox *inbox;
	int count;
	plait_status pumped;
};

static void submit_call(struct owner *owner, plait_host_function function)
{
	const plait_command call = { .size = sizeof(call),
				     .kind = PLAIT_COMMAND_CALL,
				     .inbox = owner->inbox,
				     .function = function,
				     .user_data = &owner->count,
				     .label = "leaver" };

	IS_INT(plait_queue_submit(owner->rig->queue, &call, 1, NULL,
				  &owner->rig->error), PLAIT_OK);
}

static void *pump_and_die(void *arg)
{
	struct owner *owner = arg;

	owner->pumped = plait_inbox_adopt(owner->inbox, NULL);
	if (owner->pumped == PLAIT_OK)
		owner->pumped = plait_inbox_wait(owner->inbox, PLAIT_FOREVER,
						 NULL);
	if (owner->pumped == PLAIT_OK)
		(void)plait_inbox_pump(owner->inbox, 0, NULL, NULL);
	owner->pumped = PLAIT_E_INTERNAL; /* it came back */
	return NULL;
}

static void owner_leaves(void)
{
	struct rig *rig;

	for (rig = settings; rig < settings + 2; rig++) {
		struct owner owner = { .rig = rig };
		pthread_t thread;

		if (!open_rig(rig))
			continue;
		plait_inbox_create(rig->context, &owner.inbox, NULL);
		submit_call(&owner, leave);
		pthread_create(&thread, NULL, pump_and_die, &owner);
		pthread_join(thread, NULL);
		IS_INT(owner.pumped, PLAIT_OK);
		IS_INT(owner.count, 1);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_E_FAILED);
		IS_STR(rig->error.text, "command \"leaver\": did not return "
		       "but ended its thread (pthread_exit)");
		/* No thread is inside, so another thread can own it. */
		IS_INT(plait_inbox_adopt(owner.inbox, &rig->error), PLAIT_OK);
		submit_call(&owner, add_one);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_OK);
		IS_INT(owner.count, 2);
		plait_inbox_release(owner.inbox);
		close_rig(rig);
	}
}

/* --- inside of plait_inbox_next, which pumps */

static void *next_and_die(void *arg)
{
	plait_event event = { .size = sizeof(event) };
	struct owner *owner = arg;

	owner->pumped = plait_inbox_adopt(owner->inbox, NULL);
	for (int i = 0; i < 1000 && owner->pumped >= PLAIT_OK; i++)
		owner->pumped = plait_inbox_next(owner->inbox, &event, NULL);
	owner->pumped = PLAIT_E_INTERNAL; /* it came back */
	return NULL;
}

/* Without workers the thread that pumps runs the function. */
static void pulling_thread_leaves(void)
{
	struct rig *rig;

	for (rig = settings + 1; rig < settings + SETTINGS; rig++) {
		struct owner owner = { .rig = rig };
		pthread_t thread;

		if (!open_rig(rig))
			continue;
		plait_inbox_create(rig->context, &owner.inbox, NULL);
		IS_INT(plait_queue_call(rig->queue, leave, &owner.count,
					&rig->error), PLAIT_OK);
		pthread_create(&thread, NULL, next_and_die, &owner);
		pthread_join(thread, NULL);
		OK(owner.pumped >= PLAIT_OK);
		IS_INT(owner.count, 1);
		IS_INT(plait_inbox_adopt(owner.inbox, &rig->error), PLAIT_OK);
		(void)plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL);
		plait_inbox_release(owner.inbox);
		close_rig(rig);
	}
}

/* --- inside of a call that waits */

struct waiter {
	struct rig *rig;
	plait_inbox *inbox;
	plait_buffer *buffer;
	plait_signal *signals[20];
	int count;
	void (*wait)(struct waiter *waiter);
	bool any_thread;
	bool came_back;
};

static void in_finish(struct waiter *waiter)
{
	(void)plait_queue_finish(waiter->rig->queue, PLAIT_FOREVER, NULL);
}

static void in_read(struct waiter *waiter)
{
	uint64_t word;

	(void)plait_queue_read(waiter->rig->queue, waiter->buffer, 0, &word,
			       sizeof(word), NULL);
}

static void in_signal_wait(struct waiter *waiter)
{
	(void)plait_signal_wait(waiter->rig->signal, 1, PLAIT_FOREVER, NULL);
}

/* More than fit without an allocation. */
static void in_points_wait(struct waiter *waiter)
{
	plait_point points[20];

	for (int i = 0; i < 20; i++)
		points[i] = (plait_point){ waiter->signals[i], 1 };
	(void)plait_signal_wait_points(points, 20, PLAIT_WAIT_ALL, PLAIT_FOREVER,
				NULL, NULL);
}

/* For commands behind the function. */
static void in_inbox_wait(struct waiter *waiter)
{
	(void)plait_signal_notify(waiter->rig->signal, 1, waiter->inbox, NULL,
				  NULL, NULL);
	(void)plait_inbox_wait(waiter->inbox, PLAIT_FOREVER, NULL);
}

static void in_pump(struct waiter *waiter)
{
	for (;;)
		(void)plait_inbox_pump(waiter->inbox, 0, NULL, NULL);
}

static void *wait_and_die(void *arg)
{
	struct waiter *waiter = arg;

	IS_INT(plait_inbox_adopt(waiter->inbox, NULL), PLAIT_OK);
	waiter->wait(waiter);
	waiter->came_back = true;
	return NULL;
}

/* The function, and all points behind it that the thread waits for. */
static void submit_work(struct waiter *waiter)
{
	plait_command commands[22] = {
		{ .size = sizeof(commands[0]), .kind = PLAIT_COMMAND_CALL,
		  .function = leave, .user_data = &waiter->count,
		  .inbox = waiter->any_thread ? NULL : waiter->inbox,
		  .flags = waiter->any_thread ? PLAIT_CALL_ANY_THREAD : 0 },
		{ .kind = PLAIT_COMMAND_EMIT, .signal = waiter->rig->signal },
	};

	for (int i = 0; i < 20; i++) {
		commands[2 + i].kind = PLAIT_COMMAND_EMIT;
		commands[2 + i].signal = waiter->signals[i];
	}
	IS_INT(plait_queue_submit(waiter->rig->queue, commands, 22, NULL,
				  &waiter->rig->error), PLAIT_OK);
}

static void make_objects(struct waiter *waiter)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 8 };
	struct rig *rig = waiter->rig;

	IS_INT(plait_inbox_create(rig->context, &waiter->inbox, &rig->error),
	       PLAIT_OK);
	IS_INT(plait_buffer_create(rig->device, &desc, &waiter->buffer,
				   &rig->error), PLAIT_OK);
	for (int i = 0; i < 20; i++)
		(void)plait_signal_create(rig->device, NULL,
					  &waiter->signals[i], NULL);
}

static void release_objects(struct waiter *waiter)
{
	for (int i = 0; i < 20; i++)
		plait_signal_release(waiter->signals[i]);
	plait_buffer_release(waiter->buffer);
	plait_inbox_release(waiter->inbox);
}

/* The thread has left all objects that it entered: the queue ends with its last
 * reference. */
static void leave_in(struct rig *rig, void (*wait)(struct waiter *waiter),
		     bool any_thread)
{
	struct waiter waiter = { .rig = rig, .wait = wait,
				 .any_thread = any_thread };
	pthread_t thread;

	if (!open_rig(rig))
		return;
	make_objects(&waiter);
	submit_work(&waiter);
	if (pthread_create(&thread, NULL, wait_and_die, &waiter) != 0)
		abort();
	pthread_join(thread, NULL);
	OK(!waiter.came_back);
	IS_INT(waiter.count, 1);
	IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, &rig->error),
	       PLAIT_E_FAILED);
	HAS_STR(rig->error.text, "did not return but ended its thread");
	/* No thread is inside, so another thread can own it. */
	IS_INT(plait_inbox_adopt(waiter.inbox, &rig->error), PLAIT_OK);
	release_objects(&waiter);
	close_rig(rig);
}

static void (*const waits[])(struct waiter *waiter) = {
	in_finish, in_read, in_signal_wait, in_points_wait, in_pump,
	in_inbox_wait, /* which runs nothing of the inbox itself */
};

static void waiting_owner_leaves(void)
{
	for (uint32_t s = 0; s < SETTINGS; s++)
		for (uint32_t w = 0; w < TAP_COUNT(waits) - 1; w++)
			leave_in(&settings[s], waits[w], false);
}

/* Without workers the waiting thread does the work. */
static void waiting_worker_leaves(void)
{
	for (uint32_t w = 0; w < TAP_COUNT(waits); w++)
		leave_in(&settings[1], waits[w], true);
}

/* --- when memory is not used any more */

static void released_leaves(void)
{
	static char memory[64];
	struct rig *rig;

	for (rig = settings; rig < settings + SETTINGS; rig++) {
		int count = 0;
		const plait_wrap_desc desc = { .size = sizeof(desc),
					       .flags = PLAIT_CALL_ANY_THREAD,
					       .pointer = memory,
					       .bytes = sizeof(memory),
					       .released = leave,
					       .user_data = &count };
		plait_buffer *buffers[5];
		uint64_t since = 0;
		int i;

		if (!open_rig(rig))
			continue;
		/* One after the other, then several at once. */
		for (i = 0; i < 5; i++) {
			plait_buffer_wrap(rig->device, &desc, &buffers[i],
					  NULL);
			if (i >= 2)
				continue;
			plait_buffer_release(buffers[i]);
			while (__atomic_load_n(&count, __ATOMIC_SEQ_CST) ==
				       i && !tap_late(&since))
				pause_a_little();
		}
		for (i = 2; i < 5; i++)
			plait_buffer_release(buffers[i]);
		close_rig(rig);
		IS_INT(__atomic_load_n(&count, __ATOMIC_SEQ_CST), 5);
	}
}

static const struct tap_scenario all[] = {
	{ "the owner of an inbox leaves", owner_leaves },
	{ "a thread that pulls events leaves", pulling_thread_leaves },
	{ "an owner ends in its wait", waiting_owner_leaves },
	{ "a waiting thread ends, without workers", waiting_worker_leaves },
	{ "the callback of a release ends its thread", released_leaves },
};

TAP_MAIN(all)
