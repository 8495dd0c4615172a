/* SPDX-License-Identifier: MIT */
/* Local memory of host code; see local_block.h. */
#include "kernel/local_block.h"

#include "sys/thread_block.h"

#include <string.h>

/* Followed by the arguments, an address for each parameter, and the memory. */
struct plait__local_block {
	void **arguments;
	void **addresses;
};

/* Round up to whole cache lines, so that any element is aligned; saturates. */
static uint64_t round_up(uint64_t bytes)
{
	const uint64_t mask = PLAIT__THREAD_BLOCK_ALIGNMENT - 1;

	return bytes > UINT64_MAX - mask ? UINT64_MAX : (bytes + mask) & ~mask;
}

static uint64_t bytes_of(const plait__signature *signature, uint32_t i,
			 void *const *arguments)
{
	uint64_t bytes = 0;

	if (signature->parameters[i].type == PLAIT__TYPE_LOCAL)
		memcpy(&bytes, arguments[i], sizeof(bytes));
	return round_up(bytes);
}

static uint64_t head_bytes(const plait__signature *signature)
{
	return round_up(sizeof(plait__local_block) +
			2 * signature->count * sizeof(void *));
}

static uint64_t count_bytes(const plait__signature *signature,
			    void *const *arguments)
{
	uint64_t total = head_bytes(signature);

	for (uint32_t i = 0; i < signature->count; i++)
		if (__builtin_add_overflow(total,
					   bytes_of(signature, i, arguments),
					   &total))
			return UINT64_MAX;
	return total;
}

plait_status plait__local_block_enter(const plait__signature *signature,
				      void *const *arguments,
				      plait__local_block **out)
{
	plait__local_block *self = plait__thread_block_take(
		count_bytes(signature, arguments));
	char *memory;

	*out = self;
	if (self == NULL)
		return PLAIT_E_NOMEM;
	memory = (char *)self + head_bytes(signature);
	self->arguments = (void **)(self + 1);
	self->addresses = self->arguments + signature->count;
	for (uint32_t i = 0; i < signature->count; i++) {
		bool is_local =
			signature->parameters[i].type == PLAIT__TYPE_LOCAL;

		self->addresses[i] = memory;
		self->arguments[i] = is_local ? &self->addresses[i] :
						arguments[i];
		memory += bytes_of(signature, i, arguments);
	}
	return PLAIT_OK;
}

void plait__local_block_leave(plait__local_block *self)
{
	plait__thread_block_give(self);
}

void *const *plait__local_block_arguments(const plait__local_block *self)
{
	return self->arguments;
}
