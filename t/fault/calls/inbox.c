/* SPDX-License-Identifier: MIT */
/* Inboxes, tried while something fails. */
#include "fault/calls.h"

static plait_status create_inbox(struct place *place, plait_error *error)
{
	plait_inbox *inbox = (void *)place;
	plait_status status = plait_inbox_create(place->context, &inbox,
						 error);

	if (status != PLAIT_OK && inbox != NULL)
		return PLAIT_E_INTERNAL;
	plait_inbox_retain(inbox);
	plait_inbox_release(inbox);
	plait_inbox_release(inbox);
	return status;
}

static plait_status submit_call(struct place *place, plait_inbox *inbox,
				plait_host_function function,
				plait_error *error)
{
	const plait_command call = { .size = sizeof(call),
				     .kind = PLAIT_COMMAND_CALL,
				     .inbox = inbox, .function = function,
				     .user_data = &place->count };

	return plait_queue_submit(place->queue, &call, 1, NULL, error);
}

/* The call is in the inbox, or its queue failed before that; only the queue
 * tells which. */
static plait_status await_call(struct place *place, plait_error *error)
{
	plait_status status = plait_queue_finish(place->queue, PLAIT_FOREVER,
						 error);

	return status != PLAIT_EVENT_READY ? status :
		plait_inbox_wait(place->inbox, PLAIT_FOREVER, error);
}

/* The call is answered in any case, or its queue would wait for it. */
static plait_status answer_taken(struct place *place, uint64_t id,
				 plait_error *error)
{
	plait_status status = plait_inbox_notify_stop(place->inbox, id, NULL,
						      NULL, error);
	plait_status answered;

	if (status == PLAIT_OK)
		status = plait_inbox_begin(place->inbox, id, error);
	if (status == PLAIT_OK)
		status = plait_inbox_end(place->inbox, id, error);
	answered = plait_inbox_answer(place->inbox, id, 0, NULL,
				      status == PLAIT_OK ? error : NULL);
	return status != PLAIT_OK ? status : answered;
}

static plait_status answer_call(struct place *place, plait_error *error)
{
	plait_event event = { .size = sizeof(event) };
	plait_status status;

	if ((status = submit_call(place, place->inbox, NULL, error)) ||
	    (status = await_call(place, error)) ||
	    (status = plait_inbox_next(place->inbox, &event, error)) ||
	    (status = answer_taken(place, event.id, error)))
		return status;
	return plait_queue_finish(place->queue, PLAIT_FOREVER, error);
}

/* The answer is that it failed. */
static plait_status refuse_call(struct place *place, plait_error *error)
{
	plait_event event = { .size = sizeof(event) };
	plait_status status;

	if ((status = submit_call(place, place->inbox, NULL, error)) ||
	    (status = await_call(place, error)) ||
	    (status = plait_inbox_next(place->inbox, &event, error)) ||
	    (status = plait_inbox_answer(place->inbox, event.id, 4,
					    "on purpose", error)))
		return status;
	status = plait_queue_finish(place->queue, PLAIT_FOREVER, error);
	return status == PLAIT_E_FAILED ? PLAIT_OK : status;
}

static plait_status pump(struct place *place, plait_error *error)
{
	plait_status status;
	int32_t descriptor;
	uint64_t count;

	/* The gate is there already. */
	if ((status = plait_inbox_descriptor(place->inbox, &descriptor,
					     error)) ||
	    (status = plait_signal_notify(place->gate, 1, place->inbox,
					  calls_add_one, &place->count,
					  error)) ||
	    (status = plait_inbox_wait(place->inbox, PLAIT_FOREVER, error)))
		return status;
	return plait_inbox_pump(place->inbox, 0, &count, error);
}

static plait_status serve(struct place *place, plait_error *error)
{
	plait_status status = submit_call(place, place->inbox, calls_add_one,
					  error);

	return status != PLAIT_OK ? status :
		plait_queue_finish(place->queue, PLAIT_FOREVER, error);
}

static plait_status adopt(struct place *place, plait_error *error)
{
	return plait_inbox_adopt(place->inbox, error);
}

static plait_status close_with_call(struct place *place, plait_inbox *inbox,
				    plait_error *error)
{
	plait_event event = { .size = sizeof(event) };
	plait_status status;

	if ((status = submit_call(place, inbox, NULL, error)) ||
	    (status = plait_signal_notify(place->gate, 1, inbox, NULL, NULL,
					  error)) ||
	    (status = plait_inbox_close(inbox, error)))
		return status;
	/* The owner can still take cancelled events. */
	while (plait_inbox_next(inbox, &event, NULL) == PLAIT_OK)
		continue;
	status = plait_queue_finish(place->queue, PLAIT_FOREVER, error);
	return status == PLAIT_E_CANCELLED ? PLAIT_OK : status;
}

static plait_status close_busy(struct place *place, plait_error *error)
{
	plait_inbox *inbox;
	plait_status status = plait_inbox_create(place->context, &inbox,
						 error);

	if (status != PLAIT_OK)
		return status;
	status = close_with_call(place, inbox, error);
	plait_inbox_release(inbox);
	return status;
}

const struct calls_entry calls_inbox[] = {
	{ "plait_inbox_create plait_inbox_retain plait_inbox_release",
	  create_inbox, NULL },
	{ "plait_inbox_wait plait_inbox_next plait_inbox_notify_stop "
	  "plait_inbox_begin plait_inbox_end plait_inbox_answer",
	  answer_call, NULL },
	{ "plait_inbox_answer", refuse_call, NULL },
	{ "plait_inbox_descriptor plait_inbox_pump", pump, NULL },
	{ "plait_queue_finish", serve, NULL },
	{ "plait_inbox_adopt", adopt, NULL },
	{ "plait_inbox_close", close_busy, NULL },
	{ NULL, NULL, NULL }
};
