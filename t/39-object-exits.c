/* SPDX-License-Identifier: MIT */
/* Functions of the user's that end their thread, outside of the pool. */
#include "objects.h"

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
		/* Nobody is inside, so another thread can have it. */
		IS_INT(plait_inbox_adopt(owner.inbox, &rig->error), PLAIT_OK);
		submit_call(&owner, add_one);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER,
					  &rig->error), PLAIT_OK);
		IS_INT(owner.count, 2);
		plait_inbox_release(owner.inbox);
		close_rig(rig);
	}
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
	{ "who is told of a release leaves", released_leaves },
};

TAP_MAIN(all)
