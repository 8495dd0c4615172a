/* SPDX-License-Identifier: MIT */
/*
 * Bounds of the payload tables: each reference of a plan is set wrong, one at a
 * time, in a plan that is right otherwise.  The checker and the reader refuse
 * the plan with a text that names the fault.
 */
#include "plait/plait.h"

#include "base/alloc.h"
#include "graph/plan/plan_object.h"
#include "lib/tap.h"
#include "plan/check/check.h"
#include "plan/io/binary.h"

#include <string.h>

enum { BYTES = 64 };

static plait_context *context;
static plait_device *device;
static plait_error error = { .size = sizeof(error) };
static plait_buffer *memory[3];
static plait_plan *plan;
static plait__plan *s;

/* ---- a plan with every kind of argument ---- */

static int32_t no_work(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

static int32_t nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

static plait_node put(plait_graph *graph, plait_node_desc desc,
		      const plait_node *after)
{
	plait_node node = 0;

	desc.size = sizeof(desc);
	if (!IS_INT(plait_graph_add(graph, &desc, after, after != NULL, &node,
				    &error), PLAIT_OK))
		NOTE("%s", error.text);
	return node;
}

/* A launch whose number and items follow the iteration. */
static void add_series(plait_graph *body)
{
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .function = no_work,
					 .signature = "t(n: u32)" };
	const plait_series series = { sizeof(series), 0, 1, 2, 9 };
	const plait_argument argument = PLAIT_ITERATION(&series);
	plait_kernel *kernel = NULL;

	IS_INT(plait_kernel_create(context, &desc, &kernel, &error), PLAIT_OK);
	put(body, (plait_node_desc){
			.kind = PLAIT_NODE_LAUNCH, .kernel = kernel,
			.arguments = &argument, .argument_count = 1,
			.series = &series, .series_count = 1 }, NULL);
	plait_kernel_release(kernel);
}

static void fill_body(plait_graph *body)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .function = no_work,
		.signature = "k(v: u64, w: u64, i: u32, r: in pointer f32, "
			     "p: out pointer f32, x: inout pointer f32, "
			     "s: out pointer f32)"
	};
	const uint64_t seven = 7;
	plait_argument arguments[] = {
		PLAIT_VALUE(seven),
		PLAIT_PARAMETER("w"),
		{ .kind = PLAIT_ARGUMENT_ITERATION },
		{ .kind = PLAIT_ARGUMENT_ROTATION, .ahead = 1 },
		PLAIT_PARAMETER("p"),
		PLAIT_BUFFER(memory[2]),
		{ .kind = PLAIT_ARGUMENT_SCRATCH },
	};
	plait_kernel *kernel = NULL;

	IS_INT(plait_kernel_create(context, &desc, &kernel, &error), PLAIT_OK);
	IS_INT(plait_graph_add_rotation(body, memory, 2, 0,
					&arguments[3].rotation, &error),
	       PLAIT_OK);
	put(body, (plait_node_desc){
			.kind = PLAIT_NODE_LAUNCH, .kernel = kernel,
			.arguments = arguments, .argument_count = 7,
			.launch_parameter = "n", .scratch_bytes = 32 }, NULL);
	plait_kernel_release(kernel);
}

static void fill_graph(plait_graph *graph)
{
	plait_signal_desc desc = { .size = sizeof(desc) };
	plait_signal *signal = NULL;
	plait_graph *body = NULL;
	plait_node node = put(graph, (plait_node_desc){
			.kind = PLAIT_NODE_WHILE, .function = nothing,
			.flags = PLAIT_CALL_ANY_THREAD }, NULL);

	IS_INT(plait_signal_create(device, &desc, &signal, &error), PLAIT_OK);
	IS_INT(plait_graph_body(graph, node, 0, &body, &error), PLAIT_OK);
	fill_body(body);
	add_series(body);
	plait_graph_release(body);
	node = put(graph, (plait_node_desc){
			.kind = PLAIT_NODE_COPY, .target_parameter = "q",
			.source = memory[2], .bytes = BYTES / 2 }, &node);
	node = put(graph, (plait_node_desc){
			.kind = PLAIT_NODE_CALL, .function = nothing,
			.flags = PLAIT_CALL_ANY_THREAD }, &node);
	put(graph, (plait_node_desc){
			.kind = PLAIT_NODE_EMIT, .signal = signal }, &node);
	plait_signal_release(signal);
}

static void make_plan(void)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = BYTES };
	plait__plan_object *object = NULL;
	plait_graph *graph = NULL;

	for (int i = 0; i < 3; i++)
		IS_INT(plait_buffer_create(device, &desc, &memory[i], &error),
		       PLAIT_OK);
	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	fill_graph(graph);
	IS_INT(plait_graph_freeze(graph, NULL, &plan, &error), PLAIT_OK);
	plait_graph_release(graph);
	IS_INT(plait__plan_object_enter(plan, &object, &error), PLAIT_OK);
	s = object->plan;
	plait__object_leave(&object->object);
}

/* ---- finding ---- */

static plait__plan_arg *arg_of(uint32_t kind, uint32_t bytes)
{
	for (uint32_t i = 0; i < s->args_count; i++)
		if (s->args[i].kind == kind &&
		    (bytes == 0 || s->args[i].bytes == bytes))
			return &s->args[i];
	return NULL;
}

static plait__plan_command *command_of(uint8_t kind)
{
	for (uint32_t i = 0; i < s->command_count; i++)
		if (s->commands[i].kind == kind)
			return &s->commands[i];
	return NULL;
}

static plait__plan_param *param_of(const char *name)
{
	for (uint32_t i = 0; i < s->params_count; i++)
		if (strcmp(s->strings + s->params[i].name, name) == 0)
			return &s->params[i];
	return NULL;
}

/* ---- lies ---- */

static plait_status reread(void)
{
	const plait_allocator *allocator = plait__alloc_default();
	plait__plan *again = NULL;
	plait_status status;
	plait__text text;

	error = (plait_error){ .size = sizeof(error) };
	plait__text_init(&text, allocator);
	plait__binary_save(s, &text);
	status = plait__binary_load(text.bytes, text.length, allocator, &again,
				    &error);
	plait__text_fini(&text);
	plait__plan_release(again);
	return status;
}

/* The place holds a wrong value; a file may hold this, too. */
static void is_refused(const char *what, const char *why)
{
	error = (plait_error){ .size = sizeof(error) };
	if (!IS_INT(plait_plan_check(plan, &error), PLAIT_E_INVALID))
		NOTE("%s: accepted by the checker", what);
	HAS_STR(error.text, why);
	if (!IS_INT(reread(), PLAIT_E_INVALID))
		NOTE("%s: accepted by the reader", what);
	HAS_STR(error.text, why);
}

#define LIES(place, value, why) \
	do { \
		__typeof__(place) kept = (place); \
		(place) = (__typeof__(place))(value); \
		is_refused(#place " = " #value, why); \
		(place) = kept; \
	} while (0)

static void as_it_is(void)
{
	if (!IS_INT(plait_plan_check(plan, &error), PLAIT_OK) ||
	    !IS_INT(reread(), PLAIT_OK))
		NOTE("%s", error.text);
}

static void slots(void)
{
	s->slots[0].kind = PLAIT__SLOT_ARENA;
	LIES(s->slots[0].bytes, UINT64_MAX, "slot 0: a temporary is larger");
	as_it_is();
	s->slots[0].kind = PLAIT__SLOT_BOUND;
	LIES(s->slots[0].kind, PLAIT__SLOT_PARAM,
	     "slot 0: unknown or reserved kind of memory");
	LIES(s->slots[0].kind, 77, "reserved kind of memory");
	LIES(s->slots[1].device, s->devices_count, "slot 1: its device");
	LIES(s->slots[1].name, s->strings_count, "a name is outside");
	LIES(s->signals[0].device, 9, "signal 0: its device");
	LIES(s->rotations[0].slot_first, UINT32_MAX, "rotation 0: its slots");
	LIES(s->rotations[0].slot_count, 1, "rotation 0: its slots");
	LIES(s->rotations[0].prologue, 2, "rotation 0: its slots");
	LIES(s->rotations[0].region, s->regions_count, "rotation 0: its loop");
	LIES(s->rotations[0].region, PLAIT__NONE, "no loop has");
	LIES(s->rotation_slots[1], s->slots_count, "rotation slot 1: its slot");
}

static void arguments(void)
{
	plait__plan_arg *value = arg_of(PLAIT__ARG_VALUE, 0);
	plait__plan_arg *slot = arg_of(PLAIT__ARG_MEMORY, 0);
	plait__plan_arg *turn = arg_of(PLAIT__ARG_ROTATION, 0);
	plait__plan_arg *number = arg_of(PLAIT__ARG_INDEX, 0);

	LIES(value->kind, 77, "unknown kind");
	LIES(value->blob, UINT32_MAX - 3, "outside of the blob");
	LIES(value->blob, s->blob_count - 7, "outside of the blob");
	LIES(value->bytes, UINT32_MAX, "its value is too large");
	LIES(slot->index, s->slots_count, "its slot does not exist");
	LIES(slot->offset, BYTES + 1, "its offset is beyond its slot");
	LIES(slot->offset, (uintptr_t)memory, "beyond its slot");
	LIES(turn->index, s->rotations_count, "its rotation does not exist");
	LIES(turn->offset, (BYTES + 1) << 4,
	     "beyond a buffer of its rotation");
	LIES(turn->offset, 16, "from its buffers' first byte on");
	LIES(number->index, s->regions_count, "its loop does not exist");
	LIES(number->index, PLAIT__NONE, "a loop that it is not in");
	LIES(number->bytes, 16, "4 or 8 bytes");
	LIES(number->blob, UINT32_MAX, "outside of the blob");
	LIES(number->blob, value->blob, "shares its bytes");
}

static void parameters(void)
{
	plait__plan_arg *word = arg_of(PLAIT__ARG_PARAM, 8);
	plait__plan_arg *target = arg_of(PLAIT__ARG_PARAM, 16);
	plait__plan_arg *value = arg_of(PLAIT__ARG_VALUE, 0);
	plait__plan_param *w = param_of("w"), *p = param_of("p");
	plait__plan_param *n = param_of("n");

	LIES(word->index, s->params_count, "its parameter does not exist");
	LIES(target->bytes, 12, "its size is not that of its parameter");
	LIES(target->blob, UINT32_MAX - 7, "outside of the blob");
	LIES(target->blob, target->blob + 4, "not aligned");
	/* A value of the run, or of the file, would become an address. */
	LIES(target->blob, word->blob, "shares its bytes");
	LIES(value->blob, target->blob + 8, "shares its bytes");
	LIES(target->kind, PLAIT__ARG_VALUE, "its argument is not of its param");
	LIES(w->bytes, 4, "its size is not that of its parameter");
	LIES(w->bytes, 3, "its size is not that of its parameter");
	LIES(w->bytes, 0, "its size is not that of its kind");
	LIES(w->bytes, 4097, "its size is not that of its kind");
	LIES(w->kind, PLAIT__PARAM_SIGNAL, "reserved kind");
	LIES(w->kind, PLAIT__PARAM_GEOMETRY, "its size is not that");
	LIES(p->bytes, 1024, "its size is not that of its kind");
	LIES(n->kind, PLAIT__PARAM_VALUE, "its size is not that of its kind");
}

static void patches(void)
{
	plait__plan_patch *last = &s->patches[s->patches_count - 1];
	plait__plan_patch *first = &s->patches[0], one = *first;

	IS_UINT(s->patches_count, 3);
	LIES(s->patches_count, 0, "no patch supplies its parameter");
	LIES(s->patches_count, 2, "no patch supplies its parameter");
	LIES(last->param, s->params_count, "its parameter does not exist");
	LIES(last->arg, PLAIT__NONE, "its argument does not exist");
	LIES(last->arg, first->arg, "its argument is not of its parameter");
	LIES(last->blob, UINT32_MAX - 7, "are not those of its argument");
	LIES(last->blob, last->blob + 8, "are not those of its argument");
	LIES(last->bytes, 4096, "are not those of its argument");
	LIES(*first, *last, "not sorted by parameter");
	LIES(s->patches[1], one, "another patch supplies its argument");
}

static void geometries(void)
{
	plait__plan_geometry *geometry = &s->geometries[0];

	LIES(geometry->dimensions, 0, "1 to 3 dimensions");
	LIES(geometry->dimensions, 4, "1 to 3 dimensions");
	LIES(geometry->items[0], 0, "its items are 0");
	LIES(geometry->items[2], 2, "beyond its dimensions");
	LIES(geometry->param, s->params_count, "its parameter is not");
	LIES(geometry->param, param_of("w") - s->params, "its parameter is not");
	geometry->dimensions = 2;
	geometry->items[1] = (uint64_t)1 << 32;
	LIES(geometry->items[0], (uint64_t)1 << 32, "or too many");
	LIES(geometry->group[0], UINT64_MAX, "or too many");
}

static void commands(void)
{
	plait__plan_command *launch = command_of(PLAIT__CMD_LAUNCH);
	plait__plan_payload *payload = &s->payloads[launch->link];
	plait__plan_payload *call =
		&s->payloads[command_of(PLAIT__CMD_HOST)->link];
	plait__plan_payload *emit =
		&s->payloads[command_of(PLAIT__CMD_EMIT)->link];

	LIES(launch->kind, PLAIT__CMD_CHANNEL, "reserved kind");
	LIES(launch->kind, PLAIT__CMD_ALLOC, "reserved kind");
	LIES(s->regions[0].kind, PLAIT__REGION_REPEAT + 1, "unknown kind");
	LIES(payload->kernel, s->kernels_count, "its kernel does not exist");
	LIES(payload->geometry, s->geometries_count, "its geometry");
	LIES(payload->arg_first, s->args_count, "its arguments are out of");
	LIES(payload->arg_count, UINT32_MAX, "its arguments are out of");
	LIES(call->object, s->functions_count, "its function does not");
	LIES(call->object, PLAIT__NONE, "its function does not");
	LIES(emit->object, s->signals_count, "signal does not exist");
	LIES(s->payloads[s->regions[0].predicate].object, s->functions_count,
	     "function of its predicate");
}

static void series(void)
{
	plait__plan_arg *number = arg_of(PLAIT__ARG_SERIES, 0);
	plait__plan_geometry *geometry = s->geometries;

	while (geometry->series[0] == 0)
		geometry++;
	LIES(number->index, s->series_count, "its series does not exist");
	LIES(number->bytes, 3, "4 or 8 bytes");
	LIES(number->blob, s->blob_count, "outside of the blob");
	LIES(s->series[0].region, s->regions_count, "its loop does not exist");
	LIES(s->series[0].flags, 2, "unknown flags");
	LIES(s->series[0].flags, PLAIT__SERIES_FROM_COUNT, "has no count");
	LIES(s->series[0].limit, -1, "a limit below 0");
	LIES(s->series[0].region, PLAIT__NONE, "that it is not in");
	LIES(s->series[1].region, PLAIT__NONE, "that it is not in");
	LIES(geometry->series[0], s->series_count + 1, "its series do not fit");
	LIES(geometry->series[1], 1, "its series do not fit");
}

static void scratch(void)
{
	plait__plan_scratch *at = &s->scratch[0];

	IS_UINT(s->scratch_count, 1);
	LIES(at->offset, 8, "its offset is not aligned");
	LIES(at->offset, 256, "not within its arena");
	LIES(at->offset, UINT64_MAX - 31, "not within its arena");
	LIES(at->bytes, UINT64_MAX, "not within its arena");
	LIES(at->device, s->devices_count, "not within its arena");
	LIES(at->command, 0, "takes scratch, but the plan has none");
	LIES(s->scratch_count, 0, "takes scratch, but the plan has none");
}

/* ---- scenarios ---- */

static void run_with_plan(void (*scenario)(void))
{
	plait_context_desc desc = { .size = sizeof(desc),
				    .flags = PLAIT_CONTEXT_NO_WORKERS,
				    .backends = "host" };

	if (!IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK))
		return;
	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	make_plan();
	as_it_is();
	scenario();
	for (int i = 0; i < 3; i++)
		plait_buffer_release(memory[i]);
	plait_plan_release(plan);
	plait_context_release(context);
}

#define WITH(name) static void with_##name(void) { run_with_plan(name); }
WITH(as_it_is)
WITH(slots)
WITH(arguments)
WITH(parameters)
WITH(patches)
WITH(geometries)
WITH(commands)
WITH(series)
WITH(scratch)

static const struct tap_scenario scenarios[] = {
	{ "as it is", with_as_it_is },
	{ "slots", with_slots },
	{ "arguments", with_arguments },
	{ "parameters", with_parameters },
	{ "patches", with_patches },
	{ "geometries", with_geometries },
	{ "commands", with_commands },
	{ "series", with_series },
	{ "scratch", with_scratch },
};
TAP_MAIN(scenarios)
