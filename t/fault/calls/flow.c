/* SPDX-License-Identifier: MIT */
/* Flows and their data, tried while something fails. */
#include "fault/calls.h"

#include <string.h>

/* ---- creation ---- */

static plait_status create_flow(struct place *place, plait_error *error)
{
	const plait_flow_desc desc = { .size = sizeof(desc), .window = 16 };
	plait_flow *flow = (void *)place;
	plait_status status = plait_flow_create(place->context, &desc, &flow,
						error);

	if (status != PLAIT_OK && flow != NULL)
		return calls_wrong(error, "out is set");
	plait_flow_retain(flow);
	plait_flow_release(flow);
	plait_flow_release(flow);
	return status;
}

static plait_status make_data(plait_flow *flow, plait_data **out,
			      plait_error *error)
{
	const plait_data_desc desc = { .size = sizeof(desc), .dimensions = 2,
				       .element_bytes = 4,
				       .extent = { 8, 8 } };

	return plait_data_create(flow, &desc, out, error);
}

/* Call `use` with a flow and data of it. */
static plait_status with_data(struct place *place,
			      plait_status (*use)(struct place *place,
						  plait_flow *flow,
						  plait_data *data,
						  plait_error *error),
			      plait_error *error)
{
	const plait_flow_desc desc = { .size = sizeof(desc), .window = 64 };
	plait_flow *flow = NULL;
	plait_data *data = NULL;
	plait_status status = plait_flow_create(place->context, &desc, &flow,
						error);

	if (status == PLAIT_OK)
		status = make_data(flow, &data, error);
	if (status == PLAIT_OK)
		status = use(place, flow, data, error);
	plait_data_release(data);
	plait_flow_release(flow);
	return status;
}

/* ---- tasks ---- */

/* Readers of many boxes, and a task behind all of them. */
static plait_status submit_boxes(plait_flow *flow, plait_data *data,
				 plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint64_t i = 0; status == PLAIT_OK && i <= 20; i++) {
		const plait_box box = { { i % 5, i / 5, 0 },
					{ i % 5 + 2, i / 5 + 2, 1 } };
		const plait_access access = { .size = sizeof(access),
					      .mode = i < 20 ?
						      PLAIT_ACCESS_READ :
						      PLAIT_ACCESS_READ_WRITE,
					      .data = data,
					      .box = i < 20 ? &box : NULL };
		const plait_task_desc desc = {
			.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
			.function = calls_return_zero, .accesses = &access,
			.access_count = 1,
		};

		status = plait_flow_submit(flow, &desc, NULL, error);
	}
	return status;
}

static plait_status use_boxes(struct place *place, plait_flow *flow,
			      plait_data *data, plait_error *error)
{
	plait_flow_info info = { .size = sizeof(info) };
	plait_status status = submit_boxes(flow, data, error);

	(void)place;
	if (status == PLAIT_OK)
		status = plait_flow_wait(flow, 0, PLAIT_FOREVER, error);
	if (status == PLAIT_OK)
		status = plait_flow_query(flow, &info, error);
	if (status == PLAIT_OK && info.settled != info.newest)
		return calls_wrong(error, "tasks are left");
	return status;
}

static plait_status submit(struct place *place, plait_error *error)
{
	return with_data(place, use_boxes, error);
}

/* Tasks of several arrays read and write boxes that overlap. */
static plait_status use_arrays(struct place *place, plait_flow *flow,
			       plait_data *data, plait_error *error)
{
	plait_task_desc descs[20];
	plait_access accesses[20];
	plait_box boxes[20];
	plait_status status;

	(void)place;
	for (uint64_t i = 0; i < 20; i++) {
		boxes[i] = (plait_box){ { i % 5, i / 5, 0 },
					{ i % 5 + 2, i / 5 + 2, 1 } };
		accesses[i] = (plait_access){ .size = sizeof(*accesses),
					      .mode = PLAIT_ACCESS_READ_WRITE,
					      .data = data, .box = &boxes[i] };
		descs[i] = (plait_task_desc){
			.size = sizeof(*descs), .kind = PLAIT_TASK_CALL,
			.function = calls_return_zero,
			.accesses = &accesses[i], .access_count = 1,
		};
	}
	status = plait_flow_submit_many(flow, descs, 20, NULL, error);
	return status != PLAIT_OK ? status :
	       plait_flow_wait(flow, 0, PLAIT_FOREVER, error);
}

static plait_status submit_arrays(struct place *place, plait_error *error)
{
	return with_data(place, use_arrays, error);
}

/* The order is proved every four tasks; without memory for it calls say so. */
static plait_status prove(struct place *place, plait_error *error)
{
	const plait_flow_desc desc = { .size = sizeof(desc), .window = 64,
				       .flags = PLAIT_FLOW_CHECK,
				       .horizon = 4 };
	plait_flow *flow = NULL;
	plait_data *data = NULL;
	plait_status status = plait_flow_create(place->context, &desc, &flow,
						error);

	if (status == PLAIT_OK)
		status = make_data(flow, &data, error);
	if (status == PLAIT_OK)
		status = use_boxes(place, flow, data, error);
	plait_data_release(data);
	plait_flow_release(flow);
	return status;
}

/* A task fails; what it wrote tells so. */
static plait_status use_failure(struct place *place, plait_flow *flow,
				plait_data *data, plait_error *error)
{
	const plait_access access = { .size = sizeof(access),
				      .mode = PLAIT_ACCESS_WRITE, .data = data };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
		.function = calls_return_three, .accesses = &access,
		.access_count = 1,
	};
	uint32_t words[64];
	plait_status status;

	(void)place;
	if ((status = plait_flow_submit(flow, &desc, NULL, error)))
		return status;
	status = plait_data_read(data, NULL, words, error);
	if (status == PLAIT_OK)
		return calls_wrong(error, "poison was read");
	if (status != PLAIT_E_FAILED)
		return status;
	if ((status = plait_flow_cancel(flow, error)))
		return status;
	return plait_data_write(data, NULL, words, error);
}

static plait_status fail(struct place *place, plait_error *error)
{
	return with_data(place, use_failure, error);
}

static plait_status use_late(struct place *place, plait_flow *flow,
			     plait_data *data, plait_error *error)
{
	const plait_task_desc emit = { .size = sizeof(emit),
				       .kind = PLAIT_TASK_EMIT,
				       .signal = place->signal };
	const plait_task_desc call = { .size = sizeof(call),
				       .kind = PLAIT_TASK_CALL,
				       .function = calls_return_zero,
				       .inbox = place->inbox };
	plait_event event = { .size = sizeof(event) };
	plait_task task = 0;
	plait_status status;

	(void)data;
	/* Elsewhere there is no device of the host. */
	if (strcmp(place->backend, "host") == 0 &&
	    ((status = plait_flow_submit(flow, &emit, NULL, error)) ||
	     (status = plait_flow_submit(flow, &call, &task, error)) ||
	     (status = plait_flow_wait(flow, task, PLAIT_FOREVER, error)) ||
	     (status = plait_flow_wait(flow, 0, PLAIT_FOREVER, error))))
		return status;
	if ((status = plait_flow_notify(flow, task, place->inbox, NULL, NULL,
					error)) ||
	    (status = plait_inbox_wait(place->inbox, PLAIT_FOREVER, error)))
		return status;
	return plait_inbox_next(place->inbox, &event, error);
}

static plait_status late(struct place *place, plait_error *error)
{
	return with_data(place, use_late, error);
}

static plait_status use_kernel(struct place *place, plait_flow *flow,
			       plait_data *data, plait_error *error)
{
	plait_kernel *kernel = NULL;
	uint32_t by = 1;
	plait_status status = calls_make_kernel(place, &kernel, error);

	if (status == PLAIT_OK)
		status = plait_flow_launch(flow, kernel, NULL,
					   PLAIT_ARGUMENTS(PLAIT_DATA(data),
							   PLAIT_VALUE(by)),
					   NULL, error);
	if (status == PLAIT_OK)
		status = plait_flow_wait(flow, 0, PLAIT_FOREVER, error);
	plait_kernel_release(kernel);
	return status;
}

/* ---- reductions ---- */

static int32_t add_rows(void *const *arguments, const plait_launch *rows,
			void *user_data)
{
	uint32_t *into = *(uint32_t *const *)arguments[0];
	const uint32_t *from = *(const uint32_t *const *)arguments[1];

	(void)user_data;
	for (uint64_t i = 0; i < rows->items[0]; i++)
		into[i] += from[i];
	return 0;
}

static int32_t count_piece(void *const *arguments, const plait_launch *items,
			   void *user_data)
{
	(void)user_data;
	**(uint32_t *const *)arguments[0] += (uint32_t)items->items[0];
	return 0;
}

static plait_status submit_sum(plait_flow *flow, plait_data *data,
			       plait_kernel *const kernels[2],
			       plait_error *error)
{
	const plait_access to = { .size = sizeof(to), .data = data,
				  .mode = PLAIT_ACCESS_REDUCE,
				  .combine = kernels[1] };
	const plait_argument arguments[] = { PLAIT_ACCESS(&to), PLAIT_CHUNK() };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kernel = kernels[0],
		.launch = PLAIT_ITEMS(7), .arguments = arguments,
		.argument_count = 2, .split = 1, .pieces = 2,
	};

	return plait_flow_submit(flow, &desc, NULL, error);
}

static plait_status use_sum(struct place *place, plait_flow *flow,
			    plait_data *data, plait_error *error)
{
	static const plait_kernel_desc descs[2] = {
		{ .size = sizeof(plait_kernel_desc), .function = count_piece,
		  .signature = "count(n: inout pointer u32, c: struct chunk "
			       "48)" },
		{ .size = sizeof(plait_kernel_desc), .function = add_rows,
		  .signature = "add(into: inout pointer u32, from: in pointer "
			       "u32, n: u64)" },
	};
	plait_kernel *kernels[2] = { NULL, NULL };
	uint32_t total[64] = { 0 };
	plait_status status = PLAIT_OK;

	for (int i = 0; status == PLAIT_OK && i < 2; i++)
		status = plait_kernel_create(place->context, &descs[i],
					     &kernels[i], error);
	if (status == PLAIT_OK)
		status = submit_sum(flow, data, kernels, error);
	if (status == PLAIT_OK)
		status = plait_data_read(data, NULL, total, error);
	if (status == PLAIT_OK && total[0] != 7)
		status = calls_wrong(error, "the sum is wrong");
	plait_kernel_release(kernels[0]);
	plait_kernel_release(kernels[1]);
	return status;
}

static plait_status reduce(struct place *place, plait_error *error)
{
	return with_data(place, use_sum, error);
}

static plait_status launch(struct place *place, plait_error *error)
{
	return with_data(place, use_kernel, error);
}

/* ---- the host ---- */

static plait_status use_host(struct place *place, plait_flow *flow,
			     plait_data *data, plait_error *error)
{
	const plait_box box = { { 1, 1, 0 }, { 3, 3, 1 } };
	plait_data_info info = { .size = sizeof(info) };
	plait_data *part = NULL;
	void *pointer = NULL;
	plait_status status = plait_data_part(data, &box, &part, error);

	(void)place;
	(void)flow;
	if (status == PLAIT_OK)
		status = plait_data_map(part, NULL, PLAIT_MAP_WRITE, &pointer,
					error);
	else if (part != NULL)
		return calls_wrong(error, "out is set");
	if (status == PLAIT_OK)
		status = plait_data_unmap(part, pointer, error);
	if (status == PLAIT_OK)
		status = plait_data_query(part, &info, error);
	plait_data_retain(part);
	plait_data_release(part);
	plait_data_release(part);
	return status;
}

static plait_status host(struct place *place, plait_error *error)
{
	return with_data(place, use_host, error);
}

/* ---- plans ---- */

static plait_status make_plan(struct place *place, plait_plan **out,
			      plait_error *error)
{
	plait_graph *graph = NULL;
	plait_status status = plait_graph_create(place->context, &graph, error);

	if (status == PLAIT_OK)
		status = plait_graph_call(graph, calls_return_zero, NULL, 0,
					  NULL, error);
	if (status == PLAIT_OK)
		status = plait_graph_freeze(graph, NULL, out, error);
	plait_graph_release(graph);
	return status;
}

static plait_status use_plan(struct place *place, plait_flow *flow,
			     plait_data *data, plait_error *error)
{
	const plait_access access = { .size = sizeof(access),
				      .mode = PLAIT_ACCESS_WRITE, .data = data };
	plait_task_desc run = { .size = sizeof(run), .kind = PLAIT_TASK_PLAN,
				.accesses = &access, .access_count = 1 };
	plait_status status = PLAIT_OK;

	/* Elsewhere there is no device of the host. */
	if (strcmp(place->backend, "host") != 0)
		return PLAIT_OK;
	status = make_plan(place, &run.plan, error);
	if (status == PLAIT_OK)
		status = plait_flow_submit(flow, &run, NULL, error);
	if (status == PLAIT_OK)
		status = plait_flow_wait(flow, 0, PLAIT_FOREVER, error);
	plait_plan_release(run.plan);
	return status;
}

static plait_status plan(struct place *place, plait_error *error)
{
	return with_data(place, use_plan, error);
}

/* ---- repetitions ---- */

/* Readers of boxes, a fill of rows, and a transfer, as nodes. */
static plait_status submit_repetition(plait_flow *flow, plait_data *data,
				   plait_error *error)
{
	static uint32_t host[64];
	const plait_box box = { { 2, 2, 0 }, { 5, 6, 1 } };
	plait_task_desc desc = { .size = sizeof(desc), .target = data,
				 .kind = PLAIT_TASK_FILL, .target_box = &box };
	plait_status status = submit_boxes(flow, data, error);

	if (status == PLAIT_OK)
		status = plait_flow_submit(flow, &desc, NULL, error);
	desc = (plait_task_desc){ .size = sizeof(desc), .source = data,
				  .kind = PLAIT_TASK_READ, .host = host };
	return status == PLAIT_OK ?
		       plait_flow_submit(flow, &desc, NULL, error) : status;
}

static plait_status use_capture(struct place *place, plait_flow *flow,
				plait_data *data, plait_error *error)
{
	plait_graph *graph = NULL;
	plait_status status = plait_graph_create(place->context, &graph, error);

	if (status == PLAIT_OK)
		status = plait_flow_capture(flow, graph, error);
	if (status == PLAIT_OK)
		status = submit_repetition(flow, data, error);
	if (status == PLAIT_OK)
		status = plait_flow_capture(flow, NULL, error);
	plait_graph_release(graph);
	return status;
}

static plait_status use_repetition(struct place *place, plait_flow *flow,
				plait_data *data, plait_error *error)
{
	plait_status status = PLAIT_OK;

	/* Elsewhere there is no device of the host. */
	if (strcmp(place->backend, "host") != 0)
		return PLAIT_OK;
	status = use_capture(place, flow, data, error);
	for (int i = 0; status == PLAIT_OK && i < 3; i++) {
		plait_task task = 0;

		status = plait_flow_repeat(flow, 1, &task, error);
		if (status != PLAIT_OK || task != 0)
			continue;
		status = submit_repetition(flow, data, error);
		if (status == PLAIT_OK)
			status = plait_flow_repeat(flow, 0, NULL, error);
	}
	if (status == PLAIT_OK)
		return plait_flow_wait(flow, 0, PLAIT_FOREVER, error);
	/* The runs are done before anything is counted. */
	(void)plait_flow_wait(flow, 0, PLAIT_FOREVER, NULL);
	return status;
}

static plait_status repetition(struct place *place, plait_error *error)
{
	return with_data(place, use_repetition, error);
}

/* ---- records ---- */

/* A flow that fails to record says so when it is written. */
static plait_status write(struct place *place, plait_error *error)
{
	static const char text[] = "data u 8\ntask i writes=u\nrepeat 9\n"
				   "task a items=8 split=1 pieces=2 "
				   "updates=u:own\n"
				   "task c items=1 reads=u[0:2]\n"
				   "end\ntask b writes=u[2:6]\n";
	const plait_flow_desc desc = { .size = sizeof(desc), .window = 64,
				       .flags = PLAIT_FLOW_RECORD };
	plait_flow *flow = NULL;
	const plait_task_desc split = { .size = sizeof(split), .split = 1 };
	/* The second one evicts a block for each piece. */
	const plait_memories_desc memories[] = {
		{ .size = sizeof(memories[0]), .devices = 2,
		  .flags = PLAIT_MEMORIES_NO_LOOKAHEAD },
		{ .size = sizeof(memories[0]), .devices = 1,
		  .memory_bytes = 32, .lanes = UINT32_MAX,
		  .links = "-1,0,4\n" },
	};
	uint64_t bytes = 0;
	plait_status status = plait_flow_create(place->context, &desc, &flow,
						error);

	if (status == PLAIT_OK)
		status = plait_flow_read(flow, text, sizeof(text) - 1, NULL,
					 error);
	for (plait_flow_format f = 0; status == PLAIT_OK && f < 4; f++)
		status = plait_flow_write(flow, f, NULL, 0, &bytes, error);
	for (int i = 0; status == PLAIT_OK && i < 2; i++)
		status = plait_flow_write_instructions(flow, &memories[i],
						       PLAIT_FLOW_JSON, NULL, 0,
						       &bytes, error);
	if (status == PLAIT_OK)
		status = plait_flow_split(flow, &split, NULL, 0, &bytes, error);
	/* The tasks are done before anything is counted. */
	if (flow != NULL)
		(void)plait_flow_wait(flow, 0, PLAIT_FOREVER, NULL);
	plait_flow_release(flow);
	return status;
}

/* On the host alone a hint has no effect; with devices: device_faults.c. */
static plait_status use_advice(struct place *place, plait_flow *flow,
			       plait_data *data, plait_error *error)
{
	(void)place;
	(void)flow;
	return plait_data_advise(data, NULL, NULL, PLAIT_ADVISE_PREFETCH,
				 error);
}

static plait_status advise(struct place *place, plait_error *error)
{
	return with_data(place, use_advice, error);
}

const struct calls_entry calls_flow[] = {
	{ "plait_flow_create plait_flow_retain plait_flow_release",
	  create_flow, NULL },
	{ "plait_data_create plait_flow_submit plait_flow_wait "
	  "plait_flow_query", submit, NULL },
	{ "plait_flow_submit_many", submit_arrays, NULL },
	{ "plait_flow_create plait_flow_submit plait_flow_wait", prove, NULL },
	{ "plait_data_read plait_data_write plait_flow_cancel", fail, NULL },
	{ "plait_flow_submit plait_flow_notify", late, NULL },
	{ "plait_flow_launch", launch, NULL },
	{ "plait_flow_submit plait_kernel_create", reduce, NULL },
	{ "plait_data_part plait_data_map plait_data_unmap plait_data_query "
	  "plait_data_retain "
	  "plait_data_release", host, NULL },
	{ "plait_data_advise", advise, NULL },
	{ "plait_flow_submit plait_flow_wait", plan, NULL },
	{ "plait_flow_capture plait_flow_repeat", repetition, NULL },
	{ "plait_flow_read plait_flow_write plait_flow_split "
	  "plait_flow_write_instructions", write, NULL },
	{ NULL, NULL, NULL }
};
