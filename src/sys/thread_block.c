/* SPDX-License-Identifier: MIT */
/* Blocks of a thread; see thread_block.h. */
#include "sys/thread_block.h"

#include "sys/thread.h"
#include "base/alloc.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>

enum { LEAST_BYTES = 4096 };

/* Header in front of a block, in the list of its thread. */
struct block {
	alignas(PLAIT__THREAD_BLOCK_ALIGNMENT) struct block *next;
	void *memory; /* of the allocator */
	uint64_t memory_bytes;
	uint64_t bytes; /* behind the header */
	bool taken;
};

/* The list and the key whose destructor frees it.  The key is never deleted:
 * threads with blocks may outlive every context. */
static PLAIT__THREAD_LOCAL struct block *own;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int key_error;

static void free_block(struct block *block)
{
	plait__free(plait__alloc_default(), block->memory,
		    block->memory_bytes);
}

static void free_list(void *value)
{
	struct block *block = own, *next;

	(void)value;
	own = NULL;
	for (; block != NULL; block = next) {
		next = block->next;
		free_block(block);
	}
}

static void create_key(void)
{
	key_error = pthread_key_create(&key, free_list);
}

/* Have the end of this thread free the list. */
static bool arm(void)
{
	(void)pthread_once(&key_once, create_key);
	return key_error == 0 && pthread_setspecific(key, &own) == 0;
}

/* Returns a size that few others follow: a power of two. */
static uint64_t round_up(uint64_t bytes)
{
	uint64_t rounded = LEAST_BYTES;

	while (rounded < bytes)
		rounded *= 2;
	return rounded;
}

static struct block *add_block(uint64_t bytes)
{
	const uint64_t mask = PLAIT__THREAD_BLOCK_ALIGNMENT - 1;
	uint64_t rounded = round_up(bytes);
	uint64_t total = rounded + sizeof(struct block) + mask;
	char *memory = plait__alloc(plait__alloc_default(), total);
	struct block *block;

	if (memory == NULL)
		return NULL;
	block = (struct block *)(void *)(memory + (-(uintptr_t)memory & mask));
	*block = (struct block){ .next = own, .memory = memory,
				 .memory_bytes = total, .bytes = rounded };
	own = block;
	return block;
}

/* Free the first block that is not taken: a larger one replaces it. */
static void drop_one(void)
{
	struct block **link = &own, *gone;

	while (*link != NULL && (*link)->taken)
		link = &(*link)->next;
	gone = *link;
	if (gone == NULL)
		return;
	*link = gone->next;
	free_block(gone);
}

void *plait__thread_block_take(uint64_t bytes)
{
	struct block *block = own;

	if (bytes > UINT64_MAX / 4)
		return NULL;
	while (block != NULL && (block->taken || block->bytes < bytes))
		block = block->next;
	if (block == NULL) {
		drop_one();
		block = arm() ? add_block(bytes) : NULL;
	}
	if (block == NULL)
		return NULL;
	block->taken = true;
	return block + 1;
}

void plait__thread_block_give(void *block)
{
	((struct block *)block - 1)->taken = false;
}
