/* SPDX-License-Identifier: MIT */
/* Instances of shm and loopback: open, close, table, errors, memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shm.h"

plait_status plaitp_shm_fail(const plait_backend *self, plait_error *error,
			     plait_status status, const char *format, ...)
{
	char text[PLAIT_ERROR_TEXT_BYTES];
	va_list list;
	int length;

	length = snprintf(text, sizeof(text), "%s: ", self->transport);
	va_start(list, format);
	vsnprintf(text + length, sizeof(text) - (size_t)length, format, list);
	va_end(list);
	return self->services->fail(error, status, 0, text);
}

void *plaitp_shm_allocate(plait_backend *self, uint64_t bytes)
{
	void *block = self->services->resize(self->host, NULL, 0, bytes);

	return block ? memset(block, 0, bytes) : NULL;
}

void plaitp_shm_free(plait_backend *self, void *pointer, uint64_t bytes)
{
	if (pointer)
		self->services->resize(self->host, pointer, bytes, 0);
}

/* The boot of this machine, and its namespace of processes: in both, a
 * process sees its peers. */
static plait_status read_machine(plait_backend *self, plait_error *error)
{
	char text[64] = "";
	struct stat space;
	int file = open("/proc/sys/kernel/random/boot_id",
			O_RDONLY | O_CLOEXEC);
	ssize_t bytes = file < 0 ? -1 : read(file, text, sizeof(text) - 1);
	uint32_t digits = 0;

	if (file >= 0)
		(void)close(file);
	if (bytes <= 0 || stat("/proc/self/ns/pid", &space) != 0)
		return plaitp_shm_fail(self, error, PLAIT_E_UNAVAILABLE,
				       "needs /proc of Linux: %s",
				       strerror(errno));
	for (const char *c = text; *c && digits < 32; c++) {
		unsigned value = *c >= 'a' ? (unsigned)(*c - 'a') + 10 :
			(unsigned)(*c - '0');

		if (value > 15)
			continue;
		self->machine[digits / 2] |=
			(unsigned char)(value << (digits % 2 ? 0 : 4));
		digits++;
	}
	for (uint32_t i = 0; i < sizeof(uint64_t); i++)
		self->machine[i] ^= (unsigned char)(space.st_ino >> (8 * i));
	return PLAIT_OK;
}

/* Ports need descriptors of processes (Linux 5.3). */
static plait_status check_kernel(plait_backend *self, plait_error *error)
{
	int watch = (int)syscall(SYS_pidfd_open, getpid(), 0);

	if (watch < 0)
		return plaitp_shm_fail(self, error, PLAIT_E_UNAVAILABLE,
				       "pidfd_open: %s; needs Linux 5.3 and no "
				       "filter of system calls that forbids it",
				       strerror(errno));
	(void)close(watch);
	return PLAIT_OK;
}

static void close_shm(plait_backend *self)
{
	plaitp_shm_free(self, self, sizeof(*self));
}

plait_status plaitp_shm_instance_open(plait_host *host,
				      const plait_host_services *services,
				      bool one_process, plait_backend **out,
				      plait_error *error)
{
	const char *transport = one_process ? "loopback" : "shm";
	plait_backend *self = services->resize(host, NULL, 0, sizeof(*self));
	plait_status status;

	*out = NULL;
	if (!self)
		return services->fail(error, PLAIT_E_NOMEM, 0,
				      "no memory for a transport");
	memset(self, 0, sizeof(*self));
	self->host = host;
	self->services = services;
	self->transport = transport;
	self->settings.one_process = one_process;
	status = plaitp_shm_option_read(self, error);
	if (status == PLAIT_OK)
		status = check_kernel(self, error);
	if (status == PLAIT_OK)
		status = read_machine(self, error);
	if (status != PLAIT_OK) {
		close_shm(self);
		return status;
	}
	*out = self;
	return PLAIT_OK;
}

static void fill(plait_backend_table *table, const char *name)
{
	table->size = sizeof(*table);
	table->abi = PLAIT_PLUGIN_ABI;
	table->abi_min = PLAIT_PLUGIN_ABI;
	table->abi_max = PLAIT_PLUGIN_ABI;
	table->sanitizer = PLAIT_SANITIZER_KIND;
	table->pointer_bytes = sizeof(void *);
	table->flags = PLAIT_PLUGIN_EXPLICIT | PLAIT_PLUGIN_TRANSPORT;
	snprintf(table->name, sizeof(table->name), "%s", name);
	memcpy(table->vendor, "plait", sizeof("plait"));
	memcpy(table->version, "0.1.0", sizeof("0.1.0"));
	table->close = close_shm;
	table->port_open = plaitp_shm_port_open;
	table->port_close = plaitp_shm_port_close;
	table->port_query = plaitp_shm_port_query;
	table->mail_send = plaitp_shm_mail_send;
	table->mail_next = plaitp_shm_mail_next;
	table->link_create = plaitp_shm_link_create;
	table->link_destroy = plaitp_shm_link_destroy;
	table->link_view = plaitp_shm_link_view;
	table->peer_query = plaitp_shm_peer_query;
	table->shared_create = plaitp_shm_share_create;
	table->shared_destroy = plaitp_shm_share_destroy;
	table->shared_map = plaitp_shm_share_map;
	table->shared_unmap = plaitp_shm_share_unmap;
}

plait_status plaitp_shm_instance_describe(const plait_host_services *services,
					  const char *name,
					  plait_backend_table *table,
					  plait_error *error)
{
	if (services->abi_min > PLAIT_PLUGIN_ABI ||
	    services->abi_max < PLAIT_PLUGIN_ABI ||
	    table->size < sizeof(*table))
		return services->fail(error, PLAIT_E_UNSUPPORTED, 0,
				      "only plugin interface 1 is supported");
	fill(table, name);
	return PLAIT_OK;
}
