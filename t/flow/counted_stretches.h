/* SPDX-License-Identifier: MIT */
/* Stretches of tasks that count their calls, in a flow with PLAIT_FLOW_REPEATS. */
#ifndef T_FLOW_COUNTED_STRETCHES_H
#define T_FLOW_COUNTED_STRETCHES_H

#include "flows.h"

enum { STRETCH = 20, LOOPS = 12 };

static struct counter {
	uint64_t calls;
	int32_t result;
} counters[STRETCH];
static plait_data *line;
static plait_box boxes[STRETCH];
static plait_task numbers[STRETCH];

static inline int32_t count_call(void *user_data)
{
	struct counter *counter = user_data;

	counter->calls++;
	return counter->result;
}

static inline bool open_repeats(const struct flow_setting *setting, uint32_t window)
{
	memset(counters, 0, sizeof(counters));
	flow_flags = PLAIT_FLOW_REPEATS;
	if (!open_flow(setting, window))
		return false;
	line = new_data(1, STRETCH, 0, 0, 8, "line");
	return true;
}

static inline void close_repeats(void)
{
	plait_data_release(line);
	close_flow();
}

/* Task i writes element i, and reads the one before it. */
static inline plait_status submit_task(uint32_t i, plait_task *out)
{
	const plait_access accesses[] = {
		access_of(line, PLAIT_ACCESS_WRITE, &boxes[i]),
		access_of(line, PLAIT_ACCESS_READ, &boxes[i > 0 ? i - 1 : 0]),
	};
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
		.function = count_call, .user_data = &counters[i],
		.accesses = accesses, .access_count = i > 0 ? 2 : 1,
	};

	boxes[i] = (plait_box){ { i, 0, 0 }, { i + 1, 1, 1 } };
	return plait_flow_submit(flow, &desc, out, &flow_rig.error);
}

static inline void submit_tasks(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		OK_THAT(submit_task(i, &numbers[i]) == PLAIT_OK, "submit: %s",
			flow_rig.error.text);
}

/* As many whole stretches; from the sixth on they are runs. */
static inline void repeat(uint32_t loops)
{
	for (uint32_t loop = 0; loop < loops; loop++)
		submit_tasks(STRETCH);
}

static inline void check_calls(uint64_t loops, uint32_t more)
{
	uint64_t wrong = 0;

	for (uint32_t i = 0; i < STRETCH; i++)
		wrong += counters[i].calls != loops + (i < more);
	IS_UINT(wrong, 0);
}

static inline uint64_t count_repeated(void)
{
	plait_flow_info info = { .size = sizeof(info) };

	IS_INT(plait_flow_query(flow, &info, NULL), PLAIT_OK);
	return info.repeated;
}

#endif
