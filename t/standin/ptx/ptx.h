/* SPDX-License-Identifier: MIT */
/*
 * An interpreter of PTX, for tests: modules as NVRTC makes them, launches of
 * their kernels on the host.  Threads of several blocks take turns, chosen by a
 * seed; each address is checked.  A module is not changed by launches, except
 * for its variables, so several threads may launch its kernels.
 */
#ifndef PTX_H
#define PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PTX_MESSAGE_BYTES = 512 };

struct ptx_module;

struct ptx_kernel {
	const char *name;
	const size_t *sizes; /* of the parameters */
	unsigned count;
	unsigned most_threads; /* of a block; 0: no limit */
	unsigned shared_bytes, local_bytes;
	const void *function;
};

/* Results of a launch, with the numbers of the driver's errors. */
enum ptx_result {
	PTX_DONE = 0,
	PTX_BAD_ADDRESS = 700,
	PTX_STEPS = 702, /* the limit of steps */
	PTX_TRAPPED = 715,
	PTX_MISALIGNED = 716,
	PTX_FAILED = 719, /* races, barriers that cannot be passed */
};

struct ptx_launch {
	unsigned grid[3], block[3];
	unsigned shared_bytes; /* beyond those of the kernel */
	void **arguments;
	uint64_t seed;
	uint64_t most_steps; /* of all threads together; 0: 2^32 */
	void *user;
	/* Find the allocation with an address in it; returns false if there is
	 * none. */
	bool (*find)(void *user, uint64_t address, uint64_t *begin,
		     uint64_t *end);
	/* Returns 0, or the result of the launch. */
	int (*set_condition)(void *user, unsigned long long handle,
			     unsigned value);
	/* In nanoseconds; null: steps. */
	unsigned long long (*timer)(void);
	/* Read a pixel by coordinates; store `bytes` at a byte of a row; null:
	 * there are no textures and surfaces.  Return 0, or the result. */
	int (*texture)(unsigned long long handle, float x, float y,
		       float out[4]);
	int (*store)(unsigned long long handle, const void *data,
		     unsigned bytes, int x, int y);
};

/* Returns null with the reason in `message`, of PTX_MESSAGE_BYTES. */
struct ptx_module *ptx_parse(const char *text, char *message);
void ptx_release(struct ptx_module *module);
unsigned ptx_kernel_count(const struct ptx_module *module);
const struct ptx_kernel *ptx_kernel_at(const struct ptx_module *module,
				       unsigned index);
/* The kernel of that name, or null. */
const struct ptx_kernel *ptx_kernel_named(const struct ptx_module *module,
					  const char *name);
/* The number behind .target sm_. */
unsigned ptx_target(const struct ptx_module *module);
/* Returns true if a kernel may set the condition of a graph. */
bool ptx_sets_conditions(const struct ptx_module *module);
/* A .global or .const variable, or null. */
void *ptx_variable(const struct ptx_module *module, const char *name,
		   size_t *bytes);

/* Run all blocks.  A failure is described in `message`, of
 * PTX_MESSAGE_BYTES. */
enum ptx_result ptx_launch(const struct ptx_module *module,
			   const struct ptx_kernel *kernel,
			   const struct ptx_launch *launch, char *message);

#endif
