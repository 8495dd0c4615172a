/* SPDX-License-Identifier: MIT */
/*
 * One rank of exits.t: a flow over the world, whose values one rank has written.
 * That rank has nothing to wait for, and ends its process at once, with the
 * context open, before the others took the values.  The environment says rank and
 * transport.
 *
 *	exit_rank release	the flow and its data are released
 *	exit_rank leave		nothing is released
 *	exit_rank after		the context is closed after all exit handlers
 *	exit_rank mapper	the process ends in the function of a mapper
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plait/plait.h"

enum { COUNT = 1 << 20, ROUNDS = 4 };

static plait_error error = { .size = sizeof(error) };
static plait_context *context;
static plait_world_info info = { .size = sizeof(info) };
static plait_flow_desc over = { .size = sizeof(over) };
static plait_flow *flow;
static plait_data *data[ROUNDS];
static uint32_t numbers[COUNT];

static void close_all(void)
{
	for (int i = 0; i < ROUNDS; i++)
		plait_data_release(data[i]);
	plait_flow_release(flow);
	plait_world_release(over.world);
	plait_context_release(context);
}

static plait_status open_all(void)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "host", .workers = 2 };
	plait_status status = plait_context_open(&desc, &context, &error);

	if (status == PLAIT_OK)
		status = plait_world_open(context, NULL, &over.world, &error);
	if (status == PLAIT_OK)
		status = plait_world_query(over.world, &info, &error);
	return status == PLAIT_OK ?
		plait_flow_create(context, &over, &flow, &error) : status;
}

static int32_t touch(void *user_data)
{
	(void)user_data;
	return 0;
}

/* A function runs on one rank, whose all is then. */
static plait_status write_numbers(int i)
{
	const plait_data_desc desc = { .size = sizeof(desc), .dimensions = 1,
				       .element_bytes = 4,
				       .extent = { COUNT } };
	plait_status status = plait_data_create(flow, &desc, &data[i], &error);
	const plait_access writes = { .size = sizeof(writes),
				      .mode = PLAIT_ACCESS_READ_WRITE,
				      .data = data[i] };
	const plait_task_desc task = {
		.size = sizeof(task), .kind = PLAIT_TASK_CALL,
		.label = "touch", .function = touch, .accesses = &writes,
		.access_count = 1 };

	for (uint32_t k = 0; k < COUNT; k++)
		numbers[k] = k * 3 + (uint32_t)i;
	if (status == PLAIT_OK)
		status = plait_data_write(data[i], NULL, numbers, &error);
	return status == PLAIT_OK ?
		plait_flow_submit(flow, &task, NULL, &error) : status;
}

static plait_status read_numbers(int i)
{
	plait_status status;

	memset(numbers, 0, sizeof(numbers));
	status = plait_data_read(data[i], NULL, numbers, &error);
	for (uint32_t k = 0; k < COUNT && status == PLAIT_OK; k++)
		if (numbers[k] != k * 3 + (uint32_t)i)
			status = PLAIT_E_INTERNAL;
	return status;
}

static plait_status end_process(void *user_data, const plait_box *chunk,
				const plait_box *extent, plait_box *out,
				uint32_t room, uint32_t *out_count)
{
	(void)user_data;
	(void)chunk;
	(void)extent;
	(void)out;
	(void)room;
	*out_count = 0;
	exit(0);
}

static int32_t no_work(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

/* Under the lock of the flow. */
static plait_status end_in_mapper(void)
{
	const plait_kernel_desc code = {
		.size = sizeof(code), .function = no_work,
		.signature = "none(a: in pointer u32)" };
	const plait_mapper mapper = { .size = sizeof(mapper),
				      .kind = PLAIT_MAPPER_FUNCTION,
				      .function = end_process };
	const plait_access reads = { .size = sizeof(reads), .data = data[0],
				     .mapper = &mapper };
	plait_kernel *kernel = NULL;
	plait_status status = plait_kernel_create(context, &code, &kernel,
						  &error);

	return status != PLAIT_OK ? status :
	       plait_flow_launch(flow, kernel, PLAIT_ITEMS(8),
				 PLAIT_ARGUMENTS(PLAIT_ACCESS(&reads)), NULL,
				 &error);
}

int main(int argc, char **argv)
{
	const char *how = argc == 2 ? argv[1] : "";
	plait_status status = strcmp(how, "after") == 0 && atexit(close_all) ?
		PLAIT_E_NOMEM : open_all();

	for (int i = 0; i < ROUNDS && status == PLAIT_OK; i++)
		status = write_numbers(i);
	if (status == PLAIT_OK && strcmp(how, "mapper") == 0)
		status = end_in_mapper();
	for (int i = 0; i < ROUNDS && status == PLAIT_OK; i++)
		status = read_numbers(i);
	if (strcmp(how, "release") == 0) {
		for (int i = 0; i < ROUNDS; i++)
			plait_data_release(data[i]);
		plait_flow_release(flow);
	}
	if (status != PLAIT_OK)
		fprintf(stderr, "exit_rank: %s: %s\n",
			plait_status_name(status), error.text);
	else
		printf("rank %u of %u has all numbers\n", info.rank,
		       info.ranks);
	return status != PLAIT_OK;
}
