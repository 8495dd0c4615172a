/* SPDX-License-Identifier: MIT */
/* Sized structs of flows. */
#include "sizes.h"

static plait_flow *new_flow(void)
{
	plait_flow *flow = NULL;

	IS_INT(plait_flow_create(stage.rig.context, NULL, &flow, NULL),
	       PLAIT_OK);
	return flow;
}

static plait_status try_flow(struct trial *trial)
{
	const plait_flow_desc good = { .window = 16, .label = "flow" };
	plait_flow *flow = NULL;
	plait_status status = plait_flow_create(stage.rig.context, GIVEN(good),
						&flow, &stage.error);

	plait_flow_release(flow);
	return status;
}

static plait_status try_data(struct trial *trial)
{
	const plait_data_desc good = { .dimensions = 1, .element_bytes = 4,
				       .extent = { 8 }, .label = "data" };
	plait_flow *flow = new_flow();
	plait_data *data = NULL;
	plait_status status = plait_data_create(flow, GIVEN(good), &data,
						&stage.error);

	plait_data_release(data);
	plait_flow_release(flow);
	return status;
}

static int32_t do_nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

static plait_status try_task(struct trial *trial)
{
	const plait_task_desc good[] = {
		{ .kind = PLAIT_TASK_CALL, .function = do_nothing },
		{ .kind = PLAIT_TASK_CALL, .function = do_nothing },
	};
	const plait_task_desc *tasks = GIVEN_ALL(good);
	plait_flow *flow = new_flow();
	plait_status status = plait_flow_submit(flow, tasks, NULL,
						&stage.error);

	if (status == PLAIT_OK)
		status = plait_flow_submit_many(flow, tasks, 2, NULL,
						&stage.error);
	plait_flow_release(flow);
	return status;
}

static plait_status try_access(struct trial *trial)
{
	const plait_data_desc token = { .size = sizeof(token) };
	plait_flow *flow = new_flow();
	plait_task_desc task = { .size = sizeof(task), .kind = PLAIT_TASK_CALL,
				 .function = do_nothing, .access_count = 2 };
	plait_data *data = NULL;
	plait_status status;

	IS_INT(plait_data_create(flow, &token, &data, NULL), PLAIT_OK);
	const plait_access good[] = {
		{ .mode = PLAIT_ACCESS_READ, .data = data },
		{ .mode = PLAIT_ACCESS_WRITE, .data = data },
	};
	task.accesses = GIVEN_ALL(good);
	status = plait_flow_submit(flow, &task, NULL, &stage.error);
	plait_data_release(data);
	plait_flow_release(flow);
	return status;
}

static int32_t run_nothing(void *const *arguments, const plait_launch *launch,
			   void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

static plait_status try_mapper(struct trial *trial)
{
	const plait_mapper good = { .kind = PLAIT_MAPPER_EVEN_SPLIT };
	const plait_data_desc desc = { .size = sizeof(desc), .dimensions = 1,
				       .extent = { 8 } };
	const plait_kernel_desc code = { .size = sizeof(code),
					 .function = run_nothing,
					 .signature = "nothing()" };
	plait_flow *flow = new_flow();
	plait_access access = { .size = sizeof(access),
				.mode = PLAIT_ACCESS_WRITE };
	plait_task_desc task = { .size = sizeof(task), .accesses = &access,
				 .access_count = 1 };
	plait_status status;

	IS_INT(plait_data_create(flow, &desc, &access.data, NULL), PLAIT_OK);
	IS_INT(plait_kernel_create(stage.rig.context, &code, &task.kernel,
				   NULL), PLAIT_OK);
	access.mapper = GIVEN(good);
	status = plait_flow_submit(flow, &task, NULL, &stage.error);
	plait_kernel_release(task.kernel);
	plait_data_release(access.data);
	plait_flow_release(flow);
	return status;
}

static plait_status try_info(struct trial *trial)
{
	const plait_flow_info good = { .size = 0 };
	plait_flow *flow = new_flow();
	plait_status status = plait_flow_query(flow, GIVEN(good),
					       &stage.error);

	plait_flow_release(flow);
	return status;
}

static plait_status try_data_info(struct trial *trial)
{
	const plait_data_info good = { .size = 0 };
	const plait_data_desc desc = { .size = sizeof(desc) };
	plait_flow *flow = new_flow();
	plait_data *data = NULL;
	plait_status status;

	IS_INT(plait_data_create(flow, &desc, &data, NULL), PLAIT_OK);
	status = plait_data_query(data, GIVEN(good), &stage.error);
	plait_data_release(data);
	plait_flow_release(flow);
	return status;
}

static plait_status try_memories(struct trial *trial)
{
	const plait_memories_desc good = { .devices = 2 };
	const plait_flow_desc desc = { .size = sizeof(desc),
				       .flags = PLAIT_FLOW_RECORD };
	plait_flow *flow = NULL;
	plait_status status;

	IS_INT(plait_flow_create(stage.rig.context, &desc, &flow, NULL),
	       PLAIT_OK);
	status = plait_flow_write_instructions(flow, GIVEN(good),
					       PLAIT_FLOW_TEXT, NULL, 0, NULL,
					       &stage.error);
	plait_flow_release(flow);
	return status;
}

const struct sized sized_flows[] = {
	SIZED(plait_flow_desc, try_flow, false),
	SIZED(plait_data_desc, try_data, false),
	SIZED(plait_task_desc, try_task, false),
	SIZED(plait_access, try_access, false),
	SIZED(plait_mapper, try_mapper, false),
	SIZED(plait_memories_desc, try_memories, false),
	SIZED(plait_data_info, try_data_info, true),
	SIZED(plait_flow_info, try_info, true),
	{ .call = NULL }
};
