/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for libcuda.so.1, for tests: declarations shared by its files.
 *
 * All state is behind one lock.  Every function of the driver is entered with
 * it (entry.c) and left without it.  Work is done by a few threads of the
 * stand-in, without the lock.  A handle is looked up among the live objects, so
 * that a destroyed one is an error and no crash.
 */
#ifndef STANDIN_H
#define STANDIN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calls.h"
#include "control.h"
#include "device.h"

enum { STANDIN_MAX_DEVICES = 8, STANDIN_MAX_FAILS = 8 };

#define STANDIN_EXPORT __attribute__((visibility("default")))

STANDIN_EXPORT standin_configure_function standin_configure;
STANDIN_EXPORT standin_live_function standin_live;
STANDIN_EXPORT standin_leaked_function standin_leaked;
STANDIN_EXPORT standin_calls_function standin_calls;
STANDIN_EXPORT standin_fail_function standin_fail;
STANDIN_EXPORT standin_fault_function standin_fault;
STANDIN_EXPORT standin_overlaps_function standin_overlaps;
STANDIN_EXPORT standin_undecided_function standin_undecided;
STANDIN_EXPORT standin_failed_function standin_failed;
STANDIN_EXPORT standin_misused_function standin_misused;
STANDIN_EXPORT standin_speak_function standin_speak;

/* The meaning of CUDA_CALLS here: the functions behind the entries. */
#define STANDIN_DECLARE(version, name, symbol, parameters, arguments) \
	CUresult standin_##name parameters;
CUDA_CALLS(STANDIN_DECLARE)

/* First in everything that has a handle. */
struct object {
	struct object *next;
	CUcontext context; /* with which it goes, or null */
	enum standin_kind kind;
};

/* Memory that the driver knows. */
struct block {
	struct object object;
	char *pointer;
	size_t bytes;
	int device;
};

struct CUctx_st {
	struct object object;
	int device;
	unsigned owners; /* retained so often */
	CUresult sticky; /* the result of every call from now on */
	CUstream legacy; /* the stream with the null handle */
	unsigned peers;  /* a bit for each device */
};

/* --- work: execution of commands and nodes */

/* The kind of some memory; it may not change when a node is changed. */
struct standin_operand {
	CUmemorytype said; /* 0: not given */
	enum standin_kind kind; /* STANDIN_KINDS: the driver knows nothing */
	CUcontext context;
	int device;
};

enum work_kind { WORK_NONE, WORK_KERNEL, WORK_COPY, WORK_FILL, WORK_HOST,
		 WORK_CALLBACK, WORK_GRAPH, WORK_WRITE };

struct work {
	enum work_kind kind;
	CUcontext context;
	struct standin_launch launch;
	CUfunction function;
	char *target;
	const char *source;
	struct standin_operand to, from; /* of nodes */
	char *staged; /* the kind of `source`, when it is the stand-in's */
	size_t bytes;
	unsigned value, element;
	size_t pitch, height;
	size_t source_pitch, depth; /* of copies, and: */
	size_t slice, source_slice;
	CUhostFn host;
	CUstreamCallback callback;
	CUstream stream; /* the status that the callback gets */
	void *user_data;
	struct program *program;
	CUgraphNode node; /* of a graph that runs, or null */
};

/* A command in a stream; lives as long as a thread waits for it. */
struct op {
	struct op *next;
	unsigned references;
	bool done;
	uint64_t number; /* of all, in the order of the calls */
	uint64_t done_ns;
	struct work work;
	struct op **waits;
	size_t wait_count;
};

struct CUstream_st {
	struct object object;
	struct CUstream_st *next; /* of all, for the workers */
	struct op *head, **tail;
	struct op *last;  /* the newest, or null */
	struct op **waits; /* of what is enqueued next */
	size_t wait_count;
	unsigned flags;
	int priority;
	unsigned count; /* commands that are not done */
	bool busy, destroyed;
};

struct CUevent_st {
	struct object object;
	struct op *op; /* the last thing recorded, or null */
	unsigned flags;
	bool recorded;
};

struct CUfunc_st {
	CUmodule module;
	const struct standin_kernel *kernel;
	int dynamic_bytes; /* of shared memory that may be asked for */
};

struct CUmod_st {
	struct object object;
	unsigned references;
	void *library; /* or null */
	struct ptx_module *ptx; /* or null */
	const struct standin_module *table;
	struct CUfunc_st *functions;
};

/* --- graphs */

struct condition {
	CUgraph graph;
	CUcontext context;
	unsigned initial, flags, value;
	bool used, running;
	bool set; /* in the iteration that runs */
	CUgraphNode setter; /* that set it, in the iteration that runs */
};

struct CUgraphNode_st {
	struct object object;
	CUgraph graph;
	CUgraphNode origin; /* of a copy */
	CUgraphNodeType type;
	struct work work;
	size_t index; /* in the graph */
	size_t *before;
	size_t before_count;
	CUgraph child;
	CUgraphConditionalHandle handle;
	CUgraphConditionalNodeType loop;
	CUgraph *bodies;
	unsigned body_count;
	CUevent event;
	bool disabled;
};

struct CUgraph_st {
	struct object object;
	CUgraphNode *nodes;
	size_t count, room;
	CUgraph root;  /* of a body: the graph that all is in; else itself */
	CUgraph parent; /* of a body: the graph of its node; or null */
	CUcontext body_context; /* of a body: the only one */
	bool copy;     /* not the user's */
	unsigned execs; /* made of it and alive */
};

/* The content of an executable graph; never changed while it runs. */
struct program {
	CUgraph graph;
	unsigned references;
};

struct CUgraphExec_st {
	struct object object;
	CUgraph made_of; /* null when that was destroyed */
	struct program *program;
	struct op *last; /* the newest launch, or null */
	bool conditional;
};

/* --- entry.c: the state, options, counting */

struct standin_options {
	int devices;
	int driver_version;
	int arch;
	unsigned workers;
	uint64_t seed;
	size_t memory_bytes;
	int most_pitch;
	bool shared; /* streams of one priority have one connection */
	bool pageable_waits; /* copies from and to pageable memory do */
	bool locked_callbacks, locked_frees; /* hold the driver's lock */
	bool stub; /* the toolkit's library for linking */
	bool mute; /* no callback after an error */
	bool writes; /* streams write words of memory */
	bool captured; /* a thread captures a stream, in the global mode */
	bool waits; /* calls that allocate or load wait for the context */
	bool apart; /* no device accesses another one's memory */
	int mode; /* CUcomputemode */
	unsigned depth; /* commands of a stream; 0: any number */
	bool slow_copies; /* and those that conflict end the process */
	bool timer_steps; /* the devices' timer does not follow the clock */
	uint64_t timer_step; /* in ns, at each look */
	char report[256];
};

struct standin {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct standin_options options;
	bool initialised;
	uint64_t random;
	uint64_t timer;
	uint64_t faults_until;
	CUresult fault;
	uint64_t overlaps, undecided;
	const char *failed, *misused; /* functions */
	size_t used_bytes[STANDIN_MAX_DEVICES];
	CUcontext primary[STANDIN_MAX_DEVICES];
};

extern struct standin standin;
/* Set by a thread of ours while it runs a host function. */
extern _Thread_local bool standin_in_host_function;
/* Of the calling thread. */
extern _Thread_local CUstreamCaptureMode standin_capture_mode;

/* Let call `number` of a function give `code`, or also all that follow; null: of
 * any function. */
void standin_fail_later(const char *name, uint64_t number, int code,
			bool always);
/* Below `bound`; from the seed. */
uint64_t standin_random(uint64_t bound);
void *standin_new(size_t bytes);
/* The context of the calling thread, or null. */
CUcontext standin_current(void);

/* --- option.c */

void standin_read_options(const char *text);

/* --- object.c: live objects */

void standin_add(struct object *object, enum standin_kind kind,
		 CUcontext context);
void standin_remove(struct object *object);
/* Null: no such object of that kind. */
void *standin_find(const void *handle, enum standin_kind kind);
/* Some object that goes with a context, or null. */
struct object *standin_of_context(CUcontext context);
void standin_forget_counts(void);

/* --- arena.c: memory of devices */

/* `bytes` are a multiple of 256. */
void *standin_host_acquire(size_t bytes);
void *standin_arena_acquire(size_t bytes);
void standin_arena_release(void *pointer);
/* A command that accesses it begins, and ends; from any thread. */
void standin_arena_open(void);
void standin_arena_close(void);

/* --- conflict.c: copies that run, for copies=slow */

/* A copy begins and ends, or any other work; with the lock. */
void standin_begin_copy(const struct work *work);
void standin_end_copy(const struct work *work);
/* Without the lock. */
void standin_delay_copy(const struct work *work);

/* --- stream.c */

/* The stream behind a handle of the current context, or null. */
CUstream standin_stream(CUstream handle);
/* Take over `work`; returns the command, which is the stream's. */
struct op *standin_enqueue(CUstream stream, const struct work *work);
void standin_wait_later(CUstream stream, struct op *op);
struct op *standin_keep(struct op *op);
void standin_drop(struct op *op);
/* Sleep until it is done. */
void standin_await(struct op *op);
/* Sleep until a context has nothing to do. */
void standin_idle(CUcontext context);
/* Returns whether no thread has work any more. */
void standin_stop_workers(void);
/* Between iterations, without the lock. */
void standin_go_on_elsewhere(void);
CUstream standin_new_stream(CUcontext context, unsigned flags, int priority);
void standin_end_stream(CUstream stream);
void standin_end_event(CUevent event);

/* --- work.c: without the lock, but for free and copy */

/* The devices' timer. */
unsigned long long standin_timer(void);
/* `before`: an earlier failure, which only callbacks get. */
CUresult standin_perform(struct work *work, CUresult before);
void standin_free_work(struct work *work);
/* With its own arguments and references. */
void standin_copy_work(struct work *to, const struct work *from);

/* --- locks.c: the driver's lock; the caller holds the stand-in's, except for
 * a callback and for standin_tell_call */

/* Sleep while a callback or a free holds the driver's lock. */
void standin_lock_driver(void);
/* Sleep until a context has nothing to do; the driver's lock is held. */
void standin_idle_locked(CUcontext context);
void standin_begin_callback(void);
void standin_end_callback(void);
/* Sleep until the current context has nothing to do, in calls that may wait for
 * that; returns true for such a call. */
bool standin_wait_in_call(const char *name);
/* Returns true for a callback that does not come now. */
bool standin_mute(const struct work *work, CUresult before);
/* For the recorder, if there is one. */
void standin_find_recorder(void);
void standin_tell_call(const char *name);

/* --- module.c */

void standin_end_module(CUmodule module);
/* Inside a module's variable that cuModuleGetGlobal has returned. */
bool standin_is_variable(const void *pointer, size_t bytes);
bool standin_find_variable(uint64_t address, uint64_t *begin, uint64_t *end);
CUresult standin_fill_launch(struct work *work, CUfunction function,
			     const unsigned grid[3], const unsigned block[3],
			     unsigned shared_bytes, void **arguments);

/* --- interpreted.c: real PTX */

const struct standin_module *standin_parse(CUmodule module, const char *text,
					   char *message);
void standin_free_parsed(CUmodule module);
CUresult standin_interpret(struct work *work);

/* --- graph.c: graphs as users build them */

CUgraph standin_new_graph(CUgraph root);
CUresult standin_fill_kernel(struct work *work,
			     const CUDA_KERNEL_NODE_PARAMS_v2 *params);

void standin_free_graph(CUgraph graph);
/* Nodes of the copy refer to their originals, or those to their copies. */
CUgraph standin_copy_graph(CUgraph graph, bool of_copy);
bool standin_has_conditions(CUgraph graph);

/* --- exec.c: executable graphs */

void standin_end_exec(CUgraphExec exec);
void standin_drop_program(struct program *program);
CUresult standin_run_program(struct program *program);

/* --- condition.c */

struct condition *standin_condition(CUgraphConditionalHandle handle);
int standin_set_condition(void *work, unsigned long long handle,
			  unsigned value);
/* The graph goes; executables of it may stay. */
void standin_forget_conditions(CUgraph graph);
bool standin_has_unused_conditions(CUgraph graph);

#include "memory.h"

#endif
