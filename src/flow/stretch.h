/* SPDX-License-Identifier: MIT */
/*
 * Stretch: consecutive tasks that the program has repeated, and their repetition.
 * A run executes the first tasks of the stretch, all or fewer.  Its nodes are
 * functions: each calls what a worker would call for the op of its task, unless
 * the task is beyond the limit of the run.
 */
#ifndef PLAIT_SRC_FLOW_STRETCH_H
#define PLAIT_SRC_FLOW_STRETCH_H

#include "flow/repeat/repeat_choice.h"
#include "flow/repeat/repeat_row.h"
#include "flow/repeat/repeated_task.h"
#include "flow/repeat/repeated_words.h"
#include "flow/repetitions.h"
#include "flow/task_split.h"

typedef struct plait__stretch_call plait__stretch_call;

/* Guarded by the lock of the flow, but for what its runs read.  Lives as long as
 * the flow, which has the repetition in its list. */
typedef struct plait__stretch plait__stretch;
struct plait__stretch {
	const plait_allocator *allocator;
	plait__vector tasks;	    /* plait__repeated_task pointers */
	bool borrows;		    /* another stretch has the tasks */
	/* Of the tasks that it has (repeat/repeated_words.h), and the same of those that
	 * it borrows, which come again and again. */
	plait__vector words;
	const plait__vector *compared;
	/* One for each task; null: not built, or with devices. */
	plait__stretch_call *calls;
	plait__repetition *again;   /* null: likewise */
	bool is_dead;		    /* no task is compared with it */
	uint32_t breaks;	    /* runs in a row that were not whole */
	/* Of one that was found: runs, less those of before `longer` was there; how many
	 * come in a row; which are runs; and the same tasks several times, or null. */
	uint32_t runs;
	plait__repeat_row row;
	plait__repeat_choice choice;
	plait__stretch *longer;
	bool has_grown; /* `longer` was asked for */
};

/* Null without memory. */
plait__stretch *plait__stretch_make(const plait_allocator *allocator);

/* The same: of the tasks of a stretch so many times, which live longer. */
plait__stretch *plait__stretch_make_longer(const plait__stretch *stretch,
					   uint32_t times);

/* No run of it is in flight, and the repetition is freed elsewhere.  Frees `longer`. */
void plait__stretch_free(plait__stretch *stretch);

/* Copy a task behind the others; returns false without memory. */
bool plait__stretch_add(plait__stretch *stretch, const plait_task_desc *desc);

/* Forget the tasks of a stretch that is not built. */
void plait__stretch_clear(plait__stretch *stretch);

/* Capture the tasks, and make the repetition, which the flow gets.  Caller does
 * not hold the lock.  PLAIT_E_NOMEM; PLAIT_E_STATE: a task cannot be repeated, or
 * the flow is captured; PLAIT_E_BUSY: the window has no room for copies now. */
plait_status plait__stretch_build(plait__stretch *stretch, plait__flow *flow,
				  plait__task_split_prepare prepare,
				  plait_error *error);

/* Returns true if what the tasks name still exists.  Caller holds the lock. */
bool plait__stretch_is_live(const plait__stretch *stretch);

static inline const plait__repeated_task *
plait__stretch_at(const plait__stretch *stretch, uint32_t i)
{
	return *(plait__repeated_task **)plait__vector_at(&stretch->tasks, i);
}

#endif
