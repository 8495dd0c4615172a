/* SPDX-License-Identifier: MIT */
/*
 * Writer of the file: Trace Event JSON for Perfetto and chrome://tracing.  Each
 * device is a process and each queue one of its threads; the host is a process,
 * too, the first of each trace.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "trace.h"

enum { BUFFER_BYTES = 32768, ROOM = 1024 };

struct output {
	int fd;
	int failed; /* errno, or 0 */
	size_t used;
	bool first;
	char bytes[BUFFER_BYTES];
};

static void flush(struct output *out)
{
	size_t done = 0;

	while (done < out->used && !out->failed) {
		ssize_t wrote = write(out->fd, out->bytes + done,
				      out->used - done);

		if (wrote < 0 && errno != EINTR)
			out->failed = errno;
		else if (wrote > 0)
			done += (size_t)wrote;
	}
	out->used = 0;
}

/* Append up to ROOM bytes. */
__attribute__((format(printf, 2, 3)))
static void put(struct output *out, const char *format, ...)
{
	va_list list;
	int length;

	if (BUFFER_BYTES - out->used < ROOM)
		flush(out);
	va_start(list, format);
	length = vsnprintf(out->bytes + out->used, ROOM, format, list);
	va_end(list);
	if (length > 0 && length < ROOM)
		out->used += (size_t)length;
}

/* Length of the UTF-8 sequence at `p`, 0 if it is not valid.  A truncated label
 * may end inside a sequence; its bytes are written as '?'. */
static size_t utf8_length(const unsigned char *p)
{
	size_t length = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 :
		*p >= 0xe0 && *p < 0xf0 ? 3 : *p >= 0xf0 && *p < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < length; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, and values above U+10FFFF. */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return length;
}

static void put_text(struct output *out, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	put(out, "\"");
	while (*p) {
		size_t length = utf8_length(p);

		if (length == 0)
			put(out, "?");
		else if (*p == '"' || *p == '\\')
			put(out, "\\%c", *p);
		else if (*p < 0x20 || *p == 0x7f)
			put(out, "\\u%04x", *p);
		else
			put(out, "%.*s", (int)length, (const char *)p);
		p += length ? length : 1;
	}
	put(out, "\"");
}

static void start_record(struct output *out)
{
	put(out, out->first ? "\n" : ",\n");
	out->first = false;
}

static void put_meta(struct output *out, uint64_t process, uint64_t thread,
		     const char *what, const char *prefix, uint64_t number,
		     const char *label)
{
	char text[TRACE_NAME + 48];

	snprintf(text, sizeof(text), "%s%llu%s%s", prefix,
		 (unsigned long long)number, label[0] ? " " : "", label);
	start_record(out);
	put(out, "{\"ph\":\"M\",\"pid\":%llu,\"tid\":%llu,\"name\":\"%s\","
	    "\"args\":{\"name\":", (unsigned long long)process,
	    (unsigned long long)thread, what);
	put_text(out, text);
	put(out, "}}");
}

static const trace_name *find_queue(const trace *self, uint64_t number)
{
	for (uint32_t i = 0; i < TRACE_BUCKETS; i++)
		for (const trace_name *name = self->names[i]; name;
		     name = name->next)
			if (name->queue && name->number == number)
				return name;
	return NULL;
}

static void put_names(const trace *self, struct output *out)
{
	uint64_t host = self->file.processes;

	put_meta(out, host, 0, "process_name", "host, trace ",
		 self->file.traces + 1, "");
	for (uint32_t i = 0; i < self->device_count; i++)
		put_meta(out, host + i + 1, 0, "process_name", "device ", i,
			 "");
	for (uint32_t i = 0; i < self->thread_count; i++)
		put_meta(out, host, i + 1, "thread_name", "thread ", i + 1,
			 "");
	for (uint32_t i = 0; i < self->owner_count; i++)
		put_meta(out, host, TRACE_THREADS + i + 1, "thread_name",
			 "span ", i + 1, self->owners[i]);
	for (uint64_t i = 1; i <= self->queue_number; i++) {
		const trace_name *name = find_queue(self, i);

		if (name)
			put_meta(out, host + name->device + 1, i, "thread_name",
				 "queue ", i, name->label);
	}
}

/* The format has microseconds. */
static void put_time(struct output *out, const char *key, uint64_t ns)
{
	put(out, ",\"%s\":%llu.%03u", key, (unsigned long long)(ns / 1000),
	    (unsigned)(ns % 1000));
}

static const char *name_work(uint32_t kind)
{
	static const char *const names[] = {
		[PLAIT_WORK_COPY] = "copy", [PLAIT_WORK_FILL] = "fill",
		[PLAIT_WORK_READ] = "read", [PLAIT_WORK_WRITE] = "write",
		[PLAIT_WORK_LAUNCH] = "launch",
		[PLAIT_WORK_SEGMENT] = "segment",
	};
	const uint32_t count = sizeof(names) / sizeof(names[0]);

	return kind < count && names[kind] ? names[kind] : "command";
}

/* The label of what ran, else what it was. */
static const char *name_event(const trace_event *event)
{
	static const char *const names[] = {
		"submit", NULL, "emit", "seen", "wait", "raise", "notify", NULL
	};

	if (event->kind == TRACE_WORK)
		return event->label[0] ? event->label : name_work(event->work);
	return names[event->kind] ? names[event->kind] : event->label;
}

/* Commands that did not run, or whose backend measures none, have no times. */
static bool is_known(const trace *self, trace_event *event)
{
	if (event->kind != TRACE_WORK)
		return true;
	if (event->end_ns == 0 || event->start_ns < self->start_ns)
		return false;
	event->start_ns -= self->start_ns;
	event->end_ns -= self->start_ns;
	return true;
}

static const char *name_value(const trace_event *event)
{
	return event->kind == TRACE_SUBMIT ? "commands" :
	       event->kind == TRACE_WORK ? "bytes" : "sequence";
}

/* Where the subject of the event is. */
static const char *name_subject(const trace_event *event, bool on_queue)
{
	return event->kind == TRACE_SPAN ? "span" :
	       on_queue || event->kind == TRACE_SUBMIT ? "queue" : "signal";
}

/* The row in the process. */
static uint64_t row_of(const trace_event *event, bool on_queue)
{
	if (event->kind == TRACE_SPAN && event->subject != 0)
		return TRACE_THREADS + event->subject;
	return on_queue ? event->subject : event->thread;
}

static void put_event(const trace *self, struct output *out,
		      const trace_event *event)
{
	bool on_queue = event->kind == TRACE_CALL ||
		event->kind == TRACE_EMIT || event->kind == TRACE_WORK;
	bool spans = event->end_ns > event->start_ns;
	const trace_name *queue = on_queue ?
		find_queue(self, event->subject) : NULL;

	start_record(out);
	put(out, "{\"ph\":\"%s\",\"cat\":\"plait\",\"pid\":%llu,\"tid\":%llu,"
	    "\"name\":", spans ? "X" : "i",
	    (unsigned long long)(self->file.processes +
				 (queue ? queue->device + UINT64_C(1) : 0)),
	    (unsigned long long)row_of(event, on_queue));
	put_text(out, name_event(event));
	put_time(out, "ts", event->start_ns + self->start_ns -
		 self->file.start_ns);
	if (spans)
		put_time(out, "dur", event->end_ns - event->start_ns);
	else
		put(out, ",\"s\":\"t\"");
	put(out, ",\"args\":{\"thread\":%u,\"%s\":%llu,\"%s\":%llu,"
	    "\"status\":%d,\"label\":", event->thread,
	    name_subject(event, on_queue),
	    (unsigned long long)event->subject,
	    name_value(event),
	    (unsigned long long)event->value, event->status);
	put_text(out, event->label);
	put(out, "}}");
}

static void put_all(trace *self, struct output *out)
{
	trace_file *file = &self->file;
	off_t end;

	out->first = file->end == 0;
	if (out->first)
		put(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	put_names(self, out);
	for (uint64_t i = 0; i < self->count; i++) {
		trace_event event = self->chunks[i / TRACE_CHUNK]
			[i % TRACE_CHUNK];

		if (is_known(self, &event))
			put_event(self, out, &event);
	}
	flush(out);
	end = lseek(out->fd, 0, SEEK_CUR);
	file->end = end > 0 && !out->failed ? (uint64_t)end : 0;
	file->traces++;
	file->processes += self->device_count + UINT64_C(1);
	file->dropped += self->dropped;
	put(out, "\n],\"otherData\":{\"dropped\":%llu}}\n",
	    (unsigned long long)file->dropped);
	flush(out);
}

/* Open the file where the trace begins: behind those that are in it, unless
 * the program has removed it. */
static int open_file(trace *self)
{
	const trace_file none = { .start_ns = self->file.start_ns };
	int fd = open(self->path, O_WRONLY | O_CREAT | O_CLOEXEC |
		      (self->file.end == 0 ? O_TRUNC : 0), 0644);
	off_t end = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);

	if (end < (off_t)self->file.end)
		self->file = none;
	if (fd >= 0)
		(void)lseek(fd, (off_t)self->file.end, SEEK_SET);
	return fd;
}

bool plaitp_trace_write(trace *self, char line[TRACE_LINE])
{
	struct output out = { .fd = open_file(self) };

	if (out.fd < 0)
		out.failed = errno;
	else
		put_all(self, &out);
	if (out.fd >= 0 && close(out.fd) < 0 && !out.failed)
		out.failed = errno;
	if (out.failed)
		snprintf(line, TRACE_LINE, "trace: %.200s was not written: %s",
			 self->path, strerror(out.failed));
	else
		snprintf(line, TRACE_LINE, "trace: %llu events are in %.200s",
			 (unsigned long long)self->count, self->path);
	return !out.failed;
}
