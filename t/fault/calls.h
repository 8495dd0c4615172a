/* SPDX-License-Identifier: MIT */
/*
 * Every public function, as something that can be tried while one thing fails:
 * an allocation (t/fault/allocations.c) or a system call
 * (t/fault/system_calls.c).  The names in the tables are those that
 * t/fault/every_function.t looks for.
 */
#ifndef T_CALLS_H
#define T_CALLS_H

#include <stdlib.h>
#include <string.h>

#include "plait/plait.h"
#include "lib/tap.h"

/* The calling thread is inside of the allocator of a place. */
extern _Thread_local bool calls_allocating;

/* An allocator that counts, and can fail; any thread. */
struct calls_memory {
	uint64_t live_bytes;
	uint64_t count; /* since armed */
	uint64_t fail;	/* which one; 0: none */
	uint64_t hit;
};

/* A context with one of everything, in which a call is tried. */
struct place {
	const char *backend;
	plait_allocator allocator;
	struct calls_memory memory;
	plait_context *context;
	plait_device *device;
	plait_queue *queue;
	plait_signal *signal;
	plait_signal *gate; /* raised to 1 */
	plait_inbox *inbox;
	plait_buffer *buffer; /* of 64 bytes */
	plait_plan *plan; /* these if the entry prepares them */
	plait_kernel *kernels[2];
	plait_error error;
	int count; /* of functions that ran */
	int turns; /* of a loop */
	unsigned char bytes[64];
	uint64_t submitted; /* of the signal, before the call */
};

/*
 * PLAIT_OK, or the failure, after which nothing that the call made is left;
 * PLAIT_E_INTERNAL when something else is wrong.
 */
typedef plait_status (*calls_function)(struct place *place,
				       plait_error *error);

struct calls_entry {
	const char *functions; /* that are tried, with blanks between */
	calls_function run;
	calls_function prepare; /* the place, before anything fails; or null */
};

/* What makes something fail. */
struct calls_fault {
	void (*arm)(struct place *place, uint64_t k);
	/* Did it come to that? */
	bool (*disarm)(struct place *place);
	/* Is this status one that it may cause? */
	bool (*may_be)(plait_status status);
	/* Null, or what is still there of the place that was closed. */
	const char *(*left)(void);
};

/* Each table ends with a null. */
extern const struct calls_entry calls_device[];
extern const struct calls_entry calls_queue[];
extern const struct calls_entry calls_inbox[];
extern const struct calls_entry calls_kernel[];
extern const struct calls_entry calls_graph[];
extern const struct calls_entry calls_plan[];
extern const struct calls_entry calls_run[];
extern const struct calls_entry calls_callable[];

/* Fail the first of what the call does, then the second, until nothing does,
 * with no workers in the place. */
void calls_sweep(const struct calls_entry *entry, const char *backend,
		 const struct calls_fault *fault);
/* The same for all of all tables, on the host and on chaos. */
void calls_sweep_all(const struct calls_fault *fault);

/* What a call may answer that did what it must not: PLAIT_E_INTERNAL. */
plait_status calls_wrong(plait_error *error, const char *text);

int32_t calls_add_one(void *user_data);
int32_t calls_return_three(void *user_data);
int32_t calls_return_zero(void *user_data);

/* graph.c: a kernel "touch"; a graph of work and a loop, whose argument `by` is
 * a parameter of that name if there is one. */
plait_status calls_make_kernel(struct place *place, plait_kernel **out,
			       plait_error *error);
plait_status calls_make_graph(struct place *place, const char *parameter,
			      plait_graph **out, plait_error *error);

#endif
