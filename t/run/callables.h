/* SPDX-License-Identifier: MIT */
/* Helpers for tests of plans as C functions. */
#ifndef T_CALLABLES_H
#define T_CALLABLES_H

#include "lib/runs.h"

/* Plans of one kernel; all of its arguments are parameters. */

struct one {
	plait_kernel *kernel;
	plait_graph *graph;
	plait_plan *plan;
};

/* The parameters are called "p0" and so on; a launch is "size". */
static inline void make_one(struct one *one, const char *signature, uint64_t count,
		     const char *size, plait_kernel_function function,
		     void *user_data)
{
	const plait_kernel_desc kernel = {
		.size = sizeof(kernel), .signature = signature,
		.function = function, .user_data = user_data,
	};
	plait_argument arguments[24];
	plait_node_desc node = {
		.kind = PLAIT_NODE_LAUNCH, .label = "one",
		.arguments = arguments, .argument_count = count,
		.launch_parameter = size,
	};
	char names[24][8];

	for (uint64_t i = 0; i < count; i++) {
		snprintf(names[i], sizeof(names[i]), "p%u", (unsigned)i);
		arguments[i] = (plait_argument){
			.size = sizeof(arguments[i]),
			.kind = PLAIT_ARGUMENT_PARAMETER, .name = names[i]
		};
	}
	OK_THAT(plait_kernel_create(rig.context, &kernel, &one->kernel,
				    &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	node.kernel = one->kernel;
	one->graph = new_graph();
	(void)add_node(one->graph, node, NULL, 0);
	one->plan = freeze(one->graph, 1, 2);
}

/* The remaining references are those that a callable keeps. */
static inline void free_one(struct one *one)
{
	plait_plan_release(one->plan);
	plait_graph_release(one->graph);
	plait_kernel_release(one->kernel);
}

static inline plait_callable *make_callable(plait_plan *plan, const char *signature,
				     plait_failure_function failed,
				     void *user_data)
{
	const plait_callable_desc desc = {
		.size = sizeof(desc), .signature = signature,
		.failed = failed, .user_data = user_data,
	};
	plait_callable *callable = NULL;

	OK_THAT(plait_callable_create(plan, &desc, &callable, &rig.error) ==
		PLAIT_OK, "%s: %s", signature, rig.error.text);
	return callable;
}

static inline plait_any_function function_of(plait_callable *callable)
{
	plait_any_function function = NULL;

	OK(plait_callable_function(callable, &function, &rig.error) ==
	   PLAIT_OK);
	return function;
}

static inline int32_t fail_with(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	(void)launch;
	(void)user_data;
	return *(int32_t *)arguments[0];
}

#endif
