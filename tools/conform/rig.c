/* SPDX-License-Identifier: MIT */
/* Contexts, objects and commands for checks; released at the end of a check. */
#include "conform.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

plait_status conform_open(struct conform *c, const plait_context_desc *desc,
			  plait_context **out)
{
	plait_context_desc own = { .size = sizeof(own) };

	if (desc != NULL)
		own = *desc;
	if (own.backends == NULL)
		own.backends = c->backend;
	conform_graphs_listen(c, &own);
	return plait_context_open(&own, out, ERR);
}

/* All devices are of this backend, since no other one was requested. */
void conform_begin(struct conform *c, const plait_context_desc *desc)
{
	NEED(conform_open(c, desc, &c->context));
	NEED(plait_context_device_count(c->context, &c->device_count, ERR));
	if (!HOLDS(c->device_count >= 1))
		conform_end(c);
	NEED(plait_context_device(c->context, 0, &c->device, ERR));
	if (c->device_count > 1)
		NEED(plait_context_device(c->context, 1, &c->second, ERR));
	memset(&c->info, 0, sizeof(c->info));
	c->info.size = sizeof(c->info);
	NEED(plait_device_query(c->device, &c->info, ERR));
}

static void give_back(enum conform_kind kind, void *handle)
{
	switch (kind) {
	case HOLDS_BUFFER:
		plait_buffer_release(handle);
		break;
	case HOLDS_SIGNAL:
		plait_signal_release(handle);
		break;
	case HOLDS_QUEUE:
		plait_queue_release(handle);
		break;
	case HOLDS_INBOX:
		plait_inbox_release(handle);
		break;
	case HOLDS_KERNEL:
		plait_kernel_release(handle);
		break;
	}
}

bool conform_drain(struct conform *c)
{
	uint64_t end = conform_now_ns() + conform_patience_ns();

	while (plait_live_count(PLAIT_OBJECT_ANY) != 0) {
		if (conform_now_ns() >= end)
			return HOLDS_THAT(false, "nothing is alive: %llu "
					  "objects are, long after the last "
					  "release", (unsigned long long)
					  plait_live_count(PLAIT_OBJECT_ANY));
		sched_yield();
	}
	return true;
}

/* A check that exits while threads of its context start or end lets leak
 * checkers read memory of half a thread. */
static void end_context(struct conform *c)
{
	plait_context *context = c->context;

	c->context = NULL;
	if (context != NULL)
		GIVES(plait_context_close(context, conform_patience_ns(), ERR),
		      PLAIT_OK);
}

void conform_finish(struct conform *c)
{
	while (c->held_count > 0) {
		c->held_count--;
		give_back(c->held[c->held_count].kind,
			  c->held[c->held_count].handle);
	}
	end_context(c);
	conform_drain(c);
}

void conform_hold(struct conform *c, enum conform_kind kind, void *handle)
{
	if (!HOLDS(c->held_count < CONFORM_HELD))
		conform_end(c);
	c->held[c->held_count].kind = kind;
	c->held[c->held_count].handle = handle;
	c->held_count++;
}

void conform_forget(struct conform *c, const void *handle)
{
	size_t at = c->held_count;

	while (at > 0 && c->held[at - 1].handle != handle)
		at--;
	if (!HOLDS(at > 0))
		conform_end(c);
	memmove(&c->held[at - 1], &c->held[at],
		(c->held_count - at) * sizeof(c->held[0]));
	c->held_count--;
}

plait_queue *conform_queue_on(struct conform *c, plait_device *device,
			      const plait_queue_desc *desc)
{
	plait_queue *queue;

	NEED(plait_queue_create(device, desc, &queue, ERR));
	conform_hold(c, HOLDS_QUEUE, queue);
	return queue;
}

plait_queue *conform_queue(struct conform *c)
{
	return conform_queue_on(c, c->device, NULL);
}

static plait_signal *make_signal(struct conform *c, uint32_t flags)
{
	plait_signal_desc desc = { .size = sizeof(desc), .flags = flags };
	plait_signal *signal;

	NEED(plait_signal_create(c->device, &desc, &signal, ERR));
	conform_hold(c, HOLDS_SIGNAL, signal);
	return signal;
}

plait_signal *conform_signal(struct conform *c)
{
	return make_signal(c, 0);
}

plait_signal *conform_gate(struct conform *c)
{
	return make_signal(c, PLAIT_SIGNAL_GATE);
}

plait_buffer *conform_buffer(struct conform *c, uint64_t bytes)
{
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = bytes };
	plait_buffer *buffer;

	NEED(plait_buffer_create(c->device, &desc, &buffer, ERR));
	conform_hold(c, HOLDS_BUFFER, buffer);
	return buffer;
}

plait_inbox *conform_inbox(struct conform *c)
{
	plait_inbox *inbox;

	NEED(plait_inbox_create(c->context, &inbox, ERR));
	conform_hold(c, HOLDS_INBOX, inbox);
	return inbox;
}

plait_status conform_kernel_create(struct conform *c, const char *signature,
				   const char *text, const char *defines,
				   plait_kernel **out)
{
	plait_source source = { .size = sizeof(source), .code = text,
				.defines = defines, .file = "conform.plk" };
	plait_kernel_desc desc = { .size = sizeof(desc),
				   .signature = signature,
				   .sources = &source, .source_count = 1 };
	plait_status status = plait_kernel_create(c->context, &desc, out, ERR);

	if (status == PLAIT_E_UNAVAILABLE)
		conform_skip(c, "%s", c->error.text);
	return status;
}

plait_kernel *conform_kernel(struct conform *c, const char *signature,
			     const char *text, const char *defines)
{
	plait_kernel *kernel;

	conform_need(c, conform_kernel_create(c, signature, text, defines,
					      &kernel),
		     CONFORM_HERE, "plait_kernel_create");
	conform_hold(c, HOLDS_KERNEL, kernel);
	return kernel;
}

plait_argument conform_value(const void *value, uint64_t bytes)
{
	return (plait_argument){ .size = sizeof(plait_argument),
				 .kind = PLAIT_ARGUMENT_VALUE,
				 .value = value, .bytes = bytes };
}

plait_argument conform_memory(plait_buffer *buffer, uint64_t offset)
{
	return (plait_argument){ .size = sizeof(plait_argument),
				 .kind = PLAIT_ARGUMENT_BUFFER,
				 .buffer = buffer, .offset_bytes = offset };
}

plait_command conform_call(plait_host_function function, void *user_data)
{
	plait_command command = {
		.size = sizeof(command), .kind = PLAIT_COMMAND_CALL,
		.flags = PLAIT_CALL_ANY_THREAD, .function = function,
		.user_data = user_data,
	};

	return command;
}

plait_command conform_wait(plait_signal *signal, uint64_t sequence)
{
	plait_command command = {
		.size = sizeof(command), .kind = PLAIT_COMMAND_WAIT,
		.signal = signal, .sequence = sequence,
	};

	return command;
}

plait_command conform_emit(plait_signal *signal)
{
	plait_command command = {
		.size = sizeof(command), .kind = PLAIT_COMMAND_EMIT,
		.signal = signal,
	};

	return command;
}

plait_command conform_write(plait_buffer *target, uint64_t offset,
			    const void *host, uint64_t bytes)
{
	plait_command command = {
		.size = sizeof(command), .kind = PLAIT_COMMAND_WRITE,
		.target = target, .target_offset = offset, .bytes = bytes,
	};

	/* A source: the field, not const, serves both directions. */
	memcpy(&command.host, &host, sizeof(host));
	return command;
}

plait_command conform_read(plait_buffer *source, uint64_t offset, void *host,
			   uint64_t bytes)
{
	plait_command command = {
		.size = sizeof(command), .kind = PLAIT_COMMAND_READ,
		.source = source, .source_offset = offset, .host = host,
		.bytes = bytes,
	};

	return command;
}

/* splitmix64: every seed is valid, also 0. */
uint64_t conform_random(struct conform *c)
{
	uint64_t x = c->random += 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

uint64_t conform_below(struct conform *c, uint64_t limit)
{
	return limit ? conform_random(c) % limit : 0;
}

void conform_random_bytes(struct conform *c, void *bytes, size_t count)
{
	unsigned char *at = bytes;

	for (size_t i = 0; i < count; i++)
		at[i] = (unsigned char)(conform_random(c) >> 13);
}

int32_t conform_count_up(void *user_data)
{
	atomic_int *count = user_data;

	atomic_fetch_add(count, 1);
	return 0;
}

int32_t conform_return_value(void *user_data)
{
	const int32_t *value = user_data;

	return *value;
}
