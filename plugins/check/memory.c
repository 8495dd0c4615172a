/* SPDX-License-Identifier: MIT */
/*
 * Slots of memory.  Checks requests and ranges, and that memory in use or
 * mapped is not destroyed.
 */
#include "check.h"

static const char *find_native_fault(const check *self, uint32_t device,
				     const plait_memory_request *request)
{
	if (request->flags & PLAIT_MEMORY_WRAP)
		return "it has both flags, wrap and native";
	if (!(self->devices[device].capabilities & PLAIT_CAP_NATIVE))
		return "this device takes no native memory";
	return request->native_kind != 0 ? NULL :
		"it has no native_kind";
}

static const char *find_image_fault(const check *self, uint32_t device,
				    const plait_memory_request *request)
{
	if (request->flags != PLAIT_MEMORY_IMAGE)
		return "an image has no other flag";
	if (!(self->devices[device].capabilities & PLAIT_CAP_IMAGE))
		return "this device has no images";
	if (request->width == 0 || request->height == 0 ||
	    request->bytes % ((uint64_t)request->width * request->height))
		return "its bytes are not those of its pixels";
	return request->format != PLAIT_IMAGE_NONE ? NULL :
		"its image has no format";
}

/* Return a description of the violation, or null. */
static const char *find_violation(const check *self, uint32_t device,
				  const plait_memory_request *request)
{
	uint64_t alignment = request->alignment_bytes;

	if (device >= self->device_count)
		return "there is no such device";
	if (request->size < sizeof(*request))
		return "the request is too short";
	if (request->flags & ~(uint32_t)(PLAIT_MEMORY_WRAP |
					 PLAIT_MEMORY_NATIVE |
					 PLAIT_MEMORY_IMAGE))
		return "its flags are not known";
	if (alignment & (alignment - 1))
		return "its alignment is no power of two";
	if (request->flags & PLAIT_MEMORY_NATIVE)
		return find_native_fault(self, device, request);
	if (request->flags & PLAIT_MEMORY_IMAGE)
		return find_image_fault(self, device, request);
	if (!(request->flags & PLAIT_MEMORY_WRAP))
		return NULL;
	if (!(self->devices[device].capabilities & PLAIT_CAP_WRAP))
		return "this device wraps no memory";
	return request->pointer || request->bytes == 0 ? NULL :
		"the memory to wrap is null";
}

plait_status plaitp_check_memory_create(plait_backend *backend,
					uint32_t device,
					const plait_memory_request *request,
					plait_backend_memory **out,
					plait_error *error)
{
	static const char slot[] = "memory_create";
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_backend_memory *inner = NULL;
	check_memory *memory = NULL;
	plait_status status = PLAIT_OK;
	const char *fault;

	*out = NULL;
	plaitp_check_enter(self, slot);
	fault = find_violation(self, device, request);
	if (fault) {
		plaitp_check_report(self, CHECK_CORE, slot, "%s", fault);
		status = plaitp_check_report_error(self, error);
	} else {
		memory = plaitp_check_add(self, CHECK_MEMORY, sizeof(*memory));
	}
	plaitp_check_leave(self);
	if (status != PLAIT_OK)
		return status;
	if (!memory)
		return self->services->fail(error, PLAIT_E_NOMEM, 0,
					    "check: no memory");
	memory->device = device;
	memory->bytes = request->bytes;
	if (request->flags & PLAIT_MEMORY_IMAGE)
		memory->row_bytes = request->bytes / request->height;
	status = self->inner_table->memory_create(self->inner, device, request,
						  &inner, &mine);
	status = plaitp_check_result(self, slot, status, false, &mine, error);
	pthread_mutex_lock(&self->lock);
	if (status == PLAIT_OK && !inner) {
		plaitp_check_report(self, CHECK_BACKEND, slot,
				    "succeeded without giving memory (P-B02)");
		status = plaitp_check_report_error(self, error);
	}
	memory->inner = inner;
	if (status != PLAIT_OK)
		plaitp_check_retire(self, &memory->object);
	pthread_mutex_unlock(&self->lock);
	if (status == PLAIT_OK)
		*out = memory;
	return status;
}

static void forget_maps(check *self, check_memory *memory)
{
	while (memory->maps) {
		struct check_map *map = memory->maps;

		memory->maps = map->next;
		self->services->resize(self->host, map, sizeof(*map), 0);
	}
}

/* A mapping that the backend failed to unmap does not count: it ends with its
 * memory. */
static bool is_mapped(const check_memory *memory)
{
	const struct check_map *map = memory->maps;

	while (map && map->unmap_failed)
		map = map->next;
	return map != NULL;
}

void plaitp_check_memory_destroy(plait_backend *backend,
				 plait_backend_memory *handle)
{
	static const char slot[] = "memory_destroy";
	check *self = check_of(backend);
	plait_backend_memory *inner = NULL;
	check_memory *memory;

	plaitp_check_enter(self, slot);
	memory = plaitp_check_find(self, slot, CHECK_MEMORY, handle);
	if (memory) {
		if (memory->uses > 0 && !self->model_off)
			plaitp_check_report(
				self, CHECK_CORE, slot,
				"memory %llu is used by %llu launches or "
				"batches that are not done",
				(unsigned long long)memory->object.number,
				(unsigned long long)memory->uses);
		if (is_mapped(memory) && !self->model_off)
			plaitp_check_report(
				self, CHECK_CORE, slot, "memory %llu is mapped",
				(unsigned long long)memory->object.number);
		inner = memory->inner;
		forget_maps(self, memory);
		plaitp_check_retire(self, &memory->object);
	}
	plaitp_check_leave(self);
	if (inner)
		self->inner_table->memory_destroy(self->inner, inner);
}

/* The memory of a mapping; null after a report. */
static check_memory *find_mappable(check *self, const char *slot,
				   const plait_backend_memory *handle)
{
	check_memory *memory =
		plaitp_check_find(self, slot, CHECK_MEMORY, handle);

	if (memory && self->inner_table->memory_map &&
	    self->devices[memory->device].capabilities & PLAIT_CAP_MAP)
		return memory;
	if (memory)
		plaitp_check_report(self, CHECK_CORE, slot,
				    "this device maps no memory");
	return NULL;
}

/* A mapping that cannot be listed is undone. */
static plait_status keep_map(check *self, check_memory *memory, void *pointer,
			     plait_error *error)
{
	struct check_map *map = self->services->resize(self->host, NULL, 0,
						       sizeof(*map));
	plait_error unused = plaitp_check_record();

	if (!map) {
		self->inner_table->memory_unmap(self->inner, memory->inner,
						pointer, &unused);
		return self->services->fail(error, PLAIT_E_NOMEM, 0,
					    "check: no memory");
	}
	map->pointer = pointer;
	map->unmap_failed = false;
	pthread_mutex_lock(&self->lock);
	map->next = memory->maps;
	memory->maps = map;
	pthread_mutex_unlock(&self->lock);
	return PLAIT_OK;
}

plait_status plaitp_check_memory_map(plait_backend *backend,
				     plait_backend_memory *handle,
				     uint64_t offset, uint64_t bytes,
				     uint32_t flags, void **out,
				     plait_error *error)
{
	static const char slot[] = "memory_map";
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_status status = PLAIT_OK;
	void *pointer = NULL;
	check_memory *memory;

	*out = NULL;
	plaitp_check_enter(self, slot);
	memory = find_mappable(self, slot, handle);
	if (memory && (offset > memory->bytes ||
		       bytes > memory->bytes - offset)) {
		plaitp_check_report(self, CHECK_CORE, slot,
				    "range %llu+%llu is outside its %llu bytes",
				    (unsigned long long)offset,
				    (unsigned long long)bytes,
				    (unsigned long long)memory->bytes);
		memory = NULL;
	}
	if (!memory)
		status = plaitp_check_report_error(self, error);
	plaitp_check_leave(self);
	if (status != PLAIT_OK)
		return status;
	status = self->inner_table->memory_map(self->inner, memory->inner,
					       offset, bytes, flags, &pointer,
					       &mine);
	status = plaitp_check_result(self, slot, status, false, &mine, error);
	if (status == PLAIT_OK && !pointer && bytes > 0) {
		pthread_mutex_lock(&self->lock);
		plaitp_check_report(self, CHECK_BACKEND, slot,
				    "succeeded without a pointer (P-B06)");
		status = plaitp_check_report_error(self, error);
		pthread_mutex_unlock(&self->lock);
	}
	if (status == PLAIT_OK)
		status = keep_map(self, memory, pointer, error);
	if (status == PLAIT_OK)
		*out = pointer;
	return status;
}

/* The link to the mapping, or to the null at the end. */
static struct check_map **find_map(check_memory *memory, const void *pointer)
{
	struct check_map **link = &memory->maps;

	while (*link && (*link)->pointer != pointer)
		link = &(*link)->next;
	return link;
}

/* Remove the mapping, or mark that its unmap failed. */
static void end_map(check *self, check_memory *memory, const void *pointer,
		    plait_status status)
{
	struct check_map **link = find_map(memory, pointer);
	struct check_map *map = *link;

	if (map)
		map->unmap_failed = status != PLAIT_OK;
	if (!map || map->unmap_failed)
		return;
	*link = map->next;
	self->services->resize(self->host, map, sizeof(*map), 0);
}

plait_status plaitp_check_memory_unmap(plait_backend *backend,
				       plait_backend_memory *handle,
				       void *pointer, plait_error *error)
{
	static const char slot[] = "memory_unmap";
	check *self = check_of(backend);
	plait_error mine = plaitp_check_record();
	plait_status status = PLAIT_OK;
	check_memory *memory;

	plaitp_check_enter(self, slot);
	memory = find_mappable(self, slot, handle);
	if (memory && !*find_map(memory, pointer)) {
		plaitp_check_report(self, CHECK_CORE, slot,
				    "this pointer maps nothing of memory %llu",
				    (unsigned long long)memory->object.number);
		memory = NULL;
	}
	if (!memory)
		status = plaitp_check_report_error(self, error);
	plaitp_check_leave(self);
	if (status != PLAIT_OK)
		return status;
	status = self->inner_table->memory_unmap(self->inner, memory->inner,
						 pointer, &mine);
	status = plaitp_check_result(self, slot, status, false, &mine, error);
	pthread_mutex_lock(&self->lock);
	end_map(self, memory, pointer, status);
	pthread_mutex_unlock(&self->lock);
	return status;
}
