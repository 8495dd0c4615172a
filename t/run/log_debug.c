/* SPDX-License-Identifier: MIT */
/* The log of level debug: a line for each kernel that is compiled or taken from
 * the cache, each plan that is made, and each that is made ready; none of them
 * on level info. */
#include "lib/suite.h"

#include <stdio.h>
#include <string.h>

static char lines[8192];

static void hear(void *user_data, int32_t level, const char *text)
{
	size_t used = strlen(lines);

	(void)user_data;
	(void)level;
	snprintf(lines + used, sizeof(lines) - used, "%s\n", text);
}

/* Compile a kernel, and call a plan of it. */
static void work(const char *backend, int32_t level)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = backend,
					  .flags = PLAIT_CONTEXT_NO_WORKERS,
					  .log = hear, .log_level = level };
	plait_error error = { .size = sizeof(error) };
	plait_context *context = NULL;
	plait_kernel *kernel = NULL;
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_node_desc node = { .size = sizeof(node),
				 .kind = PLAIT_NODE_LAUNCH };

	lines[0] = '\0';
	IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK);
	IS_INT(plait_kernel_compile(context, "nothing()",
				    "KERNEL(nothing)\n{\n}\n", &kernel,
				    &error), PLAIT_OK);
	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	node.kernel = kernel;
	if (!IS_INT(plait_graph_add(graph, &node, NULL, 0, NULL, &error),
		    PLAIT_OK))
		NOTE("%s", error.text);
	IS_INT(plait_graph_freeze(graph, NULL, &plan, &error), PLAIT_OK);
	IS_INT(plait_plan_call(plan, NULL, NULL, &error), PLAIT_OK);
	plait_plan_release(plan);
	plait_graph_release(graph);
	plait_kernel_release(kernel);
	plait_context_release(context);
}

static void check_plan(const char *engine)
{
	HAS_STR(lines, "plan: 1 nodes, 1 commands in 1 lanes of 1 device");
	HAS_STR(lines, engine);
	HAS_STR(lines, "1 lanes, 2 instances\n");
}

static void log_debug(void)
{
	(void)suite_folder();
	work("host", PLAIT_LOG_DEBUG);
	HAS_STR(lines, "kernel nothing: ");
	HAS_STR(lines, " compiled it in ");
	check_plan("plan: ready on ");
	work("host", PLAIT_LOG_DEBUG);
	HAS_STR(lines, "kernel nothing: taken from the cache, ");
	OK(strstr(lines, " compiled it in ") == NULL);
	work("chaos", PLAIT_LOG_DEBUG);
	HAS_STR(lines, "kernel nothing for chaos:0: built in ");
	check_plan("plan: ready on ");
	work("host", PLAIT_LOG_INFO);
	OK(strstr(lines, "kernel nothing") == NULL);
	OK(strstr(lines, "plan: ") == NULL);
}

static const struct tap_scenario scenarios[] = {
	{ "log of level debug", log_debug },
};
TAP_MAIN(scenarios)
