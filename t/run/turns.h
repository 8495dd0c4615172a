/* SPDX-License-Identifier: MIT */
/*
 * Helpers for tests of runs that conflict: a plan whose first kernel writes a
 * buffer, named or bound, and whose last kernel compares it; and runs of it.
 */
#ifndef T_RUN_TURNS_H
#define T_RUN_TURNS_H

#include "lib/runs.h"

enum { QUEUES = 4, WORDS = 64, LOG = 64 };

/* A host function may call the plan. */
#ifdef ON_DRIVER
#define IS_ON_THE_HOST false
#else
#define IS_ON_THE_HOST (RUN_FREEZE == 0)
#endif

/* Filled by the kernels. */
static struct {
	uint32_t started;
	uint32_t inside;	/* between the first and the last kernel */
	uint32_t most;
	uint64_t values[LOG];
	int32_t result;		/* of the first kernel */
} seen;

static struct {
	plait_kernel *begin, *finish;
	plait_graph *graph;
	plait_plan *plan;
	plait_signal *gate;
	plait_queue *queues[QUEUES];
	plait_buffer *fixed, *buffers[2];
	uint32_t value, target;
} bed;

static inline uint64_t *word_of(void *const *arguments)
{
	return *(uint64_t **)arguments[0];
}

/* y[..] = value: plain, so that a missing order is a race. */
static inline int32_t begin_it(void *const *arguments, const plait_launch *launch,
			void *user_data)
{
	uint64_t value = *(const uint64_t *)arguments[1];
	uint32_t now = __atomic_add_fetch(&seen.inside, 1, __ATOMIC_SEQ_CST);
	uint32_t at = __atomic_fetch_add(&seen.started, 1, __ATOMIC_SEQ_CST);

	(void)launch;
	(void)user_data;
	if (now > __atomic_load_n(&seen.most, __ATOMIC_SEQ_CST))
		__atomic_store_n(&seen.most, now, __ATOMIC_SEQ_CST);
	if (at < LOG)
		seen.values[at] = value;
	for (int i = 0; i < WORDS; i++)
		word_of(arguments)[i] = value;
	if (seen.result == 0)
		return 0;
	__atomic_sub_fetch(&seen.inside, 1, __ATOMIC_SEQ_CST);
	return seen.result;
}

/* All words have the value of this run still. */
static inline int32_t finish_it(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	uint64_t value = *(const uint64_t *)arguments[1];
	int32_t result = 0;

	(void)launch;
	(void)user_data;
	for (int i = 0; i < WORDS; i++)
		if (word_of(arguments)[i] != value)
			result = 7;
	__atomic_sub_fetch(&seen.inside, 1, __ATOMIC_SEQ_CST);
	return result;
}

static inline plait_kernel *make_kernel(plait_kernel_function function,
				 const char *signature)
{
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .function = function,
					 .signature = signature };
	plait_kernel *kernel = NULL;

	OK_THAT(plait_kernel_create(rig.context, &desc, &kernel,
				    &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
	return kernel;
}

/* Launches write `fixed`, or the parameter "y" if it is null. */
static inline plait_argument target_of(plait_buffer *fixed)
{
	return (plait_argument){
		.size = sizeof(plait_argument),
		.kind = fixed != NULL ? PLAIT_ARGUMENT_BUFFER :
					PLAIT_ARGUMENT_PARAMETER,
		.buffer = fixed, .name = fixed != NULL ? NULL : "y",
	};
}

static inline plait_node add_launch(plait_kernel *kernel, plait_buffer *fixed,
			     const plait_node *after)
{
	const plait_argument arguments[2] = {
		target_of(fixed),
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_PARAMETER, .name = "value" },
	};

	return add_node(bed.graph, (plait_node_desc){
		.kind = PLAIT_NODE_LAUNCH, .label = "launch",
		.kernel = kernel, .arguments = arguments, .argument_count = 2,
	}, after, after != NULL);
}

static inline void freeze_bed(uint32_t instances)
{
	bed.plan = freeze(bed.graph, 1, instances);
	OK(plait_plan_find_parameter(bed.plan, "value", &bed.value,
				     &rig.error) == PLAIT_OK);
	if (plait_plan_find_parameter(bed.plan, "y", &bed.target, NULL) !=
	    PLAIT_OK)
		bed.target = UINT32_MAX;
}

/* A run writes, waits for the gate if it `parks`, and compares. */
static inline void make_graph(plait_buffer *written, plait_buffer *compared,
		       bool parks)
{
	plait_node node;

	bed.graph = new_graph();
	node = add_launch(bed.begin, written, NULL);
	if (parks)
		node = add_node(bed.graph, (plait_node_desc){
			.kind = PLAIT_NODE_WAIT, .signal = bed.gate,
			.sequence = 1, .label = "park" }, &node, 1);
	(void)add_launch(bed.finish, compared, &node);
}

static inline void make_bed(bool by_parameter, bool parks, uint32_t instances)
{
	const plait_signal_desc gate = { .size = sizeof(gate),
					 .flags = PLAIT_SIGNAL_GATE };
	plait_buffer *fixed;

	memset(&seen, 0, sizeof(seen));
	memset(&bed, 0, sizeof(bed));
	bed.begin = make_kernel(begin_it, "begin(y: out pointer u64, v: u64)");
	bed.finish = make_kernel(finish_it, "finish(y: in pointer u64, "
				 "v: u64)");
	bed.fixed = make_buffer(&rig, WORDS * 8, "fixed");
	for (int i = 0; i < 2; i++)
		bed.buffers[i] = make_buffer(&rig, 2 * WORDS * 8, "bound");
	for (int i = 0; i < QUEUES; i++)
		OK(plait_queue_create(rig.device, NULL, &bed.queues[i],
				      &rig.error) == PLAIT_OK);
	OK(plait_signal_create(rig.device, &gate, &bed.gate, &rig.error) ==
	   PLAIT_OK);
	fixed = by_parameter ? NULL : bed.fixed;
	make_graph(fixed, fixed, parks);
	freeze_bed(instances);
}

static inline void free_bed(void)
{
	plait_plan_release(bed.plan);
	plait_graph_release(bed.graph);
	for (int i = 0; i < QUEUES; i++)
		plait_queue_release(bed.queues[i]);
	for (int i = 0; i < 2; i++)
		plait_buffer_release(bed.buffers[i]);
	plait_buffer_release(bed.fixed);
	plait_signal_release(bed.gate);
	plait_kernel_release(bed.begin);
	plait_kernel_release(bed.finish);
}

struct given {
	uint64_t value;
	plait_buffer *target;
	uint64_t offset;
	plait_binding bindings[2];
	plait_run_desc desc;
};

static inline const plait_run_desc *describe(struct given *given, uint32_t flags)
{
	given->bindings[0] = (plait_binding){
		.size = sizeof(plait_binding), .parameter = bed.value,
		.value = &given->value, .bytes = 8,
	};
	given->bindings[1] = (plait_binding){
		.size = sizeof(plait_binding), .parameter = bed.target,
		.buffer = given->target, .offset_bytes = given->offset,
	};
	given->desc = (plait_run_desc){
		.size = sizeof(plait_run_desc), .flags = flags,
		.bindings = given->bindings,
		.binding_count = bed.target == UINT32_MAX ? 1 : 2,
	};
	return &given->desc;
}

static inline plait_run *start_at(int queue, struct given given, uint32_t flags)
{
	plait_run *run = NULL;

	OK_THAT(plait_plan_run(bed.plan, bed.queues[queue],
			       describe(&given, flags), &run, &rig.error) ==
		PLAIT_OK, "run: %s", rig.error.text);
	return run;
}

static inline plait_run *start(int queue, uint64_t value, plait_buffer *target)
{
	return start_at(queue, (struct given){ .value = value,
					       .target = target }, 0);
}

static inline plait_status end_of(plait_run *run)
{
	plait_status status = plait_run_wait(run, PLAIT_FOREVER, &rig.error);

	plait_run_release(run);
	return status;
}

/* Drive the run until `count` runs have begun.  Without that many the caller
 * fails by the suite's time limit. */
static inline void await_started(plait_run *run, uint32_t count)
{
	while (__atomic_load_n(&seen.started, __ATOMIC_SEQ_CST) < count)
		(void)plait_run_wait(run, 100000, NULL);
}

static inline void raise(void)
{
	OK(plait_signal_raise(bed.gate, 1, &rig.error) == PLAIT_OK);
}

#endif
