/* SPDX-License-Identifier: MIT */
/*
 * Names of ports: an abstract socket, bound while a port of the name and rank is
 * open in this process.  The kernel tells a peer that connects which process
 * listens, and frees the name with that process.  The ports of the process are
 * numbered in the order in which they were opened; the names of their segments
 * have the numbers.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "shm.h"

/* A process that was forked has the ports of its parent in the list. */
static struct {
	pthread_mutex_t lock; /* guards the fields below */
	plait_backend_port *ports;
	uint64_t opened;
} process = { .lock = PTHREAD_MUTEX_INITIALIZER };

void plaitp_shm_name_lock(void)
{
	pthread_mutex_lock(&process.lock);
}

void plaitp_shm_name_unlock(void)
{
	pthread_mutex_unlock(&process.lock);
}

plait_backend_port *plaitp_shm_name_own(const plait_backend_port *port,
					uint64_t after)
{
	const char *name = port->self->settings.name;
	plait_backend_port *found = NULL, *one;

	for (one = process.ports; one; one = one->next_named)
		if (one->process == getpid() && one->rank == port->rank &&
		    strcmp(one->self->settings.name, name) == 0 &&
		    one->order > after &&
		    (!found || one->order < found->order))
			found = one;
	return found;
}

/* --- texts */

/* "plait-shm-NAME-RANK-": the beginning of the names of a rank's segments. */
static void write_prefix(const plait_backend_port *port, uint32_t rank,
			 char out[SHM_FILE_BYTES])
{
	const plait_backend *self = port->self;

	snprintf(out, SHM_FILE_BYTES, "plait-%s-%s-%u-", self->transport,
		 port->named ? self->settings.name : "unnamed", rank);
}

void plaitp_shm_name_of_file(const plait_backend_port *port,
			     char out[SHM_FILE_BYTES])
{
	size_t length;

	write_prefix(port, port->rank, out);
	length = strlen(out);
	snprintf(out + length, SHM_FILE_BYTES - length, "%llu",
		 (unsigned long long)port->order);
}

/* Fill the address; returns its length. */
static socklen_t fill_address(const plait_backend_port *port, uint32_t rank,
			      struct sockaddr_un *out)
{
	const plait_backend *self = port->self;
	long number = self->settings.one_process ? (long)getpid() : 0;
	int length;

	memset(out, 0, sizeof(*out));
	out->sun_family = AF_UNIX;
	length = snprintf(out->sun_path + 1, sizeof(out->sun_path) - 1,
			  "plait-%s-%lu-%ld-%s-%u", self->transport,
			  (unsigned long)geteuid(), number,
			  self->settings.name, rank);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)length);
}

/* --- the socket */

static int make_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Returns 0 with the credentials of the process that listens, or errno. */
static int find_listener(const plait_backend_port *port, uint32_t rank,
			 struct ucred *out)
{
	struct sockaddr_un address;
	socklen_t length = fill_address(port, rank, &address);
	socklen_t bytes = sizeof(*out);
	int end = make_socket(), result = 0;

	if (end < 0)
		return errno;
	if (connect(end, (struct sockaddr *)(void *)&address, length) != 0 ||
	    getsockopt(end, SOL_SOCKET, SO_PEERCRED, out, &bytes) != 0)
		result = errno;
	(void)close(end);
	return result;
}

static plait_status fail_held(const plait_backend_port *port,
			      plait_error *error)
{
	const plait_backend *self = port->self;
	struct ucred holder;

	if (find_listener(port, port->rank, &holder) != 0)
		return plaitp_shm_fail(self, error, PLAIT_E_BUSY,
				       "rank %u of '%s' was closed, but a "
				       "process forked before holds its name "
				       "until it ends or calls exec", port->rank,
				       self->settings.name);
	return plaitp_shm_fail(self, error, PLAIT_E_INVALID,
			       "rank %u of '%s' is taken by process %ld; each "
			       "rank needs a number of its own, each program "
			       "a name", port->rank, self->settings.name,
			       (long)holder.pid);
}

/* Caller holds the lock. */
static plait_status take(plait_backend_port *port, plait_error *error)
{
	const plait_backend_port *other = plaitp_shm_name_own(port, 0);
	struct sockaddr_un address;
	socklen_t length = fill_address(port, port->rank, &address);

	port->socket = other ? fcntl(other->socket, F_DUPFD_CLOEXEC, 0) :
			       make_socket();
	if (port->socket < 0)
		return plaitp_shm_fail(port->self, error, PLAIT_E_UNAVAILABLE,
				       "socket: %s", strerror(errno));
	if (!other && bind(port->socket, (struct sockaddr *)(void *)&address,
			   length) != 0)
		return errno == EADDRINUSE ? fail_held(port, error) :
			plaitp_shm_fail(port->self, error, PLAIT_E_UNAVAILABLE,
					"the name '%s': %s",
					port->self->settings.name,
					strerror(errno));
	port->order = ++process.opened;
	port->process = getpid();
	port->next_named = process.ports;
	process.ports = port;
	return PLAIT_OK;
}

plait_status plaitp_shm_name_take(plait_backend_port *port,
				  plait_error *error)
{
	plait_status status;

	plaitp_shm_name_lock();
	status = take(port, error);
	plaitp_shm_name_unlock();
	return status;
}

plait_status plaitp_shm_name_publish(plait_backend_port *port,
				     plait_error *error)
{
	if (listen(port->socket, SOMAXCONN) != 0)
		return plaitp_shm_fail(port->self, error, PLAIT_E_UNAVAILABLE,
				       "listen: %s", strerror(errno));
	plaitp_shm_name_lock();
	port->is_published = true;
	plaitp_shm_name_unlock();
	return PLAIT_OK;
}

/* The last port of the name shuts the socket, which a process that was forked may
 * hold, too. */
void plaitp_shm_name_release(plait_backend_port *port)
{
	plait_backend_port **place = &process.ports;

	if (port->socket < 0)
		return;
	plaitp_shm_name_lock();
	while (*place && *place != port)
		place = &(*place)->next_named;
	if (*place)
		*place = port->next_named;
	if (!plaitp_shm_name_own(port, 0))
		(void)shutdown(port->socket, SHUT_RDWR);
	(void)close(port->socket);
	plaitp_shm_name_unlock();
}

/* Connections wait in a queue of the socket, which must not fill. */
void plaitp_shm_name_drain(const plait_backend_port *port)
{
	int end;

	if (port->socket < 0)
		return;
	while ((end = accept4(port->socket, NULL, NULL, SOCK_CLOEXEC)) >= 0)
		(void)close(end);
}

/* --- peers */

/* The number behind "/memfd:PREFIX" in the target of a link; 0: it is none. */
static uint64_t read_order(const char *target, const char *prefix)
{
	static const char begin[] = "/memfd:";
	size_t length = strlen(prefix);
	char *rest;
	uint64_t order;

	if (strncmp(target, begin, sizeof(begin) - 1) != 0 ||
	    strncmp(target + sizeof(begin) - 1, prefix, length) != 0)
		return 0;
	order = strtoull(target + sizeof(begin) - 1 + length, &rest, 10);
	return strcmp(rest, " (deleted)") == 0 ? order : 0;
}

bool plaitp_shm_name_next(const plait_backend_port *port, uint32_t peer,
			  pid_t other, uint64_t after, uint64_t *out_order,
			  int *out_segment)
{
	char path[64], prefix[SHM_FILE_BYTES], target[SHM_FILE_BYTES + 32];
	uint64_t found = UINT64_MAX;
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%ld/fd", (long)other);
	write_prefix(port, peer, prefix);
	folder = opendir(path);
	if (!folder)
		return false;
	while ((entry = readdir(folder)) != NULL) {
		ssize_t length = readlinkat(dirfd(folder), entry->d_name,
					    target, sizeof(target) - 1);
		uint64_t order;

		target[length > 0 ? length : 0] = '\0';
		order = read_order(target, prefix);
		if (order <= after || order >= found)
			continue;
		found = order;
		*out_segment = (int)strtol(entry->d_name, NULL, 10);
	}
	(void)closedir(folder);
	*out_order = found;
	return found != UINT64_MAX;
}

plait_status plaitp_shm_name_find(const plait_backend_port *port,
				  uint32_t peer, pid_t *out_process,
				  plait_error *error)
{
	struct ucred holder;
	int result = find_listener(port, peer, &holder);

	if (result == EAGAIN || result == ECONNREFUSED || result == ENOENT)
		return PLAIT_PENDING;
	if (result != 0)
		return plaitp_shm_fail(port->self, error, PLAIT_E_UNAVAILABLE,
				       "rank %u of '%s': %s", peer,
				       port->self->settings.name,
				       strerror(result));
	if (holder.uid != geteuid())
		return plaitp_shm_fail(port->self, error, PLAIT_E_INVALID,
				       "rank %u of '%s' belongs to user %lu",
				       peer, port->self->settings.name,
				       (unsigned long)holder.uid);
	if (holder.pid == 0)
		return plaitp_shm_fail(port->self, error, PLAIT_E_UNAVAILABLE,
				       "rank %u of '%s' is a process of "
				       "another container; shm needs one "
				       "namespace of processes", peer,
				       port->self->settings.name);
	*out_process = holder.pid;
	return PLAIT_OK;
}
