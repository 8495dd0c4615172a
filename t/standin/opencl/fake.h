/* SPDX-License-Identifier: MIT */
/* Shared declarations of the files of the stand-in for OpenCL. */
#ifndef T_CL_FAKE_H
#define T_CL_FAKE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "fakecl.h"

#include "../../../plugins/opencl/extension_calls.h"

/* Hidden: the twins alone carry the names of OpenCL. */
#define FAKE_STATUS(name, parameters, arguments) \
	cl_int fake_##name parameters;
#define FAKE_MAKES(type, name, parameters, arguments) \
	type fake_##name parameters;
OPENCL_CALLS(FAKE_STATUS, FAKE_MAKES)
OPENCL_IL_CALLS(FAKE_STATUS, FAKE_MAKES)
OPENCL_BUFFER_CALLS(FAKE_STATUS, FAKE_MAKES)

enum { FAKE_DEVICES = 4, FAKE_PARAMETERS = 16, FAKE_VALUE_BYTES = 16,
       FAKE_THREADS = 4 };

/* Items of a group: as the driver says of a kernel, as it runs them, and as it
 * says of the device. */
enum { FAKE_GROUP_KERNEL = 32, FAKE_GROUP_RUNS = 256, FAKE_GROUP_DEVICE = 512 };

/* Local memory of a group. */
enum { FAKE_LOCAL_BYTES = 32768 };

#define FAKE_LARGEST_BYTES ((cl_ulong)16 << 20)

/* The object behind a handle.  Dead ones are kept until the next reset, so that
 * a later use is detected. */
enum fake_kind {
	FAKE_PLATFORM = 0x636c3031,
	FAKE_DEVICE,
	FAKE_CONTEXT,
	FAKE_QUEUE,
	FAKE_MEMORY,
	FAKE_PROGRAM,
	FAKE_KERNEL,
	FAKE_EVENT,
	FAKE_BUFFER,
	FAKE_SAMPLER
};

struct fake_object {
	enum fake_kind kind;
	uint32_t references;
	struct fake_object *next;
	void (*end)(void *object); /* releases the objects that it owns; or
				    * null */
};

struct fake_device {
	struct fake_object object;
	bool part;
	uint32_t units;
};

struct fake_context {
	struct fake_object object;
};

struct fake_memory {
	struct fake_object object;
	struct fake_object *parent; /* its context, or its parent */
	unsigned char *bytes;
	size_t count;
	size_t width, row_bytes; /* of an image */
	bool ours;
	uint32_t maps;
};

struct fake_program {
	struct fake_object object;
	struct fake_context *context;
	char *text;
	bool built;
	bool guarded; /* built so */
};

struct fake_argument {
	bool set;
	bool pointer;
	const char *text; /* of the parameter, in its program's */
	size_t length;
	struct fake_memory *memory;
	unsigned char value[FAKE_VALUE_BYTES];
};

struct fake_kernel {
	struct fake_object object;
	struct fake_program *program;
	plait_kernel_function function;
	cl_uint count;
	bool guarded; /* the last one tells whether it has an effect */
	struct fake_argument arguments[FAKE_PARAMETERS];
};

struct fake_told {
	void (CL_CALLBACK *tell)(cl_event, cl_int, void *);
	void *user_data;
	struct fake_event *event;
	struct fake_told *next;
};

struct fake_event {
	struct fake_object object;
	cl_int state;
	struct fake_queue *queue; /* in which it ended; null before that */
	struct fake_told *told;
};

/* Owns a reference of each event, of its queue, and of the objects that it
 * uses. */
struct fake_command {
	struct fake_command *next;
	struct fake_queue *queue;
	struct fake_event *event;
	bool flushed;
	cl_uint wait_count;
	struct fake_event **waits;
	cl_int (*work)(struct fake_command *command);
	struct fake_memory *source, *target;
	struct fake_kernel *kernel;
	struct fake_buffer *buffer; /* that it runs */
	size_t source_offset, target_offset, bytes, pattern_bytes;
	size_t region[3];
	size_t source_pitch[3], target_pitch[3]; /* the first unused */
	void *host;
	const void *from;
	unsigned char pattern[16];
	plait_launch launch;
	/* Of a launch, as they were when it was enqueued; null: those of the
	 * kernel, which is a copy. */
	struct fake_argument *arguments;
};

struct fake_queue {
	struct fake_object object;
	struct fake_context *context;
	cl_device_id device;
	struct fake_queue *next;
	struct fake_command *head, *tail;
	bool running; /* the head is */
	bool profiles;
	cl_int failed; /* and was not reported yet */
};

struct fake_world {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct fakecl_setup setup;
	struct fakecl_report report;
	struct fake_object *objects;
	struct fake_queue *queues;
	struct fake_told *told; /* callbacks to call: their event has ended */
	uint32_t telling;	/* calls that have not come back */
	struct fake_device devices[FAKE_DEVICES];
	struct fake_object platform;
	uint64_t contexts;
	uint64_t waits; /* calls of clWaitForEvents */
	bool failing; /* all behind the first fails too */
	bool running, stopping;
	pthread_t threads[FAKE_THREADS];
};

extern struct fake_world fake;

/* --- twins.c: the lock is held for all functions below, unless stated */

__attribute__((format(printf, 1, 2))) void fake_sin(const char *format, ...);

/* --- objects.c */

void *fake_new(enum fake_kind kind, size_t bytes, void (*end)(void *));
bool fake_is(const void *handle, enum fake_kind kind);
void fake_retain(void *object);
void fake_release(void *object);
void fake_forget_objects(void);
/* The requested answer, if there is room. */
cl_int fake_give(const void *from, size_t bytes, size_t room, void *value,
		 size_t *out_bytes);

/* --- programs.c */

void fake_teach(const char *name, const char *text,
		plait_kernel_function function);
cl_int fake_launch(struct fake_command *command);

/* --- buffers.c */

/* A run of a command buffer has ended. */
void fake_end_run(struct fake_buffer *buffer);
cl_int fake_give_extensions(size_t room, void *value, size_t *bytes);

/* --- works.c: fill a command for a queue or a command buffer, or refuse */

cl_int fake_set_copy(struct fake_command *command, cl_mem source, cl_mem target,
		     size_t source_offset, size_t target_offset, size_t bytes);
cl_int fake_set_rows(struct fake_command *command, cl_mem source, cl_mem target,
		     const size_t *from, const size_t *to, const size_t *region,
		     size_t source_row, size_t source_slice, size_t target_row,
		     size_t target_slice);
cl_int fake_set_fill(struct fake_command *command, cl_mem target,
		     const void *pattern, size_t pattern_bytes, size_t offset,
		     size_t bytes);
cl_int fake_set_launch(struct fake_command *command, cl_kernel kernel,
		       cl_uint dimensions, const size_t *offset,
		       const size_t *items, const size_t *group);

/* --- commands.c */

/* Null, with *code, on failure. */
struct fake_command *fake_command(cl_command_queue queue, cl_uint count,
				  const cl_event *waits, cl_int *code);
/* Take the command, and return its event if the caller wants one. */
void fake_enqueue(struct fake_command *command, cl_event *event);
void fake_await(struct fake_event *event);
/* The recipient of a callback may go on before the call that invoked it has
 * released the event. */
void fake_await_told(void);
/* Run the commands that can run, if that is this thread's duty. */
void fake_go_on(void);
void fake_begin_threads(void);
void fake_end_threads(void);

#endif
