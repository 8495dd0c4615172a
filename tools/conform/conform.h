/* SPDX-License-Identifier: MIT */
/*
 * Conformance suite: checks a backend against the rules of doc/plugins.md.
 *
 * A check is a function in one of the group files (load.c, buffer.c, ...) and
 * a row in that file's table.  Each check runs in its own process, forked before
 * the first call of the library: a crash, a hang or a leak fails that check only.
 * The suite uses the public API only.
 */
#ifndef CONFORM_CONFORM_H
#define CONFORM_CONFORM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plait/plait.h"

/* Run the subcommand; argv[0] is "conform".  Return the exit status. */
int conform_main(int argc, char **argv);

enum { CONFORM_GOOD = 0, CONFORM_BAD = 1, CONFORM_USAGE = 2,
       CONFORM_SKIPPED = 77 };

/*
 * Requirements of a check: bits of plait_device_info.capabilities, and these.  A
 * check with an unmet requirement is skipped, with its name.
 */
enum {
	/* Two devices of this backend. */
	NEED_TWO_DEVICES = 1 << 16,
	/* Two host functions can run at the same time. */
	NEED_PARALLEL = 1 << 17,
	/* The device runs in real time. */
	NEED_REAL_TIME = 1 << 18,
	/* The check opens its own contexts. */
	NO_CONTEXT = 1 << 19,
	/* The device compiles portable source, or is the host, for which the
	 * library compiles. */
	NEED_KERNELS = 1 << 20,

	NEED_MAP = PLAIT_DEVICE_MAP,
	NEED_WRAP = PLAIT_DEVICE_WRAP,
	NEED_GATE = PLAIT_DEVICE_GATE,
	NEED_NOTIFY = PLAIT_DEVICE_NOTIFY,
	NEED_NATIVE = PLAIT_DEVICE_NATIVE,
	NEED_SEGMENT = PLAIT_DEVICE_SEGMENT,
	NEED_REGION = PLAIT_DEVICE_REGION,
	NEED_LASTS = PLAIT_DEVICE_LASTS,
	NEED_HOST = PLAIT_DEVICE_HOST,
	NEED_IMAGE = PLAIT_DEVICE_IMAGE
};

enum { CONFORM_HELD = 4096, CONFORM_PATH = 4096 };

enum conform_kind { HOLDS_BUFFER, HOLDS_SIGNAL, HOLDS_QUEUE, HOLDS_INBOX,
		    HOLDS_KERNEL };

/* State of one check, in its child process. */
struct conform {
	/* From the command line. */
	const char *backend;
	uint64_t seed;
	/* Pipe of the report; see check.c. */
	int report;
	/* Opened for the check, unless it has NO_CONTEXT. */
	plait_context *context;
	plait_device *device;
	plait_device *second;
	plait_device_info info;
	uint32_t device_count;
	/* For calls on the check's first thread; other threads pass null. */
	plait_error error;
	/* Released, newest first, when the check ends. */
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

/* A new group is added here and to the list of conform.c. */
extern const struct conform_group conform_load;
extern const struct conform_group conform_buffers;
extern const struct conform_group conform_natives;
extern const struct conform_group conform_rows;
extern const struct conform_group conform_queues;
extern const struct conform_group conform_repeats;
extern const struct conform_group conform_signals;
extern const struct conform_group conform_calls;
extern const struct conform_group conform_errors;
extern const struct conform_group conform_kernels;
extern const struct conform_group conform_cache;
extern const struct conform_group conform_local_memory;
extern const struct conform_group conform_large_values;
extern const struct conform_group conform_launch_batch;
extern const struct conform_group conform_images;
extern const struct conform_group conform_segments;
extern const struct conform_group conform_regions;
extern const struct conform_group conform_deciding;
extern const struct conform_group conform_links;
extern const struct conform_group conform_claims;
extern const struct conform_group conform_mail;
extern const struct conform_group conform_messages;

/* --- check.c: report of a check ------------------------------------------ */

#define CONFORM_HERE __FILE__, __LINE__
/* The error record of the check's first thread, cleared. */
#define ERR conform_clear(c)
/* Fail the check unless `expr` holds, and continue.  Any thread. */
#define HOLDS(expr) conform_holds(c, !!(expr), CONFORM_HERE, "%s", #expr)
#define HOLDS_THAT(expr, ...) \
	conform_holds(c, !!(expr), CONFORM_HERE, __VA_ARGS__)
/* Fail unless the call returns `want` and a failing call gives a reason. */
#define GIVES(call, want) \
	conform_gives(c, (call), (want), CONFORM_HERE, #call)
/* End the check unless the call succeeds. */
#define NEED(call) conform_need(c, (call), CONFORM_HERE, #call)
/* Fail unless the record has this origin, and a text that contains `part`. */
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
/* End the check: it cannot run here. */
__attribute__((format(printf, 2, 3), noreturn))
void conform_skip(struct conform *c, const char *format, ...);
/* Add a note, shown when the check fails or with --verbose. */
__attribute__((format(printf, 2, 3)))
void conform_note(struct conform *c, const char *format, ...);
/* Tell the parent that the plugin is a transport without devices. */
void conform_is_transport(struct conform *c);
/* End the check with its result so far. */
__attribute__((noreturn)) void conform_end(struct conform *c);

/* --- rig.c: contexts, objects, commands ---------------------------------- */

/* Open the backend with the options of the environment and of `desc`. */
plait_status conform_open(struct conform *c, const plait_context_desc *desc,
			  plait_context **out);
/* Open the context of the check; set device, second and info. */
void conform_begin(struct conform *c, const plait_context_desc *desc);
/* Release all objects and check that none is left. */
void conform_finish(struct conform *c);
/* Wait until the library has no live object; return false after 10 s. */
bool conform_drain(struct conform *c);

/* Create an object that is released at the end; end the check if that fails. */
plait_queue *conform_queue(struct conform *c);
plait_queue *conform_queue_on(struct conform *c, plait_device *device,
			      const plait_queue_desc *desc);
plait_signal *conform_signal(struct conform *c);
plait_signal *conform_gate(struct conform *c);
plait_buffer *conform_buffer(struct conform *c, uint64_t bytes);
plait_inbox *conform_inbox(struct conform *c);
/* Create a kernel of portable source; skip the check without a compiler. */
plait_kernel *conform_kernel(struct conform *c, const char *signature,
			     const char *text, const char *defines);
plait_status conform_kernel_create(struct conform *c, const char *signature,
				   const char *text, const char *defines,
				   plait_kernel **out);
/* Hand an object of the above to the check, which releases it. */
void conform_forget(struct conform *c, const void *handle);
/* Take over a handle that the check created. */
void conform_hold(struct conform *c, enum conform_kind kind, void *handle);

/* Commands, for arrays. */
plait_command conform_call(plait_host_function function, void *user_data);
plait_command conform_wait(plait_signal *signal, uint64_t sequence);
plait_command conform_emit(plait_signal *signal);
plait_command conform_write(plait_buffer *target, uint64_t offset,
			    const void *host, uint64_t bytes);
plait_command conform_read(plait_buffer *source, uint64_t offset, void *host,
			   uint64_t bytes);

/* Kernel arguments; `value` is borrowed until the launch. */
plait_argument conform_value(const void *value, uint64_t bytes);
plait_argument conform_memory(plait_buffer *buffer, uint64_t offset);

/* Random numbers, reproducible for a seed and a check. */
uint64_t conform_random(struct conform *c);
uint64_t conform_below(struct conform *c, uint64_t limit);
void conform_random_bytes(struct conform *c, void *bytes, size_t count);

/* Common host functions: increment an atomic_int, or return the int32_t that
 * user_data points to. */
int32_t conform_count_up(void *user_data);
int32_t conform_return_value(void *user_data);

/* --- threads.c: threads of the check itself ------------------------------ */

uint64_t conform_now_ns(void);
/* Start a thread; end the check if that fails. */
struct conform_thread;
struct conform_thread *conform_start(struct conform *c,
				     void (*run)(void *argument),
				     void *argument);
void conform_join(struct conform_thread *thread);
/* Wait until all other threads sleep in the kernel, at most 300 ms.  Makes a
 * check stricter; no check depends on it. */
void conform_let_them_sleep(void);
/*
 * Set the timeout of waits for the backend: a large part of the deadline, so
 * that a longer deadline also lengthens the waits.
 */
void conform_be_patient(uint32_t deadline_s);
uint64_t conform_patience_ns(void);
/* Wait for *flag, up to that timeout; return its value. */
bool conform_until(const atomic_bool *flag);

/* --- watch.c: threads, descriptors and memory of the process -------------- */

struct conform_process {
	uint32_t threads;
	uint32_t descriptors;
	uint32_t maps;
	uint64_t data_bytes;
	uint64_t printed_bytes;
};

void conform_look(struct conform_process *out);
/* Wait until threads and descriptors are at most `before`, up to 5 s. */
void conform_settle(const struct conform_process *before,
		    struct conform_process *out);
/* Return true if built with a sanitizer: memory figures are meaningless. */
bool conform_sanitized(void);
/* Get the backend's file from the library's report; return false if built in. */
bool conform_find_file(struct conform *c, char path[CONFORM_PATH]);
/*
 * Return why the backend does not open: it declines, the library refuses its
 * file, or there is no file.  `others` gets the names of the plugins found.  For
 * the parent, after its last fork.
 */
enum conform_reason { CONFORM_DECLINED, CONFORM_REFUSED, CONFORM_ABSENT };
enum conform_reason conform_why_declined(const char *backend, char *others,
					 size_t bytes);

/* An allocator that counts, and fails at its k-th call. */
struct conform_memory {
	plait_allocator allocator;
	atomic_llong live_bytes;
	atomic_llong live_blocks;
	atomic_llong calls;
	/* Number of the failing call, from 1; 0: none. */
	long long fail_at;
};

void conform_memory_init(struct conform_memory *memory, long long fail_at);
/* Wait for the memory of released objects, which is freed a little later. */
void conform_memory_settle(struct conform_memory *memory);

/* --- expect.c: expected results ------------------------------------------- */

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

/* Return 0, or -1 after a message on stderr. */
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
	bool transport; /* the plugin is one, and has no devices */
	/* Reason of a skip. */
	char reason[512];
	/* Report and output, whole lines. */
	char text[CONFORM_TEXT];
	size_t text_bytes;
};

/* --- graphs.c: graphs of devices, as the logs count them ------------------ */

/* Level up to which the log is printed. */
plait_log_level conform_graphs_log_level(void);
const char *conform_graphs_level_name(plait_log_level level);
/* Hook of the log of a check's contexts; check.c. */
void conform_log(void *c, plait_log_level level, const char *line);
/* Install the hook, unless the check has its own. */
void conform_graphs_listen(struct conform *c, plait_context_desc *desc);
/* In the parent: add the counts of a line of the log; print the sums. */
void conform_graphs_add(const char *line);
void conform_graphs_print(void);

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
/* Run a check in this process, for debuggers; its report goes to stderr. */
__attribute__((noreturn))
void conform_run_here(const struct conform_check *check,
		      const struct conform_options *options);
/* Try to open the backend: PASS, SKIP (it declines) or FAIL. */
void conform_probe(const struct conform_options *options,
		   struct conform_result *out);

#endif
