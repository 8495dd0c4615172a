/* SPDX-License-Identifier: MIT */
/*
 * A flow, its data, and a task in preparation.
 *
 * `lock` guards all but the lanes: the calls of a flow and of its data take it.
 * It comes before all locks of src/object.  Under it no function of the program
 * runs but a mapper's, which calls nothing of plait; no object is destroyed and
 * no thread waits.
 *
 * Holds: a data holds its flow, a part its whole.  The flow holds each data
 * until the last task that uses it is done, and itself until its last task is.
 */
#ifndef PLAIT_SRC_FLOW_FLOW_OBJECT_H
#define PLAIT_SRC_FLOW_FLOW_OBJECT_H

#include "plait/flow.h"

#include "flow/access/front_access.h"
#include "flow/access/mapper.h"
#include "flow/lanes/flow_lanes.h"
#include "flow/lanes/window.h"
#include "flow/rank/task_ranks.h"
#include "flow/show/record.h"

#include "object/context/context.h"
#include "object/context/device.h"
#include "object/kernel/kernel.h"
#include "object/memory/buffer.h"

#include <stddef.h>
#include <string.h>

typedef struct plait__flow plait__flow;
typedef struct plait__data plait__data;
typedef struct plait__late plait__late;
typedef struct plait__flow_capture plait__flow_capture;
typedef struct plait__repetition plait__repetition;
typedef struct plait__flow_devices plait__flow_devices;
typedef struct plait__flow_ranks plait__flow_ranks;
typedef struct plait__data_copies plait__data_copies;
typedef struct plait__device_op plait__device_op;
typedef struct plait__flow_proof plait__flow_proof;
typedef struct plait__partials plait__partials;
typedef struct plait__flow_history plait__flow_history;
typedef struct plait__split_weights plait__split_weights;

/* An open mapping: an op that its thread or coroutine ends. */
typedef struct plait__data_mapping {
	struct plait__data_mapping *next;
	plait__data *data; /* that it was made through */
	char *pointer;
	uint64_t number;
	uint64_t owner;	/* plait__suspension_owner */
	/* Over a world: ops before it, by rank; see rank_room.h. */
	uint64_t rank_ops[PLAIT__TASK_RANKS_MOST];
} plait__data_mapping;

/* Partial results of reductions of a data: twice `rows` elements of an internal
 * data, of whose halves launches use one after the other. */
struct plait__partials {
	plait__partials *next;
	plait_data *handle; /* one reference */
	plait__data *data;
	uint64_t rows;
	uint32_t half;	   /* that the next launch uses */
	const void *owner; /* the submission that has begun with them, or null */
};

struct plait__data {
	plait__object object;
	plait__flow *flow;  /* held */
	plait__data *whole; /* itself, or held by a part */
	plait_box box;	    /* in the whole */
	uint32_t dimensions;

	/* Whole only. */
	uint32_t element_bytes;
	uint64_t pitch[3]; /* bytes from element to element, per dimension */
	char *memory;
	uint64_t bytes;
	/* Null; or held: its bytes from `buffer_offset` on are the memory, which
	 * was mapped, or is from plait__data_share.  `has_reference`: with a
	 * reference to its handle, until the flow is closed; guarded. */
	plait__buffer *buffer;
	bool has_reference;
	uint64_t buffer_offset;
	bool is_mapped;
	bool is_partial; /* of plait__partials: read by the reduction that wrote it */
	plait__front_map map;
	/* In memories of devices; null: the flow has none, or it is a token. */
	plait__data_copies *copies;
	/* Over a world: the ranks with the newest values, and its number, equal on
	 * all ranks.  Guarded. */
	struct plait__coherence *owners;
	uint64_t number;

	uint64_t last_use; /* the newest op that uses it or a part of it */
	uint32_t users; /* it and its parts, less those that the flow has dropped */
	uint32_t recorded; /* 1 + its index in the record, or 0 */
	uint32_t captured; /* the same of the capture */
	uint32_t proved;   /* the same of the proof */

	/* All. */
	plait__data *next; /* in the list of the flow */
	plait__data *previous;
	bool closed; /* by the user: to be dropped behind last_use */
	plait__partials *partials; /* of reductions */
};

/* The label of tasks from a text, which the flow keeps. */
typedef struct plait__flow_name {
	struct plait__flow_name *next;
	char text[PLAIT__OBJECT_LABEL_BYTES];
} plait__flow_name;

/* A kernel that the flow holds, instead of each of its launches. */
typedef struct plait__flow_kernel {
	plait__kernel *kernel;
	const plait_kernel *handle;
	uint64_t last_use;
	uint64_t cells; /* that the arguments of a launch need */
	/* Of most of its launches: changed while no op has it. */
	plait_launch *geometry;
	struct plait__kernel_timing *timing; /* flow_history.c; or null */
} plait__flow_kernel;

/* The newest run of a plan by the flow, or emission of a signal: flow_series.h. */
typedef struct plait__flow_series {
	const void *handle; /* of the plan or signal */
	uint64_t last_use;  /* the newest op */
} plait__flow_series;

struct plait__flow {
	plait__object object;
	plait__device *host; /* null: none */
	plait__flow_devices *devices; /* null: the host alone */
	plait__flow_ranks *ranks;     /* null: one rank */
	plait__flow_history *history; /* null: times are not measured */
	struct plait__mutex lock;
	plait__window window;
	plait__flow_lanes lanes;
	plait__preds preds;
	/* Per entry of the ring: the lane of the op, set at the commit. */
	uint8_t *lane_of;
	uint8_t *behind; /* scratch of sweeps: is it behind the ops in question? */
	uint64_t newest_outside; /* op that a signal or an inbox ends; or 0 */
	uint64_t last_in_lane[PLAIT__FLOW_LANES];
	uint32_t next_lane;
	uint64_t newest_late; /* the newest op in a late lane */
	uint64_t barrier;     /* the newest one, or 0 */
	plait__data *data;
	plait__data_mapping *mappings;
	plait__data_mapping *spare_mappings;
	plait__flow_kernel *kernels;
	uint32_t kernel_count;
	uint32_t kernel_capacity;
	plait__vector series; /* plait__flow_series */
	uint32_t closed_data; /* number of closed ones */
	uint64_t closings;    /* of data, ever */
	uint64_t data_bytes;
	uint64_t swept; /* the newest op at the last sweep */
	uint64_t cuts;	/* tasks for which borders were made */
	uint64_t marks; /* ops that are marks of commits, ever */
	plait__late *late; /* free records; flow_late.c */
	plait__late *begun_late; /* late_cancel.c */
	at_u32 shared_runs;	 /* of plans, that have started; a hint */
	/* Accesses of the task in preparation, and their fronts. */
	plait__front_list fronts;
	struct plait__flow_access *accesses;
	uint32_t access_capacity;
	plait__vector reductions; /* plait__reduction: of that task */
	const void *submitter; /* with devices: the submission that has the lock */
	plait__record *record;	 /* or null */
	plait__flow_proof *proof; /* or null */
	bool is_strict;		 /* it has a record */
	bool is_fixed;		 /* numbers decide, and not what is done */
	/* Not 0: plain_task.h; no devices, ranks, record, proof, epochs, and tasks are
	 * not compared with repeats (repeat_phases.h).  Guarded; read before as a
	 * hint. */
	at_u32 is_simple;
	uint64_t epoch; /* of a fixed flow: ops up to this one count as done */
	/* Ops behind `notices_after`, up to `notices_to`, are notifications. */
	uint64_t notices_after, notices_to;
	plait__flow_name *names; /* labels of tasks from a text */
	plait__flow_capture *capture; /* or null */
	plait__repetition *repetitions;
	/* awaited_run.h: the newest run of a repetition, until an op or a wait
	 * comes behind it, or 0; its last op; its repetition. */
	uint64_t newest_run;
	uint64_t newest_run_end;
	plait__repetition *newest_again;
	/* held_run.h: its number, or 0; its record; tasks that came, with the first;
	 * whether that is all of them; whether it is reserved (awaited_run.h); whether a
	 * call that submits no task came since the last task. */
	uint64_t held_run;
	plait__late *held_late;
	uint32_t held_tasks;
	bool held_is_whole;
	bool held_is_reserved;
	bool is_interrupted;
	struct plait__flow_repeats *repeats; /* null: without PLAIT_FLOW_REPEATS */
	struct plait__repeat_phases *phases; /* of `repeats` */
	/* op_await.c: guards the list; no lock inside. */
	struct plait__mutex listener_lock;
	struct plait__op_listener *listeners;
	at_u32 has_listeners;	/* 0: the list is empty */
	const struct plait__backend *spans; /* told of ops; or null */
};

enum {
	/* Instead of a lane: another thread than a worker finishes the op. */
	PLAIT__LANE_OUTSIDE = PLAIT__FLOW_LANES_ALL,
	/* A host access of a fixed flow, once it has ended; a part of a held run. */
	PLAIT__LANE_ENDED
};

PLAIT__OBJECT_ENTER(flow, PLAIT_OBJECT_FLOW);
PLAIT__OBJECT_ENTER(data, PLAIT_OBJECT_DATA);

typedef struct plait__flow_access {
	plait__data *whole;
	plait_box box;
	plait__front_map *map; /* of the memory where it is */
	uint32_t mode; /* PLAIT__ACCESS_... */
	uint32_t end;  /* of its fronts in flow->fronts */
} plait__flow_access;

/* A task in preparation. */
typedef struct plait__flow_task {
	plait__flow *flow;
	uint32_t kind;	 /* PLAIT__OP_... */
	bool is_barrier; /* before all later tasks */
	bool is_prefix;	 /* behind all earlier ones */
	bool is_urgent;
	bool is_always;	 /* it cannot be cancelled */
	bool is_late;	 /* another thread finishes it */
	bool is_outside; /* a signal, or the owner of an inbox */
	bool is_held;	 /* not published yet: held_run.h */
	bool is_reserved; /* for a waiting thread: awaited_run.h */
	const char *label;
	plait__op_work filled;
	uint64_t cells;
	uint32_t access_count;
	/* Of accesses of descriptors: the last handle and its data, or null, and
	 * those of the last other one. */
	const plait_data *handle, *other_handle;
	plait__data *found, *other_found;
	uint64_t behind; /* 0, or an op that comes before */
	bool needs_behind; /* and is not run if that one has failed */
	/* Of the end of a split launch: its pieces. */
	const uint64_t *pieces;
	uint32_t piece_count;
	plait__flow_kernel *kernel;
	plait__late *late;	/* its record, or null */
	plait__flow_series *series; /* or null */
	plait__repetition *again; /* that it runs, or null */
	plait__object *closing; /* to be closed without the lock */
	uint64_t number; /* when it is submitted */
	bool reads_poison; /* a host access that failed for that */
	/* With devices: the memory where it runs; its op, or null; whether data
	 * has no buffer there yet. */
	uint32_t memory;
	uint32_t pointer; /* of the argument in preparation */
	uint64_t cost; /* 0: none given */
	uint64_t candidates; /* devices, bits; 0: to be found */
	uint32_t queue; /* of the device's */
	bool has_own_boxes; /* some of a piece do not follow its items alone */
	plait__device_op *device_op;
	struct plait__flow_device *device;
	bool maps; /* it runs host code on the device */
	const plait__split_weights *weights; /* of its pieces; null: equal */
	const uint64_t *order; /* ops that come before */
	uint32_t order_count;
	bool lacks_buffers;
	/* Not 0: its data needs more than the memory of its device, nearly so
	 * many times. */
	uint32_t excess;
	bool keeps_values; /* it writes none: it moves or releases a buffer */
	/* Of a launch: its reductions; the data that lacks partials for as many
	 * rows, held, or null. */
	uint32_t reduction_count;
	uint32_t wanted_rows;
	plait__data *wants;
	/* Of a launch: the piece that is prepared.  Its items come last: a new
	 * task is cleared up to them. */
	plait__mapper_chunk chunk;
} plait__flow_task;

static inline void plait__flow_task_clear(plait__flow_task *task,
					  plait__flow *flow)
{
	enum { BYTES = offsetof(plait__flow_task, chunk.items), PART = 64 };

	/* Stores; gcc makes one larger memset a string instruction, which takes
	 * ten times as long. */
	for (int i = 0; i < BYTES / PART; i++)
		memset((char *)task + i * PART, 0, PART);
	memset((char *)task + BYTES / PART * PART, 0, BYTES % PART);
	task->flow = flow;
}

/* Ops up to this one count as done for numbers, lanes and predecessors.  Those of
 * a fixed flow are done by their number: op n - W is done when n is numbered. */
static inline uint64_t plait__flow_settled(const plait__flow *flow)
{
	uint64_t size, newest;

	if (__builtin_expect(!flow->is_fixed, 1))
		return flow->window.settled;
	size = plait__window_size(&flow->window);
	newest = flow->window.newest;
	return newest > size && newest - size > flow->epoch ? newest - size :
							      flow->epoch;
}

/* Returns true if the op counts as done. */
static inline bool plait__flow_counts_done(const plait__flow *flow,
					   uint64_t number)
{
	return flow->is_fixed ? number <= plait__flow_settled(flow) :
				plait__op_is_done(&flow->window.ring, number);
}

static inline const plait_allocator *
plait__flow_allocator(const plait__flow *flow)
{
	return plait__context_allocator(flow->object.context);
}

#endif
