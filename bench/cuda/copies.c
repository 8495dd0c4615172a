/* SPDX-License-Identifier: MIT */
/*
 * Copies over the bus, there and back: by hand, on a queue of plait, in a flow.
 *
 *	bench-cuda-copies [driver=FILE] [nvrtc=FILE]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hand.h"
#include "mine.h"
#include "texts.h"

struct sizes sizes = { .chain = 8, .diamonds = 1, .turns = 10, .times = 10,
		       .submits = 10, .square = 16, .fill = 1, .trips = 1,
		       .staged = 1, .block = 1 };
double device_ns;
uint64_t result;

void die(const char *what, const char *why)
{
	fprintf(stderr, "bench-cuda-copies: %s: %s\n", what, why);
	fflush(stdout);
	exit(1);
}

enum { LARGEST = 64 << 20 };
static CUdeviceptr device;
static void *pinned, *pageable;
static plait_buffer *buffer;
static plait_flow *flow;
static plait_data *data;
static size_t bytes;
#define STREAM hand.streams[0]
static void end(void)
{
	DO(cuStreamSynchronize(STREAM));
}
static void hand_pinned_to(void)
{
	DO(cuMemcpyHtoDAsync(device, pinned, bytes, STREAM));
	end();
}
static void hand_pinned_back(void)
{
	DO(cuMemcpyDtoHAsync(pinned, device, bytes, STREAM));
	end();
}
static void hand_pageable_to(void)
{
	DO(cuMemcpyHtoDAsync(device, pageable, bytes, STREAM));
	end();
}
static void hand_pageable_back(void)
{
	DO(cuMemcpyDtoHAsync(pageable, device, bytes, STREAM));
	end();
}
static void queue_to(void)
{
	mine_must(plait_queue_write(mine.queue, buffer, 0, pageable, bytes,
				    &mine.error));
	mine_must(plait_queue_finish(mine.queue, PLAIT_FOREVER, &mine.error));
}
static void queue_back(void)
{
	mine_must(plait_queue_read(mine.queue, buffer, 0, pageable, bytes,
				   &mine.error));
	mine_must(plait_queue_finish(mine.queue, PLAIT_FOREVER, &mine.error));
}
static plait_kernel *touch;

#define TOUCH_TEXT \
	GLOBAL_FUNCTION "touch(unsigned char *x, unsigned n)\n" \
	"{\n" \
	"	if (threadIdx.x == 0)\n" \
	"		x[0] += n;\n" \
	"}\n"
/* A flow copies when a launch needs the data: write on the host, launch, wait.
 */
static void flow_round(void)
{
	uint32_t zero = 1;
	plait_box all = {{0, 0, 0}, {bytes, 1, 1}};
	plait_access of = {.size = sizeof(of),
			   .data = data,
			   .mode = PLAIT_ACCESS_READ_WRITE,
			   .box = &all};
	plait_argument arguments[] = {PLAIT_ACCESS(&of), PLAIT_VALUE(zero)};
	mine_must(plait_data_write(data, &all, pageable, &mine.error));
	mine_must(plait_flow_launch(flow, touch, PLAIT_ITEMS(32), arguments, 2,
				    NULL, &mine.error));
	mine_must(plait_data_read(data, &all, pageable, &mine.error));
}
static void hand_round(void)
{
	DO(cuMemcpyHtoDAsync(device, pageable, bytes, STREAM));
	hand_launch(STREAM, &hand.tiny);
	DO(cuMemcpyDtoHAsync(pageable, device, bytes, STREAM));
	end();
}
enum { ROUNDS_MOST = 51 };

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}
static void (*const ways[])(void) = {
	hand_pinned_to, hand_pinned_back, hand_pageable_to, hand_pageable_back,
	queue_to,	queue_back,	  hand_round,	    flow_round};
static const char *const names[] = {"hand, pinned, to the device",
				    "hand, pinned, back",
				    "hand, pageable, to",
				    "hand, pageable, back",
				    "plait queue, to",
				    "plait queue, back",
				    "hand: to, kernel, back",
				    "flow: write, kernel, read"};
enum { WAYS = 8 };

static void open_all(void)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "cuda,host",
					  .options = getenv("PLAIT_OPTIONS") };
	const plait_buffer_desc of = { .size = sizeof(of), .bytes = LARGEST };
	const plait_data_desc what = { .size = sizeof(what), .dimensions = 1,
				       .element_bytes = 1,
				       .extent = { LARGEST } };
	const plait_flow_desc on = { .size = sizeof(on),
				     .devices = &mine.device,
				     .device_count = 1 };

	mine_must(plait_context_open(&desc, &mine.context, &mine.error));
	mine_must(plait_context_device(mine.context, 0, &mine.device,
				       &mine.error));
	mine_must(plait_queue_create(mine.device, NULL, &mine.queue,
				     &mine.error));
	mine_must(plait_buffer_create(mine.device, &of, &buffer, &mine.error));
	mine_must(plait_flow_create(mine.context, &on, &flow, &mine.error));
	mine_must(plait_data_create(flow, &what, &data, &mine.error));
	touch = mine_kernel("touch(x: inout pointer u8, n: u32)", TOUCH_TEXT);
}

static void measure(int rounds)
{
	static double times[WAYS][ROUNDS_MOST];

	for (int r = -2; r < rounds; r++)
		for (int w = 0; w < WAYS; w++) {
			double begin = clock_ns();

			ways[w]();
			times[w][r < 0 ? 0 : r] = clock_ns() - begin;
		}
	printf("-- %zu bytes\n", bytes);
	for (int w = 0; w < WAYS; w++) {
		qsort(times[w], (size_t)rounds, sizeof(double), by_value);
		printf("%-28s median %12.0f ns, least %12.0f ns, "
		       "%7.2f GB/s\n", names[w], times[w][rounds / 2],
		       times[w][0], (double)bytes / times[w][0]);
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const size_t all[] = { 4, 4096, 65536, 1 << 20, 16 << 20,
				      LARGEST };
	const char *driver = NULL, *nvrtc = NULL;

	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], "driver=", 7) == 0)
			driver = argv[i] + 7;
		if (strncmp(argv[i], "nvrtc=", 6) == 0)
			nvrtc = argv[i] + 6;
	}
	hand_begin(driver, nvrtc);
	hand_open();
	DO(cuMemAlloc(&device, LARGEST));
	DO(cuMemHostAlloc(&pinned, LARGEST, 0));
	pageable = malloc(LARGEST);
	if (pageable == NULL)
		die("copies", "no memory");
	memset(pinned, 1, LARGEST);
	memset(pageable, 1, LARGEST);
	open_all();
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		bytes = all[i];
		measure(bytes >= 16 << 20 ? 15 : 51);
	}
	return 0;
}
