/* SPDX-License-Identifier: MIT */
/*
 * Types and functions of the interposer check.  The core sees handles of this
 * interposer only.  A model of all queues and signals (model.c) is an upper
 * bound of the backend's progress.
 */
#ifndef PLAIT_PLUGINS_CHECK_H
#define PLAIT_PLUGINS_CHECK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "plait/plugin.h"

typedef struct check check;
typedef struct check_batch check_batch;
typedef struct check_call check_call;
typedef struct check_notice check_notice;
typedef struct check_object check_object;
typedef struct check_notifier check_notifier;
typedef struct plait_backend_queue check_queue;
typedef struct plait_backend_signal check_signal;
typedef struct plait_backend_memory check_memory;
typedef struct plait_backend_kernel check_kernel;
typedef struct plait_backend_launch check_launch;
typedef struct plait_backend_segment check_segment;

/* The table of objects doubles when it has as many objects as buckets. */
enum { CHECK_FIRST_BITS = 10, CHECK_TOMBSTONES = 2048 };

enum check_kind {
	CHECK_MEMORY,
	CHECK_QUEUE,
	CHECK_SIGNAL,
	CHECK_KERNEL,
	CHECK_LAUNCH,
	CHECK_SEGMENT,
	CHECK_PORT, CHECK_LINK, /* port.h */
	CHECK_NOTICE, CHECK_CALL
};

enum check_party {
	CHECK_CORE,
	CHECK_BACKEND,
	/* The core or the backend; undecidable. */
	CHECK_EITHER
};

/*
 * Head of every object.  The last CHECK_TOMBSTONES destroyed objects are kept,
 * so that a use after destruction is named as such.
 */
struct check_object {
	check_object *next; /* of its hash bucket */
	uint64_t bytes;
	uint64_t number;
	uint32_t kind;
	bool dead;
};

struct check {
	plait_host *host;
	const plait_host_services *services;
	const plait_backend_table *inner_table;
	plait_backend *inner;
	plait_backend_device *devices;
	uint32_t device_count;

	/* Guards everything below and every object; released while the backend,
	 * a host function or a notification callback runs. */
	pthread_mutex_t lock;
	uint64_t calls;
	uint64_t violations[3];
	char last_report[320];
	const char *slot; /* slot that took the lock */
	bool in_ports; /* a thread is in a slot of ports */
	uint64_t numbers[CHECK_CALL + 1];
	uint64_t live[CHECK_CALL + 1];
	/* A device has failed for a reason that the model does not know: from
	 * here on the model reports nothing. */
	bool model_off;
	check_queue *queues;
	check_queue *to_advance;
	check_segment *segments;
	check_notifier *notifiers;
	check_object **buckets; /* `first_buckets`, or allocated */
	uint32_t bucket_bits;
	uint64_t object_count; /* live and destroyed */
	check_object *first_buckets[1 << CHECK_FIRST_BITS];
	check_object *tombstones[CHECK_TOMBSTONES];
	uint32_t next_tombstone;
};

/* A thread that runs a notification callback; on its stack. */
struct check_notifier {
	check_notifier *next;
	pthread_t thread;
};

struct check_map {
	struct check_map *next;
	void *pointer;
	bool unmap_failed; /* unmap has failed */
};

struct plait_backend_memory {
	check_object object;
	plait_backend_memory *inner;
	uint32_t device;
	uint64_t bytes, row_bytes; /* row_bytes: of an image, else 0 */
	uint64_t uses; /* by launches and pending batches */
	struct check_map *maps;
};

struct plait_backend_kernel {
	check_object object;
	plait_backend_kernel *inner;
	uint32_t device, parameter_count;
	uint64_t uses; /* by launches */
	uint32_t local_element_bytes[]; /* per parameter, or CHECK_IS_IMAGE */
};

struct plait_backend_launch {
	check_object object;
	plait_backend_launch *inner;
	check_kernel *kernel;
	plait_launch_argument *arguments; /* with handles of the backend */
	check_memory **memories;
	uint32_t memory_count;
	uint64_t uses; /* by pending batches */
};

struct plait_backend_segment {
	check_object object;
	plait_backend_segment *inner;
	check_segment *next;
	check_segment *previous;
	uint32_t device;
	uint32_t work_count;
	plait_work *work; /* handles of check; a destroyed launch is null */
	uint64_t uses;
};

struct plait_backend_signal {
	check_object object;
	plait_backend_signal *inner;
	bool gate;
	uint64_t submitted; /* last emission that the core submitted */
	uint64_t reached;   /* in the model */
	uint64_t seen;      /* last value that the backend reported */
	uint64_t failed_from;
	uint64_t uses; /* by waits and emissions of pending batches */
	uint64_t notices;
	check_queue *waiters;
};

struct plait_backend_queue {
	check_object object;
	plait_backend_queue *inner;
	check_queue *next;
	check_queue *previous;
	check_queue *next_waiter;
	check_queue *next_advance;
	check_signal *waiting;
	uint64_t capacity; /* or 0 */
	uint32_t device;
	char label[48];
	bool inside; /* a slot of this queue is running */
	bool to_advance;
	bool failed;
	check_batch *head;
	check_batch *tail;
	/* The first batch of the submission that the backend has yet to
	 * answer; or null. */
	check_batch *unanswered;
};

struct check_batch {
	check_batch *next;
	check_batch *previous;
	uint64_t bytes;
	/* Submitted, not confirmed by the backend yet. */
	bool provisional;
	plait_backend_point *waits; /* handles of check */
	plait_backend_point *emits;
	check_memory **memories;
	check_launch **launches;
	check_segment **segments;
	check_call **calls;
	uint32_t wait_count;
	uint32_t emit_count;
	uint32_t memory_count;
	uint32_t launch_count;
	uint32_t segment_count;
	uint32_t call_count;
	uint32_t waits_done;
	uint32_t calls_done;
};

enum {
	CHECK_CALL_WAITS,
	CHECK_CALL_RUNS,
	CHECK_CALL_DONE,
	CHECK_CALL_SKIPPED
};

struct check_call {
	check_object object;
	check *self;
	check_queue *queue;
	check_batch *batch; /* null if the batch is done */
	uint32_t index;
	uint32_t state;
	int32_t (*function)(void *user_data);
	void *user_data;
	char label[48];
};

struct check_notice {
	check_object object;
	check *self;
	check_signal *signal;
	uint64_t sequence;
	plait_notify_function function;
	void *user_data;
	uint32_t delivered;
};

static inline check *check_of(plait_backend *self)
{
	return (check *)(void *)self;
}

/* object.c: table of handles, live and destroyed.  Caller holds the lock. */
void *plaitp_check_add(check *self, uint32_t kind, uint64_t bytes);
void plaitp_check_retire(check *self, check_object *object);
void plaitp_check_object_free_all(check *self);
void *plaitp_check_find(check *self, const char *slot, uint32_t kind,
			const void *handle); /* live; or null after a report */

/* report.c */
/* Take the lock for a slot; report a call inside a notification callback. */
void plaitp_check_enter(check *self, const char *slot);
void plaitp_check_leave(check *self);
/* Report a violation.  Caller holds the lock. */
__attribute__((format(printf, 4, 5)))
void plaitp_check_report(check *self, enum check_party party, const char *slot,
			 const char *format, ...);
/* Return PLAIT_E_INTERNAL with the text of the last violation. */
plait_status plaitp_check_report_error(check *self, plait_error *error);
/* Check the backend's result and return it to the core.  `mine` is the error
 * record that the backend got.  Takes the lock. */
plait_status plaitp_check_result(check *self, const char *slot,
				 plait_status status, bool may_pend,
				 const plait_error *mine, plait_error *error);
plait_error plaitp_check_record(void);

/* model.c: progress of queues and signals.  Caller holds the lock. */
void plaitp_check_model_advance(check *self, check_queue *queue);
/* Confirm also submissions that the backend has not answered. */
void plaitp_check_model_confirm(check *self);
void plaitp_check_model_raise(check *self, check_signal *signal,
			      uint64_t sequence, bool failed);
/* The backend reports `status` for the point. */
void plaitp_check_model_happened(check *self, const char *slot,
				 check_signal *signal, uint64_t sequence,
				 plait_status status);
/* Disable the model: a device has failed, and no host function did. */
void plaitp_check_model_disable(check *self);
/* Remove the batch and all behind it. */
void plaitp_check_model_retract(check *self, check_queue *queue,
				check_batch *batch);

int32_t plaitp_check_call_run(void *user_data); /* call.c */

/* queue.c: enter a slot of a queue.  Returns null after a report, with the lock
 * released and `error` filled. */
check_queue *plaitp_check_queue_enter(check *self, const char *slot,
				      const plait_backend_queue *handle,
				      plait_error *error);

/* submission.c: validate, and count the emissions.  Returns false after a
 * report.  uncount reverts the counts, of the last submission for its first
 * `emitted` emissions. */
bool plaitp_check_submission_validate(check *self, const check_queue *queue,
				      const plait_submission *submissions,
				      uint32_t count);
void plaitp_check_submission_uncount(const plait_submission *submissions,
				     uint32_t count, uint32_t emitted);
const plait_submission *plaitp_check_nth(const plait_submission *submissions,
					 uint32_t index);
const plait_work *plaitp_check_work(const plait_submission *submission,
				    uint32_t index);
bool plaitp_check_submission_segment_work(check *self, uint32_t device,
					  uint32_t index,
					  const plait_work *work);

bool plaitp_check_submit_reads(const plait_work *work);
bool plaitp_check_submit_writes(const plait_work *work);
void plaitp_check_submit_translate(plait_work *to, const plait_work *from);

/* segment.c: unset the launch in all segments; they are patched before they run
 * again. */
void plaitp_check_segment_forget_launch(check *self, const char *slot,
					const check_launch *launch);

/* Slots. */
plait_status plaitp_check_memory_create(plait_backend *self, uint32_t device,
					const plait_memory_request *request,
					plait_backend_memory **out,
					plait_error *error);
void plaitp_check_memory_destroy(plait_backend *self,
				 plait_backend_memory *memory);
plait_status plaitp_check_memory_map(plait_backend *self,
				     plait_backend_memory *memory,
				     uint64_t offset, uint64_t bytes,
				     uint32_t flags, void **out,
				     plait_error *error);
plait_status plaitp_check_memory_unmap(plait_backend *self,
				       plait_backend_memory *memory,
				       void *pointer, plait_error *error);
plait_status plaitp_check_queue_create(plait_backend *self, uint32_t device,
				       const plait_queue_request *request,
				       plait_backend_queue **out,
				       plait_error *error);
void plaitp_check_queue_destroy(plait_backend *self,
				plait_backend_queue *queue);
plait_status plaitp_check_queue_submit(plait_backend *self,
				       plait_backend_queue *queue,
				       const plait_submission *submissions,
				       uint32_t count, plait_error *error);
plait_status plaitp_check_queue_flush(plait_backend *self,
				      plait_backend_queue *queue,
				      plait_error *error);
plait_status plaitp_check_queue_recover(plait_backend *self,
					plait_backend_queue *queue,
					plait_error *error);
plait_status plaitp_check_signal_create(plait_backend *self, uint32_t device,
					uint32_t flags,
					plait_backend_signal **out,
					plait_error *error);
void plaitp_check_signal_destroy(plait_backend *, plait_backend_signal *);
plait_status plaitp_check_signal_poll(plait_backend *self,
				      const plait_backend_point *point,
				      uint64_t *out_reached,
				      plait_error *error);
plait_status plaitp_check_signal_wait(plait_backend *self,
				      const plait_backend_point *points,
				      uint32_t count, uint32_t any,
				      uint64_t timeout_ns,
				      plait_error *error);
plait_status plaitp_check_signal_notify(plait_backend *self,
					const plait_backend_point *point,
					plait_notify_function function,
					void *user_data, plait_error *error);
plait_status plaitp_check_signal_raise(plait_backend *self,
				       const plait_backend_point *point,
				       const plait_error *failure,
				       plait_error *error);
plait_status plaitp_check_signal_reset(plait_backend *self,
				       plait_backend_signal *signal,
				       plait_error *error);
void plaitp_check_signal_label(plait_backend *, plait_backend_signal *,
			       const char *);
plait_status plaitp_check_pump(plait_backend *self, plait_error *error);
plait_status plaitp_check_wait_in_driver(
	plait_backend *, const plait_backend_point *, plait_error *error);
plait_status plaitp_check_kernel_build(plait_backend *self, uint32_t device,
				       const plait_code *code,
				       plait_backend_kernel **out,
				       plait_error *error);
void plaitp_check_kernel_destroy(plait_backend *, plait_backend_kernel *);
plait_status plaitp_check_kernel_query(plait_backend *self,
				       plait_backend_kernel *kernel,
				       plait_kernel_facts *out,
				       plait_error *error);
plait_status plaitp_check_launch_create(plait_backend *self,
					const plait_launch_request *request,
					plait_backend_launch **out,
					plait_error *error);
void plaitp_check_launch_destroy(plait_backend *, plait_backend_launch *);
plait_status plaitp_check_native_query(plait_backend *self,
				       const plait_native_request *request,
				       uint64_t *out, plait_error *error);
plait_status plaitp_check_segment_create(plait_backend *self, uint32_t device,
					 const plait_segment_request *request,
					 plait_backend_segment **out,
					 plait_error *error);
void plaitp_check_segment_destroy(plait_backend *, plait_backend_segment *);
plait_status plaitp_check_segment_patch(plait_backend *,
					plait_backend_segment *, uint32_t,
					const plait_work *, plait_error *);
plait_status plaitp_check_segment_stop(plait_backend *,
				       plait_backend_segment *, uint32_t stop,
				       plait_error *error);
/* A point that may be awaited: of a gate, or submitted; null: reported. */
check_signal *plaitp_check_signal_point(check *self, const char *slot,
					const plait_backend_point *point);
#endif
