/* SPDX-License-Identifier: MIT */
/*
 * Struct sizes: every struct that has a size, as programs of other versions
 * pass it: as short as it ever was, longer with zeros behind the known fields,
 * longer with nonzero bytes there, and too short.  The library must read and
 * write nothing behind the given size: the memory ends there, which memory
 * checkers see.
 */
#include "abi/sizes/sizes.h"

struct stage stage;

static const struct sized *const tables[] = {
	sized_objects, sized_kernels, sized_graphs, sized_runs,
	sized_schedules, sized_colls, sized_flows,
	sized_worlds
};

/* ---- the memory of one call ---- */

void *given(struct trial *trial, const void *good, uint64_t bytes,
	    uint32_t count)
{
	uint64_t size = trial->size;
	unsigned char *room = calloc(count, size);

	free(trial->room);
	trial->room = room;
	trial->count = count;
	if (!OK(room != NULL))
		exit(1);
	for (uint32_t i = 0; i < count; i++) {
		memcpy(room + i * size, (const char *)good + i * bytes,
		       size < bytes ? size : bytes);
		memcpy(room + i * size, &trial->size, sizeof(trial->size));
		if (trial->surplus)
			room[(i + 1) * size - 1] = 1;
	}
	return room;
}

/* Bytes behind the known fields that are not zero. */
static uint32_t count_behind(const struct trial *trial, uint32_t known)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < trial->count; i++)
		for (uint32_t at = known; at < trial->size; at++)
			count += trial->room[i * trial->size + at] != 0;
	return count;
}

static void try_size(const struct sized *sized, uint32_t size, bool surplus,
		     plait_status want, const char *part)
{
	struct trial trial = { .size = size, .surplus = surplus };
	plait_status status;

	stage.error = (plait_error){ .size = sizeof(stage.error) };
	status = sized->call(&trial);
	if (status == PLAIT_E_UNSUPPORTED && sized->needs_library &&
	    (strstr(stage.error.text, "libffi") != NULL ||
	     strstr(stage.error.text, "expat") != NULL)) {
		SKIP("%s", stage.error.text);
	} else {
		OK_THAT(status == want, "%s of %u bytes: %s, %s", sized->name,
			size, plait_status_name(status), stage.error.text);
		HAS_STR(stage.error.text, part);
		if (want == PLAIT_OK && sized->is_result)
			OK_THAT(count_behind(&trial, sized->bytes) == 0,
				"%s: what is behind it is cleared",
				sized->name);
	}
	free(trial.room);
}

static void try_sizes(const struct sized *sized)
{
	char too_short[100];

	(void)snprintf(too_short, sizeof(too_short),
		       "%s: size %u is below %u; set it to sizeof(%s)",
		       sized->name, sized->least - 8, sized->least,
		       sized->name);
	try_size(sized, sized->least, false, PLAIT_OK, "");
	try_size(sized, sized->bytes, false, PLAIT_OK, "");
	try_size(sized, sized->bytes + 8, false, PLAIT_OK, "");
	try_size(sized, 4096, false, PLAIT_OK, "");
	if (sized->is_result)
		try_size(sized, sized->bytes + 8, true, PLAIT_OK, "");
	else
		try_size(sized, sized->bytes + 8, true, PLAIT_E_UNSUPPORTED,
			 "is set, but this library");
	try_size(sized, sized->least - 8, false, PLAIT_E_INVALID, too_short);
	try_size(sized, 4104, false, PLAIT_E_INVALID, "is not a size");
	/* Each of them cuts a field in two. */
	for (uint32_t cut = 1; cut < 8; cut += cut == 3 ? 2 : 1)
		try_size(sized, sized->least + cut, false, PLAIT_E_INVALID,
			 "; set it to sizeof(");
}

/* ---- arguments of the calls ---- */

static int32_t touch(void *const *arguments, const plait_launch *launch,
		     void *user_data)
{
	(void)launch;
	(void)user_data;
	**(unsigned char **)arguments[0] += *(uint32_t *)arguments[1] != 0;
	return 0;
}

static void add_launch(void)
{
	const plait_argument arguments[] = {
		{ .size = sizeof(*arguments), .name = "x",
		  .kind = PLAIT_ARGUMENT_PARAMETER },
		{ .size = sizeof(*arguments), .name = "by",
		  .kind = PLAIT_ARGUMENT_PARAMETER },
	};
	const plait_node_desc launch = {
		.size = sizeof(launch), .kind = PLAIT_NODE_LAUNCH,
		.label = "touch", .kernel = stage.kernel,
		.arguments = arguments, .argument_count = 2
	};

	IS_INT(plait_graph_add(stage.graph, &launch, NULL, 0, NULL,
			       &stage.rig.error), PLAIT_OK);
}

/* Loaded as another process would load it: its host function is not bound. */
static plait_plan *read_back(plait_graph *graph)
{
	static char bytes[1 << 16];
	plait_plan *plan = NULL, *again = NULL;
	uint64_t count = 0;

	IS_INT(plait_graph_freeze(graph, NULL, &plan, &stage.rig.error),
	       PLAIT_OK);
	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, bytes,
				sizeof(bytes), &count, &stage.rig.error),
	       PLAIT_OK);
	plait_plan_release(plan);
	IS_INT(plait_plan_read(stage.rig.context, bytes, count, &again,
			       &stage.rig.error), PLAIT_OK);
	return again;
}

static void make_named(void)
{
	const plait_node_desc call = {
		.size = sizeof(call), .kind = PLAIT_NODE_CALL,
		.label = "count", .flags = PLAIT_CALL_ANY_THREAD,
		.function = add_one, .user_data = &stage.count
	};
	plait_graph *graph = NULL;

	IS_INT(plait_graph_create(stage.rig.context, &graph,
				  &stage.rig.error), PLAIT_OK);
	IS_INT(plait_graph_add(graph, &call, NULL, 0, NULL,
			       &stage.rig.error), PLAIT_OK);
	stage.named = read_back(graph);
	plait_graph_release(graph);
}

static bool open_stage(void)
{
	plait_kernel_desc kernel = {
		.size = sizeof(kernel), .function = touch,
		.signature = "touch(x: inout pointer u8, by: u32)"
	};

	stage.touch = touch;
	stage.rig = settings[1];
	if (!open_rig(&stage.rig))
		return false;
	stage.buffer = make_buffer(&stage.rig, 4096, "memory");
	IS_INT(plait_inbox_create(stage.rig.context, &stage.inbox,
				  &stage.rig.error), PLAIT_OK);
	IS_INT(plait_kernel_create(stage.rig.context, &kernel, &stage.kernel,
				   &stage.rig.error), PLAIT_OK);
	IS_INT(plait_graph_create(stage.rig.context, &stage.graph,
				  &stage.rig.error), PLAIT_OK);
	add_launch();
	IS_INT(plait_graph_freeze(stage.graph, NULL, &stage.plan,
				  &stage.rig.error), PLAIT_OK);
	make_named();
	return true;
}

static void close_stage(void)
{
	plait_plan_release(stage.named);
	plait_plan_release(stage.plan);
	plait_graph_release(stage.graph);
	plait_kernel_release(stage.kernel);
	plait_inbox_release(stage.inbox);
	plait_buffer_release(stage.buffer);
	close_rig(&stage.rig);
}

static void sizes(void)
{
	if (!open_stage())
		return;
	for (size_t t = 0; t < TAP_COUNT(tables); t++)
		for (const struct sized *one = tables[t]; one->call; one++)
			try_sizes(one);
	close_stage();
}

static bool has_table(const char *name)
{
	for (size_t t = 0; t < TAP_COUNT(tables); t++)
		for (const struct sized *one = tables[t]; one->call; one++)
			if (strcmp(one->name, name) == 0)
				return true;
	return false;
}

/* A new struct gets a line in one of the tables, too. */
static void none_left_out(void)
{
#define NAME(name, bytes) #name,
	static const char *const names[] = { PLAIT__MIN_STRUCT_SIZES(NAME) };
#undef NAME

	for (size_t i = 0; i < TAP_COUNT(names); i++)
		OK_THAT(has_table(names[i]), "%s is tried", names[i]);
}

static const struct tap_scenario scenarios[] = {
	{ "sizes", sizes },
	{ "none left out", none_left_out },
};

TAP_MAIN(scenarios)
