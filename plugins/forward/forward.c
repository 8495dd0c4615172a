/* SPDX-License-Identifier: MIT */
/*
 * Forwarding slots, the table of them, and the parts of wrapping and entry that
 * interposers share.
 */
#include <stdio.h>
#include <string.h>

#include "forward/forward.h"

static plait_status admit(forward *self, uint32_t slot, plait_error *error)
{
	return self->admit ? self->admit(self, slot, error) : PLAIT_OK;
}

/* The body of a slot that can fail: `admit`, then the wrapped backend. */
#define FORWARD(slot, ...)						\
	do {								\
		forward *self = forward_of(backend);			\
		plait_status status =					\
			admit(self, FORWARD_SLOT(slot), error);		\
									\
		if (status == PLAIT_OK)					\
			status = self->inner_table->slot(		\
				self->inner, __VA_ARGS__);		\
		return status;						\
	} while (0)

#define FORWARD_DESTROY(slot, ...)					\
	forward_of(backend)->inner_table->slot(				\
		forward_of(backend)->inner, __VA_ARGS__)

/* --- life */

void *plaitp_forward_create(plait_host *host,
			    const plait_host_services *services,
			    const plait_backend_table *inner_table,
			    plait_backend *inner, uint64_t bytes,
			    plait_error *error)
{
	forward *self = services->resize(host, NULL, 0, bytes);

	if (!self) {
		services->fail(error, PLAIT_E_NOMEM, 0,
			       "interposer: no memory to wrap a backend");
		return NULL;
	}
	memset(self, 0, bytes);
	self->host = host;
	self->services = services;
	self->inner_table = inner_table;
	self->inner = inner;
	return self;
}

static plait_status refuse_open(plait_host *host,
				const plait_host_services *services,
				plait_backend **out, plait_error *error)
{
	(void)host;
	*out = NULL;
	return services->fail(error, PLAIT_E_UNSUPPORTED, 0,
			      "an interposer has no devices: name it in "
			      "PLAIT_WRAP to wrap another backend");
}

static uint32_t device_count(plait_backend *backend)
{
	forward *self = forward_of(backend);

	return self->inner_table->device_count(self->inner);
}

static plait_status device_query(plait_backend *backend, uint32_t device,
				 plait_backend_device *out, plait_error *error)
{
	FORWARD(device_query, device, out, error);
}

/* --- memory */

static plait_status memory_create(plait_backend *backend, uint32_t device,
				  const plait_memory_request *request,
				  plait_backend_memory **out,
				  plait_error *error)
{
	*out = NULL;
	FORWARD(memory_create, device, request, out, error);
}

static void memory_destroy(plait_backend *backend,
			   plait_backend_memory *memory)
{
	FORWARD_DESTROY(memory_destroy, memory);
}

static plait_status memory_map(plait_backend *backend,
			       plait_backend_memory *memory, uint64_t offset,
			       uint64_t bytes, plait_map_flags flags,
			       void **out, plait_error *error)
{
	*out = NULL;
	FORWARD(memory_map, memory, offset, bytes, flags, out, error);
}

static plait_status memory_unmap(plait_backend *backend,
				 plait_backend_memory *memory, void *pointer,
				 plait_error *error)
{
	FORWARD(memory_unmap, memory, pointer, error);
}

/* --- queues */

static plait_status queue_create(plait_backend *backend, uint32_t device,
				 const plait_queue_request *request,
				 plait_backend_queue **out, plait_error *error)
{
	*out = NULL;
	FORWARD(queue_create, device, request, out, error);
}

static void queue_destroy(plait_backend *backend, plait_backend_queue *queue)
{
	FORWARD_DESTROY(queue_destroy, queue);
}

static plait_status queue_submit(plait_backend *backend,
				 plait_backend_queue *queue,
				 const plait_submission *submissions,
				 uint32_t count, plait_error *error)
{
	FORWARD(queue_submit, queue, submissions, count, error);
}

static plait_status queue_flush(plait_backend *backend,
				plait_backend_queue *queue, plait_error *error)
{
	if (!forward_of(backend)->inner_table->queue_flush)
		return admit(forward_of(backend), FORWARD_SLOT(queue_flush),
			     error);
	FORWARD(queue_flush, queue, error);
}

static plait_status queue_recover(plait_backend *backend,
				  plait_backend_queue *queue,
				  plait_error *error)
{
	FORWARD(queue_recover, queue, error);
}

/* --- signals */

static plait_status signal_create(plait_backend *backend, uint32_t device,
				  plait_backend_signal_flags flags,
				  plait_backend_signal **out,
				  plait_error *error)
{
	*out = NULL;
	FORWARD(signal_create, device, flags, out, error);
}

static void signal_destroy(plait_backend *backend,
			   plait_backend_signal *signal)
{
	FORWARD_DESTROY(signal_destroy, signal);
}

static plait_status signal_poll(plait_backend *backend,
				const plait_backend_point *point,
				uint64_t *out_reached, plait_error *error)
{
	FORWARD(signal_poll, point, out_reached, error);
}

static plait_status signal_wait(plait_backend *backend,
				const plait_backend_point *points,
				uint32_t count, uint32_t any,
				uint64_t timeout_ns, plait_error *error)
{
	FORWARD(signal_wait, points, count, any, timeout_ns, error);
}

static plait_status refuse(plait_backend *backend, const char *text,
			   plait_error *error)
{
	return forward_of(backend)->services->fail(error, PLAIT_E_UNSUPPORTED,
						   0, text);
}

static plait_status signal_notify(plait_backend *backend,
				  const plait_backend_point *point,
				  plait_notify_function function,
				  void *user_data, plait_error *error)
{
	if (!forward_of(backend)->inner_table->signal_notify)
		return refuse(backend, "this backend does not notify", error);
	FORWARD(signal_notify, point, function, user_data, error);
}

static plait_status signal_raise(plait_backend *backend,
				 const plait_backend_point *point,
				 const plait_error *failure,
				 plait_error *error)
{
	if (!forward_of(backend)->inner_table->signal_raise)
		return refuse(backend, "this backend has no gates", error);
	FORWARD(signal_raise, point, failure, error);
}

static plait_status signal_reset(plait_backend *backend,
				 plait_backend_signal *signal,
				 plait_error *error)
{
	FORWARD(signal_reset, signal, error);
}

static plait_status pump(plait_backend *backend, plait_error *error)
{
	if (!forward_of(backend)->inner_table->pump)
		return refuse(backend, "this backend has no pump", error);
	FORWARD(pump, error);
}

static plait_status wait_in_driver(plait_backend *backend,
				   const plait_backend_point *point,
				   plait_error *error)
{
	if (!forward_of(backend)->inner_table->wait_in_driver)
		return refuse(backend, "this backend has no wait_in_driver",
			      error);
	FORWARD(wait_in_driver, point, error);
}

static void signal_label(plait_backend *backend, plait_backend_signal *signal,
			 const char *label)
{
	if (forward_of(backend)->inner_table->signal_label)
		FORWARD_DESTROY(signal_label, signal, label);
}

static plait_status link_query(plait_backend *backend, uint32_t from,
			       uint32_t to, plait_link_info *out,
			       plait_error *error)
{
	if (!forward_of(backend)->inner_table->link_query)
		return refuse(backend, "this backend tells nothing of links",
			      error);
	FORWARD(link_query, from, to, out, error);
}

static void host_span(plait_backend *backend, const char *owner,
		      const char *label, const plait_work_times *times)
{
	if (forward_of(backend)->inner_table->host_span)
		FORWARD_DESTROY(host_span, owner, label, times);
}

/* --- kernels, native handles, segments */

static plait_status kernel_build(plait_backend *backend, uint32_t device,
				 const plait_code *code,
				 plait_backend_kernel **out,
				 plait_error *error)
{
	*out = NULL;
	FORWARD(kernel_build, device, code, out, error);
}

static void kernel_destroy(plait_backend *backend,
			   plait_backend_kernel *kernel)
{
	FORWARD_DESTROY(kernel_destroy, kernel);
}

static plait_status kernel_query(plait_backend *backend,
				 plait_backend_kernel *kernel,
				 plait_kernel_facts *out, plait_error *error)
{
	FORWARD(kernel_query, kernel, out, error);
}

static plait_status launch_create(plait_backend *backend,
				  const plait_launch_request *request,
				  plait_backend_launch **out,
				  plait_error *error)
{
	*out = NULL;
	FORWARD(launch_create, request, out, error);
}

static void launch_destroy(plait_backend *backend,
			   plait_backend_launch *launch)
{
	FORWARD_DESTROY(launch_destroy, launch);
}

static plait_status native_query(plait_backend *backend,
				 const plait_native_request *request,
				 uint64_t *out, plait_error *error)
{
	*out = 0;
	FORWARD(native_query, request, out, error);
}

static plait_status segment_create(plait_backend *backend, uint32_t device,
				   const plait_segment_request *request,
				   plait_backend_segment **out,
				   plait_error *error)
{
	*out = NULL;
	FORWARD(segment_create, device, request, out, error);
}

static void segment_destroy(plait_backend *backend,
			    plait_backend_segment *segment)
{
	FORWARD_DESTROY(segment_destroy, segment);
}

static plait_status segment_patch(plait_backend *backend,
				  plait_backend_segment *segment,
				  uint32_t index, const plait_work *work,
				  plait_error *error)
{
	FORWARD(segment_patch, segment, index, work, error);
}

static plait_status segment_stop(plait_backend *backend,
				 plait_backend_segment *segment,
				 uint32_t stop, plait_error *error)
{
	FORWARD(segment_stop, segment, stop, error);
}

/* --- ports */

static plait_status port_open(plait_backend *backend,
			      const plait_port_request *request,
			      plait_backend_port **out, plait_error *error)
{
	*out = NULL;
	if (!forward_of(backend)->inner_table->port_open)
		return refuse(backend, "this backend is no transport", error);
	FORWARD(port_open, request, out, error);
}

static void port_close(plait_backend *backend, plait_backend_port *port)
{
	FORWARD_DESTROY(port_close, port);
}

static plait_status port_query(plait_backend *backend,
			       plait_backend_port *port, plait_port *out,
			       plait_error *error)
{
	FORWARD(port_query, port, out, error);
}

static plait_status mail_send(plait_backend *backend, plait_backend_port *port,
			      uint32_t peer, const void *bytes, uint64_t count,
			      plait_error *error)
{
	FORWARD(mail_send, port, peer, bytes, count, error);
}

static plait_status mail_next(plait_backend *backend, plait_backend_port *port,
			      uint32_t *out_peer, void *buffer,
			      uint64_t capacity, uint64_t *out_bytes,
			      plait_error *error)
{
	FORWARD(mail_next, port, out_peer, buffer, capacity, out_bytes, error);
}

static plait_status link_create(plait_backend *backend,
				plait_backend_port *port,
				const plait_link_request *request,
				plait_backend_link **out, plait_error *error)
{
	*out = NULL;
	FORWARD(link_create, port, request, out, error);
}

static void link_destroy(plait_backend *backend, plait_backend_link *link)
{
	FORWARD_DESTROY(link_destroy, link);
}

static plait_status link_view(plait_backend *backend, plait_backend_link *link,
			      plait_link_view *out, plait_error *error)
{
	FORWARD(link_view, link, out, error);
}

static plait_status peer_query(plait_backend *backend,
			       plait_backend_port *port, uint32_t peer,
			       plait_error *error)
{
	FORWARD(peer_query, port, peer, error);
}

static plait_status link_lend(plait_backend *backend, plait_backend_link *link,
			      void *memory, uint64_t bytes, plait_error *error)
{
	FORWARD(link_lend, link, memory, bytes, error);
}

static plait_status link_reclaim(plait_backend *backend,
				 plait_backend_link *link, plait_error *error)
{
	FORWARD(link_reclaim, link, error);
}

static plait_status shared_create(plait_backend *backend,
				  plait_backend_port *port, uint64_t bytes,
				  void **out, uint64_t *out_place,
				  plait_error *error)
{
	*out = NULL;
	FORWARD(shared_create, port, bytes, out, out_place, error);
}

static void shared_destroy(plait_backend *backend, plait_backend_port *port,
			   void *memory, uint64_t place, uint64_t bytes)
{
	FORWARD_DESTROY(shared_destroy, port, memory, place, bytes);
}

static plait_status shared_map(plait_backend *backend,
			       plait_backend_port *port, uint32_t peer,
			       uint64_t place, uint64_t bytes, const void **out,
			       plait_error *error)
{
	*out = NULL;
	FORWARD(shared_map, port, peer, place, bytes, out, error);
}

static void shared_unmap(plait_backend *backend, plait_backend_port *port,
			 const void *memory, uint64_t bytes)
{
	FORWARD_DESTROY(shared_unmap, port, memory, bytes);
}

/* --- the table */

const plait_backend_table plaitp_forward_slots = {
	.size = sizeof(plaitp_forward_slots),
	.abi = PLAIT_PLUGIN_ABI,
	.abi_min = PLAIT_PLUGIN_ABI,
	.abi_max = PLAIT_PLUGIN_ABI,
	.sanitizer = PLAIT_SANITIZER_KIND,
	.pointer_bytes = sizeof(void *),
	.flags = PLAIT_PLUGIN_INTERPOSER | PLAIT_PLUGIN_EXPLICIT,
	.vendor = "plait",
	.version = "0.1.0",
	.open = refuse_open,
	.device_count = device_count,
	.device_query = device_query,
	.memory_create = memory_create,
	.memory_destroy = memory_destroy,
	.memory_map = memory_map,
	.memory_unmap = memory_unmap,
	.queue_create = queue_create,
	.queue_destroy = queue_destroy,
	.queue_submit = queue_submit,
	.queue_flush = queue_flush,
	.queue_recover = queue_recover,
	.signal_create = signal_create,
	.signal_destroy = signal_destroy,
	.signal_poll = signal_poll,
	.signal_wait = signal_wait,
	.signal_notify = signal_notify,
	.signal_raise = signal_raise,
	.signal_reset = signal_reset,
	.pump = pump,
	.kernel_build = kernel_build,
	.kernel_destroy = kernel_destroy,
	.kernel_query = kernel_query,
	.launch_create = launch_create,
	.launch_destroy = launch_destroy,
	.native_query = native_query,
	.segment_create = segment_create,
	.segment_destroy = segment_destroy,
	.segment_patch = segment_patch,
	.segment_stop = segment_stop,
	.wait_in_driver = wait_in_driver,
	.signal_label = signal_label,
	.link_query = link_query,
	.port_open = port_open,
	.port_close = port_close,
	.port_query = port_query,
	.mail_send = mail_send,
	.mail_next = mail_next,
	.link_create = link_create,
	.link_destroy = link_destroy,
	.link_view = link_view,
	.peer_query = peer_query,
	.host_span = host_span,
	.link_lend = link_lend,
	.link_reclaim = link_reclaim,
	.shared_create = shared_create,
	.shared_destroy = shared_destroy,
	.shared_map = shared_map,
	.shared_unmap = shared_unmap,
};

plait_status plaitp_forward_entry(const plait_host_services *services,
				  const char *name, plait_backend_table *table,
				  plait_error *error)
{
	char text[96];

	if (services->abi_min <= PLAIT_PLUGIN_ABI &&
	    services->abi_max >= PLAIT_PLUGIN_ABI &&
	    table->size >= plaitp_forward_slots.size) {
		memcpy(table, &plaitp_forward_slots, sizeof(*table));
		snprintf(table->name, sizeof(table->name), "%s", name);
		return PLAIT_OK;
	}
	snprintf(text, sizeof(text), "%s: only interface %d is "
		 "supported", name, PLAIT_PLUGIN_ABI);
	return services->fail(error, PLAIT_E_UNSUPPORTED, 0, text);
}
