/* SPDX-License-Identifier: MIT */
/*
 * Every public function, as something that can be tried while one thing fails:
 * an allocation (t/80-api-oom.c) or a system call (t/83-api-syscalls.c).  The
 * names in the tables are those that t/84-api-swept.t looks for.
 */
#ifndef T_CALLS_H
#define T_CALLS_H

#include <stdlib.h>
#include <string.h>

#include "plait/plait.h"
#include "tap.h"

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
	plait_error error;
	int count; /* of functions that ran */
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

/* Fail the first of what the call does, then the second, until nothing does,
 * with no workers in the place. */
void calls_sweep(const struct calls_entry *entry, const char *backend,
		 const struct calls_fault *fault);
/* The same for all of all tables, on the host and on chaos. */
void calls_sweep_all(const struct calls_fault *fault);

int32_t calls_add_one(void *user_data);
int32_t calls_return_three(void *user_data);

#endif
