/* SPDX-License-Identifier: MIT */
/* Signals and queues, tried while something fails. */
#include "fault/calls.h"

/* --- signals */

static plait_status create_signal(struct place *place, plait_error *error)
{
	plait_signal *signal = (void *)place;
	plait_status status = plait_signal_create(place->device, NULL, &signal,
						  error);

	if (status != PLAIT_OK && signal != NULL)
		return calls_wrong(error, "out is set");
	plait_signal_retain(signal);
	plait_signal_release(signal);
	plait_signal_release(signal);
	return status;
}

/* A queue and a notification wait for a gate which then fails. */
static plait_status fail_signal(struct place *place, plait_signal *gate,
				plait_error *error)
{
	plait_event event = { .size = sizeof(event) };
	plait_status status;

	if ((status = plait_queue_wait(place->queue, gate, 7, error)) ||
	    (status = plait_signal_raise(gate, 6, error)) ||
	    (status = plait_signal_notify(gate, 9, place->inbox, NULL, NULL,
					  error)) ||
	    (status = plait_signal_fail(gate, 5, "on purpose", error)))
		return status;
	status = plait_queue_finish(place->queue, PLAIT_FOREVER, error);
	/* The event may end the wait. */
	if (status == PLAIT_EVENT_READY)
		status = PLAIT_E_FAILED;
	if (status != PLAIT_E_FAILED)
		return status;
	if ((status = plait_inbox_next(place->inbox, &event, error)))
		return status;
	(void)plait_queue_finish(place->queue, PLAIT_FOREVER, NULL);
	if ((status = plait_queue_finish(place->queue, PLAIT_FOREVER, error)))
		return status;
	return plait_signal_reset(gate, error);
}

static plait_status fail_gate(struct place *place, plait_error *error)
{
	const plait_signal_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_SIGNAL_GATE };
	plait_signal *gate = NULL;
	plait_status status = plait_signal_create(place->device, &desc, &gate,
						  error);

	if (status == PLAIT_OK)
		status = fail_signal(place, gate, error);
	/* Waiters are released. */
	plait_signal_release(gate);
	return status;
}

static plait_status notify(struct place *place, plait_error *error)
{
	plait_event event = { .size = sizeof(event) };
	plait_status status;

	/* The gate is there already. */
	if ((status = plait_signal_notify(place->gate, 1, place->inbox, NULL,
					  NULL, error)) ||
	    (status = plait_inbox_wait(place->inbox, PLAIT_FOREVER, error)))
		return status;
	return plait_inbox_next(place->inbox, &event, error);
}

static plait_status wait_for_many(struct place *place, plait_error *error)
{
	plait_point points[12];
	uint64_t index;
	int i;

	for (i = 0; i < 12; i++)
		points[i] = (plait_point){ place->gate, 1 };
	return plait_signal_wait_points(points, 12, PLAIT_WAIT_ALL, PLAIT_FOREVER,
				 &index, error);
}

static plait_status wait_and_time_out(struct place *place, plait_error *error)
{
	plait_status status = plait_signal_wait(place->gate, 9, 100000, error);

	return status == PLAIT_E_TIMEOUT ? PLAIT_OK : status;
}

/* --- queues */

static plait_status create_queue(struct place *place, plait_error *error)
{
	plait_queue *queue = (void *)place;
	plait_status status = plait_queue_create(place->device, NULL, &queue,
						 error);

	if (status != PLAIT_OK && queue != NULL)
		return calls_wrong(error, "out is set");
	plait_queue_retain(queue);
	plait_queue_release(queue);
	plait_queue_release(queue);
	return status;
}

/* A submission that failed has emitted nothing. */
static plait_status check_submitted(struct place *place, plait_status status,
				    plait_error *error)
{
	uint64_t submitted;

	plait_signal_query(place->signal, NULL, &submitted, NULL);
	if (status != PLAIT_OK && submitted != place->submitted)
		return calls_wrong(error, "it emits in spite of the failure");
	place->submitted = submitted;
	return status;
}

static plait_status submit_all_kinds(struct place *place, plait_error *error)
{
	plait_command commands[24] = {
		{ .size = sizeof(plait_command), .kind = PLAIT_COMMAND_NOP },
		{ .kind = PLAIT_COMMAND_FILL, .target = place->buffer,
		  .bytes = 64, .pattern_bytes = 1 },
		{ .kind = PLAIT_COMMAND_EMIT, .signal = place->signal },
		{ .kind = PLAIT_COMMAND_CALL, .inbox = place->inbox,
		  .function = calls_add_one, .user_data = &place->count },
		{ .kind = PLAIT_COMMAND_WAIT, .signal = place->gate,
		  .sequence = 1 },
		{ .kind = PLAIT_COMMAND_READ, .source = place->buffer,
		  .bytes = 64, .host = place->bytes },
		{ .kind = PLAIT_COMMAND_EMIT, .signal = place->signal },
	};
	plait_status status;
	int i;

	for (i = 7; i < 24; i++)
		commands[i] = commands[i % 7];
	status = check_submitted(place, plait_queue_submit(place->queue,
							   commands, 24, NULL,
							   error), error);
	if (status != PLAIT_OK)
		return status;
	return plait_queue_finish(place->queue, PLAIT_FOREVER, error);
}

static plait_status short_forms(struct place *place, plait_error *error)
{
	static const plait_rows rows = { .size = sizeof(rows), .rows = 2,
					 .target_row = 16, .source_row = 12 };
	plait_status status;
	uint64_t sequence;

	if ((status = plait_queue_call(place->queue, calls_add_one,
				       &place->count, error)) ||
	    (status = plait_queue_fill(place->queue, place->buffer, 0, 32, 7,
				       1, error)) ||
	    (status = plait_queue_copy(place->queue, place->buffer, 32,
				       place->buffer, 0, 32, error)) ||
	    (status = plait_queue_copy_rows(place->queue, place->buffer, 32,
					    place->buffer, 0, 8, &rows,
					    error)) ||
	    (status = plait_queue_emit(place->queue, place->signal, &sequence,
				       error)) ||
	    (status = plait_queue_wait(place->queue, place->signal, sequence,
				       error)) ||
	    (status = plait_signal_wait(place->signal, sequence, PLAIT_FOREVER,
					error)) ||
	    (status = plait_signal_query(place->signal, &sequence, NULL,
					 error)))
		return status;
	return plait_queue_finish(place->queue, PLAIT_FOREVER, error);
}

/* A submission that cannot be recorded leaves no node. */
static plait_status capture(struct place *place, plait_error *error)
{
	plait_command commands[] = {
		{ .size = sizeof(plait_command), .kind = PLAIT_COMMAND_FILL,
		  .target = place->buffer, .bytes = 64, .pattern_bytes = 1 },
		{ .kind = PLAIT_COMMAND_EMIT, .signal = place->signal },
		{ .kind = PLAIT_COMMAND_WAIT, .signal = place->gate,
		  .sequence = 1 },
		{ .kind = PLAIT_COMMAND_READ, .source = place->buffer,
		  .bytes = 64, .host = place->bytes },
	};
	plait_graph *graph = NULL;
	uint64_t nodes = 0;
	plait_status status = plait_queue_capture(&place->queue, 1, 0, error);

	if (status != PLAIT_OK)
		return status;
	status = plait_queue_submit(place->queue, commands, 4, NULL, error);
	if (plait_queue_end_capture(place->queue, &graph, NULL) != PLAIT_OK)
		return calls_wrong(error, "the capture does not end");
	(void)plait_graph_size(graph, &nodes, NULL, NULL);
	plait_graph_release(graph);
	if (nodes != (status == PLAIT_OK ? 4 : 0))
		return calls_wrong(error, "a node is there that failed");
	return status;
}

static plait_status write_and_read(struct place *place, plait_error *error)
{
	plait_status status = plait_queue_write(place->queue, place->buffer, 0,
						place->bytes, 64, error);

	return status != PLAIT_OK ? status :
		plait_queue_read(place->queue, place->buffer, 0, place->bytes,
				 64, error);
}

static plait_status fail_and_finish(struct place *place, plait_error *error)
{
	plait_status status = plait_queue_call(place->queue,
					       calls_return_three, NULL,
					       error);

	if (status != PLAIT_OK)
		return status;
	status = plait_queue_finish(place->queue, PLAIT_FOREVER, error);
	return status == PLAIT_E_FAILED ? PLAIT_OK : status;
}

/* Released with work in it, which a thread of the context has to finish. */
static plait_status release_busy(struct place *place, plait_error *error)
{
	plait_queue *queue = NULL;
	plait_status status = plait_queue_create(place->device, NULL, &queue,
						 error);

	if (status == PLAIT_OK)
		status = plait_queue_fill(queue, place->buffer, 0, 64, 1, 1,
					  error);
	if (status == PLAIT_OK)
		status = plait_queue_emit(queue, place->signal, NULL, error);
	plait_queue_release(queue);
	if (status != PLAIT_OK)
		return status;
	return plait_signal_wait(place->signal, 0, PLAIT_FOREVER, error);
}

const struct calls_entry calls_queue[] = {
	{ "plait_signal_create plait_signal_retain plait_signal_release",
	  create_signal, NULL },
	{ "plait_signal_raise plait_signal_fail plait_signal_reset "
	  "plait_signal_notify", fail_gate, NULL },
	{ "plait_signal_notify", notify, NULL },
	{ "plait_signal_wait_points", wait_for_many, NULL },
	{ "plait_signal_wait", wait_and_time_out, NULL },
	{ "plait_queue_create plait_queue_retain plait_queue_release",
	  create_queue, NULL },
	{ "plait_queue_release", release_busy, NULL },
	{ "plait_queue_submit", submit_all_kinds, NULL },
	{ "plait_queue_call plait_queue_fill plait_queue_copy "
	  "plait_queue_copy_rows plait_queue_emit plait_queue_wait "
	  "plait_signal_query",
	  short_forms, NULL },
	{ "plait_queue_capture plait_queue_end_capture", capture, NULL },
	{ "plait_queue_read plait_queue_write", write_and_read, NULL },
	{ "plait_queue_finish", fail_and_finish, NULL },
	{ NULL, NULL, NULL }
};
