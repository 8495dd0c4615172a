/* SPDX-License-Identifier: MIT */
/* An eventfd with four operations; see fd.h. */
#include "sys/fd.h"

#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int plait__fd_open(void)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	return fd >= 0 ? fd : -errno;
}

int plait__fd_raise(int fd)
{
	const uint64_t one = 1;
	ssize_t written;

	do
		written = write(fd, &one, sizeof(one));
	while (written < 0 && errno == EINTR);
	/* EAGAIN: the counter is full, so the descriptor is readable
	 * already. */
	if (written == (ssize_t)sizeof(one) || errno == EAGAIN)
		return 0;
	return -errno;
}

int plait__fd_drain(int fd)
{
	uint64_t count;
	ssize_t got;

	do
		got = read(fd, &count, sizeof(count));
	while (got < 0 && errno == EINTR);
	if (got == (ssize_t)sizeof(count))
		return 1;
	return errno == EAGAIN ? 0 : -errno;
}

void plait__fd_close(int fd)
{
	/* Linux closes the descriptor even with EINTR: never repeat. */
	if (fd >= 0)
		(void)close(fd);
}
