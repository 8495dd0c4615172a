/* SPDX-License-Identifier: MIT */
/* Submission of launches by their parts. */
#include "plait/flow.h"

PLAIT_API plait_status plait_flow_launch(plait_flow *flow,
					 plait_kernel *kernel,
					 const plait_launch *launch,
					 const plait_argument *arguments,
					 uint64_t count, plait_task *out,
					 plait_error *error)
{
	const plait_task_desc desc = {
		.size = sizeof(desc), .kernel = kernel, .launch = launch,
		.arguments = arguments, .argument_count = count,
	};

	return plait_flow_submit(flow, &desc, out, error);
}
