/* SPDX-License-Identifier: MIT */
/*
 * Types and functions of the interposer trace.  Handles are the wrapped
 * backend's own; name.c maps them to numbers.
 */
#ifndef PLAIT_PLUGINS_TRACE_H
#define PLAIT_PLUGINS_TRACE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "plait/plugin.h"

#include "forward/forward.h"

typedef struct trace trace;
typedef struct trace_name trace_name;
typedef struct trace_call trace_call;
typedef struct trace_notice trace_notice;

enum {
	TRACE_CHUNK = 4096,
	TRACE_LABEL = 40,
	TRACE_NAME = 96,
	TRACE_BUCKETS = 256,
	TRACE_THREADS = 256,
	TRACE_OWNERS = 256
};

enum trace_kind {
	TRACE_SUBMIT,
	TRACE_CALL,  /* a host function */
	TRACE_EMIT,  /* an emission that its queue has reached */
	TRACE_SEEN,  /* a poll that sees a point happened */
	TRACE_WAIT,  /* a thread in signal_wait */
	TRACE_RAISE, /* a gate that the host raises */
	TRACE_NOTIFY, /* a notification callback */
	TRACE_SPAN, /* work outside of queues */
	TRACE_WORK   /* any other command */
};

/* 104 bytes; `label` is truncated. */
typedef struct trace_event {
	union {
		struct {
			uint64_t start_ns;
			uint64_t end_ns;
		};
		/* Commands: written by the backend or by markers, by the
		 * core's clock. */
		plait_work_times times;
	};
	uint64_t subject; /* number of the queue, signal or owner; 0: none */
	uint64_t value;   /* number of commands, or sequence number */
	uint32_t kind;
	uint32_t thread;
	int32_t status;
	uint32_t work; /* plait_work_kind of a command */
	char label[TRACE_LABEL];
} trace_event;

/* A queue or signal by its handle. */
struct trace_name {
	trace_name *next;
	const void *handle;
	uint64_t number;
	uint32_t device;
	bool queue;
	bool destroyed;
	char label[TRACE_NAME];
	/* Queues of which markers measure the commands (plaitp_trace_marks);
	 * else 0 and null.  Markers count as work, so submit.c limits the work
	 * itself: the capacity that the core asked for, the work submitted, and
	 * a signal that the last submission of each call raises to it.  Used by
	 * one call at a time, without the lock. */
	uint64_t capacity;
	uint64_t submitted;
	plait_backend_signal *done;
};

/* A file of several traces: those that are open at one time and have one path,
 * as the backends of a context do.  Each has a copy, under the lock of exit.c. */
typedef struct trace_file {
	uint64_t end; /* bytes before the closing bracket; 0: not written */
	uint64_t start_ns; /* of the first trace */
	uint64_t traces;   /* in the file */
	uint64_t processes;
	uint64_t dropped;
} trace_file;

struct trace {
	forward base;
	trace *next; /* in the list of exit.c */
	trace_file file;
	char *path; /* null: events are only counted */
	uint64_t path_bytes;
	bool emissions;
	uint64_t start_ns;
	uint32_t device_count;
	uint64_t device_bytes;
	uint32_t *capabilities; /* per device */

	/* Guards everything below; released while the backend, a host function
	 * or a notification callback runs. */
	pthread_mutex_t lock;
	trace_event **chunks;
	uint64_t chunk_count;
	uint64_t limit;
	uint64_t count;
	uint64_t dropped;
	uint64_t ticket;
	uint64_t queue_number;
	uint64_t signal_number;
	trace_name *names[TRACE_BUCKETS];
	pthread_t threads[TRACE_THREADS];
	uint32_t thread_count;
	char owners[TRACE_OWNERS][TRACE_NAME]; /* of spans */
	uint32_t owner_count;
	/* Wrapped host functions and markers that have not run. */
	trace_call *calls;
};

/* Wrapper of a host function; a marker if `function` is null. */
struct trace_call {
	trace_call *next;
	trace_call *previous;
	trace *self;
	uint64_t queue;
	uint64_t ticket; /* number of the submission */
	int32_t (*function)(void *user_data);
	void *user_data;
	char label[TRACE_LABEL];
	uint32_t emit_count;
	plait_backend_point emits[]; /* `signal` holds the number of the
				      * signal */
};

struct trace_notice {
	trace *self;
	uint64_t signal;
	uint64_t sequence;
	plait_notify_function function;
	void *user_data;
	char label[TRACE_LABEL];
};

static inline trace *trace_of(plait_backend *self)
{
	return (trace *)(void *)self;
}

/* record.c */
/* Allocate the chunks of `limit` events.  After a failure (PLAIT_E_NOMEM), too,
 * the caller calls plaitp_trace_record_free. */
plait_status plaitp_trace_record_prepare(trace *self, plait_error *error);
void plaitp_trace_record_free(trace *self);
/* Returns ns since `start_ns`. */
uint64_t plaitp_trace_record_now(trace *self);
/* Add the event, with the number of the calling thread.  Returns its place,
 * which stays until the end, or null beyond the limit.  Takes the lock. */
trace_event *plaitp_trace_record(trace *self, const trace_event *event);

/* name.c: all but free_all take the lock. */
/* Add the name of a new queue or signal; `label` may be null.  PLAIT_E_NOMEM. */
plait_status plaitp_trace_name_add(trace *self, const void *handle,
				   uint32_t device, bool queue,
				   const char *label, plait_error *error);
/* Mark the handle of a queue as destroyed; its name stays for the file.  Free
 * the name of a signal. */
void plaitp_trace_name_retire(trace *self, const void *handle);
/* Returns the number of the newest name of a handle; 0: none. */
uint64_t plaitp_trace_name_number(trace *self, const void *handle);
/* Name a signal, for the events of its number. */
void plaitp_trace_name_label(trace *self, const void *handle,
			     const char *label);
/* The newest name of a handle, or null; that of a queue stays. */
trace_name *plaitp_trace_name_find(trace *self, const void *handle);
/* Copy the newest name of a signal; number 0: none.  Not for queues: a submit changes
 * fields of their names without the lock. */
trace_name plaitp_trace_name_get(trace *self, const void *handle);
void plaitp_trace_name_free_all(trace *self);

/* entry.c: markers measure the commands of the device. */
bool plaitp_trace_marks(const trace *self, uint32_t device);

/* submit.c */
plait_status plaitp_trace_submit(plait_backend *self,
				 plait_backend_queue *queue,
				 const plait_submission *submissions,
				 uint32_t count, plait_error *error);
/* Free the pending calls of the queue, or of one submission if `ticket` is not
 * 0.  Takes the lock. */
void plaitp_trace_submit_drop_calls(trace *self, uint64_t queue,
				    uint64_t ticket);
void plaitp_trace_submit_free_calls(trace *self);

/* signal.c */
plait_status plaitp_trace_signal_create(plait_backend *self, uint32_t device,
					uint32_t flags,
					plait_backend_signal **out,
					plait_error *error);
void plaitp_trace_signal_destroy(plait_backend *self,
				 plait_backend_signal *signal);
void plaitp_trace_signal_label(plait_backend *self,
			       plait_backend_signal *signal,
			       const char *label);
plait_status plaitp_trace_signal_poll(plait_backend *self,
				      const plait_backend_point *point,
				      uint64_t *out_reached,
				      plait_error *error);
plait_status plaitp_trace_signal_wait(plait_backend *self,
				      const plait_backend_point *points,
				      uint32_t count, uint32_t any,
				      uint64_t timeout_ns,
				      plait_error *error);
plait_status plaitp_trace_signal_notify(plait_backend *self,
					const plait_backend_point *point,
					plait_notify_function function,
					void *user_data, plait_error *error);
plait_status plaitp_trace_signal_raise(plait_backend *self,
				       const plait_backend_point *point,
				       const plait_error *failure,
				       plait_error *error);

/* span.c */
void plaitp_trace_span(plait_backend *self, const char *owner,
		       const char *label, const plait_work_times *times);

/* write.c: write the file, and a line about that for the log.  Returns false
 * after a failure.  Calls neither the log nor the allocator: the process may
 * be exiting.  Caller holds the lock of exit.c, and that of the trace unless its
 * backend is closed. */
enum { TRACE_LINE = 320 };
bool plaitp_trace_write(trace *self, char line[TRACE_LINE]);

/* exit.c: the traces whose files are written when the process exits, unless
 * they were closed before.  The thread that closes one writes its file in
 * plaitp_trace_exit_remove. */
void plaitp_trace_exit_add(trace *self);
void plaitp_trace_exit_remove(trace *self);

#endif
