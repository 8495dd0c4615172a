/* SPDX-License-Identifier: MIT */
/*
 * Arguments of kernels that devices run themselves, in a loop that has
 * everything: rotations, parameters, the number of the iteration, scratch,
 * sizes that runs bind, decided by a word that they write.  The same with
 * functions of the host.
 */
#include "lib/queued.h"

enum { SEEDS = 40, TIMES = 5 };

/* ---- a loop that has everything ---- */

/*
 * s[k] = from[k] * a; to[k] = s[k] + i; left[0] -= 1.  Of all of them the
 * launch has `items`, but the element loop is over 16.
 */
static int32_t step_words(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	const uint32_t *from = *(uint32_t **)arguments[0];
	uint32_t *to = *(uint32_t **)arguments[1];
	uint32_t *s = *(uint32_t **)arguments[2];
	uint32_t *left = *(uint32_t **)arguments[3];

	(void)launch;
	(void)user_data;
	for (uint32_t k = 0; k < WORDS; k++) {
		s[k] = from[k] * *(uint32_t *)arguments[4];
		to[k] = s[k] + (uint32_t)*(uint64_t *)arguments[5];
	}
	left[0]--;
	return 0;
}

static plait_kernel *step_kernel(void)
{
	return new_kernel("step(from: in pointer u32, to: out pointer u32, "
			  "s: inout pointer u32, left: inout pointer u32, "
			  "a: u32, i: u64)",
			  "KERNEL(step) { EACH(k, 16) { s[k] = from[k] * a; "
			  "to[k] = s[k] + (u32)i; if (k == 0) left[0] -= 1; } "
			  "}", step_words);
}

struct heat {
	plait_kernel *step, *put;
	plait_buffer *turns[3], *left;
	plait_plan *plan;
	uint32_t a, y, size;
};

static void add_step(struct heat *heat, plait_graph *body, uint64_t turn)
{
	plait_argument arguments[6] = {
		of_kind(PLAIT_ARGUMENT_ROTATION, NULL),
		of_kind(PLAIT_ARGUMENT_ROTATION, NULL),
		of_kind(PLAIT_ARGUMENT_SCRATCH, NULL),
		buffer_argument(heat->left),
		of_kind(PLAIT_ARGUMENT_PARAMETER, "a"),
		of_kind(PLAIT_ARGUMENT_ITERATION, NULL),
	};
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = heat->step,
		.launch_parameter = "size", .arguments = arguments,
		.argument_count = 6, .scratch_bytes = WORDS * 4,
		.label = "step",
	};

	arguments[0].rotation = arguments[1].rotation = turn;
	arguments[1].ahead = 1;
	(void)add_node(body, desc, NULL, 0);
}

static void add_put(struct heat *heat, plait_graph *graph, uint64_t turn,
		    plait_node loop)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	plait_argument arguments[2] = {
		of_kind(PLAIT_ARGUMENT_ROTATION, NULL),
		of_kind(PLAIT_ARGUMENT_PARAMETER, "y"),
	};
	const plait_node_desc desc = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = heat->put,
		.launch = &launch, .arguments = arguments,
		.argument_count = 2, .label = "put",
	};

	arguments[0].rotation = turn;
	(void)add_node(graph, desc, &loop, 1);
}

/* fill left; rotation[0] = 3; while left { step }; put into a parameter */
static void make_heat(struct heat *heat, const struct place *place,
		      uint32_t count, bool prologue)
{
	const plait_node_desc loop = {
		.kind = PLAIT_NODE_WHILE, .label = "loop",
	};
	plait_node_desc desc = loop;
	plait_graph *graph = new_graph(), *body;
	plait_node nodes[2];
	uint64_t turn = 0;

	heat->step = step_kernel();
	heat->put = put_kernel();
	heat->left = words_on(rig.device);
	for (uint32_t i = 0; i < count; i++)
		heat->turns[i] = words_on(rig.device);
	nodes[0] = add_fill(graph, heat->left, TIMES, NULL, 0);
	nodes[1] = add_fill(graph, heat->turns[0], 3, NULL, 0);
	desc.predicate = heat->left;
	nodes[0] = add_node(graph, desc, nodes, 2);
	body = body_of(graph, nodes[0], 0);
	OK_THAT(plait_graph_add_rotation(body, heat->turns, count,
				   prologue ? PLAIT_ROTATION_PROLOGUE : 0,
				   &turn, &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	add_step(heat, body, turn);
	add_put(heat, graph, turn, nodes[0]);
	plait_graph_release(body);
	heat->plan = freeze_on(graph, place->lanes);
	OK(plait_plan_find_parameter(heat->plan, "a", &heat->a, &rig.error) ==
		   PLAIT_OK &&
	   plait_plan_find_parameter(heat->plan, "y", &heat->y, &rig.error) ==
		   PLAIT_OK &&
	   plait_plan_find_parameter(heat->plan, "size", &heat->size,
				&rig.error) == PLAIT_OK);
}

static void free_heat(struct heat *heat, uint32_t count)
{
	plait_plan_release(heat->plan);
	plait_kernel_release(heat->step);
	plait_kernel_release(heat->put);
	plait_buffer_release(heat->left);
	for (uint32_t i = 0; i < count; i++)
		plait_buffer_release(heat->turns[i]);
}

static uint32_t heat_expected(uint32_t a)
{
	uint32_t x = 3;

	for (uint32_t i = 0; i < TIMES; i++)
		x = x * a + i;
	return x + 1;
}

static plait_status run_heat(const struct heat *heat, plait_buffer *y,
			     uint64_t offset, const uint32_t *a,
			     uint64_t items)
{
	const plait_launch size = { .size = sizeof(size),
				    .items = { items, 0, 0 } };
	const plait_binding bindings[3] = {
		{ .size = sizeof(plait_binding), .parameter = heat->a,
		  .value = a, .bytes = 4 },
		{ .size = sizeof(plait_binding), .parameter = heat->y,
		  .buffer = y, .offset_bytes = offset },
		{ .size = sizeof(plait_binding), .parameter = heat->size,
		  .value = &size },
	};
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = bindings,
				      .binding_count = 3 };

	return plait_plan_run(heat->plan, rig.queue, &desc, NULL, &rig.error);
}

static plait_buffer *bytes_on(plait_device *device, uint64_t bytes)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = bytes, .label = "y" };
	plait_buffer *buffer = NULL;

	OK(plait_buffer_create(device, &desc, &buffer, &rig.error) ==
	   PLAIT_OK);
	return buffer;
}

/* Two runs in flight on two instances, each with its own buffer; then the user
 * may release it. */
static void check_rounds(const struct heat *heat)
{
	static const uint64_t offsets[2] = { 0, 256 };

	for (uint32_t round = 0; round < 3; round++) {
		plait_buffer *y = bytes_on(rig.device, 512);
		const uint32_t a[2] = { 2 + round / 2, 7 + round };
		bool good = true;

		for (uint32_t i = 0; i < 2; i++)
			OK_THAT(run_heat(heat, y, offsets[i], &a[i],
					 1 + (round + i) % 3 * 8) == PLAIT_OK,
				"run: %s", rig.error.text);
		for (uint32_t i = 0; i < 2; i++) {
			uint32_t got[WORDS] = { 0 };

			good = good && plait_queue_read(
				rig.queue, y, offsets[i], got, sizeof(got),
				&rig.error) == PLAIT_OK &&
				plait_queue_finish(rig.queue, PLAIT_FOREVER,
						   &rig.error) == PLAIT_OK;
			for (uint32_t k = 0; k < WORDS; k++)
				good = good && got[k] == heat_expected(a[i]);
		}
		OK_THAT(good, "round %u: %s", round, rig.error.text);
		plait_buffer_release(y);
	}
}

static void check_heat(const struct place *place)
{
	struct heat heat;

	/* With a prologue two buffers rotate behind the first. */
	for (uint32_t count = 2; count <= 3; count++) {
		make_heat(&heat, place, count, count == 3 && place->lanes > 1);
		check_rounds(&heat);
		free_heat(&heat, count);
	}
}

static void heat(void)
{
	each_place(SEEDS, check_heat);
}

/* ---- errors ---- */

/* A parameter of another backend's memory is found when it is bound; the next
 * run has its own. */
static void refused(void)
{
	const uint32_t a = 2;
	plait_buffer *wrong, *right;
	struct place place;
	struct heat heat;

	set_seed(&place, 3);
	place.backends = SIMULATED ",host";
	place.builds = true;
	if (!open_place(&place))
		return;
	make_heat(&heat, &place, 2, false);
	wrong = words_on(host_of_three());
	right = words_on(rig.device);
	for (uint32_t i = 0; i < 4; i++) {
		IS_INT(run_heat(&heat, i % 2 ? right : wrong, 0, &a, WORDS),
		       i % 2 ? PLAIT_OK : PLAIT_E_UNSUPPORTED);
		if (i % 2 == 0)
			HAS_STR(rig.error.text, "parameter \"y\": it is memory "
				"of device \"host:0\"");
		IS_INT(plait_queue_finish(rig.queue, PLAIT_FOREVER,
					  &rig.error), PLAIT_OK);
	}
	IS_UINT(read_words(right), heat_expected(a));
	free_heat(&heat, 2);
	plait_buffer_release(wrong);
	plait_buffer_release(right);
	close_place();
}

static const struct tap_scenario all[] = {
	{ "heat", heat },
	{ "refused", refused },
};
TAP_MAIN(all)
