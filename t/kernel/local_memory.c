/* SPDX-License-Identifier: MIT */
/* Local parameters: blocks of every form of host code, sizes that runs bind, and
 * errors with numbers and names. */
#include "lib/kernels.h"

enum { ROOM = 24, OTHER = 7 };

static const char signature[] = "use(room: local u64, other: local u8, "
				"y: out pointer u64, n: u64)";

/* The blocks are aligned and apart; write all of them, and store a sum. */
static int32_t use(uint64_t *room, uint8_t *other, uint64_t *y, uint64_t n)
{
	if (((uintptr_t)room | (uintptr_t)other) % 64 != 0)
		return 3;
	memset(other, 5, n);
	for (uint64_t i = 0; i < n; i++)
		room[i] = i;
	*y = room[n - 1] + other[0] + other[n - 1];
	return 0;
}

static int32_t use_fixed(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	(void)launch;
	(void)user_data;
	return use(*(uint64_t **)arguments[0], *(uint8_t **)arguments[1],
		   *(uint64_t **)arguments[2], *(uint64_t *)arguments[3]);
}

/* Each part has blocks of its own; the first one stores. */
static int32_t use_range(const plait_range *range, void *const *arguments,
			 const plait_launch *launch, void *user_data)
{
	uint64_t nothing;

	(void)launch;
	(void)user_data;
	return use(*(uint64_t **)arguments[0], *(uint8_t **)arguments[1],
		   range->begin[0] == 0 ? *(uint64_t **)arguments[2] : &nothing,
		   *(uint64_t *)arguments[3]);
}

static const plait_source in_c = {
	.size = sizeof(in_c), .form = PLAIT_SOURCE_C, .file = "use.c",
	.code = "int use(unsigned long long *room, unsigned char *other,\n"
		"\tunsigned long long *y, unsigned long long n)\n{\n"
		"\tfor (unsigned long long i = 0; i < n; i++)\n"
		"\t\troom[i] = i, other[i] = 5;\n"
		"\t*y = room[n - 1] + other[0] + other[n - 1];\n"
		"\treturn 0;\n}\n"
};
static const plait_source portable = {
	.size = sizeof(portable), .file = "use.plk",
	.code = "GROUP_KERNEL(use, 1, 1, 1)\n{\n"
		"\tITEMS\n\t\tfor (u64 i = 0; i < n; i++) {\n"
		"\t\t\troom[i] = i;\n\t\t\tother[i] = 5;\n\t\t}\n"
		"\tITEMS\n\t\ty[0] = room[n - 1] + other[0] + other[n - 1];\n"
		"}\n"
};

static const plait_kernel_desc forms[] = {
	{ .signature = signature, .function = use_fixed },
	{ .signature = signature, .range = use_range, .grain = 1 },
	{ .signature = signature, .described = (plait_any_function)use },
	{ .signature = signature, .sources = &in_c, .source_count = 1 },
	{ .signature = signature, .sources = &portable, .source_count = 1 },
};

static plait_argument local(uint64_t bytes)
{
	return (plait_argument){ .size = sizeof(plait_argument),
				 .kind = PLAIT_ARGUMENT_LOCAL,
				 .bytes = bytes };
}

static plait_argument parameter(const char *name)
{
	return (plait_argument){ .size = sizeof(plait_argument),
				 .kind = PLAIT_ARGUMENT_PARAMETER,
				 .name = name };
}

static uint64_t read_word(struct rig *rig, plait_buffer *y)
{
	uint64_t word = 0;

	IS_INT(plait_queue_read(rig->queue, y, 0, &word, sizeof(word),
				&rig->error), PLAIT_OK);
	return word;
}

/* ---- queues ---- */

static void use_form(struct rig *rig, const plait_kernel_desc *form)
{
	plait_kernel *kernel = make_kernel(rig, *form);
	plait_buffer *y = make_buffer(rig, 8, "y");
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { 1 } };

	if (!OK_THAT(kernel != NULL, "%s", rig->error.text))
		return;
	for (uint64_t n = 1; n < 5000; n = 3 * n + OTHER) {
		const plait_argument arguments[] = {
			local(8 * n), local(n), memory_of(y, 0), VALUE(n) };

		OK_THAT(launch_it(rig, kernel, &launch, arguments, 4) ==
			PLAIT_OK, "%s", rig->error.text);
		IS_INT(read_word(rig, y), n - 1 + 10);
	}
	plait_buffer_release(y);
	plait_kernel_release(kernel);
}

static void every_form_gets_blocks(void)
{
	EACH(rig) {
		for (size_t i = 0; i < TAP_COUNT(forms); i++)
			use_form(rig, &forms[i]);
		close_rig(rig);
	}
}

static void launch_is(struct rig *rig, plait_kernel *kernel,
		      const plait_argument arguments[4], plait_status want,
		      const char *part)
{
	REFUSED(plait_queue_launch(rig->queue, kernel, NULL, arguments, 4,
				   &rig->error), want, part);
}

static void mistakes_are_named(void)
{
	static const uint64_t n = 1;

	EACH(rig) {
		plait_kernel *kernel = make_kernel(rig, forms[0]);
		plait_buffer *y = make_buffer(rig, 8, "y");
		plait_device_info info = { .size = sizeof(info) };
		plait_argument arguments[] = { local(8), local(1),
					       memory_of(y, 0), VALUE(n) };

		IS_INT(plait_device_query(rig->device, &info, &rig->error),
		       PLAIT_OK);
		OK(info.local_bytes >= 32768);
		arguments[0].bytes = 0;
		launch_is(rig, kernel, arguments, PLAIT_E_INVALID,
			  "use: argument 0 \"room\" (local u64): local memory "
			  "of 0 bytes");
		arguments[0].bytes = 12;
		launch_is(rig, kernel, arguments, PLAIT_E_INVALID,
			  "12 bytes of local memory are not a multiple of 8, "
			  "the size of u64");
		arguments[0] = VALUE(n);
		launch_is(rig, kernel, arguments, PLAIT_E_INVALID,
			  "local memory takes no value");
		arguments[0] = memory_of(y, 0);
		launch_is(rig, kernel, arguments, PLAIT_E_INVALID,
			  "local memory takes no buffer");
		arguments[0] = local(info.local_bytes / 8 * 8);
		launch_is(rig, kernel, arguments, PLAIT_E_UNSUPPORTED,
			  "use: argument 1 \"other\" (local u8): 1 bytes of "
			  "local memory, and ");
		arguments[0] = local(UINT64_MAX - 7);
		launch_is(rig, kernel, arguments, PLAIT_E_UNSUPPORTED,
			  "argument 0 \"room\" (local u64): "
			  "18446744073709551608 bytes of local memory");
		arguments[0] = local(8);
		arguments[3] = local(8);
		launch_is(rig, kernel, arguments, PLAIT_E_INVALID,
			  "argument 3 \"n\" (u64): bytes of local memory need");
		plait_buffer_release(y);
		plait_kernel_release(kernel);
		close_rig(rig);
	}
}

static void portable_needs_groups(void)
{
	const plait_source source = {
		.size = sizeof(source), .file = "use.plk",
		.code = "KERNEL(use)\n{\n\tEACH(i, n) y[i] = i;\n}\n" };

	EACH(rig) {
		OK(make_kernel(rig, (plait_kernel_desc){
			.signature = signature, .sources = &source,
			.source_count = 1 }) == NULL);
		HAS_STR(rig->error.text, "local parameters need groups");
		close_rig(rig);
	}
}

/* ---- plans ---- */

/* A plan of one launch; null and the error if a call fails. */
static plait_plan *make_plan(struct rig *rig, plait_kernel *kernel,
			     const plait_argument arguments[4],
			     plait_status *out_status)
{
	const plait_node_desc node = {
		.size = sizeof(node), .kind = PLAIT_NODE_LAUNCH,
		.label = "work", .kernel = kernel, .arguments = arguments,
		.argument_count = 4, .device = rig->device };
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_node added;

	rig->error.text[0] = '\0';
	*out_status = plait_graph_create(rig->context, &graph, &rig->error);
	if (*out_status == PLAIT_OK)
		*out_status = plait_graph_add(graph, &node, NULL, 0, &added,
					      &rig->error);
	if (*out_status == PLAIT_OK)
		*out_status = plait_graph_freeze(graph, NULL, &plan,
						 &rig->error);
	plait_graph_release(graph);
	return plan;
}

static void plan_is_refused(struct rig *rig, plait_kernel *kernel,
			    const plait_argument arguments[4],
			    plait_status want, const char *part)
{
	plait_status status;

	OK(make_plan(rig, kernel, arguments, &status) == NULL);
	IS_INT(status, want);
	HAS_STR(rig->error.text, part);
	HAS_STR(rig->error.text, "\"work\"");
}

static void nodes_are_checked(void)
{
	static const uint64_t n = 1;

	EACH(rig) {
		plait_kernel *kernel = make_kernel(rig, forms[0]);
		plait_buffer *y = make_buffer(rig, 8, "y");
		plait_argument arguments[] = { local(8), local(1),
					       memory_of(y, 0), VALUE(n) };

		arguments[0].bytes = 9;
		plan_is_refused(rig, kernel, arguments, PLAIT_E_INVALID,
				"9 bytes of local memory are not a multiple");
		arguments[0] = memory_of(y, 0);
		plan_is_refused(rig, kernel, arguments, PLAIT_E_INVALID,
				"local memory takes no buffer");
		arguments[0] = VALUE(n);
		plan_is_refused(rig, kernel, arguments, PLAIT_E_INVALID,
				"local memory takes no value");
		arguments[0].kind = PLAIT_ARGUMENT_SCRATCH;
		plan_is_refused(rig, kernel, arguments, PLAIT_E_INVALID,
				"needs a pointer");
		arguments[0] = local((uint64_t)1 << 40);
		plan_is_refused(rig, kernel, arguments, PLAIT_E_UNSUPPORTED,
				"use: argument 0 \"room\" (local u64): "
				"1099511627776 bytes of local memory, and ");
		plait_buffer_release(y);
		plait_kernel_release(kernel);
		close_rig(rig);
	}
}

static plait_status run(struct rig *rig, plait_plan *plan, uint64_t room,
			uint64_t n)
{
	plait_binding bindings[] = {
		{ .size = sizeof(plait_binding), .value = &room, .bytes = 8 },
		{ .size = sizeof(plait_binding), .value = &n, .bytes = 8 },
	};
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = bindings,
				      .binding_count = 2 };

	IS_INT(plait_plan_find_parameter(plan, "room", &bindings[0].parameter,
					 &rig->error), PLAIT_OK);
	IS_INT(plait_plan_find_parameter(plan, "n", &bindings[1].parameter,
					 &rig->error), PLAIT_OK);
	return plait_plan_call(plan, NULL, &desc, &rig->error);
}

/* `n` is a value here and the bytes of `other` there. */
static void run_sizes(struct rig *rig, const plait_kernel_desc *form)
{
	plait_parameter_info info = { .size = sizeof(info) };
	plait_kernel *kernel = make_kernel(rig, *form);
	plait_buffer *y = make_buffer(rig, 8, "y");
	const plait_argument arguments[] = { parameter("room"), parameter("n"),
					     memory_of(y, 0), parameter("n") };
	plait_status status;
	plait_plan *plan = make_plan(rig, kernel, arguments, &status);

	if (!OK_THAT(plan != NULL, "%s", rig->error.text))
		return;
	IS_INT(plait_plan_query_parameter(plan, 0, &info, &rig->error),
	       PLAIT_OK);
	IS_STR(info.type, "u64");
	for (uint64_t n = 1; n < 3000; n = 2 * n + 1) {
		OK_THAT(run(rig, plan, 8 * n, n) == PLAIT_OK, "%s",
			rig->error.text);
		IS_INT(read_word(rig, y), n - 1 + 10);
	}
	REFUSED(run(rig, plan, 12, 1), PLAIT_E_INVALID,
		"\"work\": use: argument 0 \"room\" (local u64): 12 bytes");
	REFUSED(run(rig, plan, (uint64_t)1 << 40, 1), PLAIT_E_UNSUPPORTED,
		"argument 0 \"room\" (local u64): 1099511627776 bytes");
	REFUSED(run(rig, plan, 8, 0), PLAIT_E_INVALID,
		"argument 1 \"other\" (local u8): local memory of 0 bytes");
	OK(run(rig, plan, 80, 10) == PLAIT_OK);
	IS_INT(read_word(rig, y), 19);
	plait_plan_release(plan);
	plait_buffer_release(y);
	plait_kernel_release(kernel);
}

static void runs_bind_sizes(void)
{
	EACH(rig) {
		for (size_t i = 0; i < TAP_COUNT(forms); i++)
			run_sizes(rig, &forms[i]);
		close_rig(rig);
	}
}

static const struct tap_scenario all[] = {
	{ "every form gets blocks", every_form_gets_blocks },
	{ "mistakes are named", mistakes_are_named },
	{ "portable needs groups", portable_needs_groups },
	{ "nodes are checked", nodes_are_checked },
	{ "runs bind sizes", runs_bind_sizes },
};

TAP_MAIN(all)
