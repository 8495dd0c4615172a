/* SPDX-License-Identifier: MIT */
/*
 * A small correct backend, to be broken on purpose.  As sin_none it passes the
 * conformance suite; linked to another which.c it commits one sin, which the
 * suite must find (t/conform/sins.t).  Two devices in host memory, two
 * threads, one lock.
 */
#ifndef SINS_BASE_H
#define SINS_BASE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plait/plugin.h"

/* The check that must find each one: t/conform/sins/sins.list. */
enum sin {
	SIN_NONE,
	/* No sins: fewer capabilities. */
	SIN_QUIET,
	SIN_BARE,
	/* No sin, and one capability more: it is the host. */
	SIN_AT_HOME,
	/* The entry and life. */
	SIN_ABI_DEAF,
	SIN_TABLE_OVERRUN,
	SIN_ENTRY_OPENS,
	SIN_PRINTS,
	SIN_HANDLER,
	SIN_MASK_LEFT,
	SIN_MODES_LEFT,
	SIN_THREAD_LEFT,
	SIN_DESCRIPTOR_LEFT,
	SIN_CLAIMS_MAP,
	SIN_CHANGES,
	SIN_FORGETS_ALLOCATION,
	/* Memory. */
	SIN_UNALIGNED,
	SIN_NULL_MEMORY,
	SIN_PAST_END,
	SIN_COPY_SHORT,
	SIN_FILL_TAIL,
	SIN_MAP_STALE,
	SIN_WRAP_COPIES,
	SIN_MEMORY_LEAK,
	SIN_FAR_COPY,
	SIN_TELLS_ANYTHING,
	SIN_ROW_LOST,
	SIN_FREEZES_ROW,
	SIN_MAPS_APART,
	/* Queues. */
	SIN_BACKWARDS,
	SIN_READS_LATE,
	SIN_ONE_FOR_ALL,
	SIN_SUBMIT_BLOCKS,
	SIN_BUSY_FOR_EVER,
	SIN_NOTHING_EMITS_NOTHING,
	SIN_DROPS_LAST,
	/* Host functions. */
	SIN_DROPS_CALL,
	SIN_CALLS_TWICE,
	SIN_SERIAL,
	SIN_WAITS_INSIDE,
	SIN_MODES_DIRTY,
	SIN_UNMASKED,
	SIN_LEAVER_SUCCEEDS,
	/* Signals. */
	SIN_EARLY,
	SIN_WAITS_FOR_ONE,
	SIN_IGNORES_WAITS,
	SIN_TRUNCATES,
	SIN_ANY_IS_ALL,
	SIN_TIMES_OUT_EARLY,
	SIN_NEVER_TIMES_OUT,
	SIN_WAKES_ONE,
	SIN_NOTIFIES_TWICE,
	SIN_NOTIFIES_LATER_ONLY,
	SIN_RESET_NOTHING,
	/* Failure. */
	SIN_SUCCEEDS_ALWAYS,
	SIN_LOSES_ORIGIN,
	SIN_LOSES_TEXT,
	SIN_RUNS_BEHIND,
	SIN_FAILS_SILENTLY,
	SIN_NOT_PROPAGATED,
	SIN_BLAMES_TWICE,
	SIN_FAILS_BACKWARDS,
	SIN_FAILS_AHEAD,
	SIN_RECOVERS_NOT,
	SIN_STATE_WHILE_BUSY,
	SIN_FAILED_OVERTAKES,
	SIN_FAILED_HEEDS_GATES,
	SIN_DIES,
	/* Kernels. */
	SIN_WORKS_TWICE,
	SIN_BUILDS_ANYTHING,
	SIN_HIDES_LOG,
	SIN_FLAT_ONLY,
	SIN_ROUNDS_DOWN,
	SIN_OVERLAPS,
	SIN_SHARES_ARGUMENTS,
	SIN_DROPS_LAUNCH,
	SIN_SHORT_VALUES,
	SIN_LOSES_OFFSET,
	SIN_LAUNCHES_EARLY,
	SIN_FORGETS_BUILT,
	SIN_REMEMBERS_NAMES,
	SIN_IDLE_DEVICE,
	SIN_LAUNCHES_BEHIND,
	SIN_SHARES_LOCAL,
	SIN_CUTS_VALUES,
	SIN_LAUNCHES_ONCE,
	SIN_PLACES_ONCE,
	SIN_BOASTS_LOCAL,
	/* Images. */
	SIN_ROWS_AT_TOP,
	SIN_SWAPS_SIDES,
	SIN_ONE_SAMPLER,
	SIN_FORMAT_BLIND,
	/* Repeated submissions. */
	SIN_REPEATS_ONCE,
	SIN_REPEATS_EACH,
	SIN_COUNTS_TIMES,
	SIN_STILL_NUMBERS,
	SIN_ONE_NUMBER,
	SIN_FORGETS_FIRST,
	/* Segments. */
	SIN_FORGETS_EDGES,
	SIN_DROPS_PATCHED,
	SIN_DROPS_FROZEN,
	SIN_FREEZES_ONCE,
	SIN_SEGMENT_BEHIND,
	/* Ports. */
	SIN_PORT_CHANGES,
	SIN_PORT_ANYWHERE,
	SIN_MAIL_BORROWED,
	SIN_MAIL_LOST,
	SIN_MAIL_ANONYMOUS,
	SIN_LINK_WAITS,
	SIN_PEER_IMMORTAL,
	SIN_WORLDS_MIXED,
	SIN_MAIL_STALE,
	SIN_PORT_LEAKS,
	SIN_PORT_OUT_OF_MEMORY,
	SIN_COUNTERS_TOGETHER,
	SIN_STRIDE_SHORT,
	SIN_CREDITS_KEPT,
	SIN_SLOTS_CUT,
	SIN_NUMBERS_IGNORED,
	SIN_WIRES_KEPT,
	SIN_BELLS_APART,
	SIN_LONG_SLOTS,
	SIN_LOANS_FORGOTTEN, SIN_PLACES_REUSED,
	/* Memories and links. */
	SIN_LINK_CHANGES,
	SIN_SHARES_NOTHING,
	SIN_LINK_REFUSES,
	/* Loops and branches in them. */
	SIN_REFUSES_BADLY,
	SIN_BODY_FIRST,
	SIN_TEST_FIRST,
	SIN_FIRST_BRANCH,
	SIN_LAST_BRANCH,
	SIN_IF_NOT,
	SIN_IF_ANYWAY,
	SIN_COUNTS_WORD,
	SIN_TESTS_EARLY,
	SIN_TIRES,
	SIN_NESTS_ONCE,
	SIN_DROPS_INSIDE,
	SIN_DEAF,
	SIN_STOPPED_FOR_GOOD,
	SIN_STOPS_INSIDE,
	SIN_LOOP_BEHIND,
	SIN_ENDS_UNDECIDED,
	SIN_KEEPS_DECIDING
};

/* which.c, the one file that is compiled for each: -DSIN=SIN_x. */
extern const enum sin sins_which;
extern const char sins_name[];

#define SINS(sin) (sins_which == SIN_##sin)

enum { THREADS = 2, DEVICES = 2, MEMORY_BYTES = 96 << 20, ALIGNMENT = 64,
       SINS_LOCAL_BYTES = 8192 };

/* A callback to notify. */
struct note {
	struct note *next;
	uint64_t sequence;
	plait_notify_function function;
	void *user_data;
	plait_status status;
};

struct plait_backend_signal {
	bool gate;
	uint64_t reached;
	/* The first failed command, 0 if none, and its status. */
	uint64_t failed_from;
	plait_error failure;
	struct note *notes;
};

/* A submission, copied. */
struct batch {
	struct batch *next;
	uint64_t bytes;
	const plait_work *work;
	plait_backend_point *waits;
	plait_backend_point *emits;
	plait_work *copies;
	plait_work_series *series;
	uint32_t times, series_count;
	uint32_t work_count;
	uint32_t wait_count;
	uint32_t emit_count;
};

struct plait_backend_queue {
	plait_backend_queue *next;
	struct batch *first;
	struct batch **last;
	uint32_t device;
	uint64_t pending;
	uint64_t capacity;
	bool running;
	bool failed;
	bool leaving; /* SIN_STATE_WHILE_BUSY */
	plait_error failure;
};

struct plait_backend_memory {
	uint64_t bytes;
	uint64_t allocated;
	char *data;
	void *block;
	void *user; /* SIN_WRAP_COPIES */
	void *apart; /* SIN_MAPS_APART: of all of it */
	bool image;
	uint32_t device;
};

/* A thread's state, until a function ends the thread; then its successor's. */
struct seat {
	plait_backend *self;
	pthread_t thread;
	pthread_t gone;
	bool left; /* `gone` is to be joined */
};

struct plait_backend {
	const plait_host_services *services;
	plait_host *host;
	/* Guards all state here and in all objects.  Not held while work runs
	 * or a callback is called. */
	pthread_mutex_t lock;
	pthread_cond_t work;    /* for the threads */
	pthread_cond_t changed; /* for threads that wait for signals */
	struct seat seats[THREADS];
	uint32_t thread_count;
	bool closing;
	bool working;
	bool dead; /* SIN_DIES */
	plait_backend_queue *queues;
	uint64_t used[DEVICES];
	uint64_t launches;	/* SIN_DROPS_LAUNCH */
	uint64_t questions;	/* SIN_LINK_CHANGES */
	char *first_text;	/* SIN_REMEMBERS_NAMES */
	uint64_t first_bytes;
	/* Of one thread at a time; no lock. */
	plait_backend_port *ports[8];
	uint32_t ended; /* bits of ranks whose ports were closed */
	struct wire *wires;
};

/* --- base.c */
void *sins_allocate(plait_backend *self, uint64_t bytes);
void sins_free(plait_backend *self, void *pointer, uint64_t bytes);
plait_status sins_no_memory(plait_backend *self, uint64_t bytes,
			    plait_error *error);

/* --- queues.c */
void *sins_thread(void *seat);
plait_status sins_no_native(plait_backend *self, plait_error *error);
plait_status sins_queue_create(plait_backend *self, uint32_t device,
			       const plait_queue_request *request,
			       plait_backend_queue **out, plait_error *error);
void sins_queue_destroy(plait_backend *self, plait_backend_queue *queue);
plait_status sins_queue_submit(plait_backend *self, plait_backend_queue *queue,
			       const plait_submission *submissions,
			       uint32_t count, plait_error *error);
plait_status sins_queue_recover(plait_backend *self,
				plait_backend_queue *queue,
				plait_error *error);

/* --- work.c */
/* Run one command; on failure `error` has the text that the device would
 * give. */
plait_status sins_work(plait_backend *self, const plait_work *work,
		       plait_error *error);
/* The error of a failed function. */
void sins_blame(const plait_work *work, const char *what, int32_t origin,
		plait_error *error);

/* --- kernels.c */
plait_status sins_kernel_build(plait_backend *self, uint32_t device,
			       const plait_code *code,
			       plait_backend_kernel **out, plait_error *error);
void sins_kernel_destroy(plait_backend *self, plait_backend_kernel *kernel);
plait_status sins_kernel_query(plait_backend *self,
			       plait_backend_kernel *kernel,
			       plait_kernel_facts *out, plait_error *error);
plait_status sins_launch_create(plait_backend *self,
				const plait_launch_request *request,
				plait_backend_launch **out,
				plait_error *error);
void sins_launch_destroy(plait_backend *self, plait_backend_launch *launch);
void sins_launch_run(plait_backend *self, const plait_work *work);
/* Change a number among the arguments of a launch that does not run. */
void sins_launch_number(plait_backend_launch *launch, uint32_t argument,
			uint64_t number);

/* --- segments.c */
plait_status sins_segment_create(plait_backend *self, uint32_t device,
				 const plait_segment_request *request,
				 plait_backend_segment **out,
				 plait_error *error);
void sins_segment_destroy(plait_backend *self,
			  plait_backend_segment *segment);
plait_status sins_segment_patch(plait_backend *self,
				plait_backend_segment *segment, uint32_t index,
				const plait_work *work, plait_error *error);
plait_status sins_segment_stop(plait_backend *self,
			       plait_backend_segment *segment, uint32_t stop,
			       plait_error *error);
plait_status sins_segment_run(plait_backend *self, const plait_work *work,
			      plait_error *error);

/* --- signals.c */
/* Caller holds the lock.  Raise the signal, with a failure or null; callbacks
 * to notify are put in front of `told`. */
void sins_raise(plait_backend *self, plait_backend_signal *signal,
		uint64_t sequence, const plait_error *failure,
		struct note **told);
/* Caller does not hold the lock. */
void sins_tell(plait_backend *self, struct note *told);
/* Caller holds the lock.  Returns PLAIT_OK, PLAIT_PENDING or the failure. */
plait_status sins_state(const plait_backend_point *point);

plait_status sins_signal_create(plait_backend *self, uint32_t device,
				uint32_t flags, plait_backend_signal **out,
				plait_error *error);
void sins_signal_destroy(plait_backend *self, plait_backend_signal *signal);
plait_status sins_signal_poll(plait_backend *self,
			      const plait_backend_point *point,
			      uint64_t *out_reached, plait_error *error);
plait_status sins_signal_wait(plait_backend *self,
			      const plait_backend_point *points,
			      uint32_t count, uint32_t any,
			      uint64_t timeout_ns, plait_error *error);
plait_status sins_signal_notify(plait_backend *self,
				const plait_backend_point *point,
				plait_notify_function function,
				void *user_data, plait_error *error);
plait_status sins_signal_raise(plait_backend *self,
			       const plait_backend_point *point,
			       const plait_error *failure, plait_error *error);
plait_status sins_signal_reset(plait_backend *self,
			       plait_backend_signal *signal,
			       plait_error *error);

/* --- ports.c */
plait_status sins_port_open(plait_backend *self,
			    const plait_port_request *request,
			    plait_backend_port **out, plait_error *error);
void sins_port_close(plait_backend *self, plait_backend_port *port);
plait_status sins_port_query(plait_backend *self, plait_backend_port *port,
			     plait_port *out, plait_error *error);
plait_status sins_mail_send(plait_backend *self, plait_backend_port *port,
			    uint32_t peer, const void *bytes, uint64_t count,
			    plait_error *error);
plait_status sins_mail_next(plait_backend *self, plait_backend_port *port,
			    uint32_t *out_peer, void *buffer,
			    uint64_t capacity, uint64_t *out_bytes,
			    plait_error *error);
plait_status sins_link_create(plait_backend *self, plait_backend_port *port,
			      const plait_link_request *request,
			      plait_backend_link **out, plait_error *error);
void sins_link_destroy(plait_backend *self, plait_backend_link *link);
plait_status sins_link_view(plait_backend *self, plait_backend_link *link,
			    plait_link_view *out, plait_error *error);
void sins_ports_lend(plait_backend_table *table);
plait_status sins_peer_query(plait_backend *self, plait_backend_port *port,
			     uint32_t peer, plait_error *error);

#endif
