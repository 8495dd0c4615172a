/* SPDX-License-Identifier: MIT */
/* Proof of a flow's horizons; see flow_proof.h. */
#include "flow/flow_proof.h"

#include "flow/flow_devices.h"
#include "flow/proof/order_proof.h"
#include "flow/proof/value_versions.h"
#include "flow/repetitions.h"

#include "base/alloc.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>

enum { HORIZON = 64, BARRIERS = 1 };

/* A data that the flow has, or that ops of the proof name. */
struct proved_data {
	const plait__data *whole; /* null: it has ended */
	uint64_t last_use;
	uint32_t dimensions;
	char label[PLAIT__ORDER_PROOF_LABEL];
	plait__value_versions *versions; /* or null: one memory */
};

struct plait__flow_proof {
	plait__order_proof order;
	plait__vector data; /* struct proved_data */
	uint32_t horizon;
	uint32_t memories;
	uint32_t ended_data; /* places of `data` that may be used again */
	uint32_t proved; /* ops of `order` */
	uint64_t settled; /* ops up to this one were seen done */
	uint64_t forgotten; /* ops up to this one */
	/* An op has failed: which memory has which values depends on when. */
	bool has_failures;
	plait_error error;
	plait_status status; /* of the first proof that failed */
};

bool plait__flow_proof_make(plait__flow *flow, const plait_flow_desc *desc)
{
	const plait_allocator *allocator = plait__flow_allocator(flow);
	plait__flow_proof *proof = plait__alloc(allocator, sizeof(*proof));

	flow->proof = proof;
	if (proof == NULL)
		return false;
	plait__order_proof_init(&proof->order, allocator);
	plait__vector_init(&proof->data, allocator, sizeof(struct proved_data));
	proof->horizon = desc->horizon != 0 ? desc->horizon : HORIZON;
	proof->memories = 1 + desc->device_count;
	proof->error.size = sizeof(proof->error);
	return true;
}

static struct proved_data *data_at(const plait__flow_proof *proof, uint32_t i)
{
	return plait__vector_at(&proof->data, i);
}

void plait__flow_proof_free(plait__flow *flow)
{
	plait__flow_proof *proof = flow->proof;

	if (proof == NULL)
		return;
	for (uint32_t i = 0; i < proof->data.count; i++)
		plait__value_versions_free(data_at(proof, i)->versions,
					   plait__flow_allocator(flow));
	plait__vector_fini(&proof->data);
	plait__order_proof_fini(&proof->order);
	plait__free(plait__flow_allocator(flow), proof, sizeof(*proof));
}

/* ---- failures ---- */

static plait_status fail_memory(plait__flow_proof *proof)
{
	return proof->status = plait__fail(&proof->error, PLAIT_E_NOMEM,
					   "no memory to prove the order of "
					   "tasks");
}

plait_status plait__flow_proof_tell(const plait__flow *flow,
				    plait_error *error)
{
	const plait__flow_proof *proof = flow->proof;

	return proof->status == PLAIT_OK ?
		       PLAIT_OK :
		       plait__fail(error, proof->status, "%s",
				   proof->error.text);
}

/* 'task 7 "a" writes u [0, 4)' */
enum { ACCESS_TEXT = PLAIT__BOX_TEXT + 2 * PLAIT__ORDER_PROOF_LABEL + 48 };

static const char *access_text(const plait__flow_proof *proof,
			       const plait__order_op *op,
			       const plait__order_access *access,
			       char room[ACCESS_TEXT])
{
	static const char *const modes[] = { "", "reads", "writes", "updates" };
	const struct proved_data *data;
	char box[PLAIT__BOX_TEXT];

	if (access->object < BARRIERS) {
		snprintf(room, ACCESS_TEXT, "task %" PRIu64 "%s%s",
			 op->number, op->label,
			 (access->mode & PLAIT__ACCESS_WRITES) != 0 ?
				 ", a barrier," : "");
		return room;
	}
	data = data_at(proof, (access->object - BARRIERS) / proof->memories);
	snprintf(room, ACCESS_TEXT, "task %" PRIu64 "%s %s %s%s%s",
		 op->number, op->label, modes[access->mode & 3], data->label,
		 data->dimensions > 0 ? " " : "",
		 data->dimensions > 0 ?
			 plait__box_text(&access->box, data->dimensions, box) :
			 "");
	return room;
}

static void fail_conflict(plait__flow_proof *proof,
			  const plait__order_conflict *conflict)
{
	uint32_t object = conflict->accesses[0]->object;
	char one[ACCESS_TEXT], other[ACCESS_TEXT], memory[32] = "";

	if (object >= BARRIERS && proof->memories > 1)
		snprintf(memory, sizeof(memory), ", in memory %u",
			 (object - BARRIERS) % proof->memories);
	proof->status = plait__fail(
		&proof->error, PLAIT_E_INTERNAL,
		"%s and %s%s, and nothing orders them: a fault of plait, not "
		"of the program",
		access_text(proof, conflict->ops[0], conflict->accesses[0],
			    one),
		access_text(proof, conflict->ops[1], conflict->accesses[1],
			    other),
		memory);
}

static const char *version_text(uint64_t version, char room[32])
{
	if (version == PLAIT__VALUE_VERSIONS_NONE)
		snprintf(room, 32, "none");
	else if (version == 0)
		snprintf(room, 32, "the first ones");
	else
		snprintf(room, 32, "those of task %" PRIu64, version);
	return room;
}

static void fail_stale(plait__flow_proof *proof, const plait__order_op *op,
		       const plait__order_access *access,
		       const plait__stale_values *stale)
{
	const plait__order_access part = { access->object, access->mode,
					   stale->box };
	char text[ACCESS_TEXT], has[32], newest[32];

	proof->status = plait__fail(
		&proof->error, PLAIT_E_INTERNAL,
		"%s in memory %u, whose values are %s and not the newest, %s: "
		"a fault of plait, not of the program",
		access_text(proof, op, &part, text),
		(access->object - BARRIERS) % proof->memories,
		version_text(stale->version, has),
		version_text(stale->newest, newest));
}

/* ---- data ---- */

/* A place whose data has ended, and that no op names; else a new one. */
static struct proved_data *take_place(plait__flow_proof *proof, uint32_t *out)
{
	struct proved_data *place;

	for (*out = 0; proof->ended_data > 0 && *out < proof->data.count;
	     (*out)++) {
		place = data_at(proof, *out);
		if (place->whole != NULL || place->last_use > proof->forgotten)
			continue;
		proof->ended_data--;
		return place;
	}
	*out = proof->data.count;
	return plait__vector_push(&proof->data, NULL, 1);
}

static plait_status add_data(plait__flow *flow, plait__data *whole)
{
	plait__flow_proof *proof = flow->proof;
	struct proved_data *place;
	uint32_t index;

	place = take_place(proof, &index);
	if (place == NULL)
		return fail_memory(proof);
	*place = (struct proved_data){ .whole = whole,
				       .dimensions = whole->dimensions };
	snprintf(place->label, sizeof(place->label), "%.*s",
		 PLAIT__ORDER_PROOF_LABEL - 1,
		 whole->object.label[0] != '\0' ? whole->object.label : "data");
	whole->proved = index + 1;
	if (whole->copies == NULL)
		return PLAIT_OK;
	place->versions = plait__value_versions_make(
		plait__flow_allocator(flow), &whole->box, proof->memories);
	return place->versions != NULL ? PLAIT_OK : fail_memory(proof);
}

void plait__flow_proof_forget_data(plait__flow *flow, const plait__data *whole)
{
	struct proved_data *place;

	if (whole->proved == 0)
		return;
	place = data_at(flow->proof, whole->proved - 1);
	plait__value_versions_free(place->versions,
				   plait__flow_allocator(flow));
	place->versions = NULL;
	place->whole = NULL;
	flow->proof->ended_data++;
}

/* ---- values ---- */

static uint32_t memory_of(const plait__flow_access *access)
{
	plait__data_copies *copies = access->whole->copies;

	if (copies == NULL || access->map == &access->whole->map)
		return PLAIT__MEMORY_HOST;
	for (uint32_t m = 1; m < copies->count; m++)
		if (access->map == &plait__data_copies_at(copies, m)->map)
			return m;
	return copies->count;
}

/* A copy alone has the same data in two memories. */
static bool is_copy(const plait__flow_task *task)
{
	const plait__flow_access *accesses = task->flow->accesses;

	return task->again == NULL && task->access_count == 2 &&
	       accesses[0].whole == accesses[1].whole &&
	       accesses[0].map != accesses[1].map;
}

/* The op reads a box in a memory. */
static void check_values(plait__flow *flow, const plait__order_op *op,
			 const plait__data *whole, const plait_box *box,
			 uint32_t memory)
{
	plait__flow_proof *proof = flow->proof;
	const plait__order_access named = {
		BARRIERS + (whole->proved - 1) * proof->memories + memory,
		PLAIT__ACCESS_READS, *box
	};
	plait__stale_values stale;

	if (!plait__value_versions_are_newest(
		    data_at(proof, whole->proved - 1)->versions, box, memory,
		    &stale))
		fail_stale(proof, op, &named, &stale);
}

/* Returns false without memory. */
static bool write_version(plait__value_versions *versions,
			  const plait__version *version, uint64_t number)
{
	bool done = plait__value_versions_write(versions, &version->box,
						version->memory, number);
	uint64_t left = version->valid & ~(UINT64_C(1) << version->memory);

	for (; done && left != 0; left &= left - 1)
		done = plait__value_versions_copy(
			versions, &version->box, version->memory,
			(uint32_t)__builtin_ctzll(left));
	return done;
}

/* Note what the op does to values, and check those that it reads. */
static void follow_values(const plait__flow_task *task,
			  const plait__order_op *op)
{
	plait__flow *flow = task->flow;
	plait__flow_proof *proof = flow->proof;
	const plait__flow_access *accesses = flow->accesses;
	bool copies = is_copy(task), done = true;

	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; done && proof->status == PLAIT_OK &&
		     i < task->access_count; i++) {
			plait__value_versions *versions = data_at(
				proof, accesses[i].whole->proved - 1)->versions;

			if (versions == NULL)
				continue;
			if (pass == 0 &&
			    (accesses[i].mode & PLAIT__ACCESS_READS) != 0)
				check_values(flow, op, accesses[i].whole,
					     &accesses[i].box,
					     memory_of(&accesses[i]));
			else if (pass == 0)
				continue;
			else if (copies && i == 1)
				done = plait__value_versions_copy(
					versions, &accesses[i].box,
					memory_of(&accesses[0]),
					memory_of(&accesses[1]));
			else if ((accesses[i].mode & PLAIT__ACCESS_WRITES) != 0 &&
				 !task->keeps_values)
				done = plait__value_versions_write(
					versions, &accesses[i].box,
					memory_of(&accesses[i]), op->number);
		}
	if (!done)
		(void)fail_memory(proof);
}

/* A run of a repetition reads its needs, and leaves its results. */
static void follow_run(const plait__flow_task *task, const plait__order_op *op)
{
	const plait__vector *needs = &task->again->needs;
	const plait__vector *results = &task->again->results;
	plait__flow_proof *proof = task->flow->proof;
	bool done = true;

	for (uint32_t i = 0; proof->status == PLAIT_OK && i < needs->count;
	     i++) {
		const plait__repetition_need *need = plait__vector_at(needs, i);

		check_values(task->flow, op, need->whole, &need->box,
			     need->memory);
	}
	for (uint32_t i = 0; done && i < results->count; i++) {
		const plait__repetition_result *at =
			plait__vector_at(results, i);

		done = write_version(
			data_at(proof, at->whole->proved - 1)->versions,
			&at->version, op->number);
	}
	if (!done)
		(void)fail_memory(proof);
}

/* ---- ops ---- */

/* ' "a"', or nothing of a task without a name. */
static void set_label(plait__order_op *op, const plait__flow_task *task)
{
	const char *label = task == NULL ? NULL : task->label;

	if (task != NULL && label == NULL && task->kernel != NULL)
		label = task->kernel->kernel->signature->name;
	if (label != NULL)
		snprintf(op->label, sizeof(op->label), " \"%.*s\"",
			 PLAIT__ORDER_PROOF_LABEL - 4, label);
}

static void add_accesses(const plait__flow_task *task, plait__order_op *op)
{
	plait__flow *flow = task->flow;
	plait__flow_proof *proof = flow->proof;
	/* Barriers write what all other tasks read; copies are the flow's. */
	const plait__order_access barrier = {
		0, task->is_barrier ? PLAIT__ACCESS_WRITES :
				      PLAIT__ACCESS_READS,
		{ { 0, 0, 0 }, { 1, 1, 1 } }
	};

	for (uint32_t i = 0; i < task->access_count; i++) {
		const plait__flow_access *from = &flow->accesses[i];
		plait__order_access access = { .mode = from->mode,
					       .box = from->box };

		if (from->whole->proved == 0 &&
		    add_data(flow, from->whole) != PLAIT_OK)
			return;
		data_at(proof, from->whole->proved - 1)->last_use = op->number;
		access.object = BARRIERS + memory_of(from) +
				(from->whole->proved - 1) * proof->memories;
		plait__order_proof_add_access(&proof->order, &access);
	}
	if (!is_copy(task))
		plait__order_proof_add_access(&proof->order, &barrier);
	proof->has_failures |=
		flow->preds.keeps_settled ||
		!plait__outcomes_are_clean(&flow->lanes.outcomes);
	if (flow->devices == NULL || proof->has_failures)
		return;
	if (task->again != NULL)
		follow_run(task, op);
	else
		follow_values(task, op);
}

/* Look at the words of the ring, instead of trusting window.settled. */
static void settle(plait__flow *flow)
{
	plait__flow_proof *proof = flow->proof;

	while (proof->settled < flow->window.settled &&
	       plait__op_is_done(&flow->window.ring, proof->settled + 1))
		proof->settled++;
}

void plait__flow_proof_add(plait__flow *flow, const plait__flow_task *task,
			   const plait__pred *preds, uint32_t count,
			   bool is_prefix)
{
	plait__flow_proof *proof = flow->proof;
	plait__order_op op = { .number = flow->window.newest,
			       .is_prefix = is_prefix };

	if (proof->status != PLAIT_OK)
		return;
	settle(flow);
	op.settled = proof->settled;
	set_label(&op, task);
	for (uint32_t i = 0; i < count; i++)
		plait__order_proof_add_pred(&proof->order, preds[i].number,
					    false);
	if (task != NULL)
		add_accesses(task, &op);
	plait__order_proof_add(&proof->order, &op);
}

void plait__flow_proof_evict(plait__flow *flow, const plait__data *whole,
			     uint32_t memory)
{
	plait__flow_proof *proof = flow->proof;
	plait__value_versions *versions;

	if (proof->status != PLAIT_OK || whole->proved == 0)
		return;
	versions = data_at(proof, whole->proved - 1)->versions;
	if (versions != NULL &&
	    !plait__value_versions_drop(versions, &whole->box, memory))
		(void)fail_memory(proof);
}

void plait__flow_proof_note_done(plait__flow *flow, uint64_t number)
{
	if (flow->proof->status == PLAIT_OK &&
	    plait__op_is_done(&flow->window.ring, number))
		plait__order_proof_add_pred(&flow->proof->order, number, true);
}

void plait__flow_proof_run(plait__flow *flow, bool all)
{
	plait__flow_proof *proof = flow->proof;
	plait__order_proof *order = &proof->order;
	uint32_t fresh = order->ops.count - proof->proved;
	plait__order_conflict conflict;
	plait_status status;

	if (proof->status != PLAIT_OK || fresh == 0 ||
	    (!all && (fresh < proof->horizon || fresh < proof->proved / 4)))
		return;
	status = plait__order_proof_run(order, &conflict, &proof->error);
	if (status == PLAIT_E_INVALID) {
		fail_conflict(proof, &conflict);
		return;
	}
	proof->status = status;
	settle(flow);
	plait__order_proof_forget(order, proof->settled);
	proof->proved = order->ops.count;
	proof->forgotten = proof->settled;
}
