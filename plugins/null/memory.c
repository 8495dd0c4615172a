/* SPDX-License-Identifier: MIT */
/* Memory of the template, which has none. */
#include <stddef.h>

#include "null.h"

plait_status plaitp_null_memory_create(plait_backend *self, uint32_t device,
				       const plait_memory_request *request,
				       plait_backend_memory **out,
				       plait_error *error)
{
	(void)self;
	(void)device;
	(void)request;
	*out = NULL;
	return plaitp_null_refuse(error);
}

void plaitp_null_memory_destroy(plait_backend *self,
				plait_backend_memory *memory)
{
	(void)self;
	(void)memory;
}

plait_status plaitp_null_memory_map(plait_backend *self,
				    plait_backend_memory *memory,
				    uint64_t offset, uint64_t bytes,
				    uint32_t flags, void **out,
				    plait_error *error)
{
	(void)self;
	(void)memory;
	(void)offset;
	(void)bytes;
	(void)flags;
	*out = NULL;
	return plaitp_null_refuse(error);
}

plait_status plaitp_null_memory_unmap(plait_backend *self,
				      plait_backend_memory *memory,
				      void *pointer, plait_error *error)
{
	(void)self;
	(void)memory;
	(void)pointer;
	return plaitp_null_refuse(error);
}
