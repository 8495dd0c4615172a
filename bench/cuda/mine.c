/* SPDX-License-Identifier: MIT */
/* The measured side: plans of plait, through the public API. */
#include <stdlib.h>
#include <string.h>

#include "mine.h"
#include "texts.h"

static plait_plan *chain, *diamonds, *diamonds_queues, *loop, *own_loop, *cg;
static plait_buffer *stamps, *left, *branches[BRANCHES], *count;
static plait_buffer *filled;
static plait_kernel *stamp;

struct mine mine = { .error = { .size = sizeof(plait_error) } };

void mine_must(plait_status status)
{
	if (status != PLAIT_OK)
		die(plait_status_name(status), mine.error.text);
}

/* --- objects -------------------------------------------------------------- */

plait_kernel *mine_kernel(const char *signature, const char *text)
{
	const plait_source source = { .size = sizeof(source), .code = text,
				      .form = PLAIT_SOURCE_CUDA_C };
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .signature = signature,
					 .sources = &source,
					 .source_count = 1 };
	plait_kernel *made;

	mine_must(plait_kernel_create(mine.context, &desc, &made, &mine.error));
	return made;
}

plait_buffer *mine_buffer(uint64_t bytes)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = bytes };
	plait_buffer *made;

	mine_must(plait_buffer_create(mine.device, &desc, &made, &mine.error));
	return made;
}

static void fetch(plait_buffer *from, void *to, uint64_t bytes)
{
	void *mapped;

	mine_must(plait_buffer_map(from, 0, bytes, PLAIT_MAP_READ, &mapped,
			      &mine.error));
	memcpy(to, mapped, bytes);
	mine_must(plait_buffer_unmap(from, mapped, &mine.error));
}

static plait_node add_behind(struct builder *builder, plait_node_desc desc,
			     const plait_node *behind, uint64_t some)
{
	plait_node node;

	desc.size = sizeof(desc);
	desc.device = mine.device;
	mine_must(plait_graph_add(builder->graph, &desc, behind, some, &node,
			     &mine.error));
	return node;
}

static void append(struct builder *builder, plait_node_desc desc)
{
	builder->last = add_behind(builder, desc, &builder->last,
				   builder->last != 0);
}

static plait_node_desc launch(plait_kernel *what, plait_launch *room,
			      uint64_t number, uint64_t group,
			      const plait_argument *arguments, uint64_t some)
{
	*room = (plait_launch){ .size = sizeof(*room),
				.items = { number * group, 1, 1 },
				.group = { group, 1, 1 } };
	return (plait_node_desc){ .kind = PLAIT_NODE_LAUNCH, .kernel = what,
				  .launch = room, .arguments = arguments,
				  .argument_count = some };
}

void mine_append_launch(struct builder *builder, plait_kernel *what,
			  uint64_t number, uint64_t group,
			  const plait_argument *arguments, uint64_t some)
{
	plait_launch room;

	append(builder, launch(what, &room, number, group, arguments, some));
}

void mine_append_fill(struct builder *builder, plait_buffer *target,
			uint32_t value)
{
	append(builder, (plait_node_desc){
			.kind = PLAIT_NODE_FILL, .target = target, .bytes = 4,
			.pattern = value, .pattern_bytes = 4 });
}

static void append_stamp(struct builder *builder, uint32_t which)
{
	const plait_argument arguments[] = { IN(stamps), WITH(which) };

	mine_append_launch(builder, stamp, 1, 1, COUNTED(arguments));
}

void mine_begin(struct builder *builder)
{
	builder->last = 0;
	mine_must(plait_graph_create(mine.context, &builder->graph, &mine.error));
}

/* `instances`: 0 for the usual number, two. */
static plait_plan *freeze(struct builder *builder, uint32_t instances)
{
	const plait_freeze_desc desc = { .size = sizeof(desc),
					 .lanes = BRANCHES,
					 .instances = instances };
	plait_plan *plan;

	mine_must(plait_graph_freeze(builder->graph, &desc, &plan, &mine.error));
	mine_must(plait_plan_prepare(plan, &mine.error));
	plait_graph_release(builder->graph);
	return plan;
}

plait_plan *mine_freeze(struct builder *builder)
{
	return freeze(builder, 0);
}

/* --- plans ---------------------------------------------------------------- */

plait_plan *mine_chain(uint32_t instances)
{
	const plait_argument x = IN(mine.word);
	struct builder builder;

	mine_begin(&builder);
	mine_append_fill(&builder, mine.word, 0);
	append_stamp(&builder, 0);
	for (uint32_t i = 0; i < sizes.chain; i++)
		mine_append_launch(&builder, mine.tiny, 1, TINY_GROUP, &x, 1);
	append_stamp(&builder, 1);
	return freeze(&builder, instances);
}

/* Parallel nodes that the next node comes after. */
struct front {
	plait_node nodes[BRANCHES];
	uint64_t count;
};

/* Append a tiny kernel, and four parallel ones, each on its own number. */
static void append_diamond(struct builder *builder, struct front *front,
			   plait_kernel *work)
{
	const plait_argument x = IN(mine.word);
	plait_launch room;
	plait_node top = add_behind(builder,
				    launch(mine.tiny, &room, 1, TINY_GROUP, &x, 1),
				    front->nodes, front->count);

	for (int i = 0; i < BRANCHES; i++) {
		const plait_argument arguments[] = { IN(branches[i]),
						     WITH(sizes.turns) };
		plait_node_desc desc = launch(work, &room, 1, TINY_GROUP,
					      COUNTED(arguments));

		desc.cost = 10;
		front->nodes[i] = add_behind(builder, desc, &top, 1);
	}
	front->count = BRANCHES;
}

static void append_diamonds(struct builder *builder, plait_kernel *work)
{
	const uint32_t end = 1;
	const plait_argument arguments[] = { IN(stamps), WITH(end) };
	struct front front = { .nodes = { builder->last }, .count = 1 };
	plait_launch room;

	for (uint32_t i = 0; i < sizes.diamonds; i++)
		append_diamond(builder, &front, work);
	(void)add_behind(builder, launch(stamp, &room, 1, 1,
					 COUNTED(arguments)),
			 front.nodes, front.count);
}

static plait_plan *make_diamonds(const char *segments)
{
	plait_kernel *work = mine_kernel("work(x: inout pointer u32, turns: u32)",
				    WORK_TEXT);
	struct builder builder;
	plait_plan *plan;

	if (segments != NULL)
		setenv("PLAIT_SEGMENTS", segments, 1);
	mine_begin(&builder);
	mine_append_fill(&builder, mine.word, 0);
	for (int i = 0; i < BRANCHES; i++)
		mine_append_fill(&builder, branches[i], 1);
	append_stamp(&builder, 0);
	append_diamonds(&builder, work);
	plan = mine_freeze(&builder);
	unsetenv("PLAIT_SEGMENTS");
	plait_kernel_release(work);
	return plan;
}

/* Append a loop while the word in `go` is not 0; the caller fills the body. */
void mine_append_loop(struct builder *builder, plait_buffer *go,
			uint64_t times, struct builder *body)
{
	append(builder, (plait_node_desc){ .kind = PLAIT_NODE_WHILE,
					   .predicate = go, .times = times });
	body->last = 0;
	mine_must(plait_graph_body(builder->graph, builder->last, 0, &body->graph,
			      &mine.error));
}

/* `own`: the last kernel of the body decides. */
static plait_plan *make_loop(bool own)
{
	plait_kernel *less =
		own ? mine_kernel("tell(left: inout pointer u32)", TELL_TEXT) :
		      mine_kernel("less(left: inout pointer u32)", LESS_TEXT);
	const plait_argument x = IN(mine.word), n = IN(left);
	struct builder builder, body;

	mine_begin(&builder);
	mine_append_fill(&builder, mine.word, 0);
	mine_append_fill(&builder, left, sizes.times);
	append_stamp(&builder, 0);
	mine_append_loop(&builder, left, sizes.times, &body);
	mine_append_launch(&body, mine.tiny, 1, TINY_GROUP, &x, 1);
	mine_append_launch(&body, mine.tiny, 1, TINY_GROUP, &x, 1);
	mine_append_launch(&body, less, 1, TINY_GROUP, &n, 1);
	append_stamp(&builder, 1);
	plait_graph_release(body.graph);
	plait_kernel_release(less);
	return mine_freeze(&builder);
}

/* --- conjugate gradients -------------------------------------------------- */

enum { X, R, P, Q, PARTS, NUMBERS, GO, ARRAYS };

static void append_step(struct builder *builder, const char *signature,
			const char *text, uint64_t number,
			const plait_argument *arguments, uint64_t some)
{
	plait_kernel *made = mine_kernel(signature, text);

	mine_append_launch(builder, made, number, GROUP, arguments, some);
	plait_kernel_release(made);
}

static void append_begin(struct builder *builder, plait_buffer *const *of)
{
	const plait_argument arguments[] = {
		IN(of[X]), IN(of[R]), IN(of[P]), IN(of[NUMBERS]), IN(of[GO]),
		IN(count), WITH(sizes.square)
	};

	append_step(builder, "begin(x: out pointer f64, r: out pointer f64, "
		    "p: out pointer f64, numbers: inout pointer f64, "
		    "go: out pointer u32, count: out pointer u32, size: u32)",
		    BEGIN_TEXT, groups(), COUNTED(arguments));
}

static void fill_body(struct builder *body, plait_buffer *const *of)
{
	static const double tolerance = TOLERANCE;
	const uint32_t parts = groups();
	const plait_argument applies[] = { IN(of[P]), IN(of[Q]), IN(of[PARTS]),
					   WITH(sizes.square) };
	const plait_argument alphas[] = { IN(of[PARTS]), IN(of[NUMBERS]),
					  WITH(parts) };
	const plait_argument steps[] = { IN(of[X]), IN(of[R]), IN(of[P]),
					 IN(of[Q]), IN(of[NUMBERS]),
					 IN(of[PARTS]), WITH(sizes.square) };
	const plait_argument betas[] = { IN(of[PARTS]), IN(of[NUMBERS]),
					 IN(of[GO]), IN(count), WITH(parts),
					 WITH(tolerance) };
	const plait_argument turns[] = { IN(of[P]), IN(of[R]), IN(of[NUMBERS]),
					 WITH(sizes.square) };

	append_step(body, "apply(p: in pointer f64, q: out pointer f64, "
		    "parts: out pointer f64, size: u32)", APPLY_TEXT, parts,
		    COUNTED(applies));
	append_step(body, "alpha(parts: in pointer f64, "
		    "numbers: inout pointer f64, groups: u32)", ALPHA_TEXT, 1,
		    COUNTED(alphas));
	append_step(body, "step(x: inout pointer f64, r: inout pointer f64, "
		    "p: in pointer f64, q: in pointer f64, "
		    "numbers: in pointer f64, parts: out pointer f64, "
		    "size: u32)", STEP_TEXT, parts, COUNTED(steps));
	append_step(body, "beta(parts: in pointer f64, "
		    "numbers: inout pointer f64, go: out pointer u32, "
		    "count: inout pointer u32, groups: u32, tolerance: f64)",
		    BETA_TEXT, 1, COUNTED(betas));
	append_step(body, "turn(p: inout pointer f64, r: in pointer f64, "
		    "numbers: in pointer f64, size: u32)", TURN_TEXT, parts,
		    COUNTED(turns));
}

static plait_plan *make_cg(void)
{
	const uint64_t bytes[ARRAYS] = {
		[X] = 8 * points(), [R] = 8 * points(), [P] = 8 * points(),
		[Q] = 8 * points(), [PARTS] = 8 * groups(), [NUMBERS] = 24,
		[GO] = 4
	};
	plait_buffer *of[ARRAYS];
	struct builder builder, body;

	for (int i = 0; i < ARRAYS; i++)
		of[i] = mine_buffer(bytes[i]);
	mine_begin(&builder);
	append_begin(&builder, of);
	append_stamp(&builder, 0);
	mine_append_loop(&builder, of[GO], 2 * sizes.square, &body);
	fill_body(&body, of);
	append_stamp(&builder, 1);
	plait_graph_release(body.graph);
	/* The graph holds references to its buffers. */
	for (int i = 0; i < ARRAYS; i++)
		plait_buffer_release(of[i]);
	return mine_freeze(&builder);
}

/* --- life ----------------------------------------------------------------- */

void plait_side_open(const char *options)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "cuda",
					  .options = options };

	mine_must(plait_context_open(&desc, &mine.context, &mine.error));
	mine_must(plait_context_device(mine.context, 0, &mine.device, &mine.error));
	mine_must(plait_queue_create(mine.device, NULL, &mine.queue, &mine.error));
	stamp = mine_kernel("stamp(at: inout pointer u64, which: u32)", STAMP_TEXT);
	mine.tiny = mine_kernel("tiny(x: inout pointer u32)", TINY_TEXT);
	stamps = mine_buffer(16);
	mine.word = mine_buffer(64);
	left = mine_buffer(64);
	count = mine_buffer(64);
	for (int i = 0; i < BRANCHES; i++)
		branches[i] = mine_buffer(64);
}

void plait_make_chain(void) { chain = mine_chain(0); }
void plait_make_diamonds(void) { diamonds = make_diamonds(NULL); }
void plait_make_queues(void) { diamonds_queues = make_diamonds("0"); }
void plait_make_while(void) { loop = make_loop(false); }
void plait_make_own(void) { own_loop = make_loop(true); }
void plait_make_cg(void) { cg = make_cg(); }
void plait_make_fill(void) { filled = mine_buffer((uint64_t)sizes.fill << 20); }

void plait_side_close(void)
{
	mine_drop_costs();
	plait_plan_release(chain);
	plait_plan_release(diamonds);
	plait_plan_release(diamonds_queues);
	plait_plan_release(loop);
	plait_plan_release(own_loop);
	plait_plan_release(cg);
	for (int i = 0; i < BRANCHES; i++)
		plait_buffer_release(branches[i]);
	plait_buffer_release(filled);
	plait_buffer_release(count);
	plait_buffer_release(left);
	plait_buffer_release(mine.word);
	plait_buffer_release(stamps);
	plait_kernel_release(mine.tiny);
	plait_kernel_release(stamp);
	plait_queue_release(mine.queue);
	plait_context_release(mine.context);
}

/* --- runs ----------------------------------------------------------------- */

static void run(plait_plan *plan)
{
	mine_must(plait_plan_call(plan, NULL, NULL, &mine.error));
}

static void take(plait_buffer *from)
{
	uint64_t at[2];
	uint32_t got;

	fetch(stamps, at, sizeof(at));
	device_ns = (double)(at[1] - at[0]);
	fetch(from, &got, sizeof(got));
	result = got;
}

void plait_chain(void) { run(chain); }
void plait_diamonds(void) { run(diamonds); }
void plait_diamonds_queues(void) { run(diamonds_queues); }
void plait_while(void) { run(loop); }
void plait_while_own(void) { run(own_loop); }
void plait_cg(void) { run(cg); }

void plait_take_word(void) { take(mine.word); }
void plait_take_branch(void) { take(branches[BRANCHES - 1]); }
void plait_take_count(void) { take(count); }

void plait_submit(void)
{
	const plait_argument x = IN(mine.word);
	const plait_launch group = { .size = sizeof(group),
				     .items = { TINY_GROUP, 1, 1 },
				     .group = { TINY_GROUP, 1, 1 } };

	for (uint32_t i = 0; i < sizes.submits; i++)
		mine_must(plait_queue_launch(mine.queue, mine.tiny, &group, &x, 1, &mine.error));
}

void plait_fill(void)
{
	mine_must(plait_queue_fill(mine.queue, filled, 0, (uint64_t)sizes.fill << 20,
			      0x3ff0000000000000, 8, &mine.error));
	mine_must(plait_queue_finish(mine.queue, PLAIT_FOREVER, &mine.error));
}

void plait_finish(void)
{
	mine_must(plait_queue_finish(mine.queue, PLAIT_FOREVER, &mine.error));
	device_ns = 0;
}
