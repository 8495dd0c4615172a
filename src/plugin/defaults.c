/* SPDX-License-Identifier: MIT */
/* Default functions of optional slots; see defaults.h. */
#include "plugin/defaults.h"

#include "base/error.h"

#include <stddef.h>

static plait_status fail_unsupported(plait_error *error, const char *slot)
{
	return plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "the backend's plugin has no %s", slot);
}

/* An interposer has no instance of its own. */
static plait_status default_open(plait_host *host,
				 const plait_host_services *services,
				 plait_backend **out, plait_error *error)
{
	(void)host;
	(void)services;
	*out = NULL;
	return fail_unsupported(error, "open");
}

/* A transport without devices. */
static uint32_t default_device_count(plait_backend *self)
{
	(void)self;
	return 0;
}

static plait_status default_device_query(plait_backend *self, uint32_t device,
					 plait_backend_device *out,
					 plait_error *error)
{
	(void)self;
	(void)device;
	(void)out;
	return fail_unsupported(error, "device_query");
}

static plait_status default_map(plait_backend *self,
				plait_backend_memory *memory, uint64_t offset,
				uint64_t bytes, uint32_t flags, void **out,
				plait_error *error)
{
	(void)self;
	(void)memory;
	(void)offset;
	(void)bytes;
	(void)flags;
	*out = NULL;
	return fail_unsupported(error, "memory_map");
}

static plait_status default_unmap(plait_backend *self,
				  plait_backend_memory *memory, void *pointer,
				  plait_error *error)
{
	(void)self;
	(void)memory;
	(void)pointer;
	return fail_unsupported(error, "memory_unmap");
}

/* A queue that starts by itself needs no flush. */
static plait_status default_flush(plait_backend *self,
				  plait_backend_queue *queue,
				  plait_error *error)
{
	(void)self;
	(void)queue;
	(void)error;
	return PLAIT_OK;
}

static plait_status default_notify(plait_backend *self,
				   const plait_backend_point *point,
				   plait_notify_function function,
				   void *user_data, plait_error *error)
{
	(void)self;
	(void)point;
	(void)function;
	(void)user_data;
	return fail_unsupported(error, "signal_notify");
}

static plait_status default_raise(plait_backend *self,
				  const plait_backend_point *point,
				  const plait_error *failure,
				  plait_error *error)
{
	(void)self;
	(void)point;
	(void)failure;
	return fail_unsupported(error, "signal_raise");
}

static plait_status default_pump(plait_backend *self, plait_error *error)
{
	(void)self;
	return fail_unsupported(error, "pump");
}

static plait_status default_wait_in_driver(plait_backend *self,
					   const plait_backend_point *point,
					   plait_error *error)
{
	(void)self;
	(void)point;
	return fail_unsupported(error, "wait_in_driver");
}

static void default_signal_label(plait_backend *self,
				 plait_backend_signal *signal,
				 const char *label)
{
	(void)self;
	(void)signal;
	(void)label;
}

/* All figures are unknown, which zeros express. */
static plait_status default_link(plait_backend *self, uint32_t from,
				 uint32_t to, plait_link_info *out,
				 plait_error *error)
{
	(void)self;
	(void)from;
	(void)to;
	(void)out;
	(void)error;
	return PLAIT_OK;
}

static plait_status default_wrap(plait_host *host,
				 const plait_host_services *services,
				 const plait_backend_table *inner_table,
				 plait_backend *inner, plait_backend **out,
				 plait_error *error)
{
	(void)host;
	(void)services;
	(void)inner_table;
	(void)inner;
	*out = NULL;
	return fail_unsupported(error, "wrap");
}

static plait_status default_build(plait_backend *self, uint32_t device,
				  const plait_code *code,
				  plait_backend_kernel **out,
				  plait_error *error)
{
	(void)self;
	(void)device;
	(void)code;
	*out = NULL;
	return fail_unsupported(error, "kernel_build");
}

/* The default kernel_build creates no kernel to destroy. */
static void default_kernel_destroy(plait_backend *self,
				   plait_backend_kernel *kernel)
{
	(void)self;
	(void)kernel;
}

/* All facts are unknown, which zeros express. */
static plait_status default_kernel_query(plait_backend *self,
					 plait_backend_kernel *kernel,
					 plait_kernel_facts *out,
					 plait_error *error)
{
	(void)self;
	(void)kernel;
	(void)out;
	(void)error;
	return PLAIT_OK;
}

static plait_status default_launch(plait_backend *self,
				   const plait_launch_request *request,
				   plait_backend_launch **out,
				   plait_error *error)
{
	(void)self;
	(void)request;
	*out = NULL;
	return fail_unsupported(error, "launch_create");
}

static void default_launch_destroy(plait_backend *self,
				   plait_backend_launch *launch)
{
	(void)self;
	(void)launch;
}

static plait_status default_native(plait_backend *self,
				   const plait_native_request *request,
				   uint64_t *out, plait_error *error)
{
	(void)self;
	(void)request;
	*out = 0;
	return fail_unsupported(error, "native_query");
}

static plait_status default_segment(plait_backend *self, uint32_t device,
				    const plait_segment_request *request,
				    plait_backend_segment **out,
				    plait_error *error)
{
	(void)self;
	(void)device;
	(void)request;
	*out = NULL;
	return fail_unsupported(error, "segment_create");
}

static void default_segment_destroy(plait_backend *self,
				    plait_backend_segment *segment)
{
	(void)self;
	(void)segment;
}

static plait_status default_segment_patch(plait_backend *self,
					  plait_backend_segment *segment,
					  uint32_t index,
					  const plait_work *work,
					  plait_error *error)
{
	(void)self;
	(void)segment;
	(void)index;
	(void)work;
	return fail_unsupported(error, "segment_patch");
}

static plait_status default_segment_stop(plait_backend *self,
					 plait_backend_segment *segment,
					 uint32_t stop, plait_error *error)
{
	(void)self;
	(void)segment;
	(void)stop;
	return fail_unsupported(error, "segment_stop");
}

static plait_status default_port_open(plait_backend *self,
				      const plait_port_request *request,
				      plait_backend_port **out,
				      plait_error *error)
{
	(void)self;
	(void)request;
	*out = NULL;
	return fail_unsupported(error, "port_open");
}

/* The default port_open makes no port for the other slots. */
static void default_port_close(plait_backend *self, plait_backend_port *port)
{
	(void)self;
	(void)port;
}

static plait_status default_port_query(plait_backend *self,
				       plait_backend_port *port,
				       plait_port *out, plait_error *error)
{
	(void)self;
	(void)port;
	(void)out;
	return fail_unsupported(error, "port_query");
}

static plait_status default_mail_send(plait_backend *self,
				      plait_backend_port *port, uint32_t peer,
				      const void *bytes, uint64_t count,
				      plait_error *error)
{
	(void)self;
	(void)port;
	(void)peer;
	(void)bytes;
	(void)count;
	return fail_unsupported(error, "mail_send");
}

static plait_status default_mail_next(plait_backend *self,
				      plait_backend_port *port,
				      uint32_t *out_peer, void *buffer,
				      uint64_t capacity, uint64_t *out_bytes,
				      plait_error *error)
{
	(void)self;
	(void)port;
	(void)out_peer;
	(void)buffer;
	(void)capacity;
	(void)out_bytes;
	return fail_unsupported(error, "mail_next");
}

static plait_status default_link_create(plait_backend *self,
					plait_backend_port *port,
					const plait_link_request *request,
					plait_backend_link **out,
					plait_error *error)
{
	(void)self;
	(void)port;
	(void)request;
	*out = NULL;
	return fail_unsupported(error, "link_create");
}

static void default_link_destroy(plait_backend *self, plait_backend_link *link)
{
	(void)self;
	(void)link;
}

static plait_status default_link_view(plait_backend *self,
				      plait_backend_link *link,
				      plait_link_view *out, plait_error *error)
{
	(void)self;
	(void)link;
	(void)out;
	return fail_unsupported(error, "link_view");
}

static plait_status default_peer_query(plait_backend *self,
				       plait_backend_port *port, uint32_t peer,
				       plait_error *error)
{
	(void)self;
	(void)port;
	(void)peer;
	return fail_unsupported(error, "peer_query");
}

/* No view of such a transport has `lent`. */
static plait_status default_link_lend(plait_backend *self,
				      plait_backend_link *link, void *memory,
				      uint64_t bytes, plait_error *error)
{
	(void)self;
	(void)link;
	(void)memory;
	(void)bytes;
	return fail_unsupported(error, "link_lend");
}

static plait_status default_link_reclaim(plait_backend *self,
					 plait_backend_link *link,
					 plait_error *error)
{
	(void)self;
	(void)link;
	(void)error;
	return PLAIT_OK;
}

/* No port of such a transport has PLAIT_PORT_SHARES_MEMORY. */
static plait_status default_shared_create(plait_backend *self,
					  plait_backend_port *port,
					  uint64_t bytes, void **out,
					  uint64_t *out_place,
					  plait_error *error)
{
	(void)self;
	(void)port;
	(void)bytes;
	(void)out;
	(void)out_place;
	return fail_unsupported(error, "shared_create");
}

static void default_shared_destroy(plait_backend *self,
				   plait_backend_port *port, void *memory,
				   uint64_t place, uint64_t bytes)
{
	(void)self;
	(void)port;
	(void)memory;
	(void)place;
	(void)bytes;
}

static plait_status default_shared_map(plait_backend *self,
				       plait_backend_port *port, uint32_t peer,
				       uint64_t place, uint64_t bytes,
				       const void **out, plait_error *error)
{
	(void)self;
	(void)port;
	(void)peer;
	(void)place;
	(void)bytes;
	(void)out;
	return fail_unsupported(error, "shared_map");
}

static void default_shared_unmap(plait_backend *self, plait_backend_port *port,
				 const void *memory, uint64_t bytes)
{
	(void)self;
	(void)port;
	(void)memory;
	(void)bytes;
}

static void fill_shared(plait_backend_table *table)
{
	if (table->shared_create != NULL)
		return;
	table->shared_create = default_shared_create;
	table->shared_destroy = default_shared_destroy;
	table->shared_map = default_shared_map;
	table->shared_unmap = default_shared_unmap;
}

/* All nine slots are there, or none. */
static void fill_ports(plait_backend_table *table)
{
	if (table->link_lend == NULL) {
		table->link_lend = default_link_lend;
		table->link_reclaim = default_link_reclaim;
	}
	fill_shared(table);
	if (table->port_open != NULL)
		return;
	table->port_open = default_port_open;
	table->port_close = default_port_close;
	table->port_query = default_port_query;
	table->mail_send = default_mail_send;
	table->mail_next = default_mail_next;
	table->link_create = default_link_create;
	table->link_destroy = default_link_destroy;
	table->link_view = default_link_view;
	table->peer_query = default_peer_query;
}

static void fill_segments(plait_backend_table *table)
{
	if (table->segment_create == NULL)
		table->segment_create = default_segment;
	if (table->segment_destroy == NULL)
		table->segment_destroy = default_segment_destroy;
	if (table->segment_patch == NULL)
		table->segment_patch = default_segment_patch;
	if (table->segment_stop == NULL)
		table->segment_stop = default_segment_stop;
}

static void fill_kernels(plait_backend_table *table)
{
	if (table->kernel_build == NULL)
		table->kernel_build = default_build;
	if (table->kernel_destroy == NULL)
		table->kernel_destroy = default_kernel_destroy;
	if (table->kernel_query == NULL)
		table->kernel_query = default_kernel_query;
	if (table->launch_create == NULL)
		table->launch_create = default_launch;
	if (table->launch_destroy == NULL)
		table->launch_destroy = default_launch_destroy;
}

void plait__defaults_fill(plait_backend_table *table)
{
	if (table->open == NULL)
		table->open = default_open;
	if (table->device_count == NULL)
		table->device_count = default_device_count;
	if (table->device_query == NULL)
		table->device_query = default_device_query;
	if (table->memory_map == NULL)
		table->memory_map = default_map;
	if (table->memory_unmap == NULL)
		table->memory_unmap = default_unmap;
	if (table->queue_flush == NULL)
		table->queue_flush = default_flush;
	if (table->signal_notify == NULL)
		table->signal_notify = default_notify;
	if (table->signal_raise == NULL)
		table->signal_raise = default_raise;
	if (table->pump == NULL)
		table->pump = default_pump;
	if (table->wait_in_driver == NULL)
		table->wait_in_driver = default_wait_in_driver;
	if (table->signal_label == NULL)
		table->signal_label = default_signal_label;
	if (table->link_query == NULL)
		table->link_query = default_link;
	if (table->wrap == NULL)
		table->wrap = default_wrap;
	if (table->native_query == NULL)
		table->native_query = default_native;
	fill_kernels(table);
	fill_segments(table);
	fill_ports(table);
}

bool plait__defaults_can_wait_in_driver(const plait_backend_table *table)
{
	return table->wait_in_driver != default_wait_in_driver;
}

bool plait__defaults_has_ports(const plait_backend_table *table)
{
	return table->port_open != default_port_open;
}

/* Returns a missing slot of those that a device with source forms must have. */
static const char *find_kernel_gap(const plait_backend_table *table)
{
	if (table->kernel_build == default_build)
		return "kernel_build";
	if (table->kernel_destroy == default_kernel_destroy)
		return "kernel_destroy";
	if (table->launch_create == default_launch)
		return "launch_create";
	if (table->launch_destroy == default_launch_destroy)
		return "launch_destroy";
	return NULL;
}

static const char *find_segment_gap(const plait_backend_table *table)
{
	if (table->segment_create == default_segment)
		return "segment_create";
	if (table->segment_destroy == default_segment_destroy)
		return "segment_destroy";
	if (table->segment_patch == default_segment_patch)
		return "segment_patch";
	return NULL;
}

const char *plait__defaults_find_gap(const plait_backend_table *table,
				     uint32_t capabilities, uint32_t forms)
{
	if ((capabilities & PLAIT_CAP_MAP) != 0 &&
	    table->memory_map == default_map)
		return "memory_map";
	if ((capabilities & PLAIT_CAP_NOTIFY) != 0 &&
	    table->signal_notify == default_notify)
		return "signal_notify";
	if ((capabilities & PLAIT_CAP_GATE) != 0 &&
	    table->signal_raise == default_raise)
		return "signal_raise";
	if ((capabilities & PLAIT_CAP_NEEDS_PUMP) != 0 &&
	    table->pump == default_pump)
		return "pump";
	if ((capabilities & PLAIT_CAP_NATIVE) != 0 &&
	    table->native_query == default_native)
		return "native_query";
	if ((capabilities & PLAIT_CAP_SEGMENT) != 0 &&
	    find_segment_gap(table) != NULL)
		return find_segment_gap(table);
	if ((capabilities & PLAIT_CAP_REGION) != 0 &&
	    table->segment_stop == default_segment_stop)
		return "segment_stop";
	return forms != 0 ? find_kernel_gap(table) : NULL;
}
