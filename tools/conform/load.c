/* SPDX-License-Identifier: MIT */
/* Group L: loading, negotiation, capabilities, side effects. */
#include "conform.h"

#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

extern char **environ;

/* --- L2: missing backends ------------------------------------------------ */

static void missing(struct conform *c)
{
	char folder[] = "/tmp/plait-conform-XXXXXX";
	plait_context_desc desc = { .size = sizeof(desc) };
	plait_context *context = NULL;
	struct conform_process before, after;
	plait_status status;

	conform_look(&before);
	desc.backends = "no_such_backend";
	GIVES(conform_open(c, &desc, &context), PLAIT_E_UNAVAILABLE);
	SAYS(c->error.origin, "no_such_backend");
	HOLDS(context == NULL);

	if (!HOLDS(mkdtemp(folder) != NULL))
		return;
	desc.backends = c->backend;
	desc.plugin_path = folder;
	status = conform_open(c, &desc, &context);
	rmdir(folder);
	conform_look(&after);
	HOLDS_THAT(after.printed_bytes == before.printed_bytes,
		   "nothing is printed");
	if (status == PLAIT_OK) {
		plait_context_release(context);
		conform_skip(c, "the backend is built in");
	}
	GIVES(status, PLAIT_E_UNAVAILABLE);
	SAYS(c->error.origin, folder); /* the search path */
	HOLDS(context == NULL);
}

/* --- L3: open and close -------------------------------------------------- */

static void open_close(struct conform *c)
{
	for (int i = 0; i < 3; i++) {
		plait_context *context;

		NEED(conform_open(c, NULL, &context));
		plait_context_release(context);
		if (!conform_drain(c))
			conform_end(c);
	}
}

static void many_times(struct conform *c)
{
	struct conform_process before, after;

	open_close(c);
	conform_look(&before);
	for (int i = 0; i < 33; i++)
		open_close(c);
	conform_settle(&before, &after);
	HOLDS_THAT(after.threads <= before.threads,
		   "threads go back to %u: there are %u", before.threads,
		   after.threads);
	HOLDS_THAT(after.descriptors <= before.descriptors,
		   "descriptors go back to %u: there are %u",
		   before.descriptors, after.descriptors);
	/* Fewer than one per opening: the heaps of threads may stay. */
	HOLDS_THAT(conform_sanitized() || after.maps <= before.maps + 64,
		   "mappings go back to %u: there are %u", before.maps,
		   after.maps);
}

/* --- L4: capabilities ---------------------------------------------------- */

static plait_status answer_of(struct conform *c, uint32_t bit)
{
	return c->info.capabilities & bit ? PLAIT_OK : PLAIT_E_UNSUPPORTED;
}

static void claims(struct conform *c)
{
	plait_signal_desc gate_desc = { .size = sizeof(gate_desc),
					.flags = PLAIT_SIGNAL_GATE };
	plait_wrap_desc wrap_desc = { .size = sizeof(wrap_desc),
				      .bytes = 4096 };
	plait_buffer *buffer = conform_buffer(c, 64), *wrapped = NULL;
	plait_signal *signal = conform_signal(c), *gate = NULL;
	plait_inbox *inbox = conform_inbox(c);
	plait_event event = { .size = sizeof(event) };
	void *pointer = NULL;

	GIVES(plait_buffer_map(buffer, 0, 64, PLAIT_MAP_READ, &pointer, ERR),
	      answer_of(c, PLAIT_DEVICE_MAP));
	if (pointer != NULL)
		GIVES(plait_buffer_unmap(buffer, pointer, ERR), PLAIT_OK);
	wrap_desc.pointer = aligned_alloc(4096, 4096);
	GIVES(plait_buffer_wrap(c->device, &wrap_desc, &wrapped, ERR),
	      answer_of(c, PLAIT_DEVICE_WRAP));
	plait_buffer_release(wrapped);
	GIVES(plait_signal_create(c->device, &gate_desc, &gate, ERR),
	      answer_of(c, PLAIT_DEVICE_GATE));
	if (gate != NULL)
		GIVES(plait_signal_raise(gate, 3, ERR), PLAIT_OK);
	plait_signal_release(gate);
	NEED(plait_queue_emit(conform_queue(c), signal, NULL, ERR));
	GIVES(plait_signal_notify(signal, 1, inbox, NULL, NULL, ERR),
	      answer_of(c, PLAIT_DEVICE_NOTIFY));
	if (c->info.capabilities & PLAIT_DEVICE_NOTIFY) {
		NEED(plait_inbox_wait(inbox, PLAIT_FOREVER, ERR));
		NEED(plait_inbox_next(inbox, &event, ERR));
		HOLDS(event.kind == PLAIT_EVENT_SIGNAL);
	}
	NEED(plait_signal_wait(signal, 1, PLAIT_FOREVER, ERR));
	conform_finish(c);
	free(wrap_desc.pointer);
}

/* --- L5: device properties ----------------------------------------------- */

static bool ends(const char *text, size_t bytes)
{
	return memchr(text, 0, bytes) != NULL;
}

static void sane_device(struct conform *c, uint32_t index,
			const plait_device_info *info)
{
	char name[80];
	plait_device *found = NULL;

	HOLDS(info->size == sizeof(*info));
	HOLDS(ends(info->name, sizeof(info->name)));
	HOLDS(ends(info->backend, sizeof(info->backend)));
	HOLDS(ends(info->description, sizeof(info->description)));
	HOLDS(info->description[0] != 0);
	HOLDS(strcmp(info->backend, c->backend) == 0);
	HOLDS(info->index == index);
	snprintf(name, sizeof(name), "%.32s:%u", info->backend, index);
	HOLDS(strcmp(info->name, name) == 0);
	HOLDS(info->parallel >= 1);
	HOLDS(info->alignment_bytes >= 1);
	HOLDS((info->alignment_bytes & (info->alignment_bytes - 1)) == 0);
	HOLDS(info->used_bytes == 0);
	HOLDS(info->budget_bytes > 0);
	HOLDS((info->capabilities >> 15) == 0);
	GIVES(plait_context_find_device(c->context, name, &found, ERR),
	      PLAIT_OK);
	HOLDS(found != NULL);
}

static void query(struct conform *c, plait_context *context, uint32_t index,
		  plait_device_info *info)
{
	plait_device *device;

	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	NEED(plait_context_device(context, index, &device, ERR));
	NEED(plait_device_query(device, info, ERR));
}

static void properties(struct conform *c)
{
	plait_device_info first, again;
	plait_device *device = c->device;
	plait_context *other;
	uint32_t count;

	NEED(conform_open(c, NULL, &other));
	NEED(plait_context_device_count(other, &count, ERR));
	HOLDS(count == c->device_count);
	for (uint32_t i = 0; i < c->device_count && i < count; i++) {
		query(c, c->context, i, &first);
		sane_device(c, i, &first);
		query(c, c->context, i, &again);
		HOLDS(memcmp(&first, &again, sizeof(first)) == 0);
		query(c, other, i, &again);
		HOLDS(memcmp(&first, &again, sizeof(first)) == 0);
	}
	GIVES(plait_context_device(c->context, c->device_count, &device, ERR),
	      PLAIT_E_INVALID);
	HOLDS(device == NULL);
	GIVES(plait_context_find_device(c->context, "host:4000000000",
					&device, ERR),
	      PLAIT_E_UNAVAILABLE);
	plait_context_release(other);
}

/* --- L6: side effects ---------------------------------------------------- */

struct surroundings {
	struct sigaction actions[NSIG];
	sigset_t mask;
	char folder[CONFORM_PATH];
	char locale[256];
	uint64_t environment;
	struct rlimit limits[RLIMIT_NLIMITS];
	int rounding;
	fenv_t floating;
	struct conform_process process;
};

static uint64_t hash(uint64_t sum, const char *text)
{
	for (; *text; text++)
		sum = (sum ^ (unsigned char)*text) * 0x100000001b3u;
	return sum;
}

static void look_around(struct surroundings *out)
{
	const char *locale = setlocale(LC_ALL, NULL);

	memset(out, 0, sizeof(*out));
	for (int i = 1; i < NSIG; i++)
		sigaction(i, NULL, &out->actions[i]);
	pthread_sigmask(SIG_SETMASK, NULL, &out->mask);
	if (getcwd(out->folder, sizeof(out->folder)) == NULL)
		out->folder[0] = 0;
	snprintf(out->locale, sizeof(out->locale), "%s", locale);
	for (char **at = environ; *at; at++)
		out->environment = hash(out->environment, *at);
	for (unsigned i = 0; i < RLIMIT_NLIMITS; i++)
		getrlimit((__rlimit_resource_t)i, &out->limits[i]);
	out->rounding = fegetround();
	fegetenv(&out->floating);
	conform_look(&out->process);
}

static bool same_mask(const sigset_t *a, const sigset_t *b)
{
	for (int i = 1; i < NSIG; i++)
		if (sigismember(a, i) != sigismember(b, i))
			return false;
	return true;
}

/* Arithmetic may raise exception flags, but modes must not change.  x86 has two
 * sets of modes, in the x87 control word and in MXCSR. */
static bool same_modes(const struct surroundings *a,
		       const struct surroundings *b)
{
#if defined(__x86_64__)
	const unsigned modes = ~0x3fu;

	if (a->floating.__control_word != b->floating.__control_word ||
	    (a->floating.__mxcsr & modes) != (b->floating.__mxcsr & modes))
		return false;
#endif
	return a->rounding == b->rounding;
}

/* Flag that the C library adds when a handler is set. */
enum { RESTORER = 0x04000000 };

static int flags_of(const struct sigaction *action)
{
	return action->sa_flags & ~RESTORER;
}

static bool same_handlers(const struct surroundings *a,
			  const struct surroundings *b)
{
	for (int i = 1; i < NSIG; i++)
		if (a->actions[i].sa_handler != b->actions[i].sa_handler ||
		    flags_of(&a->actions[i]) != flags_of(&b->actions[i]))
			return false;
	return true;
}

static void compare(struct conform *c, const struct surroundings *a,
		    const struct surroundings *b)
{
	HOLDS_THAT(same_handlers(a, b), "signal handlers stay");
	HOLDS_THAT(same_mask(&a->mask, &b->mask), "the signal mask stays");
	HOLDS_THAT(strcmp(a->folder, b->folder) == 0, "the folder stays");
	HOLDS_THAT(strcmp(a->locale, b->locale) == 0, "the locale stays");
	HOLDS_THAT(a->environment == b->environment,
		   "the environment stays");
	HOLDS_THAT(memcmp(a->limits, b->limits, sizeof(a->limits)) == 0,
		   "resource limits stay");
	HOLDS_THAT(same_modes(a, b), "the floating point modes stay");
	HOLDS_THAT(a->process.printed_bytes == b->process.printed_bytes,
		   "nothing is printed");
}

/* Use all kinds of objects, on this thread. */
static void work(struct conform *c)
{
	plait_buffer *buffer = conform_buffer(c, 1000);
	plait_queue *queue = conform_queue(c);
	plait_signal *signal = conform_signal(c);
	static atomic_int count;
	char bytes[1000];

	NEED(plait_queue_fill(queue, buffer, 0, 1000, 7, 1, ERR));
	NEED(plait_queue_call(queue, conform_count_up, &count, ERR));
	NEED(plait_queue_emit(queue, signal, NULL, ERR));
	NEED(plait_signal_wait(signal, 1, PLAIT_FOREVER, ERR));
	NEED(plait_queue_read(queue, buffer, 0, bytes, 1000, ERR));
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	HOLDS(count == 1 && bytes[999] == 7);
}

static void no_side_effects(struct conform *c)
{
	struct surroundings *before = calloc(1, sizeof(*before));
	struct surroundings *after = calloc(1, sizeof(*after));
	sigset_t mask;

	if (!HOLDS(before != NULL && after != NULL))
		return;
	/* Unusual values: a reset to the usual ones shows. */
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &mask, NULL);
	fesetround(FE_UPWARD);
	look_around(before);
	/* A thread or descriptor of the first opening may stay; growth is
	 * checked by L3. */
	open_close(c);
	conform_look(&after->process);
	before->process.threads = after->process.threads;
	before->process.descriptors = after->process.descriptors;
	conform_begin(c, NULL);
	work(c);
	look_around(after);
	compare(c, before, after);
	conform_finish(c);
	look_around(after);
	compare(c, before, after);
	conform_settle(&before->process, &after->process);
	HOLDS_THAT(after->process.threads <= before->process.threads,
		   "no thread is left: %u, and were %u",
		   after->process.threads, before->process.threads);
	HOLDS_THAT(after->process.descriptors <= before->process.descriptors,
		   "no descriptor is left: %u, and were %u",
		   after->process.descriptors, before->process.descriptors);
	fesetround(FE_TONEAREST);
	free(before);
	free(after);
}

void conform_negotiate(struct conform *c);

static const struct conform_check checks[] = {
	{ "L1", "interface numbers and table sizes are negotiated both ways",
	  NO_CONTEXT, conform_negotiate },
	{ "L2", "what is missing is unavailable, with a reason and no output",
	  NO_CONTEXT, missing },
	{ "L3", "opened and closed 100 times: nothing piles up", NO_CONTEXT,
	  many_times },
	{ "L4", "what is claimed works, what is not is unsupported", 0,
	  claims },
	{ "L5", "properties are sane and stay the same", 0, properties },
	{ "L6", "no side effects on the process", NO_CONTEXT,
	  no_side_effects },
};

CONFORM_GROUP(conform_load, "Load");
