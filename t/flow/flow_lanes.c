/* SPDX-License-Identifier: MIT */
/* Lanes of ops.  Waits while a worker counts as spinning that has no processor: the
 * submitter wakes no other, and the waiting thread takes a parked worker.  Rows of a
 * wavefront stay in their lanes, and chains that end together advance together. */
#include "lib/tap.h"

#include "plait/plait.h"

#include "flow/flow_object.h"

#include <stdlib.h>

enum { TASKS = 40, LIMIT_S = 20, SIDE = 8, CHAINS = 2, LINKS = 24 };

static plait_context *context;
static plait_flow *flow;
static int ran;
static int done[CHAINS]; /* tasks of each chain */
static int apart;	 /* most tasks between two chains */

static int32_t count(void *user_data)
{
	(void)user_data;
	ran++;
	return 0;
}

static void open_flow(uint32_t lanes)
{
	const plait_flow_desc flow_desc = { .size = sizeof(flow_desc),
					    .lanes = lanes };
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "host",
		.flags = PLAIT_CONTEXT_NO_WORKERS,
	};

	ran = 0;
	OK(plait_context_open(&desc, &context, NULL) == PLAIT_OK);
	OK(plait_flow_create(context, &flow_desc, &flow, NULL) == PLAIT_OK);
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

	open_flow(0);
	self = plait__handle_peek(flow, PLAIT_OBJECT_FLOW);
	at_add_u32(&self->lanes.spinning, 1);
	submit_chain();
	IS_INT(plait_flow_wait(flow, 0, LIMIT_S * UINT64_C(1000000000), NULL),
	       PLAIT_OK);
	at_sub_u32(&self->lanes.spinning, 1);
	IS_INT(ran, TASKS);
	close_flow();
}

/* ---- a worker that sleeps where it polls ---- */

static int wakes;

static void note_wake(void *arg)
{
	(void)arg;
	wakes++;
}

/* A task, and two that only it holds back: published, they wake no worker. */
static void submit_fork(void)
{
	const plait_data_desc token = { .size = sizeof(token) };
	plait_data *data;

	OK(plait_data_create(flow, &token, &data, NULL) == PLAIT_OK);
	for (int i = 0; i < 3; i++) {
		const plait_access access = {
			.size = sizeof(access), .data = data,
			.mode = i == 0 ? PLAIT_ACCESS_READ_WRITE :
					 PLAIT_ACCESS_READ };
		const plait_task_desc desc = {
			.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
			.function = count, .accesses = &access,
			.access_count = 1,
		};

		(void)plait_flow_submit(flow, &desc, NULL, NULL);
		if (i == 0)
			IS_INT(wakes, 1);
	}
	plait_data_release(data);
}

/* It counts as one that spins, and no worker is idle. */
static void wakes_a_sleeping_poller(void)
{
	plait__flow *self;

	open_flow(2);
	wakes = 0;
	self = plait__handle_peek(flow, PLAIT_OBJECT_FLOW);
	self->lanes.poll_wake = note_wake;
	at_add_u32(&self->lanes.spinning, 1);
	at_store_relaxed_u32(&self->lanes.sleeping, 1);
	submit_fork();
	IS_INT(wakes, 1);
	IS_INT(plait_flow_wait(flow, 0, LIMIT_S * UINT64_C(1000000000), NULL),
	       PLAIT_OK);
	IS_INT(ran, 3);
	/* When the thread began one of the two. */
	IS_INT(wakes, 2);
	at_store_relaxed_u32(&self->lanes.sleeping, 0);
	at_sub_u32(&self->lanes.spinning, 1);
	close_flow();
}

/* ---- lanes ---- */

static plait_data *make_data(uint64_t width, uint64_t height)
{
	const plait_data_desc desc = { .size = sizeof(desc), .dimensions = 2,
				       .element_bytes = 8,
				       .extent = { width, height } };
	plait_data *data;

	OK(plait_data_create(flow, &desc, &data, NULL) == PLAIT_OK);
	return data;
}

static plait_box tile(uint64_t x, uint64_t y)
{
	return (plait_box){ { x, y, 0 }, { x + 1, y + 1, 1 } };
}

/* Two threads may run tasks of tiles, when the flow is closed. */
static int32_t run_tile(void *user_data)
{
	(void)user_data;
	return 0;
}

/* Submit the task of a tile, which reads those to the left and above. */
static plait_task submit_tile(plait_data *data, uint64_t x, uint64_t y)
{
	const plait_box boxes[] = { tile(x, y), tile(x > 0 ? x - 1 : x, y),
				    tile(x, y > 0 ? y - 1 : y) };
	plait_access accesses[3];
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
		.function = run_tile, .accesses = accesses, .access_count = 3,
	};
	plait_task number = 0;

	for (int i = 0; i < 3; i++)
		accesses[i] = (plait_access){
			.size = sizeof(accesses[i]), .data = data,
			.mode = i == 0 ? PLAIT_ACCESS_READ_WRITE :
					 PLAIT_ACCESS_READ,
			.box = &boxes[i] };
	(void)plait_flow_submit(flow, &desc, &number, NULL);
	return number;
}

/* Each row but its first tile is in the lane of that tile. */
static void rows_of_a_wavefront(void)
{
	plait__flow *self;
	plait_data *data;
	int elsewhere = 0;

	open_flow(2);
	self = plait__handle_peek(flow, PLAIT_OBJECT_FLOW);
	data = make_data(SIDE, SIDE);
	for (uint64_t y = 0; y < SIDE; y++) {
		plait_task first = submit_tile(data, 0, y);

		for (uint64_t x = 1; x < SIDE; x++)
			elsewhere += self->lane_of[submit_tile(data, x, y)] !=
				     self->lane_of[first];
	}
	IS_INT(elsewhere, 0);
	plait_data_release(data);
	close_flow();
}

/* The chain has one more task. */
static int32_t advance(void *user_data)
{
	int distance;

	++*(int *)user_data;
	distance = abs(done[0] - done[1]);
	apart = distance > apart ? distance : apart;
	return 0;
}

static void submit_link(plait_data *data, uint64_t chain)
{
	const plait_box box = tile(chain, 0);
	const plait_access access = {
		.size = sizeof(access), .data = data,
		.mode = PLAIT_ACCESS_READ_WRITE, .box = &box };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
		.function = advance, .user_data = &done[chain],
		.accesses = &access, .access_count = 1,
	};

	(void)plait_flow_submit(flow, &desc, NULL, NULL);
}

/* One thread runs both: no thread would be idle at the end. */
static void chains_end_together(void)
{
	plait_data *data;

	open_flow(CHAINS);
	data = make_data(CHAINS, 1);
	for (int i = 0; i < LINKS; i++)
		for (uint64_t chain = 0; chain < CHAINS; chain++)
			submit_link(data, chain);
	IS_INT(plait_flow_wait(flow, 0, LIMIT_S * UINT64_C(1000000000), NULL),
	       PLAIT_OK);
	IS_INT(done[0] + done[1], CHAINS * LINKS);
	OK(apart <= 4);
	NOTE("%d tasks apart", apart);
	plait_data_release(data);
	close_flow();
}

static const struct tap_scenario all[] = {
	{ "a worker that spins", spinning_worker },
	{ "wakes a sleeping poller", wakes_a_sleeping_poller },
	{ "rows of a wavefront", rows_of_a_wavefront },
	{ "chains end together", chains_end_together },
};

TAP_MAIN(all)
