/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes of pageable memory on the stand-in for CUDA's driver: chunks and
 * rests there and back, on two queues at a time, with and without workers, and
 * while the only worker is busy.
 */
#include <stdlib.h>

#include "segments.h"

/* Three chunks, the last of which is not shared. */
enum { BYTES = (8 << 20) + 12345 };

static bool open_stage(uint32_t workers, const char *options)
{
	struct place place = { .backends = "cuda", .wrap = "check",
			       .workers = workers };

	standin_prepare("");
	(void)snprintf(place.options, sizeof(place.options),
		       "cuda:driver=%.400s%s", standin_path, options);
	return open_place(&place);
}

/* A queue with memory of the host and of the device. */
struct transfer {
	plait_queue *queue;
	plait_buffer *buffer;
	char *from, *to;
};

static void begin_transfer(struct transfer *transfer, int seed)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = BYTES };

	OK(plait_queue_create(rig.device, NULL, &transfer->queue,
			      &rig.error) == PLAIT_OK);
	OK(plait_buffer_create(rig.device, &desc, &transfer->buffer,
			       &rig.error) == PLAIT_OK);
	transfer->from = malloc(BYTES);
	transfer->to = calloc(1, BYTES);
	for (int i = 0; i < BYTES; i++)
		transfer->from[i] = (char)(seed + i * 7 + i / 4099);
	OK(plait_queue_write(transfer->queue, transfer->buffer, 0,
			     transfer->from, BYTES, &rig.error) == PLAIT_OK);
}

static void end_transfer(struct transfer *transfer)
{
	OK(plait_queue_read(transfer->queue, transfer->buffer, 0, transfer->to,
			    BYTES, &rig.error) == PLAIT_OK);
	OK(plait_queue_finish(transfer->queue, PLAIT_FOREVER, &rig.error) ==
	   PLAIT_OK);
	OK(memcmp(transfer->from, transfer->to, BYTES) == 0);
	plait_buffer_release(transfer->buffer);
	plait_queue_release(transfer->queue);
	free(transfer->from);
	free(transfer->to);
}

static void check_both(uint32_t workers, const char *options)
{
	struct transfer first, second;

	if (!open_stage(workers, options))
		return;
	begin_transfer(&first, 1);
	begin_transfer(&second, 2);
	end_transfer(&first);
	end_transfer(&second);
	close_place();
}

static void both(void)
{
	check_both(0, "");
	check_both(1, "");
	check_both(3, "");
	check_both(3, ",copies=alone");
}

static int32_t wait_for_end(void *ended)
{
	uint64_t late = 0;

	while (!__atomic_load_n((int *)ended, __ATOMIC_ACQUIRE) &&
	       !tap_late(&late))
		;
	return 0;
}

/* The transfer does not wait for the worker. */
static void busy(void)
{
	struct transfer transfer;
	int ended = 0;

	if (!open_stage(1, ""))
		return;
	OK(plait_queue_call(rig.queue, wait_for_end, &ended, &rig.error) ==
	   PLAIT_OK);
	begin_transfer(&transfer, 3);
	end_transfer(&transfer);
	__atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
	OK(plait_queue_finish(rig.queue, PLAIT_FOREVER, &rig.error) ==
	   PLAIT_OK);
	close_place();
}

static const struct tap_scenario all[] = {
	{ "both", both },
	{ "busy", busy },
};
TAP_MAIN(all)
