/* SPDX-License-Identifier: MIT */
/*
 * Every public function, as an entry that can be tried while one thing fails:
 * an allocation (t/fault/allocations.c) or a system call
 * (t/fault/system_calls.c).  t/fault/every_function.t looks for the names in
 * the tables.
 */
#ifndef T_CALLS_H
#define T_CALLS_H

#include <stdlib.h>
#include <string.h>

#include "plait/plait.h"
#include "lib/tap.h"

/* True while the calling thread is inside the allocator of a place. */
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
 * PLAIT_E_INTERNAL when another rule is broken.
 */
typedef plait_status (*calls_function)(struct place *place,
				       plait_error *error);

struct calls_entry {
	const char *functions; /* the functions that are tried, with blanks
			        * between */
	calls_function run;
	calls_function prepare; /* the place, before anything fails; or null */
};

/* The source of failures. */
struct calls_fault {
	void (*arm)(struct place *place, uint64_t k);
	/* True when the failure has happened. */
	bool (*disarm)(struct place *place);
	/* True when the failure may cause this status. */
	bool (*may_be)(plait_status status);
	/* Null, or a description of the leftovers of the place that was
	 * closed. */
	const char *(*left)(void);
};

/* Each table ends with a null. */
extern const struct calls_entry calls_device[];
extern const struct calls_entry calls_flow[];
extern const struct calls_entry calls_queue[];
extern const struct calls_entry calls_inbox[];
extern const struct calls_entry calls_kernel[];
extern const struct calls_entry calls_graph[];
extern const struct calls_entry calls_plan[];
extern const struct calls_entry calls_run[];
extern const struct calls_entry calls_coll[];
extern const struct calls_entry calls_world[];
extern const struct calls_entry calls_schedule[];
extern const struct calls_entry calls_callable[];

/* Fail the first allocation or system call of the entry, then the second, until
 * none is left, with no workers in the place. */
void calls_sweep(const struct calls_entry *entry, const char *backend,
		 const struct calls_fault *fault);
/* Does the same for all entries of all tables, on the host and on chaos. */
void calls_sweep_all(const struct calls_fault *fault);

/* The result of an entry that broke a rule: PLAIT_E_INTERNAL. */
plait_status calls_wrong(plait_error *error, const char *text);

int32_t calls_add_one(void *user_data);
int32_t calls_return_three(void *user_data);
int32_t calls_return_zero(void *user_data);

/* graph.c: a kernel "touch"; a graph of work and a loop, with the parameter
 * `by` as its argument of that name if there is one. */
plait_status calls_make_kernel(struct place *place, plait_kernel **out,
			       plait_error *error);
plait_status calls_make_graph(struct place *place, const char *parameter,
			      plait_graph **out, plait_error *error);

#endif
