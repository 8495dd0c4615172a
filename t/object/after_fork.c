/* SPDX-License-Identifier: MIT */
/* Calls in a forked child: each one reports that, and a release does
 * nothing. */
#include <sys/wait.h>
#include <unistd.h>

#include "lib/objects.h"

static int in_child(struct rig *rig, plait_buffer *buffer, plait_inbox *inbox)
{
	plait_error error = { .size = sizeof(error) };
	plait_event event = { .size = sizeof(event) };
	plait_context *context;
	plait_point point = { rig->signal, 0 };
	char text[64];
	uint64_t n;
	int wrong = 0;

	wrong += plait_queue_finish(rig->queue, 0, &error) != PLAIT_E_FORKED;
	snprintf(text, sizeof(text), "in process %d before fork()",
		 (int)getppid());
	wrong += strstr(error.text, text) == NULL;
	wrong += plait_context_open(NULL, &context, NULL) != PLAIT_E_FORKED;
	wrong += plait_backend_report(NULL, NULL, 0, &n, NULL) !=
		 PLAIT_E_FORKED;
	wrong += plait_queue_submit(rig->queue, NULL, 0, NULL, NULL) !=
		 PLAIT_E_FORKED;
	wrong += plait_signal_wait_points(&point, 1, 0, 0, NULL, NULL) !=
		 PLAIT_E_FORKED;
	wrong += plait_signal_wait_points(NULL, 0, 0, 0, NULL, NULL) !=
		 PLAIT_E_FORKED;
	wrong += plait_inbox_next(inbox, &event, NULL) != PLAIT_E_FORKED;
	wrong += plait_buffer_bytes(buffer, &n, NULL) != PLAIT_E_FORKED;
	wrong += plait_device_set_budget(rig->device, 1, NULL) !=
		 PLAIT_E_FORKED;
	plait_buffer_retain(buffer);
	plait_inbox_release(inbox);
	plait_buffer_release(buffer);
	plait_queue_release(rig->queue);
	plait_context_release(rig->context);
	return wrong;
}

static void forks(void)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++) {
		struct rig rig = settings[i];
		plait_buffer *buffer;
		plait_inbox *inbox;
		int status = -1;
		pid_t child;

		if (!open_rig(&rig))
			continue;
		buffer = make_buffer(&rig, 10, NULL);
		OK(plait_inbox_create(rig.context, &inbox, NULL) == PLAIT_OK);
		child = fork();
		if (child == 0)
			_exit(in_child(&rig, buffer, inbox));
		OK(waitpid(child, &status, 0) == child);
		IS_INT(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
		/* The parent goes on. */
		IS_INT(plait_queue_fill(rig.queue, buffer, 0, 10, 1, 1, NULL),
		       PLAIT_OK);
		IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		plait_inbox_release(inbox);
		plait_buffer_release(buffer);
		close_rig(&rig);
	}
}

static const struct tap_scenario all[] = { { "forks", forks } };

TAP_MAIN(all)
