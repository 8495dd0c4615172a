/* SPDX-License-Identifier: MIT */
/*
 * The Plan: an immutable schedule as flat data.  Everything that runs, checks,
 * simulates, draws or saves a schedule reads these arrays and nothing else.
 * Made by planner.h (or read from a file); never changed afterwards.
 */
#ifndef PLAIT_SRC_PLAN_PLAN_H
#define PLAIT_SRC_PLAN_PLAN_H

#include "plait/base.h"
#include "plan/payload.h"

/* "None" in every 32-bit index of a plan or of the planner's input. */
#define PLAIT__NONE UINT32_MAX

/*
 * Structure of a plan
 *
 * A *lane* is an in-order sequence of commands on one device.  A *body* is a
 * set of commands that runs as a whole: body 0 is the plan itself, the others
 * belong to regions (a loop has one, a `case` one per branch).
 * Within a body the commands of one lane are contiguous: that range is a
 * *track*, and a command's *position* is its index within its track.
 *
 * A *region* is one command on its home lane, plus one stub (PLAIT__CMD_ENTER)
 * on each other lane that its bodies use.  While the region runs, those lanes
 * run the tracks of its body and nothing else.  The rules of a region:
 *
 *   begin      the home lane reaches the region's command and has done its
 *              waits: it decides (`while`, `case`: by the predicate; `do`: go;
 *              `repeat`: by the count, which is fixed now) and notifies every
 *              lane of the region;
 *   body       each lane runs its track of the chosen body, if it has one;
 *   end        the home lane finishes its own track, then waits for the exits
 *              of the body: all commands of the iteration are done;
 *   again      a loop: the home lane decides again.  The decisions of a
 *              `repeat` are known in advance, so an engine may submit its
 *              iterations ahead, if it keeps their order;
 *   leave      the region's command is done at the decision to leave, each
 *              stub after it.
 *
 * So every command of one iteration happens before every command of the next;
 * the commands that the region's command has waited for happen before its
 * bodies; and its bodies happen before the commands that wait for its command.
 * Waits, exits and preds never cross the border of a body.
 *
 * Happens-before
 *
 * `strict`: a command happens after the previous command of its track, and
 * after the points that it waits for.  `helped`: only `preds` order commands
 * (idle workers may take commands out of lane order).  Every plan carries both.
 * Every ordering of the graph is implied by either.
 *
 * A wait names a point {lane, position} of the same body: the lane has finished
 * the command at that position, hence all before it.  An engine that counts
 * uses base[lane] + iteration * (commands of the track) + position.
 *
 * `order` is the submission order of a body: it respects lane order, waits and
 * preds, so that one thread which submits in that order never waits for a
 * command that it has yet to submit.  Members of a group, and a region with its
 * stubs, are adjacent in it, the main one first.  Signal slots are recycled in
 * that order: between an emission and the last wait for it, no other command
 * emits into its slot.
 */

/* Kinds of commands.  Kinds from CHANNEL on are reserved, not implemented. */
enum {
	PLAIT__CMD_LAUNCH = 0,		/* a kernel */
	PLAIT__CMD_HOST = 1,		/* a host function, on a worker */
	PLAIT__CMD_CALLBACK = 2,	/* a host function of an owner thread */
	PLAIT__CMD_COPY = 3,
	PLAIT__CMD_FILL = 4,
	PLAIT__CMD_JOIN = 5,		/* a user's join; does nothing itself */
	PLAIT__CMD_EMIT = 6,		/* emit a user's signal */
	PLAIT__CMD_WAIT = 7,		/* wait for a user's signal */
	PLAIT__CMD_MARK = 8,		/* a mark for profiling */
	PLAIT__CMD_REGION = 9,		/* a region, on its home lane */
	PLAIT__CMD_ENTER = 10,		/* a region's stub on another lane */
	PLAIT__CMD_BARRIER_STUB = 11,	/* a barrier's stub on another lane */
	PLAIT__CMD_CHANNEL = 12,	/* open a channel */
	PLAIT__CMD_SEND = 13,
	PLAIT__CMD_RECV = 14,
	PLAIT__CMD_ALLOC = 15,
	PLAIT__CMD_FREE = 16,
	PLAIT__CMD_COUNT = 17
};

/* Flags of a command. */
enum {
	/* One member of a group: all members have the same node. */
	PLAIT__CMD_MEMBER = 1,
	/* A wait names this command; exits do not count. */
	PLAIT__CMD_AWAITED = 2
};

/* The relation that orders commands; see "Happens-before". */
enum {
	PLAIT__MODE_STRICT = 0,
	PLAIT__MODE_HELPED = 1
};

enum {
	PLAIT__POLICY_BOUNDED = 0,	/* a hard limit of lanes per device */
	PLAIT__POLICY_WIDEST = 1	/* as many lanes as the graph is wide */
};

enum {
	PLAIT__REGION_WHILE = 0,	/* test, body, test, body, ... */
	PLAIT__REGION_DO = 1,		/* body, test, body, test, ... */
	PLAIT__REGION_CASE = 2,		/* the body of an index, or none */
	PLAIT__REGION_REPEAT = 3	/* the body as often as a count says */
};

/* How an access uses memory.  Two accesses conflict unless both read, or both
 * are atomic: only atomic operations of one device. */
enum {
	PLAIT__ACCESS_READ = 0,
	PLAIT__ACCESS_WRITE = 1,
	PLAIT__ACCESS_READ_WRITE = 2,
	PLAIT__ACCESS_ATOMIC = 3
};

enum {
	/* Work is submitted asynchronously: segments pay. */
	PLAIT__DEVICE_ASYNC = 1
};

typedef struct plait__plan_device {
	uint32_t name;			/* offset in strings */
	uint32_t rank;			/* of the machine; 0: this one */
	uint32_t flags;			/* PLAIT__DEVICE_... */
	uint32_t lane_limit;		/* the limit planned with; 0: none */
	uint64_t scratch_bytes;		/* size of the arena of one instance */
} plait__plan_device;

typedef struct plait__plan_lane {
	uint32_t rank;
	uint32_t device;		/* index in devices */
	uint32_t send_peer;		/* reserved, PLAIT__NONE */
	uint32_t recv_peer;		/* reserved, PLAIT__NONE */
} plait__plan_lane;

typedef struct plait__plan_body {
	uint32_t region;		/* the region it belongs to; PLAIT__NONE
					 * for body 0 */
	uint32_t command_first;		/* in commands and in order */
	uint32_t command_count;
	uint32_t track_first;		/* in tracks, ascending by lane */
	uint32_t track_count;
	uint32_t exit_first;		/* in exits: points that imply all
					 * commands */
	uint32_t exit_count;
	uint32_t signal_first;		/* its own range of signal slots */
	uint32_t signal_count;
	uint32_t segment_first;
	uint32_t segment_count;
	uint32_t reserved0;
	uint64_t makespan;		/* predicted, in units of cost */
} plait__plan_body;

typedef struct plait__plan_track {
	uint32_t lane;
	uint32_t first;			/* in commands */
	uint32_t count;
	/* 1: its first command has no wait, so an engine starts it */
	uint32_t begins;
} plait__plan_track;

/*
 * One command.  Those of a body are contiguous, sorted by lane, then position.
 * Its waits are waits[wait_first .. (next command).wait_first), its preds the
 * same; the array has one sentinel behind the last command for that.
 */
typedef struct plait__plan_command {
	uint32_t node;			/* index in nodes */
	uint8_t kind;			/* PLAIT__CMD_... */
	uint8_t flags;
	int16_t priority;		/* of its node; 0 is the usual one */
	uint32_t lane;
	uint32_t position;		/* within its track */
	uint32_t wait_first;
	uint32_t pred_first;
	uint32_t signal;		/* slot it emits into, or none */
	/* REGION, ENTER: index in regions.  JOIN: PLAIT__NONE.
	 * Else: index in payloads, or none. */
	uint32_t link;
	uint64_t cost;
} plait__plan_command;

/* Wait until `lane` has finished `position`; its command emits into
 * `signal`. */
typedef struct plait__plan_wait {
	uint32_t lane;
	uint32_t position;
	uint32_t signal;
} plait__plan_wait;

/* A point that must be reached before a body is done. */
typedef struct plait__plan_exit {
	uint32_t lane;
	uint32_t position;
} plait__plan_exit;

typedef struct plait__plan_region {
	uint32_t kind;			/* PLAIT__REGION_... */
	uint32_t command;		/* the one on the home lane */
	uint32_t body_first;		/* its bodies are contiguous */
	uint32_t body_count;
	uint32_t lane_first;		/* in region_lanes, home lane first */
	uint32_t lane_count;
	uint32_t predicate;		/* index in payloads, or none; of a
					 * `repeat`: the count, none: `times` */
	uint32_t times;			/* hint: expected iterations; a case:
					 * the expected branch, or none */
	uint64_t decision_cost;		/* of each decision; a `repeat` has
					 * none */
} plait__plan_region;

/* A segment: commands of one device that a backend may run as one device graph.
 * No path leaves a segment and comes back to it. */
typedef struct plait__plan_segment {
	uint32_t device;
	uint32_t command_count;
	uint64_t cost;
} plait__plan_segment;

/* Scratch of one command, in the arena of its device. */
typedef struct plait__plan_scratch {
	uint32_t command;		/* ascending */
	uint32_t device;
	uint64_t offset;
	uint64_t bytes;
} plait__plan_scratch;

/* Origin of a command.  Its accesses are [access_first, next's
 * access_first). */
typedef struct plait__plan_node {
	uint32_t label;			/* offset in strings, or none */
	uint32_t file;			/* offset in strings, or none */
	uint32_t line;
	uint32_t body;
	uint32_t command;		/* the first one, or none (not in a
					 * partial plan) */
	uint32_t access_first;		/* one sentinel after the last node */
} plait__plan_node;

typedef struct plait__plan_access {
	uint32_t object;		/* slot, parameter or rotation:
					 * access.h */
	uint32_t alias;			/* not 0: objects that share memory */
	uint32_t mode;			/* PLAIT__ACCESS_... */
	uint32_t box;			/* index in boxes; none: the whole
					 * object */
} plait__plan_access;

/* [low, high) in up to three dimensions; unused ones are [0, 1). */
typedef struct plait__plan_box {
	uint64_t low[3];
	uint64_t high[3];
} plait__plan_box;

/*
 * Tables that the front end fills and that travel from the planner's input to
 * the plan; the planner gives regions the plan's numbers and sorts accesses by
 * node.  TABLE(type, name).
 */
#define PLAIT__PLAN_TABLES(TABLE)				\
	TABLE(plait__plan_kernel, kernels)			\
	TABLE(plait__plan_payload, payloads)			\
	TABLE(plait__plan_geometry, geometries)			\
	TABLE(plait__plan_function, functions)			\
	TABLE(plait__plan_signal, signals)			\
	TABLE(plait__plan_arg, args)				\
	TABLE(plait__plan_patch, patches)			\
	TABLE(plait__plan_param, params)			\
	TABLE(plait__plan_slot, slots)				\
	TABLE(plait__plan_rotation, rotations)			\
	TABLE(uint32_t, rotation_slots)				\
	TABLE(plait__plan_series, series)			\
	TABLE(plait__plan_access, accesses)			\
	TABLE(plait__plan_box, boxes)				\
	TABLE(plait__plan_resource, resources)			\
	TABLE(plait__plan_hold, holds)				\
	TABLE(uint8_t, blob)					\
	TABLE(char, strings)

/* All arrays of a plan, in the order in which a file stores them. */
#define PLAIT__PLAN_ARRAYS(ARRAY)				\
	ARRAY(plait__plan_device, devices)			\
	ARRAY(plait__plan_lane, lanes)				\
	ARRAY(plait__plan_body, bodies)				\
	ARRAY(plait__plan_track, tracks)			\
	ARRAY(plait__plan_command, commands)			\
	ARRAY(uint32_t, order)					\
	ARRAY(plait__plan_wait, waits)				\
	ARRAY(uint32_t, preds)					\
	ARRAY(plait__plan_exit, exits)				\
	ARRAY(plait__plan_region, regions)			\
	ARRAY(uint32_t, region_lanes)				\
	ARRAY(plait__plan_segment, segments)			\
	ARRAY(uint32_t, segment_of)				\
	ARRAY(plait__plan_scratch, scratch)			\
	ARRAY(plait__plan_node, nodes)				\
	ARRAY(plait__plan_channel, channels)			\
	PLAIT__PLAN_TABLES(ARRAY)

/*
 * The plan.  Every array NAME has NAME_count elements and is null when that is
 * 0.  `commands` and `nodes` count their sentinel too: use command_count and
 * node_count.  strings[0] is a NUL; preds are command indices.  `segment_of`
 * has the segment of each command, or none; without segments it is empty.
 */
#define PLAIT__PLAN_FIELD(type, name) type *name; uint32_t name##_count;
typedef struct plait__plan {
	plait_allocator allocator;	/* release frees with it */
	uint32_t mode;			/* PLAIT__MODE_... */
	uint32_t policy;		/* PLAIT__POLICY_... */
	uint32_t command_count;
	uint32_t node_count;
	uint32_t signal_count;		/* slots, all bodies together */
	uint32_t edge_count;		/* edges of the graph, for
					 * information */
	uint64_t hop_cost;		/* cost of a cross-lane wait, as planned
					 * with */
	uint64_t makespan;		/* of body 0, in units of cost */
	PLAIT__PLAN_ARRAYS(PLAIT__PLAN_FIELD)
} plait__plan;
#undef PLAIT__PLAN_FIELD

/* Free a plan; null is allowed. */
void plait__plan_release(plait__plan *plan);

/* Returns the track of `lane` in `body`, or PLAIT__NONE.  Logarithmic time. */
uint32_t plait__plan_find_track(const plait__plan *plan, uint32_t body,
				uint32_t lane);

/* Returns the command at a point of `body`, or PLAIT__NONE if there is none. */
uint32_t plait__plan_find_command(const plait__plan *plan, uint32_t body,
				  uint32_t lane, uint32_t position);

/* Returns the number of nodes that take part: all, except in a partial plan. */
uint32_t plait__plan_nodes_in(const plait__plan *plan);

/* Returns a node's label for messages: never null, "" if it has none. */
const char *plait__plan_node_label(const plait__plan *plan, uint32_t node);

/* Returns the name of a launch's kernel from the tables, "" if the kind is
 * another; `link` is the payload. */
const char *plait__plan_kernel_name(const plait__plan *tables, uint32_t kind,
				    uint32_t link);

/* Returns a node's label, or the name of its kernel if it has no label; never
 * null. */
const char *plait__plan_node_name(const plait__plan *plan, uint32_t node);

/* Write 'node 3 "name"', or "node 3" if it has no name; returns `room`. */
enum { PLAIT__PLAN_NODE_TEXT_BYTES = 80 };
const char *plait__plan_node_text(const plait__plan *plan, uint32_t node,
				  char room[PLAIT__PLAN_NODE_TEXT_BYTES]);

/* Returns the segment of a command, or PLAIT__NONE. */
static inline uint32_t plait__plan_segment_of(const plait__plan *plan,
					      uint32_t command)
{
	return plan->segment_of_count == 0 ? PLAIT__NONE :
					     plan->segment_of[command];
}

/* Returns the expected iterations of a loop: at least 1 for a `do`. */
uint64_t plait__plan_iterations(uint32_t kind, uint64_t times);

/* Returns the number of decisions of a region with `times` iterations, the one
 * to leave included; 0 for a `repeat`. */
uint64_t plait__plan_decisions(uint32_t kind, uint64_t times);

/* Returns the cost of the command itself; for a region one decision, without
 * its bodies. */
uint64_t plait__plan_own_cost(const plait__plan *plan, uint32_t command);

/* Returns the bytes that a plan holds. */
uint64_t plait__plan_bytes(const plait__plan *plan);

#endif
