/* SPDX-License-Identifier: MIT */
/* Generator of instructions; see generator.h. */
#include "flow/memory/generator.h"

#include "flow/memory/block_fronts.h"
#include "flow/memory/copy_maker.h"
#include "flow/memory/task_room.h"

/* The task that is compiled. */
struct compiling {
	plait__memory_state *state;
	const plait__record_task *task;
	uint32_t index;
	uint32_t device; /* or NONE */
	uint32_t lane;
	uint32_t memory;
	plait__task_room room;
};

static const plait__record_access *access_of(const struct compiling *by,
					     uint32_t i)
{
	return plait__record_access_at(by->state->record,
				       by->task->first_access + i);
}

static bool reads(const plait__record_access *access)
{
	return (access->mode & PLAIT__ACCESS_READS) != 0;
}

static bool writes(const plait__record_access *access)
{
	return (access->mode & PLAIT__ACCESS_WRITES) != 0;
}

static bool is_token(const struct compiling *by,
		     const plait__record_access *access)
{
	return plait__memory_state_is_token(by->state, access->data);
}

/* Tokens order tasks of all memories. */
static uint32_t memory_of(const struct compiling *by,
			  const plait__record_access *access)
{
	return is_token(by, access) ? PLAIT__MEMORY_HOST : by->memory;
}

/* ---- the device ---- */

/* A task that was expected has its place. */
static void place(struct compiling *by, plait__task_placer *placer)
{
	if (placer->placed.count == by->index)
		plait__task_placer_place(placer, by->state);
	if (placer->failed) {
		by->state->failed = true;
		return;
	}
	by->device = plait__task_placer_at(placer, by->index)->device;
	by->lane = plait__task_placer_at(placer, by->index)->list_lane;
	by->memory = by->device == PLAIT__INSTRUCTION_NONE ?
			     PLAIT__MEMORY_HOST :
			     by->state->system->memory_of[by->device];
}

/* ---- blocks ---- */

static bool is_first_of_data(const struct compiling *by, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (access_of(by, k)->data == access_of(by, i)->data)
			return false;
	return true;
}

static void push_box(struct compiling *by, plait__vector *boxes,
		     const plait_box *box)
{
	if (PLAIT__VECTOR_ADD(boxes, box) == NULL)
		by->state->failed = true;
}

/* List the boxes of a data that the task writes, and does not read. */
static void list_overwritten(struct compiling *by, uint32_t data,
			     plait__vector *out)
{
	for (uint32_t i = 0; i < by->task->access_count; i++)
		if (access_of(by, i)->data == data && writes(access_of(by, i)))
			push_box(by, out, &access_of(by, i)->box);
	for (uint32_t i = 0; i < by->task->access_count; i++)
		if (access_of(by, i)->data == data && reads(access_of(by, i)) &&
		    !plait__box_list_subtract(out, &access_of(by, i)->box))
			by->state->failed = true;
}

static void ensure_blocks(struct compiling *by, uint32_t data)
{
	plait__vector overwritten = plait__memory_state_take_list(
		by->state, PLAIT__SCRATCH_OVERWRITTEN, sizeof(plait_box));

	list_overwritten(by, data, &overwritten);
	plait__task_room_ensure(&by->room, data, &overwritten);
	plait__memory_state_give_list(by->state, PLAIT__SCRATCH_OVERWRITTEN,
				      &overwritten);
}

/* ---- one task ---- */

static void fetch(struct compiling *by, uint32_t data)
{
	plait__vector boxes = plait__memory_state_take_list(
		by->state, PLAIT__SCRATCH_READS, sizeof(plait_box));
	const plait__copy_need need = { .task = by->index,
					.device = by->device, .data = data,
					.memory = by->memory, .boxes = &boxes };

	for (uint32_t i = 0; i < by->task->access_count; i++)
		if (access_of(by, i)->data == data && reads(access_of(by, i)) &&
		    !plait__box_list_add(&boxes, &access_of(by, i)->box))
			by->state->failed = true;
	plait__copy_maker_fetch(by->state, &need);
	plait__memory_state_give_list(by->state, PLAIT__SCRATCH_READS, &boxes);
}

static void add_access(struct compiling *by, uint32_t i)
{
	const plait__record_access *access = access_of(by, i);
	uint32_t memory = memory_of(by, access);
	const plait__block *block = plait__blocks_find(
		&plait__memory_state_place(by->state, access->data, memory)
			 ->blocks, &access->box);

	plait__block_fronts_gather(by->state, access->data, memory,
				   &access->box, access->mode);
	plait__instructions_use(by->state->list, by->task->first_access + i,
				block != NULL ? block->number : 0);
}

/* Make the instruction of the task itself. */
static void instruct(struct compiling *by)
{
	const plait__instruction ours = {
		.kind = PLAIT__INSTRUCTION_TASK, .why = PLAIT__WHY_TASK,
		.device = by->device, .task = by->index,
		.lane = by->lane, .data = PLAIT__INSTRUCTION_NONE, .memory = by->memory,
	};
	plait__instructions *list = by->state->list;
	uint32_t number = plait__instructions_open(list, &ours);

	for (uint32_t i = 0; i < by->task->access_count; i++)
		add_access(by, i);
	if (by->task->is_barrier)
		plait__instructions_follow_all(list);
	plait__instructions_close(list);
	for (uint32_t i = 0; i < by->task->access_count; i++) {
		const plait__record_access *access = access_of(by, i);

		plait__block_fronts_record(by->state, access->data,
					   memory_of(by, access), &access->box,
					   access->mode, number);
	}
}

static void write_values(const struct compiling *by)
{
	for (uint32_t i = 0; i < by->task->access_count; i++) {
		const plait__record_access *access = access_of(by, i);

		if (writes(access) && !is_token(by, access))
			plait__coherence_write(
				&plait__memory_state_data(by->state,
							  access->data)
					 ->coherence,
				&access->box, by->index + 1, by->memory);
	}
}

/* Note where the data of a task that is expected will be used. */
static void note_uses(const struct compiling *by)
{
	for (uint32_t i = 0; i < by->task->access_count; i++) {
		const plait__record_access *access = access_of(by, i);
		const plait__next_use use = { by->index, by->memory,
					      access->box };

		if (PLAIT__VECTOR_ADD(&plait__memory_state_data(by->state,
								access->data)
					       ->uses, &use) == NULL)
			by->state->failed = true;
	}
}

static void fill_blocks(struct compiling *by)
{
	for (uint32_t i = 0; i < by->task->access_count; i++) {
		uint32_t data = access_of(by, i)->data;

		if (is_token(by, access_of(by, i)) || !is_first_of_data(by, i))
			continue;
		ensure_blocks(by, data);
		fetch(by, data);
	}
}

static bool compile(plait__memory_state *state, plait__task_placer *placer,
		    uint32_t index)
{
	struct compiling by = { .state = state, .index = index,
				.task = plait__record_task_at(state->record,
							      index) };
	bool is_taken;

	plait__memory_state_grow(state);
	if (!state->failed)
		place(&by, placer);
	if (state->failed)
		return false;
	is_taken = plait__task_room_open(&by.room, state, index, by.device,
					 by.memory);
	if (is_taken || state->anticipates) {
		fill_blocks(&by);
		if (state->anticipates)
			note_uses(&by);
		else
			instruct(&by);
		write_values(&by);
	}
	plait__task_room_close(&by.room);
	return is_taken;
}

/* ---- the generator ---- */

void plait__generator_init(plait__generator *generator,
			   const plait__record *record,
			   const plait__memory_system *system,
			   const plait__placer_options *options)
{
	generator->system = *system;
	plait__instructions_init(&generator->list, record->allocator,
				 plait__memory_system_lanes(system));
	plait__memory_state_init(&generator->state, record, &generator->system,
				 &generator->list);
	plait__memory_state_init(&generator->ahead, record, &generator->system,
				 NULL);
	generator->state.ahead = &generator->ahead;
	plait__task_placer_init(&generator->placer, record, &generator->system,
				&generator->list, options);
	if (options->links != NULL)
		generator->system.links = &generator->placer.placer.links;
}

void plait__generator_fini(plait__generator *generator)
{
	plait__task_placer_fini(&generator->placer);
	plait__memory_state_fini(&generator->state);
	plait__memory_state_fini(&generator->ahead);
	plait__instructions_fini(&generator->list);
}

void plait__generator_expect(plait__generator *generator, uint32_t task)
{
	compile(&generator->ahead, &generator->placer, task);
}

bool plait__generator_add(plait__generator *generator, uint32_t task)
{
	return compile(&generator->state, &generator->placer, task);
}

static bool has_failed(const plait__memory_state *state)
{
	bool failed = state->failed;

	for (uint32_t i = 0; !failed && i < state->data.count; i++)
		failed = plait__memory_state_data(state, i)->coherence.failed;
	return failed;
}

bool plait__generator_has_failed(const plait__generator *generator)
{
	return generator->list.failed || generator->placer.failed ||
	       has_failed(&generator->state) ||
	       has_failed(&generator->ahead);
}

void plait__generator_run(plait__generator *generator, bool lookahead)
{
	uint32_t count = generator->state.record->tasks.count;

	for (uint32_t i = 0; lookahead && i < count; i++)
		plait__generator_expect(generator, i);
	for (uint32_t i = 0; i < count && !generator->list.failed; i++)
		if (!plait__generator_add(generator, i))
			break;
}
