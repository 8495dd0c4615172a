/* SPDX-License-Identifier: MIT */
/*
 * Modules of the stand-in: host code that looks like a device's.  The stand-in
 * compiler writes one, the stand-in driver runs it; C and C++.
 */
#ifndef STANDIN_DEVICE_H
#define STANDIN_DEVICE_H

#include <stddef.h>

struct standin_kernel {
	const char *name;
	/* One thread, at its place in the grid. */
	void (*thread)(void **arguments);
	const size_t *sizes; /* of the arguments */
	unsigned count;
	unsigned most_threads; /* of a block; 0: the device's limit */
	const void *ptx; /* of a kernel of real PTX, or null */
};

struct standin_index {
	unsigned x, y, z;
};

/* The place of a kernel's running thread. */
struct standin_place {
	struct standin_index thread, block, block_size, grid_size;
};

/* Services for kernels, by the code that runs them. */
struct standin_host {
	struct standin_place *(*place)(void);
	void (*barrier)(void);
	void *(*shared)(void); /* the memory that the launch asked for */
	/* Does not return. */
	void (*trap)(int code);
	void (*set_condition)(unsigned long long handle, unsigned value);
	unsigned long long (*timer)(void); /* of the device, in ns */
	void (*texture)(unsigned long long handle, float x, float y,
			float out[4]);
	void (*store)(unsigned long long handle, const void *data,
		      unsigned bytes, int x, int y);
};

struct standin_module {
	unsigned arch; /* 90: for sm_90 */
	unsigned driver; /* the oldest that has all functions, or 0 */
	unsigned count;
	const struct standin_kernel *kernels;
	/* Filled in by the loader. */
	const struct standin_host **host;
};

/* The symbol of it in a module. */
#define STANDIN_MODULE "standin_module_table"

/* One launch. */
struct standin_launch {
	const struct standin_kernel *kernel;
	void **arguments;
	unsigned grid[3], block[3];
	unsigned shared_bytes;
	unsigned backwards; /* threads of a block begin with the last */
	/* For set_condition; returns 0, or the error that fails the context. */
	void *driver;
	int (*set_condition)(void *driver, unsigned long long handle,
			     unsigned value);
	unsigned long long (*timer)(void);
	/* Likewise. */
	int (*texture)(unsigned long long handle, float x, float y,
		       float out[4]);
	int (*store)(unsigned long long handle, const void *data,
		     unsigned bytes, int x, int y);
};

#ifndef __cplusplus
extern const struct standin_host standin_grid_host;

/* All blocks, one after the other; returns 0, or the error that fails the
 * context. */
int standin_run_grid(const struct standin_launch *launch);
#endif

#endif
