/* SPDX-License-Identifier: MIT */
/*
 * Images in queues, graphs, loops, bindings and saved plans: a convolution gives
 * what a plain loop gives.
 */
#include <math.h>
#include <unistd.h>

#include "lib/images.h"

enum { STEPS = 5 };

static void fill_numbers(float numbers[PIXELS])
{
	uint32_t random = 7;

	for (int i = 0; i < PIXELS; i++) {
		random = random * 1664525u + 1013904223u;
		numbers[i] = (float)(random >> 20) / 16;
	}
}

/* ---- a convolution, by integers ---- */

static const char blur_signature[] =
	"blur(from: in image, weight: f32, to: out image)";
static const char blur_text[] = "KERNEL(blur)\n{\n"
	"\tEACH2(x, IMAGE_WIDTH(to), y, IMAGE_HEIGHT(to)) {\n"
	"\t\tf32x4 sum = IMAGE_READ(from, x, y);\n"
	"\n"
	"\t\tsum.v[0] += IMAGE_READ(from, x - 1, y).v[0] * weight;\n"
	"\t\tsum.v[0] += IMAGE_READ(from, x + 1, y).v[0] * weight;\n"
	"\t\tsum.v[0] += IMAGE_READ(from, x, y - 1).v[0] * weight;\n"
	"\t\tsum.v[0] += IMAGE_READ(from, x, y + 1).v[0] * weight;\n"
	"\t\tIMAGE_WRITE(to, x, y, sum);\n"
	"\t}\n"
	"}\n";

static float pixel_at(const float *from, int x, int y)
{
	return x < 0 || y < 0 || x >= WIDTH || y >= HEIGHT ? 0 :
	       from[y * WIDTH + x];
}

static void blur(const float *from, float *to)
{
	const float weight = 0.25f;

	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++) {
			float sum = pixel_at(from, x, y);

			sum += pixel_at(from, x - 1, y) * weight;
			sum += pixel_at(from, x + 1, y) * weight;
			sum += pixel_at(from, x, y - 1) * weight;
			sum += pixel_at(from, x, y + 1) * weight;
			to[y * WIDTH + x] = sum;
		}
}

/* Contraction to a fused operation changes the last bits. */
static void are_close(const float *got, const float *want, const char *what)
{
	int at = 0;

	while (at < PIXELS && fabsf(got[at] - want[at]) <=
				      1e-5f * fabsf(want[at]))
		at++;
	OK_THAT(at == PIXELS, "%s: pixel %d of %d is %g, not %g", what, at,
		PIXELS, at < PIXELS ? got[at] : 0,
		at < PIXELS ? want[at] : 0);
}

struct world {
	plait_kernel *kernel;
	plait_buffer *source, *from, *to, *result;
	float numbers[PIXELS], want[PIXELS];
};

static bool open_world(struct rig *rig, struct world *world)
{
	world->kernel = kernel_of(rig, blur_signature, blur_text);
	if (!OK_THAT(world->kernel != NULL, "%s", rig->error.text))
		return false;
	world->source = buffer_of(rig, BYTES);
	world->result = buffer_of(rig, BYTES);
	world->from = plain_image(rig, "from");
	world->to = plain_image(rig, "to");
	fill_numbers(world->numbers);
	blur(world->numbers, world->want);
	IS_INT(plait_queue_write(rig->queue, world->source, 0, world->numbers,
				 BYTES, &rig->error), PLAIT_OK);
	return true;
}

static void close_world(struct world *world)
{
	plait_buffer_release(world->source);
	plait_buffer_release(world->result);
	plait_buffer_release(world->from);
	plait_buffer_release(world->to);
	plait_kernel_release(world->kernel);
}

static void result_is(struct rig *rig, plait_buffer *result, const float *want,
		      const char *what)
{
	float got[PIXELS] = { 0 };

	IS_INT(plait_queue_read(rig->queue, result, 0, got, BYTES,
				&rig->error), PLAIT_OK);
	are_close(got, want, what);
}

static void a_queue_convolves(void)
{
	const float weight = 0.25f;
	struct world world;

	EACH(rig) {
		if (!open_world(rig, &world))
			continue;
		IS_INT(plait_queue_copy(rig->queue, world.from, 0,
					world.source, 0, BYTES, &rig->error),
		       PLAIT_OK);
		OK_THAT(plait_queue_launch(
				rig->queue, world.kernel, &each_pixel,
				PLAIT_ARGUMENTS(PLAIT_BUFFER(world.from),
						PLAIT_VALUE(weight),
						PLAIT_BUFFER(world.to)),
				&rig->error) == PLAIT_OK, "%s",
			rig->error.text);
		result_is(rig, world.to, world.want, "queue");
		close_world(&world);
		close_rig(rig);
	}
}

/* Copy in, convolve, copy out; rows [4, 7) only are copied out. */
static plait_plan *convolution(struct rig *rig, const struct world *world)
{
	const float weight = 0.25f;
	const plait_freeze_desc freeze = { .size = sizeof(freeze),
					   .flags = PLAIT_FREEZE_CHECK };
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_node in, launch;

	OK_THAT(plait_graph_create(rig->context, &graph, &rig->error) ==
			PLAIT_OK &&
		plait_graph_copy(graph, world->from, 0, world->source, 0,
				 BYTES, 0, &in, &rig->error) == PLAIT_OK &&
		plait_graph_launch(graph, world->kernel, &each_pixel,
				   PLAIT_ARGUMENTS(PLAIT_BUFFER(world->from),
						   PLAIT_VALUE(weight),
						   PLAIT_BUFFER(world->to)),
				   in, &launch, &rig->error) == PLAIT_OK &&
		plait_graph_copy(graph, world->result, 0, world->to, 0,
				 BYTES, launch, NULL, &rig->error) ==
			PLAIT_OK &&
		plait_graph_freeze(graph, &freeze, &plan, &rig->error) ==
			PLAIT_OK, "%s", rig->error.text);
	plait_graph_release(graph);
	return plan;
}

static void a_graph_convolves(void)
{
	struct world world;

	EACH(rig) {
		plait_plan *plan;

		if (!open_world(rig, &world))
			continue;
		plan = convolution(rig, &world);
		for (int i = 0; i < 3; i++) {
			IS_INT(plait_queue_fill(rig->queue, world.result, 0,
						BYTES, 0, 4, &rig->error),
			       PLAIT_OK);
			OK_THAT(plait_plan_call(plan, rig->queue, NULL,
						&rig->error) == PLAIT_OK,
				"%s", rig->error.text);
			result_is(rig, world.result, world.want, "graph");
		}
		plait_plan_release(plan);
		close_world(&world);
		close_rig(rig);
	}
}

/* The check of freeze sees images as memory: a missing edge is a race. */
static void a_missing_edge_is_found(void)
{
	const float weight = 0.25f;
	const plait_freeze_desc freeze = { .size = sizeof(freeze),
					   .flags = PLAIT_FREEZE_CHECK };
	struct world world;

	EACH(rig) {
		plait_graph *graph = NULL;
		plait_plan *plan = NULL;

		if (!open_world(rig, &world))
			continue;
		IS_INT(plait_graph_create(rig->context, &graph, &rig->error),
		       PLAIT_OK);
		IS_INT(plait_graph_copy(graph, world.from, 0, world.source, 0,
					ROW, 0, NULL, &rig->error), PLAIT_OK);
		IS_INT(plait_graph_launch(
			       graph, world.kernel, &each_pixel,
			       PLAIT_ARGUMENTS(PLAIT_BUFFER(world.from),
					       PLAIT_VALUE(weight),
					       PLAIT_BUFFER(world.to)),
			       0, NULL, &rig->error), PLAIT_OK);
		REFUSED(plait_graph_freeze(graph, &freeze, &plan, &rig->error),
			PLAIT_E_INVALID, "orders");
		plait_graph_release(graph);
		close_world(&world);
		close_rig(rig);
	}
}

/* ---- loops ---- */

/* Two images take turns. */
static plait_plan *loop(struct rig *rig, const struct world *world)
{
	const float weight = 0.25f;
	plait_buffer *turns[2] = { world->from, world->to };
	plait_graph *graph = NULL, *body = NULL;
	plait_plan *plan = NULL;
	plait_node in, steps;
	uint64_t rotation = 0;

	OK_THAT(plait_graph_create(rig->context, &graph, &rig->error) ==
			PLAIT_OK &&
		plait_graph_copy(graph, world->from, 0, world->source, 0,
				 BYTES, 0, &in, &rig->error) == PLAIT_OK &&
		plait_graph_repeat(graph, STEPS, in, &body, &steps,
				   &rig->error) == PLAIT_OK &&
		plait_graph_add_rotation(body, turns, 2, 0, &rotation,
					 &rig->error) == PLAIT_OK &&
		plait_graph_launch(body, world->kernel, &each_pixel,
				   PLAIT_ARGUMENTS(PLAIT_ROTATION(rotation, 0),
						   PLAIT_VALUE(weight),
						   PLAIT_ROTATION(rotation, 1)),
				   0, NULL, &rig->error) == PLAIT_OK &&
		plait_graph_copy(graph, world->result, 0,
				 STEPS % 2 == 0 ? world->from : world->to, 0,
				 BYTES, steps, NULL, &rig->error) ==
			PLAIT_OK &&
		plait_graph_freeze(graph, NULL, &plan, &rig->error) ==
			PLAIT_OK, "%s", rig->error.text);
	plait_graph_release(body);
	plait_graph_release(graph);
	return plan;
}

static void images_take_turns(void)
{
	float want[2][PIXELS];
	struct world world;

	EACH(rig) {
		plait_plan *plan;

		if (!open_world(rig, &world))
			continue;
		memcpy(want[0], world.numbers, sizeof(want[0]));
		for (int i = 0; i < STEPS; i++)
			blur(want[i % 2], want[1 - i % 2]);
		plan = loop(rig, &world);
		for (int i = 0; i < 2; i++) {
			OK_THAT(plait_plan_call(plan, rig->queue, NULL,
						&rig->error) == PLAIT_OK,
				"%s", rig->error.text);
			result_is(rig, world.result, want[STEPS % 2], "loop");
		}
		plait_plan_release(plan);
		close_world(&world);
		close_rig(rig);
	}
}

/* ---- what runs and saved plans bind ---- */

static plait_plan *parametric(struct rig *rig, const struct world *world)
{
	const float weight = 0.25f;
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_node launch;

	OK_THAT(plait_graph_create(rig->context, &graph, &rig->error) ==
			PLAIT_OK &&
		plait_graph_launch(graph, world->kernel, &each_pixel,
				   PLAIT_ARGUMENTS(PLAIT_PARAMETER("in"),
						   PLAIT_VALUE(weight),
						   PLAIT_BUFFER(world->to)),
				   0, &launch, &rig->error) == PLAIT_OK &&
		plait_graph_copy(graph, world->result, 0, world->to, 0,
				 BYTES, launch, NULL, &rig->error) ==
			PLAIT_OK &&
		plait_graph_freeze(graph, NULL, &plan, &rig->error) ==
			PLAIT_OK, "%s", rig->error.text);
	plait_graph_release(graph);
	return plan;
}

static plait_status call_with(struct rig *rig, plait_plan *plan,
			      plait_buffer *image)
{
	const plait_binding binding = { .size = sizeof(binding),
					.buffer = image };
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = &binding,
				      .binding_count = 1 };

	return plait_plan_call(plan, rig->queue, &desc, &rig->error);
}

static void runs_bind_images(void)
{
	struct world world;

	EACH(rig) {
		plait_plan *plan;

		if (!open_world(rig, &world))
			continue;
		IS_INT(plait_queue_write(rig->queue, world.from, 0,
					 world.numbers, BYTES, &rig->error),
		       PLAIT_OK);
		plan = parametric(rig, &world);
		OK_THAT(call_with(rig, plan, world.from) == PLAIT_OK, "%s",
			rig->error.text);
		result_is(rig, world.result, world.want, "parameter");
		REFUSED(call_with(rig, plan, world.source), PLAIT_E_INVALID,
			"parameter \"in\": it takes an image");
		plait_plan_release(plan);
		close_world(&world);
		close_rig(rig);
	}
}

/* ---- what only a run can refuse ---- */

static const char pick_signature[] =
	"pick(from: in image, by: sampler, to: out image)";
static const char pick_text[] = "KERNEL(pick)\n{\n"
	"\tEACH2(x, IMAGE_WIDTH(to), y, IMAGE_HEIGHT(to))\n"
	"\t\tIMAGE_WRITE(to, x, y, IMAGE_SAMPLE(from, by, x + 0.5f, "
	"y + 0.5f));\n"
	"}\n";

/* The parameters in, by and out of the plan, in this order. */
static plait_status pick_with(struct rig *rig, plait_plan *plan,
			      plait_buffer *in, plait_sampler_flags by,
			      plait_buffer *out)
{
	static const char *const names[] = { "in", "by", "out" };
	plait_binding bindings[3] = {
		{ .buffer = in },
		{ .value = &by, .bytes = sizeof(by) },
		{ .buffer = out },
	};
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = bindings,
				      .binding_count = 3 };

	for (int i = 0; i < 3; i++) {
		bindings[i].size = sizeof(bindings[i]);
		IS_INT(plait_plan_find_parameter(plan, names[i],
						 &bindings[i].parameter,
						 &rig->error), PLAIT_OK);
	}
	return plait_plan_call(plan, rig->queue, &desc, &rig->error);
}

static plait_plan *picking(struct rig *rig, plait_kernel *kernel)
{
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;

	OK_THAT(plait_graph_create(rig->context, &graph, &rig->error) ==
			PLAIT_OK &&
		plait_graph_launch(graph, kernel, &each_pixel,
				   PLAIT_ARGUMENTS(PLAIT_PARAMETER("in"),
						   PLAIT_PARAMETER("by"),
						   PLAIT_PARAMETER("out")),
				   0, NULL, &rig->error) == PLAIT_OK &&
		plait_graph_freeze(graph, NULL, &plan, &rig->error) ==
			PLAIT_OK, "%s", rig->error.text);
	plait_graph_release(graph);
	return plan;
}

static void runs_refuse_unknown_samplers(void)
{
	struct world world;

	EACH(rig) {
		plait_kernel *kernel;
		plait_plan *plan;

		if (!open_world(rig, &world))
			continue;
		IS_INT(plait_queue_write(rig->queue, world.from, 0,
					 world.numbers, BYTES, &rig->error),
		       PLAIT_OK);
		kernel = kernel_of(rig, pick_signature, pick_text);
		plan = picking(rig, kernel);
		for (plait_sampler_flags by = 0; by < 4; by++) {
			OK_THAT(pick_with(rig, plan, world.from, by,
					  world.to) == PLAIT_OK, "%s",
				rig->error.text);
			result_is(rig, world.to, world.numbers, "sampler");
		}
		REFUSED(pick_with(rig, plan, world.from, 4, world.to),
			PLAIT_E_INVALID, "parameter \"by\": node");
		REFUSED(pick_with(rig, plan, world.from, 1u << 31, world.to),
			PLAIT_E_INVALID, "pick: a sampler is");
		plait_plan_release(plan);
		plait_kernel_release(kernel);
		close_world(&world);
		close_rig(rig);
	}
}

static void runs_refuse_one_image_twice(void)
{
	struct world world;

	EACH(rig) {
		plait_kernel *kernel;
		plait_plan *plan;

		if (!open_world(rig, &world))
			continue;
		kernel = kernel_of(rig, pick_signature, pick_text);
		plan = picking(rig, kernel);
		REFUSED(pick_with(rig, plan, world.from, 0, world.from),
			PLAIT_E_INVALID, "parameter \"out\": node");
		OK_THAT(pick_with(rig, plan, world.to, 0, world.from) ==
			PLAIT_OK, "%s", rig->error.text);
		plait_plan_release(plan);
		/* Its launch writes an image that the plan names. */
		plan = parametric(rig, &world);
		REFUSED(call_with(rig, plan, world.to), PLAIT_E_INVALID,
			"blur: an image that it writes is an argument twice");
		plait_plan_release(plan);
		plait_kernel_release(kernel);
		close_world(&world);
		close_rig(rig);
	}
}

/* A loop writes both of its images in turn, and reads a third. */
static void runs_refuse_an_image_of_a_rotation(void)
{
	const float weight = 0.25f;
	struct world world;

	EACH(rig) {
		plait_graph *graph = NULL, *body = NULL;
		plait_buffer *turns[2], *third;
		plait_plan *plan = NULL;
		uint64_t rotation = 0;

		if (!open_world(rig, &world))
			continue;
		turns[0] = world.from;
		turns[1] = world.to;
		third = plain_image(rig, "third");
		OK_THAT(plait_graph_create(rig->context, &graph,
					   &rig->error) == PLAIT_OK &&
			plait_graph_repeat(graph, STEPS, 0, &body, NULL,
					   &rig->error) == PLAIT_OK &&
			plait_graph_add_rotation(body, turns, 2, 0, &rotation,
						 &rig->error) == PLAIT_OK &&
			plait_graph_launch(
				body, world.kernel, &each_pixel,
				PLAIT_ARGUMENTS(PLAIT_PARAMETER("in"),
						PLAIT_VALUE(weight),
						PLAIT_ROTATION(rotation, 1)),
				0, NULL, &rig->error) == PLAIT_OK &&
			plait_graph_freeze(graph, NULL, &plan, &rig->error) ==
				PLAIT_OK, "%s", rig->error.text);
		REFUSED(call_with(rig, plan, world.from), PLAIT_E_INVALID,
			"parameter \"in\": node");
		OK_THAT(call_with(rig, plan, third) == PLAIT_OK, "%s",
			rig->error.text);
		plait_plan_release(plan);
		plait_graph_release(body);
		plait_graph_release(graph);
		plait_buffer_release(third);
		close_world(&world);
		close_rig(rig);
	}
}

/* Bind what the plan of save_plan names. */
static void bind_all(struct rig *rig, plait_plan *plan,
		     const struct world *world, plait_buffer *from)
{
	IS_INT(plait_plan_bind_kernel(plan, world->kernel, &rig->error), PLAIT_OK);
	IS_INT(plait_plan_bind_buffer(plan, "from", from, &rig->error),
	       PLAIT_OK);
	IS_INT(plait_plan_bind_buffer(plan, "to", world->to, &rig->error),
	       PLAIT_OK);
}

/* One launch between two images with labels. */
static void save_plan(struct rig *rig, const struct world *world,
		      const char *path)
{
	const float weight = 0.25f;
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;

	OK_THAT(plait_graph_create(rig->context, &graph, &rig->error) ==
			PLAIT_OK &&
		plait_graph_launch(graph, world->kernel, &each_pixel,
				   PLAIT_ARGUMENTS(PLAIT_BUFFER(world->from),
						   PLAIT_VALUE(weight),
						   PLAIT_BUFFER(world->to)),
				   0, NULL, &rig->error) == PLAIT_OK &&
		plait_graph_freeze(graph, NULL, &plan, &rig->error) ==
			PLAIT_OK &&
		plait_plan_save(plan, path, &rig->error) == PLAIT_OK, "%s",
		rig->error.text);
	plait_plan_release(plan);
	plait_graph_release(graph);
}

static void saved_plans_bind_images(void)
{
	struct world world;
	char path[] = "/tmp/plait-test-XXXXXX";

	close(mkstemp(path));
	EACH(rig) {
		plait_plan *plan = NULL;

		if (!open_world(rig, &world))
			continue;
		IS_INT(plait_queue_write(rig->queue, world.from, 0,
					 world.numbers, BYTES, &rig->error),
		       PLAIT_OK);
		save_plan(rig, &world, path);
		OK_THAT(plait_plan_load(rig->context, path, &plan,
					&rig->error) == PLAIT_OK, "%s",
			rig->error.text);
		bind_all(rig, plan, &world, world.from);
		OK_THAT(plait_plan_call(plan, rig->queue, NULL,
					&rig->error) == PLAIT_OK, "%s",
			rig->error.text);
		result_is(rig, world.to, world.want, "saved");
		plait_plan_release(plan);
		IS_INT(plait_plan_load(rig->context, path, &plan,
				       &rig->error), PLAIT_OK);
		bind_all(rig, plan, &world, world.source);
		REFUSED(plait_plan_call(plan, rig->queue, NULL, &rig->error),
			PLAIT_E_INVALID, "needs an image");
		plait_plan_release(plan);
		close_world(&world);
		close_rig(rig);
	}
	unlink(path);
}

static const struct tap_scenario all[] = {
	{ "a queue convolves", a_queue_convolves },
	{ "a graph convolves", a_graph_convolves },
	{ "a missing edge is found", a_missing_edge_is_found },
	{ "images take turns", images_take_turns },
	{ "runs bind images", runs_bind_images },
	{ "runs refuse unknown samplers", runs_refuse_unknown_samplers },
	{ "runs refuse one image twice", runs_refuse_one_image_twice },
	{ "runs refuse an image of a rotation",
	  runs_refuse_an_image_of_a_rotation },
	{ "saved plans bind images", saved_plans_bind_images },
};

TAP_MAIN(all)
