/* SPDX-License-Identifier: MIT */
/*
 * Independence of plans from the names of backends: a device's capabilities
 * decide how a plan runs, not the name of its backend.
 */
#include "lib/objects.h"
#include "lib/plugin_rig.h"

static struct rig rig;

/* `truth` under another name, with `options` around it. */
static bool open_named(const char *name, const char *truth,
		       const char *options)
{
	static char path[8192];
	const char *folder = rig_folder();
	plait_context_desc desc = { .size = sizeof(desc), .workers = 1,
				    .backends = name, .wrap = "fault",
				    .plugin_path = path, .options = options };

	if (!rig_copy("double", folder, name))
		SKIP_ALL("plugins of t/plugin/bad are not built");
	(void)snprintf(path, sizeof(path), "%s:%s", folder,
		       rig_plugin_folder());
	setenv("T_DOUBLE", truth, 1);
	memset(&rig, 0, sizeof(rig));
	rig.error.size = sizeof(rig.error);
	return OK_THAT(plait_context_open(&desc, &rig.context,
					  &rig.error) == PLAIT_OK,
		       "%s as %s: %s", truth, name, rig.error.text) &&
	       OK(plait_context_device(rig.context, 0, &rig.device,
				       &rig.error) == PLAIT_OK) &&
	       OK(plait_queue_create(rig.device, NULL, &rig.queue,
				     &rig.error) == PLAIT_OK);
}

static plait_plan *make_plan(int *count)
{
	const plait_node_desc call = {
		.size = sizeof(call), .kind = PLAIT_NODE_CALL,
		.flags = PLAIT_CALL_ANY_THREAD, .function = add_one,
		.user_data = count,
	};
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_node node;

	OK(plait_graph_create(rig.context, &graph, &rig.error) == PLAIT_OK);
	OK_THAT(plait_graph_add(graph, &call, NULL, 0, &node, &rig.error) ==
		PLAIT_OK, "add: %s", rig.error.text);
	OK_THAT(plait_graph_freeze(graph, NULL, &plan, &rig.error) ==
		PLAIT_OK, "freeze: %s", rig.error.text);
	plait_graph_release(graph);
	return plan;
}

static void end(plait_plan *plan)
{
	plait_plan_release(plan);
	close_rig(&rig);
}

/* A plan that needs no queue does not care about queues that accept nothing. */
static void runs(const char *name, const char *truth, bool without_queues)
{
	int count = 0;
	plait_plan *plan;

	if (!open_named(name, truth, "fault:rate=1000,status=lost,"
			"slot=queue_submit"))
		return;
	plan = make_plan(&count);
	IS_INT(plait_plan_call(plan, NULL, NULL, &rig.error),
	       without_queues ? PLAIT_OK : PLAIT_E_LOST);
	IS_INT(count, without_queues);
	end(plan);
}

static void host_by_any_name(void)
{
	runs("host", "host", true);
	runs("house", "host", true);
}

static void no_host_by_name(void)
{
	(void)settings;
	runs("host", "chaos", false);
	runs("chaos2", "chaos", false);
}

static plait_status run_on_queue(plait_plan *plan)
{
	plait_run *run = NULL;
	plait_status status = plait_plan_run(plan, rig.queue, NULL, &run,
					     &rig.error);

	if (status == PLAIT_OK)
		status = plait_run_wait(run, PLAIT_FOREVER, &rig.error);
	plait_run_release(run);
	return status;
}

/* Work behind a lost device does not run, although all before it succeeded. */
static void lost(const char *name)
{
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 8 };
	plait_buffer *buffer = NULL;
	int count = 0;
	plait_plan *plan;

	if (!open_named(name, "host", "fault:lost=1,slot=memory_create"))
		return;
	plan = make_plan(&count);
	IS_INT(run_on_queue(plan), PLAIT_OK);
	IS_INT(run_on_queue(plan), PLAIT_OK);
	IS_INT(plait_buffer_create(rig.device, &desc, &buffer, &rig.error),
	       PLAIT_E_LOST);
	IS_INT(run_on_queue(plan), PLAIT_E_LOST);
	IS_INT(count, 2);
	end(plan);
}

static void lost_by_any_name(void)
{
	lost("host");
	lost("house");
}

static const struct tap_scenario all[] = {
	{ "the host by any name", host_by_any_name },
	{ "no host by its name", no_host_by_name },
	{ "lost by any name", lost_by_any_name },
};

TAP_MAIN(all)
