/* SPDX-License-Identifier: MIT */
/* Data of floats and launches on them, for tests of flows on devices. */
#ifndef T_FLOW_DEVICE_FLOATS_H
#define T_FLOW_DEVICE_FLOATS_H

#include "flows.h"

enum { N = 1000 };

static float host[N];

static inline plait_task launch(plait_kernel *kernel, float a, plait_data *x,
			 plait_data *y, plait_status want)
{
	plait_task task = 0;
	plait_status status = plait_flow_launch(
		flow, kernel, PLAIT_ITEMS(N),
		PLAIT_ARGUMENTS(PLAIT_VALUE(a), PLAIT_DATA(x), PLAIT_DATA(y)),
		&task, &flow_rig.error);

	OK_THAT(status == want, "launch: %s", flow_rig.error.text);
	return task;
}

static inline plait_data *new_floats(const char *label, float value)
{
	plait_data *data = new_data(1, N, 0, 0, 4, label);

	for (int i = 0; i < N; i++)
		host[i] = value;
	OK(plait_data_write(data, NULL, host, &flow_rig.error) == PLAIT_OK);
	return data;
}

#endif
