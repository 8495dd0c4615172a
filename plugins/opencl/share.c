/* SPDX-License-Identifier: MIT */
/*
 * Programs of the kernels that exist, by device and key of the cache: kernels
 * of one text and one set of options share a program, which is compiled and
 * cached once.  A program is built for one device alone, and equal devices have
 * one key.  A program is released with the last kernel that uses it.
 */
#include <string.h>

#include "kernel.h"

struct opencl_program {
	struct opencl_program *next;
	uint64_t total_bytes;
	uint64_t users; /* kernels */
	const struct opencl_device *device;
	cl_program program;
	uint64_t key_bytes;
	char key[];
};

/* Caller holds programs_lock. */
static struct opencl_program *find(const plait_backend *self,
				   const struct opencl_device *device,
				   const char *key, uint64_t key_bytes)
{
	struct opencl_program *program = self->programs;

	while (program != NULL &&
	       (program->device != device || program->key_bytes != key_bytes ||
		memcmp(program->key, key, key_bytes) != 0))
		program = program->next;
	if (program != NULL)
		program->users++;
	return program;
}

cl_program plaitp_opencl_share_find(plait_backend *self,
				    const struct opencl_device *device,
				    const char *key, uint64_t key_bytes,
				    struct opencl_program **out)
{
	pthread_mutex_lock(&self->programs_lock);
	*out = find(self, device, key, key_bytes);
	pthread_mutex_unlock(&self->programs_lock);
	return *out != NULL ? (*out)->program : NULL;
}

static struct opencl_program *make(plait_backend *self,
				   const struct opencl_device *device,
				   const char *key, uint64_t key_bytes,
				   cl_program program)
{
	uint64_t bytes = sizeof(struct opencl_program) + key_bytes;
	struct opencl_program *made = self->services->resize(self->host, NULL,
							     0, bytes);

	if (made == NULL)
		return NULL;
	memset(made, 0, sizeof(*made));
	made->total_bytes = bytes;
	made->users = 1;
	made->device = device;
	made->program = program;
	made->key_bytes = key_bytes;
	memcpy(made->key, key, key_bytes);
	return made;
}

static void destroy(plait_backend *self, struct opencl_program *program)
{
	self->cl.clReleaseProgram(program->program);
	self->services->resize(self->host, program, program->total_bytes, 0);
}

/* Another thread may have built the same text meanwhile: the first one counts.
 * Without memory the program is not shared. */
cl_program plaitp_opencl_share_add(plait_backend *self,
				   const struct opencl_device *device,
				   const char *key, uint64_t key_bytes,
				   cl_program program,
				   struct opencl_program **out)
{
	struct opencl_program *made = make(self, device, key, key_bytes,
					   program);
	struct opencl_program *other;

	*out = made;
	if (made == NULL)
		return program;
	pthread_mutex_lock(&self->programs_lock);
	other = find(self, device, key, key_bytes);
	if (other == NULL) {
		made->next = self->programs;
		self->programs = made;
	}
	pthread_mutex_unlock(&self->programs_lock);
	if (other == NULL)
		return program;
	destroy(self, made);
	*out = other;
	return other->program;
}

void plaitp_opencl_share_drop(plait_backend *self,
			      struct opencl_program *program)
{
	struct opencl_program **link = &self->programs;
	bool last;

	pthread_mutex_lock(&self->programs_lock);
	last = --program->users == 0;
	while (last && *link != program)
		link = &(*link)->next;
	if (last)
		*link = program->next;
	pthread_mutex_unlock(&self->programs_lock);
	if (last)
		destroy(self, program);
}
