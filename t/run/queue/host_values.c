/* SPDX-License-Identifier: MIT */
/*
 * Values that launches take from memory of the program: computed by a function
 * or a READ before the launch, in each iteration; with other memory in each run;
 * as another process loads the plan; proofs, and rejections.
 */
#include "lib/queued.h"

#ifndef SEEDS
#define SEEDS 30
#endif

enum { ITERATIONS = 6 };

/* The memory of one run. */
struct state {
	uint32_t counter;
	uint32_t last;		/* a READ writes it */
	uint32_t a, b;		/* the values */
};

/* Functions have no parameters: the test sets the state of the next run. */
static struct state *current;

/* Compute the values from what the device has computed. */
static int32_t compute(void *user_data)
{
	struct state *state = *(struct state **)user_data;

	state->a = state->last % 7 + 1;
	state->b = ++state->counter;
	return 0;
}

static plait_argument host_value(const char *name, uint64_t offset)
{
	return (plait_argument)PLAIT_HOST_VALUE(name, offset);
}

/* x = a x + b, with the values of the state */
static plait_node add_computed(plait_graph *graph, plait_kernel *map,
			       plait_buffer *x, const plait_node *after,
			       uint64_t count)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS } };
	const plait_argument arguments[4] = {
		buffer_argument(x), buffer_argument(x),
		host_value("state", offsetof(struct state, a)),
		host_value("state", offsetof(struct state, b)),
	};

	return add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_LAUNCH, .kernel = map, .launch = &launch,
		.arguments = arguments, .argument_count = 4,
		.label = "computed" }, after, count);
}

/* last = x[0] ; compute */
static plait_node add_compute(plait_graph *graph, plait_buffer *x,
			      const plait_node *after, uint64_t count)
{
	plait_node node = add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_READ, .source = x, .bytes = 4,
		.host_parameter = "state", .label = "read",
		.host_offset = offsetof(struct state, last) }, after, count);

	return add_call(graph, "compute", compute, &current, &node, 1);
}

/* ---- what the graphs say ---- */

static const plait_node_kind loops[] = {
	PLAIT_NODE_REPEAT, PLAIT_NODE_DO, PLAIT_NODE_WHILE,
};

struct scene {
	plait_kernel *map;
	plait_buffer *x, *other, *word;
};

/* Loop k, of ITERATIONS iterations, with an empty body. */
static plait_node add_loop(const struct scene *scene, plait_graph *graph,
			   uint32_t k, const plait_node *after, uint64_t count,
			   plait_graph **out_body)
{
	const bool counts = loops[k] == PLAIT_NODE_REPEAT;
	plait_node node = add_node(graph, (plait_node_desc){
		.kind = loops[k], .label = "loop",
		.times = counts ? ITERATIONS : 3,
		.predicate = counts ? NULL : scene->word }, after, count);

	*out_body = body_of(graph, node, 0);
	if (!counts)
		(void)add_map(*out_body, scene->map, scene->word, scene->word,
			      1, UINT32_MAX, NULL, 0);
	return node;
}

/*
 *	word = 6 ; other = other + 1
 *	loop { read ; compute ; x = a x + b }		values of the iteration
 *	read ; compute
 *	loop { x = a x + b ; read ; compute }		values of the one before
 *	read ; compute
 *	loop { x = a x + b }				always the same values
 */
static plait_plan *freeze_scene(const struct scene *scene, uint32_t k,
				uint32_t lanes)
{
	plait_graph *graph = new_graph(), *body;
	plait_node first = add_fill(graph, scene->word, ITERATIONS, NULL, 0);
	plait_node ends[2], node;

	ends[0] = add_loop(scene, graph, k, &first, 1, &body);
	node = add_compute(body, scene->x, NULL, 0);
	(void)add_computed(body, scene->map, scene->x, &node, 1);
	plait_graph_release(body);
	ends[1] = add_compute(graph, scene->x, ends, 1);
	ends[0] = add_fill(graph, scene->word, ITERATIONS, ends, 1);
	(void)add_map(graph, scene->map, scene->other, scene->other, 1, 1,
		      NULL, 0);
	first = add_loop(scene, graph, k, ends, 2, &body);
	node = add_computed(body, scene->map, scene->x, NULL, 0);
	(void)add_compute(body, scene->x, &node, 1);
	plait_graph_release(body);
	first = add_fill(graph, scene->word, ITERATIONS, &first, 1);
	first = add_compute(graph, scene->x, &first, 1);
	(void)add_loop(scene, graph, k, &first, 1, &body);
	(void)add_computed(body, scene->map, scene->x, NULL, 0);
	plait_graph_release(body);
	return freeze_on(graph, lanes);
}

/* The oracle, step by step. */
static uint32_t simulate(uint32_t x)
{
	struct state state = { .counter = 0 }, *at = &state;

	for (uint32_t i = 0; i < ITERATIONS; i++) {
		state.last = x;
		(void)compute(&at);
		x = state.a * x + state.b;
	}
	state.last = x;
	(void)compute(&at);
	for (uint32_t i = 0; i < ITERATIONS; i++) {
		x = state.a * x + state.b;
		state.last = x;
		(void)compute(&at);
	}
	state.last = x;
	(void)compute(&at);
	for (uint32_t i = 0; i < ITERATIONS; i++)
		x = state.a * x + state.b;
	return x;
}

/* ---- runs ---- */

static plait_status run_once(plait_plan *plan, struct state *state,
			     uint64_t bytes, bool called)
{
	plait_binding binding = PLAIT_BIND_HOST(0, state, bytes);
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = &binding,
				      .binding_count = 1 };

	current = state;
	return called ? plait_plan_call(plan, NULL, &desc, &rig.error) :
			run_desc(plan, &desc);
}

static void check_runs(plait_plan *plan, const struct scene *scene)
{
	for (uint32_t round = 0; round < 4; round++) {
		struct state *state = calloc(1, sizeof(*state));

		write_words(scene->x, 3 * round + 1);
		OK_THAT(run_once(plan, state, sizeof(*state), round % 2) ==
			PLAIT_OK, "run: %s", rig.error.text);
		IS_UINT(read_words(scene->x), simulate(3 * round + 1));
		IS_UINT(state->counter, 2 * ITERATIONS + 2);
		free(state);
	}
	plait_plan_release(plan);
}

static void open_scene(struct scene *scene)
{
	*scene = (struct scene){ map_kernel(), words_on(rig.device),
				 words_on(rig.device), words_on(rig.device) };
	write_words(scene->other, 0);
}

static void close_scene(struct scene *scene)
{
	plait_buffer_release(scene->x);
	plait_buffer_release(scene->other);
	plait_buffer_release(scene->word);
	plait_kernel_release(scene->map);
}

static void check_computed(const struct place *place)
{
	struct scene scene;

	open_scene(&scene);
	for (uint32_t k = 0; k < TAP_COUNT(loops); k++)
		check_runs(freeze_scene(&scene, k, place->lanes), &scene);
	close_scene(&scene);
}

static void computed(void)
{
	each_place(SEEDS, check_computed);
}

/* ---- by themselves ---- */

static bool open_one(void)
{
	static const struct place place = { .backends = "host",
					    .options = "" };

	return open_place(&place);
}

/* A value above a word, at an offset that suits it. */
struct pair { double sum, scale; };

static int32_t apply_pair(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	const struct pair *pair = arguments[0];

	(void)launch;
	(void)user_data;
	**(double **)arguments[1] = pair->sum * pair->scale;
	return 0;
}

static int32_t set_pair(void *user_data)
{
	struct pair *pair = user_data;

	pair->scale = pair->sum + 1;
	return 0;
}

static void structs(void)
{
	struct pair pairs[2] = { { 0, 0 }, { 6, 0 } };
	const plait_binding binding =
		PLAIT_BIND_HOST(0, pairs, sizeof(pairs));
	const plait_run_desc desc = { .size = sizeof(desc),
				      .bindings = &binding,
				      .binding_count = 1 };
	double got = 0;
	plait_argument arguments[2] = {
		host_value("pairs", sizeof(pairs[0])),
	};
	plait_kernel *kernel;
	plait_buffer *out;
	plait_graph *graph;
	plait_plan *plan;
	plait_node node;

	if (!open_one())
		return;
	kernel = new_kernel("apply(pair: struct 16, out: out pointer f64)", "",
			    apply_pair);
	out = words_on(rig.device);
	graph = new_graph();
	arguments[1] = buffer_argument(out);
	node = add_call(graph, "set", set_pair, &pairs[1], NULL, 0);
	(void)add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_LAUNCH, .kernel = kernel,
		.arguments = arguments, .argument_count = 2 }, &node, 1);
	plan = freeze_on(graph, 1);
	OK_THAT(plait_plan_call(plan, NULL, &desc, &rig.error) == PLAIT_OK,
		"%s", rig.error.text);
	OK(plait_queue_read(rig.queue, out, 0, &got, sizeof(got),
			    &rig.error) == PLAIT_OK &&
	   plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL) == PLAIT_OK);
	OK(got == 42);
	plait_plan_release(plan);
	plait_buffer_release(out);
	plait_kernel_release(kernel);
	close_place();
}

/* Part of another graph, and as another process loads it. */
static void saved(void)
{
	static char bytes[1 << 16];
	plait_plan *plan, *again = NULL;
	uint64_t count = 0;
	struct state state = { .last = 2, .a = 5, .b = 6 };
	struct scene scene;
	plait_graph *part, *graph;

	if (!open_one())
		return;
	open_scene(&scene);
	part = new_graph();
	(void)add_computed(part, scene.map, scene.x, NULL, 0);
	graph = new_graph();
	(void)add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_SUBGRAPH, .subgraph = part }, NULL, 0);
	plait_graph_release(part);
	plan = freeze_on(graph, 1);
	OK(plait_plan_write(plan, PLAIT_FORMAT_BINARY, bytes, sizeof(bytes),
			    &count, &rig.error) == PLAIT_OK);
	plait_plan_release(plan);
	OK_THAT(plait_plan_read(rig.context, bytes, count, &again,
				&rig.error) == PLAIT_OK &&
		plait_plan_bind_buffer(again, "words", scene.x, &rig.error) ==
			PLAIT_OK &&
		plait_plan_bind_kernel(again, scene.map, &rig.error) ==
			PLAIT_OK, "%s", rig.error.text);
	write_words(scene.x, 10);
	OK_THAT(run_once(again, &state, sizeof(state), true) == PLAIT_OK,
		"%s", rig.error.text);
	IS_UINT(read_words(scene.x), 56);
	plait_plan_release(again);
	close_scene(&scene);
	close_place();
}

/* ---- descriptions and proofs ---- */

static void described(void)
{
	plait_parameter_info info = { .size = sizeof(info) };
	struct scene scene;
	plait_graph *graph;
	plait_plan *plan;
	plait_node node;

	if (!open_one())
		return;
	open_scene(&scene);
	graph = new_graph();
	node = add_computed(graph, scene.map, scene.x, NULL, 0);
	plan = freeze_on(graph, 1);
	OK(plait_plan_query_parameter(plan, 0, &info, &rig.error) == PLAIT_OK);
	IS_UINT(info.kind, PLAIT_PARAMETER_HOST);
	IS_STR(info.type, "in");
	plait_plan_release(plan);
	graph = new_graph();
	node = add_computed(graph, scene.map, scene.x, NULL, 0);
	(void)add_compute(graph, scene.x, &node, 1);
	plan = freeze_on(graph, 1);
	OK(plait_plan_query_parameter(plan, 0, &info, &rig.error) == PLAIT_OK);
	IS_STR(info.type, "inout");
	plait_plan_release(plan);
	close_scene(&scene);
	close_place();
}

/* A READ of these bytes needs an edge to the launch; one of others, none. */
static void proved_at(const struct scene *scene, uint64_t offset,
		      plait_status want)
{
	const plait_freeze_desc desc = { .size = sizeof(desc),
					 .flags = PLAIT_FREEZE_CHECK };
	plait_graph *graph = new_graph();
	plait_plan *plan = NULL;

	(void)add_computed(graph, scene->map, scene->x, NULL, 0);
	(void)add_node(graph, (plait_node_desc){
		.kind = PLAIT_NODE_READ, .source = scene->other, .bytes = 4,
		.host_parameter = "state", .host_offset = offset }, NULL, 0);
	IS_INT(plait_graph_freeze(graph, &desc, &plan, &rig.error), want);
	plait_plan_release(plan);
	plait_graph_release(graph);
}

static void proved(void)
{
	struct scene scene;

	if (!open_one())
		return;
	open_scene(&scene);
	proved_at(&scene, offsetof(struct state, last), PLAIT_OK);
	proved_at(&scene, offsetof(struct state, a), PLAIT_E_INVALID);
	proved_at(&scene, offsetof(struct state, b) + 3, PLAIT_E_INVALID);
	proved_at(&scene, sizeof(struct state), PLAIT_OK);
	close_scene(&scene);
	close_place();
}

/* ---- rejections ---- */

static void refuse_argument(const struct scene *scene, uint32_t at,
			    plait_argument argument, const char *part)
{
	const uint32_t one = 1;
	plait_argument arguments[4] = {
		buffer_argument(scene->x), buffer_argument(scene->x),
		value_argument(&one), value_argument(&one),
	};
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_LAUNCH,
		.kernel = scene->map, .arguments = arguments,
		.argument_count = 4 };
	plait_graph *graph = new_graph();

	arguments[at] = argument;
	IS_INT(plait_graph_add(graph, &desc, NULL, 0, NULL, &rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(rig.error.text, part);
	plait_graph_release(graph);
}

static void refuse_run(plait_plan *plan, void *memory, uint64_t bytes,
		       const char *part)
{
	for (int called = 0; called < 2; called++) {
		IS_INT(run_once(plan, memory, bytes, called), PLAIT_E_INVALID);
		HAS_STR(rig.error.text, part);
	}
}

static void refuse_runs(const struct scene *scene)
{
	static struct state states[2];
	plait_graph *graph = new_graph();
	plait_plan *plan;

	(void)add_computed(graph, scene->map, scene->x, NULL, 0);
	plan = freeze_on(graph, 1);
	refuse_run(plan, states, sizeof(struct state) - 1,
		   "parameter \"state\": argument 3 of node 0 \"computed\" is "
		   "a value behind the end of the bound memory");
	refuse_run(plan, states, 0, "argument 2 of node 0");
	refuse_run(plan, (char *)states + 2, sizeof(struct state),
		   "is a value that the bound memory does not align");
	refuse_run(plan, NULL, 8, "value is null");
	IS_INT(run_once(plan, states, sizeof(struct state), true), PLAIT_OK);
	plait_plan_release(plan);
}

static void refused(void)
{
	const plait_argument arguments[4] = {
		host_value("p", 0), host_value("p", 0), host_value("p", 0),
		host_value("p", 0),
	};
	struct scene scene;

	if (!open_one())
		return;
	open_scene(&scene);
	refuse_argument(&scene, 0, host_value("p", 0), "values only");
	refuse_argument(&scene, 2, host_value(NULL, 0), "needs a name");
	refuse_argument(&scene, 2, host_value("", 0), "needs a name");
	refuse_argument(&scene, 2, host_value("p", 2), "is not aligned");
	refuse_argument(&scene, 2, host_value("p", UINT64_MAX - 3),
			"ends beyond all memory");
	refuse_argument(&scene, 2, of_kind(PLAIT_ARGUMENT_CHUNK, "p"),
			"not one of PLAIT_ARGUMENT_");
	refuse_runs(&scene);
	IS_INT(plait_queue_launch(rig.queue, scene.map, NULL, arguments, 4,
				  &rig.error), PLAIT_E_INVALID);
	HAS_STR(rig.error.text, "for graphs");
	close_scene(&scene);
	close_place();
}

static const struct tap_scenario all[] = {
	{ "computed", computed },
	{ "structs", structs },
	{ "saved", saved },
	{ "described", described },
	{ "proved", proved },
	{ "refused", refused },
};
TAP_MAIN(all)
