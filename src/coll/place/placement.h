/* SPDX-License-Identifier: MIT */
/*
 * Placement of instructions: connections, lanes, the order of steps, waits.
 * Shared by the passes of this folder, which run in the order given below.
 */
#ifndef PLAIT_SRC_COLL_PLACE_PLACEMENT_H
#define PLAIT_SRC_COLL_PLACE_PLACEMENT_H

#include "coll/dag/dag.h"
#include "coll/place/number_map.h"

enum plait__placement_flag {
	PLAIT__PLACEMENT_SEPARATE_LANES = 1,	/* a lane sends or receives */
	PLAIT__PLACEMENT_FILL_LANES = 2	/* up to `few_lanes`, for operations
					 * that need nothing */
};

typedef struct plait__placement_limits {
	uint32_t depth;		/* slots of a connection, at least 1 */
	uint32_t channels;	/* maximum number */
	uint32_t lanes;		/* of a rank */
	uint32_t few_lanes;	/* of a rank: pair sends with receives above it */
	uint32_t steps;		/* of a lane; a wait beyond the first of a
				 * step counts as a step if `single_wait` */
	uint32_t count;		/* sub-chunks of a step; 0: any */
	uint32_t offset;	/* largest number of a sub-chunk */
	uint32_t lanes_per_channel; /* of a rank, that send, or receive */
	uint32_t single_wait;
	uint32_t flags;		/* enum plait__placement_flag */
} plait__placement_limits;

/* FIFO from rank `source` to rank `target`. */
typedef struct plait__placement_connection {
	uint32_t source, target, channel;
	uint32_t way;		/* of all messages */
	uint32_t uses;		/* messages; 0: there is no connection */
	/* Connections of the same lane: `next` leaves the target, `prev`
	 * enters the source; NONE without. */
	uint32_t next, prev;
	uint32_t send_lane, recv_lane; /* directives, or NONE */
	uint32_t source_lane, target_lane; /* in `lanes` */
	/* For coll_order.c. */
	uint32_t is_circular;	/* `next` leads back to it */
	uint32_t outstanding;	/* credits in use */
	uint32_t first_message, last_message; /* sends, by `next_message` */
	/* Heaps of units without a credit: in a circle, units that only
	 * send are apart. */
	uint32_t waiting, entering;
	uint32_t first_send, last_send; /* all sends in program order */
} plait__placement_connection;

typedef struct plait__placement_lane {
	uint32_t rank, channel;
	uint32_t directive;	/* number that the program gave, or NONE */
	uint32_t send, recv;	/* connections, or NONE */
	/* For coll_order.c. */
	uint32_t ready;		/* heap of units that can execute */
	uint32_t ready_count, step_count;
	uint32_t is_active;
} plait__placement_lane;

/* Filled by the passes: connections by plait__channels_assign, lanes by
 * plait__lanes_make, steps and sequence by plait__order_steps. */
typedef struct plait__placement {
	plait__dag *dag;
	const plait__placement_limits *limits;
	plait__vector connections, lanes;
	plait__number_map connection_of; /* source, target, channel */
	plait__number_map lane_of;	 /* rank, directive */
	uint32_t channel_count;
	uint32_t *first_lane;	/* by rank, rank_count + 1 of them */
	uint32_t *connection;	/* of a send or receive, by node */
	uint32_t *lane, *step;	/* by unit */
	uint32_t *sequence;	/* units in an order of execution */
	uint32_t unit_count;
} plait__placement;

void plait__placement_init(plait__placement *place, plait__dag *dag,
		       const plait__placement_limits *limits);
void plait__placement_fini(plait__placement *place);

/* Give each send a connection; takes sends out of units where no channel is
 * left. */
plait_status plait__channels_assign(plait__placement *place, plait_error *error);

/* Make the lanes, ordered by rank. */
plait_status plait__lanes_make(plait__placement *place, plait_error *error);

/* Order the steps of each lane. */
plait_status plait__order_steps(plait__placement *place, plait_error *error);

/* Write lanes, steps and waits into the schedule of the dag. */
plait_status plait__waits_emit(plait__placement *place, plait_error *error);

/* Check the finished schedule against the limits: PLAIT_E_INVALID names one. */
plait_status plait__limits_check(const plait__schedule *schedule,
				 const plait__placement_limits *limits,
				 plait_error *error);

/* The limits of a target with a protocol. */
void plait__limits_of(uint32_t target, uint32_t protocol,
		      plait__placement_limits *out, uint64_t *slot_bytes);

static inline plait__placement_connection *
plait__placement_connection_at(const plait__placement *place, uint32_t i)
{
	return (plait__placement_connection *)place->connections.items + i;
}

static inline plait__placement_lane *plait__placement_lane_at(const plait__placement *place,
						      uint32_t i)
{
	return (plait__placement_lane *)place->lanes.items + i;
}

/* The send that a unit executes, or NONE. */
static inline uint32_t plait__placement_send_of(const plait__placement *place,
					    uint32_t unit)
{
	const plait__dag_node *node = plait__dag_at(place->dag, unit);

	return node->kind == PLAIT__STEP_SEND ? unit : node->send;
}

static inline bool plait__placement_receives(const plait__placement *place,
					 uint32_t unit)
{
	const plait__dag_node *node = plait__dag_at(place->dag, unit);

	return node->match != PLAIT__COLL_NONE &&
	       node->kind != PLAIT__STEP_SEND;
}

#endif
