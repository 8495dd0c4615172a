/* SPDX-License-Identifier: MIT */
/* Plans as C functions, tried while something fails.  With so many arguments
 * that calls need memory, too. */
#include "fault/calls.h"

#ifdef HAVE_LIBFFI

#include <stdio.h>

enum { COUNT = 17 };

static int32_t do_nothing(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

/* "f(p0: u32, ..., p16: u32): i32" */
static void write_signature(char *text, size_t room)
{
	size_t at = 0;

	for (unsigned i = 0; i < COUNT; i++)
		at += (size_t)snprintf(text + at, room - at, "%s p%u: u32",
				       i ? "," : "f(", i);
	snprintf(text + at, room - at, "): i32");
}

static plait_status plan_of(plait_graph *graph, plait_kernel *kernel,
			    plait_plan **plan, plait_error *error)
{
	plait_argument arguments[COUNT];
	const plait_node_desc node = {
		.size = sizeof(node), .kind = PLAIT_NODE_LAUNCH,
		.kernel = kernel, .arguments = arguments,
		.argument_count = COUNT
	};
	char names[COUNT][8];
	plait_node added;
	plait_status status;

	for (unsigned i = 0; i < COUNT; i++) {
		snprintf(names[i], sizeof(names[i]), "p%u", i);
		arguments[i] = (plait_argument){
			.size = sizeof(arguments[i]),
			.kind = PLAIT_ARGUMENT_PARAMETER, .name = names[i]
		};
	}
	status = plait_graph_add(graph, &node, NULL, 0, &added, error);
	if (status != PLAIT_OK)
		return status;
	return plait_graph_freeze(graph, NULL, plan, error);
}

static plait_status make_plan(struct place *place, const char *signature,
			      plait_plan **plan, plait_error *error)
{
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .signature = signature,
					 .function = do_nothing };
	plait_kernel *kernel = NULL;
	plait_graph *graph = NULL;
	plait_status status = plait_kernel_create(place->context, &desc,
						  &kernel, error);

	if (status == PLAIT_OK)
		status = plait_graph_create(place->context, &graph, error);
	if (status == PLAIT_OK)
		status = plan_of(graph, kernel, plan, error);
	plait_graph_release(graph);
	plait_kernel_release(kernel);
	return status;
}

static plait_status call(plait_callable *callable, plait_error *error)
{
	plait_any_function function;
	plait_status status = plait_callable_function(callable, &function,
						      error);

	if (status != PLAIT_OK)
		return status;
	/* Only the result has the text. */
	error->status = ((int32_t (*)(
		uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
		uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
		uint32_t, uint32_t, uint32_t, uint32_t, uint32_t))function)(
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
	return error->status;
}

static void keep_error(void *user_data, const plait_error *told)
{
	memcpy(user_data, told, sizeof(*told));
}

static plait_status make_and_call(struct place *place, plait_error *error)
{
	char signature[300];
	const plait_callable_desc desc = { .size = sizeof(desc),
					   .signature = signature,
					   .failed = keep_error,
					   .user_data = error };
	plait_callable *callable = (void *)place;
	plait_plan *plan = NULL;
	plait_status status;

	write_signature(signature, sizeof(signature));
	status = make_plan(place, signature, &plan, error);
	if (status != PLAIT_OK)
		return plan == NULL ? status : PLAIT_E_INTERNAL;
	status = plait_callable_create(plan, &desc, &callable, error);
	plait_plan_release(plan);
	if (status != PLAIT_OK)
		return callable == NULL ? status : PLAIT_E_INTERNAL;
	plait_callable_retain(callable);
	status = call(callable, error);
	plait_callable_release(callable);
	plait_callable_release(callable);
	return status;
}

#else

/* Without libffi there is no callable to try: t/run/callable.c. */
static plait_status make_and_call(struct place *place, plait_error *error)
{
	(void)place;
	(void)error;
	return PLAIT_OK;
}

#endif

const struct calls_entry calls_callable[] = {
	{ "plait_callable_create plait_callable_function "
	  "plait_callable_retain plait_callable_release", make_and_call,
	  NULL },
	{ NULL, NULL, NULL }
};
