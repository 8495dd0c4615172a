/* SPDX-License-Identifier: MIT */
/*
 * Failing system calls: each system call of every public function fails once.
 * An error comes back or another way is taken; nothing hangs, nothing is left,
 * and the same call works afterwards.  The calls are in t/fault/calls.
 *
 * The kernel asks a thread of this test about each system call (seccomp, user
 * notification) of any thread, so that the test can choose the k-th one.
 */
#include "calls.h"

#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The system calls that may fail, and how.  Not listed: calls that cannot fail
 * in the kernel (exit, wake, unmap, signal masks), those that fail without
 * effect (close), and those that only other libraries make: the C library for a
 * heap (t/fault/allocations.c has that), hwloc for flags of a descriptor (it
 * loses the descriptor when it gets no answer).
 */
static const struct {
	uint32_t number;
	int error;
	const char *name;
} calls[] = {
	{ SYS_eventfd2, EMFILE, "eventfd2" },
	{ SYS_membarrier, EPERM, "membarrier" },
	{ SYS_clone3, EAGAIN, "clone3" },
#ifdef SYS_clone
	{ SYS_clone, EAGAIN, "clone" },
#endif
	{ SYS_openat, EMFILE, "openat" },
	{ SYS_read, EIO, "read" },
	{ SYS_pread64, EIO, "pread64" },
	{ SYS_newfstatat, EACCES, "newfstatat" },
	{ SYS_getdents64, EIO, "getdents64" },
	{ SYS_readlinkat, EACCES, "readlinkat" },
	{ SYS_write, ENOSPC, "write" },
	{ SYS_fsync, EIO, "fsync" },
	{ SYS_fstat, EIO, "fstat" },
	{ SYS_fchmod, EPERM, "fchmod" },
	{ SYS_madvise, EINVAL, "madvise" },
	{ SYS_sched_getaffinity, ENOSYS, "sched_getaffinity" },
	{ SYS_sched_setaffinity, EINVAL, "sched_setaffinity" },
	{ SYS_prctl, EINVAL, "prctl" },
#ifdef SYS_readlink
	{ SYS_readlink, EACCES, "readlink" },
#endif
#ifdef SYS_rename
	{ SYS_rename, EACCES, "rename" },
#endif
#ifdef SYS_access
	{ SYS_access, EACCES, "access" },
#endif
#ifdef SYS_open
	{ SYS_open, EMFILE, "open" },
#endif
};

static struct {
	int listener;
	uint64_t count; /* since armed */
	uint64_t fail;	/* which one; 0: none */
	uint64_t hit;	/* 1 + index in calls */
} kernel;

static int find(uint32_t number)
{
	size_t i;

	for (i = 0; i < TAP_COUNT(calls); i++)
		if (calls[i].number == number)
			return (int)i;
	return -1;
}

static int judge(uint32_t number)
{
	uint64_t fail = __atomic_load_n(&kernel.fail, __ATOMIC_SEQ_CST);
	int which = find(number);

	if (fail == 0 || which < 0 ||
	    __atomic_add_fetch(&kernel.count, 1, __ATOMIC_SEQ_CST) != fail)
		return 0;
	__atomic_store_n(&kernel.hit, (uint64_t)which + 1, __ATOMIC_SEQ_CST);
	return -calls[which].error;
}

/* Started before the filter, so that its own calls pass. */
static void *answer(void *arg)
{
	struct seccomp_notif asked;
	struct seccomp_notif_resp said;

	(void)arg;
	while (__atomic_load_n(&kernel.listener, __ATOMIC_SEQ_CST) < 0)
		sched_yield();
	for (;;) {
		memset(&asked, 0, sizeof(asked));
		memset(&said, 0, sizeof(said));
		if (ioctl(kernel.listener, SECCOMP_IOCTL_NOTIF_RECV, &asked))
			continue;
		said.id = asked.id;
		said.error = judge((uint32_t)asked.data.nr);
		if (said.error == 0)
			said.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		ioctl(kernel.listener, SECCOMP_IOCTL_NOTIF_SEND, &said);
	}
	return NULL;
}

static bool listen_to_all(void)
{
	struct sock_filter filter[2 * TAP_COUNT(calls) + 2];
	struct sock_fprog program = { .filter = filter };
	unsigned short n = 0;
	size_t i;

	filter[n++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (i = 0; i < TAP_COUNT(calls); i++) {
		filter[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, 0, 1);
		filter[n++] = (struct sock_filter)BPF_STMT(
			BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	}
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
						   SECCOMP_RET_ALLOW);
	program.len = n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return false;
	__atomic_store_n(&kernel.listener,
			 (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
				      SECCOMP_FILTER_FLAG_NEW_LISTENER,
				      &program), __ATOMIC_SEQ_CST);
	return kernel.listener >= 0;
}

/* --- failures, and forbidden leftovers */

static void arm(struct place *place, uint64_t k)
{
	(void)place;
	__atomic_store_n(&kernel.hit, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&kernel.count, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&kernel.fail, k, __ATOMIC_SEQ_CST);
}

static bool disarm(struct place *place)
{
	(void)place;
	__atomic_store_n(&kernel.fail, 0, __ATOMIC_SEQ_CST);
	return __atomic_load_n(&kernel.hit, __ATOMIC_SEQ_CST) != 0;
}

static bool may_be(plait_status status)
{
	return status == PLAIT_E_UNAVAILABLE || status == PLAIT_E_NOMEM;
}

static unsigned count_entries(const char *path)
{
	struct dirent *entry;
	DIR *folder = opendir(path);
	unsigned count = 0;

	if (folder == NULL)
		return 0;
	while ((entry = readdir(folder)) != NULL)
		count += entry->d_name[0] != '.';
	closedir(folder);
	return count;
}

static unsigned descriptors;

static const char *left(void)
{
	static char text[80];
	unsigned now = count_entries("/proc/self/fd");

	if (descriptors == 0)
		descriptors = now;
	if (now <= descriptors)
		return NULL;
	snprintf(text, sizeof(text), "%s fails: %u descriptors, then %u",
		 kernel.hit ? calls[kernel.hit - 1].name : "nothing",
		 descriptors, now);
	descriptors = now;
	return text;
}

static void every_system_call(void)
{
	static const struct calls_fault fault = { .arm = arm,
						  .disarm = disarm,
						  .may_be = may_be,
						  .left = left };
	const char *sanitizer = getenv("PLAIT_SANITIZER");
	pthread_t thread;

	if (sanitizer != NULL && strcmp(sanitizer, "no") != 0)
		SKIP_ALL("sanitizers make system calls of their own");
	kernel.listener = -1;
	pthread_create(&thread, NULL, answer, NULL);
	if (!listen_to_all())
		SKIP_ALL("the kernel does not let us watch system calls (%s)",
			 strerror(errno));
	calls_sweep_all(&fault);
}

static const struct tap_scenario all[] = {
	{ "every system call fails once", every_system_call },
};

TAP_MAIN(all)
