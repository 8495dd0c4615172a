/* SPDX-License-Identifier: MIT */
/* Slot of native handles.  Checks that the objects are live and the device has
 * PLAIT_CAP_NATIVE. */
#include "check.h"

/* Replace the handles by the backend's; false after a report. */
static bool translate(check *self, plait_native_request *request)
{
	static const char slot[] = "native_query";
	check_queue *queue = NULL;
	check_memory *memory = NULL;

	if (request->queue)
		queue = plaitp_check_find(self, slot, CHECK_QUEUE,
					  request->queue);
	if (request->memory)
		memory = plaitp_check_find(self, slot, CHECK_MEMORY,
					   request->memory);
	if ((request->queue && !queue) || (request->memory && !memory))
		return false;
	request->queue = queue ? queue->inner : NULL;
	request->memory = memory ? memory->inner : NULL;
	return true;
}

/* Return a description of the violation, or null. */
static const char *find_violation(const check *self,
				  const plait_native_request *request)
{
	if (request->size < sizeof(*request))
		return "the request is too short";
	if (request->device >= self->device_count)
		return "there is no such device";
	if (!(self->devices[request->device].capabilities & PLAIT_CAP_NATIVE))
		return "this device tells no native handles";
	if (request->queue && request->memory)
		return "it asks of a queue and of memory at once";
	return NULL;
}

plait_status plaitp_check_native_query(plait_backend *backend,
				       const plait_native_request *request,
				       uint64_t *out, plait_error *error)
{
	static const char slot[] = "native_query";
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_native_request inner = *request;
	plait_status status = PLAIT_OK;
	const char *fault;

	*out = 0;
	plaitp_check_enter(self, slot);
	fault = find_violation(self, request);
	if (fault)
		plaitp_check_report(self, CHECK_CORE, slot, "%s", fault);
	if (fault || !translate(self, &inner))
		status = plaitp_check_report_error(self, error);
	plaitp_check_leave(self);
	if (status != PLAIT_OK)
		return status;
	status = self->inner_table->native_query(self->inner, &inner, out,
						 &mine);
	return plaitp_check_result(self, slot, status, false, &mine, error);
}
