/* SPDX-License-Identifier: MIT */
/* Segments: layout, creation and mapping. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "room.h"
#include "shm.h"

/* Bytes that are allocated between two looks at the memory that is left. */
enum { LOOK = 1 << 22 };

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static uint64_t directory_offset(uint32_t ranks)
{
	return sizeof(struct shm_head) + ranks * sizeof(struct shm_mailbox);
}

uint64_t plaitp_shm_segment_bytes(uint32_t ranks)
{
	uint64_t bytes = directory_offset(ranks) +
		SHM_LINKS * sizeof(struct shm_entry);

	return (bytes + SHM_PAGE - 1) / SHM_PAGE * SHM_PAGE;
}

struct shm_head *plaitp_shm_segment_head(unsigned char *base)
{
	return (struct shm_head *)(void *)base;
}

struct shm_mailbox *plaitp_shm_segment_mailbox(unsigned char *base,
					       uint32_t rank)
{
	return (struct shm_mailbox *)(void *)(base + sizeof(struct shm_head)) +
		rank;
}

struct shm_entry *plaitp_shm_segment_entry(unsigned char *base, uint32_t ranks,
					   uint32_t place)
{
	return (struct shm_entry *)(void *)(base + directory_offset(ranks)) +
		place;
}

void *plaitp_shm_segment_map(int segment, uint64_t offset, uint64_t bytes)
{
	void *pointer = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			     segment, (off_t)offset);

	return pointer == MAP_FAILED ? NULL : pointer;
}

void plaitp_shm_segment_populate(void *pointer, uint64_t bytes)
{
	/* Linux 5.14; without it pages come at their first access. */
	(void)madvise(pointer, bytes, MADV_POPULATE_WRITE);
}

void plaitp_shm_segment_unmap(void *pointer, uint64_t bytes)
{
	if (pointer)
		(void)munmap(pointer, bytes);
}

void plaitp_shm_segment_give_back(int segment, uint64_t offset, uint64_t bytes)
{
	(void)fallocate(segment, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			(off_t)offset, (off_t)bytes);
}

/* Each of the other ranks may have found room for as much as it takes up to its next
 * look.  Of very many some are on other machines, or idle. */
static uint64_t reserve_of(const plait_backend_port *port, uint64_t bytes)
{
	enum { MOST = 1 << 26 };
	uint64_t each = bytes < LOOK ? bytes : LOOK;
	uint64_t all = (port->ranks - 1ull) * each;

	return all < MOST ? all : MOST;
}

/* Other processes take memory meanwhile, so each part looks; but small ranges look
 * when they are a part together. */
static plait_status find_room(plait_backend_port *port, uint64_t done,
			      uint64_t bytes, const char *purpose,
			      plait_error *error)
{
	uint64_t reserve = reserve_of(port, bytes);
	struct shm_room room;

	if (done % LOOK != 0)
		return PLAIT_OK;
	if (done == 0) {
		port->unlooked += bytes;
		if (port->unlooked < LOOK)
			return PLAIT_OK;
	}
	plaitp_shm_room_find(&room);
	if (bytes - done <= room.bytes &&
	    reserve <= room.bytes - (bytes - done)) {
		port->unlooked = 0;
		return PLAIT_OK;
	}
	/* The next range looks again, however small it is. */
	port->unlooked = LOOK;
	return plaitp_shm_fail(port->self, error, PLAIT_E_NOMEM,
			       "%llu bytes for %s: with %llu for other ranks "
			       "too much; %llu are left of %s",
			       (unsigned long long)(bytes - done), purpose,
			       (unsigned long long)reserve,
			       (unsigned long long)room.bytes, room.of);
}

/* A signal ends the call for the whole range, which starts again then: parts are
 * short. */
static plait_status allocate_part(plait_backend_port *port, uint64_t offset,
				  uint64_t bytes, const char *purpose,
				  plait_error *error)
{
	int result;

	do
		result = posix_fallocate(port->segment, (off_t)offset,
					 (off_t)bytes);
	while (result == EINTR);
	if (result == 0)
		return PLAIT_OK;
	return plaitp_shm_fail(port->self, error, PLAIT_E_NOMEM,
			       "%llu bytes for %s: %s",
			       (unsigned long long)bytes, purpose,
			       strerror(result));
}

plait_status plaitp_shm_segment_allocate(plait_backend_port *port,
					 uint64_t offset, uint64_t bytes,
					 const char *purpose,
					 plait_error *error)
{
	enum { PART = 1 << 18 };
	uint64_t part;

	for (uint64_t done = 0; done < bytes; done += part) {
		plait_status status = find_room(port, done, bytes, purpose,
						error);

		part = bytes - done < PART ? bytes - done : PART;
		if (status == PLAIT_OK)
			status = allocate_part(port, offset + done, part,
					       purpose, error);
		if (status == PLAIT_OK)
			continue;
		if (done > 0)
			plaitp_shm_segment_give_back(port->segment, offset,
						     done);
		return status;
	}
	return PLAIT_OK;
}

static void write_head(const plait_backend_port *port)
{
	struct shm_head *head = plaitp_shm_segment_head(port->base);

	head->token = port->token;
	head->version = SHM_VERSION;
	head->rank = port->rank;
	head->ranks = port->ranks;
	head->descriptor = (uint32_t)port->segment;
	/* Release: pairs with the load in peer.c, of peers that found the
	 * segment before this. */
	plaitp_driven_store64(&head->magic, SHM_MAGIC);
}

/* On failure the caller closes the segment, if there is one. */
plait_status plaitp_shm_segment_create(plait_backend_port *port,
				       plait_error *error)
{
	char name[SHM_FILE_BYTES];
	plait_status status;

	plaitp_shm_name_of_file(port, name);
	port->base_bytes = plaitp_shm_segment_bytes(port->ranks);
	port->end = port->base_bytes;
	port->segment = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (port->segment < 0)
		return plaitp_shm_fail(port->self, error, PLAIT_E_UNAVAILABLE,
				       "memfd_create: %s", strerror(errno));
	/* A segment that shrinks would be a signal in every process. */
	status = plaitp_shm_segment_allocate(port, 0, port->end, "a segment",
					     error);
	if (status != PLAIT_OK)
		return status;
	if (fcntl(port->segment, F_ADD_SEALS, F_SEAL_SHRINK) != 0)
		return plaitp_shm_fail(port->self, error, PLAIT_E_NOMEM,
				       "a seal of a segment: %s",
				       strerror(errno));
	port->base = plaitp_shm_segment_map(port->segment, 0,
					    port->base_bytes);
	if (!port->base)
		return plaitp_shm_fail(port->self, error, PLAIT_E_NOMEM,
				       "mapping a segment of %llu bytes: %s",
				       (unsigned long long)port->end,
				       strerror(errno));
	write_head(port);
	return PLAIT_OK;
}
