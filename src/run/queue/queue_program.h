/* SPDX-License-Identifier: MIT */
/*
 * Compiled form of a plan on queues: immutable, shared by all its instances.
 *
 * The plan's lanes are backend queues.  Each body is a set of *stages*, a
 * dependency graph that the driver walks:
 *
 *     CHUNK	commands that can be submitted together; over when they are
 *		submitted
 *     REGION	a loop or a branch that the host decides; over when it is left
 *     POINT	the host awaits the completion of a command: one that a queue of
 *		another backend waits for, or that precedes an EXTERNAL stage
 *     EXTERNAL	a command completed by a signal or by an inbox owner
 *		(external_command.h); the driver begins it behind all its
 *		predecessors; over when it is complete
 *
 * A chunk is submitted as *batches*: consecutive submissions of one lane,
 * given to the backend in one call.  A submission is waits, then work in order,
 * then at most one emission.  A *mark* names an emission of a run: one per
 * command, then one per region, then one per lane.  Its value, a sequence of
 * its lane's signal, is the driver's.
 *
 * A *segment* is a group of commands of one device that is submitted as one
 * device graph.  It may contain regions, which the device then decides.
 */
#ifndef PLAIT_SRC_RUN_QUEUE_QUEUE_PROGRAM_H
#define PLAIT_SRC_RUN_QUEUE_QUEUE_PROGRAM_H

#include "run/program.h"

#include "object/context/backend_result.h"
#include "object/context/device.h"

enum {
	PLAIT__STAGE_CHUNK = 0,
	PLAIT__STAGE_REGION = 1,
	PLAIT__STAGE_POINT = 2,
	PLAIT__STAGE_EXTERNAL = 3
};

typedef struct plait__queue_stage {
	uint32_t kind;
	uint32_t link;		/* REGION: index; POINT, EXTERNAL: command */
	uint32_t body;
	uint32_t listener;	/* POINT: index among those of points */
	uint32_t predecessors;	/* number of stages that it waits for */
	uint32_t successor_first; /* in compiled->successors */
	uint32_t successor_count;
	uint32_t batch_first;	/* CHUNK */
	uint32_t batch_count;
	/* Only while compiling. */
	uint32_t edge_first;
	uint32_t stamp;
	uint32_t following_chunk; /* behind this stage alone, or none */
	uint32_t first_command;
	uint32_t last_command;
} plait__queue_stage;

/* Waits, then work in order, then an emission. */
typedef struct plait__queue_submission {
	uint32_t wait_first;	/* marks, in compiled->waits */
	uint32_t wait_count;
	uint32_t work_first;	/* in compiled->work */
	uint32_t work_count;
	uint32_t mark;		/* emitted, or none */
	uint32_t segment;	/* that all its work is, or none */
} plait__queue_submission;

/* Commands of one device, submitted as one device graph; compile_segments.c. */
typedef struct plait__queue_segment {
	uint32_t lane;		/* that submits it */
	uint32_t last;		/* command; its mark is that of all */
	uint32_t member_first;	/* in compiled->members, topologically sorted */
	uint32_t member_count;
	uint32_t start_first;	/* in compiled->edge_starts: members plus one */
	uint32_t edge_first;	/* in compiled->edges: preceding members */
	uint32_t submission;
	uint32_t regions;	/* of its body, that the device decides */
	/* The commands of its device graph, if it has unrolled loops: */
	uint32_t copy_first;	/* in compiled->copies */
	uint32_t copy_count;	/* 0: they are its members */
	uint32_t copy_start_first; /* as start_first and edge_first */
	uint32_t copy_edge_first;
	bool rebinds;		/* runs, or loops around it, change a copy */
} plait__queue_segment;

/* A member in the device graph of a segment with unrolled loops; or, for a loop
 * once more, the test before a further iteration.  See unroll_loops.c. */
typedef struct plait__queue_copy {
	uint32_t member;	/* of its segment */
	uint32_t region;	/* that its buffers rotate with, or none */
	uint32_t turn;		/* iteration of that region */
	uint32_t shape;		/* a region: in compiled->shapes; or none */
} plait__queue_copy;

/* Submissions of a lane that are given to the backend in one call. */
typedef struct plait__queue_batch {
	uint32_t lane;
	uint32_t submission_first;
	uint32_t submission_count;
	uint32_t flights;	/* times that it may be in flight at once */
	bool binds;		/* arguments of launches may change */
	bool has_segments;
} plait__queue_batch;

typedef struct plait__queue_body {
	uint32_t stage_first;	/* a chunk without predecessors */
	uint32_t stage_count;
	uint32_t end;		/* batch of the home lane: waits for its exits,
				 * the next predicate (if it has one), then the
				 * region's mark */
} plait__queue_body;

typedef struct plait__queue_region {
	uint32_t stage;
	uint32_t home;		/* lane that evaluates the predicate */
	uint32_t outer_body;
	uint32_t outer;		/* enclosing region, or none */
	uint32_t order_first;	/* its commands in plan->order: the region's */
	uint32_t order_count;	/* own, and a stub on each other lane */
	uint32_t enter_first;	/* batches; the home lane's is the last */
	uint32_t enter_count;
	uint32_t leave_first;	/* batches: emissions of its commands */
	uint32_t leave_count;
	const plait__store_function *function; /* predicate; null: a word */
	bool owner_decides;	/* `function` is run by the owner of an inbox */
	bool ahead;		/* a repeat that is submitted ahead, in */
	bool flat;		/* windows of one submission each */
	uint32_t window;	/* iterations */
	uint32_t room;		/* flat: place of its work in repeat_work */
	uint32_t work;		/* of an iteration */
	uint32_t kept;		/* iterations that stay there; repeat_room.c */
	bool same;		/* work of all iterations */
	bool counted;		/* the backend counts the iterations of a
				 * window; repeat_series.c */
	uint32_t series_first;	/* counted: numbers of its work */
	uint32_t series_count;
	uint32_t gate_first;	/* batches: other lanes than the home lane wait */
	uint32_t gate_count;	/* for the region's mark before an iteration */
	bool drains_lanes;	/* all its lanes complete what precedes it,
				 * before it begins; compile_stages.c */
	bool on_device;		/* in a segment; compile_device_loops.c */
	const char *reason;	/* static: why not, or why it is not `ahead` */
	uint32_t reason_command; /* that `reason` is about, or none */
	/* On a device: */
	uint32_t inner_count;	/* commands of its bodies */
	uint32_t writer;	/* of its word; compile_predicates.c */
	uint32_t alias;		/* of the word's memory */
	uint32_t period;	/* of its rotations: above 1, it is unrolled */
	plait_work_region shape;
} plait__queue_region;

typedef struct plait__queue_lane {
	plait__device *device;
	uint32_t port;		/* in compiled->ports */
	uint32_t final;		/* batch: the last one of each run */
	uint64_t entries;	/* upper bound of the commands, waits and
				 * emissions in flight */
	uint32_t external;	/* index, or none: no external commands */
	bool submits;		/* has external commands other than waits */
	int16_t priority;	/* of all its commands; 0 if they differ */
} plait__queue_lane;

/* An argument of a repeat's work that is a number of the iteration. */
typedef struct plait__queue_series {
	uint32_t work;		/* of an iteration */
	uint32_t argument;	/* of the launch */
	uint32_t arg;		/* in plan->args */
} plait__queue_series;

/* A backend that the plan uses. */
typedef struct plait__queue_port {
	plait__backend_port *port;
	uint32_t lane;		/* its first one, which completes last */
} plait__queue_port;

typedef struct plait__queue_program plait__queue_program;

struct plait__queue_program {
	const plait__program *program;
	bool records;		/* for recorded runs */
	bool host_decides;	/* no region is decided by a device */
	bool has_device_loops;	/* regions that devices decide */
	uint64_t min_commands;	/* of a segment; 0: no segments */
	plait__queue_program *recorded; /* for recorded runs; or null */
	plait__queue_program *fallback; /* of the fallback driver: without
					 * regions on devices; or null */
	plait__queue_lane *lanes;
	plait__queue_port *ports;
	plait__queue_body *bodies;
	plait__queue_region *regions;
	uint32_t port_count;
	uint32_t point_count;
	uint32_t external_count;
	uint32_t mark_count;
	uint32_t repeat_work;	/* works in the rooms of all flat repeats */
	plait__vector series;	/* of repeats that backends count */
	plait__vector stages;
	plait__vector successors; /* uint32_t: stages */
	plait__vector batches;
	plait__vector submissions;
	plait__vector waits;	/* uint32_t: marks */
	plait__vector work;	/* uint32_t: a command; command_count + n: the
				 * predicate of region n */
	/* Empty or null without segments. */
	plait__vector segments;
	plait__vector members;	/* uint32_t: commands */
	plait__vector edge_starts; /* uint32_t: from edge_first on */
	plait__vector edges;	/* uint32_t: members by number */
	plait__vector copies;	/* of segments with unrolled loops */
	plait__vector shapes;	/* plait_work_region: of copies */
	plait__vector shape_work; /* uint32_t: commands of their bodies */
	uint32_t *segment_of;	/* per command, or none; or null */
	uint32_t *member_index;	/* per command: in its segment */
	uint32_t *body_work;	/* per body: commands, if on a device */
};

/* Marks of regions and lanes follow those of the commands. */
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

static inline plait__queue_segment *plait__queue_program_segment_at(
	const plait__queue_program *compiled, uint32_t number)
{
	return (plait__queue_segment *)compiled->segments.items + number;
}

static inline plait__queue_segment *plait__queue_program_segment(
	const plait__queue_program *compiled, uint32_t command)
{
	uint32_t number = compiled->segment_of != NULL ?
			  compiled->segment_of[command] : PLAIT__NONE;

	return number == PLAIT__NONE ? NULL :
	       plait__queue_program_segment_at(compiled, number);
}

/* Returns true if a device decides whether the body runs. */
static inline bool plait__queue_program_is_device_body(
	const plait__queue_program *compiled, uint32_t body)
{
	uint32_t region = compiled->program->plan->bodies[body].region;

	return region != PLAIT__NONE && compiled->regions[region].on_device;
}

/* Returns the repeat whose body has the command and is submitted ahead, or
 * none. */
static inline uint32_t plait__queue_program_ahead(
	const plait__queue_program *compiled, uint32_t command)
{
	const plait__plan *plan = compiled->program->plan;
	uint32_t region = plan->bodies[plan->nodes[
		plan->commands[command].node].body].region;

	return region != PLAIT__NONE && compiled->regions[region].ahead ?
		       region : PLAIT__NONE;
}

/* Returns true for the command or a stub of a region that is on a device, or
 * not, as `on_device` says. */
static inline bool plait__queue_program_is_region(
	const plait__queue_program *compiled, uint32_t command, bool on_device)
{
	const plait__plan_command *at =
		&compiled->program->plan->commands[command];

	return (at->kind == PLAIT__CMD_REGION ||
		at->kind == PLAIT__CMD_ENTER) &&
	       compiled->regions[at->link].on_device == on_device;
}

/* The mark emitted after a command, and the lane that emits it. */
static inline uint32_t plait__queue_program_mark(
	const plait__queue_program *compiled, uint32_t command)
{
	const plait__queue_segment *segment =
		plait__queue_program_segment(compiled, command);

	return segment != NULL ? segment->last : command;
}

static inline uint32_t plait__queue_program_lane(
	const plait__queue_program *compiled, uint32_t command)
{
	return compiled->program->plan
		->commands[plait__queue_program_mark(compiled, command)]
		.lane;
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

/* Listeners: of regions, points and ports, which await marks; then those of
 * lanes with external commands; then, for recorded runs, those of commands. */
static inline uint32_t plait__queue_program_mark_listeners(
	const plait__queue_program *compiled)
{
	return compiled->program->plan->regions_count + compiled->point_count +
	       compiled->port_count;
}

static inline uint32_t plait__queue_program_time_listener(
	const plait__queue_program *compiled, uint32_t command)
{
	return plait__queue_program_mark_listeners(compiled) +
	       compiled->external_count + command;
}

static inline uint32_t plait__queue_program_timed_count(
	const plait__queue_program *compiled)
{
	return compiled->records ? compiled->program->plan->command_count : 0;
}

static inline uint32_t plait__queue_program_listener_count(
	const plait__queue_program *compiled)
{
	return plait__queue_program_time_listener(
		compiled, plait__queue_program_timed_count(compiled));
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

/* Compile a plan: for recorded runs (`records`), with all regions decided by
 * the host (`host_decides`).  After a failure *out is null: PLAIT_E_NOMEM, or
 * PLAIT_E_UNSUPPORTED: a device has no notifications, or cannot execute a
 * command, which the error names. */
plait_status plait__queue_program_make(const plait__program *program,
				       bool records, bool host_decides,
				       plait__queue_program **out,
				       plait_error *error);
void plait__queue_program_free(plait__queue_program *compiled);

#endif
