/* SPDX-License-Identifier: MIT */
/* Ports: open, close, properties, lost peers, and the end of requests. */
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driven/atomic.h"
#include "port.h"

/* Time that close gives to what is on its way. */
#define CLOSE_WAIT_NS UINT64_C(200000000)

static uint64_t now(const plait_backend *self)
{
	return self->driven.services->clock_ns(self->driven.host);
}

void *plaitp_mpi_map(uint64_t bytes)
{
	void *out = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return out == MAP_FAILED ? NULL : out;
}

void plaitp_mpi_unmap(void *memory, uint64_t bytes)
{
	munmap(memory, bytes);
}

/* --- lost peers ----------------------------------------------------------- */

static const struct mpi_loss *find_loss(const plait_backend_port *port,
					uint32_t peer)
{
	const struct mpi_loss *loss = port->losses;

	while (loss != NULL && loss->peer != peer)
		loss = loss->next;
	return loss;
}

bool plaitp_mpi_is_lost(const plait_backend_port *port, uint32_t peer)
{
	return port->losses != NULL && find_loss(port, peer) != NULL;
}

void plaitp_mpi_lose(plait_backend_port *port, uint32_t peer,
		     const char *format, ...)
{
	const plait_host_services *services = port->self->driven.services;
	struct plait_backend_link *link;
	struct mpi_loss *loss;
	va_list args;

	for (link = port->links; link != NULL; link = link->next)
		if (link->peer == peer)
			link->is_broken = true;
	if (plaitp_mpi_is_lost(port, peer))
		return;
	loss = services->resize(port->self->driven.host, NULL, 0,
				sizeof(*loss));
	/* The links stand still; the world's own limit for silence ends them. */
	if (loss == NULL)
		return;
	va_start(args, format);
	vsnprintf(loss->text, sizeof(loss->text), format, args);
	va_end(args);
	loss->peer = peer;
	loss->next = port->losses;
	port->losses = loss;
}

plait_status plaitp_mpi_port_peer(plait_backend_port *port, uint32_t peer,
				  plait_error *error)
{
	const plait_host_services *services = port->self->driven.services;
	const struct mpi_loss *loss = find_loss(port, peer);

	if (peer >= (uint32_t)port->base->ranks)
		return plaitp_driven_fail(services, error,
					  PLAIT_E_INVALID, 0, MPI_PLUGIN_NAME
					  ": rank %u of %d", peer,
					  port->base->ranks);
	if (loss == NULL)
		return PLAIT_OK;
	return plaitp_driven_fail(services, error, PLAIT_E_LOST,
				  0, MPI_PLUGIN_NAME ": rank %u: %s", peer,
				  loss->text);
}

/* --- requests ------------------------------------------------------------- */

bool plaitp_mpi_settle(plait_backend_port *port, MPI_Request *request,
		       bool is_receive)
{
	const struct mpi_calls *mpi = port->mpi;
	bool is_cancelled = is_receive;
	uint64_t end = port->close_ns;
	int code, done = 0;

	if (*request == mpi->no_request)
		return true;
	if (!plaitp_mpi_is_initialized(mpi))
		return false;
	if (end == 0)
		end = now(port->self) + CLOSE_WAIT_NS;
	if (is_receive)
		mpi->Cancel(request);
	for (;;) {
		code = mpi->Test(request, &done, MPI_STATUS_IGNORE);
		if (code != MPI_SUCCESS || done)
			return code == MPI_SUCCESS;
		if (now(port->self) > end && is_cancelled)
			return false;
		if (now(port->self) > end) {
			mpi->Cancel(request);
			is_cancelled = true;
		}
		sched_yield();
	}
}

/* --- open and close ------------------------------------------------------- */

static plait_status check_request(plait_backend *self,
				  const plait_port_request *request,
				  plait_error *error)
{
	if (request->native_kind == 0 ||
	    request->native_kind == PLAIT_NATIVE_MPI_COMM)
		return PLAIT_OK;
	return plaitp_driven_fail(self->driven.services, error,
				  PLAIT_E_UNSUPPORTED, 0, MPI_PLUGIN_NAME
				  ": native kind %u is no communicator of MPI",
				  request->native_kind);
}

static plait_status check_ranks(plait_backend *self,
				const plait_port_request *request,
				const struct mpi_base *base,
				plait_error *error)
{
	if (request->ranks == 0 || (request->rank == (uint32_t)base->rank &&
				    request->ranks == (uint32_t)base->ranks))
		return PLAIT_OK;
	return plaitp_driven_fail(self->driven.services, error,
				  PLAIT_E_INVALID, 0, MPI_PLUGIN_NAME
				  ": this is rank %d of %d, not %u of %u",
				  base->rank, base->ranks, request->rank,
				  request->ranks);
}

static plait_status start(plait_backend *self, struct mpi_base *base,
			  plait_backend_port **out, plait_error *error)
{
	plait_backend_port *port = self->driven.services->resize(
		self->driven.host, NULL, 0, sizeof(*port));
	plait_status status;

	if (port == NULL)
		return plaitp_driven_fail(self->driven.services, error,
					  PLAIT_E_NOMEM, 0, MPI_PLUGIN_NAME
					  ": no memory for a port");
	memset(port, 0, sizeof(*port));
	port->self = self;
	port->mpi = self->mpi;
	port->base = base;
	port->mail_tag = (int)(base->worlds % MAIL_TAGS);
	status = plaitp_mpi_records_open(port, error);
	if (status != PLAIT_OK) {
		plaitp_mpi_records_close(port);
		self->driven.services->resize(self->driven.host, port,
					      sizeof(*port), 0);
		return status;
	}
	port->next = self->ports;
	self->ports = port;
	*out = port;
	return PLAIT_OK;
}

plait_status plaitp_mpi_port_open(plait_backend *self,
				  const plait_port_request *request,
				  plait_backend_port **out,
				  plait_error *error)
{
	struct mpi_base *base = NULL;
	plait_status status = check_request(self, request, error);

	if (status != PLAIT_OK)
		return status;
	status = plaitp_mpi_process_base(self, request, &base, error);
	if (status != PLAIT_OK)
		return status;
	status = check_ranks(self, request, base, error);
	if (status == PLAIT_OK)
		status = start(self, base, out, error);
	return status;
}

/* Returns true if slots or records are on their way, or slots wait for the other
 * half. */
static bool is_sending(const plait_backend_port *port)
{
	const struct plait_backend_link *link;

	for (link = port->links; link != NULL; link = link->next)
		if (link->direction == PLAIT_LINK_SEND && !link->is_broken &&
		    link->done < plaitp_driven_load64(link->ready))
			return true;
	return port->sending.first != NULL;
}

static void free_losses(plait_backend_port *port)
{
	struct mpi_loss *loss;

	while ((loss = port->losses) != NULL) {
		port->losses = loss->next;
		port->self->driven.services->resize(port->self->driven.host,
						    loss, sizeof(*loss), 0);
	}
}

void plaitp_mpi_port_close(plait_backend *self, plait_backend_port *port)
{
	plait_backend_port **place = &self->ports;
	plait_error ignored;

	port->close_ns = now(self) + CLOSE_WAIT_NS;
	while (is_sending(port) && now(self) < port->close_ns &&
	       plaitp_mpi_is_initialized(self->mpi))
		if (plaitp_mpi_pump(self, &ignored) != PLAIT_OK)
			sched_yield();
	while (port->links != NULL)
		plaitp_mpi_link_free(port->links);
	plaitp_mpi_records_close(port);
	free_losses(port);
	while (*place != port)
		place = &(*place)->next;
	*place = port->next;
	self->driven.services->resize(self->driven.host, port, sizeof(*port),
				      0);
}

/* --- properties ----------------------------------------------------------- */

static unsigned digit_value(char letter)
{
	return letter <= '9' ? (unsigned)(letter - '0')
			     : (unsigned)((letter | 32) - 'a' + 10);
}

/* The machine: the number that Linux has for this boot.  Zeros if there is
 * none. */
static void read_machine(unsigned char out[16])
{
	char text[40] = "";
	int file = open("/proc/sys/kernel/random/boot_id",
			O_RDONLY | O_CLOEXEC);
	ssize_t i, count;
	uint32_t digits = 0;

	memset(out, 0, 16);
	if (file < 0)
		return;
	count = read(file, text, sizeof(text) - 1);
	close(file);
	for (i = 0; i < count && digits < 32; i++)
		if (text[i] != '-' && text[i] != '\n') {
			out[digits / 2] = (unsigned char)(
				out[digits / 2] << 4 | digit_value(text[i]));
			digits++;
		}
}

void plaitp_mpi_port_describe(const plait_backend_port *port, plait_port *out)
{
	out->flags = PLAIT_PORT_KNOWS_RANKS | PLAIT_PORT_NEEDS_PUMP;
	out->rank = (uint32_t)port->base->rank;
	out->ranks = (uint32_t)port->base->ranks;
	out->mail_bytes = MAIL_BYTES;
	out->slot_bytes = SLOT_MOST;
	read_machine(out->machine);
}
