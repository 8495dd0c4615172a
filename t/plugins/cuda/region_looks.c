/* SPDX-License-Identifier: MIT */
/*
 * How often decisions of loops read the stop word, on the stand-in for CUDA's
 * driver: once in a period, by the device's timer, whether a node decides or the
 * kernel itself.  A loop can be cancelled whatever the timer does.
 */
#include "segments.h"

enum { TURNS = 2000 };

/* n -= by, and the kernel decides. */
#define DECIDING \
	"KERNEL(less) { EACH(i, 16) {" \
	"	if (i > 0) n[i] -= by; else DECIDE(n, *n - by);" \
	"} }"

/* do { x += 1; n -= by } while n */
struct loop {
	plait_kernel *map, *less;
	plait_buffer *n, *x;
	plait_plan *plan;
};

static plait_kernel *less_kernel(void)
{
	const plait_source source = { .size = sizeof(source),
				      .code = DECIDING,
				      .form = PLAIT_SOURCE_PORTABLE };
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .sources = &source, .source_count = 1,
		.signature = "less(n: inout pointer u32, by: u32)",
	};
	plait_kernel *kernel = NULL;

	OK_THAT(plait_kernel_create(rig.context, &desc, &kernel,
				    &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	return kernel;
}

static void add_less(const struct loop *s, plait_graph *body, plait_node after,
		     uint32_t by)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	const plait_argument arguments[] = { buffer_argument(s->n),
					     value_argument(&by) };

	if (s->less == NULL) {
		(void)add_map(body, s->map, s->n, s->n, 1, -by, &after, 1);
		return;
	}
	(void)add_node(body, (plait_node_desc){
		.kind = PLAIT_NODE_LAUNCH, .kernel = s->less, .label = "less",
		.launch = &launch, .arguments = arguments,
		.argument_count = 2 }, &after, 1);
}

static void make(struct loop *s, bool own, uint32_t by)
{
	const plait_node_desc desc = { .kind = PLAIT_NODE_DO, .label = "loop" };
	plait_node_desc loop = desc;
	plait_graph *graph, *body;
	plait_node node;

	builds = true;
	s->map = map_kernel();
	s->less = own ? less_kernel() : NULL;
	s->n = words_on(rig.device);
	s->x = words_on(rig.device);
	graph = new_graph();
	loop.predicate = s->n;
	node = add_node(graph, loop, NULL, 0);
	body = body_of(graph, node, 0);
	node = add_map(body, s->map, s->x, s->x, 1, 1, NULL, 0);
	add_less(s, body, node, by);
	plait_graph_release(body);
	s->plan = freeze_on(graph, 1);
}

static void unmake(struct loop *s)
{
	plait_plan_release(s->plan);
	plait_buffer_release(s->n);
	plait_buffer_release(s->x);
	plait_kernel_release(s->map);
	if (s->less != NULL)
		plait_kernel_release(s->less);
	close_place();
}

/* Start a run and cancel it when its graph is launched.  `ends`: the loop may have
 * ended by itself before that. */
static void cancel(const struct loop *s, bool ends)
{
	plait_status status;
	uint64_t before = rig_calls("cuGraphLaunch"), since = 0;
	plait_run *run = NULL;

	write_words(s->x, 0);
	write_words(s->n, TURNS);
	OK(plait_plan_run(s->plan, rig.queue, NULL, &run, &rig.error) ==
	   PLAIT_OK);
	while (rig_calls("cuGraphLaunch") == before && !tap_late(&since))
		;
	OK(plait_run_cancel(run, &rig.error) == PLAIT_OK);
	status = plait_run_wait(run, PLAIT_FOREVER, &rig.error);
	OK(status == PLAIT_E_CANCELLED || (ends && status == PLAIT_OK));
	plait_run_release(run);
	(void)plait_queue_finish(rig.queue, PLAIT_FOREVER, NULL);
}

/* Less than a period passes in the run, by the timer: no decision looks, and
 * the loop ends by its word. */
static void check_seldom(bool own)
{
	struct loop s;

	if (!open_cuda_with("timer=1", ",look=1000000", "1"))
		return;
	make(&s, own, 1);
	/* The first decision of all looks. */
	write_words(s.n, 1);
	OK_THAT(call_with(s.plan, 0) == PLAIT_OK, "run: %s", rig.error.text);
	cancel(&s, true);
	IS_UINT(read_words(s.x), TURNS);
	unmake(&s);
}

static void seldom(void)
{
	check_seldom(false);
	check_seldom(true);
}

/* A loop without end does end, and the next run is not stopped. */
static void check_cancelled(const char *standin, const char *more, bool own)
{
	struct loop s;

	if (!open_cuda_with(standin, more, "1"))
		return;
	make(&s, own, 0);
	for (uint32_t i = 0; i < RUNS; i++) {
		cancel(&s, false);
		write_words(s.x, 0);
		write_words(s.n, 0);
		OK_THAT(call_with(s.plan, 0) == PLAIT_OK, "run: %s",
			rig.error.text);
		IS_UINT(read_words(s.x), 1);
	}
	unmake(&s);
}

/* The clock; a timer that stands still; one that is slow; no period. */
static void cancelled(void)
{
	for (int own = 0; own < 2; own++) {
		check_cancelled("", "", own);
		check_cancelled("timer=0", "", own);
		check_cancelled("timer=0:1000", "", own);
		check_cancelled("timer=1000", "", own);
		check_cancelled("timer=1", ",look=0", own);
	}
}

static void check_refused(const char *more)
{
	plait_context *context = NULL;
	char options[1100];
	plait_context_desc desc = { .size = sizeof(desc), .backends = "cuda",
				    .options = options };

	standin_prepare("");
	(void)snprintf(options, sizeof(options), "cuda:driver=%s,%s",
		       standin_path, more);
	OK(plait_context_open(&desc, &context, &rig.error) == PLAIT_E_INVALID);
	HAS_STR(rig.error.text, more);
	HAS_STR(rig.error.text, "0 to 1000000");
}

static void refused(void)
{
	rig.error.size = sizeof(rig.error);
	check_refused("look=soon");
	check_refused("look=1000001");
	check_refused("look=-1");
}

static const struct tap_scenario all[] = {
	{ "seldom", seldom },
	{ "cancelled", cancelled },
	{ "refused", refused },
};
TAP_MAIN(all)
