/* SPDX-License-Identifier: MIT */
/*
 * Time that a proved schedule needs for a size on a cluster.
 *
 * Model.  A lane executes its steps in order, once per tile.  A step that sends
 * moves its bytes over the link or the network, another one through the memory
 * of its rank; the rate is that of the lane, or an equal share of the port where
 * that is less.  The message arrives a latency of the protocol later.  A
 * receipt gives its slot back at once.  Steps that only wait take no time.
 *
 * Tiles.  A tile has as many bytes of each chunk as fit into a slot: for the
 * executors whole chunks, and a step of more chunks is split into parts that
 * fit; for plait itself the largest step fits.  The first tiles are executed,
 * and the pace of the second half of these holds for the rest.
 */
#ifndef PLAIT_SRC_COLL_PRICE_PRICE_H
#define PLAIT_SRC_COLL_PRICE_PRICE_H

#include "coll/price/cluster.h"
#include "coll/schedule/schedule.h"
#include "base/vector.h"

enum {
	PLAIT__PRICE_TILES = 16,	/* most that are executed */
	PLAIT__PRICE_UNITS = 1 << 22,	/* fewer tiles, down to 4, for these */
	PLAIT__PRICE_NONE = UINT32_MAX
};
#define PLAIT__PRICE_MAX_BYTES ((uint64_t)1 << 40)

/* One execution of a part of a step, in picoseconds; a NOP takes no
 * time. */
typedef struct plait__price_unit {
	uint64_t begin, end;
	uint32_t cause;		/* the unit that it began after, or NONE */
	uint32_t lane, step;	/* as in the schedule; `step` in the lane */
	uint32_t tile;
} plait__price_unit;

typedef struct plait__price {
	uint64_t time_ns;
	uint64_t tile_bytes;	/* of a chunk */
	uint64_t tiles;
	uint32_t executed_tiles;
	/* The critical path of the executed tiles: its units that take time,
	 * their time, and the latencies between them. */
	uint32_t critical_units;
	uint64_t critical_ns, latency_ns;
	uint32_t last_unit;	/* its end, or NONE */
	plait__vector units;	/* plait__price_unit, in the order of begin */
} plait__price;

/*
 * Execute the schedule with `bytes` in the larger one of a rank's input and
 * output.  PLAIT_E_INVALID: the cluster has fewer ranks or lanes, the size is out
 * of range, or the time is beyond 200 days; PLAIT_E_DEADLOCK: the executor does
 * not end at this size; PLAIT_E_NOMEM.  The caller calls plait__price_fini, after a
 * failure too.
 */
plait_status plait__price_schedule(const plait__schedule *schedule,
				   const plait__cluster *cluster,
				   uint64_t bytes,
				   const plait_allocator *allocator,
				   plait__price *out, plait_error *error);

/* Free the units; a price of zeros is allowed. */
void plait__price_fini(plait__price *price);

#endif
