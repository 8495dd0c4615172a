/* SPDX-License-Identifier: MIT */
/*
 * plait/base.h - what every other header stands on: versions, status codes,
 * the error record, the allocator and the log hook.
 *
 * The rules of the whole API
 *
 * Names.       plait_<object>_<verb>.  `create` and `open` give you one
 *              reference, `retain` adds one, `release` gives one back.
 * Handles.     Every object is a typed pointer that nobody may dereference:
 *              its value is a number below 2^53 that names a slot and a
 *              generation.  A stale, forged or foreign handle is an error
 *              (PLAIT_E_HANDLE), not a crash.  release(NULL) does nothing.
 *              References may be given back in any order, from any thread.
 *              An object counts up to 524,287 of them; one that ever had so
 *              many lives until the process ends.
 * Descriptors. Start with `uint32_t size` = sizeof the struct you compiled
 *              with.  Zero means "the default" for every field.  A library
 *              that is older than your header accepts a field that it does
 *              not know as long as it is zero.
 * Results.     A function returns a plait_status: 0 is success, positive is
 *              information, negative is an error.  Out-parameters come last
 *              but for `error`; they are cleared first and set on success
 *              only.  A call that failed has changed nothing.
 * Errors.      `error` is a record of yours, may be null, and is written on
 *              failure only.  There is no "last error".
 * Time.        Nanoseconds.  A timeout of 0 polls, PLAIT_FOREVER waits.
 * Strings.     UTF-8 with a NUL.  Strings that go in are copied.  Strings
 *              that come out are copied into your buffer.
 * Callbacks.   The library never enters your code on a thread that you did
 *              not offer for it; see plait/device.h on host functions and
 *              inboxes.
 * Process.     Nothing here aborts, exits, prints (unless PLAIT_LOG asks),
 *              installs a signal handler, or touches the locale.  After
 *              fork() the child gets PLAIT_E_FORKED from every call.
 *
 * The tags in the comments are read by scripts: `@param name ownership,
 * nullability: text` with ownership one of value, borrowed, copied, owned,
 * consumed; `@thread any` (any thread, at any time), `one` (one thread at a
 * time per object) or `owner` (the inbox's owner).
 */
#ifndef PLAIT_BASE_H
#define PLAIT_BASE_H

#include <stdint.h>

#if defined(__GNUC__)
#define PLAIT_API __attribute__((visibility("default")))
#else
#define PLAIT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The release of these headers; plait_version() is that of the library. */
enum {
	PLAIT_VERSION_MAJOR = 0,
	PLAIT_VERSION_MINOR = 1,
	PLAIT_VERSION_PATCH = 0,
	PLAIT_ABI = 1
};

/* Wait without end.  (Not an enumerator: those are 31 bits.) */
#define PLAIT_FOREVER UINT64_MAX

/* What a call answers.  Each comment says when it is this one. */
typedef int32_t plait_status;
enum {
	PLAIT_OK = 0,
	/* Nothing to report yet: not done, nothing waiting. */
	PLAIT_PENDING = 1,
	/* A wait was cut short: this thread's inbox has something to serve. */
	PLAIT_EVENT_READY = 2,

	/* An argument is out of range, contradicts another one, or is null
	 * and no handle. */
	PLAIT_E_INVALID = -1,
	/* A handle that is null, stale, forged, of another type or context. */
	PLAIT_E_HANDLE = -2,
	/* Memory of the host or a device's budget is exhausted. */
	PLAIT_E_NOMEM = -3,
	/* Understood, but this library or backend does not do it. */
	PLAIT_E_UNSUPPORTED = -4,
	/* A backend, driver, device or file that was asked for is not there. */
	PLAIT_E_UNAVAILABLE = -5,
	/* The object is in a state in which this is not possible. */
	PLAIT_E_STATE = -6,
	/* Possible later: a limit is reached or the object is in use. */
	PLAIT_E_BUSY = -7,
	/* The time given has passed. */
	PLAIT_E_TIMEOUT = -8,
	/* Cancelled before it could finish. */
	PLAIT_E_CANCELLED = -9,
	/* Your function or a kernel failed; error->origin is its value. */
	PLAIT_E_FAILED = -10,
	/* The device is gone; only release still works on what lives there. */
	PLAIT_E_LOST = -11,
	/* Only the owner thread may do this; the text names both threads. */
	PLAIT_E_THREAD = -12,
	/* Waiting here could never end. */
	PLAIT_E_DEADLOCK = -13,
	/* The library was initialised in the parent of this process. */
	PLAIT_E_FORKED = -14,
	/* A promise was broken, by a plugin or by plait: please report it. */
	PLAIT_E_INTERNAL = -15
};

enum { PLAIT_ERROR_TEXT_BYTES = 232 };

/*
 * What went wrong, in a record that the caller owns (256 bytes).  Set `size`
 * before the first use; a zeroed record with size 0 is taken as full size.
 */
typedef struct plait_error {
	uint32_t size;
	plait_status status;
	/* The raw value behind it: an errno, a driver's code, your return. */
	int64_t origin;
	/* A number for plait_error_detail(), 0 if there is no longer text. */
	uint64_t detail;
	/* One line: what, where and, where it helps, what to do. */
	char text[PLAIT_ERROR_TEXT_BYTES];
} plait_error;

/*
 * plait_allocator - where the library takes its own memory from.
 *
 * `resize` allocates (pointer null), resizes, or frees (new_bytes 0; its
 * result is ignored).  Memory is aligned for any C type.  It may be called
 * from any thread.  It returns null when there is no memory, which the
 * library then reports as PLAIT_E_NOMEM.
 */
typedef struct plait_allocator {
	uint32_t size;
	uint32_t flags;
	void *(*resize)(void *user_data, void *pointer, uint64_t old_bytes,
			uint64_t new_bytes);
	void *user_data;
} plait_allocator;

/* How much is logged: everything up to the level chosen. */
enum {
	PLAIT_LOG_DEFAULT = 0,
	PLAIT_LOG_NONE = 1,
	PLAIT_LOG_ERROR = 2,
	PLAIT_LOG_WARNING = 3,
	PLAIT_LOG_INFO = 4,
	PLAIT_LOG_DEBUG = 5
};

/*
 * plait_log_hook - receives one line of the log, without a newline.
 *
 * Called on whatever thread has something to say, worker threads included;
 * it must not call back into the library.
 */
typedef void (*plait_log_hook)(void *user_data, int32_t level,
			       const char *line);

/*
 * plait_version - the release of the library, such as "0.1.0".
 *
 * @return a string that lives as long as the library
 * @thread any
 * @since 1
 */
PLAIT_API const char *plait_version(void);

/*
 * plait_abi - the number of the binary interface; this header is PLAIT_ABI.
 *
 * A library of ABI n serves every program compiled for ABI 1 to n.
 *
 * @return the number
 * @thread any
 * @since 1
 */
PLAIT_API uint32_t plait_abi(void);

/*
 * plait_status_name - the name of a status, such as "PLAIT_E_NOMEM".
 *
 * @param status value: any number
 * @return a string that lives as long as the library; never null
 * @thread any
 * @since 1
 */
PLAIT_API const char *plait_status_name(plait_status status);

/*
 * plait_sizeof - the size of a public struct in this library.
 *
 * The first thing that a language binding should compare with its own.
 *
 * @param name borrowed, non-null: a struct's name, such as "plait_error"
 * @return the size in bytes, or 0 for a name that is not known
 * @thread any
 * @since 1
 */
PLAIT_API uint64_t plait_sizeof(const char *name);

/*
 * plait_error_detail - the long text behind an error.
 *
 * Build logs and lists of paths do not fit one line.  They are kept for the
 * last 64 errors that had one, process-wide.
 *
 * @param detail         value: plait_error.detail
 * @param buffer         borrowed, nullable: receives the text and a NUL
 * @param capacity_bytes value: the size of `buffer`; the text is cut to fit
 * @param out_bytes      borrowed, nullable: what the whole text and its NUL
 *                       need
 * @return PLAIT_OK, PLAIT_E_HANDLE (no such text, or no longer)
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_error_detail(uint64_t detail, char *buffer,
					  uint64_t capacity_bytes,
					  uint64_t *out_bytes);

/* What plait_live_count counts. */
enum {
	PLAIT_OBJECT_ANY = 0,
	PLAIT_OBJECT_CONTEXT = 1,
	PLAIT_OBJECT_DEVICE = 2,
	PLAIT_OBJECT_QUEUE = 3,
	PLAIT_OBJECT_SIGNAL = 4,
	PLAIT_OBJECT_BUFFER = 5,
	PLAIT_OBJECT_INBOX = 6,
	PLAIT_OBJECT_KERNEL = 7,
	PLAIT_OBJECT_GRAPH = 8,
	PLAIT_OBJECT_PLAN = 9,
	PLAIT_OBJECT_RUN = 10,
	PLAIT_OBJECT_CALLABLE = 11
};

/*
 * plait_live_count - how many objects of a kind are alive in this process.
 *
 * Zero after everything was released; a test for leaks in any language.  It
 * looks at as many handles as there ever were at a time.
 *
 * @param object value: one of PLAIT_OBJECT_...
 * @return the number of live objects, 0 for a kind that does not exist
 * @thread any
 * @since 1
 */
PLAIT_API uint64_t plait_live_count(int32_t object);

#ifdef __cplusplus
}
#endif

#endif
