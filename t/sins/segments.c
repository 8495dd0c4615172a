/* SPDX-License-Identifier: MIT */
/* Segments of the backend that sins: commands in their order; see base.h. */
#include "base.h"

#include <string.h>

struct plait_backend_segment {
	uint64_t bytes;
	uint32_t count;
	bool ran; /* SIN_FREEZES_ONCE */
	plait_work work[];
};

static const plait_work *nth(const plait_work *work, uint32_t index)
{
	return (const void *)((const char *)work +
			      (uint64_t)index * work->size);
}

plait_status sins_segment_create(plait_backend *self, uint32_t device,
				 const plait_segment_request *request,
				 plait_backend_segment **out,
				 plait_error *error)
{
	uint64_t bytes = sizeof(plait_backend_segment) +
		request->work_count * sizeof(plait_work);
	plait_backend_segment *segment = sins_allocate(self, bytes);

	(void)device;
	*out = segment;
	if (segment == NULL)
		return sins_no_memory(self, bytes, error);
	segment->bytes = bytes;
	segment->count = request->work_count;
	for (uint32_t i = 0; i < segment->count; i++)
		memcpy(&segment->work[i], nth(request->work, i),
		       sizeof(plait_work));
	return PLAIT_OK;
}

void sins_segment_destroy(plait_backend *self, plait_backend_segment *segment)
{
	sins_free(self, segment, segment->bytes);
}

plait_status sins_segment_patch(plait_backend *self,
				plait_backend_segment *segment, uint32_t index,
				const plait_work *work, plait_error *error)
{
	(void)self;
	(void)error;
	memcpy(&segment->work[index], work, sizeof(*work));
	if (SINS(DROPS_PATCHED))
		segment->work[index].kind = PLAIT_WORK_NOP;
	return PLAIT_OK;
}

plait_status sins_segment_run(plait_backend *self, const plait_work *work,
			      plait_error *error)
{
	plait_backend_segment *segment = work->segment;
	plait_status status = PLAIT_OK;

	if (SINS(FREEZES_ONCE) && segment->ran)
		return PLAIT_OK;
	segment->ran = true;
	for (uint32_t i = 0; i < segment->count && status == PLAIT_OK; i++) {
		uint32_t at = SINS(FORGETS_EDGES) ? segment->count - 1 - i : i;

		if (SINS(DROPS_FROZEN) && i == segment->count - 1)
			break;
		status = sins_work(self, &segment->work[at], error);
	}
	return status;
}
