/* SPDX-License-Identifier: MIT */
/* What is compiled once per plan on queues, and shared by all its instances;
 * queue_engine.h says what it means. */
#ifndef PLAIT_SRC_RUN_QUEUE_QUEUE_PROGRAM_H
#define PLAIT_SRC_RUN_QUEUE_QUEUE_PROGRAM_H

#include "run/program.h"

#include "object/context/device.h"
#include "object/context/backend_result.h"

enum {
	PLAIT__STAGE_CHUNK = 0,
	PLAIT__STAGE_REGION = 1,
	PLAIT__STAGE_POINT = 2,
	PLAIT__STAGE_EXTERNAL = 3
};

typedef struct plait__queue_stage {
	uint32_t kind;
	uint32_t link;		/* REGION: which; POINT, OUTSIDE: the command */
	uint32_t body;
	uint32_t listener;		/* POINT: in cells */
	uint32_t predecessors;	/* how many it comes behind */
	uint32_t successor_first;	/* in successors: those that come behind it */
	uint32_t successor_count;
	uint32_t batch_first;	/* CHUNK */
	uint32_t batch_count;
	/* While compiling. */
	uint32_t edge_first;
	uint32_t stamp;
	uint32_t following_chunk;	/* the chunk behind this alone, or none */
	uint32_t first_command;
	uint32_t last_command;
} plait__queue_stage;

/* Waits, then work in order, then an emission. */
typedef struct plait__queue_submission {
	uint32_t wait_first;	/* marks */
	uint32_t wait_count;
	uint32_t work_first;	/* what is done: see work */
	uint32_t work_count;
	uint32_t mark;		/* emitted, or none */
	uint32_t segment;	/* all its work, frozen; or none */
} plait__queue_submission;

/* Commands of one device that are frozen as one; compile_segments.c. */
typedef struct plait__queue_segment {
	uint32_t lane;		/* in whose queue it runs */
	uint32_t last;		/* command, whose mark is that of all */
	uint32_t member_first;	/* in members, each behind what it needs */
	uint32_t member_count;
	uint32_t start_first;	/* in edge_starts: one more than members */
	uint32_t edge_first;	/* in edges: members that are before */
	uint32_t submission;
	uint32_t regions;	/* of its body, that it decides itself */
} plait__queue_segment;

/* Stretches of a lane that are submitted by one call. */
typedef struct plait__queue_batch {
	uint32_t lane;
	uint32_t submission_first;
	uint32_t submission_count;
	bool binds;		/* launches in it may change; launch_variants.c */
	bool has_segments;		/* segments are in it */
} plait__queue_batch;

typedef struct plait__queue_body {
	uint32_t stage_first;	/* the first is the chunk behind nothing */
	uint32_t stage_count;
	uint32_t end;		/* batch: its exits, and the next decision */
} plait__queue_body;

typedef struct plait__queue_region {
	uint32_t stage;
	uint32_t home;		/* the lane */
	uint32_t outer_body;
	uint32_t outer;		/* the region around it, or none */
	uint32_t order_first;	/* its commands, in order of the plan */
	uint32_t order_count;
	uint32_t enter_first;	/* batches; the home lane's is the last */
	uint32_t enter_count;
	uint32_t leave_first;	/* batches: emissions of its commands */
	uint32_t leave_count;
	const plait__store_function *function; /* or null: a word */
	bool owner_decides;	/* it is of an inbox */
	bool drains_lanes;		/* all its lanes are through with what is in
				 * front: see compile_stages.c */
	bool on_device;		/* part of a segment: see compile_device_loops.c */
	const char *reason;	/* it is not */
	uint32_t reason_command;	/* the command that `why` is of, or none */
	uint32_t inner_count;	/* then: commands of its bodies */
	uint32_t writer;	/* then: of its word; compile_predicates.c */
	uint32_t alias;		/* of the word's memory */
	plait_work_region shape;
} plait__queue_region;

typedef struct plait__queue_lane {
	plait__device *device;
	uint32_t port;		/* in ports */
	uint32_t final;		/* batch: what every run ends with */
	uint64_t commands;	/* the most that can be pending */
	uint32_t external;	/* in outsides, or none: needs nobody else */
	bool submits;		/* that it only waits for is not so */
} plait__queue_lane;

/* The backends that the plan uses. */
typedef struct plait__queue_port {
	plait__backend_port *port;
	uint32_t lane;		/* its first one, whose end is the last */
} plait__queue_port;

typedef struct plait__queue_program plait__queue_program;

struct plait__queue_program {
	const plait__program *program;
	bool records;		/* for runs that are recorded */
	bool host_decides;		/* itself, all regions */
	bool has_device_loops;		/* regions that are frozen */
	uint64_t min_commands;	/* commands of a segment; 0: there are none */
	plait__queue_program *recorded; /* the same for those, or null */
	plait__queue_program *host_decided;	/* the same with no region frozen, or null */
	plait__queue_lane *lanes;
	plait__queue_port *ports;
	plait__queue_body *bodies;
	plait__queue_region *regions;
	uint32_t port_count;
	uint32_t point_count;
	uint32_t external_count;
	uint32_t mark_count;
	plait__vector stages;
	plait__vector successors;	/* uint32_t: items */
	plait__vector batches;
	plait__vector submissions;
	plait__vector waits;	/* uint32_t: marks */
	plait__vector work;	/* uint32_t: a command, or past those a
				 * region's predicate */
	/* Nothing of this where nothing is frozen. */
	plait__vector segments;
	plait__vector members;	/* uint32_t: commands */
	plait__vector edge_starts; /* uint32_t: from edge_first on */
	plait__vector edges;	/* uint32_t: numbers of members */
	uint32_t *segment_of;	/* per command, or none; or null */
	uint32_t *member_index;	/* per command: in its segment */
	uint32_t *body_work;	/* per body: commands, if it is frozen */
};

/* Marks behind those of the commands. */
static inline uint32_t plait__queue_program_region_mark(const plait__plan *plan,
							uint32_t region)
{
	return plan->command_count + region;
}

static inline uint32_t plait__queue_program_lane_mark(const plait__plan *plan,
						      uint32_t lane)
{
	return plan->command_count + plan->regions_count + lane;
}

static inline plait__queue_segment *plait__queue_program_segment(
	const plait__queue_program *compiled, uint32_t command)
{
	uint32_t number = compiled->segment_of != NULL ?
			  compiled->segment_of[command] : PLAIT__NONE;

	return number == PLAIT__NONE ? NULL :
	       (plait__queue_segment *)compiled->segments.items + number;
}

/* Is it decided by the device whether it runs? */
static inline bool plait__queue_program_is_device_body(const plait__queue_program *compiled,
						       uint32_t body)
{
	uint32_t region = compiled->program->plan->bodies[body].region;

	return region != PLAIT__NONE && compiled->regions[region].on_device;
}

/* A region's command, or a stub of one, that is part of a segment, or not. */
static inline bool plait__queue_program_is_region(const plait__queue_program *compiled,
						  uint32_t command, bool frozen)
{
	const plait__plan_command *at =
		&compiled->program->plan->commands[command];

	return (at->kind == PLAIT__CMD_REGION ||
		at->kind == PLAIT__CMD_ENTER) &&
	       compiled->regions[at->link].on_device == frozen;
}

/* What is emitted behind a command, and by which lane. */
static inline uint32_t plait__queue_program_mark(const plait__queue_program *compiled,
						 uint32_t command)
{
	const plait__queue_segment *segment =
		plait__queue_program_segment(compiled, command);

	return segment != NULL ? segment->last : command;
}

static inline uint32_t plait__queue_program_lane(const plait__queue_program *compiled,
						 uint32_t command)
{
	return compiled->program->plan
		       ->commands[plait__queue_program_mark(compiled, command)].lane;
}

/* The lane that emits a mark. */
static inline uint32_t plait__queue_program_mark_lane(
	const plait__queue_program *compiled, uint32_t mark)
{
	const plait__plan *plan = compiled->program->plan;

	if (mark < plan->command_count)
		return plan->commands[mark].lane;
	mark -= plan->command_count;
	if (mark < plan->regions_count)
		return compiled->regions[mark].home;
	return mark - plan->regions_count;
}

/* Cells: those of regions, of points, of ports; behind them those of lanes
 * that need somebody else, which stand for no mark, and of commands, where runs
 * are recorded. */
static inline uint32_t plait__queue_program_mark_listeners(const plait__queue_program *compiled)
{
	return compiled->program->plan->regions_count + compiled->point_count +
	       compiled->port_count;
}

static inline uint32_t plait__queue_program_time_listener(const plait__queue_program *compiled,
							  uint32_t command)
{
	return plait__queue_program_mark_listeners(compiled) + compiled->external_count +
	       command;
}

static inline uint32_t plait__queue_program_timed_count(const plait__queue_program *compiled)
{
	return compiled->records ? compiled->program->plan->command_count : 0;
}

static inline uint32_t plait__queue_program_listener_count(const plait__queue_program *compiled)
{
	return plait__queue_program_time_listener(compiled,
						  plait__queue_program_timed_count(compiled));
}

static inline plait__queue_stage *plait__queue_program_stage(
	const plait__queue_program *compiled, uint32_t stage)
{
	return (plait__queue_stage *)compiled->stages.items + stage;
}

static inline uint32_t plait__queue_program_at(const plait__vector *vector,
					       uint32_t index)
{
	return ((const uint32_t *)vector->items)[index];
}

static inline plait__backend_port *plait__queue_program_port(
	const plait__queue_program *compiled, uint32_t lane)
{
	return compiled->ports[compiled->lanes[lane].port].port;
}

/* Compile a plan: for recorded runs (`records`), with all regions decided by the
 * host (`host_decides`). */
plait_status plait__queue_program_make(const plait__program *program,
				       bool records, bool host_decides,
				       plait__queue_program **out,
				       plait_error *error);
void plait__queue_program_free(plait__queue_program *compiled);

#endif
