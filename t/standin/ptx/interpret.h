/* SPDX-License-Identifier: MIT */
/* Rig for tests of the interpreter: a module from a text, a launch on memory of
 * the test. */
#ifndef PTX_INTERPRET_H
#define PTX_INTERPRET_H

#include <stdio.h>
#include <string.h>

#include "lib/tap.h"
#include "ptx.h"

#define INTERPRET_HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

enum { INTERPRET_WORDS = 512 };

/* The memory that kernels may access, and no more. */
static uint64_t interpret_memory[INTERPRET_WORDS];
static char interpret_message[PTX_MESSAGE_BYTES];
static uint64_t interpret_handle;
static unsigned interpret_value;

static inline bool interpret_find(void *user, uint64_t address,
				  uint64_t *begin, uint64_t *end)
{
	(void)user;
	*begin = (uintptr_t)interpret_memory;
	*end = *begin + sizeof(interpret_memory);
	return address >= *begin && address < *end;
}

static inline int interpret_set(void *user, unsigned long long handle,
				unsigned value)
{
	(void)user;
	interpret_handle = handle;
	interpret_value = value;
	return 0;
}

/* The only texture is 77: numbers from the coordinates.  The only surface is 78,
 * rows of 16 bytes in the second half of the memory. */
static inline int interpret_texture(unsigned long long handle, float x, float y,
				    float out[4])
{
	for (int i = 0; i < 4; i++)
		out[i] = 100 * (float)(i + 1) + 10 * x + y;
	return handle == 77 ? 0 : PTX_BAD_ADDRESS;
}

static inline int interpret_store(unsigned long long handle, const void *data,
				  unsigned bytes, int x, int y)
{
	char *half = (char *)&interpret_memory[INTERPRET_WORDS / 2];

	if (handle != 78 || x < 0 || y < 0 || x + (int)bytes > 16 || y > 15)
		return PTX_BAD_ADDRESS;
	memcpy(half + 16 * y + x, data, bytes);
	return 0;
}

/* Run the kernel k(memory); returns the result, or -1 if the text is refused. */
static inline int interpret_run(const char *text, unsigned blocks,
				unsigned threads, uint64_t seed)
{
	struct ptx_module *module = ptx_parse(text, interpret_message);
	void *memory = interpret_memory;
	void *arguments[] = { &memory };
	struct ptx_launch launch = {
		.grid = { blocks, 1, 1 }, .block = { threads, 1, 1 },
		.shared_bytes = 64, .arguments = arguments, .seed = seed,
		.most_steps = 1 << 20, .find = interpret_find,
		.set_condition = interpret_set,
		.texture = interpret_texture, .store = interpret_store
	};
	int result;

	if (module == NULL)
		return -1;
	result = (int)ptx_launch(module, ptx_kernel_named(module, "k"), &launch,
				 interpret_message);
	ptx_release(module);
	return result;
}

#endif
