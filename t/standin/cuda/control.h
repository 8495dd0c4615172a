/* SPDX-License-Identifier: MIT */
/*
 * Controls that tests have over the stand-in for libcuda.so.1, beyond the
 * functions of a driver.  Found by dlsym.  The same by environment:
 * STANDIN_CUDA=OPTIONS.
 */
#ifndef STANDIN_CONTROL_H
#define STANDIN_CONTROL_H

#include <stdint.h>

enum standin_kind {
	STANDIN_CONTEXT,
	STANDIN_STREAM,
	STANDIN_EVENT,
	STANDIN_MODULE_KIND,
	STANDIN_DEVICE_MEMORY,
	STANDIN_HOST_MEMORY,
	STANDIN_REGISTERED,
	STANDIN_GRAPH,
	STANDIN_NODE,
	STANDIN_EXEC,
	STANDIN_ARRAY,
	STANDIN_TEXTURE,
	STANDIN_SURFACE,
	STANDIN_KINDS
};

/* Options as in the README, over the defaults; resets the counters.  To be
 * called while no context exists. */
typedef void standin_configure_function(const char *options);
/* Objects of a kind that exist now; those that a context took with it when
 * it went are `standin_leaked`. */
typedef uint64_t standin_live_function(unsigned kind);
typedef uint64_t standin_leaked_function(unsigned kind);
/* The number of calls of a function; null: of all. */
typedef uint64_t standin_calls_function(const char *name);
/* The call `number` from here on, counted from 1, of a function (null: of
 * any) gives `code` and does nothing. */
typedef void standin_fail_function(const char *name, uint64_t number,
				   int code);
/* The kernel `number` that runs from here on, counted from 1, fails its
 * context with `code`. */
typedef void standin_fault_function(uint64_t number, int code);
/* Launches of executable graphs that had to wait for themselves. */
typedef uint64_t standin_overlaps_function(void);
/* Iterations of loops in which the condition was not set. */
typedef uint64_t standin_undecided_function(void);
/* The last function that was made to fail and did, or null. */
typedef const char *standin_failed_function(void);
/* The first function that rejected misuse, as a driver has to: an invalid
 * handle, a value out of range, a call without a context; or null. */
typedef const char *standin_misused_function(void);

/* Told of each call of the driver, on its thread and outside the stand-in's
 * lock, and of callbacks and host functions.  A library of the process defines
 * one as `standin_recorder_hooks`: recorder.c. */
struct standin_recorder {
	void (*call)(const char *name);
	void (*begin_callback)(void);
	void (*end_callback)(void);
};
/* Run the callbacks that the option `mute` has held back; returns their
 * number. */
typedef uint64_t standin_speak_function(void);

#endif
