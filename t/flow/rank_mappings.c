/* SPDX-License-Identifier: MIT */
/* Mappings of flows over ranks that are threads: one behind the other, with tasks
 * between them. */
#include "world/threads.h"

enum { N = 64, MANY = 1000 };

static int32_t nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

static void map(struct rank *rank, plait_data *data, void **out)
{
	(void)rank_did(rank, plait_data_map(data, NULL, PLAIT_MAP_READ, out,
					    &rank->error));
}

static void unmap(struct rank *rank, plait_data *data, void *mapped)
{
	(void)rank_did(rank, plait_data_unmap(data, mapped, &rank->error));
}

/* There is always a mapping, but each ends soon. */
static void map_in_turn(struct rank *rank)
{
	const plait_flow_desc desc = { .size = sizeof(desc),
				       .world = rank->world };
	const plait_data_desc one = { .size = sizeof(one), .dimensions = 1,
				      .element_bytes = 8, .extent = { N } };
	const plait_task_desc task = { .size = sizeof(task),
				       .kind = PLAIT_TASK_CALL,
				       .function = nothing };
	void *mapped[2] = { NULL, NULL };
	plait_data *data[2] = { NULL, NULL };
	plait_flow *flow = NULL;

	(void)rank_did(rank, plait_flow_create(rank->context, &desc, &flow,
					       &rank->error));
	for (int i = 0; i < 2; i++)
		(void)rank_did(rank, plait_data_create(flow, &one, &data[i],
						       &rank->error));
	map(rank, data[0], &mapped[0]);
	for (uint32_t i = 1; i < MANY; i++) {
		map(rank, data[i % 2], &mapped[i % 2]);
		unmap(rank, data[1 - i % 2], mapped[1 - i % 2]);
		(void)rank_did(rank, plait_flow_submit(flow, &task, NULL,
						       &rank->error));
	}
	unmap(rank, data[(MANY - 1) % 2], mapped[(MANY - 1) % 2]);
	(void)rank_did(rank, plait_flow_wait(flow, 0, PLAIT_FOREVER,
					     &rank->error));
	plait_data_release(data[0]);
	plait_data_release(data[1]);
	plait_flow_release(flow);
}

static void takes_tasks_behind_mappings_in_turn(void)
{
	static struct rank ranks[THREADS_MAX];

	IS_UINT(ranks_run(ranks, 2, "loopback", map_in_turn), 2);
	for (uint32_t i = 0; i < 2; i++)
		IS_STR(ranks[i].error.text, "");
}

static const struct tap_scenario all[] = {
	{ "takes tasks behind mappings in turn",
	  takes_tasks_behind_mappings_in_turn },
};

TAP_MAIN(all)
