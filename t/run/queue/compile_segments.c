/* SPDX-License-Identifier: MIT */
/*
 * Edges of a segment, and the cost of finding them: as many looks as there are
 * waits, however many lanes a command waits for.  The source is included, so
 * that looks can be counted; plans are written by hand.
 */
#include "run/queue/compile_device_loops.h"
#include "run/queue/queue_command.h"

#include "lib/tap.h"

static uint64_t looks;
static bool in_order; /* segments of the device run so */

static const void *place_of(const plait__queue_program *queued,
			    uint32_t command)
{
	looks++;
	return in_order ? (const void *)&queued->lanes[
				  queued->program->plan->commands[command].lane]
			: &looks;
}

static bool has_work(const plait__plan *plan, uint32_t command)
{
	(void)plan;
	(void)command;
	return true;
}

/* All paths to the existing command. */
#define plait__queue_program_at(vector, index) \
	(looks++, plait__queue_program_at(vector, index))
#define plait__vector_at(vector, index) \
	(looks++, plait__vector_at(vector, index))
#define plait__compile_segment_place place_of
#define plait__queue_command_has_work has_work
#define plait__program_allocator(program) ((void)(program), \
					   plait__alloc_default())
#include "run/queue/compile_segments.c"

enum { MOST = 8192 };

static plait__plan plan;
static plait__program program;
static plait__queue_program queued;
static plait__plan_node nodes[1];
static plait__plan_body bodies[2];
static plait__plan_track tracks[MOST];
static plait__plan_command commands[MOST + 1];
static plait__plan_wait waits[2 * MOST];
static plait__plan_region regions[1];
static plait__queue_region frozen[1];
static uint32_t order[MOST], next[MOST], inside[2];

static void begin(void)
{
	memset(commands, 0, sizeof(commands));
	plan = (plait__plan){
		.nodes = nodes, .bodies = bodies, .tracks = tracks,
		.commands = commands, .waits = waits, .regions = regions,
		.order = order, .bodies_count = 1,
	};
	bodies[0] = (plait__plan_body){ .region = PLAIT__NONE };
	program = (plait__program){ .plan = &plan };
	queued = (plait__queue_program){ .program = &program, .min_commands = 1,
				  .regions = frozen, .body_work = inside };
	plait__vector_init(&queued.stages, plait__alloc_default(),
			   sizeof(plait__queue_stage));
	plait__vector_init(&queued.segments, plait__alloc_default(),
			   sizeof(plait__queue_segment));
	plait__vector_init(&queued.members, plait__alloc_default(),
			   sizeof(uint32_t));
	plait__vector_init(&queued.edge_starts, plait__alloc_default(),
			   sizeof(uint32_t));
	plait__vector_init(&queued.edges, plait__alloc_default(),
			   sizeof(uint32_t));
}

/* The next command, on this lane of body 0, behind the waits that add_wait adds
 * then. */
static void add_command(uint32_t lane, uint32_t kind)
{
	uint32_t number = plan.command_count++;
	plait__plan_command *at = &commands[number];

	*at = (plait__plan_command){ .kind = (uint8_t)kind, .lane = lane,
				     .wait_first = plan.waits_count };
	at[1].wait_first = plan.waits_count;
	order[number] = number;
	if (bodies[0].track_count == lane)
		tracks[bodies[0].track_count++] = (plait__plan_track){
			.lane = lane, .first = number };
	at->position = tracks[lane].count++;
	bodies[0].command_count++;
}

static void add_wait(uint32_t lane, uint32_t position)
{
	waits[plan.waits_count++] = (plait__plan_wait){
		.lane = lane, .position = position };
	commands[plan.command_count].wait_first = plan.waits_count;
}

/* All of them are one chunk. */
static void find(void)
{
	const plait__queue_stage chunk = {
		.kind = PLAIT__STAGE_CHUNK, .first_command = 0,
		.last_command = plan.command_count - 1,
	};
	plait__queue_lane *lanes = plait__alloc_array(
		plait__alloc_default(), MOST, sizeof(*lanes));

	for (uint32_t i = 0; i < plan.command_count; i++)
		next[i] = i + 1 < plan.command_count ? i + 1 : PLAIT__NONE;
	queued.lanes = lanes;
	OK(plait__vector_push(&queued.stages, &chunk, 1) != NULL);
	looks = 0;
	OK(plait__compile_segments(&queued, next));
	plait__free(plait__alloc_default(), lanes, MOST * sizeof(*lanes));
}

static void end(void)
{
	uint64_t bytes = plan.command_count * sizeof(uint32_t);

	plait__vector_fini(&queued.stages);
	plait__vector_fini(&queued.segments);
	plait__vector_fini(&queued.members);
	plait__vector_fini(&queued.edge_starts);
	plait__vector_fini(&queued.edges);
	plait__free(plait__alloc_default(), queued.segment_of, bytes);
	plait__free(plait__alloc_default(), queued.member_index, bytes);
}

static uint32_t edge(uint32_t index)
{
	return ((const uint32_t *)queued.edges.items)[index];
}

/* One command waits for all other lanes: looks for each of them. */
static uint64_t fan_in(uint32_t width)
{
	uint64_t found;
	bool right = true;

	begin();
	for (uint32_t i = 0; i < width; i++)
		add_command(i, PLAIT__CMD_JOIN);
	add_command(width, PLAIT__CMD_JOIN);
	for (uint32_t i = 0; i < width; i++)
		add_wait(i, 0);
	find();
	found = looks;
	IS_UINT(queued.segments.count, 1);
	IS_UINT(queued.edges.count, width);
	for (uint32_t i = 0; i < width && queued.edges.count == width; i++)
		right = right && edge(i) == i;
	OK(right);
	end();
	return found;
}

static void large_fan_in(void)
{
	uint64_t few = fan_in(64), many = fan_in(64 * 64);

	OK_THAT(many <= 64 * few, "%llu looks for 64 lanes, %llu for 4096",
		(unsigned long long)few, (unsigned long long)many);
}

/* A region and its stubs wait for the same one, which is one edge; stubs also
 * wait for their region, which is none. */
static void stubs(void)
{
	enum { LANES = 500 };

	begin();
	add_command(0, PLAIT__CMD_JOIN);
	add_command(0, PLAIT__CMD_REGION);
	for (uint32_t i = 1; i < LANES; i++) {
		add_command(i, PLAIT__CMD_ENTER);
		add_wait(0, 0);
		add_wait(0, 1);
	}
	plan.bodies_count = 2;
	plan.regions_count = 1;
	bodies[1] = (plait__plan_body){ .region = 0 };
	regions[0] = (plait__plan_region){
		.command = 1, .body_first = 1, .body_count = 1,
		.lane_count = LANES };
	frozen[0] = (plait__queue_region){ .order_first = 1,
					    .order_count = LANES,
					    .outer = PLAIT__NONE,
					    .on_device = true };
	find();
	IS_UINT(queued.segments.count, 1);
	IS_UINT(queued.members.count, 2);
	IS_UINT(queued.edges.count, 1);
	if (queued.edges.count == 1)
		IS_UINT(edge(0), 0);
	OK_THAT(looks <= 16 * LANES, "%llu looks for %d lanes",
		(unsigned long long)looks, LANES);
	end();
}

/* Two lanes of two commands, and one that waits for both: of one device one
 * segment, of a device that runs segments in order one for each lane, and one
 * for the last command. */
static void lanes(void)
{
	for (uint32_t i = 0; i < 2; i++) {
		in_order = i == 1;
		begin();
		for (uint32_t k = 0; k < 4; k++)
			add_command(k / 2, PLAIT__CMD_JOIN);
		add_wait(1, 1);
		add_command(0, PLAIT__CMD_JOIN);
		find();
		IS_UINT(queued.segments.count, in_order ? 3 : 1);
		IS_UINT(queued.members.count, 5);
		end();
	}
	in_order = false;
}

static const struct tap_scenario all[] = {
	{ "a large fan-in", large_fan_in },
	{ "stubs", stubs },
	{ "lanes", lanes },
};
TAP_MAIN(all)
