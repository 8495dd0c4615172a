/* SPDX-License-Identifier: MIT */
/* Entry of the plugin chaos: its table. */
#include <string.h>

#include "chaos.h"
#include "port.h"

static const plait_backend_table full = {
	.size = sizeof(full),
	.abi = PLAIT_PLUGIN_ABI,
	.abi_min = PLAIT_PLUGIN_ABI,
	.abi_max = PLAIT_PLUGIN_ABI,
	.sanitizer = PLAIT_SANITIZER_KIND,
	.pointer_bytes = sizeof(void *),
	.flags = PLAIT_PLUGIN_EXPLICIT,
	.name = "chaos",
	.vendor = "plait",
	.version = "0.1.0",
	.open = plaitp_chaos_open,
	.close = plaitp_chaos_close,
	.device_count = plaitp_chaos_device_count,
	.device_query = plaitp_chaos_device_query,
	.memory_create = plaitp_chaos_memory_create,
	.memory_destroy = plaitp_chaos_memory_destroy,
	.memory_map = plaitp_chaos_memory_map,
	.memory_unmap = plaitp_chaos_memory_unmap,
	.queue_create = plaitp_chaos_queue_create,
	.queue_destroy = plaitp_chaos_queue_destroy,
	.queue_submit = plaitp_chaos_queue_submit,
	.queue_flush = plaitp_chaos_queue_flush,
	.queue_recover = plaitp_chaos_queue_recover,
	.signal_create = plaitp_chaos_signal_create,
	.signal_destroy = plaitp_chaos_signal_destroy,
	.signal_poll = plaitp_chaos_signal_poll,
	.signal_wait = plaitp_chaos_signal_wait,
	.signal_notify = plaitp_chaos_signal_notify,
	.signal_raise = plaitp_chaos_signal_raise,
	.signal_reset = plaitp_chaos_signal_reset,
	.pump = plaitp_chaos_pump,
	.kernel_build = plaitp_chaos_kernel_build,
	.kernel_destroy = plaitp_chaos_kernel_destroy,
	.kernel_query = plaitp_chaos_kernel_query,
	.launch_create = plaitp_chaos_launch_create,
	.launch_destroy = plaitp_chaos_launch_destroy,
	.segment_create = plaitp_chaos_segment_create,
	.segment_destroy = plaitp_chaos_segment_destroy,
	.segment_patch = plaitp_chaos_segment_patch,
	.segment_stop = plaitp_chaos_segment_stop,
	.link_query = plaitp_chaos_link_query,
	.port_open = plaitp_chaos_port_open,
	.port_close = plaitp_chaos_port_close,
	.port_query = plaitp_chaos_port_query,
	.mail_send = plaitp_chaos_mail_send,
	.mail_next = plaitp_chaos_mail_next,
	.link_create = plaitp_chaos_wire_create,
	.link_destroy = plaitp_chaos_wire_destroy,
	.link_view = plaitp_chaos_wire_view,
	.peer_query = plaitp_chaos_port_peer,
};

plait_status plait_plugin_entry(const plait_host_services *services,
				plait_backend_table *table,
				plait_error *error)
{
	uint32_t room = table->size;

	if (services->abi_min > PLAIT_PLUGIN_ABI ||
	    services->abi_max < PLAIT_PLUGIN_ABI)
		return services->fail(
			error, PLAIT_E_UNSUPPORTED, 0,
			"chaos: only plugin interface 1 is supported");
	if (room > full.size)
		room = full.size;
	memcpy(table, &full, room);
	table->size = room;
	return PLAIT_OK;
}
