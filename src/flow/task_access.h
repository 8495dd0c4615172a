/* SPDX-License-Identifier: MIT */
/* Accesses of a task in preparation: its descriptors, mappers, boxes. */
#ifndef PLAIT_SRC_FLOW_TASK_ACCESS_H
#define PLAIT_SRC_FLOW_TASK_ACCESS_H

#include "flow/flow_object.h"

/* Append an access of a descriptor; its mapper runs inside, under the lock.
 * `kernel_mode` is that of the signature, 0 if there is none.  PLAIT_E_HANDLE,
 * PLAIT_E_INVALID, PLAIT_E_NOMEM, or what the mapper returned: some boxes may
 * have been appended. */
plait_status plait__task_access_add(plait__flow_task *task,
				    const plait_access *given,
				    uint32_t kernel_mode,
				    plait__data **out, plait_error *error);

/* Append those of a descriptor, beside arguments; the text names the index. */
plait_status plait__task_access_add_all(plait__flow_task *task,
					const plait_access *first,
					uint64_t count, plait_error *error);

/* Append an access to a box of the whole. */
plait_status plait__task_access_append(plait__flow_task *task,
				       plait__data *data, const plait_box *box,
				       uint32_t mode, plait_error *error);

#endif
