/* SPDX-License-Identifier: MIT */
/*
 * Launches over ranks whose pieces are taken from copies of those before: with values,
 * labels and priorities of their own, in their own geometry, and refused as those that
 * are prepared.
 */
#include "lib/objects.h"
#include "world/threads.h"

#include "flow/flow.h"
#include "flow/rank_memo.h"

#include <stdatomic.h>

enum { N = 60, RANKS = 3, REPEATS = 4 };

/* A value whose launch fails. */
#define FAILING UINT64_MAX

struct program {
	plait_flow *flow;
	plait_data *data[2];
	plait_kernel *update;
	uint64_t model[2][N];
	uint64_t host[N];
	uint32_t urgent; /* ops in the lane of urgent ones */
	plait_error failure;
	bool is_wrong;
};

static struct rank ranks[THREADS_MAX];
static struct program programs[THREADS_MAX];
static atomic_int misfits;  /* pieces whose geometry is not their chunk's */
static atomic_int refusals; /* on all ranks */

/* ---- launches ---- */

static void compute(const uint64_t *a, uint64_t *b, uint64_t low, uint64_t high,
		    uint64_t value)
{
	for (uint64_t i = low; i < high; i++)
		b[i] = 3 * b[i] + value + (i > 0 ? 5 * a[i - 1] : 1) +
		       (i + 1 < N ? 7 * a[i + 1] : 2);
}

static int32_t run_update(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	const plait_box *chunk = arguments[3];

	(void)user_data;
	if (launch->items[0] != chunk->high[0] - chunk->low[0])
		atomic_fetch_add(&misfits, 1);
	compute(*(const uint64_t *const *)arguments[0],
		*(uint64_t *const *)arguments[1], chunk->low[0],
		chunk->high[0], *(const uint64_t *)arguments[2]);
	return *(const uint64_t *)arguments[2] == FAILING ? 7 : 0;
}

/* A launch, and room for what it names. */
struct room {
	uint64_t value;
	plait_mapper near, own;
	plait_access reads, writes;
	plait_launch launch;
	plait_argument arguments[5];
	plait_task_desc desc;
};

static void describe(struct room *room, const struct program *program,
		     uint32_t pieces, int from)
{
	*room = (struct room){
		.near = { .size = sizeof(room->near), .extent = { 1 },
			  .kind = PLAIT_MAPPER_NEIGHBORHOOD },
		.own = { .size = sizeof(room->own),
			 .kind = PLAIT_MAPPER_ONE_TO_ONE },
		.reads = { .size = sizeof(room->reads), .mapper = &room->near,
			   .data = program->data[from] },
		.writes = { .size = sizeof(room->writes), .mapper = &room->own,
			    .data = program->data[1 - from] },
		.launch = { .size = sizeof(room->launch), .dimensions = 1,
			    .items = { N } },
		.arguments = { PLAIT_ACCESS(&room->reads),
			       PLAIT_ACCESS(&room->writes),
			       PLAIT_VALUE(room->value), PLAIT_CHUNK(),
			       PLAIT_CHUNK() },
		.desc = { .size = sizeof(room->desc), .label = "update",
			  .kernel = program->update, .launch = &room->launch,
			  .split = 1, .pieces = pieces,
			  .arguments = room->arguments, .argument_count = 4 },
	};
}

static void launch(struct rank *rank, uint32_t pieces, int from, uint64_t value)
{
	struct program *program = rank->arg;
	struct room room;

	describe(&room, program, pieces, from);
	room.value = value;
	compute(program->model[from], program->model[1 - from], 0, N, value);
	(void)rank_did(rank, plait_flow_submit(program->flow, &room.desc, NULL,
					       &rank->error));
}

static void check(struct rank *rank)
{
	struct program *program = rank->arg;

	for (int i = 0; i < 2; i++) {
		(void)rank_did(rank, plait_data_read(program->data[i], NULL,
						     program->host,
						     &rank->error));
		program->is_wrong |= memcmp(program->host, program->model[i],
					    sizeof(program->host)) != 0;
	}
}

/* ---- programs ---- */

static void make_data(struct rank *rank, int i)
{
	struct program *program = rank->arg;
	const plait_data_desc desc = { .size = sizeof(desc), .dimensions = 1,
				       .element_bytes = 8, .extent = { N } };

	for (uint64_t k = 0; k < N; k++)
		program->model[i][k] = k * k + (uint64_t)i;
	(void)(rank_did(rank, plait_data_create(program->flow, &desc,
						&program->data[i],
						&rank->error)) &&
	       rank_did(rank, plait_data_write(program->data[i], NULL,
					       program->model[i],
					       &rank->error)));
}

static void make_kernel(struct rank *rank)
{
	struct program *program = rank->arg;
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .function = run_update,
		.signature = "update(a: in pointer u64, b: inout pointer u64, "
			     "value: u64, c: struct chunk 48)" };

	(void)rank_did(rank, plait_kernel_create(rank->context, &desc,
						 &program->update,
						 &rank->error));
}

static struct program *begin(struct rank *rank)
{
	struct program *program = &programs[rank->rank];
	const plait_flow_desc desc = { .size = sizeof(desc),
				       .world = rank->world };

	rank->arg = program;
	(void)rank_did(rank, plait_flow_create(rank->context, &desc,
					       &program->flow, &rank->error));
	make_kernel(rank);
	make_data(rank, 0);
	make_data(rank, 1);
	return program;
}

static void end(struct program *program)
{
	(void)plait_flow_wait(program->flow, 0, PLAIT_FOREVER, NULL);
	plait_data_release(program->data[0]);
	plait_data_release(program->data[1]);
	plait_kernel_release(program->update);
	plait_flow_release(program->flow);
}

/* `wanted`: misfits. */
static void run_misfits(int wanted, void (*run)(struct rank *rank))
{
	memset(ranks, 0, sizeof(ranks));
	memset(programs, 0, sizeof(programs));
	atomic_store(&refusals, 0);
	atomic_store(&misfits, 0);
	for (uint32_t i = 0; i < RANKS; i++)
		ranks[i].workers = 1;
	IS_UINT(ranks_run(ranks, RANKS, "loopback", run), RANKS);
	for (uint32_t i = 0; i < RANKS; i++) {
		IS_STR(ranks[i].error.text, "");
		OK(!programs[i].is_wrong);
	}
	IS_INT(atomic_load(&misfits), wanted);
}

static void run_ranks(void (*run)(struct rank *rank))
{
	run_misfits(0, run);
}

/* ---- values and pieces ---- */

/* One piece a rank and several, as many as have copies and more, fewer than ranks. */
static void run_values(struct rank *rank)
{
	static const uint32_t pieces[] = { 3, 7, 48, 60, 2 };
	struct program *program = begin(rank);

	for (uint64_t i = 0; i < 60; i++)
		launch(rank, pieces[i / 2 % 5], i % 2, i * i);
	check(rank);
	for (uint64_t i = 0; i < 20; i++)
		launch(rank, pieces[i / 4], i % 2, i);
	check(rank);
	end(program);
}

static void takes_values_of_each_launch(void)
{
	run_ranks(run_values);
}

/* ---- what is taken ---- */

enum { PIECES = 7 }; /* of a launch; several on each rank */

static plait__flow *lock_flow(struct rank *rank)
{
	struct program *program = rank->arg;
	plait__flow *self = NULL;

	if (!rank_did(rank, plait__flow_enter(program->flow, &self,
					      &rank->error)))
		return NULL;
	plait__flow_lock(self);
	return self;
}

static void unlock_flow(plait__flow *self)
{
	plait__flow_unlock(self);
	plait__object_leave(&self->object);
}

/* Give each copy a geometry that is not its chunk's. */
static void spoil_copies(struct rank *rank)
{
	plait__flow *self = lock_flow(rank);

	for (uint32_t i = 0; self != NULL && i < PLAIT__RANK_MEMOS; i++) {
		const plait__rank_memo *memo = self->ranks->memos[i];

		for (uint32_t k = 0; memo != NULL && k < memo->copies.items.count;
		     k++)
			((plait__launch_copy *)plait__vector_at(
				&memo->copies.items, k))->geometry.items[0]++;
	}
	if (self != NULL)
		unlock_flow(self);
}

static void run_spoiled(struct rank *rank)
{
	struct program *program = begin(rank);

	for (uint64_t i = 0; i < REPEATS; i++)
		launch(rank, PIECES, 0, i);
	check(rank);
	spoil_copies(rank);
	for (uint64_t i = 0; i < REPEATS; i++)
		launch(rank, PIECES, 0, i);
	check(rank);
	end(program);
}

static void takes_all_pieces_from_copies(void)
{
	run_misfits(PIECES * REPEATS, run_spoiled);
}

/* ---- labels and priorities ---- */

static void run_labels(struct rank *rank)
{
	struct program *program = begin(rank);
	struct room room;

	for (uint64_t i = 0; i < REPEATS; i++)
		launch(rank, RANKS, 0, i);
	check(rank);
	describe(&room, program, RANKS, 0);
	room.value = FAILING;
	room.desc.label = "the one that fails";
	(void)rank_did(rank, plait_flow_submit(program->flow, &room.desc, NULL,
					       &rank->error));
	program->failure.size = sizeof(program->failure);
	program->is_wrong = plait_flow_wait(program->flow, 0, PLAIT_FOREVER,
					    &program->failure) != PLAIT_E_FAILED;
	end(program);
}

static void names_the_label_of_a_failure(void)
{
	run_ranks(run_labels);
	for (uint32_t i = 0; i < RANKS; i++)
		HAS_STR(programs[i].failure.text, "\"the one that fails\"");
}

/* Count the ops in the lane of urgent ones. */
static uint32_t count_urgent(struct rank *rank)
{
	plait__flow *self = lock_flow(rank);
	uint32_t urgent = 0;

	if (self == NULL)
		return 0;
	for (uint64_t i = 1; i <= self->window.newest; i++)
		urgent += self->lane_of[i & self->window.ring.mask] ==
			  self->lanes.count;
	unlock_flow(self);
	return urgent;
}

/* No transfer precedes the pieces, so that each rank's is in a lane at once. */
static void run_urgent(struct rank *rank)
{
	struct program *program = begin(rank);
	struct room room;

	for (uint64_t i = 0; i < REPEATS; i++)
		launch(rank, RANKS, 0, i);
	(void)rank_did(rank, plait_flow_wait(program->flow, 0, PLAIT_FOREVER,
					     &rank->error));
	program->is_wrong = count_urgent(rank) != 0;
	describe(&room, program, RANKS, 0);
	room.desc.priority = 1;
	(void)rank_did(rank, plait_flow_submit(program->flow, &room.desc, NULL,
					       &rank->error));
	program->urgent = count_urgent(rank);
	end(program);
}

static void keeps_the_priority_of_each_launch(void)
{
	run_ranks(run_urgent);
	for (uint32_t i = 0; i < RANKS; i++)
		IS_UINT(programs[i].urgent, 1);
}

/* ---- mistakes in a launch that came before without them ---- */

static void shorten_value(struct room *room)
{
	room->arguments[2].bytes = 4;
}

static void drop_value(struct room *room)
{
	room->arguments[2].value = NULL;
}

static void drop_arguments(struct room *room)
{
	room->desc.argument_count = 2;
}

static void hide_arguments(struct room *room)
{
	room->desc.arguments = NULL;
}

static void add_argument(struct room *room)
{
	room->desc.argument_count = 5;
}

static void name_host(struct room *room)
{
	room->desc.host = room;
}

static void change_kind(struct room *room)
{
	room->desc.kind = PLAIT_TASK_CALL;
}

static void set_flag(struct room *room)
{
	room->desc.flags = 1 << 30;
}

static void set_reserved(struct room *room)
{
	room->reads.reserved0 = 1;
}

static void set_combine(struct room *room)
{
	room->reads.combine = room->desc.kernel;
}

static void set_mode(struct room *room)
{
	room->writes.mode = PLAIT_ACCESS_READ;
}

static void set_mapper_flag(struct room *room)
{
	room->near.flags = 1 << 30;
}

static void drop_data(struct room *room)
{
	room->reads.data = NULL;
}

static void (*const mistakes[])(struct room *room) = {
	shorten_value, drop_value, drop_arguments, hide_arguments,
	add_argument, name_host, change_kind, set_flag, set_reserved,
	set_combine, set_mode, set_mapper_flag, drop_data,
};

enum { MISTAKES = sizeof(mistakes) / sizeof(mistakes[0]) };

/* Submit what is refused on all ranks, with no effect. */
static void submit_refused(const struct program *program,
			   const struct room *room)
{
	plait_error error = { .size = sizeof(error) };

	if (plait_flow_submit(program->flow, &room->desc, NULL, &error) < 0)
		atomic_fetch_add(&refusals, 1);
}

static void run_mistakes(struct rank *rank)
{
	struct program *program = begin(rank);
	struct room room;

	for (int i = 0; i < MISTAKES * REPEATS; i++) {
		launch(rank, 3, 0, (uint64_t)i);
		describe(&room, program, 3, 0);
		mistakes[i / REPEATS](&room);
		submit_refused(program, &room);
	}
	check(rank);
	end(program);
}

static void refuses_mistakes_behind_launches_without(void)
{
	run_ranks(run_mistakes);
	IS_INT(atomic_load(&refusals), MISTAKES * REPEATS * RANKS);
}

/* The objects of a launch are released, one by one. */
static void run_releases(struct rank *rank)
{
	struct program *program = begin(rank);
	struct room room;

	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < REPEATS; k++)
			launch(rank, 3, 0, 1);
		check(rank);
		describe(&room, program, 3, 0);
		if (i < 2)
			plait_data_release(program->data[i]);
		else
			plait_kernel_release(program->update);
		submit_refused(program, &room);
		if (i < 2)
			make_data(rank, i);
	}
	make_kernel(rank);
	launch(rank, 3, 0, 1);
	check(rank);
	end(program);
}

static void refuses_objects_that_were_released(void)
{
	run_ranks(run_releases);
	IS_INT(atomic_load(&refusals), 3 * RANKS);
}

static const struct tap_scenario all[] = {
	{ "takes values of each launch", takes_values_of_each_launch },
	{ "takes all pieces from copies", takes_all_pieces_from_copies },
	{ "names the label of a failure", names_the_label_of_a_failure },
	{ "keeps the priority of each launch",
	  keeps_the_priority_of_each_launch },
	{ "refuses mistakes behind launches without",
	  refuses_mistakes_behind_launches_without },
	{ "refuses objects that were released",
	  refuses_objects_that_were_released },
};

TAP_MAIN(all)
