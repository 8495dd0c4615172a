/* SPDX-License-Identifier: MIT */
/*
 * Transport shm in one process: what fails here is not taken for the end of a peer.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shm/shm.h"

#include "lib/ranks.h"
#include "lib/tap.h"

static char name[32];

static void new_name(void)
{
	static unsigned count;

	snprintf(name, sizeof(name), "f%ld.%u", (long)getpid(), count++);
}

/* The descriptor of the segment, which is this process's. */
static int segment_of(const struct rank *rank)
{
	uint32_t segment;

	memcpy(&segment, rank->facts.address + sizeof(segment),
	       sizeof(segment));
	return (int)segment;
}

/* A process without free descriptors says so, and does not call peers lost. */
static void descriptors_run_out(void)
{
	static struct rank ends[2];
	struct rlimit before, none;

	new_name();
	if (!ranks_open(ends, 2, "shm", name))
		return;
	IS_INT(rank_send(&ends[1], 0, "x", 1), PLAIT_OK);
	IS_INT(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	IS_INT(setrlimit(RLIMIT_NOFILE, &none), 0);
	IS_INT(ends[0].table.peer_query(ends[0].self, ends[0].port, 1,
					&ends[0].error), PLAIT_OK);
	IS_INT(ends[0].table.mail_send(ends[0].self, ends[0].port, 1, "y", 1,
				       &ends[0].error), PLAIT_E_NOMEM);
	HAS_STR(ends[0].error.text, "Too many open files");
	IS_INT(setrlimit(RLIMIT_NOFILE, &before), 0);
	IS_INT(rank_send(&ends[0], 1, "z", 1), PLAIT_OK);
	ranks_close(ends, 2);
}

/* A port that is found while it opens, as the next one of a name may be, counts
 * as not open yet. */
static void incomplete_segments_are_not_there(void)
{
	static struct rank ends[2];
	struct shm_head *head, whole;

	new_name();
	if (!ranks_open(ends, 2, "shm", name))
		return;
	head = mmap(NULL, sizeof(*head), PROT_READ | PROT_WRITE, MAP_SHARED,
		    segment_of(&ends[0]), 0);
	if (!OK(head != MAP_FAILED))
		return;
	whole = *head;
	head->magic = 0;
	head->version = 0;
	IS_INT(ends[1].table.mail_send(ends[1].self, ends[1].port, 0, "x", 1,
				       &ends[1].error), PLAIT_E_BUSY);
	HAS_STR(ends[1].error.text, "has not opened its port yet");
	head->version = SHM_VERSION + 1;
	head->magic = whole.magic;
	IS_INT(ends[1].table.mail_send(ends[1].self, ends[1].port, 0, "x", 1,
				       &ends[1].error), PLAIT_E_UNSUPPORTED);
	head->version = whole.version;
	IS_INT(rank_send(&ends[1], 0, "x", 1), PLAIT_OK);
	(void)munmap(head, sizeof(*head));
	ranks_close(ends, 2);
}

/* The plugin's, in place of libc's: the call that `fault_at` counts down to fails;
 * 0: none does. */
static unsigned fault_at;
static int fault;

__attribute__((visibility("default")))
int posix_fallocate(int file, off_t offset, off_t bytes)
{
	if (fault_at > 0 && --fault_at == 0)
		return fault;
	return fallocate(file, 0, offset, bytes) == 0 ? 0 : errno;
}

static plait_status link_with_fault(struct rank *ends, uint64_t number,
				    int error, unsigned at)
{
	struct half half;
	plait_status status;

	fault = error;
	fault_at = at;
	status = rank_link(&ends[0], NULL,
			   rank_link_to(1, PLAIT_LINK_RECEIVE, number, 4,
					number << 20), &half);
	IS_UINT(fault_at, 0);
	if (status == PLAIT_OK)
		half_close(&ends[0], &half);
	return status;
}

/* Signals interrupt the allocation on some kernels: it goes on.  After a failure
 * in its middle the memory is free. */
static void allocations_fail(void)
{
	static struct rank ends[2];
	struct stat before, after;

	new_name();
	if (!ranks_open(ends, 2, "shm", name))
		return;
	IS_INT(link_with_fault(ends, 1, EINTR, 1), PLAIT_OK);
	IS_INT(link_with_fault(ends, 3, EINTR, 5), PLAIT_OK);
	IS_INT(fstat(segment_of(&ends[0]), &before), 0);
	IS_INT(link_with_fault(ends, 7, ENOSPC, 1), PLAIT_E_NOMEM);
	IS_INT(link_with_fault(ends, 7, ENOSPC, 9), PLAIT_E_NOMEM);
	HAS_STR(ends[0].error.text, "No space left on device");
	IS_INT(fstat(segment_of(&ends[0]), &after), 0);
	IS_INT(after.st_blocks, before.st_blocks);
	ranks_close(ends, 2);
}

/* The segment itself is allocated, or the port is not opened. */
static void ports_need_memory(void)
{
	static struct rank rank;
	char options[96];
	struct stat facts;

	new_name();
	snprintf(options, sizeof(options), "rank=0 ranks=2 name=%s", name);
	if (!OK(rank_load(&rank, "shm", options) == PLAIT_OK))
		return;
	fault = ENOSPC;
	fault_at = 1;
	IS_INT(rank_open(&rank, NULL), PLAIT_E_NOMEM);
	HAS_STR(rank.error.text, "No space left on device");
	fault_at = 0;
	IS_INT(rank_open(&rank, NULL), PLAIT_OK);
	IS_INT(fstat(segment_of(&rank), &facts), 0);
	OK(facts.st_size > 0);
	OK(facts.st_blocks * 512 >= facts.st_size);
	rank_close(&rank);
	rank_unload(&rank);
}

/* --- a mapping that fails */

static struct rank *leaving; /* destroys `left` when mmap fails */
static struct half left;
static bool no_mapping;

#if defined(__has_feature)
#define HAS_SANITIZER \
	(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif

#if !HAS_SANITIZER
__attribute__((visibility("default")))
void *mmap(void *at, size_t bytes, int access, int flags, int file, off_t offset)
{
	if (!no_mapping)
		return (void *)syscall(SYS_mmap, at, bytes, access, flags,
				       file, offset);
	no_mapping = false;
	if (leaving)
		half_close(leaving, &left);
	errno = ENOMEM;
	return MAP_FAILED;
}
#endif

/* A sender whose mapping fails gives the offer back, and takes it later. */
static void senders_try_again(struct rank *ends)
{
	struct half in, out;

	IS_INT(rank_link(&ends[0], NULL, rank_link_to(1, 1, 1, 2, 64), &in),
	       PLAIT_OK);
	no_mapping = true;
	IS_INT(rank_link(&ends[1], NULL, rank_link_to(0, 0, 1, 2, 64), &out),
	       PLAIT_E_NOMEM);
	OK(!no_mapping);
	IS_INT(rank_link(&ends[1], NULL, rank_link_to(0, 0, 1, 2, 64), &out),
	       PLAIT_OK);
	half_send(&out, 5, "x", 1);
	IS_UINT(half_receive(&in, NULL, NULL), 5);
	half_close(&ends[0], &in);
	half_close(&ends[1], &out);
}

/* If the receiver leaves meanwhile, nothing is offered: not to the next sender of
 * the number, and its memory is used again. */
static void offers_end_with_receivers(struct rank *ends)
{
	struct stat before, after;
	struct half in, out;

	IS_INT(rank_link(&ends[0], NULL, rank_link_to(1, 1, 2, 2, 64), &left),
	       PLAIT_OK);
	IS_INT(fstat(segment_of(&ends[0]), &before), 0);
	leaving = &ends[0];
	no_mapping = true;
	IS_INT(rank_link(&ends[1], NULL, rank_link_to(0, 0, 2, 2, 64), &out),
	       PLAIT_E_NOMEM);
	leaving = NULL;
	IS_INT(rank_link(&ends[1], NULL, rank_link_to(0, 0, 2, 2, 64), &out),
	       PLAIT_PENDING);
	IS_INT(rank_link(&ends[0], NULL, rank_link_to(1, 1, 2, 2, 64), &in),
	       PLAIT_OK);
	IS_INT(fstat(segment_of(&ends[0]), &after), 0);
	IS_INT(after.st_size, before.st_size);
	IS_INT(rank_link(&ends[1], NULL, rank_link_to(0, 0, 2, 2, 64), &out),
	       PLAIT_OK);
	half_send(&out, 6, "x", 1);
	IS_UINT(half_receive(&in, NULL, NULL), 6);
	half_close(&ends[1], &out);
	half_close(&ends[0], &in);
}

static void mappings_fail(void)
{
	static struct rank ends[2];

	if (HAS_SANITIZER) {
		SKIP("a sanitizer has mmap");
		return;
	}
	new_name();
	if (!ranks_open(ends, 2, "shm", name))
		return;
	senders_try_again(ends);
	offers_end_with_receivers(ends);
	ranks_close(ends, 2);
}

static const struct tap_scenario all[] = {
	{ "descriptors run out", descriptors_run_out },
	{ "incomplete segments are not there",
	  incomplete_segments_are_not_there },
	{ "allocations fail", allocations_fail },
	{ "ports need memory", ports_need_memory },
	{ "mappings fail", mappings_fail },
};
TAP_MAIN(all)
