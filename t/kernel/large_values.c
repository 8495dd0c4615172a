/* SPDX-License-Identifier: MIT */
/* Structs and vectors by value: every form of host code, launches, parameters of
 * runs, plans from files, and what is refused. */
#include "lib/kernels.h"

struct part {
	double weight;
	int32_t count;
	int32_t bias;
	uint64_t more;
};

static const char signature[] =
	"weigh(p: struct part 24, v: f32x4, small: u8, y: out pointer f64)";

static double weigh(const struct part *part, const float v[4], uint8_t small)
{
	return part->weight * part->count + part->bias + (double)part->more +
	       v[0] + 10 * v[3] + small;
}

static int32_t weigh_fixed(void *const *arguments, const plait_launch *launch,
			   void *user_data)
{
	struct part part;
	float v[4];

	(void)launch;
	(void)user_data;
	memcpy(&part, arguments[0], sizeof(part));
	memcpy(v, arguments[1], sizeof(v));
	**(double **)arguments[3] = weigh(&part, v,
					  *(const uint8_t *)arguments[2]);
	return 0;
}

static const plait_source portable = {
	.size = sizeof(portable), .file = "weigh.plk",
	.code = "struct part { f64 weight; i32 count, bias; u64 more; };\n"
		"KERNEL(weigh)\n{\n\tEACH(i, 1)\n"
		"\t\ty[0] = p.weight * p.count + p.bias + (f64)p.more +\n"
		"\t\t\tv.v[0] + 10 * v.v[3] + small;\n}\n"
};

static const plait_kernel_desc forms[] = {
	{ .signature = signature, .function = weigh_fixed },
	{ .signature = signature, .sources = &portable, .source_count = 1 },
};

static double read_number(struct rig *rig, plait_buffer *y)
{
	double number = 0;

	IS_INT(plait_queue_read(rig->queue, y, 0, &number, sizeof(number),
				&rig->error), PLAIT_OK);
	return number;
}

static struct part part_of(uint32_t i)
{
	return (struct part){ 0.5 * i, 3, -(int32_t)i, 7 };
}

static void same(double got, double want)
{
	OK_THAT(got == want, "%g, not %g", got, want);
}

static void is_passed(void)
{
	const struct part part = part_of(9);
	const float v[4] = { 1, 99, 99, 4 };
	const uint8_t small = 200;

	EACH(rig) {
		plait_buffer *y = make_buffer(rig, 8, "y");
		const plait_argument arguments[] = { VALUE(part), VALUE(v),
						     VALUE(small),
						     memory_of(y, 0) };

		for (size_t i = 0; i < TAP_COUNT(forms); i++) {
			plait_kernel *kernel = make_kernel(rig, forms[i]);

			OK_THAT(kernel != NULL && launch_it(
				rig, kernel, NULL, arguments, 4) == PLAIT_OK,
				"%s", rig->error.text);
			same(read_number(rig, y), weigh(&part, v, small));
			plait_kernel_release(kernel);
		}
		plait_buffer_release(y);
		close_rig(rig);
	}
}

/* ---- described functions ---- */

static double seen;

static void take_large(int32_t a, struct part part, float b)
{
	const float v[4] = { b, 0, 0, 0 };

	seen = a + weigh(&part, v, 0);
}

static void is_described(struct rig *rig)
{
	const int32_t a = -5;
	const struct part part = part_of(4);
	const float b = 0.25f, v[4] = { b, 0, 0, 0 };
	const plait_argument arguments[] = { VALUE(a), VALUE(part), VALUE(b) };
	plait_kernel *kernel = make_kernel(rig, (plait_kernel_desc){
		.signature = "take(a: i32, p: struct 24, b: f32)",
		.described = (plait_any_function)take_large });

	if (!OK_THAT(kernel != NULL, "%s", rig->error.text))
		return;
	OK_THAT(launch_it(rig, kernel, NULL, arguments, 3) == PLAIT_OK, "%s",
		rig->error.text);
	same(seen, a + weigh(&part, v, 0));
	plait_kernel_release(kernel);
}

static void described_is_refused(struct rig *rig, const char *given,
				 const char *part)
{
	OK(make_kernel(rig, (plait_kernel_desc){
		.signature = given,
		.described = (plait_any_function)take_large }) == NULL);
	IS_INT(rig->error.status, PLAIT_E_UNSUPPORTED);
	HAS_STR(rig->error.text, part);
}

static void described_functions(void)
{
	EACH(rig) {
#if defined(__x86_64__)
		is_described(rig);
#endif
		described_is_refused(rig, "f(a: i32, p: struct 16)",
				     "argument 1 \"p\": a C function takes a "
				     "small struct in registers");
		described_is_refused(rig, "f(v: f32x4)", "argument 0 \"v\": "
				     "libffi passes no vectors");
		close_rig(rig);
	}
}

/* ---- what is refused ---- */

static void mistakes(void)
{
	const struct part part = part_of(1);
	const float v[4] = { 0 };
	const uint8_t small = 0;

	EACH(rig) {
		plait_buffer *y = make_buffer(rig, 8, "y");
		plait_kernel *kernel = make_kernel(rig, forms[0]);
		plait_argument arguments[] = { VALUE(part), VALUE(v),
					       VALUE(small), memory_of(y, 0) };

		arguments[0].bytes = 16;
		REFUSED(plait_queue_launch(rig->queue, kernel, NULL, arguments,
					   4, &rig->error), PLAIT_E_INVALID,
			"weigh: argument 0 \"p\" (struct 24): bytes is 16, not "
			"24, the size of its type");
		arguments[0].bytes = 24;
		arguments[1].bytes = 12;
		REFUSED(plait_queue_launch(rig->queue, kernel, NULL, arguments,
					   4, &rig->error), PLAIT_E_INVALID,
			"weigh: argument 1 \"v\" (f32x4): bytes is 12, not 16");
		arguments[1] = memory_of(y, 0);
		REFUSED(plait_queue_launch(rig->queue, kernel, NULL, arguments,
					   4, &rig->error), PLAIT_E_INVALID,
			"argument 1 \"v\" (f32x4): a buffer needs a pointer");
		plait_kernel_release(kernel);
		OK(make_kernel(rig, (plait_kernel_desc){
			.signature = "weigh(p: struct 24, v: f32x4, small: u8, "
				     "y: out pointer f64)",
			.sources = &portable, .source_count = 1 }) == NULL);
		HAS_STR(rig->error.text, "parameter 0 \"p\": the text needs "
			"the struct's name");
		OK(make_kernel(rig, (plait_kernel_desc){
			.signature = "weigh(p: struct part 32, v: f32x4, "
				     "small: u8, y: out pointer f64)",
			.sources = &portable, .source_count = 1 }) == NULL);
		HAS_STR(rig->error.text, "size_of_struct_part_is_not_32");
		plait_buffer_release(y);
		close_rig(rig);
	}
}

/* ---- plans ---- */

static plait_argument parameter(const char *name)
{
	return (plait_argument){ .size = sizeof(plait_argument),
				 .kind = PLAIT_ARGUMENT_PARAMETER,
				 .name = name };
}

/* Two launches with one parameter, the second one with a constant vector. */
static plait_plan *make_plan(struct rig *rig, plait_kernel *kernel,
			     plait_buffer *y, plait_buffer *z)
{
	static const float v[4] = { 2, 0, 0, 5 };
	static const uint8_t small = 1;
	const plait_argument both[2][4] = {
		{ parameter("p"), parameter("v"), VALUE(small),
		  memory_of(y, 0) },
		{ parameter("p"), VALUE(v), VALUE(small), memory_of(z, 0) },
	};
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;

	IS_INT(plait_graph_create(rig->context, &graph, &rig->error),
	       PLAIT_OK);
	for (int i = 0; i < 2; i++) {
		const plait_node_desc node = {
			.size = sizeof(node), .kind = PLAIT_NODE_LAUNCH,
			.kernel = kernel, .arguments = both[i],
			.argument_count = 4, .device = rig->device };

		IS_INT(plait_graph_add(graph, &node, NULL, 0, NULL,
				       &rig->error), PLAIT_OK);
	}
	OK_THAT(plait_graph_freeze(graph, NULL, &plan, &rig->error) ==
		PLAIT_OK, "%s", rig->error.text);
	plait_graph_release(graph);
	return plan;
}

static plait_status run(struct rig *rig, plait_plan *plan,
			const struct part *part, uint64_t bytes,
			const float v[4])
{
	plait_binding bindings[] = {
		{ .size = sizeof(plait_binding), .value = part,
		  .bytes = bytes },
		{ .size = sizeof(plait_binding), .value = v, .bytes = 16 },
	};
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = bindings,
				      .binding_count = 2 };

	IS_INT(plait_plan_find_parameter(plan, "p", &bindings[0].parameter,
					 &rig->error), PLAIT_OK);
	IS_INT(plait_plan_find_parameter(plan, "v", &bindings[1].parameter,
					 &rig->error), PLAIT_OK);
	return plait_plan_call(plan, NULL, &desc, &rig->error);
}

static void check_runs(struct rig *rig, plait_plan *plan, plait_buffer *y,
		       plait_buffer *z)
{
	static const float fixed[4] = { 2, 0, 0, 5 };

	for (uint32_t i = 0; i < 12; i++) {
		/* Runs of equal and of other values. */
		const struct part part = part_of(i / 3);
		const float v[4] = { (float)(i / 2), 0, 0, 1 };

		OK_THAT(run(rig, plan, &part, sizeof(part), v) == PLAIT_OK,
			"%s", rig->error.text);
		same(read_number(rig, y), weigh(&part, v, 1));
		same(read_number(rig, z), weigh(&part, fixed, 1));
	}
}

static void check_parameters(struct rig *rig, plait_plan *plan)
{
	plait_parameter_info info = { .size = sizeof(info) };
	const struct part part = part_of(0);
	const float v[4] = { 0 };

	IS_INT(plait_plan_query_parameter(plan, 0, &info, &rig->error),
	       PLAIT_OK);
	IS_STR(info.type, "struct 24");
	IS_INT(info.bytes, 24);
	IS_INT(plait_plan_query_parameter(plan, 1, &info, &rig->error),
	       PLAIT_OK);
	IS_STR(info.type, "f32x4");
	IS_INT(info.bytes, 16);
	REFUSED(run(rig, plan, &part, 8, v), PLAIT_E_INVALID,
		"parameter \"p\": bytes is 8, not 24");
}

static void runs_of(struct rig *rig, const plait_kernel_desc *form)
{
	plait_buffer *y = make_buffer(rig, 8, "y"), *z = make_buffer(rig, 8,
								     "z");
	plait_kernel *kernel = make_kernel(rig, *form);
	plait_plan *plan;

	if (!OK_THAT(kernel != NULL, "%s", rig->error.text))
		return;
	plan = make_plan(rig, kernel, y, z);
	check_parameters(rig, plan);
	check_runs(rig, plan, y, z);
	plait_plan_release(plan);
	plait_kernel_release(kernel);
	plait_buffer_release(y);
	plait_buffer_release(z);
}

static void is_bound_by_runs(void)
{
	EACH(rig) {
		for (size_t i = 0; i < TAP_COUNT(forms); i++)
			runs_of(rig, &forms[i]);
		close_rig(rig);
	}
}

/* ---- files ---- */

static plait_plan *read_again(struct rig *rig, plait_plan *plan,
			      plait_kernel *kernel)
{
	uint64_t bytes = 0;
	plait_plan *again = NULL;
	void *file;

	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, NULL, 0, &bytes,
				&rig->error), PLAIT_OK);
	file = malloc(bytes);
	if (file == NULL)
		return NULL;
	IS_INT(plait_plan_write(plan, PLAIT_FORMAT_BINARY, file, bytes, NULL,
				&rig->error), PLAIT_OK);
	OK_THAT(plait_plan_read(rig->context, file, bytes, &again,
				&rig->error) == PLAIT_OK, "%s",
		rig->error.text);
	free(file);
	OK_THAT(plait_plan_bind_kernel(again, kernel, &rig->error) == PLAIT_OK,
		"%s", rig->error.text);
	return again;
}

static void survives_files(void)
{
	EACH(rig) {
		plait_buffer *y = make_buffer(rig, 8, "y");
		plait_buffer *z = make_buffer(rig, 8, "z");
		plait_kernel *kernel = make_kernel(rig, forms[1]);
		plait_plan *plan = make_plan(rig, kernel, y, z);
		plait_plan *again = read_again(rig, plan, kernel);
		char name[64];

		OK(plait_plan_bind_buffer(again, "y", y, &rig->error) ==
		   PLAIT_OK);
		OK(plait_plan_bind_buffer(again, "z", z, &rig->error) ==
		   PLAIT_OK);
		(void)snprintf(name, sizeof(name), "%s:0", rig->backend);
		OK_THAT(plait_plan_bind_device(again, name, rig->device,
					       &rig->error) == PLAIT_OK, "%s",
			rig->error.text);
		check_runs(rig, again, y, z);
		plait_plan_release(again);
		plait_plan_release(plan);
		plait_kernel_release(kernel);
		plait_buffer_release(y);
		plait_buffer_release(z);
		close_rig(rig);
	}
}

static const struct tap_scenario all[] = {
	{ "is passed", is_passed },
	{ "described functions", described_functions },
	{ "mistakes", mistakes },
	{ "is bound by runs", is_bound_by_runs },
	{ "survives files", survives_files },
};

TAP_MAIN(all)
