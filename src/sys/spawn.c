/* SPDX-License-Identifier: MIT */
/*
 * Child processes: each in its own process group, with a pipe for its output;
 * see spawn.h. The child stays a zombie until its group has been killed, so
 * that its id still names the group.
 *
 * Limit: if the host program ignores SIGCHLD or reaps every child, the child is
 * gone at its end (ECHILD). Its id then names the group only while another
 * process of the group lives; if none does, the kernel may give the id to a new
 * group before the kill.
 */
#include "sys/spawn.h"

#include "sys/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_INTERVAL_MS = 20, READ_BYTES = 4096 };

struct child {
	pid_t pid;
	int output; /* the read end; -1 when closed */
	siginfo_t info;
};

/* ---- start ---- */

/* Signals that a host program may ignore and a compiler must not. */
static void default_signals(sigset_t *set)
{
	static const int list[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE,
				    SIGALRM, SIGTERM, SIGCHLD };

	sigemptyset(set);
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		sigaddset(set, list[i]);
}

static int set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t none, defaults;
	int result;

	sigemptyset(&none);
	default_signals(&defaults);
	result = posix_spawnattr_setflags(attributes,
					  POSIX_SPAWN_SETPGROUP |
						  POSIX_SPAWN_SETSIGMASK |
						  POSIX_SPAWN_SETSIGDEF);
	if (result == 0)
		result = posix_spawnattr_setpgroup(attributes, 0);
	if (result == 0)
		result = posix_spawnattr_setsigmask(attributes, &none);
	if (result == 0)
		result = posix_spawnattr_setsigdefault(attributes, &defaults);
	return result;
}

static int set_actions(posix_spawn_file_actions_t *actions, int output)
{
	int result = posix_spawn_file_actions_addopen(actions, 0, "/dev/null",
						      O_RDONLY, 0);

	if (result == 0)
		result = posix_spawn_file_actions_adddup2(actions, output, 1);
	if (result == 0)
		result = posix_spawn_file_actions_adddup2(actions, output, 2);
	return result;
}

/* Drop const: POSIX promises not to change the strings. */
static char *const *without_const(const char *const *list)
{
	union {
		const char *const *in;
		char *const *out;
	} both = { .in = list };

	return both.out;
}

static int start_with(const struct plait__spawn *spawn, int output,
		      posix_spawnattr_t *attributes,
		      posix_spawn_file_actions_t *actions, pid_t *out)
{
	int result = set_attributes(attributes);

	if (result == 0)
		result = set_actions(actions, output);
	if (result == 0)
		result = posix_spawn(out, spawn->path, actions, attributes,
				     without_const(spawn->arguments),
				     without_const(spawn->environment));
	return result;
}

/* Returns 0 or an errno. */
static int start(const struct plait__spawn *spawn, int output, pid_t *out)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int result = posix_spawn_file_actions_init(&actions);

	if (result != 0)
		return result;
	result = posix_spawnattr_init(&attributes);
	if (result == 0) {
		result = start_with(spawn, output, &attributes, &actions, out);
		(void)posix_spawnattr_destroy(&attributes);
	}
	(void)posix_spawn_file_actions_destroy(&actions);
	return result;
}

/* Duplicate a descriptor of 0 to 2, as a program gets that has closed those:
 * the child's own redirections would replace it. */
static int move_above_stdio(int *fd)
{
	int moved;

	if (*fd > 2)
		return 0;
	moved = fcntl(*fd, F_DUPFD_CLOEXEC, 3);
	if (moved < 0)
		return errno;
	(void)close(*fd);
	*fd = moved;
	return 0;
}

static int start_child(const struct plait__spawn *spawn, struct child *child)
{
	int ends[2];
	int result;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	result = move_above_stdio(&ends[0]);
	if (result == 0)
		result = move_above_stdio(&ends[1]);
	if (result == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0)
		result = errno;
	if (result == 0)
		result = start(spawn, ends[1], &child->pid);
	(void)close(ends[1]);
	if (result != 0)
		(void)close(ends[0]);
	child->output = ends[0];
	return result;
}

/* ---- supervision ---- */

/* Returns true if the child has ended; it stays a zombie. ECHILD: the
 * child was reaped by the kernel, for a host program that ignores SIGCHLD, or
 * by the host program. */
static bool has_ended(struct child *child)
{
	child->info.si_pid = 0;
	if (waitid(P_PID, (id_t)child->pid, &child->info,
		   WEXITED | WNOHANG | WNOWAIT) != 0)
		return errno == ECHILD;
	return child->info.si_pid == child->pid;
}

static void close_output(struct child *child)
{
	if (child->output >= 0)
		(void)close(child->output);
	child->output = -1;
}

/* Read what is there; returns false if the total exceeds `max_bytes`. */
static bool read_output(struct child *child, plait__text *output,
			uint64_t max_bytes)
{
	char bytes[READ_BYTES];
	ssize_t got;

	while (child->output >= 0) {
		got = read(child->output, bytes, sizeof(bytes));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return true;
		if (got <= 0) {
			close_output(child);
			return true;
		}
		plait__text_add_bytes(output, bytes, (uint64_t)got);
		if (output->length > max_bytes)
			return false;
	}
	return true;
}

/* Wait for output or a short time; the caller polls for the end of the
 * child. */
static void wait_for_output(const struct child *child, uint64_t left_ns)
{
	struct pollfd wanted = { .fd = child->output, .events = POLLIN };
	uint64_t ms = left_ns / 1000000 + 1;
	uint64_t max_ms = child->output >= 0 ? POLL_INTERVAL_MS : 1;

	(void)poll(&wanted, 1, (int)(ms < max_ms ? ms : max_ms));
}

static enum plait__spawn_end watch(const struct plait__spawn *spawn,
				    struct child *child, plait__text *output)
{
	uint64_t deadline = plait__clock_deadline(spawn->timeout_ns);
	uint64_t max_length = output->length + spawn->max_output_bytes;

	for (;;) {
		bool ended = has_ended(child);
		uint64_t left;

		if (!read_output(child, output, max_length))
			return PLAIT__SPAWN_OUTPUT_LIMIT;
		if (ended)
			return PLAIT__SPAWN_EXITED;
		left = plait__clock_left_ns(deadline);
		if (left == 0)
			return PLAIT__SPAWN_TIMED_OUT;
		wait_for_output(child, left);
	}
}

/* Kill the process group, also after ECHILD: processes that the child started
 * may live. Then reap the child, unless it was reaped. */
static void finish(struct child *child, struct plait__spawn_result *out)
{
	siginfo_t info = { .si_pid = 0 };
	int result;

	(void)kill(-child->pid, SIGKILL);
	close_output(child);
	do
		result = waitid(P_PID, (id_t)child->pid, &info, WEXITED);
	while (result != 0 && errno == EINTR);
	if (out->end != PLAIT__SPAWN_EXITED)
		return;
	if (result != 0 || info.si_pid != child->pid) {
		out->end = PLAIT__SPAWN_UNKNOWN;
		return;
	}
	out->code = info.si_status;
	if (info.si_code != CLD_EXITED)
		out->end = PLAIT__SPAWN_KILLED;
}

int plait__spawn_run(const struct plait__spawn *spawn, plait__text *output,
		     struct plait__spawn_result *out)
{
	struct child child = { .pid = 0 };
	int result = start_child(spawn, &child);

	*out = (struct plait__spawn_result){ .code = 0 };
	if (result != 0)
		return -result;
	out->end = watch(spawn, &child, output);
	finish(&child, out);
	return 0;
}
