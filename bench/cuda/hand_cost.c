/* SPDX-License-Identifier: MIT */
/* Costs of single operations, the reference side: see mine_cost.c. */
#include <stdlib.h>

#include "hand.h"
#include "texts.h"

static CUdeviceptr large, stop_address;
static char *pageable;
static volatile uint32_t *stop;
static struct shot put;
static uint32_t number;
static CUgraphExec endless;

static void finish(void)
{
	DO(cuStreamSynchronize(hand.streams[0]));
}

/* --- round trips ---------------------------------------------------------- */

void hand_trip(void)
{
	for (uint32_t i = 0; i < sizes.trips; i++) {
		hand_launch(hand.streams[0], &hand.tiny);
		finish();
	}
}

static void nothing(void *user_data)
{
	(void)user_data;
}

void hand_function(void)
{
	for (uint32_t i = 0; i < sizes.trips; i++) {
		hand_launch(hand.streams[0], &hand.tiny);
		DO(cuLaunchHostFunc(hand.streams[0], nothing, NULL));
		hand_launch(hand.streams[0], &hand.tiny);
	}
	finish();
}

/* --- transfers ------------------------------------------------------------ */

void hand_make_staged(void)
{
	pageable = calloc(sizes.staged, 1 << 20);
	if (pageable == NULL)
		die("staged", "no memory");
	DO(cuMemAlloc(&large, (size_t)sizes.staged << 20));
}

/* The driver's own staging. */
void hand_staged(void)
{
	size_t bytes = (size_t)sizes.staged << 20;

	DO(cuMemcpyHtoDAsync(large, pageable, bytes, hand.streams[0]));
	DO(cuMemcpyDtoHAsync(pageable, large, bytes, hand.streams[0]));
	finish();
}

/* --- graphs --------------------------------------------------------------- */

void hand_instantiate(void)
{
	hand_drop_chain();
	hand_make_chain();
}

/* Eight kernels; the last one's number is set before each launch. */
void hand_make_patched(void)
{
	static void *arguments[] = { &hand.word, &number };

	put = (struct shot){ .function = hand_function_of("put", PUT_TEXT),
			     .grid = 1, .block = TINY_GROUP,
			     .arguments = arguments };
	hand_make_row(&put);
}

void hand_patch(void)
{
	for (number = 1; number <= sizes.trips; number++)
		hand_launch_row(&put);
}

/* --- cancelled loops ------------------------------------------------------ */

/* The loop goes on while a word in pinned memory is 1. */
void hand_make_cancel(void)
{
	void *memory;

	DO(cuMemHostAlloc(&memory, 64, CU_MEMHOSTALLOC_PORTABLE |
			  CU_MEMHOSTALLOC_DEVICEMAP));
	DO(cuMemHostGetDevicePointer(&stop_address, memory, 0));
	stop = memory;
	endless = hand_make_endless(stop_address);
}

void hand_cancel(void)
{
	double began;

	*stop = 1;
	DO(cuGraphLaunch(endless, hand.streams[0]));
	spin_ns(LOOP_NS);
	began = clock_ns();
	*stop = 0;
	finish();
	device_ns = clock_ns() - began;
}

/* --- memory --------------------------------------------------------------- */

static void allocate(size_t bytes)
{
	CUdeviceptr block;

	DO(cuMemAlloc(&block, bytes));
	DO(cuMemFree(block));
}

void hand_allocate(void)
{
	for (uint32_t i = 0; i < sizes.trips; i++)
		allocate(1 << 20);
}

void hand_allocate_large(void)
{
	allocate((size_t)sizes.block << 20);
}

/* --- life ----------------------------------------------------------------- */

void hand_drop_costs(void)
{
	if (endless != NULL)
		DO(cuGraphExecDestroy(endless));
	if (stop != NULL)
		DO(cuMemFreeHost((void *)(uintptr_t)stop));
	free(pageable);
}

void hand_take_nothing(void)
{
	finish();
	device_ns = 0;
	result = 0;
}

void hand_take_number(void)
{
	device_ns = 0;
	result = hand_read(hand.word);
}

void hand_take_cancel(void)
{
	result = 0;
}
