/* SPDX-License-Identifier: MIT */
/*
 * What the files of the interposer trace offer each other.  Handles are the
 * wrapped backend's own; a table of names (name.c) says which is which.
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
	TRACE_BUCKETS = 256,
	TRACE_THREADS = 256
};

enum trace_kind {
	TRACE_SUBMIT,
	TRACE_CALL,  /* a host function, start to end */
	TRACE_EMIT,  /* an emission, when its queue came to it */
	TRACE_SEEN,  /* the host was told that a point has happened */
	TRACE_WAIT,  /* a thread inside signal_wait, start to end */
	TRACE_RAISE, /* the host raised a gate */
	TRACE_NOTIFY /* an upcall */
};

/* 96 bytes; `label` is cut, not allocated. */
typedef struct trace_event {
	uint64_t start_ns;
	uint64_t end_ns;
	uint64_t subject; /* number of the queue or signal; 0: none */
	uint64_t value;   /* commands submitted, or a sequence */
	uint32_t kind;
	uint32_t thread;
	int32_t status;
	char label[TRACE_LABEL];
} trace_event;

/* A queue or signal: what its handle is called. */
struct trace_name {
	trace_name *next;
	const void *handle;
	uint64_t number;
	uint32_t device;
	bool queue;
	bool gone;
	char label[TRACE_LABEL];
};

struct trace {
	forward base;
	char *path; /* null: only counted */
	uint64_t path_bytes;
	bool emissions;
	uint64_t start_ns;

	/* Guards everything below; never held while the backend, a host
	 * function or an upcall runs. */
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
	/* Host functions and markers that did not run yet. */
	trace_call *calls;
};

/* Stands in for a host function; `function` null: a marker of emissions. */
struct trace_call {
	trace_call *next;
	trace_call *previous;
	trace *self;
	uint64_t queue;
	uint64_t ticket; /* of the submission that it came with */
	int32_t (*function)(void *user_data);
	void *user_data;
	char label[TRACE_LABEL];
	uint32_t emit_count;
	plait_backend_point emits[]; /* signal: the number, as a pointer */
};

struct trace_notice {
	trace *self;
	uint64_t signal;
	uint64_t sequence;
	plait_notify_function function;
	void *user_data;
};

static inline trace *trace_of(plait_backend *self)
{
	return (trace *)(void *)self;
}

/* record.c */
plait_status plaitp_trace_prepare(trace *self, plait_error *error);
void plaitp_trace_free(trace *self);
uint64_t plaitp_trace_now(trace *self);
/* Adds the event; the thread is filled in. */
void plaitp_trace_record(trace *self, const trace_event *event);

/* name.c */
plait_status plaitp_trace_name_add(trace *self, const void *handle,
				   uint32_t device, bool queue,
				   const char *label, plait_error *error);
/* The handle is gone; its name stays, for the picture. */
void plaitp_trace_name_retire(trace *self, const void *handle);
uint64_t plaitp_trace_number(trace *self, const void *handle);
void plaitp_trace_names_free(trace *self);

/* submit.c */
plait_status plaitp_trace_submit(plait_backend *self,
				 plait_backend_queue *queue,
				 const plait_submission *submissions,
				 uint32_t count, plait_error *error);
/* Those that will never run: all of the queue, or of one submission. */
void plaitp_trace_drop_calls(trace *self, uint64_t queue, uint64_t ticket);
void plaitp_trace_calls_free(trace *self);

/* signal.c */
plait_status plaitp_trace_signal_create(plait_backend *self, uint32_t device,
					uint32_t flags,
					plait_backend_signal **out,
					plait_error *error);
void plaitp_trace_signal_destroy(plait_backend *self,
				 plait_backend_signal *signal);
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

/* write.c: the file, or a line in the log that says why there is none. */
void plaitp_trace_write(trace *self);

#endif
