/* SPDX-License-Identifier: MIT */
/*
 * Wrapped memory of the user, registered with the driver.  Registration covers
 * whole pages, each of them once: several buffers may wrap parts of the same
 * pages if the first one covered them all.
 */
#include <unistd.h>

#include "backend.h"

struct cuda_pages {
	struct cuda_pages *next;
	char *first;
	uint64_t bytes;
	uint64_t users;
	uint32_t device; /* context of the registration */
};

/* Returns registered pages that contain the range.  *out_touched: some overlap
 * it. */
static struct cuda_pages *find_pages(plait_backend *self, const char *first,
				     uint64_t bytes, bool *out_touched)
{
	struct cuda_pages *pages;

	*out_touched = false;
	for (pages = self->pages; pages != NULL; pages = pages->next) {
		if (first >= pages->first &&
		    first + bytes <= pages->first + pages->bytes)
			return pages;
		*out_touched |= first < pages->first + pages->bytes &&
				pages->first < first + bytes;
	}
	return NULL;
}

/* Caller holds pages_lock. */
static CUresult register_pages(plait_backend *self, struct cuda_pages *pages)
{
	CUresult code = self->cu.cuMemHostRegister(
		pages->first, pages->bytes,
		CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);

	if (code != CUDA_SUCCESS)
		return code;
	pages->next = self->pages;
	self->pages = pages;
	return code;
}

/* Use `fresh`, or pages already registered.  *out is null on failure. */
static CUresult take_pages(plait_backend *self, struct cuda_pages *fresh,
			   struct cuda_pages **out)
{
	CUresult code = CUDA_SUCCESS;
	bool touched;

	pthread_mutex_lock(&self->pages_lock);
	*out = find_pages(self, fresh->first, fresh->bytes, &touched);
	if (*out == NULL && touched)
		code = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
	else if (*out == NULL)
		code = register_pages(self, fresh);
	if (*out == NULL && code == CUDA_SUCCESS)
		*out = fresh;
	if (*out != NULL)
		(*out)->users++;
	pthread_mutex_unlock(&self->pages_lock);
	return code;
}

static plait_status refuse(plait_backend *self, uint32_t device, CUresult code,
			   plait_error *error)
{
	if (code != CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)
		return plaitp_cuda_fail_call(self, device, error,
					     "cuMemHostRegister", code,
					     "wrapped memory");
	return plaitp_driven_fail(self->services, error, PLAIT_E_UNSUPPORTED,
				  code, "cuda:%u: some pages of the memory to "
				  "be wrapped are registered already: wrap "
				  "whole pages, or all of it at once", device);
}

/* Give up one use; the last unregisters the pages.  Caller does not hold
 * pages_lock. */
static void drop_pages(plait_backend *self, struct cuda_pages *pages)
{
	plait_error ignored = { .size = sizeof(ignored) };
	struct cuda_pages **link = &self->pages;
	bool last;

	pthread_mutex_lock(&self->pages_lock);
	last = --pages->users == 0;
	while (last && *link != pages)
		link = &(*link)->next;
	if (last)
		*link = pages->next;
	/* Not later: the user may free the pages when this returns. */
	if (last && plaitp_cuda_enter(self, pages->device, &ignored) ==
			    PLAIT_OK) {
		self->cu.cuMemHostUnregister(pages->first);
		plaitp_cuda_leave(self);
	}
	pthread_mutex_unlock(&self->pages_lock);
	if (last)
		self->services->resize(self->host, pages, sizeof(*pages), 0);
}

/* Find the device address. */
static plait_status locate(plait_backend *self, plait_backend_memory *memory,
			   char *pointer, plait_error *error)
{
	CUdeviceptr base = 0;
	CUresult code = self->cu.cuMemHostGetDevicePointer(
		&base, memory->pages->first, 0);

	if (code != CUDA_SUCCESS)
		return plaitp_cuda_fail_call(
			self, plaitp_cuda_number(self, memory->device), error,
			"cuMemHostGetDevicePointer", code, "wrapped memory");
	memory->wrapped = pointer;
	memory->address = base + (CUdeviceptr)(pointer -
					       memory->pages->first);
	return PLAIT_OK;
}

plait_status plaitp_cuda_wrap_memory(plait_backend *self,
				     plait_backend_memory *memory,
				     void *pointer, uint64_t bytes,
				     plait_error *error)
{
	uint32_t device = plaitp_cuda_number(self, memory->device);
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t before = (uintptr_t)pointer & (page - 1);
	struct cuda_pages *fresh = self->services->resize(
		self->host, NULL, 0, sizeof(*fresh));
	plait_status status;
	CUresult code;

	if (fresh == NULL)
		return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM,
					  0, "cuda: no memory for a record of "
					  "pages");
	*fresh = (struct cuda_pages){
		.first = (char *)pointer - before,
		.bytes = (before + (bytes != 0 ? bytes : 1) + page - 1) &
			 ~(page - 1),
		.device = device
	};
	code = take_pages(self, fresh, &memory->pages);
	if (memory->pages != fresh)
		self->services->resize(self->host, fresh, sizeof(*fresh), 0);
	if (memory->pages == NULL)
		return refuse(self, device, code, error);
	status = locate(self, memory, pointer, error);
	if (status != PLAIT_OK)
		drop_pages(self, memory->pages);
	return status;
}

void plaitp_cuda_unwrap_memory(plait_backend *self,
			       plait_backend_memory *memory)
{
	drop_pages(self, memory->pages);
}
