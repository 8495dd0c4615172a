/* SPDX-License-Identifier: MIT */
/*
 * Engine of devices: ops of a flow that queues of devices run.
 *
 *     submitter, or a worker           notification      worker
 *     begin: a lane, an emission       arrive            collect: ended ops,
 *     flush: submit, arm                                 failures, arm
 *
 * An op begins when it is submitted, if its predecessors are done or have begun
 * in queues of its backend: the queues wait for each other.  Else it begins when
 * another op has begun and the same holds then, or a worker begins it when its
 * predecessors are done.  Lanes take ops under the lock of the flow; `submitting`
 * keeps that order for the queues, and is taken first.
 *
 * Failures.  The first op of a lane that ends with a failure has failed, unless
 * the failure is that of a wait.  It and those behind it in the lane begin anew
 * when their predecessors are done, in the lane that replaces the failed one; but
 * for those whose true predecessors have failed.
 */
#ifndef PLAIT_SRC_FLOW_DEVICE_DEVICE_ENGINE_H
#define PLAIT_SRC_FLOW_DEVICE_DEVICE_ENGINE_H

#include "flow/access/preds.h"
#include "flow/device/device_lane.h"

enum {
	PLAIT__DEVICE_BATCH = 32,
	/* Ops that the outbox keeps at most, while each is behind so many others in its
	 * lane, of which some have a notification that submits the outbox. */
	PLAIT__DEVICE_KEEP = 16,
	PLAIT__DEVICE_BUSY = 16
};

struct plait__device_engine {
	const plait_allocator *allocator;
	plait__flow_lanes *lanes;
	struct plait__mutex *lock; /* of the flow */
	plait__object *owner;	   /* the flow: held by notifications */
	/* A copy has failed, itself or since a predecessor did: its target lacks
	 * the elements.  Caller holds the lock. */
	void (*copy_failed)(void *arg, const plait__device_op *op);
	/* Null, or a launch took so long.  Caller holds the lock. */
	void (*measured)(void *arg, const plait__device_lane *lane,
			 const plait__lane_launch *launch, uint64_t ns);
	void *arg;
	bool measures; /* queues tell times */
	uint32_t count;
	uint32_t capacity;
	plait__device_lane *items; /* `count` */
	/* Per entry of the ring: the newest op that is one of a device. */
	plait__device_op **ops;
	plait__device_op *outbox; /* to be submitted, in order */
	plait__device_op *outbox_last;
	uint32_t outbox_count;
	bool is_due;	/* the outbox is to be submitted */
	bool may_keep;	/* the context has workers, which notifications wake */
	plait__device_op *waiting; /* by number: published, not begun */
	plait__device_op *waiting_last;
	plait__device_op *again; /* by number: to begin anew */
	plait__device_op *free;
	/* Ops that have ended, ever, and those of them that hold no launch, with
	 * its buffers, any more. */
	uint64_t ended;
	uint64_t dropped;
	plait__flow_arrival loss; /* of a device: has all lanes looked at */
	bool has_loss;		  /* it will come */
	bool is_lost; /* a submission has told so */
	/* The fields below. */
	struct plait__mutex submitting;
	uint32_t batch; /* ops, all of one lane */
	plait__device_op *batch_ops[PLAIT__DEVICE_BATCH];
};

/* Zeroed memory but for the fields before `count`.  PLAIT_E_NOMEM, and as
 * plait_queue_create: the caller calls fini. */
plait_status plait__device_engine_init(plait__device_engine *engine,
				       plait__device *const *devices,
				       uint32_t count, plait_error *error);
/* No op is in flight. */
void plait__device_engine_fini(plait__device_engine *engine);

/* Take a record; null without memory.  Caller holds the lock, as for the next
 * three. */
plait__device_op *plait__device_engine_take(plait__device_engine *engine);
/* Give a record back whose op was not numbered, and that has no launch. */
static inline void plait__device_engine_return(plait__device_engine *engine,
					       plait__device_op *op)
{
	op->number = 0;
	op->next = engine->free;
	engine->free = op;
}

/* The op of the record has a number, and these predecessors.  Returns true if
 * it has begun: no worker may run it. */
bool plait__device_engine_begin(plait__device_engine *engine,
				plait__device_op *op, uint64_t number,
				const plait__pred *preds, uint32_t count);
/* Returns true if the op is in its lane.  Caller holds the lock. */
static inline bool plait__device_engine_has_begun(const plait__device_op *op)
{
	return op->sequence != 0;
}

/* A plait__op_begin, of the record. */
plait_status plait__device_engine_claim(void *op, uint64_t number,
					plait_error *error);

/* Returns true if a lane could not be replaced: its device is of no use. */
static inline bool
plait__device_engine_is_dead(const plait__device_engine *engine, uint32_t lane)
{
	return engine->items[lane].is_dead;
}

/* Submit what has begun.  Caller does not hold the lock. */
void plait__device_engine_flush(plait__device_engine *engine);
/* The same, unless more ops may come before a device needs these. */
void plait__device_engine_offer(plait__device_engine *engine);

/* Look at all lanes, for a thread that is about to sleep: a lost device may owe a
 * notification for ever.  Caller does not hold the lock. */
void plait__device_engine_look(plait__device_engine *engine);

#endif
