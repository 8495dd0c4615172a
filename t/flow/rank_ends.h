/* SPDX-License-Identifier: MIT */
/* Tasks and reads of half of a data, of ranks that run different programs. */
#ifndef PLAIT_T_FLOW_RANK_ENDS_H
#define PLAIT_T_FLOW_RANK_ENDS_H

#include "lib/objects.h"

enum { N = 64 };

static inline int32_t nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

static inline plait_box half(bool is_upper)
{
	return (plait_box){ { is_upper ? N / 2 : 0, 0, 0 },
			    { is_upper ? N : N / 2, 1, 1 } };
}

static inline plait_status call(plait_flow *flow, plait_data *data, bool is_upper,
			 plait_error *error)
{
	const plait_box box = half(is_upper);
	const plait_access access = { .size = sizeof(access), .data = data,
				      .box = &box,
				      .mode = PLAIT_ACCESS_READ_WRITE };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
		.function = nothing, .label = "task", .accesses = &access,
		.access_count = 1 };

	return plait_flow_submit(flow, &desc, NULL, error);
}

static inline plait_status read_half(plait_data *data, bool is_upper,
			      plait_error *error)
{
	const plait_box box = half(is_upper);
	uint64_t host[N];

	return plait_data_read(data, &box, host, error);
}

static inline bool is_difference(const plait_error *error)
{
	return strstr(error->text, "all ranks submit the same tasks") != NULL;
}

#endif
