/* SPDX-License-Identifier: MIT */
/*
 * Names of ports: an abstract socket for each, bound while the port is open.
 * The kernel tells a peer that connects which process listens, and frees the
 * name with that process.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "shm.h"

void plaitp_shm_name_of_file(const plait_backend_port *port, uint32_t rank,
			     char out[SHM_FILE_BYTES])
{
	const plait_backend *self = port->self;

	snprintf(out, SHM_FILE_BYTES, "plait-%s-%s-%u-%u", self->transport,
		 port->named ? self->settings.name : "unnamed", port->world,
		 rank);
}

/* Fill the address; returns its length. */
static socklen_t fill_address(const plait_backend_port *port, uint32_t rank,
			      struct sockaddr_un *out)
{
	const plait_backend *self = port->self;
	long process = self->settings.one_process ? (long)getpid() : 0;
	int length;

	memset(out, 0, sizeof(*out));
	out->sun_family = AF_UNIX;
	length = snprintf(out->sun_path + 1, sizeof(out->sun_path) - 1,
			  "plait-%s-%lu-%ld-%s-%u-%u", self->transport,
			  (unsigned long)geteuid(), process,
			  self->settings.name, port->world, rank);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)length);
}

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

/* Returns true for a port of another world of this process, which is no
 * obstacle: the next number is tried. */
static bool is_held_here(const plait_backend_port *port)
{
	struct ucred holder;

	return find_listener(port, port->rank, &holder) == 0 &&
	       holder.pid == getpid();
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

plait_status plaitp_shm_name_take(plait_backend_port *port,
				  plait_error *error)
{
	port->socket = make_socket();
	if (port->socket < 0)
		return plaitp_shm_fail(port->self, error, PLAIT_E_UNAVAILABLE,
				       "socket: %s", strerror(errno));
	for (port->world = 0; port->world < SHM_WORLDS; port->world++) {
		struct sockaddr_un address;
		socklen_t length = fill_address(port, port->rank, &address);

		if (bind(port->socket, (struct sockaddr *)(void *)&address,
			 length) == 0)
			return PLAIT_OK;
		if (errno != EADDRINUSE)
			return plaitp_shm_fail(port->self, error,
					       PLAIT_E_UNAVAILABLE,
					       "the name '%s': %s",
					       port->self->settings.name,
					       strerror(errno));
		if (!is_held_here(port))
			return fail_held(port, error);
	}
	return plaitp_shm_fail(port->self, error, PLAIT_E_NOMEM,
			       "'%s' has %d worlds in this process already",
			       port->self->settings.name, SHM_WORLDS);
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

/* Find the descriptor of the peer's segment among those of its process. */
static int find_segment(pid_t process, const char *file)
{
	char path[64], wanted[SHM_FILE_BYTES + 16], target[SHM_FILE_BYTES + 32];
	int found = -1;
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%ld/fd", (long)process);
	snprintf(wanted, sizeof(wanted), "/memfd:%s (deleted)", file);
	folder = opendir(path);
	if (!folder)
		return -1;
	while (found < 0 && (entry = readdir(folder)) != NULL) {
		ssize_t length = readlinkat(dirfd(folder), entry->d_name,
					    target, sizeof(target) - 1);

		target[length > 0 ? length : 0] = '\0';
		if (strcmp(target, wanted) == 0)
			found = (int)strtol(entry->d_name, NULL, 10);
	}
	(void)closedir(folder);
	return found;
}

plait_status plaitp_shm_name_find(const plait_backend_port *port,
				  uint32_t peer, pid_t *out_process,
				  int *out_segment, plait_error *error)
{
	char file[SHM_FILE_BYTES];
	struct ucred holder;
	int result = find_listener(port, peer, &holder);

	if (result == EAGAIN)
		return PLAIT_PENDING;
	if (result == ECONNREFUSED || result == ENOENT)
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
	plaitp_shm_name_of_file(port, peer, file);
	*out_process = holder.pid;
	*out_segment = find_segment(holder.pid, file);
	return *out_segment < 0 ? PLAIT_PENDING : PLAIT_OK;
}
