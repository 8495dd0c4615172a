/* SPDX-License-Identifier: MIT */
/* Invalid launches: each is rejected with the kernel's name, the argument's
 * number and name, and leaves no reference. */
#include "lib/kernels.h"

static int32_t do_nothing(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

/* Valid ones, to be spoilt one at a time. */
struct set {
	struct rig *rig;
	plait_kernel *kernel;
	plait_buffer *buffer;
	plait_argument arguments[4];
	plait_launch launch;
};

static float scalar = 1;
static bool truth = true;
static uint64_t word = 3;

static void reset(struct set *set)
{
	const plait_argument arguments[] = { VALUE(scalar),
					     memory_of(set->buffer, 0),
					     VALUE(truth), VALUE(word) };

	memcpy(set->arguments, arguments, sizeof(arguments));
	set->launch = (plait_launch){ .size = sizeof(plait_launch) };
}

static bool open_set(struct set *set, struct rig *rig)
{
	set->rig = rig;
	if (!open_rig(rig))
		return false;
	set->buffer = make_buffer(rig, 64, "x");
	set->kernel = make_kernel(rig, (plait_kernel_desc){
		.signature = "work(a: f32, x: pointer f32, b: bool, n: u64)",
		.function = do_nothing });
	reset(set);
	return true;
}

static void close_set(struct set *set)
{
	plait_kernel_release(set->kernel);
	plait_buffer_release(set->buffer);
	close_rig(set->rig);
}

static void refuse_as(struct set *set, plait_status want, const char *part)
{
	struct rig *rig = set->rig;

	memset(&rig->error, 0, sizeof(rig->error));
	rig->error.size = sizeof(rig->error);
	IS_INT(plait_queue_launch(rig->queue, set->kernel, &set->launch,
				  set->arguments, 4, &rig->error), want);
	IS_INT(rig->error.status, want);
	HAS_STR(rig->error.text, part);
	HAS_STR(rig->error.text, "work");
	reset(set);
	IS_INT(launch_it(rig, set->kernel, &set->launch, set->arguments, 4),
	       PLAIT_OK);
}

static void refuse(struct set *set, const char *part)
{
	refuse_as(set, PLAIT_E_INVALID, part);
}

static void values(struct set *set)
{
	plait_argument *arguments = set->arguments;
	uint8_t three = 3;

	arguments[0].value = NULL;
	refuse(set, "work: argument 0 \"a\" (f32): value is null");
	arguments[0].bytes = 8;
	refuse(set, "work: argument 0 \"a\" (f32): bytes is 8, not 4, the "
	       "size of its type f32");
	arguments[3].bytes = 4;
	refuse(set, "work: argument 3 \"n\" (u64): bytes is 4, not 8, the "
	       "size of its type u64");
	arguments[2].value = &three;
	refuse(set, "work: argument 2 \"b\" (bool): a bool is a byte of 0");
	arguments[2].kind = 99;
	refuse(set, "argument 2 \"b\" (bool): kind is not one of");
	arguments[2].kind = PLAIT_ARGUMENT_PARAMETER;
	refuse(set, "argument 2 \"b\" (bool): only values, buffers and "
	       "local memory");
	arguments[0].size = 8;
	refuse(set, "argument 0 \"a\" (f32): plait_argument: size 8 is below");
}

static void memory(struct set *set)
{
	plait_argument *arguments = set->arguments;
	plait_buffer *stale = make_buffer(set->rig, 8, "stale");

	plait_buffer_release(stale);
	arguments[1].buffer = NULL;
	refuse_as(set, PLAIT_E_HANDLE, "argument 1 \"x\" (pointer f32): "
		  "buffer handle is null");
	arguments[1].buffer = stale;
	refuse_as(set, PLAIT_E_HANDLE, "argument 1 \"x\" (pointer f32): ");
	arguments[1].offset_bytes = 68;
	refuse(set, "argument 1 \"x\" (pointer f32): offset_bytes 68+0 is "
	       "outside the buffer \"x\" of 64 bytes");
	arguments[1].offset_bytes = UINT64_MAX;
	refuse(set, "argument 1 \"x\" (pointer f32): offset_bytes");
	arguments[1].offset_bytes = 2;
	refuse(set, "argument 1 \"x\" (pointer f32): the memory is not "
	       "aligned for its elements");
	arguments[0] = memory_of(set->buffer, 0);
	refuse(set, "argument 0 \"a\" (f32): a buffer needs a pointer");
}

/* The argument of a kernel in another library's way: the handle by value.  Live
 * or not, it is no address. */
static void handles(struct set *set)
{
	static const char part[] = "argument 1 \"x\" (pointer f32): value is a "
				   "handle, not an address";
	plait_buffer *stale = make_buffer(set->rig, 8, "stale");
	void *null = NULL;

	plait_buffer_release(stale);
	set->arguments[1] = value_of(&set->buffer, sizeof(set->buffer));
	refuse(set, part);
	set->arguments[1] = value_of(&stale, sizeof(stale));
	refuse(set, part);
	set->arguments[1] = value_of(&set->kernel, sizeof(set->kernel));
	refuse(set, part);
	set->arguments[1] = value_of(&null, sizeof(null));
	IS_INT(launch_it(set->rig, set->kernel, &set->launch, set->arguments,
			 4), PLAIT_OK);
	set->arguments[1] = value_of(&scalar, sizeof(scalar));
	refuse(set, "bytes is 4, not 8, the size of its type pointer");
}

static void launches(struct set *set)
{
	plait_launch *launch = &set->launch;

	launch->dimensions = 4;
	refuse(set, "work: plait_launch: 4 dimensions; 1 to 3");
	launch->items[1] = 5;
	refuse(set, "work: plait_launch: items[1] is 5, but there is 1 dim");
	launch->dimensions = 2;
	launch->group[2] = 2;
	refuse(set, "group[2] is 2, but there are 2 dimensions");
	*launch = (plait_launch){ sizeof(*launch), 2,
				  { (uint64_t)1 << 33, (uint64_t)1 << 33, 0 },
				  { 0, 0, 0 } };
	refuse(set, "more than 64 bits can count");
	*launch = (plait_launch){ sizeof(*launch), 1, { UINT64_MAX, 0, 0 },
				  { 2, 0, 0 } };
	refuse(set, "more than 64 bits can count");
	*launch = (plait_launch){ sizeof(*launch), 3, { 1, 1, 1 },
				  { (uint64_t)1 << 22, (uint64_t)1 << 22,
				    (uint64_t)1 << 22 } };
	refuse(set, "more than 64 bits can count");
	*launch = (plait_launch){ sizeof(*launch), 1, { UINT64_MAX, 0, 0 },
				  { 5, 0, 0 } };
	IS_INT(launch_it(set->rig, set->kernel, launch, set->arguments, 4),
	       PLAIT_OK);
	launch->size = 8;
	refuse(set, "work: plait_launch: size 8 is below");
}

static void counts(struct set *set)
{
	struct rig *rig = set->rig;

	IS_INT(plait_queue_launch(rig->queue, set->kernel, NULL,
				  set->arguments, 3, &rig->error),
	       PLAIT_E_INVALID);
	HAS_STR(rig->error.text, "3 arguments for 4 parameters of work");
	IS_INT(plait_queue_launch(rig->queue, set->kernel, NULL, NULL, 4,
				  &rig->error), PLAIT_E_INVALID);
	HAS_STR(rig->error.text, "arguments of work is null");
	IS_INT(plait_queue_launch(rig->queue, NULL, NULL, set->arguments, 4,
				  &rig->error), PLAIT_E_HANDLE);
}

static void all_of_them(void)
{
	static void (*const parts[])(struct set *set) = {
		values, memory, handles, launches, counts
	};
	struct set set;

	for (size_t i = 0; i < SETTINGS; i++) {
		if (!open_set(&set, &settings[i]))
			continue;
		for (size_t k = 0; k < TAP_COUNT(parts); k++)
			parts[k](&set);
		close_set(&set);
	}
}

/* ---- every form of code ---- */

static int32_t do_range(const plait_range *range, void *const *arguments,
			const plait_launch *launch, void *user_data)
{
	(void)range;
	return do_nothing(arguments, launch, user_data);
}

static void take_one(float *x)
{
	(void)x;
}

static const plait_source portable = {
	.size = sizeof(portable), .code = "KERNEL(one)\n{\n\tx[0] = 1;\n}\n",
	.file = "one.plk"
};

static const plait_kernel_desc forms[] = {
	{ .signature = "one(x: pointer f32)", .function = do_nothing },
	{ .signature = "one(x: pointer f32)", .range = do_range },
	{ .signature = "one(x: pointer f32)",
	  .described = (plait_any_function)take_one },
	{ .signature = "one(x: pointer f32)", .sources = &portable,
	  .source_count = 1 },
};

/* A graph refuses it in the node, also where the same kernel was added
 * before. */
static void add_handle(struct rig *rig, plait_kernel *kernel,
		       plait_buffer *buffer)
{
	const plait_argument good = memory_of(buffer, 0);
	const plait_argument bad = value_of(&buffer, sizeof(buffer));
	plait_node_desc node = { .size = sizeof(node), .label = "n",
				 .kind = PLAIT_NODE_LAUNCH, .kernel = kernel,
				 .argument_count = 1 };
	plait_graph *graph = NULL;

	IS_INT(plait_graph_create(rig->context, &graph, &rig->error),
	       PLAIT_OK);
	for (int i = 0; i < 3; i++) {
		node.arguments = &bad;
		IS_INT(plait_graph_add(graph, &node, NULL, 0, NULL,
				       &rig->error), PLAIT_E_INVALID);
		HAS_STR(rig->error.text, "node \"n\": one: argument 0 \"x\"");
		HAS_STR(rig->error.text, "value is a handle");
		node.arguments = &good;
		IS_INT(plait_graph_add(graph, &node, NULL, 0, NULL,
				       &rig->error), PLAIT_OK);
	}
	plait_graph_release(graph);
}

static void handles_in_every_form(void)
{
	EACH(rig) {
		plait_buffer *buffer = make_buffer(rig, 64, "x");
		const plait_argument bad = value_of(&buffer, sizeof(buffer));

		for (size_t i = 0; i < TAP_COUNT(forms); i++) {
			plait_kernel *kernel = make_kernel(rig, forms[i]);

			/* Built without libffi, or no compiler. */
			if (kernel == NULL && rig->error.status ==
			    PLAIT_E_UNSUPPORTED)
				continue;
			IS_INT(launch_it(rig, kernel, NULL, &bad, 1),
			       PLAIT_E_INVALID);
			HAS_STR(rig->error.text, "one: argument 0 \"x\" "
				"(pointer f32): value is a handle");
			add_handle(rig, kernel, buffer);
			plait_kernel_release(kernel);
		}
		plait_buffer_release(buffer);
		close_rig(rig);
	}
}

/* Memory of another context, and of another backend of the same one. */
static void foreign_memory(void)
{
	plait_context_desc desc = { .size = sizeof(desc),
				    .flags = PLAIT_CONTEXT_NO_WORKERS,
				    .backends = "host,chaos" };
	struct rig both = { .backend = "host,chaos" };
	plait_buffer *far = NULL;
	struct set set;

	if (!open_set(&set, &settings[1]))
		return;
	OK(plait_context_open(&desc, &both.context, NULL) == PLAIT_OK);
	OK(plait_context_find_device(both.context, "chaos", &both.device,
				     NULL) == PLAIT_OK);
	far = make_buffer(&both, 64, "far");
	set.arguments[1].buffer = far;
	refuse_as(&set, PLAIT_E_HANDLE, "argument 1 \"x\" (pointer f32): ");
	plait_kernel_release(set.kernel);
	plait_buffer_release(set.buffer);
	plait_signal_release(set.rig->signal);
	plait_signal_release(set.rig->gate);
	plait_queue_release(set.rig->queue);
	plait_context_release(set.rig->context);

	OK(plait_context_find_device(both.context, "host", &both.device,
				     NULL) == PLAIT_OK);
	OK(plait_queue_create(both.device, NULL, &both.queue, NULL) ==
	   PLAIT_OK);
	set.rig = &both;
	set.buffer = make_buffer(&both, 64, "near");
	set.kernel = make_kernel(&both, (plait_kernel_desc){
		.signature = "work(a: f32, x: pointer f32, b: bool, n: u64)",
		.function = do_nothing });
	reset(&set);
	set.arguments[1].buffer = far;
	refuse(&set, "the buffer is on device chaos:0, which is of another "
	       "backend than the queue's, host:0");
	plait_buffer_release(far);
	close_set(&set);
}

static const struct tap_scenario all[] = {
	{ "each mistake is named", all_of_them },
	{ "handles by value", handles_in_every_form },
	{ "foreign memory", foreign_memory },
};
TAP_MAIN(all)
