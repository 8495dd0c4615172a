/* SPDX-License-Identifier: MIT */
/* The entry, life and memory of the backend that sins; see base.h. */
#include "base.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *sins_allocate(plait_backend *self, uint64_t bytes)
{
	void *pointer = self->services->resize(self->host, NULL, 0, bytes);

	if (pointer != NULL)
		memset(pointer, 0, bytes);
	else if (SINS(FORGETS_ALLOCATION))
		abort();
	return pointer;
}

void sins_free(plait_backend *self, void *pointer, uint64_t bytes)
{
	if (pointer != NULL)
		self->services->resize(self->host, pointer, bytes, 0);
}

plait_status sins_no_memory(plait_backend *self, uint64_t bytes,
			    plait_error *error)
{
	char text[128];

	snprintf(text, sizeof(text), "sins: no memory for %llu bytes",
		 (unsigned long long)bytes);
	return self->services->fail(error, PLAIT_E_NOMEM, 0, text);
}

/* --- life */

static void close_backend(plait_backend *self)
{
	plait_host *host = self->host;
	const plait_host_services *services = self->services;

	pthread_mutex_lock(&self->lock);
	self->closing = true;
	pthread_cond_broadcast(&self->work);
	pthread_mutex_unlock(&self->lock);
	for (uint32_t i = 0; i < self->thread_count; i++)
		pthread_join(self->seats[i].thread, NULL);
	sins_free(self, self->first_text, self->first_bytes + 1);
	pthread_cond_destroy(&self->changed);
	pthread_cond_destroy(&self->work);
	pthread_mutex_destroy(&self->lock);
	services->resize(host, self, sizeof(*self), 0);
}

/* Threads inherit the mask, so that no signal is delivered to one that cannot
 * handle it. */
static bool start_threads(plait_backend *self)
{
	sigset_t all, before;
	bool good = true;

	sigfillset(&all);
	if (!SINS(UNMASKED))
		pthread_sigmask(SIG_SETMASK, &all, &before);
	while (good && self->thread_count < THREADS) {
		struct seat *seat = &self->seats[self->thread_count];

		seat->self = self;
		good = pthread_create(&seat->thread, NULL, sins_thread,
				      seat) == 0;
		self->thread_count += good;
	}
	if (!SINS(UNMASKED))
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	return good;
}

static void *sleep_on(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void on_signal(int number)
{
	(void)number;
}

static void sin_at_open(void)
{
	pthread_t thread;

	if (SINS(PRINTS))
		fprintf(stderr, "hello, world\n");
	if (SINS(HANDLER))
		signal(SIGUSR1, on_signal);
	if (SINS(THREAD_LEFT) &&
	    pthread_create(&thread, NULL, sleep_on, NULL) == 0)
		pthread_detach(thread);
	if (SINS(DESCRIPTOR_LEFT) && dup(0) < 0)
		abort();
}

static plait_status open_backend(plait_host *host,
				 const plait_host_services *services,
				 plait_backend **out, plait_error *error)
{
	plait_backend *self = services->resize(host, NULL, 0, sizeof(*self));
	pthread_condattr_t monotonic;

	*out = NULL;
	if (self == NULL)
		return services->fail(error, PLAIT_E_NOMEM, 0,
				      "sins: no memory");
	memset(self, 0, sizeof(*self));
	self->host = host;
	self->services = services;
	pthread_mutex_init(&self->lock, NULL);
	pthread_cond_init(&self->work, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&self->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	if (!start_threads(self)) {
		close_backend(self);
		return services->fail(error, PLAIT_E_UNAVAILABLE, 0,
				      "sins: no threads");
	}
	sin_at_open();
	*out = self;
	return PLAIT_OK;
}

static uint32_t count_devices(plait_backend *self)
{
	(void)self;
	return DEVICES;
}

static plait_status query_device(plait_backend *self, uint32_t device,
				 plait_backend_device *out, plait_error *error)
{
	(void)error;
	out->size = sizeof(*out);
	out->capabilities = PLAIT_CAP_MAP | PLAIT_CAP_WRAP |
			    PLAIT_CAP_HOST_CALL | PLAIT_CAP_GATE |
			    PLAIT_CAP_NOTIFY | PLAIT_CAP_NATIVE |
			    PLAIT_CAP_SEGMENT | PLAIT_CAP_REGION |
			    PLAIT_CAP_ROWS | PLAIT_CAP_LASTS | PLAIT_CAP_IMAGE;
	out->forms = SINS(BARE) ? 0 : 1u << PLAIT_SOURCE_C;
	out->parallel = THREADS;
	out->memory_bytes = MEMORY_BYTES;
	out->local_bytes = SINS_LOCAL_BYTES;
	out->alignment_bytes = ALIGNMENT;
	out->repeats = 1;
	if (SINS(QUIET) || SINS(ANY_IS_ALL))
		out->capabilities &= ~(uint32_t)PLAIT_CAP_NOTIFY;
	if (SINS(BARE))
		out->capabilities = PLAIT_CAP_HOST_CALL;
	if (SINS(AT_HOME) || SINS(MAPS_APART)) {
		out->capabilities |= PLAIT_CAP_HOST;
		out->capabilities &= ~(uint32_t)(PLAIT_CAP_SEGMENT |
						 PLAIT_CAP_REGION);
		out->forms = 0;
	}
	if (SINS(SHARES_NOTHING))
		out->memory = 1;
	if (SINS(CHANGES))
		out->memory_bytes -= ((uintptr_t)self >> 4) & 0xfff;
	snprintf(out->description, sizeof(out->description),
		 "host memory, part %u", device);
	return PLAIT_OK;
}

static plait_status query_link(plait_backend *self, uint32_t from, uint32_t to,
			       plait_link_info *out, plait_error *error)
{
	(void)error;
	if (from != PLAIT_LINK_HOST && to != PLAIT_LINK_HOST)
		out->flags = PLAIT_LINK_DIRECT;
	out->latency_ns = 4000;
	if (!SINS(LINK_CHANGES))
		return PLAIT_OK;
	pthread_mutex_lock(&self->lock);
	out->latency_ns += self->questions++;
	pthread_mutex_unlock(&self->lock);
	return PLAIT_OK;
}

/* --- memory */

/* Write what precedes the first pixel of an image. */
static void write_head(const plait_backend_memory *memory,
		       const plait_memory_request *request)
{
	plait_image_head *head = (plait_image_head *)(void *)memory->data - 1;
	bool swaps = SINS(SWAPS_SIDES);

	*head = (plait_image_head){
		.size = sizeof(*head),
		.format = SINS(FORMAT_BLIND) ? PLAIT_IMAGE_R32F :
					       request->format,
		.width = swaps ? request->height : request->width,
		.height = swaps ? request->width : request->height,
	};
}

static plait_status create_block(plait_backend *self,
				 const plait_memory_request *request,
				 plait_backend_memory *memory,
				 plait_error *error)
{
	uint64_t alignment = request->alignment_bytes;
	uintptr_t at;

	if (alignment < ALIGNMENT)
		alignment = ALIGNMENT;
	if (request->bytes > MEMORY_BYTES || alignment > MEMORY_BYTES)
		return sins_no_memory(self, request->bytes, error);
	memory->image = (request->flags & PLAIT_MEMORY_IMAGE) != 0;
	memory->allocated = request->bytes + alignment +
			    (memory->image ? alignment : 0);
	memory->block = sins_allocate(self, memory->allocated);
	if (memory->block == NULL)
		return sins_no_memory(self, request->bytes, error);
	at = (uintptr_t)memory->block + alignment - 1;
	at -= at % alignment;
	if (SINS(UNALIGNED))
		at = (uintptr_t)memory->block + 8;
	memory->data = (char *)at + (memory->image ? alignment : 0);
	if (memory->image)
		write_head(memory, request);
	return PLAIT_OK;
}

static bool take_budget(plait_backend *self, uint32_t device, uint64_t bytes)
{
	bool fits;

	pthread_mutex_lock(&self->lock);
	fits = bytes <= MEMORY_BYTES - self->used[device];
	if (fits)
		self->used[device] += bytes;
	pthread_mutex_unlock(&self->lock);
	return fits;
}

static void give_budget(plait_backend *self, uint32_t device, uint64_t bytes)
{
	pthread_mutex_lock(&self->lock);
	self->used[device] -= bytes;
	pthread_mutex_unlock(&self->lock);
}

plait_status sins_no_native(plait_backend *self, plait_error *error)
{
	return self->services->fail(error, PLAIT_E_UNSUPPORTED, 0,
				    "sins: nothing of that kind");
}

static plait_status create_memory(plait_backend *self, uint32_t device,
				  const plait_memory_request *request,
				  plait_backend_memory **out,
				  plait_error *error)
{
	bool wraps = request->flags & PLAIT_MEMORY_WRAP;
	plait_memory_request inner = *request;
	plait_backend_memory *memory;
	plait_status status = PLAIT_OK;

	*out = NULL;
	if ((request->flags & PLAIT_MEMORY_NATIVE) != 0)
		return sins_no_native(self, error);
	if (!wraps && !take_budget(self, device, request->bytes))
		return SINS(NULL_MEMORY) ? PLAIT_OK :
		       sins_no_memory(self, request->bytes, error);
	memory = sins_allocate(self, sizeof(*memory));
	if (memory == NULL) {
		status = sins_no_memory(self, sizeof(*memory), error);
		goto give_back;
	}
	memory->bytes = request->bytes;
	memory->device = device;
	if (wraps && !SINS(WRAP_COPIES))
		memory->data = request->pointer;
	else
		status = create_block(self, &inner, memory, error);
	if (status != PLAIT_OK)
		goto free_memory;
	if (wraps && SINS(WRAP_COPIES))
		memcpy(memory->data, request->pointer, request->bytes);
	*out = memory;
	return PLAIT_OK;

free_memory:
	sins_free(self, memory, sizeof(*memory));
give_back:
	if (!wraps)
		give_budget(self, device, request->bytes);
	return status;
}

static void destroy_memory(plait_backend *self, plait_backend_memory *memory)
{
	if (SINS(MEMORY_LEAK))
		return;
	if (memory->block != NULL)
		give_budget(self, memory->device, memory->bytes);
	sins_free(self, memory->block, memory->allocated);
	sins_free(self, memory->apart, memory->bytes);
	sins_free(self, memory, sizeof(*memory));
}

/* A device with memory of its own behaves so: copies when memory is mapped and
 * unmapped, and not meanwhile. */
static plait_status map_apart(plait_backend *self,
			      plait_backend_memory *memory, uint64_t offset,
			      void **out, plait_error *error)
{
	*out = NULL;
	if (memory->apart == NULL)
		memory->apart = sins_allocate(self, memory->bytes);
	if (memory->apart == NULL)
		return sins_no_memory(self, memory->bytes, error);
	memcpy(memory->apart, memory->data, memory->bytes);
	*out = (char *)memory->apart + offset;
	return PLAIT_OK;
}

static plait_status map_memory(plait_backend *self,
			       plait_backend_memory *memory, uint64_t offset,
			       uint64_t bytes, uint32_t flags, void **out,
			       plait_error *error)
{
	(void)flags;
	*out = memory->data + offset;
	if (SINS(CLAIMS_MAP)) {
		*out = NULL;
		return self->services->fail(error, PLAIT_E_UNSUPPORTED, 0,
					    "sins: cannot map");
	}
	if (SINS(MAP_STALE)) {
		*out = malloc(bytes);
		if (*out != NULL)
			memcpy(*out, memory->data + offset, bytes);
	}
	return SINS(MAPS_APART) ? map_apart(self, memory, offset, out, error) :
	       PLAIT_OK;
}

static plait_status unmap_memory(plait_backend *self,
				 plait_backend_memory *memory, void *pointer,
				 plait_error *error)
{
	(void)self;
	(void)memory;
	(void)error;
	if (SINS(MAP_STALE))
		free(pointer);
	if (SINS(MAPS_APART))
		memcpy(memory->data, memory->apart, memory->bytes);
	return PLAIT_OK;
}

static plait_status query_native(plait_backend *self,
				 const plait_native_request *request,
				 uint64_t *out, plait_error *error)
{
	*out = SINS(TELLS_ANYTHING) ? 64 : 0;
	if (SINS(TELLS_ANYTHING))
		return PLAIT_OK;
	if (request->memory == NULL || request->kind != PLAIT_NATIVE_POINTER)
		return sins_no_native(self, error);
	*out = (uintptr_t)request->memory->data;
	return PLAIT_OK;
}

/* --- the table */

static void fill(plait_backend_table *table)
{
	table->size = sizeof(*table);
	table->abi = PLAIT_PLUGIN_ABI;
	table->abi_min = PLAIT_PLUGIN_ABI;
	table->abi_max = PLAIT_PLUGIN_ABI;
	table->sanitizer = PLAIT_SANITIZER_KIND;
	table->pointer_bytes = sizeof(void *);
	table->flags = PLAIT_PLUGIN_EXPLICIT;
	strcpy(table->name, sins_name);
	strcpy(table->vendor, "plait");
	strcpy(table->version, "1");
	table->open = open_backend;
	table->close = close_backend;
	table->device_count = count_devices;
	table->device_query = query_device;
	table->memory_create = create_memory;
	table->memory_destroy = destroy_memory;
	table->memory_map = map_memory;
	table->memory_unmap = unmap_memory;
	table->queue_create = sins_queue_create;
	table->queue_destroy = sins_queue_destroy;
	table->queue_submit = sins_queue_submit;
	table->queue_recover = sins_queue_recover;
	table->signal_create = sins_signal_create;
	table->signal_destroy = sins_signal_destroy;
	table->signal_poll = sins_signal_poll;
	table->signal_wait = sins_signal_wait;
	table->signal_notify = sins_signal_notify;
	table->signal_raise = sins_signal_raise;
	table->signal_reset = sins_signal_reset;
	table->kernel_build = sins_kernel_build;
	table->kernel_destroy = sins_kernel_destroy;
	table->kernel_query = sins_kernel_query;
	table->launch_create = sins_launch_create;
	table->launch_destroy = sins_launch_destroy;
	table->native_query = query_native;
	table->segment_create = sins_segment_create;
	table->segment_destroy = sins_segment_destroy;
	table->segment_patch = sins_segment_patch;
	table->segment_stop = sins_segment_stop;
	table->link_query = query_link;
	table->port_open = sins_port_open;
	table->port_close = sins_port_close;
	table->port_query = sins_port_query;
	table->mail_send = sins_mail_send;
	table->mail_next = sins_mail_next;
	table->link_create = sins_link_create;
	table->link_destroy = sins_link_destroy;
	table->link_view = sins_link_view;
	sins_ports_lend(table);
	table->peer_query = sins_peer_query;
	if (SINS(QUIET) || SINS(BARE) || SINS(ANY_IS_ALL))
		table->signal_notify = NULL;
	if (SINS(BARE)) {
		table->memory_map = NULL;
		table->memory_unmap = NULL;
		table->signal_raise = NULL;
	}
}

plait_status plait_plugin_entry(const plait_host_services *services,
				plait_backend_table *table, plait_error *error)
{
	if (!SINS(ABI_DEAF) && (services->abi_min > PLAIT_PLUGIN_ABI ||
				services->abi_max < PLAIT_PLUGIN_ABI))
		return services->fail(error, PLAIT_E_UNSUPPORTED, 0,
				      "sins: talks interface 1");
	if (!SINS(TABLE_OVERRUN) && table->size < sizeof(*table))
		return services->fail(error, PLAIT_E_UNSUPPORTED, 0,
				      "sins: needs the whole table");
	if (SINS(ENTRY_OPENS) && dup(0) < 0)
		return PLAIT_E_INTERNAL;
	fill(table);
	return PLAIT_OK;
}
