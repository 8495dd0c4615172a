/* SPDX-License-Identifier: MIT */
/* Choice of devices and lanes; see device_choice.h. */
#include "flow/device_choice.h"

#include "flow/device_links.h"
#include "flow/flow_devices.h"
#include "flow/flow_history.h"
#include "flow/policy/saturating.h"
#include "flow/policy/why.h"
#include "flow/split_weights.h"

#include "base/alloc.h"
#include "base/error.h"
#include "kernel/launch.h"

/* Lanes of ALWAYS_NEW, per device: beyond that, one that is idle, or the one
 * that is free first. */
enum { LANES_MOST = 64 };

static plait__device_choices *choices_of(const plait__flow *flow)
{
	return flow->devices->choices;
}

/* ---- begin and end ---- */

static void init_lists(plait__device_choices *choices,
		       const plait_allocator *allocator)
{
	plait__vector_init(&choices->lanes, allocator,
			   sizeof(plait__choice_lane));
	plait__vector_init(&choices->pieces, allocator,
			   sizeof(plait__policy_piece));
	plait__vector_init(&choices->preds, allocator,
			   sizeof(plait__policy_pred));
	plait__vector_init(&choices->parents, allocator,
			   sizeof(plait__policy_parent));
	plait__vector_init(&choices->parent_ops, allocator, sizeof(uint64_t));
	plait__vector_init(&choices->points, allocator,
			   sizeof(plait__place_point));
}

plait_status plait__device_choice_init(plait__flow *flow,
				       const plait_flow_desc *desc,
				       plait_error *error)
{
	const plait_allocator *allocator = plait__flow_allocator(flow);
	const plait__memory_system *memories = &flow->devices->system;
	plait__device_choices *choices = plait__alloc(allocator,
						      sizeof(*choices));
	const plait__placer_system system = {
		.devices = memories->devices, .memories = memories->memories,
		.host = PLAIT__MEMORY_HOST, .memory_of = memories->memory_of,
		.reaching = memories->reaching,
	};
	plait__placer_options options = {
		.choose = desc->choose, .parent = desc->parent,
		.lane = desc->lane, .threshold = desc->threshold,
		.lanes = desc->device_lanes != 0 ? desc->device_lanes : 1,
	};

	plait_status status;

	flow->devices->choices = choices;
	if (choices == NULL)
		goto fail;
	init_lists(choices, allocator);
	choices->queues = options.lanes;
	choices->window = plait__window_size(&flow->window);
	choices->placed = plait__alloc_array(allocator, choices->window,
					     sizeof(*choices->placed));
	if (choices->placed == NULL)
		goto fail;
	status = plait__device_links_make(&choices->links, flow, desc->links,
					  error);
	if (status != PLAIT_OK)
		return status;
	options.links = &choices->links;
	plait__placer_init(&choices->placer, allocator, &system, &options);
	if (!choices->placer.failed)
		return PLAIT_OK;
fail:
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory for the devices of a flow");
}

void plait__device_choice_fini(plait__flow *flow)
{
	const plait_allocator *allocator = plait__flow_allocator(flow);
	plait__device_choices *choices = flow->devices->choices;

	if (choices == NULL)
		return;
	if (choices->placer.options.links != NULL)
		plait__placer_fini(&choices->placer);
	if (choices->links.table != NULL)
		plait__links_fini(&choices->links);
	plait__vector_fini(&choices->lanes);
	plait__vector_fini(&choices->pieces);
	plait__vector_fini(&choices->preds);
	plait__vector_fini(&choices->parents);
	plait__vector_fini(&choices->parent_ops);
	plait__vector_fini(&choices->points);
	plait__free(allocator, choices->placed,
		    choices->window * sizeof(*choices->placed));
	plait__free(allocator, choices, sizeof(*choices));
}

/* ---- predecessors ---- */

static plait__placed_op *find(const plait__device_choices *choices,
			      uint64_t number)
{
	plait__placed_op *op =
		&choices->placed[number & (choices->window - 1)];

	return number != 0 && op->number == number ? op : NULL;
}

/* An item was appended to a list of the request; null: there is no memory. */
static void note(const plait__flow *flow, const void *item)
{
	if (item == NULL)
		choices_of(flow)->placer.failed = true;
}

/* Parents are in the order of the program. */
static void add_parent(const plait__flow *flow, uint64_t number)
{
	plait__vector *ops = &choices_of(flow)->parent_ops;
	uint64_t *items;
	uint32_t i;

	note(flow, PLAIT__VECTOR_ADD(ops, &number));
	if (choices_of(flow)->placer.failed)
		return;
	items = ops->items;
	for (i = ops->count - 1; i > 0 && items[i - 1] > number; i--)
		items[i] = items[i - 1];
	items[i] = number;
}

/* Add the predecessor that a number of a front stands for. */
static void add_pred(const plait__flow *flow, uint64_t number);

/* The readers that a mark stands for; only the first may be a mark again. */
static void add_marked(const plait__flow *flow, uint64_t number)
{
	const plait__op *op = plait__op_at(&flow->window.ring, number);
	/* Relaxed: written under the lock. */
	uint64_t meta = at_load_relaxed_u64(&op->meta);

	if (number <= flow->window.settled ||
	    plait__op_is_done(&flow->window.ring, number) ||
	    plait__op_kind(meta) != PLAIT__OP_MARK)
		return;
	for (uint32_t i = 0; i < plait__op_pred_count(meta); i++)
		add_pred(flow, plait__op_pred(op, number, i));
}

static void add_pred(const plait__flow *flow, uint64_t number)
{
	plait__device_choices *choices = choices_of(flow);
	plait__placed_op *op = find(choices, number);
	plait__policy_pred pred;

	if (op == NULL)
		add_marked(flow, number);
	if (op == NULL || op->request == choices->requests)
		return;
	op->request = choices->requests;
	pred = (plait__policy_pred){ op->finish_ns, op->device };
	note(flow, PLAIT__VECTOR_ADD(&choices->preds, &pred));
	if (op->lane != PLAIT__CHOICE_HOST &&
	    !plait__op_is_done(&flow->window.ring, number))
		add_parent(flow, number);
}

/* The readers of what an op has written, and of a token the op. */
struct readers {
	const plait__flow *flow;
	uint64_t after;
	bool found;
};

static void visit_readers(void *arg, plait__front *front,
			  const plait_box *piece)
{
	struct readers *readers = arg;

	(void)piece;
	for (uint64_t i = 0; i < front->count; i++) {
		if (front->readers[i] <= readers->after)
			continue;
		readers->found = true;
		add_pred(readers->flow, front->readers[i]);
	}
}

static void visit_writer(void *arg, plait__front *front, const plait_box *piece)
{
	const struct readers *readers = arg;

	(void)piece;
	add_pred(readers->flow, front->writer);
}

/* As plait__front_access_gather_all: the writer is behind by its readers. */
static void add_token(const plait__flow *flow,
		      const plait__flow_access *access)
{
	struct readers readers = { .flow = flow };

	if ((access->mode & PLAIT__ACCESS_WRITES) != 0)
		plait__front_map_visit_box(&access->whole->map, &access->box,
					   visit_readers, &readers);
	if (!readers.found || (access->mode & PLAIT__ACCESS_READS) != 0)
		plait__front_map_visit_box(&access->whole->map, &access->box,
					   visit_writer, &readers);
}

/* ---- data ---- */

/* The number of an op of which the low half is known; 0: none. */
static uint64_t whole_number(const plait__flow *flow, uint32_t low)
{
	uint64_t newest = flow->window.newest;

	return low == 0 ? 0 : newest - (uint32_t)((uint32_t)newest - low);
}

static void add_version(const plait__flow *flow,
			const plait__flow_access *access,
			const plait__version *version)
{
	plait__data_copies *copies = access->whole->copies;
	plait_box part = plait__box_list_meet(&version->box, &access->box);
	struct readers readers = {
		.flow = flow, .after = whole_number(flow, version->writer) };
	const plait__placed_op *writer = find(choices_of(flow), readers.after);
	const plait__policy_piece piece = {
		.bytes = plait__box_elements(&part) *
			 access->whole->element_bytes,
		.valid = version->valid,
		.ready_ns = writer == NULL ? 0 : writer->finish_ns,
		.overwritten = (access->mode & PLAIT__ACCESS_READS) == 0,
	};

	note(flow, PLAIT__VECTOR_ADD(&choices_of(flow)->pieces, &piece));
	/* It was read where it is. */
	for (uint64_t left = (access->mode & PLAIT__ACCESS_WRITES) != 0 ?
				     version->valid : 0;
	     left != 0; left &= left - 1) {
		uint32_t m = (uint32_t)__builtin_ctzll(left);

		plait__front_map_visit_box(
			m == PLAIT__MEMORY_HOST ? &access->whole->map :
			&plait__data_copies_at(copies, m)->map,
			&part, visit_readers, &readers);
	}
	if (!readers.found || (access->mode & PLAIT__ACCESS_READS) != 0)
		add_pred(flow, readers.after);
}

static void add_access(const plait__flow *flow,
		       const plait__flow_access *access)
{
	const plait__vector *versions;

	if (access->whole->copies == NULL) {
		add_token(flow, access);
		return;
	}
	versions = &access->whole->copies->coherence.versions;
	for (uint32_t i = 0; i < versions->count; i++) {
		const plait__version *version = plait__vector_at(versions, i);

		if (plait__box_overlap(&version->box, &access->box))
			add_version(flow, access, version);
	}
}

/* ---- the request ---- */

/* Advance the clock by the tasks that are done since, and find idle lanes. */
static void advance(plait__flow *flow)
{
	plait__device_choices *choices = choices_of(flow);
	plait__placer *placer = &choices->placer;
	uint64_t from = choices->known;

	if (flow->window.settled - from > choices->window)
		from = flow->window.settled - choices->window;
	while (from < flow->window.settled) {
		const plait__placed_op *op = find(choices, ++from);

		if (op != NULL && op->finish_ns > placer->now_ns)
			placer->now_ns = op->finish_ns;
	}
	choices->known = from;
	for (uint32_t i = 0; i < choices->lanes.count; i++) {
		const plait__choice_lane *lane =
			plait__vector_at(&choices->lanes, i);

		plait__placer_lane(placer, i)->busy = !plait__op_is_done(
			&flow->window.ring, lane->newest);
	}
}

static void list_parents(const plait__flow *flow)
{
	plait__device_choices *choices = choices_of(flow);

	for (uint32_t i = 0; i < choices->parent_ops.count; i++) {
		const plait__placed_op *op = find(
			choices, *(uint64_t *)plait__vector_at(
					 &choices->parent_ops, i));
		const plait__policy_parent parent = { op->device, op->lane,
						      op->inherited };

		note(flow, PLAIT__VECTOR_ADD(&choices->parents, &parent));
		note(flow, PLAIT__VECTOR_ADD(&choices->points, &op->point));
	}
}

static void list_all(const plait__flow_task *task)
{
	plait__flow *flow = task->flow;
	plait__device_choices *choices = choices_of(flow);
	plait__placing *placing = &choices->placing;

	choices->requests++;
	plait__vector_truncate(&choices->pieces, 0);
	plait__vector_truncate(&choices->preds, 0);
	plait__vector_truncate(&choices->parents, 0);
	plait__vector_truncate(&choices->parent_ops, 0);
	plait__vector_truncate(&choices->points, 0);
	advance(flow);
	for (uint32_t i = 0; i < task->access_count; i++)
		add_access(flow, &flow->accesses[i]);
	add_pred(flow, flow->barrier);
	list_parents(flow);
	placing->pieces = choices->pieces.items;
	placing->piece_count = choices->pieces.count;
	placing->preds = choices->preds.items;
	placing->pred_count = choices->preds.count;
	placing->parents = choices->parents.items;
	placing->points = choices->points.items;
	placing->parent_count = choices->parents.count;
}

/* ---- the choice ---- */

static plait_status check_memory(plait__device_choices *choices,
				 plait_error *error)
{
	bool failed = choices->placer.failed;

	choices->placer.failed = false;
	return !failed ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_NOMEM, "no memory for a choice");
}

static uint32_t count_lanes(const plait__placer *placer, uint32_t device,
			    uint32_t before)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < before; i++)
		count += plait__placer_lane(placer, i)->device == device;
	return count;
}

/* Let each lane of the policies have a queue, and keep room for one more. */
static void own_lanes(plait__device_choices *choices)
{
	plait__placer *placer = &choices->placer;

	while (choices->lanes.count < placer->lanes.count && !placer->failed) {
		uint32_t lane = choices->lanes.count;
		const plait__choice_lane made = {
			.queue = count_lanes(
				placer, plait__placer_lane(placer, lane)->device,
				lane) % choices->queues };

		placer->failed = PLAIT__VECTOR_ADD(&choices->lanes, &made) ==
				 NULL;
	}
	placer->failed |= plait__vector_reserve(&choices->lanes, 1) != 0 ||
			  plait__vector_reserve(&placer->lanes, 1) != 0;
}

/* The queue of the lane, which may be a new one. */
static uint32_t queue_of(const plait__device_choices *choices)
{
	uint32_t lane = choices->placing.choice.by_lane.lane;

	if (lane < choices->lanes.count)
		return ((const plait__choice_lane *)plait__vector_at(
				&choices->lanes, lane))->queue;
	return count_lanes(&choices->placer, choices->placing.choice.device,
			   choices->placer.lanes.count) % choices->queues;
}

/* Of very many lanes none is new. */
static void choose(plait__device_choices *choices)
{
	plait__placer *placer = &choices->placer;
	const plait__placer_options options = placer->options;
	bool is_full = options.lane == PLAIT__LANE_ALWAYS_NEW &&
		       options.parent != PLAIT__PARENT_BEST &&
		       placer->lanes.count >=
			       LANES_MOST * placer->system.devices;

	if (is_full) {
		placer->options.lane = PLAIT__LANE_REUSE;
		placer->options.lanes = 1;
	}
	plait__placer_choose(placer, &choices->placing);
	placer->options = options;
}

/* Expected times on all devices. */
static void predict(const plait__flow_task *task)
{
	const plait__flow *flow = task->flow;
	plait__device_choices *choices = choices_of(flow);
	uint64_t cost = task->cost != 0 ? task->cost : PLAIT__PLACER_COST_NS;
	uint64_t items;

	for (uint32_t d = 0; d < choices->placer.system.devices; d++)
		choices->placing.cost_ns[d] = cost;
	if (flow->history == NULL)
		return;
	items = plait__launch_items(task->filled.launch);
	for (uint32_t d = 0; d < choices->placer.system.devices; d++) {
		choices->estimates[d] = plait__flow_history_estimate(
			flow, task->kernel->kernel, d, items, cost);
		choices->placing.cost_ns[d] = choices->estimates[d].ns;
	}
}

plait_status plait__device_choice_begin(const plait__flow_task *task,
					uint64_t candidates, bool is_fixed,
					uint32_t *out_device,
					plait_error *error)
{
	plait__device_choices *choices = choices_of(task->flow);
	plait__placer *placer = &choices->placer;
	plait__placing *placing = &choices->placing;

	list_all(task);
	placing->candidates = candidates;
	placing->is_fixed = is_fixed;
	predict(task);
	*out_device = UINT32_MAX;
	if ((candidates & (candidates - 1)) == 0)
		*out_device = (uint32_t)__builtin_ctzll(candidates);
	else if (!placer->failed && placer->options.lanes != 1 &&
		 placer->options.parent == PLAIT__PARENT_BEST)
		*out_device = plait__placer_find_device(placer, placing);
	return check_memory(choices, error);
}

plait_status plait__device_choice_make(const plait__flow_task *task,
				       uint32_t *out_device,
				       uint32_t *out_queue, plait_error *error)
{
	plait__device_choices *choices = choices_of(task->flow);
	const plait__placing *placing = &choices->placing;

	choose(choices);
	if (!choices->placer.failed)
		own_lanes(choices);
	*out_device = placing->choice.device;
	*out_queue = queue_of(choices);
	return check_memory(choices, error);
}

plait_status plait__device_choice_make_host(const plait__flow_task *task,
					    plait_error *error)
{
	list_all(task);
	return check_memory(choices_of(task->flow), error);
}

plait_status plait__device_choice_make_run(const plait__flow *flow,
					   uint64_t memories, plait_error *error)
{
	plait__device_choices *choices = choices_of(flow);
	const plait__memory_system *system = &flow->devices->system;
	plait__placing *placing = &choices->placing;

	plait__vector_truncate(&choices->preds, 0);
	for (uint32_t i = 0; i < choices->placer.lanes.count; i++) {
		const plait__policy_lane *lane =
			plait__placer_lane(&choices->placer, i);
		const plait__policy_pred pred = { lane->free_ns, lane->device };

		if ((memories >> system->memory_of[lane->device] & 1) != 0)
			note(flow, PLAIT__VECTOR_ADD(&choices->preds, &pred));
	}
	placing->preds = choices->preds.items;
	placing->pred_count = choices->preds.count;
	return check_memory(choices, error);
}

/* ---- the commit ---- */

/* Book the lane and the copies; there is room. */
static void occupy(const plait__flow_task *task, plait__placed_op *op)
{
	plait__device_choices *choices = choices_of(task->flow);
	plait__placing *placing = &choices->placing;
	const plait__parent_choice *choice = &placing->choice;
	plait__choice_lane *lane;

	plait__placer_commit(&choices->placer, placing);
	own_lanes(choices);
	/* Only clocks may be lost then. */
	choices->placer.failed = false;
	lane = plait__vector_at(&choices->lanes, placing->lane);
	lane->newest = task->number;
	op->device = choice->device;
	op->lane = placing->lane;
	op->finish_ns = placing->finish_ns;
	op->point = placing->point;
	if (choice->parent != PLAIT__PARENT_NONE)
		find(choices, *(uint64_t *)plait__vector_at(
				      &choices->parent_ops, choice->parent))
			->inherited = true;
}

void plait__device_choice_commit(const plait__flow_task *task)
{
	plait__device_choices *choices = choices_of(task->flow);
	plait__placed_op op = { .number = task->number,
				.device = PLAIT__CHOICE_HOST,
				.lane = PLAIT__CHOICE_HOST };

	if (task->device != NULL)
		occupy(task, &op);
	else
		op.finish_ns = plait__saturating_add(
			plait__placer_preds_end(&choices->placing,
						PLAIT__CHOICE_HOST),
			task->cost != 0 ? task->cost : 1);
	choices->placed[task->number & (choices->window - 1)] = op;
}

/* ---- the reason ---- */

void plait__device_choice_explain(const plait__flow_task *task,
				  plait__text *out)
{
	plait__device_choices *choices = choices_of(task->flow);
	const plait__placing *placing = &choices->placing;

	if (task->chunk.count > 1)
		plait__text_add(out, "device %u: piece %u of %u",
				placing->choice.device, task->chunk.index,
				task->chunk.count);
	else if (placing->choice.device_chosen)
		plait__why_device(out, &placing->request,
				  &placing->choice.by_device,
				  placing->figures);
	else
		plait__text_add(out, "device %u: that of its lane",
				placing->choice.device);
	if (task->weights != NULL) {
		plait__text_add(out, " by weights: ");
		plait__why_split(out, &task->weights->choice,
				 task->weights->is_first);
	}
	if (choices->placer.options.lanes != 1) {
		plait__text_add(out, "; ");
		plait__why_lane(out, &placing->choice);
	}
	if (task->flow->history == NULL)
		return;
	plait__text_add(out, "; time ");
	plait__why_time(out, &choices->estimates[placing->choice.device]);
}
