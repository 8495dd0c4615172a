/* SPDX-License-Identifier: MIT */
/* Waits while a worker counts as spinning that has no processor: the submitter wakes
 * no other, and the waiting thread takes a parked worker. */
#include "lib/tap.h"

#include "plait/plait.h"

#include "flow/flow_object.h"

enum { TASKS = 40, LIMIT_S = 20 };

static plait_context *context;
static plait_flow *flow;
static int ran;

static int32_t count(void *user_data)
{
	(void)user_data;
	ran++;
	return 0;
}

static void open_flow(void)
{
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "host",
		.flags = PLAIT_CONTEXT_NO_WORKERS,
	};

	ran = 0;
	OK(plait_context_open(&desc, &context, NULL) == PLAIT_OK);
	OK(plait_flow_create(context, NULL, &flow, NULL) == PLAIT_OK);
}

static void close_flow(void)
{
	plait_flow_release(flow);
	plait_context_release(context);
}

/* A chain: each task writes a token. */
static void submit_chain(void)
{
	const plait_data_desc token = { .size = sizeof(token) };
	plait_data *data;

	OK(plait_data_create(flow, &token, &data, NULL) == PLAIT_OK);
	for (int i = 0; i < TASKS; i++) {
		const plait_access access = {
			.size = sizeof(access), .data = data,
			.mode = PLAIT_ACCESS_READ_WRITE };
		const plait_task_desc desc = {
			.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
			.function = count, .accesses = &access,
			.access_count = 1,
		};

		(void)plait_flow_submit(flow, &desc, NULL, NULL);
	}
	plait_data_release(data);
}

static void spinning_worker(void)
{
	plait__flow *self;

	open_flow();
	self = plait__handle_peek(flow, PLAIT_OBJECT_FLOW);
	at_add_u32(&self->lanes.spinning, 1);
	submit_chain();
	IS_INT(plait_flow_wait(flow, 0, LIMIT_S * UINT64_C(1000000000), NULL),
	       PLAIT_OK);
	at_sub_u32(&self->lanes.spinning, 1);
	IS_INT(ran, TASKS);
	close_flow();
}

static const struct tap_scenario all[] = {
	{ "a worker that spins", spinning_worker },
};

TAP_MAIN(all)
