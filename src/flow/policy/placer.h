/* SPDX-License-Identifier: MIT */
/*
 * Placer of tasks: devices, their lanes, the links between memories, and until
 * when each is predicted to be in use.  The device and the lane of a task are
 * chosen by the policies; the commit books what the choice was compared by.
 *
 * Predicted times are in nanoseconds of one clock.  A task starts when its lane
 * is free, its predecessors are seen and its copies have ended.
 */
#ifndef PLAIT_SRC_FLOW_POLICY_PLACER_H
#define PLAIT_SRC_FLOW_POLICY_PLACER_H

#include "flow/policy/parent_policy.h"

#include "base/vector.h"

/* Without other figures. */
enum {
	PLAIT__PLACER_COST_NS = 10000, /* of a launch */
	PLAIT__PLACER_HOP_NS = 2000,   /* to another device */
	PLAIT__PLACER_RATE = 10000,    /* of a link, bytes per microsecond */
	PLAIT__PLACER_LATENCY_NS = 2000
};

/* All zero: EARLIEST, BEST, REUSE, with lanes without a limit. */
typedef struct plait__placer_options {
	uint32_t choose; /* PLAIT__CHOOSE_... */
	uint32_t parent; /* PLAIT__PARENT_... */
	uint32_t lane;	 /* PLAIT__LANE_... */
	uint32_t lanes;	 /* per device; 0: no limit */
	uint32_t threshold; /* per mille; 0: PLAIT__CHOOSE_THRESHOLD */
	bool explains;	 /* keep a text for each launch */
	/* Of all memories: where a rate is not 0 it counts; or null. */
	const plait__links *links;
	/* Per device: its share of the pieces of a launch; or null: equal. */
	const uint32_t *weights;
} plait__placer_options;

/* Devices and memories; `reaching`, per memory: those that are copied to it
 * directly, bits.  All outlive the placer. */
typedef struct plait__placer_system {
	uint32_t devices;
	uint32_t memories;
	uint32_t host; /* its memory */
	const uint32_t *memory_of;
	const uint64_t *reaching;
} plait__placer_system;

typedef struct plait__placer {
	plait__placer_system system;
	plait__placer_options options;
	plait__links links;
	plait__bookings bookings;
	plait__workspace work;
	plait__placement placement;
	plait__vector lanes; /* plait__policy_lane */
	uint32_t next;	     /* of the round robin */
	uint64_t now_ns;
	bool failed; /* without memory */
} plait__placer;

/* A task that is placed.  The lists are the caller's, and last until the
 * commit. */
typedef struct plait__placing {
	uint64_t candidates; /* devices, bits */
	bool is_fixed;	     /* the lowest candidate, whatever the policy */
	const plait__policy_piece *pieces;
	uint32_t piece_count;
	uint32_t pred_count;
	const plait__policy_pred *preds;
	/* In the order of the program; of BEST: their points. */
	const plait__policy_parent *parents;
	const plait__place_point *points;
	uint32_t parent_count;
	uint32_t next; /* of the round robin, behind the choice */
	uint64_t cost_ns[PLAIT__LINKS_MEMORIES]; /* per device */
	uint64_t evicted_bytes[PLAIT__LINKS_MEMORIES]; /* likewise */
	/* The choice. */
	plait__policy_device devices[PLAIT__LINKS_MEMORIES];
	plait__device_figures figures[PLAIT__LINKS_MEMORIES];
	plait__device_request request;
	plait__parent_choice choice;
	/* The commit: the lane, the end and the point. */
	uint32_t lane;
	uint64_t finish_ns;
	plait__place_point point;
} plait__placing;

/* Begin; fini is valid also after a failure, which `failed` tells. */
void plait__placer_init(plait__placer *placer, const plait_allocator *allocator,
			const plait__placer_system *system,
			const plait__placer_options *options);
void plait__placer_fini(plait__placer *placer);

/* Find the device alone, of BEST: before a lane is made for it. */
uint32_t plait__placer_find_device(plait__placer *placer,
				   plait__placing *placing);

/* Choose the device and the lane.  Only a commit has an effect on later
 * choices. */
void plait__placer_choose(plait__placer *placer, plait__placing *placing);
/* Book the lane, perhaps a new one, and the copies. */
void plait__placer_commit(plait__placer *placer, plait__placing *placing);

/* Returns when the last predecessor is seen by a device, or by the host: an index
 * above all devices. */
uint64_t plait__placer_preds_end(const plait__placing *placing,
				 uint32_t device);

static inline plait__policy_lane *plait__placer_lane(const plait__placer *placer,
						     uint32_t lane)
{
	return plait__vector_at(&placer->lanes, lane);
}

#endif
