/* SPDX-License-Identifier: MIT */
/*
 * Files of traces that are open when the process exits: a context ends on a
 * thread of its own after its last release, and main may return first.
 */
#include <string.h>
#include <unistd.h>

#include "trace.h"

/* Guards the variables below; held while a file is written, so that the process
 * does not exit in the middle. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static trace *open_traces;
static bool exiting;
static pid_t process; /* of the traces; a forked child has none */

static bool share_file(const trace *self, const trace *other)
{
	return self != other && self->path && other->path &&
	       strcmp(self->path, other->path) == 0;
}

/* Write behind the traces that the file has.  Caller holds the lock of this
 * file, and that of the trace unless its backend is closed. */
static bool write_file(trace *self, char line[TRACE_LINE])
{
	bool written = plaitp_trace_write(self, line);

	for (trace *other = open_traces; other; other = other->next)
		if (share_file(self, other))
			other->file = self->file;
	return written;
}

void plaitp_trace_exit_add(trace *self)
{
	pthread_mutex_lock(&lock);
	process = getpid();
	self->file.start_ns = self->start_ns;
	for (const trace *other = open_traces; other; other = other->next)
		if (share_file(self, other))
			self->file = other->file;
	self->next = open_traces;
	open_traces = self;
	pthread_mutex_unlock(&lock);
}

void plaitp_trace_exit_remove(trace *self)
{
	trace **link = &open_traces;
	char line[TRACE_LINE] = "";
	bool written = true;

	pthread_mutex_lock(&lock);
	while (*link != self)
		link = &(*link)->next;
	*link = self->next;
	/* The file that the exit has written stays: the process may be gone
	 * before another one is complete. */
	if (self->path && !exiting)
		written = write_file(self, line);
	pthread_mutex_unlock(&lock);
	if (line[0])
		forward_log(&self->base,
			    written ? PLAIT_LOG_INFO : PLAIT_LOG_WARNING,
			    line);
}

/* At exit; and when the plugin is unloaded, while no trace is open. */
__attribute__((destructor)) static void write_open_traces(void)
{
	char line[TRACE_LINE];

	if (process != getpid())
		return;
	pthread_mutex_lock(&lock);
	exiting = true;
	for (trace *self = open_traces; self; self = self->next) {
		pthread_mutex_lock(&self->lock);
		if (self->path)
			(void)write_file(self, line);
		pthread_mutex_unlock(&self->lock);
	}
	pthread_mutex_unlock(&lock);
}
