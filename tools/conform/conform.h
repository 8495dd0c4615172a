/* SPDX-License-Identifier: MIT */
/*
 * plait conform - does a backend keep what doc/plugins.md asks of it?
 *
 * A check is a function in one of the group files (load.c, buffer.c, ...) and
 * a line in that file's table.  Each runs in a process of its own, forked
 * before the library was touched: a crash, a hang or a leak is the failure of
 * that one check.  The suite sees the public API and nothing else.
 */
#ifndef CONFORM_CONFORM_H
#define CONFORM_CONFORM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plait/plait.h"

/* The subcommand; argv[0] is "conform".  Returns the exit status. */
int conform_main(int argc, char **argv);

enum { CONFORM_GOOD = 0, CONFORM_BAD = 1, CONFORM_USAGE = 2,
       CONFORM_SKIPPED = 77 };

/*
 * What a check needs beyond a device: bits of plait_device_info.capabilities,
 * and these.  Without it the check is skipped, and says what is missing.
 */
enum {
	/* Two devices of this backend. */
	NEED_TWO_DEVICES = 1 << 16,
	/* Two host functions can run at the same time. */
	NEED_PARALLEL = 1 << 17,
	/* The clock of the device is the clock of the wall. */
	NEED_REAL_TIME = 1 << 18,
	/* The check opens its own contexts. */
	NO_CONTEXT = 1 << 19,
	/* The device compiles portable source, or is the host, for which the
	 * library does that. */
	NEED_KERNELS = 1 << 20,

	NEED_MAP = PLAIT_DEVICE_MAP,
	NEED_WRAP = PLAIT_DEVICE_WRAP,
	NEED_GATE = PLAIT_DEVICE_GATE,
	NEED_NOTIFY = PLAIT_DEVICE_NOTIFY,
	NEED_NATIVE = PLAIT_DEVICE_NATIVE,
	NEED_SEGMENT = PLAIT_DEVICE_SEGMENT,
	NEED_REGION = PLAIT_DEVICE_REGION,
	NEED_LASTS = PLAIT_DEVICE_LASTS,
	NEED_HOST = PLAIT_DEVICE_HOST
};

enum { CONFORM_HELD = 4096, CONFORM_PATH = 4096 };

enum conform_kind { HOLDS_BUFFER, HOLDS_SIGNAL, HOLDS_QUEUE, HOLDS_INBOX,
		    HOLDS_KERNEL };

/* One check's world: all of a child process. */
struct conform {
	/* Of the command line. */
	const char *backend;
	uint64_t seed;
	/* Where the report goes; see check.c. */
	int report;
	/* Opened for the check, unless it says NO_CONTEXT. */
	plait_context *context;
	plait_device *device;
	plait_device *second;
	plait_device_info info;
	uint32_t device_count;
	/* For calls on the check's first thread; others pass null. */
	plait_error error;
	/* Given back, newest first, when the check ends. */
	struct {
		enum conform_kind kind;
		void *handle;
	} held[CONFORM_HELD];
	size_t held_count;
	uint64_t random;
};

struct conform_check {
	const char *id;
	const char *title;
	uint32_t needs;
	void (*run)(struct conform *c);
};

struct conform_group {
	const char *name;
	const struct conform_check *checks;
	size_t count;
};

#define CONFORM_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CONFORM_GROUP(group, title) \
	const struct conform_group group = { title, checks, \
					     CONFORM_COUNT(checks) }

/* A new group joins here and in the list of conform.c. */
extern const struct conform_group conform_load;
extern const struct conform_group conform_buffers;
extern const struct conform_group conform_natives;
extern const struct conform_group conform_rows;
extern const struct conform_group conform_queues;
extern const struct conform_group conform_signals;
extern const struct conform_group conform_calls;
extern const struct conform_group conform_errors;
extern const struct conform_group conform_kernels;
extern const struct conform_group conform_cache;
extern const struct conform_group conform_segments;
extern const struct conform_group conform_regions;
extern const struct conform_group conform_deciding;
extern const struct conform_group conform_claims;

/* --- check.c: what a check says ------------------------------------------ */

#define CONFORM_HERE __FILE__, __LINE__
/* The record of the check's own thread, emptied. */
#define ERR conform_clear(c)
/* It holds, else the check fails and goes on.  Any thread. */
#define HOLDS(expr) conform_holds(c, !!(expr), CONFORM_HERE, "%s", #expr)
#define HOLDS_THAT(expr, ...) \
	conform_holds(c, !!(expr), CONFORM_HERE, __VA_ARGS__)
/* The call answers `want`, and a failure says why. */
#define GIVES(call, want) \
	conform_gives(c, (call), (want), CONFORM_HERE, #call)
/* The call works; without it the check cannot go on. */
#define NEED(call) conform_need(c, (call), CONFORM_HERE, #call)
/* The record has this origin and a text with this part in it. */
#define SAYS(origin, part) conform_says(c, (origin), (part), CONFORM_HERE)

plait_error *conform_clear(struct conform *c);
__attribute__((format(printf, 5, 6)))
bool conform_holds(struct conform *c, bool held, const char *file, int line,
		   const char *format, ...);
bool conform_gives(struct conform *c, plait_status got, plait_status want,
		   const char *file, int line, const char *call);
void conform_need(struct conform *c, plait_status got, const char *file,
		  int line, const char *call);
bool conform_says(struct conform *c, int64_t origin, const char *part,
		  const char *file, int line);
/* Ends the check: it cannot run here. */
__attribute__((format(printf, 2, 3), noreturn))
void conform_skip(struct conform *c, const char *format, ...);
/* Something to know, shown when the check fails or with --verbose. */
__attribute__((format(printf, 2, 3)))
void conform_note(struct conform *c, const char *format, ...);
/* Ends the check with what was found so far. */
__attribute__((noreturn)) void conform_end(struct conform *c);

/* --- rig.c: contexts, objects, commands ---------------------------------- */

/* Open the backend as the environment says; `desc` may add to it. */
plait_status conform_open(struct conform *c, const plait_context_desc *desc,
			  plait_context **out);
/* Open it as the check's own: device, second and info are set. */
void conform_begin(struct conform *c, const plait_context_desc *desc);
/* Give everything back and see that nothing stays alive. */
void conform_finish(struct conform *c);
/* Wait until the library has no live object; false after 10 s. */
bool conform_drain(struct conform *c);

/* Made now, given back at the end; the check stops when it cannot be. */
plait_queue *conform_queue(struct conform *c);
plait_queue *conform_queue_on(struct conform *c, plait_device *device,
			      const plait_queue_desc *desc);
plait_signal *conform_signal(struct conform *c);
plait_signal *conform_gate(struct conform *c);
plait_buffer *conform_buffer(struct conform *c, uint64_t bytes);
plait_inbox *conform_inbox(struct conform *c);
/* A kernel of portable source; the check is skipped without a compiler. */
plait_kernel *conform_kernel(struct conform *c, const char *signature,
			     const char *text, const char *defines);
plait_status conform_kernel_create(struct conform *c, const char *signature,
				   const char *text, const char *defines,
				   plait_kernel **out);
/* What was given above is the check's own to release. */
void conform_forget(struct conform *c, const void *handle);
/* Take over a handle that the check made itself. */
void conform_hold(struct conform *c, enum conform_kind kind, void *handle);

/* Commands, to be put into arrays. */
plait_command conform_call(plait_host_function function, void *user_data);
plait_command conform_wait(plait_signal *signal, uint64_t sequence);
plait_command conform_emit(plait_signal *signal);
plait_command conform_write(plait_buffer *target, uint64_t offset,
			    const void *host, uint64_t bytes);
plait_command conform_read(plait_buffer *source, uint64_t offset, void *host,
			   uint64_t bytes);

/* Arguments of a kernel; `value` stays the caller's. */
plait_argument conform_value(const void *value, uint64_t bytes);
plait_argument conform_memory(plait_buffer *buffer, uint64_t offset);

/* Reproducible for one seed and one check. */
uint64_t conform_random(struct conform *c);
uint64_t conform_below(struct conform *c, uint64_t limit);
void conform_random_bytes(struct conform *c, void *bytes, size_t count);

/* Host functions that many checks want: count up an atomic_int, or return
 * the int32_t that user_data points to. */
int32_t conform_count_up(void *user_data);
int32_t conform_return_value(void *user_data);

/* --- threads.c: threads of the check itself ------------------------------ */

uint64_t conform_now_ns(void);
/* Start one; the check stops when that fails. */
struct conform_thread;
struct conform_thread *conform_start(struct conform *c,
				     void (*run)(void *argument),
				     void *argument);
void conform_join(struct conform_thread *thread);
/* Wait until all threads but this one sleep in the kernel, at most 300 ms:
 * makes a check sharper, and is never what it relies on. */
void conform_let_them_sleep(void);
/*
 * How long to wait for what a backend owes: a good part of the deadline, so
 * that who lets a check run for longer is also more patient inside.
 */
void conform_be_patient(uint32_t deadline_s);
uint64_t conform_patience_ns(void);
/* Wait so long for *flag to become true. */
bool conform_until(const atomic_bool *flag);

/* --- watch.c: what the process looks like from outside ------------------- */

struct conform_process {
	uint32_t threads;
	uint32_t descriptors;
	uint32_t maps;
	uint64_t data_bytes;
	uint64_t printed_bytes;
};

void conform_look(struct conform_process *out);
/* Look until threads and descriptors are no more than `before`, or 5 s. */
void conform_settle(const struct conform_process *before,
		    struct conform_process *out);
/* Built with a sanitizer: memory figures mean nothing. */
bool conform_sanitized(void);
/* The backend's file, from what the library reports; false: built in. */
bool conform_find_file(struct conform *c, char path[CONFORM_PATH]);
/*
 * Why it does not open, in the parent, where nothing is forked any more: it
 * says so itself, the library refuses its file, or there is none; `others` gets
 * the names of the plugins that there are.
 */
enum conform_reason { CONFORM_DECLINED, CONFORM_REFUSED, CONFORM_ABSENT };
enum conform_reason conform_why_declined(const char *backend, char *others,
					 size_t bytes);

/* An allocator that counts, and fails on its k-th call. */
struct conform_memory {
	plait_allocator allocator;
	atomic_llong live_bytes;
	atomic_llong live_blocks;
	atomic_llong calls;
	/* Which call fails, counted from 1; 0: none. */
	long long fail_at;
};

void conform_memory_init(struct conform_memory *memory, long long fail_at);
/* What was alive is gone; wait for its memory, which follows a little later. */
void conform_memory_settle(struct conform_memory *memory);

/* --- expect.c: what the author of a backend knows already ---------------- */

enum conform_expectation { EXPECTS_PASS, EXPECTS_UNSUPPORTED,
			   EXPECTS_FAILING };

struct conform_expected {
	enum conform_expectation kind;
	char id[16];
	char reason[200];
};

struct conform_expectations {
	struct conform_expected *list;
	size_t count;
};

/* 0, or -1 after a sentence on stderr. */
int conform_expectations_read(struct conform_expectations *out,
			      const char *path);
const struct conform_expected *
conform_expectations_find(const struct conform_expectations *all,
			  const char *id);

/* --- run.c: one check in one process ------------------------------------- */

enum conform_verdict { CONFORM_PASS, CONFORM_FAIL, CONFORM_SKIP };

enum { CONFORM_TEXT = 64 << 10 };

struct conform_result {
	enum conform_verdict verdict;
	/* Why it was skipped. */
	char reason[512];
	/* What it said and printed, whole lines. */
	char text[CONFORM_TEXT];
	size_t text_bytes;
};

struct conform_options {
	const char *backend;
	const char *only;
	const char *expect;
	uint64_t seed;
	uint32_t deadline_s;
	bool verbose;
	bool list;
	bool here;
};

void conform_run(const struct conform_check *check,
		 const struct conform_options *options,
		 struct conform_result *out);
/* In this process, for debuggers: its lines go to stderr as they come. */
__attribute__((noreturn))
void conform_run_here(const struct conform_check *check,
		      const struct conform_options *options);
/* Whether the backend opens at all: PASS, SKIP (it declines) or FAIL. */
void conform_probe(const struct conform_options *options,
		   struct conform_result *out);

#endif
