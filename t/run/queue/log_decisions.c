/* SPDX-License-Identifier: MIT */
/*
 * The log of decided loops: whether the device or the host decides a loop of a
 * plan, and why its device does not; once for each plan.
 */
#include "lib/queued.h"

static char heard[8192];

static void keep(void *user_data, int32_t level, const char *line)
{
	size_t length = strlen(heard);

	(void)user_data;
	if (level <= PLAIT_LOG_ERROR)
		NOTE("%s", line);
	if (strstr(line, "decides") != NULL || strstr(line, "ahead") != NULL)
		(void)snprintf(heard + length, sizeof(heard) - length, "%s\n",
			       line);
}

/* The first segment cannot be made. */
#define REFUSING ";fault:slot=segment_create,fail=1,status=unsupported"

/* `more`: chaos's, or of another interposer. */
static bool open_heard(const char *more)
{
	char options[512];
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = SIMULATED,
		.wrap = more[0] == ';' ? "check,fault" : "check",
		.options = options, .flags = PLAIT_CONTEXT_NO_WORKERS,
		.log = keep, .log_level = PLAIT_LOG_INFO,
		.allocator = &counting,
	};

#ifdef QUEUED_CUDA
	standin_prepare(more[0] == ',' ? "version=12020,devices=2" :
					 "devices=2");
	(void)snprintf(options, sizeof(options), "cuda:driver=%.400s%.100s",
		       standin_path, more[0] == ';' ? more : "");
#else
	(void)snprintf(options, sizeof(options), "chaos:devices=2%.100s",
		       more);
#endif
	memset(&rig, 0, sizeof(rig));
	rig.error.size = sizeof(rig.error);
	heard[0] = '\0';
	builds = true;
	return OK_THAT(plait_context_open(&desc, &rig.context, &rig.error) ==
		       PLAIT_OK, "open: %s", rig.error.text) &&
	       OK(plait_context_device(rig.context, 0, &rig.device,
				       &rig.error) == PLAIT_OK) &&
	       OK(plait_queue_create(rig.device, NULL, &rig.queue,
				     &rig.error) == PLAIT_OK);
}

static int32_t countdown(void *user_data)
{
	uint32_t *left = user_data;

	*left = *left > 0 ? *left - 1 : 2;
	return *left > 0;
}

static int32_t nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

enum what {
	PLAIN, INDEX, TURNS, PROLOGUE, PERIODS, BEHIND, SEVERAL, FUNCTION, FAR,
	CALLS, INSIDE, COUNTED, HOLDING, WHATS
};

static const char *const reasons[WHATS] = {
	[PLAIN] = ": its device, " SIMULATED ":0, decides",
	[INDEX] = ": the host decides, as an argument is the number of "
		"its iteration",
	[TURNS] = ": its device, " SIMULATED ":0, decides; its body is "
		"unrolled, as buffers rotate",
	[PROLOGUE] = ": the host decides, as buffers rotate with its "
		"iterations after a prologue: \"asks\"",
	[PERIODS] = ": the host decides, as its rotations have too many "
		"iterations in common: \"asks\"",
	[BEHIND] = ": the host decides, as a buffer that rotates with its "
		"iterations is used behind it: \"behind\"",
	[SEVERAL] = ": the host decides, as the host decides one in it",
	[FUNCTION] = ": the host decides, as its predicate is a function",
	[FAR] = ": the host decides, as it has lanes of several devices",
	[CALLS] = ": the host decides, as no segment of its device can "
		"contain a command of it: \"calls\"",
	[INSIDE] = ": the host decides, as the host decides one in it",
	[COUNTED] = ": its iterations are submitted ahead, 512 at a time",
	[HOLDING] = ": the host decides, as a loop or case is in it",
};

struct loop {
	plait_kernel *map;
	plait_buffer *n, *x, *y;
	plait_buffer *more[4];
	plait_buffer *far;
	uint64_t turn;
	plait_node node;
	uint32_t left;
};

/* x = x + b, with a query; it reads n after `after`, which writes it. */
static void add_asking(const struct loop *s, plait_graph *body,
		       plait_node after, const plait_argument *to,
		       const plait_argument *b)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	const uint32_t one = 1;
	const plait_argument arguments[4] = {
		buffer_argument(s->n), *to, value_argument(&one), *b,
	};

	(void)add_node(body, (plait_node_desc){
		.kind = PLAIT_NODE_LAUNCH, .kernel = s->map,
		.launch = &launch, .arguments = arguments,
		.argument_count = 4, .label = "asks" }, &after, 1);
}

static uint64_t rotate(const struct loop *s, plait_graph *body, uint32_t count,
		       uint32_t flags)
{
	plait_buffer *const all[] = { s->x, s->y, s->more[0], s->more[1],
				      s->more[2] };
	uint64_t turn = 0;

	OK_THAT(plait_graph_add_rotation(body, all, count, flags, &turn,
					 &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	return turn;
}

/* A rotation of two buffers, or of two and a prologue; and one of five. */
static void add_turns(struct loop *s, plait_graph *body, plait_node after,
		      enum what what)
{
	const uint32_t one = 1;
	const plait_argument b = value_argument(&one);
	plait_argument to = of_kind(PLAIT_ARGUMENT_ROTATION, NULL);
	plait_node_desc copy = { .kind = PLAIT_NODE_COPY, .target = s->more[3],
				 .bytes = 4, .label = "copies" };

	to.rotation = s->turn = what == PROLOGUE ?
		rotate(s, body, 3, PLAIT_ROTATION_PROLOGUE) :
		rotate(s, body, 2, 0);
	if (what == PERIODS) {
		copy.source_rotation = rotate(s, body, 5, 0);
		after = add_node(body, copy, &after, 1);
	}
	add_asking(s, body, after, &to, &b);
}

/* A copy from one rotation to another, in a loop in the loop. */
static void add_several(const struct loop *s, plait_graph *body,
			plait_node after)
{
	plait_node_desc copy = { .kind = PLAIT_NODE_COPY, .bytes = 4,
				 .label = "asks" };
	const plait_node_desc desc = { .kind = PLAIT_NODE_WHILE,
				       .label = "inner", .predicate = s->n };
	plait_graph *inner =
		body_of(body, add_node(body, desc, &after, 1), 0);

	copy.source_rotation = rotate(s, body, 2, 0);
	OK(plait_graph_add_rotation(inner, s->more, 2, 0,
				    &copy.target_rotation, &rig.error) ==
	   PLAIT_OK);
	(void)add_map(inner, s->map, s->n, s->n, 1, UINT32_MAX, NULL, 0);
	(void)add_node(inner, copy, NULL, 0);
	plait_graph_release(inner);
}

static void add_what(struct loop *s, plait_graph *body, enum what what)
{
	const plait_argument x = buffer_argument(s->x);
	const plait_argument i = of_kind(PLAIT_ARGUMENT_ITERATION, NULL);
	const plait_node counts = add_map(body, s->map, s->n, s->n, 1,
					  UINT32_MAX, NULL, 0);

	if (what == INDEX)
		add_asking(s, body, counts, &x, &i);
	if (what >= TURNS && what <= BEHIND)
		add_turns(s, body, counts, what);
	if (what == SEVERAL)
		add_several(s, body, counts);
	if (what == FAR)
		(void)add_fill(body, s->far, 1, NULL, 0);
	if (what == CALLS)
		(void)add_call(body, "calls", nothing, NULL, NULL, 0);
}

static plait_graph *add_loop(struct loop *s, plait_graph *graph,
			     const char *label, bool asks, bool counts)
{
	plait_node_desc desc = { .kind = PLAIT_NODE_WHILE, .label = label,
				 .predicate = s->n };
	plait_node node;

	if (asks) {
		desc.predicate = NULL;
		desc.flags = PLAIT_CALL_ANY_THREAD;
		desc.function = countdown;
		desc.user_data = &s->left;
	}
	if (counts) {
		desc.kind = PLAIT_NODE_REPEAT;
		desc.predicate = NULL;
		desc.times = 3;
	}
	node = add_node(graph, desc, NULL, 0);
	if (strcmp(label, "loop") == 0)
		s->node = node;
	return body_of(graph, node, 0);
}

static plait_plan *make(struct loop *s, enum what what)
{
	plait_graph *graph = new_graph(), *body, *inner;

	s->map = map_kernel();
	s->n = words_on(rig.device);
	s->x = words_on(rig.device);
	s->y = words_on(rig.device);
	for (int i = 0; i < 4; i++)
		s->more[i] = words_on(rig.device);
	s->far = words_on(other_device());
	s->left = 3;
	body = add_loop(s, graph, "loop", what == FUNCTION, what >= COUNTED);
	add_what(s, body, what);
	if (what == INSIDE || what == HOLDING) {
		inner = add_loop(s, body, "inner", true, false);
		(void)add_map(inner, s->map, s->x, s->x, 1, 1, NULL, 0);
		plait_graph_release(inner);
	}
	plait_graph_release(body);
	if (what == BEHIND)
		(void)add_node(graph, (plait_node_desc){
			.kind = PLAIT_NODE_COPY, .target = s->more[3],
			.source_rotation = s->turn, .bytes = 4,
			.label = "behind" }, &s->node, 1);
	return freeze_on(graph, 1);
}

static void unmake(struct loop *s, plait_plan *plan)
{
	plait_plan_release(plan);
	plait_buffer_release(s->n);
	plait_buffer_release(s->x);
	plait_buffer_release(s->y);
	for (int i = 0; i < 4; i++)
		plait_buffer_release(s->more[i]);
	plait_buffer_release(s->far);
	plait_kernel_release(s->map);
	close_place();
}

/* Three iterations; those that a device decides are not counted. */
static void run(const struct loop *s, plait_plan *plan, bool on_device)
{
	plait_run_info info = { .size = sizeof(info) };
	plait_run *run = NULL;

	write_words(s->n, 3);
	IS_INT(plait_plan_run(plan, rig.queue, NULL, &run, &rig.error),
	       PLAIT_OK);
	OK_THAT(plait_run_wait(run, PLAIT_FOREVER, &rig.error) == PLAIT_OK,
		"%s", rig.error.text);
	IS_INT(plait_run_query(run, &info, &rig.error), PLAIT_OK);
	IS_UINT(info.device_regions, on_device);
	OK_THAT((info.iterations == 0) == on_device, "%u iterations",
		(unsigned)info.iterations);
	plait_run_release(run);
}

/* The device is logged, and nothing of the loop. */
static void check(const char *more, enum what what, const char *why)
{
	struct loop s;
	plait_plan *plan;
	const char *at;

	(void)setenv("PLAIT_SEGMENTS", "1", 0);
	if (!open_heard(more))
		return;
	plan = make(&s, what);
	OK_THAT(plait_plan_prepare(plan, &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	at = strstr(heard, "loop \"loop\"");
	OK_THAT(at != NULL && strncmp(at + strlen("loop \"loop\""), why,
				      strlen(why)) == 0, "%s not in %s", why,
		heard);
	OK_THAT(at == NULL || strstr(at + 1, "loop \"loop\"") == NULL, "%s",
		heard);
	OK_THAT((strstr(heard, "loop \"inner\": the host decides, as buffers "
			"of a command in it rotate with several loops: "
			"\"asks\"") != NULL) == (what == SEVERAL), "%s",
		heard);
	run(&s, plan, at != NULL && strstr(at, "its device, ") != NULL);
	unmake(&s, plan);
}

static void of_plans(void)
{
	for (int i = 0; i < WHATS; i++)
		check("", i, reasons[i]);
}

static void of_all(void)
{
	(void)setenv("PLAIT_REGIONS", "0", 1);
	check("", PLAIN, ": the host decides, as PLAIT_REGIONS is 0");
	(void)unsetenv("PLAIT_REGIONS");
	(void)setenv("PLAIT_SEGMENTS", "0", 1);
	check("", PLAIN, ": the host decides, as PLAIT_SEGMENTS is 0");
	(void)setenv("PLAIT_SEGMENTS", "1", 1);
	check(",regions=0", PLAIN,
	      ": the host decides, as its device cannot decide any");
}

/* The log of a device that rejects it after all: in each run, as none
 * succeeds. */
static void refused(void)
{
	static const char why[] = "loop \"loop\": the host decides, as a device "
				  "cannot decide all of its plan";
	struct loop s;
	plait_plan *plan;

	if (!open_heard(REFUSING))
		return;
	plan = make(&s, PLAIN);
	OK_THAT(plait_plan_prepare(plan, &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	for (int i = 0; i < 2; i++) {
		heard[0] = '\0';
		run(&s, plan, false);
		OK_THAT(strstr(heard, why) != NULL, "%s", heard);
	}
	unmake(&s, plan);
}

static const struct tap_scenario all[] = {
	{ "of plans", of_plans },
	{ "of all", of_all },
	{ "refused", refused },
};
TAP_MAIN(all)
