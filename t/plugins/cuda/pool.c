/* SPDX-License-Identifier: MIT */
/*
 * The memory pool of the CUDA backend, on the stand-in for its driver: released
 * memory is reused, within a budget, and returns to the driver when the driver
 * has no more and when the context closes.
 */
#include <stdio.h>
#include <string.h>

#include "lib/runs.h"

#include "standin/cuda/place.h"

enum { KIB = 1024 };

static plait_status open_with(const char *standin, const char *more)
{
	static char options[1400];
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "cuda", .options = options,
		.flags = PLAIT_CONTEXT_NO_WORKERS, .allocator = &counting,
	};

	standin_prepare(standin);
	(void)snprintf(options, sizeof(options), "cuda:driver=%s%s",
		       standin_path, more);
	memset(&rig, 0, sizeof(rig));
	rig.error.size = sizeof(rig.error);
	return plait_context_open(&desc, &rig.context, &rig.error);
}

static bool open_pool(const char *standin, const char *more)
{
	return OK_THAT(open_with(standin, more) == PLAIT_OK, "%s",
		       rig.error.text) &&
	       OK(plait_context_device(rig.context, 0, &rig.device,
				       &rig.error) == PLAIT_OK) &&
	       OK(plait_queue_create(rig.device, NULL, &rig.queue,
				     &rig.error) == PLAIT_OK);
}

static void close_pool(void)
{
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	OK(all_gone());
	standin_is_clean();
}

static plait_buffer *buffer(uint64_t bytes)
{
	return make_buffer(&rig, bytes, "pooled");
}

/* Create and release a buffer. */
static void use(uint64_t bytes)
{
	plait_buffer_release(buffer(bytes));
}

static uint64_t asked(void)
{
	return rig_calls("cuMemAlloc");
}

/* A size is allocated once; sizes that round to the same value share it. */
static void again(void)
{
	static const uint64_t sizes[] = { 0, 1, 255, 256, 257, 1000, 4096,
					  100000, 1 << 20, 5000000 };
	uint64_t before;

	if (!open_pool("", ""))
		return;
	for (size_t i = 0; i < TAP_COUNT(sizes); i++)
		use(sizes[i]);
	before = asked();
	for (int turn = 0; turn < 3; turn++)
		for (size_t i = 0; i < TAP_COUNT(sizes); i++)
			use(sizes[i]);
	IS_UINT(asked() - before, 0);
	IS_UINT(rig_calls("cuMemFree"), 0);
	close_pool();
}

/* Each buffer has the requested size and overlaps no other. */
static void whole(void)
{
	enum { COUNT = 300 };
	static plait_buffer *buffers[COUNT];
	uint32_t random = (uint32_t)tap_seed(), word;
	uint64_t bytes[COUNT];

	if (!open_pool("", ""))
		return;
	for (uint32_t turn = 0; turn < 3; turn++) {
		for (uint32_t i = 0; i < COUNT; i++) {
			random = random * 1664525u + 1013904223u;
			bytes[i] = 4 + (random >> 8) % (1u << random / 7 % 20);
			buffers[i] = buffer(bytes[i]);
			OK(plait_queue_fill(rig.queue, buffers[i], 0, bytes[i],
					    turn + i, 4, &rig.error) ==
			   PLAIT_OK);
		}
		for (uint32_t i = 0; i < COUNT; i++) {
			OK(plait_queue_read(rig.queue, buffers[i],
					    (bytes[i] - 4) / 4 * 4, &word, 4,
					    &rig.error) == PLAIT_OK);
			OK(plait_queue_finish(rig.queue, PLAIT_FOREVER,
					      &rig.error) == PLAIT_OK);
			IS_UINT(word, turn + i);
			plait_buffer_release(buffers[i]);
		}
	}
	close_pool();
}

static void budget(void)
{
	if (!open_pool("", ",pool=64K"))
		return;
	use(32 * KIB);
	use(32 * KIB);
	use(16 * KIB);
	use(16 * KIB);
	IS_UINT(asked(), 2);
	IS_UINT(rig_calls("cuMemFree"), 0);
	/* Over the budget: the kept memory is freed. */
	use(24 * KIB);
	IS_UINT(rig_calls("cuMemFree"), 2);
	use(24 * KIB);
	IS_UINT(asked(), 3);
	/* Larger than the budget: not kept. */
	use(65 * KIB);
	use(65 * KIB);
	IS_UINT(asked(), 5);
	IS_UINT(rig_calls("cuMemFree"), 4);
	close_pool();
	if (!open_pool("", ",pool=0"))
		return;
	use(1);
	use(1);
	IS_UINT(asked(), 2);
	IS_UINT(rig_calls("cuMemFree"), 2);
	close_pool();
}

/* Kept memory does not reduce what can be allocated. */
static void all_of_it(void)
{
	plait_buffer *one, *other;

	if (!open_pool("memory=1000000", ""))
		return;
	use(400000);
	use(100);
	one = buffer(900000);
	IS_UINT(rig_calls("cuMemFree"), 2);
	OK(plait_buffer_create(rig.device,
			       &(plait_buffer_desc){
				       .size = sizeof(plait_buffer_desc),
				       .bytes = 200000 },
			       &other, &rig.error) == PLAIT_E_NOMEM);
	plait_buffer_release(one);
	close_pool();
}

/* Queues read and write through pinned memory of two sizes. */
static void pinned(void)
{
	static char words[100 * KIB];
	plait_buffer *x;

	if (!open_pool("", ""))
		return;
	x = buffer(sizeof(words));
	for (int i = 0; i < 20; i++) {
		plait_queue *queue = NULL;

		OK(plait_queue_create(rig.device, NULL, &queue, &rig.error) ==
		   PLAIT_OK);
		OK(plait_queue_write(queue, x, 0, words,
				     i % 2 ? 1 : sizeof(words), &rig.error) ==
		   PLAIT_OK);
		OK(plait_queue_finish(queue, PLAIT_FOREVER, &rig.error) ==
		   PLAIT_OK);
		plait_queue_release(queue);
	}
	/* A queue may be destroyed shortly after its last release. */
	OK(rig_calls("cuMemHostAlloc") < 20);
	plait_buffer_release(x);
	close_pool();
}

/* An invalid budget. */
static void refused(void)
{
	OK(open_with("", ",pool=much") != PLAIT_OK);
	HAS_STR(rig.error.text, "pool=much");
}

static const struct tap_scenario all[] = {
	{ "again", again },
	{ "whole", whole },
	{ "budget", budget },
	{ "all of it", all_of_it },
	{ "pinned", pinned },
	{ "refused", refused },
};
TAP_MAIN(all)
