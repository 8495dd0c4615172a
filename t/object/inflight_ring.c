/* SPDX-License-Identifier: MIT */
/*
 * The in-flight ring of a queue: it has room for as much as the queue ever had
 * in flight, and needs memory only when that grows.  A gate, not timing, sets
 * how much is in flight.
 */
#include "lib/objects.h"
#include "lib/unwrapped.h"

enum {
	DEEP = 12000,
	/* The position of a round in a segment of the queue depends on the last
	 * round. */
	SEGMENT = 4096,
	ROUNDS = 4
};

static uint64_t allocations;

static void *count_resize(void *user_data, void *pointer, uint64_t old_bytes,
			  uint64_t new_bytes)
{
	if (new_bytes != 0)
		__atomic_add_fetch(&allocations, 1, __ATOMIC_SEQ_CST);
	return count_block(user_data, pointer, old_bytes, new_bytes);
}

static bool open_counted(struct rig *rig, uint32_t workers)
{
	const plait_allocator allocator = { .size = sizeof(allocator),
					    .resize = count_resize };
	const plait_context_desc desc = {
		.size = sizeof(desc), .backends = "host",
		.workers = workers, .allocator = &allocator,
		.flags = workers == 0 ? PLAIT_CONTEXT_NO_WORKERS : 0,
	};
	const plait_signal_desc gate = { .size = sizeof(gate),
					 .flags = PLAIT_SIGNAL_GATE };

	memset(rig, 0, sizeof(*rig));
	rig->error.size = sizeof(rig->error);
	return OK(plait_context_open(&desc, &rig->context, &rig->error) ==
		  PLAIT_OK) &&
	       OK(plait_context_device(rig->context, 0, &rig->device,
				       &rig->error) == PLAIT_OK) &&
	       OK(plait_queue_create(rig->device, NULL, &rig->queue,
				     &rig->error) == PLAIT_OK) &&
	       OK(plait_signal_create(rig->device, &gate, &rig->gate,
				      &rig->error) == PLAIT_OK);
}

static void close_counted(struct rig *rig)
{
	plait_signal_release(rig->gate);
	plait_queue_release(rig->queue);
	plait_context_release(rig->context);
}

static int32_t count(void *user_data)
{
	++*(uint64_t *)user_data;
	return 0;
}

/* All of them are there before the first one runs. */
static uint64_t fill(struct rig *rig, uint64_t gate, uint32_t commands)
{
	const uint64_t before = __atomic_load_n(&allocations,
						__ATOMIC_SEQ_CST);
	uint64_t calls = 0;
	const plait_command call = { .size = sizeof(call),
				     .kind = PLAIT_COMMAND_CALL,
				     .flags = PLAIT_CALL_ANY_THREAD,
				     .function = count, .user_data = &calls };
	bool good = plait_queue_wait(rig->queue, rig->gate, gate,
				     &rig->error) == PLAIT_OK;

	/* The emission that reports the queue's progress is a command as
	 * well. */
	for (uint32_t i = 0; i < commands / 2; i++)
		good = good && plait_queue_submit(rig->queue, &call, 1, NULL,
						  &rig->error) == PLAIT_OK;
	OK(good);
	OK(plait_signal_raise(rig->gate, gate, &rig->error) == PLAIT_OK);
	OK(plait_queue_finish(rig->queue, PLAIT_FOREVER, &rig->error) ==
	   PLAIT_OK);
	IS_UINT(calls, commands / 2);
	return __atomic_load_n(&allocations, __ATOMIC_SEQ_CST) - before;
}

static void kept(void)
{
	for (uint32_t workers = 0; workers < 3; workers++) {
		struct rig rig;

		if (!open_counted(&rig, workers))
			return;
		OK(fill(&rig, 1, DEEP + SEGMENT) > 0);
		for (uint64_t i = 0; i < ROUNDS; i++)
			IS_UINT(fill(&rig, 2 + i, DEEP), 0);
		OK(fill(&rig, 2 + ROUNDS, 4 * DEEP) > 0);
		IS_UINT(fill(&rig, 3 + ROUNDS, DEEP), 0);
		close_counted(&rig);
	}
}

static const struct tap_scenario all[] = {
	{ "room is kept", kept },
};

TAP_MAIN(all)
