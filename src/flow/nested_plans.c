/* SPDX-License-Identifier: MIT */
/* Runs of plans as nodes; see nested_plans.h. */
#include "flow/nested_plans.h"

#include "base/alloc.h"
#include "base/error.h"
#include "graph/plan/plan_object.h"

/* Memory of a buffer: the argument of the launch. */
struct record {
	const plait_allocator *allocator;
	plait_plan *plan; /* one reference */
	const plait_run_desc *run;
};

void plait__nested_plans_init(plait__nested_plans *nodes,
			      const plait_allocator *allocator)
{
	plait__vector_init(&nodes->items, allocator, sizeof(plait__nested_plan));
}

void plait__nested_plans_fini(plait__nested_plans *nodes)
{
	for (uint32_t i = 0; i < nodes->items.count; i++) {
		const plait__nested_plan *at = plait__vector_at(&nodes->items, i);

		plait_buffer_release(at->buffer);
	}
	plait_kernel_release(nodes->kernel);
	plait__vector_fini(&nodes->items);
}

/* ---- the run ---- */

/* The result of a failing function is that of the run. */
static int32_t run_plan(void *const *arguments, const plait_launch *launch,
			void *user_data)
{
	const struct record *record = *(struct record *const *)arguments[0];
	plait_error why = { .size = sizeof(why) };
	plait_status status = plait_plan_call(record->plan, NULL, record->run,
					      &why);

	(void)launch;
	(void)user_data;
	return status == PLAIT_E_FAILED && why.origin != 0 ? why.origin :
							     status;
}

/* No node has the buffer any more. */
static int32_t free_record(void *user_data)
{
	struct record *record = user_data;

	plait_plan_release(record->plan);
	plait__free(record->allocator, record, sizeof(*record));
	return 0;
}

/* ---- the node ---- */

/* A function of the host does not wait for queues. */
static plait_status check_devices(const plait__plan_object *plan,
				  plait_error *error)
{
	bool on_queues = plan->on_queues;

	for (uint32_t i = 0; i < plan->plan->devices_count; i++) {
		const plait__device *device = plan->devices[i];

		on_queues |= device != NULL && !plait__device_is_host(device);
	}
	return !on_queues ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "a run of a plan on queues in a captured flow: add "
			   "the plan's graph to the captured one, or "
			   "submit the task behind the repetition");
}

static plait_status check_plan(const plait__flow *flow, plait_plan *handle,
			       plait_error *error)
{
	plait__plan_object *plan;
	plait_status status = plait__plan_object_enter(handle, &plan, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__context_check_same(&flow->object, &plan->object, error);
	if (status == PLAIT_OK)
		status = check_devices(plan, error);
	if (status == PLAIT_OK)
		plait_plan_retain(handle);
	plait__object_leave(&plan->object);
	return status;
}

/* Wrap the record, which the buffer owns then. */
static plait_status wrap_record(const plait__flow *flow, struct record *record,
				plait_buffer **out, plait_error *error)
{
	const plait_wrap_desc desc = {
		.size = sizeof(desc), .flags = PLAIT_CALL_ANY_THREAD,
		.pointer = record, .bytes = sizeof(*record), .label = "plan",
		.released = free_record, .user_data = record,
	};

	return plait_buffer_wrap(
		plait__object_handle(&flow->host->object), &desc, out, error);
}

static plait_status make_buffer(plait__nested_plans *nodes,
				const plait__flow *flow,
				const plait_task_desc *desc, plait_buffer **out,
				plait_error *error)
{
	const plait_allocator *allocator = nodes->items.allocator;
	struct record *record;
	plait_status status = check_plan(flow, desc->plan, error);

	if (status != PLAIT_OK)
		return status;
	record = plait__alloc(allocator, sizeof(*record));
	if (record == NULL) {
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory for a node");
	} else {
		*record = (struct record){ allocator, desc->plan, desc->run };
		status = wrap_record(flow, record, out, error);
	}
	if (status != PLAIT_OK) {
		plait_plan_release(desc->plan);
		plait__free(allocator, record, sizeof(*record));
	}
	return status;
}

static plait_status make_kernel(plait__nested_plans *nodes,
				const plait__flow *flow, plait_error *error)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .function = run_plan,
		.signature = "plan(record: inout pointer u8)",
	};

	return nodes->kernel != NULL ? PLAIT_OK :
	       plait_kernel_create(
		       plait__object_handle(&flow->object.context->object),
		       &desc, &nodes->kernel, error);
}

/* The entry of the plan and the descriptor, or a new one; null without memory. */
static plait__nested_plan *find(plait__nested_plans *nodes,
			      const plait_task_desc *desc)
{
	plait__nested_plan made = { .plan = desc->plan, .run = desc->run };

	for (uint32_t i = 0; i < nodes->items.count; i++) {
		plait__nested_plan *at = plait__vector_at(&nodes->items, i);

		if (at->plan != desc->plan)
			continue;
		if (at->run == desc->run)
			return at;
		made.last = at->last;
	}
	return PLAIT__VECTOR_ADD(&nodes->items, &made);
}

plait_status plait__nested_plans_set(plait__nested_plans *nodes,
				     plait__flow *flow,
				     const plait_task_desc *desc,
				     plait_argument *argument,
				     plait_node_desc *node, plait_error *error)
{
	plait__nested_plan *at = find(nodes, desc);
	plait_status status = PLAIT_OK;

	if (at == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a node");
	if (at->buffer == NULL)
		status = make_buffer(nodes, flow, desc, &at->buffer, error);
	if (status == PLAIT_OK)
		status = make_kernel(nodes, flow, error);
	*argument = (plait_argument)PLAIT_BUFFER(at->buffer);
	node->kind = PLAIT_NODE_LAUNCH;
	node->kernel = nodes->kernel;
	node->arguments = argument;
	node->argument_count = 1;
	return status;
}

uint32_t plait__nested_plans_note(plait__nested_plans *nodes,
				  const plait_plan *plan, uint32_t number)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < nodes->items.count; i++) {
		plait__nested_plan *at = plait__vector_at(&nodes->items, i);

		if (at->plan != plan)
			continue;
		before = at->last;
		at->last = number;
	}
	return before;
}
