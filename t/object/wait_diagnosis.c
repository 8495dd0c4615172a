/* SPDX-License-Identifier: MIT */
/* Diagnosis of a wait that takes too long: it names the owner of the inbox that
 * has to act. */
#include "lib/objects.h"

#include <sys/syscall.h>
#include <unistd.h>

static plait_status submit_call(struct rig *rig, plait_inbox *inbox)
{
	plait_command command = { .size = sizeof(command),
				  .kind = PLAIT_COMMAND_CALL,
				  .inbox = inbox, .label = "mine" };

	return plait_queue_submit(rig->queue, &command, 1, NULL, &rig->error);
}

static void *finish(void *arg)
{
	struct rig *rig = arg;

	IS_INT(plait_queue_finish(rig->queue, 1000000, &rig->error),
	       PLAIT_E_TIMEOUT);
	return NULL;
}

/* By another thread: on its own the owner would be told to serve it. */
static void finish_elsewhere(struct rig *rig)
{
	pthread_t thread;

	if (OK(pthread_create(&thread, NULL, finish, rig) == 0))
		pthread_join(thread, NULL);
}

static void owners_are_named(void)
{
	struct rig *rig;

	for (rig = settings; rig < settings + SETTINGS; rig++) {
		plait_event event = { .size = sizeof(event) };
		plait_inbox *inbox;
		char owner[40];

		/* A wait on the simulated clock ends at once. */
		if (strcmp(rig->backend, "chaos") == 0 || !open_rig(rig))
			continue;
		snprintf(owner, sizeof(owner), "owner, thread %ld, has",
			 (long)syscall(SYS_gettid));
		IS_INT(plait_inbox_create(rig->context, &inbox, NULL),
		       PLAIT_OK);
		IS_INT(submit_call(rig, inbox), PLAIT_OK);
		IS_INT(submit_call(rig, inbox), PLAIT_OK);
		IS_INT(plait_inbox_wait(inbox, PLAIT_FOREVER, NULL), PLAIT_OK);
		finish_elsewhere(rig);
		HAS_STR(rig->error.text, "command \"mine\" waits for inbox");
		HAS_STR(rig->error.text, owner);
		/* The first is answered, and the second is still to be
		 * answered. */
		IS_INT(plait_inbox_next(inbox, &event, NULL), PLAIT_OK);
		IS_INT(plait_inbox_answer(inbox, event.id, 0, NULL, NULL),
		       PLAIT_OK);
		IS_INT(plait_inbox_wait(inbox, PLAIT_FOREVER, NULL), PLAIT_OK);
		finish_elsewhere(rig);
		HAS_STR(rig->error.text, owner);
		IS_INT(plait_inbox_next(inbox, &event, NULL), PLAIT_OK);
		IS_INT(plait_inbox_answer(inbox, event.id, 0, NULL, NULL),
		       PLAIT_OK);
		/* A function behind a closed gate is not the owner's to answer
		 * yet. */
		IS_INT(plait_queue_wait(rig->queue, rig->gate, 1, NULL),
		       PLAIT_OK);
		finish_elsewhere(rig);
		OK(strstr(rig->error.text, "owner") == NULL);
		IS_INT(plait_signal_raise(rig->gate, 1, NULL), PLAIT_OK);
		IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		plait_inbox_release(inbox);
		close_rig(rig);
	}
}

static const struct tap_scenario all[] = {
	{ "owners are named", owners_are_named },
};

TAP_MAIN(all)
