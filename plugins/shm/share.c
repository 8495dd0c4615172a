/* SPDX-License-Identifier: MIT */
/*
 * Memory that peers read in place: pieces of the port's segment, named by their
 * offset.  An offset is used once, so a peer that still maps a piece that was
 * destroyed has a mapping of nothing else: its pages are given back, the segment
 * keeps its length.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "shm.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

static bool round_up(uint64_t bytes, uint64_t *out)
{
	if (__builtin_add_overflow(bytes, SHM_PAGE - 1, out))
		return false;
	*out = *out / SHM_PAGE * SHM_PAGE;
	return true;
}

static plait_status fail_create(plait_backend_port *port, uint64_t bytes,
				const char *why, plait_error *error)
{
	return plaitp_shm_fail(port->self, error, PLAIT_E_NOMEM,
			       "%llu bytes of memory that peers read: %s",
			       (unsigned long long)bytes, why);
}

plait_status plaitp_shm_share_create(plait_backend *self,
				     plait_backend_port *port, uint64_t bytes,
				     void **out, uint64_t *out_place,
				     plait_error *error)
{
	uint64_t whole, end;
	plait_status status;

	(void)self;
	*out = NULL;
	*out_place = 0;
	if (!round_up(bytes, &whole) ||
	    __builtin_add_overflow(port->end, whole, &end) || end > INT64_MAX)
		return fail_create(port, bytes, strerror(EFBIG), error);
	status = plaitp_shm_segment_allocate(port, port->end, whole,
					     "memory that peers read", error);
	if (status != PLAIT_OK)
		return status;
	*out = plaitp_shm_segment_map(port->segment, port->end, whole);
	if (!*out) {
		status = fail_create(port, bytes, strerror(errno), error);
		plaitp_shm_segment_give_back(port->segment, port->end, whole);
		port->end = end;
		return status;
	}
	plaitp_shm_segment_populate(*out, whole);
	*out_place = port->end;
	port->end = end;
	return PLAIT_OK;
}

void plaitp_shm_share_destroy(plait_backend *self, plait_backend_port *port,
			      void *memory, uint64_t place, uint64_t bytes)
{
	uint64_t whole = 0;

	(void)self;
	(void)round_up(bytes, &whole);
	plaitp_shm_segment_unmap(memory, whole);
	plaitp_shm_segment_give_back(port->segment, place, whole);
}

/* Returns true if the range is in the peer's segment, behind its tables. */
static bool is_inside(const plait_backend_port *port, int segment,
		      uint64_t place, uint64_t whole)
{
	struct stat facts;

	return place % SHM_PAGE == 0 && place >= port->base_bytes &&
		whole > 0 && fstat(segment, &facts) == 0 &&
		place <= (uint64_t)facts.st_size &&
		whole <= (uint64_t)facts.st_size - place;
}

plait_status plaitp_shm_share_map(plait_backend *self,
				  plait_backend_port *port, uint32_t peer,
				  uint64_t place, uint64_t bytes,
				  const void **out, plait_error *error)
{
	const struct shm_peer *state = &port->peers[peer];
	uint64_t whole;
	void *pointer;

	*out = NULL;
	if (peer >= port->ranks || !state->base || !round_up(bytes, &whole) ||
	    !is_inside(port, state->segment, place, whole))
		return plaitp_shm_fail(self, error, PLAIT_E_INVALID,
				       "rank %u has no memory of %llu bytes at "
				       "%llu", peer, (unsigned long long)bytes,
				       (unsigned long long)place);
	pointer = mmap(NULL, whole, PROT_READ, MAP_SHARED, state->segment,
		       (off_t)place);
	if (pointer == MAP_FAILED)
		return plaitp_shm_fail(self, error, PLAIT_E_NOMEM,
				       "mapping %llu bytes of rank %u: %s",
				       (unsigned long long)bytes, peer,
				       strerror(errno));
	/* Linux 5.14; without it pages come at their first access. */
	if (whole <= SHM_POPULATE_SHARED)
		(void)madvise(pointer, whole, MADV_POPULATE_READ);
	*out = pointer;
	return PLAIT_OK;
}

void plaitp_shm_share_unmap(plait_backend *self, plait_backend_port *port,
			    const void *memory, uint64_t bytes)
{
	uint64_t whole = 0;

	(void)self;
	(void)port;
	(void)round_up(bytes, &whole);
	plaitp_shm_segment_unmap((void *)(uintptr_t)memory, whole);
}
