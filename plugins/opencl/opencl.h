/* SPDX-License-Identifier: MIT */
/*
 * The OpenCL backend: what its files share.
 *
 * Three things meet here.  The driver runs what can be handed to it, in one
 * in-order command queue for each queue.  Signals are counters of the core,
 * and host functions run on the core's workers.  This plugin keeps the order
 * between the three; it starts no thread.
 *
 * One lock guards it all.  Callbacks of the driver never wait for it: they
 * leave a note, and whoever holds the lock reads the notes before he goes.
 */
#ifndef PLAITP_OPENCL_H
#define PLAITP_OPENCL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "plait/plugin.h"

#include "calls.h"

enum {
	OPENCL_MAX_DEVICES = 64,
	OPENCL_MAX_PARTS = 64,
	OPENCL_LABEL_BYTES = 48
};

typedef struct opencl_batch opencl_batch;
typedef struct plait_backend_queue opencl_queue;
typedef struct plait_backend_signal opencl_signal;

/* What the user set; texts are the core's. */
struct opencl_options {
	const char *platform; /* a part of its name, or null */
	const char *device;   /* a part of its name, or null */
	const char *loader;   /* the file of the ICD loader */
	cl_device_type type;
	uint32_t parts;       /* split each device into so many; 0: not */
	uint64_t memory_bytes; /* of each device; 0: what the driver says */
	bool driver_memory;   /* also where host memory would do */
};

struct opencl_device {
	cl_device_id id;
	bool is_part;  /* made by us, to be released */
	bool on_host;  /* works on the host's memory in place */
	cl_command_queue maps; /* for mappings alone */
	uint32_t parallel;
	uint64_t alignment_bytes;
	uint64_t memory_bytes;
	uint64_t largest_bytes; /* of one allocation */
	uint64_t used_bytes;    /* under the lock of accounts */
	char description[256];
};

struct plait_backend {
	plait_host *host;
	const plait_host_services *services;
	struct opencl_calls cl;
	cl_context context;
	uint32_t device_count;
	struct opencl_device devices[OPENCL_MAX_DEVICES];
	bool driver_memory;

	pthread_mutex_t accounts; /* of memory; a leaf */

	/* Guards what follows, and all queues, batches and signals. */
	pthread_mutex_t lock;
	opencl_queue *dirty;	  /* to be looked at */
	opencl_queue *held;	  /* they need the driver: not in callbacks */
	opencl_batch *out_first;  /* emissions and calls, in order */
	opencl_batch **out_last;
	bool delivering;	  /* somebody empties that list */
	opencl_batch *garbage;
	plait_backend_queue *pilot; /* a lane that goes on where a callback
				     * must not */

	pthread_mutex_t notes_lock; /* guards what follows; a leaf */
	opencl_batch *notes;	    /* completed, newest first */
	bool pilot_called;
	uint32_t callbacks;	    /* that have not returned */
	pthread_cond_t quiet;	    /* there are none */
};

struct opencl_wait {
	opencl_signal *signal;
	uint64_t sequence;
	opencl_batch *batch;
	/* Not null while the driver waits for it too. */
	opencl_batch *source;
	struct opencl_wait *next; /* of the source's */
	bool native;
};

struct opencl_emit {
	plait_backend_point point; /* of the core's counter */
	opencl_signal *signal;
	opencl_batch *batch;
	struct opencl_emit *older; /* of the signal, with an event */
	struct opencl_emit *newer;
	bool listed;
};

/* A submission, from queue_submit until all of it has happened. */
struct opencl_batch {
	opencl_batch *next; /* in the queue; among the garbage */
	opencl_batch *next_out;
	opencl_batch *next_note;
	opencl_queue *queue;
	uint64_t total_bytes;
	struct opencl_wait *waits;
	struct opencl_emit *emits;
	plait_work *works;
	cl_event *events; /* room for one of each wait */
	uint32_t work_count;
	uint32_t wait_count;
	uint32_t emit_count;
	uint32_t work_index; /* the first that was not handed on */
	uint32_t wait_index;
	uint32_t sources;    /* how many waits have one */
	struct opencl_wait *dependents; /* whose source it is */
	cl_event event;	     /* of the last command, or null */
	cl_int code;	     /* how that ended */
	bool flying;	     /* it has not ended */
	bool calling;	     /* a host function runs, or is about to */
	bool done;	     /* what is delivered is its emissions */
	bool failed;
};

struct plait_backend_queue {
	plait_backend *self;
	struct opencl_device *device;
	cl_command_queue driver;
	plait_backend_queue *lane; /* for host functions */
	uint64_t capacity;
	uint64_t pending;
	opencl_batch *head;
	opencl_batch *tail;
	opencl_batch *next; /* the first that was not handed on whole */
	opencl_batch *handed; /* the one before that; null if it retired */
	opencl_queue *next_dirty;
	opencl_queue *next_waiter;
	opencl_signal *waits_for; /* in the list of this one */
	bool dirty;
	bool unflushed;
	bool lost; /* a function ended the lane's thread */
	bool failed;
	plait_error error;
	char label[OPENCL_LABEL_BYTES];
};

struct plait_backend_signal {
	plait_backend_signal *counter; /* the core's */
	bool gate;
	uint64_t reached;
	uint64_t failed_from; /* 0: it has not failed */
	plait_error error;
	struct opencl_emit *newest; /* that the driver can wait for */
	opencl_queue *waiters;
};

/* A kernel with its arguments, which nobody changes any more. */
struct plait_backend_launch {
	uint64_t total_bytes;
	cl_kernel kernel;
	cl_uint dimensions;
	bool grouped; /* else the driver chooses */
	size_t items[3];
	size_t group[3];
	uint32_t part_count;
	cl_mem parts[]; /* of memory, from an offset on */
};

struct plait_backend_memory {
	cl_mem memory;
	struct opencl_device *device;
	uint64_t size_bytes;
	uint64_t bytes; /* that are charged for it */
	void *block; /* ours, below the driver's object; or null */
	uint64_t block_bytes;
};

/* --- driver.c: the library, and what its numbers mean */

/* Write an error with a text made like printf's; returns `status`. */
plait_status plaitp_opencl_fail(const plait_host_services *services,
				plait_error *error, plait_status status,
				int64_t origin, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* The call `name` gave `code`; `where` may be empty. */
plait_status plaitp_opencl_fail_call(const plait_host_services *services,
				     plait_error *error, const char *name,
				     cl_int code, const char *where);

/* Look the functions up; PLAIT_E_UNAVAILABLE says what is missing. */
plait_status plaitp_opencl_load(plait_backend *self, const char *loader,
				plait_error *error);

/* --- option.c */

plait_status plaitp_opencl_options(plait_backend *self,
				   struct opencl_options *out,
				   plait_error *error);

/* --- device.c: from platforms to a context */

plait_status plaitp_opencl_open_devices(plait_backend *self,
					const struct opencl_options *options,
					plait_error *error);
void plaitp_opencl_close_devices(plait_backend *self);
uint32_t plaitp_opencl_device_count(plait_backend *self);
plait_status plaitp_opencl_device_query(plait_backend *self, uint32_t device,
					plait_backend_device *out,
					plait_error *error);

/* --- memory.c */

plait_status plaitp_opencl_memory_create(plait_backend *self, uint32_t device,
					 const plait_memory_request *request,
					 plait_backend_memory **out,
					 plait_error *error);
void plaitp_opencl_memory_destroy(plait_backend *self,
				  plait_backend_memory *memory);
plait_status plaitp_opencl_memory_map(plait_backend *self,
				      plait_backend_memory *memory,
				      uint64_t offset, uint64_t bytes,
				      uint32_t flags, void **out,
				      plait_error *error);
plait_status plaitp_opencl_memory_unmap(plait_backend *self,
					plait_backend_memory *memory,
					void *pointer, plait_error *error);

/* --- program.c, launch.c: kernels */

plait_status plaitp_opencl_kernel_build(plait_backend *self, uint32_t device,
					const plait_code *code,
					plait_backend_kernel **out,
					plait_error *error);
void plaitp_opencl_kernel_destroy(plait_backend *self,
				  plait_backend_kernel *kernel);
plait_status plaitp_opencl_kernel_query(plait_backend *self,
					plait_backend_kernel *kernel,
					plait_kernel_facts *out,
					plait_error *error);
plait_status plaitp_opencl_launch_create(plait_backend *self,
					 const plait_launch_request *request,
					 plait_backend_launch **out,
					 plait_error *error);
void plaitp_opencl_launch_destroy(plait_backend *self,
				  plait_backend_launch *launch);

/* --- native.c: what the driver's objects are to others */

plait_status plaitp_opencl_native_query(plait_backend *self,
					const plait_native_request *request,
					uint64_t *out, plait_error *error);
/* Objects of the user's; one more reference to each. */
plait_status plaitp_opencl_take_memory(plait_backend *self,
				       const plait_memory_request *request,
				       cl_mem *out, plait_error *error);
plait_status plaitp_opencl_take_queue(plait_backend *self,
				      const struct opencl_device *device,
				      const plait_queue_request *request,
				      cl_command_queue *out,
				      plait_error *error);

/* --- queue.c: queues from outside */

plait_status plaitp_opencl_queue_create(plait_backend *self, uint32_t device,
					const plait_queue_request *request,
					plait_backend_queue **out,
					plait_error *error);
void plaitp_opencl_queue_destroy(plait_backend *self,
				 plait_backend_queue *queue);
plait_status plaitp_opencl_queue_submit(plait_backend *self,
					plait_backend_queue *queue,
					const plait_submission *submissions,
					uint32_t count, plait_error *error);
plait_status plaitp_opencl_queue_recover(plait_backend *self,
					 plait_backend_queue *queue,
					 plait_error *error);

/* --- advance.c: queues from inside; the lock is held */

void plaitp_opencl_mark(plait_backend *self, opencl_queue *queue);
/* Look at all that is marked; `may_call`: not inside a callback. */
void plaitp_opencl_settle(plait_backend *self, bool may_call);
/* The first failure of a queue stays. */
void plaitp_opencl_fail_queue(plait_backend *self, opencl_queue *queue,
			      const plait_error *cause, const char *prefix);

/* --- enqueue.c: what the driver is given; the lock is held */

/*
 * Hand on the works of a batch up to its next host function or its end, and
 * be told when they are done.  What goes wrong fails the queue.
 */
void plaitp_opencl_enqueue(plait_backend *self, opencl_batch *batch);

/* --- turn.c: the lock, notes, and what is done without the lock */

void plaitp_opencl_enter(plait_backend *self);
/* Settle, release the lock, tell whom it concerns. */
void plaitp_opencl_leave(plait_backend *self);
/* Behind all that is to be delivered; the lock is held. */
void plaitp_opencl_deliver_later(plait_backend *self, opencl_batch *batch);
/* Delivered or without emissions; the lock is held. */
void plaitp_opencl_discard(plait_backend *self, opencl_batch *batch);
/* Told by the driver, on any thread, with any of its locks held. */
void CL_CALLBACK plaitp_opencl_on_complete(cl_event event, cl_int code,
					   void *batch);
plait_status plaitp_opencl_open_turns(plait_backend *self, plait_error *error);
void plaitp_opencl_close_turns(plait_backend *self);

/* --- signal.c */

enum opencl_state { OPENCL_AHEAD, OPENCL_HAPPENED, OPENCL_FAILED };

enum opencl_state plaitp_opencl_look(const opencl_signal *signal,
				     uint64_t sequence);
/* Raise it for queues, who are marked; the lock is held. */
void plaitp_opencl_raise(plait_backend *self, opencl_signal *signal,
			 uint64_t sequence, const plait_error *failure);

plait_status plaitp_opencl_signal_create(plait_backend *self, uint32_t device,
					 uint32_t flags,
					 plait_backend_signal **out,
					 plait_error *error);
void plaitp_opencl_signal_destroy(plait_backend *self,
				  plait_backend_signal *signal);
plait_status plaitp_opencl_signal_poll(plait_backend *self,
				       const plait_backend_point *point,
				       uint64_t *out_reached,
				       plait_error *error);
plait_status plaitp_opencl_signal_wait(plait_backend *self,
				       const plait_backend_point *points,
				       uint32_t count, uint32_t any,
				       uint64_t timeout_ns,
				       plait_error *error);
plait_status plaitp_opencl_signal_notify(plait_backend *self,
					 const plait_backend_point *point,
					 plait_notify_function function,
					 void *user_data, plait_error *error);
plait_status plaitp_opencl_signal_raise(plait_backend *self,
					const plait_backend_point *point,
					const plait_error *failure,
					plait_error *error);
plait_status plaitp_opencl_signal_reset(plait_backend *self,
					plait_backend_signal *signal,
					plait_error *error);
plait_status plaitp_opencl_pump(plait_backend *self, plait_error *error);

#endif
