/* SPDX-License-Identifier: MIT */
/*
 * plait/base.h - versions, status codes, the error record, the allocator and
 * the log hook; included by all other headers.
 *
 * Example:
 *
 *     plait_error error = { .size = sizeof(error) };
 *     plait_context *context;
 *
 *     if (plait_context_open(NULL, &context, &error) != PLAIT_OK) {
 *             fprintf(stderr, "%s: %s\n", plait_status_name(error.status),
 *                     error.text);
 *             exit(1);
 *     }
 *     plait_context_release(context);
 *
 * Rules of the API; the examples of the other headers omit the check of each
 * status and declare no handles.
 *
 * Names.       plait_OBJECT_VERB[_DETAIL]; plait_OBJECT_NOUN gets a property.
 *              `create` and `open` return one reference, `retain` adds one,
 *              `release` gives one back.
 * Handles.     An object is a typed pointer that must not be dereferenced: its
 *              value is a number below 2^53, made of a slot and a generation.
 *              A stale, forged or foreign handle is an error (PLAIT_E_HANDLE),
 *              not a crash.  release(NULL) does nothing.  References may be
 *              given back in any order, on any thread.  An object counts up to
 *              524,287 references; an object that reached this count lives
 *              until the process ends.
 * Descriptors. The first field is `uint32_t size`, the sizeof of the struct in
 *              the caller's headers.  Zero means the default for every field.
 *              A library older than the caller's headers accepts an unknown
 *              field if it is zero.
 * Results.     A function returns a plait_status: 0 is success, positive is
 *              information, negative is an error.  Out parameters precede
 *              `error`; they are cleared first and set on success only.  A
 *              failed call has changed nothing, unless its comment says
 *              otherwise.
 * Errors.      `error` is a record of the caller, may be null, and is written
 *              on failure only.  There is no "last error".
 * Time.        Nanoseconds.  A timeout of 0 polls, PLAIT_FOREVER waits.
 * Strings.     UTF-8 with a NUL.  The library copies the strings it receives
 *              and returns text in a buffer of the caller.
 * Callbacks.   The library calls the caller's functions only on threads that
 *              the caller permitted; see PLAIT_CALL_ANY_THREAD in
 *              plait/device.h, and plait/inbox.h.
 * Process.     The library does not abort, exit, print (unless PLAIT_LOG is
 *              set), install signal handlers or change the locale.  After
 *              fork() every call in the child returns PLAIT_E_FORKED.
 *
 * Scripts read the tags of the comments: `@param name ownership, nullability:
 * text` with ownership one of value, borrowed, copied, owned, consumed;
 * `@thread any` (any thread, at any time), `one` (one thread at a time per
 * object) or `owner` (the inbox's owner).
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

/* Release of these headers; plait_version() returns that of the library. */
enum {
	PLAIT_VERSION_MAJOR = 0,
	PLAIT_VERSION_MINOR = 1,
	PLAIT_VERSION_PATCH = 0,
	PLAIT_ABI = 1
};

/* Timeout that never expires.  No enumerator: those have 31 bits. */
#define PLAIT_FOREVER UINT64_MAX

/* Result of a call. */
typedef int32_t plait_status;
enum {
	PLAIT_OK = 0,
	/* Not complete yet, or no event in the inbox. */
	PLAIT_PENDING = 1,
	/* The wait ended early: the inbox of this thread has an event. */
	PLAIT_EVENT_READY = 2,

	/* An argument is out of range, contradicts another one, or is a null
	 * pointer that is no handle. */
	PLAIT_E_INVALID = -1,
	/* A handle is null, stale, forged, or of another type or context. */
	PLAIT_E_HANDLE = -2,
	/* Host memory, device memory or a device's budget is exhausted. */
	PLAIT_E_NOMEM = -3,
	/* Valid, but not supported by this library or backend. */
	PLAIT_E_UNSUPPORTED = -4,
	/* A requested backend, driver, device or file does not exist. */
	PLAIT_E_UNAVAILABLE = -5,
	/* The state of the object does not permit the call. */
	PLAIT_E_STATE = -6,
	/* Possible later: a limit is reached, or the object is in use. */
	PLAIT_E_BUSY = -7,
	/* The timeout has expired. */
	PLAIT_E_TIMEOUT = -8,
	/* Cancelled before completion. */
	PLAIT_E_CANCELLED = -9,
	/* A host function or kernel failed; error->origin is its value. */
	PLAIT_E_FAILED = -10,
	/* The device is lost; its objects can be released and nothing else. */
	PLAIT_E_LOST = -11,
	/* Not the owner thread of the inbox; the text names both threads. */
	PLAIT_E_THREAD = -12,
	/* The wait could never end. */
	PLAIT_E_DEADLOCK = -13,
	/* The library was initialised in the parent of this process. */
	PLAIT_E_FORKED = -14,
	/* A broken invariant of a plugin or of the library: a bug to report. */
	PLAIT_E_INTERNAL = -15
};

enum { PLAIT_ERROR_TEXT_BYTES = 232 };

/*
 * Error record of the caller (256 bytes).  Set `size` before the first use; a
 * zeroed record with size 0 counts as full size.
 */
typedef struct plait_error {
	uint32_t size;
	plait_status status;
	/* The raw cause: an errno, a driver's code, a function's result. */
	int64_t origin;
	/* Key for plait_error_detail(); 0: `text` is all. */
	uint64_t detail;
	/* One line: what failed, where, and the remedy if there is one. */
	char text[PLAIT_ERROR_TEXT_BYTES];
} plait_error;

/*
 * plait_allocator - source of the library's own memory.
 *
 * `resize` allocates (pointer null), resizes, or frees (new_bytes 0; the
 * result is ignored).  Memory is aligned for any C type.  Any thread may call
 * `resize`.  A null result means no memory; the library reports
 * PLAIT_E_NOMEM.
 */
typedef struct plait_allocator {
	uint32_t size;
	uint32_t flags;
	void *(*resize)(void *user_data, void *pointer, uint64_t old_bytes,
			uint64_t new_bytes);
	void *user_data;
} plait_allocator;

/* Log level: messages up to the selected level are logged. */
typedef int32_t plait_log_level;
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
 * The library calls it on the thread that logs, worker threads included; it
 * must not call the library.
 */
typedef void (*plait_log_hook)(void *user_data, plait_log_level level,
			       const char *line);

/*
 * plait_version - get the release of the library, such as "0.1.0".
 *
 * @return a string that lives as long as the library
 * @thread any
 * @since 1
 */
PLAIT_API const char *plait_version(void);

/*
 * plait_abi - get the binary interface of the library; this header has
 * PLAIT_ABI.
 *
 * A library of ABI n serves every program compiled for ABI 1 to n.
 *
 * @return the number
 * @thread any
 * @since 1
 */
PLAIT_API uint32_t plait_abi(void);

/*
 * plait_status_name - get the name of a status, such as "PLAIT_E_NOMEM".
 *
 * @param status value: any number
 * @return a string that lives as long as the library; never null
 * @thread any
 * @since 1
 */
PLAIT_API const char *plait_status_name(plait_status status);

/*
 * plait_sizeof - get the size of a public struct in this library.
 *
 * Language bindings compare it with the size of their own declaration.
 *
 * @param name borrowed, non-null: a struct's name, such as "plait_error"
 * @return the size in bytes, 0 for an unknown name
 * @thread any
 * @since 1
 */
PLAIT_API uint64_t plait_sizeof(const char *name);

/*
 * plait_error_detail - get the long text of an error.
 *
 * Build logs and lists of paths do not fit in one line.  The process keeps
 * them for the last 64 errors that had one.
 *
 * @param detail         value: plait_error.detail
 * @param buffer         borrowed, nullable: receives the text and a NUL
 * @param capacity_bytes value: the size of `buffer`; the text is cut to fit
 * @param out_bytes      borrowed, nullable: size of the whole text with its NUL
 * @return PLAIT_OK, PLAIT_E_HANDLE (no such text, or not any more)
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_error_detail(uint64_t detail, char *buffer,
					  uint64_t capacity_bytes,
					  uint64_t *out_bytes);

/* Kind of an object; see plait_live_count. */
typedef int32_t plait_object_kind;
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
	PLAIT_OBJECT_CALLABLE = 11,
	PLAIT_OBJECT_SCHEDULE = 12,
	PLAIT_OBJECT_COLL = 13,
	PLAIT_OBJECT_FLOW = 14,
	PLAIT_OBJECT_DATA = 15,
	PLAIT_OBJECT_WORLD = 16,
	PLAIT_OBJECT_COLLECTIVE = 17
};

/*
 * plait_live_count - count the live objects of a kind in this process.
 *
 * The count is 0 when all contexts have ended (plait_context_close waits for
 * that): a leak check for any language.  The call visits as many handles as
 * ever existed at one time.
 *
 * @param object value: the kind
 * @return the number of live objects, 0 for an unknown kind
 * @thread any
 * @since 1
 */
PLAIT_API uint64_t plait_live_count(plait_object_kind object);

#ifdef __cplusplus
}
#endif

#endif
