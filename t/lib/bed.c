/* SPDX-License-Identifier: MIT */
/* Test bed for one backend; see bed.h. */
#include "bed.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

struct bed bed;

/* Wraps the open backend with the interposer `name`, as layer `depth`. */
static bool wrap_one(const char *name, int depth)
{
	plait_backend_table outer;
	plait_backend *wrapper = NULL;
	plait_status status;

	if (!fakehost_load(name, &outer))
		return false;
	bed.layers[depth] = bed.table;
	status = outer.wrap((plait_host *)(void *)&bed.host,
			    fakehost_services(), &bed.layers[depth],
			    bed.self, &wrapper, &bed.error);
	if (status != PLAIT_OK)
		return false;
	bed.table = outer;
	bed.self = wrapper;
	return true;
}

/* The names before the last one, inner first. */
static bool wrap_all(const char *names)
{
	const char *end = strrchr(names, ',');
	int depth = 0;

	while (end) {
		const char *start = end;
		char name[32];

		while (start > names && start[-1] != ',')
			start--;
		snprintf(name, sizeof(name), "%.*s", (int)(end - start),
			 start);
		if (depth == BED_LAYERS || !wrap_one(name, depth++))
			return false;
		end = start > names ? start - 1 : NULL;
	}
	return true;
}

bool bed_open_quietly(const char *names, const char *options)
{
	const char *last = strrchr(names, ',');

	memset(&bed, 0, sizeof(bed));
	fakehost_init(&bed.host, options);
	return fakehost_load(last ? last + 1 : names, &bed.table) &&
		fakehost_open(&bed.host, &bed.table, &bed.self,
			      &bed.error) == PLAIT_OK &&
		wrap_all(names);
}

bool bed_open(const char *names, const char *options)
{
	return OK_THAT(bed_open_quietly(names, options), "%s opens", names);
}

bool bed_wrap(const char *names, const char *options,
	      const plait_backend_table *inner)
{
	char list[128];

	memset(&bed, 0, sizeof(bed));
	fakehost_init(&bed.host, options);
	bed.table = *inner;
	snprintf(list, sizeof(list), "%s,", names);
	return OK(fakehost_open(&bed.host, &bed.table, &bed.self,
				&bed.error) == PLAIT_OK) &&
		OK(wrap_all(list));
}

void bed_close_sinful(void)
{
	bed.table.close(bed.self);
	IS_UINT(bed.host.live_blocks, 0);
	IS_UINT(bed.host.live_bytes, 0);
	fakehost_fini(&bed.host);
}

void bed_close(void)
{
	bed_close_sinful();
	if (!IS_UINT(bed.host.errors, 0))
		NOTE("%s", bed.host.log);
}

plait_backend_queue *bed_queue_on(uint32_t device, const char *label)
{
	const plait_queue_request request = {
		.size = sizeof(request), .label = label,
	};
	plait_backend_queue *queue = NULL;

	bed.table.queue_create(bed.self, device, &request, &queue,
			       &bed.error);
	return queue;
}

plait_backend_signal *bed_signal_of(uint32_t flags)
{
	plait_backend_signal *signal = NULL;

	bed.table.signal_create(bed.self, 0, flags, &signal, &bed.error);
	return signal;
}

plait_backend_memory *bed_memory_on(uint32_t device, uint64_t bytes)
{
	const plait_memory_request request = {
		.size = sizeof(request), .bytes = bytes,
		.alignment_bytes = 64,
	};
	plait_backend_memory *memory = NULL;

	bed.table.memory_create(bed.self, device, &request, &memory,
				&bed.error);
	return memory;
}

plait_status bed_submit(plait_backend_queue *queue,
			const plait_backend_point *wait,
			const plait_work *work, uint32_t work_count,
			const plait_backend_point *emit)
{
	const plait_submission submission = {
		.size = sizeof(submission),
		.work = work, .work_count = work_count,
		.waits = wait, .wait_count = wait != NULL,
		.emits = emit, .emit_count = emit != NULL,
	};

	return bed.table.queue_submit(bed.self, queue, &submission, 1,
				      &bed.error);
}

plait_status bed_wait_for(plait_backend_signal *signal, uint64_t sequence,
			  uint64_t timeout_ns)
{
	const plait_backend_point point = { signal, sequence };

	return bed.table.signal_wait(bed.self, &point, 1, 0, timeout_ns,
				     &bed.error);
}

int32_t bed_write_letter(void *user_data)
{
	size_t length = strlen(bed.letters);

	bed.letters[length] = *(char *)user_data;
	bed.letters[length + 1] = 0;
	return 0;
}

plait_work bed_call_of(int32_t (*function)(void *), void *user_data)
{
	return (plait_work){ .size = sizeof(plait_work),
		.kind = PLAIT_WORK_CALL, .function = function,
		.user_data = user_data };
}
