/* SPDX-License-Identifier: MIT */
/* Record of a late task; see flow_late.h. */
#ifndef PLAIT_SRC_FLOW_LATE_RECORD_H
#define PLAIT_SRC_FLOW_LATE_RECORD_H

#include "flow/repetitions.h"

#include "object/progress/listener.h"
#include "object/queue/owner_call.h"
#include "object/queue/queue.h"
#include "run/run_instance.h"

struct plait__late {
	plait__flow_arrival arrival;
	/* Guarded by the lock of the flow. */
	plait__late *next_free;
	plait__late *next_begun;
	bool is_over; /* the op has ended, before its notification */
	bool is_left; /* the thread that called the run has ended */
	plait__flow *flow;
	plait__queue *queue; /* idle between tasks; or null */
	plait__listener listener;
	plait__run_end run_end;	/* of a plan, in place of the listener */
	plait_error failure;	/* of the run; PLAIT_OK: none */
	struct plait__mutex call_lock; /* guards `call` while it is made */
	at_u32 stop;		       /* not 0: no call is made any more */
	plait__call *call;
	uint32_t kind; /* PLAIT_TASK_... */
	uint64_t number;
	/* Held, but for the plan of `again`: the signal, the inbox or the plan. */
	plait__object *needs;
	uint64_t sequence;
	uint64_t emission; /* 0, or a task that emits, which a wait is behind */
	bool wants_newest; /* a wait for all emissions before it */
	plait_host_function function;
	void *user_data;
	const plait_run_desc *run;
	plait__repetition *again; /* that the plan is of, or null */
	uint32_t limit; /* tasks of the run, UINT32_MAX: all; see stretch.h */
	plait__backend_port *port;
	plait_backend_point point;
};

#endif
