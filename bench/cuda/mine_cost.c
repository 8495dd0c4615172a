/* SPDX-License-Identifier: MIT */
/* Costs of single operations, plait's side: a round trip, a host function, transfers
 * of pageable memory, a device graph made and patched, a loop cancelled, memory. */
#include <stdlib.h>
#include <string.h>

#include "mine.h"
#include "texts.h"

static plait_plan *trip, *patched, *endless;
static plait_kernel *put;
static plait_buffer *large, *go;
static char *pageable;

static void finish(void)
{
	mine_must(plait_queue_finish(mine.queue, PLAIT_FOREVER, &mine.error));
}

static void call(plait_plan *plan, const plait_run_desc *desc)
{
	mine_must(plait_plan_call(plan, NULL, desc, &mine.error));
}

static void launch_tiny(void)
{
	const plait_argument x = IN(mine.word);
	const plait_launch group = { .size = sizeof(group),
				     .items = { TINY_GROUP, 1, 1 },
				     .group = { TINY_GROUP, 1, 1 } };

	mine_must(plait_queue_launch(mine.queue, mine.tiny, &group, &x, 1,
				     &mine.error));
}

/* --- round trips ---------------------------------------------------------- */

void plait_make_trip(void)
{
	const plait_argument x = IN(mine.word);
	struct builder builder;

	mine_begin(&builder);
	mine_append_launch(&builder, mine.tiny, 1, TINY_GROUP, &x, 1);
	trip = mine_freeze(&builder);
}

void plait_trip(void)
{
	for (uint32_t i = 0; i < sizes.trips; i++)
		call(trip, NULL);
}

void plait_trip_queue(void)
{
	for (uint32_t i = 0; i < sizes.trips; i++) {
		launch_tiny();
		finish();
	}
}

static int32_t nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

/* A function between two kernels. */
void plait_function(void)
{
	for (uint32_t i = 0; i < sizes.trips; i++) {
		launch_tiny();
		mine_must(plait_queue_call(mine.queue, nothing, NULL,
					   &mine.error));
		launch_tiny();
	}
	finish();
}

/* --- transfers ------------------------------------------------------------ */

void plait_make_staged(void)
{
	large = mine_buffer((uint64_t)sizes.staged << 20);
	pageable = calloc(sizes.staged, 1 << 20);
	if (pageable == NULL)
		die("staged", "no memory");
}

/* To the device and back. */
void plait_staged(void)
{
	uint64_t bytes = (uint64_t)sizes.staged << 20;

	mine_must(plait_queue_write(mine.queue, large, 0, pageable, bytes,
				    &mine.error));
	mine_must(plait_queue_read(mine.queue, large, 0, pageable, bytes,
				   &mine.error));
	finish();
}

/* --- device graphs -------------------------------------------------------- */

/* Build the graph of the chain, plan it, and make the device graph: one, or one
 * for each of the usual two instances. */
void plait_instantiate(void)
{
	plait_plan_release(mine_chain(1));
}

void plait_instantiate_usual(void)
{
	plait_plan_release(mine_chain(0));
}

/* Eight kernels, of which each run gives the last another number. */
enum { PATCHED = 8 };

void plait_make_patched(void)
{
	const plait_argument x = IN(mine.word);
	const plait_argument with[] = { IN(mine.word),
					PLAIT_PARAMETER("number") };
	struct builder builder;

	put = mine_kernel("put(x: inout pointer u32, number: u32)", PUT_TEXT);
	mine_begin(&builder);
	for (int i = 1; i < PATCHED; i++)
		mine_append_launch(&builder, mine.tiny, 1, TINY_GROUP, &x, 1);
	mine_append_launch(&builder, put, 1, TINY_GROUP, with, 2);
	patched = mine_freeze(&builder);
}

void plait_patch(void)
{
	for (uint32_t i = 1; i <= sizes.trips; i++) {
		const plait_binding number = { .size = sizeof(number),
					       .value = &i,
					       .bytes = sizeof(i) };

		const plait_run_desc desc = { .size = sizeof(desc),
					      .bindings = &number,
					      .binding_count = 1 };

		call(patched, &desc);
	}
}

/* --- cancelled loops ------------------------------------------------------ */

void plait_make_cancel(void)
{
	const plait_argument x = IN(mine.word);
	struct builder builder, body;

	go = mine_buffer(64);
	mine_begin(&builder);
	mine_append_fill(&builder, go, 1);
	mine_append_loop(&builder, go, INT32_MAX, &body);
	mine_append_launch(&body, mine.tiny, 1, TINY_GROUP, &x, 1);
	plait_graph_release(body.graph);
	endless = mine_freeze(&builder);
}

void plait_cancel(void)
{
	plait_run *run = NULL;
	double began;

	mine_must(plait_plan_run(endless, mine.queue, NULL, &run,
				 &mine.error));
	spin_ns(LOOP_NS);
	began = clock_ns();
	mine_must(plait_run_cancel(run, &mine.error));
	if (plait_run_wait(run, PLAIT_FOREVER, &mine.error) !=
	    PLAIT_E_CANCELLED)
		die("cancel", "the loop ended by itself");
	device_ns = clock_ns() - began;
	plait_run_release(run);
	(void)plait_queue_finish(mine.queue, PLAIT_FOREVER, &mine.error);
}

/* --- memory --------------------------------------------------------------- */

void plait_allocate(void)
{
	for (uint32_t i = 0; i < sizes.trips; i++)
		plait_buffer_release(mine_buffer(1 << 20));
}

/* More than the pool keeps. */
void plait_allocate_large(void)
{
	plait_buffer_release(mine_buffer((uint64_t)sizes.block << 20));
}

/* --- life ----------------------------------------------------------------- */

void mine_drop_costs(void)
{
	plait_plan_release(trip);
	plait_plan_release(patched);
	plait_plan_release(endless);
	plait_kernel_release(put);
	plait_buffer_release(large);
	plait_buffer_release(go);
	free(pageable);
}

/* Nothing ran on the device's clock. */
void plait_take_nothing(void)
{
	finish();
	device_ns = 0;
	result = 0;
}

void plait_take_number(void)
{
	uint32_t got;

	mine_must(plait_queue_read(mine.queue, mine.word, 0, &got, sizeof(got),
				   &mine.error));
	finish();
	device_ns = 0;
	result = got;
}

/* plait_cancel has set the time. */
void plait_take_cancel(void)
{
	result = 0;
}
