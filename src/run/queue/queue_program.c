/* SPDX-License-Identifier: MIT */
/* Compiler of plans on queues: runs the passes compile_* in their order. */
#include "run/queue/queue_program.h"

#include "run/queue/compile_batches.h"
#include "run/queue/compile_device_loops.h"
#include "run/queue/compile_lanes.h"
#include "run/queue/compile_predicates.h"
#include "run/queue/compile_repeats.h"
#include "run/queue/compile_segments.h"
#include "run/queue/unroll_loops.h"
#include "run/queue/compile_stages.h"
#include "run/queue/log_decisions.h"

#include "run/args/payload_util.h"
#include "run/command_text.h"

#include "run/external/coroutine_command.h"
#include "base/alloc.h"
#include "base/error.h"

static plait_status no_memory(plait_error *error)
{
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory to make a plan ready to run");
}

static bool make_tables(plait__queue_program *compiled)
{
	const plait__plan *plan = compiled->program->plan;
	const plait_allocator *allocator =
		plait__program_allocator(compiled->program);

	plait__vector_init(&compiled->stages, allocator,
			   sizeof(plait__queue_stage));
	plait__vector_init(&compiled->successors, allocator, sizeof(uint32_t));
	plait__vector_init(&compiled->batches, allocator,
			   sizeof(plait__queue_batch));
	plait__vector_init(&compiled->submissions, allocator,
			   sizeof(plait__queue_submission));
	plait__vector_init(&compiled->waits, allocator, sizeof(uint32_t));
	plait__vector_init(&compiled->work, allocator, sizeof(uint32_t));
	plait__vector_init(&compiled->series, allocator,
			   sizeof(plait__queue_series));
	plait__vector_init(&compiled->segments, allocator,
			   sizeof(plait__queue_segment));
	plait__vector_init(&compiled->members, allocator, sizeof(uint32_t));
	plait__vector_init(&compiled->edge_starts, allocator, sizeof(uint32_t));
	plait__vector_init(&compiled->edges, allocator, sizeof(uint32_t));
	plait__vector_init(&compiled->copies, allocator,
			   sizeof(plait__queue_copy));
	plait__vector_init(&compiled->shapes, allocator,
			   sizeof(plait_work_region));
	plait__vector_init(&compiled->shape_work, allocator, sizeof(uint32_t));
	compiled->lanes = plait__alloc_array(allocator, plan->lanes_count,
					     sizeof(*compiled->lanes));
	compiled->ports = plait__alloc_array(allocator, plan->lanes_count,
					     sizeof(*compiled->ports));
	compiled->bodies = plait__alloc_array(allocator, plan->bodies_count,
					      sizeof(*compiled->bodies));
	compiled->regions = plait__alloc_array(allocator, plan->regions_count,
					       sizeof(*compiled->regions));
	/* A plan may have no lanes, and no regions. */
	return ((compiled->lanes != NULL && compiled->ports != NULL) ||
		plan->lanes_count == 0) &&
	       compiled->bodies != NULL &&
	       (compiled->regions != NULL || plan->regions_count == 0);
}

static plait_status compile(plait__queue_program *compiled, plait_error *error)
{
	const plait__plan *plan = compiled->program->plan;
	uint32_t *next_commands = NULL;
	plait_status status;
	bool good;

	compiled->mark_count =
		plan->command_count + plan->regions_count + plan->lanes_count;
	status = plait__compile_lanes(compiled, error);
	if (status != PLAIT_OK)
		return status;
	plait__compile_repeats(compiled);
	good = plait__compile_device_loops(compiled) &&
	       plait__compile_stages(compiled, &next_commands) &&
	       plait__compile_segments(compiled, next_commands);
	if (good)
		plait__compile_predicates(compiled);
	good = good && plait__unroll_loops(compiled);
	/* A fallback program logs its decisions in each run that uses it. */
	if (good && !compiled->host_decides)
		plait__log_decisions(compiled);
	good = good && plait__compile_batches(compiled, next_commands);
	if (good)
		plait__compile_lanes_count_entries(compiled);
	plait__free(plait__program_allocator(compiled->program), next_commands,
		    plan->command_count * sizeof(*next_commands));
	return good ? PLAIT_OK : no_memory(error);
}

void plait__queue_program_free(plait__queue_program *compiled)
{
	const plait__program *program = compiled->program;
	const plait_allocator *allocator = plait__program_allocator(program);
	const plait__plan *plan = program->plan;

	plait__vector_fini(&compiled->stages);
	plait__vector_fini(&compiled->successors);
	plait__vector_fini(&compiled->batches);
	plait__vector_fini(&compiled->submissions);
	plait__vector_fini(&compiled->waits);
	plait__vector_fini(&compiled->work);
	plait__vector_fini(&compiled->series);
	plait__vector_fini(&compiled->segments);
	plait__vector_fini(&compiled->members);
	plait__vector_fini(&compiled->edge_starts);
	plait__vector_fini(&compiled->edges);
	plait__vector_fini(&compiled->copies);
	plait__vector_fini(&compiled->shapes);
	plait__vector_fini(&compiled->shape_work);
	plait__free(allocator, compiled->segment_of,
		    plan->command_count * sizeof(*compiled->segment_of));
	plait__free(allocator, compiled->member_index,
		    plan->command_count * sizeof(*compiled->member_index));
	plait__free(allocator, compiled->body_work,
		    plan->bodies_count * sizeof(*compiled->body_work));
	plait__free(allocator, compiled->lanes,
		    plan->lanes_count * sizeof(*compiled->lanes));
	plait__free(allocator, compiled->ports,
		    plan->lanes_count * sizeof(*compiled->ports));
	plait__free(allocator, compiled->bodies,
		    plan->bodies_count * sizeof(*compiled->bodies));
	plait__free(allocator, compiled->regions,
		    plan->regions_count * sizeof(*compiled->regions));
	plait__free(allocator, compiled, sizeof(*compiled));
}

/* The driver must not run functions: coroutines are for the host engine. */
static plait_status refuse_coroutines(const plait__program *program,
				      plait_error *error)
{
	const plait__plan *plan = program->plan;
	char room[PLAIT__COMMAND_TEXT_BYTES];

	for (uint32_t i = 0; i < plan->command_count; i++)
		if (plait__coroutine_command_matches(program, i))
			return plait__fail(error, PLAIT_E_UNSUPPORTED,
					   "%s is a coroutine, which needs a "
					   "plan of the host alone, without "
					   "PLAIT_FREEZE_QUEUES",
					   plait__command_text(plan, i, room));
	return PLAIT_OK;
}

plait_status plait__queue_program_make(const plait__program *program,
				       bool records, bool host_decides,
				       plait__queue_program **out,
				       plait_error *error)
{
	plait__queue_program *compiled = plait__alloc(
		plait__program_allocator(program), sizeof(*compiled));
	plait_status status;

	*out = NULL;
	if (compiled == NULL)
		return no_memory(error);
	status = program->rehearsal != NULL ? PLAIT_OK :
		 refuse_coroutines(program, error);
	if (status != PLAIT_OK) {
		plait__free(plait__program_allocator(program), compiled,
			    sizeof(*compiled));
		return status;
	}
	compiled->program = program;
	compiled->records = records;
	compiled->host_decides = host_decides;
	status = make_tables(compiled) ? compile(compiled, error) :
					 no_memory(error);
	if (status == PLAIT_OK)
		*out = compiled;
	else
		plait__queue_program_free(compiled);
	return status;
}
