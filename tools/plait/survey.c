/* SPDX-License-Identifier: MIT */
/* Reports of the backends from child processes; see survey.h. */
#include "survey.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- the report */

enum { FIRST_BYTES = 1 << 16 };

static survey fail(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static survey fail(const char *format, ...)
{
	survey out = { .complete = false };
	va_list args;

	va_start(args, format);
	if (vasprintf(&out.text, format, args) < 0)
		out.text = NULL;
	va_end(args);
	return out;
}

/* A report that does not fit is made again, with the room that it needs. */
static survey make_here(const plait_context_desc *desc)
{
	plait_error error = { .size = sizeof(error) };
	uint64_t bytes = FIRST_BYTES, room = 0;
	plait_status status;
	survey out = { .complete = true };

	while (bytes > room) {
		room = bytes;
		free(out.text);
		out.text = malloc(room);
		if (out.text == NULL)
			return out;
		status = plait_backend_report(desc, out.text, room, &bytes,
					      &error);
		if (status == PLAIT_OK)
			continue;
		free(out.text);
		return fail("%s (%s)", error.text, plait_status_name(status));
	}
	return out;
}

/* --- the child */

/* Head of the answer in the pipe; the text follows, without a NUL. */
struct answer {
	uint64_t length;
	uint64_t complete;
};

static bool write_all(int to, const void *data, size_t bytes)
{
	const char *from = data;
	ssize_t written;

	for (; bytes > 0; bytes -= (size_t)written, from += written) {
		do
			written = write(to, from, bytes);
		while (written < 0 && errno == EINTR);
		if (written < 0)
			return false;
	}
	return true;
}

/* Drivers may have handlers of exit that do not return; none is needed. */
static _Noreturn void run_child(survey_maker *maker,
				const plait_context_desc *desc, int to)
{
	survey made = maker(desc);
	struct answer answer = { .complete = made.complete };

	if (made.text == NULL)
		_exit(1);
	answer.length = strlen(made.text);
	_exit(write_all(to, &answer, sizeof(answer)) &&
	      write_all(to, made.text, answer.length) ? 0 : 1);
}

/* --- the parent */

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* Returns false at the end of the input, or after the deadline (0: none). */
static bool read_all(int from, void *out, size_t bytes, int64_t deadline)
{
	struct pollfd ready = { .fd = from, .events = POLLIN };
	char *to = out;

	while (bytes > 0) {
		int64_t left = deadline != 0 ? deadline - now_ms() : -1;
		ssize_t got = 0;

		if (deadline != 0 && left <= 0)
			return false;
		if (poll(&ready, 1, (int)left) > 0)
			got = read(from, to, bytes);
		else
			continue;
		if (got == 0 || (got < 0 && errno != EINTR))
			return false;
		if (got > 0) {
			to += got;
			bytes -= (size_t)got;
		}
	}
	return true;
}

static bool read_answer(int from, int64_t deadline, survey *out)
{
	struct answer answer;

	if (!read_all(from, &answer, sizeof(answer), deadline))
		return false;
	out->complete = answer.complete != 0;
	out->text = malloc(answer.length + 1);
	if (out->text == NULL)
		return true;
	out->text[answer.length] = '\0';
	if (read_all(from, out->text, answer.length, deadline))
		return true;
	free(out->text);
	out->text = NULL;
	return false;
}

static survey describe_end(int status)
{
	static const char advice[] = "Use --backends to select the backends "
				     "to query.";
	survey out;

	if (WIFSIGNALED(status))
		out = fail("a backend, or code that it loads, ended the "
			   "process that queried the backends: killed by "
			   "signal %d (%s). %s", WTERMSIG(status),
			   strsignal(WTERMSIG(status)), advice);
	else
		out = fail("a backend, or code that it loads, ended the "
			   "process that queried the backends: exited with "
			   "%d. %s", WEXITSTATUS(status), advice);
	out.ended = true;
	return out;
}

static survey await_child(pid_t child, int from, unsigned seconds)
{
	int64_t deadline = seconds != 0 ? now_ms() + seconds * INT64_C(1000)
					: 0;
	survey out = { .complete = false };
	bool answered = read_answer(from, deadline, &out);
	bool late = !answered && deadline != 0 && now_ms() >= deadline;
	int status = 0;

	/* After an answer the child only ends. */
	if (late)
		kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (late)
		return fail("a backend, or code that it loads, did not answer "
			    "within %u seconds", seconds);
	return answered ? out : describe_end(status);
}

survey survey_text(survey_maker *maker, const plait_context_desc *desc,
		   unsigned seconds)
{
	survey out;
	pid_t child;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return maker(desc);
	/* The child may write what is buffered once more. */
	(void)fflush(NULL);
	child = fork();
	if (child == 0) {
		close(ends[0]);
		run_child(maker, desc, ends[1]);
	}
	close(ends[1]);
	out = child > 0 ? await_child(child, ends[0], seconds)
			: maker(desc);
	close(ends[0]);
	return out;
}

survey survey_make(const plait_context_desc *desc, unsigned seconds)
{
	return survey_text(make_here, desc, seconds);
}
